// modes.c: eigenvalues and shapes of a linearised system.
//
// Conservative systems (C = 0, K symmetric): K z = omega^2 z, real modes, omega^2 < 0 an
// exponential pair. All others: eigenvalues of A, z the first half of the eigenvector. One mode
// stands for each conjugate pair.
#include "analysis/linear.h"
#include "analysis/manifold.h"
#include "analysis/shapes.h"
#include "base/elementary.h"
#include "linalg/dense.h"
#include "record/result.h"
#include "system/reaction.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct owned {
  hn_modes modes;
  hn_mode *mode;
  double *shape;  // two vectors for each mode
  int capacity;
} owned;

void hn_modes_destroy(hn_modes *modes) {
  if (!modes) return;
  owned *o = (owned *)modes;
  free(o->mode), free(o->shape), free(o);
}

// room for as many modes as A has eigenvalues
static owned *create(const hn_linear *l) {
  owned *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  o->capacity = hn_linear_size(l);
  o->mode = calloc((size_t)o->capacity + 1, sizeof *o->mode);
  o->shape = calloc(2 * ((size_t)o->capacity + 1) * ((size_t)l->nv + 1), sizeof(double));
  o->modes.nv = l->nv;
  o->modes.mode = o->mode;
  if (!o->mode || !o->shape) {
    hn_modes_destroy(&o->modes);
    return NULL;
  }
  return o;
}

// largest entry becomes 1, real and positive
// Entries that are as large as another up to round-off do not take its place: of a symmetric shape
// the first counts, whatever the last bits say. The factor is 1 / (re + i im) of the largest.
static void normalise(int nv, double *re, double *im) {
  int at = 0;
  double most = 0;
  for (int i = 0; i < nv; i++) {
    double size = hn_hypot(re[i], im[i]);
    if (size > 1.000001 * most) most = size, at = i;
  }
  if (!(most > 0)) return;
  double a = re[at] / (most * most), b = -im[at] / (most * most);
  for (int i = 0; i < nv; i++) {
    double x = re[i], y = im[i];
    re[i] = x * a - y * b;
    im[i] = x * b + y * a;
  }
}

// adds the mode with z = zr + i zi (zi may be NULL)
// the shape is Z z, in velocities of the bodies; `natural` and `damping` are those of one degree of
// freedom with this eigenvalue
static void add(owned *o, const hn_linear *l, double re, double im, const double *zr,
                const double *zi) {
  hn_mode *mode = &o->mode[o->modes.count];
  double *real = o->shape + 2 * (size_t)o->modes.count * (size_t)l->nv, *imag = real + l->nv;
  for (int i = 0; i < l->nv; i++)
    for (int k = 0; k < l->n; k++) {
      double b = l->Z[(size_t)i * (size_t)l->n + (size_t)k];
      real[i] += b * zr[k];
      if (zi) imag[i] += b * zi[k];
    }
  normalise(l->nv, real, imag);
  double size = hn_hypot(re, im);
  *mode = (hn_mode){.re = re,
                    .im = im,
                    .frequency = im / (2 * pi),
                    .natural = size / (2 * pi),
                    .damping = size > 0 ? -re / size : 0,
                    .real = real,
                    .imag = imag};
  if (mode->damping == 0) mode->damping = 0;  // no negative zero
  o->modes.count++;
}

// K is symmetric in this basis, so that modes are orthogonal in the mass and no eigenvalue is
// complex; what rounding would make so in the general way is not even asked
static bool add_conservative(owned *o, const hn_linear *l) {
  size_t n = (size_t)l->n;
  double *w = malloc((n + 1) * sizeof(double)), *V = malloc((n * n + 1) * sizeof(double));
  bool ok = w && V && hn_dense_symmetric_eigen(l->n, l->K, w, V);
  double most = 0;
  // the eigenvalues of a symmetric matrix are right to a few units of the largest
  for (int k = 0; ok && k < l->n; k++) most = fmax(most, fabs(w[k]));
  for (int k = 0; ok && k < l->n; k++) {
    const double *z = V + (size_t)k * n;
    if (fabs(w[k]) <= fmax(1e-13 * most, l->round_off)) {
      add(o, l, 0, 0, z, NULL);
    } else if (w[k] > 0) {
      add(o, l, 0, sqrt(w[k]), z, NULL);
    } else {
      add(o, l, sqrt(-w[k]), 0, z, NULL);
      add(o, l, -sqrt(-w[k]), 0, z, NULL);
    }
  }
  free(w), free(V);
  return ok;
}

