// test_model.c: models described through the C interface: options, inertia, checks, names,
// parameters.
//
// Inertias are compared with textbook formulas worked out by hand, messages with the sentences a
// user should read.
#include "model/model.h"

#include <stdlib.h>

#include "base/vec.h"
#include "forces/force.h"
#include "joints/joint.h"
#include "model/fields.h"
#include "model/inertia.h"
#include "model/options.h"
#include "test.h"

// ---- options -------------------------------------------------------------------------------

static void option_defaults(void) {
  hn_options o = hn_options_default();
  CHECK_STR(o.method, "default");
  CHECK_STR(o.solver, "");
  CHECK_STR(o.correction, "");
  CHECK_STR(o.integrator, "");
  CHECK_STR(o.coordinates, "auto");
  CHECK(o.duration == 10 && o.step == 0 && o.output_step == 0);
  CHECK(o.rtol == 1e-7 && o.atol == 0 && o.alpha == 5 && o.beta == 5);
  CHECK(o.projection_tol == 1e-10 && o.audit_position == 1e-6 && o.audit_velocity == 1e-5);
  CHECK(o.audit_acceleration == 1e-6 && o.audit_energy == 1e-4 && o.audit_output == 1e-5);
}

static void option_table(void) {
  CHECK(hn_option_at(-1) == NULL && hn_option_at(hn_option_count()) == NULL);
  // the texts of the defaults lead back to the defaults: set all of them in another set
  hn_options o, d = hn_options_default();
  memset(&o, 0, sizeof o);
  for (int i = 0; i < hn_option_count(); i++) {
    const hn_option_info *info = hn_option_at(i);
    char message[200] = "";
    CHECK(hn_options_set(&o, info->name, info->fallback, message, sizeof message) == HN_OK);
    CHECK(strlen(info->help) > 10 && info->unit != NULL);
  }
  CHECK(memcmp(&o, &d, sizeof o) == 0);
  // every byte of the struct belongs to some option, or is kept free for those to come
  size_t bytes = 0;
  for (int i = 0; i < hn_option_count(); i++)
    bytes += hn_option_row(i)->words ? sizeof o.method : sizeof(double);
  CHECK(bytes == offsetof(hn_options, reserved));
}

static const char *set(const char *name, const char *value) {
  static char message[200];
  hn_options o = hn_options_default();
  snprintf(message, sizeof message, "accepted");
  hn_options_set(&o, name, value, message, sizeof message);
  return message;
}

static void option_values(void) {
  hn_options o = hn_options_default();
  CHECK(hn_options_set(&o, "step", "5 ms", NULL, 0) == HN_OK);
  CHECK_REL(o.step, 0.005, 0, 1e-15);
  CHECK(hn_options_set(&o, "duration", "2*pi", NULL, 0) == HN_OK);
  CHECK_REL(o.duration, 6.283185307179586, 0, 1e-15);
  CHECK(hn_options_set(&o, "coordinates", "relative", NULL, 0) == HN_OK);
  CHECK_STR(o.coordinates, "relative");
  CHECK(hn_options_set(&o, "duration", "-1", NULL, 0) == HN_ERR_ARGUMENT);
  CHECK_REL(o.duration, 6.283185307179586, 0, 1e-15);  // a refused value changes nothing
  CHECK_STR(set("alpha", "0"), "accepted");
  CHECK_STR(set("solver", ""), "accepted");
  CHECK_STR(set("rtoll", "1"), "unknown option 'rtoll' (did you mean 'rtol'?)");
  CHECK_STR(set("tolerance", "1"), "unknown option 'tolerance' (did you mean 'rtol'?)");
  CHECK_STR(set("method", "lagrange"),
            "method: 'lagrange' is a value of 'solver' (set solver: lagrange)");
  CHECK_STR(set("solver", "rk4"), "solver: 'rk4' is a value of 'integrator' (set integrator: rk4)");
  CHECK_STR(set("whatever", "1"), "unknown option 'whatever'");
  CHECK_STR(set("rtol", "0"), "rtol must lie between 1e-14 and 0.1, not 0");
  CHECK_STR(set("step", "-1"), "step must lie between 1e-12 and 1e+06, or be 0, not -1");
  CHECK_STR(set("rtol", "small"), "rtol: unknown name 'small'");
  CHECK_STR(set("rtol", ""), "rtol: empty expression");
  CHECK_STR(set("coordinates", "relativ"),
            "coordinates: nothing is named 'relativ' (did you mean 'relative'?)");
  CHECK(hn_options_set(NULL, "rtol", "1", NULL, 0) == HN_ERR_ARGUMENT);
}

// ---- bodies --------------------------------------------------------------------------------

static const double *inertia_of(hn_model *m, const hn_body_def *def) {
  static const double none[6] = {0};
  hn_body b = hn_add_body(m, def);
  if (!CHECK(b.id > 0)) {
    printf("  %s\n", hn_model_error(m));
    return none;
  }
  return m->body[b.id].def.inertia;
}

