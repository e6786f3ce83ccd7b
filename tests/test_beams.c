// test_beams.c: beams against closed forms and printed values.
//
//   profiles     area, second moments, torsion and shear of every kind
//   nodes        names, places, masses; curves, twist and taper
//   modes        cantilever, free-free, clamped-clamped beams: Euler and Bernoulli, order of n
//   statics      roll-up, bend of an arc, Princeton beam; buckling of a frame and a column, a roof
//                that snaps through: load stepping along the curve of equilibria
#include "analysis_rig.h"
#include "model/model.h"
#include "model/profile.h"

static const double pi = 3.14159265358979323846;

// ---- profiles ------------------------------------------------------------------------------

static void test_profiles(void) {
  hn_profile square = {.kind = HN_PROFILE_RECTANGLE, .width = 2, .height = 2};
  hn_section_values v = hn_profile_values(&square, 0);
  CHECK_NEAR(v.area, 4, 1e-15);
  CHECK_NEAR(v.inertia_y, 4 / 3.0, 1e-15);
  CHECK_NEAR(v.shear_y, 10 / 12.0, 1e-15);
  CHECK_REL(v.torsion, 2.2492323966, v.torsion, 1e-6);  // 0.140577 a^4
  hn_profile strip = {.kind = HN_PROFILE_RECTANGLE, .width = 100, .height = 1};
  v = hn_profile_values(&strip, 0.3);
  CHECK_REL(v.torsion, (100 - 0.63025) / 3, v.torsion, 1e-5);
  CHECK_REL(v.inertia_z, 1e6 / 12, v.inertia_z, 1e-15);
  hn_profile circle = {.kind = HN_PROFILE_CIRCLE, .radius = 0.5};
  v = hn_profile_values(&circle, 0.3);
  CHECK_NEAR(v.inertia_y, pi / 64, 1e-15);
  CHECK_NEAR(v.torsion, pi / 32, 1e-15);
  CHECK_NEAR(v.shear_z, 6 * 1.3 / (7 + 6 * 0.3), 1e-15);
  hn_profile tube = {.kind = HN_PROFILE_TUBE, .radius = 1, .thickness = 1e-6};
  v = hn_profile_values(&tube, 0);
  CHECK_REL(v.inertia_y, pi * 1e-6, v.inertia_y, 1e-5);
  CHECK_REL(v.shear_y, 0.5, 0.5, 1e-1);  // a thin tube: about one half
  // an I without hollow sides is a rectangle
  hn_profile i = {.kind = HN_PROFILE_I, .width = 2, .height = 3, .flange = 0.5, .web = 1.9999999};
  v = hn_profile_values(&i, 0);
  CHECK_REL(v.area, 6.0, 6, 1e-6);
  CHECK_REL(v.inertia_y, 2 * 27 / 12.0, 4.5, 1e-6);
  CHECK_REL(v.inertia_z, 3 * 8 / 12.0, 2, 1e-6);
}

// ---- nodes ---------------------------------------------------------------------------------

static double total_mass(const hn_model *m) {
  double sum = 0;
  for (int i = 1; i < m->body_count; i++) sum += m->body[i].def.mass;
  return sum;
}

