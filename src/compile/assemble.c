// assemble.c: a consistent initial state from rough values.
//
// Positions are closed by Newton's iteration (closing.c) from the described values. Where that gets
// stuck, from others nearby, farther and farther away, always the same ones. Velocities follow
// (velocities.c). What is held stays, or the model is refused with the contradiction.
#include "compile/assemble.h"

#include "base/elementary.h"
#include "compile/compile.h"
#include "compile/workshop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double degree = 0.017453292519943295;

// what one assembly works with
typedef struct assembly {
  hn_closer c;
  hn_system *sys;             // to be assembled
  const hn_system *extended;  // the same with the held rows
  hn_model *model;
  hn_holds holds;
  double *described, *given;  // q and v as described
} assembly;

// ---- positions -------------------------------------------------------------------------------

// rows and coordinates that take part; with `free` nothing is held.
// Weights are those of the closer: a turn by one radian counts as a way of the model's length. Rows
// of limits, grips and gates are zero while nothing says that they are there, and take no part by
// that.
static void set_up(assembly *a, bool free) {
  const hn_system *sys = a->sys;
  hn_closer *c = &a->c;
  // weights of angles: a radian is as far as a length
  double L2 = sys->length * sys->length;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    int linear = hn_body_linear(b);
    bool turn = i < a->model->body_count && (a->model->body[i].def.hold & HN_HOLD_ROTATION);
    for (int k = 0; k < b->nv; k++) {
      c->weight[b->v0 + k] = k < linear ? 1 : L2;
      c->fixed[b->v0 + k] = !free && ((turn && k >= linear) || (b->kind == HN_SCALAR && b->hold));
    }
  }
  // bodies are put in place, not rolled there
  for (int i = 0; i < sys->rows; i++) c->out[i] = !sys->holonomic[i];
  for (int i = 0; i < a->holds.count; i++)
    c->out[sys->rows + i] = free || !a->holds.row[i].position;
}

// numbers between -1 and 1, the same on every machine
static double scattered(unsigned long long *state) {
  // the high bits are the random ones; 2^52 makes -1 to 1
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

// the k-th start: farther away with every one.
// Linear congruential numbers (Knuth's MMIX constants), seeded by k: starts are the same on every
// machine and in every run. Sizes grow from 0.13 to 6.7 lengths or radians over 16 starts; what is
// held stays.
static void scatter(assembly *a, int k, double *q) {
  const hn_system *sys = a->sys;
  unsigned long long state = (unsigned long long)k;
  double size = 0.1 * hn_pow(1.3, k);
  memcpy(q, a->described, (size_t)sys->nq * sizeof(double));
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    int linear = hn_body_linear(b);
    for (int j = 0; j < b->nv; j++) {
      // held coordinates are not scattered
      double d = size * (j < linear ? sys->length : 1) * scattered(&state);
      a->c.step[b->v0 + j] = a->c.fixed[b->v0 + j] ? 0 : d;
    }
  }
  hn_retract(sys, q, a->c.step);
}

// where the iteration got nearest
typedef struct stuck {
  double left;
  int row, starts;
} stuck;

// What is told on failure is the attempt that came nearest.
static hn_status close_from_starts(assembly *a, double *q, stuck *s) {
  // large mechanisms that cannot be closed are not worth the time of many starts
  int most = a->sys->nv < 3000 ? 16 : a->sys->nv < 30000 ? 4 : 1;
  hn_status status = HN_ERR_ASSEMBLY;
  *s = (stuck){.left = INFINITY, .row = -1};
  for (int k = 0; k <= most && status; k++) {
    double left;
    int row = -1;
    // the first start is the description
    if (k)
      scatter(a, k, q);
    else
      memcpy(q, a->described, (size_t)a->sys->nq * sizeof(double));
    status = hn_close_positions(&a->c, q, a->given, &left, &row);
    if (!status || left < s->left || s->row < 0) s->left = left, s->row = row;
    s->starts = k + 1;
  }
  // the number of starts is told, as a warning
  return status;
}

// ---- refusals --------------------------------------------------------------------------------

static hn_place place_of(const hn_model *model, const hn_sys_joint *j) {
  int m = hn_model_find_joint(model, j->name);
  return m >= 0 ? model->joint[m].place : (hn_place){0};
}

