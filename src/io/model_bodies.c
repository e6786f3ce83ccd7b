// model_bodies.c: bodies of a model file, their frames, beams and flexible bodies.
#include "base/vec.h"
#include "io/io.h"
#include "io/model_reader.h"

#include <string.h>

// ---- bodies --------------------------------------------------------------------------------

// a frame at a named point, wherever the body is described to be
// A place in the world becomes one on the body, as that is described.
static hn_status read_frame_at(hn_reader *reader, const hn_yaml *node, hn_frame_def *def) {
  double at[3];
  hn_status status = hn_read_position(reader, node, "frame", at);
  hn_refill_touch_bodies(reader);
  if (!status) hn_place_in_body(&reader->model->body[def->body.id].def, at, def->position);
  return status;
}

// A list is a position in body axes, a word a point in the world.
hn_status hn_read_frame(hn_reader *reader, const hn_yaml *e, hn_frame_def *def) {
  hn_status status = HN_OK;
  if (e->kind == HN_YAML_MAP)
    status = hn_read_fields(reader, e, NULL, hn_frame_fields, NULL, "", def);
  else if (e->kind == HN_YAML_LIST)
    status = hn_read_vector(reader, e, "position", def->position);
  else if (!hn_yaml_is_empty(e))
    return read_frame_at(reader, e, def);
  else
    return hn_read_fail(reader, e, HN_ERR_SYNTAX,
                        "must be a position, a point, or a map with position and orientation");
  return status ? status : hn_scope_place_frame(reader, e, def);
}

static hn_status read_frames(hn_reader *reader, const hn_yaml *frames, hn_body body) {
  hn_model *model = reader->model;
  // an empty map is none
  if (!frames || hn_yaml_is_empty(frames)) return HN_OK;
  if (frames->kind != HN_YAML_MAP)
    return hn_read_fail(reader, frames, HN_ERR_SYNTAX, "frames must be a map of names");
  for (const hn_yaml *e = frames->first; e; e = e->next) {
    hn_frame_def def = {.name = e->key->text, .body = body};
    hn_section_entry(reader, "frame", e);
    // the body's name belongs to the message, since names of frames are not unique
    hn_model_subject(model, "frame", e->key->text, model->body[body.id].def.name);
    // a point has gone through the scope already
    hn_refill_begin(reader);
    hn_status status = hn_read_frame(reader, e, &def);
    if (status) return status;
    if (hn_add_frame(model, &def).id < 0) return model->failure;
    hn_refill_keep(reader, HN_REFILL_FRAME, model->frame_count - 1, e, NULL, 0);
  }
  return HN_OK;
}

hn_status hn_read_ground(hn_reader *reader) {
  const hn_yaml *section;
  hn_status status = hn_section_open(reader, "ground", &section);
  if (status || !section) return status;
  for (const hn_yaml *e = section->first; e; e = e->next)
    if (strcmp(e->key->text, "frames") != 0)
      return hn_read_fail_word(reader, e->key, HN_ERR_SYNTAX, "unknown key", e->key->text,
                               "frames");
  return read_frames(reader, hn_yaml_get(section, "frames"), HN_GROUND);
}

// a single number stands for the value about z, which is all a planar body has
static hn_status check_single(hn_reader *reader, const hn_yaml *entry, const hn_body_def *def) {
  // planar bodies have a moment about z, and turn about it
  if (def->kind == HN_PLANAR) return HN_OK;
  const char *const keys[] = {"inertia", "angular_velocity"};
  for (int i = 0; i < 2; i++) {
    const hn_yaml *node = hn_yaml_get(entry, keys[i]);
    if (node && node->kind == HN_YAML_SCALAR)
      return hn_read_fail(reader, node, HN_ERR_MODEL,
                          "%s of a body that is not planar must have three numbers", keys[i]);
  }
  return HN_OK;
}

// Order: keys, then points, then the place of the part; inertia is completed when it is added.
hn_status hn_read_body_place(hn_reader *reader, const hn_yaml *e, hn_body_def *def) {
  def->com_given = hn_yaml_get(e, "com");
  hn_status status = check_single(reader, e, def);
  if (!status) status = hn_read_by_points(reader, e, def);
  return status ? status : hn_scope_place_body(reader, e, def);
}

static hn_status read_body(hn_reader *reader, const hn_yaml *e) {
  hn_body_def def = {0}, keys;
  hn_refill_begin(reader);
  hn_section_entry(reader, "body", e);
  hn_status status = hn_need_map(reader, e);
  if (!status) status = hn_section_name(reader, e, &def.name);
  if (!status) status = hn_read_fields(reader, e, NULL, hn_body_fields, NULL, "", &def);
  // a written zero would be lost: the flag tells
  // points and bodies are named alike in formulas ("A.x")
  keys = def;
  if (!status && reader->refill && !hn_own_shapes(reader->doc, &keys)) status = HN_ERR_MEMORY;
  if (!status) status = hn_read_body_place(reader, e, &def);
  if (!status && hn_model_find_point(reader->model, def.name) >= 0)
    return hn_read_fail(reader, e->key, HN_ERR_MODEL, "there is already a point of this name");
  if (status) return status;
  hn_body body = hn_add_body(reader->model, &def);
  if (body.id < 0) return reader->model->failure;
  // named points of bars and plates are frames, then those that are listed
  hn_refill_keep(reader, HN_REFILL_BODY, body.id, e, &keys, sizeof keys);
  status = hn_read_point_frames(reader, e, body);
  return status ? status : read_frames(reader, hn_yaml_get(e, "frames"), body);
}

