// test_event_steppers.c: implicit steppers end their steps where forces switch, and keep order 2.
//
// A mass that falls on a damped stop (forces jump, no constraints) and a rod whose ends slide on
// two walls under a torque that jumps (two constraints) are known in closed form; the Iltis has
// events of several kinds and an independent solution.
#include "bounce_rig.h"
#include "reference.h"

// ---- the bouncing mass ---------------------------------------------------------------------

static double run_bouncer(const char *integrator, const char *coordinates, double step,
                          bool events) {
  const double damping = 8;
  rig r = bouncer(integrator, 400, damping);
  double worst = 0;
  hn_options *o = hn_model_options(r.model);
  snprintf(o->coordinates, sizeof o->coordinates, "%s", coordinates);
  snprintf(r.options.coordinates, sizeof r.options.coordinates, "%s", coordinates);
  r.options.step = step;
  snprintf(r.options.events, sizeof r.options.events, events ? "on" : "off");
  snprintf(r.options.correction, sizeof r.options.correction, "none");
  if (rig_start(&r)) {
    for (int i = 1; i <= 16; i++) {
      if (!CHECK(hn_advance(r.sim, 0.125 * i) == HN_OK)) printf("  %s\n", hn_sim_error(r.sim));
      worst = fmax(worst, bouncer_error(r.sim, 400, damping));
    }
    double u, v;
    int count;
    exact(400, damping, 2, &u, &v, &count);
    CHECK(rig_events(&r) == (events ? count : 0));
  }
  rig_destroy(&r);
  return worst;
}

static const struct stepper {
  const char *name, *coordinates;
  int order;
} steppers[] = {
    {"index3-newmark", "reference", 1},     {"index3-trapezoidal", "reference", 2},
    {"index3-hht", "reference", 2},         {"index3-alpha", "reference", 2},
    {"index2-newmark", "reference", 1},     {"index2-trapezoidal", "reference", 2},
    {"index2-hht", "reference", 2},         {"index2-alpha", "reference", 2},
    {"index1-alpha", "reference", 2},       {"tangent-space", "reference", 2},
    {"implicit-partition", "reference", 2}, {"coordinate-split", "reference", 2},
    {"maggi-perturbation", "reference", 2}, {"augmented-index3", "reference", 2},
    {"augmented-combined", "reference", 2}, {"uk-newmark", "reference", 2},
    {"energy-momentum", "natural", 2},      {"energy-decaying", "natural", 2},
    {"discrete-null-space", "natural", 2},
};
enum { STEPPERS = sizeof steppers / sizeof *steppers };

static void mass_on_stop(void) {
  for (int i = 0; i < STEPPERS; i++) {
    const struct stepper *s = &steppers[i];
    double with[3], without[3];
    for (int k = 0; k < 3; k++) {
      double h = 2e-3 * pow(0.5, k);
      with[k] = run_bouncer(s->name, s->coordinates, h, true);
      without[k] = run_bouncer(s->name, s->coordinates, h, false);
    }
    double p = log2(with[0] / with[2]) / 2, q = log2(without[0] / without[2]) / 2;
    printf("  %-18s with events %.1e %.1e %.1e order %.2f, without %.1e %.1e %.1e order %.2f\n",
           s->name, with[0], with[1], with[2], p, without[0], without[1], without[2], q);
    CHECK(p > s->order - 0.25);
    if (s->order == 2) CHECK(without[2] > 4 * with[2]);
  }
}

// under error control, every instant is met by the end of a step
static void adaptive(void) {
  static const char *const names[] = {"index3-alpha", "index3-trapezoidal", "index2-hht",
                                      "index1-alpha"};
  for (int i = 0; i < 4; i++) {
    rig r = bouncer(names[i], 400, 8);
    r.options.rtol = 1e-5;
    snprintf(r.options.correction, sizeof r.options.correction, "none");
    double instants[64];
    bounce b = {.k = 400, .c = 8, .u = -0.5};
    bounce_to(&b, 2, instants);
    if (rig_start(&r)) {
      int found = 0;
      while (r.sim->state.t < 2 && CHECK(hn_step(r.sim) == HN_OK))
        if (rig_events(&r) > found && found < b.events)
          CHECK_NEAR(r.sim->state.t, instants[found++], 1e-4);
      CHECK(found == b.events);
    }
    rig_destroy(&r);
  }
}

// ---- a rod between two walls ---------------------------------------------------------------

// The centre of the rod is at a (cos x, sin x), its angle -x; the ends slide along the axes of the
// plane. (m a^2 + I) x'' is the torque -(c + k x) for x > 0 and c - k x for x < 0.
static const double rod_mass = 2, rod_half = 0.6, rod_inertia = 0.5, jump = 6, slope = 9;
static const double rod_start = 0.4, rod_end = 3;

typedef struct swing {
  double x, rate, acceleration;
  int events;
} swing;

