// test_steady.c: modes about steady motions against closed forms and against runs.
//
// Each family is random (the seed of a failing case is printed); everything is placed along skew
// axes, so that nothing is special about the world's own.
#include "analysis_rig.h"
#include "base/vec.h"

#include <complex.h>
#include <stdarg.h>

enum { CASES = 40, TEXT = 4096 };

// ---- models along skew axes ------------------------------------------------------------------

static double frame[9];                  // columns are the axes e1, e2, e3
static double turn_axis[3], turn_angle;  // the same as a rotation
static unsigned long long case_seed;

static void new_case(int k) {
  case_seed = 0x9e3779b97f4a7c15ull * (unsigned long long)(k + 1);
  test_seed = case_seed;
  double n[3], q[4] = {1, 0, 0, 0}, d[3];
  for (int i = 0; i < 3; i++) n[i] = test_random(-1, 1);
  v3_scale(turn_axis, 1 / v3_norm(n), n);
  turn_angle = test_random(0.2, 2.5);
  v3_scale(d, turn_angle, turn_axis);
  q_turn(q, d);
  q_matrix(frame, q);
}

static void place(double out[3], double x, double y, double z) {
  const double p[3] = {x, y, z};
  m3_mulv(out, frame, p);
}

// replaces {x, y, z} in the text by the vector in skew axes, and ORIENTED by their orientation
static void write_model(char *out, const char *format, ...) {
  char text[TEXT];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  size_t used = 0;
  for (const char *c = text; *c && used < TEXT - 200;) {
    double x[3], w[3];
    int n = 0;
    if (*c == '<' && sscanf(c, "<%lf, %lf, %lf>%n", &x[0], &x[1], &x[2], &n) == 3 && n) {
      place(w, x[0], x[1], x[2]);
      used += (size_t)snprintf(out + used, TEXT - used, "[%.17g, %.17g, %.17g]", w[0], w[1], w[2]);
      c += n;
    } else if (strncmp(c, "ORIENTED", 8) == 0) {
      used += (size_t)snprintf(out + used, TEXT - used,
                               "orientation: {axis: [%.17g, %.17g, %.17g], angle: %.17g}",
                               turn_axis[0], turn_axis[1], turn_axis[2], turn_angle);
      c += 8;
    } else {
      out[used++] = *c++;
    }
  }
  out[used] = 0;
}

// modes of the state as described; NULL when that fails
static hn_modes *modes_of(rig *r, const char *text) {
  hn_linear *linear = NULL;
  hn_modes *modes = NULL;
  if (!rig_open(r, text)) return NULL;
  if (!CHECK(!hn_linearise(r->sim, &linear))) {
    printf("seed %llx: %s\n%s\n", case_seed, hn_sim_error(r->sim), text);
  } else {
    CHECK(linear->steady && !linear->rest && linear->unsteady < 1e-9);
    CHECK(!hn_modes_create(&modes, linear));
  }
  hn_linear_destroy(linear);
  return modes;
}

// some mode has this eigenvalue, to 1e-8 of the largest
static void has(const hn_modes *modes, double complex s, double most) {
  double best = INFINITY;
  if (cimag(s) < 0) s = conj(s);
  for (int i = 0; modes && i < modes->count; i++)
    best = fmin(best, cabs(modes->mode[i].re + I * modes->mode[i].im - s));
  if (!CHECK(best <= 1e-8 * most)) {
    printf("seed %llx: wanted %.12g %+.12gi\n", case_seed, creal(s), cimag(s));
    for (int i = 0; modes && i < modes->count; i++)
      printf("  has %.12g %+.12gi\n", modes->mode[i].re, modes->mode[i].im);
  }
}

// a s^2 + b s + c = 0
static void has_roots(const hn_modes *modes, double complex a, double complex b, double complex c) {
  double complex root = csqrt(b * b - 4 * a * c), s1 = (-b + root) / (2 * a);
  double complex s2 = (-b - root) / (2 * a);
  double most = fmax(cabs(s1), cabs(s2));
  has(modes, s1, most), has(modes, s2, most);
}

