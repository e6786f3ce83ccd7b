// steady.c: small motions about a steady motion, seen from axes in which nothing changes.
//
// A motion is steady when every body is carried along by axes that turn at a constant rate
// (carrier.h) and all equations, carried along, stay what they are. Then the linearised equations
// have constant coefficients in these axes, and their eigenvalues tell how small motions grow.
//
// The axes. Accelerations say v' = b x v and w' = b x w: that leaves free what is parallel to both.
// Inertia, joints and forces say more, since they may not change in the axes:
//   M. + T'^T M + M T' = 0,   (J. + J T') N = 0,   K. + T'^T K + K T' = 0,   C. + T'^T C + C T' =
//   0,
// N what a joint leaves free on its own bodies, dots along the motion (central differences of order
// 8). T' is linear in b, so these are linear equations. What they leave open is chosen the least:
// a rotor with equal moments of inertia in gimbals at rest is seen from axes at rest.
//
// The proof. The state, carried along by some other times, must meet the constraints, have the
// accelerations that the axes carry along, and give the same linearised equations.
#include "analysis/linear.h"
#include "analysis/lone_joint.h"
#include "linalg/dense.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// of everything that is compared, each relative to what it is made of; differences of order 8 and
// the drift of runs are smaller by orders of magnitude
static const double tolerance = 1e-6;  // of what may change along a steady motion
enum { POINTS = 4 };                   // of the differences on either side
// f'(0) = sum_k weight_k (f(k h) - f(-k h)) / h
static const double weight[POINTS] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};

typedef struct search {
  hn_manifold *m;
  hn_sim *sim;
  const hn_system *sys;
  hn_linear_work work;
  hn_carrier carrier, there;  // at the state, and at the one carried along
  double t, rate, scale;      // time; fastest turning [1/s]; accelerations in play [m/s^2]
  double *a0;                 // accelerations at the state
  double *q, *v;              // carried along
  double *turn;               // turn memory of the sim
  double *Z, *U, *x;          // bases at the state; scratch nv
  double *least;              // b of least size, 3 for each body
  double *open;               // up to 3 unit vectors for each body that may be added to it
  int *first;                 // bodies + 1: number of the first of them
  double *J1, *K1, *C1;       // along the motion
  double *J0, *K0, *C0;       // at the state
  double *M0, *M1;            // masses that are no diagonal: there, and along the motion
  double *normal, *right, *value, *vector, *change;  // equations for what is open
  char *why;
  size_t size;
} search;

// unknowns: up to three for each body
static void layout(search *s, hn_arena *arena) {
  const hn_system *sys = s->sys;
  size_t nv = (size_t)sys->nv, square = nv * nv, three = 3 * (size_t)sys->bodies;
  size_t unknowns = three * three;
  s->a0 = HN_TAKE(arena, double, nv);
  s->q = HN_TAKE(arena, double, sys->nq);
  s->v = HN_TAKE(arena, double, nv);
  s->turn = HN_TAKE(arena, double, sys->turns);
  s->Z = HN_TAKE(arena, double, square);
  s->U = HN_TAKE(arena, double, square);
  s->x = HN_TAKE(arena, double, nv);
  s->carrier.b = HN_TAKE(arena, double, three);
  s->least = HN_TAKE(arena, double, three);
  s->open = HN_TAKE(arena, double, 3 * three);
  s->first = HN_TAKE(arena, int, sys->bodies + 1);
  s->J0 = HN_TAKE(arena, double, sys->j_size);
  s->J1 = HN_TAKE(arena, double, sys->j_size);
  s->K0 = HN_TAKE(arena, double, square);
  s->K1 = HN_TAKE(arena, double, square);
  s->C0 = HN_TAKE(arena, double, square);
  s->C1 = HN_TAKE(arena, double, square);
  s->M0 = HN_TAKE(arena, double, s->sys->mass_entries ? square : 0);
  s->M1 = HN_TAKE(arena, double, s->sys->mass_entries ? square : 0);
  s->normal = HN_TAKE(arena, double, unknowns);
  s->vector = HN_TAKE(arena, double, unknowns);
  s->right = HN_TAKE(arena, double, three);
  s->value = HN_TAKE(arena, double, three);
  s->change = HN_TAKE(arena, double, three);
}

