// beam.c: a geometrically exact beam element between a frame of a and a frame of b.
//
// x runs along the beam in both frames. Its strain is the logarithm of the pose of b's frame seen
// from a's,
//
//   x = (u, theta),  u = L(theta) d       x' = T y,  T = X diag(1, L),  X = (L  N; 0  1)
//
// (d, theta, y, L: frames.h; N = d(L d)/dtheta), constant along the element and blind to motions
// of both frames together. From it follow the potential V = (x - x0)^T K (x - x0) / 2, K from the
// section's stiffness (beam_section.c), and dampers proportional to it:
//
//   g = K (x - x0) + tau K x',   w = -T^T g,   f = E^T w
//
// Relaxed at x0. The tangent is df/dq = E^T dw/dq + (dE/dq)^T w. With z = (d, theta) and the second
// derivatives of x over z, contracted with g (`curvature`), everything in it is exact.
//
// V. Sonneville, A. Cardona, O. Bruls, Geometrically exact beam finite element formulated on the
// special Euclidean group SE(3), Comput. Methods Appl. Mech. Engrg. 268 (2014).
#include "forces/beam.h"

#include "base/elementary.h"
#include "forces/force.h"
#include "system/pair.h"

#include <string.h>

typedef struct state {
  // frames with theta, L and the coefficients of the logarithm
  hn_frames_state s;
  double x[6], rate[6];  // x and x'
  double e[6], g[6];     // elastic forces along x, and all
  double w[6];           // force and torque on b in axes A
  double X[36];
  double G[3];  // turning rows of X^T g
} state;

void hn_beam_log(const double d[3], const double theta[3], double x[6]) {
  // c of the matrix L; its derivatives are for tangents
  double c, dc, ddc, L[9];
  hn_log_coefficients(v3_dot(theta, theta), &c, &dc, &ddc);
  hn_log_matrix(theta, c, L);
  m3_mulv(x, L, d);
  v3_copy(x + 3, theta);
}

// d(L v)/dtheta with v held
static void log_change(const hn_frames_state *s, const double v[3], double N[9]) {
  // hn_log_change has d(L^T v)/dtheta, L^T = L + [theta]: the difference is [v]
  double V[9];
  hn_log_change(s, v, N);
  m3_skew(V, v);
  for (int i = 0; i < 9; i++) N[i] += V[i];
}

// X takes changes of (d, theta) to those of the logarithm (u, theta)
static void set_map(state *o) {
  double N[9];
  log_change(&o->s, o->s.d, N);
  // rows u, then theta; columns d, then theta
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      o->X[6 * i + j] = o->s.L[3 * i + j];
      o->X[6 * i + 3 + j] = N[3 * i + j];
      o->X[6 * (3 + i) + j] = 0;
      o->X[6 * (3 + i) + 3 + j] = i == j;
    }
}

// z' = diag(1, L) y
static void turned(const state *s, double zr[6]) {
  v3_copy(zr, s->s.y);
  m3_mulv(zr + 3, s->s.L, s->s.y + 3);
}

static void evaluate(const hn_beam_element *e, const hn_work *work, state *o) {
  double strain[6], G[6];
  hn_frames_evaluate(&e->frames, work, &o->s);
  m3_mulv(o->x, o->s.L, o->s.d);
  // x = (L d, theta)
  v3_copy(o->x + 3, o->s.theta);
  set_map(o);
  for (int i = 0; i < 6; i++) strain[i] = o->x[i] - e->free[i];
  hn_mul6(o->e, e->K, strain);
  memcpy(o->g, o->e, sizeof o->g);
  // rates stay zero without damping: eval then finds no power
  memset(o->rate, 0, sizeof o->rate);
  if (e->damping > 0) {
    double zr[6], lossy[6];
    turned(o, zr);
    hn_mul6(o->rate, o->X, zr);
    hn_mul6(lossy, e->K, o->rate);
    for (int i = 0; i < 6; i++) o->g[i] += e->damping * lossy[i];
  }
  // w = -T^T g = -diag(1, L^T) X^T g; G keeps the turning rows of X^T g for the tangent
  hn_tmul6(G, o->X, o->g);
  v3_copy(o->G, G + 3);
  v3_scale(o->w, -1, G);
  m3_tmulv(o->w + 3, o->s.L, o->G);
  v3_scale(o->w + 3, -1, o->w + 3);
}