static void check_inertia(const double *I, double xx, double yy, double zz, double xy, double xz,
                          double yz) {
  const double expected[6] = {xx, yy, zz, xy, xz, yz};
  for (int i = 0; i < 6; i++) CHECK_NEAR(I[i], expected[i], 1e-14 * (fabs(xx) + fabs(yy)));
}

static void shapes(void) {
  hn_model *m = hn_model_create();
  // 6 (4 + 9) / 12, 6 (1 + 9) / 12, 6 (1 + 4) / 12
  check_inertia(
      inertia_of(
          m, &(hn_body_def){.name = "box", .mass = 6, .shape = {HN_SHAPE_BOX, .size = {1, 2, 3}}}),
      6.5, 5, 2.5, 0, 0, 0);
  // 2/5 5 0.25
  check_inertia(inertia_of(m, &(hn_body_def){.name = "sphere",
                                             .mass = 5,
                                             .shape = {HN_SHAPE_SPHERE, .radius = 0.5}}),
                0.5, 0.5, 0.5, 0, 0, 0);
  // 2 0.09 / 2 along z, 2 (3 0.09 + 1) / 12 across
  check_inertia(
      inertia_of(m, &(hn_body_def){.name = "drum",
                                   .mass = 2,
                                   .shape = {HN_SHAPE_CYLINDER, .radius = 0.3, .length = 1}}),
      2.54 / 12, 2.54 / 12, 0.09, 0, 0, 0);
  check_inertia(inertia_of(m, &(hn_body_def){.name = "axle",
                                             .mass = 2,
                                             .shape = {HN_SHAPE_CYLINDER, .radius = 0.3,
                                                       .length = 1, .axis = {5, 0, 0}}}),
                0.09, 2.54 / 12, 2.54 / 12, 0, 0, 0);
  // 3 16 / 12 across, 3 0.04^2 / 2 along x; without radius 4 / 100 is taken
  check_inertia(
      inertia_of(m, &(hn_body_def){.name = "rod", .mass = 3, .shape = {HN_SHAPE_ROD, .length = 4}}),
      0.0024, 4, 4, 0, 0, 0);
  // along (1, 1, 0): I = across - (across - along) u u^T, u u^T = 1/2 in xx, yy, xy
  check_inertia(inertia_of(m, &(hn_body_def){.name = "oblique",
                                             .mass = 3,
                                             .shape = {HN_SHAPE_ROD, .length = 4, .radius = 0.2,
                                                       .axis = {2, 2, 0}}}),
                2.03, 2.03, 4, -1.97, 0, 0);
  hn_model_destroy(m);
}

static void masses(void) {
  hn_model *m = hn_model_create();
  const double pi = acos(-1);
  const struct {
    hn_shape shape;
    double mass;
  } cases[] = {
      {{HN_SHAPE_BOX, .size = {1, 2, 3}, .density = 10}, 60},
      {{HN_SHAPE_SPHERE, .radius = 2, .density = 3}, 32 * pi},
      {{HN_SHAPE_CYLINDER, .radius = 2, .length = 5, .density = 3}, 60 * pi},
      {{HN_SHAPE_ROD, .length = 4, .density = 0.5}, 2},
  };
  for (int i = 0; i < 4; i++) {
    char name[8] = {(char)('a' + i)};
    hn_body b = hn_add_body(m, &(hn_body_def){.name = name, .shape = cases[i].shape});
    if (CHECK(b.id == i + 1)) CHECK_REL(m->body[b.id].def.mass, cases[i].mass, 0, 1e-15);
  }
  // what is given wins over the shape
  hn_body b = hn_add_body(m, &(hn_body_def){.name = "given",
                                            .mass = 1,
                                            .inertia = {1, 1, 1},
                                            .shape = {HN_SHAPE_SPHERE, .radius = 1}});
  if (CHECK(b.id > 0)) CHECK(m->body[b.id].def.inertia[0] == 1);
  // planar bodies keep zz only, and need no thickness
  b = hn_add_body(m, &(hn_body_def){.name = "plate",
                                    .kind = HN_PLANAR,
                                    .mass = 12,
                                    .shape = {HN_SHAPE_BOX, .size = {1, 2}}});
  if (CHECK(b.id > 0)) check_inertia(m->body[b.id].def.inertia, 0, 0, 5, 0, 0, 0);
  hn_model_destroy(m);
}

static void principal_moments(void) {
  double moment[3];
  // diag(1, 2, 3) turned: eigenvalues do not change
  double axis[3] = {0.3, -0.5, 0.8}, q[4] = {1, 0, 0, 0}, R[9], D[9] = {1, 0, 0, 0, 2, 0, 0, 0, 3};
  double A[9], B[9];
  q_turn(q, axis);
  q_matrix(R, q);
  m3_mul(A, R, D);
  m3_mult(B, A, R);
  hn_inertia_principal((double[]){B[0], B[4], B[8], B[1], B[2], B[5]}, moment);
  for (int i = 0; i < 3; i++) CHECK_NEAR(moment[i], i + 1.0, 1e-14);
  // [[2 1 0] [1 2 0] [0 0 7]]: 1, 3, 7
  hn_inertia_principal((double[]){2, 2, 7, 1, 0, 0}, moment);
  CHECK_NEAR(moment[0], 1, 1e-15);
  CHECK_NEAR(moment[1], 3, 1e-15);
  CHECK_NEAR(moment[2], 7, 1e-15);
}

