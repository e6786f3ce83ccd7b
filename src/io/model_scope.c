// model_scope.c: what names and places mean inside a part.
//
// A part is read once for every use of it, each time in a scope of its own: names in it get the
// name of the use in front ("left.arm"), places and directions go through the place it is put to.
// Nothing is copied, so every message points into the file as it was written.
//
// Lookups go from the innermost scope outwards, as names of functions do: what is described in the
// part hides what is around it. Formulas are rewritten as text, name by name, because they are kept
// as text until the model is compiled; the prefix is that of the scope in which the name is
// described.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/elementary.h"
#include "base/vec.h"
#include "io/model_reader.h"

// Messages name the file that the scope's text stands in.
void hn_reader_enter(hn_reader *reader, const hn_scope *scope) {
  reader->scope = scope;
  reader->model->reading = scope ? scope->file : NULL;
}

// ---- names ---------------------------------------------------------------------------------

static const char *join(hn_reader *reader, const char *prefix, const char *name) {
  size_t before = strlen(prefix), length = strlen(name);
  // memory of the document: the names stay as long as the reading lasts
  char *out = hn_yaml_take(reader->doc, before + length + 1);
  if (!out) return NULL;
  memcpy(out, prefix, before);
  memcpy(out + before, name, length);
  out[before + length] = 0;
  return out;
}

const char *hn_scope_name(hn_reader *reader, const char *name) {
  // in the file itself a name is full as it stands
  return *reader->scope->prefix ? join(reader, reader->scope->prefix, name) : name;
}

// is the name one of the entries of a section?
static bool in_section(const hn_scope *scope, const char *section, const char *name) {
  const hn_yaml *map = hn_yaml_get(scope->map, section);
  return map && map->kind == HN_YAML_MAP && hn_yaml_get(map, name);
}

static bool is_repeated(const hn_yaml *use) {
  return use->kind == HN_YAML_MAP && (hn_yaml_get(use, "repeat") || hn_yaml_get(use, "for"));
}

// a repeated use goes by its name and a number
// "leg3" is number 3 of a repeated use `leg`, while a use `leg3` without repetition is itself.
// `name` is cut at its digits where that is tried.
static bool is_use(const hn_scope *scope, char *name) {
  const hn_yaml *use = hn_yaml_get(scope->map, "use");
  if (!use || use->kind != HN_YAML_MAP) return false;
  const hn_yaml *entry = hn_yaml_get(use, name);
  // with a repetition only numbered names exist
  if (entry) return !is_repeated(entry);
  size_t length = strlen(name), stem = length;
  // digits at the end are the number
  while (stem > 0 && name[stem - 1] >= '0' && name[stem - 1] <= '9') stem--;
  name[stem] = 0;
  entry = stem < length ? hn_yaml_get(use, name) : NULL;
  return entry && is_repeated(entry);
}

// memories of controllers and states of processes: "torque_sum", "filter_1"
// Names that elements bring along are not in the file: a process or controller N has N_something.
static bool is_derived(const hn_scope *scope, const char *name) {
  static const char *const sections[] = {"states", "controllers"};
  for (int i = 0; i < 2; i++) {
    const hn_yaml *map = hn_yaml_get(scope->map, sections[i]);
    if (!map || map->kind != HN_YAML_MAP) continue;
    for (const hn_yaml *e = map->first; e; e = e->next) {
      size_t stem = strlen(e->key->text);
      // "filter" of "filter_1"
      if (strncmp(name, e->key->text, stem) == 0 && name[stem] == '_') return true;
    }
  }
  return false;
}

// a number that formulas read by this name alone
static bool has_value(const hn_scope *scope, const char *name) {
  return in_section(scope, "parameters", name) || in_section(scope, "signals", name) ||
         in_section(scope, "states", name) || in_section(scope, "controllers", name) ||
         in_section(scope, "events", name) || is_derived(scope, name);
}

bool hn_scope_has_value(const hn_scope *scope, const char *name) {
  while (scope && !has_value(scope, name)) scope = scope->outer;
  return scope;
}

