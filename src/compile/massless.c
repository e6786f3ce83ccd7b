// massless.c: bodies without mass, or without inertia about some axis.
//
// Their mass matrix is singular. Accelerations are unique nevertheless as long as nothing moves
// without inertia: no direction d of the massless coordinates has J d = 0. Three things can happen.
//   - The joints hold every such direction, through bodies that have mass: the saddle system is
//     regular as it stands, and sys->mass only says of which size its unknowns are.
//   - A body spins freely about a line or a point in which all its mass lies, and nothing can exert
//     a moment about it. This spin is nobody's business. It is given an inertia of the usual size:
//     it stays zero, and no other equation sees it.
//   - Anything else is refused: force would meet nothing it could accelerate.
#include "compile/massless.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "linalg/dense.h"
#include "system/system.h"

static const double none = 1e-9;  // relative to the largest: moments that count as zero

// ---- what has no inertia -------------------------------------------------------------------

// principal moments that are round-off become zero, so that everybody sees the same
static void round_moments(hn_sys_body *b) {
  double most = fmax(b->inertia[0], fmax(b->inertia[1], b->inertia[2]));
  for (int k = 0; k < 3; k++)
    // round-off of principal axes: a rod has no moment about itself
    if (b->inertia[k] <= none * most) b->inertia[k] = 0;
}

// sizes the body's coordinates would have in a model like this one
static void typical(const hn_system *sys, double *mass, double *moment) {
  *mass = *moment = 0;
  for (int i = 1; i < sys->bodies; i++) {
    *mass = fmax(*mass, sys->body[i].mass);
    for (int k = 0; k < 3; k++) *moment = fmax(*moment, sys->body[i].inertia[k]);
  }
  if (!(*mass > 0)) *mass = 1;
  if (!(*moment > 0)) *moment = *mass;
}

// blocks have masses of their own, behind those of the bodies
bool hn_is_massless(const hn_system *sys, int v) {
  if (sys->blocks && v >= sys->body[sys->block[0].body].v0) return false;
  return sys->mass_entries && v < sys->mass_entries->count && sys->mass_entries->row[v] == v &&
         sys->mass_entries->col[v] == v && sys->mass_entries->value[v] == 0;
}

// sys->mass of such a coordinate only scales: it is that of the heaviest body.
hn_status hn_list_massless(hn_system *sys, int bodies) {
  int plain = 0;
  bool any = false;
  for (int i = 1; i < bodies; i++) {
    hn_sys_body *b = &sys->body[i];
    if (b->kind == HN_SPATIAL) round_moments(b);
    plain += b->nv;
    // flexible bodies have their masses elsewhere
    if (b->shared) continue;
    any = any || !(b->mass > 0) || (b->kind == HN_PLANAR && !(b->inertia[2] > 0));
    for (int k = 0; k < 3; k++) any = any || (b->kind == HN_SPATIAL && !(b->inertia[k] > 0));
  }
  if (!any) return HN_OK;
  sys->mass_entries = hn_mass_entries_create(plain);
  if (!sys->mass_entries) return HN_ERR_MEMORY;
  sys->singular_mass = true;
  double mass, moment;
  typical(sys, &mass, &moment);
  for (int i = 1; i < bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    int linear = hn_body_linear(b);
    for (int k = 0; k < b->nv; k++) {
      int v = b->v0 + k;
      // the coordinate's own inertia, zero or not
      double own = k < linear ? b->mass : b->inertia[b->kind == HN_PLANAR ? 2 : k - linear];
      sys->mass_entries->row[v] = sys->mass_entries->col[v] = v;
      // of the whole flexible body, for scaling
      if (b->shared) own = sys->mass[v];
      sys->mass_entries->value[v] = own;
      sys->mass[v] = own > 0 ? own : k < linear ? mass : moment;
    }
  }
  return HN_OK;
}

// ---- what moves without inertia --------------------------------------------------------------

typedef struct look {
  hn_system *sys;
  hn_model *model;
  hn_arena arena;
  hn_work work;
  double *q, *v, *d, *J;  // J: rows x nv
  double *seen;           // per velocity: how much rows and forces see of it
} look;

static void layout(look *l) {
  size_t nv = (size_t)l->sys->nv, rows = (size_t)l->sys->rows;
  hn_work_layout(&l->work, &l->arena, l->sys);
  l->q = HN_TAKE(&l->arena, double, l->sys->nq);
  l->v = HN_TAKE(&l->arena, double, nv);
  l->d = HN_TAKE(&l->arena, double, nv);
  l->J = HN_TAKE(&l->arena, double, rows *nv + 1);
  l->seen = HN_TAKE(&l->arena, double, nv);
}

// the same numbers every time, between -1 and 1
static double next_number(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) / 8388608.0 - 1;
}

