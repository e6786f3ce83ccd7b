// force_rig.h: two bodies with a force between them, and what must hold for every force.
//
//   df/dq, df/dv       against fourth-order central differences of f
//   f = -dV/dq         at rest, for what has a potential
//   f.v = -dV/dt + P   always: the books of energy balance
//   sum of forces and moments is zero between two free bodies
#ifndef HN_FORCE_RIG_H
#define HN_FORCE_RIG_H

#include <stdlib.h>

#include "forces/force.h"
#include "system/build.h"
#include "test.h"

enum { GROUND = -1, MAX = 16 };
enum { POTENTIAL = 1, INTERNAL = 2 };  // what holds besides the tangent and the energy balance

// two bodies a and b, what connects them, and the compiled system at some state
typedef struct rig {
  hn_model *model;
  hn_system *sys;
  hn_work work;
  hn_arena arena;
  hn_body a, b;
  int kind[2];
  double p[2][3];  // described positions
  bool flat;       // both bodies are planar, or one is the ground
  int count;       // bodies that move
  double q[MAX], v[MAX];
} rig;

static inline hn_body add_body(rig *r, const char *name, int kind, double at[3]) {
  v3_set(at, 0, 0, 0);
  if (kind == GROUND) return HN_GROUND;
  bool flat = kind == HN_PLANAR || kind == HN_PLANAR_POINT;
  hn_body_def def = {.name = name, .kind = (hn_body_kind)kind, .mass = test_random(1, 3)};
  for (int i = 0; i < (flat ? 2 : 3); i++) def.position[i] = at[i] = test_random(-1, 1);
  if (kind == HN_SPATIAL) {
    // products of inertia and an offset centre: inner axes differ from those described
    const double inertia[6] = {0.4, 0.5, 0.6, 0.05, -0.03, 0.02};
    memcpy(def.inertia, inertia, sizeof inertia);
    v3_set(def.com, 0.1, -0.05, 0.07);
    for (int i = 0; i < 4; i++) def.orientation[i] = test_random(-1, 1);
  }
  if (kind == HN_PLANAR) {
    def.inertia[2] = 0.3;
    v3_set(def.com, 0.1, -0.05, 0);
    def.angle = test_random(-2, 2);
  }
  r->count++;
  r->flat = r->flat && flat;
  return hn_add_body(r->model, &def);
}

static inline void rig_open(rig *r, int kind_a, int kind_b) {
  memset(r, 0, sizeof *r);
  r->model = hn_model_create();
  r->flat = true;
  r->kind[0] = kind_a, r->kind[1] = kind_b;
  r->a = add_body(r, "a", kind_a, r->p[0]);
  r->b = add_body(r, "b", kind_b, r->p[1]);
}

static inline void rig_close(rig *r) {
  free(r->arena.base);
  hn_system_destroy(r->sys);
  hn_model_destroy(r->model);
}

enum { A, B };
// a point near body a or b, world; a point mass only has its own
static inline void near(const rig *r, int side, double x, double y, double z, double out[3]) {
  v3_copy(out, r->p[side]);
  if (r->kind[side] == HN_POINT || r->kind[side] == HN_PLANAR_POINT) return;
  out[0] += x, out[1] += y;
  if (!r->flat) out[2] += z;
}

// in reference coordinates, where the velocities are those of the bodies
static inline bool rig_compile(rig *r) {
  hn_options *options = hn_model_options(r->model);
  snprintf(options->coordinates, sizeof options->coordinates, "reference");
  if (!CHECK(hn_compile(&r->sys, r->model) == HN_OK)) {
    printf("  %s\n", hn_model_error(r->model));
    return false;
  }
  hn_work_layout(&r->work, &r->arena, r->sys);
  if (!CHECK(hn_arena_allocate(&r->arena))) return false;
  hn_work_layout(&r->work, &r->arena, r->sys);
  memcpy(r->q, r->sys->q0, (size_t)r->sys->nq * sizeof(double));
  memset(r->v, 0, sizeof r->v);
  return CHECK(r->sys->nq <= MAX && r->sys->nv <= MAX);
}

