// reproduce_castro2025.c: A. Castro, Notes on Constrained Multibody Dynamics (2025).
//
// The notes describe time stepping at the velocity level and take a ship model in a towing tank as
// their example: heave h(t) prescribed, pitch free, all else held. They give no figures; what they
// state about the methods is looked at here. With the centre of mass at p from the mount, in ship
// axes, pitch th about y, and a spring and a damper at the mount, the pitch obeys
//
//   (Iyy + m p^2) th'' = m (g + h'') (px cos th + pz sin th) - k th - c th'
//
// which is solved beside by RK4 with small steps, and the mount carries
//
//   Fz = m (g + h'' - (px cos th + pz sin th) th'' + (px sin th - pz cos th) th'^2).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

enum { HARD, PROJECTED, BAUMGARTE, SOFT, SCHEMES };
static const struct {
  const char *label, *method, *correction;
} schemes[SCHEMES] = {
    {"hard", "velocity-hard", "none"},
    {"projection", "velocity-hard", "direct"},
    {"Baumgarte", "velocity-baumgarte", "none"},
    {"soft", "velocity-soft", "none"},
};

// ---- the pitch as one equation -------------------------------------------------------------

static const double mass = 120, px = 0.15, pz = -0.12, inertia = 60, g = 9.81;
static const double spring = 900, damper = 15, amplitude = 0.08, frequency = 3, start = 0.1;

// weight and heave together, for a mass of one
static double lift(double t) {
  return g - amplitude * frequency * frequency * sin(frequency * t);
}

// inertia about the mount: the parallel axis adds m p^2
static double pitch_acceleration(double t, double th, double rate) {
  double arm = px * cos(th) + pz * sin(th);
  return (mass * lift(t) * arm - spring * th - damper * rate) /
         (inertia + mass * (px * px + pz * pz));
}

static double mount_force(double t, double th, double rate) {
  // arms of the centre of mass about the mount, across and upwards
  double arm = px * cos(th) + pz * sin(th), height = px * sin(th) - pz * cos(th);
  return mass * (lift(t) - arm * pitch_acceleration(t, th, rate) + height * rate * rate);
}

// classical Runge and Kutta, kept apart from the program's own
static void rk4_step(double t, double h, double y[2]) {
  static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  double k[2] = {0, 0}, sum[2] = {0, 0};
  for (int j = 0; j < 4; j++) {
    double th = y[0] + node[j] * h * k[0], rate = y[1] + node[j] * h * k[1];
    k[0] = rate;
    k[1] = pitch_acceleration(t + node[j] * h, th, rate);
    for (int i = 0; i < 2; i++) sum[i] += weight[j] * k[i];
  }
  for (int i = 0; i < 2; i++) y[i] += h / 6 * sum[i];
}

// ---- runs ----------------------------------------------------------------------------------

typedef struct outcome {
  curve violation;                  // largest of the rows, over time
  curve pitch, force;               // [rad]; [N] of the mount, upwards
  double pitch_error, force_error;  // largest, against the one equation
  double heave;                     // [m] largest violation of the heave
} outcome;

static void free_outcome(outcome *o) {
  curve_free(&o->violation);
  curve_free(&o->pitch);
  curve_free(&o->force);
}

// measures a run by the exact motion; `after` is the age of the impulses that make a force
// 50 steps within an output step of 0.02 s
static void measure(outcome *o, double after) {
  enum { SUBSTEPS = 50 };
  double y[2] = {start, 0}, t = 0;
  for (int i = 0; i < o->pitch.count; i++) {
    double h = (o->pitch.x[i] - t) / SUBSTEPS;
    for (int n = 0; n < SUBSTEPS && h > 0; n++) rk4_step(t + n * h, h, y);
    // forces of impulses belong to the middle of the step
    t = o->pitch.x[i];
    o->pitch_error = fmax(o->pitch_error, fabs(o->pitch.y[i] - y[0]));
    double th = y[0] - after * y[1];
    double exact = mount_force(t - after, th, y[1] - after * pitch_acceleration(t, th, y[1]));
    if (i > 0) o->force_error = fmax(o->force_error, fabs(o->force.y[i] - exact));
  }
}

