// process.c: ready-made processes from an input to an output, written as states and signals.
//
// A process N with the input u becomes formulas that are read like any others, so that all
// derivatives are exact and steps end where it switches:
//
//   lag                T N' = g u - N
//   transfer-function  x_1' = x_2 ... x_n' = (u - a_0 x_1 - ... - a_(n-1) x_n) / a_n,
//                      N = sum (b_i - a_i b_n / a_n) x_(i+1) + b_n / a_n u
//   state-space        x' = A x + B u,  N = C x + D u
//   pid                N = sat(kp u + I + kd (u - s) / Tf),  Tf s' = u - s,
//                      I' = ki u - (what sat cuts off) / Tt
//   saturation         N = g sat(u)
//   dead-band          N = g (u - sat(u))
//   backlash           T N' = u - N where that is beyond half of the width, less half of it
//   relay              T r' = sign(u + w/2 r) - r,  N between low (r = -1) and high (r = 1)
//   rate-limiter       N' = sat((u - N) / T), between -falling and rising
//
// sat keeps between low and high. States are called N_1, N_2 ..., other signals as said below.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/check.h"
#include "model/fields.h"
#include "model/model.h"

typedef struct process {
  hn_model *model;
  const hn_process_def *def;
  char *text;         // formula being written
  size_t room, used;  // of `text`: bytes there are, and in use
  bool failed;        // out of memory
} process;

// formulas of large systems are long: the text grows as needed
__attribute__((format(printf, 2, 3))) static void put(process *p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = hn_plain_text_list(NULL, 0, format, args);
  va_end(args);
  size_t need = p->used + (size_t)n + 1;
  if (need > p->room) {
    char *grown = realloc(p->text, 2 * need);  // twice, so that growing costs little in all
    p->failed |= !grown;
    if (!grown) return;
    p->text = grown, p->room = 2 * need;
  }
  va_start(args, format);
  hn_plain_text_list(p->text + p->used, p->room - p->used, format, args);
  va_end(args);
  p->used += (size_t)n;
}

// the text of the last formula is written over; without memory `failed` says so before it is used
static void begin(process *p) {
  p->used = 0;
  put(p, "%s", "");
}

// adds what was written as a signal: N, or N_suffix; with a start it is the rate of a state
static hn_status add(process *p, const char *suffix, const double *start) {
  char name[200];
  if (p->failed) return hn_model_fail(p->model, p->model->now, HN_ERR_MEMORY, "out of memory");
  // long names are cut here, and refused by hn_add_signal for their length
  snprintf(name, sizeof name, "%.150s%s%s", p->def->name, suffix ? "_" : "", suffix ? suffix : "");
  hn_signal_def signal = {.name = name, .unit = suffix ? NULL : p->def->unit};
  // `steady` and `size` are about states alone
  if (start) {
    signal.rate = p->text;
    signal.start = *start;
    signal.steady = p->def->steady;
    signal.size = p->def->size;
  } else {
    signal.formula = p->text;
  }
  return hn_add_signal(p->model, &signal);
}

static hn_status add_numbered(process *p, int k, const double *start) {
  char suffix[16];
  snprintf(suffix, sizeof suffix, "%d", k);
  return add(p, suffix, start);
}

// the text of x kept between low and high, which is then written
// min inside, max outside: where low is above high, low wins
static void put_limited(process *p, const char *x, double low, double high) {
  bool lower = isfinite(low), upper = isfinite(high);
  put(p, "%s%s%s", lower ? "max(" : "", upper ? "min(" : "", x);
  if (upper) put(p, ", %.17g)", high);  // 17 digits: the number that was given, bit for bit
  if (lower) put(p, ", %.17g)", low);
}

// what x exceeds low and high by, the same without a difference of equal numbers
static void put_excess(process *p, const char *x, double low, double high) {
  // a sum of two terms, one of which is always 0
  put(p, "(0");
  if (isfinite(high)) put(p, " + max((%s) - %.17g, 0)", x, high);
  if (isfinite(low)) put(p, " + min((%s) - %.17g, 0)", x, low);
  put(p, ")");
}

static hn_status fail(const process *p, const char *key, const char *words) {
  return hn_element_fail(p->model, key, "%s", words);
}

// a gain that was not given; 0 cannot be meant (its range)
static double factor(double given) {
  return given != 0 ? given : 1;
}

// the limits of a process that needs both, or NULL and words
static hn_status check_limits(const process *p, bool both) {
  const hn_process_def *d = p->def;
  if (both && !(d->low_given && d->high_given)) return fail(p, "low", "needs low and high");
  if (d->low_given && d->high_given && !(d->low < d->high))
    return fail(p, "low", "low must be below high");
  return HN_OK;
}

// no limit is an infinite one, which is left out of the text
static double low(const hn_process_def *d) {
  return d->low_given ? d->low : -INFINITY;
}
static double high(const hn_process_def *d) {
  return d->high_given ? d->high : INFINITY;
}

// ---- the types -----------------------------------------------------------------------------

