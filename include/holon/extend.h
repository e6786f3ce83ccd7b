// extend.h: joints, forces and integrators of your own, by the tables the library itself uses.
//
// A type is a constant struct that lives as long as the program. It is made known once, before
// models are made and before other threads are started; from then on model files, schema, help and
// options know it by its name. Tables of this kind follow the library from version to version:
// extensions that were compiled for another one (HN_EXTEND_VERSION) are refused.
//
// Inside, bodies are seen at their centres of mass along their principal axes. A twist is the
// velocity of the centre of mass in world axes, then the angular velocity in body axes.
#ifndef HOLON_EXTEND_H
#define HOLON_EXTEND_H

#include <holon/holon.h>

#ifdef __cplusplus
extern "C" {
#endif

// counts the changes of the tables below
#define HN_EXTEND_VERSION 2

typedef struct hn_builder hn_builder;    // a system under construction
typedef struct hn_work hn_work;          // a system evaluated at a state
typedef struct hn_tangent hn_tangent;    // collects derivatives of forces
typedef struct hn_formulas hn_formulas;  // collects formulas for code written per model
typedef struct hn_arena hn_arena;        // memory of a run
typedef struct hn_outside hn_outside;    // memory of a run that another library keeps

// Keys are those that model files have, with the members of the definitions behind them; where
// types differ in what a key is, it is what it is for the first of them. Refused: names that exist,
// keys that no table has, types that were compiled for another version; `message` (size bytes) says
// which.
typedef struct hn_joint_type hn_joint_type;
typedef struct hn_force_type hn_force_type;
typedef struct hn_integrator_type hn_integrator_type;
// the same by name, with the version the extension is compiled for: the macros fill it in
HN_API hn_status hn_extend_joint_for(const hn_joint_type *type, int version, char *message,
                                     size_t size);
HN_API hn_status hn_extend_force_for(const hn_force_type *type, int version, char *message,
                                     size_t size);
HN_API hn_status hn_extend_integrator_for(const hn_integrator_type *type, int version,
                                          char *message, size_t size);
#define hn_extend_joint(type, message, size)                                                       \
  hn_extend_joint_for(type, HN_EXTEND_VERSION, message, size)
#define hn_extend_force(type, message, size)                                                       \
  hn_extend_force_for(type, HN_EXTEND_VERSION, message, size)
#define hn_extend_integrator(type, message, size)                                                  \
  hn_extend_integrator_for(type, HN_EXTEND_VERSION, message, size)

// ---- building ------------------------------------------------------------------------------

// where a joint sits on a body, in the body's inner frame; columns of R are the joint axes
typedef struct hn_mount {
  int body;           // 0: the ground
  double s[3], R[9];  // [m] from the centre of mass; row by row
} hn_mount;

// Refuses the element being built, in words that follow its name; returns `status`. The first
// refusal stands, and calls after it do nothing: there is no need to look at each of them.
HN_API __attribute__((format(printf, 3, 4))) hn_status
hn_build_fail(hn_builder *builder, hn_status status, const char *format, ...);
// builders that go on computing with what they asked for may look at it
HN_API hn_status hn_build_status(const hn_builder *builder);  // HN_OK: nothing was refused so far

// the joint's frames: z along the axis; a from `at`, `axis` (or frame a), b from `at_b`, `axis_b`
// where the type uses them, otherwise the same place and axes as a (or frame b)
// valid while the element is being built
HN_API const hn_mount *hn_mount_a(const hn_builder *builder);
HN_API const hn_mount *hn_mount_b(const hn_builder *builder);
// both bodies are planar (or one is the ground): planar primitives apply
HN_API bool hn_build_planar(const hn_builder *builder);

// columns of a mount's R
enum { HN_AXIS_X, HN_AXIS_Y, HN_AXIS_Z };

// measures; each returns an index, or -1 after a failure
// dot1: cosine of the angle between an axis on a and one on b
HN_API int hn_build_dot1(hn_builder *builder, const hn_mount *ma, int axis_a, const hn_mount *mb,
                         int axis_b);
// dot2: [m] how far the point on b lies from the one on a, along an axis of a
HN_API int hn_build_dot2(hn_builder *builder, const hn_mount *ma, int axis_a, const hn_mount *mb);
// [m] between the two points; not smooth where it vanishes
HN_API int hn_build_distance(hn_builder *builder, const hn_mount *ma, const hn_mount *mb);
// [rad] rotation of b about the z axis of a (planar bodies: difference of angles)
HN_API int hn_build_angle(hn_builder *builder, const hn_mount *ma, const hn_mount *mb);
// value of a measure in the described configuration
HN_API double hn_build_value(const hn_builder *builder, int measure);
// keep an array for the life of the system (tables, polynomial coefficients)
// a copy; NULL after a failure
HN_API const double *hn_build_keep(hn_builder *builder, const double *values, int count);
// a direction given in world axes (described configuration), in the inner frame of a body
HN_API void hn_build_direction(const hn_builder *builder, int body, const double world[3],
                               double inner[3]);
// pose of a mount in the world, described configuration
// columns of R are the axes of the mount in world axes; stored row by row
HN_API void hn_build_pose(const hn_builder *builder, const hn_mount *mount, double p[3],
                          double R[9]);
// this body's 3-D state is needed by an element
// hn_work_body may be asked for it from then on
HN_API void hn_build_need_kin(hn_builder *builder, int body);

// ---- joints --------------------------------------------------------------------------------

// one constant struct for each kind of joint; examples/own_joint.h is one
struct hn_joint_type {
  hn_type_info info;    // name, help, keys
  bool needs_rotation;  // refuses point masses
  // adds the rows and coordinates of one joint; reports failures through hn_build_fail
  hn_status (*build)(hn_builder *builder, const hn_joint_def *def);
};

// rows; labels name the row in messages and columns: "<joint>.<label>"
HN_API void hn_build_point(hn_builder *builder, const hn_mount *ma,
                           const hn_mount *mb);  // x, y, (z)
// holds a measure (by its index) at a value [m or rad]; what depends on time: hn_build_combination
HN_API void hn_build_row(hn_builder *builder, const char *label, int measure, double value);
// sum coefficient_k measure_k = constant + motion(t); motion is an expression of t, or NULL
HN_API void hn_build_combination(hn_builder *builder, const char *label, int count,
                                 const int *measure, const double *coefficient, double constant,
                                 const char *motion);

// a body as elements see it
typedef struct hn_kin {
  double p[3], R[9];  // centre of mass and rotation, body to world
  double v[3], w[3];  // velocities, both in world axes
} hn_kin;

// constraint primitives with a formula of their own (rolling, skates, user-defined ones).
// elements of one type lie together; eval runs over one element.
typedef struct hn_custom_out {
  double *phi;      // rows; nonholonomic rows leave theirs alone
  double *phi_t;    // rows: explicit time derivative (holonomic) or b(q,t) (nonholonomic)
  double *ja, *jb;  // rows x 6 on the twists; NULL when not wanted
  double *gamma;    // rows: right-hand side of J a = gamma; NULL when not wanted
} hn_custom_out;
// one constant struct for each primitive: rows of all its elements are evaluated by the same
// function
typedef struct hn_custom_type {
  const char *name;       // in messages
  int rows;               // it brings, 6 at most
  unsigned nonholonomic;  // bit per row
  size_t data_size;       // [bytes] of an element
  // violations, and where wanted Jacobian and gamma, of one element
  void (*eval)(const void *data, double t, const hn_kin *a, const hn_kin *b, hn_custom_out *out);
  // d(J^T lambda)/dq: 6x6 blocks aa, ab, ba, bb, row by row (overwritten)
  void (*tangent)(const void *data, double t, const hn_kin *a, const hn_kin *b,
                  const double *lambda, double block[4][36]);
  // where its force acts, world; NULL: at the mount on b
  void (*contact)(const void *data, const hn_kin *a, const hn_kin *b, double p[3]);
  // the same as eval in formulas, from row `row` on, for code written per model. NULL: models with
  // this joint have no such code
  void (*formulas)(hn_formulas *f, const void *data, int a, int b, int row);
} hn_custom_type;
// adds one; `data` (data_size bytes) is copied, `labels` name its rows
HN_API void hn_build_custom(hn_builder *builder, const hn_custom_type *type, const void *data,
                            const hn_mount *ma, const hn_mount *mb, const char *const *labels);
// names a joint coordinate; its zero is moved so that it has the value the definition asks for in
// the described configuration, unless two frames say where zero is
HN_API void hn_build_coordinate(hn_builder *builder, const char *name, bool angular, int measure,
                                const hn_joint_def *def);

// ---- forces --------------------------------------------------------------------------------

// one constant struct for each kind of force; examples/own_force.h is one
struct hn_force_type {
  hn_type_info info;  // name, help, keys
  // adds the elements of one force to the system; reports failures through hn_build_fail
  hn_status (*build)(hn_builder *builder, const hn_force_def *def);
  // adds the states and signals it brings along to the model; NULL: none
  hn_status (*states)(hn_model *model, const hn_force_def *def);
};

// A force along one measure m, as steppers see it whose forces are discrete derivatives over a
// step: sign F acts along grad(m).
typedef struct hn_line {
  int measure;   // m
  double sign;   // 1 or -1
  bool angular;  // m is an angle
  int sees;      // another measure F depends on, -1: none
  bool posed;    // F depends on more than these and their rates, and is taken at the midpoint
} hn_line;
// F at a state
typedef struct hn_tension {
  double force;           // F
  double energy;          // potential of a part of it, by m
  double lossy;           // the rest
  double by_value;        // derivatives: of the first part by m,
  double lossy_by_value;  // of the rest by m, and by m'; unused when posed
  double by_rate;         // [N s/m, N m s/rad]
} hn_tension;

// A force between two bodies over a step h, for the same steppers. A body is given by the place of
// its centre of mass and its three axes, 12 numbers; first those of a, then those of b. They are
// vectors of their own here: what holds them together is the constraints' affair.
typedef struct hn_between {
  double h;                   // [s]
  double start[24], end[24];  // a and b where the step begins, and where it ends
  // from 0, elastic forces are means of both ends and keep the energy, to 1, they are those of the
  // end, which takes energy away
  double end_part;
  // dampers act on (whole times the displacement of the step + before) / h; slope: its derivative
  // by the displacement, times h
  double whole, slope, before[6];
  double moved[6];   // the displacement
  double f[24];      // generalized forces; f . (end - start) = potential before - after + work, or
                     // less than that where end_part > 0
  double K[576];     // their derivative by `end`
  double rate[576];  // by the rate dampers act on, that being the displacement of `end` over h
  double work;       // of the part without potential
} hn_between;

// a force element type: eval loops over `count` elements whose data lie one after the other
typedef struct hn_force_ops {
  const char *name;  // in messages
  size_t data_size;  // [bytes] of an element
  // adds generalized forces (hn_apply_wrench, hn_apply_measure), the power of the part without
  // potential and the potential energy (hn_work_add)
  void (*eval)(const hn_system *sys, hn_work *work, int count, const void *data);
  // adds df/dq and df/dv (use hn_tangent_add)
  void (*tangent)(const hn_system *sys, hn_work *work, int count, const void *data,
                  hn_tangent *tangent);
  // forces that depend on reactions (friction): adds what follows from these; NULL for all others
  void (*reactive)(const hn_system *sys, hn_work *work, int count, const void *data);
  // values recorded as columns, NULL when there are none: names and units of the k-th, then value
  const char *(*column)(const void *data, int k, const char **unit);
  double (*read)(const hn_system *sys, const hn_work *work, const void *data, int k);
  // forces with kinks or jumps: functions (lengths or angles) that change sign there, written to
  // value[] at the numbers hn_build_switches gave. On which side the force is, is then asked by
  // hn_work_side, so that it can be held on one side during a step. NULL when the force is smooth
  void (*switches)(const hn_system *sys, const hn_work *work, int count, const void *data,
                   double *value);
  // forces along one measure: which, and F; NULL: acts otherwise
  hn_line (*line)(const void *data);
  hn_tension (*tension)(const hn_system *sys, const hn_work *work, const void *data);
  // forces with a potential that is no function of one measure: the bodies, and the force over a
  // step; NULL: acts otherwise
  void (*pair)(const void *data, int body[2]);
  void (*between)(const void *data, hn_between *step);
  // the same as eval in formulas, for code written per model. NULL: models with this force have no
  // such code
  void (*formulas)(hn_formulas *f, int count, const void *data);
  // forces that are relaxed as they stand: takes that from the assembled state, which work holds;
  // NULL: there is no such thing
  void (*relax)(const hn_work *work, int count, void *data);
  // forces given by points: is the last evaluation outside of them? then where, and which end it
  // passed; NULL: they have none
  bool (*beyond)(const hn_system *sys, const hn_work *work, const void *data, double *at,
                 double *end);
  // the library's own forces that remember how they were switched on (the speed of an impact):
  // keeps that, where a step has ended at their switching functions, or a run begins (was NULL).
  // NULL: nothing is remembered
  void (*remember)(const hn_system *sys, hn_work *work, int count, const void *data,
                   const bool *was, const bool *is);
} hn_force_ops;

// mounts of a force's ends: hn_mount_a, hn_mount_b as for joints.
// adds one element; data is copied (ops->data_size bytes) and aligned for doubles
HN_API void hn_build_force(hn_builder *builder, const hn_force_ops *ops, const void *data);
// numbers for the switching functions of the element being built; returns the first
HN_API int hn_build_switches(hn_builder *builder, int count);

// at the state being evaluated: a body that was asked for by hn_build_need_kin; value and rate of a
// measure; the side of a switching function, where it is held or where it is
// they are valid during the call
HN_API const hn_kin *hn_work_body(const hn_work *work, int body);
HN_API void hn_work_measure(const hn_work *work, int measure, double *value, double *rate);
HN_API bool hn_work_side(const hn_work *work, int number, bool positive);
// adds to the potential energy, and to the power of what has none
HN_API void hn_work_add(hn_work *work, double potential, double power);
// f += force F (world) at the centre of mass and torque T (world) about it
HN_API void hn_apply_wrench(const hn_system *sys, hn_work *work, int body, const double F[3],
                            const double T[3]);
// f += J_m^T F: the generalized force F acts along the measure
HN_API void hn_apply_measure(const hn_system *sys, hn_work *work, int measure, double F);

// by displacements, by velocities
enum { HN_TANGENT_K, HN_TANGENT_C };
// adds the 6x6 block (twist coordinates, row by row) times s at (body i, body j)
HN_API void hn_tangent_add(const hn_system *sys, hn_tangent *tangent, int which, int i, int j,
                           double s, const double block[36]);
// adds the tangent of a scalar law F(m, m_rate) along a measure
HN_API void hn_tangent_measure(const hn_system *sys, const hn_work *work, int measure, double F,
                               double F_m, double F_rate, hn_tangent *tangent);

// ---- integrators ---------------------------------------------------------------------------

// what a solver or correction can cope with; used to refuse pairings and shown by 'holon methods'
enum {
  HN_CAN_REDUNDANT = 1,      // dependent constraint rows
  HN_CAN_SINGULAR_MASS = 2,  // coordinates without inertia, where the constraints decide
  HN_CAN_NONHOLONOMIC = 4,
  HN_CAN_RELATIVE = 8,  // relative coordinates
  HN_IS_EXACT = 16,  // a solver that meets the constraints itself: corrections have nothing to do
  HN_IS_COMPLIANT = 32,    // a solver whose constraints yield, at whatever step
  HN_CAN_NATURAL = 64,     // natural coordinates
  HN_CAN_BLOCKS = 128,     // inertia that depends on the state; asked of steppers that stand alone
  HN_NEEDS_NATURAL = 256,  // nothing but natural coordinates
  HN_CAN_STIFF = 512,      // implicit in the forces: steps may be long against their time scales
  HN_CAN_EVENTS = 1024,    // steps end where a force switches: follows from `undo`
  HN_NO_BLOCKS = 2048,     // a solver that counts on constant inertia
  HN_CAN_STATES = 4096,    // states of first order; asked of steppers that stand alone
  HN_CAN_UNILATERAL = 8192,  // rows that come and go
  HN_STEPS_OVER = 16384,     // an integrator that finds itself which of these are there
};

// one constant struct for each integrator; examples/own_integrator.h is one. What is not needed
// stays NULL or zero
struct hn_integrator_type {
  hn_type_info info;  // name, help, options it reads
  int order;          // of its errors in the step
  bool adaptive;      // finds its steps itself; others need the option `step`
  // places what it keeps (hn_stage_layout), which lives as long as the run; runs twice, first to
  // measure
  void (*layout)(hn_sim *sim, hn_arena *arena);
  // one step of at most `limit` seconds from the current state, ended by hn_accept_step
  hn_status (*step)(hn_sim *sim, double limit);
  // state inside the last step
  void (*dense)(hn_sim *sim, double t, double *y);
  // takes the last step back: its start is the current state again; vector 0, where there is one,
  // is the derivative there. NULL: cannot, and events are stepped over
  void (*undo)(hn_sim *sim);
  bool compliant;  // the constraints yield, which a correction would undo
  bool multistep;  // derivatives of earlier steps are used: states must go on from step to step
  // a stepper that sets up and solves the equations of motion itself; the solver (lagrange) only
  // serves the initial state. It copes with what its `can` says
  bool stands_alone;
  bool resolves;  // it goes on where accelerations are not unique, and finds some itself
  unsigned can;   // HN_CAN_... and so on
  unsigned (*without)(const hn_options *o);  // what the options take away from that; usually NULL
  // what other libraries allocate for it, after layout, and its end; usually NULL
  hn_status (*create)(hn_sim *sim);
  void (*release)(hn_sim *sim);
  // hands over what `create` made and later steps changed; NULL with `create`: it cannot be told,
  // and such a run cannot be saved
  void (*outside)(hn_sim *sim, hn_outside *o);
  // the state was set from outside; usually NULL
  hn_status (*start)(hn_sim *sim);
  // steppers with multipliers of their own: puts those of the last step, and the accelerations that
  // belong to them, where the solver would. NULL: the solver's are used
  void (*reactions)(hn_sim *sim);
  const void *variant;  // what tells integrators apart that share their functions
};

// what a step begins with: length of the state, the state itself, room for the next one and for a
// stage, the option `step`
// valid during the step; only the vectors named `next`, `stage` and `slope` may be written
HN_API int hn_stepper_size(const hn_sim *sim);
HN_API const double *hn_stepper_state(const hn_sim *sim);
HN_API double *hn_stepper_next(hn_sim *sim);
HN_API double *hn_stepper_stage(hn_sim *sim);
HN_API double hn_stepper_step(const hn_sim *sim);
// places `count` derivative vectors (at most 16), then one of them
HN_API void hn_stage_layout(hn_sim *sim, hn_arena *arena, int count);
HN_API double *hn_stepper_slope(hn_sim *sim, int k);
// the derivative at the current state becomes vector 0
HN_API hn_status hn_first_stage(hn_sim *sim);
// ydot = f(t, y): evaluates, solves, integrates the work
// (a solver with `prepare` may move y first)
HN_API hn_status hn_derivative(hn_sim *sim, double t, double *y, double *ydot);
// what every integrator does with a finished step: normalises, corrects, checks for divergence,
// and makes (t + h, y_new) the current state. ydot_new (may be NULL) is the derivative at y_new
// before the correction; it stays valid when the correction moved the state less than the
// error control would notice.
HN_API hn_status hn_accept_step(hn_sim *sim, double h, double *y_new, const double *ydot_new);
// cubic through the ends of the last step, for integrators without dense output of their own
HN_API void hn_dense_hermite(hn_sim *sim, double t, double *y);
// the usual undo of one-step integrators; what it needs the library keeps
HN_API void hn_undo_step(hn_sim *sim);

#ifdef __cplusplus
}
#endif
#endif
