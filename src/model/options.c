// options.c: one table of options; defaults, checks, help, the model file and the schema read it.
#include "model/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/expr.h"

// words come from the method tables themselves, so a new method needs no change here
static const char *method_word(int index) {
  const hn_method_info *method = hn_method_at(index);
  return method ? method->name : NULL;
}
static const char *solver_word(int index) {
  const hn_type_info *type = hn_solver_at(index);
  return type ? type->name : NULL;
}
static const char *correction_word(int index) {
  const hn_type_info *type = hn_correction_at(index);
  return type ? type->name : NULL;
}
static const char *integrator_word(int index) {
  const hn_type_info *type = hn_integrator_at(index);
  return type ? type->name : NULL;
}
static const char *coordinates_word(int index) {
  static const char *const words[] = {"auto", "reference", "relative", "natural"};
  return index >= 0 && index < 4 ? words[index] : NULL;
}
static const char *points_word(int index) {
  static const char *const words[] = {"auto", "shared", "joined"};
  return index >= 0 && index < 3 ? words[index] : NULL;
}
static const char *code_word(int index) {
  static const char *const words[] = {"library", "native", "written"};
  return index >= 0 && index < 3 ? words[index] : NULL;
}
static const char *switch_word(int index) {
  static const char *const words[] = {"on", "off"};
  return index >= 0 && index < 2 ? words[index] : NULL;
}
static const char *free_word(int index) {
  static const char *const words[] = {"euler", "midpoint", "rk4"};
  return index >= 0 && index < 3 ? words[index] : NULL;
}

static const char *optimiser_word(int index) {
  static const char *const words[] = {"levenberg-marquardt", "gauss-newton", "genetic"};
  return index >= 0 && index < 3 ? words[index] : NULL;
}

static const char *basis_word(int index) {
  static const char *const words[] = {"qr", "svd", "lu"};
  return index >= 0 && index < 3 ? words[index] : NULL;
}

