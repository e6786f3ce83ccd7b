// sim.h: one run, and the contracts of solvers, corrections and integrators.
//
// State vector y = [q (nq), v (nv), w (1), x, s], w being the work of forces without potential, x
// the model's states of first order and s those a solver keeps of its own (most have none). All
// memory lies in one arena; nothing is allocated after hn_sim_create.
#ifndef HN_SIM_H
#define HN_SIM_H

#include "system/kkt.h"
#include "system/reaction.h"

// ---- contracts -----------------------------------------------------------------------------

// accelerations and multipliers at the state last evaluated by hn_eval_all(&sim->stage.work):
// fills sim->stage.a and sim->stage.work.lambda
typedef struct hn_solver_type {
  hn_type_info info;
  unsigned can;
  // places private data (sim->method.solver_data); NULL when there is none. Runs twice, see arena.h
  void (*layout)(hn_sim *sim, hn_arena *arena);
  // how many states of its own it integrates behind all others; NULL: none
  int (*states)(const hn_system *sys);
  // a state was set from outside: makes private data and own states (zero on entry) follow; or NULL
  hn_status (*start)(hn_sim *sim, double t, double *y);
  // may move a stage's state (q, v inside y) before it is evaluated; usually NULL
  hn_status (*prepare)(hn_sim *sim, double t, double *y);
  // the states of its own are at sim->stage.s, and their rates go to sim->stage.s_rate
  hn_status (*accelerate)(hn_sim *sim);
  // a step was accepted and (sim->state.t, sim->state.y) is its end; usually NULL
  hn_status (*accepted)(hn_sim *sim);
  // own states that start anew from q and v: when a state is set from outside or interpolated, and
  // with every step unless the integrator carries derivatives over steps; usually NULL
  void (*follow)(hn_sim *sim, double *y);
  // the step accepted last was taken back: so is what `accepted` made of private data; usually NULL
  void (*taken_back)(hn_sim *sim);
} hn_solver_type;

// pulls (q, v) at time t back to the constraints; *moved is the largest change in units of the
// tolerance (NULL: nobody asks). hn_is_factored: work and factors belong to this state already.
typedef struct hn_correction_type {
  hn_type_info info;
  unsigned can;
  bool projects;                                 // takes violations of position and velocity away
  void (*layout)(hn_sim *sim, hn_arena *arena);  // sim->method.correction_data, may be NULL
  hn_status (*apply)(hn_sim *sim, double t, double *q, double *v, double *moved);
} hn_correction_type;

const hn_solver_type *hn_solver_find(const char *name);
const hn_correction_type *hn_correction_find(const char *name);
const hn_integrator_type *hn_integrator_find(const char *name);
const hn_method_info *hn_method_find(const char *name);
bool hn_method_chooses(const char *name);  // its parts are chosen for the system
// auto.c: fills the parts that the options leave open with what suits the system; returns why
const char *hn_auto_choose(const hn_system *sys, hn_options *options);
// the method chooses and will take an implicit stepper for this system, with the options it was
// compiled with; what was tried for that is kept in it
bool hn_auto_is_implicit(hn_system *sys);
// how many evaluations a run with these options is going to take, by trying; NAN: it cannot be
// tried
double hn_auto_evaluations(const hn_system *sys, const hn_options *options);
bool hn_has_beams(const hn_system *sys);
// what all parts of the method asked for cope with; everything where a name is unknown
unsigned hn_method_can(const hn_options *options);

// ---- the run -------------------------------------------------------------------------------

#define HN_NEAR_SINGULAR 0.1  // smallest singular value below which dependency is foreseen
#define HN_JUMP_LIMIT    0.2  // velocity jump of a motion that changed to another branch, relative
enum { HN_STAGES = 16 };      // most derivative vectors an integrator keeps

