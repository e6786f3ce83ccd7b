// runge_kutta.c: what explicit Runge-Kutta methods share: sums of stages, and the step size.
//
// The next step is h * s e^-(1/p - 0.75 m) e_last^m, where e is the error in units of the
// tolerance, s the safety and m the memory: a controller with proportional and integral part. Where
// errors grow from step to step faster than the steps explain, they are expected to go on growing,
// and the step is h * s (h / h_last) (e_last / e^2)^(1/p) if that is less (Gustafsson 1991 and
// 1994; Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, section II.4, and II,
// IV.2 and IV.8).
#include "base/elementary.h"
#include "base/pair.h"
#include "integrators/integrators.h"

#include <string.h>

void hn_stage_layout(hn_sim *sim, hn_arena *arena, int count) {
  for (int i = 0; i < count; i++) sim->step.k[i] = HN_TAKE(arena, double, sim->state.n);
}

hn_status hn_first_stage(hn_sim *sim) {
  if (!hn_rate_known(sim)) {
    hn_status status = hn_derivative(sim, sim->state.t, sim->state.y, sim->stage.ydot);
    if (status) return status;
    hn_rate_found(sim);
  }
  memcpy(sim->step.k[0], sim->stage.ydot, (size_t)sim->state.n * sizeof(double));
  return HN_OK;
}

// out = y + h sum of c[j] k[j], for `pairs` <= MOST pairs of numbers that stay in registers while
// the stages pass by; the last of them begins at `last`, where it may overlap the one before.
// Weights of zero are passed over: their stages may hold anything
enum { MOST = 12 };
#define HN_PARTS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)
HN_INLINE void sum_pairs(double *out, const double *y, double h, const double *c, double *const *k,
                         int count, int at, int pairs, int last) {
  hn_pair sum[MOST];
  HN_UNROLL
  for (int i = 0; i < pairs; i++) sum[i] = (hn_pair){0, 0};
  if (y) {
    HN_UNROLL
    for (int i = 0; i < pairs; i++) sum[i] = hn_pair_load(y + (i < pairs - 1 ? at + 2 * i : last));
  }
  for (int j = 0; j < count; j++) {
    if (c[j] == 0) continue;
    const double *now = k[j];
    double weight = h * c[j];
    HN_UNROLL
    for (int i = 0; i < pairs; i++)
      sum[i] += weight * hn_pair_load(now + (i < pairs - 1 ? at + 2 * i : last));
  }
  HN_UNROLL
  for (int i = 0; i < pairs; i++) hn_pair_store(out + (i < pairs - 1 ? at + 2 * i : last), sum[i]);
}

// Four numbers at a time, where the processor can: the same products and sums, so the same bits.
// Returns how many of the n are done
#ifdef __x86_64__
typedef double hn_four __attribute__((vector_size(32), aligned(8)));
#define HN_WIDE __attribute__((target("avx")))
HN_WIDE HN_INLINE void sum_fours(double *out, const double *y, double h, const double *c,
                                 double *const *k, int count, int at, int fours, int last) {
  hn_four sum[MOST];
  HN_UNROLL
  for (int i = 0; i < fours; i++) sum[i] = (hn_four){0, 0, 0, 0};
  if (y) {
    HN_UNROLL
    for (int i = 0; i < fours; i++)
      sum[i] = *(const hn_four *)(y + (i < fours - 1 ? at + 4 * i : last));
  }
  for (int j = 0; j < count; j++) {
    if (c[j] == 0) continue;
    const double *now = k[j];
    double weight = h * c[j];
    HN_UNROLL
    for (int i = 0; i < fours; i++)
      sum[i] += weight * *(const hn_four *)(now + (i < fours - 1 ? at + 4 * i : last));
  }
  HN_UNROLL
  for (int i = 0; i < fours; i++) *(hn_four *)(out + (i < fours - 1 ? at + 4 * i : last)) = sum[i];
}

HN_WIDE static int sum_by_fours(double *out, const double *y, double h, const double *c,
                                double *const *k, int count, int n) {
  int at = 0;
  for (; n - at > 4 * MOST; at += 4 * MOST)
    sum_fours(out, y, h, c, k, count, at, MOST, at + 4 * MOST - 4);
  switch (n - at > 3 ? (n - at + 3) / 4 : 0) {
#define HN_X(fours)                                                                                \
  case fours: sum_fours(out, y, h, c, k, count, at, fours, n - 4); return n;
    HN_PARTS(HN_X)
#undef HN_X
  default: return at;
  }
}
#define HN_BY_FOURS(...) (__builtin_cpu_supports("avx") ? sum_by_fours(__VA_ARGS__) : 0)
#else
#define HN_BY_FOURS(...) 0
#endif

