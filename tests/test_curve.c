// test_curve.c: curves through points as surfaces, and cams.
//
//   distance      from a spline through points of a circle; against the nearest of many samples
//   splines       through uneven points, where scipy has them; through very many
//   derivatives   first and second ones against differences, random curves
//   open curves   go on straight beyond their ends
//   cams          the follower lifts off and falls back where scipy says (references/cam.py)
//   refusals      in words
#include "contact_rig.h"

#include "base/base.h"
#include "system/curve.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;
enum { MOST = 200 };

static double *fitted(const double *point, int count, bool closed) {
  double *data = malloc((size_t)hn_curve_size(count, closed) * sizeof *data);
  if (!data || !CHECK(!hn_curve_fit(point, count, closed, data))) exit(1);
  return data;
}

static double value_at(const double *data, double x, double y) {
  hn_surface_at s;
  hn_surface_curve.eval(data, (double[3]){x, y, 0}, 0, &s);
  return s.value;
}

static void circle(void) {
  double error[2];
  for (int k = 0; k < 2; k++) {
    int n = k ? 32 : 16;
    double point[2 * MOST];
    // against the clock, and with it: outside is outside
    for (int i = 0; i < n; i++) {
      double a = (k ? -2 : 2) * pi * i / n;
      point[2 * i] = cos(a), point[2 * i + 1] = sin(a);
    }
    double *data = fitted(point, n, true);
    error[k] = 0;
    for (int i = 0; i < 200; i++) {
      double a = test_random(-3, 3), r = test_random(0.5, 2);
      error[k] = fmax(error[k], fabs(value_at(data, r * cos(a), r * sin(a)) - (r - 1)));
    }
    free(data);
  }
  printf("  16 points %.1e, 32 points %.1e\n", error[0], error[1]);
  CHECK(error[0] < 2e-4 && error[1] < error[0] / 12);  // of fourth order
}

// points in the middle of the segments, closed and open, where scipy has them
// (references/spline.py)
static void splines(void) {
  static const double point[] = {1, 0, 0.7, 0.9, -0.2, 1.1, -1.3, 0.2, -0.6, -0.8, 0.9, -0.5};
  static const double middle[][2] = {
      {0.93198146157504658, 0.49939576451512974},  {0.29859757585853841, 1.0972124362624125},
      {-0.93019722212253986, 0.78049074655847772}, {-1.1267571329999211, -0.36796328325441607},
      {0.26491960059807612, -0.9018409720973718},  {0.97923706171034053, -0.2647928079164098},
      {0.90970827557339817, 0.50466800431427183},  {0.30572647528811281, 1.0951046500069976},
      {-0.9410860593607423, 0.78617465939741604},  {-1.1001192456205113, -0.38427662389334166},
      {0.13376956877446317, -0.82042007936464145}};
  for (int k = 0; k < 2; k++) {
    double *data = fitted(point, 6, k == 0);
    for (int i = k ? 6 : 0; i < (k ? 11 : 6); i++)
      CHECK_NEAR(value_at(data, middle[i][0], middle[i][1]), 0, 1e-14);
    free(data);
  }
}

// a road of as many points as a scanner gives: as quick as it is long, in memory of its own size
static void many_points(void) {
  enum { COUNT = 200000 };
  double *point = malloc(2 * COUNT * sizeof *point);
  if (!CHECK(point != NULL)) return;
  for (int closed = 0; closed < 2; closed++) {
    double whole = closed ? 2 * pi : pi;
    for (int i = 0; i < COUNT; i++) {
      double a = whole * i / (closed ? COUNT : COUNT - 1);
      point[2 * i] = cos(a), point[2 * i + 1] = sin(a);
    }
    double *data = fitted(point, COUNT, closed);
    // to the left of a half circle that goes against the clock is its inside
    for (int i = 0; i < 5; i++) {
      double a = 0.1 + 0.55 * i, r = 0.8 + 0.1 * i;
      CHECK_NEAR(value_at(data, r * cos(a), r * sin(a)), closed ? r - 1 : 1 - r, 1e-11);
    }
    free(data);
  }
  free(point);
}

