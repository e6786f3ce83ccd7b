// response.c: what a linearised system does between inputs and signals: its matrices as a table,
// and the frequency response Y (i w - A)^-1 B + D.
#include "analysis/linear.h"
#include "base/complex.h"
#include "record/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// ---- matrices --------------------------------------------------------------------------------

// z and u have no names of their own: they are coordinates in a basis
static void name_of(const hn_system *sys, const hn_linear *l, int k, char *out, size_t size) {
  if (k < l->n)
    snprintf(out, size, "z%d", k + 1);
  else if (k < l->n + l->m)
    snprintf(out, size, "u%d", k - l->n + 1);
  else
    snprintf(out, size, "%s", sys->state[k - l->n - l->m].name);
}

// rows and columns in words: what the numbers of a table cannot say
static bool add_names(hn_result *r, const hn_system *sys, const hn_linear *l) {
  char text[4096] = "rows: rates of", name[80];
  for (int k = 0; k < hn_linear_size(l); k++) {
    size_t used = strlen(text);
    name_of(sys, l, k, name, sizeof name);
    snprintf(text + used, sizeof text - used, " %s", name);
  }
  strncat(text, "; then signals", sizeof text - strlen(text) - 1);
  for (int k = 0; k < l->outputs; k++) {
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, " %s", sys->named_signal[k].name);
  }
  return !hn_result_add_note(r, text);
}

// one table for those who go on elsewhere: [A B; Y D], row by row
hn_status hn_linear_table(hn_sim *sim, const hn_linear *l, hn_result **out) {
  const hn_system *sys = sim->sys;
  size_t n = (size_t)hn_linear_size(l), in = (size_t)l->inputs;
  char name[96];
  *out = NULL;
  hn_result *r = hn_result_create(sys->name, (int)(n + in));
  bool ok = r && add_names(r, sys, l);
  for (int k = 0; ok && k < (int)n; k++) {
    name_of(sys, l, k, name, sizeof name);
    ok = !hn_result_set_column(r, k, name, "");
  }
  for (int k = 0; ok && k < l->inputs; k++) {
    snprintf(name, sizeof name, "%s.input", sys->input[k].name);
    ok = !hn_result_set_column(r, (int)n + k, name, "");
  }
  for (size_t i = 0; ok && i < n + (size_t)l->outputs; i++) {
    double *row = hn_result_append(r);
    ok = row != NULL;
    if (!ok) break;
    // rates first, as in A and B, then signals, as in Y and D
    memcpy(row, i < n ? l->A + i * n : l->Y + (i - n) * n, n * sizeof(double));
    if (in) memcpy(row + n, i < n ? l->B + i * in : l->D + (i - n) * in, in * sizeof(double));
  }
  if (ok) {
    *out = r;
    return HN_OK;
  }
  hn_result_destroy(r);
  return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
}

// ---- frequency response ------------------------------------------------------------------------

// solves M X = X for `columns` right-hand sides by elimination with partial pivoting; false where M
// is singular
// Frequencies of a sweep share nothing but A, and n is small: elimination for each of them is all
// it takes. A singular M is an undamped resonance met exactly.
static bool solve(size_t n, complex double *M, size_t columns, complex double *X) {
  for (size_t k = 0; k < n; k++) {
    size_t p = k;
    for (size_t i = k + 1; i < n; i++)
      if (hn_complex_size(M[i * n + k]) > hn_complex_size(M[p * n + k])) p = i;
    if (M[p * n + k] == 0) return false;
    for (size_t j = 0; j < n && p != k; j++) {
      complex double x = M[p * n + j];
      M[p * n + j] = M[k * n + j], M[k * n + j] = x;
    }
    for (size_t j = 0; j < columns && p != k; j++) {
      complex double x = X[p * columns + j];
      X[p * columns + j] = X[k * columns + j], X[k * columns + j] = x;
    }
    for (size_t i = k + 1; i < n; i++) {
      complex double f = hn_complex_quotient(M[i * n + k], M[k * n + k]);
      if (f == 0) continue;
      for (size_t j = k; j < n; j++) M[i * n + j] -= f * M[k * n + j];
      for (size_t j = 0; j < columns; j++) X[i * columns + j] -= f * X[k * columns + j];
    }
  }
  for (size_t k = n; k-- > 0;)
    for (size_t j = 0; j < columns; j++) {
      complex double sum = X[k * columns + j];
      for (size_t i = k + 1; i < n; i++) sum -= M[k * n + i] * X[i * columns + j];
      X[k * columns + j] = hn_complex_quotient(sum, M[k * n + k]);
    }
  return true;
}

