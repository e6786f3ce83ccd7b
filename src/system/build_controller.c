// build_controller.c: controllers of a system under construction.
#include <stdlib.h>

#include "system/builder.h"

// formulas that are looked at in single instants: nothing is located in them.
// A controller is a list of expressions that lie one after the other: inputs, memory, output,
// guards. It looks at the system at its instants only, and holds its values among the inputs in
// between (sys->held), so that to the equations of motion they are constants.
static int sampled(hn_builder *b, const char *what, const char *text) {
  return hn_builder_expression(b, what, text, false);
}

// consecutive expressions; the first, or -1 after a failure
static int sampled_list(hn_builder *b, const char *what, char *const *text, int count) {
  int first = b->sys->expressions;
  for (int i = 0; i < count && !b->status; i++) (void)sampled(b, what, text[i]);
  return b->status ? -1 : first;
}

// Guards of a machine of modes are conditions whose instants steps must find; all other formulas
// are only run.
static void build(hn_builder *b, const hn_model_controller *m) {
  hn_system *sys = b->sys;
  hn_controller *c = hn_builder_room(b, (void **)&sys->controller, &b->controller_capacity,
                                     sys->controllers, sizeof *c);
  if (!c) return;
  sys->controllers++;
  b->place = m->place, b->what = m->event ? "event" : "controller", b->element = m->name;
  *c = (hn_controller){.period = m->period,
                       .offset = m->offset,
                       .delay = m->delay,
                       .quantum = m->quantum,
                       .noise = m->noise,
                       .seed = m->seed,
                       .output = hn_builder_held(b, m->signal),
                       .inputs = m->inputs,
                       .memories = m->memories,
                       .transitions = m->transitions,
                       .expression = -1,
                       .event = m->event,
                       .stop = m->stop};
  c->name = hn_strdup(m->name);
  c->from = calloc((size_t)m->transitions + 1, sizeof(int));
  c->to = calloc((size_t)m->transitions + 1, sizeof(int));
  c->library = hn_strdup(m->library);
  c->function = hn_strdup(m->function);
  if (!c->name || !c->from || !c->to || (m->library && !(c->library && c->function))) {
    hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
    return;
  }
  for (int i = 0; i < m->transitions; i++) c->from[i] = m->from[i], c->to[i] = m->to[i];
  int input = sampled_list(b, "inputs", m->input, m->inputs);
  int memory = sampled_list(b, "memory", m->memory, m->memories);
  int formula = m->formula ? sampled(b, "formula", m->formula) : -1;
  int guard = sys->expressions;
  for (int i = 0; i < m->transitions && !b->status; i++)
    (void)hn_builder_expression(b, m->event ? "when" : "transitions", m->guard[i], true);
  c->input = input, c->memory = memory, c->expression = formula, c->guard = guard;
}

void hn_builder_controllers(hn_builder *b) {
  hn_system *sys = b->sys;
  for (int i = 0; i < b->model->controller_count && !b->status; i++)
    build(b, &b->model->controller[i]);
  sys->event = calloc((size_t)sys->controllers + 1, sizeof *sys->event);
  if (!sys->event) hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
  for (int i = 0; sys->event && i < sys->controllers; i++)
    if (sys->controller[i].event) sys->event[sys->events++] = i;
}

void hn_controllers_destroy(hn_system *sys) {
  for (int i = 0; i < sys->controllers; i++)
    free(sys->controller[i].name), free(sys->controller[i].from), free(sys->controller[i].to),
        free(sys->controller[i].library), free(sys->controller[i].function);
  free(sys->controller), free(sys->event);
}
