// energy.c: the equations of a step of the energy-momentum family, see energy.h.
#include "integrators/energy/energy.h"

#include <stdlib.h>
#include <string.h>

// a force on recovered poses
static bool acts_on_poses(const hn_batch *b) {
  return !b->ops->line && !b->ops->between;
}

void hn_energy_layout(hn_energy_step *s, hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  const hn_natural *n = hn_natural_own(sys);
  int nv = sys->nv, rows = sys->rows, forces = 0;
  if (!n) return;  // refused by hn_energy_create
  for (int i = 0; i < sys->batches; i++)
    if (sys->batch[i].ops->line) forces += sys->batch[i].count;
  s->sys = sys;
  s->pairs = hn_energy_pairs(sys);
  s->pair = HN_TAKE(arena, hn_energy_pair, s->pairs);
  s->force = HN_TAKE(arena, hn_energy_force, forces);
  s->gravity = HN_TAKE(arena, double, nv);
  s->carry = HN_TAKE(arena, double, nv);
  s->carry_left = HN_TAKE(arena, double, nv);
  s->q_left = HN_TAKE(arena, double, sys->nq);
  s->u0 = HN_TAKE(arena, double, 3 * n->forms);
  s->u1 = HN_TAKE(arena, double, 3 * n->forms);
  s->um = HN_TAKE(arena, double, 3 * n->forms);
  s->pi0 = HN_TAKE(arena, double, n->products);
  s->pi1 = HN_TAKE(arena, double, n->products);
  s->value0 = HN_TAKE(arena, double, n->functions);
  s->discrete = HN_TAKE_NUMBERS(arena, hn_discrete, n->functions);
  s->motion0 = HN_TAKE(arena, double, sys->motions);
  s->q1 = HN_TAKE(arena, double, nv);
  s->v1 = HN_TAKE(arena, double, nv);
  s->mid = HN_TAKE(arena, double, nv);
  s->rate = HN_TAKE(arena, double, nv);
  s->w = HN_TAKE(arena, double, nv);
  s->a = HN_TAKE(arena, double, nv);
  s->l = HN_TAKE(arena, double, rows);
  s->lambda = HN_TAKE(arena, double, rows);
  s->f = HN_TAKE(arena, double, nv);
  s->r = HN_TAKE(arena, double, nv);
  s->phi = HN_TAKE(arena, double, rows);
  s->D = HN_TAKE(arena, double, n->start[rows]);
  s->J1 = HN_TAKE(arena, double, n->start[rows]);
  s->x = HN_TAKE(arena, double, nv + rows);
  s->ga = HN_TAKE(arena, double, nv);
  s->gb = HN_TAKE(arena, double, nv);
  s->pull = HN_TAKE_NUMBERS(arena, hn_energy_pull, forces);
  s->middle = HN_TAKE(arena, double, sys->states);
  s->forces = forces;
}

// ---- the start of a step -------------------------------------------------------------------

// points and vectors, whose products measures and rows are made of
static void eval_forms(const hn_energy_step *s, const double *q, double *u) {
  for (int i = 0; i < s->forms; i++) hn_form_value(hn_natural_own(s->sys), i, q, u + 3 * i);
}
static void eval_products(const hn_energy_step *s, const double *u, double *p) {
  const hn_product *product = hn_natural_own(s->sys)->product;
  for (int i = 0; i < s->products; i++) p[i] = v3_dot(u + 3 * product[i].u, u + 3 * product[i].w);
}

static void run_motions(const hn_energy_step *s, const hn_work *work, double t) {
  for (int i = 0; i < s->sys->motions; i++) hn_run_motion(work, i, t, work->motion + 3 * i);
}

const hn_energy_view hn_energy_whole = {.place = 0.5, .whole = 1, .slope = 1};

void hn_energy_begin(hn_energy_step *s, hn_sim *sim, double h) {
  const hn_system *sys = s->sys;
  s->h = h;
  s->kappa = 0.5 * h;
  s->factor = h * s->kappa;
  s->view = hn_energy_whole;
  for (int i = 0; i < sys->nv; i++) s->w[i] = h * s->a[i];
  for (int i = 0; i < sys->rows; i++) s->l[i] = s->factor * s->lambda[i];
  s->v0 = sim->state.y + sys->nq;
  // what rounding left out belongs to the positions of the last end: others begin without
  bool same = memcmp(sim->state.y, s->q_left, (size_t)sys->nq * sizeof(double)) == 0;
  for (int i = 0; i < sys->nv; i++) s->carry[i] = same ? s->carry_left[i] : 0;
  hn_energy_from(s, sim, sim->state.y, NULL);
}

