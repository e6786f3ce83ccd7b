// block.c: parts given by their equations, evaluated; see build_block.c for the formulas.
//
// A block's coordinates are bodies with one velocity each, from b->body on. Formulas see x = (q,
// s): its own coordinates, n of them, then what they read of other elements; b->measure lists both
// in this order. Inputs of all its programs are the same: t, q, rates of q, then value and rate of
// each s. Levels: 0 positions, 1 velocities, Jacobian and masses as well, 2 gamma as well.
//
// A function of the caller may stand in the place of all formulas. It is asked for what is wanted
// only; derivatives it cannot be asked for are differences.
#include "system/measure.h"
#include "system/pair.h"

#include <stdlib.h>
#include <string.h>

void hn_block_destroy(hn_sys_block *b) {
  hn_program *const program[] = {b->position, b->jacobian, b->bias,  b->mass,  b->force,
                                 b->rest,     b->slope,    b->drift, b->curve, b->inertia};
  for (size_t i = 0; i < sizeof program / sizeof *program; i++) hn_program_destroy(program[i]);
  for (int k = 0; k < b->n; k++) {
    free(b->label[k]);
    free(b->unit[k]);
    free(b->rate_unit[k]);
  }
  free(b->label), free(b->unit), free(b->rate_unit), free(b->name);
  free(b->measure), free(b->ja), free(b->jb);
}

// ---- inputs --------------------------------------------------------------------------------

static const double *coordinates(const hn_work *work, const hn_sys_block *b) {
  return work->q + work->sys->body[b->body].q0;
}
static const double *rates(const hn_work *work, const hn_sys_block *b) {
  return work->v + work->sys->body[b->body].v0;
}

// positions only: rates are zero
static void load(const hn_work *work, const hn_sys_block *b, bool moving) {
  double *in = work->block_in;
  size_t bytes = (size_t)b->n * sizeof *in;
  in[0] = work->t;
  memcpy(in + 1, coordinates(work, b), bytes);
  if (moving)
    memcpy(in + 1 + b->n, rates(work, b), bytes);
  else
    memset(in + 1 + b->n, 0, bytes);
  in += 1 + 2 * b->n;
  for (int k = b->n; k < b->measures; k++) {
    const hn_mval *m = &work->mval[b->measure[k]];
    *in++ = m->value;
    *in++ = moving ? m->rate : 0;
  }
}

static const double *run(const hn_work *work, const hn_program *program) {
  hn_program_run(program, work->block_in, work->registers, work->block_out);
  return work->block_out;
}

// ---- a function in place of formulas --------------------------------------------------------

// its results, laid out in the scratch of the work space
typedef struct results {
  hn_block_values at;
  double *spare;  // 2 n + rows * n numbers behind
} results;

// All that a function may be asked for begins at zero, so that it need not write what is zero; what
// is not wanted is taken out again as NULL by the caller.
static results place_results(const hn_work *work, const hn_sys_block *b) {
  double *x = work->block_out;
  int n = b->n;
  // in the order that build_function has made room for
  results r = {.at.mass = x};
  r.at.force = x += n * n;
  r.at.potential = x += n;
  r.at.power = x += 1;
  r.at.phi = x += 1;
  r.at.phi_t = x += b->rows;
  r.at.gamma = x += b->rows;
  r.at.J = x += b->rows;
  r.spare = x + b->rows * n;
  memset(work->block_out, 0, (size_t)(r.spare - work->block_out) * sizeof *x);
  return r;
}

static void call(const hn_work *work, const hn_sys_block *b, const double *q, const double *v,
                 const results *r) {
  b->function(b->user, work->t, q, v, &r->at);
}

// ---- constraints and masses ----------------------------------------------------------------

// Measures of other elements may meet in one body's block, so these are sums; a block that looks at
// nobody writes each of its numbers once and needs no clearing.
static void clear_jacobian(const hn_work *work, const hn_group *g) {
  const hn_system *sys = work->sys;
  for (int k = g->first; k < g->first + g->bodies; k++)
    memset(work->J + sys->block_offset[k], 0,
           (size_t)(g->rows * sys->body[sys->group_body[k]].nv) * sizeof(double));
}