static bool run_scheme(report *r, int scheme, const setting *more, double step, double duration,
                       outcome *o) {
  char step_text[CELL], time_text[CELL];
  setting options[8] = {{"method", schemes[scheme].method},
                        {"correction", schemes[scheme].correction},
                        {"step", number_text(step_text, step)},
                        {"duration", number_text(time_text, duration)},
                        {"output_step", "0.02"}};
  // two more at most: room for them and the end of the list
  for (int i = 0; more && more[i].name && i < 2; i++) options[5 + i] = more[i];
  experiment e;
  bool good = experiment_run(&e, "ship_mount", NULL, options);
  const char *label = schemes[scheme].label;
  // the pitch is found from the ship's quaternion
  curve q0 = experiment_curve(&e, label, "ship.q0"), z = experiment_curve(&e, label, "ship.z");
  *o = (outcome){.violation = experiment_curve(&e, label, "residual.position"),
                 .pitch = experiment_curve(&e, label, "ship.q2"),
                 .force = experiment_curve(&e, label, "heave.fz")};
  if (!good) {
    report_failure(r, "ship_mount by %s: %s", schemes[scheme].method, e.message);
  } else {
    for (int i = 0; i < o->pitch.count; i++) {
      // from half the angle
      o->pitch.y[i] = 2 * atan2(o->pitch.y[i], q0.y[i]);
      // what the prescribed heave is missed by
      o->heave = fmax(o->heave, fabs(z.y[i] - amplitude * sin(frequency * z.x[i])));
    }
    measure(o, 0.5 * step);
  }
  curve_free(&q0);
  curve_free(&z);
  experiment_free(&e);
  return good;
}

// ---- claims --------------------------------------------------------------------------------

static double most(const outcome *o) {
  return curve_max(&o->violation, 0, o->violation.count);
}

// the violation each leaves; `fine` has half the step
static void claim_drift(report *r, const outcome *o, const outcome *fine) {
  // of order one: half the step, half the drift
  double shrinks = most(&o[HARD]) / most(&fine[HARD]);
  report_claim(r, "hard: violation", "drifts",
               judge(most(&o[HARD]) > 1e-6 && fabs(shrinks - 2) < 0.2, false), NULL,
               "%.2g, half step %.2g", most(&o[HARD]), most(&fine[HARD]));
  report_claim(r, "projection: violation", "zero to precision",
               judge(most(&o[PROJECTED]) < 1e-12, false), NULL, "%.2g", most(&o[PROJECTED]));
  report_claim(
      r, "Baumgarte: violation", "small deviations",
      judge(most(&o[BAUMGARTE]) < 0.1 * most(&o[HARD]) && most(&o[BAUMGARTE]) > most(&o[PROJECTED]),
            false),
      NULL, "%.2g", most(&o[BAUMGARTE]));
  // a spring of 1e8 N/m under this load
  double load = curve_max(&o[SOFT].force, 0, o[SOFT].force.count);
  report_claim(r, "soft: deviation of the heave", "force / stiffness",
               judge(fabs(o[SOFT].heave / (load / 1e8) - 1) < 0.2, false), NULL,
               "%.3g m for %.3g m", o[SOFT].heave, load / 1e8);
}

static void claim_motion(report *r, const outcome *o, const outcome *fine) {
  for (int i = 0; i < SCHEMES; i++) {
    char what[80];
    // the splitting is of order one, whatever it is made of
    double order = log2(o[i].pitch_error / fine[i].pitch_error);
    snprintf(what, sizeof what, "%s: order of the pitch", schemes[i].label);
    report_claim(r, what, "1", judge(fabs(order - 1) < 0.15, false), NULL, "%.2f, error %.2g rad",
                 order, o[i].pitch_error);
    order = log2(o[i].force_error / fine[i].force_error);
    snprintf(what, sizeof what, "%s: order of the force", schemes[i].label);
    report_claim(r, what, "1 (impulse / step)", judge(order > 0.85, false), NULL,
                 "%.2f, error %.2g N", order, o[i].force_error);
  }
  double gain = o[PROJECTED].pitch_error / o[SOFT].pitch_error;
  report_claim(r, "projection and soft: pitch error", "no additional gain",
               judge(gain > 0.5 && gain < 2, false), NULL, "ratio %.3g", gain);
}

