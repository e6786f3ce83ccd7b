// robot.c: links, joints, names, and what is to be said about the reading of a robot file.
//
// Formats hand in links, joints and frames with the names of their file; here they get names that a
// model file can have, unlike each other and unlike all words of formulas. What is said about the
// reading comes in four kinds, from what ends it to what does not matter; see robot.h.
#include "robots/robot.h"

#include "base/elementary.h"
#include "base/file.h"
#include "base/vec.h"
#include "expr/expr.h"
#include "model/model.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hn_robot_destroy(hn_robot *robot) {
  hn_pool_free(&robot->pool);
  free(robot->link), free(robot->joint), free(robot->frame), free((void *)robot->used);
  free(robot->gear);
  free(robot->report.data), free(robot->signals.data), free(robot->extra_joints.data);
  free(robot->forces.data), free(robot->states.data);
}

// ---- what is to be said --------------------------------------------------------------------

// The file of a node is its own: parts of a robot may come from included files.
static void place_text(char out[300], const hn_robot *robot, const hn_xml *node) {
  if (node)
    snprintf(out, 300, "%.200s:%d:%d", node->file, node->line, node->column);
  else
    snprintf(out, 300, "%.200s", robot->file);
}

static void out_of_memory(hn_robot *robot) {
  if (!robot->status) robot->status = hn_fail(robot->message, HN_ERR_MEMORY, "out of memory");
}

// The first failure stays: what follows from it would only hide it. Control characters of the file
// do not reach the terminal.
void hn_robot_fail(hn_robot *robot, const hn_xml *node, hn_status status, const char *format, ...) {
  if (robot->status) return;
  char what[256], at[300];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  hn_make_printable(what);
  place_text(at, robot, node);
  robot->status = hn_fail(robot->message, status, "%s: %s", at, what);
}

// One line of the report: place, kind and what it is about.
static void say(hn_robot *robot, const hn_xml *node, const char *kind, const char *format,
                va_list args) {
  char what[256], at[300];
  vsnprintf(what, sizeof what, format, args);
  hn_make_printable(what);
  place_text(at, robot, node);
  hn_text_add(&robot->report, "%s: %s: %s\n", at, kind, what);
}

// Lenient reading goes on without it and counts it; otherwise this is an end, and the message says
// that lenient reading would leave it out.
void hn_robot_wrong(hn_robot *robot, const hn_xml *node, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (robot->lenient) {
    robot->left_out++;
    say(robot, node, "left out", format, args);
  } else {
    char what[200];
    vsnprintf(what, sizeof what, format, args);
    hn_robot_fail(robot, node, HN_ERR_UNSUPPORTED,
                  "%s; the motion would be wrong without it (lenient reading leaves it out)", what);
  }
  va_end(args);
}

void hn_robot_approximated(hn_robot *robot, const hn_xml *node, const char *format, ...) {
  va_list args;
  va_start(args, format);
  robot->approximated++;
  say(robot, node, "approximated", format, args);
  va_end(args);
}

void hn_robot_ignored(hn_robot *robot, const hn_xml *node, const char *format, ...) {
  va_list args;
  va_start(args, format);
  robot->ignored++;
  say(robot, node, "ignored", format, args);
  va_end(args);
}

// An element that nobody looked at is told once, not with all that is in it.
void hn_robot_tell_unseen(hn_robot *robot, hn_xml *element) {
  if (!element->seen) {
    hn_robot_ignored(robot, element, "<%.60s>", element->name);
    return;
  }
  for (hn_xml_attribute *a = element->attribute; a; a = a->next)
    if (!a->seen)
      hn_robot_ignored(robot, element, "<%.60s> %.60s=\"%.60s\"", element->name, a->name, a->value);
  for (hn_xml *e = element->first; e; e = e->next) hn_robot_tell_unseen(robot, e);
}

// ---- values of attributes ------------------------------------------------------------------

static size_t count_digits(const char *text, size_t at, size_t length) {
  size_t n = 0;
  while (at + n < length && isdigit((unsigned char)text[at + n])) n++;
  return n;
}

// "-1.5e3": nothing else is a number in a robot file, not even inf. The parser of formulas, which
// gives the value, would take 5-3 for one
static bool is_decimal(const char *text, size_t length) {
  size_t at = *text == '+' || *text == '-', whole = count_digits(text, at, length);
  bool point = at + whole < length && text[at + whole] == '.';
  size_t part = point ? count_digits(text, at + whole + 1, length) : 0;
  at += whole + point + part;
  if (whole + part == 0) return false;
  if (at == length) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  at++;
  if (at < length && (text[at] == '+' || text[at] == '-')) at++;
  size_t digits = count_digits(text, at, length);
  return digits > 0 && at + digits == length;
}