// Rows of a function touch the block's own coordinates alone: one column of one number each.
static void function_rows(hn_work *work, const hn_sys_block *b, int level) {
  const hn_system *sys = work->sys;
  results r = place_results(work, b);
  int n = b->n, row0 = b->group >= 0 ? sys->group[b->group].row0 : 0;
  r.at.force = r.at.potential = r.at.power = NULL;
  if (level < 1) r.at.mass = r.at.phi_t = r.at.J = NULL;
  if (level < 2) r.at.gamma = NULL;
  if (!b->rows) r.at.phi = r.at.phi_t = r.at.J = r.at.gamma = NULL;
  call(work, b, coordinates(work, b), level < 1 ? NULL : rates(work, b), &r);
  if (level >= 1)
    memcpy(work->mass_values + b->mass_first, r.at.mass, (size_t)(n * n) * sizeof(double));
  for (int i = 0; i < b->rows; i++) {
    work->phi[row0 + i] = i < b->holonomic ? r.at.phi[i] : 0;
    if (level < 1) continue;
    const double *v = rates(work, b);
    double psi = work->phi_t[row0 + i] = r.at.phi_t[i];
    for (int k = 0; k < n; k++) {
      work->J[b->jb[k] + i] = r.at.J[i * n + k];
      psi += r.at.J[i * n + k] * v[k];
    }
    work->psi[row0 + i] = psi;
    if (level >= 2) work->gamma[row0 + i] = r.at.gamma[i];
  }
}

// one row of J from its gradient along x
static void put_gradient(hn_work *work, const hn_sys_block *b, int row, const double *gradient) {
  const hn_system *sys = work->sys;
  for (int k = 0; k < b->n; k++) work->J[b->jb[k] + row] = gradient[k];
  for (int k = b->n; k < b->measures; k++) {
    const hn_measure *m = &sys->measure[b->measure[k]];
    const hn_mval *x = &work->mval[b->measure[k]];
    const hn_sys_body *A = &sys->body[m->a], *B = &sys->body[m->b];
    if (b->ja[k] >= 0) hn_add_row(work->J + b->ja[k] + row * A->nv, A->kind, gradient[k], x->ja);
    if (b->jb[k] >= 0) hn_add_row(work->J + b->jb[k] + row * B->nv, B->kind, gradient[k], x->jb);
  }
}

// x' number k
static double rate_of(const hn_work *work, const hn_sys_block *b, int k) {
  return k < b->n ? rates(work, b)[k] : work->mval[b->measure[k]].rate;
}

// psi = g_t + g_x.x', gamma = -(g_x.(bias of s) + terms of x'): a measure's second derivative is
// its gradient times accelerations plus a bias. Nonholonomic rows are given as psi itself.
static void formula_rows(hn_work *work, const hn_sys_block *b, int level) {
  const hn_system *sys = work->sys;
  int row0 = b->group >= 0 ? sys->group[b->group].row0 : 0, w = b->measures;
  load(work, b, level >= 1);
  if (level >= 1)
    memcpy(work->mass_values + b->mass_first, run(work, b->mass),
           (size_t)(b->n * b->n) * sizeof(double));
  if (!b->rows) return;
  const double *out = run(work, b->position);
  for (int i = 0; i < b->rows; i++) work->phi[row0 + i] = i < b->holonomic ? out[i] : 0;
  if (level < 1) return;
  if (w > b->n) clear_jacobian(work, &sys->group[b->group]);
  out = run(work, b->jacobian);
  for (int i = 0; i < b->rows; i++, out += w + 1) {
    double moved = 0, bias = 0;
    put_gradient(work, b, i, out);
    for (int k = 0; k < w; k++) moved += out[k] * rate_of(work, b, k);
    for (int k = b->n; k < w; k++) bias += out[k] * work->mval[b->measure[k]].bias;
    bool holonomic = i < b->holonomic;
    work->psi[row0 + i] = holonomic ? out[w] + moved : out[w];
    work->phi_t[row0 + i] = holonomic ? out[w] : out[w] - moved;
    if (level >= 2) work->gamma[row0 + i] = -bias;
  }
  if (level < 2) return;
  out = run(work, b->bias);
  for (int i = 0; i < b->rows; i++) work->gamma[row0 + i] -= out[i];
}

