// test_moreau.c: time-stepping through contacts, against closed forms, an independent program, and
// the method that ends its steps at events.
#include "contact_rig.h"
#include "linalg/pile.h"

#include <stdlib.h>

static const double g = 9.81;

// ---- sweeps --------------------------------------------------------------------------------

enum { BODIES = 6, CONTACTS = 8, COLUMN = 160 };

// what the solution must be, whatever way it was found
static void check_contact(const hn_pile *p, int i, const double *v, double size) {
  double x = p->x[i], y = hn_pile_rate(p, i, v), rate[2] = {0, 0}, rub[2] = {0, 0};
  CHECK(x >= 0 && y > -1e-9 * size && x * y < 1e-8 * size);
  for (int k = 0; k < p->rubs[i]; k++)
    rate[k] = hn_pile_rate(p, i + 1 + k, v), rub[k] = p->x[i + 1 + k];
  double slip = hypot(rate[0], rate[1]), most = p->coefficient[i] * x, is = hypot(rub[0], rub[1]);
  CHECK(is <= most * (1 + 1e-9) + 1e-12);
  if (is < most * (1 - 1e-6)) CHECK(slip < 1e-8 * size);
  if (slip > 1e-6 * size && most > 1e-9)
    CHECK_NEAR(rub[0] * rate[0] + rub[1] * rate[1], -most * slip, 1e-6 * most * slip);
}

// random contacts with one and two directions of friction among bodies that are joined by nothing
static void sweeps_solve(void) {
  for (int trial = 0; trial < 20; trial++) {
    hn_pile p = {0};
    hn_arena arena = {0};
    double v[3 * BODIES];
    for (int pass = 0; pass < 2; pass++) {
      hn_pile_layout(&p, &arena, 3 * BODIES, 3 * CONTACTS, 18 * CONTACTS, 18 * CONTACTS);
      if (!pass && !CHECK(hn_arena_allocate(&arena))) return;
    }
    hn_pile_clear(&p);
    for (int c = 0; c < CONTACTS; c++) {
      int rubs = c % 3, a = c % BODIES, b = (c + 1 + trial) % BODIES;
      for (int row = 0; row <= rubs; row++) {
        int first = a < b ? a : b, last = a < b ? b : a;
        for (int k = 0; k < 6; k++) {
          int place = 3 * (k < 3 ? first : last) + k % 3;
          double J = test_random(-1, 1);
          if (first == last && k >= 3) break;
          CHECK(hn_strip_add(&p.gradient, p.rows, place, J));
          CHECK(hn_strip_add(&p.response, p.rows, place, J / (1 + place % 4)));
        }
        hn_pile_row(&p, test_random(-1, 0.3), 0, row ? -1 : rubs, 0.4);
      }
    }
    for (int i = 0; i < 3 * BODIES; i++) v[i] = test_random(-1, 1);
    int sweeps = 20000;
    double size = 1;
    CHECK(hn_pile_solve(&p, v, &size, 1e-13, &sweeps) <= 1e-13);
    for (int i = 0; i < p.rows; i++)
      if (p.rubs[i] >= 0) check_contact(&p, i, v, 1);
    // from the solution itself it takes one sweep
    double again[3 * BODIES];
    memcpy(again, v, sizeof v);
    for (int i = 0; i < p.rows; i++)
      for (int k = p.response.start[i]; k < p.response.start[i + 1]; k++)
        again[p.response.place[k]] -= p.x[i] * p.response.value[k];
    sweeps = 100;
    size = 1;
    (void)hn_pile_solve(&p, again, &size, 1e-11, &sweeps);
    CHECK(sweeps == 1);
    free(arena.base);
  }
}

