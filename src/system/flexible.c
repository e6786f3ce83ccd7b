// flexible.c: bodies of finite elements, evaluated: kinetic energy z.G z / 2 of model/reduced.h.
//
// Everything is counted in the axes A of the frame, the first interface: velocities V_i, W_i of the
// interfaces, r_i their places from the frame, w = W_0. The deformation p is
//
//   u_i = r_i - X_i,  theta_i = the sines (Q_i - Q_i^T)/2 of Q_i = A^T R_i,  modes eta
//   u_i' = V_i - V_0 - w x r_i,  theta_i' = E_i (W_i - w),  E_i = (tr(Q_i) 1 - Q_i)/2
//
// and the velocities z = (V_i, w + theta_i', eta', p_k w), w alone for the frame. Rotations of
// nodes are slopes of what lies between them, whose rates those of theta are; angular velocities
// are not, by theta x theta'/2, and turning with w that would count. With g = G z and c = w.g_k
// plus the forces along p (stiffness, dampers, gravity), s_i, t_i being c along u_i and theta_i,
// Lagrange's equations for velocities counted in turning axes give
//
//   V_i:  g_i' + w x g_i = s_i
//   W_i:  E_i^T (t_i - g_theta') = 0
//   V_0:  g_0' + w x g_0 = -sum s_i
//   W_0:  pi' + w x pi + sum_i V_i x g_i + sum_(i > 0) (g_theta' + w x g_theta)
//             = -sum (r_i x s_i + E_i^T (t_i - g_theta')),  pi = g_w + sum p_k g_k
//   eta:  g' = c
//
// The rates of nu are V_i' = a_i - w x V_i with the acceleration a_i, and likewise of W_i. What has
// no acceleration in it is the force of the body; what has, M a.
//
// The same operations are done on pairs (a number, its change), and so the tangent is exact: a turn
// alpha of the frame and displacements and turns x_i, b_i of the interfaces change r_i by x_i - x_0
// - alpha x r_i, V_i by -alpha x V_i, W_i by (b_i - alpha) x W_i, Q_i by [b_i - alpha] Q_i.
#include "system/flexible.h"

typedef hn_bending motion;

int hn_flexible_body(const hn_sys_flexible *x, int i) {
  int inner = 6 * x->reduced->interfaces;
  return i < inner ? x->first + i / 6 : x->modes + i - inner;
}
int hn_flexible_velocity(const hn_system *sys, const hn_sys_flexible *x, int i) {
  return sys->body[hn_flexible_body(x, i)].v0 + (i < 6 * x->reduced->interfaces ? i % 6 : 0);
}

// numbers a motion needs; room NULL: only counts
static size_t lay(motion *m, double *room) {
  // pieces of one array of doubles, a dual being two of them
  const hn_reduced *o = m->o;
  size_t used = 0, n = (size_t)o->n, k = (size_t)o->interfaces, size = (size_t)o->size;
#define TAKE(at, type, count)                                                                      \
  m->at = (type *)(void *)(room ? room + used : NULL),                                             \
  used += sizeof(type) / sizeof(double) * (count)
  TAKE(Q, double, 9 * k);
  TAKE(turn, double, 3 * k);
  TAKE(E, dual, 9 * k);
  TAKE(r, dual, 3 * k);
  TAKE(p, dual, n - 6);
  TAKE(rate, dual, n - 6);
  TAKE(rate2, dual, n - 6);
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
  TAKE(product, double, size *n);
  // only bodies of second order have the rest
  if (!o->second) return used;
  TAKE(along, dual, 12 * (n - 6));
  TAKE(along_rate, dual, 12 * (n - 6));
  TAKE(sum, dual, 12);
  TAKE(sum_rate, dual, 12);
  TAKE(sum_2, dual, 12);
  TAKE(wide, dual, n - 6);
  TAKE(load, dual, n - 6);
#undef TAKE
  return used;
}

int hn_flexible_room(const hn_reduced *reduced) {
  motion m = {.o = reduced};
  return (int)lay(&m, NULL);
}

// ---- where it is, how it moves ---------------------------------------------------------------

