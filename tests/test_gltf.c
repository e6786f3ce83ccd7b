// test_gltf.c: the moving mechanism as a .glb file, read back by the rules of glTF 2.0.
#include "test.h"

#include "base/file.h"
#include "io/yaml.h"

#include <holon/holon.h>
#include <stdint.h>

static uint32_t word_at(const char *at) {
  uint32_t x = 0;
  for (int i = 0; i < 4; i++) x |= (uint32_t)(unsigned char)at[i] << (8 * i);
  return x;
}

static float float_at(const char *at) {
  uint32_t bits = word_at(at);
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static double number(const hn_yaml *map, const char *key) {
  const hn_yaml *n = hn_yaml_get(map, key);
  return n ? strtod(n->text, NULL) : NAN;
}

typedef struct file {
  char *text;
  const char *bin;
  uint32_t bin_length;
  hn_yaml_doc *doc;
  const hn_yaml *root;
} file;

// header, two chunks, JSON (which is YAML), views inside the buffer
static bool open_file(file *f, const char *path) {
  char message[HN_MESSAGE];
  size_t length = 0;
  hn_yaml_error error;
  *f = (file){0};
  if (!CHECK(hn_load_file(&f->text, &length, path, message) == HN_OK)) return false;
  uint32_t json = word_at(f->text + 12);
  CHECK(memcmp(f->text, "glTF", 4) == 0 && word_at(f->text + 4) == 2);
  CHECK(word_at(f->text + 8) == length);
  CHECK(memcmp(f->text + 16, "JSON", 4) == 0 && json % 4 == 0);
  f->bin_length = word_at(f->text + 20 + json);
  CHECK(memcmp(f->text + 24 + json, "BIN\0", 4) == 0);
  CHECK(28 + json + f->bin_length == length && f->bin_length % 4 == 0);
  f->bin = f->text + 28 + json;
  f->doc = hn_yaml_parse(f->text + 20, json, &error);
  if (!CHECK(f->doc != NULL)) return false;
  f->root = hn_yaml_root(f->doc);
  const hn_yaml *views = hn_yaml_get(f->root, "bufferViews");
  for (int i = 0; i < views->count; i++) {
    const hn_yaml *v = hn_yaml_item(views, i);
    CHECK(number(v, "byteOffset") + number(v, "byteLength") <= f->bin_length);
  }
  return true;
}

// the numbers of an accessor, which fill their view
static const char *data_of(const file *f, int accessor, int width, int *count) {
  const hn_yaml *a = hn_yaml_item(hn_yaml_get(f->root, "accessors"), accessor);
  const hn_yaml *v =
      hn_yaml_item(hn_yaml_get(f->root, "bufferViews"), (int)number(a, "bufferView"));
  *count = (int)number(a, "count");
  CHECK(number(v, "byteLength") == 4.0 * width * *count);
  return f->bin + (size_t)number(v, "byteOffset");
}

// what a surface without normals encloses, with the sign of the way its triangles go round
static double volume(const char *x, const char *k, int indices) {
  double sum = 0;
  for (int t = 0; t < indices; t += 3) {
    double a[3][3];
    for (int c = 0; c < 3; c++)
      for (int d = 0; d < 3; d++)
        a[c][d] = (double)float_at(x + 12 * word_at(k + 4 * (t + c)) + 4 * (uint32_t)d);
    sum += (a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) +
            a[0][1] * (a[1][2] * a[2][0] - a[1][0] * a[2][2]) +
            a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0])) /
           6;
  }
  return sum;
}

// surfaces of several shapes hold what the shapes do, a little less where they are round
static void check_shapes(const file *f, const hn_yaml *p) {
  int corners, indices;
  const hn_yaml *at = hn_yaml_get(p, "attributes");
  const char *x = data_of(f, (int)number(at, "POSITION"), 3, &corners);
  const char *k = data_of(f, (int)number(p, "indices"), 1, &indices);
  bool good = indices % 3 == 0 && indices > 0;
  for (int t = 0; t < indices; t++) good = good && word_at(k + 4 * t) < (uint32_t)corners;
  if (CHECK(good)) CHECK(volume(x, k, indices) > 0);
}