void hn_stage_sum(double *out, const double *y, double h, const double *c, double *const *k,
                  int count, int n) {
  // where numbers are left over the last part overlaps the one before and writes the same
  int at = HN_BY_FOURS(out, y, h, c, k, count, n);
  for (; n - at > 2 * MOST; at += 2 * MOST)
    sum_pairs(out, y, h, c, k, count, at, MOST, at + 2 * MOST - 2);
  switch (n - at > 1 ? (n - at + 1) / 2 : 0) {
#define HN_X(pairs)                                                                                \
  case pairs: sum_pairs(out, y, h, c, k, count, at, pairs, n - 2); return;
    HN_PARTS(HN_X)
#undef HN_X
  default: break;
  }
  if (at == n) return;
  double sum = y ? y[at] : 0;
  for (int j = 0; j < count; j++)
    if (c[j] != 0) sum += h * c[j] * k[j][at];
  out[at] = sum;
}

// some roundings of the time: shorter steps would not get on
double hn_smallest_step(const hn_sim *sim) {
  return 1e-14 * hn_time_size(sim, sim->state.t);
}

hn_status hn_step_failed(hn_sim *sim, hn_status status, double h) {
  if (status) return status;
  return hn_sim_fail(sim, HN_ERR_STEP,
                     "t=%.9g: the step fell to %.2g s and the error is still too large "
                     "(a singular configuration, or a tolerance beyond reach)",
                     sim->state.t, h);
}

hn_status hn_accept_fresh(hn_sim *sim, double h, const double *ydot_new) {
  double sigma = sqrt(sim->stage.kkt.pivot_ratio);
  hn_status status = hn_accept_evaluated(sim, h, sim->step.y_new, ydot_new);
  if (status) return status;
  sim->watch.sigma[0] = sim->watch.sigma[1];
  sim->watch.sigma[1] = sigma;
  return HN_OK;
}

bool hn_is_short(const hn_sim *sim, double h) {
  return h < 1e-4 * sim->opt.step;
}

hn_status hn_short_step(hn_sim *sim, double h) {
  static const double node[] = {0, 0.5, 0.5, 1}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  size_t bytes = (size_t)sim->state.n * sizeof(double);
  double *slope = sim->stage.ydot;
  memcpy(sim->step.y_new, sim->state.y, bytes);
  memcpy(sim->step.y_stage, sim->state.y, bytes);
  hn_state_moved(sim);
  for (int s = 0; s < 4; s++) {
    for (int i = 0; s && i < sim->state.n; i++)
      sim->step.y_stage[i] = sim->state.y[i] + h * node[s] * slope[i];
    hn_status status = hn_derivative(sim, sim->state.t + h * node[s], sim->step.y_stage, slope);
    if (status) return status;
    // readers of this step's dense output want the slope at its start
    if (s == 0 && sim->step.k[0]) memcpy(sim->step.k[0], slope, bytes);
    for (int i = 0; i < sim->state.n; i++) sim->step.y_new[i] += h * weight[s] * slope[i];
  }
  return hn_accept_step(sim, h, sim->step.y_new, NULL);
}

// size of the next step after one of size h with the given error; `wanted` was the size before
// something else than the error made it h
static double next_step(hn_sim *sim, const hn_embedded *m, double h, double wanted, double error,
                        bool rejected) {
  double power = 1.0 / m->order;
  // products of powers by way of logarithms, as both errors stand in two of them
  double now = hn_log(fmax(error, 1e-10)), last = hn_log(sim->step.error_last);
  double grow = m->safety * hn_exp((0.75 * m->memory - power) * now + m->memory * last);
  if (sim->step.h_error > 0)
    grow = fmin(grow, m->safety * h / sim->step.h_error * hn_exp((last - 2 * now) * power));
  sim->step.error_last = fmax(error, 1e-4);
  sim->step.h_error = h;
  if (rejected) grow = fmin(1, grow);
  // a step cut short that could grow more than is allowed says nothing against the size wanted
  if (grow >= m->most) return fmax(h * m->most, wanted);
  return h * fmax(m->slowest, grow);
}

