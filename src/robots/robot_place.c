// robot_place.c: which links of a robot are one body, their inertia, and where everything is.
//
// The tree of links is settled in four passes, each linear: what has no mass and bears none stops,
// links without joints become parts of the body above them, bodies get an inertia that a rigid body
// can have, and positions and velocities are passed down from the root. All of them rely on parents
// standing before their children in the array.
#include "robots/robot.h"

#include "base/vec.h"
#include "model/inertia.h"

#include <string.h>

// ---- inertia -------------------------------------------------------------------------------

// I += m (d.d 1 - d d^T)
static void add_point(double inertia[9], double m, const double d[3]) {
  double dd = v3_dot(d, d);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) inertia[3 * i + k] += m * ((i == k) * dd - d[i] * d[k]);
}

// Both inertias are about their own centres: what is added is the parallel-axis part of each about
// the common one. A mass of zero adds its inertia and leaves the centre alone.
void hn_robot_add_mass(hn_robot_link *link, double mass, const double com[3],
                       const double inertia[9]) {
  double total = link->mass + mass, d[3], centre[3] = {0, 0, 0};
  for (int i = 0; i < 9; i++) link->inertia[i] += inertia[i];
  if (!(total > 0)) return;
  v3_addto(centre, link->mass / total, link->com);
  v3_addto(centre, mass / total, com);
  v3_sub(d, link->com, centre);
  add_point(link->inertia, link->mass, d);
  v3_sub(d, com, centre);
  add_point(link->inertia, mass, d);
  link->mass = total;
  v3_copy(link->com, centre);
}

// the mass of a fixed link goes to the link that it is part of
// R I R^T turns the inertia into the axes of the body.
static void hand_over(hn_robot *robot, hn_robot_link *from) {
  hn_robot_link *to = &robot->link[from->body];
  double com[3], A[9], inertia[9];
  hn_rigid_point(com, &from->in_body, from->com);
  m3_mul(A, from->in_body.R, from->inertia);
  m3_mult(inertia, A, from->in_body.R);
  hn_robot_add_mass(to, from->mass, com, inertia);
}

// what moves must have mass, or bear it; otherwise it stays where it is
// A joint that moves nothing has no equation of motion. It is left in the list of joints, but its
// link has none any more, which everybody who writes joints or forces looks at.
static void stop_massless(hn_robot *robot) {
  // parents come before their children, so that sums go backwards
  for (int i = robot->links - 1; i >= 0; i--) {
    hn_robot_link *l = &robot->link[i];
    l->borne += l->mass;
    if (l->parent >= 0) robot->link[l->parent].borne += l->borne;
    if (l->joint < 0 || l->borne > 0 || robot->status) continue;
    hn_robot_wrong(robot, l->node, "'%.60s' moves, but neither it nor what hangs on it has mass",
                   hn_robot_called(l));
    l->joint = -1;
  }
}

// Place and body of a link follow from those of its parent, of which they are known by now.
static void find_bodies(hn_robot *robot) {
  for (int i = 0; i < robot->links; i++) {
    hn_robot_link *l = &robot->link[i];
    l->body = i, l->in_body = hn_rigid_none;
    if (l->joint >= 0) continue;
    l->body = l->parent < 0 ? -1 : robot->link[l->parent].body;
    hn_rigid up = l->parent < 0 ? hn_rigid_none : robot->link[l->parent].in_body;
    hn_rigid_mul(&l->in_body, &up, &l->place);
    if (l->body >= 0) hand_over(robot, l);
  }
}

static void principal(const hn_robot_link *l, double moment[3]) {
  const double *I = l->inertia;
  hn_inertia_principal((double[6]){I[0], I[4], I[8], I[1], I[2], I[5]}, moment);
}

// Bodies without inertia between joints (a joint of several axes, written as a chain) get a part of
// the least of the others that no result shows.
// 1e-12 of the least mass and inertia is four digits above rounding in the sums of a tree, and
// twelve below what counts: relative coordinates do not divide by it (robot->carriers asks for
// them).
static const double nothing = 1e-12;

static void least_inertia(const hn_robot *robot, double *mass, double *inertia) {
  double moment[3];
  *mass = *inertia = 0;
  for (int i = 0; i < robot->links; i++) {
    const hn_robot_link *l = &robot->link[i];
    if (l->body != i) continue;
    if (l->mass > 0 && (*mass == 0 || l->mass < *mass)) *mass = l->mass;
    principal(l, moment);
    if (moment[2] > 0 && (*inertia == 0 || moment[2] < *inertia)) *inertia = moment[2];
  }
  if (*inertia == 0) *inertia = *mass;
}

