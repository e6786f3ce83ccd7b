// fmu_rig.h: a small importer of FMUs, and models beside them.
//
// The importer knows nothing of the library but what the archive says: it checks the archive, reads
// the description, loads the binary and calls the functions of the standards.
#ifndef HN_FMU_RIG_H
#define HN_FMU_RIG_H

#include "fmu_rules.h"
#include "inflate.h"
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

static inline uint32_t number_at(const char *at, int size) {
  uint32_t x = 0;
  for (int i = 0; i < size; i++) x |= (uint32_t)(unsigned char)at[i] << (8 * i);
  return x;
}

// an entry by the directory at the end, checked against its own header and its checksum; free() it
static char *find_entry(const char *zip, size_t length, const char *wanted, size_t *size) {
  const char *end = zip + length - 22, *line = zip + number_at(end + 16, 4);
  if (!CHECK(number_at(end, 4) == 0x06054b50)) return NULL;
  for (uint32_t i = 0; i < number_at(end + 10, 2); i++) {
    uint32_t n = number_at(line + 28, 2), packed = number_at(line + 20, 4);
    const char *head = zip + number_at(line + 42, 4), *data = head + 30 + n;
    CHECK(number_at(line, 4) == 0x02014b50 && number_at(head, 4) == 0x04034b50);
    // versions, method, checksum, sizes; name
    CHECK(memcmp(line + 6, head + 4, 24) == 0 && memcmp(line + 46, head + 30, n) == 0);
    if (n == strlen(wanted) && memcmp(line + 46, wanted, n) == 0) {
      char *bytes = NULL;
      *size = number_at(line + 24, 4);
      CHECK(number_at(line + 10, 2) == (packed < *size ? 8 : 0));
      if (packed < *size)
        bytes = (char *)inflate(data, packed, *size);
      else if ((bytes = malloc(*size + 1)))
        memcpy(bytes, data, *size);
      CHECK(bytes && hn_crc32(bytes, *size) == number_at(line + 16, 4));
      return bytes;
    }
    line += 46 + n;
  }
  return NULL;
}

static inline void unpack(char *data, size_t size, const char *path) {
  char message[256];
  CHECK(hn_file_write(path, data, size, message, sizeof message) == HN_OK);
  free(data);
}

// ---- the importer --------------------------------------------------------------------------

typedef void (*update_fn)(void *, double, bool, bool, bool, bool, bool *, double *);

typedef struct unit {
  int version;
  hn_pool pool;
  hn_xml *description;
  void *library;
  size_t size;  // of the archive
  char folder[600], token[64];
  void *instance;
  // FMI 3 co-simulation: who is told between communication points, and whether steps may end there
  update_fn update;
  void *environment;
  bool leaves;
} unit;

#define CALL(u, type, name) ((type)(uintptr_t)dlsym((u)->library, name))

static inline void on_log2(void *environment, const char *instance, int status,
                           const char *category, const char *message, ...) {
  va_list args;
  va_start(args, message);
  (void)environment, (void)instance, (void)category;
  printf("  FMU says (%d): ", status);
  vprintf(message, args);
  printf("\n");
  va_end(args);
}

static inline void on_log3(void *environment, int status, const char *category,
                           const char *message) {
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
static inline void check_description(unit *u, const char *identifier) {
  hn_xml *d = u->description, *cs = hn_xml_child(d, "CoSimulation");
  hn_xml *me = hn_xml_child(d, "ModelExchange");
  rules r;
  if (!CHECK(rules_broken(&r, d, u->version) == NULL)) printf("  %s\n", r.fault);
  const char *token = hn_xml_get(d, u->version == 2 ? "guid" : "instantiationToken");
  if (CHECK(token != NULL)) snprintf(u->token, sizeof u->token, "%s", token);
  if (cs) CHECK_STR(hn_xml_get(cs, "modelIdentifier"), identifier);
  if (me) CHECK_STR(hn_xml_get(me, "modelIdentifier"), identifier);
}

static inline int reference_of(unit *u, const char *name) {
  hn_xml *v = hn_xml_child(u->description, "ModelVariables");
  for (hn_xml *e = v->first; e; e = e->next)
    if (!strcmp(hn_xml_get(e, "name"), name)) return atoi(hn_xml_get(e, "valueReference"));
  return -1;
}

// events: FMI 3 co-simulation with event mode and early return
static inline bool instantiate_as(unit *u, bool exchange, bool events) {
  char resources[800];
  if (u->version == 2) {
    static const callbacks2 call = {on_log2, calloc, free, NULL, NULL};
    typedef void *(*fn)(const char *, int, const char *, const char *, const callbacks2 *, int,
                        int);
    // RFC 8089 allows a host
    snprintf(resources, sizeof resources, "file://%s%s/resources", exchange ? "localhost" : "",
             u->folder);
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
                        void (*)(void *, int, const char *, const char *), update_fn);
    snprintf(resources, sizeof resources, "%s/resources/", u->folder);
    u->instance = CALL(u, fn, "fmi3InstantiateCoSimulation")(
        "unit", u->token, resources, false, false, events, events || u->leaves, NULL, 0,
        u->environment, on_log3, u->update);
  }
  return CHECK(u->instance != NULL);
}

