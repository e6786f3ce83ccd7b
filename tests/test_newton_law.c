// test_newton_law.c: on every body, mass times acceleration is what was applied plus the reactions
// that are reported; forces of gears and racks as vectors; whose multipliers are recorded.
#include "run_rig.h"
#include "sim/sim.h"

#include <dirent.h>

static const char *const coordinates[] = {"reference", "relative", "natural"};
static const double g = 9.80665;

// the audit's verdict on the forces, NAN: it said nothing
static double imbalance(hn_sim *sim, const char **where) {
  hn_summary s;
  hn_sim_summary(sim, &s);
  for (int i = 0; i < s.audit_count; i++)
    if (strcmp(s.audit[i].name, "forces on a body against m a") == 0) {
      *where = s.audit[i].where;
      return s.audit[i].known ? s.audit[i].worst : NAN;
    }
  return NAN;
}

// ---- all models ----------------------------------------------------------------------------

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}
static int is_model(const struct dirent *e) {
  return strstr(e->d_name, ".yaml") != NULL;
}

static void test_all_models(void) {
  struct dirent **list;
  int count = scandir("models", &list, is_model, by_name), told = 0;
  CHECK(count > 40);
  for (int i = 0; i < count; i++) {
    for (int c = 0; c < 3; c++) {
      char path[320];
      const char *where = "";
      run r = {.model = hn_model_create()};
      snprintf(path, sizeof path, "models/%s", list[i]->d_name);
      CHECK(hn_model_load(r.model, path) == HN_OK);
      hn_options *o = hn_model_options(r.model);
      o->duration = fmin(o->duration, 0.1);
      o->output_step = 0.02;
      o->rtol = fmax(o->rtol, 1e-8);
      snprintf(o->natural_points, sizeof o->natural_points, "joined");
      snprintf(o->solver, sizeof o->solver, "%s", "");
      snprintf(o->correction, sizeof o->correction, "%s", "");
      snprintf(o->integrator, sizeof o->integrator, "%s", "");
      hn_status status = run_model(&r, "explicit", coordinates[c], 0);
      if (status == HN_ERR_UNSUPPORTED) {
        run_free(&r);
        continue;
      }
      if (!CHECK(status == HN_OK)) printf("%s %s: %s\n", path, coordinates[c], r.message);
      double off = status ? NAN : imbalance(r.sim, &where);
      // recovered poses are as good as the rows that keep bodies rigid
      if (!CHECK(off <= (c == 2 ? 1e-8 : 1e-9)))
        printf("%s %s: off by %.3g on '%s'\n", path, coordinates[c], off, where);
      told++;
      run_free(&r);
    }
    free(list[i]);
  }
  free(list);
  CHECK(told > 110);
}

// ---- every method --------------------------------------------------------------------------

static const char geared[] =
    "gravity: [0.3, -9.81]\n"
    "simulation: {duration: 0.2, output_step: 0.05}\n"
    "bodies:\n"
    "  arm: {type: planar, mass: 2, inertia: 0.3, position: [0.2, 0.1]}\n"
    "  sun: {type: planar, mass: 1, inertia: 0.1, position: [0, 0], com: [0.02, 0.01]}\n"
    "  planet: {type: planar, mass: 0.5, inertia: 0.05, position: [0.5, 0], com: [0.01, 0]}\n"
    "  slider: {type: planar, mass: 1, inertia: 0.1, position: [0.2, 0.3]}\n"
    "joints:\n"
    "  base: {type: revolute, b: arm, at: [0, 0]}\n"
    "  base2: {type: revolute, b: arm, at: [0, 0], stiffness: 3}\n"
    "  hub: {type: revolute, a: arm, b: sun, at: [0, 0]}\n"
    "  pin: {type: revolute, a: planet, b: arm, at: [0.5, 0]}\n"
    "  rail: {type: prismatic, a: arm, b: slider, at: [0.3, 0.4], axis: [1, 0.2]}\n"
    "  mesh: {type: gear, joint_a: hub, joint_b: pin, ratio: 1.5}\n"
    "  rack: {type: rack-pinion, joint_a: rail, joint_b: hub, radius: 0.15}\n"
    "forces:\n"
    "  rub: {type: friction, joint: pin, coulomb: 0.2, radius: 0.05, speed: 0.1}\n"
    "  coil: {type: torsion-spring, joint: hub, stiffness: 3, damping: 0.1, free: 0.5}\n";

