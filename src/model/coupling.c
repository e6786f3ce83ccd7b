// coupling.c: adding couplings, stiffness matrices over rows of several joints.
//
// Whether the matrix can be a stiffness at all is checked here; which rows the words mean, and
// whether it has their size, is found out when the model is compiled (system/coupling.c).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "model/check.h"
#include "model/fields.h"
#include "model/model.h"

void hn_coupling_free(hn_coupling_def *def) {
  // as long as the words go
  for (int i = 0; def->rows && i < def->row_count; i++) free((void *)def->rows[i]);
  free((void *)def->rows);
  free((void *)def->name);
  free((void *)def->stiffness);
  free((void *)def->compliance);
  free((void *)def->preload);
}

// *ok stays false once it is.
static const double *copy_numbers(const double *x, int count, bool *ok) {
  double *copy = *ok && x ? malloc((size_t)count * sizeof *copy) : NULL;
  *ok = *ok && (copy || !x);
  if (copy) memcpy(copy, x, (size_t)count * sizeof *copy);
  return copy;
}

static bool copy_coupling(hn_coupling_def *copy, const hn_coupling_def *def) {
  // one more than needed, so that a NULL is lack of memory
  const char **row = calloc((size_t)def->row_count + 1, sizeof *row);
  bool ok = row;
  *copy = *def;
  copy->rows = row;
  copy->name = hn_strdup(def->name);
  ok = ok && copy->name;
  // the row array is zeroed: what was not reached is NULL
  for (int i = 0; ok && i < def->row_count; i++) ok = (row[i] = hn_strdup(def->rows[i]));
  copy->stiffness = copy_numbers(def->stiffness, def->stiffness_count, &ok);
  copy->compliance = copy_numbers(def->compliance, def->compliance_count, &ok);
  copy->preload = copy_numbers(def->preload, def->preload_count, &ok);
  if (!ok) hn_coupling_free(copy);
  return ok;
}

// the joint a word means, "joint" or "joint.row" (names may have dots); negative: there is none.
// `name` becomes what stands before the row
// Whole name first: joints in parts have dots in theirs.
// 63 characters of a name, and more of the word is never needed to tell
static int joint_of(const hn_model *model, const char *word, char name[64]) {
  snprintf(name, 64, "%s", word);
  int joint = hn_model_find_joint(model, name);
  char *row = strrchr(name, '.');
  // the row is cut off at the last dot, since names of rows have none
  if (joint >= 0 || !row) return joint;
  *row = 0;
  return hn_model_find_joint(model, name);
}

// Such rows exist in natural coordinates only, which the compiler must know early.
// -1 means that no joint of this name is there; whether a body is, check_word has asked
bool hn_coupling_is_rigid(const hn_model *model, const hn_coupling_def *def) {
  char name[64];
  for (int i = 0; i < def->row_count; i++)
    if (joint_of(model, def->rows[i], name) < 0) return true;
  return false;
}

// a joint or its row, of a joint that is there and has no numbers of its own; or a row that keeps a
// body rigid
// A stiffness of the joint's own would count twice.
static hn_status check_word(hn_model *model, const hn_coupling_def *def, int index) {
  char path[32], name[64];
  const char *word = def->rows[index];
  snprintf(path, sizeof path, "rows.%d", index);
  if (!word || !*word) return hn_element_fail(model, path, "rows: a word is missing");
  int joint = joint_of(model, word, name);
  if (joint < 0 && hn_model_find_body(model, name) >= 0) {
    // which numbers there are depends on the body's natural coordinates, known to the compiler
    if (strncmp(word + strlen(name), ".rigid", 6) == 0) return HN_OK;
    return hn_element_fail(
        model, path,
        "'%.60s' is no row of a joint (rows that keep body '%s' rigid have names "
        "such as '%s.rigid11')",
        word, name, name);
  }
  if (joint < 0) {
    const char **names = calloc((size_t)model->joint_count + 1, sizeof *names), *near = NULL;
    for (int i = 0; names && i < model->joint_count; i++) names[i] = model->joint[i].def.name;
    if (names) near = hn_nearest(name, names);
    hn_status status =
        near ? hn_element_fail(model, path, "no joint named '%s' (did you mean '%s'?)", name, near)
             : hn_element_fail(model, path, "no joint named '%s'", name);
    free(names);
    return status;
  }
  const hn_joint_def *j = &model->joint[joint].def;
  if (j->constraint_stiffness || j->stiffness > 0)
    return hn_element_fail(model, path,
                           "joint '%s' gives a stiffness of its own (put its numbers into the "
                           "matrix of the coupling)",
                           name);
  return HN_OK;
}

