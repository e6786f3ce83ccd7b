// holding.c: Coulomb friction that holds.
//
//   sticking   u = 0,             |F| <= static N    rows that are there (joints/hold.c)
//   sliding    F = -coulomb N u / |u|
//
// u is the slip, the rates of those rows. Which of the two it is, is decided where it changes
// (sim/stick.c): work->slip says what there is along each row per normal force, and is zero while
// the row holds. With one row that is the force, with more its size, the slip saying the direction.
#include "forces/force.h"
#include "forces/friction.h"
#include "system/pair.h"

#include <stdio.h>
#include <string.h>

// slips of teeth, and of balls that may roll, are sums of two measures
enum { TERMS = 2, COLUMN = 48 };
typedef struct line {
  int terms, measure[TERMS];  // of the row, each with its rate
  double coefficient[TERMS];
} line;
typedef struct holding {
  int hold;  // number in sys->hold
  int rows;
  line row[HN_HOLD_ROWS];
  double viscous;                     // [N s/m], always there
  char column[HN_HOLD_ROWS][COLUMN];  // what is recorded of each row
} holding;

// of one row: the same sum of measures that is held at rest while it sticks
static double slip(const hn_work *work, const line *row) {
  double rate = 0;
  for (int k = 0; k < row->terms; k++)
    rate += row->coefficient[k] * work->mval[row->measure[k]].rate;
  return rate;
}

// F along the slip of a row, on all bodies whose motion is in it
static void push(const hn_system *sys, hn_work *work, const line *row, double F) {
  for (int k = 0; k < row->terms; k++)
    hn_apply_measure(sys, work, row->measure[k], row->coefficient[k] * F);
}

static void eval(const hn_system *sys, hn_work *work, int count, const void *data) {
  const holding *e = data;
  for (int i = 0; i < count; i++, e++)
    // viscous friction acts also while it sticks, where u is round-off
    for (int r = 0; r < e->rows && e->viscous > 0; r++) {
      double u = slip(work, &e->row[r]);
      push(sys, work, &e->row[r], -e->viscous * u);
      work->power -= e->viscous * u * u;
    }
}

// what acts along the rows, without the forces of those that hold
typedef struct dry_force {
  double u[HN_HOLD_ROWS], F[HN_HOLD_ROWS];
  double by_turn;  // dF = by_turn (du - its part along u)
} dry_force;
static dry_force dry(const hn_system *sys, const hn_work *work, const holding *e) {
  const hn_hold *h = &sys->hold[e->hold];
  // zero unless something slips
  dry_force o = {.by_turn = 0};
  // what presses, from the reaction or given
  double speed = 0, size = 0, N = hn_hold_press(work, e->hold);
  for (int r = 0; r < e->rows; r++) {
    // per normal force; NULL: nothing slips
    double s = work->slip ? work->slip[h->first + r] : 0;
    o.u[r] = slip(work, &e->row[r]);
    // a bearer holds together with others: what it carries is a force already found (hn_hold_state)
    o.F[r] = -s * N + (work->held && work->held[e->hold].bearer >= 0 ? work->carried[e->hold] : 0);
    speed += o.u[r] * o.u[r], size += s * s;
  }
  speed = sqrt(speed), size = sqrt(size);
  // slip too slow to have a direction keeps the one it came with
  if (e->rows == 1 || !work->held || !(speed > work->held[e->hold].slow)) return o;
  // size N against the slip, whatever its direction: smooth while that turns
  o.by_turn = -size * N / speed;
  for (int r = 0; r < e->rows; r++) o.F[r] = o.by_turn * o.u[r];
  return o;
}

static void reactive(const hn_system *sys, hn_work *work, int count, const void *data) {
  const holding *e = data;
  for (int i = 0; i < count; i++, e++) {
    // after the reactions are known
    dry_force o = dry(sys, work, e);
    for (int r = 0; r < e->rows; r++) {
      push(sys, work, &e->row[r], o.F[r]);
      work->power += o.F[r] * o.u[r];
    }
  }
}

// one row's force follows another row's slip
static void follow(const hn_system *sys, const hn_work *work, const line *row, const line *other,
                   double by_slip, hn_tangent *out) {
  for (int k = 0; k < row->terms; k++) {
    hn_direction along = hn_direction_measure(sys, work, row->measure[k]);
    for (int l = 0; l < other->terms; l++)
      hn_tangent_signal(sys, work, &along, other->measure[l], 0,
                        row->coefficient[k] * other->coefficient[l] * by_slip, out);
  }
}

