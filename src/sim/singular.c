// singular.c: places where rows become dependent for an instant, and mechanisms that lock.
//
// The smallest singular value s of the constraints (root of the pivot ratio) goes through zero
// there with a corner, |t - t*|. The steps tell s at their ends and stages for nothing; where lines
// through these values meet zero inside the step, it is searched on the dense output for the
// minimum of s^2, which is smooth. A minimum that is zero for practical purposes is a singular
// configuration; dependent.c names the joints that take part.
//
// Whether the motion went on as it was is judged by its velocities: those of a step do not follow
// from the ones before when the mechanism has changed to another branch.
//
// A mechanism locks when no configuration near the last one meets the joints a little later: the
// violation, minimised by damped Newton steps, does not go away.
#include "sim/sim.h"
#include "system/measure.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 64, SAMPLES = 6, PASSES = 20, CLOSING = 80 };
static const double zero = 2e-3,
                    small = 0.05;     // what counts as zero, absolute and against the ends
static const double certain = 1e-13;  // the square of what is zero beyond doubt

struct hn_watch {
  int points;         // values known: t[2] is the last
  double t[3], s[3];  // of the singular value
  double *v_before;   // velocities at the start of the step before
  double h_before;    // its size, 0: none
  double *y;          // scratch: a state
  int found;          // in all; the first MOST are kept
  hn_singular_place place[MOST];
};

void hn_watch_layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *sys = sim->sys;
  if (!sys->rows) return;
  struct hn_watch *w = HN_TAKE(arena, struct hn_watch, 1);
  double *v_before = HN_TAKE(arena, double, sys->nv), *y = HN_TAKE(arena, double, sim->state.n);
  hn_dependent_layout(sim, arena);
  if (!arena->base) return;
  w->v_before = v_before, w->y = y;  // all else of the block is zero
  sim->watch.places = w;
  sim->watch.seen_t = NAN;
}

// what is expected of velocities and singular values does not reach over a jump
void hn_watch_reset(hn_sim *sim) {
  if (!sim->watch.places) return;
  sim->watch.places->points = 0;
  sim->watch.places->h_before = 0;
}

// ---- the singular value --------------------------------------------------------------------

static double value_here(hn_sim *sim) {
  hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, sim->rows.D);
  return sqrt(fmax(sim->stage.kkt.pivot_ratio, 0));
}

// at a time inside the last step; the state is left in watch->y and evaluated
static double value_at(hn_sim *sim, double t) {
  double *y = sim->watch.places->y;
  if (t < sim->state.t)
    hn_dense(sim, t, y);
  else
    memcpy(y, sim->state.y, (size_t)sim->state.n * sizeof(double));
  hn_eval_jacobian(&sim->stage.work, t, y, y + sim->sys->nq);
  return value_here(sim);
}

// the same on a cubic, which needs no further stages
static double rough_value_at(hn_sim *sim, double t) {
  double *y = sim->watch.places->y;
  hn_dense_hermite(sim, t, y);
  hn_eval_jacobian(&sim->stage.work, t, y, y + sim->sys->nq);
  return value_here(sim);
}

// ---- along the motion ----------------------------------------------------------------------

typedef struct sample {
  double t, f;  // f is the square of the singular value
} sample;

static sample sample_at(hn_sim *sim, double t) {
  double s = value_at(sim, t);
  return (sample){t, s * s};
}

// rate at which the value leaves the smallest one of ends and stages
static double steepest(const hn_sim *sim) {
  const struct hn_watch *w = sim->watch.places;
  double t[3] = {sim->state.t_old, sim->watch.dip_t, sim->state.t},
         s[3] = {w->s[1], sim->watch.dip, w->s[2]}, slope = 0;
  int least = s[1] < fmin(s[0], s[2]) ? 1 : s[0] < s[2] ? 0 : 2;
  for (int i = 0; i < 3; i++)
    if (t[i] != t[least]) slope = fmax(slope, (s[i] - s[least]) / fabs(t[i] - t[least]));
  return slope;
}

