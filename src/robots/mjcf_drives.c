// mjcf_drives.c: actuators of MJCF. Each becomes an input of its name, a signal NAME_force of what
// it does, and a motor or force that reads that.
//
// MuJoCo's general actuator is affine in control, length and rate; its shortcuts are settings of
// that. Length and rate are those of the joint or tendon times the gear, and the force acts through
// the gear as well, so that power is force times rate.
#include "robots/mjcf.h"

#include <stdlib.h>
#include <string.h>

enum { GEARS = 6 };

// force = (gain . (1, length, rate)) * control + bias . (1, length, rate)
typedef struct drive {
  double gain[3], bias[3];
  double lag;     // [s] the control is that of a filter; 0: it is the input
  bool integral;  // or that of an integral
} drive;

static const char actuator_kinds[] =
    "general motor position velocity damper intvelocity cylinder muscle adhesion";

// a word, "" when it is not given
static const char *word_of(const hn_mjcf_element *e, const char *attribute, const char *otherwise) {
  const char *text = hn_mjcf_get(e, attribute);
  return text ? text : otherwise;
}

// Ten numbers may be given; three of gain and bias and the first of dynprm are understood.
static bool read_general(hn_mjcf *m, const hn_mjcf_element *e, drive *d) {
  const char *dyn = word_of(e, "dyntype", "none"), *gain = word_of(e, "gaintype", "fixed");
  const char *bias = word_of(e, "biastype", "none");
  // defaults of MuJoCo: gain 1, no bias, a time constant of 1
  double x[10] = {1}, y[10] = {0}, z[10] = {1};
  hn_mjcf_numbers(e, "gainprm", x, 1, 10);
  hn_mjcf_numbers(e, "biasprm", y, 1, 10);
  hn_mjcf_numbers(e, "dynprm", z, 1, 10);
  double lag = z[0];
  hn_mjcf_pass(e->node, "actdim actearly");
  bool filter = hn_word_in(dyn, "filter filterexact") && lag > 0;
  d->integral = strcmp(dyn, "integrator") == 0;
  d->lag = filter ? lag : 0;
  if ((strcmp(dyn, "none") != 0 && !filter && !d->integral) || !hn_word_in(gain, "fixed affine") ||
      !hn_word_in(bias, "none affine")) {
    hn_robot_wrong(m->robot, e->node,
                   "an actuator with dyntype %.20s, gaintype %.20s, biastype %.20s", dyn, gain,
                   bias);
    return false;
  }
  bool affine = strcmp(gain, "affine") == 0, biased = strcmp(bias, "affine") == 0;
  for (int i = 0; i < 3; i++) {
    // a fixed gain reads the control alone
    d->gain[i] = i == 0 || affine ? x[i] : 0;
    d->bias[i] = biased ? y[i] : 0;
  }
  return true;
}

// A position servo is kp (u - length) - kv rate, a velocity servo kv (u - rate), a damper -kv rate
// u.
static bool read_drive(hn_mjcf *m, const hn_mjcf_element *e, drive *d) {
  const char *kind = e->node->name;
  // a position servo has no damping of its own unless kv is given
  double kp = 1, kv = strcmp(kind, "position") == 0 ? 0 : 1, lag = 0, ratio = 0;
  *d = (drive){.gain = {1, 0, 0}};
  if (strcmp(kind, "general") == 0) return read_general(m, e, d);
  if (strcmp(kind, "motor") == 0) return true;
  hn_mjcf_number(e, "kp", &kp);
  hn_mjcf_number(e, "kv", &kv);
  hn_mjcf_number(e, "timeconst", &lag);
  hn_mjcf_number(e, "dampratio", &ratio);
  if (strcmp(kind, "velocity") == 0) {
    d->gain[0] = kv, d->bias[2] = -kv;
  } else if (strcmp(kind, "damper") == 0) {
    // the control is the coefficient: -kv u rate
    d->gain[0] = 0, d->gain[2] = -kv;
  } else if (strcmp(kind, "position") == 0 && lag >= 0 && ratio == 0) {
    d->gain[0] = kp, d->bias[1] = -kp, d->bias[2] = -kv, d->lag = lag;
  } else {
    hn_xml_pass(e->node, true);
    hn_robot_wrong(m->robot, e->node, "an actuator <%.40s>%s", kind,
                   ratio != 0 ? " with dampratio" : "");
    return false;
  }
  return true;
}