// is this word, the first of a name, described in the part? Alone it can only be a parameter,
// or an element where one is expected
// In a formula a name alone is a parameter or signal, a name before a dot an element; where an
// element is expected a name alone is one too.
static bool has_name(const hn_scope *scope, const char *word, size_t length, bool alone) {
  // room for one more than the longest name
  char name[64];
  if (length >= sizeof name) return false;
  memcpy(name, word, length);
  name[length] = 0;
  if (alone)
    return has_value(scope, name) || (scope->repeated && strcmp(name, scope->variable) == 0);
  return in_section(scope, "bodies", name) || in_section(scope, "beams", name) ||
         in_section(scope, "flexible", name) || in_section(scope, "joints", name) ||
         in_section(scope, "forces", name) || in_section(scope, "blocks", name) ||
         is_use(scope, name);
}

// what stands before a name where it is used: that of the innermost scope that has it
static const char *prefix_of(const hn_scope *scope, const char *word, size_t length, bool alone) {
  for (; scope; scope = scope->outer)
    if (has_name(scope, word, length, alone)) return scope->prefix;
  // not described anywhere: left as it stands
  return "";
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// 12, 0.5, 1e-3: what follows the digits of a number is no name
// "2e3" is a number, "2 e3" is not; units behind numbers are names like others.
static size_t number_length(const char *s) {
  size_t n = 0;
  while (is_digit(s[n]) || s[n] == '.') n++;
  if (s[n] != 'e' && s[n] != 'E') return n;
  size_t m = n + 1;
  if (s[m] == '+' || s[m] == '-') m++;
  if (!is_digit(s[m])) return n;
  while (is_digit(s[m])) m++;
  return m;
}

// A dot belongs to the name where a letter follows: "arm.angle", but not "2.".
static size_t name_length(const char *s) {
  size_t n = 0;
  while (is_letter(s[n]) || is_digit(s[n]) || (s[n] == '.' && is_letter(s[n + 1]))) n++;
  return n;
}

// "x" or "x.rate" of a block with the coordinate x, whatever else of the part is called so
static bool is_own(const hn_yaml *own, const char *name, size_t length, size_t first) {
  if (length != first && (length != first + 5 || memcmp(name + first, ".rate", 5) != 0))
    return false;
  for (const hn_yaml *e = own ? own->first : NULL; e; e = e->next)
    if (strlen(e->key->text) == first && memcmp(e->key->text, name, first) == 0) return true;
  return false;
}

// the text with every name of the part in full; once to measure, once to write
// Functions (a name before a bracket) are nobody's; "ground" of a part on a base is that base.
static size_t rewrite(const hn_reader *reader, const char *text, bool formula, char *out) {
  // `out` NULL: only the length is wanted
  const hn_scope *scope = reader->scope;
  size_t used = 0;
  for (const char *s = text; *s;) {
    // numbers first: their exponents look like names
    size_t n = is_digit(*s) || *s == '.' ? number_length(s) : is_letter(*s) ? name_length(s) : 1;
    if (n == 0) n = 1;
    const char *prefix = "";
    size_t skip = 0;
    if (is_letter(*s)) {
      size_t first = strcspn(s, ".");
      if (first > n) first = n;
      // alone in a formula: a parameter or signal
      if (s[n] != '(' && !is_own(reader->own, s, n, first))
        prefix = prefix_of(scope, s, first, formula && first == n);
      // what the part stands on, whatever it is called around
      if (scope->base && first == 6 && memcmp(s, "ground", 6) == 0)
        prefix = scope->base, skip = first;
    }
    size_t before = strlen(prefix);
    if (out) {
      memcpy(out + used, prefix, before);
      memcpy(out + used + before, s + skip, n - skip);
    }
    used += before + n - skip;
    s += n;
  }
  if (out) out[used] = 0;
  return used;
}

// In the file itself nothing but numbers in brackets changes, and nothing else is copied.
static hn_status in_full(hn_reader *reader, const hn_yaml *node, bool formula, const char **out) {
  hn_status status = hn_read_counted(reader, node, out);
  if (status || !reader->scope->outer) return status;
  char *full = hn_yaml_take(reader->doc, rewrite(reader, *out, formula, NULL) + 1);
  if (!full) return hn_read_fail_memory(reader);
  rewrite(reader, *out, formula, full);
  *out = full;
  return HN_OK;
}

hn_status hn_scope_formula(hn_reader *reader, const hn_yaml *node, const char **out) {
  return in_full(reader, node, true, out);
}

hn_status hn_scope_reference(hn_reader *reader, const hn_yaml *node, const char **out) {
  return in_full(reader, node, false, out);
}

// from the inside out: the first scope in which the name means something
int hn_scope_find(const hn_reader *reader, const char *name,
                  int (*find)(const hn_model *, const char *)) {
  // two names and dots; longer ones are none
  char full[192];
  for (const hn_scope *scope = reader->scope; scope; scope = scope->outer) {
    int length = snprintf(full, sizeof full, "%s%s", scope->prefix, name);
    if (length < 0 || (size_t)length >= sizeof full) return -1;
    int index = find(reader->model, full);
    if (index >= 0) return index;
  }
  return -1;
}

// "body" or "body.frame"; -1 in *frame where there is none
// The last dot separates the frame: names of bodies in parts have dots themselves.
static bool find_in(const hn_model *model, const char *prefix, const char *text, int *body,
                    int *frame) {
  char full[192];
  size_t before = strlen(prefix), length = strlen(text);
  if (before + length >= sizeof full) return false;
  memcpy(full, prefix, before);
  memcpy(full + before, text, length + 1);
  // the whole first: a body's name may have dots
  *frame = -1;
  *body = hn_model_find_body(model, full);
  if (*body >= 0) return true;
  char *dot = strrchr(full, '.');
  if (!dot) return false;
  *dot = 0;
  *body = hn_model_find_body(model, full);
  if (*body >= 0) *frame = hn_model_find_frame(model, *body, dot + 1);
  return *frame >= 0;
}

// "ground" is what the part was put on, if that is a body.
bool hn_scope_end(const hn_reader *reader, const char *text, int *body, int *frame) {
  const hn_scope *inside = reader->scope;
  if (inside->base && strncmp(text, "ground", 6) == 0 && (text[6] == '.' || !text[6])) {
    char full[192];
    int length = snprintf(full, sizeof full, "%s%s", inside->base, text + 6);
    return length > 0 && (size_t)length < sizeof full &&
           find_in(reader->model, "", full, body, frame);
  }
  for (const hn_scope *scope = inside; scope; scope = scope->outer)
    if (find_in(reader->model, scope->prefix, text, body, frame)) return true;
  return false;
}

// ---- places --------------------------------------------------------------------------------

// x_world = Q x + p; Q may mirror.
void hn_scope_point(const hn_scope *scope, double x[3]) {
  double y[3];
  m3_mulv(y, scope->Q, x);
  v3_add(x, y, scope->p);
}

void hn_scope_direction(const hn_scope *scope, double x[3]) {
  double y[3];
  m3_mulv(y, scope->Q, x);
  v3_copy(x, y);
}

// The transpose is the inverse, of mirrors too.
void hn_scope_local(const hn_scope *scope, double x[3]) {
  double y[3];
  v3_sub(y, x, scope->p);
  m3_tmulv(x, scope->Q, y);
}

// Bit by bit: clean() in model_parts.c makes quarter turns exact.
bool hn_scope_turned(const hn_scope *scope) {
  double I[9];
  m3_identity(I);
  return memcmp(I, scope->Q, sizeof I) != 0;
}

// mirrored bodies have their own y turned round, so that x and z stay what they are for bars
// A mirrored body has right-handed axes again by turning its own y round: products of inertia with
// one y change their sign.
static void flip_own(hn_body_def *def) {
  def->com[1] = -def->com[1];
  def->inertia[3] = -def->inertia[3];
  def->inertia[5] = -def->inertia[5];
  hn_flip_shapes(def);
}

// Places given in the file have gone through the scope when they were read (hn_read_position); what
// was left out is the origin, which has not. Velocities are vectors, angular velocities axial ones,
// which a mirror turns round once more.
hn_status hn_scope_place_body(hn_reader *reader, const hn_yaml *map, hn_body_def *def) {
  const hn_scope *scope = reader->scope;
  if (!scope->outer) return HN_OK;
  // nothing of it has gone through the scope
  bool by_points = hn_is_by_points(map);
  if (!hn_yaml_get(map, "position") && !by_points) hn_scope_point(scope, def->position);
  if (!hn_scope_turned(scope)) return HN_OK;
  const double *Q = scope->Q;
  // Q keeps z: turns about it, and mirrors across planes along it
  if ((def->kind == HN_PLANAR || def->kind == HN_PLANAR_POINT) && fabs(Q[8] - 1) > 1e-12)
    return hn_read_fail(reader, map->key, HN_ERR_MODEL,
                        "a planar body cannot be in a part that is turned out of the x-y plane");
  hn_scope_direction(scope, def->velocity);
  hn_scope_direction(scope, def->angular_velocity);
  if (scope->mirrored) v3_scale(def->angular_velocity, -1, def->angular_velocity);
  // bars and plates have their angle from their points, which are in the world
  if (def->kind == HN_PLANAR && !by_points) {
    double turn = hn_atan2(Q[3], Q[0]);
    def->angle = scope->mirrored ? turn - def->angle : turn + def->angle;
  } else if (def->kind == HN_SPATIAL && !by_points) {
    double R[9], T[9];
    double q[4];
    memcpy(q, def->orientation, sizeof q);
    if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0) q[0] = 1;
    q_normalise(q);
    q_matrix(R, q);
    m3_mul(T, Q, R);
    // one column more turned round makes it a rotation again
    if (scope->mirrored)
      for (int i = 0; i < 3; i++) T[3 * i + 1] = -T[3 * i + 1];
    q_from_matrix(def->orientation, T);
  }
  if (scope->mirrored) flip_own(def);
  return HN_OK;
}