// What is zero at the start may be so by chance; what is zero wherever the bodies are thrown is so
// by its structure. Forces are held against the weight of the model.
// Joints are open where the bodies are thrown, which does not matter: J and f are looked at as
// functions.
static void throw_about(look *l) {
  const hn_system *sys = l->sys;
  unsigned seed = 1;
  for (int trial = 0; trial < 4; trial++) {
    memcpy(l->q, sys->q0, (size_t)sys->nq * sizeof(double));
    for (int i = 0; i < sys->nv; i++) {
      // trial 0 is the start itself
      l->d[i] = trial ? next_number(&seed) * (sys->angular_v[i] ? 1 : sys->length) : 0;
      l->v[i] = sys->v0[i] + (trial ? next_number(&seed) : 0);
    }
    hn_retract(sys, l->q, l->d);
    hn_eval_all(&l->work, 0, l->q, l->v);
    hn_jacobian_dense(&l->work, l->J);
    double most = 0;
    for (int i = 0; i < sys->nv; i++) most = fmax(most, fabs(l->work.f[i]));
    for (int i = 0; i < sys->nv; i++) {
      double size = sys->angular_v[i] ? sys->length : 1, sum = 0;
      // per radian and length alike
      for (int r = 0; r < sys->rows; r++) sum = fmax(sum, fabs(l->J[r * sys->nv + i]) / size);
      if (most > 0) sum = fmax(sum, fabs(l->work.f[i]) / (most * size));
      l->seen[i] = fmax(l->seen[i], sum);
    }
  }
}

static int body_of(const hn_system *sys, int v) {
  for (int i = 1; i < sys->bodies; i++)
    if (v >= sys->body[i].v0 && v < sys->body[i].v0 + sys->body[i].nv) return i;
  return 0;
}

// spins that nothing sees go their own way.
// A rod of no thickness, a mass point on a body: moments about the line have nothing to turn.
static hn_status let_spin(look *l) {
  hn_system *sys = l->sys;
  for (int i = 0; i < sys->bv; i++) {
    // something must give it weight, or nothing decides about it
    if (!hn_is_massless(sys, i) || !sys->angular_v[i] || l->seen[i] > 1e-10) continue;
    int body = body_of(sys, i);
    if (!(sys->body[body].mass > 0)) continue;
    if (sys->v0[i] != 0)
      return hn_model_fail(l->model, l->model->body[body].place, HN_ERR_MODEL,
                           "body '%s' has no inertia about an axis about which it spins freely: an "
                           "angular velocity of %.4g rad/s means nothing there (leave it out)",
                           sys->body[body].info->name, sys->v0[i]);
    sys->mass_entries->value[i] = sys->mass[i];
  }
  return HN_OK;
}

// The largest part of the direction names body and axis.
static hn_status refuse(look *l, const int *at, const double *way, int n) {
  const hn_system *sys = l->sys;
  int worst = 0;
  for (int k = 1; k < n; k++)
    if (fabs(way[k]) > fabs(way[worst])) worst = k;
  int v = at[worst], body = body_of(sys, v), k = v - sys->body[body].v0;
  bool planar = sys->body[body].kind == HN_PLANAR, turns = sys->angular_v[v];
  char what[48];
  if (turns)
    snprintf(what, sizeof what, planar ? "turns" : "turns about its axis %c",
             "xyz"[(k - hn_body_linear(&sys->body[body])) % 3]);
  else
    snprintf(what, sizeof what, "moves along %c", "xyz"[k % 3]);
  return hn_model_fail(
      l->model, l->model->body[body].place, HN_ERR_MODEL,
      "body '%s' %s without %s: no joint decides how, so its motion is undetermined (give it %s, "
      "or "
      "hold it by a joint%s)",
      sys->body[body].info->name, what, turns ? "inertia" : "mass", turns ? "an inertia" : "a mass",
      turns ? "; a body that need not turn is a point"
            : "; springs in series are one force of type 'series'");
}

// the smallest |J d| over the massless directions |d| = 1.
// The least eigenvalue of (J^T J) over the massless coordinates, lengths in units of the model's:
// zero means a direction that no row sees.
static hn_status check_held(look *l) {
  const hn_system *sys = l->sys;
  int n = 0, *at = calloc((size_t)sys->nv + 1, sizeof(int));
  if (!at) return HN_ERR_MEMORY;
  // coordinates of bodies only: blocks are checked by block_mass.c
  for (int i = 0; i < sys->bv; i++)
    if (hn_is_massless(sys, i)) at[n++] = i;
  size_t size = (size_t)n;
  double *G = calloc(size * size + 1, sizeof *G), *V = calloc(size * size + 1, sizeof *V);
  double *w = calloc(size + 1, sizeof *w);
  hn_status status = G && V && w ? HN_OK : HN_ERR_MEMORY;
  if (!status && n > 0) {
    hn_eval_jacobian(&l->work, 0, sys->q0, sys->v0);
    hn_jacobian_dense(&l->work, l->J);
    for (int r = 0; r < sys->rows; r++)
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
          // lengths in units of the model's, as angles are in radians
          double a = l->J[r * sys->nv + at[i]] / (sys->angular_v[at[i]] ? sys->length : 1);
          double b = l->J[r * sys->nv + at[j]] / (sys->angular_v[at[j]] ? sys->length : 1);
          G[i * n + j] += a * b;
        }
    if (!hn_dense_symmetric_eigen(n, G, w, V))
      status = HN_ERR_MEMORY;
    else if (!(w[0] > 1e-12 * fmax(1, w[n - 1])))
      status = refuse(l, at, V, n);
  }
  free(at), free(G), free(V), free(w);
  return status;
}

hn_status hn_check_massless(hn_system *sys, hn_model *model) {
  bool any = false;
  for (int i = 0; i < sys->bv; i++) any = any || hn_is_massless(sys, i);
  if (!any) return HN_OK;
  look l = {.sys = sys, .model = model};
  layout(&l);
  if (!hn_arena_allocate(&l.arena)) return HN_ERR_MEMORY;
  layout(&l);
  throw_about(&l);
  hn_status status = let_spin(&l);
  if (!status) status = check_held(&l);
  free(l.arena.base);
  return status;
}
