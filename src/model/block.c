// block.c: adding blocks, parts of a model that are given by their equations.
//
// Syntax is checked here; what the names in the formulas mean, and whether the kinetic energy is
// of second degree in the rates, is found out when the model is compiled (system/build_block.c).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/check.h"

// ---- copies --------------------------------------------------------------------------------

static void free_equations(const hn_equation *equation, int count) {
  for (int i = 0; equation && i < count; i++) {
    free((void *)equation[i].name);
    free((void *)equation[i].formula);
  }
  free((void *)equation);
}

// Works on a copy that is half made: pointers not set are NULL.
// counts tell how much there is, so a copy without memory for all is released as well
void hn_block_free(hn_block_def *def) {
  int n = def->coordinate_count;
  for (int i = 0; def->coordinates && i < n; i++) {
    free((void *)def->coordinates[i].name);
    free((void *)def->coordinates[i].unit);
  }
  // n is limited below, and n n fits
  for (int i = 0; def->mass_matrix && i < n * n; i++) free((void *)def->mass_matrix[i]);
  free((void *)def->coordinates);
  free((void *)def->mass_matrix);
  free((void *)def->name);
  free((void *)def->kinetic_energy);
  free((void *)def->potential);
  free_equations(def->forces, def->force_count);
  free_equations(def->constraints, def->constraint_count);
  free_equations(def->velocity_constraints, def->velocity_constraint_count);
}

// a copy; *ok becomes false when out of memory
// NULL stays NULL without being a failure.
// after one failure nothing more is copied, so that one look at the end is enough
static const char *copy_text(const char *text, bool *ok) {
  char *copy = *ok ? hn_strdup(text) : NULL;
  *ok = *ok && (copy || !text);
  return copy;
}

static const hn_equation *copy_equations(const hn_equation *equation, int count, bool *ok) {
  // one more: calloc() of nothing may be NULL
  hn_equation *copy = *ok ? calloc((size_t)count + 1, sizeof *copy) : NULL;
  *ok = *ok && copy;
  for (int i = 0; *ok && equation && i < count; i++) {
    copy[i].name = copy_text(equation[i].name, ok);
    copy[i].formula = copy_text(equation[i].formula, ok);
  }
  return copy;
}

// Counts are copied before the arrays, as hn_block_free reads them.
// what a function in place of formulas is given back (user) stays the caller's
static bool copy_block(hn_block_def *copy, const hn_block_def *def) {
  int n = def->coordinate_count;
  bool ok = true;
  *copy = (hn_block_def){.coordinate_count = n,
                         .force_count = def->force_count,
                         .constraint_count = def->constraint_count,
                         .velocity_constraint_count = def->velocity_constraint_count,
                         .equations = def->equations,
                         .user = def->user};
  copy->name = copy_text(def->name, &ok);
  copy->kinetic_energy = copy_text(def->kinetic_energy, &ok);
  copy->potential = copy_text(def->potential, &ok);
  hn_coordinate_def *coordinate = calloc((size_t)n + 1, sizeof *coordinate);
  // missing formulas of a matrix were refused before
  const char **matrix = def->mass_matrix ? calloc((size_t)(n * n), sizeof *matrix) : NULL;
  copy->coordinates = coordinate;
  copy->mass_matrix = matrix;
  ok = ok && coordinate && (matrix || !def->mass_matrix);
  for (int i = 0; ok && i < n; i++) {
    coordinate[i] = def->coordinates[i];
    coordinate[i].name = copy_text(def->coordinates[i].name, &ok);
    coordinate[i].unit = copy_text(def->coordinates[i].unit, &ok);
  }
  for (int i = 0; ok && matrix && i < n * n; i++) matrix[i] = copy_text(def->mass_matrix[i], &ok);
  copy->forces = copy_equations(def->forces, def->force_count, &ok);
  copy->constraints = copy_equations(def->constraints, def->constraint_count, &ok);
  copy->velocity_constraints =
      copy_equations(def->velocity_constraints, def->velocity_constraint_count, &ok);
  if (!ok) hn_block_free(copy);
  return ok;
}

