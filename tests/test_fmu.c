// test_fmu.c: units of FMI 2.0 and 3.0, unpacked and run by a small importer.
//
// The importer knows nothing of the library but what the archive says: it checks the archive, reads
// the description, loads the binary and calls the functions of the standards.
#include "test.h"

#include "base/file.h"
#include "base/vec.h"
#include "io/zip.h"
#include "robots/xml.h"

#include <dirent.h>
#include <dlfcn.h>
#include <holon/holon.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// ---- the archive ---------------------------------------------------------------------------

static uint32_t number_at(const char *at, int size) {
  uint32_t x = 0;
  for (int i = 0; i < size; i++) x |= (uint32_t)(unsigned char)at[i] << (8 * i);
  return x;
}

// an entry by the directory at the end, checked against its own header and its checksum
static const char *find_entry(const char *zip, size_t length, const char *wanted, size_t *size) {
  const char *end = zip + length - 22, *line = zip + number_at(end + 16, 4);
  if (!CHECK(number_at(end, 4) == 0x06054b50)) return NULL;
  for (uint32_t i = 0; i < number_at(end + 10, 2); i++) {
    uint32_t n = number_at(line + 28, 2), bytes = number_at(line + 20, 4);
    const char *head = zip + number_at(line + 42, 4), *data = head + 30 + n;
    CHECK(number_at(line, 4) == 0x02014b50 && number_at(head, 4) == 0x04034b50);
    CHECK(number_at(head + 26, 2) == n && memcmp(line + 46, head + 30, n) == 0);
    if (n == strlen(wanted) && memcmp(line + 46, wanted, n) == 0) {
      CHECK(hn_crc32(data, bytes) == number_at(line + 16, 4));
      *size = bytes;
      return data;
    }
    line += 46 + n;
  }
  return NULL;
}

static void unpack(const char *data, size_t size, const char *path) {
  char message[256];
  CHECK(hn_file_write(path, data, size, message, sizeof message) == HN_OK);
}

// ---- the importer --------------------------------------------------------------------------

typedef struct unit {
  int version;
  hn_pool pool;
  hn_xml *description;
  void *library;
  size_t size;  // of the archive
  char folder[600], token[64];
  void *instance;
} unit;

#define CALL(u, type, name) ((type)(uintptr_t)dlsym((u)->library, name))

static void on_log2(void *environment, const char *instance, int status, const char *category,
                    const char *message, ...) {
  va_list args;
  va_start(args, message);
  (void)environment, (void)instance, (void)category;
  printf("  FMU says (%d): ", status);
  vprintf(message, args);
  printf("\n");
  va_end(args);
}

static void on_log3(void *environment, int status, const char *category, const char *message) {
  (void)environment, (void)category;
  printf("  FMU says (%d): %s\n", status, message);
}

typedef struct callbacks2 {
  void (*logger)(void *, const char *, int, const char *, const char *, ...);
  void *(*allocate)(size_t, size_t);
  void (*release)(void *);
  void (*finished)(void *, int);
  void *environment;
} callbacks2;

// what the standards require of the description
static void check_description(unit *u, const char *identifier) {
  hn_xml *d = u->description, *cs = hn_xml_child(d, "CoSimulation");
  hn_xml *me = hn_xml_child(d, "ModelExchange"), *v = hn_xml_child(d, "ModelVariables");
  CHECK_STR(d->name, "fmiModelDescription");
  CHECK_STR(hn_xml_get(d, "fmiVersion"), u->version == 2 ? "2.0" : "3.0");
  CHECK(hn_xml_get(d, "modelName") != NULL);
  const char *token = hn_xml_get(d, u->version == 2 ? "guid" : "instantiationToken");
  if (CHECK(token != NULL)) snprintf(u->token, sizeof u->token, "%s", token);
  if (CHECK(cs && me && v && hn_xml_child(d, "ModelStructure"))) {
    CHECK_STR(hn_xml_get(cs, "modelIdentifier"), identifier);
    CHECK_STR(hn_xml_get(me, "modelIdentifier"), identifier);
  }
  // in the order of the schema
  static const char *const order[] = {"ModelExchange", "CoSimulation",      "UnitDefinitions",
                                      "LogCategories", "DefaultExperiment", "ModelVariables",
                                      "ModelStructure"};
  int k = 0;
  for (hn_xml *e = d->first; e; e = e->next, k++) CHECK(k < 7 && !strcmp(e->name, order[k]));
  CHECK(k == 7);
  int expected = 0;
  for (hn_xml *e = v->first; e; e = e->next, expected++) {
    hn_xml *real = u->version == 2 ? hn_xml_child(e, "Real") : e;
    const char *causality = hn_xml_get(e, "causality"), *start = hn_xml_get(real, "start");
    CHECK(real && hn_xml_get(e, "name") && causality && hn_xml_get(e, "variability"));
    CHECK(atoi(hn_xml_get(e, "valueReference")) == expected);
    bool needs = !strcmp(causality, "parameter") || !strcmp(causality, "input") ||
                 (hn_xml_get(e, "initial") && !strcmp(hn_xml_get(e, "initial"), "exact"));
    CHECK((start != NULL) == needs);
    if (hn_xml_get(real, "unit")) {
      bool defined = false;
      hn_xml *units = hn_xml_child(d, "UnitDefinitions");
      for (hn_xml *x = units->first; x; x = x->next)
        defined = defined || !strcmp(hn_xml_get(x, "name"), hn_xml_get(real, "unit"));
      CHECK(defined);
    }
  }
}

