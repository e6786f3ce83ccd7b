// test_terrain.c: ground given by heights over a grid.
//
//   heights       and derivatives as scipy has them; parabolic ground exactly
//   distance      from the nearest of many points of it; derivatives against differences
//   motions       a point that slides, a ball that rubs: as by scipy (references/terrain.py)
//   files         as the list; what cannot be meant is refused, and who leaves the ground is told
#include "contact_rig.h"
#include "folder.h"

#include "base/vec.h"
#include "system/terrain.h"

#include <stdlib.h>

enum { NX = 21, NY = 17, ROOM = 1 << 15 };
static double X[NX], Y[NY], Z[NX * NY];

// that of references/terrain.py
static void make_hills(void) {
  for (int i = 0; i < NX; i++) X[i] = -2 + 4.0 * i / (NX - 1);
  for (int j = 0; j < NY; j++) Y[j] = -2 + 4.0 * j / (NY - 1);
  for (int j = 0; j < NY; j++)
    for (int i = 0; i < NX; i++)
      Z[j * NX + i] = 0.3 * sin(1.3 * X[i]) * cos(0.9 * Y[j]) + 0.1 * X[i];
}

static double *fitted(int nx, int ny, const double *x, const double *y, const double *z) {
  const hn_grid grid = {nx, ny, x, y, z};
  double *data = malloc(hn_terrain_size(&grid) * sizeof *data);
  if (!data || !CHECK(hn_terrain_fit(&grid, data) == HN_OK)) exit(1);
  return data;
}

// ---- the ground ----------------------------------------------------------------------------

static void heights(void) {
  static const double at[3][2] = {{0.123, -0.456}, {-1.93, 1.91}, {1.7, 0.02}};
  static const double by_scipy[3][3] = {
      {0.05609901666163216, 0.45305895067720686, 0.017147897403384287},
      {-0.1668049450094953, 0.14644871675146645, 0.15791099070911005},
      {0.4107217533210993, -0.13266497423825976, -0.0039128595355451355}};
  double *data = fitted(NX, NY, X, Y, Z);
  for (int k = 0; k < 3; k++) {
    double x = at[k][0], y = at[k][1], h = 1e-5;
    CHECK_NEAR(hn_terrain_height(data, x, y), by_scipy[k][0], 1e-14);
    // on the ground the distance is zero, and the normal is that of the slope
    hn_surface_at s;
    hn_surface_terrain.eval(data, (double[3]){x, y, by_scipy[k][0]}, 1, &s);
    CHECK_NEAR(s.value, 0, 1e-14);
    CHECK_NEAR(-s.gradient[0] / s.gradient[2], by_scipy[k][1], 1e-13);
    CHECK_NEAR(-s.gradient[1] / s.gradient[2], by_scipy[k][2], 1e-13);
    double slope =
        (hn_terrain_height(data, x + h, y) - hn_terrain_height(data, x - h, y)) / (2 * h);
    CHECK_NEAR(slope, by_scipy[k][1], 1e-9);
  }
  free(data);
}

// splines of cubics are these cubics, over whatever grid
static void exact(void) {
  const double x[6] = {-1, -0.2, 0.1, 0.5, 1.1, 2}, y[4] = {0, 0.4, 1.5, 2};
  double z[24];
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 6; i++)
      z[6 * j + i] = 0.1 * x[i] * x[i] * x[i] - 0.2 * x[i] * y[j] + 0.3 * y[j] * y[j];
  double *data = fitted(6, 4, x, y, z);
  for (int k = 0; k < 100; k++) {
    double a = test_random(-1, 2), b = test_random(0, 2);
    CHECK_NEAR(hn_terrain_height(data, a, b), 0.1 * a * a * a - 0.2 * a * b + 0.3 * b * b, 1e-14);
  }
  free(data);
  // two of each: a sheet between four corners; it goes on beyond them
  const double corner[4] = {0, 1, 2, 5}, unit[2] = {0, 1};
  data = fitted(2, 2, unit, unit, corner);
  CHECK_NEAR(hn_terrain_height(data, 0.25, 0.5), 0.25 + 1 + 0.25, 1e-15);
  CHECK_NEAR(hn_terrain_height(data, 2, 3), 2 + 6 + 12, 1e-14);
  CHECK_NEAR(hn_terrain_beyond(data, (double[3]){1.5, 0.5, 0}), 0.5, 1e-15);
  CHECK(hn_terrain_beyond(data, (double[3]){0.5, 0.5, 9}) < 0);
  free(data);
}

