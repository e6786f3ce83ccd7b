// contact_law.c: the table of contact laws.
//
//   F = f(depth) + c rate                 dashpot
//   F = f(depth) (1 + d rate / speed)     all others; d = 0: no damping
//
// f is Hertz's K depth^n, or, for a cylinder in a bore with the play D,
//
//   f = K depth sqrt(depth / (2 (D + depth))),   K = pi/2 E' L
//
// (C.-S. Liu, K. Zhang, R. Yang, The FEM analysis and approximate model for cylindrical joints with
// clearances, 2007). With d, whatever mass and f are, a ball comes back with the part e of its
// speed that solves (1 + d) / (1 - e d) = exp(d (1 + e)): the laws differ in how well d makes this
// the restitution asked for. `exact` solves that equation for d.
#include "forces/contact_law.h"
#include "base/elementary.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// d by the restitution, as the papers have it. Those that were derived for e near one
// (hunt-crossley, lee-wang, lankarani-nikravesh) lose too little energy where e is small; gonthier,
// flores and hu-guo divide by e for that
static double hunt_crossley(double e) {
  return 1.5 * (1 - e);
}
static double herbert_mcwhannell(double e) {
  return 6 * (1 - e) / ((2 * e - 1) * (2 * e - 1) + 3);
}
static double lee_wang(double e) {
  return 0.75 * (1 - e);
}
static double lankarani_nikravesh(double e) {
  return 0.75 * (1 - e * e);
}
static double gonthier(double e) {
  return (1 - e * e) / e;
}
static double zhiying_qishao(double e) {
  return 0.75 * (1 - e * e) * hn_exp(2 * (1 - e));
}
static double flores(double e) {
  return 1.6 * (1 - e) / e;
}
static double hu_guo(double e) {
  return 1.5 * (1 - e) / e;
}

// log((1 + d) / (1 - e d)) - d (1 + e) has a root at 0, falls below zero behind it and rises to
// infinity at d = 1/e
static double exact(double e) {
  // halving 200 times reaches the last digit from any e above zero
  double low = 0, high = 1 / e;
  if (e >= 1) return 0;
  for (int i = 0; i < 200; i++) {
    double d = 0.5 * (low + high);
    // below zero: still left of the root
    if (hn_log1p(d) - hn_log1p(-e * d) < d * (1 + e))
      low = d;
    else
      high = d;
  }
  return 0.5 * (low + high);
}

// name, factor, divides, dashpot, source; in the order in which docs/contact.md compares them
static const hn_contact_law laws[] = {
    {"hertz", NULL, false, false, "H. Hertz 1881"},
    {"kelvin-voigt", NULL, false, true, "W. Goldsmith, Impact, 1960"},
    {"hunt-crossley", hunt_crossley, false, false, "K. H. Hunt, F. R. E. Crossley 1975"},
    {"herbert-mcwhannell", herbert_mcwhannell, false, false,
     "R. G. Herbert, D. C. McWhannell 1977"},
    {"lee-wang", lee_wang, false, false, "T. W. Lee, A. C. Wang 1983"},
    {"lankarani-nikravesh", lankarani_nikravesh, false, false,
     "H. M. Lankarani, P. E. Nikravesh 1990"},
    {"gonthier", gonthier, true, false, "Y. Gonthier et al. 2004"},
    {"zhiying-qishao", zhiying_qishao, false, false, "Q. Zhiying, L. Qishao 2006"},
    {"flores", flores, true, false, "P. Flores et al. 2011"},
    {"hu-guo", hu_guo, true, false, "S. Hu, X. Guo 2015"},
    {"exact", exact, true, false, "the equation above, solved"},
};
// as many as the table has, for messages
enum { COUNT = sizeof laws / sizeof *laws };

const hn_contact_law *hn_contact_law_at(int k) {
  return k >= 0 && k < COUNT ? &laws[k] : NULL;
}

const hn_contact_law *hn_contact_law_find(const char *name) {
  for (int k = 0; k < COUNT; k++)
    if (strcmp(laws[k].name, name) == 0) return &laws[k];
  return NULL;
}

