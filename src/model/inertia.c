// inertia.c: mass and inertia of a body, from its shape where they are not given.
//
// About the centre of mass, m the mass:
//   box a b c           m (b^2 + c^2) / 12 about x, and so on
//   sphere r            2/5 m r^2
//   cylinder r l        m r^2 / 2 along, m (3 r^2 + l^2) / 12 across
//   rod l (r)           m r^2 / 2 along, m l^2 / 12 across
// For the direction u of a cylinder or rod, I = across (1 - u u^T) + along u u^T.
//
// A rigid body has principal moments that are not negative, none larger than the sum of the other
// two (the integrals of y^2 + z^2, x^2 + z^2 and x^2 + y^2 over the mass cannot do otherwise). All
// of them may be zero (a point), one (a line), and for rotors of which only the axial moment counts
// two.
#include "model/inertia.h"

#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "model/check.h"

static const double tolerance = 1e-9;  // relative, for rounding in given values

static bool is_planar(const hn_body_def *def) {
  return def->kind == HN_PLANAR || def->kind == HN_PLANAR_POINT;
}

static bool is_point(const hn_body_def *def) {
  return def->kind == HN_POINT || def->kind == HN_PLANAR_POINT;
}

// ---- shapes --------------------------------------------------------------------------------

static hn_status need(hn_model *model, const char *path, const char *what, double value) {
  hn_status status = hn_check_number(model, path, what, value, HN_RANGE_POSITIVE);
  if (!status && value == 0) return hn_element_fail(model, path, "%s is missing", what);
  return status;
}

static hn_status check_box(hn_model *model, const hn_body_def *def) {
  static const char *const path[] = {"shape.*.size.0", "shape.*.size.1", "shape.*.size.2"};
  const hn_shape *shape = &def->shape;
  for (int i = 0; i < 3; i++) {
    hn_status status = hn_check_number(model, path[i], "size", shape->size[i], HN_RANGE_POSITIVE);
    if (status) return status;
    // a planar body needs no thickness, unless its mass depends on it
    bool flat = i == 2 && is_planar(def) && shape->density == 0;
    if (shape->size[i] == 0 && !flat)
      return hn_element_fail(model, path[i], "all three edges of a box must be positive");
  }
  return HN_OK;
}

static hn_status check_axis(hn_model *model, const hn_shape *shape) {
  for (int i = 0; i < 3; i++) {
    hn_status status = hn_check_number(model, "shape.*.axis", "axis", shape->axis[i], HN_RANGE_ANY);
    if (status) return status;
  }
  double length = v3_norm(shape->axis);
  if (length > 0 && length < 1e-12)
    return hn_element_fail(model, "shape.*.axis", "axis is too short to have a direction");
  return HN_OK;
}

static hn_status check_shape(hn_model *model, const hn_body_def *def) {
  const hn_shape *shape = &def->shape;
  hn_status status =
      hn_check_number(model, "shape.*.density", "density", shape->density, HN_RANGE_POSITIVE);
  if (!status) status = check_axis(model, shape);
  if (status) return status;
  switch (shape->kind) {
  case HN_SHAPE_NONE: return HN_OK;
  case HN_SHAPE_BOX: return check_box(model, def);
  case HN_SHAPE_SPHERE: return need(model, "shape.*.radius", "radius", shape->radius);
  case HN_SHAPE_CYLINDER:
    status = need(model, "shape.*.radius", "radius", shape->radius);
    return status ? status : need(model, "shape.*.length", "length", shape->length);
  case HN_SHAPE_ROD:
    status = hn_check_number(model, "shape.*.radius", "radius", shape->radius, HN_RANGE_POSITIVE);
    return status ? status : need(model, "shape.*.length", "length", shape->length);
  }
  return hn_element_fail(model, "shape", "there is no shape number %d", (int)shape->kind);
}

static double shape_mass(const hn_shape *shape) {
  const double pi = 3.14159265358979323846;
  double r = shape->radius;
  switch (shape->kind) {
  case HN_SHAPE_BOX: return shape->density * shape->size[0] * shape->size[1] * shape->size[2];
  case HN_SHAPE_CYLINDER: return shape->density * pi * r * r * shape->length;
  case HN_SHAPE_SPHERE: return shape->density * 4 / 3 * pi * r * r * r;
  case HN_SHAPE_ROD: return shape->density * shape->length;
  case HN_SHAPE_NONE: break;
  }
  return 0;
}

