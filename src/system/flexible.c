// flexible.c: bodies of finite elements, evaluated: kinetic energy z.G z / 2 of model/reduced.h.
//
// Everything is counted in the axes A of the frame, the first interface: velocities V_i, W_i of the
// interfaces, r_i their places from the frame, w = W_0. The deformation p is
//
//   u_i = r_i - X_i,  theta_i = log(A^T R_i),  modes eta
//   u_i' = V_i - V_0 - w x r_i,  theta_i' = L_i (W_i - w)
//
// With z = (nu, p_k w), g = G z and the momenta pi = dT/dnu (pi = g, on w also sum p_k g_k), c =
// dT/dp = w.g_k plus the forces along p (stiffness, dampers, gravity), virtual displacements give
//
//   V_i:  pi_i' + w x pi_i = s_i                        s_i, t_i: c along u_i and theta_i
//   W_i:  pi_i' + w x pi_i - W_i x pi_i = L_i^T t_i
//   V_0:  pi_0' + w x pi_0 = -sum s_i
//   W_0:  pi_0' + w x pi_0 + sum_i V_i x pi_i + sum_(i > 0) W_i x pi_i
//             = -sum (r_i x s_i + L_i^T t_i)
//   eta:  pi' = c
//
// (Lagrange's equations for velocities counted in turning axes; pi on W_i in the sums being that on
// the turning). The rates of nu are V_i' = a_i - w x V_i with the acceleration a_i, and likewise of
// W_i. What has no acceleration in it is the force of the body; what has, M a.
//
// The same operations are done on pairs (a number, its change), and so the tangent is exact: a turn
// alpha of the frame and displacements and turns x_i, b_i of the interfaces change r_i by x_i - x_0
// - alpha x r_i, V_i by -alpha x V_i, W_i by (b_i - alpha) x W_i.
#include "base/rotation.h"
#include "system/system.h"

#include <string.h>

// a number and its change
typedef struct dual {
  double v, d;
} dual;

typedef struct motion {
  const hn_sys_flexible *x;
  const hn_reduced *o;
  const hn_work *work;
  int n, np;
  double A[9], down[3];   // axes, gravity in them
  double *Q, *L;          // per interface: A^T R_i; L_i
  double *curve;          // per interface: c and its derivative over h (rotation.h)
  dual *r;                // per interface
  dual *p, *rate;         // np
  dual *nu, *own, *push;  // n: velocities, accelerations, rates of the velocities
  dual *z, *z_rate;       // size
  dual *g, *h;            // size: G z, G z'
  dual *c;                // np
  dual *F;                // n
  double *matrix;         // n x n
} motion;

int hn_flexible_body(const hn_sys_flexible *x, int i) {
  int inner = 6 * x->reduced->interfaces;
  return i < inner ? x->first + i / 6 : x->modes + i - inner;
}
int hn_flexible_velocity(const hn_system *sys, const hn_sys_flexible *x, int i) {
  return sys->body[hn_flexible_body(x, i)].v0 + (i < 6 * x->reduced->interfaces ? i % 6 : 0);
}

// numbers a motion needs; room NULL: only counts
static size_t lay(motion *m, double *room) {
  const hn_reduced *o = m->o;
  size_t used = 0, n = (size_t)o->n, k = (size_t)o->interfaces, size = (size_t)o->size;
#define TAKE(at, type, count)                                                                      \
  m->at = (type *)(void *)(room ? room + used : NULL),                                             \
  used += sizeof(type) / sizeof(double) * (count)
  TAKE(Q, double, 9 * k);
  TAKE(L, double, 9 * k);
  TAKE(curve, double, 2 * k);
  TAKE(r, dual, 3 * k);
  TAKE(p, dual, n - 6);
  TAKE(rate, dual, n - 6);
  TAKE(c, dual, n - 6);
  TAKE(nu, dual, n);
  TAKE(own, dual, n);
  TAKE(push, dual, n);
  TAKE(F, dual, n);
  TAKE(z, dual, size);
  TAKE(z_rate, dual, size);
  TAKE(g, dual, size);
  TAKE(h, dual, size);
  TAKE(matrix, double, n *n);
#undef TAKE
  return used;
}

int hn_flexible_room(const hn_reduced *reduced) {
  motion m = {.o = reduced};
  return (int)lay(&m, NULL);
}

