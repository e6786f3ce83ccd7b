// test_slopes.c: derivatives of runs by generated code. Along random directions of arguments and
// start the code with directions (members.h) gives what differences of high order of runs give; the
// code that goes back (backward.h) agrees with it to round-off, whatever columns are worth; going
// back in pieces is the same as going back at once.
#include "code/backward.h"
#include "expr/internal.h"
#include "record/column_formulas.h"
#include "sim/sim.h"
#include "test.h"

#include <stdlib.h>

static const double rk4_c[] = {0, 0.5, 0.5, 1}, rk4_b[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
static const double rk4_a[] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0};
static const hn_stepper rk4 = {4, 4, rk4_c, rk4_a, rk4_b};

static unsigned long long seed = 20261116;

static double uniform(double low, double high) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

// ---- the graph ---------------------------------------------------------------------------------

static hn_node letters(void *user, hn_graph *graph, const char *name, size_t length) {
  (void)user;
  return length == 1 && *name >= 'a' && *name <= 'd' ? hn_graph_input(graph, *name - 'a') : -1;
}

static hn_node along(void *user, int input) {
  return input < 4 ? hn_graph_input(user, 4 + input) : -1;
}

// all derivatives at once, both ways, against those one by one
static void graphs(void) {
  static const char *const text[] = {
      "sin(a*b) + c^3/(1 + d^2) - a*a*b",
      "atan2(a, b)*exp(-c) + hypot(a, d)*sqrt(b^2 + 1)",
      "if(a < b, a*c, b*d) + max(a, c)*min(b, d) + abs(a - d)",
      "(a^2 + 1.5)^b + log(1 + c^2)*tan(d/4) - mod(a, 2)",
      "asin(0.5*sin(a)) + acos(0.5*cos(b)) + atan(c*d) + sinh(a/3)*cosh(b/3)*tanh(c)",
      "log10(2 + a^2) + smoothstep(b, -3, a, 3, c) + step(d)*a + sign(b)*c + floor(c)*d",
  };
  for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
    hn_graph *g = hn_graph_create();
    hn_node f = hn_graph_parse(g, text[k], strlen(text[k]), letters, NULL, NULL);
    if (!CHECK(f >= 0)) continue;
    int count = g->count;
    hn_node *dot = malloc((size_t)count * sizeof *dot), *bar = malloc((size_t)count * sizeof *bar);
    unsigned char *leaf = calloc((size_t)count, 1);
    CHECK(hn_graph_tangent(g, count, along, g, dot));
    for (int n = 0; n < count; n++) bar[n] = n == f ? hn_graph_input(g, 8) : -1;
    CHECK(hn_graph_adjoint(g, count, leaf, bar));
    hn_node out[9] = {dot[f]};
    for (int i = 0; i < 4; i++) {
      out[1 + i] = bar[hn_graph_input(g, i)];
      out[5 + i] = hn_graph_derivative(g, f, i);
    }
    hn_program *program = hn_program_compile(g, out, 9);
    double *registers = malloc((size_t)hn_program_registers(program) * sizeof *registers);
    for (int t = 0; t < 20; t++) {
      double in[9], value[9], sum = 0, size = 0;
      for (int i = 0; i < 9; i++) in[i] = uniform(-2, 2);
      hn_program_run(program, in, registers, value);
      for (int i = 0; i < 4; i++) {
        sum += value[5 + i] * in[4 + i], size += fabs(value[5 + i] * in[4 + i]);
        CHECK_REL(value[1 + i], in[8] * value[5 + i], 1, 1e-13);
      }
      CHECK_NEAR(value[0], sum, 1e-13 * (1 + size));
    }
    free(registers), free(dot), free(bar), free(leaf);
    hn_program_destroy(program);
    hn_graph_destroy(g);
  }
}

// ---- families ----------------------------------------------------------------------------------

static const char *example(const char *name) {
  int i = 0;
  while (strcmp(hn_example_name(i), name) != 0) i++;
  return hn_example_text(i);
}

typedef struct kin {
  const char *text, *coordinates, *parameters;  // "crank 2 base 2.5"
  double h;
  long steps, every;
} kin;

