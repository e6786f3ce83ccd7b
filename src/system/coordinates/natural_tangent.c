// natural_tangent.c: how forces change with points and vectors.
//
// Forces act on recovered poses, r = sum T_i^T f_i with twists T_i q' (see natural_motion.c), and
// have tangents on the twists of the bodies. A change of q turns body i by theta = T_w dq in its
// own axes e_c; beside sum T_i^T (K_ij T_j dq + C_ij T_j dv) this changes
//
//   where a torque tau acts      1/2 R (tau x e_c) on axis c by  1/2 R (theta x (tau x e_c))
//   the twist itself             w = 1/2 sum e_c x R^T a_c'  by  1/2 w x theta
//
// (plane: 1 in place of 1/2 in the first line, nothing in the second). Rows are functions g of
// products pi, which have constant second derivatives H:
//
//   d(J^T lambda)/dq = sum lambda (dg/dpi_k H_k + grad pi_k d2g/dpi_k dpi_l grad pi_l^T)
//
// All of this is exact where the rigidity rows hold, on both levels.
#include "system/coordinates/natural.h"
#include "system/reaction.h"

#include <string.h>

// where the twist of a body comes from: its columns of q, and T at the state
static void eval_map(const hn_work *work, int body, hn_natural_map *map) {
  const hn_system *sys = work->sys;
  const hn_natural_body *b = &hn_natural_own(sys)->body[body];
  const double *R = work->kin[body].R, none[3] = {0, 0, 0};
  double *scratch = hn_natural_at(work)->scratch;
  int d = hn_flat(&sys->body[body]) ? 2 : 3;
  map->count = 0;
  for (int k = 0; k < b->count; k++)
    for (int c = 0; c < d && b->g[k].index >= 0; c++) map->column[map->count++] = b->g[k].index + c;
  for (int r = 0; r < 6; r++) {
    double x[3] = {r % 3 == 0, r % 3 == 1, r % 3 == 2}, world[3];
    m3_mulv(world, R, x);
    hn_natural_add_wrench(work, body, r < 3 ? x : none, r < 3 ? none : world, scratch);
    for (int k = 0; k < map->count; k++) {
      map->twist[r][k] = scratch[map->column[k]];
      scratch[map->column[k]] = 0;
    }
  }
}

// ---- forces on bodies ----------------------------------------------------------------------

typedef struct target {
  hn_tangent tangent;
  const hn_work *work;
  const hn_natural_map *map;
  double *K, *C;
} target;

// out += s T_a^T block T_b.
// T_a^T block first, row by row, then times T_b: maps have 12 columns at most.
static void add_mapped(const hn_system *sys, const hn_natural_map *a, const hn_natural_map *b,
                       double s, const double block[36], double *out) {
  for (int k = 0; k < a->count; k++) {
    double row[6] = {0}, *o = out + (size_t)a->column[k] * (size_t)sys->nv;
    for (int r = 0; r < 6; r++)
      for (int c = 0; c < 6; c++) row[c] += a->twist[r][k] * block[6 * r + c];
    for (int l = 0; l < b->count; l++)
      for (int c = 0; c < 6; c++) o[b->column[l]] += s * row[c] * b->twist[c][l];
  }
}

static void add_block(hn_tangent *tangent, const hn_system *sys, int which, int i, int j, double s,
                      const double block[36]) {
  const target *t = tangent->user;
  add_mapped(sys, &t->map[i], &t->map[j], s, block, which == HN_TANGENT_K ? t->K : t->C);
  if (which == HN_TANGENT_K || sys->body[j].kind != HN_SPATIAL) return;
  // the twist of j changes by 1/2 w x theta
  double W[9], turned[36] = {0};
  m3_skew(W, t->work->v + sys->body[j].v0 + 3);
  for (int r = 0; r < 6; r++)
    for (int c = 0; c < 3; c++)
      for (int k = 0; k < 3; k++)
        turned[6 * r + 3 + c] += 0.5 * block[6 * r + 3 + k] * W[3 * k + c];
  add_mapped(sys, &t->map[i], &t->map[j], s, turned, t->K);
}

