// closing.c: Newton's iteration that closes the joints.
//
// Damped Gauss-Newton steps d = -W^-1 J^T (J W^-1 J^T + D)^-1 Phi with W = 1 for lengths and
// (characteristic length)^2 for angles, so the mechanism is changed as little as possible. Steps
// are limited and must reduce the violation: the result stays on the branch the values suggest. D
// is round-off, unless that leads nowhere; larger D turn the step towards the steepest descent.
//
// Where axes are far apart the angles between them are closed first (align.c), without the rows
// that count angles: those know where they are only when the axes have met.
#include "compile/assemble.h"
#include "compile/nearby.h"

#include <string.h>

static const double far_off = 0.5;    // [rad] axes that are turned towards each other first
static const double heavy = 1e30;     // weight of what must not move
static const double absent = 1e30;    // compliance of a row that takes no part
static const double small_D = 1e-10;  // relative to the row's size

void hn_closer_layout(hn_closer *c, hn_arena *arena, const hn_system *sys) {
  c->sys = sys;
  hn_work_layout(&c->work, arena, sys);
  hn_saddle_layout(&c->saddle, arena, sys->plan);
  c->weight = HN_TAKE(arena, double, sys->nv);
  c->heavy = HN_TAKE(arena, double, sys->nv);
  c->D = HN_TAKE(arena, double, sys->rows);
  c->step = HN_TAKE(arena, double, sys->nv);
  c->l = HN_TAKE(arena, double, sys->rows);
  c->trial = HN_TAKE(arena, double, sys->nq);
  c->begin = HN_TAKE(arena, double, sys->nq);
  c->closed = HN_TAKE(arena, double, sys->nq);
  c->scale = HN_TAKE(arena, double, sys->rows);
  c->fixed = HN_TAKE(arena, bool, sys->nv);
  c->out = HN_TAKE(arena, bool, sys->rows);
  c->spare = HN_TAKE(arena, bool, sys->rows);
}

// s_k = J_k W^-1 J_k^T: natural size of each row
static void row_scales(const hn_closer *c) {
  const hn_system *sys = c->sys;
  memset(c->scale, 0, (size_t)sys->rows * sizeof(double));
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int k = group->first; k < group->first + group->bodies; k++) {
      const hn_sys_body *b = &sys->body[sys->group_body[k]];
      const double *J = c->work.J + sys->block_offset[k];
      for (int r = 0; r < group->rows; r++, J += b->nv)
        for (int i = 0; i < b->nv; i++)
          c->scale[group->row0 + r] += J[i] * J[i] / c->weight[b->v0 + i];
    }
  }
}

// dependent rows are damped and refined, so that consistent ones are met exactly.
// The saddle-point system with r = 0: step = W^-1 J^T l, (J W^-1 J^T + D) l = rhs. Each further
// pass puts D l of the last one on the right, which takes the effect of the damping away (the
// method of multipliers); with a damping that is meant there is one pass only.
void hn_closer_solve(hn_closer *c, const double *rhs, double damping) {
  const hn_system *sys = c->sys;
  row_scales(c);
  for (int i = 0; i < sys->nv; i++) c->heavy[i] = c->fixed[i] ? c->weight[i] * heavy : c->weight[i];
  for (int i = 0; i < sys->rows; i++)
    c->D[i] = c->out[i] ? absent : damping * (c->scale[i] > 0 ? c->scale[i] : 1);
  hn_saddle_factor(&c->saddle, c->heavy, c->work.J, c->D);
  double *l = c->work.lambda;
  memset(l, 0, (size_t)sys->rows * sizeof(double));
  int passes = damping > small_D ? 1 : 4;
  for (int pass = 0; pass < passes; pass++) {
    memset(c->step, 0, (size_t)sys->nv * sizeof(double));
    for (int i = 0; i < sys->rows; i++) c->l[i] = c->out[i] ? 0 : rhs[i] + c->D[i] * l[i];
    hn_saddle_solve(&c->saddle, c->step, c->l);
    memcpy(l, c->l, (size_t)sys->rows * sizeof(double));
  }
}

