// test_shapes.c: shapes of bodies: mass, centre and inertia, and the surfaces they are drawn by.
#include <holon/holon.h>

#include "base/vec.h"
#include "io/shape_surface.h"
#include "model/model.h"
#include "test.h"

static const double pi = 3.14159265358979323846;

static char message[1024];

// the body `b` of a model with these lines; NULL: refused
static const hn_body_def *read_body(hn_model **out, const char *text) {
  char yaml[4000], path[512];
  hn_model *m = hn_model_create();
  test_scratch(path, sizeof path, "shapes.yaml");
  snprintf(yaml, sizeof yaml, "bodies:\n  b: %s\n", text);
  hn_status status = hn_model_parse(m, yaml, strlen(yaml), path);
  const char *said = hn_model_error(m);
  const char *slash = strrchr(said, '/');
  snprintf(message, sizeof message, "%s", status ? (slash ? slash + 1 : said) : "");
  *out = m;
  return status ? NULL : &m->body[1].def;
}

static void check_body(const char *text, double mass, const double com[3], const double inertia[6],
                       double tolerance) {
  hn_model *m;
  const hn_body_def *d = read_body(&m, text);
  if (!CHECK(d != NULL)) printf("  %s\n", message);
  for (int i = 0; d && i < 3; i++) CHECK_NEAR(d->com[i], com[i], tolerance);
  if (d) CHECK_REL(d->mass, mass, 0, tolerance);
  for (int i = 0; d && i < 6; i++)
    CHECK_REL(d->inertia[i], inertia[i], fmax(inertia[0], inertia[2]), tolerance);
  hn_model_destroy(m);
}

static void check_axial(const char *text, double mass, double z, double along, double across) {
  check_body(text, mass, (double[3]){0, 0, z}, (double[6]){across, across, along, 0, 0, 0}, 1e-13);
}

static void closed_forms(void) {
  double R = 0.5, r = 0.3, l = 0.8, m = pi * (R * R - r * r) * l;
  check_axial("{shape: {tube: {radius: 0.5, inner_radius: 0.3, length: 0.8, density: 1}}}", m, 0,
              m * (R * R + r * r) / 2, m * (3 * (R * R + r * r) + l * l) / 12);
  // a cone of height l: 3/10 m R^2 along, 3/80 m (4 R^2 + l^2) across, centre l / 4 above its foot
  m = pi * R * R * l / 3;
  check_axial("{shape: {cone: {radius: 0.5, length: 0.8, density: 1}}}", m, -l / 4, 0.3 * m * R * R,
              3.0 / 80 * m * (4 * R * R + l * l));
  // cut off: 3/10 m (R^5 - r^5) / (R^3 - r^3) along
  m = pi * l * (R * R + R * r + r * r) / 3;
  hn_model *model;
  const hn_body_def *d =
      read_body(&model, "{shape: {cone: {radius: 0.5, end_radius: 0.3, length: 0.8, density: 1}}}");
  if (CHECK(d != NULL)) {
    CHECK_REL(d->mass, m, 0, 1e-14);
    CHECK_REL(d->com[2],
              l * (R * R + 2 * R * r + 3 * r * r) / (4 * (R * R + R * r + r * r)) - l / 2, 1,
              1e-14);
    CHECK_REL(d->inertia[2], 0.3 * m * (pow(R, 5) - pow(r, 5)) / (pow(R, 3) - pow(r, 3)), 0, 1e-13);
  }
  hn_model_destroy(model);
  // a square turned about an axis outside of it: Pappus, V = 2 pi c a^2 with c its distance
  check_axial("{shape: {revolution: {outline: [[2, -1], [4, -1], [4, 1], [2, 1]], density: 1}}}",
              2 * pi * 3 * 4, 0, pi / 2 * (256 - 16) * 2, pi * 12 * 2 * (3 * (16 + 4) + 4) / 12);
}

