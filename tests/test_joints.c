// test_joints.c: derivatives, rows, ranks and refusals of every joint type.
//
// Every type is built between all kinds of bodies it accepts. At random states off the manifold
//   J        against central differences of Phi along the retraction (holonomic rows),
//   psi      against J v + Phi_t, Phi_t against differences in t,
//   gamma    J a - gamma against differences of psi along a motion with acceleration a,
//   tangent  d(J^T lambda)/dq against differences of J^T lambda.
// A joint from outside stands in the same table and is tested with the others.
#include "../examples/own_joint.h"
#include "joint_cases.h"

static const joint_case from_outside = {"point-on-cylinder", 1, 1, NORMAL, false, false, 1};
enum { ALL_CASES = JOINT_CASES + 1 };

static const joint_case *case_at(int i) {
  return i < JOINT_CASES ? &joint_cases[i] : &from_outside;
}

// ---- derivatives ---------------------------------------------------------------------------

typedef struct state {
  int nq, nv, rows;
  double t;
  double *q, *v, *a, *d, *trial, *l;  // d: displacement, trial: displaced q
  double *J, *K, *phi0, *phi1, *y0, *y1;
} state;

static double *numbers(int count) {
  double *x = calloc((size_t)count + 1, sizeof *x);
  if (!CHECK(x)) exit(1);
  return x;
}

static state state_create(const hn_system *sys) {
  state s = {.nq = sys->nq, .nv = sys->nv, .rows = sys->rows};
  s.q = numbers(s.nq), s.trial = numbers(s.nq);
  s.v = numbers(s.nv), s.a = numbers(s.nv), s.d = numbers(s.nv);
  s.l = numbers(s.rows), s.J = numbers(s.rows * s.nv), s.K = numbers(s.nv * s.nv);
  s.phi0 = numbers(s.rows), s.phi1 = numbers(s.rows);
  s.y0 = numbers(s.rows + s.nv), s.y1 = numbers(s.rows + s.nv);
  return s;
}
static void state_destroy(state *s) {
  free(s->q), free(s->trial), free(s->v), free(s->a), free(s->d), free(s->l);
  free(s->J), free(s->K), free(s->phi0), free(s->phi1), free(s->y0), free(s->y1);
}

// off the manifold, but near enough for angles to stay in their turn
static void state_random(state *s, const hn_system *sys) {
  s->t = test_random(0, 2);
  memcpy(s->q, sys->q0, (size_t)s->nq * sizeof(double));
  for (int i = 0; i < s->nv; i++) {
    s->d[i] = test_random(-0.25, 0.25);
    s->v[i] = test_random(-1, 1);
    s->a[i] = test_random(-1, 1);
  }
  hn_retract(sys, s->q, s->d);
  for (int i = 0; i < s->rows; i++) s->l[i] = test_random(-1, 1);
}

// trial = q (+) s * direction k
static void displace(state *s, const hn_system *sys, int k, double size) {
  memset(s->d, 0, (size_t)s->nv * sizeof(double));
  s->d[k] = size;
  memcpy(s->trial, s->q, (size_t)s->nq * sizeof(double));
  hn_retract(sys, s->trial, s->d);
}

// largest difference relative to the size of the numbers
typedef struct difference {
  double worst, size;
} difference;
static void compare(difference *x, double exact, double numeric) {
  double e = fabs(exact - numeric);
  if (!(e <= x->worst)) x->worst = e;
  x->size = fmax(x->size, fabs(exact));
}
static bool small(const difference *x) {
  return x->worst <= 1e-7 * fmax(1, x->size);
}

static difference check_jacobian(trial *x, state *s) {
  difference r = {0, 0};
  const double h = 1e-6;
  hn_work *w = &x->work;
  hn_eval_jacobian(w, s->t, s->q, s->v);
  hn_jacobian_dense(w, s->J);
  for (int k = 0; k < s->nv; k++) {
    displace(s, x->sys, k, h);
    hn_eval_position(w, s->t, s->trial);
    memcpy(s->phi1, w->phi, (size_t)s->rows * sizeof(double));
    displace(s, x->sys, k, -h);
    hn_eval_position(w, s->t, s->trial);
    for (int i = 0; i < s->rows; i++)
      if (x->sys->holonomic[i])
        compare(&r, s->J[i * s->nv + k], (s->phi1[i] - w->phi[i]) / (2 * h));
  }
  return r;
}

