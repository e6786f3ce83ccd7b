// rows.c: measures and constraint rows as formulas.
//
// Points and directions fixed in a body move as P = p + R s, P' = v + R (w x s), and without
// accelerations P'' = a + R (alpha x s + w x (w x s)) with the bias a, alpha of the body. Products
// of such quantities follow the product rule, (x y)'' = x'' y + 2 x' y' + x y''. Rates are linear
// in the generalized velocities; the rows of J are their derivatives.
//
// Rows that come and go (system/unilateral.c) are not there: code is written for the time in which
// nothing touches. What they would be is kept as gaps, so that whoever steps sees that time end.
#include "base/elementary.h"
#include "code/formulas.h"

// R (alpha x s + w x (w x s))
// of a vector s that is fixed in a body
static void turn_bias(hn_formulas *f, const hn_body_formulas *b, const hn_node s[3], hn_node o[3]) {
  hn_node x[3], y[3];
  n3_centripetal(f->g, x, b->w, s);
  n3_cross(f->g, y, b->alpha, s);
  n3_add(f->g, x, x, y);
  nm_mulv(f->g, o, b->R, x);
}

void hn_point_constant(const hn_formulas *f, hn_node o[3], const double s[3]) {
  // 1e-15 of the model's size: rounding of a model's places, which would cost products
  double least = 1e-15 * f->sys->length;
  for (int i = 0; i < 3; i++) o[i] = n_constant(f->g, fabs(s[i]) < least ? 0 : s[i]);
}

// a vector fixed in a body
static hn_jet3 turning(hn_formulas *f, int body, const hn_node s[3]) {
  const hn_body_formulas *b = &f->body[body];
  hn_jet3 o;
  hn_node x[3];
  // only asked: what comes of it depends on s and on the body alone
  if (hn_graph_only_asks(f->g)) {
    for (int i = 0; i < 3; i++) hn_graph_note(f->g, s[i]);
    hn_graph_stand_in(f->g, body, o.value, 3);
    hn_graph_stand_in(f->g, 1, o.rate, 3);
    hn_graph_stand_in(f->g, 2, o.bias, 3);
    return o;
  }
  // body axes to world: R s, R (w x s)
  nm_mulv(f->g, o.value, b->R, s);
  n3_cross(f->g, x, b->w, s);
  nm_mulv(f->g, o.rate, b->R, x);
  turn_bias(f, b, s, o.bias);
  return o;
}

// components that are 0 or 1 up to round-off become so: whole products vanish from the code
hn_jet3 hn_direction_jet(hn_formulas *f, int body, const double u[3]) {
  const hn_node s[3] = {n_direction(f->g, u[0]), n_direction(f->g, u[1]), n_direction(f->g, u[2])};
  return turning(f, body, s);
}

hn_jet3 hn_point_jet(hn_formulas *f, int body, const double s[3]) {
  const hn_body_formulas *b = &f->body[body];
  // the arm from the centre of mass
  hn_node at[3];
  hn_point_constant(f, at, s);
  hn_jet3 o = turning(f, body, at);
  // and that of the centre itself
  n3_add(f->g, o.value, b->p, o.value);
  n3_add(f->g, o.rate, b->v, o.rate);
  n3_add(f->g, o.bias, b->a, o.bias);
  return o;
}

static hn_jet3 difference(hn_graph *g, const hn_jet3 *b, const hn_jet3 *a) {
  hn_jet3 o;
  n3_sub(g, o.value, b->value, a->value);
  n3_sub(g, o.rate, b->rate, a->rate);
  n3_sub(g, o.bias, b->bias, a->bias);
  return o;
}

// the product rule of the head comment
static hn_jet dot(hn_graph *g, const hn_jet3 *a, const hn_jet3 *b) {
  hn_jet o = {.value = n3_dot(g, a->value, b->value)};
  o.rate = n_add(g, n3_dot(g, a->rate, b->value), n3_dot(g, a->value, b->rate));
  o.bias = n_add(g, n3_dot(g, a->bias, b->value), n3_dot(g, a->value, b->bias));
  // the mixed term 2 x' y'
  o.bias = n_add(g, o.bias, n_scale(g, 2, n3_dot(g, a->rate, b->rate)));
  return o;
}

