// redundancy.c: which rows repeat what others already impose.
//
// The rows of J are taken in units of their natural size (hn_jacobian_scaled), so that neither
// units nor masses decide, and a row that is nothing but round-off is seen to be so. Column-pivoted
// QR of the transpose finds an independent set; rows whose R_kk falls below the tolerance depend on
// it. Large systems use the pivots of the block factorisation instead: the square of what is left
// of a row when those before it are taken away, and rows with next to nothing left are dropped
// until none is.
//
// Most mechanisms of many rows are far from that, and a dense decomposition, cubic in their number,
// would only say so: inverse iteration on the sparse factors finds their smallest singular value.
//
// Rows that are dependent where the constraints are met become independent by about the violation
// where they are not. The tolerance is held above that, so position errors hide no dependency.
#include "compile/compile.h"
#include "compile/workshop.h"

#include "compile/dependency.h"
#include "compile/nearby.h"
#include "compile/sharing.h"
#include "linalg/dense.h"
#include "linalg/rank.h"
#include "system/kkt.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// 1e-8 where only squares are seen would be below rounding
static const double tolerance_large = 1e-6;
enum {
  DENSE_LIMIT = 700,
  DENSE_ROWS = 150
};                     // rows up to which the dense factorisation is taken,
                       // where others go by blocks and by rows
enum { PASSES = 30 };  // of dropping rows

void hn_rank_rows(const hn_work *work, hn_metric metric, double *J, double *size) {
  // a hundredth: where one of two goes, it is the nonholonomic one
  static const double later = 1e-2;
  const hn_system *sys = work->sys;
  hn_jacobian_scaled(work, metric, J, size);
  for (int i = 0; i < sys->rows; i++)
    for (int k = 0; !sys->holonomic[i] && k < sys->nv; k++)
      J[(size_t)i * (size_t)sys->nv + (size_t)k] *= later;
}

// what the violation of the constraints can feign, with a margin. A driver that is not met feigns
// nothing: its row is the same wherever the motion has got to.
// Ten times the largest violation, as part of the model's size; a tenth at most, since beyond that
// nothing could be told.
static bool feigned(const hn_work *work, double *tolerance) {
  const hn_system *sys = work->sys;
  double worst = 0;
  bool *counts = malloc((size_t)sys->rows + 1);
  if (!counts) return false;
  // rows of drivers may be off by as much as they like
  for (int i = 0; i < sys->rows; i++) counts[i] = sys->holonomic[i];
  for (int i = 0; i < sys->rowcount; i++)
    if (sys->row[i].motion >= 0) counts[sys->row[i].row] = false;
  for (int i = 0; i < sys->rows; i++)
    if (counts[i])
      worst = fmax(worst, fabs(work->phi[i]) / (sys->angular_row[i] ? 1 : sys->length));
  free(counts);
  *tolerance = fmax(*tolerance, fmin(0.1, 10 * worst));
  return true;
}

// how many rows are independent is asked of lengths alone, which of them by the masses, too.
// Two factorisations, as two questions are asked. Where the rank is known beforehand (relative
// coordinates) only the second one decides anything.
static bool rank_dense(const hn_work *work, hn_rank *out) {
  const hn_system *sys = work->sys;
  size_t rows = (size_t)sys->rows, nv = (size_t)sys->nv;
  double *J = malloc((rows * nv + 1) * sizeof(double)), *r = malloc((rows + nv) * sizeof(double));
  int *pivot = malloc(rows * sizeof(int)), n = sys->rows < sys->nv ? sys->rows : sys->nv, any;
  bool ok = J && r && pivot;
  if (ok) {
    hn_rank_rows(work, HN_METRIC_LENGTHS, J, r);
    if (sys->rows <= HN_FEW_ROWS)
      // few rows: by distances, which needs no pivoting
      hn_rank_distances(sys->rows, sys->nv, J, r, r + n);
    else
      ok = hn_dense_rank_qr(sys->rows, sys->nv, J, 0, &any, pivot, r);
  }
  if (ok) {
    // rows have their natural size: what is left of one is measured against that, not against the
    // largest, which may be nothing but round-off
    // r falls along the rows, so the first below the tolerance ends the set
    out->rank = out->known ? sys->rows - out->redundant : 0;
    while (!out->known && out->rank < n && r[out->rank] > out->tolerance) out->rank++;
    out->smallest_kept = out->rank > 0 ? r[out->rank - 1] : 1;
    out->largest_dropped = out->rank < n ? r[out->rank] : 0;
  }
  if (ok && out->rank < sys->rows) {
    hn_rank_rows(work, HN_METRIC_MASS, J, r);
    ok = hn_dense_rank_qr(sys->rows, sys->nv, J, 0, &any, pivot, r);
    for (int k = 0; ok && k < sys->rows; k++) out->active[pivot[k]] = k < out->rank;
  }
  free(J), free(r), free(pivot);
  return ok;
}

