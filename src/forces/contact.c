// contact.c: a ball that presses on a surface, and joints with clearance: contacts that yield.
//
// Every gap (system/gaps.h) is looked at in the axes of the surface on a: d is the place of the
// point of b there, d' its rate, w the relative angular velocity (frames.h). With the distance s(d)
// from the surface and its gradient n,
//
//   depth x = -sign (s - offset),   x' = -sign n.d',   F = law(x, x')      (contact_law.c)
//
// pushes b along sign n while x > 0, and never pulls. What rubs is at c = -sign arm n from the
// point of b; it slides with u = d' - n (n.d') + w x c against
//
//   T = -coulomb F tanh(|u| / speed) u / |u|
//
// A wheel is such a ball at the point of its rim that is nearest (system/rim.h): with r from the
// middle of the wheel to it, d, d' and c are those of this point, d + r, d' + w x r and r + c.
//
// Both forces act on a and b in one place, so that no momentum is lost. The potential is that of
// the elastic part of F; what the rest takes away is counted as work. Laws with a restitution
// remember x' at the beginning of every contact.
#include "base/elementary.h"
#include "code/formulas.h"
#include "forces/contact_law.h"
#include "forces/force.h"
#include "forces/frames.h"
#include "system/gaps.h"
#include "system/pair.h"
#include "system/rim.h"

#include <string.h>

typedef struct place {
  hn_frames frames;
  const hn_surface *surface;
  const double *size;
  double sign, offset;    // gap = sign (distance - offset): balls inside of hollow surfaces have -1
  double arm;             // from the point of b to where it rubs, against the surface
  double rim;             // of a wheel about z of b; 0: a ball
  int touching, pushing;  // switching functions
  int memory;             // speed at which the contact began; -1: of no interest
} place;

typedef struct contact {
  hn_pressing law;
  double coulomb, speed;  // friction coefficient; slip below which it fades [m/s]
  hn_frames middle;       // of the joint as a whole, for what is recorded
  int places;
  place at[HN_MOST_GAPS];
} contact;

// everything at one place
typedef struct state {
  hn_frames_state s;
  hn_surface_at n;
  hn_rim rim;   // of balls zero
  double Y[3];  // rate of the point that is pressed
  double depth, rate;
  bool touching, pushing;
  hn_pressed press;
  double force;       // F, never below zero
  double c[3], u[3];  // where it rubs, and how fast
  double k, bend;     // tanh(|u| / speed) / |u| and the derivative of that by |u|, over |u|
  double T[3];        // friction
  double wrench[6];   // on b at its point, axes of the surface
} state;

// tanh(s / v) / s, and its slope over s; by series where they lose digits
static void smoothing(double s, double v, double *k, double *bend) {
  double z = s / v, z2 = z * z;
  if (z < 0.02) {
    *k = (1 - z2 * (1.0 / 3 - z2 * (2.0 / 15 - z2 * 17.0 / 315))) / v;
    *bend = -(2.0 / 3 - z2 * (8.0 / 15 - z2 * 34.0 / 105)) / (v * v * v);
    return;
  }
  double t = hn_tanh(z);
  *k = t / s;
  *bend = ((1 - t * t) / v - t / s) / (s * s);
}

static void rub(const contact *e, const place *p, state *o) {
  const double *n = o->n.gradient, *y = o->s.y;
  double along = v3_dot(n, o->Y), turn[3];
  for (int i = 0; i < 3; i++) o->c[i] = o->rim.arm[i] - p->sign * p->arm * n[i];
  v3_cross(o->u, y + 3, o->c);
  for (int i = 0; i < 3; i++) o->u[i] += y[i] - n[i] * along;
  smoothing(v3_norm(o->u), e->speed, &o->k, &o->bend);
  v3_scale(o->T, -e->coulomb * o->force * o->k, o->u);
  v3_add(o->wrench, o->wrench, o->T);
  v3_cross(turn, o->c, o->T);
  v3_add(o->wrench + 3, o->wrench + 3, turn);
}

// the point that is pressed, and its rate
static void reach(const place *p, const hn_work *work, int level, state *o) {
  double axis[3], world[3];
  memset(&o->rim, 0, sizeof o->rim);
  v3_copy(o->Y, o->s.y);
  if (!(p->rim > 0)) {
    p->surface->eval(p->size, o->s.d, level, &o->n);
    return;
  }
  const double inner[3] = {p->frames.Mb[2], p->frames.Mb[5], p->frames.Mb[8]};
  m3_mulv(world, work->kin[p->frames.b].R, inner);
  m3_tmulv(axis, o->s.A, world);
  hn_rim_find(p->surface, p->size, o->s.d, axis, p->rim, &o->rim);
  o->n = o->rim.s;
  v3_cross(world, o->s.y + 3, o->rim.arm);
  v3_add(o->Y, o->Y, world);
}

