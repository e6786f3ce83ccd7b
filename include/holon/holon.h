// holon.h: the whole public interface of holon.
//
// holon simulates constrained mechanical systems: bodies, joints with closed loops, forces.
// Data goes one way:
//
//   hn_model   what you describe: bodies, joints, forces, names       (section 3, 4)
//   hn_system  the compiled equations, immutable, shared by threads   (section 5)
//   hn_sim     one run: state, step, reactions, energies, audit       (section 6)
//   hn_result  recorded columns with names and units                  (section 7)
//   hn_report  one page that shows a run                              (section 9)
//
// Other questions than motion (equilibrium, modes, driver efforts) are in section 8.
//
// Conventions: SI units and radians; right-handed axes; quaternions scalar first, body to world;
// matrices row by row. In every definition struct zero means "default", so a compound literal
// names only what matters. Functions that can fail return hn_status; the sentence that explains
// the failure sits in the object (hn_model_error, hn_sim_error). The library never prints, never
// exits, and allocates nothing while stepping.
//
// Threads: objects have nothing in common but what they were made from. A system may be run by any
// number of threads, each with its own sim. A sim may be asked by several threads at once, as long
// as none moves it: steps, runs, states and inputs set, analyses and the end need it for
// themselves.
#ifndef HOLON_H
#define HOLON_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HN_API __attribute__((visibility("default")))
#else
#define HN_API
#endif

#define HN_VERSION_MAJOR 0
#define HN_VERSION_MINOR 1
#define HN_VERSION_PATCH 0

HN_API const char *hn_version(void);  // "0.1.0"

// ---- 1. Status -----------------------------------------------------------------------------

// one list: enumerator and text cannot drift apart
#define HN_STATUS_LIST(X)                                                                          \
  X(HN_OK, "no error")                                                                             \
  X(HN_ERR_MEMORY, "out of memory")                                                                \
  X(HN_ERR_ARGUMENT, "argument out of range or of the wrong kind")                                 \
  X(HN_ERR_FILE, "file cannot be read or written")                                                 \
  X(HN_ERR_SYNTAX, "text is not well formed")                                                      \
  X(HN_ERR_MODEL, "the model makes no mechanical sense")                                           \
  X(HN_ERR_UNSUPPORTED, "this combination is not possible")                                        \
  X(HN_ERR_ASSEMBLY, "the joints cannot be closed from the values given")                          \
  X(HN_ERR_SINGULAR, "the equations have no unique solution")                                      \
  X(HN_ERR_DIVERGED, "the motion became unbounded or not a number")                                \
  X(HN_ERR_STEP, "the step size fell below its minimum")                                           \
  X(HN_ERR_INTERRUPTED, "stopped by the caller")                                                   \
  X(HN_ERR_LOCKED, "the mechanism locks: its motion ends")

typedef enum hn_status {
#define HN_X(name, text) name,
  HN_STATUS_LIST(HN_X)
#undef HN_X
} hn_status;

HN_API const char *hn_status_text(hn_status status);
// Releases memory that the library hands over to be released (texts, bytes). Programs that have the
// same C library as it may call free() as well.
HN_API void hn_free(void *memory);
// Names and messages come out of the library printable. Text from elsewhere (names of files) may
// hold characters that steer a terminal: control characters, separators of lines, turned writing.
HN_API bool hn_is_printable(const char *text);
HN_API void hn_make_printable(char *text);  // in place: a question mark for each of their bytes
// Writes a file whole or not at all, as everything here that writes one: links are followed, the
// mode of a file that is there is kept, and what is no file (folder, device, pipe) is refused.
HN_API hn_status hn_file_write(const char *path, const void *bytes, size_t length, char *message,
                               size_t size);
HN_API const char *hn_file_refusal(const char *path);  // why it could not; NULL: it could

// ---- 2. Options ----------------------------------------------------------------------------

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
  double audit_position;    // [m, rad] largest position violation that passes the audit
  double audit_velocity;    // [m/s, rad/s] largest velocity violation
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
  char impact_law[32];  // what restitution means where several stops are met: newton, poisson,
                        // sequence
} hn_options;

// an impact of a run on a stop (a row that comes and goes)
typedef struct hn_impact {
  int row;               // see hn_system_row_name
  double time;           // [s]
  double before, after;  // rate of the gap
  double impulse;        // [N s or N m s]
  double until;          // rebounds too small to be followed would have ended then; else `time`
} hn_impact;

// describes one option for help texts, file readers and documentation
typedef struct hn_option_info {
  const char *name;
  const char *unit;      // "" when the value has none
  const char *fallback;  // default, as text
  const char *help;
} hn_option_info;

HN_API hn_options hn_options_default(void);
HN_API int hn_option_count(void);
HN_API const hn_option_info *hn_option_at(int index);  // NULL past the end
// set one option from text; on failure `message` (size bytes) says what is wrong
HN_API hn_status hn_options_set(hn_options *opt, const char *name, const char *value, char *message,
                                size_t size);

// ---- 3. Describing a model -----------------------------------------------------------------

typedef struct hn_model hn_model;

// handles are one-int structs so that a body cannot be passed where a joint is meant;
// id 0 is "none", except hn_body where it is the ground
typedef struct {
  int id;
} hn_body;
typedef struct {
  int id;
} hn_frame;
typedef struct {
  int id;
} hn_joint;
typedef struct {
  int id;
} hn_force;
typedef struct {
  int id;
} hn_block;
typedef struct {
  int id;
} hn_beam;

#define HN_GROUND ((hn_body){0})

HN_API hn_model *hn_model_create(void);  // NULL when out of memory
HN_API void hn_model_destroy(hn_model *model);
HN_API const char *hn_model_error(const hn_model *model);  // last failure; never NULL
HN_API const char *hn_model_name(const hn_model *model);
HN_API void hn_model_set_name(hn_model *model, const char *name);
HN_API void hn_model_set_gravity(hn_model *model, double x, double y, double z);
HN_API void hn_model_gravity(const hn_model *model, double g[3]);
HN_API hn_options *hn_model_options(hn_model *model);  // what the model asks for; editable

// named constants for expressions; an override wins over the value the file gives
HN_API hn_status hn_model_set_parameter(hn_model *model, const char *name, double value);
HN_API hn_status hn_model_override(hn_model *model, const char *name, const char *value);
HN_API hn_status hn_model_parameter(const hn_model *model, const char *name, double *value);
HN_API int hn_model_parameter_count(const hn_model *model);
HN_API const char *hn_model_parameter_name(const hn_model *model, int index);

// read a model file (YAML or JSON) into an empty model; errors read
// "file:line:column: element: what is wrong (hint)"
HN_API hn_status hn_model_load(hn_model *model, const char *path);
// the same from memory; `name` stands for the file in messages
HN_API hn_status hn_model_parse(hn_model *model, const char *text, size_t length, const char *name);
// hn_model_load reads robot files as well (URDF, MJCF), by way of the model file that this makes of
// them: *model is its text, *report says line by line what was approximated or ignored; hn_free()
// both. What would make the motion wrong is refused (HN_ERR_UNSUPPORTED), or left out when
// `lenient`
HN_API hn_status hn_import(const char *path, bool lenient, char **model, char **report,
                           char *message, size_t size);
// A file alone cannot have machine code compiled and loaded: `code: native` in it is left out and
// hn_model_wants_native() says so, unless the model was told before reading that the file is
// trusted. What is set by hn_options_set() is not touched.
HN_API void hn_model_trust(hn_model *model);
HN_API bool hn_model_wants_native(const hn_model *model);
// the example models that come with the library, by number: name ("four_bar") and text; NULL past
// the end
HN_API const char *hn_example_name(int index);
HN_API const char *hn_example_text(int index);
// the JSON Schema of the model format, generated from the reader's own tables; hn_free() it
HN_API char *hn_schema_json(void);

