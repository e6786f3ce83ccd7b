// test_flexible_look.c: flexible bodies as they are drawn, and where they are described.
//
//   corners   of bars and of a surface follow their nodes: rigid motion and deformation
//   edges     of solid elements, whose stiffness couples all nodes, without diagonals
//   page      deformations in the page are those of the columns
//   gltf      corners + sum of weights x targets, where the page has them
//   svg       as many sides as there are
//   parts     in parts, turned and put somewhere; in text and in files
#include <holon/holon.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rotation.h"
#include "folder.h"
#include "io/report.h"
#include "io/yaml.h"

// ---- a model -------------------------------------------------------------------------------

// a bar of two nodes 1 m apart along x, a third in the middle, lumped masses; all stiff together
#define HEAD "      %%%%MatrixMarket matrix coordinate real symmetric\n"

// springs along, across and about, of two elements of length 1/2: EA = 100, EI = 10, GJ = 10
static void put_matrix(hn_text *t, const char *key, double A[18][18]) {
  char line[96];
  int count = 0;
  for (int i = 0; i < 18; i++)
    for (int j = 0; j <= i; j++) count += A[i][j] != 0;
  snprintf(line, sizeof line, "    %s: |\n" HEAD "      18 18 %d\n", key, count);
  hn_text_bytes(t, line, strlen(line));
  for (int i = 0; i < 18; i++)
    for (int j = 0; j <= i; j++) {
      if (A[i][j] == 0) continue;
      snprintf(line, sizeof line, "      %d %d %.17g\n", i + 1, j + 1, A[i][j]);
      hn_text_bytes(t, line, strlen(line));
    }
}

static void put_arm(hn_text *t) {
  static const double bend[4][4] = {
      {12, 6, -12, 6}, {6, 4, -6, 2}, {-12, -6, 12, -6}, {6, 2, -6, 4}};
  static double K[18][18], M[18][18];
  const double l = 0.5;
  memset(K, 0, sizeof K), memset(M, 0, sizeof M);
  for (int e = 0; e < 2; e++) {
    for (int c = 0; c < 4; c += 3) {
      int a = 6 * e + c, b = a + 6;
      double k = (c ? 10 : 100) / l;
      K[a][a] += k, K[b][b] += k, K[a][b] -= k, K[b][a] -= k;
    }
    for (int plane = 0; plane < 2; plane++) {
      double sign = plane ? -1 : 1;
      int at[4] = {6 * e + 1 + plane, 6 * e + 5 - plane, 6 * e + 7 + plane, 6 * e + 11 - plane};
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
          K[at[i]][at[j]] +=
              10 * bend[i][j] / (l * l * l) * (i % 2 ? sign * l : 1) * (j % 2 ? sign * l : 1);
    }
  }
  for (int i = 0; i < 18; i++) M[i][i] = i % 6 < 3 ? 1 : 0.01;
  static const char nodes[] = "    nodes: |\n      1 0 0 0\n      2 0.5 0 0\n      3 1 0 0\n";
  hn_text_bytes(t, nodes, strlen(nodes));
  put_matrix(t, "stiffness", K);
  put_matrix(t, "mass", M);
}

typedef struct rig {
  hn_text text;
  hn_model *model;
  hn_system *system;
} rig;

static void put(rig *r, const char *text) {
  hn_text_bytes(&r->text, text, strlen(text));
}

static bool build(rig *r) {
  r->model = hn_model_create();
  hn_status status = hn_model_parse(r->model, r->text.text, r->text.used, "test.yaml");
  if (!status) status = hn_compile(&r->system, r->model);
  if (!CHECK(!status)) printf("  %s\n", hn_model_error(r->model));
  return !status;
}

static void rig_close(rig *r) {
  hn_system_destroy(r->system);
  hn_model_destroy(r->model);
  free(r->text.text);
}

// ---- corners -------------------------------------------------------------------------------

