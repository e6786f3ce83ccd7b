// mjcf_touch.c: which geoms of MJCF can touch each other, and how.
//
// One of two geoms is a surface, the other balls or points: a sphere before a plane, sphere,
// capsule or box; the ends of a capsule, or the corners of a box, before a plane. Without friction
// contact is rigid. With it points are held by Coulomb's law; balls, which may roll, press and rub
// in a way that yields. Other pairs are not computed, and it is said so.
#include "robots/mjcf.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { BALLS = 8, MOST = 500 };

// whole numbers of 32 bits (masks may be negative: all bits), and a number of directions there is
// Beyond 32 bits the cast to int that follows would be undefined.
static bool whole(hn_robot *robot, hn_xml *node, const double mask[2], double condim) {
  for (int k = 0; mask && k < 2; k++)
    if (!(fabs(mask[k]) <= 2147483647.0))
      hn_robot_fail(robot, node, HN_ERR_MODEL, "%s is no number of 32 bits",
                    k ? "conaffinity" : "contype");
  if (condim != 1 && condim != 3 && condim != 4 && condim != 6)
    hn_robot_fail(robot, node, HN_ERR_MODEL, "condim must be 1, 3, 4 or 6");
  return !robot->status;
}

// Every geom is noted with what it says; who can touch whom is found out when all bodies are
// placed.
void hn_mjcf_touch(hn_mjcf *m, const hn_mjcf_element *e, const hn_mjcf_geom_def *g, int link) {
  double mask[2] = {1, 1}, condim = 3, friction[3] = {1, 0, 0}, solref[2] = {0.02, 1};
  hn_robot *robot = m->robot;
  hn_mjcf_number(e, "contype", &mask[0]);
  hn_mjcf_number(e, "conaffinity", &mask[1]);
  hn_mjcf_number(e, "condim", &condim);
  hn_mjcf_numbers(e, "friction", friction, 1, 3);
  hn_mjcf_numbers(e, "solref", solref, 1, 2);
  if (robot->status || !whole(robot, e->node, mask, condim)) return;
  if (!hn_grow((void **)&m->touch, &m->touch_room, m->touches, sizeof *m->touch)) {
    hn_robot_fail(robot, NULL, HN_ERR_MEMORY, "out of memory");
    return;
  }
  const char *name = hn_xml_get(e->node, "name");
  m->touch[m->touches++] =
      (hn_mjcf_touching){.node = e->node,
                         .name = name,
                         .type = g->type,
                         .size = {g->s[0], g->s[1], g->s[2]},
                         .place = g->place,
                         .link = link,
                         .mask = {(unsigned)(int)mask[0], (unsigned)(int)mask[1]},
                         .condim = (int)condim,
                         .friction = friction[0],
                         .solref = {solref[0], solref[1]}};
}

// ---- shapes --------------------------------------------------------------------------------

static bool is(const hn_mjcf_touching *g, const char *type) {
  return strcmp(g->type, type) == 0;
}

// the balls of a geom before a surface; their number, 0: it cannot be done
// In the axes of the geom. A box before a plane is its eight corners, of radius zero.
static int balls_of(const hn_mjcf_touching *g, const hn_mjcf_touching *surface,
                    double centre[BALLS][3], double *radius) {
  const double *s = g->size;
  *radius = s[0];
  if (is(g, "sphere")) {
    v3_set(centre[0], 0, 0, 0);
    return is(surface, "plane") || is(surface, "sphere") || is(surface, "capsule") ||
           is(surface, "box");
  }
  if (!is(surface, "plane")) return 0;
  if (is(g, "capsule")) {
    for (int k = 0; k < 2; k++) v3_set(centre[k], 0, 0, k ? s[1] : -s[1]);
    return 2;
  }
  if (!is(g, "box")) return 0;
  *radius = 0;
  for (int k = 0; k < 8; k++)
    v3_set(centre[k], k & 1 ? s[0] : -s[0], k & 2 ? s[1] : -s[1], k & 4 ? s[2] : -s[2]);
  return 8;
}