// ---- what accelerations say about the axes ---------------------------------------------------

// velocities of a body of any kind as those of one in space; angular ones stay in body axes
static void spatial(const hn_sys_body *o, const double *x, double linear[3], double angular[3]) {
  bool flat = o->kind == HN_PLANAR || o->kind == HN_PLANAR_POINT;
  v3_set(linear, x[0], x[1], flat ? 0 : x[2]);
  v3_set(angular, 0, 0, o->kind == HN_PLANAR ? x[2] : 0);
  if (o->kind == HN_SPATIAL) v3_copy(angular, x + 3);
}

// b x v = v', b x w = w' for one body: least solution, what is open beside it, what is left
// Six equations for three unknowns, each in units of 1/s^2: singular values below 1e-9 of the
// fastest rate say that b is open along their vector. Modes of flexible bodies must rest, since
// they have no axes.
static bool axes_of(search *s, int body, double *left) {
  const hn_sys_body *o = &s->sys->body[body];
  bool flat = o->kind == HN_PLANAR || o->kind == HN_PLANAR_POINT;
  double v[3], w[3], dv[3], dw[3], R[9], x[3], A[18], r[6], sv[3], Vt[9], b[3] = {0, 0, 0};
  double L = s->sys->length;
  if (o->kind == HN_SCALAR) {
    *left = fmax(fabs(s->a0[o->v0]), fabs(s->carrier.v[o->v0]) * s->rate);
    s->first[body + 1] = s->first[body];
    v3_set(s->least + 3 * body, 0, 0, 0);
    return true;
  }
  spatial(o, s->carrier.v + o->v0, v, w);
  spatial(o, s->a0 + o->v0, dv, dw);
  if (o->kind == HN_SPATIAL) {
    q_matrix(R, s->carrier.q + o->q0 + 3);
    m3_mulv(x, R, w), v3_copy(w, x);
    m3_mulv(x, R, dw), v3_copy(dw, x);
  }
  m3_skew(A, v), m3_skew(A + 9, w);
  for (int i = 0; i < 9; i++) A[i] = -A[i] / L, A[9 + i] = -A[9 + i];
  for (int i = 0; i < 3; i++) r[i] = dv[i] / L, r[3 + i] = dw[i];
  // in the plane b is along z
  for (int i = 0; flat && i < 6; i++) A[3 * i] = A[3 * i + 1] = 0;
  double U[36];
  if (!hn_dense_svd(6, 3, A, sv, U, Vt)) return false;
  int count = 0;
  for (int k = 0; k < 3; k++) {
    const double *e = Vt + 3 * k;
    if (sv[k] > 1e-9 * s->rate) {
      double along = 0;
      for (int i = 0; i < 6; i++) along += U[6 * i + k] * r[i];
      v3_addto(b, along / sv[k], e);
    } else if (!flat || fabs(e[2]) > 0.5) {
      v3_copy(s->open + 9 * body + 3 * count++, e);
    }
  }
  s->first[body + 1] = s->first[body] + count;
  v3_copy(s->least + 3 * body, b);
  for (int i = 0; i < 6; i++) {
    r[i] -= A[3 * i] * b[0] + A[3 * i + 1] * b[1] + A[3 * i + 2] * b[2];
    *left = fmax(*left, fabs(r[i]) * L);
  }
  return true;
}

// *steady is false and `why` set when accelerations contradict
// *left of a body is what no b explains: the speed itself changes
static hn_status find_axes(search *s, bool *steady) {
  const hn_system *sys = s->sys;
  double worst = 0;
  int where = 1;
  s->first[0] = s->first[1] = 0;
  for (int i = 1; i < sys->bodies; i++) {
    double left = 0;
    if (!axes_of(s, i, &left)) return hn_sim_fail(s->sim, HN_ERR_MEMORY, "out of memory");
    if (left > worst) worst = left, where = i;
  }
  *steady = worst <= tolerance * s->scale;
  if (!*steady)
    snprintf(s->why, s->size, "body '%s' does not turn steadily, its speed changes",
             sys->body[where].info->name);
  return HN_OK;
}

// ---- what must not change in the axes ---------------------------------------------------------