// shapes give inertia and are what is drawn; with `density` the mass follows from the volume
typedef enum hn_shape_kind {
  HN_SHAPE_NONE,
  HN_SHAPE_BOX,
  HN_SHAPE_CYLINDER,
  HN_SHAPE_SPHERE,
  HN_SHAPE_ROD
} hn_shape_kind;
typedef struct hn_shape {
  hn_shape_kind kind;
  double size[3];  // box: edges [m]
  double radius;   // cylinder, sphere [m]
  double length;   // cylinder, rod [m]
  double axis[3];  // cylinder, rod: direction in body axes (zero: x for a rod, z for a cylinder)
  double density;  // [kg/m^3]; rods: [kg/m]
} hn_shape;

// coordinates that assembly must not change
enum { HN_HOLD_X = 1, HN_HOLD_Y = 2, HN_HOLD_Z = 4, HN_HOLD_ROTATION = 8, HN_HOLD_VELOCITY = 16 };

typedef enum hn_body_kind {
  HN_SPATIAL,
  HN_PLANAR,
  HN_POINT,
  HN_PLANAR_POINT,
  HN_SCALAR  // one coordinate of a block; not for hn_add_body
} hn_body_kind;

typedef struct hn_body_def {
  const char *name;
  hn_body_kind kind;
  double mass;                 // [kg]
  double inertia[6];           // [kg m^2] xx yy zz xy xz yz about the centre of mass, body axes
                               // (planar bodies use zz; matrix entries, not products of inertia)
  double com[3];               // [m] centre of mass in the body frame
  double position[3];          // [m] origin of the body frame, world
  double orientation[4];       // quaternion body to world; all zero: identity
  double angle;                // [rad] planar bodies
  double velocity[3];          // [m/s] of the frame's origin, world axes
  double angular_velocity[3];  // [rad/s] world axes (planar: z)
  hn_shape shape;              // inertia and picture; mass or density must be given with it
  unsigned hold;               // HN_HOLD_* bits respected by assembly
  bool mass_given;             // a mass of 0 is meant: the body has none
  bool inertia_given;          // likewise an inertia of 0
} hn_body_def;

typedef struct hn_frame_def {
  const char *name;
  hn_body body;
  double position[3];     // [m] in the body frame (ground: world)
  double orientation[4];  // frame to body; all zero: same axes as the body
} hn_frame_def;

// one end of a joint or force: a body, optionally at one of its frames
typedef struct hn_end {
  hn_body body;
  hn_frame frame;  // 0: located by `at` in the definition instead
} hn_end;

typedef struct hn_soft {
  double stiffness, damping;
} hn_soft;

// what a generic joint locks; the last is for planar bodies
enum {
  HN_LOCK_X = 1,
  HN_LOCK_Y = 2,
  HN_LOCK_Z = 4,
  HN_LOCK_ROLL = 8,
  HN_LOCK_PITCH = 16,
  HN_LOCK_YAW = 32,
  HN_LOCK_ANGLE = 64
};

typedef struct hn_joint_def {
  const char *name;
  const char *type;  // see hn_joint_type_at()
  hn_end a, b;       // reactions are those of a on b
  double at[3];      // [m] world position in the described configuration, when no frames
  double at_b[3];    // [m] second point (distance and composite links)
  double axis[3];    // joint axis, world axes in the described configuration (zero: z)
  double axis_b[3];  // second axis, on b (universal ...)
  double normal[3];  // rolling: normal of the plane, world (zero: z)
  double length;     // [m] distance, composite links (0: as described)
  double pitch;      // [m/rad] screw
  double ratio;      // gear, rack: b per a
  double radius;     // [m] wheel, sphere, pinion
  double value;      // [m or rad] coordinate in the described configuration
  double rate;       // [m/s or rad/s] initial rate, respected when rate_given
  bool rate_given;
  bool hold;            // assembly keeps the joint coordinate at `value`
  const char *joint_a;  // gear, rack: joints whose coordinates are coupled
  const char *joint_b;
  const char *coordinate;  // driver, coordinate, gear: which coordinate ("angle", "x", "roll" ...)
  const char *coordinate_b;  // gear: coordinate of joint_b
  const char *motion;        // driver: expression of t
  const char *by;            // driver: force that brings the motion about (see hn_inverse)
  bool components;           // record every row's multiplier under its own name
  double stiffness;          // weight for sharing reactions among redundant rows (0: 1)
  const double *preload;     // [N, N m] multipliers of the rows without load, one per row; what
                             // the joints cannot hold among themselves is taken away
  int preload_count;
  // stiffness of the rows against each other, times `stiffness`: rows x rows numbers, symmetric and
  // positive definite, or rows numbers, its diagonal (NULL: all 1)
  const double *constraint_stiffness;
  int constraint_stiffness_count;
  double omega;  // [1/s] penalty methods: rate at which they remove its violations (0: the option)
  double mu;     // and the damping ratio with which they do (0: the option)
  const char *remove;  // solver removal: its rows that are left out, by name ("z rot_x"), or "all"
  // velocity-soft, -augmented: stiffness [N/m, N m/rad] and damping [N s/m, N m s/rad] of its rows,
  // times the two stiffnesses above (a stiffness of 0: those of the options)
  hn_soft soft;
  // [m or rad] the joint's coordinate stays between these two: two joints of type limit, named
  // after this one (NULL: it has no limits)
  const double *limits;
  int limit_count;
  double lower, upper;  // [m or rad] limit: smallest or largest value of the coordinate of joint_a
  bool lower_given, upper_given;
  double restitution;  // limit, rope, stop: speed after an impact over the speed before it, 0 to 1
  double ratchet;      // [m or rad] limit: whenever the coordinate has left it by this, it follows
  bool angles;         // spherical: it has coordinates roll, pitch, yaw
  unsigned locked;     // generic: HN_LOCK_* bits
} hn_joint_def;

typedef struct hn_force_def {
  const char *name;
  const char *type;            // see hn_force_type_at()
  hn_end a, b;                 // action on b, reaction on a
  double at[3], at_b[3];       // [m] world positions in the described configuration, when no frames
  double axis[3];              // direction or axis, world, in the described configuration
  const char *joint;           // joint forces: the joint acted on
  const char *coordinate;      // joint forces: which of its coordinates (NULL: the first)
  double stiffness;            // [N/m or N m/rad]
  double damping;              // [N s/m or N m s/rad]; beam [s]: this times the stiffness
  double free;                 // [m or rad] free length or angle, respected when free_given
  bool free_given;             // false: relaxed in the assembled configuration
  double preload;              // [N or N m] tension added
  const double *coefficients;  // polynomial of the elongation, from the linear term upwards
  int coefficient_count;
  const double *table;        // pairs: elongation, force (ascending)
  int table_count;            // number of pairs
  const char *law;            // expression of length (or angle), rate, t: tension
  const char *components[3];  // applied force or torque: expressions of t and measured quantities
  bool body_axes;             // components are in the axes of body b, not the world's
  const double *stiffness6;   // bushing, section of a beam: 36 numbers, force then torque
  const double *damping6;     // bushing
  const double *free6;  // bushing, beam: where it is relaxed, in the axes of a: place of b's point
  int free6_count;      // [m] and rotation vector of its axes [rad]; 6 numbers
  const double *preload6;    // bushing: force [N] and torque [N m] on b added there, axes of a
  int preload6_count;        // 6 numbers
  double gap;                // [m or rad] bump stop: elongation at which it engages
  double radius;             // [m] tyre
  const char *road;          // tyre: height as an expression of x
  const double *road_table;  // tyre: pairs x, z
  int road_count;
  const char *shift;               // tyre: added to x before the road is looked up, expression of t
  double coulomb;                  // friction coefficient
  double viscous;                  // [N s/m or N m s/rad]
  double speed;                    // [m/s or rad/s] regularisation speed of friction (0: 1e-3)
  const char *voltage;             // [V] dc-motor: formula
  double resistance;               // [ohm]
  double inductance;               // [H] (0: the current follows at once)
  double constant;                 // [N m/A or N/A] effort per current, and voltage per rate
  const char *valve;               // hydraulic cylinder: opening from -1 to 1, formula
  double areas[2];                 // [m^2] of the pistons in chambers a and b
  double volumes[2];               // [m^3] of the chambers where the coordinate is zero
  double bulk_modulus;             // [Pa]
  double supply, tank;             // [Pa] pressures
  double flow;                     // [m^3/(s sqrt(Pa))] through the open valve
  double leakage;                  // [m^3/(s Pa)] from chamber to chamber
  double pressures[2];             // [Pa] of the chambers at the start
  const double *series_stiffness;  // series: of every element [N/m or N m/rad], 0: it has none
  int series_stiffness_count;
  const double *series_damping;  // series: likewise [N s/m or N m s/rad]
  int series_damping_count;
} hn_force_def;

