// test_events.c: steps end where forces switch, and the order of the integrators survives.
//
// The main case is a mass that falls on a one-sided spring and damper, whose motion is known in
// closed form piece by piece.
#include "bounce_rig.h"
#include "forces/law.h"

#include <stdlib.h>

// largest error at some times within two seconds
static double run_bouncer(const char *integrator, double c, double step, double rtol, bool events) {
  rig r = bouncer(integrator, 400, c);
  double worst = 0;
  r.options.step = step;
  r.options.rtol = rtol;
  snprintf(r.options.events, sizeof r.options.events, events ? "on" : "off");
  if (rig_start(&r)) {
    for (int i = 1; i <= 16; i++) {
      CHECK(hn_advance(r.sim, 0.125 * i) == HN_OK);
      worst = fmax(worst, bouncer_error(r.sim, 400, c));
    }
    double u, v;
    int count;
    exact(400, c, 2, &u, &v, &count);
    CHECK(rig_events(&r) == (events ? count : 0));
  }
  rig_destroy(&r);
  return worst;
}

// ---- tests ---------------------------------------------------------------------------------

// the closed form itself: pieces fit together and obey their equations
static void closed_form(void) {
  for (int i = 0; i < 2; i++) {
    double c = i ? 8 : 0, d = 1e-4;
    for (double t = 0.013; t < 2; t += 0.0371) {
      double u[3], v[3];
      int before, after;
      exact(400, c, t - d, &u[0], &v[0], &before);
      exact(400, c, t, &u[1], &v[1], NULL);
      exact(400, c, t + d, &u[2], &v[2], &after);
      CHECK_NEAR((u[2] - u[0]) / (2 * d), v[1], before == after ? 1e-5 : 1e-2);
      if (before != after) continue;
      double F = u[1] > 0 ? fmax(0, 400 * u[1] + c * v[1]) : 0;
      CHECK_NEAR((v[2] - v[0]) / (2 * d), g - F, 1e-3);
    }
  }
}

static void order_survives(void) {
  static const struct {
    const char *name;
    int order;
    double step;
  } cases[] = {{"euler", 1, 1e-4}, {"symplectic-euler", 1, 1e-4},  {"heun", 2, 5e-4},
               {"rk4", 4, 2e-3},   {"adams-bashforth-3", 3, 1e-3}, {"adams-moulton-4", 4, 1e-3}};
  for (int damped = 0; damped < 2; damped++)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      double c = damped ? 8 : 0, with[3], without[3];
      for (int k = 0; k < 3; k++) {
        double h = cases[i].step * pow(0.5, k);
        with[k] = run_bouncer(cases[i].name, c, h, 1e-7, true);
        without[k] = run_bouncer(cases[i].name, c, h, 1e-7, false);
      }
      double p = log2(with[0] / with[2]) / 2, q = log2(without[0] / without[2]) / 2;
      printf("  %-17s damping %g: with events %.1e %.1e %.1e order %.2f, without %.1e %.1e %.1e "
             "order %.2f\n",
             cases[i].name, c, with[0], with[1], with[2], p, without[0], without[1], without[2], q);
      CHECK(p > cases[i].order - 0.4);
      if (cases[i].order > 3) CHECK(q < cases[i].order - 1 && without[2] > 100 * with[2]);
    }
}

// under error control the error follows the tolerance, events or not; located ones cost less
static void tolerance_kept(void) {
  for (int i = 0; i < 3; i++) {
    const char *name = (const char *const[]){"dopri5", "dop853", "abm"}[i];
    for (int damped = 0; damped < 2; damped++)
      for (double rtol = 1e-6; rtol > 1e-11; rtol *= 0.01) {
        double error = run_bouncer(name, damped ? 8 : 0, 0, rtol, true);
        CHECK(error < 300 * rtol);
      }
  }
}