// "joint 'B': cannot be closed: ... 'crank' and 'coupler' stay 0.31 m apart".
// Rows of blocks have no bodies and no unit that would be known here.
static hn_status cannot_close(assembly *a, const stuck *s) {
  const hn_system *sys = a->extended;
  hn_model *model = a->model;
  if (s->row < 0)
    return hn_model_fail(model, (hn_place){0}, HN_ERR_ASSEMBLY, "the joints cannot be closed");
  const hn_sys_joint *j = &sys->joint[sys->row_joint[s->row]];
  double left = s->left / hn_row_arm(sys, s->row);
  int k = hn_model_find_block(model, j->name);
  if (k >= 0)
    return hn_model_fail(model, model->block[k].place, HN_ERR_ASSEMBLY,
                         "block '%s': constraint '%s' cannot be met: assembly got stuck with %.3g "
                         "left, from %d starts (check the values and held coordinates)",
                         j->name, sys->row_name[s->row], left, s->starts);
  bool angle = sys->angular_row[s->row];
  return hn_model_fail(model, place_of(model, j), HN_ERR_ASSEMBLY,
                       "joint '%s': cannot be closed: assembly got stuck where bodies '%s' and "
                       "'%s' stay %.3g %s %s in row '%s', from %d starts (check lengths, positions "
                       "and held coordinates)",
                       j->name, sys->body[j->a.body].info->name, sys->body[j->b.body].info->name,
                       angle ? left / degree : left, angle ? "deg" : "m", angle ? "off" : "apart",
                       sys->row_name[s->row], s->starts);
}

// the drivers, as far as a message can name them: ", and 'M' drives"
static const char *drivers(const hn_model *model, char *text, size_t size) {
  text[0] = 0;
  for (int i = 0; i < model->joint_count && !text[0]; i++)
    if (strcmp(model->joint[i].def.type, "driver") == 0)
      snprintf(text, size, "; driver '%.60s' may be what moves it", model->joint[i].def.name);
  return text;
}

// In radians; planar angles count whole turns.
// planar angles count turns: a whole one is a change
static double body_turned(const assembly *a, int body, const double *q) {
  const hn_sys_body *b = &a->sys->body[body];
  const double *x = a->described + b->q0, *y = q + b->q0;
  if (b->kind == HN_PLANAR) return fabs(y[2] - x[2]);
  if (b->kind != HN_SPATIAL) return 0;
  double back[4] = {x[3], -x[4], -x[5], -x[6]}, d[4];
  q_mul(d, back, y + 3);
  return 2 * hn_atan2(v3_norm(d + 1), fabs(d[0]));
}

// nothing held, the joints close: what was held stands against them. q is the closed state.
// Of all that was held, what the closed state contradicts most is named, in its own unit: rows by
// what is left of them, bodies and blocks by how far they moved.
static hn_status contradiction(assembly *a, const double *q) {
  const hn_system *sys = a->extended;
  hn_model *model = a->model;
  char who[100];
  double most = 0;
  int body = -1, row = -1, block = -1;
  hn_eval_position(&a->c.work, 0, q);
  // violations of held rows, at the state that closes the joints
  for (int i = 0; i < a->holds.count; i++) {
    double off = fabs(a->c.work.phi[a->sys->rows + i]);
    off *= hn_row_arm(sys, a->sys->rows + i) / sys->length;
    if (a->holds.row[i].position && off > most) most = off, row = i;
  }
  for (int i = 1; i < model->body_count; i++)
    if (model->body[i].def.hold & HN_HOLD_ROTATION && body_turned(a, i, q) > most)
      most = body_turned(a, i, q), body = i;
  for (int i = model->body_count; i < sys->bodies; i++) {
    double off = fabs(q[sys->body[i].q0] - a->described[sys->body[i].q0]);
    if (sys->body[i].hold && off > most) most = off, block = i;
  }
  drivers(model, who, sizeof who);
  if (block >= 0)
    return hn_model_fail(model, (hn_place){0}, HN_ERR_ASSEMBLY,
                         "'%s' is held at %.6g, but the constraints need it at %.6g",
                         sys->body[block].info->name, a->described[sys->body[block].q0],
                         q[sys->body[block].q0]);
  if (body >= 0)
    return hn_model_fail(model, model->body[body].place, HN_ERR_ASSEMBLY,
                         "body '%s': its rotation is held, but the joints close only when it is "
                         "turned by %.3g deg%s",
                         model->body[body].def.name, most / degree, who);
  const hn_hold_row *h = &a->holds.row[row < 0 ? 0 : row];
  // where the row needs it: its value and what is left
  double needed = h->value + a->c.work.phi[a->sys->rows + (row < 0 ? 0 : row)];
  if (h->body > 0)
    return hn_model_fail(model, model->body[h->body].place, HN_ERR_ASSEMBLY,
                         "body '%s': %c is held at %.6g m, but the joints close only with %.6g m%s",
                         model->body[h->body].def.name, 'x' + h->axis, h->value, needed, who);
  if (h->start)
    return hn_model_fail(model, model->start[h->start - 1].place, HN_ERR_ASSEMBLY,
                         "start '%s': it is to be %.6g, but the joints and drivers need it at "
                         "%.6g%s",
                         model->start[h->start - 1].def.quantity, h->value, needed, who);
  return hn_model_fail(model, model->joint[h->joint].place, HN_ERR_ASSEMBLY,
                       "joint '%s': it is held at %.6g, but the other joints and drivers need it "
                       "at %.6g%s",
                       model->joint[h->joint].def.name, h->value, needed, who);
}

