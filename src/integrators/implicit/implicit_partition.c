// implicit_partition.c: coordinate partitioning, implicit (E. J. Haug, J. Yen, Implicit numerical
// integration of constrained equations of motion via generalized coordinate partitioning, 1992).
//
// The equations are those of index1.c with W = 1 and unit vectors in the place of the rows of J_n:
// e and g act on the dependent coordinates only, so that the closure holds for the independent ones
// and the others follow from the constraints. Which ones depend is found by elimination with full
// pivoting, lengths and radians in proportion to the model, and looked at anew as the model moves.
// Every row needs its unit vector at a place where J has a number: a matching of rows and dependent
// coordinates, which exists because these columns of J are regular. Nonholonomic rows keep their
// rows of J.
#include "integrators/implicit/implicit.h"

#include <string.h>

struct hn_partition {
  double *dense;    // J of the holonomic rows solved for
  int *row;         // which those are
  int *group;       // per row: its group
  bool *dependent;  // per coordinate
  int *owner;       // per coordinate: the row it is matched with, -1
  int *seen;        // per coordinate: the search that looked at it last
  int *place;       // per row: where its unit vector stands in the layout of work->J
  bool chosen;
  long reselected;
  double travel;  // since the choice
};

static const double far = 0.05;  // lengths or radians after which the choice is made anew

hn_partition *hn_partition_layout(hn_arena *arena, const hn_system *sys) {
  hn_partition *p = HN_TAKE(arena, hn_partition, 1), place = {0};
  place.dense = HN_TAKE(arena, double, sys->rows * sys->nv);
  place.row = HN_TAKE(arena, int, sys->rows);
  place.group = HN_TAKE(arena, int, sys->rows);
  place.place = HN_TAKE(arena, int, sys->rows);
  place.dependent = HN_TAKE(arena, bool, sys->nv);
  place.owner = HN_TAKE(arena, int, sys->nv);
  place.seen = HN_TAKE(arena, int, sys->nv);
  if (!arena->base) return p;
  for (int g = 0; g < sys->groups; g++)
    for (int r = 0; r < sys->group[g].rows; r++) place.group[sys->group[g].row0 + r] = g;
  *p = place;
  return p;
}

// elimination with full pivoting: marks as many coordinates as there are rows
static void find_dependent(const hn_system *sys, hn_partition *p, int m) {
  int n = sys->nv;
  double *A = p->dense;
  memset(p->dependent, 0, (size_t)n * sizeof(bool));
  for (int i = 0; i < m * n; i++) A[i] *= sys->angular_v[i % n] ? 1 : sys->length;
  for (int k = 0; k < m; k++) {
    int row = k, column = -1;
    double best = 0;
    for (int i = k; i < m; i++)
      for (int j = 0; j < n; j++)
        if (!p->dependent[j] && fabs(A[i * n + j]) > best) {
          best = fabs(A[i * n + j]);
          row = i, column = j;
        }
    // fewer independent rows than rows: the rest have none
    if (column < 0) return;
    p->dependent[column] = true;
    for (int j = 0; j < n && row != k; j++) {
      double x = A[k * n + j];
      A[k * n + j] = A[row * n + j], A[row * n + j] = x;
    }
    for (int i = k + 1; i < m; i++) {
      double f = A[i * n + column] / A[k * n + column];
      for (int j = 0; j < n && f != 0; j++) A[i * n + j] -= f * A[k * n + j];
    }
  }
}

