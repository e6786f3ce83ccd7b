// limit.c: how far the library is from code written by hand for one mechanism.
//
// Both sides take steps of the classical Runge-Kutta method with multipliers alone (method
// `standard`) on the same initial state; both are compiled with the same options. The hand-written
// side knows everything before it is compiled: sizes, zeros, signs, that pins lie on the bars'
// axes.
//
//   limit [steps=1000] [rounds=15]
#include "limit_chain.h"
#include "limit_four_bar.h"
#include "models.h"

// ---- Runge-Kutta by hand ---------------------------------------------------------------------

typedef void (*rate_fn)(const double *restrict y, double *restrict d);

static void four_bar(const double *restrict y, double *restrict d) {
  four_bar_rate(y, d);
}
static void crank(const double *restrict y, double *restrict d) {
  crank_rate(y, d);
}
static void chain(const double *restrict y, double *restrict d) {
  chain_rate(y, d);
}

// n and the function are constants wherever this is used
HAND void rk4(rate_fn rate, int n, double h, double *restrict y) {
  double k[4][FOUR_BAR_N], z[FOUR_BAR_N];
  rate(y, k[0]);
  for (int i = 0; i < n; i++) z[i] = y[i] + 0.5 * h * k[0][i];
  rate(z, k[1]);
  for (int i = 0; i < n; i++) z[i] = y[i] + 0.5 * h * k[1][i];
  rate(z, k[2]);
  for (int i = 0; i < n; i++) z[i] = y[i] + h * k[2][i];
  rate(z, k[3]);
  for (int i = 0; i < n; i++) y[i] += h / 6 * (k[0][i] + 2 * (k[1][i] + k[2][i]) + k[3][i]);
}
static void four_bar_step(double *y, double h) {
  rk4(four_bar, FOUR_BAR_N, h, y);
}
static void crank_step(double *y, double h) {
  rk4(crank, 2, h, y);
}
static void chain_step(double *y, double h) {
  rk4(chain, CHAIN_N, h, y);
}

// ---- one contestant --------------------------------------------------------------------------

enum { MOST = 32 };

// a run of `steps` steps from the start, again and again: by the library or by hand
typedef struct contestant {
  const char *name;
  int steps;
  double h;
  hn_system *system;
  hn_sim *sim;
  double *q0, *v0;
  void (*step)(double *y, double h);
  double start[MOST], y[MOST];
  double point[3];  // reached by the last body at the end
} contestant;

static void run(void *user, long repeat) {
  contestant *c = (contestant *)user;
  for (long r = 0; r < repeat; r++)
    if (c->sim) {
      if (hn_set_state(c->sim, 0, c->q0, c->v0)) bench_fail(c->name, hn_sim_error(c->sim));
      for (int i = 0; i < c->steps; i++)
        if (hn_step(c->sim)) bench_fail(c->name, hn_sim_error(c->sim));
    } else {
      memcpy(c->y, c->start, sizeof c->y);
      for (int i = 0; i < c->steps; i++) c->step(c->y, c->h);
    }
}

static double *copy(const double *x, int n) {
  double *y = (double *)malloc((size_t)n * sizeof *y);
  if (!y) bench_fail("limit", "out of memory");
  memcpy(y, x, (size_t)n * sizeof *y);
  return y;
}

static contestant library(hn_model *model, const char *coordinates, const char *code, int steps,
                          double h) {
  hn_options *o = hn_model_options(model);
  snprintf(o->code, sizeof o->code, "%s", code);
  hn_system *system = bench_compile(model, coordinates);
  hn_sim *sim = bench_sim(system, "standard", h);
  return (contestant){.name = strcmp(code, "native") == 0 ? "native code" : coordinates,
                      .steps = steps,
                      .h = h,
                      .system = system,
                      .sim = sim,
                      .q0 = copy(hn_positions(sim), hn_system_nq(system)),
                      .v0 = copy(hn_velocities(sim), hn_system_nv(system))};
}

static void release(contestant *c) {
  hn_sim_destroy(c->sim);
  hn_system_destroy(c->system);
  free(c->q0), free(c->v0);
}

// times all and prints a row for each; the first is the one the others are compared with. Says
// whether all came to the same place
static bool contest(const char *title, contestant *c, int count, int rounds) {
  bench_item item[MOST];
  for (int i = 0; i < count; i++)
    item[i] = (bench_item){.name = c[i].name, .run = run, .user = &c[i]};
  bench_compare(item, count, rounds, 0.01);
  bool same = true;
  for (int i = 0; i < count; i++) {
    double difference = 0;
    for (int k = 0; k < 3; k++) difference = fmax(difference, fabs(c[i].point[k] - c[0].point[k]));
    printf("| %s | %s | %.0f | %.2f | %.1e |\n", title, c[i].name,
           1e9 * item[i].one.cpu / c[i].steps, item[i].one.cpu / item[0].one.cpu, difference);
    same = same && difference <= 1e-10;
  }
  return same;
}