// values and changes of A^T R_i
static void find_turn(const motion *m, int i, dual Q[9]) {
  // d(A^T R) = [turn] A^T R
  double S[9], d[9];
  m3_skew(S, m->turn + 3 * i);
  m3_mul(d, S, m->Q + 9 * i);
  for (int k = 0; k < 9; k++) Q[k] = (dual){m->Q[9 * i + k], d[k]};
}

// (tr(Q) 1 - Q)/2: the skew part of [y] Q is that of E y
static void rate_matrix(const dual Q[9], dual E[9]) {
  dual trace = {0, 0};
  for (int k = 0; k < 3; k++) add(&trace, 0.5, Q[4 * k]);
  for (int k = 0; k < 9; k++) {
    E[k] = k % 4 == 0 ? trace : (dual){0, 0};
    add(&E[k], -0.5, Q[k]);
  }
}

// E and theta of an interface, with their changes.
// theta is the axial vector of the skew part of Q: sines of the rotation, not angles, so that it is
// linear in Q and its rate is E times the angular velocity.
static void set_turn(motion *m, int i) {
  dual Q[9], *theta = m->p + 6 * (i - 1) + 3;
  find_turn(m, i, Q);
  rate_matrix(Q, m->E + 9 * i);
  for (int k = 0; k < 3; k++) {
    int r = (k + 2) % 3, c = (k + 1) % 3;
    theta[k] = (dual){0, 0};
    add(&theta[k], 0.5, Q[3 * r + c]);
    add(&theta[k], -0.5, Q[3 * c + r]);
  }
}

// The first interface is the frame: its own deformation is none by definition.
static void find_place(motion *m) {
  const hn_work *work = m->work;
  const hn_kin *frame = &work->kin[m->x->first];
  memcpy(m->A, frame->R, sizeof m->A);
  m3_tmulv(m->down, m->A, work->sys->gravity);
  for (int i = 0; i < m->o->interfaces; i++) {
    const hn_kin *k = &work->kin[m->x->first + i];
    double d[3], r[3];
    v3_sub(d, k->p, frame->p);
    m3_tmulv(r, m->A, d);
    set(m->r + 3 * i, r, 3);
    m3_tmul(m->Q + 9 * i, m->A, k->R);
    if (i == 0) continue;
    // from where the interface is when nothing is deformed
    v3_sub(r, r, m->o->place + 3 * i);
    set(m->p + 6 * (i - 1), r, 3);
    set_turn(m, i);
  }
  // modes are coordinates as they are
  for (int k = 0; k < m->o->modes; k++)
    m->p[m->o->stiff + k] = (dual){work->q[work->sys->body[m->x->modes + k].q0], 0};
}

// numbers along the velocities of the bodies, in axes of the frame
static void bring(const motion *m, const double *from, dual *to) {
  const hn_system *sys = m->work->sys;
  for (int i = 0; i < m->o->interfaces; i++) {
    const double *u = from + sys->body[m->x->first + i].v0;
    double x[3];
    // linear velocities come in world axes
    m3_tmulv(x, m->A, u);
    set(to + 6 * i, x, 3);
    // angular ones in those of the body
    m3_mulv(x, m->Q + 9 * i, u + 3);
    set(to + 6 * i + 3, x, 3);
  }
  for (int k = 0; k < m->o->modes; k++)
    to[6 * m->o->interfaces + k] = (dual){from[sys->body[m->x->modes + k].v0], 0};
}

// Scratch is that of the work space, sized for the largest body: one motion at a time.
static motion begin(hn_work *work, const hn_sys_flexible *x, const double *v, const double *a) {
  motion m = {.x = x, .o = x->reduced, .work = work, .n = x->reduced->n, .np = x->reduced->n - 6};
  size_t used = lay(&m, work->flexible);
  memset(work->flexible, 0, used * sizeof(double));
  find_place(&m);
  if (v) bring(&m, v, m.nu);
  if (a) bring(&m, a, m.own);
  return m;
}

static void apply(const dual E[9], const dual y[3], dual out[3]) {
  for (int r = 0; r < 3; r++) {
    out[r] = (dual){0, 0};
    for (int c = 0; c < 3; c++) add(&out[r], 1, times(E[3 * r + c], y[c]));
  }
}