static void test_nodes(void) {
  rig r;
  if (rig_open_format(
          &r, "beams:\n  arm: {from: [0, 0, 0], to: [0, 2, 0], elements: 5, young: 2e11,"
              " poisson: 0.3, density: 7800, profile: {rectangle: {width: 0.02, height: 0.05}},"
              " places: {hinge: 0.5, pin: 1.7}}\n")) {
    const hn_model *m = r.model;
    CHECK(m->body_count == 7 && m->force_count == 5);
    CHECK_STR(m->body[1].def.name, "arm.start");
    CHECK_STR(m->body[2].def.name, "arm.hinge");
    CHECK_NEAR(m->body[2].def.position[1], 0.5, 1e-15);
    CHECK_STR(m->body[3].def.name, "arm.node2");
    CHECK_NEAR(m->body[3].def.position[1], 0.9, 1e-15);
    CHECK_STR(m->body[5].def.name, "arm.pin");
    CHECK_STR(m->body[6].def.name, "arm.end");
    CHECK_REL(total_mass(m), 7800 * 0.02 * 0.05 * 2, 15.6, 1e-14);
    CHECK(hn_beam_node(m, (hn_beam){1}, -1).id == 6 && hn_beam_node(m, (hn_beam){1}, 6).id == -1);
    rig_close(&r);
  }
  // a quarter circle: nodes on it, and nothing strained
  if (rig_open_format(
          &r,
          "beams:\n  arch: {along: [[1, 0, 0], [%.17g, %.17g, 0], [0, 1, 0]], curve: arc,"
          " elements: 7, stiffness: [1e4, 1e4, 1e4, 10, 10, 10], mass: [1, 1, 1, 2, 1, 1],"
          " twist: 0.7}\n",
          cos(pi / 4), sin(pi / 4))) {
    for (int i = 1; i < r.model->body_count; i++) {
      const double *p = r.model->body[i].def.position, angle = pi / 14 * (i - 1);
      CHECK_NEAR(p[0], cos(angle), 1e-14);
      CHECK_NEAR(p[1], sin(angle), 1e-14);
    }
    CHECK_REL(total_mass(r.model), pi / 2, pi / 2, 1e-14);
    hn_equilibrium info;
    CHECK(hn_statics(r.sim, HN_REST, &info, NULL) == HN_OK && info.moved < 1e-12);
    rig_close(&r);
  }
  // a smooth curve through points of a circle is close to it, closer the more there are
  double off[2];
  for (int k = 0; k < 2; k++) {
    char points[2000] = "";
    int count = k ? 17 : 9;
    for (int i = 0; i < count; i++)
      snprintf(points + strlen(points), sizeof points - strlen(points), "%s[%.17g, %.17g, 0]",
               i ? ", " : "", cos(pi * i / (count - 1)), sin(pi * i / (count - 1)));
    off[k] = 0;
    if (rig_open_format(&r,
                        "beams:\n  arch: {type: planar, along: [%s], elements: 40,"
                        " stiffness: [1, 1, 1, 1, 1, 1], mass: [1, 1, 1, 1, 1, 1]}\n",
                        points)) {
      for (int i = 1; i < r.model->body_count; i++) {
        const double *p = r.model->body[i].def.position;
        off[k] = fmax(off[k], fabs(hypot(p[0], p[1]) - 1));
      }
      rig_close(&r);
    }
  }
  CHECK(off[0] < 5e-3 && off[1] < off[0] / 6);
  // a truncated cone
  double exact = 1000 * pi * 2 / 3 * (0.01 + 0.02 + 0.04);
  for (int n = 2; n < 12; n += 3)
    if (rig_open_format(&r,
                        "beams:\n  cone: {from: [0, 0, 0], to: [2, 0, 0], elements: %d, young: 1e9,"
                        " density: 1000, profile: {circle: {radius: 0.1}},"
                        " profile_end: {circle: {radius: 0.2}}, places: {middle: 0.7}}\n",
                        n)) {
      CHECK_REL(total_mass(r.model), exact, exact, n > 4 ? 1e-3 : 0.1);
      rig_close(&r);
    }
}

// ---- modes ---------------------------------------------------------------------------------

enum { MODES = 5 };

// the first frequencies above zero [1/s]; false after a complaint
static bool frequencies(rig *r, double out[MODES]) {
  hn_linear *linear = NULL;
  hn_modes *modes = NULL;
  int found = 0;
  if (!CHECK(hn_linearise(r->sim, &linear) == HN_OK)) printf("%s\n", hn_sim_error(r->sim));
  if (linear && CHECK(hn_modes_create(&modes, linear) == HN_OK))
    for (int i = 0; i < modes->count && found < MODES; i++)
      if (modes->mode[i].im > 1e-2) out[found++] = modes->mode[i].im;
  hn_modes_destroy(modes);
  hn_linear_destroy(linear);
  return CHECK(found == MODES);
}

