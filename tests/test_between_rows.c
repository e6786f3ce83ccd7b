// test_between_rows.c: kinematics and inverse dynamics see what happens between recorded rows, and
// cost no more than linear in the bodies.
#include "analysis_rig.h"
#include "expr/expr.h"
#include "linalg/saddle.h"

#include <stdarg.h>

static unsigned long long case_seed;
static void new_case(int k) {
  test_seed = case_seed = 0x9e3779b97f4a7c15ull * (unsigned long long)(k + 1);
}

// ---- bounds of formulas ----------------------------------------------------------------------

static hn_node resolve(void *user, hn_graph *graph, const char *name, size_t length) {
  (void)user;
  return length == 1 && *name == 't' ? hn_graph_input(graph, 0) : -1;
}

// values at random times lie within the bounds, and where no decision is open they change little
static void formulas_stay_in_bounds(void) {
  static const char *const text[] = {"t",
                                     "-t^2",
                                     "t^3 - 2*t",
                                     "1/t",
                                     "1/(t - 0.3)",
                                     "(t - 0.3)^-2",
                                     "sin(3*t)",
                                     "cos(t)^2",
                                     "tan(t)",
                                     "asin(t/4)",
                                     "acos(t/4)",
                                     "atan(5*t)",
                                     "atan2(t, 1 - t)",
                                     "sinh(t)",
                                     "cosh(t)",
                                     "tanh(9*t)",
                                     "exp(-t^2)",
                                     "log(t + 4)",
                                     "log10(t + 4)",
                                     "sqrt(t + 3)",
                                     "abs(t - 0.2)",
                                     "sign(t)",
                                     "min(t, 1 - t)",
                                     "max(sin(t), t)",
                                     "hypot(t, 1)",
                                     "floor(3*t)",
                                     "ceil(2*t)",
                                     "mod(t, 0.7)",
                                     "mod(t, -0.7)",
                                     "step(t - 0.4)",
                                     "if(t < 0.3, t, 2)",
                                     "if(t <= 0 || t > 1, 0, t)",
                                     "if(t > 0 && t < 1, 5, t)",
                                     "if(!(t == 2), t, 1)",
                                     "(t + 3.1)^1.5",
                                     "2^t",
                                     "if(t != 1, t, 0)",
                                     "smoothstep(t, 0.1, -1, 0.4, 2)",
                                     "exp(-((t - 0.5)/0.01)^2)",
                                     "t*(1 - t)*sin(8*t)"};
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    hn_graph *g = hn_graph_create();
    hn_expr_error error;
    hn_node f[2];
    f[0] = hn_graph_parse(g, text[i], strlen(text[i]), resolve, NULL, &error);
    if (!CHECK(f[0] >= 0)) printf("%s: %s\n", text[i], error.message);
    f[1] = hn_graph_derivative(g, f[0], 0);
    hn_program *p = hn_program_compile(g, f, 2);
    hn_bounds registers[200], out[2];
    double numbers[200], value[2];
    CHECK(hn_program_registers(p) <= 200);
    for (int k = 0; k < 40; k++) {
      double a = test_random(-3, 3), b = a + pow(10, test_random(-6, 0.5));
      hn_program_bounds(p, &(hn_bounds){a, b}, registers, out);
      bool inside = true;
      for (int j = 0; j <= 40; j++) {
        double t = j < 40 ? test_random(a, b) : a;
        hn_program_run(p, &t, numbers, value);
        for (int d = 0; d < 2; d++)
          if (!isnan(value[d])) {
            double slack = 1e-12 * (1 + fabs(value[d]));
            inside = inside && value[d] >= out[d].low - slack && value[d] <= out[d].high + slack;
          }
      }
      if (!CHECK(inside)) printf("%s on [%.17g, %.17g]\n", text[i], a, b);
    }
    hn_program_destroy(p);
    hn_graph_destroy(g);
  }
}

// ---- narrow motions --------------------------------------------------------------------------

static const double inertia = 1.7;

static bool open_driven(rig *r, char *text, const char *format, ...) {
  char motion[256];
  va_list list;
  va_start(list, format);
  vsnprintf(motion, sizeof motion, format, list);
  va_end(list);
  snprintf(text, 1024,
           "simulation: {duration: 1, output_step: 0.05}\n"
           "bodies: {b: {type: planar, mass: 1, inertia: %.17g}}\n"
           "joints:\n"
           "  j: {type: revolute, b: b}\n"
           "  d: {type: driver, joint_a: j, motion: '%s'}\n",
           inertia, motion);
  return rig_open(r, text);
}

