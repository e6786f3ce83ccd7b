// oil_film.c: the oil between a journal of b and the bearing of a: a short bearing.
//
// In the axes of the bearing, whose z is its axis: e the place of the journal's middle, n = e /
// |e|, t = z x n, v = e', w its angular velocity, x = |e| / c. The film is h = c (1 + x cos p), p
// counted from where it is thickest, against n. Where oil flows out sideways faster than around
// (length well below the diameter), Reynolds' equation gives the pressure (F. W. Ocvirk, NACA TN
// 2808, 1952)
//
//   p(p, z) = 3 viscosity (L^2/4 - z^2) c g / h^3,   g = S sin p - Q cos p,
//   S = w x - 2 v.t / c,   Q = 2 v.n / c
//
// and only where that is above zero is there oil: half of the way around (L. Gumbel). With
// u = viscosity R L^3 / (2 c^2), the force on the journal is P_n n + P_t t,
//
//   P_n = u (S I_sc - Q I_cc),  P_t = u (S I_ss - Q I_sc),  I = integral of .. / (1 + x cos p)^3
//
// in closed form by Sommerfeld's substitution tan(y/2) = sqrt((1-x)/(1+x)) tan(p/2). Limits of the
// integrals do not enter derivatives, as g is zero there. Shear takes the torque
// 2 pi viscosity R^3 L w / (c sqrt(1 - x^2)). The film does not get thinner than least_film c:
// there x stays (roughness); the contact below it is another force or joint. (P. Flores et al.,
// Lubricated revolute joints in rigid multibody systems, Nonlinear Dynamics 56, 2009.)
#include "base/elementary.h"
#include "forces/force.h"
#include "forces/frames.h"
#include "system/pair.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct film {
  hn_frames frames;
  double clearance, thickest;  // c; the largest x
  double press, shear;         // u; 2 pi viscosity R^3 L / c
} film;

typedef struct state {
  hn_frames_state s;
  double n[2], t[2], r;  // direction to the journal's middle, across it; how far it is away
  double x, S, Q;        // as above: part of the clearance, wedge and squeeze rates [1/s]
  bool thin;             // x is at its limit
  bool middle;           // r is zero: any n will do
  double Pn, Pt, torque;
  double Pn_S, Pn_Q, Pt_S, Pt_Q, Pn_x, Pt_x, torque_x;
} state;

// integrals without their powers of 1 - x^2; y is Sommerfeld's angle
typedef struct integrals {
  double ss, sc, cc;     // sin^2, sin (cos - x), (cos - x)^2
  double ccs, css, ccc;  // (cos - x)^2 sin, (cos - x) sin^2, (cos - x)^3
} integrals;

// antiderivatives over Sommerfeld's angle y, where dp = sqrt(1 - x^2) dy / (1 - x cos y) turns
// powers of 1 / (1 + x cos p) into polynomials of sin y and cos y
static integrals up_to(double y, double x) {
  double s, c, half = 0.5 * y;
  hn_sincos(y, &s, &c);
  double turn = 0.5 * s * c;
  return (integrals){
      .ss = half - turn,
      .sc = 0.5 * s * s + x * c,
      .cc = half + turn - 2 * x * s + x * x * y,
      .ccs = -(c - x) * (c - x) * (c - x) / 3,
      .css = s * s * s / 3 - x * (half - turn),
      .ccc = s - s * s * s / 3 - 3 * x * (half + turn) + 3 * x * x * s - x * x * x * y,
  };
}

// continuous beyond half a turn: p and y pass pi together
static double sommerfeld(double p, double x) {
  // whole turns go over unchanged: y(p + 2 pi) = y(p) + 2 pi
  if (p > pi) return sommerfeld(p - 2 * pi, x) + 2 * pi;
  double s, c;
  hn_sincos(0.5 * p, &s, &c);
  return 2 * hn_atan2(sqrt(1 - x) * s, sqrt(1 + x) * c);
}

// over the half in which g is above zero
static integrals over_film(const state *o) {
  // g = S sin p - Q cos p is zero at p = atan2(Q, S), and positive for half a turn behind it
  double from = hn_atan2(o->Q, o->S);
  integrals a = up_to(sommerfeld(from, o->x), o->x);
  integrals b = up_to(sommerfeld(from + pi, o->x), o->x);
  return (integrals){b.ss - a.ss,   b.sc - a.sc,   b.cc - a.cc,
                     b.ccs - a.ccs, b.css - a.css, b.ccc - a.ccc};
}

