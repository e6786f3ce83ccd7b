// model_refill.c: what of a file is read again when some of its numbers have changed.
//
// One whole reading is noted: whatever met a number that changes, directly or through parameters,
// points and bodies that follow from it, is a step of the refilling. Steps are the reader's own
// functions on the same nodes, in the same order, and what they make takes the place of what was
// there (model/add.h): so every number comes out as from a whole reading. Of an element with keys
// only those are read that change, into a copy of what it was when its keys had been read.
// A number that was met outside of any step - an option, a count of repetitions, a condition to be
// solved - has consequences that nobody would redo: the file is read as a whole then.
#include "io/model_reader.h"
#include "model/add.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct changing_field {
  const hn_field *field;
  const hn_yaml *node;
} changing_field;

typedef struct step {
  hn_refilled kind;
  int index;             // of the element
  const hn_yaml *entry;  // of the file
  int first, fields;     // that change
  void *keys;            // the definition with its keys read; NULL: nothing is kept
  bool reads;            // a parameter: its formula changes
  int given;             // a parameter: its value is that of this changing one; -1: none
} step;

struct hn_refill {
  long number;  // no other has it: models remember by which they were filled
  int parameters, parameter_room;
  char **parameter;  // that are given other values
  int places, place_room;
  const hn_yaml **place;  // numbers of the file that are
  bool *seen;             // place was read as a number
  // while a reading is noted
  bool touched, outside, refused, points, bodies;
  int level, pending;  // of maps in maps; the first field of this element
  // what was found
  bool ready;
  int steps, step_room;
  step *step;
  int fields, field_room;
  changing_field *field;
  hn_yaml_doc *doc;  // scratch memory of refillings
};

hn_refill *hn_refill_create(void) {
  static atomic_long last;
  hn_refill *r = calloc(1, sizeof *r);
  if (r) r->number = atomic_fetch_add(&last, 1) + 1;
  return r;
}

long hn_refill_number(const hn_refill *r) {
  return r ? r->number : 0;
}

static void forget(hn_refill *r) {
  for (int i = 0; i < r->steps; i++) free(r->step[i].keys);
  r->steps = r->fields = r->pending = r->level = 0;
  r->touched = r->outside = r->refused = r->points = r->bodies = r->ready = false;
  for (int i = 0; i < r->places; i++) r->seen[i] = false;
}

void hn_refill_destroy(hn_refill *r) {
  if (!r) return;
  forget(r);
  for (int i = 0; i < r->parameters; i++) free(r->parameter[i]);
  free(r->parameter), free(r->place), free(r->seen), free(r->step), free(r->field);
  hn_yaml_destroy(r->doc);
  free(r);
}

bool hn_refill_parameter(hn_refill *r, const char *name) {
  if (!hn_grow((void **)&r->parameter, &r->parameter_room, r->parameters, sizeof *r->parameter) ||
      !(r->parameter[r->parameters] = hn_strdup(name)))
    return false;
  r->parameters++;
  return true;
}

bool hn_refill_place(hn_refill *r, const hn_yaml *node) {
  bool *seen = realloc(r->seen, (size_t)r->places + 1);
  if (!seen) return false;
  r->seen = seen;
  if (!hn_grow((void **)&r->place, &r->place_room, r->places, sizeof *r->place)) return false;
  r->seen[r->places] = false;
  r->place[r->places++] = node;
  return true;
}

bool hn_refill_ready(const hn_refill *r) {
  return r->ready;
}

// ---- noting ------------------------------------------------------------------------------------

void hn_refill_note(hn_reader *reader) {
  hn_refill *r = reader->refill;
  if (!r) return;
  forget(r);
  reader->model->touched = &r->touched;
}

// Every place must have been met as a number: what is no number of the model's may be anything.
void hn_refill_noted(hn_reader *reader, hn_status status) {
  hn_refill *r = reader->refill;
  reader->model->touched = NULL;
  if (!r) return;
  r->ready = !status && !r->refused && !r->outside && !r->touched;
  for (int i = 0; i < r->places; i++) r->ready = r->ready && r->seen[i];
  if (!r->doc) r->doc = hn_yaml_borrow(reader->doc);
  r->ready = r->ready && r->doc;
}

void hn_refill_refuse(hn_reader *reader) {
  if (reader->refill) reader->refill->refused = true;
}

