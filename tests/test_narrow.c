// test_narrow.c: pulses, barriers and bumps of any width are met, and ranges bound their formulas.
#include "audit_rig.h"

#include "expr/expr.h"

// ---- ranges --------------------------------------------------------------------------------

static hn_node only_x(void *user, hn_graph *graph, const char *name, size_t length) {
  (void)user;
  if (length == 1 && (name[0] == 'x' || name[0] == 'y'))
    return hn_graph_input(graph, name[0] == 'x' ? 0 : 1);
  return -1;
}

// every value lies within the bounds, and the bounds close in on it
static void test_ranges_hold_all_values(void) {
  static const char *const formula[] = {"x+y",
                                        "x-y*x",
                                        "x/y",
                                        "x^2-2*x",
                                        "x^3",
                                        "x^-2",
                                        "abs(x)^1.5",
                                        "sin(x)*cos(y)",
                                        "tan(x/4)",
                                        "exp(-((x-1)/0.1)^2)",
                                        "atan2(x,y)",
                                        "asin(x/9)+acos(y/9)",
                                        "sinh(x)-cosh(y)",
                                        "tanh(10*x)",
                                        "log(x^2+1)",
                                        "log10(abs(y)+1)",
                                        "sqrt(x*x+y*y)",
                                        "hypot(x,y)",
                                        "min(x,y)*max(x,1)",
                                        "floor(x)+ceil(y)",
                                        "mod(x,0.7)",
                                        "step(x)-sign(y)",
                                        "if(x<y,x,y*y)",
                                        "x>1 && y<0 || !(x==y)",
                                        "smoothstep(x,-1,0,2,3)",
                                        "atan(x)*exp(-y)",
                                        "abs(x-y)",
                                        "x!=y",
                                        "(x+y)^2",
                                        "2^x"};
  enum { COUNT = sizeof formula / sizeof *formula };
  for (int f = 0; f < COUNT; f++) {
    hn_graph *g = hn_graph_create();
    hn_expr_error error;
    hn_node node = hn_graph_parse(g, formula[f], strlen(formula[f]), only_x, NULL, &error);
    if (!CHECK(node >= 0)) {
      printf("  %s: %s\n", formula[f], error.message);
      hn_graph_destroy(g);
      continue;
    }
    hn_program *p = hn_program_compile(g, &node, 1);
    double *r = calloc((size_t)hn_program_registers(p), sizeof *r);
    hn_bounds *rr = calloc((size_t)hn_program_registers(p), sizeof *rr);
    for (int k = 0; k < 200; k++) {
      double size = pow(10, test_random(-6, 1));
      hn_bounds in[2], out;
      for (int i = 0; i < 2; i++) {
        double at = test_random(-3, 3);
        in[i] = (hn_bounds){at, at + size * test_random(0, 1)};
      }
      (void)hn_program_bounds(p, in, rr, &out);
      for (int i = 0; i < 20; i++) {
        double x[2], y;
        for (int c = 0; c < 2; c++) x[c] = test_random(in[c].low, in[c].high);
        hn_program_run(p, x, r, &y);
        double room = 1e-12 * (1 + fabs(y));
        if (!CHECK(isnan(y) || (y >= out.low - room && y <= out.high + room)))
          printf("  %s at %.17g %.17g: %g not in %g %g\n", formula[f], x[0], x[1], y, out.low,
                 out.high);
      }
    }
    free(r), free(rr);
    hn_program_destroy(p);
    hn_graph_destroy(g);
  }
}

// ---- pulses in time ------------------------------------------------------------------------

static bool close_to(double a, double b, double scale) {
  return fabs(a - b) <= 2e-3 * scale;
}

