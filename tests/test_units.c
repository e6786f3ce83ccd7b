// test_units.c: what the units of a formula say it is.
//
// Powers of kilogram, metre and second are held against those written down by hand; a random family
// of products is held against the sum of the powers of its factors, which come from their
// definitions in SI.
#include <math.h>
#include <stdio.h>

#include "expr/dimension.h"
#include "expr/internal.h"
#include "model/model.h"
#include "test.h"

static bool names(void *user, const char *name, size_t length, hn_dimension *d) {
  (void)user;
  if (length == 1 && *name == 'L') *d = (hn_dimension){true, .m = 1};
  return length == 1 && (*name == 'L' || *name == 'k');
}

static void equals(const char *text, hn_dimension wanted) {
  hn_dimension d;
  char message[160] = "";
  int column = 0;
  bool ok = hn_formula_dimension(text, strlen(text), names, NULL, &d, message, &column);
  bool right = ok && d.known == wanted.known &&
               (!d.known || (d.kg == wanted.kg && d.m == wanted.m && d.s == wanted.s &&
                             d.K == wanted.K && d.A == wanted.A));
  if (!CHECK(right))
    printf("  %s: %s kg^%g m^%g s^%g K^%g A^%g, %s\n", text, d.known ? "known" : "unknown", d.kg,
           d.m, d.s, d.K, d.A, message);
}

static void is(const char *text, bool known, double kg, double m, double s) {
  equals(text, (hn_dimension){known, kg, m, s, 0, 0});
}

static void wrong(const char *text, int at, const char *words) {
  hn_dimension d;
  char message[160] = "";
  int column = 0;
  bool ok = hn_formula_dimension(text, strlen(text), names, NULL, &d, message, &column);
  if (!CHECK(!ok && column == at && strstr(message, words)))
    printf("  %s: column %d, %s\n", text, column, message);
}

static void formulas(void) {
  is("3 mm", true, 0, 1, 0);
  is("-3 mm", true, 0, 1, 0);
  is("0.25", false, 0, 0, 0);
  is("60 deg", true, 0, 0, 0);
  is("9.81 m/s^2", true, 0, 1, -2);
  is("15 N*m/(rad/s)", true, 1, 2, -1);
  is("5 m^2", true, 0, 2, 0);
  is("L^2-3*k*L^2", true, 0, 2, 0);
  is("L^-1", true, 0, -1, 0);
  is("5 mm + 0.1", true, 0, 1, 0);
  is("2*5 mm", false, 0, 0, 0);
  is("L*L", true, 0, 2, 0);
  is("L^3/L", true, 0, 2, 0);
  is("sqrt(L*2 m)", true, 0, 1, 0);
  is("L*k", false, 0, 0, 0);
  is("(2 kN)/(3 mm)", true, 1, 0, -2);
  is("hypot(L, 3 in) - 2 ft", true, 0, 1, 0);
  is("if(k > 2, L, 3 mm)", true, 0, 1, 0);
  is("sin(30 deg)*L", false, 0, 0, 0);
  is("atan2(L, 2 mm)", false, 0, 0, 0);
  is("5 bar*2 cm^2", true, 1, 1, -2);
  is("max(L, k)", true, 0, 1, 0);
  is("min (3 mm, L)", true, 0, 1, 0);  // a call, and no minutes
  is("3 kW/(20 rad/s)", true, 1, 2, -2);
  is("24 V*2 A", true, 1, 2, -3);
  is("5 mH*(2 A)^2", true, 1, 2, -2);
  is("60 l/min", true, 0, 3, -1);
  is("2 L", false, 0, 0, 0);  // refused by the parser of formulas, harmless here
  wrong("2 mm + 3 kg", 6, "a length and a mass");
  wrong("L - 5 N", 3, "a length and a force");
  wrong("L^2-L", 4, "an area and a length");
  wrong("L^2+L", 4, "an area and a length");
  wrong("sin(5 s)", 4, "not a time");
  wrong("sin (5 s)", 5, "not a time");
  wrong("hypot(3 mm, 2 kg)", 6, "a length and a mass");
  wrong("24 V - 3 ohm", 6, "a voltage and a resistance");
  wrong("2 kW + 3 kWh", 6, "a power and a torque or energy");
  wrong("1 + 2*(L + 3 rpm)", 10, "a length and a frequency");
}

