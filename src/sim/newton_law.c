// newton_law.c: Newton's check. On every body, mass times acceleration is what was applied plus the
// reactions that are reported: forces at their points, as a reader of the result would add them up.
//
// Forces of all joints on the bodies are known beforehand, M a - f, by whatever coordinates and
// method the run has. Steppers that know no accelerations are held to J^T lambda of their own
// multipliers in its place. What remains of it after the reported reactions is the imbalance,
// relative to the forces on the body, and to a millionth of the largest on any; what is round-off
// of the largest, as sums over shared reactions leave it everywhere, is none. In relative
// coordinates a reaction closes the balance by construction; what it does along the joint's free
// motion should be nothing and counts instead.
//
// One pass over bodies and joints for every recorded row; steps do not pay.
#include "sim/sim.h"

#include "system/coordinates/coordinates.h"
#include "system/transmission.h"

#include <string.h>

static const double least = 1e-6;
static const double round_off = 1e-15;
static const double noise = 1e-13;

struct hn_newton_law {
  double *left;        // forces of joints not accounted for yet, bv
  double *size;        // per body: largest force and largest moment over the model's length, N;
  double *turn;        // until both are known the former alone, and the moment as it is
  hn_reaction *found;  // per joint, of those between two bodies
  bool told;           // something can be said at this state
  bool idle;           // and joints without rows may be asked what they do along their free motion
};

void hn_newton_law_layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  const hn_coordinates *c = sys->coordinates;
  // joints that share points tell nothing
  if (c->hides_reactions && c->hides_reactions(sys)) return;
  struct hn_newton_law *b = HN_TAKE(arena, struct hn_newton_law, 1), place = {0};
  place.left = HN_TAKE(arena, double, sys->bv);
  place.size = HN_TAKE(arena, double, sys->bodies);
  place.turn = HN_TAKE(arena, double, sys->bodies);
  place.found = HN_TAKE_NUMBERS(arena, hn_reaction, sys->joints);
  if (!arena->base) return;
  *b = place;
  sim->reaction.newton_law = b;
}

// a force on the velocities of a body in the plane counts for its size
static inline void weigh_flat(struct hn_newton_law *o, int body, const double f[3]) {
  o->size[body] = hn_greater(hn_greater(o->size[body], fabs(f[0])), fabs(f[1]));
  o->turn[body] = hn_greater(o->turn[body], fabs(f[2]));
}

// the same for any body
static void weigh(hn_sim *sim, int body, const double *f) {
  const hn_sys_body *b = &sim->sys->body[body];
  double *size = &sim->reaction.newton_law->size[body];
  double *turn = &sim->reaction.newton_law->turn[body];
  int linear = hn_body_linear(b);
  if (b->kind == HN_PLANAR) {
    weigh_flat(sim->reaction.newton_law, body, f);
    return;
  }
  for (int i = 0; i < linear; i++) *size = hn_greater(*size, fabs(f[i]));
  for (int i = linear; i < b->nv; i++) *turn = hn_greater(*turn, fabs(f[i]));
}

static void take_from_space(hn_sim *sim, int body, double sign, const double F[3],
                            const double T[3], const double point[3]) {
  const hn_sys_body *b = &sim->sys->body[body];
  double *left = sim->reaction.newton_law->left + b->v0;
  double p[3], R[9], arm[3], moment[3], f[6];
  hn_body_place(&sim->stage.work, body, p, R);
  v3_sub(arm, point, p);
  v3_cross(moment, arm, F);
  v3_add(moment, moment, T);
  hn_wrench_to_body(b, R, F, moment, f);
  weigh(sim, body, f);
  for (int i = 0; i < b->nv; i++) left[i] -= sign * f[i];
}

// sign 1 on b, -1 on a: reactions are told as what a does to b
static inline void take_away(hn_sim *sim, int body, double sign, const double F[3],
                             const double T[3], const double point[3]) {
  const hn_sys_body *b = &sim->sys->body[body];
  if (b->nv == 0 || b->kind == HN_SCALAR) return;
  if (b->kind != HN_PLANAR) {
    take_from_space(sim, body, sign, F, T, point);
    return;
  }
  struct hn_newton_law *o = sim->reaction.newton_law;
  const double *x = sim->stage.work.q + b->q0;
  double f[3] = {F[0], F[1], (point[0] - x[0]) * F[1] - (point[1] - x[1]) * F[0] + T[2]};
  double *left = o->left + b->v0;
  weigh_flat(o, body, f);
  left[0] -= sign * f[0], left[1] -= sign * f[1], left[2] -= sign * f[2];
}