// ---- pairs ---------------------------------------------------------------------------------

static dual times(dual a, dual b) {
  return (dual){a.v * b.v, a.v * b.d + a.d * b.v};
}
static void add(dual *o, double s, dual a) {
  o->v += s * a.v, o->d += s * a.d;
}
static void add3(dual o[3], double s, const dual a[3]) {
  for (int k = 0; k < 3; k++) add(&o[k], s, a[k]);
}
// o += s a x b
static void add_cross(dual o[3], double s, const dual a[3], const dual b[3]) {
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    add(&o[k], s, times(a[i], b[j]));
    add(&o[k], -s, times(a[j], b[i]));
  }
}
static void set(dual *o, const double *v, int count) {
  for (int k = 0; k < count; k++) o[k] = (dual){v[k], 0};
}
static void values(double *o, const dual *a, int count) {
  for (int k = 0; k < count; k++) o[k] = a[k].v;
}
static void changes(double *o, const dual *a, int count) {
  for (int k = 0; k < count; k++) o[k] = a[k].d;
}

// ---- where it is, how it moves ---------------------------------------------------------------

static void find_place(motion *m) {
  const hn_work *work = m->work;
  const hn_kin *frame = &work->kin[m->x->first];
  memcpy(m->A, frame->R, sizeof m->A);
  m3_tmulv(m->down, m->A, work->sys->gravity);
  for (int i = 0; i < m->o->interfaces; i++) {
    const hn_kin *k = &work->kin[m->x->first + i];
    double d[3], r[3], theta[3], dd;
    v3_sub(d, k->p, frame->p);
    m3_tmulv(r, m->A, d);
    set(m->r + 3 * i, r, 3);
    m3_tmul(m->Q + 9 * i, m->A, k->R);
    if (i == 0) continue;
    m3_rotation_vector(theta, m->Q + 9 * i);
    hn_log_coefficients(v3_dot(theta, theta), &m->curve[2 * i], &m->curve[2 * i + 1], &dd);
    hn_log_matrix(theta, m->curve[2 * i], m->L + 9 * i);
    v3_sub(r, r, m->o->place + 3 * i);
    set(m->p + 6 * (i - 1), r, 3);
    set(m->p + 6 * (i - 1) + 3, theta, 3);
  }
  for (int k = 0; k < m->o->modes; k++)
    m->p[m->o->stiff + k] = (dual){work->q[work->sys->body[m->x->modes + k].q0], 0};
}

// numbers along the velocities of the bodies, in axes of the frame
static void bring(const motion *m, const double *from, dual *to) {
  const hn_system *sys = m->work->sys;
  for (int i = 0; i < m->o->interfaces; i++) {
    const double *u = from + sys->body[m->x->first + i].v0;
    double x[3];
    m3_tmulv(x, m->A, u);
    set(to + 6 * i, x, 3);
    m3_mulv(x, m->Q + 9 * i, u + 3);
    set(to + 6 * i + 3, x, 3);
  }
  for (int k = 0; k < m->o->modes; k++)
    to[6 * m->o->interfaces + k] = (dual){from[sys->body[m->x->modes + k].v0], 0};
}

static motion begin(hn_work *work, const hn_sys_flexible *x, const double *v, const double *a) {
  motion m = {.x = x, .o = x->reduced, .work = work, .n = x->reduced->n, .np = x->reduced->n - 6};
  size_t used = lay(&m, work->flexible);
  memset(work->flexible, 0, used * sizeof(double));
  find_place(&m);
  if (v) bring(&m, v, m.nu);
  if (a) bring(&m, a, m.own);
  return m;
}

