// mjcf_file.c: included files, default classes and values of MJCF.
//
// An <include> is replaced by the children of the other file's root, as if they had been written
// there; elements keep the file and line they come from, so that messages point to the right one.
#include "base/elementary.h"
#include "robots/mjcf.h"

#include "base/file.h"
#include "base/vec.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- included files ------------------------------------------------------------------------

static hn_xml *read_file(hn_robot *robot, const hn_xml *node, const char *name, int depth) {
  const char *path = hn_robot_beside(robot, name);
  // names are told as they are in the file; paths begin at the folder of the robot
  char *text = NULL, message[HN_MESSAGE];
  size_t length = 0;
  if (hn_load_named(&text, &length, path, message)) {
    hn_robot_fail(robot, node, HN_ERR_FILE, "include '%.80s' cannot be read", name);
    return NULL;
  }
  // depth: how deep the element stands that it goes into
  hn_xml *root =
      hn_xml_parse(&robot->pool, text, length, path, depth, &robot->status, robot->message);
  free(text);
  return root;
}

// the elements of the file take the place of the element
// `before` is the sibling in front of the include, NULL where it is the first.
static void splice(hn_xml *parent, hn_xml *before, hn_xml *node, hn_xml *root) {
  // an empty file leaves nothing in its place
  hn_xml *first = root->first ? root->first : node->next;
  // elements keep their own file and line for messages
  for (hn_xml *e = root->first; e; e = e->next) e->parent = parent;
  if (before)
    before->next = first;
  else
    parent->first = first;
  if (!root->first) {
    // the include was the last of its parent
    if (!node->next) parent->last = before;
    return;
  }
  root->last->next = node->next;
  if (!node->next) parent->last = root->last;
}

// What came in is looked at again, since it may include more; the number of files is limited, which
// ends rings of files as well.
static void include_below(hn_robot *robot, hn_xml *parent, int depth, int *count) {
  hn_xml *before = NULL;
  for (hn_xml *e = parent->first; e && !robot->status;) {
    if (strcmp(e->name, "include") != 0) {
      include_below(robot, e, depth + 1, count);
      before = e, e = e->next;
      continue;
    }
    const char *name = hn_xml_get(e, "file");
    // '..' and absolute paths would read files that belong to nobody's model
    if (!name || !hn_robot_path_stays(name)) {
      hn_robot_fail(robot, e, HN_ERR_FILE, "include '%.80s' leaves the folder of the model",
                    name ? name : "");
      return;
    }
    // a file that includes itself would never end
    if (++*count > HN_MJCF_INCLUDES) {
      hn_robot_fail(robot, e, HN_ERR_SYNTAX, "more than %d included files", HN_MJCF_INCLUDES);
      return;
    }
    hn_xml *root = read_file(robot, e, name, depth);
    if (!root) return;
    splice(parent, before, e, root);
    // what came in may include more
    e = before ? before->next : parent->first;
  }
}

void hn_mjcf_include(hn_mjcf *m) {
  int count = 0;
  include_below(m->robot, m->robot->root, 1, &count);
}

// ---- classes -------------------------------------------------------------------------------

// Classes are nested, and their names are unique over all of them: depth first finds the only one.
static const hn_xml *find_class(const hn_xml *parent, const char *name, int *count) {
  for (hn_xml *e = parent->first; e; e = e->next) {
    if (strcmp(e->name, "default") != 0) continue;
    // counted on the way: a file of a million classes is none
    ++*count;
    const char *own = hn_xml_get(e, "class");
    if (own && strcmp(own, name) == 0) return e;
    const hn_xml *below = find_class(e, name, count);
    if (below) return below;
  }
  return NULL;
}

// "main" is the outermost class, which has no element of its own where a file gives no defaults.
const hn_xml *hn_mjcf_class(hn_mjcf *m, hn_xml *node, const char *attribute,
                            const hn_xml *otherwise) {
  const char *name = hn_xml_get(node, attribute);
  int count = 0;
  if (!name) return otherwise;
  // from the root: <default> may stand anywhere at the top
  const hn_xml *found = find_class(m->robot->root, name, &count);
  if (count > HN_MJCF_CLASSES)
    hn_robot_fail(m->robot, node, HN_ERR_UNSUPPORTED, "more than %d default classes",
                  HN_MJCF_CLASSES);
  else if (!found && strcmp(name, "main") != 0)
    hn_robot_fail(m->robot, node, HN_ERR_MODEL, "no default class named '%.60s'", name);
  return found;
}

