// natural_motion.c: poses, rows and forces at a state in natural coordinates.
//
// Poses are recovered from the axes a_i(q), which are exactly orthonormal only where the rigidity
// rows hold: R is the rotation next to A = [a_1 a_2 a_3] (its polar factor), and
//
//   space   w = 1/2 sum r_i x a_i'     plane   w = r_1 x a_1'        (r_i: columns of R)
//
// so that a wrench (F, T) is worth F on the centre of mass and 1/2 T x r_i on every axis (plane:
// T x r_1). Its rate has no part without accelerations: r_i' x a_i' = 0 for rigid motion.
#include "base/elementary.h"
#include "system/coordinates/natural.h"
#include "system/spread.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

void hn_natural_layout(hn_work *work, hn_arena *arena) {
  const hn_system *sys = work->sys;
  const hn_natural *n = hn_natural_own(sys);
  hn_natural_work *own = HN_TAKE(arena, hn_natural_work, 1), place = {0}, *w = &place;
  work->r = HN_TAKE(arena, double, sys->nv);
  work->body_q = HN_TAKE(arena, double, sys->bq);
  work->body_v = HN_TAKE(arena, double, sys->bv);
  w->u = HN_TAKE(arena, double, 3 * n->forms);
  w->du = HN_TAKE(arena, double, 3 * n->forms);
  w->pi = HN_TAKE(arena, double, n->products);
  w->dpi = HN_TAKE(arena, double, n->products);
  w->f = HN_TAKE_NUMBERS(arena, hn_function_value, n->functions);
  w->J = HN_TAKE(arena, double, n->start[sys->rows]);
  w->scratch = HN_TAKE(arena, double, sys->nv);
  w->map = HN_TAKE_NUMBERS(arena, hn_natural_map, sys->bodies);
  w->room = HN_TAKE(arena, double, 2 * sys->nv);
  work->own = own;
  work->numbers = w->J;
  // the first of two calls only counts
  if (!arena->base) return;
  *own = place;
  memcpy(work->body_q, sys->body_q0, (size_t)sys->bq * sizeof(double));
}

// ---- forms and products --------------------------------------------------------------------

// u = sum coefficient v: the form without its constant, so of accelerations as well
void hn_form_rate(const hn_natural *n, int form, const double *v, double u[3]) {
  const hn_form *f = &n->form[form];
  const hn_form_entry *e = n->entry + f->first;
  v3_set(u, 0, 0, 0);
  for (int k = 0; k < f->count; k++) u[e[k].component] += e[k].coefficient * v[e[k].index];
}

void hn_form_value(const hn_natural *n, int form, const double *q, double u[3]) {
  hn_form_rate(n, form, q, u);
  v3_add(u, u, n->form[form].constant);
}

// ---- mass between bodies -------------------------------------------------------------------

// the plane has a form for the first axis only: the second is a quarter turn further
hn_natural_part hn_natural_part_of(const hn_system *sys, const hn_sys_spread *x, int i) {
  const hn_natural *n = hn_natural_own(sys);
  int body = i < HN_SPREAD_EACH ? x->a : x->b, k = i % HN_SPREAD_EACH;
  const hn_natural_body *b = &n->body[body];
  bool turned = k == 2 && sys->body[body].kind == HN_PLANAR;
  int form = k == 0 ? b->position : b->axis[turned ? 0 : k - 1];
  return (hn_natural_part){
      .form = form, .count = form < 0 ? 0 : n->form[form].count, .turned = turned};
}

// A quarter turn takes (x, y) to (-y, x).
hn_form_entry hn_natural_entry(const hn_natural *n, const hn_natural_part *part, int k) {
  hn_form_entry e = n->entry[n->form[part->form].first + k];
  if (!part->turned) return e;
  return (hn_form_entry){e.index, 1 - e.component, e.component ? -e.coefficient : e.coefficient};
}

static void part_rate(const hn_system *sys, const hn_sys_spread *x, int i, const double *v,
                      double u[3]) {
  hn_natural_part part = hn_natural_part_of(sys, x, i);
  v3_set(u, 0, 0, 0);
  for (int k = 0; k < part.count; k++) {
    hn_form_entry e = hn_natural_entry(hn_natural_own(sys), &part, k);
    u[e.component] += e.coefficient * v[e.index];
  }
}