// rates of the velocities and of the deformation
static void find_rates(motion *m) {
  const dual *w = m->nu + 3;
  memcpy(m->push, m->own, (size_t)m->n * sizeof *m->push);
  for (int i = 0; i < 2 * m->o->interfaces; i++) add_cross(m->push + 3 * i, -1, w, m->nu + 3 * i);
  for (int i = 1; i < m->o->interfaces; i++) {
    dual *rate = m->rate + 6 * (i - 1), y[3];
    double theta[3], value[3], change[3], turn[3], N[9];
    memset(rate, 0, 6 * sizeof *rate);
    add3(rate, 1, m->nu + 6 * i);
    add3(rate, -1, m->nu);
    add_cross(rate, -1, w, m->r + 3 * i);
    memcpy(y, m->nu + 6 * i + 3, sizeof y);
    add3(y, -1, w);
    values(value, y, 3);
    values(theta, m->p + 6 * (i - 1) + 3, 3);
    changes(turn, m->p + 6 * (i - 1) + 3, 3);
    hn_log_gradient(theta, m->curve[2 * i], m->curve[2 * i + 1], value, N);
    m3_mulv(change, N, turn);
    v3_cross(theta, value, turn);
    v3_add(change, change, theta);
    for (int k = 0; k < 3; k++) {
      const double *L = m->L + 9 * i + 3 * k;
      rate[3 + k].v = v3_dot(L, value);
      rate[3 + k].d = change[k] + L[0] * y[0].d + L[1] * y[1].d + L[2] * y[2].d;
    }
  }
  for (int k = 0; k < m->o->modes; k++) m->rate[m->o->stiff + k] = m->nu[6 * m->o->interfaces + k];
}

// y = G x: the values, the changes
static void multiply(const motion *m, const dual *x, dual *y, bool change) {
  int size = m->o->size;
  for (int i = 0; i < size; i++) {
    const double *G = m->o->G + (size_t)i * (size_t)size;
    double sum = 0;
    if (change)
      for (int j = 0; j < size; j++) sum += G[j] * x[j].d;
    else
      for (int j = 0; j < size; j++) sum += G[j] * x[j].v;
    *(change ? &y[i].d : &y[i].v) = sum;
  }
}

// momenta along z and their rates; the values are there already when changes are asked for
static void find_momenta(motion *m, bool change) {
  const dual *w = m->nu + 3, *w_rate = m->push + 3;
  memcpy(m->z, m->nu, (size_t)m->n * sizeof *m->z);
  memcpy(m->z_rate, m->push, (size_t)m->n * sizeof *m->z);
  for (int k = 0; k < m->np; k++)
    for (int c = 0; c < 3; c++) {
      m->z[m->n + 3 * k + c] = times(m->p[k], w[c]);
      m->z_rate[m->n + 3 * k + c] = times(m->rate[k], w[c]);
      add(&m->z_rate[m->n + 3 * k + c], 1, times(m->p[k], w_rate[c]));
    }
  multiply(m, m->z, m->g, change);
  multiply(m, m->z_rate, m->h, change);
}

// ---- forces --------------------------------------------------------------------------------

// gravity in axes of the frame, whose turn changes it
static void find_gravity(const motion *m, const double alpha[3], dual g[3]) {
  double change[3];
  v3_cross(change, m->down, alpha);
  for (int k = 0; k < 3; k++) g[k] = (dual){m->down[k], change[k]};
}

// along p: kinetic energy, and with `forces` stiffness, dampers and gravity
static void find_forces(motion *m, bool forces, const dual gravity[3]) {
  const hn_reduced *o = m->o;
  const dual *w = m->nu + 3;
  for (int k = 0; k < m->np; k++) {
    dual sum = {0, 0};
    for (int c = 0; c < 3; c++) add(&sum, 1, times(w[c], m->g[m->n + 3 * k + c]));
    for (int c = 0; forces && c < 3; c++) add(&sum, o->S[c * m->np + k], gravity[c]);
    for (int j = 0; forces && k < o->stiff && j < o->stiff; j++) {
      add(&sum, -o->K[k * o->stiff + j], m->p[j]);
      add(&sum, -m->x->damping * o->K[k * o->stiff + j], m->rate[j]);
    }
    m->c[k] = sum;
  }
}

// L_i^T t_i
static void turn_back(const motion *m, int i, dual out[3]) {
  const dual *t = m->c + 6 * (i - 1) + 3, *theta = m->p + 6 * (i - 1) + 3;
  double value[3], at[3], turn[3], N[9], change[3];
  const double *L = m->L + 9 * i;
  values(value, t, 3);
  values(at, theta, 3);
  changes(turn, theta, 3);
  hn_log_gradient(at, m->curve[2 * i], m->curve[2 * i + 1], value, N);
  m3_mulv(change, N, turn);
  for (int k = 0; k < 3; k++) {
    out[k] = (dual){0, change[k]};
    for (int j = 0; j < 3; j++) add(&out[k], L[3 * j + k], t[j]);
  }
}