enum {
  HN_AUDIT_POSITION,
  HN_AUDIT_VELOCITY,
  HN_AUDIT_ACCELERATION,
  HN_AUDIT_ENERGY,
  HN_AUDIT_OUTPUT,
  HN_AUDIT_JUMP,
  HN_AUDIT_LEAK,
  HN_AUDIT_FORCES,
  HN_AUDIT_RECORDS,
  HN_AUDIT_MOTION,
  HN_AUDIT_SPEED,
  HN_AUDIT_STATES,
  HN_AUDIT_ABSOLUTE,
  HN_AUDIT_BEAMS,  // and two behind: positions, velocities, forces
  HN_AUDITS = HN_AUDIT_BEAMS + 3
};
typedef struct hn_audit {
  double worst, limit, time;
  int row;     // -1 when the quantity belongs to no row
  int body;    // it belongs to instead; 0: none
  int state;   // the same of states of first order: 1 for the first of them
  bool known;  // something was said about it
} hn_audit;

// energy of a part of the model, see audit_energy.c
typedef struct hn_part_audit {
  double energy0, potential0;  // at the start
  double turnover;             // largest energy in play so far
  double floor;                // below this nothing is at stake, without what the duration says
  double mass;
  double rounding;     // of its energies in the steps so far
  double worst, time;  // imbalance
  bool works;          // forces without potential work in it
} hn_part_audit;

// A run is divided by who may write.

// the parts of the method and their own memory; each part writes its own, nobody the rest
typedef struct hn_sim_method {
  const hn_method_info *info;
  char reason[80];  // why a method that chooses took these parts; "" for others
  const hn_solver_type *solver;
  const hn_correction_type *correction;
  const hn_integrator_type *integrator;
  void *solver_data, *correction_data, *integrator_data;
  // machine code for stages and projections; NULL: none, or not for this method
  const hn_native *native;
} hn_sim_method;

// where the run stands: written when a state is set and when a step is accepted or taken back
typedef struct hn_sim_state {
  int n;                 // length of y
  int w;                 // where the work stands in y,
  int x;                 // the model's states,
  int s;                 // and the solver's own
  double t, *y;          // current state
  unsigned long stamp;   // counts the states: what was found of one knows it by this number
  double t_old, *y_old;  // start of the last step, for dense output
} hn_sim_state;

// what has been evaluated last, at whatever state: written by whoever evaluates
typedef struct hn_sim_stage {
  hn_work work;
  hn_kkt kkt;
  double *a;        // accelerations
  const double *s;  // the solver's own states at the state being evaluated
  double *s_rate;   // their rates
  double *ydot;     // derivative at (t, y), see hn_rate_known
  unsigned long rate_stamp;
  bool stepping;  // a step is under way: nobody looks at what else an evaluation leaves behind
  bool yielding;  // work.lambda are the forces of springs that stand for the joints: the stepper's
  double *a_kept, *lambda_kept;   // a and work.lambda of the run while somebody looks at it
  bool looked_at;                 // and they are to be put back before it goes on
  unsigned long shown, shown_by;  // state and evaluation of what was looked at, see hn_refresh
  double *base_force;             // forces without the part that depends on reactions
  struct hn_settling *settling;   // see settle.c
} hn_sim_stage;

// the step under way and what is known of those before: the integrator's
typedef struct hn_sim_step {
  double h;              // size proposed for the next step; 0 before the first
  double h_last;         // size of the last step taken
  double h_most;         // of the longest so far
  int creeping;          // steps in a row that were far shorter and refused several times
  double error_last;     // error of the last step under error control, in units of the tolerance
  double h_error;        // and its size; 0: none
  double *k[HN_STAGES];  // derivative vectors
  double *y_new, *y_stage;
  double *scale_y;  // error tolerated in each state
  double *scale_d;  // the same for position increments, nv
  double *size_x;   // largest values of the states so far
  double speed[2];  // largest linear and angular speed so far
  double own_time;  // hn_own_time at the start, at most the duration
} hn_sim_step;

// which rows are solved for, and what singular or misaligned ones need: redundant.c, leave.c,
// gaps.c
typedef struct hn_sim_rows {
  double *D;                 // compliance of rows left out, NULL when there are none
  double *D_soft;            // scratch for dependent rows met on the way
  struct hn_cod *choice;     // work space for choosing rows anew, NULL when all are independent
  long reselected;           // times another set of rows was chosen
  double tried;              // pivot ratio at which that was tried last among many rows
  double firm;               // best since it was tried last inside a step
  double *leaving;           // motion over a singular place, see leave.c; NULL: there are no rows
  struct hn_place *place;    // and the place
  double leave_until;        // how long that goes on
  double leave_power;        // and the power with which it begins
  double *gap;               // see gaps.c; NULL when no joint is out of line
  struct hn_beside *beside;  // see beside.c; NULL: there are no rows
  double damped;             // pivot ratio where rows were damped last, damp.c
  double open;  // how far apart joints were when a projection onto them began; NAN: not known
} hn_sim_rows;

