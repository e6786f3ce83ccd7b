// holon_first.h: what the header said to programs of the first version, as far as first.c needs it.
// It never changes: programs that were compiled then must go on.
#ifndef HOLON_FIRST_H
#define HOLON_FIRST_H

#include <stdbool.h>
#include <stddef.h>

typedef int hn_status;
typedef struct hn_model hn_model;
typedef struct hn_system hn_system;
typedef struct hn_sim hn_sim;
typedef struct hn_options hn_options;

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

typedef enum hn_shape_kind {
  HN_SHAPE_NONE,
  HN_SHAPE_BOX,
  HN_SHAPE_CYLINDER,
  HN_SHAPE_SPHERE,
  HN_SHAPE_ROD
} hn_shape_kind;

typedef struct hn_shape {
  hn_shape_kind kind;
  double size[3];
  double radius;
  double length;
  double axis[3];
  double density;
} hn_shape;

typedef enum hn_body_kind {
  HN_SPATIAL,
  HN_PLANAR,
  HN_POINT,
  HN_PLANAR_POINT,
  HN_SCALAR
} hn_body_kind;

typedef struct hn_body_def {
  const char *name;
  hn_body_kind kind;
  double mass;
  double inertia[6];
  double com[3];
  double position[3];
  double orientation[4];
  double angle;
  double velocity[3];
  double angular_velocity[3];
  hn_shape shape;
  unsigned hold;
} hn_body_def;

typedef struct hn_frame_def {
  const char *name;
  hn_body body;
  double position[3];
  double orientation[4];
} hn_frame_def;

typedef struct hn_end {
  hn_body body;
  hn_frame frame;
} hn_end;

typedef struct hn_joint_def {
  const char *name;
  const char *type;
  hn_end a, b;
  double at[3];
  double at_b[3];
  double axis[3];
  double axis_b[3];
  double normal[3];
  double length;
  double pitch;
  double ratio;
  double radius;
  double value;
  double rate;
  bool rate_given;
  bool hold;
  const char *joint_a;
  const char *joint_b;
  const char *coordinate;
  const char *coordinate_b;
  const char *motion;
  const char *by;
  bool components;
  double stiffness;
  const double *preload;
  int preload_count;
  const double *constraint_stiffness;
  int constraint_stiffness_count;
  double omega;
  double mu;
} hn_joint_def;

typedef struct hn_force_def {
  const char *name;
  const char *type;
  hn_end a, b;
  double at[3], at_b[3];
  double axis[3];
  const char *joint;
  const char *coordinate;
  double stiffness;
  double damping;
  double free;
  bool free_given;
  double preload;
  const double *coefficients;
  int coefficient_count;
  const double *table;
  int table_count;
  const char *law;
  const char *components[3];
  bool body_axes;
  const double *stiffness6;
  const double *damping6;
  const double *free6;
  int free6_count;
  const double *preload6;
  int preload6_count;
  double gap;
  double radius;
  const char *road;
  const double *road_table;
  int road_count;
  const char *shift;
  double coulomb;
  double viscous;
  double speed;
} hn_force_def;

typedef enum hn_interpolation { HN_LINEAR, HN_HOLD, HN_CUBIC } hn_interpolation;

typedef struct hn_signal_def {
  const char *name;
  const char *unit;
  const char *formula;
  double input;
  bool input_given;
  const double *table;
  int table_count;
  const char *file;
  const char *time;
  const char *column;
  hn_interpolation interpolation;
} hn_signal_def;

hn_model *hn_model_create(void);
void hn_model_destroy(hn_model *model);
const char *hn_model_error(const hn_model *model);
hn_options *hn_model_options(hn_model *model);
void hn_model_set_gravity(hn_model *model, double x, double y, double z);
hn_body hn_add_body(hn_model *model, const hn_body_def *def);
hn_frame hn_add_frame(hn_model *model, const hn_frame_def *def);
hn_joint hn_add_joint(hn_model *model, const hn_joint_def *def);
hn_force hn_add_force(hn_model *model, const hn_force_def *def);
hn_status hn_add_signal(hn_model *model, const hn_signal_def *def);
hn_status hn_compile(hn_system **out, hn_model *model);
void hn_system_destroy(hn_system *system);
hn_status hn_sim_create(hn_sim **out, const hn_system *system, const hn_options *options,
                        char *message, size_t size);
void hn_sim_destroy(hn_sim *sim);
hn_status hn_advance(hn_sim *sim, double t);
hn_status hn_input_set(hn_sim *sim, int input, double value);
hn_status hn_joint_coordinate(hn_sim *sim, hn_joint joint, const char *name, double *value,
                              double *rate);

#endif
