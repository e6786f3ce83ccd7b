// Report pages: what is in the file is what was recorded, thinned out as promised.
#include <holon/holon.h>
#include <stdint.h>
#include <stdlib.h>

#include "inflate.h"
#include "io/zip.h"
#include "record/result.h"
#include "test.h"

static char path[1024];

// ---- reading a page ------------------------------------------------------------------------

static char *page;
static unsigned char *blob;
static size_t blob_size;

static int digit(char c) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = c ? strchr(digits, c) : NULL;
  return at ? (int)(at - digits) : -1;
}

static void forget(void) {
  free(page), free(blob);
  page = NULL, blob = NULL;
}

// loads the file and decodes its numbers
static int load(void) {
  forget();
  FILE *f = fopen(path, "rb");
  if (!CHECK(f != NULL)) return 0;
  fseek(f, 0, SEEK_END);
  long size = ftell(f);
  rewind(f);
  page = calloc((size_t)size + 1, 1);
  size_t got = page ? fread(page, 1, (size_t)size, f) : 0;
  fclose(f);
  if (!CHECK(page && got == (size_t)size)) return 0;
  const char *from = strstr(page, "id=\"holon-blob\"");
  if (!CHECK(from != NULL)) return 0;
  from = strchr(from, '>') + 1;
  blob = malloc((size_t)size);
  blob_size = 0;
  unsigned bits = 0;
  int count = 0;
  for (; digit(*from) >= 0; from++) {
    bits = bits << 6 | (unsigned)digit(*from);
    count += 6;
    if (count >= 8) {
      count -= 8;
      blob[blob_size++] = (unsigned char)(bits >> count);
    }
  }
  return CHECK(*from == '=' || *from == '<');
}

static double number(size_t at, int wide) {
  uint64_t bits = 0;
  for (int i = wide ? 8 : 4; i-- > 0;) bits = bits << 8 | blob[at + (size_t)i];
  if (wide) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
  }
  uint32_t half = (uint32_t)bits;
  float y;
  memcpy(&y, &half, sizeof y);
  return y;
}

// a block of the object: "key":{"at":A,"count":N,"type":"f64"}, the first after `near`
typedef struct block {
  size_t at, count;
  int wide;
} block;
static block find_block(const char *near, const char *key) {
  block b = {0};
  char text[64], type[8] = "";
  const char *from = strstr(page, "id=\"holon-data\">");
  from = from ? strstr(from, near) : NULL;
  snprintf(text, sizeof text, "\"%s\":{\"at\":", key);
  from = from ? strstr(from, text) : NULL;
  if (CHECK(from != NULL))
    CHECK(sscanf(from + strlen(text), "%zu,\"count\":%zu,\"type\":\"%3s", &b.at, &b.count, type) ==
          3);
  b.wide = strcmp(type, "f64") == 0;
  return b;
}
static double at(block b, size_t i) {
  return number(b.at + i * (b.wide ? 8 : 4), b.wide);
}

static int count_of(const char *key) {
  char text[64];
  const char *from = strstr(page, "id=\"holon-data\">");
  snprintf(text, sizeof text, "\"%s\":", key);
  from = from ? strstr(from, text) : NULL;
  return CHECK(from != NULL) ? atoi(from + strlen(text)) : -1;
}

// numbers of a page that computes: gzip, bytes of like weight together, floats as differences
static void unpack_block(block b, size_t rows, const unsigned char *from) {
  size_t size = b.wide ? 8 : 4, width = b.count / rows;
  uint32_t last = 0;
  for (size_t k = 0; k < b.count; k++) {
    unsigned char *to = blob + b.at + size * (k % rows * width + k / rows);
    for (size_t i = 0; i < size; i++) to[i] = from[b.at + i * b.count + k];
    if (b.wide) continue;
    last += to[0] | (uint32_t)to[1] << 8 | (uint32_t)to[2] << 16 | (uint32_t)to[3] << 24;
    for (size_t i = 0; i < size; i++) to[i] = (unsigned char)(last >> 8 * i);
  }
}

