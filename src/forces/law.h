// law.h: scalar laws along a measure, shared by springs, torsion springs and motors.
#ifndef HN_LAW_H
#define HN_LAW_H

#include "system/build.h"

// tension as a function of the elongation x = value - rest and the rate
typedef struct hn_law {
  double rest, preload, stiffness, damping;  // [m, N, N/m, N s/m], or of angles and torques
  bool as_assembled;                         // rest is found when the model is assembled
  const double *coefficient;                 // polynomial of x, from the linear term upwards
  int coefficients;
  const double *table;  // triples: x, tension, energy
  int points;
  int corner;      // first switching function of the table
  int expression;  // replaces everything above; -1 when there is none
} hn_law;

typedef struct hn_law_value {
  double force;              // all of it
  double by_value, by_rate;  // derivatives of the parts without expression
  double lossy;              // the part of `force` that has no potential
  double energy;             // potential of the rest
  const double *gradient;    // of the expression, NULL when there is none
} hn_law_value;

// One element: sign * law acts along a measure. A tension pulls its measure down (springs: -1), an
// effort drives it up (motors: 1); energies have the same sign
typedef struct hn_along {
  hn_law law;
  int measure;
  double sign;
  bool angular;
} hn_along;

// fills the law of a spring from its definition; the measure's value is called `name` ("length",
// "angle") in the law's expression
void hn_law_build(hn_law *law, hn_builder *builder, const hn_force_def *def, int measure,
                  const char *name);
hn_law_value hn_law_eval(const hn_law *law, const hn_system *sys, const hn_work *work, int measure);

// for ops tables; data is hn_along
void hn_along_eval(const hn_system *sys, hn_work *work, int count, const void *data);
void hn_along_tangent(const hn_system *sys, hn_work *work, int count, const void *data,
                      hn_tangent *tangent);
hn_line hn_along_line(const void *data);
hn_tension hn_along_tension(const hn_system *sys, const hn_work *work, const void *data);
void hn_along_switches(const hn_system *sys, const hn_work *work, int count, const void *data,
                       double *value);
void hn_along_formulas(hn_formulas *f, int count, const void *data);
void hn_along_relax(const hn_work *work, int count, void *data);
bool hn_along_beyond(const hn_system *sys, const hn_work *work, const void *data, double *at,
                     double *end);
// the columns of a spring: value, rate, force
double hn_along_read(const hn_system *sys, const hn_work *work, const void *data, int k);
// is x outside of a table? *end is the end it has passed
bool hn_table_beyond(const double *table, int stride, int count, double x, double *end);

// the interval of x in a table with `stride` numbers per point: 0 .. count - 2; values outside
// belong to the first and last interval, which continue straight
int hn_table_find(const double *table, int stride, int count, double x);
// its corners are switching functions: how many, their values, and the interval they are held in
int hn_table_corners(int count);
void hn_table_switches(const double *table, int stride, int count, double x, double *value);
int hn_table_place(const double *table, int stride, int count, double x, const hn_work *work,
                   int first);
// the same as a formula, and its slope: the line on the side of every corner that x is held on
hn_node hn_table_formula(hn_formulas *f, const double *table, int stride, int count, int corner,
                         hn_node x, hn_node *slope);

#endif