// F from momenta and forces along p
static void balance(motion *m, bool forces, const dual gravity[3]) {
  const hn_reduced *o = m->o;
  const dual *w = m->nu + 3;
  dual pi[3], *F = m->F, *frame = m->F + 3;
  for (int i = 0; i < m->n; i++) F[i] = (dual){-m->h[i].v, -m->h[i].d};
  memcpy(pi, m->g + 3, sizeof pi);
  for (int k = 0; k < m->np; k++)
    for (int c = 0; c < 3; c++) {
      int y = m->n + 3 * k + c;
      add(&pi[c], 1, times(m->p[k], m->g[y]));
      add(&frame[c], -1, times(m->p[k], m->h[y]));
      add(&frame[c], -1, times(m->rate[k], m->g[y]));
    }
  for (int i = 0; i < o->interfaces; i++) {
    const dual *along = m->g + 6 * i, *about = i ? m->g + 6 * i + 3 : pi;
    add_cross(F + 6 * i, -1, w, along);
    add_cross(F + 6 * i + 3, -1, w, about);
    add_cross(frame, -1, m->nu + 6 * i, along);
    if (i == 0) continue;
    const dual *s = m->c + 6 * (i - 1);
    dual t[3];
    turn_back(m, i, t);
    add_cross(F + 6 * i + 3, 1, m->nu + 6 * i + 3, about);
    add_cross(frame, -1, m->nu + 6 * i + 3, about);
    add3(F + 6 * i, 1, s);
    add3(F, -1, s);
    add_cross(frame, -1, m->r + 3 * i, s);
    add3(F + 6 * i + 3, 1, t);
    add3(frame, -1, t);
  }
  for (int k = 0; k < o->modes; k++) add(&F[6 * o->interfaces + k], 1, m->c[o->stiff + k]);
  if (!forces) return;
  dual moment[3];
  for (int c = 0; c < 3; c++) {
    moment[c] = (dual){o->moment[c], 0};
    for (int k = 0; k < m->np; k++) add(&moment[c], o->S[c * m->np + k], m->p[k]);
  }
  add3(F, o->mass, gravity);
  add_cross(frame, 1, moment, gravity);
}

static void find_all(motion *m, bool forces, const double alpha[3], bool change) {
  dual gravity[3];
  find_gravity(m, alpha, gravity);
  find_rates(m);
  find_momenta(m, change);
  find_forces(m, forces, gravity);
  balance(m, forces, gravity);
}

static double potential(const motion *m) {
  const hn_reduced *o = m->o;
  double V = 0;
  for (int i = 0; i < o->stiff; i++)
    for (int j = 0; j < o->stiff; j++) V += 0.5 * o->K[i * o->stiff + j] * m->p[i].v * m->p[j].v;
  for (int c = 0; c < 3; c++) {
    double moment = o->moment[c];
    for (int k = 0; k < m->np; k++) moment += o->S[c * m->np + k] * m->p[k].v;
    V -= moment * m->down[c] + o->mass * m->work->sys->gravity[c] * m->work->kin[m->x->first].p[c];
  }
  return V;
}

static double lost(const motion *m) {
  const hn_reduced *o = m->o;
  double power = 0;
  for (int i = 0; i < o->stiff; i++)
    for (int j = 0; j < o->stiff; j++)
      power += m->x->damping * o->K[i * o->stiff + j] * m->rate[i].v * m->rate[j].v;
  return power;
}

static const double nothing[3] = {0, 0, 0};

void hn_flexible_force(hn_work *work, int flexible) {
  const hn_system *sys = work->sys;
  const hn_sys_flexible *x = &sys->flexible[flexible];
  motion m = begin(work, x, work->v, NULL);
  find_all(&m, true, nothing, false);
  for (int i = 0; i < m.o->interfaces; i++) {
    double *f = work->f + sys->body[x->first + i].v0, F[3], out[3];
    values(F, m.F + 6 * i, 3);
    m3_mulv(out, m.A, F);
    v3_add(f, f, out);
    values(F, m.F + 6 * i + 3, 3);
    m3_tmulv(out, m.Q + 9 * i, F);
    v3_add(f + 3, f + 3, out);
  }
  for (int k = 0; k < m.o->modes; k++)
    work->f[sys->body[x->modes + k].v0] += m.F[6 * m.o->interfaces + k].v;
  work->potential += potential(&m);
  work->power -= lost(&m);
}

