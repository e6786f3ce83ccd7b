// rolling.c: a thin disc or a sphere, fixed in b, rolls on a plane of a without slipping, 3 rows
// (plane: 2), and does not leave the plane.
//
// n is the normal of the plane, e the axle of the disc (zero for a sphere), C its centre. With
//   u = n.e,   s = |n - u e| = sqrt(1 - u^2),   m = (n - u e) / s
// the lowest point of the rim is Q = C - R m, at the height n.(C - p_a) - R s = n.(Q - p_a).
//   normal:  n.(Q - p_a) = height of the plane
//   roll:    t.(v_b + w_b x r_b - v_a - w_a x r_a) = 0,   r = Q - p,   t = t_1, t_2 in the plane
// The rate of the normal row has the same form with t = n, because Q moves over the rim parallel
// to the plane. So all rows share
//   J_b = [t, r_b x t],   J_a = -[t, r_a x t],
//   gamma = -(w_a x t).V - t.(w_b x r_b' - w_a x r_a')
// with V the relative velocity of the body points at Q, and r' the rates of r, which include the
// path of Q over the rim: Q' = C' - R m',
//   m' = (n' - u' e - u e' - s' m) / s,   s' = -u u' / s.
#include "code/formulas.h"
#include "joints/parts.h"

typedef struct rolling {
  int rows;  // 3: normal and both tangents; 2 in the plane, where t_2 is its normal
  double radius;
  double height;   // n.(Q - p_a) on the plane
  double t[3][3];  // normal and two tangents, in a
  double e[3];     // axle, in b; zero for a sphere
  double s[3];     // centre, in b
} rolling;

// one contact, in world axes
typedef struct contact {
  double t[3][3], e[3], m[3], u, sine;  // world axes; u = n.e and sine = s of above
  double centre[3];                     // C - p_b
  double ra[3], rb[3];                  // Q - p_a, Q - p_b
} contact;

// Q and what it hangs on. The pose is all it needs: rows, tangents and the point that is drawn
// start from it. A sphere has e = 0, so u = 0, s = 1 and m = n.
static void locate(contact *c, const rolling *d, const hn_kin *a, const hn_kin *b) {
  for (int k = 0; k < 3; k++) m3_mulv(c->t[k], a->R, d->t[k]);
  m3_mulv(c->e, b->R, d->e);
  m3_mulv(c->centre, b->R, d->s);
  const double *n = c->t[0];
  c->u = v3_dot(n, c->e);
  // m is the direction in the plane of the disc that climbs most steeply
  v3_copy(c->m, n);
  v3_addto(c->m, -c->u, c->e);
  c->sine = v3_norm(c->m);
  v3_scale(c->m, 1 / c->sine, c->m);
  v3_copy(c->rb, c->centre);
  v3_addto(c->rb, -d->radius, c->m);
  // the contact is one place for both bodies: the levers differ by the centres alone
  for (int i = 0; i < 3; i++) c->ra[i] = c->rb[i] + b->p[i] - a->p[i];
}

// rate of Q - C when a and b turn with the angular velocities wa and wb
static void rim_rate(double o[3], const contact *c, double radius, const double wa[3],
                     const double wb[3]) {
  // with wa and wb as small turns instead of rates it is the change of Q - C, for the tangent
  const double *n = c->t[0];
  double dn[3], de[3];
  v3_cross(dn, wa, n);
  v3_cross(de, wb, c->e);
  // n' and e' are at right angles to n and e, so that u' is all the two turns do to u
  double du = v3_dot(dn, c->e) + v3_dot(n, de), ds = -c->u * du / c->sine;
  for (int i = 0; i < 3; i++)
    o[i] = -radius / c->sine * (dn[i] - du * c->e[i] - c->u * de[i] - ds * c->m[i]);
}