void hn_energy_from(hn_energy_step *s, hn_sim *sim, const double *q0, const double *value0) {
  const hn_system *sys = s->sys;
  const hn_natural *n = hn_natural_own(sys);
  s->q0 = q0;
  eval_forms(s, q0, s->u0);
  eval_products(s, s->u0, s->pi0);
  if (s->pairs) hn_energy_pairs_begin(s, q0);
  if (value0) memcpy(s->value0, value0, (size_t)n->functions * sizeof(double));
  if (!s->posed || value0) return;
  hn_eval_position(&sim->stage.work, sim->state.t, q0);
  hn_eval_measures(&sim->stage.work);
  for (int i = 0; i < n->functions; i++)
    if (n->function[i].measure >= 0)
      s->value0[i] = sim->stage.work.mval[n->function[i].measure].value;
  for (int i = 0; i < sys->motions; i++) s->motion0[i] = sim->stage.work.motion[3 * i];
}

// ---- rows ----------------------------------------------------------------------------------

// y += factor * sum of weight_i grad pi_i, of the products of a function
static void add_gradient(const hn_natural *n, int function, const double weight[2], const double *u,
                         double factor, double *y) {
  const int *product = n->function[function].product;
  for (int p = 0; p < 2 && product[p] >= 0; p++)
    hn_product_gradient(n, product[p], u + 3 * n->product[product[p]].u,
                        u + 3 * n->product[product[p]].w, factor * weight[p], y);
}

// takes a row out of the scratch, which is zero again behind it
static void gather(const hn_natural *n, int row, double *scratch, double *J) {
  for (int k = n->start[row]; k < n->start[row + 1]; k++) {
    J[k] = scratch[n->column[k]];
    scratch[n->column[k]] = 0;
  }
}

// between the products at the start and those at the end
static void eval_discrete(hn_energy_step *s, int function) {
  const hn_function *f = &hn_natural_own(s->sys)->function[function];
  double x[2] = {s->pi0[f->product[0]], 0}, y[2] = {s->pi1[f->product[0]], 0};
  if (f->product[1] >= 0) x[1] = s->pi0[f->product[1]], y[1] = s->pi1[f->product[1]];
  hn_discrete_function(f->type, x, y, &s->discrete[function]);
}

// Phi at the end, its discrete derivative over the step, its gradient at the end
static void eval_rows(hn_energy_step *s, hn_work *work) {
  const hn_system *sys = s->sys;
  const hn_natural *n = hn_natural_own(sys);
  double *scratch = hn_natural_at(work)->scratch;
  for (int i = 0; i < n->row_functions; i++) eval_discrete(s, i);
  for (int i = 0; i < sys->rows; i++) {
    const hn_natural_row *r = &n->row[i];
    double phi = -r->constant;
    if (r->motion >= 0) phi -= work->motion[3 * r->motion];
    for (int t = r->first; t < r->first + r->terms; t++) {
      const hn_natural_term *term = &n->term[t];
      const hn_function *f = &n->function[term->function];
      const hn_discrete *d = &s->discrete[term->function];
      double value = s->value0[term->function] + d->change;
      if (f->type == HN_F_VALUE)
        // a plain value is the product itself: no change has to be added up
        value = s->pi1[f->product[0]] + (f->measure >= 0 ? sys->measure[f->measure].offset : 0);
      phi += term->coefficient * value;
      add_gradient(n, term->function, d->d, s->um, term->coefficient, scratch);
    }
    s->phi[i] = phi;
    gather(n, i, scratch, s->D);
    // the gradient at the end is for Newton's matrix alone
    for (int t = r->first; t < r->first + r->terms; t++)
      add_gradient(n, n->term[t].function, s->discrete[n->term[t].function].g, s->u1,
                   n->term[t].coefficient, scratch);
    gather(n, i, scratch, s->J1);
  }
}

// ---- forces --------------------------------------------------------------------------------