static void test_every_method(void) {
  int told = 0;
  for (int c = 0; c < 3; c++)
    for (int i = 0; hn_method_at(i); i++) {
      const char *method = hn_method_at(i)->name, *where = "";
      if (strcmp(method, "index3-bdf") == 0) continue;
      run r = {.model = hn_model_create()};
      CHECK(hn_model_parse(r.model, geared, strlen(geared), "geared") == HN_OK);
      hn_status status = run_model(&r, method, coordinates[c], 1e-3);
      if (status != HN_ERR_UNSUPPORTED) {
        if (!CHECK(status == HN_OK)) printf("%s %s: %s\n", coordinates[c], method, r.message);
        double off = status ? NAN : imbalance(r.sim, &where);
        // steppers of relative coordinates that know no accelerations are not judged
        // penalty's multipliers, and with them friction, are as good as rounding over its factor
        double limit = strcmp(method, "penalty") == 0 ? 1e-8 : 1e-9;
        if (!CHECK(off <= limit || (c == 1 && isnan(off) && !status)))
          printf("%s %s: off by %.3g on '%s'\n", coordinates[c], method, off, where);
        told += off <= limit;
      }
      run_free(&r);
    }
  CHECK(told > 70);
}

// ---- forces of transmissions, by hand ------------------------------------------------------

static double value(const run *r, const char *name) {
  return last_row(r->result)[column(r->result, name)];
}

// the reaction asked for from C is the force recorded
static void check_reaction(run *r, const char *name) {
  static const char *const columns[] = {"fx", "fy", "fz", "px", "py", "pz"};
  hn_reaction o;
  if (!CHECK(hn_joint_reaction(r->sim, hn_find_joint(r->system, name), &o) == HN_OK)) return;
  for (int i = 0; i < 6; i++) {
    char full[32];
    snprintf(full, sizeof full, "%s.%s", name, columns[i]);
    CHECK_NEAR(i < 3 ? o.force[i] : o.point[i - 3], value(r, full), 1e-9);
  }
  for (int i = 0; i < 3; i++) CHECK_NEAR(o.torque[i], 0, 1e-12);
}

// A rack of 1 kg falls along a rail and turns a pinion: (m + I/R^2) a = m g, teeth carry
// F = I a / R^2 = 4 g / 5; the hinge carries the weight of the pinion and F, the rail nothing,
// wherever it is said to be
static void test_rack(void) {
  static const double at[] = {0.7, 0.1, -2};
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 3; k++) {
      char text[1024];
      snprintf(text, sizeof text,
               "gravity: [0, 0, -9.80665]\n"
               "simulation: {duration: 0.1}\n"
               "bodies:\n"
               "  pinion: {mass: 1, inertia: [0.04, 0.1, 0.1]}\n"
               "  rack: {mass: 1, inertia: [0.1, 0.1, 0.04], position: [0, 0.1, 0]}\n"
               "joints:\n"
               "  hinge: {type: revolute, b: pinion, at: [%g, 0, 0], axis: [1, 0, 0]}\n"
               "  rail: {type: prismatic, b: rack, at: [0, %g, 0], axis: [0, 0, 1]}\n"
               "  mesh: {type: rack-pinion, joint_a: rail, joint_b: hinge, radius: 0.1}\n",
               at[k], at[k]);
      run r = {.model = hn_model_create()};
      CHECK(hn_model_parse(r.model, text, strlen(text), "rack") == HN_OK);
      if (CHECK(run_model(&r, "explicit", coordinates[c], 0) == HN_OK)) {
        double F = 0.8 * g;
        CHECK_NEAR(value(&r, "hinge.fz"), g + F, 1e-9);
        CHECK_NEAR(value(&r, "mesh.fz"), -F, 1e-9);
        check_reaction(&r, "mesh");
        CHECK_NEAR(value(&r, "mesh.py"), 0.1, 1e-12);
        CHECK_NEAR(value(&r, "rail.fz"), 0, 1e-9);
        CHECK_NEAR(value(&r, "rail.tx"), 0, 1e-9);
        CHECK_NEAR(value(&r, "rail.fy"), 0, 1e-9);
        // the hinge's torque is about its own place: force at the pinion's centre
        CHECK_NEAR(value(&r, "hinge.ty"), at[k] * (g + F), 1e-9);
      }
      run_free(&r);
    }
}