// |d|. Coincident points have no direction: rate and bias are zero there, not undefined
// HN_OP_IF evaluates both sides: the divisor is made 1 where it would be 0
static hn_jet length(hn_formulas *f, const hn_jet3 *d) {
  hn_graph *g = f->g;
  // |d|' = e . d', |d|'' = e . d'' + (|d'|^2 - |d|'^2) / |d|
  hn_node square = n3_dot(g, d->value, d->value), e[3];
  hn_jet o = {.value = n_function(g, HN_OP_SQRT, square)};
  hn_node apart = hn_graph_apply(g, HN_OP_LT, f->zero, o.value, -1);
  hn_node one = n_constant(g, 1);
  hn_node inverse = n_div(g, one, hn_graph_apply(g, HN_OP_IF, apart, o.value, one));
  // e: the direction, zero where there is none
  n3_scale(g, e, hn_graph_apply(g, HN_OP_IF, apart, inverse, f->zero), d->value);
  o.rate = n3_dot(g, e, d->rate);
  // what of d' is across e bends the distance
  hn_node spread = n_sub(g, n3_dot(g, d->rate, d->rate), n_mul(g, o.rate, o.rate));
  spread = hn_graph_apply(g, HN_OP_IF, apart, n_mul(g, inverse, spread), f->zero);
  o.bias = n_add(g, n3_dot(g, e, d->bias), spread);
  return o;
}

// atan2(s, c) + offset on the turn nearest to the last accepted angle
// r2 is 1 where both are parts of unit vectors in a plane, and stays in the formula where they are
// not
static hn_jet angle(hn_formulas *f, const hn_jet *c, const hn_jet *s, const hn_measure *m) {
  hn_graph *g = f->g;
  const double turn = 2 * hn_pi;
  hn_node x = hn_graph_apply(g, HN_OP_ATAN2, s->value, c->value, -1);
  x = n_add(g, x, n_constant(g, m->offset));
  // whole turns from here to the last accepted angle, rounded
  hn_node turns = n_sub(g, hn_graph_input(g, f->in_turn + m->turn), x);
  turns = n_add(g, n_scale(g, 1 / turn, turns), n_constant(g, 0.5));
  hn_jet o = {.value = n_add(g, x, n_scale(g, turn, n_function(g, HN_OP_FLOOR, turns)))};
  // derivatives of atan2 by its arguments: -s/r2 and c/r2
  hn_node r2 = n_add(g, n_mul(g, c->value, c->value), n_mul(g, s->value, s->value));
  hn_node inverse = n_div(g, n_constant(g, 1), r2);
  hn_node kc = n_neg(g, n_mul(g, s->value, inverse)), ks = n_mul(g, c->value, inverse);
  o.rate = n_add(g, n_mul(g, kc, c->rate), n_mul(g, ks, s->rate));
  // r r' / r2, twice with the rate: what the length of (c, s) changes
  hn_node stretch = n_add(g, n_mul(g, c->value, c->rate), n_mul(g, s->value, s->rate));
  stretch = n_mul(g, n_scale(g, 2, o.rate), n_mul(g, stretch, inverse));
  o.bias = n_sub(g, n_add(g, n_mul(g, kc, c->bias), n_mul(g, ks, s->bias)), stretch);
  return o;
}

// asin(x); the ends of its range (gimbal lock) give a large, finite rate
static hn_jet arc_sine(hn_formulas *f, const hn_jet *x) {
  hn_graph *g = f->g;
  hn_node one = n_constant(g, 1), minus = n_constant(g, -1);
  // clamped, as products of unit vectors may be above one by rounding
  hn_node v =
      hn_graph_apply(g, HN_OP_MAX, minus, hn_graph_apply(g, HN_OP_MIN, one, x->value, -1), -1);
  hn_node square = n_sub(g, one, n_mul(g, v, v));
  // 1e-24: as in measure.c, so that both give the same large rate
  square = hn_graph_apply(g, HN_OP_MAX, square, n_constant(g, 1e-24), -1);
  hn_node inverse = n_div(g, one, n_function(g, HN_OP_SQRT, square));
  hn_jet o = {n_function(g, HN_OP_ASIN, v), n_mul(g, x->rate, inverse), -1};
  // x / (1 - x^2)^(3/2) x'^2 in terms of the rate
  hn_node bend = n_mul(g, n_mul(g, v, inverse), n_mul(g, o.rate, o.rate));
  o.bias = n_add(g, n_mul(g, x->bias, inverse), bend);
  return o;
}

