// test_redundancy.c: degrees of freedom, what repeats what, and which reactions are open.
//
// Expected numbers are counted by hand: a rigid body has six velocities, a hinge takes five, and
// what is left must be the freedom the mechanism visibly has.
#include "compile/compile.h"
#include "reference.h"

#include <stdarg.h>

// a model from text, assembled; reference coordinates unless the text says otherwise
static bool compile(machine *m, const char *text) {
  *m = (machine){.model = hn_model_create()};
  hn_status status = hn_model_parse(m->model, text, strlen(text), "test");
  if (!status) status = hn_compile(&m->system, m->model);
  if (status) printf("%s\n", hn_model_error(m->model));
  m->options = *hn_model_options(m->model);
  return CHECK(!status);
}

static const hn_redundancy *redundancy_of(const machine *m) {
  return hn_system_check(m->system)->redundancy;
}

static bool lists(int count, char **list, const char *name) {
  for (int i = 0; i < count; i++)
    if (strcmp(list[i], name) == 0) return true;
  return false;
}

static const hn_open_joint *joint_of(const hn_redundancy *r, const char *name) {
  for (int i = 0; i < r->joint_count; i++)
    if (strcmp(r->joint[i].name, name) == 0) return &r->joint[i];
  return NULL;
}

// ---- small mechanisms ----------------------------------------------------------------------

static void test_pendulum(void) {
  machine m;
  if (machine_load(&m, "pendulum", "reference", NULL, NULL)) return;
  const hn_redundancy *r = redundancy_of(&m);
  CHECK(r->dof == 1 && r->rank == r->rows && r->complete);
  CHECK(r->dependency_count == 0 && r->group_count == 0 && r->undetermined_count == 0);
  CHECK(r->joint_count == 1 && r->joint[0].rows == 0 && r->joint[0].world == 0);
  machine_free(&m);
}

// 15 rows on 6 velocities, of which the door keeps one: 10 are too many. Each later hinge repeats
// the first; all forces and bending moments are open, the moment about the axis is zero anyway
static void test_door(void) {
  machine m;
  if (machine_load(&m, "door", "reference", NULL, NULL)) return;
  const hn_redundancy *r = redundancy_of(&m);
  CHECK(r->dof == 1 && r->rows == 15 && r->rank == 5 && r->redundant_count == 10);
  CHECK(r->largest_dropped < 1e-14 && r->smallest_kept > 1e-3 && r->tolerance == 1e-8);
  CHECK(r->group_count == 1 && r->dependency_count == 2);
  CHECK_STR(r->dependency[0].text, "joint 'middle': all 5 rows repeat what 'low' already imposes");
  CHECK_STR(r->dependency[1].text, "joint 'high': all 5 rows repeat what 'low' already imposes");
  for (int i = 0; i < 3; i++) {
    CHECK(r->joint[i].rows == 5);
    CHECK(r->joint[i].axes == (HN_FX | HN_FY | HN_FZ | HN_TX | HN_TY));
  }
  CHECK(lists(r->undetermined_count, r->undetermined, "high.local_fx"));
  CHECK(!lists(r->undetermined_count, r->undetermined, "high.local_tz"));
  CHECK(r->undetermined_count == 3 * 10);
  const hn_check *check = hn_system_check(m.system);
  CHECK(check->joint[0].redundant == 0 && check->joint[1].redundant == 5);
  CHECK(check->joint[2].redundant == 5 && check->joint[2].undetermined == 5);
  machine_free(&m);
}

// a plane loop of hinges in space: what keeps the last bar in the plane comes twice
static void test_spatial_four_bar(void) {
  static const char *const coordinates[] = {"reference", "relative"};
  for (int i = 0; i < 2; i++) {
    machine m;
    if (machine_load(&m, "spatial_four_bar", coordinates[i], NULL, NULL)) return;
    const hn_redundancy *r = redundancy_of(&m);
    CHECK(r->dof == 1 && r->rows == 20 && r->rank == 17);
    CHECK(r->redundant_count == 3 && r->dependency_count == 1);
    CHECK(lists(3, r->redundant, "D.z") && lists(3, r->redundant, "D.rot_x"));
    CHECK(lists(3, r->redundant, "D.rot_y"));
    CHECK_STR(r->dependency[0].text,
              "joint 'D': position along z, rotation about x and y repeat what 'A', 'B' and 'C' "
              "already impose");
    // in the plane everything is determined
    for (int k = 0; k < r->joint_count; k++) {
      CHECK(r->joint[k].world == (HN_FZ | HN_TX | HN_TY));
      CHECK(r->joint[k].rows == 3);
    }
    machine_free(&m);
  }
}

