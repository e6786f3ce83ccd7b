// model.c: the editable description: life, names, parameters, overrides, messages.
//
// Elements are added in add.c. Names are found through one open hash table, so a model of many
// thousand bodies is built in linear time.
#include "model/model.h"

#include "model/beam_make.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "expr/expr.h"
#include "model/check.h"
#include "model/fields.h"
#include "model/shape.h"

// ---- life ----------------------------------------------------------------------------------

// body 0 is always there
// So that body 0 needs no special case in lookups by name; it has no mass and never moves.
static bool add_ground(hn_model *model) {
  // nothing at all of a count of 0
  if (!hn_grow((void **)&model->body, &model->body_capacity, 0, sizeof *model->body)) return false;
  memset(&model->body[0], 0, sizeof model->body[0]);
  model->body[0].def.name = hn_strdup("ground");
  // no turn: the world's axes
  model->body[0].def.orientation[0] = 1;
  model->body_count = 1;
  return model->body[0].def.name && hn_model_index(model, HN_SCOPE_BODY, "ground", 0);
}

hn_model *hn_model_new(const hn_family *joints, const hn_family *forces) {
  hn_model *model = calloc(1, sizeof *model);
  if (!model) return NULL;
  // of constants in higher floors, which outlive every model
  model->joints = joints, model->forces = forces;
  model->options = hn_options_default();
  // with a half made ground
  if (!add_ground(model)) {
    hn_model_destroy(model);
    return NULL;
  }
  return model;
}

// Counts go to zero and arrays keep their room, for a model that is read into again.
// also called on a model that add_ground() left without one
static void release_elements(hn_model *model) {
  for (int i = 0; i < model->body_count; i++) {
    free((void *)model->body[i].def.name);
    hn_shapes_free(model->body[i].def.shapes, model->body[i].def.shape_count);
  }
  hn_model_meshes_free(model);
  hn_notes_free(model);
  for (int i = 0; i < model->frame_count; i++) free((void *)model->frame[i].def.name);
  for (int i = 0; i < model->joint_count; i++) {
    hn_joint_def *def = &model->joint[i].def;
    free((void *)def->name);
    // the type tells which member a shared place is: numbers, text or nothing
    hn_fields_free(model->joints, hn_joint_fields, hn_family_type(model->joints, def->type), def);
  }
  for (int i = 0; i < model->force_count; i++) {
    hn_force_def *def = &model->force[i].def;
    free((void *)def->name);
    hn_fields_free(model->forces, hn_force_fields, hn_family_type(model->forces, def->type), def);
  }
  for (int i = 0; i < model->block_count; i++) hn_block_free(&model->block[i].def);
  for (int i = 0; i < model->coupling_count; i++) hn_coupling_free(&model->coupling[i].def);
  for (int i = 0; i < model->beam_count; i++) hn_beam_free(&model->beam[i].def);
  for (int i = 0; i < model->flexible_count; i++) {
    free(model->flexible[i].name);
    // shared with systems that were compiled from it, which may live longer
    hn_reduced_release(model->flexible[i].reduced);
  }
  model->flexible_count = 0;
  for (int i = 0; i < model->signal_count; i++) hn_signal_free(&model->signal[i]);
  for (int i = 0; i < model->controller_count; i++) hn_controller_free(&model->controller[i]);
  model->controller_count = 0;
  for (int i = 0; i < model->parameter_count; i++) free(model->parameter[i].name);
  for (int i = 0; i < model->point_count; i++) free(model->point[i].name);
  model->point_count = 0;
  for (int i = 0; i < model->included_count; i++) free(model->included[i]);
  model->included_count = 0;
  for (int i = 0; i < model->start_count; i++) free((void *)model->start[i].def.quantity);
  hn_outputs_free(model);
  model->body_count = model->frame_count = model->joint_count = model->force_count = 0;
  model->beam_count = 0;
  model->block_count = model->coupling_count = model->parameter_count = 0;
  model->start_count = 0;
  model->signal_count = 0;
  // names in the table were freed with their elements
  if (model->slot) memset(model->slot, 0, (size_t)model->slot_count * sizeof *model->slot);
  model->slot_used = 0;
}

