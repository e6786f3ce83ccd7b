// test_fmu.c: units of FMI 2.0 and 3.0, unpacked and run by a small importer.
#include "fmu_rig.h"

static const struct {
  const char *model;
  double end;
} models[] = {
    {"pendulum", 1},          {"four_bar", 0.5},
    {"bricard", 0.5},         {"andrews", 0.01},
    {"double_wishbone", 0.2}, {"iltis_suspension", 0.2},
    {"watt_governor", 0.2},   {"heavy_top", 0.2},
    {"rolling_disk", 0.2},    {"equations_four_bar", 0.2},
    {"planetary_gear", 0.2},  {"stewart_platform", 0.2},
    {"shaft_on_beam", 0.01},  {"latch", 1},
};

static void many_models(void) {
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    const char *text = text_of(models[i].model);
    char identifier[64];
    if (!CHECK(text != NULL)) continue;
    identifier_of(identifier, text);
    co_simulate(text, identifier, (hn_fmu_def){.version = i % 2 ? 3 : 2}, models[i].end);
  }
  for (int version = 2; version <= 3; version++) {
    co_simulate(ball, "ball", (hn_fmu_def){.version = version}, 2);
    co_simulate(controlled, "controlled", (hn_fmu_def){.version = version}, 1);
    co_simulate(wishbone, "wishbone", (hn_fmu_def){.version = version}, 0.5);
  }
}

// ---- inputs, parameters, states ------------------------------------------------------------

static void driven_by(unit *u, double *angle, double L) {
  int vr_L = reference_of(u, "L"), input = reference_of(u, "torque");
  if (L > 0) CHECK(set(u, vr_L, L) == 0);
  CHECK(initialise(u) == 0);
  for (int k = 0; k < 10; k++) {
    CHECK(set(u, input, 0.3 + 0.1 * k) == 0);
    CHECK(step(u, 0.1 * k, 0.1) == 0);
  }
  CHECK(get(u, reference_of(u, "hinge.angle"), angle) == 0);
}

// the same by the library
static double driven_here(double L) {
  hn_model *m = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  char message[256], value[40];
  double angle = NAN;
  snprintf(value, sizeof value, "%.17g", L);
  CHECK(hn_model_override(m, "L", value) == HN_OK);
  CHECK(hn_model_parse(m, driven, sizeof driven - 1, "test") == HN_OK);
  CHECK(hn_compile(&sys, m) == HN_OK);
  CHECK(hn_sim_create(&sim, sys, hn_model_options(m), message, sizeof message) == HN_OK);
  for (int k = 0; k < 10; k++) {
    CHECK(hn_input_set(sim, hn_input_find(sys, "torque"), 0.3 + 0.1 * k) == HN_OK);
    CHECK(hn_advance(sim, 0.1 * (k + 1)) == HN_OK);
  }
  CHECK(hn_joint_coordinate(sim, hn_find_joint(sys, "hinge"), NULL, &angle, NULL) == HN_OK);
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(m);
  return angle;
}

static void inputs_and_parameters(int version) {
  unit u;
  double angle, twice;
  if (open_unit(&u, driven, version, "driven") && instantiate(&u, false)) {
    driven_by(&u, &angle, 0);
    CHECK_NEAR(angle, driven_here(0.5), 1e-9);
    CHECK(get(&u, reference_of(&u, "twice"), &twice) == 0);
    CHECK_NEAR(twice, 2.4, 1e-15);
    // anew, with another parameter
    typedef int (*fn)(void *);
    CHECK(CALL(&u, fn, version == 2 ? "fmi2Reset" : "fmi3Reset")(u.instance) == 0);
    driven_by(&u, &angle, 0.8);
    CHECK_NEAR(angle, driven_here(0.8), 1e-9);
    // a parameter that makes no model is told, and the unit can be had again
    CHECK(set(&u, reference_of(&u, "L"), 1e13) == 0);
    CHECK(initialise(&u) != 0);
    CHECK(get(&u, reference_of(&u, "hinge.angle"), &angle) != 0);
    CHECK(CALL(&u, fn, version == 2 ? "fmi2Reset" : "fmi3Reset")(u.instance) == 0);
    driven_by(&u, &angle, 0.8);
    CHECK_NEAR(angle, driven_here(0.8), 1e-9);
    // what cannot be set or is not there
    CHECK(set(&u, reference_of(&u, "hinge.angle"), 1) != 0);
    CHECK(get(&u, 9999, &angle) != 0);
    CHECK(set(&u, reference_of(&u, "L"), NAN) != 0);
  }
  close_unit(&u);
}