// 30 rows on 30 velocities, and yet one degree of freedom
static void test_bricard(void) {
  machine m;
  if (machine_load(&m, "bricard", "auto", NULL, NULL)) return;
  const hn_redundancy *r = redundancy_of(&m);
  CHECK(r->dof == 1 && r->rows == 30 && r->rank == 29);
  CHECK(r->redundant_count == 1 && r->dependency_count == 1);
  CHECK_STR(r->dependency[0].joint, "P5");
  CHECK(r->dependency[0].other_count == 5);
  machine_free(&m);
}

// self-stress runs through the four lower rods and the plate; the upper two are determined
static void test_parallelogram(void) {
  machine m;
  if (machine_load(&m, "parallelogram", "reference", NULL, NULL)) return;
  const hn_redundancy *r = redundancy_of(&m);
  CHECK(r->dof == 7 && r->rank == 35 && r->redundant_count == 1 && r->group_count == 1);
  const char *open = "ACEGBDFH", *determined = "KMLN";
  for (int i = 0; i < 8; i++) CHECK(joint_of(r, (char[2]){open[i], 0})->world == (HN_FY | HN_FZ));
  for (int i = 0; i < 4; i++) {
    CHECK(joint_of(r, (char[2]){determined[i], 0})->world == 0);
    CHECK(joint_of(r, (char[2]){determined[i], 0})->rows == 0);
  }
  machine_free(&m);
}

static void test_double_scott_russell(void) {
  machine m;
  if (machine_load(&m, "double_scott_russell", "auto", NULL, NULL)) return;
  const hn_redundancy *r = redundancy_of(&m);
  CHECK(r->dof == 1 && r->rows == 12 && r->redundant_count == 1);
  CHECK_STR(r->redundant[0], "D.x");
  machine_free(&m);
}

// two doors do not share anything; a joint may repeat itself, and one may impose nothing
static void test_groups(void) {
  machine m;
  if (compile(&m, "bodies:\n"
                  "  one: {mass: 1, inertia: [1, 2, 3]}\n"
                  "  two: {mass: 1, inertia: [1, 2, 3], position: [5, 0, 0]}\n"
                  "joints:\n"
                  "  a: {type: revolute, a: ground, b: one}\n"
                  "  c: {type: revolute, a: ground, b: two}\n"
                  "  b: {type: spherical, a: ground, b: one, at: [0, 0, 1]}\n"
                  "  d: {type: parallel, a: ground, b: two, axis: [0, 0, 1]}\n")) {
    const hn_redundancy *r = redundancy_of(&m);
    CHECK(r->dof == 2 && r->redundant_count == 5);
    CHECK(r->group_count == 2 && r->dependency_count == 2);
    CHECK(r->dependency[0].group != r->dependency[1].group);
    CHECK_STR(r->dependency[0].text, "joint 'b': all 3 rows repeat what 'a' already imposes");
    CHECK_STR(r->dependency[1].text, "joint 'd': all 2 rows repeat what 'c' already imposes");
    // the force along the axis of a may go to b, its position about z may not
    CHECK(joint_of(r, "a")->axes == (HN_FX | HN_FY | HN_FZ | HN_TX | HN_TY));
    CHECK(joint_of(r, "b")->axes == (HN_FX | HN_FY | HN_FZ));
    CHECK(joint_of(r, "d")->axes == (HN_TX | HN_TY));
    CHECK(joint_of(r, "c")->axes == (HN_TX | HN_TY));
  }
  machine_free(&m);
}