// stiffness that is not too much, feedback that is
static bool claim_limits(report *r, const outcome *o, double step, double duration) {
  const setting stiff[] = {{"soft_stiffness", "1e14"}, {"soft_damping", "1e8"}, {0}};
  // in steps: one takes all of a violation at once, half a step would turn it round
  const setting at_once[] = {{"stepper_tau", "1"}, {0}}, at_limit[] = {{"stepper_tau", "0.5"}, {0}};
  outcome high = {0}, dead_beat = {0}, limit = {0};
  bool good = run_scheme(r, SOFT, stiff, step, duration, &high) &&
              run_scheme(r, BAUMGARTE, at_once, step, duration, &dead_beat) &&
              run_scheme(r, BAUMGARTE, at_limit, step, duration, &limit);
  if (good) {
    report_claim(r, "soft, 1e14 N/m: pitch error", "stable",
                 judge(high.pitch_error < 2 * o[SOFT].pitch_error, false), NULL, "%.2g rad",
                 high.pitch_error);
    // each step leaves 1 - step/tau of a violation and adds its own, so that tau/step times that
    // remain; below step/2 that factor is less than -1
    double at_five = most(&o[BAUMGARTE]) / most(&dead_beat),
           at_half = most(&limit) / most(&dead_beat);
    hn_options scratch = hn_options_default();
    char message[128];
    bool refused =
        hn_options_set(&scratch, "stepper_tau", "0.49", message, sizeof message) != HN_OK;
    report_claim(r, "Baumgarte, small tau", "can be unstable",
                 judge(refused && fabs(at_five - 5) < 0.5 && fabs(at_half - 0.5) < 0.1, false),
                 NULL, "5, 1, 1/2 steps: %.2f, 1, %.2f", at_five, at_half);
  }
  free_outcome(&high), free_outcome(&dead_beat), free_outcome(&limit);
  return good;
}

// ---- integrators of v* ---------------------------------------------------------------------

enum { FREE = 8, STEPS = 3 };
static const char *const free_by[FREE] = {"euler",  "midpoint", "heun",           "rk4",
                                          "dopri5", "dop853",   "crank-nicolson", "implicit-euler"};

// error of the pitch over the step, for every integrator of v*
static bool claim_integrators(report *r, double step, double duration) {
  curve lines[FREE] = {{0}};
  double values[FREE][2 * STEPS] = {{0}};
  bool good = true;
  for (int i = 0; i < FREE && good; i++) {
    const setting by[] = {{"stepper_free", free_by[i]}, {0}};
    // x and y of each line in one row of numbers
    lines[i] = (curve){free_by[i], STEPS, values[i], values[i] + STEPS};
    for (int k = 0; k < STEPS && good; k++) {
      outcome o = {0};
      double h = step * pow(0.5, k);
      good = run_scheme(r, PROJECTED, by, h, duration, &o);
      lines[i].x[k] = h, lines[i].y[k] = o.pitch_error;
      free_outcome(&o);
    }
    const double *e = lines[i].y;
    // from the two finest steps
    double order = log2(e[STEPS - 2] / e[STEPS - 1]);
    char what[80];
    snprintf(what, sizeof what, "v* by %s: order", free_by[i]);
    if (good)
      report_claim(r, what, "any scheme will do",
                   judge(fabs(order - 1) < 0.15 && e[0] < 3 * lines[0].y[0], false), NULL,
                   "%.2f, error %.3g rad", order, e[0]);
  }
  if (good)
    report_chart(
        r, "integrators.svg",
        "Section 3: v* by every integrator there is. The constraints act at the end of the "
        "step all the same, so that the splitting's order 1 is what remains.",
        &(chart){.title = "Error of the pitch by the integrator of v*",
                 .x = "step",
                 .x_unit = "s",
                 .label = "error",
                 .unit = "rad",
                 .log_x = true,
                 .log_y = true,
                 .count = FREE,
                 .curves = lines});
  return good;
}