static void eval_gamma(const rolling *d, const contact *c, const hn_kin *a, const hn_kin *b,
                       double *gamma) {
  double V[3], x[3], Q[3], ra[3], rb[3], bias[3];
  // relative velocity of the body points
  v3_cross(V, b->w, c->rb);
  v3_cross(x, a->w, c->ra);
  for (int i = 0; i < 3; i++) V[i] += b->v[i] - a->v[i] - x[i];
  // V is that of the material at Q, not of Q itself: along the tangents it is the slip. Now the
  // rates of r
  rim_rate(Q, c, d->radius, a->w, b->w);
  // Q runs over the rim, but is no material point: the arms change at the rate of the place, and
  // bias is t . (w_b x r_b' - w_a x r_a') before the product with t
  v3_cross(rb, b->w, c->centre);
  v3_add(rb, rb, Q);
  for (int i = 0; i < 3; i++) ra[i] = rb[i] + b->v[i] - a->v[i];
  v3_cross(bias, b->w, rb);
  v3_cross(x, a->w, ra);
  v3_sub(bias, bias, x);
  for (int k = 0; k < d->rows; k++) {
    // t' = w_a x t: the plane turns with a
    v3_cross(x, a->w, c->t[k]);
    gamma[k] = -v3_dot(x, V) - v3_dot(c->t[k], bias);
  }
}

static void eval(const void *data, double t, const hn_kin *a, const hn_kin *b, hn_custom_out *out) {
  (void)t;
  const rolling *d = data;
  contact c;
  locate(&c, d, a, b);
  out->phi[0] = v3_dot(c.t[0], c.ra) - d->height;
  for (int k = 0; k < d->rows; k++) {
    out->phi_t[k] = 0;
    // b pushes at Q with t, a feels the opposite there; torques count about the centres of mass, in
    // body axes
    double x[3];
    if (out->jb) {
      v3_copy(out->jb + 6 * k, c.t[k]);
      v3_cross(x, c.rb, c.t[k]);
      m3_tmulv(out->jb + 6 * k + 3, b->R, x);
    }
    if (out->ja) {
      v3_scale(out->ja + 6 * k, -1, c.t[k]);
      v3_cross(x, c.t[k], c.ra);
      m3_tmulv(out->ja + 6 * k + 3, a->R, x);
    }
  }
  if (out->gamma) eval_gamma(d, &c, a, b, out->gamma);
}

// J^T lambda is the force F = sum lambda_k t_k at Q on b and -F on a; each column is its change
// under one unit displacement
static void tangent(const void *data, double t, const hn_kin *a, const hn_kin *b,
                    const double *lambda, double block[4][36]) {
  (void)t;
  const rolling *d = data;
  contact c;
  locate(&c, d, a, b);
  double F[3] = {0}, T[3];
  // F is held, as the multipliers are: what changes are directions and arms
  for (int k = 0; k < d->rows; k++) v3_addto(F, lambda[k], c.t[k]);
  v3_cross(T, c.rb, F);
  // columns: translation and turn of a, then of b; 12 unit displacements are cheaper to get right
  // than 16 blocks of formulas
  for (int j = 0; j < 12; j++) {
    double move[3] = {j % 6 == 0, j % 6 == 1, j % 6 == 2};
    double unit[3] = {j % 6 == 3, j % 6 == 4, j % 6 == 5};
    double wa[3] = {0}, wb[3] = {0}, shift[3] = {0};  // turns, and shift of b relative to a
    if (j < 6) {
      m3_mulv(wa, a->R, unit);
      v3_scale(shift, -1, move);
    } else {
      m3_mulv(wb, b->R, unit);
      v3_copy(shift, move);
    }
    double dF[3], rim[3], drb[3], dra[3], ta[3], tb[3], x[3];
    v3_cross(dF, wa, F);
    rim_rate(rim, &c, d->radius, wa, wb);
    v3_cross(drb, wb, c.centre);
    v3_add(drb, drb, rim);
    v3_add(dra, drb, shift);
    // torque on b in its axes: (r_b x F)' - w_b x (r_b x F)
    v3_cross(x, drb, F);
    v3_cross(tb, c.rb, dF);
    v3_add(x, x, tb);
    v3_cross(tb, wb, T);
    v3_sub(x, x, tb);
    m3_tmulv(tb, b->R, x);
    // F is fixed in a, so its torque there changes only with the arm
    v3_cross(x, wa, c.ra);
    v3_sub(dra, dra, x);
    v3_cross(x, F, dra);
    m3_tmulv(ta, a->R, x);
    // of column j: rows of a, then of b; a 6 x 6 block is written row by row
    double *fa = block[j / 6] + j % 6, *fb = block[2 + j / 6] + j % 6;
    for (int i = 0; i < 3; i++) {
      fa[6 * i] = -dF[i];
      fa[6 * (i + 3)] = ta[i];
      fb[6 * i] = dF[i];
      fb[6 * (i + 3)] = tb[i];
    }
  }
}