static void check_modes(const char *what, const char *joints, const double root[MODES]) {
  double worst[3] = {0};
  for (int k = 0; k < 3; k++) {
    rig r;
    double w[MODES];
    if (!rig_open_format(
            &r,
            "beams:\n  arm: {type: planar, from: [0, 0], to: [1, 0], elements: %d,"
            " stiffness: [1e7, 1e9, 0, 0, 0, 1], mass: [1, 1, 1, 1e-8, 1e-8, 1e-8]}\n%s",
            10 << k, joints))
      return;
    if (frequencies(&r, w))
      for (int i = 0; i < MODES; i++)
        worst[k] = fmax(worst[k], fabs(w[i] / (root[i] * root[i]) - 1));
    rig_close(&r);
  }
  double order = log2(worst[0] / worst[1]);
  printf("%-16s first five frequencies off by %.2e, %.2e, %.2e at 10, 20, 40 elements\n", what,
         worst[0], worst[1], worst[2]);
  CHECK(worst[1] < 1e-3);
  CHECK(order > 1.9);
}

static void test_modes(void) {
  static const double clamped[MODES] = {1.8751040687, 4.6940911330, 7.8547574382, 10.9955407349,
                                        14.1371683910};
  static const double both[MODES] = {4.7300407449, 7.8532046241, 10.9956078380, 14.1371654913,
                                     17.2787596574};
  check_modes("cantilever", "joints: {clamp: {type: fixed, b: arm.start}}\n", clamped);
  check_modes("free-free", "", both);
  check_modes("clamped-clamped",
              "joints: {clamp: {type: fixed, b: arm.start}, other: {type: fixed, b: arm.end}}\n",
              both);
}

// ---- along a growing load ------------------------------------------------------------------

// follows the equilibria to t = 1 (or `until`); false after a complaint
static bool follow(rig *r, hn_path_def def, hn_path *info) {
  if (def.until == 0) def.until = 1;
  hn_status status = hn_statics_path(r->sim, &def, info, NULL);
  if (!CHECK(!status)) printf("  %s\n", hn_sim_error(r->sim));
  return !status;
}

static void position(const rig *r, const char *body, double x[3]) {
  hn_pose pose;
  memset(&pose, 0, sizeof pose);
  CHECK(!hn_body_pose(r->sim, hn_find_body(r->system, body), &pose));
  v3_copy(x, pose.position);
}

// a strip bent to a full circle by a moment: nodes lie on the circle whatever their number
static void test_roll_up(void) {
  for (int n = 3; n < 7; n++)
    for (int flat = 0; flat < 2; flat++) {
      rig r;
      hn_path info;
      if (!rig_open_format(
              &r,
              "beams:\n  strip: {type: %s, from: [0, 0], to: [10, 0], elements: %d,"
              " stiffness: [1e4, 2e4, 3e4, 70, 50, 100], mass: [1, 1, 1, 0.02, 0.01, 0.01]}\n"
              "joints: {clamp: {type: fixed, b: strip.start}}\n"
              "forces: {bend: {type: torque, b: strip.end, torque: \"20*pi*t\"}}\n",
              flat ? "planar" : "spatial", n))
        continue;
      if (follow(&r, (hn_path_def){0}, &info)) {
        double radius = 10 / (2 * pi), worst = 0;
        for (int k = 1; k <= n; k++) {
          double x[3], angle = 2 * pi * k / n;
          char name[32];
          snprintf(name, sizeof name, k < n ? "strip.node%d" : "strip.end", k);
          position(&r, name, x);
          worst = fmax(worst, fabs(x[0] - radius * sin(angle)));
          worst = fmax(worst, fabs(x[1] - radius * (1 - cos(angle))));
        }
        // in space the strip would rather bend about its other axis
        CHECK(!flat || (info.points == 0 && info.unstable == 0));
        if (!CHECK(worst < 1e-10)) printf("  %d elements: off by %g\n", n, worst);
        if (n == 4) printf("roll-up: %d steps, off by %.1e\n", info.steps, worst);
      }
      rig_close(&r);
    }
}