// ---- checks --------------------------------------------------------------------------------

// Formulas read coordinates by bare names: nothing else may be called so there.
static hn_status check_coordinate(hn_model *model, const hn_block_def *def, int index) {
  const hn_coordinate_def *c = &def->coordinates[index];
  // for the place in the file
  char path[160];
  double value;
  if (!c->name || !hn_model_is_name(c->name))
    return hn_element_fail(model, "coordinates",
                           "coordinate %d: a name has at most 63 letters, digits and _ and does "
                           "not start with a digit",
                           index + 1);
  snprintf(path, sizeof path, "coordinates.%s", c->name);
  // "rate" would make theta.rate ambiguous
  if (hn_model_formula_word(c->name) || strcmp(c->name, "rate") == 0)
    return hn_element_fail(model, path, "coordinate '%s': the name is reserved", c->name);
  if (hn_model_constant(model, c->name, strlen(c->name), &value))
    return hn_element_fail(model, path, "coordinate '%s': there is a parameter of this name",
                           c->name);
  for (int i = 0; i < index; i++)
    if (strcmp(def->coordinates[i].name, c->name) == 0)
      return hn_element_fail(model, path, "there are two coordinates '%s'", c->name);
  hn_status status = hn_check_number(model, path, c->name, c->value, HN_RANGE_ANY);
  if (!status) status = hn_check_number(model, path, c->name, c->velocity, HN_RANGE_ANY);
  // units stand in headings of columns
  if (!status && c->unit && strlen(c->unit) > 31)
    return hn_element_fail(model, path, "coordinate '%s': the unit is too long", c->name);
  return status;
}

// equations by name: `key` is that of the file, `rows` says that they are constraints
// of rows numbers stand for missing names
// Quadratic in the names of one block, whose number is limited.
static hn_status check_equations(hn_model *model, const hn_block_def *def, const char *key,
                                 const hn_equation *equation, int count, bool rows) {
  if (count > 0 && !equation)
    return hn_element_fail(model, key, "%s: there is a count, and no list", key);
  for (int i = 0; i < count; i++) {
    const hn_equation *e = &equation[i];
    char path[160];
    if (e->name)
      snprintf(path, sizeof path, "%s.%.80s", key, e->name);
    else
      snprintf(path, sizeof path, "%s.%d", key, i);
    // a name without a formula is half an equation
    if (!e->formula || !*e->formula)
      return hn_element_fail(model, path, "%s: a formula is missing", key);
    if (!rows && !e->name)
      return hn_element_fail(model, path, "%s: what number %d acts on is missing", key, i + 1);
    if (rows && e->name && !hn_model_is_name(e->name))
      return hn_element_fail(model, path,
                             "%s: a name has at most 63 letters, digits and _ and does not start "
                             "with a digit",
                             key);
    for (int k = 0; k < i && e->name; k++)
      if (equation[k].name && strcmp(equation[k].name, e->name) == 0)
        return hn_element_fail(model, path, "%s: there are two of the name '%s'", key, e->name);
    if (!rows && hn_equals_sign(e->formula))
      return hn_element_fail(model, path, "%s: a force is a formula, no equation", key);
    hn_status status = hn_check_equation(model, def, path, key, e->formula);
    if (status) return status;
  }
  return HN_OK;
}

// a function in place of formulas
// Names of constraints may be given, their formulas not.
static hn_status check_function(hn_model *model, const hn_block_def *def) {
  bool formulas = def->kinetic_energy || def->mass_matrix || def->potential || def->force_count > 0;
  for (int i = 0; def->constraints && i < def->constraint_count; i++)
    formulas = formulas || def->constraints[i].formula;
  for (int i = 0; def->velocity_constraints && i < def->velocity_constraint_count; i++)
    formulas = formulas || def->velocity_constraints[i].formula;
  if (!formulas) return HN_OK;
  return hn_element_fail(model, NULL, "has both formulas and a function in their place");
}

