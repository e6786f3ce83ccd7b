// test_sides.c: equilibria at kinks, at jumps of a force and in singular places; the rank of sparse
// rows.
#include "analysis_rig.h"
#include "linalg/dense.h"
#include "linalg/rank.h"

static unsigned long long case_seed;
static void new_case(int k) {
  test_seed = case_seed = 0x9e3779b97f4a7c15ull * (unsigned long long)(k + 1);
}

// a bar that hangs, with a motor that is stiff one way and another way the other: about the hinge
//   I th'' = -m g l th + (a th for th > 0, b th for th < 0)
static void stiffness_differs_by_side(void) {
  for (int i = 0; i < 100; i++) {
    rig r;
    char text[1024];
    new_case(i);
    double m = test_random(0.5, 2), l = test_random(0.2, 1), I = m * l * l * 1.1,
           mgl = m * 9.81 * l;
    double a = mgl * test_random(-2, 3), b = mgl * test_random(-2, 3);
    static const char *const law[] = {"%.17g*max(0, value) + %.17g*min(0, value)",
                                      "if(value > 0, %.17g, %.17g)*value"};
    char motor[200];
    snprintf(motor, sizeof motor, law[i % 2], a, b);
    snprintf(text, sizeof text,
             "gravity: [0, -9.81]\n"
             "bodies: {b: {type: planar, mass: %.17g, inertia: %.17g, position: [0, %.17g]}}\n"
             "joints: {j: {type: revolute, b: b, at: [0, 0]}}\n"
             "forces: {m: {type: motor, joint: j, law: '%s'}}\n",
             m, I - m * l * l, -l, motor);
    if (!rig_open(&r, text)) continue;
    hn_equilibrium info;
    int before = test_failed;
    CHECK(!hn_statics(r.sim, HN_NEAREST, &info, NULL));
    double up = (mgl - a) / I, down = (mgl - b) / I;
    CHECK(info.sides == 2 && !info.jump && info.rows_lost == 0);
    CHECK(info.sides_differ == ((up < 0) != (down < 0)));
    CHECK(info.stability == (fmin(up, down) < 0 ? HN_UNSTABLE : HN_STABLE));
    CHECK_REL(info.softest, fmin(up, down), 0, 1e-9);
    if (test_failed > before) printf("seed %llx:\n%s", case_seed, text);
    rig_close(&r);
  }
}

// a force that jumps holds what it pushes back, and throws off what it pushes on
static void forces_that_jump(void) {
  for (int i = 0; i < 40; i++) {
    rig r;
    char text[1024];
    new_case(i);
    double a = test_random(0.1, 5) * (i % 2 ? 1 : -1), k = test_random(-20, 20);
    snprintf(text, sizeof text,
             "bodies: {b: {type: planar, mass: 2, inertia: 1}}\n"
             "joints: {j: {type: prismatic, b: b, axis: [1, 0, 0]}}\n"
             "forces: {m: {type: motor, joint: j, law: '%.17g*sign(value) + %.17g*value'}}\n",
             a, k);
    if (!rig_open(&r, text)) continue;
    hn_equilibrium info;
    CHECK(!hn_statics(r.sim, HN_NEAREST, &info, NULL));
    CHECK(info.sides == 2 && info.jump);
    if (!CHECK(info.stability == (a > 0 ? HN_UNSTABLE : HN_STABLE))) printf("%s", text);
    rig_close(&r);
  }
}

// smooth forces, and kinks elsewhere, change nothing
static void kinks_elsewhere(void) {
  rig r;
  if (!rig_open(&r,
                "bodies: {b: {type: planar, mass: 2, inertia: 1}}\n"
                "joints: {j: {type: prismatic, b: b, axis: [1, 0, 0]}}\n"
                "forces: {m: {type: motor, joint: j, law: '-8*value + abs(value - 0.1) - 0.1'}}\n"))
    return;
  hn_equilibrium info;
  CHECK(!hn_statics(r.sim, HN_NEAREST, &info, NULL));
  CHECK(info.sides == 1 && !info.sides_differ && info.stability == HN_STABLE);
  CHECK_REL(info.softest, 4.5, 0, 1e-9);
  rig_close(&r);
}

