// bushing.c: elastic and damping 6x6 connection between a frame of a and a frame of b.
//
// With the frames moved so that they agree where it is relaxed (frames.h),
//
//   x = (d, theta),  x' = T y,   T = diag(1, L)
//
// The potential V = x^T K x / 2 - p^T x (K symmetric, p the preload) and the damper give the wrench
// on b at P_b, in axes A, and from it the generalized force:
//
//   w = -T^T (K x - p) - C y,   f = E^T w
//
// so that f is exactly -grad V, however large the rotation, and the damper takes y^T C y. The
// tangent is df/dq = E^T dw/dq + (dE/dq)^T w.
#include "forces/bushing.h"

#include "forces/force.h"
#include "forces/frames_formulas.h"
#include "system/pair.h"

#include <string.h>

// everything the force is made of at one state
typedef struct state {
  hn_frames_state s;
  double x[6];
  double w[6];  // force and torque on b in axes A
  double g[3];  // torque rows of K x - p
} state;

// in axes A on b at its point; C acts on velocities as they are, K on the rotation vector, whose
// rate is another (L)
static void evaluate(const hn_bushing *e, const hn_work *work, state *o) {
  // K over (d, theta), C over (d', w)
  double Kx[6], Cy[6], torque[3];
  hn_frames_evaluate(&e->frames, work, &o->s);
  v3_copy(o->x, o->s.d), v3_copy(o->x + 3, o->s.theta);
  hn_mul6(Kx, e->K, o->x);
  // the preload pulls at x = 0: V = x^T K x / 2 - p^T x
  for (int i = 0; i < 6; i++) Kx[i] -= e->preload[i];
  hn_mul6(Cy, e->C, o->s.y);
  v3_copy(o->g, Kx + 3);
  // moments are T^T of those along theta
  m3_tmulv(torque, o->s.L, o->g);
  for (int i = 0; i < 3; i++) {
    o->w[i] = -Kx[i] - Cy[i];
    o->w[3 + i] = -torque[i] - Cy[3 + i];
  }
}

static void eval(const hn_system *sys, hn_work *work, int count, const void *data) {
  const hn_bushing *e = data;
  for (int i = 0; i < count; i++, e++) {
    state s;
    // once more, since the wrench has elastic and damping parts added up
    double Kx[6], Cy[6];
    evaluate(e, work, &s);
    hn_frames_apply(&e->frames, sys, work, &s.s, s.w);
    hn_mul6(Kx, e->K, s.x);
    hn_mul6(Cy, e->C, s.s.y);
    for (int k = 0; k < 6; k++) {
      // x . (K x / 2 - p)
      work->potential += s.x[k] * (0.5 * Kx[k] - e->preload[k]);
      work->power -= s.s.y[k] * Cy[k];
    }
  }
}

// H = d(T^T K x)/dx T, by which the elastic wrench changes with E dq
static void elastic_change(const hn_bushing *e, const state *s, double H[36]) {
  // N: L^T g changes with theta while g is held
  double P[36], N[9];
  const double *L = s->s.L;
  hn_log_change(&s->s, s->g, N);
  // P = T^T K + (0 0; 0 N)
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 6; j++) {
      // rows of forces as they are, rows of moments by L^T
      P[6 * i + j] = e->K[6 * i + j];
      P[6 * (3 + i) + j] = j < 3 ? 0 : N[3 * i + j - 3];
      for (int k = 0; k < 3; k++) P[6 * (3 + i) + j] += L[3 * k + i] * e->K[6 * (3 + k) + j];
    }
  // columns of turns: E gives w, and theta' = L w
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 3; j++) {
      H[6 * i + j] = P[6 * i + j];
      H[6 * i + 3 + j] = 0;
      for (int k = 0; k < 3; k++) H[6 * i + 3 + j] += P[6 * i + 3 + k] * L[3 * k + j];
    }
}

