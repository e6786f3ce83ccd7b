// test_extend.c: types from outside are made known, used, and refused where they clash.
//
// Derivatives of the joint are tested with those of all others in test_joints.c, the force in
// test_force_table.c.
#include "../examples/own_force.h"
#include "../examples/own_integrator.h"
#include "../examples/own_joint.h"
#include "test.h"

static char why[256];

static void made_known_once(void) {
  CHECK(hn_extend_joint(&own_joint, why, sizeof why) == HN_OK);
  CHECK_STR(why, "");
  CHECK(hn_extend_force(&own_force, why, sizeof why) == HN_OK);
  CHECK(hn_extend_integrator(&own_integrator, why, sizeof why) == HN_OK);
  CHECK(hn_extend_joint(&own_joint, why, sizeof why) == HN_ERR_ARGUMENT);
  CHECK_STR(why, "joint type 'point-on-cylinder' exists already");
  CHECK(hn_extend_force(&own_force, why, sizeof why) == HN_ERR_ARGUMENT);
  CHECK_STR(why, "force type 'attraction' exists already");
  CHECK(hn_extend_integrator(&own_integrator, why, sizeof why) == HN_ERR_ARGUMENT);
  CHECK_STR(why, "integrator 'ralston' exists already");
}

static void others_are_refused(void) {
  hn_joint_type joint = own_joint;
  joint.info.name = "revolute";
  CHECK(hn_extend_joint(&joint, why, sizeof why) == HN_ERR_ARGUMENT);
  CHECK_STR(why, "joint type 'revolute' exists already");
  joint.info.name = "Big Joint";
  CHECK(hn_extend_joint(&joint, why, sizeof why) == HN_ERR_ARGUMENT);
  CHECK(strstr(why, "small letters") != NULL);
  joint.info.name = NULL;
  CHECK(hn_extend_joint(&joint, why, sizeof why) == HN_ERR_ARGUMENT);
  joint.info.name = "other-joint";
  joint.info.keys = "at colour";
  CHECK(hn_extend_joint(&joint, why, sizeof why) == HN_ERR_ARGUMENT);
  CHECK_STR(why, "joint type 'other-joint' has a key that does not exist: colour");
  joint.info.keys = "at";
  CHECK(hn_extend_joint(&joint, why, sizeof why) == HN_ERR_ARGUMENT);
  CHECK_STR(why, "joint type 'other-joint' requires what is none of its keys: radius");
  joint.info.keys = NULL;
  CHECK(hn_extend_joint(&joint, why, sizeof why) == HN_ERR_ARGUMENT);
  CHECK(hn_extend_joint_for(&own_joint, HN_EXTEND_VERSION + 1, why, sizeof why) ==
        HN_ERR_UNSUPPORTED);
  CHECK(strstr(why, "another version") != NULL);
  hn_force_type force = own_force;
  force.info.name = "spring";
  CHECK(hn_extend_force(&force, why, sizeof why) == HN_ERR_ARGUMENT);
  hn_integrator_type integrator = own_integrator;
  integrator.info.name = "rk4";
  CHECK(hn_extend_integrator(&integrator, why, sizeof why) == HN_ERR_ARGUMENT);
  integrator.info.name = "other", integrator.info.keys = "step stiffness";
  CHECK(hn_extend_integrator(&integrator, why, sizeof why) == HN_ERR_ARGUMENT);
  CHECK_STR(why, "integrator 'other' has a key that does not exist: stiffness");
}

// rows with a formula of their own: gradients of six have room where they are evaluated
static void many_eval(const void *data, double t, const hn_kin *a, const hn_kin *b,
                      hn_custom_out *out) {
  (void)data, (void)t, (void)a;
  for (int k = 0; k < 12; k++) {
    out->phi[k] = b->p[k % 3], out->phi_t[k] = 0;
    for (int i = 0; out->ja && i < 6; i++) out->ja[6 * k + i] = 0;
    for (int i = 0; out->jb && i < 6; i++) out->jb[6 * k + i] = i == k % 3;
    if (out->gamma) out->gamma[k] = 0;
  }
}

static void many_tangent(const void *data, double t, const hn_kin *a, const hn_kin *b,
                         const double *lambda, double block[4][36]) {
  (void)data, (void)t, (void)a, (void)b, (void)lambda;
  memset(block, 0, 4 * sizeof block[0]);
}

static const hn_custom_type many_rows = {
    .name = "many", .rows = 12, .data_size = 8, .eval = many_eval, .tangent = many_tangent};