// a parallelogram that lies flat: two ways lead out of it, and their sum is none
static void singular_place(void) {
  rig r;
  if (!rig_open(&r, "bodies:\n"
                    "  crank: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0],"
                    " frames: {A: [-0.5, 0], B: [0.5, 0]}}\n"
                    "  coupler: {type: planar, mass: 1, inertia: 0.4, position: [2, 0],"
                    " frames: {B: [-1, 0], C: [1, 0]}}\n"
                    "  rocker: {type: planar, mass: 1, inertia: 0.1, position: [2.5, 0],"
                    " frames: {D: [-0.5, 0], C: [0.5, 0]}}\n"
                    "ground: {frames: {A: [0, 0], D: [2, 0]}}\n"
                    "joints:\n"
                    "  A: {type: revolute, a: ground.A, b: crank.A}\n"
                    "  B: {type: revolute, a: crank.B, b: coupler.B}\n"
                    "  C: {type: revolute, a: coupler.C, b: rocker.C}\n"
                    "  D: {type: revolute, a: ground.D, b: rocker.D}\n"
                    "forces: {k: {type: torsion-spring, joint: A, stiffness: 5}}\n"))
    return;
  hn_equilibrium info;
  CHECK(!hn_statics(r.sim, HN_NEAREST, &info, NULL));
  CHECK(info.rows_lost == 1 && info.stability == HN_UNDECIDED);
  hn_linear *l = NULL;
  CHECK(hn_linearise(r.sim, &l) == HN_ERR_UNSUPPORTED && !l);
  CHECK(strstr(hn_sim_error(r.sim), "singular place"));
  rig_close(&r);
}

// a damper that is stiffer one way: m s^2 + c s + k = 0 on either side; none where sides are alike
static void modes_by_side(void) {
  for (int i = 0; i < 20; i++) {
    rig r;
    char text[1024];
    new_case(i);
    double m = test_random(0.5, 2), k = test_random(20, 90), c[2];
    c[0] = test_random(0.1, 3), c[1] = i % 4 ? test_random(0.1, 3) : c[0];
    snprintf(text, sizeof text,
             "bodies: {b: {type: planar, mass: %.17g, inertia: 1}}\n"
             "joints: {j: {type: prismatic, b: b, axis: [1, 0, 0]}}\n"
             "forces: {m: {type: motor, joint: j, law: '-%.17g*value - if(rate > 0, %.17g,"
             " %.17g)*rate'}}\n",
             m, k, c[0], c[1]);
    if (!rig_open(&r, text)) continue;
    bool met[2] = {false, false};
    for (int side = 0; side < 2; side++) {
      hn_linear *l = NULL;
      hn_modes *modes = NULL;
      CHECK(!hn_linearise_side(r.sim, side, &l) && l->equilibrium);
      CHECK(l->sides == (i % 4 ? 2 : 1));
      CHECK(!hn_modes_create(&modes, l) && modes->count == 1);
      for (int j = 0; j < 2; j++)
        met[j] |= fabs(modes->mode[0].re + c[j] / (2 * m)) < 1e-12 &&
                  fabs(modes->mode[0].im - sqrt(k / m - pow(c[j] / (2 * m), 2))) < 1e-10;
      hn_modes_destroy(modes);
      hn_linear_destroy(l);
    }
    if (!CHECK(met[0] && met[1])) printf("seed %llx:\n%s", case_seed, text);
    rig_close(&r);
  }
}

// ---- rank ------------------------------------------------------------------------------------