static inline bool instantiate(unit *u, bool exchange) {
  return instantiate_as(u, exchange, false);
}

// the shared library of an archive with sources, made as its description says
static inline bool build(const unit *u, const char *zip, size_t length, const char *library) {
  char path[700], message[HN_MESSAGE], command[4000];
  size_t size = 0;
  char *part;
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
    free(part);
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

static inline bool open_unit_as(unit *u, const char *text, hn_fmu_def def, const char *identifier) {
  int version = def.version;
  char path[700], message[HN_MESSAGE], name[120];
  char *zip = NULL, *binary = NULL;
  size_t length = 0, size = 0;
  char *part;
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
  part = find_entry(zip, length, "documentation/index.html", &size);
  CHECK(part && size > 100 && !memcmp(part, "<!DOCTYPE html>", 15));
  free(part);
  if ((part = find_entry(zip, length, "modelDescription.xml", &size)))
    u->description = hn_xml_parse(&u->pool, part, size, "description", 0, &status, message);
  free(part);
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

static inline bool open_unit(unit *u, const char *text, int version, const char *identifier) {
  return open_unit_as(u, text, (hn_fmu_def){.version = version}, identifier);
}

typedef void (*free_fn)(void *);
static inline void free_instance(unit *u) {
  if (u->instance)
    CALL(u, free_fn, u->version == 2 ? "fmi2FreeInstance" : "fmi3FreeInstance")(u->instance);
  u->instance = NULL;
}

static inline void clear_folder(const char *path) {
  char inner[800];
  DIR *folder = opendir(path);
  for (struct dirent *e; folder && (e = readdir(folder));)
    if (snprintf(inner, sizeof inner, "%s/%s", path, e->d_name) > 0) remove(inner);
  if (folder) closedir(folder);
  CHECK(remove(path) == 0);
}

static inline void close_unit(unit *u) {
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

static inline int get(unit *u, int vr, double *x) {
  unsigned r = (unsigned)vr;
  typedef int (*fn2)(void *, const unsigned *, size_t, double *);
  typedef int (*fn3)(void *, const unsigned *, size_t, double *, size_t);
  return u->version == 2 ? CALL(u, fn2, "fmi2GetReal")(u->instance, &r, 1, x)
                         : CALL(u, fn3, "fmi3GetFloat64")(u->instance, &r, 1, x, 1);
}

static inline int set(unit *u, int vr, double x) {
  unsigned r = (unsigned)vr;
  typedef int (*fn2)(void *, const unsigned *, size_t, const double *);
  typedef int (*fn3)(void *, const unsigned *, size_t, const double *, size_t);
  return u->version == 2 ? CALL(u, fn2, "fmi2SetReal")(u->instance, &r, 1, &x)
                         : CALL(u, fn3, "fmi3SetFloat64")(u->instance, &r, 1, &x, 1);
}

static inline int initialise(unit *u) {
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

static inline int step(unit *u, double t, double h) {
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

// ---- between communication points ----------------------------------------------------------

// a body that is thrown from 1.8 m with 6 m/s: what it is told on the way, and when it asks to stop
typedef struct thrown {
  unit *u;
  int y;  // its height
  int told;
  double last;   // when it was told last
  double leave;  // asks from this time on; 0: never
  double until;  // and to stop here
} thrown;

__attribute__((unused)) static const char stone[] =
    "name: stone\n"
    "gravity: [0, -9.81]\n"
    "simulation: {step: 0.02, rtol: 1e-10}\n"
    "bodies:\n  stone: {type: planar-point, mass: 0.3, position: [0, 1.8], velocity: [8, 6]}\n";

static inline double height_of_stone(double t) {
  return 1.8 + 6 * t - 9.81 / 2 * t * t;
}

static inline void on_update(void *environment, double time, bool set_requested, bool get_allowed,
                             bool step_finished, bool can_return, bool *asked, double *when) {
  typedef int (*step_fn)(void *, double, double, bool, bool *, bool *, bool *, double *);
  thrown *o = environment;
  double y = 0, last;
  bool event, end, early;
  CHECK(!set_requested && get_allowed && step_finished && can_return == o->u->leaves);
  CHECK(!*asked && time > o->last && get(o->u, o->y, &y) == 0);
  CHECK_NEAR(y, height_of_stone(time), 1e-12);
  if (!o->told) {
    // nothing is set here, and no step is made
    CHECK(set(o->u, o->y, 1) == 3);
    CHECK(CALL(o->u, step_fn, "fmi3DoStep")(o->u->instance, time, 1, true, &event, &end, &early,
                                            &last) == 3);
    CHECK(CALL(o->u, int (*)(void *), "fmi3Reset")(o->u->instance) == 3);
  }
  o->told++, o->last = time;
  *asked = o->leave > 0 && time >= o->leave;
  *when = o->until;
}

// steps of 0.5 s, of which the method makes at least `steps`
static inline void told_of_stone(hn_fmu_def def, bool leaves, int steps) {
  typedef int (*step_fn)(void *, double, double, bool, bool *, bool *, bool *, double *);
  unit u;
  double alone = 0, told = 1, last = 0;
  bool event, end, early;
  for (int with = 0; with < 2; with++) {
    thrown o = {.u = &u};
    if (open_unit_as(&u, stone, def, "stone")) {
      u.leaves = leaves, u.environment = &o, u.update = with ? on_update : NULL;
      o.y = reference_of(&u, "stone.y");
      if (instantiate(&u, false) && CHECK(initialise(&u) == 0)) {
        step_fn go = CALL(&u, step_fn, "fmi3DoStep");
        CHECK(go(u.instance, 0, 0.5, true, &event, &end, &early, &last) == 0);
        CHECK(!early && last == 0.5 && o.told >= (with ? steps : 0) && o.last == (with ? 0.5 : 0));
        CHECK(get(&u, o.y, with ? &told : &alone) == 0);
        // asked from 0.6 s on to stop at 0.7 s, and then to stop at once
        o.leave = 0.6, o.until = 0.7;
        CHECK(go(u.instance, 0.5, 0.5, true, &event, &end, &early, &last) == 0);
        CHECK(early == (with && leaves) && !event && !end);
        CHECK_NEAR(last, with && leaves ? 0.7 : 1, 1e-15);
        o.leave = last, o.until = 0;
        double from = last;
        CHECK(go(u.instance, from, 0.5, true, &event, &end, &early, &last) == 0);
        CHECK(early == (with && leaves) && (with && leaves ? last == o.last : last == from + 0.5));
        CHECK(last > from);
      }
    }
    close_unit(&u);
  }
  // to be told changes nothing
  CHECK(alone == told);
}

// ---- co-simulation against the library -----------------------------------------------------

typedef struct peer {
  hn_model *model;
  hn_system *sys;
  hn_sim *sim;
} peer;

// step > 0: by the classical method with this step; coded: in the coordinates that code has
static inline bool open_peer_with(peer *p, const char *text, double step, bool coded) {
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

static inline bool open_peer(peer *p, const char *text) {
  return open_peer_with(p, text, 0, false);
}

static inline void close_peer(peer *p) {
  hn_sim_destroy(p->sim);
  hn_system_destroy(p->sys);
  hn_model_destroy(p->model);
}

// largest difference of all outputs, relative to their size or 1
static inline double difference(unit *u, const peer *p) {
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

// inputs of both at some time: a little up and down
static inline void feed(unit *u, const peer *p, double t) {
  for (int i = 0; i < hn_input_count(p->sys); i++) {
    double x = 0.02 * sin(20 * t + i);
    CHECK(set(u, reference_of(u, hn_input_name(p->sys, i)), x) == 0);
    CHECK(hn_input_set(p->sim, i, x) == HN_OK);
  }
}

static inline void co_simulate(const char *text, const char *identifier, hn_fmu_def def,
                               double end) {
  unit u;
  peer p;
  double worst = 0;
  int version = def.version;
  bool own = def.coded || def.sources;
  if (open_unit_as(&u, text, def, identifier) &&
      open_peer_with(&p, text, own ? def.step : 0, own)) {
    // small where it has code of its own
    CHECK(!own || u.size <= 400000);
    if (instantiate(&u, false) && CHECK(initialise(&u) == 0)) {
      const int steps = 10;
      worst = difference(&u, &p);
      for (int k = 0; k < steps; k++) {
        double t = k * end / steps;
        feed(&u, &p, t);
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

// the name of the binary, from that of the model
static inline void identifier_of(char out[64], const char *text) {
  hn_model *m = hn_model_create();
  int n = 0;
  CHECK(hn_model_parse(m, text, strlen(text), "test") == HN_OK);
  for (const char *s = hn_model_name(m); *s && n < 60; s++)
    out[n++] =
        (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ? *s : '_';
  out[n] = 0;
  hn_model_destroy(m);
}

// ---- models ---------------------------------------------------------------------------------

__attribute__((unused)) static const char falling[] =
    "name: falling\n"
    "parameters: {g: 9.81}\n"
    "gravity: [0, -g]\n"
    "simulation: {duration: 1}\n"
    "bodies: {p: {type: planar-point, mass: 1, position: [1, 2]}}\n"
    "outputs: [p.x, p.y]\n";

// A state that was set is where the run begins, whether parameters are set after it or before
static inline void start_where_told(hn_fmu_def def) {
  unit u;
  if (open_unit_as(&u, falling, def, "falling"))
    for (int order = 0; order < 2 && instantiate(&u, false); order++) {
      double x = 0, y = 0;
      int state = reference_of(&u, "state.q[2]"), g = reference_of(&u, "g");
      CHECK(set(&u, order ? state : g, order ? 5 : 2) == 0);
      CHECK(set(&u, order ? g : state, order ? 2 : 5) == 0);
      CHECK(initialise(&u) == 0);
      CHECK(get(&u, reference_of(&u, "p.x"), &x) == 0 && get(&u, reference_of(&u, "p.y"), &y) == 0);
      CHECK_NEAR(x, 1, 0);
      CHECK_NEAR(y, 5, 0);
      CHECK(step(&u, 0, 0.5) == 0 && get(&u, reference_of(&u, "p.y"), &y) == 0);
      CHECK_NEAR(y, 5 - 0.5 * 2 * 0.25, 1e-6);
      // as it was when it was made
      typedef int (*fn)(void *);
      CHECK(CALL(&u, fn, u.version == 2 ? "fmi2Reset" : "fmi3Reset")(u.instance) == 0);
      CHECK(initialise(&u) == 0 && get(&u, reference_of(&u, "p.y"), &y) == 0);
      CHECK_NEAR(y, 2, 0);
      free_instance(&u);
    }
  close_unit(&u);
}

__attribute__((unused)) static const char driven[] =
    "name: driven\n"
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

// the corner of a car, on a road whose height comes from outside
__attribute__((unused)) static const char wishbone[] =
    "name: wishbone\n"
    "gravity: [0, 0, -9.81]\n"
    "simulation: {rtol: 1e-11}\n"
    "signals:\n  height: {input: 0, unit: m}\n"
    "bodies:\n"
    "  chassis: {mass: 380, inertia: [8, 16, 8], position: [0, 0.27, 0.45]}\n"
    "  lower: {mass: 4, inertia: [0.05, 0.03, 0.08], position: [0, 0.52, 0.22]}\n"
    "  upper: {mass: 2.5, inertia: [0.02, 0.01, 0.03], position: [0, 0.54, 0.5]}\n"
    "  upright: {mass: 26, inertia: [0.3, 0.5, 0.3], position: [0, 0.71, 0.36]}\n"
    "joints:\n"
    "  heave: {type: prismatic, b: chassis, axis: [0, 0, 1]}\n"
    "  lower_pivot: {type: revolute, a: chassis, b: lower, at: [0, 0.33, 0.24], axis: [1, 0, 0]}\n"
    "  upper_pivot: {type: revolute, a: chassis, b: upper, at: [0, 0.39, 0.51], axis: [1, 0.05, "
    "0]}\n"
    "  lower_ball: {type: spherical, a: lower, b: upright, at: [0.01, 0.71, 0.21]}\n"
    "  upper_ball: {type: spherical, a: upper, b: upright, at: [-0.02, 0.69, 0.49]}\n"
    "  tie_rod: {type: distance, a: chassis, b: upright, at: [-0.13, 0.35, 0.29], at_b: [-0.13, "
    "0.7, 0.28]}\n"
    "forces:\n"
    "  coil: {type: spring, a: chassis, b: lower, at: [0.02, 0.42, 0.68], at_b: [0.02, 0.58, "
    "0.24], stiffness: 45000, damping: 3000, free: 0.62}\n"
    "  tyre: {type: force, b: upright, force: [0, 0, \"2e5*(height + 0.365 - upright.z) - "
    "400*upright.vz\"]}\n";

__attribute__((unused)) static const char loop[] =
    "name: loop\n"
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

__attribute__((unused)) static const char ball[] =
    "name: ball\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n  ball: {type: planar-point, mass: 1, position: [0, 1]}\n"
    "joints:\n  floor: {type: stop, b: ball, at: [0, 0], at_b: [0, 1], axis: [0, 1, 0], radius: "
    "0.1, restitution: 0.8}\n";

__attribute__((unused)) static const char controlled[] =
    "name: controlled\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n  arm: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
    "joints:\n  hinge: {type: revolute, b: arm, at: [0, 0]}\n"
    "controllers:\n  pd: {period: 10 ms, formula: -60*hinge.angle - 8*hinge.rate}\n"
    "forces:\n  motor: {type: motor, joint: hinge, law: pd}\n";

#endif
