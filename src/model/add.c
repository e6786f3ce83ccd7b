// add.c: adding bodies, frames, joints and forces, with every check that needs no equations.
//
// The reader adds elements through these functions too, so a file and a C program are told the
// same things.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/add.h"
#include "model/check.h"
#include "model/fields.h"
#include "model/heights.h"
#include "model/inertia.h"
#include "model/model.h"
#include "model/shape.h"

// ---- common --------------------------------------------------------------------------------

// Every function below leaves the model as it was when it fails: what was copied is freed, and
// counts are raised last.
static hn_status out_of_memory(hn_model *model) {
  return hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
}

static void set_subject(hn_model *model, const char *kind, const char *name) {
  hn_model_subject(model, kind, name, NULL);
}

// clearing a model without memory for its ground leaves it unusable
// body_count is at least one in any model that can be used: the ground.
static hn_status check_usable(hn_model *model) {
  return model->body_count == 0 ? out_of_memory(model) : HN_OK;
}

static bool is_planar(const hn_body_def *def) {
  return def->kind == HN_PLANAR || def->kind == HN_PLANAR_POINT;
}

static bool is_point(const hn_body_def *def) {
  return def->kind == HN_POINT || def->kind == HN_PLANAR_POINT;
}

// anything but zero, which means "not given", gets unit length
static void normalise_quaternion(double q[4]) {
  double largest = 0;
  for (int i = 0; i < 4; i++) largest = fmax(largest, fabs(q[i]));
  if (largest == 0) return;  // the first that is not zero would overflow its square at 1e200
  for (int i = 0; i < 4; i++) q[i] /= largest;  // no overflow, no underflow
  q_normalise(q);
}

// ---- bodies --------------------------------------------------------------------------------

// More are a mistake, or belong into a mesh.
enum { MOST_SHAPES = 1000 };

// Components that the kind of body cannot have: they would be dropped in silence otherwise.
static hn_status need_zero(hn_model *model, const char *key, const double x[3], int first, int last,
                           const char *why) {
  // each component of its own, so that a NaN is no zero either
  for (int i = first; i <= last; i++)
    if (x[i] != 0) return hn_element_fail(model, key, "%s", why);
  return HN_OK;
}

static hn_status check_planar_body(hn_model *model, const hn_body_def *def) {
  hn_status status = need_zero(model, "position", def->position, 2, 2,
                               "a planar body moves in the x-y plane: z of its position must be 0");
  if (!status)
    status = need_zero(model, "velocity", def->velocity, 2, 2,
                       "a planar body moves in the x-y plane: z of its velocity must be 0");
  if (!status)
    status = need_zero(model, "com", def->com, 2, 2,
                       "a planar body lies in the x-y plane: z of its com must be 0");
  if (!status)
    status = need_zero(model, "angular_velocity", def->angular_velocity, 0, 1,
                       "a planar body turns about z only");
  return status;
}

static hn_status check_point_body(hn_model *model, const hn_body_def *def) {
  hn_status status = need_zero(model, "com", def->com, 0, 2, "a point has no extent: no com");
  if (!status)
    status = need_zero(model, "angular_velocity", def->angular_velocity, 0, 2,
                       "a point does not turn: no angular_velocity");
  if (!status && def->angle != 0)
    return hn_element_fail(model, "angle", "a point does not turn: no angle");
  return status;
}

