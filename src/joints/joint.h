// joint.h: what a joint type is. One file per type, one row in table.c.
//
// A joint is a list of constraint rows built from primitives (system/build.h). Its frames a and b
// have z along the joint axis; they coincide in the assembled joint wherever the type demands.
#ifndef HN_JOINT_H
#define HN_JOINT_H

#include "model/fields.h"

typedef struct hn_builder hn_builder;

typedef struct hn_joint_type {
  hn_type_info info;
  bool needs_rotation;  // refuses point masses
  // adds the rows and coordinates of one joint; reports failures through hn_build_fail
  hn_status (*build)(hn_builder *builder, const hn_joint_def *def);
} hn_joint_type;

const hn_joint_type *hn_joint_type_find(const char *name);  // NULL when unknown
extern const hn_family hn_joint_family;                     // all of them, as models know them

#endif
