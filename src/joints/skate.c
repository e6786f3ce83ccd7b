// skate.c: a point of b does not move sideways relative to a, 1 nonholonomic row.
//   n.V = 0,   V = v_b + w_b x c - v_a - w_a x r
// n is the sideways direction, fixed in b: across the blade of a knife edge, along the axle of a
// wheel. c = P - p_b, r = P - p_a for the point P of b. With n' = w_b x n
//   J_b = [n, c x n],   J_a = -[n, r x n],
//   gamma = -n'.V - n.(w_b x (w_b x c)) + n.(w_a x r'),   r' = v_b + w_b x c - v_a.
#include "code/formulas.h"
#include "joints/parts.h"

typedef struct skate {
  double n[3], s[3];  // direction and point, in b
} skate;

typedef struct blade {
  double n[3], c[3], r[3];  // in world axes
} blade;

// r reaches from the centre of a to the point of b: V is measured against the material of a there,
// which also turns
static void locate(blade *x, const skate *d, const hn_kin *a, const hn_kin *b) {
  m3_mulv(x->n, b->R, d->n);
  m3_mulv(x->c, b->R, d->s);
  for (int i = 0; i < 3; i++) x->r[i] = b->p[i] + x->c[i] - a->p[i];
}

static void eval(const void *data, double t, const hn_kin *a, const hn_kin *b, hn_custom_out *out) {
  (void)t;
  const skate *d = data;
  blade x;
  locate(&x, d, a, b);
  // no motion is prescribed, and there is no value: slipping sideways has no coordinate
  out->phi_t[0] = 0;
  double y[3];
  if (out->jb) {
    v3_copy(out->jb, x.n);
    v3_cross(out->jb + 3, d->s, d->n);  // c x n in axes of b, where both are fixed
  }
  if (out->ja) {
    v3_scale(out->ja, -1, x.n);
    // -(r x n) = n x r, and a has its turns in its own axes
    v3_cross(y, x.n, x.r);
    m3_tmulv(out->ja + 3, a->R, y);
  }
  if (out->gamma) {
    double ndot[3], rdot[3], V[3], z[3];
    v3_cross(ndot, b->w, x.n);
    v3_cross(rdot, b->w, x.c);
    for (int i = 0; i < 3; i++) rdot[i] += b->v[i] - a->v[i];
    v3_cross(y, a->w, x.r);
    // V = r' - w_a x r, with r' = v_b + w_b x c - v_a as it stands in world axes
    v3_sub(V, rdot, y);
    // the point goes round the centre of b: w_b x (w_b x c)
    v3_centripetal(y, b->w, x.c);
    v3_cross(z, a->w, rdot);
    out->gamma[0] = -v3_dot(ndot, V) - v3_dot(x.n, y) + v3_dot(x.n, z);
  }
}

// J^T lambda is the force F = lambda n at P on b and -F on a; F is fixed in b, so its torque in
// the axes of b never changes
static void tangent(const void *data, double t, const hn_kin *a, const hn_kin *b,
                    const double *lambda, double block[4][36]) {
  (void)t;
  blade x;
  locate(&x, data, a, b);
  double F[3];
  v3_scale(F, lambda[0], x.n);
  // columns are translation and turn of a, then of b, as in rolling.c
  for (int j = 0; j < 12; j++) {
    double move[3] = {j % 6 == 0, j % 6 == 1, j % 6 == 2};
    double unit[3] = {j % 6 == 3, j % 6 == 4, j % 6 == 5};
    double wa[3] = {0}, dF[3] = {0}, dr[3], y[3], z[3], torque[3];
    if (j < 6) {
      m3_mulv(wa, a->R, unit);
      v3_scale(dr, -1, move);
    } else {
      // only turns of b turn the force; both, and moves, change the arm
      double wb[3];
      m3_mulv(wb, b->R, unit);
      v3_cross(dF, wb, F);
      v3_cross(dr, wb, x.c);
      v3_add(dr, dr, move);
    }
    // seen from a: changes of the arm and of the force, less its own turn
    double *fa = block[j / 6] + j % 6, *fb = block[2 + j / 6] + j % 6;
    for (int i = 0; i < 3; i++) {
      fa[6 * i] = -dF[i];
      fb[6 * i] = dF[i];
      fb[6 * (i + 3)] = 0;  // c x F is constant in b
    }
    // in axes of a a vector x changes by x' - w_a x x: done to the arm and to the force
    v3_cross(y, wa, x.r);
    v3_sub(dr, dr, y);
    v3_cross(y, wa, F);
    v3_sub(dF, dF, y);
    v3_cross(y, F, dr);
    v3_cross(z, dF, x.r);
    v3_add(y, y, z);
    m3_tmulv(torque, a->R, y);
    for (int i = 0; i < 3; i++) fa[6 * (i + 3)] = torque[i];
  }
}

static void formulas(hn_formulas *f, const void *data, int a, int b, int row) {
  const skate *d = data;
  hn_jet3 n = hn_direction_jet(f, b, d->n), P = hn_point_jet(f, b, d->s);
  hn_slip slip = hn_slip_jet(f, a, b, &P);
  hn_slip_row(f, row, &n, &slip);
}

static const hn_custom_type skate_type = {.name = "skate",
                                          .rows = 1,
                                          .nonholonomic = 1,
                                          .data_size = sizeof(skate),
                                          .eval = eval,
                                          .tangent = tangent,
                                          .formulas = formulas};

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  (void)def;
  hn_mount b = *hn_mount_b(builder);
  // in the plane the direction is a line of it; mounts get their z there
  if (hn_build_planar(builder) && !hn_build_axis_in_plane(builder, &b))
    return hn_build_status(builder);
  skate d;
  // z of the mount: across the blade, along the axle
  for (int i = 0; i < 3; i++) d.n[i] = b.R[3 * i + 2];
  v3_copy(d.s, b.s);
  static const char *const labels[] = {"side"};
  hn_build_custom(builder, &skate_type, &d, hn_mount_a(builder), &b, labels);
  return hn_build_status(builder);
}

const hn_joint_type hn_joint_knife_edge = {
    .info = {.name = "knife-edge",
             .help = "skate: the point `at` of b does not move along `axis`, across its blade",
             .keys = "at axis",
             .required = "axis"},
    .needs_rotation = true,
    .build = build,
};

const hn_joint_type hn_joint_wheel = {
    .info = {.name = "wheel",
             .help = "wheel of b at `at` that does not slip along its axle `axis`",
             .keys = "at axis",
             .required = "axis"},
    .needs_rotation = true,
    .build = build,
};