static hn_system *compile(const kin *k, bool change) {
  char list[300], value[40], message[300], *rest = NULL;
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  snprintf(list, sizeof list, "%s", k->parameters);
  for (char *name = strtok_r(list, " ", &rest); name && change; name = strtok_r(NULL, " ", &rest)) {
    double middle = strtod(strtok_r(NULL, " ", &rest), NULL);
    snprintf(value, sizeof value, "%.17g", middle * uniform(0.97, 1.03));
    hn_model_override(model, name, value);
  }
  CHECK(hn_model_parse(model, k->text, strlen(k->text), "model") == HN_OK);
  hn_options *o = hn_model_options(model);
  hn_options_set(o, "coordinates", k->coordinates, message, sizeof message);
  hn_options_set(o, "method", "explicit", message, sizeof message);
  o->solver[0] = o->correction[0] = o->integrator[0] = 0;
  if (!CHECK(hn_compile(&sys, model) == HN_OK)) printf("  %s\n", hn_model_error(model));
  hn_model_destroy(model);
  return sys;
}

enum { MOST_COLUMNS = 5, MEMBERS = 4 };

typedef struct family {
  hn_system *base;
  hn_arguments arguments;
  hn_members_code plain, along;
  hn_members_text plain_text, along_text;
  hn_backward_code back;
  int which[MOST_COLUMNS], columns, nq, nv, turns;
  double *p, *start;  // of the member that is looked at: arguments; q, v, turns
} family;

static hn_node column(void *user, hn_formulas *f, int k) {
  const int *which = user;
  return hn_column_formula(f, &f->sys->column[which[k]]);
}

static void choose_columns(family *f) {
  const hn_system *sys = f->base;
  for (int i = 1; i < sys->columns && f->columns < MOST_COLUMNS - 1; i += 3)
    if (sys->column[i].kind <= HN_COL_RATE && sys->column[i].kind != HN_COL_QUATERNION)
      f->which[f->columns++] = i;
  for (int i = 1; i < sys->columns; i++)
    if (sys->column[i].kind == HN_COL_TOTAL && f->columns < MOST_COLUMNS)
      f->which[f->columns++] = i;
}

static bool begin(family *f, const kin *k, const hn_stepper *stepper) {
  char message[300] = "";
  *f = (family){.base = compile(k, false)};
  choose_columns(f);
  const hn_columns_wanted wanted = {.count = f->columns, .formula = column, .user = f->which};
  hn_status status = hn_arguments_begin(&f->arguments, f->base, &wanted, message, sizeof message);
  hn_system *member = NULL;
  for (int i = 0; !status && i < MEMBERS; i++) {
    hn_system_destroy(member);
    member = compile(k, true);
    status = hn_arguments_widen(&f->arguments, member);
  }
  hn_members_plan plan = {
      .sys = f->base, .arguments = &f->arguments, .stepper = *stepper, .corrections = 2};
  if (!status) status = hn_members_write(&plan, &f->plain_text, message, sizeof message);
  if (!status)
    status =
        hn_members_compile(&f->plain, &f->plain_text, 1, HN_NUMBERS_FAST, message, sizeof message);
  if (!status) status = hn_backward_create(&f->back, &plan, message, sizeof message);
  plan.tangent = true;
  if (!status) status = hn_members_write(&plan, &f->along_text, message, sizeof message);
  if (!status)
    status =
        hn_members_compile(&f->along, &f->along_text, 1, HN_NUMBERS_FAST, message, sizeof message);
  const hn_members_sizes *s = &f->plain_text.sizes;
  f->nq = s->nq, f->nv = s->nv, f->turns = s->turns;
  f->p = calloc((size_t)f->arguments.count + 1, sizeof(double));
  f->start = calloc((size_t)s->start + 1, sizeof(double));
  if (!status) status = hn_arguments_read(&f->arguments, member, f->p);
  if (!CHECK(status == HN_OK)) {
    printf("  %s\n", message);
    return false;
  }
  memcpy(f->start, member->q0, (size_t)f->nq * sizeof(double));
  memcpy(f->start + f->nq, member->v0, (size_t)f->nv * sizeof(double));
  memcpy(f->start + f->nq + f->nv, member->turn0, (size_t)f->turns * sizeof(double));
  hn_system_destroy(member);
  return true;
}

