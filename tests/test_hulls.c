// test_hulls.c: convex hulls: what they hold, how far things are from them, how they touch.
//
//   solids     volume, inertia, corners, faces and edges of regular polyhedra, closed forms
//   distance   from a box, as the box's own; of random hulls against differences
//   touches    boxes as hulls against boxes; rates of random hulls against differences
//   motion     slides, tips, stands: closed forms, and as a box does
//   refusals   in words
#include "contact_rig.h"

#include "base/vec.h"
#include "model/hull.h"
#include "system/polytope.h"
#include "system/touch.h"

#include <stdlib.h>

static const double g = 9.81, golden = 1.6180339887498949;

static void random_turn(double R[9]) {
  double q[4];
  for (int k = 0; k < 4; k++) q[k] = test_random(-1, 1);
  q_normalise(q);
  q_matrix(R, q);
}

static double *polytope_of(const double *points, int count, hn_trimesh *mesh) {
  char message[HN_MESSAGE];
  int size;
  hn_status status = hn_hull_wrap(mesh, points, count, message);
  double *data = NULL;
  if (!status)
    data =
        hn_polytope_make((const double(*)[3])mesh->corner, mesh->corners,
                         (const int(*)[3])mesh->triangle, mesh->triangles, &size, &status, message);
  if (!CHECK(!status)) printf("  %s\n", message), exit(1);
  return data;
}

// ---- what they hold ------------------------------------------------------------------------

// points of the regular polyhedra of edge 1, 20 at most
static int regular(int faces, double x[20][3]) {
  int n = 0;
  double s = faces == 20 ? 0.5 : 0.5 * golden, f = golden;
  if (faces == 4 || faces == 6)
    for (int i = 0; i < 8; i++) {
      int odd = (i & 1) ^ (i >> 1 & 1) ^ (i >> 2 & 1);
      if (faces == 4 && odd) continue;
      for (int k = 0; k < 3; k++) x[n][k] = (i >> k & 1 ? 0.5 : -0.5) / (faces == 4 ? sqrt(2) : 1);
      n++;
    }
  for (int i = 0; faces == 8 && i < 6; i++, n++)
    for (int k = 0; k < 3; k++) x[n][k] = k == i / 2 ? (i % 2 ? -1 : 1) / sqrt(2) : 0;
  if (faces == 12)
    for (; n < 8; n++)
      for (int k = 0; k < 3; k++) x[n][k] = (n >> k & 1 ? s : -s);
  for (int i = 0; faces >= 12 && i < 12; i++, n++) {
    double one = i & 1 ? 1 : -1, two = i & 2 ? 1 : -1, p[3] = {0, one, two * f};
    if (faces == 12) p[1] = one / f;
    for (int k = 0; k < 3; k++) x[n][(k + i / 4) % 3] = s * p[k];
  }
  return n;
}

