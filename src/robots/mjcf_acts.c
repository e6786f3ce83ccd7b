// mjcf_acts.c: equality constraints, tendons and sensors of MJCF; actuators are in mjcf_drives.c.
//
// What tendons and actuators do is written as signals that laws of motors and springs read. A fixed
// tendon acts on the joints it sums up, a spatial one as springs of one tension along its path.
#include "robots/mjcf.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

// ---- where things are as the file describes them -------------------------------------------

// all joints at the values they have there
typedef enum described { AT_REF, AT_SPRING } described;

// From the link up to the root, each place in that of its parent.
static void described_place(const hn_robot *robot, int link, described how, hn_rigid *place) {
  *place = hn_rigid_none;
  for (int i = link; i >= 0; i = robot->link[i].parent) {
    const hn_robot_link *l = &robot->link[i];
    const hn_robot_joint *j = l->joint < 0 ? NULL : &robot->joint[l->joint];
    hn_rigid move = hn_rigid_none;
    double r[3];
    // where the spring of a slide is relaxed, counted from where the file describes it
    if (how == AT_SPRING && j && j->kind == HN_ROBOT_SLIDE)
      v3_scale(move.p, j->springref - j->ref, j->axis);
    if (how == AT_SPRING && j && j->kind == HN_ROBOT_HINGE) {
      // a turn about the joint's axis through its place: x -> R (x - pos) + pos
      hn_turn_matrix(move.R, j->axis, j->springref - j->ref);
      m3_mulv(r, move.R, j->pos);
      v3_sub(move.p, j->pos, r);
    }
    // the joint acts after the link was placed in its parent
    hn_rigid_mul(&move, &l->place, &move);
    hn_rigid_mul(place, &move, place);
  }
}

// -1 for the world, -2 after a failure
static int find_body(hn_mjcf *m, hn_xml *node, const char *name) {
  // equality constraints may leave the second body out: it is the world then
  if (!name || strcmp(name, "world") == 0) return -1;
  int link = hn_robot_find_link(m->robot, name);
  if (link >= 0) return link;
  hn_robot_fail(m->robot, node, HN_ERR_MODEL, "no body named '%.60s'", name);
  return -2;
}

int hn_mjcf_find_joint(hn_mjcf *m, hn_xml *node, const char *name) {
  int joint = name ? hn_robot_find_joint(m->robot, name) : -1;
  if (joint < 0)
    hn_robot_fail(m->robot, node, HN_ERR_MODEL, "no joint named '%.60s'", name ? name : "");
  // kinds are in the order hinge, slide, ball, free: the first two have one coordinate
  else if (m->robot->joint[joint].kind > HN_ROBOT_SLIDE ||
           m->robot->link[m->robot->joint[joint].link].joint < 0)
    hn_robot_wrong(m->robot, node, "what acts on '%.60s', which is no hinge or slide", name);
  else
    return joint;
  return -1;
}

int hn_mjcf_find_site(hn_mjcf *m, hn_xml *node, const char *name) {
  int frame = name ? hn_robot_find_frame(m->robot, name) : -1;
  if (frame < 0)
    hn_robot_fail(m->robot, node, HN_ERR_MODEL, "no site named '%.60s'", name ? name : "");
  return frame;
}

// ---- equality constraints ------------------------------------------------------------------

const char *hn_mjcf_name(hn_xml *node, const char *otherwise) {
  const char *name = hn_xml_get(node, "name");
  // names of the file, or the word of the element: names need not be unique here yet
  return name ? name : otherwise;
}