// CS at tight tolerance is what a run records
static void equals_run(void) {
  unit u;
  peer p;
  hn_result *result = NULL;
  if (open_unit(&u, driven, 2, "driven") && open_peer(&p, driven)) {
    CHECK(hn_run(p.sim, &result, NULL, NULL) == HN_OK);
    if (instantiate(&u, false)) {
      CHECK(initialise(&u) == 0);
      double worst = 0;
      for (int k = 0; k < hn_result_rows(result); k++) {
        const double *row = hn_result_row(result, k);
        if (k)
          CHECK(step(&u, hn_result_row(result, k - 1)[0],
                     row[0] - hn_result_row(result, k - 1)[0]) == 0);
        for (int c = 1; c < hn_result_columns(result); c++) {
          int vr = reference_of(&u, hn_result_name(result, c));
          double x;
          if (vr < 0) continue;
          CHECK(get(&u, vr, &x) == 0);
          worst = fmax(worst, fabs(x - row[c]));
        }
      }
      CHECK(worst <= 1e-9);
      printf("co-simulation against a run: %.1e\n", worst);
    }
    hn_result_destroy(result);
    close_peer(&p);
  }
  close_unit(&u);
}

// a state that is put back, also by bytes and in another instance, goes on bit by bit
static void saved_states(int version, bool coded) {
  unit u;
  hn_fmu_def def = {.version = version, .coded = coded, .step = 1e-3};
  typedef int (*get_fn)(void *, void **);
  typedef int (*set_fn)(void *, void *);
  typedef int (*size_fn)(void *, void *, size_t *);
  typedef int (*put_fn)(void *, void *, char *, size_t);
  typedef int (*back_fn)(void *, const char *, size_t, void **);
  bool two = version == 2;
  if (open_unit_as(&u, driven, def, "driven") && instantiate(&u, false)) {
    void *state = NULL, *again = NULL;
    size_t size = 0;
    double first = 0, second = 1;
    int angle = reference_of(&u, "hinge.angle");
    CHECK(initialise(&u) == 0 && step(&u, 0, 0.1) == 0);
    CHECK(CALL(&u, get_fn, two ? "fmi2GetFMUstate" : "fmi3GetFMUState")(u.instance, &state) == 0);
    CHECK(step(&u, 0.1, 0.3) == 0 && get(&u, angle, &first) == 0);
    CHECK(CALL(&u, set_fn, two ? "fmi2SetFMUstate" : "fmi3SetFMUState")(u.instance, state) == 0);
    CHECK(step(&u, 0.1, 0.3) == 0 && get(&u, angle, &second) == 0);
    CHECK(first == second);
    CHECK(CALL(&u, size_fn, two ? "fmi2SerializedFMUstateSize" : "fmi3SerializedFMUStateSize")(
              u.instance, state, &size) == 0);
    char *bytes = malloc(size);
    CHECK(CALL(&u, put_fn, two ? "fmi2SerializeFMUstate" : "fmi3SerializeFMUState")(
              u.instance, state, bytes, size) == 0);
    CALL(&u, get_fn, two ? "fmi2FreeFMUstate" : "fmi3FreeFMUState")(u.instance, &state);
    free_instance(&u);
    if (instantiate(&u, false)) {
      CHECK(initialise(&u) == 0);
      CHECK(CALL(&u, back_fn, two ? "fmi2DeSerializeFMUstate" : "fmi3DeserializeFMUState")(
                u.instance, bytes, size, &again) == 0);
      CHECK(CALL(&u, set_fn, two ? "fmi2SetFMUstate" : "fmi3SetFMUState")(u.instance, again) == 0);
      CHECK(step(&u, 0.1, 0.3) == 0 && get(&u, angle, &second) == 0);
      CHECK(first == second);
      CALL(&u, get_fn, two ? "fmi2FreeFMUstate" : "fmi3FreeFMUState")(u.instance, &again);
    }
    free(bytes);
  }
  close_unit(&u);
}

