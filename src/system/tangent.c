// tangent.c: derivatives of constraint forces and applied forces, for implicit methods.
#include "system/system.h"

#include <string.h>

// columns of the twist that are velocity coordinates of each kind of body
static const int columns_of[4][6] = {
    [HN_SPATIAL] = {0, 1, 2, 3, 4, 5},
    [HN_PLANAR] = {0, 1, 5},
    [HN_POINT] = {0, 1, 2},
    [HN_PLANAR_POINT] = {0, 1},
};

void hn_tangent_add(const hn_system *sys, hn_tangent *tangent, int which, int i, int j, double s,
                    const double block[36]) {
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
      da[c] += ua[r] * H[0][6 * r + c] + ub[r] * H[2][6 * r + c];
      db[c] += ua[r] * H[1][6 * r + c] + ub[r] * H[3][6 * r + c];
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

// turning one body changes the lever arm: s * [p][R^T l] on its own turn
static void point_tangent(const hn_system *sys, const hn_work *work, int body, const double p[3],
                          const double l[3], double s, hn_tangent *tangent) {
  double local[3], P[9], L[9], X[9], block[36] = {0};
  m3_tmulv(local, work->kin[body].R, l);
  m3_skew(P, p);
  m3_skew(L, local);
  m3_mul(X, P, L);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) block[6 * (3 + r) + 3 + c] = X[3 * r + c];
  hn_tangent_add(sys, tangent, HN_TANGENT_K, body, body, s, block);
}

void hn_constraint_tangent(hn_work *work, const double *lambda, hn_tangent *tangent) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->points2; i++) {
    const hn_point2 *e = &sys->point2[i];
    const hn_kin2 *k[2] = {&work->kin2[e->a], &work->kin2[e->b]};
    const double *p[2] = {e->sa, e->sb}, *l = lambda + e->row;
    const int body[2] = {e->a, e->b};
    for (int j = 0; j < 2; j++) {
      double rx = k[j]->c * p[j][0] - k[j]->s * p[j][1];
      double ry = k[j]->s * p[j][0] + k[j]->c * p[j][1];
      double block[36] = {0};
      block[35] = -(rx * l[0] + ry * l[1]);
      hn_tangent_add(sys, tangent, HN_TANGENT_K, body[j], body[j], j ? 1 : -1, block);
    }
  }
  for (int i = 0; i < sys->points3; i++) {
    const hn_point3 *e = &sys->point3[i];
    point_tangent(sys, work, e->a, e->sa, lambda + e->row, -1, tangent);
    point_tangent(sys, work, e->b, e->sb, lambda + e->row, 1, tangent);
  }
  for (int i = 0; i < sys->rowcount; i++) {
    const hn_row *r = &sys->row[i];
    for (int k = 0; k < r->terms; k++) {
      const hn_term *term = &sys->term[r->first_term + k];
      const hn_measure *m = &sys->measure[term->measure];
      double H[4][36], s = term->coefficient * lambda[r->row];
      hn_measure_hessian(sys, work, term->measure, H);
      hn_tangent_add(sys, tangent, HN_TANGENT_K, m->a, m->a, s, H[0]);
      hn_tangent_add(sys, tangent, HN_TANGENT_K, m->a, m->b, s, H[1]);
      hn_tangent_add(sys, tangent, HN_TANGENT_K, m->b, m->a, s, H[2]);
      hn_tangent_add(sys, tangent, HN_TANGENT_K, m->b, m->b, s, H[3]);
    }
  }
  for (int i = 0; i < sys->customs; i++) {
    const hn_custom *e = &sys->custom[i];
    double H[4][36];
    e->type->tangent(sys->custom_data + e->data, work->t, &work->kin[e->a], &work->kin[e->b],
                     lambda + e->row, H);
    hn_tangent_add(sys, tangent, HN_TANGENT_K, e->a, e->a, 1, H[0]);
    hn_tangent_add(sys, tangent, HN_TANGENT_K, e->a, e->b, 1, H[1]);
    hn_tangent_add(sys, tangent, HN_TANGENT_K, e->b, e->a, 1, H[2]);
    hn_tangent_add(sys, tangent, HN_TANGENT_K, e->b, e->b, 1, H[3]);
  }
}

void hn_force_tangent(hn_work *work, hn_tangent *tangent) {
  const hn_system *sys = work->sys;
  // gyroscopic: d(-w x I w)/dw
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    if (b->kind != HN_SPATIAL) continue;
    const double *w = work->v + b->v0 + 3, *I = b->inertia;
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
}