void hn_place_jets(hn_formulas *f, int a, int b, const double sa[3], const double sb[3],
                   const double M[9], hn_jet out[3]) {
  hn_jet3 pa = hn_point_jet(f, a, sa), pb = hn_point_jet(f, b, sb);
  // from a to b, then along the axes of a
  hn_jet3 w = difference(f->g, &pb, &pa);
  for (int k = 0; k < 3; k++) {
    const double axis[3] = {M[k], M[3 + k], M[6 + k]};
    hn_jet3 u = hn_direction_jet(f, a, axis);
    out[k] = dot(f->g, &u, &w);
  }
}

// axes of a surface: the third is across the other two
static hn_jet from_surface(hn_formulas *f, const hn_measure *m) {
  double z[3], M[9];
  hn_jet x[3];
  // right-handed
  if (m->rim > 0) hn_formulas_miss(f, "distances of a", "wheel");
  v3_cross(z, m->ua, m->u2a);
  for (int i = 0; i < 3; i++) M[3 * i] = m->ua[i], M[3 * i + 1] = m->u2a[i], M[3 * i + 2] = z[i];
  hn_place_jets(f, m->a, m->b, m->sa, m->sb, M, x);
  return hn_surface_formulas(f, m->surface, m->size, x).distance;
}

// beside system/measure.c, type by type; those it does not have refuse the model
static hn_jet build_measure(hn_formulas *f, const hn_measure *m) {
  hn_graph *g = f->g;
  hn_jet o = {f->zero, f->zero, f->zero};
  hn_jet3 u, w, pa, pb;
  switch (m->type) {
  case HN_M_DOT1:
  case HN_M_ASIN:
  case HN_M_ANGLE:
    // the product of two directions first; angles go on from it
    u = hn_direction_jet(f, m->a, m->ua);
    w = hn_direction_jet(f, m->b, m->wb);
    o = dot(g, &u, &w);
    if (m->type == HN_M_ASIN) o = arc_sine(f, &o);
    if (m->type == HN_M_ANGLE) {
      hn_jet3 u2 = hn_direction_jet(f, m->a, m->u2a), w2 = hn_direction_jet(f, m->b, m->w2b);
      hn_jet s = dot(g, &u2, &w2);
      return angle(f, &o, &s, m);
    }
    break;
  case HN_M_DOT2:
  case HN_M_DISTANCE:
    pa = hn_point_jet(f, m->a, m->sa);
    pb = hn_point_jet(f, m->b, m->sb);
    // P_b - P_a
    w = difference(g, &pb, &pa);
    if (m->type == HN_M_DISTANCE) {
      o = length(f, &w);
    } else {
      u = hn_direction_jet(f, m->a, m->ua);
      o = dot(g, &u, &w);
    }
    break;
  // counted by the coordinates themselves: no turn has to be found
  case HN_M_PLANAR_ANGLE:
    o.value = n_sub(g, f->body[m->b].angle, f->body[m->a].angle);
    o.rate = n_sub(g, f->body[m->b].w[2], f->body[m->a].w[2]);
    break;
  case HN_M_SPIN: hn_formulas_miss(f, "friction of ", "balls"); break;
  case HN_M_SLIP: hn_formulas_miss(f, "friction that holds on ", "surfaces"); break;
  case HN_M_COORDINATE: hn_formulas_miss(f, "block coordinates", ""); break;
  case HN_M_SURFACE: o = from_surface(f, m); break;
  case HN_M_EDGES: hn_formulas_miss(f, "edges of ", "solids"); break;
  }
  o.value = n_add(g, o.value, n_constant(g, m->offset));
  return o;
}

// built when it is first asked for: most measures are read by nobody
hn_jet hn_measure_jet(hn_formulas *f, int measure) {
  hn_jet *o = &f->measure[measure];
  if (o->value < 0) *o = build_measure(f, &f->sys->measure[measure]);
  return *o;
}