// a mass at rest on a spring is hit: with a pulse of area A far shorter than the period the swing
// is A / (m w); the exact answer of any pulse is the integral of sin(w (t - s)) F(s) / (m w)
static double swing(const char *shape, double at, double width, double w, double t) {
  enum { N = 4000 };
  bool compact = shape[0] == 's' || shape[0] == 'r';
  // nothing acts before the start
  double sum = 0, reach = (compact ? 0.5 : 8) * width, from = fmax(at - reach, 0);
  double length = fmin(at + reach, t) - from;
  for (int i = 0; i <= N; i++) {
    double s = from + length * i / N, u = (s - at) / width, F = 0;
    if (shape[0] == 'g') F = exp(-u * u);
    if (shape[0] == 's') F = cos(acos(-1) * u);
    if (shape[0] == 'h') F = 1 / (cosh(4 * u) * cosh(4 * u));
    if (shape[0] == 'r') F = 1;
    if (shape[0] == 'd') F = u * exp(-u * u);
    sum += (i == 0 || i == N ? 1 : i % 2 ? 4 : 2) * F * sin(w * (t - s));
  }
  return sum * length / N / 3 / w;
}

static void pulse_formula(char *text, size_t size, const char *shape, double height, double at,
                          double width) {
  if (shape[0] == 'g')
    snprintf(text, size, "%.17g*exp(-((t-%.17g)/%.17g)^2)", height, at, width);
  else if (shape[0] == 's')
    snprintf(text, size, "if(t>%.17g&&t<%.17g,%.17g*cos(pi*(t-%.17g)/%.17g),0)", at - 0.5 * width,
             at + 0.5 * width, height, at, width);
  else if (shape[0] == 'h')
    snprintf(text, size, "%.17g*(1-tanh(4*(t-%.17g)/%.17g)^2)", height, at, width);
  else if (shape[0] == 'r')
    snprintf(text, size, "if(t>%.17g&&t<%.17g,%.17g,0)", at - 0.5 * width, at + 0.5 * width,
             height);
  else
    snprintf(text, size, "%.17g*(t-%.17g)/%.17g*exp(-((t-%.17g)/%.17g)^2)", height, at, width, at,
             width);
}

static void test_pulses_in_time(void) {
  static const char *const shapes[] = {"gauss", "sine", "hyperbolic", "rectangle", "double"};
  static const char *const methods[] = {"default", "auto", "default", "index1-bdf"};
  for (int k = 0; k < 80; k++) {
    unsigned long long seed = test_seed;
    const char *shape = shapes[k % 5], *method = methods[(k / 5) % 4];
    // steps of BDF see only what their own error test lets through of a pulse without impulse
    if (k % 5 == 4 && strcmp(method, "index1-bdf") == 0) method = "auto";
    double w = pow(10, test_random(-0.5, 1.5)), period = 2 * acos(-1) / w;
    double width = period * pow(10, test_random(-4, 0)), at = period * test_random(1, 3);
    double height = pow(10, test_random(-2, 4)), end = 4 * period + at;
    char pulse[256], text[900], rtol[32];
    pulse_formula(pulse, sizeof pulse, shape, height, at, width);
    snprintf(rtol, sizeof rtol, "%.3g", pow(10, test_random(-9, -5)));
    snprintf(text, sizeof text,
             "simulation: {duration: %.17g, verify: off}\n"
             "bodies:\n  m: {type: planar, mass: 1, inertia: 1}\n"
             "joints:\n  guide: {type: prismatic, b: m, axis: [0, 1, 0]}\n"
             "forces:\n"
             "  mount: {type: spring, joint: guide, stiffness: %.17g}\n"
             "  hit: {type: force, b: m, force: [0, \"%s\"]}\n",
             end, w * w, pulse);
    const char *const set[] = {"method", method, "rtol", rtol, NULL};
    judged j;
    bool ran = judged_run(&j, text, set);
    double exact = height * swing(shape, at, width, w, end), found = judged_last(&j, "m.y");
    // how far it swings, which the last instant may not show
    double most = hypot(exact, height * swing(shape, at, width, w, end - 0.25 * period));
    // where a jump lies is found to a part of the step that leads there
    double loose = (atof(rtol) > 2e-6 ? 3 : 1) * (shape[0] == 'r' ? 5 : 1);
    if (!CHECK(ran && close_to(found, exact, loose * most))) {
      printf("  seed %llu: %s by %s at %s, width %g of the period: %g, should be %g\n", seed, shape,
             method, rtol, width / period, found, exact);
      judged_print(&j);
    }
    judged_end(&j);
  }
}

