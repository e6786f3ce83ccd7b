// controller.c: adding controllers: values that are held between instants, and change only there.
//
// A controller writes a signal of its own name. It is sampled, with a period, or a machine of modes
// whose guards are watched all the time. Its memory is further signals, <name>_<word>, that change
// with it. What the formulas mean is found out when the model is compiled
// (system/build_controller.c).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/check.h"
#include "model/fields.h"
#include "model/model.h"

// NULL is an empty list
static void free_words(char **words, int count) {
  for (int i = 0; words && i < count; i++) free(words[i]);
  free(words);
}

// One place more, so that none is no failure; NULL is out of memory.
static char **copy_words(const char *const *words, int count) {
  char **copy = calloc((size_t)count + 1, sizeof *copy);
  bool ok = copy != NULL;
  // missing memory leaves NULLs behind, which free() takes
  for (int i = 0; ok && i < count; i++) ok = (copy[i] = hn_strdup(words[i])) != NULL;
  if (ok) return copy;
  free_words(copy, count);
  return NULL;
}

void hn_controller_free(hn_model_controller *c) {
  free(c->name), free(c->formula), free(c->library), free(c->function);
  free_words(c->input, c->inputs), free_words(c->memory, c->memories);
  free_words(c->guard, c->transitions);
  free(c->from), free(c->to);
}

// a signal whose value is held
// An input like any other, but for the mark that it is not for others to set.
static hn_status add_held(hn_model *model, const char *name, const char *word, const char *unit,
                          double start) {
  char text[200];
  // 63 characters of a name, two of them and a line
  snprintf(text, sizeof text, "%.120s%s%.60s", name, word ? "_" : "", word ? word : "");
  hn_status status = hn_add_signal(
      model, &(hn_signal_def){.name = text, .unit = unit, .input = start, .input_given = true});
  // behind the others, where hn_add_signal put it
  if (!status) model->signal[model->signal_count - 1].held = true;
  return status;
}

static int find_mode(const hn_controller_def *d, const char *name, size_t length) {
  for (int i = 0; i < d->mode_count; i++)
    if (strlen(d->modes[i]) == length && memcmp(d->modes[i], name, length) == 0) return i;
  return -1;
}

// "idle -> lift": numbers of the modes; false when it is not one of the machine's
// Blanks around the names do not count.
static bool read_transition(const hn_controller_def *d, const char *text, int *from, int *to) {
  const char *arrow = strstr(text, "->");
  if (!arrow) return false;
  size_t n = (size_t)(arrow - text);
  while (n && text[n - 1] == ' ') n--;
  // one arrow: what follows the first is the second name, which has none
  const char *second = arrow + 2 + strspn(arrow + 2, " ");
  size_t m = strlen(second);
  while (m && second[m - 1] == ' ') m--;
  *from = find_mode(d, text, n);
  *to = find_mode(d, second, m);
  // from a mode to itself nothing would change
  return *from >= 0 && *to >= 0 && *from != *to;
}

// Counts and lists come from programs as well as from the reader: one without the other is refused,
// and so is a list with holes.
static hn_status check_lists(hn_model *model, const hn_controller_def *d) {
  const struct {
    const char *key;
    const char *const *list;
    int count;
  } all[] = {{"modes", d->modes, d->mode_count},
             {"transitions", d->transitions, d->transition_count},
             {"transitions", d->guards, d->transition_count},
             {"inputs", d->inputs, d->input_count},
             {"memory", d->memory, d->memory_count},
             {"memory", d->memory_next, d->memory_count}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (all[i].count < 0 || (all[i].count > 0 && !all[i].list))
      return hn_element_fail(model, all[i].key, "%s: there is a count, and no list", all[i].key);
    for (int k = 0; k < all[i].count; k++)
      if (!all[i].list[k])
        return hn_element_fail(model, all[i].key, "%s: number %d is missing", all[i].key, k + 1);
  }
  return HN_OK;
}

// Modes are numbers from zero in formulas: the signal of the machine.
static hn_status check_machine(hn_model *model, const hn_controller_def *d) {
  int from, to;
  // keys of the other kind would be dropped in silence
  if (d->period != 0 || d->formula || d->input_count || d->memory_count || d->library)
    return hn_element_fail(model, "modes",
                           "a machine of modes has transitions, and no period, formula, inputs or "
                           "memory");
  if (d->mode_count < 2) return hn_element_fail(model, "modes", "needs at least two modes");
  // without `begin` it is the first
  if (d->begin && find_mode(d, d->begin, strlen(d->begin)) < 0)
    return hn_element_fail(model, "begin", "there is no mode '%.60s'", d->begin);
  for (int i = 0; i < d->transition_count; i++)
    if (!read_transition(d, d->transitions[i], &from, &to))
      return hn_element_fail(model, "transitions",
                             "'%.60s' is no way between two of the modes (as in 'idle -> lift')",
                             d->transitions[i]);
  return HN_OK;
}

