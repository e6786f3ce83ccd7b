// metric_read.c: formulas of metrics, from text to programs.
//
// A reducer is taken out of the text before the rest is parsed: its arguments become programs over
// the columns, and a name of its own, blanks behind it, stands in its place, so that columns in
// messages stay those of the text.
#include "study/metric.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// one row for each reducer; docs/commands/study.md has the same table for people
typedef struct kind {
  const char *name;
  hn_reducer_kind kind;
  int least, most;  // arguments
} kind;

// arguments that may be left out: the number of a crossing
static const kind kinds[] = {
    {"min", HN_REDUCE_MIN, 1, 1},     {"max", HN_REDUCE_MAX, 1, 1},
    {"mean", HN_REDUCE_MEAN, 1, 1},   {"rms", HN_REDUCE_RMS, 1, 1},
    {"first", HN_REDUCE_FIRST, 1, 1}, {"final", HN_REDUCE_FINAL, 1, 1},
    {"when", HN_REDUCE_WHEN, 1, 1},   {"integral", HN_REDUCE_INTEGRAL, 1, 1},
    {"at", HN_REDUCE_AT, 2, 2},       {"crossing", HN_REDUCE_CROSSING, 2, 3},
};

// one formula being read; reducers inside it read theirs with the same struct
typedef struct reading {
  hn_metrics *m;
  const hn_metric_names *names;
  hn_metric_error *error;
  bool inside;   // of a reducer: columns have a meaning
  bool metrics;  // names of metrics have one
  int offset;    // of the text being parsed in the whole formula
} reading;

__attribute__((format(printf, 3, 4))) static hn_node fail(reading *r, size_t at, const char *format,
                                                          ...) {
  va_list args;
  // what is inside a formula knows better than what is around it
  if (r->error->message[0]) return -1;  // the first counts
  va_start(args, format);
  vsnprintf(r->error->message, sizeof r->error->message, format, args);
  va_end(args);
  r->error->column = (int)at + 1;
  return -1;
}

static bool is_name(const char *name, const char *word, size_t length) {
  // names are parts of a text and do not end with a zero
  return strlen(name) == length && memcmp(name, word, length) == 0;
}

// the number of a name in a list, put there if need be; -1: no room, or no memory
// a handful of names: searched from the first
static int number_of(char **list, int *count, const char *word, size_t length) {
  for (int i = 0; i < *count; i++)
    if (is_name(list[i], word, length)) return i;
  if (*count == HN_METRIC_ROOM) return -1;
  char *copy = malloc(length + 1);
  if (!copy) return -1;
  memcpy(copy, word, length);
  copy[length] = 0;
  list[*count] = copy;
  return (*count)++;
}

static bool has_column(const reading *r, const char *name, size_t length) {
  const char *column;
  for (int i = 0; (column = hn_column_name(r->names->system, i)); i++)
    if (is_name(column, name, length)) return true;
  return false;
}

static bool has_constant(const reading *r, const char *name, size_t length) {
  // a factor hides a parameter of its name, as hn_member_constants has it
  if (r->names->is_factor(r->names->user, name, length)) return true;
  const char *parameter;
  for (int i = 0; (parameter = hn_model_parameter_name(r->names->model, i)); i++)
    if (is_name(parameter, name, length)) return true;
  return false;
}

static hn_node resolve_column(reading *r, hn_graph *graph, const char *name, size_t length) {
  // a number per row is what reducers make one of
  if (!r->inside)
    return fail(r, (size_t)r->offset,
                "column '%.*s' has many values: say which by max(), min(), mean(), rms(), final(), "
                "at(), integral() ...",
                (int)length, name);
  int number = number_of(r->m->column, &r->m->columns, name, length);
  if (number < 0) return fail(r, 0, "more than %d columns", HN_METRIC_ROOM);
  return hn_graph_input(graph, HN_IN_COLUMN + number);
}

