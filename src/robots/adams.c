// adams.c: datasets of ADAMS/Solver (.adm): units, parts and markers.
//
// Parts are bodies with the part's own frame, each free; markers that something uses are frames of
// them; joints join frames (adams_acts.c). All numbers become SI, so that the units of force need
// no factor of their own.
//
// Orientations are 3-1-3 Euler angles (REULER). Angles without the letter D are radians. Everything
// is absolute: parts in the ground's axes, markers in those of their part.
#include "robots/adams.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

// ---- units ---------------------------------------------------------------------------------

typedef struct unit {
  const char *name;
  double factor;
} unit;

static const unit lengths[] = {{"METER", 1},           {"MILLIMETER", 1e-3},
                               {"CENTIMETER", 1e-2},   {"KILOMETER", 1e3},
                               {"INCH", 0.0254},       {"FOOT", 0.3048},
                               {"YARD", 0.9144},       {"MILE", 1609.344},
                               {"MICROMETER", 1e-6},   {"NANOMETER", 1e-9},
                               {"ANGSTROM", 1e-10},    {"MILS", 2.54e-5},
                               {"MICROINCH", 2.54e-8}, {NULL, 0}};
static const unit masses[] = {{"KILOGRAM", 1},
                              {"GRAM", 1e-3},
                              {"TONNE", 1e3},
                              {"MILLIGRAM", 1e-6},
                              {"MICROGRAM", 1e-9},
                              {"NANOGRAM", 1e-12},
                              {"POUND_MASS", 0.45359237},
                              {"KPOUND_MASS", 453.59237},
                              {"OUNCE_MASS", 0.028349523125},
                              {"US_TON", 907.18474},
                              {"SLUG", 4.4482216152605 / 0.3048},
                              {"SLINCH", 4.4482216152605 / 0.0254},
                              {NULL, 0}};
static const unit times[] = {
    {"SECOND", 1},  {"MILLISECONDS", 1e-3}, {"MICROSECOND", 1e-6}, {"NANOSECOND", 1e-9},
    {"MINUTE", 60}, {"HOUR", 3600},         {"DAY", 86400},        {NULL, 0}};
static const unit forces[] = {{"NEWTON", 1},
                              {"KNEWTON", 1e3},
                              {"MEGANEWTON", 1e6},
                              {"CENTINEWTON", 1e-2},
                              {"MILLINEWTON", 1e-3},
                              {"MICRONEWTON", 1e-6},
                              {"NANONEWTON", 1e-9},
                              {"DYNE", 1e-5},
                              {"KILOGRAM_FORCE", 9.80665},
                              {"POUND_FORCE", 4.4482216152605},
                              {"KPOUND_FORCE", 4448.2216152605},
                              {"OUNCE_FORCE", 4.4482216152605 / 16},
                              {"POUNDAL", 0.45359237 * 0.3048},
                              {NULL, 0}};

// NONE has no units at all: numbers that fit each other are taken for SI.
static const struct unit_system {
  const char *name, *length, *mass, *time, *force;
} systems[] = {{"MKS", "METER", "KILOGRAM", "SECOND", "NEWTON"},
               {"NONE", "METER", "KILOGRAM", "SECOND", "NEWTON"},
               {"CGS", "CENTIMETER", "GRAM", "SECOND", "DYNE"},
               {"FPS", "FOOT", "POUND_MASS", "SECOND", "POUND_FORCE"},
               {"IPS", "INCH", "POUND_MASS", "SECOND", "POUND_FORCE"}};

// by its name or the beginning of it
static double unit_of(hn_robot *robot, hn_xml *node, const char *argument, const char *name,
                      const unit *table) {
  const unit *found = NULL;
  int several = 0;
  for (const unit *u = table; name && u->name; u++) {
    // whole words win over beginnings: TON of TONNE is one, MILLI none
    if (strcmp(u->name, name) == 0) return u->factor;
    if (*name && strncmp(u->name, name, strlen(name)) == 0) found = u, several++;
  }
  if (several == 1) return found->factor;
  hn_robot_fail(robot, node, HN_ERR_UNSUPPORTED, "UNITS: %s=%.40s is no unit that is known",
                argument, name ? name : "?");
  return 1;
}

