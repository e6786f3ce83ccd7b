// nearby.c: is a dependency of rows there to stay, or is it that of a singular place?
//
// Rows that repeat others do so wherever the mechanism goes. At a singular place some more depend
// on each other for an instant. Which it is shows a little beside: the mechanism is moved in a
// general way that the rows allow to first order, its joints are closed there, and the rank is
// taken anew. Prescribed motions do not hold it: they say where it is, not what its joints are.
//
// The same motions tell by how much joints miss each other: a row left out that is not quite met
// opens as the mechanism moves.
#include "compile/nearby.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 3, HALVINGS = 5, CLOSING = 30, REFINEMENTS = 4 };
static const double stride = 0.05;  // rad, or part of the model's length

typedef struct nearby {
  hn_work *work;
  const hn_system *sys;
  hn_elimination *e;
  bool *moved;  // per row: takes part when the mechanism is moved
  double soft;  // relative compliance of rows while joints are closed: above the square of what
                // counts as nothing, so that no joint out of line pulls the mechanism back
  double *D, *size, *x, *l, *rest, *q, *still;
} nearby;

static bool open_nearby(nearby *n, hn_work *work, hn_elimination *e) {
  const hn_system *sys = work->sys;
  size_t rows = (size_t)sys->rows, nv = (size_t)sys->nv, nq = (size_t)sys->nq;
  *n = (nearby){.work = work, .sys = sys, .e = e};
  n->moved = malloc(rows + 1);
  n->D = malloc((4 * rows + 2 * nv + nq + 1) * sizeof(double));
  if (!n->moved || !n->D) {
    free(n->moved), free(n->D);
    return false;
  }
  n->size = n->D + rows, n->l = n->size + rows, n->rest = n->l + rows;
  n->x = n->rest + rows, n->still = n->x + nv, n->q = n->still + nv;
  memset(n->still, 0, nv * sizeof(double));
  for (int i = 0; i < sys->rows; i++) n->moved[i] = sys->holonomic[i];
  for (int i = 0; i < sys->rowcount; i++)
    if (sys->row[i].motion >= 0) n->moved[sys->row[i].row] = false;
  // what a driver says does not belong to the joint
  return true;
}

static void close_nearby(nearby *n) {
  free(n->moved), free(n->D);
}

// a number without pattern between -1 and 1, never small. The first trial moves everything much
// alike: of the many branches that cross where a chain of loops lies flat, most leave some loop
// almost where it is
static double general(int i, int trial) {
  unsigned h = (unsigned)i * 2654435761u + (unsigned)trial * 40503u + 12345u;
  // a hash (Murmur's finaliser), so that neighbours have nothing to do with each other
  h ^= h >> 13, h *= 2246822519u, h ^= h >> 16;
  double part = (h >> 1) / 2147483648.0;
  return trial == 0 ? 0.9 + 0.1 * part : (h & 1 ? 1 : -1) * (0.3 + 0.7 * part);
}

static double unit_of(const hn_system *sys, int k) {
  return sys->angular_v[k] ? 1 : sys->length;
}

// the rows marked active, here, for all motions that they allow
static void hold_rows(nearby *n, const bool *active) {
  for (int i = 0; i < n->sys->rows; i++) n->D[i] = active[i] && n->moved[i] ? 0 : HN_LEFT_OUT;
  hn_elimination_factor(n->e, n->work, n->D);
}

// n->x: a motion that the rows marked active allow (hold_rows), its largest velocity one unit;
// false: there is none.
// A general velocity, projected onto the motions that the rows allow: x + d with J (x + d) = 0 and
// d least. Nothing left means that the mechanism is a structure, or that this trial hit none of its
// motions.
static bool free_motion(nearby *n, const bool *active, int trial) {
  const hn_system *sys = n->sys;
  for (int k = 0; k < sys->nv; k++) n->x[k] = general(k, trial) * unit_of(sys, k);
  hn_jacobian_mul(n->work, n->x, n->l);
  for (int i = 0; i < sys->rows; i++) n->l[i] = active[i] && n->moved[i] ? -n->l[i] : 0;
  double *d = n->q;  // nq >= nv
  memset(d, 0, (size_t)sys->nv * sizeof(double));
  hn_elimination_solve(n->e, n->work, d, n->l);
  // in units that compare: the motion is scaled to one
  double most = 0;
  for (int k = 0; k < sys->nv; k++) {
    n->x[k] += d[k];
    most = fmax(most, fabs(n->x[k]) / unit_of(sys, k));
  }
  if (!(most > 1e-6)) return false;
  for (int k = 0; k < sys->nv; k++) n->x[k] /= most;
  return true;
}