// what is reported of joints: reactions.c, newton_law.c
typedef struct hn_sim_reaction {
  struct hn_reactions *sharing;      // see reactions.c; NULL when none is to be chosen
  hn_told told;                      // the reactions last reported
  double *lambda, *teeth;            // room for them where there are teeth (system/transmission.h)
  struct hn_newton_law *newton_law;  // see newton_law.c; NULL where joints have no reactions
} hn_sim_reaction;

// what is looked out for along the motion: singular.c, dependent.c, events.c, narrow.c; told by
// factorisations
typedef struct hn_sim_watch {
  double weakest;           // smallest pivot ratio met since an integrator set it to 1
  double weakest_t;         // and when
  double dip, dip_t;        // smallest singular value met in the last step (1: unknown), and when
  bool sampled;             // its stages told the value all along it
  double firmest;           // largest one of all, which unequal inertias may keep small
  struct hn_watch *places;  // see singular.c; NULL when there are no rows
  struct hn_dependent *dependent;  // see dependent.c; NULL when there are no rows
  double seen_value, seen_t;   // smallest singular value told by the last step; seen_t NAN: none
  double sigma[2];             // smallest singular value of the rows at the last two states
  struct hn_events *events;    // see events.c; NULL when there is nothing to locate
  long located;                // events found so far
  double located_t;            // when the last one at the end of a step was
  struct hn_narrow *narrow;    // see narrow.c; NULL when there is nothing to look at
  struct hn_corners *corners;  // see corners.c; NULL when no motion is prescribed
} hn_sim_watch;

// what is said of the run in the end: audit.c and the files named after it, verify.c
typedef struct hn_sim_audit {
  double energy0, potential0;  // at the start
  double largest_energy;       // turned over so far
  double least_energy;         // that of a motion too slow to be of interest, > 0
  hn_energy energy;            // at the state last audited
  // parts of the model, then all together of those in which forces without potential work
  hn_part_audit *part, *part_kept;
  double *part_energy;  // scratch: kinetic, potential
  bool *part_works;
  hn_audit item[HN_AUDITS];
  bool as_parts[2];            // limits of positions, of velocities are parts of the model's
  double t_start;              // when the state was set
  double *y_start;             // and to what,
  double *turn_start;          // with angles on these turns
  hn_motion_error motion;      // what was verified
  hn_beam_error beams;         // by the number of their elements
  struct hn_records *records;  // see audit_records.c
  double audited;              // state last audited, in steps with recording or without; NAN: none
  long audited_at;             // evaluations then
  long steps_before;           // steps when the state was set
  long steps_noted;            // and when their rounding was noted last
  double squares;              // [s^2] of the steps since, added up
  // states in which the caller halted, see track.c; every so many of those it has seen
  double *halt;
  int halts;
  long halts_seen, halts_stride;
} hn_sim_audit;

// the row being recorded: run.c
typedef struct hn_sim_record {
  double *y;
  double *accelerations, *forces;  // bv each: of the bodies; scratch of forces taken one by one
  // work of the constraint forces over the recorded rows (trapezoidal rule): [0] all of it, [1] the
  // part that ideal joints would not do
  double joint_power[2], joint_work[2], joint_time;
  double wall;
  int beyond[2];  // force whose table was left first: batch, counted from one, and place in it
  double beyond_at, beyond_end, beyond_time;
} hn_sim_record;

// scratch that is anybody's between two calls
typedef struct hn_sim_room {
  double *v, *r, *r2, *rhs;  // nv, then rows each
  double *side, *pull, *in;  // of native code: switching functions, nv, see native.h
} hn_sim_room;

// counted by whoever does it
typedef struct hn_sim_count {
  long steps, rejected, evaluations, factorisations, regularised;
  long switches;  // changes of the independent coordinates
} hn_sim_count;

