// linear.h: linearisation and its eigenvalues, for the analyses that need them.
#ifndef HN_LINEAR_H
#define HN_LINEAR_H

#include "analysis/manifold.h"

// at any state; `still`: motions of drivers stand still (statics)
hn_status hn_linearise_at(hn_manifold *m, double t, const double *q, const double *v, bool still,
                          hn_linear **out);

#endif