static hn_status lag(process *p) {
  const hn_process_def *d = p->def;
  // braces around the input: it may be any formula
  put(p, "(%.17g*(%s) - %s)/%.17g", factor(d->gain), d->input, d->name, d->time);
  return add(p, NULL, &d->start);
}

static hn_status transfer_function(process *p) {
  const hn_process_def *d = p->def;
  int n = d->denominator_count - 1, zeros = d->numerator_count - 1;  // degrees
  // highest powers first in the definition
  const double *a = d->denominator, *b = d->numerator;
  if (n < 1 || zeros < 0 || a[0] == 0)
    return fail(p, "denominator",
                "needs a denominator of at least first degree that begins with "
                "its highest power, and a numerator");
  if (zeros > n)
    return fail(p, "numerator", "the degree of the numerator is above that of the denominator");
  hn_status status = HN_OK;
  // b_n / a_n: how much of the input comes through at once
  const double start = 0, direct = zeros == n ? b[0] / a[0] : 0;
  for (int i = 1; i <= n && !status; i++) {
    begin(p);
    // a chain of integrators; the last one closes it
    if (i < n)
      put(p, "%s_%d", d->name, i + 1);
    else
      put(p, "((%s)", d->input);
    for (int k = 0; i == n && k < n; k++) put(p, " - %.17g*%s_%d", a[n - k], d->name, k + 1);
    if (i == n) put(p, ")/%.17g", a[0]);
    status = add_numbered(p, i, &start);
  }
  begin(p);
  put(p, "%.17g*(%s)", direct, d->input);
  for (int k = 0; k < n; k++) {
    // coefficients of the rest, which is of lower degree
    double c = (k <= zeros ? b[zeros - k] : 0) - a[n - k] * direct;
    put(p, " + %.17g*%s_%d", c, d->name, k + 1);
  }
  return status ? status : add(p, NULL, NULL);
}

static hn_status state_space(process *p) {
  const hn_process_def *d = p->def;
  int n = d->B_count;
  // n numbers in B say how many states there are
  if (n < 1 || (size_t)d->A_count != (size_t)n * (size_t)n || d->C_count != n)
    return fail(p, "A", "A needs the square of as many numbers as B and C have");
  if (d->initial_count && (d->initial_count != n || !d->initial))
    return fail(p, "initial", "initial needs as many numbers as B has");
  hn_status status = HN_OK;
  for (int i = 0; i < n && !status; i++) {
    const double start = d->initial_count ? d->initial[i] : 0;
    begin(p);
    put(p, "%.17g*(%s)", d->B[i], d->input);
    for (int k = 0; k < n; k++) put(p, " + %.17g*%s_%d", d->A[i * n + k], d->name, k + 1);
    status = add_numbered(p, i + 1, &start);
  }
  begin(p);
  put(p, "%.17g*(%s)", d->D, d->input);
  for (int k = 0; k < n; k++) put(p, " + %.17g*%s_%d", d->C[k], d->name, k + 1);
  return status ? status : add(p, NULL, NULL);
}

// up to four signals: integral, slow (the filtered input), unlimited, and the output itself
static hn_status pid(process *p) {
  const hn_process_def *d = p->def;
  const double zero = 0;
  char unlimited[200];
  snprintf(unlimited, sizeof unlimited, "%.150s_unlimited", d->name);
  hn_status status = check_limits(p, false);
  // an unfiltered derivative would ask for that of any formula
  if (!status && d->kd != 0 && !(d->filter > 0))
    status = fail(p, "filter", "kd needs a filter: the time constant of the derivative");
  if (!status && d->tracking > 0 && !d->low_given && !d->high_given)
    status = fail(p, "tracking", "tracking undoes what limits cut off, and there are none");
  bool limited = d->low_given || d->high_given;
  // what limits cut off is taken back within the time the integral needs to bring it about
  double tracking = d->tracking;
  if (!(tracking > 0) && d->ki != 0) tracking = d->kp != 0 ? fabs(d->kp / d->ki) : 1 / fabs(d->ki);
  // a limited output does not feed back into its own formula: `unlimited` does
  if (!status && d->ki != 0) {
    put(p, "%.17g*(%s)", d->ki, d->input);
    if (limited) {
      put(p, " - %.17g*", 1 / tracking);
      put_excess(p, unlimited, low(d), high(d));
    }
    status = add(p, "integral", &d->start);
  }
  // kd s / (Tf s + 1) without a derivative: the input less its lagged self
  if (!status && d->kd != 0) {
    begin(p);
    put(p, "((%s) - %s_slow)/%.17g", d->input, d->name, d->filter);
    status = add(p, "slow", &zero);
  }
  begin(p);
  put(p, "%.17g*(%s)", d->kp, d->input);
  if (d->ki != 0) put(p, " + %s_integral", d->name);
  if (d->kd != 0) put(p, " + %.17g*((%s) - %s_slow)", d->kd / d->filter, d->input, d->name);
  if (!status) status = add(p, "unlimited", NULL);
  begin(p);
  put_limited(p, unlimited, low(d), high(d));
  return status ? status : add(p, NULL, NULL);
}