static void axial_inertia(double inertia[6], double along, double across, const double axis[3],
                          const double fallback[3]) {
  double u[3], length = v3_norm(axis);
  if (length > 0)
    v3_scale(u, 1 / length, axis);
  else
    v3_copy(u, fallback);
  double d = along - across;
  for (int i = 0; i < 3; i++) inertia[i] = across + d * u[i] * u[i];
  inertia[3] = d * u[0] * u[1], inertia[4] = d * u[0] * u[2], inertia[5] = d * u[1] * u[2];
}

static void shape_inertia(double inertia[6], const hn_shape *shape, double m) {
  const double x[3] = {1, 0, 0}, z[3] = {0, 0, 1};
  const double *s = shape->size;
  double r = shape->radius, l = shape->length;
  memset(inertia, 0, 6 * sizeof *inertia);
  switch (shape->kind) {
  case HN_SHAPE_BOX:
    for (int i = 0; i < 3; i++)
      inertia[i] = m * (s[(i + 1) % 3] * s[(i + 1) % 3] + s[(i + 2) % 3] * s[(i + 2) % 3]) / 12;
    break;
  case HN_SHAPE_SPHERE: inertia[0] = inertia[1] = inertia[2] = 0.4 * m * r * r; break;
  case HN_SHAPE_CYLINDER:
    axial_inertia(inertia, m * r * r / 2, m * (3 * r * r + l * l) / 12, shape->axis, z);
    break;
  case HN_SHAPE_ROD:
    if (r == 0) r = l / 100;
    axial_inertia(inertia, m * r * r / 2, m * l * l / 12, shape->axis, x);
    break;
  case HN_SHAPE_NONE: break;
  }
}

// ---- can such a body exist? ----------------------------------------------------------------

// Jacobi's rotations; a 3x3 matrix is diagonal to rounding after a few sweeps
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

// ---- the body ------------------------------------------------------------------------------

static hn_status complete_mass(hn_model *model, hn_body_def *def) {
  double density = def->shape.kind == HN_SHAPE_NONE ? 0 : def->shape.density;
  if ((def->mass > 0 || def->mass_given) && density > 0)
    return hn_element_fail(model, "mass",
                           "mass and density are both given (one follows from the other)");
  if (def->mass == 0 && density == 0 && !def->mass_given)
    return hn_element_fail(model, "mass",
                           "mass is missing (or a shape with a density; 0 for a body without)");
  if (density > 0) def->mass = shape_mass(&def->shape);
  return hn_check_number(model, "shape", "mass of the shape", def->mass, HN_RANGE_POSITIVE);
}

// a body without mass has no inertia unless one is given
static hn_status complete_moments(hn_model *model, hn_body_def *def) {
  bool given = def->inertia_given;
  for (int i = 0; i < 6; i++) given = given || def->inertia[i] != 0;
  if (given) return HN_OK;
  if (def->mass == 0) return HN_OK;
  if (def->shape.kind == HN_SHAPE_NONE)
    return hn_element_fail(model, "inertia", "inertia is missing (or a shape to take it from)");
  shape_inertia(def->inertia, &def->shape, def->mass);
  return HN_OK;
}

hn_status hn_inertia_complete(hn_model *model, hn_body_def *def) {
  hn_status status = check_shape(model, def);
  if (!status) status = complete_mass(model, def);
  if (status) return status;
  if (is_point(def)) {
    bool given = false;
    for (int i = 0; i < 6; i++) given = given || def->inertia[i] != 0;
    return given ? hn_element_fail(model, "inertia", "a point has no inertia") : HN_OK;
  }
  status = complete_moments(model, def);
  if (status) return status;
  if (def->kind == HN_PLANAR) {
    // the other values say nothing about a motion in the plane
    double zz = def->inertia[2];
    memset(def->inertia, 0, sizeof def->inertia);
    def->inertia[2] = zz;
  }
  return check_inertia(model, def);
}
