// kinship.h: what members of a family have in common, for those who carry them (crowd.c) and those
// who differentiate them (slopes.c).
#ifndef HN_KINSHIP_H
#define HN_KINSHIP_H

#include "code/device.h"
#include "study/crowd.h"

// made by one thread, then read by all
struct hn_kinship {
  bool on_device;  // a GPU
  hn_members_numbers numbers;
  int columns;
  const char *const *column;
  hn_system *base;         // the first member, compiled: formulas are its
  hn_stepper stepper;      // of the method
  hn_arguments arguments;  // numbers in which members differ
  hn_members_text text;
  hn_members_code code;
  hn_device *device;
  double h, output_step;
  long steps, every;
  double position, velocity, energy;  // limits of the audit
};

// a member by the library: no code of its own, and coordinates as the first member has them
hn_status hn_kinship_compile(const hn_kinship *family, hn_model *model, hn_system **sys);
// is what the code says of a member to be believed?
bool hn_kinship_holds(const hn_kinship *family, const double end[HN_END_COUNT]);

#endif