// a closed curve without corners
static double *random_curve(int n, double *point) {
  double a = test_random(0.05, 0.2), b = test_random(0.02, 0.06), shift = test_random(0, 6);
  for (int i = 0; i < n; i++) {
    double t = 2 * pi * i / n, r = 1 + a * cos(2 * t + shift) + b * sin(3 * t);
    point[2 * i] = 0.3 + r * cos(t), point[2 * i + 1] = -0.2 + r * sin(t);
  }
  return fitted(point, n, true);
}

static void derivatives(void) {
  double point[2 * MOST], worst[2] = {0, 0};
  for (int trial = 0; trial < 20; trial++) {
    double *data = random_curve(24, point);
    for (int state = 0; state < 20; state++) {
      const double h = 1e-5;
      double t = test_random(0, 6.2), r = test_random(0.75, 2);
      double p[3] = {0.3 + r * cos(t), -0.2 + r * sin(t), 0.4};
      hn_surface_at s, side[2];
      hn_surface_curve.eval(data, p, 2, &s);
      for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 2; i++) {
          double q[3] = {p[0], p[1], p[2]};
          q[k] += i ? h : -h;
          hn_surface_curve.eval(data, q, 1, &side[i]);
        }
        worst[0] = fmax(worst[0], fabs((side[1].value - side[0].value) / (2 * h) - s.gradient[k]));
        for (int j = 0; j < 3; j++)
          worst[1] = fmax(worst[1], fabs((side[1].gradient[j] - side[0].gradient[j]) / (2 * h) -
                                         s.hessian[3 * j + k]));
      }
    }
    free(data);
  }
  printf("  gradient %.1e, second derivatives %.1e\n", worst[0], worst[1]);
  CHECK(worst[0] < 1e-8 && worst[1] < 1e-3);  // third derivatives jump at the points
}

// nearest of many points of the same spline, found by walking along it: those at distance zero
static void nearest(void) {
  double point[2 * MOST], worst = 0;
  enum { FINE = 4000 };
  static double x[FINE], y[FINE];
  for (int trial = 0; trial < 3; trial++) {
    double *data = random_curve(24, point);
    // from the middle outwards until the value changes its sign: a point of the curve
    for (int i = 0; i < FINE; i++) {
      double a = 2 * pi * i / FINE, low = 0.5, high = 1.6;
      for (int k = 0; k < 45; k++) {
        double r = 0.5 * (low + high);
        *(value_at(data, 0.3 + r * cos(a), -0.2 + r * sin(a)) < 0 ? &low : &high) = r;
      }
      x[i] = 0.3 + low * cos(a), y[i] = -0.2 + low * sin(a);
    }
    for (int state = 0; state < 50; state++) {
      double px = test_random(-2, 2), py = test_random(-2, 2), least = INFINITY;
      for (int i = 0; i < FINE; i++) least = fmin(least, hypot(px - x[i], py - y[i]));
      worst = fmax(worst, fabs(fabs(value_at(data, px, py)) - least));
    }
    free(data);
  }
  printf("  against samples %.1e\n", worst);
  CHECK(worst < 2e-5);
}

static void open_ends(void) {
  const double road[] = {0, 0, 1, 0.2, 2, -0.1, 3, 0.3};
  double *data = fitted(road, 4, false);
  hn_surface_at s, end;
  CHECK(value_at(data, 1, 0.7) > 0 && value_at(data, 1, -0.3) < 0);
  for (int i = 0; i < 4; i++) CHECK_NEAR(value_at(data, road[2 * i], road[2 * i + 1]), 0, 1e-14);
  hn_surface_curve.eval(data, (double[3]){3, 0.3, 0}, 1, &end);
  hn_surface_curve.eval(data, (double[3]){5, 1.5, 0}, 2, &s);
  CHECK_NEAR(s.value, 2 * end.gradient[0] + 1.2 * end.gradient[1], 1e-13);
  CHECK_NEAR(s.gradient[0], end.gradient[0], 1e-14);
  CHECK(s.hessian[0] == 0 && s.hessian[4] == 0);
  free(data);
}

// ---- cams ----------------------------------------------------------------------------------