// by two sites, or by two bodies and what they look like as described
// An anchor counts in body 1; where it is on body 2 follows from the described configuration, as in
// MuJoCo. A relpose of zeros (or none) keeps the bodies as they are described.
static void read_meeting(hn_mjcf *m, const hn_mjcf_element *e, bool weld) {
  hn_robot *robot = m->robot;
  hn_robot_meeting meet = {.name = hn_mjcf_name(e->node, weld ? "weld" : "connect"),
                           .type = weld ? "fixed" : "spherical",
                           .node = e->node,
                           .place = {hn_rigid_none, hn_rigid_none}};
  const char *site = hn_xml_get(e->node, "site1");
  if (site) {
    for (int k = 0; k < 2 && !robot->status; k++) {
      int f = hn_mjcf_find_site(m, e->node, hn_xml_get(e->node, k ? "site2" : "site1"));
      if (f < 0) return;
      meet.link[k] = robot->frame[f].link, meet.place[k] = robot->frame[f].place;
    }
    hn_robot_add_meeting(robot, &meet);
    return;
  }
  double anchor[3] = {0, 0, 0}, pose[7];
  for (int k = 0; k < 2; k++)
    // -2 after a failure, which has been said
    meet.link[k] = find_body(m, e->node, hn_xml_get(e->node, k ? "body2" : "body1"));
  if (robot->status) return;
  hn_rigid a, b, back;
  described_place(robot, meet.link[0], AT_REF, &a);
  described_place(robot, meet.link[1], AT_REF, &b);
  hn_rigid_inverse(&back, &b);
  bool anchored = hn_mjcf_numbers(e, "anchor", anchor, 3, 3) > 0;
  if (!weld) {
    // the sentence stays the first failure: what follows runs on numbers that nobody uses
    if (!anchored) hn_robot_fail(robot, e->node, HN_ERR_MODEL, "<connect> needs an anchor");
    v3_copy(meet.place[0].p, anchor);
    hn_rigid_mul(&a, &a, &meet.place[0]);
    hn_rigid_mul(&meet.place[1], &back, &a);
    // a quaternion of zeros is MuJoCo's way of saying that there is no relpose
  } else if (hn_mjcf_numbers(e, "relpose", pose, 7, 7) &&
             (pose[3] != 0 || pose[4] != 0 || pose[5] != 0 || pose[6] != 0)) {
    v3_copy(meet.place[0].p, pose);
    q_matrix(meet.place[0].R, pose + 3);
  } else {
    // body 2 as it lies in body 1
    hn_rigid_inverse(&back, &a);
    hn_rigid_mul(&meet.place[0], &back, &b);
  }
  hn_robot_add_meeting(robot, &meet);
}

// Polynomials of joint equality: only constant and slope are gears. Numbers not given keep MuJoCo's
// defaults 0 1 0 0 0.
static void read_coefficients(hn_mjcf *m, const hn_mjcf_element *e, double c[5]) {
  double x[5] = {0, 1, 0, 0, 0};
  hn_mjcf_numbers(e, "polycoef", x, 1, 5);
  memcpy(c, x, sizeof x);
  if (x[2] != 0 || x[3] != 0 || x[4] != 0)
    hn_robot_wrong(m->robot, e->node, "a coupling that is not linear (polycoef)");
}

// Values count from the references: y - y_ref = c0 + c1 (x - x_ref).
static void read_joint_equality(hn_mjcf *m, const hn_mjcf_element *e) {
  hn_robot *robot = m->robot;
  double c[5];
  const char *second = hn_xml_get(e->node, "joint2");
  int a = hn_mjcf_find_joint(m, e->node, hn_xml_get(e->node, "joint1"));
  int b = second ? hn_mjcf_find_joint(m, e->node, second) : -1;
  read_coefficients(m, e, c);
  if (robot->status || a < 0 || (second && b < 0)) return;
  const hn_robot_joint *one = &robot->joint[a], *two = b < 0 ? NULL : &robot->joint[b];
  // held at its reference plus c0 where there is no second joint
  double ratio = two ? c[1] : 0, offset = one->ref + c[0] - (two ? ratio * two->ref : 0);
  hn_robot_add_gear(robot, e->node,
                    hn_mjcf_name(e->node, hn_robot_text(robot, "%s_gear", one->name)), b, a, ratio,
                    offset);
}

// ---- tendons -------------------------------------------------------------------------------

