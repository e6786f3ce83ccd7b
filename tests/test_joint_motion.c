// test_joint_motion.c: what the joints let pass, and how they measure it.
//
// Together with the ranks of test_joints.c this decides what a joint is: the motions it must allow
// are written here as rigid displacements, and its rows must not see them. Joint coordinates are
// compared with the displacement, over several turns; rolling and skating with the velocity of
// the point in contact, found by search.
#include "joint_cases.h"

// ---- rigid displacements: x -> R x + t -----------------------------------------------------

typedef struct rigid {
  double R[9], t[3];
} rigid;

static rigid shift_by(double x, double y, double z) {
  rigid o = {.t = {x, y, z}};
  m3_identity(o.R);
  return o;
}
static rigid shift_along(const double direction[3], double s) {
  return shift_by(s * direction[0], s * direction[1], s * direction[2]);
}
// turn about a unit axis through a point
static rigid turn_about(const double axis[3], const double point[3], double angle) {
  double s = sin(angle / 2);
  double q[4] = {cos(angle / 2), s * axis[0], s * axis[1], s * axis[2]}, x[3];
  rigid o;
  q_matrix(o.R, q);
  m3_mulv(x, o.R, point);
  v3_sub(o.t, point, x);
  return o;
}
// first b, then a
static rigid after(rigid a, rigid b) {
  rigid o;
  m3_mul(o.R, a.R, b.R);
  m3_mulv(o.t, a.R, b.t);
  v3_add(o.t, o.t, a.t);
  return o;
}
static rigid inverse(rigid a) {
  rigid o;
  m3_transpose(o.R, a.R);
  m3_mulv(o.t, o.R, a.t);
  v3_scale(o.t, -1, o.t);
  return o;
}
static rigid random_turn(const double point[3]) {
  double axis[3];
  random_unit(axis);
  return turn_about(axis, point, test_random(-2, 2));
}
static rigid random_motion(bool flat) {
  const double z[3] = {0, 0, 1};
  double point[3];
  random_vector(point, 1);
  rigid turn = flat ? turn_about(z, point, test_random(-2, 2)) : random_turn(point);
  return after(shift_by(test_random(-1, 1), test_random(-1, 1), flat ? 0 : test_random(-1, 1)),
               turn);
}

static void move_body(const hn_system *sys, double *q, int body, rigid m) {
  const hn_sys_body *b = &sys->body[body];
  double *x = q + b->q0;
  if (body == 0) return;
  bool flat = b->kind == HN_PLANAR || b->kind == HN_PLANAR_POINT;
  double p[3] = {x[0], x[1], flat ? 0 : x[2]}, o[3];
  m3_mulv(o, m.R, p);
  v3_add(o, o, m.t);
  memcpy(x, o, (flat ? 2 : 3) * sizeof(double));
  if (b->kind == HN_PLANAR) x[2] += atan2(m.R[3], m.R[0]);
  if (b->kind == HN_SPATIAL) {
    double turn[4], product[4];
    q_from_matrix(turn, m.R);
    q_mul(product, turn, x + 3);
    memcpy(x + 3, product, sizeof product);
  }
}

// ---- what each joint must allow ------------------------------------------------------------

// joint coordinates after the motion, beyond their value as described
typedef struct passed {
  int count;
  double value[3];
} passed;

static void axes_of(const trial *x, double z[3], double n[3], double w[3]) {
  const double up[3] = {0, 0, 1};
  v3_copy(z, v3_norm(x->def.axis) > 0 ? x->def.axis : up);
  v3_scale(z, 1 / v3_norm(z), z);
  if (x->planar && z[2] == 0)
    v3_set(n, -z[1], z[0], 0);
  else
    random_perpendicular(n, z);
  v3_copy(w, x->def.axis_b);
  if (v3_norm(w) > 0) v3_scale(w, 1 / v3_norm(w), w);
}

