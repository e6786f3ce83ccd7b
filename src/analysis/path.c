// path.c: states of rest as a load grows, around limit points and onto buckled branches.
//
// The load is the time t in the model's formulas. In the free directions z (statics.c) equilibria
// g(z, t) = 0 form a curve; with K = -dg/dz and g_t its unit tangent (z', t') solves
//
//   ( K    -g_t ) (z')   (0)
//   ( z'^T  t'  ) (t') = (1)       (bordered by the tangent of the point before)
//
// which is regular where K alone is not. A step goes along the tangent, and Newton's method with
// the same matrix brings it back across to the curve. Lengths along the curve count displacements,
// as the root of their mean square over the mass in units of the model's extent, and t in units of
// its whole way. The step follows the number of iterations and the bend of the curve.
//
// Where an eigenvalue k of the symmetric part of K changes its sign, the point is looked for along
// the step by the secant rule. With the eigenvector e it is a limit point when e . g_t is not zero:
// t turns back. Otherwise another branch crosses there, which leaves along e: the structure
// buckles.
// E. Riks, An incremental approach to the solution of snapping and buckling problems, Int. J.
// Solids Structures 15 (1979); H. B. Keller, Numerical solution of bifurcation and nonlinear
// eigenvalue problems (1977).
#include "analysis/balance.h"
#include "base/vec.h"
#include "linalg/dense.h"
#include "record/result.h"

#include <stdlib.h>
#include <string.h>

// a corrector that needs more has left the curve: a shorter step is cheaper
enum { ITERATIONS = 12, MOST_STEPS = 5000 };
static const double longest = 0.5;  // displacement of a step, of the model's extent or radians

// a point of the curve and how the curve goes on there
typedef struct place {
  double *q, t;
  double *d, dt;      // unit tangent: displacement (nv) and change of t
  double eigenvalue;  // number `looked_at` of the symmetric part of K
  int negative;       // how many are below zero
} place;

// laid out in one arena; arrays without a length have nv numbers
typedef struct path {
  hn_sim *sim;
  hn_manifold *m;
  const hn_system *sys;
  double from, until, mass;
  double extent;  // greatest distance of a body from their middle
  place here, next, best;
  double *still, *a, *near, *step;
  int dof;
  double *U, *K, *B, *g, *gt, *z, *border;  // at the position last looked at
  double *sym, *values, *vectors;
  int *swap;
  double residual, scale;
  double across;  // how far the last correction went
} path;

static void layout_place(place *p, const hn_system *sys, hn_arena *arena) {
  p->q = HN_TAKE(arena, double, sys->nq);
  p->d = HN_TAKE(arena, double, sys->nv);
}

static void layout(path *p, hn_arena *arena) {
  size_t nv = (size_t)p->sys->nv, square = nv * nv;
  layout_place(&p->here, p->sys, arena);
  layout_place(&p->next, p->sys, arena);
  layout_place(&p->best, p->sys, arena);
  p->still = HN_TAKE(arena, double, nv);
  p->a = HN_TAKE(arena, double, nv);
  p->near = HN_TAKE(arena, double, p->sys->nq);
  p->step = HN_TAKE(arena, double, nv);
  p->U = HN_TAKE(arena, double, square);
  p->K = HN_TAKE(arena, double, square);
  p->B = HN_TAKE(arena, double, (nv + 1) * (nv + 1));
  p->g = HN_TAKE(arena, double, nv);
  p->gt = HN_TAKE(arena, double, nv);
  p->z = HN_TAKE(arena, double, nv + 1);
  p->border = HN_TAKE(arena, double, nv);
  p->sym = HN_TAKE(arena, double, square);
  p->values = HN_TAKE(arena, double, nv);
  p->vectors = HN_TAKE(arena, double, square);
  p->swap = HN_TAKE(arena, int, nv + 1);
}

// arrays stay where they are: only what stands in them is copied
static void copy_place(const path *p, place *to, const place *from) {
  memcpy(to->q, from->q, (size_t)p->sys->nq * sizeof(double));
  memcpy(to->d, from->d, (size_t)p->sys->nv * sizeof(double));
  to->t = from->t, to->dt = from->dt;
  to->eigenvalue = from->eigenvalue, to->negative = from->negative;
}