// Are all rows independent beyond doubt? With A the rows in units of their natural size, A A^T z =
// b is solved again and again for its own solution: |b| / |z| falls towards the square of the
// smallest singular value. From a start with a part of everything it is within a factor sqrt(rows)
// of that after a few passes; what is asked for lies a thousand times that above the tolerance
static bool beyond_doubt(const hn_work *work, hn_elimination *e, hn_rank *out) {
  enum { ITERATIONS = 8 };
  static const double margin = 1e3, pivots = 1e-8;
  const hn_system *sys = work->sys;
  size_t rows = (size_t)sys->rows, nv = (size_t)sys->nv;
  double *z = malloc((2 * rows + nv + 1) * sizeof(double)), growth = 1, least = 0;
  if (!z) return false;
  double *size = z + rows, *x = size + rows;
  // without rows left out: D is zero
  hn_elimination_sizes(e, work, size);
  hn_elimination_factor(e, work, NULL);
  bool solvable = e->kkt.pivot_ratio > pivots;
  for (size_t i = 0; i < rows; i++)
    // a multiplier of the golden ratio as noise: any start with a part of everything will do
    z[i] = ((uint32_t)i * 2654435761u >> 8 & 0xffff) / 65536.0 - 0.5;
  for (int k = 0; k < ITERATIONS && solvable; k++) {
    double before = 0, after = 0;
    memset(x, 0, nv * sizeof(double));
    for (size_t i = 0; i < rows; i++) before += z[i] * z[i], z[i] *= size[i];
    hn_elimination_solve(e, work, x, z);
    for (size_t i = 0; i < rows; i++) z[i] *= size[i], after += z[i] * z[i];
    // length of z before it is normalised again
    growth = sqrt(after / before);
    for (size_t i = 0; i < rows; i++) z[i] /= growth;
  }
  free(z);
  // growth is 1 / sigma^2
  if (solvable) least = 1 / sqrt(growth);
  if (!(least > margin * sqrt((double)rows) * out->tolerance)) return false;
  out->rank = sys->rows;
  out->smallest_kept = least;
  return true;
}

// rows go until none is left that depends on others.
// saddle.work is the natural size over the pivot: one over it is the square of what is left of the
// row. Several rows of one dependency may look poor at once, but those behind a row that goes gain
// by it: passes until nothing changes, and rows are only dropped, never taken back.
static void drop_dependent(const hn_work *work, hn_elimination *e, hn_rank *out, double *D) {
  const hn_system *sys = work->sys;
  double limit = out->tolerance * out->tolerance;
  // stops and grips are not there while rank is asked for
  for (int i = 0; i < sys->unilaterals; i++) D[sys->unilateral[i].row] = HN_LEFT_OUT;
  out->rank = hn_lasting_rows(sys);
  for (int pass = 0; pass < PASSES; pass++) {
    hn_elimination_factor(e, work, D);
    int before = out->rank;
    for (int i = 0; i < sys->rows; i++) {
      double left = 1 / e->kkt.saddle.work[i];
      if (D[i] > 0 || left > limit) continue;
      out->largest_dropped = fmax(out->largest_dropped, sqrt(left));
      D[i] = HN_LEFT_OUT;
      out->rank--;
    }
    if (out->rank == before) break;
  }
}