// The weight of mass between bodies acts on the coordinates directly: it has no wrench on a single
// body.
void hn_natural_spread_weights(const hn_system *sys, double *f) {
  for (int i = 0; i < sys->spreads; i++)
    for (int j = 0; j < HN_SPREAD_ALL; j++) {
      hn_natural_part part = hn_natural_part_of(sys, &sys->spread[i], j);
      double weight = hn_spread_weight(&sys->spread[i], j);  // mass that moves with y_j
      for (int k = 0; k < part.count; k++) {
        hn_form_entry e = hn_natural_entry(hn_natural_own(sys), &part, k);
        f[e.index] += weight * e.coefficient * sys->gravity[e.component];
      }
    }
}

// y += s x in the places of a form
static void scatter(const hn_natural *n, int form, const double x[3], double s, double *y) {
  const hn_form *f = &n->form[form];
  const hn_form_entry *e = n->entry + f->first;
  for (int k = 0; k < f->count; k++) y[e[k].index] += s * e[k].coefficient * x[e[k].component];
}

void hn_product_gradient(const hn_natural *n, int product, const double *u, const double *w,
                         double s, double *y) {
  const hn_product *p = &n->product[product];
  // a square: both factors are one form, and change alike
  if (p->u == p->w) {
    scatter(n, p->u, u, 2 * s, y);
    return;
  }
  scatter(n, p->u, w, s, y);
  scatter(n, p->w, u, s, y);
}

// ---- bodies --------------------------------------------------------------------------------

// the rotation next to A: R <- R (3 - R^T R) / 2, quadratically.
// Newton's iteration for the polar factor without an inverse (Bjorck & Bowie 1971): what is off by
// 1e-8 is off by its square after one more pass
static void nearest_rotation(double R[9]) {
  for (int pass = 0; pass < 6; pass++) {
    double G[9], next[9], off = 0;
    m3_tmul(G, R, R);  // 1 for a rotation
    for (int i = 0; i < 9; i++) {
      double one = i % 4 == 0;
      off = fmax(off, fabs(G[i] - one));
      G[i] = 1.5 * one - 0.5 * G[i];  // (3 - R^T R) / 2
    }
    if (off < 1e-15) return;
    m3_mul(next, R, G);
    memcpy(R, next, sizeof next);
    if (off < 1e-8) return;
  }
}

// Body coordinates are filled in for those who look at them, without quaternions: these are asked
// for where poses are recorded.
static void position(hn_work *work, const double *q) {
  const hn_system *sys = work->sys;
  const hn_natural *n = hn_natural_own(sys);
  work->gq = q;
  work->q = work->body_q;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *of = &sys->body[i];
    const hn_natural_body *b = &n->body[i];
    hn_kin *k = &work->kin[i];
    hn_kin2 *k2 = &work->kin2[i];
    double *x = work->body_q + of->q0, a[3];
    hn_form_value(n, b->position, q, k->p);
    int linear = of->kind == HN_PLANAR || of->kind == HN_PLANAR_POINT ? 2 : 3;
    memcpy(x, k->p, (size_t)linear * sizeof(double));
    if (linear == 2) k2->x = k->p[0], k2->y = k->p[1];
    if (of->kind == HN_PLANAR) {
      hn_form_value(n, b->axis[0], q, a);
      // a_1 is of length one up to the error of the rigidity rows
      double L = hn_hypot(a[0], a[1]), angle = hn_atan2(a[1], a[0]), near = work->near[b->turn];
      k2->c = a[0] / L, k2->s = a[1] / L;
      k->R[0] = k->R[4] = k2->c, k->R[1] = -k2->s, k->R[3] = k2->s;
      x[2] = angle + 2 * pi * rint((near - angle) / (2 * pi));
    } else if (of->kind == HN_SPATIAL) {
      // as the coordinates have them, orthonormal up to the same error
      for (int c = 0; c < 3; c++) {
        hn_form_value(n, b->axis[c], q, a);
        for (int r = 0; r < 3; r++) k->R[3 * r + c] = a[r];
      }
      nearest_rotation(k->R);
    }
  }
}