// "_.12": a part of a name that begins with a digit is no name of a model, so that nothing there
// can be called so
static bool stands_for_reducer(const char *word, size_t length) {
  return length > 2 && word[0] == '_' && word[1] == '.' && isdigit((unsigned char)word[2]);
}

// Order of meaning: names that stand for reducers, metrics, t, columns, parameters and factors.
static hn_node resolve(void *user, hn_graph *graph, const char *name, size_t length) {
  reading *r = user;
  int number;
  if (stands_for_reducer(name, length)) {
    number = atoi(name + 2);
    return number < r->m->reducers ? hn_graph_input(graph, HN_IN_REDUCER + number) : -1;
  }
  for (int i = 0; r->metrics && i < r->m->metrics; i++)
    // a metric reads those before it in the file: later ones are not in the list yet
    if (is_name(r->m->metric[i].name, name, length)) return hn_graph_input(graph, HN_IN_METRIC + i);
  // t is short for the column of times
  if (is_name("t", name, length)) return resolve_column(r, graph, "time", 4);
  if (has_column(r, name, length)) return resolve_column(r, graph, name, length);
  if (!has_constant(r, name, length)) return -1;
  number = number_of(r->m->constant, &r->m->constants, name, length);
  // NAN until a run sets them (hn_member_constants)
  if (number < 0) return fail(r, 0, "more than %d parameters", HN_METRIC_ROOM);
  return hn_graph_input(graph, HN_IN_CONSTANT + number);
}

// the bracket that closes the one at `open`; 0: none does
// the formula language has no other brackets
static size_t closing(const char *text, size_t open, size_t end) {
  int depth = 0;
  for (size_t i = open; i < end; i++) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth == 0) return i;
  }
  // 0 is never right: `open` is before it
  return 0;
}

// where the argument that starts at `i` ends: at a comma, or at `end`
static size_t argument_end(const char *text, size_t i, size_t end) {
  for (int depth = 0; i < end; i++) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth == 0 && text[i] == ',') return i;
  }
  return end;
}

static const kind *find_kind(const char *word, size_t length) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (is_name(kinds[i].name, word, length)) return &kinds[i];
  return NULL;
}

static hn_node parse(reading *r, const char *text, size_t begin, size_t end);

static hn_program *compile(hn_metrics *m, const hn_node *node, int count) {
  hn_program *program = hn_program_compile(m->graph, node, count);
  // all programs share one set of registers, as large as the largest wants
  if (program && hn_program_registers(program) > m->registers)
    m->registers = hn_program_registers(program);
  return program;
}

// a reducer with the arguments between two brackets; its number, or -1
// its arguments are parsed first: reducers in them get lower numbers and are known before it
static int add_reducer(reading *r, const kind *k, const char *text, size_t begin, size_t end) {
  hn_node node[3];
  int count = 0;
  for (size_t i = begin; i <= end; count++) {
    size_t to = argument_end(text, i, end);
    if (count == k->most) return fail(r, i, "%s() has too many arguments", k->name);
    // an at() in the arguments of at() has its own answer
    bool was_inside = r->inside;
    // only what is reduced has a value at every row
    r->inside = count == 0;
    node[count] = parse(r, text, i, to);
    r->inside = was_inside;
    if (node[count] < 0) return -1;
    i = to + 1;
  }
  if (count < k->least) return fail(r, begin, "%s() needs %d arguments", k->name, k->least);
  hn_metrics *m = r->m;
  // the limit is that of their inputs
  if (m->reducers == HN_METRIC_ROOM)
    return fail(r, begin, "more than %d functions over a run", HN_METRIC_ROOM);
  hn_program *program = compile(m, node, count);
  if (!program) return fail(r, begin, "out of memory");
  // metrics known so far may be read by it (hn_reducer.metrics)
  m->reducer[m->reducers] = (hn_reducer){k->kind, program, count, m->metrics};
  return m->reducers++;
}

static size_t word_length(const char *text, size_t i, size_t end) {
  // points belong to names: 'crank.angle' is one word
  size_t n = i;
  while (n < end && (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '.')) n++;
  return n - i;
}