static const char *body_error(hn_body_def def) {
  static char message[HN_MESSAGE];
  hn_model *m = hn_model_create();
  if (!def.name) def.name = "b";
  bool refused = hn_add_body(m, &def).id < 0;
  snprintf(message, sizeof message, "%s", refused ? hn_model_error(m) : "accepted");
  CHECK(m->body_count == (refused ? 1 : 2));
  hn_model_destroy(m);
  return message;
}

#define SPHERE .mass = 1, .inertia = {1, 1, 1}

static void bad_bodies(void) {
  CHECK_STR(body_error((hn_body_def){SPHERE}), "accepted");
  CHECK_STR(body_error((hn_body_def){.mass = -1, .inertia = {1, 1, 1}}),
            "body 'b': mass must not be negative");
  CHECK_STR(body_error((hn_body_def){.inertia = {1, 1, 1}}),
            "body 'b': mass is missing (or a shape with a density; 0 for a body without)");
  // zero is a value where it is meant
  CHECK_STR(body_error((hn_body_def){.mass_given = true}), "accepted");
  CHECK_STR(body_error((hn_body_def){.mass = 1, .inertia_given = true}), "accepted");
  CHECK_STR(body_error((hn_body_def){.mass = 1, .inertia = {0, 1, 1}}),
            "body 'b': inertia must be positive definite (its principal moments are 0, 1, 1 kg "
            "m^2)");
  CHECK_STR(body_error((hn_body_def){.mass = NAN, .inertia = {1, 1, 1}}),
            "body 'b': mass must be a finite number");
  CHECK_STR(body_error((hn_body_def){SPHERE, .position = {0, INFINITY, 0}}),
            "body 'b': position must be a finite number");
  CHECK_STR(body_error((hn_body_def){SPHERE, .velocity = {0, 0, 1e13}}),
            "body 'b': velocity must not be larger than 1e+12 in size");
  CHECK_STR(body_error((hn_body_def){.mass = 1, .inertia = {1, 1, 2.0000001}}),
            "body 'b': no body has this inertia: the principal moment 2 is larger than the sum of "
            "the others, 1 and 1 kg m^2");
  // a flat plate stands exactly on the limit, rounding included
  CHECK_STR(body_error((hn_body_def){.mass = 1, .inertia = {0.1, 0.2, 0.1 + 0.2}}), "accepted");
  CHECK_STR(body_error((hn_body_def){.mass = 1, .inertia = {0.1, 0.2, 0.3 * (1 + 1e-10)}}),
            "accepted");
  CHECK_STR(body_error((hn_body_def){.mass = 1}),
            "body 'b': inertia is missing (or a shape to take it from)");
  CHECK_STR(body_error((hn_body_def){.kind = HN_PLANAR, .mass = 1, .inertia = {1, 1, 0}}),
            "body 'b': inertia must be positive");
  CHECK_STR(body_error((hn_body_def){.kind = HN_POINT, .mass = 1}), "accepted");
  CHECK_STR(body_error((hn_body_def){.kind = HN_POINT, .mass = 1, .com = {1}}),
            "body 'b': a point has no extent: no com");
  CHECK_STR(body_error((hn_body_def){.kind = HN_POINT, .mass = 1, .orientation = {1}}),
            "body 'b': a point does not turn: no orientation");
  CHECK_STR(body_error((hn_body_def){.kind = HN_PLANAR, SPHERE, .angular_velocity = {1}}),
            "body 'b': a planar body turns about z only");
  CHECK_STR(body_error((hn_body_def){.kind = (hn_body_kind)9, SPHERE}),
            "body 'b': there is no kind of body number 9");
  CHECK_STR(body_error((hn_body_def){SPHERE, .hold = 64}), "body 'b': hold has unknown bits");
  CHECK_STR(body_error((hn_body_def){.mass = 1, .shape = {HN_SHAPE_CYLINDER, .radius = 1}}),
            "body 'b': length is missing");
  CHECK_STR(body_error((hn_body_def){.mass = 1, .shape = {.kind = (hn_shape_kind)7}}),
            "body 'b': there is no shape number 7");
  CHECK_STR(body_error((hn_body_def){.mass = 1, .shape = {HN_SHAPE_SPHERE, .radius = 1e-200}}),
            "body 'b': inertia must be positive definite (its principal moments are 0, 0, 0 kg "
            "m^2)");
  CHECK_STR(body_error((hn_body_def){.shape = {HN_SHAPE_SPHERE, .radius = 1e10, .density = 1e3}}),
            "body 'b': mass of the shape must not be larger than 1e+12 in size");
}