// where it is: depth and rate; whether it acts
static void locate(const contact *e, const place *p, const hn_work *work, int level, state *o) {
  hn_frames_place(&p->frames, work, &o->s);
  reach(p, work, level, o);
  o->depth = -p->sign * (o->n.value - p->offset);
  o->rate = -p->sign * v3_dot(o->n.gradient, o->Y);
  o->touching = hn_side(work, p->touching, o->depth > 0);
  if (!o->touching) return;
  o->press = hn_press(&e->law, o->depth, o->rate, p->memory < 0 ? 0 : work->memory[p->memory]);
  o->pushing = !hn_press_damped(&e->law) || hn_side(work, p->pushing, o->press.tension > 0);
}

// false: out of touch, nothing else is known
static bool evaluate(const contact *e, const place *p, const hn_work *work, int level, state *o) {
  locate(e, p, work, level, o);
  o->force = 0;
  memset(o->wrench, 0, sizeof o->wrench);
  memset(o->T, 0, sizeof o->T);
  if (!o->touching) return false;
  if (o->pushing) o->force = o->press.force;
  v3_scale(o->wrench, p->sign * o->force, o->n.gradient);
  v3_cross(o->wrench + 3, o->rim.arm, o->wrench);
  if (e->coulomb > 0) rub(e, p, o);
  return true;
}

// Three ledgers: the elastic part has a potential; what the damper takes, and what the cut at zero
// withholds of the elastic force, is power along the depth; friction is power along the slip.
static void eval(const hn_system *sys, hn_work *work, int count, const void *data) {
  const contact *e = data;
  for (int i = 0; i < count; i++, e++)
    for (const place *p = e->at; p < e->at + e->places; p++) {
      state s;
      if (!evaluate(e, p, work, 1, &s)) continue;
      hn_frames_apply(&p->frames, sys, work, &s.s, s.wrench);
      work->potential += s.press.energy;
      work->power -= (s.force - s.press.elastic) * s.rate;
      if (e->coulomb > 0) work->power += v3_dot(s.T, s.u);
    }
}

// ---- formulas ------------------------------------------------------------------------------

// tanh(|u| / v) / |u| by the square of the slip; the divisor is a number also where the series is
// read, see frames_formulas.c
static hn_node smoothing_formula(hn_graph *g, hn_node square, double v) {
  hn_node z2 = n_scale(g, 1 / (v * v), square), one = n_constant(g, 1);
  hn_node small = hn_graph_apply(g, HN_OP_LT, z2, n_constant(g, 0.02 * 0.02), -1);
  hn_node near = n_sub(g, n_constant(g, 2.0 / 15), n_scale(g, 17.0 / 315, z2));
  near = n_sub(g, n_constant(g, 1.0 / 3), n_mul(g, z2, near));
  near = n_sub(g, one, n_mul(g, z2, near));
  hn_node z = n_function(g, HN_OP_SQRT, hn_graph_apply(g, HN_OP_IF, small, one, z2));
  hn_node far = n_div(g, n_function(g, HN_OP_TANH, z), z);
  return n_scale(g, 1 / v, hn_graph_apply(g, HN_OP_IF, small, near, far));
}

// What rubs acts along u; that n . u vanishes is left to the numbers, as T has no part along n
static void rub_formulas(hn_formulas *f, const contact *e, const place *p, const hn_jet d[3],
                         const hn_node n[3], hn_node along, hn_node force) {
  hn_graph *g = f->g;
  const hn_body_formulas *a = &f->body[p->frames.a], *b = &f->body[p->frames.b];
  hn_node M[9], A[9], wa[3], wb[3], w[3], c[3], turned[3], u[3];
  nm_constant(g, M, p->frames.Ma);
  nm_mul(g, A, a->R, M);
  nm_mulv(g, wa, a->R, a->w);
  nm_mulv(g, wb, b->R, b->w);
  n3_sub(g, w, wb, wa);
  nm_tmulv(g, w, A, w);
  n3_scale(g, c, n_constant(g, -p->sign * p->arm), n);
  n3_cross(g, turned, w, c);
  for (int i = 0; i < 3; i++) {
    turned[i] = n_add(g, d[i].rate, turned[i]);
    u[i] = n_sub(g, turned[i], n_mul(g, n[i], along));
  }
  hn_node k = smoothing_formula(g, n3_dot(g, u, u), e->speed);
  k = n_mul(g, n_scale(g, -e->coulomb, force), k);
  for (int i = 0; i < 3; i++) {
    hn_node T = n_mul(g, k, u[i]);
    hn_formulas_apply(f, T, turned[i]);
    hn_formulas_power(f, n_mul(g, T, u[i]));
  }
}

