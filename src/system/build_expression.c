// build_expression.c: formulas of a system under construction become programs (what their names
// mean is known to scope.c).
//
// A program computes the formula and its gradient over t and all signals it reads, so that forces
// have exact tangents. A formula with decisions (if, abs, min ...) gets a second program, held on
// the piece it is on, and the functions whose signs tell which piece that is: steps end where one
// of them changes (sim/events.c).
#include <stdlib.h>
#include <string.h>

#include "model/check.h"
#include "system/scope.h"

// the node of a formula that begins here.
// Every formula has a number: signals written out in it are remembered under that number, so that
// one read twice is written out once.
static hn_node parse_part(hn_scope *scope, const char *what, const char *text, size_t length,
                          int from) {
  hn_builder *b = scope->builder;
  b->formula++;
  hn_expr_error error;
  hn_node f = hn_graph_parse(b->graph, text, length, hn_scope_resolve, scope, &error);
  if (f < 0)
    hn_build_fail(b, hn_formula_status(error.message), "%s, column %d: %s", what,
                  from + error.column, error.message);
  return f;
}

static hn_node parse_expression(hn_scope *scope, const char *what, const char *text) {
  return parse_part(scope, what, text, strlen(text), 0);
}

hn_node hn_builder_parse(hn_builder *b, const char *what, const char *text, size_t length, int from,
                         const hn_name_space *names) {
  hn_scope scope = {.builder = b, .names = names};
  return b->status ? -1 : parse_part(&scope, what, text, length, from);
}

hn_program *hn_builder_program(hn_builder *b, const hn_node *out, int count) {
  hn_program *p = hn_program_compile(b->graph, out, count);
  if (p && hn_program_registers(p) > b->sys->registers) b->sys->registers = hn_program_registers(p);
  return p;
}

// f and its gradient over t and the signals
static hn_program *compile_gradient(hn_builder *b, hn_node f, int signals) {
  hn_node *out = malloc((size_t)(signals + 2) * sizeof *out);
  if (!out) return NULL;
  out[0] = f;
  for (int k = 0; k <= signals; k++) out[1 + k] = hn_graph_derivative(b->graph, f, k);
  hn_program *p = hn_builder_program(b, out, signals + 2);
  free(out);
  return p;
}

// the same formula held on one of its pieces, when it has several.
// Sides of switching functions are inputs of the held program: within a step it is one smooth
// piece, also beyond the switching point, where an integrator's stages may stand.
static bool compile_held(hn_builder *b, hn_expression *e, hn_node f) {
  int count = hn_graph_decisions(b->graph, f);
  if (count <= 0) return count == 0;
  hn_node *function = malloc((size_t)count * sizeof *function);
  if (!function) return false;
  hn_node held = hn_graph_hold(b->graph, f, 1 + e->signals, function, count);
  if (hn_graph_has_ends(b->graph, f) == 1) b->sys->steep = true;
  e->switches = count;
  e->first_switch = hn_build_switches(b, count);
  e->held = compile_gradient(b, held, e->signals);
  e->functions = hn_builder_program(b, function, count);
  free(function);
  return e->held && e->functions;
}

// compile f over all inputs the scope has met; with `hold` also its pieces
static int compile_expression(const hn_scope *scope, const char *what, hn_node f, bool hold) {
  hn_builder *b = scope->builder;
  hn_system *sys = b->sys;
  hn_expression *e = hn_builder_room(b, (void **)&sys->expression, &b->expression_capacity,
                                     sys->expressions, sizeof *e);
  if (!e) {
    hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
    return -1;
  }
  *e = (hn_expression){.first_signal = scope->first_signal,
                       .signals = sys->signals - scope->first_signal};
  sys->expressions++;
  e->program = compile_gradient(b, f, e->signals);
  if (!e->program || (hold && !compile_held(b, e, f))) {
    hn_build_fail(b, HN_ERR_MEMORY, "%s: formula too large", what);
    return -1;
  }
  return sys->expressions - 1;
}

// ---- prescribed motions --------------------------------------------------------------------