// ---- barriers along the way ----------------------------------------------------------------

// a mass flies over or against a hill of potential h exp(-((x - c) / w)^2): behind it has its speed
// again, or it comes back with the opposite one
static void test_barriers(void) {
  static const char *const methods[] = {"default", "auto", "default"};
  for (int k = 0; k < 60; k++) {
    unsigned long long seed = test_seed;
    double width = pow(10, test_random(-4, 0)), speed = test_random(0.5, 2), at = test_random(3, 6);
    bool over = test_random(0, 1) < 0.5;
    double height = 0.5 * speed * speed * (over ? test_random(0.2, 0.8) : test_random(1.3, 4));
    char text[900];
    snprintf(text, sizeof text,
             "simulation: {duration: %.17g, verify: off}\n"
             "bodies:\n  b: {type: planar-point, mass: 1, velocity: [%.17g, 0]}\n"
             "forces:\n"
             "  f: {type: force, b: b, force: [\"%.17g*2*(b.x-%.17g)/%.17g*"
             "exp(-((b.x-%.17g)/%.17g)^2)\", 0]}\n",
             12 / speed, speed, height, at, width * width, at, width);
    const char *const set[] = {"method", methods[k % 3], NULL};
    judged j;
    bool ran = judged_run(&j, text, set);
    double found = judged_last(&j, "b.vx");
    if (!CHECK(ran && fabs(found - (over ? speed : -speed)) < 1e-3 * speed)) {
      printf("  seed %llu: width %g, %s: %g, should be %g\n", seed, width,
             over ? "over" : "against", found, over ? speed : -speed);
      judged_print(&j);
    }
    judged_end(&j);
  }
}

// a wheel on a spring rolls over a bump: it must be lifted
static void test_bumps(void) {
  for (int k = 0; k < 60; k++) {
    unsigned long long seed = test_seed;
    double speed = test_random(5, 30), width = pow(10, test_random(-2.5, 0)),
           at = test_random(20, 60);
    double height = test_random(0.005, 0.03);
    char text[900];
    // the tyre is soft against the bump's duration: the impulse is k times the area passed
    snprintf(text, sizeof text,
             "gravity: [0, -9.81]\n"
             "simulation: {duration: %.17g, verify: off}\n"
             "bodies:\n  w: {type: planar-point, mass: 400, position: [0, 0.3]}\n"
             "joints:\n  d: {type: coordinate, b: w, coordinate: x}\n"
             "forces:\n"
             "  tyre: {type: tyre, b: w, stiffness: 39240, damping: 0, radius: 0.4,"
             " road: \"%.17g*exp(-((x-%.17g)/%.17g)^2)\", shift: \"%.17g*t\"}\n",
             (at + 20) / speed, height, at, width, speed);
    judged j;
    bool ran = judged_run(&j, text, NULL);
    double w = sqrt(39240.0 / 400), end = (at + 20) / speed, sigma = width / speed;
    double exact = 39240.0 / 400 * height * swing("gauss", at / speed, sigma, w, end);
    double most = 39240.0 / 400 * height * sqrt(acos(-1)) * sigma / w;
    double found = judged_last(&j, "w.y") - 0.3;
    if (!CHECK(ran && fabs(found - exact) < 5e-3 * most + 1e-9)) {
      printf("  seed %llu: width %g at %g m/s: %g, should be %g of %g\n", seed, width, speed, found,
             exact, most);
      judged_print(&j);
    }
    judged_end(&j);
  }
}