// ---- model exchange ------------------------------------------------------------------------

enum { MOST = 64 };
typedef int (*vector_fn)(void *, double *, size_t);
typedef int (*time_fn)(void *, double);

static void rates(unit *u, double t, const double *x, double *r, int n) {
  bool two = u->version == 2;
  CHECK(CALL(u, time_fn, two ? "fmi2SetTime" : "fmi3SetTime")(u->instance, t) == 0);
  CHECK(CALL(u, vector_fn, two ? "fmi2SetContinuousStates" : "fmi3SetContinuousStates")(
            u->instance, (double *)(uintptr_t)x, (size_t)n) == 0);
  CHECK(CALL(u, vector_fn, two ? "fmi2GetDerivatives" : "fmi3GetContinuousStateDerivatives")(
            u->instance, r, (size_t)n) == 0);
}

static void classical_step(unit *u, double t, double h, double *x, int n) {
  static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
  double k[MOST], y[MOST], sum[MOST] = {0};
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < n; i++) y[i] = x[i] + (s ? at[s] * h * k[i] : 0);
    rates(u, t + at[s] * h, y, k, n);
    for (int i = 0; i < n; i++) sum[i] += weight[s] * h / 6 * k[i];
  }
  for (int i = 0; i < n; i++) x[i] += sum[i];
}

// after a step: event mode where the unit wants it; were states changed?
static bool completed(unit *u) {
  if (u->version == 2) {
    typedef int (*step_fn)(void *, int, int *, int *);
    typedef int (*event_fn)(void *, int *);
    int event, end, info[8] = {0};
    CHECK(CALL(u, step_fn, "fmi2CompletedIntegratorStep")(u->instance, 1, &event, &end) == 0);
    if (event) CHECK(CALL(u, event_fn, "fmi2NewDiscreteStates")(u->instance, info) == 0);
    return event && info[3];
  }
  typedef int (*step_fn)(void *, bool, bool *, bool *);
  typedef int (*event_fn)(void *, bool *, bool *, bool *, bool *, bool *, double *);
  bool event, end, needed, stop, nominals, values = false, defined;
  double next;
  CHECK(CALL(u, step_fn, "fmi3CompletedIntegratorStep")(u->instance, true, &event, &end) == 0);
  if (event)
    CHECK(CALL(u, event_fn, "fmi3UpdateDiscreteStates")(u->instance, &needed, &stop, &nominals,
                                                        &values, &defined, &next) == 0);
  return event && values;
}

