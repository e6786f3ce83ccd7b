// drive.c: see drive.h.
#include "forces/drive.h"

#include <stdio.h>

void hn_drive_name(const hn_force_def *def, const char *word, char name[HN_DRIVE_NAME]) {
  snprintf(name, HN_DRIVE_NAME, "%.120s_%.60s", def->name, word);
  for (char *c = name; *c; c++)
    if (*c == '.') *c = '_';
}

void hn_drive_quantity(const hn_force_def *def, bool rate, char name[HN_DRIVE_NAME]) {
  if (def->coordinate)
    snprintf(name, HN_DRIVE_NAME, "%.120s.%.60s%s", def->joint, def->coordinate,
             rate ? "_rate" : "");
  else
    snprintf(name, HN_DRIVE_NAME, "%.120s.%s", def->joint, rate ? "rate" : "value");
}
