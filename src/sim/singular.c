// singular.c: places where rows become dependent for an instant, and mechanisms that lock.
//
// The smallest singular value s of the constraints (root of the pivot ratio) goes through zero
// there with a corner, |t - t*|. The steps tell s at their ends for nothing; where the line through
// the last two values meets zero before the next step ends, the step is searched on the dense
// output. A minimum that is zero for practical purposes is a singular configuration. The joints are
// those that take part in the dependency: inverse iteration with the damped equations finds it.
//
// Whether the motion went on as it was is judged by its velocities: those of a step do not follow
// from the ones before when the mechanism has changed to another branch.
//
// A mechanism locks when no configuration near the last one meets the joints a little later: the
// violation, minimised by damped Newton steps, does not go away.
#include "sim/sim.h"

#include "analysis/analysis.h"
#include "bodies/natural.h"
#include "linalg/dense_step.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 64, SAMPLES = 6, GOLDEN = 20, LARGEST = 256, CLOSING = 80 };
static const double zero = 2e-3,
                    small = 0.05;  // what counts as zero, absolute and against the ends

struct hn_watch {
  int points;            // values known: t[2] is the last
  double t[3], s[3];     // of the singular value
  double *v_before;      // velocities at the start of the step before
  double h_before;       // its size, 0: none
  double *y, *l;         // scratch: a state, a multiplier vector
  const hn_system *all;  // the system that has all rows of the model, in reference coordinates
  hn_work work;          // its work space, where the run is in other coordinates
  double *z;             // as many as its rows
  hn_cod *cod;           // for counting lost rows, NULL: too many rows
  int found;             // in all; the first MOST are kept
  hn_singular_place place[MOST];
};

void hn_watch_layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  if (!sys->rows) return;
  struct hn_watch *w = HN_TAKE(arena, struct hn_watch, 1), place = {0};
  place.v_before = HN_TAKE(arena, double, sys->nv);
  place.y = HN_TAKE(arena, double, sim->n);
  place.l = HN_TAKE(arena, double, sys->rows);
  const hn_system *all = place.all = sys->reference ? sys->reference : sys;
  if (all->rows <= LARGEST && all->nv <= LARGEST) {
    hn_cod scratch = {0};
    place.cod = HN_TAKE(arena, hn_cod, 1);
    hn_cod_layout(arena->base ? place.cod : &scratch, arena, all->nv, all->rows);
    place.z = HN_TAKE(arena, double, 2 * all->rows + all->nv);
    if (all != sys) hn_work_layout(&place.work, arena, all);
  }
  if (!arena->base) return;
  *w = place;
  sim->watch = w;
}

void hn_watch_reset(hn_sim *sim) {
  if (!sim->watch) return;
  sim->watch->points = 0;
  sim->watch->h_before = 0;
}

// ---- the singular value --------------------------------------------------------------------

static double value_here(hn_sim *sim) {
  hn_kkt_factor(&sim->kkt, &sim->work, HN_WEIGHT_MASS, sim->D);
  sim->fresh = false;
  return sqrt(fmax(sim->kkt.pivot_ratio, 0));
}

// at a time inside the last step; the state is left in watch->y and evaluated
static double value_at(hn_sim *sim, double t) {
  double *y = sim->watch->y;
  if (t < sim->t)
    hn_dense(sim, t, y);
  else
    memcpy(y, sim->y, (size_t)sim->n * sizeof(double));
  hn_eval_jacobian(&sim->work, t, y, y + sim->sys->nq);
  return value_here(sim);
}

// the dependency in watch->l, in units of the rows' own sizes: the largest is 1
static void find_dependency(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  double *l = sim->watch->l, *size = sim->x_r2;
  hn_row_sizes(sim, size);
  for (int i = 0; i < sys->rows; i++) {
    bool out = sim->D && sim->D[i] > 0;
    if (!(size[i] > 0)) size[i] = 1;
    sim->D_soft[i] = out ? sim->D[i] : 1e-10 * size[i];
    l[i] = out ? 0 : (i % 2 ? -1 : 1) * (0.5 + 7919 * (i + 1) % 101 / 101.0) / sqrt(size[i]);
  }
  hn_kkt_factor(&sim->kkt, &sim->work, HN_WEIGHT_MASS, sim->D_soft);
  for (int pass = 0; pass < 3; pass++) {
    memset(sim->x_v, 0, (size_t)sys->nv * sizeof(double));
    hn_kkt_solve(&sim->kkt, &sim->work, sim->x_v, l);
    double most = 0;
    for (int i = 0; i < sys->rows; i++) most = fmax(most, fabs(l[i]) * sqrt(size[i]));
    for (int i = 0; i < sys->rows; i++)
      l[i] *= (pass < 2 ? size[i] : sqrt(size[i])) / (most > 0 ? most : 1);
  }
  sim->fresh = false;
}