static void orientations(void) {
  hn_model *m = hn_model_create();
  hn_body b = hn_add_body(m, &(hn_body_def){.name = "b", SPHERE, .orientation = {3, 0, 0, 4}});
  CHECK_REL(m->body[b.id].def.orientation[0], 0.6, 0, 1e-15);
  CHECK_REL(m->body[b.id].def.orientation[3], 0.8, 0, 1e-15);
  b = hn_add_body(m, &(hn_body_def){.name = "c", SPHERE, .orientation = {1e-300, 0, 0, 1e-300}});
  CHECK_REL(m->body[b.id].def.orientation[3], sqrt(0.5), 0, 1e-15);
  // frames without orientation are told from oriented ones
  hn_frame f = hn_add_frame(m, &(hn_frame_def){.name = "f", .body = b});
  CHECK(m->frame[f.id - 1].def.orientation[0] == 0);
  f = hn_add_frame(m, &(hn_frame_def){.name = "g", .body = b, .orientation = {2}});
  CHECK(m->frame[f.id - 1].def.orientation[0] == 1);
  hn_model_destroy(m);
}

// ---- names ---------------------------------------------------------------------------------

static void names(void) {
  const char *rule = "body '%s': bad name (a name has at most 63 letters, digits and _ and does "
                     "not start with a digit)";
  char expected[300];
  const char *const bad[] = {"2b", "a..b", ".a", "a.", "a.2b", "a-b", "a b", "\xc3\xa9"};
  for (int i = 0; i < 8; i++) {
    snprintf(expected, sizeof expected, rule, bad[i]);
    CHECK_STR(body_error((hn_body_def){.name = bad[i], SPHERE}), expected);
  }
  CHECK_STR(body_error((hn_body_def){.name = "", SPHERE}), "body '': a name is missing");
  CHECK_STR(body_error((hn_body_def){.name = "t", SPHERE}), "body 't': the name is reserved");
  CHECK_STR(body_error((hn_body_def){.name = "residual", SPHERE}),
            "body 'residual': the name is reserved");
  CHECK_STR(body_error((hn_body_def){.name = "_9", SPHERE}), "accepted");
  CHECK_STR(body_error((hn_body_def){.name = "left.arm", SPHERE}), "accepted");

  char long_name[80];
  memset(long_name, 'x', sizeof long_name);
  long_name[63] = 0;
  CHECK_STR(body_error((hn_body_def){.name = long_name, SPHERE}), "accepted");
  long_name[63] = 'x', long_name[64] = 0;
  CHECK(strstr(body_error((hn_body_def){.name = long_name, SPHERE}), "bad name") != NULL);

  // one name, one element, whatever its kind
  hn_model *m = hn_model_create();
  hn_body b = hn_add_body(m, &(hn_body_def){.name = "b", SPHERE});
  hn_add_joint(m, &(hn_joint_def){.name = "j", .type = "revolute", .b = {b, {0}}});
  CHECK(hn_add_body(m, &(hn_body_def){.name = "b", SPHERE}).id < 0);
  CHECK_STR(hn_model_error(m), "body 'b': there is already a body of this name");
  CHECK(hn_add_body(m, &(hn_body_def){.name = "j", SPHERE}).id < 0);
  CHECK_STR(hn_model_error(m), "body 'j': there is already a joint of this name");
  CHECK(hn_add_force(m, &(hn_force_def){.name = "j", .type = "spring", .b = {b, {0}}}).id < 0);
  CHECK(hn_add_body(m, NULL).id < 0);
  CHECK_STR(hn_model_error(m), "a definition is missing");
  hn_model_destroy(m);
}

// enough to make the hash table grow many times
static void many_names(void) {
  hn_model *m = hn_model_create();
  char name[32];
  for (int i = 1; i <= 3000; i++) {
    snprintf(name, sizeof name, "b%d", i);
    hn_body b = hn_add_body(m, &(hn_body_def){.name = name, SPHERE});
    hn_add_frame(m, &(hn_frame_def){.name = "tip", .body = b});
  }
  CHECK(m->body_count == 3001 && m->frame_count == 3000);
  int wrong = 0;
  for (int i = 1; i <= 3000; i++) {
    snprintf(name, sizeof name, "b%d", i);
    wrong += hn_model_find_body(m, name) != i || hn_model_find_frame(m, i, "tip") != i - 1;
  }
  CHECK(wrong == 0);
  CHECK(hn_model_find_body(m, "ground") == 0);
  CHECK(hn_model_find_body(m, "b3001") == -1 && hn_model_find_frame(m, 0, "tip") == -1);
  CHECK(hn_model_find_joint(m, "b1") == -1 && hn_model_find_force(m, "b1") == -1);
  hn_model_destroy(m);
}

static void frames(void) {
  hn_model *m = hn_model_create();
  hn_body b = hn_add_body(m, &(hn_body_def){.name = "b", .kind = HN_PLANAR, SPHERE});
  CHECK(hn_add_frame(m, &(hn_frame_def){.name = "f", .body = b, .position = {1}}).id == 1);
  CHECK(hn_add_frame(m, &(hn_frame_def){.name = "f", .position = {0, 0, 1}}).id == 2);
  CHECK(hn_add_frame(m, &(hn_frame_def){.name = "f", .body = b}).id < 0);
  CHECK_STR(hn_model_error(m), "frame 'f' of 'b': the body has already a frame of this name");
  CHECK(hn_add_frame(m, &(hn_frame_def){.name = "g", .body = b, .position = {0, 0, 1}}).id < 0);
  CHECK_STR(hn_model_error(m),
            "frame 'g' of 'b': a planar body lies in the x-y plane: z must be 0");
  CHECK(hn_add_frame(m, &(hn_frame_def){.name = "g", .body = {7}}).id < 0);
  CHECK_STR(hn_model_error(m), "frame 'g': there is no body number 7");
  CHECK(hn_add_frame(m, &(hn_frame_def){.name = "", .body = b}).id < 0);
  hn_model_destroy(m);
}