static void unpack_blob(void) {
  static const char *const framed[] = {"time", "pose", "track", "deformed"};
  const unsigned char *end = blob + blob_size - 4;
  size_t n = end[0] | (size_t)end[1] << 8 | (size_t)end[2] << 16;
  CHECK(blob[0] == 0x1f && blob[1] == 0x8b && blob[2] == 8 && blob[3] == 0);
  unsigned char *from = inflate(blob + 10, blob_size - 18, n);
  if (!CHECK(from != NULL)) return;
  CHECK((end[-4] | (uint32_t)end[-3] << 8 | (uint32_t)end[-2] << 16 | (uint32_t)end[-1] << 24) ==
        hn_crc32(from, n));
  free(blob);
  blob = calloc(n + 1, 1);
  blob_size = n;
  size_t rows = find_block("\"frames\"", "time").count;
  for (int i = 0; i < 4; i++) unpack_block(find_block("\"frames\"", framed[i]), rows, from);
  block time = find_block("\"columns\"", "time"), data = find_block("\"columns\"", "data");
  unpack_block(time, time.count, from);
  unpack_block(data, data.count, from);
  free(from);
}

// ---- a run to show -------------------------------------------------------------------------

typedef struct rig {
  hn_model *model;
  hn_system *system;
  hn_sim *sim;
  hn_result *result;
  hn_summary summary;
} rig;

static rig make(const char *name, double output_step) {
  rig r = {.model = hn_model_create()};
  hn_model_set_name(r.model, name);
  hn_model_set_gravity(r.model, 0, -9.81, 0);
  hn_body rod = hn_add_body(r.model, &(hn_body_def){.name = "rod",
                                                    .kind = HN_PLANAR,
                                                    .mass = 2,
                                                    .inertia = {0, 0, 0.2},
                                                    .position = {0.5, 0}});
  hn_body ball = hn_add_body(r.model, &(hn_body_def){.name = "ball",
                                                     .kind = HN_SPATIAL,
                                                     .mass = 1,
                                                     .inertia = {0.1, 0.2, 0.25},
                                                     .com = {0.1, 0, 0},
                                                     .angular_velocity = {3, 1, 2},
                                                     .velocity = {1, 2, 0}});
  (void)ball;
  hn_add_joint(r.model, &(hn_joint_def){.name = "pivot", .type = "revolute", .b = {rod, {0}}});
  hn_options *o = hn_model_options(r.model);
  o->duration = 1;
  o->output_step = output_step;
  CHECK(hn_add_output(r.model, "energy.*") == HN_OK);
  hn_report_prepare(r.model);
  char message[256] = "";
  CHECK(hn_compile(&r.system, r.model) == HN_OK);
  CHECK(hn_sim_create(&r.sim, r.system, o, message, sizeof message) == HN_OK);
  CHECK(hn_run(r.sim, &r.result, NULL, NULL) == HN_OK);
  hn_sim_summary(r.sim, &r.summary);
  return r;
}

static void destroy(rig *r) {
  hn_result_destroy(r->result);
  hn_sim_destroy(r->sim);
  hn_system_destroy(r->system);
  hn_model_destroy(r->model);
}

static hn_status write_report(const rig *r, double limit, char message[256]) {
  hn_report_run run = {.result = r->result, .summary = &r->summary};
  hn_report report = {
      .model = r->model, .system = r->system, .run = &run, .run_count = 1, .data_limit = limit};
  return hn_report_write(&report, path, message, 256);
}

// ---- tests ---------------------------------------------------------------------------------