// ", surface: ..." of a surface that is no plane; its frame begins where the model file wants it
static const char *surface_text(hn_robot *robot, const hn_mjcf_touching *g, hn_rigid *place) {
  const char *a = hn_robot_number_text(robot, g->size[0]);
  *place = g->place;
  if (is(g, "sphere")) return hn_robot_text(robot, ", surface: sphere, radius_a: %s", a);
  if (is(g, "capsule")) {
    double end[3] = {0, 0, -g->size[1]};
    hn_rigid_point(place->p, &g->place, end);
    return hn_robot_text(robot, ", surface: capsule, radius_a: %s, length: %s", a,
                         hn_robot_number_text(robot, 2 * g->size[1]));
  }
  if (!is(g, "box")) return "";
  a = hn_robot_number_text(robot, 2 * g->size[0]);
  return hn_robot_text(robot, ", surface: box, size: [%s, %s, %s]", a,
                       hn_robot_number_text(robot, 2 * g->size[1]),
                       hn_robot_number_text(robot, 2 * g->size[2]));
}

// ---- pairs ---------------------------------------------------------------------------------

typedef struct pair {
  const hn_mjcf_touching *a, *b;  // surface, balls
  hn_xml *node;                   // that says so
  int condim;
  double friction, solref[2];
  const char *name;
} pair;

static int body_of(const hn_robot *robot, const hn_mjcf_touching *g) {
  return g->link < 0 ? -1 : robot->link[g->link].body;
}

// mass of all that moves with it
// Of the whole tree that moves when the geom does: what the contact has to stop.
static double mass_of(const hn_robot *robot, const hn_mjcf_touching *g) {
  double mass = INFINITY;
  for (int i = g->link; i >= 0; i = robot->link[i].parent)
    if (robot->link[i].body >= 0) mass = robot->link[i].borne;
  return mass;
}

static void world_of(const hn_robot *robot, const hn_mjcf_touching *g, hn_rigid *out) {
  hn_rigid_mul(out, g->link < 0 ? &hn_rigid_none : &robot->link[g->link].world, &g->place);
}

// how deep a ball begins behind a plane; others begin where they are
static double depth(const hn_robot *robot, const pair *p, const double centre[3], double radius) {
  hn_rigid a, b;
  double x[3];
  if (!is(p->a, "plane")) return 0;
  world_of(robot, p->a, &a);
  world_of(robot, p->b, &b);
  hn_rigid_point(x, &b, centre);
  v3_sub(x, x, a.p);
  return radius - (a.R[2] * x[0] + a.R[5] * x[1] + a.R[8] * x[2]);
}

// as stiff and damped as the solver of the file would be, for the mass that moves; no shorter and
// no longer than it was asked for
// MuJoCo's contact is a spring and damper for each unit of mass, time constant and damping ratio
// from solref: k = m / (t^2 r^2), c = 2 m / t; two negative numbers are -k/m and -c/m themselves.
static void add_yielding(hn_robot *robot, const pair *p, const char *name, const char *ends,
                         const char *rest) {
  double ma = mass_of(robot, p->a), mb = mass_of(robot, p->b), time = p->solref[0];
  double mass = isinf(ma) ? mb : isinf(mb) ? ma : ma * mb / (ma + mb), ratio = p->solref[1];
  double K = mass / (time * time * ratio * ratio), c = 2 * mass / time;
  if (!(time > 0) || !(ratio > 0)) K = -p->solref[0] * mass, c = -p->solref[1] * mass;
  hn_text_add(&robot->forces, "  %s: {type: contact, %s%s, law: kelvin-voigt, stiffness: %s", name,
              ends, rest, hn_robot_number_text(robot, K));
  if (c > 0) hn_text_add(&robot->forces, ", damping: %s", hn_robot_number_text(robot, c));
  if (p->condim > 1 && p->friction > 0)
    hn_text_add(&robot->forces, ", coulomb: %s", hn_robot_number_text(robot, p->friction));
  hn_text_add(&robot->forces, "}\n");
}