// directions in which nothing happens: the null space of A. Of the eigenvalues at zero, which
// rounding splits, one half may belong to motions at a constant rate along them
static bool add_zeros(owned *o, const hn_linear *l, int zeros) {
  size_t n = (size_t)hn_linear_size(l);
  double *s = malloc((n + 1) * sizeof(double)), *Vt = malloc((n * n + 1) * sizeof(double));
  bool ok = s && Vt && hn_dense_svd((int)n, (int)n, l->A, s, NULL, Vt);
  int listed = 0;
  // of the smallest singular values as many as there were eigenvalues at zero
  for (size_t k = n; ok && k > 0 && listed < zeros; k--)
    if (s[k - 1] <= 1e-9 * s[0] || !listed) add(o, l, 0, 0, Vt + (k - 1) * n, NULL), listed++;
  free(s), free(Vt);
  return ok;
}

// V: eigenvectors row by row; of a pair real and imaginary part follow each other, im > 0 first
static bool add_general(owned *o, const hn_linear *l) {
  size_t n = (size_t)hn_linear_size(l);
  double *re = malloc((n + 1) * sizeof(double)), *im = malloc((n + 1) * sizeof(double));
  double *V = malloc((n * n + 1) * sizeof(double));
  bool ok = re && im && V && hn_dense_eigen((int)n, l->A, re, im, V);
  double most = 0;
  int zeros = 0;
  for (size_t k = 0; ok && k < n; k++) most = fmax(most, hn_hypot(re[k], im[k]));
  for (size_t k = 0; ok && k < n; k++) {
    bool pair = im[k] > 0;
    // double zeros of free motions split by the root of the round-off
    if (hn_hypot(re[k], im[k]) <= fmax(1e-7 * most, sqrt(l->round_off)))
      zeros += pair ? 2 : 1;
    else
      add(o, l, fabs(re[k]) <= 1e-13 * most ? 0 : re[k], im[k], V + k * n,
          pair ? V + (k + 1) * n : NULL);
    if (pair) k++;
  }
  if (ok && zeros) ok = add_zeros(o, l, zeros);
  free(re), free(im), free(V);
  return ok;
}

// by frequency, then what grows before what fades: a total order of numbers, so that tables repeat
static int slower(const void *a, const void *b) {
  const hn_mode *x = a, *y = b;
  if (x->im != y->im) return x->im < y->im ? -1 : 1;
  if (x->re != y->re) return x->re > y->re ? -1 : 1;
  return 0;
}

hn_status hn_modes_create(hn_modes **out, const hn_linear *linear) {
  *out = NULL;
  owned *o = create(linear);
  if (!o) return HN_ERR_MEMORY;
  bool ok = linear->conservative ? add_conservative(o, linear) : add_general(o, linear);
  if (!ok) {
    hn_modes_destroy(&o->modes);
    return HN_ERR_SINGULAR;
  }
  qsort(o->mode, (size_t)o->modes.count, sizeof *o->mode, slower);
  *out = &o->modes;
  return HN_OK;
}

// ---- shapes as a table ---------------------------------------------------------------------

enum { FIXED = 6 };  // columns before the shapes