static int reference_of(unit *u, const char *name) {
  hn_xml *v = hn_xml_child(u->description, "ModelVariables");
  for (hn_xml *e = v->first; e; e = e->next)
    if (!strcmp(hn_xml_get(e, "name"), name)) return atoi(hn_xml_get(e, "valueReference"));
  return -1;
}

static bool instantiate(unit *u, bool exchange) {
  char resources[800];
  if (u->version == 2) {
    static const callbacks2 call = {on_log2, calloc, free, NULL, NULL};
    typedef void *(*fn)(const char *, int, const char *, const char *, const callbacks2 *, int,
                        int);
    snprintf(resources, sizeof resources, "file://%s/resources", u->folder);
    u->instance =
        CALL(u, fn, "fmi2Instantiate")("unit", !exchange, u->token, resources, &call, 0, 0);
  } else if (exchange) {
    typedef void *(*fn)(const char *, const char *, const char *, bool, bool, void *,
                        void (*)(void *, int, const char *, const char *));
    snprintf(resources, sizeof resources, "%s/resources/", u->folder);
    u->instance = CALL(u, fn, "fmi3InstantiateModelExchange")("unit", u->token, resources, false,
                                                              false, NULL, on_log3);
  } else {
    typedef void *(*fn)(const char *, const char *, const char *, bool, bool, bool, bool,
                        const uint32_t *, size_t, void *,
                        void (*)(void *, int, const char *, const char *), void (*)(void));
    snprintf(resources, sizeof resources, "%s/resources/", u->folder);
    u->instance = CALL(u, fn, "fmi3InstantiateCoSimulation")(
        "unit", u->token, resources, false, false, false, false, NULL, 0, NULL, on_log3, NULL);
  }
  return CHECK(u->instance != NULL);
}

// the shared library of an archive with sources, made as its description says
static bool build(const unit *u, const char *zip, size_t length, const char *library) {
  char path[700], message[HN_MESSAGE], command[4000];
  size_t size = 0;
  const char *part;
  hn_pool pool = {0};
  hn_status status = HN_OK;
  static const char *const header[] = {"token.h", "unit.h", "instance.h"};
  hn_xml *list = hn_xml_child(u->description, "CoSimulation");
  int n = snprintf(command, sizeof command,
                   "cc -O0 -ffp-contract=off -shared -fPIC -DHN_FMU=1 -o %s", library);
  if (u->version == 2) {
    list = hn_xml_child(list, "SourceFiles");
  } else if ((part = find_entry(zip, length, "sources/buildDescription.xml", &size))) {
    hn_xml *root = hn_xml_parse(&pool, part, size, "build", 0, &status, message);
    if (!CHECK(root != NULL)) return false;
    CHECK_STR(hn_xml_get(root, "fmiVersion"), "3.0");
    hn_xml *how = hn_xml_child(root, "BuildConfiguration");
    CHECK_STR(hn_xml_get(how, "modelIdentifier"), hn_xml_get(list, "modelIdentifier"));
    list = hn_xml_child(how, "SourceFileSet");
    CHECK_STR(hn_xml_get(hn_xml_child(list, "PreprocessorDefinition"), "name"), "HN_FMU");
  }
  for (hn_xml *e = CHECK(list != NULL) ? list->first : NULL; e; e = e->next)
    if (strcmp(e->name, "PreprocessorDefinition") != 0)
      n += snprintf(command + n, sizeof command - (size_t)n, " %s/sources/%s", u->folder,
                    hn_xml_get(e, "name"));
  snprintf(command + n, sizeof command - (size_t)n, " -lm");
  snprintf(path, sizeof path, "%s/sources", u->folder);
  mkdir(path, 0700);
  static const char *const source[] = {"unit.c", "coded.c", "adjoint.c", "fmi2.c", "fmi3.c"};
  for (int i = 0; i < 8; i++) {
    const char *file = i < 3 ? header[i] : source[i - 3];
    if (!strcmp(file, u->version == 2 ? "fmi3.c" : "fmi2.c")) continue;
    snprintf(path, sizeof path, "sources/%s", file);
    if (!CHECK((part = find_entry(zip, length, path, &size)) != NULL)) continue;
    snprintf(path, sizeof path, "%s/sources/%s", u->folder, file);
    unpack(part, size, path);
  }
  hn_pool_free(&pool);
  return CHECK(system(command) == 0);
}