// as a length
static double violation(const nearby *n) {
  double worst = 0;
  for (int i = 0; i < n->sys->rows; i++)
    if (n->moved[i]) worst = fmax(worst, fabs(n->work->phi[i]) * hn_row_arm(n->sys, i));
  return worst;
}

// n->x: least change that takes the violation away, dependent rows in the sense of least squares
static void pull(nearby *n) {
  const hn_system *sys = n->sys;
  hn_elimination_sizes(n->e, n->work, n->size);
  for (int i = 0; i < sys->rows; i++)
    n->D[i] = n->moved[i] ? n->soft * n->size[i] * n->size[i] : HN_LEFT_OUT;
  hn_elimination_factor(n->e, n->work, n->D);
  memset(n->l, 0, (size_t)sys->rows * sizeof(double));
  for (int pass = 0; pass < REFINEMENTS; pass++) {
    memset(n->x, 0, (size_t)sys->nv * sizeof(double));
    for (int i = 0; i < sys->rows; i++)
      n->l[i] = n->moved[i] ? -n->work->phi[i] + n->D[i] * n->l[i] : 0;
    hn_elimination_solve(n->e, n->work, n->x, n->l);
  }
}

// closes the joints at q; what may stay open is what joints out of line leave.
// Gauss and Newton's iteration, as long as it halves the violation.
static bool close_joints(nearby *n, double tolerance, double *q) {
  const hn_system *sys = n->sys;
  double enough = 1e-12 * sys->length, now = INFINITY;
  // at rest: rows and their Jacobian, nothing else
  for (int pass = 0; pass < CLOSING; pass++) {
    hn_eval_jacobian(n->work, n->work->t, q, n->still);
    double next = violation(n);
    if (!(next < 0.5 * now)) break;
    now = next;
    if (now <= enough) break;
    pull(n);
    hn_retract(sys, q, n->x);
  }
  return now <= fmax(HN_GAP_LIMIT, tolerance) * sys->length;
}

// what the active rows leave of row r, as a part of its size, in the norm of the elimination. The
// second pass takes away what rounding left of the first.
// W x - J_a^T l = J_r^T, J_a x = 0: x is the part of J_r^T that the active rows do not span, W^-1
// times it; its length in the norm of W is what is left.
static double left_of_row(nearby *n, int r) {
  const hn_system *sys = n->sys;
  size_t nv = (size_t)sys->nv, rows = (size_t)sys->rows;
  double sum = 0;
  memset(n->x, 0, nv * sizeof(double));
  memset(n->l, 0, rows * sizeof(double));
  n->l[r] = 1;
  hn_jacobian_body_tmul(n->work, n->l, 1, n->x);
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; pass && k < sys->nv; k++) n->x[k] *= n->e->weight[k];
    memset(n->l, 0, rows * sizeof(double));
    hn_elimination_solve(n->e, n->work, n->x, n->l);
  }
  for (int k = 0; k < sys->nv; k++) sum += n->e->weight[k] * n->x[k] * n->x[k];
  return sqrt(sum) / n->size[r];
}

