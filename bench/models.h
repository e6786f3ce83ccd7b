// models.h: mechanisms of any size, described through the public interface.
//
// All bars are 1 m and 1 kg; bodies are placed by their centres of mass and the velocities given
// fit the joints, so that compiling has nothing to assemble.
#ifndef HN_BENCH_MODELS_H
#define HN_BENCH_MODELS_H

#include <holon/holon.h>

#include "bench.h"

static inline void bench_fail(const char *what, const char *message) {
  fprintf(stderr, "%s: %s\n", what, message);
  exit(1);
}

static inline hn_model *bench_model(double gx, double gy, double gz) {
  hn_model *model = hn_model_create();
  if (!model) bench_fail("model", "out of memory");
  hn_model_set_gravity(model, gx, gy, gz);
  // recording is not measured, and the columns of all bodies would fill the memory
  hn_add_output(model, "energy.*");
  return model;
}

static inline hn_model *bench_load(const char *path) {
  hn_model *model = bench_model(0, 0, 0);
  if (hn_model_load(model, path)) bench_fail(path, hn_model_error(model));
  return model;
}

// ---- pieces ----------------------------------------------------------------------------------

// a uniform planar bar with its centre at (x, y)
static inline hn_body bench_bar(hn_model *model, int i, double x, double y, double angle) {
  char name[32];
  snprintf(name, sizeof name, "b%d", i);
  hn_body_def def = {.name = name, .kind = HN_PLANAR, .mass = 1, .inertia = {0, 0, 1.0 / 12}};
  def.position[0] = x, def.position[1] = y, def.angle = angle;
  hn_body body = hn_add_body(model, &def);
  if (body.id < 0) bench_fail(name, hn_model_error(model));
  return body;
}

// a box of 1 m along x and 0.1 m across with its centre at (x, y, z)
static inline hn_body bench_box(hn_model *model, int i, double x, double y, double z) {
  char name[32];
  snprintf(name, sizeof name, "b%d", i);
  hn_body_def def = {.name = name, .mass = 1, .inertia = {0.02 / 12, 1.01 / 12, 1.01 / 12}};
  def.position[0] = x, def.position[1] = y, def.position[2] = z;
  hn_body body = hn_add_body(model, &def);
  if (body.id < 0) bench_fail(name, hn_model_error(model));
  return body;
}

static inline void bench_hinge(hn_model *model, int i, hn_body a, hn_body b, const double at[3],
                               const double axis[3]) {
  char name[32];
  snprintf(name, sizeof name, "j%d", i);
  hn_joint_def def = {.name = name, .type = "revolute", .a.body = a, .b.body = b};
  for (int k = 0; k < 3; k++) def.at[k] = at[k], def.axis[k] = axis[k];
  if (hn_add_joint(model, &def).id < 0) bench_fail(name, hn_model_error(model));
}

static const double bench_axis[2][3] = {{0, 1, 0}, {0, 0, 1}};

// ---- families --------------------------------------------------------------------------------

// n boxes along x, hinges about y and z in turn
static inline hn_model *bench_chain_spatial(int n) {
  hn_model *model = bench_model(0, 0, -9.81);
  hn_body last = HN_GROUND;
  for (int i = 0; i < n; i++) {
    hn_body body = bench_box(model, i, i + 0.5, 0, 0);
    bench_hinge(model, i, last, body, (double[3]){i, 0, 0}, bench_axis[i % 2]);
    last = body;
  }
  return model;
}

// a cantilever of n elements along x
static inline hn_model *bench_beam(int n) {
  hn_model *model = bench_model(0, 0, -9.81);
  const double points[6] = {0, 0, 0, (double)n, 0, 0};
  hn_beam_def def = {0};
  def.name = "beam", def.elements = n, def.points = points, def.point_count = 2;
  def.young = 1e9, def.poisson = 0.3, def.density = 1000;
  def.profile.kind = HN_PROFILE_CIRCLE, def.profile.radius = 0.2;
  hn_beam beam = hn_add_beam(model, &def);
  hn_joint_def clamp = {0};
  clamp.name = "clamp", clamp.type = "fixed", clamp.b.body = hn_beam_node(model, beam, 0);
  if (hn_add_joint(model, &clamp).id < 0) bench_fail("beam", hn_model_error(model));
  return model;
}