// peaks of steps, bumps and tanh that are from a tenth to a hundred-thousandth of the time, and
// their places: A/w^2 10/sqrt(3), 2 A/w^2, 4 A/(3 sqrt(3) w^2)
static void peaks_are_found(void) {
  for (int i = 0; i < 120; i++) {
    rig r;
    char text[1024];
    new_case(i);
    double w = pow(10, test_random(-5, -1)), A = test_random(-1, 1), c = test_random(0.15, 0.85);
    double peak = 0, at[2] = {c, c};
    bool ok = false;
    switch (i % 3) {
    case 0:
      c -= w / 2;
      ok = open_driven(&r, text, "smoothstep(t, %.17g, 0, %.17g, %.17g)", c, c + w, A);
      peak = A / (w * w) * 10 / sqrt(3);
      at[0] = c + w * (0.5 - sqrt(3) / 6), at[1] = c + w * (0.5 + sqrt(3) / 6);
      break;
    case 1:
      ok = open_driven(&r, text, "%.17g*exp(-((t - %.17g)/%.17g)^2)", A, c, w);
      peak = 2 * A / (w * w);
      break;
    default:
      ok = open_driven(&r, text, "%.17g*tanh((t - %.17g)/%.17g)", A, c, w);
      peak = 4 * A / (3 * sqrt(3) * w * w);
      at[0] = c - w * atanh(1 / sqrt(3)), at[1] = c + w * atanh(1 / sqrt(3));
      break;
    }
    if (!ok) continue;
    hn_inverse_info info;
    hn_result *efforts = NULL;
    int before = test_failed;
    CHECK(!hn_inverse(r.sim, &info, &efforts, NULL));
    CHECK(hn_result_rows(efforts) == 21 && info.seen_through && info.kinks.count == 0);
    CHECK(info.efforts == 1);
    CHECK_REL(fabs(info.effort[0].peak), inertia * fabs(peak), 0, 1e-6);
    double apart =
        fmin(fabs(info.effort[0].peak_time - at[0]), fabs(info.effort[0].peak_time - at[1]));
    CHECK_NEAR(apart, 0, 1e-3 * w);
    hn_result_destroy(efforts);
    rig_close(&r);
    if (rig_open(&r, text)) {
      hn_kinematics_info moved;
      hn_result *motion = NULL;
      CHECK(!hn_kinematics(r.sim, &moved, &motion));
      CHECK(hn_result_rows(motion) == 21 && moved.dense == 0);
      CHECK_REL(fabs(moved.fastest), fabs(peak), 0, 1e-6);
      hn_result_destroy(motion);
      rig_close(&r);
    }
    if (test_failed > before) printf("seed %llx:\n%s", case_seed, text);
  }
}

// kinks wherever they are, on rows and halves of rows too; jumps end the motion
static void kinks_are_told(void) {
  for (int i = 0; i < 120; i++) {
    rig r;
    char text[1024];
    new_case(i);
    double A = test_random(0.1, 3),
           c = i % 4 ? test_random(0.1, 0.9) : floor(test_random(2, 30)) / 32;
    double jump = A;
    bool ok = false;
    if (i % 8 == 4) c = 0.5;
    switch (i % 5) {
    case 0: ok = open_driven(&r, text, "%.17g*abs(t - %.17g)", A, c), jump = 2 * A; break;
    case 1: ok = open_driven(&r, text, "%.17g*max(0, t - %.17g)", A, c); break;
    case 2:
      ok = open_driven(&r, text, "sin(t) + if(t < %.17g, 0, %.17g*(t - %.17g))", c, A, c);
      break;
    case 3: ok = open_driven(&r, text, "-min(0, %.17g*(t - %.17g))", A, c); break;
    default: ok = open_driven(&r, text, "t^2 + %.17g*step(t - %.17g)", A, c); break;
    }
    if (!ok) continue;
    hn_inverse_info info;
    hn_result *efforts = NULL;
    int before = test_failed;
    hn_status status = hn_inverse(r.sim, &info, &efforts, NULL);
    bool jumps = i % 5 == 4;
    CHECK(status == (jumps ? HN_ERR_SINGULAR : HN_OK));
    if (jumps) CHECK(strstr(hn_sim_error(r.sim), "the motion of driver 'd' jumps by"));
    if (jumps) CHECK(hn_result_rows(efforts) == (int)ceil(c / 0.05 - 1e-9));
    if (CHECK(info.kinks.count == 1)) {
      const hn_kink *k = &info.kinks.kink[0];
      CHECK_NEAR(k->time, c, 1e-14);
      CHECK(k->order == (jumps ? 0 : 1) && strcmp(k->driver, "d") == 0 && k->angular);
      CHECK_REL(k->jump, jump, 0, 1e-7);
      if (!jumps) CHECK(info.effort[0].infinite);
    }
    if (test_failed > before) printf("seed %llx:\n%s%s\n", case_seed, text, hn_sim_error(r.sim));
    hn_result_destroy(efforts);
    rig_close(&r);
  }
}

