// test_contact_matrix.c: every pairing of solver, correction and integrator strikes stops, slides,
// lifts off and lands as closed forms say, with its order; or is refused in words.
//
// A bar on a hinge with a spring swings between two limits: a sine from impact to impact. A mass
// slides down a round hill in a plane that a joint holds it in, leaves it where gravity no longer
// presses, falls, and bounces from the floor: a quadrature, then parabolas.
#include "contact_rig.h"

#include "integrators/integrators.h"
#include "sim/sim.h"

static bool is(const char *name, const char *other) {
  return strcmp(name, other) == 0;
}

enum { TIMES = 8, NUMBERS = 2 * TIMES, MOST = 5 };

// ---- a bar between limits --------------------------------------------------------------------

static const char bar[] =
    "bodies:\n"
    "  bar: {type: planar, mass: 2, inertia: 0.1, com: [0.5, 0], angular_velocity: 2}\n"
    "joints:\n"
    "  hinge: {type: revolute, b: bar, at: [0, 0], limits: [-0.45, 0.3], restitution: 0.7}\n"
    "forces:\n"
    "  spring: {type: torsion-spring, joint: hinge, stiffness: 5.4}\n";
static const double stiffness = 5.4, J = 0.1 + 2 * 0.25, limit[2] = {-0.45, 0.3};

// angle and rate; angle = r cos(w (t - t0)) ... written by the state at the beginning of a piece
static void bar_at(double t, double *x, double *rate) {
  double w = sqrt(stiffness / J), a = 0, b = 2 / w, t0 = 0;
  for (;;) {
    double r = hypot(a, b), phase = atan2(b, a), next = INFINITY;
    // x = r cos(w s - phase) meets a limit where the cosine is limit / r, going outwards
    for (int k = 0; k < 2; k++) {
      if (fabs(limit[k]) >= r) continue;
      double c = acos(limit[k] / r), s = (phase + (limit[k] > 0 ? -c : c)) / w;
      while (s < 1e-9) s += 2 * acos(-1) / w;
      next = fmin(next, s);
    }
    if (t0 + next > t) {
      double s = t - t0;
      *x = a * cos(w * s) + b * sin(w * s), *rate = w * (b * cos(w * s) - a * sin(w * s));
      return;
    }
    double at = a * cos(w * next) + b * sin(w * next), fast = b * cos(w * next) - a * sin(w * next);
    a = at, b = -0.7 * fast, t0 += next;
  }
}

// ---- a mass on a hill ------------------------------------------------------------------------

static const char hill[] =
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  mass: {type: point, mass: 2, position: [0, 1, 0], velocity: [1.2, 0, 0]}\n"
    "joints:\n"
    "  plane: {type: point-on-plane, b: mass, at: [0, 1, 0], axis: [0, 0, 1]}\n"
    "  hill: {type: apart, b: mass, at: [0, 0, 0], at_b: [0, 1, 0], length: 1}\n"
    "  floor: {type: stop, b: mass, at: [0, -0.4, 0], at_b: [0, 1, 0], axis: [0, 1, 0],\n"
    "          restitution: 0.6}\n";
static const double g = 9.81, start = 1.2, ground = -0.4, back = 0.6;