static void solids(void) {
  const struct {
    int faces, corners, edges;
    double volume, inertia;  // of edge 1 and mass 1
  } solid[] = {
      {4, 4, 6, 1 / (6 * sqrt(2)), 1.0 / 20},
      {6, 8, 12, 1, 1.0 / 6},
      {8, 6, 12, sqrt(2) / 3, 1.0 / 10},
      {12, 20, 30, (15 + 7 * sqrt(5)) / 4, (39 * golden + 28) / 150},
      {20, 12, 30, 5 * (3 + sqrt(5)) / 12, golden * golden / 10},
  };
  double worst = 0;
  for (int trial = 0; trial < 50; trial++) {
    double x[20][3], all[60][3], R[9], shift[3];
    int which = trial % 5, n = regular(solid[which].faces, x), count = 0;
    CHECK(n == solid[which].corners);
    random_turn(R);
    for (int k = 0; k < 3; k++) shift[k] = test_random(-3, 3);
    // and as many points inside, on faces and on edges, in any order
    for (int i = 0; i < 3 * n; i++, count++) {
      const double *a = x[i % n], *b = x[(i + 1) % n];
      double t = i % 3 == 0 ? 0 : 0.5, p[3];
      int at = count ? (int)test_random(0, count + 0.999) : 0;
      for (int k = 0; k < 3; k++) p[k] = a[k] + t * (b[k] - a[k]);
      if (i < n) v3_copy(p, x[i]);
      v3_copy(all[count], all[at]);
      m3_mulv(all[at], R, p);
      v3_add(all[at], all[at], shift);
    }
    hn_trimesh mesh;
    double *data = polytope_of(all[0], count, &mesh), volume, centre[3], inertia[6];
    hn_polytope p = hn_polytope_of(data);
    CHECK(p.corners == solid[which].corners && p.faces == solid[which].faces);
    CHECK(p.edges == solid[which].edges);
    hn_trimesh_content(&mesh, &volume, centre, inertia);
    worst = fmax(worst, fabs(volume / solid[which].volume - 1));
    for (int k = 0; k < 6; k++) {
      double exact = k < 3 ? solid[which].inertia * solid[which].volume : 0;
      worst = fmax(worst, fabs(inertia[k] - exact));
    }
    for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(centre[k] - shift[k]));
    hn_trimesh_free(&mesh);
    free(data);
  }
  printf("  volume, centre and inertia to %.1e\n", worst);
  CHECK(worst < 1e-11);
}

// ---- distance ------------------------------------------------------------------------------

static double *box_hull(const double half[3]) {
  double x[8][3];
  hn_trimesh mesh;
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++) x[i][k] = (i >> k & 1 ? 1 : -1) * half[k];
  double *data = polytope_of(x[0], 8, &mesh);
  hn_trimesh_free(&mesh);
  return data;
}

static double *random_hull(int count, double reach) {
  double x[40][3];
  hn_trimesh mesh;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) x[i][k] = test_random(-reach, reach);
  double *data = polytope_of(x[0], count, &mesh);
  hn_trimesh_free(&mesh);
  return data;
}

static double differ(const hn_surface_at *a, const hn_surface_at *b) {
  double worst = fabs(a->value - b->value);
  for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(a->gradient[k] - b->gradient[k]));
  for (int k = 0; k < 9; k++) worst = fmax(worst, fabs(a->hessian[k] - b->hessian[k]));
  return worst;
}

static void distance(void) {
  const double half[3] = {0.5, 0.4, 0.3}, h = 1e-6;
  double *box = box_hull(half), worst = 0, slope = 0;
  int jumps = 0;
  for (int i = 0; i < 3000; i++) {
    double p[3];
    hn_surface_at x = {0}, y = {0};
    for (int k = 0; k < 3; k++) p[k] = test_random(-1, 1);
    hn_surface_hull.eval(box, p, 2, &x);
    hn_surface_box.eval(half, p, 2, &y);
    worst = fmax(worst, differ(&x, &y) * fmin(1, fabs(x.value)));
  }
  free(box);
  for (int trial = 0; trial < 30; trial++) {
    double *data = random_hull(20, 1);
    for (int i = 0; i < 50; i++) {
      double p[3];
      hn_surface_at s, side[2];
      for (int k = 0; k < 3; k++) p[k] = test_random(-3, 3);
      hn_surface_hull.eval(data, p, 2, &s);
      if (fabs(s.value) < 0.1) continue;  // second derivatives are as large as 1 / s
      for (int k = 0; k < 3; k++) {
        for (int e = 0; e < 2; e++) {
          double q[3] = {p[0], p[1], p[2]};
          q[k] += e ? h : -h;
          hn_surface_hull.eval(data, q, 2, &side[e]);
        }
        double first = (side[1].value - side[0].value) / (2 * h) - s.gradient[k], second = 0;
        for (int j = 0; j < 3; j++)
          second = fmax(second, fabs((side[1].gradient[j] - side[0].gradient[j]) / (2 * h) -
                                     s.hessian[3 * j + k]));
        // between two regions second derivatives jump: no difference across that is one
        bool jump = differ(&side[0], &side[1]) > 1e-3;
        slope = fmax(slope, fabs(first));
        jumps += jump;
        if (!jump) slope = fmax(slope, second);
      }
    }
    free(data);
  }
  printf("  box as a hull %.1e; derivatives of random hulls %.1e\n", worst, slope);
  CHECK(worst < 1e-12 && slope < 1e-5 && jumps < 10);
}

