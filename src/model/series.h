// series.h: a quantity given by points over time: a table of a model file, or a column of a CSV
// file. A series never changes once it is made; models and systems share it.
#ifndef HN_SERIES_H
#define HN_SERIES_H

#include "base/base.h"

typedef struct hn_series {
  int users;  // who release it; counted by atomic operations
  int count;  // points, at least one
  hn_interpolation kind;
  double *time, *value;
  double *second;  // cubic: second derivative in the points
} hn_series;

// from points (t, value) in a row; NULL when out of memory. The times ascend
hn_series *hn_series_create(const double *pairs, int count, hn_interpolation kind);
// two columns of a CSV file: by their names in its header, or by their numbers from one on. NULL:
// the first column is the time, the second the value. Headers may have units, "time [ms]". A
// failure says where: "file:line: ..."
hn_status hn_series_read(hn_series **out, const char *path, const char *time, const char *column,
                         hn_interpolation kind, char message[HN_MESSAGE]);
hn_series *hn_series_share(hn_series *series);
void hn_series_release(hn_series *series);  // NULL: nothing happens

// The cell of a time: the number of the last point at or before it, -1 before the first. `near` is
// a cell to begin looking from.
int hn_series_cell(const hn_series *series, double t, int near);
// value and two derivatives in time, by the formula of a cell
void hn_series_at(const hn_series *series, int cell, double t, double out[3]);
// the first time after those of the cell at which the formula changes; INFINITY: never
double hn_series_next(const hn_series *series, int cell);

#endif