// takes the reducers out of `copy`, which is text[begin, end)
// The name put in must fit into what it replaces: "at(x,1)" has 7 characters, "_.255" has 5.
static bool take_reducers(reading *r, const char *text, size_t begin, size_t end, char *copy) {
  for (size_t i = begin; i < end;) {
    size_t length = word_length(text, i, end);
    // a factor may be called as it likes
    if (stands_for_reducer(text + i, length))
      return fail(r, i, "unknown name '%.*s'", (int)length, text + i), false;
    const kind *k = length ? find_kind(text + i, length) : NULL;
    size_t open = i + length;
    while (open < end && text[open] == ' ') open++;
    size_t close = k && open < end && text[open] == '(' ? closing(text, open, end) : 0;
    bool several = close && argument_end(text, open + 1, close) < close;
    // two arguments are the ordinary min and max, three or more as well
    // min and max of several numbers are those of the formula language
    if (!close || (k->most == 1 && several && k->kind <= HN_REDUCE_MAX)) {
      i += length ? length : 1;
      continue;
    }
    int number = add_reducer(r, k, text, open + 1, close);
    if (number < 0) return false;
    char name[16];
    int used = snprintf(name, sizeof name, "_.%d", number);
    // blanks keep what follows in its column
    memset(copy + (i - begin), ' ', close + 1 - i);
    memcpy(copy + (i - begin), name, (size_t)used);
    i = close + 1;
  }
  return true;
}

static hn_node parse(reading *r, const char *text, size_t begin, size_t end) {
  char *copy = malloc(end - begin + 1);
  if (!copy) return fail(r, begin, "out of memory");
  memcpy(copy, text + begin, end - begin);
  copy[end - begin] = 0;
  hn_node node = -1;
  if (take_reducers(r, text, begin, end, copy)) {
    hn_expr_error error = {0};
    // for messages of names, which the parser knows by themselves only
    r->offset = (int)begin;
    node = hn_graph_parse(r->m->graph, copy, end - begin, resolve, r, &error);
    // the column in the piece, moved to where the piece begins in the whole text
    if (node < 0) fail(r, begin + (size_t)error.column - 1, "%s", error.message);
  }
  free(copy);
  return node;
}

// ---- metrics, constraints, stops -------------------------------------------------------------

hn_status hn_metrics_begin(hn_metrics *m) {
  m->graph = hn_graph_create();
  // the first column: there is room, and only memory can be missing
  if (!m->graph || number_of(m->column, &m->columns, "time", 4) < 0) return HN_ERR_MEMORY;
  return HN_OK;
}

bool hn_metrics_column(hn_metrics *m, const char *name) {
  // asked of read.c: a column that is fitted
  return number_of(m->column, &m->columns, name, strlen(name)) >= 0;
}

static void end_formula(hn_measure_formula *f) {
  free((char *)f->name);
  free((char *)f->unit);
  free((char *)f->formula);
  hn_program_destroy(f->program);
}

void hn_metrics_end(hn_metrics *m) {
  for (int i = 0; i < m->columns; i++) free(m->column[i]);
  for (int i = 0; i < m->constants; i++) free(m->constant[i]);
  for (int i = 0; i < m->reducers; i++) hn_program_destroy(m->reducer[i].program);
  for (int i = 0; i < m->metrics; i++) end_formula(&m->metric[i]);
  for (int i = 0; i < m->constraints; i++) end_formula(&m->constraint[i]);
  hn_program_destroy(m->stop);
  hn_graph_destroy(m->graph);
}

// the sentence is all that came back through the parser
static hn_status failed(const hn_metric_error *error) {
  return strcmp(error->message, "out of memory") == 0 ? HN_ERR_MEMORY : HN_ERR_MODEL;
}

