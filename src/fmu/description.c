// description.c: modelDescription.xml of an FMU.
//
// Value references are the indices of fmu->variable, the same in both versions; FMI 2 additionally
// counts variables from 1 where it refers to their place (derivative=, Unknown index=).
#include "fmu/fmu.h"

#include "base/file.h"
#include "io/svg.h"

#include <stdlib.h>
#include <string.h>

// FNV-1a over the text, four times with different starts
// Not for security: two models that differ must have different tokens, and the same one the same.
void hn_fmu_token(char out[40], const char *text, size_t length) {
  // starts of the four: the usual one of FNV-1a, and others far from it
  unsigned h[4] = {2166136261u, 2166136261u ^ 0x9e3779b9u, 0x85ebca6bu, 0xc2b2ae35u};
  for (int k = 0; k < 4; k++)
    // 32 bits at a time wrap round, as the hash wants it
    for (size_t i = 0; i < length; i++) h[k] = (h[k] ^ (unsigned char)text[i]) * 16777619u;
  snprintf(out, 40, "{%08x-%04x-%04x-%04x-%04x%08x}", h[0], h[1] >> 16, h[1] & 0xffff, h[2] >> 16,
           h[2] & 0xffff, h[3]);
}

// Names and descriptions are the user's; what XML cannot have is escaped or replaced (svg.c).
static void attribute(hn_text *t, const char *name, const char *value) {
  hn_text_add(t, " %s=\"", name);
  hn_text_xml(t, value);
  hn_text_add(t, "\"");
}

static void number(hn_text *t, const char *name, double x) {
  char text[HN_NUMBER_SIZE];
  // the shortest text that reads as the same double
  hn_number_text(text, x);
  attribute(t, name, text);
}

// ---- units ---------------------------------------------------------------------------------

// every unit once; what they are made of is known for those of mechanics
// Quadratic in the variables, which differ in few units; those without a known make-up are named
// only.
static void put_units(hn_text *t, const hn_fmu *fmu) {
  static const char *const known[][2] = {
      {"m", "m=\"1\""},
      {"s", "s=\"1\""},
      {"rad", "rad=\"1\""},
      {"kg", "kg=\"1\""},
      {"m/s", "m=\"1\" s=\"-1\""},
      {"rad/s", "rad=\"1\" s=\"-1\""},
      {"m/s^2", "m=\"1\" s=\"-2\""},
      {"N", "kg=\"1\" m=\"1\" s=\"-2\""},
      {"N m", "kg=\"1\" m=\"2\" s=\"-2\""},
      {"J", "kg=\"1\" m=\"2\" s=\"-2\""},
      {"W", "kg=\"1\" m=\"2\" s=\"-3\""},
  };
  hn_text_add(t, "  <UnitDefinitions>\n");
  for (int i = 0; i < fmu->count; i++) {
    const char *unit = fmu->variable[i].unit;
    // variables without a unit have none to define
    bool seen = !*unit;
    for (int k = 0; k < i && !seen; k++) seen = strcmp(fmu->variable[k].unit, unit) == 0;
    if (seen) continue;
    hn_text_add(t, "    <Unit");
    attribute(t, "name", unit);
    const char *base = NULL;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
      if (strcmp(known[k][0], unit) == 0) base = known[k][1];
    // without a make-up importers still show the name
    hn_text_add(t, base ? "><BaseUnit %s/></Unit>\n" : "/>\n%s", base ? base : "");
  }
  hn_text_add(t, "  </UnitDefinitions>\n");
}

// ---- variables -----------------------------------------------------------------------------

// causality, variability, initial
// As the standards allow them: `initial` exact for what can be set, calculated for what follows.
static const char *const words[][3] = {
    [HN_FMU_TIME] = {"independent", "continuous", NULL},
    [HN_FMU_PARAMETER] = {"parameter", "fixed", "exact"},
    [HN_FMU_INPUT] = {"input", "continuous", NULL},
    [HN_FMU_OUTPUT] = {"output", "continuous", "calculated"},
    [HN_FMU_INDICATOR] = {"local", "continuous", "calculated"},
    [HN_FMU_STATE] = {"local", "continuous", "exact"},
    [HN_FMU_RATE] = {"local", "continuous", "calculated"},
};

static bool has_start(hn_fmu_role role) {
  // the standards want a start of everything that can be set
  return role == HN_FMU_PARAMETER || role == HN_FMU_INPUT || role == HN_FMU_STATE;
}

// intermediateUpdate: outputs may be asked for between communication points (FMI 3 alone).
static void put_words(hn_text *t, const hn_fmu_variable *v, int index, int version, bool tunable) {
  const char *const *w = words[v->role];
  attribute(t, "name", v->name);
  hn_text_add(t, " valueReference=\"%d\"", index);
  attribute(t, "causality", w[0]);
  // code goes on with other parameters, the library begins anew
  attribute(t, "variability", tunable && v->role == HN_FMU_PARAMETER ? "tunable" : w[1]);
  if (w[2]) attribute(t, "initial", w[2]);
  // between communication points
  if (version == 3 && v->role == HN_FMU_OUTPUT) attribute(t, "intermediateUpdate", "true");
}