// a motion of b relative to a that the joint allows; false when the type is not listed
static bool allowed(const trial *x, rigid *m, passed *p) {
  const hn_joint_def *d = &x->def;
  const char *type = d->type;
  double z[3], n[3], w[3], up[3] = {0, 0, 1};
  axes_of(x, z, n, w);
  double phi = test_random(-2.5, 2.5), s = test_random(-1, 1), u = test_random(-1, 1);
  rigid about = turn_about(z, d->at, phi), along = shift_along(z, s), across = shift_along(n, u);
  rigid any = x->planar ? turn_about(up, d->at, phi) : random_turn(d->at);
  *p = (passed){0};
  if (!strcmp(type, "revolute")) {
    *m = about;
    *p = (passed){1, {phi}};
  } else if (!strcmp(type, "prismatic")) {
    *m = along;
    *p = (passed){1, {s}};
  } else if (!strcmp(type, "cylindrical")) {
    *m = after(along, about);
    *p = (passed){2, {s, phi}};
  } else if (!strcmp(type, "screw")) {
    *m = after(shift_along(z, d->pitch * phi), about);
    *p = (passed){2, {phi, d->pitch * phi}};
  } else if (!strcmp(type, "spherical")) {
    *m = any;
  } else if (!strcmp(type, "universal")) {
    *m = after(about, turn_about(w, d->at, s));
  } else if (!strcmp(type, "planar")) {
    *m = after(across, about);
  } else if (!strcmp(type, "fixed")) {
    *m = shift_by(0, 0, 0);
  } else if (!strcmp(type, "constant-velocity")) {
    // shafts described straight: any bend about an axis across them
    *m = turn_about(n, d->at, phi);
  } else if (!strcmp(type, "distance") || !strcmp(type, "universal-spherical")) {
    rigid own = x->planar ? turn_about(up, d->at_b, s) : random_turn(d->at_b);
    *m = after(any, own);
  } else if (!strcmp(type, "revolute-spherical")) {
    *m = after(about, random_turn(d->at_b));
  } else if (!strcmp(type, "revolute-prismatic")) {
    *m = after(x->planar ? any : about, shift_along(w, s));
  } else if (!strcmp(type, "point-on-line")) {
    *m = after(along, any);
    *p = (passed){1, {s}};
  } else if (!strcmp(type, "point-on-plane")) {
    *m = after(across, any);
  } else if (!strcmp(type, "parallel")) {
    rigid free = x->planar ? shift_by(s, u, 0) : shift_by(s, u, phi);
    *m = x->planar ? free : after(free, about);
  } else if (!strcmp(type, "perpendicular")) {
    rigid free = x->planar ? shift_by(s, u, 0) : shift_by(s, u, phi);
    *m = x->planar ? free : after(free, after(about, turn_about(w, d->at, u)));
  } else {
    return false;
  }
  return true;
}

static double largest(const double *x, int count) {
  double m = 0;
  for (int i = 0; i < count; i++)
    if (!(fabs(x[i]) <= m)) m = fabs(x[i]);
  return m;
}

// both bodies somewhere else, b displaced by m relative to a
static void place(const trial *x, int kind_a, int kind_b, rigid m, double *q) {
  rigid ma, mb;
  if (kind_b == GROUND || is_flat(kind_b)) {
    mb = kind_b == GROUND ? shift_by(0, 0, 0) : random_motion(true);
    if (kind_a == GROUND) mb = m;
    ma = after(mb, inverse(m));
  } else {
    ma = kind_a == GROUND ? shift_by(0, 0, 0) : random_motion(is_flat(kind_a));
    mb = after(ma, m);
  }
  move_body(x->sys, q, x->a.id, ma);
  move_body(x->sys, q, x->b.id, mb);
}

// false when the motions of the type are not listed
static bool check_allowed(const joint_case *c, int kind_a, int kind_b) {
  int variant = !strcmp(c->type, "constant-velocity") ? 1 : 0;
  rigid m;
  passed p;
  trial x = make_trial(c, kind_a, kind_b, variant);
  bool listed = CHECK(x.sys) && allowed(&x, &m, &p);
  double *q = malloc(((size_t)x.sys->nq + 1) * sizeof *q);
  for (int round = 0; round < 5 && listed; round++) {
    memcpy(q, x.sys->q0, (size_t)x.sys->nq * sizeof *q);
    allowed(&x, &m, &p);
    place(&x, kind_a, kind_b, m, q);
    hn_work_layout(&x.work, &(hn_arena){.base = x.arena.base}, x.sys);  // turns as at the start
    hn_eval_jacobian(&x.work, 0, q, x.sys->v0);
    hn_eval_measures(&x.work);
    if (!CHECK(largest(x.work.phi, x.sys->rows) < 1e-12))
      printf("  %s, kinds %d %d: %g\n", c->type, kind_a, kind_b, largest(x.work.phi, x.sys->rows));
    const hn_sys_joint *j = &x.sys->joint[joint_index(x.sys, "j")];
    for (int k = 0; k < p.count; k++) {
      double off = x.work.mval[j->coordinate[k].measure].value - p.value[k];
      if (k == 0) off -= x.def.value;
      // turns are not counted by a displacement; turns() looks at them
      if (j->coordinate[k].angular) off = remainder(off, 2 * acos(-1));
      CHECK_NEAR(off, 0, 1e-12);
    }
  }
  free(q);
  end_trial(&x);
  return listed;
}