// a x^2 + b x + c = 0 with x = s^2
static void has_squares(const hn_modes *modes, double a, double b, double c) {
  double complex root = csqrt(b * b - 4 * a * c), x1 = (-b + root) / (2 * a);
  double complex x2 = (-b - root) / (2 * a), s1 = csqrt(x1), s2 = csqrt(x2);
  double most = fmax(cabs(s1), cabs(s2));
  has(modes, s1, most), has(modes, s2, most), has(modes, -s1, most), has(modes, -s2, most);
}

static void done(rig *r, hn_modes *modes) {
  hn_modes_destroy(modes);
  rig_close(r);
}

// ---- rotating guides -------------------------------------------------------------------------

// a mass on a damped spring in a guide at the angle alpha to the axis of rotation. Driven:
//   m s^2 + c s + k - m W^2 sin^2 alpha = 0
static void driven_guide(void) {
  for (int i = 0; i < CASES; i++) {
    rig r;
    char text[TEXT];
    new_case(i);
    double W = test_random(1, 8) * (i % 2 ? 1 : -1), k = test_random(5, 80),
           m = test_random(0.5, 3);
    double c = i % 3 ? 0 : test_random(0.1, 4), alpha = test_random(0.3, 1.5);
    double x = test_random(0.5, 1.5), sine = sin(alpha), out = m * W * W * x * sine * sine / k;
    write_model(
        text,
        "bodies:\n"
        "  arm: {mass: 1, inertia: [1, 2, 1.5], ORIENTED, angular_velocity: <0, 0, %.17g>}\n"
        "  m: {mass: %.17g, inertia: [0.1, 0.2, 0.3], ORIENTED, position: <%.17g, 0, %.17g>,"
        " velocity: <0, %.17g, 0>, angular_velocity: <0, 0, %.17g>}\n"
        "joints:\n"
        "  hub: {type: revolute, b: arm, axis: <0, 0, 1>}\n"
        "  d: {type: driver, joint_a: hub, motion: %.17g*t}\n"
        "  guide: {type: prismatic, a: arm, b: m, axis: <%.17g, 0, %.17g>}\n"
        "forces:\n"
        "  s: {type: spring, joint: guide, stiffness: %.17g, damping: %.17g, free: %.17g}\n",
        W, m, x * sine, x * cos(alpha), W * x * sine, W, W, sine, cos(alpha), k, c, -out);
    hn_modes *modes = modes_of(&r, text);
    has_roots(modes, m, c, k - m * W * W * sine * sine);
    done(&r, modes);
  }
}

// the same in the plane and free to turn: angular momentum is kept,
//   s^2 = -(k/m - W^2 + 4 m r^2 W^2 / J),  J the whole moment of inertia
static void free_guide(void) {
  for (int i = 0; i < CASES; i++) {
    rig r;
    char text[TEXT];
    new_case(i);
    double W = test_random(1, 6), k = test_random(5, 80), m = test_random(0.5, 3);
    double x = test_random(0.5, 1.5), J = 1.7 + 0.3 + m * x * x, phi = test_random(-3, 3);
    double cs = cos(phi), sn = sin(phi);
    snprintf(text, sizeof text,
             "bodies:\n"
             "  arm: {type: planar, mass: 1, inertia: 1.7, angular_velocity: %.17g}\n"
             "  m: {type: planar, mass: %.17g, inertia: 0.3, position: [%.17g, %.17g],"
             " velocity: [%.17g, %.17g], angular_velocity: %.17g}\n"
             "joints:\n"
             "  hub: {type: revolute, b: arm}\n"
             "  guide: {type: prismatic, a: arm, b: m, axis: [%.17g, %.17g, 0]}\n"
             "forces:\n"
             "  s: {type: spring, joint: guide, stiffness: %.17g, free: %.17g}\n",
             W, m, x * cs, x * sn, -W * x * sn, W * x * cs, W, cs, sn, k, -m * W * W * x / k);
    hn_modes *modes = modes_of(&r, text);
    has_squares(modes, 1, k / m - W * W + 4 * m * x * x * W * W / J, 0);
    done(&r, modes);
  }
}