// signed: a load may also be taken away
static double span(const path *p) {
  return p->until - p->from;
}

// largest translation in extents, or rotation
static double size_of(const path *p, const double *d) {
  double most = 0;
  for (int i = 0; i < p->sys->nv; i++) {
    double x = fabs(d[i]) / (p->sys->angular_v[i] ? 1 : p->extent);
    most = hn_worse(most, x);  // a NaN is kept
  }
  return most;
}

// inner product of two directions
// The norm of all lengths along the curve: mean square displacement over the mass, in extents, and
// t in units of the way. With it a step of 1 is about as long as the model, whatever its units.
static double product(const path *p, const double *d, double dt, const double *e, double et) {
  double sum = 0, length = p->extent;
  const double *f = hn_times_mass(p->m, e);
  for (int i = 0; i < p->sys->nv; i++) sum += d[i] * f[i];
  return sum / (p->mass * length * length) + dt * et / (span(p) * span(p));
}

// what changes with t: g at closed positions a little before and after
// Central differences by 1e-6 of the way: formulas of t are smooth there, or the path is not. Where
// drivers move with t the joints have to be closed again at either side.
static hn_status load_change(path *p, const place *at) {
  const double h = 1e-6 * span(p);
  double size, scale;
  memset(p->gt, 0, (size_t)p->dof * sizeof(double));
  for (int side = -1; side < 2; side += 2) {
    memcpy(p->near, at->q, (size_t)p->sys->nq * sizeof(double));
    hn_status status =
        p->sys->rheonomic ? hn_manifold_close(p->m, at->t + side * h, p->near) : HN_OK;
    if (!status)
      status = hn_unbalanced(p->m, at->t + side * h, p->near, p->still, p->step, &size, &scale);
    if (status) return status;
    hn_free_part(p->m, p->U, p->dof, p->step, p->z);
    for (int k = 0; k < p->dof; k++) p->gt[k] += side * p->z[k] / (2 * h);
  }
  return HN_OK;
}

// g, g_t, K and the basis at a position
// one linearisation and two evaluations: what an iteration costs
static hn_status look(path *p, const place *at) {
  hn_linear *l;
  hn_status status = hn_linearise_at(p->m, at->t, at->q, p->still, true, &l);
  if (status) return status;
  p->dof = l->m;
  hn_free_stiffness(l, p->K);
  hn_free_basis(l, p->U);
  hn_linear_destroy(l);
  status = load_change(p, at);
  if (!status) status = hn_unbalanced(p->m, at->t, at->q, p->still, p->a, &p->residual, &p->scale);
  if (!status) hn_free_part(p->m, p->U, p->dof, p->a, p->g);
  return status;
}

// (K, -g_t; border) x = (r; last), x in p->z; false where that is singular
// the border is scaled to the largest entry of K, for the pivots of the elimination
static bool solve(path *p, const double *r, double last, const double *d, double dt) {
  size_t n = (size_t)p->dof, size = n + 1;
  double length = p->extent, most = 0;
  hn_free_part(p->m, p->U, p->dof, d, p->border);
  double weight = 1 / (p->mass * length * length), time = dt / (span(p) * span(p));
  // the border in the size of the others
  double unit = 0;
  for (size_t i = 0; i < n * n; i++) most = fmax(most, fabs(p->K[i]));
  for (size_t k = 0; k < n; k++) unit = fmax(unit, fabs(weight * p->border[k]));
  unit = fmax(unit, fabs(time));
  // where nothing is free the border is all there is
  double factor = unit > 0 && most > 0 ? most / unit : 1;
  for (size_t i = 0; i < n; i++) {
    memcpy(p->B + i * size, p->K + i * n, n * sizeof(double));
    p->B[i * size + n] = -p->gt[i];
    p->B[n * size + i] = factor * weight * p->border[i];
    p->z[i] = r ? r[i] : 0;
  }
  p->B[n * size + n] = factor * time;
  p->z[n] = factor * last;
  if (!hn_dense_lu((int)size, p->B, p->swap)) return false;
  hn_dense_lu_solve((int)size, p->B, p->swap, p->z);
  return true;
}

