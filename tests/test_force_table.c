// test_force_table.c: what every force type of the table must keep, known by its keys alone.
//
//   definitions   come from the tables of keys: a new type is tried without a line here
//   tangents      against differences, power against potential (force_rig.h)
//   formulas      for code written per model, against the library's own evaluation
//   steps         the force over a step does the work that the potential loses over it, and the
//                 tension along a measure is the slope of its energy
//   columns       have a name, a unit and a finite value
// A type that is wrong on purpose, in each of these ways, is caught. A type from outside stands in
// the same table.
#include "../examples/own_force.h"

#include "formula_rig.h"

// symmetric, positive definite
static const double matrix[36] = {
    30, 1, 2, 0,  1, 0, 1, 40, 1, 2, 0,  1, 2, 1, 35, 1, 1, 0,
    0,  2, 1, 20, 1, 2, 1, 0,  1, 1, 25, 1, 0, 1, 0,  2, 1, 22,
};

static bool asked(const hn_type_info *type, const hn_field *field) {
  bool alternative = hn_word_in(field->key, "law table coefficients road shift axes tank exponent "
                                            "young poisson inside");
  // a contact is that of a ball before a plane; blocks and capsules: test_contact_tangents.c
  if (strcmp(type->name, "contact") == 0 && hn_word_in(field->key, "width height")) return false;
  // of laws of friction that are not the default
  if (strcmp(type->name, "friction") == 0 && hn_word_in(field->key, "static stiffness damping"))
    return false;
  if (hn_word_in("restitution", type->keys)) alternative |= !strcmp(field->key, "damping");
  return !alternative || hn_word_in(field->key, type->required);
}

// a value for a key, by its kind
static void fill(hn_force_def *def, const hn_type_info *type, const hn_field *field) {
  void *at = (char *)def + field->offset;
  if (!asked(type, field)) return;
  switch (field->kind) {
  case HN_FIELD_NUMBER: *(double *)at = test_random(0.2, 0.6); break;
  case HN_FIELD_NUMBERS:
    for (int i = 0; i < field->items; i++) ((double *)at)[i] = test_random(0.2, 0.6);
    break;
  case HN_FIELD_MATRIX6: *(const double **)at = matrix; break;
  case HN_FIELD_LIST:
    if (!hn_word_in(field->key, type->required)) break;
    *(const double **)at = matrix;
    *(int *)(void *)((char *)def + field->extra) = 2;
    break;
  case HN_FIELD_FORMULA: *(const char **)at = "2 + sin(3*t)"; break;
  case HN_FIELD_FORMULAS: {
    const char *const text[3] = {"1 + 0.5*t", "cos(2*t)", "-0.7"};
    memcpy(at, text, sizeof text);
    break;
  }
  default: break;  // ends and places are the rig's affair, words have their defaults
  }
}

static hn_force_def define(const hn_type_info *type) {
  hn_force_def def = {.type = type->name};
  for (const hn_field *f = hn_force_fields; f->key; f++)
    // masses are no forces: test_beam_mass.c; wheels have no formulas: test_contact_tangents.c
    if (hn_field_applies(&hn_force_family, type, f) && strncmp(f->key, "mass", 4) != 0 &&
        strcmp(f->key, "rim") != 0)
      fill(&def, type, f);
  if (strcmp(type->name, "contact") == 0) def.length = 0;
  return def;
}

static const double axis[3] = {0.3, -0.5, 0.8};

// may the type act along this coordinate of a joint?
static bool accepts(const hn_type_info *type, const char *coordinate) {
  rig r;
  rig_open(&r, HN_SPATIAL, HN_SPATIAL);
  add_joint(&r, "cylindrical", axis);
  hn_force_def def = define(type);
  def.name = "it", def.joint = "j", def.coordinate = coordinate;
  bool ok = hn_add_force(r.model, &def).id > 0 && hn_compile(&r.sys, r.model) == HN_OK;
  rig_close(&r);
  return ok;
}

static bool open(rig *r, const hn_type_info *type, bool on_joint) {
  rig_open(r, HN_SPATIAL, HN_SPATIAL);
  hn_force_def def = define(type);
  if (on_joint) {
    add_joint(r, "cylindrical", axis);
    def.joint = "j";
    def.coordinate = accepts(type, "translation") ? "translation" : "angle";
  } else {
    // a width is along y of a frame, or of the world
    bool turned = !hn_word_in("width", type->keys) || !strcmp(type->name, "contact");
    if (hn_word_in("axis", type->keys) && turned) v3_copy(def.axis, axis);
    if (hn_word_in("at", type->keys)) near(r, A, 0.2, 0.1, -0.1, def.at);
    if (hn_word_in("at_b", type->keys)) near(r, B, -0.1, 0.2, 0.3, def.at_b);
  }
  if (rig_force(r, def)) return true;
  printf("  '%s' cannot be made from its keys%s\n", type->name, on_joint ? ", on a joint" : "");
  return false;
}