// N is held
static void tangent(const hn_system *sys, hn_work *work, int count, const void *data,
                    hn_tangent *out) {
  const holding *e = data;
  for (int i = 0; i < count; i++, e++) {
    // the dry part at this state
    dry_force o = dry(sys, work, e);
    double square = 0;
    // |u|^2, for the projector below
    for (int r = 0; r < e->rows; r++) square += o.u[r] * o.u[r];
    for (int r = 0; r < e->rows; r++) {
      const line *row = &e->row[r];
      // turns of the gradients of the measures, with the force held
      for (int k = 0; k < row->terms; k++)
        hn_tangent_measure(sys, work, row->measure[k],
                           row->coefficient[k] * (o.F[r] - e->viscous * o.u[r]), 0, 0, out);
      for (int s = 0; s < e->rows; s++) {
        // only across the slip: along it the size is constant
        double by = o.by_turn != 0 ? o.by_turn * ((r == s) - o.u[r] * o.u[s] / square) : 0;
        follow(sys, work, row, &e->row[s], by - (r == s ? e->viscous : 0), out);
      }
    }
  }
}

static const char *column(const void *data, int k, const char **unit) {
  const holding *e = data;
  if (k >= e->rows) return NULL;
  *unit = "N";
  return e->column[k];
}

// the force along row k, whoever exerts it: the friction of a slip, or the multiplier of a row that
// holds, the other one being zero; and what is viscous
static double read(const hn_system *sys, const hn_work *work, const void *data, int k) {
  const holding *e = data;
  int row = sys->unilateral[sys->hold[e->hold].first + k].row;
  dry_force o = dry(sys, work, e);
  return o.F[k] + work->lambda[row] - e->viscous * o.u[k];
}

static const hn_force_ops ops = {
    .name = "friction",
    .data_size = sizeof(holding),
    .eval = eval,
    .tangent = tangent,
    .reactive = reactive,
    .column = column,
    .read = read,
};

static int find(const hn_system *sys, const char *name, const char *ending) {
  size_t n = strlen(name);
  // names may have dots: "brake.hold" belongs to "brake"
  for (int i = 0; i < sys->joints; i++)
    if (strncmp(sys->joint[i].name, name, n) == 0 && strcmp(sys->joint[i].name + n, ending) == 0)
      return i;
  return -1;
}

// slip is measured along the very rows that hold while it sticks, so that both agree to the last
// digit about what is at rest
static void take_row(const hn_system *sys, int row, line *out) {
  for (int i = 0; i < sys->rowcount; i++) {
    if (sys->row[i].row != row) continue;
    const hn_term *term = &sys->term[sys->row[i].first_term];
    out->terms = sys->row[i].terms;
    for (int k = 0; k < out->terms; k++)
      out->measure[k] = term[k].measure, out->coefficient[k] = term[k].coefficient;
  }
}

// force, or force_1 and so on of several rows; of several gaps each has its own: gap_1_force
static void name_column(char name[COLUMN], int gap, int row) {
  char which[24] = "";
  if (gap) snprintf(which, sizeof which, "gap_%d_", gap);
  hn_plain_text(name, COLUMN, row ? "%sforce_%d" : "%sforce", which, row);
}

hn_status hn_build_holding(hn_builder *builder, const hn_force_def *def, double sticking) {
  const hn_system *sys = hn_build_system(builder);
  // two joints: the one whose rows hold, and the one that presses
  holding e = {.viscous = def->viscous};
  int rows_of = find(sys, def->name, ".hold"), presses = find(sys, def->joint, "");
  if (presses < 0 || rows_of < 0)
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "needs a joint, whose reaction it follows: '%s' is none", def->joint);
  int gaps = hn_build_holds(builder, presses);
  for (int gap = 0; gap < gaps; gap++) {
    e.hold = hn_build_hold(builder, rows_of, presses, gap, def, sticking);
    if (hn_build_status(builder)) return hn_build_status(builder);
    const hn_hold *h = &sys->hold[e.hold];
    if (h->press > 0 && h->normal >= 0)
      return hn_build_fail(builder, HN_ERR_MODEL,
                           "press is of joints that always hold: '%s' presses by itself",
                           def->joint);
    e.rows = h->rows;
    for (int r = 0; r < h->rows; r++) {
      take_row(sys, sys->unilateral[h->first + r].row, &e.row[r]);
      name_column(e.column[r], gaps > 1 ? gap + 1 : 0, h->rows > 1 ? r + 1 : 0);
    }
    // between the bodies of the joint that presses
    hn_build_acts_at(builder, presses);
    hn_build_force(builder, &ops, &e);
  }
  return hn_build_status(builder);
}