// to the curve, across the direction (d, dt); with d = NULL at the t it has. *count: iterations
// Not done is no failure: the caller tries a shorter step. Only memory ends it all.
static hn_status correct(path *p, place *at, const double *d, double dt, bool *done, int *count) {
  double last = INFINITY;
  *done = false;
  p->across = 0;
  for (*count = 1; *count <= ITERATIONS; ++*count) {
    hn_status status = look(p, at);
    if (status) return status == HN_ERR_MEMORY ? status : HN_OK;
    // at a given t the border only says that t stays
    if (!solve(p, p->g, 0, d ? d : p->still, d ? dt : 1)) return HN_OK;
    hn_free_whole(p->sys, p->U, p->dof, p->z, p->step);
    double size = fmax(size_of(p, p->step), fabs(p->z[p->dof] / span(p)));
    // more than the model at once, or farther than before: no iteration of Newton's
    if (!isfinite(size) || size > 1 || (*count > 3 && size > 2 * last)) return HN_OK;
    p->across += sqrt(product(p, p->step, p->z[p->dof], p->step, p->z[p->dof]));
    hn_retract(p->sys, at->q, p->step);
    at->t += p->z[p->dof];
    status = hn_manifold_close(p->m, at->t, at->q);
    if (status) return status == HN_ERR_MEMORY ? status : HN_OK;
    hn_eval_position(&p->sim->stage.work, at->t, at->q);
    hn_accept_turns(&p->sim->stage.work, false);
    if (size < 1e-11 || (size < 1e-8 && size > 0.3 * last)) {
      *done = true;
      break;
    }
    last = size;
  }
  return HN_OK;
}

// eigenvalues of the symmetric part; number k is kept
// eigenvalues ascend: the number below zero is also the index of the first that is not
static bool judge(path *p, place *at, int k) {
  size_t n = (size_t)p->dof;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) p->sym[i * n + j] = 0.5 * (p->K[i * n + j] + p->K[j * n + i]);
  if (!hn_dense_symmetric_eigen(p->dof, p->sym, p->values, p->vectors)) return false;
  at->negative = 0;
  for (size_t i = 0; i < n; i++) at->negative += p->values[i] < 0;
  at->eigenvalue = n ? p->values[k < p->dof ? k : p->dof - 1] : 1;
  return true;
}

// the tangent at a point of the curve, the way the direction (d, dt) goes
// (K, -g_t; border) (z', t') = (0; 1), made one long
static hn_status find_tangent(path *p, place *at, const double *d, double dt) {
  hn_status status = look(p, at);
  if (status) return status;
  if (!solve(p, NULL, 1, d, dt))
    return hn_sim_fail(p->sim, HN_ERR_SINGULAR,
                       "the equilibria at t = %.6g do not form a curve (does something move freely "
                       "there?)",
                       at->t);
  hn_free_whole(p->sys, p->U, p->dof, p->z, at->d);
  at->dt = p->z[p->dof];
  double size = sqrt(product(p, at->d, at->dt, at->d, at->dt));
  if (product(p, at->d, at->dt, d, dt) < 0) size = -size;
  for (int i = 0; i < p->sys->nv; i++) at->d[i] /= size;
  at->dt /= size;
  return HN_OK;
}

// from `here` along its tangent by s, to p->next
// to_end: the last step ends at t = until, across a line of constant t in the place of the
// tangent's
static hn_status go(path *p, double s, bool to_end, bool *done, int *count) {
  copy_place(p, &p->next, &p->here);
  for (int i = 0; i < p->sys->nv; i++) p->step[i] = s * p->here.d[i];
  hn_retract(p->sys, p->next.q, p->step);
  p->next.t = to_end ? p->until : p->here.t + s * p->here.dt;
  *done = false;
  hn_status status = hn_manifold_close(p->m, p->next.t, p->next.q);
  if (status) return status == HN_ERR_MEMORY ? status : HN_OK;
  return correct(p, &p->next, to_end ? NULL : p->here.d, p->here.dt, done, count);
}