// "(body.site.x)": a coordinate of a site, or its velocity; places on the ground are numbers
// Formulas read the coordinates of frames of bodies by name; a place on the ground does not move,
// and is written as the number it is.
static const char *site_value(hn_robot *robot, const char *end, int frame, int k, bool velocity) {
  static const char *const name[] = {"x", "y", "z", "vx", "vy", "vz"};
  const hn_robot_frame *f = &robot->frame[frame];
  if (f->link >= 0 && robot->link[f->link].body >= 0)
    return hn_robot_text(robot, "%s.%s", end, name[3 * velocity + k]);
  // places on links that have no joint of their own are told in the body's axes
  hn_rigid place = f->place;
  if (f->link >= 0) hn_rigid_mul(&place, &robot->link[f->link].in_body, &f->place);
  return velocity ? "0" : hn_robot_text(robot, "(%s)", hn_robot_number_text(robot, place.p[k]));
}

const char *hn_mjcf_site_end(hn_robot *robot, int frame) {
  hn_robot_frame *f = &robot->frame[frame];
  f->wanted = true;
  return hn_robot_text(robot, "%s.%s", hn_robot_body(robot, f->link), f->name);
}

int hn_mjcf_body_of(const hn_robot *robot, int frame) {
  int link = robot->frame[frame].link;
  return link < 0 ? -1 : robot->link[link].body;
}

void hn_mjcf_signal(hn_robot *robot, const char *name, const char *formula, const char *unit) {
  hn_text_add(&robot->signals, "  %s: {formula: \"%s\"%s%s}\n", name, formula,
              *unit ? ", unit: " : "", unit);
}

// length and rate of the k-th part of the path, as signals
// Length is sqrt(d.d), its rate (d.v)/length. Between two sites of one body the length stays, and
// nothing pulls there.
static void add_segment(hn_robot *robot, hn_mjcf_tendon *t, int k, hn_text *length, hn_text *rate) {
  const char *a = hn_mjcf_site_end(robot, t->part[k]), *b = hn_mjcf_site_end(robot, t->part[k + 1]);
  hn_text d = {0}, s = {0};
  // coordinates of both ends and their velocities, in world axes
  for (int i = 0; i < 3; i++) {
    const char *x = site_value(robot, a, t->part[k], i, false);
    const char *y = site_value(robot, b, t->part[k + 1], i, false);
    const char *u = site_value(robot, a, t->part[k], i, true);
    const char *v = site_value(robot, b, t->part[k + 1], i, true);
    hn_text_add(&d, "%s(%s - %s)^2", i ? " + " : "", y, x);
    hn_text_add(&s, "%s(%s - %s)*(%s - %s)", i ? " + " : "", y, x, v, u);
  }
  // also where nothing reads it: a sensor may, and people do
  const char *own = hn_robot_name(robot, hn_robot_text(robot, "%s_%d", t->name, k + 1), "part");
  if (!d.failed && !s.failed) {
    hn_text_add(&robot->signals, "  %s: {formula: \"sqrt(%s)\", unit: m}\n", own, d.data);
    hn_text_add(length, "%s%s", length->length ? " + " : "", own);
    // of one body: the distance is constant, and the pull would act on the body alone
    if (hn_mjcf_body_of(robot, t->part[k]) != hn_mjcf_body_of(robot, t->part[k + 1])) {
      hn_text_add(rate, "%s(%s)/%s", rate->length ? " + " : "", s.data, own);
      t->segment[t->segments++] = hn_robot_text(robot, "a: %s, b: %s", a, b);
    }
  }
  free(d.data), free(s.data);
}

static void add_spatial(hn_robot *robot, hn_mjcf_tendon *t) {
  hn_text length = {0}, rate = {0};
  for (int k = 0; k + 1 < t->count; k++) add_segment(robot, t, k, &length, &rate);
  // names of signals are words of formulas: hn_robot_name keeps them apart from all others
  t->length = hn_robot_name(robot, hn_robot_text(robot, "%s_length", t->name), "signal");
  t->rate = hn_robot_name(robot, hn_robot_text(robot, "%s_rate", t->name), "signal");
  // a tendon along one point has no length
  hn_mjcf_signal(robot, t->length, length.data ? length.data : "0", "m");
  hn_mjcf_signal(robot, t->rate, rate.data ? rate.data : "0", "m/s");
  free(length.data), free(rate.data);
}