// how large a force was where the run stood before a state was set does not hide a barrier: that is
// measured by the motion from there on
static void test_other_motion_before(void) {
  judged j;
  const double here[2] = {0, 0}, speed[2] = {1, 0}, there[2] = {-50, 0};
  // a hill of 0.65 J and width 0.01 m at x = 5, and 1e13 N far away
  static const char text[] =
      "simulation: {duration: 12}\n"
      "bodies:\n  b: {type: planar-point, mass: 1, velocity: [1, 0]}\n"
      "forces:\n"
      "  f: {type: force, b: b, force: [\"0.65*2*(b.x-5)/0.01^2*exp(-((b.x-5)/0.01)^2)"
      " + 1e13*exp(-((b.x+50)/3)^2)\", 0]}\n";
  if (!CHECK(judged_start(&j, text, NULL))) return;
  CHECK(hn_set_state(j.sim, 0, there, (double[2]){0, 0}) == HN_OK && hn_step(j.sim) == HN_OK);
  CHECK(hn_set_state(j.sim, 0, here, speed) == HN_OK && hn_advance(j.sim, 12) == HN_OK);
  CHECK_NEAR(hn_velocities(j.sim)[0], -1, 1e-4);
  judged_end(&j);
}

static void test_known_cases(void) {
  judged j;
  CHECK(judged_run(&j, "tests/findings/barrier.yaml", NULL));
  CHECK_NEAR(judged_last(&j, "b.x"), 0.136, 1e-3);
  CHECK_NEAR(judged_last(&j, "b.vx"), -1, 1e-6);
  if (!CHECK(j.summary.audit_pass)) judged_print(&j);
  judged_end(&j);
  CHECK(judged_run(&j, "tests/findings/short_impact.yaml", NULL));
  if (!CHECK(j.summary.audit_pass)) judged_print(&j);
  int at = hn_result_find(j.result, "frame.y");
  double most = 0;
  for (int i = 0; i < hn_result_rows(j.result); i++)
    most = fmax(most, hn_result_row(j.result, i)[at]);
  CHECK_NEAR(most, 16.4e-3, 1e-4);
  judged_end(&j);
  // fixed steps that miss it are told so
  const char *const coarse[] = {"method", "mass-projection", "step", "0.05", NULL};
  CHECK(judged_run(&j, "tests/findings/short_impact.yaml", coarse));
  CHECK(j.summary.verdict == HN_AUDIT_FAILED);
  judged_end(&j);
}

// trains of pulses that conditions on time make: one that a step happens to meet must not stand for
// the others. The speed of a mass, and a state, tell how long the pulses took in all
static void test_trains(void) {
  static const char *const methods[] = {"default", "explicit", "index2-alpha", "mass-projection"};
  double end = 1;
  for (int k = 0; k < 48; k++) {
    double period = test_random(0.03, 0.3), width = period * pow(10, test_random(-2.5, -0.5)),
           shift = test_random(0, period), right = 0;
    char text[700], pulse[160];
    if (k % 3 == 0) {  // a decision inside another
      snprintf(pulse, sizeof pulse, "if(abs(mod(t + %.17g, %.17g) - %.17g) < %.17g, 10, 0)", shift,
               period, period / 2, width / 2);
      for (double at = -shift + (period - width) / 2; at < end; at += period)
        right += 10 * fmax(0, fmin(at + width, end) - fmax(at, 0));
    } else if (k % 3 == 1) {
      snprintf(pulse, sizeof pulse, "if(mod(t + %.17g, %.17g) < %.17g, 10, 0)", shift, period,
               width);
      for (double at = -shift; at < end; at += period)
        right += 10 * fmax(0, fmin(at + width, end) - fmax(at, 0));
    } else {
      double w = 2 * acos(-1) / period;
      snprintf(pulse, sizeof pulse, "10*(cos(%.17g*(t - %.17g)) > %.17g)", w, shift,
               cos(0.5 * w * width));
      for (double at = shift - 2 * period; at < end + period; at += period)
        right += 10 * fmax(0, fmin(at + width / 2, end) - fmax(at - width / 2, 0));
    }
    snprintf(text, sizeof text,
             "bodies:\n  cart: {type: planar, mass: 1, inertia: 1}\n"
             "joints:\n  rail: {type: prismatic, b: cart, axis: [1, 0]}\n"
             "forces:\n  push: {type: force, b: cart, force: ['%s', 0]}\n"
             "states:\n  sum: {rate: '%s'}\n"
             "simulation: {duration: 1, output_step: 0.25, method: %s%s}\n",
             pulse, pulse, methods[k % 4], k % 4 == 3 ? ", step: 0.02" : "");
    judged j;
    bool ran = judged_run(&j, text, NULL);
    double speed = ran ? judged_last(&j, "cart.vx") : NAN, sum = ran ? judged_last(&j, "sum") : NAN;
    bool good = fabs(speed - right) < 1e-6 && fabs(sum - right) < 1e-6;
    // fixed steps meet the pulses as they come, or their audit fails
    if (k % 4 == 3) good = good || !j.summary.audit_pass;
    if (!CHECK(good))
      printf("  %s by %s: %.9g and %.9g, right is %.9g (%s)\n", pulse, methods[k % 4], speed, sum,
             right, j.message);
    judged_end(&j);
  }
}

