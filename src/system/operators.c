// operators.c: products with the Jacobian, motion on the configuration space, energies.
//
// Rows of a joint are a group: they have the same bodies, one dense block each, rows x nv of the
// body, which lie one after the other in work->J from block_offset on. Products with bodies'
// velocities go over these blocks; those with the system's coordinates are left to their table.
#include "base/pair.h"
#include "system/coordinates/coordinates.h"

#include <string.h>

// y += s J x, over velocities of bodies (bv)
void hn_jacobian_body_mul(const hn_work *work, const double *x, double s, double *y) {
  const hn_system *sys = work->sys;
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int k = group->first; k < group->first + group->bodies; k++) {
      const hn_sys_body *b = &sys->body[sys->group_body[k]];
      const double *J = work->J + sys->block_offset[k], *u = x + b->v0;
      double *to = y + group->row0;
      if (b->nv == 3 && group->rows == 2) {  // pins of the plane
        double first = s * (J[0] * u[0] + J[1] * u[1] + J[2] * u[2]);
        double second = s * (J[3] * u[0] + J[4] * u[1] + J[5] * u[2]);
        to[0] += first, to[1] += second;
        continue;
      }
      if (b->nv == 3) {  // bodies of the plane, and points
        double u0 = u[0], u1 = u[1], u2 = u[2];
        for (int r = 0; r < group->rows; r++, J += 3)
          to[r] += s * (J[0] * u0 + J[1] * u1 + J[2] * u2);
        continue;
      }
      if (b->nv == 6) {  // bodies in space
        double u0 = u[0], u1 = u[1], u2 = u[2], u3 = u[3], u4 = u[4], u5 = u[5];
        for (int r = 0; r < group->rows; r++, J += 6)
          to[r] += s * (J[0] * u0 + J[1] * u1 + J[2] * u2 + J[3] * u3 + J[4] * u4 + J[5] * u5);
        continue;
      }
      for (int r = 0; r < group->rows; r++, J += b->nv) {
        double sum = 0;
        for (int c = 0; c < b->nv; c++) sum += J[c] * u[c];
        to[r] += s * sum;
      }
    }
  }
}

// x += s J^T l
void hn_jacobian_body_tmul(const hn_work *work, const double *l, double s, double *x) {
  const hn_system *sys = work->sys;
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int k = group->first; k < group->first + group->bodies; k++) {
      const hn_sys_body *b = &sys->body[sys->group_body[k]];
      const double *J = work->J + sys->block_offset[k];
      double *u = x + b->v0;
      if (b->nv == 6) {  // bodies in space
        hn_pair first = hn_pair_load(u), middle = hn_pair_load(u + 2), last = hn_pair_load(u + 4);
        for (int r = 0; r < group->rows; r++, J += 6) {
          double w = s * l[group->row0 + r];
          first += w * hn_pair_load(J), middle += w * hn_pair_load(J + 2);
          last += w * hn_pair_load(J + 4);
        }
        hn_pair_store(u, first), hn_pair_store(u + 2, middle), hn_pair_store(u + 4, last);
        continue;
      }
      for (int r = 0; r < group->rows; r++, J += b->nv) {
        double w = s * l[group->row0 + r];
        for (int c = 0; c < b->nv; c++) u[c] += J[c] * w;
      }
    }
  }
}

void hn_jacobian_mul(const hn_work *work, const double *x, double *y) {
  work->sys->coordinates->jacobian_mul(work, x, y);
}

void hn_jacobian_tmul_add(const hn_work *work, const double *l, double s, double *y) {
  work->sys->coordinates->jacobian_tmul_add(work, l, s, y);
}

void hn_jacobian_dense(const hn_work *work, double *J) {
  work->sys->coordinates->jacobian_dense(work, J);
}

void hn_row_sizes(const hn_work *work, double *size) {
  work->sys->coordinates->row_sizes(work, size);
}

static double square_of_row(const double *row, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += row[k] * row[k];
  return sum;
}

// J with its velocities in the units of a metric
static void weigh_velocities(const hn_system *sys, hn_metric metric, double *row) {
  for (int k = 0; k < sys->nv; k++)
    if (metric == HN_METRIC_LENGTHS && !sys->angular_v[k])
      row[k] *= sys->length;
    else if (metric == HN_METRIC_MASS && sys->coordinates->of_bodies)
      row[k] /= sqrt(sys->mass[k]);
}

// Rank is a matter of units. Velocities are brought to those of the metric, then every row to
// length one by its natural size, that of its blocks before coordinates have cancelled anything: a
// row of which next to nothing is left is round-off, and becomes zero. Where rows are chosen
// (HN_METRIC_MASS), one of which less than a tenth is left stays short, though a gap of joints
// out of line cannot have made it: brought to length one it would look as good a pivot as any, and
// the rows left out would be met only as well as it is known. Above that all are alike: what is
// long here and now is no better a choice for the motion to come.
void hn_jacobian_scaled(const hn_work *work, hn_metric metric, double *J, double *size) {
  const hn_system *sys = work->sys;
  static const double little = 0.1 * 0.1;
  bool choice = metric == HN_METRIC_MASS;
  double part = choice ? HN_OUT_OF_LINE : sys->rank_tolerance, nothing = part * part;
  hn_jacobian_dense(work, J);
  bool reduced = sys->coordinates->row_lengths != NULL;
  if (reduced) sys->coordinates->row_lengths(work, metric == HN_METRIC_LENGTHS, size);
  for (int i = 0; i < sys->rows; i++) {
    double *row = J + (size_t)i * (size_t)sys->nv;
    weigh_velocities(sys, metric, row);
    double own = square_of_row(row, sys->nv), natural = reduced ? size[i] : own;
    double unit = choice ? fmax(own, little * natural) : natural;
    size[i] = unit > 0 ? sqrt(unit) : 1;
    double s = own > nothing * natural ? 1 / size[i] : 0;
    for (int k = 0; k < sys->nv; k++) row[k] *= s;
  }
}

void hn_qdot(const hn_system *sys, const double *q, const double *v, double *qdot) {
  sys->coordinates->qdot(sys, q, v, qdot);
}

void hn_retract(const hn_system *sys, double *q, const double *d) {
  sys->coordinates->retract(sys, q, d);
}

// integration leaves unit quaternions by its error; other coordinates have nothing to keep
void hn_normalise(const hn_system *sys, double *q) {
  if (sys->any_spatial && sys->coordinates->normalise) sys->coordinates->normalise(sys, q);
}

double hn_potential_energy(hn_work *work) {
  const hn_system *sys = work->sys;
  double V = work->potential;
  // every body's position coordinates come first; the plane has no z
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    if (b->kind == HN_SCALAR) continue;
    int n = b->kind == HN_PLANAR || b->kind == HN_PLANAR_POINT ? 2 : 3;
    for (int k = 0; k < n; k++) V -= b->mass * sys->gravity[k] * work->q[b->q0 + k];
  }
  return V;
}