// the joints with a large part in l, which belongs to the rows of sys
static void name_joints(const hn_system *sys, const double *l, char *text, size_t size) {
  size_t used = 0;
  int more = 0, said = 0;
  text[0] = 0;
  for (int j = 0; j < sys->joints; j++) {
    if (sys->joint[j].group < 0) continue;
    const hn_group *g = &sys->group[sys->joint[j].group];
    double part = 0;
    for (int i = 0; i < g->rows; i++) part = fmax(part, fabs(l[g->row0 + i]));
    if (part < 0.1) continue;
    if (said == 8 || used + strlen(sys->joint[j].name) + 24 > size) {
      more++;
      continue;
    }
    used +=
        (size_t)snprintf(text + used, size - used, "%s%s", said ? ", " : "", sys->joint[j].name);
    said++;
  }
  if (more) snprintf(text + used, size - used, " and %d more", more);
}

// all rows of the model at the state last evaluated, scaled, in the matrix of watch->cod
static void write_rows(hn_sim *sim) {
  struct hn_watch *w = sim->watch;
  const hn_work *work = &sim->work;
  if (w->all != sim->sys) {
    if (sim->sys->tree)
      hn_tree_quaternions(&sim->work);
    else
      hn_natural_quaternions(&sim->work);
    hn_eval_jacobian(&w->work, work->t, work->q, work->v);
    work = &w->work;
  }
  hn_jacobian_dense(work, w->cod->a);
  hn_scale_rows(w->all, w->cod->a);
}

// rows that are dependent here but not in general; the dependency is left in watch->z
static int rows_lost(hn_sim *sim, double sigma) {
  struct hn_watch *w = sim->watch;
  int rows = w->all->rows, nv = w->all->nv;
  double *z = w->z, *x = z + rows, *b = x + rows, most = 0;
  write_rows(sim);
  // a vector in general position, less what the rows make of it
  memset(b, 0, (size_t)nv * sizeof(double));
  for (int i = 0; i < rows; i++) {
    z[i] = (i % 2 ? -1 : 1) * (0.5 + 7919 * (i + 1) % 101 / 101.0);
    const double *row = w->cod->a + (size_t)i * (size_t)nv;
    for (int k = 0; k < nv; k++) b[k] += row[k] * z[i];
  }
  hn_cod_factor(w->cod, 20 * sigma + 1e-6, rows);
  hn_cod_solve(w->cod, b, x);
  for (int i = 0; i < rows; i++) most = fmax(most, fabs(z[i] -= x[i]));
  for (int i = 0; i < rows; i++) z[i] /= most > 0 ? most : 1;
  return rows - w->all->redundant - w->cod->rank;
}

// names of the joints at a singular place; false when there is none
static bool describe(hn_sim *sim, double sigma, hn_singular_place *p) {
  struct hn_watch *w = sim->watch;
  p->rows_lost = w->cod ? rows_lost(sim, sigma) : 0;
  if (w->cod && p->rows_lost <= 0) return false;  // another choice of rows serves
  if (w->cod && !w->all->redundant) {
    name_joints(w->all, w->z, p->joints, sizeof p->joints);
    return true;
  }
  find_dependency(sim);
  name_joints(sim->sys, w->l, p->joints, sizeof p->joints);
  return true;
}

// ---- along the motion ----------------------------------------------------------------------

// where in the last step the value is least
static double search(hn_sim *sim, double *t) {
  double a = sim->t_old, h = sim->t - a, best = INFINITY;
  int at = 0;
  for (int i = 1; i <= SAMPLES; i++) {
    double s = value_at(sim, a + h * i / (SAMPLES + 1));
    if (s < best) best = s, at = i;
  }
  const double golden = 0.6180339887498949;
  double left = a + h * (at - 1) / (SAMPLES + 1), right = a + h * (at + 1) / (SAMPLES + 1);
  double x[2] = {right - golden * (right - left), left + golden * (right - left)};
  double s[2] = {value_at(sim, x[0]), value_at(sim, x[1])};
  for (int pass = 0; pass < GOLDEN; pass++) {
    bool lower = s[0] < s[1];
    if (lower)
      right = x[1], x[1] = x[0], s[1] = s[0], x[0] = right - golden * (right - left);
    else
      left = x[0], x[0] = x[1], s[0] = s[1], x[1] = left + golden * (right - left);
    s[!lower] = value_at(sim, x[!lower]);
  }
  *t = s[0] < s[1] ? x[0] : x[1];
  return fmin(s[0], s[1]);
}