// the section of a beam, y and z across it
typedef enum hn_profile_kind {
  HN_PROFILE_NONE,
  HN_PROFILE_RECTANGLE,
  HN_PROFILE_CIRCLE,
  HN_PROFILE_TUBE,
  HN_PROFILE_I,
  HN_PROFILE_NUMBERS
} hn_profile_kind;
typedef struct hn_profile {
  hn_profile_kind kind;
  double width, height;         // [m] rectangle, I: along y and z
  double radius;                // [m] circle, tube: outer
  double thickness;             // [m] tube: of the wall
  double flange, web;           // [m] I: thicknesses
  double area;                  // [m^2] numbers
  double inertia_y, inertia_z;  // [m^4] second moments of area, for bending about y and z
  double torsion;               // [m^4] J
  double shear_y, shear_z;      // what part of the area takes shear (0: all)
} hn_profile;

// a place of a beam that is to be a node of this name
typedef struct hn_beam_place {
  const char *name;
  double at;  // [m] along the beam
} hn_beam_place;

// a beam that bends, twists, shears and stretches, as far as it likes: a row of bodies, its nodes,
// with elements between them. Nodes are called "arm.start", "arm.node1" ..., "arm.end"; x of their
// axes goes along the beam
typedef struct hn_beam_def {
  const char *name;
  hn_body_kind kind;  // of the nodes; point masses: a rod that only stretches
  int elements;
  const double *points;   // [m] world, three numbers each: two points, straight; more, a curve
  int point_count;        // through them
  bool arc;               // through three points: a circular arc
  double up[3];           // z of its sections is as near to this as can be (zero: the world's z)
  double twist;           // [rad] by which its end is turned against its start
  double young, poisson;  // [N/m^2] of the material
  double shear;           // [N/m^2] (0: young / (2 (1 + poisson)))
  double density;         // [kg/m^3]
  hn_profile profile;
  hn_profile profile_end;    // where it tapers
  const double *stiffness6;  // 36 numbers, in place of young and profile: [N, N m^2]
  const double *mass6;  // per length, 36 numbers, in place of density and profile: [kg/m, kg m]
  double damping;       // [s] dampers are this times the stiffness
  const char *load[3];  // [N/m] formulas of t and measured quantities
  bool load_follows;    // its components are in axes of the sections, not of the world
  double velocity[3];   // [m/s] of the start, world axes
  double angular_velocity[3];  // [rad/s] of the whole beam
  const hn_beam_place *places;
  int place_count;
} hn_beam_def;

// a block: a part of the model given by its equations instead of bodies and joints,
//   M a = f + J^T lambda,  M and f from the kinetic energy T, the potential V and forces Q:
//   d/dt dT/dv - dT/dq = Q - dV/dq
// Formulas know the block's coordinates ("theta"), their rates ("theta.rate"), t, the parameters,
// and what other elements have to say ("crank.x", "hinge.angle"); all derivatives are exact.
typedef struct hn_coordinate_def {
  const char *name;
  double value, velocity;  // at the start; assembly changes them as little as needed
  const char *unit;        // "rad", "m", or another word to be shown (NULL: none)
  bool hold;               // assembly keeps the value
} hn_coordinate_def;

typedef struct hn_equation {
  const char *name;     // forces: what it acts on; constraints: name of the row (NULL: numbered)
  const char *formula;  // constraints: "left = right", or what must be zero
} hn_equation;

// what a function in the place of formulas fills in; zero on entry, NULL where not wanted
typedef struct hn_block_values {
  double *mass;       // M, n x n, row by row, symmetric
  double *force;      // n: all that M a must balance: applied, gravity, Coriolis
  double *potential;  // energy of those forces that have one
  double *power;      // of the others
  double *phi;        // rows: value of the holonomic ones
  double *phi_t;      // rows: explicit time derivative; nonholonomic ones J v + phi_t = 0
  double *J;          // rows x n
  double *gamma;      // rows: J a = gamma
} hn_block_values;
// v is NULL when only phi is wanted. It must not keep anything between calls: one system may be
// run by several threads
typedef void (*hn_block_fn)(void *user, double t, const double *q, const double *v,
                            const hn_block_values *out);

typedef struct hn_block_def {
  const char *name;
  const hn_coordinate_def *coordinates;
  int coordinate_count;
  const char *kinetic_energy;      // of coordinates, rates and t; second degree in the rates
  const char *const *mass_matrix;  // in its place: n x n formulas of coordinates and t
  const char *potential;           // of coordinates, t, and positions of other elements
  const hn_equation *forces;       // generalized forces on coordinates, or on positions of others
  int force_count;
  const hn_equation *constraints;  // holonomic
  int constraint_count;
  const hn_equation *velocity_constraints;  // nonholonomic, linear in the rates
  int velocity_constraint_count;
  hn_block_fn equations;  // in place of all formulas; constraints then only count and name rows
  void *user;
} hn_block_def;

// A condition of the start: a quantity that formulas read ("strut.length", "a.tip.x - b.tip.x"),
// linear in positions, begins with this value or rate. Assembly holds it.
typedef struct hn_start_def {
  const char *quantity;
  double value;  // [m or rad], respected when value_given
  bool value_given;
  double rate;  // [m/s or rad/s], respected when rate_given
  bool rate_given;
} hn_start_def;

// rows of joints that are stiff against each other, as supports on one flexible foundation are:
// their part of the constraint stiffness matrix, in place of what the joints say about these rows
typedef struct hn_coupling_def {
  const char *name;
  // joints, with all their rows, or single rows ("left.z"), in natural coordinates also those that
  // keep a body rigid ("rod.rigid11")
  const char *const *rows;
  int row_count;             // how many of these words
  const double *stiffness;   // [N/m, N m/rad] rows x rows numbers, symmetric, positive definite, in
  int stiffness_count;       // the order of the rows
  const double *compliance;  // [m/N, rad/(N m)] or its inverse, in the place of it
  int compliance_count;
  const double *preload;  // [N, N m] multipliers of these rows without load, one per row, or NULL
  int preload_count;
} hn_coupling_def;