// value and rate of Q: C - R m
static hn_jet3 rim_point(hn_formulas *f, const rolling *d, int b, const hn_jet3 *n) {
  hn_graph *g = f->g;
  hn_jet3 Q = hn_point_jet(f, b, d->s);
  hn_node radius = n_constant(g, d->radius), m[3], rate[3], x[3];
  n3_copy(m, n->value);
  n3_copy(rate, n->rate);
  // a sphere needs no axle: its lowest point is straight below its centre
  if (v3_norm(d->e) > 0) {
    hn_jet3 e = hn_direction_jet(f, b, d->e);
    hn_node u = n3_dot(g, n->value, e.value);
    // u', and below the numerator n' - u' e - u e' of m'; s' = -u u' / s as at the top
    hn_node du = n_add(g, n3_dot(g, n->rate, e.value), n3_dot(g, n->value, e.rate));
    n3_scale(g, x, u, e.value);
    n3_sub(g, m, m, x);
    hn_node sine = n_function(g, HN_OP_SQRT, n3_dot(g, m, m));
    for (int i = 0; i < 3; i++) {
      m[i] = n_div(g, m[i], sine);
      rate[i] = n_sub(g, rate[i], n_add(g, n_mul(g, du, e.value[i]), n_mul(g, u, e.rate[i])));
    }
    hn_node ds = n_neg(g, n_div(g, n_mul(g, u, du), sine));
    for (int i = 0; i < 3; i++) rate[i] = n_div(g, n_sub(g, rate[i], n_mul(g, ds, m[i])), sine);
  }
  n3_scale(g, m, radius, m);
  n3_scale(g, rate, radius, rate);
  n3_sub(g, Q.value, Q.value, m);
  n3_sub(g, Q.rate, Q.rate, rate);
  return Q;
}

static void formulas(hn_formulas *f, const void *data, int a, int b, int row) {
  const rolling *d = data;
  hn_graph *g = f->g;
  hn_jet3 t[3];
  for (int k = 0; k < d->rows; k++) t[k] = hn_direction_jet(f, a, d->t[k]);
  // material velocities at Q, whose tangential parts are the rolling rows
  hn_jet3 Q = rim_point(f, d, b, &t[0]);
  hn_slip slip = hn_slip_jet(f, a, b, &Q);
  // The normal row has a value, so that it can be corrected; its rate comes from hn_slip_row like
  // those of the others.
  hn_node ra[3];
  n3_sub(g, ra, Q.value, f->body[a].p);
  f->phi[row] = n_sub(g, n3_dot(g, t[0].value, ra), n_constant(g, d->height));
  for (int k = 0; k < d->rows; k++) hn_slip_row(f, row + k, &t[k], &slip);
}

static void contact_point(const void *data, const hn_kin *a, const hn_kin *b, double p[3]) {
  contact c;
  locate(&c, data, a, b);
  v3_add(p, b->p, c.rb);
}

// the normal row is holonomic; slips have no value that could be integrated
static const hn_custom_type in_space = {.name = "rolling",
                                        .rows = 3,
                                        .nonholonomic = 1u << 1 | 1u << 2,
                                        .data_size = sizeof(rolling),
                                        .eval = eval,
                                        .tangent = tangent,
                                        .contact = contact_point,
                                        .formulas = formulas};
static const hn_custom_type in_plane = {.name = "rolling in the plane",
                                        .rows = 2,
                                        .nonholonomic = 1u << 1,
                                        .data_size = sizeof(rolling),
                                        .eval = eval,
                                        .tangent = tangent,
                                        .contact = contact_point,
                                        .formulas = formulas};