// every instant is met by the end of a step
static void instants_met(void) {
  static const char *const names[] = {"rk4", "dopri5", "dop853", "abm"};
  for (int i = 0; i < 4; i++)
    for (int damped = 0; damped < 2; damped++) {
      rig r = bouncer(names[i], 400, damped ? 8 : 0);
      r.options.step = i ? 0 : 1e-3;
      r.options.rtol = 1e-11;
      double instants[64];
      bounce b = {.k = 400, .c = damped ? 8 : 0, .u = -0.5};
      bounce_to(&b, 2, instants);
      if (rig_start(&r)) {
        int found = 0;
        while (r.sim->state.t < 2 && !hn_step(r.sim))
          if (rig_events(&r) > found && found < b.events)
            CHECK_NEAR(r.sim->state.t, instants[found++], 1e-8);
        CHECK(found == b.events);
      }
      rig_destroy(&r);
    }
}

// a stop touched for a moment in the middle of a long step
static void touched_between(void) {
  // thrown up with speed s, the apex is 1 mm behind a ceiling at 0.5 m
  double s = sqrt(2 * g * 0.501), k = 1e4, w = sqrt(k);
  double entry = sqrt(s * s - 2 * g * 0.5), reach = (s - entry) / g;
  // contact: u'' = -g - k u from u = 0, u' = entry, until u = 0 again
  double phase = 2 * atan2(entry / w, g / k), stay = phase / w;
  for (int on = 0; on < 2; on++) {
    rig r = rig_create("dopri5");
    hn_body b = add_mass(&r, "mass", 0, 0);
    add_force(&r, (hn_force_def){.name = "ceiling",
                                 .type = "bump-stop",
                                 .b = {.body = b},
                                 .axis = {0, 1, 0},
                                 .gap = 0.5,
                                 .stiffness = k});
    r.options.rtol = 1e-9;
    snprintf(r.options.events, sizeof r.options.events, on ? "on" : "off");
    if (rig_start(&r)) {
      double q[2] = {0, 0}, v[2] = {0, s}, t = reach + stay + 0.2;
      // free flight is integrated exactly, so a step may be as long as it likes
      CHECK(hn_set_state(r.sim, 0, q, v) == HN_OK);
      r.sim->step.h = 0.6;
      CHECK(hn_advance(r.sim, t) == HN_OK);
      double height = 0.5 - entry * 0.2 - 0.5 * g * 0.04;
      if (on) {
        CHECK(rig_events(&r) == 2);
        CHECK_NEAR(r.sim->state.y[1], height, 1e-8);
      } else {
        CHECK(fabs(r.sim->state.y[1] - height) > 1e-3);
      }
    }
    rig_destroy(&r);
  }
}

// a spring with a corner in its line: half a period with each stiffness
static rig two_springs(const char *integrator, double x0) {
  static const double table[] = {-1, -100, 0, 0, 1, 400};
  rig r = rig_create(integrator);
  hn_model_set_gravity(r.model, 0, 0, 0);
  hn_body b = add_mass(&r, "mass", 2 + x0, 0);
  add_force(&r, (hn_force_def){.name = "spring",
                               .type = "spring",
                               .b = {.body = b},
                               .at_b = {2 + x0, 0, 0},
                               .free = 2,
                               .free_given = true,
                               .table = table,
                               .table_count = 3});
  return r;
}

static void table_corners(void) {
  const double pi = acos(-1), period = pi / 10 + pi / 20;
  double error[3];
  for (int k = 0; k < 3; k++) {
    rig r = two_springs("rk4", 0.3);
    r.options.step = 2e-3 * pow(0.5, k);
    if (rig_start(&r)) {
      CHECK(hn_advance(r.sim, 4.25 * period) == HN_OK);
      // a quarter of the whole period lies partly in the stiff, partly in the soft half
      double dt = 0.25 * period - pi / 40;
      error[k] =
          hypot(r.sim->state.y[0] - 2 + 0.6 * sin(10 * dt), r.sim->state.y[2] + 6 * cos(10 * dt));
      CHECK(rig_events(&r) == 9);
    }
    rig_destroy(&r);
  }
  double p = log2(error[1] / error[2]);
  printf("  corner of a table: errors %.1e %.1e %.1e, order %.2f\n", error[0], error[1], error[2],
         p);
  CHECK(p > 3.7 && p < 4.5);
}

// at rest on a corner nothing happens, and nothing is spent
static void rest_on_corner(void) {
  rig r = two_springs("dopri5", 0);
  if (rig_start(&r)) {
    CHECK(hn_advance(r.sim, 100) == HN_OK);
    CHECK(rig_events(&r) == 0 && r.sim->count.steps < 100);
  }
  rig_destroy(&r);
}

