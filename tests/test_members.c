// test_members.c: code with arguments. For members of random families, code written for all of them
// gives what code written for one gives, and what the library gives; lanes and the GPU's text give
// the same. What is compiled is kept where nobody else can write.
#include "code/compiler.h"
#include "code/device.h"
#include "code/members_text.h"
#include "fake_cuda.h"
#include "integrators/integrators.h"
#include "record/column_formulas.h"
#include "sim/sim.h"
#include "study/engine.h"
#include "test.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const double rk4_c[] = {0, 0.5, 0.5, 1}, rk4_b[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
static const double rk4_a[] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0};
static const hn_stepper rk4 = {4, 4, rk4_c, rk4_a, rk4_b};

typedef struct subject {
  hn_model *model;
  hn_system *sys;
} subject;

// a model with other values of its parameters: "name=value name=value"
static bool begin(subject *s, const char *text, const char *coordinates, const char *changes) {
  char message[300] = "", list[400], *rest = NULL;
  *s = (subject){.model = hn_model_create()};
  snprintf(list, sizeof list, "%s", changes);
  for (char *word = strtok_r(list, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    char *equal = strchr(word, '=');
    *equal = 0;
    hn_model_override(s->model, word, equal + 1);
  }
  hn_options *o = hn_model_options(s->model);
  if (!CHECK(hn_model_parse(s->model, text, strlen(text), "model") == HN_OK)) return false;
  hn_options_set(o, "coordinates", coordinates, message, sizeof message);
  hn_options_set(o, "method", "explicit", message, sizeof message);
  o->solver[0] = o->correction[0] = o->integrator[0] = 0;
  if (CHECK(hn_compile(&s->sys, s->model) == HN_OK)) return true;
  printf("  %s\n", hn_model_error(s->model));
  return false;
}

static void end(subject *s) {
  hn_system_destroy(s->sys);
  hn_model_destroy(s->model);
}

static const char *example(const char *name) {
  int i = 0;
  while (strcmp(hn_example_name(i), name) != 0) i++;
  return hn_example_text(i);
}

static hn_node column(void *user, hn_formulas *f, int k) {
  const int *which = user;
  return hn_column_formula(f, &f->sys->column[which[k]]);
}

// ---- a family: text, code, members ------------------------------------------------------------

enum { MOST_COLUMNS = 4 };

typedef struct family {
  hn_arguments arguments;
  hn_members_text text;
  hn_members_code code;
  int which[MOST_COLUMNS], columns;
} family;

// columns that have formulas: the first ones, and the energy
static void choose_columns(family *f, const hn_system *sys) {
  f->columns = 0;
  for (int i = 1; i < sys->columns && f->columns + 1 < MOST_COLUMNS; i++)
    if (sys->column[i].kind <= HN_COL_RATE && sys->column[i].kind != HN_COL_QUATERNION)
      f->which[f->columns++] = i;
  for (int i = 1; i < sys->columns; i++)
    if (sys->column[i].kind == HN_COL_TOTAL) f->which[f->columns++] = i;
}

static bool write_family(family *f, const hn_system *base, const subject *others, int count,
                         const hn_stepper *stepper, int lanes) {
  char message[300] = "";
  *f = (family){0};
  choose_columns(f, base);
  const hn_columns_wanted wanted = {.count = f->columns, .formula = column, .user = f->which};
  hn_status status = hn_arguments_begin(&f->arguments, base, &wanted, message, sizeof message);
  for (int i = 0; !status && i < count; i++)
    status = hn_arguments_widen(&f->arguments, others[i].sys);
  const hn_members_plan plan = {
      .sys = base, .arguments = &f->arguments, .stepper = *stepper, .corrections = 2};
  if (!status) status = hn_members_write(&plan, &f->text, message, sizeof message);
  if (!status)
    status =
        hn_members_compile(&f->code, &f->text, lanes, HN_NUMBERS_FAST, message, sizeof message);
  if (!CHECK(status == HN_OK)) printf("  %s\n", message);
  return status == HN_OK;
}

static void end_family(family *f) {
  hn_members_unload(&f->code);
  hn_arguments_clear(&f->arguments);
  free(f->text.text);
}

// room for members side by side
typedef struct crowd {
  long count, rows;
  double *table, *start, *row, *end;
} crowd;

static void take_crowd(crowd *c, const family *f, long count, long rows) {
  const hn_members_sizes *s = &f->text.sizes;
  size_t n = (size_t)count;
  *c = (crowd){.count = count, .rows = rows};
  c->table = calloc(n * (size_t)(s->table + 1), sizeof(double));
  c->start = calloc(n * (size_t)s->start, sizeof(double));
  c->row = calloc(n * (size_t)(s->columns * rows + 1), sizeof(double));
  c->end = calloc(n * (size_t)s->end, sizeof(double));
}

static void give_crowd(crowd *c) {
  free(c->table), free(c->start), free(c->row), free(c->end);
}

static bool set_member(crowd *c, const family *f, long i, const hn_system *sys) {
  enum { MOST = 2000 };
  static double p[MOST], table[MOST];
  const hn_members_sizes *s = &f->text.sizes;
  if (!CHECK(f->arguments.count < MOST && s->table < MOST)) return false;
  if (hn_arguments_read(&f->arguments, sys, p)) return false;
  f->code.prepare(p, table);
  for (int k = 0; k < s->table; k++) c->table[k * c->count + i] = table[k];
  for (int k = 0; k < s->nq; k++) c->start[k * c->count + i] = sys->q0[k];
  for (int k = 0; k < s->nv; k++) c->start[(s->nq + k) * c->count + i] = sys->v0[k];
  for (int k = 0; k < s->turns; k++) c->start[(s->nq + s->nv + k) * c->count + i] = sys->turn0[k];
  return true;
}

static void compare(const char *what, const crowd *a, long i, const crowd *b, long j, int count,
                    double tolerance) {
  double worst = 0, size = 1;
  for (int k = 0; k < count; k++) {
    double x = a->end[k * a->count + i], y = b->end[k * b->count + j];
    size = fmax(size, fabs(y));
    if (!(fabs(x - y) <= worst)) worst = fabs(x - y);
  }
  if (!CHECK(worst <= tolerance * size)) printf("  %s: %.3g of %.3g\n", what, worst, size);
}

// ---- random members ---------------------------------------------------------------------------

typedef struct kin {
  const char *name, *coordinates, *parameters;  // "crank 2 coupler 4": names and middles
  double h;
  long steps;
} kin;

// every parameter within 3 % of its middle
static void random_changes(const kin *k, char *out, size_t size) {
  char list[200], *rest = NULL;
  size_t used = 0;
  snprintf(list, sizeof list, "%s", k->parameters);
  for (char *name = strtok_r(list, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
    double middle = atof(strtok_r(NULL, " ", &rest));
    used += (size_t)snprintf(out + used, size - used, "%s%s=%.17g", used ? " " : "", name,
                             middle * test_random(0.97, 1.03));
  }
}

// the same steps by the library
static void by_library(const subject *s, const kin *k, const crowd *c, long i, int nq, int nv) {
  char message[300] = "";
  hn_options o = *hn_model_options(s->model);
  hn_options_set(&o, "integrator", "rk4", message, sizeof message);
  o.step = k->h, o.duration = k->h * (double)k->steps, o.output_step = o.duration;
  hn_sim *sim = NULL;
  hn_result *result = NULL;
  if (!CHECK(hn_sim_create(&sim, s->sys, &o, message, sizeof message) == HN_OK))
    printf("  %s\n", message);
  CHECK(hn_run(sim, &result, NULL, NULL) == HN_OK);
  double worst = 0, size = 1;
  for (int j = 0; j < nq + nv; j++) {
    double x = sim->state.y[j], y = c->end[j * c->count + i];
    size = fmax(size, fabs(x));
    if (!(fabs(x - y) <= worst)) worst = fabs(x - y);
  }
  if (!CHECK(worst <= 1e-13 * size)) printf("  library: %.3g of %.3g\n", worst, size);
  hn_result_destroy(result);
  hn_sim_destroy(sim);
}

enum { MEMBERS = 5, SEEN = 4 };  // arguments are found from the first of them

// without fused products lanes of every width give the bits of one member alone
static void exactly(family *f, const subject *member, const kin *k) {
  const hn_members_code fast = f->code;
  char message[300] = "";
  crowd one, many;
  take_crowd(&one, f, MEMBERS, 2);
  for (int i = 0; i < MEMBERS; i++) set_member(&one, f, i, member[i].sys);
  f->code.run(MEMBERS, one.table, one.start, 0, k->h, k->steps, k->steps, one.row, one.end);
  for (int width = 2; width <= hn_members_lanes(); width *= 2) {
    if (!CHECK(hn_members_compile(&f->code, &f->text, width, HN_NUMBERS_EXACT, message,
                                  sizeof message) == HN_OK))
      break;
    take_crowd(&many, f, 2 * width, 2);
    for (int i = 0; i < 2 * width; i++) set_member(&many, f, i, member[i % MEMBERS].sys);
    f->code.run(2 * width, many.table, many.start, 0, k->h, k->steps, k->steps, many.row, many.end);
    int apart = 0;
    for (int i = 0; i < 2 * width; i++) {
      for (int c = 0; c < f->text.sizes.end; c++)
        apart += memcmp(&many.end[c * 2 * width + i], &one.end[c * MEMBERS + i % MEMBERS], 8) != 0;
      for (int c = 0; c < 2 * f->text.sizes.columns; c++)
        apart += memcmp(&many.row[c * 2 * width + i], &one.row[c * MEMBERS + i % MEMBERS], 8) != 0;
    }
    if (!CHECK(apart == 0)) printf("  %d lanes: %d numbers have other bits\n", width, apart);
    give_crowd(&many);
    hn_members_unload(&f->code);
  }
  give_crowd(&one);
  f->code = fast;
}

static void check_family(const kin *k) {
  subject base, member[MEMBERS];
  family all, lanes;
  crowd one, many, own;
  char changes[400];
  test_name = k->name;
  if (!begin(&base, example(k->name), k->coordinates, "")) return;
  for (int i = 0; i < MEMBERS; i++) {
    random_changes(k, changes, sizeof changes);
    if (!begin(&member[i], example(k->name), k->coordinates, changes)) return;
  }
  int width = hn_members_lanes();
  if (!write_family(&all, base.sys, member, SEEN, &rk4, 1)) return;
  if (!write_family(&lanes, base.sys, member, SEEN, &rk4, width)) return;
  const hn_members_sizes *s = &all.text.sizes;
  CHECK(all.arguments.count > 0);
  take_crowd(&one, &all, MEMBERS, 2);
  take_crowd(&many, &lanes, 2 * width, 2);
  for (int i = 0; i < MEMBERS; i++)
    if (!CHECK(set_member(&one, &all, i, member[i].sys))) printf("  member %d left\n", i);
  for (int i = 0; i < 2 * width; i++)
    set_member(&many, &lanes, i, member[(3 * i + 1) % MEMBERS].sys);
  all.code.run(MEMBERS, one.table, one.start, 0, k->h, k->steps, k->steps, one.row, one.end);
  lanes.code.run(2 * width, many.table, many.start, 0, k->h, k->steps, k->steps, many.row,
                 many.end);
  for (int i = 0; i < MEMBERS; i++) by_library(&member[i], k, &one, i, s->nq, s->nv);
  for (int i = 0; i < 2 * width; i++) {
    int j = (3 * i + 1) % MEMBERS;
    compare("lanes", &many, i, &one, j, s->nq + s->nv, 1e-12);
    for (int c = 0; c < 2 * s->columns; c++)
      CHECK_REL(many.row[c * 2 * width + i], one.row[c * MEMBERS + j], 1, 1e-12);
    // bit by bit what the same member is in another lane with other neighbours
    for (int l = i + MEMBERS; l < 2 * width; l += MEMBERS)
      for (int c = 0; c < s->end; c++)
        CHECK(memcmp(&many.end[c * 2 * width + i], &many.end[c * 2 * width + l], 8) == 0);
  }
  exactly(&all, member, k);
  // code for one member alone
  family alone;
  if (write_family(&alone, member[SEEN].sys, NULL, 0, &rk4, 1)) {
    take_crowd(&own, &alone, 1, 2);
    CHECK(alone.arguments.count == 0 && set_member(&own, &alone, 0, member[SEEN].sys));
    alone.code.run(1, own.table, own.start, 0, k->h, k->steps, k->steps, own.row, own.end);
    compare("own code", &one, SEEN, &own, 0, s->nq + s->nv, 1e-13);
    give_crowd(&own);
  }
  end_family(&alone);
  printf("%s, %s: %d numbers, %d arguments, table of %d\n", k->name, k->coordinates,
         all.arguments.numbers, all.arguments.count, s->table);
  give_crowd(&one), give_crowd(&many);
  end_family(&all), end_family(&lanes);
  for (int i = 0; i < MEMBERS; i++) end(&member[i]);
  end(&base);
}

static void families(void) {
  static const kin all[] = {
      {"four_bar", "reference", "crank 2 coupler 4 follower 4 base 2.5 start 1.05", 1e-3, 40},
      {"four_bar", "relative", "crank 2 coupler 4 follower 4 base 2.5 start 1.05", 1e-3, 40},
      {"bricard", "relative", "length 1 width 0.1", 1e-3, 20},
      {"andrews", "relative", "d 0.028 da 0.0115 ee 0.02 xa -0.06934", 1e-5, 20},
      {"five_bar_pendulum_spatial", "relative", "length 1 width 0.1", 1e-3, 20},
      {"five_bar_pendulum_spatial", "reference", "length 1 width 0.1", 1e-3, 10},
  };
  int count = run_quickly() ? 3 : (int)(sizeof all / sizeof *all);
  for (int i = 0; i < count; i++) check_family(&all[i]);
}

// ---- who is no member -------------------------------------------------------------------------

static const char spring_text[] =
    "parameters: {k: 100, c: 0.5, damped: 1, extra: 0}\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  b: {type: planar, mass: 2, inertia: 0.2, position: [1, 0], com: [extra, 0]}\n"
    "joints: {j: {type: revolute, a: ground, b: b, at: [0, 0]}}\n"
    "forces:\n"
    "  s: {type: spring, a: ground, b: b, at: [0, 1], at_b: [1, 0], stiffness: k, damping: c,"
    " free: 0.3}\n"
    "  m: {type: motor, joint: j, law: 'damped*sin(3*t) - 0.1*rate'}\n";

static void strangers(void) {
  subject base, softer, other, still;
  family f;
  if (!begin(&base, spring_text, "reference", "") ||
      !begin(&softer, spring_text, "reference", "k=90") ||
      !begin(&other, spring_text, "reference", "k=90 c=0.6") ||
      !begin(&still, spring_text, "reference", "k=80 damped=0"))
    return;
  if (!write_family(&f, base.sys, &softer, 1, &rk4, 1)) return;
  double p[100];
  CHECK(f.arguments.count > 0 && f.arguments.count < 100);
  CHECK(hn_arguments_read(&f.arguments, base.sys, p) == HN_OK);
  CHECK(hn_arguments_read(&f.arguments, softer.sys, p) == HN_OK);
  // it differs in something that is no argument
  CHECK(hn_arguments_read(&f.arguments, other.sys, p) == HN_ERR_UNSUPPORTED);
  // a formula with a factor of zero is another formula
  CHECK(hn_arguments_read(&f.arguments, still.sys, p) == HN_ERR_UNSUPPORTED);
  CHECK(hn_arguments_widen(&f.arguments, still.sys) == HN_ERR_UNSUPPORTED);
  int before = f.arguments.count;
  CHECK(hn_arguments_widen(&f.arguments, other.sys) == HN_OK);
  CHECK(f.arguments.count > before && hn_arguments_read(&f.arguments, other.sys, p) == HN_OK);
  end_family(&f);
  end(&base), end(&softer), end(&other), end(&still);
}

// what is to have the same bits on a GPU may take no function that the GPU rounds in its own way
static void rounded(void) {
  static const struct {
    const char *law, *rounded;
  } laws[] = {{"sin(3*t)*sqrt(1+rate^2) - angle^3", NULL},
              {"angle^4*cos(rate)/(2 + t)", NULL},
              {"exp(-t)", "exp"},
              {"tanh(rate)", "tanh"},
              {"(1 + rate^2)^1.5", "pow"}};
  for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
    char text[700];
    subject s;
    family f;
    snprintf(text, sizeof text,
             "bodies: {b: {type: planar, mass: 2, inertia: 0.2, position: [1, 0]}}\n"
             "joints: {j: {type: revolute, a: ground, b: b, at: [0, 0]}}\n"
             "forces: {m: {type: motor, joint: j, law: '%s'}}\n",
             laws[i].law);
    if (!begin(&s, text, "relative", "")) return;
    if (write_family(&f, s.sys, NULL, 0, &rk4, 1))
      CHECK_STR(f.text.rounded ? f.text.rounded : "none",
                laws[i].rounded ? laws[i].rounded : "none");
    end_family(&f);
    end(&s);
  }
}

// energies and columns against the library's, where springs, damping and a law act
static void books(void) {
  subject s;
  family f;
  crowd c;
  if (!begin(&s, spring_text, "reference", "extra=0.1")) return;
  if (!write_family(&f, s.sys, NULL, 0, &rk4, 1)) return;
  const hn_members_sizes *z = &f.text.sizes;
  take_crowd(&c, &f, 1, 6);
  set_member(&c, &f, 0, s.sys);
  f.code.run(1, c.table, c.start, 0, 1e-3, 500, 100, c.row, c.end);
  hn_options o = *hn_model_options(s.model);
  char message[300];
  hn_options_set(&o, "integrator", "rk4", message, sizeof message);
  o.step = 1e-3, o.duration = 0.5, o.output_step = 0.1;
  hn_sim *sim = NULL;
  hn_result *result = NULL;
  CHECK(hn_sim_create(&sim, s.sys, &o, message, sizeof message) == HN_OK);
  CHECK(hn_run(sim, &result, NULL, NULL) == HN_OK);
  for (int row = 0; row < 6; row++)
    for (int k = 0; k < z->columns; k++)
      CHECK_REL(c.row[row * z->columns + k], hn_result_row(result, row)[f.which[k]], 1, 1e-11);
  hn_summary summary;
  hn_sim_summary(sim, &summary);
  const double *last = c.end + z->nq + z->nv;
  CHECK_REL(last[HN_END_WORK], sim->state.y[sim->state.w], 1e-3, 1e-9);
  CHECK_REL(last[HN_END_BALANCE] / last[HN_END_TURNOVER], summary.energy_drift, 1e-9, 0.1);
  CHECK(last[HN_END_TURNOVER] > 1 && last[HN_END_FIRMNESS] > 0.01);
  CHECK(last[HN_END_POSITION] < 1e-12 && last[HN_END_VELOCITY] < 1e-11);
  hn_result_destroy(result);
  hn_sim_destroy(sim);
  give_crowd(&c);
  end_family(&f);
  end(&s);
}

// ---- sine and cosine of lanes -----------------------------------------------------------------

static const char wrap[] = "\nvoid both(long n, const double *x, double *s, double *c) {\n"
                           "  for (long i = 0; i < n; i += LANES) {\n"
                           "    R a = *(const U *)(x + i);\n"
                           "    *(U *)(s + i) = sin(a), *(U *)(c + i) = cos(a);\n  }\n}\n";

static double ulps(double x, long double truth) {
  int exponent;
  frexp((double)truth, &exponent);
  return (double)(fabsl((long double)x - truth) / ldexpl(1, exponent - 53));
}

static void sine(void) {
  enum { COUNT = 1 << 16 };
  static double x[COUNT], s[COUNT], c[COUNT];
  char message[300] = "", flags[80], *text = NULL;
  size_t length = 0;
  void *handle = NULL;
  void (*both)(long, const double *, double *, double *) = NULL;
  FILE *out = open_memstream(&text, &length);
  fputs("enum { TURNS = 0 };\n", out);
  fputs(hn_members_prelude, out), fputs(hn_members_operations, out), fputs(wrap, out);
  fclose(out);
  for (int fused = 0; fused < 2; fused++) {
    snprintf(flags, sizeof flags, "-std=gnu17 -w -O2 -DHOLON_LANES=4%s",
             fused && hn_members_lanes() >= 4 ? " -mavx2 -mfma -ffp-contract=fast" : "");
    if (!CHECK(hn_compile_text(text, NULL, flags, &handle, message, sizeof message) == HN_OK) ||
        !CHECK(hn_find_function(handle, "both", &both)))
      break;
    for (int i = 0; i < COUNT; i++) {
      double size = pow(10, test_random(-8, 7));
      x[i] = i % 7 ? test_random(-size, size) : 0.78539816339744831 * (double)(i - COUNT / 2);
    }
    x[0] = 0, x[1] = NAN, x[2] = INFINITY, x[3] = 1e22, x[4] = -1e5, x[5] = 5e-324;
    both(COUNT, x, s, c);
    double worst = 0;
    for (int i = 3; i < COUNT; i++) {
      worst = fmax(worst, ulps(s[i], sinl((long double)x[i])));
      worst = fmax(worst, ulps(c[i], cosl((long double)x[i])));
    }
    CHECK(s[0] == 0 && c[0] == 1 && isnan(s[1]) && isnan(c[1]) && isnan(s[2]));
    if (!CHECK(worst <= 2)) printf("  %.3g ulp\n", worst);
    printf("sine and cosine of lanes: %.3f ulp\n", worst);
    hn_unload(handle);
    handle = NULL;
  }
  free(text);
}

// ---- the cache --------------------------------------------------------------------------------

static int lines_in(const char *path) {
  FILE *file = fopen(path, "r");
  int count = 0;
  for (int c; file && (c = fgetc(file)) != EOF;) count += c == '\n';
  if (file) fclose(file);
  return count;
}

static void empty_folder(const char *path) {
  DIR *folder = opendir(path);
  char name[600];
  for (struct dirent *e; folder && (e = readdir(folder));) {
    snprintf(name, sizeof name, "%.300s/%.200s", path, e->d_name);
    unlink(name);
  }
  if (folder) closedir(folder);
  rmdir(path);
}

// files in the cache; all of them this user's alone
static int kept(const char *path) {
  DIR *folder = opendir(path);
  struct stat s;
  char name[600];
  int count = 0;
  for (struct dirent *e; folder && (e = readdir(folder));) {
    if (e->d_name[0] == '.') continue;
    snprintf(name, sizeof name, "%.300s/%.200s", path, e->d_name);
    CHECK(stat(name, &s) == 0 && (s.st_mode & 0777) == 0600);
    count++;
  }
  if (folder) closedir(folder);
  return count;
}

// two of them at once, from the cache: each is what its text says
static void load_two(const char *const text[2]) {
  char message[300] = "";
  void *handle[2] = {NULL, NULL};
  int (*answer)(void) = NULL;
  for (int i = 0; i < 2; i++)
    CHECK(hn_compile_text(text[i], NULL, "-w", &handle[i], message, sizeof message) == HN_OK);
  for (int i = 0; i < 2; i++)
    if (CHECK(handle[i] && hn_find_function(handle[i], "answer", &answer)))
      CHECK(answer() == 42 + i);
  for (int i = 0; i < 2; i++) hn_unload(handle[i]);
}

static void load_once(const char *text) {
  char message[300] = "";
  void *handle = NULL;
  int (*answer)(void) = NULL;
  if (!CHECK(hn_compile_text(text, NULL, "-w", &handle, message, sizeof message) == HN_OK))
    printf("  %s\n", message);
  if (handle && CHECK(hn_find_function(handle, "answer", &answer))) CHECK(answer() == 42);
  hn_unload(handle);
}

static void cache(void) {
  char folder[300], log[300], compiler[300], old[300] = "";
  const char *text = "int answer(void) { return 42; }\n";
  test_scratch(folder, sizeof folder, "members_cache");
  test_scratch(log, sizeof log, "members_cache.log");
  test_scratch(compiler, sizeof compiler, "members_cache_cc.sh");
  empty_folder(folder), unlink(log);
  FILE *script = fopen(compiler, "w");
  if (!CHECK(script)) return;
  fprintf(script, "#!/bin/sh\necho call >> '%s'\nexec cc \"$@\"\n", log);
  fclose(script);
  chmod(compiler, 0700);
  if (getenv("HOLON_CACHE")) snprintf(old, sizeof old, "%s", getenv("HOLON_CACHE"));
  setenv("CC", compiler, 1);
  setenv("HOLON_CACHE", folder, 1);
  struct stat s;
  load_once(text), load_once(text);
  CHECK(lines_in(log) == 1 && kept(folder) == 2);
  CHECK(stat(folder, &s) == 0 && (s.st_mode & 0777) == 0700);
  const char *const two[2] = {text, "int answer(void) { return 43; }\n"};
  load_two(two), load_two(two);
  CHECK(lines_in(log) == 2 && kept(folder) == 4);
  // others could have written here: nothing in it is believed, and nothing is kept
  chmod(folder, 0777);
  load_once(text);
  CHECK(lines_in(log) == 3);
  chmod(folder, 0700);
  load_once(text);
  CHECK(lines_in(log) == 3);
  // a file that others could have written
  DIR *list = opendir(folder);
  char name[600];
  for (struct dirent *e; list && (e = readdir(list));) {
    snprintf(name, sizeof name, "%.300s/%.200s", folder, e->d_name);
    if (strstr(e->d_name, ".so")) chmod(name, 0666);
  }
  if (list) closedir(list);
  load_once(text);
  CHECK(lines_in(log) == 4);
  // a link in place of the folder
  empty_folder(folder);
  CHECK(symlink("/tmp", folder) == 0);
  load_once(text);
  CHECK(lines_in(log) == 5);
  unlink(folder);
  setenv("HOLON_CACHE", "off", 1);
  load_once(text);
  CHECK(lines_in(log) == 6 && stat(folder, &s) != 0);
  setenv("HOLON_CACHE", old, 1);
  unsetenv("CC");
  unlink(log), unlink(compiler);
}

// ---- the GPU ----------------------------------------------------------------------------------

static void no_device(const char *fake) {
  hn_device *d = NULL;
  char message[300] = "";
  setenv("HOLON_CUDA", "libno-such-driver.so", 1);
  CHECK(hn_device_open(&d, message, sizeof message) == HN_ERR_UNSUPPORTED && !d);
  CHECK(strstr(message, "NVIDIA's driver library is not installed: libno-such-driver.so"));
  setenv("HOLON_CUDA", fake, 1);
  setenv("FAKE_CUDA_NONE", "1", 1);
  CHECK(hn_device_open(&d, message, sizeof message) == HN_ERR_UNSUPPORTED && !d);
  CHECK(strstr(message, "the driver shows no device"));
  unsetenv("FAKE_CUDA_NONE");
}

static void on_device(hn_members_numbers numbers) {
  bool single = numbers == HN_NUMBERS_SINGLE;
  static const kin k = {"four_bar", "relative", "crank 2 coupler 4 base 2.5", 1e-3, 30};
  enum { COUNT = 5 };
  subject base, member[COUNT];
  char changes[400], message[300] = "";
  family f;
  crowd here, there;
  hn_device *d = NULL;
  hn_device_queue *q = NULL, *other = NULL;
  if (!begin(&base, example(k.name), k.coordinates, "")) return;
  for (int i = 0; i < COUNT; i++) {
    random_changes(&k, changes, sizeof changes);
    if (!begin(&member[i], example(k.name), k.coordinates, changes)) return;
  }
  if (!write_family(&f, base.sys, member, COUNT, &rk4, 1)) return;
  take_crowd(&here, &f, COUNT, 4), take_crowd(&there, &f, COUNT, 4);
  for (int i = 0; i < COUNT; i++) {
    CHECK(set_member(&here, &f, i, member[i].sys));
    set_member(&there, &f, i, member[i].sys);
  }
  f.code.run(COUNT, here.table, here.start, 0, k.h, 30, 10, here.row, here.end);
  if (!CHECK(hn_device_open(&d, message, sizeof message) == HN_OK) ||
      !CHECK(hn_device_load(d, &f.text, numbers, message, sizeof message) == HN_OK)) {
    printf("  %s\n", message);
    return;
  }
  CHECK(strstr(hn_device_name(d), "a processor in disguise"));
  CHECK(hn_device_room(d, 4) > 100);
  CHECK(hn_device_queue_open(&other, d, 2, 1, message, sizeof message) == HN_OK);
  if (!CHECK(hn_device_queue_open(&q, d, COUNT, 4, message, sizeof message) == HN_OK)) return;
  CHECK(hn_device_run(q, COUNT, there.table, there.start, 0, k.h, 30, 10, there.row, there.end,
                      message, sizeof message) == HN_OK);
  CHECK(hn_device_run(other, COUNT, there.table, there.start, 0, k.h, 30, 10, NULL, there.end,
                      message, sizeof message) == HN_ERR_ARGUMENT);
  CHECK_STR(message, "the queue was opened for 2 members with 1 rows");
  for (int i = 0; i < COUNT; i++)
    compare("device", &there, i, &here, i, f.text.sizes.nq + f.text.sizes.nv,
            single                        ? 1e-4
            : numbers == HN_NUMBERS_EXACT ? 0
                                          : 1e-13);
  for (int i = 0; i < 4 * f.text.sizes.columns * COUNT; i++)
    CHECK_REL(there.row[i], here.row[i], 1, single ? 1e-3 : 1e-13);
  setenv("FAKE_CUDA_FAILS", "1", 1);
  CHECK(hn_device_run(q, COUNT, there.table, there.start, 0, k.h, 30, 10, NULL, there.end, message,
                      sizeof message) == HN_ERR_UNSUPPORTED);
  CHECK_STR(message, "the GPU failed: steps: an illegal memory access");
  unsetenv("FAKE_CUDA_FAILS");
  hn_device_queue_close(q), hn_device_queue_close(other);
  hn_device_close(d);
  give_crowd(&here), give_crowd(&there);
  end_family(&f);
  for (int i = 0; i < COUNT; i++) end(&member[i]);
  end(&base);
}

static void device(void) {
  char fake[400];
  if (!CHECK(fake_cuda_begin(fake, sizeof fake, "libfake_members.so"))) return;
  no_device(fake);
  on_device(HN_NUMBERS_FAST);
  on_device(HN_NUMBERS_EXACT);
  setenv("FAKE_CUDA_SINGLE", "1", 1);
  on_device(HN_NUMBERS_SINGLE);
  unsetenv("FAKE_CUDA_SINGLE");
  fake_cuda_end(fake);
}

// Two models that ask for as many numbers, and whose formulas differ in which body hangs on which,
// in what a joint does, or in which bodies a row joins: their shapes tell them apart, although no
// operation is made of what is asked.
static void shapes(void) {
  static const char bodies[] = "gravity: [0, -9.81]\nbodies:\n"
                               "  a: {type: planar, mass: 1, inertia: 1, position: [1, 0]}\n"
                               "  b: {type: planar, mass: 1, inertia: 1, position: [2, 0]}\n"
                               "  c: {type: planar, mass: 1, inertia: 1, position: [2, 0]}\n";
  static const char *const joints[] = {
      "joints: {A: {type: revolute, a: ground, b: a}, B: {type: revolute, a: a, b: b},"
      " C: {type: revolute, a: b, b: c}}\n",
      "joints: {A: {type: revolute, a: ground, b: a}, B: {type: revolute, a: a, b: b},"
      " C: {type: revolute, a: a, b: c}}\n",
      "joints: {A: {type: revolute, a: ground, b: a}, B: {type: revolute, a: a, b: b},"
      " C: {type: prismatic, a: b, b: c, axis: [1, 0]}}\n",
  };
  enum { MODELS = sizeof joints / sizeof *joints };
  for (int in = 0; in < 2; in++) {
    uint64_t shape[MODELS] = {0};
    int numbers[MODELS] = {0};
    for (int i = 0; i < MODELS; i++) {
      char text[1000], message[300] = "";
      subject one;
      family f = {0};
      snprintf(text, sizeof text, "%s%s", bodies, joints[i]);
      if (!begin(&one, text, in ? "relative" : "reference", "")) continue;
      const hn_columns_wanted none = {.formula = column, .user = f.which};
      CHECK(hn_arguments_begin(&f.arguments, one.sys, &none, message, sizeof message) == HN_OK);
      shape[i] = f.arguments.shape, numbers[i] = f.arguments.numbers;
      hn_arguments_clear(&f.arguments);
      end(&one);
    }
    CHECK(numbers[0] > 0 && numbers[1] == numbers[0]);
    CHECK(shape[0] != shape[1] && shape[0] != shape[2] && shape[1] != shape[2]);
  }
}

// ---- a model that is read into again
// -------------------------------------------------------------

// every number that formulas ask for, and the start, to the last digit
static void compare_systems(const hn_system *a, const hn_system *b) {
  char message[300] = "";
  const hn_columns_wanted none = {.formula = column};
  hn_arguments x, y;
  bool asked = CHECK(hn_arguments_begin(&x, a, &none, message, sizeof message) == HN_OK);
  asked = CHECK(hn_arguments_begin(&y, b, &none, message, sizeof message) == HN_OK) && asked;
  if (asked && CHECK(x.shape == y.shape && x.numbers == y.numbers && x.nq == y.nq)) {
    CHECK(memcmp(x.value, y.value, (size_t)x.numbers * sizeof(double)) == 0);
    CHECK(memcmp(a->q0, b->q0, (size_t)a->nq * sizeof(double)) == 0);
    CHECK(memcmp(a->v0, b->v0, (size_t)a->nv * sizeof(double)) == 0);
    CHECK(memcmp(a->turn0, b->turn0, (size_t)a->turns * sizeof(double)) == 0);
  }
  hn_arguments_clear(&x), hn_arguments_clear(&y);
}

static hn_system *compile_run(hn_member *member, long k, const hn_study *study, hn_model **model,
                              char message[HN_MESSAGE]) {
  double values[16];
  hn_system *sys = NULL;
  hn_design_values(study, k, values);
  message[0] = 0;
  if (hn_member_model(member, values, false, model, message, HN_MESSAGE)) return NULL;
  if (!hn_compile(&sys, *model)) return sys;
  snprintf(message, HN_MESSAGE, "%s", hn_model_error(*model));
  return NULL;
}

// members of a study that are read into one model, one after the other, are those that are read
// into a new one each; also behind one that is refused
static void read_again(void) {
  static const struct {
    const char *model, *factors;
    bool refilled;  // only what changes is read again
  } cases[] = {
      {"four_bar",
       "{crank: {uniform: [1.9, 2.1]}, start: {uniform: [0.8, 1.2]},"
       " g: {place: gravity.1, uniform: [-10, -9]}, m: {place: bodies.coupler.mass, uniform: [-1, "
       "3]}}",
       true},
      {"bricard", "{length: {uniform: [0.9, 1.1]}, width: {uniform: [0.05, 0.15]}}", true},
      {"double_wishbone", "{m: {place: bodies.upright.mass, uniform: [10, 30]}}", true},
      {"andrews", "{d: {uniform: [0.0275, 0.0285]}, xa: {uniform: [-0.0694, -0.0693]}}", true},
      {"five_bar_pendulum_spatial", "{length: {uniform: [0.9, 1.1]}}", true},
      {"pendulum", "{m: {place: gravity.1, uniform: [-10, -9]}}", true},
      {"solved", "{l: {uniform: [1, 2]}}", false},
      {"everything",
       "{l: {uniform: [0.9, 1.1]}, k: {uniform: [50, 70]}, w: {uniform: [0.1, 0.2]}, r: {place: "
       "joints.swing.mu, uniform: [0, 0.1]}}",
       true},
      {"everything", "{l: {uniform: [0.9, 1.1]}, g: {uniform: [-0.1, 9.81]}}", true},
      {"counted", "{n: {list: [2, 3]}}", false},
      {"lawful", "{k: {uniform: [1, 2]}}", true},
      {"timed", "{k: {uniform: [1, 2]}}", false},
      {"heavy", "{m: {place: bodies.b.mass, uniform: [1, 2]}}", false},
      {"hulled", "{k: {uniform: [1, 2]}}", false},
      {"limited", "{k: {uniform: [1, 2]}}", false},
      {"worded", "{k: {place: forces.f.torque, uniform: [1, 2]}}", false},
  };
  static const char solved[] =
      "parameters: {l: 1, s: 0.5}\n"
      "bodies: {b: {type: planar, mass: 1, inertia: 0.1, position: [s, 0]}}\n"
      "joints: {j: {type: revolute, a: ground, b: b, at: [0, 0]}}\n"
      "solve: {s: 'b.x = 2*l'}\n";
  // points, bars and their ends, frames at points, lists, shapes, starts, what follows from a body
  static const char everything[] =
      "parameters: {l: 1, g: 9.81, k: 60, w: 0.15, half: l/2, free: sqrt(g)/10}\n"
      "points:\n"
      "  A: [0, 0]\n"
      "  B: {from: A, distance: l, angle: -pi/3}\n"
      "  C: {circles: [[B, l], [[2*half, 0], l]], side: right}\n"
      "gravity: [0, -g]\n"
      "ground: {frames: {G: [half, 0], H: {position: [half, 0], orientation: "
      "{axis: [0, 0, 1], angle: half}}}}\n"
      "bodies:\n"
      "  b: {type: planar, from: A, to: B, mass: 2, shape: {rod: {}}, frames: {M: [half/4, 0]}}\n"
      "  c: {type: planar, from: B, to: C, shapes: [{box: {size: [0.1, 0.2, l/10], material: "
      "steel}}], frames: {P: C, Q: {position: [0.01, 0]}}}\n"
      "  e: {type: planar, from: C, to: [l, 1], shape: {rod: {radius: 0.01, material: steel}}}\n"
      "  f: {type: planar, from: A, to: C, shapes: [{cylinder: {radius: 0.02, material: steel}},"
      " {sphere: {radius: 0.03, material: steel}}]}\n"
      "  h: {type: planar, from: A, to: C, mass: l, shape: {box: {size: [0.1, l, 0.1]}}}\n"
      "  d: {type: planar, mass: 1, inertia: half, position: C, angular_velocity: 0.1*l}\n"
      "  p: {type: planar, mass: 1, corners: [A, C, [0, l]], shape: {extrusion: {length: 0.1}}}\n"
      "  r: {type: planar, mass: 1, corners: [A, [0.5, 0.1], C]}\n"
      "joints:\n"
      "  swing: {type: revolute, a: ground, b: b.A, mu: 0.05}\n"
      "  hinge: {type: revolute, a: b.B, b: c.B}\n"
      "  tip: {type: revolute, a: c, b: d, at: C}\n"
      "  rail: {type: prismatic, b: p, at: A, axis: {from: A, to: C}}\n"
      "forces:\n"
      "  s: {type: spring, a: ground.G, b: c.P, stiffness: k, free: free, damping: k/100}\n"
      "  twist: {type: torsion-spring, joint: hinge, stiffness: 2*k}\n"
      "  u: {type: spring, a: ground, b: d, stiffness: 1}\n"
      "start: {swing.angle: w}\n";
  static const char counted[] =
      "parameters: {n: 2}\n"
      "parts: {one: {bodies: {b: {type: planar, mass: 1, inertia: 1, position: [i, 0]}},"
      " joints: {j: {type: revolute, a: ground, b: b, at: [i, 1]}}}}\n"
      "use: {chain: {part: one, repeat: n}}\n";
  static const char plain[] =
      "bodies: {b: {type: planar, mass: 1, inertia: 0.1, position: [1, 0]}}\n"
      "joints: {j: {type: revolute, a: ground, b: b, at: [0, 0]}}\n";
  static const char hulled[] =
      "parameters: {k: 1}\n"
      "bodies: {b: {shapes: [hull: {points: [[0, 0, 0], [k, 0, 0], [0, 1, 0], [0, 0, 1]],"
      " material: steel}]}}\n"
      "joints: {j: {type: spherical, a: ground, b: b, at: [0, 0, 0]}}\n";
  static const char limited[] =
      "parameters: {k: 1}\n"
      "bodies: {b: {type: planar, mass: 1, inertia: 0.1, position: [1, 0]}}\n"
      "joints: {j: {type: revolute, a: ground, b: b, at: [0, 0], limits: [-1, k]}}\n";
  char lawful[600], timed[600], heavy[600], worded[600];
  snprintf(lawful, sizeof lawful, "%s%s%s", "parameters: {k: 1}\n", plain,
           "forces: {f: {type: torque, b: b, torque: '-k*j.rate'}}\n");
  snprintf(timed, sizeof timed, "%s%s%s", "parameters: {k: 1}\n", plain,
           "simulation: {duration: k}\n");
  snprintf(heavy, sizeof heavy, "%s%s", plain, "gravity: [0, '-9.81*(1+y)']\n");
  snprintf(worded, sizeof worded, "%s%s", plain,
           "forces: {f: {type: torque, b: b, torque: '1'}}\n");
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    char text[1000], message[HN_MESSAGE] = "";
    const char *name = cases[c].model;
    const char *model = strcmp(name, "solved") == 0       ? solved
                        : strcmp(name, "everything") == 0 ? everything
                        : strcmp(name, "counted") == 0    ? counted
                        : strcmp(name, "lawful") == 0     ? lawful
                        : strcmp(name, "timed") == 0      ? timed
                        : strcmp(name, "heavy") == 0      ? heavy
                        : strcmp(name, "hulled") == 0     ? hulled
                        : strcmp(name, "limited") == 0    ? limited
                        : strcmp(name, "worded") == 0     ? worded
                                                          : example(name);
    hn_study *study = NULL;
    hn_member *member = NULL;
    hn_model *again = NULL;
    int refused = 0, made = 0;
    snprintf(text, sizeof text,
             "name: s\nmodel: model\ndesign: {type: monte-carlo, runs: 12, seed: 4}\n"
             "factors: %s\nmetrics: {e: final(energy.total)}\n",
             cases[c].factors);
    bool open = CHECK(hn_study_parse(&study, text, strlen(text), "study", model, "model", message,
                                     sizeof message) == HN_OK) &&
                CHECK(hn_member_open(study, &member, message) == HN_OK);
    if (!open) printf("  %s: %s\n", name, message);
    for (long k = 0; open && k < 12; k++) {
      hn_model *fresh = NULL;
      char other[HN_MESSAGE];
      hn_system *a = compile_run(member, k, study, &fresh, message);
      long before = hn_member_readings(member);
      bool had = again;
      hn_system *b = compile_run(member, k, study, &again, other);
      // what is refused is read as a whole, which says why, and leaves no model to be refilled
      bool whole = hn_member_readings(member) > before;
      if (!CHECK(whole == (!cases[c].refilled || !had || !again))) printf("  %s, %ld\n", name, k);
      CHECK(!a == !b);
      CHECK(strcmp(message, other) == 0);
      if (!a && !CHECK(c == 0 || strcmp(name, "everything") == 0)) printf("  %s\n", message);
      if (a && b) compare_systems(a, b), made++;
      refused += !a;
      hn_system_destroy(a), hn_system_destroy(b);
      hn_model_destroy(fresh);
    }
    CHECK(made > 0 && (c > 0 || refused > 0));
    hn_model_destroy(again);
    hn_member_close(member);
    hn_study_destroy(study);
  }
}

int main(void) {
  setenv("HOLON_CFLAGS", "-O0 -ffp-contract=off", 1);  // what is tested are the numbers
  RUN(families);
  RUN(strangers);
  RUN(rounded);
  RUN(shapes);
  RUN(read_again);
  RUN(books);
  RUN(sine);
  RUN(cache);
  RUN(device);
  return test_end();
}