static void allowed_motions(void) {
  static const int pair[][2] = {
      {GROUND, HN_SPATIAL},         {HN_SPATIAL, GROUND},   {HN_SPATIAL, HN_SPATIAL},
      {GROUND, HN_PLANAR},          {HN_PLANAR, HN_PLANAR}, {HN_PLANAR, HN_SPATIAL},
      {HN_SPATIAL, HN_PLANAR},      {GROUND, HN_POINT},     {HN_SPATIAL, HN_POINT},
      {HN_PLANAR, HN_POINT},        {HN_POINT, HN_POINT},   {GROUND, HN_PLANAR_POINT},
      {HN_PLANAR, HN_PLANAR_POINT}, {HN_PLANAR, GROUND},
  };
  int listed = 0;
  for (int i = 0; i < JOINT_CASES; i++)
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
      const joint_case *c = &joint_cases[i];
      if (!expected_rows(c, pair[k][0], pair[k][1], 0)) continue;
      // two point masses meet, but are not described so
      if (pair[k][0] == HN_POINT && !strcmp(c->type, "spherical")) continue;
      bool found = check_allowed(c, pair[k][0], pair[k][1]);
      if (k == 0) listed += found;
    }
  // all but couplings, coordinates, nonholonomic ones, stops, contacts, joints with clearance and
  // generic ones, which have their own tests
  CHECK(listed == JOINT_CASES - 21);
}

// bent shafts in fixed bearings turn equally fast, whichever way their axes are written
static void homokinetic(void) {
  const joint_case *c = joint_cases;
  while (strcmp(c->type, "constant-velocity")) c++;
  for (int sense = -1; sense <= 1; sense += 2) {
    trial x = {.model = hn_model_create()};
    x.a = random_body(x.model, "A", HN_SPATIAL);
    x.b = random_body(x.model, "B", HN_SPATIAL);
    x.def = (hn_joint_def){.name = "j", .type = c->type, .a.body = x.a, .b.body = x.b};
    fill(&x, c, 0);
    v3_scale(x.def.axis_b, sense, x.def.axis_b);
    CHECK(hn_add_joint(x.model, &x.def).id > 0);
    compile_trial(&x);
    if (!CHECK(x.sys)) return;
    double z[3], n[3], w[3], q[14];
    axes_of(&x, z, n, w);
    CHECK(fabs(v3_dot(z, w)) < 0.95);
    for (double angle = -7; angle < 7; angle += 0.5) {
      memcpy(q, x.sys->q0, sizeof q);
      move_body(x.sys, q, x.a.id, turn_about(z, x.def.at, angle));
      move_body(x.sys, q, x.b.id, turn_about(w, x.def.at, sense * angle));
      hn_eval_position(&x.work, 0, q);
      CHECK(largest(x.work.phi, x.sys->rows) < 1e-12);
    }
    end_trial(&x);
  }
}

// ---- coordinates ---------------------------------------------------------------------------

// several turns in both senses, and rates
static void turns(void) {
  for (int planar = 0; planar < 2; planar++) {
    trial x = make_trial(&joint_cases[0], GROUND, planar ? HN_PLANAR : HN_SPATIAL, 0);
    if (!CHECK(x.sys)) return;
    double z[3], n[3], w[3], q[7], v[6];
    axes_of(&x, z, n, w);
    int measure = x.sys->joint[0].coordinate[0].measure;
    CHECK_STR(x.sys->joint[0].coordinate[0].name, "angle");
    CHECK(x.sys->joint[0].coordinate[0].angular);
    for (int k = 0; k <= 60; k++) {
      double angle = k <= 20 ? 1.3 * k : 1.3 * (40 - k), speed = test_random(-3, 3);
      memcpy(q, x.sys->q0, (size_t)x.sys->nq * sizeof(double));
      move_body(x.sys, q, x.b.id, turn_about(z, x.def.at, angle));
      if (planar) q[2] = x.sys->q0[2] + angle;  // the state counts turns, the displacement does not
      // the velocity of that motion
      double p[3] = {q[0], q[1], planar ? 0 : q[2]}, omega[3], r[3];
      v3_scale(omega, speed, z);
      v3_sub(r, p, x.def.at);
      v3_cross(v, omega, r);
      if (planar) {
        v[2] = speed;
      } else {
        double R[9];
        q_matrix(R, q + 3);
        m3_tmulv(v + 3, R, omega);
      }
      hn_eval_jacobian(&x.work, 0, q, v);
      hn_eval_measures(&x.work);
      hn_accept_turns(&x.work, false);
      CHECK_NEAR(x.work.mval[measure].value, x.def.value + angle, 1e-11);
      CHECK_NEAR(x.work.mval[measure].rate, speed, 1e-12);
      CHECK(largest(x.work.phi, x.sys->rows) < 1e-12);
      CHECK(largest(x.work.psi, x.sys->rows) < 1e-12);
    }
    end_trial(&x);
  }
}