// ---- force ---------------------------------------------------------------------------------

// integral of x^(3/2) / sqrt(a + x) from 0 to x; by series where the closed form loses digits
static double bore_energy(double x, double a) {
  double z = x / a;
  if (z > 0.05)
    // by parts and substitution x = a sinh^2
    return 0.25 * sqrt(x * (a + x)) * (2 * x - 3 * a) + 0.75 * a * a * hn_asinh(sqrt(z));
  // binomial series, integrated term by term; 12 terms of 0.05^k are beyond double precision
  double term = 1, sum = 0;  // of (1 + z)^(-1/2)
  for (int k = 0; k < 12; k++) {
    sum += term / (k + 2.5);
    term *= -z * (k + 0.5) / (k + 1);
  }
  return x * x * sqrt(z) * sum;
}

// f, its slope and potential; odd in the depth, for steps that go on a little beyond the end of a
// contact with its formula
static void elastic(const hn_pressing *p, double depth, double *f, double *slope, double *energy) {
  double x = fabs(depth), K = p->stiffness;
  if (p->play > 0) {
    double gap = p->play + x, root = sqrt(x / (2 * gap));
    // K sqrt(0.5) stands in front of the integral as well
    *f = K * x * root;
    *slope = K * root * (1.5 - 0.5 * x / gap);
    *energy = K * sqrt(0.5) * bore_energy(x, p->play);
  } else {
    // without pow for the exponents of nearly all models
    double power = p->exponent == 1 ? 1 : p->exponent == 1.5 ? sqrt(x) : hn_pow(x, p->exponent - 1);
    *slope = p->exponent * K * power;
    *f = K * power * x;
    // integral of K x^n
    *energy = *f * x / (p->exponent + 1);
  }
  // f is odd, its slope and energy are even
  *f = copysign(*f, depth);
}

// speed is that of the beginning of the contact. One that began at rest, or slower than `slowest`,
// would be damped without bounds: there the law is taken as if it had begun with that
hn_pressed hn_press(const hn_pressing *p, double depth, double rate, double speed) {
  hn_pressed o;
  // chi = d / speed
  double slope, chi = p->factor / fmax(speed, p->slowest);
  elastic(p, depth, &o.elastic, &slope, &o.energy);
  if (p->law->dashpot) {
    o.force = o.elastic + p->damping * rate;
    o.by_depth = slope;
    o.by_rate = p->damping;
    // of the sign of the force, in units of depth: what is located should not depend on stiffness
    o.tension = depth + p->damping / p->stiffness * rate;
  } else {
    o.force = o.elastic * (1 + chi * rate);
    o.by_depth = slope * (1 + chi * rate);
    o.by_rate = o.elastic * chi;
    // F and 1 + chi rate have one sign as long as f has, which is the whole contact
    o.tension = 1 + chi * rate;
  }
  return o;
}

// ---- formulas ------------------------------------------------------------------------------

// bore_energy; both ways are gone in formulas, so the argument of each is kept where it is good
static hn_node bore_energy_formula(hn_graph *g, hn_node x, double a) {
  // each side gets a number it is regular at, and `if` chooses afterwards
  hn_node z = n_scale(g, 1 / a, x), limit = n_constant(g, 0.05), one = n_constant(g, 1);
  hn_node far = hn_graph_apply(g, HN_OP_LT, limit, z, -1);
  hn_node large = hn_graph_apply(g, HN_OP_IF, far, z, one), root = n_function(g, HN_OP_SQRT, large);
  hn_node beside = n_function(g, HN_OP_SQRT, n_add(g, one, large));
  // asinh(sqrt(z)) = log(sqrt(z) + sqrt(1 + z))
  hn_node closed = n_scale(g, 0.75, n_function(g, HN_OP_LOG, n_add(g, root, beside)));
  hn_node first = n_scale(g, 0.25, n_mul(g, root, beside));
  first = n_mul(g, first, n_sub(g, n_scale(g, 2, large), n_constant(g, 3)));
  closed = n_add(g, closed, first);
  // a number the series is good at also where the other side counts
  hn_node small = hn_graph_apply(g, HN_OP_IF, far, limit, z), sum = n_constant(g, 0);
  double term[12];
  // coefficients of (1 + z)^(-1/2)
  for (int k = 0; k < 12; k++) term[k] = k ? -term[k - 1] * (k - 0.5) / k : 1;
  // Horner's rule from the highest term down
  for (int k = 11; k >= 0; k--)
    sum = n_add(g, n_mul(g, sum, small), n_constant(g, term[k] / (k + 2.5)));
  hn_node series =
      n_mul(g, n_mul(g, small, small), n_mul(g, n_function(g, HN_OP_SQRT, small), sum));
  return n_scale(g, a * a, hn_graph_apply(g, HN_OP_IF, far, closed, series));
}

