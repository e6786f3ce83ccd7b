// test_machines.c: machines described by points and parts, against the same machine written out.
//
// The plain file has a line for every body and joint, and every place, angle and axis in it is a
// number: what would have to be worked out by hand. Both must move alike; how many lines and
// numbers each of them has stands in docs/format.md, and is counted here.
#include "run_rig.h"

#include "base/file.h"
#include "base/vec.h"
#include "model/model.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>

// ---- the machine written out -----------------------------------------------------------------

typedef struct text {
  char *at;
  size_t used, room;
} text;

static void put(text *t, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = vsnprintf(t->at + t->used, t->room - t->used, format, list);
  va_end(list);
  if (CHECK(n >= 0 && t->used + (size_t)n < t->room)) t->used += (size_t)n;
}

// dots are for parts
static void put_name(text *t, const char *name) {
  for (; *name; name++) put(t, "%c", *name == '.' ? '_' : *name);
}

static void put_vector(text *t, const char *key, const double *x, int count) {
  put(t, ", %s: [", key);
  for (int i = 0; i < count; i++) put(t, "%s%.17g", i ? ", " : "", x[i]);
  put(t, "]");
}

// parameters become their values
static void put_formula(text *t, const hn_model *m, const char *formula) {
  while (*formula) {
    size_t n = 0;
    while (isalnum((unsigned char)formula[n]) || formula[n] == '_' || (n && formula[n] == '.')) n++;
    bool word = n && !isdigit((unsigned char)*formula);
    const hn_parameter *found = NULL;
    for (int i = 0; word && i < m->parameter_count; i++)
      if (strlen(m->parameter[i].name) == n && !strncmp(m->parameter[i].name, formula, n))
        found = &m->parameter[i];
    if (!n) n = 1;
    if (found)
      put(t, "(%.17g)", found->value);
    else
      put(t, "%.*s", (int)n, formula);
    formula += n;
  }
}

static void put_shape(text *t, const hn_shape *s) {
  if (s->kind == HN_SHAPE_NONE) return;
  bool box = s->kind == HN_SHAPE_BOX;
  put(t, ", shape: {%s: {", box ? "box" : s->kind == HN_SHAPE_CYLINDER ? "cylinder" : "rod");
  if (box) put(t, "size: [%.17g, %.17g, %.17g]", s->size[0], s->size[1], s->size[2]);
  if (!box) put(t, "length: %.17g", s->length);
  if (!box && s->radius > 0) put(t, ", radius: %.17g", s->radius);
  if (hn_largest(s->axis, 3) > 0) put_vector(t, "axis", s->axis, 3);
  put(t, "}}");
}

static void put_body(text *t, const hn_body_def *d) {
  bool flat = d->kind == HN_PLANAR;
  put(t, "  ");
  put_name(t, d->name);
  put(t, ": {type: %s, mass: %.17g", flat ? "planar" : "spatial", d->mass);
  if (d->shape.kind == HN_SHAPE_NONE && flat) put(t, ", inertia: %.17g", d->inertia[2]);
  put_vector(t, "position", d->position, flat ? 2 : 3);
  if (hn_largest(d->com, 3) > 0) put_vector(t, "com", d->com, flat ? 2 : 3);
  if (flat && d->angle != 0) put(t, ", angle: %.17g", d->angle);
  if (!flat && hn_largest(d->orientation, 4) > 0)
    put(t, ", orientation: {quaternion: [%.17g, %.17g, %.17g, %.17g]}", d->orientation[0],
        d->orientation[1], d->orientation[2], d->orientation[3]);
  put_shape(t, &d->shape);
  put(t, "}\n");
}

// where a joint is, in the world
static void place_of(const hn_model *m, const hn_joint_def *d, double at[3]) {
  const hn_end *end = d->a.frame.id ? &d->a : &d->b;
  v3_copy(at, d->at);
  if (!end->frame.id) return;
  const hn_frame_def *f = &m->frame[end->frame.id - 1].def;
  const hn_body_def *b = end->body.id ? &m->body[end->body.id].def : NULL;
  double q[4] = {1, 0, 0, 0}, R[9];
  if (b && b->kind == HN_PLANAR) q[0] = cos(b->angle / 2), q[3] = sin(b->angle / 2);
  if (b && hn_largest(b->orientation, 4) > 0) memcpy(q, b->orientation, sizeof q);
  q_matrix(R, q);
  m3_mulv(at, R, f->position);
  for (int k = 0; b && k < 3; k++) at[k] += b->position[k];
}

static void put_joint(text *t, const hn_model *m, const hn_joint_def *d, bool flat) {
  double at[3];
  put(t, "  ");
  put_name(t, d->name);
  put(t, ": {type: %s", d->type);
  if (d->joint_a) put(t, ", joint_a: "), put_name(t, d->joint_a);
  if (d->joint_b) put(t, ", joint_b: "), put_name(t, d->joint_b), put(t, ", ratio: %g", d->ratio);
  if (d->motion) put(t, ", motion: \""), put_formula(t, m, d->motion), put(t, "\"");
  if (!d->joint_a) {
    if (d->a.body.id) put(t, ", a: "), put_name(t, m->body[d->a.body.id].def.name);
    if (d->b.body.id) put(t, ", b: "), put_name(t, m->body[d->b.body.id].def.name);
    place_of(m, d, at);
    put_vector(t, "at", at, flat ? 2 : 3);
    if (hn_largest(d->axis, 3) > 0) put_vector(t, "axis", d->axis, flat ? 2 : 3);
  }
  put(t, "}\n");
}

