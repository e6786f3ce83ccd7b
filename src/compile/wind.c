// wind.c: which turn an angle is on when a row says where it starts.
//
// A driver may begin at 2 pi, a body described at 350 degrees may be held at -10: both stand where
// they should, and nothing has to be sent round. The angle is read on the turn that is wanted, as
// if the joint's `value` had said so; gears and threads, which hold angles to each other as
// described, keep their bodies as described too.
#include "compile/compile.h"
#include "system/builder.h"

static const double whole = 2 * 3.14159265358979323846;

static bool is_angle(const hn_measure *m) {
  return m->type == HN_M_ANGLE || m->type == HN_M_PLANAR_ANGLE;
}

static bool of_a_joint(const hn_system *sys, int measure) {
  for (int i = 0; i < sys->joints; i++)
    for (int k = 0; k < sys->joint[i].coordinates; k++)
      if (sys->joint[i].coordinate[k].measure == measure) return true;
  return false;
}

// the angle of a planar body itself: its own number goes to the turn that is wanted, and what
// others read of it stays as it was
static void wind_body(hn_system *sys, int body, int measure, double by) {
  sys->q0[sys->body[body].q0 + 2] += by;
  for (int i = 0; i < sys->measures; i++) {
    hn_measure *m = &sys->measure[i];
    if (i == measure || m->type != HN_M_PLANAR_ANGLE) continue;
    if (m->b == body) m->offset -= by;
    if (m->a == body) m->offset += by;
  }
}

// A joint's angle is shifted as by its `value`; rows that couple it to others are shifted along, so
// that they stay met as described.
static void wind(hn_builder *b, int rows, int measure, double by) {
  hn_system *sys = b->sys;
  const hn_measure *m = &sys->measure[measure];
  if (m->type == HN_M_PLANAR_ANGLE && m->a == 0 && !of_a_joint(sys, measure)) {
    wind_body(sys, m->b, measure, by);
    return;
  }
  hn_build_shift(b, measure, by);
  if (m->turn >= 0) sys->turn0[m->turn] = hn_build_value(b, measure);
  for (int i = 0; i < rows; i++) {
    hn_row *r = &sys->row[i];
    for (int k = r->first_term; r->terms > 1 && k < r->first_term + r->terms; k++)
      if (sys->term[k].measure == measure) r->constant += sys->term[k].coefficient * by;
  }
}

// limits say how far an angle may go, and grips nothing at all
static bool says_where(const hn_system *sys, int row) {
  for (int i = 0; i < sys->unilaterals; i++)
    if (sys->unilateral[i].row == row) return sys->unilateral[i].gate > 0;
  return true;
}

// a row that holds or drives one angle
static bool winds(const hn_system *sys, const hn_row *r) {
  const hn_term *term = &sys->term[r->first_term];
  return r->terms == 1 && is_angle(&sys->measure[term->measure]) && says_where(sys, r->row);
}

// Held rows behind the first `rows` are read on the wound angle; only the model's own decide.
hn_status hn_wind_angles(hn_builder *b, int rows) {
  hn_system *sys = b->sys;
  hn_arena arena = {0};
  hn_work work = {0};
  bool any = false;
  for (int i = 0; i < rows && !any; i++) any = winds(sys, &sys->row[i]);
  if (!any) return HN_OK;
  hn_work_layout(&work, &arena, sys);
  if (!hn_arena_allocate(&arena)) return HN_ERR_MEMORY;
  hn_work_layout(&work, &arena, sys);
  for (int i = 0; i < rows; i++) {
    const hn_row *r = &sys->row[i];
    const hn_term *term = &sys->term[r->first_term];
    if (!winds(sys, r)) continue;
    double motion[3] = {0};
    if (r->motion >= 0) hn_run_motion(&work, r->motion, 0, motion);
    double wanted = (r->constant + motion[0]) / term->coefficient;
    double turns = rint((wanted - hn_build_value(b, term->measure)) / whole);
    if (isfinite(turns) && turns != 0) wind(b, rows, term->measure, whole * turns);
  }
  free(arena.base);
  return HN_OK;
}
