// mjcf_mass.c: mass and inertia of MJCF bodies, given or from their shapes.
#include "robots/mjcf.h"

#include "base/vec.h"
#include "model/inertia.h"

#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// R I R^T
static void turn_inertia(const double R[9], double I[9]) {
  double A[9];
  m3_mul(A, R, I);
  m3_mult(I, A, R);
}

void hn_mjcf_inertial(hn_mjcf *m, hn_xml *node, const hn_xml *class, hn_robot_link *link) {
  hn_mjcf_element e = {m, node, "", class};
  hn_rigid place;
  double mass = 0, x[6], I[9] = {0};
  hn_mjcf_place(&e, &place);
  if (!hn_robot_number(m->robot, node, "mass", &mass) || mass < 0)
    hn_robot_fail(m->robot, node, HN_ERR_MODEL, "<inertial> needs a mass that is not negative");
  if (hn_robot_numbers(m->robot, node, "fullinertia", x, 6, 6)) {
    double full[9] = {x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2]};
    memcpy(I, full, sizeof full);
  } else if (hn_robot_numbers(m->robot, node, "diaginertia", x, 3, 3)) {
    for (int i = 0; i < 3; i++) I[4 * i] = x[i];
  }
  turn_inertia(place.R, I);
  hn_robot_add_mass(link, mass, place.p, I);
}

// ---- shapes --------------------------------------------------------------------------------

typedef struct solid {
  double volume, inertia[3];  // principal, of unit mass
} solid;

static solid box(const double s[3]) {
  solid o = {.volume = 8 * s[0] * s[1] * s[2]};
  for (int i = 0; i < 3; i++)
    o.inertia[i] = (s[(i + 1) % 3] * s[(i + 1) % 3] + s[(i + 2) % 3] * s[(i + 2) % 3]) / 3;
  return o;
}

static solid ellipsoid(const double s[3]) {
  solid o = {.volume = 4.0 / 3 * pi * s[0] * s[1] * s[2]};
  for (int i = 0; i < 3; i++)
    o.inertia[i] = (s[(i + 1) % 3] * s[(i + 1) % 3] + s[(i + 2) % 3] * s[(i + 2) % 3]) / 5;
  return o;
}

static solid cylinder(double r, double h) {
  double across = (3 * r * r + 4 * h * h) / 12;
  return (solid){2 * pi * r * r * h, {across, across, r * r / 2}};
}

// a cylinder with half spheres on both ends
static solid capsule(double r, double h) {
  double H = 2 * h, middle = pi * r * r * H, ends = 4.0 / 3 * pi * r * r * r;
  double volume = middle + ends, a = middle / volume, b = ends / volume, ball = 0.4 * r * r;
  double across = a * (3 * r * r + H * H) / 12 + b * (ball + H * (3 * r + 2 * H) / 8);
  return (solid){volume, {across, across, a * r * r / 2 + b * ball}};
}

static void draw(hn_mjcf *m, hn_robot_link *link, const char *type, const double s[3],
                 const double R[9]) {
  double size[3] = {s[0], 2 * s[1], 0};
  if (strcmp(type, "box") == 0) v3_scale(size, 2, s);
  if (strcmp(type, "box") == 0 || strcmp(type, "sphere") == 0)
    hn_robot_look(m->robot, link, type, size, R);
  else if (strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0)
    hn_robot_look(m->robot, link, "cylinder", size, R);
}

// what could touch something
static void note_contact(hn_mjcf *m, const hn_mjcf_element *e, bool moves) {
  double type = 1, affinity = 1;
  hn_mjcf_number(e, "contype", &type);
  hn_mjcf_number(e, "conaffinity", &affinity);
  if (type == 0 && affinity == 0) return;
  if (moves)
    m->contacts++;
  else
    m->floor = true;
}

// half sizes in the order of the axes; false: the geom has no volume of its own
static bool read_size(hn_mjcf *m, const hn_mjcf_element *e, const char *type, double length,
                      double s[3]) {
  int least = strcmp(type, "box") == 0 || strcmp(type, "ellipsoid") == 0      ? 3
              : strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0 ? 2
                                                                              : 1;
  s[0] = s[1] = s[2] = 0;
  hn_mjcf_numbers(e, "size", s, 0, 3);
  if (length > 0) {
    // along z from point to point; other shapes are as thick in both directions
    if (least == 3)
      s[2] = length / 2, s[1] = s[0];
    else
      s[1] = length / 2;
  }
  for (int i = 0; i < least; i++)
    if (!(s[i] > 0))
      hn_robot_fail(m->robot, e->node, HN_ERR_MODEL, "<geom> of type %.20s: size %d is missing",
                    type, i + 1);
  return !m->robot->status;
}