// adds the force, compiles; the ends are filled in unless it acts on a joint
static inline bool rig_force(rig *r, hn_force_def def) {
  def.name = "it";
  if (!def.joint) {
    def.a.body = def.a.body.id || strcmp(def.type, "tyre") == 0 ? def.a.body : r->a;
    def.b.body = r->b;
  }
  if (!CHECK(hn_add_force(r->model, &def).id > 0)) {
    printf("  %s\n", hn_model_error(r->model));
    return false;
  }
  return rig_compile(r);
}

static inline void rig_eval(rig *r, double t) {
  hn_eval_all(&r->work, t, r->q, r->v);
}

static inline void random_state(rig *r, double spread) {
  double d[MAX];
  memcpy(r->q, r->sys->q0, (size_t)r->sys->nq * sizeof(double));
  for (int i = 0; i < r->sys->nv; i++) {
    d[i] = test_random(-spread, spread);
    r->v[i] = test_random(-1, 1);
  }
  hn_retract(r->sys, r->q, d);
}

static inline double column_value(const rig *r, int k) {
  const hn_batch *b = &r->sys->batch[0];
  return b->ops->read(r->sys, &r->work, b->data, k);
}

// ---- the four checks -----------------------------------------------------------------------

// forces at the state moved by d along velocity coordinate i, of positions or of velocities
static inline void moved_force(rig *r, double t, bool position, int i, double d, double *f) {
  double q[MAX], v[MAX], step[MAX] = {0};
  const hn_system *sys = r->sys;
  memcpy(q, r->q, sizeof q);
  memcpy(v, r->v, sizeof v);
  step[i] = d;
  if (position)
    hn_retract(sys, q, step);
  else
    v[i] += d;
  hn_eval_all(&r->work, t, q, v);
  // multipliers stay as they are: the part of friction that depends on them is differentiated too
  for (int k = 0; k < sys->batches; k++)
    if (sys->batch[k].ops->reactive)
      sys->batch[k].ops->reactive(sys, &r->work, sys->batch[k].count, sys->batch[k].data);
  memcpy(f, r->work.f, (size_t)sys->nv * sizeof(double));
}

static inline void check_tangent(rig *r, double t) {
  const int n = r->sys->nv;
  double K[MAX * MAX] = {0}, C[MAX * MAX] = {0};
  hn_tangent tangent = {.n = n, .K = K, .C = C};
  rig_eval(r, t);
  hn_force_tangent(&r->work, &tangent);
  for (int pass = 0; pass < 2; pass++) {
    const double h = 2e-4, *exact = pass ? C : K;
    double numeric[MAX * MAX], f[4][MAX], scale = 1, worst = 0;
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < 4; k++)
        moved_force(r, t, pass == 0, j, h * (double[]){-2, -1, 1, 2}[k], f[k]);
      for (int i = 0; i < n; i++)
        numeric[n * i + j] = (f[0][i] - 8 * f[1][i] + 8 * f[2][i] - f[3][i]) / (12 * h);
    }
    for (int i = 0; i < n * n; i++) scale = fmax(scale, fabs(numeric[i]));
    for (int i = 0; i < n * n; i++) worst = fmax(worst, fabs(numeric[i] - exact[i]));
    if (!CHECK(worst < 1e-7 * scale))
      printf("  d f / d %s of %s is off by %g of %g\n", pass ? "v" : "q",
             r->sys->batch[0].ops->name, worst, scale);
  }
}

static inline double potential(rig *r, double t, const double *d, double s) {
  double q[MAX], step[MAX];
  memcpy(q, r->q, sizeof q);
  for (int i = 0; i < r->sys->nv; i++) step[i] = s * d[i];
  hn_retract(r->sys, q, step);
  hn_eval_all(&r->work, t, q, r->v);
  return hn_potential_energy(&r->work);
}

// dV along the direction d in velocity coordinates
static inline double potential_slope_by(rig *r, double t, const double *d, double h) {
  return (potential(r, t, d, -2 * h) - 8 * potential(r, t, d, -h) + 8 * potential(r, t, d, h) -
          potential(r, t, d, 2 * h)) /
         (12 * h);
}

static inline double potential_slope(rig *r, double t, const double *d) {
  return potential_slope_by(r, t, d, 2e-4);
}

