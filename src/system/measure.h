// measure.h: evaluation of scalar measures; see measure.c for the formulas.
#ifndef HN_MEASURE_H
#define HN_MEASURE_H

#include "system/system.h"

// level 0: value; 1: + rate and gradient; 2: + bias. The bodies' kin must be up to date.
// how well an angle is defined where it was evaluated last: 1 for hinges and what is no angle, 0
// where roll and yaw have no meaning, because the pitch is 90 degrees
double hn_angle_meaning(const hn_measure *m, const hn_work *work);
void hn_eval_measure(const hn_measure *measure, const hn_work *work, hn_mval *out, int level);

// u . (P_b - P_a) with u, world axes, fixed in a
void hn_eval_along(hn_mval *o, const hn_measure *m, const double u[3], const hn_kin *a,
                   const hn_kin *b, int level);
// blocks HN_AA ... of how its gradient changes with the positions: added
void hn_hessian_along(const hn_measure *m, const double u[3], const hn_kin *a, const hn_kin *b,
                      double block[4][36]);
// the axes of a measure's surface in the world, as rows; the point of b in them, and its rate there
void hn_surface_point(const hn_measure *m, const hn_kin *a, const hn_kin *b, double axis[3][3],
                      double p[3], double rate[3]);
// block += s * x y^T over the pair (a, b); x and y hold 12 numbers
void hn_add_outer(double block[4][36], double s, const double x[12], const double y[12]);

// the measure, or in *room what it is while one face counts
const hn_measure *hn_measure_held(const hn_measure *m, const hn_work *work, hn_measure *room);

// slip.c: HN_M_SLIP
void hn_eval_slip(hn_mval *o, const hn_measure *m, const hn_kin *a, const hn_kin *b, int level);
// where the point of b is in the axes of the surface; how far it has come from there, along the
// tangent
void hn_slip_place(const hn_measure *m, const hn_kin *a, const hn_kin *b, double place[3]);
bool hn_slip_rolls(const hn_measure *m);
double hn_slip_rolled(const hn_measure *m, const hn_kin *a, const hn_kin *b, const double place[3],
                      double turned);
double hn_slip_since(const hn_measure *m, const hn_kin *a, const hn_kin *b, const double place[3]);
void hn_hessian_slip(const hn_measure *m, const hn_kin *a, const hn_kin *b, double block[4][36]);

// o += s times a row on the twist, in the columns this kind of body has
void hn_add_row(double *o, hn_body_kind kind, double s, const double row[6]);

#endif
