// align.c: the angles between directions that joints bring together.
//
// A joint's rows are products of directions. They are exact, cheap and smooth, but vanish for
// axes that are opposite as well as for axes that meet, and hardly change near a right angle. For
// the way to the closed position assembly puts the angles in their place. With the axes A of the
// mount on a, B of that on b, and w = w_b - w_a,
//
//   all axes    theta = log(A^T B),              theta' = L A^T w     (see forces/bushing.c)
//   z axes      theta = phi e, e along z_a x z_b,  of which x_a, y_a see  theta' ~ (x_a.w, y_a.w)
//   across      theta = asin(z_a . z_b),          theta' = -e.w
//
// The second rate is exact along e, which is where the joint must turn, and for small angles. At
// half a turn, where e is not determined, it is some perpendicular of z_a.
#include "base/elementary.h"
#include "compile/assemble.h"

#include <string.h>

int hn_alignment_rows(const hn_alignment *a) {
  return a->kind == HN_ALIGN_ALL ? 3 : a->kind == HN_ALIGN_Z ? 2 : 1;
}

typedef struct axes {
  double x[3], y[3], z[3];  // of the mount on a
  double w[3];              // z of the mount on b
} axes;

static void world_axes(const hn_alignment *o, const hn_work *work, axes *out) {
  double A[9], wb[3] = {o->Rb[2], o->Rb[5], o->Rb[8]};
  m3_mul(A, work->kin[o->a].R, o->Ra);
  m3_mulv(out->w, work->kin[o->b].R, wb);
  for (int i = 0; i < 3; i++)
    out->x[i] = A[3 * i], out->y[i] = A[3 * i + 1], out->z[i] = A[3 * i + 2];
}

// the angle from z_a to z_b and the direction about which it turns.
// atan2 of sine and cosine: exact at all angles, where acos would lose half the digits near 0 and
// pi.
static double between(const axes *v, double e[3]) {
  v3_cross(e, v->z, v->w);
  double s = v3_norm(e), c = v3_dot(v->z, v->w);
  if (s > 1e-9)
    v3_scale(e, 1 / s, e);
  else
    v3_copy(e, v->x);
  return hn_atan2(s, c);
}

// theta, and its rates by the turn of b in world axes (three numbers for each row).
// The rotation vector, of the two the shorter; L is the inverse of the left Jacobian of the
// exponential map, whose coefficient is 1/12 in the limit.
static void all_axes(const hn_alignment *o, const hn_work *work, double theta[3], double g[9]) {
  double A[9], B[9], R[9], q[4], S[9], SS[9], L[9], At[9];
  m3_mul(A, work->kin[o->a].R, o->Ra);
  m3_mul(B, work->kin[o->b].R, o->Rb);
  m3_tmul(R, A, B);
  q_from_matrix(q, R);
  double s = v3_norm(q + 1), side = q[0] < 0 ? -1 : 1, h = 2 * hn_atan2(s, fabs(q[0]));
  v3_scale(theta, side * (s > 1e-12 ? h / s : 2), q + 1);
  double c = h > 1e-3 ? (1 - 0.5 * h / hn_tan(0.5 * h)) / (h * h) : 1 / 12.0;
  m3_skew(S, theta);
  m3_mul(SS, S, S);
  m3_identity(L);
  for (int i = 0; i < 9; i++) L[i] += -0.5 * S[i] + c * SS[i];
  m3_transpose(At, A);
  m3_mul(g, L, At);
}

static void angles(const hn_alignment *o, const hn_work *work, double theta[3], double g[9]) {
  if (o->kind == HN_ALIGN_ALL) {
    all_axes(o, work, theta, g);
    return;
  }
  axes v;
  double e[3];
  world_axes(o, work, &v);
  double angle = between(&v, e);
  if (o->kind == HN_ALIGN_Z) {
    theta[0] = angle * v3_dot(e, v.x), theta[1] = angle * v3_dot(e, v.y);
    v3_copy(g, v.x), v3_copy(g + 3, v.y);
  } else {
    theta[0] = 0.5 * hn_pi - angle;
    v3_scale(g, -1, e);
  }
}

double hn_alignment_angle(const hn_alignment *o, const hn_work *work) {
  double theta[3] = {0}, g[9];
  angles(o, work, theta, g);
  int n = hn_alignment_rows(o);
  double sum = 0;
  for (int i = 0; i < n; i++) sum += theta[i] * theta[i];
  return sqrt(sum);
}

// columns of a row on the turns of a body
static void put_row(const hn_system *sys, double *J, const hn_group *group, int row, int body,
                    double s, const double R[9], const double g[3]) {
  const hn_sys_body *b = &sys->body[body];
  if (b->nv == 0) return;
  for (int k = group->first; k < group->first + group->bodies; k++) {
    if (sys->group_body[k] != body) continue;
    double *o = J + sys->block_offset[k] + (row - group->row0) * b->nv, turn[3];
    memset(o, 0, (size_t)b->nv * sizeof(double));
    m3_tmulv(turn, R, g);
    if (b->kind == HN_SPATIAL)
      for (int i = 0; i < 3; i++) o[3 + i] = s * turn[i];
    if (b->kind == HN_PLANAR) o[2] = s * turn[2];
  }
}

// Only turns: the columns of translations, which rows of directions never have, are cleared.
void hn_align_rows(hn_work *work, bool jacobian) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->alignments; i++) {
    const hn_alignment *o = &sys->alignment[i];
    const hn_group *group = &sys->group[sys->joint[sys->row_joint[o->row]].group];
    double theta[3] = {0}, g[9];
    angles(o, work, theta, g);
    for (int r = 0; r < hn_alignment_rows(o); r++) {
      work->phi[o->row + r] = theta[r];
      if (!jacobian) continue;
      put_row(sys, work->J, group, o->row + r, o->a, -1, work->kin[o->a].R, g + 3 * r);
      put_row(sys, work->J, group, o->row + r, o->b, 1, work->kin[o->b].R, g + 3 * r);
    }
  }
}

double hn_align_widest(const hn_work *work, bool only_sided, int *row) {
  const hn_system *sys = work->sys;
  double widest = 0;
  for (int i = 0; i < sys->alignments; i++) {
    const hn_alignment *o = &sys->alignment[i];
    // axes that are perpendicular are so either way round
    if (only_sided && o->kind == HN_ALIGN_ACROSS) continue;
    double angle = hn_alignment_angle(o, work);
    if (angle > widest) widest = angle, *row = o->row;
  }
  return widest;
}
