// test_choice.c: what a first look shows: by names, units and sizes, never residuals or round-off.
#include "test.h"

#include <holon/holon.h>
#include <math.h>
#include <string.h>

enum { ROWS = 101 };

typedef struct heading {
  const char *name, *unit;
  double size;   // of a sine
  double slope;  // and of a straight line; energies begin at 4
} heading;

static hn_result *make(int count, const heading *h) {
  hn_result *r = hn_result_create("made", count + 1);
  CHECK(r && !hn_result_set_column(r, 0, "time", "s"));
  for (int i = 0; i < count; i++) hn_result_set_column(r, i + 1, h[i].name, h[i].unit);
  for (int k = 0; k < ROWS; k++) {
    double *row = hn_result_append(r), t = 0.1 * k;
    row[0] = t;
    for (int i = 0; i < count; i++) {
      bool energy = strncmp(h[i].name, "energy.", 7) == 0 && strcmp(h[i].name, "energy.balance");
      row[i + 1] = h[i].size * sin(t + i) + h[i].slope * t + (energy ? 4 : 0);
    }
  }
  return r;
}

// is the column in the chart of that title?
static bool shown(const hn_result *r, const hn_curves *c, int count, const char *title,
                  const char *name) {
  for (int i = 0; i < count; i++)
    for (int k = 0; k < c[i].count; k++)
      if (strcmp(hn_result_name(r, c[i].column[k]), name) == 0 &&
          (!title || strcmp(c[i].title, title) == 0))
        return true;
  return false;
}

static void test_interest(void) {
  static const heading h[] = {{"hinge.angle", "rad", 0.4, 0},
                              {"hinge.angle_rate", "rad/s", 0.4, 0},
                              {"stuck.angle", "rad", 1e-14, 0},
                              {"stuck.angle_rate", "rad/s", 1e-14, 0},
                              {"shaft.angle", "rad", 0, 50},
                              {"shaft.angle_rate", "rad/s", 1, 0},
                              {"slide.translation", "m", 0.1, 0},
                              {"slide.translation_rate", "m/s", 0.1, 0},
                              {"drive.lambda_motion", "N m", 5, 0},
                              {"drive.fx", "N", 900, 0},
                              {"hinge.fx", "N", 100, 0},
                              {"hinge.fy", "N", 50, 0},
                              {"slide.fy", "N", 80, 0},
                              {"weak.fy", "N", 1e-3, 0},
                              {"noise.fz", "N", 1e-12, 0},
                              {"residual.position", "", 1e-9, 0},
                              {"energy.kinetic", "J", 3, 0},
                              {"energy.potential", "J", 2, 0},
                              {"energy.balance", "J", 1e-12, 0}};
  hn_result *r = make(sizeof h / sizeof *h, h);
  hn_curves c[HN_CHARTS];
  int n = hn_result_choose(r, c);
  CHECK(shown(r, c, n, "motion", "hinge.angle"));
  CHECK(shown(r, c, n, "motion", "slide.translation"));
  CHECK(shown(r, c, n, "speeds of shafts", "shaft.angle_rate"));
  CHECK(shown(r, c, n, "what drives it", "drive.lambda_motion"));
  CHECK(shown(r, c, n, "largest forces", "hinge.fx") &&
        shown(r, c, n, "largest forces", "slide.fy"));
  CHECK(shown(r, c, n, "energies", "energy.kinetic"));
  // one curve for each joint, nothing that is flat beside the others, no round-off, no residual
  static const char *const never[] = {"shaft.angle",       "stuck.angle",   "hinge.fy",
                                      "weak.fy",           "noise.fz",      "drive.fx",
                                      "residual.position", "energy.balance"};
  for (size_t i = 0; i < sizeof never / sizeof *never; i++) CHECK(!shown(r, c, n, NULL, never[i]));
  for (int i = 0; i < n; i++)
    for (int k = 0; k < c[i].count; k++)
      CHECK(strcmp(hn_result_unit(r, c[i].column[k]), c[i].unit) == 0);
  // no chart draws what another has
  for (int i = 0; i < n; i++)
    for (int k = 0; k < c[i].count; k++)
      for (int m = i + 1; m < n; m++)
        for (int q = 0; q < c[m].count; q++) CHECK(c[i].column[k] != c[m].column[q]);
  hn_result_destroy(r);
}

