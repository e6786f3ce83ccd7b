// beam_discrete.c: the force of a beam element over a step, so that its energy is exact.
//
// With the reduced products r = (d, s, c) of the frames (frames.h),
//
//   theta = k s,   u = d - k/2 e + m (s x e),   e = s x d
//
// Differences of products are D(ab) = a_m Db + b_m Da with means over the step, those of k and m
// quotients times Dc. So x1 - x0 = Y (r1 - r0) exactly, and with g = K ((x0 + x1) / 2 - free) the
// weights Y^T g of the products do the work V(x0) - V(x1), whatever the step. Dampers act along
// x1 - x0 the same way.
#include "forces/beam.h"

#include <string.h>

enum { REDUCED = HN_REDUCED };

// one end of the step; k and m with derivatives
typedef struct end {
  double r[REDUCED], e[3], se[3], k[4], m[4], x[6];
} end;

// what the difference over the step is made of
typedef struct means {
  double d[3], s[3], e[3], se[3], k, m;
  hn_quotient by_k, by_m;
} means;

static void set_end(end *o, const double z[HN_PRODUCTS]) {
  hn_frames_reduce(z, o->r);
  // k(c) and m(c) with three derivatives; one is enough here
  hn_turn_factors(o->r[6], o->k, o->m);
  v3_cross(o->e, o->r + 3, o->r);
  v3_cross(o->se, o->r + 3, o->e);
  for (int i = 0; i < 3; i++) {
    o->x[i] = o->r[i] - 0.5 * o->k[0] * o->e[i] + o->m[0] * o->se[i];
    o->x[3 + i] = o->k[0] * o->r[3 + i];
  }
}

static void set_means(means *o, const end *a, const end *b) {
  for (int i = 0; i < 3; i++) {
    o->d[i] = 0.5 * (a->r[i] + b->r[i]);
    o->s[i] = 0.5 * (a->r[3 + i] + b->r[3 + i]);
    o->e[i] = 0.5 * (a->e[i] + b->e[i]);
    o->se[i] = 0.5 * (a->se[i] + b->se[i]);
  }
  o->k = 0.5 * (a->k[0] + b->k[0]);
  o->m = 0.5 * (a->m[0] + b->m[0]);
  // Dk / Dc and Dm / Dc, exact also where c hardly changes
  hn_turn_quotients(a->r[6], b->r[6], &o->by_k, &o->by_m);
}

// o += f (x x y)
static void add_cross(double o[3], double f, const double x[3], const double y[3]) {
  double z[3];
  v3_cross(z, x, y);
  v3_addto(o, f, z);
}

// w = Y^T g; linear in g
static void weights(const means *a, const double g[6], double w[REDUCED]) {
  const double *p = g, *q = g + 3;
  double t[3];
  // t = p x s serves several terms
  v3_cross(t, p, a->s);
  v3_copy(w, p);
  v3_addto(w, -0.5 * a->k, t);
  add_cross(w, a->m, t, a->s);
  v3_scale(w + 3, a->k, q);
  add_cross(w + 3, -0.5 * a->k, a->d, p);
  add_cross(w + 3, a->m, a->d, t);
  add_cross(w + 3, a->m, a->e, p);
  // along c: what differences of k and m bring
  w[6] =
      a->by_k.value * (v3_dot(a->s, q) - 0.5 * v3_dot(p, a->e)) + a->by_m.value * v3_dot(p, a->se);
}

// how end b and the means change when r of end b does along unit direction i
static void change_along(const end *b, const means *a, int i, double dx[6], means *o) {
  double dr[REDUCED] = {0}, de[3] = {0}, dse[3] = {0};
  dr[i] = 1;
  // dk and dm follow c alone
  double dk = b->k[1] * dr[6], dm = b->m[1] * dr[6];
  // e = s x d and s x e by the product rule
  add_cross(de, 1, dr + 3, b->r);
  add_cross(de, 1, b->r + 3, dr);
  add_cross(dse, 1, dr + 3, b->e);
  add_cross(dse, 1, b->r + 3, de);
  for (int j = 0; j < 3; j++) {
    dx[j] = dr[j] - 0.5 * (dk * b->e[j] + b->k[0] * de[j]) + dm * b->se[j] + b->m[0] * dse[j];
    dx[3 + j] = dk * b->r[3 + j] + b->k[0] * dr[3 + j];
    o->d[j] = 0.5 * dr[j], o->s[j] = 0.5 * dr[3 + j];
    // means move by half of what the end does
    o->e[j] = 0.5 * de[j], o->se[j] = 0.5 * dse[j];
  }
  o->k = 0.5 * dk, o->m = 0.5 * dm;
  // quotients change with c1 only
  o->by_k = (hn_quotient){.value = a->by_k.slope * dr[6]};
  o->by_m = (hn_quotient){.value = a->by_m.slope * dr[6]};
}