// a mass in the middle of a shaft that is stiffer one way than the other, in guides that turn:
//   (m1 + m2) x'' - 2 m2 W y' + (k1 - (m1 + m2) W^2) x = 0,  m2 y'' + 2 m2 W x' + (k2 - m2 W^2) y =
//   0
static void unequal_shaft(void) {
  for (int i = 0; i < CASES; i++) {
    rig r;
    char text[TEXT];
    new_case(i);
    double W = test_random(1, 9), k1 = test_random(10, 60), k2 = test_random(10, 60);
    double m1 = test_random(0.1, 1), m2 = test_random(0.5, 2), M = m1 + m2;
    write_model(
        text,
        "bodies:\n"
        "  disc: {mass: 1, inertia: [1, 2, 3], ORIENTED, angular_velocity: <0, 0, %.17g>}\n"
        "  one: {mass: %.17g, inertia: [1, 2, 3], ORIENTED, angular_velocity: <0, 0, %.17g>}\n"
        "  two: {mass: %.17g, inertia: [3, 2, 1], ORIENTED, angular_velocity: <0, 0, %.17g>}\n"
        "joints:\n"
        "  hub: {type: revolute, b: disc, axis: <0, 0, 1>}\n"
        "  d: {type: driver, joint_a: hub, motion: %.17g*t}\n"
        "  x: {type: prismatic, a: disc, b: one, axis: <1, 0, 0>}\n"
        "  y: {type: prismatic, a: one, b: two, axis: <0, 1, 0>}\n"
        "forces:\n"
        "  kx: {type: spring, joint: x, stiffness: %.17g}\n"
        "  ky: {type: spring, joint: y, stiffness: %.17g}\n",
        W, m1, W, m2, W, W, k1, k2);
    hn_modes *modes = modes_of(&r, text);
    double a = k1 - M * W * W, b = k2 - m2 * W * W;
    has_squares(modes, M * m2, M * b + m2 * a + 4 * m2 * m2 * W * W, a * b);
    done(&r, modes);
  }
}

// the same with a free mass between unloaded springs: only their stiffness knows that they turn.
//   m x'' - 2 m W y' + (k1 - m W^2) x = 0,   m y'' + 2 m W x' + (k2 - m W^2) y = 0
static void mass_in_bushing(void) {
  for (int i = 0; i < CASES; i++) {
    rig r;
    char text[TEXT];
    new_case(i);
    double W = test_random(1, 9), k1 = test_random(10, 60), k2 = test_random(10, 60);
    double m = test_random(0.5, 2);
    snprintf(text, sizeof text,
             "bodies:\n"
             "  disc: {type: planar, mass: 1, inertia: 1, angular_velocity: %.17g}\n"
             "  two: {type: planar, mass: %.17g, inertia: 1, angular_velocity: %.17g}\n"
             "joints:\n"
             "  hub: {type: revolute, b: disc}\n"
             "  d: {type: driver, joint_a: hub, motion: %.17g*t}\n"
             "forces:\n"
             "  k: {type: bushing, a: disc, b: two, at: [0, 0], stiffness: [%.17g, %.17g, 0, 0, 0,"
             " 30]}\n",
             W, m, W, W, k1, k2);
    hn_modes *modes = modes_of(&r, text);
    double a = k1 - m * W * W, b = k2 - m * W * W;
    has_squares(modes, m * m, m * (a + b) + 4 * m * m * W * W, a * b);
    has(modes, I * sqrt(30), sqrt(30));
    done(&r, modes);
  }
}

// ---- gyroscopes and tops -----------------------------------------------------------------------

