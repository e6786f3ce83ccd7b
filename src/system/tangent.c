// tangent.c: derivatives of constraint forces and applied forces, for implicit methods.
#include "system/coordinates/coordinates.h"

#include <string.h>

// columns of the twist that are velocity coordinates of each kind of body
static const int columns_of[5][6] = {
    [HN_SPATIAL] = {0, 1, 2, 3, 4, 5}, [HN_PLANAR] = {0, 1, 5}, [HN_POINT] = {0, 1, 2},
    [HN_PLANAR_POINT] = {0, 1},        [HN_SCALAR] = {0},
};

const int *hn_twist_columns(hn_body_kind kind) {
  return columns_of[kind];
}

// Rows: velocities of body i that feel the force; columns: those of body j whose displacement (K)
// or rate (C) changes it.
void hn_tangent_add(const hn_system *sys, hn_tangent *tangent, int which, int i, int j, double s,
                    const double block[36]) {
  if (sys->body[i].nv == 0 || sys->body[j].nv == 0) return;
  if (tangent->add) {
    tangent->add(tangent, sys, which, i, j, s, block);
    return;
  }
  double *out = which == HN_TANGENT_K ? tangent->K : tangent->C;
  if (!out) return;
  const hn_sys_body *a = &sys->body[i], *b = &sys->body[j];
  const int *row = columns_of[a->kind], *column = columns_of[b->kind];
  for (int r = 0; r < a->nv; r++)
    for (int c = 0; c < b->nv; c++)
      out[(size_t)(a->v0 + r) * (size_t)tangent->n + (size_t)(b->v0 + c)] +=
          s * block[6 * row[r] + column[c]];
}

// s x y^T as a 6x6 block
static void outer(double o[36], const double x[6], const double y[6]) {
  for (int r = 0; r < 6; r++)
    for (int c = 0; c < 6; c++) o[6 * r + c] = x[r] * y[c];
}

// twist of a body in the mixed axes of its velocity coordinates
static void twist(const hn_system *sys, const hn_work *work, int body, double u[6]) {
  const hn_sys_body *b = &sys->body[body];
  memset(u, 0, 6 * sizeof(double));
  for (int k = 0; k < b->nv; k++) u[columns_of[b->kind][k]] = work->v[b->v0 + k];
}

// f = F grad m, so df/dq = F Hessian + grad m (F_m grad m + F_rate d(rate)/dq)^T and df/dv = F_rate
// grad m grad m^T. Blocks are added also where they are zero: the pattern must not depend on the
// state.
void hn_tangent_measure(const hn_system *sys, const hn_work *work, int measure, double F,
                        double F_m, double F_rate, hn_tangent *tangent) {
  const hn_measure *m = &sys->measure[measure];
  const hn_mval *x = &work->mval[measure];
  double H[4][36], ua[6], ub[6], da[6], db[6], block[36];
  hn_measure_hessian(sys, work, measure, H);
  twist(sys, work, m->a, ua);
  twist(sys, work, m->b, ub);
  // gradient of the rate: velocities contracted with the Hessian
  for (int c = 0; c < 6; c++) {
    da[c] = db[c] = 0;
    for (int r = 0; r < 6; r++) {
      da[c] += ua[r] * H[HN_AA][6 * r + c] + ub[r] * H[HN_BA][6 * r + c];
      db[c] += ua[r] * H[HN_AB][6 * r + c] + ub[r] * H[HN_BB][6 * r + c];
    }
  }
  const int body[2] = {m->a, m->b};
  const double *j[2] = {x->ja, x->jb}, *d[2] = {da, db};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      outer(block, j[i], j[k]);
      hn_tangent_add(sys, tangent, HN_TANGENT_K, body[i], body[k], F_m, block);
      hn_tangent_add(sys, tangent, HN_TANGENT_C, body[i], body[k], F_rate, block);
      outer(block, j[i], d[k]);
      hn_tangent_add(sys, tangent, HN_TANGENT_K, body[i], body[k], F_rate, block);
      hn_tangent_add(sys, tangent, HN_TANGENT_K, body[i], body[k], F, H[2 * i + k]);
    }
}

// ---- constraints: H[body][with] = d(J_body^T lambda)/d(q of with) -----------------------------