// A sum of joint coordinates, each with its factor: no length of anything, so it has no unit.
static void add_fixed(hn_robot *robot, hn_mjcf_tendon *t) {
  hn_text length = {0}, rate = {0};
  for (int k = 0; k < t->count; k++) {
    const hn_robot_joint *j = &robot->joint[t->part[k]];
    // the factor in parentheses: it may be negative
    const char *c = hn_robot_number_text(robot, t->coef[k]), *x = hn_robot_coordinate(j);
    hn_text_add(&length, "%s(%s)*%s.%s", k ? " + " : "", c, j->name, x);
    hn_text_add(&rate, "%s(%s)*%s.%s_rate", k ? " + " : "", c, j->name, x);
  }
  t->length = hn_robot_name(robot, hn_robot_text(robot, "%s_length", t->name), "signal");
  t->rate = hn_robot_name(robot, hn_robot_text(robot, "%s_rate", t->name), "signal");
  hn_mjcf_signal(robot, t->length, length.data ? length.data : "0", "");
  hn_mjcf_signal(robot, t->rate, rate.data ? rate.data : "0", "");
  free(length.data), free(rate.data);
}

// springlength -1 is what the tendon measures with all joints at their springref.
static double rest_length(const hn_robot *robot, const hn_mjcf_tendon *t) {
  double sum = 0, last[3] = {0, 0, 0};
  for (int k = 0; k < t->count; k++) {
    if (!t->spatial) {
      // a sum of joint values, as the tendon itself is
      sum += t->coef[k] * robot->joint[t->part[k]].springref;
      continue;
    }
    const hn_robot_frame *f = &robot->frame[t->part[k]];
    hn_rigid place;
    double d[3];
    described_place(robot, f->link, AT_SPRING, &place);
    hn_rigid_mul(&place, &place, &f->place);
    v3_sub(d, place.p, last);
    // from the second point on there is a distance
    if (k) sum += v3_norm(d);
    v3_copy(last, place.p);
  }
  return sum;
}

// `force` lengthens the tendon where it is positive; factor "" or "2*"
// Along a path every segment is a spring with the same tension; on joints, a motor each with the
// factor of its coordinate (virtual work).
void hn_mjcf_pull(hn_robot *robot, const hn_mjcf_tendon *t, const char *name, double gear,
                  const char *force) {
  if (t->spatial) {
    // a law of a spring is positive where it pulls, the tendon's force where it pushes
    const char *g = hn_robot_number_text(robot, -gear);
    for (int k = 0; k < t->segments; k++)
      hn_text_add(&robot->forces, "  %s: {type: spring, %s, law: \"(%s)*%s\"}\n",
                  hn_robot_name(robot, hn_robot_text(robot, "%s_pull%d", name, k + 1), "force"),
                  t->segment[k], g, force);
    return;
  }
  for (int k = 0; k < t->count; k++)
    hn_text_add(&robot->forces, "  %s: {type: motor, joint: %s, law: \"(%s)*%s\"}\n",
                hn_robot_name(robot, hn_robot_text(robot, "%s_pull%d", name, k + 1), "force"),
                robot->joint[t->part[k]].name, hn_robot_number_text(robot, gear * t->coef[k]),
                force);
}