// numbers of scipy's dblquad and quad
static void quadrature(void) {
  check_axial("{shape: {capsule: {radius: 0.3, length: 0.8, density: 1}}}", 0.3392920065876976, 0,
              0.0142502642766833, 0.04949893384996078);
  check_axial("{shape: {revolution: {outline: [[0.5, 0], [2, 0.5], [1, 2]], density: 1}}}",
              10.07927643026725, 0.8392857142857143, 16.73879835740812, 10.01692376357491);
  // an L with a hole; its corners either way round
  const double com[3] = {1.590909090909091, 1, 0};
  const double I[6] = {2.036458333333333, 4.029356060606061, 5.951231060606061, 1.5, 0, 0};
  check_body("{shape: {extrusion: {outline: [[0, 0], [4, 0], [4, 1], [1, 1], [1, 3], [0, 3]],\n"
             "    holes: [[[0.25, 0.5], [0.75, 0.5], [0.75, 1.5], [0.25, 1.5]]],\n"
             "    length: 0.5, density: 1}}}",
             2.75, com, I, 1e-13);
  check_body("{shape: {extrusion: {outline: [[0, 3], [1, 3], [1, 1], [4, 1], [4, 0], [0, 0]],\n"
             "    holes: [[[0.25, 0.5], [0.75, 0.5], [0.75, 1.5], [0.25, 1.5]]],\n"
             "    length: 0.5}}, mass: 2.75}",
             2.75, com, I, 1e-13);
}

// a whole is the sum of its parts, wherever they are cut and however they are turned
static void sums(void) {
  const double zero[3] = {0}, box[6] = {8 * 2.0 / 12, 8 * 17.0 / 12, 8 * 17.0 / 12, 0, 0, 0};
  check_body("{shapes: [{box: {size: [2, 1, 1], position: [-1, 0, 0], density: 2}},\n"
             "  {box: {size: [1, 2, 1], position: [1, 0, 0], density: 2,\n"
             "         orientation: {axis: [0, 0, 1], angle: 90 deg}}}]}",
             8, zero, box, 1e-14);
  // steel and aluminium on one axis: masses, centre and Steiner's terms by hand
  double a = 7850 * 0.001, b = 2700 * 0.002, c = (a * 0.5 - b * 1) / (a + b), across = 0;
  const double at[3] = {c, 0, 0};
  across = a * (0.0025 + 0.16) / 12 + b * (0.0025 + 0.64) / 12 + a * pow(0.5 - c, 2) +
           b * pow(-1 - c, 2);
  double along = (a + b) * 0.005 / 12;
  (void)along;
  hn_model *m;
  const hn_body_def *d =
      read_body(&m, "{shapes: [{box: {size: [0.4, 0.05, 0.05], position: [0.5, 0, 0], material: "
                    "steel}},\n {box: {size: [0.8, 0.05, 0.05], position: [-1, 0, 0], material: "
                    "aluminium}}]}");
  if (CHECK(d != NULL)) {
    CHECK_REL(d->mass, a + b, 0, 1e-14);
    CHECK_NEAR(d->com[0], at[0], 1e-14);
    CHECK_REL(d->inertia[0], along, 0, 1e-13);
    CHECK_REL(d->inertia[1], across, 0, 1e-13);
  }
  hn_model_destroy(m);
  // a mass that is given is spread by volume; what is only drawn has none
  check_body("{mass: 6, shapes: [{box: {size: [1, 1, 1], position: [0, 0, 0.5]}},\n"
             "  {box: {size: [1, 1, 1], position: [0, 0, -0.5]}},\n"
             "  {sphere: {radius: 3, position: [9, 9, 9], only_drawn: true}}]}",
             6, zero, (double[6]){2.5, 2.5, 1, 0, 0, 0}, 1e-14);
  // of a rod the density is that over its length
  check_body("{shapes: [{rod: {length: 2, radius: 0.01, density: 3}}]}", 6, zero,
             (double[6]){6 * 0.0001 / 2, 2, 2, 0, 0, 0}, 1e-14);
}