// any p: ends of the bars move with nodes; the middle one by shapes
static void test_corners(void) {
  rig r = {0};
  put(&r, "flexible:\n  arm:\n    interface: {root: 1, tip: 3}\n    modes: 2\n");
  put_arm(&r.text);
  if (!build(&r)) {
    rig_close(&r);
    return;
  }
  const hn_drawn *d = &r.model->flexible[0].reduced->drawn;
  // two bars of six sides
  CHECK(d->corners == 24 && d->triangles == 40 && d->shapes == 8);
  double p[8] = {0.01, 0.02, -0.03, 0.05, -0.04, 0.02, 0, 0}, corner[24][3], radius = 0.012;
  hn_drawn_at(d, p, corner);
  for (int i = 0; i < 24; i++) {
    const double *at = d->place + 3 * i;
    CHECK_NEAR(hypot(at[1], at[2]), radius, 1e-12);
    double expected[3] = {0, 0, 0}, off[3] = {0, at[1], at[2]};
    if (at[0] > 0.9) {
      v3_cross(expected, p + 3, off);
      v3_add(expected, expected, p);
    }
    // at the root nothing moves, at the tip the interface does
    for (int k = 0; k < 3 && (at[0] < 0.1 || at[0] > 0.9); k++)
      CHECK_NEAR(corner[i][k] - at[k], expected[k], 1e-12);
    // in the middle a cubic between clamped ends: half the deflection less an eighth of the slope
    if (at[0] > 0.4 && at[0] < 0.6) {
      double turn[3] = {p[3] / 2, 1.5 * -p[2] - 0.25 * p[4], 1.5 * p[1] - 0.25 * p[5]}, moved[3];
      double middle[3] = {p[0] / 2, p[1] / 2 - p[5] / 8, p[2] / 2 + p[4] / 8};
      v3_cross(moved, turn, off);
      v3_add(moved, moved, middle);
      for (int k = 0; k < 3; k++) CHECK_NEAR(corner[i][k] - at[k], moved[k], 1e-12);
    }
  }
  rig_close(&r);
}

