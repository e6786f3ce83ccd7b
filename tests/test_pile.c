// test_pile.c: bodies that touch wherever they are: geometry against differences and brute force,
// motions against closed forms.
#include "contact_rig.h"
#include "integrators/moreau/moreau.h"
#include "system/crowd.h"

#include <stdlib.h>

static const double g = 9.81;

// ---- geometry ------------------------------------------------------------------------------

static hn_solid solid(bool box, double x, double y, double z, const double half[3]) {
  hn_solid s = {.box = box, .p = {x, y, z}};
  memcpy(s.half, half, sizeof s.half);
  s.reach = box ? v3_norm(half) : half[0];
  m3_identity(s.R);
  return s;
}

static void turn(hn_solid *s, const double by[3]) {
  double q[4], R[9], old[9];
  q_from_matrix(q, s->R);
  q_turn(q, by);
  memcpy(old, s->R, sizeof old);
  q_matrix(R, q);
  memcpy(s->R, R, sizeof R);
}

// moved by a twist: v of its middle, w about it, world axes
static hn_solid moved(const hn_solid *s, const double twist[6], double by) {
  hn_solid o = *s;
  double body[3], w[3];
  for (int k = 0; k < 3; k++) o.p[k] += by * twist[k];
  v3_scale(w, by, twist + 3);
  m3_tmulv(body, s->R, w);
  turn(&o, body);
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

// the least gap against its differences along random twists
static double worst_rate(const hn_solid *a, const hn_solid *b, int tries) {
  const double e = 1e-6;
  double worst = 0;
  hn_near n[HN_NEAR_MOST], next[HN_NEAR_MOST], last[HN_NEAR_MOST];
  int count = hn_touch_solids(a, b, 1, n), at = 0;
  if (!CHECK(count > 0)) return INFINITY;
  for (int i = 1; i < count; i++)
    if (n[i].gap < n[at].gap) at = i;
  for (int t = 0; t < tries; t++) {
    double u[6], w[6];
    for (int k = 0; k < 6; k++) u[k] = test_random(-1, 1), w[k] = test_random(-1, 1);
    hn_solid pa = moved(a, u, e), pb = moved(b, w, e), ma = moved(a, u, -e), mb = moved(b, w, -e);
    int up = hn_touch_solids(&pa, &pb, 1, next), down = hn_touch_solids(&ma, &mb, 1, last);
    if (!CHECK(up == count && down == count)) return INFINITY;
    double slope = (next[at].gap - last[at].gap) / (2 * e);
    worst = fmax(worst, fabs(slope - rate_of(&n[at], a, b, u, w)));
  }
  return worst;
}

static void gaps(void) {
  const double one[3] = {0.5, 0.4, 0.3}, ball[3] = {0.3, 0.3, 0.3};
  hn_solid box = solid(true, 0, 0, 0, one), s = solid(false, 0.1, 0.05, 0.65, ball), far = s;
  turn(&box, (double[]){0.1, -0.2, 0.3});
  // sphere on a face, before an edge, before a corner, inside
  static const double places[4][3] = {
      {0.1, 0.05, 0.65}, {0.8, 0, 0.6}, {0.8, 0.7, 0.6}, {0.1, 0, 0.1}};
  for (int i = 0; i < 4; i++) {
    memcpy(s.p, places[i], sizeof s.p);
    CHECK(worst_rate(&box, &s, 10) < 1e-8);
    CHECK(worst_rate(&s, &box, 10) < 1e-8);
  }
  far.p[0] = 1, far.p[2] = 0.2;
  CHECK(worst_rate(&s, &far, 10) < 1e-8);
  // a corner before a face
  hn_solid upper = solid(true, 0.05, -0.02, 0.95, one);
  turn(&upper, (double[]){0.7, 0.5, 0.2});
  m3_identity(box.R);
  CHECK(worst_rate(&box, &upper, 10) < 1e-8);
  CHECK(worst_rate(&upper, &box, 10) < 1e-8);
  // an edge across an edge
  hn_solid across = solid(true, 0, 0, 0.8, one);
  turn(&box, (double[]){0.7, 0, 0});
  turn(&across, (double[]){0, 0.8, 0});
  hn_near n[HN_NEAR_MOST];
  CHECK(hn_touch_solids(&box, &across, 1, n) == 1);
  CHECK(worst_rate(&box, &across, 10) < 1e-8);
}

// one box on another: four points, of the smaller face; turned by 45 degrees eight
static void faces(void) {
  const double half[3] = {0.5, 0.5, 0.5}, small[3] = {0.2, 0.3, 0.1};
  hn_solid a = solid(true, 0, 0, 0, half), b = solid(true, 0.1, 0, 0.61, small);
  hn_near n[HN_NEAR_MOST];
  CHECK(hn_touch_solids(&a, &b, 0.1, n) == 4);
  for (int i = 0; i < 4; i++) {
    CHECK_NEAR(n[i].gap, 0.01, 1e-15);
    CHECK_NEAR(n[i].normal[2], 1, 1e-15);
    CHECK_NEAR(fabs(n[i].on_b[0] - 0.1), 0.2, 1e-15);
  }
  CHECK(hn_touch_solids(&a, &b, 0.001, n) == 0);
  b = solid(true, 0, 0, 0.99, half);
  turn(&b, (double[]){0, 0, atan(1)});
  CHECK(hn_touch_solids(&a, &b, 0.1, n) == 8);
  for (int i = 0; i < 8; i++) CHECK_NEAR(n[i].gap, -0.01, 1e-15);
}

// ---- who is near ---------------------------------------------------------------------------

// text of n spheres of radius r at random places that do not overlap, above a floor
static char *heap_text(int n, double r, double wide, double high, double coulomb,
                       const char *more) {
  char *text = malloc((size_t)n * 160 + 2000);
  double *x = malloc((size_t)n * 3 * sizeof(double));
  size_t at = 0;
  if (!CHECK(text && x)) exit(1);
  at += (size_t)sprintf(text + at, "gravity: [0, 0, -9.81]\nbodies:\n");
  for (int i = 0; i < n;) {
    double *p = x + 3 * i;
    p[0] = test_random(-wide, wide), p[1] = test_random(-wide, wide), p[2] = test_random(r, high);
    bool apart = true;
    for (int k = 0; k < i && apart; k++) {
      double d[3];
      v3_sub(d, p, x + 3 * k);
      apart = v3_norm(d) > 2.02 * r;
    }
    if (!apart) continue;
    at +=
        (size_t)sprintf(text + at,
                        "  b%d: {mass: 1, shape: {sphere: {radius: %g}}, position: [%.17g, %.17g, "
                        "%.17g]}\n",
                        i, r, p[0], p[1], p[2]);
    i++;
  }
  sprintf(text + at,
          "forces:\n  floor: {type: pile, at: [0, 0, 0], axis: [0, 0, 1], coulomb: %g}\n%s",
          coulomb, more);
  free(x);
  return text;
}

// the grid finds what a look at all pairs finds
static void search(void) {
  enum { N = 120 };
  char *text = heap_text(N, 0.1, 0.7, 1.5, 0.3, "");
  rig r = rig_open(text, (how){"moreau", "reference", 1e-3, 0, NULL});
  hn_crowd crowd;
  if (rig_ready(&r) && CHECK(hn_crowd_of(r.system, &crowd) && crowd.members == N)) {
    const double margin = 0.05;
    hn_work work = {0};
    hn_crowd_room room = {0};
    hn_arena arena = {0};
    for (int pass = 0; pass < 2; pass++) {
      hn_work_layout(&work, &arena, r.system);
      hn_crowd_layout(&room, &arena, &crowd);
      if (!pass && !CHECK(hn_arena_allocate(&arena))) return;
    }
    hn_eval_motion(&work, 0, r.system->q0, r.system->v0);
    CHECK(hn_crowd_find(&crowd, &room, &work, margin));
    // far away as well: cells are numbered anew after a million or so, which parts no neighbours
    int here = room.count;
    static const double away[] = {-3e5, 1e6 * 0.25, 0x1p20 * 0.25, -0x1p20 * 0.25, 1e9};
    double *q = malloc((size_t)r.system->nq * sizeof *q);
    for (int k = 0; CHECK(q) && k < 5; k++) {
      memcpy(q, r.system->q0, (size_t)r.system->nq * sizeof *q);
      for (int i = 0; i < N; i++) q[7 * i] += away[k];
      hn_eval_motion(&work, 0, q, r.system->v0);
      if (!CHECK(hn_crowd_find(&crowd, &room, &work, margin) && abs(room.count - here) <= (k == 4)))
        printf("  %d points in place of %d at %g m\n", room.count, here, away[k]);
    }
    free(q);
    hn_eval_motion(&work, 0, r.system->q0, r.system->v0);
    CHECK(hn_crowd_find(&crowd, &room, &work, margin));
    int expected = 0;
    for (int i = 0; i < N; i++) {
      expected += r.system->q0[7 * i + 2] - 0.1 <= margin;
      for (int k = i + 1; k < N; k++) {
        double d[3];
        v3_sub(d, r.system->q0 + 7 * i, r.system->q0 + 7 * k);
        expected += v3_norm(d) - 0.2 <= margin;
      }
    }
    printf("  %d points near each other among %d spheres\n", room.count, N);
    CHECK(room.count == expected && expected > N / 2);
    for (int i = 1; i < room.count; i++)
      CHECK(hn_touch_order(&room.touch[i - 1], &room.touch[i]) <= 0);
    free(arena.base);
  }
  rig_close(&r);
  free(text);
}

// ---- motions -------------------------------------------------------------------------------

// a box pushed along a floor stops after v^2 / (2 mu g); a ball on a slope that rolls
static void slides_and_rolls(void) {
  rig r =
      rig_open("gravity: [0, 0, -9.81]\n"
               "bodies:\n"
               "  box: {mass: 2, shape: {box: {size: [0.4, 0.3, 0.1]}}, position: [0, 0, 0.05],\n"
               "        velocity: [1.2, 0.9, 0]}\n"
               "forces: {floor: {type: pile, at: [0, 0, 0], axis: [0, 0, 1], coulomb: 0.3}}\n",
               (how){"moreau", "reference", 1e-3, 0, NULL});
  if (rig_ready(&r) && rig_go(&r, 1)) {
    const double *q = hn_positions(r.sim);
    double way = 2.25 / (2 * 0.3 * g);
    printf("  box slides %.6f m, closed form %.6f, energy %.1e\n", hypot(q[0], q[1]), way,
           rig_imbalance(&r));
    CHECK_NEAR(hypot(q[0], q[1]), way, 1e-4);
    CHECK_NEAR(q[1] / q[0], 0.75, 1e-3);
    CHECK_NEAR(q[2], 0.05, 1e-9);
    CHECK(rig_imbalance(&r) < 1e-9);
  }
  rig_close(&r);
  char text[800];
  double a = 0.3;
  snprintf(
      text, sizeof text,
      "gravity: [0, 0, -9.81]\n"
      "bodies: {ball: {mass: 2, shape: {sphere: {radius: 0.1}}, position: [%.17g, 0, %.17g]}}\n"
      "forces: {floor: {type: pile, at: [0, 0, 0], axis: [%.17g, 0, %.17g], coulomb: 0.5}}\n",
      0.1 * sin(a), 0.1 * cos(a), sin(a), cos(a));
  r = rig_open(text, (how){"moreau", "reference", 1e-3, 0, NULL});
  if (rig_ready(&r) && rig_go(&r, 1)) {
    const double *q = hn_positions(r.sim);
    double along = (q[0] - 0.1 * sin(a)) * cos(a) - (q[2] - 0.1 * cos(a)) * sin(a);
    CHECK_NEAR(along, 0.5 * 5 / 7 * g * sin(a), 1e-9);
    CHECK(rig_imbalance(&r) < 1e-9);
  }
  rig_close(&r);
}

// two balls meet off the middle: momentum, angular momentum and the approach along the normal
static void balls_meet(void) {
  rig r = rig_open("bodies:\n"
                   "  a: {mass: 2, shape: {sphere: {radius: 0.1}}, velocity: [1, 0, 0]}\n"
                   "  b: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0.5, 0.05, 0.02]}\n"
                   "forces: {touch: {type: pile, at: [0, 0, -9], axis: [0, 0, 1], coulomb: 0.2,\n"
                   "                 restitution: 0.6}}\n",
                   (how){"moreau", "reference", 1e-4, 0, NULL});
  if (rig_ready(&r) && rig_go(&r, 0.8)) {
    const double *q = hn_positions(r.sim), *v = hn_velocities(r.sim);
    double n[3] = {0, 0.05 / 0.2, 0.02 / 0.2}, L[3] = {0, 0, 0}, J = 0.4 * 0.01;
    n[0] = sqrt(1 - n[1] * n[1] - n[2] * n[2]);
    for (int k = 0; k < 3; k++) CHECK_NEAR(2 * v[k] + v[6 + k], k ? 0 : 2, 1e-12);
    double apart = 0;
    for (int k = 0; k < 3; k++) apart += n[k] * (v[6 + k] - v[k]);
    CHECK_NEAR(apart, 0.6 * n[0], 1e-3);
    for (int i = 0; i < 2; i++) {
      double at[3], m = i ? 1 : 2, R[9], w[3];
      q_matrix(R, q + 7 * i + 3);
      m3_mulv(w, R, v + 6 * i + 3);
      v3_cross(at, q + 7 * i, v + 6 * i);
      for (int k = 0; k < 3; k++) L[k] += m * at[k] + m * J * w[k];
    }
    for (int k = 0; k < 3; k++) CHECK_NEAR(L[k], 0, 2e-4);
    CHECK(rig_imbalance(&r) < 1e-9);
  }
  rig_close(&r);
}

static void tower_text(char *text, int n, double shift) {
  size_t at = (size_t)sprintf(text, "gravity: [0, 0, -9.81]\nbodies:\n");
  for (int i = 0; i < n; i++)
    at +=
        (size_t)sprintf(text + at,
                        "  b%d: {mass: 1, shape: {box: {size: [0.2, 0.2, 0.1]}}, position: [%g, 0, "
                        "%.17g]}\n",
                        i, i % 2 ? shift : 0, 0.05 + 0.1 * i);
  sprintf(text + at, "forces: {floor: {type: pile, at: [0, 0, 0], axis: [0, 0, 1], coulomb: 0.5}}\n"
                     "simulation: {iteration_tol: 1e-9}\n");
}

// 20 blocks, every other one moved aside, stand
static void tower(void) {
  char text[4000];
  tower_text(text, 20, 0.03);
  rig r = rig_open(text, (how){"moreau", "reference", 1e-2, 0, NULL});
  double worst = 0, until = run_quickly() ? 1 : 10;
  if (rig_ready(&r) && rig_go(&r, until)) {
    const double *q = hn_positions(r.sim);
    for (int i = 0; i < 20; i++) {
      worst = fmax(worst, fabs(q[7 * i] - (i % 2 ? 0.03 : 0)));
      worst = fmax(worst, fabs(q[7 * i + 1]));
      worst = fmax(worst, fabs(q[7 * i + 2] - 0.05 - 0.1 * i));
    }
    printf("  tower of 20 blocks, %g s: nothing moved by more than %.1e m\n", until, worst);
    CHECK(worst < 1e-7);
  }
  rig_close(&r);
}

// a heap comes to rest: no body below the floor, none in another
static void heap(void) {
  enum { N = 24 };
  char *text = heap_text(N, 0.1, 0.28, 1.4, 0.4,
                         "  left: {type: pile, at: [-0.4, 0, 0], axis: [1, 0, 0], coulomb: 0.4}\n"
                         "  right: {type: pile, at: [0.4, 0, 0], axis: [-1, 0, 0], coulomb: 0.4}\n"
                         "  front: {type: pile, at: [0, -0.4, 0], axis: [0, 1, 0], coulomb: 0.4}\n"
                         "  back: {type: pile, at: [0, 0.4, 0], axis: [0, -1, 0], coulomb: 0.4}\n"
                         "simulation: {iteration_tol: 1e-6}\n");
  rig r = rig_open(text, (how){"moreau", "reference", 4e-3, 0, NULL});
  if (rig_ready(&r) && rig_go(&r, 2)) {
    const double *q = hn_positions(r.sim), *v = hn_velocities(r.sim);
    double deepest = 0, fastest = 0;
    for (int i = 0; i < N; i++) {
      deepest = fmax(deepest, 0.1 - q[7 * i + 2]);
      fastest = fmax(fastest, v3_norm(v + 6 * i));
      for (int k = 0; k < i; k++) {
        double d[3];
        v3_sub(d, q + 7 * i, q + 7 * k);
        deepest = fmax(deepest, 0.2 - v3_norm(d));
      }
    }
    printf("  heap of %d: fastest %.1e m/s, deepest %.1e m, energy %.1e\n", N, fastest, deepest,
           rig_imbalance(&r));
    CHECK(deepest < 1e-8 && fastest < 0.5 && rig_imbalance(&r) < 1e-9);
  }
  rig_close(&r);
  free(text);
}

// 729 balls fall into a box: what their contacts take until most of them lie still. Sweeps that go
// on too far are undone in a heap as high as this, which takes 1.6 times as many of them.
static void effort(void) {
  enum { SIDE = 9, N = SIDE * SIDE * SIDE };
  const double r = 0.05, apart = 2.3 * r, wide = 0.5 * SIDE * apart, until = 1.1;
  static const int walls[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
  if (run_quickly()) return;
  char *text = malloc((size_t)N * 120 + 2000);
  if (!CHECK(text)) return;
  size_t at = (size_t)sprintf(text, "gravity: [0, 0, -9.81]\nsimulation: {iteration_tol: 1e-3}\n"
                                    "bodies:\n");
  for (int i = 0; i < N; i++) {
    double beside = 0.1 * r * sin(1.7 * i);
    at += (size_t)sprintf(
        text + at, "  b%d: {mass: 1, shape: {sphere: {radius: %g}}, position: [%g, %g, %g]}\n", i,
        r, (i % SIDE + 0.5) * apart - wide + beside,
        (i / SIDE % SIDE + 0.5) * apart - wide - beside, (i / (SIDE * SIDE) + 0.6) * apart);
  }
  at += (size_t)sprintf(text + at, "forces:\n");
  for (int k = 0; k < 5; k++)
    at += (size_t)sprintf(text + at,
                          "  wall%d: {type: pile, coulomb: 0.4, at: [%g, %g, 0], axis: [%d, %d, "
                          "%d]}\n",
                          k, -wide * walls[k][0], -wide * walls[k][1], walls[k][0], walls[k][1],
                          walls[k][2]);
  rig heap_rig = rig_open(text, (how){"moreau", "reference", 2e-3, 0, NULL});
  if (rig_ready(&heap_rig) && rig_go(&heap_rig, until)) {
    const hn_moreau *m = heap_rig.sim->method.integrator_data;
    double sweeps = m->swept / (until / 2e-3) / m->pile.rows;
    printf("  %d balls settle: %.1f sweeps over %d contacts\n", N, sweeps, m->pile.rows / 3);
    CHECK(m->pile.rows > 6 * N && sweeps < 55);
  }
  rig_close(&heap_rig);
  free(text);
}

// ---- what is refused -----------------------------------------------------------------------

static void refused(const char *text, const char *method, const char *why) {
  rig r = rig_open(text, (how){method, "reference", 1e-3, 0, NULL});
  if (!CHECK(r.status != HN_OK && strstr(r.message, why))) printf("  %s\n", r.message);
  rig_close(&r);
}

static void refusals(void) {
  char text[4000];
  tower_text(text, 2, 0);
  refused(text, NULL, "'moreau' does");
  refused("bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
          "forces: {floor: {type: pile, at: [0, 0, 0], axis: [0, 0, 1]}}\n",
          "moreau", "nothing can touch");
  refused("bodies: {b: {mass: 1, shape: {sphere: {radius: 1}}}}\n"
          "forces: {floor: {type: pile, at: [0, 0, 0], axis: [0, 0, 1]}}\n",
          "moreau", "'b' is inside of 'the plane' by 1 m");
}

int main(void) {
  RUN(gaps);
  RUN(faces);
  RUN(search);
  RUN(slides_and_rolls);
  RUN(balls_meet);
  RUN(tower);
  RUN(heap);
  RUN(effort);
  RUN(refusals);
  return test_end();
}