static void given_wins(void) {
  const double com[3] = {1, 2, 3}, I[6] = {4, 5, 6, 0, 0, 0}, zero[3] = {0};
  check_body("{mass: 2, inertia: [4, 5, 6], com: [1, 2, 3], shapes: [{sphere: {radius: 1}}]}", 2,
             com, I, 0);
  check_body("{inertia: [4, 5, 6], shapes: [{box: {size: [1, 1, 1], density: 7, position: [1, 0, "
             "0]}}]}",
             7, zero, I, 1e-15);
  // alone it is at the centre of mass, whatever it is
  check_body("{com: [1, 2, 3], mass: 1, shape: {tube: {radius: 2, inner_radius: 1, length: 3}}}", 1,
             com, (double[6]){2, 2, 2.5, 0, 0, 0}, 1e-14);
  // a planar body has its inertia about z, and its centre in the plane
  hn_model *m;
  const hn_body_def *d = read_body(
      &m, "{type: planar, shapes: [{box: {size: [1, 1, 0.1], position: [2, 1, 5], density: 10}}]}");
  if (CHECK(d != NULL)) {
    CHECK_NEAR(d->com[0], 2, 1e-15), CHECK_NEAR(d->com[1], 1, 1e-15);
    CHECK(d->com[2] == 0 && d->inertia[0] == 0);
    CHECK_NEAR(d->inertia[2], 1.0 / 6, 1e-15);
  }
  hn_model_destroy(m);
}

// ---- bars and mirrored parts ---------------------------------------------------------------

static void bars(void) {
  hn_model *m = hn_model_create();
  const char text[] = "points: {A: [0, 0, 0], B: [0, 3, 0]}\n"
                      "bodies:\n"
                      "  bar: {from: A, to: B, shapes: [\n"
                      "    {tube: {radius: 2 cm, inner_radius: 1 cm, material: steel}},\n"
                      "    {sphere: {radius: 5 cm, position: [1.5, 0, 0], density: 1000}}]}\n";
  if (!CHECK(hn_model_parse(m, text, strlen(text), "bar.yaml") == HN_OK))
    printf("  %s\n", hn_model_error(m));
  double tube = 7850 * pi * 3e-4 * 3, ball = 1000 * 4.0 / 3 * pi * 1.25e-4;
  CHECK_REL(m->body[1].def.mass, tube + ball, 0, 1e-14);
  CHECK_REL(m->body[1].def.com[0], ball * 1.5 / (tube + ball), 0, 1e-14);
  hn_model_destroy(m);
}

// centre of mass in the world, and inertia there
static void in_world(const hn_body_def *d, double at[3], double I[9]) {
  double R[9], c[3], T[9];
  const double A[9] = {d->inertia[0], d->inertia[3], d->inertia[4], d->inertia[3], d->inertia[1],
                       d->inertia[5], d->inertia[4], d->inertia[5], d->inertia[2]};
  double q[4] = {1, 0, 0, 0};
  if (d->orientation[0] != 0 || d->orientation[1] != 0 || d->orientation[2] != 0 ||
      d->orientation[3] != 0)
    memcpy(q, d->orientation, sizeof q);
  q_matrix(R, q);
  m3_mulv(c, R, d->com);
  v3_add(at, d->position, c);
  m3_mul(T, R, A);
  m3_mult(I, T, R);
}

static void mirrored(void) {
  char path[512], file[512];
  test_scratch(file, sizeof file, "wedge.obj");
  FILE *out = fopen(file, "w");
  fputs("v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n", out);
  fclose(out);
  const char text[] =
      "parts:\n  arm:\n    bodies:\n      b:\n        orientation: {axis: [1, 2, 3], angle: 0.7}\n"
      "        position: [1, 2, 3]\n        shapes:\n"
      "          - extrusion: {outline: [[0, 0], [3, 0], [0, 1]], length: 0.5, density: 2,\n"
      "              position: [0, 1, 0], orientation: {axis: [1, 1, 0], angle: 1}}\n"
      "          - cone: {radius: 0.5, length: 2, axis: [1, 2, 1], position: [1, 0, 2], density: "
      "1}\n"
      "          - mesh: {file: wedge.obj, density: 3, orientation: {axis: [0, 1, 1], angle: 2},\n"
      "              position: [-1, 1, 0], scale: 0.5}\n"
      "use: {l: {part: arm}, r: {part: arm, mirror: xz}}\n";
  hn_model *m = hn_model_create();
  test_scratch(path, sizeof path, "mirrored.yaml");
  if (!CHECK(hn_model_parse(m, text, strlen(text), path) == HN_OK))
    printf("  %s\n", hn_model_error(m));
  else {
    double at[2][3], I[2][9];
    const double sign[3] = {1, -1, 1};
    for (int i = 0; i < 2; i++) in_world(&m->body[1 + i].def, at[i], I[i]);
    CHECK_REL(m->body[1].def.mass, m->body[2].def.mass, 0, 1e-15);
    CHECK_REL(m->body[1].def.mass, 1.5 + pi / 6 + 0.375, 0, 1e-14);
    for (int i = 0; i < 3; i++) CHECK_NEAR(at[1][i], sign[i] * at[0][i], 1e-13);
    for (int i = 0; i < 9; i++) CHECK_NEAR(I[1][i], sign[i / 3] * sign[i % 3] * I[0][i], 1e-12);
  }
  hn_model_destroy(m);
}