// in gimbals on springs: (Ix s^2 + kx) (Iy s^2 + ky) + (C W s)^2 = 0
static void gyroscope(void) {
  for (int i = 0; i < CASES; i++) {
    rig r;
    char text[TEXT];
    new_case(i);
    double W = test_random(20, 200), A = test_random(0.01, 0.05), C = A * test_random(0.3, 1.9);
    double ox = test_random(0.02, 0.04), ix = test_random(0.02, 0.03), iy = test_random(0.02, 0.03);
    double kx = i % 4 ? test_random(1, 50) : 0, ky = i % 4 ? test_random(1, 50) : 0;
    double Ix = ox + ix + A, Iy = iy + A;
    write_model(text,
                "bodies:\n"
                "  outer: {mass: 1, inertia: [%.17g, 0.02, 0.03], ORIENTED}\n"
                "  inner: {mass: 1, inertia: [%.17g, %.17g, 0.02], ORIENTED}\n"
                "  rotor: {mass: 2, inertia: [%.17g, %.17g, %.17g], ORIENTED,"
                " angular_velocity: <0, 0, %.17g>}\n"
                "joints:\n"
                "  o: {type: revolute, a: ground, b: outer, axis: <1, 0, 0>}\n"
                "  i: {type: revolute, a: outer, b: inner, axis: <0, 1, 0>}\n"
                "  r: {type: revolute, a: inner, b: rotor, axis: <0, 0, 1>}\n"
                "forces:\n"
                "  so: {type: motor, joint: o, law: '-%.17g*value'}\n"
                "  si: {type: motor, joint: i, law: '-%.17g*value'}\n",
                ox, ix, iy, A, A, C, W, kx, ky);
    hn_modes *modes = modes_of(&r, text);
    has_squares(modes, Ix * Iy, Ix * ky + Iy * kx + C * C * W * W, kx * ky);
    done(&r, modes);
  }
}

// a rotor in a frame on a table that turns at the rate w about an axis across the rotor's: the
// frame, with moments of inertia a, b, c, tilts against a spring. The rotor's spin W is kept, so
//   (A + a) s^2 + k - w^2 (b - c - A) = 0
static void rotor_on_turntable(void) {
  for (int i = 0; i < CASES; i++) {
    rig r;
    char text[TEXT];
    new_case(i);
    // the table turns about e3 with w; the frame tilts about e1 by th; the rotor spins about the
    // frame's e2, which th tilts towards e3
    double w = test_random(0.5, 3), W = test_random(5, 40), A = test_random(0.1, 0.5);
    double C = A * test_random(0.3, 1.9), a = test_random(0.2, 0.35), b = test_random(0.2, 0.35);
    double c = test_random(0.2, 0.35), k = test_random(20, 60);
    // T = (A + a)/2 th'^2 + w^2/2 (b sin^2 + (c + A) cos^2) + C/2 (psi' + w sin)^2; at th = 0 the
    // rotor pulls with the moment C W w, which the preloaded spring holds: law = -k th - C W w.
    // p = C (psi' + w sin) = C W is kept; Routh: V = k th^2/2 + C W w th - w^2/2 (..) - p w sin:
    //   (A + a) s^2 + k - w^2 (b - c - A) = 0
    write_model(
        text,
        "bodies:\n"
        "  table: {mass: 1, inertia: [1, 2, 3], ORIENTED, angular_velocity: <0, 0, %.17g>}\n"
        "  tilt: {mass: 1, inertia: [%.17g, %.17g, %.17g], ORIENTED,"
        " angular_velocity: <0, 0, %.17g>}\n"
        "  rotor: {mass: 1, inertia: [%.17g, %.17g, %.17g], ORIENTED,"
        " angular_velocity: <0, %.17g, %.17g>}\n"
        "joints:\n"
        "  base: {type: revolute, b: table, axis: <0, 0, 1>}\n"
        "  d: {type: driver, joint_a: base, motion: %.17g*t}\n"
        "  th: {type: revolute, a: table, b: tilt, axis: <1, 0, 0>}\n"
        "  psi: {type: revolute, a: tilt, b: rotor, axis: <0, 1, 0>}\n"
        "forces:\n"
        "  hold: {type: motor, joint: th, law: '-%.17g*value - %.17g'}\n",
        w, a, b, c, w, A, C, A, W, w, w, k, C * W * w);
    hn_modes *modes = modes_of(&r, text);
    has_squares(modes, A + a, k - w * w * (b - c - A), 0);
    done(&r, modes);
  }
}