// two columns a pair, signals outside, inputs inside
static bool name_responses(hn_result *r, const hn_system *sys, const hn_linear *l) {
  bool ok = !hn_result_set_column(r, 0, "frequency", "Hz");
  for (int s = 0; s < l->outputs; s++)
    for (int i = 0; ok && i < l->inputs; i++) {
      char name[200];
      int at = 1 + 2 * (s * l->inputs + i);
      snprintf(name, sizeof name, "%.80s/%.80s.gain", sys->named_signal[s].name,
               sys->input[i].name);
      ok = !hn_result_set_column(r, at, name, "dB");
      snprintf(name, sizeof name, "%.80s/%.80s.phase", sys->named_signal[s].name,
               sys->input[i].name);
      if (ok) ok = !hn_result_set_column(r, at + 1, name, "deg");
    }
  return ok;
}

// gain and phase of all pairs at one frequency; the phase goes on from the row before
// Phases are counted on: at most half a turn from one row to the next, so that sweeps want enough
// points where a resonance is sharp.
static bool respond(const hn_linear *l, double frequency, complex double *M, complex double *X,
                    const double *before, double *row) {
  size_t n = (size_t)hn_linear_size(l), in = (size_t)l->inputs;
  complex double s = I * 2 * pi * frequency;
  for (size_t i = 0; i < n * n; i++) M[i] = (i % (n + 1) == 0 ? s : 0) - l->A[i];
  for (size_t i = 0; i < n * in; i++) X[i] = l->B[i];
  if (!solve(n, M, in, X)) return false;
  row[0] = frequency;
  for (size_t o = 0; o < (size_t)l->outputs; o++)
    for (size_t i = 0; i < in; i++) {
      complex double sum = l->D[o * in + i];
      for (size_t k = 0; k < n; k++) sum += l->Y[o * n + k] * X[k * in + i];
      double *to = row + 1 + 2 * (o * in + i), size = hn_complex_size(sum);
      to[0] = size > 0 ? 20 * hn_log10(size) : NAN;
      to[1] = size > 0 ? hn_complex_angle(sum) * 180 / pi : NAN;
      double last = before ? before[2 + 2 * (o * in + i)] : 0;
      if (isfinite(last) && isfinite(to[1])) to[1] += 360 * rint((last - to[1]) / 360);
    }
  return true;
}

// frequencies in equal ratios, as charts of responses show them
hn_status hn_frequency_response(hn_sim *sim, const hn_linear *l, double from, double to, int points,
                                hn_result **out) {
  size_t n = (size_t)hn_linear_size(l), in = (size_t)l->inputs;
  *out = NULL;
  // every input is a signal, so that outputs are there where inputs are
  if (!l->inputs || !l->outputs)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT,
                       "the model has no input to respond to (a signal with 'input')");
  if (!(from > 0) || !(to > from) || points < 2 || !isfinite(to))
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "frequencies must be positive and ascend");
  hn_result *r = hn_result_create(sim->sys->name, 1 + 2 * l->inputs * l->outputs);
  complex double *M = malloc((n * n + 1) * sizeof *M), *X = malloc((n * in + 1) * sizeof *X);
  const double *before = NULL;
  bool ok = r && M && X && name_responses(r, sim->sys, l) && !hn_result_reserve(r, points);
  hn_status status = ok ? HN_OK : hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  for (int i = 0; i < points && !status; i++) {
    double f = from * hn_pow(to / from, (double)i / (points - 1)), *row = hn_result_append(r);
    if (!row) status = hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
    if (!status && !respond(l, f, M, X, before, row))
      status = hn_sim_fail(sim, HN_ERR_SINGULAR, "the response at %.6g Hz is infinite", f);
    before = row;
  }
  free(M), free(X);
  if (status)
    hn_result_destroy(r);
  else
    *out = r;
  return status;
}