// forces on poses at the midpoint
static void eval_others(hn_energy_step *s, hn_sim *sim) {
  const hn_system *sys = s->sys;
  hn_work *work = &sim->stage.work;
  double place = s->view.place;
  for (int i = 0; i < sys->nv; i++) {
    s->mid[i] = (1 - place) * s->q0[i] + place * s->q1[i];
    s->rate[i] = s->view.rate ? s->view.rate[i] : (s->q1[i] - s->q0[i]) / s->h;
  }
  hn_eval_jacobian(work, sim->state.t + (s->view.end_part > 0 ? 0 : 0.5 * s->h), s->mid, s->rate);
  hn_eval_measures(work);
  if (work->rule) {
    (void)hn_follow_states(work);  // others see numbers that are none
    if (work->rule->rate > 0) memcpy(s->middle, work->state, (size_t)sys->states * sizeof(double));
  }
  memcpy(work->f, sys->constant_force, (size_t)sys->bv * sizeof(double));
  work->power = work->potential = 0;
  for (int i = 0; i < sys->batches; i++) {
    const hn_batch *b = &sys->batch[i];
    if (acts_on_poses(b)) b->ops->eval(sys, work, b->count, b->data);
  }
  if (work->pushed) hn_eval_pushes(work);
  hn_reduce_forces(work);
  memcpy(s->f, work->r, (size_t)sys->nv * sizeof(double));
  // they have no discrete derivative: their power in the middle, over the step
  s->done += s->h * work->power;
  // hn_energy_work reads the motions at the end
  run_motions(s, work, sim->state.t + s->h);
}

// what a force along a measure looks at, at the fraction `part` of the step
static void measure_at(const hn_energy_step *s, hn_work *work, int measure, double part) {
  int function = hn_natural_own(s->sys)->of_measure[measure];
  double change = s->discrete[function].change;
  double before = s->view.before ? s->view.before[function] : 0;
  work->mval[measure].value = s->value0[function] + part * change;
  work->mval[measure].rate = (s->view.whole * change + before) / s->h;
}

// the tension at the end does at least the work of the difference of energies
static bool ends_well(const hn_tension v[3], double change, double scale) {
  double end = v[2].force - v[2].lossy, work = v[2].energy - v[0].energy;
  if (fabs(change) <= 1e-4 * scale)
    work = change * (v[0].force - v[0].lossy + 4 * (v[1].force - v[1].lossy) + end) / 6;
  return end * change >= work - 1e-13 * fabs(work);
}

// tension of a law as the quotient of its energies, and its slope by the measure at the end; where
// the quotient would lose digits, by Simpson's rule. What has no potential is taken in the middle.
static void discrete_law(hn_energy_step *s, hn_work *work, int k) {
  const hn_energy_force *e = &s->force[k];
  const hn_line *line = &e->line;
  hn_energy_pull *o = &s->pull[k];
  double change = s->discrete[e->function].change, scale = line->angular ? 1 : s->sys->length;
  if (line->posed) {  // no potential; everything is measured at the midpoint
    *o = (hn_energy_pull){.force = e->ops->tension(s->sys, work, e->data).force};
    s->done += line->sign * o->force * change;
    return;
  }
  hn_tension v[3];  // start, midpoint, end; the damping is the same at all of them
  // others look at the midpoint
  const hn_mval middle = work->mval[line->measure],
                seen = line->sees >= 0 ? work->mval[line->sees] : middle;
  for (int i = 0; i < 3; i++) {
    measure_at(s, work, line->measure, 0.5 * i);
    if (line->sees >= 0) measure_at(s, work, line->sees, 0.5);
    v[i] = e->ops->tension(s->sys, work, e->data);
  }
  if (line->sees >= 0) work->mval[line->sees] = seen;
  work->mval[line->measure] = middle;
  const hn_tension at_end = v[2], *loss = s->view.end_part > 0 ? &at_end : &v[1];
  bool well = s->view.end_part > 0 && ends_well(v, change, scale);
  if (fabs(change) > 1e-4 * scale) {
    o->force = (v[2].energy - v[0].energy) / change;
    o->slope = (v[2].force - v[2].lossy - o->force) / change;
  } else {
    for (int i = 0; i < 3; i++) v[i].force -= v[i].lossy;
    o->force = (v[0].force + 4 * v[1].force + v[2].force) / 6;
    o->slope = (2 * v[1].by_value + v[2].by_value) / 6;
  }
  if (well) {
    double part = s->view.end_part;
    o->force += part * (at_end.force - at_end.lossy - o->force);
    o->slope += part * (at_end.by_value - o->slope);
  }
  o->force += loss->lossy;
  o->by_rate = loss->by_rate;
  o->slope += (s->view.end_part > 0 ? 1 : 0.5) * loss->lossy_by_value +
              loss->by_rate * s->view.slope / s->h;
  s->done += line->sign * loss->lossy * change;
}