// Of axis rates that are not those of a rotation the part that is one is taken, in the sense of
// least squares.
static void velocity(hn_work *work, const double *v) {
  const hn_system *sys = work->sys;
  const hn_natural *n = hn_natural_own(sys);
  work->gv = v;
  work->v = work->body_v;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *of = &sys->body[i];
    const hn_natural_body *b = &n->body[i];
    hn_kin *k = &work->kin[i];
    hn_kin2 *k2 = &work->kin2[i];
    double *u = work->body_v + of->v0, rate[3], turn[3];
    hn_form_rate(n, b->position, v, k->v);
    int linear = of->kind == HN_PLANAR || of->kind == HN_PLANAR_POINT ? 2 : 3;
    memcpy(u, k->v, (size_t)linear * sizeof(double));
    if (linear == 2) k2->vx = k->v[0], k2->vy = k->v[1];
    if (of->kind == HN_PLANAR) {
      hn_form_rate(n, b->axis[0], v, rate);
      // of a_1' what goes across a_1
      u[2] = k2->w = k->w[2] = k2->c * rate[1] - k2->s * rate[0];
    } else if (of->kind == HN_SPATIAL) {
      // 1/2 sum r_c x a_c'
      v3_set(k->w, 0, 0, 0);
      for (int c = 0; c < 3; c++) {
        double axis[3] = {k->R[c], k->R[3 + c], k->R[6 + c]};
        hn_form_rate(n, b->axis[c], v, rate);
        v3_cross(turn, axis, rate);
        v3_addto(k->w, 0.5, turn);
      }
      m3_tmulv(u + 3, k->R, k->w);
    }
  }
}

// no inertia forces but M a: what bodies bring themselves is their weight
void hn_natural_move(hn_work *work, const double *q, const double *v, int level) {
  position(work, q);
  if (level) velocity(work, v);
  if (level > 1) memcpy(work->f, work->sys->constant_force, (size_t)work->sys->bv * sizeof(double));
}

void hn_natural_accept_turns(hn_work *work, bool moving) {
  const hn_system *sys = work->sys;
  for (int i = 1; i < sys->bodies; i++) {
    int turn = hn_natural_own(sys)->body[i].turn;
    if (turn >= 0)
      hn_count_turn(work, turn, work->body_q[sys->body[i].q0 + 2], work->kin2[i].w, moving);
  }
}

// ---- forces --------------------------------------------------------------------------------

// The transpose of `velocity`: power of the wrench is that of what it gives along q'.
void hn_natural_add_wrench(const hn_work *work, int body, const double F[3], const double T[3],
                           double *y) {
  const hn_sys_body *of = &work->sys->body[body];
  const hn_natural *n = hn_natural_own(work->sys);
  const hn_natural_body *b = &n->body[body];
  const double *R = work->kin[body].R;
  scatter(n, b->position, F, 1, y);
  // T x r_c on each axis, half of it where there are three: as w is found from the axes
  int axes = of->kind == HN_SPATIAL ? 3 : of->kind == HN_PLANAR ? 1 : 0;
  for (int c = 0; c < axes; c++) {
    double axis[3] = {R[c], R[3 + c], R[6 + c]}, x[3];
    v3_cross(x, T, axis);
    scatter(n, b->axis[c], x, axes == 3 ? 0.5 : 1, y);
  }
}

// wrench in world axes of forces on a body's velocity coordinates
static void wrench_of(const hn_work *work, int body, const double *f, double F[3], double T[3]) {
  const hn_sys_body *b = &work->sys->body[body];
  v3_set(F, f[0], f[1], b->kind == HN_SPATIAL || b->kind == HN_POINT ? f[2] : 0);
  v3_set(T, 0, 0, b->kind == HN_PLANAR ? f[2] : 0);
  if (b->kind == HN_SPATIAL) m3_mulv(T, work->kin[body].R, f + 3);
}

void hn_natural_reduce_forces(hn_work *work) {
  const hn_system *sys = work->sys;
  memset(work->r, 0, (size_t)sys->nv * sizeof(double));
  for (int i = 1; i < sys->bodies; i++) {
    double F[3], T[3];
    wrench_of(work, i, work->f + sys->body[i].v0, F, T);
    hn_natural_add_wrench(work, i, F, T, work->r);
  }
}

