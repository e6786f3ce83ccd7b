// scope.c: what the names in formulas mean.
//
// A formula reads t, parameters, measures of bodies and joints, and signals of the model. A signal
// that is a formula itself is written out where it is read, so that all derivatives are exact and
// the places where it switches belong to the formula that reads it; tables and inputs are numbers
// given from outside, states are integrated with the motion.
#include "system/scope.h"

#include "model/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hn_node hn_scope_time(void *user, hn_graph *graph, const char *name, size_t length) {
  const hn_builder *b = user;
  if (length == 1 && name[0] == 't') return hn_graph_input(graph, 0);
  for (int i = 0; i < b->model->parameter_count; i++) {
    const hn_parameter *p = &b->model->parameter[i];
    if (strlen(p->name) == length && memcmp(p->name, name, length) == 0)
      // constants, which fold
      return hn_graph_constant(graph, p->value);
  }
  return -1;
}

static bool same_signal(const hn_signal *x, const hn_signal *y) {
  return x->kind == y->kind && x->measure == y->measure && x->index == y->index;
}

int hn_scope_seen(const hn_system *sys, const hn_signal *signal) {
  for (int i = 0; i < sys->seen; i++)
    if (same_signal(&sys->state_sees[i], signal)) return i + 1;
  return 0;
}

// Signals of a formula lie one after the other in sys->signal from first_signal on: no other
// formula may place any before this one is compiled.
int hn_scope_place(const hn_scope *s, hn_signal signal) {
  hn_system *sys = s->builder->sys;
  // every quantity is an input once
  for (int k = s->first_signal; k < sys->signals; k++) {
    if (same_signal(&sys->signal[k], &signal)) return k - s->first_signal;
  }
  hn_signal *slot = hn_builder_room(s->builder, (void **)&sys->signal, &s->builder->signal_capacity,
                                    sys->signals, sizeof *slot);
  if (!slot) return -1;
  *slot = signal;
  slot->seen = hn_scope_seen(sys, slot);
  return sys->signals++ - s->first_signal;
}

static hn_node use_signal(hn_scope *s, hn_graph *graph, hn_signal_kind kind, int measure) {
  if (measure < 0 || s->motion) return -1;
  if (s->names) return s->names->use(s->names->user, graph, kind, measure);
  int place = hn_scope_place(s, (hn_signal){.kind = kind, .measure = measure});
  return place < 0 ? -1 : hn_graph_input(graph, 1 + place);
}

// ---- signals of the model ------------------------------------------------------------------

hn_subject hn_scope_speak_of(hn_builder *b, hn_subject new) {
  hn_subject old = {b->place, b->what, b->element};
  b->place = new.place, b->what = new.what, b->element = new.element;
  return old;
}

hn_subject hn_scope_signal(const hn_builder *b, int index) {
  const hn_model_signal *m = &b->model->signal[index];
  return (hn_subject){m->place, m->def.rate ? "state" : "signal", m->def.name};
}