double hn_closer_worst(const hn_closer *c, const double *x, int *row) {
  double v = 0;
  *row = -1;
  for (int i = 0; i < c->sys->rows; i++) {
    if (c->out[i]) continue;
    double size = fabs(x[i]) * hn_row_arm(c->sys, i);
    if (!(size <= v) && !isnan(v)) v = size, *row = i;  // also catches NaN
  }
  return v;
}

static double squares(const hn_closer *c) {
  double sum = 0;
  for (int i = 0; i < c->sys->rows; i++)
    if (!c->out[i]) {
      double size = c->work.phi[i] * hn_row_arm(c->sys, i);
      sum += size * size;
    }
  return sum;
}

// largest factor that keeps every coordinate's change reasonable.
// Half a radian, or half of the model's length: farther than that the linearisation says nothing.
static double step_limit(const hn_system *sys, const double *d) {
  double largest = 0;
  // turns and ways compare in units of the model
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    int linear = hn_body_linear(b);
    for (int k = 0; k < b->nv; k++)
      largest = fmax(largest, k < linear ? fabs(d[b->v0 + k]) / sys->length : fabs(d[b->v0 + k]));
  }
  return largest > 0.5 ? 0.5 / largest : 1;
}

static void evaluate(hn_closer *c, const double *q, const double *v) {
  if (v)
    hn_eval_jacobian(&c->work, 0, q, v);
  else
    hn_eval_position(&c->work, 0, q);
  if (c->turning) hn_align_rows(&c->work, v != NULL);
}

// one step along the direction for this damping, shortened until it is an improvement; true when
// q has moved.
// Newton's steps must lower the largest violation; damped ones, which may raise some for a while,
// the sum of squares.
static bool improve(hn_closer *c, double *q, double damping, double now, double sum) {
  const hn_system *sys = c->sys;
  // rows without value stay out of it
  for (int i = 0; i < sys->rows; i++) c->work.psi[i] = sys->holonomic[i] ? -c->work.phi[i] : 0;
  hn_closer_solve(c, c->work.psi, damping);
  double s = step_limit(sys, c->step);
  for (int i = 0; i < sys->nv; i++) c->step[i] *= s;
  for (int halving = 0; halving < 12; halving++) {
    int row;
    memcpy(c->trial, q, (size_t)sys->nq * sizeof(double));
    hn_retract(sys, c->trial, c->step);
    evaluate(c, c->trial, NULL);
    double next = hn_closer_worst(c, c->work.phi, &row);
    if (damping > small_D ? squares(c) < 0.9999 * sum : next < now) {
      memcpy(q, c->trial, (size_t)sys->nq * sizeof(double));
      return true;
    }
    for (int i = 0; i < sys->nv; i++) c->step[i] *= 0.5;
  }
  return false;
}

// The least damping that gets on is taken, larger ones are tried in turn. Three steps that gain
// next to nothing are the end: a minimum that is not zero.
static double iterate(hn_closer *c, double *q, const double *v, double tol, int *worst) {
  static const double damping[] = {1e-10, 1e-4, 1e-2, 1};
  evaluate(c, q, v);
  double now = hn_closer_worst(c, c->work.phi, worst);
  int stuck = 0;
  for (int iteration = 0; iteration < 300 && now > tol && stuck < 3; iteration++) {
    double sum = squares(c), before = now;
    bool better = improve(c, q, damping[0], now, sum);
    // the last digits are a matter of round-off; elsewhere there may be another way
    // far from round-off, where Newton's direction leads nowhere
    for (int k = 1; k < 4 && !better && now > 1e-8 * c->sys->length; k++) {
      evaluate(c, q, v);
      better = improve(c, q, damping[k], now, sum);
    }
    evaluate(c, q, v);
    hn_accept_turns(&c->work, false);
    now = hn_closer_worst(c, c->work.phi, worst);
    stuck = better && (now < 0.999 * before || squares(c) < 0.999 * sum) ? 0 : stuck + 1;
    if (!better) break;
  }
  return now;
}

