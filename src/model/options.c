// options.c: one table of options; defaults, checks, help, the model file and the schema read it.
//
// A row is a member of hn_options: its default as text (for help) and as number, what it may be,
// and a sentence. Words are listed here, or by the tables of methods and their parts further up,
// which this floor cannot see. Order is that of the help.
#include "model/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// `optional`: the empty word is allowed, and leaves the choice to the preset.
#define WORD(field, fallback, words, optional, help)                                               \
  { {#field, "", fallback, help}, offsetof(hn_options, field), words, NULL, 0, 0, 0, optional }
#define CHOICE(field, fallback, help, ...)                                                         \
  {                                                                                                \
    {#field, "", fallback, help}, offsetof(hn_options, field), HN_WORDS_LISTED,                    \
        (const char *const[]){__VA_ARGS__, NULL}, 0, 0, 0, false                                   \
  }
// `zero`: 0 is allowed besides the range, and leaves the choice to holon.
#define NUMBER(field, fallback, low, high, zero, unit, help)                                       \
  {                                                                                                \
    {#field, unit, #fallback, help}, offsetof(hn_options, field), HN_WORDS_NONE, NULL, fallback,   \
        low, high, zero                                                                            \
  }

// what decides which method runs
static const hn_option table[] = {
    WORD(method, "default", HN_WORDS_METHODS, false,
         "preset of solver, correction and integrator; 'default' chooses them for the model"),
    WORD(solver, "", HN_WORDS_SOLVERS, true, "acceleration solver (empty: the preset's)"),
    WORD(correction, "", HN_WORDS_CORRECTIONS, true,
         "correction after a step (empty: the preset's)"),
    WORD(integrator, "", HN_WORDS_INTEGRATORS, true, "time integrator (empty: the preset's)"),
    CHOICE(coordinates, "auto",
           "coordinates of the equations: reference, relative, natural, or auto", "auto",
           "reference", "relative", "natural"),
    CHOICE(
        natural_points, "auto",
        "natural coordinates: points of hinges are shared, joined by rows that have reactions, or "
        "shared where no reaction is recorded (auto)",
        "auto", "shared", "joined"),
    CHOICE(reactions, "shared",
           "reactions recorded where joints are redundant: shared by stiffness, or as the method "
           "itself divides them (method)",
           "shared", "method"),
    CHOICE(
        code, "library",
        "equations of motion by the library, or by machine code written for the model (native), or "
        "by such code where it was kept or the run is long enough to pay for it (auto); "
        "'written' only prepares the model for such code",
        "library", "native", "auto", "written"),
    // how long, and in what steps
    NUMBER(duration, 10, 1e-9, 1e9, false, "s", "simulated time"),
    NUMBER(step, 0, 1e-12, 1e6, true, "s",
           "fixed step, or largest step of an adaptive integrator (0: free)"),
    NUMBER(output_step, 0, 1e-12, 1e9, true, "s",
           "interval between recorded rows (0: duration / 500)"),
    NUMBER(max_rows, 0, 1, 1e15, true, "",
           "rows that a run may record: more are refused before it starts (0: 1e8)"),
    NUMBER(
        max_steps, 0, 1, 1e15, true, "",
        "steps after which a run ends, refused ones included (0: when 100 000 steps take it on by "
        "less than a thousandth of the duration)"),
    // how well: relative to what the integrators call the size of a state
    NUMBER(rtol, 1e-7, 1e-14, 0.1, false, "", "relative tolerance of adaptive integrators"),
    NUMBER(atol, 0, 1e-18, 1, true, "",
           "absolute tolerance (0: rtol times the natural scale of each state)"),
    // what keeps constraints, of methods that need help with it
    NUMBER(alpha, 5, 0, 1e6, false, "1/s", "Baumgarte gain on velocity violation"),
    NUMBER(beta, 5, 0, 1e6, false, "1/s", "Baumgarte gain on position violation"),
    NUMBER(projection_tol, 1e-10, 1e-15, 1e-2, false, "",
           "scaled constraint violation a correction must reach"),
    // stops and switches
    CHOICE(impact_law, "newton",
           "restitution where several stops are met at once: ratio of rates (newton), of impulses "
           "(poisson), or one stop after the other (sequence)",
           "newton", "poisson", "sequence"),
    CHOICE(events, "on", "steps of explicit integrators end where a force switches (on, off)", "on",
           "off"),
    // steppers on the level of velocities (docs/methods)
    CHOICE(stepper_free, "euler", "integrator of the unconstrained part of velocity-level steppers",
           "euler", "midpoint", "heun", "rk4", "dopri5", "dop853", "crank-nicolson",
           "implicit-euler"),
    NUMBER(stepper_tau, 5, 0.5, 1e6, false, "",
           "velocity-baumgarte, augmented-displacement, -acceleration: number of steps in which "
           "violation decays"),
    NUMBER(stepper_theta, 0.5, 0.5, 1, false, "",
           "moreau: weight of the end of a step (0.5 keeps energy between contacts, 1 damps)"),
    NUMBER(
        soft_stiffness, 1e8, 1e-3, 1e20, false, "N/m, N m/rad",
        "velocity-soft, -augmented: stiffness of every row, times its joint's stiffness weight; a "
        "joint's own in place of it where it is soft"),
    NUMBER(soft_damping, 1e5, 0, 1e20, false, "N s/m, N m s/rad",
           "velocity-soft, -augmented: damping of every row, times its joint's stiffness weight"),
    // the audit: beyond these a run is said to have failed
    NUMBER(audit_position, 1e-6, 1e-15, 1e6, false, "m, rad",
           "largest position violation that passes the audit"),
    NUMBER(audit_velocity, 1e-5, 1e-15, 1e6, false, "m/s, rad/s",
           "largest velocity violation that passes the audit"),
    NUMBER(audit_acceleration, 1e-6, 1e-15, 1e6, false, "",
           "largest scaled acceleration residual that passes the audit"),
    NUMBER(audit_energy, 1e-4, 1e-15, 1e6, false, "",
           "largest energy imbalance that passes the audit, relative to the energy of the run"),
    NUMBER(audit_output, 1e-5, 1e-15, 1e6, false, "m, rad",
           "largest distance a recorded row is moved to meet the constraints"),
    NUMBER(audit_forces, 1e-9, 1e-15, 1e6, false, "",
           "largest imbalance of forces on a body that passes the audit, relative to these forces"),
    CHOICE(audit_steps, "on",
           "steps that are not recorded are audited now and then (on), or not, where every step "
           "counts (off)",
           "on", "off"),
    // errors that no residual shows: a second run tells them
    CHOICE(
        verify, "estimate",
        "error of the motion: from a companion run as far as it is cheap (estimate), whatever it "
        "costs (rerun), or not at all (off)",
        "off", "estimate", "rerun"),
    NUMBER(audit_motion, 0.01, 1e-15, 1e6, false, "",
           "largest error of positions and velocities that passes, relative to the size of the "
           "motion"),
    CHOICE(beam_check, "off",
           "error of beams by the number of their elements: from a run with every element as two "
           "(on; two to five times the work), or not at all (off)",
           "off", "on"),
    NUMBER(audit_beams, 0.01, 1e-15, 1e6, false, "",
           "largest such error of positions, velocities and forces that passes, each relative to "
           "the range of its kind"),
    NUMBER(audit_motion_absolute, 0, 1e-15, 1e6, true, "m, rad, m/s, rad/s",
           "the same absolute (0: no limit)"),
    NUMBER(audit_records, 0.01, 1e-15, 1e6, false, "",
           "largest disagreement of recorded changes and recorded rates over an output interval, "
           "relative to the model's size, speed and energy"),
    // penalty and augmented Lagrangian methods
    NUMBER(penalty, 0, 1e-3, 1e12, true, "",
           "penalty factor of constraint rows, times the stiffness of their joint (0: 1e7, or what "
           "the step of augmented-index3 needs)"),
    NUMBER(omega, 10, 0, 1e6, false, "1/s", "frequency at which penalty methods remove violations"),
    NUMBER(mu, 1, 0, 100, false, "", "damping ratio with which they do"),
    NUMBER(iteration_tol, 1e-12, 1e-15, 1e-2, false, "",
           "relative change that ends the iteration of augmented Lagrangian methods"),
    NUMBER(
        integral, 0.1, 0, 0.9, false, "",
        "baumgarte-integral: gain on the integral of the violation, part of its stability limit"),
    // single methods
    NUMBER(epsilon, 0, 1e-15, 1e6, true, "m/N, rad/(N m)",
           "staggered: compliance of the joints (0: a small part of what the step resolves)"),
    NUMBER(violation_bound, 1e-6, 1e-15, 1, false, "m, rad",
           "violation at which adaptive Baumgarte gains rise and the hybrid corrects"),
    CHOICE(optimiser, "levenberg-marquardt", "uk-newmark: how its equation is minimised",
           "levenberg-marquardt", "gauss-newton", "genetic"),
    NUMBER(regularisation, 1e-10, 0, 1, false, "",
           "uk-newmark: weight that keeps accelerations where nothing else determines them"),
    CHOICE(null_basis, "qr", "basis of the null-space solver", "qr", "svd", "lu", "gram-schmidt"),
    CHOICE(direct_inverse, "sparse",
           "pseudo-inverse of the correction 'direct': by sparse factors, of all rows where these "
           "are redundant by QR (sparse), or always by one of the others",
           "sparse", "qr", "svd", "gram-schmidt"),
    CHOICE(uk_feedback, "off",
           "udwadia-kalaba, uk-newmark: the right-hand side of the constraints has Baumgarte's "
           "feedback, with gains alpha and beta (on, off)",
           "on", "off"),
    CHOICE(baumgarte_gains, "digital", "baumgarte-rule: where the gains come from", "digital",
           "taylor", "bae-yang"),
    CHOICE(scaling, "full",
           "index3: what Newton's equations are scaled by: rows and unknowns (full), rows alone "
           "(left), nothing (none)",
           "full", "left", "none"),
    CHOICE(undamped_projection, "on",
           "index3 without damping (rho_inf = 1): velocities and accelerations are projected onto "
           "the constraints after each step (on, off: to see what happens then)",
           "on", "off"),
    // implicit methods
    NUMBER(rho_inf, 0.8, 0, 1, false, "",
           "implicit steppers: part of a vibration far too fast for the step that survives it"),
    NUMBER(newton_tol, 1e-8, 1e-14, 1e-3, false, "",
           "implicit steppers: error Newton's iteration may leave, relative to the motion"),
    NUMBER(bdf_order, 5, 1, 5, false, "", "*-bdf: highest order of the formulas"),
    CHOICE(
        split_iteration, "full",
        "coordinate-split, maggi-perturbation: derivatives in Newton's iteration are exact (full) "
        "or without the motion of the projection, as Yen and Petzold modified it (modified)",
        "full", "modified"),
    NUMBER(dissipation, 1, 0, 1, false, "",
           "energy-decaying: 1 leaves nothing of a vibration far too fast for the step, 0 all"),
    // what is restored or counted besides
    CHOICE(correction_energy, "off", "on: a correction restores the total energy as well", "on",
           "off"),
    CHOICE(
        ledger, "off",
        "on: counts what every force without potential, driver and impact brings in or takes out",
        "on", "off"),
};

// programs compiled for an earlier version hold options of this size: what comes makes `reserved`
// smaller, and nothing before it moves
_Static_assert(sizeof(hn_options) == 2048, "the size of hn_options is fixed");

enum { COUNT = (int)(sizeof table / sizeof *table) };

// Members that are no row (reserved) are zero, which every later version must take for its default.
hn_options hn_options_default(void) {
  // zeros first, since not all of it has a row
  hn_options opt;
  memset(&opt, 0, sizeof opt);
  for (int i = 0; i < COUNT; i++) {
    char *field = (char *)&opt + table[i].offset;
    // words are arrays of HN_WORD_SIZE in the struct, numbers doubles
    if (table[i].words)
      memcpy(field, table[i].info.fallback, strlen(table[i].info.fallback) + 1);
    else
      memcpy(field, &table[i].value, sizeof(double));
  }
  return opt;
}

int hn_option_count(void) {
  return COUNT;
}

const hn_option *hn_option_row(int index) {
  return index >= 0 && index < COUNT ? &table[index] : NULL;
}

const hn_option_info *hn_option_at(int index) {
  const hn_option *row = hn_option_row(index);
  return row ? &row->info : NULL;
}

const hn_option *hn_option_find(const char *name) {
  // the first letter alone settles most of them
  for (int i = 0; i < COUNT; i++)
    if (*table[i].info.name == *name && strcmp(table[i].info.name, name) == 0) return &table[i];
  return NULL;
}

hn_status hn_option_refuse(char *message, size_t size, const char *format, ...) {
  // NULL where nobody wants to know why
  if (message && size > 0) {
    va_list args;
    va_start(args, format);
    vsnprintf(message, size, format, args);
    va_end(args);
  }
  return HN_ERR_ARGUMENT;
}

// Comparisons alone would let NaN pass.
hn_status hn_option_check(const hn_option *row, double number, char *message, size_t size) {
  if (!isfinite(number))
    return hn_option_refuse(message, size, "%s must be a finite number", row->info.name);
  if (number == 0 && row->automatic) return HN_OK;
  if (number < row->low || number > row->high)
    return hn_option_refuse(message, size, "%s must lie between %g and %g%s, not %g",
                            row->info.name, row->low, row->high, row->automatic ? ", or be 0" : "",
                            number);
  return HN_OK;
}

// Programs write into the struct themselves: the end of the text is not taken for granted.
static hn_status check_word(const hn_option *row, const char *word, char *message, size_t size) {
  if (!memchr(word, 0, HN_WORD_SIZE))
    return hn_option_refuse(message, size, "%s: the word has no end", row->info.name);
  // names of methods are looked up where their tables are
  if (row->words != HN_WORDS_LISTED) return HN_OK;
  for (int i = 0; row->list[i]; i++)
    if (strcmp(row->list[i], word) == 0) return HN_OK;
  return hn_option_refuse(message, size, "%s: nothing is named '%s'", row->info.name, word);
}

hn_status hn_options_check(const hn_options *options, char *message, size_t size) {
  for (int i = 0; i < COUNT; i++) {
    const char *field = (const char *)options + table[i].offset;
    double number;
    // by copying: a member may stand anywhere in a struct of bytes; for words the number means
    // nothing
    memcpy(&number, field, sizeof number);
    hn_status status = table[i].words ? check_word(&table[i], field, message, size)
                                      : hn_option_check(&table[i], number, message, size);
    if (status) return status;
  }
  return HN_OK;
}

bool hn_options_equal(const hn_options *a, const hn_options *b) {
  for (int i = 0; i < COUNT; i++) {
    const char *x = (const char *)a + table[i].offset, *y = (const char *)b + table[i].offset;
    // words up to their end, since what follows it in the array may differ; numbers by their bits
    if (table[i].words ? strcmp(x, y) != 0 : memcmp(x, y, sizeof(double)) != 0) return false;
  }
  return true;
}
