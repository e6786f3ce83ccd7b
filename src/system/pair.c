// pair.c: see pair.h.
//
// With F along the direction j, f = j F. Where F depends on a measure m with gradient g,
//   df/dq = j (F_m g + F_rate d(rate)/dq)^T,  df/dv = F_rate j g^T,  rate = g^T v,
// so that d(rate)/dq = (dg/dq)^T v comes from the Hessian blocks of the measure.
#include "system/pair.h"

#include <string.h>

int hn_twist_slots(const hn_sys_body *body, int slot[6]) {
  static const int spatial[6] = {0, 1, 2, 3, 4, 5}, planar[3] = {0, 1, 5};
  memcpy(slot, spatial, sizeof spatial);
  if (body->kind == HN_PLANAR) memcpy(slot, planar, sizeof planar);
  return body->nv;
}

// In the axes of the velocity coordinates: v along world, w along body axes, as Hessians want them.
void hn_pair_twist(const hn_system *sys, const hn_work *work, int a, int b, double twist[12]) {
  memset(twist, 0, 12 * sizeof(double));
  for (int side = 0; side < 2; side++) {
    const hn_sys_body *body = &sys->body[side ? b : a];
    int slot[6], n = hn_twist_slots(body, slot);
    for (int i = 0; i < n; i++) twist[6 * side + slot[i]] = work->v[body->v0 + i];
  }
}

void hn_pair_tangent(const hn_system *sys, hn_tangent *tangent, int which, int a, int b,
                     const double K[144]) {
  for (int row = 0; row < 2; row++)
    for (int column = 0; column < 2; column++) {
      double block[36];
      for (int i = 0; i < 6; i++)
        memcpy(block + 6 * i, K + 12 * (6 * row + i) + 6 * column, 6 * sizeof(double));
      hn_tangent_add(sys, tangent, which, row ? b : a, column ? b : a, 1, block);
    }
}

hn_direction hn_direction_measure(const hn_system *sys, const hn_work *work, int measure) {
  const hn_mval *m = &work->mval[measure];
  hn_direction o = {.a = sys->measure[measure].a, .b = sys->measure[measure].b};
  memcpy(o.j, m->ja, 6 * sizeof(double));
  memcpy(o.j + 6, m->jb, 6 * sizeof(double));
  return o;
}

// Velocities are held as coordinates, (v, w), while q changes: what w is in world axes then turns
// with the body, which the Hessian blocks account for.
void hn_rate_gradient(const hn_system *sys, const hn_work *work, int measure, double g[12]) {
  const hn_measure *m = &sys->measure[measure];
  double H[4][36], x[12];
  hn_measure_hessian(sys, work, measure, H);
  hn_pair_twist(sys, work, m->a, m->b, x);
  for (int side = 0; side < 2; side++)
    for (int j = 0; j < 6; j++) {
      double sum = 0;
      for (int i = 0; i < 6; i++)
        sum += x[i] * H[side][6 * i + j] + x[6 + i] * H[2 + side][6 * i + j];
      g[6 * side + j] = sum;
    }
}

// adds s j g^T, where j runs over the direction's bodies and g over those of the measure
static void add_outer(const hn_system *sys, hn_tangent *tangent, int which,
                      const hn_direction *direction, int measure, double s, const double g[12]) {
  const hn_measure *m = &sys->measure[measure];
  for (int row = 0; row < 2; row++)
    for (int column = 0; column < 2; column++) {
      double block[36];
      for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
          block[6 * i + j] = direction->j[6 * row + i] * g[6 * column + j];
      hn_tangent_add(sys, tangent, which, row ? direction->b : direction->a, column ? m->b : m->a,
                     s, block);
    }
}

void hn_tangent_signal(const hn_system *sys, const hn_work *work, const hn_direction *direction,
                       int measure, double by_value, double by_rate, hn_tangent *tangent) {
  hn_direction g = hn_direction_measure(sys, work, measure);
  add_outer(sys, tangent, HN_TANGENT_K, direction, measure, by_value, g.j);
  if (by_rate == 0) return;
  add_outer(sys, tangent, HN_TANGENT_C, direction, measure, by_rate, g.j);
  double change[12];
  hn_rate_gradient(sys, work, measure, change);
  add_outer(sys, tangent, HN_TANGENT_K, direction, measure, by_rate, change);
}

// adds s j to column k of a matrix with a row for every velocity
static void add_column(const hn_system *sys, const hn_direction *direction, double s,
                       double *matrix, int columns, int k) {
  for (int side = 0; side < 2; side++) {
    const hn_sys_body *body = &sys->body[side ? direction->b : direction->a];
    int slot[6], n = hn_twist_slots(body, slot);
    for (int i = 0; i < n; i++)
      matrix[(size_t)(body->v0 + i) * (size_t)columns + (size_t)k] +=
          s * direction->j[6 * side + slot[i]];
  }
}

// Values that controllers hold stand among the inputs behind those of the model, and are nobody's
// to be differentiated by.
void hn_tangent_expression(const hn_system *sys, const hn_work *work, const hn_direction *direction,
                           double s, int expression, const double *gradient, hn_tangent *tangent) {
  const hn_expression *e = &sys->expression[expression];
  for (int k = 0; k < e->signals; k++) {
    const hn_signal *signal = &sys->signal[e->first_signal + k];
    double d = s * gradient[1 + k];
    if (signal->kind == HN_SIGNAL_STATE && tangent->by_state)
      add_column(sys, direction, d, tangent->by_state, sys->states, signal->index);
    bool input = signal->kind == HN_SIGNAL_INPUT && signal->index < sys->inputs;
    if (input && tangent->by_input)
      add_column(sys, direction, d, tangent->by_input, sys->inputs, signal->index);
    if (!hn_is_measured(signal)) continue;
    bool rate = signal->kind == HN_SIGNAL_RATE;
    hn_tangent_signal(sys, work, direction, signal->measure, rate ? 0 : d, rate ? d : 0, tangent);
  }
}

bool hn_mount_turns(hn_builder *builder, const hn_mount *mount) {
  const hn_sys_body *b = &hn_build_system(builder)->body[mount->body];
  if (b->kind != HN_POINT && b->kind != HN_PLANAR_POINT) return true;
  hn_build_fail(builder, HN_ERR_UNSUPPORTED, "body '%s' is a point mass and cannot turn",
                b->info->name);
  return false;
}