void hn_mjcf_geom(hn_mjcf *m, hn_xml *node, const hn_xml *class, const hn_rigid *frame,
                  hn_robot_link *link, bool massive) {
  hn_mjcf_element e = hn_mjcf_open(m, node, "geom", class);
  static const char harmless[] =
      "name rgba material group contype conaffinity condim friction solref solimp margin gap "
      "priority user mesh hfield fitscale solmix";
  const char *type = hn_mjcf_get(&e, "type"), *mesh = hn_mjcf_get(&e, "mesh");
  double s[3], length, mass = 0, density = 1000, group = 0, com[3], R[9], I[9] = {0};
  hn_rigid place;
  if (!type) type = mesh ? "mesh" : "sphere";
  hn_mjcf_pass(node, harmless);
  note_contact(m, &e, link != NULL);
  hn_mjcf_span(&e, &place, &length);
  bool given = hn_mjcf_number(&e, "mass", &mass);
  hn_mjcf_number(&e, "density", &density);
  hn_mjcf_number(&e, "group", &group);
  bool shell = hn_mjcf_flag(&e, "shellinertia", false);
  if (m->robot->status || !link || strcmp(type, "plane") == 0) return;
  hn_rigid_mul(&place, frame, &place);
  massive =
      massive && group >= m->group[0] && group <= m->group[1] && (given ? mass != 0 : density != 0);
  if (hn_word_in(type, "mesh hfield sdf") || mesh) {
    if (massive)
      hn_robot_wrong(m->robot, node, "mass of a geom of type %.20s%s", type,
                     mesh ? " (a mesh)" : "");
    else
      hn_robot_ignored(m->robot, node, "geom of type %.20s is not drawn", type);
    return;
  }
  if (!hn_word_in(type, "sphere capsule ellipsoid cylinder box")) {
    hn_robot_fail(m->robot, node, HN_ERR_MODEL, "unknown type of geom: '%.40s'", type);
    return;
  }
  if (!read_size(m, &e, type, length, s)) return;
  draw(m, link, type, s, place.R);
  if (!massive) return;
  if (shell) hn_robot_wrong(m->robot, node, "shellinertia");
  solid o = strcmp(type, "box") == 0         ? box(s)
            : strcmp(type, "ellipsoid") == 0 ? ellipsoid(s)
            : strcmp(type, "cylinder") == 0  ? cylinder(s[0], s[1])
            : strcmp(type, "capsule") == 0   ? capsule(s[0], s[1])
                                             : ellipsoid((double[3]){s[0], s[0], s[0]});
  if (!given) mass = density * o.volume;
  if (mass < 0) hn_robot_fail(m->robot, node, HN_ERR_MODEL, "the mass of a geom is negative");
  for (int i = 0; i < 3; i++) I[4 * i] = mass * o.inertia[i];
  memcpy(R, place.R, sizeof R);
  turn_inertia(R, I);
  v3_copy(com, place.p);
  hn_robot_add_mass(link, mass, com, I);
}

// ---- settings for all bodies ---------------------------------------------------------------

static void bound(hn_mjcf *m, hn_robot_link *l) {
  double moment[3], *I = l->inertia;
  if (l->mass < m->bound_mass) l->mass = m->bound_mass;
  hn_inertia_principal((double[6]){I[0], I[4], I[8], I[1], I[2], I[5]}, moment);
  if (moment[0] < m->bound_inertia) {
    if (I[1] != 0 || I[2] != 0 || I[5] != 0)
      hn_robot_approximated(m->robot, l->node, "boundinertia acts along the axes of '%.60s'",
                            hn_robot_called(l));
    for (int i = 0; i < 3; i++)
      if (I[4 * i] < m->bound_inertia) I[4 * i] = m->bound_inertia;
    hn_inertia_principal((double[6]){I[0], I[4], I[8], I[1], I[2], I[5]}, moment);
  }
  if (m->balance && moment[0] + moment[1] < moment[2])
    for (int i = 0; i < 9; i++) I[i] = i % 4 ? 0 : (moment[0] + moment[1] + moment[2]) / 3;
}

void hn_mjcf_settle_mass(hn_mjcf *m) {
  hn_robot *robot = m->robot;
  double total = 0;
  for (int i = 0; i < robot->links; i++)
    if (!robot->link[i].carrier) bound(m, &robot->link[i]);
  for (int i = 0; i < robot->links; i++) total += robot->link[i].mass;
  if (!(m->total_mass > 0) || !(total > 0)) return;
  for (int i = 0; i < robot->links; i++) {
    robot->link[i].mass *= m->total_mass / total;
    for (int k = 0; k < 9; k++) robot->link[i].inertia[k] *= m->total_mass / total;
  }
}
