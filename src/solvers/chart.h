// chart.h: independent coordinates of a constrained system.
//
// Near a state the constraints can be solved for some coordinates, given the others: the
// independent ones are a chart of the manifold. Positions and velocities have one each,
//   positions   Phi = 0 (holonomic rows)         nv - rank of them, entries of q
//   velocities  psi = 0 (all rows)               nv - rank of them, entries of v
// Entries of q and v themselves are taken, so that an integrator, which adds derivatives to them,
// integrates the independent ones exactly as if the others did not exist.
#ifndef HN_CHART_H
#define HN_CHART_H

#include "linalg/dense_step.h"
#include "sim/sim.h"

// one of the two levels
typedef struct hn_chart_level {
  int rows, free;    // rows used, coordinates left free; together nv
  int *row;          // which rows, independent of each other
  int *coordinate;   // which entries of q or v are independent
  double *A;         // [J; N] of those, nv x nv, factorised
  double *row_size;  // the rows were divided by this
  int *swap;
  double reference;  // steepness when the coordinates were chosen, see chart.c
} hn_chart_level;

typedef struct hn_chart {
  hn_chart_level position, velocity;
  bool chosen;
  bool *there;              // of the rows that come and go, when the coordinates were chosen
  bool plain;               // q and v have the same entries (no quaternions)
  bool shared;              // both levels are the same
  double *J, *size;         // rows x nv, scaled; the natural length of each row
  double *N;                // nq x nv, column by column: q' = N v
  double *unit_q, *unit_v;  // natural size of each entry: a length, or 1 for angles
  double *basis;            // nv x nv, vector after vector: null space of J
  double *target;           // independent positions to be kept
  double *x, *rate;         // nv; nq
  int *candidate;           // rows to choose from
  hn_cod rank;              // of the rows
  hn_cod pick;              // of the basis
} hn_chart;

void hn_chart_layout(hn_chart *chart, hn_arena *arena, const hn_system *sys);
// chooses coordinates at a state; true when they are not those chosen before
bool hn_chart_choose(hn_sim *sim, hn_chart *chart, double t, const double *q, const double *v);
// solves for the dependent positions and velocities; *moved as for corrections (may be NULL).
// a state that meets the constraints is left as it is
hn_status hn_chart_recover(hn_sim *sim, hn_chart *chart, double t, double *q, double *v,
                           double *moved);
// do dependent coordinates move much faster than the independent ones, compared to the choice?
bool hn_chart_weak(const hn_system *sys, const hn_chart *chart);

#endif