// what is driven beside something free is seen too: a pulse of a cart with a pendulum on it
static void pulses_beside_free_bodies(void) {
  rig r;
  double w = 0.004;
  char text[1024];
  snprintf(text, sizeof text,
           "simulation: {duration: 1, output_step: 0.1}\n"
           "bodies:\n"
           "  cart: {type: planar, mass: 3, inertia: 1}\n"
           "  free: {type: planar, mass: 1, inertia: 1, position: [5, 0]}\n"
           "joints:\n"
           "  rail: {type: prismatic, b: cart, axis: [1, 0, 0]}\n"
           "  d: {type: driver, joint_a: rail, motion: 'smoothstep(t, 0.51, 0, %g, 0.01)'}\n",
           0.51 + w);
  if (!rig_open(&r, text)) return;
  hn_inverse_info info;
  hn_result *efforts = NULL;
  CHECK(!hn_inverse(r.sim, &info, &efforts, NULL));
  CHECK_REL(fabs(info.effort[0].peak), 3 * 0.01 / (w * w) * 10 / sqrt(3), 0, 1e-6);
  hn_result_destroy(efforts);
  rig_close(&r);
}

// ---- cost ------------------------------------------------------------------------------------

// posts in a row, each two joined by a beam: loops of uneven height, one driver
static char *ladder(int posts) {
  size_t size = 700 * (size_t)posts + 1000, used = 0;
  char *text = malloc(size);
  if (!text) return NULL;
#define ADD(...) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__)
  ADD("gravity: [0, -9.81]\nsimulation: {duration: 0.05, output_step: 0.01}\noutputs: [energy.*]\n"
      "bodies:\n");
  for (int i = 0; i < posts; i++) {
    double h = 1 + 0.01 * (i % 7), g = 1 + 0.01 * ((i + 1) % 7), L = hypot(1, g - h);
    ADD("  p%d: {type: planar, mass: 1, inertia: 0.1, position: [%d, %.17g], frames: {l: [0, "
        "%.17g],"
        " r: [0, %.17g]}}\n",
        i, i, h / 2, -h / 2, h / 2);
    if (i + 1 < posts)
      ADD("  b%d: {type: planar, mass: 1, inertia: 0.1, position: [%.17g, %.17g], angle: %.17g,"
          " frames: {l: [%.17g, 0], r: [%.17g, 0]}}\n",
          i, i + 0.5, (h + g) / 2, atan2(g - h, 1), -L / 2, L / 2);
  }
  ADD("ground: {frames: {");
  for (int i = 0; i < posts; i++) ADD("%sg%d: [%d, 0]", i ? ", " : "", i, i);
  ADD("}}\njoints:\n");
  for (int i = 0; i < posts; i++) {
    ADD("  g%d: {type: revolute, a: ground.g%d, b: p%d.l}\n", i, i, i);
    if (i + 1 < posts)
      ADD("  l%d: {type: revolute, a: p%d.r, b: b%d.l}\n  r%d: {type: revolute, a: p%d.r, b: "
          "b%d.r}\n",
          i, i, i, i, i + 1, i);
  }
  ADD("  d: {type: driver, joint_a: g0, motion: '0.1*(1 - cos(3*t))'}\n");
#undef ADD
  return text;
}

// factorisations a row do not grow with the bodies, and the cost of each is linear in them
static void cost_is_linear(void) {
  static const int posts[] = {6, 16, 50, 160, 500};
  double first = 0;
  for (size_t i = 0; i < sizeof posts / sizeof *posts; i++) {
    rig r;
    char *text = ladder(posts[i]);
    if (!CHECK(text != NULL)) return;
    if (rig_open(&r, text)) {
      hn_kinematics_info info;
      hn_result *motion = NULL;
      CHECK(!hn_kinematics(r.sim, &info, &motion));
      CHECK(info.rows == 6 && info.dense == 0 && info.position < 1e-11);
      double each = (double)info.factorisations / info.rows;
      double flops = (double)hn_saddle_plan_flops(r.system->plan) / (2 * posts[i] - 1);
      if (!CHECK(each < 30)) printf("%d posts: %g factorisations a row\n", posts[i], each);
      if (i == 1) first = flops;
      if (i > 1 && !CHECK(flops < 1.2 * first))
        printf("%d posts: %g operations for each body, not %g\n", posts[i], flops, first);
      hn_result_destroy(motion);
      rig_close(&r);
    }
    free(text);
  }
}

int main(void) {
  RUN(formulas_stay_in_bounds);
  RUN(peaks_are_found);
  RUN(kinks_are_told);
  RUN(pulses_beside_free_bodies);
  RUN(cost_is_linear);
  return test_end();
}