static void eval(const hn_system *sys, hn_work *work, int count, const void *data) {
  const hn_beam_element *e = data;
  for (int i = 0; i < count; i++, e++) {
    state s;
    evaluate(e, work, &s);
    hn_frames_apply(&e->frames, sys, work, &s.s, s.w);
    for (int k = 0; k < 6; k++) {
      // e . (x - free) / 2 is the energy of a quadratic form, term by term
      work->potential += 0.5 * s.e[k] * (s.x[k] - e->free[k]);
      // only dampers take power: g - e is theirs
      work->power -= s.rate[k] * (s.g[k] - s.e[k]);
    }
  }
}

// ---- tangent -------------------------------------------------------------------------------

// second derivatives of p . u over z = (d, theta): with psi = p . (theta x (theta x d)),
//   over theta twice: c psi'' + dc (theta psi'^T + psi' theta^T) + psi (dc 1 + ddc theta theta^T)
static void curvature(const hn_frames_state *s, const double p[3], double H[36]) {
  // the mixed block over d and theta is N of p; over d twice there is nothing, as u is linear in d
  const double *t = s->theta, *d = s->d;
  double N[9], pd = v3_dot(p, d), pt = v3_dot(p, t), td = v3_dot(t, d);
  double psi = pt * td - v3_dot(t, t) * pd, slope[3];
  // psi' over theta; psi is quadratic in theta
  for (int i = 0; i < 3; i++) slope[i] = p[i] * td + d[i] * pt - 2 * t[i] * pd;
  hn_log_change(s, p, N);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      // symmetric: the block below the diagonal is the transpose
      H[6 * i + j] = 0;
      H[6 * i + 3 + j] = N[3 * i + j];
      H[6 * (3 + j) + i] = N[3 * i + j];
      H[6 * (3 + i) + 3 + j] = s->c * (p[i] * d[j] + d[i] * p[j] - (i == j) * 2 * pd) +
                               s->dc * (t[i] * slope[j] + slope[i] * t[j] + (i == j) * psi) +
                               s->ddc * psi * t[i] * t[j];
    }
}

// o = diag(1, L^T) A diag(1, L)
static void seen_by_velocities(const double L[9], const double A[36], double o[36]) {
  double B[36];
  for (int i = 0; i < 6; i++)
    // first the right factor, which acts on columns of turns
    for (int j = 0; j < 3; j++) {
      B[6 * i + j] = A[6 * i + j];
      B[6 * i + 3 + j] = 0;
      for (int k = 0; k < 3; k++) B[6 * i + 3 + j] += A[6 * i + 3 + k] * L[3 * k + j];
    }
  // then the left one, on rows of turns
  for (int j = 0; j < 6; j++)
    for (int i = 0; i < 3; i++) {
      o[6 * i + j] = B[6 * i + j];
      o[6 * (3 + i) + j] = 0;
      for (int k = 0; k < 3; k++) o[6 * (3 + i) + j] += L[3 * k + i] * B[6 * (3 + k) + j];
    }
}

// o = X^T K Y
static void stiff(const double X[36], const double K[36], const double Y[36], double o[36]) {
  // by rows of K, so that inner loops run along memory
  double KY[36] = {0};
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++)
      for (int j = 0; j < 6; j++) KY[6 * i + j] += K[6 * i + k] * Y[6 * k + j];
  memset(o, 0, 36 * sizeof *o);
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) o[6 * i + j] += X[6 * k + i] * KY[6 * k + j];
}