// rates of all measures against differences of their values
static void rates(void) {
  const double h = 1e-6;
  for (int i = 0; i < JOINT_CASES; i++)
    for (int planar = 0; planar < 2; planar++) {
      int kind = planar ? HN_PLANAR : HN_SPATIAL;
      if (!expected_rows(&joint_cases[i], kind, kind, 0)) continue;
      trial x = make_trial(&joint_cases[i], kind, kind, 0);
      if (!CHECK(x.sys)) continue;
      double q[32], v[32], d[32], value[32];
      CHECK(x.sys->nq <= 32 && x.sys->measures <= 32);
      for (int k = 0; k < x.sys->nv; k++) v[k] = test_random(-1, 1);
      for (int side = 1; side >= -1; side--) {
        memcpy(q, x.sys->q0, (size_t)x.sys->nq * sizeof(double));
        for (int k = 0; k < x.sys->nv; k++) d[k] = side * h * v[k];
        hn_retract(x.sys, q, d);
        hn_eval_jacobian(&x.work, 0, q, v);
        hn_eval_measures(&x.work);
        for (int k = 0; k < x.sys->measures; k++) {
          if (side == 1) value[k] = x.work.mval[k].value;
          if (side == -1) value[k] = (value[k] - x.work.mval[k].value) / (2 * h);
        }
      }
      memcpy(q, x.sys->q0, (size_t)x.sys->nq * sizeof(double));
      hn_eval_jacobian(&x.work, 0, q, v);
      hn_eval_measures(&x.work);
      for (int k = 0; k < x.sys->measures; k++) CHECK_REL(x.work.mval[k].rate, value[k], 1, 1e-7);
      end_trial(&x);
    }
}

// the frame of a body as the user sees it
static void user_frame(const trial *x, int body, double p[3], double R[9]) {
  const hn_sys_body *b = &x->sys->body[body];
  const hn_kin *k = &x->work.kin[body];
  double r[3];
  m3_mult(R, k->R, b->info->axes);
  m3_mulv(r, R, b->info->com);
  v3_sub(p, k->p, r);
}

// held coordinates have their absolute value in the assembled state
static void absolute(void) {
  static const char *const name[] = {"x", "y", "z", "roll", "pitch", "yaw"};
  for (int k = 0; k < 6; k++)
    for (int moving = 0; moving < 2; moving++) {
      trial x = {.model = hn_model_create()};
      x.a = random_body(x.model, "A", moving ? HN_SPATIAL : GROUND);
      x.b = random_body(x.model, "B", HN_SPATIAL);
      double value = test_random(-0.8, 0.8);
      hn_joint_def def = {.name = "j",
                          .type = "coordinate",
                          .a.body = x.a,
                          .b.body = x.b,
                          .coordinate = name[k],
                          .value = value};
      CHECK(hn_add_joint(x.model, &def).id > 0);
      compile_trial(&x);
      if (!CHECK(x.sys)) printf("  %s\n", hn_model_error(x.model));
      if (x.sys) {
        double pa[3], Ra[9], pb[3], Rb[9], d[3], p[3], R[9];
        hn_eval_position(&x.work, 0, x.sys->q0);
        user_frame(&x, x.a.id, pa, Ra);
        user_frame(&x, x.b.id, pb, Rb);
        v3_sub(d, pb, pa);
        m3_tmulv(p, Ra, d);
        m3_tmul(R, Ra, Rb);
        double got[6] = {p[0], p[1], p[2], atan2(R[7], R[8]), asin(-R[6]), atan2(R[3], R[0])};
        CHECK_NEAR(got[k], value, 1e-12);
      }
      end_trial(&x);
    }
}

// the same orientation, written with another turn, is reached without turning
static void no_detour(void) {
  const double turn = 2 * acos(-1), angle = 3;
  trial x = {.model = hn_model_create()};
  hn_body_def body = {.name = "B", .mass = 1, .inertia = {1, 1, 1}};
  body.orientation[0] = cos(angle / 2), body.orientation[3] = sin(angle / 2);
  x.b = hn_add_body(x.model, &body);
  hn_add_joint(x.model, &(hn_joint_def){.name = "j",
                                        .type = "coordinate",
                                        .b.body = x.b,
                                        .coordinate = "yaw",
                                        .value = angle - turn});
  compile_trial(&x);
  if (CHECK(x.sys)) {
    CHECK(hn_system_check(x.sys)->position_before < 1e-12);
    CHECK(hn_system_check(x.sys)->moved < 1e-12);
  }
  end_trial(&x);
}