hn_pressed_formulas hn_press_formulas(hn_formulas *f, const hn_pressing *p, hn_node depth,
                                      hn_node rate, hn_node speed) {
  hn_graph *g = f->g;
  hn_pressed_formulas o;
  hn_node x = n_function(g, HN_OP_ABS, depth), one = n_constant(g, 1);
  // members of a family are of one kind
  hn_graph_note(g, p->play > 0 ? 0 : p->exponent == 1 ? 1 : p->exponent == 1.5 ? 2 : 3);
  hn_graph_note(g, p->law->dashpot + 2 * (p->factor > 0) + 4 * (p->damping > 0));
  if (p->play > 0) {
    hn_node gap = n_add(g, n_constant(g, p->play), x);
    hn_node root = n_function(g, HN_OP_SQRT, n_div(g, x, n_scale(g, 2, gap)));
    o.elastic = n_scale(g, p->stiffness, n_mul(g, root, depth));
    o.energy = n_scale(g, p->stiffness * sqrt(0.5), bore_energy_formula(g, x, p->play));
  } else {
    hn_node power = p->exponent == 1 ? one
                    : p->exponent == 1.5
                        ? n_function(g, HN_OP_SQRT, x)
                        : hn_graph_apply(g, HN_OP_POW, x, n_constant(g, p->exponent - 1), -1);
    o.elastic = n_scale(g, p->stiffness, n_mul(g, power, depth));
    o.energy = n_scale(g, 1 / (p->exponent + 1), n_mul(g, o.elastic, depth));
  }
  if (p->law->dashpot) {
    o.force = n_add(g, o.elastic, n_scale(g, p->damping, rate));
    // as in hn_press
    o.tension = n_add(g, depth, n_scale(g, p->damping / p->stiffness, rate));
    return o;
  }
  hn_node slowest = n_constant(g, p->slowest);
  // max: slower contacts count as slowest
  hn_node began = hn_graph_apply(g, HN_OP_MAX, speed, slowest, -1);
  o.tension = n_add(g, one, n_mul(g, n_div(g, n_constant(g, p->factor), began), rate));
  o.force = n_mul(g, o.elastic, o.tension);
  return o;
}

// ---- building ------------------------------------------------------------------------------

