// velocities.c: the velocities at the start.
//
// Bodies move as described. A rate given for a joint moves b against a: first b is given the
// velocity that goes with it, joint by joint from the bodies that are no b of such a joint, and
// those stay as they are if the joints let them. Then everything is projected onto the joints with
// W = M, what an impulse through them would do. What is held must not change at all.
#include "base/elementary.h"
#include "compile/assemble.h"
#include "compile/massless.h"
#include "compile/nearby.h"

#include "linalg/dense.h"

#include <stdlib.h>
#include <string.h>

// ---- as described ----------------------------------------------------------------------------

static void rotation(const hn_sys_body *b, const double *x, double R[9]) {
  m3_identity(R);
  if (b->kind == HN_SPATIAL) q_matrix(R, x + 3);
  if (b->kind == HN_PLANAR) {
    // R[3] is the sine, R[0] the cosine
    hn_sincos(x[2], &R[3], &R[0]);
    R[4] = R[0], R[1] = -R[3];
  }
}

// velocities of a body from those of its centre of mass, world axes
static void set_twist(const hn_sys_body *b, const double R[9], const double linear[3],
                      const double angular[3], double *v) {
  double *u = v + b->v0;
  memcpy(u, linear, (size_t)hn_body_linear(b) * sizeof(double));
  if (b->kind == HN_PLANAR) u[2] = angular[2];
  if (b->kind == HN_SPATIAL) m3_tmulv(u + 3, R, angular);
}

void hn_described_velocities(const hn_system *sys, const hn_model *model, const double *q,
                             double *v) {
  for (int i = 0; i < sys->blocks; i++)
    for (int k = 0; k < sys->block[i].n; k++)
      v[sys->body[sys->block[i].body + k].v0] = model->block[i].def.coordinates[k].velocity;
  for (int i = 1; i < model->body_count; i++) {
    const hn_body_def *d = &model->body[i].def;
    const hn_sys_body *b = &sys->body[i];
    double R[9], user[9], r[3], s[3];
    rotation(b, q + b->q0, R);
    // from the frame's origin to the centre of mass, world
    m3_mult(user, R, b->info->axes);
    m3_mulv(r, user, b->info->com);
    v3_cross(s, d->angular_velocity, r);
    // given for the origin; v + w x r for the centre of mass
    v3_add(s, s, d->velocity);
    set_twist(b, R, s, d->angular_velocity, v);
  }
}

static bool described_at_rest(const hn_model *model, int body) {
  const hn_body_def *d = &model->body[body].def;
  bool rest = !(d->hold & HN_HOLD_VELOCITY);
  for (int k = 0; k < 3; k++) rest = rest && d->velocity[k] == 0 && d->angular_velocity[k] == 0;
  return rest;
}

// ---- rates of joints -------------------------------------------------------------------------

enum { MOST_ROWS = 8 };

// the rows of a group at the velocities v, and their columns on one body.
// psi is J v + Phi_t over all bodies of the group; J is kept of the one that is to move.
static int gather(const hn_closer *c, int group, int body, const double *v, int rows, double *J,
                  double *psi) {
  const hn_system *sys = c->sys;
  const hn_group *g = &sys->group[group];
  int nv = sys->body[body].nv;
  // both groups one after the other in the same arrays
  for (int r = 0; r < g->rows && rows < MOST_ROWS; r++, rows++) {
    psi[rows] = c->work.phi_t[g->row0 + r];
    memset(J + 6 * rows, 0, 6 * sizeof(double));
    for (int k = g->first; k < g->first + g->bodies; k++) {
      const hn_sys_body *b = &sys->body[sys->group_body[k]];
      const double *block = c->work.J + sys->block_offset[k] + r * b->nv;
      for (int i = 0; i < b->nv; i++) psi[rows] += block[i] * v[b->v0 + i];
      if (sys->group_body[k] == body) memcpy(J + 6 * rows, block, (size_t)nv * sizeof(double));
    }
  }
  return rows;
}

// the least change of one body's velocities, weighted by its mass, that a joint asks for.
// Rows of the joint and its held rate, which is the last of them, on one body alone: M^-1 J^T (J
// M^-1 J^T)^-1 of what is missing. The slight diagonal keeps rows that repeat each other solvable.
static void move_body(const hn_closer *c, const int group[2], int body, double rate, double *v) {
  const hn_sys_body *b = &c->sys->body[body];
  double J[6 * MOST_ROWS], psi[MOST_ROWS], S[MOST_ROWS * MOST_ROWS];
  const double *mass = c->sys->mass + b->v0;
  int n = gather(c, group[0], body, v, 0, J, psi);
  n = gather(c, group[1], body, v, n, J, psi);
  // the last row is the held one: its rate is what is asked for
  psi[n - 1] -= rate;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < b->nv; k++) sum += J[6 * i + k] * J[6 * j + k] / mass[k];
      // 1e-300 keeps rows of zeros from dividing by zero
      S[n * i + j] = sum * (i == j ? 1 + 1e-12 : 1) + (i == j ? 1e-300 : 0);
    }
  if (!hn_dense_cholesky(n, S)) return;  // the projection does what it can
  hn_dense_cholesky_solve(n, S, psi);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < b->nv; k++) v[b->v0 + k] -= J[6 * i + k] / mass[k] * psi[i];
}