static void exchange(const char *text, hn_fmu_def def, double end, int steps, double tolerance) {
  unit u;
  int version = def.version;
  peer p;
  char identifier[64];
  double x[MOST], worst = 0, drift = 0;
  int returned = 0;
  bool two = version == 2;
  identifier_of(identifier, text);
  if (open_unit_as(&u, text, def, identifier) && open_peer_with(&p, text, 0, def.coded)) {
    int n = hn_system_nq(p.sys) + hn_system_nv(p.sys) + hn_state_count(p.sys);
    const char *states = two ? "fmi2GetContinuousStates" : "fmi3GetContinuousStates";
    if (CHECK(n <= MOST) && instantiate(&u, true) && CHECK(initialise(&u) == 0)) {
      CHECK(CALL(&u, vector_fn, states)(u.instance, x, (size_t)n) == 0);
      for (int k = 0; k < steps; k++) {
        double t = k * end / steps, h = (k + 1) * end / steps - t, y[MOST];
        classical_step(&u, t, h, x, n);
        rates(&u, t + h, x, y, n);
        bool back = completed(&u);
        returned += back;
        if (back) CHECK(CALL(&u, vector_fn, states)(u.instance, x, (size_t)n) == 0);
        // how far the states are off the constraints now
        hn_residuals r;
        int nq = hn_system_nq(p.sys);
        peer q = p;
        CHECK(hn_set_state(q.sim, t + h, x, x + nq) == HN_OK);
        CHECK(hn_sim_residuals(q.sim, &r) == HN_OK);
        drift = fmax(drift, fmax(r.position, r.velocity));
      }
      peer q;
      if (open_peer(&q, text)) {
        CHECK(hn_advance(q.sim, end) == HN_OK);
        rates(&u, end, x, (double[MOST]){0}, n);
        worst = difference(&u, &q);
        close_peer(&q);
      }
    }
    close_peer(&p);
  }
  printf("%s, FMI %d, model exchange: %.1e from the library, drift %.1e, %d of %d steps brought "
         "back\n",
         identifier, version, worst, drift, returned, steps);
  CHECK((returned > 0) == (steps < 100));
  CHECK(worst <= tolerance);
  CHECK(drift <= 1e-8);
  close_unit(&u);
}

static void model_exchange(void) {
  for (int version = 2; version <= 3; version++) {
    hn_fmu_def def = {.version = version};
    exchange(driven, def, 0.5, 500, 1e-9);
    exchange(loop, def, 0.5, 500, 1e-9);
    // long steps leave the constraints: the unit brings the states back
    exchange(loop, def, 0.5, 20, 1e-3);
    def.coded = true, def.step = 1e-3;
    exchange(driven, def, 0.5, 500, 1e-9);
    exchange(loop, def, 0.5, 500, 1e-9);
    exchange(loop, def, 0.5, 20, 1e-3);
  }
}

// ---- events --------------------------------------------------------------------------------

static int indicators_of(unit *u) {
  if (u->version == 2) return atoi(hn_xml_get(u->description, "numberOfEventIndicators"));
  typedef int (*count_fn)(void *, size_t *);
  size_t count = 0, told = 0;
  hn_xml *structure = hn_xml_child(u->description, "ModelStructure");
  for (hn_xml *e = structure->first; e; e = e->next) told += !strcmp(e->name, "EventIndicator");
  CHECK(CALL(u, count_fn, "fmi3GetNumberOfEventIndicators")(u->instance, &count) == 0);
  CHECK(count == told);
  return (int)count;
}

static void indicate(unit *u, double t, const double *x, double *z, int n, int m) {
  bool two = u->version == 2;
  CHECK(CALL(u, time_fn, two ? "fmi2SetTime" : "fmi3SetTime")(u->instance, t) == 0);
  CHECK(CALL(u, vector_fn, two ? "fmi2SetContinuousStates" : "fmi3SetContinuousStates")(
            u->instance, (double *)(uintptr_t)x, (size_t)n) == 0);
  CHECK(CALL(u, vector_fn, two ? "fmi2GetEventIndicators" : "fmi3GetEventIndicators")(
            u->instance, z, (size_t)m) == 0);
}

static bool crossed(const double *a, const double *b, int m) {
  for (int i = 0; i < m; i++)
    if ((a[i] > 0) != (b[i] > 0)) return true;
  return false;
}