// gives the row a dependent coordinate, moving others to theirs on the way (augmenting paths)
static bool match(const hn_sim *sim, hn_partition *p, int row, int search) {
  const hn_system *sys = sim->sys;
  const hn_group *group = &sys->group[p->group[row]];
  for (int k = group->first; k < group->first + group->bodies; k++) {
    const hn_sys_body *b = &sys->body[sys->group_body[k]];
    int at = sys->block_offset[k] + (row - group->row0) * b->nv;
    for (int c = 0; c < b->nv; c++) {
      int coordinate = b->v0 + c;
      if (!p->dependent[coordinate] || p->seen[coordinate] == search) continue;
      if (!(fabs(sim->stage.work.J[at + c]) > 1e-12)) continue;
      p->seen[coordinate] = search;
      if (p->owner[coordinate] >= 0 && !match(sim, p, p->owner[coordinate], search)) continue;
      p->owner[coordinate] = row;
      p->place[row] = at + c;
      return true;
    }
  }
  return false;
}

// at the Jacobian last evaluated; false: no choice is possible here, and the old one stays
static bool choose(hn_sim *sim, hn_partition *p) {
  const hn_system *sys = sim->sys;
  int m = 0;
  for (int i = 0; i < sys->rows; i++)
    if (sys->holonomic[i] && !(sim->rows.D && sim->rows.D[i] > 0)) p->row[m++] = i;
  memset(p->dense, 0, (size_t)(m * sys->nv) * sizeof(double));
  for (int i = 0; i < m; i++) {
    const hn_group *group = &sys->group[p->group[p->row[i]]];
    for (int k = group->first; k < group->first + group->bodies; k++) {
      const hn_sys_body *b = &sys->body[sys->group_body[k]];
      const double *J =
          sim->stage.work.J + sys->block_offset[k] + (p->row[i] - group->row0) * b->nv;
      memcpy(p->dense + i * sys->nv + b->v0, J, (size_t)b->nv * sizeof(double));
    }
  }
  find_dependent(sys, p, m);
  // one search for every row; those matched before may be moved, never lost
  for (int i = 0; i < sys->nv; i++) p->owner[i] = -1, p->seen[i] = -1;
  for (int i = 0; i < m; i++)
    if (!match(sim, p, p->row[i], i)) return false;
  return true;
}

double hn_partition_moved(const hn_system *sys, const double *d) {
  double moved = 0;
  for (int i = 0; i < sys->nv; i++)
    moved = fmax(moved, fabs(d[i]) / (sys->angular_v[i] ? 1 : sys->length));
  return moved;
}

bool hn_partition_rows(hn_sim *sim, hn_partition *p, double moved, double *J0) {
  const hn_system *sys = sim->sys;
  bool anew = !p->chosen || p->travel + moved > far || p->reselected != sim->rows.reselected;
  p->travel += moved;
  if (anew) {
    p->chosen = choose(sim, p);
    p->reselected = sim->rows.reselected;
    p->travel = 0;
    sim->count.switches++;
  }
  if (!p->chosen) return anew;  // rows as they are: along the tangent space, for once
  for (int i = 0; i < sys->rows; i++) {
    if (!sys->holonomic[i]) continue;
    const hn_group *group = &sys->group[p->group[i]];
    for (int k = group->first; k < group->first + group->bodies; k++) {
      int nv = sys->body[sys->group_body[k]].nv;
      memset(J0 + sys->block_offset[k] + (i - group->row0) * nv, 0, (size_t)nv * sizeof(double));
    }
    if (!(sim->rows.D && sim->rows.D[i] > 0)) J0[p->place[i]] = 1;
  }
  return anew;
}

static void layout(hn_implicit *s, hn_arena *arena, const hn_system *sys) {
  s->extra = hn_partition_layout(arena, sys);
}

static void begin(hn_sim *sim, hn_implicit *s) {
  if (hn_partition_rows(sim, s->extra, hn_partition_moved(sim->sys, s->d), s->J0))
    s->factored_h = 0;
}

const hn_formulation hn_form_partition = {
    .parts = "vvvrrr",
    .cell = hn_index1_cells,
    .keeps_J0 = true,
    .layout = layout,
    .begin = begin,
    .matrix = hn_index1_matrix_plain,
    .residual = hn_index1_residual_plain,
    .update = hn_index1_update,
};