static void tables(void) {
  const hn_dimension length = {true, .m = 1}, angle = {true, .m = 0},
                     force = {true, .kg = 1, .m = 1, .s = -2},
                     constant = {true, .kg = 1, .m = 2, .s = -2, .A = -1};
  CHECK(hn_unit_allows("m", length) && !hn_unit_allows("m", angle));
  CHECK(hn_unit_allows("m or rad", angle) && !hn_unit_allows("m or rad", force));
  CHECK(hn_unit_allows("m, N", force) && hn_unit_allows("m, N", length));
  CHECK(hn_unit_allows("N/m or N m/rad", (hn_dimension){true, 1, 0, -2, 0, 0}));
  CHECK(hn_unit_allows("N/m or N m/rad", (hn_dimension){true, 1, 2, -2, 0, 0}));
  CHECK(!hn_unit_allows("N/m or N m/rad", force));
  CHECK(hn_unit_allows("kg m^2", (hn_dimension){true, 1, 2, 0, 0, 0}));
  CHECK(hn_unit_allows("m^3/(s Pa^0.5)", (hn_dimension){true, -0.5, 3.5, 0, 0, 0}));
  CHECK(hn_unit_allows("1/s", (hn_dimension){true, 0, 0, -1, 0, 0}) &&
        !hn_unit_allows("1/s", length));
  CHECK(hn_unit_allows("", angle) && !hn_unit_allows("", length));
  CHECK(hn_unit_allows("N m/A or N/A", constant) && !hn_unit_allows("N m/A or N/A", force));
  CHECK(hn_unit_allows("V s", constant) && !hn_unit_allows("ohm", constant));
  // units that formulas do not know, and what is unknown, are let pass
  CHECK(hn_unit_allows("cd", length) && hn_unit_allows("N/m, N/m^2 ...", length));
  CHECK(hn_unit_allows("kg", (hn_dimension){0}));
}

// every unit in the table has a dimension; products add powers
static void products(void) {
  // clang-format off
  static const struct {
    const char *name;
    hn_dimension is;
  } si[] = {{"angle", {.m = 0}},
            {"length", {.m = 1}},
            {"volume", {.m = 3}},
            {"mass", {.kg = 1}},
            {"time", {.s = 1}},
            {"force", {.kg = 1, .m = 1, .s = -2}},
            {"torque", {.kg = 1, .m = 2, .s = -2}},
            {"energy", {.kg = 1, .m = 2, .s = -2}},
            {"power", {.kg = 1, .m = 2, .s = -3}},
            {"pressure", {.kg = 1, .m = -1, .s = -2}},
            {"angular velocity", {.s = -1}},
            {"frequency", {.s = -1}},
            {"temperature", {.K = 1}},
            {"current", {.A = 1}},
            {"charge", {.A = 1, .s = 1}},
            {"voltage", {.kg = 1, .m = 2, .s = -3, .A = -1}},
            {"resistance", {.kg = 1, .m = 2, .s = -3, .A = -2}},
            {"inductance", {.kg = 1, .m = 2, .s = -2, .A = -2}}};
  // clang-format on
  enum { KINDS = sizeof si / sizeof *si };
  int count = 0;
  while (hn_unit_at(count)) count++;
  for (int trial = 0; trial < 3000; trial++) {
    char text[200] = "";
    hn_dimension sum = {.known = true};
    for (int k = 0; k < 4; k++) {
      const hn_unit *unit = hn_unit_at(trial < count ? trial : (int)test_random(0, count - 1e-9));
      int power = (int)test_random(1, 3.99);
      bool over = k && test_random(0, 1) < 0.5;
      snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.3g %s^%d",
               k ? over ? "/" : "*" : "", test_random(1, 9), unit->name, power);
      size_t i = 0;
      while (i < KINDS && strcmp(si[i].name, unit->dimension) != 0) i++;
      if (!CHECK(i < KINDS)) return;
      double sign = over ? -power : power;
      const hn_dimension *is = &si[i].is;
      sum.kg += sign * is->kg, sum.m += sign * is->m, sum.s += sign * is->s;
      sum.K += sign * is->K, sum.A += sign * is->A;
    }
    equals(text, sum);
  }
}

