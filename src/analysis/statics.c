// statics.c: states of rest in which all forces balance.
//
// At rest the accelerations a that the released mechanism would have measure what is unbalanced:
// g = Z^T M a in the free directions Z (Z^T M Z = 1). With the stiffness K = -dg/dz, geometric part
// of the multipliers included (linearise.c), a step is
//   rest     z = sum_i (e_i . g) / (|k_i| + 1/delta) e_i  over eigenpairs (k_i, e_i) of K
//   nearest  z = K^-1 g
// The first is pseudo-transient continuation: for small delta it follows the forces, as overdamped
// motion would, for large delta it is Newton's method; |k_i| instead of k_i keeps it from climbing
// to unstable states. delta grows as the residual falls (switched evolution relaxation). A step is
// limited in length, pulled back onto the constraints, and taken when the next one would be shorter
// (Deuflhard's natural test) or, when relaxing, when the forces did work along it.
// C. T. Kelley, D. E. Keyes, Convergence analysis of pseudo-transient continuation, SIAM J. Numer.
// Anal. 35 (1998).
#include "analysis/balance.h"
#include "analysis/sides.h"
#include "base/elementary.h"
#include "linalg/dense.h"
#include "record/result.h"
#include "sim/contact.h"

#include <stdlib.h>
#include <string.h>

// relaxing over a long way takes hundreds of steps, Newton's end a handful
enum { ITERATIONS = 1000 };
static const double longest_step = 0.3;  // of the model's length, or radians
static const double converged = 1e-10;   // acceleration relative to those of the forces

// memory of one search, laid out in one arena; lengths are nv unless said otherwise
typedef struct search {
  hn_sim *sim;
  hn_manifold *m;
  const hn_system *sys;
  hn_statics_goal goal;
  double t;
  double *q, *still;         // current positions; no velocity
  double *trial;             // positions tried
  double *a, *a_trial;       // accelerations at q and there
  double *step, *next;       // displacement, and the one that would follow
  double *U;                 // basis of the free directions, vector after vector
  double *g, *z;             // free components
  double *K, *sym;           // stiffness and its symmetric part
  double *values, *vectors;  // eigenvalues of the latter
  double residual, scale, delta;
  bool *held;  // rows that come and go which were there at the start
} search;

static void layout(search *s, hn_arena *arena) {
  size_t nv = (size_t)s->sys->nv, square = nv * nv;
  s->q = HN_TAKE(arena, double, s->sys->nq);
  s->trial = HN_TAKE(arena, double, s->sys->nq);
  s->still = HN_TAKE(arena, double, nv);
  s->a = HN_TAKE(arena, double, nv);
  s->a_trial = HN_TAKE(arena, double, nv);
  s->step = HN_TAKE(arena, double, nv);
  s->next = HN_TAKE(arena, double, nv);
  s->U = HN_TAKE(arena, double, square);
  s->g = HN_TAKE(arena, double, nv);
  s->z = HN_TAKE(arena, double, nv);
  s->values = HN_TAKE(arena, double, nv);
  s->vectors = HN_TAKE(arena, double, square);
  s->K = HN_TAKE(arena, double, square);
  s->sym = HN_TAKE(arena, double, square);
  s->held = HN_TAKE(arena, bool, s->sys->unilaterals);
}

// eigenvalues and vectors of the symmetric part of s->K
// only the symmetric part has an energy, which is what relaxing follows
static bool decompose(search *s, int dof) {
  size_t n = (size_t)dof;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++) s->sym[i * n + k] = 0.5 * (s->K[i * n + k] + s->K[k * n + i]);
  return hn_dense_symmetric_eigen(dof, s->sym, s->values, s->vectors);
}

// z = sum (e . g) / (|k| + 1 / delta) e
static void relax(search *s, int dof, const double *g) {
  size_t n = (size_t)dof;
  memset(s->z, 0, n * sizeof(double));
  for (size_t k = 0; k < n; k++) {
    const double *e = s->vectors + k * n;
    double along = 0;
    for (size_t i = 0; i < n; i++) along += e[i] * g[i];
    double held = fabs(s->values[k]) + 1 / s->delta;
    for (size_t i = 0; i < n; i++) s->z[i] += along / held * e[i];
  }
}

