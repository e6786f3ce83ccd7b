// vector.c: see vector.h. The inner frame of a body lies along its principal axes, so the user's
// axes seen from it are info->axes^T.
#include "forces/vector.h"

#include "base/elementary.h"
#include "code/formulas.h"

#include <string.h>

// planar bodies neither move along z nor turn about x and y: components that only push there do
// nothing, and are hardly meant
static void refuse_idle(const hn_vector *v, hn_builder *builder, const hn_force_def *def,
                        const char *const what[3]) {
  // "torque x" or "force x": who asks
  bool torque = what[0][0] == 't';
  if (!hn_build_planar(builder)) return;
  for (int k = 0; k < 3; k++) {
    double along[3] = {k == 0, k == 1, k == 2};
    // in the inner frame, whose z is the normal of a planar body
    if (v->body_axes)
      for (int i = 0; i < 3; i++) along[i] = v->axes[3 * i + k];
    // 1e-9: mounts are computed, so what is zero is round-off
    double acting = torque ? fabs(along[2]) : hn_hypot(along[0], along[1]);
    if (acting > 1e-9 || hn_build_vanishes(builder, def->components[k])) continue;
    hn_build_fail(builder, HN_ERR_MODEL, "%s has no effect: planar bodies %s (leave it zero)",
                  what[k], torque ? "turn about z only" : "do not move along z");
  }
}

// In body axes the components are along the user's axes of b, or along those of the frame it was
// given: `axes` has these as columns in the inner frame, where the body is evaluated
void hn_vector_build(hn_vector *vector, hn_builder *builder, const hn_force_def *def,
                     const char *const what[3]) {
  vector->a = hn_mount_a(builder)->body;
  vector->b = hn_mount_b(builder)->body;
  vector->body_axes = def->body_axes;
  bool oriented_a, oriented_b;
  hn_build_oriented(builder, &oriented_a, &oriented_b);
  const hn_body_info *info = hn_build_system(builder)->body[vector->b].info;
  // the user's axes, unless a frame brings its own
  m3_transpose(vector->axes, info->axes);
  if (oriented_b) memcpy(vector->axes, hn_mount_b(builder)->R, sizeof vector->axes);
  for (int k = 0; k < 3; k++)
    vector->expression[k] = hn_build_expression(builder, what[k], def->components[k], NULL, 0);
  refuse_idle(vector, builder, def, what);
  // the ground takes anything and does nothing
  if (vector->b == 0)
    hn_build_fail(builder, HN_ERR_MODEL, "acts on the ground (b must be a body that moves)");
  hn_build_need_kin(builder, vector->a);
  hn_build_need_kin(builder, vector->b);
}

void hn_vector_axis(const hn_vector *vector, const hn_system *sys, const hn_work *work, int k,
                    double axis[3]) {
  if (vector->body_axes) {
    const double *axes = vector->axes;
    const double inner[3] = {axes[k], axes[3 + k], axes[6 + k]};
    (void)sys;
    m3_mulv(axis, work->kin[vector->b].R, inner);
  } else {
    v3_set(axis, k == 0, k == 1, k == 2);
  }
}

// as a sum over the axes: with expressions of world components the matrix is the identity, and
// nothing is lost
void hn_vector_eval(const hn_vector *vector, const hn_system *sys, const hn_work *work,
                    double world[3]) {
  v3_set(world, 0, 0, 0);
  for (int k = 0; k < 3; k++) {
    double axis[3];
    hn_vector_axis(vector, sys, work, k, axis);
    v3_addto(world, hn_run_expression(sys, work, vector->expression[k], NULL), axis);
  }
}

void hn_vector_formulas(hn_formulas *f, const hn_vector *vector, hn_node world[3]) {
  hn_graph *g = f->g;
  hn_node x[3], axes[9];
  for (int k = 0; k < 3; k++) world[k] = x[k] = hn_expression_node(f, vector->expression[k], 0);
  if (!vector->body_axes) return;
  nm_constant(g, axes, vector->axes);
  nm_mulv(g, world, axes, x);
  nm_mulv(g, world, f->body[vector->b].R, world);
}