// W = d(x')/dz with y held: d(X)/dz z' + X (0, d(L y_w)/dtheta)
static void rate_change(const state *s, double W[36]) {
  double zr[6], N[9], H[36];
  turned(s, zr);
  log_change(&s->s, s->s.y + 3, N);
  for (int i = 0; i < 3; i++) {
    // each row of x' is a function with a curvature of its own
    double unit[3] = {i == 0, i == 1, i == 2};
    curvature(&s->s, unit, H);
    hn_mul6(W + 6 * i, H, zr);
    for (int j = 0; j < 6; j++) W[6 * (3 + i) + j] = 0;
  }
  // theta' = L w changes with theta as well, w being held
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) W[6 * i + 3 + j] += s->X[6 * i + 3 + k] * N[3 * k + j];
}

static void tangent(const hn_system *sys, hn_work *work, int count, const void *data,
                    hn_tangent *out) {
  const hn_beam_element *e = data;
  for (int i = 0; i < count; i++, e++) {
    const hn_frames *f = &e->frames;
    state s;
    double E[72], Z[36], M[36], P[36], N[9], K[144] = {0};
    evaluate(e, work, &s);
    hn_frames_map(f, work, &s.s, E);
    hn_frames_geometric(f, work, &s.s, s.w, K);
    // the change of T^T g with z
    curvature(&s.s, s.g, Z);
    stiff(s.X, e->K, s.X, M);
    // stiffness of the section, as z moves the strain
    for (int k = 0; k < 36; k++) Z[k] += M[k];
    if (e->damping > 0) {
      double Y[72], W[36], C[144] = {0};
      // the damper's part of g changes with position by W, and with velocity by X
      rate_change(&s, W);
      stiff(s.X, e->K, W, P);
      for (int k = 0; k < 36; k++) Z[k] += e->damping * P[k], M[k] *= e->damping;
      seen_by_velocities(s.s.L, M, P);
      hn_frames_velocity_change(f, sys, work, &s.s, Y);
      hn_frames_sandwich(K, E, P, Y);
      hn_frames_sandwich(C, E, P, E);
      hn_pair_tangent(sys, out, HN_TANGENT_C, f->a, f->b, C);
    }
    seen_by_velocities(s.s.L, Z, P);
    // L^T in w = -diag(1, L^T) X^T g changes with theta too
    hn_log_change(&s.s, s.G, N);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) P[6 * (3 + r) + 3 + c] += N[3 * r + k] * s.s.L[3 * k + c];
    hn_frames_sandwich(K, E, P, E);
    hn_pair_tangent(sys, out, HN_TANGENT_K, f->a, f->b, K);
  }
}

// ---- columns and building ------------------------------------------------------------------

static const int flat_row[] = {0, 1, 5};

// of columns: wrench, strain and stress of the middle section
enum { WRENCH, STRAIN, STRESS };

// which of them column k is, and its row; -1: there is none
static int kind_of(const hn_beam_element *e, int k, int *row) {
  // planar elements have extension, shear along y and bending about z only
  int each = e->flat ? 3 : 6, kind = k / each;
  *row = kind == STRESS ? k - 2 * each : e->flat ? flat_row[k % each] : k % each;
  // two stresses, for elements that have been told their fibres
  if (kind < STRESS) return kind;
  return e->fibres[0] > 0 && *row < 2 ? STRESS : -1;
}

static const char *column(const void *data, int k, const char **unit) {
  static const char *const name[3][6] = {
      {"normal", "shear_y", "shear_z", "torsion", "bending_y", "bending_z"},
      {"extension", "shear_strain_y", "shear_strain_z", "twist", "curvature_y", "curvature_z"},
      {"stress_most", "stress_least"}};
  int row, kind = kind_of(data, k, &row);
  if (kind < 0) return NULL;
  *unit = kind == STRESS ? "Pa" : kind == STRAIN ? row < 3 ? "" : "1/m" : row < 3 ? "N" : "N m";
  return name[kind][row];
}