// sleeping top: I1 s^2 - i C W s - m g l = 0 for the complex tilt; slow ones fall
static void sleeping_top(void) {
  for (int i = 0; i < CASES; i++) {
    rig r;
    char text[TEXT];
    new_case(i);
    double m = test_random(0.5, 2), l = test_random(0.05, 0.2), A = test_random(0.005, 0.02);
    double C = A * test_random(0.3, 1.9), I1 = A + m * l * l, g = 9.81;
    double W = sqrt(4 * I1 * m * g * l) / C * (i % 2 ? test_random(1.1, 3) : test_random(0.2, 0.9));
    write_model(text,
                "gravity: <0, 0, -9.81>\n"
                "bodies:\n"
                "  top: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], ORIENTED,"
                " position: <0, 0, %.17g>, angular_velocity: <0, 0, %.17g>}\n"
                "joints: {tip: {type: spherical, b: top, at: [0, 0, 0]}}\n",
                m, A, A, C, l, W);
    hn_modes *modes = modes_of(&r, text);
    has_roots(modes, I1, -I * C * W, -m * g * l);
    done(&r, modes);
  }
}

// a leaning top that goes round steadily. From I1 th'' = I1 f^2 s c - a f s + m g l s with
// f = (b - a c) / (I1 s^2), a and b kept, and a = I1 f c + m g l / f:
//   I1 s^2 = d/dth of the right-hand side
static void leaning_top(void) {
  for (int i = 0; i < CASES; i++) {
    rig r;
    char text[TEXT];
    new_case(i);
    double m = test_random(0.5, 2), l = test_random(0.05, 0.2), A = test_random(0.005, 0.02);
    double C = A * test_random(0.3, 1.9), I1 = A + m * l * l, mgl = m * 9.81 * l;
    double th = test_random(0.2, 2.5), f = test_random(1, 20), c = cos(th), s = sin(th);
    double a = I1 * f * c + mgl / f, f1 = a / (I1 * s) - 2 * f * c / s;
    double slope =
        I1 * (2 * f * f1 * s * c + f * f * (c * c - s * s)) - a * (f1 * s + f * c) + mgl * c;
    double spin = a / C - f * c;
    // the top along e3 of the skew axes, gravity along -(0, s, c) there
    write_model(text,
                "gravity: <0, %.17g, %.17g>\n"
                "bodies:\n"
                "  top: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], ORIENTED,"
                " position: <0, 0, %.17g>, velocity: <%.17g, 0, 0>,"
                " angular_velocity: <0, %.17g, %.17g>}\n"
                "joints: {tip: {type: spherical, b: top, at: [0, 0, 0]}}\n",
                -9.81 * s, -9.81 * c, m, A, A, C, l, f * s * l, f * s, f * c + spin);
    hn_modes *modes = modes_of(&r, text);
    has_squares(modes, I1, -slope, 0);
    done(&r, modes);
  }
}

// ---- wheels ----------------------------------------------------------------------------------

// a disc of radius a rolls straight on with spin W:
//   A (A + m a^2) s^2 + C (C + m a^2) W^2 - m g a A = 0
static void rolling_disc(void) {
  for (int i = 0; i < CASES; i++) {
    rig r;
    char text[TEXT];
    new_case(i);
    double m = test_random(0.5, 3), a = test_random(0.1, 0.5),
           A = m * a * a * test_random(0.2, 0.5);
    double C = A * test_random(0.8, 1.99), ma = m * a * a, g = 9.81;
    double W = sqrt(m * g * a * A / (C * (C + ma))) *
               (i % 2 ? test_random(1.2, 3) : test_random(0.2, 0.8));
    write_model(text,
                "gravity: <0, 0, -9.81>\n"
                "bodies:\n"
                "  disc: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], ORIENTED,"
                " position: <0, 0, %.17g>, velocity: <%.17g, 0, 0>,"
                " angular_velocity: <0, %.17g, 0>}\n"
                "joints: {road: {type: rolling-disc, a: ground, b: disc, at: <0, 0, %.17g>,"
                " axis: <0, 1, 0>, normal: <0, 0, 1>, radius: %.17g}}\n",
                m, A, C, A, a, W * a, W, a, a);
    hn_modes *modes = modes_of(&r, text);
    has_squares(modes, A * (A + ma), C * (C + ma) * W * W - m * g * a * A, 0);
    done(&r, modes);
  }
}