// Bathe and Bolourchi's bend: an eighth of a circle of radius 100, 600 at its tip across the plane
static void test_bend(void) {
  double tip[3][3], limit[3];
  static const double known[3] = {15.684, 47.149, 53.476};
  for (int k = 0; k < 3; k++) {
    rig r;
    hn_path info;
    double half = pi / 8, whole = pi / 4;
    if (!rig_open_format(&r,
                         "beams:\n  arc: {along: [[0, 0, 0], [%.17g, %.17g, 0], [%.17g, %.17g, 0]],"
                         " curve: arc, elements: %d, mass: [1, 1, 1, 2, 1, 1],"
                         " stiffness: [1e7, 4166670, 4166670, 833300, 833300, 833300]}\n"
                         "joints: {clamp: {type: fixed, b: arc.start}}\n"
                         "forces: {lift: {type: force, b: arc.end, force: [0, 0, \"600*t\"]}}\n",
                         100 * (1 - cos(half)), 100 * sin(half), 100 * (1 - cos(whole)),
                         100 * sin(whole), 8 << k))
      return;
    if (follow(&r, (hn_path_def){0}, &info)) position(&r, "arc.end", tip[k]);
    rig_close(&r);
  }
  for (int i = 0; i < 3; i++) {
    double first = tip[1][i] - tip[0][i], second = tip[2][i] - tip[1][i];
    double order = log2(fabs(first / second));
    limit[i] = tip[2][i] + second / (pow(2, order) - 1);
    printf("bend: %.4f %.4f %.4f with 8, 16, 32 elements, order %.2f, limit %.4f\n", tip[0][i],
           tip[1][i], tip[2][i], order, limit[i]);
    CHECK(order > 1.8);
    CHECK_NEAR(limit[i], known[i], 1e-3);
  }
}

// the Princeton beam experiment: tip deflections computed with solid elements, printed by
// L. Obrezkov et al., Nonlinear Dyn. (2022); the load turned from the wide side to the flat one
static void test_princeton(void) {
  static const double force[2] = {8.896, 13.345};
  static const double flap[2][7] = {
      {0, .0420823, .0793948, .1089879, .1298876, .1421944, .1462460},
      {0, .0643581, .1177360, .1564672, .1818616, .1960971, .2006777}};
  static const double chord[2][7] = {
      {.0107142, .0106133, .0101117, .0088372, .0066047, .0035389, 0},
      {.0160642, .0164583, .0166587, .0151862, .0115784, .0062490, 0}};
  double worst = 0;
  for (int load = 0; load < 2; load++)
    for (int k = 0; k < 7; k++) {
      rig r;
      hn_path info;
      double x[3], angle = pi / 12 * k;
      if (!rig_open_format(
              &r,
              "beams:\n  arm: {from: [0, 0, 0], to: [0.508, 0, 0], elements: 8,"
              " young: 71.7e9, poisson: 0.31, density: 2700,"
              " profile: {rectangle: {width: 0.0123777, height: 0.0032024}}}\n"
              "joints: {clamp: {type: fixed, b: arm.start}}\n"
              "forces: {tip: {type: force, b: arm.end, force: [0, \"%.17g*t\", \"%.17g*t\"]}}\n",
              force[load] * cos(angle), force[load] * sin(angle)))
        return;
      if (follow(&r, (hn_path_def){0}, &info)) {
        position(&r, "arm.end", x);
        double off = fmax(fabs(x[2] - flap[load][k]) / fmax(flap[load][k], 1e-2),
                          fabs(x[1] - chord[load][k]) / fmax(chord[load][k], 1e-2));
        worst = fmax(worst, off);
        if (!CHECK(off < 0.01))
          printf("  %g N, %d deg: flap %.6f (%.6f), chord %.6f (%.6f)\n", force[load], 15 * k, x[2],
                 flap[load][k], x[1], chord[load][k]);
      }
      rig_close(&r);
    }
  printf("Princeton beam: worst of 28 deflections off by %.2f %%\n", 100 * worst);
}