// from a frame of a to a frame of b, along the axes of a
static void between_frames(void) {
  trial x = {.model = hn_model_create()};
  x.a = random_body(x.model, "A", HN_SPATIAL);
  x.b = random_body(x.model, "B", HN_SPATIAL);
  hn_frame_def fa = {.name = "f", .body = x.a}, fb = {.name = "g", .body = x.b};
  random_vector(fa.position, 1);
  random_vector(fb.position, 1);
  hn_end a = {x.a, hn_add_frame(x.model, &fa)}, b = {x.b, hn_add_frame(x.model, &fb)};
  hn_add_joint(
      x.model,
      &(hn_joint_def){
          .name = "j", .type = "coordinate", .a = a, .b = b, .coordinate = "y", .value = 0.7});
  compile_trial(&x);
  if (CHECK(x.sys)) {
    double pa[3], Ra[9], pb[3], Rb[9], r[3], d[3];
    hn_eval_position(&x.work, 0, x.sys->q0);
    user_frame(&x, x.a.id, pa, Ra);
    user_frame(&x, x.b.id, pb, Rb);
    m3_mulv(r, Rb, fb.position);
    v3_add(pb, pb, r);
    m3_mulv(r, Ra, fa.position);
    v3_add(pa, pa, r);
    v3_sub(d, pb, pa);
    m3_tmulv(r, Ra, d);
    CHECK_NEAR(r[1], 0.7, 1e-12);
  }
  end_trial(&x);
}

// planar bodies, and a point that is not the origin
static void absolute_in_plane(void) {
  trial x = {.model = hn_model_create()};
  x.b = random_body(x.model, "B", HN_PLANAR);
  hn_add_joint(x.model, &(hn_joint_def){.name = "turn",
                                        .type = "coordinate",
                                        .b.body = x.b,
                                        .coordinate = "angle",
                                        .value = 7.5});
  hn_add_joint(x.model, &(hn_joint_def){.name = "x",
                                        .type = "coordinate",
                                        .b.body = x.b,
                                        .coordinate = "x",
                                        .at = {0.3, 0.4, 0},
                                        .value = 0.7});
  double q[3] = {x.model->body[1].def.position[0], x.model->body[1].def.position[1],
                 x.model->body[1].def.angle};
  compile_trial(&x);
  if (CHECK(x.sys)) {
    double p[3], R[9], s[2] = {0.3 - q[0], 0.4 - q[1]}, c = cos(q[2]), si = sin(q[2]);
    double local[3] = {c * s[0] + si * s[1], -si * s[0] + c * s[1], 0}, r[3];
    hn_eval_position(&x.work, 0, x.sys->q0);
    user_frame(&x, x.b.id, p, R);
    m3_mulv(r, R, local);
    CHECK_NEAR(x.sys->q0[2], 7.5, 1e-12);
    CHECK_NEAR(p[0] + r[0], 0.7, 1e-12);
  }
  end_trial(&x);
}

// ---- couplings -----------------------------------------------------------------------------