static bool anything_held(const assembly *a) {
  for (int i = 0; i < a->holds.count; i++)
    if (a->holds.row[i].position) return true;
  for (int i = 1; i < a->model->body_count; i++)
    if (a->model->body[i].def.hold & HN_HOLD_ROTATION) return true;
  for (int i = a->model->body_count; i < a->sys->bodies; i++)
    if (a->sys->body[i].hold) return true;
  return false;
}

// Worth a second iteration: with everything held let go, either the joints close, and the holds are
// to blame, or they do not.
static hn_status refuse(assembly *a, double *q, const stuck *s) {
  stuck free_of = {0};
  if (anything_held(a)) {
    set_up(a, true);
    if (!close_from_starts(a, q, &free_of)) return contradiction(a, q);
  }
  return cannot_close(a, s);
}

// ---- all of it -------------------------------------------------------------------------------

// Judged later (redundancy.c), when it is known what joints that repeat others may leave.
static void largest_left(assembly *a) {
  const hn_system *sys = a->sys;
  hn_check *check = &a->sys->check;
  for (int i = 0; i < sys->rows; i++) {
    if (!sys->holonomic[i]) continue;
    double *o = sys->angular_row[i] ? &check->rotation_after : &check->position_after;
    *o = fmax(*o, fabs(a->c.work.phi[i]));
  }
}

// Described velocities are taken anew at the closed positions: those of bodies are given for their
// origins, and arms from there to the centres of mass have turned.
static hn_status assemble(assembly *a) {
  hn_system *sys = a->sys;
  double *q = sys->q0, *v = sys->v0;
  stuck s;
  hn_eval_position(&a->c.work, 0, q);
  hn_report_gaps(sys, &a->c.work);
  set_up(a, false);
  if (close_from_starts(a, q, &s)) return refuse(a, q, &s);
  largest_left(a);
  // angles of joints, continuous from the description
  memcpy(sys->turn0, a->c.work.turn, (size_t)sys->turns * sizeof(double));
  hn_described_velocities(sys, a->model, q, v);
  memcpy(a->given, v, (size_t)sys->nv * sizeof(double));
  hn_status status = hn_start_velocities(&a->c, sys, a->model, &a->holds, q, v);
  if (status || hn_workshop_bare(a->model->workshop)) return status;
  status = hn_report_changes(sys, a->model, a->described, a->given);
  if (!status) status = hn_report_sentences(sys, a->model, s.starts);
  return status;
}

// Held coordinates are rows of a second system, the same otherwise; its first rows, and all
// coordinates, are numbered alike.
static hn_status prepare(assembly *a, hn_arena *arena) {
  hn_system *sys = a->sys;
  hn_system *extended = NULL;
  a->extended = sys;
  if (hn_holds_wanted(a->model)) {
    hn_compile_extra extra = {.rows = hn_hold_rows, .user = &a->holds};
    // row i of both systems is the same row
    hn_status status = hn_compile_rows(&extended, a->model, &extra);
    if (status) return status;
    a->extended = extended;
  }
  sys->check.joint = calloc((size_t)sys->joints + 1, sizeof *sys->check.joint);
  a->described = malloc(((size_t)sys->nq + 1) * sizeof(double));
  a->given = malloc(((size_t)sys->nv + 1) * sizeof(double));
  hn_closer_layout(&a->c, arena, a->extended);
  if (!sys->check.joint || !a->described || !a->given ||
      !hn_workshop_take(a->model->workshop, HN_BENCH_ASSEMBLY, arena))
    return HN_ERR_MEMORY;
  // names for gaps that are told before redundancy.c fills the rest
  for (int i = 0; i < sys->joints; i++)
    ((hn_check_joint *)sys->check.joint)[i].name = sys->joint[i].name;
  hn_closer_layout(&a->c, arena, a->extended);
  memcpy(a->described, sys->q0, (size_t)sys->nq * sizeof(double));
  memcpy(a->given, sys->v0, (size_t)sys->nv * sizeof(double));
  return HN_OK;
}

hn_status hn_assemble(hn_system *sys, hn_model *model) {
  assembly a = {.sys = sys, .model = model};
  hn_arena arena = {0};
  hn_status status = prepare(&a, &arena);
  if (!status) status = assemble(&a);
  if (status == HN_ERR_MEMORY) hn_model_fail(model, (hn_place){0}, status, "out of memory");
  hn_workshop_give(model->workshop, HN_BENCH_ASSEMBLY, &arena);
  free(a.holds.row), free(a.described), free(a.given);
  if (a.extended != sys) hn_system_destroy((hn_system *)a.extended);
  return status;
}
