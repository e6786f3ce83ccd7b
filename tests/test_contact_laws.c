// test_contact_laws.c: contacts that yield.
//
//   restitution   every law against scipy (references/contact_laws.py) and the closed form
//   stiffness     from the material, against Hertz's formulas; a cylinder in a bore
//   order         through the beginning and the end of a contact
//   memory        of the speed of an impact: saved and restored, and not touched by refused steps
//   refusals      in words
#include "contact_rig.h"

#include "forces/contact_law.h"
#include "forces/force.h"
#include "sim/sim.h"

// ---- restitution ---------------------------------------------------------------------------

// a mass strikes a plane at 0.7 m/s, without gravity
static const char impact[] =
    "bodies:\n"
    "  ball: {type: planar-point, mass: 1.3, position: [0, 0.2], velocity: [0, -0.7]}\n"
    "forces:\n"
    "  floor: {type: contact, b: ball, at: [0, 0], at_b: [0, 0.2], axis: [0, 1, 0], radius: 0.1,\n"
    "          %s}\n";

// speed after the impact over the speed before it
static double bounced(const char *law, const char *method, double rtol, double *energy) {
  char text[600];
  snprintf(text, sizeof text, impact, law);
  rig r = rig_open(text, (how){method, "reference", 0, rtol, NULL});
  double e = NAN;
  if (rig_ready(&r) && rig_go(&r, 0.4)) {
    e = hn_velocities(r.sim)[1] / 0.7;
    *energy = rig_imbalance(&r);
  }
  rig_close(&r);
  return e;
}

static const struct {
  const char *law;
  double e[3];
} by_scipy[] = {
    {"hertz", {1, 1, 1}},
    {"hunt-crossley", {0.58128804181, 0.71195017958, 0.90901574135}},
    {"herbert-mcwhannell", {0.51996655494, 0.65107323421, 0.90089298568}},
    {"lee-wang", {0.73899531953, 0.83286979227, 0.95237015282}},
    {"lankarani-nikravesh", {0.68422460575, 0.75614868066, 0.91317667781}},
    {"gonthier", {0.30422486392, 0.57727601888, 0.87643542386}},
    {"zhiying-qishao", {0.32669740280, 0.57689510784, 0.89591818639}},
    {"flores", {0.25620790668, 0.57727601888, 0.89392069266}},
    {"hu-guo", {0.27065845856, 0.59362426004, 0.89989994307}},
    {"exact", {0.3, 0.6, 0.9}},
};
enum { LAWS = sizeof by_scipy / sizeof *by_scipy };

static void restitution(void) {
  static const double asked[3] = {0.3, 0.6, 0.9};
  double worst = 0, energy, most = 0;
  for (int i = 0; i < LAWS; i++) {
    const hn_contact_law *law = hn_contact_law_find(by_scipy[i].law);
    if (!CHECK(law)) continue;
    for (int k = 0; k < 3; k++) {
      char keys[200];
      snprintf(keys, sizeof keys, "stiffness: 2e5, law: %s", by_scipy[i].law);
      size_t n = strlen(keys);
      if (law->factor) snprintf(keys + n, sizeof keys - n, ", restitution: %g", asked[k]);
      double e = bounced(keys, "integrator dopri5", 1e-11, &energy);
      worst = fmax(worst, fabs(e - by_scipy[i].e[k]));
      most = fmax(most, energy);
      if (!CHECK_NEAR(e, by_scipy[i].e[k], 1e-9)) printf("  %s, %g\n", law->name, asked[k]);
      // whatever mass and stiffness are: (1 + d) / (1 - e d) = exp(d (1 + e))
      double d = law->factor ? law->factor(asked[k]) : 0;
      CHECK_REL((1 + d) / (1 - e * d), exp(d * (1 + e)), 1, 1e-8);
    }
  }
  printf("  worst against scipy %.1e, energy %.1e\n", worst, most);
  CHECK(most < 1e-9);
  // a dashpot: until the force is zero
  double e = bounced("stiffness: 2e5, law: kelvin-voigt, damping: 100", "integrator dopri5", 1e-11,
                     &energy);
  const double z = 100 / (2 * sqrt(2e5 * 1.3)), w = sqrt(1 - z * z);
  CHECK_NEAR(e, 0.74811742905, 1e-9);
  CHECK_NEAR(e, exp(-z / w * (acos(-1) - atan2(2 * z * w, 1 - 2 * z * z))), 1e-9);
  CHECK(energy < 1e-9);
}

