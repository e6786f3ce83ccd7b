// start.c: adding conditions of the start, on quantities of several elements.
//
// The quantity is a formula of measured quantities; assembly (compile) brings the mechanism where
// it has the value and the rate. A written zero is told from none by the flags.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/add.h"
#include "model/check.h"
#include "model/fields.h"
#include "model/model.h"

static hn_status check_start(hn_model *model, const hn_start_def *def) {
  if (!def->quantity || !*def->quantity)
    return hn_element_fail(model, NULL, "the quantity is missing");
  if (!def->value_given && !def->rate_given)
    return hn_element_fail(model, NULL, "neither a value nor a rate is given");
  hn_status status = hn_check_formula(model, "", "quantity", def->quantity);
  if (!status) status = hn_check_number(model, "value", "value", def->value, HN_RANGE_ANY);
  return status ? status : hn_check_number(model, "rate", "rate", def->rate, HN_RANGE_ANY);
}

hn_status hn_start_prepare(hn_model *model, hn_start_def *def) {
  if (def->value != 0) def->value_given = true;
  if (def->rate != 0) def->rate_given = true;
  return check_start(model, def);
}

// Refusing one spoils the model, as refusing an element does.
hn_status hn_add_start_sized(hn_model *model, const hn_start_def *def, size_t size) {
  hn_start_def own;
  hn_status status = hn_take_definition(model, &own, sizeof own, def, size);
  if (status) return status;
  snprintf(model->subject, sizeof model->subject, "start '%.100s'",
           own.quantity ? own.quantity : "");
  status = hn_start_prepare(model, &own);
  if (!status) {
    own.quantity = hn_strdup(own.quantity);
    bool room = own.quantity && hn_grow((void **)&model->start, &model->start_capacity,
                                        model->start_count, sizeof *model->start);
    if (room)
      model->start[model->start_count++] = (hn_model_start){own, model->now};
    else
      free((void *)own.quantity),
          status = hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
  }
  if (status) hn_model_spoil(model);
  return status;
}