// "a + b*length + c*rate", terms that are zero left out
static const char *affine(hn_robot *robot, const double c[3], const char *length,
                          const char *rate) {
  // where all are zero the text is that zero
  const char *text = c[0] != 0 || (c[1] == 0 && c[2] == 0) ? hn_robot_number_text(robot, c[0]) : "";
  if (c[1] != 0)
    text = hn_robot_text(robot, "%s%s(%s)*(%s)", text, *text ? " + " : "",
                         hn_robot_number_text(robot, c[1]), length);
  if (c[2] != 0)
    text = hn_robot_text(robot, "%s%s(%s)*(%s)", text, *text ? " + " : "",
                         hn_robot_number_text(robot, c[2]), rate);
  return text;
}

// Smallest last, so that the text reads as max(low, min(high, x)).
static const char *clamped(hn_robot *robot, const char *x, const double range[2]) {
  return hn_robot_text(robot, "max(%s, min(%s, %s))", hn_robot_number_text(robot, range[0]),
                       hn_robot_number_text(robot, range[1]), x);
}

// what an actuator acts on
typedef struct target {
  int joint;
  const hn_mjcf_tendon *tendon;
  int site;
} target;

// jointinparent differs from joint for ball and free joints alone, which are refused here.
static bool find_target(hn_mjcf *m, const hn_mjcf_element *e, const hn_mjcf_tendon *list, int count,
                        target *o) {
  const char *joint = hn_xml_get(e->node, "joint"), *tendon_name = hn_xml_get(e->node, "tendon");
  const char *site = hn_xml_get(e->node, "site");
  // for hinges and slides both mean the same
  if (!joint) joint = hn_xml_get(e->node, "jointinparent");
  *o = (target){.joint = -1, .site = -1};
  if (joint) {
    o->joint = hn_mjcf_find_joint(m, e->node, joint);
    return o->joint >= 0;
  }
  if (tendon_name) {
    o->tendon = hn_mjcf_find_tendon(list, count, tendon_name);
    if (!o->tendon) hn_robot_wrong(m->robot, e->node, "what acts on tendon '%.60s'", tendon_name);
    return o->tendon != NULL;
  }
  if (site && !hn_xml_get(e->node, "refsite")) {
    o->site = hn_mjcf_find_site(m, e->node, site);
    return o->site >= 0;
  }
  hn_robot_wrong(m->robot, e->node, "an actuator on other than a joint, a tendon or a site");
  return false;
}

// The sum of a joint's drives stays in its range, which one of them alone can be kept in; false: it
// is left out
static bool may_drive(hn_mjcf *m, hn_xml *node, int joint, bool alone) {
  hn_robot_joint *j = &m->robot->joint[joint];
  bool other = j->driven || !alone;
  // also where it is left out: the next drive must know
  j->driven = true;
  if (!(j->effort[0] < j->effort[1]) || !other) return true;
  hn_robot_wrong(m->robot, node,
                 "'%.60s' has a range for the sum of its drives, which is kept for a single "
                 "actuator on the joint itself",
                 j->name);
  return false;
}

static bool may_act(hn_mjcf *m, hn_xml *node, const target *o) {
  if (o->joint >= 0) return may_drive(m, node, o->joint, true);
  for (int k = 0; o->tendon && !o->tendon->spatial && k < o->tendon->count; k++)
    if (!may_drive(m, node, o->tendon->part[k], false)) return false;
  return true;
}

// On a site force and torque act in its own axes: gear has three numbers for each.
static void act_on(hn_mjcf *m, const char *name, const char *force, const target *o,
                   const double gear[GEARS]) {
  hn_robot *robot = m->robot;
  if (o->tendon) {
    hn_mjcf_pull(robot, o->tendon, name, gear[0], force);
  } else if (o->joint >= 0) {
    const hn_robot_joint *j = &robot->joint[o->joint];
    // a factor of one is not written
    const char *law =
        gear[0] == 1 ? force
                     : hn_robot_text(robot, "(%s)*%s", hn_robot_number_text(robot, gear[0]), force);
    if (j->effort[0] < j->effort[1]) law = clamped(robot, law, j->effort);
    hn_text_add(&robot->forces, "  %s: {type: motor, joint: %s, law: \"%s\"}\n",
                hn_robot_name(robot, name, "motor"), j->name, law);
  } else if (hn_mjcf_body_of(robot, o->site) >= 0) {
    static const char *const type[] = {"force", "torque"};
    hn_robot_frame *f = &robot->frame[o->site];
    // gear counts along the site's axes
    f->oriented = true;
    const char *end = hn_mjcf_site_end(robot, o->site);
    for (int k = 0; k < 2; k++) {
      const double *g = gear + 3 * k;
      if (g[0] == 0 && g[1] == 0 && g[2] == 0) continue;
      hn_text_add(&robot->forces, "  %s: {type: %s, b: %s, axes: body, %s: [",
                  hn_robot_name(robot, hn_robot_text(robot, "%s_%s", name, type[k]), "force"),
                  type[k], end, type[k]);
      for (int i = 0; i < 3; i++)
        hn_text_add(&robot->forces, "%s\"(%s)*%s\"", i ? ", " : "",
                    hn_robot_number_text(robot, g[i]), force);
      hn_text_add(&robot->forces, "]}\n");
    }
  }
}