// equations r + sum g_k x_k = 0, `count` of them, for the open directions `number`; adds them to
// the normal equations
// large, and one is enough: it is allocated once for all
typedef struct batch {
  int count, unknowns;
  int number[3 * HN_LONE_LARGEST];
  double r[HN_LONE_LARGEST * HN_LONE_LARGEST],
      g[3 * HN_LONE_LARGEST][HN_LONE_LARGEST * HN_LONE_LARGEST];
} batch;

// Normal equations: rows have been scaled to ones, and there are a few unknowns only. What their
// square loses of the accuracy the second pass of settle_axes() gives back.
static void add_batch(search *s, const batch *e) {
  int n = s->first[s->sys->bodies];
  for (int i = 0; i < e->unknowns; i++) {
    for (int j = 0; j < e->unknowns; j++) {
      double sum = 0;
      for (int k = 0; k < e->count; k++) sum += e->g[i][k] * e->g[j][k];
      s->normal[(size_t)e->number[i] * (size_t)n + (size_t)e->number[j]] += sum;
    }
    for (int k = 0; k < e->count; k++) s->right[e->number[i]] -= e->g[i][k] * e->r[k];
  }
}

// how many of the three directions accelerations have left to choose
static int open_count(const search *s, int body) {
  return s->first[body + 1] - s->first[body];
}

// T' of a body where the axes are now (k < 0), or the change by its open direction k
// in units of the fastest rate, as all equations here
static void generator(const search *s, int body, int k, double T[36]) {
  const double *b = k < 0 ? s->carrier.b + 3 * body : s->open + 9 * body + 3 * k;
  hn_carrier_matrix(&s->carrier, body, b, k >= 0, T);
  int size = s->sys->body[body].nv * s->sys->body[body].nv;
  for (int i = 0; k < 0 && i < size; i++) T[i] /= s->rate;
}

// inertia of one body: S (T'^T M + M T') S, S = M^-1/2
// A body whose moments of inertia differ cannot spin in its axes about any but a principal one:
// that ties b to it.
static void inertia_batch(search *s, int body, batch *e) {
  const hn_sys_body *o = &s->sys->body[body];
  const double *root = s->m->root + o->v0;
  double mass[6];
  int n = o->nv;
  for (int i = 0; i < n; i++) mass[i] = hn_own_mass(s->sys, o->v0 + i);
  e->count = n * n, e->unknowns = open_count(s, body);
  for (int k = -1; k < e->unknowns; k++) {
    double T[36], *out = k < 0 ? e->r : e->g[k];
    generator(s, body, k, T);
    for (int r = 0; r < n; r++)
      for (int c = 0; c < n; c++)
        out[r * n + c] = (T[c * n + r] * mass[c] + mass[r] * T[r * n + c]) / (root[r] * root[c]);
    if (k >= 0) e->number[k] = s->first[body] + k;
  }
  if (e->unknowns) add_batch(s, e);
}

// block (i, j) of a matrix of forces: X. + T'^T X + X T', relative to its own largest entry
// blocks that are nothing against the largest have no say: rounding is not to turn axes
static void force_batch(search *s, int i, int j, const double *X, const double *X1, double most,
                        batch *e) {
  const hn_sys_body *a = &s->sys->body[i], *b = &s->sys->body[j];
  const double *ra = s->m->root + a->v0, *rb = s->m->root + b->v0;
  size_t nv = (size_t)s->sys->nv;
  double x[36], x1[36], own = 0;
  int n = a->nv, m = b->nv;
  for (int r = 0; r < n; r++)
    for (int c = 0; c < m; c++) {
      size_t at = (size_t)(a->v0 + r) * nv + (size_t)(b->v0 + c);
      x[r * m + c] = X[at], x1[r * m + c] = X1[at] / s->rate;
      own = fmax(own, fabs(X[at]) / (ra[r] * rb[c]));
    }
  if (!(own > 1e-12 * most)) return;
  e->count = n * m, e->unknowns = 0;
  for (int side = 0; side < 2; side++) {
    int body = side ? j : i;
    for (int k = -1; k < open_count(s, body); k++) {
      double T[36];
      double *out = k < 0 ? e->r : e->g[e->unknowns];
      generator(s, body, k, T);
      for (int r = 0; r < n; r++)
        for (int c = 0; c < m; c++) {
          double sum = 0;
          if (side == 0)
            for (int l = 0; l < n; l++) sum += T[l * n + r] * x[l * m + c];
          else
            for (int l = 0; l < m; l++) sum += x[r * m + l] * T[l * m + c];
          sum /= own * ra[r] * rb[c];
          if (k >= 0)
            out[r * m + c] = sum;
          else if (side == 0)
            out[r * m + c] = sum + x1[r * m + c] / (own * ra[r] * rb[c]);
          else
            out[r * m + c] += sum;
        }
      if (k >= 0) e->number[e->unknowns++] = s->first[body] + k;
    }
  }
  // a body with itself has both parts in the same unknowns: the sums add up by themselves
  if (e->unknowns) add_batch(s, e);
}

