// test_ladder.c: ladders of parallelograms that start flat, 1 to 40 of them.
//
// There every loop can go on as a parallelogram or as its mirror image: n loops give 2^n ways.
// Where given rates say which, the run starts on it, by itself or driven; the angle then has an
// equation of its own, A x'' = -B g cos x. Where nothing says it the run is refused with ways
// named, whose rates are known: neighbours turn alike, or in the ratio -(d - L)/(d + L) of the
// mirror image.
#include "random_mechanisms.h"

#include <holon/holon.h>

enum { RODS = 41 };
static const double length = 1, span = 1.7, gravity = 9.81;

// what is known at the start
typedef enum sort { REST, ALL_RATES, ONE_RATE, DRIVEN, DRIVEN_WITH_RATES, SORTS } sort;
static const char *const names[SORTS] = {"at rest", "with rates", "with one rate", "driven",
                                         "driven, with rates"};

// the rods start at an angle: flat, or before
static void write_ladder(mechanism *m, int n, sort s, bool space, double angle) {
  const char *type = space ? "" : "type: planar, ", *axis = space ? ", axis: [0, 0, 1]" : "";
  double c = length * cos(angle), y = length * sin(angle), rate = angle < 0 ? 4 : -1;
  char turned[80];
  snprintf(turned, sizeof turned,
           space ? "orientation: {axis: [0, 0, 1], angle: %.17g}" : "angle: %.17g", angle);
  *m = (mechanism){.used = 0};
  put(m, "gravity: [0, -%g]\nsimulation: {duration: 0.4, output_step: 0.4}\nbodies:\n", gravity);
  for (int i = 0; i <= n; i++)
    put(m, "  rod%d: {%smass: 1, inertia: %s, position: [%.17g, %.17g], %s}\n", i, type,
        space ? "[1/12, 1/12, 1/12]" : "1/12", i * span + c / 2, y / 2, turned);
  for (int i = 1; i <= n; i++)
    put(m, "  link%d: {%smass: 1, inertia: %s, position: [%.17g, %.17g]}\n", i, type,
        space ? "[0.2, 0.2, 0.2]" : "0.2", (i - 0.5) * span + c, y);
  put(m, "joints:\n");
  for (int i = 0; i <= n; i++) {
    put(m, "  G%d: {type: revolute, b: rod%d, at: [%.17g, 0]%s", i, i, i * span, axis);
    bool given = s == ALL_RATES || s == DRIVEN_WITH_RATES || (s == ONE_RATE && i == 0);
    if (given) put(m, ", rate: %g", rate);
    put(m, "}\n");
  }
  for (int i = 1; i <= n; i++)
    for (int end = 0; end < 2; end++)
      put(m, "  %c%d: {type: revolute, a: rod%d, b: link%d, at: [%.17g, %.17g]%s}\n", "AB"[end], i,
          i - 1 + end, i, (i - 1 + end) * span + c, y, axis);
  if (s == DRIVEN || s == DRIVEN_WITH_RATES)
    put(m, "  D: {type: driver, joint_a: G0, motion: %g*t}\n", rate);
}

