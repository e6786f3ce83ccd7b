// test_beams.c: beams against closed forms and printed values.
//
//   profiles     area, second moments, torsion and shear of every kind
//   nodes        names, places, masses; curves, twist and taper
//   modes        cantilever, free-free, clamped-clamped beams: Euler and Bernoulli, order of n
#include "analysis_rig.h"
#include "model/model.h"
#include "model/profile.h"

#include <stdarg.h>

static const double pi = 3.14159265358979323846;

// a model from a format
__attribute__((format(printf, 2, 3))) static bool open(rig *r, const char *format, ...) {
  char text[4000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return rig_open(r, text);
}

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
  if (open(&r, "beams:\n  arm: {from: [0, 0, 0], to: [0, 2, 0], elements: 5, young: 2e11,"
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
  if (open(&r,
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
    if (open(&r,
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
    if (open(&r,
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
    if (!open(&r,
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

int main(void) {
  RUN(test_profiles);
  RUN(test_nodes);
  RUN(test_modes);
  return test_end();
}