// a body as it can be: with mass, and with an inertia that some distribution of mass has
// Two limits: rounding of files that give six digits (1e-6 for the triangle inequality), and
// moments that are exactly zero about one axis (1e-14), which rods have and which a body that turns
// freely must not have.
static void check_body(hn_robot *robot, int i, double mass, double inertia) {
  hn_robot_link *l = &robot->link[i];
  double moment[3];
  if (l->carrier || l->mass == 0) {
    if (!l->carrier)
      hn_robot_approximated(robot, l->node, "'%.60s' moves without mass and gets %g kg",
                            hn_robot_called(l), nothing * mass);
    robot->carriers = true;
    l->mass = nothing * mass;
  }
  principal(l, moment);
  if (moment[0] < -1e-9 * moment[2] || moment[2] > (moment[0] + moment[1]) * (1 + 1e-6)) {
    if (!robot->lenient) {
      hn_robot_fail(
          robot, l->node, HN_ERR_MODEL,
          "'%.60s': no distribution of mass has the principal moments %g, %g, %g (lenient "
          "reading takes their mean)",
          hn_robot_called(l), moment[0], moment[1], moment[2]);
      return;
    }
    hn_robot_approximated(robot, l->node, "'%.60s' gets the mean of its impossible moments",
                          hn_robot_called(l));
    double mean = (fabs(moment[0]) + fabs(moment[1]) + moment[2]) / 3;
    for (int k = 0; k < 9; k++) l->inertia[k] = k % 4 ? 0 : mean;
    principal(l, moment);
  }
  if (moment[0] > 1e-14 * moment[2]) return;
  if (!l->carrier && moment[2] > 0)
    hn_robot_approximated(robot, l->node,
                          "'%.60s' has no inertia about one axis and gets %g kg m^2",
                          hn_robot_called(l), nothing * inertia);
  robot->carriers = true;
  for (int k = 0; k < 9; k += 4) l->inertia[k] += nothing * inertia;
}

static void check_bodies(hn_robot *robot) {
  double mass, inertia;
  least_inertia(robot, &mass, &inertia);
  for (int i = 0; i < robot->links && !robot->status; i++)
    if (robot->link[i].body == i) check_body(robot, i, mass, inertia);
}

// ---- where everything is -------------------------------------------------------------------

// place and velocity of a link against where its joint leaves it at ref, in the axes of that
// Rotation about a point p that the joint has in the link: x -> R (x - p) + p. Velocities are those
// of the link's origin, seen from the frame in which the joint leaves it at `ref`.
static void joint_motion(const hn_robot_joint *j, hn_rigid *move, double v[3], double w[3]) {
  double d[3], r[3];
  *move = hn_rigid_none;
  v3_set(v, 0, 0, 0), v3_set(w, 0, 0, 0);
  switch (j->kind) {
  case HN_ROBOT_SLIDE:
    v3_scale(move->p, j->value[0] - j->ref, j->axis);
    v3_scale(v, j->rate[0], j->axis);
    return;
  case HN_ROBOT_HINGE:
    hn_turn_matrix(move->R, j->axis, j->value[0] - j->ref);
    v3_scale(w, j->rate[0], j->axis);
    break;
  case HN_ROBOT_BALL:
    q_matrix(move->R, j->value);
    m3_mulv(w, move->R, j->rate);
    break;
  case HN_ROBOT_PLANAR:
    hn_turn_matrix(move->R, j->axis, j->value[2]);
    v3_cross(d, j->axis, j->side);
    v3_scale(v, j->rate[0], j->side);
    v3_addto(v, j->rate[1], d);
    v3_scale(w, j->rate[2], j->axis);
    v3_scale(move->p, j->value[0], j->side);
    v3_addto(move->p, j->value[1], d);
    break;
  case HN_ROBOT_FREE: return;
  }
  // the point that the link turns about keeps its place
  m3_mulv(r, move->R, j->pos);
  v3_add(move->p, move->p, j->pos);
  v3_sub(move->p, move->p, r);
  v3_cross(d, w, r);
  v3_sub(v, v, d);
}

// A free link is described in the world, whatever hangs above it in the file.
static void place_free(const hn_robot_joint *j, hn_robot_link *l) {
  v3_copy(l->world.p, j->value);
  q_matrix(l->world.R, j->value + 3);
  v3_copy(l->v, j->rate);
  m3_mulv(l->w, l->world.R, j->rate + 3);
}