// a cube whose eight nodes are all coupled with each other: twelve edges, no diagonals; and six
// faces where they are given
static void test_edges(void) {
  for (int faces = 0; faces < 2; faces++) {
    hn_finite_elements e = {.nodes = 8, .freedoms = 3};
    static double place[24], value[576], shape[24];
    static int start[25], row[576], number[8];
    static int face[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                              {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    for (int i = 0; i < 24; i++) place[i] = (i / 3) >> (i % 3) & 1;
    for (int i = 0; i < 576; i++) value[i] = 1, row[i] = i % 24;
    for (int i = 0; i < 25; i++) start[i] = 24 * i;
    for (int i = 0; i < 24; i++) shape[i] = i % 3 == 1;
    e.number = number, e.place = place;
    e.K = (hn_matrix){.n = 24, .start = start, .row = row, .value = value};
    if (faces) e.faces = 12, e.face = face;
    hn_drawn d;
    const double origin[3] = {0.5, 0.5, 0.5}, p[1] = {0.25};
    double corner[400][3], moved = 0;
    CHECK(!hn_drawn_make(&d, &e, shape, 1, origin));
    CHECK(faces ? d.corners == 8 && d.triangles == 12 : d.corners == 144 && d.triangles == 240);
    hn_drawn_at(&d, p, corner);
    for (int i = 0; i < d.corners; i++) moved += corner[i][1] - d.place[3 * i + 1];
    CHECK_NEAR(moved, 0.25 * d.corners, 1e-9);
    hn_drawn_free(&d);
  }
}

// ---- files ---------------------------------------------------------------------------------

static char *slurp(const char *path, size_t *length) {
  char *text = NULL, message[HN_MESSAGE];
  if (!CHECK(!hn_load_file(&text, length, path, message))) printf("  %s\n", message);
  return text;
}

static uint32_t word_at(const char *at) {
  uint32_t x = 0;
  for (int i = 0; i < 4; i++) x |= (uint32_t)(unsigned char)at[i] << (8 * i);
  return x;
}

static double float_at(const char *at) {
  uint32_t bits = word_at(at);
  float x;
  memcpy(&x, &bits, sizeof x);
  return (double)x;
}

typedef struct glb {
  char *text;
  const char *bin;
  hn_yaml_doc *doc;
  const hn_yaml *root;
} glb;

static const hn_yaml *item(const glb *f, const char *list, int index) {
  return hn_yaml_item(hn_yaml_get(f->root, list), index);
}
static int number(const hn_yaml *map, const char *key) {
  const hn_yaml *n = hn_yaml_get(map, key);
  return CHECK(n != NULL) ? (int)strtod(n->text, NULL) : 0;
}
static const char *data_of(const glb *f, int accessor, int *count) {
  const hn_yaml *a = item(f, "accessors", accessor);
  *count = number(a, "count");
  return f->bin + number(item(f, "bufferViews", number(a, "bufferView")), "byteOffset");
}

// the place of corner i at the last instant is that of the columns
static void check_glb(const rig *r, const hn_result *result) {
  glb f = {0};
  size_t length;
  hn_yaml_error error;
  if (!(f.text = slurp("arm.glb", &length))) return;
  uint32_t json = word_at(f.text + 12);
  f.bin = f.text + 28 + json;
  f.doc = hn_yaml_parse(f.text + 20, json, &error);
  if (!CHECK(f.doc != NULL)) {
    free(f.text);
    return;
  }
  f.root = hn_yaml_root(f.doc);
  const hn_yaml *meshes = hn_yaml_get(f.root, "meshes");
  const hn_yaml *mesh = hn_yaml_item(meshes, meshes->count - 1);
  const hn_yaml *primitive = hn_yaml_item(hn_yaml_get(mesh, "primitives"), 0);
  const hn_yaml *targets = hn_yaml_get(primitive, "targets");
  const hn_yaml *channels = hn_yaml_get(item(&f, "animations", 0), "channels");
  const hn_yaml *last = hn_yaml_item(channels, channels->count - 1);
  const hn_yaml *samplers = hn_yaml_get(item(&f, "animations", 0), "samplers");
  const hn_yaml *way = hn_yaml_get(last, "target");
  const hn_drawn *d = &r->model->flexible[0].reduced->drawn;
  int corners, frames, count;
  if (CHECK(targets && targets->count == d->shapes) &&
      CHECK(strcmp(hn_yaml_get(way, "path")->text, "weights") == 0)) {
    CHECK(number(item(&f, "nodes", number(way, "node")), "mesh") == meshes->count - 1);
    const char *x = data_of(&f, number(hn_yaml_get(primitive, "attributes"), "POSITION"), &corners);
    const char *w =
        data_of(&f, number(hn_yaml_item(samplers, number(last, "sampler")), "output"), &frames);
    CHECK(corners == d->corners && frames == d->shapes * hn_result_rows(result));
    double p[8], moved[24][3];
    hn_deformed deformed;
    CHECK(hn_deformed_find(&deformed, result, r->model, 0));
    hn_deformed_at(&deformed, hn_result_row(result, hn_result_rows(result) - 1), p);
    hn_deformed_free(&deformed);
    CHECK(hn_largest(p, 8) > 1e-3);
    hn_drawn_at(d, p, moved);
    for (int i = 0; i < corners; i++)
      for (int c = 0; c < 3; c++) {
        double at = float_at(x + 12 * i + 4 * c);
        for (int k = 0; k < d->shapes; k++)
          at += float_at(w + 4 * (frames - d->shapes + k)) *
                float_at(data_of(&f, number(hn_yaml_item(targets, k), "POSITION"), &count) +
                         12 * i + 4 * c);
        CHECK_NEAR(at, moved[i][c], 1e-6);
      }
  }
  hn_yaml_destroy(f.doc);
  free(f.text);
}

static void check_page(const hn_result *result) {
  size_t length;
  char *text = slurp("arm.html", &length), wanted[64];
  if (!text) return;
  CHECK(strstr(text, "\"flexibles\":[{\"name\":\"arm\",\"description\":\"a bar\",\"color\":\"#"));
  CHECK(strstr(text, "\"first\":0,\"interfaces\":2,\"size\":8,\"corners\":["));
  snprintf(wanted, sizeof wanted, "\"count\":%d,\"type\":\"f32\"},\"tracks\"",
           8 * hn_result_rows(result));
  CHECK(strstr(text, wanted));
  free(text);
  text = slurp("arm.svg", &length);
  int sides = 0;
  for (const char *s = text; s && (s = strstr(s, "<path fill=\"#")); s++) sides++;
  // half of the forty are seen, and no ball for the other interface
  CHECK(sides >= 15 && sides <= 25);
  CHECK(text && !strstr(text, "arm.tip"));
  free(text);
}

static void test_files(void) {
  rig r = {0};
  put(&r, "gravity: [0, 0, -1]\n"
          "flexible:\n  arm:\n    description: a bar\n    color: red\n"
          "    interface: {root: 1, tip: 3}\n    modes: 2\n");
  put_arm(&r.text);
  put(&r, "joints:\n  clamp: {type: fixed, b: arm.root}\n"
          "simulation: {duration: 0.4, output_step: 0.1}\noutputs: [energy.total]\n");
  if (!build(&r)) {
    rig_close(&r);
    return;
  }
  hn_report_prepare(r.model);
  hn_system_destroy(r.system);
  CHECK(!hn_compile(&r.system, r.model));
  char message[512] = "";
  hn_sim *sim = NULL;
  hn_result *result = NULL;
  if (CHECK(!hn_sim_create(&sim, r.system, hn_model_options(r.model), message, sizeof message)) &&
      CHECK(!hn_run(sim, &result, NULL, NULL))) {
    hn_report_run run = {.result = result};
    hn_report report = {.model = r.model, .system = r.system, .run = &run, .run_count = 1};
    report.at = 0.4;
    static const char *const files[] = {"arm.glb", "arm.html", "arm.svg"};
    for (int i = 0; i < 3; i++)
      if (!CHECK(!hn_report_write(&report, files[i], message, sizeof message)))
        printf("  %s\n", message);
    check_glb(&r, result);
    check_page(result);
  }
  hn_result_destroy(result);
  hn_sim_destroy(sim);
  rig_close(&r);
}

// ---- parts ---------------------------------------------------------------------------------

static void test_parts(void) {
  rig r = {0};
  hn_pose pose = {0};
  put(&r, "parts:\n  leg:\n   flexible:\n    bar:\n");
  rig inner = {0};
  put(&inner, "    interface: {root: 1, tip: 3}\n    modes: 1\n    velocity: [1, 0, 0]\n");
  put_arm(&inner.text);
  // a part is one step further in
  for (char *line = inner.text.text; line && *line;) {
    char *end = strchr(line, '\n');
    put(&r, "  ");
    hn_text_bytes(&r.text, line, (size_t)(end - line) + 1);
    line = end + 1;
  }
  free(inner.text.text);
  put(&r, "   joints:\n    hinge: {type: revolute, b: bar.root, at: [0, 0, 0], axis: [0, 1, 0]}\n"
          "   forces:\n    pull: {type: force, b: bar.tip, force: [0, 0, bar.mode1]}\n"
          "use:\n  left: {part: leg, at: [0, 2, 0], angle: 90 deg}\n  right: {part: leg}\n");
  if (build(&r)) {
    hn_sim *sim = NULL;
    char message[512];
    CHECK(!hn_sim_create(&sim, r.system, hn_model_options(r.model), message, sizeof message));
    CHECK(r.model->flexible_count == 2 && r.system->flexibles == 2);
    CHECK(!hn_body_pose(sim, hn_find_body(r.system, "left.bar.tip"), &pose));
    CHECK_NEAR(pose.position[0], 0, 1e-12);
    CHECK_NEAR(pose.position[1], 3, 1e-12);
    CHECK_NEAR(fabs(pose.orientation[0]), sqrt(0.5), 1e-12);
    CHECK(!hn_body_pose(sim, hn_find_body(r.system, "right.bar.tip"), &pose));
    CHECK_NEAR(pose.position[0], 1, 1e-12);
    hn_sim_destroy(sim);
  }
  rig_close(&r);
}

static void refused(const char *keys, const char *expected) {
  char text[1024];
  hn_model *model = hn_model_create();
  snprintf(text, sizeof text, "flexible:\n  arm: {%s}\n", keys);
  CHECK(hn_model_parse(model, text, strlen(text), "test.yaml") != HN_OK);
  if (!CHECK(strstr(hn_model_error(model), expected)))
    printf("  got:      %s\n  expected: %s\n", hn_model_error(model), expected);
  hn_model_destroy(model);
}

// text in the model is told by its key and line
static void test_refusals(void) {
#define NODES  "nodes: \"1 0 0 0\\n2 1 0 0\\n\", "
#define MATRIX "\"%%MatrixMarket matrix coordinate real symmetric\\n6 6 1\\n1 1 1\\n\""
  refused("nodes: \"1 0 0 0\\n2 1 0\\n\", stiffness: x, mass: x, interface: {a: 1}",
          "nodes:2: a node is a line 'number x y z'");
  refused(NODES "stiffness: " MATRIX ", mass: none.mtx, interface: {a: 1}", "none.mtx");
  refused(NODES "stiffness: " MATRIX ", mass: " MATRIX ", interface: {a: 1}, surface: \"1 2 9\\n\"",
          "surface:1: there is no node of this number");
  refused(NODES "stiffness: " MATRIX ", mass: " MATRIX ", interface: {a: 1}, surface: \"1 2\\n\"",
          "surface:1: a face is a line of three or four numbers of nodes");
  char text[] = "parts:\n  p:\n    flexible:\n      arm: {" NODES "stiffness: " MATRIX
                ", mass: " MATRIX ", interface: {a: 1}}\nuse:\n  q: {part: p, mirror: xz}\n";
  hn_model *model = hn_model_create();
  CHECK(hn_model_parse(model, text, strlen(text), "test.yaml") != HN_OK);
  CHECK(strstr(hn_model_error(model), "cannot be in a part that is mirrored"));
  hn_model_destroy(model);
}

int main(void) {
  if (!test_enter_folder("flexible-look")) return 1;
  RUN(test_corners);
  RUN(test_edges);
  RUN(test_files);
  RUN(test_parts);
  RUN(test_refusals);
  return test_end();
}