// may the value have gone to zero in the last step? Where stages told it all along the step, a line
// through the smallest one meets zero before the next stage. Where they did not, the line through
// the values before the step meets zero before the next ones end, or the value after it is far from
// that line
static bool may_vanish(const hn_sim *sim) {
  const struct hn_watch *w = sim->watch.places;
  if (w->points < 2) return false;
  if (sim->watch.sampled)
    return fmin(sim->watch.dip, fmin(w->s[1], w->s[2])) <
           0.5 * steepest(sim) * (sim->state.t - sim->state.t_old);
  if (w->points < 3) return false;
  double fall = w->s[0] - w->s[1], h = w->t[1] - w->t[0], ahead = w->t[2] - w->t[1];
  if (!(fall > 0) || !(h > 0)) return false;
  return w->s[1] * h < fall * 3 * ahead || fabs(w->s[1] - fall * ahead / h - w->s[2]) > 0.15;
}

// a point of the last step where the value is less than at both ends of it; f = INFINITY: there is
// none. The minimum lies between *a and *b
static sample lowest(hn_sim *sim, double *a, double *b) {
  const struct hn_watch *w = sim->watch.places;
  double h = sim->state.t - sim->state.t_old, least = fmin(w->s[1], w->s[2]), slope = steepest(sim);
  sample best = {0, INFINITY}, none = best;
  for (int i = 1; i <= SAMPLES && !sim->watch.sampled; i++) {
    sample s = sample_at(sim, sim->state.t_old + h * i / (SAMPLES + 1));
    slope = fmax(slope, (sqrt(s.f) - w->s[2]) / (sim->state.t - s.t));
    if (s.f < best.f) best = s;
  }
  // stages lie beside the motion: what they told is looked at anew
  if (sim->watch.sampled && sim->watch.dip_t > sim->state.t_old && sim->watch.dip_t < sim->state.t)
    best = sample_at(sim, sim->watch.dip_t);
  if (best.f < least * least) {
    if (sim->watch.sampled) return best;
    *a = fmax(best.t - h / (SAMPLES + 1), *a), *b = fmin(best.t + h / (SAMPLES + 1), *b);
    return best;
  }
  // least at an end: falling from there into the step, or not? Zero is some least / slope away
  double inwards = 0.25 * least / slope;
  if (!(inwards < h)) return none;
  double t = w->s[1] < w->s[2] ? sim->state.t_old + inwards : sim->state.t - inwards;
  if (sim->watch.sampled && !(rough_value_at(sim, t) < least)) return none;
  best = sample_at(sim, t);
  return best.f < least * least ? best : none;
}

// where in the last step the value is least: Brent's method, parabolas through the three best
// points, and golden sections where these do not serve (Brent, Algorithms for Minimization Without
// Derivatives, chapter 5).
// At most PASSES factorisations; the minimum of a square is flat, so times are known to the root of
// the precision of its values
static double search(hn_sim *sim, double *t) {
  const struct hn_watch *watch = sim->watch.places;
  double a = sim->state.t_old, b = sim->state.t, h = b - a, last = h, before = h;
  sample w = {a, watch->s[1] * watch->s[1]}, v = {b, watch->s[2] * watch->s[2]};
  sample x = lowest(sim, &a, &b);
  bool any = x.f < INFINITY;
  for (int pass = 0; any && pass < PASSES && x.f > certain && b - a > 2e-8 * h; pass++) {
    double r = (x.t - w.t) * (x.f - v.f), q = (x.t - v.t) * (x.f - w.f);
    double p = (x.t - v.t) * q - (x.t - w.t) * r, step;
    q = 2 * (q - r);
    step = q != 0 ? -p / q : INFINITY;
    if (!(fabs(step) < 0.5 * fabs(before)) || x.t + step <= a || x.t + step >= b)
      step = 0.3819660112501051 * (last = x.t < 0.5 * (a + b) ? b - x.t : a - x.t);
    if (fabs(step) < 1e-8 * h) step = step < 0 ? -1e-8 * h : 1e-8 * h;
    before = last, last = step;
    sample u = sample_at(sim, x.t + step);
    if (u.f <= x.f) {
      *(u.t < x.t ? &b : &a) = x.t;
      v = w, w = x, x = u;
    } else {
      *(u.t < x.t ? &a : &b) = u.t;
      if (u.f <= w.f || w.t == x.t)
        v = w, w = u;
      else if (u.f <= v.f || v.t == x.t || v.t == w.t)
        v = u;
    }
  }
  *t = x.t;
  return sqrt(x.f);
}