// a bowl z = x^2 / (2 r) is as round as r at its bottom
static void hollows(void) {
  double x[11], z[121], where[2];
  for (int i = 0; i < 11; i++) x[i] = 0.2 * i - 1;
  for (int j = 0; j < 11; j++)
    for (int i = 0; i < 11; i++) z[11 * j + i] = x[i] * x[i];
  double *data = fitted(11, 11, x, x, z);
  CHECK_NEAR(hn_terrain_hollow(data, where), 0.5, 3e-3);
  CHECK(fabs(where[0]) < 0.1);
  free(data);
  for (int i = 0; i < 121; i++) z[i] = -z[i];
  data = fitted(11, 11, x, x, z);
  CHECK(hn_terrain_hollow(data, where) > 1e6);  // a ridge has none
  free(data);
}

// ---- distance ------------------------------------------------------------------------------

static double value_at(const double *data, const double p[3]) {
  hn_surface_at s;
  hn_surface_terrain.eval(data, p, 0, &s);
  return s.value;
}

// rough ground, and points high over it, where most of it is about as near
static void nearest(void) {
  double z[NX * NY], above = 0, below = 0;
  for (int i = 0; i < NX * NY; i++) z[i] = test_random(-0.1, 0.1);
  for (int rough = 0; rough < 2; rough++) {
    double *data = fitted(NX, NY, X, Y, rough ? z : Z);
    for (int k = 0; k < 60; k++) {
      double p[3] = {test_random(-1, 1), test_random(-1, 1), test_random(0, rough ? 0.6 : 1)};
      double least = INFINITY, x0 = 0, y0 = 0, step = 0.02;
      p[2] += hn_terrain_height(data, p[0], p[1]);
      // the nearest of a grid, and of a finer one about it
      for (int finer = 0; finer < 3; finer++, step *= 0.05)
        for (int pass = 0, n = finer ? 40 : 100; pass < (2 * n + 1) * (2 * n + 1); pass++) {
          double mx = finer ? x0 : 0, my = finer ? y0 : 0;
          double x = mx + step * (pass / (2 * n + 1) - n), y = my + step * (pass % (2 * n + 1) - n);
          double h = hn_terrain_height(data, x, y) - p[2];
          double far = sqrt((x - p[0]) * (x - p[0]) + (y - p[1]) * (y - p[1]) + h * h);
          if (far < least) least = far, x0 = x, y0 = y;
        }
      // samples are never nearer, and not much farther
      above = fmax(above, value_at(data, p) - least);
      below = fmax(below, least - value_at(data, p));
    }
    free(data);
  }
  printf("  farther than the nearest sample by %.1e m, nearer by %.1e m\n", above, below);
  CHECK(above < 1e-12 && below < 1e-4);
}

static void derivatives(void) {
  double *data = fitted(NX, NY, X, Y, Z), worst[2] = {0, 0};
  const double h = 1e-6;
  for (int k = 0; k < 200; k++) {
    double p[3] = {test_random(-1.8, 1.8), test_random(-1.8, 1.8), test_random(-0.2, 0.5)};
    p[2] += hn_terrain_height(data, p[0], p[1]);
    hn_surface_at s, up, down;
    hn_surface_terrain.eval(data, p, 2, &s);
    for (int i = 0; i < 3; i++) {
      double a[3] = {p[0], p[1], p[2]}, b[3] = {p[0], p[1], p[2]};
      a[i] += h, b[i] -= h;
      hn_surface_terrain.eval(data, a, 1, &up);
      hn_surface_terrain.eval(data, b, 1, &down);
      worst[0] = fmax(worst[0], fabs((up.value - down.value) / (2 * h) - s.gradient[i]));
      for (int j = 0; j < 3; j++) {
        double bend = (up.gradient[j] - down.gradient[j]) / (2 * h);
        worst[1] = fmax(worst[1], fabs(bend - s.hessian[3 * i + j]));
      }
    }
  }
  printf("  gradient %.1e, second derivatives %.1e\n", worst[0], worst[1]);
  CHECK(worst[0] < 1e-8 && worst[1] < 1e-6);
  free(data);
}

// ---- motions -------------------------------------------------------------------------------