// two turns one way are those of a shaft, and would make flat lines of angles beside them; as many
// there and back are a motion
static void test_shafts(void) {
  static const heading h[] = {
      {"crank.angle", "rad", 0, 1.25},     {"crank.angle_rate", "rad/s", 1, 0},
      {"uneven.angle", "rad", 0.2, -1.25}, {"uneven.angle_rate", "rad/s", 1, 0},
      {"winch.angle", "rad", 7, 0},        {"winch.angle_rate", "rad/s", 7, 0},
      {"once.angle", "rad", 0, 0.63},      {"once.angle_rate", "rad/s", 0.6, 0}};
  hn_result *r = make(sizeof h / sizeof *h, h);
  hn_curves c[HN_CHARTS];
  int n = hn_result_choose(r, c);
  CHECK(shown(r, c, n, "speeds of shafts", "crank.angle_rate"));
  CHECK(shown(r, c, n, "speeds of shafts", "uneven.angle_rate"));
  CHECK(shown(r, c, n, "motion", "winch.angle") && shown(r, c, n, "motion", "once.angle"));
  CHECK(!shown(r, c, n, NULL, "crank.angle") && !shown(r, c, n, NULL, "uneven.angle"));
  hn_result_destroy(r);
}

// a body in space without joints is shown by where it is and how it turns; energies that stay what
// they are but for errors of the method are not shown
static void test_free_body(void) {
  heading h[] = {
      {"b.x", "m", 0, 2},
      {"b.y", "m", 1e-14, 0},
      {"b.wx", "rad/s", 3, 0},
      {"b.wy", "rad/s", 1e-13, 0},
      {"b.wz", "rad/s", 0.5, 0},
      {"energy.kinetic", "J", 1e-5, 0},
      {"energy.total", "J", 1e-5, 0},
  };
  hn_result *r = make(7, h);
  hn_curves c[HN_CHARTS];
  int n = hn_result_choose(r, c);
  CHECK(n == 2);
  CHECK(shown(r, c, n, "motion", "b.x") && !shown(r, c, n, NULL, "b.y"));
  CHECK(shown(r, c, n, "turning", "b.wx") && shown(r, c, n, "turning", "b.wz"));
  CHECK(!shown(r, c, n, NULL, "b.wy"));
  hn_result_destroy(r);
  // places that are round-off altogether
  h[0].slope = 0, h[0].size = 3e-16;
  r = make(7, h);
  n = hn_result_choose(r, c);
  CHECK(n == 1 && shown(r, c, n, "turning", "b.wx"));
  hn_result_destroy(r);
  h[5].size = 0.1;
  r = make(7, h);
  n = hn_result_choose(r, c);
  CHECK(shown(r, c, n, "energies", "energy.kinetic"));
  CHECK(shown(r, c, n, "energies", "energy.total"));
  hn_result_destroy(r);
}