static void finish(family *f) {
  hn_members_unload(&f->plain), hn_members_unload(&f->along);
  hn_backward_unload(&f->back);
  hn_arguments_clear(&f->arguments);
  free(f->plain_text.text), free(f->along_text.text), free(f->p), free(f->start);
  hn_system_destroy(f->base);
}

// rows of the member moved by e along a direction (arguments, then start)
static void run_plain(const family *f, const kin *k, const double *d, double e, double *rows) {
  const hn_members_sizes *s = &f->plain_text.sizes;
  int arguments = f->arguments.count;
  double *p = calloc((size_t)arguments + 1, sizeof *p);
  double *table = calloc((size_t)s->table + 1, sizeof *table);
  double *start = calloc((size_t)s->start + 1, sizeof *start);
  double *end = calloc((size_t)s->end, sizeof *end);
  for (int i = 0; i < arguments; i++) p[i] = f->p[i] + e * d[i];
  memcpy(start, f->start, (size_t)s->start * sizeof *start);
  for (int i = 0; i < f->nq + f->nv; i++) start[i] += e * d[arguments + i];
  f->plain.prepare(p, table);
  f->plain.run(1, table, start, 0, k->h, k->steps, k->every, rows, end);
  free(p), free(table), free(start), free(end);
}

// rows, each with columns and their derivatives
static void run_along(const family *f, const kin *k, const double *d, double *rows) {
  const hn_members_sizes *s = &f->along_text.sizes;
  int arguments = f->arguments.count, nq = f->nq, nv = f->nv;
  double *p = calloc(2 * (size_t)arguments + 1, sizeof *p);
  double *table = calloc((size_t)s->table + 1, sizeof *table);
  double *start = calloc((size_t)s->start + 1, sizeof *start);
  double *end = calloc((size_t)s->end, sizeof *end);
  memcpy(p, f->p, (size_t)arguments * sizeof *p);
  memcpy(p + arguments, d, (size_t)arguments * sizeof *p);
  CHECK(s->nq == 2 * nq && s->nv == 2 * nv && s->turns == f->turns);
  for (int i = 0; i < nq; i++) start[i] = f->start[i], start[nq + i] = d[arguments + i];
  for (int i = 0; i < nv; i++) {
    start[2 * nq + i] = f->start[nq + i];
    start[2 * nq + nv + i] = d[arguments + nq + i];
  }
  for (int i = 0; i < f->turns; i++) start[2 * (nq + nv) + i] = f->start[nq + nv + i];
  f->along.prepare(p, table);
  f->along.run(1, table, start, 0, k->h, k->steps, k->every, rows, end);
  free(p), free(table), free(start), free(end);
}