static void formulas(hn_formulas *f, int count, const void *data) {
  const contact *e = data;
  hn_graph *g = f->g;
  for (int i = 0; i < count; i++, e++) {
    hn_graph_note(g, e->coulomb > 0);
    for (const place *p = e->at; p < e->at + e->places; p++) {
      const hn_frames *at = &p->frames;
      hn_jet d[3];
      if (p->rim > 0) hn_formulas_miss(f, "distances of a", "wheel");
      hn_place_jets(f, at->a, at->b, at->sa, at->sb, at->Ma, d);
      hn_surface_jet s = hn_surface_formulas(f, p->surface, p->size, d);
      hn_node depth = n_sub(g, s.distance.value, n_constant(g, p->offset));
      depth = n_scale(g, -p->sign, depth);
      hn_node rate = n_scale(g, -p->sign, s.distance.rate);
      hn_node speed = p->memory < 0 ? f->zero : hn_memory_node(f, p->memory);
      hn_pressed_formulas o = hn_press_formulas(f, &e->law, depth, rate, speed);
      hn_node touching = hn_side_node(f, p->touching), acts = touching, one = n_constant(g, 1);
      hn_formulas_switch(f, p->touching, depth);
      if (p->memory >= 0) hn_formulas_remember(f, p->memory, p->touching, rate);
      if (hn_press_damped(&e->law)) {
        acts = n_mul(g, touching, hn_side_node(f, p->pushing));
        hn_formulas_switch(f, p->pushing, hn_graph_apply(g, HN_OP_IF, touching, o.tension, one));
      }
      hn_node force = n_mul(g, acts, o.force), elastic = n_mul(g, touching, o.elastic);
      hn_formulas_apply(f, n_neg(g, force), rate);
      hn_formulas_potential(f, n_mul(g, touching, o.energy));
      hn_formulas_power(f, n_mul(g, n_sub(g, elastic, force), rate));
      if (e->coulomb > 0) rub_formulas(f, e, p, d, s.gradient, s.distance.rate, force);
    }
  }
}

// ---- tangent -------------------------------------------------------------------------------

// change of the wrench when d, the orientation of b and y change
static void change(const contact *e, const place *p, const state *s, const double dd[3],
                   const double turn[3], const double dy[6], double out[6]) {
  const double *n = s->n.gradient, *y = s->s.y;
  double dn[3], de[3], arm[3], dY[3], x[3], N[3], dN[3], on = s->pushing ? 1 : 0;
  hn_rim_change(&s->rim, dd, turn, de, arm);
  m3_mulv(dn, s->n.hessian, de);
  v3_cross(dY, dy + 3, s->rim.arm);
  v3_cross(x, y + 3, arm);
  for (int i = 0; i < 3; i++) dY[i] += x[i] + dy[i];
  double closes = v3_dot(dn, s->Y) + v3_dot(n, dY);
  double depth = -p->sign * v3_dot(n, de), rate = -p->sign * closes;
  double force = on * (s->press.by_depth * depth + s->press.by_rate * rate);
  for (int i = 0; i < 3; i++) {
    N[i] = p->sign * s->force * n[i];
    out[i] = dN[i] = p->sign * (force * n[i] + s->force * dn[i]);
  }
  v3_cross(out + 3, arm, N);
  v3_cross(x, s->rim.arm, dN);
  v3_add(out + 3, out + 3, x);
  if (!(e->coulomb > 0)) return;
  double dc[3], du[3], dT[3], along = v3_dot(n, s->Y);
  for (int i = 0; i < 3; i++) dc[i] = arm[i] - p->sign * p->arm * dn[i];
  v3_cross(du, dy + 3, s->c);
  v3_cross(x, y + 3, dc);
  for (int i = 0; i < 3; i++) du[i] += x[i] + dy[i] - dn[i] * along - n[i] * closes;
  double bend = s->bend * v3_dot(s->u, du);
  for (int i = 0; i < 3; i++)
    dT[i] = -e->coulomb * (force * s->k * s->u[i] + s->force * (s->k * du[i] + bend * s->u[i]));
  v3_add(out, out, dT);
  v3_cross(x, dc, s->T);
  v3_add(out + 3, out + 3, x);
  v3_cross(x, s->c, dT);
  v3_add(out + 3, out + 3, x);
}

