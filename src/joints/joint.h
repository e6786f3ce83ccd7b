// joint.h: what a joint type is. One file per type, one row in table.c.
//
// A joint is a list of constraint rows built from primitives (system/build.h). Its frames a and b
// have z along the joint axis; they coincide in the assembled joint wherever the type demands.
#ifndef HN_JOINT_H
#define HN_JOINT_H

#include <holon/extend.h>

#include "model/fields.h"

const hn_joint_type *hn_joint_type_find(const char *name);  // NULL when unknown
extern const hn_family hn_joint_family;                     // all of them, as models know them

#endif
