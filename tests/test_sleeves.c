// test_sleeves.c: planar bodies that hit, slide and jam with several rubbing contacts.
//
//   woodpecker   the toy, against an event-driven program of its own (references/woodpecker.py)
//   random       blocks between walls and on floors, four corners each, pulled by springs: solved
//                with gaps that stay open and an energy ledger that closes, or refused in words
#include "contact_rig.h"

#include <stdlib.h>

// ---- woodpecker ----------------------------------------------------------------------------

static rig open_model(const char *path) {
  static char text[20000];
  FILE *file = fopen(path, "r");
  size_t size = CHECK(file) ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file) fclose(file);
  text[size] = '\0';
  return rig_open(text, (how){0});
}

static void woodpecker(void) {
  static const double hits[6] = {0.082694039942, 0.109357923315, 0.114330106293,
                                 0.212502936340, 0.239230625403, 0.244751034866};
  // height and tilt of the sleeve, angle of the bird, and their rates
  static const double by_scipy[2][6] = {{-0.0524316135234, -0.0889575040159, -0.0773622294935,
                                         -0.0745493337388, -16.4383302058, -6.62226636998},
                                        {-0.109694676776, 0.0836754816415, 0.0966505983571,
                                         0.0084489910172, 1.48898170636, -8.4105428524}};
  rig r = open_model("models/woodpecker.yaml");
  if (!rig_ready(&r)) return;
  double worst = 0;
  for (int k = 0; k < 2 && rig_go(&r, 0.5 * (k + 1)); k++) {
    hn_pose sleeve, bird;
    CHECK(!hn_body_pose(r.sim, hn_find_body(r.system, "sleeve"), &sleeve));
    CHECK(!hn_body_pose(r.sim, hn_find_body(r.system, "bird"), &bird));
    double tilt = 2 * atan2(sleeve.orientation[3], sleeve.orientation[0]);
    double swing = 2 * atan2(bird.orientation[3], bird.orientation[0]);
    double now[6] = {
        sleeve.position[1],      tilt, swing, sleeve.velocity[1], sleeve.angular_velocity[2],
        bird.angular_velocity[2]};
    for (int i = 0; i < 6; i++) {
      double unit = i > 3 ? 20 : i > 0 ? 1 : 0.1;
      worst = fmax(worst, fabs(now[i] - by_scipy[k][i]) / unit);
    }
  }
  printf("  woodpecker, 24 impacts in 1 s: off scipy by %.1e\n", worst);
  CHECK(worst < 1e-8);
  for (int i = 0; i < 6; i++) {
    hn_impact hit;
    if (CHECK(hn_sim_impact(r.sim, i, &hit))) CHECK_NEAR(hit.time, hits[i], 1e-9);
  }
  CHECK(rig_imbalance(&r) < 1e-9);
  rig_close(&r);
}

// ---- random blocks -------------------------------------------------------------------------

static double between(double low, double high) {
  return low + (high - low) * (double)rand() / RAND_MAX;
}

typedef struct block {
  double half, high, play;
} block;