// turning a body changes the lever arm of its point: s [p][R^T l] on its own turn.
// The moment of the multiplier l at p, body axes, is p x R^T l; a turn d changes R^T l by (R^T l) x
// d.
static void point3_hessian(const hn_work *work, int body, const double p[3], const double l[3],
                           double s, double H[36]) {
  double local[3], P[9], L[9], X[9];
  m3_tmulv(local, work->kin[body].R, l);
  m3_skew(P, p);
  m3_skew(L, local);
  m3_mul(X, P, L);
  memset(H, 0, 36 * sizeof(double));
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) H[6 * (3 + r) + 3 + c] = s * X[3 * r + c];
}

// In the plane R p has the second derivative -R p by the angle.
static void point2_hessian(const hn_work *work, int body, const double p[2], const double l[2],
                           double s, double H[36]) {
  const hn_kin2 *k = &work->kin2[body];
  double rx = k->c * p[0] - k->s * p[1], ry = k->s * p[0] + k->c * p[1];
  memset(H, 0, 36 * sizeof(double));
  H[35] = -s * (rx * l[0] + ry * l[1]);
}

void hn_custom_tangent(const hn_work *work, const double *lambda, hn_tangent *tangent) {
  const hn_system *sys = work->sys;
  double H[4][36];
  for (int i = 0; i < sys->customs; i++) {
    const hn_custom *e = &sys->custom[i];
    const int body[2] = {e->a, e->b};
    e->type->tangent(sys->custom_data + e->data, work->t, &work->kin[e->a], &work->kin[e->b],
                     lambda + e->row, H);
    for (int x = 0; x < 4; x++)
      hn_tangent_add(sys, tangent, HN_TANGENT_K, body[x / 2], body[x % 2], 1, H[x]);
  }
}

void hn_constraint_tangent(hn_work *work, const double *lambda, hn_tangent *tangent) {
  const hn_system *sys = work->sys;
  double H[4][36];
  for (int i = 0; i < sys->points2; i++) {
    const hn_point2 *e = &sys->point2[i];
    point2_hessian(work, e->a, e->sa, lambda + e->row, -1, H[HN_AA]);
    point2_hessian(work, e->b, e->sb, lambda + e->row, 1, H[HN_BB]);
    hn_tangent_add(sys, tangent, HN_TANGENT_K, e->a, e->a, 1, H[HN_AA]);
    hn_tangent_add(sys, tangent, HN_TANGENT_K, e->b, e->b, 1, H[HN_BB]);
  }
  for (int i = 0; i < sys->points3; i++) {
    const hn_point3 *e = &sys->point3[i];
    point3_hessian(work, e->a, e->sa, lambda + e->row, -1, H[HN_AA]);
    point3_hessian(work, e->b, e->sb, lambda + e->row, 1, H[HN_BB]);
    hn_tangent_add(sys, tangent, HN_TANGENT_K, e->a, e->a, 1, H[HN_AA]);
    hn_tangent_add(sys, tangent, HN_TANGENT_K, e->b, e->b, 1, H[HN_BB]);
  }
  for (int i = 0; i < sys->rowcount; i++) {
    const hn_row *r = &sys->row[i];
    for (int k = 0; k < r->terms; k++) {
      const hn_term *term = &sys->term[r->first_term + k];
      const hn_measure *m = &sys->measure[term->measure];
      const int body[2] = {m->a, m->b};
      hn_measure_hessian(sys, work, term->measure, H);
      // blocks aa, ab, ba, bb
      for (int x = 0; x < 4; x++)
        hn_tangent_add(sys, tangent, HN_TANGENT_K, body[x / 2], body[x % 2],
                       term->coefficient * lambda[r->row], H[x]);
    }
  }
  hn_custom_tangent(work, lambda, tangent);
  hn_block_constraint_tangent(work, lambda, tangent);
}

// ---- velocities of the rows --------------------------------------------------------------------

// V += s u^T H in the columns the body has; nothing for the ground
static void contract(const hn_system *sys, int body, const double u[6], double s,
                     const double H[36], double *V) {
  const hn_sys_body *b = &sys->body[body];
  for (int c = 0; c < b->nv; c++) {
    int column = columns_of[b->kind][c];
    for (int r = 0; r < 6; r++) V[c] += s * u[r] * H[6 * r + column];
  }
}