hn_mjcf_element hn_mjcf_open(hn_mjcf *m, hn_xml *node, const char *kind, const hn_xml *class) {
  node->seen = true;
  return (hn_mjcf_element){m, node, kind, hn_mjcf_class(m, node, "class", class)};
}

// Of several elements of a kind in one class the last one counts.
static const char *in_class(const hn_xml *class, const char *kind, const char *attribute) {
  const char *found = NULL;
  // later ones overwrite earlier ones
  for (hn_xml *e = class->first; e; e = e->next) {
    const char *value = hn_word_in(e->name, kind) ? hn_xml_get(e, attribute) : NULL;
    if (value) found = value;
  }
  return found;
}

// From the element to its class, outwards through the classes around it, to the outermost one.
const char *hn_mjcf_get(const hn_mjcf_element *e, const char *attribute) {
  const char *value = hn_xml_get(e->node, attribute);
  // classes end where their elements do: above is the document
  for (const hn_xml *c = e->class; !value && c && strcmp(c->name, "default") == 0; c = c->parent)
    value = in_class(c, e->kind, attribute);
  // the outermost class may be written in several places
  for (hn_xml *c = e->m->robot->root->first; !value && c; c = c->next)
    if (strcmp(c->name, "default") == 0) value = in_class(c, e->kind, attribute);
  return value;
}

int hn_mjcf_numbers(const hn_mjcf_element *e, const char *attribute, double *out, int least,
                    int most) {
  const char *text = hn_mjcf_get(e, attribute);
  if (!text || e->m->robot->status) return 0;
  return hn_robot_parse(e->m->robot, e->node, attribute, text, out, least, most);
}

bool hn_mjcf_number(const hn_mjcf_element *e, const char *attribute, double *out) {
  return hn_mjcf_numbers(e, attribute, out, 1, 1) == 1;
}

// "auto" leaves the decision to the caller, as no value does.
bool hn_mjcf_flag(const hn_mjcf_element *e, const char *attribute, bool otherwise) {
  const char *text = hn_mjcf_get(e, attribute);
  // as no value does
  return !text || strcmp(text, "auto") == 0
             ? otherwise
             : strcmp(text, "true") == 0 || strcmp(text, "enable") == 0;
}

// autolimits: a range that is given is in force unless `limited` says no.
bool hn_mjcf_limited(const hn_mjcf_element *e, const char *limited, const char *range,
                     double out[2]) {
  double found[2];
  bool given = hn_mjcf_numbers(e, range, found, 2, 2) == 2;
  // numbers are handed out even where the range is not in force
  if (given) out[0] = found[0], out[1] = found[1];
  return hn_mjcf_flag(e, limited, given && e->m->autolimits) && given;
}

static bool is_called(hn_xml *e, const char *name) {
  const char *own = hn_xml_get(e, "name"), *file = own ? NULL : hn_xml_get(e, "file");
  // a file's name without folder and ending is the name of the asset
  if (!file) return own && strcmp(own, name) == 0;
  const char *slash = strrchr(file, '/'), *stem = slash ? slash + 1 : file, *dot;
  dot = strrchr(stem, '.');
  size_t n = dot ? (size_t)(dot - stem) : strlen(stem);
  return strlen(name) == n && strncmp(stem, name, n) == 0;
}

hn_xml *hn_mjcf_asset(hn_mjcf *m, const char *kind, const char *name) {
  hn_xml *root = m->robot->root;
  for (hn_xml *s = hn_xml_next(root, NULL, "asset"); s; s = hn_xml_next(root, s, "asset"))
    for (hn_xml *e = hn_xml_next(s, NULL, kind); e; e = hn_xml_next(s, e, kind))
      if (is_called(e, name)) return e;
  return NULL;
}

void hn_mjcf_pass(hn_xml *node, const char *attributes) {
  for (hn_xml_attribute *a = node->attribute; a; a = a->next)
    // seen: it is not told as ignored
    if (hn_word_in(a->name, attributes)) a->seen = true;
}

// ---- places --------------------------------------------------------------------------------

