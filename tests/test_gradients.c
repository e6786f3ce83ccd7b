// test_gradients.c: derivatives of studies (hn_slopes_*). Metrics of all kinds, along all factors
// and back, against each other to round-off and against differences of eighth order of runs; values
// against the library; what has no derivative is refused in words. Runs with impacts, friction that
// holds and states against closed forms.
#include "test.h"

#include <holon/study.h>

static const char *example(const char *name) {
  int i = 0;
  while (strcmp(hn_example_name(i), name) != 0) i++;
  return hn_example_text(i);
}

static const char options[] =
    "options: {duration: 0.6, output_step: 0.02, step: 0.005, method: mass-projection, verify: "
    "'off', audit_energy: 1}\n";

static hn_study *read_study(const char *text, const char *model) {
  char all[3000], message[600] = "";
  hn_study *study = NULL;
  snprintf(all, sizeof all, "%s%s", text, strstr(text, "options:") ? "" : options);
  if (!CHECK(hn_study_parse(&study, all, strlen(all), "study", model, "model", message,
                            sizeof message) == HN_OK))
    printf("  %s\n", message);
  return study;
}

enum { MOST = 64, MOST_FACTORS = 8 };

static void at_point(hn_slopes *s, const hn_study *study, const double *factors,
                     const double *library) {
  static const double weight[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  char message[600] = "";
  int count[3], n, m;
  hn_study_columns(study, count);
  n = count[HN_FACTOR], m = count[HN_METRIC] + count[HN_CONSTRAINT];
  double value[MOST], again[MOST], forward[MOST * MOST_FACTORS], backward[MOST * MOST_FACTORS];
  double slope[MOST], x[MOST_FACTORS];
  if (!CHECK(m <= MOST && n <= MOST_FACTORS)) return;
  if (!CHECK(
          !hn_slopes_metrics(s, factors, HN_FORWARD, value, forward, message, sizeof message) &&
          !hn_slopes_metrics(s, factors, HN_BACKWARD, again, backward, message, sizeof message))) {
    printf("  %s\n", message);
    return;
  }
  for (int i = 0; i < m; i++) {
    CHECK(memcmp(&value[i], &again[i], sizeof *value) == 0);
    CHECK_REL(value[i], library[n + i], 1, 1e-10);
    for (int j = 0; j < n; j++) CHECK_REL(backward[i * n + j], forward[i * n + j], 1, 1e-12);
  }
  memcpy(x, factors, (size_t)n * sizeof *x);
  for (int j = 0; j < n; j++) {
    double h = 5e-4 * fmax(1, fabs(x[j])), ignored[MOST * MOST_FACTORS], up[MOST], down[MOST];
    memset(slope, 0, sizeof slope);
    for (int k = 0; k < 4; k++) {
      x[j] = factors[j] + (k + 1) * h;
      CHECK(!hn_slopes_metrics(s, x, HN_BACKWARD, up, ignored, message, sizeof message));
      x[j] = factors[j] - (k + 1) * h;
      CHECK(!hn_slopes_metrics(s, x, HN_BACKWARD, down, ignored, message, sizeof message));
      for (int i = 0; i < m; i++) slope[i] += weight[k] * (up[i] - down[i]) / h;
    }
    x[j] = factors[j];
    for (int i = 0; i < m; i++)
      if (!CHECK_REL(forward[i * n + j], slope[i], 1, 1e-9)) {
        hn_study_column of, by;
        hn_study_column_at(study, n + i, &of), hn_study_column_at(study, j, &by);
        printf("  %s by %s\n", of.name, by.name);
      }
  }
}

static void check_study(const char *text, const char *model) {
  char message[600] = "";
  hn_study *study = read_study(text, model);
  hn_slopes *slopes = NULL;
  hn_study_table *table = NULL;
  const hn_study_options o = {.engine = "library", .jobs = 1};
  if (!study) return;
  if (!CHECK(hn_slopes_open(study, &slopes, message, sizeof message) == HN_OK))
    printf("  %s\n", message);
  if (!CHECK(hn_study_run(study, &o, &table, message, sizeof message) == HN_OK))
    printf("  %s\n", message);
  for (long k = 0; slopes && table && k < hn_study_table_rows(table); k++) {
    hn_study_row row;
    hn_study_table_row(table, k, &row);
    if (CHECK(row.status == HN_ROW_DONE)) at_point(slopes, study, row.values, row.values);
  }
  hn_study_table_destroy(table);
  hn_slopes_close(slopes);
  hn_study_destroy(study);
}

// with parameters that follow from factors, for metrics to read
static void four_bar(void) {
  static char model[4000];
  const char *text = example("four_bar"), *rest = strstr(text, "\npoints:");
  if (!CHECK(rest)) return;
  snprintf(model, sizeof model,
           "%.*s\n  along: base - crank*cos(start)\n  cx: along/2 + sqrt(crank*sin(start))\n%s",
           (int)(rest - text), text, rest);
  check_study("name: s\nmodel: model\ndesign: {type: latin-hypercube, runs: 2, seed: 3}\n"
              "factors:\n"
              "  crank: {uniform: [1.9, 2.1]}\n  base: {normal: [2.5, 0.02]}\n"
              "  start: {uniform: [0.9, 1.1]}\n"
              "  weight: {place: bodies.crank.mass, uniform: [0.9, 1.1]}\n"
              "  side: {place: gravity.0, uniform: [-0.1, 0.1]}\n"
              "  turning: {place: bodies.crank.angular_velocity, uniform: [0.1, 0.3]}\n"
              "metrics:\n"
              "  a: rms(crank.omega)\n  b: mean(coupler.x) - 2*first(coupler.y)\n"
              "  c: final(A.angle)\n  d: integral(follower.vx^2)*crank\n"
              "  e: at(energy.total, 0.131*base/2.5)\n  f: crossing(crank.omega, -0.3*crank)\n"
              "  g: max(coupler.x*sin(coupler.angle)) + along\n  h: min(A.angle)*a + b^2\n"
              "constraints: {small: a*b <= 1, far: mean(coupler.x) >= cx}\n",
              model);
}

static const char spring[] =
    "parameters: {k: 100, c: 0.5, free: 0.3, drive: 1.2, v: 0.3}\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  b: {type: planar, mass: 2, inertia: 0.2, position: [1, 0], angular_velocity: v}\n"
    "joints: {j: {type: revolute, a: ground, b: b, at: [0, 0]}}\n"
    "forces:\n"
    "  s: {type: spring, a: ground, b: b, at: [0.3, 1.6], at_b: [1, 0], stiffness: k, damping: c,"
    " free: free}\n"
    "  m: {type: motor, joint: j, law: 'drive*sin(3*t) - 0.1*rate'}\n";

static void springs(void) {
  check_study(
      "name: s\nmodel: model\ndesign: {type: sobol, runs: 2}\n"
      "factors:\n"
      "  k: {log: [60, 150]}\n  c: {uniform: [0.2, 0.9]}\n  free: {uniform: [0.2, 0.4]}\n"
      "  drive: {uniform: [1.1, 2.5]}\n  v: {uniform: [-0.4, 0.4]}\n"
      "options: {duration: 0.5, output_step: 0.05, step: 0.005, integrator: dop853, method: "
      "mass-projection, verify: 'off', audit_energy: 1}\n"
      "metrics: {a: max(b.x), b: mean(j.angle*j.angle_rate), final_kinetic: "
      "final(energy.kinetic),\n"
      "  d: 'crossing(b.x, 0.95)', e: rms(b.y - 0.1)/k}\n",
      spring);
}

// a ball that falls from rest: where nothing moves the size of the velocity has no slope, but the
// drag has
static void from_rest(void) {
  static const char text[] = "parameters: {area: 0.2, m: 1}\n"
                             "gravity: [0, 0, -9.81]\n"
                             "bodies: {ball: {type: point, mass: m}}\n"
                             "forces: {air: {type: drag, b: ball, area: area, drag: 0.5}}\n";
  check_study("name: s\nmodel: model\ndesign: {type: sobol, runs: 2}\n"
              "factors: {area: {uniform: [0.1, 0.3]}, m: {uniform: [0.8, 1.2]}}\n"
              "metrics: {a: final(ball.z), b: final(ball.vz)}\n",
              text);
}

// frames that agree at the start, where closed forms of the rotation between them divide zero by
// zero
static void relaxed(void) {
  static const char text[] =
      "parameters: {k: 30, m: 1}\n"
      "gravity: [0, 0, -9.81]\n"
      "bodies: {rod: {mass: m, inertia: [0.1, 0.2, 0.3], com: [0.1, 0, 0]}}\n"
      "forces: {mount: {type: bushing, b: rod, at: [0, 0, 0], stiffness: [9, 9, 9, k, k, k]}}\n";
  check_study("name: s\nmodel: model\ndesign: {type: sobol, runs: 2}\n"
              "factors: {k: {uniform: [0.1, 0.3]}, m: {uniform: [0.8, 1.2]}}\n"
              "metrics: {a: final(rod.z), b: final(rod.wy)}\n",
              text);
}

// rows: columns and their derivatives, against differences of the rows themselves
static void rows(void) {
  char message[600] = "";
  hn_study *study = read_study("name: s\nmodel: model\n"
                               "factors: {k: {uniform: [90, 110]}, v: {uniform: [0.1, 0.4]}}\n"
                               "design: {type: monte-carlo, runs: 1}\n"
                               "metrics: {a: max(b.x), c: final(j.angle)}\n",
                               spring);
  hn_slopes *s = NULL;
  hn_result *at = NULL, *up[2][2] = {{0}};
  const double x[2] = {101, 0.3}, h[2] = {1e-2, 1e-4};
  if (!study || !CHECK(!hn_slopes_open(study, &s, message, sizeof message))) return;
  CHECK(!hn_slopes_rows(s, x, &at, message, sizeof message));
  for (int j = 0; j < 2; j++)
    for (int side = 0; side < 2; side++) {
      double y[2] = {x[0], x[1]};
      y[j] += side ? h[j] : -h[j];
      CHECK(!hn_slopes_rows(s, y, &up[j][side], message, sizeof message));
    }
  static const char *const name[2][2] = {{"b.x.by.k", "b.x.by.v"},
                                         {"j.angle.by.k", "j.angle.by.v"}};
  for (int j = 0; at && j < 2; j++)
    for (int c = 0; c < 2; c++) {
      int column = hn_result_find(at, name[c][j]), of = hn_result_find(at, c ? "j.angle" : "b.x");
      if (!CHECK(column > 0 && of > 0)) continue;
      for (int r = 0; r < hn_result_rows(at); r++)
        CHECK_NEAR(hn_result_row(at, r)[column],
                   (hn_result_row(up[j][1], r)[of] - hn_result_row(up[j][0], r)[of]) / (2 * h[j]),
                   2e-7);
    }
  for (int j = 0; j < 4; j++) hn_result_destroy(up[j / 2][j % 2]);
  hn_result_destroy(at);
  hn_slopes_close(s);
  hn_study_destroy(study);
}

// a chain of many masses: as many factors as there are, in one passage back
static void many(void) {
  char model[4000], text[4000], message[600] = "";
  enum { LINKS = 5, N = 8 };
  snprintf(model, sizeof model,
           "gravity: [0, -9.81]\nparameters: {l: 0.5, m0: 1, m1: 1, m2: 1, m3: "
           "1, m4: 1, w: 0.4, d: 0.1}\nbodies:\n");
  for (int i = 0; i < LINKS; i++)
    snprintf(model + strlen(model), sizeof model - strlen(model),
             "  b%d: {type: planar, mass: m%d, inertia: 0.02*m%d, position: [%d*l, 0], "
             "angular_velocity: w, velocity: [0, %d*l*w], com: [l/2, 0]}\n",
             i, i, i, i, i);
  snprintf(model + strlen(model), sizeof model - strlen(model), "joints:\n");
  for (int i = 0; i < LINKS; i++) {
    char from[16];
    snprintf(from, sizeof from, i ? "b%d" : "ground", i - 1);
    snprintf(model + strlen(model), sizeof model - strlen(model),
             "  j%d: {type: revolute, a: %s, b: b%d, at: [%d*l, 0]}\n", i, from, i, i);
  }
  snprintf(model + strlen(model), sizeof model - strlen(model),
           "forces: {twist: {type: torsion-spring, joint: j2, stiffness: 3, damping: d}}\n");
  snprintf(
      text, sizeof text,
      "name: s\nmodel: model\ndesign: {type: monte-carlo, runs: 1, seed: 7}\nfactors:\n"
      "  l: {uniform: [0.45, 0.55]}\n  w: {uniform: [0.2, 0.6]}\n  d: {uniform: [0.05, 0.2]}\n");
  for (int i = 0; i < LINKS; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "  m%d: {uniform: [0.8, 1.2]}\n", i);
  snprintf(
      text + strlen(text), sizeof text - strlen(text),
      "options: {duration: 0.3, output_step: 0.05, step: 0.002, method: mass-projection, verify: "
      "'off', audit_energy: 1}\nmetrics: {a: final(b4.x), b: rms(b4.omega)}\n");
  (void)message;
  check_study(text, model);
}

// ---- runs by the library, whose events move with the factors -----------------------------------

// values and derivatives of two metrics by two factors; both ways say the same
static void known(const char *text, const char *model, const double x[2], const double value[2],
                  const double derivative[4], double tolerance) {
  char message[600] = "";
  hn_study *study = read_study(text, model);
  hn_slopes *s = NULL;
  if (!study) return;
  if (!CHECK(hn_slopes_open(study, &s, message, sizeof message) == HN_OK))
    printf("  %s\n", message);
  for (int way = 0; s && way < 2; way++) {
    double got[2], by[4];
    if (!CHECK(hn_slopes_metrics(s, x, way ? HN_BACKWARD : HN_FORWARD, got, by, message,
                                 sizeof message) == HN_OK))
      printf("  %s\n", message);
    for (int i = 0; i < 2; i++) CHECK_NEAR(got[i], value[i], tolerance);
    for (int i = 0; i < 4; i++) CHECK_NEAR(by[i], derivative[i], tolerance * fmax(1, fabs(by[i])));
  }
  hn_slopes_close(s);
  hn_study_destroy(study);
}

static const char ball[] = "gravity: [0, -9.81]\nparameters: {bounce: 0.7, h: 1}\n"
                           "bodies: {ball: {type: planar-point, mass: 1, position: [0, h]}}\n"
                           "joints: {floor: {type: stop, b: ball, at: [0, 0], at_b: [0, h], axis: "
                           "[0, 1, 0], restitution: bounce}}\n";

// after two impacts: y = e^2 v l - g l^2/2, l = T - t (1 + 2 e), t = sqrt(2 h/g), v = g t
static void impacts(void) {
  const double g = 9.81, T = 1.2, e = 0.7, h = 1, x[] = {e, h};
  double t = sqrt(2 * h / g), v = g * t, l = T - t * (1 + 2 * e);
  double th = t / (2 * h), vh = g * th, le = -2 * t, lh = -th * (1 + 2 * e);
  const double value[] = {e * e * v * l - g * l * l / 2, e * e * v - g * l};
  const double derivative[] = {2 * e * v * l + e * e * v * le - g * l * le,
                               e * e * (vh * l + v * lh) - g * l * lh, 2 * e * v - g * le,
                               e * e * vh - g * lh};
  known("name: s\nmodel: model\ndesign: {type: monte-carlo, runs: 1}\n"
        "factors: {bounce: {uniform: [0.6, 0.8]}, h: {uniform: [0.9, 1.1]}}\n"
        "options: {duration: 1.2, output_step: 0.03, step: 0.003, method: mass-projection, "
        "verify: 'off'}\nmetrics: {y: final(ball.y), v: final(ball.vy)}\n",
        ball, x, value, derivative, 2e-9);
}

// a block that slides until it is held: x = v^2/(2 mu g)
static void held(void) {
  const double x[] = {0.3, 2}, g = 9.81;
  double way = x[1] * x[1] / (2 * x[0] * g);
  known("name: s\nmodel: model\ndesign: {type: monte-carlo, runs: 1}\n"
        "factors: {mu: {uniform: [0.2, 0.4]}, v: {uniform: [1.8, 2.2]}}\n"
        "options: {duration: 1, output_step: 0.1, step: 0.01, method: mass-projection, "
        "verify: 'off'}\nmetrics: {x: final(b.x), u: 'final(b.vx) + mu'}\n",
        "gravity: [0, -9.81]\nparameters: {mu: 0.3, v: 2}\n"
        "bodies: {b: {type: planar, mass: 2, inertia: 1, velocity: [v, 0]}}\n"
        "joints: {rail: {type: prismatic, b: b, axis: [1, 0, 0]}}\n"
        "forces: {rub: {type: friction, joint: rail, law: coulomb, coulomb: mu}}\n",
        x, (const double[]){way, x[0]}, (const double[]){-way / x[0], 2 * way / x[1], 1, 0}, 2e-9);
}

// a state of first order, and a reaction: s = exp(-k t), the rod's end bears m w^2 r
static void states(void) {
  const double x[] = {3, 2};
  double s = exp(-x[0]);
  known("name: s\nmodel: model\ndesign: {type: monte-carlo, runs: 1}\n"
        "factors: {k: {uniform: [2, 4]}, w: {uniform: [1, 3]}}\n"
        "options: {duration: 1, output_step: 0.1, step: 0.001, method: mass-projection, "
        "verify: 'off'}\nmetrics: {s: final(level), f: 'final(hypot(hinge.fx, hinge.fy))'}\n",
        "parameters: {k: 3, w: 2}\n"
        "bodies: {rod: {type: planar, mass: 2, inertia: 0.2, com: [0.5, 0], angular_velocity: w}}\n"
        "joints: {hinge: {type: revolute, b: rod, at: [0, 0]}}\n"
        "states: {level: {rate: -k*level, start: 1}}\n",
        x, (const double[]){s, x[1] * x[1]}, (const double[]){-s, 0, 0, 2 * x[1]}, 2e-9);
}

static void refused(const char *text, const char *model, const char *why) {
  char message[600] = "";
  hn_study *study = read_study(text, model);
  hn_slopes *s = NULL;
  double value[8], derivative[32], x[8] = {100, 0.3};
  if (!study) return;
  hn_status status = hn_slopes_open(study, &s, message, sizeof message);
  if (!status)
    status = hn_slopes_metrics(s, x, HN_BACKWARD, value, derivative, message, sizeof message);
  if (!CHECK(status && strstr(message, why)))
    printf("  %s (%g, %g)\n", message, value[0], derivative[0]);
  hn_slopes_close(s);
  hn_study_destroy(study);
}

static void refusals(void) {
  const char *head = "name: s\nmodel: model\ndesign: {type: monte-carlo, runs: 1}\nfactors: {k: "
                     "{uniform: [90, 110]}}\n";
  char text[900];
  snprintf(text, sizeof text, "%smetrics: {a: when(b.x < 0.9)}\n", head);
  refused(text, spring, "when(...) of a metric has no derivative");
  snprintf(text, sizeof text, "%smetrics: {a: 'crossing(b.x, 7)'}\n", head);
  refused(text, spring, "nothing crosses");
  snprintf(text, sizeof text, "%smetrics: {a: max(b.x)}\nstop: b.x < 0\n", head);
  refused(text, spring, "stops runs on a condition");
  snprintf(text, sizeof text,
           "%smetrics: {a: max(b.x)}\noptions: {duration: 1, step: 0.01, output_step: 0.1, method: "
           "mass-projection}\n",
           head);
  refused(text, spring, "set the option 'verify' to off");
  snprintf(text, sizeof text,
           "%smetrics: {a: max(b.x)}\noptions: {duration: 1, step: 0.05, output_step: 0.1, method: "
           "mass-projection, verify: 'off', audit_energy: 1e-9}\n",
           head);
  refused(text, spring, "loses energy");
  refused("name: s\nmodel: model\ndesign: {type: monte-carlo, runs: 1}\n"
          "factors: {step: {option: step, uniform: [0.005, 0.01]}}\nmetrics: {a: max(b.x)}\n",
          spring, "sets an option of the run");
  // an impact that falls on a row: what is before it for some is behind it for others
  refused(
      "name: s\nmodel: model\ndesign: {type: monte-carlo, runs: 1}\n"
      "factors: {h: {uniform: [90, 110]}}\noptions: {duration: 5, output_step: 0.5, step: 0.05, "
      "method: mass-projection, verify: 'off'}\nmetrics: {v: 'final(ball.vy)'}\n"
      "parameters: {bounce: 0.3}\n",
      "gravity: [0, -8]\nparameters: {bounce: 0.7, h: 100}\n"
      "bodies: {ball: {type: planar-point, mass: 1, position: [0, h]}}\n"
      "joints: {floor: {type: stop, b: ball, at: [0, 0], at_b: [0, h], axis: [0, 1, 0], "
      "restitution: bounce}}\n",
      "an event falls on a row");
  // a force that switches: without steps of one length there is nothing to differentiate
  const char *clutch = "parameters: {k: 100}\nbodies:\n"
                       "  b: {type: planar, mass: 2, inertia: 0.2, position: [1, 0]}\n"
                       "joints: {j: {type: revolute, a: ground, b: b, at: [0, 0]}}\n"
                       "forces: {m: {type: motor, joint: j, law: 'if(rate > 0.2, k, -k)'}}\n";
  snprintf(text, sizeof text,
           "%smetrics: {a: max(b.x)}\noptions: {duration: 1, method: mass-projection, integrator: "
           "dopri5, verify: 'off'}\n",
           head);
  refused(text, clutch, "the option 'step' must say which");
}

int main(void) {
  RUN(four_bar);
  RUN(springs);
  RUN(from_rest);
  RUN(relaxed);
  RUN(rows);
  RUN(many);
  RUN(impacts);
  RUN(held);
  RUN(states);
  RUN(refusals);
  return test_end();
}
