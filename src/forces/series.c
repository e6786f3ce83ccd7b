// series.c: springs and dampers one behind the other, between a point of a and a point of b or
// along a joint coordinate. The nodes between them have no mass, so the same tension T goes through
// all elements:
//
//   T = k_i e_i + c_i e_i',   sum of e_i = L - free
//
// e_i is the elongation of element i. Those of elements with a damper are states, <force>_e1 ...,
// which begin relaxed; springs alone follow at once, together as one spring 1/K = sum of 1/k_i:
//
//   T = K (L - free - sum of the states),   e_i' = (T - k_i e_i) / c_i
//
// Where every element has a damper, the last elongation is what the others leave of the length, and
//
//   T = (L' + sum of k_i e_i / c_i) / (sum of 1 / c_i)
//
// All of this is exact: nothing is made of small masses. The work is that of a force without
// potential.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "forces/drive.h"
#include "forces/force.h"
#include "forces/law.h"

enum { MOST = 8 };  // elements of one chain; more would make formulas too long

typedef struct chain {
  const hn_force_def *def;
  int count, states, state[MOST];  // elements with a state
  double spring;                   // 1/K of those without; 0: every element has a damper
  char length[HN_DRIVE_NAME], rate[HN_DRIVE_NAME];
} chain;

static double stiffness(const chain *c, int i) {
  return i < c->def->series_stiffness_count ? c->def->series_stiffness[i] : 0;
}
static double damping(const chain *c, int i) {
  return i < c->def->series_damping_count ? c->def->series_damping[i] : 0;
}

// The first reason why it cannot be, or NULL. Elements with a damper have a state, the last of them
// not where all have one: its elongation is what the others leave
static const char *make(chain *c, const hn_force_def *def) {
  *c = (chain){.def = def};
  int k = def->series_stiffness_count, d = def->series_damping_count;
  if (k != d) return "stiffness and damping need one number for every element, 0 where it has none";
  if (k < 2) return "one element is a spring: give two or more";
  if (k > MOST) return "more than 8 elements";
  // stiffness and damping of one element are at the same place of both lists
  c->count = k;
  for (int i = 0; i < k; i++) {
    if (stiffness(c, i) < 0 || damping(c, i) < 0)
      return "stiffness and damping must not be negative";
    if (!(stiffness(c, i) + damping(c, i) > 0))
      return "an element with neither stiffness nor damping holds nothing";
    // whose elongation is a state of its own
    if (damping(c, i) > 0)
      c->state[c->states++] = i;
    else
      c->spring += 1 / stiffness(c, i);
  }
  // the sum of all elongations is known, so one state is too many
  if (c->spring == 0) c->states--;
  return NULL;
}

static void name_of(const chain *c, int k, char name[HN_DRIVE_NAME]) {
  // named after the element, counted from one
  char word[16];
  snprintf(word, sizeof word, "e%d", c->state[k] + 1);
  hn_drive_name(c->def, word, name);
}

static void append(char *text, const char *more) {
  // all texts of a chain have HN_DRIVE_TEXT characters of room
  size_t used = strlen(text);
  snprintf(text + used, HN_DRIVE_TEXT - used, "%s", more);
}

// length less free less all states
static void write_rest(const chain *c, char *text) {
  char part[2 * HN_DRIVE_NAME], name[HN_DRIVE_NAME];
  // length - free - sum of the states is what the springs without state have left
  hn_plain_text(part, sizeof part, "(%s - %.17g", c->length, c->def->free);
  append(text, part);
  for (int k = 0; k < c->states; k++) {
    name_of(c, k, name);
    append(text, " - "), append(text, name);
  }
  append(text, ")");
}

