// pile.c: what it costs to step through a heap of balls.
//
// Balls fall into a box, about as many in width as in height, and settle within 1.5 s; half a
// second more they rest. Measured are both: per contact (at the end) and step, and exponents in
// contacts.
//
//   pile [most=1000] [tolerance=1e-3]
#include "bench.h"

#include <holon/holon.h>

static const double radius = 0.05, step = 2e-3;
static const int sizes[] = {64, 125, 250, 500, 1000, 2000, 4000};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void add_wall(hn_model *model, const char *name, double x, double y, double z, double nx,
                     double ny, double nz) {
  hn_force_def wall = {
      .name = name, .type = "pile", .at = {x, y, z}, .axis = {nx, ny, nz}, .coulomb = 0.4};
  hn_add_force(model, &wall);
}

// in layers, each ball a little beside the one below it
static hn_model *heap(int n, double *wide) {
  hn_model *model = hn_model_create();
  int side = (int)ceil(cbrt(n));
  double apart = 2.3 * radius, half = *wide = 0.5 * side * apart;
  hn_model_set_gravity(model, 0, 0, -9.81);
  for (int i = 0; i < n; i++) {
    char name[16];
    int layer = i / (side * side), row = i / side % side, column = i % side;
    double beside = 0.1 * radius * sin(1.7 * i);
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

int main(int argc, char **argv) {
  int most = (int)bench_argument(argc, argv, "most", 1000), used = 0;
  double tolerance = bench_argument(argc, argv, "tolerance", 1e-3), n[SIZES], falls[SIZES],
         t[SIZES];
  double settle = bench_argument(argc, argv, "settle", 1.5);
  printf("| balls | contacts | fastest at the end [m/s] | step, settling | per contact "
         "| step, at rest | per contact |\n|---:|---:|---:|---:|---:|---:|---:|\n");
  for (int i = 0; i < SIZES && sizes[i] <= most; i++) {
    char message[300] = "";
    double wide;
    hn_model *model = heap(sizes[i], &wide);
    hn_options *o = hn_model_options(model);
    snprintf(o->method, sizeof o->method, "moreau");
    snprintf(o->audit_steps, sizeof o->audit_steps, "off");
    o->step = step, o->iteration_tol = tolerance;
    hn_system *system;
    hn_sim *sim;
    if (hn_compile(&system, model) || hn_sim_create(&sim, system, o, message, sizeof message)) {
      printf("%s %s\n", hn_model_error(model), message);
      return 1;
    }
    bench_time start = bench_now();
    if (hn_advance(sim, settle)) return printf("%s\n", hn_sim_error(sim)), 1;
    double before = bench_since(start).cpu / (settle / step);
    start = bench_now();
    if (hn_advance(sim, settle + 0.5)) return printf("%s\n", hn_sim_error(sim)), 1;
    double one = bench_since(start).cpu / (0.5 / step), fastest = 0;
    for (int k = 0; k < 6 * sizes[i]; k++)
      if (k % 6 < 3) fastest = fmax(fastest, fabs(hn_velocities(sim)[k]));
    int touch = contacts(sim, sizes[i], wide);
    printf("| %d | %d | %.1e | %.2f ms | %.2f us | %.2f ms | %.2f us |\n", sizes[i], touch, fastest,
           1e3 * before, 1e6 * before / touch, 1e3 * one, 1e6 * one / touch);
    fflush(stdout);
    n[used] = touch, falls[used] = before, t[used++] = one;
    hn_sim_destroy(sim), hn_system_destroy(system), hn_model_destroy(model);
  }
  printf("\nexponent of the time in the contacts: settling %.2f, at rest %.2f\n",
         bench_exponent(n, falls, used), bench_exponent(n, t, used));
  return 0;
}
