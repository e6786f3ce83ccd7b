// yardstick.h: states of a run and of its companion (verify.c), the size of the motion they tell
// of, and how far they are apart by it.
#ifndef HN_YARDSTICK_H
#define HN_YARDSTICK_H

#include "sim/sim.h"

struct hn_track {
  double t0, *start;   // where the run began,
  double *turn;        // and on which turns its angles were
  int count, room, n;  // states kept, n numbers each: coordinates and velocities of the bodies,
                       // states of first order
  int stride, rows;    // every so many rows one is kept; rows so far
  bool *own;           // is a state of the run kept here? Others are the companion's only
  int covered;         // states before this are the companion's too
  long changes;        // inputs that had been set when it began
  long samples;        // of controllers that had been taken since the state was set
  bool gone_on;        // the run had stepped before: what had come, gone and been decided by then
  hn_sim *like;        // is in this copy of it; NULL: there is no such thing, or no copy
  double *time, *state, *other;
  long first, *steps;  // of the run: before it began, and from there up to each state
  double *spent;       // work of the companion when it had got to each state,
  long *taken;         // and its steps
  // of a companion that ran beside: what hn_companion has handed out; NULL: there was none
  const double *beside;
  size_t beside_size;
};

// coordinates and velocities of the bodies, and states of first order, at a state evaluated last
void hn_track_take(hn_sim *sim, const double *y, double *to);
struct hn_track *hn_track_create(const hn_sim *sim, int room);
// adds the instant of a state that is the companion's only, after so many steps of the run
void hn_track_ask(struct hn_track *k, double t, long steps);
// adds a state
void hn_track_keep(struct hn_track *k, hn_sim *sim, double t, const double *y);
// those in which the caller of a run has halted since the state was set; NULL: out of memory
struct hn_track *hn_halts_track(hn_sim *sim);
// leaves out states that tell nothing that others do not, once the run has come to its end
void hn_track_thin(struct hn_track *k);
// fills in the instants of the states that a run from here to its end is going to keep, without the
// states; false: there are too many rows to tell
bool hn_track_plan(struct hn_track *k, const hn_sim *sim);

enum { HN_PLACE, HN_TURN, HN_SPEED, HN_SPIN, HN_KINDS };

typedef struct hn_extent {
  double low[3], high[3];
} hn_extent;

typedef struct hn_yardstick {
  const hn_system *sys;
  double *mass;                 // of the parts
  double (*centre)[2][3];       // of the parts: place and speed, of the companion's sample at hand
  double (*of_run)[2][3];       // the same of the run
  double (*size)[HN_KINDS];     // per body, then per part: range of motion
  double (*largest)[HN_KINDS];  // per part
  double (*scale)[HN_KINDS];    // per body, then per part: what errors are measured by
  hn_extent (*seen)[HN_KINDS];  // per body, then per part
  double *state;                // range of the states of first order
  double duration;
} hn_yardstick;

// measures the motion of a track whose companion has covered a part of it; false: out of memory
bool hn_yardstick_make(hn_yardstick *y, const hn_system *sys, const struct hn_track *k);
void hn_yardstick_free(hn_yardstick *y);

enum { HN_POSITIONS, HN_VELOCITIES, HN_STATES, HN_JUDGED };

typedef struct hn_finding {
  hn_motion_error *e;
  double factor;
  double relative[HN_JUDGED], time[HN_JUDGED];  // worst of all
  int what[HN_JUDGED];  // body or part it belongs to; of states their number
  double now;           // largest relative error of the sample at hand
  double t;
} hn_finding;

// adds what run and companion differ by in a sample, times f->factor
void hn_find_sample(hn_finding *f, hn_yardstick *y, const struct hn_track *k, int sample);

#endif