// the filtered or integrated control, a state of the model
// MuJoCo's activations are states of the model, starting at zero.
static const char *add_activation(hn_robot *robot, const char *name, const char *control,
                                  const drive *d) {
  const char *own = hn_robot_name(robot, hn_robot_text(robot, "%s_act", name), "state");
  if (d->integral)
    hn_text_add(&robot->states, "  %s: {rate: \"%s\"}\n", own, control);
  else
    hn_text_add(&robot->states, "  %s: {rate: \"(%s - %s)/%s\"}\n", own, control, own,
                hn_robot_number_text(robot, d->lag));
  return own;
}

// Control, clamped to its range; activation, where it has one; force, clamped to its range; then
// the gear. The order is MuJoCo's, and matters where ranges are given.
void hn_mjcf_actuator(hn_mjcf *m, hn_xml *node, double start, const hn_mjcf_tendon *list,
                      int count) {
  hn_robot *robot = m->robot;
  // words of all kinds: one class of defaults serves them all
  hn_mjcf_element e = hn_mjcf_open(m, node, actuator_kinds, NULL);
  double gear[GEARS] = {1, 0, 0, 0, 0, 0}, range[2], force_range[2];
  drive d;
  target o;
  if (hn_mjcf_limited(&e, "actlimited", "actrange", range))
    hn_robot_wrong(robot, node, "limits of an activation (actrange)");
  hn_mjcf_pass(node, "group user lengthrange inheritrange cranklength nsample "
                     "interp delay");
  hn_mjcf_numbers(&e, "gear", gear, 1, GEARS);
  bool limited = hn_mjcf_limited(&e, "ctrllimited", "ctrlrange", range);
  bool force_limited = hn_mjcf_limited(&e, "forcelimited", "forcerange", force_range);
  const char *name = hn_robot_name(robot, hn_mjcf_name(node, node->name), "actuator");
  if (robot->status || !read_drive(m, &e, &d) || !find_target(m, &e, list, count, &o)) return;
  if (!may_act(m, node, &o)) return;
  // an input with the value of the keyframe: it may be set from outside
  hn_text_add(&robot->signals, "  %s: {input: %s}\n", name, hn_robot_number_text(robot, start));
  // a site has neither length nor rate
  const char *g = hn_robot_number_text(robot, gear[0]), *length = "0", *rate = "0";
  if (o.joint >= 0) {
    const hn_robot_joint *j = &robot->joint[o.joint];
    length = hn_robot_text(robot, "(%s)*%s.%s", g, j->name, hn_robot_coordinate(j));
    rate = hn_robot_text(robot, "(%s)*%s.%s_rate", g, j->name, hn_robot_coordinate(j));
  } else if (o.tendon) {
    length = hn_robot_text(robot, "(%s)*%s", g, o.tendon->length);
    rate = hn_robot_text(robot, "(%s)*%s", g, o.tendon->rate);
  }
  const char *control = limited ? clamped(robot, name, range) : name;
  if (d.lag > 0 || d.integral) control = add_activation(robot, name, control, &d);
  const char *formula =
      hn_robot_text(robot, "(%s)*%s", affine(robot, d.gain, length, rate), control);
  if (d.bias[0] != 0 || d.bias[1] != 0 || d.bias[2] != 0)
    formula = hn_robot_text(robot, "%s + %s", formula, affine(robot, d.bias, length, rate));
  if (force_limited) formula = clamped(robot, formula, force_range);
  const char *force = hn_robot_name(robot, hn_robot_text(robot, "%s_force", name), "signal");
  hn_mjcf_signal(robot, force, formula, "");
  act_on(m, name, force, &o, gear);
}
