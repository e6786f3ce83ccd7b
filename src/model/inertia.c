// inertia.c: mass and inertia of a body, from its shape where they are not given.
//
// A rigid body has principal moments that are not negative, none larger than the sum of the other
// two (the integrals of y^2 + z^2, x^2 + z^2 and x^2 + y^2 over the mass cannot do otherwise). All
// of them may be zero (a point), one (a line), and for rotors of which only the axial moment counts
// two.
#include "model/inertia.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "model/check.h"
#include "model/shape.h"

static const double tolerance = 1e-9;  // relative, for rounding in given values

static bool is_planar(const hn_body_def *def) {
  return def->kind == HN_PLANAR || def->kind == HN_PLANAR_POINT;
}

static bool is_point(const hn_body_def *def) {
  return def->kind == HN_POINT || def->kind == HN_PLANAR_POINT;
}

// ---- can such a body exist? ----------------------------------------------------------------

// Jacobi's rotations; a 3x3 matrix is diagonal to rounding after a few sweeps
// Each rotation makes one element zero; convergence is quadratic. Sorting three numbers by
// exchanges.
void hn_inertia_principal(const double inertia[6], double moment[3]) {
  double A[3][3] = {{inertia[0], inertia[3], inertia[4]},
                    {inertia[3], inertia[1], inertia[5]},
                    {inertia[4], inertia[5], inertia[2]}};
  for (int sweep = 0; sweep < 20; sweep++) {
    for (int p = 0; p < 2; p++) {
      for (int q = p + 1; q < 3; q++) {
        if (A[p][q] == 0) continue;
        double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
        double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < 3; k++) {
          double kp = A[k][p], kq = A[k][q];
          A[k][p] = c * kp - s * kq, A[k][q] = s * kp + c * kq;
        }
        for (int k = 0; k < 3; k++) {
          double pk = A[p][k], qk = A[q][k];
          A[p][k] = c * pk - s * qk, A[q][k] = s * pk + c * qk;
        }
      }
    }
  }
  for (int i = 0; i < 3; i++) moment[i] = A[i][i];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2 - i; j++)
      if (moment[j] > moment[j + 1]) {
        double swap = moment[j];
        moment[j] = moment[j + 1], moment[j + 1] = swap;
      }
}

// A mass with no inertia at all is a point, and refused where it was not said: most forgot it.
// Rotors of which only the axial moment is given break the triangle inequality, and are meant.
static hn_status check_inertia(hn_model *model, const hn_body_def *def) {
  // zero must be meant
  bool zero = def->inertia_given || def->mass == 0;
  if (def->kind == HN_PLANAR) {
    if (def->inertia[2] > 0 || (zero && def->inertia[2] == 0)) return HN_OK;
    return hn_element_fail(model, "inertia", "inertia must %s",
                           zero ? "not be negative" : "be positive");
  }
  double moment[3];
  hn_inertia_principal(def->inertia, moment);
  double none = tolerance * fabs(moment[2]);
  if (zero ? moment[0] < -none : moment[0] <= none)
    return hn_element_fail(
        model, "inertia",
        "inertia must be positive %s (its principal moments are %.4g, %.4g, %.4g kg m^2)",
        zero ? "semidefinite" : "definite", moment[0], moment[1], moment[2]);
  bool axial = fabs(moment[1]) <= none;
  if (!axial && moment[2] > (moment[0] + moment[1]) * (1 + tolerance))
    return hn_element_fail(model, "inertia",
                           "no body has this inertia: the principal moment %.4g is larger than the "
                           "sum of the others, %.4g and %.4g kg m^2",
                           moment[2], moment[0], moment[1]);
  return HN_OK;
}

// ---- shapes --------------------------------------------------------------------------------

enum { PATH = 64 };

// where shape number k stands: among several, or alone in the key `shape`
// The reader knows whether the file has `shape` or `shapes`; both end in the same list.
static void path_of(const hn_model *model, int k, char path[PATH]) {
  snprintf(path, PATH, "shapes.%d.*", k);
  if (model->locate && k == 0 && model->locate(model->locate_user, "shapes", 0).line == 0)
    snprintf(path, PATH, "shape.*");
}