static bool choose_law(hn_pressing *p, hn_builder *builder, const hn_force_def *def) {
  // the default suits what was given: a restitution asks for a law that has one
  const char *names[COUNT + 1] = {0}, *name = def->law;
  if (!name) name = def->restitution_given ? "lankarani-nikravesh" : "hertz";
  p->law = hn_contact_law_find(name);
  for (int k = 0; k < COUNT; k++) names[k] = laws[k].name;
  if (!p->law) {
    const char *near = hn_nearest(name, names);
    hn_build_fail(builder, HN_ERR_MODEL, "no contact law '%s'%s%s%s", name,
                  near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
  }
  return p->law != NULL;
}

// laws with a restitution, with a dashpot, and with neither: numbers that the chosen one has no use
// for are refused, as nobody would write them for nothing
static bool choose_damping(hn_pressing *p, hn_builder *builder, const hn_force_def *def) {
  const char *name = p->law->name, *wrong = NULL;
  // the first mistake is told
  double e = def->restitution;
  if (def->restitution_given && !p->law->factor)
    wrong = "has no restitution (leave it out, or take a law that has, as 'lankarani-nikravesh')";
  else if (!def->restitution_given && p->law->factor)
    wrong = "needs a restitution, from 0 to 1";
  else if (e > 1)
    wrong = "restitution must not be larger than 1: no impact gains energy";
  else if (p->law->divides && !(e > 0))
    wrong = "divides by the restitution, which is zero ('hunt-crossley' does not)";
  else if (def->damping != 0 && !p->law->dashpot)
    wrong = "has no damping (leave it out, or take 'kelvin-voigt')";
  if (wrong) {
    hn_build_fail(builder, HN_ERR_MODEL, "law '%s': %s", name, wrong);
    return false;
  }
  p->factor = p->law->factor ? p->law->factor(e) : 0;
  p->damping = def->damping;
  // [m/s] impacts below are as good as at rest
  p->slowest = def->impact_speed > 0 ? def->impact_speed : 1e-3;
  return true;
}

// Hertz's stiffness of balls, or that of a cylinder in a bore
static bool stiffness_of_material(hn_pressing *p, hn_builder *builder, const hn_force_def *def,
                                  double radius, double other, double length) {
  const double *E = def->young, *nu = def->poisson;
  const char *wrong = NULL;
  // other: 0 for a plane, negative for a hollow surface
  double curvature = 1 / radius + (other != 0 ? 1 / other : 0);
  if (!(E[0] > 0 && E[1] > 0))
    wrong = "needs a stiffness, or the material: young, of a and of b";
  else if (!(nu[0] >= 0 && nu[0] <= 0.5 && nu[1] >= 0 && nu[1] <= 0.5))
    wrong = "poisson: of a and of b, from 0 to 0.5";
  else if (def->exponent > 0 || p->law->dashpot)
    wrong = "the material gives Hertz's stiffness, with its own exponent (give a stiffness)";
  else if (isnan(other))
    wrong = "no stiffness follows from the material for this surface (give one)";
  else if (!(radius > 0))
    wrong = "needs a radius, as the stiffness is to follow from the material";
  if (wrong) {
    hn_build_fail(builder, HN_ERR_MODEL, "%s", wrong);
    return false;
  }
  // 1/E' = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b
  double modulus = 1 / ((1 - nu[0] * nu[0]) / E[0] + (1 - nu[1] * nu[1]) / E[1]);
  if (length > 0) {
    // Liu, Zhang, Yang: pi/2 E' L; the play is the difference of the radii
    p->stiffness = 0.5 * pi * modulus * length;
    p->play = -other - radius;
  } else {
    // Hertz: 4/3 E' sqrt(R), 1/R = 1/R_a + 1/R_b
    p->stiffness = 4 / (3 * sqrt(curvature)) * modulus;
  }
  return true;
}

bool hn_pressing_build(hn_pressing *p, hn_builder *builder, const hn_force_def *def, double radius,
                       double other, double length) {
  *p = (hn_pressing){.exponent = 1.5};
  if (!choose_law(p, builder, def) || !choose_damping(p, builder, def)) return false;
  // kelvin-voigt is a linear spring beside its dashpot
  if (p->law->dashpot) p->exponent = 1;
  // stiffness given wins over material
  if (!(def->stiffness > 0)) return stiffness_of_material(p, builder, def, radius, other, length);
  p->stiffness = def->stiffness;
  if (def->exponent > 0) p->exponent = def->exponent;
  // below one the slope at touch would be infinite
  if (p->exponent < 1) {
    hn_build_fail(builder, HN_ERR_MODEL, "exponent must be at least 1, as 1.5 for balls");
    return false;
  }
  if (p->law->dashpot && p->exponent != 1) {
    hn_build_fail(builder, HN_ERR_MODEL, "law 'kelvin-voigt' is linear: leave exponent out");
    return false;
  }
  return true;
}
