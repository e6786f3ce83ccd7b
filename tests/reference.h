// reference.h: independent solutions, tests/references/*.json, and how runs are held against them.
//
// A file holds quantities: [{name, unit}], t: [..] and values: [[..] per t], column by column as
// the quantities are listed. JSON is YAML, so the library's own reader does for it. What belongs
// to what is said by pairs of formulas, see reference_cases.h.
#ifndef HN_TESTS_REFERENCE_H
#define HN_TESTS_REFERENCE_H

#include "expr/expr.h"
#include "io/yaml.h"
#include "reference_cases.h"
#include "sim/sim.h"
#include "test.h"

#include <holon/holon.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// numbers with named columns; column 0 is the time
typedef struct table {
  int rows, columns;
  const char **name;
  double *value;  // rows x columns
  hn_yaml_doc *doc;
} table;

static inline double *table_row(const table *t, int row) {
  return t->value + (size_t)row * (size_t)t->columns;
}

static inline void table_free(table *t) {
  hn_yaml_destroy(t->doc);
  free(t->name);
  free(t->value);
  *t = (table){0};
}

static inline char *read_whole_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *text = malloc(HN_YAML_SIZE);
  *length = text ? fread(text, 1, HN_YAML_SIZE, file) : 0;
  fclose(file);
  return text;
}

static inline bool fill_table(table *t) {
  const hn_yaml *root = hn_yaml_root(t->doc);
  const hn_yaml *quantity = hn_yaml_get(root, "quantities"), *time = hn_yaml_get(root, "t");
  const hn_yaml *values = hn_yaml_get(root, "values");
  if (!quantity || !time || !values || time->count != values->count) return false;
  t->rows = time->count;
  t->columns = quantity->count + 1;
  t->name = calloc((size_t)t->columns, sizeof *t->name);
  t->value = calloc((size_t)t->rows * (size_t)t->columns, sizeof *t->value);
  if (!t->name || !t->value) return false;
  int k = 0;
  t->name[k++] = "t";
  for (const hn_yaml *e = quantity->first; e; e = e->next) {
    const hn_yaml *name = hn_yaml_get(e, "name");
    if (!name) return false;
    t->name[k++] = name->text;
  }
  double *x = t->value;
  const hn_yaml *when = time->first;
  for (const hn_yaml *row = values->first; row; row = row->next, when = when->next) {
    if (row->count != quantity->count) return false;
    *x++ = strtod(when->text, NULL);
    for (const hn_yaml *e = row->first; e; e = e->next) *x++ = strtod(e->text, NULL);
  }
  return true;
}

// reads "tests/references/<name>.json"; false and a message on failure
static inline bool reference_read(table *t, const char *name) {
  char path[256];
  size_t length = 0;
  hn_yaml_error error = {0};
  snprintf(path, sizeof path, "tests/references/%s.json", name);
  *t = (table){0};
  char *text = read_whole_file(path, &length);
  t->doc = text ? hn_yaml_parse(text, length, &error) : NULL;
  free(text);
  if (t->doc && fill_table(t)) return true;
  printf("%s:%d: cannot be read: %s\n", path, error.line, error.message);
  table_free(t);
  return false;
}

static inline int table_find(const table *t, const char *name, size_t length) {
  for (int i = 0; i < t->columns; i++)
    if (strlen(t->name[i]) == length && memcmp(t->name[i], name, length) == 0) return i;
  return -1;
}

static inline hn_node table_resolve(void *user, hn_graph *graph, const char *name, size_t length) {
  int column = table_find(user, name, length);
  return column < 0 ? -1 : hn_graph_input(graph, column);
}

// one formula of the table's columns, evaluated for every row; NULL and a message on failure
static inline double *table_evaluate(table *t, const char *formula) {
  hn_expr_error error = {0};
  double *out = NULL, *registers = NULL;
  hn_program *program = NULL;
  hn_graph *graph = hn_graph_create();
  hn_node node =
      graph ? hn_graph_parse(graph, formula, strlen(formula), table_resolve, t, &error) : -1;
  if (node >= 0) program = hn_program_compile(graph, &node, 1);
  if (program) {
    out = malloc(((size_t)t->rows + 1) * sizeof *out);
    registers = malloc(((size_t)hn_program_registers(program) + 1) * sizeof *registers);
  }
  if (out && registers)
    for (int i = 0; i < t->rows; i++) hn_program_run(program, table_row(t, i), registers, &out[i]);
  else
    printf("'%s', column %d: %s\n", formula, error.column, error.message);
  free(registers);
  hn_program_destroy(program);
  hn_graph_destroy(graph);
  return out;
}

static inline double largest_of(const double *x, int count) {
  double m = 0;
  for (int i = 0; i < count; i++)
    if (!(fabs(x[i]) <= m)) m = fabs(x[i]);  // a NaN is kept
  return m;
}

// ---- runs ----------------------------------------------------------------------------------

typedef struct machine {
  hn_model *model;
  hn_system *system;
  hn_sim *sim;
  hn_options options;  // changed between machine_load and machine_start
} machine;

static inline void machine_free(machine *m) {
  hn_sim_destroy(m->sim);
  hn_system_destroy(m->system);
  hn_model_destroy(m->model);
}

