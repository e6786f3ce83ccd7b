// test_modes.c: linearisation and modes against closed forms.
#include "analysis/manifold.h"
#include "analysis_rig.h"

static const double pi = 3.14159265358979323846;

// statics, then modes
static hn_modes *modes_at_rest(rig *r, hn_stability expected) {
  hn_equilibrium info;
  hn_linear *linear = NULL;
  hn_modes *modes = NULL;
  if (!CHECK(!hn_statics(r->sim, HN_REST, &info, NULL))) printf("%s\n", hn_sim_error(r->sim));
  CHECK(info.stability == expected);
  if (!CHECK(!hn_linearise(r->sim, &linear))) return NULL;
  CHECK(linear->equilibrium);
  CHECK(!hn_modes_create(&modes, linear));
  hn_linear_destroy(linear);
  return modes;
}

static void compound_pendulum(void) {
  rig r;
  if (!rig_open(&r, pendulum_model)) return;
  double m = 1.3, I = 0.21, l = 0.7, omega = sqrt(m * 9.81 * l / (I + m * l * l));
  hn_modes *modes = modes_at_rest(&r, HN_STABLE);
  if (modes && CHECK(modes->count == 1)) {
    CHECK_REL(modes->mode[0].im, omega, 0, 1e-12);
    CHECK_REL(modes->mode[0].frequency, omega / (2 * pi), 0, 1e-12);
    CHECK(modes->mode[0].re == 0 && modes->mode[0].damping == 0);
  }
  hn_modes_destroy(modes);
  rig_close(&r);
}

// the same in space about a skew axis: the component of gravity across the axis counts
static void tilted_pendulum(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  bar: {mass: 2, inertia: [0.3, 0.2, 0.1], position: [0.5, 0.1, 0]}\n"
      "joints: {hinge: {type: revolute, a: ground, b: bar, at: [0, 0, 0], axis: [1, 2, 2]}}\n";
  rig r;
  if (!rig_open(&r, text)) return;
  double n[3] = {1.0 / 3, 2.0 / 3, 2.0 / 3}, c[3] = {0.5, 0.1, 0}, I[3] = {0.3, 0.2, 0.1};
  double along = v3_dot(c, n), inertia = 0, arm = sqrt(v3_dot(c, c) - along * along);
  for (int i = 0; i < 3; i++) inertia += I[i] * n[i] * n[i];
  double across = 9.81 * sqrt(1 - n[2] * n[2]);
  double omega = sqrt(2 * across * arm / (inertia + 2 * arm * arm));
  hn_modes *modes = modes_at_rest(&r, HN_STABLE);
  if (modes && CHECK(modes->count == 1)) CHECK_REL(modes->mode[0].im, omega, 0, 1e-11);
  hn_modes_destroy(modes);
  rig_close(&r);
}

static void inverted_pendulum(void) {
  rig r;
  if (!rig_open(&r, pendulum_upright)) return;
  double m = 1.3, I = 0.21, l = 0.7, omega = sqrt(m * 9.81 * l / (I + m * l * l));
  hn_modes *modes = modes_at_rest(&r, HN_UNSTABLE);
  if (modes && CHECK(modes->count == 2)) {
    CHECK_REL(modes->mode[0].re, omega, 0, 1e-12);
    CHECK_REL(modes->mode[1].re, -omega, 0, 1e-12);
    CHECK(modes->mode[0].damping == -1 && modes->mode[1].damping == 1);
  }
  hn_modes_destroy(modes);
  rig_close(&r);
}