// Positions on a body are in its own axes, whose y was turned round.
hn_status hn_scope_place_frame(hn_reader *reader, const hn_yaml *node, hn_frame_def *def) {
  if (!reader->scope->mirrored) return HN_OK;
  if (node->kind == HN_YAML_MAP && hn_yaml_get(node, "orientation"))
    return hn_read_fail(reader, hn_yaml_get(node, "orientation"), HN_ERR_MODEL,
                        "a frame of a mirrored part cannot be oriented (say the axis of its joint "
                        "by 'axis')");
  def->position[1] = -def->position[1];
  return HN_OK;
}

// a direction that may be left to an oriented frame, or else is the part's z
// A direction that is not given is z of the part, and not that of the world.
static void place_axis(const hn_reader *reader, bool has_key, bool framed, double sign,
                       double axis[3]) {
  if (!has_key) return;
  if (v3_dot(axis, axis) == 0) {
    if (framed) return;
    axis[2] = 1;
  }
  hn_scope_direction(reader->scope, axis);
  v3_scale(axis, sign, axis);
}

static bool oriented(const hn_model *model, hn_end end) {
  if (!end.frame.id) return false;
  const double *q = model->frame[end.frame.id - 1].def.orientation;
  return q[0] != 0 || q[1] != 0 || q[2] != 0 || q[3] != 0;
}

