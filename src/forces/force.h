// force.h: what a force type is. One file per type, one row in table.c.
#ifndef HN_FORCE_H
#define HN_FORCE_H

#include <holon/extend.h>

#include "model/fields.h"

const hn_force_type *hn_force_type_find(const char *name);  // NULL when unknown
extern const hn_family hn_force_family;                     // all of them, as models know them

#endif
