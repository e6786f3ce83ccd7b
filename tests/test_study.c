// test_study.c: random numbers, designs and metrics of studies; rows that depend on nobody else.
//
// References: the vectors published with Philox; Sobol's points and the normal quantiles from
// scipy.stats.qmc.Sobol(scramble=False) and scipy.stats.norm.ppf; closed forms for metrics.
#include "base/file.h"
#include "study/metric.h"
#include "study/random.h"
#include "study/read.h"
#include "study/store.h"
#include "study/table.h"
#include "test.h"

#include <holon/study.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

// ---- random numbers --------------------------------------------------------------------------

static void test_philox(void) {
  // counter, key, result: known answers of the Random123 distribution
  static const uint32_t known[3][10] = {
      {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
      {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
      {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
       0x94fdcceb, 0x5001e420, 0x24126ea1},
  };
  for (int i = 0; i < 3; i++) {
    uint32_t out[4];
    hn_philox(known[i], known[i] + 4, out);
    CHECK(memcmp(out, known[i] + 6, sizeof out) == 0);
  }
}

// the places of a permutation are all different, for any size
static void test_permutation(void) {
  static const int sizes[] = {1, 2, 3, 4, 5, 16, 17, 255, 1000, 4097};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    int n = sizes[s];
    char *met = calloc((size_t)n, 1);
    int still = 0;
    for (int i = 0; i < n; i++) {
      uint64_t to = hn_random_place(5, 2, (uint64_t)n, (uint64_t)i);
      CHECK(to < (uint64_t)n && !met[to]);
      if (to < (uint64_t)n) met[to] = 1;
      still += to == (uint64_t)i;
    }
    // a random one leaves one place where it is, on the average
    CHECK(n < 100 || still < 8);
    free(met);
  }
}

static void test_quantile(void) {
  static const double known[][2] = {
      {1e-300, -37.0470962993612},  {1e-10, -6.3613409024040557}, {0.001, -3.0902323061678132},
      {0.025, -1.9599639845400545}, {0.3, -0.52440051270804089},  {0.5, 0},
      {0.75, 0.67448975019608171},  {0.9, 1.2815515655446004},    {0.999999, 4.753424308817087},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    CHECK_NEAR(hn_normal_quantile(known[i][0]), known[i][1],
               1e-14 * fmax(1, fabs(known[i][1])) * 4);
}

static void test_sobol(void) {
  // dimensions 0, 1, 2, 3, 20 and 63 at points 1, 2, 3, 100 and 12345
  static const int dimension[] = {0, 1, 2, 3, 20, 63};
  static const uint64_t point[] = {1, 2, 3, 100, 12345};
  static const double known[5][6] = {
      {0.5, 0.5, 0.5, 0.5, 0.5, 0.5},
      {0.75, 0.25, 0.25, 0.25, 0.25, 0.75},
      {0.25, 0.75, 0.75, 0.75, 0.75, 0.25},
      {0.4140625, 0.2578125, 0.7734375, 0.7265625, 0.7578125, 0.6484375},
      {0.64093017578125, 0.81341552734375, 0.16033935546875, 0.52679443359375, 0.19927978515625,
       0.46563720703125},
  };
  for (int p = 0; p < 5; p++)
    for (int d = 0; d < 6; d++)
      CHECK_NEAR((double)hn_sobol_bits(dimension[d], point[p]) * 0x1p-52, known[p][d], 0);
}

// ---- studies ---------------------------------------------------------------------------------

static const char pendulum[] =
    "parameters: {length: 1, mass: 1}\n"
    "gravity: [0, -9.81]\n"
    "simulation: {duration: 0.3, output_step: 0.05}\n"
    "ground: {frames: {O: [0, 0]}}\n"
    "bodies:\n"
    "  rod: {type: planar, mass: mass, shape: {rod: {length: length}}, position: [length/2, 0],\n"
    "        frames: {O: [-length/2, 0]}}\n"
    "joints: {O: {type: revolute, a: ground.O, b: rod.O}}\n";

static hn_study *study_of(const char *text) {
  char message[512] = "";
  hn_study *study = NULL;
  if (hn_study_parse(&study, text, strlen(text), "study", pendulum, "pendulum", message,
                     sizeof message))
    printf("%s\n", message);
  CHECK(study != NULL);
  return study;
}

static void test_full(void) {
  hn_study *s = study_of("factors: {length: [1, 2], mass: {grid: [1, 3, 3]}}\n");
  if (!s) return;
  CHECK(hn_study_runs(s) == 6);
  for (int k = 0; k < 6; k++) {
    double v[2];
    hn_study_values(s, k, v);
    CHECK_NEAR(v[0], k / 3 + 1, 0);
    CHECK_NEAR(v[1], k % 3 + 1, 0);
  }
  double v[2];
  CHECK(hn_study_values(s, 6, v) == HN_ERR_ARGUMENT);
  hn_study_destroy(s);
}

// a 2^(3-1) design: the third factor is the product of the others; columns are orthogonal
static void test_fractional(void) {
  hn_study *s = study_of("design: {type: fractional, generators: {g: length*mass}}\n"
                         "factors:\n"
                         "  length: {uniform: [1, 2]}\n"
                         "  mass: [3, 5]\n"
                         "  g: {place: gravity.1, list: [-10, -9]}\n");
  if (!s) return;
  CHECK(hn_study_runs(s) == 4);
  int dot = 0;
  for (int k = 0; k < 4; k++) {
    double v[3];
    hn_study_values(s, k, v);
    int a = v[0] > 1.5 ? 1 : -1, b = v[1] > 4 ? 1 : -1, c = v[2] > -9.5 ? 1 : -1;
    CHECK(v[0] == 1 || v[0] == 2);
    CHECK(c == a * b);
    dot += a * b;
  }
  CHECK(dot == 0);
  hn_study_destroy(s);
}

// every slice of every factor is met once
static void test_latin(void) {
  hn_study *s = study_of("design: {type: latin-hypercube, runs: 50, seed: 3}\n"
                         "factors: {length: {uniform: [0, 50]}, mass: {log: [1, 1024]}}\n");
  if (!s) return;
  int met[2][50] = {{0}};
  for (int k = 0; k < 50; k++) {
    double v[2];
    hn_study_values(s, k, v);
    met[0][(int)v[0]]++;
    met[1][(int)(log2(v[1]) * 5)]++;
  }
  for (int i = 0; i < 50; i++) CHECK(met[0][i] == 1 && met[1][i] == 1);
  hn_study_destroy(s);
}

// moments of what was asked for, within five standard errors (seed 11)
static void test_monte_carlo(void) {
  enum { RUNS = 20000 };
  hn_study *s = study_of("design: {type: monte-carlo, runs: 20000, seed: 11}\n"
                         "factors:\n"
                         "  length: {normal: [2, 0.5]}\n"
                         "  mass: {lognormal: [3, 0.2]}\n"
                         "  g: {place: gravity.1, normal: [-9, 0.1]}\n"
                         "correlations: [[length, g, 0.6], [mass, g, -0.3]]\n");
  if (!s) return;
  double sum[3] = {0}, square[3][3] = {{0}};
  for (int k = 0; k < RUNS; k++) {
    double v[3], z[3];
    hn_study_values(s, k, v);
    z[0] = (v[0] - 2) / 0.5, z[1] = log(v[1] / 3) / 0.2, z[2] = (v[2] + 9) / 0.1;
    for (int i = 0; i < 3; i++) {
      sum[i] += z[i] / RUNS;
      for (int j = 0; j < 3; j++) square[i][j] += z[i] * z[j] / RUNS;
    }
  }
  double error = 5 / sqrt(RUNS);
  for (int i = 0; i < 3; i++) {
    CHECK_NEAR(sum[i], 0, error);
    CHECK_NEAR(square[i][i], 1, error * sqrt(2));
  }
  CHECK_NEAR(square[0][2], 0.6, error);
  CHECK_NEAR(square[1][2], -0.3, error);
  CHECK_NEAR(square[0][1], 0, error);
  hn_study_destroy(s);
}

// rows of one point: A, B, and A with one factor from B
static void test_saltelli(void) {
  hn_study *s = study_of("design: {type: saltelli, runs: 8, seed: 2}\n"
                         "factors: {length: {uniform: [1, 2]}, mass: {uniform: [1, 2]}}\n");
  if (!s) return;
  CHECK(hn_study_runs(s) == 32);
  for (int p = 0; p < 8; p++) {
    double v[4][2];
    for (int i = 0; i < 4; i++) hn_study_values(s, 4 * p + i, v[i]);
    CHECK(v[2][0] == v[1][0] && v[2][1] == v[0][1]);
    CHECK(v[3][0] == v[0][0] && v[3][1] == v[1][1]);
    CHECK(v[0][0] != v[1][0] && v[0][1] != v[1][1]);
  }
  hn_study_destroy(s);
}

// ---- metrics ---------------------------------------------------------------------------------

// rod.x = sin t, rod.y = cos t from 0 to 3 in steps of h, the last of them shorter
static hn_result *waves(double h) {
  hn_result *r = hn_result_create("waves", 3);
  hn_result_set_column(r, 0, "time", "s");
  hn_result_set_column(r, 1, "rod.y", "m");
  hn_result_set_column(r, 2, "rod.x", "m");
  for (int i = 0;; i++) {
    double t = fmin(i * h, 3), *row = hn_result_append(r);
    row[0] = t, row[1] = cos(t), row[2] = sin(t);
    if (t >= 3) break;
  }
  return r;
}

static const struct {
  const char *formula;
  double value;
  double order;  // error is about h^order; 0: exact
} closed[] = {
    {"final(rod.x)", 0.14112000805986721, 0},
    {"first(rod.y)", 1, 0},
    {"max(max(rod.x, rod.y))", 1, 0},
    {"min(rod.y) + 0*max(1, 2)", -0.98999249660044542, 0},
    {"at(rod.x, pi/2)", 1, 4},
    {"integral(rod.x)", 1.98999249660044542, 4},
    {"mean(rod.y)*3", 0.14112000805986721, 4},
    {"rms(rod.x)^2*3", 1.5698538745498146, 4},
    {"crossing(rod.y, 0)", 1.5707963267948966, 4},
    {"crossing(rod.x, 0.5, 2)", 2.6179938779914943, 4},
    {"when(rod.x > 0.5 && rod.y < 0)", 1.5707963267948966, 4},
    {"at(rod.y, crossing(rod.x, 0.5))", 0.86602540378443865, 4},
    {"integral(abs(rod.x - mean(rod.x)))*0 + length", 1.25, 0},
    {"at(rod.x, t_half)", 0.5, 4},
};

// A column that is straight but for one jump, where two rows have one time, is exact between all
// rows: what lies behind the jump, also in the first and the last interval, knows nothing of what
// was before
static void jumps(void) {
  for (int trial = 0; trial < 60; trial++) {
    int count = 3 + trial % 8, at = 1 + (int)test_random(0, count - 2);
    double jump = 0, slope[2] = {test_random(-2, 2), test_random(-2, 2)}, off = test_random(1, 5),
           t = 0;
    hn_result *r = hn_result_create("jump", 2);
    hn_result_set_column(r, 0, "time", "s");
    hn_result_set_column(r, 1, "x", "m");
    for (int i = 0; i < count; i++) {
      double *row = hn_result_append(r);
      if (i == at)
        jump = t;
      else if (i)
        t += test_random(0.5, 1);
      row[0] = t;
      row[1] = i < at ? slope[0] * t : slope[0] * jump + off + slope[1] * (t - jump);
    }
    for (int i = 0; i < 40; i++) {
      double when = test_random(0, t);
      double x = when < jump ? slope[0] * when : slope[0] * jump + off + slope[1] * (when - jump);
      if (!CHECK_NEAR(hn_result_between(r, count, 1, when), x, 1e-12))
        printf("  %d rows, jump at row %d, t = %g of %g\n", count, at, when, t);
    }
    hn_result_destroy(r);
  }
}

static void measure(hn_study *s, double h, double *out) {
  char message[512];
  hn_member *member = NULL;
  hn_model *model = NULL;
  double values[80] = {1.25};
  hn_run_row row = {.values = values};
  hn_result *r = waves(h);
  CHECK(hn_member_open(s, &member, message) == HN_OK);
  CHECK(hn_member_model(member, values, true, &model, message, sizeof message) == HN_OK);
  CHECK(hn_member_measure(member, model, r, hn_result_rows(r), &row));
  memcpy(out, values + 1, 64 * sizeof *out);
  hn_model_destroy(model);
  hn_member_close(member);
  hn_result_destroy(r);
}

static void test_metrics(void) {
  char text[4096] = "factors: {length: [1.25]}\nmetrics:\n  t_half: crossing(rod.x, 0.5)\n";
  enum { COUNT = sizeof closed / sizeof *closed };
  for (int i = 0; i < COUNT; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "  m%d: %s\n", i, closed[i].formula);
  hn_study *s = study_of(text);
  if (!s) return;
  double coarse[64], fine[64];
  measure(s, 0.0407, coarse);
  measure(s, 0.0407 / 4, fine);
  for (int i = 0; i < COUNT; i++) {
    double before = fabs(coarse[i + 1] - closed[i].value),
           after = fabs(fine[i + 1] - closed[i].value);
    if (closed[i].order == 0) {
      // extremes are those of the rows
      CHECK_NEAR(fine[i + 1], closed[i].value, 1e-4);
      continue;
    }
    CHECK_NEAR(coarse[i + 1], closed[i].value, 1e-6);
    // a quarter of the step, a 256th of the error
    if (!CHECK(after < before / 60 + 1e-13))
      printf("%s: %.3g, then %.3g\n", closed[i].formula, before, after);
  }
  hn_study_column c;
  CHECK(hn_study_column_at(s, 2, &c) && strcmp(c.unit, "m") == 0);
  CHECK(hn_study_column_at(s, 1, &c) && strcmp(c.unit, "s") == 0);
  hn_study_destroy(s);
}

// parameters, factors and metrics whose names begin with _ are themselves, whatever functions over
// the run the formula has besides
static void test_underlined(void) {
  static const char model[] = "parameters: {_rate: 3, _r1: 5, _r0: 0}\n"
                              "simulation: {duration: 1, output_step: 0.1}\n"
                              "bodies: {_r: {type: point, mass: 1, velocity: [2, 0, 0]}}\n";
  static const char text[] = "factors: {_r0: [7]}\n"
                             "metrics:\n"
                             "  far: 1000*max(_r.x) + 100*_rate + 10*_r1 + _r0\n"
                             "  _r2: min(_r.vx)\n"
                             "  twice: 2*_r2 + 0*max(_r.x)\n";
  char message[512] = "";
  hn_study *s = NULL;
  hn_study_table *table = NULL;
  hn_study_row row;
  if (!CHECK(hn_study_parse(&s, text, strlen(text), "study", model, "model", message,
                            sizeof message) == HN_OK)) {
    printf("%s\n", message);
    return;
  }
  CHECK(hn_study_run(s, NULL, &table, message, sizeof message) == HN_OK);
  if (CHECK(hn_study_table_row(table, 0, &row))) {
    CHECK_NEAR(row.values[1], 2000 + 300 + 50 + 7, 1e-9);
    CHECK_NEAR(row.values[3], 4, 1e-12);
  }
  hn_study_table_destroy(table);
  hn_study_destroy(s);
  // what stands for functions inside is no name for others
  static const char inner[] = "factors: {\"_.0\": {parameter: _rate, list: [7]}}\n"
                              "metrics: {far: max(_r.x) + _.0}\n";
  CHECK(hn_study_parse(&s, inner, strlen(inner), "study", model, "model", message,
                       sizeof message) == HN_ERR_MODEL);
  CHECK(strstr(message, "unknown name '_.0'") != NULL);
}

// units reach a metric through what keeps them, and through nothing else
static void test_metric_units(void) {
  static const struct {
    const char *formula, *unit;
  } cases[] = {
      {"max(abs(rod.angle))", "rad"},
      {"-max( abs( -rod.angle ) )", "rad"},
      {"max(rod.x) - min(rod.x)", "m"},
      {"rms(hypot(O.fx, O.fy))", "N"},
      {"abs(at(rod.omega, 0.1))", "rad/s"},
      {"(final(rod.x) + first(rod.x))", "m"},
      {"crossing(rod.x, 0.5)", "s"},
      {"max(t)", "s"},
      {"abs(m0)", "rad"},
      {"max(rod.x) + max(rod.angle)", ""},
      {"max(rod.x) - 0.5", ""},
      {"2*max(rod.x)", ""},
      {"180/pi*max(abs(rod.angle))", ""},
      {"max(sin(rod.angle))", ""},
      {"integral(rod.x)", ""},
      {"length", ""},
  };
  enum { COUNT = sizeof cases / sizeof *cases };
  char text[4096] = "factors: {length: [1.25]}\nmetrics:\n";
  for (int i = 0; i < COUNT; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "  m%d: \"%s\"\n", i,
             cases[i].formula);
  hn_study *s = study_of(text);
  hn_study_column c;
  for (int i = 0; s && i < COUNT; i++)
    if (!CHECK(hn_study_column_at(s, 1 + i, &c) && strcmp(c.unit, cases[i].unit) == 0))
      printf("%s: '%s'\n", cases[i].formula, c.unit);
  hn_study_destroy(s);
}

// never is not a number, and no constraint is kept by it
static void test_never(void) {
  hn_study *s = study_of("factors: {length: [1]}\n"
                         "metrics: {never: when(rod.x > 7), late: \"at(rod.x, 9)\"}\n"
                         "constraints: {soon: never < 1}\n");
  hn_study_table *table = NULL;
  hn_study_row row;
  char message[512];
  if (!s) return;
  CHECK(hn_study_run(s, NULL, &table, message, sizeof message) == HN_OK);
  CHECK(hn_study_table_row(table, 0, &row));
  CHECK(row.status == HN_ROW_DONE && !row.feasible);
  CHECK(isnan(row.values[1]) && isnan(row.values[2]) && isnan(row.values[3]));
  hn_study_table_destroy(table);
  hn_study_destroy(s);
}

// ---- rows ------------------------------------------------------------------------------------

static const char small[] = "design: {type: monte-carlo, runs: 40, seed: 5}\n"
                            "factors:\n"
                            "  length: {normal: [1, 0.2]}\n"
                            "  rate: {place: bodies.rod.angular_velocity, uniform: [-1, 1]}\n"
                            "  method: {option: method, list: [auto, baumgarte]}\n"
                            "options: {step: 1e-2}\n"
                            "metrics: {fast: rms(rod.omega), down: final(rod.y)}\n";

// a row is what a run of the model with these values gives, in any order and company
static void test_rows(void) {
  hn_study *s = study_of(small);
  hn_study_table *one = NULL, *many = NULL;
  char message[512];
  if (!s) return;
  hn_study_options alone = {.jobs = 1}, together = {.jobs = 4};
  CHECK(hn_study_run(s, &alone, &one, message, sizeof message) == HN_OK);
  CHECK(hn_study_run(s, &together, &many, message, sizeof message) == HN_OK);
  CHECK(hn_study_table_rows(one) == 40 && hn_study_table_rows(many) == 40);
  for (int k = 0; k < 40; k++) {
    hn_study_row a, b;
    CHECK(hn_study_table_row(one, k, &a) && hn_study_table_row(many, k, &b));
    CHECK(a.run == k && b.run == k && a.status == HN_ROW_DONE && b.status == HN_ROW_DONE);
    CHECK(memcmp(a.values, b.values, 5 * sizeof(double)) == 0);
  }
  // one of them by hand
  hn_model *model = NULL;
  hn_system *system = NULL;
  hn_sim *sim = NULL;
  hn_result *result = NULL;
  hn_study_row row;
  CHECK(hn_study_model(s, 17, &model, message, sizeof message) == HN_OK);
  CHECK(hn_compile(&system, model) == HN_OK);
  CHECK(hn_sim_create(&sim, system, hn_model_options(model), message, sizeof message) == HN_OK);
  CHECK(hn_run(sim, &result, NULL, NULL) == HN_OK);
  CHECK(hn_study_table_row(one, 17, &row));
  int y = hn_result_find(result, "rod.y"), omega = hn_result_find(result, "rod.omega");
  CHECK_NEAR(hn_result_row(result, hn_result_rows(result) - 1)[y], row.values[4], 0);
  // a rod that is pushed without its centre in mind keeps I / (I + m l^2 / 4) of the rate
  CHECK_NEAR(hn_result_row(result, 0)[omega], row.values[1] / 4, 1e-12);
  hn_result_destroy(result);
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  hn_model_destroy(model);
  hn_study_table_destroy(one);
  hn_study_table_destroy(many);
  hn_study_destroy(s);
}

// Ishigami's function, whose indices are known: y = sin a + 7 sin^2 b + c^4 sin(a)/10 with a, b, c
// evenly in -pi to pi. Its numbers are put into a table in the place of runs (seed 4)
static void test_effects(void) {
  char head[64] = "saltelli, runs: 4096, seed: 4", text[512];
  static const double first[3] = {0.31390519114781146, 0.44241114479004084, 0};
  static const double total[3] = {0.55758886, 0.44241114, 0.24368366};
  for (int design = 0; design < 2; design++) {
    if (design) strcpy(head, "sobol, runs: 16384, seed: 4");
    snprintf(text, sizeof text,
             "design: {type: %s}\n"
             "factors:\n"
             "  length: {uniform: [-pi, pi]}\n"
             "  mass: {uniform: [-pi, pi]}\n"
             "  g: {place: gravity.1, uniform: [-pi, pi]}\n"
             "metrics: {y: final(rod.x)}\n",
             head);
    hn_study *s = study_of(text);
    hn_study_table *table = hn_table_create(4);
    if (!s || !table) return;
    for (long k = 0; k < hn_study_runs(s); k++) {
      double v[4];
      hn_study_values(s, k, v);
      v[3] = sin(v[0]) + 7 * pow(sin(v[1]), 2) + 0.1 * pow(v[2], 4) * sin(v[0]);
      hn_run_row row = {.k = k, .values = v};
      CHECK(hn_table_add(table, &row) == HN_OK);
    }
    double S[3], T[3];
    CHECK(hn_study_effects(s, table, 0, S, T));
    CHECK(!hn_study_effects(s, table, 1, S, T));
    for (int i = 0; i < 3; i++) {
      CHECK_NEAR(S[i], first[i], 0.02);
      if (design == 0) CHECK_NEAR(T[i], total[i], 0.02);
      if (design == 1) CHECK(isnan(T[i]));
    }
    hn_study_table_destroy(table);
    hn_study_destroy(s);
  }
}

// levels that a random design does not take make no slices of one run each, in which every factor
// would explain everything: y = a alone
static void test_effects_of_levels(void) {
  hn_study *s = study_of("design: {type: monte-carlo, runs: 400}\n"
                         "factors:\n"
                         "  length: {uniform: [1, 2], levels: 3}\n"
                         "  mass: {grid: [1, 2, 100000]}\n"
                         "  g: {place: gravity.1, list: [-10, -9]}\n"
                         "metrics: {y: final(rod.x)}\n");
  hn_study_table *table = hn_table_create(4);
  if (!s || !table) return;
  for (long k = 0; k < hn_study_runs(s); k++) {
    double v[4];
    hn_study_values(s, k, v);
    v[3] = v[0];
    hn_run_row row = {.k = k, .values = v};
    CHECK(hn_table_add(table, &row) == HN_OK);
  }
  double S[3], T[3];
  CHECK(hn_study_effects(s, table, 0, S, T));
  CHECK(S[0] > 0.97 && fabs(S[1]) < 0.1 && fabs(S[2]) < 0.02);
  hn_study_table_destroy(table);
  hn_study_destroy(s);
}

// settings of any length are told whole
static void test_command(void) {
  hn_study *s = study_of(
      "factors: {length: [1, 2]}\n"
      "parameters: {mass: \"0.01+0.01+0.01+0.01+0.01+0.01+0.01+0.01+0.01+0.01+0.01+0.01+0.01+0.01"
      "+0.01+0.01+0.01+0.01+0.01+0.01+0.01+0.01+0.01+0.01+0.01+0.01+0.01+0.01+0.01+7\"}\n");
  char *command = s ? hn_study_command(s, 1) : NULL;
  CHECK(command && strstr(command, "+0.01+7") && strstr(command, " --set length=2"));
  hn_free(command);
  hn_study_destroy(s);
}

// the command on a page is that of hn_study_command: words that a shell would take apart are quoted
static void test_command_of_page(void) {
  hn_study *s = study_of("factors: {length: [1, 2]}\nparameters: {mass: 2 + 5}\n");
  hn_study_table *table = s ? hn_table_create(hn_study_columns(s, NULL)) : NULL;
  char *command = s ? hn_study_command(s, 0) : NULL, path[64], message[512] = "", *page = NULL;
  size_t length;
  snprintf(path, sizeof path, "test_study_%ld.html", (long)getpid());
  CHECK(command && strcmp(command, "holon run pendulum --set 'mass=2 + 5' --set length=1") == 0);
  hn_status status = table ? hn_study_page(s, table, path, message, sizeof message) : HN_ERR_MEMORY;
  // a minimal build has no pages
  if (status != HN_ERR_UNSUPPORTED && CHECK(status == HN_OK) &&
      CHECK(hn_load_file(&page, &length, path, message) == HN_OK)) {
    CHECK(strstr(page, "\"head\":\"holon run pendulum --set 'mass=2 + 5'\"") != NULL);
    CHECK(strstr(page, "\"factors\":[[\"--set\",\"length=\"]]") != NULL);
  }
  remove(path);
  free(page);
  hn_free(command);
  hn_study_table_destroy(table);
  hn_study_destroy(s);
}

// A part whose process ended before it had written anything is no hindrance to the others
static void test_empty_part(void) {
  char store[64], part[96], message[512] = "";
  snprintf(store, sizeof store, "test_study_%ld.db", (long)getpid());
  hn_study *s = study_of("factors: {length: [1, 2]}\nmetrics: {x: final(rod.x)}\n");
  hn_study_options options = {.store = store, .shard = 0, .shards = 2};
  hn_status status = s ? hn_study_run(s, &options, NULL, message, sizeof message) : HN_ERR_MEMORY;
  snprintf(part, sizeof part, "%s.part.1-of-2", store);
  if (status != HN_ERR_UNSUPPORTED && CHECK(status == HN_OK)) {
    FILE *file = fopen(part, "wb");
    if (file) fclose(file);
    hn_store_info info;
    if (!CHECK(hn_store_merge(store, message, sizeof message) == HN_OK)) printf("%s\n", message);
    CHECK(hn_store_status(store, &info, message, sizeof message) == HN_OK);
    CHECK(info.rows == 1 && info.parts == 0);
  }
  remove(store), remove(part);
  snprintf(part, sizeof part, "%s.part.0-of-2", store);
  remove(part);
  hn_study_destroy(s);
}

long syscall(long number, ...);  // no part of POSIX

// what a process does that ends between the two steps by which another takes its lock
static const char *let_go_of;
int flock(int file, int operation) {
  if (let_go_of) unlink(let_go_of);
  let_go_of = NULL;
  return (int)syscall(SYS_flock, file, operation);
}

// a lock that was let go of while it was taken is taken anew: nobody else gets it besides
static void test_one_writer(void) {
  char store[64], lock[80], message[512] = "";
  hn_store *one = NULL, *two = NULL;
  snprintf(store, sizeof store, "test_study_%ld.db", (long)getpid());
  snprintf(lock, sizeof lock, "%s.lock", store);
  hn_study *s = study_of("factors: {length: [1, 2]}\nmetrics: {x: final(rod.x)}\n");
  hn_study_options options = {.store = store};
  let_go_of = lock;
  hn_status status = s ? hn_store_open(&one, s, &options, message) : HN_ERR_MEMORY;
  let_go_of = NULL;
  if (status != HN_ERR_UNSUPPORTED && CHECK(status == HN_OK)) {
    options.resume = true;
    CHECK(hn_store_open(&two, s, &options, message) == HN_ERR_FILE);
    CHECK(strstr(message, "another process is writing to it") != NULL);
    hn_store_close(one);
    CHECK(hn_store_open(&two, s, &options, message) == HN_OK);
    one = NULL;
  }
  hn_store_close(one), hn_store_close(two);
  remove(store);
  hn_study_destroy(s);
}

// more factors than a fractional design may have are nothing to the others
static void test_many_factors(void) {
  char text[4096] = "design: {type: monte-carlo, runs: 3}\nfactors:\n";
  for (int i = 0; i < 40; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "  f%d: {place: bodies.rod.frames.F%d.0, uniform: [0, 1]}\n", i, i);
  char model[4096];
  snprintf(model, sizeof model, "%s", pendulum);
  char *at = strstr(model, "O: [-length/2, 0]}");
  CHECK(at != NULL);
  char tail[512];
  snprintf(tail, sizeof tail, "%s", at);
  *at = 0;
  for (int i = 0; i < 40; i++)
    snprintf(model + strlen(model), sizeof model - strlen(model), "F%d: [0, 0], ", i);
  snprintf(model + strlen(model), sizeof model - strlen(model), "%s", tail);
  char message[512] = "";
  hn_study *s = NULL;
  if (!CHECK(hn_study_parse(&s, text, strlen(text), "study", model, "model", message,
                            sizeof message) == HN_OK))
    printf("%s\n", message);
  if (s) CHECK(hn_study_runs(s) == 3 && hn_study_columns(s, NULL) == 40);
  hn_study_destroy(s);
}

static bool stop_at_once(void *user, const hn_study_progress *p) {
  (void)user, (void)p;
  return false;
}

// a study that is stopped says so and keeps what it has
static void test_stopped(void) {
  hn_study *s = study_of("design: {type: monte-carlo, runs: 1000000}\n"
                         "factors: {length: {normal: [1, 0.1]}}\n"
                         "metrics: {x: final(rod.x)}\n");
  hn_study_table *table = NULL;
  hn_study_row row;
  char message[512];
  if (!s) return;
  hn_study_options o = {.jobs = 2, .progress = stop_at_once};
  CHECK(hn_study_run(s, &o, &table, message, sizeof message) == HN_ERR_INTERRUPTED);
  CHECK(table && hn_study_table_rows(table) < 1000000);
  for (long i = 0; hn_study_table_row(table, i, &row); i++) CHECK(isfinite(row.values[1]));
  hn_study_table_destroy(table);
  hn_study_destroy(s);
}

// every row is looked at, once and when it is there: a condition that holds in one row alone ends
// the run in that row
static void test_condition(void) {
  hn_study *s = study_of("factors: {length: [0.05, 0.1, 0.15, 0.2, 0.25]}\n"
                         "stop: t > length - 0.01 && t < length + 0.01\n"
                         "metrics: {end: final(t)}\n");
  hn_study_table *table = NULL;
  hn_study_row row;
  char message[512];
  if (!s) return;
  if (!CHECK(hn_study_run(s, NULL, &table, message, sizeof message) == HN_OK))
    printf("  %s\n", message);
  long rows = 0;
  for (; hn_study_table_row(table, rows, &row); rows++) {
    CHECK(row.status == HN_ROW_STOPPED);
    CHECK_NEAR(row.values[1], row.values[0], 1e-12);
  }
  CHECK(rows == 5);
  hn_study_table_destroy(table);
  hn_study_destroy(s);
}

// what cannot be a study is refused with its place and a reason
static void test_refused(void) {
#define RANDOM "design: {type: monte-carlo, runs: 4}\n"
#define LENGTH "factors: {length: {uniform: [1, 2]}}\n"
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"", ""},
      {"[1, 2]\n", ""},
      {"factors: 3\n", "must be"},
      {"factors: {length: 3}\n", "must say how it varies"},
      {"factors: {length: {}}\n", "does not say how it varies"},
      {"factors: {length: {uniform: [1, 2], list: [1]}}\n", "varies in one way"},
      {"factors: {length: {uniform: [1]}}\n", "must be a list of 2 numbers"},
      {"factors: {length: {uniform: 1}}\n", "must be a list of 2 numbers"},
      {RANDOM "factors: {length: {uniform: [2, 1]}}\n", "from the smaller to the larger"},
      {RANDOM "factors: {length: {normal: [1, -1]}}\n", "spread must be positive"},
      {RANDOM "factors: {length: {log: [-1, 1]}}\n", "positive numbers"},
      {"factors: {length: {log_grid: [-1, 1, 3]}}\n", "between positive numbers"},
      {"factors: {length: {grid: [1, 2, 0]}}\n", ""},
      {"factors: {length: {list: 3}}\n", "must be a list of values"},
      {"factors: {length: []}\n", ""},
      {"factors: {length: {list: [1, 2], levels: 3}}\n", "its own number of levels"},
      {"factors: {x: {list: [1], parameter: length, option: rtol}}\n", "sets one thing"},
      {"factors: {x: {list: [1], option: nothing}}\n", "nothing"},
      {"factors: {x: {list: [native], option: code}}\n", "machine code"},
      {"factors: {x: {list: [1], place: bodies.rood.mass}}\n", "no 'bodies.rood'"},
      {"factors: {x: {list: [1], place: bodies.rod.position}}\n", "no single value"},
      {"factors: {x: {list: [1], place: bodies.rod}}\n", "no single value"},
      {"factors: {x: {list: [1], place: bodies.rod.position.y}}\n", "items of a list"},
      {"factors: {x: {list: [1], place: bodies.rod.position.-1}}\n", "no 'bodies.rod.position"},
      {"factors: {x: {list: [1], place: bodies.rod.position.0x1}}\n", "no 'bodies.rod.position"},
      {"factors: {length: [1, 2], x: {list: [1, 2], parameter: length}}\n", "as factor 'length'"},
      {"factors: {length: [1, 2]}\nparameters: {length: 3}\n", "factor 'length' sets it"},
      {"factors: {lenght: [1, 2]}\n", "lenght"},
      {"factors: {'a b': [1, 2]}\n", "bad name"},
      {"factors: {run: [1, 2]}\n", "reserved"},
      {"factors: {length: {uniform: [1, 2], unit: [3]}}\n", "must be a word"},
      {"factors: {length: [1, two]}\n", ""},
      {"design: 3\n" LENGTH, ""},
      {"design: {type: 3}\n" LENGTH, ""},
      {"design: {type: montecarlo, runs: 3}\n" LENGTH, "monte-carlo"},
      {"design: {type: monte-carlo}\n" LENGTH, "needs 'runs"},
      {"design: {type: monte-carlo, runs: 0}\n" LENGTH, "whole number"},
      {"design: {type: monte-carlo, runs: 1.5}\n" LENGTH, "whole number"},
      {"design: {type: monte-carlo, runs: 3, seed: -1}\n" LENGTH, "whole number"},
      {"design: {type: full, runs: 3}\nfactors: {length: [1, 2]}\n", "follow from the factors"},
      {"design: {type: sobol, runs: 4, scramble: maybe}\n" LENGTH, "on or off"},
      {"design: {type: full}\n" LENGTH, ""},
      {"design: {type: list}\nfactors: {length: [1, 2], mass: [1, 2, 3]}\n", ""},
      {"design: {type: fractional, generators: [mass]}\nfactors: {length: [1, 2]}\n",
       "generators are a map"},
      {"design: {type: fractional, generators: {mass: 3*}}\nfactors: {length: [1, 2], mass: [1, "
       "2]}\n",
       ""},
      {"design: {type: full, generators: {mass: length}}\nfactors: {length: [1, 2], mass: [1, "
       "2]}\n",
       "only a 'fractional' design"},
      {"design: {type: fractional, generators: {mass: length*length}}\n"
       "factors: {length: [1, 2], mass: [1, 2]}\n",
       "stands twice"},
      {"design: {type: fractional, generators: {mass: '-'}}\n"
       "factors: {length: [1, 2], mass: [1, 2]}\n",
       "a generator is a product"},
      {"design: {type: fractional, generators: {mas: length}}\nfactors: {length: [1, 2], mass: [1, "
       "2]}\n",
       ""},
      {RANDOM LENGTH "correlations: [[length, mass, 0.5]]\n", ""},
      {RANDOM LENGTH "correlations: [[length, length, 2]]\n", "between -1 and 1"},
      {RANDOM "factors: {length: {uniform: [1, 2]}, mass: {uniform: [1, 2]}}\n"
              "correlations: [[length, mass, 0.5], [mass, length, 0.2]]\n",
       "the correlation of 'mass' and 'length' stands twice"},
      {RANDOM LENGTH "correlations: [length]\n", "[factor, factor, correlation]"},
      {LENGTH "correlations: []\nmetrics: {x: final(rod.x)}\n", ""},
      {RANDOM LENGTH "metrics: {x: final(rod.w)}\n", "rod.w"},
      {RANDOM LENGTH "metrics: {x: final(rod.x, 2)}\n", ""},
      {RANDOM LENGTH "metrics: {x: rod.x}\n", "rod.x"},
      {RANDOM LENGTH "metrics: {x: ''}\n", ""},
      {RANDOM LENGTH "metrics: {x: {unit: m}}\n", "needs a formula"},
      {RANDOM LENGTH "metrics: {length: final(rod.x)}\n", "taken"},
      {RANDOM LENGTH "metrics: {'1x': final(rod.x)}\n", "bad name"},
      {RANDOM LENGTH "metrics: {x: final(rod.x)}\nconstraints: {c: x}\n", "is a comparison"},
      {RANDOM LENGTH "metrics: {x: final(rod.x)}\nconstraints: {x: x < 1}\n", "taken"},
      {RANDOM LENGTH "metrics: {x: final(rod.x)}\nconstraints: {c: 0 <= x <= 1}\n",
       "one comparison"},
      {RANDOM LENGTH "metrics: {x: final(rod.x)}\nkeep: some\n", ""},
      {RANDOM LENGTH "metrics: {x: final(rod.x)}\nkeep: {every: 0}\n", ""},
      {RANDOM LENGTH "metrics: {x: final(rod.x)}\nkeep: [3, 4]\n", "from 0 to 3"},
      {RANDOM LENGTH "options: {rtol: -1}\n", "rtol"},
      {RANDOM LENGTH "options: {code: native}\n", "machine code"},
      {RANDOM LENGTH "options: {nothing: 1}\n", "nothing"},
      {RANDOM LENGTH "nothing: 1\n", "nothing"},
      {RANDOM "factors: {length: {uniform: [-2, -1]}}\n", ""},
      {"factors: {length: [1, 2]\n", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char message[512] = "";
    hn_study *study = NULL;
    hn_status status = hn_study_parse(&study, cases[i].text, strlen(cases[i].text), "study",
                                      pendulum, "pendulum", message, sizeof message);
    if (!CHECK(status != HN_OK && !study && message[0]) ||
        !CHECK(strstr(message, cases[i].says) != NULL))
      printf("  %zu: %s", i, cases[i].text), printf("  said: %s\n", message);
    hn_study_destroy(study);
  }
}

int main(void) {
  RUN(test_refused);
  RUN(jumps);
  RUN(test_philox);
  RUN(test_permutation);
  RUN(test_quantile);
  RUN(test_sobol);
  RUN(test_full);
  RUN(test_fractional);
  RUN(test_latin);
  RUN(test_monte_carlo);
  RUN(test_saltelli);
  RUN(test_metrics);
  RUN(test_underlined);
  RUN(test_metric_units);
  RUN(test_never);
  RUN(test_rows);
  RUN(test_effects);
  RUN(test_effects_of_levels);
  RUN(test_command);
  RUN(test_command_of_page);
  RUN(test_empty_part);
  RUN(test_one_writer);
  RUN(test_many_factors);
  RUN(test_stopped);
  RUN(test_condition);
  return test_end();
}