// Two wheels of radius 0.2 and 0.3 on shafts 0.5 apart, a torque of 6 on the first. With
// w_b = -2/3 w_a: (I_a + 4/9 I_b) w_a' = 6, teeth carry F = I_b (2/3 w_a') / 0.3 across the line of
// centres, both bearings as much. Bevel wheels alike, with shafts that meet at a right angle
static void test_gears(void) {
  double Ia = 0.02, Ib = 0.09, turn = 6 / (Ia + 4.0 / 9 * Ib), F = Ib * 2 / 3 * turn / 0.3;
  for (int bevel = 0; bevel < 2; bevel++)
    for (int c = 0; c < 3; c++) {
      char text[1024];
      snprintf(text, sizeof text,
               "simulation: {duration: 1e-3}\n"
               "bodies:\n"
               "  a: {mass: 1, inertia: [0.01, 0.01, 0.02], position: [0, 0, %s]}\n"
               "  b: {mass: 1, inertia: [%s], position: %s}\n"
               "joints:\n"
               "  A: {type: revolute, b: a, at: [0, 0, 1], axis: [0, 0, 1]}\n"
               "  B: {type: revolute, b: b, at: %s, axis: %s}\n"
               "  g: {type: gear, joint_a: A, joint_b: B, ratio: -2/3}\n"
               "forces:\n"
               "  m: {type: motor, joint: A, law: 6}\n",
               bevel ? "0.3" : "0", bevel ? "0.09, 0.05, 0.05" : "0.05, 0.05, 0.09",
               bevel ? "[0.2, 0, 0]" : "[0.5, 0, 0]", bevel ? "[1, 0, 0]" : "[0.5, 0, 3]",
               bevel ? "[1, 0, 0]" : "[0, 0, 1]");
      run r = {.model = hn_model_create()};
      CHECK(hn_model_parse(r.model, text, strlen(text), "gears") == HN_OK);
      if (CHECK(run_model(&r, "explicit", coordinates[c], 0) == HN_OK)) {
        // the pitch point: between the shafts, or at the height of both wheels
        CHECK_NEAR(value(&r, "g.px"), 0.2, 1e-9);
        CHECK_NEAR(value(&r, "g.py"), 0, 1e-9);
        CHECK_NEAR(value(&r, "g.pz"), bevel ? 0.3 : 0, 1e-9);
        CHECK_NEAR(value(&r, "g.fy"), F, 1e-6);
        check_reaction(&r, "g");
        CHECK_NEAR(value(&r, "A.fy"), F, 1e-6);
        CHECK_NEAR(value(&r, "B.fy"), -F, 1e-6);
      } else {
        printf("%s\n", r.message);
      }
      run_free(&r);
    }
}

// ---- whose multipliers are recorded --------------------------------------------------------

// two bearings of stiffness 1 and 2: shared 1:2; the pseudo-inverse halves, elimination gives all
// to one, penalty divides by its factors
static void test_whose(void) {
  static const struct {
    const char *method, *reactions;
    double part;
  } cases[] = {
      {"explicit", "shared", 1.0 / 3},      {"pseudoinverse", "shared", 1.0 / 3},
      {"pseudoinverse", "method", 1.0 / 2}, {"explicit", "method", 1},
      {"penalty", "method", 1.0 / 3},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run r = {.model = hn_model_create()};
    char message[256];
    CHECK(hn_model_load(r.model, "tests/findings/friction_shared_bearings.yaml") == HN_OK);
    hn_options *o = hn_model_options(r.model);
    o->duration = 0.5;
    CHECK(hn_options_set(o, "reactions", cases[i].reactions, message, sizeof message) == HN_OK);
    if (CHECK(run_model(&r, cases[i].method, "reference", 1e-3) == HN_OK)) {
      double x[2] = {value(&r, "bearing1.fx"), value(&r, "bearing1.fy")};
      double y[2] = {value(&r, "bearing2.fx"), value(&r, "bearing2.fy")};
      double all = hypot(x[0] + y[0], x[1] + y[1]);
      // a penalty's forces are next to round-off times a large number
      double tolerance = strcmp(cases[i].method, "penalty") == 0 ? 3e-4 : 1e-5;
      CHECK_NEAR(hypot(x[0], x[1]) / all, cases[i].part, tolerance);
      // the motion and its friction are the same
      CHECK_NEAR(fabs(value(&r, "fr.force")), 0.06 * all / 3, 1e-6 * all);
      hn_summary s;
      hn_sim_summary(r.sim, &s);
      bool own = strcmp(cases[i].reactions, "method") == 0;
      CHECK((strstr(s.reactions, "as the method divides them") != NULL) == own);
      const char *where;
      CHECK(imbalance(r.sim, &where) <= 1e-9);
    }
    run_free(&r);
  }
}

// ---- random bearings -----------------------------------------------------------------------

// solves A x = b, 6 x 6, by Gauss
static void gauss(double A[6][7]) {
  for (int k = 0; k < 6; k++) {
    int best = k;
    for (int i = k + 1; i < 6; i++)
      if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
    for (int j = 0; j < 7; j++) {
      double keep = A[k][j];
      A[k][j] = A[best][j], A[best][j] = keep;
    }
    for (int i = 0; i < 6; i++) {
      double f = i == k ? 0 : A[i][k] / A[k][k];
      for (int j = k; j < 7; j++) A[i][j] -= f * A[k][j];
    }
  }
  for (int i = 0; i < 6; i++) A[i][6] /= A[i][i];
}