// ---- joints and forces ---------------------------------------------------------------------

// bodies 1 b, 2 c, 3 p (a point); frame 1 is b.f
static hn_model *two_bodies(void) {
  hn_model *m = hn_model_create();
  hn_body b = hn_add_body(m, &(hn_body_def){.name = "b", SPHERE});
  hn_add_body(m, &(hn_body_def){.name = "c", SPHERE});
  hn_add_body(m, &(hn_body_def){.name = "p", .kind = HN_POINT, .mass = 1});
  hn_add_frame(m, &(hn_frame_def){.name = "f", .body = b});
  return m;
}

static const char *joint_error(hn_joint_def def) {
  static char message[HN_MESSAGE];
  hn_model *m = two_bodies();
  if (!def.name) def.name = "j";
  bool refused = hn_add_joint(m, &def).id < 0;
  snprintf(message, sizeof message, "%s", refused ? hn_model_error(m) : "accepted");
  CHECK(m->joint_count == (refused ? 0 : 1));
  hn_model_destroy(m);
  return message;
}

#define BODY(i)                                                                                    \
  {                                                                                                \
    {i}, {                                                                                         \
      0                                                                                            \
    }                                                                                              \
  }
#define FRAME(i, k)                                                                                \
  {                                                                                                \
    {i}, {                                                                                         \
      k                                                                                            \
    }                                                                                              \
  }

static void bad_joints(void) {
  CHECK_STR(joint_error((hn_joint_def){.type = "revolute", .b = BODY(1)}), "accepted");
  CHECK_STR(joint_error((hn_joint_def){.type = "revolute", .a = BODY(1)}), "accepted");
  CHECK_STR(joint_error((hn_joint_def){.b = BODY(1)}), "joint 'j': type is missing");
  CHECK_STR(joint_error((hn_joint_def){.type = "hinge", .b = BODY(1)}),
            "joint 'j': no joint type 'hinge' (did you mean 'revolute'?)");
  CHECK_STR(joint_error((hn_joint_def){.type = "Revolute", .b = BODY(1)}),
            "joint 'j': no joint type 'Revolute' (did you mean 'revolute'?)");
  CHECK_STR(joint_error((hn_joint_def){.type = "revolute"}),
            "joint 'j': acts on no body: a and b are the ground");
  CHECK_STR(joint_error((hn_joint_def){.type = "revolute", .a = BODY(1), .b = BODY(1)}),
            "joint 'j': connects body 'b' to itself");
  CHECK_STR(joint_error((hn_joint_def){.type = "revolute", .b = BODY(-1)}),
            "joint 'j': end b: there is no body number -1");
  CHECK_STR(joint_error((hn_joint_def){.type = "revolute", .b = FRAME(1, 2)}),
            "joint 'j': end b: there is no frame number 2");
  CHECK_STR(joint_error((hn_joint_def){.type = "revolute", .b = FRAME(2, 1)}),
            "joint 'j': end b: frame 'f' belongs to 'b', not to 'c'");
  CHECK_STR(joint_error((hn_joint_def){.type = "revolute", .b = BODY(1), .pitch = 1}),
            "joint 'j': revolute has no 'pitch'");
  CHECK_STR(joint_error((hn_joint_def){.type = "screw", .b = BODY(1)}),
            "joint 'j': screw needs 'pitch'");
  CHECK_STR(joint_error((hn_joint_def){.type = "screw", .b = BODY(1), .pitch = -0.1}), "accepted");
  CHECK_STR(joint_error((hn_joint_def){.type = "distance", .b = BODY(1), .length = -1}),
            "joint 'j': length must be positive");
  CHECK_STR(joint_error((hn_joint_def){.type = "revolute", .b = BODY(1), .axis = {0, 1e-15, 0}}),
            "joint 'j': axis is too short to have a direction");
  CHECK_STR(joint_error((hn_joint_def){.type = "revolute", .b = BODY(1), .axis = {0, NAN, 0}}),
            "joint 'j': axis must be a finite number");
  CHECK_STR(joint_error((hn_joint_def){.type = "revolute", .b = FRAME(1, 1), .at = {1}}),
            "joint 'j': the place is given twice: by 'at' and by the frame of end b");
  CHECK_STR(joint_error((hn_joint_def){.type = "distance", .b = FRAME(1, 1), .at = {1}}),
            "accepted");
  CHECK_STR(joint_error((hn_joint_def){.type = "revolute", .b = BODY(3)}),
            "joint 'j': revolute needs bodies that can turn, 'p' is a point (use 'spherical' or "
            "'distance')");
  CHECK_STR(joint_error((hn_joint_def){.type = "spherical", .b = BODY(3)}), "accepted");
  CHECK_STR(joint_error((hn_joint_def){.type = "gear", .joint_b = "x", .ratio = 2}),
            "joint 'j': gear needs 'joint_a'");
  CHECK_STR(joint_error((hn_joint_def){.type = "gear", .joint_a = "j", .joint_b = "x", .ratio = 2}),
            "joint 'j': joint_a names the joint itself");
  CHECK_STR(joint_error((hn_joint_def){.type = "gear", .joint_a = "x", .joint_b = "y"}),
            "joint 'j': gear needs 'ratio'");
  CHECK_STR(joint_error((hn_joint_def){.type = "driver", .motion = "t"}),
            "joint 'j': driver needs 'joint_a', or bodies a and b");
  CHECK_STR(joint_error((hn_joint_def){.type = "driver", .motion = "sin(t", .joint_a = "x"}),
            "joint 'j': motion: missing ')' to close the '(' at column 4");
  CHECK_STR(joint_error((hn_joint_def){.type = "driver", .motion = "2 m + L", .joint_a = "x"}),
            "accepted");
  CHECK_STR(
      joint_error((hn_joint_def){.type = "driver", .motion = "1/(a.x - b.x)", .joint_a = "x"}),
      "accepted");
  CHECK_STR(joint_error((hn_joint_def){.type = "driver", .motion = "", .joint_a = "x"}),
            "joint 'j': motion: empty expression");
  CHECK_STR(joint_error((hn_joint_def){
                .type = "rack-pinion", .joint_a = "x", .joint_b = "y", .radius = -0.1}),
            "accepted");
}