static swing rod_exact(double t) {
  double J = rod_mass * rod_half * rod_half + rod_inertia, w = sqrt(slope / J), c = jump / slope;
  // about -c on the positive side: x + c = R cos(w t) until x = 0, by symmetry four times a period
  double R = rod_start + c, quarter = acos(c / R) / w;
  int quarters = (int)floor(t / quarter), part = quarters % 4;
  double s = t - quarters * quarter, back = part % 2 ? quarter - s : s;
  double x = R * cos(w * back) - c, rate = -w * R * sin(w * back), a = -w * w * (x + c);
  double side = part == 1 || part == 2 ? -1 : 1, sense = part % 2 ? -1 : 1;
  return (swing){side * x, side * sense * rate, side * a, (quarters + 1) / 2};
}

// errors of angle, rate and reactions, relative to their largest values
static void run_rod(const char *integrator, double step, bool events, double error[3]) {
  rig r = {.model = hn_model_create(), .options = hn_options_default()};
  double x0 = rod_start, a = rod_half, ca = cos(x0), sa = sin(x0);
  hn_model_set_gravity(r.model, 0, 0, 0);
  hn_body rod = hn_add_body(r.model, &(hn_body_def){.name = "rod",
                                                    .kind = HN_PLANAR,
                                                    .mass = rod_mass,
                                                    .inertia = {0, 0, rod_inertia},
                                                    .position = {a * ca, a * sa, 0},
                                                    .angle = -x0});
  hn_joint floor = hn_add_joint(r.model, &(hn_joint_def){.name = "floor",
                                                         .type = "point-on-line",
                                                         .b = {.body = rod},
                                                         .at = {2 * a * ca, 0, 0},
                                                         .axis = {1, 0, 0}});
  hn_joint wall = hn_add_joint(r.model, &(hn_joint_def){.name = "wall",
                                                        .type = "point-on-line",
                                                        .b = {.body = rod},
                                                        .at = {0, 2 * a * sa, 0},
                                                        .axis = {0, 1, 0}});
  add_force(&r, (hn_force_def){.name = "torque",
                               .type = "torsion-spring",
                               .b = {.body = rod},
                               .law = "if(angle < 0.4, -6, 6) + 9*(angle - 0.4)"});
  snprintf(r.options.integrator, sizeof r.options.integrator, "%s", integrator);
  snprintf(r.options.correction, sizeof r.options.correction, "none");
  snprintf(r.options.events, sizeof r.options.events, events ? "on" : "off");
  r.options.step = step;
  double worst[3] = {0}, size[3] = {0};
  if (rig_start(&r)) {
    for (int i = 1; i <= 30; i++) {
      hn_status status = hn_advance(r.sim, 0.1 * i);
      // a jump may leave a step across it without a solution
      if (status && !events) worst[0] = worst[1] = worst[2] = INFINITY;
      if (status && !events) break;
      if (!CHECK(status == HN_OK)) printf("  %s\n", hn_sim_error(r.sim));
      swing s = rod_exact(0.1 * i);
      hn_reaction below, beside;
      CHECK(hn_joint_reaction(r.sim, floor, &below) == HN_OK &&
            hn_joint_reaction(r.sim, wall, &beside) == HN_OK);
      double cs = cos(s.x), sn = sin(s.x), square = s.rate * s.rate;
      double fx = -rod_mass * a * (cs * square + sn * s.acceleration);
      double fy = rod_mass * a * (cs * s.acceleration - sn * square);
      worst[0] = fmax(worst[0], fabs(-r.sim->state.y[2] - s.x));
      worst[1] = fmax(worst[1], fabs(-r.sim->state.y[5] - s.rate));
      worst[2] = fmax(worst[2], hypot(beside.force[0] - fx, below.force[1] - fy));
      size[0] = fmax(size[0], fabs(s.x)), size[1] = fmax(size[1], fabs(s.rate));
      size[2] = fmax(size[2], hypot(fx, fy));
    }
    CHECK(rig_events(&r) == (events ? rod_exact(rod_end).events : 0));
  }
  for (int k = 0; k < 3; k++) error[k] = worst[k] / fmax(size[k], 1e-300);
  rig_destroy(&r);
}

static void rod_between_walls(void) {
  for (int i = 0; i < STEPPERS; i++) {
    const struct stepper *s = &steppers[i];
    if (strcmp(s->coordinates, "natural") == 0) continue;
    double with[3][3], without[3][3];
    for (int k = 0; k < 3; k++) {
      run_rod(s->name, 5e-3 * pow(0.5, k), true, with[k]);
      run_rod(s->name, 5e-3 * pow(0.5, k), false, without[k]);
    }
    printf("  %-18s", s->name);
    for (int f = 0; f < 3; f++) {
      double p = log2(with[0][f] / with[2][f]) / 2, q = log2(without[0][f] / without[2][f]) / 2;
      printf("  %.1e %.1e %.1e %.2f (without: %.1e %.2f)", with[0][f], with[1][f], with[2][f], p,
             without[2][f], q);
      CHECK(p > s->order - 0.25);
      if (s->order == 2) CHECK(without[2][f] > 10 * with[2][f]);
    }
    printf("\n");
  }
}