// largest (0) or smallest normal stress in a section: in its corners, or on its circle.
// Bending about y strains fibres along z and the other way round; corners of a rectangle have both
// at once, on a circle the larger direction counts
static double stress(const hn_beam_element *e, const double strain[6], int which) {
  const double *f = e->fibres;  // radius: a circle
  // f[1] reaches along y and is strained by curvature about z, f[2] the other way round
  double bent = f[3] > 0 ? f[3] * hn_hypot(strain[4], strain[5])
                         : f[2] * fabs(strain[4]) + f[1] * fabs(strain[5]);
  return f[0] * (strain[0] + (which == 0 ? bent : -bent));
}

// the section's wrench at the middle, in its axes: of what follows on what comes before; what it
// strains the section by; the stresses of that
static double read(const hn_system *sys, const hn_work *work, const void *data, int k) {
  const hn_beam_element *e = data;
  // of the element's own axes; the row was counted from its kind
  state s;
  double wrench[6], strain[6];
  int row, kind = kind_of(e, k, &row);
  (void)sys;
  evaluate(e, work, &s);
  // forces along x are those of the middle section, up to the map Z (beam_section.c)
  hn_beam_middle(s.x, s.g, wrench);
  if (kind == WRENCH) return wrench[row];
  hn_beam_strain(e->section, wrench, strain);
  return kind == STRAIN ? strain[row] : stress(e, strain, row);
}

// an element that was moved by assembly is as long, and as curved, as it then is: its stiffness
// follows the length
static void relax(const hn_work *work, int count, void *data) {
  hn_beam_element *e = data;
  for (int i = 0; i < count; i++, e++) {
    hn_frames_state s;
    double x[6], K[36];
    // only where `free` was not given
    if (!e->as_assembled) continue;
    hn_frames_evaluate(&e->frames, work, &s);
    hn_beam_log(s.d, s.theta, x);
    // a section that cannot be: what was built stays, and has been refused already
    if (!hn_beam_stiffness(e->section, x, K)) continue;
    memcpy(e->free, x, sizeof x);
    memcpy(e->K, K, sizeof K);
  }
}

void hn_beam_pair(const void *data, int body[2]) {
  const hn_beam_element *e = data;
  body[0] = e->frames.a, body[1] = e->frames.b;
}

static const hn_force_ops ops = {
    .name = "beam-element",
    .data_size = sizeof(hn_beam_element),
    .eval = eval,
    .tangent = tangent,
    .column = column,
    .read = read,
    .pair = hn_beam_pair,
    .between = hn_beam_between,
    .formulas = hn_beam_formulas,
    .relax = relax,
};

// axes for ends that are no frames: x from the point on a to that on b, z as near to the axis as
// can be
static void set_axes(hn_builder *builder, const hn_force_def *def, const double along[3],
                     const hn_mount *mount, bool oriented, double M[9]) {
  memcpy(M, mount->R, 9 * sizeof *M);  // as told by a frame
  if (oriented) return;
  double z[3] = {0, 0, 1}, axis[3][3], inner[3];
  // z of the section as near to `axis`, or to the world's z, as x allows
  if (v3_norm(def->axis) > 0) v3_copy(z, def->axis);
  v3_scale(axis[0], 1 / v3_norm(along), along);
  v3_cross(axis[1], z, axis[0]);
  // 1e-6: a beam along that axis leaves the choice open, and some perpendicular is taken
  if (v3_norm(axis[1]) < 1e-6 * v3_norm(z)) v3_perpendicular(axis[1], axis[0]);
  v3_scale(axis[1], 1 / v3_norm(axis[1]), axis[1]);
  v3_cross(axis[2], axis[0], axis[1]);
  for (int k = 0; k < 3; k++) {
    hn_build_direction(builder, mount->body, axis[k], inner);
    for (int i = 0; i < 3; i++) M[3 * i + k] = inner[i];
  }
}