static const char *force_error(hn_force_def def) {
  static char message[HN_MESSAGE];
  hn_model *m = two_bodies();
  if (!def.name) def.name = "s";
  bool refused = hn_add_force(m, &def).id < 0;
  snprintf(message, sizeof message, "%s", refused ? hn_model_error(m) : "accepted");
  CHECK(m->force_count == (refused ? 0 : 1));
  hn_model_destroy(m);
  return message;
}

static void bad_forces(void) {
  const double table[] = {0, 0, 1, 5, 1, 6}, bad[] = {0, NAN};
  double K[36] = {0};
  for (int i = 0; i < 6; i++) K[7 * i] = 1;
  CHECK_STR(force_error((hn_force_def){.type = "spring", .b = BODY(1), .stiffness = 1}),
            "accepted");
  CHECK_STR(force_error((hn_force_def){.type = "spring", .b = BODY(1), .stiffness = -1}),
            "force 's': stiffness must not be negative");
  CHECK_STR(force_error((hn_force_def){.type = "spring", .b = BODY(1), .free = -1}),
            "force 's': free must not be negative: it is a length");
  CHECK_STR(force_error((hn_force_def){.type = "torsion-spring", .b = BODY(1), .free = -1}),
            "accepted");
  CHECK_STR(force_error((hn_force_def){.type = "spring", .b = BODY(1), .radius = 1}),
            "force 's': spring has no 'radius'");
  CHECK_STR(
      force_error((hn_force_def){.type = "spring", .b = BODY(1), .table = table, .table_count = 2}),
      "accepted");
  CHECK_STR(
      force_error((hn_force_def){.type = "spring", .b = BODY(1), .table = table, .table_count = 3}),
      "force 's': table must ascend: 1 follows 1");
  CHECK_STR(
      force_error((hn_force_def){.type = "spring", .b = BODY(1), .table = table, .table_count = 1}),
      "force 's': table needs at least two pairs");
  CHECK_STR(force_error((hn_force_def){
                .type = "spring", .b = BODY(1), .coefficients = bad, .coefficient_count = 2}),
            "force 's': coefficients must be a finite number");
  CHECK_STR(force_error((hn_force_def){.type = "spring", .b = BODY(1), .law = "k*length +"}),
            "force 's': law: a value is missing at the end");
  CHECK_STR(force_error((hn_force_def){.type = "force", .b = BODY(1)}),
            "force 's': force needs 'force'");
  CHECK_STR(force_error((hn_force_def){.type = "torque", .b = BODY(1)}),
            "force 's': torque needs 'torque'");
  CHECK_STR(force_error((hn_force_def){.type = "spring", .b = BODY(1), .components = {"1"}}),
            "force 's': spring has no 'force'");
  CHECK_STR(force_error((hn_force_def){.type = "bushing", .b = BODY(1), .stiffness6 = K}),
            "accepted");
  CHECK_STR(force_error((hn_force_def){.type = "bushing", .b = BODY(1), .stiffness = 5}),
            "force 's': bushing has no 'stiffness'");
  K[1] = 0.5;
  CHECK_STR(force_error((hn_force_def){.type = "bushing", .b = BODY(1), .stiffness6 = K}),
            "force 's': stiffness must be symmetric");
  CHECK_STR(force_error((hn_force_def){.type = "motor", .joint = "j", .law = "1", .b = BODY(1)}),
            "force 's': acts on a joint or between two bodies, not both");
  CHECK_STR(force_error((hn_force_def){.type = "motor", .law = "1"}),
            "force 's': motor needs 'joint'");
  CHECK_STR(force_error((hn_force_def){.type = "tyre", .b = BODY(1), .stiffness = 1, .radius = -1}),
            "force 's': radius must be positive");
}

