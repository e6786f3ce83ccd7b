// redundancy.c: which rows repeat what others already impose.
//
// The rows of J are scaled by M^-1/2 and to unit length, so that neither units nor masses decide.
// Column-pivoted QR of the transpose finds an independent set; rows whose R_kk falls below the
// tolerance depend on it. Large systems use the pivots of the block factorisation instead: the
// square of what is left of a row when those before it are taken away, and rows with next to
// nothing left are dropped until none is.
//
// Rows that are dependent where the constraints are met become independent by about the violation
// where they are not. The tolerance is held above that, so position errors hide no dependency.
#include "compile/compile.h"

#include "compile/dependency.h"
#include "compile/sharing.h"
#include "linalg/dense.h"
#include "linalg/rank.h"
#include "system/kkt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double tolerance = 1e-8, tolerance_large = 1e-6;
enum { DENSE_LIMIT = 150 };  // rows up to which the dense factorisation is cheap
enum { PASSES = 30 };        // of dropping rows

void hn_scale_rows(const hn_system *sys, double *J) {
  static const double later = 1e-2;
  for (int i = 0; i < sys->rows; i++) {
    double *row = J + (size_t)i * (size_t)sys->nv, n = 0;
    for (int k = 0; k < sys->nv; k++) {
      if (sys->coordinates->of_bodies) row[k] /= sqrt(sys->mass[k]);
      n += row[k] * row[k];
    }
    double s = n > 0 ? (sys->holonomic[i] ? 1 : later) / sqrt(n) : 0;
    for (int k = 0; k < sys->nv; k++) row[k] *= s;
  }
}

// what the violation of the constraints can feign, with a margin
static double feigned(const hn_work *work) {
  const hn_system *sys = work->sys;
  double worst = 0;
  for (int i = 0; i < sys->rows; i++)
    if (sys->holonomic[i])
      worst = fmax(worst, fabs(work->phi[i]) / (sys->angular_row[i] ? 1 : sys->length));
  return fmin(0.1, 10 * worst);
}

static bool rank_dense(const hn_work *work, hn_rank *out) {
  const hn_system *sys = work->sys;
  size_t rows = (size_t)sys->rows, nv = (size_t)sys->nv;
  double *J = malloc((rows * nv + 1) * sizeof(double)), *r = malloc((rows + nv) * sizeof(double));
  int *pivot = malloc(rows * sizeof(int)), n = sys->rows < sys->nv ? sys->rows : sys->nv;
  bool ok = J && r && pivot;
  if (ok) {
    hn_jacobian_dense(work, J);
    hn_scale_rows(sys, J);
    ok = hn_dense_rank_qr(sys->rows, sys->nv, J, out->tolerance, &out->rank, pivot, r);
  }
  if (ok) {
    for (int k = 0; k < sys->rows; k++) out->active[pivot[k]] = k < out->rank;
    out->smallest_kept = out->rank > 0 ? r[out->rank - 1] / r[0] : 1;
    out->largest_dropped = out->rank < n ? r[out->rank] / r[0] : 0;
  }
  free(J), free(r), free(pivot);
  return ok;
}

static bool rank_sparse(const hn_work *work, hn_elimination *e, hn_rank *out) {
  const hn_system *sys = work->sys;
  double *D = calloc((size_t)sys->rows, sizeof(double)), limit = out->tolerance * out->tolerance;
  if (!D) return false;
  out->rank = sys->rows;
  for (int pass = 0; pass < PASSES; pass++) {
    hn_elimination_factor(e, work, D);
    int before = out->rank;
    for (int i = 0; i < sys->rows; i++) {
      double left = 1 / e->kkt.saddle.work[i];
      if (!out->active[i] || left > limit) continue;
      out->active[i] = false;
      out->largest_dropped = fmax(out->largest_dropped, sqrt(left));
      D[i] = HN_LEFT_OUT;
      out->rank--;
    }
    if (out->rank == before) break;
  }
  out->smallest_kept = sqrt(e->kkt.pivot_ratio);
  free(D);
  return true;
}

// coordinates without a block factorisation: by the numbers of J themselves
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

bool hn_find_rank(const hn_work *work, hn_elimination *e, hn_rank *out) {
  const hn_system *sys = work->sys;
  bool dense = sys->rows <= DENSE_LIMIT;
  for (int i = 0; i < sys->rows; i++) out->active[i] = true;
  out->tolerance = fmax(dense ? tolerance : tolerance_large, feigned(work));
  out->rank = 0;
  out->smallest_kept = 1, out->largest_dropped = 0;
  if (!sys->rows) return true;
  if (dense) return rank_dense(work, out);
  return sys->coordinates->kkt ? rank_sparse(work, e, out) : rank_by_rows(work, out);
}

