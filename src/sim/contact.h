// contact.h: rows that come and go in a run: what contact.c, impacts.c, gates.c, stick.c and
// grips.c share.
#ifndef HN_CONTACT_H
#define HN_CONTACT_H

#include "linalg/complementarity.h"
#include "linalg/cones.h"
#include "sim/sim.h"

#define HN_CONTACT_CLEAN 1e-12  // part of a problem's size that is round-off
// part by which gaps that repeat each other give way where it is decided which of them bear
#define HN_CONTACT_YIELDING 1e-7
#define HN_CONTACT_NOTHING  1e-11  // part of the largest force, or acceleration, that is none

enum { HN_MOST_IMPACTS = 1000 };  // told one by one; later ones are counted

// how a friction that holds is
typedef enum hn_grip {
  HN_LOOSE,  // what it would rub on is apart from it
  HN_STICKS,
  HN_SLIDES,
} hn_grip;

// a joint was switched
typedef struct hn_gate_change {
  double time, work;
  int gate, freedom, redundant;
  bool on, broke;
} hn_gate_change;

struct hn_contacts {
  int count;      // rows that come and go: gaps, rows of frictions, rows of switched joints
  bool *on;       // rows that are there
  bool *bears;    // those of them that are solved for; the others repeat these and share the load
  bool *all;      // true for each: to look at every gap
  bool *idle;     // gaps that touch and repeat those that bear, but have nothing to bear
  int *doubled;   // gaps that touch and say what another one does: its number from one, 0: none
  bool *chosen;   // scratch: of those that touch
  bool *away;     // the gap has been open: it closes at zero, while one that never did may shiver
  double *shift;  // of ratchets, and of rows that hold: where
  double *force;  // largest of each row since it is on, and of those beside it that share with it
  double *gap, *rate, *acceleration;  // of every row at the state last looked at
  double grain;                       // rounding of the places there, that comes back in gaps
  double loose;                       // [m/s^2] largest acceleration if nothing touched or held
  int *pick;                          // rows that touch
  double *A;                          // over these
  // of each row: impulse and rate before the impact, and when impacts that follow it end
  double *impulse, *before, *until;
  double *x, *top, *l, *zero;  // nv, nv, rows, rows
  double *y, *ydot;            // a state
  hn_lcp lcp;
  hn_lemke lemke;
  hn_discs_room discs;
  const hn_solver_type *plain;  // multipliers without feedback: what decides about forces
  bool pending;   // a gap has closed, or a force vanished, at the end of the last step
  bool refused;   // no motion was found when rows were switched last
  double flight;  // a step should not be longer than this: the shortest rebound under way
  long impacts;
  hn_impact *log;  // the first of them
  // joints that are switched, see gates.c
  bool *there, *broken, *yields;  // of each; the last: its load was found too large
  int changes;
  hn_gate_change *change;  // the first of them
  // another run of the same system whose switched joints and teeth are to be those of the start
  const struct hn_contacts *like;
  // frictions that hold, see stick.c
  double *slip;  // of every row, see hn_work
  hn_hold_state *held;
  hn_grip *grip;
  double *press;  // normal force
  double *most;   // largest normal force so far
  double *carried;
  hn_cone *cone;  // those that may rub, and which frictions they are
  int *rubs;
  bool repeat;        // of the gaps that rest some say the same as others
  int cones, rested;  // how many there are; rows of `order` that are solved for
  bool *was_on, *asked;
  int *side;                 // of pairs of edges: on which the second is; 0: they touch, or did
  double *corner;            // scratch: of a solid
  int *face;                 // of tips before solids: the one that counts, -1: all (tips.c)
  bool fresh;                // the state was set: no normal force is known
  bool slips;                // one of them could not hold any more at the end of the last step
  int *order;                // rows that rest, then those of the cones, then those that part
  double *f, *slack, *push;  // of these
};

static inline int hn_contact_row(const hn_sim *sim, int i) {
  return sim->sys->unilateral[i].row;
}
// the model's length, or 1 for an angle
double hn_contact_unit(const hn_sim *sim, int i);
// the integrator finds itself which rows are there: none is between its steps
void hn_contact_rows_off(hn_sim *sim);
// row i was struck: c->before, c->impulse, c->until of it are known
void hn_contact_log(hn_sim *sim, int i, double time, double after);
// the limits of ratchets follow, at the state last looked at
void hn_contact_teeth(hn_sim *sim);
// speed below which a row is at rest
double hn_contact_slow(const hn_sim *sim, int i);
// a rate so small that gap i, as it falls back, would not get farther by it than round-off
bool hn_contact_faint(const hn_sim *sim, int i, double rate);
// gaps and their rates at a state; J then has all rows
void hn_contact_look(hn_sim *sim, double t, const double *y);
// rows that are off are left out of every solution
void hn_contact_leave_out(hn_sim *sim, bool all);
// A over the first n rows of c->pick, at the state last evaluated with all rows; returns whether
// lasting rows depend on each other
bool hn_contact_couple(hn_sim *sim, int n);
// the problem over those of the n rows that are `chosen` (NULL: all), with b of each
int hn_contact_pose(hn_sim *sim, int n, const bool *chosen, const double *b);
// changes the velocities by the impulses, which are added up, and counts their work. Returns that
// of the contacts themselves, without what drivers do meanwhile. The rates follow
double hn_contact_strike(hn_sim *sim, int n, bool damped, const double *impulse);
// x, l: what generalized forces along the rows (l on entry, other rows zero) bring about while all
// lasting rows hold; l of these. K is factorised
void hn_contact_respond(hn_sim *sim, bool damped, double *x, double *l);
// accelerations of the rows without the forces along them
hn_status hn_contact_free(hn_sim *sim, int n);
hn_status hn_contact_contradict(hn_sim *sim);