// (J. + J T') N of one joint, N what its rows leave free on their bodies
// Only along N: what a joint forbids may well change, as it does where a wheel rolls
static bool joint_batch(search *s, int g, batch *e) {
  const hn_system *sys = s->sys;
  const hn_group *group = &sys->group[g];
  hn_lone_joint o;
  // larger than any joint: it has no say
  if (!hn_lone_joint_gather(sys, group, s->J0, s->J1, s->m->root, &o)) return true;
  if (!hn_lone_joint_free(&o)) return false;
  int n = o.n, rows = o.rows;
  double E[HN_LONE_LARGEST * HN_LONE_LARGEST];
  e->count = rows * (n - o.rank), e->unknowns = 0;
  for (int i = 0; i < rows * n; i++) E[i] = o.J1[i] / s->rate;
  for (int k = 0; k < group->bodies; k++) {
    int body = sys->group_body[group->first + k], nv = sys->body[body].nv, at = o.offset[k];
    for (int open = -1; open < open_count(s, body); open++) {
      double T[36], G[HN_LONE_LARGEST * HN_LONE_LARGEST] = {0};
      generator(s, body, open, T);
      for (int r = 0; r < rows; r++)
        for (int c = 0; c < nv; c++)
          for (int l = 0; l < nv; l++) G[r * n + at + c] += o.J[r * n + at + l] * T[l * nv + c];
      if (open < 0) {
        for (int i = 0; i < rows * n; i++) E[i] += G[i];
        continue;
      }
      hn_lone_joint_along(&o, G, e->g[e->unknowns]);
      e->number[e->unknowns++] = s->first[body] + open;
    }
  }
  hn_lone_joint_along(&o, E, e->r);
  if (e->unknowns) add_batch(s, e);
  return true;
}

// M s times, added row by row
static void add_masses(const search *s, double factor, double *M) {
  const hn_mass_entries *e = s->sys->mass_entries;
  const double *value = s->sim->stage.work.mass_values;
  for (int k = 0; k < e->count; k++)
    M[(size_t)e->row[k] * (size_t)s->sys->nv + (size_t)e->col[k]] += factor * value[k];
}

// J, K, C and M at the state and along the motion
// Along the axes found so far, which carry the state exactly where it is steady. h: a twentieth of
// a radian, at which order 8 leaves 1e-12
static void differentiate(search *s) {
  const hn_system *sys = s->sys;
  hn_work *w = &s->sim->stage.work;
  size_t nv = (size_t)sys->nv, square = nv * nv;
  double h = 0.05 / s->rate;
  hn_tangent tangent = {.n = sys->nv, .K = s->work.F, .C = s->work.C};
  memset(s->J1, 0, (size_t)sys->j_size * sizeof(double));
  memset(s->K1, 0, square * sizeof(double));
  memset(s->C1, 0, square * sizeof(double));
  if (s->sys->mass_entries) {
    memset(s->M0, 0, square * sizeof(double));
    memset(s->M1, 0, square * sizeof(double));
  }
  for (int k = -POINTS; k <= POINTS; k++) {
    hn_carrier_state(&s->carrier, k * h, s->q, s->v);
    hn_eval_all(w, s->t + k * h, s->q, s->v);
    memset(s->work.F, 0, square * sizeof(double));
    memset(s->work.C, 0, square * sizeof(double));
    hn_force_tangent(w, &tangent);
    if (s->sys->mass_entries && k == 0) add_masses(s, 1, s->M0);
    if (k == 0) {
      memcpy(s->J0, w->J, (size_t)sys->j_size * sizeof(double));
      memcpy(s->K0, s->work.F, square * sizeof(double));
      memcpy(s->C0, s->work.C, square * sizeof(double));
      continue;
    }
    double f = k > 0 ? weight[k - 1] / h : -weight[-k - 1] / h;
    if (s->sys->mass_entries) add_masses(s, f, s->M1);
    for (int i = 0; i < sys->j_size; i++) s->J1[i] += f * w->J[i];
    for (size_t i = 0; i < square; i++) {
      s->K1[i] += f * s->work.F[i];
      s->C1[i] += f * s->work.C[i];
    }
  }
}