// a signal: a named number that every formula of the model can read: a formula itself, points over
// time from a table or a CSV file, an input that the caller sets while the model runs
// (hn_input_set), or a state that is integrated with the motion. Exactly one of these. Signals are
// recorded as columns of their names
typedef enum hn_interpolation { HN_LINEAR, HN_HOLD, HN_CUBIC } hn_interpolation;
typedef struct hn_signal_def {
  const char *name;
  const char *unit;     // to be shown (NULL: none)
  const char *formula;  // of t, the parameters, other signals, and what elements have to say
  double input;         // value of an input until it is set
  bool input_given;     // it is one; true without saying so when the value is not zero
  const double *table;  // points (t, value); times ascend
  int table_count;
  const char *file;    // CSV file, its path counted from that of the model file
  const char *time;    // its column of times, by name or number; NULL: the first
  const char *column;  // and of values; NULL: the second
  hn_interpolation interpolation;
  const char *rate;  // formula of the rate: the signal is a state, and may occur in it
  double start;      // its value at the start
  bool steady;       // or: it starts where its rate is zero
  double size;       // of a state: by this errors are judged; 0: its largest value so far
} hn_signal_def;

// a controller: writes a signal of its own name, whose value is held between the instants at which
// it changes. It is sampled at t = offset + k period, exactly: memory follows from what it was, all
// at once, then the output by a formula, or by a function of the caller (hn_controller_function).
// Or it is a machine of modes: the signal is the number of the mode, from 0, and steps end where a
// guard of the present mode becomes true
typedef struct hn_controller_def {
  const char *name;
  const char *unit;           // to be shown (NULL: none)
  double period, offset;      // [s]
  double delay;               // [s] from a sample to its effect
  const char *formula;        // of the output
  const char *const *inputs;  // formulas: what a function of the caller is given, in its place
  int input_count;
  const char *const *memory;       // words: signals <name>_<word>
  const char *const *memory_next;  // formulas of what follows
  const double *memory_start;      // NULL: zero
  int memory_count;
  double quantum;            // the output is a multiple of it; 0: any number
  double noise;              // standard deviation of what is added to the output
  double seed;               // of the noise
  double start;              // output before the first sample acts
  const char *const *modes;  // of a machine
  int mode_count;
  const char *begin;               // mode at the start; NULL: the first
  const char *const *transitions;  // "idle -> lift"
  const char *const *guards;       // formulas
  int transition_count;
} hn_controller_def;

// a ready-made process from an input to an output: lag, transfer function, PID controller, relay
// ... It becomes states and signals, the output under its own name (docs/signals.md)
typedef struct hn_process_def {
  const char *name;
  const char *type;         // see hn_process_type_at()
  const char *input;        // formula
  const char *unit;         // of the output, to be shown (NULL: none)
  double gain;              // 0: 1
  double time;              // [s] time constant
  const double *numerator;  // of a transfer function, highest power of s first
  int numerator_count;
  const double *denominator;
  int denominator_count;
  const double *A, *B, *C;  // state space, matrices row by row
  int A_count, B_count, C_count;
  double D;
  const double *initial;  // its states at the start
  int initial_count;
  double kp, ki, kd;  // PID
  double filter;      // [s] time constant of its derivative
  double tracking;    // [s] in which its integral takes back what limits cut off; 0: kp / ki
  double low, high;   // limits, respected when given
  bool low_given, high_given;
  double width;            // of a backlash, or of a relay's hysteresis
  double rising, falling;  // [1/s] largest rates; falling 0: as rising
  double start;            // output at the start (PID: of its integral; relay: above 0 is high)
  bool steady;             // states start where their rates are zero
  double size;             // of the states, by which errors are judged
} hn_process_def;

// Each returns a handle, or a negative id and hn_model_error() when refused; definitions are
// copied, strings included. Couplings are of rows of joints that are in the model already.
//
// Definitions grow at their end, and zero is what they meant before. Their size in the program
// travels with them, so that a program goes on with later versions of the library, and with earlier
// ones as long as it says nothing they do not know. Calling by name does that; the functions of the
// same names, which pointers and other languages get, take the definitions of the first version.
HN_API hn_body hn_add_body(hn_model *model, const hn_body_def *def);
HN_API hn_frame hn_add_frame(hn_model *model, const hn_frame_def *def);
HN_API hn_joint hn_add_joint(hn_model *model, const hn_joint_def *def);
HN_API hn_force hn_add_force(hn_model *model, const hn_force_def *def);
HN_API hn_block hn_add_block(hn_model *model, const hn_block_def *def);
HN_API hn_beam hn_add_beam(hn_model *model, const hn_beam_def *def);
HN_API hn_status hn_add_coupling(hn_model *model, const hn_coupling_def *def);
HN_API hn_status hn_add_signal(hn_model *model, const hn_signal_def *def);
HN_API hn_status hn_add_controller(hn_model *model, const hn_controller_def *def);
HN_API hn_status hn_add_process(hn_model *model, const hn_process_def *def);

HN_API hn_body hn_add_body_sized(hn_model *model, const hn_body_def *def, size_t size);
HN_API hn_frame hn_add_frame_sized(hn_model *model, const hn_frame_def *def, size_t size);
HN_API hn_joint hn_add_joint_sized(hn_model *model, const hn_joint_def *def, size_t size);
HN_API hn_force hn_add_force_sized(hn_model *model, const hn_force_def *def, size_t size);
HN_API hn_block hn_add_block_sized(hn_model *model, const hn_block_def *def, size_t size);
HN_API hn_beam hn_add_beam_sized(hn_model *model, const hn_beam_def *def, size_t size);
HN_API hn_status hn_add_coupling_sized(hn_model *model, const hn_coupling_def *def, size_t size);
HN_API hn_status hn_add_signal_sized(hn_model *model, const hn_signal_def *def, size_t size);
HN_API hn_status hn_add_controller_sized(hn_model *model, const hn_controller_def *def,
                                         size_t size);
HN_API hn_status hn_add_start_sized(hn_model *model, const hn_start_def *def, size_t size);
HN_API hn_status hn_add_process_sized(hn_model *model, const hn_process_def *def, size_t size);
// the definition may be a literal with commas in it
#define hn_add_body(model, ...)  hn_add_body_sized(model, __VA_ARGS__, sizeof(hn_body_def))
#define hn_add_frame(model, ...) hn_add_frame_sized(model, __VA_ARGS__, sizeof(hn_frame_def))
#define hn_add_joint(model, ...) hn_add_joint_sized(model, __VA_ARGS__, sizeof(hn_joint_def))
#define hn_add_force(model, ...) hn_add_force_sized(model, __VA_ARGS__, sizeof(hn_force_def))
#define hn_add_block(model, ...) hn_add_block_sized(model, __VA_ARGS__, sizeof(hn_block_def))
#define hn_add_beam(model, ...)  hn_add_beam_sized(model, __VA_ARGS__, sizeof(hn_beam_def))
#define hn_add_coupling(model, ...)                                                                \
  hn_add_coupling_sized(model, __VA_ARGS__, sizeof(hn_coupling_def))
#define hn_add_signal(model, ...) hn_add_signal_sized(model, __VA_ARGS__, sizeof(hn_signal_def))
#define hn_add_controller(model, ...)                                                              \
  hn_add_controller_sized(model, __VA_ARGS__, sizeof(hn_controller_def))
#define hn_add_start(model, ...)   hn_add_start_sized(model, __VA_ARGS__, sizeof(hn_start_def))
#define hn_add_process(model, ...) hn_add_process_sized(model, __VA_ARGS__, sizeof(hn_process_def))

// the k-th node of a beam, from its start; negative: from its end, -1 being that
HN_API hn_body hn_beam_node(const hn_model *model, hn_beam beam, int k);