static difference check_velocity(trial *x, state *s) {
  difference r = {0, 0};
  const double h = 1e-6;
  hn_work *w = &x->work;
  hn_eval_jacobian(w, s->t, s->q, s->v);
  hn_jacobian_mul(w, s->v, s->y0);
  for (int i = 0; i < s->rows; i++) compare(&r, w->psi[i], s->y0[i] + w->phi_t[i]);
  memcpy(s->y1, w->phi_t, (size_t)s->rows * sizeof(double));
  hn_eval_position(w, s->t + h, s->q);
  memcpy(s->phi1, w->phi, (size_t)s->rows * sizeof(double));
  hn_eval_position(w, s->t - h, s->q);
  for (int i = 0; i < s->rows; i++)
    if (x->sys->holonomic[i]) compare(&r, s->y1[i], (s->phi1[i] - w->phi[i]) / (2 * h));
  return r;
}

// psi after the time h of a motion that starts with q, v, a
static void psi_later(trial *x, state *s, double h, double *psi) {
  for (int i = 0; i < s->nv; i++) s->d[i] = h * s->v[i] + h * h / 2 * s->a[i];
  memcpy(s->trial, s->q, (size_t)s->nq * sizeof(double));
  hn_retract(x->sys, s->trial, s->d);
  for (int i = 0; i < s->nv; i++) s->d[i] = s->v[i] + h * s->a[i];
  hn_eval_jacobian(&x->work, s->t + h, s->trial, s->d);
  memcpy(psi, x->work.psi, (size_t)s->rows * sizeof(double));
}