// velocities of the step beyond what is expected, relative to the range of velocities from one
// extreme to the other. Expected is the change that the step before makes likely, or the one that
// the accelerations at the ends explain, whichever is nearer: long steps need the latter, methods
// whose accelerations are not theirs the former
static double jump_of(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const struct hn_watch *w = sim->watch.places;
  double h = sim->state.t - sim->state.t_old, likely = w->h_before > 0 ? 0 : NAN, explained = NAN;
  const double *v = sim->state.y + sys->nq, *v_old = sim->state.y_old + sys->nq;
  const double *a_old = sim->step.k[0] ? sim->step.k[0] + sys->nq : NULL,
               *a = sim->stage.ydot + sys->nq;
  if (a_old && !hn_rate_known(sim) &&
      !hn_derivative(sim, sim->state.t, sim->state.y, sim->stage.ydot))
    hn_rate_found(sim);
  if (a_old && hn_rate_known(sim)) explained = 0;
  for (int i = 0; i < sys->nv; i++) {
    double change = v[i] - v_old[i], range = 2 * sim->step.speed[sys->angular_v[i]];
    if (!isnan(likely))
      likely = fmax(likely, fabs(change - h / w->h_before * (v_old[i] - w->v_before[i])) / range);
    if (!isnan(explained))
      explained = fmax(explained, fabs(change - 0.5 * h * (a_old[i] + a[i])) / range);
  }
  double least = fmin(likely, explained);  // of those that are known
  return isnan(least) ? 0 : least;
}

static double energy_at(hn_sim *sim, double t, const double *y) {
  hn_eval_all(&sim->stage.work, t, y, y + sim->sys->nq);
  return hn_kinetic_energy(&sim->stage.work) + hn_potential_energy(&sim->stage.work) -
         y[sim->state.w];
}

static void note_place(hn_sim *sim, double t, double sigma) {
  struct hn_watch *w = sim->watch.places;
  hn_singular_place p = {.time = t, .sigma = sigma};
  value_at(sim, t);
  if (!hn_dependent_rows(sim, sigma, &p)) return;
  p.jump = jump_of(sim);
  double before = energy_at(sim, sim->state.t_old, sim->state.y_old),
         after = energy_at(sim, sim->state.t, sim->state.y);
  p.energy = sim->audit.largest_energy > 0 ? fabs(after - before) / sim->audit.largest_energy : 0;
  p.passed = p.jump <= HN_JUMP_LIMIT;
  hn_audit_note(sim, HN_AUDIT_JUMP, p.jump, t, -1);
  // those behind the first MOST are counted
  if (w->found < MOST) w->place[w->found] = p;
  w->found++;
}

void hn_watch_step(hn_sim *sim) {
  struct hn_watch *w = sim->watch.places;
  if (!w) return;
  if (isnan(sim->watch.seen_t)) {  // the method does not factorise the rows itself
    hn_eval_jacobian(&sim->stage.work, sim->state.t, sim->state.y, sim->state.y + sim->sys->nq);
    sim->watch.seen_value = value_here(sim);
    sim->watch.seen_t = sim->state.t;
    // nor does it see when the rows it was given become a bad choice
    sim->watch.weakest = sim->stage.kkt.pivot_ratio;
    if (sim->rows.D) hn_redundant_choose(sim);
    sim->watch.weakest = 1;
  }
  double seen = sim->watch.seen_t;
  sim->watch.seen_t = NAN;
  if (w->points && !(seen > w->t[2])) return;
  for (int i = 0; i < 2; i++) w->t[i] = w->t[i + 1], w->s[i] = w->s[i + 1];
  w->t[2] = seen, w->s[2] = sim->watch.seen_value;
  if (w->points < 3) w->points++;
  if (may_vanish(sim)) {
    double t, sigma = search(sim, &t);
    double ends = fmin(w->s[1], w->s[2]);
    bool inside = t > sim->state.t_old + 1e-6 * (sim->state.t - sim->state.t_old) &&
                  t < sim->state.t - 1e-6 * (sim->state.t - sim->state.t_old);
    if (inside && sigma < zero && sigma < small * fmax(ends, zero)) note_place(sim, t, sigma);
  }
  sim->watch.sampled = false;
  memcpy(w->v_before, sim->state.y_old + sim->sys->nq, (size_t)sim->sys->nv * sizeof(double));
  w->h_before = sim->state.t - sim->state.t_old;
}

int hn_sim_singular_count(const hn_sim *sim) {
  return sim->watch.places ? sim->watch.places->found : 0;
}

