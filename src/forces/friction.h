// friction.h: friction that holds (holding.c), as friction.c builds it.
#ifndef HN_FRICTION_H
#define HN_FRICTION_H

#include "system/build.h"

hn_status hn_build_holding(hn_builder *builder, const hn_force_def *def, double sticking);

#endif