// Structs in the arena hold addresses that are set when the run is created, or lie in the arena
// themselves: so it can be saved (save.c).
struct hn_sim {
  const hn_system *sys;
  hn_options opt;
  hn_arena arena;
  size_t size;             // of what a run is, in the arena; behind it
  unsigned char *created;  // the structs in it as they were when the run was created
  char message[HN_MESSAGE];
  hn_sim_method method;
  hn_sim_state state;
  hn_sim_stage stage;
  hn_sim_step step;
  hn_sim_rows rows;
  hn_sim_reaction reaction;
  hn_sim_watch watch;
  hn_sim_audit audit;
  hn_sim_record record;
  hn_sim_room room;
  hn_sim_count count;
  struct hn_live *live;            // see live.c; NULL when nothing comes from outside
  struct hn_control *control;      // see control.c; NULL when there are no controllers
  hn_pusher *pushers;              // functions that push bodies, one per body; NULL: none was set
  struct hn_functions *functions;  // of the caller, one per controller; NULL: none was set
  void **libraries;                // open ones that hold them, per controller; NULL: none
  struct hn_occurrences *occurrences;  // see occurrence.c; NULL when there are no events
  struct hn_listeners *listeners;      // functions of the caller, one per event; NULL: none was set
  // see reading.c. Lies behind what a run is: it is found anew
  struct hn_reading *reading;
  struct hn_contacts *contacts;  // see contact.c; NULL when no row comes and goes
  struct hn_tally *tally;        // see tally.c; NULL when nothing is added up
};

// instants near t are told apart by parts of this: of t itself, or at the start of a thousandth of
// what the motion takes over the model's length
static inline double hn_time_size(const hn_sim *sim, double t) {
  return fmax(1e-3 * sim->step.own_time, fabs(t));
}

// Stamps say what belongs together. A state has one, and the derivative found there; so has an
// evaluation, and the factors made of it. Nobody marks what he spoils.

// (t, y), or what the equations are there, has changed: what was found there is of no use any more
static inline void hn_state_moved(hn_sim *sim) {
  sim->state.stamp++;
}
// stage.ydot is the derivative at (t, y)
static inline bool hn_rate_known(const hn_sim *sim) {
  return sim->stage.rate_stamp == sim->state.stamp;
}
static inline void hn_rate_found(hn_sim *sim) {
  sim->stage.rate_stamp = sim->state.stamp;
}
// stage.kkt has the factors of the equations of motion at the state last evaluated
static inline bool hn_is_factored(const hn_sim *sim) {
  return hn_kkt_holds(&sim->stage.kkt, &sim->stage.work, sim->rows.D);
}
// the state at hand is another than the one last evaluated
static inline void hn_stage_left(hn_sim *sim) {
  sim->stage.work.stamp++;
}

__attribute__((format(printf, 3, 4))) hn_status hn_sim_fail(hn_sim *sim, hn_status status,
                                                            const char *format, ...);

// Creates a run from a plan that says system, options and the parts of the method.
hn_status hn_sim_build(hn_sim **out, hn_sim *plan, char *message, size_t size);
// takes all that a run needs from the arena, itself first
void hn_sim_layout(hn_sim *sim, hn_arena *arena);
// refuse.c: finds the parts the options name; the preset fills what they leave open
hn_status hn_sim_choose_parts(hn_sim *sim);
// refuses parts that cannot deal with the system, or do not go together
hn_status hn_sim_check_parts(hn_sim *sim);
// save.c: keeps the structs as they are now in sim->created
void hn_sim_keep_created(hn_sim *sim);

// after accelerations were found: speeds that errors are measured by, if there has been no motion
void hn_speed_from_rest(hn_sim *sim);
// starts anew from a state; x: the model's states, NULL: they are where they start
hn_status hn_start_from(hn_sim *sim, double t, const double *q, const double *v, const double *x);