// the table of the library, that of the test, and the words the file may say
static void complete(void) {
  const hn_contact_law *law;
  const char *words = "";
  for (const hn_field *f = hn_force_fields; f->key; f++)
    if (strcmp(f->key, "law") == 0 && f->words) words = f->words;
  int count = 0;
  for (; (law = hn_contact_law_at(count)); count++) {
    CHECK(hn_word_in(law->name, words));
    CHECK(law->source && law->source[0]);
  }
  CHECK(count == LAWS + 1);  // kelvin-voigt stands apart
  CHECK(!hn_contact_law_at(-1) && !hn_contact_law_find("none"));
}

// every integrator that ends steps at events remembers the speed of an impact
static void methods(void) {
  static const char *const method[] = {
      "integrator dopri5", "integrator dop853",       "integrator abm",         "integrator rk4",
      "integrator heun",   "integrator index3-alpha", "integrator index1-alpha"};
  for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
    char text[600];
    snprintf(text, sizeof text, impact,
             "stiffness: 2e5, law: flores, restitution: 0.6, exponent: 2");
    rig r = rig_open(text, (how){method[i], "reference", 2e-5, 1e-10, NULL});
    if (rig_ready(&r) && rig_go(&r, 0.4)) {
      double e = hn_velocities(r.sim)[1] / 0.7;
      if (!CHECK_NEAR(e, 0.57727601888, 2e-5)) printf("  %s\n", method[i]);
    }
    rig_close(&r);
  }
  char text[600], deaf[700];
  snprintf(text, sizeof text, impact, "stiffness: 2e5, law: flores, restitution: 0.6");
  snprintf(deaf, sizeof deaf, "simulation: {events: \"off\"}\n%s", text);
  rig r = rig_open(deaf, (how){NULL, "reference", 0, 0, NULL});
  if (!CHECK(r.status == HN_ERR_UNSUPPORTED && strstr(r.message, "where a contact begins")))
    printf("  %s\n", r.message);
  rig_close(&r);
}

// ---- stiffness -----------------------------------------------------------------------------

static hn_pressed pressed(const char *keys, const char *type, double depth) {
  char text[700];
  snprintf(text, sizeof text,
           "bodies:\n  ball: {mass: 1, inertia: [1, 1, 1]}\n"
           "forces:\n  it: {type: %s, b: ball, %s}\n",
           type, keys);
  rig r = rig_open(text, (how){NULL, "reference", 0, 0, NULL});
  hn_pressed o = {0};
  // the law stands first among what the force keeps
  if (rig_ready(&r))
    o = hn_press((const hn_pressing *)(const void *)r.system->batch[0].data, depth, 0, 1);
  rig_close(&r);
  return o;
}