// Force needs a factor of its own: pounds of force and of mass do not go together with feet and
// seconds. Words may be cut short, as everywhere in a dataset.
static void read_units(hn_adams *a, hn_xml *node) {
  hn_robot *robot = a->robot;
  const char *system = hn_xml_get(node, "SYSTEM");
  struct unit_system u = {.length = hn_xml_get(node, "LENGTH"),
                          .mass = hn_xml_get(node, "MASS"),
                          .time = hn_xml_get(node, "TIME"),
                          .force = hn_xml_get(node, "FORCE")};
  double ucf = 1;
  // units that need no factor are those of any system: SI
  // a factor in place of a unit of force
  if (hn_adams_numbers(robot, node, "UCF", &ucf, 1, 1) && ucf != 1)
    hn_robot_wrong(robot, node, "UNITS: UCF=%g in place of units", ucf);
  if (hn_xml_get(node, "UCF")) system = "NONE";
  // a system says all four units
  for (size_t i = 0; system && i < sizeof systems / sizeof *systems; i++)
    if (strcmp(systems[i].name, system) == 0) u = systems[i];
  a->length = unit_of(robot, node, "LENGTH", u.length, lengths);
  a->mass = unit_of(robot, node, "MASS", u.mass, masses);
  a->time = unit_of(robot, node, "TIME", u.time, times);
  a->force = unit_of(robot, node, "FORCE", u.force, forces);
}

// ---- places --------------------------------------------------------------------------------

// turns about z, the new x and the new z
// R = Rz(psi) Rx(theta) Rz(phi).
static void read_place(hn_adams *a, hn_xml *node, const char *point, hn_rigid *place) {
  double x[3] = {0, 0, 0}, z1[9], x2[9], z3[9], zx[9];
  *place = hn_rigid_none;
  hn_adams_numbers(a->robot, node, point, place->p, 3, 3);
  v3_scale(place->p, a->length, place->p);
  hn_adams_numbers(a->robot, node, "REULER", x, 3, 3);
  hn_turn_matrix(z1, (double[3]){0, 0, 1}, x[0]);
  hn_turn_matrix(x2, (double[3]){1, 0, 0}, x[1]);
  hn_turn_matrix(z3, (double[3]){0, 0, 1}, x[2]);
  m3_mul(zx, z1, x2);
  // R = Rz Rx Rz: the first turn is written first
  m3_mul(place->R, zx, z3);
}

// arguments that say something else about the motion than is read
static void refuse_arguments(hn_robot *robot, hn_xml *node, const char *list) {
  for (hn_xml_attribute *x = node->attribute; x; x = x->next)
    if (hn_word_in(x->name, list))
      hn_robot_wrong(robot, node, "%s: argument %s", node->name, x->name);
}

static int compare_ids(const void *x, const void *y) {
  long a = *(const long *)x, b = *(const long *)y;
  return (a > b) - (a < b);
}

// One more than there are, so that none is no failure.
void *hn_adams_room(hn_robot *robot, const char *name, size_t size) {
  int n = 0;
  for (hn_xml *e = hn_xml_next(robot->root, NULL, name); e; e = hn_xml_next(robot->root, e, name))
    n++;
  // counted before anything is read: arrays must not move
  if (n > HN_ROBOT_PARTS)
    hn_robot_fail(robot, NULL, HN_ERR_UNSUPPORTED, "more than %d times %s", HN_ROBOT_PARTS, name);
  void *room = robot->status ? NULL : hn_pool_take(&robot->pool, (size_t)(n + 1) * size);
  if (!room) hn_robot_fail(robot, NULL, HN_ERR_MEMORY, "out of memory");
  return room;
}

// Items begin with their identifier (a long), which is what compare_ids reads.
void hn_adams_sort(hn_robot *robot, const char *name, void *items, int count, size_t size) {
  qsort(items, (size_t)count, size, compare_ids);
  for (int i = 1; i < count; i++) {
    long id = *(const long *)((const char *)items + (size_t)i * size);
    if (id == *(const long *)((const char *)items + (size_t)(i - 1) * size))
      hn_robot_fail(robot, NULL, HN_ERR_MODEL, "%s/%ld is there twice", name, id);
  }
}

void *hn_adams_look_up(long id, void *items, int count, size_t size) {
  // -1 is what a missing argument gives
  return id < 0 ? NULL : bsearch(&id, items, (size_t)count, size, compare_ids);
}