// Ranges of single keys first (hn_check_fields), then what keys mean together.
static hn_status check_body(hn_model *model, const hn_body_def *def) {
  if ((unsigned)def->kind > HN_PLANAR_POINT)  // also of negative numbers, which a C enum may hold
    return hn_element_fail(model, "type", "there is no kind of body number %d", (int)def->kind);
  if (def->shape_count < 0 || def->shape_count > MOST_SHAPES ||
      (def->shape_count > 0 && !def->shapes))
    return hn_element_fail(model, "shapes", "a body has up to %d shapes", MOST_SHAPES);
  // HN_HOLD_VELOCITY is the highest bit
  if (def->hold & ~(unsigned)(HN_HOLD_VELOCITY * 2 - 1))
    return hn_element_fail(model, "hold", "hold has unknown bits");
  hn_status status = hn_check_fields(model, NULL, hn_body_fields, NULL, def);
  if (status) return status;
  // all zeros stand for "as the world", so that a definition may be left at {0}
  bool turned = false;
  for (int i = 0; i < 4; i++) turned = turned || def->orientation[i] != 0;
  if (turned && is_point(def))
    return hn_element_fail(model, "orientation", "a point does not turn: no orientation");
  if (turned && is_planar(def))
    return hn_element_fail(model, "orientation", "a planar body has an 'angle', no orientation");
  if (def->angle != 0 && def->kind == HN_SPATIAL)
    return hn_element_fail(model, "angle",
                           "a spatial body has an 'orientation', no angle "
                           "(or is its type to be planar?)");
  if (is_planar(def)) status = check_planar_body(model, def);  // z of places, turns about x and y
  if (!status && is_point(def)) status = check_point_body(model, def);
  return status;
}

// Mass, centre and inertia are completed here, so that nobody after this has to ask where they came
// from. The shapes are copied first: their materials become densities in the copy.
hn_status hn_body_prepare(hn_model *model, hn_body_def *def) {
  hn_status status = check_body(model, def);
  if (status) return status;
  hn_shape_def *shapes = NULL;
  if (def->shape_count > 0) shapes = hn_shapes_copy(model, def->shapes, def->shape_count);
  if (def->shape_count > 0 && !shapes) return out_of_memory(model);
  def->shapes = shapes;
  status = hn_inertia_complete(model, def, shapes);
  if (status) hn_shapes_free(shapes, def->shape_count);
  normalise_quaternion(def->orientation);
  return status;
}

static hn_body add_body(hn_model *model, const hn_body_def *given) {
  const hn_body refused = {-1};
  if (check_usable(model)) return refused;
  hn_body_def def = *given;
  set_subject(model, "body", def.name);
  // from here on the copies are the model's, whatever happens to the caller's
  // after the checks: they are about what was written
  if (hn_model_check_name(model, def.name) || hn_body_prepare(model, &def)) return refused;

  int index = model->body_count;
  // the struct holds const pointers for callers; in the model they are owned
  def.name = hn_strdup(def.name);
  // Indexed last: a name in the table must not outlive the element.
  if (!def.name ||
      !hn_grow((void **)&model->body, &model->body_capacity, index, sizeof *model->body) ||
      !hn_model_index(model, HN_SCOPE_BODY, def.name, index)) {
    free((void *)def.name);
    hn_shapes_free(def.shapes, def.shape_count);
    out_of_memory(model);
    return refused;
  }
  // the place is that of the element's key in the file
  model->body[index] = (hn_model_body){def, model->now};
  model->body_count++;
  return (hn_body){index};
}

// The size is that of the caller's struct (definition.c).
// one place for all failures: whatever the reason, hn_compile will give it
hn_body hn_add_body_sized(hn_model *model, const hn_body_def *def, size_t size) {
  hn_body_def own;
  hn_body added = {-1};
  if (!hn_take_definition(model, &own, sizeof own, def, size)) added = add_body(model, &own);
  if (added.id < 0) hn_model_spoil(model);
  return added;
}

// ---- frames --------------------------------------------------------------------------------

// Frames of the ground may be anywhere; those of planar bodies lie in the plane.
// before the name is looked at: a frame's full name needs its body
hn_status hn_frame_prepare(hn_model *model, hn_frame_def *def) {
  const hn_body_def *body = &model->body[def->body.id].def;
  hn_status status = hn_check_fields(model, NULL, hn_frame_fields, NULL, def);
  bool point = def->body.id != 0 && is_point(body), plane = def->body.id != 0 && is_planar(body);
  if (!status && point)
    status = need_zero(model, "position", def->position, 0, 2,
                       "a point has no extent: its frames have position 0");
  else if (!status && plane)
    status = need_zero(model, "position", def->position, 2, 2,
                       "a planar body lies in the x-y plane: z must be 0");
  normalise_quaternion(def->orientation);
  return status;
}

