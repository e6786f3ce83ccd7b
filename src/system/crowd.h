// crowd.h: bodies that may touch wherever they are: boxes, spheres and hulls in space, and planes.
//
// There are no rows for them: which of them touch is found anew for every step by the integrator
// that steps through contacts.
#ifndef HN_CROWD_H
#define HN_CROWD_H

#include "system/build.h"
#include "system/touch.h"

typedef struct hn_member {
  int body;
  bool joined;     // by a joint: its answer to an impulse is not its own
  hn_solid solid;  // as it is in the body's inner frame
} hn_member;

// a force of type pile: a plane of the ground, and what is before it
typedef struct hn_crowd_plane {
  double point[3], normal[3];
  double restitution, coulomb;
  int members;
  const hn_member *member;
} hn_crowd_plane;
extern const hn_force_ops hn_crowd_ops;

typedef struct hn_crowd {
  int members, planes;
  const hn_member *member;
  const hn_crowd_plane *plane;  // the first says restitution and coulomb of members with each other
  const char *name;             // of the first
} hn_crowd;
// false: the system has none
bool hn_crowd_of(const hn_system *sys, hn_crowd *crowd);

// one point in which two bodies touch, or come near to it
typedef struct hn_touch {
  int a, b;            // members; a below zero: plane -1 - a
  int body_a, body_b;  // bodies; a plane is of the ground
  double restitution, coulomb;
  double arm_a[3], arm_b[3];  // from the centres of mass, world axes
  double push[3];             // on b, of the step it belongs to; who steps writes it
  double begun[3];            // the same: impulse of a blow that goes on in the next step
  hn_near near;
} hn_touch;

// room for the search
typedef struct hn_crowd_room {
  int most, count;
  hn_touch *touch;  // in order
  int *cell, *head, *next, *partner;
  hn_solid *solid;  // in world axes
} hn_crowd_room;

void hn_crowd_layout(hn_crowd_room *room, hn_arena *arena, const hn_crowd *crowd);
// all points nearer than `margin` at the state last evaluated; false: there are more than `most`
bool hn_crowd_find(const hn_crowd *crowd, hn_crowd_room *room, const hn_work *work, double margin);
// the order in which pairs are found: below zero, zero (the same pair), above
int hn_touch_order(const hn_touch *x, const hn_touch *y);

#endif