// in event mode
static void handle(unit *u, double *x, int n) {
  typedef int (*mode_fn)(void *);
  bool two = u->version == 2;
  CHECK(CALL(u, mode_fn, two ? "fmi2EnterEventMode" : "fmi3EnterEventMode")(u->instance) == 0);
  if (two) {
    typedef int (*event_fn)(void *, int *);
    int info[8] = {0};
    CHECK(CALL(u, event_fn, "fmi2NewDiscreteStates")(u->instance, info) == 0);
  } else {
    typedef int (*event_fn)(void *, bool *, bool *, bool *, bool *, bool *, double *);
    bool flag[5];
    double next;
    CHECK(CALL(u, event_fn, "fmi3UpdateDiscreteStates")(u->instance, flag, flag + 1, flag + 2,
                                                        flag + 3, flag + 4, &next) == 0);
  }
  CHECK(CALL(u, mode_fn, two ? "fmi2EnterContinuousTimeMode" : "fmi3EnterContinuousTimeMode")(
            u->instance) == 0);
  CHECK(CALL(u, vector_fn, two ? "fmi2GetContinuousStates" : "fmi3GetContinuousStates")(
            u->instance, x, (size_t)n) == 0);
}

// steps of h that end just behind the first change of sign; events met
static int integrate(unit *u, double *x, int n, double h, double end) {
  double z[MOST], w[MOST], y[MOST], t = 0;
  int events = 0, m = indicators_of(u);
  CHECK(m > 0 && m < MOST);
  // it begins in event mode
  handle(u, x, n);
  indicate(u, 0, x, z, n, m);
  while (t < end - 1e-12 && events < 1000) {
    double step = fmin(h, end - t), low = 0, high;
    memcpy(y, x, sizeof y);
    classical_step(u, t, step, y, n);
    indicate(u, t + step, y, w, n, m);
    bool event = crossed(z, w, m);
    for (high = step; event && high - low > 1e-13;) {
      double middle = 0.5 * (low + high);
      memcpy(y, x, sizeof y);
      classical_step(u, t, middle, y, n);
      indicate(u, t + middle, y, w, n, m);
      *(crossed(z, w, m) ? &high : &low) = middle;
    }
    if (event) {
      memcpy(y, x, sizeof y);
      classical_step(u, t, high, y, n);
    }
    memcpy(x, y, sizeof y);
    t += high;
    indicate(u, t, x, w, n, m);
    (void)completed(u);
    if (event) handle(u, x, n), events++;
    indicate(u, t, x, z, n, m);
  }
  return events;
}

static void exchange_events(const char *text, int version, double end, int least,
                            double tolerance) {
  unit u;
  peer p;
  char identifier[64];
  double x[MOST], worst = 1;
  int events = 0;
  bool two = version == 2;
  identifier_of(identifier, text);
  if (open_unit(&u, text, version, identifier) && open_peer(&p, text)) {
    int n = hn_system_nq(p.sys) + hn_system_nv(p.sys) + hn_state_count(p.sys);
    if (instantiate(&u, true) && CHECK(initialise(&u) == 0)) {
      CHECK(CALL(&u, vector_fn, two ? "fmi2GetContinuousStates" : "fmi3GetContinuousStates")(
                u.instance, x, (size_t)n) == 0);
      events = integrate(&u, x, n, 1e-3, end);
      CHECK(hn_advance(p.sim, end) == HN_OK);
      worst = difference(&u, &p);
    }
    close_peer(&p);
  }
  printf("%s, FMI %d, model exchange: %.1e from the library, %d events\n", identifier, version,
         worst, events);
  CHECK(events >= least && worst <= tolerance);
  close_unit(&u);
}

// a spring that is twice as stiff when pressed, a contact that yields and remembers its speed, and
// one that rests, slips and sticks
static const char switching[] =
    "name: switching\n"
    "simulation: {rtol: 1e-11}\n"
    "bodies:\n  m: {type: planar, mass: 1, inertia: 0.1, position: [1.2, 0]}\n"
    "joints:\n  rail: {type: prismatic, b: m, at: [1.2, 0], axis: [1, 0, 0]}\n"
    "forces:\n  s: {type: motor, joint: rail, law: \"-if(translation > 0.1, 40, 80)*(translation - "
    "0.1) + 3\"}\n";
