// halved.c: a model once more, with every element of its beams as two.
//
// Nodes and elements of the halved beams are made in a model of their own. Then they are put in: a
// node or element of a name that is known takes the place of the old one, so that joints, loads and
// formulas find it; what is new stands behind everything else. All the rest is the model's.
#include "model/beam_make.h"

#include <stdlib.h>
#include <string.h>

// A shallow copy of the model with larger arrays of bodies, frames and forces; everything else,
// names included, belongs to the original or to `parts`.
typedef struct halved {
  hn_model model;  // first: it is what the caller sees
  hn_model *parts;
  int *body, *frame;  // where bodies and frames of `parts` are in `model`
} halved;

// One byte at least: malloc(0) may be NULL without being out of memory.
static const void *copy_of(const void *from, size_t bytes, bool *ok) {
  void *to = from && *ok ? malloc(bytes ? bytes : 1) : NULL;
  if (to) memcpy(to, from, bytes);
  *ok = *ok && (to || !from);
  return to;
}

// On failure everything copied so far is freed, and `to` is empty.
bool hn_beam_copy(hn_beam_def *to, const hn_beam_def *from) {
  size_t places = (size_t)from->place_count;
  *to = *from;
  bool ok = hn_fields_copy(NULL, hn_beam_fields, NULL, to);
  ok = (to->name = ok ? hn_strdup(from->name) : NULL) != NULL;
  to->points = copy_of(from->points, 3 * (size_t)from->point_count * sizeof *from->points, &ok);
  hn_beam_place *place = ok && places ? calloc(places, sizeof *place) : NULL;
  to->places = place;
  to->place_count = place ? from->place_count : 0;
  ok = ok && (place || !places);
  for (int i = 0; i < to->place_count && ok; i++) {
    place[i].at = from->places[i].at;
    ok = (place[i].name = hn_strdup(from->places[i].name));
  }
  if (!ok) hn_beam_free(to);
  return ok;
}

void hn_beam_free(hn_beam_def *def) {
  free((void *)def->name), free((void *)def->points);
  for (int i = 0; i < def->place_count; i++) free((void *)def->places[i].name);
  free((void *)def->places);
  hn_fields_free(NULL, hn_beam_fields, NULL, def);
  *def = (hn_beam_def){0};
}

// room for what is there and everything new
static void *room(const void *from, int count, int more, size_t size) {
  char *to = malloc(((size_t)count + (size_t)more + 1) * size);
  if (to && count) memcpy(to, from, (size_t)count * size);
  return to;
}

// The model is copied first, so that all that is not replaced stays what it was.
static bool open_rooms(halved *h, const hn_model *model) {
  const hn_model *p = h->parts;
  hn_model *m = &h->model;
  *m = *model;
  m->body = room(model->body, model->body_count, p->body_count, sizeof *m->body);
  m->frame = room(model->frame, model->frame_count, p->frame_count, sizeof *m->frame);
  m->force = room(model->force, model->force_count, p->force_count, sizeof *m->force);
  h->body = calloc((size_t)p->body_count + 1, sizeof *h->body);
  h->frame = calloc((size_t)p->frame_count + 1, sizeof *h->frame);
  return m->body && m->frame && m->force && h->body && h->frame;
}

// Old nodes keep their index, so that joints need no change; frames and forces are renumbered
// through the tables body and frame.
static void put_in(halved *h, const hn_model *model) {
  const hn_model *p = h->parts;
  hn_model *m = &h->model;
  for (int i = 1; i < p->body_count; i++) {
    int known = hn_model_find_body(model, p->body[i].def.name);
    h->body[i] = known > 0 ? known : m->body_count++;
    m->body[h->body[i]] = p->body[i];
  }
  for (int i = 0; i < p->frame_count; i++) {
    hn_frame_def def = p->frame[i].def;
    def.body.id = h->body[def.body.id];
    bool old = def.body.id < model->body_count;
    int known = old ? hn_model_find_frame(model, def.body.id, def.name) : -1;
    if (known < 0) m->frame[known = m->frame_count++] = (hn_model_frame){def, p->frame[i].place};
    h->frame[i + 1] = known + 1;
  }
  for (int i = 0; i < p->force_count; i++) {
    hn_model_force f = p->force[i];
    hn_end *const end[2] = {&f.def.a, &f.def.b};
    for (int k = 0; k < 2; k++) {
      end[k]->body.id = h->body[end[k]->body.id];
      end[k]->frame.id = h->frame[end[k]->frame.id];
    }
    int known = hn_model_find_force(model, f.def.name);
    m->force[known >= 0 ? known : m->force_count++] = f;
  }
}

// Its error is the original's: that is the model that the caller has.
hn_model *hn_model_halved(hn_model *model) {
  halved *h = calloc(1, sizeof *h);
  hn_status status = HN_ERR_MEMORY;
  int first;
  if (h) h->parts = hn_model_new(model->joints, model->forces);
  if (h && h->parts) status = HN_OK;
  for (int i = 0; i < model->beam_count && !status; i++) {
    hn_model_subject(h->parts, "beam", model->beam[i].def.name, NULL);
    h->parts->now = model->beam[i].place;
    status = hn_beam_make(h->parts, &model->beam[i].def, true, &first);
    if (status) memcpy(model->message, h->parts->message, sizeof model->message);
  }
  if (!status && open_rooms(h, model)) {
    put_in(h, model);
    return &h->model;
  }
  if (h) hn_model_halved_destroy(&h->model);
  return NULL;
}

void hn_model_halved_destroy(hn_model *model) {
  halved *h = (halved *)(void *)model;
  free(h->model.body), free(h->model.frame), free(h->model.force);
  free(h->body), free(h->frame);
  hn_model_destroy(h->parts);
  free(h);
}