static bool open_unit_as(unit *u, const char *text, hn_fmu_def def, const char *identifier) {
  int version = def.version;
  char path[700], message[HN_MESSAGE], name[120];
  char *zip = NULL, *binary = NULL;
  size_t length = 0, size = 0;
  const char *part;
  hn_status status = HN_OK;
  *u = (unit){.version = version};
  test_scratch(u->folder, sizeof u->folder, "unit");
  snprintf(u->folder + strlen(u->folder), 40, "_%d_%d", (int)getpid(), version);
  mkdir(u->folder, 0700);
  snprintf(path, sizeof path, "%s/resources", u->folder);
  mkdir(path, 0700);
  if (!CHECK(hn_load_file(&binary, &size, HN_FMU_BINARY, message) == HN_OK)) return false;
  def.binary = binary, def.binary_size = size;
  snprintf(path, sizeof path, "%s/unit.fmu", u->folder);
  status = hn_fmu_write(text, strlen(text), "test", &def, path, message, sizeof message);
  free(binary);
  if (!CHECK(status == HN_OK)) return printf("  %s\n", message), false;
  CHECK(hn_load_file(&zip, &length, path, message) == HN_OK);
  if ((part = find_entry(zip, length, "modelDescription.xml", &size)))
    u->description = hn_xml_parse(&u->pool, part, size, "description", 0, &status, message);
  bool good = CHECK(u->description != NULL);
  if (good) check_description(u, identifier);
  if ((part = find_entry(zip, length, "resources/model.yaml", &size))) {
    snprintf(path, sizeof path, "%s/resources/model.yaml", u->folder);
    unpack(part, size, path);
  }
  snprintf(name, sizeof name, "binaries/%s/%s.so", version == 2 ? "linux64" : "x86_64-linux",
           identifier);
  part = find_entry(zip, length, name, &size);
  u->size = length;
  snprintf(path, sizeof path, "%s/%s.so", u->folder, identifier);
  if (part)
    unpack(part, size, path);
  else
    good = CHECK(def.sources) && build(u, zip, length, path) && good;
  if (good) {
    u->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    good = CHECK(u->library != NULL) && good;
  }
  free(zip);
  return good;
}

static bool open_unit(unit *u, const char *text, int version, const char *identifier) {
  return open_unit_as(u, text, (hn_fmu_def){.version = version}, identifier);
}

typedef void (*free_fn)(void *);
static void free_instance(unit *u) {
  if (u->instance)
    CALL(u, free_fn, u->version == 2 ? "fmi2FreeInstance" : "fmi3FreeInstance")(u->instance);
  u->instance = NULL;
}

static void clear_folder(const char *path) {
  char inner[800];
  DIR *folder = opendir(path);
  for (struct dirent *e; folder && (e = readdir(folder));)
    if (snprintf(inner, sizeof inner, "%s/%s", path, e->d_name) > 0) remove(inner);
  if (folder) closedir(folder);
  CHECK(remove(path) == 0);
}

static void close_unit(unit *u) {
  char path[700];
  free_instance(u);
  if (u->library) dlclose(u->library);
  hn_pool_free(&u->pool);
  static const char *const part[] = {"resources", "sources"};
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/%s", u->folder, part[i]);
    if (access(path, F_OK) == 0) clear_folder(path);
  }
  clear_folder(u->folder);
}