// ---- the Iltis -----------------------------------------------------------------------------

enum { MOST_EVENTS = 400 };

// position error against the reference; instants of the events found
static double run_iltis(table *reference, const char *integrator, double step, bool events,
                        double *instants, int *found) {
  machine m;
  double worst = NAN;
  *found = 0;
  if (!CHECK(machine_load(&m, "iltis_suspension", "reference", NULL, NULL) == HN_OK)) return NAN;
  snprintf(m.options.method, sizeof m.options.method, "default");
  snprintf(m.options.integrator, sizeof m.options.integrator, "%s", integrator);
  if (step > 0) snprintf(m.options.correction, sizeof m.options.correction, "none");
  snprintf(m.options.events, sizeof m.options.events, events ? "on" : "off");
  m.options.step = step;
  m.options.rtol = 1e-10;
  double *z = table_evaluate(reference, "wheel_z"), *rate = table_evaluate(reference, "wheel_vz");
  if (CHECK(machine_start(&m) == HN_OK) && z && rate) {
    worst = 0;
    for (int i = 1; i < reference->rows && table_row(reference, i)[0] < 3.001; i++) {
      double t = table_row(reference, i)[0];
      while (m.sim->state.t < t - 1e-12) {
        if (!CHECK(hn_take_step(m.sim, t - m.sim->state.t) == HN_OK)) {
          printf("  %s %g: %s\n", integrator, step, hn_sim_error(m.sim));
          goto end;
        }
        if (m.sim->watch.located > *found && *found < MOST_EVENTS)
          instants[(*found)++] = m.sim->state.t;
      }
      hn_pose pose;
      CHECK(hn_body_pose(m.sim, (hn_body){2}, &pose) == HN_OK);
      worst = fmax(worst, fabs(pose.position[2] - z[i]));
      worst = fmax(worst, 0.1 * fabs(pose.velocity[2] - rate[i]));
    }
  }
end:
  free(z), free(rate);
  machine_free(&m);
  return worst;
}

// steps of a fixed size that are cut at every second or third do no harm to velocities that meet
// the constraints through the positions alone
static void steps_cut(void) {
  static const char *const names[] = {"index3-alpha", "index3-hht", "index3-newmark"};
  for (int i = 0; i < 3; i++) {
    machine m;
    if (!CHECK(machine_load(&m, "iltis_suspension", "reference", NULL, NULL) == HN_OK)) return;
    snprintf(m.options.method, sizeof m.options.method, "%s", names[i]);
    m.options.step = 2e-3;
    if (CHECK(machine_start(&m) == HN_OK)) {
      hn_pose pose;
      for (int k = 1; k <= 360; k++) CHECK(hn_advance(m.sim, 5e-3 * k) == HN_OK);
      // the suspension has settled long before the bump
      CHECK(hn_body_pose(m.sim, (hn_body){2}, &pose) == HN_OK);
      CHECK(fabs(pose.velocity[2]) < 1e-6);
    }
    machine_free(&m);
  }
}

// the same events as an explicit run at tight tolerance, at instants that approach its own as h^2
static void iltis_events(void) {
  static const char *const names[] = {"index3-alpha", "augmented-index3"};
  table reference;
  double exact_t[MOST_EVENTS], t[MOST_EVENTS];
  int exact_count, count, none;
  if (!CHECK(reference_read(&reference, "A4_iltis_front_right"))) return;
  double error = run_iltis(&reference, "dop853", 0, true, exact_t, &exact_count);
  printf("  Iltis, explicit: error %.1e, %d events\n", error, exact_count);
  CHECK(error < 1e-9 && exact_count > 10);
  for (int i = 0; i < 2; i++) {
    double with[2], off[2] = {0};
    printf("  %-18s", names[i]);
    for (int k = 0; k < 2; k++) {
      double h = 1e-3 * pow(0.5, k);
      with[k] = run_iltis(&reference, names[i], h, true, t, &count);
      double without = run_iltis(&reference, names[i], h, false, NULL, &none);
      CHECK(count == exact_count && none == 0);
      for (int j = 0; j < count && j < exact_count; j++)
        off[k] = fmax(off[k], fabs(t[j] - exact_t[j]));
      printf("  error %.1e, %d instants within %.1e s (without: %.1e)", with[k], count, off[k],
             without);
    }
    printf("\n");
    CHECK(with[1] < 0.35 * with[0] && off[1] < 0.35 * off[0]);
    CHECK(off[1] < 1e-4);
  }
  table_free(&reference);
}

int main(void) {
  RUN(mass_on_stop);
  RUN(adaptive);
  RUN(rod_between_walls);
  RUN(steps_cut);
  RUN(iltis_events);
  return test_end();
}