// change of Y^T g with the means, g held
static void weights_change(const means *a, const means *o, const double g[6], double w[REDUCED]) {
  const double *p = g, *q = g + 3;
  double t[3], dt[3];
  v3_cross(t, p, a->s);
  v3_cross(dt, p, o->s);
  for (int j = 0; j < 3; j++) {
    w[j] = -0.5 * (o->k * t[j] + a->k * dt[j]);
    w[3 + j] = o->k * q[j];
  }
  add_cross(w, o->m, t, a->s);
  add_cross(w, a->m, dt, a->s);
  add_cross(w, a->m, t, o->s);
  add_cross(w + 3, -0.5 * o->k, a->d, p);
  add_cross(w + 3, -0.5 * a->k, o->d, p);
  add_cross(w + 3, o->m, a->d, t);
  add_cross(w + 3, a->m, o->d, t);
  add_cross(w + 3, a->m, a->d, dt);
  add_cross(w + 3, o->m, a->e, p);
  add_cross(w + 3, a->m, o->e, p);
  w[6] = o->by_k.value * (v3_dot(a->s, q) - 0.5 * v3_dot(p, a->e)) +
         a->by_k.value * (v3_dot(o->s, q) - 0.5 * v3_dot(p, o->e)) +
         o->by_m.value * v3_dot(p, a->se) + a->by_m.value * v3_dot(p, o->se);
}

// `from` and `to` say which part of the forces is that of the start and of the end of the step:
// halves keep the energy, more of the end lets it fall (energy-decaying)
static double fill(const void *data, hn_between *step, hn_frames_law *law) {
  const hn_beam_element *e = data;
  double from = 0.5 * (1 - step->end_part), to = 1 - from, done = 0;
  double strain[6], y[6], g[6], lossy[6], w[REDUCED];
  double dw[REDUCED][REDUCED], rate[REDUCED][REDUCED], by_end[REDUCED], held[REDUCED];
  end a, b;
  means mean, change;
  // both ends as reduced products
  set_end(&a, law->z0);
  set_end(&b, law->z1);
  set_means(&mean, &a, &b);
  for (int i = 0; i < 6; i++) {
    strain[i] = from * a.x[i] + to * b.x[i] - e->free[i];
    step->moved[i] = b.x[i] - a.x[i];
    // rate of x that dampers act on, as the stepper says: part of this step's way, and of before
    y[i] = (step->whole * step->moved[i] + step->before[i]) / step->h;
  }
  hn_mul6(g, e->K, strain);
  hn_mul6(lossy, e->K, y);
  for (int i = 0; i < 6; i++) {
    g[i] += e->damping * lossy[i];
    done -= e->damping * lossy[i] * step->moved[i];
  }
  weights(&mean, g, w);
  double damper = e->damping / step->h;
  // column m: how weights change as product m of the end does
  for (int m = 0; m < REDUCED; m++) {
    double dx[6], Kx[6], dg[6];
    change_along(&b, &mean, m, dx, &change);
    hn_mul6(Kx, e->K, dx);
    weights_change(&mean, &change, g, held);
    // elastic by the end's part, dampers by the step's slope
    for (int i = 0; i < 6; i++) dg[i] = (to + step->slope * damper) * Kx[i];
    weights(&mean, dg, by_end);
    for (int i = 0; i < REDUCED; i++) dw[i][m] = held[i] + by_end[i];
    for (int i = 0; i < 6; i++) dg[i] = damper * Kx[i];
    weights(&mean, dg, by_end);
    for (int i = 0; i < REDUCED; i++) rate[i][m] = by_end[i];
  }
  hn_frames_expand(law, w, dw, rate);
  return done;
}

void hn_beam_between(const void *data, hn_between *step) {
  const hn_beam_element *e = data;
  hn_frames_between(&e->frames, step, fill, e);
}