static void stiffness(void) {
  const char *const steel = "young: [207e9, 100e9], poisson: [0.3, 0.25]";
  const double E = 1 / ((1 - 0.09) / 207e9 + (1 - 0.0625) / 100e9), x = 1e-5, x15 = x * sqrt(x);
  char keys[300];
  // ball on plane, on ball, in a hollow sphere, in a socket
  snprintf(keys, sizeof keys, "radius: 0.02, %s", steel);
  CHECK_REL(pressed(keys, "contact", x).force, 4.0 / 3 * E * sqrt(0.02) * x15, 1, 1e-13);
  snprintf(keys, sizeof keys, "radius: 0.02, surface: sphere, radius_a: 0.03, %s", steel);
  CHECK_REL(pressed(keys, "contact", x).force, 4.0 / 3 * E * sqrt(0.02 * 0.03 / 0.05) * x15, 1,
            1e-13);
  snprintf(keys, sizeof keys, "radius: 0.02, surface: sphere, radius_a: 0.03, inside: true, %s",
           steel);
  CHECK_REL(pressed(keys, "contact", x).force, 4.0 / 3 * E * sqrt(0.02 * 0.03 / 0.01) * x15, 1,
            1e-13);
  snprintf(keys, sizeof keys, "radius: 0.02, clearance: 0.001, %s", steel);
  CHECK_REL(pressed(keys, "clearance-spherical", x).force,
            4.0 / 3 * E * sqrt(0.02 * 0.021 / 0.001) * x15, 1, 1e-12);
  // a journal of which each end bears half the length
  snprintf(keys, sizeof keys, "radius: 0.02, clearance: 0.0005, length: 0.04, %s", steel);
  CHECK_REL(pressed(keys, "clearance-cylindrical", x).force,
            0.5 * acos(-1) * E * 0.02 * x * sqrt(x / (2 * (5e-4 + x))), 1, 1e-12);
  // scipy: x, force, energy for K = 3e8
  static const double bore[][3] = {{1e-07, 2.999700044992502e-01, 1.199914295712922e-08},
                                   {1e-05, 2.970442628930023e+02, 1.191527227674528e-03},
                                   {2e-05, 8.320502943378436e+02, 6.693453258039854e-03},
                                   {3e-05, 1.514084816048520e+03, 1.831878270865563e-02},
                                   {1e-3, 1.732050807568877e+05, 7.806640829998386e+01}};
  const hn_pressing p = {
      .law = hn_contact_law_find("hertz"), .stiffness = 3e8, .play = 5e-4, .slowest = 1e-3};
  for (int i = 0; i < 5; i++) {
    hn_pressed o = hn_press(&p, bore[i][0], 0, 0);
    CHECK_REL(o.force, bore[i][1], bore[i][1], 1e-13);
    CHECK_REL(o.energy, bore[i][2], bore[i][2], 1e-10);
  }
}

// ---- order ---------------------------------------------------------------------------------

// an oscillator on a spring strikes a floor that yields smoothly
static double end_of(const char *keys, const char *method, double step, double rtol) {
  char text[600];
  snprintf(text, sizeof text,
           "bodies:\n  ball: {type: planar-point, mass: 1, position: [0, 1], velocity: [0, -2]}\n"
           "forces:\n  spring: {type: spring, b: ball, at: [0, 3], at_b: [0, 1], stiffness: 3, "
           "free: 1.5}\n"
           "  floor: {type: contact, b: ball, at: [0, 0], at_b: [0, 1], axis: [0, 1, 0], "
           "radius: 0.6, %s}\n",
           keys);
  rig r = rig_open(text, (how){method, "reference", step, rtol, NULL});
  double y = NAN;
  if (rig_ready(&r) && rig_go(&r, 1.2)) y = hn_positions(r.sim)[1];
  rig_close(&r);
  return y;
}

static void orders(void) {
  static const struct {
    const char *method;
    double least, step;
  } cases[] = {{"integrator heun", 1.9, 1e-3},
               {"integrator rk4", 3.8, 2e-3},
               {"integrator index3-alpha", 1.9, 2e-3},
               {"integrator index2-alpha", 1.9, 2e-3},
               {"integrator index1-alpha", 1.9, 2e-3}};
  static const char *const keys[] = {
      "stiffness: 300, law: kelvin-voigt, damping: 5",
      "stiffness: 200, law: hunt-crossley, restitution: 0.5, exponent: 2"};
  for (int k = 0; k < 2; k++) {
    double exact = end_of(keys[k], "integrator dop853", 0, 1e-13);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      double a = fabs(end_of(keys[k], cases[i].method, cases[i].step, 0) - exact);
      double b = fabs(end_of(keys[k], cases[i].method, cases[i].step / 4, 0) - exact);
      double order = log2(a / b) / 2;
      printf("  %-26s %.1e %.1e order %.2f\n", cases[i].method, a, b, order);
      CHECK(order > cases[i].least);
    }
  }
}

