// ensemble.c: many members of a family at once: scalar code, lanes of vectors, and the GPU where
// there is one.
//
//   ensemble [--single | --exact] [--members N] [--steps N]
//
// Members differ in their parameters, by up to 3 %. A member-step is a step of the classical
// Runge-Kutta method with a projection onto the constraints behind it ("twice": two, as the library
// does). Scalar code and lanes run on one processor and alternate; ratios are medians.
#include "bench.h"

#include "code/device.h"
#include "integrators/integrators.h"
#include "record/column_formulas.h"
#include "sim/sim.h"

static const double nodes[] = {0, 0.5, 0.5, 1}, last[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
static const double rows[] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0};
static const hn_stepper rk4 = {4, 4, nodes, rows, last};

typedef struct mechanism {
  const char *name, *file, *parameters;  // "crank 2 coupler 4": names and middles
  double h;
} mechanism;

static const mechanism mechanisms[] = {
    {"four-bar", "models/four_bar.yaml", "crank 2 coupler 4 follower 4 base 2.5", 1e-3},
    {"Bricard", "models/bricard.yaml", "length 1 width 0.1", 1e-3},
    {"Andrews", "models/andrews.yaml", "d 0.028 da 0.0115 ee 0.02 xa -0.06934", 1e-5},
    {"chain of 5", "models/five_bar_pendulum_spatial.yaml", "length 1 width 0.1", 1e-3},
};

enum { DISTINCT = 1024, LANE_MEMBERS = 64, ROUNDS = 9 };

static void stop(const char *what, const char *message) {
  fprintf(stderr, "%s: %s\n", what, message);
  exit(1);
}

static double random_part(unsigned long long *seed) {
  *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
  return 0.97 + 0.06 * (double)(*seed >> 11) / 9007199254740992.0;
}

static hn_system *compile(const mechanism *m, unsigned long long *seed) {
  char list[200], text[40], message[300], *rest = NULL;
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  snprintf(list, sizeof list, "%s", m->parameters);
  for (char *name = strtok_r(list, " ", &rest); name && seed; name = strtok_r(NULL, " ", &rest)) {
    double middle = strtod(strtok_r(NULL, " ", &rest), NULL);
    snprintf(text, sizeof text, "%.17g", middle * random_part(seed));
    hn_model_override(model, name, text);
  }
  hn_options *o = hn_model_options(model);
  if (hn_model_load(model, m->file)) stop(m->file, hn_model_error(model));
  hn_options_set(o, "method", "explicit", message, sizeof message);
  hn_options_set(o, "coordinates", "relative", message, sizeof message);
  if (hn_compile(&sys, model)) stop(m->file, hn_model_error(model));
  hn_model_destroy(model);
  return sys;
}

static hn_node column(void *user, hn_formulas *f, int k) {
  (void)user;
  return hn_column_formula(f, &f->sys->column[1 + k]);
}

// ---- a family ---------------------------------------------------------------------------------

typedef struct family {
  hn_system *base;
  hn_arguments arguments;
  hn_members_text text;
  hn_members_code one, lanes;
  double *table, *start;  // of DISTINCT members, each by itself
  int members;
} family;

static void begin(family *f, const mechanism *m, int corrections) {
  char message[400];
  unsigned long long seed = 88172645463325252ull;
  const hn_columns_wanted wanted = {.count = 1, .formula = column};
  static hn_system *member[DISTINCT];
  *f = (family){.base = compile(m, NULL)};
  if (hn_arguments_begin(&f->arguments, f->base, &wanted, message, sizeof message))
    stop(m->name, message);
  for (int i = 0; i < DISTINCT; i++) {
    member[i] = compile(m, &seed);
    if (i < 64) hn_arguments_widen(&f->arguments, member[i]);
  }
  const hn_members_plan plan = {
      .sys = f->base, .arguments = &f->arguments, .stepper = rk4, .corrections = corrections};
  if (hn_members_write(&plan, &f->text, message, sizeof message) ||
      hn_members_compile(&f->one, &f->text, 1, HN_NUMBERS_FAST, message, sizeof message) ||
      hn_members_compile(&f->lanes, &f->text, hn_members_lanes(), HN_NUMBERS_FAST, message,
                         sizeof message))
    stop(m->name, message);
  const hn_members_sizes *s = &f->text.sizes;
  double *p = calloc((size_t)f->arguments.count + 1, sizeof *p);
  f->table = calloc((size_t)(s->table + 1) * DISTINCT, sizeof(double));
  f->start = calloc((size_t)s->start * DISTINCT, sizeof(double));
  for (int i = 0; i < DISTINCT; i++) {
    const hn_system *sys = member[i];
    if (!hn_arguments_read(&f->arguments, sys, p)) {
      double *start = f->start + (size_t)f->members * (size_t)s->start;
      f->one.prepare(p, f->table + (size_t)f->members * (size_t)s->table);
      memcpy(start, sys->q0, (size_t)s->nq * sizeof(double));
      memcpy(start + s->nq, sys->v0, (size_t)s->nv * sizeof(double));
      for (int k = 0; k < s->turns; k++) start[s->nq + s->nv + k] = sys->turn0[k];
      f->members++;
    }
    hn_system_destroy(member[i]);
  }
  free(p);
}