static difference check_gamma(trial *x, state *s) {
  difference r = {0, 0};
  const double h = 2e-5;
  // of fourth order: points may come near to the middle of what they keep their distance from
  static const double at[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
  hn_work *w = &x->work;
  memset(s->phi0, 0, (size_t)s->rows * sizeof(double));
  for (int k = 0; k < 4; k++) {
    psi_later(x, s, at[k] * h, s->phi1);
    for (int i = 0; i < s->rows; i++) s->phi0[i] += weight[k] * s->phi1[i] / (12 * h);
  }
  hn_eval_all(w, s->t, s->q, s->v);
  hn_jacobian_mul(w, s->a, s->y0);
  for (int i = 0; i < s->rows; i++) compare(&r, s->y0[i] - w->gamma[i], s->phi0[i]);
  return r;
}

// y = J^T lambda at the displaced state
static void reaction(trial *x, state *s, double *y) {
  hn_eval_jacobian(&x->work, s->t, s->trial, s->v);
  memset(y, 0, (size_t)s->nv * sizeof(double));
  hn_jacobian_tmul_add(&x->work, s->l, 1, y);
}

static difference check_tangent(trial *x, state *s) {
  difference r = {0, 0};
  const double h = 1e-6;
  hn_tangent tangent = {.n = s->nv, .K = s->K};
  memset(s->K, 0, (size_t)(s->nv * s->nv) * sizeof(double));
  hn_eval_jacobian(&x->work, s->t, s->q, s->v);
  hn_constraint_tangent(&x->work, s->l, &tangent);
  for (int k = 0; k < s->nv; k++) {
    displace(s, x->sys, k, h);
    reaction(x, s, s->y1);
    displace(s, x->sys, k, -h);
    reaction(x, s, s->y0);
    for (int i = 0; i < s->nv; i++)
      compare(&r, s->K[i * s->nv + k], (s->y1[i] - s->y0[i]) / (2 * h));
  }
  return r;
}

// d(J v)/dq as rows over the velocity coordinates
static difference check_velocity_tangent(trial *x, state *s) {
  difference r = {0, 0};
  const double h = 1e-6;
  const hn_system *sys = x->sys;
  hn_work *w = &x->work;
  double *V = calloc((size_t)sys->j_size + 1, sizeof(double)), *J = w->J;
  double *dense = calloc((size_t)(s->rows * s->nv) + 1, sizeof(double));
  if (!V || !dense) exit(1);
  hn_eval_jacobian(w, s->t, s->q, s->v);
  hn_velocity_tangent(w, V);
  w->J = V;
  hn_jacobian_dense(w, dense);
  w->J = J;
  for (int k = 0; k < s->nv; k++) {
    displace(s, sys, k, h);
    hn_eval_jacobian(w, s->t, s->trial, s->v);
    hn_jacobian_mul(w, s->v, s->phi1);
    displace(s, sys, k, -h);
    hn_eval_jacobian(w, s->t, s->trial, s->v);
    hn_jacobian_mul(w, s->v, s->phi0);
    for (int i = 0; i < s->rows; i++)
      compare(&r, dense[i * s->nv + k], (s->phi1[i] - s->phi0[i]) / (2 * h));
  }
  free(dense);
  free(V);
  return r;
}

// dJ/dt along v as rows over the velocity coordinates
static difference check_rate(trial *x, state *s) {
  difference r = {0, 0};
  const double h = 1e-6;
  hn_work *w = &x->work;
  int count = s->rows * s->nv;
  double *rate = calloc((size_t)x->sys->j_size + 1, sizeof(double)), *J = w->J;
  double *dense = calloc(3 * (size_t)count + 1, sizeof(double));
  if (!rate || !dense) exit(1);
  hn_eval_jacobian(w, s->t, s->q, s->v);
  hn_jacobian_rate(w, rate);
  w->J = rate;
  hn_jacobian_dense(w, dense);
  w->J = J;
  for (int side = 0; side < 2; side++) {
    for (int k = 0; k < s->nv; k++) s->d[k] = (side ? h : -h) * s->v[k];
    memcpy(s->trial, s->q, (size_t)s->nq * sizeof(double));
    hn_retract(x->sys, s->trial, s->d);
    hn_eval_jacobian(w, s->t, s->trial, s->v);
    hn_jacobian_dense(w, dense + (side + 1) * count);
  }
  for (int k = 0; k < count; k++)
    compare(&r, dense[k], (dense[2 * count + k] - dense[count + k]) / (2 * h));
  free(dense), free(rate);
  return r;
}

static void check_derivatives(trial *x, const char *what) {
  static const char *const name[] = {"J", "psi", "gamma", "tangent", "velocity tangent", "rate"};
  difference (*const check[])(trial *,
                              state *) = {check_jacobian, check_velocity,         check_gamma,
                                          check_tangent,  check_velocity_tangent, check_rate};
  state s = state_create(x->sys);
  for (int round = 0; round < 3; round++) {
    state_random(&s, x->sys);
    for (int k = 0; k < 6; k++) {
      difference d = check[k](x, &s);
      if (!CHECK(small(&d)))
        printf("  %s: %s is off by %.3g of %.3g\n", what, name[k], d.worst, d.size);
    }
  }
  state_destroy(&s);
}

// ---- rows and rank -------------------------------------------------------------------------

// rank by elimination with full pivoting
static int rank_of(double *A, int rows, int columns) {
  int rank = 0;
  for (; rank < rows && rank < columns; rank++) {
    int pr = rank, pc = rank;
    for (int i = rank; i < rows; i++)
      for (int j = rank; j < columns; j++)
        if (fabs(A[i * columns + j]) > fabs(A[pr * columns + pc])) pr = i, pc = j;
    double pivot = A[pr * columns + pc];
    if (fabs(pivot) < 1e-8) break;
    for (int j = 0; j < columns; j++) {
      double x = A[pr * columns + j];
      A[pr * columns + j] = A[rank * columns + j], A[rank * columns + j] = x;
    }
    for (int i = 0; i < rows; i++) {
      double x = A[i * columns + pc];
      A[i * columns + pc] = A[i * columns + rank], A[i * columns + rank] = x;
    }
    for (int i = rank + 1; i < rows; i++) {
      double f = A[i * columns + rank] / pivot;
      for (int j = rank; j < columns; j++) A[i * columns + j] -= f * A[rank * columns + j];
    }
  }
  return rank;
}

static void check_rank(trial *x, const char *what) {
  const hn_system *sys = x->sys;
  double *J = numbers(sys->rows * sys->nv);
  // joints with clearance start in the middle of their room, and have more gaps than can close
  if (!strncmp(x->def.type, "clearance", 9)) {
    free(J);
    return;
  }
  hn_eval_jacobian(&x->work, 0, sys->q0, sys->v0);
  hn_jacobian_dense(&x->work, J);
  int rank = rank_of(J, sys->rows, sys->nv);
  if (!CHECK(rank == sys->rows)) printf("  %s: rank %d of %d\n", what, rank, sys->rows);
  CHECK(hn_system_check(sys)->dof == sys->nv - hn_lasting_rows(sys));
  // where a grip holds is found while a model runs
  for (int i = 0; i < sys->rows && strcmp(x->def.type, "grip") != 0; i++)
    if (!CHECK(fabs(x->work.phi[i]) < 1e-9 && fabs(x->work.psi[i]) < 1e-9))
      printf("  %s: row %s is not closed: %g, rate %g\n", what, sys->row_name[i], x->work.phi[i],
             x->work.psi[i]);
  free(J);
}

static const char *kind_name(int kind) {
  static const char *const name[] = {"ground", "spatial", "planar", "point", "planar point"};
  return name[kind + 1];
}

// does the joint fit the bodies where they are described?
static bool as_described(const joint_case *c, int a, int b, int variant) {
  if (!strcmp(c->type, "coordinate") || !strcmp(c->type, "driver")) return false;
  if (!strcmp(c->type, "grip")) return false;
  if (!strcmp(c->type, "spherical") && is_point_mass(a) && is_point_mass(b)) return false;
  bool length = !strcmp(c->type, "distance") || !strcmp(c->type, "revolute-spherical");
  return !(length && variant == 1);
}

static void conformance(void) {
  for (int i = 0; i < ALL_CASES; i++) {
    const joint_case *c = case_at(i);
    bool couples = hn_word_in(c->type, "gear gear-flank") || !strcmp(c->type, "rack-pinion") ||
                   !strcmp(c->type, "limit") || !strcmp(c->type, "grip") ||
                   !strcmp(c->type, "lock");
    for (int a = GROUND; a <= HN_PLANAR_POINT; a++)
      for (int b = GROUND; b <= HN_PLANAR_POINT; b++)
        for (int variant = 0; variant < c->variants; variant++) {
          if (a == GROUND && b == GROUND) continue;
          // what is coupled are hinges, which refuse point masses themselves
          if (couples && (is_point_mass(a) || is_point_mass(b))) continue;
          char what[128];
          snprintf(what, sizeof what, "%s (%d) between %s and %s", c->type, variant, kind_name(a),
                   kind_name(b));
          int rows = expected_rows(c, a, b, variant);
          trial x = make_trial(c, a, b, variant);
          if (!CHECK((x.sys != NULL) == (rows > 0))) {
            printf("  %s: %s\n", what, x.sys ? "not refused" : hn_model_error(x.model));
          } else if (x.sys) {
            if (!CHECK(joint_rows(x.sys, "j") == rows))
              printf("  %s: %d rows, not %d\n", what, joint_rows(x.sys, "j"), rows);
            check_rank(&x, what);
            if (as_described(c, a, b, variant) &&
                !CHECK(hn_system_check(x.sys)->position_before < 1e-12))
              printf("  %s: open by %g\n", what, hn_system_check(x.sys)->position_before);
            check_derivatives(&x, what);
          } else {
            CHECK(hn_model_error(x.model)[0]);
          }
          end_trial(&x);
        }
  }
}

// the table of the test and that of the library name the same types
static void complete(void) {
  int count = 0;
  for (const hn_type_info *type; (type = hn_joint_type_at(count)); count++) {
    int found = 0;
    for (int i = 0; i < ALL_CASES; i++) found += !strcmp(case_at(i)->type, type->name);
    if (!CHECK(found == 1)) printf("  %s\n", type->name);
    CHECK(type->help && type->help[0]);
    CHECK(strlen(type->help) < 80);
  }
  CHECK(count == ALL_CASES);
  CHECK(!hn_joint_type_at(-1));
}

// ---- labels --------------------------------------------------------------------------------

static void labels(void) {
  static const struct {
    const char *type;
    bool planar;
    const char *rows;
  } expected[] = {
      {"revolute", false, "j.x j.y j.z j.rot_x j.rot_y"},
      {"revolute", true, "j.x j.y"},
      {"prismatic", false, "j.rot_x j.rot_y j.rot_z j.x j.y"},
      {"prismatic", true, "j.rot_z j.x"},
      {"cylindrical", false, "j.rot_x j.rot_y j.x j.y"},
      {"fixed", false, "j.x j.y j.z j.rot_x j.rot_y j.rot_z"},
      {"fixed", true, "j.x j.y j.rot_z"},
      {"planar", false, "j.rot_x j.rot_y j.z"},
      {"screw", false, "j.rot_x j.rot_y j.x j.y j.thread"},
      {"universal", false, "j.x j.y j.z j.cross"},
      {"distance", false, "j.length"},
      {"rolling-disc", false, "j.normal j.roll_x j.roll_y"},
      {"rolling-disc", true, "j.normal j.roll"},
      {"knife-edge", true, "j.side"},
      {"driver", true, "j.motion"},
  };
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
    const joint_case *c = NULL;
    for (int i = 0; i < JOINT_CASES; i++)
      if (!strcmp(joint_cases[i].type, expected[k].type)) c = &joint_cases[i];
    if (!CHECK(c)) continue;
    int kind = expected[k].planar ? HN_PLANAR : HN_SPATIAL;
    trial x = make_trial(c, GROUND, kind, 0);
    char names[256] = "";
    for (int i = 0; x.sys && i < hn_system_rows(x.sys); i++) {
      if (i) strcat(names, " ");
      strcat(names, hn_system_row_name(x.sys, i));
    }
    CHECK_STR(names, expected[k].rows);
    end_trial(&x);
  }
}