static bool parse_one(const char *text, size_t length, double *value) {
  bool plus = *text == '+';
  return is_decimal(text, length) &&
         hn_parse_number(text + plus, length - plus, NULL, NULL, value, NULL);
}

// Stops at the first that is no number. Nothing is returned of a list with a mistake in it, so that
// no half of a vector is used.
int hn_robot_parse(hn_robot *robot, hn_xml *node, const char *attribute, const char *text,
                   double *out, int least, int most) {
  static const char blank[] = " \t\r\n";
  int count = 0;
  for (const char *s = text + strspn(text, blank); *s; s += strspn(s, blank)) {
    size_t length = strcspn(s, blank);
    if (count == most || !parse_one(s, length, &out[count])) {
      hn_robot_fail(robot, node, HN_ERR_SYNTAX, "<%.40s> %.40s: %s '%.*s'", node->name, attribute,
                    count == most ? "too many numbers:" : "not a finite number:",
                    (int)(length < 40 ? length : 40), s);
      return 0;
    }
    count++;
    s += length;
  }
  if (count >= least) return count;
  hn_robot_fail(robot, node, HN_ERR_SYNTAX, "<%.40s> %.40s: %d number%s expected, %d found",
                node->name, attribute, least, least == 1 ? "" : "s", count);
  return 0;
}

int hn_robot_numbers(hn_robot *robot, hn_xml *node, const char *attribute, double *out, int least,
                     int most) {
  const char *text = hn_xml_get(node, attribute);
  if (!text || robot->status) return 0;
  return hn_robot_parse(robot, node, attribute, text, out, least, most);
}

bool hn_robot_number(hn_robot *robot, hn_xml *node, const char *attribute, double *out) {
  return hn_robot_numbers(robot, node, attribute, out, 1, 1) == 1;
}

// ---- names ---------------------------------------------------------------------------------

const char *hn_robot_text(hn_robot *robot, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = length < 0 ? NULL : hn_pool_take(&robot->pool, (size_t)length + 1);
  if (!text) {
    out_of_memory(robot);
    return "";
  }
  va_start(args, format);
  vsnprintf(text, (size_t)length + 1, format, args);
  va_end(args);
  return text;
}

// Every name of the model file: parts of a robot share one space of names there, and formulas read
// signals by their bare names, where a unit or a function of that name would hide them.
static bool name_taken(const hn_robot *robot, const char *name) {
  // words of the model file and of its formulas
  if (hn_word_in(name, "ground energy residual time constraints") || hn_model_formula_word(name))
    return true;
  for (int i = 0; hn_unit_at(i); i++)
    if (strcmp(hn_unit_at(i)->name, name) == 0 && !hn_unit_at(i)->gives_way) return true;
  for (int i = 0; i < robot->used_count; i++)
    if (strcmp(robot->used[i], name) == 0) return true;
  return false;
}

// Letters that a name cannot have become underlines. A name that is taken gets the kind of the part
// behind it, then a number: "arm" twice, as link and joint, is "arm" and "arm_joint". The search is
// linear in the names so far, whose number is limited.
const char *hn_robot_name(hn_robot *robot, const char *wanted, const char *kind) {
  char clean[56], name[72];
  size_t n = 0;
  if (!wanted || !*wanted) wanted = kind;
  if (isdigit((unsigned char)*wanted)) clean[n++] = '_';
  for (const char *c = wanted; *c && n < sizeof clean - 1; c++)
    clean[n++] = isalnum((unsigned char)*c) && (unsigned char)*c < 128 ? *c : '_';
  clean[n] = 0;
  snprintf(name, sizeof name, "%s", clean);
  // what else is called so is mostly of another kind
  if (robot->used_count >= HN_ROBOT_PARTS) {
    hn_robot_fail(robot, NULL, HN_ERR_UNSUPPORTED, "more than %d named parts", HN_ROBOT_PARTS);
    return "";
  }
  if (name_taken(robot, name)) snprintf(name, sizeof name, "%.40s_%s", clean, kind);
  for (int k = 2; name_taken(robot, name); k++)
    snprintf(name, sizeof name, "%.40s_%s%d", clean, kind, k);
  if (!hn_grow((void **)&robot->used, &robot->used_room, robot->used_count, sizeof *robot->used)) {
    out_of_memory(robot);
    return "";
  }
  return robot->used[robot->used_count++] = hn_robot_text(robot, "%s", name);
}