void hn_block_constraints(hn_work *work, int level) {
  for (int i = 0; i < work->sys->blocks; i++)
    if (work->sys->block[i].function)
      function_rows(work, &work->sys->block[i], level);
    else
      formula_rows(work, &work->sys->block[i], level);
}

// ---- forces --------------------------------------------------------------------------------

static void function_forces(hn_work *work, const hn_sys_block *b) {
  double *f = work->f + work->sys->body[b->body].v0;
  results r = place_results(work, b);
  r.at.mass = r.at.phi = r.at.phi_t = r.at.gamma = r.at.J = NULL;
  call(work, b, coordinates(work, b), rates(work, b), &r);
  for (int k = 0; k < b->n; k++) f[k] += r.at.force[k];
  work->potential += *r.at.potential;
  work->power += *r.at.power;
}

// What is recorded as potential is V - T0, by Jacobi's integral: `rest` is what rates of zero leave
// of the kinetic energy
void hn_block_force(hn_work *work, int block) {
  const hn_system *sys = work->sys;
  const hn_sys_block *b = &sys->block[block];
  if (b->function) {
    function_forces(work, b);
    return;
  }
  double *f = work->f + sys->body[b->body].v0;
  load(work, b, true);
  const double *out = run(work, b->force);
  for (int k = 0; k < b->n; k++) f[k] += out[k];
  for (int k = b->n; k < b->measures; k++) hn_apply_measure(sys, work, b->measure[k], out[k]);
  work->potential += out[b->measures];
  work->power += out[b->measures + 1];
  if (!b->rest) return;
  // rates of zero leave T0
  load(work, b, false);
  work->potential -= run(work, b->rest)[0];
}

void hn_block_forces(hn_work *work) {
  for (int i = 0; i < work->sys->blocks; i++) hn_block_force(work, i);
}

// ---- tangents ------------------------------------------------------------------------------

// Coordinates of a block are bodies of one velocity: only the first number of their 6 x 6 blocks
// counts.
// one number of a tangent between two coordinates of the block
static void add_own(const hn_system *sys, const hn_sys_block *b, hn_tangent *tangent, int which,
                    int i, int j, double value) {
  const double block[36] = {value};
  hn_tangent_add(sys, tangent, which, b->body + i, b->body + j, 1, block);
}

// what a function does not tell is differenced, from both sides.
// Step of central differences: the cube root of the rounding error, 6e-6, balances rounding (1e-16
// / h) and truncation (h^2). About ten digits are right, enough for Newton's iteration.
static double nudge(double x) {
  return 6e-6 * fmax(1, fabs(x));
}

// d(force)/dq, d(force)/dv of a function in place of formulas
static void function_tangent(hn_work *work, const hn_sys_block *b, hn_tangent *tangent) {
  results r = place_results(work, b);
  int n = b->n;
  double *x = work->block_in + 1, *low = r.spare;
  memcpy(x, coordinates(work, b), (size_t)n * sizeof *x);
  memcpy(x + n, rates(work, b), (size_t)n * sizeof *x);
  for (int j = 0; j < 2 * n; j++) {
    double keep = x[j], h = nudge(keep);
    for (int side = 0; side < 2; side++) {
      x[j] = keep + (side ? h : -h);
      r = place_results(work, b);
      r.at.mass = r.at.phi = r.at.phi_t = r.at.gamma = r.at.J = NULL;
      call(work, b, x, x + n, &r);
      if (side == 0) memcpy(low, r.at.force, (size_t)n * sizeof *low);
    }
    x[j] = keep;
    for (int i = 0; i < n; i++)
      add_own(work->sys, b, tangent, j < n ? HN_TANGENT_K : HN_TANGENT_C, i, j % n,
              (r.at.force[i] - low[i]) / (2 * h));
  }
}

// the gradient along x number k as a direction of force.
// Own coordinates are evaluated here, since their measures may be no one's: rows and forces of a
// block read q and v directly.
static hn_direction direction_of(hn_work *work, const hn_sys_block *b, int k) {
  int m = b->measure[k];
  if (k < b->n) hn_eval_measure(&work->sys->measure[m], work, &work->mval[m], 1);
  return hn_direction_measure(work->sys, work, m);
}