// the native code may be asked: inside a step, away from singular configurations
bool hn_native_ready(hn_sim *sim);
// factorises [M -J^T; J D] at the state last evaluated and solves for r = work.r, s = rhs:
// fills sim->stage.a and work.lambda; dependent rows are solved through and counted
hn_status hn_solve_saddle(hn_sim *sim, const double *rhs);
// the same with generalized forces added to work.r
hn_status hn_solve_saddle_plus(hn_sim *sim, const double *extra, const double *rhs);
// the same in two parts, for solvers that solve more than once at a state: factorises and returns
// whether dependent rows are in the way, then solves for r = top, s = rhs: x and l are written
bool hn_factor_saddle(hn_sim *sim);
void hn_solve_factored(hn_sim *sim, bool damped, const double *top, const double *rhs, double *x,
                       double *l);
// runs a solution for forces work.r, that fills sim->stage.a and work.lambda; with forces that
// depend on reactions (friction) to a fixed point
typedef hn_status (*hn_solve_fn)(hn_sim *sim, void *user);
void hn_settle_layout(hn_sim *sim, hn_arena *arena);
hn_status hn_settle(hn_sim *sim, hn_solve_fn solve, void *user);
// adds the forces that depend on reactions, those of work.lambda and sim->stage.a, to work.f and
// work.r
void hn_add_reactive(hn_sim *sim);
// tolerance.c: largest speeds so far; scales follow when they have grown
void hn_watch_speed(hn_sim *sim, const double *y);
void hn_forget_speed(hn_sim *sim);  // there were none
// time in which the model moves by its own length, as fast as it has been so far; of what has
// hardly begun to move that of the run. Nothing is early or late, quick or slow, but by this
double hn_own_time(const hn_sim *sim);
// speed the model would reach from rest over its own length, so that a start at rest does not
// ask for absolute precision
void hn_start_speed(hn_sim *sim);
// largest component of an error vector in units of the tolerance
double hn_error_norm(hn_sim *sim, const double *error);
// the size by which a state of the model is judged, that it has now included
double hn_state_size(const hn_sim *sim, int state, double value);
// constraint violation a correction must reach [m, rad]
double hn_projection_tolerance(const hn_sim *sim);
// size of the step under way; 0 when it is not known yet
double hn_current_step(const hn_sim *sim);
// pulls y at time t to the constraints by the solver's and the correction's means, and to the
// energy where the options ask for it; *moved as for corrections
hn_status hn_correct(hn_sim *sim, double t, double *y, double *moved);
// beside.c: the same of a state inside the last step, evaluated by whoever reads it
void hn_beside_layout(hn_sim *sim, hn_arena *arena);
hn_status hn_correct_inside(hn_sim *sim, double t, double *y);
// the same, of a state that a step is made of
hn_status hn_pull_inside(hn_sim *sim, double t, double *y);
// the same where y_new is the state last evaluated: the correction begins with what is known there
hn_status hn_accept_evaluated(hn_sim *sim, double h, double *y_new, const double *ydot_new);
// start step for adaptive integrators of the given order
hn_status hn_first_step(hn_sim *sim, int order, double limit, double *h);

// reading.c: where readers meet; whoever holds the lock calls nothing that takes it
void hn_reading_layout(hn_sim *sim, hn_arena *arena);
bool hn_reading_create(hn_sim *sim);
void hn_reading_release(hn_sim *sim);
void hn_reading_begin(const hn_sim *sim);
void hn_reading_end(const hn_sim *sim);
// evaluates everything at the current state without disturbing the run; what steps start from is
// put back before the next one
hn_status hn_refresh(hn_sim *sim);
// fails where a body has come beyond the border of the ground it stands on
hn_status hn_ground_kept(hn_sim *sim);
void hn_look(hn_sim *sim);
void hn_look_away(hn_sim *sim);
// reading.c: the bodies at a state that the run has left, with angles on these turns, in the room
// of those who hold the lock
hn_work *hn_read_past(const hn_sim *sim, double t, const double *y, const double *turn);

// HN_ERR_UNSUPPORTED when forces bring motions about (drivers with `by`): `what` cannot deal with
// them
hn_status hn_refuse_programs(hn_sim *sim, const char *what);
// the same when the model has states of first order
hn_status hn_refuse_states(hn_sim *sim, const char *what);

