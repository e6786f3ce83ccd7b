// fmu_rules.h: what the standards FMI 2.0.4 and 3.0.2 require of modelDescription.xml, as far as
// the elements go that we write: names, order, words, numbers, structure.
#ifndef HN_FMU_RULES_H
#define HN_FMU_RULES_H

#include "base/base.h"
#include "robots/xml.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the first rule that is broken
typedef struct rules {
  int version;
  hn_xml *root, *variables, *structure;
  char fault[200];
} rules;

static inline bool rule(rules *r, bool holds, const char *what, const char *where) {
  if (!holds && !*r->fault) snprintf(r->fault, sizeof r->fault, "%s: %s", what, where ? where : "");
  return holds;
}

// attributes that each element may have: b boolean, n number, u unsigned, i integer, t text;
// capital letters: it must have them
static inline const char *rule_attributes(const char *element, int version) {
  static const char *const table[][3] = {
      {"fmiModelDescription",
       "T:fmiVersion T:modelName T:guid t:description t:generationTool "
       "t:variableNamingConvention u:numberOfEventIndicators",
       "T:fmiVersion T:modelName T:instantiationToken t:description t:generationTool "
       "t:variableNamingConvention"},
      {"ModelExchange",
       "T:modelIdentifier b:canGetAndSetFMUstate b:canSerializeFMUstate "
       "b:providesDirectionalDerivative b:canNotUseMemoryManagementFunctions",
       "T:modelIdentifier b:canGetAndSetFMUState b:canSerializeFMUState "
       "b:providesDirectionalDerivatives b:providesAdjointDerivatives "
       "b:needsCompletedIntegratorStep"},
      {"CoSimulation",
       "T:modelIdentifier b:canGetAndSetFMUstate b:canSerializeFMUstate "
       "b:providesDirectionalDerivative b:canNotUseMemoryManagementFunctions "
       "b:canHandleVariableCommunicationStepSize",
       "T:modelIdentifier b:canGetAndSetFMUState b:canSerializeFMUState "
       "b:providesDirectionalDerivatives b:providesAdjointDerivatives "
       "b:canHandleVariableCommunicationStepSize b:hasEventMode b:mightReturnEarlyFromDoStep "
       "b:providesIntermediateUpdate b:canReturnEarlyAfterIntermediateUpdate"},
      {"SourceFiles", "", NULL},
      {"File", "T:name", NULL},
      {"UnitDefinitions", "", ""},
      {"Unit", "T:name", "T:name"},
      {"BaseUnit", "i:kg i:m i:s i:rad n:factor", "i:kg i:m i:s i:rad n:factor"},
      {"LogCategories", "", ""},
      {"Category", "T:name t:description", "T:name t:description"},
      {"DefaultExperiment", "n:startTime n:stopTime n:tolerance n:stepSize",
       "n:startTime n:stopTime n:tolerance n:stepSize"},
      {"ModelVariables", "", ""},
      {"ScalarVariable", "T:name U:valueReference T:causality T:variability t:initial", NULL},
      {"Real", "t:unit n:start u:derivative b:reinit", NULL},
      {"Float64", NULL,
       "T:name U:valueReference T:causality T:variability t:initial t:unit n:start u:derivative "
       "b:reinit b:intermediateUpdate"},
      {"ModelStructure", "", ""},
      {"Outputs", "", NULL},
      {"Derivatives", "", NULL},
      {"InitialUnknowns", "", NULL},
      {"Unknown", "U:index", NULL},
      {"Output", NULL, "U:valueReference"},
      {"ContinuousStateDerivative", NULL, "U:valueReference"},
      {"InitialUnknown", NULL, "U:valueReference"},
      {"EventIndicator", NULL, "U:valueReference"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i][0], element)) return table[i][version - 1];
  return NULL;
}

static inline bool rule_value(char kind, const char *text) {
  char *end;
  double x;
  switch (tolower(kind)) {
  case 'b': return !strcmp(text, "true") || !strcmp(text, "false");
  case 'n': x = strtod(text, &end); return isfinite(x) && *text && !*end && !strpbrk(text, "xX");
  case 'u': return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 10;
  case 'i':
    text += *text == '-';
    return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 4;
  default:
    // normalized: in one line
    return !strpbrk(text, "\t\r\n");
  }
}