// With the number known, the choice that makes the best pivots is looked for first.
static bool rank_sparse(const hn_work *work, hn_elimination *e, hn_rank *out) {
  const hn_system *sys = work->sys;
  double *D = calloc((size_t)sys->rows, sizeof(double));
  if (!D) return false;
  out->rank = sys->rows - out->redundant;
  if (!out->known || !hn_kkt_choose_rows(&e->kkt, work, out->redundant, D)) {
    memset(D, 0, (size_t)sys->rows * sizeof(double));
    drop_dependent(work, e, out, D);
  }
  for (int i = 0; i < sys->rows; i++) out->active[i] = !(D[i] > 0);
  out->smallest_kept = sqrt(e->kkt.pivot_ratio);
  free(D);
  return true;
}

// coordinates without a block factorisation: by the numbers of J themselves.
// Numbers of J sorted by rows, each row of unit length: hn_sparse_rank does the rest.
static bool rank_by_rows(const hn_work *work, hn_rank *out) {
  const hn_system *sys = work->sys;
  size_t rows = (size_t)sys->rows, numbers = (size_t)sys->numbers;
  int *start = calloc(rows + 2, sizeof(int)), *row = malloc((numbers + 1) * sizeof(int));
  int *from = malloc((numbers + 1) * sizeof(int)), *column = malloc((numbers + 1) * sizeof(int));
  double *value = malloc((numbers + 1) * sizeof(double)), *size = calloc(rows + 1, sizeof(double));
  bool *later = malloc(rows + 1), ok = start && row && from && column && value && size && later;
  if (ok) {
    sys->coordinates->pattern(sys, row, from);
    for (size_t k = 0; k < numbers; k++) {
      start[row[k] + 2]++;
      size[row[k]] += work->numbers[k] * work->numbers[k];
    }
    for (size_t i = 0; i < rows; i++) start[i + 2] += start[i + 1], later[i] = !sys->holonomic[i];
    // start[row + 1] moves along while numbers are put in
    for (size_t k = 0; k < numbers; k++) {
      int at = start[row[k] + 1]++;
      column[at] = from[k];
      value[at] = size[row[k]] > 0 ? work->numbers[k] / sqrt(size[row[k]]) : 0;
    }
    ok = hn_sparse_rank(sys->rows, sys->nv, start, column, value, later, out->tolerance,
                        out->active, &out->rank, &out->smallest_kept, &out->largest_dropped);
  }
  free(start), free(row), free(from), free(column), free(value), free(size), free(later);
  return ok;
}

// Three ways by size: dense QR, sharpest; pivots of the block factorisation; sparse Cholesky of J
// J^T where there are no blocks. The latter two see squares, and tell down to 1e-6 or so.
bool hn_find_rank(const hn_work *work, hn_elimination *e, hn_rank *out) {
  const hn_system *sys = work->sys;
  // back ends without blocks compare squares, and are slower
  bool dense = sys->rows <= (sys->coordinates->kkt ? DENSE_LIMIT : DENSE_ROWS);
  for (int i = 0; i < sys->rows; i++) out->active[i] = true;
  if (!(out->tolerance > 0)) out->tolerance = dense ? HN_RANK_TOLERANCE : tolerance_large;
  if (!feigned(work, &out->tolerance)) return false;
  out->rank = 0;
  out->smallest_kept = 1, out->largest_dropped = 0;
  if (!sys->rows) return true;
  bool many = dense && sys->rows > HN_FEW_ROWS && sys->coordinates->of_bodies;
  if (many && !out->known && !sys->unilaterals && beyond_doubt(work, e, out)) return true;
  if (dense) return rank_dense(work, out);
  return sys->coordinates->kkt ? rank_sparse(work, e, out) : rank_by_rows(work, out);
}

// a work space and a factorisation of their own, in one block
typedef struct bench {
  hn_arena arena;
  hn_workshop *workshop;
  hn_work work;
  hn_elimination elimination;
} bench;

static void lay_out(bench *b, const hn_system *sys) {
  // twice, as every layout: to measure and to place
  hn_work_layout(&b->work, &b->arena, sys);
  hn_elimination_layout(&b->elimination, &b->arena, sys);
}

