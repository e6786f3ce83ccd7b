// test_oil_film.c: the oil in a journal bearing.
//
//   forces     against quadrature of the pressure, cut where it is below zero
//   tangents   against differences, at random states, also where the film is at its thinnest
//   tangent_in_the_middle  the same where the journal is centred
//   steady     a loaded journal finds the place that Ocvirk's formulas say
//   refused    what is no short bearing
#include "force_rig.h"

#include <holon/holon.h>

static const double pi = 3.14159265358979323846;

// viscosity 0.05, radius 0.3, length 0.25, clearance 0.02
static hn_force_def film(double clearance) {
  return (hn_force_def){
      .type = "oil-film", .viscosity = 0.05, .radius = 0.3, .length = 0.25, .clearance = clearance};
}

// F = - integral of p n R dp dz over the bearing, angles counted from x: the film is
// c - e.n(angle), and Reynolds' equation for it 6 viscosity (w h_angle + 2 h_t) at rest
static void by_quadrature(double c, const double e[2], const double v[2], double w, double F[2]) {
  const int n = 200000;
  const double mu = 0.05, R = 0.3, L = 0.25, width = L * L * L / 6;
  F[0] = F[1] = 0;
  for (int i = 0; i < n; i++) {
    double a = 2 * pi * (i + 0.5) / n, x = cos(a), y = sin(a);
    double h = c - e[0] * x - e[1] * y, along = e[0] * y - e[1] * x, rate = -v[0] * x - v[1] * y;
    double p = -3 * mu * (w * along + 2 * rate) / (h * h * h) * width;
    if (p < 0) continue;
    F[0] -= p * x * R * 2 * pi / n, F[1] -= p * y * R * 2 * pi / n;
  }
}

static void forces(void) {
  double worst = 0;
  for (int k = 0; k < 12; k++) {
    rig r = {.model = hn_model_create(), .kind = {GROUND, HN_PLANAR}, .count = 1, .flat = true};
    r.a = HN_GROUND;
    r.b = hn_add_body(
        r.model, &(hn_body_def){.name = "b", .kind = HN_PLANAR, .mass = 1, .inertia = {0, 0, 1}});
    const double c = 0.02, part = k < 10 ? 0.09 * k : 0.985, a = 0.7 * k, w = k % 3 ? 9 : 0;
    double e[2] = {part * c * cos(a), part * c * sin(a)}, F[2];
    if (rig_force(&r, film(c))) {
      memcpy(r.q, r.sys->q0, (size_t)r.sys->nq * sizeof(double));
      r.q[0] += e[0], r.q[1] += e[1];
      double v[2] = {k % 2 ? 0.01 : 0, k % 4 ? -0.02 : 0};
      r.v[0] = v[0], r.v[1] = v[1], r.v[2] = w;
      rig_eval(&r, 0);
      by_quadrature(c, e, v, w, F);
      double size = hypot(F[0], F[1]) + 1e-9;
      for (int i = 0; i < 2; i++) worst = fmax(worst, fabs(r.work.f[i] - F[i]) / size);
      for (int i = 0; i < 2; i++) CHECK_NEAR(column_value(&r, 3 + i), r.work.f[i], 1e-12 * size);
      CHECK_NEAR(column_value(&r, 2), c * (1 - part), 1e-15);
      double torque = -2 * pi * 0.05 * 0.027 * 0.25 * w / (c * sqrt(1 - part * part));
      CHECK_NEAR(column_value(&r, 5), torque, 1e-9 + 1e-9 * fabs(torque));
    }
    rig_close(&r);
  }
  printf("  forces against quadrature: %.1e\n", worst);
  CHECK(worst < 1e-7);
}

static void tangents(void) {
  static const int kinds[][2] = {
      {GROUND, HN_PLANAR}, {HN_PLANAR, HN_PLANAR}, {GROUND, HN_SPATIAL}, {HN_SPATIAL, HN_SPATIAL}};
  for (int i = 0; i < 4; i++)
    for (int thin = 0; thin < 2; thin++) {
      rig r;
      rig_open(&r, kinds[i][0], kinds[i][1]);
      hn_force_def def = film(thin ? 0.02 : 1.5);
      if (!r.flat) v3_set(def.axis, 0.2, -0.4, 0.7);
      near(&r, 1, 0, 0, 0, def.at);
      if (rig_force(&r, def)) check_states(&r, INTERNAL, 0.3);
      rig_close(&r);
    }
}