// b as if it were fixed to a.
// A body that was described at rest is meant to go along with what carries it.
static void ride(const hn_closer *c, int a, int b, double *v) {
  const hn_system *sys = c->sys;
  const hn_kin *A = &c->work.kin[a], *B = &c->work.kin[b];
  double wa[3] = {0}, va[3] = {0}, d[3], s[3];
  const hn_sys_body *body = &sys->body[a];
  if (body->nv) {
    memcpy(va, v + body->v0, (size_t)hn_body_linear(body) * sizeof(double));
    if (body->kind == HN_PLANAR) wa[2] = v[body->v0 + 2];
    // angular velocity of a in world axes
    if (body->kind == HN_SPATIAL) m3_mulv(wa, A->R, v + body->v0 + 3);
  }
  v3_sub(d, B->p, A->p);
  v3_cross(s, wa, d);
  v3_add(s, s, va);
  set_twist(&sys->body[b], B->R, s, wa, v);
}

// poses of all bodies, also of those nothing in space looks at.
// Evaluation fills in poses of planar bodies only where something in space looks at them.
static void fill_poses(hn_closer *c, const double *q) {
  const hn_system *sys = c->sys;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    if (b->kind == HN_SCALAR) continue;
    hn_kin *k = &c->work.kin[i];
    v3_set(k->p, 0, 0, 0);
    memcpy(k->p, q + b->q0, (size_t)hn_body_linear(b) * sizeof(double));
    rotation(b, q + b->q0, k->R);
  }
}

// root (bodies) becomes true for those against which others move and which no joint moves.
// waiting[b]: how many rates still have to move b. A joint is done when nothing moves its a any
// more; circles are left to the projection. Nothing happens when memory is short: the projection
// alone gives a state that is right, if not the one that was meant.
static void give_rates(hn_closer *c, const hn_model *model, const hn_holds *holds, int base,
                       bool *root, double *v) {
  const hn_system *sys = c->sys;
  int *waiting = calloc((size_t)sys->bodies + 1, sizeof(int));
  bool *done = calloc((size_t)holds->count + 1, sizeof(bool));
  // given rates of the start are rows of many bodies, and left to the projection
  for (int i = 0; waiting && done && i < holds->count; i++) {
    const hn_hold_row *h = &holds->row[i];
    const hn_sys_joint *j = &sys->joint[sys->row_joint[base + i]];
    done[i] = !h->velocity || h->start;
    if (!done[i] && j->b.body) waiting[j->b.body]++;
  }
  for (int i = 0; waiting && done && i < holds->count; i++) {
    const hn_sys_joint *j = &sys->joint[sys->row_joint[base + i]];
    if (!done[i] && j->a.body && j->b.body) root[j->a.body] = waiting[j->a.body] == 0;
  }
  // as long as some joint could be done
  for (bool more = waiting && done; more;) {
    more = false;
    for (int i = 0; i < holds->count; i++) {
      const hn_sys_joint *j = &sys->joint[sys->row_joint[base + i]];
      // its a may still be moved by another rate
      if (done[i] || waiting[j->a.body] > 0) continue;
      int moving = j->b.body ? j->b.body : j->a.body, other = j->b.body ? j->a.body : 0;
      if (sys->body[moving].kind != HN_SCALAR && moving < model->body_count) {
        if (described_at_rest(model, moving)) ride(c, other, moving, v);
        int group[2] = {holds->row[i].group, j->group};
        move_body(c, group, moving, holds->row[i].rate, v);
      }
      if (j->b.body) waiting[j->b.body]--;
      done[i] = more = true;
    }
  }
  free(waiting), free(done);
}

// ---- the projection --------------------------------------------------------------------------

// Held rows have the rate that was given, not zero.
static double violation(hn_closer *c, const hn_holds *holds, int base, const double *q,
                        const double *v, int *worst) {
  hn_eval_jacobian(&c->work, 0, q, v);
  for (int i = 0; i < holds->count; i++) c->work.psi[base + i] -= holds->row[i].rate;
  return hn_closer_worst(c, c->work.psi, worst);
}

// A part of the fastest there is: of what moves, and of what is asked to
static double allowed(const hn_closer *c, const hn_holds *holds, int base, const double *v) {
  const hn_system *sys = c->sys;
  double speed = 0;
  for (int i = 0; i < sys->nv; i++) speed = fmax(speed, fabs(v[i]) * hn_velocity_arm(sys, i));
  for (int i = 0; i < sys->rows; i++)
    if (!c->out[i]) speed = fmax(speed, fabs(c->work.phi_t[i]) * hn_row_arm(sys, i));
  for (int i = 0; i < holds->count; i++)
    if (!c->out[base + i])
      speed = fmax(speed, fabs(holds->row[i].rate) * hn_row_arm(sys, base + i));
  return fmax(1e-9 * speed, 1e-300);  // rounding of what is all but zero
}