static const char yielding[] =
    "name: yielding\n"
    "gravity: [0, -9.81]\n"
    "simulation: {rtol: 1e-11}\n"
    "bodies:\n  b: {type: planar-point, mass: 1, position: [0, 0.4]}\n"
    "forces:\n  c: {type: contact, b: b, at: [0, 0], at_b: [0, 0.4], axis: [0, 1, 0], radius: 0.1, "
    "stiffness: 2e3, exponent: 1, law: lankarani-nikravesh, restitution: 0.8}\n";
static const char rubbing[] =
    "name: rubbing\n"
    "gravity: [0, -9.81]\n"
    "simulation: {rtol: 1e-11}\n"
    "bodies:\n  block: {type: planar, mass: 2, inertia: 0.1}\n"
    "joints:\n  rail: {type: prismatic, b: block, at: [0, 0], axis: [1, 0, 0], rate: 1.5}\n"
    "forces:\n  rub: {type: friction, joint: rail, law: coulomb, coulomb: 0.3, static: 0.35}\n"
    "  pull: {type: motor, joint: rail, law: 3*t}\n";

static void events_outside(void) {
  for (int version = 2; version <= 3; version++) {
    exchange_events(ball, version, 1.5, 3, 1e-8);
    exchange_events(switching, version, 2, 4, 1e-8);
    exchange_events(yielding, version, 1, 4, 1e-6);
    exchange_events(rubbing, version, 4, 2, 1e-8);
  }
  // what is sampled is not for others to integrate
  unit u;
  if (open_unit(&u, controlled, 2, "controlled")) {
    static const callbacks2 call = {NULL, calloc, free, NULL, NULL};
    typedef void *(*fn)(const char *, int, const char *, const char *, const callbacks2 *, int,
                        int);
    char resources[700];
    snprintf(resources, sizeof resources, "file://%s/resources", u.folder);
    CHECK(hn_xml_child(u.description, "ModelExchange") == NULL);
    CHECK(CALL(&u, fn, "fmi2Instantiate")("u", 0, u.token, resources, &call, 0, 0) == NULL);
  }
  close_unit(&u);
}

// ---- events of co-simulation ---------------------------------------------------------------

typedef int (*step3_fn)(void *, double, double, bool, bool *, bool *, bool *, double *);

// event mode as an importer goes through it
static void event_mode(unit *u) {
  typedef int (*mode_fn)(void *);
  typedef int (*discrete_fn)(void *, bool *, bool *, bool *, bool *, bool *, double *);
  bool needed, end, nominals, values, defined;
  double next;
  CHECK(CALL(u, mode_fn, "fmi3EnterEventMode")(u->instance) == 0);
  CHECK(CALL(u, discrete_fn, "fmi3UpdateDiscreteStates")(u->instance, &needed, &end, &nominals,
                                                         &values, &defined, &next) == 0);
  CHECK(!needed && !end && !nominals && values && !defined);
  CHECK(CALL(u, mode_fn, "fmi3EnterStepMode")(u->instance) == 0);
}

// a ball that falls 0.9 m and keeps 0.8 of its speed: steps end where it strikes the floor
static void early_return(void) {
  unit u;
  const double g = 9.81, e = 0.8, first = sqrt(2 * 0.9 / g), fast = g * first;
  const double strikes[] = {first, first + 2 * e * fast / g,
                            first + 2 * e * fast / g + 2 * e * e * fast / g};
  int events = 0;
  if (open_unit(&u, ball, 3, "ball") && instantiate_as(&u, false, true) &&
      CHECK(initialise(&u) == 0)) {
    int vy = reference_of(&u, "ball.vy"), y = reference_of(&u, "ball.y");
    for (double t = 0; t < 1.799;) {
      bool event, end, early;
      double last = t, v, h = 0.1 * (floor(t / 0.1 + 1e-9) + 1) - t;
      CHECK(CALL(&u, step3_fn, "fmi3DoStep")(u.instance, t, h, true, &event, &end, &early, &last) ==
            0);
      CHECK(event == early && !end && last > t);
      if (!(last > t)) break;
      t = last;
      if (!event) continue;
      event_mode(&u);
      if (!CHECK(events < 3)) break;
      CHECK_NEAR(t, strikes[events++], 1e-7);
      // it flies up from here
      CHECK(get(&u, vy, &v) == 0);
      CHECK_NEAR(v, fast * pow(e, events), 1e-6);
    }
    double height, since = 1.8 - strikes[2];
    CHECK(get(&u, y, &height) == 0);
    CHECK_NEAR(height, 0.1 + fast * e * e * e * since - g / 2 * since * since, 1e-6);
  }
  CHECK(events == 3);
  close_unit(&u);
}