// displacement that answers g: Newton's or the relaxed one
// least squares: an indifferent direction is a zero row of K, along which nothing is asked for
static bool answer(search *s, int dof, bool by_newton, const double *g, double *d) {
  if (!by_newton)
    relax(s, dof, g);
  else if (!hn_dense_lstsq(dof, dof, s->K, g, 1e-12, s->z, NULL))
    return false;
  hn_free_whole(s->sys, s->U, dof, s->z, d);
  return true;
}

// tries the step s->step, shorter and shorter; *moved is false when none is good. A step is good
// when the next answer would be smaller (stiff and soft directions count alike), or, for relaxed
// steps, when the forces did work along it
// `wanted`: size of the whole step, before it was limited
static hn_status advance(search *s, int dof, bool by_newton, double wanted, bool *moved) {
  const hn_system *sys = s->sys;
  double size = wanted;
  *moved = false;
  if (size > longest_step) {
    // held back before it is tried: joints may not close again after more
    for (int i = 0; i < sys->nv; i++) s->step[i] *= longest_step / size;
    size = longest_step;
  }
  // joints that cannot be closed and forces that are not finite only make the step shorter
  for (int halving = 0; halving < 40 && !*moved && size > 1e-17; halving++, size *= 0.5) {
    double residual = 0, scale = 0, work = 0;
    memcpy(s->trial, s->q, (size_t)sys->nq * sizeof(double));
    hn_retract(sys, s->trial, s->step);
    hn_status status = hn_manifold_close(s->m, s->t, s->trial);
    if (!status)
      status = hn_unbalanced(s->m, s->t, s->trial, s->still, s->a_trial, &residual, &scale);
    if (status == HN_ERR_MEMORY) return status;
    if (!status) {
      const double *way = hn_times_mass(s->m, s->step);
      // twice the work of the mean of both ends
      for (int i = 0; i < sys->nv; i++) work += way[i] * (s->a[i] + s->a_trial[i]);
      hn_free_part(s->m, s->U, dof, s->a_trial, s->g);
      if (!answer(s, dof, by_newton, s->g, s->next))
        return hn_sim_fail(s->sim, HN_ERR_MEMORY, "out of memory");
      double next = hn_displacement_size(sys, s->next);
      *moved = next < wanted || (!by_newton && work > 0);
    }
    if (*moved) {
      // the pseudo time step follows the residual
      if (halving == 0) s->delta *= fmin(fmax(s->residual / fmax(residual, 1e-300), 2), 100);
      memcpy(s->q, s->trial, (size_t)sys->nq * sizeof(double));
      memcpy(s->a, s->a_trial, (size_t)sys->nv * sizeof(double));
      s->residual = residual, s->scale = scale;
      hn_eval_position(&s->sim->stage.work, s->t, s->q);
      hn_accept_turns(&s->sim->stage.work, false);
    } else {
      s->delta *= 0.5;
      for (int i = 0; i < sys->nv; i++) s->step[i] *= 0.5;
    }
  }
  return HN_OK;
}

// one step; *done when there is nothing left to gain
// `still` as statics wants it: drivers stand, states follow by work.rule
static hn_status iterate(search *s, bool *done) {
  const hn_system *sys = s->sys;
  hn_linear *l;
  hn_status status = hn_linearise_at(s->m, s->t, s->q, s->still, true, &l);
  if (status) return status;
  int dof = l->m;
  hn_free_stiffness(l, s->K);
  hn_free_basis(l, s->U);
  hn_linear_destroy(l);
  double stiffest = hn_largest(s->K, (size_t)dof * (size_t)dof);
  hn_free_part(s->m, s->U, dof, s->a, s->g);
  // the first step is no longer than the model
  if (!(s->delta > 0)) s->delta = sys->length / fmax(s->residual, 1e-300);
  bool by_newton = s->goal == HN_NEAREST, moved = false;
  bool ok = decompose(s, dof) && answer(s, dof, by_newton, s->g, s->step);
  double size = hn_displacement_size(sys, s->step);
  // close to a stable state the whole stiffness is used, also its skew part
  if (ok && !by_newton && dof > 0 && s->values[0] > 0 && size < 0.1) {
    by_newton = true;
    ok = answer(s, dof, true, s->g, s->step);
    size = hn_displacement_size(sys, s->step);
  }
  if (!ok) return hn_sim_fail(s->sim, HN_ERR_MEMORY, "out of memory");
  // an unstable state found is not left on account of round-off
  *done = !by_newton && s->residual <= 1e-12 * fmax(s->scale, stiffest * sys->length);
  if (*done) return HN_OK;
  status = advance(s, dof, by_newton, size, &moved);
  *done = !moved || size < 1e-15;
  return status;
}