// n boxes along x, bushings between them
static inline hn_model *bench_bushings(int n) {
  static const double K[36] = {1e6, 0, 0, 0,   0, 0, 0, 1e6, 0, 0, 0,   0, 0, 0, 1e6, 0, 0, 0,
                               0,   0, 0, 1e6, 0, 0, 0, 0,   0, 0, 1e6, 0, 0, 0, 0,   0, 0, 1e6};
  hn_model *model = bench_model(0, 0, -9.81);
  hn_body last = HN_GROUND;
  for (int i = 0; i < n; i++) {
    char name[32];
    hn_body body = bench_box(model, i, i + 0.5, 0, 0);
    hn_force_def def = {0};
    snprintf(name, sizeof name, "bushing%d", i);
    def.name = name, def.type = "bushing", def.stiffness6 = K;
    def.a.body = last, def.b.body = body, def.at[0] = i;
    if (hn_add_force(model, &def).id < 0) bench_fail("bushings", hn_model_error(model));
    last = body;
  }
  return model;
}

// n bars along x
static inline hn_model *bench_chain_planar(int n) {
  hn_model *model = bench_model(0, -9.81, 0);
  hn_body last = HN_GROUND;
  for (int i = 0; i < n; i++) {
    hn_body body = bench_bar(model, i, i + 0.5, 0, 0);
    bench_hinge(model, i, last, body, (double[3]){i, 0, 0}, bench_axis[1]);
    last = body;
  }
  return model;
}

// binary tree: the children of box i are 2i + 1 and 2i + 2, both at its far end
static inline hn_model *bench_tree(int n) {
  hn_model *model = bench_model(0, 0, -9.81);
  hn_body *body = (hn_body *)calloc((size_t)n, sizeof *body);
  if (!body) bench_fail("tree", "out of memory");
  for (int i = 0; i < n; i++) {
    int depth = 0;
    for (int k = i; k > 0; k = (k - 1) / 2) depth++;
    // siblings lie on top of each other: there is no contact to mind
    body[i] = bench_box(model, i, depth + 0.5, 0, 0);
    bench_hinge(model, i, i ? body[(i - 1) / 2] : HN_GROUND, body[i], (double[3]){depth, 0, 0},
                bench_axis[i % 2]);
  }
  free(body);
  return model;
}

// about n bars: cranks on the ground, couplers between their tips; one degree of freedom. The
// cranks start at 60 degrees, away from the configuration in which all loops are singular.
static inline hn_model *bench_ladder(int n) {
  hn_model *model = bench_model(0, -9.81, 0);
  int loops = n > 2 ? (n - 1) / 2 : 1;
  double c = 0.5, s = 0.8660254037844386, angle = 1.0471975511965976;
  hn_body coupler = HN_GROUND;
  for (int i = 0; i <= loops; i++) {
    hn_body crank = bench_bar(model, 2 * i, i + 0.5 * c, 0.5 * s, angle);
    bench_hinge(model, 3 * i, HN_GROUND, crank, (double[3]){i, 0, 0}, bench_axis[1]);
    const double tip[3] = {i + c, s, 0};
    if (i > 0) bench_hinge(model, 3 * i - 1, coupler, crank, tip, bench_axis[1]);
    if (i == loops) break;
    coupler = bench_bar(model, 2 * i + 1, i + c + 0.5, s, 0);
    bench_hinge(model, 3 * i + 1, crank, coupler, tip, bench_axis[1]);
  }
  return model;
}

// one body turning about z on the ground, all others hinged to it
static inline hn_model *bench_star(int n) {
  hn_model *model = bench_model(0, 0, -9.81);
  hn_body hub = bench_box(model, 0, 0, 0, 0);
  bench_hinge(model, 0, HN_GROUND, hub, (double[3]){0, 0, 0}, bench_axis[1]);
  for (int i = 1; i < n; i++) {
    hn_body body = bench_box(model, i, 1, 0, 0);
    bench_hinge(model, i, hub, body, (double[3]){0.5, 0, 0}, bench_axis[0]);
  }
  return model;
}

// ---- runs ------------------------------------------------------------------------------------

// compiles in the given coordinates, or says why not; `check` may be NULL
static inline hn_system *bench_compile(hn_model *model, const char *coordinates) {
  hn_system *system = NULL;
  hn_options *o = hn_model_options(model);
  snprintf(o->coordinates, sizeof o->coordinates, "%s", coordinates);
  if (hn_compile(&system, model)) bench_fail(coordinates, hn_model_error(model));
  return system;
}

// a run with a fixed step
static inline hn_sim *bench_sim(const hn_system *system, const char *method, double step) {
  hn_sim *sim = NULL;
  char message[256] = "";
  hn_options o = hn_options_default();
  snprintf(o.method, sizeof o.method, "%s", method);
  o.step = step;
  if (hn_sim_create(&sim, system, &o, message, sizeof message)) bench_fail(method, message);
  return sim;
}

#endif