// largest entry of S X S
static double mass_scaled(const search *s, const double *X) {
  size_t nv = (size_t)s->sys->nv;
  double most = 0;
  for (size_t i = 0; i < nv; i++)
    for (size_t j = 0; j < nv; j++)
      most = fmax(most, fabs(X[i * nv + j]) / (s->m->root[i] * s->m->root[j]));
  return most;
}

// moves the axes along their open directions so that as little as possible changes in them
// by_forces: otherwise stiffness and damping have no say, for models in which they contradict
// inertia and joints
static hn_status settle_axes(search *s, bool by_forces) {
  const hn_system *sys = s->sys;
  size_t n = (size_t)s->first[sys->bodies];
  memcpy(s->carrier.b, s->least, 3 * (size_t)sys->bodies * sizeof(double));
  if (!n) return HN_OK;
  batch *e = malloc(sizeof *e);
  bool ok = e;
  double k_most = mass_scaled(s, s->K0), c_most = mass_scaled(s, s->C0);
  // the second pass takes away what rounding left of the first
  for (int pass = 0; pass < 2 && ok; pass++) {
    memset(s->normal, 0, n * n * sizeof(double));
    memset(s->right, 0, n * sizeof(double));
    for (int i = 1; i < sys->bodies && !s->sys->mass_entries; i++) inertia_batch(s, i, e);
    for (int i = 1; i < sys->bodies && s->sys->mass_entries; i++)
      for (int j = 1; j < sys->bodies; j++)
        if (open_count(s, i) || open_count(s, j)) force_batch(s, i, j, s->M0, s->M1, 1, e);
    for (int g = 0; g < sys->groups && ok; g++) ok = joint_batch(s, g, e);
    for (int i = 1; i < sys->bodies && by_forces; i++)
      for (int j = 1; j < sys->bodies; j++) {
        if (!open_count(s, i) && !open_count(s, j)) continue;
        force_batch(s, i, j, s->K0, s->K1, k_most, e);
        force_batch(s, i, j, s->C0, s->C1, c_most, e);
      }
    ok = ok && hn_dense_symmetric_eigen((int)n, s->normal, s->value, s->vector);
    memset(s->change, 0, n * sizeof(double));
    for (size_t k = 0; k < n && ok; k++) {
      // directions that nothing ties stay where the least solution has them
      if (!(s->value[k] > 1e-14)) continue;
      double along = 0;
      for (size_t i = 0; i < n; i++) along += s->vector[k * n + i] * s->right[i];
      for (size_t i = 0; i < n; i++) s->change[i] += along / s->value[k] * s->vector[k * n + i];
    }
    for (int i = 1; i < sys->bodies && ok; i++)
      for (int k = 0; k < open_count(s, i); k++)
        v3_addto(s->carrier.b + 3 * i, s->rate * s->change[s->first[i] + k],
                 s->open + 9 * i + 3 * k);
  }
  free(e);
  return ok ? HN_OK : hn_sim_fail(s->sim, HN_ERR_MEMORY, "out of memory");
}

// ---- the proof ------------------------------------------------------------------------------

// carries the state to s1 in steps that no angle loses count of
// counted angles need to see every half turn: one radian a step
static void carry(search *s, double s0, double s1) {
  int steps = (int)ceil(s->rate * fabs(s1 - s0)) + 1;
  for (int k = 1; k <= steps; k++) {
    double at = s0 + (s1 - s0) * k / steps;
    hn_carrier_state(&s->carrier, at, s->q, s->v);
    hn_eval_position(&s->sim->stage.work, s->t + at, s->q);
    hn_accept_turns(&s->sim->stage.work, false);
  }
}