// two legs of 240 mm at a right angle, 30 x 0.6 mm, a load at the tip in their plane: they buckle
// sideways at 1.0875 N (shooting on the equations of the beam)
static void test_frame(void) {
  static const char text[] =
      "parameters: {n: %d}\n"
      "beams:\n"
      "  post: {from: [0, 0, 0], to: [0, 240, 0], elements: n, young: 71240, poisson: 0.31,"
      " density: 2.7e-6, profile: {numbers: {area: 18, inertia_y: 0.54, inertia_z: 1350,"
      " torsion: 2.16, shear_y: 0.8333, shear_z: 0.8333}}}\n"
      "  boom: {from: [0, 240, 0], to: [240, 240, 0], elements: n, young: 71240, poisson: 0.31,"
      " density: 2.7e-6, profile: {numbers: {area: 18, inertia_y: 0.54, inertia_z: 1350,"
      " torsion: 2.16, shear_y: 0.8333, shear_z: 0.8333}}}\n"
      "joints: {clamp: {type: fixed, b: post.start},"
      " corner: {type: fixed, a: post.end, b: boom.start}}\n"
      "forces: {load: {type: force, b: boom.end, force: [0, t, 0]}}\n";
  rig r;
  hn_path info;
  if (rig_open_format(&r, text, 5)) {
    if (follow(&r, (hn_path_def){.until = 1.5}, &info)) {
      CHECK(info.points >= 1 && !info.point[0].limit && !info.switched);
      CHECK_REL(info.point[0].time, 1.0875, 1, 0.005);
      CHECK(info.unstable >= 1);
      printf("frame: buckles at %.4f N\n", info.point[0].time);
    }
    rig_close(&r);
  }
  double aside[2];
  for (int side = 0; side < 2 && rig_open_format(&r, text, 4); side++) {
    if (follow(&r, (hn_path_def){.until = 1.5, .branch = side ? 1 : -1}, &info)) {
      double x[3];
      position(&r, "boom.end", x);
      aside[side] = x[2];
      CHECK(info.switched && info.unstable == 0);
      CHECK(fabs(x[2]) > 20);
    }
    rig_close(&r);
  }
  CHECK_NEAR(aside[0], -aside[1], 1e-6);
}

// a column clamped below: pi^2 EI / (2 L)^2, a little more because it gets shorter first
static void test_column(void) {
  rig r;
  hn_path info;
  if (!rig_open_format(&r, "beams:\n  column: {type: planar, from: [0, 0], to: [0, 1], elements: 8,"
                           " stiffness: [1e7, 1e7, 0, 0, 0, 1], mass: [1, 1, 1, 1, 1, 1e-3]}\n"
                           "joints: {clamp: {type: fixed, b: column.start}}\n"
                           "forces: {load: {type: force, b: column.end, force: [0, -t]}}\n"))
    return;
  if (follow(&r, (hn_path_def){.until = 3}, &info)) {
    CHECK(info.points == 1 && !info.point[0].limit);
    CHECK_REL(info.point[0].time, pi * pi / 4, 2.5, 1e-3);
  }
  rig_close(&r);
}

// two rods in a shallow roof snap through: P(w) = 2 k (h - w) (1 - L / sqrt(b^2 + (h - w)^2)),
// whose greatest value is at sqrt(b^2 + y^2) = (L b^2)^(1/3)
static void test_snap(void) {
  rig r;
  hn_path info;
  const double b = 1, h = 0.3, EA = 1000;
  if (!rig_open_format(
          &r, "beams:\n  left: {type: planar-rod, from: [-1, 0], to: [0, 0.3], elements: 1,"
              " stiffness: [1000, 1, 1, 1, 1, 1], mass: [1, 1, 1, 1, 1, 1]}\n"
              "  right: {type: planar-rod, from: [1, 0], to: [0, 0.3], elements: 1,"
              " stiffness: [1000, 1, 1, 1, 1, 1], mass: [1, 1, 1, 1, 1, 1]}\n"
              "joints:\n  foot: {type: spherical, b: left.start}\n"
              "  other: {type: spherical, b: right.start}\n"
              "  top: {type: spherical, a: left.end, b: right.end}\n"
              "forces: {load: {type: force, b: left.end, force: [0, -20*t]}}\n"))
    return;
  double L = hypot(b, h), k = EA / L, ridge = cbrt(L * b * b), y = sqrt(ridge * ridge - b * b);
  double most = 2 * k * y * (L / ridge - 1);
  if (follow(&r, (hn_path_def){.until = 1}, &info)) {
    double x[3];
    position(&r, "left.end", x);
    CHECK(info.points == 2 && info.point[0].limit && info.point[1].limit);
    CHECK_REL(20 * info.point[0].time, most, most, 1e-6);
    CHECK_REL(20 * info.point[1].time, -most, most, 1e-6);
    CHECK(x[1] < -0.3 && info.unstable == 0);
  }
  rig_close(&r);
}

int main(void) {
  RUN(test_profiles);
  RUN(test_nodes);
  RUN(test_modes);
  RUN(test_roll_up);
  if (!run_quickly()) {
    RUN(test_bend);
    RUN(test_princeton);
  }
  RUN(test_frame);
  RUN(test_column);
  RUN(test_snap);
  return test_end();
}
