// build_expression.c: formulas of a system under construction: what their names mean, and the
// programs they become.
//
// A formula reads t, parameters, measures of bodies and joints, and signals of the model. A signal
// that is a formula itself is written out where it is read, so that all derivatives are exact and
// the places where it switches belong to the formula that reads it; tables and inputs are numbers
// given from outside, states are integrated with the motion.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/check.h"
#include "system/builder.h"

// names a driver or expression may use when only time is allowed
static hn_node resolve_time(void *user, hn_graph *graph, const char *name, size_t length) {
  const hn_builder *b = user;
  if (length == 1 && name[0] == 't') return hn_graph_input(graph, 0);
  for (int i = 0; i < b->model->parameter_count; i++) {
    const hn_parameter *p = &b->model->parameter[i];
    if (strlen(p->name) == length && memcmp(p->name, name, length) == 0)
      return hn_graph_constant(graph, p->value);
  }
  return -1;
}

// what the resolver of one expression knows
typedef struct expression_scope {
  hn_builder *builder;
  const hn_local_name *local;
  int locals;
  int first_signal;
  const hn_name_space *names;  // of somebody else; NULL: signals of the system
  bool motion;                 // nothing but time: tables come with two derivatives
  bool inner;                  // inside the formula of a signal: names of the element do not count
} expression_scope;

static hn_node resolve_measured(void *user, hn_graph *graph, const char *name, size_t length);

static bool same_signal(const hn_signal *x, const hn_signal *y) {
  return x->kind == y->kind && x->measure == y->measure && x->index == y->index;
}

// number of a measured quantity among those that states see, counted from one
static int seen_number(const hn_system *sys, const hn_signal *signal) {
  for (int i = 0; i < sys->seen; i++)
    if (same_signal(&sys->state_sees[i], signal)) return i + 1;
  return 0;
}

// the number of a signal in the formula, from 0; -1 when out of memory
static int place_of(const expression_scope *s, hn_signal signal) {
  hn_system *sys = s->builder->sys;
  for (int k = s->first_signal; k < sys->signals; k++) {
    if (same_signal(&sys->signal[k], &signal)) return k - s->first_signal;
  }
  hn_signal *slot = hn_builder_room(s->builder, (void **)&sys->signal, &s->builder->signal_capacity,
                                    sys->signals, sizeof *slot);
  if (!slot) return -1;
  *slot = signal;
  slot->seen = seen_number(sys, slot);
  return sys->signals++ - s->first_signal;
}

static hn_node use_signal(expression_scope *s, hn_graph *graph, hn_signal_kind kind, int measure) {
  if (measure < 0 || s->motion) return -1;
  if (s->names) return s->names->use(s->names->user, graph, kind, measure);
  int place = place_of(s, (hn_signal){.kind = kind, .measure = measure});
  return place < 0 ? -1 : hn_graph_input(graph, 1 + place);
}

// ---- signals of the model ------------------------------------------------------------------

// what a failure is about
typedef struct subject {
  hn_place place;
  const char *what, *element;
} subject;

static subject speak_of(hn_builder *b, subject new) {
  subject old = {b->place, b->what, b->element};
  b->place = new.place, b->what = new.what, b->element = new.element;
  return old;
}

static subject signal_subject(const hn_builder *b, int index) {
  const hn_model_signal *m = &b->model->signal[index];
  return (subject){m->place, m->def.rate ? "state" : "signal", m->def.name};
}

// an input, a table or a state
static hn_node use_outside(expression_scope *s, hn_graph *graph, int index) {
  hn_builder *b = s->builder;
  const hn_model_signal *m = &b->model->signal[index];
  bool input = m->def.input_given, state = m->def.rate != NULL;
  if (s->names) {
    hn_build_fail(b, HN_ERR_UNSUPPORTED,
                  "formulas of a block cannot read %s '%s' (let a force on "
                  "its coordinate read it)",
                  input   ? "input"
                  : state ? "state"
                          : "table",
                  m->def.name);
    return -1;
  }
  if (s->motion && (input || state)) {
    hn_build_fail(b, HN_ERR_UNSUPPORTED, "motion: '%s' is %s (let a spring or a motor follow it)",
                  m->def.name,
                  m->held ? "held by a controller, and would make the motion jump"
                  : input ? "an input, and would make the motion jump when it is set"
                          : "a state, and would have to be known before the motion");
    return -1;
  }
  if (s->motion && m->series->kind != HN_CUBIC && m->series->count > 1) {
    hn_build_fail(b, HN_ERR_UNSUPPORTED,
                  "motion: the velocity jumps in the points of '%s' (give it 'interpolation: "
                  "cubic')",
                  m->def.name);
    return -1;
  }
  int place = place_of(s, (hn_signal){.kind = input   ? HN_SIGNAL_INPUT
                                              : state ? HN_SIGNAL_STATE
                                                      : HN_SIGNAL_TABLE,
                                      .measure = -1,
                                      .index = b->met[index].index});
  if (place < 0) return -1;
  return hn_graph_input(graph, 1 + (s->motion ? 3 : 1) * place);
}