// ---- refusals ------------------------------------------------------------------------------

// adds the joint to a model with two spatial bodies A, B, two planar ones C, D, a point E, and
// joints "hinge", "slider", "ball"; it must be refused with a sentence that contains `word`
static void refuse(const hn_joint_def *def, const char *word) {
  hn_model *model = hn_model_create();
  static const char *const name[] = {"A", "B", "C", "D", "E"};
  static const int kind[] = {HN_SPATIAL, HN_SPATIAL, HN_PLANAR, HN_PLANAR, HN_POINT};
  hn_body body[5];
  for (int i = 0; i < 5; i++) body[i] = random_body(model, name[i], kind[i]);
  hn_add_joint(model, &(hn_joint_def){.name = "hinge", .type = "revolute", .b.body = body[0]});
  hn_add_joint(
      model,
      &(hn_joint_def){.name = "slider", .type = "prismatic", .a.body = body[0], .b.body = body[1]});
  hn_add_joint(model, &(hn_joint_def){.name = "ball", .type = "spherical", .b.body = body[4]});
  hn_system *sys = NULL;
  bool refused = hn_add_joint(model, def).id < 0 || hn_compile(&sys, model) != HN_OK;
  if (!CHECK(refused && strstr(hn_model_error(model), word) &&
             strstr(hn_model_error(model), def->name)))
    printf("  %s: '%s' lacks '%s'\n", def->type, hn_model_error(model), word);
  hn_system_destroy(sys);
  hn_model_destroy(model);
}
#define REFUSE(word, ...) refuse(&(hn_joint_def){.name = "bad", __VA_ARGS__}, word)

