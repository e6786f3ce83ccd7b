// drive.h: forces along a joint coordinate whose states are written as signals of the model.
#ifndef HN_DRIVE_H
#define HN_DRIVE_H

#include "model/model.h"
#include "system/build.h"

enum { HN_DRIVE_NAME = 200, HN_DRIVE_TEXT = 4096 };

// name of one of its signals: <force>_<word>, dots of parts replaced
void hn_drive_name(const hn_force_def *def, const char *word, char name[HN_DRIVE_NAME]);
// what formulas call the coordinate, or its rate
void hn_drive_quantity(const hn_force_def *def, bool rate, char name[HN_DRIVE_NAME]);
// the element: an effort along the coordinate (motor.c)
hn_status hn_drive_build(hn_builder *builder, const hn_force_def *def, const char *law);

#endif