// types whose components count in axes that a part cannot turn or mirror along
// Refused rather than mirrored wrongly: the part can be written for both sides.
static hn_status refuse_type(hn_reader *reader, const hn_yaml *map, const char *type,
                             const char *types, const char *why) {
  if (!hn_word_in(type, types)) return HN_OK;
  return hn_read_fail(reader, hn_yaml_get(map, "type"), HN_ERR_MODEL, "%s cannot be in a part %s",
                      type, why);
}

// an end that is not given is the ground, whatever that is here
static void default_end(const hn_reader *reader, const hn_yaml *map, const hn_type_info *type,
                        hn_end *a) {
  const hn_scope *scope = reader->scope;
  bool on_joint = hn_yaml_get(map, "joint") || hn_yaml_get(map, "joint_a");
  if (scope->base && !on_joint && hn_type_has_ends(type) && !hn_yaml_get(map, "a"))
    a->body.id = hn_model_find_body(reader->model, scope->base);
}

// a coordinate of the world counts from the world's origin, wherever the part is
static hn_status refuse_moved(hn_reader *reader, const hn_yaml *map, const hn_type_info *type,
                              const hn_joint_def *def) {
  const hn_scope *scope = reader->scope;
  const char *name = def->coordinate;
  bool of_world = name && strlen(name) == 1 && *name >= 'x' && *name <= 'z' && !def->a.frame.id &&
                  !def->a.body.id && !hn_yaml_get(map, "joint_a");
  if (!of_world || scope->p[*name - 'x'] == 0) return HN_OK;
  return refuse_type(reader, map, type->name, "coordinate driver",
                     "that is moved: its coordinate counts from the world's origin (give it a "
                     "frame of a, or a joint's coordinate)");
}