// meshes: indices name corners that are there, triangles face outwards
static void check_meshes(const file *f) {
  const hn_yaml *meshes = hn_yaml_get(f->root, "meshes");
  for (int i = 0; i < meshes->count; i++) {
    const hn_yaml *p = hn_yaml_item(hn_yaml_get(hn_yaml_item(meshes, i), "primitives"), 0);
    int corners, normals, indices;
    const hn_yaml *at = hn_yaml_get(p, "attributes");
    if (!hn_yaml_get(at, "NORMAL")) {
      check_shapes(f, p);
      continue;
    }
    const char *x = data_of(f, (int)number(at, "POSITION"), 3, &corners);
    const char *n = data_of(f, (int)number(at, "NORMAL"), 3, &normals);
    const char *k = data_of(f, (int)number(p, "indices"), 1, &indices);
    bool good = corners == normals && indices % 3 == 0 && indices > 0;
    for (int t = 0; t < indices && good; t += 3) {
      double a[3][3], normal[3] = {0, 0, 0}, u[3], v[3];
      for (int c = 0; c < 3; c++) {
        uint32_t index = word_at(k + 4 * (t + c));
        good = good && index < (uint32_t)corners;
        for (int d = 0; d < 3 && good; d++) {
          a[c][d] = (double)float_at(x + 12 * index + 4 * (uint32_t)d);
          normal[d] += (double)float_at(n + 12 * index + 4 * (uint32_t)d);
        }
      }
      for (int d = 0; d < 3; d++) u[d] = a[1][d] - a[0][d], v[d] = a[2][d] - a[0][d];
      double facing = normal[0] * (u[1] * v[2] - u[2] * v[1]) +
                      normal[1] * (u[2] * v[0] - u[0] * v[2]) +
                      normal[2] * (u[0] * v[1] - u[1] * v[0]);
      good = good && facing >= 0;
    }
    CHECK(good);
  }
}

// every body's node follows its columns
static void check_motion(const file *f, const hn_result *result) {
  const hn_yaml *animation = hn_yaml_item(hn_yaml_get(f->root, "animations"), 0);
  const hn_yaml *channels = hn_yaml_get(animation, "channels");
  const hn_yaml *samplers = hn_yaml_get(animation, "samplers");
  int compared = 0;
  for (int i = 0; i < channels->count; i++) {
    const hn_yaml *c = hn_yaml_item(channels, i), *target = hn_yaml_get(c, "target");
    const hn_yaml *s = hn_yaml_item(samplers, (int)number(c, "sampler"));
    const hn_yaml *node = hn_yaml_item(hn_yaml_get(f->root, "nodes"), (int)number(target, "node"));
    bool moves = !strcmp(hn_yaml_get(target, "path")->text, "translation");
    int times, count;
    const char *time = data_of(f, (int)number(s, "input"), 1, &times);
    const char *data = data_of(f, (int)number(s, "output"), moves ? 3 : 4, &count);
    CHECK(times == count && count == hn_result_rows(result));
    for (int k = 0; k < count; k++) {
      const double *row = hn_result_row(result, k);
      char name[200];
      double most = 0, length = 0;
      for (int d = 0; d < (moves ? 3 : 4); d++) {
        double x = (double)float_at(data + (size_t)(moves ? 12 : 16) * (size_t)k + 4 * (size_t)d);
        length += x * x;
        snprintf(name, sizeof name, "%s.%c", hn_yaml_get(node, "name")->text, "xyz"[d % 3]);
        int column = moves ? hn_result_find(result, name) : -1;
        if (column >= 0) most = fmax(most, fabs(x - row[column])), compared++;
      }
      CHECK(most <= 1e-6 * 10 && fabs((double)float_at(time + 4 * k) - row[0]) <= 1e-5);
      if (!moves) CHECK(fabs(length - 1) < 1e-5);
    }
  }
  CHECK(compared > 0);
}

static void animate(const char *name) {
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  hn_result *result = NULL;
  char path[300], message[256] = "";
  file f;
  snprintf(path, sizeof path, "%s.yaml", name);
  CHECK(hn_model_load(model, path) == HN_OK);
  hn_report_prepare(model);
  hn_options *o = hn_model_options(model);
  o->duration = 0.2, o->output_step = 0.01;
  CHECK(hn_compile(&sys, model) == HN_OK);
  CHECK(hn_sim_create(&sim, sys, o, message, sizeof message) == HN_OK);
  CHECK(hn_run(sim, &result, NULL, NULL) == HN_OK);
  test_scratch(path, sizeof path, "motion.glb");
  hn_report_run run = {.result = result};
  hn_report report = {.model = model, .system = sys, .run = &run, .run_count = 1};
  if (!CHECK(hn_report_write(&report, path, message, sizeof message) == HN_OK))
    printf("  %s: %s\n", name, message);
  else if (open_file(&f, path)) {
    check_meshes(&f);
    check_motion(&f, result);
  }
  hn_yaml_destroy(f.doc);
  free(f.text);
  remove(path);
  hn_result_destroy(result);
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(model);
}

// the material of what hangs below a body's node
static const hn_yaml *material_of(const file *f, const char *body) {
  const hn_yaml *nodes = hn_yaml_get(f->root, "nodes");
  for (int i = 0; i < nodes->count; i++) {
    const hn_yaml *node = hn_yaml_item(nodes, i), *name = hn_yaml_get(node, "name");
    if (!name || strcmp(name->text, body) != 0) continue;
    int child = (int)atof(hn_yaml_item(hn_yaml_get(node, "children"), 0)->text);
    int mesh = (int)number(hn_yaml_item(nodes, child), "mesh");
    const hn_yaml *p =
        hn_yaml_get(hn_yaml_item(hn_yaml_get(f->root, "meshes"), mesh), "primitives");
    int material = (int)number(hn_yaml_item(p, 0), "material");
    return hn_yaml_item(hn_yaml_get(f->root, "materials"), material);
  }
  return NULL;
}