// Overrides stay, because they were set from outside before the file was read, and the message,
// because it says why the model is being cleared.
void hn_model_clear(hn_model *model) {
  release_elements(model);
  free(model->name), free(model->description), free(model->file), free(model->text);
  model->name = model->description = model->file = model->text = NULL;
  v3_set(model->gravity, 0, 0, 0);
  model->options = hn_options_default();
  model->wants_native = false;
  model->refilled_by = 0;
  model->now = (hn_place){0};
  // what was refused is gone with the rest
  model->spoiled = HN_OK;
  // used anew by the file read next
  for (int i = 0; i < model->override_count; i++) model->override[i].used = false;
  // without memory for the ground nothing can be added any more, which every call checks
  if (!add_ground(model)) release_elements(model);
}

void hn_model_destroy(hn_model *model) {
  if (!model) return;  // as free() does
  release_elements(model);
  for (int i = 0; i < model->override_count; i++) {
    free(model->override[i].name);
    free(model->override[i].text);
  }
  free(model->name), free(model->description), free(model->file), free(model->text);
  free(model->body), free(model->frame), free(model->joint), free(model->force);
  free(model->block), free(model->coupling), free(model->point), free(model->signal);
  free(model->controller), free(model->beam), free(model->mesh), free(model->note);
  free(model->flexible);
  free(model->parameter), free(model->override), free(model->output), free(model->column),
      free(model->start), free(model->included), free(model->slot);
  free(model);
}

// free() it. An absolute path stays what it is.
char *hn_model_path(const hn_model *model, const char *file) {
  // a model without file, or one from the working folder, has no folder to begin with
  const char *slash = model->file && file[0] != '/' ? strrchr(model->file, '/') : NULL;
  int folder = slash ? (int)(slash - model->file) + 1 : 0;
  size_t size = (size_t)folder + strlen(file) + 1;
  char *path = malloc(size);
  if (path) snprintf(path, size, "%.*s%s", folder, folder ? model->file : "", file);
  return path;
}

// ---- plain properties ----------------------------------------------------------------------

const char *hn_model_error(const hn_model *model) {
  return model ? model->message : "there is no model";
}

const char *hn_model_name(const hn_model *model) {
  return model->name ? model->name : "";
}

// Without memory the old name stays: nothing depends on it but titles.
void hn_model_set_name(hn_model *model, const char *name) {
  // no name is a name that is not there, not one without memory
  char *copy = hn_strdup(name);
  if (!copy && name) return;
  // names are titles of pages and messages of terminals
  if (copy) hn_make_printable(copy);
  free(model->name);
  model->name = copy;
}

void hn_model_set_gravity(hn_model *model, double x, double y, double z) {
  v3_set(model->gravity, x, y, z);
}

void hn_model_gravity(const hn_model *model, double g[3]) {
  v3_copy(g, model->gravity);
}

hn_options *hn_model_options(hn_model *model) {
  return &model->options;
}

// before a file is read: later there is no text left to keep
void hn_model_keep_text(hn_model *model) {
  model->keep_text = true;
}

void hn_model_trust(hn_model *model) {
  model->trusted = true;
}

bool hn_model_wants_native(const hn_model *model) {
  return model->wants_native;
}

// ---- messages ------------------------------------------------------------------------------

__attribute__((format(printf, 5, 0))) static hn_status
// "file:line:column: subject: what". A place of its own names its own file; else the file being
// read. The message is cut at HN_MESSAGE, never overrun: out stays before end, since path, place
// and subject together are shorter than that.
write_message(hn_model *model, hn_place place, hn_status status, const char *subject,
              const char *format, va_list args) {
  // of a very long path the end matters
  enum { LONGEST_PATH = 200 };
  char *out = model->message, *end = out + HN_MESSAGE;
  const char *file = place.file                         ? place.file
                     : place.line > 0 && model->reading ? model->reading
                                                        : model->file;
  if (file) {
    // its end has the name, its beginning folders that the user knows
    size_t n = strlen(file);
    if (n > LONGEST_PATH) file += n - LONGEST_PATH;
    out += snprintf(out, HN_MESSAGE, "%s%s:", n > LONGEST_PATH ? "..." : "", file);
    // what came through the C interface has no line
    if (place.line > 0)
      out += snprintf(out, (size_t)(end - out), "%d:%d:", place.line, place.column);
    *out++ = ' ';
  }
  if (subject) out += snprintf(out, (size_t)(end - out), "%s: ", subject);
  vsnprintf(out, (size_t)(end - out), format, args);
  // a file's control characters stay away from the reader's terminal
  // what stands in front (names, paths) is as strange as the rest
  hn_make_printable(model->message);
  return model->failure = status;
}