static int write_list(char *text, size_t size, const char *key, const double *x, int n) {
  int used = snprintf(text, size, "%s: [", key);
  for (int i = 0; i < n; i++)
    used += snprintf(text + used, size - (size_t)used, "%s%.17g", i ? ", " : "", x[i]);
  return used + snprintf(text + used, size - (size_t)used, "]");
}

// a model over the hills
static void describe(char *text, const char *body, const char *contact) {
  int n = snprintf(text, ROOM, "gravity: [0, 0, -9.81]\nbodies:\n  b: {%s}\n%s, surface: terrain, ",
                   body, contact);
  n += write_list(text + n, (size_t)(ROOM - n), "grid_x", X, NX);
  n += snprintf(text + n, (size_t)(ROOM - n), ", ");
  n += write_list(text + n, (size_t)(ROOM - n), "grid_y", Y, NY);
  n += snprintf(text + n, (size_t)(ROOM - n), ", ");
  n += write_list(text + n, (size_t)(ROOM - n), "heights", Z, NX * NY);
  snprintf(text + n, (size_t)(ROOM - n), "}\n");
}

typedef struct instant {
  double t, place[3], velocity[3], spin[3];
} instant;

static double follow(const char *text, how w, const instant *by_scipy, double *imbalance) {
  rig r = rig_open(text, w);
  double worst = 0;
  for (int k = 0; rig_ready(&r) && k < 3 && rig_go(&r, by_scipy[k].t); k++) {
    hn_pose p;
    CHECK(hn_body_pose(r.sim, (hn_body){1}, &p) == HN_OK);
    for (int i = 0; i < 3; i++) {
      worst = fmax(worst, fabs(p.position[i] - by_scipy[k].place[i]));
      worst = fmax(worst, fabs(p.velocity[i] - by_scipy[k].velocity[i]));
      worst = fmax(worst, fabs(p.angular_velocity[i] - by_scipy[k].spin[i]));
    }
  }
  *imbalance = rig_imbalance(&r);
  printf("  %-24s %-9s off scipy by %.1e, energy %.1e\n", w.method ? w.method : "default",
         w.coordinates ? w.coordinates : "", worst, *imbalance);
  rig_close(&r);
  return worst;
}

static void slides(void) {
  static const char body[] = "type: point, mass: 3, position: [0.2, 0.1, 0.09681154693470337], "
                             "velocity: [1, 0.5, 0.47223386451418525]";
  static const instant by_scipy[3] = {
      {0.4, {0.3058703013873357, 0.30978265759437595, 0.14227012340043949}, {0}, {0}},
      {0.8, {-0.17500023562932926, 0.5486128405116493, -0.07708123083538419}, {0}, {0}},
      {1.2, {-1.246578196162449, 0.7171371393867153, -0.36401269786582213}, {0}, {0}}};
  static const double speed[3][2] = {{-0.4639303336044977, 0.5622876851808809},
                                     {-1.9569082613748545, 0.6010733144875923},
                                     {-3.230947039523275, 0.09541320699450931}};
  static const struct {
    how w;
    double tol;
  } ways[] = {{{NULL, "reference", 0, 1e-11, NULL}, 1e-9},
              {{"integrator rk4", "reference", 1e-3, 0, NULL}, 1e-8},
              {{"integrator index3-alpha", "reference", 5e-4, 0, NULL}, 1e-5}};
  static char text[ROOM];
  instant at[3];
  double *data = fitted(NX, NY, X, Y, Z), h = 1e-5, imbalance;
  for (int k = 0; k < 3; k++) {
    double x = by_scipy[k].place[0], y = by_scipy[k].place[1], u = speed[k][0], v = speed[k][1];
    at[k] = by_scipy[k];
    at[k].velocity[0] = u, at[k].velocity[1] = v;
    at[k].velocity[2] = (hn_terrain_height(data, x + h * u, y + h * v) -
                         hn_terrain_height(data, x - h * u, y - h * v)) /
                        (2 * h);
  }
  free(data);
  describe(text, body, "joints:\n  soil: {type: contact, b: b");
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    CHECK(follow(text, ways[i].w, at, &imbalance) < ways[i].tol);
    CHECK(imbalance < ways[i].tol);
  }
}

