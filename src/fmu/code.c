// code.c: a model as code of its own (code/unit.h), with the variables that an FMU of it has.
//
// The variables of such a unit are those that an FMU by the library would have, as far as formulas
// can say them, so that one can take the place of the other: outputs in the same order, parameters
// that tuning.c found to be linear, inputs, states.
#include "fmu/fmu.h"

#include <stdlib.h>
#include <string.h>

// step that steps of code have: asked for, the model's, or none
static double step_of(const hn_fmu *fmu, double asked) {
  // 0: none; the caller refuses
  return asked > 0 ? asked : fmu->model->options.step;
}

// `names` holds outputs and then parameters; both lists together have fewer entries than there are
// variables. Steps have one length, which is part of the code.
hn_status hn_fmu_code(hn_fmu *fmu, const char *name, double step, bool deciding, hn_unit_text *out,
                      char message[HN_MESSAGE]) {
  const hn_tuning *t = &fmu->tuning;
  // outputs and parameters share it: there are fewer of them than variables
  const char **names = calloc((size_t)fmu->count + 1, sizeof *names);
  if (!names) return hn_fail(message, HN_ERR_MEMORY, "out of memory");
  // outputs stand in one piece behind the inputs
  int outputs = 0, first = 1 + fmu->parameters + hn_input_count(fmu->sys);
  for (int i = first; i < fmu->count && fmu->variable[i].role == HN_FMU_OUTPUT; i++)
    names[outputs++] = fmu->variable[i].name;
  const char **tuned = names + outputs;  // parameters are not outputs: there is room behind
  for (int i = 0; i < fmu->parameters; i++) tuned[i] = fmu->variable[1 + i].name;
  const hn_unit_tuning tuning = {.arguments = &t->arguments,
                                 .parameters = t->count,
                                 .name = tuned,
                                 .value = fmu->parameter,
                                 .numbers = t->numbers,
                                 .base = t->base,
                                 .slope = t->slope};
  // starts of the model's own states, which lie behind positions and velocities
  const hn_unit_plan plan = {.sys = fmu->sys,
                             .outputs = hn_fmu_outputs(fmu),
                             .tuning = t->count ? &tuning : NULL,
                             .output_name = names,
                             .state = fmu->y + fmu->sys->nq + fmu->sys->nv,
                             .input = fmu->sim->stage.work.input,
                             .step = step_of(fmu, step),
                             .deciding = deciding,
                             .name = name};
  hn_status status = HN_OK;
  if (!(plan.step > 0))
    status = hn_fail(message, HN_ERR_UNSUPPORTED,
                     "code has steps of one length: give --step, or 'step' in the model's "
                     "simulation section");
  if (!status) status = hn_unit_write(&plan, out, message, HN_MESSAGE);
  free((void *)names);
  return status;
}

// For controllers: the same code without FMI. Texts are the caller's to free, NULL after a failure.
hn_status hn_unit_code(const char *text, size_t length, const char *file, const char *name,
                       double step, char **header, char **source, char *message, size_t size) {
  char reason[HN_MESSAGE] = "";
  hn_unit_text out = {0};
  hn_fmu *fmu = NULL;
  if (!text || !name || !header || !source) return HN_ERR_ARGUMENT;
  hn_status status = hn_fmu_create(&fmu, text, length, file ? file : "model", true);
  if (status) snprintf(reason, sizeof reason, "%s", fmu ? fmu->message : "out of memory");
  if (!status) status = hn_fmu_code(fmu, name, step, true, &out, reason);
  *header = out.header, *source = out.source;
  hn_fmu_destroy(fmu);
  if (message && size) snprintf(message, size, "%s", reason);
  return status;
}