static void draw(report *r, const outcome *o) {
  curve curves[SCHEMES];
  for (int i = 0; i < SCHEMES; i++) curves[i] = o[i].violation;
  report_chart(
      r, "violation.svg",
      "Sections 3 to 5: hard constraints drift, projection removes the drift, feedback and "
      "springs leave small deviations.",
      &(chart){.title = "Ship on its mount: largest violation",
               .label = "violation",
               .unit = "m or rad",
               .log_y = true,
               .count = SCHEMES,
               .curves = curves});
  for (int i = 0; i < SCHEMES; i++) curves[i] = o[i].pitch;
  report_chart(r, "pitch.svg", "The pitch, which is free: one motion by all schemes.",
               &(chart){.title = "Pitch of the ship",
                        .label = "pitch",
                        .unit = "rad",
                        .count = SCHEMES,
                        .curves = curves});
  for (int i = 0; i < SCHEMES; i++) curves[i] = o[i].force;
  report_chart(r, "force.svg", "Impulses of the heave constraint over the step: its force.",
               &(chart){.title = "Force that heaves the ship",
                        .label = "force",
                        .unit = "N",
                        .count = SCHEMES,
                        .curves = curves});
}

static int run(const paper_request *request) {
  report *r = request->report;
  // quick: a tenth of the time
  const double step = 1e-3, duration = request->quick ? 1 : 10;
  outcome coarse[SCHEMES] = {0}, fine[SCHEMES] = {0};
  report_heading(r, "Ship model in a towing tank");
  report_text(r,
              "Model `ship_mount`: 120 kg, heave 0.08 sin(3 t) m, pitch against a spring of 900 N "
              "m/rad and a damper of 15 N m s/rad. The notes give no figures of their own, so "
              "these are ours; %g s with a step of %g s and with half of it, Baumgarte's tau 5 "
              "steps, soft constraints of 1e8 N/m and 1e5 N s/m. The constraints are those of the "
              "notes: roll, yaw, x, y and z - h(t).",
              duration, step);
  bool good = true;
  for (int i = 0; i < SCHEMES && good; i++)
    good = run_scheme(r, i, NULL, step, duration, &coarse[i]) &&
           run_scheme(r, i, NULL, 0.5 * step, duration, &fine[i]);
  if (good) {
    claim_drift(r, coarse, fine);
    claim_motion(r, coarse, fine);
    good = claim_limits(r, coarse, step, duration) &&
           claim_integrators(r, step, request->quick ? 0.5 : duration);
    report_table(r);
    report_text(
        r,
        "Pitch and force are compared with the one equation that remains when everything "
        "else is eliminated. A force is the impulse of a step over its length, and belongs "
        "to the middle of the step. Feedback leaves the part 1 - step/tau of a violation in each "
        "step, so that tau/step times what a step adds remain; it turns the violation over at tau "
        "= step/2, and "
        "below that, where it would grow, it is refused. Equations (12), (31) and (32) of the "
        "notes are "
        "used in "
        "corrected form: J M^-1 J^T, and h (d + h k) with J^T on the right-hand side.");
    draw(r, coarse);
  }
  for (int i = 0; i < SCHEMES; i++) free_outcome(&coarse[i]), free_outcome(&fine[i]);
  return good ? CODE_DONE : CODE_FAILED;
}

const paper paper_castro2025 = {
    .name = "castro2025",
    .title = "A. Castro, Notes on Constrained Multibody Dynamics (2025)",
    .summary =
        "velocity-level stepping of a ship in a towing tank: hard, projected, fed back, soft",
    .run = run,
};
