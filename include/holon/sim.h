// sim.h: one run: state, steps, inputs, reactions, energies, audit.
#ifndef HOLON_SIM_H
#define HOLON_SIM_H

#include <holon/system.h>

#ifdef __cplusplus
extern "C" {
#endif

// One run: a state that moves on in time, by the method its options name. All memory is taken when
// it is created; steps allocate nothing. Several threads may ask one run at the same time, one may
// move it, and not while it is asked (docs/c-interface.md, "Threads").
typedef struct hn_sim hn_sim;

// a run of a system. options: NULL for the defaults, not for what a model file says
// A method that is not known, or cannot carry this system, is refused; `message` says why
HN_API hn_status hn_sim_create(hn_sim **out, const hn_system *system, const hn_options *options,
                               char *message, size_t size);
HN_API void hn_sim_destroy(hn_sim *sim);  // NULL is allowed
// the last failure of this run, in a sentence; never NULL, and valid until the next one
HN_API const char *hn_sim_error(const hn_sim *sim);

HN_API double hn_time(const hn_sim *sim);  // [s] of the current state
// one step of the integrator, of its own size. After a failure the last good state stands.
// Steps are audited as those of hn_run are, see hn_sim_summary.
HN_API hn_status hn_step(hn_sim *sim);
// steps until t is reached exactly; time does not run backwards
// ends early at an event that stops (hn_sim_ended), which is no failure
HN_API hn_status hn_advance(hn_sim *sim, double t);

// state access; arrays belong to the sim and are valid until it is moved
HN_API const double *hn_positions(const hn_sim *sim);   // nq
HN_API const double *hn_velocities(const hn_sim *sim);  // nv
HN_API const double *hn_accelerations(hn_sim *sim);     // nv, at the current state
HN_API const double *hn_multipliers(hn_sim *sim);       // rows, at the current state
// starts anew from a state: numbers that are not finite are refused and leave the run as it was
// work, counts and the audit begin anew with it
HN_API hn_status hn_set_state(hn_sim *sim, double t, const double *q, const double *v);

// Inputs: signals set from outside. Numbers run from 0; -1 and NULL stand for none. A value set
// acts from the current time on and until another is set; the work it brings in is counted with
// that of the force that reads it. Inputs are part of the run: hn_set_state leaves them as they
// are.
HN_API int hn_input_count(const hn_system *system);                    // how many the model has
HN_API const char *hn_input_name(const hn_system *system, int input);  // NULL past the last
HN_API int hn_input_find(const hn_system *system, const char *name);   // -1: there is none
// acts on steps from the current state on; numbers that are not finite are refused
HN_API hn_status hn_input_set(hn_sim *sim, int input, double value);
HN_API double hn_input_value(const hn_sim *sim, int input);  // NAN: there is no such input

// The function of a controller that has inputs in the place of a formula: it is given the values of
// these at the instants of the controller and sets *output, which holds the last one on entry.
// Anything but HN_OK stops the run. It belongs to this run alone: copies and restored runs are to
// be given theirs. Runs with such controllers are not verified by companions.
typedef hn_status (*hn_controller_fn)(void *user, double t, const double *inputs, double *output);
HN_API int hn_controller_count(const hn_system *system);  // how many the model has
// NULL past the last
HN_API const char *hn_controller_name(const hn_system *system, int controller);
HN_API int hn_controller_find(const hn_system *system, const char *name);  // -1: there is none
HN_API int hn_controller_inputs(const hn_system *system, int controller);  // how many it is given
// at the start of a run it is asked at once, for the sample there; `user` is handed to it as it is
HN_API hn_status hn_controller_function(hn_sim *sim, int controller, hn_controller_fn function,
                                        void *user);

// events of the model: conditions whose becoming true is noted. hn_run and hn_advance end at one
// that stops; the next call goes on from there. The function is called at the instant itself, the
// run may be asked there, not changed; anything but HN_OK ends it (HN_ERR_INTERRUPTED)
typedef hn_status (*hn_event_fn)(void *user, int event, double t);
HN_API int hn_event_count(const hn_system *system);                    // how many the model has
HN_API const char *hn_event_name(const hn_system *system, int event);  // NULL past the last
HN_API int hn_event_find(const hn_system *system, const char *name);   // -1: there is none
// NULL: nobody is told any more
HN_API hn_status hn_event_function(hn_sim *sim, int event, hn_event_fn function, void *user);
HN_API long hn_sim_event_count(const hn_sim *sim, int event);  // how often so far; -1: all of them
// the index-th that happened, of the first 256; false: there are not as many
HN_API bool hn_sim_event(const hn_sim *sim, int index, int *event, double *time);
HN_API const char *hn_sim_ended(const hn_sim *sim);  // the event that ended the run; NULL: none

// signals of the model by number from 0, in its order; NULL: there is no such signal
HN_API int hn_signal_count(const hn_system *system);  // how many the model has
// valid as long as the system
HN_API const char *hn_signal_name(const hn_system *system, int signal);

// States: signals given by their rates. Numbers run from 0; -1 and NULL stand for none.
// hn_set_state sets them to their values at the start, hn_set_states to others at the current time
// and motion; either way the run starts anew.
HN_API int hn_state_count(const hn_system *system);  // how many the model has
// NULL past the last
HN_API const char *hn_state_name(const hn_system *system, int state);
// -1: there is none
HN_API int hn_state_find(const hn_system *system, const char *name);
HN_API const double *hn_states(const hn_sim *sim);  // valid until the next step
// one number for each, in their order
HN_API hn_status hn_set_states(hn_sim *sim, const double *states);

// A run as it stands, with all that its method remembers. What is restored, in this process or in
// another, or copied, goes on bit by bit as the run it was taken from. Runs whose memory another
// library keeps (index1-bdf and others of SUNDIALS) are refused with HN_ERR_UNSUPPORTED. Only looks
// at the run: *bytes is to be released with hn_free.
HN_API hn_status hn_sim_save(const hn_sim *sim, void **bytes, size_t *length, char *message,
                             size_t size);
// Makes a run from these bytes, for a system compiled from the same model. Bytes of another model,
// of another version of the library or kind of machine, damaged and incomplete ones are refused
// (HN_ERR_FILE). They are checked against accidents, not against malice: do not restore what you
// would not run.
HN_API hn_status hn_sim_restore(hn_sim **out, const hn_system *system, const void *bytes,
                                size_t length, char *message, size_t size);
// the same by a file, written whole or not at all
HN_API hn_status hn_sim_save_file(const hn_sim *sim, const char *path, char *message, size_t size);
HN_API hn_status hn_sim_restore_file(hn_sim **out, const hn_system *system, const char *path,
                                     char *message, size_t size);
// a second run of the same system that stands where this one does
HN_API hn_status hn_sim_copy(hn_sim **out, const hn_sim *sim, char *message, size_t size);

// where a body frame is, and how it moves
typedef struct hn_pose {
  double position[3];          // [m] of its origin, world
  double orientation[4];       // w, x, y, z: frame to world
  double velocity[3];          // of the frame's origin, world
  double angular_velocity[3];  // world
} hn_pose;
// of the frame the model describes, not of the centre of mass; planar bodies have z = 0
// HN_ERR_ARGUMENT: there is no such body
HN_API hn_status hn_body_pose(const hn_sim *sim, hn_body body, hn_pose *pose);

// A force and a torque [N, N m], world axes, on a body at its centre of mass, from the current time
// on and until another is set; NULL: none. The work they do is counted. The function is asked
// wherever forces are: it is given the time and the body's pose and velocities, and adds to force
// and torque, which hold what was set. It must be smooth, and depend on nothing else. Runs with
// either are not verified by companions.
HN_API hn_status hn_wrench_set(hn_sim *sim, hn_body body, const double force[3],
                               const double torque[3]);
typedef void (*hn_wrench_fn)(void *user, double t, const hn_pose *pose, double force[3],
                             double torque[3]);
// NULL: no function any more
HN_API hn_status hn_wrench_function(hn_sim *sim, hn_body body, hn_wrench_fn function, void *user);
// How that function's force and torque (rows 0..2 and 3..5) change with the pose, K: columns are
// the displacement of the frame's origin and the rotation vector, and with the velocities, C:
// columns are those of the origin and the angular one; 6 x 6, row by row, world axes, zero on
// entry. Implicit steppers need it where the force is stiff; NULL: none. After the function
typedef void (*hn_wrench_tangent_fn)(void *user, double t, const hn_pose *pose, double K[36],
                                     double C[36]);
HN_API hn_status hn_wrench_tangent(hn_sim *sim, hn_body body, hn_wrench_tangent_fn tangent);

// what a joint does to its second body; the first gets the opposite
typedef struct hn_reaction {
  double point[3];         // [m] where, world
  double force[3];         // [N] of a on b, world
  double torque[3];        // [N m] about the point, world
  double local_force[3];   // joint axes fixed on a (z: joint axis)
  double local_torque[3];  // likewise
} hn_reaction;
// of gears, racks and couplers: what comes to the wheel (or the bodies) of joint_b; between teeth a
// force at the point where they meet. Local axes are the world's there
// HN_ERR_ARGUMENT: there is no such joint
HN_API hn_status hn_joint_reaction(hn_sim *sim, hn_joint joint, hn_reaction *reaction);
// joint coordinate by name ("angle", "translation"; NULL: the first); `value` and `rate` may be
// NULL
HN_API hn_status hn_joint_coordinate(hn_sim *sim, hn_joint joint, const char *name, double *value,
                                     double *rate);

// coordinate of a block by name (NULL: the first)
HN_API hn_status hn_block_coordinate(const hn_sim *sim, hn_block block, const char *name,
                                     double *value, double *rate);

// The equations of motion at any state,
//   M a = r + J^T lambda,   J a = gamma,   with violations Phi (position) and psi (velocity).
// The run serves as work space and goes on as if nobody had asked. Arrays that are NULL are not
// wanted. Numbers that are not finite are refused.
typedef struct hn_equations {
  double *mass;      // nv x nv, row by row
  double *jacobian;  // rows x nv, row by row
  double *force;  // nv: r, applied forces less inertia forces that come with velocities; friction
                  // that depends on reactions is left out
  double *gamma;  // rows
  double *position, *velocity;  // rows: Phi, psi
} hn_equations;
HN_API hn_status hn_evaluate(hn_sim *sim, double t, const double *q, const double *v,
                             const hn_equations *out);
// accelerations (nv) and multipliers (rows; may be NULL) of the exact equations there, whatever the
// run's method
HN_API hn_status hn_forward(hn_sim *sim, double t, const double *q, const double *v, double *a,
                            double *lambda);
// tangents there, nv x nv row by row: K = d(r + J^T lambda)/dq along displacements in velocity
// coordinates, C = dr/dv; lambda (rows) NULL: zero. Not in relative coordinates
HN_API hn_status hn_tangents(hn_sim *sim, double t, const double *q, const double *v,
                             const double *lambda, double *K, double *C);
// x (nv) <- M^-1 x at a configuration; HN_ERR_SINGULAR: there are coordinates without inertia
HN_API hn_status hn_mass_solve(hn_sim *sim, double t, const double *q, double *x);
// q and v are moved onto the constraints of time t, by the least change in kinetic energy
HN_API hn_status hn_project_state(hn_sim *sim, double t, double *q, double *v);
// velocity of a point of a body (body frame, [m]) and angular velocity of the body, both world, by
// the velocities v of the current state: 6 x nv, row by row
HN_API hn_status hn_point_jacobian(hn_sim *sim, hn_body body, const double point[3], double *J);

// what hn_run would record at the current state: a number for every column of the system (those of
// the model's outputs), column 0 is time. Power and work of the constraints are those of the last
// recorded row
HN_API int hn_column_count(const hn_system *system);                     // columns of a row
HN_API const char *hn_column_name(const hn_system *system, int column);  // NULL past the end
HN_API const char *hn_column_unit(const hn_system *system, int column);  // "": it has none
// `row` has room for hn_column_count numbers
HN_API hn_status hn_sim_row(hn_sim *sim, double *row);

// [J] at the current state
typedef struct hn_energy {
  double kinetic, potential;  // of all bodies; gravity, springs and formulas with a potential
  double work;                // done by non-conservative forces and drivers since the start
  double balance;             // kinetic + potential - work - (its value at the start)
  double scale;               // largest energy turned over so far, for relative statements
} hn_energy;
// evaluates the state where it is not known yet
HN_API hn_status hn_sim_energy(hn_sim *sim, hn_energy *energy);

// how well the current state meets its equations: largest violation of any row
typedef struct hn_residuals {
  double position, velocity, acceleration;  // [m, rad], [m/s, rad/s]; relative to what accelerates
  int position_row, velocity_row, acceleration_row;  // where; -1 when there is none
} hn_residuals;
// evaluates the state where it is not known yet
HN_API hn_status hn_sim_residuals(hn_sim *sim, hn_residuals *residuals);
// a place on the way where rows became dependent for an instant
typedef struct hn_singular_place {
  double time;       // [s]
  double sigma;      // smallest singular value found there, relative
  int rows_lost;     // rows that became dependent
  double jump;       // change of velocity that the step before does not explain, relative
  double energy;     // change of the energy balance over the step, relative
  bool passed;       // the motion went on as it was
  char joints[200];  // that take part, "A, B and 3 more"
} hn_singular_place;
// impacts on limits, ropes and stops since the state was set; the first 1000 are kept (false past
// them)
// in the order in which they happened
HN_API int hn_sim_impact_count(const hn_sim *sim);
HN_API bool hn_sim_impact(const hn_sim *sim, int index, hn_impact *impact);
// where the rate of a driver's motion jumped, and velocities with it, since the state was set;
// false past the last
typedef struct hn_corner {
  double time;         // [s]
  const char *driver;  // of several in one instant the first
  double jump;         // of its rate [m/s, rad/s]
  bool angular;        // the rate is one of an angle
  double work;         // [J] that the impulses brought in
} hn_corner;
// in the order in which they happened
HN_API bool hn_sim_corner(const hn_sim *sim, int index, hn_corner *corner);
// whether a joint holds at the current state; those that do not come and go always do
HN_API bool hn_joint_there(const hn_sim *sim, hn_joint joint);
// joints that came, went or broke since the state was set; the first 1000 are kept (false past
// them)
HN_API int hn_sim_change_count(const hn_sim *sim);
HN_API bool hn_sim_change(const hn_sim *sim, int index, hn_change *change);
// how often, also beyond what is kept
HN_API int hn_sim_singular_count(const hn_sim *sim);
// NULL past the end; at most 64 are kept
HN_API const hn_singular_place *hn_sim_singular(const hn_sim *sim, int index);
// degrees of freedom, dependent rows and undetermined reactions at the current state, in reference
// coordinates whatever the run uses; allocates, release it with hn_redundancy_destroy
HN_API hn_status hn_sim_redundancy(hn_sim *sim, hn_redundancy **out);
HN_API void hn_redundancy_destroy(hn_redundancy *redundancy);

// one audited quantity: the worst value of the run, when and where it was met
typedef struct hn_audit_item {
  const char *name, *unit;  // in words
  double worst, limit;      // the limit is an option, audit_...
  double time;              // [s] of the worst value
  const char *where;        // constraint row, body, "" when it has none
  bool pass;                // worst <= limit, or nothing is known
  bool known;               // false: this run says nothing about it, and it passes
} hn_audit_item;
// what the audit says: of the steps taken since the state was set. Nothing was audited before the
// first of them. Asking never changes it
typedef enum hn_verdict { HN_NOT_AUDITED, HN_AUDIT_PASSED, HN_AUDIT_FAILED } hn_verdict;
// how far the motion may be off at the times recorded, from a companion run (option `verify`).
// Relative errors are those of bodies against the centre of their connected group, of these centres
// and of rotations, by how far each moves; of rotations at most 1 rad counts
typedef struct hn_motion_error {
  bool known;                                   // false: `how` says why not
  double position, angle;                       // [m], [rad] largest error
  double velocity, spin;                        // [m/s], [rad/s]
  double relative_position, relative_velocity;  // these are what the audit looks at
  double until;           // [s] up to here the error stays within the option audit_motion
  double share;           // work of the companion, relative to that of the run
  char how[200];          // what was compared
  double relative_state;  // of states of first order, by the range each goes through
} hn_motion_error;
// how far the number of elements of beams may put recorded columns off (option `beam_check`): four
// thirds of what they change by when every element becomes two, as errors of order 2 do. Relative
// to the largest range among columns of the same unit; of angles at most 1 rad counts
typedef struct hn_beam_error {
  bool known;                  // false: `how` says why not
  double position, angle;      // [m], [rad]
  double velocity, spin;       // [m/s], [rad/s]
  double force, torque;        // [N], [N m] of joints and in sections
  double relative[3];          // positions, velocities, forces
  double share;                // work of the other run, relative to this one's
  char where[3][64], how[96];  // columns of the largest ones; what was compared
} hn_beam_error;
// What is to be said of a run, as `holon run` prints it. Texts belong to the run or the library.
typedef struct hn_summary {
  const char *method, *solver, *correction, *integrator, *coordinates;  // as chosen
  const char *code;    // what evaluates the equations inside steps: library, native
  const char *choice;  // why the method `auto` took these parts; NULL for other methods
  double time;         // [s] reached
  double wall;         // [s] spent in hn_run, without the companion that verifies it
  long steps, rejected, evaluations, factorisations;  // how much work it was
  long regularised;         // evaluations that met dependent rows and were solved through
  long singular;            // singular configurations passed
  long events;              // instants located where a force switches
  long switches;            // changes of the independent coordinates (coordinate partitioning)
  const char *reactions;    // by what rule they were found
  char tables[200];         // which force was asked beyond its table, at a recorded row; "": none
  double energy_drift;      // worst relative imbalance
  int audit_count;          // items below
  hn_audit_item audit[16];  // one by one
  hn_verdict verdict;       // of all of them together
  bool audit_pass;          // verdict == HN_AUDIT_PASSED
  hn_motion_error motion;   // option `verify`
  hn_beam_error beams;      // option `beam_check`
  double reserved[144];     // what comes is taken from here: programs keep their size of this
} hn_summary;
// at any time; before the first step nothing has been audited
HN_API void hn_sim_summary(hn_sim *sim, hn_summary *summary);
// with the option `ledger`: what every source has brought into the motion since the state was set
// [J], negative where it took away: forces but for their potentials, drivers, what the caller
// pushes with, impacts. They add up to hn_energy.work. NULL and NAN past the end
HN_API int hn_ledger_count(const hn_sim *sim);  // sources
// in words, the force's name among them
HN_API const char *hn_ledger_source(const hn_sim *sim, int source);
HN_API double hn_ledger_work(const hn_sim *sim, int source);  // [J]
// verifies steps from C, as hn_run does by itself at its end: runs a companion from where the state
// was set to the present one, and compares the states in which hn_step and hn_advance have ended
// since (some of them, where they were many; the present one alone with audit_steps: off). The
// summary says it from then on; allocates, and takes its time
HN_API hn_status hn_verify(hn_sim *sim, hn_motion_error *error);

// the method sets of a system run by hn_run: progress may be NULL; returning false stops the run
// with HN_ERR_INTERRUPTED and keeps what was recorded
typedef bool (*hn_progress_fn)(void *user, double t, double duration);

#ifdef __cplusplus
}
#endif
#endif