// every unit is as large as its definition says: SI brochure, and for inch, pound and their kin the
// international yard and pound agreement of 1959
static void sizes(void) {
  static const struct {
    const char *name;
    double size;
  } known[] = {{"deg", 0.017453292519943295},
               {"rad", 1},
               {"rev", 6.283185307179586},
               {"mm", 0.001},
               {"cm", 0.01},
               {"m", 1},
               {"km", 1000},
               {"in", 0.0254},
               {"ft", 0.3048},
               {"g", 0.001},
               {"kg", 1},
               {"t", 1000},
               {"lb", 0.45359237},
               {"ms", 0.001},
               {"s", 1},
               {"min", 60},
               {"h", 3600},
               {"N", 1},
               {"kN", 1000},
               {"kgf", 9.80665},
               {"lbf", 4.4482216152605},
               {"Nm", 1},
               {"Pa", 1},
               {"kPa", 1000},
               {"MPa", 1e6},
               {"GPa", 1e9},
               {"bar", 1e5},
               {"psi", 6894.757293168361},
               {"rpm", 0.10471975511965977},
               {"Hz", 1},
               {"degC", 1},
               {"mrad", 1e-3},
               {"um", 1e-6},
               {"l", 1e-3},
               {"ml", 1e-6},
               {"mg", 1e-6},
               {"us", 1e-6},
               {"mN", 1e-3},
               {"MN", 1e6},
               {"mNm", 1e-3},
               {"kNm", 1e3},
               {"kHz", 1e3},
               {"mJ", 1e-3},
               {"J", 1},
               {"kJ", 1e3},
               {"MJ", 1e6},
               {"Wh", 3600},
               {"kWh", 3600000},
               {"mW", 1e-3},
               {"W", 1},
               {"kW", 1e3},
               {"MW", 1e6},
               {"mA", 1e-3},
               {"A", 1},
               {"mAh", 3.6},
               {"Ah", 3600},
               {"mV", 1e-3},
               {"V", 1},
               {"kV", 1e3},
               {"mohm", 1e-3},
               {"ohm", 1},
               {"kohm", 1e3},
               {"uH", 1e-6},
               {"mH", 1e-3},
               {"H", 1}};
  enum { COUNT = sizeof known / sizeof *known };
  CHECK(hn_unit_at(COUNT - 1) && !hn_unit_at(COUNT));
  for (int i = 0; i < COUNT; i++) {
    char text[200];
    const hn_unit *unit = hn_unit_find(known[i].name, strlen(known[i].name));
    if (!CHECK(unit) || !CHECK_REL(unit->factor, known[i].size, known[i].size, 4e-16))
      printf("  %s\n", known[i].name);
    // and as a parameter of a model
    hn_model *model = hn_model_create();
    snprintf(text, sizeof text,
             "parameters: {x: 2.5 %s}\nbodies: {b: {type: planar-point, mass: 1}}\n",
             known[i].name);
    CHECK(hn_model_parse(model, text, strlen(text), "unit") == HN_OK);
    CHECK_REL(model->parameter[0].value, 2.5 * known[i].size, known[i].size, 1e-15);
    hn_model_destroy(model);
  }
}

// what is given in a unit of another dimension is refused, with the place and both dimensions
static void refused(const char *body, const char *words) {
  char text[200];
  hn_model *model = hn_model_create();
  snprintf(text, sizeof text, "bodies:\n  b: {type: planar, %s}\n", body);
  bool no = hn_model_parse(model, text, strlen(text), "unit") != HN_OK;
  const char *said = hn_model_error(model);
  if (!CHECK(no && strncmp(said, "unit:2:", 7) == 0 && strstr(said, words)))
    printf("  %s: %s\n", body, no ? said : "is taken");
  hn_model_destroy(model);
}

static void models(void) {
  refused("mass: 3 mm, inertia: 1", "mass must be in kg, and '3 mm' is a length");
  refused("mass: 3 psi, inertia: 1", "mass must be in kg, and '3 psi' is a pressure");
  refused("mass: 3, inertia: 2 kg", "is a mass");
  refused("mass: 3, inertia: 1, position: [1 kg, 0]", "is a mass");
  refused("mass: 3, inertia: 1, angular_velocity: 3 m/s", "must be in rad/s");
  refused("mass: 3 lbs, inertia: 1", "unknown unit 'lbs'; did you mean 'lb'?");
  refused("mass: 3 degC, inertia: 1", "'3 degC' is a difference of temperatures");
  refused("mass: 3, inertia: 1, position: [2 m + 40 degC, 0]", "a difference of temperatures");
  refused("mass: 3, inertia: 1, position: [2 mm/degC, 0]", "is m degC^-1");
  refused("mass: 3 furlong, inertia: 1", "unknown unit 'furlong'");
}