// a heavy body on n balls of stiffness k_i: it sinks by u and turns by w, the balls carry
// -k_i (u + w x r_i), and these balance the weight
static void test_random_bearings(void) {
  for (int i = 0; i < 40; i++) {
    test_seed = 7919ull * (unsigned)(i + 1);
    for (int k = 0; k < 8; k++) (void)test_random(0, 1);
    int n = 3 + i % 4;
    double r[6][3], stiffness[6], A[6][7] = {{0}}, weight[3] = {3, -4, -20};
    char text[4096];
    int used = snprintf(text, sizeof text,
                        "gravity: [3, -4, -20]\nsimulation: {duration: 0.01}\n"
                        "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n");
    for (int k = 0; k < n; k++) {
      for (int c = 0; c < 3; c++) r[k][c] = test_random(-1, 1);
      stiffness[k] = test_random(0.2, 5);
      used += snprintf(text + used, sizeof text - (size_t)used,
                       "  j%d: {type: spherical, b: b, at: [%.15f, %.15f, %.15f], "
                       "stiffness: %.15f}\n",
                       k, r[k][0], r[k][1], r[k][2], stiffness[k]);
      // rows: force and moment; columns: u, w
      double X[3][3] = {{0, -r[k][2], r[k][1]}, {r[k][2], 0, -r[k][0]}, {-r[k][1], r[k][0], 0}};
      for (int a = 0; a < 3; a++) {
        A[a][a] += stiffness[k];
        for (int b = 0; b < 3; b++) {
          A[a][3 + b] -= stiffness[k] * X[a][b];
          A[3 + a][b] += stiffness[k] * X[a][b];
          for (int c = 0; c < 3; c++) A[3 + a][3 + b] -= stiffness[k] * X[a][c] * X[c][b];
        }
      }
    }
    for (int a = 0; a < 3; a++) A[a][6] = weight[a];
    gauss(A);
    for (int c = 0; c < 3; c++) {
      run o = {.model = hn_model_create()};
      CHECK(hn_model_parse(o.model, text, strlen(text), "bearings") == HN_OK);
      if (!CHECK(run_model(&o, "explicit", coordinates[c], 0) == HN_OK)) {
        printf("%d %s: %s\n%s", i, coordinates[c], o.message, text);
      } else {
        for (int k = 0; k < n; k++) {
          double u[3] = {A[0][6], A[1][6], A[2][6]}, w[3] = {A[3][6], A[4][6], A[5][6]};
          double move[3] = {u[0] + w[1] * r[k][2] - w[2] * r[k][1],
                            u[1] + w[2] * r[k][0] - w[0] * r[k][2],
                            u[2] + w[0] * r[k][1] - w[1] * r[k][0]};
          static const char *const axis[] = {"fx", "fy", "fz"};
          for (int a = 0; a < 3; a++) {
            char name[16];
            snprintf(name, sizeof name, "j%d.%s", k, axis[a]);
            if (!CHECK_NEAR(value(&o, name), -stiffness[k] * move[a], 1e-7))
              printf("case %d, %s\n", i, coordinates[c]);
          }
        }
      }
      run_free(&o);
    }
  }
}

// ---- what an imbalance is measured by --------------------------------------------------------

// a light body beside a heavy one, each hung on a joint of its own. A reaction that is told wrong
// by `off` on the light one counts by the forces on it, 1 N, and a millionth of the largest, 1e6 N
static void test_scale(void) {
  static const char text[] = "gravity: [0, -10]\n"
                             "bodies:\n"
                             "  heavy: {type: planar, mass: 1e5, inertia: 1, position: [1, 0]}\n"
                             "  light: {type: planar, mass: 0.1, inertia: 1, position: [0, 0]}\n"
                             "joints:\n"
                             "  of_heavy: {type: fixed, b: heavy, at: [1, 0]}\n"
                             "  of_light: {type: fixed, b: light, at: [0, 0]}\n";
  const double off = 1e-3;
  run r;
  const char *where = "";
  if (!CHECK(run_start(&r, text, (run_by){.coordinates = "reference"}))) return;
  hn_sim *sim = r.sim;
  CHECK(hn_derivative(sim, 0, sim->state.y, sim->stage.ydot) == HN_OK);
  hn_newton_law_start(sim, true);
  hn_share_reactions(sim);
  double lambda[6];
  memcpy(lambda, sim->reaction.told.lambda, sizeof lambda);
  sim->reaction.told.lambda = lambda;
  CHECK_NEAR(fabs(lambda[4]), 1, 1e-9);
  lambda[4] += off;
  hn_newton_law_check(sim, 0);
  CHECK_REL(imbalance(sim, &where), off / (1 + off + 1e-6 * 1e6), 0, 1e-6);
  CHECK_STR(where, "light");
  run_free(&r);
}

int main(void) {
  RUN(test_rack);
  RUN(test_gears);
  RUN(test_whose);
  RUN(test_random_bearings);
  RUN(test_every_method);
  RUN(test_all_models);
  RUN(test_scale);
  return test_end();
}
