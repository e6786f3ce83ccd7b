// test_trimesh.c: surfaces from files, whether they are closed, and what they hold.
#include "model/trimesh.h"

#include <stdint.h>

#include "test.h"

static hn_trimesh read_text(const char *text, const char *path) {
  hn_trimesh m;
  char message[HN_MESSAGE] = "";
  if (!CHECK(hn_trimesh_parse(&m, text, strlen(text), path, message) == HN_OK))
    printf("  %s\n", message);
  return m;
}

// corners k of a box: bits x, y, z; faces counter-clockwise from outside
static const int box_faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

// quads of a box with corners from low to high, moved by A (3x3); from corner `first` on
static void put_box(char *out, const double low[3], const double high[3], const double A[9],
                    int first, bool inside_out) {
  char *at = out + strlen(out);
  for (int k = 0; k < 8; k++) {
    double x[3] = {k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], k & 4 ? high[2] : low[2]};
    at += sprintf(at, "v");
    for (int i = 0; i < 3; i++)
      at += sprintf(at, " %.17g", A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2]);
    at += sprintf(at, "\n");
  }
  for (int f = 0; f < 6; f++) {
    at += sprintf(at, "f");
    for (int k = 0; k < 4; k++)
      at += sprintf(at, " %d", first + box_faces[f][inside_out ? 3 - k : k]);
    at += sprintf(at, "\n");
  }
}

static const double pi = 3.14159265358979323846;
static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// affine images of a box: C = V A diag(s^2) A^T / 12
static void boxes(void) {
  const double A[9] = {1.5, 0.25, 0, -0.5, 1, 0.75, 0.125, 0, 2}, low[3] = {1000, -2, 5},
               high[3] = {1002, 1, 5.5}, s[3] = {2, 3, 0.5};
  char text[2000] = "# a box\r\no box\n";
  put_box(text, low, high, A, 1, false);
  hn_trimesh m = read_text(text, "box.obj");
  char message[HN_MESSAGE] = "";
  CHECK(m.corners == 8 && m.triangles == 12);
  CHECK(hn_trimesh_close(&m, message) == HN_OK);
  double V, c[3], I[6], C[9], det = 1.5 * 2 + 0.25 * (0.75 * 0.125 + 0.5 * 2);
  hn_trimesh_content(&m, &V, c, I);
  double volume = det * s[0] * s[1] * s[2];
  CHECK_REL(V, volume, 0, 1e-12);
  for (int i = 0; i < 3; i++) {
    double mid = 0;
    for (int k = 0; k < 3; k++) mid += A[3 * i + k] * (low[k] + high[k]) / 2;
    CHECK_REL(c[i], mid, 1, 1e-12);
    for (int j = 0; j < 3; j++) {
      C[3 * i + j] = 0;
      for (int k = 0; k < 3; k++)
        C[3 * i + j] += volume * A[3 * i + k] * A[3 * j + k] * s[k] * s[k] / 12;
    }
  }
  const double expected[6] = {C[4] + C[8], C[0] + C[8], C[0] + C[4], -C[1], -C[2], -C[5]};
  for (int k = 0; k < 6; k++) CHECK_REL(I[k], expected[k], expected[0], 1e-11);
  hn_trimesh_free(&m);
}

// edge a: V = a^3 / (6 sqrt 2), I = m a^2 / 20; octahedron V = sqrt(2) a^3 / 3, I = m a^2 / 10
static void regular_solids(void) {
  const char *const text[2] = {"v 1 1 1\nv 1 -1 -1\nv -1 1 -1\nv -1 -1 1\n"
                               "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n",
                               "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\n"
                               "f -6//1 -4/1/1 -2\nf 3 2 5\nf 2 4 5\nf 4 1 5\n"
                               "f 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 \\\n6\n"};
  const double edge[2] = {2 * sqrt(2), sqrt(2)}, part[2] = {20, 10};
  const double volume[2] = {pow(edge[0], 3) / (6 * sqrt(2)), sqrt(2) / 3 * pow(edge[1], 3)};
  for (int i = 0; i < 2; i++) {
    char message[HN_MESSAGE];
    double V, c[3], I[6];
    hn_trimesh m = read_text(text[i], "solid.obj");
    CHECK(hn_trimesh_close(&m, message) == HN_OK);
    hn_trimesh_content(&m, &V, c, I);
    CHECK_REL(V, volume[i], 0, 1e-14);
    for (int k = 0; k < 3; k++) {
      CHECK_NEAR(c[k], 0, 1e-15);
      CHECK_REL(I[k], V * edge[i] * edge[i] / part[i], 0, 1e-14);
      CHECK_NEAR(I[3 + k], 0, 1e-15);
    }
    hn_trimesh_free(&m);
  }
}