// p'', and w' = 1/2 sum r_i x a_i''
void hn_natural_accelerations(const hn_work *work, const double *a, double *body) {
  const hn_system *sys = work->sys;
  const hn_natural *n = hn_natural_own(sys);
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *of = &sys->body[i];
    const hn_natural_body *b = &n->body[i];
    const double *R = work->kin[i].R;
    double *to = body + of->v0, x[3], w[3] = {0}, turn[3];
    hn_form_rate(n, b->position, a, x);
    int axes = of->kind == HN_SPATIAL ? 3 : of->kind == HN_PLANAR ? 1 : 0;
    int linear = hn_body_linear(of);
    for (int k = 0; k < linear; k++) to[k] = x[k];
    for (int c = 0; c < axes; c++) {
      double axis[3] = {R[c], R[3 + c], R[6 + c]};
      hn_form_rate(n, b->axis[c], a, x);
      v3_cross(turn, axis, x);
      v3_addto(w, axes == 3 ? 0.5 : 1, turn);
    }
    if (axes == 1) to[2] = w[2];
    if (axes == 3) m3_tmulv(to + 3, R, w);
  }
}

// m p'' and I w' + w x I w
void hn_natural_inertia(const hn_work *work, const double *a, double *force) {
  const hn_system *sys = work->sys;
  hn_natural_accelerations(work, a, force);
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *of = &sys->body[i];
    double *f = force + of->v0;
    int linear = hn_body_linear(of);
    for (int k = 0; k < of->nv; k++)
      f[k] *= k < linear ? of->mass : of->inertia[of->kind == HN_PLANAR ? 2 : k - linear];
    if (of->kind != HN_SPATIAL) continue;
    const double *u = work->v + of->v0 + 3;
    double Iu[3], moment[3];
    for (int k = 0; k < 3; k++) Iu[k] = of->inertia[k] * u[k];
    v3_cross(moment, u, Iu);
    v3_addto(f + 3, 1, moment);
  }
  // G y'' on the bodies that have mass between them
  for (int i = 0; i < sys->spreads; i++) {
    double y[HN_SPREAD_ALL][3];
    for (int k = 0; k < HN_SPREAD_ALL; k++) part_rate(sys, &sys->spread[i], k, a, y[k]);
    hn_spread_push(work, &sys->spread[i], y, force);
  }
}

// ---- rows ----------------------------------------------------------------------------------

// the turn of an angle: measures in space remember it, bodies in the plane have it.
// atan2 says where within a turn, the expectation which turn.
static double unwrap(const hn_work *work, const hn_function *f, double angle) {
  const hn_system *sys = work->sys;
  const hn_measure *m = &sys->measure[f->measure];
  double near;
  if (m->type == HN_M_PLANAR_ANGLE) {
    const hn_sys_body *a = &sys->body[m->a], *b = &sys->body[m->b];
    near = (b->nq ? work->q[b->q0 + 2] : 0) - (a->nq ? work->q[a->q0 + 2] : 0);
  } else {
    near = work->near[m->turn] - m->offset;
  }
  return angle + 2 * pi * rint((near - angle) / (2 * pi));
}