// one row: its Hessian contracted with the velocities of both bodies
static void contract_pair(const hn_work *work, int a, int b, double s, double H[4][36], double *Va,
                          double *Vb) {
  const hn_system *sys = work->sys;
  double ua[6], ub[6];
  twist(sys, work, a, ua);
  twist(sys, work, b, ub);
  contract(sys, a, ua, s, H[HN_AA], Va);
  contract(sys, b, ua, s, H[HN_AB], Vb);
  contract(sys, a, ub, s, H[HN_BA], Va);
  contract(sys, b, ub, s, H[HN_BB], Vb);
}

// multipliers of one row at a time.
// With unit multipliers the tangent of J^T lambda is that of a single row.
static const double unit[6][6] = {{1},          {0, 1},          {0, 0, 1},
                                  {0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}};

// the ground has no block and no columns
static double *at(double *V, int offset) {
  return V + (offset < 0 ? 0 : offset);
}

// what is made of the second derivatives H of one row on two bodies, added to its numbers on them
typedef void (*pair_fn)(const hn_work *work, int a, int b, double s, double H[4][36], double *on_a,
                        double *on_b);

// all rows but those of points, in the layout of J
static void pair_rows(const hn_work *work, pair_fn add, double *out) {
  const hn_system *sys = work->sys;
  double H[4][36];
  for (int i = 0; i < sys->rowcount; i++) {
    const hn_row *r = &sys->row[i];
    for (int k = 0; k < r->terms; k++) {
      const hn_term *term = &sys->term[r->first_term + k];
      const hn_measure *m = &sys->measure[term->measure];
      hn_measure_hessian(sys, work, term->measure, H);
      add(work, m->a, m->b, term->coefficient, H, at(out, term->ja), at(out, term->jb));
    }
  }
  for (int i = 0; i < sys->customs; i++) {
    const hn_custom *e = &sys->custom[i];
    for (int k = 0; k < e->type->rows; k++) {
      // one row at a time, as if it alone had a multiplier
      e->type->tangent(sys->custom_data + e->data, work->t, &work->kin[e->a], &work->kin[e->b],
                       unit[k], H);
      add(work, e->a, e->b, 1, H, at(out, e->ja) + k * sys->body[e->a].nv,
          at(out, e->jb) + k * sys->body[e->b].nv);
    }
  }
}

void hn_velocity_tangent(const hn_work *work, double *V) {
  const hn_system *sys = work->sys;
  double H[4][36] = {{0}};
  memset(V, 0, (size_t)sys->j_size * sizeof(double));
  for (int i = 0; i < sys->points2; i++) {
    const hn_point2 *e = &sys->point2[i];
    for (int k = 0; k < 2; k++) {
      point2_hessian(work, e->a, e->sa, unit[k], -1, H[HN_AA]);
      point2_hessian(work, e->b, e->sb, unit[k], 1, H[HN_BB]);
      contract_pair(work, e->a, e->b, 1, H, at(V, e->ja) + k * sys->body[e->a].nv,
                    at(V, e->jb) + k * sys->body[e->b].nv);
    }
  }
  for (int i = 0; i < sys->points3; i++) {
    const hn_point3 *e = &sys->point3[i];
    for (int k = 0; k < 3; k++) {
      point3_hessian(work, e->a, e->sa, unit[k], -1, H[HN_AA]);
      point3_hessian(work, e->b, e->sb, unit[k], 1, H[HN_BB]);
      contract_pair(work, e->a, e->b, 1, H, at(V, e->ja) + k * sys->body[e->a].nv,
                    at(V, e->jb) + k * sys->body[e->b].nv);
    }
  }
  pair_rows(work, contract_pair, V);
  hn_block_velocity_tangent((hn_work *)work, V);
}

// ---- rate of J -----------------------------------------------------------------------------

// out += s H u in the columns the body has; nothing for the ground
static void add_rate(const hn_system *sys, int body, const double H[36], const double u[6],
                     double s, double *out) {
  const hn_sys_body *b = &sys->body[body];
  for (int c = 0; c < b->nv; c++) {
    const double *x = H + 6 * columns_of[b->kind][c];
    out[c] +=
        s * (x[0] * u[0] + x[1] * u[1] + x[2] * u[2] + x[3] * u[3] + x[4] * u[4] + x[5] * u[5]);
  }
}