// a signal's formula leads back to itself
static hn_node refuse_circle(hn_builder *b, int index) {
  enum { SHOWN = sizeof b->link / sizeof *b->link };
  char names[400] = "";
  int from = 0;
  while (from < b->chain && from < SHOWN && b->link[from] != index) from++;
  for (int i = from; i < b->chain && i < SHOWN; i++) {
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "'%.40s' reads ",
             b->model->signal[b->link[i]].def.name);
  }
  const char *self = b->model->signal[index].def.name;
  subject old = speak_of(b, signal_subject(b, index));
  hn_build_fail(b, HN_ERR_MODEL, "depends on itself: %s%s'%s'", names,
                b->chain > SHOWN ? "... reads " : "", self);
  speak_of(b, old);
  return -1;
}

// a formula is written out where it is read
static hn_node write_out(expression_scope *s, hn_graph *graph, int index) {
  enum { BUSY = -2, SHOWN = sizeof s->builder->link / sizeof *s->builder->link, DEEPEST = 200 };
  hn_builder *b = s->builder;
  struct hn_met_signal *met = &b->met[index];
  const char *text = b->model->signal[index].def.formula;
  if (met->formula == b->formula && met->node == BUSY) return refuse_circle(b, index);
  if (met->formula == b->formula) return met->node;
  if (b->chain == DEEPEST) {
    hn_build_fail(b, HN_ERR_MODEL, "signals read each other more than %d deep", DEEPEST);
    return -1;
  }
  *met = (struct hn_met_signal){met->index, b->formula, BUSY};
  if (b->chain < SHOWN) b->link[b->chain] = index;
  b->chain++;
  expression_scope inner = *s;
  inner.locals = 0;
  inner.inner = true;
  hn_expr_error error;
  subject old = speak_of(b, signal_subject(b, index));
  met->node = hn_graph_parse(graph, text, strlen(text), resolve_measured, &inner, &error);
  if (met->node < 0)
    hn_build_fail(b, hn_formula_status(error.message), "formula, column %d: %s%s", error.column,
                  error.message, s->motion ? " (a motion depends on time only)" : "");
  speak_of(b, old);
  b->chain--;
  return met->node;
}

static hn_node resolve_signal(expression_scope *s, hn_graph *graph, const char *name,
                              size_t length) {
  int index = hn_model_find_signal(s->builder->model, name, length);
  if (index < 0) return -1;
  if (s->builder->model->signal[index].def.formula) return write_out(s, graph, index);
  return use_outside(s, graph, index);
}

// x y z vx vy vz angle omega of a point of a body
static hn_node resolve_point(expression_scope *s, hn_graph *graph, int body, const double inner[3],
                             const char *quantity) {
  hn_builder *b = s->builder;
  hn_signal_kind kind = HN_SIGNAL_VALUE;
  const char *q = quantity;
  if (strcmp(q, "angle") == 0 || strcmp(q, "omega") == 0) {
    if (b->sys->body[body].kind != HN_PLANAR) return -1;
    hn_mount ground = {.body = 0}, m = {.body = body};
    m3_identity(ground.R);
    m3_identity(m.R);
    kind = q[0] == 'o' ? HN_SIGNAL_RATE : HN_SIGNAL_VALUE;
    return use_signal(s, graph, kind, hn_build_angle(b, &ground, &m));
  }
  if (q[0] == 'v') kind = HN_SIGNAL_RATE, q++;
  if (q[0] < 'x' || q[0] > 'z' || q[1]) return -1;
  return use_signal(s, graph, kind, hn_builder_point_coordinate(b, body, inner, q[0] - 'x'));
}

// the distance of the two points of a force, -1: it has no two points
static int force_length(hn_builder *b, int index) {
  const hn_force_def *d = &b->model->force[index].def;
  const hn_type_info *type = hn_family_type(b->model->forces, d->type);
  if (d->joint || !type || !hn_word_in("at_b", type->keys)) return -1;
  if (!b->force_length) b->force_length = calloc((size_t)b->model->force_count + 1, sizeof(int));
  if (!b->force_length) return -1;
  if (b->force_length[index]) return b->force_length[index] - 1;
  const double none[3] = {0, 0, 0};
  hn_builder old = *b;
  hn_builder_locate(b, &(hn_location){.a = d->a,
                                      .b = d->b,
                                      .at = d->at,
                                      .at_b = d->at_b,
                                      .axis = d->axis,
                                      .axis_b = none,
                                      .two_points = true});
  hn_mount ends[2] = {b->a, b->b};
  // the element being built stays where it is
  b->a = old.a, b->b = old.b;
  b->shift_angle = old.shift_angle, b->shift_length = old.shift_length;
  b->oriented_a = old.oriented_a, b->oriented_b = old.oriented_b;
  memcpy(b->frame_a, old.frame_a, sizeof b->frame_a);
  int measure = hn_build_distance(b, &ends[0], &ends[1]);
  b->force_length[index] = measure + 1;
  return measure;
}