// Closed by whoever opens it. `workshop`: may be NULL
static bool open_bench(bench *b, const hn_system *sys, hn_workshop *workshop) {
  *b = (bench){.workshop = workshop};
  lay_out(b, sys);
  if (!hn_workshop_take(workshop, HN_BENCH_RANK, &b->arena)) return false;
  lay_out(b, sys);
  return true;
}

static void close_bench(bench *b) {
  hn_workshop_give(b->workshop, HN_BENCH_RANK, &b->arena);
}

void hn_elimination_layout(hn_elimination *e, hn_arena *arena, const hn_system *sys) {
  if (!sys->coordinates->of_bodies) {
    // with a mass matrix of their own, questions are put to the reference system
    if (sys->coordinates->kkt) hn_kkt_layout(&e->kkt, arena, sys);
    return;
  }
  hn_saddle_layout(&e->kkt.saddle, arena, sys->plan);
  e->weight = HN_TAKE(arena, double, sys->nv);
  if (!arena->base) return;
  for (int i = 0; i < sys->nv; i++)
    e->weight[i] = sys->angular_v[i] ? sys->length * sys->length : 1;
}

void hn_elimination_factor(hn_elimination *e, const hn_work *work, const double *D) {
  if (!work->sys->coordinates->of_bodies) {
    hn_kkt_factor(&e->kkt, work, HN_WEIGHT_MASS, D);
    return;
  }
  hn_saddle_factor(&e->kkt.saddle, e->weight, work->J, D);
  e->kkt.pivot_ratio = e->kkt.saddle.pivot_ratio;
}

void hn_elimination_solve(const hn_elimination *e, const hn_work *work, double *x, double *l) {
  if (!work->sys->coordinates->of_bodies)
    hn_kkt_solve(&e->kkt, work, x, l);
  else
    hn_saddle_solve(&e->kkt.saddle, x, l);
}

hn_status hn_redundancy_at(const hn_system *sys, double t, const double *q, const double *v,
                           bool *active, hn_redundancy **out) {
  // a rank without a tolerance of its own takes the usual one
  bench b;
  hn_status status = HN_ERR_MEMORY;
  *out = NULL;
  if (!open_bench(&b, sys, NULL)) return status;
  hn_rank rank = {.active = active};
  hn_eval_jacobian(&b.work, t, q, v);
  if (hn_find_rank(&b.work, &b.elimination, &rank))
    status = hn_find_dependencies(&b.work, &b.elimination, &rank, out);
  close_bench(&b);
  return status;
}

// Rows that come and go are not counted: the report is about what always holds.
static void count_joints(hn_system *sys) {
  hn_check *check = &sys->check;
  hn_check_joint *joint = (hn_check_joint *)check->joint;
  const hn_redundancy *r = check->redundancy;
  check->joint_count = sys->joints;
  for (int i = 0; i < sys->joints; i++) {
    const hn_sys_joint *j = &sys->joint[i];
    joint[i].name = j->name;
    joint[i].type = j->type;
    joint[i].rows = sys->group[j->group].rows;
    for (int k = 0; k < sys->unilaterals; k++)
      joint[i].rows -= sys->row_joint[sys->unilateral[k].row] == i;
    joint[i].redundant = 0;
    joint[i].undetermined = r->joint[i].rows;
  }
  for (int k = 0; k < r->dependency_count; k++)
    for (int i = 0; i < sys->joints; i++)
      if (strcmp(sys->joint[i].name, r->dependency[k].joint) == 0)
        joint[i].redundant += r->dependency[k].row_count;
}

