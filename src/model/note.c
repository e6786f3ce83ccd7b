// note.c: what is said about elements beside the mechanics: descriptions and colours.
//
// Found by name, linearly: few elements have one, and only pictures ask.
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "model/shape.h"

static hn_model_note *find(const hn_model *model, const char *name) {
  for (int i = 0; i < model->note_count; i++)
    if (strcmp(model->note[i].name, name) == 0) return &model->note[i];
  return NULL;
}

const char *hn_description_of(const hn_model *model, const char *name) {
  const hn_model_note *note = name ? find(model, name) : NULL;
  return note ? note->description : NULL;
}

const char *hn_color_of(const hn_model *model, const char *name) {
  const hn_model_note *note = name ? find(model, name) : NULL;
  return note ? note->color : NULL;
}

void hn_notes_free(hn_model *model) {
  for (int i = 0; i < model->note_count; i++)
    free(model->note[i].name), free(model->note[i].description), free(model->note[i].color);
  model->note_count = 0;
}

// texts may have several lines
static const char *find_bad(const char *text) {
  const char *control = hn_find_control(text);
  while (control && (*control == '\n' || *control == '\t')) control = hn_find_control(control + 1);
  return control;
}

// The ground has no note: it is drawn by its frames.
static bool is_element(const hn_model *model, const char *name) {
  if (hn_model_find_body(model, name) > 0 || hn_model_find_joint(model, name) >= 0) return true;
  if (hn_model_find_force(model, name) >= 0 || hn_model_find_block(model, name) >= 0) return true;
  if (hn_model_find_beam(model, name) >= 0) return true;
  if (hn_model_find_signal(model, name, strlen(name)) >= 0) return true;
  for (int i = 0; i < model->coupling_count; i++)
    if (strcmp(model->coupling[i].def.name, name) == 0) return true;
  // one without modes is no block, and its interfaces have names of their own
  for (int i = 0; i < model->flexible_count; i++)
    if (strcmp(model->flexible[i].name, name) == 0) return true;
  return false;
}

static bool replace(char **to, const char *text) {
  if (!text) return true;
  char *copy = hn_strdup(text);
  if (!copy) return false;
  free(*to);
  *to = copy;
  return true;
}

// NULL leaves what was said before; an empty text takes it away from sight.
hn_status hn_describe(hn_model *model, const char *name, const char *description,
                      const char *color) {
  if (!model || !name) return HN_ERR_ARGUMENT;
  if (!is_element(model, name))
    return hn_model_fail(model, model->now, HN_ERR_MODEL, "there is no element named '%.60s'",
                         name);
  if (description && find_bad(description))
    return hn_element_fail(model, "description",
                           "description must not have control characters in it");
  hn_status status = hn_check_color(model, "color", color);
  if (status) return status;
  hn_model_note *note = find(model, name);
  if (!note && hn_grow((void **)&model->note, &model->note_capacity, model->note_count,
                       sizeof *model->note)) {
    note = &model->note[model->note_count];
    *note = (hn_model_note){.name = hn_strdup(name)};
    if (note->name)
      model->note_count++;
    else
      note = NULL;
  }
  if (note && replace(&note->description, description) && replace(&note->color, color))
    return HN_OK;
  return hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
}