static void tangent(const hn_system *sys, hn_work *work, int count, const void *data,
                    hn_tangent *out) {
  const hn_bushing *e = data;
  for (int i = 0; i < count; i++, e++) {
    const hn_frames *f = &e->frames;
    state s;
    // held wrench: directions and arms change
    double E[72], H[36], K[144] = {0};
    evaluate(e, work, &s);
    hn_frames_map(f, work, &s.s, E);
    hn_frames_geometric(f, work, &s.s, s.w, K);
    elastic_change(e, &s, H);
    hn_frames_sandwich(K, E, H, E);
    // undamped ones have no C at all, and need no velocities
    if (e->damped) {
      double Y[72], C[144] = {0};
      hn_frames_velocity_change(f, sys, work, &s.s, Y);
      hn_frames_sandwich(K, E, e->C, Y);
      // C = -E^T C E
      hn_frames_sandwich(C, E, e->C, E);
      hn_pair_tangent(sys, out, HN_TANGENT_C, f->a, f->b, C);
    }
    hn_pair_tangent(sys, out, HN_TANGENT_K, f->a, f->b, K);
  }
}

// the same in formulas; theta = k s, L^T g = g + k/2 s x g + m s x (s x g)
static void formulas(hn_formulas *f, int count, const void *data) {
  const hn_bushing *e = data;
  hn_graph *g = f->g;
  for (int i = 0; i < count; i++, e++) {
    hn_frames_turn o;
    // everything over the reduced quantities, see frames_formulas.h
    hn_node x[6], force[6], lossy[6], once[3], twice[3], power = f->zero;
    hn_frames_look(f, &e->frames, &o);
    for (int k = 0; k < 3; k++) x[k] = o.d[k], x[3 + k] = n_mul(g, o.k, o.s[k]);
    hn_formulas_mul6(g, force, e->K, x);
    for (int k = 0; k < 6; k++) {
      hn_node preload = n_constant(g, e->preload[k]);
      hn_formulas_potential(f, n_mul(g, x[k], n_sub(g, n_scale(g, 0.5, force[k]), preload)));
      force[k] = n_sub(g, force[k], preload);
    }
    // L^T g by the reduced quantities
    n3_cross(g, once, o.s, force + 3);
    n3_cross(g, twice, o.s, once);
    n3_scale(g, once, n_scale(g, 0.5, o.k), once);
    n3_scale(g, twice, o.m, twice);
    n3_add(g, force + 3, force + 3, once);
    n3_add(g, force + 3, force + 3, twice);
    // damping over velocities as they are
    hn_formulas_mul6(g, lossy, e->C, o.rate);
    for (int k = 0; k < 6; k++) {
      power = n_sub(g, power, n_mul(g, lossy[k], o.rate[k]));
      hn_formulas_apply(f, n_neg(g, n_add(g, force[k], lossy[k])), o.rate[k]);
    }
    if (e->damped) hn_formulas_power(f, power);
  }
}

// ---- columns and building ------------------------------------------------------------------

