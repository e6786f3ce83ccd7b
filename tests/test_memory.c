// test_memory.c: a model file that is read again and again with other parameters
// (io/model_memory.c) gives what it gives when it is read for the first time: the same numbers to
// the last digit, and the same words where it is refused.
#include "test.h"

#include "expr/internal.h"
#include "io/model_reader.h"

#include <holon/holon.h>

static unsigned long long seed = 20261116;

static double uniform(double low, double high) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static int pick(int count) {
  return (int)uniform(0, count);
}

// ---- formulas ----------------------------------------------------------------------------------

// random text over names a, b, c
static void write_formula(char *out, int depth) {
  static const char *const one[] = {"-%s",      "sin(%s)", "sqrt(%s)",  "exp(%s)", "log(%s)",
                                    "(%s)^2",   "(%s)^3",  "(%s)^-1",   "abs(%s)", "(%s)^0.5",
                                    "atan(%s)", "1/(%s)",  "floor(%s)", "2*(%s)"};
  static const char *const two[] = {"(%s)+(%s)",
                                    "(%s)-(%s)",
                                    "(%s)*(%s)",
                                    "(%s)/(%s)",
                                    "hypot(%s,%s)",
                                    "atan2(%s,%s)",
                                    "min(%s,%s)",
                                    "(%s)^(%s)",
                                    "if(a<b,%s,%s)",
                                    "mod(%s,%s)",
                                    "smoothstep(a,0,%s,1,%s)"};
  char left[400], right[400];
  if (depth == 0) {
    if (pick(3) == 0)
      sprintf(out, "%.3g", uniform(0, 3));
    else
      sprintf(out, "%c", 'a' + pick(3));
    return;
  }
  write_formula(left, depth - 1);
  if (pick(2)) {
    sprintf(out, one[pick(sizeof one / sizeof *one)], left);
    return;
  }
  write_formula(right, depth - 1);
  sprintf(out, two[pick(sizeof two / sizeof *two)], left, right);
}

static hn_node constants(void *user, hn_graph *graph, const char *name, size_t length) {
  const double *value = user;
  return length == 1 && *name >= 'a' && *name <= 'c' ? hn_graph_constant(graph, value[*name - 'a'])
                                                     : -1;
}

static hn_node inputs(void *user, hn_graph *graph, const char *name, size_t length) {
  (void)user;
  return length == 1 && *name >= 'a' && *name <= 'c' ? hn_graph_input(graph, *name - 'a') : -1;
}

// folding constants and running the program of the same text
static void formulas(void) {
  int refused = 0, finite = 0;
  for (int k = 0; k < 20000; k++) {
    char text[800];
    double value[3] = {uniform(-2, 2), uniform(-2, 2), pick(4) ? uniform(0, 2) : 0};
    double folded = 0, run = 0, registers[200];
    write_formula(text, 1 + pick(3));
    hn_graph *graph = hn_graph_create();
    graph->plain = true;
    hn_node n = hn_graph_parse(graph, text, strlen(text), inputs, NULL, NULL);
    hn_program *program = n >= 0 ? hn_program_compile(graph, &n, 1) : NULL;
    int is_constant = hn_parse_number(text, strlen(text), constants, value, &folded, NULL);
    int is_finite = program && hn_program_run_finite(program, value, registers, &run);
    // what runs without a doubt is what folding says
    if (is_finite && !CHECK(is_constant && memcmp(&run, &folded, sizeof run) == 0))
      printf("  '%s' at %.17g %.17g %.17g: %.17g, %.17g\n", text, value[0], value[1], value[2], run,
             folded);
    finite += is_finite, refused += !is_constant;
    hn_program_destroy(program);
    hn_graph_destroy(graph);
  }
  CHECK(finite > 10000 && refused > 500);
}

// ---- files -------------------------------------------------------------------------------------

static void same_bits(const double *a, const double *b, int count) {
  CHECK(memcmp(a, b, (size_t)count * sizeof *a) == 0);
}

static void same_models(const hn_model *a, const hn_model *b) {
  if (!CHECK(a->parameter_count == b->parameter_count && a->body_count == b->body_count &&
             a->frame_count == b->frame_count && a->joint_count == b->joint_count &&
             a->force_count == b->force_count))
    return;
  for (int i = 0; i < a->parameter_count; i++) {
    same_bits(&a->parameter[i].value, &b->parameter[i].value, 1);
    const hn_dimension *x = &a->parameter[i].dimension, *y = &b->parameter[i].dimension;
    CHECK(x->known == y->known && x->m == y->m && x->kg == y->kg && x->s == y->s);
    CHECK(a->parameter[i].given == b->parameter[i].given);
  }
  for (int i = 0; i < a->body_count; i++) {
    const hn_body_def *x = &a->body[i].def, *y = &b->body[i].def;
    same_bits(&x->mass, &y->mass, 1), same_bits(x->inertia, y->inertia, 6);
    same_bits(x->position, y->position, 3), same_bits(x->orientation, y->orientation, 4);
    same_bits(&x->angle, &y->angle, 1), same_bits(x->com, y->com, 3);
  }
  for (int i = 0; i < a->frame_count; i++)
    same_bits(a->frame[i].def.position, b->frame[i].def.position, 3);
  for (int i = 0; i < a->joint_count; i++)
    same_bits(a->joint[i].def.at, b->joint[i].def.at, 3),
        same_bits(a->joint[i].def.axis, b->joint[i].def.axis, 3);
  for (int i = 0; i < a->force_count; i++)
    same_bits(&a->force[i].def.stiffness, &b->force[i].def.stiffness, 1),
        same_bits(a->force[i].def.at, b->force[i].def.at, 3);
  same_bits(a->gravity, b->gravity, 3);
}