// Materials become densities here (hn_shape_settle), after the sizes have been checked.
static hn_status check_shapes(hn_model *model, const hn_body_def *def, hn_shape_def *shapes) {
  const hn_shape_def alone = hn_shape_alone(def);
  // a planar body needs no thickness, unless its mass depends on it
  bool flat = is_planar(def) && def->shape.density == 0;
  if (def->shape.kind > HN_SHAPE_ROD)
    return hn_element_fail(model, "shape", "there is no shape number %d", (int)def->shape.kind);
  if (def->shape.kind != HN_SHAPE_NONE && def->shape_count > 0)
    return hn_element_fail(model, "shapes", "shape and shapes are both given");
  hn_status status = hn_shape_check(model, "shape.*", &alone, flat);
  for (int k = 0; k < def->shape_count && !status; k++) {
    char path[PATH];
    path_of(model, k, path);
    if (shapes[k].shape.kind == HN_SHAPE_NONE)
      return hn_element_fail(model, path, "shape %d is none", k + 1);
    status = hn_shape_check(model, path, &shapes[k], false);
    if (!status) status = hn_shape_settle(model, path, &shapes[k]);
  }
  return status;
}

// either all that count have a density or none
static hn_status check_densities(hn_model *model, const hn_body_def *def, bool *dense) {
  int with = -1, without = -1;
  for (int k = 0; k < def->shape_count; k++) {
    if (def->shapes[k].only_drawn) continue;
    if (def->shapes[k].shape.density > 0)
      with = k;
    else
      without = k;
  }
  *dense = with >= 0;
  if (with < 0 || without < 0) return HN_OK;
  char path[PATH];
  path_of(model, without, path);
  return hn_element_fail(model, path,
                         "shape %d has no density, and shape %d has (or is it only_drawn?)",
                         without + 1, with + 1);
}

// mass, centre and inertia of all shapes; without densities at density 1
// Two passes: mass and centre first, then the inertia about that centre, which loses no digits
// where shapes lie far from the origin.
static hn_status add_up(hn_model *model, const hn_body_def *def, hn_content *sum) {
  double first[3] = {0}, A[6] = {0};
  *sum = (hn_content){0};
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < def->shape_count; k++) {
      const hn_shape_def *s = &def->shapes[k];
      hn_content c;
      char path[PATH];
      if (s->only_drawn) continue;
      path_of(model, k, path);
      hn_status status = hn_shape_content(model, path, s, &c);
      if (status) return status;
      double density = s->shape.density > 0 ? s->shape.density : 1;
      // that of a rod is mass over length
      if (s->shape.kind == HN_SHAPE_ROD && s->shape.density > 0)
        density *= s->shape.length / c.volume;
      double m = density * c.volume, d[3];
      v3_sub(d, c.centre, sum->centre);
      if (pass == 0) {
        sum->volume += m;
        v3_addto(first, m, c.centre);
        continue;
      }
      for (int i = 0; i < 6; i++) A[i] += density * c.inertia[i];
      for (int i = 0; i < 3; i++) A[i] += m * (v3_dot(d, d) - d[i] * d[i]);
      A[3] -= m * d[0] * d[1], A[4] -= m * d[0] * d[2], A[5] -= m * d[1] * d[2];
    }
    if (pass == 0 && sum->volume > 0) v3_scale(sum->centre, 1 / sum->volume, first);
  }
  memcpy(sum->inertia, A, sizeof A);
  return HN_OK;
}

// the centre of mass is that of the shapes; one that is given must be the same
// A given centre that differs would contradict the inertia that follows from the shapes: 1e-9 of
// their size is rounding.
static hn_status take_com(hn_model *model, hn_body_def *def, const hn_content *sum) {
  double c[3], apart = 0,
               size = hn_largest(sum->centre, 3) + sqrt(hn_largest(sum->inertia, 3) / sum->volume);
  v3_copy(c, sum->centre);
  if (is_point(def)) return HN_OK;
  if (is_planar(def)) c[2] = 0;
  for (int i = 0; i < 3; i++) apart = fmax(apart, fabs(c[i] - def->com[i]));
  bool given = def->com_given || hn_largest(def->com, 3) > 0;
  if (given && apart > 1e-9 * size)
    return hn_element_fail(model, "com",
                           "the shapes have their centre of mass at (%g, %g, %g): leave com out, "
                           "or give the inertia, too",
                           c[0], c[1], c[2]);
  if (!given) v3_copy(def->com, c);
  return HN_OK;
}