// only self-stress can stand without load: how much of what the model gives is that.
// What is kept is the given one less what it would put on the bodies (sharing.c); the difference is
// told in words.
static bool describe_preload(hn_system *sys) {
  hn_arena arena = {0};
  hn_work work = {0};
  hn_sharing sharing = {0};
  double *kept = NULL, given = 0, most = 0, change = 0;
  for (int pass = 0; pass < 2; pass++) {
    hn_work_layout(&work, &arena, sys);
    hn_sharing_layout(&sharing, &arena, sys);
    kept = HN_TAKE(&arena, double, sys->rows);
    if (pass == 0 && !hn_arena_allocate(&arena)) return false;
  }
  // at the assembled state, where forces balance
  hn_eval_jacobian(&work, 0, sys->q0, sys->v0);
  sharing.violation = hn_sharing_violation(&work);
  hn_sharing_preload(&sharing, &work, kept);
  hn_preload(sys, work.lambda);
  for (int i = 0; i < sys->rows; i++) {
    double x = work.lambda[i];
    given = fmax(given, fabs(x));
    most = fmax(most, fabs(kept[i]));
    change = fmax(change, fabs(kept[i] - x));
  }
  char *text = sys->check.preload;
  size_t size = sizeof sys->check.preload;
  // relative to the largest given
  if (!(most > 1e-9 * given))
    snprintf(text, size, "without effect: the joints cannot hold it among themselves");
  else if (change > 1e-6 * given)
    snprintf(text, size,
             "changed to what the joints can hold among themselves: %.6g given, %.6g kept", given,
             most);
  else
    snprintf(text, size, "as given");
  free(arena.base);
  return true;
}

// ---- at the assembled state ----------------------------------------------------------------

// what the rank is and where it was taken: at the start, or beside it when that is a singular place
typedef struct start {
  hn_rank rank;
  double *q;
  int lost;          // rows that depend on others at the start alone
  bool out_of_line;  // rows repeat others only roughly
  double *gap;       // per row
} start;

static bool open_start(start *s, const hn_system *sys) {
  s->q = malloc(((size_t)sys->nq + (size_t)sys->rows + 1) * sizeof(double));
  if (!s->q) return false;
  s->gap = s->q + sys->nq;
  // q has room for gaps behind it
  memcpy(s->q, sys->q0, (size_t)sys->nq * sizeof(double));
  return true;
}

// the rank with this tolerance at the start, and whether it stays so beside it; false when out of
// memory.
// The tolerance may come back larger than asked for, as a violation raises it: beside the start the
// same one is used.
static bool rank_with(bench *b, const hn_system *sys, double tolerance, hn_rank *here, bool *stays,
                      hn_rank *there, double *q) {
  here->tolerance = there->tolerance = tolerance;
  *stays = true;
  hn_eval_jacobian(&b->work, 0, sys->q0, sys->v0);
  if (!hn_find_rank(&b->work, &b->elimination, here)) return false;
  there->rank = -1;
  there->tolerance = here->tolerance;
  if (here->rank == hn_lasting_rows(sys)) return true;
  if (!hn_rank_nearby(&b->work, &b->elimination, sys->q0, here->active, there, q)) return false;
  *stays = there->rank <= here->rank;
  return true;
}

static void take(hn_rank *to, const hn_rank *from, int rows) {
  bool *active = to->active;
  memcpy(active, from->active, (size_t)rows);
  *to = *from;
  to->active = active;
}

// First with the usual tolerance. More rank beside the start means a singular place, unless it is
// gained by next to nothing: then, or where something is all but dependent, the question is asked
// again with a tolerance that forgives joints out of line.
static bool find_start(bench *b, const hn_system *sys, start *s) {
  bool *room = malloc(2 * (size_t)sys->rows + 2), stays = true;
  if (!room) return false;
  hn_rank here = {.active = room}, there = {.active = room + sys->rows};
  bool ok = rank_with(b, sys, 0, &here, &stays, &there, s->q);
  if (ok) take(&s->rank, &here, sys->rows);
  // here: what it is at the start; there: beside it
  // rows that come to life beside the start by next to nothing are out of line, not singular
  bool faint = !stays && there.smallest_kept < HN_OUT_OF_LINE;
  if (ok && !stays && !faint) {
    // a singular place: rows are chosen where they are independent
    s->lost = there.rank - here.rank;
    take(&s->rank, &there, sys->rows);
  } else if (ok && (faint || here.smallest_kept < HN_OUT_OF_LINE)) {
    // almost dependent: everywhere, or here alone?
    int before = faint ? there.rank : here.rank;
    ok = rank_with(b, sys, HN_OUT_OF_LINE, &here, &stays, &there, s->q);
    if (ok && here.rank < before) {
      s->out_of_line = stays;
      s->lost = stays ? 0 : there.rank - here.rank;
      take(&s->rank, stays ? &here : &there, sys->rows);
    }
  }
  if (!s->lost) memcpy(s->q, sys->q0, (size_t)sys->nq * sizeof(double));
  free(room);
  return ok;
}

