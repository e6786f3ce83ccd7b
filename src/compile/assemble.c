// assemble.c: a consistent initial state from rough values.
//
// Positions: damped Gauss-Newton steps d = -W^-1 J^T (J W^-1 J^T)^+ Phi with W = 1 for lengths and
// (characteristic length)^2 for angles, so the mechanism is changed as little as possible. Steps
// are limited and must reduce the violation: the result stays on the branch the values suggest.
// Velocities: one weighted projection with W = M, what an impulse through the joints would do.
// Coordinates the user holds enter as extra rows (points, joint coordinates) or as very heavy
// weights (rotations, velocities of a body).
#include "compile/compile.h"

#include "system/builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// an extra row and where it takes part
typedef struct hold_row {
  bool position, velocity;
  double rate;  // velocity level: the coordinate's rate
} hold_row;

typedef struct holds {
  int count, capacity;
  hold_row *row;
} holds;

static void add_hold(hn_builder *b, holds *h, hold_row row, const char *label, int measure,
                     double value) {
  hn_build_row(b, label, measure, value);
  if (!hn_grow((void **)&h->row, &h->capacity, h->count, sizeof row)) {
    hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
    return;
  }
  h->row[h->count++] = row;
}

// one pseudo joint per held body or joint
static void extra_rows(hn_builder *b, void *user) {
  holds *h = user;
  const hn_model *model = b->model;
  for (int i = 1; i < model->body_count; i++) {
    const hn_body_def *d = &model->body[i].def;
    const hn_sys_body *body = &b->sys->body[i];
    if (!(d->hold & (HN_HOLD_X | HN_HOLD_Y | HN_HOLD_Z))) continue;
    double s[3], back[3];
    v3_scale(back, -1, body->info->com);
    m3_tmulv(s, body->info->axes, back);
    b->a = (hn_mount){.body = 0}, b->b = (hn_mount){.body = i};
    hn_builder_begin_joint(b, d->name, "hold");
    int axes = body->kind == HN_PLANAR || body->kind == HN_PLANAR_POINT ? 2 : 3;
    for (int k = 0; k < axes; k++)
      if (d->hold & (unsigned)(HN_HOLD_X << k))
        add_hold(b, h, (hold_row){.position = true}, "held",
                 hn_builder_point_coordinate(b, i, s, k), d->position[k]);
    hn_builder_end_joint(b);
  }
  for (int i = 0; i < model->joint_count; i++) {
    const hn_joint_def *d = &model->joint[i].def;
    if (!d->hold && !d->rate_given) continue;
    b->place = model->joint[i].place;
    b->what = "joint";
    b->element = d->name;
    int measure = hn_build_joint_coordinate(b, d->name, NULL, NULL);
    hn_builder_begin_joint(b, d->name, "hold");
    if (!b->status)
      add_hold(b, h, (hold_row){.position = d->hold, .velocity = d->rate_given, .rate = d->rate},
               "held", measure, d->value);
    hn_builder_end_joint(b);
  }
}

// everything the iteration needs, in one block
typedef struct closer {
  hn_work work;
  hn_saddle saddle;
  double *weight, *D, *step, *l, *trial, *scale;
} closer;

static void closer_layout(closer *c, hn_arena *arena, const hn_system *sys) {
  hn_work_layout(&c->work, arena, sys);
  hn_saddle_layout(&c->saddle, arena, sys->plan);
  c->weight = HN_TAKE(arena, double, sys->nv);
  c->D = HN_TAKE(arena, double, sys->rows);
  c->step = HN_TAKE(arena, double, sys->nv);
  c->l = HN_TAKE(arena, double, sys->rows);
  c->trial = HN_TAKE(arena, double, sys->nq);
  c->scale = HN_TAKE(arena, double, sys->rows);
}

static const double heavy = 1e12;   // weight of a coordinate that must not move
static const double absent = 1e30;  // compliance of a row that takes no part

// s_k = J_k W^-1 J_k^T: natural size of each row
static void row_scales(const closer *c, const hn_system *sys) {
  memset(c->scale, 0, (size_t)sys->rows * sizeof(double));
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int k = group->first; k < group->first + group->bodies; k++) {
      const hn_sys_body *b = &sys->body[sys->group_body[k]];
      const double *J = c->work.J + sys->block_offset[k];
      for (int r = 0; r < group->rows; r++, J += b->nv)
        for (int i = 0; i < b->nv; i++)
          c->scale[group->row0 + r] += J[i] * J[i] / c->weight[b->v0 + i];
    }
  }
}