// the torque tau (body axes) on a body whose axes turn
static void turn_torque(const target *t, int body, const double tau[3]) {
  const hn_system *sys = t->work->sys;
  const hn_natural *n = hn_natural_own(sys);
  const hn_natural_map *map = &t->map[body];
  int axes = sys->body[body].kind == HN_SPATIAL ? 3 : sys->body[body].kind == HN_PLANAR ? 1 : 0;
  for (int c = 0; c < axes; c++) {
    const hn_form *form = &n->form[n->body[body].axis[c]];
    double e[3] = {c == 0, c == 1, c == 2}, x[3], S[9], X[9];
    v3_cross(x, tau, e);
    m3_skew(S, x);
    m3_mul(X, t->work->kin[body].R, S);  // R (theta x x) = -R [x] theta
    for (int k = form->first; k < form->first + form->count; k++) {
      const hn_form_entry *entry = &n->entry[k];
      const double *row = X + 3 * entry->component;
      double s = -(axes == 3 ? 0.5 : 1) * entry->coefficient;
      double *o = t->K + (size_t)entry->index * (size_t)sys->nv;
      for (int l = 0; l < map->count; l++)
        o[map->column[l]] +=
            s * (row[0] * map->twist[3][l] + row[1] * map->twist[4][l] + row[2] * map->twist[5][l]);
    }
  }
}

static void turn_forces(const target *t) {
  const hn_system *sys = t->work->sys;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    const double *f = t->work->f + b->v0;
    double tau[3] = {0, 0, 0};
    if (b->kind == HN_SPATIAL) v3_copy(tau, f + 3);
    if (b->kind == HN_PLANAR) tau[2] = f[2];
    turn_torque(t, i, tau);
  }
}

// rows with a formula of their own act on bodies, as forces do.
// Their moments turn with the bodies as those of forces do.
static void add_customs(target *t, const double *lambda) {
  const hn_system *sys = t->work->sys;
  enum { MAX = HN_CUSTOM_ROWS };
  double ja[MAX * 6] = {0}, jb[MAX * 6] = {0}, phi[MAX], phi_t[MAX];
  hn_custom_tangent(t->work, lambda, &t->tangent);
  for (int i = 0; i < sys->customs; i++) {
    const hn_custom *e = &sys->custom[i];
    hn_custom_out out = {.phi = phi, .phi_t = phi_t, .ja = ja, .jb = jb};
    e->type->eval(sys->custom_data + e->data, t->work->t, &t->work->kin[e->a], &t->work->kin[e->b],
                  &out);
    for (int k = 0; k < e->type->rows; k++)
      for (int side = 0; side < 2; side++) {
        int body = side ? e->b : e->a;
        double tau[3];
        if (sys->body[body].nv == 0) continue;
        v3_scale(tau, lambda[e->row + k], (side ? jb : ja) + 6 * k + 3);
        turn_torque(t, body, tau);
      }
  }
}

// ---- rows ----------------------------------------------------------------------------------

// K += s times the second derivatives of a product.
// pi = U.W is bilinear: each pair of entries of equal component adds one number, and its mirror
// image.
static void add_second(const hn_natural *n, int product, double s, int nv, double *K) {
  const hn_form *u = &n->form[n->product[product].u], *w = &n->form[n->product[product].w];
  for (int i = u->first; i < u->first + u->count; i++)
    for (int j = w->first; j < w->first + w->count; j++) {
      const hn_form_entry *a = &n->entry[i], *b = &n->entry[j];
      if (a->component != b->component) continue;
      double x = s * a->coefficient * b->coefficient;
      K[(size_t)a->index * (size_t)nv + (size_t)b->index] += x;
      K[(size_t)b->index * (size_t)nv + (size_t)a->index] += x;
    }
}