// ---- critical points -----------------------------------------------------------------------

// between here and the step s along it eigenvalue k changes its sign: the point itself, in `best`
// `best` is the last point found, also where the corrector gives up on the way: near enough to be
// told
static hn_status locate(path *p, double s, int k, double at_start, double at_end) {
  double low = 0, high = s, below = at_start, above = at_end;
  copy_place(p, &p->best, &p->next);
  for (int i = 0; i < 40 && fabs(high - low) > 1e-10 * fabs(s); i++) {
    double middle = low - below * (high - low) / (above - below);
    bool done;
    int count;
    hn_status status = go(p, middle, false, &done, &count);
    if (!status && done) status = look(p, &p->next);
    if (status || !done || !judge(p, &p->next, k)) return status;
    copy_place(p, &p->best, &p->next);
    double now = p->next.eigenvalue;
    if (fabs(now) < 1e-10 * fmax(fabs(at_start), fabs(at_end))) break;
    // Illinois: an end that stays counts half
    if ((now < 0) == (below < 0))
      low = middle, below = now, above *= 0.5;
    else
      high = middle, above = now, below *= 0.5;
  }
  return HN_OK;
}

// is t at its turn there? the eigenvector then sees the load
// by e . g_t = 0 the load does not act along the eigenvector: the curve goes on, another crosses
static bool turns_back(const path *p, int k) {
  double along = 0, size = 0;
  const double *e = p->vectors + (size_t)k * (size_t)p->dof;
  for (int i = 0; i < p->dof; i++) along += e[i] * p->gt[i], size += p->gt[i] * p->gt[i];
  return fabs(along) > 1e-4 * sqrt(size);
}

// onto the branch that leaves along eigenvector k at p->best
// a first step of 2 % of the model along the eigenvector, corrected across it, so that t may change
static hn_status switch_branch(path *p, int k, int side, bool *done) {
  int count;
  hn_free_whole(p->sys, p->U, p->dof, p->vectors + (size_t)k * (size_t)p->dof, p->best.d);
  double size = size_of(p, p->best.d), unit;
  unit = sqrt(product(p, p->best.d, 0, p->best.d, 0)) * (side < 0 ? -1 : 1);
  for (int i = 0; i < p->sys->nv; i++) p->best.d[i] /= unit;
  copy_place(p, &p->here, &p->best);
  p->here.dt = 0;
  // small enough to stay near the point, large enough not to fall back onto the first branch
  hn_status status = go(p, 0.02 * fabs(unit) / size, false, done, &count);
  if (!status && *done) status = find_tangent(p, &p->next, p->here.d, 0);
  if (!status && *done) copy_place(p, &p->here, &p->next);
  return status;
}

// ---- the whole -----------------------------------------------------------------------------

// checks the point reached, and makes a row of it (out NULL: none)
static hn_status record(path *p, hn_result *out) {
  hn_sim *sim = p->sim;
  hn_status status = hn_manifold_accelerate(p->m, p->here.t, p->here.q, p->still, true);
  if (status) return status;
  (void)hn_manifold_share(p->m, sim->stage.work.lambda);
  const char *pulls = hn_manifold_pulling(p->m);
  if (pulls)
    return hn_sim_fail(sim, HN_ERR_DIVERGED,
                       "the equilibrium at t = %.6g needs '%s' to pull, which only pushes (a rope: "
                       "the other way round): before that it lets go",
                       p->here.t, pulls);
  memset(sim->stage.a, 0, (size_t)p->sys->nv * sizeof(double));
  memcpy(sim->step.y_stage, p->here.q, (size_t)p->sys->nq * sizeof(double));
  for (int i = p->sys->nq; i < sim->state.n; i++) sim->step.y_stage[i] = 0;
  memcpy(sim->step.y_stage + sim->state.x, sim->stage.work.state,
         (size_t)p->sys->states * sizeof(double));
  if (!out) return HN_OK;
  return hn_record_row(sim, out, p->here.t, sim->step.y_stage, false);
}

// those beyond HN_PATH_POINTS are passed in silence
static void keep(hn_path *info, double t, bool limit) {
  if (info->points < HN_PATH_POINTS)
    info->point[info->points++] = (hn_path_point){.time = t, .limit = limit};
}