// a leaning frustum, |x - 0.3 z| < 2 - z / 2, |y + 0.2 z| < 1 + z / 4, 0 < z < 2; scipy's tplquad
static void frustum(void) {
  const double expected[10] = {14.6666666666666667, 0.286363636363636, -0.190909090909091,
                               0.954545454545455,   12.5604848484848,  16.932303030303,
                               19.9533939393939,    0.286181818181818, -1.43090909090909,
                               0.953939393939394};
  char text[2000] = "";
  char *at = text;
  for (int k = 0; k < 8; k++) {
    double z = k & 4 ? 2 : 0;
    at += sprintf(at, "v %.17g %.17g %.17g\n", 0.3 * z + (k & 1 ? 1 : -1) * (2 - z / 2),
                  -0.2 * z + (k & 2 ? 1 : -1) * (1 + z / 4), z);
  }
  for (int f = 0; f < 6; f++)
    at += sprintf(at, "f %d %d %d %d\n", 1 + box_faces[f][0], 1 + box_faces[f][1],
                  1 + box_faces[f][2], 1 + box_faces[f][3]);
  char message[HN_MESSAGE];
  double found[10];
  hn_trimesh m = read_text(text, "frustum.OBJ");
  CHECK(hn_trimesh_close(&m, message) == HN_OK);
  hn_trimesh_content(&m, found, found + 1, found + 4);
  for (int k = 0; k < 10; k++) CHECK_REL(found[k], expected[k], 0.1, 1e-12);
  hn_trimesh_free(&m);
}

// ---- STL -----------------------------------------------------------------------------------

static void put_float(unsigned char *out, float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  for (int i = 0; i < 4; i++) out[i] = (unsigned char)(bits >> 8 * i);
}

// the mesh as a binary file; its length
static size_t binary(unsigned char *out, const hn_trimesh *m) {
  memset(out, 0, 84 + 50 * (size_t)m->triangles);
  memcpy(out, "solid, as many binary files begin", 33);
  for (int i = 0; i < 4; i++) out[80 + i] = (unsigned char)(m->triangles >> 8 * i);
  for (int i = 0; i < m->triangles; i++)
    for (int k = 0; k < 9; k++)
      put_float(out + 84 + 50 * i + 12 + 4 * k, (float)m->corner[m->triangle[i][k / 3]][k % 3]);
  return 84 + 50 * (size_t)m->triangles;
}

static void stl(void) {
  const double low[3] = {-1, 0, 0}, high[3] = {1, 0.5, 0.25};
  char obj[1000] = "", text[8000] = "solid a box of mine\n", message[HN_MESSAGE], *at;
  unsigned char bytes[84 + 50 * 12 + 1] = {0};
  put_box(obj, low, high, unit, 1, false);
  hn_trimesh m = read_text(obj, "box.obj"), a, b;
  at = text + strlen(text);
  for (int i = 0; i < m.triangles; i++) {
    at += sprintf(at, "  facet normal nan 0 0\n outer loop\n");
    for (int k = 0; k < 3; k++) {
      const double *x = m.corner[m.triangle[i][k]];
      at += sprintf(at, "  vertex %g %g %.3e\n", x[0], x[1], x[2]);
    }
    at += sprintf(at, " endloop\n ENDFACET\n");
  }
  strcpy(at, "endsolid a box of mine\n");
  a = read_text(text, "box.stl");
  size_t length = binary(bytes, &m);
  CHECK(hn_trimesh_parse(&b, (char *)bytes, length, "box.STL", message) == HN_OK);
  hn_trimesh *both[2] = {&a, &b};
  for (int i = 0; i < 2; i++) {
    double V, c[3], I[6];
    CHECK(both[i]->corners == 8 && both[i]->triangles == 12);
    CHECK(hn_trimesh_close(both[i], message) == HN_OK);
    hn_trimesh_content(both[i], &V, c, I);
    CHECK_NEAR(V, 0.25, 1e-15);
    CHECK_NEAR(c[0], 0, 1e-15);
    CHECK_NEAR(c[1], 0.25, 1e-15);
    CHECK_NEAR(I[0], 0.25 * (0.25 + 0.0625) / 12, 1e-15);
  }
  // a factor that mirrors keeps the outside outside
  hn_trimesh_scale(&b, (double[3]){1, -2, 1});
  CHECK(hn_trimesh_close(&b, message) == HN_OK);
  double V, c[3], I[6];
  hn_trimesh_content(&b, &V, c, I);
  CHECK_NEAR(V, 0.5, 1e-15);
  CHECK_NEAR(c[1], -0.5, 1e-15);
  hn_trimesh_free(&m), hn_trimesh_free(&a), hn_trimesh_free(&b);
}

