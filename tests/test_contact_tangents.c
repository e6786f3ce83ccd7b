// test_contact_tangents.c: contacts that yield, of every law, on every surface, with friction:
// tangents against differences, books of energy, third law (force_rig.h).
#include "forces/contact_law.h"

#include "force_rig.h"
#include "system/measure.h"

// surface "block": b is one, before a plane
static void tangents_of(const char *law, const char *surface, bool inside, int kind_a, int kind_b) {
  rig r;
  rig_open(&r, kind_a, kind_b);
  hn_force_def def = {.type = "contact", .law = law, .surface = surface};
  const hn_contact_law *row = hn_contact_law_find(law);
  def.stiffness = 20, def.coulomb = 0.4, def.speed = 0.5, def.radius = 0.3, def.impact_speed = 0.4;
  def.inside = inside;
  def.radius_a = inside ? 0.5 : 2, def.length = !strcmp(surface, "capsule");
  // deep inside a box the nearest face changes
  if (!strcmp(surface, "box")) def.radius = 1.2;
  v3_set(def.size, 0.3, 0.2, 0.25);
  if (row->factor) def.restitution = 0.6;
  if (row->dashpot)
    def.damping = 3;
  else
    def.exponent = 2;  // smooth to its end, as differences need it
  if (!strcmp(surface, "block")) {
    def.surface = surface = "plane", def.radius = 0.1;
    def.length = 0.9, def.width = r.flat ? 0 : 0.7, def.height = 0.8;
  }
  bool flat = r.flat, across = !strcmp(surface, "plane") || !strcmp(surface, "capsule");
  if (!flat) v3_set(def.axis, 0.3, -0.5, 0.8);
  if (flat && across) v3_set(def.axis, 0.6, 0.8, 0);
  near(&r, A, 0.2, 0.1, -0.1, def.at);
  near(&r, B, -0.1, 0.2, 0.3, def.at_b);
  if (rig_force(&r, def)) {
    if (r.sys->memories) r.work.memory[0] = 0.9;
    int before = test_failed;
    check_states(&r, INTERNAL, 0.3);
    if (test_failed > before) printf("  law '%s', surface '%s'\n", law, surface);
  }
  rig_close(&r);
}

static void tangents(void) {
  static const char *const surface[] = {"plane", "sphere", "cylinder", "capsule", "box"};
  const hn_contact_law *law;
  // random numbers go on from where no state lies on the edge of a surface, where second
  // derivatives jump
  (void)test_random(0, 1);
  for (int i = 0; (law = hn_contact_law_at(i)); i++)
    for (int k = 0; k < 5; k++) {
      tangents_of(law->name, surface[k], false, HN_SPATIAL, HN_SPATIAL);
      tangents_of(law->name, surface[k], false, HN_PLANAR, HN_PLANAR);
      tangents_of(law->name, surface[k], k == 1, GROUND, HN_SPATIAL);
    }
  tangents_of("flores", "block", false, HN_SPATIAL, HN_SPATIAL);
  tangents_of("kelvin-voigt", "block", false, GROUND, HN_SPATIAL);
  tangents_of("flores", "block", false, HN_PLANAR, HN_PLANAR);
  tangents_of("flores", "sphere", true, HN_SPATIAL, HN_POINT);
  tangents_of("flores", "cylinder", true, HN_PLANAR, HN_PLANAR_POINT);
}

// Wheels look another way as they turn: on what is flat, round, and neither
static void wheels(void) {
  static const char *const surface[] = {"plane", "sphere", "capsule", "terrain"};
  static const double line[5] = {-8, -3, 0, 4, 8};
  double height[25];
  for (int i = 0; i < 25; i++) {
    double u = line[i % 5], v = line[i / 5];
    height[i] = 0.3 * sin(0.5 * u) * cos(0.4 * v) + 0.05 * u;
  }
  for (int k = 0; k < 12; k++) {
    rig r;
    rig_open(&r, k % 3 ? HN_SPATIAL : GROUND, HN_SPATIAL);
    hn_force_def def = {.type = "contact", .law = "kelvin-voigt", .surface = surface[k / 3]};
    def.stiffness = 20, def.damping = 3, def.coulomb = 0.4, def.speed = 0.5;
    def.radius = 0.6, def.rim = 0.9, def.radius_a = 2;
    def.length = !strcmp(surface[k / 3], "capsule");
    if (k >= 9)
      def.grid_x = def.grid_y = line, def.grid_x_count = def.grid_y_count = 5, def.heights = height,
      def.height_count = 25, def.radius_a = 0;
    v3_set(def.axis_b, 0.5, 0.6, -0.3);
    if (k < 9) v3_set(def.axis, 0.3, -0.5, 0.8);
    near(&r, A, 0.2, 0.1, -0.1, def.at);
    near(&r, B, -0.1, 0.2, 0.3, def.at_b);
    int before = test_failed;
    if (rig_force(&r, def)) check_states(&r, INTERNAL, 0.3);
    if (test_failed > before) printf("  wheel %d on a %s\n", k, surface[k / 3]);
    rig_close(&r);
  }
}