// a block with four corners between walls, in some on a floor, and a spring that pulls and turns it
static block block_text(char *text, size_t size, unsigned seed) {
  srand(seed);
  double half = between(0.02, 0.1), high = between(0.02, 0.3), play = between(1e-3, 0.3) * half;
  double mu = between(0.05, 0.9), e = rand() % 2 ? 0 : between(0, 0.7), lean = between(-1.5, 1.5);
  double reach = between(-3, 3) * half;
  bool floor = rand() % 3 == 0;
  int n = snprintf(
      text, size,
      "gravity: [%.17g, %.17g]\nsimulation: {duration: 0.4, rtol: 1e-8}\n"
      "bodies:\n  block: {type: planar, mass: 1, inertia: %.17g, velocity: [%.17g, %.17g], "
      "angular_velocity: %.17g, frames: {hook: [%.17g, 0]}}\njoints:\n",
      9.81 * sin(lean), -9.81 * cos(lean), between(0.1, 1) * (half * half + high * high),
      between(-0.5, 0.5), between(-1, 1), between(-3, 3), reach);
  for (int k = 0; k < 4; k++) {
    int side = k % 2 ? 1 : -1, end = k / 2 ? 1 : -1;
    n += snprintf(text + n, size - (size_t)n,
                  "  c%d: {type: stop, b: block, at: [%.17g, 0], at_b: [%.17g, %.17g], "
                  "axis: [%d, 0, 0], restitution: %.17g}\n",
                  k, side * (half + play), side * half, end * high, -side, e);
  }
  for (int k = 0; k < 2 && floor; k++)
    n += snprintf(text + n, size - (size_t)n,
                  "  f%d: {type: stop, b: block, at: [0, %.17g], at_b: [%.17g, %.17g], "
                  "axis: [0, 1, 0], restitution: %.17g}\n",
                  k, -high - 0.02, (k ? 1 : -1) * half, -high, e);
  n +=
      snprintf(text + n, size - (size_t)n,
               "forces:\n  pull: {type: spring, b: block.hook, at: [%.17g, 0.5], stiffness: %.17g, "
               "free: 0.4}\n",
               reach, between(0, 60));
  for (int k = 0; k < (floor ? 6 : 4); k++)
    n += snprintf(text + n, size - (size_t)n,
                  "  rub%d: {type: friction, joint: %c%d, law: coulomb, coulomb: %.17g}\n", k,
                  k < 4 ? 'c' : 'f', k % 4, mu);
  return (block){half, high, play};
}

// how far a corner is behind its wall
static double behind(const rig *r, const block *b) {
  hn_pose p;
  CHECK(!hn_body_pose(r->sim, hn_find_body(r->system, "block"), &p));
  double a = 2 * atan2(p.orientation[3], p.orientation[0]), most = -INFINITY;
  for (int k = 0; k < 4; k++) {
    double x = (k % 2 ? 1 : -1) * b->half, y = (k / 2 ? 1 : -1) * b->high;
    double at = p.position[0] + x * cos(a) - y * sin(a);
    most = fmax(most, (k % 2 ? at : -at) - b->half - b->play);
  }
  return most;
}

static void random_blocks(void) {
  // HN_TEST_SEEDS: more of them
  const char *asked = getenv("HN_TEST_SEEDS");
  const unsigned seeds = asked ? (unsigned)atoi(asked) : run_quickly() ? 8 : 24;
  int solved = 0, impacts = 0;
  double ledger = 0, deepest = -INFINITY;
  for (unsigned seed = 1; seed <= seeds; seed++) {
    char text[4000];
    block made = block_text(text, sizeof text, seed);
    rig r = rig_open(text, (how){0});
    if (rig_ready(&r) && !hn_advance(r.sim, 0.4)) {
      double imbalance = rig_imbalance(&r), depth = behind(&r, &made);
      solved++, impacts += hn_sim_impact_count(r.sim);
      ledger = fmax(ledger, imbalance), deepest = fmax(deepest, depth);
      if (!CHECK(imbalance < 1e-8 && depth < 1e-11))
        printf("  seed %u: energy %.1e, depth %.1e\n", seed, imbalance, depth);
    } else {
      const char *says = hn_sim_error(r.sim);
      printf("  seed %u: %s\n", seed, says);
      CHECK(strstr(says, "Coulomb's law") || strstr(says, "Kane"));
    }
    rig_close(&r);
  }
  printf("  seeds 1 to %u: %d solved, %d impacts, energy %.1e, depth %.1e m\n", seeds, solved,
         impacts, ledger, deepest);
  CHECK(asked || solved == (int)seeds);
}

int main(void) {
  RUN(woodpecker);
  RUN(random_blocks);
  return test_end();
}
