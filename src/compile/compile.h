// compile.h: from the description to the equations.
#ifndef HN_COMPILE_H
#define HN_COMPILE_H

#include "model/model.h"
#include "system/build.h"

// what the method of a run asks of the coordinates
typedef struct hn_demands {
  bool natural;   // it knows no others than natural coordinates
  bool relative;  // it copes with relative ones
  // once the equations are there: does the method choose parts that need reference coordinates?
  bool (*reference)(hn_system *sys);
  // how many evaluations the run is going to take; NAN: nobody knows
  double (*evaluations)(const hn_system *sys, const hn_options *options);
} hn_demands;
// hn_compile for a method with these demands
hn_status hn_compile_for(hn_system **out, hn_model *model, const hn_demands *demands);

// variations of a compilation
typedef struct hn_compile_extra {
  void (*rows)(hn_builder *builder, void *user);  // adds rows (coordinates held in assembly)
  void *user;
  const bool *tree_joint;  // per joint: becomes a tree joint and brings no rows
} hn_compile_extra;
hn_status hn_compile_rows(hn_system **out, hn_model *model, const hn_compile_extra *extra);

// bodies.c: the bodies themselves, the state the model describes, in inner coordinates, and poses
// of all bodies in it, for the builder
hn_status hn_compile_bodies(hn_system *sys, hn_model *model);
void hn_described_state(const hn_system *sys, const hn_model *model, double *q, double *v);
hn_status hn_describe_poses(hn_builder *builder, const double *q);

// wind.c: angles that one of the first `rows` rows holds or drives are read on the turn it wants
hn_status hn_wind_angles(hn_builder *builder, int rows);

// coordinates.c: *out, assembled in reference coordinates, becomes the system in those that the
// model asks for, or that suit it
hn_status hn_choose_coordinates(hn_system **out, hn_model *model, const hn_demands *demands);
hn_status hn_mark_angles(hn_system *sys);  // which generalized coordinates are angles

// closes the joints: moves sys->q0, v0 from the described values to a consistent state and fills
// the closure part of sys->check
hn_status hn_assemble(hn_system *sys, hn_model *model);

// rank of the Jacobian at sys->q0: marks the rows that repeat others in sys->active and fills
// the rank part of sys->check
hn_status hn_analyse_redundancy(hn_system *sys, hn_model *model);

// the same for the rows that are left in relative coordinates; the report stays as it is
hn_status hn_select_loop_rows(hn_system *sys, hn_model *model, const hn_system *reference);
// the rows of J as rank is judged by: in units of their natural size. Nonholonomic ones are made
// short: where one repeats a holonomic row, the latter is kept, since only it holds positions.
// `size` is scratch (rows)
void hn_rank_rows(const hn_work *work, hn_metric metric, double *J, double *size);
// degrees of freedom and dependencies at any state of a system in reference coordinates; active
// (rows) becomes false for rows that a solution may leave out
hn_status hn_redundancy_at(const hn_system *sys, double t, const double *q, const double *v,
                           bool *active, hn_redundancy **out);

void hn_check_destroy(hn_check *check);

#endif
