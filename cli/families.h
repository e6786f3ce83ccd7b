// families.h: models that can be made in any size.
#ifndef CLI_FAMILIES_H
#define CLI_FAMILIES_H

#include "common.h"

typedef enum hinge_axes { AXES_ALTERNATING, AXES_Y, AXES_Z } hinge_axes;

typedef struct family {
  const char *name;
  const char *help;  // N stands for the number of --n
  int n, least;      // default and smallest number; 0: it has none
  bool axes;         // --axes means something
  void (*write)(FILE *out, int n, hinge_axes axes);
} family;

const family *family_at(int index);  // NULL past the end

#endif