// In the middle of the bearing, where the direction to the journal is any: a displacement along x
// makes a force along y, one along y a force along -x.
static void tangent_in_the_middle(void) {
  static const int kinds[][2] = {{GROUND, HN_PLANAR}, {HN_SPATIAL, HN_SPATIAL}};
  for (int i = 0; i < 2; i++)
    for (int moving = 0; moving < 2; moving++) {
      rig r;
      rig_open(&r, kinds[i][0], kinds[i][1]);
      hn_force_def def = film(1.5);
      near(&r, 1, 0, 0, 0, def.at);
      if (rig_force(&r, def)) {
        memcpy(r.q, r.sys->q0, (size_t)r.sys->nq * sizeof(double));
        // turning about the axis, or any motion
        int last = r.flat ? 2 : 5, v0 = r.sys->body[r.b.id].v0;
        r.v[v0 + last] = 7;
        for (int k = 0; moving && k < r.sys->nv; k++) r.v[k] = test_random(-1, 1);
        check_tangent(&r, 0);
      }
      rig_close(&r);
    }
}

// A journal of weight W at the speed w comes to rest at x with
//   W = u w x sqrt(16 x^2 + pi^2 (1 - x^2)) / (2 (1 - x^2)^2),  tan(attitude) = pi sqrt(1 - x^2) /
//   4x
static void steady(void) {
  static const char text[] = "gravity: [0, -9.81]\n"
                             "bodies:\n"
                             "  shaft: {type: planar, mass: 20, inertia: 0.05}\n"
                             "joints:\n"
                             "  spin: {type: driver, b: shaft, coordinate: angle, motion: 200*t}\n"
                             "forces:\n"
                             "  oil: {type: oil-film, b: shaft, at: [0, 0], clearance: 1e-4, "
                             "radius: 20 mm, length: 20 mm, "
                             "viscosity: 0.04}\n";
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  char why[300] = "";
  hn_status status = hn_model_parse(model, text, strlen(text), "test");
  hn_options_set(hn_model_options(model), "rtol", "1e-9", why, sizeof why);
  if (!status) status = hn_compile(&sys, model);
  if (!status) status = hn_sim_create(&sim, sys, hn_model_options(model), why, sizeof why);
  if (CHECK(!status) && CHECK(!hn_advance(sim, 1.5))) {
    double x = hn_positions(sim)[0] / 1e-4, y = hn_positions(sim)[1] / 1e-4, e = hypot(x, y);
    double u = 0.04 * 0.02 * 8e-6 / 2e-8, q = 1 - e * e;
    double W = u * 200 * e * sqrt(16 * e * e + pi * pi * q) / (2 * q * q);
    printf("  steady at %.6f of the clearance, %.3f degrees beside the load\n", e,
           atan2(x, -y) * 180 / pi);
    CHECK_NEAR(W, 20 * 9.81, 1e-5);
    CHECK_NEAR(tan(atan2(x, -y)), pi * sqrt(q) / (4 * e), 1e-7);
  } else {
    printf("  %s %s %s\n", why, hn_model_error(model), sim ? hn_sim_error(sim) : "");
  }
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(model);
}

static void refused(const char *force, const char *body, const char *says) {
  char text[600];
  snprintf(text, sizeof text,
           "bodies:\n  b: {%s, mass: 1}\nforces:\n  oil: {type: oil-film, b: b, clearance: 1e-4, "
           "viscosity: 0.1, %s}\n",
           body, force);
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  hn_status status = hn_model_parse(model, text, strlen(text), "test");
  if (!status) status = hn_compile(&sys, model);
  if (!CHECK(status && strstr(hn_model_error(model), says)))
    printf("  %s\n", hn_model_error(model));
  hn_system_destroy(sys);
  hn_model_destroy(model);
}

static void refusals(void) {
  refused("radius: 0.01, length: 0.05", "type: planar, inertia: 1", "short bearing");
  refused("radius: 0.01, length: 0.01, least_film: 1.5", "type: planar, inertia: 1", "below 1");
  refused("radius: 0.01, length: 0.01, axis: [1, 0, 0]", "type: planar, inertia: 1", "about z");
  refused("radius: 0.01, length: 0.01", "type: point", "point mass");
}

int main(void) {
  RUN(forces);
  RUN(tangents);
  RUN(tangent_in_the_middle);
  RUN(steady);
  RUN(refusals);
  return test_end();
}