// where a contact is, or a journal in its bearing, is not looked at first: neither that of a force
// nor that of a joint, which has three coordinates and holds none
static void test_contacts(void) {
  static const heading h[] = {{"ball.x", "m", 2, 0},           {"ball.y", "m", 1, 0},
                              {"plate.x", "m", 0.1, 0},        {"plate.x_rate", "m/s", 0.1, 0},
                              {"plate.y", "m", 0.2, 0},        {"plate.y_rate", "m/s", 0.2, 0},
                              {"plate.fx", "N", 1, 0},         {"point.x", "m", 0.3, 0},
                              {"point.x_rate", "m/s", 0.3, 0}, {"point.y", "m", 0.3, 0},
                              {"point.y_rate", "m/s", 0.3, 0}, {"point.z", "m", 0.3, 0},
                              {"point.z_rate", "m/s", 0.3, 0}, {"floor.x", "m", 2, 0},
                              {"floor.x_rate", "m/s", 2, 0},   {"floor.y", "m", 1, 0},
                              {"floor.y_rate", "m/s", 1, 0},   {"floor.z", "m", 1, 0},
                              {"floor.z_rate", "m/s", 1, 0},   {"floor.fx", "N", 5, 0},
                              {"bearing.x", "m", 1, 0},        {"bearing.y", "m", 1, 0},
                              {"bearing.fx", "N", 3, 0}};
  enum { COUNT = sizeof h / sizeof *h };
  static const char *const never[] = {"floor.x", "floor.y", "floor.z", "bearing.x", "bearing.y"};
  hn_curves c[HN_CHARTS];
  hn_result *r = make(COUNT, h);
  int n = hn_result_choose(r, c);
  // coordinates of a joint that holds z, and of a point given by equations
  CHECK(shown(r, c, n, "motion", "plate.x") && shown(r, c, n, "motion", "plate.y"));
  CHECK(shown(r, c, n, "motion", "point.x") && shown(r, c, n, "motion", "point.z"));
  CHECK(shown(r, c, n, "largest forces", "floor.fx"));
  for (size_t i = 0; i < sizeof never / sizeof *never; i++) CHECK(!shown(r, c, n, NULL, never[i]));
  hn_result_destroy(r);
  // where nothing else is, bodies say where they are
  heading few[COUNT - 11] = {h[0], h[1]};
  memcpy(few + 2, h + 13, (COUNT - 13) * sizeof *h);
  r = make(COUNT - 11, few);
  n = hn_result_choose(r, c);
  CHECK(shown(r, c, n, "motion", "ball.x") && shown(r, c, n, "motion", "ball.y"));
  for (size_t i = 0; i < sizeof never / sizeof *never; i++) CHECK(!shown(r, c, n, NULL, never[i]));
  hn_result_destroy(r);
}

static void test_round_off(void) {
  static const heading h[] = {{"a.fx", "N", 1000, 0},
                              {"b.fx", "N", 1e-9, 0},
                              {"a.x", "m", 1e-9, 0},
                              {"energy.total", "J", 10, 0},
                              {"energy.balance", "J", 1e-12, 0},
                              {"residual.position", "", 1e-15, 0}};
  hn_result *r = make(6, h);
  double zero[7];
  CHECK(hn_result_round_off(r, zero) == HN_OK);
  // 1e-10 of the largest of the unit; the sine reaches its size within a thousandth
  CHECK(fabs(zero[1] / 1e-7 - 1) < 2e-3 && zero[2] == zero[1]);
  CHECK(zero[3] == 1e-14 && zero[4] > 0);  // a place of 1e-9 m is one
  CHECK(zero[5] == 0 && zero[6] == 0 && zero[0] == 0);
  hn_result_destroy(r);
  // torques by what forces do along lengths; multipliers and parts of quaternions among themselves
  static const heading g[] = {
      {"a.fx", "N", 1000, 0},    {"a.x", "m", 20, 0},      {"a.tz", "N m", 1e-12, 0},
      {"a.lambda_x", "", 50, 0}, {"b.lambda_y", "", 1, 0}, {"b.q0", "", 1, 0},
      {"b.q1", "", 1e-16, 0},    {"b.q4", "", 1, 0},       {"throttle", "", 1e-12, 0}};
  double least[10];
  r = make(9, g);
  CHECK(hn_result_round_off(r, least) == HN_OK);
  CHECK(fabs(least[3] / 2e-9 - 1) < 4e-3);
  CHECK(fabs(least[4] / 5e-9 - 1) < 2e-3 && least[5] == least[4]);
  CHECK(fabs(least[6] / 1e-10 - 1) < 2e-3 && least[7] == least[6]);
  CHECK(least[8] == 0 && least[9] == 0);
  hn_result_destroy(r);
}

static void test_little(void) {
  hn_curves c[HN_CHARTS];
  static const heading h[] = {{"anything", "V", 2, 0}};
  hn_result *r = make(1, h);
  CHECK(hn_result_choose(r, c) == 1 && c[0].count == 1 && c[0].column[0] == 1);
  hn_result_destroy(r);
  r = hn_result_create("empty", 1);
  CHECK(hn_result_choose(r, c) == 0);
  hn_result_destroy(r);
  CHECK(hn_result_choose(NULL, c) == 0);
}

int main(void) {
  RUN(test_shafts);
  RUN(test_interest);
  RUN(test_free_body);
  RUN(test_contacts);
  RUN(test_round_off);
  RUN(test_little);
  return test_end();
}