// A column of n equal blocks that falls with speed 1 is stopped by the floor: the k-th contact from
// above has an impulse of k. Returns the sweeps it takes
static int column(int n) {
  hn_pile p = {0};
  hn_arena arena = {0};
  double v[COLUMN], size = 1;
  int sweeps = 100000;
  for (int pass = 0; pass < 2; pass++) {
    hn_pile_layout(&p, &arena, n, n, 2 * n, 2 * n);
    if (!pass && !CHECK(hn_arena_allocate(&arena))) return 0;
  }
  hn_pile_clear(&p);
  for (int i = 0; i < n; i++) {
    v[i] = -1;
    for (int k = i ? i - 1 : 0; k <= i; k++) {
      CHECK(hn_strip_add(&p.gradient, i, k, k < i ? -1 : 1));
      CHECK(hn_strip_add(&p.response, i, k, k < i ? -1 : 1));
    }
    hn_pile_row(&p, 0, 0, 0, 0);
  }
  CHECK(hn_pile_solve(&p, v, &size, 1e-10, &sweeps) <= 1e-10);
  for (int i = 0; i < n; i++) {
    CHECK_NEAR(p.x[i], n - i, 1e-5 * n);
    CHECK_NEAR(v[i], 0, 1e-6 * n);
  }
  free(arena.base);
  return sweeps;
}

// sweeps alone would grow as the square of the blocks
static void columns(void) {
  int few = column(COLUMN / 8), many = column(COLUMN);
  double exponent = log((double)many / few) / log(8);
  printf("  columns of %d and %d blocks: %d and %d sweeps, exponent %.2f\n", COLUMN / 8, COLUMN,
         few, many, exponent);
  CHECK(exponent < 1.3);
}

// ---- a ball --------------------------------------------------------------------------------

// height above the floor after time t of a ball that falls from `top`, restitution e
static double bounced(double top, double e, double t) {
  double v = sqrt(2 * g * top), at = v / g;
  if (t < at) return top - 0.5 * g * t * t;
  for (int k = 0; k < 1000; k++) {
    v *= e;
    if (t < at + 2 * v / g) return v * (t - at) - 0.5 * g * (t - at) * (t - at);
    at += 2 * v / g;
  }
  return 0;
}

// error of the height, averaged over where impacts fall into steps
static double ball_error(double h, const char *coordinates, double e, double until,
                         double *ledger) {
  double sum = 0;
  for (int k = 0; k < 16; k++) {
    char text[600];
    double top = 1 + 0.01 * k;
    snprintf(text, sizeof text,
             "gravity: [0, -9.81]\n"
             "bodies:\n"
             "  ball: {type: planar-point, mass: 2, position: [0, %.17g], velocity: [0.3, 0]}\n"
             "joints:\n"
             "  floor: {type: stop, b: ball, at: [0, 0], at_b: [0, %.17g], axis: [0, 1, 0],\n"
             "          radius: 0.1, restitution: %g}\n",
             top + 0.1, top + 0.1, e);
    rig r = rig_open(text, (how){"moreau", coordinates, h, 0, NULL});
    if (rig_ready(&r) && rig_go(&r, until)) {
      sum += fabs(hn_positions(r.sim)[1] - 0.1 - bounced(top, e, until)) / 16;
      *ledger = fmax(*ledger, rig_imbalance(&r));
      CHECK(hn_sim_impact_count(r.sim) > 0);
    }
    rig_close(&r);
  }
  return sum;
}

static void ball(void) {
  double ledger = 0, a = ball_error(4e-3, "reference", 0.8, 1.5, &ledger),
         b = ball_error(5e-4, "reference", 0.8, 1.5, &ledger), order = log2(a / b) / 3;
  printf("  ball: errors %.1e, %.1e m, order %.2f, energy ledger %.1e\n", a, b, order, ledger);
  CHECK(order > 0.8 && order < 1.3 && b < 2e-2);
  CHECK(ledger < 1e-12);
  // it comes to rest, and lies on the floor
  double rests = ball_error(1e-3, "relative", 0.5, 3, &ledger);
  CHECK(rests < 1e-7);
}

// ---- a block on a slope --------------------------------------------------------------------