// an input, a table or a state
static hn_node use_outside(hn_scope *s, hn_graph *graph, int index) {
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
  int place = hn_scope_place(s, (hn_signal){.kind = input   ? HN_SIGNAL_INPUT
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
  hn_subject old = hn_scope_speak_of(b, hn_scope_signal(b, index));
  hn_build_fail(b, HN_ERR_MODEL, "depends on itself: %s%s'%s'", names,
                b->chain > SHOWN ? "... reads " : "", self);
  hn_scope_speak_of(b, old);
  return -1;
}

// a formula is written out where it is read.
// While a signal is being written out its node is BUSY: meeting it then is a circle. link remembers
// the first few of the chain, for the sentence.
static hn_node write_out(hn_scope *s, hn_graph *graph, int index) {
  enum { BUSY = -2, SHOWN = sizeof s->builder->link / sizeof *s->builder->link, DEEPEST = 200 };
  hn_builder *b = s->builder;
  struct hn_met_signal *met = &b->met[index];
  const char *text = b->model->signal[index].def.formula;
  if (met->formula == b->formula && met->node == BUSY) return refuse_circle(b, index);
  // read before in the same formula
  if (met->formula == b->formula) return met->node;
  if (b->chain == DEEPEST) {
    hn_build_fail(b, HN_ERR_MODEL, "signals read each other more than %d deep", DEEPEST);
    return -1;
  }
  *met = (struct hn_met_signal){met->index, b->formula, BUSY};
  if (b->chain < SHOWN) b->link[b->chain] = index;
  b->chain++;
  // inside, names mean what they mean everywhere
  hn_scope inner = *s;
  inner.locals = 0;
  inner.inner = true;
  hn_expr_error error;
  hn_subject old = hn_scope_speak_of(b, hn_scope_signal(b, index));
  met->node = hn_graph_parse(graph, text, strlen(text), hn_scope_resolve, &inner, &error);
  if (met->node < 0)
    hn_build_fail(b, hn_formula_status(error.message), "formula, column %d: %s%s", error.column,
                  error.message, s->motion ? " (a motion depends on time only)" : "");
  hn_scope_speak_of(b, old);
  b->chain--;
  return met->node;
}

hn_node hn_scope_named(hn_scope *s, hn_graph *graph, const char *name, size_t length) {
  int index = hn_model_find_signal(s->builder->model, name, length);
  if (index < 0) return -1;
  if (s->builder->model->signal[index].def.formula) return write_out(s, graph, index);
  return use_outside(s, graph, index);
}

// x y z vx vy vz angle omega of a point of a body
static hn_node resolve_point(hn_scope *s, hn_graph *graph, int body, const double inner[3],
                             const char *quantity) {
  hn_builder *b = s->builder;
  hn_signal_kind kind = HN_SIGNAL_VALUE;
  const char *q = quantity;
  if (strcmp(q, "angle") == 0 || strcmp(q, "omega") == 0) {
    // one angle says how a body is turned in the plane only
    if (b->sys->body[body].kind != HN_PLANAR) return -1;
    hn_mount ground = {.body = 0}, m = {.body = body};
    m3_identity(ground.R);
    m3_identity(m.R);
    kind = q[0] == 'o' ? HN_SIGNAL_RATE : HN_SIGNAL_VALUE;
    return use_signal(s, graph, kind, hn_build_angle(b, &ground, &m));
  }
  // vx, vy, vz are rates of x, y, z
  if (q[0] == 'v') kind = HN_SIGNAL_RATE, q++;
  if (q[0] < 'x' || q[0] > 'z' || q[1]) return -1;
  return use_signal(s, graph, kind, hn_builder_point_coordinate(b, body, inner, q[0] - 'x'));
}

// the distance of the two points of a force, -1: it has no two points.
// The force itself may not be built yet, and has no measure anyone may rely on: one is made from
// its definition, once for all formulas. Locating it uses the builder's place for the element being
// built, which is put back.
static int force_length(hn_builder *b, int index) {
  const hn_force_def *d = &b->model->force[index].def;
  const hn_type_info *type = hn_family_type(b->model->forces, d->type);
  if (d->joint || !type || !hn_word_in("at_b", type->keys)) return -1;
  // numbers of measures, counted from one; 0: not made yet
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
static hn_node resolve_force(hn_scope *s, hn_graph *graph, const char *name, const char *quantity) {
  int index = hn_model_find_force(s->builder->model, name);
  bool rate = strcmp(quantity, "rate") == 0;
  if (index < 0 || (!rate && strcmp(quantity, "length") != 0)) return -1;
  return use_signal(s, graph, rate ? HN_SIGNAL_RATE : HN_SIGNAL_VALUE,
                    force_length(s->builder, index));
}

// the quantities of the element whose formula it is
static hn_node resolve_local(hn_scope *s, hn_graph *graph, const char *name, size_t length,
                             bool *found) {
  for (int i = 0; i < s->locals; i++) {
    const hn_local_name *local = &s->local[i];
    if (strlen(local->name) != length || memcmp(local->name, name, length) != 0) continue;
    *found = true;
    hn_node x = use_signal(s, graph, local->kind, local->measure);
    // a function of t that belongs to the name
    if (!local->plus) return x;
    return hn_graph_add(
        graph, x,
        hn_graph_parse(graph, local->plus, strlen(local->plus), hn_scope_time, s->builder, NULL));
  }
  return -1;
}

// <joint>.<coordinate>, <joint>.<coordinate>_rate; the first also as <joint>.value, <joint>.rate
static hn_node resolve_joint(hn_scope *s, hn_graph *graph, const hn_sys_joint *j,
                             const char *quantity) {
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

// <body>.x, <body>.<frame>.x; the name in front of the quantity is taken apart
static hn_node resolve_body(hn_scope *s, hn_graph *graph, char *name, const char *quantity) {
  const hn_builder *b = s->builder;
  int body = hn_model_find_body(b->model, name);
  // what is before the last dot may be a body and its frame
  char *frame = body < 0 ? strrchr(name, '.') : NULL;
  if (frame) {
    *frame++ = 0;
    body = hn_model_find_body(b->model, name);
  }
  // the ground does not move, and is no quantity
  if (body <= 0) return -1;
  const hn_sys_body *B = &b->sys->body[body];
  double user_point[3] = {0, 0, 0}, d[3], inner[3];
  if (frame) {
    int f = hn_model_find_frame(b->model, body, frame);
    if (f < 0) return -1;
    v3_copy(user_point, b->model->frame[f].def.position);
  }
  // from the user's frame to the inner one
  v3_sub(d, user_point, B->info->com);
  m3_tmulv(inner, B->info->axes, d);
  return resolve_point(s, graph, body, inner, quantity);
}

// The nearest meaning wins: the element's own quantities, t and parameters, signals, then
// coordinates of blocks and joints, lengths of forces, bodies. The last dot divides the name of the
// element, which may have dots, from the quantity.
hn_node hn_scope_resolve(void *user, hn_graph *graph, const char *name, size_t length) {
  hn_scope *s = user;
  hn_builder *b = s->builder;
  char text[128];
  bool local = false;
  hn_node n = resolve_local(s, graph, name, length, &local);
  if (local) return n;
  if (s->names && !s->inner) n = s->names->own(s->names->user, graph, name, length);
  if (n < 0) n = hn_scope_time(b, graph, name, length);
  if (n < 0) n = hn_scope_named(s, graph, name, length);
  if (n >= 0 || b->status || length >= sizeof text) return n;
  memcpy(text, name, length);
  text[length] = 0;
  hn_signal_kind kind;
  int coordinate = hn_builder_block_measure(b, text, &kind);
  if (coordinate >= 0) return use_signal(s, graph, kind, coordinate);
  char *quantity = strrchr(text, '.');
  if (!quantity) return -1;
  *quantity++ = 0;
  for (int i = 0; i < b->sys->joints; i++)
    if (strcmp(b->sys->joint[i].name, text) == 0)
      return resolve_joint(s, graph, &b->sys->joint[i], quantity);
  hn_node of_force = resolve_force(s, graph, text, quantity);
  return of_force >= 0 ? of_force : resolve_body(s, graph, text, quantity);
}
