// test_contact_formulas.c: formulas of contacts that yield, for code written per model: every law
// on every surface with friction, and joints with clearance, give forces, power, potential and
// switching functions of the library, in touch and out of it.
#include "forces/contact_law.h"
#include "formula_rig.h"

static int in_touch, apart;  // states that were looked at

static void look_at(rig *r, const char *law, const char *what) {
  const hn_system *sys = r->sys;
  double value[MOST_SWITCHES];
  bool damped = strcmp(law, "hertz") != 0;
  for (int state = 0; state < 8; state++) {
    random_state(r, 0.3);
    for (int i = 0; i < sys->memories; i++) r->work.memory[i] = test_random(-1, 2);
    double error = formulas_error(r, 0);
    if (!CHECK(error >= 0 && error < 1e-12))
      printf("  law '%s', %s: off by %g\n", law, what, error);
    hn_eval_switches(&r->work, 0, r->q, r->v, value);
    bool touches = false;
    for (int i = 0; i < sys->switches; i += damped ? 2 : 1) touches |= value[i] > 0;
    *(touches ? &in_touch : &apart) += 1;
  }
}

static void restitution_of(hn_force_def *def, const char *law) {
  const hn_contact_law *row = hn_contact_law_find(law);
  def->law = law;
  if (row->factor) def->restitution = 0.6, def->restitution_given = true;
  if (row->dashpot) def->damping = 3;
}

// exponents: Hertz's, straight, any
static void ball(const char *law, const char *surface, bool inside, int kind_a, int kind_b,
                 double exponent) {
  rig r;
  rig_open(&r, kind_a, kind_b);
  hn_force_def def = {.type = "contact", .surface = surface};
  restitution_of(&def, law);
  def.stiffness = 20, def.coulomb = 0.4, def.speed = 0.5, def.radius = 0.3, def.impact_speed = 0.4;
  def.inside = inside;
  def.radius_a = inside ? 0.5 : 2, def.length = !strcmp(surface, "capsule");
  if (!strcmp(surface, "box")) def.radius = 1.2;
  v3_set(def.size, 0.3, 0.2, 0.25);
  if (!hn_contact_law_find(law)->dashpot) def.exponent = exponent;
  bool flat = r.flat, across = !strcmp(surface, "plane") || !strcmp(surface, "capsule");
  if (!flat) v3_set(def.axis, 0.3, -0.5, 0.8);
  if (flat && across) v3_set(def.axis, 0.6, 0.8, 0);
  near(&r, A, 0.2, 0.1, -0.1, def.at);
  near(&r, B, -0.1, 0.2, 0.3, def.at_b);
  if (rig_force(&r, def)) look_at(&r, law, surface);
  rig_close(&r);
}

static void surfaces(void) {
  static const char *const surface[] = {"plane", "sphere", "cylinder", "capsule", "box"};
  static const double exponent[] = {1.5, 1, 2.2};
  const hn_contact_law *law;
  for (int i = 0; (law = hn_contact_law_at(i)); i++)
    for (int k = 0; k < 5; k++) {
      double n = exponent[(i + k) % 3];
      ball(law->name, surface[k], false, HN_SPATIAL, HN_SPATIAL, n);
      ball(law->name, surface[k], false, HN_PLANAR, HN_PLANAR, n);
      ball(law->name, surface[k], k == 1, GROUND, HN_SPATIAL, n);
    }
  ball("flores", "sphere", true, HN_SPATIAL, HN_POINT, 1.5);
  ball("flores", "cylinder", true, HN_PLANAR, HN_PLANAR_POINT, 1.5);
}

// deep in a box, where the nearest face decides
static void in_a_box(void) {
  rig r;
  rig_open(&r, HN_SPATIAL, HN_SPATIAL);
  hn_force_def def = {.type = "contact", .surface = "box", .stiffness = 20, .radius = 0.1};
  v3_set(def.size, 4, 5, 4.5);
  near(&r, A, 0.2, 0.1, -0.1, def.at);
  near(&r, B, -0.1, 0.2, 0.3, def.at_b);
  if (rig_force(&r, def)) look_at(&r, "hertz", "inside a box");
  rig_close(&r);
}

// of the material the bore's law has a series for shallow and a closed form for deep places
static void clearance(void) {
  static const char *const type[] = {"clearance-revolute", "clearance-spherical",
                                     "clearance-cylindrical", "clearance-prismatic"};
  static const double play[] = {0.05, 0.9, 30};
  const hn_contact_law *law;
  for (int i = 0; (law = hn_contact_law_at(i)); i++)
    for (int k = 0; k < 4; k++)
      for (int flat = 0; flat < 2; flat++) {
        rig r;
        if (flat && k == 2) continue;
        rig_open(&r, flat ? HN_PLANAR : HN_SPATIAL, flat ? HN_PLANAR : HN_SPATIAL);
        hn_force_def def = {.type = type[k], .coulomb = 0.3, .speed = 0.4, .impact_speed = 0.1};
        restitution_of(&def, law->name);
        def.clearance = play[i % 3];
        if (k != 3) def.radius = 0.2;
        if (k != 1) def.length = 0.5;
        if (k == 3) def.height = 0.3;
        if (k == 3) def.width = 0.4;
        if (k == 3 || law->dashpot || i % 2) {
          def.stiffness = 20;
        } else {
          def.young[0] = 200, def.young[1] = 100;
          def.poisson[0] = def.poisson[1] = 0.3;
        }
        near(&r, A, 0.2, 0.1, -0.1, def.at);
        if (flat && k == 3) v3_set(def.axis, 0.6, 0.8, 0);
        if (rig_force(&r, def)) look_at(&r, law->name, type[k]);
        rig_close(&r);
      }
}

int main(void) {
  RUN(surfaces);
  RUN(in_a_box);
  RUN(clearance);
  printf("%d states in touch, %d apart\n", in_touch, apart);
  CHECK(in_touch > 300 && apart > 300);
  return test_end();
}
