// heights.h: the ground of a contact, given by heights over a grid in the model or in a file.
#ifndef HN_HEIGHTS_H
#define HN_HEIGHTS_H

#include "model/model.h"

// members that joints and forces have alike
typedef struct hn_heights {
  const char *type, *surface, *file;
  const double **x, **y, **height;
  int *nx, *ny, *count;
} hn_heights;
#define HN_HEIGHTS_OF(def)                                                                         \
  {                                                                                                \
    .type = (def)->type, .surface = (def)->surface, .file = (def)->file, .x = &(def)->grid_x,      \
    .y = &(def)->grid_y, .height = &(def)->heights, .nx = &(def)->grid_x_count,                    \
    .ny = &(def)->grid_y_count, .count = &(def)->height_count                                      \
  }

// What the file says is put into x, y and heights, which then point into *room: free() it when the
// definition has been copied. A grid that is none is refused
hn_status hn_heights_complete(hn_model *model, const hn_heights *h, double **room);

#endif