static hn_frame add_frame(hn_model *model, const hn_frame_def *given) {
  const hn_frame refused = {-1};
  if (check_usable(model)) return refused;
  hn_frame_def def = *given;
  set_subject(model, "frame", def.name);
  if (def.body.id < 0 || def.body.id >= model->body_count) {
    hn_element_fail(model, NULL, "there is no body number %d", def.body.id);
    return refused;
  }
  hn_model_subject(model, "frame", def.name, model->body[def.body.id].def.name);
  if (hn_model_check_frame_name(model, def.body.id, def.name) || hn_frame_prepare(model, &def))
    return refused;

  int index = model->frame_count;
  def.name = hn_strdup(def.name);
  // the number of the body is the scope, so each body has frames of its own names
  if (!def.name ||
      !hn_grow((void **)&model->frame, &model->frame_capacity, index, sizeof *model->frame) ||
      !hn_model_index(model, def.body.id, def.name, index)) {
    free((void *)def.name);
    out_of_memory(model);
    return refused;
  }
  model->frame[index] = (hn_model_frame){def, model->now};
  model->frame_count++;
  // handles begin with 1, so that {0} is "no frame"
  return (hn_frame){index + 1};
}

hn_frame hn_add_frame_sized(hn_model *model, const hn_frame_def *def, size_t size) {
  hn_frame_def own;
  hn_frame added = {-1};
  if (!hn_take_definition(model, &own, sizeof own, def, size)) added = add_frame(model, &own);
  if (added.id < 0) hn_model_spoil(model);
  return added;
}

// ---- what joints and forces share ----------------------------------------------------------

// With a suggestion, where a type of nearly this name exists.
const hn_type_info *hn_model_find_type(hn_model *model, const hn_family *family, const char *name) {
  if (!name || !*name) {
    hn_element_fail(model, "type", "type is missing");
    return NULL;
  }
  const hn_type_info *type = hn_family_type(family, name);
  if (type) return type;
  // more than there are types; one is left for the NULL at the end
  const char *names[128];
  int count = 0;
  for (const hn_type_info *t; count < 127 && (t = family->type_at(count));)
    names[count++] = t->name;
  names[count] = NULL;
  const char *near = hn_nearest(name, names);
  if (near)
    hn_element_fail(model, "type", "no %s type '%.60s' (did you mean '%s'?)", family->word, name,
                    near);
  else
    hn_element_fail(model, "type", "no %s type '%.60s'", family->word, name);
  return NULL;
}

// Handles come from programs as well as from the reader: they are not trusted.
static hn_status check_end(hn_model *model, const char *key, hn_end end) {
  if (end.body.id < 0 || end.body.id >= model->body_count)
    return hn_element_fail(model, key, "end %s: there is no body number %d", key, end.body.id);
  if (end.frame.id < 0 || end.frame.id > model->frame_count)
    return hn_element_fail(model, key, "end %s: there is no frame number %d", key, end.frame.id);
  if (end.frame.id == 0) return HN_OK;
  const hn_frame_def *frame = &model->frame[end.frame.id - 1].def;
  // a frame carries its body: an end that names another one was put together from two
  if (frame->body.id != end.body.id)
    return hn_element_fail(model, key, "end %s: frame '%s' belongs to '%s', not to '%s'", key,
                           frame->name, model->body[frame->body.id].def.name,
                           model->body[end.body.id].def.name);
  return HN_OK;
}