// ---- masses --------------------------------------------------------------------------------

// E^T G E: what turns the frame moves the deformation as well
static void reduce_masses(const motion *m, double *M) {
  const hn_reduced *o = m->o;
  int n = m->n, size = o->size;
  double *W = (double *)(void *)m->g;  // size x 3
  for (int i = 0; i < size; i++)
    for (int c = 0; c < 3; c++) {
      double sum = 0;
      for (int k = 0; k < m->np; k++)
        sum += m->p[k].v * o->G[(size_t)i * (size_t)size + (size_t)(n + 3 * k + c)];
      W[3 * i + c] = sum;
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      bool turns_i = i >= 3 && i < 6, turns_j = j >= 3 && j < 6;
      double x = o->G[(size_t)i * (size_t)size + (size_t)j];
      if (turns_j) x += W[3 * i + j - 3];
      if (turns_i) x += W[3 * j + i - 3];
      for (int k = 0; turns_i && turns_j && k < m->np; k++)
        x += m->p[k].v * W[3 * (n + 3 * k + i - 3) + j - 3];
      M[i * n + j] = x;
    }
}

// three numbers in the axes of the frame as the body at i has them: A x, or Q_i^T x
static void hand_over(const motion *m, int i, const double x[3], double out[3]) {
  if (i % 6 < 3)
    m3_mulv(out, m->A, x);
  else
    m3_tmulv(out, m->Q + 9 * (i / 6), x);
}

static void turn_masses(const motion *m, double *M) {
  int n = m->n, inner = 6 * m->o->interfaces;
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < inner; i += 3)
      for (int j = 0; j < n; j++) {
        double x[3], out[3];
        for (int k = 0; k < 3; k++) x[k] = side ? M[j * n + i + k] : M[(i + k) * n + j];
        hand_over(m, i, x, out);
        for (int k = 0; k < 3; k++) *(side ? &M[j * n + i + k] : &M[(i + k) * n + j]) = out[k];
      }
}

void hn_flexible_masses(hn_work *work) {
  const hn_system *sys = work->sys;
  for (int f = 0; f < sys->flexibles; f++) {
    const hn_sys_flexible *x = &sys->flexible[f];
    motion m = begin(work, x, NULL, NULL);
    reduce_masses(&m, m.matrix);
    turn_masses(&m, m.matrix);
    for (int k = 0; k < m.n * m.n; k++)
      if (x->place[k] >= 0) work->mass_values[x->place[k]] = m.matrix[k];
  }
}

double hn_flexible_kinetic(const hn_work *work, int flexible) {
  const hn_sys_flexible *x = &work->sys->flexible[flexible];
  int n = x->reduced->n;
  double T = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (x->place[i * n + j] >= 0)
        T += work->mass_values[x->place[i * n + j]] *
             work->v[hn_flexible_velocity(work->sys, x, i)] *
             work->v[hn_flexible_velocity(work->sys, x, j)];
  return 0.5 * T;
}

// ---- tangents ------------------------------------------------------------------------------

// changes of all that is brought along: displacement and turn x, b of interface i (NULL: another)
static void displace(motion *m, int at, const double x[3], const double b[3]) {
  const double *alpha = at == 0 ? b : nothing;
  for (int i = 0; i < m->o->interfaces; i++) {
    double turn[3], r[3], d[3], u[3];
    v3_copy(turn, i == at ? b : nothing);
    v3_sub(turn, turn, alpha);
    values(r, m->r + 3 * i, 3);
    v3_cross(d, r, alpha);
    if (i == at) v3_add(d, d, x);
    if (at == 0) v3_sub(d, d, x);
    for (int k = 0; k < 3; k++) m->r[3 * i + k].d = i ? d[k] : 0;
    for (int part = 0; part < 2; part++) {
      dual *all[2] = {m->nu + 6 * i, m->own + 6 * i};
      values(u, all[part], 3);
      v3_cross(r, u, alpha);
      for (int k = 0; k < 3; k++) all[part][k].d = r[k];
      values(u, all[part] + 3, 3);
      v3_cross(r, turn, u);
      for (int k = 0; k < 3; k++) all[part][3 + k].d = r[k];
    }
    if (i == 0) continue;
    for (int k = 0; k < 3; k++) {
      m->p[6 * (i - 1) + k].d = d[k];
      m->p[6 * (i - 1) + 3 + k].d = v3_dot(m->L + 9 * i + 3 * k, turn);
    }
  }
}