// a radian, or the model's length
static double unit_of_gap(const hn_system *sys, int row) {
  return sys->angular_row[row] ? 1 : sys->length;
}

static void name_gap(const hn_system *sys, const double *gap, int *row) {
  double most = 0;
  *row = -1;
  for (int i = 0; i < sys->rows; i++) {
    // the widest, each in its own unit
    double x = gap[i] / unit_of_gap(sys, i);
    if (x > most) most = x, *row = i;
  }
}

static const char *unit_of_row(const hn_system *sys, int row) {
  return sys->angular_row[row] ? "rad" : "m";
}

// the joint that a dependency with this one is named after: the last of them in the model.
// The gap shows in whichever row was left out; users know the joint that came last as the one too
// many.
static int late_joint(const hn_system *sys, const hn_redundancy *r, int joint) {
  const char *name = sys->joint[joint].name;
  for (int k = 0; k < r->dependency_count; k++) {
    const hn_dependency *d = &r->dependency[k];
    // from joint to joint towards the last that shares work with it
    for (int i = 0; i < d->other_count; i++)
      if (strcmp(d->other[i], name) == 0) name = d->joint, i = d->other_count;
  }
  for (int j = 0; j < sys->joints; j++)
    if (strcmp(sys->joint[j].name, name) == 0) return j;
  return joint;
}

// joints that ought to repeat others and miss them; an error when by too much.
// Noise grows with the number of rows that add up in a loop. What is above the limit is an error,
// between the two a sentence.
static hn_status judge_gaps(bench *b, hn_system *sys, hn_model *model, start *s,
                            const hn_redundancy *r) {
  // 2e-13: rounding of loops of moderate size, more where many rows add up
  double noise = 2e-13 * fmax(1, sys->rows / 50.0);
  hn_check *check = &sys->check;
  if (s->rank.rank == hn_lasting_rows(sys)) return HN_OK;
  if (!hn_find_gaps(&b->work, &b->elimination, s->rank.active, s->gap)) return HN_ERR_MEMORY;
  int row;
  name_gap(sys, s->gap, &row);
  if (row < 0) return HN_OK;
  double size = unit_of_gap(sys, row);
  const hn_sys_joint *j = &sys->joint[late_joint(sys, r, sys->row_joint[row])];
  check->gap = s->gap[row], sys->gap = check->gap / size;
  if (check->gap > HN_GAP_LIMIT * size) {
    int m = hn_model_find_joint(model, j->name);
    return hn_model_fail(model, m >= 0 ? model->joint[m].place : (hn_place){0}, HN_ERR_ASSEMBLY,
                         "joint '%s': out of line by %.3g %s with the joints whose work it repeats "
                         "(up to %.3g %s is shared): give its place and axis with more digits, or "
                         "leave it free where it repeats them",
                         j->name, check->gap, unit_of_row(sys, row), HN_GAP_LIMIT * size,
                         unit_of_row(sys, row));
  }
  if (check->gap > noise * size)
    snprintf(check->gaps, sizeof check->gaps,
             "joint '%.60s' is out of line by %.2g %s with the joints whose work it repeats; the "
             "gap is shared",
             j->name, check->gap, unit_of_row(sys, row));
  else
    check->gap = sys->gap = 0;
  return HN_OK;
}

