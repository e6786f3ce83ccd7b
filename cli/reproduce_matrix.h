// reproduce_matrix.h: matrices of a model as a paper looks at them: conditions, spectra, sparsity.
#ifndef CLI_REPRODUCE_MATRIX_H
#define CLI_REPRODUCE_MATRIX_H

#include <stdbool.h>

// condition of the iteration matrix of index3-alpha (rho_inf 0.8) at the start of a model, for each
// step; scaling: full, left, none. false: the model has none
bool iteration_conditions(const char *model, const char *scaling, int count, const double *step,
                          double *condition);

// largest magnitude among the roots of the recurrence of `terms` (2 or 3) that the values obey
double recurrence_radius(int terms, int count, const double *values);
// spectral radius of a step of a method with frequency times step = w, from the scheme's own matrix
double scheme_radius(const char *method, double rho, double w);

// the part of a matrix that is not zero
typedef struct fills {
  int velocities, rows;
  double saddle;          // [M J^T; J 0]
  double schur;           // J M^-1 J^T
  double basis, reduced;  // R of the null space, R^T M R
  double inverse;         // pseudo-inverse of J
} fills;
bool matrix_fills(const char *model, fills *out);

#endif