// second derivatives of a function by its products: xx, xy, yy
static void function_second(const hn_natural_work *w, const hn_function *f, double h[3]) {
  double x = w->pi[f->product[0]], y = f->product[1] < 0 ? 0 : w->pi[f->product[1]];
  h[0] = h[1] = h[2] = 0;
  if (f->type == HN_F_ROOT && x > 0) h[0] = -0.25 / (x * sqrt(x));
  if (f->type == HN_F_ASIN) {
    double c = sqrt(fmax(1 - x * x, 1e-24));
    h[0] = x / (c * c * c);
  }
  if (f->type == HN_F_ANGLE) {
    double r4 = (x * x + y * y) * (x * x + y * y);
    h[0] = 2 * x * y / r4, h[1] = (y * y - x * x) / r4, h[2] = -h[0];
  }
}

// gradients of a function's products in the columns of a row; `room` holds two of them
static void gradients(const hn_work *work, const hn_function *f, int row, double *room) {
  const hn_natural *n = hn_natural_own(work->sys);
  double *scratch = hn_natural_at(work)->scratch;
  int count = n->start[row + 1] - n->start[row];
  const int *column = n->column + n->start[row];
  for (int p = 0; p < 2; p++, room += count) {
    memset(room, 0, (size_t)count * sizeof(double));
    if (f->product[p] < 0) continue;
    const hn_product *product = &n->product[f->product[p]];
    hn_product_gradient(n, f->product[p], hn_natural_at(work)->u + 3 * product->u,
                        hn_natural_at(work)->u + 3 * product->w, 1, scratch);
    for (int k = 0; k < count; k++) room[k] = scratch[column[k]], scratch[column[k]] = 0;
  }
}

static void add_row(const hn_work *work, int row, double lambda, double *room, double *K) {
  const hn_system *sys = work->sys;
  const hn_natural *n = hn_natural_own(sys);
  const hn_natural_row *r = &n->row[row];
  int count = n->start[row + 1] - n->start[row];
  const int *column = n->column + n->start[row];
  for (int k = r->first; k < r->first + r->terms; k++) {
    const hn_function *f = &n->function[n->term[k].function];
    const hn_function_value *value = &hn_natural_at(work)->f[n->term[k].function];
    double s = lambda * n->term[k].coefficient, h[3];
    for (int p = 0; p < 2; p++)
      if (f->product[p] >= 0) add_second(n, f->product[p], s * value->g[p], sys->nv, K);
    function_second(hn_natural_at(work), f, h);
    if (h[0] == 0 && h[1] == 0) continue;
    gradients(work, f, row, room);
    const double *x = room, *y = room + count;
    for (int i = 0; i < count; i++)
      for (int j = 0; j < count; j++)
        K[(size_t)column[i] * (size_t)sys->nv + (size_t)column[j]] +=
            s * (h[0] * x[i] * x[j] + h[1] * (x[i] * y[j] + y[i] * x[j]) + h[2] * y[i] * y[j]);
  }
}

void hn_natural_tangent(hn_work *work, const double *lambda, double *K, double *C) {
  const hn_system *sys = work->sys;
  hn_natural_map *map = hn_natural_at(work)->map;
  size_t bytes = (size_t)sys->nv * (size_t)sys->nv * sizeof(double);
  target t = {.tangent = {.add = add_block, .user = &t}, .work = work, .map = map, .K = K, .C = C};
  memset(K, 0, bytes);
  memset(C, 0, bytes);
  for (int i = 1; i < sys->bodies; i++) eval_map(work, i, &map[i]);
  hn_force_tangent(work, &t.tangent);
  turn_forces(&t);
  if (sys->customs) add_customs(&t, lambda);
  for (int i = 0; i < sys->rows; i++) add_row(work, i, lambda[i], hn_natural_at(work)->room, K);
}