// joints too far out of line to be shared and too little to be meant hold what should move.
// A mechanism that should move is locked by joints that miss each other by, say, 1e-5: the rank is
// full, and nothing looks wrong but a singular value of that size with a clear step below those of
// the others.
static hn_status refuse_far_gaps(bench *b, hn_system *sys, hn_model *model, const start *s) {
  if (s->lost || sys->rows > DENSE_LIMIT || !(s->rank.smallest_kept < HN_MEANT)) return HN_OK;
  bool *room = malloc(2 * (size_t)sys->rows + 2), stays;
  double *q = malloc(((size_t)sys->nq + (size_t)sys->rows + 1) * sizeof(double));
  hn_rank here = {.active = room}, there = {.active = room ? room + sys->rows : NULL};
  hn_status status = HN_ERR_MEMORY;
  if (room && q && rank_with(b, sys, HN_MEANT, &here, &stays, &there, q)) {
    status = HN_OK;
    // a step of a hundred between kept and dropped: not a matter of degree
    bool apart = here.smallest_kept > 100 * here.largest_dropped;
    if (stays && there.rank >= 0 && apart && here.rank < s->rank.rank) {
      start far = {.rank = here, .q = q, .gap = q + sys->nq};
      hn_redundancy *r = NULL;
      hn_eval_jacobian(&b->work, 0, sys->q0, sys->v0);
      status = hn_find_dependencies(&b->work, &b->elimination, &here, &r);
      if (!status) status = judge_gaps(b, sys, model, &far, r);
      hn_redundancy_destroy(r);
    }
  }
  free(room), free(q);
  return status;
}

// What assembly left open must be the gap of joints that repeat others: what is more than that are
// joints, drivers or held coordinates that contradict each other.
static hn_status judge_closure(hn_system *sys, hn_model *model, const hn_work *work) {
  const hn_check *check = &sys->check;
  double speed = 0, worst = 0, allowed = 1e-9 + 4 * sys->gap, keeps = 0;
  int row = 0;
  for (int i = 0; i < sys->nv; i++) speed = fmax(speed, fabs(sys->v0[i]) * hn_velocity_arm(sys, i));
  for (int i = 0; i < sys->rows; i++) {
    speed = fmax(speed, fabs(work->phi_t[i]) * hn_row_arm(sys, i));
    keeps = fmax(keeps, fabs(work->psi[i]) * hn_row_arm(sys, i));
  }
  bool apart = check->position_after > allowed * sys->length;
  bool turned = check->rotation_after > allowed, open = apart || turned;
  // 10 per gap: velocities see gaps through levers
  if (!open && keeps <= fmax((1e-9 + 10 * sys->gap) * speed, 1e-300)) return HN_OK;
  const double *x = open ? work->phi : work->psi;
  // of angles or of lengths, as it is these that are open
  for (int i = 0; i < sys->rows; i++) {
    if (open && sys->angular_row[i] == apart) continue;
    // the first of those that are off by the same
    double size = fabs(x[i]) * hn_row_arm(sys, i);
    if (size > (1 + 1e-6) * worst) worst = size, row = i;
  }
  worst /= hn_row_arm(sys, row);
  const hn_sys_joint *j = &sys->joint[sys->row_joint[row]];
  int m = hn_model_find_joint(model, j->name);
  hn_place place = m >= 0 ? model->joint[m].place : (hn_place){0};
  if (open)
    return hn_model_fail(model, place, HN_ERR_ASSEMBLY,
                         "joint '%s': cannot be closed: %.3g%s stays in row '%s' (check lengths, "
                         "positions and held coordinates)",
                         j->name, worst,
                         m < 0                   ? ""  // equations of a block
                         : sys->angular_row[row] ? " rad"
                                                 : " m",
                         sys->row_name[row]);
  return hn_model_fail(model, place, HN_ERR_ASSEMBLY,
                       "the initial velocities contradict each other: row '%s' keeps a rate of "
                       "%.3g (two given rates or drivers may fight)",
                       sys->row_name[row], worst);
}

static void describe_start(hn_system *sys, const start *s) {
  hn_check *check = &sys->check;
  check->singular_rows = s->lost;
  if (s->lost)
    snprintf(check->start, sizeof check->start,
             "a singular place: %d row%s more depend%s on others here than a little beside, where "
             "the mechanism has %d degree%s of freedom; more than one way may lead out of it",
             s->lost, s->lost == 1 ? "" : "s", s->lost == 1 ? "s" : "", check->dof,
             check->dof == 1 ? "" : "s");
}