// where the last body is after one run
static void reach(contestant *c, int bodies) {
  hn_pose pose;
  run(c, 1);
  if (hn_body_pose(c->sim, (hn_body){bodies}, &pose)) bench_fail(c->name, "no pose");
  memcpy(c->point, pose.position, sizeof c->point);
}

// ---- the two mechanisms ----------------------------------------------------------------------

static bool four_bars(int steps, double h, int rounds) {
  hn_model *model = bench_load("models/four_bar.yaml");
  contestant reference = library(model, "reference", "library", steps, h);
  contestant relative = library(model, "relative", "library", steps, h);
  contestant native = library(model, "auto", "native", steps, h);
  reach(&reference, 3), reach(&relative, 3), reach(&native, 3);
  contestant hand = {.name = "by hand, maximal", .steps = steps, .h = h, .step = four_bar_step};
  memcpy(hand.start, reference.q0, 9 * sizeof(double));
  memcpy(hand.start + 9, reference.v0, 9 * sizeof(double));
  run(&hand, 1);
  memcpy(hand.point, hand.y + 6, 2 * sizeof(double));
  contestant one = {.name = "by hand, crank angle", .steps = steps, .h = h, .step = crank_step};
  one.start[0] = reference.q0[2];
  run(&one, 1);
  // centre of the follower: half way from its ground pin to C
  crank_pin(one.y, &one.point[0], &one.point[1]);
  one.point[0] = 0.5 * (one.point[0] + fb_base);
  one.point[1] *= 0.5;
  bool same =
      contest("four-bar", (contestant[]){hand, native, reference, relative, one}, 5, rounds);
  release(&reference), release(&relative), release(&native);
  hn_model_destroy(model);
  return same;
}

// the hinges about z start with rates of 1, -1 rad/s, so that the chain leaves its plane
static hn_model *spinning_chain(void) {
  hn_model *model = bench_model(0, 0, -9.81);
  hn_body last = HN_GROUND;
  double w = 0, v = 0;
  for (int i = 0; i < CHAIN_LINKS; i++) {
    if (i % 2) w += i % 4 == 1 ? 1 : -1;
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    hn_body_def def = {.name = name, .mass = 1, .inertia = {0.02 / 12, 1.01 / 12, 1.01 / 12}};
    def.position[0] = i + 0.5;
    def.velocity[1] = v + 0.5 * w;
    def.angular_velocity[2] = w;
    v += w;
    hn_body body = hn_add_body(model, &def);
    bench_hinge(model, i, last, body, (double[3]){i, 0, 0}, bench_axis[i % 2]);
    last = body;
  }
  return model;
}

// centre of the last box from the angles
static void chain_tip(const double *q, double point[3]) {
  vec3 p = {0.5, 0, 0};
  for (int i = CHAIN_LINKS - 1; i >= 0; i--) {
    p = i % 2 ? up_z(p, cos(q[i]), sin(q[i])) : up_y(p, cos(q[i]), sin(q[i]));
    if (i > 0) p.x += 1;
  }
  point[0] = p.x, point[1] = p.y, point[2] = p.z;
}

static bool chains(int steps, double h, int rounds) {
  hn_model *model = spinning_chain();
  contestant relative = library(model, "relative", "library", steps, h);
  contestant reference = library(model, "reference", "library", steps, h);
  contestant native = library(model, "auto", "native", steps, h);
  reach(&relative, CHAIN_LINKS), reach(&reference, CHAIN_LINKS), reach(&native, CHAIN_LINKS);
  contestant hand = {.name = "by hand, recursive", .steps = steps, .h = h, .step = chain_step};
  hand.start[CHAIN_LINKS + 1] = 1;
  hand.start[CHAIN_LINKS + 3] = -1;
  run(&hand, 1);
  chain_tip(hand.y, hand.point);
  bool same = contest("chain of 5", (contestant[]){hand, native, relative, reference}, 4, rounds);
  release(&relative), release(&reference), release(&native);
  hn_model_destroy(model);
  return same;
}

int main(int argc, char **argv) {
  int steps = (int)bench_argument(argc, argv, "steps", 1000);
  int rounds = (int)bench_argument(argc, argv, "rounds", 15);
  double h = bench_argument(argc, argv, "h", 2e-4);
  printf(
      "A step of the classical Runge-Kutta method, %.0e s, in nanoseconds; ratio to the first row "
      "of each\nmechanism; distance of the last body from it after %d steps [m].\n\n",
      h, steps);
  printf("| mechanism | code | ns per step | ratio | distance |\n|---|---|---:|---:|---:|\n");
  bool same = four_bars(steps, h, rounds);
  same = chains(steps, h, rounds) && same;
  if (!same) printf("\nThe results differ by more than 1e-10 m.\n");
  return same ? 0 : 1;
}
