// drive.c: see drive.h.
#include "forces/drive.h"

#include <stdio.h>

// Lengths are cut so that nothing is ever larger than its room: names of models have 63 characters
// a part, so nothing is lost in practice. Dots separate parts from elements and are no letters of a
// signal
void hn_drive_name(const hn_force_def *def, const char *word, char name[HN_DRIVE_NAME]) {
  snprintf(name, HN_DRIVE_NAME, "%.120s_%.60s", def->name, word);
  for (char *c = name; *c; c++)
    if (*c == '.') *c = '_';
}

// joints with several coordinates are asked for one by its name; those with one call it `value` for
// formulas that do not care which it is
void hn_drive_quantity(const hn_force_def *def, bool rate, char name[HN_DRIVE_NAME]) {
  if (def->coordinate)
    snprintf(name, HN_DRIVE_NAME, "%.120s.%.60s%s", def->joint, def->coordinate,
             rate ? "_rate" : "");
  else
    snprintf(name, HN_DRIVE_NAME, "%.120s.%s", def->joint, rate ? "rate" : "value");
}