// ---- touches -------------------------------------------------------------------------------

static hn_solid solid(const double *data, const double half[3], double x, double y, double z) {
  hn_solid s = {.box = half != NULL, .hull = data, .p = {x, y, z}};
  hn_polytope p = hn_polytope_of(data);
  if (half) v3_copy(s.half, half);
  for (int i = 0; i < p.corners; i++) s.reach = fmax(s.reach, v3_norm(p.corner + 3 * i));
  random_turn(s.R);
  return s;
}

static int deepest(const hn_near *n, int count) {
  int at = 0;
  for (int i = 1; i < count; i++)
    if (n[i].gap < n[at].gap) at = i;
  return at;
}

// whatever way two boxes lie, they are as near as the same two hulls
static void as_boxes(void) {
  const double half[2][3] = {{0.5, 0.4, 0.3}, {0.2, 0.6, 0.5}};
  double *data[2] = {box_hull(half[0]), box_hull(half[1])}, worst = 0;
  int met = 0;
  for (int i = 0; i < 3000; i++) {
    hn_near n[2][HN_NEAR_MOST];
    hn_solid a = solid(data[0], half[0], 0, 0, 0);
    hn_solid b =
        solid(data[1], half[1], test_random(-1, 1), test_random(-1, 1), test_random(-1, 1));
    int boxes = hn_touch_solids(&a, &b, 0.1, n[0]);
    a.box = false;
    int hulls = hn_touch_solids(&a, &b, 0.1, n[1]);
    if (!boxes || !hulls) continue;
    const hn_near *x = &n[0][deepest(n[0], boxes)], *y = &n[1][deepest(n[1], hulls)];
    // where two directions are equally good either may be taken
    if (v3_dot(x->normal, y->normal) < 0.999) continue;
    met++;
    worst = fmax(worst, fabs(x->gap - y->gap));
  }
  printf("  %d pairs of boxes: as hulls, gaps differ by %.1e\n", met, worst);
  CHECK(met > 800 && worst < 1e-12);
  free(data[0]), free(data[1]);
}

static hn_solid moved(const hn_solid *s, const double twist[6], double by) {
  hn_solid o = *s;
  double q[4], w[3], body[3];
  for (int k = 0; k < 3; k++) o.p[k] += by * twist[k];
  v3_scale(w, by, twist + 3);
  m3_tmulv(body, s->R, w);
  q_from_matrix(q, s->R);
  q_turn(q, body);
  q_matrix(o.R, q);
  return o;
}

static double rate_of(const hn_near *n, const hn_solid *a, const hn_solid *b, const double u[6],
                      const double w[6]) {
  double arm[3], at[3], sum = 0;
  v3_sub(arm, n->on_b, b->p);
  v3_cross(at, w + 3, arm);
  for (int k = 0; k < 3; k++) sum += n->normal[k] * (w[k] + at[k]);
  v3_sub(arm, n->on_a, a->p);
  v3_cross(at, u + 3, arm);
  for (int k = 0; k < 3; k++) sum -= n->normal[k] * (u[k] + at[k]);
  return sum;
}