// velocities of the step beyond what those of the step before make expected, relative to the range
// of velocities, from one extreme to the other
static double jump_of(const hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const struct hn_watch *w = sim->watch;
  if (!(w->h_before > 0)) return 0;
  const double *v = sim->y + sys->nq, *v_old = sim->y_old + sys->nq;
  double worst = 0, h = (sim->t - sim->t_old) / w->h_before;
  for (int i = 0; i < sys->nv; i++) {
    double x = v[i] - v_old[i] - h * (v_old[i] - w->v_before[i]);
    worst = fmax(worst, 0.5 * fabs(x) / sim->speed[sys->angular_v[i]]);
  }
  return worst;
}

static double energy_at(hn_sim *sim, double t, const double *y) {
  hn_eval_all(&sim->work, t, y, y + sim->sys->nq);
  sim->fresh = false;
  return hn_kinetic_energy(&sim->work) + hn_potential_energy(&sim->work) - y[sim->w];
}

static void note_place(hn_sim *sim, double t, double sigma) {
  struct hn_watch *w = sim->watch;
  hn_singular_place p = {.time = t, .sigma = sigma};
  value_at(sim, t);
  if (!describe(sim, sigma, &p)) return;
  p.jump = jump_of(sim);
  double before = energy_at(sim, sim->t_old, sim->y_old), after = energy_at(sim, sim->t, sim->y);
  p.energy = sim->largest_energy > 0 ? fabs(after - before) / sim->largest_energy : 0;
  p.passed = p.jump <= HN_JUMP_LIMIT;
  hn_audit_note(sim, HN_AUDIT_JUMP, p.jump, t, -1);
  if (w->found < MOST) w->place[w->found] = p;
  w->found++;
}

// does the line through the values before this step meet zero before the next ones end, or is the
// value after it far from that line? Then it may have gone to zero and come back
static bool foreseen(const struct hn_watch *w) {
  if (w->points < 3) return false;
  double fall = w->s[0] - w->s[1], h = w->t[1] - w->t[0], ahead = w->t[2] - w->t[1];
  if (!(fall > 0) || !(h > 0)) return false;
  return w->s[1] * h < fall * 3 * ahead || fabs(w->s[1] - fall * ahead / h - w->s[2]) > 0.15;
}

void hn_watch_step(hn_sim *sim) {
  struct hn_watch *w = sim->watch;
  if (!w) return;
  if (!sim->seen) {  // the method does not factorise the rows itself
    hn_eval_jacobian(&sim->work, sim->t, sim->y, sim->y + sim->sys->nq);
    sim->seen_value = value_here(sim);
    sim->seen_t = sim->t;
  }
  sim->seen = false;
  if (w->points && !(sim->seen_t > w->t[2])) return;
  for (int i = 0; i < 2; i++) w->t[i] = w->t[i + 1], w->s[i] = w->s[i + 1];
  w->t[2] = sim->seen_t, w->s[2] = sim->seen_value;
  if (w->points < 3) w->points++;
  if (foreseen(w)) {
    double t, sigma = search(sim, &t);
    double ends = fmin(w->s[1], w->s[2]);
    bool inside =
        t > sim->t_old + 1e-6 * (sim->t - sim->t_old) && t < sim->t - 1e-6 * (sim->t - sim->t_old);
    if (inside && sigma < zero && sigma < small * fmax(ends, zero)) note_place(sim, t, sigma);
  }
  memcpy(w->v_before, sim->y_old + sim->sys->nq, (size_t)sim->sys->nv * sizeof(double));
  w->h_before = sim->t - sim->t_old;
}

int hn_sim_singular_count(const hn_sim *sim) {
  return sim->watch ? sim->watch->found : 0;
}

const hn_singular_place *hn_sim_singular(const hn_sim *sim, int index) {
  const struct hn_watch *w = sim->watch;
  return w && index >= 0 && index < w->found && index < MOST ? &w->place[index] : NULL;
}