// as much of a text as there is room for, up to `most` characters
// By hand, because snprintf cannot cut two names in one call without warnings about truncation.
static char *put(char *at, const char *end, const char *text, size_t most) {
  // at most up to end, where the caller puts the zero
  while (*text && most-- > 0 && at < end) *at++ = *text++;
  return at;
}

void hn_model_subject(hn_model *model, const char *kind, const char *name, const char *of) {
  enum { NAME = 63 };
  char *at = model->subject, *end = at + sizeof model->subject - 1;
  at = put(at, end, kind, NAME);
  at = put(at, end, " '", 2);
  // two names share the room, so each has less
  at = put(at, end, name ? name : "", of ? 40 : NAME);
  if (of) {
    at = put(at, end, "' of '", 6);
    at = put(at, end, of, 40);
  }
  at = put(at, end, "'", 1);
  *at = 0;
}

// A program that does not look at the handle it was returned must not get a system of what is left:
// hn_compile gives the first reason again.
void hn_model_spoil(hn_model *model) {
  // the first reason is the cause, later ones may follow from it
  if (!model || model->spoiled) return;
  // refused before there was anything to say
  model->spoiled = model->failure ? model->failure : HN_ERR_ARGUMENT;
  memcpy(model->first, model->message, sizeof model->first);
}

hn_status hn_model_fail(hn_model *model, hn_place place, hn_status status, const char *format,
                        ...) {
  va_list args;
  va_start(args, format);
  write_message(model, place, status, NULL, format, args);
  va_end(args);
  return status;
}

// an error about an element stands at the key it is about, when the reader can find that
// Through the C interface there is no file, and the place is empty.
static hn_place place_of(const hn_model *model, const char *path, int character) {
  hn_place place = {0};
  // paths are of keys: NULL asks for the element as a whole
  if (model->locate && path) place = model->locate(model->locate_user, path, character);
  return place.line > 0 ? place : model->now;
}

hn_status hn_element_fail(hn_model *model, const char *path, const char *format, ...) {
  va_list args;
  va_start(args, format);
  write_message(model, place_of(model, path, 0), HN_ERR_MODEL, model->subject, format, args);
  va_end(args);
  return HN_ERR_MODEL;
}

hn_status hn_element_fail_at(hn_model *model, hn_status status, const char *path, int character,
                             const char *format, ...) {
  va_list args;
  va_start(args, format);
  write_message(model, place_of(model, path, character), status, model->subject, format, args);
  va_end(args);
  return status;
}

// ---- names ---------------------------------------------------------------------------------

// FNV-1a
// names of different scopes that are alike begin with different numbers
static uint64_t hash_name(int scope, const char *name, size_t length) {
  uint64_t h = 14695981039346656037u ^ (uint64_t)(unsigned)scope;
  for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)name[i]) * 1099511628211u;
  // the table takes the low bits, which the high ones have to reach
  return h ^ h >> 32;
}

// the slot of the name, or the free one where it belongs
// There is always a free slot, so that the search ends.
static hn_name_slot *find_slot(const hn_model *model, int scope, const char *name, size_t length) {
  // counts are powers of two
  size_t mask = (size_t)model->slot_count - 1;
  for (size_t i = hash_name(scope, name, length) & mask;; i = (i + 1) & mask) {
    hn_name_slot *slot = &model->slot[i];
    if (!slot->name) return slot;
    // the name may be part of a formula and have no end of its own
    if (slot->scope == scope && strlen(slot->name) == length &&
        memcmp(slot->name, name, length) == 0)
      return slot;
  }
}

static int find_name(const hn_model *model, int scope, const char *name, size_t length) {
  if (model->slot_count == 0) return -1;
  const hn_name_slot *slot = find_slot(model, scope, name, length);
  return slot->name ? slot->index : -1;
}