// definitions are copied, with all they point to
static void copies(void) {
  hn_model *m = two_bodies();
  char name[] = "s", law[] = "2*length", x[] = "t";
  double coefficients[] = {1, 2}, table[] = {0, 0, 1, 5};
  hn_force s = hn_add_force(m, &(hn_force_def){.name = name,
                                               .type = "spring",
                                               .b = BODY(1),
                                               .coefficients = coefficients,
                                               .coefficient_count = 2,
                                               .table = table,
                                               .table_count = 2,
                                               .law = law});
  hn_force f = hn_add_force(
      m, &(hn_force_def){.name = "f", .type = "force", .b = BODY(1), .components = {NULL, x}});
  name[0] = law[0] = x[0] = '?';
  coefficients[1] = table[3] = -1;
  CHECK(s.id == 1 && f.id == 2);
  const hn_force_def *def = &m->force[0].def;
  CHECK_STR(def->name, "s");
  CHECK_STR(def->type, "spring");
  CHECK_STR(def->law, "2*length");
  CHECK(def->coefficients[1] == 2 && def->table[3] == 5);
  CHECK_STR(m->force[1].def.components[0], "0");
  CHECK_STR(m->force[1].def.components[1], "t");
  CHECK_STR(m->force[1].def.components[2], "0");
  // a count without numbers is no table
  hn_force e = hn_add_force(m, &(hn_force_def){.name = "e",
                                               .type = "spring",
                                               .b = BODY(1),
                                               .stiffness = 1,
                                               .table_count = 3,
                                               .coefficient_count = 2});
  CHECK(e.id == 3 && m->force[2].def.table_count == 0 && m->force[2].def.coefficient_count == 0);
  hn_joint j = hn_add_joint(
      m, &(hn_joint_def){.name = "j", .type = "revolute", .b = BODY(1), .rate = 3, .hold = true});
  CHECK(j.id == 1 && m->joint[0].def.rate_given && m->joint[0].def.hold);
  hn_model_destroy(m);
}

static void joint_references(void) {
  hn_model *m = two_bodies();
  hn_add_joint(
      m, &(hn_joint_def){
             .name = "g", .type = "gear", .joint_a = "hinge", .joint_b = "hinje", .ratio = 2});
  hn_add_joint(m, &(hn_joint_def){.name = "hinge", .type = "revolute", .b = BODY(1)});
  hn_add_force(m, &(hn_force_def){.name = "m", .type = "motor", .joint = "hinge", .law = "1"});
  CHECK(hn_model_check_joint(m, 0) == HN_ERR_MODEL);
  CHECK_STR(hn_model_error(m), "joint 'g': no joint named 'hinje' (did you mean 'hinge'?)");
  CHECK(hn_model_check_joint(m, 1) == HN_OK);
  CHECK(hn_model_check_force(m, 0) == HN_OK);
  hn_model_destroy(m);
}

// every type can be added with its required keys, and every one of its keys has a row
static void all_types(void) {
  const hn_family *const families[] = {&hn_joint_family, &hn_force_family};
  for (int f = 0; f < 2; f++) {
    const hn_type_info *type;
    for (int i = 0; (type = families[f]->type_at(i)); i++) {
      char word[64];
      for (int k = 0; hn_word_at(type->keys, k, word, sizeof word); k++) {
        int rows = 0;
        for (const hn_field *field = families[f]->fields; field->key; field++)
          rows += strcmp(field->key, word) == 0 && hn_field_applies(families[f], type, field);
        if (!CHECK(rows > 0)) printf("  %s: no row for key '%s'\n", type->name, word);
      }
      for (int k = 0; hn_word_at(type->required, k, word, sizeof word); k++)
        CHECK(hn_type_has_key(families[f], type, word));
    }
    // and every row belongs to some type
    for (const hn_field *field = families[f]->fields; field->key; field++) {
      int used = 0;
      for (int i = 0; (type = families[f]->type_at(i)); i++)
        used += hn_field_applies(families[f], type, field);
      if (!CHECK(used > 0)) printf("  no type uses '%s'\n", field->key);
    }
  }
}

// ---- parameters and the rest ---------------------------------------------------------------

