// vector.c: see vector.h. The inner frame of a body lies along its principal axes, so the user's
// axes in the world are R_user = R axes^T.
#include "forces/vector.h"

#include "code/formulas.h"

void hn_vector_build(hn_vector *vector, hn_builder *builder, const hn_force_def *def,
                     const char *const what[3]) {
  vector->a = hn_mount_a(builder)->body;
  vector->b = hn_mount_b(builder)->body;
  vector->body_axes = def->body_axes;
  for (int k = 0; k < 3; k++)
    vector->expression[k] = hn_build_expression(builder, what[k], def->components[k], NULL, 0);
  if (vector->b == 0)
    hn_build_fail(builder, HN_ERR_MODEL, "acts on the ground (b must be a body that moves)");
  hn_build_need_kin(builder, vector->a);
  hn_build_need_kin(builder, vector->b);
}

void hn_vector_axis(const hn_vector *vector, const hn_system *sys, const hn_work *work, int k,
                    double axis[3]) {
  if (vector->body_axes) {
    // column k of R axes^T is R times row k of axes
    const double *axes = sys->body[vector->b].info->axes;
    const double inner[3] = {axes[3 * k], axes[3 * k + 1], axes[3 * k + 2]};
    m3_mulv(axis, work->kin[vector->b].R, inner);
  } else {
    v3_set(axis, k == 0, k == 1, k == 2);
  }
}

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
  nm_constant(g, axes, f->sys->body[vector->b].info->axes);
  nm_tmulv(g, x, axes, x);
  nm_mulv(g, world, f->body[vector->b].R, x);
}