// the same in a circle, leaning by beta. With G the spin about the diameter through the contact and
// w that about the axle,
//   (A + m a^2) beta'' = -A G^2 tan + (C + m a^2) w G + m g a sin,
//   A G' = beta' (A G tan - C w),   (C + m a^2) w' = -m a^2 beta' G,
// whose steady states have w = (A G^2 tan - m g a sin) / ((C + m a^2) G)
static void disc_in_circle(void) {
  for (int i = 0; i < CASES; i++) {
    rig r;
    char text[TEXT];
    new_case(i);
    double m = test_random(0.5, 3), a = test_random(0.1, 0.5),
           A = m * a * a * test_random(0.2, 0.5);
    double C = A * test_random(0.8, 1.99), ma = m * a * a, mga = m * 9.81 * a, D = C + ma;
    double beta = test_random(0.1, 0.8) * (i % 2 ? 1 : -1), G = test_random(0.5, 6);
    double sn = sin(beta), cs = cos(beta), tn = sn / cs, w = (A * G * G * tn - mga * sn) / (D * G);
    double slope = -A * G * G / (cs * cs) + mga * cs +
                   (-2 * A * G * tn + D * w) * (G * tn - C * w / A) - ma * G * G;
    write_model(text,
                "gravity: <0, %.17g, %.17g>\n"
                "bodies:\n"
                "  disc: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], ORIENTED,"
                " position: <0, 0, %.17g>, velocity: <%.17g, 0, 0>,"
                " angular_velocity: <0, %.17g, %.17g>}\n"
                "joints: {road: {type: rolling-disc, a: ground, b: disc, at: <0, 0, %.17g>,"
                " axis: <0, 1, 0>, normal: <0, %.17g, %.17g>, radius: %.17g}}\n",
                -9.81 * sn, -9.81 * cs, m, A, C, A, a, w * a, w, G, a, sn, cs, a);
    hn_modes *modes = modes_of(&r, text);
    has_squares(modes, A + ma, -slope, 0);
    done(&r, modes);
  }
}

// ---- against runs ----------------------------------------------------------------------------

// how a small disturbance along the fastest growing mode grows in a run, measured by the length of
// the differences of velocities (carried axes only turn them)
static void grows_as(const char *text, const char *what) {
  rig r;
  hn_modes *modes = modes_of(&r, text);
  if (!modes) return;
  const hn_mode *fastest = &modes->mode[0];
  for (int i = 0; i < modes->count; i++)
    if (modes->mode[i].re > fastest->re) fastest = &modes->mode[i];
  if (!CHECK(fastest->re > 0.1)) printf("%s\n", what);
  int nq = hn_system_nq(r.system), nv = hn_system_nv(r.system);
  double q0[64], v0[64], q[64], v[64], d[64], late[2][64], rate = fastest->re, size[2];
  memcpy(q0, hn_positions(r.sim), (size_t)nq * sizeof(double));
  memcpy(v0, hn_velocities(r.sim), (size_t)nv * sizeof(double));
  // the mode alone is left after 10 times its own time; then it is measured over 2 more
  for (int k = 0; k < 2; k++) {
    for (int side = 0; side < 2; side++) {
      double eps = side ? 1e-8 : -1e-8;
      memcpy(q, q0, sizeof q), memcpy(v, v0, sizeof v);
      for (int i = 0; i < nv; i++) d[i] = eps * fastest->real[i];
      hn_retract(r.system, q, d);
      CHECK(!hn_set_state(r.sim, 0, q, v));
      CHECK(!hn_advance(r.sim, (10.0 + 2 * k) / rate));
      memcpy(late[side], hn_velocities(r.sim), (size_t)nv * sizeof(double));
    }
    size[k] = 0;
    for (int i = 0; i < nv; i++) size[k] += pow(late[1][i] - late[0][i], 2);
  }
  if (!CHECK_REL(0.5 * log(size[1] / size[0]) * rate / 2, rate, 0, 1e-4)) printf("%s\n", what);
  done(&r, modes);
}

