// event.c: adding events: conditions whose becoming true is noted, or ends the run.
//
// An event is a machine of two modes (controller.c). Its signal is 1 while the condition holds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/check.h"
#include "model/fields.h"
#include "model/model.h"

// The guard of the way back is the negation of the condition, so that the machine follows it in
// both directions, and an event can happen again.
hn_status hn_add_event_sized(hn_model *model, const hn_event_def *def, size_t size) {
  static const char *const modes[] = {"no", "yes"};
  static const char *const transitions[] = {"no -> yes", "yes -> no"};
  if (!model) return HN_ERR_ARGUMENT;
  hn_event_def own;
  hn_status status = hn_take_definition(model, &own, sizeof own, def, size);
  if (status) return status;
  hn_model_subject(model, "event", own.name, NULL);
  status = hn_check_word(model, own.name);
  if (!status && (!own.when || !*own.when))
    status = hn_element_fail(model, NULL, "the condition is missing");
  if (!status) {
    size_t length = strlen(own.when) + 4;
    char *otherwise = malloc(length);
    if (otherwise) snprintf(otherwise, length, "!(%s)", own.when);
    const char *const guards[] = {own.when, otherwise};
    hn_controller_def machine = {.name = own.name,
                                 .modes = modes,
                                 .mode_count = 2,
                                 .transitions = transitions,
                                 .guards = guards,
                                 .transition_count = 2};
    status = hn_check_formula(model, "when", "when", own.when);
    if (!status)
      status = otherwise ? hn_add_machine(model, "event", &machine)
                         : hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
    free(otherwise);
  }
  if (status) {
    hn_model_spoil(model);
    return status;
  }
  model->controller[model->controller_count - 1].event = true;
  model->controller[model->controller_count - 1].stop = own.stop;
  return HN_OK;
}