// derivative in time of a formula of t and tables, whose inputs are value, rate, second derivative.
// f' = f_t + sum f_u u' with u a table's value or rate; its second derivative is the last that
// tables have, so two derivatives can be asked for and no more.
static hn_node by_time(hn_graph *g, hn_node f, int tables) {
  hn_node sum = hn_graph_derivative(g, f, 0);
  for (int k = 0; k < tables; k++)
    for (int d = 1; d < 3; d++) {
      int input = 3 * k + d;
      hn_node slope = hn_graph_derivative(g, f, input);
      sum = hn_graph_add(g, sum, hn_graph_mul(g, slope, hn_graph_input(g, input + 1)));
    }
  return sum;
}

// A motion without t and tables is a constant: it does no work, and the system is not rheonomic for
// it.
int hn_builder_motion(hn_builder *b, const char *text) {
  hn_system *sys = b->sys;
  hn_expr_error error;
  hn_node f[3];
  hn_scope scope = {.builder = b, .first_signal = sys->signals, .motion = true};
  if (b->status) return -1;
  b->formula++;
  f[0] = hn_graph_parse(b->graph, text, strlen(text), hn_scope_resolve, &scope, &error);
  if (f[0] < 0) {
    hn_build_fail(b, hn_formula_status(error.message),
                  "motion, column %d: %s (it may use t, parameters, and signals of these)",
                  error.column, error.message);
    return -1;
  }
  int tables = sys->signals - scope.first_signal;
  f[1] = by_time(b->graph, f[0], tables);
  f[2] = f[1] < 0 ? -1 : by_time(b->graph, f[1], tables);
  hn_motion *m =
      hn_builder_room(b, (void **)&sys->motion, &b->motion_capacity, sys->motions, sizeof *m);
  if (!m) return -1;
  m->first_signal = scope.first_signal, m->signals = tables;
  m->program = f[2] < 0 ? NULL : hn_builder_program(b, f, 3);
  if (!m->program) {
    hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
    return -1;
  }
  if (tables || hn_graph_depends(b->graph, f[0], 0)) sys->rheonomic = true;
  return sys->motions++;
}

// ---- formulas of elements ------------------------------------------------------------------

static bool letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

// does the formula use this word?
static bool uses_word(const char *text, const char *word) {
  size_t n = strlen(word);
  for (const char *s = text; (s = strstr(s, word)); s += n)
    if ((s == text || !letter(s[-1])) && !letter(s[n])) return true;
  return false;
}

// a word that is a parameter as well as a quantity of the element has two meanings
static bool refuse_double_meaning(hn_builder *b, const char *what, const char *text,
                                  const hn_local_name *local, int locals) {
  for (int i = 0; i < locals; i++) {
    const char *name = local[i].name;
    double value;
    bool signal = hn_model_find_signal(b->model, name, strlen(name)) >= 0;
    if (!signal && !hn_model_constant(b->model, name, strlen(name), &value)) continue;
    if (!uses_word(text, name)) continue;
    const char *kind = signal ? "signal" : "parameter";
    hn_build_fail(b, HN_ERR_MODEL,
                  "%s: '%s' is a %s and also a quantity of this element (rename the %s)", what,
                  name, kind, kind);
    return true;
  }
  return false;
}

// everything that the states a formula reads depend on becomes a signal of it; true: it reads some.
// A formula of states sees what they see: with implicit rules its gradient is by these quantities
// too (evaluate.c, add_gains), and they must be among its inputs even if it never names them.
static bool add_seen(const hn_scope *scope) {
  hn_builder *b = scope->builder;
  const hn_system *sys = b->sys;
  bool follows = false;
  for (int k = scope->first_signal; k < sys->signals; k++) {
    if (sys->signal[k].kind != HN_SIGNAL_STATE) continue;
    const bool *sees = b->sees + (size_t)sys->signal[k].index * (size_t)sys->seen;
    follows = true;
    for (int i = 0; i < sys->seen; i++)
      if (sees[i]) (void)hn_scope_place(scope, sys->state_sees[i]);
  }
  return follows;
}

int hn_build_expression(hn_builder *b, const char *what, const char *text,
                        const hn_local_name *local, int locals) {
  if (b->status || refuse_double_meaning(b, what, text, local, locals)) return -1;
  hn_scope scope = {
      .builder = b, .local = local, .locals = locals, .first_signal = b->sys->signals};
  hn_node f = parse_expression(&scope, what, text);
  bool follows = f >= 0 && add_seen(&scope);
  int expression = f < 0 ? -1 : compile_expression(&scope, what, f, true);
  if (expression >= 0) b->sys->expression[expression].follows = follows;
  return expression;
}