// length of the stripes [k period - shift, k period - shift + width] between 0 and x >= 0
static double striped(double x, double shift, double period, double width) {
  double sum = 0;
  for (double at = -shift; at < x; at += period) sum += fmax(0, fmin(at + width, x) - fmax(at, 0));
  return sum;
}

// stripes of the way that push, crossed at any speed: one that a step happens to meet must not
// stand for the others. The energy at every place tells how much of the way was striped
static void test_stripes(void) {
  static const char *const methods[] = {"default", "explicit", "index2-alpha", "mass-projection",
                                        "index3-bdf"};
  enum { METHODS = sizeof methods / sizeof *methods };
  for (int k = 0; k < 90; k++) {
    unsigned long long seed = test_seed;
    double period = pow(10, test_random(-1.7, -0.3)),
           width = period * pow(10, test_random(-1.5, -0.3)), shift = test_random(0, period),
           push = test_random(0.2, 2), v0 = test_random(1, 5);
    const char *method = methods[k % METHODS];
    bool given = strcmp(method, "mass-projection") == 0;
    char text[900], pulse[240];
    if (k % 3 == 0)
      snprintf(pulse, sizeof pulse, "%.17g*(cos(2*pi*(value + %.17g)/%.17g) > %.17g)", push,
               shift - width / 2, period, cos(acos(-1) * width / period));
    else if (k % 3 == 1)
      snprintf(pulse, sizeof pulse, "if(mod(value + %.17g, %.17g) < %.17g, %.17g, 0)", shift,
               period, width, push);
    else
      snprintf(pulse, sizeof pulse,
               "if((value + %.17g)/%.17g - floor((value + %.17g)/%.17g) < %.17g, %.17g, 0)", shift,
               period, shift, period, width / period, push);
    bool slides = test_random(0, 1) < 0.5;
    snprintf(text, sizeof text,
             "bodies:\n  cart: {type: planar, mass: 1, inertia: 1}\n"
             "joints:\n  way: {type: %s, b: cart%s}\n"
             "start:\n  way.%s: {value: 0, rate: %.17g}\n"
             "forces:\n  push: {type: motor, joint: way, law: '%s'}\n"
             "simulation: {duration: 1, output_step: 0.1, method: %s%s}\n",
             slides ? "prismatic" : "revolute", slides ? ", axis: [1, 0]" : "",
             slides ? "translation" : "angle", v0, pulse, method, given ? ", step: 0.01" : "");
    judged j;
    bool ran = judged_run(&j, text, NULL);
    double x = ran ? judged_last(&j, slides ? "way.translation" : "way.angle") : NAN,
           v = ran ? judged_last(&j, slides ? "way.translation_rate" : "way.angle_rate") : NAN,
           right = sqrt(v0 * v0 + 2 * push * striped(x, shift, period, width));
    // fixed steps meet the stripes as they come, and BDF takes no step back: their audit may fail
    bool good = fabs(v - right) < 1e-5 * v0, may_fail = k % METHODS >= 3;
    good = good ? j.summary.audit_pass || may_fail : may_fail && !j.summary.audit_pass;
    if (!CHECK(ran && good))
      printf("  seed %llu: %s by %s at %.9g: speed %.9g, right is %.9g (audit %s; %s)\n", seed,
             pulse, method, x, v, right, j.summary.audit_pass ? "passed" : "failed", j.message);
    judged_end(&j);
  }
}