static bool grow_slots(hn_model *model) {
  int old_count = model->slot_count;
  hn_name_slot *old = model->slot;
  // doubled: n names are put in their places about 2 n times in all
  int count = old_count ? 2 * old_count : 64;
  hn_name_slot *slot = calloc((size_t)count, sizeof *slot);
  if (!slot) return false;
  model->slot = slot;
  model->slot_count = count;
  // the names themselves stay where they are
  for (int i = 0; i < old_count; i++)
    if (old[i].name) *find_slot(model, old[i].scope, old[i].name, strlen(old[i].name)) = old[i];
  free(old);
  return true;
}

// The name is not copied: it must live as long as the element does.
bool hn_model_index(hn_model *model, int scope, const char *name, int index) {
  // at most half full, so that a search ends soon
  if (2 * (model->slot_used + 1) > model->slot_count && !grow_slots(model)) return false;
  hn_name_slot *slot = find_slot(model, scope, name, strlen(name));
  // a name that is there is found under its new index
  if (!slot->name) model->slot_used++;
  *slot = (hn_name_slot){name, scope, index};
  return true;
}

int hn_model_find_body(const hn_model *model, const char *name) {
  return find_name(model, HN_SCOPE_BODY, name, strlen(name));
}
int hn_model_find_frame(const hn_model *model, int body, const char *name) {
  return find_name(model, body, name, strlen(name));
}
int hn_model_find_joint(const hn_model *model, const char *name) {
  return find_name(model, HN_SCOPE_JOINT, name, strlen(name));
}
int hn_model_find_force(const hn_model *model, const char *name) {
  return find_name(model, HN_SCOPE_FORCE, name, strlen(name));
}
int hn_model_find_block(const hn_model *model, const char *name) {
  return find_name(model, HN_SCOPE_BLOCK, name, strlen(name));
}
int hn_model_find_point(const hn_model *model, const char *name) {
  return find_name(model, HN_SCOPE_POINT, name, strlen(name));
}
int hn_model_find_signal(const hn_model *model, const char *name, size_t length) {
  return find_name(model, HN_SCOPE_SIGNAL, name, length);
}