// a work space and a factorisation of their own, in one block
typedef struct bench {
  hn_arena arena;
  hn_work work;
  hn_elimination elimination;
} bench;

static void lay_out(bench *b, const hn_system *sys) {
  hn_work_layout(&b->work, &b->arena, sys);
  hn_elimination_layout(&b->elimination, &b->arena, sys);
}

static bool open_bench(bench *b, const hn_system *sys) {
  *b = (bench){0};
  lay_out(b, sys);
  if (!hn_arena_allocate(&b->arena)) return false;
  lay_out(b, sys);
  return true;
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
  for (int i = 0; i < sys->nv; i++) e->weight[i] = sys->mass[i] > 0 ? sys->mass[i] : 1;
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
  bench b;
  hn_status status = HN_ERR_MEMORY;
  *out = NULL;
  if (!open_bench(&b, sys)) return status;
  hn_rank rank = {.active = active};
  hn_eval_jacobian(&b.work, t, q, v);
  if (hn_find_rank(&b.work, &b.elimination, &rank))
    status = hn_find_dependencies(&b.work, &b.elimination, &rank, out);
  free(b.arena.base);
  return status;
}

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
    joint[i].redundant = 0;
    joint[i].undetermined = r->joint[i].rows;
  }
  for (int k = 0; k < r->dependency_count; k++)
    for (int i = 0; i < sys->joints; i++)
      if (strcmp(sys->joint[i].name, r->dependency[k].joint) == 0)
        joint[i].redundant += r->dependency[k].row_count;
}

// only self-stress can stand without load: how much of what the model gives is that
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
  hn_eval_jacobian(&work, 0, sys->q0, sys->v0);
  hn_sharing_preload(&sharing, &work, kept);
  for (int i = 0; i < sys->rows; i++) {
    const hn_sys_joint *j = &sys->joint[sys->row_joint[i]];
    double x = j->preload ? j->preload[i - sys->group[j->group].row0] : 0;
    given = fmax(given, fabs(x));
    most = fmax(most, fabs(kept[i]));
    change = fmax(change, fabs(kept[i] - x));
  }
  char *text = sys->check.preload;
  size_t size = sizeof sys->check.preload;
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

hn_status hn_analyse_redundancy(hn_system *sys, hn_model *model) {
  hn_check *check = &sys->check;
  hn_redundancy *found = NULL;
  sys->active = malloc((size_t)sys->rows + 1);
  hn_status status =
      sys->active ? hn_redundancy_at(sys, 0, sys->q0, sys->v0, sys->active, &found) : HN_ERR_MEMORY;
  if (status) return hn_model_fail(model, (hn_place){0}, status, "out of memory");
  sys->redundant = found->rows - found->rank;
  check->redundancy = found;
  check->bodies = model->body_count - 1;
  check->blocks = model->block_count;
  check->joints = model->joint_count;
  check->forces = model->force_count;
  check->velocities = sys->nv;
  check->rows = sys->rows;
  check->rank = found->rank;
  check->rank_tolerance = found->tolerance;
  check->smallest_kept = found->smallest_kept;
  check->largest_dropped = found->largest_dropped;
  check->dof_counted = sys->nv - sys->rows;
  check->dof = found->dof;
  check->redundant_count = found->redundant_count;
  check->redundant = (const char *const *)found->redundant;
  count_joints(sys);
  hn_sharing_describe(sys, check->reactions, sizeof check->reactions);
  if (sys->preloaded && !describe_preload(sys))
    return hn_model_fail(model, (hn_place){0}, HN_ERR_MEMORY, "out of memory");
  return HN_OK;
}

hn_status hn_select_loop_rows(hn_system *sys, hn_model *model) {
  bench b;
  sys->active = malloc((size_t)sys->rows + 1);
  if (!sys->active || !open_bench(&b, sys))
    return hn_model_fail(model, (hn_place){0}, HN_ERR_MEMORY, "out of memory");
  hn_rank rank = {.active = sys->active};
  hn_eval_jacobian(&b.work, 0, sys->q0, sys->v0);
  bool ok = hn_find_rank(&b.work, &b.elimination, &rank);
  free(b.arena.base);
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
