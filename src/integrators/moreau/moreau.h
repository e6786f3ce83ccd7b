// moreau.h: what the parts of the stepper through contacts share.
#ifndef HN_MOREAU_H
#define HN_MOREAU_H

#include "integrators/integrators.h"
#include "linalg/pile.h"
#include "sim/contact.h"
#include "system/crowd.h"

typedef struct hn_moreau {
  hn_pile pile;  // rows of the contacts of this step
  // of its rows: gap at q*, J v before the step, what the gap does by itself, speed that is none
  double *gap, *rate, *g_t, *slow;
  bool *met;                   // of a gap: it closes faster than forces would make it
  double *given;               // what the step before gave to an impact that began there
  int *from;                   // the row of those that come and go, or -1 - the point of the crowd
  double size;                 // largest rate in play
  double change;               // of gaps that rub: the largest that forces make in this step
  bool *own;                   // of the velocities: nothing but contacts joins their body
  bool damped;                 // see hn_factor_saddle
  double *v, *out;             // velocity at the end of the step; what moves bodies out
  double *a, *lambda;          // of the last step
  double *force;               // at q*, generalized
  double *top, *x, *l, *zero;  // nv, nv, rows, rows
  double *warm;                // of those that come and go: impulse over the step, in the last one
  bool *presses;               // the same: it is not zero
  double *begun;               // the same: impulse so far of impacts that go on in the next step
  bool begins;                 // such an impact is in this step
  double h;                    // step they belong to; 0: none
  bool shorter;                // than the one before
  double span;                 // the longer of both: what forces change a rate in
  double work;                 // done in the step by forces, drivers and contacts
  double swept;                // rows times sweeps over them so far: what contacts cost
  bool crowded;
  hn_crowd crowd;
  hn_crowd_room near, before;  // points in this step, and in the last one
} hn_moreau;

// what is known of a gap before it becomes a row
typedef struct hn_moreau_gap {
  double gap, rate, g_t;
  double change;  // of the rate, by forces in this step or the one before
  double restitution, coefficient;
  double slow;   // speed that is none
  double reach;  // gaps larger than this are of no interest
  double given;  // see hn_moreau
  double x;      // impulse to start with, more than that
  int from, rubs;
} hn_moreau_gap;
// the rate it has to reach; -INFINITY: it does not take part
double hn_moreau_least(const hn_sim *sim, const hn_moreau_gap *g, double h);
// the row whose gradient has just been written (hn_strip_add): a gap, or a friction on the last one
// (least 0, rubs -1). False: there is no more room
bool hn_moreau_row(hn_sim *sim, hn_moreau *s, const hn_moreau_gap *g, double least);

// what row k gets in this step
static inline double hn_moreau_net(const hn_moreau *s, int k) {
  return s->pile.x[k] - s->given[k];
}
// of a gap: its impulse is part of a blow that the next step goes on with
bool hn_moreau_goes_on(const hn_moreau *s, int k, double restitution);

// moreau_crowd.c
void hn_moreau_crowd_layout(hn_moreau *s, hn_arena *arena);
int hn_moreau_crowd_rows(const hn_moreau *s);
// a state was set: bodies that are in each other are refused
hn_status hn_moreau_crowd_start(hn_sim *sim, hn_moreau *s);
// adds the points of the crowd at q*, sim->stage.a being the accelerations without contacts
hn_status hn_moreau_crowd_gather(hn_sim *sim, hn_moreau *s, double h);
// blows of the last step do not go on
void hn_moreau_crowd_unbegun(hn_moreau *s);
// impulses as they are in the pile are kept for the next step
void hn_moreau_crowd_take(hn_moreau *s, double h);

#endif