static void add_ball(hn_robot *robot, const pair *p, const double centre[3], double radius,
                     const char *surface, const hn_rigid *at, bool yields) {
  hn_rigid b = hn_rigid_none;
  hn_rigid_point(b.p, &p->b->place, centre);
  const char *name = hn_robot_name(robot, p->name, "contact");
  const char *on_a = hn_robot_end(robot, p->a->link, at, hn_robot_text(robot, "%s_a", name), true);
  const char *on_b = hn_robot_end(robot, p->b->link, &b, hn_robot_text(robot, "%s_b", name), false);
  const char *ends = hn_robot_text(robot, "a: %s, b: %s", on_a, on_b);
  const char *rest = radius > 0 ? hn_robot_text(robot, ", radius: %s%s",
                                                hn_robot_number_text(robot, radius), surface)
                                : surface;
  if (yields) {
    add_yielding(robot, p, name, ends, rest);
    return;
  }
  hn_text_add(&robot->extra_joints, "  %s: {type: %s, %s%s}\n", name, *surface ? "contact" : "stop",
              ends, rest);
}

// false: it cannot be computed
// Which of two geoms is the surface follows from what can be computed; both ways are tried. What
// begins inside of a surface by more than rounding would be thrown out of it by a rigid contact: it
// yields.
static bool add_pair(hn_mjcf *m, pair *p) {
  hn_robot *robot = m->robot;
  double centre[BALLS][3], radius, deepest = 0;
  hn_rigid at;
  int count = balls_of(p->b, p->a, centre, &radius);
  if (!count) {
    const hn_mjcf_touching *other = p->a;
    p->a = p->b, p->b = other;
    count = balls_of(p->b, p->a, centre, &radius);
  }
  if (!count || m->balls + count > MOST) return false;
  m->balls += count;
  const char *surface = surface_text(robot, p->a, &at);
  for (int i = 0; i < count; i++) deepest = fmax(deepest, depth(robot, p, centre[i], radius));
  bool rubs = p->condim > 1 && p->friction > 0, yields = rubs || deepest > 1e-9;
  if (yields)
    hn_robot_approximated(robot, p->node, "contact of '%.60s' yields, friction is smooth", p->name);
  for (int i = 0; i < count && !robot->status; i++)
    add_ball(robot, p, centre[i], radius, surface, &at, yields);
  return true;
}

// ---- which of them -------------------------------------------------------------------------

// the link of a body that an exclusion names, -1: the world
static int excluded_link(hn_mjcf *m, hn_xml *e, const char *attribute) {
  const char *name = hn_xml_get(e, attribute);
  int link = name ? hn_robot_find_link(m->robot, name) : -1;
  if (link < 0 && (!name || strcmp(name, "world") != 0))
    hn_robot_fail(m->robot, e, HN_ERR_MODEL, "<exclude> %s: no body named '%.60s'", attribute,
                  name ? name : "");
  return link;
}

static bool excluded(hn_mjcf *m, const hn_mjcf_touching *a, const hn_mjcf_touching *b) {
  hn_robot *robot = m->robot;
  hn_xml *root = robot->root;
  for (hn_xml *s = hn_xml_next(root, NULL, "contact"); s; s = hn_xml_next(root, s, "contact"))
    for (hn_xml *e = hn_xml_next(s, NULL, "exclude"); e; e = hn_xml_next(s, e, "exclude")) {
      int x = excluded_link(m, e, "body1"), y = excluded_link(m, e, "body2");
      if ((x == a->link && y == b->link) || (x == b->link && y == a->link)) return true;
    }
  return false;
}

// parts of one body, or of bodies that a joint connects
// MuJoCo leaves out contacts of a body with its parent (filterparent), since geoms of neighbours
// overlap in most files; the ground is nobody's parent.
static bool related(const hn_robot *robot, const hn_mjcf_touching *a, const hn_mjcf_touching *b) {
  int x = body_of(robot, a), y = body_of(robot, b);
  if (x == y) return true;
  if (x < 0 || y < 0) return false;
  int up_x = robot->link[x].parent, up_y = robot->link[y].parent;
  if (up_x >= 0) up_x = robot->link[up_x].body;
  if (up_y >= 0) up_y = robot->link[up_y].body;
  return up_x == y || up_y == x;
}