hn_status hn_read_bodies(hn_reader *reader) {
  const hn_yaml *section;
  hn_status status = hn_section_open(reader, "bodies", &section);
  for (const hn_yaml *e = section ? section->first : NULL; e && !status; e = e->next)
    status = read_body(reader, e);
  return status;
}

// ---- beams ---------------------------------------------------------------------------------

// `from` and `to` stand for the two points of a straight beam
// `point` is the caller's, and lives until the beam is added.
static hn_status read_ends(hn_reader *reader, const hn_yaml *e, hn_beam_def *def, double point[6]) {
  const hn_yaml *from = hn_yaml_get(e, "from"), *to = hn_yaml_get(e, "to");
  // points `along` are there, or the checks say what is missing
  if (!from && !to) return HN_OK;
  if (!from || !to || def->points)
    return hn_read_fail(reader, (from ? from : to)->key, HN_ERR_MODEL,
                        "a beam goes from one point to another ('from' and 'to'), or 'along' "
                        "several");
  hn_status status = hn_read_position(reader, from, "from", point);
  if (!status) status = hn_read_position(reader, to, "to", point + 3);
  // also after a failure: the caller looks at the status first
  def->points = point, def->point_count = 2;
  return status;
}

// A section that is given by numbers has axes that a mirror would turn into others.
static hn_status read_beam(hn_reader *reader, const hn_yaml *e) {
  hn_beam_def def = {0};
  double point[6];
  hn_section_entry(reader, "beam", e);
  hn_status status = hn_need_map(reader, e);
  if (!status) status = hn_section_name(reader, e, &def.name);
  if (!status) status = hn_read_fields(reader, e, NULL, hn_beam_fields, NULL, "", &def);
  if (!status) status = read_ends(reader, e, &def, point);
  if (status) return status;
  const hn_scope *scope = reader->scope;
  if (scope->mirrored && (def.stiffness6 || def.mass6 || def.twist != 0))
    return hn_read_fail(reader, e->key, HN_ERR_MODEL,
                        "a beam of a part that is mirrored needs a profile and no twist: its "
                        "numbers would have to be mirrored, too");
  // of a part that is turned "up" is the part's z
  if (def.kind == HN_SPATIAL && v3_norm(def.up) == 0 && hn_scope_turned(scope)) def.up[2] = 1;
  hn_scope_direction(scope, def.up);
  hn_scope_direction(scope, def.velocity);
  hn_scope_direction(scope, def.angular_velocity);
  // a mirror turns axial vectors round
  if (scope->mirrored) v3_scale(def.angular_velocity, -1, def.angular_velocity);
  return hn_add_beam(reader->model, &def).id < 0 ? reader->model->failure : HN_OK;
}

hn_status hn_read_beams(hn_reader *reader) {
  const hn_yaml *section;
  hn_status status = hn_section_open(reader, "beams", &section);
  for (const hn_yaml *e = section ? section->first : NULL; e && !status; e = e->next)
    status = read_beam(reader, e);
  return status;
}

// ---- flexible bodies -----------------------------------------------------------------------

// where the part is, of which it is one
// Matrices of finite elements count in the body's own axes, which may be turned but not mirrored.
static hn_status place_flexible(hn_reader *reader, const hn_yaml *e, hn_flexible_def *def) {
  const hn_scope *scope = reader->scope;
  double R[9], T[9];
  // the file's own axes are the world's
  if (!scope->outer) return HN_OK;
  if (scope->mirrored)
    return hn_read_fail(reader, e->key, HN_ERR_MODEL,
                        "a flexible body cannot be in a part that is mirrored: its matrices would "
                        "have to be mirrored, too");
  // a given position went through the scope when it was read
  if (!hn_yaml_get(e, "position")) hn_scope_point(scope, def->position);
  hn_scope_direction(scope, def->velocity);
  hn_scope_direction(scope, def->angular_velocity);
  // all zeros become no turn
  q_normalise(def->orientation);
  q_matrix(R, def->orientation);
  m3_mul(T, scope->Q, R);
  q_from_matrix(def->orientation, T);
  return HN_OK;
}

static hn_status read_flexible(hn_reader *reader, const hn_yaml *e) {
  hn_flexible_def def = {0};
  hn_section_entry(reader, "flexible body", e);
  hn_status status = hn_need_map(reader, e);
  if (!status) status = hn_section_name(reader, e, &def.name);
  if (!status) status = hn_read_fields(reader, e, NULL, hn_flexible_fields, NULL, "", &def);
  if (!status) status = place_flexible(reader, e, &def);
  return status ? status : hn_add_flexible(reader->model, &def);
}

hn_status hn_read_flexibles(hn_reader *reader) {
  const hn_yaml *section;
  hn_status status = hn_section_open(reader, "flexible", &section);
  for (const hn_yaml *e = section ? section->first : NULL; e && !status; e = e->next)
    status = read_flexible(reader, e);
  return status;
}

// Blocks are read later, so the sections are asked: those of the file and of the parts it uses.
static bool has_blocks(const hn_reader *reader) {
  for (const hn_scope *scope = reader->scope; scope; scope = scope->next) {
    const hn_yaml *blocks = hn_yaml_get(scope->map, "blocks");
    if (blocks && !hn_yaml_is_empty(blocks)) return true;
  }
  return false;
}

// called in the scope of the file, when all others are known
hn_status hn_need_bodies(hn_reader *reader) {
  const hn_yaml *root = hn_yaml_root(reader->doc), *bodies = hn_yaml_get(root, "bodies");
  if (reader->model->body_count > 1 || has_blocks(reader)) return HN_OK;
  hn_section_enter(reader, "bodies");
  bool given = bodies && bodies->kind == HN_YAML_MAP;
  return hn_read_fail(reader, given ? bodies : root, HN_ERR_MODEL, "the model has no bodies");
}