// ---- surfaces that hold nothing ------------------------------------------------------------

static const char *close_error(const char *text, double *volume) {
  static char message[HN_MESSAGE];
  double c[3], I[6];
  hn_trimesh m = read_text(text, "m.obj");
  message[0] = 0;
  if (!hn_trimesh_close(&m, message)) hn_trimesh_content(&m, volume, c, I);
  hn_trimesh_free(&m);
  return message;
}

static void closed(void) {
  const double zero[3] = {0, 0, 0}, two[3] = {2, 2, 2}, one[3] = {1, 1, 1},
               half[3] = {0.5, 0.5, 0.5}, far[3] = {3, 3, 3}, farther[3] = {4, 4, 4};
  char text[4000] = "";
  double V = 0;
  // turned inside out as a whole: which way is out is known
  put_box(text, zero, two, unit, 1, true);
  CHECK_STR(close_error(text, &V), "");
  CHECK_NEAR(V, 8, 1e-14);
  // a hollow
  text[0] = 0;
  put_box(text, zero, two, unit, 1, false), put_box(text, half, one, unit, 9, true);
  CHECK_STR(close_error(text, &V), "");
  CHECK_NEAR(V, 8 - 0.125, 1e-14);
  // two parts, touching along an edge
  text[0] = 0;
  put_box(text, zero, one, unit, 1, false);
  put_box(text, (double[3]){1, 1, 0}, (double[3]){2, 2, 1}, unit, 9, false);
  CHECK_STR(close_error(text, &V), "");
  CHECK_NEAR(V, 2, 1e-14);
  // one of two parts inside out
  text[0] = 0;
  put_box(text, zero, two, unit, 1, false), put_box(text, far, farther, unit, 9, true);
  CHECK_STR(close_error(text, &V), "the part between (3, 3, 3) and (4, 4, 4) is turned inside out");
  CHECK_STR(close_error("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n", &V),
            "the edge from (0, 0, 0) to (0, 1, 0) belongs to one triangle only: the surface is not "
            "closed");
  CHECK_STR(
      close_error("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 3 4\n", &V),
      "the edge from (0, 0, 0) to (0, 1, 0) is passed the same way by the triangles beside it: one "
      "of them is turned round");
  CHECK_STR(close_error("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n", &V),
            "the surface holds no volume");
}

// ---- files that are none -------------------------------------------------------------------

static const char *parse_error(const char *text, size_t length, const char *path) {
  static char message[HN_MESSAGE];
  hn_trimesh m;
  // exactly as long as it is, so that reading past its end is seen
  char *own = malloc(length + 1);
  memcpy(own, text, length), own[length] = 0;
  message[0] = 0;
  CHECK(hn_trimesh_parse(&m, own, length, path, message) != HN_OK);
  CHECK(m.corner == NULL && m.triangle == NULL);
  free(own);
  return message;
}

#define ERROR(text, path, message) CHECK_STR(parse_error(text, strlen(text), path), message)

static void hostile(void) {
  unsigned char bytes[184] = {0};
  ERROR("", "m.stl", "m.stl: is no STL file");
  ERROR("", "m.obj", "m.obj: has no triangles");
  ERROR("x", "m.ply", "m.ply: meshes are read from .stl, .obj and .dae files");
  ERROR("solid x\nendsolid x\n", "m.stl", "m.stl: has no triangles");
  ERROR("solid x\n facet normal 0 0 1\n outer loop\n vertex 1 2\n", "m.stl",
        "m.stl:5: a coordinate is missing or no number");
  ERROR("solid x\n facet normal 0 0 1\n outer loop\n vertex 1 2 inf\n", "m.stl",
        "m.stl:4: a coordinate is not finite or larger than 1e12");
  ERROR("solid x\n facet nrmal", "m.stl", "m.stl:2: 'normal' is expected here");
  ERROR("solid x\n\n", "m.stl", "m.stl:3: the file ends inside of a solid");
  ERROR("v 1 2 nan\n", "m.obj", "m.obj:1: a coordinate is not finite or larger than 1e12");
  ERROR("v 1 2 1e300\n", "m.obj", "m.obj:1: a coordinate is not finite or larger than 1e12");
  ERROR("v 1 2 3\nf 1 1\n", "m.obj", "m.obj:2: a face needs three corners");
  ERROR("v 1 2 3\nf 1 2 3\n", "m.obj", "m.obj:2: a face names a corner that is not there");
  ERROR("v 1 2 3\nf 1 0 1\n", "m.obj", "m.obj:2: a face names a corner that is not there");
  ERROR("v 1 2 3\nf 1 -2 1\n", "m.obj", "m.obj:2: a face names a corner that is not there");
  ERROR("v 1 2 3\nf 99999999999999999999 1 1\n", "m.obj",
        "m.obj:2: a face names a corner that is not there");
  ERROR("v 1 2 3\nf a b c\n", "m.obj", "m.obj:2: a corner of a face is no number");
  ERROR("v 1 2 3\nf 1 1 1 \\", "m.obj", "m.obj:2: a corner of a face is no number");
  // announces four thousand million triangles; announces two and has one and a half
  memset(bytes + 80, 255, 4);
  CHECK_STR(parse_error((char *)bytes, 184, "m.stl"),
            "m.stl: is no STL file, or not whole: it says 4294967295 triangles and has room for 2");
  memset(bytes + 80, 0, 4), bytes[80] = 2;
  CHECK_STR(parse_error((char *)bytes, 159, "m.stl"),
            "m.stl: is no STL file, or not whole: it says 2 triangles and has room for 1");
  put_float(bytes + 84 + 12, INFINITY);
  CHECK_STR(parse_error((char *)bytes, 184, "m.stl"),
            "m.stl: triangle 1: a coordinate is not finite or larger than 1e12");
  char message[HN_MESSAGE];
  hn_trimesh m;
  CHECK(hn_trimesh_load(&m, "/dev/zero", message) == HN_ERR_FILE);
  CHECK_STR(message, "/dev/zero: is no file");
  CHECK(hn_trimesh_load(&m, "nothing.stl", message) == HN_ERR_FILE);
}

