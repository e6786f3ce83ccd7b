// model_memory.c: numbers of a file that is read again and again with other parameters, as studies
// and `solve` do it.
//
// What a formula says and which dimension it has do not change from one reading to the next, the
// values of its names do: it is parsed once and kept as a program of them. Its operations are those
// that parsing would fold, so that the number is the same to the last digit; wherever something on
// the way is not finite the text is read as ever, and its message is the reader's.
#include "expr/internal.h"
#include "io/model_reader.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 24, MOST_REGISTERS = 96 };

// a name in a formula
typedef struct reading {
  char *name;
  int parameter;  // number of the parameter it was, -1: something else
} reading;

// `prefix` and `unit` are what it was read with: in another scope, or for another key, it is read
// anew.
typedef struct formula {
  hn_program *program;
  char *prefix;      // of the scope it was read in
  const char *unit;  // what it had to be counted in
  int names;
  reading *name;
  hn_dimension dimension;
} formula;

struct hn_memory {
  int count, capacity;
  formula *formula;  // note - 1 of a node
};

// empty; NULL: out of memory
hn_memory *hn_memory_create(void) {
  return calloc(1, sizeof(hn_memory));
}

static void forget(formula *f) {
  hn_program_destroy(f->program);
  for (int i = 0; i < f->names; i++) free(f->name[i].name);
  free(f->name);
  free(f->prefix);
}

void hn_memory_destroy(hn_memory *memory) {
  if (!memory) return;
  for (int i = 0; i < memory->count; i++) forget(&memory->formula[i]);
  free(memory->formula);
  free(memory);
}

// the parameter is still where it was; otherwise the name is looked up
// Parameters keep their numbers from reading to reading; the name is compared all the same, but
// where a model is refilled: its parameters are those that were there.
static bool value_of(const hn_reader *reader, const reading *r, double *value) {
  const hn_model *model = reader->model;
  int parameter;
  // without a prefix the number alone is enough
  if (r->parameter >= 0 && r->parameter < model->parameter_count && !*reader->scope->prefix &&
      (reader->refilling || strcmp(model->parameter[r->parameter].name, r->name) == 0)) {
    *value = model->parameter[r->parameter].value;
    if (model->parameter[r->parameter].changes) hn_refill_touch(reader, NULL);
    return true;
  }
  return hn_read_name(reader, r->name, strlen(r->name), &parameter, value);
}

// an alias may stand for values of several keys
static bool same_unit(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

// Inputs and registers on the stack: nothing is allocated for a number that is known.
bool hn_memory_recall(hn_reader *reader, const hn_yaml *node, double *value) {
  double inputs[MOST_NAMES], registers[MOST_REGISTERS];
  // a node not yet kept, or one that cannot be
  if (!reader->memory || node->note <= 0 || node->note > reader->memory->count || reader->index)
    return false;
  const formula *f = &reader->memory->formula[node->note - 1];
  // all names must mean something in this reading, too
  bool outside = !*f->prefix && !*reader->scope->prefix;  // of all parts
  if (!outside && strcmp(f->prefix, reader->scope->prefix) != 0) return false;
  if (!same_unit(f->unit, reader->unit)) return false;
  for (int i = 0; i < f->names; i++)
    if (!value_of(reader, &f->name[i], &inputs[i])) return false;
  if (!hn_program_run_finite(f->program, inputs, registers, value)) return false;
  reader->dimension = f->dimension;
  reader->referring = f->names > 0;
  return true;
}

// ---- keeping -----------------------------------------------------------------------------------

typedef struct lookup {
  const hn_reader *reader;
  formula *f;
  bool full;
} lookup;

// A name that means something now is an input of the program; its value is looked up each time.
static hn_node resolve(void *user, hn_graph *graph, const char *name, size_t length) {
  lookup *l = user;
  formula *f = l->f;
  int parameter;
  double ignored;
  if (!hn_read_name(l->reader, name, length, &parameter, &ignored)) return -1;
  for (int i = 0; i < f->names; i++)
    if (strlen(f->name[i].name) == length && memcmp(f->name[i].name, name, length) == 0)
      return hn_graph_input(graph, i);
  // too many names: it is read anew each time
  char *own = f->names < MOST_NAMES ? malloc(length + 1) : NULL;
  // tells "cannot be kept" from "unknown name"
  l->full = !own;
  if (!own) return -1;
  memcpy(own, name, length);
  own[length] = 0;
  f->name[f->names] = (reading){own, parameter};
  return hn_graph_input(graph, f->names++);
}

// graph->plain keeps operations in the order of the text, so that rounding is the same.
static bool compile(const hn_reader *reader, const char *text, formula *f) {
  lookup l = {.reader = reader, .f = f};
  hn_graph *graph = hn_graph_create();
  if (!graph) return false;
  graph->plain = true;
  hn_node n = hn_graph_parse(graph, text, strlen(text), resolve, &l, NULL);
  f->program = n >= 0 && !l.full ? hn_program_compile(graph, &n, 1) : NULL;
  hn_graph_destroy(graph);
  return f->program && hn_program_registers(f->program) <= MOST_REGISTERS;
}

// A node that cannot be kept is marked, and not tried again.
void hn_memory_keep(const hn_reader *reader, const hn_yaml *node) {
  hn_memory *m = reader->memory;
  // files of parts are opened anew every time, numbers of repeated uses are nobody's parameter
  if (!m || node->note || reader->index || reader->scope->file) return;
  formula f = {.dimension = reader->dimension,
               .unit = reader->unit,
               .prefix = hn_strdup(reader->scope->prefix),
               .name = calloc(MOST_NAMES, sizeof *f.name)};
  bool good = f.prefix && f.name && compile(reader, node->text, &f) &&
              hn_grow((void **)&m->formula, &m->capacity, m->count, sizeof *m->formula);
  // the tree belongs to whoever the memory belongs to
  // cast away: notes are the one thing that may change in a tree
  ((hn_yaml *)node)->note = good ? m->count + 1 : HN_YAML_CHANGES;
  if (good)
    m->formula[m->count++] = f;
  else
    forget(&f);
}