// differences of eighth order
static void differences(const family *f, const kin *k, const double *d, double e, int count,
                        double *out) {
  static const double weight[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  double *up = calloc((size_t)count, sizeof *up), *down = calloc((size_t)count, sizeof *down);
  memset(out, 0, (size_t)count * sizeof *out);
  for (int i = 0; i < 4; i++) {
    run_plain(f, k, d, (i + 1) * e, up), run_plain(f, k, d, -(i + 1) * e, down);
    for (int j = 0; j < count; j++) out[j] += weight[i] * (up[j] - down[j]) / e;
  }
  free(up), free(down);
}

static void check_direction(const family *f, const kin *k) {
  int rows = (int)(k->steps / k->every) + 1, columns = f->columns, arguments = f->arguments.count;
  int changes = arguments + f->nq + f->nv;
  double *d = calloc((size_t)changes, sizeof *d);
  double *both = calloc((size_t)(2 * rows * columns), sizeof *both);
  double *plain = calloc((size_t)(rows * columns), sizeof *plain);
  double *slope = calloc((size_t)(rows * columns), sizeof *slope);
  double *z = calloc((size_t)(rows * columns), sizeof *z);
  double *bar = calloc((size_t)changes, sizeof *bar), *again = calloc((size_t)changes, sizeof *bar);
  for (int i = 0; i < arguments; i++) d[i] = f->p[i] * uniform(-1, 1);
  for (int i = arguments; i < changes; i++) d[i] = 0.3 * uniform(-1, 1);
  run_along(f, k, d, both);
  run_plain(f, k, d, 0, plain);
  differences(f, k, d, 1e-3, rows * columns, slope);
  double sum = 0, size = 0;
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) {
      double value = both[(2 * r) * columns + c], dot = both[(2 * r + 1) * columns + c];
      int i = r * columns + c;
      CHECK_REL(value, plain[i], 1, 1e-13);
      CHECK_REL(dot, slope[i], 1, 1e-9);
      z[i] = uniform(-1, 1);
      sum += z[i] * dot, size += fabs(z[i] * dot);
    }
  double *own = calloc((size_t)(rows * columns), sizeof *own);
  for (int pass = 0; pass < 2; pass++) {
    // all at once, and in pieces of three steps
    size_t most = pass ? 3 * ((size_t)f->back.sizes.kept * sizeof(double) + 1) : 0;
    hn_backward_work *work = hn_backward_open(&f->back, k->steps, k->every, most);
    hn_passage x = {f->p, f->start, k->h, k->steps, k->every, own, {0}};
    hn_backward_forth(work, &x);
    double *out = pass ? again : bar;
    hn_backward_back(work, &x, z, out + arguments, out);
    hn_backward_close(work);
    for (int i = 0; i < rows * columns; i++) CHECK_REL(own[i], plain[i], 1, 1e-12);
    CHECK(x.end[HN_END_FIRMNESS] > 1e-6 && isfinite(x.end[HN_END_BALANCE]));
  }
  double product = 0;
  for (int i = 0; i < changes; i++) {
    product += bar[i] * d[i], size += fabs(bar[i] * d[i]);
    CHECK(memcmp(&bar[i], &again[i], sizeof *bar) == 0);
  }
  CHECK_NEAR(product, sum, 1e-12 * size);
  free(d), free(both), free(plain), free(slope), free(z), free(bar), free(again), free(own);
}

static const char spring_text[] =
    "parameters: {k: 100, c: 0.5, extra: 0.1, free: 0.3, drive: 1.2}\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  b: {type: planar, mass: 2, inertia: 0.2, position: [1, 0], com: [extra, 0]}\n"
    "joints: {j: {type: revolute, a: ground, b: b, at: [0, 0]}}\n"
    "forces:\n"
    "  s: {type: spring, a: ground, b: b, at: [0, 1], at_b: [1, 0], stiffness: k, damping: c,"
    " free: free}\n"
    "  m: {type: motor, joint: j, law: 'drive*sin(3*t) - 0.1*rate^3 + 2*sin(j.angle)'}\n";

static void directions(void) {
  const kin all[] = {
      {spring_text, "reference", "k 100 c 0.5 extra 0.1 free 0.3 drive 1.2", 5e-3, 60, 6},
      {spring_text, "relative", "k 100 c 0.5 extra 0.1 free 0.3 drive 1.2", 5e-3, 60, 6},
      {example("four_bar"), "relative", "crank 2 coupler 4 follower 4 base 2.5 start 1.05", 5e-3,
       60, 20},
      {example("four_bar"), "reference", "crank 2 coupler 4 follower 4 base 2.5 start 1.05", 5e-3,
       40, 8},
      {example("andrews"), "relative", "d 0.028 da 0.0115 ee 0.02 xa -0.06934", 1e-5, 20, 5},
      {example("bricard"), "relative", "length 1 width 0.1", 2e-3, 12, 3},
      {example("heavy_top"), "reference", "", 1e-3, 20, 5},
  };
  int count = run_quickly() ? 4 : (int)(sizeof all / sizeof *all);
  for (int i = 0; i < count; i++) {
    family f;
    printf("family %d, seed %llu\n", i, seed);
    if (!begin(&f, &all[i], &rk4)) continue;
    for (int t = 0; t < 3; t++) check_direction(&f, &all[i]);
    finish(&f);
  }
}

int main(void) {
  RUN(graphs);
  RUN(directions);
  return test_end();
}