// ---- surfaces ------------------------------------------------------------------------------

// what is drawn encloses what is weighed: exactly where all faces are flat
static void surfaces(void) {
  static const struct {
    const char *shape;
    double volume, inertia;  // relative
  } cases[] = {
      {"box: {size: [1, 2, 3]", 1e-13, 1e-12},
      {"extrusion: {length: 0.5, outline: [[0, 0], [4, 0], [4, 1], [1, 1], [1, 3], [0, 3]], holes: "
       "[[[0.25, 0.5], [0.75, 0.5], [0.75, 1.5], [0.25, 1.5]], [[2, 0.2], [3, 0.5], [2.4, 0.8]]]",
       1e-13, 1e-12},
      {"extrusion: {length: 2, outline: [[0, 0], [1, 3], [4, 1], [2, 1.5]]", 1e-13, 1e-12},
      {"mesh: {file: wedge.obj, scale: [1, -2, 0.5]", 1e-13, 1e-12},
      {"cylinder: {radius: 1, length: 2", 0.01, 0.02},
      {"sphere: {radius: 1", 0.02, 0.03},
      {"tube: {radius: 1, inner_radius: 0.6, length: 2", 0.01, 0.02},
      {"capsule: {radius: 1, length: 2", 0.02, 0.03},
      {"cone: {radius: 1, end_radius: 0.4, length: 2", 0.01, 0.02},
      {"cone: {radius: 1, length: 2", 0.01, 0.02},
      {"revolution: {outline: [[0, 0], [0, 1], [2, 2], [1, 1], [1.5, 0]]", 0.01, 0.02},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[600];
    hn_model *m;
    hn_trimesh surface;
    double V, c[3], I[6], most = 0;
    snprintf(text, sizeof text,
             "{shapes: [{%s, density: 1, position: [1, 2, 3], orientation: {euler: [0.3, 0.7, "
             "1.1], sequence: zyx}}}]}",
             cases[i].shape);
    const hn_body_def *d = read_body(&m, text);
    test_name = cases[i].shape;
    if (CHECK(d != NULL) && CHECK(hn_shape_surface(&surface, m, &d->shapes[0]) == HN_OK)) {
      hn_trimesh_content(&surface, &V, c, I);
      CHECK_REL(V, d->mass, 0, cases[i].volume);
      for (int k = 0; k < 3; k++) most = fmax(most, d->inertia[k]);
      for (int k = 0; k < 3; k++) CHECK_NEAR(c[k], d->com[k], fmax(0.02 * cases[i].volume, 1e-13));
      for (int k = 0; k < 6; k++) CHECK_NEAR(I[k], d->inertia[k], most * cases[i].inertia);
      hn_trimesh_free(&surface);
    } else {
      printf("  %s\n", message);
    }
    hn_model_destroy(m);
  }
}

// ---- what is none --------------------------------------------------------------------------

static void refuse(const char *text, const char *expected) {
  hn_model *m;
  CHECK(read_body(&m, text) == NULL);
  CHECK_STR(message, expected);
  hn_model_destroy(m);
}