// A delay is kept as so many samples on their way, hence its limit.
// exactly one of a formula and inputs: the function is that of a library or of the caller
static hn_status check_sampled(hn_model *model, const hn_controller_def *d) {
  if (d->transition_count || d->begin)
    return hn_element_fail(model, "transitions",
                           "transitions are between modes, and there are none");
  if (!(d->period > 0)) return hn_element_fail(model, "period", "needs a period");
  if ((d->formula != NULL) == (d->input_count > 0))
    return hn_element_fail(
        model, "formula", "needs a formula, or the inputs of a function that is set by the caller");
  if (d->library && !d->input_count)
    return hn_element_fail(model, "library", "a function in a library needs 'inputs'");
  if (d->function && !d->library)
    return hn_element_fail(model, "function", "there is no library the function could be in");
  if (d->delay > 1000 * d->period)
    return hn_element_fail(model, "delay", "delay is longer than a thousand periods");
  return HN_OK;
}

// First its own, then those of its memory: `signal` is the index of the first.
static hn_status add_signals(hn_model *model, const hn_controller_def *d) {
  double begin = d->start;
  // the value of the signal of a machine is the number of its mode
  if (d->begin) begin = find_mode(d, d->begin, strlen(d->begin));
  hn_status status = add_held(model, d->name, NULL, d->unit, begin);
  for (int i = 0; i < d->memory_count && !status; i++)
    status = add_held(model, d->name, d->memory[i], NULL, d->memory_start ? d->memory_start[i] : 0);
  return status;
}

static hn_status copy(hn_model *model, const hn_controller_def *d, int signal) {
  hn_model_controller c = {.place = model->now,
                           .signal = signal,
                           .period = d->period,
                           .offset = d->offset,
                           .delay = d->delay,
                           .quantum = d->quantum,
                           .noise = d->noise,
                           .seed = d->seed,
                           .inputs = d->input_count,
                           .memories = d->memory_count,
                           .transitions = d->transition_count,
                           .modes = d->mode_count};
  c.name = hn_strdup(d->name);
  c.formula = hn_strdup(d->formula);
  // from the folder of the model, so that the model can be used from anywhere
  c.library = d->library ? hn_model_path(model, d->library) : NULL;
  // whose name is "control" unless it is given
  c.function = d->library ? hn_strdup(d->function ? d->function : "control") : NULL;
  c.input = copy_words(d->inputs, d->input_count);
  c.memory = copy_words(d->memory_next, d->memory_count);
  c.guard = copy_words(d->guards, d->transition_count);
  c.from = calloc((size_t)d->transition_count + 1, sizeof(int));
  c.to = calloc((size_t)d->transition_count + 1, sizeof(int));
  // what was not asked for is NULL as well as what failed, so each is asked for
  bool ok = c.name && (!d->formula || c.formula) && (!d->library || (c.library && c.function)) &&
            c.input && c.memory && c.guard && c.from && c.to &&
            hn_grow((void **)&model->controller, &model->controller_capacity,
                    model->controller_count, sizeof *model->controller);
  // was read before, in check_machine()
  for (int i = 0; ok && i < d->transition_count; i++)
    (void)read_transition(d, d->transitions[i], &c.from[i], &c.to[i]);
  if (!ok) {
    hn_controller_free(&c);
    return hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
  }
  model->controller[model->controller_count++] = c;
  return HN_OK;
}

// Its signals stay in the model where copying fails afterwards, which is out of memory: the model
// is spoiled then.
hn_status hn_add_machine(hn_model *model, const char *kind, const hn_controller_def *d) {
  // its own signal is the next one
  int signal = model->signal_count;
  hn_model_subject(model, kind, d->name, NULL);
  hn_status status = hn_check_fields(model, NULL, hn_controller_fields, NULL, d);
  // modes make a machine, else it is sampled
  if (!status) status = check_lists(model, d);
  if (!status) status = d->mode_count ? check_machine(model, d) : check_sampled(model, d);
  if (!status) status = add_signals(model, d);
  return status ? status : copy(model, d, signal);
}

hn_status hn_add_controller_sized(hn_model *model, const hn_controller_def *def, size_t size) {
  if (!model) return HN_ERR_ARGUMENT;
  hn_controller_def own;
  hn_status status = hn_take_definition(model, &own, sizeof own, def, size);
  if (!status) status = hn_add_machine(model, "controller", &own);
  if (status) hn_model_spoil(model);
  return status;
}