// names the body that is furthest from rest, which is the one to look at
static hn_status cannot(search *s) {
  const hn_system *sys = s->sys;
  int worst = 0;
  double most = -1;
  for (int i = 1; i < sys->bodies; i++)
    for (int k = 0; k < sys->body[i].nv; k++) {
      int c = sys->body[i].v0 + k;
      double a = fabs(s->a[c]) * (sys->angular_v[c] ? sys->length : 1);
      if (a > most) most = a, worst = i;
    }
  return hn_sim_fail(s->sim, HN_ERR_DIVERGED,
                     "no equilibrium was found: body '%s' still wants to accelerate (%.3g of the "
                     "forces in play; is there anything that holds it?)",
                     sys->body[worst].info->name, s->residual / fmax(s->scale, 1e-300));
}

// ---- stability -----------------------------------------------------------------------------

// forces without potential can make a mechanism flutter: the motion itself decides
// 1e-7 of the fastest: eigenvalues that belong to a double zero are split by the root of round-off
static hn_status judge_motion(search *s, const hn_linear *l, double stiffest,
                              hn_equilibrium *info) {
  hn_modes *modes;
  hn_status status = hn_modes_create(&modes, l);
  if (status) return hn_sim_fail(s->sim, status, "the eigenvalues could not be computed");
  double small = 1e-7 * sqrt(stiffest);
  info->stability = HN_STABLE;
  for (int i = 0; i < modes->count; i++) {
    const hn_mode *mode = &modes->mode[i];
    if (mode->re > small) info->stability = HN_UNSTABLE;
    if (hn_hypot(mode->re, mode->im) <= small && info->stability == HN_STABLE)
      info->stability = HN_INDIFFERENT;
  }
  hn_modes_destroy(modes);
  return HN_OK;
}

// states of first order do not follow at once: the eigenvalues with them decide
// the rule is put back: the search goes on with states that follow
static hn_status judge_states(search *s, double stiffest, hn_equilibrium *info) {
  hn_work *work = &s->sim->stage.work;
  const hn_state_rule *rule = work->rule;
  hn_linear *l;
  work->rule = NULL;
  hn_status status = hn_linearise_at(s->m, s->t, s->q, s->still, true, &l);
  work->rule = rule;
  if (!status) status = judge_motion(s, l, stiffest, info);
  hn_linear_destroy(l);
  return status;
}

// on the side on which the forces are held, if they are
// Lagrange and Dirichlet: where forces have a potential, an equilibrium is stable where K is
// positive. Circulatory parts (a skew K) and states of first order are beyond that; there
// eigenvalues decide.
static hn_status judge_side(search *s, hn_equilibrium *info) {
  hn_linear *l;
  hn_status status = hn_linearise_at(s->m, s->t, s->q, s->still, true, &l);
  if (status) return status;
  size_t n = (size_t)l->m;
  hn_free_stiffness(l, s->K);
  double size, scale, skew = 0;
  status = hn_unbalanced(s->m, s->t, s->q, s->still, s->a_trial, &size, &scale);
  if (status) {
    hn_linear_destroy(l);
    return status;
  }
  // where nothing holds or pushes, all of K is round-off: of forces, over the size of the mechanism
  double stiffest = fmax(hn_largest(s->K, n * n), scale / s->sys->length);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < i; k++) skew = fmax(skew, fabs(s->K[i * n + k] - s->K[k * n + i]));
  info->dof = l->m;
  info->unstable = info->indifferent = 0;
  info->circulatory = skew > 1e-9 * stiffest;
  if (!decompose(s, l->m)) status = hn_sim_fail(s->sim, HN_ERR_MEMORY, "out of memory");
  for (size_t k = 0; !status && k < n; k++) {
    if (fabs(s->values[k]) <= 1e-9 * stiffest)
      info->indifferent++;
    else if (s->values[k] < 0)
      info->unstable++;
  }
  info->softest = n ? s->values[0] : 0;
  info->stability = info->unstable ? HN_UNSTABLE : info->indifferent ? HN_INDIFFERENT : HN_STABLE;
  hn_free_basis(l, s->U);
  if (!status && s->sys->states)
    status = judge_states(s, stiffest, info);
  else if (!status && info->circulatory && l->n == l->m)
    status = judge_motion(s, l, stiffest, info);
  hn_linear_destroy(l);
  return status;
}