// the angle at t of a ladder that moves as a parallelogram
static double angle_of(int n, double angle, double rate, double t) {
  enum { STEPS = 4000 };
  double A = (n + 1) * (1 / 12.0 + 0.25) + n, B = 0.5 * (n + 1) + n, h = t / STEPS;
  double x = angle, v = rate;
  for (int i = 0; i < STEPS; i++) {
    double a1 = -B * gravity / A * cos(x), x2 = x + h / 2 * v, v2 = v + h / 2 * a1;
    double a2 = -B * gravity / A * cos(x2), x3 = x + h / 2 * v2, v3 = v + h / 2 * a2;
    double a3 = -B * gravity / A * cos(x3), x4 = x + h * v3, v4 = v + h * a3;
    double a4 = -B * gravity / A * cos(x4);
    x += h / 6 * (v + 2 * v2 + 2 * v3 + v4), v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return x;
}

// the rates of G0 and G1 that the message gives of a way are those of a parallelogram or of its
// mirror image: (r - 1) (r - m) = 0, which is known to about a part in a hundred
static bool named_rightly(const char *message, int n) {
  const double mirror = -(span + length) / (span - length);
  int ways = 0;
  for (const char *at = message; (at = strstr(at, "G0.angle ")); at++, ways++) {
    double first = 0, second = 0;
    if (sscanf(at, "G0.angle %lf, G1.angle %lf", &first, &second) != 2) return false;
    if (!(fabs((second - first) * (second - mirror * first)) < 0.02)) return false;
  }
  return ways == 2 || (n > 20 && strstr(message, "several ways out"));
}

typedef struct ladder {
  hn_status status;
  double angle[RODS];
  bool audit;
  char message[512];
} ladder;

static void run_ladder(ladder *o, const mechanism *m, int n, const char *coordinates) {
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  hn_result *result = NULL;
  hn_options *options = hn_model_options(model);
  *o = (ladder){.status = hn_model_parse(model, m->text, m->used, "ladder")};
  snprintf(options->coordinates, sizeof options->coordinates, "%s", coordinates);
  snprintf(options->verify, sizeof options->verify, "off");
  options->rtol = 1e-9;
  if (!o->status) o->status = hn_compile(&sys, model);
  if (o->status) snprintf(o->message, sizeof o->message, "%s", hn_model_error(model));
  if (!o->status) o->status = hn_sim_create(&sim, sys, options, o->message, sizeof o->message);
  if (!o->status && (o->status = hn_run(sim, &result, NULL, NULL)))
    snprintf(o->message, sizeof o->message, "%s", hn_sim_error(sim));
  for (int i = 0; !o->status && i <= n; i++) {
    char name[32];
    snprintf(name, sizeof name, "G%d.angle", i);
    o->angle[i] = hn_result_row(result, hn_result_rows(result) - 1)[hn_result_find(result, name)];
  }
  hn_summary s = {0};
  if (sim) hn_sim_summary(sim, &s);
  o->audit = s.audit_pass;
  for (int i = 0; !o->status && i < s.audit_count; i++)
    if (!s.audit[i].pass)
      snprintf(o->message, sizeof o->message, "%s %.3g at %.6g s (%s)", s.audit[i].name,
               s.audit[i].worst, s.audit[i].time, s.audit[i].where);
  hn_result_destroy(result);
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(model);
}

static bool right(const ladder *o, int n, sort s) {
  // one loop at rest: both rods are pushed alike
  bool decided = s == ALL_RATES || s == DRIVEN_WITH_RATES || (s == REST && n == 1);
  if (!decided) return o->status == HN_ERR_SINGULAR && named_rightly(o->message, n);
  double end = s == DRIVEN_WITH_RATES ? -0.4 : angle_of(n, 0, s == REST ? 0 : -1, 0.4), worst = 0;
  for (int i = 0; i <= n; i++) worst = fmax(worst, fabs(o->angle[i] - end));
  return !o->status && o->audit && worst < 1e-6;
}

static void check_ladder(int n, sort s, const char *coordinates, bool space) {
  static mechanism m;
  static ladder o;
  write_ladder(&m, n, s, space, 0);
  run_ladder(&o, &m, n, coordinates);
  if (!CHECK(right(&o, n, s)))
    printf("  %d loops %s, %s%s: angle %.9g of %.9g, audit %d %s\n", n, names[s], coordinates,
           space ? ", in space" : "", o.angle[n], angle_of(n, 0, s == REST ? 0 : -1, 0.4), o.audit,
           o.message);
}

static const char *const families[] = {"reference", "relative", "natural"};

// every length once with each sort of start, in coordinates by turns; all of them when asked for
static void test_flat(void) {
  bool all = getenv("HN_ALL") != NULL;
  for (int n = 1; n < RODS; n += all || n < 8 ? 1 : 5)
    for (sort s = 0; s < SORTS; s++)
      for (int c = 0; c < 3; c++)
        if (all || c == (n + (int)s) % 3) check_ladder(n, s, families[c], false);
}

// in space the loops repeat rows as well
static void test_flat_in_space(void) {
  for (int n = 1; n <= 4; n++)
    for (sort s = 0; s < SORTS; s++) check_ladder(n, s, families[(n + (int)s) % 3], true);
}

// flat on the way: the ladder goes on as it came. Angles are counted from the start
static void check_passing(int n, bool driven, const char *coordinates, bool space) {
  static mechanism m;
  static ladder o;
  double worst = 0;
  write_ladder(&m, n, driven ? DRIVEN : ALL_RATES, space, -0.5);
  run_ladder(&o, &m, n, coordinates);
  double end = driven ? 1.6 : angle_of(n, -0.5, 4, 0.4) + 0.5;
  for (int i = 0; i <= n; i++) worst = fmax(worst, fabs(o.angle[i] - end));
  if (!CHECK(!o.status && o.audit && worst < 1e-6))
    printf("  %d loops %s through flat, %s%s: off by %.3g, audit %d %s\n", n,
           driven ? "driven" : "free", coordinates, space ? ", in space" : "", worst, o.audit,
           o.message);
}

static void test_passing(void) {
  bool all = getenv("HN_ALL") != NULL;
  for (int n = 1; n < (all ? RODS : 9); n++)
    for (int k = 0; k < 4; k++)
      for (int c = 0; c < 3; c++)
        if (all || c == (n + k) % 3) check_passing(n, k % 2, families[c], k / 2);
}

int main(void) {
  RUN(test_flat);
  RUN(test_flat_in_space);
  RUN(test_passing);
  return test_end();
}