// a tyre is a stop too; its road may have corners
static void tyre_and_road(void) {
  static const double road[] = {-10, 0, 1, 0, 2, 0.1, 3, 0.1, 20, 0.1};
  rig r = rig_create("dopri5");
  hn_body b = add_mass(&r, "wheel", 0, 0.8);
  add_force(&r, (hn_force_def){.name = "tyre",
                               .type = "tyre",
                               .b = {.body = b},
                               .at = {0, 0.8, 0},
                               .radius = 0.3,
                               .stiffness = 400,
                               .road_table = road,
                               .road_count = 5});
  r.options.rtol = 1e-10;
  if (rig_start(&r)) {
    // drops half a metre on a level road, as the bouncing mass does
    double u, v;
    int count;
    exact(400, 0, 0.9, &u, &v, &count);
    CHECK(hn_advance(r.sim, 0.9) == HN_OK);
    CHECK_NEAR(0.3 - r.sim->state.y[1], u, 1e-7);
    CHECK(rig_events(&r) == count);
    // then rolls over the three corners while it rests on the road, at the height of equilibrium
    double q[2] = {0.5, 0.3 - g / 400}, speed[2] = {1, 0};
    CHECK(hn_set_state(r.sim, 0, q, speed) == HN_OK);
    long before = rig_events(&r);
    double w = 20;
    CHECK(hn_advance(r.sim, 0.5) == HN_OK);
    CHECK_NEAR(r.sim->state.y[1], q[1], 1e-9);
    // on the slope the road rises with 0.1 m/s: the wheel follows in oscillations about it
    CHECK(hn_advance(r.sim, 1) == HN_OK);
    CHECK_NEAR(r.sim->state.y[1], q[1] + 0.1 * (0.5 - sin(w * 0.5) / w), 1e-8);
    CHECK(rig_events(&r) == before + 1);
    CHECK(hn_advance(r.sim, 2.6) == HN_OK);
    CHECK(rig_events(&r) == before + 3);
  }
  rig_destroy(&r);
}

// what switches together is one event
static void together(void) {
  rig r = bouncer("dopri5", 400, 0);
  hn_body b = add_mass(&r, "twin", 3, 0);
  add_force(&r, (hn_force_def){.name = "twin_stop",
                               .type = "bump-stop",
                               .b = {.body = b},
                               .axis = {0, -1, 0},
                               .gap = 0.5,
                               .stiffness = 400});
  r.options.rtol = 1e-10;
  if (rig_start(&r)) {
    double u, v;
    int count;
    CHECK(hn_advance(r.sim, 2) == HN_OK);
    exact(400, 0, 2, &u, &v, &count);
    CHECK(rig_events(&r) == count);
    CHECK_NEAR(-r.sim->state.y[1] - 0.5, u, 1e-7);
    CHECK_NEAR(-r.sim->state.y[3] - 0.5, u, 1e-7);
  }
  rig_destroy(&r);
}

// rows between the events are those of the closed form, work and energy included
static void recorded(void) {
  rig r = bouncer("dop853", 400, 8);
  hn_result *result = NULL;
  r.options.rtol = 1e-10;
  r.options.duration = 2;
  r.options.output_step = 0.01;
  if (rig_start(&r) && CHECK(hn_run(r.sim, &result, NULL, NULL) == HN_OK)) {
    int y = hn_result_find(result, "mass.y"), balance = hn_result_find(result, "energy.balance");
    CHECK(hn_result_rows(result) == 201 && y > 0 && balance > 0);
    for (int i = 0; i < hn_result_rows(result); i++) {
      const double *row = hn_result_row(result, i);
      double u, v;
      exact(400, 8, row[0], &u, &v, NULL);
      CHECK_NEAR(row[y], -0.5 - u, 1e-8);
      CHECK_NEAR(row[balance], 0, 1e-6);
    }
  }
  hn_result_destroy(result);
  rig_destroy(&r);
}

// ---- formulas ------------------------------------------------------------------------------