static hn_status many_build(hn_builder *builder, const hn_joint_def *def) {
  static const char *const labels[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
  double data = 0;
  (void)def;
  hn_build_custom(builder, &many_rows, &data, hn_mount_a(builder), hn_mount_b(builder), labels);
  return hn_build_status(builder);
}

static void rows_have_an_end(void) {
  static const char text[] = "bodies: {ball: {mass: 1, inertia: [1, 1, 1]}}\n"
                             "joints: {j: {type: many, a: ground, b: ball}}\n";
  static const hn_joint_type many = {
      .info = {.name = "many", .help = "too much", .keys = "at", .required = ""},
      .build = many_build};
  hn_model *m = hn_model_create();
  hn_system *sys = NULL;
  CHECK(hn_extend_joint(&many, why, sizeof why) == HN_OK);
  CHECK(!hn_model_parse(m, text, strlen(text), "text") && hn_compile(&sys, m) == HN_ERR_ARGUMENT);
  CHECK(strstr(hn_model_error(m), "'j'") && strstr(hn_model_error(m), "12 rows"));
  hn_system_destroy(sys);
  hn_model_destroy(m);
}

// the table ends somewhere, and says so
static void there_is_an_end(void) {
  static hn_force_type force[40];
  static char name[40][16];
  int taken = 0;
  hn_status status = HN_OK;
  for (int i = 0; i < 40 && !status; i++) {
    force[i] = own_force;
    snprintf(name[i], sizeof name[i], "force-%d", i);
    force[i].info.name = name[i];
    status = hn_extend_force(&force[i], why, sizeof why);
    if (!status) taken++;
  }
  CHECK(status == HN_ERR_MEMORY && taken == 31);
  CHECK(strstr(why, "no room") != NULL);
}

static int listed(const hn_type_info *(*at)(int index), const char *name) {
  const hn_type_info *type;
  int count = 0;
  for (int i = 0; (type = at(i)); i++) count += strcmp(type->name, name) == 0;
  return count;
}

static void everybody_knows_them(void) {
  CHECK(listed(hn_joint_type_at, "point-on-cylinder") == 1);
  CHECK(listed(hn_force_type_at, "attraction") == 1);
  CHECK(listed(hn_integrator_at, "ralston") == 1);
  char *schema = hn_schema_json();
  CHECK(schema && strstr(schema, "point-on-cylinder") && strstr(schema, "attraction"));
  hn_free(schema);
  hn_options o = hn_options_default();
  CHECK(hn_options_set(&o, "integrator", "ralston", why, sizeof why) == HN_OK);
  // a key that the type does not have, and one that it cannot do without
  static const char *const text[] = {
      "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {j: {type: point-on-cylinder, a: ground, b: a, radius: 1, pitch: 3}}\n",
      "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {j: {type: point-on-cylinder, a: ground, b: a}}\n"};
  static const char *const word[] = {"pitch", "radius"};
  for (int i = 0; i < 2; i++) {
    hn_model *m = hn_model_create();
    CHECK(hn_model_parse(m, text[i], strlen(text[i]), "text") != HN_OK);
    CHECK(strstr(hn_model_error(m), word[i]) != NULL);
    hn_model_destroy(m);
  }
}

// x'' = -x from x = 1: the error at t = 2 falls with the third power of the step
static void order_is_three(void) {
  static const char text[] = "bodies: {ball: {type: point, mass: 1, position: [1, 0, 0]}}\n"
                             "forces: {pull: {type: force, b: ball, force: [\"-ball.x\", 0, 0]}}\n";
  hn_model *m = hn_model_create();
  hn_system *sys = NULL;
  if (!CHECK(!hn_model_parse(m, text, strlen(text), "text") && !hn_compile(&sys, m)))
    printf("  %s\n", hn_model_error(m));
  double error[4] = {0};
  for (int i = 0; sys && i < 4; i++) {
    hn_options o = *hn_model_options(m);
    hn_sim *sim = NULL;
    snprintf(o.method, sizeof o.method, "standard");
    snprintf(o.integrator, sizeof o.integrator, "ralston");
    o.step = 0.1 / (1 << i);
    if (!CHECK(hn_sim_create(&sim, sys, &o, why, sizeof why) == HN_OK)) printf("  %s\n", why);
    CHECK(sim && hn_advance(sim, 2) == HN_OK);
    if (sim) error[i] = fabs(hn_positions(sim)[0] - cos(2));
    hn_sim_destroy(sim);
    if (i == 0) continue;
    double order = log2(error[i - 1] / error[i]);
    printf("  ralston: step %.4f, error %.2e, order %.2f\n", o.step, error[i], order);
    CHECK_NEAR(order, 3, 0.15);
  }
  hn_system_destroy(sys);
  hn_model_destroy(m);
}

// runs by it are recorded, stopped at events, saved and copied as those of others
static void runs_are_as_others(void) {
  hn_model *m = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL, *copy = NULL;
  hn_result *result = NULL;
  CHECK(!hn_model_load(m, "models/four_bar.yaml") && !hn_compile(&sys, m));
  hn_options o = *hn_model_options(m);
  snprintf(o.method, sizeof o.method, "mass-projection");
  snprintf(o.integrator, sizeof o.integrator, "ralston");
  o.step = 1e-3, o.duration = 0.3;
  CHECK(hn_sim_create(&sim, sys, &o, why, sizeof why) == HN_OK);
  CHECK(hn_step(sim) == HN_OK && hn_sim_copy(&copy, sim, why, sizeof why) == HN_OK);
  CHECK(hn_advance(copy, 0.1) == HN_OK && hn_advance(sim, 0.1) == HN_OK);
  CHECK(memcmp(hn_positions(sim), hn_positions(copy), 9 * sizeof(double)) == 0);
  CHECK(hn_run(sim, &result, NULL, NULL) == HN_OK && hn_result_rows(result) > 10);
  hn_summary s;
  hn_sim_summary(sim, &s);
  CHECK_STR(s.integrator, "ralston");
  CHECK(s.verdict == HN_AUDIT_PASSED);
  hn_result_destroy(result);
  hn_sim_destroy(sim), hn_sim_destroy(copy);
  hn_system_destroy(sys);
  hn_model_destroy(m);
}

int main(void) {
  RUN(made_known_once);
  RUN(others_are_refused);
  RUN(everybody_knows_them);
  RUN(order_is_three);
  RUN(runs_are_as_others);
  RUN(rows_have_an_end);
  RUN(there_is_an_end);
  return test_end();
}