static void slope_text(char *text, size_t size, double a, double speed, double mu, double sticks) {
  snprintf(text, size,
           "gravity: [0, -9.81]\n"
           "bodies:\n"
           "  block: {type: planar, mass: 2, inertia: 0.02, position: [%.17g, %.17g],\n"
           "          angle: %.17g, velocity: [%.17g, %.17g]}\n"
           "joints:\n"
           "  low: {type: stop, b: block, at: [0, 0], at_b: [%.17g, %.17g], axis: [%.17g, %.17g, "
           "0]}\n"
           "  high: {type: stop, b: block, at: [0, 0], at_b: [%.17g, %.17g], axis: [%.17g, %.17g, "
           "0]}\n"
           "forces:\n"
           "  low_rubs: {type: friction, joint: low, law: coulomb, coulomb: %g, static: %g}\n"
           "  high_rubs: {type: friction, joint: high, law: coulomb, coulomb: %g, static: %g}\n",
           -0.1 * sin(a), 0.1 * cos(a), a, speed * cos(a), speed * sin(a), -0.15 * cos(a),
           -0.15 * sin(a), -sin(a), cos(a), 0.15 * cos(a), 0.15 * sin(a), -sin(a), cos(a), mu,
           sticks, mu, sticks);
}

// along the slope
static double place(const rig *r, double a) {
  const double *q = hn_positions(r->sim);
  return q[0] * cos(a) + q[1] * sin(a);
}

static void slope(void) {
  char text[1500];
  double a = 0.4, up = g * (sin(a) + 0.5 * cos(a)), e[2], ledger = 0;
  slope_text(text, sizeof text, a, 0, 0.4, 0.45);
  rig r = rig_open(text, (how){"moreau", "reference", 1e-2, 0, NULL});
  if (rig_ready(&r) && rig_go(&r, 100)) {
    hn_reaction low, high;
    printf("  block held by friction for 100 s: drift %.1e m\n", fabs(place(&r, a)));
    CHECK(fabs(place(&r, a)) < 1e-12);
    hn_joint_reaction(r.sim, hn_find_joint(r.system, "low"), &low);
    hn_joint_reaction(r.sim, hn_find_joint(r.system, "high"), &high);
    CHECK_REL(hypot(low.force[0] + high.force[0], low.force[1] + high.force[1]), 2 * g * cos(a),
              2 * g, 1e-9);
    CHECK(hn_joint_there(r.sim, hn_find_joint(r.system, "low")));
  }
  rig_close(&r);
  // too steep: it slides, with a constant acceleration
  slope_text(text, sizeof text, 0.6, 0, 0.4, 0.45);
  r = rig_open(text, (how){"moreau", "relative", 1e-2, 0, NULL});
  double first = place(&r, 0.6);
  if (rig_ready(&r) && rig_go(&r, 2)) {
    double there = -2 * g * (sin(0.6) - 0.4 * cos(0.6));
    CHECK_REL(place(&r, 0.6) - first, there, 1, 2e-2);
    CHECK(rig_imbalance(&r) < 1e-9);
  }
  rig_close(&r);
  // thrown up, it stops and stays
  slope_text(text, sizeof text, a, 3, 0.5, 0.6);
  for (int k = 0; k < 2; k++) {
    r = rig_open(text, (how){"moreau", "reference", k ? 2.5e-4 : 2e-3, 0, NULL});
    e[k] = NAN;
    first = place(&r, a);
    if (rig_ready(&r) && rig_go(&r, 1)) {
      e[k] = fabs(place(&r, a) - first - 4.5 / up);
      ledger = fmax(ledger, rig_imbalance(&r));
    }
    rig_close(&r);
  }
  printf("  block thrown up: errors %.1e, %.1e m, energy ledger %.1e\n", e[0], e[1], ledger);
  CHECK(e[0] < 1e-5 && e[1] < e[0] && ledger < 1e-9);
}