// impacts.c: the n gaps in c->pick strike by the law of the options; c->before is known, c->impulse
// and c->rate follow. What is told of those that did
hn_status hn_impact_all(hn_sim *sim, int n);
void hn_impact_note(hn_sim *sim, int n);

// gates.c: joints that are switched, or break
void hn_gates_layout(struct hn_contacts *place, const hn_sim *sim, hn_arena *arena);
void hn_gates_start(hn_sim *sim);
// a state was set and looked at: joints that are there and do not have to be struck
hn_status hn_gates_begin(hn_sim *sim);
bool hn_gates_need_forces(const hn_sim *sim);
void hn_gates_values(hn_sim *sim, bool known, double *value);
void hn_gates_note(hn_sim *sim, const double *value);
// whether one of them is not as it should be
bool hn_gates_pending(hn_sim *sim);
// switches them, at the state last looked at; what comes takes velocities away
hn_status hn_gates_switch(hn_sim *sim);
// which of them break at once, after all forces are known
void hn_gates_look(hn_sim *sim);

// tips.c: tips before solids with faces, of which one counts where it touches
void hn_tips_layout(struct hn_contacts *place, const hn_sim *sim, hn_arena *arena);
void hn_tips_start(hn_sim *sim);
// how far those that touch are from leaving their faces
void hn_tips_values(hn_sim *sim, double *value);
// at the state last looked at, and looks again: tips beside their faces are off, those that touch
// get one
void hn_tips_switch(hn_sim *sim);
// those that do not touch any more have none
void hn_tips_release(hn_sim *sim);

// edges.c: edges of solids that cross
void hn_edges_layout(struct hn_contacts *place, const hn_sim *sim, hn_arena *arena);
// of every meeting how near two edges are that touch in no row yet; below zero behind each other
void hn_edges_values(hn_sim *sim, double *value);
// after a step
void hn_edges_note(hn_sim *sim);
// edges that touch get a row; whether there are any
bool hn_edges_meet(hn_sim *sim);
// how far a crossing that is held is from the end of an edge
double hn_edges_margin(const hn_sim *sim, int tip);
// how deep the solids of a meeting are in each other by their edges
double hn_edges_depth(hn_sim *sim, int meeting);

// stick.c: frictions that hold
void hn_stick_layout(struct hn_contacts *place, const hn_sim *sim, hn_arena *arena);
void hn_stick_start(hn_sim *sim);
// switching functions of the rows that hold, and of the frictions behind those of all rows. Needs
// the rates; `known`: and the forces
void hn_stick_values(hn_sim *sim, bool known, double *value);
// and of slips on stops: how far their normal forces are from pressing
void hn_stick_outward(hn_sim *sim, double t, const double *y, double *value);
double hn_stick_noise(const hn_sim *sim, int i);
void hn_stick_note(hn_sim *sim, const double *value);
bool hn_stick_needs_forces(const hn_sim *sim);
double hn_stick_limit(hn_sim *sim, double limit);
// before anything is decided: what slows down to nothing comes to rest. n rows touch
void hn_stick_rest(hn_sim *sim, int n);
void hn_stick_stop(hn_sim *sim, int n, const bool *chosen);  // gaps, and what rests in them
// impulses along the n gaps that touch and of the frictions on them
bool hn_stick_impacts(const hn_sim *sim);
hn_status hn_stick_strike(hn_sim *sim, int n);
// between stick.c and grips.c: a friction, the size of its slip, one that is none in a plane
static inline const hn_hold *hn_stick_hold(const hn_sim *sim, int h) {
  return &sim->sys->hold[h];
}
double hn_stick_speed(const hn_sim *sim, int h);
double hn_stick_still(const hn_sim *sim);
// c->order: of the n gaps in c->pick those that `rest` (NULL: all), rows of the frictions that
// touch, the other gaps; c->cone over these. Returns how many rows there are
int hn_stick_gather(hn_sim *sim, int n, const bool *rest);
int hn_stick_gaps(const hn_sim *sim);
// makes c->order the rows that problems are about; returns those that were
int *hn_stick_borrow(struct hn_contacts *c);
int hn_stick_place(const int *list, int n, int what);
// x = c->f of the problem over the first m rows of c->order, n of them gaps, from c->push; y in
// c->slack
hn_cones_end hn_stick_solve(hn_sim *sim, int apart, int n, int m, int *which, double *size);
// says why cones[which] have no solution
hn_status hn_stick_end(hn_sim *sim, hn_cones_end end, int which);
// grips.c: which rows stay on, and which frictions hold
hn_status hn_stick_find_forces(hn_sim *sim, int n);

#endif
