// measure.h: evaluation of scalar measures; see measure.c for the formulas.
#ifndef HN_MEASURE_H
#define HN_MEASURE_H

#include "system/system.h"

// level 0: value; 1: + rate and gradient; 2: + bias. The bodies' kin must be up to date.
// how well an angle is defined where it was evaluated last: 1 for hinges and what is no angle, 0
// where roll and yaw have no meaning, because the pitch is 90 degrees
double hn_angle_meaning(const hn_measure *m, const hn_work *work);
void hn_eval_measure(const hn_measure *measure, const hn_work *work, hn_mval *out, int level);

// o += s times a row on the twist, in the columns this kind of body has
void hn_add_row(double *o, hn_body_kind kind, double s, const double row[6]);

#endif