// ---- a block that rocks (G. W. Housner 1963) -------------------------------------------------

// 0.2 m x 0.8 m, tilted by half the angle at which it would fall over. The angle after 1.5 s, three
// impacts later, from scipy's DOP853 at 1e-13 over the equation of either side, the rate being
// 1 - 3/2 sin^2 alpha times as large after each impact
static void rocking(void) {
  const double b = 0.1, c = 0.4, alpha = atan2(b, c), tilt = 0.5 * alpha;
  const double expected = 0.054122450004570444;
  double x = -b + b * cos(tilt) - c * sin(tilt), y = b * sin(tilt) + c * cos(tilt), e[3];
  char text[1500];
  snprintf(text, sizeof text,
           "gravity: [0, -9.81]\n"
           "bodies:\n"
           "  block: {type: planar, mass: 2, inertia: %.17g, position: [%.17g, %.17g], angle: "
           "%.17g}\n"
           "joints:\n"
           "  left: {type: stop, b: block, at: [0, 0], at_b: [%.17g, 0], axis: [0, 1, 0]}\n"
           "  right: {type: stop, b: block, at: [0, 0], at_b: [%.17g, %.17g], axis: [0, 1, 0]}\n"
           "forces:\n"
           "  left_rubs: {type: friction, joint: left, law: coulomb, coulomb: 2}\n"
           "  right_rubs: {type: friction, joint: right, law: coulomb, coulomb: 2}\n",
           2 * (b * b + c * c) / 3, x, y, tilt, -b, x + b * cos(tilt) + c * sin(tilt),
           y + b * sin(tilt) - c * cos(tilt));
  for (int k = 0; k < 3; k++) {
    rig r = rig_open(text, (how){"moreau", "reference", 2e-3 * pow(0.25, k), 0, NULL});
    e[k] = NAN;
    if (rig_ready(&r) && rig_go(&r, 1.5)) e[k] = fabs(fabs(hn_positions(r.sim)[2]) - expected);
    rig_close(&r);
  }
  printf("  rocking block: errors %.1e, %.1e, %.1e rad, order %.2f\n", e[0], e[1], e[2],
         log2(e[0] / e[2]) / 4);
  CHECK(e[2] < 2e-3 && log2(e[0] / e[2]) / 4 > 0.7);
}

// ---- a body that lands on a point beside its centre of mass ------------------------------------

// On a tilted plane. The blow turns the slip, and with it the direction of friction. q after 0.45 s
// and, with e = 0, after 0.12 s and 0.37 s of sliding, from a program of its own in scipy: flight
// and slip by DOP853 at 1e-13, the blow from Coulomb's law for the whole of it by a root in the
// direction of the slip after it
static const struct {
  double e, until, within, impulse, q[7];
} landings[] = {
    {0,
     0.45,
     4e-5,
     1.92193465,
     {0.45813844592160058, 0.16996279176655718, -0.32211657234109459, 0.51000130122807763,
      0.50430548463302116, -0.61012242741131884, 0.33663819522514299}},
    {0,
     0.7,
     8e-4,
     1.92193465,
     {0.74448715780915864, 0.57139923846458707, -0.28572499549076796, 0.063746164482167647,
      0.66836342074074195, -0.55739727917464976, -0.48840048883907167}},
    {0.5,
     0.45,
     1e-4,
     2.88523152,
     {0.46069572165802702, 0.15064976953343867, -0.31011660389956264, 0.46042585315269147,
      0.52677639199616388, -0.63293079609233194, 0.3315317088033165}}};

// one blow, and its normal impulse
static void check_blow(const rig *r, int which, double h) {
  hn_impact blow = {0};
  double within = 3 * h + 1e-7, impulse = landings[which].impulse;
  CHECK(hn_sim_impact_count(r->sim) == 1 && hn_sim_impact(r->sim, 0, &blow));
  CHECK_NEAR(blow.before, -2.842212086, 10 * within);
  CHECK_NEAR(blow.after, 2.842212086 * landings[which].e, 10 * within);
  CHECK_NEAR(blow.impulse, impulse, 10 * within);
}