// g(pi): rate g' pi', bias g' (2 U'.W') + g'' pi'^2, as pi'' = U''.W + 2 U'.W' + U.W'' and forms
// are linear in q.
static void eval_function(const hn_work *work, const hn_function *f, hn_function_value *o,
                          int level) {
  const hn_natural *n = hn_natural_own(work->sys);
  const hn_natural_work *w = hn_natural_at(work);
  int p = f->product[0], s = f->product[1];
  double x = w->pi[p], h = 0;  // h: second derivative by the first product
  double dx = level > 0 ? w->dpi[p] : 0, bias = 0, bias_s = 0;
  if (level > 1) {
    bias = 2 * v3_dot(w->du + 3 * n->product[p].u, w->du + 3 * n->product[p].w);
    if (s >= 0) bias_s = 2 * v3_dot(w->du + 3 * n->product[s].u, w->du + 3 * n->product[s].w);
  }
  o->g[0] = 1, o->g[1] = 0;
  switch (f->type) {
  case HN_F_VALUE: o->value = x; break;
  case HN_F_ROOT:
    // coincident points have no direction: the gradient is zero there, not undefined
    o->value = sqrt(x);
    o->g[0] = x > 0 ? 0.5 / o->value : 0;
    h = x > 0 ? -0.5 * o->g[0] / x : 0;
    break;
  case HN_F_ASIN: {
    // gimbal lock: as in measure.c, the gradient stays finite
    double c = sqrt(fmax(1 - x * x, 1e-24));
    o->value = hn_asin(fmax(-1, fmin(1, x)));
    o->g[0] = 1 / c;
    h = x / (c * c * c);
    break;
  }
  case HN_F_ANGLE: {
    double y = w->pi[s], r2 = x * x + y * y;
    o->value = unwrap(work, f, hn_atan2(y, x));
    // gradient of atan2(y, x)
    o->g[0] = -y / r2, o->g[1] = x / r2;
    if (level < 1) break;
    double dy = w->dpi[s], rate = o->g[0] * dx + o->g[1] * dy;
    o->rate = rate;
    o->bias = o->g[0] * bias + o->g[1] * bias_s - 2 * rate * (x * dx + y * dy) / r2;
    break;
  }
  }
  // rows written in other terms have no measure, and no offset
  if (f->measure >= 0) o->value += work->sys->measure[f->measure].offset;
  if (f->type == HN_F_ANGLE || level < 1) return;
  o->rate = o->g[0] * dx;
  o->bias = o->g[0] * bias + h * dx * dx;
}

// forms, products and functions of the rows
static void eval_functions(hn_work *work, int level) {
  const hn_natural *n = hn_natural_own(work->sys);
  hn_natural_work *w = hn_natural_at(work);
  for (int i = 0; i < n->row_forms; i++) {
    hn_form_value(n, i, work->gq, w->u + 3 * i);
    if (level > 0) hn_form_rate(n, i, work->gv, w->du + 3 * i);
  }
  for (int i = 0; i < n->row_products; i++) {
    // pi = U.W, pi' = U'.W + U.W'
    const double *u = w->u + 3 * n->product[i].u, *x = w->u + 3 * n->product[i].w;
    w->pi[i] = v3_dot(u, x);
    if (level > 0)
      w->dpi[i] = v3_dot(w->du + 3 * n->product[i].u, x) + v3_dot(u, w->du + 3 * n->product[i].w);
  }
  for (int i = 0; i < n->row_functions; i++) eval_function(work, &n->function[i], &w->f[i], level);
}

// moves what a row collected in the scratch into J.
// Products scatter into a dense row of scratch, which is zero before and after: cheaper than a
// search for each number's place.
static void store_row(hn_work *work, int row) {
  const hn_natural *n = hn_natural_own(work->sys);
  hn_natural_work *w = hn_natural_at(work);
  for (int k = n->start[row]; k < n->start[row + 1]; k++) {
    w->J[k] = w->scratch[n->column[k]];
    w->scratch[n->column[k]] = 0;
  }
}

// Rows with a formula of their own know twists only: their gradients are brought to q' as wrenches
// are.
static void eval_customs(hn_work *work, int level) {
  const hn_system *sys = work->sys;
  hn_natural_work *w = hn_natural_at(work);
  enum { MAX = HN_CUSTOM_ROWS };
  double ja[MAX * 6] = {0}, jb[MAX * 6] = {0};
  for (int i = 0; i < sys->customs; i++) {
    const hn_custom *e = &sys->custom[i];
    hn_custom_out out = {
        .phi = work->phi + e->row,
        .phi_t = work->phi_t + e->row,
        .ja = level >= 1 ? ja : NULL,
        .jb = level >= 1 ? jb : NULL,
        .gamma = level >= 2 ? work->gamma + e->row : NULL,
    };
    e->type->eval(sys->custom_data + e->data, work->t, &work->kin[e->a], &work->kin[e->b], &out);
    for (int k = 0; k < e->type->rows && level >= 1; k++) {
      for (int side = 0; side < 2; side++) {
        int body = side ? e->b : e->a;
        const double *j = (side ? jb : ja) + 6 * k;
        double T[3];
        if (sys->body[body].nv == 0) continue;
        // force in world axes, moment from body axes to these
        m3_mulv(T, work->kin[body].R, j + 3);
        hn_natural_add_wrench(work, body, j, T, w->scratch);
      }
      store_row(work, e->row + k);
      // psi = dPhi/dt + J q', with J over the natural coordinates
      double psi = work->phi_t[e->row + k];
      const hn_natural *n = hn_natural_own(sys);
      for (int c = n->start[e->row + k]; c < n->start[e->row + k + 1]; c++)
        psi += w->J[c] * work->gv[n->column[c]];
      work->psi[e->row + k] = psi;
    }
  }
}