// every recorded number is there, with all its bits; poses as float
static void test_everything(void) {
  rig r = make("pendulum", 0.01);
  char message[256];
  CHECK(write_report(&r, 0, message) == HN_OK);
  int rows = hn_result_rows(r.result), columns = hn_result_columns(r.result);
  // outputs name the energies only, but poses are kept: 3 of the rod, 7 of the ball
  CHECK(columns == 1 + 3 + 7 + 5);
  if (load()) {
    block time = find_block("\"columns\":", "time"), data = find_block("\"columns\":", "data");
    CHECK(time.wide && data.wide && (int)time.count == rows);
    CHECK(count_of("per_pair") == 0 && count_of("stride") == 1);
    CHECK((int)data.count == rows * (columns - 1));
    int same = 1;
    for (int i = 0; i < rows; i++)
      for (int c = 1; c < columns; c++)
        if (!(at(data, (size_t)((c - 1) * rows + i)) == hn_result_row(r.result, i)[c])) same = 0;
    CHECK(same);
    block pose = find_block("\"frames\":", "pose");
    int x = hn_result_find(r.result, "rod.x"), angle = hn_result_find(r.result, "rod.angle");
    int q = hn_result_find(r.result, "ball.q0"), y = hn_result_find(r.result, "ball.y");
    CHECK((int)pose.count == rows * 14 && !pose.wide);
    for (int i = 0; i < rows; i += 17) {
      const double *row = hn_result_row(r.result, i);
      size_t p = (size_t)i * 14;
      CHECK_NEAR(at(pose, p), row[x], 1e-7);
      CHECK_NEAR(at(pose, p + 3), cos(row[angle] / 2), 1e-7);
      CHECK_NEAR(at(pose, p + 6), sin(row[angle] / 2), 1e-7);
      CHECK_NEAR(at(pose, p + 8), row[y], 1e-6);
      for (size_t k = 0; k < 4; k++) CHECK_NEAR(at(pose, p + 10 + k), row[(size_t)q + k], 1e-7);
    }
  }
  destroy(&r);
}

// beams are drawn as such, of planar nodes or spatial ones; rods are springs to look at
#define STIFF " stiffness: [1e4, 1e4, 1e4, 10, 10, 10], mass: [1, 1, 1, 2, 1, 1]}\n"
static void test_beams(void) {
  static const char text[] =
      "simulation: {duration: 0.001}\n"
      "beams:\n"
      "  flat: {type: planar, from: [0, 0], to: [1, 0], elements: 3," STIFF
      "  bars: {type: rod, from: [0, 1, 0], to: [1, 1, 0], elements: 4," STIFF
      "  tall: {from: [0, 2, 0], to: [1, 2, 0], elements: 2," STIFF;
  static const char expected[] =
      "\"beams\":[{\"name\":\"flat\",\"first\":0,\"elements\":3,\"force\":0},"
      "{\"name\":\"tall\",\"first\":9,\"elements\":2,\"force\":7}]";
  rig r = {.model = hn_model_create()};
  char message[256] = "";
  if (!CHECK(hn_model_parse(r.model, text, strlen(text), "beams.yaml") == HN_OK))
    printf("  %s\n", hn_model_error(r.model));
  hn_report_prepare(r.model);
  hn_options *o = hn_model_options(r.model);
  if (CHECK(hn_compile(&r.system, r.model) == HN_OK) &&
      CHECK(hn_sim_create(&r.sim, r.system, o, message, sizeof message) == HN_OK)) {
    CHECK(hn_run(r.sim, &r.result, NULL, NULL) == HN_OK);
    hn_sim_summary(r.sim, &r.summary);
    CHECK(write_report(&r, 0, message) == HN_OK);
    if (load()) {
      // `first` counts bodies from 0: 4 nodes of the planar one, 5 of the rods
      const char *beams = strstr(page, "\"beams\":");
      CHECK(beams && strncmp(beams, expected, strlen(expected)) == 0);
    }
  }
  destroy(&r);
}

