// pile.c: what it costs to step through a heap of balls.
//
// Balls fall into a box, as many in width as in height, and settle within 1.5 s; half a second more
// they rest. Measured are both: time per contact (at the end) and step; how often a contact is
// swept over in a step, which no other program on the machine changes; exponents of both in
// contacts. Heaps of one size, each shaken up otherwise, differ by a third: several are taken.
//
//   pile [most=1000] [seeds=3] [settle=1.5] [tolerance=1e-3]
#include "bench.h"
#include "integrators/moreau/moreau.h"

#include <holon/holon.h>

static const double radius = 0.05, step = 2e-3;
enum { SIDE = 4, RUNS = 100 };  // balls along a side of the smallest heap

static void add_wall(hn_model *model, const char *name, double x, double y, double z, double nx,
                     double ny, double nz) {
  hn_force_def wall = {
      .name = name, .type = "pile", .at = {x, y, z}, .axis = {nx, ny, nz}, .coulomb = 0.4};
  hn_add_force(model, &wall);
}

// in layers, each ball a little beside the one below it
static hn_model *heap(int side, int seed, double *wide) {
  hn_model *model = hn_model_create();
  int n = side * side * side;
  double apart = 2.3 * radius, half = *wide = 0.5 * side * apart;
  hn_model_set_gravity(model, 0, 0, -9.81);
  for (int i = 0; i < n; i++) {
    char name[16];
    int layer = i / (side * side), row = i / side % side, column = i % side;
    double beside = 0.1 * radius * sin((1.7 + 0.1 * seed) * i);
    snprintf(name, sizeof name, "ball%d", i);
    hn_body_def ball = {
        .name = name,
        .mass = 1,
        .shape = {.kind = HN_SHAPE_SPHERE, .radius = radius},
        .position = {(column + 0.5) * apart - half + beside, (row + 0.5) * apart - half - beside,
                     (layer + 0.6) * apart},
    };
    hn_add_body(model, &ball);
  }
  add_wall(model, "floor", 0, 0, 0, 0, 0, 1);
  add_wall(model, "left", -half, 0, 0, 1, 0, 0);
  add_wall(model, "right", half, 0, 0, -1, 0, 0);
  add_wall(model, "front", 0, -half, 0, 0, 1, 0);
  add_wall(model, "back", 0, half, 0, 0, -1, 0);
  return model;
}

// pairs and walls that touch
static int contacts(const hn_sim *sim, int n, double wide) {
  const double *q = hn_positions(sim), near = 1e-4 * radius;
  int count = 0;
  for (int i = 0; i < n; i++) {
    const double *p = q + 7 * i;
    count += p[2] - radius < near;
    for (int k = 0; k < 2; k++) count += wide - fabs(p[k]) - radius < near;
    for (int j = 0; j < i; j++) {
      double d = hypot(hypot(p[0] - q[7 * j], p[1] - q[7 * j + 1]), p[2] - q[7 * j + 2]);
      count += d - 2 * radius < near;
    }
  }
  return count;
}

// one of the two times: per step of it
typedef struct share {
  double cpu, swept;
} share;

static bool advance(hn_sim *sim, double until, share *one) {
  const hn_moreau *moreau = sim->method.integrator_data;
  double steps = (until - hn_time(sim)) / step, swept = moreau->swept;
  bench_time start = bench_now();
  if (hn_advance(sim, until)) return printf("%s\n", hn_sim_error(sim)), false;
  *one = (share){bench_since(start).cpu / steps, (moreau->swept - swept) / steps};
  return true;
}

typedef struct run {
  double contacts, fastest;
  share falls, rests;
} run;

static bool go(int side, int seed, double settle, double tolerance, run *r) {
  char message[300] = "";
  double wide;
  int n = side * side * side;
  hn_model *model = heap(side, seed, &wide);
  hn_options *o = hn_model_options(model);
  snprintf(o->method, sizeof o->method, "moreau");
  snprintf(o->audit_steps, sizeof o->audit_steps, "off");
  o->step = step, o->iteration_tol = tolerance;
  hn_system *system;
  hn_sim *sim;
  if (hn_compile(&system, model) || hn_sim_create(&sim, system, o, message, sizeof message))
    return printf("%s %s\n", hn_model_error(model), message), false;
  if (!advance(sim, settle, &r->falls) || !advance(sim, settle + 0.5, &r->rests)) return false;
  r->contacts = contacts(sim, n, wide);
  r->fastest = 0;
  for (int k = 0; k < 6 * n; k++)
    if (k % 6 < 3) r->fastest = fmax(r->fastest, fabs(hn_velocities(sim)[k]));
  hn_sim_destroy(sim), hn_system_destroy(system), hn_model_destroy(model);
  return true;
}

// a contact has three rows
static void print_share(const run *r, const share *s) {
  printf(" %.2f ms | %.2f us | %.0f |", 1e3 * s->cpu, 1e6 * s->cpu / r->contacts,
         s->swept / (3 * r->contacts));
}

int main(int argc, char **argv) {
  int most = (int)bench_argument(argc, argv, "most", 1000), used = 0;
  int seeds = (int)bench_argument(argc, argv, "seeds", 3);
  double tolerance = bench_argument(argc, argv, "tolerance", 1e-3);
  double settle = bench_argument(argc, argv, "settle", 1.5);
  double n[RUNS], cost[4][RUNS];
  printf("| balls | contacts | fastest at the end [m/s] | step, settling | per contact | sweeps "
         "| step, at rest | per contact | sweeps |\n"
         "|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (int side = SIDE; side * side * side <= most; side++)
    for (int seed = 0; seed < seeds && used < RUNS; seed++) {
      run r;
      if (!go(side, seed, settle, tolerance, &r)) return 1;
      printf("| %d | %.0f | %.1e |", side * side * side, r.contacts, r.fastest);
      print_share(&r, &r.falls), print_share(&r, &r.rests);
      printf("\n"), fflush(stdout);
      cost[0][used] = r.falls.cpu, cost[1][used] = r.rests.cpu;
      cost[2][used] = r.falls.swept, cost[3][used] = r.rests.swept;
      n[used++] = r.contacts;
    }
  printf("\nexponent in the contacts: time %.2f settling, %.2f at rest; rows swept over %.2f, "
         "%.2f\n",
         bench_exponent(n, cost[0], used), bench_exponent(n, cost[1], used),
         bench_exponent(n, cost[2], used), bench_exponent(n, cost[3], used));
  return 0;
}