void hn_refill_touch(const hn_reader *reader, const hn_yaml *node) {
  hn_refill *r = reader->refill;
  if (!r) return;
  r->touched = true;
  for (int i = 0; node && i < r->places; i++)
    if (r->place[i] == node) r->seen[i] = true;
}

void hn_refill_touch_points(const hn_reader *reader) {
  hn_refill *r = reader->refill;
  if (r && r->points) r->touched = true;
}

void hn_refill_touch_bodies(const hn_reader *reader) {
  hn_refill *r = reader->refill;
  if (r && r->bodies) r->touched = true;
}

void hn_refill_begin(hn_reader *reader) {
  hn_refill *r = reader->refill;
  if (!r) return;
  r->outside = r->outside || r->touched;
  r->touched = false;
  r->pending = r->fields;
}

bool hn_refill_open_field(hn_reader *reader) {
  hn_refill *r = reader->refill;
  if (!r) return false;
  bool before = r->touched;
  r->touched = false;
  r->level++;
  return before;
}

void hn_refill_close_field(hn_reader *reader, bool open, const hn_field *field,
                           const hn_yaml *node) {
  hn_refill *r = reader->refill;
  if (!r) return;
  if (--r->level == 0 && r->touched) {
    if (hn_grow((void **)&r->field, &r->field_room, r->fields, sizeof *r->field))
      r->field[r->fields++] = (changing_field){field, node};
    else
      r->refused = true;
  }
  r->touched = r->touched || open;
}

// the changing parameter that gives this one its value
static int given_by(const hn_refill *r, const char *name) {
  for (int i = 0; i < r->parameters; i++)
    if (strcmp(r->parameter[i], name) == 0) return i;
  return -1;
}

// one whose numbers brought nothing else with them: limits of a joint are joints, and the model
// keeps surfaces of meshes and hulls
static bool is_alone(const hn_model *model, hn_refilled kind, int index) {
  if (kind == HN_REFILL_JOINT) return model->joint_count == index + 1;
  const hn_body_def *def = kind == HN_REFILL_BODY ? &model->body[index].def : NULL;
  for (int i = 0; def && i < def->shape_count; i++) {
    hn_shape_kind shape = def->shapes[i].shape.kind;
    if (shape == HN_SHAPE_MESH || shape == HN_SHAPE_HULL) return false;
  }
  return true;
}

void hn_refill_keep(hn_reader *reader, hn_refilled kind, int index, const hn_yaml *entry,
                    const void *def, size_t size) {
  hn_refill *r = reader->refill;
  hn_model *model = reader->model;
  if (!r) return;
  step s = {.kind = kind, .index = index, .entry = entry, .given = -1};
  if (kind == HN_REFILL_PARAMETER) s.given = given_by(r, model->parameter[index].name);
  if (!r->touched && s.given < 0) return;
  s.reads = r->touched;
  s.first = r->pending, s.fields = def ? r->fields - r->pending : 0;
  if (def && (s.keys = malloc(size))) memcpy(s.keys, def, size);
  if (!is_alone(model, kind, index) || (def && !s.keys) ||
      !hn_grow((void **)&r->step, &r->step_room, r->steps, sizeof *r->step)) {
    free(s.keys);
    r->refused = true;
    return;
  }
  r->step[r->steps++] = s;
  r->touched = false;
  if (kind == HN_REFILL_PARAMETER) model->parameter[index].changes = true;
  r->points = r->points || kind == HN_REFILL_POINT;
  r->bodies =
      r->bodies || kind == HN_REFILL_BODY || kind == HN_REFILL_FRAME || kind == HN_REFILL_END;
}

// ---- refilling ---------------------------------------------------------------------------------

// Where a body is, its shapes follow (hn_place_shapes): they are written to, and need memory that
// nobody else has.
bool hn_own_shapes(hn_yaml_doc *doc, hn_body_def *def) {
  size_t size = (size_t)def->shape_count * sizeof *def->shapes;
  if (!size) return true;
  hn_shape_def *own = hn_yaml_take(doc, size);
  if (own) memcpy(own, def->shapes, size), def->shapes = own;
  return own;
}

