// redundancy.c: which rows repeat what others already impose.
//
// The rows of J are scaled by M^-1/2 and to unit length, so that neither units nor masses decide.
// Column-pivoted QR of the transpose finds an independent set; rows whose R_kk falls below the
// tolerance depend on it. The assembled state is exact to round-off, so position errors cannot
// hide a dependency. Large systems use the pivots of the block factorisation instead.
#include "analysis/analysis.h"

#include "linalg/dense.h"
#include "system/kkt.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double tolerance = 1e-8;
enum { DENSE_LIMIT = 700 };  // rows up to which the dense factorisation is cheap

static hn_status count_joints(hn_system *sys) {
  hn_check *check = &sys->check;
  hn_check_joint *joint = (hn_check_joint *)check->joint;
  check->joint_count = sys->joints;
  for (int i = 0; i < sys->joints; i++) {
    const hn_sys_joint *j = &sys->joint[i];
    joint[i].name = j->name;
    joint[i].type = j->type;
    joint[i].rows = sys->group[j->group].rows;
  }
  char **list = (char **)(uintptr_t)check->redundant;
  for (int i = 0; i < sys->rows; i++)
    if (!sys->active[i]) {
      list[check->redundant_count] = hn_strdup(sys->row_name[i]);
      if (!list[check->redundant_count++]) return HN_ERR_MEMORY;
      joint[sys->row_joint[i]].redundant++;
    }
  return HN_OK;
}

void hn_scale_rows(const hn_system *sys, double *J) {
  static const double later = 1e-2;
  for (int i = 0; i < sys->rows; i++) {
    double *row = J + (size_t)i * (size_t)sys->nv, n = 0;
    for (int k = 0; k < sys->nv; k++) {
      if (!sys->tree) row[k] /= sqrt(sys->mass[k]);
      n += row[k] * row[k];
    }
    double s = n > 0 ? (sys->holonomic[i] ? 1 : later) / sqrt(n) : 0;
    for (int k = 0; k < sys->nv; k++) row[k] *= s;
  }
}

int hn_select_rows(const hn_work *work, double *J, int *pivot, double *r, bool *active,
                   double *smallest_kept, double *largest_dropped) {
  const hn_system *sys = work->sys;
  hn_jacobian_dense(work, J);
  hn_scale_rows(sys, J);
  int rank = 0;
  if (!hn_dense_rank_qr(sys->rows, sys->nv, J, tolerance, &rank, pivot, r)) return -1;
  int n = sys->rows < sys->nv ? sys->rows : sys->nv;
  for (int k = 0; k < sys->rows; k++) active[pivot[k]] = k < rank;
  *smallest_kept = rank > 0 ? r[rank - 1] / r[0] : 1;
  *largest_dropped = rank < n ? r[rank] / r[0] : 0;
  return rank;
}

// marks dependent rows in sys->active; returns the rank, or -1 when out of memory
static int find_rank(hn_system *sys, double *smallest_kept, double *largest_dropped) {
  size_t rows = (size_t)sys->rows, nv = (size_t)sys->nv;
  bool dense = sys->rows <= DENSE_LIMIT;
  sys->active = malloc(rows + 1);
  double *J = dense ? malloc((rows * nv + 1) * sizeof(double)) : NULL;
  double *r = malloc((rows + nv + 1) * sizeof(double));
  int *pivot = malloc((rows + 1) * sizeof(int)), rank = -1;
  hn_work work = {0};
  hn_kkt kkt = {0};
  hn_saddle saddle = {0};  // rank is no matter of the mass matrix: its diagonal will do
  hn_arena arena = {0};
  hn_work_layout(&work, &arena, sys);
  if (sys->mass_entries)
    hn_saddle_layout(&saddle, &arena, sys->plan);
  else
    hn_kkt_layout(&kkt, &arena, sys);
  if (sys->active && (!dense || J) && r && pivot && hn_arena_allocate(&arena)) {
    hn_work_layout(&work, &arena, sys);
    if (sys->mass_entries)
      hn_saddle_layout(&saddle, &arena, sys->plan);
    else
      hn_kkt_layout(&kkt, &arena, sys);
    hn_eval_jacobian(&work, 0, sys->q0, sys->v0);
    for (int i = 0; i < sys->rows; i++) sys->active[i] = true;
    rank = sys->rows;
    if (sys->rows && dense) {
      rank = hn_select_rows(&work, J, pivot, r, sys->active, smallest_kept, largest_dropped);
    } else if (sys->rows && sys->mass_entries) {
      hn_saddle_factor(&saddle, sys->mass, work.J, NULL);
      *smallest_kept = sqrt(saddle.pivot_ratio);
      rank -= hn_saddle_dropped(&saddle, sys->active);
    } else if (sys->rows) {
      hn_kkt_factor(&kkt, &work, HN_WEIGHT_MASS, NULL);
      *smallest_kept = sqrt(kkt.pivot_ratio);
      rank -= hn_saddle_dropped(&kkt.saddle, sys->active);
    }
    sys->redundant = sys->rows - rank;
  }
  free(J), free(r), free(pivot), free(arena.base);
  return rank;
}

hn_status hn_analyse_redundancy(hn_system *sys, hn_model *model) {
  hn_check *check = &sys->check;
  check->bodies = sys->bodies - 1;
  check->joints = sys->joints;
  check->forces = model->force_count;
  check->velocities = sys->nv;
  check->rows = sys->rows;
  check->rank_tolerance = tolerance;
  check->redundant = calloc((size_t)sys->rows + 1, sizeof(char *));
  check->rank =
      check->redundant ? find_rank(sys, &check->smallest_kept, &check->largest_dropped) : -1;
  if (check->rank < 0) return hn_model_fail(model, (hn_place){0}, HN_ERR_MEMORY, "out of memory");
  check->dof_counted = sys->nv - sys->rows;
  check->dof = sys->nv - check->rank;
  if (count_joints(sys)) return hn_model_fail(model, (hn_place){0}, HN_ERR_MEMORY, "out of memory");
  return HN_OK;
}

hn_status hn_select_loop_rows(hn_system *sys, hn_model *model) {
  double kept, dropped;
  if (find_rank(sys, &kept, &dropped) < 0)
    return hn_model_fail(model, (hn_place){0}, HN_ERR_MEMORY, "out of memory");
  return HN_OK;
}

void hn_check_destroy(hn_check *check) {
  free((void *)check->joint);
  for (int i = 0; i < check->redundant_count; i++) free((void *)(uintptr_t)check->redundant[i]);
  free((void *)(uintptr_t)check->redundant);
}