// record only columns that match one of these patterns ("crank.*", "energy.total")
HN_API hn_status hn_add_output(hn_model *model, const char *pattern);

// ---- 4. What exists: joints, forces, methods -----------------------------------------------

typedef struct hn_type_info {
  const char *name;
  const char *help;      // one line
  const char *keys;      // model-file keys it understands, separated by blanks
  const char *required;  // those it cannot do without
} hn_type_info;

typedef struct hn_method_info {
  const char *name;
  const char *solver, *correction, *integrator;  // "" where the stepper does it all
  const char *help;
} hn_method_info;

// tables end with NULL
HN_API const hn_type_info *hn_joint_type_at(int index);
HN_API const hn_type_info *hn_force_type_at(int index);
HN_API const hn_type_info *hn_process_type_at(int index);
HN_API const hn_method_info *hn_method_at(int index);
HN_API const char *hn_method_copes(int index, int k);  // the k-th thing a method can deal with
HN_API const hn_type_info *hn_solver_at(int index);
HN_API const hn_type_info *hn_correction_at(int index);
HN_API const hn_type_info *hn_integrator_at(int index);

// ---- 5. Compiling --------------------------------------------------------------------------

typedef struct hn_system hn_system;

// checks the model, assembles its initial state and plans the linear algebra.
// the system keeps no reference to the model. on failure hn_model_error() explains.
HN_API hn_status hn_compile(hn_system **out, hn_model *model);
HN_API void hn_system_destroy(hn_system *system);
// the equations of motion as C source with no other dependency than libm: rates, accelerations and
// multipliers, and the projection onto the constraints; hn_free() it. Not all models can be written
// so: on failure `message` (size bytes) says what stands against it
HN_API hn_status hn_code_write(const hn_system *system, char **text, char *message, size_t size);

HN_API int hn_system_nq(const hn_system *system);                         // configuration variables
HN_API int hn_system_nv(const hn_system *system);                         // velocity variables
HN_API int hn_system_rows(const hn_system *system);                       // constraint rows
HN_API const char *hn_system_row_name(const hn_system *system, int row);  // "hinge.x"

// Names and handles, also of models that were read from a file. A handle that stands for nothing
// has the id -1, a name that stands for nothing is NULL.
HN_API int hn_system_body_count(const hn_system *system);  // ids run from 0, the ground
HN_API hn_body hn_find_body(const hn_system *system, const char *name);
HN_API const char *hn_body_name(const hn_system *system, hn_body body);
HN_API int hn_system_joint_count(const hn_system *system);  // ids run from 1
HN_API hn_joint hn_find_joint(const hn_system *system, const char *name);
HN_API const char *hn_joint_name(const hn_system *system, hn_joint joint);
// k-th coordinate of a joint: "angle"
HN_API const char *hn_joint_coordinate_name(const hn_system *system, hn_joint joint, int k);

// where numbers stand in q, v and lambda
typedef struct hn_address {
  const char *kind, *name;  // "body" or "joint", and which
  int q, nq;                // its coordinates are q[q] ... q[q + nq - 1]
  int v, nv;                // its velocities likewise
} hn_address;
// the k-th part of q and v, in their order; false past the last. Natural coordinates are shared by
// bodies and have no such parts
HN_API bool hn_system_address(const hn_system *system, int k, hn_address *address);
// rows of a joint: how many, and the first of them; 0 for joints whose coordinates are those of the
// system
HN_API int hn_joint_rows(const hn_system *system, hn_joint joint, int *first);

// rows of one joint that impose what rows of other joints impose already
typedef struct hn_dependency {
  int group;    // dependencies of different groups have no row in common
  char *joint;  // whose rows repeat
  int row_count;
  char **row;  // "hinge_C.rot_x"
  int other_count;
  char **other;  // joints that impose the same; none when the rows impose nothing at all
  char *text;    // all of it in words
} hn_dependency;

// bits of a joint's force and torque components; planar joints have FX, FY and TZ
enum { HN_FX = 1, HN_FY = 2, HN_FZ = 4, HN_TX = 8, HN_TY = 16, HN_TZ = 32 };

// which of a joint's reactions follow from the motion alone
typedef struct hn_open_joint {
  char *name;
  int rows;              // rows whose multiplier does not
  unsigned world, axes;  // components that do not, HN_FX ...: world axes, joint axes (z: its axis)
} hn_open_joint;

// what the rows of a system repeat at one state
typedef struct hn_redundancy {
  double time;
  int rows, rank, dof;     // constraint rows, independent ones, velocities - rank
  double tolerance;        // singular values below this times the largest count as zero; not below
                           // what the violation of the constraints can feign
  double smallest_kept;    // smallest singular value counted, relative to the largest
  double largest_dropped;  // largest one not counted, relative
  int redundant_count;
  char **redundant;  // rows that repeat rows before them, "hinge.x"
  int group_count;   // independent groups of dependencies
  int dependency_count;
  hn_dependency *dependency;
  int joint_count;
  hn_open_joint *joint;  // all joints, in the order of the model
  int undetermined_count;
  char **undetermined;  // result columns whose value is a matter of choice, "hinge.fx"
  bool complete;        // false: too many dependencies to follow each; only rows are listed
} hn_redundancy;

// degrees of freedom, redundancy and the consistency of the initial state
typedef struct hn_check_joint {
  const char *name, *type;
  int rows;          // rows it brings
  int redundant;     // of these, repeated by joints before it
  int undetermined;  // of these, whose reaction does not follow from the motion alone
  double gap;        // [m] by which it is open in the described configuration,
  double gap_angle;  // [rad] and by which its axes are off
} hn_check_joint;
// what assembly changed about a body (or a coordinate of a block)
typedef struct hn_check_body {
  const char *name;
  double moved;            // [m] displacement of its origin
  double turned;           // [rad] angle of its rotation
  double velocity_change;  // [m/s] of its origin, against what was given
  double spin_change;      // [rad/s]
  bool velocity_given;     // the model says how it moves
} hn_check_body;
typedef struct hn_check {
  int bodies, joints, forces, blocks;
  int velocities, rows;    // counted
  int rank;                // of the constraint Jacobian at the assembled state
  int dof_counted;         // velocities - rows
  int dof;                 // velocities - rank
  double rank_tolerance;   // singular values below this times the largest count as zero
  double smallest_kept;    // smallest singular value counted, relative to the largest
  double largest_dropped;  // largest one not counted, relative
  int joint_count;
  const hn_check_joint *joint;
  int redundant_count;
  const char *const *redundant;            // their names, "hinge.x"
  const hn_redundancy *redundancy;         // what depends on what, at the assembled state
  char reactions[160];                     // by what rule reactions are found
  char preload[160];                       // what became of the preload; "" when there is none
  double position_before, position_after;  // [m] largest gap before and after assembly
  double rotation_before, rotation_after;  // [rad] the same of angles
  double velocity_before, velocity_after;  // [m/s, rad/s] of the assembled mechanism
  double moved, turned;                    // [m], [rad] largest change assembly made to a body
  int body_count;                          // what it changed, body by body
  const hn_check_body *body;
  int note_count;           // sentences about the start that must be known: what was moved, what
  const char *const *note;  // given velocities were changed, what has no effect
  const char *coordinates;  // chosen coordinates and why
  int singular_rows;  // rows that depend on others at the start alone: it is a singular place.
                      // Ranks and dependencies above are then those a little beside
  char start[240];    // the same in words; "" when the start is no singular place
  double gap;         // [m, rad] by which joints that repeat others miss them; 0: they do not
  char gaps[240];     // the same in words; "" when there is none
} hn_check;
// filled by hn_compile; owned by the system
HN_API const hn_check *hn_system_check(const hn_system *system);