static void intermediate_update(void) {
  for (int leaves = 0; leaves < 2; leaves++) told_of_stone((hn_fmu_def){.version = 3}, leaves, 25);
}

// a model that ends its run itself: a stone that lands
static const char landing_stone[] =
    "name: stone\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n  stone: {type: planar-point, mass: 0.3, position: [0, 1.8], velocity: [8, 6]}\n"
    "events:\n  landed: {when: stone.y < 0, stop: true}\n";

static void ended_by_the_model(void) {
  const double landing = (6 + sqrt(36 + 2 * 9.81 * 1.8)) / 9.81;
  unit u;
  if (open_unit(&u, landing_stone, 2, "stone") && instantiate(&u, false) &&
      CHECK(initialise(&u) == 0)) {
    typedef int (*boolean_fn)(void *, int, int *);
    typedef int (*real_fn)(void *, int, double *);
    int ended = 1;
    double last = 0;
    CHECK(step(&u, 0, 1) == 0);
    CHECK(CALL(&u, boolean_fn, "fmi2GetBooleanStatus")(u.instance, 3, &ended) == 0 && !ended);
    CHECK(step(&u, 1, 1) == 2);  // discarded
    CHECK(CALL(&u, boolean_fn, "fmi2GetBooleanStatus")(u.instance, 3, &ended) == 0 && ended);
    CHECK(CALL(&u, boolean_fn, "fmi2GetBooleanStatus")(u.instance, 0, &ended) == 2);
    CHECK(CALL(&u, real_fn, "fmi2GetRealStatus")(u.instance, 2, &last) == 0);
    CHECK_NEAR(last, landing, 1e-7);
  }
  close_unit(&u);
  if (open_unit(&u, landing_stone, 3, "stone") && instantiate(&u, false) &&
      CHECK(initialise(&u) == 0)) {
    bool event, end = false, early;
    double last = 0;
    CHECK(CALL(&u, step3_fn, "fmi3DoStep")(u.instance, 0, 2, true, &event, &end, &early, &last) ==
          0);
    CHECK(end && !event && !early);
    CHECK_NEAR(last, landing, 1e-7);
  }
  close_unit(&u);
}

// ---- what is refused -----------------------------------------------------------------------