// first point and tangent
static hn_status start(path *p) {
  bool done;
  int count;
  memcpy(p->here.q, p->sim->state.y, (size_t)p->sys->nq * sizeof(double));
  p->here.t = p->from;
  hn_status status = hn_manifold_close(p->m, p->here.t, p->here.q);
  if (!status) status = correct(p, &p->here, NULL, 0, &done, &count);
  if (status) return status;
  if (!done)
    return hn_sim_fail(p->sim, HN_ERR_DIVERGED,
                       "no equilibrium was found at t = %.6g, where the way begins", p->from);
  status = find_tangent(p, &p->here, p->still, span(p));
  if (!status && !judge(p, &p->here, 0))
    status = hn_sim_fail(p->sim, HN_ERR_MEMORY, "out of memory");
  return status;
}

// one step; *s is what is tried, and what is to be tried next
// Refused: not corrected, a bend of more than 37 degrees (0.8) or a correction of 30 % of the step,
// all signs that another part of the curve was met. The step then shrinks by 0.4; after a good one
// it grows with 5 / iterations, at most twice.
static hn_status advance(path *p, const hn_path_def *def, double *s, hn_path *info, bool *arrived) {
  double size = size_of(p, p->here.d), way = span(p);
  bool done = false;
  int count = 0;
  *s = fmin(*s, longest / fmax(size, 1e-300));
  double left = (p->until - p->here.t) / p->here.dt;
  bool to_end = left > 0 && *s >= left;
  hn_status status = go(p, to_end ? left : *s, to_end, &done, &count);
  double across = p->across;
  if (!status && done) status = find_tangent(p, &p->next, p->here.d, p->here.dt);
  if (status) return status;
  double bend = done ? product(p, p->here.d, p->here.dt, p->next.d, p->next.dt) : 0;
  // where the curve bends sharply, what is found far from the tangent may be another one
  if (!done || bend < 0.8 || across > 0.3 * (to_end ? left : *s)) {
    info->rejected++;
    *s = 0.4 * (to_end ? left : *s);
    if (*s > 1e-9) return HN_OK;
    return hn_sim_fail(p->sim, HN_ERR_DIVERGED,
                       "the equilibria cannot be followed beyond t = %.6g (of %.6g)", p->here.t,
                       way + p->from);
  }
  double taken = to_end ? left : *s;
  int before = p->here.negative;
  if (!judge(p, &p->next, 0)) return hn_sim_fail(p->sim, HN_ERR_MEMORY, "out of memory");
  info->steps++;
  if (p->next.negative != before) {
    int k = before < p->next.negative ? before : p->next.negative, after = p->next.negative;
    double end = p->values[k];
    copy_place(p, &p->best, &p->here);
    if ((status = look(p, &p->best))) return status;
    if (!judge(p, &p->best, k)) return hn_sim_fail(p->sim, HN_ERR_MEMORY, "out of memory");
    status = locate(p, taken, k, p->best.eigenvalue, end);
    if (status) return status;
    bool limit = turns_back(p, k);
    keep(info, p->best.t, limit);
    if (!limit && def->branch != 0 && !info->switched) {
      status = switch_branch(p, k, def->branch, &done);
      if (status) return status;
      if (done) {
        info->switched = true;
        if (!judge(p, &p->here, 0)) return hn_sim_fail(p->sim, HN_ERR_MEMORY, "out of memory");
        *s = fmin(*s, 0.02 / fmax(size_of(p, p->here.d), 1e-300));
        return HN_OK;
      }
    }
    // once more to where the step led
    status = go(p, taken, to_end, &done, &count);
    if (!status) status = find_tangent(p, &p->next, p->here.d, p->here.dt);
    if (status) return status;
    p->next.negative = after;
  }
  copy_place(p, &p->here, &p->next);
  *arrived = to_end;
  *s = taken * fmin(fmax(5.0 / fmax(count, 1), 0.5), 2) * (bend < 0.95 ? 0.7 : 1);
  return HN_OK;
}