long hn_adams_own_id(hn_robot *robot, hn_xml *node) {
  long id = hn_adams_id(robot, node, "id");
  if (id < 0) hn_robot_fail(robot, node, HN_ERR_SYNTAX, "%s/ needs an identifier", node->name);
  return id;
}

const char *hn_adams_name(hn_robot *robot, hn_xml *node) {
  const char *view = hn_xml_get(node, "view"), *id = hn_xml_get(node, "id");
  if (view && *view) return view;
  // PART_7, where ADAMS/View left no name
  return hn_robot_text(robot, "%s_%ld", node->name, id ? strtol(id, NULL, 10) : 0);
}

// ---- markers -------------------------------------------------------------------------------

// Markers refer to parts by number, and everything else to markers: they are sorted for looking up.
static void read_markers(hn_adams *a) {
  hn_robot *robot = a->robot;
  a->marker = hn_adams_room(robot, "MARKER", sizeof *a->marker);
  for (hn_xml *e = hn_xml_next(robot->root, NULL, "MARKER"); e && !robot->status;
       e = hn_xml_next(robot->root, e, "MARKER")) {
    hn_adams_marker m = {
        .id = hn_adams_own_id(robot, e), .node = e, .floating = hn_xml_get(e, "FLOATING")};
    long id = hn_adams_id(robot, e, "PART");
    const hn_adams_part *part = hn_adams_look_up(id, a->part, a->parts, sizeof *part);
    refuse_arguments(robot, e,
                     "XP ZP USEXP POINT_MASS FLEX_BODY FE_PART NODE_ID RM CURVE VX VY VZ");
    if (!part && !robot->status) {
      // left out with the rest of what is on it
      // markers on flexible bodies name no part
      if (id < 0 && robot->lenient) continue;
      hn_robot_fail(robot, e, HN_ERR_MODEL, id < 0 ? "MARKER needs PART=id" : "no PART/%ld", id);
    }
    if (robot->status) return;
    // by place in the sorted list
    m.part = (int)(part - a->part);
    read_place(a, e, "QP", &m.place);
    a->marker[a->markers++] = m;
  }
  if (!robot->status) hn_adams_sort(robot, "MARKER", a->marker, a->markers, sizeof *a->marker);
}

// Floating markers have no place of their own; only forces with JFLOAT may name one.
hn_adams_marker *hn_adams_find_marker(hn_adams *a, hn_xml *node, const char *argument) {
  hn_robot *robot = a->robot;
  long id = hn_adams_id(robot, node, argument);
  if (robot->status) return NULL;
  hn_adams_marker *m = hn_adams_look_up(id, a->marker, a->markers, sizeof *m);
  if (id < 0)
    hn_robot_fail(robot, node, HN_ERR_SYNTAX, "%s needs %s=id", node->name, argument);
  else if (!m)
    hn_robot_fail(robot, node, HN_ERR_MODEL, "%s: no MARKER/%ld", argument, id);
  // its place follows from the force that uses it
  else if (m->floating && strcmp(argument, "JFLOAT") != 0)
    hn_robot_fail(robot, node, HN_ERR_MODEL, "%s: MARKER/%ld is floating", argument, id);
  return m;
}

int hn_adams_link(const hn_adams *a, const hn_adams_marker *m) {
  return a->part[m->part].link;
}

// Made when something first uses the marker: datasets have many that nothing uses.
const char *hn_adams_end(hn_adams *a, hn_adams_marker *m) {
  if (!m->end)
    m->end = hn_robot_end(a->robot, hn_adams_link(a, m), &m->place,
                          hn_adams_name(a->robot, m->node), true);
  return m->end;
}

// ---- parts ---------------------------------------------------------------------------------

// The ground is a part too, at most one; its markers are places in the world.
static void gather_parts(hn_adams *a) {
  hn_robot *robot = a->robot;
  int grounds = 0;
  a->part = hn_adams_room(robot, "PART", sizeof *a->part);
  for (hn_xml *e = hn_xml_next(robot->root, NULL, "PART"); e && !robot->status;
       e = hn_xml_next(robot->root, e, "PART")) {
    hn_adams_part p = {
        .id = hn_adams_own_id(robot, e), .node = e, .link = -1, .world = hn_rigid_none};
    // ground parts may have markers and nothing else
    grounds += hn_xml_get(e, "GROUND") != NULL;
    if (grounds > 1) hn_robot_fail(robot, e, HN_ERR_MODEL, "a second ground");
    refuse_arguments(robot, e, "XG ZG");
    if (!hn_xml_get(e, "GROUND")) read_place(a, e, "QG", &p.world);
    a->part[a->parts++] = p;
  }
  if (!robot->status) hn_adams_sort(robot, "PART", a->part, a->parts, sizeof *a->part);
}