// mean error over steps that put the blow elsewhere in a step; `pieces`: steps are cut short by
// what is asked for
static double landing_error(int which, const char *method, double h, int pieces) {
  enum { STEPS = 8 };
  char text[700];
  double sum = 0, until = landings[which].until;
  snprintf(text, sizeof text,
           "gravity: [0, 0, -9.81]\n"
           "bodies:\n"
           "  body: {mass: 2, inertia: [0.05, 0.08, 0.06], position: [0, 0, 0.5],\n"
           "         velocity: [1, 0.4, 0], angular_velocity: [1, -2, 3]}\n"
           "joints:\n"
           "  floor: {type: stop, b: body, at: [0, 0, 0], at_b: [0.15, 0.13, 0.3],\n"
           "          axis: [0.2, 0.1, 1], restitution: %g}\n"
           "forces:\n"
           "  rubs: {type: friction, joint: floor, law: coulomb, coulomb: 0.3}\n",
           landings[which].e);
  for (int k = 0; k < STEPS; k++) {
    double step = h * (1 - 0.05 * k), most = 0;
    rig r = rig_open(text, (how){method, "reference", step, h > 0 ? 0 : 1e-12, NULL});
    bool goes = rig_ready(&r);
    for (int i = 1; i <= pieces && goes; i++) goes = rig_go(&r, until * i / pieces);
    for (int i = 0; i < 7 && goes; i++)
      most = fmax(most, fabs(hn_positions(r.sim)[i] - landings[which].q[i]));
    sum += goes ? most / STEPS : INFINITY;
    if (goes) CHECK(rig_imbalance(&r) < (h > 0 ? 20 * h : 1e-8));
    if (goes) check_blow(&r, which, h);
    rig_close(&r);
  }
  return sum;
}

static void landing(void) {
  for (int k = 0; k < 3; k++) {
    double at_events = landing_error(k, NULL, 0, 1), a = landing_error(k, "moreau", 1e-3, 1),
           b = landing_error(k, "moreau", 6.25e-5, 1), order = log2(a / b) / 4,
           cut = landing_error(k, "moreau", 6.25e-5, 4000);
    printf("  landing beside the centre, e %.1f: errors %.1e, %.1e, cut short %.1e, order %.2f; "
           "by events %.1e\n",
           landings[k].e, a, b, cut, order, at_events);
    CHECK(at_events < 1e-8);
    CHECK(order > 0.85 && b < landings[k].within && cut < landings[k].within);
  }
}

// ---- a box that lands on its corners ---------------------------------------------------------

// as a pile, or with a stop in every corner
static void box_text(char *text, size_t size, bool pile) {
  int n = snprintf(text, size,
                   "gravity: [0, 0, -9.81]\n"
                   "bodies:\n"
                   "  box: {mass: 2, inertia: [0.05, 0.08, 0.06], position: [0, 0, 0.7],\n"
                   "        velocity: [1, 0.4, 0], angular_velocity: [1, -2, 3],\n"
                   "        shape: {box: {size: [0.3, 0.26, 0.4]}}}\n");
  if (pile) {
    snprintf(text + n, size - (size_t)n,
             "forces: {floor: {type: pile, at: [0, 0, 0], axis: [0.2, 0.1, 1], coulomb: 0.3}}\n");
    return;
  }
  for (int part = 0; part < 2; part++) {
    n += snprintf(text + n, size - (size_t)n, part ? "forces:\n" : "joints:\n");
    for (int k = 0; k < 8; k++)
      n += part
               ? snprintf(text + n, size - (size_t)n,
                          "  rubs%d: {type: friction, joint: stop%d, law: coulomb, coulomb: 0.3}\n",
                          k, k)
               : snprintf(text + n, size - (size_t)n,
                          "  stop%d: {type: stop, b: box, at: [0, 0, 0], at_b: [%g, %g, %g],"
                          " axis: [0.2, 0.1, 1]}\n",
                          k, k & 1 ? 0.15 : -0.15, k & 2 ? 0.13 : -0.13, k & 4 ? 0.9 : 0.5);
  }
}