// the deepest point's gap along random motions of both; ball: the second is one
static double rates(bool ball, int *seen) {
  const double e = 1e-6;
  double worst = 0;
  for (int i = 0; i < 400; i++) {
    double *data[2] = {random_hull(12, 1), random_hull(12, 1)}, u[6], w[6];
    double far = ball ? 1.2 : 1.4;
    hn_near n[3][HN_NEAR_MOST];
    hn_solid a = solid(data[0], NULL, 0, 0, 0);
    hn_solid b = solid(data[1], NULL, test_random(-far, far), test_random(-far, far), far);
    if (ball) b.hull = NULL, b.half[0] = b.reach = 0.4;
    for (int k = 0; k < 6; k++) u[k] = test_random(-1, 1), w[k] = test_random(-1, 1);
    double near = ball ? 0.3 : 0.05;
    int count = hn_touch_solids(&a, &b, near, n[0]);
    hn_solid pa = moved(&a, u, e), pb = moved(&b, w, e), ma = moved(&a, u, -e),
             mb = moved(&b, w, -e);
    int up = hn_touch_solids(&pa, &pb, near, n[1]), down = hn_touch_solids(&ma, &mb, near, n[2]);
    if (count && up == count && down == count) {
      int at = deepest(n[0], count);
      double slope = (n[1][at].gap - n[2][at].gap) / (2 * e);
      double off = fabs(slope - rate_of(&n[0][at], &a, &b, u, w));
      // where sides cut a face off, the point is none of the solid's own, and slides along an edge
      if (ball || count == 1) worst = fmax(worst, off), ++*seen;
    }
    free(data[0]), free(data[1]);
  }
  return worst;
}

static void touches(void) {
  int balls = 0, pairs = 0;
  double worst = rates(true, &balls), two = rates(false, &pairs);
  printf("  %d balls and hulls: rates to %.1e; %d pairs of hulls: %.1e\n", balls, worst, pairs,
         two);
  CHECK(balls > 50 && worst < 1e-7);
  CHECK(pairs > 20 && two < 1e-7);
}

// ---- motion --------------------------------------------------------------------------------

static const char *const block = "points: [[-0.2, -0.1, -0.05], [0.2, -0.1, -0.05], [-0.2, 0.1, "
                                 "-0.05], [0.2, 0.1, -0.05], [-0.2, -0.1, 0.05], [0.2, -0.1, "
                                 "0.05], [-0.2, 0.1, 0.05], [0.2, 0.1, 0.05]]";

// a block on a slope that the gravity leans by `a`, as a hull or a box
static rig on_slope(bool hull, double a, double mu, double high) {
  char text[2000], shape[600];
  if (hull)
    snprintf(shape, sizeof shape, "hull: {%s, scale: [1, 1, %.17g]}", block, high / 0.1);
  else
    snprintf(shape, sizeof shape, "box: {size: [0.4, 0.2, %.17g]}", high);
  snprintf(text, sizeof text,
           "gravity: [%.17g, 0, %.17g]\n"
           "bodies: {b: {mass: 2, shape: {%s}, position: [0, 0, %.17g]}}\n"
           "forces: {floor: {type: pile, at: [0, 0, 0], axis: [0, 0, 1], coulomb: %g}}\n"
           "simulation: {iteration_tol: 1e-10}\n",
           g * sin(a), -g * cos(a), shape, high / 2, mu);
  return rig_open(text, (how){"moreau", "reference", 1e-3, 0, NULL});
}

static void slides(void) {
  const double a = 0.5, mu = 0.3;
  double x[2] = {NAN, NAN};
  for (int hull = 0; hull < 2; hull++) {
    rig r = on_slope(hull, a, mu, 0.1);
    if (rig_ready(&r) && rig_go(&r, 1)) {
      x[hull] = hn_positions(r.sim)[0];
      CHECK_NEAR(x[hull], 0.5 * g * (sin(a) - mu * cos(a)), 1e-8);
      CHECK_NEAR(hn_positions(r.sim)[2], 0.05, 1e-8);
      CHECK(rig_imbalance(&r) < 1e-8);
    }
    rig_close(&r);
  }
  printf("  slides as a box does to %.1e m\n", fabs(x[1] - x[0]));
  CHECK_NEAR(x[1], x[0], 1e-9);
}