static const char *column(const void *data, int k, const char **unit) {
  static const char *const name[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
  (void)data;
  // six, the first that is none ends the list
  if (k > 5) return NULL;
  *unit = k < 3 ? "N" : "N m";
  return name[k];
}

// wrench on b at its point, in the axes of the frame on a
static double read(const hn_system *sys, const hn_work *work, const void *data, int k) {
  state s;
  (void)sys;
  evaluate(data, work, &s);
  return s.w[k];
}

// as assembled: the frame on a takes the place of b's point, that on b the axes of a's
static void relax(const hn_work *work, int count, void *data) {
  hn_bushing *e = data;
  for (int i = 0; i < count; i++, e++) {
    hn_frames *f = &e->frames;
    // poses of the assembled state
    const hn_kin *a = &work->kin[f->a], *b = &work->kin[f->b];
    double d[3], A[9];
    // P_b becomes the point of a as well: d = 0
    if (e->place_as_assembled) {
      m3_mulv(d, b->R, f->sb);
      for (int k = 0; k < 3; k++) d[k] += b->p[k] - a->p[k];
      m3_tmulv(f->sa, a->R, d);
    }
    // B := A, by turning the frame of b: theta = 0
    if (e->turn_as_assembled) {
      m3_mul(A, a->R, f->Ma);
      m3_tmul(f->Mb, b->R, A);
    }
  }
}

static const hn_force_ops ops = {
    .name = "bushing",
    .data_size = sizeof(hn_bushing),
    .eval = eval,
    .tangent = tangent,
    .column = column,
    .read = read,
    .pair = hn_bushing_pair,
    .between = hn_bushing_between,
    .relax = relax,
    .formulas = formulas,
};

// where it is relaxed: as `free` says; between two frames where they agree, points with points, and
// axes with axes if both have an orientation; otherwise as assembled.
// 'free' moves the frame on a to where b's is to be, and turns that on b back by as much: x and
// theta then count from there
static void choose_rest(hn_builder *builder, const hn_force_def *def, hn_bushing *e) {
  const hn_mount *a = hn_mount_a(builder), *b = hn_mount_b(builder);
  hn_frames *f = &e->frames;
  bool oriented_a, oriented_b;
  hn_build_oriented(builder, &oriented_a, &oriented_b);
  v3_copy(f->sa, a->s), v3_copy(f->sb, b->s);
  memcpy(f->Ma, a->R, sizeof f->Ma);
  memcpy(f->Mb, b->R, sizeof f->Mb);
  e->place_as_assembled = !def->free6 && !(def->a.frame.id && def->b.frame.id);
  e->turn_as_assembled = !def->free6 && !(oriented_a && oriented_b && v3_norm(def->axis) == 0);
  if (!def->free6) return;
  double d[3], back[3], R[9], M[9];
  m3_mulv(d, f->Ma, def->free6);
  v3_add(f->sa, f->sa, d);
  // exp(-theta) turns the frame of b back by what `free` is
  v3_scale(back, -1, def->free6 + 3);
  hn_rotation_of(R, back);
  memcpy(M, f->Mb, sizeof M);
  m3_mul(f->Mb, M, R);
}

static hn_status build(hn_builder *builder, const hn_force_def *def) {
  hn_bushing e;
  memset(&e, 0, sizeof e);
  e.frames.a = hn_mount_a(builder)->body, e.frames.b = hn_mount_b(builder)->body;
  if (!hn_mount_turns(builder, hn_mount_a(builder)) ||
      !hn_mount_turns(builder, hn_mount_b(builder)))
    return hn_build_status(builder);
  memcpy(e.K, def->stiffness6, sizeof e.K);
  if (def->damping6) {
    memcpy(e.C, def->damping6, sizeof e.C);
    for (int i = 0; i < 36; i++) e.damped = e.damped || e.C[i] != 0;
  }
  if (def->preload6) memcpy(e.preload, def->preload6, sizeof e.preload);
  // in the plane only what acts there is meant; a bushing whose z is the normal
  bool flat = hn_build_planar(builder) && hn_mount_a(builder)->R[8] > 1 - 1e-9;
  if (flat && (e.preload[2] != 0 || e.preload[3] != 0 || e.preload[4] != 0))
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "preload: planar bodies do not move along z nor turn about x and y (leave "
                         "these numbers zero)");
  choose_rest(builder, def, &e);
  hn_build_need_kin(builder, e.frames.a);
  hn_build_need_kin(builder, e.frames.b);
  hn_build_force(builder, &ops, &e);
  return hn_build_status(builder);
}

const hn_force_type hn_force_bushing = {
    .info = {.name = "bushing",
             .help = "6x6 stiffness and damping between a frame of a and a frame of b",
             .keys = "at axis stiffness damping free preload",
             .required = "stiffness"},
    .build = build,
};