// Forces that switch here are looked at on each of their sides. A direction that is pushed away
// decides when it leads to that very side; a force that jumps pushes along the way there or against
// it.
static bool leads_there(search *s, const hn_sides *sides, int side, int dof) {
  for (int k = 0; k < dof && s->values[k] < 0; k++)
    for (int sign = -1; sign < 2; sign += 2) {
      memset(s->step, 0, (size_t)s->sys->nv * sizeof(double));
      for (int j = 0; j < dof; j++)
        for (int i = 0; i < s->sys->nv; i++)
          s->step[i] += sign * s->vectors[(size_t)k * (size_t)dof + (size_t)j] *
                        s->U[(size_t)j * (size_t)s->sys->nv + (size_t)i];
      if (hn_sides_towards(sides, s->m, s->t, s->q, s->still, s->step) == side) return true;
    }
  return false;
}

// what a force that jumps does along the way to a side: above 0 it pushes on, relative
// relative to what the forces in play would do along a way of the model's length
static hn_status push(search *s, const double *way, double *along) {
  double size, scale, work = 0, most = 0;
  hn_status status = hn_unbalanced(s->m, s->t, s->q, s->still, s->a_trial, &size, &scale);
  if (status) return status;
  const double *force = hn_times_mass(s->m, s->a_trial);
  for (int i = 0; i < s->sys->nv; i++) {
    double length = s->sys->angular_v[i] ? s->sys->length : 1;
    work += force[i] * way[i];
    most = fmax(most, s->sys->mass[i] * length * length);
  }
  *along = work / fmax(most * fmax(scale, s->scale) / s->sys->length, 1e-300);
  return HN_OK;
}

// `sure`: some side is left for good. `open`: it is pushed away in a direction that does not lead
// there, so that other sides would have to be followed, which a linearisation cannot
static hn_status judge_sides(search *s, const hn_sides *sides, hn_equilibrium *info) {
  const hn_system *sys = s->sys;
  hn_work *w = &s->sim->stage.work;
  bool sure = false, open = false;
  hn_stability worst = HN_STABLE;
  hn_status status = HN_OK;
  for (int k = 0; k < sides->count && !status; k++) {
    hn_equilibrium here = {0};
    double along = 0;
    w->side = sides->pattern + (size_t)k * (size_t)sys->switches;
    status = judge_side(s, &here);
    if (!status) status = push(s, sides->way + (size_t)k * (size_t)sys->nv, &along);
    w->side = NULL;
    if (status) break;
    bool jumps = fabs(along) > 1e-9;
    info->jump |= jumps;
    // a jump decides before any stiffness does; in several directions one way is not all
    if (jumps) here.stability = along > 0 ? HN_UNSTABLE : HN_STABLE;
    if (here.stability == HN_UNSTABLE) {
      bool there = jumps || here.circulatory || leads_there(s, sides, k, here.dof);
      sure |= there, open |= !there;
    }
    open |= jumps && along < 0 && here.dof > 1;
    info->sides_differ |= k > 0 && here.stability != worst;
    if (k == 0 || here.stability > worst) worst = here.stability;
    if (k == 0 || here.softest < info->softest) {
      info->softest = here.softest;
      info->unstable = here.unstable, info->indifferent = here.indifferent;
      info->circulatory = here.circulatory;
    }
  }
  info->stability = sure ? HN_UNSTABLE : open ? HN_UNDECIDED : worst;
  return status;
}