// where it is relaxed: as `free` says, otherwise as described until it is assembled
static void choose_rest(hn_builder *builder, const hn_force_def *def, hn_beam_element *e) {
  const hn_mount *a = hn_mount_a(builder), *b = hn_mount_b(builder);
  hn_frames *f = &e->frames;
  // A, B: axes of the element at both ends, world; Ta, Tb: from the mount's axes to them
  double pa[3], pb[3], Ra[9], Rb[9], A[9], B[9], Ta[9], Tb[9], R[9], along[3], d[3], theta[3];
  bool oriented_a, oriented_b;
  f->a = a->body, f->b = b->body;
  v3_copy(f->sa, a->s), v3_copy(f->sb, b->s);
  hn_build_oriented(builder, &oriented_a, &oriented_b);
  hn_build_pose(builder, a, pa, Ra);
  // poses as described, before assembly
  hn_build_pose(builder, b, pb, Rb);
  v3_sub(along, pb, pa);
  double length = def->free6 ? v3_norm(def->free6) : v3_norm(along);
  // two oriented frames may coincide if `free` says how they stand when relaxed
  if (!(length > 0) || (v3_norm(along) == 0 && !(oriented_a && oriented_b))) {
    hn_build_fail(builder, HN_ERR_MODEL,
                  "has no length (its ends must be at two places, or 'free' say how they stand)");
    return;
  }
  set_axes(builder, def, along, a, oriented_a, f->Ma);
  set_axes(builder, def, along, b, oriented_b, f->Mb);
  // world axes of both frames as described: mount axes turned by what was put in their place
  m3_tmul(Ta, a->R, f->Ma), m3_tmul(Tb, b->R, f->Mb);
  m3_mul(A, Ra, Ta), m3_mul(B, Rb, Tb);
  m3_tmul(R, A, B);
  // the pose of b seen from a, whose logarithm is x
  m3_tmulv(d, A, along);
  m3_rotation_vector(theta, R);
  e->as_assembled = !def->free6;
  hn_beam_log(def->free6 ? def->free6 : d, def->free6 ? def->free6 + 3 : theta, e->free);
}

// nodes that are planar never strain shear along z, torsion and bending about y: any positive
// number there keeps the section's matrix regular and acts on nothing
static hn_status build(hn_builder *builder, const hn_force_def *def) {
  hn_beam_element e;
  double section[36];
  memset(&e, 0, sizeof e);
  if (!hn_mount_turns(builder, hn_mount_a(builder)) ||
      !hn_mount_turns(builder, hn_mount_b(builder)))
    return hn_build_status(builder);
  // a copy, as zeros may be replaced
  memcpy(section, def->stiffness6, sizeof section);
  e.flat = hn_build_planar(builder);
  // planar nodes never strain these: their numbers may be left zero
  for (int k = 2; k < 5 && e.flat; k++)
    if (section[7 * k] == 0) section[7 * k] = 1;
  e.section = hn_build_keep(builder, section, 36);
  e.damping = def->damping;
  memcpy(e.fibres, def->fibres, sizeof e.fibres);
  choose_rest(builder, def, &e);
  if (hn_build_status(builder)) return hn_build_status(builder);
  if (!hn_beam_stiffness(e.section, e.free, e.K))
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "stiffness of the section must be positive definite (EA, GA, GA, GJ, EI, "
                         "EI on the diagonal, all greater than zero)");
  hn_build_need_kin(builder, e.frames.a);
  hn_build_need_kin(builder, e.frames.b);
  hn_build_force(builder, &ops, &e);
  if (def->mass6) {
    // mass between the nodes: the same at both ends unless it tapers
    double G[64];
    const double *ends[2] = {def->mass6, def->mass_end6 ? def->mass_end6 : def->mass6};
    hn_beam_mass(&e.frames, v3_norm(e.free), ends, G);
    hn_build_spread(builder, e.frames.a, e.frames.b, G);
  }
  return hn_build_status(builder);
}

const hn_force_type hn_force_beam_element = {
    .info = {.name = "beam-element",
             .help = "geometrically exact beam element: 6x6 stiffness of the section, x along it",
             .keys = "at at_b axis stiffness damping free fibres mass mass_end",
             .required = "stiffness"},
    .build = build,
};