// rows are recorded as the way goes: a failure leaves those before it
static hn_status follow(path *p, const hn_path_def *def, hn_path *info, hn_result **out) {
  bool arrived = false;
  double s = def->step > 0 ? def->step / fabs(span(p)) : 0.1;
  hn_status status = start(p);
  if (!status && out) {
    *out = hn_record_create(p->sim, 100);
    if (!*out) status = hn_sim_fail(p->sim, HN_ERR_MEMORY, "out of memory");
  }
  if (!status) status = record(p, out ? *out : NULL);
  while (!status && !arrived) {
    if (info->steps + info->rejected >= MOST_STEPS)
      return hn_sim_fail(p->sim, HN_ERR_DIVERGED, "t = %.6g was not reached in %d steps", p->until,
                         MOST_STEPS);
    int steps = info->steps;
    status = advance(p, def, &s, info, &arrived);
    if (!status && info->steps > steps) status = record(p, out ? *out : NULL);
  }
  info->reached = p->here.t;
  info->unstable = p->here.negative;
  p->sim->stage.work.rule = NULL;
  if (!status)
    status = hn_start_from(p->sim, p->here.t, p->here.q, p->still, p->sim->stage.work.state);
  return status;
}

// at the state of the sim
// sys->length may be that of one small part; the norm wants the size of the whole
static double extent_of(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  double middle[3] = {0}, most = 0;
  // their middle first, then the farthest from it
  for (int pass = 0; pass < 2; pass++)
    for (int i = 1; i < sys->bodies; i++) {
      hn_pose pose;
      double d[3];
      if (hn_body_pose(sim, (hn_body){i}, &pose)) continue;
      if (pass == 0) v3_addto(middle, 1.0 / (sys->bodies - 1), pose.position);
      v3_sub(d, pose.position, middle);
      if (pass == 1) most = fmax(most, v3_norm(d));
    }
  return most > 0 ? most : sys->length;
}

// what is refused, memory for all of the way, and the way itself
static hn_status walk(hn_sim *sim, const hn_path_def *def, hn_path *info, hn_result **out) {
  path p = {.sim = sim, .sys = sim->sys, .from = sim->state.t, .until = def->until};
  if (!(fabs(span(&p)) > 0) || !isfinite(span(&p)))
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "the way must lead to another t than %.6g", p.from);
  for (int i = 1; i < p.sys->bodies; i++) p.mass += p.sys->body[i].mass;
  for (int i = 0; i < p.sys->flexibles; i++) p.mass += p.sys->flexible[i].reduced->mass;
  if (!(p.mass > 0)) p.mass = 1;
  p.extent = extent_of(sim);
  hn_status status = hn_refuse_programs(sim, "statics");
  if (!status) status = hn_manifold_create_general(&p.m, sim);
  if (status) return status;
  hn_arena arena = {0};
  layout(&p, &arena);
  if (hn_arena_allocate(&arena)) {
    layout(&p, &arena);
    // states of first order rest as well: their rates are zero at every point
    const hn_state_rule rest = {.rate = 1};
    hn_give_states(&sim->stage.work, sim->state.y + sim->state.x);
    sim->stage.work.rule = sim->sys->states ? &rest : NULL;
    status = follow(&p, def, info, out);
    sim->stage.work.rule = NULL;
  } else {
    status = hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  }
  free(arena.base);
  hn_manifold_destroy(p.m);
  return status;
}

hn_status hn_statics_path(hn_sim *sim, const hn_path_def *def, hn_path *info, hn_result **out) {
  hn_path scratch;
  bool checked = out && hn_beam_check_wanted(sim) && hn_beam_check_fresh(sim);
  if (!info) info = &scratch;
  memset(info, 0, sizeof *info);
  if (out) *out = NULL;
  hn_status status = walk(sim, def, info, out);
  hn_sim *other = checked && !status ? hn_beam_check_other(sim) : NULL;
  hn_path info_of_other;
  hn_result *rows = NULL;
  if (other && !hn_statics_path(other, def, &info_of_other, &rows))
    hn_beam_compare(sim, *out, rows, 0, true);
  hn_result_destroy(rows);
  hn_sim_destroy(other);
  return status;
}