// run.c: an empty result with the system's columns (NULL when out of memory), and a row of it from
// the state last evaluated: sim->stage.a, work.lambda and y belong to it
hn_result *hn_record_create(const hn_sim *sim, double rows);
// seconds between recorded rows, and how many follow the first
double hn_rows_asked(const hn_options *options, double *interval);
// refuses more of them than max_rows, with what they would amount to
hn_status hn_check_rows(hn_sim *sim);
void hn_read_row(hn_sim *sim, double *row);  // all columns at the state last evaluated
hn_status hn_record_row(hn_sim *sim, hn_result *result, double t, const double *y,
                        bool with_acceleration);

// pace.c: a way of many steps from the current time; after each of them: fails when it has become
// too long, or hardly gets on
typedef struct hn_pace {
  double start, end;
  double since;          // when counting began anew
  long tries;            // steps before that, refused ones included
  long steps, rejected;  // and apart
} hn_pace;
hn_pace hn_pace_begin(const hn_sim *sim, double end);
hn_status hn_pace_keep(hn_sim *sim, hn_pace *pace);

// events.c: a step of the integrator that ends where a force switches, if one does on the way
hn_status hn_take_step(hn_sim *sim, double limit);
// state inside the last step taken
void hn_dense(hn_sim *sim, double t, double *y);
// the same for readers: what it had to evaluate at the end of the step is not what the next one
// begins with, as frictions settle there from the loads at hand (hn_look puts these back)
void hn_dense_shown(hn_sim *sim, double t, double *y);
void hn_events_layout(hn_sim *sim, hn_arena *arena);
void hn_events_reset(hn_sim *sim);  // the state was set from outside
// evaluations outside of steps, at the current state or (`back`) inside the last step: where the
// motion slides they are between both sides; until hn_events_look_away
void hn_events_look(hn_sim *sim, bool back);
void hn_events_look_away(hn_sim *sim);
struct hn_sliding *hn_events_sliding(hn_sim *sim);
// sliding.c: the derivative where the motion slides along switching points; derivative.c: with
// forces as they are held, or free
hn_status hn_sliding_derivative(hn_sim *sim, double t, double *y, double *ydot);
hn_status hn_derivative_held(hn_sim *sim, double t, double *y, double *ydot);
// hn_derivative outside of steps where machine code may tell rates and multipliers: everything that
// a row has is evaluated, nothing is factorised
hn_status hn_derivative_shown(hn_sim *sim, double t, double *y, double *ydot);
// a run that starts where the other is, without an event in between, remembers what it does
void hn_events_follow(hn_sim *sim, const hn_sim *other);

// contact.c: rows that come and go. Their switching functions, gaps of rows that are off and forces
// of rows that are on, positive where nothing happens; what they may be below zero by; the end of
// a step, and whether one of them has passed zero there. Before a step that follows: what happens,
// impacts included, and how long the step may be
void hn_contact_layout(hn_sim *sim, hn_arena *arena);
int hn_contact_functions(const hn_system *sys);  // how many
hn_status hn_contact_start(hn_sim *sim);         // the state was set from outside
// no row that comes and goes is looked at while they are hidden
void hn_contact_hide(hn_sim *sim, bool hidden);
// the next such start keeps what broke or was caught before in another run, and its teeth
void hn_contact_follow(hn_sim *sim, const hn_sim *other);
// [m/s^2] the largest acceleration if nothing touched or held, where that was last asked
double hn_contact_loose(const hn_sim *sim);
void hn_contact_values(hn_sim *sim, double t, const double *y, double *value);
double hn_contact_noise(const hn_sim *sim, int i);
void hn_contact_note(hn_sim *sim, const double *value, bool event);
bool hn_contact_pending(hn_sim *sim);
hn_status hn_contact_switch(hn_sim *sim);
bool hn_contact_refused(const hn_sim *sim);  // the last one failed
double hn_contact_limit(hn_sim *sim, double limit);