static int get(unit *u, int vr, double *x) {
  unsigned r = (unsigned)vr;
  typedef int (*fn2)(void *, const unsigned *, size_t, double *);
  typedef int (*fn3)(void *, const unsigned *, size_t, double *, size_t);
  return u->version == 2 ? CALL(u, fn2, "fmi2GetReal")(u->instance, &r, 1, x)
                         : CALL(u, fn3, "fmi3GetFloat64")(u->instance, &r, 1, x, 1);
}

static int set(unit *u, int vr, double x) {
  unsigned r = (unsigned)vr;
  typedef int (*fn2)(void *, const unsigned *, size_t, const double *);
  typedef int (*fn3)(void *, const unsigned *, size_t, const double *, size_t);
  return u->version == 2 ? CALL(u, fn2, "fmi2SetReal")(u->instance, &r, 1, &x)
                         : CALL(u, fn3, "fmi3SetFloat64")(u->instance, &r, 1, &x, 1);
}

static int initialise(unit *u) {
  if (u->version == 2) {
    typedef int (*setup)(void *, int, double, double, int, double);
    typedef int (*mode)(void *);
    int s = CALL(u, setup, "fmi2SetupExperiment")(u->instance, 0, 0, 0, 0, 0);
    s |= CALL(u, mode, "fmi2EnterInitializationMode")(u->instance);
    return s | CALL(u, mode, "fmi2ExitInitializationMode")(u->instance);
  }
  typedef int (*enter)(void *, bool, double, double, bool, double);
  typedef int (*leave)(void *);
  int s = CALL(u, enter, "fmi3EnterInitializationMode")(u->instance, false, 0, 0, false, 0);
  return s | CALL(u, leave, "fmi3ExitInitializationMode")(u->instance);
}

static int step(unit *u, double t, double h) {
  typedef int (*fn2)(void *, double, double, int);
  typedef int (*fn3)(void *, double, double, bool, bool *, bool *, bool *, double *);
  bool event, end, early;
  double last;
  if (u->version == 2) return CALL(u, fn2, "fmi2DoStep")(u->instance, t, h, 1);
  int s = CALL(u, fn3, "fmi3DoStep")(u->instance, t, h, true, &event, &end, &early, &last);
  CHECK(!event && !end && !early);
  CHECK_NEAR(last, t + h, 1e-15);
  return s;
}

// ---- co-simulation against the library -----------------------------------------------------

typedef struct peer {
  hn_model *model;
  hn_system *sys;
  hn_sim *sim;
} peer;

// step > 0: by the classical method with this step; coded: in the coordinates that code has
static bool open_peer_with(peer *p, const char *text, double step, bool coded) {
  char message[256] = "";
  *p = (peer){.model = hn_model_create()};
  bool ok = hn_model_parse(p->model, text, strlen(text), "test") == HN_OK;
  hn_options *o = hn_model_options(p->model);
  if (step > 0) {
    o->step = step;
    snprintf(o->integrator, sizeof o->integrator, "rk4");
  }
  if (coded) snprintf(o->code, sizeof o->code, "written");
  ok = ok && hn_compile(&p->sys, p->model) == HN_OK &&
       hn_sim_create(&p->sim, p->sys, hn_model_options(p->model), message, sizeof message) == HN_OK;
  if (!CHECK(ok)) printf("  %s%s\n", hn_model_error(p->model), message);
  return ok;
}

static bool open_peer(peer *p, const char *text) {
  return open_peer_with(p, text, 0, false);
}

static void close_peer(peer *p) {
  hn_sim_destroy(p->sim);
  hn_system_destroy(p->sys);
  hn_model_destroy(p->model);
}

// largest difference of all outputs, relative to their size or 1
static double difference(unit *u, const peer *p) {
  double *row = calloc((size_t)hn_column_count(p->sys) + 1, sizeof *row), worst = 0;
  int compared = 0;
  CHECK(hn_sim_row(p->sim, row) == HN_OK);
  for (int i = 0; i < hn_column_count(p->sys); i++) {
    int vr = reference_of(u, hn_column_name(p->sys, i));
    double x;
    if (vr < 0) continue;
    CHECK(get(u, vr, &x) == 0);
    worst = fmax(worst, fabs(x - row[i]) / fmax(1, fabs(row[i])));
    compared++;
  }
  CHECK(compared > 1);
  free(row);
  return worst;
}