// a sun wheel, a carrier and a planet on it; the rack is driven by the sun
static void gear_train(void) {
  for (int planar = 0; planar < 2; planar++) {
    trial x = {.model = hn_model_create(), .planar = planar};
    hn_model *m = x.model;
    int kind = planar ? HN_PLANAR : HN_SPATIAL;
    hn_body sun = random_body(m, "sun", kind), carrier = random_body(m, "carrier", kind);
    hn_body planet = random_body(m, "planet", kind), rack = random_body(m, "rack", kind);
    hn_joint_def def[] = {
        // sun against carrier meshes with planet against carrier, whatever the carrier does;
        // couplings may come before the joints they name
        {.name = "mesh", .type = "gear", .joint_a = "s", .joint_b = "p", .ratio = -2.5},
        {.name = "teeth", .type = "rack-pinion", .joint_a = "r", .joint_b = "sg", .radius = 0.3},
        {.name = "c", .type = "revolute", .b.body = carrier},
        {.name = "s", .type = "revolute", .a.body = carrier, .b.body = sun},
        {.name = "p", .type = "revolute", .a.body = carrier, .b.body = planet, .at = {1, 0, 0}},
        {.name = "sg", .type = "planar", .b.body = sun},
        {.name = "r", .type = "prismatic", .b.body = rack, .axis = {0.6, 0.8, 0}},
    };
    if (planar) def[5] = (hn_joint_def){.name = "sg", .type = "revolute", .b.body = sun};
    if (!planar) def[1].coordinate_b = "angle";
    for (size_t k = 0; k < sizeof def / sizeof *def; k++)
      if (!CHECK(hn_add_joint(m, &def[k]).id > 0)) printf("  %s\n", hn_model_error(m));
    compile_trial(&x);
    if (!CHECK(x.sys)) {
      printf("  %s\n", hn_model_error(m));
      end_trial(&x);
      continue;
    }
    CHECK(hn_system_check(x.sys)->dof == 2);
    const double z[3] = {0, 0, 1}, o[3] = {0, 0, 0}, at[3] = {1, 0, 0};
    double q[28];
    for (int k = 0; k <= 30; k++) {
      double turn = 0.7 * k, carry = 0.4 * sin(0.3 * k);  // sun against carrier, carrier
      memcpy(q, x.sys->q0, (size_t)x.sys->nq * sizeof(double));
      rigid c = turn_about(z, o, carry);
      move_body(x.sys, q, carrier.id, c);
      move_body(x.sys, q, sun.id, after(c, turn_about(z, o, turn)));
      move_body(x.sys, q, planet.id, after(c, turn_about(z, at, -2.5 * turn)));
      move_body(x.sys, q, rack.id,
                shift_by(0.6 * 0.3 * (turn + carry), 0.8 * 0.3 * (turn + carry), 0));
      if (planar) {
        // the state counts turns, the displacement does not
        q[x.sys->body[sun.id].q0 + 2] = x.sys->q0[x.sys->body[sun.id].q0 + 2] + turn + carry;
        q[x.sys->body[planet.id].q0 + 2] =
            x.sys->q0[x.sys->body[planet.id].q0 + 2] - 2.5 * turn + carry;
      }
      hn_eval_position(&x.work, 0, q);
      hn_accept_turns(&x.work, false);
      CHECK(largest(x.work.phi, x.sys->rows) < 1e-10);
    }
    end_trial(&x);
  }
}

// ---- contact -------------------------------------------------------------------------------

// lowest point of the rim over the plane with normal n, by search over the angle
static void lowest_on_rim(double o[3], const double centre[3], const double axle[3], double radius,
                          const double n[3]) {
  double x[3], y[3], low = 0, step = 0.01;
  v3_perpendicular(x, axle);
  v3_cross(y, axle, x);
#define HEIGHT(angle) (cos(angle) * v3_dot(x, n) + sin(angle) * v3_dot(y, n))
  for (double angle = 0; angle < 6.3; angle += step)
    if (HEIGHT(angle) < HEIGHT(low)) low = angle;
  for (; step > 1e-12; step *= 0.5) {
    if (HEIGHT(low + step) < HEIGHT(low)) low += step;
    if (HEIGHT(low - step) < HEIGHT(low)) low -= step;
  }
#undef HEIGHT
  for (int i = 0; i < 3; i++) o[i] = centre[i] + radius * (cos(low) * x[i] + sin(low) * y[i]);
}

// velocity of the point Q of a body
static void point_velocity(double o[3], const hn_kin *k, const double Q[3]) {
  double r[3];
  v3_sub(r, Q, k->p);
  v3_cross(o, k->w, r);
  v3_add(o, o, k->v);
}

static void fixed_in(double inner[3], const hn_kin *k, const double world[3]) {
  m3_tmulv(inner, k->R, world);
}

