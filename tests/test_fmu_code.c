// test_fmu_code.c: units with code of their own, and derivatives of all units.
#include "fmu_rig.h"

#include <time.h>

// ---- steps ---------------------------------------------------------------------------------

static const struct {
  const char *model;
  double step, end;
} coded_models[] = {{"pendulum", 1e-3, 0.5},         {"four_bar", 1e-3, 0.5},
                    {"bricard", 1e-3, 0.2},          {"andrews", 2e-5, 0.01},
                    {"spatial_four_bar", 1e-3, 0.2}, {"heavy_top", 1e-3, 0.2}};

// steps of the code are those of the library
static void coded_steps(void) {
  for (size_t i = 0; i < sizeof coded_models / sizeof *coded_models; i++) {
    const char *text = text_of(coded_models[i].model);
    char identifier[64];
    if (!CHECK(text != NULL)) continue;
    identifier_of(identifier, text);
    hn_fmu_def def = {.version = i % 2 ? 3 : 2, .coded = true, .step = coded_models[i].step};
    co_simulate(text, identifier, def, coded_models[i].end);
  }
  for (int version = 2; version <= 3; version++) {
    co_simulate(driven, "driven", (hn_fmu_def){.version = version, .coded = true, .step = 1e-3}, 1);
    co_simulate(wishbone, "wishbone", (hn_fmu_def){.version = version, .coded = true, .step = 1e-3},
                0.5);
    co_simulate(loop, "loop", (hn_fmu_def){.version = version, .sources = true, .step = 1e-3}, 0.2);
  }
}

typedef int (*along2_fn)(void *, const unsigned *, size_t, const unsigned *, size_t, const double *,
                         double *);
typedef int (*along3_fn)(void *, const unsigned *, size_t, const unsigned *, size_t, const double *,
                         size_t, double *, size_t);

static int along(unit *u, bool back, const unsigned *unknown, size_t m, const unsigned *known,
                 size_t n, const double *seed, double *out) {
  if (u->version == 2)
    return CALL(u, along2_fn, "fmi2GetDirectionalDerivative")(u->instance, unknown, m, known, n,
                                                              seed, out);
  const char *name = back ? "fmi3GetAdjointDerivative" : "fmi3GetDirectionalDerivative";
  return CALL(u, along3_fn, name)(u->instance, unknown, m, known, n, seed, back ? m : n, out,
                                  back ? n : m);
}

// outputs and rates, and what they are derivatives of
static void list_of(unit *u, unsigned *unknown, size_t *m, unsigned *known, size_t *n) {
  hn_xml *v = hn_xml_child(u->description, "ModelVariables");
  *m = *n = 0;
  for (hn_xml *e = v->first; e; e = e->next) {
    const char *causality = hn_xml_get(e, "causality"), *name = hn_xml_get(e, "name");
    unsigned vr = (unsigned)atoi(hn_xml_get(e, "valueReference"));
    bool local = !strcmp(causality, "local"), rate = local && !strncmp(name, "der(", 4);
    if (!strcmp(causality, "output") || rate) unknown[(*m)++] = vr;
    if (!strcmp(causality, "input") || (local && !rate)) known[(*n)++] = vr;
  }
}