static void growth(void) {
  grows_as("gravity: [0, 0, -9.81]\n"
           "simulation: {rtol: 1e-12, atol: 1e-14}\n"
           "bodies: {top: {mass: 1, inertia: [0.01, 0.01, 0.005], position: [0, 0, 0.1],"
           " angular_velocity: [0, 0, 20]}}\n"
           "joints: {tip: {type: spherical, b: top, at: [0, 0, 0]}}\n",
           "top");
  grows_as(
      "gravity: [0, 0, -9.81]\n"
      "simulation: {rtol: 1e-12, atol: 1e-14}\n"
      "bodies: {disc: {mass: 2, inertia: [0.02, 0.04, 0.02], position: [0, 0, 0.2],"
      " velocity: [0.4, 0, 0], angular_velocity: [0, 2, 0]}}\n"
      "joints: {road: {type: rolling-disc, a: ground, b: disc, at: [0, 0, 0.2], axis: [0, 1, 0],"
      " radius: 0.2}}\n",
      "disc");
}

// ---- in words ----------------------------------------------------------------------------------

// rotors without symmetry on hinges of their own, each seen from axes that turn with it
static void words_of(char *out, size_t size, int count, const char *const *name,
                     const double *rate) {
  char text[TEXT];
  hn_linear *linear = NULL;
  rig r;
  size_t used = (size_t)snprintf(text, sizeof text, "bodies:\n");
  for (int i = 0; i < count; i++)
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "  %s: {mass: 1, inertia: [1, 2, 3], position: [%d, 0, 0],"
                             " angular_velocity: [0, 0, %g]}\n",
                             name[i], i, rate[i]);
  used += (size_t)snprintf(text + used, sizeof text - used, "joints:\n");
  for (int i = 0; i < count; i++)
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "  j%d: {type: revolute, b: %s, at: [%d, 0, 0], axis: [0, 0, 1]}\n", i,
                             name[i], i);
  *out = 0;
  if (!rig_open(&r, text)) return;
  if (CHECK(!hn_linearise(r.sim, &linear))) snprintf(out, size, "%s", linear->seen_from);
  hn_linear_destroy(linear);
  rig_close(&r);
}

#define LONG "_is_a_name_of_more_than_forty_characters"
static void words(void) {
  char text[800];
  words_of(text, sizeof text, 4, (const char *const[]){"one", "two", "three", "four"},
           (double[]){3, 3, -2, 0});
  CHECK_STR(text, "those of one, two turn with 3 rad/s about (0, 0, 1); those of three turn with 2 "
                  "rad/s about (0, 0, -1); those of four do not turn");
  words_of(text, sizeof text, 6, (const char *const[]){"a", "b", "c", "d", "e", "f"},
           (double[]){1, 1, 1, 1, 1, 1});
  CHECK_STR(text, "those of a, b, c, d and 2 more turn with 1 rad/s about (0, 0, 1)");
  // names are cut, and so is a text that is too long
  char name[8][64], expected[800] = "";
  const char *names[8];
  double rate[8];
  for (int i = 0; i < 8; i++) {
    snprintf(name[i], sizeof name[i], "%c%s", 'a' + i, LONG);
    names[i] = name[i];
    rate[i] = 1 + i / 2;
  }
  words_of(text, sizeof text, 8, names, rate);
  for (int i = 0; i < 8; i += 2)
    snprintf(expected + strlen(expected), 200,
             "%sthose of %.40s, %.40s turn with %g rad/s about (0, 0, 1)", i ? "; " : "", name[i],
             name[i + 1], rate[i]);
  expected[sizeof((hn_linear *)0)->seen_from - 1] = 0;
  CHECK_STR(text, expected);
}

// ---- what is not steady ------------------------------------------------------------------------

static void refused(const char *text, const char *word) {
  rig r;
  hn_linear *linear = NULL;
  hn_modes *modes = NULL;
  if (!rig_open(&r, text)) return;
  CHECK(hn_linearise(r.sim, &linear) == HN_ERR_UNSUPPORTED && !linear);
  if (!CHECK(strstr(hn_sim_error(r.sim), word))) printf("%s\n", hn_sim_error(r.sim));
  CHECK(!hn_linearise_frozen(r.sim, &linear));
  if (linear) CHECK(!linear->steady && !linear->equilibrium);
  CHECK(!hn_modes_create(&modes, linear));
  hn_linear_destroy(linear);
  done(&r, modes);
}