static void contact(int index, int kind_a, int kind_b) {
  trial x = make_trial(&joint_cases[index], kind_a, kind_b, 0);
  bool disc = !strcmp(x.def.type, "rolling-disc");
  double q[14], v[12], d[12], t[3][3], e[3] = {0, 0, 1}, inner[5][3], s[3], Q[3], height = 0;
  if (!CHECK(x.sys)) return;
  const hn_kin *a = &x.work.kin[x.a.id], *b = &x.work.kin[x.b.id];
  for (int round = 0; round < 6; round++) {
    memcpy(q, x.sys->q0, (size_t)x.sys->nq * sizeof(double));
    for (int k = 0; k < x.sys->nv; k++) {
      d[k] = round ? test_random(-0.3, 0.3) : 0;
      v[k] = test_random(-1, 1);
    }
    hn_retract(x.sys, q, d);
    hn_eval_jacobian(&x.work, 0, q, v);
    if (round == 0) {
      // the plane and the axle, as described, fixed in their bodies from now on
      const double east[3] = {1, 0, 0}, north[3] = {0, 1, 0};
      v3_scale(t[0], 1 / v3_norm(x.def.normal), x.def.normal);
      v3_copy(t[1], fabs(t[0][0]) > 0.9 ? north : east);
      v3_addto(t[1], -v3_dot(t[1], t[0]), t[0]);
      if (x.planar) v3_set(t[1], t[0][1], -t[0][0], 0);
      v3_scale(t[1], 1 / v3_norm(t[1]), t[1]);
      v3_cross(t[2], t[0], t[1]);
      if (v3_norm(x.def.axis) > 0) v3_scale(e, 1 / v3_norm(x.def.axis), x.def.axis);
      for (int k = 0; k < 3; k++) fixed_in(inner[k], a, t[k]);
      fixed_in(inner[3], b, e);
      v3_sub(s, x.def.at, b->p);
      fixed_in(inner[4], b, s);
    }
    for (int k = 0; k < 3; k++) m3_mulv(t[k], a->R, inner[k]);
    m3_mulv(e, b->R, inner[3]);
    m3_mulv(s, b->R, inner[4]);
    v3_add(s, s, b->p);  // the centre
    if (disc)
      lowest_on_rim(Q, s, e, x.def.radius, t[0]);
    else
      for (int i = 0; i < 3; i++) Q[i] = s[i] - x.def.radius * t[0][i];
    double above[3], va[3], vb[3];
    v3_sub(above, Q, a->p);
    if (round == 0) height = v3_dot(t[0], above);
    CHECK_NEAR(x.work.phi[0], v3_dot(t[0], above) - height, 1e-12);
    point_velocity(va, a, Q);
    point_velocity(vb, b, Q);
    v3_sub(vb, vb, va);
    // the place of the lowest point is known to the square root of the precision
    for (int k = 0; k < (x.planar ? 2 : 3); k++) CHECK_NEAR(x.work.psi[k], v3_dot(t[k], vb), 1e-6);
  }
  end_trial(&x);
}

static void contacts(void) {
  for (int i = 0; i < JOINT_CASES; i++) {
    if (strncmp(joint_cases[i].type, "rolling", 7)) continue;
    contact(i, GROUND, HN_SPATIAL);
    contact(i, HN_SPATIAL, HN_SPATIAL);
    contact(i, HN_PLANAR, HN_SPATIAL);
    contact(i, HN_SPATIAL, GROUND);
    contact(i, GROUND, HN_PLANAR);
    contact(i, HN_PLANAR, HN_PLANAR);
  }
}

// the sideways velocity of a point of the skate, relative to the ice
static void skates(void) {
  static const int pair[][2] = {{GROUND, HN_SPATIAL},
                                {HN_SPATIAL, HN_SPATIAL},
                                {GROUND, HN_PLANAR},
                                {HN_PLANAR, HN_PLANAR},
                                {HN_PLANAR, HN_SPATIAL}};
  for (int i = 0; i < JOINT_CASES; i++) {
    if (strcmp(joint_cases[i].type, "knife-edge") && strcmp(joint_cases[i].type, "wheel")) continue;
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
      trial x = make_trial(&joint_cases[i], pair[k][0], pair[k][1], 0);
      if (!CHECK(x.sys)) continue;
      double v[12], n[3], va[3], vb[3];
      for (int c = 0; c < x.sys->nv; c++) v[c] = test_random(-1, 1);
      hn_eval_jacobian(&x.work, 0, x.sys->q0, v);
      v3_scale(n, 1 / v3_norm(x.def.axis), x.def.axis);
      point_velocity(va, &x.work.kin[x.a.id], x.def.at);
      point_velocity(vb, &x.work.kin[x.b.id], x.def.at);
      v3_sub(vb, vb, va);
      CHECK_NEAR(x.work.psi[0], v3_dot(n, vb), 1e-14);
      CHECK(!x.sys->holonomic[0]);
      end_trial(&x);
    }
  }
}

// ---- frames --------------------------------------------------------------------------------

// a frame of the body at a world pose
static hn_frame frame_at(hn_model *model, hn_body body, const double p[3], const double R[9]) {
  const hn_body_def *b = &model->body[body.id].def;
  double B[9], d[3], local[9];
  hn_frame_def def = {.name = "f", .body = body};
  m3_identity(B);
  if (b->kind == HN_SPATIAL && body.id) q_matrix(B, b->orientation);
  if (b->kind == HN_PLANAR && body.id) {
    B[0] = B[4] = cos(b->angle);
    B[3] = sin(b->angle), B[1] = -B[3];
  }
  v3_sub(d, p, b->position);
  m3_tmulv(def.position, B, d);
  m3_tmul(local, B, R);
  q_from_matrix(def.orientation, local);
  return hn_add_frame(model, &def);
}

