// metric_rows.h: columns between rows, for metrics and their derivatives.
#ifndef HN_METRIC_ROWS_H
#define HN_METRIC_ROWS_H

#include <holon/holon.h>

// rows that a value at t is interpolated from: at most four, and their weights
typedef struct hn_stencil {
  int first, count;
  double weight[4];
} hn_stencil;

// metric.c and metric_back.c must interpolate by the same weights, or derivatives would be those of
// another function
// the interval [i, i + 1] that holds t
int hn_interval_of(const hn_result *result, int rows, double t);
// Lagrange's polynomial through the rows around interval i; rows that nearly coincide would make it
// swing, so there it is a straight line
hn_stencil hn_around(const hn_result *result, int rows, int i, double t);

// points of Gauss's rule on (-1, 1); exact for the cubics between rows
static const double hn_gauss = 0.57735026918962576;

#endif