// ---- the body ------------------------------------------------------------------------------

static bool counts(const hn_body_def *def) {
  for (int k = 0; k < def->shape_count; k++)
    if (!def->shapes[k].only_drawn) return true;
  return false;
}

static bool inertia_is_given(const hn_body_def *def) {
  return def->inertia_given || hn_largest(def->inertia, 6) > 0;
}

// Exactly one of mass and density: who gives both must be asked which one counts.
static hn_status complete_mass(hn_model *model, hn_body_def *def, const hn_content *content,
                               bool dense) {
  dense = dense || (def->shape.kind != HN_SHAPE_NONE && def->shape.density > 0);
  if ((def->mass > 0 || def->mass_given) && dense)
    return hn_element_fail(model, "mass",
                           "mass and density are both given (one follows from the other)");
  if (def->mass == 0 && !dense && !def->mass_given)
    return hn_element_fail(model, "mass",
                           "mass is missing (or a shape with a density; 0 for a body without)");
  if (dense) def->mass = def->shape_count ? content->volume : hn_shape_mass(&def->shape);
  return hn_check_number(model, def->shape_count ? "shapes" : "shape", "mass of the shape",
                         def->mass, HN_RANGE_POSITIVE);
}

// a body without mass has no inertia unless one is given
// Shapes without density have the body's mass, spread evenly over their volume.
static hn_status complete_moments(hn_model *model, hn_body_def *def, const hn_content *content) {
  if (inertia_is_given(def) || def->mass == 0) return HN_OK;
  if (def->shape.kind != HN_SHAPE_NONE) {
    hn_shape_moments(def->inertia, &def->shape, def->mass);
    return HN_OK;
  }
  if (!(content->volume > 0))
    return hn_element_fail(model, "inertia", "inertia is missing (or a shape to take it from)");
  for (int i = 0; i < 6; i++) def->inertia[i] = content->inertia[i] * (def->mass / content->volume);
  return HN_OK;
}

// what the shapes hold, where anything is to follow from it
// Surfaces from files are only integrated where something follows from them: they may not be
// closed.
static hn_status find_content(hn_model *model, hn_body_def *def, hn_content *content, bool *dense) {
  hn_status status = check_densities(model, def, dense);
  bool massless = def->mass_given && def->mass == 0;
  *content = (hn_content){0};
  if (status) return status;
  bool wanted = *dense || !inertia_is_given(def);
  if (!counts(def) || !wanted || (massless && !*dense)) return HN_OK;
  status = add_up(model, def, content);
  if (!status && !inertia_is_given(def)) status = take_com(model, def, content);
  return status;
}

// def->shapes and `shapes` are the same array; the first is const to everybody else.
hn_status hn_inertia_complete(hn_model *model, hn_body_def *def, hn_shape_def *shapes) {
  hn_content content;
  bool dense;
  hn_status status = check_shapes(model, def, shapes);
  if (!status) status = find_content(model, def, &content, &dense);
  if (!status) status = complete_mass(model, def, &content, dense);
  if (status) return status;
  if (is_point(def)) {
    bool given = hn_largest(def->inertia, 6) > 0;
    return given ? hn_element_fail(model, "inertia", "a point has no inertia") : HN_OK;
  }
  status = complete_moments(model, def, &content);
  if (status) return status;
  if (def->kind == HN_PLANAR) {
    // the other values say nothing about a motion in the plane
    double zz = def->inertia[2];
    memset(def->inertia, 0, sizeof def->inertia);
    def->inertia[2] = zz;
  }
  return check_inertia(model, def);
}