static void add_rate_pair(const hn_work *work, int a, int b, double s, double H[4][36], double *ra,
                          double *rb) {
  double ua[6], ub[6];
  twist(work->sys, work, a, ua);
  twist(work->sys, work, b, ub);
  add_rate(work->sys, a, H[HN_AA], ua, s, ra);
  add_rate(work->sys, a, H[HN_AB], ub, s, ra);
  add_rate(work->sys, b, H[HN_BA], ua, s, rb);
  add_rate(work->sys, b, H[HN_BB], ub, s, rb);
}

// -s R [w][p] on the turning of a body, three rows
static void point3_rate(const hn_work *work, int body, const double p[3], double s, double *out) {
  const hn_sys_body *b = &work->sys->body[body];
  double u[6], W[9], P[9], X[9], Y[9];
  twist(work->sys, work, body, u);
  m3_skew(W, u + 3);
  m3_skew(P, p);
  m3_mul(X, W, P);
  m3_mul(Y, work->kin[body].R, X);
  for (int c = 0; c < b->nv; c++) {
    // turns stand behind the three translations of a twist
    int axis = columns_of[b->kind][c] - 3;
    for (int r = 0; r < 3 && axis >= 0; r++) out[b->nv * r + c] = -s * Y[3 * r + axis];
  }
}

static void point2_rate(const hn_work *work, int body, const double p[2], double s, double *out) {
  const hn_kin2 *k = &work->kin2[body];
  if (work->sys->body[body].nv < 3) return;
  // the columns are s (-r_y, r_x), and r turns with w
  out[2] = -s * k->w * (k->c * p[0] - k->s * p[1]);
  out[5] = -s * k->w * (k->s * p[0] + k->c * p[1]);
}

// Each row's Hessian times the twists. Rows of points by formulas of their own, as most rows are
// such.
void hn_jacobian_rate(const hn_work *work, double *rate) {
  const hn_system *sys = work->sys;
  memset(rate, 0, (size_t)sys->j_size * sizeof(double));
  for (int i = 0; i < sys->points2; i++) {
    const hn_point2 *e = &sys->point2[i];
    point2_rate(work, e->a, e->sa, -1, at(rate, e->ja));
    point2_rate(work, e->b, e->sb, 1, at(rate, e->jb));
  }
  for (int i = 0; i < sys->points3; i++) {
    const hn_point3 *e = &sys->point3[i];
    point3_rate(work, e->a, e->sa, -1, at(rate, e->ja));
    point3_rate(work, e->b, e->sb, 1, at(rate, e->jb));
  }
  pair_rows(work, add_rate_pair, rate);
}

// ---- forces --------------------------------------------------------------------------------

void hn_force_tangent(hn_work *work, hn_tangent *tangent) {
  const hn_system *sys = work->sys;
  // gyroscopic: d(-w x I w)/dw; where q' = v there are no such forces
  for (int i = 1; !sys->coordinates->flat && i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    if (b->kind != HN_SPATIAL) continue;
    const double *w = work->v + b->v0 + 3, *I = b->inertia;
    // -w x (I w) is (k0 w_y w_z, k1 w_z w_x, k2 w_x w_y)
    double k0 = -(I[2] - I[1]), k1 = -(I[0] - I[2]), k2 = -(I[1] - I[0]);
    double block[36] = {0};
    block[6 * 3 + 4] = k0 * w[2], block[6 * 3 + 5] = k0 * w[1];
    block[6 * 4 + 3] = k1 * w[2], block[6 * 4 + 5] = k1 * w[0];
    block[6 * 5 + 3] = k2 * w[1], block[6 * 5 + 4] = k2 * w[0];
    hn_tangent_add(sys, tangent, HN_TANGENT_C, i, i, 1, block);
  }
  for (int i = 0; i < sys->batches; i++) {
    const hn_batch *b = &sys->batch[i];
    if (b->ops->tangent) b->ops->tangent(sys, work, b->count, b->data, tangent);
  }
  if (work->pushed) hn_push_tangent(work, tangent);
  hn_block_tangent(work, tangent);
  hn_flexible_tangent(work, tangent);
  hn_spread_tangent(work, tangent);
}