// either between two bodies or on the coordinates of joints, never both
// Which of the two a type allows follows from its keys (hn_type_has_ends, hn_type_has_joint).
static hn_status check_ends(hn_model *model, const hn_type_info *type, hn_end a, hn_end b,
                            const char *joint_key, const char *joint) {
  hn_status status = check_end(model, "a", a);
  if (!status) status = check_end(model, "b", b);
  if (status) return status;
  bool bodies = a.body.id != 0 || b.body.id != 0;  // 0, the ground, is what an end left out is
  if (bodies && joint)
    return hn_element_fail(model, joint_key, "acts on a joint or between two bodies, not both");
  if (joint) return HN_OK;
  if (!hn_type_has_ends(type)) return HN_OK;  // its joint is a required key
  if (!bodies && hn_type_has_joint(type))
    return hn_element_fail(model, "type", "%s needs '%s', or bodies a and b", type->name,
                           joint_key);
  if (!bodies) return hn_element_fail(model, "b", "acts on no body: a and b are the ground");
  if (a.body.id == b.body.id)
    return hn_element_fail(model, "b", "connects body '%s' to itself",
                           model->body[a.body.id].def.name);
  return HN_OK;
}

static bool given(const double x[3]) {
  return x[0] != 0 || x[1] != 0 || x[2] != 0;
}

// a place is given by frames or by coordinates, not by both
// Zero is a place like any other for the reader, but means "not given" here: a program that wants
// the origin and a frame cannot be told from one that wants the frame.
static hn_status check_places(hn_model *model, const hn_type_info *type, hn_end a, hn_end b,
                              const double at[3], const double at_b[3]) {
  bool two_points = hn_word_in("at_b", type->keys);
  const char *key = NULL, *end = a.frame.id ? "a" : "b";
  // of two points the frame of b is that of the second, so a first one may be written
  if (given(at) && (a.frame.id || (b.frame.id && !two_points))) key = "at";
  if (given(at_b) && b.frame.id) key = "at_b", end = "b";
  if (!key) return HN_OK;
  return hn_element_fail(model, key, "the place is given twice: by '%s' and by the frame of end %s",
                         key, end);
}

// what the definition points to becomes the model's own; heights are read before
static hn_status keep_fields(hn_model *model, const hn_family *family, const hn_field *fields,
                             const hn_type_info *type, const hn_heights *heights, void *def) {
  double *room;
  hn_status status = hn_heights_complete(model, heights, &room);
  if (!status && !hn_fields_copy(family, fields, type, def)) status = out_of_memory(model);
  free(room);
  return status;
}

// ---- joints --------------------------------------------------------------------------------

// Point masses have no axes that a joint could hold.
static hn_status check_points(hn_model *model, const hn_joint_def *def) {
  const hn_end end[2] = {def->a, def->b};
  const char *const key[2] = {"a", "b"};
  for (int i = 0; i < 2; i++) {
    const hn_body_def *body = &model->body[end[i].body.id].def;
    // the ground can hold axes
    if (end[i].body.id > 0 && is_point(body))
      return hn_element_fail(model, key[i],
                             "%s needs bodies that can turn, '%s' is a point "
                             "(use 'spherical' or 'distance')",
                             def->type, body->name);
  }
  return HN_OK;
}

// one that only keeps bodies apart, as its keys tell: it takes impacts, and not those of limits
static bool is_stop(const hn_type_info *type) {
  return hn_word_in("restitution", type->keys) && !hn_word_in("limits", type->keys);
}

// of stops: what cannot be meant
// Of stops and of joints with limits, which become stops (add_limits).
static hn_status check_stop(hn_model *model, const hn_joint_def *def, const hn_type_info *type) {
  if (def->restitution > 1)
    return hn_element_fail(model, "restitution",
                           "restitution must not be larger than 1: no impact gains energy");
  if (def->limits && def->limit_count != 2)
    return hn_element_fail(model, "limits", "limits has two numbers, lower and upper, not %d",
                           def->limit_count);
  // also refuses NaN
  if (def->limits && !(def->limits[0] < def->limits[1]))
    return hn_element_fail(model, "limits",
                           "limits: the lower one, %g, must be less than the upper one, %g (a "
                           "coordinate that cannot move is held by a joint of type 'coordinate')",
                           def->limits[0], def->limits[1]);
  if (!def->limits && def->restitution != 0 && !is_stop(type))
    return hn_element_fail(model, "restitution",
                           "restitution has no effect: the joint has no limits");
  // the flags tell zero from "not given", both of which are limits
  if (is_stop(type) && def->lower_given && def->upper_given)
    return hn_element_fail(model, "upper",
                           "a limit is either lower or upper (give one of them; two limits may act "
                           "on one coordinate)");
  return HN_OK;
}