// centre of mass and axes of both bodies as hn_between wants them
static void frames(const rig *r, const int body[2], double u[24]) {
  for (int k = 0; k < 2; k++) {
    const hn_kin *kin = &r->work.kin[body[k]];
    v3_copy(u + 12 * k, kin->p);
    for (int i = 0; i < 9; i++) u[12 * k + 3 + i] = kin->R[3 * (i % 3) + i / 3];
  }
}

// a step between two random states: what the books of energy miss
static double step_error(rig *r, const hn_batch *b, double t) {
  static hn_between step;
  int body[2];
  double potential[2], moved = 0;
  step = (hn_between){.h = 0.05, .whole = 1, .slope = 1};
  b->ops->pair(b->data, body);
  for (int k = 0; k < 2; k++) {
    random_state(r, 0.3);
    rig_eval(r, t);
    potential[k] = hn_potential_energy(&r->work);
    frames(r, body, k ? step.end : step.start);
  }
  b->ops->between(b->data, &step);
  for (int i = 0; i < 24; i++) moved += step.f[i] * (step.end[i] - step.start[i]);
  return fabs(moved - (potential[0] - potential[1] + step.work)) / fmax(1, fabs(moved));
}

// along one measure: the slopes of energy and tension, against differences
static double tension_error(rig *r, const hn_batch *b, double t) {
  hn_line line = b->ops->line(b->data);
  hn_tension at[3];
  const double h = 1e-5;
  random_state(r, 0.3);
  rig_eval(r, t);
  double *m = &r->work.mval[line.measure].value, middle = *m;
  for (int k = 0; k < 3; k++) {
    *m = middle + (k - 1) * h;
    at[k] = b->ops->tension(r->sys, &r->work, b->data);
  }
  double slope = (at[2].energy - at[0].energy) / (2 * h), elastic[3], size = 1;
  for (int k = 0; k < 3; k++) elastic[k] = at[k].force - at[k].lossy;
  size = fmax(size, fabs(elastic[1]) + fabs(at[1].by_value));
  double lossy = (at[2].lossy - at[0].lossy) / (2 * h) - at[1].lossy_by_value;
  return fmax(fmax(fabs(slope - elastic[1]),
                   fabs((elastic[2] - elastic[0]) / (2 * h) - at[1].by_value)),
              fabs(lossy)) /
         size;
}

// over a step; -1: the force has no such thing
static double discrete_error(rig *r, double t) {
  const hn_batch *b = &r->sys->batch[0];
  if (b->ops->between) return step_error(r, b, t);
  return b->ops->line && !b->ops->line(b->data).posed ? tension_error(r, b, t) : -1;
}

// columns without name, unit or number
static int columns_missing(rig *r) {
  const hn_batch *b = &r->sys->batch[0];
  const char *unit, *name;
  int missing = 0;
  rig_eval(r, 0.3);
  for (int k = 0; b->ops->column && (name = b->ops->column(b->data, k, &unit)); k++)
    missing += !name[0] || !unit || !isfinite(column_value(r, k));
  return missing;
}

static void check_columns(rig *r) {
  CHECK(columns_missing(r) == 0);
}

static int discrete;  // states at which a force had something to show over a step

static void try_type(const hn_type_info *type, bool on_joint) {
  rig r;
  if (open(&r, type, on_joint)) {
    check_states(&r, 0, 0.3);
    for (int state = 0; state < 3; state++) {
      random_state(&r, 0.3);
      double error = formulas_error(&r, test_random(0, 2));
      bool has = r.sys->batch[0].ops->formulas && !r.sys->reactive;
      if (!CHECK(has ? error >= 0 && error < 1e-12 : error < 0))
        printf("  formulas of '%s' are off by %g\n", type->name, error);
    }
    check_columns(&r);
    for (int state = 0; state < 5; state++) {
      double error = discrete_error(&r, 0.3);
      discrete += error >= 0;
      if (!CHECK(error < 1e-7)) printf("  '%s' over a step is off by %g\n", type->name, error);
    }
  }
  rig_close(&r);
}