// thinned out: frames are rows, the last one among them; charts keep every extreme value
static void test_thinned(void) {
  rig r = make("pendulum", 0.0005);
  char message[256];
  CHECK(write_report(&r, 40e3, message) == HN_OK);
  int rows = hn_result_rows(r.result), columns = hn_result_columns(r.result);
  if (load()) {
    CHECK(blob_size < 42000);
    int stride = count_of("stride"), n = count_of("per_pair");
    block frames = find_block("\"frames\":", "time");
    CHECK(stride > 1 && n > 2);
    for (size_t i = 0; i + 1 < frames.count; i++)
      CHECK(at(frames, i) == hn_result_row(r.result, (int)i * stride)[0]);
    CHECK(at(frames, frames.count - 1) == hn_result_row(r.result, rows - 1)[0]);
    block time = find_block("\"columns\":", "time"), data = find_block("\"columns\":", "data");
    int groups = (rows + n - 1) / n, right = 1, rising = 1;
    CHECK((int)time.count == 2 * groups && (int)data.count == 2 * groups * (columns - 1));
    for (int c = 1; c < columns; c++)
      for (int g = 0; g < groups; g++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = g * n; i < rows && i < (g + 1) * n; i++) {
          low = fmin(low, hn_result_row(r.result, i)[c]);
          high = fmax(high, hn_result_row(r.result, i)[c]);
        }
        double a = at(data, (size_t)((c - 1) * 2 * groups + 2 * g));
        double b = at(data, (size_t)((c - 1) * 2 * groups + 2 * g + 1));
        if (!((float)low == (float)fmin(a, b) && (float)high == (float)fmax(a, b))) right = 0;
      }
    for (size_t i = 1; i < time.count; i++)
      if (!(at(time, i) > at(time, i - 1))) rising = 0;
    CHECK(right && rising);
    CHECK(at(time, 0) == 0 && at(time, time.count - 1) == hn_result_row(r.result, rows - 1)[0]);
  }
  destroy(&r);
}

// a name cannot break out of the script element
static void test_hostile_name(void) {
  rig r = make("</script><b>&\"\\", 0.1);
  char message[256];
  CHECK(write_report(&r, 0, message) == HN_OK);
  if (load()) {
    CHECK(strstr(page, "</script><b>") == NULL);
    CHECK(strstr(page, "<title>&lt;/script>&lt;b>&amp;\"\\ \xc2\xb7 holon</title>") != NULL);
    CHECK(strstr(page, "\"title\":\"\\u003c/script>\\u003cb>&\\\"\\\\\"") != NULL);
  }
  destroy(&r);
}

// a result without its model: bodies by the names of columns
static void test_result_only(void) {
  hn_result *result = hn_result_create("bare", 6);
  const char *const name[] = {"time", "a.x", "a.y", "b.x", "b.speed", "c.y"};
  for (int i = 0; i < 6; i++) CHECK(hn_result_set_column(result, i, name[i], "") == HN_OK);
  for (int k = 0; k < 3; k++) {
    double *row = hn_result_append(result);
    for (int i = 0; i < 6; i++) row[i] = k + 0.1 * i;
  }
  hn_report_run run = {.result = result};
  char message[256];
  CHECK(hn_report_write(&(hn_report){.run = &run, .run_count = 1}, path, message, 256) == HN_OK);
  if (load()) {
    CHECK(strstr(page, "\"bodies\":[\"a\"]") != NULL);
    block pose = find_block("\"frames\":", "pose");
    CHECK(pose.count == 21);
    CHECK_NEAR(at(pose, 7), 1.1, 1e-7);
    CHECK_NEAR(at(pose, 9), 0, 0);
    CHECK_NEAR(at(pose, 10), 1, 0);
  }
  hn_result_destroy(result);
}