// Small letters turn about axes that move along (R A), capitals about those that stay (A R).
static void turn_euler(const hn_mjcf *m, const double angle[3], double R[9]) {
  m3_identity(R);
  for (int k = 0; k < 3; k++) {
    double axis[3] = {0, 0, 0}, A[9], B[9];
    // three letters in the order of turning
    axis[tolower((unsigned char)m->euler[k]) - 'x'] = 1;
    hn_turn_matrix(A, axis, angle[k] * m->angle);
    if (isupper((unsigned char)m->euler[k]))
      m3_mul(B, A, R);
    else
      m3_mul(B, R, A);
    memcpy(R, B, sizeof B);
  }
}

// the least turn that takes z there
// MuJoCo's own choice among all rotations that take z to the direction; half a turn about x where
// it points straight down.
static void turn_to(const double z[3], double R[9]) {
  double up[3] = {0, 0, 1}, axis[3], n = v3_norm(z);
  m3_identity(R);
  v3_cross(axis, up, z);
  double s = v3_norm(axis) / n, c = z[2] / n;
  // along z already, or against it
  if (s < 1e-10) {
    if (c < 0) hn_turn_matrix(R, (double[3]){1, 0, 0}, hn_pi);
    return;
  }
  v3_scale(axis, 1 / (s * n), axis);
  hn_turn_matrix(R, axis, hn_atan2(s, c));
}

static void need_length(const hn_mjcf_element *e, const double *x, int count, const char *what) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += x[i] * x[i];
  // the square of 1e-10: what is shorter has no direction
  if (!(sum > 1e-20))
    hn_robot_fail(e->m->robot, e->node, HN_ERR_MODEL, "<%.40s> %s has no length", e->node->name,
                  what);
}

// The ways exclude each other in MuJoCo; here the first that is given counts.
static void read_orientation(const hn_mjcf_element *e, double R[9]) {
  double x[6], y[3], z[3];
  m3_identity(R);
  if (hn_mjcf_numbers(e, "quat", x, 4, 4)) {
    need_length(e, x, 4, "quat");
    q_matrix(R, x);
  } else if (hn_mjcf_numbers(e, "axisangle", x, 4, 4)) {
    need_length(e, x, 3, "axisangle");
    // the axis need not be a unit vector in the file
    v3_scale(x, 1 / v3_norm(x), x);
    hn_turn_matrix(R, x, x[3] * e->m->angle);
  } else if (hn_mjcf_numbers(e, "euler", x, 3, 3)) {
    turn_euler(e->m, x, R);
  } else if (hn_mjcf_numbers(e, "zaxis", x, 3, 3)) {
    need_length(e, x, 3, "zaxis");
    turn_to(x, R);
  } else if (hn_mjcf_numbers(e, "xyaxes", x, 6, 6)) {
    need_length(e, x, 3, "xyaxes");
    v3_scale(x, 1 / v3_norm(x), x);
    v3_copy(y, x + 3);
    // y less its part along x; z follows
    v3_addto(y, -v3_dot(x, y), x);
    need_length(e, y, 3, "xyaxes");
    v3_scale(y, 1 / v3_norm(y), y);
    v3_cross(z, x, y);
    for (int i = 0; i < 3; i++) R[3 * i] = x[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i];
  }
  // numbers of a failed reading are not used for anything
  if (e->m->robot->status) m3_identity(R);
}

void hn_mjcf_place(const hn_mjcf_element *e, hn_rigid *place) {
  v3_set(place->p, 0, 0, 0);
  hn_mjcf_numbers(e, "pos", place->p, 3, 3);
  read_orientation(e, place->R);
}

// From the second point to the first, as MuJoCo has it: z of the geom points back to where it
// starts.
void hn_mjcf_span(const hn_mjcf_element *e, hn_rigid *place, double *length) {
  double x[6], d[3];
  *length = 0;
  if (!hn_mjcf_numbers(e, "fromto", x, 6, 6)) {
    hn_mjcf_place(e, place);
    return;
  }
  v3_sub(d, x, x + 3);
  need_length(e, d, 3, "fromto");
  if (e->m->robot->status) return;
  *length = v3_norm(d);
  v3_add(place->p, x, x + 3);
  v3_scale(place->p, 0.5, place->p);
  turn_to(d, place->R);
}