static void report(hn_system *sys, const hn_model *model, hn_redundancy *found) {
  hn_check *check = &sys->check;
  sys->redundant = sys->rows - found->rank;
  check->redundancy = found;
  check->bodies = model->body_count - 1;
  check->blocks = model->block_count;
  check->joints = model->joint_count;
  check->forces = model->force_count;
  check->velocities = sys->nv;
  check->rows = found->rows;
  check->rank = found->rank;
  check->rank_tolerance = found->tolerance;
  check->smallest_kept = found->smallest_kept;
  check->largest_dropped = found->largest_dropped;
  check->dof_counted = sys->nv - found->rows;
  check->dof = found->dof;
  check->redundant_count = found->redundant_count;
  check->redundant = (const char *const *)found->redundant;
  count_joints(sys);
  hn_sharing_describe(sys, check->reactions, sizeof check->reactions);
}

// Every question is put where it has an answer: the rank beside a singular start, what is open at
// the start itself.
hn_status hn_analyse_redundancy(hn_system *sys, hn_model *model) {
  hn_redundancy *found = NULL;
  bench b = {0};
  start s = {0};
  hn_status status = HN_ERR_MEMORY;
  s.rank.active = sys->active = malloc((size_t)sys->rows + 1);
  if (sys->active && open_bench(&b, sys, model->workshop) && open_start(&s, sys) &&
      find_start(&b, sys, &s)) {
    if (s.out_of_line) sys->rank_tolerance = s.rank.tolerance;
    hn_eval_jacobian(&b.work, 0, s.q, sys->v0);
    status = refuse_far_gaps(&b, sys, model, &s);
    hn_eval_jacobian(&b.work, 0, s.q, sys->v0);
    if (!status) status = hn_find_dependencies(&b.work, &b.elimination, &s.rank, &found);
    if (!status) status = judge_gaps(&b, sys, model, &s, found);
  }
  if (status)
    hn_redundancy_destroy(found);
  else {
    report(sys, model, found);
    describe_start(sys, &s);
    hn_eval_jacobian(&b.work, 0, sys->q0, sys->v0);
    status = judge_closure(sys, model, &b.work);
  }
  if (!status && sys->preloaded && !describe_preload(sys)) status = HN_ERR_MEMORY;
  close_bench(&b);
  free(s.q);
  if (status == HN_ERR_MEMORY) return hn_model_fail(model, (hn_place){0}, status, "out of memory");
  return status;
}

// evaluates the rows where no more of them depend on each other than must: at the start, or a
// little beside it when that is a singular place.
// At a singular place rows chosen would be those that happen to be independent there.
static bool evaluate_beside(bench *b, hn_system *sys) {
  hn_eval_jacobian(&b->work, 0, sys->q0, sys->v0);
  if (!sys->check.singular_rows || !sys->coordinates->kkt) return true;
  bool *room = malloc(2 * (size_t)sys->rows + 2), stays;
  double *q = malloc(((size_t)sys->nq + 1) * sizeof(double));
  hn_rank here = {.active = room}, there = {.active = room ? room + sys->rows : NULL};
  bool ok = room && q && rank_with(b, sys, 0, &here, &stays, &there, q);
  if (ok) hn_eval_jacobian(&b->work, 0, stays ? sys->q0 : q, sys->v0);
  free(room), free(q);
  return ok;
}

// Families that add rows of their own (natural) have another count, and find the rank anew.
hn_status hn_select_loop_rows(hn_system *sys, hn_model *model, const hn_system *reference) {
  bench b;
  sys->active = malloc((size_t)sys->rows + 1);
  if (!sys->active || !open_bench(&b, sys, model->workshop))
    return hn_model_fail(model, (hn_place){0}, HN_ERR_MEMORY, "out of memory");
  // joints of a tree do not depend on each other: as many rows are too many as were before
  hn_rank rank = {.active = sys->active,
                  .known = !sys->coordinates->adds_rows,
                  .redundant = reference->redundant};
  bool ok = evaluate_beside(&b, sys) && hn_find_rank(&b.work, &b.elimination, &rank);
  close_bench(&b);
  if (!ok) return hn_model_fail(model, (hn_place){0}, HN_ERR_MEMORY, "out of memory");
  sys->redundant = sys->rows - rank.rank;
  return HN_OK;
}

void hn_check_destroy(hn_check *check) {
  free((void *)check->joint);
  free((void *)check->body);
  for (int i = 0; i < check->note_count; i++) free((void *)check->note[i]);
  free((void *)check->note);
  hn_redundancy_destroy((hn_redundancy *)check->redundancy);
}
