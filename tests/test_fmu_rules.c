// test_fmu_rules.c: descriptions of FMUs obey the standards, for models of every kind.
#include "test.h"

#include "fmu/fmu.h"
#include "fmu_rules.h"
#include "io/svg.h"

#include <holon/holon.h>

static void describe(const char *text, const char *name, bool coded) {
  hn_fmu *fmu = NULL;
  hn_status status = hn_fmu_create(&fmu, text, strlen(text), name, coded);
  // not all of them have code
  if (CHECK(coded || status == HN_OK))
    for (int version = 2; version <= 3 && !status; version++)
      for (int sources = 0; sources <= (coded && version == 2); sources++) {
        hn_pool pool = {0};
        hn_status parsed = HN_OK;
        char message[HN_MESSAGE];
        rules r = {.version = 0};
        char *xml = hn_fmu_describe(fmu, version, "model", sources);
        hn_xml *root = hn_xml_parse(&pool, xml, strlen(xml), name, 0, &parsed, message);
        if (!CHECK(root && rules_broken(&r, root, version) == NULL))
          printf("  %s, FMI %d: %s\n", name, version, r.fault);
        hn_pool_free(&pool);
        free(xml);
      }
  hn_fmu_destroy(fmu);
}

// of every kind, but none that takes long to compile
static void examples(void) {
  static const char *const name[] = {
      "pendulum",          "four_bar",      "bricard",         "double_wishbone",
      "bouncing_ball",     "shaft_on_beam", "watt_governor",   "slider_crank_clearance",
      "rolling_disk",      "heavy_top",     "equations_skate", "flexible_rod_slider_crank",
      "block_on_slope",    "ratchet",       "newtons_cradle",  "cantilever_roll_up",
      "equations_four_bar"};
  int met = 0;
  for (int i = 0; hn_example_name(i); i++)
    for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
      if (strcmp(hn_example_name(i), name[k]) != 0) continue;
      for (int coded = 0; coded < 2; coded++) describe(hn_example_text(i), name[k], coded);
      met++;
    }
  CHECK(met == (int)(sizeof name / sizeof *name));
}

static const char text[] =
    "name: driven\nparameters: {L: 0.5}\ngravity: [0, -9.81]\n"
    "signals: {torque: {input: 0.3, unit: N m}}\n"
    "bodies: {arm: {type: planar, mass: 1, inertia: 0.1, position: [L, 0]}}\n"
    "joints: {hinge: {type: revolute, b: arm, at: [0, 0]}}\n"
    "forces: {motor: {type: motor, joint: hinge, law: torque}}\n";

// each of these changes breaks a rule, and the rules notice
static void damaged_of(int version) {
  static const char *const change[][3] = {
      {"causality=\"input\"", "causality=\"inout\"", "23"},
      {"variability=\"fixed\"", "variability=\"continuous\"", "23"},
      {"initial=\"exact\"", "initial=\"approx\"", "23"},
      {" initial=\"calculated\"", "", "23"},
      {"name=\"torque\"", "name=\"tor que\"", "23"},
      {"name=\"torque\"", "name=\"L\"", "23"},
      {"valueReference=\"1\"", "valueReference=\"-1\"", "23"},
      {"valueReference=\"2\"", "valueReference=\"9\"", "23"},
      {"start=\"0.3\"", "start=\"0.3f\"", "23"},
      {" start=\"0.3\"", "", "23"},
      {"reinit=\"true\"", "reinit=\"yes\"", "23"},
      {"<BaseUnit rad=\"1\"", "<BaseUnit degree=\"1\"", "23"},
      {"s=\"-1\"", "s=\"-1.5\"", "23"},
      {"<Unit name=\"N m\"", "<Unit name=\"Nm\"", "23"},
      {"<Category name", "<Category text", "23"},
      {"stopTime=\"10\"", "stopTime=\"-1\"", "23"},
      {"tolerance=\"", "tolerance=\"-", "23"},
      {"stepSize=\"0.02\"", "stepSize=\"0\"", "23"},
      {"fmiVersion=\"", "fmiVersion=\"1", "23"},
      {" modelName=\"driven\"", "", "23"},
      {"canHandleVariable", "canHandleVarying", "23"},
      {"LogCategories", "Categories", "23"},
      {"DefaultExperiment", "UnitDefinitions", "23"},
      {"<Unknown index=\"4\"/>", "", "2"},
      {"<Unknown index=\"4\"/>", "<Unknown index=\"5\"/>", "2"},
      {"derivative=\"", "derivative=\"1", "23"},
      {"<Output valueReference=\"3\"/>", "", "3"},
      {"<Output valueReference=\"3\"/>", "<InitialUnknown valueReference=\"3\"/>", "3"},
      {"<InitialUnknown valueReference=\"3\"/>", "", "3"},
      {"</ModelStructure>", "<EventIndicator valueReference=\"1\"/></ModelStructure>", "3"},
      {" intermediateUpdate=\"true\"", "", "3"},
  };
  hn_fmu *fmu = NULL;
  CHECK(hn_fmu_create(&fmu, text, sizeof text - 1, "driven", false) == HN_OK);
  char *xml = hn_fmu_describe(fmu, version, "driven", false);
  for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
    const char *from = change[i][0], *rest = xml;
    hn_pool pool = {0};
    hn_status parsed = HN_OK;
    char message[HN_MESSAGE];
    rules r;
    hn_text t = {0};
    if (!strchr(change[i][2], '0' + version)) continue;
    if (!CHECK(strstr(xml, from) != NULL)) printf("  %s\n", from);
    for (const char *at; (at = strstr(rest, from)); rest = at + strlen(from))
      hn_text_add(&t, "%.*s%s", (int)(at - rest), rest, change[i][1]);
    hn_text_add(&t, "%s", rest);
    hn_xml *root = hn_xml_parse(&pool, t.data, t.length, "damaged", 0, &parsed, message);
    if (!CHECK(root && rules_broken(&r, root, version) != NULL))
      printf("  nobody notices %s -> %s\n", from, change[i][1]);
    hn_pool_free(&pool);
    free(t.data);
  }
  free(xml);
  hn_fmu_destroy(fmu);
}

static void damaged(void) {
  for (int version = 2; version <= 3; version++) damaged_of(version);
}

int main(void) {
  RUN(examples);
  RUN(damaged);
  return test_end();
}