static void refusals(void) {
  char message[256];
  hn_fmu_def def = {.version = 2, .binary = "x", .binary_size = 1};
  const char bad[] = "bodies: {a: {mass: -1}}", file[] = "signals: {s: {file: missing.csv}}";
  CHECK(hn_fmu_write(bad, sizeof bad - 1, "bad", &def, "unused.fmu", message, sizeof message) ==
        HN_ERR_MODEL);
  CHECK(strncmp(message, "bad:1:", 6) == 0);
  CHECK(hn_fmu_write(file, sizeof file - 1, "f", &def, "unused.fmu", message, sizeof message) !=
        HN_OK);
  // a file beside the folder of the model would be unpacked beside the resources
  const char above[] = "bodies: {a: {mass: 1, inertia: [1, 1, 1], shapes: [{mesh: {file: "
                       "../shapes/star.stl, only_drawn: true}}]}}";
  CHECK(hn_fmu_write(above, sizeof above - 1, "tests/robots/m.yaml", &def, "unused.fmu", message,
                     sizeof message) == HN_ERR_UNSUPPORTED);
  CHECK(strstr(message, "which is not in the folder of the model") != NULL);
  def.sources = true;
  CHECK(hn_fmu_write(loop, sizeof loop - 1, "f", &def, "unused.fmu", message, sizeof message) ==
        HN_ERR_UNSUPPORTED);
  CHECK(strstr(message, "steps of one length: give --step") != NULL);
  def.step = 1e-3;
  CHECK(hn_fmu_write(ball, sizeof ball - 1, "f", &def, "unused.fmu", message, sizeof message) ==
        HN_ERR_UNSUPPORTED);
  CHECK(strstr(message, "no code can be written for limits") != NULL);
  CHECK(hn_fmu_write(controlled, sizeof controlled - 1, "f", &def, "unused.fmu", message,
                     sizeof message) == HN_ERR_UNSUPPORTED);
  CHECK(strstr(message, "no code can be written for sampled controllers") != NULL);
  def.version = 1;
  CHECK(hn_fmu_write(loop, sizeof loop - 1, "f", &def, "unused.fmu", message, sizeof message) ==
        HN_ERR_ARGUMENT);
  unit u;
  if (open_unit(&u, loop, 2, "loop")) {
    // another token
    static const callbacks2 call = {NULL, calloc, free, NULL, NULL};
    typedef void *(*fn)(const char *, int, const char *, const char *, const callbacks2 *, int,
                        int);
    CHECK(CALL(&u, fn, "fmi2Instantiate")("u", 1, "{0}", u.folder, &call, 0, 0) == NULL);
    CHECK(CALL(&u, fn, "fmi2Instantiate")("u", 1, u.token, "file:///missing", &call, 0, 0) == NULL);
  }
  close_unit(&u);
}

// Parameters that make other coordinates of the model are refused, and so is everything that is
// asked of such a unit, until they are what they were
static void other_coordinates(void) {
  static const char strip[] =
      "name: strip\n"
      "parameters: {n: 2}\n"
      "simulation: {duration: 0.01}\n"
      "beams:\n"
      "  strip: {type: planar, from: [0, 0], to: [1, 0], elements: n, damping: 0.01,\n"
      "          stiffness: [1e4, 1e4, 1e4, 1, 1, 1], mass: [1, 1, 1, 0.02, 0.01, 0.01]}\n"
      "joints: {clamp: {type: fixed, b: strip.start}}\n"
      "outputs: [strip.end.x]\n";
  unit u;
  double x = 0;
  if (open_unit(&u, strip, 2, "strip") && instantiate(&u, false)) {
    int n = reference_of(&u, "n"), end = reference_of(&u, "strip.end.x");
    CHECK(set(&u, n, 4) == 0 && initialise(&u) != 0);
    CHECK(get(&u, end, &x) != 0);
    CHECK(step(&u, 0, 1e-3) != 0);
    CHECK(set(&u, n, 2) == 0 && step(&u, 0, 1e-3) == 0 && get(&u, end, &x) == 0);
    CHECK_NEAR(x, 1, 1e-9);
  }
  close_unit(&u);
}

// CRC-32 of "123456789" is the check value of the standard
static void checksum(void) {
  CHECK(hn_crc32("123456789", 9) == 0xcbf43926u);
  CHECK(hn_crc32("", 0) == 0);
}

int main(void) {
  // what is not measured is compiled in a hurry
  setenv("HOLON_CFLAGS", "-O0 -ffp-contract=off", 1);
  RUN(checksum);
  RUN(many_models);
  for (int version = 2; version <= 3; version++) {
    inputs_and_parameters(version);
    saved_states(version, false);
    saved_states(version, true);
    start_where_told((hn_fmu_def){.version = version});
  }
  RUN(equals_run);
  RUN(model_exchange);
  RUN(events_outside);
  RUN(early_return);
  RUN(intermediate_update);
  RUN(ended_by_the_model);
  RUN(other_coordinates);
  RUN(refusals);
  return test_end();
}