static void cam(const char *surface, double y, double v, const double expected[4], double time,
                double speed) {
  char text[9000];
  snprintf(
      text, sizeof text,
      "gravity: [0, -9.81]\n"
      "bodies:\n  cam: {type: planar, mass: 1, inertia: 1e-3}\n"
      "  follower: {type: planar-point, mass: 0.5, position: [0, %.15g], velocity: [0, %.15g]}\n"
      "joints:\n  O: {type: revolute, b: cam, at: [0, 0]}\n"
      "  drive: {type: driver, joint_a: O, motion: 80*t}\n"
      "  guide: {type: point-on-line, b: follower, at: [0, 0], axis: [0, 1, 0]}\n"
      "  touch: {type: contact, a: cam, b: follower, at_b: [0, %.15g], radius: 0.01, %s}\n"
      "forces:\n  spring: {type: spring, joint: guide, stiffness: 400, free: %.15g}\n",
      y, v, y, surface, -y);
  rig r = rig_open(text, (how){NULL, "reference", 0, 1e-10, NULL});
  hn_impact hit = {0};
  if (rig_ready(&r) && rig_go(&r, 0.5 * (expected[0] + expected[1]))) {
    int before = hn_sim_impact_count(r.sim);
    CHECK_NEAR(rig_value(&r, "guide", NULL) + y, expected[3], 10 * time);
    CHECK(rig_go(&r, expected[1] + 1e-3));
    CHECK(hn_sim_impact(r.sim, before, &hit));
    printf("  falls back at %.9f s, %.9f m/s: off by %.1e s, %.1e m/s\n", hit.time, hit.before,
           hit.time - expected[1], hit.before - expected[2]);
    CHECK_NEAR(hit.time, expected[1], time);
    CHECK_NEAR(hit.before, expected[2], speed);
    CHECK(rig_imbalance(&r) < 1e-6);
  }
  rig_close(&r);
}

static void cams(void) {
  static const double eccentric[4] = {0.010032867163, 0.052283032972, -1.166598364, 0.061358468044};
  static const double limacon[4] = {0.050655103232, 0.084290034199, -0.485959300, 0.062594291599};
  char points[8000] = "surface: curve, closed: true, points: [";
  cam("at: [0.012, 0], surface: cylinder, radius_a: 0.04", sqrt(0.05 * 0.05 - 0.012 * 0.012),
      0.012 * 80, eccentric, 1e-9, 1e-7);
  size_t n = strlen(points);
  for (int i = 0; i < 96; i++) {
    double u = 2 * pi * i / 96, r = 0.03 + 0.012 * (1 - cos(u));
    n += (size_t)snprintf(points + n, sizeof points - n, "%s[%.12f, %.12f]", i ? ", " : "",
                          r * cos(u), r * sin(u));
  }
  snprintf(points + n, sizeof points - n, "]");
  // from a micrometre above, as the spline is not quite the curve
  cam(points, 0.052317616684 + 1e-6, -0.946216607334, limacon, 5e-6, 2e-4);
}

// ---- refusals ------------------------------------------------------------------------------

static void refused(const char *keys, const char *words) {
  char text[600];
  snprintf(text, sizeof text,
           "bodies:\n  ball: {type: planar-point, mass: 1, position: [0, 3]}\n"
           "joints:\n  it: {type: contact, b: ball, at: [0, 0], at_b: [0, 3], surface: curve%s}\n",
           keys);
  rig r = rig_open(text, (how){NULL, "reference", 0, 0, NULL});
  if (!CHECK(r.status != HN_OK && strstr(r.message, words)))
    printf("  '%s' instead of '%s'\n", r.message, words);
  rig_close(&r);
}

static void refusals(void) {
  refused("", "needs points");
  refused(", points: [[0, 0]]", "two at least");
  refused(", closed: true, points: [[0, 0], [1, 0], [1, 1]]", "of a closed curve four");
  refused(", points: [[0, 0], [1, 0], [1, 0]]", "are the same");
  refused(", points: [[0, 5], [1, 5]]", "behind the stop");
}

int main(void) {
  RUN(circle);
  RUN(splines);
  RUN(many_points);
  RUN(derivatives);
  RUN(nearest);
  RUN(open_ends);
  RUN(cams);
  RUN(refusals);
  return test_end();
}