static void ball_rubs(void) {
  static const char body[] =
      "type: spatial, mass: 2, inertia: [0.008, 0.008, 0.008], position: [0.2, 0.1, 0.4], "
      "velocity: [0.5, 0.3, 0]";
  static const char contact[] =
      "forces:\n  soil: {type: contact, b: b, at_b: [0.2, 0.1, 0.4], radius: 0.1, law: "
      "kelvin-voigt, stiffness: 1e4, damping: 40, coulomb: 0.4, speed: 0.05";
  static const instant by_scipy[3] = {
      {0.4,
       {0.14334769742964304, 0.20883126091220183, 0.2450038267429414},
       {-0.7590652003960989, 0.25268010289984544, -0.8485819826073366},
       {-2.165478795626008, -2.9932351578802714, -0.9319284831585404}},
      {0.8,
       {-0.3926986268953411, 0.3102372124080807, -0.06838579177605392},
       {-1.8251905212866828, 0.24168420458552672, -1.1240902790509184},
       {-2.28665945969056, -17.954985596935945, -0.9991946468170341}},
      {1.2,
       {-1.3469981797715789, 0.367096116754319, -0.316267766176234},
       {-2.7452688542175743, -0.003510072016094385, -0.09610498032280011},
       {0.041316256082063435, -27.48048410107232, -0.9737074324990752}}};
  static char text[ROOM];
  double imbalance;
  describe(text, body, contact);
  CHECK(follow(text, (how){NULL, "reference", 0, 1e-10, NULL}, by_scipy, &imbalance) < 1e-6);
  CHECK(imbalance < 1e-8);
  CHECK(follow(text, (how){"integrator index3-alpha", "reference", 2e-4, 0, NULL}, by_scipy,
               &imbalance) < 2e-3);
}

// friction that holds keeps it from slipping
static void ball_rolls(void) {
  static const char body[] =
      "type: spatial, mass: 2, inertia: [0.008, 0.008, 0.008], position: [0.15706885905098994, "
      "0.100563724041532, 0.18712544039535112], velocity: [0.5413196367223544, "
      "0.31832443289358087, "
      "0.25533194952793253], angular_velocity: [-4, 6, 1]";
  static const char contact[] =
      "forces:\n  rub: {type: friction, joint: soil, law: coulomb, coulomb: 2}\njoints:\n  soil: "
      "{type: contact, b: b, at_b: [0.15706885905098994, 0.100563724041532, 0.18712544039535112], "
      "radius: 0.1";
  static instant by_scipy[3] = {{0.3,
                                 {0.1986075608953087, 0.1986923592860575, 0.20566442950960712},
                                 {0},
                                 {-4.197445792261493, -2.8896344069764393, 1.0065847799477248}},
                                {0.6,
                                 {-0.0012621132225488219, 0.30354614652661094, 0.11012345638572751},
                                 {0},
                                 {-4.438878066158198, -11.859208707580725, 1.0001985562031372}},
                                {0.9,
                                 {-0.44706283811234404, 0.4086137563536965, -0.09024317985690737},
                                 {0},
                                 {-3.969816789307664, -20.69369058012522, 1.045307352677609}}};
  static const struct {
    how w;
    double tol;
  } ways[] = {{{NULL, "reference", 0, 1e-11, NULL}, 1e-8},
              {{NULL, "relative", 0, 1e-10, NULL}, 1e-7},
              {{"integrator rk4", "reference", 1e-3, 0, NULL}, 1e-7},
              {{"integrator index3-alpha", "reference", 2e-4, 0, NULL}, 1e-4}};
  static char text[ROOM];
  double *data = fitted(NX, NY, X, Y, Z), imbalance;
  for (int k = 0; k < 3; k++) {
    hn_surface_at s;
    const double *w = by_scipy[k].spin;
    hn_surface_terrain.eval(data, by_scipy[k].place, 1, &s);
    CHECK_NEAR(s.value, 0.1, 1e-9);
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, l = (i + 2) % 3;
      by_scipy[k].velocity[i] = 0.1 * (w[j] * s.gradient[l] - w[l] * s.gradient[j]);
    }
  }
  free(data);
  describe(text, body, contact);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    CHECK(follow(text, ways[i].w, by_scipy, &imbalance) < ways[i].tol);
    CHECK(imbalance < ways[i].tol);
  }
}