static void clear_changes(motion *m) {
  for (int k = 0; k < m->np; k++) m->p[k].d = 0;
  for (int k = 0; k < m->n; k++) m->nu[k].d = m->own[k].d = 0;
  for (int k = 0; k < 3 * m->o->interfaces; k++) m->r[k].d = 0;
}

// column j: what its coordinate, or velocity, changes in the forces on the bodies
static void find_column(motion *m, int j, bool velocity, bool forces) {
  int inner = 6 * m->o->interfaces, at = j / 6, n = m->n;
  double unit[3] = {j % 3 == 0, j % 3 == 1, j % 3 == 2}, x[3] = {0, 0, 0}, b[3] = {0, 0, 0};
  clear_changes(m);
  if (j >= inner) {
    *(velocity ? &m->nu[j].d : &m->p[j - 6].d) = 1;
  } else {
    if (j % 6 < 3)
      m3_tmulv(x, m->A, unit);
    else
      m3_mulv(b, m->Q + 9 * at, unit);
    if (velocity) {
      for (int k = 0; k < 3; k++) m->nu[6 * at + k].d = x[k], m->nu[6 * at + 3 + k].d = b[k];
      v3_set(b, 0, 0, 0);
    } else {
      displace(m, at, x, b);
    }
  }
  const double *alpha = at == 0 ? b : nothing;
  find_all(m, forces, alpha, true);
  for (int i = 0; i < inner; i += 3) {
    double F[3], d[3], turn[3], out[3];
    values(F, m->F + i, 3);
    changes(d, m->F + i, 3);
    v3_copy(turn, alpha);
    if (i % 6 == 3 && i / 6 == at) v3_sub(turn, turn, b);
    v3_cross(out, turn, F);
    v3_add(d, d, out);
    hand_over(m, i, d, out);
    for (int k = 0; k < 3; k++) m->matrix[(i + k) * n + j] = out[k];
  }
  for (int i = inner; i < n; i++) m->matrix[i * n + j] = m->F[i].d;
}

static void add_matrix(const motion *m, int which, hn_tangent *tangent) {
  int n = m->n, inner = 6 * m->o->interfaces;
  for (int i = 0; i < n; i += i < inner ? 6 : 1)
    for (int j = 0; j < n; j += j < inner ? 6 : 1) {
      double block[36] = {0};
      for (int r = 0; r < (i < inner ? 6 : 1); r++)
        for (int c = 0; c < (j < inner ? 6 : 1); c++)
          block[6 * r + c] = m->matrix[(i + r) * n + j + c];
      hn_tangent_add(m->work->sys, tangent, which, hn_flexible_body(m->x, i),
                     hn_flexible_body(m->x, j), 1, block);
    }
}

static void find_matrix(motion *m, int which, bool forces, hn_tangent *tangent) {
  for (int j = 0; j < m->n; j++) find_column(m, j, which == HN_TANGENT_C, forces);
  add_matrix(m, which, tangent);
}

void hn_flexible_tangent(hn_work *work, hn_tangent *tangent) {
  for (int f = 0; f < work->sys->flexibles; f++) {
    motion m = begin(work, &work->sys->flexible[f], work->v, NULL);
    find_all(&m, true, nothing, false);
    find_matrix(&m, HN_TANGENT_K, true, tangent);
    find_matrix(&m, HN_TANGENT_C, true, tangent);
  }
}

void hn_flexible_mass_tangent(hn_work *work, const double *a, hn_tangent *tangent) {
  for (int f = 0; f < work->sys->flexibles; f++) {
    motion m = begin(work, &work->sys->flexible[f], NULL, a);
    find_all(&m, false, nothing, false);
    find_matrix(&m, HN_TANGENT_K, false, tangent);
  }
}