bool hn_build_vanishes(hn_builder *b, const char *text) {
  double value;
  return hn_parse_number(text, strlen(text), hn_scope_time, b, &value, NULL) && value == 0;
}

// Where the formula does not use the name, the number of its input is one that does not occur, and
// the derivative by that is zero, as it should be.
int hn_build_slope(hn_builder *b, const char *what, const char *text, const hn_local_name *local,
                   int locals) {
  if (b->status) return -1;
  hn_scope scope = {
      .builder = b, .local = local, .locals = locals, .first_signal = b->sys->signals};
  hn_node f = parse_expression(&scope, what, text);
  if (f < 0) return -1;
  // the input of a name is that of its signal; what is added to it depends on t only
  const hn_signal *signal = b->sys->signal;
  int k = scope.first_signal;
  while (k < b->sys->signals &&
         (signal[k].measure != local[0].measure || signal[k].kind != local[0].kind))
    k++;
  int input = 1 + k - scope.first_signal;
  // it only serves tangents, where nothing is held
  return compile_expression(&scope, what, hn_graph_derivative(b->graph, f, input), false);
}

// ---- the signals themselves ----------------------------------------------------------------

static void declare(hn_builder *b, int index) {
  hn_system *sys = b->sys;
  const hn_model_signal *m = &b->model->signal[index];
  if (m->held) {
    double *slot =
        hn_builder_room(b, (void **)&sys->held_start, &b->held_capacity, sys->held, sizeof *slot);
    if (!slot) return;
    b->met[index].index = sys->inputs + sys->held++;
    *slot = m->def.input;
  } else if (m->def.input_given) {
    hn_sys_input *slot =
        hn_builder_room(b, (void **)&sys->input, &b->input_capacity, sys->inputs, sizeof *slot);
    if (!slot) return;
    b->met[index].index = sys->inputs++;
    slot->value = m->def.input;
    slot->name = hn_strdup(m->def.name);
    if (!slot->name) hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
  } else if (m->series) {
    hn_series **slot =
        hn_builder_room(b, (void **)&sys->table, &b->table_capacity, sys->tables, sizeof *slot);
    if (!slot) return;
    b->met[index].index = sys->tables++;
    *slot = hn_series_share(m->series);
  } else if (m->def.rate) {
    hn_sys_state *slot =
        hn_builder_room(b, (void **)&sys->state, &b->state_capacity, sys->states, sizeof *slot);
    if (!slot) return;
    b->met[index].index = sys->states++;
    slot->start = m->def.start, slot->steady = m->def.steady, slot->size = m->def.size;
    slot->name = hn_strdup(m->def.name);
    if (!slot->name) hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
  }
}

// what a state depends on, directly and through others.
// reads: the relation "rate of i reads j", closed by Warshall's algorithm (three loops); then a
// state sees whatever one of those it reads sees.
static void find_seen(hn_builder *b) {
  hn_system *sys = b->sys;
  int n = sys->states, capacity = 0;
  bool *reads = calloc((size_t)n * (size_t)n + 1, sizeof(bool));
  for (int i = 0; reads && i < n; i++) {
    const hn_expression *e = &sys->expression[sys->state[i].expression];
    for (int k = e->first_signal; k < e->first_signal + e->signals; k++) {
      const hn_signal *signal = &sys->signal[k];
      if (signal->kind == HN_SIGNAL_STATE) reads[i * n + signal->index] = true;
      if (!hn_is_measured(signal) || hn_scope_seen(sys, signal)) continue;
      hn_signal *slot =
          hn_builder_room(b, (void **)&sys->state_sees, &capacity, sys->seen, sizeof *slot);
      if (slot) *slot = *signal, slot->seen = ++sys->seen;
    }
  }
  for (int k = 0; reads && k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; reads[i * n + k] && j < n; j++) reads[i * n + j] |= reads[k * n + j];
  b->sees = calloc((size_t)n * (size_t)sys->seen + 1, sizeof(bool));
  if (!reads || !b->sees) hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
  for (int s = 0; s < n && !b->status; s++) {
    const hn_expression *e = &sys->expression[sys->state[s].expression];
    for (int k = e->first_signal; k < e->first_signal + e->signals; k++) {
      int number = sys->signal[k].seen = hn_scope_seen(sys, &sys->signal[k]);
      for (int i = 0; number && i < n; i++)
        if (i == s || reads[i * n + s]) b->sees[i * sys->seen + number - 1] = true;
    }
  }
  free(reads);
}

