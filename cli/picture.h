// picture.h: charts of what several runs gave, as SVG files. All say themselves what goes wrong.
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "common.h"

enum { PATH_SIZE = 4096, MOST_CURVES = 21 };  // as many curves as the library tells apart

// folder/name; false, and said so, when that is too long
bool join_path(char path[PATH_SIZE], const char *folder, const char *name);

typedef struct curve {
  const char *name;
  int count;  // of points; those that are not finite are gaps
  double *x, *y;
} curve;

typedef struct chart {
  const char *title;
  const char *x, *x_unit;  // NULL: time in seconds
  const char *label;       // of the vertical axis; NULL: the unit alone
  const char *unit;        // of the curves
  bool log_x;              // logarithmic axis
  bool log_y;              // magnitudes on a logarithmic axis
  int count;
  const curve *curves;
} chart;
bool draw_chart(const chart *c, const char *path);

// one bar for each name, and a dashed line where 1 ends
bool draw_bars(const char *title, int count, const char *const *names, const double *values,
               const char *path);

#endif