static bool box_end(bool pile, how way, double q[7]) {
  char text[3000];
  box_text(text, sizeof text, pile);
  rig r = rig_open(text, way);
  bool there = rig_ready(&r) && rig_go(&r, 0.5);
  if (there) memcpy(q, hn_positions(r.sim), 7 * sizeof(double));
  rig_close(&r);
  return there;
}

// It lands on one corner and goes over to others while it slides; by the method that ends its steps
// at events, and by steps through contacts of either kind
static void corners(void) {
  enum { STEPS = 4 };
  double exact[7], q[7];
  if (!box_end(false, (how){NULL, "reference", 0, 1e-11, NULL}, exact)) return;
  for (int pile = 0; pile < 2; pile++) {
    double e[2] = {0, 0};
    for (int k = 0; k < 2 * STEPS; k++) {
      double step = (k < STEPS ? 1e-3 : 6.25e-5) * (1 - 0.1 * (k % STEPS)), most = 0;
      if (!box_end(pile, (how){"moreau", "reference", step, 0, NULL}, q)) return;
      for (int i = 0; i < 7; i++) most = fmax(most, fabs(q[i] - exact[i]));
      e[k / STEPS] += most / STEPS;
    }
    printf("  box on its corners, %s: errors %.1e, %.1e, order %.2f\n", pile ? "pile " : "stops",
           e[0], e[1], log2(e[0] / e[1]) / 4);
    CHECK(log2(e[0] / e[1]) / 4 > 0.8 && e[1] < 1e-4);
  }
}

// ---- mechanisms ----------------------------------------------------------------------------