// The text is used twice: for the rates of the states, before the model is compiled, where length
// and rate have global names, and as the law of the element, where they are local ones
static void write_tension(const chain *c, char *text) {
  char part[2 * HN_DRIVE_NAME], name[HN_DRIVE_NAME];
  text[0] = 0;
  // T = K (L - free - sum of the states), 1/K summed by `make`
  if (c->spring > 0) {
    hn_plain_text(part, sizeof part, "%.17g*", 1 / c->spring);
    append(text, part);
    write_rest(c, text);
    return;
  }
  // all damped: T follows from the rate, with the sum of 1/c_i below
  int last = c->count - 1;
  double sum = 0;
  for (int i = 0; i < c->count; i++) sum += 1 / damping(c, i);
  // k_n/c_n of the last element, whose elongation is `rest`
  hn_plain_text(part, sizeof part, "(%s + %.17g*", c->rate, stiffness(c, last) / damping(c, last));
  append(text, part);
  write_rest(c, text);
  for (int k = 0; k < c->states; k++) {
    int i = c->state[k];
    name_of(c, k, name);
    hn_plain_text(part, sizeof part, " + %.17g*%s", stiffness(c, i) / damping(c, i), name);
    append(text, part);
  }
  hn_plain_text(part, sizeof part, ")/%.17g", sum);
  append(text, part);
}

static hn_status states(hn_model *model, const hn_force_def *def) {
  chain c;
  char tension[HN_DRIVE_TEXT], rate[HN_DRIVE_TEXT + 3 * HN_DRIVE_NAME], name[HN_DRIVE_NAME];
  const char *wrong = make(&c, def);
  if (wrong) return hn_element_fail(model, "stiffness", "%s", wrong);
  if (def->joint) {
    hn_drive_quantity(def, false, c.length);
    hn_drive_quantity(def, true, c.rate);
  } else {
    snprintf(c.length, sizeof c.length, "%.120s.length", def->name);
    snprintf(c.rate, sizeof c.rate, "%.120s.rate", def->name);
  }
  write_tension(&c, tension);
  hn_status status = HN_OK;
  for (int k = 0; k < c.states && !status; k++) {
    int i = c.state[k];
    name_of(&c, k, name);
    // e_i' = (T - k_i e_i) / c_i, each with the tension written out anew
    hn_plain_text(rate, sizeof rate, "(%s - %.17g*%s)/%.17g", tension, stiffness(&c, i), name,
                  damping(&c, i));
    status = hn_add_signal(
        model, &(hn_signal_def){.name = name, .rate = rate, .unit = def->joint ? NULL : "m"});
  }
  return status;
}

static const char *column(const void *data, int k, const char **unit) {
  static const char *const name[] = {"length", "rate", "force"};
  // by whether the coordinate is an angle
  static const char *const units[2][3] = {{"m", "m/s", "N"}, {"rad", "rad/s", "N m"}};
  const hn_along *e = data;
  if (k > 2) return NULL;
  *unit = units[e->angular][k];
  return name[k];
}

static double read(const hn_system *sys, const hn_work *work, const void *data, int k) {
  const hn_along *e = data;
  if (k == 0) return work->mval[e->measure].value;
  if (k == 1) return work->mval[e->measure].rate;
  return hn_law_eval(&e->law, sys, work, e->measure).force;
}

static const hn_force_ops ops = {
    .name = "series",
    .data_size = sizeof(hn_along),
    .eval = hn_along_eval,
    .tangent = hn_along_tangent,
    .column = column,
    .read = read,
    .switches = hn_along_switches,
    .line = hn_along_line,
    .tension = hn_along_tension,
    .formulas = hn_along_formulas,
};

static hn_status build(hn_builder *builder, const hn_force_def *def) {
  hn_along e = {.sign = -1};
  chain c;
  char tension[HN_DRIVE_TEXT];
  const char *wrong = make(&c, def);
  if (wrong) return hn_build_fail(builder, HN_ERR_MODEL, "%s", wrong);
  // names that the law binds to the measure
  snprintf(c.length, sizeof c.length, "length");
  snprintf(c.rate, sizeof c.rate, "rate");
  write_tension(&c, tension);
  if (def->joint)
    e.measure = hn_build_joint_coordinate(builder, def->joint, def->coordinate, &e.angular);
  else
    e.measure = hn_build_distance(builder, hn_mount_a(builder), hn_mount_b(builder));
  // an expression: no potential, no free length beside it
  hn_force_def law = {.law = tension};
  hn_law_build(&e.law, builder, &law, e.measure, "length");
  hn_build_force(builder, &ops, &e);
  return hn_build_status(builder);
}

const hn_force_type hn_force_series = {
    .info = {.name = "series",
             .help = "springs and dampers one behind the other, with massless nodes between them",
             .keys = "at at_b joint coordinate stiffness damping free",
             .required = "stiffness damping free"},
    .build = build,
    .states = states,
};