// ---- pictures ------------------------------------------------------------------------------

// a ball of many triangles: as few as asked for, and still a ball
static void thin(void) {
  enum { N = 100 };
  char *text = malloc(N * N * 120), *at = text, message[HN_MESSAGE];
  for (int i = 0; i <= N; i++)
    for (int k = 0; k < N; k++) {
      double a = pi * i / N, b = 2 * pi * k / N;
      at += sprintf(at, "v %.9f %.9f %.9f\n", sin(a) * cos(b), sin(a) * sin(b), cos(a));
    }
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++) {
      int p = i * N + k + 1, q = i * N + (k + 1) % N + 1;
      at += sprintf(at, "f %d %d %d %d\n", p, p + N, q + N, q);
    }
  hn_trimesh m = read_text(text, "ball.obj"), few;
  double V, c[3], I[6];
  CHECK(m.triangles == 2 * N * (N - 1));
  CHECK(hn_trimesh_close(&m, message) == HN_OK);
  hn_trimesh_content(&m, &V, c, I);
  CHECK_REL(V, 4 * pi / 3, 0, 2e-3);
  CHECK_REL(I[0], 0.4 * V, 0, 2e-3);
  CHECK(hn_trimesh_thin(&few, &m, 2000) == HN_OK);
  CHECK(few.triangles <= 2000 && few.triangles > 800);
  for (int i = 0; i < few.corners; i++) {
    const double *x = few.corner[i];
    CHECK_NEAR(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), 1, 0.02);
  }
  hn_trimesh_free(&few);
  CHECK(hn_trimesh_thin(&few, &m, 1000000) == HN_OK);
  CHECK(few.triangles == m.triangles && few.corners == m.corners);
  hn_trimesh_free(&few), hn_trimesh_free(&m);
  free(text);
}

// as many triangles as there may be, and one more
static void most_triangles(void) {
  static const char corners[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\n", face[] = "f 1 2 3\n";
  const size_t head = sizeof corners - 1, each = sizeof face - 1;
  const size_t length = head + each * (HN_TRIMESH_TRIANGLES + 1);
  char *text = calloc(length + 1, 1), message[HN_MESSAGE] = "";
  if (!CHECK(text != NULL)) return;
  memcpy(text, corners, head);
  for (size_t at = head; at < length; at += each) memcpy(text + at, face, each);
  hn_trimesh m;
  CHECK(hn_trimesh_parse(&m, text, length - each, "many.obj", message) == HN_OK);
  CHECK(m.triangles == HN_TRIMESH_TRIANGLES);
  hn_trimesh_free(&m);
  CHECK(hn_trimesh_parse(&m, text, length, "many.obj", message) == HN_ERR_UNSUPPORTED);
  CHECK(strcmp(message, "many.obj: more than 1000000 triangles") == 0);
  hn_trimesh_free(&m);
  free(text);
}

int main(void) {
  RUN(boxes);
  RUN(regular_solids);
  RUN(frustum);
  RUN(stl);
  RUN(closed);
  RUN(hostile);
  RUN(thin);
  RUN(most_triangles);
  return test_end();
}
