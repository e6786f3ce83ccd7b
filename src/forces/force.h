// force.h: what a force type is. One file per type, one row in table.c.
#ifndef HN_FORCE_H
#define HN_FORCE_H

#include "model/fields.h"

typedef struct hn_builder hn_builder;

typedef struct hn_force_type {
  hn_type_info info;
  // adds the elements of one force to the system; reports failures through hn_build_fail
  hn_status (*build)(hn_builder *builder, const hn_force_def *def);
  // adds the states and signals it brings along to the model; NULL: none
  hn_status (*states)(hn_model *model, const hn_force_def *def);
} hn_force_type;

const hn_force_type *hn_force_type_find(const char *name);  // NULL when unknown
extern const hn_family hn_force_family;                     // all of them, as models know them

#endif