static hn_node resolve_xy(void *user, hn_graph *graph, const char *name, size_t length) {
  (void)user;
  return length == 1 && (*name == 'x' || *name == 'y') ? hn_graph_input(graph, *name - 'x') : -1;
}

// a formula held on the side where it is has the same value and slope as the formula itself
static void held_formulas(void) {
  static const struct {
    const char *text;
    int decisions;
  } cases[] = {
      {"sin(x)*y", 0},
      {"if(x < y, x^2, y)", 1},
      {"if(x <= y && y > 0.2 || !(x > 0.5), x*y, cos(x))", 3},
      {"abs(x) + abs(x)*y", 1},
      {"abs(abs(x) - 0.5)", 2},
      {"sign(x)*y + step(y)", 3},
      {"max(min(x, y), -0.3)*x", 2},
      {"if(abs(x) < 0.4, max(x, y^2), if(x < 0, 1, y))", 4},
      {"if(x == y, 1, floor(3*x)*y)", 1},
      {"ceil(2*x + 1)*y - floor(-x)", 2},
      {"mod(x, 0.3) + mod(y, -0.7)*x + mod(x + 4, 2*y + 3)", 3},
      {"floor(2*mod(x, 0.5))*x", 2},
      {"atan2(x, y) + x*atan2(y, x - 2)", 2},
      {"if(x > 0, x^1.5, 0)*y", 1},
      {"sqrt(max(x, 0)) + log(1 + abs(y))", 2},
      {"if(sqrt(max(x, 0)) > 0.3, asin(x)*y, y)", 2},
      {"asin(min(x, 0.2) + 0.8) + acos(max(y, 0.1) - 1.1)", 2},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    enum { MOST = 8 };
    hn_graph *graph = hn_graph_create();
    hn_expr_error error;
    hn_node function[MOST], out[2], held[2];
    int count = cases[c].decisions;
    out[0] = hn_graph_parse(graph, cases[c].text, strlen(cases[c].text), resolve_xy, NULL, &error);
    CHECK(hn_graph_decisions(graph, out[0]) == count);
    held[0] = hn_graph_hold(graph, out[0], 2, function, count);
    out[1] = hn_graph_derivative(graph, out[0], 0);
    held[1] = hn_graph_derivative(graph, held[0], 0);
    hn_program *natural = hn_program_compile(graph, out, 2);
    hn_program *fixed = hn_program_compile(graph, held, 2);
    hn_program *functions = hn_program_compile(graph, function, count);
    double registers[64];
    CHECK(natural && fixed && functions && hn_program_registers(fixed) < 64);
    for (int i = 0; i < 200; i++) {
      double input[2 + MOST] = {test_random(-1, 1), test_random(-1, 1)}, s[MOST], a[2], b[2];
      if (i < 3) input[0] = 0, input[1] = i ? 0 : 0.3;  // on the switching points themselves
      // functions depend on the sides of earlier ones only
      for (int pass = 0; pass <= count; pass++) {
        hn_program_run(functions, input, registers, s);
        for (int k = 0; k < count; k++) input[2 + k] = s[k] > 0;
      }
      hn_program_run(natural, input, registers, a);
      hn_program_run(fixed, input, registers, b);
      CHECK_NEAR(a[0], b[0], 4e-15);
      if (i >= 3) CHECK_NEAR(a[1], b[1], 1e-14);
      // on the other sides, where steps look, both go on
      for (int k = 0; k < count; k++) input[2 + k] = !(s[k] > 0);
      hn_program_run(fixed, input, registers, b);
      hn_program_run(functions, input, registers, s);
      if (i >= 3) CHECK(isfinite(b[0]) && isfinite(b[1]));
      for (int k = 0; k < count; k++) CHECK(isfinite(s[k]));
    }
    hn_program_destroy(natural);
    hn_program_destroy(fixed);
    hn_program_destroy(functions);
    hn_graph_destroy(graph);
  }
}

