// follow.h: a mechanism whose drivers leave nothing free, moved through time.
#ifndef HN_FOLLOW_H
#define HN_FOLLOW_H

#include "analysis/manifold.h"

// called at every recorded instant; y = [q, v, work], sim->a and work.lambda belong to it
typedef hn_status (*hn_visit_fn)(hn_manifold *m, void *user, double t, double *y);

// from the time of the sim over options.duration, every output_step; the sim is at the end then.
// info may be NULL
hn_status hn_follow(hn_sim *sim, hn_kinematics_info *info, hn_visit_fn visit, void *user);

// seconds between recorded rows, and how many follow the first
double hn_output_interval(const hn_options *options, int *rows);

#endif