static hn_status read_keys(hn_reader *reader, const hn_refill *r, const step *s, void *def,
                           size_t size) {
  memcpy(def, s->keys, size);
  hn_status status = HN_OK;
  if (s->kind == HN_REFILL_BODY) {
    hn_body_def *body = def;
    for (int i = s->first; i < s->first + s->fields; i++)
      if (r->field[i].field->kind == HN_FIELD_SHAPE || r->field[i].field->kind == HN_FIELD_SHAPES)
        body->shapes = NULL, body->shape_count = 0;
    if (!hn_own_shapes(reader->doc, body)) return HN_ERR_MEMORY;
  }
  for (int i = s->first; i < s->first + s->fields && !status; i++)
    status = hn_read_field(reader, r->field[i].field, r->field[i].node, def);
  return status;
}

static hn_status refill_parameter(hn_reader *reader, const step *s, const double *given) {
  double value = reader->model->parameter[s->index].value;
  hn_status status = s->reads ? hn_read_number(reader, s->entry, "value", &value) : HN_OK;
  if (s->given >= 0) value = given[s->given];
  // a zero with a sign would be one without it in a file
  bool good = isfinite(value) && fabs(value) <= HN_LARGEST && !(value == 0 && signbit(value));
  if (!status && !good) status = HN_ERR_MODEL;
  if (!status) reader->model->parameter[s->index].value = value;
  return status;
}

static hn_status refill_body(hn_reader *reader, const hn_refill *r, const step *s) {
  hn_body_def def;
  hn_status status = read_keys(reader, r, s, &def, sizeof def);
  if (!status) status = hn_read_body_place(reader, s->entry, &def);
  return status ? status : hn_replace_body(reader->model, s->index, &def);
}

static hn_status refill_frame(hn_reader *reader, const step *s) {
  hn_frame_def def = {.body = reader->model->frame[s->index].def.body};
  hn_status status = s->kind == HN_REFILL_END ? hn_read_point_frame(reader, s->entry, &def)
                                              : hn_read_frame(reader, s->entry, &def);
  return status ? status : hn_replace_frame(reader->model, s->index, &def);
}

static hn_status refill_joint(hn_reader *reader, const hn_refill *r, const step *s) {
  hn_joint_def def;
  hn_status status = read_keys(reader, r, s, &def, sizeof def);
  if (!status) status = hn_read_joint_place(reader, s->entry, &def);
  return status ? status : hn_replace_joint(reader->model, s->index, &def);
}

static hn_status refill_force(hn_reader *reader, const hn_refill *r, const step *s) {
  hn_force_def def;
  hn_status status = read_keys(reader, r, s, &def, sizeof def);
  if (!status) status = hn_read_force_place(reader, s->entry, &def);
  return status ? status : hn_replace_force(reader->model, s->index, &def);
}

static hn_status refill_start(hn_reader *reader, const step *s) {
  hn_start_def def;
  hn_status status = hn_read_start(reader, s->entry, &def);
  return status ? status : hn_replace_start(reader->model, s->index, &def);
}

static hn_status take(hn_reader *reader, const hn_refill *r, const step *s, const double *given) {
  switch (s->kind) {
  case HN_REFILL_PARAMETER: return refill_parameter(reader, s, given);
  case HN_REFILL_POINT:
    return hn_read_position(reader, s->entry, "a point", reader->model->point[s->index].at);
  case HN_REFILL_GRAVITY: return hn_read_gravity(reader);
  case HN_REFILL_BODY: return refill_body(reader, r, s);
  case HN_REFILL_FRAME:
  case HN_REFILL_END: return refill_frame(reader, s);
  case HN_REFILL_JOINT: return refill_joint(reader, r, s);
  case HN_REFILL_FORCE: return refill_force(reader, r, s);
  case HN_REFILL_START: return refill_start(reader, s);
  }
  return HN_ERR_ARGUMENT;
}

// What is said where a step fails is wrong in its words: the whole reading says it better.
bool hn_refill_model(hn_refill *r, hn_model *model, hn_memory *memory, const double *value) {
  const hn_scope top = {
      .map = hn_yaml_root(r->doc), .prefix = "", .Q = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  hn_reader reader = {
      .model = model, .doc = r->doc, .scope = &top, .memory = memory, .refilling = true};
  hn_status status = r->ready && model->refilled_by == r->number ? HN_OK : HN_ERR_ARGUMENT;
  model->locate = NULL;
  hn_yaml_empty(r->doc);
  for (int i = 0; i < r->steps && !status; i++) status = take(&reader, r, &r->step[i], value);
  if (status) model->refilled_by = 0;
  return !status;
}