static hn_status saturation(process *p) {
  const hn_process_def *d = p->def;
  hn_status status = check_limits(p, true);
  put(p, "%.17g*", factor(d->gain));
  put_limited(p, d->input, d->low, d->high);
  return status ? status : add(p, NULL, NULL);
}

static hn_status dead_band(process *p) {
  const hn_process_def *d = p->def;
  hn_status status = check_limits(p, true);
  put(p, "%.17g*", factor(d->gain));
  put_excess(p, d->input, d->low, d->high);
  return status ? status : add(p, NULL, NULL);
}

// the text of u - N
// used twice in one formula, so it is a signal of its own
static hn_status put_ahead(process *p) {
  begin(p);
  put(p, "(%s) - %s", p->def->input, p->def->name);
  return add(p, "ahead", NULL);
}

static hn_status backlash(process *p) {
  const hn_process_def *d = p->def;
  char ahead[200];
  hn_status status = put_ahead(p);
  snprintf(ahead, sizeof ahead, "%.150s_ahead", d->name);
  begin(p);
  // half of the width to either side
  put_excess(p, ahead, -0.5 * d->width, 0.5 * d->width);
  put(p, "/%.17g", d->time);
  return status ? status : add(p, NULL, &d->start);
}

static hn_status relay(process *p) {
  const hn_process_def *d = p->def;
  // the state is near -1 or 1; it turns within `time`, so that the loop has no jump
  const double start = d->start > 0 ? 1 : -1;
  hn_status status = check_limits(p, true);
  put(p, "(if((%s) + %.17g*%s_1 > 0, 1, -1) - %s_1)/%.17g", d->input, 0.5 * d->width, d->name,
      d->name, d->time);
  if (!status) status = add(p, "1", &start);
  begin(p);
  put(p, "%.17g + %.17g*%s_1", 0.5 * (d->low + d->high), 0.5 * (d->high - d->low), d->name);
  return status ? status : add(p, NULL, NULL);
}

static hn_status rate_limiter(process *p) {
  const hn_process_def *d = p->def;
  char ahead[240];
  hn_status status = put_ahead(p);
  hn_plain_text(ahead, sizeof ahead, "%.150s_ahead/%.17g", d->name, d->time);
  begin(p);
  // falling like rising unless said otherwise
  put_limited(p, ahead, d->falling > 0 ? -d->falling : -d->rising, d->rising);
  return status ? status : add(p, NULL, &d->start);
}

// ---- the table -------------------------------------------------------------------------------

// rows are types as files name them; keys and required keys are checked like those of joints
typedef struct process_type {
  hn_type_info info;
  hn_status (*add)(process *p);
} process_type;

static const process_type types[] = {
    {{"lag", "first-order lag", "input gain time start steady size unit", "input time"}, lag},
    {{"transfer-function", "ratio of polynomials in s",
      "input numerator denominator steady size unit", "input numerator denominator"},
     transfer_function},
    {{"state-space", "x' = A x + B u, y = C x + D u", "input A B C D initial steady size unit",
      "input A B C"},
     state_space},
    {{"pid", "proportional, integral and filtered derivative, limited without wind-up",
      "input kp ki kd filter low high tracking start size unit", "input"},
     pid},
    {{"saturation", "the input between two limits", "input gain low high unit", "input low high"},
     saturation},
    {{"dead-band", "what the input exceeds two limits by", "input gain low high unit",
      "input low high"},
     dead_band},
    {{"backlash", "follows the input with play", "input width time start size unit",
      "input width time"},
     backlash},
    {{"relay", "one of two values, with hysteresis", "input width low high time start unit",
      "input width low high time"},
     relay},
    {{"rate-limiter", "follows the input at limited rates",
      "input rising falling time start size unit", "input rising time"},
     rate_limiter},
};
enum { COUNT = sizeof types / sizeof *types };

const hn_type_info *hn_process_type_at(int index) {
  return index >= 0 && index < COUNT ? &types[index].info : NULL;
}

const hn_family hn_process_family = {.word = "state",
                                     .fields = hn_process_fields,
                                     .type_at = hn_process_type_at,
                                     .common = "type description"};

static hn_status add_process(hn_model *model, const hn_process_def *def) {
  hn_model_subject(model, "state", def->name, NULL);
  const hn_type_info *info = hn_model_find_type(model, &hn_process_family, def->type);
  if (!info) return HN_ERR_MODEL;
  hn_status status = hn_model_check_name(model, def->name);
  if (!status) status = hn_check_fields(model, &hn_process_family, hn_process_fields, info, def);
  for (int k = 0; k < COUNT && !status; k++) {
    if (&types[k].info != info) continue;
    process p = {.model = model, .def = def};
    // so that `text` is a text in any case
    begin(&p);
    status = types[k].add(&p);
    free(p.text);
  }
  return status;
}

hn_status hn_add_process_sized(hn_model *model, const hn_process_def *def, size_t size) {
  if (!model) return HN_ERR_ARGUMENT;
  hn_process_def own;
  hn_status status = hn_take_definition(model, &own, sizeof own, def, size);
  if (!status) status = add_process(model, &own);
  if (status) hn_model_spoil(model);
  return status;
}