static void test_table(void) {
  const hn_type_info *type;
  for (int i = 0; (type = hn_force_type_at(i)); i++) {
    if (hn_type_has_ends(type)) try_type(type, false);
    if (hn_type_has_joint(type)) try_type(type, true);
  }
  CHECK(discrete >= 25);
}

// ---- wrong on purpose ----------------------------------------------------------------------

static const hn_force_ops *right;

static void wrong_tangent(const hn_system *sys, hn_work *work, int count, const void *data,
                          hn_tangent *tangent) {
  double block[36] = {0};
  block[6 * 3 + 4] = 0.01;
  right->tangent(sys, work, count, data, tangent);
  hn_tangent_add(sys, tangent, HN_TANGENT_K, 1, 1, 1, block);
}

static void wrong_eval(const hn_system *sys, hn_work *work, int count, const void *data) {
  right->eval(sys, work, count, data);
  work->power += 0.01;
}

static void wrong_formulas(hn_formulas *f, int count, const void *data) {
  right->formulas(f, count, data);
  f->force[4] = hn_graph_add(f->g, f->force[4], hn_graph_constant(f->g, 1e-6));
}

static void wrong_between(const void *data, hn_between *step) {
  right->between(data, step);
  for (int i = 0; i < 24; i++) step->f[i] *= 1.001;
}

static hn_tension wrong_tension(const hn_system *sys, const hn_work *work, const void *data) {
  hn_tension t = right->tension(sys, work, data);
  t.energy *= 1.001;
  return t;
}

static const char *wrong_column(const void *data, int k, const char **unit) {
  const char *name = right->column(data, k, unit);
  *unit = NULL;
  return name;
}

// worst error of the tangent, as check_tangent finds it, and of the books of energy
static double tangent_error(rig *r, double t) {
  double K[MAX * MAX] = {0}, C[MAX * MAX] = {0}, f[2][MAX], worst = 0;
  const int n = r->sys->nv;
  hn_tangent tangent = {.n = n, .K = K, .C = C};
  rig_eval(r, t);
  hn_force_tangent(&r->work, &tangent);
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < 2; k++) moved_force(r, t, true, j, k ? 1e-5 : -1e-5, f[k]);
    for (int i = 0; i < n; i++)
      worst = fmax(worst, fabs((f[1][i] - f[0][i]) / 2e-5 - K[n * i + j]));
  }
  return worst;
}

static double energy_error(rig *r, double t) {
  double slope = potential_slope(r, t, r->v), work = 0;
  rig_eval(r, t);
  for (int i = 0; i < r->sys->nv; i++) work += r->work.f[i] * r->v[i];
  return fabs(work - r->work.power + slope);
}

static void test_wrong(void) {
  const hn_type_info *spring = hn_family_type(&hn_force_family, "spring");
  rig r;
  if (open(&r, spring, false)) {
    hn_batch *b = &r.sys->batch[0];
    right = b->ops;
    hn_force_ops tangent = *right, power = *right, formulas = *right, column = *right;
    hn_force_ops tension = *right;
    tangent.tangent = wrong_tangent, power.eval = wrong_eval, formulas.formulas = wrong_formulas;
    tension.tension = wrong_tension, column.column = wrong_column;
    random_state(&r, 0.3);
    CHECK(tangent_error(&r, 0.5) < 1e-4 && energy_error(&r, 0.5) < 1e-6);
    CHECK(formulas_error(&r, 0.5) < 1e-12);
    b->ops = &tangent;
    CHECK(tangent_error(&r, 0.5) > 5e-3);
    b->ops = &power;
    CHECK(energy_error(&r, 0.5) > 5e-3);
    b->ops = &formulas;
    CHECK(formulas_error(&r, 0.5) > 1e-8);
    b->ops = &tension;
    CHECK(discrete_error(&r, 0.5) > 1e-5);
    b->ops = &column;
    CHECK(columns_missing(&r) > 0);
    b->ops = right;
  }
  rig_close(&r);
  const hn_type_info *bushing = hn_family_type(&hn_force_family, "bushing");
  if (open(&r, bushing, false)) {
    hn_batch *b = &r.sys->batch[0];
    right = b->ops;
    hn_force_ops between = *right;
    between.between = wrong_between;
    CHECK(discrete_error(&r, 0.5) < 1e-12);
    b->ops = &between;
    CHECK(discrete_error(&r, 0.5) > 1e-6);
    b->ops = right;
  }
  rig_close(&r);
}

int main(void) {
  char why[256];
  CHECK(hn_extend_force(&own_force, why, sizeof why) == HN_OK);
  RUN(test_table);
  RUN(test_wrong);
  return test_end();
}