void hn_natural_constraints(hn_work *work, int level) {
  const hn_system *sys = work->sys;
  const hn_natural *n = hn_natural_own(sys);
  hn_natural_work *w = hn_natural_at(work);
  eval_functions(work, level);
  for (int i = 0; i < sys->rows; i++) {
    const hn_natural_row *r = &n->row[i];
    if (r->terms == 0) continue;  // one of the customs
    double phi = -r->constant, psi = 0, gamma = 0;
    if (r->motion >= 0) {
      const double *f = work->motion + 3 * r->motion;
      phi -= f[0], psi -= f[1], gamma += f[2];
      work->phi_t[i] = -f[1];  // the row's rate while everything rests
    }
    for (int t = r->first; t < r->first + r->terms; t++) {
      const hn_natural_term *term = &n->term[t];
      const hn_function_value *f = &w->f[term->function];
      phi += term->coefficient * f->value;
      if (level < 1) continue;
      psi += term->coefficient * f->rate;
      gamma -= term->coefficient * f->bias;
      const int *product = n->function[term->function].product;
      for (int p = 0; p < 2 && product[p] >= 0; p++)
        hn_product_gradient(n, product[p], w->u + 3 * n->product[product[p]].u,
                            w->u + 3 * n->product[product[p]].w, term->coefficient * f->g[p],
                            w->scratch);
    }
    work->phi[i] = phi;
    if (level < 1) continue;
    work->psi[i] = psi;
    if (level >= 2) work->gamma[i] = gamma;
    store_row(work, i);
  }
  if (sys->customs) eval_customs(work, level);
}

// Reactions are told by rows on the bodies, whose multipliers are the same: rows are evaluated in
// both forms, the bodies' first.
void hn_natural_blocks(hn_work *work) {
  hn_bodies_rows(work, 1);
  hn_natural_constraints(work, 1);  // the rows' own values are those of natural coordinates
}

// ---- operators -----------------------------------------------------------------------------

void hn_natural_jacobian_mul(const hn_work *work, const double *x, double *y) {
  const hn_natural *n = hn_natural_own(work->sys);
  for (int i = 0; i < work->sys->rows; i++) {
    double sum = 0;
    for (int k = n->start[i]; k < n->start[i + 1]; k++)
      sum += hn_natural_at(work)->J[k] * x[n->column[k]];
    y[i] = sum;
  }
}

void hn_natural_jacobian_tmul_add(const hn_work *work, const double *l, double s, double *y) {
  const hn_natural *n = hn_natural_own(work->sys);
  for (int i = 0; i < work->sys->rows; i++)
    for (int k = n->start[i]; k < n->start[i + 1]; k++)
      y[n->column[k]] += s * l[i] * hn_natural_at(work)->J[k];
}

void hn_natural_jacobian_dense(const hn_work *work, double *J) {
  const hn_system *sys = work->sys;
  const hn_natural *n = hn_natural_own(sys);
  memset(J, 0, (size_t)sys->rows * (size_t)sys->nv * sizeof(double));
  for (int i = 0; i < sys->rows; i++)
    for (int k = n->start[i]; k < n->start[i + 1]; k++)
      J[(size_t)i * (size_t)sys->nv + (size_t)n->column[k]] = hn_natural_at(work)->J[k];
}

void hn_natural_row_sizes(const hn_work *work, double *size) {
  const hn_system *sys = work->sys;
  const hn_natural *n = hn_natural_own(sys);
  for (int i = 0; i < sys->rows; i++) {
    // J M^-1 J^T with the diagonal in place of M
    size[i] = 0;
    for (int k = n->start[i]; k < n->start[i + 1]; k++)
      size[i] += hn_natural_at(work)->J[k] * hn_natural_at(work)->J[k] / n->size[n->column[k]];
  }
}