// ---- 6. Running ----------------------------------------------------------------------------

typedef struct hn_sim hn_sim;

HN_API hn_status hn_sim_create(hn_sim **out, const hn_system *system, const hn_options *options,
                               char *message, size_t size);
HN_API void hn_sim_destroy(hn_sim *sim);
HN_API const char *hn_sim_error(const hn_sim *sim);

HN_API double hn_time(const hn_sim *sim);
// one step of the integrator, of its own size. After a failure the last good state stands.
// Steps are audited as those of hn_run are, see hn_sim_summary.
HN_API hn_status hn_step(hn_sim *sim);
// steps until t is reached exactly; time does not run backwards
HN_API hn_status hn_advance(hn_sim *sim, double t);

// state access; arrays belong to the sim and are valid until it is moved
HN_API const double *hn_positions(const hn_sim *sim);   // nq
HN_API const double *hn_velocities(const hn_sim *sim);  // nv
HN_API const double *hn_accelerations(hn_sim *sim);     // nv, at the current state
HN_API const double *hn_multipliers(hn_sim *sim);       // rows, at the current state
// starts anew from a state: numbers that are not finite are refused and leave the run as it was
HN_API hn_status hn_set_state(hn_sim *sim, double t, const double *q, const double *v);

// Inputs: signals set from outside. Numbers run from 0; -1 and NULL stand for none. A value set
// acts from the current time on and until another is set; the work it brings in is counted with
// that of the force that reads it. Inputs are part of the run: hn_set_state leaves them as they
// are.
HN_API int hn_input_count(const hn_system *system);
HN_API const char *hn_input_name(const hn_system *system, int input);
HN_API int hn_input_find(const hn_system *system, const char *name);
HN_API hn_status hn_input_set(hn_sim *sim, int input, double value);
HN_API double hn_input_value(const hn_sim *sim, int input);  // NAN: there is no such input

// The function of a controller that has inputs in the place of a formula: it is given the values of
// these at the instants of the controller and sets *output, which holds the last one on entry.
// Anything but HN_OK stops the run. It belongs to this run alone: copies and restored runs are to
// be given theirs. Runs with such controllers are not verified by companions.
typedef hn_status (*hn_controller_fn)(void *user, double t, const double *inputs, double *output);
HN_API int hn_controller_count(const hn_system *system);
HN_API const char *hn_controller_name(const hn_system *system, int controller);
HN_API int hn_controller_find(const hn_system *system, const char *name);  // -1: there is none
HN_API int hn_controller_inputs(const hn_system *system, int controller);  // how many it is given
HN_API hn_status hn_controller_function(hn_sim *sim, int controller, hn_controller_fn function,
                                        void *user);

// signals of the model by number from 0, in its order; NULL: there is no such signal
HN_API int hn_signal_count(const hn_system *system);
HN_API const char *hn_signal_name(const hn_system *system, int signal);

// States: signals given by their rates. Numbers run from 0; -1 and NULL stand for none.
// hn_set_state sets them to their values at the start, hn_set_states to others at the current time
// and motion; either way the run starts anew.
HN_API int hn_state_count(const hn_system *system);
HN_API const char *hn_state_name(const hn_system *system, int state);
HN_API int hn_state_find(const hn_system *system, const char *name);
HN_API const double *hn_states(const hn_sim *sim);  // valid until the next step
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

typedef struct hn_pose {
  double position[3];
  double orientation[4];
  double velocity[3];          // of the frame's origin, world
  double angular_velocity[3];  // world
} hn_pose;
HN_API hn_status hn_body_pose(const hn_sim *sim, hn_body body, hn_pose *pose);

// A force and a torque [N, N m], world axes, on a body at its centre of mass, from the current time
// on and until another is set; NULL: none. The work they do is counted. The function is asked
// wherever forces are: it is given the time and the body's pose and velocities, and adds to force
// and torque, which hold what was set. It must be smooth, and depend on nothing else. Steppers of
// the energy, velocity, augmented, staggered, bdf and uk-newmark families refuse both
// (HN_ERR_UNSUPPORTED); runs with them are not verified by companions.
HN_API hn_status hn_wrench_set(hn_sim *sim, hn_body body, const double force[3],
                               const double torque[3]);
typedef void (*hn_wrench_fn)(void *user, double t, const hn_pose *pose, double force[3],
                             double torque[3]);
HN_API hn_status hn_wrench_function(hn_sim *sim, hn_body body, hn_wrench_fn function, void *user);

typedef struct hn_reaction {
  double point[3];        // [m] where, world
  double force[3];        // [N] of a on b, world
  double torque[3];       // [N m] about the point, world
  double local_force[3];  // joint axes fixed on a (z: joint axis)
  double local_torque[3];
} hn_reaction;
// of gears, racks and couplers: what comes to the wheel (or the bodies) of joint_b; between teeth a
// force at the point where they meet. Local axes are the world's there
HN_API hn_status hn_joint_reaction(hn_sim *sim, hn_joint joint, hn_reaction *reaction);
// joint coordinate by name ("angle", "translation"; NULL: the first)
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
// x (nv) <- M^-1 x at a configuration
HN_API hn_status hn_mass_solve(hn_sim *sim, double t, const double *q, double *x);
// q and v are moved onto the constraints of time t, by the least change in kinetic energy
HN_API hn_status hn_project_state(hn_sim *sim, double t, double *q, double *v);
// velocity of a point of a body (body frame, [m]) and angular velocity of the body, both world, by
// the velocities v of the current state: 6 x nv, row by row
HN_API hn_status hn_point_jacobian(hn_sim *sim, hn_body body, const double point[3], double *J);

// what hn_run would record at the current state: a number for every column of the system (those of
// the model's outputs), column 0 is time. Power and work of the constraints are those of the last
// recorded row
HN_API int hn_column_count(const hn_system *system);
HN_API const char *hn_column_name(const hn_system *system, int column);  // NULL past the end
HN_API const char *hn_column_unit(const hn_system *system, int column);
HN_API hn_status hn_sim_row(hn_sim *sim, double *row);

typedef struct hn_energy {
  double kinetic, potential;
  double work;     // done by non-conservative forces and drivers since the start
  double balance;  // kinetic + potential - work - (its value at the start)
  double scale;    // largest energy turned over so far, for relative statements
} hn_energy;
HN_API hn_status hn_sim_energy(hn_sim *sim, hn_energy *energy);

typedef struct hn_residuals {
  double position, velocity, acceleration;
  int position_row, velocity_row, acceleration_row;  // where; -1 when there is none
} hn_residuals;
HN_API hn_status hn_sim_residuals(hn_sim *sim, hn_residuals *residuals);
// a place on the way where rows became dependent for an instant
typedef struct hn_singular_place {
  double time;
  double sigma;      // smallest singular value found there, relative
  int rows_lost;     // rows that became dependent
  double jump;       // change of velocity that the step before does not explain, relative
  double energy;     // change of the energy balance over the step, relative
  bool passed;       // the motion went on as it was
  char joints[200];  // that take part, "A, B and 3 more"
} hn_singular_place;
// impacts on limits, ropes and stops since the state was set; the first 1000 are kept (false past
// them)
HN_API int hn_sim_impact_count(const hn_sim *sim);
HN_API bool hn_sim_impact(const hn_sim *sim, int index, hn_impact *impact);
HN_API int hn_sim_singular_count(const hn_sim *sim);
// NULL past the end; at most 64 are kept
HN_API const hn_singular_place *hn_sim_singular(const hn_sim *sim, int index);
// degrees of freedom, dependent rows and undetermined reactions at the current state, in reference
// coordinates whatever the run uses; allocates, release it with hn_redundancy_destroy
HN_API hn_status hn_sim_redundancy(hn_sim *sim, hn_redundancy **out);
HN_API void hn_redundancy_destroy(hn_redundancy *redundancy);