// <force>.length, <force>.rate
static hn_node resolve_force(expression_scope *s, hn_graph *graph, const char *name,
                             const char *quantity) {
  int index = hn_model_find_force(s->builder->model, name);
  bool rate = strcmp(quantity, "rate") == 0;
  if (index < 0 || (!rate && strcmp(quantity, "length") != 0)) return -1;
  return use_signal(s, graph, rate ? HN_SIGNAL_RATE : HN_SIGNAL_VALUE,
                    force_length(s->builder, index));
}

static hn_node resolve_measured(void *user, hn_graph *graph, const char *name, size_t length) {
  expression_scope *s = user;
  hn_builder *b = s->builder;
  char text[128];
  for (int i = 0; i < s->locals; i++)
    if (strlen(s->local[i].name) == length && memcmp(s->local[i].name, name, length) == 0) {
      const char *plus = s->local[i].plus;
      hn_node x = use_signal(s, graph, s->local[i].kind, s->local[i].measure);
      if (!plus) return x;
      return hn_graph_add(graph, x,
                          hn_graph_parse(graph, plus, strlen(plus), resolve_time, b, NULL));
    }
  hn_node n = s->names && !s->inner ? s->names->own(s->names->user, graph, name, length) : -1;
  if (n < 0) n = resolve_time(b, graph, name, length);
  if (n < 0) n = resolve_signal(s, graph, name, length);
  if (n >= 0 || b->status || length >= sizeof text) return n;
  memcpy(text, name, length);
  text[length] = 0;
  hn_signal_kind kind;
  int coordinate = hn_builder_block_measure(b, text, &kind);
  if (coordinate >= 0) return use_signal(s, graph, kind, coordinate);
  char *quantity = strrchr(text, '.');
  if (!quantity) return -1;
  *quantity++ = 0;
  // <joint>.<coordinate>, <joint>.<coordinate>_rate; the first also as <joint>.value, <joint>.rate
  for (int i = 0; i < b->sys->joints; i++) {
    const hn_sys_joint *j = &b->sys->joint[i];
    if (strcmp(j->name, text) != 0) continue;
    for (int k = 0; k < j->coordinates; k++) {
      const char *c = j->coordinate[k].name;
      size_t cn = strlen(c);
      if (strcmp(quantity, c) == 0 || (k == 0 && strcmp(quantity, "value") == 0))
        return use_signal(s, graph, HN_SIGNAL_VALUE, j->coordinate[k].measure);
      if ((strncmp(quantity, c, cn) == 0 && strcmp(quantity + cn, "_rate") == 0) ||
          (k == 0 && strcmp(quantity, "rate") == 0))
        return use_signal(s, graph, HN_SIGNAL_RATE, j->coordinate[k].measure);
    }
    return -1;
  }
  hn_node of_force = resolve_force(s, graph, text, quantity);
  if (of_force >= 0) return of_force;
  // <body>.x, <body>.<frame>.x
  int body = hn_model_find_body(b->model, text);
  char *frame = body < 0 ? strrchr(text, '.') : NULL;
  if (frame) {
    *frame++ = 0;
    body = hn_model_find_body(b->model, text);
  }
  if (body <= 0) return -1;
  const hn_sys_body *B = &b->sys->body[body];
  double user_point[3] = {0, 0, 0}, d[3], inner[3];
  if (frame) {
    int f = hn_model_find_frame(b->model, body, frame);
    if (f < 0) return -1;
    v3_copy(user_point, b->model->frame[f].def.position);
  }
  v3_sub(d, user_point, B->info->com);
  m3_tmulv(inner, B->info->axes, d);
  return resolve_point(s, graph, body, inner, quantity);
}

// the node of a formula that begins here
static hn_node parse_part(expression_scope *scope, const char *what, const char *text,
                          size_t length, int from) {
  hn_builder *b = scope->builder;
  b->formula++;
  hn_expr_error error;
  hn_node f = hn_graph_parse(b->graph, text, length, resolve_measured, scope, &error);
  if (f < 0)
    hn_build_fail(b, hn_formula_status(error.message), "%s, column %d: %s", what,
                  from + error.column, error.message);
  return f;
}

static hn_node parse_expression(expression_scope *scope, const char *what, const char *text) {
  return parse_part(scope, what, text, strlen(text), 0);
}