static void refused(void) {
  refuse("{shapes: []}", "shapes.yaml:2:15: body 'b': shapes must be a list of shapes");
  refuse("{shape: {tube: {radius: 1, inner_radius: 1, length: 1, density: 1}}}",
         "shapes.yaml:2:47: body 'b': inner_radius must be smaller than radius");
  refuse("{shapes: [{sphere: {radius: 1, material: stel}}]}",
         "shapes.yaml:2:47: body 'b': material cannot be 'stel' (did you mean 'steel'?)");
  refuse("{shapes: [{sphere: {radius: 1, material: steel, density: 1}}]}",
         "shapes.yaml:2:47: body 'b': material and density are both given (one follows from the "
         "other)");
  refuse("{shape: {sphere: {radius: 1, material: steel, density: 1}}}",
         "shapes.yaml:2:45: body 'b': material and density are both given (one follows from the "
         "other)");
  refuse("{shape: {rod: {length: 1, material: steel}}}",
         "shapes.yaml:2:42: body 'b': a rod of some material needs its radius");
  refuse(
      "{mass: 1, shapes: [{sphere: {radius: 1, material: steel}}]}",
      "shapes.yaml:2:13: body 'b': mass and density are both given (one follows from the other)");
  refuse("{shapes: [{sphere: {radius: 1, material: steel}}, {sphere: {radius: 1}}]}",
         "shapes.yaml:2:65: body 'b': shape 2 has no density, and shape 1 has (or is it "
         "only_drawn?)");
  refuse("{shapes: [{sphere: {radius: 1, color: bleu}}], mass: 1}",
         "shapes.yaml:2:44: body 'b': no color 'bleu' (did you mean 'blue'?)");
  refuse("{shapes: [{sphere: {radius: 1, color: '#12345'}}], mass: 1}",
         "shapes.yaml:2:44: body 'b': no color '#12345' (there are black white grey gray silver "
         "red orange "
         "yellow green blue navy teal cyan purple magenta pink brown gold olive, and \"#rrggbb\")");
  refuse("{com: [1, 0, 0], shapes: [{sphere: {radius: 1, density: 1}}]}",
         "shapes.yaml:2:12: body 'b': the shapes have their centre of mass at (0, 0, 0): leave com "
         "out, or give the inertia, too");
  refuse("{shape: {extrusion: {outline: [[0, 0], [1, 1], [1, 0], [0, 1]], length: 1, density: 1}}}",
         "shapes.yaml:2:36: body 'b': the edge from (0, 0) to (1, 1) meets another one");
  refuse("{shape: {extrusion: {outline: [[0, 0], [1, 0], [1, 1]], holes: [[[2, 2], [3, 2], [3, "
         "3]]], length: 1, density: 1}}}",
         "shapes.yaml:2:36: body 'b': hole 1 is not inside of the outline");
  refuse("{shape: {revolution: {outline: [[-1, 0], [1, 0], [1, 1]], density: 1}}}",
         "shapes.yaml:2:37: body 'b': corner 1 has a negative distance from the axis");
  refuse("{shape: {extrusion: {outline: [[0, 0], [1, 0, 1], [1, 1]], length: 1, density: 1}}}",
         "shapes.yaml:2:45: body 'b': a corner of outline must be two numbers");
  refuse("{shape: {sphere: {radius: 1, density: 1}}, shapes: [{sphere: {radius: 1}}]}",
         "shapes.yaml:2:57: body 'b': shape and shapes are both given");
  refuse("{shapes: [{sphere: {radius: 1, density: 1, only_drawn: true}}]}",
         "shapes.yaml:2:46: body 'b': what is only drawn has no mass");
  refuse("{shapes: [{sphere: {radius: 1, only_drawn: true}}]}",
         "shapes.yaml:2:3: body 'b': mass is missing (or a shape with a density; 0 for a body "
         "without)");
}

// Outlines may go straight on at a corner and may not fold back, wherever they lie and whichever
// way they go: places are multiples of 1/4, so that nothing is rounded
static void straight_corners(void) {
  for (int trial = 0; trial < 60; trial++) {
    double at[2], u[2], v[2];
    do {
      for (int i = 0; i < 2; i++) {
        at[i] = 0.25 * floor(test_random(-12, 12));
        u[i] = 0.25 * floor(test_random(-3, 4));
      }
    } while (u[0] == 0 && u[1] == 0);
    v[0] = -u[1], v[1] = u[0];
    // along u by 0, 1 and 3, then aside; folded: along u by 0, 3, 1, and a triangle without area
    static const double along[3][5] = {{0, 1, 3, 3, 0}, {0, 3, 1, 3, 0}, {0, 3, 1}};
    static const int count[3] = {5, 5, 3};
    for (int k = 0; k < 3; k++) {
      char text[600] = "{shape: {extrusion: {length: 1, density: 1, outline: [";
      for (int i = 0; i < count[k]; i++) {
        double a = along[k][i], b = i > 2;
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s[%.17g, %.17g]", i ? ", " : "",
                 at[0] + a * u[0] + b * v[0], at[1] + a * u[1] + b * v[1]);
      }
      strcat(text, "]}}}");
      hn_model *m;
      const hn_body_def *d = read_body(&m, text);
      if (k == 0) {
        if (CHECK(d != NULL))
          CHECK_REL(d->mass, 3 * (u[0] * u[0] + u[1] * u[1]), 0, 1e-13);
        else
          printf("  %s\n  %s\n", message, text);
      } else if (!CHECK(!d && strstr(message, "meets another one"))) {
        printf("  %s\n  %s\n", message, text);
      }
      hn_model_destroy(m);
    }
  }
}