// on a plane as stops rub; a block that the ground holds does not creep
static void contacts_rub_as_stops(void) {
  static const char start[] =
      "gravity: [0, 0, -9.81]\nbodies:\n  b: {type: spatial, mass: 2, inertia: [0.008, 0.008, "
      "0.008], position: [0, 0, 0.1], velocity: [1, 0.5, 0], angular_velocity: [2, 9, "
      "3]}\nforces:\n"
      "  rub: {type: friction, joint: soil, law: coulomb, coulomb: 0.3}\njoints:\n  soil: {type: ";
  double end[2][6];
  for (int k = 0; k < 2; k++) {
    char text[600];
    snprintf(text, sizeof text, "%s%s, b: b, at_b: [0, 0, 0.1], radius: 0.1, axis: [0, 0, 1]}\n",
             start, k ? "contact" : "stop");
    rig r = rig_open(text, (how){NULL, "reference", 0, 1e-11, NULL});
    if (rig_ready(&r) && rig_go(&r, 1)) memcpy(end[k], hn_velocities(r.sim), sizeof end[k]);
    CHECK(rig_imbalance(&r) < 1e-10);
    rig_close(&r);
  }
  for (int i = 0; i < 6; i++) CHECK_NEAR(end[1][i], end[0][i], 1e-9);
  static char text[ROOM];
  describe(text, "type: point, mass: 2, position: [0.2, 0.1, 0.09681154693470337]",
           "forces:\n  rub: {type: friction, joint: soil, law: coulomb, coulomb: 0.6}\njoints:\n  "
           "soil: {type: contact, b: b");
  rig r = rig_open(text, (how){NULL, NULL, 0, 0, NULL});
  if (rig_ready(&r) && rig_go(&r, 3600)) {
    CHECK_NEAR(hn_positions(r.sim)[0], 0.2, 1e-12);
    CHECK_NEAR(hn_positions(r.sim)[1], 0.1, 1e-12);
    // the steepest slope there
    double lambda = 2 * 9.81 / sqrt(1 + 0.4406 * 0.4406);
    hn_reaction at;
    CHECK(hn_joint_reaction(r.sim, hn_find_joint(r.system, "soil"), &at) == HN_OK);
    CHECK(v3_norm(at.force) < 2 * 9.81 && v3_norm(at.force) > 0.97 * lambda);
  }
  rig_close(&r);
}

// upright, it lands, slips and rolls; turned about, it leans
static void wheel_rolls(void) {
  static const char body[] =
      "type: spatial, mass: 2, inertia: [0.05, 0.05, 0.09], position: [0.2, 0.1, 0.4], velocity: "
      "[-1, 0, 0], orientation: {axis: [1, 0, 0], angle: -90 deg}, angular_velocity: [0, -3, 0.2]";
  static const char contact[] =
      "forces:\n  soil: {type: contact, b: b, at_b: [0.2, 0.1, 0.4], rim: 0.25, radius: 0.05, "
      "axis_b: [0, 1, 0], law: kelvin-voigt, stiffness: 1e4, damping: 40, coulomb: 0.4, speed: "
      "0.05";
  static const instant by_scipy[3] = {
      {0.2,
       {-0.08756351633470165, 0.09975820299542416, 0.4058745550614822},
       {-1.4515645456949573, -0.0011134943501987754, -0.9196455832210311},
       {-0.09595606991606319, -3.154848212158135, 0.12825842446717212}},
      {0.4,
       {-0.4075648839281962, 0.10303748648891307, 0.15213797114977365},
       {-2.148878349216896, 0.07329408877491869, -0.27103313745968394},
       {-0.22827290444046403, -6.494755128833324, -0.07159310663545358}},
      {0.6,
       {-0.8466576182396036, 0.11796640325663396, -0.03923809588433637},
       {-2.545506196743418, 0.09556918896823521, -0.2502592663016833},
       {-0.40046854344906796, -8.257465648583915, 0.04588929531435201}}};
  static char text[ROOM];
  double imbalance;
  describe(text, body, contact);
  CHECK(follow(text, (how){NULL, "reference", 0, 1e-10, NULL}, by_scipy, &imbalance) < 1e-6);
  CHECK(imbalance < 1e-8);
  CHECK(follow(text, (how){"integrator index3-alpha", "reference", 2e-4, 0, NULL}, by_scipy,
               &imbalance) < 5e-3);
}