// A dead band between two lengths, in which the spring is slack: two numbers of springlength.
static void add_tendon_spring(hn_mjcf *m, const hn_mjcf_element *e, hn_mjcf_tendon *t) {
  hn_robot *robot = m->robot;
  double k = 0, c = 0, loss = 0, armature = 0, rest[2] = {-1, -1};
  hn_mjcf_number(e, "stiffness", &k);
  hn_mjcf_number(e, "damping", &c);
  hn_mjcf_number(e, "frictionloss", &loss);
  hn_mjcf_number(e, "armature", &armature);
  // neither has a counterpart that acts along a path
  if (loss != 0 || armature != 0)
    hn_robot_wrong(robot, e->node, "frictionloss or armature of a tendon");
  // one number is both ends of the dead band
  if (hn_mjcf_numbers(e, "springlength", rest, 1, 2) == 1) rest[1] = rest[0];
  if (rest[0] == -1 && rest[1] == -1) rest[0] = rest[1] = rest_length(robot, t);
  // nothing pulls, nothing to write
  if ((k == 0 && c == 0) || robot->status) return;
  const char *K = hn_robot_number_text(robot, k), *C = hn_robot_number_text(robot, c);
  const char *lo = hn_robot_number_text(robot, rest[0]), *hi = hn_robot_number_text(robot, rest[1]);
  const char *force = hn_robot_name(robot, hn_robot_text(robot, "%s_spring", t->name), "signal");
  const char *stretch = rest[0] == rest[1]
                            ? hn_robot_text(robot, "(%s - (%s))", t->length, lo)
                            : hn_robot_text(robot, "(max(%s - (%s), 0) + min(%s - (%s), 0))",
                                            t->length, hi, t->length, lo);
  hn_mjcf_signal(robot, force, hn_robot_text(robot, "-(%s)*%s - (%s)*%s", K, stretch, C, t->rate),
                 t->spatial ? "N" : "");
  hn_mjcf_pull(robot, t, force, 1, force);
}

// false where the tendon is left out; a path is sites, or joints with factors.
static bool read_path(hn_mjcf *m, hn_mjcf_tendon *t) {
  for (hn_xml *p = hn_xml_next(t->node, NULL, NULL); p; p = hn_xml_next(t->node, p, NULL)) {
    if (t->count == HN_MJCF_PATH) {
      hn_robot_wrong(m->robot, p, "tendon '%.40s' with more than %d parts", t->source,
                     HN_MJCF_PATH);
      return false;
    }
    if (t->spatial && strcmp(p->name, "site") == 0) {
      t->part[t->count] = hn_mjcf_find_site(m, p, hn_xml_get(p, "site"));
    } else if (!t->spatial && strcmp(p->name, "joint") == 0) {
      // the factor of a joint is 1 unless coef says otherwise
      t->coef[t->count] = 1;
      t->part[t->count] = hn_mjcf_find_joint(m, p, hn_xml_get(p, "joint"));
      hn_robot_number(m->robot, p, "coef", &t->coef[t->count]);
    } else {
      hn_xml_pass(p, true);
      hn_robot_wrong(m->robot, p, "<%.40s> in a tendon", p->name);
      return false;
    }
    if (m->robot->status || t->part[t->count] < 0) return false;
    t->count++;
  }
  return t->count > 0;
}

// Signals NAME_length and NAME_rate exist for every tendon, whether or not something reads them.
static bool read_tendon(hn_mjcf *m, hn_xml *node, hn_mjcf_tendon *t) {
  hn_mjcf_element e = hn_mjcf_open(m, node, "tendon", NULL);
  double range[2];
  *t = (hn_mjcf_tendon){.node = node,
                        .source = hn_mjcf_name(node, "tendon"),
                        .spatial = strcmp(node->name, "spatial") == 0};
  // a path that cannot be read has been told
  if (!read_path(m, t)) return false;
  t->name = hn_robot_name(m->robot, t->source, "tendon");
  hn_mjcf_pass(node,
               "group margin solreflimit solimplimit solreffriction solimpfriction width material "
               "rgba user actuatorfrclimited actuatorfrcrange");
  if (hn_mjcf_limited(&e, "limited", "range", range))
    // a path has no stop: MuJoCo's tendon limit is a constraint that nothing here stands for
    hn_robot_ignored(m->robot, node, "range of '%.60s' is not enforced", t->source);
  if (t->spatial)
    add_spatial(m->robot, t);
  else
    add_fixed(m->robot, t);
  add_tendon_spring(m, &e, t);
  return true;
}