// do the rows that are not active depend on the others here, too, and these not on each other? Then
// the rank is what it was, without a decomposition; false: perhaps not
// ten times clearer than the tolerance, and pivots far from round-off
static bool same_rank(nearby *n, const bool *active, hn_rank *out) {
  static const double clearly = 0.1, pivots = 1e-8;
  const hn_system *sys = n->sys;
  if (!sys->coordinates->of_bodies || sys->unilaterals) return false;
  hn_elimination_sizes(n->e, n->work, n->size);
  for (int i = 0; i < sys->rows; i++) n->D[i] = active[i] ? 0 : HN_LEFT_OUT;
  hn_elimination_factor(n->e, n->work, n->D);
  if (!(n->e->kkt.pivot_ratio > pivots)) return false;
  out->rank = 0, out->largest_dropped = 0;
  for (int i = 0; i < sys->rows; i++) {
    double left = active[i] ? 0 : left_of_row(n, i);
    if (!(left <= clearly * out->tolerance)) return false;
    out->rank += active[i];
    out->largest_dropped = fmax(out->largest_dropped, left);
  }
  out->smallest_kept = sqrt(n->e->kkt.pivot_ratio);
  memcpy(out->active, active, (size_t)sys->rows);
  return true;
}

// The rank cannot be greater than the generic one, and is that almost everywhere: the greatest of a
// few trials is it. Ties go to where the decision was clearest.
bool hn_rank_nearby(hn_work *work, hn_elimination *e, const double *q0, const bool *active,
                    hn_rank *there, double *q) {
  const hn_system *sys = work->sys;
  nearby n;
  if (!open_nearby(&n, work, e)) return false;
  size_t nv = (size_t)sys->nv;
  bool ok, moves[TRIALS], *trial_active = malloc((size_t)sys->rows + 1);
  double *at = malloc(((size_t)sys->nq + 1) * sizeof(double));
  double *motion = malloc((TRIALS * nv + 1) * sizeof(double));
  ok = trial_active && at && motion;
  there->rank = -1;
  n.soft = fmax(1e-10, 10 * there->tolerance * there->tolerance);
  hn_eval_jacobian(work, work->t, q0, n.still);
  hold_rows(&n, active);
  for (int trial = 0; ok && trial < TRIALS; trial++) {
    moves[trial] = free_motion(&n, active, trial);
    memcpy(motion + (size_t)trial * nv, n.x, nv * sizeof(double));
  }
  for (int trial = 0; ok && trial < TRIALS; trial++) {
    double step = stride;
    bool closed = false;
    for (int halving = 0; moves[trial] && halving < HALVINGS && !closed; halving++, step *= 0.5) {
      for (size_t k = 0; k < nv; k++) n.x[k] = motion[(size_t)trial * nv + k] * step;
      memcpy(at, q0, (size_t)sys->nq * sizeof(double));
      hn_retract(sys, at, n.x);
      closed = close_joints(&n, there->tolerance, at);
    }
    // half the way where joints cannot be closed
    if (!closed) continue;
    hn_rank here = {.active = trial_active, .tolerance = there->tolerance};
    hn_eval_jacobian(work, work->t, at, n.still);
    ok = same_rank(&n, active, &here) || hn_find_rank(work, e, &here);
    bool better = here.rank > there->rank ||
                  (here.rank == there->rank && here.smallest_kept > there->smallest_kept);
    if (!ok || !better) continue;
    bool *keep = there->active;
    memcpy(keep, trial_active, (size_t)sys->rows);
    *there = here;
    there->active = keep;
    memcpy(q, at, (size_t)sys->nq * sizeof(double));
  }
  free(trial_active), free(at), free(motion);
  close_nearby(&n);
  return ok;
}

// J x of a row left out, along motions the others allow, is how fast it opens.
bool hn_find_gaps(hn_work *work, hn_elimination *e, const bool *active, double *gap) {
  const hn_system *sys = work->sys;
  nearby n;
  if (!open_nearby(&n, work, e)) return false;
  for (int i = 0; i < sys->rows; i++) gap[i] = n.moved[i] ? fabs(work->phi[i]) : 0;
  hold_rows(&n, active);
  for (int trial = 0; trial < TRIALS && free_motion(&n, active, trial); trial++) {
    hn_jacobian_mul(work, n.x, n.rest);
    for (int i = 0; i < sys->rows; i++)
      if (!active[i] && n.moved[i]) gap[i] = fmax(gap[i], fabs(n.rest[i]));
  }
  close_nearby(&n);
  return true;
}