// places of contacts, of joints that slide in a plane and coordinates of blocks are no bodies
static void test_no_bodies(void) {
  static const char *const name[] = {"time",         "ball.x",  "ball.y",  "ball.vx", "table.x",
                                     "table.x_rate", "table.y", "touch.x", "touch.y", "touch.gap",
                                     "touch.fx",     "sled.x",  "sled.y",  "fx.x",    "fx.y"};
  enum { COLUMNS = sizeof name / sizeof *name };
  hn_result *result = hn_result_create("bare", COLUMNS);
  for (int i = 0; i < COLUMNS; i++) CHECK(hn_result_set_column(result, i, name[i], "") == HN_OK);
  double *row = hn_result_append(result);
  for (int i = 0; i < COLUMNS; i++) row[i] = i;
  hn_report_run run = {.result = result};
  char message[256];
  CHECK(hn_report_write(&(hn_report){.run = &run, .run_count = 1}, path, message, 256) == HN_OK);
  if (load()) CHECK(strstr(page, "\"bodies\":[\"ball\",\"sled\",\"fx\"]") != NULL);
  // the one row does not fit, and there is none to take it together with
  hn_report tight = {.run = &run, .run_count = 1, .data_limit = 16};
  CHECK(hn_report_write(&tight, path, message, 256) == HN_OK);
  if (load()) CHECK_NEAR(count_of("per_pair"), 3, 0);
  hn_result_destroy(result);
}

static void test_refused(void) {
  rig r = make("pendulum", 0.1);
  char message[256] = "";
  hn_report_run run = {.result = r.result};
  hn_report report = {.model = r.model, .system = r.system, .run = &run};
  CHECK(hn_report_write(&report, path, message, sizeof message) == HN_ERR_ARGUMENT);
  CHECK_STR(message, "a report needs a run");
  report.run_count = 1, report.system = NULL;
  CHECK(hn_report_write(&report, path, message, sizeof message) == HN_ERR_ARGUMENT);
  report.system = r.system;
  CHECK(hn_report_write(&report, "/no/such/folder/r.html", message, 256) == HN_ERR_FILE);
  CHECK(strstr(message, "/no/such/folder/r.html: cannot be written") != NULL);
  hn_result *empty = hn_result_create("", 1);
  run.result = empty;
  CHECK(hn_report_write(&report, path, message, sizeof message) == HN_ERR_ARGUMENT);
  hn_result_destroy(empty);
  destroy(&r);
}

// the text of the model for a page that computes
static const char changeable[] = "name: sled  # </script>\n"
                                 "parameters: {m: 2, k: 3*m, L: 5 mm, s: 1}\n"
                                 "solve: {s: \"sled.y = s - 1\"}\n"
                                 "signals: {push: {input: 1.5, unit: N}, double: 2*push}\n"
                                 "simulation: {duration: 0.1, output_step: 0.05}\n"
                                 "bodies: {sled: {type: planar-point, mass: k}}\n"
                                 "forces: {f: {type: force, b: sled, force: [double, 0]}}\n";