// f = sum_k F_k grad x_k. Of dF_k/dx and dF_k/dx' come outer products; where x_k is a measure of
// others its gradient changes as well, which is the Hessian times F_k.
void hn_block_tangent(hn_work *work, hn_tangent *tangent) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->blocks; i++) {
    const hn_sys_block *b = &sys->block[i];
    int w = b->measures;
    if (b->function) {
      function_tangent(work, b, tangent);
      continue;
    }
    load(work, b, true);
    const double *out = run(work, b->force);
    // F_k times the second derivatives of x_k
    for (int k = b->n; k < w; k++)
      hn_tangent_measure(sys, work, b->measure[k], out[k], 0, 0, tangent);
    out = run(work, b->slope);
    for (int k = 0; k < w; k++, out += 2 * w) {
      hn_direction d = direction_of(work, b, k);
      for (int j = 0; j < w; j++)
        if (out[j] != 0 || out[w + j] != 0)
          hn_tangent_signal(sys, work, &d, b->measure[j], out[j], out[w + j], tangent);
    }
  }
}

// d(J^T lambda)/dq of a function in place of formulas
static void function_curve(hn_work *work, const hn_sys_block *b, const double *lambda,
                           hn_tangent *tangent) {
  results r = place_results(work, b);
  int n = b->n;
  double *x = work->block_in + 1, *low = r.spare;
  memcpy(x, coordinates(work, b), (size_t)n * sizeof *x);
  memcpy(x + n, rates(work, b), (size_t)n * sizeof *x);
  for (int j = 0; j < n; j++) {
    double keep = x[j], h = nudge(keep);
    for (int side = 0; side < 2; side++) {
      x[j] = keep + (side ? h : -h);
      r = place_results(work, b);
      r.at.mass = r.at.force = r.at.potential = r.at.power = r.at.gamma = NULL;
      call(work, b, x, x + n, &r);
      if (side == 0) memcpy(low, r.at.J, (size_t)(b->rows * n) * sizeof *low);
    }
    x[j] = keep;
    for (int i = 0; i < n; i++) {
      double change = 0;
      for (int k = 0; k < b->rows; k++) change += lambda[k] * (r.at.J[k * n + i] - low[k * n + i]);
      add_own(work->sys, b, tangent, HN_TANGENT_K, i, j, change / (2 * h));
    }
  }
}

// d(J^T lambda)/dq, J = g_x x_q: second derivatives of g between all pairs of x, and g_x times
// those of every measure.
static void formula_curve(hn_work *work, const hn_sys_block *b, const double *lambda,
                          hn_tangent *tangent) {
  const hn_system *sys = work->sys;
  int w = b->measures;
  load(work, b, true);
  const double *out = run(work, b->jacobian);
  for (int i = 0; i < b->rows; i++, out += w + 1)
    for (int k = b->n; k < w; k++)
      hn_tangent_measure(sys, work, b->measure[k], lambda[i] * out[k], 0, 0, tangent);
  out = run(work, b->curve);
  for (int i = 0; i < b->rows; i++)
    for (int k = 0; k < w; k++, out += w) {
      hn_direction d = direction_of(work, b, k);
      for (int j = 0; j < w; j++)
        if (out[j] != 0)
          hn_tangent_signal(sys, work, &d, b->measure[j], lambda[i] * out[j], 0, tangent);
    }
}

void hn_block_constraint_tangent(hn_work *work, const double *lambda, hn_tangent *tangent) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->blocks; i++) {
    const hn_sys_block *b = &sys->block[i];
    if (!b->rows) continue;
    const double *own = lambda + sys->group[b->group].row0;
    // gradients of all measures are needed
    for (int k = 0; k < b->measures; k++) (void)direction_of(work, b, k);
    if (b->function)
      function_curve(work, b, own, tangent);
    else
      formula_curve(work, b, own, tangent);
  }
}

