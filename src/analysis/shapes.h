// shapes.h: small displacements as tables: what every body and every joint coordinate does in them.
#ifndef HN_SHAPES_H
#define HN_SHAPES_H

#include "record/result.h"
#include "sim/sim.h"

// columns of a shape
int hn_shape_size(const hn_system *sys);
// Columns from `first` on: with `names` they get their names and units, with `row` the numbers that
// belong to the displacement v (nv). Evaluates the state of the sim. Returns the column behind the
// last one; -1: out of memory
int hn_shape_columns(hn_sim *sim, const double *v, hn_result *names, const char *suffix, int first,
                     double *row);

#endif