static const char *text_of(const char *name) {
  for (int i = 0; hn_example_name(i); i++)
    if (!strcmp(hn_example_name(i), name)) return hn_example_text(i);
  return NULL;
}

static void co_simulate(const char *text, const char *identifier, hn_fmu_def def, double end) {
  unit u;
  peer p;
  double worst = 0;
  int version = def.version;
  bool own = def.coded || def.sources;
  if (open_unit_as(&u, text, def, identifier) &&
      open_peer_with(&p, text, own ? def.step : 0, own)) {
    // small where it has code of its own
    CHECK(!own || u.size <= 400e3);
    if (instantiate(&u, false) && CHECK(initialise(&u) == 0)) {
      const int steps = 10;
      worst = difference(&u, &p);
      for (int k = 0; k < steps; k++) {
        double t = k * end / steps;
        CHECK(step(&u, t, (k + 1) * end / steps - t) == 0);
        CHECK(hn_advance(p.sim, (k + 1) * end / steps) == HN_OK);
        worst = fmax(worst, difference(&u, &p));
      }
    }
    close_peer(&p);
  }
  if (!CHECK(worst <= 1e-9)) printf("  %s, FMI %d: %.1e\n", identifier, version, worst);
  close_unit(&u);
}

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

// the name of the binary, from that of the model
static void identifier_of(char out[64], const char *text) {
  hn_model *m = hn_model_create();
  int n = 0;
  CHECK(hn_model_parse(m, text, strlen(text), "test") == HN_OK);
  for (const char *s = hn_model_name(m); *s && n < 60; s++)
    out[n++] =
        (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ? *s : '_';
  out[n] = 0;
  hn_model_destroy(m);
}

static const char ball[] =
    "name: ball\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n  ball: {type: planar-point, mass: 1, position: [0, 1]}\n"
    "joints:\n  floor: {type: stop, b: ball, at: [0, 0], at_b: [0, 1], axis: [0, 1, 0], radius: "
    "0.1, restitution: 0.8}\n";

static const char controlled[] =
    "name: controlled\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n  arm: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
    "joints:\n  hinge: {type: revolute, b: arm, at: [0, 0]}\n"
    "controllers:\n  pd: {period: 10 ms, formula: -60*hinge.angle - 8*hinge.rate}\n"
    "forces:\n  motor: {type: motor, joint: hinge, law: pd}\n";

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
  }
}

// ---- inputs, parameters, states ------------------------------------------------------------

static const char driven[] = "name: driven\n"
                             "parameters: {L: 0.5, c: 0.2}\n"
                             "gravity: [0, -9.81]\n"
                             "simulation: {rtol: 1e-12, duration: 1, output_step: 0.1}\n"
                             "signals:\n"
                             "  torque: {input: 0.3, unit: N m}\n"
                             "  twice: {formula: 2*torque, unit: N m}\n"
                             "states:\n"
                             "  filtered: {rate: (hinge.angle - filtered)/0.1}\n"
                             "bodies:\n"
                             "  arm: {type: planar, mass: 1, inertia: 0.1, position: [L, 0]}\n"
                             "joints:\n"
                             "  hinge: {type: revolute, b: arm, at: [0, 0]}\n"
                             "forces:\n"
                             "  motor: {type: motor, joint: hinge, law: torque - c*rate}\n";

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

static const char loop[] = "name: loop\n"
                           "gravity: [0, -9.81]\n"
                           "simulation: {rtol: 1e-11}\n"
                           "points: {A: [0, 0], B: [0.3, 0.9], C: [2, 1.5], D: [1.8, 0]}\n"
                           "bodies:\n"
                           "  crank: {type: planar, from: A, to: B, mass: 1}\n"
                           "  coupler: {type: planar, from: B, to: C, mass: 2}\n"
                           "  rocker: {type: planar, from: D, to: C, mass: 1.5}\n"
                           "joints:\n"
                           "  A: {type: revolute, b: crank, at: A}\n"
                           "  B: {type: revolute, a: crank, b: coupler, at: B}\n"
                           "  C: {type: revolute, a: coupler, b: rocker, at: C}\n"
                           "  D: {type: revolute, b: rocker, at: D}\n";

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

// ---- code of its own -----------------------------------------------------------------------

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
  }
  RUN(equals_run);
  RUN(model_exchange);
  RUN(coded_steps);
  RUN(derivatives);
  RUN(refusals);
  unsetenv("HOLON_CFLAGS");
  RUN(speed);
  return test_end();
}