// The damping that keeps dependent rows solvable slows down what long driven chains need, whose
// rows are all but dependent: as long as a pass gets on, another one follows
// at least twice: rounding of the first pass is taken away by the second
static double project(hn_closer *c, const hn_holds *holds, int base, const double *q, double *v,
                      int *worst) {
  enum { LEAST = 2, MOST = 200 };
  const hn_system *sys = c->sys;
  double last = INFINITY, left = violation(c, holds, base, q, v, worst);
  for (int pass = 0; left > 0 && pass < MOST; pass++) {
    // damped as in closing.c; the passes here make up for it
    if (pass >= LEAST && (left <= 1e-4 * allowed(c, holds, base, v) || !(left < 0.9 * last))) break;
    last = left;
    for (int i = 0; i < sys->rows; i++) c->work.psi[i] = -c->work.psi[i];
    hn_closer_solve(c, c->work.psi, fmax(1e-10, c->gap));
    for (int i = 0; i < sys->nv; i++)
      if (!c->fixed[i]) v[i] += c->step[i];
    left = violation(c, holds, base, q, v, worst);
  }
  return left;
}

// a body whose held velocity takes part in the row.
// Of the row's own bodies if one is held, otherwise the first of the model: something held is the
// cause.
static int held_body(const hn_system *sys, const hn_model *model, int row) {
  const hn_group *g = &sys->group[sys->joint[sys->row_joint[row]].group];
  for (int k = g->first; k < g->first + g->bodies; k++)
    if (sys->group_body[k] < model->body_count &&
        (model->body[sys->group_body[k]].def.hold & HN_HOLD_VELOCITY))
      return sys->group_body[k];
  for (int i = 1; i < model->body_count; i++)
    if (model->body[i].def.hold & HN_HOLD_VELOCITY) return i;
  return 0;
}

static hn_status refuse(const hn_closer *c, hn_model *model, int worst, double left) {
  const hn_system *sys = c->sys;
  int held = held_body(sys, model, worst);
  const hn_sys_joint *j = &sys->joint[sys->row_joint[worst]];
  const char *unit = sys->angular_row[worst] ? "rad/s" : "m/s";
  if (held)
    return hn_model_fail(model, model->body[held].place, HN_ERR_ASSEMBLY,
                         "body '%s': its velocity is held, but then joint '%s' is violated by %.3g "
                         "%s (row '%s'; leave `hold: velocity` out, or give a velocity the joints "
                         "and drivers allow)",
                         model->body[held].def.name, j->name, left, unit, sys->row_name[worst]);
  int m = hn_model_find_joint(model, j->name);
  return hn_model_fail(model, m >= 0 ? model->joint[m].place : (hn_place){0}, HN_ERR_ASSEMBLY,
                       "the initial velocities contradict each other: row '%s' keeps a rate of "
                       "%.3g %s (two given rates or drivers may fight)",
                       sys->row_name[worst], left, unit);
}

// Twice: first with the roots fixed, then, where the joints do not allow that, with everything free
// that is not held.
hn_status hn_start_velocities(hn_closer *c, hn_system *sys, hn_model *model, const hn_holds *holds,
                              const double *q, double *v) {
  int base = sys->rows, worst = -1;
  hn_check *check = &sys->check;
  bool *root = calloc((size_t)sys->bodies + 1, sizeof(bool)), any = false;
  double *given = malloc(((size_t)sys->nv + 1) * sizeof(double));
  if (!root || !given) {
    free(root), free(given);
    return HN_ERR_MEMORY;
  }
  // rows of the joints alone, as described
  for (int i = 0; i < c->sys->rows; i++) c->out[i] = i >= base;
  double left = violation(c, holds, base, q, v, &worst);
  check->velocity_before = worst < 0 ? 0 : left / hn_row_arm(c->sys, worst);
  for (int i = 0; i < holds->count; i++) c->out[base + i] = !holds->row[i].velocity;
  fill_poses(c, q);
  give_rates(c, model, holds, base, root, v);
  memcpy(given, v, (size_t)sys->nv * sizeof(double));
  // what has no inertia yields to everything else
  for (int i = 0; i < sys->nv; i++)
    c->weight[i] = sys->mass[i] * (hn_is_massless(sys, i) ? 1e-9 : 1);
  for (int release = 0; release < 2; release++) {
    for (int i = 1; i < sys->bodies; i++) {
      const hn_sys_body *b = &sys->body[i];
      bool held = i < model->body_count && (model->body[i].def.hold & HN_HOLD_VELOCITY);
      any |= root[i];
      for (int k = 0; k < b->nv; k++) c->fixed[b->v0 + k] = held || (root[i] && !release);
    }
    left = project(c, holds, base, q, v, &worst);
    if (left <= allowed(c, holds, base, v) || !any || release) break;
    memcpy(v, given, (size_t)sys->nv * sizeof(double));
  }
  free(root), free(given);
  // joints that repeat others may miss them a little: redundancy.c judges what is left
  check->velocity_after = worst < 0 ? 0 : left / hn_row_arm(c->sys, worst);
  if (left <= HN_MEANT / 1e-9 * allowed(c, holds, base, v)) return HN_OK;
  return refuse(c, model, worst, check->velocity_after);
}