static const char pendulum[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  rod: {type: planar, mass: 1.5, inertia: 0.125, com: [0.5, 0]}\n"
    "  mass: {type: planar-point, mass: 0.3, position: [1, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, b: rod, at: [0, 0], limits: [-1.2, 0.4], restitution: 0.7}\n"
    "  hangs: {type: rope, a: rod, b: mass, at: [1, 0], at_b: [1, 0], length: 0.5}\n";

// mean error of the angle over the instants, where impacts fall into steps differently
static void mechanism(void) {
  enum { TIMES = 12 };
  const char *const families[] = {"reference", "relative"};
  double exact[TIMES];
  rig r = rig_open(pendulum, (how){NULL, "reference", 0, 1e-12, NULL});
  for (int i = 0; i < TIMES && rig_ready(&r); i++)
    exact[i] = rig_go(&r, 0.4 + 0.05 * i) ? rig_value(&r, "hinge", NULL) : NAN;
  rig_close(&r);
  for (int f = 0; f < 2; f++) {
    double e[2] = {0, 0}, ledger = 0;
    for (int k = 0; k < 2; k++) {
      r = rig_open(pendulum, (how){"moreau", families[f], k ? 2.5e-4 : 4e-3, 0, NULL});
      for (int i = 0; i < TIMES && rig_ready(&r) && rig_go(&r, 0.4 + 0.05 * i); i++)
        e[k] += fabs(rig_value(&r, "hinge", NULL) - exact[i]) / TIMES;
      if (r.sim) ledger = fmax(ledger, rig_imbalance(&r));
      rig_close(&r);
    }
    printf(
        "  pendulum with a stop and a rope, %-9s errors %.1e, %.1e rad, order %.2f, energy %.1e\n",
        families[f], e[0], e[1], log2(e[0] / e[1]) / 4, ledger);
    CHECK(log2(e[0] / e[1]) / 4 > 0.75 && ledger < 1e-3);
  }
}

// a ratchet goes one way only, a box stands on four feet
static void one_way(void) {
  rig r = rig_open(
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  wheel: {type: planar, mass: 1, inertia: 0.5, com: [0.3, 0], angular_velocity: 2}\n"
      "joints:\n"
      "  hinge: {type: revolute, b: wheel, at: [0, 0]}\n"
      "  pawl: {type: limit, joint_a: hinge, lower: 0, ratchet: 0.1}\n",
      (how){"moreau", "reference", 1e-3, 0, NULL});
  double rate;
  if (rig_ready(&r) && rig_go(&r, 3)) {
    double at = rig_value(&r, "hinge", &rate), teeth = at / 0.1;
    CHECK_NEAR(rate, 0, 1e-9);
    CHECK(at > 0.2 && fabs(teeth - round(teeth)) < 1e-6);
  }
  rig_close(&r);
  r = rig_open("gravity: [0, 0, -9.81]\n"
               "bodies: {box: {mass: 3, inertia: [1, 1, 1], position: [0, 0, 0.2]}}\n"
               "joints:\n"
               "  one: {type: stop, b: box, at: [0, 0, 0], at_b: [0.5, 0.4, 0], axis: [0, 0, 1]}\n"
               "  two: {type: stop, b: box, at: [0, 0, 0], at_b: [-0.5, 0.4, 0], axis: [0, 0, 1]}\n"
               "  three: {type: stop, b: box, at: [0, 0, 0], at_b: [0.5, -0.4, 0], axis: [0, 0, "
               "1]}\n"
               "  four: {type: stop, b: box, at: [0, 0, 0], at_b: [-0.5, -0.4, 0], axis: [0, 0, "
               "1]}\n",
               (how){"moreau", "reference", 1e-2, 0, NULL});
  double sum = 0;
  static const char *const feet[] = {"one", "two", "three", "four"};
  if (rig_ready(&r) && rig_go(&r, 10)) {
    CHECK_NEAR(hn_positions(r.sim)[2], 0.2, 1e-9);
    for (int k = 0; k < 4; k++) {
      hn_reaction foot;
      CHECK(hn_joint_reaction(r.sim, hn_find_joint(r.system, feet[k]), &foot) == HN_OK);
      CHECK(foot.force[2] >= 0);
      sum += foot.force[2];
    }
    CHECK_REL(sum, 3 * g, 3 * g, 1e-9);
  }
  rig_close(&r);
}

// ---- what it does not do -------------------------------------------------------------------

static void refused(const char *text, const char *law, const char *why) {
  rig r = rig_open(text, (how){"moreau", "reference", 1e-3, 0, law});
  if (!CHECK(r.status == HN_ERR_UNSUPPORTED && strstr(r.message, why))) printf("  %s\n", r.message);
  rig_close(&r);
}

static void refusals(void) {
  refused("bodies: {b: {type: planar, mass: 1, inertia: 1}}\n"
          "joints:\n"
          "  hinge: {type: revolute, b: b, at: [0, 0]}\n"
          "  latch: {type: lock, joint_a: hinge, catches: hinge.angle > 1}\n",
          NULL, "'latch', a joint that is switched");
  refused("gravity: [0, -9.81]\n"
          "bodies: {b: {type: planar, mass: 1, inertia: 1}}\n"
          "joints: {rail: {type: prismatic, b: b, at: [0, 0], axis: [1, 0, 0]}}\n"
          "forces: {rub: {type: friction, joint: rail, law: coulomb, coulomb: 0.3}}\n",
          NULL, "friction that holds in a joint");
  refused(pendulum, "poisson", "Newton's law");
}

int main(void) {
  RUN(sweeps_solve);
  RUN(columns);
  RUN(ball);
  RUN(slope);
  RUN(rocking);
  RUN(landing);
  RUN(corners);
  RUN(mechanism);
  RUN(one_way);
  RUN(refusals);
  return test_end();
}
