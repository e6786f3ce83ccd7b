// sharing.c: reactions of rows that depend on each other.
//
// The motion determines f = J^T lambda, not lambda. Among all multipliers with this force, those of
// least energy in the joints, lambda^T Xi^-1 lambda / 2, are
//   lambda = Xi J (J^T Xi J)^+ f,
// what elastic joints of stiffness Xi carry in the limit of rigid ones, whatever method found the
// motion (Gonzalez & Kovecses 2013; Wojtyra & Fraczek 2013). With Xi = 1 they are those of least
// norm. Preload adds a self-stress: of the multipliers given, the part
//   lambda_0 = (1 - Xi J (J^T Xi J)^+ J^T) lambda_p
// puts no force on the bodies. It is what remains of misfits k x (stiffness times gap) when elastic
// joints are forced together.
//
// The pseudo-inverse is the limit of (J^T Xi J + e W)^-1, one saddle-point solve with D = e Xi^-1:
//   [ W  -J^T ] [ x ]   [ -f ]
//   [ J    D  ] [ l ] = [  0 ]     ->    l = Xi J (J^T Xi J + e W)^-1 f,
// W being 1, or the square of the model's length for angular velocities.
// What l does not carry yet is shared again until nothing is left. No decision of rank is needed:
// parts with next to no lever on the bodies are damped. Among them are self-stresses that get one
// by a violation of the constraints; what that alone can account for stays uncarried.
//
// Where rows are coupled, in a joint or between joints (Xi not diagonal), the same projection, with
// the diagonal, is the preconditioner of conjugate gradients over the self-stresses.
#include "compile/sharing.h"

#include "system/kkt.h"
#include "system/reaction.h"

#include <stdio.h>
#include <string.h>

static const double softness = 1e-5, harder = 1e-9, enough = 1e-13, good = 1e-10;
enum { PASSES = 30, ITERATIONS = 100 };

void hn_sharing_layout(hn_sharing *s, hn_arena *arena, const hn_system *sys) {
  hn_sharing place = {.sys = sys};
  hn_saddle_layout(&place.saddle, arena, sys->plan);
  place.weight = HN_TAKE(arena, double, sys->nv);
  place.force = HN_TAKE(arena, double, sys->nv);
  place.x = HN_TAKE(arena, double, sys->nv);
  place.D = HN_TAKE(arena, double, sys->rows);
  place.part = HN_TAKE(arena, double, sys->rows);
  place.found = HN_TAKE(arena, double, sys->rows);
  place.preload = HN_TAKE(arena, double, sys->preloaded ? sys->rows : 0);
  if (sys->couplings) {
    place.z = HN_TAKE(arena, double, sys->rows);
    place.g = HN_TAKE(arena, double, sys->rows);
    place.p = HN_TAKE(arena, double, sys->rows);
    place.Hp = HN_TAKE(arena, double, sys->rows);
  }
  if (!arena->base) return;
  *s = place;
  for (int i = 0; i < sys->nv; i++) s->weight[i] = 1;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    int linear = hn_flat(b) ? 2 : 3;
    for (int k = linear; k < b->nv; k++) s->weight[b->v0 + k] = sys->length * sys->length;
  }
}

double hn_sharing_violation(const hn_work *work) {
  const hn_system *sys = work->sys;
  double worst = 0;
  for (int i = 0; i < sys->rows; i++)
    if (sys->holonomic[i])
      worst = fmax(worst, fabs(work->phi[i]) / (sys->angular_row[i] ? 1 : sys->length));
  return worst;
}

// compliances that are the given part of what the rows have on the free bodies.
// e = soft times the least of (size times stiffness) over the rows, sizes being those on the free
// bodies. soft is never so small that a violation of the constraints, which gives self-stresses a
// lever of its own size, could pass for one: of that the square counts
static void factor(hn_sharing *s, const hn_work *work, double soft, const bool *without) {
  const hn_system *sys = s->sys;
  double least = INFINITY, off = s->violation;
  soft = fmin(fmax(soft, 1e3 * off * off), 0.1);
  hn_bodies_weighted_sizes(work, s->weight, s->D);
  for (int i = 0; i < sys->rows; i++)
    if (s->D[i] > 0) least = fmin(least, s->D[i] * sys->stiffness[i]);
  if (!(least < INFINITY)) least = 1;
  for (int i = 0; i < sys->rows; i++)
    s->D[i] = without && without[i] ? HN_LEFT_OUT : soft * least / sys->stiffness[i];
  hn_saddle_factor(&s->saddle, s->weight, work->J, s->D);
}