// terms that cancel at the start of a gentle motion hide nothing: they do not keep steps short
static void test_gentle(void) {
  judged j;
  if (CHECK(judged_run(
          &j,
          "bodies: {bar: {type: planar, mass: 1, inertia: 0.1, com: [1, 0]}}\n"
          "joints:\n  hub: {type: revolute, b: bar, at: [0, 0]}\n"
          "  drive: {type: driver, joint_a: hub, motion: \"0.4*(t^2/2 + (7.5/pi)^2*(cos(2*pi*t/15)"
          " - 1))\"}\n"
          "simulation: {duration: 1, coordinates: reference, verify: off}\n",
          NULL))) {
    CHECK(j.summary.steps < 5000);
    CHECK_NEAR(judged_last(&j, "hub.angle"),
               0.4 * (0.5 + pow(7.5 / acos(-1), 2) * (cos(2 * acos(-1) / 15) - 1)), 1e-12);
  }
  judged_end(&j);
}

// What rests does not move by what pulls at it, and steps become long; it starts where the pull
// overcomes the weight or the friction, every period anew, and comes back before the next one
static void test_pulled_at_rest(void) {
  static const char *const held[] = {"  hold: {type: stop, b: box, axis: [0, 1]}\nforces:\n",
                                     "  hold: {type: prismatic, b: box, axis: [0, 1, 0]}\n"
                                     "forces:\n  rub: {type: friction, joint: hold, law: coulomb, "
                                     "coulomb: 1, press: 10}\n"};
  static const char *const pull[] = {"12*sin(2*pi*t)", "box.vx + 12*sin(2*pi*t)"};
  static const double after[] = {0.4, 2.4, 16.4, 64.4, 61.4};
  double w = 2 * acos(-1), t0 = asin(10.0 / 12) / w, d = 0.4 - t0;
  double right = 12 / w * (cos(w * t0) * d - (sin(0.4 * w) - sin(w * t0)) / w) - 5 * d * d;
  for (int k = 0; k < 20; k++) {
    char text[800];
    int kind = k % 2, law = k / 2 % 2;
    snprintf(text, sizeof text,
             "gravity: [0, %d]\nbodies: {box: {type: planar, mass: 1, inertia: 1}}\n"
             "joints:\n  upright: {type: coordinate, b: box, coordinate: angle}\n%s"
             "  pull: {type: force, b: box, force: [0, \"%s\"]}\n"
             "simulation: {duration: %g}\n",
             kind ? 0 : -10, held[kind], pull[law], after[k / 4]);
    judged j;
    bool ran = judged_run(&j, text, NULL);
    if (!CHECK(ran && j.summary.audit_pass && fabs(judged_last(&j, "box.y") - right) < 1e-6))
      printf("  %s, pulled by %s, at %g: %.9g, right is %.9g (%s)\n", kind ? "friction" : "stop",
             pull[law], after[k / 4], ran ? judged_last(&j, "box.y") : NAN, right, j.message);
    judged_end(&j);
  }
}

int main(void) {
  RUN(test_gentle);
  RUN(test_pulled_at_rest);
  RUN(test_ranges_hold_all_values);
  RUN(test_pulses_in_time);
  RUN(test_trains);
  RUN(test_stripes);
  RUN(test_barriers);
  RUN(test_bumps);
  RUN(test_other_motion_before);
  RUN(test_known_cases);
  return test_end();
}