// one audited quantity: the worst value of the run, when and where it was met
typedef struct hn_audit_item {
  const char *name, *unit;
  double worst, limit;
  double time;        // [s] of the worst value
  const char *where;  // constraint row, body, "" when it has none
  bool pass;
  bool known;  // false: this run says nothing about it, and it passes
} hn_audit_item;
// what the audit says: of the steps taken since the state was set. Nothing was audited before the
// first of them. Asking never changes it
typedef enum hn_verdict { HN_NOT_AUDITED, HN_AUDIT_PASSED, HN_AUDIT_FAILED } hn_verdict;
// how far the motion may be off at the times recorded, from a companion run (option `verify`).
// Relative errors are those of bodies against the centre of their connected group, of these centres
// and of rotations, by how far each moves; of rotations at most 1 rad counts
typedef struct hn_motion_error {
  bool known;              // false: `how` says why not
  double position, angle;  // [m], [rad] largest error
  double velocity, spin;   // [m/s], [rad/s]
  double relative_position, relative_velocity;
  double until;           // [s] up to here the error stays within the option audit_motion
  double share;           // work of the companion, relative to that of the run
  char how[200];          // what was compared
  double relative_state;  // of states of first order, by the range each goes through
} hn_motion_error;
typedef struct hn_summary {
  const char *method, *solver, *correction, *integrator, *coordinates;
  const char *code;    // what evaluates the equations inside steps: library, native
  const char *choice;  // why the method `auto` took these parts; NULL for other methods
  double time;         // [s] reached
  double wall;         // [s] spent in hn_run, without the companion that verifies it
  long steps, rejected, evaluations, factorisations;
  long regularised;       // evaluations that met dependent rows and were solved through
  long singular;          // singular configurations passed
  long events;            // instants located where a force switches
  long switches;          // changes of the independent coordinates (coordinate partitioning)
  const char *reactions;  // by what rule they were found
  char tables[200];       // which force was asked beyond its table, at a recorded row; "": none
  double energy_drift;    // worst relative imbalance
  int audit_count;
  hn_audit_item audit[16];
  hn_verdict verdict;
  bool audit_pass;  // verdict == HN_AUDIT_PASSED
  hn_motion_error motion;
} hn_summary;
HN_API void hn_sim_summary(hn_sim *sim, hn_summary *summary);
// verifies steps from C, as hn_run does by itself at its end: runs a companion from where the state
// was set to the present one. The summary says it from then on; allocates, and takes its time
HN_API hn_status hn_verify(hn_sim *sim, hn_motion_error *error);

// the method sets of a system run by hn_run: progress may be NULL; returning false stops the run
// with HN_ERR_INTERRUPTED and keeps what was recorded
typedef bool (*hn_progress_fn)(void *user, double t, double duration);

// ---- 7. Results ----------------------------------------------------------------------------

typedef struct hn_result hn_result;

// run to options.duration, recording every output_step. On failure the result holds everything
// up to the failure and hn_sim_error() explains; *out is set whenever memory allows.
// *out is there, with the rows so far, whenever progress is called
HN_API hn_status hn_run(hn_sim *sim, hn_result **out, hn_progress_fn progress, void *user);
// an empty result, for data of your own: name its columns, then fill rows; NULL: out of memory
HN_API hn_result *hn_result_create(const char *title, int columns);
HN_API hn_status hn_result_set_column(hn_result *result, int column, const char *name,
                                      const char *unit);
HN_API double *hn_result_append(hn_result *result);  // a new row to fill, or NULL
HN_API void hn_result_destroy(hn_result *result);

HN_API int hn_result_rows(const hn_result *result);
HN_API int hn_result_columns(const hn_result *result);  // column 0 is time
HN_API const char *hn_result_name(const hn_result *result, int column);
HN_API const char *hn_result_unit(const hn_result *result, int column);
HN_API const double *hn_result_row(const hn_result *result, int row);
// what must be known to read the numbers: which reactions are a matter of choice, singular places
HN_API int hn_result_notes(const hn_result *result);
HN_API const char *hn_result_note(const hn_result *result, int index);  // NULL past the end
HN_API int hn_result_find(const hn_result *result, const char *name);   // column, or -1

// What a first look at a result shows: coordinates that move, speeds of shafts that turn, efforts
// of drivers and motors, the largest forces, energies. Curves of a chart have one unit and like
// sizes; residuals and round-off are never among them. Returns how many charts there are.
enum { HN_CHARTS = 6, HN_CHART_CURVES = 4 };
typedef struct hn_curves {
  const char *title, *unit;
  int count;
  int column[HN_CHART_CURVES];
} hn_curves;
HN_API int hn_result_choose(const hn_result *result, hn_curves chart[HN_CHARTS]);
// for every column, the size below which its numbers are round-off of the largest ones of its unit,
// and are drawn as zero; 0 for columns that are about errors
HN_API hn_status hn_result_round_off(const hn_result *result, double *zero);

// FILE.csv or FILE.h5 by ending; written beside and renamed, so nothing half-written is left. Notes
// of FILE.csv go to FILE.csv.notes.txt, which vanishes where there are none
HN_API hn_status hn_result_write(const hn_result *result, const char *path, char *message,
                                 size_t size);
HN_API hn_status hn_result_read(hn_result **out, const char *path, char *message, size_t size);
// The file of a run that goes on (.csv or .h5): every update adds the rows recorded since, so that
// whatever ends the program leaves a file that can be read. It says that it is incomplete, with
// `text`; reading it gives a note "incomplete: TEXT". hn_result_write() replaces it at the end.
typedef struct hn_stream hn_stream;
HN_API hn_stream *
hn_stream_create(const char *path);  // NULL: out of memory. Nothing is written yet
HN_API hn_status hn_stream_update(hn_stream *stream, const hn_result *result, const char *text,
                                  char *message, size_t size);
// the same, and rows that a CSV file holds are let go of, but for the last: a run of any length
// needs no more memory. What was let go of cannot be written anew, so hn_stream_end() completes the
// file: rows that it has then, 0 when nothing was let go of (hn_result_write() does it), -1 after a
// failure
HN_API hn_status hn_stream_drain(hn_stream *stream, hn_result *result, const char *text,
                                 char *message, size_t size);
HN_API long hn_stream_end(hn_stream *stream, const hn_result *result, char *message, size_t size);
HN_API void hn_stream_destroy(hn_stream *stream);  // leaves the file as it is

// Lines over a common x axis, as SVG. Columns of different units get panels of their own; `panel`
// parts them further.
typedef struct hn_plot {
  const char *title;
  const char *x;         // column (NULL: time)
  const char *const *y;  // columns; * and ? match any text
  int y_count;
  bool log_y;
  int width, height;  // [px] 0: default
  bool log_x;
  const char *label;  // beside the vertical axes, before the unit (NULL: what the names share)
  const int *panel;   // a number for each y: equal ones share a panel (NULL: all)
  bool free_scale;    // x and y of one unit may have scales of their own
} hn_plot;
HN_API hn_status hn_plot_write(const hn_result *result, const hn_plot *plot, const char *path,
                               char *message, size_t size);