// a block 0.4 wide and 0.8 high stands on rough ground up to tan a = 0.4 / 0.8
static void tips(void) {
  for (int over = 0; over < 2; over++) {
    rig r = on_slope(true, atan(0.5) + (over ? 0.002 : -0.002), 2, 0.8);
    if (rig_ready(&r) && rig_go(&r, over ? 2 : 1)) {
      const double *q = hn_positions(r.sim);
      double turned = 2 * asin(fabs(q[5]));
      printf("  %s the threshold: turned by %.1e\n", over ? "over" : "below", turned);
      CHECK(over ? turned > 0.05 : turned < 1e-7);
    }
    rig_close(&r);
  }
}

// an octahedron and a block on it, dropped a little: they come to rest, face on face
static void stands(void) {
  double h = sqrt(2.0 / 3), n = 1 / sqrt(3.0);
  char text[2000];
  // a face down: its normal (1, 1, 1) turned to -z
  snprintf(text, sizeof text,
           "gravity: [0, 0, -9.81]\n"
           "bodies:\n"
           "  low: {mass: 1, shape: {hull: {points: [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], "
           "[0, 0, 1], [0, 0, -1]], scale: %.17g}}, position: [0, 0, %.17g],\n"
           "        orientation: {axis: [1, -1, 0], angle: %.17g}}\n"
           "  high: {mass: 1, shape: {hull: {%s}}, position: [0, 0, %.17g]}\n"
           "forces: {floor: {type: pile, at: [0, 0, 0], axis: [0, 0, 1], coulomb: 0.5}}\n"
           "simulation: {iteration_tol: 1e-9}\n",
           1 / sqrt(2), h / 2 + 1e-3, -acos(-n), block, h + 0.05 + 2e-3);
  rig r = rig_open(text, (how){"moreau", "reference", 2e-3, 0, NULL});
  if (rig_ready(&r) && rig_go(&r, 2)) {
    const double *q = hn_positions(r.sim), *v = hn_velocities(r.sim);
    printf("  stands: %.1e, %.1e m off, %.1e m/s\n", q[2] - h / 2, q[9] - h - 0.05,
           v3_norm(v) + v3_norm(v + 6));
    CHECK_NEAR(q[2], h / 2, 1e-7);
    CHECK_NEAR(q[9], h + 0.05, 1e-7);
    CHECK(v3_norm(v) < 1e-7 && v3_norm(v + 6) < 1e-7);
    CHECK(rig_imbalance(&r) < 1e-8);
  }
  rig_close(&r);
}

// ---- what is refused -----------------------------------------------------------------------

static void refused(const char *shape, const char *why) {
  char text[1000];
  snprintf(text, sizeof text, "bodies:\n  b: {mass: 1, shape: {hull: {%s}}}\n", shape);
  rig r = rig_open(text, (how){0});
  if (!CHECK(r.status != HN_OK && strstr(r.message, why) && strstr(r.message, "test:2:")))
    printf("  %s\n", r.message);
  rig_close(&r);
}

static void refusals(void) {
  refused("points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]", "3 points span no volume");
  refused("points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]", "all points lie in one plane");
  refused("points: [[0, 0, 0], [1, 1, 0], [2, 2, 0], [3, 3, 0]]", "all points lie on one line");
  refused("points: [[1, 1, 0], [1, 1, 0], [1, 1, 0], [1, 1, 0]]", "all points lie in one place");
  refused("points: [[0, 0, 0], [1, 0], [0, 1, 0], [0, 0, 1]]", "each of points must be three");
  refused("file: nowhere.stl", "nowhere.stl");
  refused("scale: 2", "a hull needs points, or a file with them");
  refused("file: a.stl, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]", "both given");
  char message[HN_MESSAGE];
  hn_trimesh mesh;
  double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, NAN, 0}, {0, 0, 1}};
  CHECK(hn_hull_wrap(&mesh, x[0], 4, message) == HN_ERR_MODEL && strstr(message, "point 3"));
}

int main(void) {
  RUN(solids);
  RUN(distance);
  RUN(as_boxes);
  RUN(touches);
  RUN(slides);
  RUN(tips);
  RUN(stands);
  RUN(refusals);
  return test_end();
}