// d(psi)/dq of a function in place of formulas
static void function_drift(hn_work *work, const hn_sys_block *b, double *V) {
  results r = place_results(work, b);
  int n = b->n;
  double *x = work->block_in + 1;
  memcpy(x, coordinates(work, b), (size_t)n * sizeof *x);
  memcpy(x + n, rates(work, b), (size_t)n * sizeof *x);
  for (int j = 0; j < n; j++) {
    double keep = x[j], h = nudge(keep);
    for (int side = 0; side < 2; side++) {
      x[j] = keep + (side ? h : -h);
      r = place_results(work, b);
      r.at.mass = r.at.force = r.at.potential = r.at.power = r.at.gamma = NULL;
      call(work, b, x, x + n, &r);
      for (int i = 0; i < b->rows; i++) {
        // psi = phi_t + J x' with the rates as they are
        double psi = r.at.phi_t[i];
        for (int k = 0; k < n; k++) psi += r.at.J[i * n + k] * x[n + k];
        V[b->jb[j] + i] += (side ? psi : -psi) / (2 * h);
      }
    }
    x[j] = keep;
  }
}

// s times a gradient over the two bodies of x number k into its places of a row
static void add_pair(const hn_system *sys, const hn_sys_block *b, int k, int row, double s,
                     const double g[12], double *V) {
  const hn_measure *m = &sys->measure[b->measure[k]];
  const hn_sys_body *A = &sys->body[m->a], *B = &sys->body[m->b];
  if (b->ja[k] >= 0) hn_add_row(V + b->ja[k] + row * A->nv, A->kind, s, g);
  if (b->jb[k] >= 0) hn_add_row(V + b->jb[k] + row * B->nv, B->kind, s, g + 6);
}

void hn_block_velocity_tangent(hn_work *work, double *V) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->blocks; i++) {
    const hn_sys_block *b = &sys->block[i];
    int w = b->measures;
    if (!b->rows) continue;
    if (b->function) {
      function_drift(work, b, V);
      continue;
    }
    load(work, b, true);
    // d(psi)/dx times the gradients of x, then the gradient times d(x')/dq
    const double *out = run(work, b->drift);
    for (int r = 0; r < b->rows; r++, out += w)
      for (int k = 0; k < w; k++) {
        hn_direction d = direction_of(work, b, k);
        add_pair(sys, b, k, r, out[k], d.j, V);
      }
    out = run(work, b->jacobian);
    for (int r = 0; r < b->rows; r++, out += w + 1)
      for (int k = b->n; k < w; k++) {
        double g[12];
        hn_rate_gradient(sys, work, b->measure[k], g);
        add_pair(sys, b, k, r, out[k], g, V);
      }
  }
}

// a is held while q changes. For functions, as for their forces, by differences.
void hn_mass_tangent(hn_work *work, const double *a, hn_tangent *tangent) {
  const hn_system *sys = work->sys;
  hn_flexible_mass_tangent(work, a, tangent);
  hn_spread_mass_tangent(work, a, tangent);
  for (int i = 0; i < sys->blocks; i++) {
    const hn_sys_block *b = &sys->block[i];
    const double *own = a + sys->body[b->body].v0;
    int n = b->n;
    if (!b->function) {
      load(work, b, true);
      memcpy(work->block_in + 1 + 2 * b->measures, own, (size_t)n * sizeof *own);
      const double *out = run(work, b->inertia);
      for (int k = 0; k < n * n; k++) add_own(sys, b, tangent, HN_TANGENT_K, k / n, k % n, -out[k]);
      continue;
    }
    results r = place_results(work, b);
    double *x = work->block_in + 1, *low = r.spare;
    memcpy(x, coordinates(work, b), (size_t)n * sizeof *x);
    memcpy(x + n, rates(work, b), (size_t)n * sizeof *x);
    for (int j = 0; j < n; j++) {
      double keep = x[j], h = nudge(keep);
      for (int side = 0; side < 2; side++) {
        x[j] = keep + (side ? h : -h);
        r = place_results(work, b);
        r.at.force = r.at.potential = r.at.power = NULL;
        r.at.phi = r.at.phi_t = r.at.gamma = r.at.J = NULL;
        call(work, b, x, x + n, &r);
        for (int k = 0; k < n; k++) {
          double sum = 0;
          // row k of M a
          for (int c = 0; c < n; c++) sum += r.at.mass[k * n + c] * own[c];
          if (side)
            add_own(sys, b, tangent, HN_TANGENT_K, k, j, -(sum - low[k]) / (2 * h));
          else
            low[k] = sum;
        }
      }
      x[j] = keep;
    }
  }
}