hn_node hn_builder_parse(hn_builder *b, const char *what, const char *text, size_t length, int from,
                         const hn_name_space *names) {
  expression_scope scope = {.builder = b, .names = names};
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

// the same formula held on one of its pieces, when it has several
static bool compile_held(hn_builder *b, hn_expression *e, hn_node f) {
  int count = hn_graph_decisions(b->graph, f);
  if (count <= 0) return count == 0;
  hn_node *function = malloc((size_t)count * sizeof *function);
  if (!function) return false;
  hn_node held = hn_graph_hold(b->graph, f, 1 + e->signals, function, count);
  e->switches = count;
  e->first_switch = hn_build_switches(b, count);
  e->held = compile_gradient(b, held, e->signals);
  e->functions = hn_builder_program(b, function, count);
  free(function);
  return e->held && e->functions;
}

// compile f over all inputs the scope has met; with `hold` also its pieces
static int compile_expression(const expression_scope *scope, const char *what, hn_node f,
                              bool hold) {
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

// derivative in time of a formula of t and tables, whose inputs are value, rate, second derivative
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

int hn_builder_motion(hn_builder *b, const char *text) {
  hn_system *sys = b->sys;
  hn_expr_error error;
  hn_node f[3];
  expression_scope scope = {.builder = b, .first_signal = sys->signals, .motion = true};
  if (b->status) return -1;
  b->formula++;
  f[0] = hn_graph_parse(b->graph, text, strlen(text), resolve_measured, &scope, &error);
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

// everything that the states a formula reads depend on becomes a signal of it; true: it reads some
static bool add_seen(const expression_scope *scope) {
  hn_builder *b = scope->builder;
  const hn_system *sys = b->sys;
  bool follows = false;
  for (int k = scope->first_signal; k < sys->signals; k++) {
    if (sys->signal[k].kind != HN_SIGNAL_STATE) continue;
    const bool *sees = b->sees + (size_t)sys->signal[k].index * (size_t)sys->seen;
    follows = true;
    for (int i = 0; i < sys->seen; i++)
      if (sees[i]) (void)place_of(scope, sys->state_sees[i]);
  }
  return follows;
}

int hn_build_expression(hn_builder *b, const char *what, const char *text,
                        const hn_local_name *local, int locals) {
  if (b->status || refuse_double_meaning(b, what, text, local, locals)) return -1;
  expression_scope scope = {
      .builder = b, .local = local, .locals = locals, .first_signal = b->sys->signals};
  hn_node f = parse_expression(&scope, what, text);
  bool follows = f >= 0 && add_seen(&scope);
  int expression = f < 0 ? -1 : compile_expression(&scope, what, f, true);
  if (expression >= 0) b->sys->expression[expression].follows = follows;
  return expression;
}

bool hn_build_vanishes(hn_builder *b, const char *text) {
  double value;
  return hn_parse_number(text, strlen(text), resolve_time, b, &value, NULL) && value == 0;
}

int hn_build_slope(hn_builder *b, const char *what, const char *text, const hn_local_name *local,
                   int locals) {
  if (b->status) return -1;
  expression_scope scope = {
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

// what a state depends on, directly and through others
static void find_seen(hn_builder *b) {
  hn_system *sys = b->sys;
  int n = sys->states, capacity = 0;
  bool *reads = calloc((size_t)n * (size_t)n + 1, sizeof(bool));
  for (int i = 0; reads && i < n; i++) {
    const hn_expression *e = &sys->expression[sys->state[i].expression];
    for (int k = e->first_signal; k < e->first_signal + e->signals; k++) {
      const hn_signal *signal = &sys->signal[k];
      if (signal->kind == HN_SIGNAL_STATE) reads[i * n + signal->index] = true;
      if (!hn_is_measured(signal) || seen_number(sys, signal)) continue;
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
      int number = sys->signal[k].seen = seen_number(sys, &sys->signal[k]);
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
    expression_scope scope = {.builder = b, .first_signal = sys->signals};
    speak_of(b, signal_subject(b, i));
    hn_node f = parse_expression(&scope, "rate", text);
    if (f >= 0)
      sys->state[b->met[i].index].expression = compile_expression(&scope, "rate", f, true);
  }
  if (!b->status && sys->states) find_seen(b);
}

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

// the instant in which it becomes true must be one that can be found
static void check_condition(hn_builder *b, const expression_scope *scope, const char *what,
                            hn_node f) {
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
  expression_scope scope = {.builder = b, .first_signal = b->sys->signals};
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
    expression_scope scope = {.builder = b, .first_signal = sys->signals};
    speak_of(b, signal_subject(b, i));
    b->formula++;
    hn_node f = resolve_signal(&scope, b->graph, def->name, strlen(def->name));
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