// boxes, curves and terrains lie in the axes of a
static bool lies(const char *surface) {
  return surface && hn_word_in(surface, "box curve terrain");
}

static hn_status refuse_surface(hn_reader *reader, const hn_yaml *map, const char *surface,
                                hn_end a) {
  bool drawn = surface && hn_word_in(surface, "curve terrain");
  const char *why = NULL;
  if (drawn && reader->scope->mirrored)
    why = "that is mirrored: its points would have to be mirrored, too";
  else if (lies(surface) && !a.body.id && !oriented(reader->model, a))
    why =
        "that is turned: on the ground it lies along the world's axes (give it an oriented frame)";
  if (!why) return HN_OK;
  return hn_read_fail(reader, hn_yaml_get(map, "surface"), HN_ERR_MODEL,
                      "a %s cannot be in a part %s", surface, why);
}

// Mirrored hinges turn the other way: turning the axis round keeps angles and what drives them.
hn_status hn_scope_place_joint(hn_reader *reader, const hn_yaml *map, const hn_type_info *type,
                               hn_joint_def *def) {
  const hn_scope *scope = reader->scope;
  default_end(reader, map, type, &def->a);
  hn_status status = scope->outer ? refuse_moved(reader, map, type, def) : HN_OK;
  if (status || !hn_scope_turned(scope)) return status;
  status = refuse_surface(reader, map, def->surface, def->a);
  if (status) return status;
  bool framed = oriented(reader->model, def->a) || oriented(reader->model, def->b);
  if (!hn_yaml_get(map, "joint_a") && !framed)
    status = refuse_type(reader, map, type->name, "coordinate driver generic",
                         "that is turned: its coordinate counts in the world's axes (give it an "
                         "oriented frame, or a joint's coordinate)");
  if (!status && scope->mirrored)
    status = refuse_type(reader, map, type->name, "screw",
                         "that is mirrored: its thread would turn the other way");
  if (status) return status;
  // a mirrored hinge turns about the opposite axis: its angle and what drives it keep their sign
  double sign = scope->mirrored && strcmp(type->name, "revolute") == 0 ? -1 : 1;
  bool required = hn_word_in("axis", type->required) || lies(def->surface);
  place_axis(reader, hn_word_in("axis", type->keys), framed || required, sign, def->axis);
  place_axis(reader, hn_word_in("axis_b", type->keys), true, 1, def->axis_b);
  place_axis(reader, hn_word_in("normal", type->keys), oriented(reader->model, def->a), 1,
             def->normal);
  return HN_OK;
}

hn_status hn_scope_place_force(hn_reader *reader, const hn_yaml *map, const hn_type_info *type,
                               hn_force_def *def) {
  const hn_scope *scope = reader->scope;
  default_end(reader, map, type, &def->a);
  if (!hn_scope_turned(scope)) return HN_OK;
  hn_status status = refuse_surface(reader, map, def->surface, def->a);
  if (!status && scope->mirrored)
    status = refuse_type(reader, map, type->name, "bushing beam-element force torque",
                         "that is mirrored: its components would have to be mirrored, too");
  if (status) return status;
  bool framed = oriented(reader->model, def->a) || oriented(reader->model, def->b);
  // without axis it acts along a distance, or lies as the body does
  bool plain = strcmp(type->name, "bump-stop") == 0 || lies(def->surface);
  double sign = scope->mirrored && strcmp(type->name, "torsion-spring") == 0 ? -1 : 1;
  place_axis(reader, hn_word_in("axis_b", type->keys), true, 1, def->axis_b);
  if (!hn_yaml_get(map, "joint"))
    place_axis(reader, hn_word_in("axis", type->keys), framed || plain, sign, def->axis);
  return HN_OK;
}