// Singular configurations. Where rows become dependent for an instant, accelerations are all but
// undetermined and a stage that falls there spoils the step. The smallest singular value of the
// constraints (root of the pivot ratio) goes to zero linearly, so the instant is foreseen and the
// steps are chosen to pass over it between two stages. Returns the step to try instead of h.
static double pass_over(const hn_sim *sim, const hn_embedded *m, double h) {
  static const double stretch = 1.15;  // a longer step than this would be refused
  double now = sim->watch.sigma[1], fall = sim->watch.sigma[0] - now;
  if (!(now < HN_NEAR_SINGULAR) || !(fall > 0) || !(sim->step.h_last > 0)) return h;
  if (sim->watch.dip < now && sim->watch.dip_t < sim->state.t)
    return h;  // it was passed just before
  double until = sim->step.h_last * now / fall;
  if (until > 2 * h) return h;
  if (until < 0.8 * m->first * h) return h;  // before the next stage: no other is nearer
  if (until <= stretch * m->gap * h) return until / m->gap;
  // a step of size h is to start this much later
  double lead = until - m->gap * h;
  return lead <= h ? lead : 0.5 * lead;
}

// when a stage falls next to a singular configuration all the same: other sizes to try
static const double singular_pivot = 1e-9, dodge[] = {1.25, 0.7, 1.6, 0.5};
enum { DODGES = sizeof dodge / sizeof dodge[0], SHORTER = 2 };  // the first that is shorter

// the new state, evaluated last, is so close before a singular configuration that the next step
// would have nothing reliable to start from
static bool ends_near(const hn_sim *sim) {
  double end = sqrt(fmax(sim->stage.kkt.pivot_ratio, 0));
  return sim->sys->rows && end < 0.05 * fmin(sim->watch.sigma[1], HN_NEAR_SINGULAR);
}

// before a place that cannot be passed steps become short and are refused again and again without
// end; many of these in a row are a failure
static bool creeps(hn_sim *sim, double h, int refused) {
  sim->step.h_most = fmax(sim->step.h_most, h);
  sim->step.creeping = refused > 1 && h < 1e-4 * sim->step.h_most ? sim->step.creeping + 1 : 0;
  return sim->step.creeping > 200;
}

// Of the first step nobody knows whether it is short enough for its error to be what the estimate
// says. One that just passes may be off by more than all that follow, which a companion with
// another first step (verify.c) does not see: it has to pass by far.
static double allowed(const hn_sim *sim) {
  static const double cautious = 0.01;
  return sim->count.steps == sim->audit.steps_before ? cautious : 1;
}

hn_status hn_embedded_step(hn_sim *sim, double limit, const hn_embedded *m) {
  if (sim->opt.step > 0) limit = fmin(limit, sim->opt.step);
  hn_status status = hn_first_stage(sim);
  if (status) return status;
  if (!(sim->step.h > 0)) {
    status = hn_first_step(sim, m->order, limit, &sim->step.h);
    if (status) return status;
    sim->step.error_last = 1e-4;
    sim->step.h_error = 0;
  }
  double wanted = sim->step.h, smallest = hn_smallest_step(sim), size = wanted;
  double most = allowed(sim);
  int dodges = 0, refused = 0;
  for (bool rejected = false;; rejected = true) {
    if (!(wanted > smallest)) return hn_step_failed(sim, status, wanted);
    double try = dodges ? size * dodge[dodges - 1] : pass_over(sim, m, wanted);
    // a step that would leave next to nothing before the limit goes all the way
    bool cut = 1.01 * try >= limit;
    double h = cut ? limit : try;
    sim->watch.weakest = 1;
    status = m->stages(sim, h);
    if (!status && sim->watch.weakest < singular_pivot && dodges < DODGES) {
      if (!dodges) size = h;
      dodges++;
      sim->count.rejected++, refused++;
      continue;
    }
    double error = status ? NAN : m->error(sim, h) / most;
    if (error <= 1 && m->late) {
      status = hn_derivative(sim, sim->state.t + h, sim->step.y_new, sim->step.k[m->last]);
      if (status) error = NAN;
    }
    if (error <= 1 && dodges < DODGES && ends_near(sim)) {
      if (!dodges) size = h;
      dodges = dodges < SHORTER ? SHORTER : dodges + 1;
      sim->count.rejected++, refused++;
      continue;
    }
    if (error <= 1) {
      status = hn_accept_fresh(sim, h, sim->step.k[m->last]);
      if (status) return status;
      sim->watch.sampled = true;
      if (creeps(sim, h, refused)) return hn_step_failed(sim, HN_OK, h);
      sim->step.h = next_step(sim, m, h, wanted, error * most, rejected);
      return HN_OK;
    }
    sim->count.rejected++, refused++;
    size = wanted =
        fmin(h, wanted) *
        (error > 1 ? fmax(m->slowest, m->safety * hn_pow(error, -1.0 / m->order)) : 0.1);
    dodges = 0;
  }
}
