// spread.h: mass between two bodies, for those who know its coordinates.
#ifndef HN_SPREAD_H
#define HN_SPREAD_H

#include "system/system.h"

// vectors of a body, of both
enum { HN_SPREAD_EACH = 4, HN_SPREAD_ALL = 2 * HN_SPREAD_EACH };

// what gravity pulls at y_i with, per acceleration
double hn_spread_weight(const hn_sys_spread *spread, int i);
// f += B^T G y'' of world accelerations y''
void hn_spread_push(const hn_work *work, const hn_sys_spread *spread, double y[HN_SPREAD_ALL][3],
                    double *f);

#endif