// Cholesky's factorisation is the test of definiteness, on a copy; it reads the lower triangle
// only, so that symmetry is checked first in the messages.
static hn_status check_matrix(hn_model *model, const char *key, const double *x, int count) {
  // of a square matrix the root is whole, and the product tells where it is not
  int n = (int)lround(sqrt(fmax(count, 0)));
  if (n < 1 || n * n != count)
    return hn_element_fail(model, key, "%s has %d numbers, which make no square matrix", key,
                           count);
  // skew: the largest difference of two halves
  double *L = malloc((size_t)count * sizeof *L), skew = 0, largest = 0;
  if (!L) return hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
  memcpy(L, x, (size_t)count * sizeof *L);
  for (int i = 0; i < count; i++) {
    largest = fmax(largest, fabs(x[i]));
    skew = fmax(skew, fabs(x[i] - x[n * (i % n) + i / n]));
  }
  bool definite = hn_dense_cholesky(n, L);
  // 1e-12 is what rounding leaves of a matrix that was inverted
  free(L);
  if (skew > 1e-12 * largest) return hn_element_fail(model, key, "%s must be symmetric", key);
  if (!definite)
    return hn_element_fail(model, key,
                           "%s must be positive definite: every displacement of the rows needs "
                           "energy",
                           key);
  return HN_OK;
}

static hn_status check_coupling(hn_model *model, const hn_coupling_def *def) {
  if (!def->name || !hn_model_is_name(def->name))
    return hn_element_fail(model, NULL,
                           "a name has at most 63 letters, digits and _ and does not start with a "
                           "digit");
  for (int i = 0; i < model->coupling_count; i++)
    if (strcmp(model->coupling[i].def.name, def->name) == 0)
      return hn_element_fail(model, NULL, "there is another coupling of this name");
  if (!def->rows || def->row_count < 1)
    return hn_element_fail(model, "rows", "rows are missing (joints, or rows such as 'hinge.x')");
  // both or neither
  if (!def->stiffness == !def->compliance)
    return hn_element_fail(model, def->stiffness ? "compliance" : NULL,
                           "needs stiffness or compliance, %s",
                           def->stiffness ? "not both" : "a matrix over its rows");
  hn_status status = hn_check_fields(model, NULL, hn_coupling_fields, NULL, def);
  // joints have to be there: couplings are read behind them
  for (int i = 0; i < def->row_count && !status; i++) status = check_word(model, def, i);
  if (status) return status;
  return def->stiffness ? check_matrix(model, "stiffness", def->stiffness, def->stiffness_count)
                        : check_matrix(model, "compliance", def->compliance, def->compliance_count);
}

static hn_status add_coupling(hn_model *model, const hn_coupling_def *def) {
  hn_model_subject(model, "coupling", def->name, NULL);
  hn_coupling_def copy;
  hn_status status = check_coupling(model, def);
  if (status) return status;
  // room first, so that a copy is not lost
  if (!hn_grow((void **)&model->coupling, &model->coupling_capacity, model->coupling_count,
               sizeof *model->coupling) ||
      !copy_coupling(&copy, def))
    return hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
  model->coupling[model->coupling_count++] = (hn_model_coupling){copy, model->now};
  return HN_OK;
}

hn_status hn_add_coupling_sized(hn_model *model, const hn_coupling_def *def, size_t size) {
  hn_coupling_def own;
  hn_status status = hn_take_definition(model, &own, sizeof own, def, size);
  if (!status) status = add_coupling(model, &own);
  if (status) hn_model_spoil(model);
  return status;
}