// random sparse rows, some of them mixtures of others: as many are dropped, and those kept are
// independent by the singular values
static void ranks_of_sparse_rows(void) {
  enum { ROWS = 60, COLUMNS = 80 };
  for (int i = 0; i < 60; i++) {
    static double A[ROWS * COLUMNS], kept[ROWS * COLUMNS], value[ROWS * COLUMNS];
    static int start[ROWS + 1], column[ROWS * COLUMNS];
    bool active[ROWS], later[ROWS];
    new_case(i);
    int mixed = i % 12, rank, count = 0;
    memset(A, 0, sizeof A);
    for (int r = 0; r < ROWS; r++) {
      double *row = A + r * COLUMNS, n = 0;
      later[r] = r >= ROWS - mixed;
      if (r < ROWS - mixed)
        for (int k = 0; k < 4; k++) row[(int)test_random(0, COLUMNS)] += test_random(-1, 1);
      else
        for (int k = 0; k < 2; k++) {
          const double *from = A + (int)test_random(0, ROWS - mixed) * COLUMNS;
          double s = test_random(0.5, 1);
          for (int c = 0; c < COLUMNS; c++) row[c] += s * from[c];
        }
      for (int c = 0; c < COLUMNS; c++) n += row[c] * row[c];
      for (int c = 0; c < COLUMNS; c++) row[c] /= sqrt(n);
    }
    for (int r = 0; r < ROWS; r++) {
      start[r] = count;
      for (int c = 0; c < COLUMNS; c++)
        if (A[r * COLUMNS + c] != 0) column[count] = c, value[count++] = A[r * COLUMNS + c];
    }
    start[ROWS] = count;
    double s[ROWS], left, dropped;
    CHECK(hn_sparse_rank(ROWS, COLUMNS, start, column, value, later, 1e-6, active, &rank, &left,
                         &dropped));
    CHECK(hn_dense_svd(ROWS, COLUMNS, A, s, NULL, NULL));
    int wanted = 0;
    for (int k = 0; k < ROWS; k++) wanted += s[k] > 1e-9;
    if (!CHECK(rank == wanted && rank == ROWS - mixed)) printf("seed %llx: %d\n", case_seed, rank);
    int n = 0;
    for (int r = 0; r < ROWS; r++)
      if (active[r]) memcpy(kept + n++ * COLUMNS, A + r * COLUMNS, COLUMNS * sizeof(double));
    CHECK(n == rank && hn_dense_svd(n, COLUMNS, kept, s, NULL, NULL) && s[n - 1] > 1e-7);
    CHECK(left > 1e-6 && dropped < 1e-6);
  }
}

// chains in natural coordinates: the right rank at any size
static void natural_chains(void) {
  static const int sizes[] = {10, 100, 300, 1000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    size_t size = 200 * (size_t)sizes[i] + 300, used = 0;
    char *text = malloc(size);
    hn_model *model = hn_model_create();
    hn_system *system = NULL;
    if (!CHECK(text && model)) return;
    used += (size_t)snprintf(text, size,
                             "gravity: [0, -9.81]\nsimulation: {coordinates: natural}\n"
                             "outputs: [energy.*]\nbodies:\n");
    for (int k = 0; k < sizes[i]; k++)
      used += (size_t)snprintf(text + used, size - used,
                               "  b%d: {type: planar, mass: 1, inertia: 0.1, position: [%g, 0],"
                               " frames: {l: [-0.5, 0], r: [0.5, 0]}}\n",
                               k, k + 0.5);
    used +=
        (size_t)snprintf(text + used, size - used, "joints:\n  j0: {type: revolute, b: b0.l}\n");
    for (int k = 1; k < sizes[i]; k++)
      used += (size_t)snprintf(text + used, size - used,
                               "  j%d: {type: revolute, a: b%d.r, b: b%d.l}\n", k, k - 1, k);
    CHECK(!hn_model_parse(model, text, used, "test"));
    if (!CHECK(!hn_compile(&system, model))) printf("%s\n", hn_model_error(model));
    if (system) {
      const hn_check *check = hn_system_check(system);
      CHECK(check->dof == sizes[i] && system->nv - system->rows + system->redundant == sizes[i]);
    }
    hn_system_destroy(system), hn_model_destroy(model), free(text);
  }
}

int main(void) {
  RUN(stiffness_differs_by_side);
  RUN(forces_that_jump);
  RUN(kinks_elsewhere);
  RUN(singular_place);
  RUN(modes_by_side);
  RUN(ranks_of_sparse_rows);
  RUN(natural_chains);
  return test_end();
}