static void forces(const film *e, state *o) {
  integrals i = over_film(o);
  // powers of 1 - x^2 that were left out above
  double q = 1 - o->x * o->x, root = sqrt(q), u = e->press;
  double ss = i.ss / (q * root), sc = i.sc / (q * q), cc = i.cc / (q * q * root);
  double ccs = i.ccs / (q * q * q), css = i.css / (q * q * root), ccc = i.ccc / (q * q * q * root);
  // derivatives by S and Q at fixed limits, as g vanishes there
  o->Pn_S = u * sc, o->Pn_Q = -u * cc;
  o->Pt_S = u * ss, o->Pt_Q = -u * sc;
  o->Pn = o->S * o->Pn_S + o->Q * o->Pn_Q;
  o->Pt = o->S * o->Pt_S + o->Q * o->Pt_Q;
  // d/dx of 1 / (1 + x cos p)^3 brings cos p and one more power: -3
  o->Pn_x = -3 * u * (o->S * ccs - o->Q * ccc);
  o->Pt_x = -3 * u * (o->S * css - o->Q * ccs);
  double w = o->s.y[5];
  o->torque = -e->shear * w / root;
  o->torque_x = -e->shear * w * o->x / (q * root);
}

// everything that n, the direction (nx, ny), decides
static void look_along(const film *e, double nx, double ny, state *o) {
  const double *v = o->s.y;
  o->n[0] = nx, o->n[1] = ny;
  o->t[0] = -ny, o->t[1] = nx;
  o->x = o->r / e->clearance;
  // the formula stays at its thinnest film: x does not grow any further
  o->thin = o->x > e->thickest;
  if (o->thin) o->x = e->thickest;
  o->S = v[5] * o->x - 2 * (v[0] * o->t[0] + v[1] * o->t[1]) / e->clearance;
  o->Q = 2 * (v[0] * o->n[0] + v[1] * o->n[1]) / e->clearance;
  forces(e, o);
}

static void evaluate(const film *e, const hn_work *work, state *o) {
  hn_frames_place(&e->frames, work, &o->s);
  const double *d = o->s.d;
  o->r = hn_hypot(d[0], d[1]);
  // in the middle the force is the same whatever n is
  o->middle = !(o->r > 1e-14 * e->clearance);
  look_along(e, o->middle ? 1 : d[0] / o->r, o->middle ? 0 : d[1] / o->r, o);
}

static void wrench_of(const state *o, double w[6]) {
  memset(w, 0, 6 * sizeof(double));
  // in the plane across the axis
  for (int k = 0; k < 2; k++) w[k] = o->Pn * o->n[k] + o->Pt * o->t[k];
  w[5] = o->torque;
}

static void eval(const hn_system *sys, hn_work *work, int count, const void *data) {
  const film *e = data;
  for (int i = 0; i < count; i++, e++) {
    state s;
    double w[6];
    evaluate(e, work, &s);
    wrench_of(&s, w);
    hn_frames_apply(&e->frames, sys, work, &s.s, w);
    for (int k = 0; k < 6; k++) work->power += w[k] * s.s.y[k];
  }
}

// change of the wrench when the place changes by dd and the velocity by dy
static void change(const film *e, const state *s, const double dd[3], const double dy[6],
                   double out[6]) {
  const double *n = s->n, *t = s->t, *v = s->s.y;
  double along = n[0] * dd[0] + n[1] * dd[1], across = t[0] * dd[0] + t[1] * dd[1];
  double turn = s->r > 0 ? across / s->r : 0;  // of n; t turns with it
  double vn = v[0] * n[0] + v[1] * n[1], vt = v[0] * t[0] + v[1] * t[1];
  double dx = s->thin ? 0 : along / e->clearance;
  double dvn = dy[0] * n[0] + dy[1] * n[1] + vt * turn;
  double dvt = dy[0] * t[0] + dy[1] * t[1] - vn * turn;
  double dS = dy[5] * s->x + v[5] * dx - 2 * dvt / e->clearance, dQ = 2 * dvn / e->clearance;
  double dPn = s->Pn_S * dS + s->Pn_Q * dQ + s->Pn_x * dx;
  double dPt = s->Pt_S * dS + s->Pt_Q * dQ + s->Pt_x * dx;
  memset(out, 0, 6 * sizeof(double));
  // force changes along n and t, and n and t turn
  for (int k = 0; k < 2; k++) out[k] = (dPn - s->Pt * turn) * n[k] + (dPt + s->Pn * turn) * t[k];
  out[5] = s->torque_x * dx - e->shear * dy[5] / sqrt(1 - s->x * s->x);
}