static bool comes_and_goes(const hn_joint_def *def) {
  return def->active || def->catches || def->breaks > 0 || def->breaks_torque > 0;
}

// of joints that come and go: what cannot be meant
// Stops open and close by themselves; a condition on top of that would contradict them.
static hn_status check_gate(hn_model *model, const hn_joint_def *def, const hn_type_info *type) {
  // nothing of it is evaluated here: formulas meet the joints in compile
  if (def->active && def->catches)
    return hn_element_fail(model, "catches",
                           "a joint is there while 'active' is true, or from where it 'catches': "
                           "give one of them");
  if (def->releases && !def->catches)
    return hn_element_fail(model, "releases",
                           "releases has no effect: the joint catches nothing (give catches, or "
                           "active alone)");
  if (comes_and_goes(def) && (is_stop(type) || strcmp(def->type, "grip") == 0))
    return hn_element_fail(
        model, NULL,
        "a joint of type %s comes and goes by itself and cannot be switched, nor "
        "break",
        def->type);
  return HN_OK;
}

static hn_status check_joint(hn_model *model, const hn_joint_def *def, const hn_type_info *type) {
  hn_status status = check_ends(model, type, def->a, def->b, "joint_a", def->joint_a);
  if (!status) status = check_places(model, type, def->a, def->b, def->at, def->at_b);
  if (!status) status = hn_check_fields(model, model->joints, hn_joint_fields, type, def);
  if (status) return status;
  // a coupling of itself would be a row of zeros
  const char *self = def->joint_a && strcmp(def->joint_a, def->name) == 0   ? "joint_a"
                     : def->joint_b && strcmp(def->joint_b, def->name) == 0 ? "joint_b"
                                                                            : NULL;
  if (self) return hn_element_fail(model, self, "%s names the joint itself", self);
  status = check_stop(model, def, type);
  if (!status) status = check_gate(model, def, type);
  if (status) return status;
  // couplings are on coordinates, and those need no axes of their own
  bool turns = !def->joint_a && model->joints->needs_rotation(def->type);
  return turns ? check_points(model, def) : HN_OK;
}

// Numbers that are not zero were given, whoever says so: programs do not set the flags.
hn_status hn_joint_prepare(hn_model *model, hn_joint_def *def, const hn_type_info *type) {
  if (def->rate != 0) def->rate_given = true;
  if (def->lower != 0) def->lower_given = true;
  if (def->upper != 0) def->upper_given = true;
  return check_joint(model, def, type);
}

static hn_joint add_joint(hn_model *model, const hn_joint_def *given_def) {
  const hn_joint refused = {-1};
  if (check_usable(model)) return refused;
  hn_joint_def def = *given_def;
  set_subject(model, "joint", def.name);
  if (hn_model_check_name(model, def.name)) return refused;
  const hn_type_info *type = hn_model_find_type(model, model->joints, def.type);
  if (!type) return refused;
  // the table's own text, so that it can be compared by address and outlives the caller's
  def.type = type->name;
  // programs that write a number have given it; only zero needs the flag
  if (hn_joint_prepare(model, &def, type)) return refused;

  int index = model->joint_count;
  const hn_heights heights = HN_HEIGHTS_OF(&def);
  def.name = hn_strdup(def.name);
  if (keep_fields(model, model->joints, hn_joint_fields, type, &heights, &def)) {
    free((void *)def.name);
    return refused;
  }
  // hn_strdup() may have failed before; both are told together
  if (!def.name ||
      !hn_grow((void **)&model->joint, &model->joint_capacity, index, sizeof *model->joint) ||
      !hn_model_index(model, HN_SCOPE_JOINT, def.name, index)) {
    free((void *)def.name);
    hn_fields_free(model->joints, hn_joint_fields, type, &def);
    out_of_memory(model);
    return refused;
  }
  // copied as a struct: what it points to is the model's now
  model->joint[index] = (hn_model_joint){def, model->now};
  model->joint_count++;
  return (hn_joint){index + 1};
}

