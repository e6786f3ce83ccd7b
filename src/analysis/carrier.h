// carrier.h: axes that move along with the bodies of a steady motion.
//
// In a steady motion every body is carried by axes that turn with a constant angular velocity b,
// and spins in them with a constant c (body axes), w = R^T b + c:
//   v(s) = exp(b s) v,   R(s) = exp(b s) R exp(c s),   w(s) = exp(-c s) w.
// A rotating arm is carried by itself (c = 0), a rotor in gimbals at rest by axes at rest (b = 0).
// Displacements and changes of velocity x are carried along by T(s): exp(b s) for lengths,
// exp(-c s) for turns, which count in body axes.
#ifndef HN_CARRIER_H
#define HN_CARRIER_H

#include "system/system.h"

typedef struct hn_carrier {
  const hn_system *sys;
  const double *q, *v;  // the state, in reference coordinates
  double *b;            // 3 for every body: angular velocity of its axes, world
} hn_carrier;

// the state s later
void hn_carrier_state(const hn_carrier *carrier, double s, double *q, double *v);
// out = T(s) x
void hn_carrier_move(const hn_carrier *carrier, double s, const double *x, double *out);
// out = T' x at s = 0
void hn_carrier_rate(const hn_carrier *carrier, const double *x, double *out);
// out = the part of d' that comes from the axes: a displacement d changes by d' = dv - out
void hn_carrier_turn(const hn_carrier *carrier, const double *d, double *out);
// T' of one body as a matrix, nv x nv; `change`: only the part linear in b
void hn_carrier_matrix(const hn_carrier *carrier, int body, const double b[3], bool change,
                       double *matrix);
// "arm, mass turn with 3 rad/s about (0, 0, 1); rotor does not turn": turns a billion times slower
// than `fastest` [rad/s] are none; what does not fit is cut
void hn_carrier_describe(const hn_carrier *carrier, double fastest, char *text, size_t size);

#endif