static inline void check_energy(rig *r, double t) {
  double slope = potential_slope(r, t, r->v), work = 0, size = 1;
  // where a contact begins within the differences they mean nothing: shorter ones then differ
  double nearer = potential_slope_by(r, t, r->v, 2e-5);
  if (fabs(nearer - slope) > 1e-7 * fmax(1, fabs(slope))) slope = nearer;
  rig_eval(r, t);
  for (int i = 0; i < r->sys->nv; i++) {
    work += r->work.f[i] * r->v[i];
    size = fmax(size, fabs(r->work.f[i] * r->v[i]));
  }
  CHECK_NEAR(work, r->work.power - slope, 1e-8 * size);
}

static inline void check_potential(rig *r, double t) {
  double v[MAX];
  memcpy(v, r->v, sizeof v);
  memset(r->v, 0, sizeof r->v);
  for (int i = 0; i < r->sys->nv; i++) {
    double d[MAX] = {0};
    d[i] = 1;
    double slope = potential_slope(r, t, d);
    rig_eval(r, t);
    CHECK_REL(r->work.f[i], -slope, 10, 1e-8);
    CHECK(r->work.power == 0);
  }
  memcpy(r->v, v, sizeof v);
}

// resultant force and moment about the origin of everything but gyroscopic torques
static inline void resultant(const rig *r, double F[3], double T[3]) {
  v3_set(F, 0, 0, 0);
  v3_set(T, 0, 0, 0);
  for (int i = 1; i < r->sys->bodies; i++) {
    const hn_sys_body *b = &r->sys->body[i];
    const double *f = r->work.f + b->v0, *q = r->q + b->q0, *w = r->v + b->v0 + 3;
    double force[3] = {f[0], f[1], 0}, torque[3] = {0, 0, 0}, p[3] = {q[0], q[1], 0}, x[3];
    if (b->kind == HN_PLANAR) torque[2] = f[2];
    if (b->kind == HN_POINT || b->kind == HN_SPATIAL) force[2] = f[2], p[2] = q[2];
    if (b->kind == HN_SPATIAL) {
      double R[9], Iw[3], local[3];
      q_matrix(R, q + 3);
      for (int k = 0; k < 3; k++) Iw[k] = b->inertia[k] * w[k];
      v3_cross(local, w, Iw);
      v3_add(local, local, f + 3);
      m3_mulv(torque, R, local);
    }
    v3_add(F, F, force);
    v3_add(T, T, torque);
    v3_cross(x, p, force);
    v3_add(T, T, x);
  }
}

static inline void check_third_law(rig *r, double t) {
  double F[3], T[3], size = 1;
  rig_eval(r, t);
  resultant(r, F, T);
  for (int i = 0; i < r->sys->nv; i++) size = fmax(size, fabs(r->work.f[i]));
  for (int k = 0; k < 3; k++) {
    if (r->flat && k == 2) {
      CHECK_NEAR(T[2], 0, 1e-12 * size);
      continue;
    }
    CHECK_NEAR(F[k], 0, 1e-12 * size);
    if (!r->flat) CHECK_NEAR(T[k], 0, 1e-12 * size);
  }
}

// all checks at a few random states; the plane carries what leaves it, so the third law is
// checked only where no planar body meets a spatial one
static inline void check_states(rig *r, int what, double spread) {
  bool mixed = false;
  for (int i = 1; i < r->sys->bodies; i++) {
    hn_body_kind kind = r->sys->body[i].kind;
    mixed = mixed || (!r->flat && (kind == HN_PLANAR || kind == HN_PLANAR_POINT));
  }
  for (int state = 0; state < 4; state++) {
    double t = test_random(0, 2);
    random_state(r, spread);
    check_tangent(r, t);
    check_energy(r, t);
    if (what & POTENTIAL) check_potential(r, t);
    if ((what & INTERNAL) && r->count == 2 && !mixed) check_third_law(r, t);
  }
}

static inline void add_joint(rig *r, const char *type, const double axis[3]) {
  hn_joint_def def = {.name = "j", .type = type, .a = {.body = r->a}, .b = {.body = r->b}};
  v3_copy(def.axis, axis);
  near(r, B, 0.2, 0.1, 0.3, def.at);
  if (!CHECK(hn_add_joint(r->model, &def).id > 0)) printf("  %s\n", hn_model_error(r->model));
}

#endif