// the joint between two frames that fit where they are described, or nearly so
static trial frame_trial(const joint_case *c, bool planar, bool rough) {
  int kind = planar ? HN_PLANAR : HN_SPATIAL;
  trial x = {.model = hn_model_create(), .planar = planar};
  x.a = random_body(x.model, "A", kind);
  x.b = random_body(x.model, "B", kind);
  double p[3], z[3] = {0, 0, 1}, y[3], v[3], R[9];
  random_vector(p, 1);
  if (planar) p[2] = 0;
  if (!planar) random_unit(z);
  if (planar && c->axis == IN_PLANE) random_in_plane(z);
  v3_perpendicular(v, z);
  v3_cross(y, z, v);
  for (int i = 0; i < 3; i++) R[3 * i] = v[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i];
  hn_joint_def *d = &x.def;
  *d = (hn_joint_def){.name = "j", .type = c->type, .a.body = x.a, .b.body = x.b};
  d->a.frame = frame_at(x.model, x.a, p, R);
  // the second arm of the cross is across the first
  if (!strcmp(c->type, "universal"))
    for (int i = 0; i < 3; i++) R[3 * i] = y[i], R[3 * i + 1] = z[i], R[3 * i + 2] = v[i];
  if (!strcmp(c->type, "screw")) d->pitch = 0.1;
  if (!strncmp(c->type, "rolling", 7)) {
    // the disc stands on the plane through frame a, its axle is z
    d->radius = 0.5;
    v3_copy(d->normal, planar ? (double[]){0.6, 0.8, 0} : v);
    v3_addto(p, d->radius, d->normal);
  }
  for (int i = 0; rough && i < (planar ? 2 : 3); i++) p[i] += 0.05;
  d->b.frame = frame_at(x.model, x.b, p, R);
  CHECK(d->a.frame.id > 0 && d->b.frame.id > 0 && hn_add_joint(x.model, d).id > 0);
  compile_trial(&x);
  return x;
}

// joints located by frames are closed where the frames fit, and close when they nearly do
static void frames(void) {
  static const char *const types[] = {
      "revolute", "prismatic", "cylindrical",   "spherical",      "universal",    "planar",
      "fixed",    "screw",     "point-on-line", "point-on-plane", "rolling-disc", "rolling-sphere"};
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    for (int planar = 0; planar < 2; planar++)
      for (int rough = 0; rough < 2; rough++) {
        const joint_case *c = joint_cases;
        while (strcmp(c->type, types[k])) c++;
        if (planar && !c->plane) continue;
        trial x = frame_trial(c, planar, rough);
        if (CHECK(x.sys)) {
          const hn_check *check = hn_system_check(x.sys);
          if (rough)
            CHECK(check->position_before > 1e-6);
          else
            CHECK(check->position_before < 1e-12);
          CHECK(check->position_after < 1e-12);
          CHECK(check->rank == (planar ? c->plane : c->space));
        } else {
          printf("  %s: %s\n", types[k], hn_model_error(x.model));
        }
        end_trial(&x);
      }
}

// assembly slides a ball to its place, it does not roll it there
static void placed(void) {
  trial x = {.model = hn_model_create()};
  x.b = hn_add_body(x.model, &(hn_body_def){.name = "ball",
                                            .mass = 1,
                                            .inertia = {0.1, 0.1, 0.1},
                                            .position = {0, 0, 0.5},
                                            .velocity = {0.2, 0, 0}});
  hn_add_joint(x.model, &(hn_joint_def){.name = "roll",
                                        .type = "rolling-sphere",
                                        .b.body = x.b,
                                        .at = {0, 0, 0.5},
                                        .radius = 0.5});
  hn_add_joint(x.model, &(hn_joint_def){.name = "start",
                                        .type = "driver",
                                        .b.body = x.b,
                                        .coordinate = "x",
                                        .motion = "0.3 + 0.7*t"});
  compile_trial(&x);
  if (CHECK(x.sys)) {
    const double q[7] = {0.3, 0, 0.5, 1, 0, 0, 0}, v[6] = {0.7, 0, 0, 0, 1.4, 0};
    for (int i = 0; i < 7; i++) CHECK_NEAR(x.sys->q0[i], q[i], 1e-12);
    // but it starts rolling
    for (int i = 0; i < 6; i++) CHECK_NEAR(x.sys->v0[i], v[i], 1e-9);
  }
  end_trial(&x);
}

int main(void) {
  RUN(allowed_motions);
  RUN(homokinetic);
  RUN(turns);
  RUN(rates);
  RUN(absolute);
  RUN(no_detour);
  RUN(between_frames);
  RUN(absolute_in_plane);
  RUN(gear_train);
  RUN(contacts);
  RUN(skates);
  RUN(frames);
  RUN(placed);
  return test_end();
}