// given by a program: holes that are said to be there must be
static void missing_holes(void) {
  static const double square[] = {0, 0, 1, 0, 1, 1, 0, 1}, hole[] = {0.2, 0.2, 0.4, 0.2, 0.3, 0.4};
  static const int corners[] = {3};
  const struct {
    int count;
    const double *holes;
    const int *corners;
    bool good;
  } cases[] = {{0, NULL, NULL, true},
               {1, hole, corners, true},
               {-1, hole, corners, false},
               {1, NULL, corners, false},
               {1, hole, NULL, false}};
  for (int i = 0; i < 5; i++) {
    hn_model *m = hn_model_create();
    const hn_shape_def shape = {.shape = {.kind = HN_SHAPE_EXTRUSION, .length = 1, .density = 1},
                                .outline = square,
                                .outline_count = 4,
                                .hole_count = cases[i].count,
                                .holes = cases[i].holes,
                                .hole_corners = cases[i].corners};
    bool good =
        hn_add_body(m, &(hn_body_def){.name = "b", .shapes = &shape, .shape_count = 1}).id >= 0;
    CHECK(good == cases[i].good);
    if (!cases[i].good) CHECK(strstr(hn_model_error(m), "holes are missing"));
    hn_model_destroy(m);
  }
}

static void files(void) {
  char file[512];
  hn_model *m;
  test_scratch(file, sizeof file, "open.obj");
  FILE *out = fopen(file, "w");
  fputs("v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 2 3 4\n", out);
  fclose(out);
  CHECK(read_body(&m, "{shapes: [{mesh: {file: open.obj, density: 1}}]}") == NULL);
  CHECK(strstr(message, "open.obj: the edge from (0, 0, 0) to (0, 2, 0) belongs to one triangle "
                        "only: the surface is not closed (only_drawn: true takes it for the "
                        "picture alone)") != NULL);
  hn_model_destroy(m);
  CHECK(read_body(&m, "{mass: 1, inertia: [1, 1, 1], shapes: [{mesh: {file: open.obj}}]}") != NULL);
  CHECK(m->mesh_count == 1);
  hn_model_destroy(m);
  CHECK(read_body(&m, "{mass: 1, shapes: [{box: {size: [1, 1, 1]}}, {mesh: {file: open.obj, "
                      "only_drawn: true}}]}") != NULL);
  hn_model_destroy(m);
  CHECK(read_body(&m, "{mass: 1, shape: {mesh: {file: nowhere.stl}}}") == NULL);
  CHECK(strstr(message, "nowhere.stl: cannot be read") != NULL);
  hn_model_destroy(m);
}

static void looks(void) {
  int rgb[3], count = 0;
  double density;
  const char *what;
  CHECK(hn_color("#1A2b3c", rgb) && rgb[0] == 0x1a && rgb[1] == 0x2b && rgb[2] == 0x3c);
  CHECK(hn_color("#f80", rgb) && rgb[0] == 255 && rgb[1] == 0x88 && rgb[2] == 0);
  CHECK(hn_color("silver", rgb));
  CHECK(!hn_color("#12345g", rgb) && !hn_color("", rgb) && !hn_color(NULL, rgb));
  for (; hn_material_at(count, &density, &what); count++) CHECK(density > 500 && density < 2e4);
  CHECK(count > 20);
  CHECK_STR(hn_material_at(0, &density, &what), "steel");
  CHECK(density == 7850);
}

int main(void) {
  RUN(closed_forms);
  RUN(quadrature);
  RUN(sums);
  RUN(given_wins);
  RUN(bars);
  RUN(mirrored);
  RUN(surfaces);
  RUN(refused);
  RUN(straight_corners);
  RUN(missing_holes);
  RUN(files);
  RUN(looks);
  return test_end();
}