// M a of the bodies, with gyroscopic moments where work.f does not have them; false: masses are
// those of the bodies, constant and diagonal
static bool inertia(hn_sim *sim, double *x) {
  const hn_system *sys = sim->sys;
  // families of coordinates in which a is not what bodies have know the way back
  if (sys->coordinates->inertia)
    sys->coordinates->inertia(&sim->stage.work, sim->stage.a, x);
  else if (sys->flexibles || sys->spreads)
    hn_mass_mul(&sim->stage.work, sim->stage.a, x);
  else
    return false;
  return true;
}

static inline double mass_of(const hn_sys_body *b, int k, int linear) {
  return k < linear ? b->mass : b->inertia[b->kind == HN_PLANAR ? 2 : k - linear];
}

// what it takes to turn a body's motion round within the model: below a part of that nothing is at
// stake, and gyroscopic moments are of this size
static double force_of_motion(const hn_sim *sim, int body) {
  const hn_sys_body *b = &sim->sys->body[body];
  const double *v = sim->stage.work.v + b->v0, length = sim->sys->length;
  double energy = 0;
  int linear = hn_body_linear(b);
  for (int k = 0; k < b->nv; k++) {
    double m = b->shared ? sim->sys->mass[b->v0 + k] : mass_of(b, k, linear);
    energy += m * v[k] * v[k];
  }
  return energy / length;
}

// the forces that joints put on a body: those known already, or else M a - f. They and what is
// applied are what the balance is measured by
static inline void start_body(hn_sim *sim, int i, bool known) {
  const hn_sys_body *b = &sim->sys->body[i];
  const double *a = sim->stage.a + b->v0, *f = sim->stage.work.f + b->v0;
  double *left = sim->reaction.newton_law->left + b->v0;
  int linear = hn_body_linear(b);
  for (int k = 0; !known && k < b->nv; k++) left[k] = mass_of(b, k, linear) * a[k] - f[k];
  weigh(sim, i, left);
  weigh(sim, i, f);
  double *size = &sim->reaction.newton_law->size[i];
  *size = hn_greater(*size, force_of_motion(sim, i));
}

// the same of a body in the plane with a mass of its own, without loops: most bodies are such
static inline void start_flat(hn_sim *sim, int i, bool known) {
  struct hn_newton_law *o = sim->reaction.newton_law;
  const hn_sys_body *b = &sim->sys->body[i];
  const double *a = sim->stage.a + b->v0, *v = sim->stage.work.v + b->v0;
  const double *f = sim->stage.work.f + b->v0;
  double m = b->mass, turn = b->inertia[2], *left = o->left + b->v0;
  double size = (m * v[0] * v[0] + m * v[1] * v[1] + turn * v[2] * v[2]) / sim->sys->length;
  double x = known ? left[0] : m * a[0] - f[0], y = known ? left[1] : m * a[1] - f[1];
  double z = known ? left[2] : turn * a[2] - f[2];
  left[0] = x, left[1] = y, left[2] = z;
  // what is no number is passed over, as in weigh()
  double most = hn_greater(hn_greater(0, fabs(x)), fabs(y));
  most = hn_greater(hn_greater(most, fabs(f[0])), fabs(f[1]));
  o->size[i] = hn_greater(most, size);
  o->turn[i] = hn_greater(hn_greater(0, fabs(z)), fabs(f[2]));
}

void hn_newton_law_start(hn_sim *sim, bool with_acceleration) {
  struct hn_newton_law *o = sim->reaction.newton_law;
  const hn_system *sys = sim->sys;
  const hn_coordinates *c = sys->coordinates;
  if (!o) return;
  memset(o->size, 0, (size_t)sys->bodies * sizeof(double));
  memset(o->turn, 0, (size_t)sys->bodies * sizeof(double));
  memset(o->left, 0, (size_t)sys->bv * sizeof(double));
  // steps' own accelerations are not those of the joint coordinates here
  o->told = with_acceleration || !c->body_forces;
  o->idle = with_acceleration;
  if (!o->told) return;
  bool known = true;
  if (!with_acceleration) {
    hn_eval_reactions(&sim->stage.work, sim->stage.a);
    hn_jacobian_body_tmul(&sim->stage.work, sim->stage.work.lambda, 1, o->left);
  } else if (c->body_forces) {
    c->body_forces(&sim->stage.work, sim->stage.a, o->left);
  } else {
    known = inertia(sim, o->left);
    for (int i = 0; known && i < sys->bv; i++) o->left[i] -= sim->stage.work.f[i];
  }
  for (int i = 1; i < sys->bodies; i++)
    if (sys->body[i].kind == HN_PLANAR && sys->body[i].nv && !sys->body[i].shared)
      start_flat(sim, i, known);
    else
      start_body(sim, i, known);
}