// E y, and E y' + E' y with Q' = [y] Q
static void turn_rates(motion *m, int i) {
  dual Q[9], Q_rate[9], E_rate[9], y[3], y_rate[3], more[3];
  dual *rate = m->rate + 6 * (i - 1) + 3, *rate2 = m->rate2 + 6 * (i - 1) + 3;
  memcpy(y, m->nu + 6 * i + 3, sizeof y);
  add3(y, -1, m->nu + 3);
  memcpy(y_rate, m->push + 6 * i + 3, sizeof y_rate);
  add3(y_rate, -1, m->push + 3);
  find_turn(m, i, Q);
  // Q' = [y] Q, column by column
  for (int c = 0; c < 3; c++) {
    dual column[3] = {Q[c], Q[3 + c], Q[6 + c]}, out[3] = {{0, 0}};
    add_cross(out, 1, y, column);
    for (int r = 0; r < 3; r++) Q_rate[3 * r + c] = out[r];
  }
  rate_matrix(Q_rate, E_rate);
  apply(m->E + 9 * i, y, rate);
  apply(m->E + 9 * i, y_rate, rate2);
  apply(E_rate, y, more);
  add3(rate2, 1, more);
}

// rates of the velocities, and of the deformation twice
static void find_rates(motion *m) {
  const dual *w = m->nu + 3, *w_rate = m->push + 3;
  int inner = 6 * m->o->interfaces;
  // V' = a - w x V, and W' alike
  memcpy(m->push, m->own, (size_t)m->n * sizeof *m->push);
  for (int i = 0; i < 2 * m->o->interfaces; i++) add_cross(m->push + 3 * i, -1, w, m->nu + 3 * i);
  for (int i = 1; i < m->o->interfaces; i++) {
    dual *rate = m->rate + 6 * (i - 1), *rate2 = m->rate2 + 6 * (i - 1);
    // u' = V_i - V_0 - w x r
    memcpy(rate, m->nu + 6 * i, 3 * sizeof *rate);
    add3(rate, -1, m->nu);
    add_cross(rate, -1, w, m->r + 3 * i);
    // u'' = V_i' - V_0' - w' x r - w x r'
    memcpy(rate2, m->push + 6 * i, 3 * sizeof *rate2);
    add3(rate2, -1, m->push);
    add_cross(rate2, -1, w_rate, m->r + 3 * i);
    add_cross(rate2, -1, w, rate);
    turn_rates(m, i);
  }
  for (int k = 0; k < m->o->modes; k++) {
    m->rate[m->o->stiff + k] = m->nu[inner + k];
    m->rate2[m->o->stiff + k] = m->push[inner + k];
  }
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
  // z = (V_i, w + theta', eta', p w)
  memcpy(m->z, m->nu, (size_t)m->n * sizeof *m->z);
  memcpy(m->z_rate, m->push, (size_t)m->n * sizeof *m->z);
  for (int i = 1; i < m->o->interfaces; i++) {
    dual *turn = m->z + 6 * i + 3, *turn_rate = m->z_rate + 6 * i + 3;
    memcpy(turn, w, 3 * sizeof *turn);
    add3(turn, 1, m->rate + 6 * (i - 1) + 3);
    memcpy(turn_rate, w_rate, 3 * sizeof *turn_rate);
    add3(turn_rate, 1, m->rate2 + 6 * (i - 1) + 3);
  }
  // p_k w, and its rate p_k' w + p_k w'
  for (int k = 0; k < m->np; k++)
    for (int c = 0; c < 3; c++) {
      m->z[m->n + 3 * k + c] = times(m->p[k], w[c]);
      m->z_rate[m->n + 3 * k + c] = times(m->rate[k], w[c]);
      add(&m->z_rate[m->n + 3 * k + c], 1, times(m->p[k], w_rate[c]));
    }
  multiply(m, m->z, m->g, change);
  multiply(m, m->z_rate, m->h, change);
  if (!m->o->second) return;
  hn_second_place(m);
  hn_second_rates(m);
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
      if (!o->second) add(&sum, -o->K[k * o->stiff + j], m->p[j]);
      add(&sum, -m->x->damping * o->K[k * o->stiff + j], m->rate[j]);
    }
    m->c[k] = sum;
  }
  if (!o->second) return;
  hn_second_inertia(m);
  if (!forces) return;
  hn_second_stiffness(m);
  hn_second_gravity(m, gravity);
}