// Velocities add as in rigid kinematics: v = v_up + w_up x d + R v_joint, w = w_up + R w_joint.
static void place_link(hn_robot *robot, hn_robot_link *l) {
  const hn_robot_joint *j = l->joint < 0 ? NULL : &robot->joint[l->joint];
  if (j && j->kind == HN_ROBOT_FREE) {
    place_free(j, l);
    return;
  }
  const hn_robot_link *up = l->parent < 0 ? NULL : &robot->link[l->parent];
  hn_rigid base, move = hn_rigid_none;
  double v[3] = {0, 0, 0}, w[3] = {0, 0, 0}, x[3], d[3];
  hn_rigid_mul(&base, up ? &up->world : &hn_rigid_none, &l->place);
  if (j) joint_motion(j, &move, v, w);
  hn_rigid_mul(&l->world, &base, &move);
  m3_mulv(l->v, base.R, v);
  m3_mulv(l->w, base.R, w);
  if (!up) return;
  v3_sub(d, l->world.p, up->world.p);
  v3_cross(x, up->w, d);
  v3_add(l->v, l->v, x);
  v3_add(l->v, l->v, up->v);
  v3_add(l->w, l->w, up->w);
}

static void place_links(hn_robot *robot) {
  for (int i = 0; i < robot->links; i++) place_link(robot, &robot->link[i]);
}

// Before links are joined their own mass is kept (`weight`): forces against gravity act on a link,
// not on the body it became part of.
void hn_robot_settle(hn_robot *robot) {
  if (robot->status) return;
  for (int i = 0; i < robot->links; i++) {
    robot->link[i].weight = robot->link[i].mass;
    v3_copy(robot->link[i].weight_at, robot->link[i].com);
  }
  stop_massless(robot);
  find_bodies(robot);
  check_bodies(robot);
  place_links(robot);
}

// ---- what refers to links ------------------------------------------------------------------

const char *hn_robot_body(const hn_robot *robot, int link) {
  int body = link < 0 ? -1 : robot->link[link].body;
  return body < 0 ? "ground" : robot->link[body].name;
}

// Every call makes a frame of its own, also where another one has that place: names of loops and
// forces stay readable that way.
const char *hn_robot_end(hn_robot *robot, int link, const hn_rigid *place, const char *name,
                         bool oriented) {
  int frame = hn_robot_add_frame(robot, name, link, place);
  if (frame < 0) return "";
  robot->frame[frame].wanted = true;
  robot->frame[frame].oriented = oriented;
  return hn_robot_text(robot, "%s.%s", hn_robot_body(robot, link), robot->frame[frame].name);
}

// Both ends get frames; a spherical joint needs no axes there. Two links of one body always meet:
// nothing is to be written then.
void hn_robot_add_meeting(hn_robot *robot, const hn_robot_meeting *m) {
  if (robot->status) return;
  int body[2];
  for (int k = 0; k < 2; k++) body[k] = m->link[k] < 0 ? -1 : robot->link[m->link[k]].body;
  if (body[0] == body[1]) {
    hn_robot_ignored(robot, m->node, "'%.60s' joins a body with itself", m->name);
    return;
  }
  bool oriented = strcmp(m->type, "spherical") != 0;
  const char *name = hn_robot_name(robot, m->name, "loop"), *end[2];
  for (int k = 0; k < 2; k++)
    end[k] = hn_robot_end(robot, m->link[k], &m->place[k],
                          hn_robot_text(robot, "%s_%c", name, "ab"[k]), oriented);
  // recording every row keeps the joint out of the tree of relative coordinates, which so is the
  // tree of the file
  hn_text_add(&robot->extra_joints, "  %s: {type: %s, a: %s, b: %s, components: true}\n", name,
              m->type, end[0], end[1]);
}

void hn_robot_add_gear(hn_robot *robot, hn_xml *node, const char *name, int a, int b, double ratio,
                       double offset) {
  if (robot->status) return;
  const hn_robot_joint *ja = a < 0 ? NULL : &robot->joint[a], *jb = &robot->joint[b];
  bool moving = robot->link[jb->link].joint >= 0 && (!ja || robot->link[ja->link].joint >= 0);
  if ((ja && ja->kind > HN_ROBOT_SLIDE) || jb->kind > HN_ROBOT_SLIDE || a == b || !moving) {
    hn_robot_wrong(robot, node, "'%.60s' couples other than two hinges or slides", name);
    return;
  }
  if (!hn_grow((void **)&robot->gear, &robot->gear_room, robot->gears, sizeof *robot->gear)) {
    hn_robot_fail(robot, NULL, HN_ERR_MEMORY, "out of memory");
    return;
  }
  robot->gear[robot->gears++] =
      (hn_robot_gear){.node = node, .name = name, .a = a, .b = b, .ratio = ratio, .offset = offset};
}