// limits of a joint's own coordinate are joints of their own, named after it
// "hinge.lower" and "hinge.upper", of type limit, on the coordinate of the joint they are named
// after. Where the second is refused the model is spoiled, and the first does no harm.
static bool add_limits(hn_model *model, const hn_joint_def *def) {
  static const char *const side[2] = {"lower", "upper"};
  enum { LONGEST = 63 - 6 };  // of a name that ".lower" is put behind
  if (def->limits && strlen(def->name) > LONGEST) {
    hn_element_fail(model, "limits",
                    "a joint with limits has a name of at most %d characters (its stops are called "
                    "after it, with .lower and .upper)",
                    LONGEST);
    return false;
  }
  for (int i = 0; i < 2 && def->limits; i++) {
    // two names of 63 characters and a word between them
    char name[HN_MESSAGE / 2];
    snprintf(name, sizeof name, "%s.%s", def->name, side[i]);
    hn_joint_def limit = {.name = name,
                          .type = "limit",
                          .joint_a = def->name,
                          .coordinate = def->coordinate,
                          .restitution = def->restitution};
    // one of the two members by the side it is on
    *(i ? &limit.upper : &limit.lower) = def->limits[i];
    *(i ? &limit.upper_given : &limit.lower_given) = true;
    if (add_joint(model, &limit).id < 0) return false;
  }
  return true;
}

hn_joint hn_add_joint_sized(hn_model *model, const hn_joint_def *def, size_t size) {
  hn_joint_def own;
  hn_joint added = {-1};
  if (!hn_take_definition(model, &own, sizeof own, def, size)) added = add_joint(model, &own);
  if (added.id >= 0 && !add_limits(model, &own)) added.id = -1;
  if (added.id < 0) hn_model_spoil(model);
  return added;
}

// ---- forces --------------------------------------------------------------------------------

// A negative diagonal is a slip, not an odd material; whether the whole is positive is not asked,
// since bushings that only couple are allowed.
static hn_status check_diagonal(hn_model *model, const char *key, const double *matrix) {
  // of rows of six: 0, 7, 14 ...
  for (int i = 0; i < 6 && matrix; i++)
    if (matrix[7 * i] < 0)
      return hn_element_fail(model, key, "%s must not be negative on its diagonal", key);
  return HN_OK;
}

// only a symmetric stiffness has a potential
// 1e-12 of the largest number: what rounding leaves of a matrix that was computed.
static hn_status check_symmetry(hn_model *model, const char *key, const double *matrix) {
  double largest = 0, skew = 0;
  for (int i = 0; i < 36 && matrix; i++) {
    largest = fmax(largest, fabs(matrix[i]));
    // the element at the other side of the diagonal
    skew = fmax(skew, fabs(matrix[i] - matrix[6 * (i % 6) + i / 6]));
  }
  if (skew > 1e-12 * largest) return hn_element_fail(model, key, "%s must be symmetric", key);
  return HN_OK;
}

