// slopes.c: what derivatives cost: a passage forth and back (all arguments and the start) against a
// run of the same steps by the same compiler's scalar code. Ratios are medians.
#include "bench.h"

#include "code/backward.h"
#include "record/column_formulas.h"
#include "sim/sim.h"

static const double nodes[] = {0, 0.5, 0.5, 1}, last[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
static const double rows[] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0};
static const hn_stepper rk4 = {4, 4, nodes, rows, last};

typedef struct mechanism {
  const char *name, *file, *parameters;
  double h;
} mechanism;

static const mechanism mechanisms[] = {
    {"four-bar", "models/four_bar.yaml", "crank 2 coupler 4 follower 4 base 2.5", 1e-3},
    {"Bricard", "models/bricard.yaml", "length 1 width 0.1", 1e-3},
    {"Andrews", "models/andrews.yaml", "d 0.028 da 0.0115 ee 0.02 xa -0.06934", 1e-6},
};

enum { STEPS = 4000, EVERY = 40, ROUNDS = 9, MOST = 4000 };

static hn_system *compile(const mechanism *m, double by) {
  char list[200], text[40], message[300], *rest = NULL;
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  snprintf(list, sizeof list, "%s", m->parameters);
  for (char *name = strtok_r(list, " ", &rest); name;
       name = strtok_r(NULL, " ", &rest), by *= 1.3) {
    snprintf(text, sizeof text, "%.17g", strtod(strtok_r(NULL, " ", &rest), NULL) * (1 + by));
    hn_model_override(model, name, text);
  }
  if (hn_model_load(model, m->file)) fprintf(stderr, "%s\n", hn_model_error(model)), exit(1);
  hn_options_set(hn_model_options(model), "method", "explicit", message, sizeof message);
  hn_options_set(hn_model_options(model), "coordinates", "relative", message, sizeof message);
  if (hn_compile(&sys, model)) fprintf(stderr, "%s\n", hn_model_error(model)), exit(1);
  hn_model_destroy(model);
  return sys;
}

static hn_node column(void *user, hn_formulas *f, int k) {
  (void)user;
  return hn_column_formula(f, &f->sys->column[1 + k]);
}

static void measure(const mechanism *m) {
  static double p[MOST], table[MOST], start[MOST], end[MOST], worth[MOST];
  static double row[2 * (STEPS / EVERY + 1)], z[2 * (STEPS / EVERY + 1)];
  char message[400];
  hn_arguments arguments;
  hn_members_text text;
  hn_members_code plain;
  hn_backward_code back;
  hn_system *base = compile(m, 0.001);
  const hn_columns_wanted wanted = {.count = 2, .formula = column};
  hn_status status = hn_arguments_begin(&arguments, base, &wanted, message, sizeof message);
  for (int i = 1; i < 5 && !status; i++) {
    hn_system *other = compile(m, 0.003 * i);
    (void)hn_arguments_widen(&arguments, other);
    hn_system_destroy(other);
  }
  const hn_members_plan plan = {
      .sys = base, .arguments = &arguments, .stepper = rk4, .corrections = 2};
  if (!status) status = hn_members_write(&plan, &text, message, sizeof message);
  if (!status)
    status = hn_members_compile(&plain, &text, 1, HN_NUMBERS_FAST, message, sizeof message);
  if (!status) status = hn_backward_create(&back, &plan, message, sizeof message);
  if (status) fprintf(stderr, "%s: %s\n", m->name, message), exit(1);
  hn_arguments_read(&arguments, base, p);
  plain.prepare(p, table);
  memcpy(start, base->q0, (size_t)base->nq * sizeof *start);
  memcpy(start + base->nq, base->v0, (size_t)base->nv * sizeof *start);
  for (size_t i = 0; i < sizeof z / sizeof *z; i++) z[i] = 1;
  hn_backward_work *work = hn_backward_open(&back, STEPS, EVERY, 0);
  double ratio[ROUNDS], forth = 0;
  for (int r = 0; r < ROUNDS; r++) {
    hn_passage x = {p, start, m->h, STEPS, EVERY, row, {0}};
    double t0 = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    plain.run(1, table, start, 0, m->h, STEPS, EVERY, row, end);
    double t1 = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    hn_backward_forth(work, &x);
    double t2 = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    hn_backward_back(work, &x, z, worth + arguments.count, worth);
    double t3 = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    ratio[r] = (t3 - t1) / (t1 - t0), forth += (t2 - t1) / (t1 - t0) / ROUNDS;
  }
  printf("| %s | %d | %d | %.2f | %.2f |\n", m->name, arguments.count, base->nq + base->nv, forth,
         bench_median(ratio, ROUNDS));
  hn_backward_close(work);
  hn_backward_unload(&back), hn_members_unload(&plain), hn_arguments_clear(&arguments);
  free(text.text);
  hn_system_destroy(base);
}

int main(void) {
  printf("| mechanism | arguments | start | forth / run | forth and back / run |\n"
         "|---|---:|---:|---:|---:|\n");
  for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++) measure(&mechanisms[i]);
  return 0;
}