// angles start in the turn the description names; those between frames that say where zero is,
// nearest to it
static void reset_turns(hn_closer *c, bool met) {
  const hn_system *sys = c->sys;
  memcpy(c->work.turn, sys->turn0, (size_t)sys->turns * sizeof(double));
  for (int i = 0; met && i < sys->measures; i++)
    if (sys->measure[i].turn >= 0 && sys->measure[i].offset == 0)
      c->work.turn[sys->measure[i].turn] = 0;
}

// rows that count angles are left out while axes are on their way.
// An angle about axes that are far apart is no function of the joint: it would pull the bodies
// round.
static void leave_angles_out(hn_closer *c) {
  const hn_system *sys = c->sys;
  memcpy(c->spare, c->out, (size_t)sys->rows * sizeof(bool));
  for (int i = 0; i < sys->rowcount; i++) {
    const hn_row *r = &sys->row[i];
    for (int k = 0; k < r->terms; k++) {
      hn_measure_type type = sys->measure[sys->term[r->first_term + k].measure].type;
      if (type == HN_M_ANGLE || type == HN_M_ASIN) c->out[r->row] = true;
    }
  }
}

// Rows that miss each other by a gap cannot all be met, and differ by about as much as they miss:
// the iteration above, which wants to meet them, divides the one by the other and moves the
// mechanism far along what they ought to leave free. With a D as large as the gap it moves by no
// more than that; where it leaves much more open than before, rows differ for another reason, and
// what was found stays.
static void share_gap(hn_closer *c, double *q, const double *v, double *left, int *worst) {
  enum { MOST = 50 };
  const hn_system *sys = c->sys;
  size_t size = (size_t)sys->nq * sizeof(double);
  double open = squares(c), now = *left, sum;
  int row;
  memcpy(c->closed, q, size);
  memcpy(q, c->begin, size);
  evaluate(c, q, v);
  sum = squares(c);
  for (int pass = 0; pass < MOST; pass++) {
    double before = sum;
    if (!improve(c, q, c->gap, now, sum)) break;
    evaluate(c, q, v);
    hn_accept_turns(&c->work, false);
    sum = squares(c);
    if (sum > 0.5 * before) break;
  }
  evaluate(c, q, v);
  now = hn_closer_worst(c, c->work.phi, &row);
  if (squares(c) <= 4 * open) {
    *left = now, *worst = row;
    return;
  }
  c->gap = 0;
  memcpy(q, c->closed, size);
  evaluate(c, q, v);
  hn_accept_turns(&c->work, false);
}

hn_status hn_close_positions(hn_closer *c, double *q, const double *v, double *left, int *worst) {
  const hn_system *sys = c->sys;
  double tol = 1e-14 * sys->length, enough = HN_GAP_LIMIT * sys->length;
  int row = -1;
  reset_turns(c, false);
  hn_eval_position(&c->work, 0, q);
  if (hn_align_widest(&c->work, false, &row) > far_off) {
    leave_angles_out(c);
    c->turning = true;
    iterate(c, q, v, 1e-6 * sys->length, worst);
    c->turning = false;
    memcpy(c->out, c->spare, (size_t)sys->rows * sizeof(bool));
    reset_turns(c, true);
  }
  memcpy(c->begin, q, (size_t)sys->nq * sizeof(double));
  *left = iterate(c, q, v, tol, worst);
  c->gap = *left / sys->length;
  if (c->gap > small_D && *left <= enough)
    share_gap(c, q, v, left, worst);
  else
    c->gap = 0;
  // joints that repeat others may miss them a little: redundancy.c judges what stays open
  if (!(*left <= enough)) return HN_ERR_ASSEMBLY;
  double angle = hn_align_widest(&c->work, true, &row);
  if (angle <= far_off) return HN_OK;
  *left = angle * sys->length, *worst = row;
  return HN_ERR_ASSEMBLY;
}