// a sum of two coordinates that stays is a gear
// One tendon over two joints that keeps its length is a gear between them.
static void read_tendon_equality(hn_mjcf *m, const hn_mjcf_element *e, const hn_mjcf_tendon *list,
                                 int count) {
  hn_robot *robot = m->robot;
  const char *first = hn_xml_get(e->node, "tendon1");
  double c[5], start = 0;
  const hn_mjcf_tendon *t = NULL;
  for (int i = 0; i < count; i++)
    // names of the file: two tendons of one name would be MuJoCo's error
    if (first && strcmp(list[i].source, first) == 0) t = &list[i];
  read_coefficients(m, e, c);
  if (robot->status) return;
  // c0 q0 + c1 q1 = L0 + c: a gear between the two; anything else is no pair
  if (!t || hn_xml_get(e->node, "tendon2") || t->spatial || t->count != 2 || t->coef[1] == 0) {
    hn_robot_wrong(robot, e->node, "an equality of tendons other than one of two joints");
    return;
  }
  // the length at the references, from which polycoef counts
  for (int k = 0; k < 2; k++) start += t->coef[k] * robot->joint[t->part[k]].ref;
  hn_robot_add_gear(robot, e->node, hn_mjcf_name(e->node, "tendon_gear"), t->part[0], t->part[1],
                    -t->coef[0] / t->coef[1], (start + c[0]) / t->coef[1]);
}

// ---- sensors -------------------------------------------------------------------------------

const hn_mjcf_tendon *hn_mjcf_find_tendon(const hn_mjcf_tendon *list, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (name && strcmp(list[i].source, name) == 0) return &list[i];
  return NULL;
}

// a place that a sensor looks at; its frame is in the model file
// "body" is the inertial frame in MuJoCo, which is no frame here; "xbody" is that of the body.
static const char *sensed(hn_mjcf *m, hn_xml *node) {
  const char *type = hn_xml_get(node, "objtype"), *name = hn_xml_get(node, "objname");
  // sensors relative to another frame are told in its axes, which columns are not
  if (!type || !name || hn_xml_get(node, "reftype")) return NULL;
  if (strcmp(type, "site") == 0) {
    int f = hn_robot_find_frame(m->robot, name);
    // places on the ground do not move: there is no column of them
    return f < 0 || hn_mjcf_body_of(m->robot, f) < 0 ? NULL : hn_mjcf_site_end(m->robot, f);
  }
  int link = strcmp(type, "xbody") == 0 ? hn_robot_find_link(m->robot, name) : -1;
  if (link < 0 || m->robot->link[link].body < 0) return NULL;
  // a link that is a body of its own has the columns of the body, others those of a frame
  return m->robot->link[link].body == link
             ? m->robot->link[link].name
             : hn_robot_text(m->robot, "%s.%s", hn_robot_body(m->robot, link),
                             m->robot->link[link].name);
}

// Sensors become signals where a formula can say them; others cost nothing to leave out.
static void read_sensor(hn_mjcf *m, hn_xml *node, const hn_mjcf_tendon *list, int count) {
  hn_robot *robot = m->robot;
  const char *kind = node->name, *wanted = hn_mjcf_name(node, kind);
  // noise and delays are of measuring, not of the motion
  hn_mjcf_pass(node, "noise user cutoff nsample interp delay interval");
  bool position = strcmp(kind, "jointpos") == 0 || strcmp(kind, "tendonpos") == 0;
  int joint = strncmp(kind, "joint", 5) == 0 && hn_xml_get(node, "joint")
                  ? hn_robot_find_joint(robot, hn_xml_get(node, "joint"))
                  : -1;
  const hn_mjcf_tendon *t = strncmp(kind, "tendon", 6) == 0
                                ? hn_mjcf_find_tendon(list, count, hn_xml_get(node, "tendon"))
                                : NULL;
  const char *end = NULL;
  // a joint whose link has become part of another was left out
  bool there = joint >= 0 && robot->joint[joint].kind <= HN_ROBOT_SLIDE &&
               robot->link[robot->joint[joint].link].joint >= 0;
  if ((position || strcmp(kind, "jointvel") == 0) && there) {
    const hn_robot_joint *j = &robot->joint[joint];
    hn_mjcf_signal(
        robot, hn_robot_name(robot, wanted, "sensor"),
        hn_robot_text(robot, "%s.%s%s", j->name, hn_robot_coordinate(j), position ? "" : "_rate"),
        "");
  } else if ((position || strcmp(kind, "tendonvel") == 0) && t) {
    hn_mjcf_signal(robot, hn_robot_name(robot, wanted, "sensor"), position ? t->length : t->rate,
                   "");
  } else if ((strcmp(kind, "framepos") == 0 || strcmp(kind, "framelinvel") == 0) &&
             (end = sensed(m, node))) {
    // columns of velocities are vx, vy, vz
    for (int k = 0; k < 3; k++)
      hn_mjcf_signal(
          robot, hn_robot_name(robot, hn_robot_text(robot, "%s_%c", wanted, "xyz"[k]), "sensor"),
          hn_robot_text(robot, "%s.%s%c", end, strcmp(kind, "framepos") ? "v" : "", "xyz"[k]),
          strcmp(kind, "framepos") ? "m/s" : "m");
  } else {
    hn_xml_pass(node, true);
    hn_robot_ignored(robot, node, "sensor '%.40s' of type %.40s", wanted, kind);
  }
}