// The ball's name first, as it is the one that moves.
static const char *name_of(hn_robot *robot, const hn_mjcf_touching *a, const hn_mjcf_touching *b) {
  const hn_mjcf_touching *g[2] = {a, b};
  const char *name[2];
  for (int k = 0; k < 2; k++)
    name[k] = g[k]->name ? g[k]->name : g[k]->link < 0 ? "world" : robot->link[g[k]->link].name;
  return hn_robot_text(robot, "%.24s_%.24s", name[1], name[0]);
}

// pairs that are asked for
// Geoms by name; of equal names the last one, which MuJoCo would refuse.
static void read_pairs(hn_mjcf *m, int *missed) {
  hn_robot *robot = m->robot;
  hn_xml *root = robot->root;
  for (hn_xml *s = hn_xml_next(root, NULL, "contact"); s; s = hn_xml_next(root, s, "contact"))
    for (hn_xml *e = hn_xml_next(s, NULL, "pair"); e && !robot->status;
         e = hn_xml_next(s, e, "pair")) {
      hn_mjcf_element el = hn_mjcf_open(m, e, "pair", NULL);
      const hn_mjcf_touching *g[2] = {NULL, NULL};
      for (int k = 0; k < 2; k++) {
        const char *name = hn_xml_get(e, k ? "geom2" : "geom1");
        for (int i = 0; i < m->touches && name; i++)
          if (m->touch[i].name && strcmp(m->touch[i].name, name) == 0) g[k] = &m->touch[i];
        if (!g[k]) hn_robot_fail(robot, e, HN_ERR_MODEL, "no geom named '%.60s'", name ? name : "");
      }
      if (robot->status) return;
      double condim = 3, friction[5] = {1}, solref[2] = {0.02, 1};
      hn_mjcf_number(&el, "condim", &condim);
      hn_mjcf_numbers(&el, "friction", friction, 1, 5);
      hn_mjcf_numbers(&el, "solref", solref, 1, 2);
      hn_mjcf_pass(e, "name class solimp margin gap solreffriction");
      if (robot->status || !whole(robot, e, NULL, condim)) return;
      pair p = {g[0],
                g[1],
                e,
                (int)condim,
                friction[0],
                {solref[0], solref[1]},
                name_of(robot, g[0], g[1])};
      if (!add_pair(m, &p)) ++*missed;
    }
}

// of two solvers the larger friction, and the mean of their times
static pair mixed(hn_robot *robot, const hn_mjcf_touching *a, const hn_mjcf_touching *b) {
  pair p = {a,
            b,
            b->node,
            a->condim > b->condim ? a->condim : b->condim,
            fmax(a->friction, b->friction),
            {0.5 * (a->solref[0] + b->solref[0]), 0.5 * (a->solref[1] + b->solref[1])},
            name_of(robot, a, b)};
  return p;
}

// All pairs: quadratic in the geoms, of which those without a mask in common cost next to nothing.
// What is not computed is an end only where a free body would fall through the floor.
void hn_mjcf_touches(hn_mjcf *m) {
  hn_robot *robot = m->robot;
  int missed = 0, standing = 0;
  if (!m->contact) return;
  read_pairs(m, &missed);
  for (int i = 0; i < m->touches && !robot->status; i++)
    for (int k = 0; k < i && !robot->status; k++) {
      const hn_mjcf_touching *a = &m->touch[k], *b = &m->touch[i];
      bool meet = (a->mask[0] & b->mask[1]) || (b->mask[0] & a->mask[1]);
      if (!meet || related(robot, a, b) || excluded(m, a, b)) continue;
      pair p = mixed(robot, a, b);
      if (add_pair(m, &p)) continue;
      missed++;
      standing += body_of(robot, a) < 0 || body_of(robot, b) < 0;
    }
  if (standing && m->any_free)
    hn_robot_wrong(robot, robot->root, "contact of %d pairs of geoms with what stands still",
                   standing);
  else if (missed)
    hn_robot_ignored(robot, robot->root, "contact of %d pairs of geoms is not computed", missed);
}