static void unsteady(void) {
  refused("gravity: [0, -9.81]\n"
          "bodies: {bar: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0],"
          " velocity: [0, 1], angular_velocity: 2}}\n"
          "joints: {hinge: {type: revolute, b: bar, at: [0, 0]}}\n",
          "does not turn steadily");
  refused("gravity: [0, -9.81]\n"
          "bodies: {bar: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}}\n"
          "joints: {hinge: {type: revolute, b: bar, at: [0, 0]}}\n",
          "body 'bar' begins to move");
  // steady for an instant only: the bar passes its lowest point
  refused("gravity: [0, -9.81]\n"
          "bodies: {bar: {type: planar, mass: 1, inertia: 0.1, position: [0, -0.5],"
          " velocity: [1, 0], angular_velocity: 2}}\n"
          "joints: {hinge: {type: revolute, b: bar, at: [0, 0]}}\n",
          "steady");
  // a rotor with unequal moments of inertia shakes its gimbals
  refused("bodies:\n"
          "  inner: {mass: 1, inertia: [0.01, 0.02, 0.03]}\n"
          "  rotor: {mass: 2, inertia: [0.02, 0.03, 0.04], angular_velocity: [0, 0, 30]}\n"
          "joints:\n"
          "  i: {type: revolute, a: ground, b: inner, axis: [0, 1, 0]}\n"
          "  r: {type: revolute, a: inner, b: rotor, axis: [0, 0, 1]}\n",
          "steady");
  // the same rotor held by a spring that does not turn with it, a force that grows with time
  refused(
      "bodies: {b: {type: planar, mass: 1, inertia: 1, angular_velocity: 2}}\n"
      "forces: {k: {type: bushing, a: ground, b: b, at: [0, 0], stiffness: [9, 16, 0, 0, 0, 0]},"
      " s: {type: spring, a: ground, b: b, at: [1, 0], at_b: [0.5, 0], stiffness: 3}}\n",
      "steady");
  refused("bodies: {b: {type: planar, mass: 1, inertia: 1, velocity: [1, 0]}}\n"
          "forces: {f: {type: force, b: b, force: [t, 0]}}\n",
          "acceleration of body 'b' changes");
  // a four-bar linkage driven at a constant rate
  refused("bodies:\n"
          "  crank: {type: planar, mass: 1, inertia: 0.1, position: [0, 0.5], angle: 90 deg,"
          " angular_velocity: 3, frames: {A: [-0.5, 0], B: [0.5, 0]}}\n"
          "  coupler: {type: planar, mass: 1, inertia: 0.1, position: [1, 1.2], angle: 0.2,"
          " frames: {B: [-1, 0], C: [1, 0]}}\n"
          "  rocker: {type: planar, mass: 1, inertia: 0.1, position: [2, 0.7], angle: 1.5,"
          " frames: {D: [-0.8, 0], C: [0.8, 0]}}\n"
          "ground: {frames: {A: [0, 0], D: [2, 0]}}\n"
          "joints:\n"
          "  A: {type: revolute, a: ground.A, b: crank.A}\n"
          "  B: {type: revolute, a: crank.B, b: coupler.B}\n"
          "  C: {type: revolute, a: coupler.C, b: rocker.C}\n"
          "  D: {type: revolute, a: ground.D, b: rocker.D}\n"
          "forces: {k: {type: motor, joint: A, law: '-3*sin(value)'}}\n",
          "steady");
}

int main(void) {
  RUN(driven_guide);
  RUN(free_guide);
  RUN(unequal_shaft);
  RUN(mass_in_bushing);
  RUN(gyroscope);
  RUN(rotor_on_turntable);
  RUN(sleeping_top);
  RUN(leaning_top);
  RUN(rolling_disc);
  RUN(disc_in_circle);
  RUN(growth);
  RUN(unsteady);
  RUN(words);
  return test_end();
}
