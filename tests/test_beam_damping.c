// test_beam_damping.c: vibrations of beams that die away.
//
//   ratios      at the frequencies named, those named, by the modes; closed form at the others
//   decrement   the maxima of a free vibration fall as the closed form says
//   halves      more elements are damped the same
//   refusals    ratios that no damping by mass and stiffness has
#include "beam_rig.h"

static const double pi = 3.14159265358979323846;

#define CANTILEVER                                                                                 \
  "beams:\n  arm: {type: planar, from: [0, 0], to: [1, 0], elements: %d, velocity: [0, %s],"       \
  " stiffness: [2000, 2000, 1, 1, 1, 1], mass: [1, 1, 1, 1, 1, 1e-6], %s}\n"                       \
  "joints:\n  clamp: {type: fixed, b: arm.start}\nsimulation: {duration: 100, rtol: 1e-8}\n"

// angular frequency and ratio of the slowest vibrations
static int vibrations(int elements, const char *damping, double w[2], double z[2]) {
  rig r;
  hn_linear *linear = NULL;
  hn_modes *modes = NULL;
  int found = 0;
  w[0] = w[1] = INFINITY;
  if (!rig_open_format(&r, CANTILEVER, elements, "0", damping)) return 0;
  if (CHECK(!hn_linearise(r.sim, &linear)) && CHECK(!hn_modes_create(&modes, linear)))
    for (int i = 0; i < modes->count; i++) {
      double own = hypot(modes->mode[i].re, modes->mode[i].im), ratio = -modes->mode[i].re / own;
      if (!(modes->mode[i].im > 0)) continue;
      int at = own < w[0] ? 0 : own < w[1] ? 1 : 2;
      if (at == 0) w[1] = w[0], z[1] = z[0];
      if (at < 2) w[at] = own, z[at] = ratio, found++;
    }
  hn_modes_destroy(modes);
  hn_linear_destroy(linear);
  rig_close(&r);
  return found;
}

static void test_ratios(void) {
  double w[2], z[2];
  char text[200];
  if (vibrations(8, "damping: 0", w, z) < 2) return;
  // both named; rotations of nodes are not braked, which takes next to nothing from it
  for (int elements = 8; elements < 17; elements *= 2) {
    double w1[2], z1[2];
    snprintf(text, sizeof text, "damping_ratios: [[%.17g, 0.02], [%.17g, 0.05]]", w[0] / (2 * pi),
             w[1] / (2 * pi));
    if (vibrations(elements, text, w1, z1) < 2) return;
    printf("damping_ratios, %d elements: %.6f and %.6f of 0.02 and 0.05\n", elements, z1[0], z1[1]);
    CHECK_REL(z1[0], 0.02, 0.02, 3e-3);
    CHECK_REL(z1[1], 0.05, 0.05, 3e-3);
  }
}

// the largest deflection in [from, to], by a parabola through the largest and its neighbours
static double peak(rig *r, double from, double to) {
  double h = (to - from) / 100, y[3] = {0}, most = -INFINITY;
  for (int i = 0; i <= 100; i++) {
    double x[3];
    if (!advance(r, from + i * h)) return NAN;
    position(r, "arm.end", x);
    y[0] = y[1], y[1] = y[2], y[2] = x[1];
    double bent = 2 * y[1] - y[0] - y[2], slope = y[2] - y[0];
    if (i > 1 && y[1] >= y[0] && y[1] >= y[2]) most = y[1] + slope * slope / (8 * bent);
  }
  return most;
}

static void test_decrement(void) {
  rig r;
  double w[2], z[2];
  char text[200];
  if (vibrations(4, "damping: 0", w, z) < 2) return;
  snprintf(text, sizeof text, "damping_ratios: [[%.17g, 0.02], [%.17g, 0.1]]", w[0] / (2 * pi),
           w[1] / (2 * pi));
  if (!open(&r, "index3-alpha", 2e-3, CANTILEVER, 4, "1e-3", text)) return;
  // the others have gone after four periods
  double period = 2 * pi / (w[0] * sqrt(1 - 0.02 * 0.02));
  double first = peak(&r, 4 * period, 5 * period), last = peak(&r, 9 * period, 10 * period);
  double decrement = log(first / last) / 5, exact = 2 * pi * 0.02 / sqrt(1 - 0.02 * 0.02);
  printf("logarithmic decrement %.6f, closed form %.6f\n", decrement, exact);
  CHECK_REL(decrement, exact, exact, 5e-3);
  rig_close(&r);
}

static void test_refusals(void) {
  static const char *const bad[][2] = {
      {"damping_ratios: [[1, 0.01], [2, 0.03]]", "by no larger factor than the frequencies, 2"},
      {"damping_ratios: [[1, 0.03], [2, 0.01]]", "by no larger factor than the frequencies, 2"},
      {"damping_ratios: [[1, 0.01], [2, 0.01], [3, 0.01]]", "has two pairs"},
      {"damping_ratios: [[0, 0.01], [1, 0.01]]", "frequencies must be positive"},
      {"damping_ratios: [[1, -0.01], [2, 0.01]]", "must not be negative"},
      {"damping_ratios: [[2, 0.01], [1, 0.01]]", "must ascend"},
      {"damping: 1, damping_ratios: [[1, 0.01], [2, 0.01]]", "exclude each other"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    hn_model *model = hn_model_create();
    char text[1000];
    snprintf(text, sizeof text, CANTILEVER, 2, "0", bad[i][0]);
    CHECK(hn_model_parse(model, text, strlen(text), "test") == HN_ERR_MODEL);
    if (!CHECK(strstr(hn_model_error(model), bad[i][1]))) printf("  %s\n", hn_model_error(model));
    hn_model_destroy(model);
  }
  // the limits themselves are met: by stiffness alone, by mass alone
  double w[2], z[2];
  CHECK(vibrations(4, "damping_ratios: [[0.5, 0.01], [1, 0.02]]", w, z) == 2);
  CHECK_REL(z[0], 0.01 * w[0] / pi, z[0], 1e-5);
  CHECK(vibrations(4, "damping_ratios: [[0.5, 0.02], [1, 0.01]]", w, z) == 2);
  CHECK_REL(z[0], 0.02 * pi / w[0], z[0], 3e-3);
}

int main(void) {
  RUN(test_ratios);
  RUN(test_decrement);
  RUN(test_refusals);
  return test_end();
}