// two bars, hung one on the other; closed form of the 2 x 2 problem
static const char double_pendulum[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  up: {type: planar, mass: 1.1, inertia: 0.05, position: [0.3, -0.1], angle: -1.2,"
    " frames: {top: [-0.4, 0], end: [0.6, 0]}}\n"
    "  low: {type: planar, mass: 0.7, inertia: 0.03, position: [0.8, -0.5], angle: -1.0,"
    " frames: {top: [-0.25, 0]}}\n"
    "joints:\n"
    "  A: {type: revolute, a: ground, b: up.top}\n"
    "  B: {type: revolute, a: up.end, b: low.top}\n";

static void double_pendulum_modes(void) {
  rig r;
  if (!rig_open(&r, double_pendulum)) return;
  double m1 = 1.1, m2 = 0.7, c1 = 0.4, L = 1.0, c2 = 0.25, g = 9.81;
  double M11 = 0.05 + m1 * c1 * c1 + m2 * L * L, M12 = m2 * L * c2, M22 = 0.03 + m2 * c2 * c2;
  double K1 = (m1 * c1 + m2 * L) * g, K2 = m2 * c2 * g;
  // det(K - x M) = 0
  double a = M11 * M22 - M12 * M12, b = -(K1 * M22 + K2 * M11), c = K1 * K2;
  double root = sqrt(b * b - 4 * a * c), low = 2 * c / (-b + root), high = (-b + root) / (2 * a);
  hn_modes *modes = modes_at_rest(&r, HN_STABLE);
  if (modes && CHECK(modes->count == 2)) {
    CHECK_REL(modes->mode[0].im, sqrt(low), 0, 1e-11);
    CHECK_REL(modes->mode[1].im, sqrt(high), 0, 1e-11);
    // shapes: ratio of the angles from the first row of (K - x M) phi = 0
    hn_result *table = NULL;
    CHECK(!hn_modes_table(r.sim, modes, &table));
    double x[2] = {low, high};
    for (int i = 0; i < 2; i++) {
      double ratio = -(K1 - x[i] * M11) / (-x[i] * M12);
      CHECK_REL(rig_value(table, i, "low.angle") / rig_value(table, i, "up.angle"), ratio, 0, 1e-9);
      CHECK_REL(rig_value(table, i, "B.angle"),
                rig_value(table, i, "low.angle") - rig_value(table, i, "up.angle"), 1, 1e-12);
      CHECK(rig_value(table, i, "mode") == i + 1);
      CHECK_REL(rig_value(table, i, "im"), sqrt(x[i]), 0, 1e-11);
    }
    hn_result_destroy(table);
  }
  hn_modes_destroy(modes);
  rig_close(&r);
}

// mass on a damped spring: s = (-c +- sqrt(c^2 - 4 m k)) / 2 m, under and over critical
static void damped_spring(void) {
  for (int heavy = 0; heavy < 2; heavy++) {
    double m = 2, k = 50, c = heavy ? 45 : 3;
    char text[512];
    snprintf(text, sizeof text,
             "gravity: [0, -9.81]\n"
             "bodies: {block: {type: planar, mass: %g, inertia: 1, position: [0, -1]}}\n"
             "joints: {rail: {type: prismatic, a: ground, b: block, axis: [0, 1, 0]}}\n"
             "forces: {spring: {type: spring, a: ground, b: block, stiffness: %g, damping: %g,"
             " free: 0.8}}\n",
             m, k, c);
    rig r;
    if (!rig_open(&r, text)) return;
    hn_modes *modes = modes_at_rest(&r, HN_STABLE);
    hn_pose pose;
    CHECK(!hn_body_pose(r.sim, (hn_body){1}, &pose));
    CHECK_NEAR(pose.position[1], -0.8 - m * 9.81 / k, 1e-12);
    double d = c * c - 4 * m * k;
    if (modes && CHECK(modes->count == (heavy ? 2 : 1))) {
      if (heavy) {
        CHECK_REL(modes->mode[0].re, (-c + sqrt(d)) / (2 * m), 0, 1e-11);
        CHECK_REL(modes->mode[1].re, (-c - sqrt(d)) / (2 * m), 0, 1e-11);
      } else {
        CHECK_REL(modes->mode[0].re, -c / (2 * m), 0, 1e-12);
        CHECK_REL(modes->mode[0].im, sqrt(-d) / (2 * m), 0, 1e-12);
        CHECK_REL(modes->mode[0].damping, c / (2 * sqrt(m * k)), 0, 1e-12);
        CHECK_REL(modes->mode[0].natural, sqrt(k / m) / (2 * pi), 0, 1e-12);
      }
    }
    hn_modes_destroy(modes);
    rig_close(&r);
  }
}

// two blocks, only one of them damped: complex modes solve det(s^2 M + s C + K) = 0 and
// (s^2 M + s C + K) phi = 0
static void complex_modes(void) {
  static const char text[] = "bodies:\n"
                             "  one: {type: planar, mass: 2, inertia: 1, position: [1, 0]}\n"
                             "  two: {type: planar, mass: 3, inertia: 1, position: [2, 0]}\n"
                             "joints:\n"
                             "  r1: {type: prismatic, a: ground, b: one, axis: [1, 0, 0]}\n"
                             "  r2: {type: prismatic, a: ground, b: two, axis: [1, 0, 0]}\n"
                             "forces:\n"
                             "  s1: {type: spring, a: ground, b: one, stiffness: 100, damping: 4}\n"
                             "  s2: {type: spring, a: one, b: two, stiffness: 60}\n";
  rig r;
  if (!rig_open(&r, text)) return;
  hn_modes *modes = modes_at_rest(&r, HN_STABLE);
  hn_result *table = NULL;
  if (modes && CHECK(modes->count == 2) && CHECK(!hn_modes_table(r.sim, modes, &table)))
    for (int i = 0; i < 2; i++) {
      double a = modes->mode[i].re, b = modes->mode[i].im, x = a * a - b * b, y = 2 * a * b;
      double p[2] = {rig_value(table, i, "one.x"), rig_value(table, i, "one.x_im")};
      double q[2] = {rig_value(table, i, "two.x"), rig_value(table, i, "two.x_im")};
      // row of `two`: (3 s^2 + 60) q = 60 p
      double u = 3 * x + 60, v = 3 * y;
      CHECK_NEAR(u * q[0] - v * q[1], 60 * p[0], 1e-10);
      CHECK_NEAR(u * q[1] + v * q[0], 60 * p[1], 1e-10);
      // row of `one`: (2 s^2 + 4 s + 160) p = 60 q
      u = 2 * x + 4 * a + 160, v = 2 * y + 4 * b;
      CHECK_NEAR(u * p[0] - v * p[1], 60 * q[0], 1e-10);
      CHECK_NEAR(u * p[1] + v * p[0], 60 * q[1], 1e-10);
      CHECK_NEAR(fmax(hypot(p[0], p[1]), hypot(q[0], q[1])), 1, 1e-12);
    }
  hn_result_destroy(table);
  hn_modes_destroy(modes);
  rig_close(&r);
}

// ---- spring-mounted four-bar: one equation of motion, differentiated numerically --------------

// crank 1, coupler 2.2, rocker 1.8, base 2; uniform bars of 1, 2, 1.5 kg; springs hold the crank's
// end to (0.4, 2) and the rocker's to (3, 1.2)
static const char mounted_four_bar[] =
    "gravity: [0, -9.81]\n"
    "ground: {frames: {A: [0, 0], D: [2, 0], P: [0.4, 2], Q: [3, 1.2]}}\n"
    "bodies:\n"
    "  crank: {type: planar, mass: 1, inertia: 1/12, position: [0.25, 0.43], angle: 60 deg,"
    " frames: {A: [-0.5, 0], B: [0.5, 0]}}\n"
    "  coupler: {type: planar, mass: 2, inertia: 2*2.2^2/12, position: [1.45, 1.3], angle: 0.4,"
    " frames: {B: [-1.1, 0], C: [1.1, 0]}}\n"
    "  rocker: {type: planar, mass: 1.5, inertia: 1.5*1.8^2/12, position: [2.2, 0.85], angle: 1.3,"
    " frames: {D: [-0.9, 0], C: [0.9, 0]}}\n"
    "joints:\n"
    "  A: {type: revolute, a: ground.A, b: crank.A}\n"
    "  B: {type: revolute, a: crank.B, b: coupler.B}\n"
    "  C: {type: revolute, a: coupler.C, b: rocker.C}\n"
    "  D: {type: revolute, a: ground.D, b: rocker.D}\n"
    "forces:\n"
    "  s1: {type: spring, a: ground.P, b: crank.B, stiffness: 80, free: 0.5}\n"
    "  s2: {type: spring, a: ground.Q, b: rocker.C, stiffness: 120, free: 0.4}\n";

typedef long double real;

typedef struct config {
  real x[3], y[3], a[3];
} config;

static config four_bar_at(real theta) {
  config c;
  real bx = cosl(theta), by = sinl(theta), dx = 2 - bx, dy = -by, d = hypotl(dx, dy);
  real along = (d * d + 2.2L * 2.2L - 1.8L * 1.8L) / (2 * d);
  real above = sqrtl(2.2L * 2.2L - along * along);
  real cx = bx + along * dx / d - above * dy / d, cy = by + along * dy / d + above * dx / d;
  c.x[0] = bx / 2, c.y[0] = by / 2, c.a[0] = theta;
  c.x[1] = (bx + cx) / 2, c.y[1] = (by + cy) / 2, c.a[1] = atan2l(cy - by, cx - bx);
  c.x[2] = (2 + cx) / 2, c.y[2] = cy / 2, c.a[2] = atan2l(cy, cx - 2);
  return c;
}

static real four_bar_potential(real theta) {
  config c = four_bar_at(theta);
  real g = 9.81L, V = g * (c.y[0] + 2 * c.y[1] + 1.5L * c.y[2]);
  real bx = cosl(theta), by = sinl(theta), cx = 2 * c.x[2] - 2, cy = 2 * c.y[2];
  real s1 = hypotl(bx - 0.4L, by - 2) - 0.5L, s2 = hypotl(cx - 3, cy - 1.2L) - 0.4L;
  return V + 40 * s1 * s1 + 60 * s2 * s2;
}

// first and second derivative by central differences, extrapolated twice
static real derivative(real (*f)(real), real x, int order) {
  real d[3];
  for (int i = 0; i < 3; i++) {
    real h = 1e-3L / (real)(1 << i);
    d[i] =
        order == 1 ? (f(x + h) - f(x - h)) / (2 * h) : (f(x + h) - 2 * f(x) + f(x - h)) / (h * h);
  }
  real a = (4 * d[1] - d[0]) / 3, b = (4 * d[2] - d[1]) / 3;
  return (16 * b - a) / 15;
}

static real four_bar_inertia(real theta) {
  static const real m[3] = {1, 2, 1.5L}, l[3] = {1, 2.2L, 1.8L};
  real J = 0, h = 1e-3L;
  for (int b = 0; b < 3; b++) {
    real rate[3];
    for (int k = 0; k < 3; k++) {
      real d[3];
      for (int i = 0; i < 3; i++) {
        real s = h / (real)(1 << i);
        config u = four_bar_at(theta + s), v = four_bar_at(theta - s);
        real up = k == 0 ? u.x[b] : k == 1 ? u.y[b] : u.a[b];
        real low = k == 0 ? v.x[b] : k == 1 ? v.y[b] : v.a[b];
        d[i] = (up - low) / (2 * s);
      }
      real p = (4 * d[1] - d[0]) / 3, q = (4 * d[2] - d[1]) / 3;
      rate[k] = (16 * q - p) / 15;
    }
    J += m[b] * (rate[0] * rate[0] + rate[1] * rate[1] + l[b] * l[b] / 12 * rate[2] * rate[2]);
  }
  return J;
}

static void mounted_four_bar_mode(void) {
  rig r;
  if (!rig_open(&r, mounted_four_bar)) return;
  hn_modes *modes = modes_at_rest(&r, HN_STABLE);
  double angle = hn_positions(r.sim)[2];
  // equilibrium by Newton on V'
  real theta = (real)angle;
  for (int i = 0; i < 20; i++)
    theta -= derivative(four_bar_potential, theta, 1) / derivative(four_bar_potential, theta, 2);
  CHECK_NEAR(angle, (double)theta, 1e-10);
  real omega = sqrtl(derivative(four_bar_potential, theta, 2) / four_bar_inertia(theta));
  if (modes && CHECK(modes->count == 1)) CHECK_REL(modes->mode[0].im, (double)omega, 0, 1e-9);
  hn_modes_destroy(modes);
  rig_close(&r);
}

// ---- moving states: A against differences of the equations themselves -----------------------

static const char tumbling[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  one: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.5, 0, 0],"
    " angular_velocity: [1, 2, 3]}\n"
    "  two: {mass: 2, inertia: [0.3, 0.2, 0.15], position: [1, 0.4, 0],"
    " angular_velocity: [-1, 1, 0.5]}\n"
    "joints:\n"
    "  A: {type: spherical, a: ground, b: one, at: [0, 0, 0]}\n"
    "  B: {type: revolute, a: one, b: two, at: [1, 0, 0], axis: [0, 1, 1]}\n"
    "forces:\n"
    "  s: {type: spring, a: ground, b: two, at: [1, 1, 1], stiffness: 30, damping: 2, free: 0.5}\n";

static const char rolling[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  disc: {mass: 2, inertia: [0.02, 0.02, 0.04], position: [0, 0, 0.19],"
    " orientation: {axis: [1, 0, 0], angle: 70 deg}, angular_velocity: [0.1, 0.2, 6]}\n"
    "joints:\n"
    "  road: {type: rolling-disc, a: ground, b: disc, at: [0, 0, 0.19], axis: [0, -0.94, 0.342],"
    " radius: 0.2}\n";

// changes of (z, u) seen by the chart for a displacement along column k of A
static void chart_rate(hn_manifold *m, const hn_linear *l, const double *q0, const double *v0,
                       int column, double eps, double *rate) {
  const hn_system *sys = m->sys;
  hn_sim *sim = m->sim;
  int nv = sys->nv;
  double q[64], v[64], d[64] = {0};
  memcpy(q, q0, (size_t)sys->nq * sizeof(double));
  memcpy(v, v0, (size_t)nv * sizeof(double));
  for (int i = 0; i < nv; i++) {
    if (column < l->n)
      d[i] = eps * l->Z[i * l->n + column];
    else
      v[i] += eps * l->U[i * l->m + column - l->n];
  }
  hn_retract(sys, q, d);
  CHECK(!hn_manifold_close(m, 0, q));
  hn_manifold_velocity(m, 0, q, v);
  CHECK(!hn_manifold_accelerate(m, 0, q, v, false));
  // rotation vectors count in turning axes
  double drift[64];
  for (int i = 0; i < nv; i++) drift[i] = v[i];
  for (int b = 1; b < sys->bodies; b++) {
    double c[3];
    int at = sys->body[b].v0 + 3;
    v3_cross(c, v0 + at, d + at);
    for (int k = 0; k < 3; k++) drift[at + k] -= 0.5 * c[k];
  }
  for (int i = 0; i < l->n; i++) {
    rate[i] = 0;
    for (int k = 0; k < nv; k++) rate[i] += l->Z[k * l->n + i] * sys->mass[k] * drift[k];
  }
  for (int i = 0; i < l->m; i++) {
    rate[l->n + i] = 0;
    for (int k = 0; k < nv; k++)
      rate[l->n + i] += l->U[k * l->m + i] * sys->mass[k] * sim->stage.a[k];
  }
}

static void moving_state(const char *text, int n, int k) {
  rig r;
  if (!rig_open(&r, text)) return;
  hn_linear *l = NULL;
  hn_manifold *m = NULL;
  CHECK(!hn_linearise_frozen(r.sim, &l));
  CHECK(!hn_manifold_create(&m, r.sim));
  if (l && m && CHECK(l->n == n && l->m == k)) {
    CHECK(!l->rest && !l->equilibrium);
    double q[64], v[64], plus[40], minus[40], h = 1e-5;
    memcpy(q, hn_positions(r.sim), (size_t)hn_system_nq(r.system) * sizeof(double));
    memcpy(v, hn_velocities(r.sim), (size_t)hn_system_nv(r.system) * sizeof(double));
    int size = n + k;
    double most = 0;
    for (int i = 0; i < size * size; i++) most = fmax(most, fabs(l->A[i]));
    for (int c = 0; c < size; c++) {
      chart_rate(m, l, q, v, c, h, plus);
      chart_rate(m, l, q, v, c, -h, minus);
      for (int i = 0; i < size; i++)
        CHECK_NEAR(l->A[i * size + c], (plus[i] - minus[i]) / (2 * h), 1e-8 * most);
    }
  }
  hn_manifold_destroy(m);
  hn_linear_destroy(l);
  rig_close(&r);
}

static void moving_states(void) {
  moving_state(tumbling, 4, 4);
  moving_state(rolling, 5, 3);
}

// ---- playing a mode ---------------------------------------------------------------------------

static void animation(void) {
  rig r;
  if (!rig_open(&r, double_pendulum)) return;
  hn_modes *modes = modes_at_rest(&r, HN_STABLE);
  hn_result *result = NULL;
  if (modes && CHECK(!hn_modes_animate(r.sim, modes, 0, 0.01, &result))) {
    int rows = hn_result_rows(result), a = hn_result_find(result, "low.angle");
    double period = 2 * pi / modes->mode[0].im, rest = hn_positions(r.sim)[5];
    CHECK_NEAR(hn_result_row(result, rows - 1)[0], 2 * period, 1e-12);
    // a cosine of the amplitude asked for, up to the square of the amplitude
    for (int i = 0; i < rows; i += 17) {
      double t = hn_result_row(result, i)[0];
      CHECK_NEAR(hn_result_row(result, i)[a] - rest,
                 0.01 * modes->mode[0].real[5] * cos(modes->mode[0].im * t), 2e-5);
      CHECK_NEAR(rig_value(result, i, "residual.position"), 0, 1e-12);
      CHECK_NEAR(rig_value(result, i, "residual.velocity"), 0, 1e-12);
    }
    CHECK_NEAR(fmax(fabs(modes->mode[0].real[2]), fabs(modes->mode[0].real[5])), 1, 1e-12);
  }
  hn_result_destroy(result);
  if (modes) CHECK(hn_modes_animate(r.sim, modes, 7, 0, &result) == HN_ERR_ARGUMENT && !result);
  hn_modes_destroy(modes);
  rig_close(&r);
}

static void refusals(void) {
  char message[256];
  hn_model *model = hn_model_create();
  hn_system *system = NULL;
  hn_sim *sim = NULL;
  hn_linear *l = NULL;
  CHECK(!hn_model_parse(model, double_pendulum, strlen(double_pendulum), "test"));
  CHECK(
      !hn_options_set(hn_model_options(model), "coordinates", "relative", message, sizeof message));
  CHECK(!hn_compile(&system, model));
  CHECK(!hn_sim_create(&sim, system, hn_model_options(model), message, sizeof message));
  CHECK(hn_linearise(sim, &l) == HN_ERR_UNSUPPORTED && !l);
  CHECK(strstr(hn_sim_error(sim), "reference"));
  CHECK(hn_statics(sim, HN_REST, NULL, NULL) == HN_ERR_UNSUPPORTED);
  hn_sim_destroy(sim), hn_system_destroy(system), hn_model_destroy(model);
}

// what nothing holds has no frequency and no damping, whatever rounding makes of large numbers that
// cancel: a table on four legs, free to slide and turn; and a slider on a skew rail, braced across
// it by a spring so stiff that the rounding of its stiffness would be 1e-3 rad/s
static void held_by_nothing(void) {
  static const char *const text[] = {
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  top: {mass: 12, shape: {box: {size: [1.2, 0.8, 0.04]}}, position: [0, 0, 0.7]}\n"
      "  weight: {mass: 5, shape: {sphere: {radius: 0.06}}, position: [0.3, 0.1, 0.78]}\n"
      "joints:\n"
      "  A: {type: point-on-plane, a: ground, b: top, at: [-0.6, -0.4, 0]}\n"
      "  B: {type: point-on-plane, a: ground, b: top, at: [0.6, -0.4, 0]}\n"
      "  C: {type: point-on-plane, a: ground, b: top, at: [0.6, 0.4, 0]}\n"
      "  D: {type: point-on-plane, a: ground, b: top, at: [-0.6, 0.4, 0]}\n"
      "  on: {type: fixed, a: top, b: weight, at: [0.3, 0.1, 0.72]}\n",
      "bodies:\n"
      "  block: {mass: 0.7, inertia: [0.1, 0.2, 0.3], position: [0.3, 0.6, 0.9]}\n"
      "joints: {rail: {type: prismatic, a: ground, b: block, at: [0.3, 0.6, 0.9], axis: [1, 2, "
      "3]}}\n"
      "forces:\n"
      "  brace: {type: spring, a: ground, b: block, at: [3.3, 0.6, -0.1], at_b: [0.3, 0.6, 0.9],\n"
      "          stiffness: 1e10, free: sqrt(10)}\n",
  };
  static const int free_directions[] = {3, 1};
  for (int i = 0; i < 2; i++) {
    rig r;
    hn_linear *linear = NULL;
    hn_modes *modes = NULL;
    if (!rig_open(&r, text[i])) continue;
    if (!CHECK(!hn_linearise(r.sim, &linear))) printf("%s\n", hn_sim_error(r.sim));
    if (linear) CHECK(linear->conservative && !hn_modes_create(&modes, linear));
    CHECK(modes && modes->count == free_directions[i]);
    for (int k = 0; modes && k < modes->count; k++) {
      const hn_mode *m = &modes->mode[k];
      if (!CHECK(m->re == 0 && m->im == 0 && m->damping == 0 && m->natural == 0))
        printf("%d: %g %+g i\n", i, m->re, m->im);
    }
    hn_modes_destroy(modes), hn_linear_destroy(linear);
    rig_close(&r);
  }
}

int main(void) {
  RUN(compound_pendulum);
  RUN(tilted_pendulum);
  RUN(inverted_pendulum);
  RUN(double_pendulum_modes);
  RUN(damped_spring);
  RUN(complex_modes);
  RUN(mounted_four_bar_mode);
  RUN(moving_states);
  RUN(animation);
  RUN(held_by_nothing);
  RUN(refusals);
  return test_end();
}