// ---- memory --------------------------------------------------------------------------------

static void memory(void) {
  char text[600], why[200];
  snprintf(text, sizeof text, impact, "stiffness: 2e3, law: flores, restitution: 0.5");
  rig r = rig_open(text, (how){NULL, "reference", 0, 1e-8, NULL});
  if (!rig_ready(&r)) return;
  void *bytes = NULL;
  size_t length = 0;
  hn_sim *again = NULL;
  // in the middle of the contact, which begins after 1/7 s
  if (rig_go(&r, 0.16) && CHECK(r.sim->stage.work.memory[0] > 0.69) &&
      CHECK(hn_sim_save(r.sim, &bytes, &length, why, sizeof why) == HN_OK) &&
      CHECK(hn_sim_restore(&again, r.system, bytes, length, why, sizeof why) == HN_OK)) {
    CHECK(again->stage.work.memory[0] == r.sim->stage.work.memory[0]);
    CHECK(hn_advance(again, 1) == HN_OK && rig_go(&r, 1));
    CHECK(memcmp(hn_velocities(again), hn_velocities(r.sim), 2 * sizeof(double)) == 0);
    CHECK(memcmp(hn_positions(again), hn_positions(r.sim), 2 * sizeof(double)) == 0);
  }
  hn_sim_destroy(again);
  hn_free(bytes);
  // the state set anew inside the contact: it begins there
  if (CHECK(hn_set_state(r.sim, 0, (double[]){0, 0.099}, (double[]){0, -0.3}) == HN_OK)) {
    CHECK(rig_go(&r, 1e-9));
    CHECK_NEAR(r.sim->stage.work.memory[0], 0.3, 1e-6);
  }
  rig_close(&r);
}

// ---- refusals ------------------------------------------------------------------------------

static void refused(const char *keys, const char *words) {
  char text[600];
  snprintf(text, sizeof text, impact, keys);
  rig r = rig_open(text, (how){NULL, "reference", 0, 0, NULL});
  if (!CHECK(r.status != HN_OK && strstr(r.message, words)))
    printf("  '%s' instead of '%s'\n", r.message, words);
  rig_close(&r);
}

static void refusals(void) {
  refused("law: flores, restitution: 0.5", "needs a stiffness, or the material");
  refused("stiffness: 1, law: flroes", "did you mean 'flores'");
  refused("stiffness: 1, law: flores", "needs a restitution");
  refused("stiffness: 1, law: flores, restitution: 0", "divides by the restitution");
  refused("stiffness: 1, restitution: 1.2", "no impact gains energy");
  refused("stiffness: 1, restitution: -0.2", "restitution must not be negative");
  refused("stiffness: 1, law: hertz, restitution: 0.5", "has no restitution");
  refused("stiffness: 1, law: hertz, damping: 2", "has no damping");
  refused("stiffness: 1, exponent: 0.5", "at least 1");
  refused("stiffness: 1, law: kelvin-voigt, exponent: 2", "is linear");
  refused("stiffness: 1, surface: spere, radius_a: 1", "did you mean 'sphere'");
  refused("stiffness: 1, surface: sphere", "needs radius_a");
  refused("stiffness: 1, surface: sphere, radius_a: 0.05, inside: true", "larger than its own");
  refused("stiffness: 1, surface: box", "needs the size of the box");
  refused("stiffness: 1, surface: capsule, radius_a: 1", "needs a length");
  refused("young: [1e9, 1e9], poisson: [0.7, 0.3]", "from 0 to 0.5");
  refused("young: [1e9, 1e9], surface: box, size: [1, 1, 1]", "no stiffness follows");
}

int main(void) {
  RUN(complete);
  RUN(restitution);
  RUN(methods);
  RUN(stiffness);
  RUN(orders);
  RUN(memory);
  RUN(refusals);
  return test_end();
}