// the largest that is not carried yet; moments as forces
static double largest_force(const hn_sharing *s) {
  double most = 0;
  for (int i = 0; i < s->sys->nv; i++)
    most = fmax(most, fabs(s->force[i]) / hn_velocity_arm(s->sys, i));
  return most;
}

// adds to lambda what carries s->force, until next to nothing of it is left; true when that is so.
// Each pass carries the part 1 / (1 + e / sigma^2) of what is left along a singular value sigma of
// the rows: refinement takes e to zero for all but those of next to no lever.
static bool carry(hn_sharing *s, const hn_work *work, double *lambda) {
  const hn_system *sys = s->sys;
  double whole = largest_force(s), left = whole;
  for (int pass = 0; pass < PASSES && left > enough * whole; pass++) {
    for (int i = 0; i < sys->nv; i++) s->x[i] = -s->force[i];
    memset(s->part, 0, (size_t)sys->rows * sizeof(double));
    hn_saddle_solve(&s->saddle, s->x, s->part);
    // once more from x: no round-off outside the range of Xi J
    hn_jacobian_mul(work, s->x, s->part);
    for (int i = 0; i < sys->rows; i++) lambda[i] += s->part[i] /= -s->D[i];
    hn_jacobian_tmul_add(work, s->part, -1, s->force);
    double now = largest_force(s);
    bool slow = now > 0.9 * left;  // round-off, or a force the rows cannot make
    left = now;
    if (slow) break;
  }
  return left <= fmax(good * whole, s->feigned);
}

// lambda = what carries s->force, shared by the diagonal of the stiffness
static void share_force(hn_sharing *s, const hn_work *work, double *lambda) {
  memset(lambda, 0, (size_t)s->sys->rows * sizeof(double));
  if (carry(s, work, lambda)) return;
  // close to a singular configuration a part of the force has hardly any lever
  factor(s, work, harder, NULL);
  carry(s, work, lambda);
}

// the largest of the multipliers, as a force
static double largest_multiplier(const hn_sharing *s, const double *lambda) {
  double most = 0;
  for (int i = 0; i < s->sys->rows; i++) most = fmax(most, fabs(lambda[i]) / hn_row_arm(s->sys, i));
  return most;
}

// lambda <- its part that makes forces
static void share(hn_sharing *s, const hn_work *work, double *lambda) {
  memset(s->force, 0, (size_t)s->sys->nv * sizeof(double));
  hn_jacobian_tmul_add(work, lambda, 1, s->force);
  s->feigned = 10 * s->violation * largest_multiplier(s, lambda);
  share_force(s, work, lambda);
  s->feigned = 0;
}

// y = Xi^-1 x
static void comply(const hn_system *sys, const double *x, double *y) {
  for (int i = 0; i < sys->rows; i++) y[i] = x[i] / sys->stiffness[i];
  for (int k = 0; k < sys->couplings; k++) {
    const hn_coupling *c = &sys->coupling[k];
    for (int i = 0; i < c->rows; i++) {
      const double *inverse = c->inverse + i * c->rows;
      y[c->row[i]] = 0;
      for (int j = 0; j < c->rows; j++) y[c->row[i]] += inverse[j] * x[c->row[j]];
    }
  }
}

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// z = the self-stress nearest to minus the gradient, both by the diagonal
static void descend(hn_sharing *s, const hn_work *work) {
  const hn_system *sys = s->sys;
  for (int i = 0; i < sys->rows; i++) s->z[i] = sys->stiffness[i] * s->g[i];
  memcpy(s->Hp, s->z, (size_t)sys->rows * sizeof(double));
  share(s, work, s->Hp);
  for (int i = 0; i < sys->rows; i++) s->z[i] = s->Hp[i] - s->z[i];
  // the rest of the gradient does not matter, and would only leave round-off
  for (int i = 0; i < sys->rows; i++) s->g[i] = -s->z[i] / sys->stiffness[i];
}