// ---- all of it -----------------------------------------------------------------------------

static void read_equality(hn_mjcf *m, hn_xml *node, const hn_mjcf_tendon *list, int count) {
  hn_mjcf_element e = hn_mjcf_open(m, node, "equality", NULL);
  hn_mjcf_pass(node, "solref solimp torquescale");
  // one that is switched off is not there, as flags of the options may have it for all
  if (!hn_mjcf_flag(&e, "active", true) || !m->equality) {
    hn_xml_pass(node, true);
    return;
  }
  if (strcmp(node->name, "connect") == 0 || strcmp(node->name, "weld") == 0) {
    // connect or weld by the first letter
    read_meeting(m, &e, *node->name == 'w');
  } else if (strcmp(node->name, "joint") == 0) {
    read_joint_equality(m, &e);
  } else if (strcmp(node->name, "tendon") == 0) {
    read_tendon_equality(m, &e, list, count);
  } else {
    hn_xml_pass(node, true);
    hn_robot_wrong(m->robot, node, "equality of type %.40s", node->name);
  }
}

// Tendons first: equalities, actuators and sensors refer to them by name.
void hn_mjcf_acts(hn_mjcf *m, const hn_mjcf_key *key) {
  hn_robot *robot = m->robot;
  hn_xml *root = robot->root, *s, *e;
  int count = 0, number = 0, room = 0;
  // counted first: the list must not move, since parts point into it
  for (s = hn_xml_next(root, NULL, "tendon"); s; s = hn_xml_next(root, s, "tendon"))
    for (e = s->first; e; e = e->next) room++;
  hn_mjcf_tendon *list = hn_pool_take(&robot->pool, (size_t)(room + 1) * sizeof *list);
  if (!list) {
    hn_robot_fail(robot, NULL, HN_ERR_MEMORY, "out of memory");
    return;
  }
  for (s = hn_xml_next(root, NULL, "tendon"); s; s = hn_xml_next(root, s, "tendon"))
    for (e = hn_xml_next(s, NULL, NULL); e && !robot->status; e = hn_xml_next(s, e, NULL))
      // those that were left out take no place
      if (read_tendon(m, e, &list[count])) count++;
  for (s = hn_xml_next(root, NULL, "equality"); s; s = hn_xml_next(root, s, "equality"))
    for (e = hn_xml_next(s, NULL, NULL); e && !robot->status; e = hn_xml_next(s, e, NULL))
      read_equality(m, e, list, count);
  hn_robot_settle_gears(robot);
  for (s = hn_xml_next(root, NULL, "actuator"); s; s = hn_xml_next(root, s, "actuator"))
    for (e = hn_xml_next(s, NULL, NULL); e && !robot->status; e = hn_xml_next(s, e, NULL)) {
      // controls of a keyframe are in the order of actuators, also of those that are left out
      double start = number < key->count ? key->ctrl[number] : 0;
      number++;
      if (m->actuation)
        hn_mjcf_actuator(m, e, start, list, count);
      else
        // with the flag off they do nothing, and nothing is said of them
        hn_xml_pass(e, true);
    }
  for (s = hn_xml_next(root, NULL, "sensor"); s; s = hn_xml_next(root, s, "sensor"))
    for (e = hn_xml_next(s, NULL, NULL); e && !robot->status; e = hn_xml_next(s, e, NULL))
      read_sensor(m, e, list, count);
}
