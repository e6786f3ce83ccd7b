// coupling.c: rows that are stiff against each other.
//
// Together with the stiffness of all other rows the matrices of these couplings are the constraint
// stiffness matrix K_c of Gonzalez & Kovecses (2013): block-diagonal after a permutation of the
// rows. A coupling comes from one joint (its constraint_stiffness) or joins rows of several.
#include "linalg/dense.h"
#include "system/builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 16 };  // of a joint; none has that many

void hn_couplings_destroy(hn_system *sys) {
  for (int i = 0; i < sys->couplings; i++) {
    free(sys->coupling[i].row);
    free(sys->coupling[i].K);
    free(sys->coupling[i].inverse);
    free(sys->coupling[i].root);
    free(sys->coupling[i].preload);
  }
  free(sys->coupling);
}

// A^-1, which is symmetric as A is; L: the factor of A
static void invert(int n, const double *A, double *L, double *inverse) {
  memcpy(L, A, (size_t)(n * n) * sizeof(double));
  (void)hn_dense_cholesky(n, L);  // checked when the model was described
  for (int i = 0; i < n * n; i++) inverse[i] = i % (n + 1) == 0;
  for (int i = 0; i < n; i++) hn_dense_cholesky_solve(n, L, inverse + i * n);
}

// room for a coupling of n rows; NULL after a failure
static hn_coupling *append(hn_builder *b, int n) {
  hn_system *sys = b->sys;
  hn_coupling *c =
      hn_builder_room(b, (void **)&sys->coupling, &b->coupling_capacity, sys->couplings, sizeof *c);
  if (!c) return NULL;
  sys->couplings++;
  c->rows = n;
  c->row = calloc((size_t)n, sizeof *c->row);
  c->K = calloc((size_t)(n * n), sizeof *c->K);
  c->inverse = calloc((size_t)(n * n), sizeof *c->inverse);
  c->root = calloc((size_t)(n * n), sizeof *c->root);
  if (c->row && c->K && c->inverse && c->root) return c;
  hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
  return NULL;
}

// root is the Cholesky factor of K in both cases: given a compliance, K is its inverse and
// factorised anew.
static hn_coupling *couple(hn_builder *b, int n, const int *row, const double *A, bool compliance) {
  hn_coupling *c = append(b, n);
  if (!c) return NULL;
  memcpy(c->row, row, (size_t)n * sizeof *row);
  memcpy(compliance ? c->inverse : c->K, A, (size_t)(n * n) * sizeof *A);
  if (compliance) invert(n, c->inverse, c->root, c->K);
  invert(n, c->K, c->root, c->inverse);
  return c;
}

// ---- within a joint ------------------------------------------------------------------------

// n numbers are the diagonal, n x n the matrix (one number is both); the joint's own `stiffness`
// multiplies either. Only what is off the diagonal needs a coupling.
void hn_build_joint_stiffness(hn_builder *b, hn_sys_joint *j, const hn_joint_def *d) {
  const hn_group *group = &b->sys->group[j->group];
  int n = group->rows, count = d->constraint_stiffness_count, row[MOST_ROWS];
  const double *given = d->constraint_stiffness;
  if (!given) return;
  if ((count != n && count != n * n) || n > MOST_ROWS) {
    hn_build_fail(b, HN_ERR_MODEL,
                  "constraint_stiffness has %d numbers, but the joint has %d rows (give %d for the "
                  "diagonal or %d for the matrix)",
                  count, n, n, n * n);
    return;
  }
  bool whole = count == n * n && n > 1, off = false;
  double K[MOST_ROWS * MOST_ROWS], L[MOST_ROWS * MOST_ROWS], diagonal[MOST_ROWS] = {0};
  double skew = 0, largest = 0;
  for (int i = 0; i < n * n; i++) {
    bool diagonal_place = i % (n + 1) == 0;
    K[i] = whole ? given[i] : diagonal_place ? given[i / n] : 0;
    L[i] = K[i] *= j->stiffness;
    off |= K[i] != 0 && !diagonal_place;
  }
  for (int i = 0; i < n * n; i++) {
    largest = fmax(largest, fabs(K[i]));
    skew = fmax(skew, fabs(K[i] - K[n * (i % n) + i / n]));
  }
  for (int i = 0; i < n; i++) row[i] = group->row0 + i, diagonal[i] = K[i * (n + 1)];
  j->own_stiffness = hn_build_keep(b, diagonal, n);
  if (skew > 1e-12 * largest)
    hn_build_fail(b, HN_ERR_MODEL, "constraint_stiffness must be symmetric");
  else if (!hn_dense_cholesky(n, L))
    hn_build_fail(b, HN_ERR_MODEL, "constraint_stiffness must be positive definite");
  else if (off)
    (void)couple(b, n, row, K, false);
}

// ---- between joints ------------------------------------------------------------------------

// the joint a word begins with, which the model has
static const hn_sys_joint *joint_of(const hn_system *sys, const char *word) {
  for (int i = 0; i < sys->joints; i++) {
    size_t length = strlen(sys->joint[i].name);
    if (strncmp(sys->joint[i].name, word, length) == 0 &&
        (!word[length] || (word[length] == '.' && !strchr(word + length + 1, '.'))))
      return &sys->joint[i];
  }
  return NULL;
}

static void fail_row(hn_builder *b, const hn_sys_joint *j, const char *word) {
  char known[256] = "";
  const hn_group *g = &b->sys->group[j->group];
  for (int i = 0; i < g->rows; i++) {
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", i ? " " : "",
             b->sys->row_name[g->row0 + i]);
  }
  hn_build_fail(b, HN_ERR_MODEL, "no row named '%.60s' (known: %s)", word, known);
}

