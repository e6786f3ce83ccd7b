// options.h: how a run is done.
#ifndef HOLON_OPTIONS_H
#define HOLON_OPTIONS_H

#include <holon/status.h>

#ifdef __cplusplus
extern "C" {
#endif

// Plain data: a copy is a set of options of its own. What does not fit together is refused when a
// run is made (hn_sim_create).
// how a run is done; fill with hn_options_default(), then change fields or use hn_options_set().
// the same table drives the model file's `simulation:` section, the command line and the docs.
typedef struct hn_options {
  char method[32];          // preset name, see hn_method_at(); sets solver, correction, integrator
  char solver[32];          // acceleration solver; empty: the preset's
  char correction[32];      // correction after a step; empty: the preset's
  char integrator[32];      // time integrator; empty: the preset's
  char coordinates[32];     // reference, relative, natural, auto
  char natural_points[32];  // natural coordinates: shared, joined, auto
  char reactions[32];       // whose multipliers are recorded: shared, method
  char code[32];            // library, native (machine code for the model), written
  double duration;          // [s] simulated time
  double step;              // [s] fixed step, or largest step of an adaptive integrator (0: free)
  double output_step;       // [s] interval between recorded rows (0: duration / 500)
  double max_steps;         // after which a run ends (0: only one that hardly gets on does)
  double rtol;              // relative tolerance of adaptive integrators
  double atol;              // absolute tolerance (0: rtol times the natural scale of each state)
  double alpha;             // [1/s] Baumgarte gain on velocity violation
  double beta;              // [1/s] Baumgarte gain on position violation
  double projection_tol;    // scaled constraint violation a correction must reach
  char events[32];          // on, off: steps end where a force switches
  char stepper_free[32];    // velocity-level steppers: integrator of the unconstrained part
  double stepper_tau;       // velocity-baumgarte: steps in which violation decays
  double soft_stiffness;    // velocity-soft: [N/m, N m/rad] of every row
  double soft_damping;      // velocity-soft: [N s/m, N m s/rad]
  // largest violations that pass the audit. Values as they stand are parts of the model's length
  // (or a radian) and of its largest speeds, others are in metres and radians
  double audit_position;         // [m, rad]
  double audit_velocity;         // [m/s, rad/s]
  double audit_acceleration;     // scaled acceleration residual
  double audit_energy;           // energy imbalance relative to the energy scale of the run
  double audit_output;           // recorded rows: distance moved to meet the constraints [m, rad]
  char audit_steps[32];          // on, off: audit steps that are not recorded now and then
  char verify[32];               // off, estimate, rerun: how the error of the motion is found
  double audit_motion;           // error of positions and velocities, relative to the motion
  double audit_motion_absolute;  // the same in m, rad, m/s, rad/s (0: no limit)
  double audit_records;          // recorded changes against recorded rates, relative
  double audit_forces;           // mass x acceleration less applied forces and reported reactions
  double penalty;        // of constraint rows, times the joint's stiffness (0: the method's)
  double omega;          // [1/s] frequency at which penalty methods remove violations
  double mu;             // their damping ratio
  double iteration_tol;  // relative change of accelerations that ends their iteration
  double integral;       // Baumgarte gain on the integral, part of its stability limit
  double epsilon;        // [m/N, rad/(N m)] staggered: compliance of the joints (0: from the step)
  double violation_bound;        // [m, rad] violation that raises adaptive gains, starts the hybrid
  char null_basis[32];           // null-space: qr, svd, lu, gram-schmidt
  char direct_inverse[32];       // pseudo-inverse of the correction 'direct'
  char uk_feedback[32];          // on, off: Udwadia-Kalaba methods with Baumgarte's right-hand side
  char baumgarte_gains[32];      // baumgarte-rule: taylor, bae-yang, digital
  char scaling[32];              // index3: full, left, none
  char undamped_projection[32];  // on, off: index3 without damping projects after each step
  double rho_inf;  // implicit steppers: what is left of fast vibrations after a step, 0 to 1
  double
      newton_tol;  // implicit steppers: error Newton's iteration may leave, relative to the motion
  char optimiser[32];          // uk-newmark: levenberg-marquardt, gauss-newton, genetic
  double regularisation;       // uk-newmark: weight that keeps accelerations nothing determines
  double dissipation;          // energy-decaying: part of fast motion that goes
  char correction_energy[32];  // on: after a correction the total energy is restored as well
  char impact_law[32];   // what restitution means where several stops are met: newton, poisson,
                         // sequence
  double stepper_theta;  // moreau: weight of the end of the step, 0.5 to 1
  char ledger[32];       // on: the work of every source of energy is counted, see hn_ledger_work
  double bdf_order;      // *-bdf: highest order, 1 to 5
  char split_iteration[32];  // coordinate-split, maggi-perturbation: full, modified
  char beam_check[32];  // on: compiles and runs every element of beams as two as well, and compares
  double audit_beams;   // error by the number of elements that passes, relative
  double max_rows;      // rows that a run may record: more are refused before it starts (0: 1e8)
  double reserved[124];  // options to come are taken from here: programs keep their size of this
} hn_options;

// an impact of a run on a stop (a row that comes and goes)
typedef struct hn_impact {
  int row;               // see hn_system_row_name
  double time;           // [s]
  double before, after;  // rate of the gap
  double impulse;        // [N s or N m s]
  double until;          // rebounds too small to be followed would have ended then; else `time`
} hn_impact;

// a joint came, went or broke while a model ran
typedef struct hn_change {
  double time;        // [s]
  const char *joint;  // its name
  const char *how;    // "comes", "goes", "breaks"
  int freedom;        // degrees of freedom from there on
  int redundant;      // rows of joints that come and go which repeat others
  double work;        // [J] of the impulse where it came; of several at once told with the first
} hn_change;

// describes one option for help texts, file readers and documentation
typedef struct hn_option_info {
  const char *name;      // of the member, and of the key in files
  const char *unit;      // "" when the value has none
  const char *fallback;  // default, as text
  const char *help;      // one line
} hn_option_info;

// every option as the documentation has it; by value, so that nothing has to be released
HN_API hn_options hn_options_default(void);
HN_API int hn_option_count(void);                      // rows of the table
HN_API const hn_option_info *hn_option_at(int index);  // NULL past the end
// set one option from text; on failure `message` (size bytes) says what is wrong
HN_API hn_status hn_options_set(hn_options *opt, const char *name, const char *value, char *message,
                                size_t size);

#ifdef __cplusplus
}
#endif
#endif