static void has_colour(const file *f, const char *body, int red, int green, int blue) {
  const hn_yaml *m = material_of(f, body);
  const int wanted[3] = {red, green, blue};
  if (!CHECK(m)) return;
  const hn_yaml *factor = hn_yaml_get(hn_yaml_get(m, "pbrMetallicRoughness"), "baseColorFactor");
  // light as the standard of screens has it: within two parts of a hundred of the power that is
  // used
  for (int c = 0; c < 3; c++) {
    double x = wanted[c] / 255.0, light = x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
    if (!CHECK_NEAR(atof(hn_yaml_item(factor, c)->text), light, 0.02)) printf("  %s\n", body);
  }
}

// bodies of one shape, of several, without any, and beams have the colours they were given
static void colours(void) {
  static const char text[] =
      "bodies:\n"
      "  plain: {mass: 1, shape: {sphere: {radius: 0.1}}}\n"
      "  box: {mass: 1, shape: {box: {size: [0.1, 0.1, 0.1]}}, color: \"#c02040\"}\n"
      "  pair: {mass: 1, inertia: [1, 1, 1], color: \"#20c040\", shapes: [{box: {size: [0.1, 0.1, "
      "0.1]}}]}\n"
      "  bare: {mass: 1, inertia: [1, 1, 1], color: \"#2040c0\"}\n"
      "beams:\n"
      "  strip: {from: [0, 0, 0], to: [1, 0, 0], elements: 2, stiffness: [1, 1, 1, 1, 1, 1],\n"
      "    mass: [1, 1, 1, 1, 1, 1], color: \"#c0c020\"}\n"
      "simulation: {duration: 0.01, output_step: 0.01}\n";
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  hn_result *result = NULL;
  char path[300], message[256] = "";
  file f;
  if (!CHECK(hn_model_parse(model, text, strlen(text), "colours") == HN_OK))
    printf("  %s\n", hn_model_error(model));
  CHECK(hn_compile(&sys, model) == HN_OK);
  CHECK(hn_sim_create(&sim, sys, hn_model_options(model), message, sizeof message) == HN_OK);
  CHECK(hn_run(sim, &result, NULL, NULL) == HN_OK);
  test_scratch(path, sizeof path, "colours.glb");
  hn_report_run run = {.result = result};
  hn_report report = {.model = model, .system = sys, .run = &run, .run_count = 1};
  if (CHECK(hn_report_write(&report, path, message, sizeof message) == HN_OK) &&
      open_file(&f, path)) {
    check_meshes(&f);
    has_colour(&f, "box", 0xc0, 0x20, 0x40);
    has_colour(&f, "pair", 0x20, 0xc0, 0x40);
    has_colour(&f, "bare", 0x20, 0x40, 0xc0);
    has_colour(&f, "strip.node1", 0xc0, 0xc0, 0x20);
    hn_yaml_destroy(f.doc);
    free(f.text);
  }
  remove(path);
  hn_result_destroy(result);
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(model);
}

static void mechanisms(void) {
  animate("models/four_bar");
  animate("models/spatial_slider_crank");
  animate("models/iltis_suspension");
  animate("models/heavy_top");
  animate("tests/shapes/shapes");
}

// blocks have no place to be drawn at, alone or beside bodies
static void refuse(const char *text) {
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  hn_result *result = NULL;
  char path[300], message[256] = "";
  CHECK(hn_model_parse(model, text, strlen(text), "test") == HN_OK);
  hn_options *o = hn_model_options(model);
  o->duration = 0.2, o->output_step = 0.01;
  CHECK(hn_compile(&sys, model) == HN_OK);
  CHECK(hn_sim_create(&sim, sys, o, message, sizeof message) == HN_OK);
  CHECK(hn_run(sim, &result, NULL, NULL) == HN_OK);
  test_scratch(path, sizeof path, "motion.glb");
  hn_report_run run = {.result = result};
  hn_report report = {.model = model, .system = sys, .run = &run, .run_count = 1};
  CHECK(hn_report_write(&report, path, message, sizeof message) == HN_ERR_UNSUPPORTED);
  CHECK(strstr(message, "a moving picture needs a model of bodies, without blocks"));
  CHECK(remove(path) != 0);
  hn_result_destroy(result);
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(model);
}

#define BLOCK "blocks: {p: {coordinates: {x: 1}, kinetic_energy: 0.5*x.rate^2}}\n"
static void refused(void) {
  refuse(BLOCK);
  refuse("bodies: {ball: {mass: 1, inertia: [1, 1, 1]}}\n" BLOCK);
}

int main(void) {
  RUN(mechanisms);
  RUN(colours);
  RUN(refused);
  return test_end();
}