static double gear_value(const hn_robot *robot, const hn_robot_gear *g) {
  return g->offset + (g->a < 0 ? 0 : g->ratio * robot->joint[g->a].value[0]);
}

// A ratio of zero holds the coordinate: that is a driver, for a gear without ratio is none. Between
// a hinge and a slide the model file wants the radius of a pinion, metres for each radian,
// whichever of the two follows.
static void put_gear(hn_robot *robot, hn_robot_gear *g) {
  const hn_robot_joint *ja = g->a < 0 ? NULL : &robot->joint[g->a];
  hn_robot_joint *jb = &robot->joint[g->b];
  g->done = true;
  jb->value[0] = gear_value(robot, g);
  jb->rate[0] = ja ? g->ratio * ja->rate[0] : 0;
  const char *own = hn_robot_name(robot, g->name, "gear");
  if (!ja || g->ratio == 0) {
    hn_text_add(&robot->extra_joints, "  %s: {type: driver, joint_a: %s, motion: %s}\n", own,
                jb->name, hn_robot_number_text(robot, g->offset));
    return;
  }
  bool alike = ja->kind == jb->kind, back = !alike && ja->kind == HN_ROBOT_SLIDE;
  hn_text_add(&robot->extra_joints, "  %s: {type: %s, joint_a: %s, joint_b: %s, %s: %s}\n", own,
              alike ? "gear" : "rack-pinion", ja->name, jb->name, alike ? "ratio" : "radius",
              hn_robot_number_text(robot, back ? 1 / g->ratio : g->ratio));
}

// does the joint that it follows still wait for gears of its own? open[j]: how many of those there
// are for joint j
static bool is_waiting(const hn_robot_gear *g, const int *open) {
  return g->a >= 0 && open[g->a] > 0;
}

// Kahn's order of a graph without rings, pass by pass over the list; linear in most files,
// quadratic where every gear follows the next one.
void hn_robot_settle_gears(hn_robot *robot) {
  if (robot->status || !robot->gears) return;
  size_t bytes = (size_t)robot->joints * sizeof(int);
  int *open = hn_pool_take(&robot->pool, bytes);
  if (!open) {
    hn_robot_fail(robot, NULL, HN_ERR_MEMORY, "out of memory");
    return;
  }
  memset(open, 0, bytes);
  for (int i = 0; i < robot->gears; i++) open[robot->gear[i].b]++;
  for (int left = robot->gears; left > 0;) {
    int before = left;
    for (int i = 0; i < robot->gears; i++) {
      hn_robot_gear *g = &robot->gear[i];
      if (g->done || is_waiting(g, open)) continue;
      put_gear(robot, g), open[g->b]--, left--;
    }
    if (left < before) continue;
    // a ring of them: any may come first, and what they say must fit
    for (int i = 0; i < robot->gears && left == before; i++)
      if (!robot->gear[i].done) put_gear(robot, &robot->gear[i]), open[robot->gear[i].b]--, left--;
  }
  for (int i = 0; i < robot->gears; i++) {
    const hn_robot_gear *g = &robot->gear[i];
    double wanted = gear_value(robot, g), value = robot->joint[g->b].value[0];
    if (!(fabs(wanted - value) <= 1e-9 * (1 + fabs(wanted))))
      hn_robot_fail(robot, g->node, HN_ERR_MODEL,
                    "'%.60s' wants '%.60s' at %g, where other couplings have it at %g", g->name,
                    robot->joint[g->b].name, wanted, value);
  }
  place_links(robot);
}

void hn_robot_lift(hn_robot *robot) {
  for (int i = 0; i < robot->links && !robot->status; i++) {
    const hn_robot_link *l = &robot->link[i];
    if (l->lifted == 0 || l->body < 0) continue;
    hn_rigid at = hn_rigid_none;
    v3_copy(at.p, l->weight_at);
    const char *name = hn_robot_name(robot, hn_robot_text(robot, "%s_lift", l->name), "force");
    const char *end = hn_robot_end(robot, i, &at, hn_robot_text(robot, "%s_at", name), false);
    const char *f[3];
    for (int k = 0; k < 3; k++)
      f[k] = hn_robot_number_text(robot, -robot->link[i].lifted * robot->link[i].weight *
                                             robot->gravity[k]);
    hn_text_add(&robot->forces, "  %s: {type: force, b: %s, force: [%s, %s, %s]}\n", name, end,
                f[0], f[1], f[2]);
  }
}