// normal and tangents in world axes, t_1 near x; false after a failure
static bool choose_axes(hn_builder *builder, const hn_joint_def *def, double t[3][3]) {
  bool planar = hn_build_planar(builder);
  double fallback[3] = {0, planar, !planar}, x[3] = {1, 0, 0};
  // an oriented frame of a has a plane of its own: z, in the plane y, is its normal
  hn_build_frame_axis(builder, planar ? HN_AXIS_Y : HN_AXIS_Z, fallback);
  v3_copy(t[0], hn_part_given(def->normal) ? def->normal : fallback);
  v3_scale(t[0], 1 / v3_norm(t[0]), t[0]);
  // 1e-6: what a direction written with six digits may be off
  if (planar && fabs(t[0][2]) > 1e-6) {
    hn_build_fail(builder, HN_ERR_MODEL,
                  "the normal leaves the plane of the bodies (give it as x y 0)");
    return false;
  }
  if (planar) {
    // t_1 is the normal turned clockwise: a wheel rolling along it turns about -z
    v3_set(t[1], t[0][1], -t[0][0], 0);
  } else {
    // x as the first tangent, unless the normal is so near to it that little would be left
    if (fabs(t[0][0]) > 0.9) v3_set(x, 0, 1, 0);
    v3_copy(t[1], x);
    v3_addto(t[1], -v3_dot(x, t[0]), t[0]);
    v3_scale(t[1], 1 / v3_norm(t[1]), t[1]);
  }
  v3_cross(t[2], t[0], t[1]);
  return true;
}

static hn_status build(hn_builder *builder, const hn_joint_def *def, bool disc) {
  const hn_mount *a = hn_mount_a(builder), *b = hn_mount_b(builder);
  bool planar = hn_build_planar(builder);
  rolling d = {.rows = planar ? 2 : 3, .radius = def->radius};
  double t[3][3], sine = 1;
  if (!choose_axes(builder, def, t)) return hn_build_status(builder);
  for (int k = 0; k < 3; k++) hn_build_direction(builder, a->body, t[k], d.t[k]);
  v3_copy(d.s, b->s);
  if (disc) {
    double e[3];
    hn_part_world_axis(builder, b, HN_AXIS_Z, e);
    // an edge-on disc has sine 1; flat, every point of its rim is the lowest
    double u = v3_dot(t[0], e);
    sine = sqrt(fmax(0, 1 - u * u));
    if (sine < 1e-3)
      return hn_build_fail(builder, HN_ERR_MODEL,
                           "the disc lies flat on the plane (axis is its axle)");
    if (planar && !hn_part_axis_normal(builder, b)) return hn_build_status(builder);
    for (int i = 0; i < 3; i++) d.e[i] = b->R[3 * i + 2];
  }
  // the plane passes through frame a when both ends have frames; otherwise both mounts are at the
  // centre, and the plane is where the disc touches it in the described configuration
  d.height = v3_dot(d.t[0], a->s);
  if (!(def->a.frame.id && def->b.frame.id)) d.height -= d.radius * sine;
  static const char *const space_labels[] = {"normal", "roll_x", "roll_y"};
  static const char *const plane_labels[] = {"normal", "roll"};
  hn_build_custom(builder, planar ? &in_plane : &in_space, &d, a, b,
                  planar ? plane_labels : space_labels);
  return hn_build_status(builder);
}

static hn_status build_disc(hn_builder *builder, const hn_joint_def *def) {
  return build(builder, def, true);
}
static hn_status build_sphere(hn_builder *builder, const hn_joint_def *def) {
  return build(builder, def, false);
}

const hn_joint_type hn_joint_rolling_disc = {
    .info = {.name = "rolling-disc",
             .help = "thin disc of b, axle `axis` through `at`, rolls on the plane of a it touches",
             .keys = "at axis normal radius",
             .required = "radius"},
    .needs_rotation = true,
    .build = build_disc,
};

const hn_joint_type hn_joint_rolling_sphere = {
    .info = {.name = "rolling-sphere",
             .help = "sphere of b, centre `at`, rolls on the plane of a it touches",
             .keys = "at normal radius",
             .required = "radius"},
    .needs_rotation = true,
    .build = build_sphere,
};