// neither masses nor units decide: the same mechanism of tenths of a millimetre or a kilometre
static void test_scales(void) {
  static const double length[] = {1e-4, 1, 1e3}, mass[] = {1e-9, 1, 1e2};
  for (int i = 0; i < 9; i++) {
    char text[1024];
    double l = length[i / 3], k = mass[i % 3];
    snprintf(text, sizeof text,
             "parameters: {l: %g, m: %g}\nbodies:\n"
             "  a: {mass: m, inertia: [m*l^2, m*l^2, m*l^2], position: [l/2, 0, 0]}\n"
             "  b: {mass: m*1e-3, inertia: [m*l^2, m*l^2, m*l^2], position: [l, l/2, 0]}\n"
             "  c: {mass: m, inertia: [m*l^2, m*l^2, m*l^2], position: [l/2, l, 0]}\n"
             "joints:\n"
             "  A: {type: revolute, a: ground, b: a, at: [0, 0, 0]}\n"
             "  B: {type: revolute, a: a, b: b, at: [l, 0, 0]}\n"
             "  C: {type: revolute, a: b, b: c, at: [l, l, 0]}\n"
             "  D: {type: revolute, a: c, b: ground, at: [0, 1.1*l, 0]}\n",
             l, k);
    machine m;
    if (compile(&m, text)) {
      const hn_redundancy *r = redundancy_of(&m);
      CHECK(r->dof == 1 && r->redundant_count == 3);
      CHECK(r->joint[0].world == (HN_FZ | HN_TX | HN_TY));
    }
    machine_free(&m);
  }
}

// ---- along a motion ------------------------------------------------------------------------

// a violation makes dependent rows differ by about as much, and hides nothing
static void test_violated(void) {
  machine m;
  if (machine_load(&m, "bricard", "reference", NULL, NULL) || machine_start(&m)) return;
  int nq = hn_system_nq(m.system), nv = hn_system_nv(m.system);
  for (double size = 1e-12; size < 2e-4; size *= 10) {
    double q[64], v[64];
    memcpy(q, hn_positions(m.sim), (size_t)nq * sizeof *q);
    memcpy(v, hn_velocities(m.sim), (size_t)nv * sizeof *v);
    for (int i = 0; i < nq; i++) q[i] += test_random(-size, size);
    hn_redundancy *r = NULL;
    machine n = m;
    n.sim = NULL;
    if (machine_start(&n) == HN_OK && hn_set_state(n.sim, 0, q, v) == HN_OK &&
        CHECK(hn_sim_redundancy(n.sim, &r) == HN_OK)) {
      CHECK(r->dof == 1 && r->redundant_count == 1);
      CHECK(r->tolerance >= 1e-8 && (size < 1e-8 || r->tolerance > size));
      CHECK(r->largest_dropped < r->tolerance && r->smallest_kept > r->tolerance);
    }
    hn_redundancy_destroy(r);
    hn_sim_destroy(n.sim);
  }
  machine_free(&m);
}

// the same answer in both coordinates, also later
static void test_on_the_way(void) {
  static const char *const models[] = {"bricard", "spatial_four_bar", "double_scott_russell"};
  for (int i = 0; i < 3; i++) {
    machine m[2];
    hn_redundancy *r[2] = {NULL, NULL};
    bool ok = true;
    for (int k = 0; k < 2; k++)
      ok = !machine_load(&m[k], models[i], k ? "relative" : "reference", NULL, NULL) &&
           !machine_start(&m[k]) && !hn_advance(m[k].sim, 0.37) &&
           !hn_sim_redundancy(m[k].sim, &r[k]) && ok;
    if (CHECK(ok)) {
      CHECK(r[0]->time == 0.37 && r[0]->rows == r[1]->rows && r[0]->dof == 1 && r[1]->dof == 1);
      CHECK(r[0]->undetermined_count == r[1]->undetermined_count);
      for (int k = 0; k < r[0]->dependency_count; k++)
        CHECK_STR(r[0]->dependency[k].text, r[1]->dependency[k].text);
      for (int k = 0; k < r[0]->joint_count; k++)
        CHECK(r[0]->joint[k].world == r[1]->joint[k].world);
    }
    for (int k = 0; k < 2; k++) hn_redundancy_destroy(r[k]), machine_free(&m[k]);
  }
}