// the spring of table_corners written as formulas, and one the mass does not feel
static void formula_corners(void) {
  static const char *const laws[] = {
      "if(length > 2, 400, 100)*(length - 2)",
      "max(100*(length - 2), 400*(length - 2))",
      "250*(length - 2) + 150*abs(length - 2)",
      "(100 + 300*step(length - 2))*(length - 2) + 0*sign(rate)",
  };
  const double pi = acos(-1), period = pi / 10 + pi / 20, dt = 0.25 * period - pi / 40;
  for (int i = 0; i < 4; i++) {
    rig r = rig_create("dop853");
    hn_model_set_gravity(r.model, 0, 0, 0);
    hn_body b = add_mass(&r, "mass", 2.3, 0);
    add_force(&r, (hn_force_def){.name = "spring",
                                 .type = "spring",
                                 .b = {.body = b},
                                 .at_b = {2.3, 0, 0},
                                 .law = laws[i]});
    r.options.rtol = 1e-10;
    if (rig_start(&r)) {
      CHECK(hn_advance(r.sim, 4.25 * period) == HN_OK);
      CHECK_NEAR(r.sim->state.y[0], 2 - 0.6 * sin(10 * dt), 1e-8);
      CHECK_NEAR(r.sim->state.y[2], -6 * cos(10 * dt), 1e-7);
      CHECK(rig_events(&r) == 9);
    }
    rig_destroy(&r);
  }
}

// Laws that are no number beyond where they switch off: a mass runs into Hertz's contact, stays for
//   T = 4/5 sqrt(pi) Gamma(2/5) / Gamma(9/10) d / v,   d = (5 v^2 / (4 k))^(2/5),
// and leaves as fast as it came
static void laws_that_end(void) {
  static const char *const laws[] = {
      "if(mass.x > 0, -500*mass.x^1.5, 0)",
      "-500*max(mass.x, 0)^1.5",
      "-500*sqrt(max(mass.x, 0))*max(mass.x, 0)",
      "if(log(1 + max(mass.x, 0)) > 0, -500*sqrt(mass.x)*mass.x, 0)",
  };
  static const struct {
    const char *name;
    double rtol, error;
  } by[] = {{"dopri5", 1e-9, 1e-7},
            {"dop853", 1e-9, 1e-7},
            {"index2-alpha", 1e-6, 1e-4},
            {"index3-alpha", 1e-6, 1e-4},
            {"index2-bdf", 1e-8, 1e-5}};
  double v = 2, d = pow(1.25 * v * v / 500, 0.4);
  double T = 0.8 * sqrt(acos(-1)) * tgamma(0.4) / tgamma(0.9) * d / v;
  for (int i = 0; i < 20; i++) {
    rig r = rig_create(by[i / 4].name);
    hn_model_set_gravity(r.model, 0, 0, 0);
    hn_body b = hn_add_body(r.model, &(hn_body_def){.name = "mass",
                                                    .kind = HN_PLANAR_POINT,
                                                    .mass = 1,
                                                    .position = {-0.1, 0, 0},
                                                    .velocity = {v, 0, 0}});
    add_force(&r, (hn_force_def){.name = "wall",
                                 .type = "force",
                                 .b = {.body = b},
                                 .components = {laws[i % 4], "0", "0"}});
    r.options.rtol = by[i / 4].rtol;
    if (rig_start(&r)) {
      CHECK(hn_advance(r.sim, 0.15 + T) == HN_OK);
      CHECK_NEAR(r.sim->state.y[0], -0.2, by[i / 4].error);
      CHECK_NEAR(r.sim->state.y[2], -v, 10 * by[i / 4].error);
    }
    rig_destroy(&r);
  }
}