// The wrench is a function of the place d, the orientation of b and the velocity y, in axes of the
// surface; twelve unit changes give its derivatives. The orientation counts for wheels only: a ball
// looks the same from all sides. frames.h takes them to the bodies
static void tangent(const hn_system *sys, hn_work *work, int count, const void *data,
                    hn_tangent *out) {
  const contact *e = data;
  for (int i = 0; i < count; i++, e++)
    for (const place *p = e->at; p < e->at + e->places; p++) {
      const hn_frames *f = &p->frames;
      double E[72], Y[72], by_place[36] = {0}, by_rate[36] = {0}, K[144] = {0}, C[144] = {0};
      state s;
      // which pairs get blocks does not depend on the state
      if (evaluate(e, p, work, 2, &s)) {
        for (int j = 0; j < 12; j++) {
          double dx[6] = {0}, dy[6] = {0}, dw[6];
          *(j < 6 ? &dx[j] : &dy[j - 6]) = 1;
          change(e, p, &s, dx, dx + 3, dy, dw);
          for (int k = 0; k < 6; k++)
            *(j < 6 ? &by_place[6 * k + j] : &by_rate[6 * k + j - 6]) = -dw[k];
        }
        hn_frames_map(f, work, &s.s, E);
        hn_frames_geometric(f, work, &s.s, s.wrench, K);
        hn_frames_velocity_change(f, sys, work, &s.s, Y);
        hn_frames_sandwich(K, E, by_place, E);
        hn_frames_sandwich(K, E, by_rate, Y);
        hn_frames_sandwich(C, E, by_rate, E);
      }
      hn_pair_tangent(sys, out, HN_TANGENT_K, f->a, f->b, K);
      hn_pair_tangent(sys, out, HN_TANGENT_C, f->a, f->b, C);
    }
}

// ---- switching -----------------------------------------------------------------------------

static void switches(const hn_system *sys, const hn_work *work, int count, const void *data,
                     double *value) {
  const contact *e = data;
  (void)sys;
  for (int i = 0; i < count; i++, e++)
    for (const place *p = e->at; p < e->at + e->places; p++) {
      state s;
      locate(e, p, work, 1, &s);
      value[p->touching] = s.depth;
      // the cut at zero matters only in touch
      if (hn_press_damped(&e->law)) value[p->pushing] = s.touching ? s.press.tension : 1;
    }
}

// was NULL: a run begins here, and contacts that it begins in keep the speed they have been given,
// if any (hn_events_follow), or the present one
static void remember(const hn_system *sys, hn_work *work, int count, const void *data,
                     const bool *was, const bool *is) {
  const contact *e = data;
  (void)sys;
  for (int i = 0; i < count; i++, e++)
    for (const place *p = e->at; p < e->at + e->places && p->memory >= 0; p++) {
      state s;
      double *speed = &work->memory[p->memory];
      if (!is[p->touching] || (was ? was[p->touching] : *speed != 0)) continue;
      locate(e, p, work, 1, &s);
      *speed = s.rate;
    }
}

// ---- columns and building ------------------------------------------------------------------

static const char *column(const void *data, int k, const char **unit) {
  static const char *const name[] = {"x", "y", "z", "gap", "force", "fx", "fy", "fz"};
  (void)data;
  if (k > 7) return NULL;
  *unit = k < 4 ? "m" : "N";
  return name[k];
}

// place of b's point in the axes of a, smallest gap, sum of what presses, force on b in the axes of
// a
static double read(const hn_system *sys, const hn_work *work, const void *data, int k) {
  const contact *e = data;
  hn_frames_state middle;
  double gap = INFINITY, pressing = 0, F[3] = {0, 0, 0}, here[3], world[3];
  (void)sys;
  hn_frames_place(&e->middle, work, &middle);
  if (k < 3) return middle.d[k];
  for (const place *p = e->at; p < e->at + e->places; p++) {
    state s;
    evaluate(e, p, work, 1, &s);
    gap = fmin(gap, -s.depth);
    pressing += s.force;
    m3_mulv(world, s.s.A, s.wrench);
    m3_tmulv(here, middle.A, world);
    v3_add(F, F, here);
  }
  return k == 3 ? gap : k == 4 ? pressing : F[k - 5];
}