static inline void rule_element(rules *r, hn_xml *e) {
  char word[80];
  const char *list = rule_attributes(e->name, r->version);
  if (!rule(r, list != NULL, "no such element", e->name)) return;
  for (hn_xml_attribute *a = e->attribute; a; a = a->next) {
    bool known = false;
    for (const char *s = list; *s; s += strcspn(s, " "), s += *s == ' ') {
      size_t n = strcspn(s, " ") - 2;
      if (strlen(a->name) != n || memcmp(a->name, s + 2, n) != 0) continue;
      known = true;
      rule(r, rule_value(s[0], a->value), "no such value", a->name);
    }
    rule(r, known, "no such attribute", a->name);
  }
  for (const char *s = list; *s; s += strcspn(s, " "), s += *s == ' ') {
    snprintf(word, sizeof word, "%.*s", (int)strcspn(s, " ") - 2, s + 2);
    if (isupper((unsigned char)*s)) rule(r, hn_xml_get(e, word) != NULL, "missing", word);
  }
  for (hn_xml *c = e->first; c; c = c->next) rule_element(r, c);
}

// children come in this order; those in capital letters must be there, empty lists must not
static inline void rule_order(rules *r, hn_xml *e, const char *const *order) {
  int k = 0;
  for (hn_xml *c = e->first; c; c = c->next) {
    while (order[k] && strcmp(order[k], c->name) != 0) k++;
    if (!rule(r, order[k] != NULL, "not in order", c->name)) return;
  }
}

// "structured" names: words with indices, joined by points; der() of them
static inline bool rule_structured(const char *s) {
  size_t n = strlen(s);
  bool rate = !strncmp(s, "der(", 4);
  if (rate && s[n - 1] != ')') return false;
  const char *end = s + n - rate;
  for (s += rate ? 4 : 0;; s++) {
    if (!isalpha((unsigned char)*s) && *s != '_') return false;
    while (s < end && (isalnum((unsigned char)*s) || *s == '_')) s++;
    if (s < end && *s == '[') {
      size_t digits = strspn(s + 1, "0123456789,");
      if (!digits || s[1 + digits] != ']') return false;
      s += digits + 2;
    }
    if (s == end) return true;
    if (*s != '.') return false;
  }
}

// which of them go together (2.2.7 of FMI 2, 2.4.7.4 of FMI 3)
static inline bool rule_words(const char *causality, const char *variability, const char *initial) {
  static const char *const table[][3] = {
      {"independent", "continuous", ""},
      {"parameter", "fixed tunable", "exact"},
      {"input", "discrete continuous", ""},
      {"output", "discrete continuous", "calculated exact"},
      {"local", "continuous", "calculated exact"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i][0], causality))
      return hn_word_in(variability, table[i][1]) &&
             (initial ? hn_word_in(initial, table[i][2]) : !*table[i][2]);
  return false;
}

static inline hn_xml *rule_variable(const rules *r, int index) {
  hn_xml *e = r->variables->first;
  for (; e && index > 0; index--) e = e->next;
  return e;
}

static inline hn_xml *rule_real(const rules *r, hn_xml *e) {
  return r->version == 2 ? hn_xml_child(e, "Real") : e;
}

static inline void rule_one_variable(rules *r, hn_xml *e, int index) {
  hn_xml *real = rule_real(r, e), *units = hn_xml_child(r->root, "UnitDefinitions");
  const char *name = hn_xml_get(e, "name"), *causality = hn_xml_get(e, "causality");
  const char *initial = hn_xml_get(e, "initial"), *unit = real ? hn_xml_get(real, "unit") : NULL;
  if (!rule(r, real != NULL, "a variable has no type", name)) return;
  rule(r, atoi(hn_xml_get(e, "valueReference")) == index, "value references are indices", name);
  rule(r, rule_structured(name), "is no structured name", name);
  rule(r, rule_words(causality, hn_xml_get(e, "variability"), initial), "words that do not fit",
       name);
  for (hn_xml *x = r->variables->first; x != e; x = x->next)
    rule(r, strcmp(hn_xml_get(x, "name"), name) != 0, "twice", name);
  bool starts = !strcmp(causality, "parameter") || !strcmp(causality, "input") ||
                (initial && !strcmp(initial, "exact"));
  rule(r, (hn_xml_get(real, "start") != NULL) == starts, "start", name);
  bool state = !strncmp(name, "state.", 6), me = hn_xml_child(r->root, "ModelExchange") != NULL;
  rule(r, (hn_xml_get(real, "reinit") != NULL) == (me && state), "states are set anew", name);
  bool output = !strcmp(causality, "output");
  rule(r, (hn_xml_get(real, "intermediateUpdate") != NULL) == (output && r->version == 3),
       "outputs are told between", name);
  bool defined = !unit;
  for (hn_xml *x = units ? units->first : NULL; x; x = x->next)
    defined = defined || !strcmp(hn_xml_get(x, "name"), unit);
  rule(r, defined, "unit is not defined", name);
  // a rate belongs to a state
  const char *of = hn_xml_get(real, "derivative");
  hn_xml *known = of ? rule_variable(r, atoi(of) - (r->version == 2)) : NULL;
  const char *start = known ? hn_xml_get(known, "initial") : NULL;
  rule(r, !of || (start && !strcmp(start, "exact")), "a rate of what is no state", name);
}

