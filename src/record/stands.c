// stands.c: where the numbers of columns stand, found once, so that a row is mostly copied.
#include "record/columns.h"

#include <stddef.h>

static void stand(hn_column *c, hn_column_stands where, size_t place) {
  c->stands = (unsigned char)where, c->batch = (int)place;
}

// planar bodies that have their origin in their centre of mass
static void body_stands(const hn_sys_body *b, hn_column *c) {
  bool velocity = c->kind == HN_COL_VELOCITY || c->kind == HN_COL_SPIN;
  bool turn = c->kind == HN_COL_ANGLE || c->kind == HN_COL_SPIN;
  if (!hn_centred(b)) return;
  int at = (velocity ? b->v0 : b->q0) + (turn ? 2 : c->sub);
  stand(c, velocity ? HN_STANDS_IN_V : HN_STANDS_IN_Q, (size_t)at * sizeof(double));
}

static void joint_stands(const hn_sys_joint *j, hn_column *c) {
  size_t axis = (size_t)c->sub * sizeof(double);
  if (c->kind == HN_COL_COORDINATE || c->kind == HN_COL_RATE) {
    size_t at = (size_t)j->coordinate[c->sub].measure * sizeof(hn_mval);
    at += c->kind == HN_COL_RATE ? offsetof(hn_mval, rate) : offsetof(hn_mval, value);
    stand(c, HN_STANDS_IN_MEASURES, at);
  } else if (!j->coupler && hn_joint_is_placed(j)) {
    size_t at = (size_t)c->element * sizeof(hn_reaction) + axis;
    at += c->kind == HN_COL_FORCE ? offsetof(hn_reaction, force) : offsetof(hn_reaction, torque);
    stand(c, HN_STANDS_IN_REACTIONS, at);
  }
}

void hn_column_find(const hn_system *sys, hn_column *c) {
  switch (c->kind) {
  case HN_COL_POSITION:
  case HN_COL_ANGLE:
  case HN_COL_VELOCITY:
  case HN_COL_SPIN: body_stands(&sys->body[c->element], c); break;
  case HN_COL_COORDINATE:
  case HN_COL_RATE:
  case HN_COL_FORCE:
  case HN_COL_TORQUE: joint_stands(&sys->joint[c->element], c); break;
  case HN_COL_TIME: stand(c, HN_STANDS_IN_WORK, offsetof(hn_work, t)); break;
  case HN_COL_KINETIC: stand(c, HN_STANDS_IN_ENERGY, offsetof(hn_energy, kinetic)); break;
  case HN_COL_POTENTIAL: stand(c, HN_STANDS_IN_ENERGY, offsetof(hn_energy, potential)); break;
  case HN_COL_WORK: stand(c, HN_STANDS_IN_ENERGY, offsetof(hn_energy, work)); break;
  case HN_COL_BALANCE: stand(c, HN_STANDS_IN_ENERGY, offsetof(hn_energy, balance)); break;
  case HN_COL_JOINT_POWER: stand(c, HN_STANDS_IN_INSTANT, offsetof(hn_instant, joint_power)); break;
  case HN_COL_JOINT_WORK: stand(c, HN_STANDS_IN_INSTANT, offsetof(hn_instant, joint_work)); break;
  default: break;
  }
}