// keeps the largest of all, which is what hn_linear.unsteady tells; false and `why` beyond the
// tolerance
static bool say(search *s, double found, double *worst, const char *format, const char *name) {
  *worst = fmax(*worst, found);
  if (found <= tolerance) return true;
  snprintf(s->why, s->size, format, name);
  return false;
}

// the rows hold where the state was carried to, and leave free what was carried there
// s->work.Z and U are those of the start, carried there
static bool rows_hold(search *s, double *worst) {
  const hn_system *sys = s->sys;
  const hn_work *w = &s->sim->stage.work;
  size_t nv = (size_t)sys->nv;
  static const char format[] = "joint '%s' is not the same in any axes that turn steadily";
  for (int i = 0; i < sys->rows; i++) {
    const char *name = sys->joint[sys->row_joint[i]].name;
    double length = sys->angular_row[i] ? 1 : sys->length;
    if (sys->holonomic[i] && !say(s, fabs(w->phi[i]) / length, worst, format, name)) return false;
    if (!say(s, fabs(w->psi[i]) / (length * s->rate), worst, format, name)) return false;
  }
  for (int which = 0; which < 2; which++)
    for (int k = 0; k < (which ? s->work.k : s->work.n); k++) {
      hn_jacobian_mul(w, (which ? s->work.U : s->work.Z) + (size_t)k * nv, s->m->r);
      for (int i = 0; i < sys->rows; i++)
        if ((which || sys->holonomic[i]) && !say(s, fabs(s->m->r[i]) * s->m->size[i], worst, format,
                                                 sys->joint[sys->row_joint[i]].name))
          return false;
    }
  return true;
}

// the accelerations there are those of the state, carried along
static bool accelerations_hold(search *s, double at, double *worst) {
  const hn_system *sys = s->sys;
  hn_carrier_move(&s->carrier, at, s->a0, s->x);
  for (int i = 1; i < sys->bodies; i++)
    for (int k = 0; k < sys->body[i].nv; k++) {
      int c = sys->body[i].v0 + k;
      double apart = fabs(s->work.a[c] - s->x[c]) * (sys->angular_v[c] ? sys->length : 1);
      if (!say(s, apart / s->scale, worst, "the acceleration of body '%s' changes on the way",
               sys->body[i].info->name))
        return false;
    }
  return true;
}

// linearised at the state carried along by `at`; false and `why` when something changed
static hn_status look(search *s, double at, hn_linear *l, bool *same, double *worst) {
  size_t nv = (size_t)s->sys->nv;
  hn_status status = hn_linear_evaluate(&s->work, s->t + at, s->q, s->v, false);
  if (status) return status;
  hn_manifold_factor(s->m, false);
  for (int k = 0; k < s->work.n; k++)
    hn_carrier_move(&s->carrier, at, s->Z + (size_t)k * nv, s->work.Z + (size_t)k * nv);
  for (int k = 0; k < s->work.k; k++)
    hn_carrier_move(&s->carrier, at, s->U + (size_t)k * nv, s->work.U + (size_t)k * nv);
  *same = rows_hold(s, worst) && accelerations_hold(s, at, worst);
  s->there = (hn_carrier){s->sys, s->q, s->v, s->carrier.b};
  if (*same) hn_linear_fill(&s->work, &s->there, s->v, l);
  return HN_OK;
}

// Angles without a common measure: what is periodic in one of them is not in the others. The first
// is the state itself, whose matrices are the answer.
static hn_status prove(search *s, hn_linear *l, hn_linear *other, bool *steady) {
  static const double turned[] = {0, 0.4, 1.3, 2.9};
  double worst = 0, before = 0;
  hn_status status = HN_OK;
  *steady = true;
  memcpy(s->sim->stage.work.turn, s->turn, (size_t)s->sys->turns * sizeof(double));
  for (int k = 0; k < 4 && !status && *steady; k++) {
    double at = turned[k] / s->rate;
    carry(s, before, at);
    before = at;
    status = look(s, at, k ? other : l, steady, &worst);
    if (!status && *steady && k)
      *steady = say(s, hn_linear_difference(l, other, s->rate), &worst,
                    "what holds the bodies changes along the motion%s", "");
  }
  l->steady = *steady;
  l->unsteady = worst;
  return status;
}