static void parameters(void) {
  hn_model *m = hn_model_create();
  double value = 0;
  CHECK(hn_model_override(m, "L", "3") == HN_OK);
  CHECK(hn_model_set_parameter(m, "L", 2) == HN_OK);
  CHECK(hn_model_set_parameter(m, "k", 5) == HN_OK);
  CHECK(hn_model_parameter(m, "L", &value) == HN_OK && value == 3);
  CHECK(hn_model_override(m, "k", "2*L + 1 mm") == HN_OK);  // takes effect at once
  CHECK(hn_model_parameter(m, "k", &value) == HN_OK);
  CHECK_NEAR(value, 6.001, 1e-15);
  CHECK(hn_model_set_parameter(m, "L", 8) == HN_OK);  // the override still wins
  CHECK(hn_model_parameter(m, "L", &value) == HN_OK && value == 3);
  CHECK(hn_model_parameter_count(m) == 2);
  CHECK_STR(hn_model_parameter_name(m, 1), "k");
  CHECK(hn_model_parameter_name(m, 2) == NULL && hn_model_parameter_name(m, -1) == NULL);
  CHECK(hn_model_parameter(m, "x", &value) == HN_ERR_ARGUMENT);
  CHECK(hn_model_override(m, "q", "2*x") == HN_OK);
  CHECK(hn_model_set_parameter(m, "q", 1) == HN_ERR_SYNTAX);
  CHECK_STR(hn_model_error(m), "parameter 'q' set to '2*x', character 3: unknown name 'x'");
  CHECK(hn_model_set_parameter(m, "sin", 1) == HN_ERR_MODEL);
  CHECK_STR(hn_model_error(m), "parameter 'sin': the name is reserved");
  CHECK(hn_model_set_parameter(m, "z", INFINITY) == HN_ERR_MODEL);
  CHECK(hn_model_set_parameter(m, "z", 1e13) == HN_ERR_MODEL);
  CHECK(hn_model_set_parameter(m, NULL, 1) == HN_ERR_MODEL);
  CHECK(hn_model_override(m, "z", "") == HN_ERR_MODEL);
  CHECK(hn_model_override(m, "2", "1") == HN_ERR_MODEL);
  hn_model_destroy(m);
}

static void properties(void) {
  hn_model *m = hn_model_create();
  double g[3] = {1, 1, 1};
  CHECK_STR(hn_model_name(m), "");
  CHECK_STR(hn_model_error(m), "");
  hn_model_gravity(m, g);
  CHECK(g[0] == 0 && g[1] == 0 && g[2] == 0);
  hn_model_set_name(m, "first");
  hn_model_set_name(m, "second");
  CHECK_STR(hn_model_name(m), "second");
  hn_model_set_gravity(m, 1, 2, 3);
  hn_model_gravity(m, g);
  CHECK(g[0] == 1 && g[1] == 2 && g[2] == 3);
  hn_model_options(m)->duration = 3;
  CHECK(m->options.duration == 3);
  CHECK(hn_add_output(m, "crank.*") == HN_OK && hn_add_output(m, "x?") == HN_OK);
  CHECK(hn_add_output(m, "a b") == HN_ERR_MODEL && hn_add_output(m, "") == HN_ERR_MODEL);
  CHECK(m->output_count == 2);
  hn_model_destroy(m);
  hn_model_destroy(NULL);
  CHECK(strlen(hn_model_error(NULL)) > 0);
}

// control characters of a file do not reach the terminal, long paths keep their end
static void messages(void) {
  hn_model *m = hn_model_create();
  hn_model_fail(m, (hn_place){0}, HN_ERR_MODEL, "a\x1b[31m\nb");
  CHECK_STR(hn_model_error(m), "a?[31m?b");
  char path[400];
  memset(path, 'd', sizeof path);
  snprintf(path + 380, 20, "/m.yaml");
  m->file = hn_strdup(path);
  hn_model_fail(m, (hn_place){.line = 3, .column = 4}, HN_ERR_MODEL, "wrong");
  CHECK(strncmp(hn_model_error(m), "...ddd", 6) == 0);
  CHECK(strstr(hn_model_error(m), "d/m.yaml:3:4: wrong") != NULL);
  hn_model_destroy(m);
}

// what was refused cannot be left out in silence
static void refused_elements(void) {
  hn_model *m = hn_model_create();
  hn_system *system;
  hn_body b = hn_add_body(m, &(hn_body_def){.name = "b", .mass = 1, .inertia = {1, 1, 1}});
  CHECK(hn_compile(&system, m) == HN_OK);
  hn_system_destroy(system);
  CHECK(hn_add_joint(m, &(hn_joint_def){.name = "j", .type = "hinged", .b = {b, {0}}}).id < 0);
  char first[512];
  snprintf(first, sizeof first, "%s", hn_model_error(m));
  CHECK(strstr(first, "hinged"));
  CHECK(hn_add_body(m, &(hn_body_def){.name = "c", .mass = -1}).id < 0);
  CHECK(hn_compile(&system, m) != HN_OK && !system);
  CHECK_STR(hn_model_error(m), first);
  hn_model_destroy(m);
}

int main(void) {
  RUN(option_defaults);
  RUN(option_table);
  RUN(option_values);
  RUN(shapes);
  RUN(masses);
  RUN(principal_moments);
  RUN(bad_bodies);
  RUN(orientations);
  RUN(names);
  RUN(many_names);
  RUN(frames);
  RUN(bad_joints);
  RUN(bad_forces);
  RUN(copies);
  RUN(joint_references);
  RUN(all_types);
  RUN(parameters);
  RUN(properties);
  RUN(messages);
  RUN(refused_elements);
  return test_end();
}