// live.c: inputs and tables. A step is taken between begin, which says how far it may go, and end.
// Looking back, evaluations are about states inside the last step
void hn_live_layout(hn_sim *sim, hn_arena *arena);
void hn_live_reset(hn_sim *sim);  // the state was set from outside
double hn_live_begin(hn_sim *sim, double limit);
hn_status hn_live_end(hn_sim *sim, hn_status status);     // status: of the step
void hn_live_hold(hn_sim *sim, int input, double value);  // from here on
bool hn_live_pending(const hn_sim *sim);  // the equations are no longer those of the last step
void hn_live_look_back(hn_sim *sim, bool back);
void hn_live_copy(hn_sim *sim, const hn_sim *from);  // values of the inputs
// after a start: outputs, memory and modes of controllers as they are in another run, or (`back`)
// were in its last step, in place of those that a start gives them
void hn_live_follow(hn_sim *sim, const hn_sim *other, bool back);
long hn_live_changes(const hn_sim *sim);         // inputs set so far
long hn_live_changes_before(const hn_sim *sim);  // and up to when the state was set

// redundant.c: after a step, choose other rows when those solved for come close to dependent
void hn_redundant_layout(hn_sim *sim, hn_arena *arena);
void hn_redundant_choose(hn_sim *sim);
// the same at the state last evaluated and factorised; true: there are others, to be factorised
bool hn_redundant_here(hn_sim *sim);
// leave.c: of a state just set that is the singular start of the model: which branch the motion
// takes; refused when that is not determined. From rest the first steps are not the integrator's
hn_status hn_leave_singular(hn_sim *sim);
void hn_leave_reset(hn_sim *sim);
// the steps got stuck: the next one passes over a singular place; false: there is none, or no state
// behind it
bool hn_leave_stuck(hn_sim *sim);
void hn_leave_layout(hn_sim *sim, hn_arena *arena);
bool hn_leaves(const hn_sim *sim);
hn_status hn_leave_step(hn_sim *sim, double limit);
// accelerations in the place itself, in sim->stage.a; false: t is another time
bool hn_leave_here(hn_sim *sim, double t);
bool hn_leave_dense(const hn_sim *sim, double t, double *y);  // false: the step was another one

// singular.c: after a step: notes the singular configurations passed
void hn_watch_layout(hn_sim *sim, hn_arena *arena);
void hn_watch_reset(hn_sim *sim);  // the state was set from outside
void hn_watch_step(hn_sim *sim);
// a step failed: says so when the mechanism locks or stands near a singular configuration
hn_status hn_explain_failure(hn_sim *sim, hn_status status);
// spoiled.c: a force, or a row that depends on time, that is no number on the way ahead, in words
bool hn_spoiled(hn_sim *sim, char *text, size_t size);

// dependent.c: rows that are dependent at the state last evaluated and not in general: how many
// goes to place->rows_lost, the joints that take part to place->joints; where none are, those
// nearest to it. sigma is the smallest singular value there. False when none are: others of the
// redundant rows serve
void hn_dependent_layout(hn_sim *sim, hn_arena *arena);
bool hn_dependent_rows(hn_sim *sim, double sigma, hn_singular_place *place);

// newton_law.c: forces on every body against its acceleration. Started before hn_share_reactions
// at the state being recorded, checked after it
void hn_newton_law_layout(hn_sim *sim, hn_arena *arena);
void hn_newton_law_start(hn_sim *sim, bool with_acceleration);
void hn_newton_law_check(hn_sim *sim, double t);

// reactions.c: work.lambda, found by the method, becomes what is reported: dependent rows share
// their load by stiffness. At the state last evaluated, with the accelerations in sim->stage.a; the
// reactions that forces read (work.load) follow
void hn_reactions_layout(hn_sim *sim, hn_arena *arena);
void hn_share_reactions(hn_sim *sim);
// work.load: the reactions that would be reported for work.lambda and sim->stage.a, which stay
void hn_find_loads(hn_sim *sim);
// of a row, as hn_find_loads shared it last
double hn_shared_multiplier(const hn_sim *sim, int row);

// audit.c: residuals and energy at the state last evaluated with hn_derivative
void hn_audit_layout(hn_sim *sim, hn_arena *arena);
void hn_audit_start(hn_sim *sim);
void hn_audit_state(hn_sim *sim, double t, const double *y, bool with_acceleration);
void hn_audit_note(hn_sim *sim, int which, double value, double t, int row);
// after a step that is not recorded: looks at its end now and then, at no cost worth mentioning
hn_status hn_audit_passing(hn_sim *sim);

