// pair.h: vectors and matrices over the twists of two bodies, and the outer products that make
// the tangent of a force which depends on other measured quantities.
//
// A pair vector has 12 numbers: linear and angular part of a, then of b. A pair matrix is 12x12,
// row by row; its 3x3 parts are counted 0 to 3 in the same order.
#ifndef HN_BODY_PAIR_H
#define HN_BODY_PAIR_H

#include "system/build.h"

enum { HN_A_LINEAR, HN_A_TURN, HN_B_LINEAR, HN_B_TURN };

// a generalized direction: a unit of force along it is the generalized force j
typedef struct hn_direction {
  int a, b;
  double j[12];
} hn_direction;

// the 3x3 part (i, j) of a matrix with 12 columns += s A
static inline void hn_pair_add(double *K, int i, int j, double s, const double A[9]) {
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) K[12 * (3 * i + r) + 3 * j + c] += s * A[3 * r + c];
}

// where a body's velocity coordinates sit in its twist; how many there are
int hn_twist_slots(const hn_sys_body *body, int slot[6]);
// velocities of both bodies as the system's coordinates have them
void hn_pair_twist(const hn_system *sys, const hn_work *work, int a, int b, double twist[12]);
// adds a whole pair matrix to K or C
void hn_pair_tangent(const hn_system *sys, hn_tangent *tangent, int which, int a, int b,
                     const double K[144]);
// the direction along which a measure grows
hn_direction hn_direction_measure(const hn_system *sys, const hn_work *work, int measure);
// d(rate)/dq of a measure over its own two bodies
void hn_rate_gradient(const hn_system *sys, const hn_work *work, int measure, double g[12]);
// a force F along `direction` depends on a measure: dF = by_value d(value) + by_rate d(rate)
void hn_tangent_signal(const hn_system *sys, const hn_work *work, const hn_direction *direction,
                       int measure, double by_value, double by_rate, hn_tangent *tangent);
// the same for s F, F an expression that was just run and has the given gradient
void hn_tangent_expression(const hn_system *sys, const hn_work *work, const hn_direction *direction,
                           double s, int expression, const double *gradient, hn_tangent *tangent);

// fails when the body of the mount is a point mass (the ground is none)
bool hn_mount_turns(hn_builder *builder, const hn_mount *mount);

#endif