// E_i^T (t_i - g')
static void turn_back(const motion *m, int i, dual out[3]) {
  const dual *E = m->E + 9 * i;
  for (int c = 0; c < 3; c++) out[c] = (dual){0, 0};
  for (int r = 0; r < 3; r++) {
    dual t = m->c[6 * (i - 1) + 3 + r];
    add(&t, -1, m->h[6 * i + 3 + r]);
    for (int c = 0; c < 3; c++) add(&out[c], 1, times(E[3 * r + c], t));
  }
}

// F from momenta and forces along p
static void balance(motion *m, bool forces, const dual gravity[3]) {
  const hn_reduced *o = m->o;
  const dual *w = m->nu + 3;
  dual pi[3], *F = m->F, *frame = m->F + 3;
  for (int i = 0; i < m->n; i++) F[i] = (dual){-m->h[i].v, -m->h[i].d};
  // pi = g_w + sum p_k g_k
  memcpy(pi, m->g + 3, sizeof pi);
  for (int k = 0; k < m->np; k++)
    for (int c = 0; c < 3; c++) {
      int y = m->n + 3 * k + c;
      add(&pi[c], 1, times(m->p[k], m->g[y]));
      add(&frame[c], -1, times(m->p[k], m->h[y]));
      add(&frame[c], -1, times(m->rate[k], m->g[y]));
    }
  add_cross(frame, -1, w, pi);
  for (int i = 0; i < o->interfaces; i++) {
    const dual *along = m->g + 6 * i;
    add_cross(F + 6 * i, -1, w, along);
    add_cross(frame, -1, m->nu + 6 * i, along);
    if (i == 0) continue;
    const dual *s = m->c + 6 * (i - 1);
    dual *t = F + 6 * i + 3;
    // the row of W_i is E^T (t - g_theta') altogether: what stood there is written over
    turn_back(m, i, t);
    add3(frame, -1, m->h + 6 * i + 3);
    add_cross(frame, -1, w, m->g + 6 * i + 3);
    // s pushes the interface, and the frame back
    add3(F + 6 * i, 1, s);
    add3(F, -1, s);
    add_cross(frame, -1, m->r + 3 * i, s);
    add3(frame, -1, t);
  }
  for (int k = 0; k < o->modes; k++) add(&F[6 * o->interfaces + k], 1, m->c[o->stiff + k]);
  if (o->second) hn_second_frame(m);
  if (!forces) return;
  // weight, and its moment about the middle of the frame
  dual moment[3];
  for (int c = 0; c < 3; c++) {
    moment[c] = o->second ? m->sum[c] : (dual){0, 0};
    moment[c].v += o->moment[c];
    for (int k = 0; k < m->np; k++) add(&moment[c], o->S[c * m->np + k], m->p[k]);
  }
  add3(F, o->mass, gravity);
  add_cross(frame, 1, moment, gravity);
}

// With `change` the values of g and h stand already and only the changes are multiplied by G, which
// is most of the work.
static void find_all(motion *m, bool forces, const double alpha[3], bool change) {
  dual gravity[3];
  find_gravity(m, alpha, gravity);
  find_rates(m);
  find_momenta(m, change);
  find_forces(m, forces, gravity);
  balance(m, forces, gravity);
}

static double potential(motion *m) {
  const hn_reduced *o = m->o;
  double V = o->second ? hn_second_potential(m) : 0;
  for (int i = 0; !o->second && i < o->stiff; i++)
    for (int j = 0; j < o->stiff; j++) V += 0.5 * o->K[i * o->stiff + j] * m->p[i].v * m->p[j].v;
  for (int c = 0; c < 3; c++) {
    double moment = o->moment[c];
    for (int k = 0; k < m->np; k++) moment += o->S[c * m->np + k] * m->p[k].v;
    V -= moment * m->down[c] + o->mass * m->work->sys->gravity[c] * m->work->kin[m->x->first].p[c];
  }
  return V;
}

// power taken by the dampers
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
  // forces to world axes, moments to those of each body
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