// is the variable in this list of the structure?
static inline bool rule_wanted(const rules *r, hn_xml *e, int list) {
  bool output = !strcmp(hn_xml_get(e, "causality"), "output");
  bool rate = hn_xml_get(rule_real(r, e), "derivative") != NULL;
  if (list == 3) return !strncmp(hn_xml_get(e, "name"), "indicator", 9);
  return list == 0 ? output : list == 1 ? rate : output || rate;
}

// every list has exactly the variables it must have, in their order
static inline void rule_structure(rules *r) {
  static const char *const list[][2] = {{"Outputs", "Output"},
                                        {"Derivatives", "ContinuousStateDerivative"},
                                        {"InitialUnknowns", "InitialUnknown"},
                                        {NULL, "EventIndicator"}};
  for (int k = 0; k < 4; k++) {
    bool old = r->version == 2;
    if (old && !list[k][0]) continue;
    hn_xml *section = old ? hn_xml_child(r->structure, list[k][0]) : r->structure;
    hn_xml *next = section ? section->first : NULL;
    const char *word = old ? "Unknown" : list[k][1], *key = old ? "index" : "valueReference";
    rule(r, !section || section->first != NULL, "an empty list", list[k][0]);
    int index = 0;
    for (hn_xml *e = r->variables->first; e; e = e->next, index++) {
      if (!rule_wanted(r, e, k)) continue;
      while (next && strcmp(next->name, word) != 0) next = next->next;
      if (!rule(r, next != NULL, "not in the structure", hn_xml_get(e, "name"))) return;
      rule(r, atoi(hn_xml_get(next, key)) == index + old, "structure", hn_xml_get(e, "name"));
      next = next->next;
    }
    while (next && strcmp(next->name, word) != 0) next = next->next;
    rule(r, next == NULL, "too many in the structure", word);
  }
}

static inline void rule_experiment(rules *r) {
  hn_xml *e = hn_xml_child(r->root, "DefaultExperiment");
  if (!rule(r, e != NULL, "missing", "DefaultExperiment")) return;
  rule(r, atof(hn_xml_get(e, "stopTime")) > atof(hn_xml_get(e, "startTime")), "time", "stopTime");
  rule(r, atof(hn_xml_get(e, "tolerance")) > 0, "not above zero", "tolerance");
  rule(r, atof(hn_xml_get(e, "stepSize")) > 0, "not above zero", "stepSize");
}

// NULL, or which rule is broken, in r->fault
static inline const char *rules_broken(rules *r, hn_xml *root, int version) {
  static const char *const order[] = {
      "ModelExchange",     "CoSimulation",   "UnitDefinitions", "LogCategories",
      "DefaultExperiment", "ModelVariables", "ModelStructure",  NULL};
  static const char *const lists[][6] = {
      {"Outputs", "Derivatives", "InitialUnknowns", NULL},
      {"Output", "ContinuousStateDerivative", "InitialUnknown", "EventIndicator", NULL}};
  *r = (rules){.version = version, .root = root};
  r->variables = hn_xml_child(root, "ModelVariables");
  r->structure = hn_xml_child(root, "ModelStructure");
  rule(r, !strcmp(root->name, "fmiModelDescription"), "root", root->name);
  rule_element(r, root);
  rule_order(r, root, order);
  if (*r->fault) return r->fault;
  rule(r, !strcmp(hn_xml_get(root, "fmiVersion"), version == 2 ? "2.0" : "3.0"), "version", NULL);
  rule(r, hn_xml_child(root, "CoSimulation") != NULL, "missing", "CoSimulation");
  rule(r, r->variables && r->variables->first, "missing", "ModelVariables");
  rule(r, r->structure != NULL, "missing", "ModelStructure");
  if (*r->fault) return r->fault;
  rule_order(r, r->structure, lists[version - 2]);
  int index = 0;
  for (hn_xml *e = r->variables->first; e; e = e->next) rule_one_variable(r, e, index++);
  if (*r->fault) return r->fault;
  rule_structure(r);
  rule_experiment(r);
  return *r->fault ? r->fault : NULL;
}

#endif