static void refusals(void) {
  const hn_body A = {1}, B = {2}, C = {3}, D = {4}, E = {5};
  // geometry
  REFUSE("spherical", .type = "distance", .a.body = A, .b.body = B, .at = {1, 2, 3},
         .at_b = {1, 2, 3});
  REFUSE("axis", .type = "revolute-spherical", .a.body = A, .b.body = B, .at_b = {0, 0, 1});
  REFUSE("axis", .type = "revolute-spherical", .a.body = A, .b.body = B, .at_b = {1, 0, 1},
         .length = 0.5);
  REFUSE("perpendicular", .type = "universal", .a.body = A, .b.body = B, .axis = {1, 0, 0},
         .axis_b = {1, 1, 0});
  REFUSE("perpendicular", .type = "universal", .a.body = A, .b.body = B, .axis = {1, 0, 0},
         .axis_b = {-1, 0, 0});
  REFUSE("perpendicular", .type = "perpendicular", .a.body = A, .b.body = B, .axis = {0, 1, 0},
         .axis_b = {0, 1, 0.1});
  REFUSE("axis_b", .type = "revolute-prismatic", .a.body = A, .b.body = B);
  REFUSE("flat", .type = "rolling-disc", .b.body = A, .radius = 1);
  REFUSE("radius", .type = "rolling-sphere", .b.body = A);
  REFUSE("radius", .type = "rolling-sphere", .b.body = A, .radius = -1);
  REFUSE("pitch", .type = "screw", .a.body = A, .b.body = B);
  // the plane
  REFUSE("z", .type = "revolute", .a.body = C, .b.body = D, .axis = {1, 0, 0});
  REFUSE("z", .type = "revolute", .a.body = C, .b.body = D, .axis = {0, 0.1, -1});
  REFUSE("plane", .type = "prismatic", .a.body = C, .b.body = D);
  REFUSE("plane", .type = "prismatic", .a.body = C, .b.body = D, .axis = {1, 0, 0.1});
  REFUSE("plane", .type = "knife-edge", .b.body = D, .axis = {0, 0, 1});
  REFUSE("plane", .type = "rolling-disc", .b.body = D, .radius = 1, .normal = {0, 1, 1});
  REFUSE("spatial", .type = "cylindrical", .a.body = C, .b.body = D);
  REFUSE("distance", .type = "revolute-spherical", .a.body = C, .b.body = D, .at_b = {1, 0, 0});
  // point masses
  REFUSE("point", .type = "revolute", .b.body = E);
  REFUSE("point", .type = "point-on-line", .a.body = E, .b.body = A);
  REFUSE("point", .type = "revolute-spherical", .a.body = E, .b.body = A, .at_b = {1, 0, 0});
  REFUSE("point", .type = "coordinate", .b.body = E, .coordinate = "roll");
  REFUSE("point", .type = "coordinate", .a.body = E, .b.body = A, .coordinate = "roll");
  // coordinates
  REFUSE("coordinate", .type = "coordinate", .b.body = A);
  REFUSE("rol", .type = "coordinate", .b.body = A, .coordinate = "rol");
  REFUSE("angle", .type = "coordinate", .b.body = A, .coordinate = "angle");
  REFUSE("'z'", .type = "coordinate", .b.body = C, .coordinate = "z");
  REFUSE("'yaw'", .type = "coordinate", .a.body = D, .b.body = C, .coordinate = "yaw");
  REFUSE("motion", .type = "driver", .b.body = A, .coordinate = "x");
  REFUSE("coordinate", .type = "driver", .b.body = A, .motion = "t");
  REFUSE("motion", .type = "driver", .b.body = A, .coordinate = "x", .motion = "t +");
  REFUSE("motion", .type = "driver", .b.body = A, .coordinate = "x", .motion = "speed*t");
  REFUSE("translation", .type = "driver", .joint_a = "hinge", .coordinate = "translation",
         .motion = "t");
  // couplings
  REFUSE("joint_a", .type = "gear", .joint_b = "hinge", .ratio = 2);
  REFUSE("ratio", .type = "gear", .joint_a = "hinge", .joint_b = "slider");
  REFUSE("nothing", .type = "gear", .joint_a = "nothing", .joint_b = "hinge", .ratio = 2);
  REFUSE("ball", .type = "gear", .joint_a = "hinge", .joint_b = "ball", .ratio = 2);
  REFUSE("itself", .type = "gear", .joint_a = "hinge", .joint_b = "hinge", .ratio = 2);
  REFUSE("rack-pinion", .type = "gear", .joint_a = "hinge", .joint_b = "slider", .ratio = 2);
  REFUSE("radius", .type = "rack-pinion", .joint_a = "hinge", .joint_b = "slider");
  REFUSE("itself", .type = "rack-pinion", .joint_a = "hinge", .joint_b = "hinge", .radius = 2);
  // what is allowed must not be refused by the same model
  hn_model *model = hn_model_create();
  hn_body b = random_body(model, "b", HN_SPATIAL);
  CHECK(hn_add_joint(model, &(hn_joint_def){.name = "u",
                                            .type = "universal",
                                            .b.body = b,
                                            .axis = {1, 0, 0},
                                            .axis_b = {0.05, 1, 0}})
            .id > 0);
  hn_system *sys = NULL;
  CHECK(hn_compile(&sys, model) == HN_OK);
  hn_system_destroy(sys);
  hn_model_destroy(model);
}

int main(void) {
  char why[256];
  CHECK(hn_extend_joint(&own_joint, why, sizeof why) == HN_OK);
  RUN(complete);
  RUN(conformance);
  RUN(labels);
  RUN(refusals);
  return test_end();
}