// Whole numbers and the cut of atan2, of time and of the state: x of a mass is the time. What the
// other is pushed by in two seconds is known piece by piece; fixed steps would not hit the pieces
static void jumps_of_numbers(void) {
  const double pi = acos(-1);
  const struct {
    const char *time, *state;
    double speed;
    int events;
  } cases[] = {
      {"mod(t, 0.37)", "mod(clock.x, 0.37)", 5 * 0.37 * 0.37 / 2 + 0.15 * 0.15 / 2, 5},
      {"floor(3.1*t)", "floor(3.1*clock.x)", 15 / 3.1 + 6 * (2 - 6 / 3.1), 6},
      {"ceil(3.1*t)", "ceil(3.1*clock.x)", 21 / 3.1 + 7 * (2 - 6 / 3.1), 7},
      {"atan2(sin(5*t), cos(5*t))", "atan2(sin(5*clock.x), cos(5*clock.x))",
       (10 - 4 * pi) * (10 - 4 * pi) / 10, 5},
  };
  static const char *const names[] = {"rk4", "dopri5", "dop853", "abm"};
  for (int i = 0; i < 32; i++) {
    rig r = rig_create(names[i / 8]);
    const char *formula = i % 2 ? cases[i / 2 % 4].state : cases[i / 2 % 4].time;
    hn_model_set_gravity(r.model, 0, 0, 0);
    (void)hn_add_body(
        r.model,
        &(hn_body_def){.name = "clock", .kind = HN_PLANAR_POINT, .mass = 1, .velocity = {1, 0, 0}});
    hn_body b = add_mass(&r, "mass", 0, 0);
    add_force(&r, (hn_force_def){.name = "push",
                                 .type = "force",
                                 .b = {.body = b},
                                 .components = {formula, "0", "0"}});
    r.options.step = i < 8 ? 0.05 : 0;
    r.options.rtol = 1e-9;
    if (rig_start(&r)) {
      CHECK(hn_advance(r.sim, 2) == HN_OK);
      hn_pose pose;
      CHECK(hn_body_pose(r.sim, b, &pose) == HN_OK);
      if (!CHECK_NEAR(pose.velocity[0], cases[i / 2 % 4].speed, 1e-8)) printf("  %s\n", formula);
      CHECK(rig_events(&r) <= cases[i / 2 % 4].events + 1);
    }
    rig_destroy(&r);
  }
}

// loads that are switched on and off by the clock; a blow is not stepped over, however short
static void loads_by_time(void) {
  static const char *const names[] = {"rk4", "dopri5", "dop853", "abm"};
  for (int i = 0; i < 4; i++) {
    rig r = rig_create(names[i]);
    hn_model_set_gravity(r.model, 0, 0, 0);
    hn_body b = add_mass(&r, "mass", 0, 0);
    add_force(&r, (hn_force_def){.name = "load",
                                 .type = "force",
                                 .b = {.body = b},
                                 .components = {"if(t >= 1 && t < 3, 2, 0)",
                                                "if(t > 5 && t < 5.0001, 3e4, 0)", "0"}});
    r.options.step = i ? 0 : 0.1;
    if (rig_start(&r)) {
      CHECK(hn_advance(r.sim, 10) == HN_OK);
      CHECK_NEAR(r.sim->state.y[2], 4, 1e-9);
      CHECK_NEAR(r.sim->state.y[0], 4 + 4 * 7, 1e-8);
      CHECK_NEAR(r.sim->state.y[3], 3, 1e-7);
      CHECK_NEAR(r.sim->state.y[1], 3 * (5 - 0.5e-4), 1e-6);
      CHECK(rig_events(&r) == 4);
    }
    rig_destroy(&r);
  }
}

// a decision that is open at the start is taken as the formula takes it
static void open_at_start(void) {
  rig r = rig_create("dopri5");
  hn_model_set_gravity(r.model, 0, 0, 0);
  hn_body b = add_mass(&r, "mass", 2, 0);
  add_force(&r,
            (hn_force_def){.name = "rub",
                           .type = "spring",
                           .b = {.body = b},
                           .at_b = {2, 0, 0},
                           .law = "5*sign(rate) + 3*abs(length - 2) + step(-abs(rate) - 1e-9)"});
  if (rig_start(&r)) {
    CHECK(hn_advance(r.sim, 10) == HN_OK);
    CHECK(r.sim->state.y[0] == 2 && r.sim->state.y[2] == 0 && rig_events(&r) == 0);
  }
  rig_destroy(&r);
}

