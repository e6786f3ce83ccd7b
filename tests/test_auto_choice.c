// test_auto_choice.c: how fast equations are, and what `default` makes of it
#include "analysis_rig.h"

#include "linalg/dense.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12 };

// masses in a row, springs and dampers between them and to the ground at the start
typedef struct chain {
  int n;
  double mass[MOST], stiffness[MOST], damping[MOST];
} chain;

static double between(unsigned *seed, double low, double high) {
  *seed = *seed * 1664525u + 1013904223u;
  return low + (high - low) * (double)(*seed >> 8) / (double)(1u << 24);
}

static chain random_chain(unsigned seed, bool damped) {
  chain c = {.n = 1 + (int)between(&seed, 0, MOST - 0.01)};
  for (int i = 0; i < c.n; i++) {
    c.mass[i] = pow(10, between(&seed, -1, 1));
    c.stiffness[i] = pow(10, between(&seed, 2, 9));
    c.damping[i] = damped ? pow(10, between(&seed, 0, 5)) : 0;
  }
  return c;
}

// the largest modulus of the eigenvalues of x'' = -M^-1 (K x + C x'), by LAPACK
static double radius_of(const chain *c) {
  double A[4 * MOST * MOST] = {0}, re[2 * MOST], im[2 * MOST], most = 0;
  int n = c->n, N = 2 * n;
  for (int i = 0; i < n; i++) A[i * N + n + i] = 1;
  for (int i = 0; i < n; i++)  // the spring that ends at mass i
    for (int side = 0; side < 2; side++) {
      double value = side ? c->damping[i] : c->stiffness[i];
      double *at = A + n * N + side * n;
      at[i * N + i] -= value / c->mass[i];
      if (i == 0) continue;
      at[(i - 1) * N + i - 1] -= value / c->mass[i - 1];
      at[i * N + i - 1] += value / c->mass[i];
      at[(i - 1) * N + i] += value / c->mass[i - 1];
    }
  if (!hn_dense_eigen(N, A, re, im, NULL)) return NAN;
  for (int i = 0; i < N; i++) most = fmax(most, hypot(re[i], im[i]));
  return most;
}

// the chain along x: bodies on guides, one metre apart, springs without load
static void describe(const chain *c, char *text, size_t size) {
  FILE *f = fmemopen(text, size, "w");
  fprintf(f, "gravity: [0, 0, 0]\nsimulation: {method: explicit}\nbodies:\n");
  for (int i = 0; i < c->n; i++)
    fprintf(f, "  b%d: {mass: %.17g, inertia: [0.1, 0.1, 0.1], position: [%d, 0, 0]}\n", i,
            c->mass[i], i + 1);
  fprintf(f, "joints:\n");
  for (int i = 0; i < c->n; i++)
    fprintf(f, "  g%d: {type: prismatic, b: b%d, at: [%d, 0, 0], axis: [1, 0, 0]}\n", i, i, i + 1);
  fprintf(f, "forces:\n");
  for (int i = 0; i < c->n; i++) {
    fprintf(f, "  s%d: {type: spring, ", i);
    if (i) fprintf(f, "a: b%d, ", i - 1);
    fprintf(
        f, "b: b%d, at: [%d, 0, 0], at_b: [%d, 0, 0], free: 1, stiffness: %.17g, damping: %.17g}\n",
        i, i, i + 1, c->stiffness[i], c->damping[i]);
  }
  fclose(f);
}

static void random_chains(void) {
  enum { SEEDS = 60 };
  double least = INFINITY, most = 0;
  for (unsigned seed = 1; seed <= SEEDS; seed++)
    for (int damped = 0; damped < 2; damped++) {
      chain c = random_chain(seed, damped);
      char text[8000];
      rig r;
      describe(&c, text, sizeof text);
      if (!rig_open(&r, text)) return;
      double ratio = hn_spectral_radius(r.sim) / radius_of(&c);
      least = fmin(least, ratio), most = fmax(most, ratio);
      if (!CHECK(ratio > 0.8 && ratio < 1.25))
        printf("  seed %u, damped %d, %d masses: %g of %g\n", seed, damped, c.n,
               ratio * radius_of(&c), radius_of(&c));
      rig_close(&r);
    }
  printf("  spectral radius of %d random chains: %.3f to %.3f of LAPACK's\n", 2 * SEEDS, least,
         most);
}

// a steel tube on a hinge or clamped, let go under its weight
static const char steel[] =
    "gravity: [0, 0, -9.81]\n"
    "simulation: {duration: 0.1, method: %s}\n"
    "beams:\n"
    "  arm: {from: [0, 0, 0], to: [1, 0, 0], elements: 12, young: 2.1e11, poisson: 0.3,\n"
    "    density: 7850, profile: {tube: {radius: 0.02, thickness: 0.002}}, damping: %g}\n"
    "joints:\n"
    "  hinge: {type: %s, b: arm.start%s}\n";

typedef struct finish {
  char integrator[40];
  bool passed;
  double tip[3];
  long evaluations;
} finish;

static finish run_steel(const char *method, const char *joint, double damping) {
  finish f = {.passed = false};
  rig r;
  hn_result *result = NULL;
  bool turns = strcmp(joint, "revolute") == 0;
  if (!rig_open_format(&r, steel, method, damping, joint, turns ? ", axis: [0, 1, 0]" : ""))
    return f;
  if (CHECK(!hn_run(r.sim, &result, NULL, NULL))) {
    hn_summary s;
    hn_pose pose;
    hn_sim_summary(r.sim, &s);
    snprintf(f.integrator, sizeof f.integrator, "%s", s.integrator);
    f.passed = s.audit_pass;
    f.evaluations = s.evaluations;
    CHECK(!hn_body_pose(r.sim, hn_find_body(r.system, "arm.end"), &pose));
    v3_copy(f.tip, pose.position);
    printf("  %s, %s, damping %g: %s, %ld evaluations, %s; %s\n", method, joint, damping,
           s.integrator, s.evaluations, s.audit_pass ? "passed" : "FAILED",
           s.choice ? s.choice : "");
  }
  hn_result_destroy(result);
  rig_close(&r);
  return f;
}

// the cheaper way is found, passes its audit, and leads where all vibrations followed do
static void steel_beams(void) {
  static const struct {
    const char *joint, *by;
    double damping;
  } cases[] = {{"revolute", "index3-alpha", 0}, {"fixed", "", 0}, {"revolute", "", 1e-4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    finish chosen = run_steel("default", cases[i].joint, cases[i].damping);
    CHECK(chosen.passed);
    CHECK(!cases[i].by[0] || strcmp(chosen.integrator, cases[i].by) == 0);
    if (strcmp(chosen.integrator, "dop853") == 0) continue;
    finish all = run_steel("explicit", cases[i].joint, cases[i].damping);
    CHECK(chosen.evaluations < all.evaluations / 3);
    for (int k = 0; k < 3; k++) CHECK_NEAR(chosen.tip[k], all.tip[k], 2e-5);
  }
}

int main(void) {
  RUN(random_chains);
  RUN(steel_beams);
  return test_end();
}