// audit_energy.c: energies at the state last evaluated; noting how they balance, part by part; and
// the worst imbalance relative to what its part turned over in the run
void hn_balance_layout(hn_sim *sim, hn_arena *arena);
void hn_balance_start(hn_sim *sim);
hn_energy hn_balance_here(hn_sim *sim, const double *y);
void hn_balance_note(hn_sim *sim, double t, const double *y);
// after every step: work that is taken back before the next row was turned over all the same
void hn_balance_step(hn_sim *sim);
hn_audit hn_balance_verdict(const hn_sim *sim);
// what a step of size h under the forces last evaluated may leave of the work by rounding
double hn_balance_rounding(const hn_sim *sim, double h);
// what all parts together turned over, for relative statements about the whole run; never zero
double hn_balance_scale(const hn_sim *sim);

// audit_records.c: rows of a run against each other; y, its rates, and measures belong to the row
void hn_records_layout(hn_sim *sim, hn_arena *arena);
void hn_records_reset(hn_sim *sim);
void hn_records_release(hn_sim *sim);
const void *hn_records_helper(const hn_sim *sim);  // address of what is made when it is needed
void hn_records_row(hn_sim *sim, double t, const double *y, const double *ydot);

// track.c: states in which the caller halts
void hn_halts_layout(hn_sim *sim, hn_arena *arena);
void hn_halts_reset(hn_sim *sim);
void hn_halts_keep(hn_sim *sim);

// track.c: keeps states of a run; NULL: none are wanted
struct hn_track *hn_track_begin(const hn_sim *sim);
void hn_track_row(struct hn_track *track, hn_sim *sim, double t, const double *y);
void hn_track_end(struct hn_track *track);
// verify.c: compares them with a companion's
void hn_verify_track(hn_sim *sim, struct hn_track *track, hn_progress_fn progress, void *user);

// beam_check.c: a recorded run against one with every element of beams as two. `fresh`: it began at
// the initial state
bool hn_beam_check_wanted(const hn_sim *sim);
bool hn_beam_check_fresh(const hn_sim *sim);
void hn_beam_check(hn_sim *sim, bool fresh, const hn_result *rows, hn_progress_fn progress,
                   void *user);
// for other questions than runs: a sim of the halved model (NULL: the audit says why), and its rows
// against those at hand, all or the last ones. `moved`: what positions moved by, at least
hn_sim *hn_beam_check_other(hn_sim *sim);
void hn_beam_compare(hn_sim *sim, const hn_result *rows, const hn_result *other, double moved,
                     bool last);

// tally.c: integrals among the columns, work of the sources of energy. After every step; before a
// row at time t of the last step or at its end is read; per computed column, at that row (NULL:
// none are integrals)
void hn_tally_layout(hn_sim *sim, hn_arena *arena);
void hn_tally_reset(hn_sim *sim);
hn_status hn_tally_step(hn_sim *sim);
hn_status hn_tally_row(hn_sim *sim, double t);
const double *hn_tally_integrals(const hn_sim *sim);
// notes integrals that are not known to all digits
hn_status hn_tally_tell(const hn_sim *sim, hn_result *result);

// corners.c: where the rate of a prescribed motion jumps, and velocities with it. Goes through the
// one that the run has come to, and shortens the limit of a step so that it ends before the next
void hn_corners_layout(hn_sim *sim, hn_arena *arena);
void hn_corners_reset(hn_sim *sim);
hn_status hn_corners_step(hn_sim *sim, double *limit);
// a run that begins where `run` did, which outlives it: what has been found is not looked for again
void hn_corners_follow(hn_sim *sim, const hn_sim *run);

// narrow.c: a step of the integrator that passes over nothing narrow
void hn_narrow_layout(hn_sim *sim, hn_arena *arena);
void hn_narrow_reset(hn_sim *sim);
hn_status hn_clear_step(hn_sim *sim, double limit);
// careful.c: the same, and no angle loses count of its turns
hn_status hn_careful_step(hn_sim *sim, double limit);

// power and work of the constraint forces at the state being recorded, from the reported
// multipliers
void hn_audit_constraints(hn_sim *sim, double t);

#endif