// and a unit to be shown with a number in SI
static void shown(void) {
  static const struct {
    hn_dimension d;
    const char *unit;
  } known[] = {{{true, .m = 1}, "m"},
               {{true, .kg = 1, .m = 1, .s = -2}, "N"},
               {{true, .kg = 1, .m = 2, .s = -2}, "N m"},
               {{true, .m = 0}, ""},
               {{true, .kg = 1, .m = 1, .s = -3}, "kg m s^-3"},
               {{true, .s = -1}, "1/s"},
               {{true, .kg = 1, .m = 2, .s = -3}, "W"},
               {{true, .kg = 1, .m = 2, .s = -3, .A = -1}, "V"},
               {{true, .kg = 1, .m = 2, .s = -3, .A = -2}, "ohm"},
               {{true, .kg = 1, .m = 2, .s = -2, .A = -1}, "kg m^2 s^-2 A^-1"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    char text[80];
    hn_dimension_unit(known[i].d, text, sizeof text);
    CHECK_STR(text, known[i].unit);
  }
}

// how much longer something gets
static void grows(void) {
  static const char text[] =
      "parameters: {alpha: 12e-3 mm/m/degC, hot: 80 degC - 20 degC, l: 2 m*(1 + alpha*hot)}\n"
      "bodies: {b: {type: planar-point, mass: 1 kg, position: [l, 0]}}\n";
  hn_model *model = hn_model_create();
  if (CHECK(hn_model_parse(model, text, strlen(text), "unit") == HN_OK))
    CHECK_NEAR(model->parameter[2].value, 2.00144, 1e-14);
  hn_model_destroy(model);
}

// ---- motors, and names that units give way to -----------------------------------------------

static const char machine[] = "parameters: {%s}\n"
                              "bodies: {rotor: {type: planar, mass: 1, inertia: 1}}\n"
                              "joints: {shaft: {type: revolute, a: ground, b: rotor}}\n"
                              "forces: {drive: {type: dc-motor, joint: shaft, %s}}\n";

static void motor(const char *keys, const char *words) {
  char text[600];
  hn_model *model = hn_model_create();
  snprintf(text, sizeof text, machine, "", keys);
  bool good = hn_model_parse(model, text, strlen(text), "unit") == HN_OK;
  const char *said = hn_model_error(model);
  if (!CHECK(words ? !good && strncmp(said, "unit:4:", 7) == 0 && strstr(said, words) : good))
    printf("  %s: %s\n", keys, good ? "is taken" : said);
  if (!words && good) {
    const hn_force_def *d = &model->force[0].def;
    CHECK_NEAR(d->resistance, 0.35, 1e-16);
    CHECK_NEAR(d->inductance, 0.0012, 1e-18);
    CHECK_NEAR(d->constant, 0.042, 1e-17);
  }
  hn_model_destroy(model);
}

static void motors(void) {
  motor("voltage: 24 V, resistance: 350 mohm, inductance: 1.2 mH, constant: 42 mNm/A", NULL);
  motor("voltage: 24, resistance: 0.35 V/A, inductance: 1200 uH, constant: 0.042 V*s/rad", NULL);
  motor("voltage: 24 V, resistance: 2 V, constant: 1", "must be in ohm, and '2 V' is a voltage");
  motor("voltage: 24 V, resistance: 2 ohm, constant: 3 Nm",
        "must be in N m/A or N/A, and '3 Nm' is a torque");
  motor("voltage: 24 V, resistance: 2 ohm, inductance: 3 mA, constant: 1", "is a current");
  motor("voltage: 24 volts, resistance: 2 ohm, constant: 1",
        "missing operator before 'volts', or a unit: did you mean 'V'?");
  motor("voltage: 24 furlong, resistance: 2 ohm, constant: 1",
        "missing operator before 'furlong', which is no unit");
  motor("voltage: 24, resistance: 2 ohms, constant: 1", "unknown unit 'ohms'; did you mean 'ohm'?");
  motor("voltage: 24, resistance: 2 furlong, constant: 1", "unknown unit 'furlong'");
}

// formulas of the motion: what is known of them fits the key, or is refused at its place
static void law(const char *text, const char *words) {
  char all[600];
  hn_model *model = hn_model_create();
  snprintf(all, sizeof all,
           "parameters: {k: 100 N/m, F: 3 N, A: 3 cm^2, q: 2}\n"
           "bodies: {b: {type: planar, mass: 1, inertia: 1}}\n"
           "joints: {p: {type: prismatic, a: ground, b: b, axis: x}}\n"
           "forces: {f: {type: motor, joint: p, law: \"%s\"}}\n",
           text);
  bool good = hn_model_parse(model, all, strlen(all), "unit") == HN_OK;
  const char *said = hn_model_error(model);
  if (!CHECK(words ? !good && strncmp(said, "unit:4:", 7) == 0 && strstr(said, words) : good))
    printf("  %s: %s\n", text, good ? "is taken" : said);
  hn_model_destroy(model);
}

static void laws(void) {
  law("F*if(t > 2 s, 1, 0)*2 - k*p.translation", NULL);
  law("20 bar*A - 3*q*F*sin(6 rad/s*t)", NULL);
  law("3 Nm/A0 + q*t", NULL);  // whatever A0 may be: it is not known yet
  law("-k*(p.translation - 3 mm)", NULL);
  law("3 mm", "law must be in N or N m, and '3 mm' is a length");
  law("-k", "law must be in N or N m, and '-k' is a stiffness");
  law("F - 3 mm", "a force and a length");
  law("F*sin(3 s)", "sin takes an angle or a plain number, not a time");
  law("q*(2 s - 3 kg)", "a time and a mass");
}

// t is the time where there is one: 0.2 rad/s t
static void times(void) {
  static const char text[] =
      "bodies: {b: {type: planar, mass: 1, inertia: 1}}\n"
      "joints: {p: {type: revolute, a: ground, b: b}}\n"
      "forces: {f: {type: motor, joint: p, law: \"5 Nm*sin(9 deg/s*t) + 1 N*m\"}}\n";
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  char why[256] = "";
  if (CHECK(hn_model_parse(model, text, strlen(text), "unit") == HN_OK) &&
      CHECK(hn_compile(&sys, model) == HN_OK) &&
      CHECK(hn_sim_create(&sim, sys, hn_model_options(model), why, sizeof why) == HN_OK)) {
    double q[3] = {0}, v[3] = {0}, a[3];
    CHECK(hn_forward(sim, 10, q, v, a, NULL) == HN_OK);
    CHECK_NEAR(a[2], 6, 1e-14);  // 5 sin(90 deg) + 1
  } else {
    printf("  %s %s\n", hn_model_error(model), why);
  }
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(model);
}

// value of the parameter x, which comes last
static void parameter(const char *text, double wanted) {
  char all[200];
  hn_model *model = hn_model_create();
  snprintf(all, sizeof all, "parameters: {%s}\nbodies: {b: {type: planar-point, mass: 1}}\n", text);
  if (CHECK(hn_model_parse(model, all, strlen(all), "unit") == HN_OK))
    CHECK_REL(model->parameter[model->parameter_count - 1].value, wanted, wanted, 4e-16);
  else
    printf("  %s: %s\n", text, hn_model_error(model));
  hn_model_destroy(model);
}

// Files called areas A and inertias J before these were units: they go on meaning what they meant.
static void names_first(void) {
  parameter("A: 3 cm^2, x: 10 bar*A", 300);
  parameter("A: 2, x: 10 N/A", 5);
  parameter("x: 10 N/A", 10);
  parameter("x: 24 V*2 A", 48);
  // behind a number there is no product, and both could be meant
  char text[] = "parameters: {V: 3, x: 2 V}\nbodies: {b: {type: planar-point, mass: 1}}\n";
  hn_model *model = hn_model_create();
  CHECK(hn_model_parse(model, text, strlen(text), "unit") != HN_OK &&
        strstr(hn_model_error(model), "'V' is a unit and also a parameter here"));
  hn_model_destroy(model);
  // signals, states and columns that are called so, beside quantities that have the unit
  static const char signals[] =
      "bodies: {rotor: {type: planar, mass: 1, inertia: 1}}\n"
      "joints: {shaft: {type: revolute, a: ground, b: rotor}}\n"
      "signals: {V: {input: 3}, W: {formula: V*t + 2 V}, A: {formula: 12 V/K0, unit: A}, K0: 4}\n"
      "states: {J: {rate: W - J}}\n"
      "forces: {drive: {type: motor, joint: shaft, law: 'V + 5 N*A + 2 J - J*0'}}\n";
  model = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  char why[256] = "";
  if (CHECK(hn_model_parse(model, signals, strlen(signals), "unit") == HN_OK) &&
      CHECK(hn_compile(&sys, model) == HN_OK) &&
      CHECK(hn_sim_create(&sim, sys, hn_model_options(model), why, sizeof why) == HN_OK)) {
    // V + 5 A + 2 with the signals V = 3 and A = 12/4
    CHECK_NEAR(hn_accelerations(sim)[2], 20, 1e-13);
  } else {
    printf("  %s %s\n", hn_model_error(model), why);
  }
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(model);
}

int main(void) {
  RUN(shown);
  RUN(grows);
  RUN(sizes);
  RUN(models);
  RUN(formulas);
  RUN(motors);
  RUN(laws);
  RUN(times);
  RUN(names_first);
  RUN(tables);
  RUN(products);
  return test_end();
}