// ---- expressions ---------------------------------------------------------------------------

hn_node hn_side_node(const hn_formulas *f, int number) {
  return hn_graph_input(f->g, f->in_side + number);
}

hn_node hn_memory_node(const hn_formulas *f, int number) {
  return hn_graph_input(f->g, f->in_m + number);
}

void hn_formulas_remember(hn_formulas *f, int memory, int begins, hn_node what) {
  f->remembered[memory] = what;
  f->begins[memory] = begins;
}

void hn_formulas_switch(hn_formulas *f, int number, hn_node function) {
  f->switching[number] = function;
}

// a program of an expression is replayed into the graph; its outputs, free(*memory) in any case.
// NULL: out of memory
static const hn_node *replay(hn_formulas *f, const hn_expression *e, const hn_program *program,
                             void **memory) {
  int count = 1 + e->signals + e->switches, registers = hn_program_registers(program);
  int outputs = hn_program_outputs(program);
  // measured first, then taken, as everywhere with arenas
  hn_arena arena = {0};
  HN_TAKE(&arena, hn_node, count + registers + outputs);
  *memory = NULL;
  if (!hn_arena_allocate(&arena)) return NULL;
  hn_node *in = HN_TAKE(&arena, hn_node, count + registers + outputs);
  *memory = arena.base;
  in[0] = hn_graph_input(f->g, f->in_t);
  // 1 + k is the k-th signal, as in hn_expression
  for (int k = 0; k < e->signals; k++) {
    const hn_signal *s = &f->sys->signal[e->first_signal + k];
    in[1 + k] = f->zero;
    if (hn_is_measured(s)) {
      hn_jet m = hn_measure_jet(f, s->measure);
      in[1 + k] = s->kind == HN_SIGNAL_VALUE ? m.value : m.rate;
    } else if (f->open && s->kind != HN_SIGNAL_TABLE) {
      in[1 + k] = hn_graph_input(f->g, (s->kind == HN_SIGNAL_INPUT ? f->in_u : f->in_x) + s->index);
    } else if (f->open == HN_WIDE_OPEN) {
      in[1 + k] = hn_graph_input(f->g, f->in_w + 3 * s->index);
    } else {
      hn_formulas_miss(f, f->open ? "tables over time" : "inputs, states and tables over time", "");
    }
  }
  for (int k = 0; k < e->switches; k++)
    in[1 + e->signals + k] = hn_side_node(f, e->first_switch + k);
  hn_program_replay(program, f->g, in, in + count, in + count + registers);
  return in + count + registers;
}

// `held`: the form in which switching functions are inputs, since code does not decide on sides.
// the value is that on the side that is held
hn_node hn_expression_node(hn_formulas *f, int expression, int output) {
  const hn_expression *e = &f->sys->expression[expression];
  void *memory;
  const hn_node *out = replay(f, e, e->held ? e->held : e->program, &memory);
  hn_node result = out ? out[output] : -1;
  free(memory);
  return result;
}

void hn_formulas_decisions(hn_formulas *f) {
  for (int i = 0; i < f->sys->expressions; i++) {
    const hn_expression *e = &f->sys->expression[i];
    void *memory = NULL;
    // functions of expressions with decisions are known by their own program
    const hn_node *out = e->functions ? replay(f, e, e->functions, &memory) : NULL;
    for (int k = 0; out && k < e->switches; k++) hn_formulas_switch(f, e->first_switch + k, out[k]);
    free(memory);
  }
}

// tables over time are read by the caller, with two derivatives
static void motions(hn_formulas *f) {
  const hn_system *sys = f->sys;
  for (int i = 0; i < sys->motions; i++) {
    const hn_motion *m = &sys->motion[i];
    if (m->signals && f->open != HN_WIDE_OPEN) {
      hn_formulas_miss(f, "motions over tables", "");
      continue;
    }
    hn_arena arena = {0};
    // t, then value and two derivatives of each table
    int registers = hn_program_registers(m->program), inputs = 1 + 3 * m->signals;
    HN_TAKE(&arena, hn_node, inputs + registers);
    if (!hn_arena_allocate(&arena)) return;  // the nodes stay -1
    hn_node *in = HN_TAKE(&arena, hn_node, inputs + registers);
    in[0] = hn_graph_input(f->g, f->in_t);
    for (int k = 0; k < 3 * m->signals; k++) {
      int table = sys->signal[m->first_signal + k / 3].index;
      in[1 + k] = hn_graph_input(f->g, f->in_w + 3 * table + k % 3);
    }
    hn_program_replay(m->program, f->g, in, in + inputs, f->motion + 3 * i);
    free(arena.base);
  }
}