const hn_singular_place *hn_sim_singular(const hn_sim *sim, int index) {
  const struct hn_watch *w = sim->watch.places;
  return w && index >= 0 && index < w->found && index < MOST ? &w->place[index] : NULL;
}

// ---- when a step fails ---------------------------------------------------------------------

// as a length
static double violation(const hn_sim *sim) {
  double sum = 0;
  for (int i = 0; i < sim->sys->rows; i++)
    if (sim->sys->holonomic[i]) {
      double open = sim->stage.work.phi[i] * hn_row_arm(sim->sys, i);
      sum += open * open;
    }
  return sqrt(sum);
}

// least violation reached at time t from the last state.
// Levenberg and Marquardt: damping falls while the violation does and rises where it does not, so
// that it ends in a minimum, zero or not
static double close_at(hn_sim *sim, double t) {
  const hn_system *sys = sim->sys;
  double *q = sim->watch.places->y, *trial = sim->step.y_stage, damping = 1e-3;
  memcpy(q, sim->state.y, (size_t)sim->state.n * sizeof(double));
  memcpy(trial, q, (size_t)sim->state.n * sizeof(double));
  hn_eval_jacobian(&sim->stage.work, t, q, q + sys->nq);
  double now = violation(sim);
  for (int pass = 0; pass < CLOSING && now > 1e-12 * sys->length; pass++) {
    hn_row_sizes(&sim->stage.work, sim->rows.D_soft);
    for (int i = 0; i < sys->rows; i++) {
      bool out = (sim->rows.D && sim->rows.D[i] > 0) || !sys->holonomic[i];
      sim->room.r[i] = out ? 0 : -sim->stage.work.phi[i];
      sim->rows.D_soft[i] =
          out ? HN_LEFT_OUT : damping * (sim->rows.D_soft[i] > 0 ? sim->rows.D_soft[i] : 1);
    }
    hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, sim->rows.D_soft);
    memset(sim->room.v, 0, (size_t)sys->nv * sizeof(double));
    hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->room.v, sim->room.r);
    memcpy(trial, q, (size_t)sys->nq * sizeof(double));
    hn_retract(sys, trial, sim->room.v);
    hn_eval_jacobian(&sim->stage.work, t, trial, trial + sys->nq);
    double next = violation(sim);
    bool better = next < now;
    if (better) {
      memcpy(q, trial, (size_t)sys->nq * sizeof(double));
      now = next;
    } else {
      hn_eval_jacobian(&sim->stage.work, t, q, q + sys->nq);
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
  hn_eval_jacobian(&sim->stage.work, sim->state.t, sim->state.y, sim->state.y + sys->nq);
  for (int i = 0; i < sys->rows; i++)
    rate = fmax(rate, fabs(sim->stage.work.phi_t[i]) / (sys->angular_row[i] ? 1 : sys->length));
  if (!(rate > 0)) return false;
  double first = close_at(sim, sim->state.t + 0.01 / rate),
         second = close_at(sim, sim->state.t + 0.02 / rate);
  return first > 1e-5 * sys->length && second > 1.3 * first;
}

// energy came from nowhere before the failure: it is the steps that went wrong, whatever the rows
// look like where they led
static bool blew_up(hn_sim *sim) {
  const double *y = sim->state.y;
  hn_eval_all(&sim->stage.work, sim->state.t, y, y + sim->sys->nq);
  hn_state_moved(sim);
  hn_energy e = hn_balance_here(sim, y);
  return !(fabs(e.balance) <= 0.1 * e.scale);  // also a NaN
}

// joints: whose rows are nearly dependent where it ended; NULL: nobody's
static hn_status explain_instability(hn_sim *sim, hn_status status, const char *joints) {
  const hn_options *o = &sim->opt;
  char message[HN_MESSAGE], helps[96], place[200] = "";
  snprintf(message, sizeof message, "%s", sim->message);
  if (!(o->step > 0))
    snprintf(helps, sizeof helps, "a smaller rtol than %.3g", o->rtol);
  else if (hn_method_can(o) & HN_CAN_STIFF)
    snprintf(helps, sizeof helps, "a shorter step than %.3g s", o->step);
  else
    snprintf(helps, sizeof helps,
             "a shorter step than %.3g s, or a method for stiff forces such as index3-alpha",
             o->step);
  if (joints)
    snprintf(place, sizeof place,
             ", or at a singular configuration: rows of %.120s are nearly dependent", joints);
  return hn_sim_fail(sim, status,
                     "%.280s; the steps were unstable: energy came from nowhere before, as forces "
                     "too stiff for the step make it (%s)%s",
                     message, helps, place);
}