// A leaning wheel on ground without friction: the gap stays closed, energy is kept, and methods of
// which one needs second derivatives agree
static void wheel_on_rigid_ground(void) {
  static char text[ROOM];
  static const struct {
    how w;
    double tol;
  } ways[] = {{{NULL, "reference", 0, 1e-10, NULL}, 1e-9},
              {{"integrator rk4", "relative", 1e-3, 0, NULL}, 1e-7},
              {{"integrator index3-alpha", "reference", 5e-4, 0, NULL}, 1e-5}};
  double x = NAN, imbalance;
  describe(
      text,
      "type: spatial, mass: 2, inertia: [0.05, 0.05, 0.09], position: [0.2, 0.1, 0.45], "
      "velocity: [-1, 0.2, 0], orientation: {axis: [1, 0, 0], angle: -80 deg}, "
      "angular_velocity: [0.1, -3, 0.2]",
      "joints:\n  soil: {type: contact, b: b, at_b: [0.2, 0.1, 0.45], rim: 0.25, radius: 0.05, "
      "axis_b: [0, sin(80 deg), cos(80 deg)]");
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    rig r = rig_open(text, ways[i].w);
    hn_pose p = {.position = {NAN}};
    if (rig_ready(&r) && rig_go(&r, 0.8)) CHECK(hn_body_pose(r.sim, (hn_body){1}, &p) == HN_OK);
    if (!i) x = p.position[0];
    imbalance = rig_imbalance(&r);
    printf("  %s: at %.9f m, energy %.1e\n", ways[i].w.method ? ways[i].w.method : "default",
           p.position[0], imbalance);
    CHECK(hn_joint_there(r.sim, hn_find_joint(r.system, "soil")));
    CHECK_NEAR(p.position[0], x, 10 * ways[i].tol);
    CHECK(imbalance < ways[i].tol);
    rig_close(&r);
  }
}

// ---- what cannot be meant ------------------------------------------------------------------

static void write_file(const char *name, const char *text) {
  FILE *file = fopen(name, "w");
  if (CHECK(file != NULL)) fputs(text, file), fclose(file);
}

static const char start[] =
    "gravity: [0, 0, -9.81]\nbodies: {b: {type: point, mass: 1, position: [0.5, 0.5, 3]}}\n"
    "joints: {soil: {type: contact, b: b, ";

// tables with commas, semicolons, tabs and blanks are one and the same
static void files(void) {
  static const char *const table[] = {"y\\x, 0, 1, 2\n0, 0, 1, 4\n1, 1, 2, 5\n3, 9, 10, 13\n",
                                      "# hills\n\n;0;1;2\n0;0;1;4\n\n1;1;2;5\n3;9;10;13",
                                      "y\t0\t1\t2\r\n0\t0\t1\t4\r\n1\t1\t2\t5\r\n3\t9\t10\t13\r\n",
                                      "0   0 1 2  \n0 0 1 4\n  1 1 2 5\n3 9 10 13\n"};
  char text[600];
  for (int k = 0; k < 5; k++) {
    if (k < 4) write_file("hills.csv", table[k]);
    snprintf(text, sizeof text, "%ssurface: terrain, %s}}\n", start,
             k < 4 ? "file: hills.csv"
                   : "grid_x: [0, 1, 2], grid_y: [0, 1, 3], heights: [[0, 1, 4], [1, 2, 5], [9, "
                     "10, 13]]");
    rig r = rig_open(text, (how){NULL, NULL, 0, 0, NULL});
    double gap = NAN;
    hn_joint j = hn_find_joint(r.system, "soil");
    if (rig_ready(&r)) CHECK(hn_joint_coordinate(r.sim, j, "z", &gap, NULL) == HN_OK);
    CHECK_NEAR(gap, 3, 1e-15);
    // z = x^2 + y^2: falls until it is on the ground at a half
    if (rig_ready(&r)) CHECK(hn_advance(r.sim, sqrt(2 * 2.4 / 9.81)) == HN_OK);
    CHECK_NEAR(hn_positions(r.sim)[2], 0.6, 1e-9);
    hn_impact hit = {.before = 0};
    if (rig_ready(&r)) CHECK(hn_advance(r.sim, sqrt(2 * 2.5 / 9.81) + 1e-6) == HN_OK);
    CHECK(hn_sim_impact(r.sim, 0, &hit));
    CHECK_NEAR(hit.time, sqrt(2 * 2.5 / 9.81), 1e-9);
    rig_close(&r);
  }
}