// a marker of the part itself; NULL: not given, or a failure
static hn_adams_marker *own_marker(hn_adams *a, const hn_adams_part *p, const char *argument) {
  if (!hn_xml_get(p->node, argument)) return NULL;
  hn_adams_marker *m = hn_adams_find_marker(a, p->node, argument);
  // on another part its place would count in other axes
  if (m && &a->part[m->part] != p)
    hn_robot_fail(a->robot, p->node, HN_ERR_MODEL, "%s: MARKER/%ld is on another part", argument,
                  m->id);
  return m;
}

// IP counts about the marker IM, along its axes; products of inertia are plain integrals
// Parallel axes: I_cm = I_im - m (d.d 1 - d d^T), d from IM to CM. ADAMS writes products of inertia
// as integrals of x y, which are minus the elements of the matrix.
static void read_mass(hn_adams *a, const hn_adams_part *p, const hn_adams_marker *cm,
                      hn_robot_link *l) {
  hn_robot *robot = a->robot;
  double mass = 0, x[6] = {0}, d[3], A[9], I[9], factor = a->mass * a->length * a->length;
  hn_adams_numbers(robot, p->node, "MASS", &mass, 1, 1);
  // three numbers are the moments, the products are zero then
  int count = hn_adams_numbers(robot, p->node, "IP", x, 3, 6);
  const hn_adams_marker *im = own_marker(a, p, "IM");
  if (mass < 0) hn_robot_fail(robot, p->node, HN_ERR_MODEL, "the mass is negative");
  if ((mass > 0 || count > 0) && !cm)
    hn_robot_fail(robot, p->node, HN_ERR_MODEL, "a part with mass needs CM=id");
  if (robot->status || !cm) return;
  // without IM the inertia is about the centre of mass
  if (!im) im = cm;
  const double at_marker[9] = {x[0], -x[3], -x[4], -x[3], x[1], -x[5], -x[4], -x[5], x[2]};
  m3_mul(A, im->place.R, at_marker);
  m3_mult(I, A, im->place.R);
  v3_sub(d, cm->place.p, im->place.p);
  // d from IM to CM in metres; factor turns the numbers of the file into kg m^2
  double m = mass * a->mass, dd = v3_dot(d, d);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      I[3 * i + k] = I[3 * i + k] * factor - m * ((i == k) * dd - d[i] * d[k]);
  hn_robot_add_mass(l, m, cm->place.p, I);
}

// VX ... of the centre of mass along axes of the ground (or VM), WX ... about those of CM (or WM)
// The joint of a free link wants the velocity of the part's origin in the world, and the angular
// velocity in axes of the part.
static void read_velocity(hn_adams *a, const hn_adams_part *p, const hn_adams_marker *cm,
                          hn_robot_joint *j) {
  static const char *const vname[] = {"VX", "VY", "VZ"}, *const wname[] = {"WX", "WY", "WZ"};
  hn_robot *robot = a->robot;
  double v[3] = {0}, w[3] = {0}, turned[3], r[3], d[3];
  hn_adams_marker *vm = hn_xml_get(p->node, "VM") ? hn_adams_find_marker(a, p->node, "VM") : NULL;
  hn_adams_marker *wm = hn_xml_get(p->node, "WM") ? hn_adams_find_marker(a, p->node, "WM") : NULL;
  for (int i = 0; i < 3; i++) {
    hn_adams_numbers(robot, p->node, vname[i], &v[i], 1, 1);
    hn_adams_numbers(robot, p->node, wname[i], &w[i], 1, 1);
    // in metres and seconds; angles have no unit
    v[i] *= a->length / a->time, w[i] /= a->time;
  }
  if (robot->status) return;
  if (vm) {
    m3_mulv(turned, vm->place.R, v);
    m3_mulv(v, a->part[vm->part].world.R, turned);
  }
  // w in axes of the part
  if (wm && &a->part[wm->part] != p) {
    m3_mulv(turned, wm->place.R, w);
    m3_mulv(w, a->part[wm->part].world.R, turned);
    m3_tmulv(turned, p->world.R, w);
    v3_copy(w, turned);
  } else if (wm || cm) {
    m3_mulv(turned, wm ? wm->place.R : cm->place.R, w);
    v3_copy(w, turned);
  }
  // the origin of the part
  // v of the origin = v of the centre - w x r
  v3_cross(r, w, cm ? cm->place.p : (double[3]){0, 0, 0});
  m3_mulv(d, p->world.R, r);
  v3_sub(j->rate, v, d);
  v3_copy(j->rate + 3, w);
}