// solve J x = rhs in the weighted least-norm sense, rows in `out` left out; dependent rows are
// damped and refined, so that consistent ones are met exactly
static void solve_rows(closer *c, const hn_system *sys, const double *rhs, const bool *out) {
  row_scales(c, sys);
  for (int i = 0; i < sys->rows; i++)
    c->D[i] = out[i] ? absent : 1e-10 * (c->scale[i] > 0 ? c->scale[i] : 1);
  hn_saddle_factor(&c->saddle, c->weight, c->work.J, c->D);
  double *l = c->work.lambda;
  memset(l, 0, (size_t)sys->rows * sizeof(double));
  for (int pass = 0; pass < 4; pass++) {
    memset(c->step, 0, (size_t)sys->nv * sizeof(double));
    for (int i = 0; i < sys->rows; i++) c->l[i] = out[i] ? 0 : rhs[i] + c->D[i] * l[i];
    hn_saddle_solve(&c->saddle, c->step, c->l);
    memcpy(l, c->l, (size_t)sys->rows * sizeof(double));
  }
}

static double violation(const hn_system *sys, const double *x, const bool *out, int *worst) {
  double v = 0;
  *worst = -1;
  for (int i = 0; i < sys->rows; i++) {
    if (out[i]) continue;
    if (!(fabs(x[i]) <= v) && !isnan(v)) v = fabs(x[i]), *worst = i;  // also catches NaN
  }
  return v;
}

// largest factor that keeps every coordinate's change reasonable
static double step_limit(const hn_system *sys, const double *d) {
  double largest = 0;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    int linear = hn_body_linear(b);
    for (int k = 0; k < b->nv; k++)
      largest = fmax(largest, k < linear ? fabs(d[b->v0 + k]) / sys->length : fabs(d[b->v0 + k]));
  }
  return largest > 0.5 ? 0.5 / largest : 1;
}

static hn_status close_positions(closer *c, const hn_system *sys, double *q, const double *v,
                                 const bool *out, double *final, int *worst) {
  double tol = 1e-14 * fmax(1, sys->length);
  hn_eval_jacobian(&c->work, 0, q, v);
  double now = violation(sys, c->work.phi, out, worst);
  int stuck = 0;
  for (int iteration = 0; iteration < 300 && now > tol && stuck < 3; iteration++) {
    for (int i = 0; i < sys->rows; i++) c->work.psi[i] = sys->holonomic[i] ? -c->work.phi[i] : 0;
    solve_rows(c, sys, c->work.psi, out);
    double s = step_limit(sys, c->step), next = now;
    for (int i = 0; i < sys->nv; i++) c->step[i] *= s;
    bool better = false;
    for (int halving = 0; halving < 12 && !better; halving++) {
      memcpy(c->trial, q, (size_t)sys->nq * sizeof(double));
      hn_retract(sys, c->trial, c->step);
      hn_eval_position(&c->work, 0, c->trial);
      next = violation(sys, c->work.phi, out, worst);
      better = next < now;
      if (!better)
        for (int i = 0; i < sys->nv; i++) c->step[i] *= 0.5;
    }
    if (better) memcpy(q, c->trial, (size_t)sys->nq * sizeof(double));
    // the last digits: stop when round-off decides
    stuck = better && next < 0.999 * now ? 0 : stuck + 1;
    if (better) now = next;
    hn_eval_jacobian(&c->work, 0, q, v);
    hn_accept_turns(&c->work);
    now = violation(sys, c->work.phi, out, worst);
    if (!better) break;
  }
  *final = now;
  return now <= 1e-9 * fmax(1, sys->length) ? HN_OK : HN_ERR_ASSEMBLY;
}

// "joint 'B': bodies 'crank' and 'coupler' are 0.31 m apart"
static hn_status cannot_close(hn_model *model, const hn_system *sys, int row, double v) {
  const hn_sys_joint *j = &sys->joint[sys->row_joint[row]];
  hn_place place = {0};
  int m = hn_model_find_joint(model, j->name), k = hn_model_find_block(model, j->name);
  if (m >= 0) place = model->joint[m].place;
  if (k >= 0)
    return hn_model_fail(model, model->block[k].place, HN_ERR_ASSEMBLY,
                         "block '%s': constraint '%s' cannot be met: %.3g stays (check the values "
                         "and held coordinates)",
                         j->name, sys->row_name[row], v);
  return hn_model_fail(model, place, HN_ERR_ASSEMBLY,
                       "joint '%s': cannot be closed: bodies '%s' and '%s' stay %.3g apart in row "
                       "'%s' (check lengths, positions and held coordinates)",
                       j->name, sys->body[j->a.body].info->name, sys->body[j->b.body].info->name, v,
                       sys->row_name[row]);
}