// A switching point at a quarter of a step is a point at which functions are looked at in passing:
// by a cubic that may lie on the other side of it than the dense output. x'' = -x, and -(x - F)
// from where x comes below 0.3
static void quarter_points(void) {
  double worst = 0;
  for (int k = 0; k < 300; k++) {
    double phase = test_random(-0.8, 0), at = acos(0.3) - phase, F = test_random(-3, -0.5);
    double step = test_random(0.05, 0.2), nudge = k % 3 ? pow(10, test_random(-14, -5)) : 0;
    double begin = at - step * 0.25 * (1 + k % 3) * (1 + (k % 5 - 2) * nudge);
    char law[120];
    rig r = rig_create(k % 2 ? "dopri5" : "dop853");
    hn_body b = hn_add_body(r.model, &(hn_body_def){.name = "mass",
                                                    .kind = HN_PLANAR_POINT,
                                                    .mass = 1,
                                                    .position = {cos(phase), 0, 0},
                                                    .velocity = {-sin(phase), 0, 0}});
    snprintf(law, sizeof law, "-mass.x + if(mass.x < 0.3, %.17g, 0)", F);
    add_force(&r, (hn_force_def){.name = "act",
                                 .type = "force",
                                 .b = {.body = b},
                                 .components = {law, "9.81", "0"}});
    r.options.rtol = 1e-6;
    if (rig_start(&r)) {
      double until = at + 0.7, v = -sin(acos(0.3)), error;
      CHECK(hn_advance(r.sim, begin) == HN_OK && hn_advance(r.sim, begin + step) == HN_OK);
      CHECK(hn_advance(r.sim, until) == HN_OK);
      error = fabs(r.sim->state.y[0] - (F + (0.3 - F) * cos(0.7) + v * sin(0.7)));
      worst = fmax(worst, error);
      if (!CHECK(rig_events(&r) == 1 && error < 2e-5))
        printf("  number %d: %ld events, off by %.1e\n", k, rig_events(&r), error);
    }
    rig_destroy(&r);
  }
  printf("  switching at a quarter of a step: %.1e\n", worst);
}

// ---- chatter -------------------------------------------------------------------------------

// dry friction without regularisation: the force jumps where the speed changes sign
static void rub(const hn_system *sys, hn_work *work, int count, const void *data) {
  const hn_along *e = data;
  for (int i = 0; i < count; i++, e++) {
    bool out = hn_side(work, 0, work->mval[e->measure].rate > 0);
    hn_apply_measure(sys, work, e->measure, out ? -20 : 20);
  }
}
static void rub_switches(const hn_system *sys, const hn_work *work, int count, const void *data,
                         double *value) {
  (void)sys, (void)count;
  value[0] = work->mval[((const hn_along *)data)->measure].rate;
}
static const hn_force_ops rub_ops = {
    .name = "rub", .data_size = sizeof(hn_along), .eval = rub, .switches = rub_switches};

// a mass slides to rest, and the force would change sign without end: nothing says what holds it
static void chatter(void) {
  rig r = rig_create("rk4");
  hn_body b = add_mass(&r, "mass", 0, -1);
  add_force(
      &r,
      (hn_force_def){
          .name = "rub", .type = "spring", .b = {.body = b}, .at_b = {0, -1, 0}, .stiffness = 1});
  r.options.step = 1e-3;
  if (CHECK(hn_compile(&r.system, r.model) == HN_OK)) {
    r.system->batch[0].ops = &rub_ops;
    r.system->switches = 1;
    char message[200];
    CHECK(hn_sim_create(&r.sim, r.system, &r.options, message, sizeof message) == HN_OK);
    double q[2] = {0, -1}, v[2] = {0, -1};
    CHECK(hn_set_state(r.sim, 0, q, v) == HN_OK);
    CHECK(hn_advance(r.sim, 1) == HN_ERR_UNSUPPORTED);
    CHECK(strstr(hn_sim_error(r.sim), "body 'mass' switches to and fro without end"));
    // at rest after 1 / (20 - g) s
    CHECK_NEAR(hn_time(r.sim), 1 / (20 - g), 2e-3);
  }
  rig_destroy(&r);
}

int main(void) {
  RUN(closed_form);
  RUN(order_survives);
  RUN(tolerance_kept);
  RUN(instants_met);
  RUN(touched_between);
  RUN(table_corners);
  RUN(rest_on_corner);
  RUN(tyre_and_road);
  RUN(together);
  RUN(recorded);
  RUN(held_formulas);
  RUN(formula_corners);
  RUN(laws_that_end);
  RUN(jumps_of_numbers);
  RUN(loads_by_time);
  RUN(open_at_start);
  RUN(quarter_points);
  RUN(chatter);
  return test_end();
}