// ---- many rows -----------------------------------------------------------------------------

__attribute__((format(printf, 2, 3))) static char *add(char *at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsprintf(at, format, args);
  va_end(args);
  return at + n;
}

// windows of spatial hinges in a row: three redundant rows in each, however many there are. From
// 47 windows on there are more than 700 rows, and the block factorisation decides
static void test_ladder(void) {
  static const int windows[] = {3, 60};
  for (int i = 0; i < 2; i++) {
    int n = windows[i];
    char *text = malloc(65536), *at = text;
    if (!text) return;
    at = add(at, "simulation: {coordinates: reference}\nbodies:\n");
    for (int k = 0; k <= n; k++)
      at = add(at, "  c%d: {mass: 1, inertia: [0.1, 0.01, 0.1], position: [%d, 0.5, 0]}\n", k, k);
    for (int k = 1; k <= n; k++)
      at = add(at, "  l%d: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [%g, 1, 0]}\n", k,
               k - 0.5);
    at = add(at, "joints:\n");
    for (int k = 0; k <= n; k++)
      at = add(at, "  A%d: {type: revolute, a: ground, b: c%d, at: [%d, 0, 0]}\n", k, k, k);
    for (int k = 1; k <= n; k++) {
      at = add(at, "  L%d: {type: revolute, a: c%d, b: l%d, at: [%d, 1, 0]}\n", k, k - 1, k, k - 1);
      at = add(at, "  R%d: {type: revolute, a: l%d, b: c%d, at: [%d, 1, 0]}\n", k, k, k, k);
    }
    machine m;
    if (compile(&m, text)) {
      const hn_redundancy *r = redundancy_of(&m);
      CHECK(r->rows == 15 * n + 5 && r->dof == 1 && r->redundant_count == 3 * n);
      CHECK(r->complete && r->dependency_count == n);
      CHECK(r->smallest_kept > 1e-5 && r->largest_dropped < 1e-7);
      for (int k = 0; k < r->dependency_count; k++) {
        CHECK(r->dependency[k].joint[0] == 'R' && r->dependency[k].row_count == 3);
        CHECK(atoi(r->dependency[k].joint + 1) == k + 1);
      }
      for (int k = 0; k < r->joint_count; k++) CHECK(r->joint[k].world == (HN_FZ | HN_TX | HN_TY));
    }
    machine_free(&m);
    free(text);
  }
}

// parallelograms in the plane, side by side, some with a third crank, which repeats one row of its
// loop: as many are redundant. From 60 rows on it is asked first whether any is at all
static void test_many_loops(void) {
  enum { SEEDS = 24 };
  for (unsigned long long seed = 1; seed <= SEEDS; seed++) {
    test_seed = 0x9e3779b97f4a7c15ull * seed;
    int n = 8 + (int)(25 * test_random(0, 1)), third = (int)(seed % 4 == 0 ? 0 : seed % 7);
    char *text = malloc(1 << 18), *at = text;
    if (!text) return;
    at = add(at, "simulation: {coordinates: reference}\nbodies:\n");
    for (int k = 0; k < n; k++)
      for (const char *b = "abc"; *b; b++)
        if (*b != 'c' || k < third)
          at = add(at, "  %c%d: {type: planar, mass: 1, inertia: 0.1, position: [%d, 0]}\n", *b, k,
                   4 * k);
    for (int k = 0; k < n; k++)
      at = add(at, "  l%d: {type: planar, mass: 2, inertia: 0.3, position: [%d, 1]}\n", k, 4 * k);
    at = add(at, "joints:\n");
    for (int k = 0; k < n; k++) {
      double angle = test_random(0.4, 2.6), r = test_random(0.5, 2), x = 4 * k;
      for (int j = 0; j < (k < third ? 3 : 2); j++, x += test_random(0.5, 1)) {
        at = add(at, "  %c%d: {type: revolute, a: ground, b: %c%d, at: [%.17g, 0]}\n", 'P' + j, k,
                 'a' + j, k, x);
        at = add(at, "  %c%d: {type: revolute, a: %c%d, b: l%d, at: [%.17g, %.17g]}\n", 'U' + j, k,
                 'a' + j, k, k, x + r * cos(angle), r * sin(angle));
      }
    }
    machine m;
    if (compile(&m, text)) {
      const hn_redundancy *r = redundancy_of(&m);
      if (!CHECK(r->redundant_count == third && r->dof == n)) printf("  seed %d\n", (int)seed);
      CHECK(r->rows == 8 * n + 4 * third && r->smallest_kept > 1e-4);
    }
    machine_free(&m);
    free(text);
  }
}