// rate of the angle from the top; the time it takes to get there
static double slide_rate(double angle) {
  return sqrt(start * start + 2 * g * (1 - cos(angle)));
}
static double slide_time(double angle) {
  static const double node[3] = {-0.7745966692414834, 0, 0.7745966692414834},
                      weight[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  enum { PARTS = 100 };
  double sum = 0;
  for (int i = 0; i < PARTS; i++)
    for (int k = 0; k < 3; k++)
      sum += weight[k] / 2 / PARTS * angle / slide_rate(angle * (i + 0.5 * (1 + node[k])) / PARTS);
  return sum;
}

// where gravity along the radius is the centripetal acceleration: cos = (2 + v^2 / g r) / 3
static double leave_angle(void) {
  return acos((2 + start * start / g) / 3);
}

// x and y
static void mass_at(double t, double *x, double *y) {
  double leave = leave_angle(), left = slide_time(leave);
  if (t < left) {
    double low = 0, high = leave;
    for (int i = 0; i < 60; i++) {
      double middle = 0.5 * (low + high);
      *(slide_time(middle) < t ? &low : &high) = middle;
    }
    *x = sin(low), *y = cos(low);
    return;
  }
  double v = slide_rate(leave), u = v * cos(leave), w = -v * sin(leave), h = cos(leave);
  double s = t - left, down = (w + sqrt(w * w + 2 * g * (h - ground))) / g;
  *x = sin(leave) + u * s;
  if (s < down) {
    *y = h + w * s - 0.5 * g * s * s;
    return;
  }
  double up = back * (g * down - w);
  s -= down;
  *y = ground + up * s - 0.5 * g * s * s;
}

// ---- pairings --------------------------------------------------------------------------------

typedef struct scene {
  const char *text, *joint;
  double time[TIMES];
  int impacts;
  double exact[NUMBERS];
} scene;

// what is missing is said: one of the parts, and what it cannot deal with
static bool said_why(const char *message) {
  static const char *const words[] = {"limits, ropes, stops", "limit, rope or stop",
                                      "nothing to do",        "would undo",
                                      "natural coordinates",  "relative coordinates"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strstr(message, words[i])) return true;
  return false;
}

// gains of the size 1/h act on the stages
static bool gains_grow(const char *const parts[3]) {
  bool follows = is(parts[0], "baumgarte-rule") || is(parts[0], "baumgarte-step");
  return follows && is(parts[1], "none");
}

// What ends in words. Gains that follow the step grow without bounds in the short steps with which
// error control begins behind an event. Symplectic Euler's positions are right to the square of the
// step, and where a force fades away a gap of that size closes and opens again without end
static bool may_end(const char *const parts[3]) {
  return is(parts[2], "symplectic-euler") ||
         (gains_grow(parts) && (is(parts[2], "abm") || is(parts[2], "dopri5")));
}

typedef enum end { REFUSED, FAILED, DONE } end;

static end run(const scene *s, hn_system *sys, const hn_options *given, const char *const parts[3],
               double h, double x[NUMBERS]) {
  char message[512] = "";
  hn_sim *sim = NULL;
  hn_options o = *given;
  snprintf(o.solver, sizeof o.solver, "%s", parts[0]);
  snprintf(o.correction, sizeof o.correction, "%s", parts[1]);
  snprintf(o.integrator, sizeof o.integrator, "%s", parts[2]);
  o.step = h;
  o.penalty = 1e10;
  // corrections after every step, but not that gains rise all the time
  if (is(parts[1], "hybrid") && !is(parts[0], "baumgarte-adaptive")) o.violation_bound = 1e-13;
  hn_status status = hn_sim_create(&sim, sys, &o, message, sizeof message);
  if (status) {
    if (!CHECK(status == HN_ERR_UNSUPPORTED && said_why(message)))
      printf("  %s + %s + %s: %s\n", parts[0], parts[1], parts[2], message);
    return REFUSED;
  }
  for (int i = 0; i < TIMES && !status; i++) {
    status = hn_advance(sim, s->time[i]);
    if (status) break;
    if (is(s->joint, "hinge")) {
      hn_joint hinge = hn_find_joint(sys, "hinge");
      hn_joint_coordinate(sim, hinge, NULL, &x[2 * i], &x[2 * i + 1]);
    } else {
      x[2 * i] = hn_positions(sim)[0], x[2 * i + 1] = hn_positions(sim)[1];
    }
  }
  bool right = status == HN_OK && hn_sim_impact_count(sim) == s->impacts;
  if (!CHECK(right || (status && may_end(parts))))
    printf("  %s + %s + %s, step %g: %d impacts; %s\n", parts[0], parts[1], parts[2], h,
           hn_sim_impact_count(sim), hn_sim_error(sim));
  hn_sim_destroy(sim);
  return right ? DONE : FAILED;
}

// Slope over halved steps. Where in a step an event lies changes from halving to halving, and with
// it the error's constant: of steppers that damp, which begin anew behind it, by so much that more
// halvings are needed to see through it
static double slope(const double *e, int count) {
  double sx = 0, sy = 0, xx = 0, xy = 0;
  for (int k = 0; k < count; k++) {
    double x = -k, y = log2(e[k]);
    sx += x, sy += y, xx += x * x, xy += x * y;
  }
  return (count * xy - sx * sy) / (count * xx - sx * sx);
}

// the order that is left between events
static double least_of(const hn_integrator_type *type, const char *const parts[3]) {
  // gains that change along the run
  bool adapts = is(parts[0], "baumgarte-adaptive") || is(parts[0], "baumgarte-sliding");
  if (type->order < 2 || gains_grow(parts)) return 0.9;
  // what a penalty yields is left of the smallest errors
  if (is(parts[0], "penalty")) return 0.75 * type->order;
  return (adapts ? 0.85 : type->stands_alone ? 0.9 : 0.95) * type->order;
}

// one pairing; prints its order, of integrators that find their steps the error. Steps are halved
// until the order shows, or the error is round-off
static end measure(const scene *s, hn_system *sys, const hn_options *o,
                   const char *const parts[3]) {
  const hn_integrator_type *type = hn_integrator_find(parts[2]);
  bool steps = !type->adaptive || type->stands_alone;
  int most = !steps ? 1 : type->multistep ? MOST : type->stands_alone ? 4 : 3, count = 0;
  double e[MOST], first = type->order < 2 ? 2.5e-3 : type->order < 3 ? 1.25e-3 : 5e-3;
  // what is left there has no order: round-off; the compliance of a penalty
  double grain = is(parts[0], "penalty") ? 1e-7 : 6e-11;
  for (; count < most && (!count || e[count - 1] > grain); count++) {
    double x[NUMBERS], sum = 1e-300;
    end ended = run(s, sys, o, parts, steps ? first * pow(0.5, count) : 0, x);
    if (ended != DONE) return ended;
    // all of them together: one alone may happen to be right
    for (int i = 0; i < NUMBERS; i++) sum += (x[i] - s->exact[i]) * (x[i] - s->exact[i]);
    e[count] = sqrt(sum);
  }
  int used = count > 1 && e[count - 1] <= grain ? count - 1 : count;
  // the first steps behind an event are of a lower order, which shows while they are long
  int last = used > 3 && type->multistep ? 3 : used;
  double p = used > 1 ? slope(e + used - last, last) : NAN;
  if (used > 1)
    printf(" %s %.2f", parts[2], p);
  else
    printf(" %s %.0e", parts[2], e[count - 1]);
  bool right = used > 1 ? p > least_of(type, parts) : e[count - 1] < (steps ? grain : 1e-6);
  // over several steps such gains leave no order, but errors that are as small
  right |= gains_grow(parts) && type->multistep && e[count - 1] < 5e-8;
  if (!CHECK(right)) {
    printf("\n    %s + %s + %s: order %.2f:", parts[0], parts[1], parts[2], p);
    for (int k = 0; k < count; k++) printf(" %.1e", e[k]);
    putchar('\n');
  }
  return DONE;
}

static void matrix(const scene *s) {
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  hn_options *o = hn_model_options(model);
  int many[3] = {0};
  CHECK(hn_model_parse(model, s->text, strlen(s->text), "test") == HN_OK);
  snprintf(o->coordinates, sizeof o->coordinates, "reference");
  snprintf(o->verify, sizeof o->verify, "off");
  o->rtol = 1e-9;
  o->max_steps = 20000;
  if (!CHECK(hn_compile(&sys, model) == HN_OK)) printf("  %s\n", hn_model_error(model));
  for (int a = 0; sys && hn_solver_at(a); a++)
    for (int b = 0; hn_correction_at(b); b++) {
      int before = many[DONE];
      for (int c = 0; hn_integrator_at(c); c++) {
        const char *const parts[3] = {hn_solver_at(a)->name, hn_correction_at(b)->name,
                                      hn_integrator_at(c)->name};
        // steps over impacts: test_moreau.c has its order
        if (is(parts[2], "moreau")) continue;
        // every part with every third of the others
        if (run_quickly() && (a + b + c) % 3) continue;
        many[measure(s, sys, o, parts)]++;
      }
      if (many[DONE] > before)
        printf("  %s + %s\n", hn_solver_at(a)->name, hn_correction_at(b)->name);
    }
  printf("  %d right, %d refused, %d ended in words\n", many[DONE], many[REFUSED], many[FAILED]);
  CHECK(many[DONE] > (run_quickly() ? 150 : 600));
  hn_system_destroy(sys);
  hn_model_destroy(model);
}

static void bouncing(void) {
  scene s = {.text = bar, .joint = "hinge", .time = {0.1, 0.2, 0.35, 0.5, 0.7, 0.9, 1.1, 1.25}};
  for (int i = 0; i < TIMES; i++) bar_at(s.time[i], &s.exact[2 * i], &s.exact[2 * i + 1]);
  s.impacts = 2;
  matrix(&s);
}

static void sliding_off(void) {
  scene s = {.text = hill, .joint = "hill", .time = {0.1, 0.2, 0.3, 0.45, 0.52, 0.6, 0.75, 0.9}};
  for (int i = 0; i < TIMES; i++) mass_at(s.time[i], &s.exact[2 * i], &s.exact[2 * i + 1]);
  s.impacts = 1;
  printf("  leaves at %.4f s\n", slide_time(leave_angle()));
  matrix(&s);
}

int main(void) {
  RUN(bouncing);
  RUN(sliding_off);
  return test_end();
}
