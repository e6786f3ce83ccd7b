// test_contact_tangents.c: contacts that yield, of every law, on every surface, with friction:
// tangents against differences, books of energy, third law (force_rig.h).
#include "forces/contact_law.h"

#include "force_rig.h"

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

int main(void) {
  RUN(tangents);
  RUN(wheels);
  return test_end();
}