// ---- when a step fails ---------------------------------------------------------------------

static double violation(const hn_sim *sim) {
  double sum = 0;
  for (int i = 0; i < sim->sys->rows; i++)
    if (sim->sys->holonomic[i]) sum += sim->work.phi[i] * sim->work.phi[i];
  return sqrt(sum);
}

// least violation reached at time t from the last state
static double close_at(hn_sim *sim, double t) {
  const hn_system *sys = sim->sys;
  double *q = sim->watch->y, *trial = sim->y_stage, damping = 1e-3;
  memcpy(q, sim->y, (size_t)sim->n * sizeof(double));
  memcpy(trial, q, (size_t)sim->n * sizeof(double));
  hn_eval_jacobian(&sim->work, t, q, q + sys->nq);
  double now = violation(sim);
  for (int pass = 0; pass < CLOSING && now > 1e-12 * sys->length; pass++) {
    hn_row_sizes(sim, sim->D_soft);
    for (int i = 0; i < sys->rows; i++) {
      bool out = (sim->D && sim->D[i] > 0) || !sys->holonomic[i];
      sim->x_r[i] = out ? 0 : -sim->work.phi[i];
      sim->D_soft[i] = out ? HN_LEFT_OUT : damping * (sim->D_soft[i] > 0 ? sim->D_soft[i] : 1);
    }
    hn_kkt_factor(&sim->kkt, &sim->work, HN_WEIGHT_MASS, sim->D_soft);
    memset(sim->x_v, 0, (size_t)sys->nv * sizeof(double));
    hn_kkt_solve(&sim->kkt, &sim->work, sim->x_v, sim->x_r);
    memcpy(trial, q, (size_t)sys->nq * sizeof(double));
    hn_retract(sys, trial, sim->x_v);
    hn_eval_jacobian(&sim->work, t, trial, trial + sys->nq);
    double next = violation(sim);
    bool better = next < now;
    if (better) {
      memcpy(q, trial, (size_t)sys->nq * sizeof(double));
      now = next;
    } else {
      hn_eval_jacobian(&sim->work, t, q, q + sys->nq);
    }
    damping = fmin(fmax(damping * (better ? 0.2 : 5), 1e-12), 1e6);
  }
  return now;
}

// no configuration near the last one meets the joints a little later, and less so later still
static bool locked(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  if (!sys->rheonomic) return false;
  // until the prescribed motion has gone on by a hundredth of the model's size
  double rate = 0;
  hn_eval_jacobian(&sim->work, sim->t, sim->y, sim->y + sys->nq);
  for (int i = 0; i < sys->rows; i++)
    rate = fmax(rate, fabs(sim->work.phi_t[i]) / (sys->angular_row[i] ? 1 : sys->length));
  if (!(rate > 0)) return false;
  double first = close_at(sim, sim->t + 0.01 / rate), second = close_at(sim, sim->t + 0.02 / rate);
  return first > 1e-5 * sys->length && second > 1.3 * first;
}

hn_status hn_explain_failure(hn_sim *sim, hn_status status) {
  const hn_system *sys = sim->sys;
  bool of_joints = status == HN_ERR_STEP || status == HN_ERR_ASSEMBLY ||
                   status == HN_ERR_SINGULAR || status == HN_ERR_DIVERGED;
  if (!sim->watch || !of_joints) return status;
  hn_eval_jacobian(&sim->work, sim->t, sim->y, sim->y + sys->nq);
  double sigma = value_here(sim);
  hn_singular_place here = {0};
  if (!describe(sim, fmax(sigma, 1e-3), &here)) {
    find_dependency(sim);
    name_joints(sys, sim->watch->l, here.joints, sizeof here.joints);
  }
  bool ends = locked(sim);
  sim->fresh = sim->ydot_valid = false;
  if (ends)
    return hn_sim_fail(
        sim, HN_ERR_LOCKED,
        "t=%.9g: the mechanism locks: the prescribed motion cannot go on, and joints "
        "%s are in their limit position (smallest singular value %.2g)",
        sim->t, here.joints, sigma);
  if (!(sigma < HN_NEAR_SINGULAR)) return status;
  char message[HN_MESSAGE];
  snprintf(message, sizeof message, "%s", sim->message);
  return hn_sim_fail(sim, status,
                     "%.280s; near a singular configuration: rows of %.150s become dependent (the "
                     "default method passes such places)",
                     message, here.joints);
}