static void end(family *f) {
  hn_members_unload(&f->one), hn_members_unload(&f->lanes);
  hn_arguments_clear(&f->arguments);
  hn_system_destroy(f->base);
  free(f->table), free(f->start), free(f->text.text);
}

// members side by side
typedef struct crowd {
  long count;
  double *table, *start, *end;
} crowd;

static crowd gather(const family *f, long count) {
  const hn_members_sizes *s = &f->text.sizes;
  size_t n = (size_t)count;
  crowd c = {.count = count};
  c.table = malloc(n * (size_t)(s->table + 1) * sizeof(double));
  c.start = malloc(n * (size_t)s->start * sizeof(double));
  c.end = malloc(n * (size_t)s->end * sizeof(double));
  if (!c.table || !c.start || !c.end) stop("members", "out of memory");
  for (int k = 0; k < s->table; k++)
    for (long i = 0; i < count; i++)
      c.table[k * count + i] = f->table[(i % f->members) * s->table + k];
  for (int k = 0; k < s->start; k++)
    for (long i = 0; i < count; i++)
      c.start[k * count + i] = f->start[(i % f->members) * s->start + k];
  return c;
}

static void scatter(crowd *c) {
  free(c->table), free(c->start), free(c->end);
}

// ---- measurements -----------------------------------------------------------------------------

static double rate_of(const hn_members_code *code, const crowd *c, double h, long steps) {
  bench_time start = bench_now();
  code->run(c->count, c->table, c->start, 0, h, steps, steps, NULL, c->end);
  return (double)c->count * (double)steps / bench_since(start).cpu;
}

static void processor(const family *f, const mechanism *m, double *scalar, double *ratio) {
  double rate[ROUNDS], quotient[ROUNDS];
  crowd c = gather(f, LANE_MEMBERS);
  for (int i = 0; i < ROUNDS; i++) {
    rate[i] = rate_of(&f->one, &c, m->h, 200);
    quotient[i] = rate_of(&f->lanes, &c, m->h, 200) / rate[i];
  }
  *scalar = bench_median(rate, ROUNDS);
  *ratio = bench_median(quotient, ROUNDS);
  scatter(&c);
}

// largest difference of two ends, relative to the largest number there
static double apart(const family *f, const crowd *a, const crowd *b) {
  double worst = 0, size = 0;
  for (long i = 0; i < a->count * (f->text.sizes.nq + f->text.sizes.nv); i++) {
    worst = fmax(worst, fabs(a->end[i] - b->end[i]));
    size = fmax(size, fabs(a->end[i]));
  }
  return worst / size;
}

// what a second of steps makes of rounding: other code (lanes: fused products, another sine), and
// the same code whose start differs by a unit in the last place of one. What rounds otherwise is no
// nearer
static void rounding(const family *f, const mechanism *m, long steps, double *lanes,
                     double *digit) {
  crowd a = gather(f, LANE_MEMBERS), b = gather(f, LANE_MEMBERS), c = gather(f, LANE_MEMBERS);
  const hn_members_sizes *s = &f->text.sizes;
  for (long i = 0; i < LANE_MEMBERS * (s->nq + s->nv); i++)
    c.start[i] += (i % 2 ? 0x1p-53 : -0x1p-53) * fmax(1, fabs(c.start[i]));
  f->one.run(a.count, a.table, a.start, 0, m->h, steps, steps, NULL, a.end);
  f->lanes.run(b.count, b.table, b.start, 0, m->h, steps, steps, NULL, b.end);
  f->one.run(c.count, c.table, c.start, 0, m->h, steps, steps, NULL, c.end);
  *lanes = apart(f, &a, &b);
  *digit = apart(f, &a, &c);
  scatter(&a), scatter(&b), scatter(&c);
}