static hn_status judge(search *s, hn_equilibrium *info) {
  hn_sides sides;
  info->rows_lost = hn_rows_lost(s->m, s->t, s->q);
  hn_status status = judge_side(s, info);
  if (status) return status;
  if (!hn_sides_find(&sides, s->m, s->t, s->q, s->still, s->U, info->dof, false))
    return hn_sim_fail(s->sim, HN_ERR_MEMORY, "out of memory");
  info->sides = sides.count;
  if (sides.count > 1) status = judge_sides(s, &sides, info);
  hn_sides_release(&sides);
  // where joints lose rows, free directions are not all those of motions
  if (info->rows_lost) info->stability = HN_UNDECIDED;
  return status;
}

// Rows that come and go were held both ways on the way. The run has begun anew where it led to, and
// found there which of them press
static hn_status check_held(const search *s) {
  const hn_system *sys = s->sys;
  for (int i = 0; i < sys->unilaterals; i++) {
    const hn_unilateral *u = &sys->unilateral[i];
    if (!s->held[i] || u->hold || u->gate || s->sim->contacts->on[i]) continue;
    return hn_sim_fail(
        s->sim, HN_ERR_DIVERGED,
        "the equilibrium that was found needs '%s' to pull, which only pushes (a "
        "rope: the other way round): there is none in which it holds. Begin where it "
        "is open",
        sys->joint[sys->row_joint[u->row]].name);
  }
  return HN_OK;
}

// one row with the reactions of the equilibrium
// velocities, work and sums are zero in a state of rest
static hn_status report(search *s, hn_result **out) {
  hn_sim *sim = s->sim;
  *out = hn_record_create(sim, 1);
  if (!*out) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  memcpy(sim->step.y_stage, s->q, (size_t)s->sys->nq * sizeof(double));
  for (int i = s->sys->nq; i < sim->state.n; i++) sim->step.y_stage[i] = 0;
  memcpy(sim->step.y_stage + sim->state.x, sim->stage.work.state,
         (size_t)s->sys->states * sizeof(double));
  return hn_record_row(sim, *out, s->t, sim->step.y_stage, false);
}

// Near places where joints lose rows multipliers are poorly determined, and accelerations have
// errors along the rows, where nothing can move: what counts is the part in the free directions.
// And forces that nearly cancel leave round-off of the size of the stiffness
static hn_status judge_anew(search *s) {
  const hn_system *sys = s->sys;
  hn_linear *l;
  hn_status status = hn_linearise_at(s->m, s->t, s->q, s->still, true, &l);
  if (status) return status;
  double stiffest = hn_largest(l->K, (size_t)l->n * (size_t)l->m), residual = 0;
  hn_free_basis(l, s->U);
  hn_free_part(s->m, s->U, l->m, s->a, s->g);
  hn_free_whole(sys, s->U, l->m, s->g, s->next);
  hn_linear_destroy(l);
  for (int i = 0; i < sys->nv; i++)
    residual = fmax(residual, fabs(s->next[i]) * (sys->angular_v[i] ? sys->length : 1));
  s->residual = residual;
  s->scale = fmax(s->scale, stiffest * sys->length);
  return HN_OK;
}

// Largest change of a coordinate [m, rad]. Orientations of spatial bodies are quaternions, whose
// components are no angles (and of which q and -q are one): the angle of the turn between them
// counts
static double largest_move(const hn_system *sys, const double *from, const double *to) {
  double most = 0;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    const double *p = from + b->q0, *q = to + b->q0;
    bool turns = b->kind == HN_SPATIAL;
    for (int k = 0; k < (turns ? 3 : b->nq); k++) most = fmax(most, fabs(q[k] - p[k]));
    if (!turns) continue;
    const double back[4] = {p[3], -p[4], -p[5], -p[6]};
    double between[4];
    q_mul(between, back, q + 3);
    most = fmax(most, 2 * hn_atan2(v3_norm(between + 1), fabs(between[0])));
  }
  return most;
}