static void refusals(void) {
  static const struct {
    const char *keys, *file, *says;
  } cases[] = {
      {"surface: terrain", NULL, "needs a file, or grid_x, grid_y and heights"},
      {"surface: terrain, file: none.csv", NULL, "none.csv"},
      {"surface: terrain, file: h.csv, heights: [1]", "a 0 1\n0 1 1\n1 1 1", "given twice"},
      {"surface: box, size: [1, 1, 1], heights: [1]", NULL, "belongs to a surface of kind terrain"},
      {"file: h.csv", "a 0 1\n0 1 1\n1 1 1", "file belongs to a surface of kind terrain"},
      {"surface: terrain, file: h.csv", "a 0 1\n0 1 1\n", "two of each at least"},
      {"surface: terrain, file: h.csv", "a 0 1\n0 1 1\n1 1\n", "h.csv:3: has not as many numbers"},
      {"surface: terrain, file: h.csv", "a 0 1\n0 1 x\n1 1 1\n", "h.csv:2: no finite number"},
      {"surface: terrain, file: h.csv", "a 0 1\n0 1 nan\n1 1 1\n", "h.csv:2: no finite number"},
      {"surface: terrain, file: h.csv", "a 1 0\n0 1 1\n1 1 1\n", "must ascend: 1 is followed by 0"},
      {"surface: terrain, grid_x: [0, 1], grid_y: [1, 0], heights: [1, 1, 1, 1]", NULL,
       "grid_y must ascend"},
      {"surface: terrain, grid_x: [0, 1], grid_y: [0, 1], heights: [1, 1, 1]", NULL,
       "must have 2 rows (grid_y) of 2 numbers"},
      {"surface: terrain, grid_x: [0, 1], grid_y: [0, 1], heights: [0, 0, 0, 0], inside: true",
       NULL, "nobody is inside of a terrain"},
      {"surface: terrain, radius: 0.7, grid_x: [-1, 0, 1], grid_y: [-1, 0, 1], heights: [[2, 1, "
       "2], "
       "[1, 0, 1], [2, 1, 2]]",
       NULL, "a hollow of the terrain at x = "},
      // it starts, or comes, beyond the border
      {"surface: terrain, grid_x: [0, 0.4], grid_y: [0, 1], heights: [0, 0, 0, 0]", NULL,
       "'soil': x = 0.5, y = 0.5 is beyond the border of its terrain"},
      {"surface: terrain, grid_x: [0, 1], grid_y: [0, 1], heights: [0, 2, 0, 2]", NULL,
       "is beyond the border of its terrain"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[700];
    if (cases[i].file) write_file("h.csv", cases[i].file);
    snprintf(text, sizeof text, "%s%s}}\n", start, cases[i].keys);
    rig r = rig_open(text, (how){NULL, NULL, 0, 0, NULL});
    const char *said = r.message;
    bool refused = r.status != HN_OK;
    if (!refused && hn_advance(r.sim, 3)) refused = true, said = hn_sim_error(r.sim);
    if (!CHECK(refused) || !CHECK(strstr(said, cases[i].says))) printf("  %zu: %s\n", i, said);
    rig_close(&r);
  }
}

static void flat_models(void) {
  static const char text[] =
      "bodies: {b: {type: planar, mass: 1, inertia: 1, position: [0, 3]}}\njoints: {soil: {type: "
      "contact, b: b, at_b: [0, 3], surface: terrain, grid_x: [-1, 1], grid_y: [-1, 1], heights: "
      "[0, 0, 0, 0]}}\n";
  rig r = rig_open(text, (how){NULL, NULL, 0, 0, NULL});
  CHECK(r.status && strstr(r.message, "planar bodies have curves"));
  rig_close(&r);
}

int main(void) {
  make_hills();
  RUN(heights);
  RUN(exact);
  RUN(hollows);
  RUN(nearest);
  RUN(derivatives);
  RUN(slides);
  RUN(ball_rubs);
  RUN(ball_rolls);
  RUN(contacts_rub_as_stops);
  RUN(wheel_rolls);
  RUN(wheel_on_rigid_ground);
  if (!CHECK(test_enter_folder("terrain"))) return test_end();
  RUN(files);
  RUN(refusals);
  RUN(flat_models);
  return test_end();
}