static hn_status assemble_with(closer *c, hn_system *sys, hn_system *extended, hn_model *model,
                               const holds *h, bool *out) {
  int base = sys->rows, worst;
  hn_check *check = &sys->check;
  double *q = sys->q0, *v = sys->v0;
  // violation as described, without the held rows
  for (int i = 0; i < extended->rows; i++) out[i] = i >= base;
  hn_eval_jacobian(&c->work, 0, q, v);
  check->position_before = violation(extended, c->work.phi, out, &worst);
  check->velocity_before = violation(extended, c->work.psi, out, &worst);
  for (int i = 0; i < sys->joints; i++) {
    const hn_group *g = &sys->group[sys->joint[i].group];
    double *closure = &((hn_check_joint *)check->joint)[i].closure;
    for (int r = g->row0; r < g->row0 + g->rows; r++)
      *closure = fmax(*closure, fabs(c->work.phi[r]));
  }

  // positions
  double L2 = sys->length * sys->length;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    int linear = hn_body_linear(b);
    for (int k = 0; k < b->nv; k++) {
      double w = k < linear ? 1 : L2;
      if (k >= linear && i < model->body_count && (model->body[i].def.hold & HN_HOLD_ROTATION))
        w *= heavy;
      if (b->kind == HN_SCALAR && b->hold) w *= heavy;
      c->weight[b->v0 + k] = w;
    }
  }
  // bodies are put in place, not rolled there
  for (int i = 0; i < base; i++) out[i] = !sys->holonomic[i];
  for (int i = 0; i < h->count; i++) out[base + i] = !h->row[i].position;
  double *start = malloc(((size_t)sys->nq + 1) * sizeof(double));
  if (!start) return HN_ERR_MEMORY;
  memcpy(start, q, (size_t)sys->nq * sizeof(double));
  hn_status status = close_positions(c, extended, q, v, out, &check->position_after, &worst);
  for (int i = 0; i < sys->nq; i++) check->moved = fmax(check->moved, fabs(q[i] - start[i]));
  free(start);
  if (status) return cannot_close(model, extended, worst, check->position_after);

  // velocities
  memcpy(c->weight, sys->mass, (size_t)sys->nv * sizeof(double));
  for (int i = 1; i < model->body_count; i++)
    if (model->body[i].def.hold & HN_HOLD_VELOCITY)
      for (int k = 0; k < sys->body[i].nv; k++) c->weight[sys->body[i].v0 + k] *= heavy;
  for (int i = 0; i < base; i++) out[i] = false;
  for (int i = 0; i < h->count; i++) out[base + i] = !h->row[i].velocity;
  for (int pass = 0; pass < 2; pass++) {
    hn_eval_jacobian(&c->work, 0, q, v);
    for (int i = 0; i < h->count; i++) c->work.psi[base + i] -= h->row[i].rate;
    check->velocity_after = violation(extended, c->work.psi, out, &worst);
    if (check->velocity_after == 0) break;
    for (int i = 0; i < extended->rows; i++) c->work.psi[i] = -c->work.psi[i];
    solve_rows(c, extended, c->work.psi, out);
    for (int i = 0; i < sys->nv; i++) v[i] += c->step[i];
  }
  hn_eval_jacobian(&c->work, 0, q, v);
  for (int i = 0; i < h->count; i++) c->work.psi[base + i] -= h->row[i].rate;
  check->velocity_after = violation(extended, c->work.psi, out, &worst);
  double speed = 0;
  for (int i = 0; i < sys->nv; i++) speed = fmax(speed, fabs(v[i]));
  if (!(check->velocity_after <= 1e-9 * fmax(1, speed)))
    return hn_model_fail(model, (hn_place){0}, HN_ERR_ASSEMBLY,
                         "the initial velocities contradict each other: row '%s' keeps a rate of "
                         "%.3g (two given rates or drivers may fight)",
                         extended->row_name[worst], check->velocity_after);
  // angles of joints, continuous from the description
  memcpy(sys->turn0, c->work.turn, (size_t)sys->turns * sizeof(double));
  return HN_OK;
}

hn_status hn_assemble(hn_system *sys, hn_model *model) {
  holds h = {0};
  hn_system *extended = NULL;
  hn_status status = HN_OK;
  bool wanted = false;
  for (int i = 1; i < model->body_count; i++)
    wanted |= (model->body[i].def.hold & (HN_HOLD_X | HN_HOLD_Y | HN_HOLD_Z)) != 0;
  for (int i = 0; i < model->joint_count; i++)
    wanted |= model->joint[i].def.hold || model->joint[i].def.rate_given;
  if (wanted)
    status = hn_compile_rows(&extended, model, &(hn_compile_extra){.rows = extra_rows, .user = &h});
  hn_system *s = extended ? extended : sys;

  hn_check_joint *joint = calloc((size_t)sys->joints + 1, sizeof *joint);
  sys->check.joint = joint;
  bool *out = calloc((size_t)s->rows + 1, sizeof(bool));
  closer c = {0};
  hn_arena arena = {0};
  if (!status) {
    closer_layout(&c, &arena, s);
    if (!joint || !out || !hn_arena_allocate(&arena)) {
      status = HN_ERR_MEMORY;
    } else {
      closer_layout(&c, &arena, s);
      status = assemble_with(&c, sys, s, model, &h, out);
    }
    if (status == HN_ERR_MEMORY) hn_model_fail(model, (hn_place){0}, status, "out of memory");
  }
  free(arena.base), free(out), free(h.row);
  hn_system_destroy(extended);
  return status;
}