// What rolls in the plane along a line or a circle has a slip with an integral (hn_slip_rolled).
// The middle of the disc goes along by the angle, or way, f, both bodies turning as they like: it
// is the way over the surface less that over the disc, and its rate the slip's
static void rolled(void) {
  static const char *const joint[] = {
      "axis: [0, 1, 0], radius: 0.3",
      "surface: sphere, radius_a: 0.8, radius: 0.3",
      "surface: sphere, radius_a: 0.8, radius: 0.3, inside: true",
  };
  static const double from[] = {0.3, 1.1, 0.5}, sign[] = {1, 1, -1};
  for (int k = 0; k < 3; k++) {
    char text[600];
    const double x = k ? from[k] : 0.2, y = k ? 0 : from[k];
    snprintf(text, sizeof text,
             "bodies:\n  a: {type: planar, mass: 1, inertia: 1}\n"
             "  b: {type: planar, mass: 1, inertia: 1, position: [%g, %g]}\n"
             "joints:\n  on: {type: contact, a: a, b: b, at: [0, 0], at_b: [%g, %g], %s}\n"
             "forces:\n  rub: {type: friction, joint: on, law: coulomb, coulomb: 0.3}\n",
             x, y, x, y, joint[k]);
    hn_model *model = hn_model_create();
    hn_system *sys = NULL;
    snprintf(hn_model_options(model)->coordinates, 32, "reference");
    if (!CHECK(!hn_model_parse(model, text, strlen(text), "test") && !hn_compile(&sys, model))) {
      printf("  %s\n", hn_model_error(model));
      hn_model_destroy(model);
      continue;
    }
    const hn_measure *m = sys->measure;
    while (m->type != HN_M_SLIP) m++;
    hn_arena arena = {0};
    hn_work work = {0};
    for (int pass = 0; pass < 2; pass++) {
      hn_work_layout(&work, &arena, sys);
      if (!pass && !CHECK(hn_arena_allocate(&arena))) return;
    }
    CHECK(hn_slip_rolls(m));
    double place[3], value[3], worst = 0, step = 1e-5, start = 0;
    for (int n = -1; n < 40; n++) {
      hn_mval slip = {0};
      double wanted = 0;
      for (int side = -1; side <= 1; side++) {
        // all of it is smooth in t; n = -1 is where it came to rest
        double t = n < 0 ? 0 : 0.05 * n + side * step;
        double f = 0.9 * sin(1.3 * t), df = 0.9 * 1.3 * cos(1.3 * t);
        double turn = 0.7 * t + 0.2 * sin(t), da = 0.7 + 0.2 * cos(t), spin = sin(2 * t),
               db = 2 * cos(2 * t);
        double r[2] = {k ? from[k] * cos(f) : x + f, k ? from[k] * sin(f) : y};
        double dr[2] = {k ? -r[1] * df : df, k ? r[0] * df : 0}, C = cos(turn), S = sin(turn);
        double px = C * r[0] - S * r[1], py = S * r[0] + C * r[1];
        double q[6] = {0.3 * t, -t * t, turn, 0.3 * t + px, -t * t + py, spin};
        double v[6] = {0.3, -2 * t, da};
        v[3] = 0.3 + C * dr[0] - S * dr[1] - da * py,
        v[4] = -2 * t + S * dr[0] + C * dr[1] + da * px;
        v[5] = db;
        hn_eval_motion(&work, 0, q, v);
        const hn_kin *a = &work.kin[m->a], *b = &work.kin[m->b];
        if (n < 0) hn_slip_place(m, a, b, place), start = spin - turn;
        value[side + 1] = hn_slip_rolled(m, a, b, place, spin - turn - start);
        if (side) continue;
        hn_eval_measure(m, &work, &slip, 1);
        // forward is x over the line, and round the circle against the clock
        wanted = (k ? from[k] * f : f) + (k ? -0.3 * sign[k] : 0.3) * (spin - turn - start);
      }
      if (n < 0) continue;
      CHECK_NEAR(fabs(value[1]), fabs(wanted), 1e-12);
      worst = fmax(worst, fabs((value[2] - value[0]) / (2 * step) - slip.rate));
    }
    printf("  rolled: its rate is the slip's to %.1e\n", worst);
    CHECK(worst < 1e-8);
    free(arena.base);
    hn_system_destroy(sys);
    hn_model_destroy(model);
  }
}

int main(void) {
  RUN(tangents);
  RUN(rolled);
  RUN(wheels);
  return test_end();
}