// ---- rows ----------------------------------------------------------------------------------

// The place of contact moves over both bodies: r = place - p changes by rate - v, not by w x r.
hn_slip hn_slip_jet(hn_formulas *f, int a, int b, const hn_jet3 *place) {
  hn_graph *g = f->g;
  const hn_body_formulas *body[2] = {&f->body[a], &f->body[b]};
  hn_slip o;
  // velocity of b's material less that of a's, at the place
  for (int i = 0; i < 3; i++) o.velocity[i] = o.bias[i] = f->zero;
  for (int side = 0; side < 2; side++) {
    const hn_body_formulas *x = body[side];
    hn_node w[3], alpha[3], r[3], rate[3], v[3], bias[3], y[3];
    // w and alpha in world axes
    nm_mulv(g, w, x->R, x->w);
    nm_mulv(g, alpha, x->R, x->alpha);
    n3_sub(g, r, place->value, x->p);
    n3_sub(g, rate, place->rate, x->v);
    n3_cross(g, v, w, r);
    n3_add(g, v, v, x->v);
    // v' without accelerations: alpha x r + w x r' + a
    n3_cross(g, bias, w, rate);
    n3_cross(g, y, alpha, r);
    n3_add(g, bias, bias, y);
    n3_add(g, bias, bias, x->a);
    if (side) {
      n3_add(g, o.velocity, v, o.velocity);
      n3_add(g, o.bias, bias, o.bias);
    } else {
      n3_sub(g, o.velocity, o.velocity, v);
      n3_sub(g, o.bias, o.bias, bias);
    }
  }
  return o;
}

void hn_slip_row(hn_formulas *f, int row, const hn_jet3 *direction, const hn_slip *slip) {
  hn_graph *g = f->g;
  // psi = n . V, gamma = -(n' . V + n . bias)
  f->psi[row] = n3_dot(g, direction->value, slip->velocity);
  f->gamma[row] = n_neg(g, n_add(g, n3_dot(g, direction->rate, slip->velocity),
                                 n3_dot(g, direction->value, slip->bias)));
}

// `count` rows P_b - P_a = 0
static void points(hn_formulas *f, int row, int count, int a, int b, const double sa[3],
                   const double sb[3]) {
  // in world axes; in the plane the first two
  hn_jet3 pa = hn_point_jet(f, a, sa), pb = hn_point_jet(f, b, sb);
  hn_jet3 d = difference(f->g, &pb, &pa);
  for (int k = 0; k < count; k++) {
    f->phi[row + k] = d.value[k];
    f->psi[row + k] = d.rate[k];
    f->gamma[row + k] = n_neg(f->g, d.bias[k]);
  }
}

// the number of a row among those that come and go, -1: it is always there
static int unilateral(const hn_system *sys, int row) {
  for (int i = 0; i < sys->unilaterals; i++)
    if (sys->unilateral[i].row == row) return i;
  return -1;
}

// a gap that has no formula (to a curve) stands against nobody but those who look at gaps
static void forget_gap(hn_formulas *f, const hn_row *r, int gap) {
  // it was the only thing that was missing: the model has formulas without it
  f->missing[0] = 0;
  f->gap[gap].value = -1;
  for (int k = 0; k < r->terms; k++) f->measure[f->sys->term[r->first_term + k].measure].value = -1;
}

