// analysis.h: other questions than motion: equilibria, modes, kinematics, driver efforts.
#ifndef HOLON_ANALYSIS_H
#define HOLON_ANALYSIS_H

#include <holon/result.h>

#ifdef __cplusplus
extern "C" {
#endif

// Questions about a model other than "how does it move": each starts from the state of a sim and
// leaves the sim where it ends. Statics and modes are dense (up to about a thousand bodies), the
// others linear in the bodies. They need reference
// coordinates: hn_options_set(hn_model_options(model), "coordinates", "reference", ...) before
// compiling. hn_sim_error() explains failures.

// statics: a state of rest in which all forces balance. Motions of drivers stand still at the time
// of the sim. HN_REST goes where friction would bring the mechanism to rest; HN_NEAREST takes the
// nearest equilibrium of any kind.
typedef enum hn_statics_goal { HN_REST, HN_NEAREST } hn_statics_goal;
// what small displacements from an equilibrium do
typedef enum hn_stability {
  HN_STABLE,       // they fade or stay small
  HN_INDIFFERENT,  // some stay where they are put
  HN_UNSTABLE,     // some grow
  HN_UNDECIDED,    // it cannot be told: see sides, jump, rows_lost
} hn_stability;
// what was found
typedef struct hn_equilibrium {
  int iterations;             // steps it took
  double residual;            // largest acceleration left, relative to those of the forces in play
  double moved;               // [m, rad] largest change of a coordinate
  int dof;                    // independent directions
  hn_stability stability;     // of the directions all together
  int unstable, indifferent;  // of the directions: stiffness below, and at, zero
  double softest;             // [1/s^2] smallest stiffness per mass; its root is a frequency
  bool circulatory;           // the stiffness is not symmetric: stability is judged by eigenvalues
  // at a kink, where a force switches, several sides meet (1: smooth). The worst of them is
  // reported; they may differ, and the force may jump
  int sides;
  bool sides_differ, jump;  // by stability; by the force itself
  // rows that are dependent only here, -1: the joints close nowhere nearby. In such a singular
  // place not all free directions are those of motions
  int rows_lost;
  const char *sharing;  // how redundant joints share their load
} hn_equilibrium;
// *out (may be NULL): one row with every column; reactions are those of the equilibrium
HN_API hn_status hn_statics(hn_sim *sim, hn_statics_goal goal, hn_equilibrium *info,
                            hn_result **out);
// A state of rest has drivers where they are at the time of the sim, and holds them still there.
// The driver that in truth moves fastest at that time, its rate and the unit of that (both may be
// NULL); NULL: none moves. Where one does, the driven motion is not near the state of rest. The
// name lives as long as the system
HN_API const char *hn_statics_holds(hn_sim *sim, double *rate, const char **unit);

// tolerances: how far everything is moved by joints that are out of place. One row of the table for
// every row of the constraints that holds a place; in it the number of that row
// (hn_system_row_name()), whether it holds an angle (1) or a length (0), then what bodies and joint
// coordinates are displaced by per metre, or radian, by which that row alone is open, to first
// order. Drivers hold what they drive, and are rows themselves; where something is free, it moves
// as little as the masses allow. The sim stays where it is.
HN_API hn_status hn_tolerances(hn_sim *sim, hn_result **out);

// states of rest as a load grows: the load is what formulas of t say. Follows the equilibria from
// the time of the sim to `until`, around limit points, where t turns back, and finds the buckling
// loads, where other branches cross. Steps find their length themselves
typedef struct hn_path_def {
  double until;  // value of t at which the way ends
  double step;   // of t, to begin with (0: a tenth of the way)
  int branch;    // go on along the first branch that crosses, to one side (1) or the other (-1)
} hn_path_def;
// a place of interest on the way
typedef struct hn_path_point {
  double time;  // t there
  bool limit;   // t turns back; otherwise another branch crosses
} hn_path_point;
// most that are told
enum { HN_PATH_POINTS = 16 };
// what was met
typedef struct hn_path {
  int steps, rejected;                  // along the way
  double reached;                       // t at its end
  bool switched;                        // to another branch
  int unstable;                         // directions pushed away at the end
  int points;                           // how many of the following
  hn_path_point point[HN_PATH_POINTS];  // limit points and crossings, in the order of the way
} hn_path;
// *out (may be NULL): a row for every point found, with t in the place of time. The sim is left at
// the end of the way
HN_API hn_status hn_statics_path(hn_sim *sim, const hn_path_def *def, hn_path *info,
                                 hn_result **out);

// linearisation at the state of the sim, on the constraints. A displacement is Z z and a change of
// velocity U u, with bases orthonormal in the mass; then
//   d/dt (z, u) = A (z, u),   at rest and without rolling joints  u = z',  z'' + C z' + K z = 0.
// The state is an equilibrium, where drivers stand still as for statics, or one of a steady motion:
// a rotating guide, a spinning top, a wheel that rolls straight on or in a circle. Motions about it
// are seen from axes that are carried along, for every body the slowest in which nothing changes.
// All other states are refused (HN_ERR_UNSUPPORTED), since eigenvalues would say nothing about
// them; hn_linearise_frozen takes any state as it is in that instant.
// States of first order x stand behind z and u. With changes i of the inputs and s of the signals,
//   d/dt (z, u, x) = A (z, u, x) + B i,   s = Y (z, u, x) + D i.
typedef struct hn_linear {
  int nv;               // velocities
  int n, m;             // columns of Z and U; they differ where joints roll
  const double *Z;      // nv x n, row by row
  const double *U;      // nv x m
  int states;           // of first order, in the order of hn_state_name
  int inputs, outputs;  // in the orders of hn_input_name and hn_signal_name
  const double *A;      // square, n + m + states
  const double *B;      // n + m + states rows, inputs columns
  const double *Y;      // outputs rows, n + m + states columns
  const double *D;      // outputs x inputs
  const double *K;      // m x n
  const double *C;      // m x m
  bool rest;            // no body moves
  bool equilibrium;     // and none begins to
  bool conservative;    // C is zero and K symmetric: real modes
  int sides;            // at a kink: sides that meet here and differ (1 or 0: smooth)
  bool steady;          // about a steady motion
  double unsteady;      // what changes along it, relative
  const double *axes;   // 3 for every body, the ground first: angular velocity of the axes it is
                        // seen from, world
  char seen_from[400];  // the same in words
  double round_off;     // [1/s^2] what rounding may leave in K where nothing is
} hn_linear;
// allocates; hn_linear_destroy releases it
HN_API hn_status hn_linearise(hn_sim *sim, hn_linear **out);
// at an equilibrium where a force switches: as seen from one of linear->sides sides
HN_API hn_status hn_linearise_side(hn_sim *sim, int side, hn_linear **out);
HN_API hn_status hn_linearise_frozen(hn_sim *sim, hn_linear **out);
HN_API void hn_linear_destroy(hn_linear *linear);  // NULL is allowed
// A, B, Y and D as one table [A B; Y D]; a note says what the rows are
HN_API hn_status hn_linear_table(hn_sim *sim, const hn_linear *linear, hn_result **out);
// Y (i w - A)^-1 B + D over frequencies [Hz] in equal ratios: columns frequency, then for every
// signal and input SIGNAL/INPUT.gain [dB] and .phase [deg], which goes on over 360 degrees
HN_API hn_status hn_frequency_response(hn_sim *sim, const hn_linear *linear, double from, double to,
                                       int points, hn_result **out);

// modes: motions Re(shape exp(s t)) of the linearised system, slowest first; one of each
// conjugate pair. Shapes are in velocity coordinates, their largest entry (m or rad) is 1.
typedef struct hn_mode {
  double re, im;       // [1/s] s; im >= 0
  double frequency;    // [Hz] im / (2 pi)
  double natural;      // [Hz] |s| / (2 pi)
  double damping;      // -re / |s|; 1 and -1 for motions that do not oscillate
  const double *real;  // nv
  const double *imag;  // nv; zero for real modes
} hn_mode;
// all modes of a linearised system
typedef struct hn_modes {
  int count, nv;        // modes, and entries of a shape
  const hn_mode *mode;  // slowest first
} hn_modes;
// HN_ERR_SINGULAR: the eigenvalues could not be found
HN_API hn_status hn_modes_create(hn_modes **out, const hn_linear *linear);
HN_API void hn_modes_destroy(hn_modes *modes);  // NULL is allowed
// a row for every mode: eigenvalue, frequency, damping, then the motion of every body and joint
// coordinate ("crank.x", "hinge.angle"; imaginary parts as "crank.x_im" where modes are complex)
HN_API hn_status hn_modes_table(hn_sim *sim, const hn_modes *modes, hn_result **out);
// two periods of one mode about the state of the sim as a result that can be played; amplitude
// [m, rad] of its largest entry (0: a tenth of the model)
HN_API hn_status hn_modes_animate(hn_sim *sim, const hn_modes *modes, int mode, double amplitude,
                                  hn_result **out);

// kinematics: all degrees of freedom are driven. Records positions, velocities, accelerations and
// the reactions of inverse dynamics over options.duration, every output_step: the columns of a run,
// then "crank.ax", "crank.alpha", "hinge.angle_acceleration". Refuses models that leave something
// free and names it. After a failure (a dead position) the result holds what came before.
typedef struct hn_singular {
  double time;        // [s]
  const char *joint;  // whose rows depend on the others
} hn_singular;
// where a prescribed motion is not smooth: it jumps itself (order 0), which nothing can follow, or
// its rate does (order 1): the acceleration, and the effort, are infinite for an instant
typedef struct hn_kink {
  double time;         // [s]
  const char *driver;  // whose motion it is
  int order;           // 0: of the motion, 1: of its rate
  double jump;         // [m, rad] or [m/s, rad/s]
  bool angular;        // it is an angle
} hn_kink;
// those of all drivers
typedef struct hn_kinks {
  int count;         // in all; the first 16 are listed
  hn_kink kink[16];  // in order of time
} hn_kinks;
// how the analysis went
typedef struct hn_kinematics_info {
  int rows;                      // recorded
  long steps;                    // between them
  double position, velocity;     // largest violation of a row
  double weakest, weakest_time;  // how near to singular, and when: 1 far, 0 singular
  int singular_count;            // singular positions passed; the first 16 are listed
  hn_singular singular[16];      // in order of time
  const char *sharing;           // how redundant joints share their load
  hn_kinks kinks;                // of the drivers' motions
  int looked;           // instants looked at beside the rows, where motions do something in between
  bool seen_through;    // no motion is too ragged to be looked through
  long factorisations;  // sparse ones, and
  long dense;           // dense ones, made only where rows are dependent
  // largest acceleration of a driver's coordinate, between rows too [m/s^2, rad/s^2]
  double fastest, fastest_time;
  const char *fastest_driver;  // which it was
} hn_kinematics_info;
// *out (may be NULL) is the caller's
HN_API hn_status hn_kinematics(hn_sim *sim, hn_kinematics_info *info, hn_result **out);

// inverse dynamics: what drivers must do for the motion they prescribe, over options.duration every
// output_step. Columns of every driver: value, rate, acceleration of its coordinate, effort [N or
// N m] along it, power [W]. What is left free moves by the laws of dynamics. Drivers with `by` have
// no effort of their own; that of the force named there is found, of which there is one for each.
typedef struct hn_effort {
  const char *name;         // of the driver, or of the force that acts for it
  double peak, peak_time;   // largest effort [N, N m], between rows too
  double rms;               // [N, N m] over the duration
  double peak_power, work;  // largest [W], and the integral [J]
  bool infinite;            // the motion has a kink: beside `peak` there are impulses
} hn_effort;
// what was found, effort by effort
typedef struct hn_inverse_info {
  int efforts;           // how many there are; the first 64 are listed
  hn_effort effort[64];  // in the order of the columns
  hn_kinks kinks;        // of the drivers' motions
  int looked;            // instants looked at beside the rows
  bool seen_through;     // no motion is too ragged to be looked through
  bool program;          // forces `by` bring about a motion that geometry does not determine:
  double step;           // [s] of its solution: options.step, or as small as it takes
  double error;          // of the efforts, relative to the largest: change against twice the step
} hn_inverse_info;
// *efforts, and *motion with the columns of a run; info and motion may be NULL. After a failure the
// results hold what came before
HN_API hn_status hn_inverse(hn_sim *sim, hn_inverse_info *info, hn_result **efforts,
                            hn_result **motion);
// efforts of some forces (motor, spring, torsion-spring, by name) that would give the accelerations
// a (nv) in the state of the sim, in place of what their laws say; as many forces as degrees of
// freedom
HN_API hn_status hn_inverse_efforts(hn_sim *sim, const double *a, int count,
                                    const char *const *force, double *effort);

#ifdef __cplusplus
}
#endif
#endif