#define WORD(field, fallback, words, optional, help)                                               \
  { {#field, "", fallback, help}, offsetof(hn_options, field), words, 0, 0, 0, optional }
#define NUMBER(field, fallback, low, high, zero, unit, help)                                       \
  { {#field, unit, #fallback, help}, offsetof(hn_options, field), NULL, fallback, low, high, zero }

static const hn_option table[] = {
    WORD(method, "default", method_word, false,
         "preset of solver, correction and integrator; 'default' is lagrange + mass + dopri5"),
    WORD(solver, "", solver_word, true, "acceleration solver (empty: the preset's)"),
    WORD(correction, "", correction_word, true, "correction after a step (empty: the preset's)"),
    WORD(integrator, "", integrator_word, true, "time integrator (empty: the preset's)"),
    WORD(coordinates, "auto", coordinates_word, false,
         "coordinates of the equations: reference, relative, natural, or auto"),
    WORD(natural_points, "auto", points_word, false,
         "natural coordinates: points of hinges are shared, joined by rows that have reactions, or "
         "shared where no reaction is recorded (auto)"),
    WORD(code, "library", code_word, false,
         "equations of motion by the library, or by machine code written for the model (native); "
         "'written' only prepares the model for such code"),
    NUMBER(duration, 10, 1e-9, 1e9, false, "s", "simulated time"),
    NUMBER(step, 0, 1e-12, 1e6, true, "s",
           "fixed step, or largest step of an adaptive integrator (0: free)"),
    NUMBER(output_step, 0, 1e-12, 1e9, true, "s",
           "interval between recorded rows (0: duration / 500)"),
    NUMBER(rtol, 1e-7, 1e-14, 0.1, false, "", "relative tolerance of adaptive integrators"),
    NUMBER(atol, 0, 1e-18, 1, true, "",
           "absolute tolerance (0: rtol times the natural scale of each state)"),
    NUMBER(alpha, 5, 0, 1e6, false, "1/s", "Baumgarte gain on velocity violation"),
    NUMBER(beta, 5, 0, 1e6, false, "1/s", "Baumgarte gain on position violation"),
    NUMBER(projection_tol, 1e-10, 1e-15, 1e-2, false, "",
           "scaled constraint violation a correction must reach"),
    WORD(events, "on", switch_word, false,
         "steps of explicit integrators end where a force switches (on, off)"),
    WORD(stepper_free, "euler", free_word, false,
         "unconstrained part of velocity-level steppers (euler, midpoint, rk4)"),
    NUMBER(stepper_tau, 5, 0.5, 1e6, false, "",
           "velocity-baumgarte: number of steps in which violation decays"),
    NUMBER(soft_stiffness, 1e8, 1e-3, 1e20, false, "N/m, N m/rad",
           "velocity-soft, -augmented: stiffness of every row, times its joint's stiffness weight"),
    NUMBER(soft_damping, 1e5, 0, 1e20, false, "N s/m, N m s/rad",
           "velocity-soft, -augmented: damping of every row, times its joint's stiffness weight"),
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
    NUMBER(penalty, 1e7, 1e-3, 1e12, false, "",
           "penalty factor of constraint rows, times the stiffness of their joint"),
    NUMBER(omega, 10, 0, 1e6, false, "1/s", "frequency at which penalty methods remove violations"),
    NUMBER(mu, 1, 0, 100, false, "", "damping ratio with which they do"),
    NUMBER(iteration_tol, 1e-12, 1e-15, 1e-2, false, "",
           "relative change that ends the iteration of augmented Lagrangian methods"),
    NUMBER(
        integral, 0.1, 0, 0.9, false, "",
        "baumgarte-integral: gain on the integral of the violation, part of its stability limit"),
    NUMBER(epsilon, 0, 1e-15, 1, true, "m/N, rad/(N m)",
           "staggered: compliance of the joints (0: as small as the step allows)"),
    NUMBER(violation_bound, 1e-6, 1e-15, 1, false, "m, rad",
           "violation at which adaptive Baumgarte gains rise and the hybrid corrects"),
    WORD(optimiser, "levenberg-marquardt", optimiser_word, false,
         "uk-newmark: how its equation is minimised"),
    NUMBER(regularisation, 1e-10, 0, 1, false, "",
           "uk-newmark: weight that keeps accelerations where nothing else determines them"),
    WORD(null_basis, "qr", basis_word, false, "basis of the null-space solver"),
    NUMBER(rho_inf, 0.8, 0, 1, false, "",
           "implicit steppers: part of a vibration far too fast for the step that survives it"),
    NUMBER(newton_tol, 1e-8, 1e-14, 1e-3, false, "",
           "implicit steppers: error Newton's iteration may leave, relative to the motion"),
    NUMBER(dissipation, 0.5, 0, 1, false, "",
           "energy-decaying: damping of motion that changes within a few steps"),
    WORD(correction_energy, "off", switch_word, false,
         "on: a correction restores the total energy as well"),
};

enum { COUNT = (int)(sizeof table / sizeof *table), WORD_SIZE = sizeof((hn_options *)0)->method };

hn_options hn_options_default(void) {
  hn_options opt;
  memset(&opt, 0, sizeof opt);
  for (int i = 0; i < COUNT; i++) {
    char *field = (char *)&opt + table[i].offset;
    if (table[i].word_at)
      snprintf(field, WORD_SIZE, "%s", table[i].info.fallback);
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
  for (int i = 0; i < COUNT; i++)
    if (strcmp(table[i].info.name, name) == 0) return &table[i];
  return NULL;
}

__attribute__((format(printf, 3, 4))) static hn_status refuse(char *message, size_t size,
                                                              const char *format, ...) {
  if (message && size > 0) {
    va_list args;
    va_start(args, format);
    vsnprintf(message, size, format, args);
    va_end(args);
  }
  return HN_ERR_ARGUMENT;
}

static hn_status refuse_name(char *message, size_t size, const char *name) {
  const char *names[COUNT + 1];
  for (int i = 0; i < COUNT; i++) names[i] = table[i].info.name;
  names[COUNT] = NULL;
  const char *near = hn_nearest(name, names);
  if (near) return refuse(message, size, "unknown option '%.60s' (did you mean '%s'?)", name, near);
  return refuse(message, size, "unknown option '%.60s'", name);
}

static hn_status set_word(const hn_option *row, char *field, const char *value, char *message,
                          size_t size) {
  enum { MOST = 255 };
  const char *words[MOST + 1];
  int count = 0;
  bool known = (row->automatic && !*value) || strcmp(value, row->info.fallback) == 0;
  for (const char *word; count < MOST && (word = row->word_at(count)); count++) {
    words[count] = word;
    known = known || strcmp(value, word) == 0;
  }
  words[count] = NULL;
  if (known && strlen(value) < WORD_SIZE) {
    snprintf(field, WORD_SIZE, "%s", value);
    return HN_OK;
  }
  const char *near = hn_nearest(value, words);
  if (near)
    return refuse(message, size, "%s: nothing is named '%.60s' (did you mean '%s'?)",
                  row->info.name, value, near);
  return refuse(message, size, "%s: nothing is named '%.60s'", row->info.name, value);
}

static hn_node no_names(void *user, hn_graph *graph, const char *name, size_t length) {
  (void)user, (void)graph, (void)name, (void)length;
  return -1;
}

static hn_status set_number(const hn_option *row, char *field, const char *value, char *message,
                            size_t size) {
  double number;
  hn_expr_error error = {0};
  if (!hn_parse_number(value, strlen(value), no_names, NULL, &number, &error))
    return refuse(message, size, "%s: %s", row->info.name, error.message);
  if (!isfinite(number)) return refuse(message, size, "%s must be a finite number", row->info.name);
  if (number == 0 && row->automatic)
    number = 0;  // no negative zero
  else if (number < row->low || number > row->high)
    return refuse(message, size, "%s must lie between %g and %g%s, not %g", row->info.name,
                  row->low, row->high, row->automatic ? ", or be 0" : "", number);
  memcpy(field, &number, sizeof number);
  return HN_OK;
}

hn_status hn_options_set(hn_options *opt, const char *name, const char *value, char *message,
                         size_t size) {
  if (!opt || !name || !value) return refuse(message, size, "an option needs a name and a value");
  const hn_option *row = hn_option_find(name);
  if (!row) return refuse_name(message, size, name);
  char *field = (char *)opt + row->offset;
  return row->word_at ? set_word(row, field, value, message, size)
                      : set_number(row, field, value, message, size);
}