// the row that holds or drives a roll, pitch or yaw where these have no meaning, at the state last
// evaluated; -1: none
static int angle_lost_here(const hn_sim *sim) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->rowcount; i++) {
    const hn_row *r = &sys->row[i];
    for (int k = r->first_term; k < r->first_term + r->terms; k++)
      if (hn_angle_meaning(&sys->measure[sys->term[k].measure], &sim->stage.work) < 0.05)
        return r->row;
  }
  return -1;
}

// the same on the way that the next steps would go
static int meaningless_angle(hn_sim *sim) {
  enum { STATES = 16 };
  const hn_system *sys = sim->sys;
  const double *q = sim->state.y, *v = q + sys->nq;
  double way = 2 * fmax(sim->step.h_last, fmax(sim->step.h, sim->opt.step)),
         *trial = sim->step.y_stage;
  int row = -1;
  for (int i = 0; i < STATES && row < 0; i++) {
    for (int k = 0; k < sys->nv; k++) sim->room.v[k] = way * i / STATES * v[k];
    memcpy(trial, q, (size_t)sys->nq * sizeof(double));
    hn_retract(sys, trial, sim->room.v);
    hn_eval_position(&sim->stage.work, sim->state.t, trial);
    row = angle_lost_here(sim);
  }
  return row;
}

static hn_status explain_angle(hn_sim *sim, int row, hn_status status) {
  char message[HN_MESSAGE];
  snprintf(message, sizeof message, "%s", sim->message);
  return hn_sim_fail(
      sim, status,
      "%.280s; '%.60s' cannot be followed here: at a pitch of 90 degrees roll and yaw "
      "have no meaning (measure it between frames that are turned otherwise)",
      message, sim->sys->row_name[row]);
}

static hn_status explain_spoiled(hn_sim *sim, const char *spoiled, hn_status status) {
  char message[HN_MESSAGE];
  snprintf(message, sizeof message, "%s", sim->message);
  return hn_sim_fail(sim, status,
                     "t=%.9g: %s: its formula has no value there (what led to it: %.200s)",
                     sim->state.t, spoiled, message);
}

// The most certain reason first: an angle that has no meaning, a formula without a value, energy
// from nowhere, a mechanism that locks, rows that become dependent. What was said by whoever failed
// stays in front
hn_status hn_explain_failure(hn_sim *sim, hn_status status) {
  const hn_system *sys = sim->sys;
  bool of_joints = status == HN_ERR_STEP || status == HN_ERR_ASSEMBLY ||
                   status == HN_ERR_SINGULAR || status == HN_ERR_DIVERGED;
  if (!of_joints) return status;
  int angle = meaningless_angle(sim);
  hn_state_moved(sim);
  if (angle >= 0) return explain_angle(sim, angle, status);
  char spoiled[160];
  if (hn_spoiled(sim, spoiled, sizeof spoiled)) return explain_spoiled(sim, spoiled, status);
  bool unstable = blew_up(sim);
  if (!sim->watch.places) return unstable ? explain_instability(sim, status, NULL) : status;
  hn_eval_jacobian(&sim->stage.work, sim->state.t, sim->state.y, sim->state.y + sys->nq);
  double sigma = value_here(sim);
  hn_singular_place here = {0};
  bool near = hn_dependent_rows(sim, sigma, &here) && sigma < HN_NEAR_SINGULAR;
  if (unstable) return explain_instability(sim, status, near ? here.joints : NULL);
  bool ends = locked(sim);
  hn_state_moved(sim);
  if (ends)
    return hn_sim_fail(
        sim, HN_ERR_LOCKED,
        "t=%.9g: the mechanism locks: the prescribed motion cannot go on, and joints "
        "%s are in their limit position (smallest singular value %.2g)",
        sim->state.t, here.joints, sigma);
  if (!near) return status;
  char message[HN_MESSAGE];
  snprintf(message, sizeof message, "%s", sim->message);
  return hn_sim_fail(
      sim, status, "%.280s; near a singular configuration: rows of %.150s become dependent%s",
      message, here.joints,
      hn_method_chooses(sim->opt.method) ? "" : " (the default method passes most such places)");
}
