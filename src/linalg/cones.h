// cones.h: contacts with friction: complementarity over cones.
#ifndef HN_CONES_H
#define HN_CONES_H

#include "linalg/lemke.h"

#include <stdbool.h>

// y = A x + b over m unknowns, A symmetric and positive semidefinite. The first n are normal:
// x >= 0, y >= 0, x y = 0. The others belong to frictions, one to three to each, with
//
//   |x| <= r,   y = 0 where |x| < r,   otherwise y = -s x, s >= 0
//
// or, where the direction is given, x = -r direction. r is `radius`, or coefficient times the
// normal unknown.
enum { HN_CONE_SIZE = 3 };
// part of what a normal force does to its own contact that the friction it causes must leave
#define HN_CONE_OUTWARD 2e-6
typedef struct hn_cone {
  int first, size;  // its unknowns
  int normal;       // -1: the radius is given
  double coefficient, radius;
  bool slides;
  double direction[HN_CONE_SIZE];
} hn_cone;

typedef enum hn_cones_end {
  HN_CONES_FOUND,
  HN_CONES_NONE,     // not found
  HN_CONES_PARADOX,  // a normal force makes its contact close faster, by the friction it causes
} hn_cones_end;

// A row by row, `apart` numbers each; x holds a first guess, y is room, *size what y is judged by.
// On a paradox *which is the cone
hn_cones_end hn_cones_solve(const double *A, int apart, const double *b, int n, int m,
                            const hn_cone *cone, int cones, double *x, double *y, int *which,
                            double *size);
// the same in few rounds: HN_CONES_NONE where these creep, though they may come near
hn_cones_end hn_cones_try(const double *A, int apart, const double *b, int n, int m,
                          const hn_cone *cone, int cones, double *x, double *y, int *which,
                          double *size);
// The same by pivots, where rounds do not come to an end: several contacts that press each other
// by their friction. Frictions of one direction each; `room` for hn_cones_pivots(n, cones) unknowns
hn_cones_end hn_cones_pivot(const double *A, int apart, const double *b, int n, int m,
                            const hn_cone *cone, int cones, double *x, double *y, double *size,
                            hn_lemke *room);
static inline int hn_cones_pivots(int n, int cones) {
  return n + 3 * cones;
}
// The frictions alone, normal unknowns of x as they are, where rounds creep: many that hold the
// same (discs.c). x holds a first guess, and of many solutions the one nearest to it is found; y
// and *size as above
typedef struct hn_discs_room {
  int cones;
  double *L, *N, *z, *column, *load, *s, *step, *slope, *own, *from;
  int *at, *of, *which, *swap;
} hn_discs_room;
void hn_discs_layout(hn_discs_room *room, hn_arena *arena, int cones);
hn_cones_end hn_cones_hold(const double *A, int apart, const double *b, int m, const hn_cone *cone,
                           int cones, double *x, double *y, double *size, hn_discs_room *room);
// the two unknowns of one friction by themselves: [a o; o d] x + (u, v) = y, with |x| <= r as above
void hn_cone_disc(double a, double d, double o, double u, double v, double r, double x[2]);
// the same with three: B x + c = y, B symmetric and positive semidefinite, row by row
void hn_cone_ball(const double B[9], const double c[3], double r, double x[3]);
static inline double hn_cone_radius(const hn_cone *c, const double *x) {
  return c->normal < 0 ? c->radius : c->coefficient * x[c->normal];
}

#endif