// the same steps here and there
static double difference(hn_device_queue *q, const family *f, const mechanism *m, long steps) {
  char message[400];
  crowd here = gather(f, 256), there = gather(f, 256);
  f->one.run(256, here.table, here.start, 0, m->h, steps, steps, NULL, here.end);
  if (hn_device_run(q, 256, there.table, there.start, 0, m->h, steps, steps, NULL, there.end,
                    message, sizeof message))
    stop("GPU", message);
  double worst = apart(f, &here, &there);
  scatter(&here), scatter(&there);
  return worst;
}

// steps of a second, or as many as can be waited for
static long second(const mechanism *m) {
  long steps = lrint(1 / m->h);
  return steps < 20000 ? steps : 20000;
}

static void device(hn_device *d, const family *f, const mechanism *m, hn_members_numbers numbers,
                   long members, long steps) {
  char message[400];
  if (hn_device_load(d, &f->text, numbers, message, sizeof message)) stop("GPU", message);
  hn_device_queue *q = NULL;
  if (hn_device_queue_open(&q, d, members, 0, message, sizeof message)) stop("GPU", message);
  crowd c = gather(f, members);
  double best = 0;
  for (int i = 0; i < 3; i++) {
    if (hn_device_run(q, members, c.table, c.start, 0, m->h, steps, steps, NULL, c.end, message,
                      sizeof message))
      stop("GPU", message);
    best = fmax(best, (double)members * (double)steps / hn_device_last(q).steps);
  }
  hn_device_times t = hn_device_last(q);
  int nan = 0;
  for (long i = 0; i < members; i++) nan += isnan(c.end[i]) != 0;
  printf(" %.3g | %.1e | %.3f / %.3f / %.3f s | %d |\n", best, difference(q, f, m, second(m)),
         t.there, t.steps, t.back, nan);
  scatter(&c);
  hn_device_queue_close(q);
}

int main(int argc, char **argv) {
  hn_members_numbers numbers = HN_NUMBERS_FAST;
  long members = 1 << 20, steps = 500;
  char message[400];
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--single") == 0) numbers = HN_NUMBERS_SINGLE;
    if (strcmp(argv[i], "--exact") == 0) numbers = HN_NUMBERS_EXACT;
    if (strcmp(argv[i], "--members") == 0 && i + 1 < argc) members = atol(argv[++i]);
    if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc) steps = atol(argv[++i]);
  }
  hn_device *d = NULL;
  if (hn_device_open(&d, message, sizeof message)) printf("%s\n\n", message);
  if (d)
    printf("%s, %s precision%s, %ld members, %ld steps\n\n", hn_device_name(d),
           numbers == HN_NUMBERS_SINGLE ? "single" : "double",
           numbers == HN_NUMBERS_EXACT ? " without fused products" : "", members, steps);
  printf("| mechanism | projections | arguments | scalar, steps/s | lanes | ratio | lanes - "
         "scalar, 1 s | "
         "last digit, 1 s |%s\n",
         d ? " GPU, member-steps/s | GPU - CPU, 1 s | there / steps / back | lost |" : "");
  printf("|---|---:|---:|---:|---:|---:|---:|---:|%s\n", d ? "---:|---:|---:|---:|" : "");
  for (int twice = 1; twice <= 2; twice++)
    for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++) {
      const mechanism *m = &mechanisms[i];
      family f;
      double scalar, ratio, lanes, digit;
      begin(&f, m, twice);
      processor(&f, m, &scalar, &ratio);
      rounding(&f, m, second(m), &lanes, &digit);
      printf("| %s | %d | %d | %.3g | %d | %.2f | %.1e | %.1e |%s", m->name, twice,
             f.arguments.count, scalar, f.lanes.lanes, ratio, lanes, digit, d ? "" : "\n");
      if (d) device(d, &f, m, numbers, members, steps);
      fflush(stdout);
      end(&f);
    }
  hn_device_close(d);
  return 0;
}