// rows that keep a body rigid come behind those of the joints
static bool is_rigid(const hn_system *sys, int row) {
  return sys->row_joint[row] == sys->joints;
}

static void fail_rigid(hn_builder *b, const char *word) {
  const hn_system *sys = b->sys;
  char known[256] = "";
  const char *row = strrchr(word, '.');
  size_t length = row ? (size_t)(row - word) + 1 : strlen(word);
  for (int i = 0; i < sys->rows; i++)
    if (is_rigid(sys, i) && strncmp(sys->row_name[i], word, length) == 0) {
      size_t used = strlen(known);
      snprintf(known + used, sizeof known - used, " %s", sys->row_name[i]);
    }
  hn_build_fail(b, HN_ERR_MODEL, "no row named '%.60s' (known:%s)", word, *known ? known : " none");
}

static int find_rigid(hn_builder *b, const char *word, int *row, int count, int most) {
  const hn_system *sys = b->sys;
  for (int i = 0; i < sys->rows; i++)
    if (is_rigid(sys, i) && strcmp(sys->row_name[i], word) == 0) {
      if (count < most) row[count] = i;
      return count + 1;
    }
  fail_rigid(b, word);
  return count;
}

// numbers of the rows a word means, behind the `count` that are there; returns how many there are
// then, of which only `most` are kept.
// A joint by its name means all its rows, "joint.row" one of them.
static int find_rows(hn_builder *b, const char *word, int *row, int count, int most) {
  const hn_system *sys = b->sys;
  const hn_sys_joint *j = joint_of(sys, word);
  if (!j) return find_rigid(b, word, row, count, most);
  if (j->group < 0) return count;
  const hn_group *g = &sys->group[j->group];
  bool all = strcmp(word, j->name) == 0;
  int before = count;
  for (int i = g->row0; i < g->row0 + g->rows; i++)
    if (all || strcmp(sys->row_name[i], word) == 0) {
      if (count < most) row[count] = i;
      count++;
    }
  if (count == before) fail_row(b, j, word);
  return count;
}

// a row has one stiffness
static void check_twice(hn_builder *b, const int *row, int n) {
  const hn_system *sys = b->sys;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++)
      if (row[k] == row[i])
        hn_build_fail(b, HN_ERR_MODEL, "row '%s' is there twice", sys->row_name[row[i]]);
    for (int c = 0; c < sys->couplings; c++)
      for (int k = 0; k < sys->coupling[c].rows; k++)
        if (sys->coupling[c].row[k] == row[i])
          hn_build_fail(b, HN_ERR_MODEL, "row '%s' is in another coupling already",
                        sys->row_name[row[i]]);
  }
}

static void build_coupling(hn_builder *b, const hn_coupling_def *d) {
  const double *A = d->stiffness ? d->stiffness : d->compliance;
  int n = (int)lround(sqrt(d->stiffness ? d->stiffness_count : d->compliance_count)), count = 0;
  // coordinates that replace joints: multipliers are shared in the system that has all rows
  for (int i = 0; b->tree_joint && i < d->row_count; i++) {
    const hn_sys_joint *j = joint_of(b->sys, d->rows[i]);
    if (j && j->group < 0) return;
  }
  int *row = calloc((size_t)n, sizeof *row);
  if (!row) {
    hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
    return;
  }
  for (int i = 0; i < d->row_count && !b->status; i++)
    count = find_rows(b, d->rows[i], row, count, n);
  if (!b->status && count != n)
    hn_build_fail(b, HN_ERR_MODEL,
                  "%s is %d x %d, but there are %d rows ('holon check' names them)",
                  d->stiffness ? "stiffness" : "compliance", n, n, count);
  if (!b->status && d->preload && d->preload_count != n)
    hn_build_fail(b, HN_ERR_MODEL, "preload has %d numbers, but there are %d rows",
                  d->preload_count, n);
  if (!b->status) check_twice(b, row, n);
  hn_coupling *c = b->status ? NULL : couple(b, n, row, A, !d->stiffness);
  if (c && d->preload && (c->preload = malloc((size_t)n * sizeof(double))))
    memcpy(c->preload, d->preload, (size_t)n * sizeof(double));
  if (c && d->preload && !c->preload) hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
  free(row);
}

static void build_couplings(hn_builder *b, bool rigid) {
  for (int i = 0; i < b->model->coupling_count && !b->status; i++) {
    const hn_model_coupling *c = &b->model->coupling[i];
    if (hn_coupling_is_rigid(b->model, &c->def) != rigid) continue;
    b->place = c->place;
    b->what = "coupling";
    b->element = c->def.name;
    build_coupling(b, &c->def);
  }
}

void hn_build_couplings(hn_builder *b) {
  build_couplings(b, false);
}

// Rows of rigidity exist in natural coordinates only, and later than the builder: a second one,
// with nothing but what couplings need.
hn_status hn_couple_rigid_rows(hn_system *sys, hn_model *model) {
  hn_builder b = {.model = model, .sys = sys, .coupling_capacity = sys->couplings};
  int before = sys->couplings;
  build_couplings(&b, true);
  for (int i = before; i < sys->couplings && !b.status; i++) {
    const hn_coupling *c = &sys->coupling[i];
    for (int k = 0; k < c->rows; k++) sys->rigid_coupled |= is_rigid(sys, c->row[k]);
    hn_weigh_coupling(sys, c);
  }
  return b.status;
}