// forces on poses set f, or gravity does; laws along measures and pairs add to it
static void eval_forces(hn_energy_step *s, hn_sim *sim) {
  const hn_natural *n = hn_natural_own(s->sys);
  s->done = 0;
  if (s->others || sim->stage.work.pushed)
    eval_others(s, sim);
  else
    memcpy(s->f, s->gravity, (size_t)s->sys->nv * sizeof(double));
  for (int k = 0; k < s->forces; k++) {
    const hn_energy_force *e = &s->force[k];
    if (e->function >= n->row_functions) eval_discrete(s, e->function);
    if (e->line.sees >= 0 && n->of_measure[e->line.sees] >= n->row_functions)
      eval_discrete(s, n->of_measure[e->line.sees]);
    discrete_law(s, &sim->stage.work, k);
    add_gradient(n, e->function, s->discrete[e->function].d, s->um, e->line.sign * s->pull[k].force,
                 s->f);
  }
  hn_energy_pairs_evaluate(s);
}

static void eval_end(hn_energy_step *s) {
  eval_forms(s, s->q1, s->u1);
  // forms are linear in q: at the midpoint they are the mean
  for (int i = 0; i < 3 * s->forms; i++) s->um[i] = 0.5 * (s->u0[i] + s->u1[i]);
  eval_products(s, s->u1, s->pi1);
}

void hn_energy_changes(hn_energy_step *s) {
  eval_end(s);
  for (int i = 0; i < hn_natural_own(s->sys)->functions; i++) eval_discrete(s, i);
  hn_energy_pairs_evaluate(s);
}

void hn_energy_to(hn_energy_step *s, hn_sim *sim) {
  eval_end(s);
  run_motions(s, &sim->stage.work, sim->state.t + s->h);
  eval_rows(s, &sim->stage.work);
  eval_forces(s, sim);
  sim->count.evaluations++;
}

void hn_energy_evaluate(hn_energy_step *s, hn_sim *sim) {
  const hn_system *sys = s->sys;
  for (int i = 0; i < sys->nv; i++) s->q1[i] = s->q0[i] + hn_energy_way(s, i);
  hn_energy_to(s, sim);
  hn_mass_mul(&sim->stage.work, s->w, s->r);
  // r of energy.h
  for (int i = 0; i < sys->nv; i++) s->r[i] = s->kappa * (s->r[i] - s->h * s->f[i]);
}

void hn_energy_states(hn_energy_step *s, hn_sim *sim, double h) {
  if (!sim->sys->states) return;
  const double *x = sim->state.y + sim->state.x;
  // the rule gives x at the midpoint, from which the end follows when the step is settled
  s->rule = (hn_state_rule){.keep = 1, .rate = 0.5 * h, .constant = x};
  hn_give_states(&sim->stage.work, x);
  sim->stage.work.rule = &s->rule;
}

void hn_energy_states_settled(const hn_energy_step *s, hn_sim *sim, double *y) {
  int first = sim->state.x;
  sim->stage.work.rule = NULL;
  for (int i = 0; i < sim->sys->states; i++)
    y[first + i] = 2 * s->middle[i] - sim->state.y[first + i];
}

double hn_energy_work(const hn_energy_step *s, const hn_sim *sim) {
  const hn_natural *n = hn_natural_own(s->sys);
  double done = s->done;
  // drivers act through the rows that depend on time
  for (int i = 0; s->sys->rheonomic && i < s->sys->rows; i++) {
    int motion = n->row[i].motion;
    if (motion >= 0)
      done += s->lambda[i] * (sim->stage.work.motion[3 * motion] - s->motion0[motion]);
  }
  return done;
}