static hn_status check_force(hn_model *model, const hn_force_def *def, const hn_type_info *type) {
  hn_status status = check_ends(model, type, def->a, def->b, "joint", def->joint);
  if (!status) status = check_places(model, type, def->a, def->b, def->at, def->at_b);
  if (!status) status = hn_check_fields(model, model->forces, hn_force_fields, type, def);
  if (!status) status = check_diagonal(model, "stiffness", def->stiffness6);
  if (!status) status = check_diagonal(model, "damping", def->damping6);
  if (!status) status = check_symmetry(model, "stiffness", def->stiffness6);
  if (!status) status = check_diagonal(model, "mass", def->mass6);
  if (!status) status = check_symmetry(model, "mass", def->mass6);
  if (!status) status = check_diagonal(model, "mass_end", def->mass_end6);
  if (!status) status = check_symmetry(model, "mass_end", def->mass_end6);
  // six or none
  if (!status && def->free6 && def->free6_count != 6)
    return hn_element_fail(model, "free", "free of a %s has six numbers, not %d", type->name,
                           def->free6_count);
  if (!status && def->preload6 && def->preload6_count != 6)
    return hn_element_fail(model, "preload", "preload of a bushing has six numbers, not %d",
                           def->preload6_count);
  if (!status && def->restitution > 1)
    return hn_element_fail(model, "restitution",
                           "restitution must not be larger than 1: no impact gains energy");
  // springs have a free length, torsion springs a free angle, which may have any sign
  if (!status && def->free < 0 && hn_word_in("at_b", type->keys) && !def->joint)
    return hn_element_fail(model, "free", "free must not be negative: it is a length");
  return status;
}

// components left out are zero
static void complete_components(hn_force_def *def) {
  // all three missing is a force without components, which its required keys refuse
  if (!def->components[0] && !def->components[1] && !def->components[2]) return;
  // the text is a constant here; hn_fields_copy makes a copy of it like of any other
  for (int i = 0; i < 3; i++)
    if (!def->components[i]) def->components[i] = "0";
}

hn_status hn_force_prepare(hn_model *model, hn_force_def *def, const hn_type_info *type) {
  if (def->free != 0) def->free_given = true;
  if (def->restitution != 0) def->restitution_given = true;
  hn_status status = check_force(model, def, type);
  complete_components(def);
  return status;
}

// Some forces bring states along (motors, hydraulics): those are added when the force is in.
static hn_force add_force(hn_model *model, const hn_force_def *given_def) {
  const hn_force refused = {-1};
  if (check_usable(model)) return refused;
  hn_force_def def = *given_def;
  set_subject(model, "force", def.name);
  if (hn_model_check_name(model, def.name)) return refused;
  const hn_type_info *type = hn_model_find_type(model, model->forces, def.type);
  if (!type) return refused;
  def.type = type->name;
  if (hn_force_prepare(model, &def, type)) return refused;

  int index = model->force_count;
  const hn_heights heights = HN_HEIGHTS_OF(&def);
  def.name = hn_strdup(def.name);
  if (keep_fields(model, model->forces, hn_force_fields, type, &heights, &def)) {
    free((void *)def.name);
    return refused;
  }
  if (!def.name ||
      !hn_grow((void **)&model->force, &model->force_capacity, index, sizeof *model->force) ||
      !hn_model_index(model, HN_SCOPE_FORCE, def.name, index)) {
    free((void *)def.name);
    hn_fields_free(model->forces, hn_force_fields, type, &def);
    out_of_memory(model);
    return refused;
  }
  model->force[index] = (hn_model_force){def, model->now};
  model->force_count++;
  // the force stays in the model, which is spoiled by what follows
  if (model->forces->states && model->forces->states(model, &def)) return refused;
  return (hn_force){index + 1};
}

hn_force hn_add_force_sized(hn_model *model, const hn_force_def *def, size_t size) {
  hn_force_def own;
  hn_force added = {-1};
  if (!hn_take_definition(model, &own, sizeof own, def, size)) added = add_force(model, &own);
  if (added.id < 0) hn_model_spoil(model);
  return added;
}
// for a suggestion only: without memory the message comes without one
// those whose tension is a single number that the driver's effort can stand for
// by index, not by handle: all joints are looked through