void hn_builder_states(hn_builder *b) {
  hn_system *sys = b->sys;
  for (int i = 0; i < b->model->signal_count && !b->status; i++) {
    const char *text = b->model->signal[i].def.rate;
    if (!text) continue;
    hn_scope scope = {.builder = b, .first_signal = sys->signals};
    hn_scope_speak_of(b, hn_scope_signal(b, i));
    hn_node f = parse_expression(&scope, "rate", text);
    if (f >= 0)
      sys->state[b->met[i].index].expression = compile_expression(&scope, "rate", f, true);
  }
  if (!b->status && sys->states) find_seen(b);
}

// Numbers are given out before any formula is parsed, since formulas may name signals in any order.
void hn_builder_declare_signals(hn_builder *b) {
  int count = b->model->signal_count;
  b->met = calloc((size_t)count + 1, sizeof *b->met);
  if (!b->met) hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
  // what controllers hold stands behind all inputs
  for (int held = 0; held < 2; held++)
    for (int i = 0; i < count && !b->status; i++)
      if (b->model->signal[i].held == (held == 1)) declare(b, i);
}

int hn_builder_held(const hn_builder *b, int signal) {
  return b->met[signal].index;
}

// the instant in which it becomes true must be one that can be found.
// Inputs are constant within a step: of them == may be asked.
static void check_condition(hn_builder *b, const hn_scope *scope, const char *what, hn_node f) {
  const hn_system *sys = b->sys;
  int inputs = 1 + sys->signals - scope->first_signal;
  bool *held = calloc((size_t)inputs, sizeof *held);
  if (!held) {
    hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
    return;
  }
  for (int i = 1; i < inputs; i++)
    held[i] = sys->signal[scope->first_signal + i - 1].kind == HN_SIGNAL_INPUT;
  hn_condition found = hn_graph_condition(b->graph, f, held, inputs);
  free(held);
  if (found == HN_NO_CONDITION)
    hn_build_fail(b, HN_ERR_MODEL, "%s: is a number, no condition (as 'x < 0' is)", what);
  if (found == HN_CONDITION_OF_AN_INSTANT)
    hn_build_fail(b, HN_ERR_MODEL,
                  "%s: what moves equals (==, !=) something for no time at all: ask for < or >",
                  what);
}

int hn_builder_expression(hn_builder *b, const char *what, const char *text, bool located) {
  if (b->status) return -1;
  hn_scope scope = {.builder = b, .first_signal = b->sys->signals};
  hn_node f = parse_expression(&scope, what, text);
  if (f >= 0 && located) check_condition(b, &scope, what, f);
  if (b->status) return -1;
  int expression = f < 0 ? -1 : compile_expression(&scope, what, f, located);
  if (expression >= 0) b->sys->expression[expression].recorded = !located;
  return expression;
}

// every signal is recorded, and looked at whether anything reads it or not
void hn_builder_signals(hn_builder *b) {
  hn_system *sys = b->sys;
  for (int i = 0; i < b->model->signal_count && !b->status; i++) {
    const hn_signal_def *def = &b->model->signal[i].def;
    hn_scope scope = {.builder = b, .first_signal = sys->signals};
    hn_scope_speak_of(b, hn_scope_signal(b, i));
    b->formula++;
    hn_node f = hn_scope_named(&scope, b->graph, def->name, strlen(def->name));
    int expression = f < 0 ? -1 : compile_expression(&scope, "formula", f, false);
    hn_sys_signal *slot = hn_builder_room(b, (void **)&sys->named_signal, &b->named_capacity,
                                          sys->named, sizeof *slot);
    if (!slot) return;
    sys->named++;
    slot->name = hn_strdup(def->name);
    slot->unit = hn_strdup(def->unit);
    slot->expression = expression;
    if (!slot->name || !slot->unit) hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
    if (expression >= 0) sys->expression[expression].recorded = true;
  }
}