// The joint is never written, as free joints are not; it says where the part starts.
static void add_part(hn_adams *a, hn_adams_part *p) {
  hn_robot *robot = a->robot;
  const char *source = hn_adams_name(robot, p->node);
  const hn_adams_marker *cm = own_marker(a, p, "CM");
  hn_robot_link l = {.source = source, .node = p->node, .parent = -1, .place = p->world};
  hn_robot_joint j = {.kind = HN_ROBOT_FREE, .node = p->node, .link = -1};
  l.name = hn_robot_name(robot, source, "part");
  v3_copy(j.value, p->world.p);
  q_from_matrix(j.value + 3, p->world.R);
  read_mass(a, p, cm, &l);
  read_velocity(a, p, cm, &j);
  if (hn_xml_get(p->node, "EXACT"))
    hn_robot_ignored(robot, p->node, "EXACT: assembly moves parts as little as needed");
  j.name = "free";
  l.joint = hn_robot_add_joint(robot, &j);
  p->link = hn_robot_add_link(robot, &l);
}

// ---- all of it -----------------------------------------------------------------------------

// Statements about output and numerics change no motion; what is in neither list may.
static void tell_others(hn_robot *robot) {
  static const char ignored[] =
      "GRAPHICS REQUEST MREQUEST OUTPUT RESULTS INTEGRATOR KINEMATICS EQUILIBRIUM IC DEBUG LSOLVER "
      "PREFERENCES SIMULATE MATERIAL VARIABLE ARRAY STRING SPLINE MATRIX";
  static const char read[] = "UNITS ACCGRAV PART MARKER JOINT JPRIM MOTION SPRINGDAMPER SFORCE "
                             "VFORCE VTORQUE GFORCE END";
  for (hn_xml *e = robot->root->first; e && !robot->status; e = e->next) {
    if (hn_word_in(e->name, ignored))
      hn_robot_ignored(robot, e, "%s", e->name);
    else if (!hn_word_in(e->name, read))
      hn_robot_wrong(robot, e, "the statement %.40s is not read", e->name);
  }
}

static void read_gravity(hn_adams *a) {
  static const char *const name[] = {"IGRAV", "JGRAV", "KGRAV"};
  hn_xml *node = hn_xml_child(a->robot->root, "ACCGRAV");
  // a dataset without ACCGRAV is without weight
  v3_set(a->robot->gravity, 0, 0, 0);
  for (int i = 0; i < 3 && node; i++)
    hn_adams_numbers(a->robot, node, name[i], &a->robot->gravity[i], 1, 1);
  v3_scale(a->robot->gravity, a->length / (a->time * a->time), a->robot->gravity);
}

void hn_adams_read(hn_robot *robot) {
  hn_adams a = {.robot = robot, .length = 1, .mass = 1, .time = 1, .force = 1};
  hn_xml *units = hn_xml_child(robot->root, "UNITS");
  robot->name = hn_robot_name(robot, robot->root->text, "model");
  robot->used_count = 0;  // a model may be called as one of its parts is
  tell_others(robot);
  // without units nothing tells whether numbers are in millimetres
  if (units)
    read_units(&a, units);
  else
    hn_robot_wrong(robot, robot->root, "there is no UNITS: kg, m, s and N are taken");
  if (!robot->status) read_gravity(&a);
  if (!robot->status) gather_parts(&a);
  if (!robot->status) read_markers(&a);
  for (int i = 0; i < a.parts && !robot->status; i++)
    if (!hn_xml_get(a.part[i].node, "GROUND")) add_part(&a, &a.part[i]);
  if (!robot->status && !robot->links)
    hn_robot_fail(robot, robot->root, HN_ERR_MODEL, "there is no PART that moves");
  hn_robot_settle(robot);
  if (!robot->status) hn_adams_joints(&a);
  if (!robot->status) hn_adams_forces(&a);
}