// phi = sum of coefficient x measure - constant - motion(t)
static void measured(hn_formulas *f, const hn_row *r) {
  hn_graph *g = f->g;
  int gap = unilateral(f->sys, r->row);
  bool before = f->missing[0];
  const hn_node still[3] = {f->zero, f->zero, f->zero};
  // no motion: zeros
  const hn_node *m = r->motion >= 0 ? f->motion + 3 * r->motion : still;
  hn_node phi = n_sub(g, n_constant(g, -r->constant), m[0]), psi = n_neg(g, m[1]), gamma = m[2];
  // phi_t = -f'
  if (gap < 0) f->phi_t[r->row] = psi;
  for (int k = 0; k < r->terms; k++) {
    const hn_term *term = &f->sys->term[r->first_term + k];
    hn_jet x = hn_measure_jet(f, term->measure);
    phi = n_add(g, phi, n_scale(g, term->coefficient, x.value));
    // gamma collects with minus, as J a = gamma
    psi = n_add(g, psi, n_scale(g, term->coefficient, x.rate));
    gamma = n_sub(g, gamma, n_scale(g, term->coefficient, x.bias));
  }
  // gaps have their rate and, with the sign turned back, their bias
  if (gap >= 0) {
    f->gap[gap] = (hn_jet){phi, psi, n_neg(g, gamma)};
    if (f->missing[0] && !before) forget_gap(f, r, gap);
    return;
  }
  f->phi[r->row] = phi;
  f->psi[r->row] = psi;
  f->gamma[r->row] = gamma;
}

// J of the rows of a group on the velocities that move its bodies
// rows of J are derivatives of rates by velocities, taken on the graph; in relative coordinates any
// velocity may move a body
static void jacobian(hn_formulas *f, const hn_group *group) {
  const hn_system *sys = f->sys;
  bool all = !sys->coordinates->of_bodies;
  // the shape: which rates on which bodies
  for (int row = group->row0; row < group->row0 + group->rows; row++)
    hn_graph_note(f->g, f->psi[row]);
  for (int k = group->first; k < group->first + group->bodies; k++)
    hn_graph_note(f->g, sys->group_body[k]);
  if (hn_graph_only_asks(f->g)) return;
  for (int row = group->row0; all && row < group->row0 + group->rows; row++)
    for (int i = 0; i < sys->nv; i++)
      // all velocities in relative coordinates
      f->J[row * sys->nv + i] = hn_graph_derivative(f->g, f->psi[row], f->in_v + i);
  if (all) return;
  for (int k = group->first; k < group->first + group->bodies; k++) {
    const hn_sys_body *b = &sys->body[sys->group_body[k]];
    for (int row = group->row0; row < group->row0 + group->rows; row++)
      // those of the row's own bodies only; others are zero
      for (int i = b->v0; i < b->v0 + b->nv; i++)
        f->J[row * sys->nv + i] = hn_graph_derivative(f->g, f->psi[row], f->in_v + i);
  }
}

void hn_formulas_rows(hn_formulas *f) {
  const hn_system *sys = f->sys;
  for (int i = 0; i < sys->rows; i++) f->phi[i] = f->phi_t[i] = f->psi[i] = f->gamma[i] = f->zero;
  for (long i = 0; i < (long)sys->rows * sys->nv; i++) f->J[i] = f->zero;
  for (int i = 0; i < sys->unilaterals; i++) f->gap[i] = (hn_jet){f->zero, f->zero, f->zero};
  motions(f);
  // of the plane: z does not matter
  for (int i = 0; i < sys->points2; i++) {
    const hn_point2 *e = &sys->point2[i];
    const double sa[3] = {e->sa[0], e->sa[1], 0}, sb[3] = {e->sb[0], e->sb[1], 0};
    points(f, e->row, 2, e->a, e->b, sa, sb);
  }
  for (int i = 0; i < sys->points3; i++) {
    const hn_point3 *e = &sys->point3[i];
    points(f, e->row, 3, e->a, e->b, e->sa, e->sb);
  }
  for (int i = 0; i < sys->rowcount; i++) measured(f, &sys->row[i]);
  for (int i = 0; i < sys->customs; i++) {
    const hn_custom *e = &sys->custom[i];
    if (e->type->formulas)
      e->type->formulas(f, sys->custom_data + e->data, e->a, e->b, e->row);
    else
      hn_formulas_miss(f, "the joint", sys->joint[sys->row_joint[e->row]].name);
  }
  // last, when all rates are known
  for (int i = 0; i < sys->groups; i++) jacobian(f, &sys->group[i]);
}