// The sim is touched only at the end, when everything is known: a failure leaves it where it was.
static hn_status solve(search *s, hn_equilibrium *info, hn_result **out) {
  hn_sim *sim = s->sim;
  const hn_system *sys = s->sys;
  memcpy(s->q, sim->state.y, (size_t)sys->nq * sizeof(double));
  hn_status status = hn_manifold_close(s->m, s->t, s->q);
  if (!status) status = hn_unbalanced(s->m, s->t, s->q, s->still, s->a, &s->residual, &s->scale);
  bool done = status != HN_OK;
  for (; !done && !status && info->iterations < ITERATIONS; info->iterations++)
    status = iterate(s, &done);
  if (status) return status;
  if (!(s->residual <= converged * fmax(s->scale, 1e-300))) {
    status = judge_anew(s);
    if (status) return status;
    if (!(s->residual <= converged * s->scale)) return cannot(s);
  }
  info->residual = s->scale > 0 ? s->residual / s->scale : 0;
  info->moved = largest_move(sys, sim->state.y, s->q);
  status = judge(s, info);
  if (!status) status = hn_manifold_accelerate(s->m, s->t, s->q, s->still, true);
  if (status) return status;
  info->sharing = hn_manifold_share(s->m, sim->stage.work.lambda);
  memset(sim->stage.a, 0, (size_t)sys->nv * sizeof(double));
  if (out) status = report(s, out);
  sim->stage.work.rule = NULL;
  if (!status) status = hn_start_from(sim, s->t, s->q, s->still, sim->stage.work.state);
  if (!status) status = check_held(s);
  if (!status || !out) return status;
  hn_result_destroy(*out);
  *out = NULL;
  return status;
}

// rule keep x = constant + rate x' with keep = constant = 0: states are where their rates are zero
static hn_status settle(hn_sim *sim, hn_statics_goal goal, hn_equilibrium *info, hn_result **out) {
  search s = {.sim = sim, .sys = sim->sys, .goal = goal, .t = sim->state.t};
  hn_status status = hn_refuse_programs(sim, "statics");
  if (!status) status = hn_manifold_create_general(&s.m, sim);
  if (status) return status;
  hn_arena arena = {0};
  layout(&s, &arena);
  if (hn_arena_allocate(&arena)) {
    layout(&s, &arena);
    const hn_state_rule rest = {.rate = 1};
    hn_give_states(&sim->stage.work, sim->state.y + sim->state.x);
    sim->stage.work.rule = sim->sys->states ? &rest : NULL;
    for (int i = 0; i < sim->sys->unilaterals; i++) s.held[i] = sim->contacts->on[i];
    status = solve(&s, info, out);
    sim->stage.work.rule = NULL;
  } else {
    status = hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  }
  free(arena.base);
  hn_manifold_destroy(s.m);
  return status;
}

// with beam_check the same question is put to a model of twice as many elements, and the two
// answers are compared
hn_status hn_statics(hn_sim *sim, hn_statics_goal goal, hn_equilibrium *info, hn_result **out) {
  hn_equilibrium scratch;
  bool checked = out && hn_beam_check_wanted(sim) && hn_beam_check_fresh(sim);
  if (!info) info = &scratch;
  memset(info, 0, sizeof *info);
  info->sharing = "";
  if (out) *out = NULL;
  hn_status status = settle(sim, goal, info, out);
  hn_sim *other = checked && !status ? hn_beam_check_other(sim) : NULL;
  hn_result *rows = NULL;
  if (other && !hn_statics(other, goal, NULL, &rows))
    hn_beam_compare(sim, *out, rows, info->moved, true);
  hn_result_destroy(rows);
  hn_sim_destroy(other);
  return status;
}

const char *hn_statics_holds(hn_sim *sim, double *rate, const char **unit) {
  const hn_system *sys = sim->sys;
  const double *y = sim->state.y;
  const char *name = NULL;
  double most = 0, moves = 0;
  bool angular = false;
  hn_look(sim);
  hn_eval_jacobian(&sim->stage.work, sim->state.t, y, y + sys->nq);
  // a row is the coordinate less its motion: what it changes by in time is the motion's rate, less
  for (int i = 0; i < sys->rows; i++) {
    double own = -sim->stage.work.phi_t[i];
    double size = fabs(own) / (sys->angular_row[i] ? 1 : sys->length);
    if (!(size > most)) continue;
    most = size, moves = own;
    angular = sys->angular_row[i];
    name = sys->joint[sys->row_joint[i]].name;
  }
  if (rate) *rate = moves;
  if (unit) *unit = angular ? "rad/s" : "m/s";
  return name;
}