// Start values belong to what can be set, and to states, which are exact at the start.
static void put_value(hn_text *t, const hn_fmu *fmu, const hn_fmu_variable *v, int version) {
  // no unit is not the unit "": it would have to be defined
  if (*v->unit) attribute(t, "unit", v->unit);
  if (has_start(v->role)) number(t, "start", v->start);
  // events bring states back onto the constraints, and impacts change velocities
  if (v->role == HN_FMU_STATE && hn_fmu_exchanges(fmu)) attribute(t, "reinit", "true");
  // FMI 2 counts variables from 1
  if (v->role == HN_FMU_RATE)
    hn_text_add(t, " derivative=\"%d\"", fmu->count - 2 * fmu->states + v->index + (version == 2));
}

static void put_variables(hn_text *t, const hn_fmu *fmu, int version) {
  hn_text_add(t, "  <ModelVariables>\n");
  for (int i = 0; i < fmu->count; i++) {
    const hn_fmu_variable *v = &fmu->variable[i];
    // FMI 2 has one element around the type, FMI 3 names the type itself
    hn_text_add(t, version == 2 ? "    <ScalarVariable" : "    <Float64");
    put_words(t, v, i, version, fmu->coded);
    if (version == 2) hn_text_add(t, "><Real");
    put_value(t, fmu, v, version);
    hn_text_add(t, version == 2 ? "/></ScalarVariable>\n" : "/>\n");
  }
  hn_text_add(t, "  </ModelVariables>\n");
}

// `roles`: a bit for each; in the order of variables, as both standards ask
static void put_unknowns(hn_text *t, const hn_fmu *fmu, int version, const char *element,
                         unsigned roles) {
  for (int i = 0; i < fmu->count; i++) {
    if (!(roles >> fmu->variable[i].role & 1)) continue;
    if (version == 2)
      hn_text_add(t, "      <Unknown index=\"%d\"/>\n", i + 1);
    else
      hn_text_add(t, "    <%s valueReference=\"%d\"/>\n", element, i);
  }
}

// Dependencies are not listed, which means that everything may depend on everything.
static void put_structure(hn_text *t, const hn_fmu *fmu, int version) {
  static const struct {
    const char *section, *element;  // NULL: FMI 2 has none
    unsigned roles;
  } list[] = {{"Outputs", "Output", 1u << HN_FMU_OUTPUT},
              {"Derivatives", "ContinuousStateDerivative", 1u << HN_FMU_RATE},
              {"InitialUnknowns", "InitialUnknown", 1u << HN_FMU_OUTPUT | 1u << HN_FMU_RATE},
              {NULL, "EventIndicator", 1u << HN_FMU_INDICATOR}};
  hn_text_add(t, "  <ModelStructure>\n");
  for (int k = 0; k < 4; k++) {
    hn_text part = {0};  // empty sections are not allowed
    if (version == 2 && !list[k].section) continue;
    put_unknowns(&part, fmu, version, list[k].element, list[k].roles);
    // a text that failed stays failed
    if (part.failed) t->failed = true;
    if (part.length && version == 2)
      hn_text_add(t, "    <%s>\n%s    </%s>\n", list[k].section, part.data, list[k].section);
    else if (part.length)
      hn_text_add(t, "%s", part.data);
    free(part.data);
  }
  hn_text_add(t, "  </ModelStructure>\n");
}

// ---- all of it -----------------------------------------------------------------------------

// What an instance can do: save, restore, serialise, derivatives. All kinds can.
static void put_kind(hn_text *t, const char *kind, const char *identifier, int version,
                     const char *more, bool sources) {
  static const char *const can[] = {
      // FMI 2, FMI 3
      "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" "
      "canNotUseMemoryManagementFunctions=\"true\" providesDirectionalDerivative=\"true\"",
      "canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
      "providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\""};
  static const char *const source[] = {"unit.c", "coded.c", "adjoint.c", "fmi2.c"};
  // attributes of FMI 2 and FMI 3 differ in the writing of State as well
  hn_text_add(t, "  <%s", kind);
  attribute(t, "modelIdentifier", identifier);
  hn_text_add(t, " %s%s%s\n", can[version == 3], more, sources ? ">" : "/>");
  // FMI 3 lists sources elsewhere (archive.c)
  if (!sources) return;
  hn_text_add(t, "    <SourceFiles>\n");
  for (int i = 0; i < 4; i++) hn_text_add(t, "      <File name=\"%s\"/>\n", source[i]);
  hn_text_add(t, "    </SourceFiles>\n  </%s>\n", kind);
}