// z = B nu: what column j of B makes of numbers along z, `stride` apart
static double combine(const motion *m, int j, const double *x, size_t stride) {
  int inner = 6 * m->o->interfaces, at = j / 6, c = j % 3;
  if (j >= inner || j % 6 < 3) return x[(size_t)j * stride];
  double sum = 0;
  if (at > 0) {
    // w + E (W - w)
    for (int r = 0; r < 3; r++)
      sum += m->E[9 * at + 3 * r + c].v * x[(size_t)(6 * at + 3 + r) * stride];
    return sum;
  }
  sum = x[(size_t)j * stride];
  for (int i = 1; i < m->o->interfaces; i++)
    for (int r = 0; r < 3; r++)
      sum += ((r == c) - m->E[9 * i + 3 * r + c].v) * x[(size_t)(6 * i + 3 + r) * stride];
  for (int k = 0; k < m->np; k++) sum += m->p[k].v * x[(size_t)(m->n + 3 * k + c) * stride];
  return sum;
}

// B^T G B.
// G B first, then B^T of that. Columns of B have a few numbers each, but for the three of the
// frame's turns
static void reduce_masses(const motion *m, double *M) {
  int n = m->n, size = m->o->size;
  for (int i = 0; i < size; i++)
    for (int j = 0; j < n; j++)
      m->product[i * n + j] = combine(m, j, m->o->G + (size_t)i * (size_t)size, 1);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) M[i * n + j] = combine(m, i, m->product + j, (size_t)n);
}

// three numbers in the axes of the frame as the body at i has them: A x, or Q_i^T x
static void hand_over(const motion *m, int i, const double x[3], double out[3]) {
  if (i % 6 < 3)
    m3_mulv(out, m->A, x);
  else
    m3_tmulv(out, m->Q + 9 * (i / 6), x);
}

// rows, then columns, from axes of the frame to those of the bodies
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
    if (m.o->second) {
      hn_second_place(&m);
      hn_second_masses(&m, m.matrix);
    }
    turn_masses(&m, m.matrix);
    for (int k = 0; k < m.n * m.n; k++)
      // entries among modes are written by their block
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
  // only a turn of the first interface turns the frame
  const double *alpha = at == 0 ? b : nothing;
  for (int i = 0; i < m->o->interfaces; i++) {
    double turn[3], r[3], d[3], u[3];
    v3_copy(turn, i == at ? b : nothing);
    v3_sub(turn, turn, alpha);
    // r_i changes by x_i - x_0 - alpha x r_i
    values(r, m->r + 3 * i, 3);
    v3_cross(d, r, alpha);
    if (i == at) v3_add(d, d, x);
    if (at == 0) v3_sub(d, d, x);
    for (int k = 0; k < 3; k++) m->r[3 * i + k].d = i ? d[k] : 0;
    v3_copy(m->turn + 3 * i, turn);
    // velocities, then accelerations, both counted in axes that turn
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
    for (int k = 0; k < 3; k++) m->p[6 * (i - 1) + k].d = d[k];
    set_turn(m, i);
  }
}

static void clear_changes(motion *m) {
  for (int k = 0; k < m->np; k++) m->p[k].d = 0;
  for (int k = 0; k < m->n; k++) m->nu[k].d = m->own[k].d = 0;
  for (int k = 0; k < 3 * m->o->interfaces; k++) m->r[k].d = m->turn[k] = 0;
  for (int i = 1; i < m->o->interfaces; i++) set_turn(m, i);
}

// column j: what its coordinate, or velocity, changes in the forces on the bodies.
// The forces come out in axes of the frame; those of the bodies turn with the displacement, hence
// the products with alpha and b behind.
static void find_column(motion *m, int j, bool velocity, bool forces) {
  int inner = 6 * m->o->interfaces, at = j / 6, n = m->n;
  double unit[3] = {j % 3 == 0, j % 3 == 1, j % 3 == 2}, x[3] = {0, 0, 0}, b[3] = {0, 0, 0};
  clear_changes(m);
  if (j >= inner) {
    *(velocity ? &m->nu[j].d : &m->p[j - 6].d) = 1;
  } else {
    // along an axis of the world, or about one of the body
    if (j % 6 < 3)
      m3_tmulv(x, m->A, unit);
    else
      m3_mulv(b, m->Q + 9 * at, unit);
    if (velocity) {
      for (int k = 0; k < 3; k++) m->nu[6 * at + k].d = x[k], m->nu[6 * at + 3 + k].d = b[k];
      // nothing is displaced: only the velocity changes
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