// one reading with memory against one without
static void read_both(hn_yaml_doc *doc, hn_memory *memory, const char *text, const char *name,
                      const char *const *set, int count) {
  hn_model *with = hn_model_create(), *without = hn_model_create();
  hn_yaml_doc *view = hn_yaml_borrow(doc);
  for (int i = 0; i < count; i++) {
    hn_model_override(with, set[2 * i], set[2 * i + 1]);
    hn_model_override(without, set[2 * i], set[2 * i + 1]);
  }
  hn_status a = hn_model_read(with, view, name, memory, NULL);
  hn_status b = hn_model_parse(without, text, strlen(text), name);
  if (CHECK(a == b) && !a)
    same_models(with, without);
  else
    CHECK_STR(hn_model_error(with), hn_model_error(without));
  hn_yaml_destroy(view);
  hn_model_destroy(with), hn_model_destroy(without);
}

static void read_often(const char *text, const char *name, int times) {
  hn_yaml_error error;
  hn_yaml_doc *doc = hn_yaml_parse(text, strlen(text), &error);
  hn_memory *memory = hn_memory_create();
  hn_model *first = hn_model_create();
  if (!CHECK(doc && !hn_model_parse(first, text, strlen(text), name)))
    printf("  %s: %s\n", name, hn_model_error(first));
  enum { MOST = 40 };
  const char *set[2 * MOST];
  char value[MOST][40];
  int count = hn_model_parameter_count(first);
  if (count > MOST) count = MOST;
  for (int k = 0; k < times; k++) {
    int used = 0;
    for (int i = 0; i < count; i++) {
      double x;
      set[2 * used] = hn_model_parameter_name(first, i);
      if (strchr(set[2 * used], '.') || pick(2)) continue;
      hn_model_parameter(first, set[2 * used], &x);
      // now and then something that cannot be
      snprintf(value[used], sizeof value[used], "%.17g",
               pick(40)  ? x * uniform(0.95, 1.05)
               : pick(2) ? -x
                         : 0);
      set[2 * used + 1] = value[used], used++;
    }
    read_both(doc, memory, text, name, set, used);
  }
  hn_model_destroy(first);
  hn_memory_destroy(memory);
  hn_yaml_destroy(doc);
}

static void files(void) {
  for (int i = 0; hn_example_name(i); i++)
    read_often(hn_example_text(i), hn_example_name(i), strlen(hn_example_text(i)) > 20000 ? 3 : 12);
}

// aliases, parts used twice, points, units: a formula is not the same everywhere it stands
static const char shared_values[] =
    "parameters: {wide: 0.5 m, length: &L 2*wide, heavy: 2 kg}\n"
    "points: {P: [wide, length], Q: [P.x + wide, 2*P.y]}\n"
    "parts:\n"
    "  bar:\n"
    "    parameters: {reach: length/3}\n"
    "    bodies: {b: {mass: heavy*reach/(1 m), inertia: 0.2, type: planar, position: [reach, 0]}}\n"
    "use:\n"
    "  one: {part: bar, with: {reach: P.x}}\n"
    "  two: {part: bar, at: [Q.x, Q.y]}\n"
    "bodies:\n"
    "  c: {type: planar, mass: heavy, inertia: 0.1, position: [*L, Q.x]}\n"
    "joints: {j: {type: revolute, a: ground, b: c, at: Q}}\n";

static void shared(void) {
  read_often(shared_values, "shared", 60);
}

// one alias, two keys, of which one must not have this unit: refused with memory, too
static void units(void) {
  const char *text = "parameters: {wide: 2}\n"
                     "bodies:\n"
                     "  a: {type: planar, mass: 1, inertia: 1, position: [&x 2 m, 0]}\n"
                     "  b: {type: planar, mass: *x, inertia: 1}\n";
  hn_yaml_error error;
  hn_yaml_doc *doc = hn_yaml_parse(text, strlen(text), &error);
  hn_memory *memory = hn_memory_create();
  for (int k = 0; k < 3; k++) read_both(doc, memory, text, "units", NULL, 0);
  hn_memory_destroy(memory);
  hn_yaml_destroy(doc);
}

int main(void) {
  RUN(formulas);
  RUN(files);
  RUN(shared);
  RUN(units);
  return test_end();
}