// lowers lambda^T Xi^-1 lambda over the self-stresses.
// Preconditioned conjugate gradients: gradients g = Xi^-1 lambda, directions z that put nothing on
// the bodies. lambda keeps its force throughout, as only self-stresses are added.
static void relax(hn_sharing *s, const hn_work *work, double *lambda) {
  int n = s->sys->rows;
  comply(s->sys, lambda, s->g);
  double energy = dot(lambda, s->g, n);
  descend(s, work);
  memcpy(s->p, s->z, (size_t)n * sizeof(double));
  double gz = -dot(s->g, s->z, n);
  for (int pass = 0; pass < ITERATIONS && gz > 1e-28 * energy; pass++) {
    comply(s->sys, s->p, s->Hp);
    double a = gz / dot(s->p, s->Hp, n);
    for (int i = 0; i < n; i++) lambda[i] += a * s->p[i], s->g[i] += a * s->Hp[i];
    descend(s, work);
    double next = -dot(s->g, s->z, n), b = next / gz;
    for (int i = 0; i < n; i++) s->p[i] = s->z[i] + b * s->p[i];
    gz = next;
  }
}

static void share_all(hn_sharing *s, const hn_work *work, double *lambda) {
  if (s->sys->couplings)
    relax(s, work, lambda);
  else
    share(s, work, lambda);
}

// without what it would put on the bodies
static void add_preload(hn_sharing *s, const hn_work *work, double *lambda) {
  const hn_system *sys = s->sys;
  if (!sys->preloaded) return;
  hn_preload(sys, s->preload);
  for (int i = 0; i < sys->rows; i++) lambda[i] += s->preload[i];
  factor(s, work, softness, NULL);
  share_all(s, work, s->preload);
  for (int i = 0; i < sys->rows; i++) lambda[i] -= s->preload[i];
}

void hn_sharing_apply(hn_sharing *s, const hn_work *work, double *lambda) {
  factor(s, work, softness, NULL);
  share_all(s, work, lambda);
  add_preload(s, work, lambda);
}

// What a force is carried by from nothing is shared already: least energy is that of least
// multipliers, pass by pass.
bool hn_sharing_carry(hn_sharing *s, const hn_work *work, double *lambda) {
  size_t size = (size_t)s->sys->rows * sizeof(double);
  s->feigned = 10 * s->violation * fmax(largest_multiplier(s, lambda), largest_force(s));
  memset(s->found, 0, size);
  factor(s, work, softness, NULL);
  bool carried = carry(s, work, s->found);
  s->feigned = 0;
  if (!carried) return false;
  memcpy(lambda, s->found, size);
  if (s->sys->couplings) relax(s, work, lambda);
  add_preload(s, work, lambda);
  return true;
}

// For coordinates that have no multipliers of some joints (trees): these follow from the forces on
// the bodies.
void hn_sharing_complete(hn_sharing *s, const hn_work *work, const bool *given, double *lambda) {
  for (int i = 0; i < s->sys->rows; i++)
    if (!given[i]) lambda[i] = 0;
  hn_jacobian_tmul_add(work, lambda, -1, s->force);
  factor(s, work, softness, given);
  carry(s, work, lambda);
}

void hn_sharing_preload(hn_sharing *s, const hn_work *work, double *lambda) {
  memset(lambda, 0, (size_t)s->sys->rows * sizeof(double));
  add_preload(s, work, lambda);
}

void hn_sharing_describe(const hn_system *sys, char *text, size_t size) {
  bool moments = false;
  for (int i = 0; i < sys->rows; i++) moments |= sys->angular_row[i];
  if (sys->redundant == sys->unilaterals)
    snprintf(text, size, "all determined by the motion");
  else if (sys->weighted)
    snprintf(text, size, "undetermined ones shared by the stiffness of the joints");
  else if (moments)
    snprintf(text, size, "undetermined ones of least norm (moments over %.3g m)", sys->length);
  else
    snprintf(text, size, "undetermined ones of least norm");
  size_t used = strlen(text);
  if (sys->preloaded && used < size) snprintf(text + used, size - used, ", preload added");
}