// a page that computes has the text, what can be changed in it, and what was set beside it
static void test_live(void) {
  rig r = {.model = hn_model_create()};
  char message[256] = "";
  hn_model_keep_text(r.model);
  CHECK(hn_model_override(r.model, "m", "4") == HN_OK);
  if (!CHECK(hn_model_parse(r.model, changeable, strlen(changeable), "/home/x/sled.yaml") == HN_OK))
    printf("%s\n", hn_model_error(r.model));
  CHECK(hn_compile(&r.system, r.model) == HN_OK);
  CHECK(!hn_sim_create(&r.sim, r.system, hn_model_options(r.model), message, sizeof message));
  CHECK(hn_run(r.sim, &r.result, NULL, NULL) == HN_OK);
  hn_sim_summary(r.sim, &r.summary);
  hn_report_run run = {.result = r.result, .summary = &r.summary};
  const char *const options[] = {"rtol=1e-9"};
  hn_report report = {.model = r.model,
                      .system = r.system,
                      .run = &run,
                      .run_count = 1,
                      .live = true,
                      .live_options = options,
                      .live_option_count = 1};
  // the same as parts in memory
  hn_report_data data;
  CHECK(hn_report_pack_data(&report, &data) == HN_OK);
  // numbers that are given, not those that follow or are solved for
  CHECK(strstr(data.json,
               "\"parameters\":[{\"name\":\"m\",\"value\":4,\"about\":\"\",\"unit\":\"\"},"
               "{\"name\":\"L\",\"value\":0.005,\"about\":\"a length\",\"unit\":\"m\"}]"));
  CHECK(strstr(data.json, "\"inputs\":[{\"name\":\"push\",\"value\":1.5,\"unit\":\"N\"}]"));
  // the folder is nobody's business, and the text ends no script element
  CHECK(strstr(data.json, "\"name\":\"sled.yaml\",\"text\":\"name: sled  # \\u003c/script>"));
  CHECK(strstr(data.json, "\"set\":[[\"m\",\"4\"]],\"options\":[\"rtol=1e-9\"]"));
  CHECK(!strstr(data.json, "/home/x"));
  // with numbers that are known the same is said, where they are included, and they are left out
  hn_report_data again;
  report.numbers_known = true;
  CHECK(hn_report_pack_data(&report, &again) == HN_OK);
  CHECK(data.size > 0 && again.size == 0 && !again.numbers);
  CHECK(again.json && strcmp(again.json, data.json) == 0);
  hn_free(again.json);
  report.numbers_known = false;
  hn_status status = hn_report_write(&report, path, message, sizeof message);
  CHECK(status == (hn_report_can_live() ? HN_OK : HN_ERR_UNSUPPORTED));
  if (!status && load()) {
    CHECK(strstr(page, "id=\"holon-library\">H4sI") && strstr(page, "id=\"holon-script\">H4sI"));
    unpack_blob();
    CHECK(data.size == blob_size && memcmp(data.numbers, blob, blob_size) == 0);
  }
  hn_free(data.json), hn_free(data.numbers);
  destroy(&r);
}

// a file that several signals are columns of goes along once
static void test_shared_file(void) {
  char csv[600], yaml[600], message[256] = "";
  static const char text[] = "bodies: {b: {type: point, mass: 1}}\n"
                             "signals:\n"
                             "  u: {file: points.csv, column: u}\n"
                             "  v: {file: points.csv, column: v}\n";
  test_scratch(csv, sizeof csv, "points.csv");
  test_scratch(yaml, sizeof yaml, "m.yaml");
  FILE *file = fopen(csv, "w");
  if (!CHECK(file != NULL)) return;
  fputs("t,u,v\n0,1,2\n1,3,4\n", file);
  fclose(file);
  hn_model *m = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  hn_result *result = NULL;
  hn_report_data data = {0};
  hn_model_keep_text(m);
  hn_status status = hn_model_parse(m, text, sizeof text - 1, yaml);
  if (!status) status = hn_compile(&sys, m);
  if (!status) status = hn_sim_create(&sim, sys, hn_model_options(m), message, sizeof message);
  if (!status) status = hn_run(sim, &result, NULL, NULL);
  hn_report_run run = {.result = result};
  hn_report report = {.model = m, .system = sys, .run = &run, .run_count = 1, .live = true};
  if (!status) status = hn_report_pack_data(&report, &data);
  if (!CHECK(status == HN_OK)) printf("  %s%s\n", hn_model_error(m), message);
  const char *first = data.json ? strstr(data.json, "\"name\":\"points.csv\"") : NULL;
  CHECK(first && !strstr(first + 1, "\"name\":\"points.csv\""));
  hn_free(data.json), hn_free(data.numbers);
  hn_result_destroy(result);
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(m);
  remove(csv);
}

int main(void) {
  test_scratch(path, sizeof path, "test_report.html");
  RUN(test_everything);
  RUN(test_thinned);
  RUN(test_hostile_name);
  RUN(test_result_only);
  RUN(test_no_bodies);
  RUN(test_refused);
  RUN(test_live);
  RUN(test_shared_file);
  forget();
  remove(path);
  RUN(test_beams);
  return test_end();
}