// loads "models/<name>.yaml", one parameter (or NULL) set to another value; coordinates as in the
// option of that name
static inline hn_status machine_load(machine *m, const char *name, const char *coordinates,
                                     const char *parameter, const char *value) {
  char path[128];
  *m = (machine){.model = hn_model_create()};
  snprintf(path, sizeof path, "models/%s.yaml", name);
  hn_status status = parameter ? hn_model_override(m->model, parameter, value) : HN_OK;
  if (!status) status = hn_model_load(m->model, path);
  hn_options *options = hn_model_options(m->model);
  if (!status) snprintf(options->coordinates, sizeof options->coordinates, "%s", coordinates);
  if (!status) status = hn_compile(&m->system, m->model);
  m->options = *options;
  // tests compare with something that knows better than a second run
  snprintf(m->options.verify, sizeof m->options.verify, "off");
  if (status && status != HN_ERR_UNSUPPORTED) printf("%s\n", hn_model_error(m->model));
  return status;
}

static inline hn_status machine_start(machine *m) {
  char message[512] = "";
  // a tolerance beyond all limits takes error control out of the way
  double rtol = m->options.rtol;
  m->options.rtol = fmin(rtol, 0.1);
  hn_status status = hn_sim_create(&m->sim, m->system, &m->options, message, sizeof message);
  m->options.rtol = rtol;
  if (!status && rtol > 0.1) {
    m->sim->opt.rtol = rtol;
    status = hn_set_state(m->sim, 0, m->system->q0, m->system->v0);
  }
  if (status && status != HN_ERR_UNSUPPORTED) printf("%s: %s\n", hn_model_name(m->model), message);
  return status;
}

// duration and output_step so that every time of the reference is met up to `end`
static inline void machine_follow(machine *m, const table *reference, double end) {
  double interval = INFINITY;
  for (int i = 1; i < reference->rows; i++)
    interval = fmin(interval, table_row(reference, i)[0] - table_row(reference, i - 1)[0]);
  m->options.duration = fmin(end, table_row(reference, reference->rows - 1)[0]);
  m->options.output_step = interval;
}

// the rows of a result that belong to the times of the reference, as far as it was run; false when
// one is missing. Names are those of the result
static inline bool table_pick(table *t, const hn_result *result, const table *reference) {
  int columns = hn_result_columns(result), rows = hn_result_rows(result), at = 0;
  double last = rows ? hn_result_row(result, rows - 1)[0] : 0;
  *t = (table){.columns = columns};
  t->name = calloc((size_t)columns, sizeof *t->name);
  t->value = calloc((size_t)columns * (size_t)reference->rows, sizeof *t->value);
  if (!t->name || !t->value) return false;
  for (int k = 0; k < columns; k++) t->name[k] = hn_result_name(result, k);
  for (; t->rows < reference->rows; t->rows++) {
    double when = table_row(reference, t->rows)[0];
    if (when > last * (1 + 1e-9)) break;
    while (at < rows && hn_result_row(result, at)[0] < when - 1e-9 * last) at++;
    if (at == rows || hn_result_row(result, at)[0] > when + 1e-9 * last) return false;
    memcpy(table_row(t, t->rows), hn_result_row(result, at), (size_t)columns * sizeof(double));
  }
  return t->rows > 0;
}

// ---- comparing -----------------------------------------------------------------------------

static const char kinds[] = "xvfea";
enum { POSITION, VELOCITY, FORCE, ENERGY, ACCELERATION, KINDS };

// largest errors by kind, relative to the largest magnitude of the column over the reference
typedef struct errors {
  double worst[KINDS];
  const char *where[KINDS];
} errors;

static inline int kind_of(const pair *p) {
  return (int)(strchr(kinds, p->kind) - kinds);
}

// columns that are zero are measured by the largest of their kind, energies at least by the
// largest kinetic energy
static inline double unit_of(const pair *p, const double *x, table *reference, table *ours,
                             const double largest[KINDS]) {
  double unit = largest_of(x, reference->rows);
  if (p->kind == 'e') {
    double *kinetic = table_evaluate(ours, "energy.kinetic");
    if (kinetic) unit = fmax(unit, largest_of(kinetic, ours->rows));
    free(kinetic);
    return unit;
  }
  return unit > 1e-9 * largest[kind_of(p)] ? unit : fmax(largest[kind_of(p)], 1e-9);
}

// adds one pair to the errors, from row `first` on; growth (may be NULL) divides them row by row
static inline bool compare_pair(errors *e, const pair *p, table *reference, table *ours, int first,
                                const double *growth, const double largest[KINDS]) {
  double *a = table_evaluate(reference, p->reference), *b = table_evaluate(ours, p->ours);
  bool ok = a && b;
  double unit = ok ? unit_of(p, a, reference, ours, largest) : 1, worst = 0;
  for (int i = first; ok && i < ours->rows; i++) {
    double d = fabs(a[i] - b[i]) / unit / (growth ? fmax(1, growth[i]) : 1);
    if (!(d <= worst)) worst = d;  // a NaN is kept
  }
  int k = kind_of(p);
  if (!e->where[k] || !(worst <= e->worst[k])) e->worst[k] = worst, e->where[k] = p->reference;
  free(a), free(b);
  return ok;
}

// all pairs of the kinds in `which`; false when a formula does not fit
static inline bool compare(errors *e, const pair *pairs, table *reference, table *ours, int first,
                           const char *which, bool chaotic) {
  double *growth = chaotic ? table_evaluate(reference, "growth_factor") : NULL;
  double largest[KINDS] = {0};
  bool ok = !chaotic || growth;
  for (const pair *p = pairs; p->kind && ok; p++) {
    double *a = table_evaluate(reference, p->reference);
    ok = a;
    if (a) largest[kind_of(p)] = fmax(largest[kind_of(p)], largest_of(a, reference->rows));
    free(a);
  }
  for (const pair *p = pairs; p->kind && ok; p++)
    if (strchr(which, p->kind)) ok = compare_pair(e, p, reference, ours, first, growth, largest);
  free(growth);
  return ok;
}

#endif