// A unit for co-simulation and model exchange (FMU): an archive of description, model and binary.
// Inputs and outputs are the model's, parameters its parameters.
typedef struct hn_fmu_def {
  int version;         // of the standard: 2 or 3
  const void *binary;  // shared library of all FMUs (holon_fmu), which reads the model
  size_t binary_size;
} hn_fmu_def;
// from the text of a model file; `name` stands for it in messages
HN_API hn_status hn_fmu_write(const char *text, size_t length, const char *name,
                              const hn_fmu_def *def, const char *path, char *message, size_t size);

// ---- 8. Analyses ---------------------------------------------------------------------------

// Questions about a model other than "how does it move": each starts from the state of a sim and
// leaves the sim where it ends. Statics and modes are dense (up to about a thousand bodies), the
// others linear in the bodies. They need reference
// coordinates: hn_options_set(hn_model_options(model), "coordinates", "reference", ...) before
// compiling. hn_sim_error() explains failures.

// statics: a state of rest in which all forces balance. Motions of drivers stand still at the time
// of the sim. HN_REST goes where friction would bring the mechanism to rest; HN_NEAREST takes the
// nearest equilibrium of any kind.
typedef enum hn_statics_goal { HN_REST, HN_NEAREST } hn_statics_goal;
typedef enum hn_stability {
  HN_STABLE,
  HN_INDIFFERENT,
  HN_UNSTABLE,
  HN_UNDECIDED,  // it cannot be told: see sides, jump, rows_lost
} hn_stability;
typedef struct hn_equilibrium {
  int iterations;
  double residual;  // largest acceleration left, relative to those of the forces in play
  double moved;     // [m, rad] largest change of a coordinate
  int dof;          // independent directions
  hn_stability stability;
  int unstable, indifferent;  // of the directions: stiffness below, and at, zero
  double softest;             // [1/s^2] smallest stiffness per mass; its root is a frequency
  bool circulatory;           // the stiffness is not symmetric: stability is judged by eigenvalues
  // at a kink, where a force switches, several sides meet (1: smooth). The worst of them is
  // reported; they may differ, and the force may jump
  int sides;
  bool sides_differ, jump;
  // rows that are dependent only here, -1: the joints close nowhere nearby. In such a singular
  // place not all free directions are those of motions
  int rows_lost;
  const char *sharing;  // how redundant joints share their load
} hn_equilibrium;
// *out (may be NULL): one row with every column; reactions are those of the equilibrium
HN_API hn_status hn_statics(hn_sim *sim, hn_statics_goal goal, hn_equilibrium *info,
                            hn_result **out);

// states of rest as a load grows: the load is what formulas of t say. Follows the equilibria from
// the time of the sim to `until`, around limit points, where t turns back, and finds the buckling
// loads, where other branches cross. Steps find their length themselves
typedef struct hn_path_def {
  double until;
  double step;  // of t, to begin with (0: a tenth of the way)
  int branch;   // go on along the first branch that crosses, to one side (1) or the other (-1)
} hn_path_def;
typedef struct hn_path_point {
  double time;
  bool limit;  // t turns back; otherwise another branch crosses
} hn_path_point;
enum { HN_PATH_POINTS = 16 };
typedef struct hn_path {
  int steps, rejected;
  double reached;
  bool switched;  // to another branch
  int unstable;   // directions pushed away at the end
  int points;
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
} hn_linear;
HN_API hn_status hn_linearise(hn_sim *sim, hn_linear **out);
// at an equilibrium where a force switches: as seen from one of linear->sides sides
HN_API hn_status hn_linearise_side(hn_sim *sim, int side, hn_linear **out);
HN_API hn_status hn_linearise_frozen(hn_sim *sim, hn_linear **out);
HN_API void hn_linear_destroy(hn_linear *linear);
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
typedef struct hn_modes {
  int count, nv;
  const hn_mode *mode;
} hn_modes;
HN_API hn_status hn_modes_create(hn_modes **out, const hn_linear *linear);
HN_API void hn_modes_destroy(hn_modes *modes);
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
  int order;
  double jump;   // [m, rad] or [m/s, rad/s]
  bool angular;  // it is an angle
} hn_kink;
typedef struct hn_kinks {
  int count;         // in all; the first 16 are listed
  hn_kink kink[16];  // in order of time
} hn_kinks;
typedef struct hn_kinematics_info {
  int rows;                      // recorded
  long steps;                    // between them
  double position, velocity;     // largest violation of a row
  double weakest, weakest_time;  // how near to singular, and when: 1 far, 0 singular
  int singular_count;            // singular positions passed; the first 16 are listed
  hn_singular singular[16];
  const char *sharing;  // how redundant joints share their load
  hn_kinks kinks;       // of the drivers' motions
  int looked;           // instants looked at beside the rows, where motions do something in between
  bool seen_through;    // no motion is too ragged to be looked through
  long factorisations;  // sparse ones, and
  long dense;           // dense ones, made only where rows are dependent
  // largest acceleration of a driver's coordinate, between rows too [m/s^2, rad/s^2]
  double fastest, fastest_time;
  const char *fastest_driver;
} hn_kinematics_info;
HN_API hn_status hn_kinematics(hn_sim *sim, hn_kinematics_info *info, hn_result **out);

// inverse dynamics: what drivers must do for the motion they prescribe, over options.duration every
// output_step. Columns of every driver: value, rate, acceleration of its coordinate, effort [N or
// N m] along it, power [W]. What is left free moves by the laws of dynamics. Drivers with `by` have
// no effort of their own; that of the force named there is found, of which there is one for each.
typedef struct hn_effort {
  const char *name;        // of the driver, or of the force that acts for it
  double peak, peak_time;  // largest effort [N, N m], between rows too
  double rms;
  double peak_power, work;  // largest [W], and the integral [J]
  bool infinite;            // the motion has a kink: beside `peak` there are impulses
} hn_effort;
typedef struct hn_inverse_info {
  int efforts;  // how many there are; the first 64 are listed
  hn_effort effort[64];
  hn_kinks kinks;     // of the drivers' motions
  int looked;         // instants looked at beside the rows
  bool seen_through;  // no motion is too ragged to be looked through
  bool program;       // forces `by` bring about a motion that geometry does not determine:
  double step;        // [s] of its solution: options.step, or as small as it takes
  double error;       // of the efforts, relative to the largest: change against twice the step
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

// ---- 9. Reports ----------------------------------------------------------------------------

// one run in a report; the first is the one looked at, the others are laid over it
typedef struct hn_report_run {
  const char *label;  // NULL: the method's name
  const hn_result *result;
  const hn_summary *summary;  // NULL: not known
  const char *message;        // why it ended early; NULL: it did not
} hn_report_run;
typedef struct hn_report {
  const hn_model *model;      // NULL: bodies are known by their recorded positions only
  const hn_system *system;    // compiled from the model; needed with it
  const hn_options *options;  // of the run (NULL: the model's)
  const hn_report_run *run;
  int run_count;
  double data_limit;  // [bytes] of packed numbers; more are thinned out (0: 24 MB)
  bool methods;       // the runs differ by their methods only: violations are shown as well
  double at;          // [s] the instant of a picture
  bool pick;          // the runs are alternatives, such as modes: one is shown at a time
} hn_report;
// one HTML file: the mechanism moving in 3-D, charts, summary; with a path in .glb glTF 2.0,
// moving; in .svg a plain drawing of the mechanism at the instant `at`
HN_API hn_status hn_report_write(const hn_report *report, const char *path, char *message,
                                 size_t size);
// a report needs the poses of all bodies: where the model restricts its outputs, they are recorded
// nevertheless. call it before hn_compile
HN_API void hn_report_prepare(hn_model *model);

#ifdef __cplusplus
}
#endif
#endif