// rows of blocks act as they are
static void blocks(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  for (int k = 0; k < sys->blocks; k++) {
    if (sys->block[k].group < 0) continue;
    const hn_group *g = &sys->group[sys->block[k].group];
    for (int i = g->first; i < g->first + g->bodies; i++) {
      const hn_sys_body *b = &sys->body[sys->group_body[i]];
      const double *J = sim->stage.work.J + sys->block_offset[i];
      for (int r = 0; r < g->rows; r++, J += b->nv)
        for (int c = 0; c < b->nv; c++)
          sim->reaction.newton_law->left[b->v0 + c] -= J[c] * sim->stage.work.lambda[g->row0 + r];
    }
  }
}

static void joint(hn_sim *sim, int j) {
  const hn_sys_joint *of = &sim->sys->joint[j];
  if (of->coupler) {
    hn_action action[2];
    int count = hn_actions_of(&sim->reaction.told, j, action);
    for (int i = 0; i < count; i++) {
      const hn_action *x = &action[i];
      take_away(sim, x->on, 1, x->force, x->torque, x->point);
      take_away(sim, x->from, -1, x->force, x->torque, x->point);
    }
    return;
  }
  if (!hn_joint_is_placed(of)) return;
  hn_reaction *r = &sim->reaction.newton_law->found[j];
  hn_reaction_on_body(&sim->reaction.told, j, r);
  take_away(sim, of->b.body, 1, r->force, r->torque, r->point);
  take_away(sim, of->a.body, -1, r->force, r->torque, r->point);
  bool own = sim->reaction.told.work == &sim->stage.work;
  // tree joints have no row whose reaction could be missed: what acts along their free motion
  // counts instead
  const hn_sys_body *body = &sim->sys->body[of->b.body ? of->b.body : of->a.body];
  if (own && of->group < 0 && sim->reaction.newton_law->idle)
    sim->reaction.newton_law->left[body->v0] += sim->sys->coordinates->idle(&sim->stage.work, j);
}

// what reactions may leave uncarried where joints are open: a violation gives self-stresses a lever
// (compile/sharing.c), and teeth another one than their row; and the round-off of reactions next to
// a singular place, which grows with the square of the smallest singular value's inverse
static double feigned(const hn_sim *sim, double t) {
  const hn_system *sys = sim->sys;
  double most[2] = {0, 0};  // of lengths and of angles
  for (int i = 0; i < sys->rows; i++) {
    double open = sys->holonomic[i] ? fabs(sim->stage.work.phi[i]) : 0;
    most[sys->angular_row[i]] = hn_greater(most[sys->angular_row[i]], open);
  }
  double worst = hn_greater(most[1], most[0] / sys->length);
  double sigma = sim->watch.seen_t == t ? sim->watch.seen_value : 1;
  return 10 * worst + (sys->rows ? round_off / fmax(sigma * sigma, round_off) : 0);
}

void hn_newton_law_check(hn_sim *sim, double t) {
  struct hn_newton_law *o = sim->reaction.newton_law;
  const hn_system *sys = sim->sys;
  double most = 0, worst = 0, allowed = 0;
  int where = -1;
  if (!o || !o->told) return;
  allowed = feigned(sim, t);
  blocks(sim);
  sim->reaction.told.found = NULL;
  for (int j = 0; j < sys->joints; j++) joint(sim, j);
  // whoever reads reactions here next finds them
  sim->reaction.told.found = o->found;
  sim->reaction.told.found_at = sim->reaction.told.work->stamp;
  for (int i = 1; i < sys->bodies; i++) {
    o->size[i] = hn_greater(o->size[i], o->turn[i] / sys->length);
    most = hn_greater(most, o->size[i]);
  }
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    if (b->kind == HN_SCALAR) continue;
    int linear = hn_body_linear(b);
    double scale = o->size[i] + least * most, next_to_nothing = noise * most;
    for (int k = 0; k < b->nv; k++) {
      double part = fabs(o->left[b->v0 + k]);
      if (k >= linear) part /= sys->length;
      if (part <= next_to_nothing) continue;
      double x = scale > 0 ? part / scale : part;
      if (x <= allowed) continue;
      if (!(x <= worst) && !isnan(worst)) worst = x, where = i;  // a NaN is kept
    }
  }
  hn_audit *audit = &sim->audit.item[HN_AUDIT_FORCES];
  double before = audit->worst;
  hn_audit_note(sim, HN_AUDIT_FORCES, worst, t, -1);
  if (audit->worst != before && where >= 0) audit->body = where;
}