static bool in_names(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// letters, digits and _, not starting with a digit; short enough for messages and columns
// no isalnum(): it depends on the locale
static bool is_name(const char *name) {
  enum { LONGEST_NAME = 63 };
  if (*name >= '0' && *name <= '9') return false;
  size_t n = 0;
  // one more than the longest is enough to tell that it is too long
  for (; n <= LONGEST_NAME && name[n]; n++)
    if (!in_names(name[n])) return false;
  return n > 0 && n <= LONGEST_NAME;
}

// names joined by dots: what is in a part has the part's name in front
// The whole path has at most 63 characters, as a name: columns and messages are sized by that.
static bool is_path(const char *path) {
  char name[64];
  size_t total = strlen(path);
  // names of parts stand in front, "leg.knee": each between dots must be a name
  for (const char *s = path; total < sizeof name; s++) {
    size_t n = strcspn(s, ".");
    // total is below 64, and n no more
    memcpy(name, s, n);
    name[n] = 0;
    if (!is_name(name)) return false;
    s += n;
    if (!*s) return true;
  }
  return false;
}

bool hn_model_is_name(const char *name) {
  return is_name(name);
}

// The language of formulas (expr) has these; parameters and signals are read by bare names there.
bool hn_model_formula_word(const char *name) {
  return hn_word_in(
      name, "t time pi e sin cos tan asin acos atan atan2 sinh cosh tanh exp log "
            "log10 sqrt abs sign min max hypot floor ceil mod pow step if smoothstep clamp");
}

const char hn_name_rule[] =
    "a name has at most 63 letters, digits and _ and does not start with a digit";

// "arm.tip" is the body `tip` of the part `arm`, and the frame `tip` of the body `arm`: ends of
// joints could mean either
static bool is_frame(const hn_model *model, const char *path) {
  char body[64];
  const char *dot = strrchr(path, '.');
  if (!dot) return false;
  // paths are no longer than names
  memcpy(body, path, (size_t)(dot - path));
  body[dot - path] = 0;
  int index = hn_model_find_body(model, body);
  return index >= 0 && hn_model_find_frame(model, index, dot + 1) >= 0;
}

// Bodies, joints, forces, blocks and signals share one space of names: columns are called after
// them.
hn_status hn_model_check_name(hn_model *model, const char *name) {
  if (!name || !*name) return hn_element_fail(model, NULL, "a name is missing");
  if (!is_path(name)) return hn_element_fail(model, NULL, "bad name (%s)", hn_name_rule);
  // they are columns that every result has, or the time in formulas
  if (hn_word_in(name, "energy constraints residual time t"))
    return hn_element_fail(model, NULL, "the name is reserved");
  if (strcmp(name, "ground") == 0)
    return hn_element_fail(model, NULL, "the name is reserved (the ground is always there)");
  // only kinds that share their space: parameters and points have their own
  const char *taken = hn_model_find_body(model, name) >= 0                   ? "body"
                      : hn_model_find_joint(model, name) >= 0                ? "joint"
                      : hn_model_find_force(model, name) >= 0                ? "force"
                      : hn_model_find_block(model, name) >= 0                ? "block"
                      : hn_model_find_signal(model, name, strlen(name)) >= 0 ? "signal"
                                                                             : NULL;
  if (taken) return hn_element_fail(model, NULL, "there is already a %s of this name", taken);
  if (is_frame(model, name))
    return hn_element_fail(model, NULL, "a body has already a frame that is called so");
  return HN_OK;
}

hn_status hn_model_check_frame_name(hn_model *model, int body, const char *name) {
  if (!name || !*name) return hn_element_fail(model, NULL, "a name is missing");
  if (!is_name(name)) return hn_element_fail(model, NULL, "bad name (%s)", hn_name_rule);
  if (hn_model_find_frame(model, body, name) >= 0)
    return hn_element_fail(model, NULL, "the body has already a frame of this name");
  char path[160];
  snprintf(path, sizeof path, "%.63s.%.63s", model->body[body].def.name, name);
  if (hn_model_find_body(model, path) >= 0)
    return hn_element_fail(model, NULL, "there is already a body '%s'", path);
  return HN_OK;
}

// Points have names of their own, and may be called like frames of bodies, which they often become.
hn_status hn_model_add_point(hn_model *model, const char *name, const double at[3]) {
  if (!is_path(name)) return hn_element_fail(model, NULL, "bad name (%s)", hn_name_rule);
  if (hn_model_find_point(model, name) >= 0)
    return hn_element_fail(model, NULL, "there is already a point of this name");
  char *copy = hn_strdup(name);
  // in that order: what is indexed must be there
  if (!copy ||
      !hn_grow((void **)&model->point, &model->point_capacity, model->point_count,
               sizeof *model->point) ||
      !hn_model_index(model, HN_SCOPE_POINT, copy, model->point_count)) {
    free(copy);
    return hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
  }
  hn_model_point *point = &model->point[model->point_count++];
  point->name = copy;
  v3_copy(point->at, at);
  return HN_OK;
}

// ---- parameters and overrides --------------------------------------------------------------

int hn_model_find_parameter(const hn_model *model, const char *name, size_t length) {
  return find_name(model, HN_SCOPE_PARAMETER, name, length);
}

// Values are numbers by now: formulas of parameters were computed when they were read.
bool hn_model_constant(const hn_model *model, const char *name, size_t length, double *value) {
  int i = hn_model_find_parameter(model, name, length);
  if (i >= 0) *value = model->parameter[i].value;
  if (i >= 0 && model->touched && model->parameter[i].changes) *model->touched = true;
  return i >= 0;
}

void hn_model_set_dimension(hn_model *model, const char *name, hn_dimension dimension) {
  int i = find_name(model, HN_SCOPE_PARAMETER, name, strlen(name));
  if (i >= 0) model->parameter[i].dimension = dimension;
}

void hn_model_mark_given(hn_model *model, const char *name, bool given) {
  int i = find_name(model, HN_SCOPE_PARAMETER, name, strlen(name));
  if (i >= 0) model->parameter[i].given = given;
}

bool hn_model_dimension(const hn_model *model, const char *name, size_t length,
                        hn_dimension *dimension) {
  int i = find_name(model, HN_SCOPE_PARAMETER, name, length);
  if (i >= 0) *dimension = model->parameter[i].dimension;
  return i >= 0;
}

static hn_node resolve_parameter(void *user, hn_graph *graph, const char *name, size_t length) {
  double value;
  // -1: no such parameter, and the parser says what it met
  return hn_model_constant(user, name, length, &value) ? hn_graph_constant(graph, value) : -1;
}

static hn_override *find_override(const hn_model *model, const char *name) {
  for (int i = 0; i < model->override_count; i++)
    if (strcmp(model->override[i].name, name) == 0) return &model->override[i];
  return NULL;
}

bool hn_model_solved(const hn_model *model, int index, const char **name, double *value) {
  // index counts among those that were solved for
  for (int i = 0; index >= 0 && i < model->override_count; i++) {
    const hn_override *o = &model->override[i];
    if (!o->solved || index-- > 0) continue;
    *name = o->name;
    return hn_model_constant(model, o->name, strlen(o->name), value);
  }
  return false;
}

// the value an override asks for, or the one given when there is none
// The text may be a formula of parameters that stand before this one.
// *value keeps what the file says where nobody set it from outside
static hn_status overridden(hn_model *model, const char *name, double *value) {
  hn_override *override = find_override(model, name);
  if (!override) return HN_OK;
  hn_expr_error error = {0};
  // even if it cannot be read: the name at least is right
  override->used = true;
  if (!hn_parse_number(override->text, strlen(override->text), resolve_parameter, model, value,
                       &error))
    return hn_model_fail(model, (hn_place){0}, hn_formula_status(error.message),
                         "parameter '%.60s' set to '%.60s', character %d: %s", name, override->text,
                         error.column, error.message);
  return HN_OK;
}

// An existing one takes the new value; its place in the list stays.
hn_status hn_model_set_parameter(hn_model *model, const char *name, double value) {
  hn_model_subject(model, "parameter", name, NULL);
  if (!name || !is_path(name)) return hn_element_fail(model, NULL, "bad name (%s)", hn_name_rule);
  // the words of the formula language cannot be hidden
  if (hn_model_formula_word(name)) return hn_element_fail(model, NULL, "the name is reserved");
  // before the value is judged: the file's own may be a placeholder that nobody uses
  hn_status status = overridden(model, name, &value);
  if (status) return status;
  if (!isfinite(value)) return hn_element_fail(model, NULL, "must be a finite number");
  if (fabs(value) > HN_LARGEST)
    return hn_element_fail(model, NULL, "must not be larger than %g in size", HN_LARGEST);

  int i = find_name(model, HN_SCOPE_PARAMETER, name, strlen(name));
  // references by index stay right
  if (i >= 0) {
    model->parameter[i].value = value;
    return HN_OK;
  }
  char *copy = hn_strdup(name);
  if (!copy ||
      !hn_grow((void **)&model->parameter, &model->parameter_capacity, model->parameter_count,
               sizeof *model->parameter) ||
      !hn_model_index(model, HN_SCOPE_PARAMETER, copy, model->parameter_count)) {
    free(copy);
    return hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
  }
  model->parameter[model->parameter_count++] = (hn_parameter){.name = copy, .value = value};
  return HN_OK;
}

// May come before the parameter is there: it is looked for when that is set.
hn_status hn_model_override(hn_model *model, const char *name, const char *value) {
  hn_model_subject(model, "parameter", name, NULL);
  if (!name || !is_path(name)) return hn_element_fail(model, NULL, "bad name (%s)", hn_name_rule);
  if (!value || !*value) return hn_element_fail(model, NULL, "no value is given");
  // both copies first: after this nothing is half done
  char *text = hn_strdup(value), *copy = hn_strdup(name);
  hn_override *override = find_override(model, name);
  if (text && override) {
    // the last one wins
    free(override->text);
    free(copy);
    override->text = text;
  } else if (text && copy &&
             hn_grow((void **)&model->override, &model->override_capacity, model->override_count,
                     sizeof *model->override)) {
    model->override[model->override_count++] = (hn_override){.name = copy, .text = text};
  } else {
    free(text), free(copy);
    return hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
  }
  // a parameter that is there already takes the value at once
  // set through set_parameter(), which asks the override
  double old;
  return hn_model_constant(model, name, strlen(name), &old)
             ? hn_model_set_parameter(model, name, old)
             : HN_OK;
}

hn_status hn_model_parameter(const hn_model *model, const char *name, double *value) {
  return hn_model_constant(model, name, strlen(name), value) ? HN_OK : HN_ERR_ARGUMENT;
}

int hn_model_parameter_count(const hn_model *model) {
  return model->parameter_count;
}

// NULL past the end, so that loops need no count
const char *hn_model_parameter_name(const hn_model *model, int index) {
  return index >= 0 && index < model->parameter_count ? model->parameter[index].name : NULL;
}