static char *add_point(char *at, const double p[3]) {
  return add(at, "[%.17g, %.17g, %.17g]", p[0], p[1], p[2]);
}

// spatial four-bars in general position, hinge, ball, ball, hinge: a crank's freedom and the spin
// of the coupler each. Some cranks have a second hinge on the axis of the first: five rows too many
static void test_many_in_space(void) {
  enum { SEEDS = 24 };
  for (unsigned long long seed = 1; seed <= SEEDS; seed++) {
    test_seed = 0xd1342543de82ef95ull * seed;
    int n = 4 + (int)(16 * test_random(0, 1)), twice = (int)(seed % 3 ? seed % 5 : 0);
    char *text = malloc(1 << 18), *at = text, *joints = malloc(1 << 18), *j = joints;
    if (!text || !joints) return;
    at = add(at, "simulation: {coordinates: reference}\nbodies:\n");
    for (int k = 0; k < n; k++) {
      double p[4][3], axis[2][3], beside[3];
      for (int i = 0; i < 12; i++) p[i / 3][i % 3] = test_random(-1, 1) + (i % 3 ? 0 : 3 * k);
      for (int i = 0; i < 6; i++) axis[i / 3][i % 3] = test_random(-1, 1);
      for (int i = 0; i < 3; i++) beside[i] = p[0][i] + 0.7 * axis[0][i];
      for (int b = 0; b < 3; b++) {
        at = add(at, "  b%d_%d: {mass: 1, inertia: [0.1, 0.2, 0.15], position: ", k, b);
        at = add(add_point(at, p[b]), "}\n");
      }
      for (int i = 0; i < 4; i++) {
        bool hinge = i % 3 == 0;
        j = add(j, "  J%d_%d: {type: %s, ", k, i, hinge ? "revolute" : "spherical");
        if (i) j = add(j, "a: b%d_%d, ", k, i - 1);
        j = i < 3 ? add(j, "b: b%d_%d, ", k, i) : add(j, "b: ground, ");
        j = add_point(add(j, "at: "), p[i]);
        if (hinge) j = add_point(add(j, ", axis: "), axis[i / 3]);
        j = add(j, "}\n");
      }
      if (k < twice) {
        j = add_point(add(j, "  again%d: {type: revolute, b: b%d_0, at: ", k, k), beside);
        j = add(add_point(add(j, ", axis: "), axis[0]), "}\n");
      }
    }
    add(at, "joints:\n%s", joints);
    machine m;
    if (compile(&m, text)) {
      const hn_redundancy *r = redundancy_of(&m);
      twice = twice < n ? twice : n;
      if (!CHECK(r->redundant_count == 5 * twice && r->dof == 2 * n))
        printf("  seed %d: %d redundant, %d free\n", (int)seed, r->redundant_count, r->dof);
      CHECK(r->rows == 16 * n + 5 * twice && r->smallest_kept > 1e-6);
    }
    machine_free(&m);
    free(text), free(joints);
  }
}

int main(void) {
  RUN(test_pendulum);
  RUN(test_door);
  RUN(test_spatial_four_bar);
  RUN(test_bricard);
  RUN(test_parallelogram);
  RUN(test_double_scott_russell);
  RUN(test_groups);
  RUN(test_scales);
  RUN(test_violated);
  RUN(test_on_the_way);
  RUN(test_ladder);
  RUN(test_many_loops);
  RUN(test_many_in_space);
  return test_end();
}