static const hn_force_ops ops = {
    .name = "contact",
    .data_size = sizeof(contact),
    .eval = eval,
    .tangent = tangent,
    .formulas = formulas,
    .column = column,
    .read = read,
    .switches = switches,
    .remember = remember,
};

static hn_frames frames_of(const hn_mount *a, const hn_mount *b) {
  hn_frames f = {.a = a->body, .b = b->body};
  v3_copy(f.sa, a->s), v3_copy(f.sb, b->s);
  memcpy(f.Ma, a->R, sizeof f.Ma), memcpy(f.Mb, b->R, sizeof f.Mb);
  return f;
}

// Switching functions: whether it touches, and for damped laws whether the formula pushes. Only
// laws with a restitution have a memory. The arm is where it rubs, seen from the point of b: the
// radius of a ball
static void add_place(hn_builder *builder, contact *e, const hn_gap *gap) {
  int first = hn_build_switches(builder, hn_press_damped(&e->law) ? 2 : 1);
  e->at[e->places++] = (place){
      .frames = frames_of(&gap->a, &gap->b),
      .surface = gap->surface,
      .size = gap->size,
      .sign = gap->sign,
      .offset = gap->offset,
      // a point mass takes no moment: what rubs is the point
      .arm = hn_build_rotates(builder, gap->b.body) ? gap->arm : 0,
      .rim = gap->rim,
      .touching = first,
      .pushing = first + 1,
      .memory = e->law.factor > 0 ? hn_build_memories(builder, 1) : -1,
  };
}

static hn_status build(hn_builder *builder, const hn_force_def *def) {
  static const double smooth = 1e-3;
  hn_gaps gaps;
  hn_gaps_def what = HN_GAPS_OF(def);
  contact e;
  memset(&e, 0, sizeof e);
  if (!hn_gaps_find(builder, &what, &gaps)) return hn_build_status(builder);
  bool bore = strcmp(def->type, "clearance-revolute") == 0 ||
              strcmp(def->type, "clearance-cylindrical") == 0;
  double length = bore ? def->length : 0;
  if (gaps.count > 1) length /= 2;  // each end has half of it
  if (!hn_pressing_build(&e.law, builder, def, gaps.radius, gaps.other, length))
    return hn_build_status(builder);
  if (def->coulomb > 0 && !(def->radius > 0) && bore)
    return hn_build_fail(builder, HN_ERR_MODEL, "needs the radius of the journal, as it rubs");
  e.coulomb = def->coulomb;
  e.speed = def->speed > 0 ? def->speed : smooth;
  e.middle = frames_of(&gaps.a, &gaps.b);
  if (gaps.gap[0].spokes)
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "solids with edges touch each other rigidly only (a contact among the "
                         "joints; before a plane they yield as well)");
  for (int i = 0; i < gaps.count; i++) add_place(builder, &e, &gaps.gap[i]);
  hn_build_need_kin(builder, e.middle.a);
  hn_build_need_kin(builder, e.middle.b);
  hn_build_force(builder, &ops, &e);
  return hn_build_status(builder);
}

#define LAW "law stiffness exponent damping restitution young poisson impact_speed coulomb speed"
#define TYPE(id, word, sentence, own, need)                                                        \
  const hn_force_type hn_force_##id = {                                                            \
      .info = {.name = word, .help = sentence, .keys = own " " LAW, .required = need},             \
      .build = build,                                                                              \
  };

TYPE(contact, "contact", "a ball about a point of b, or a block, presses on a surface of a",
     "at at_b axis radius surface radius_a length width height size points closed grid_x grid_y "
     "heights file inside rim axis_b hull",
     "")
TYPE(clearance_revolute, "clearance-revolute", "journal with play in a bearing of a that yields",
     "at axis clearance axial_clearance length radius", "clearance")
TYPE(clearance_spherical, "clearance-spherical", "ball with play in a socket of a that yields",
     "at clearance radius", "clearance")
TYPE(clearance_prismatic, "clearance-prismatic", "block with play in a guide of a that yields",
     "at axis clearance length height width", "clearance length height")
TYPE(clearance_cylindrical, "clearance-cylindrical",
     "journal that turns and slides with play in a bearing of a that yields",
     "at axis clearance length radius", "clearance length")