// Model exchange needs right-hand sides that depend on the state alone: sampled controllers exclude
// it (hn_fmu_exchanges).
static void put_kinds(hn_text *t, const hn_fmu *fmu, const char *identifier, int version,
                      bool sources) {
  // by version and kind: FMI 2; FMI 3 of code; FMI 3 of the library
  // nothing switches in code
  static const char *const steps[] = {
      " canHandleVariableCommunicationStepSize=\"true\"",
      " canHandleVariableCommunicationStepSize=\"true\" providesIntermediateUpdate=\"true\""
      " canReturnEarlyAfterIntermediateUpdate=\"true\"",
      " canHandleVariableCommunicationStepSize=\"true\" providesIntermediateUpdate=\"true\""
      " canReturnEarlyAfterIntermediateUpdate=\"true\" hasEventMode=\"true\""
      " mightReturnEarlyFromDoStep=\"true\""};
  if (hn_fmu_exchanges(fmu))
    put_kind(t, "ModelExchange", identifier, version,
             version == 3 ? " needsCompletedIntegratorStep=\"true\"" : "", sources);
  put_kind(t, "CoSimulation", identifier, version,
           steps[version == 2 ? 0
                 : fmu->coded ? 1
                              : 2],
           sources);
}

// The default experiment is what `simulation` of the model file says.
char *hn_fmu_describe(const hn_fmu *fmu, int version, const char *identifier, bool sources) {
  // all of it in one text: hn_text notes once that memory ran out
  hn_text t = {0};
  char token[40];
  hn_fmu_token(token, fmu->text, fmu->length);
  hn_text_add(&t,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%s\"",
              version == 2 ? "2.0" : "3.0");
  attribute(&t, "modelName", hn_model_name(fmu->model));
  attribute(&t, version == 2 ? "guid" : "instantiationToken", token);
  if (fmu->model->description) attribute(&t, "description", fmu->model->description);
  hn_text_add(&t, " generationTool=\"holon %s\" variableNamingConvention=\"structured\"",
              hn_version());
  // FMI 3 counts indicators by their list
  if (version == 2) hn_text_add(&t, " numberOfEventIndicators=\"%d\"", fmu->indicators);
  hn_text_add(&t, ">\n");
  put_kinds(&t, fmu, identifier, version, sources);
  put_units(&t, fmu);
  hn_text_add(&t,
              "  <LogCategories>\n    <Category name=\"logStatusError\"/>\n  </LogCategories>\n");
  const hn_options *o = &fmu->model->options;
  hn_text_add(&t, "  <DefaultExperiment startTime=\"0\"");
  number(&t, "stopTime", o->duration);
  number(&t, "tolerance", o->rtol);
  // without an output step: 500 intervals
  number(&t, "stepSize", o->output_step > 0 ? o->output_step : o->duration / 500);
  hn_text_add(&t, "/>\n");
  put_variables(&t, fmu, version);
  put_structure(&t, fmu, version);
  hn_text_add(&t, "</fmiModelDescription>\n");
  if (!t.failed) return t.data;
  free(t.data);
  return NULL;
}

// ---- for people ----------------------------------------------------------------------------

// A table of variables: what an importer shows to whoever has no page of his own.
char *hn_fmu_page(const hn_fmu *fmu) {
  static const char *const role[] = {
      [HN_FMU_TIME] = "time",           [HN_FMU_PARAMETER] = "parameter", [HN_FMU_INPUT] = "input",
      [HN_FMU_OUTPUT] = "output",       [HN_FMU_INDICATOR] = "indicator", [HN_FMU_STATE] = "state",
      [HN_FMU_RATE] = "rate of a state"};
  hn_text t = {0};
  hn_text_add(&t, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
  hn_text_xml(&t, hn_model_name(fmu->model));
  hn_text_add(&t, "</title></head><body>\n<h1>");
  hn_text_xml(&t, hn_model_name(fmu->model));
  hn_text_add(&t, "</h1>\n<p>");
  if (fmu->model->description) hn_text_xml(&t, fmu->model->description);
  // the ground is a body of the model, and none for people
  hn_text_add(&t,
              "</p>\n<p>%d bodies, %d coordinates, %d constraints. Written by holon %s; the model "
              "is <a href=\"../resources/model.yaml\">resources/model.yaml</a>.</p>\n"
              "<table><tr><th>variable</th><th>unit</th><th>is</th><th>start</th></tr>\n",
              fmu->model->body_count - 1, fmu->sys->nq, fmu->sys->rows, hn_version());
  for (int i = 0; i < fmu->count; i++) {
    const hn_fmu_variable *v = &fmu->variable[i];
    char text[HN_NUMBER_SIZE] = "";
    if (has_start(v->role)) hn_number_text(text, v->start);
    hn_text_add(&t, "<tr><td>");
    hn_text_xml(&t, v->name);
    hn_text_add(&t, "</td><td>");
    hn_text_xml(&t, v->unit);
    hn_text_add(&t, "</td><td>%s</td><td>%s</td></tr>\n", role[v->role], text);
  }
  hn_text_add(&t, "</table>\n</body></html>\n");
  if (!t.failed) return t.data;
  free(t.data);
  return NULL;
}