// ---- parts ---------------------------------------------------------------------------------

// The link of its joint is set here: a joint is added before the link that it moves.
int hn_robot_add_link(hn_robot *robot, const hn_robot_link *link) {
  if (robot->status) return -1;
  if (!hn_grow((void **)&robot->link, &robot->link_room, robot->links, sizeof *link))
    return out_of_memory(robot), -1;
  robot->link[robot->links] = *link;
  if (link->joint >= 0) robot->joint[link->joint].link = robot->links;
  return robot->links++;
}

int hn_robot_add_joint(hn_robot *robot, const hn_robot_joint *joint) {
  if (robot->status) return -1;
  if (!hn_grow((void **)&robot->joint, &robot->joint_room, robot->joints, sizeof *joint))
    return out_of_memory(robot), -1;
  robot->joint[robot->joints] = *joint;
  return robot->joints++;
}

// Frames are gathered whether or not something uses them; only those that are `wanted` are written.
int hn_robot_add_frame(hn_robot *robot, const char *name, int link, const hn_rigid *place) {
  if (robot->status) return -1;
  if (!hn_grow((void **)&robot->frame, &robot->frame_room, robot->frames, sizeof *robot->frame))
    return out_of_memory(robot), -1;
  robot->frame[robot->frames] =
      (hn_robot_frame){.name = hn_robot_name(robot, name, "frame"), .link = link, .place = *place};
  robot->frame[robot->frames].source = name ? hn_robot_text(robot, "%s", name) : NULL;
  return robot->frames++;
}

int hn_robot_find_link(const hn_robot *robot, const char *source) {
  for (int i = 0; i < robot->links; i++)
    if (robot->link[i].source && strcmp(robot->link[i].source, source) == 0) return i;
  return -1;
}

int hn_robot_find_joint(const hn_robot *robot, const char *source) {
  for (int i = 0; i < robot->joints; i++)
    if (robot->joint[i].source && strcmp(robot->joint[i].source, source) == 0) return i;
  return -1;
}

int hn_robot_find_frame(const hn_robot *robot, const char *source) {
  for (int i = 0; i < robot->frames; i++)
    if (robot->frame[i].source && strcmp(robot->frame[i].source, source) == 0) return i;
  return -1;
}

const char *hn_robot_coordinate(const hn_robot_joint *joint) {
  return joint->kind == HN_ROBOT_SLIDE ? "translation" : "angle";
}

// A zero has no sign in a file for people.
const char *hn_robot_number_text(hn_robot *robot, double x) {
  char text[HN_NUMBER_SIZE];
  hn_number_text(text, x == 0 ? 0 : x);
  return hn_robot_text(robot, "%s", text);
}

// ---- places --------------------------------------------------------------------------------

const hn_rigid hn_rigid_none = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};

void hn_rigid_point(double o[3], const hn_rigid *a, const double x[3]) {
  double y[3];
  m3_mulv(y, a->R, x);
  v3_add(o, a->p, y);
}

// b first, then a: what is x in b's axes is a (b x).
void hn_rigid_mul(hn_rigid *o, const hn_rigid *a, const hn_rigid *b) {
  hn_rigid c;
  hn_rigid_point(c.p, a, b->p);
  m3_mul(c.R, a->R, b->R);
  *o = c;
}

void hn_rigid_inverse(hn_rigid *o, const hn_rigid *a) {
  hn_rigid c;
  m3_transpose(c.R, a->R);
  m3_mulv(c.p, c.R, a->p);
  v3_scale(c.p, -1, c.p);
  *o = c;
}

// By the quaternion of the turn, which keeps R orthogonal to rounding whatever the angle is.
void hn_turn_matrix(double R[9], const double axis[3], double angle) {
  double s = hn_sin(angle / 2), q[4] = {hn_cos(angle / 2), s * axis[0], s * axis[1], s * axis[2]};
  q_matrix(R, q);
}

// The third axis completes a right-handed frame; without `side` x is any direction across.
void hn_axes_along(double R[9], const double axis[3], const double *side) {
  double x[3], y[3];
  if (side)
    v3_copy(x, side);
  else
    v3_perpendicular(x, axis);
  v3_cross(y, axis, x);
  for (int i = 0; i < 3; i++) R[3 * i] = x[i], R[3 * i + 1] = y[i], R[3 * i + 2] = axis[i];
}