// moves the axes along their open directions as the bodies themselves turn
// The last resort: body-fixed axes, in which inertia and what is fixed to bodies never change.
static void turn_with_bodies(search *s) {
  const hn_system *sys = s->sys;
  for (int i = 1; i < sys->bodies; i++) {
    double v[3], w[3], x[3], R[9], *b = s->carrier.b + 3 * i;
    spatial(&sys->body[i], s->carrier.v + sys->body[i].v0, v, w);
    if (sys->body[i].kind == HN_SPATIAL) {
      q_matrix(R, s->carrier.q + sys->body[i].q0 + 3);
      m3_mulv(x, R, w), v3_copy(w, x);
    }
    v3_copy(b, s->least + 3 * i);
    for (int k = 0; k < open_count(s, i); k++) {
      const double *e = s->open + 9 * i + 3 * k;
      v3_addto(b, v3_dot(e, w), e);
    }
  }
}

// tries axes one after the other
// *out stays NULL where the motion is not steady; that is an answer, not a failure
static hn_status solve(search *s, hn_linear **out) {
  enum { BY_ALL, BY_JOINTS, BY_BODIES, TRIES };
  const hn_system *sys = s->sys;
  size_t nv = (size_t)sys->nv;
  bool steady = false;
  hn_status status = hn_linear_evaluate(&s->work, s->t, s->carrier.q, s->carrier.v, false);
  if (status) return status;
  hn_linear_bases(&s->work);
  memcpy(s->a0, s->work.a, nv * sizeof(double));
  memcpy(s->Z, s->work.Z, (size_t)s->work.n * nv * sizeof(double));
  memcpy(s->U, s->work.U, (size_t)s->work.k * nv * sizeof(double));
  for (int i = 0; i < sys->nv; i++)
    s->rate = fmax(s->rate, fabs(s->carrier.v[i]) / (sys->angular_v[i] ? 1 : sys->length));
  s->scale = fmax(fmax(s->work.force, s->work.most), s->rate * s->rate * sys->length);
  status = find_axes(s, &steady);
  if (status || !steady) return status;
  memcpy(s->carrier.b, s->least, 3 * (size_t)sys->bodies * sizeof(double));
  differentiate(s);
  hn_linear *l = hn_linear_create(sys, s->work.n, s->work.k, 0);
  hn_linear *other = hn_linear_create(sys, s->work.n, s->work.k, 0);
  if (!l || !other) status = hn_sim_fail(s->sim, HN_ERR_MEMORY, "out of memory");
  steady = false;
  for (int attempt = 0; attempt < TRIES && !status && !steady; attempt++) {
    if (attempt == BY_BODIES)
      turn_with_bodies(s);
    else
      status = settle_axes(s, attempt == BY_ALL);
    if (!status) status = prove(s, l, other, &steady);
  }
  if (!status && steady) {
    memcpy((double *)l->axes, s->carrier.b, 3 * (size_t)sys->bodies * sizeof(double));
    hn_carrier_describe(&s->carrier, s->rate, l->seen_from, sizeof l->seen_from);
    *out = l, l = NULL;
  }
  hn_linear_destroy(l), hn_linear_destroy(other);
  return status;
}

hn_status hn_linearise_steady(hn_manifold *m, double t, const double *q, const double *v,
                              hn_linear **out, char *why, size_t size) {
  hn_sim *sim = m->sim;
  const hn_system *sys = m->sys;
  search s = {.m = m, .sim = sim, .sys = sys, .t = t, .why = why, .size = size};
  hn_arena arena = {0};
  *out = NULL;
  hn_status status = hn_linear_work_create(&s.work, m);
  if (status) return status;
  layout(&s, &arena);
  if (hn_arena_allocate(&arena)) {
    layout(&s, &arena);
    s.carrier.sys = sys, s.carrier.q = q, s.carrier.v = v;
    // proving moves counted angles on; the run's own are put back
    memcpy(s.turn, sim->stage.work.turn, (size_t)sys->turns * sizeof(double));
    status = solve(&s, out);
    memcpy(sim->stage.work.turn, s.turn, (size_t)sys->turns * sizeof(double));
  } else {
    status = hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  }
  free(arena.base);
  hn_linear_work_release(&s.work);
  return status;
}