static void write_out(text *t, hn_model *m) {
  const hn_options *o = hn_model_options(m);
  double g[3];
  bool flat = m->body[1].def.kind == HN_PLANAR;
  hn_model_gravity(m, g);
  put(t, "gravity: [%g, %g, %g]\n", g[0], g[1], g[2]);
  put(t, "simulation: {duration: %.17g, output_step: %.17g}\nbodies:\n", o->duration,
      o->output_step);
  for (int i = 1; i < m->body_count; i++) put_body(t, &m->body[i].def);
  put(t, "joints:\n");
  for (int i = 0; i < m->joint_count; i++) put_joint(t, m, &m->joint[i].def, flat);
  if (m->force_count) put(t, "forces:\n");
  for (int i = 0; i < m->force_count; i++) {
    const hn_force_def *d = &m->force[i].def;
    put(t, "  "), put_name(t, d->name);
    put(t, ": {type: %s, joint: ", d->type), put_name(t, d->joint);
    put(t, ", viscous: %.17g}\n", d->viscous);
  }
}

// ---- counting --------------------------------------------------------------------------------

// lines that say something, and numbers in them; comments, title and description are not counted
static void count(const char *from, int *lines, int *numbers) {
  bool described = false;
  *lines = *numbers = 0;
  while (*from) {
    size_t n = strcspn(from, "\n"), comment = strcspn(from, "#\n");
    bool blank = strspn(from, " ") >= comment;
    described = described ? *from == ' ' || blank : !strncmp(from, "description:", 12);
    if (!described && !blank && strncmp(from, "name:", 5) != 0) {
      ++*lines;
      for (size_t i = 0; i < comment; i++) {
        bool starts = isdigit((unsigned char)from[i]) ||
                      (from[i] == '.' && isdigit((unsigned char)from[i + 1]));
        if (!starts) continue;
        bool part = i && (isalnum((unsigned char)from[i - 1]) || from[i - 1] == '_');
        size_t length = strspn(from + i, "0123456789.");
        if (strchr("eE", from[i + length]) && strchr("-+0123456789", from[i + length + 1]))
          length += 1 + strspn(from + i + length + 1, "-+0123456789");
        *numbers += !part;
        i += length - 1;
      }
    }
    from += n + (from[n] == '\n');
  }
}

// ---- both --------------------------------------------------------------------------------------

static void compare(const hn_result *a, const hn_result *b) {
  CHECK(hn_result_rows(a) == hn_result_rows(b));
  int compared = 0;
  for (int i = 1; i < hn_result_columns(a); i++) {
    char name[200];
    snprintf(name, sizeof name, "%s", hn_result_name(a, i));
    // dots of parts became underscores, the last one stands before the quantity
    for (char *c = name; strchr(c, '.') && strrchr(c, '.') != strchr(c, '.');)
      *strchr(c, '.') = '_';
    int k = hn_result_find(b, name);
    // reactions of redundant joints are shared by names
    if (k < 0 ||
        !(strstr(name, ".x") || strstr(name, ".y") || strstr(name, ".z") || strstr(name, "angle")))
      continue;
    double worst = 0;
    for (int row = 0; row < hn_result_rows(a); row++)
      worst = fmax(worst, fabs(hn_result_row(a, row)[i] - hn_result_row(b, row)[k]));
    if (!CHECK(worst <= 1e-6)) printf("  %s: %g\n", name, worst);
    compared++;
  }
  CHECK(compared > 20);
}

// what docs/format.md says in the row of a machine: bodies, lines and numbers before and after
static void in_the_docs(const char *row) {
  char *docs = NULL, message[HN_MESSAGE];
  size_t length;
  if (!CHECK(!hn_load_file(&docs, &length, "docs/format.md", message))) return;
  if (!CHECK(strstr(docs, row))) printf("  docs/format.md should say: %s\n", row);
  free(docs);
}

static void machine(const char *name, const char *title, int bodies, int most) {
  char path[100], row[200], *own = NULL, message[HN_MESSAGE];
  size_t length;
  text plain = {.room = 1 << 18};
  run before = {.model = hn_model_create()}, after = {.model = hn_model_create()};
  snprintf(path, sizeof path, "models/%s.yaml", name);
  plain.at = calloc(plain.room, 1);
  if (!CHECK(plain.at && !hn_load_file(&own, &length, path, message))) return;
  if (!CHECK(!hn_model_load(after.model, path))) return;
  CHECK(after.model->body_count - 1 == bodies);
  write_out(&plain, after.model);
  if (!CHECK(!hn_model_parse(before.model, plain.at, plain.used, "plain")))
    printf("  %s\n", hn_model_error(before.model));
  if (!CHECK(!run_model(&after, "default", "auto", 0)) ||
      !CHECK(!run_model(&before, "default", "auto", 0)))
    printf("  %s: %s%s\n", name, after.message, before.message);
  else
    compare(after.result, before.result);
  int lines[2], numbers[2];
  count(plain.at, &lines[0], &numbers[0]);
  count(own, &lines[1], &numbers[1]);
  CHECK(lines[1] <= most && 2 * numbers[1] < numbers[0]);
  snprintf(row, sizeof row, "| %s | %d | %d | %d | %d | %d |", title, bodies, lines[0], lines[1],
           numbers[0], numbers[1]);
  in_the_docs(row);
  run_free(&before), run_free(&after);
  free(plain.at), free(own);
}

static void machines(void) {
  machine("scissor_lift", "[scissor lift](../models/scissor_lift.yaml)", 7, 40);
  machine("v6_engine", "[V6 engine](../models/v6_engine.yaml)", 37, 60);
  machine("robot_two_grippers", "[robot with two grippers](../models/robot_two_grippers.yaml)", 8,
          60);
  machine("wiper", "[windscreen wiper](../models/wiper.yaml)", 5, 60);
}

int main(void) {
  RUN(machines);
  return test_end();
}