// a derivative by differences of sixth order
static void differences(unit *u, const unsigned *unknown, size_t m, unsigned known, double *out) {
  static const double weight[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  double at = 0, x, h = 2e-3;
  CHECK(get(u, (int)known, &at) == 0);
  for (size_t i = 0; i < m; i++) out[i] = 0;
  for (int k = -3; k <= 3; k++) {
    if (k == 0) continue;
    CHECK(set(u, (int)known, at + k * h) == 0);
    for (size_t i = 0; i < m; i++) {
      CHECK(get(u, (int)unknown[i], &x) == 0);
      out[i] += (k < 0 ? -1 : 1) * weight[abs(k) - 1] * x / h;
    }
  }
  CHECK(set(u, (int)known, at) == 0);
}

static void derivatives_of(const char *text, const char *identifier, hn_fmu_def def,
                           double tolerance) {
  enum { MANY = 200 };
  unit u;
  unsigned unknown[MANY], known[MANY];
  size_t m = 0, n = 0;
  double worst = 0, apart = 0, seed[MANY], across[MANY], back[MANY], out[MANY], expected[MANY];
  if (open_unit_as(&u, text, def, identifier) && instantiate(&u, true) &&
      CHECK(initialise(&u) == 0)) {
    list_of(&u, unknown, &m, known, &n);
    CHECK(m > 0 && n > 0 && m < MANY && n < MANY);
    for (size_t k = 0; k < n; k++) {
      double one = 1;
      CHECK(along(&u, false, unknown, m, known + k, 1, &one, out) == 0);
      differences(&u, unknown, m, known[k], expected);
      for (size_t i = 0; i < m; i++)
        worst = fmax(worst, fabs(out[i] - expected[i]) / fmax(1, fabs(expected[i])));
    }
    // w . (A z) = (A^T w) . z
    double left = 0, right = 0;
    for (size_t i = 0; i < n; i++) seed[i] = sin(1.0 + (double)i);
    for (size_t i = 0; i < m; i++) across[i] = cos(2.0 + (double)i);
    CHECK(along(&u, false, unknown, m, known, n, seed, out) == 0);
    if (u.version == 3) {
      CHECK(along(&u, true, unknown, m, known, n, across, back) == 0);
      for (size_t i = 0; i < m; i++) left += across[i] * out[i];
      for (size_t i = 0; i < n; i++) right += back[i] * seed[i];
      apart = fabs(left - right) / fmax(1, fabs(left));
    }
    unsigned time = 0;
    CHECK(along(&u, false, unknown, 1, &time, 1, seed, out) != 0);
  }
  printf("%s, FMI %d%s: %zu x %zu derivatives to %.1e, the other way round to %.1e\n", identifier,
         def.version, def.coded ? ", code" : "", m, n, worst, apart);
  CHECK(worst <= tolerance && apart <= 1e-10);
  close_unit(&u);
}

static void derivatives(void) {
  for (int version = 2; version <= 3; version++)
    for (int coded = 0; coded < 2; coded++) {
      hn_fmu_def def = {.version = version, .coded = coded, .step = 1e-3};
      derivatives_of(driven, "driven", def, 1e-10);
      derivatives_of(loop, "loop", def, 1e-9);
    }
}

// ---- parameters ----------------------------------------------------------------------------

// the angular acceleration of `driven`: a body of mass 1 and inertia 0.1 at L, a damped motor
static double expected_rate(double angle, double rate, double torque, double L, double c) {
  return (torque - c * rate - 9.81 * L * cos(angle)) / (0.1 + L * L);
}

static void check_rate(unit *u, double torque, double L, double c) {
  double angle = 0, rate = 0, acceleration = 0, length = 0;
  CHECK(get(u, reference_of(u, "hinge.angle"), &angle) == 0);
  CHECK(get(u, reference_of(u, "hinge.angle_rate"), &rate) == 0);
  CHECK(get(u, reference_of(u, "der(state.v[1])"), &acceleration) == 0);
  CHECK(get(u, reference_of(u, "L"), &length) == 0);
  CHECK(length == L);
  CHECK_NEAR(acceleration, expected_rate(angle, rate, torque, L, c), 1e-12);
}

// before the start, on the way, and as they were again
static void tuned(int version) {
  unit u;
  typedef int (*fn)(void *);
  hn_fmu_def def = {.version = version, .coded = true, .step = 1e-3};
  if (open_unit_as(&u, driven, def, "driven") && instantiate(&u, false)) {
    int L = reference_of(&u, "L"), c = reference_of(&u, "c");
    if (CHECK(L > 0 && c > 0)) {
      hn_xml *v = hn_xml_child(u.description, "ModelVariables")->first->next;
      CHECK_STR(hn_xml_get(v, "variability"), "tunable");
      CHECK(set(&u, L, 0.8) == 0 && initialise(&u) == 0 && set(&u, c, 0.05) == 0);
      check_rate(&u, 0.3, 0.8, 0.05);
      CHECK(step(&u, 0, 0.5) == 0);
      check_rate(&u, 0.3, 0.8, 0.05);
      CHECK(set(&u, c, 1.5) == 0 && set(&u, reference_of(&u, "torque"), 2) == 0);
      check_rate(&u, 2, 0.8, 1.5);
      CHECK(step(&u, 0.5, 0.1) == 0);
      check_rate(&u, 2, 0.8, 1.5);
      CHECK(set(&u, c, INFINITY) != 0);
      CHECK(CALL(&u, fn, version == 2 ? "fmi2Reset" : "fmi3Reset")(u.instance) == 0);
      check_rate(&u, 0.3, 0.5, 0.2);
    }
  }
  close_unit(&u);
}

// of a model in space whose start, too, follows a parameter
static const char places[] =
    "name: places\n"
    "parameters: {h: 0.4, far: 2, square: 1.5, n: 2, both: 3, idle: 7}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 2*both, inertia: [9, 9, square^2], position: [far, 0, h]}\n"
    "forces:\n"
    "  s: {type: spring, b: a, at: [0, 0, 0], at_b: [far, 0, h], stiffness: 100, free: far}\n"
    "  d: {type: force, b: a, force: [0, 0, 3*both*n]}\n"
    "outputs: [a.x, a.y, a.z]\n";

static void start_with_parameters(void) {
  unit u;
  hn_fmu_def def = {.version = 3, .coded = true, .step = 1e-3};
  if (open_unit_as(&u, places, def, "places") && instantiate(&u, false)) {
    double x = 0, z = 0;
    int h = reference_of(&u, "h"), both = reference_of(&u, "both");
    // what is no straight line, alone or with those before it, is a constant
    CHECK(h > 0 && reference_of(&u, "square") < 0);
    CHECK((reference_of(&u, "n") < 0) != (both < 0));
    // nor is what does nothing to be set
    CHECK(reference_of(&u, "idle") < 0);
    CHECK(set(&u, h, 0.7) == 0 && initialise(&u) == 0);
    CHECK(get(&u, reference_of(&u, "a.x"), &x) == 0 && get(&u, reference_of(&u, "a.z"), &z) == 0);
    CHECK_NEAR(x, 2, 1e-15);
    CHECK_NEAR(z, 0.7, 1e-15);
    // what moves stays where it is
    CHECK(step(&u, 0, 0.01) == 0 && get(&u, reference_of(&u, "a.z"), &z) == 0);
    CHECK(set(&u, h, 0.4) == 0 && get(&u, reference_of(&u, "a.z"), &x) == 0);
    CHECK(x == z && fabs(z - 0.7) < 0.01);
  }
  close_unit(&u);
}

static void parameters_of_code(void) {
  for (int version = 2; version <= 3; version++) tuned(version);
  start_with_parameters();
  for (int version = 2; version <= 3; version++)
    start_where_told((hn_fmu_def){.version = version, .coded = true, .step = 1e-3});
}

// how fast the code is; a number for people, as machines differ
static void speed(void) {
  unit u;
  const char *text = text_of("four_bar");
  char identifier[64];
  hn_fmu_def def = {.version = 2, .coded = true, .step = 1e-3};
  identifier_of(identifier, text);
  if (open_unit_as(&u, text, def, identifier) && instantiate(&u, false) &&
      CHECK(initialise(&u) == 0)) {
    enum { STEPS = 100000 };
    typedef int (*fn2)(void *, double, double, int);
    fn2 go = CALL(&u, fn2, "fmi2DoStep");
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    int bad = 0;
    for (int k = 0; k < STEPS; k++) bad |= go(u.instance, k * 1e-3, 1e-3, 1);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    double seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    CHECK(bad == 0);
    printf("four-bar linkage, code: %.2e steps/s, %zu bytes\n", STEPS / seconds, u.size);
  }
  close_unit(&u);
}

static void intermediate_update(void) {
  for (int leaves = 0; leaves < 2; leaves++)
    told_of_stone((hn_fmu_def){.version = 3, .coded = true, .step = 0.03}, leaves, 17);
}

int main(void) {
  setenv("HOLON_CFLAGS", "-O0 -ffp-contract=off", 1);
  RUN(coded_steps);
  RUN(derivatives);
  RUN(parameters_of_code);
  RUN(intermediate_update);
  unsetenv("HOLON_CFLAGS");
  RUN(speed);
  return test_end();
}