static hn_status fill(reading *r, hn_measure_formula *f, const char *name, const char *unit,
                      const char *formula, hn_node node) {
  f->name = hn_strdup(name);
  f->unit = hn_strdup(unit ? unit : hn_metric_unit(r->m, r->names->system, formula));
  f->formula = hn_strdup(formula);
  // one program each, so that reducers in between can be evaluated in order
  f->program = compile(r->m, &node, 1);
  if (f->name && f->unit && f->formula && f->program) return HN_OK;
  end_formula(f);
  fail(r, 0, "out of memory");
  return HN_ERR_MEMORY;
}

hn_status hn_metrics_add(hn_metrics *m, const hn_metric_names *names, const char *name,
                         const char *unit, const char *formula, hn_metric_error *error) {
  *error = (hn_metric_error){0};
  reading r = {.m = m, .names = names, .error = error, .metrics = true};
  if (m->metrics == HN_METRIC_ROOM) {
    fail(&r, 0, "more than %d metrics", HN_METRIC_ROOM);
    return HN_ERR_MODEL;
  }
  hn_node node = parse(&r, formula, 0, strlen(formula));
  if (node < 0) return failed(error);
  hn_status status = fill(&r, &m->metric[m->metrics], name, unit, formula, node);
  // a name is known only after its formula was read: no metric reads itself
  if (!status) m->metrics++;
  return status;
}

// the first comparison from *at on that stands outside all brackets; its length, or 0
static size_t find_comparison(const char *text, size_t *at) {
  int depth = 0;
  // comparisons inside brackets belong to conditions of reducers
  for (size_t i = *at; text[i]; i++) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth || (text[i] != '<' && text[i] != '>')) continue;
    *at = i;
    return text[i + 1] == '=' ? 2 : 1;
  }
  return 0;
}

// One number that is negative where it is kept is what optimisers want (optimise.h)
hn_status hn_metrics_constrain(hn_metrics *m, const hn_metric_names *names, const char *name,
                               const char *formula, hn_metric_error *error) {
  *error = (hn_metric_error){0};
  reading r = {.m = m, .names = names, .error = error, .metrics = true};
  size_t at = 0, length = find_comparison(formula, &at);
  if (!length) {
    fail(&r, 0, "a constraint is a comparison: 'peak <= 500'");
    return HN_ERR_MODEL;
  }
  // read from the left, '1 <= x <= 2' would compare 1 with the truth of 'x <= 2'
  size_t again = at + length;
  if (find_comparison(formula, &again)) {
    fail(&r, again, "a constraint is one comparison: write the two of a range as two constraints");
    return HN_ERR_MODEL;
  }
  if (m->constraints == HN_METRIC_ROOM) {
    fail(&r, 0, "more than %d constraints", HN_METRIC_ROOM);
    return HN_ERR_MODEL;
  }
  hn_node left = parse(&r, formula, 0, at);
  hn_node right = left < 0 ? -1 : parse(&r, formula, at + length, strlen(formula));
  if (right < 0) return failed(error);
  bool below = formula[at] == '<';
  // a <= b as a - b, a >= b as b - a
  hn_node node = hn_graph_sub(m->graph, below ? left : right, below ? right : left);
  hn_measure_formula *f = &m->constraint[m->constraints];
  hn_status status = fill(&r, f, name, "", formula, node);
  // <= and >= may be equal
  f->strict = length == 1;
  if (!status) m->constraints++;
  return status;
}

hn_status hn_metrics_stop(hn_metrics *m, const hn_metric_names *names, const char *condition,
                          hn_metric_error *error) {
  *error = (hn_metric_error){0};
  // inside: the formula is of columns of one row
  reading r = {.m = m, .names = names, .error = error, .inside = true};
  int reducers = m->reducers;
  hn_node node = parse(&r, condition, 0, strlen(condition));
  if (node >= 0 && m->reducers > reducers)
    node = fail(&r, 0, "what ends a run is a formula of columns: it knows no max(), mean() ...");
  if (node < 0) return failed(error);
  m->stop = compile(m, &node, 1);
  if (!m->stop) fail(&r, 0, "out of memory");
  return m->stop ? HN_OK : HN_ERR_MEMORY;
}
