// beam_damping.c: Rayleigh's damping of beams, M a + (mass M + stiffness K) v + K x = 0: a
// vibration of angular frequency w has the ratio of critical damping (mass / w + stiffness w) / 2.
#include "model/beam_make.h"
#include "model/check.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

// a factor may be negative: then there is none
// Two equations for two factors: z = (mass / w + stiffness w) / 2 at both frequencies, w = 2 pi f.
// They ascend strictly (HN_FIELD_PAIRS), so that d is not zero.
static hn_rayleigh fit(const hn_beam_def *def) {
  const double *p = def->damping_ratios;
  if (def->damping_ratio_count < 1) return (hn_rayleigh){0, def->damping};
  double w = 2 * pi * p[0], z = p[1];
  double w2 = 2 * pi * p[2], z2 = p[3], d = w2 * w2 - w * w;
  return (hn_rayleigh){2 * w * w2 * (z * w2 - z2 * w) / d, 2 * (z2 * w2 - z * w) / d};
}

hn_rayleigh hn_rayleigh_of(const hn_beam_def *def) {
  hn_rayleigh r = fit(def);
  return (hn_rayleigh){fmax(0, r.mass), fmax(0, r.stiffness)};
}

// Both factors must be positive: the ratio of the damping ratios lies between those of the
// frequencies.
hn_status hn_rayleigh_check(hn_model *model, const hn_beam_def *def) {
  const char *key = "damping_ratios";
  const double *p = def->damping_ratios;
  if (def->damping_ratio_count < 1) return HN_OK;
  if (def->damping > 0)
    return hn_element_fail(model, key, "damping and damping_ratios exclude each other");
  if (def->damping_ratio_count != 2)
    return hn_element_fail(
        model, key, "damping_ratios has two pairs of frequency and ratio: more cannot be met");
  for (int k = 0; k < def->damping_ratio_count; k++)
    if (!(p[2 * k] > 0 && p[2 * k + 1] >= 0))
      return hn_element_fail(model, key,
                             "frequencies must be positive, and ratios must not be negative");
  hn_rayleigh r = fit(def);
  double round_off = -1e-9 * (p[1] + p[3]);
  if (r.mass < round_off * p[0] || r.stiffness < round_off / p[2])
    return hn_element_fail(model, key,
                           "no damping by mass and stiffness has these ratios: they can differ by "
                           "no larger factor than the frequencies, %.4g",
                           p[2] / p[0]);
  return HN_OK;
}