// exactly one kind of inertia; formulas in the order of the file
static hn_status check_formulas(hn_model *model, const hn_block_def *def) {
  int n = def->coordinate_count;
  hn_status status = HN_OK;
  if (def->kinetic_energy && def->mass_matrix)
    return hn_element_fail(model, "mass_matrix",
                           "the inertia is given twice: by kinetic_energy and by mass_matrix");
  if (!def->kinetic_energy && !def->mass_matrix)
    return hn_element_fail(model, NULL, "needs 'kinetic_energy' or 'mass_matrix'");
  if (def->kinetic_energy)
    status = hn_check_equation(model, def, "kinetic_energy", "kinetic_energy", def->kinetic_energy);
  for (int i = 0; !status && def->mass_matrix && i < n * n; i++) {
    char path[64];
    // by row and column, from 0
    snprintf(path, sizeof path, "mass_matrix.%d.%d", i / n, i % n);
    if (!def->mass_matrix[i])
      return hn_element_fail(model, path, "mass_matrix: a formula is missing");
    status = hn_check_equation(model, def, path, "mass_matrix", def->mass_matrix[i]);
  }
  if (!status && def->potential)
    status = hn_check_equation(model, def, "potential", "potential", def->potential);
  if (!status) status = check_equations(model, def, "forces", def->forces, def->force_count, false);
  if (!status)
    status =
        check_equations(model, def, "constraints", def->constraints, def->constraint_count, true);
  if (!status)
    status = check_equations(model, def, "velocity_constraints", def->velocity_constraints,
                             def->velocity_constraint_count, true);
  return status;
}

// Limits keep n^2 formulas of a mass matrix within memory that is never asked for.
static hn_status check_block(hn_model *model, const hn_block_def *def) {
  enum { MOST = 1000 };
  if (def->coordinate_count < 1 || !def->coordinates)
    return hn_element_fail(model, "coordinates", "needs at least one of 'coordinates'");
  if (def->coordinate_count > MOST || def->constraint_count > MOST ||
      def->velocity_constraint_count > MOST || def->force_count > 2 * MOST)
    return hn_element_fail(model, NULL, "is too large (at most %d coordinates and constraints)",
                           MOST);
  if (def->constraint_count < 0 || def->velocity_constraint_count < 0 || def->force_count < 0)
    return hn_element_fail(model, NULL, "a count is negative");
  for (int i = 0; i < def->coordinate_count; i++) {
    hn_status status = check_coordinate(model, def, i);
    if (status) return status;
  }
  return def->equations ? check_function(model, def) : check_formulas(model, def);
}

static hn_block add_block(hn_model *model, const hn_block_def *def) {
  const hn_block refused = {-1};
  // see check_usable() in add.c
  if (model->body_count == 0) {
    hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
    return refused;
  }
  hn_model_subject(model, "block", def->name, NULL);
  if (hn_model_check_name(model, def->name) || check_block(model, def)) return refused;
  int index = model->block_count;
  hn_block_def copy = {0};
  // nothing of it is kept where any part fails
  bool copied = copy_block(&copy, def);
  if (!copied ||
      !hn_grow((void **)&model->block, &model->block_capacity, index, sizeof *model->block) ||
      !hn_model_index(model, HN_SCOPE_BLOCK, copy.name, index)) {
    if (copied) hn_block_free(&copy);
    hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
    return refused;
  }
  model->block[index] = (hn_model_block){copy, model->now};
  model->block_count++;
  return (hn_block){index + 1};
}

hn_block hn_add_block_sized(hn_model *model, const hn_block_def *def, size_t size) {
  hn_block_def own;
  hn_block added = {-1};
  if (!hn_take_definition(model, &own, sizeof own, def, size)) added = add_block(model, &own);
  if (added.id < 0) hn_model_spoil(model);
  return added;
}