// as in contact.c: nine unit changes of place and velocity, taken to the bodies by frames.h
static void tangent(const hn_system *sys, hn_work *work, int count, const void *data,
                    hn_tangent *out) {
  const film *e = data;
  for (int i = 0; i < count; i++, e++) {
    const hn_frames *f = &e->frames;
    double E[72], Y[72], by_place[36] = {0}, by_rate[36] = {0}, K[144] = {0}, C[144] = {0}, w[6];
    state s;
    evaluate(e, work, &s);
    wrench_of(&s, w);
    for (int j = 0; j < 9; j++) {
      double dd[3] = {0}, dy[6] = {0}, dw[6];
      *(j < 3 ? &dd[j] : &dy[j - 3]) = 1;
      // out of the middle n is where it goes, so that it does not turn
      if (s.middle && j < 2) look_along(e, dd[0], dd[1], &s);
      change(e, &s, dd, dy, dw);
      for (int k = 0; k < 6; k++)
        *(j < 3 ? &by_place[6 * k + j] : &by_rate[6 * k + j - 3]) = -dw[k];
    }
    hn_frames_map(f, work, &s.s, E);
    hn_frames_geometric(f, work, &s.s, w, K);
    hn_frames_velocity_change(f, sys, work, &s.s, Y);
    hn_frames_sandwich(K, E, by_place, E);
    hn_frames_sandwich(K, E, by_rate, Y);
    hn_frames_sandwich(C, E, by_rate, E);
    hn_pair_tangent(sys, out, HN_TANGENT_K, f->a, f->b, K);
    hn_pair_tangent(sys, out, HN_TANGENT_C, f->a, f->b, C);
  }
}

static const char *column(const void *data, int k, const char **unit) {
  static const char *const name[] = {"x", "y", "film", "fx", "fy", "torque"};
  (void)data;
  if (k > 5) return NULL;
  *unit = k < 3 ? "m" : k < 5 ? "N" : "N m";
  return name[k];
}

// place and force in the axes of the bearing; the thinnest film
static double read(const hn_system *sys, const hn_work *work, const void *data, int k) {
  const film *e = data;
  state s;
  double w[6];
  (void)sys;
  evaluate(e, work, &s);
  wrench_of(&s, w);
  const double value[] = {s.s.d[0], s.s.d[1], e->clearance - s.r, w[0], w[1], w[5]};
  return value[k];
}

static const hn_force_ops ops = {
    .name = "oil-film",
    .data_size = sizeof(film),
    .eval = eval,
    .tangent = tangent,
    .column = column,
    .read = read,
};

static hn_status build(hn_builder *builder, const hn_force_def *def) {
  const hn_mount *a = hn_mount_a(builder), *b = hn_mount_b(builder);
  film e;
  memset(&e, 0, sizeof e);
  if (!hn_build_rotates(builder, a->body) || !hn_build_rotates(builder, b->body))
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "needs bodies that can turn, and one is a point mass");
  if (hn_build_planar(builder) && a->R[8] < 1 - 1e-9)
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "planar bodies turn about z: leave `axis` out or give 0 0 1");
  if (def->length > 4 * def->radius)
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "is the film of a short bearing: a length of %g diameters is too long (at "
                         "most 2; good below 1)",
                         def->length / (2 * def->radius));
  double least = def->least_film > 0 ? def->least_film : 0.01, c = def->clearance;
  if (!(least < 1))
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "least_film, %g, is a part of the clearance: below 1", least);
  double R = def->radius, L = def->length;
  e.frames = (hn_frames){.a = a->body, .b = b->body};
  v3_copy(e.frames.sa, a->s), v3_copy(e.frames.sb, b->s);
  memcpy(e.frames.Ma, a->R, sizeof e.frames.Ma), memcpy(e.frames.Mb, b->R, sizeof e.frames.Mb);
  e.clearance = c, e.thickest = 1 - least;
  e.press = def->viscosity * R * L * L * L / (2 * c * c);
  e.shear = 2 * pi * def->viscosity * R * R * R * L / c;
  hn_build_need_kin(builder, e.frames.a);
  hn_build_need_kin(builder, e.frames.b);
  hn_build_force(builder, &ops, &e);
  return hn_build_status(builder);
}

const hn_force_type hn_force_oil_film = {
    .info = {.name = "oil-film",
             .help = "oil between a journal of b and its bearing in a (short bearing)",
             .keys = "at axis clearance length radius viscosity least_film",
             .required = "clearance length radius viscosity"},
    .build = build,
};
