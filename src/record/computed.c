// computed.c: formulas of columns. Their inputs are the numbers of a row.
#include "record/computed.h"

#include "expr/expr.h"
#include "record/columns.h"

#include <stdlib.h>
#include <string.h>

// Formulas are parsed twice: before there are columns for the names they read, so that those are
// recorded, and after, when each name is a place in the row.
// ---- names ---------------------------------------------------------------------------------

typedef struct reading {
  hn_model *model;
  hn_names *names;       // where what is met is kept; NULL: it is looked up
  const hn_system *sys;  // in the columns of this system,
  int before;            // of which only so many may be read
  bool adds_up;          // some that were read are integrals, or read such
} reading;               // set while parsing

// what a column is made of
// an integral is the formula of its rate
static const char *text_of(const hn_column_def *def) {
  return def->integral[0] ? def->integral : def->formula;
}

static bool equals(const char *name, const char *text, size_t length) {
  return strlen(name) == length && memcmp(name, text, length) == 0;
}

// few names: a list will do
bool hn_names_have(const hn_names *names, const char *name) {
  for (int i = 0; i < names->count; i++)
    if (strcmp(names->name[i], name) == 0) return true;
  return false;
}

void hn_names_free(hn_names *names) {
  for (int i = 0; i < names->count; i++) free(names->name[i]);
  free(names->name);
  *names = (hn_names){0};
}

// false: out of memory
static bool note(hn_names *names, const char *text, size_t length) {
  for (int i = 0; i < names->count; i++)
    if (equals(names->name[i], text, length)) return true;
  // the text ends somewhere inside the formula
  char *copy = malloc(length + 1);
  if (!copy ||
      !hn_grow((void **)&names->name, &names->capacity, names->count, sizeof *names->name)) {
    free(copy);
    return false;
  }
  memcpy(copy, text, length);
  copy[length] = 0;
  names->name[names->count++] = copy;
  return true;
}

// What a name in a formula is: a constant of the model, the time, a column. Number 0 of the row is
// the time. -1: unknown, and the parser says so.
static hn_node resolve(void *user, hn_graph *graph, const char *name, size_t length) {
  reading *r = user;
  double value;
  if (hn_model_constant(r->model, name, length, &value)) return hn_graph_constant(graph, value);
  if (equals("t", name, length)) return hn_graph_input(graph, 0);
  // any input will do: the graph is thrown away
  if (r->names) return note(r->names, name, length) ? hn_graph_input(graph, 0) : -1;
  // columns behind it are not filled in yet when this one is computed
  for (int i = 0; i < r->before; i++) {
    const hn_column *c = &r->sys->column[i];
    if (!equals(c->name, name, length)) continue;
    // what reads an integral is as good as one
    if (c->kind == HN_COL_COMPUTED) r->adds_up |= r->sys->computed[c->element].adds_up;
    return hn_graph_input(graph, i);
  }
  return -1;
}

hn_status hn_computed_names(hn_model *model, hn_names *names) {
  hn_graph *graph = model->column_count ? hn_graph_create() : NULL;
  // one graph for all: only names are wanted of it
  reading r = {.model = model, .names = names};
  hn_status status = HN_OK;
  for (int i = 0; i < model->column_count && !status; i++) {
    const char *text = text_of(&model->column[i].def);
    // formulas were checked when they were added, so only memory can be missing
    bool read = graph && hn_graph_parse(graph, text, strlen(text), resolve, &r, NULL) >= 0;
    if (!read) status = hn_model_fail(model, (hn_place){0}, HN_ERR_MEMORY, "out of memory");
  }
  hn_graph_destroy(graph);
  return status;
}

// ---- programs ------------------------------------------------------------------------------

// which parameter, position in the text and reason; the parser tells lack of memory by its message
// alone
static hn_status refuse(hn_model *model, const hn_model_column *column,
                        const hn_expr_error *error) {
  if (strcmp(error->message, "out of memory") == 0 || !error->message[0])
    return hn_model_fail(model, (hn_place){0}, HN_ERR_MEMORY, "out of memory");
  return hn_model_fail(model, column->place, HN_ERR_MODEL,
                       "column '%.80s': %s: %s (it may name columns, see docs/columns.md, "
                       "parameters, and columns computed before it)",
                       column->def.name, column->def.integral[0] ? "integral" : "formula",
                       error->message);
}

hn_status hn_computed_create(hn_system *sys, hn_model *model) {
  // computed columns are the last ones
  int count = model->column_count, first = sys->columns - count;
  if (!count) return HN_OK;
  sys->computed = calloc((size_t)count, sizeof *sys->computed);
  if (!sys->computed) return hn_model_fail(model, (hn_place){0}, HN_ERR_MEMORY, "out of memory");
  sys->computeds = count;
  // what fails below leaves the rest zero, which hn_computed_destroy can release
  for (int i = 0; i < count; i++) {
    const hn_model_column *c = &model->column[i];
    reading r = {.model = model, .sys = sys, .before = first + i};
    hn_expr_error error = {0};
    // a graph for each: a program is made of one node and all it reads
    hn_graph *graph = hn_graph_create();
    const char *text = text_of(&c->def);
    hn_node node = graph ? hn_graph_parse(graph, text, strlen(text), resolve, &r, &error) : -1;
    sys->computed[i].integral = c->def.integral[0];
    sys->computed[i].adds_up = c->def.integral[0] || r.adds_up;
    if (node >= 0) sys->computed[i].program = hn_program_compile(graph, &node, 1);
    // the system outlives the model, so the unit is copied
    sys->computed[i].unit = hn_strdup(c->def.unit);
    hn_graph_destroy(graph);
    if (!sys->computed[i].program || !sys->computed[i].unit) return refuse(model, c, &error);
    if (sys->computed[i].integral && r.adds_up)
      return hn_model_fail(model, c->place, HN_ERR_MODEL,
                           "column '%.80s': integral: it reads an integral (a state with the inner "
                           "one as its rate can be integrated again)",
                           c->def.name);
    sys->column[first + i].unit = sys->computed[i].unit;
    // all programs of a system share their registers, as many as the largest one needs
    int registers = hn_program_registers(sys->computed[i].program);
    if (registers > sys->registers) sys->registers = registers;
  }
  return HN_OK;
}

void hn_computed_destroy(hn_system *sys) {
  for (int i = 0; i < sys->computeds; i++) {
    hn_program_destroy(sys->computed[i].program);
    free(sys->computed[i].unit);
  }
  free(sys->computed);
}

double hn_computed_value(const hn_work *work, int k, const double *row) {
  double x;
  hn_program_run(work->sys->computed[k].program, row, work->registers, &x);
  return x;
}