// imaginary parts are columns of their own, and there only where some mode has them
hn_status hn_modes_table(hn_sim *sim, const hn_modes *modes, hn_result **out) {
  static const struct {
    const char *name, *unit;
  } heading[FIXED] = {{"mode", ""},    {"frequency", "Hz"}, {"natural", "Hz"},
                      {"damping", ""}, {"re", "1/s"},       {"im", "1/s"}};
  const hn_system *sys = sim->sys;
  bool complex_modes = false;
  for (int i = 0; i < modes->count; i++)
    for (int k = 0; k < modes->nv; k++) complex_modes |= modes->mode[i].imag[k] != 0;
  int coordinates = hn_shape_size(sys);
  *out = NULL;
  hn_result *r = hn_result_create(sys->name, FIXED + coordinates * (complex_modes ? 2 : 1));
  bool ok = r;
  for (int i = 0; ok && i < FIXED; i++)
    ok = !hn_result_set_column(r, i, heading[i].name, heading[i].unit);
  if (ok) ok = hn_shape_columns(sim, sim->state.y + sys->nq, r, "", FIXED, NULL) > 0;
  if (ok && complex_modes)
    ok = hn_shape_columns(sim, sim->state.y + sys->nq, r, "_im", FIXED + coordinates, NULL) > 0;
  for (int i = 0; ok && i < modes->count; i++) {
    const hn_mode *mode = &modes->mode[i];
    double *row = hn_result_append(r);
    ok = row;
    if (!ok) break;
    const double fixed[FIXED] = {i + 1,         mode->frequency, mode->natural,
                                 mode->damping, mode->re,        mode->im};
    memcpy(row, fixed, sizeof fixed);
    hn_shape_columns(sim, mode->real, NULL, "", FIXED, row);
    if (complex_modes) hn_shape_columns(sim, mode->imag, NULL, "_im", FIXED + coordinates, row);
  }
  if (!ok) {
    hn_result_destroy(r);
    return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  }
  *out = r;
  return HN_OK;
}

// ---- one mode as a motion ------------------------------------------------------------------

// Frame by frame the displacement of the linear mode is closed on the joints and its velocity made
// to fit, so that large amplitudes show a possible motion. Buffers of the sim that no step needs
// now hold the state it is given back at the end.
hn_status hn_modes_animate(hn_sim *sim, const hn_modes *modes, int number, double amplitude,
                           hn_result **out) {
  enum { FRAMES = 120, PERIODS = 2 };
  const hn_system *sys = sim->sys;
  *out = NULL;
  if (number < 0 || number >= modes->count)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "there is no mode %d (1 to %d)", number + 1,
                       modes->count);
  const hn_mode *mode = &modes->mode[number];
  // what does not oscillate is shown swinging once a second
  double omega = mode->im > 0 ? mode->im : 2 * pi, period = 2 * pi / omega;
  hn_manifold *m;
  hn_status status = hn_manifold_create_general(&m, sim);
  if (status) return status;
  // a tenth of the model, or of a radian: visible, and still near the linear shape
  if (!(amplitude > 0)) {
    double size = hn_displacement_size(sys, mode->real);
    amplitude = 0.1 / (size > 0 ? size : 1);
  }
  double *start = sim->state.y_old, *q = sim->step.y_stage, *v = sim->step.y_stage + sys->nq,
         t0 = sim->state.t;
  memcpy(start, sim->state.y, (size_t)sim->state.n * sizeof(double));
  *out = hn_record_create(sim, FRAMES * PERIODS + 1);
  if (!*out) status = hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  for (int frame = 0; !status && frame <= FRAMES * PERIODS; frame++) {
    double phase = 2 * pi * frame / FRAMES, c = amplitude * hn_cos(phase),
           s = amplitude * hn_sin(phase);
    memcpy(q, start, (size_t)sim->state.n * sizeof(double));
    for (int i = 0; i < sys->nv; i++) sim->room.v[i] = c * mode->real[i] - s * mode->imag[i];
    hn_retract(sys, q, sim->room.v);
    for (int i = 0; i < sys->nv; i++)
      v[i] = start[sys->nq + i] - omega * (s * mode->real[i] + c * mode->imag[i]);
    // time stands still for drivers; the row carries the animation's own
    status = hn_manifold_close(m, t0, q);
    if (status) break;
    hn_accept_turns(&sim->stage.work, false);
    hn_manifold_velocity(m, t0, q, v);
    status = hn_manifold_accelerate(m, t0, q, v, false);
    if (status) break;
    sim->stage.work.t = period * frame / FRAMES;
    status = hn_record_row(sim, *out, sim->stage.work.t, sim->step.y_stage, false);
  }
  hn_status back = hn_start_from(sim, t0, start, start + sys->nq, start + sim->state.x);
  hn_manifold_destroy(m);
  return status ? status : back;
}
