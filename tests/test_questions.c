// test_questions.c: names, addresses and equations as those see them who embed the library.
#include "test.h"

#include <holon/holon.h>
#include <stdlib.h>
#include <string.h>

#include "system/coordinates/coordinates.h"

static hn_sim *open_run(const char *path, const char *coordinates, const char *method,
                        hn_system **sys) {
  hn_model *model = hn_model_create();
  hn_sim *sim = NULL;
  char message[256] = "";
  *sys = NULL;
  CHECK(hn_model_load(model, path) == HN_OK);
  hn_options *o = hn_model_options(model);
  snprintf(o->coordinates, sizeof o->coordinates, "%s", coordinates);
  snprintf(o->method, sizeof o->method, "%s", method);
  o->step = 1e-3;
  if (!CHECK(hn_compile(sys, model) == HN_OK) ||
      !CHECK(hn_sim_create(&sim, *sys, o, message, sizeof message) == HN_OK))
    printf("  %s: %s%s\n", path, hn_model_error(model), message);
  hn_model_destroy(model);
  return sim;
}

static double *numbers(size_t count) {
  return calloc(count + 1, sizeof(double));
}

// M a = r + J^T lambda, J a = gamma; M is symmetric, and M^-1 its inverse; energies agree
static void check_equations(hn_sim *sim, const hn_system *sys, const char *what) {
  int nv = hn_system_nv(sys), rows = hn_system_rows(sys);
  size_t n = (size_t)nv, m = (size_t)rows;
  double *M = numbers(n * n), *J = numbers(m * n), *r = numbers(n), *gamma = numbers(m);
  double *a = numbers(n), *lambda = numbers(m), *x = numbers(n), *phi = numbers(m);
  double *psi = numbers(m), worst[4] = {0}, size = 1, kinetic = 0;
  const double *q = hn_positions(sim), *v = hn_velocities(sim);
  hn_equations e = {M, J, r, gamma, phi, psi};
  CHECK(hn_evaluate(sim, hn_time(sim), q, v, &e) == HN_OK);
  CHECK(hn_forward(sim, hn_time(sim), q, v, a, lambda) == HN_OK);
  for (size_t i = 0; i < n; i++) x[i] = test_random(-1, 1);
  double *y = numbers(n);
  memcpy(y, x, n * sizeof *y);
  CHECK(hn_mass_solve(sim, hn_time(sim), q, y) == HN_OK);
  for (size_t i = 0; i < n; i++) size = fmax(size, fabs(r[i]));
  for (size_t i = 0; i < n; i++) {
    double row = -r[i], back = -x[i];
    for (size_t k = 0; k < n; k++) {
      row += M[i * n + k] * a[k], back += M[i * n + k] * y[k];
      worst[1] = fmax(worst[1], fabs(M[i * n + k] - M[k * n + i]));
      kinetic += 0.5 * v[i] * M[i * n + k] * v[k];
    }
    for (size_t k = 0; k < m; k++)
      row -= J[k * n + i] * lambda[k], size = fmax(size, fabs(lambda[k]));
    worst[0] = fmax(worst[0], fabs(row)), worst[2] = fmax(worst[2], fabs(back));
  }
  double fast = 1;
  for (size_t k = 0; k < m; k++) {
    double row = -gamma[k];
    for (size_t i = 0; i < n; i++) row += J[k * n + i] * a[i], fast = fmax(fast, fabs(a[i]));
    worst[3] = fmax(worst[3], fabs(row));
  }
  bool ok = CHECK(worst[0] < 1e-9 * size) & CHECK(worst[1] < 1e-12) & CHECK(worst[2] < 1e-9) &
            CHECK(worst[3] < 1e-8 * fast);
  hn_energy energy;
  CHECK(hn_sim_energy(sim, &energy) == HN_OK);
  CHECK_REL(kinetic, energy.kinetic, 1e-9, 1e-9);
  if (!ok) printf("  %s: %g %g %g %g\n", what, worst[0], worst[1], worst[2], worst[3]);
  free(M), free(J), free(r), free(gamma), free(a), free(lambda), free(x), free(y), free(phi);
  free(psi);
}

// force of the equations, r + J^T lambda
static void whole_force(hn_sim *sim, const hn_system *sys, double t, const double *q,
                        const double *v, const double *lambda, double *J, double *f) {
  size_t n = (size_t)hn_system_nv(sys), m = (size_t)hn_system_rows(sys);
  CHECK(hn_evaluate(sim, t, q, v, &(hn_equations){.jacobian = J, .force = f}) == HN_OK);
  for (size_t k = 0; k < m; k++)
    for (size_t i = 0; i < n; i++) f[i] += J[k * n + i] * lambda[k];
}

// K and C against central differences, at a state off the manifold
static void check_tangents(hn_sim *sim, const hn_system *sys, const char *what) {
  size_t n = (size_t)hn_system_nv(sys), m = (size_t)hn_system_rows(sys);
  size_t nq = (size_t)hn_system_nq(sys);
  double *K = numbers(n * n), *C = numbers(n * n), *J = numbers(m * n), *f = numbers(2 * n);
  double *q = numbers(nq), *v = numbers(n), *d = numbers(n), *lambda = numbers(m);
  double *at = numbers(nq), h = 1e-6, t = hn_time(sim), worst[2] = {0}, size = 1;
  memcpy(q, hn_positions(sim), nq * sizeof *q);
  for (size_t i = 0; i < n; i++) d[i] = test_random(-0.02, 0.02), v[i] = test_random(-1, 1);
  for (size_t i = 0; i < m; i++) lambda[i] = test_random(-1, 1);
  hn_retract(sys, q, d);
  bool known = hn_tangents(sim, t, q, v, lambda, K, C) == HN_OK;
  CHECK(known == (strcmp(sys->coordinates->name, "relative") != 0));
  for (size_t j = 0; known && j < n; j++) {
    for (int side = 0; side < 2; side++) {
      memset(d, 0, n * sizeof *d);
      d[j] = side ? h : -h;
      memcpy(at, q, nq * sizeof *at);
      hn_retract(sys, at, d);
      whole_force(sim, sys, t, at, v, lambda, J, f + (size_t)side * n);
    }
    for (size_t i = 0; i < n; i++) {
      worst[0] = fmax(worst[0], fabs((f[n + i] - f[i]) / (2 * h) - K[i * n + j]));
      size = fmax(size, fabs(K[i * n + j]));
    }
    double rate = v[j];
    for (int side = 0; side < 2; side++) {
      v[j] = rate + (side ? h : -h);
      whole_force(sim, sys, t, q, v, lambda, J, f + (size_t)side * n);
    }
    v[j] = rate;
    for (size_t i = 0; i < n; i++) {
      worst[1] = fmax(worst[1], fabs((f[n + i] - f[i]) / (2 * h) - C[i * n + j]));
      size = fmax(size, fabs(C[i * n + j]));
    }
  }
  if (!(CHECK(worst[0] < 1e-6 * size) & CHECK(worst[1] < 1e-6 * size)))
    printf("  %s: tangents off by %g %g of %g\n", what, worst[0], worst[1], size);
  CHECK(hn_tangents(sim, t, q, v, NULL, NULL, C) == HN_ERR_ARGUMENT);
  CHECK(hn_tangents(sim, NAN, q, v, NULL, K, C) == HN_ERR_ARGUMENT);
  free(K), free(C), free(J), free(f), free(q), free(v), free(d), free(lambda), free(at);
}

// velocities of a point by its Jacobian and by the body's pose
static void check_points(hn_sim *sim, const hn_system *sys) {
  int nv = hn_system_nv(sys);
  size_t n = (size_t)nv;
  double *J = numbers(6 * n);
  const double *v = hn_velocities(sim);
  for (int i = 0; i < hn_system_body_count(sys); i++) {
    double point[3] = {test_random(-1, 1), test_random(-1, 1), test_random(-1, 1)}, u[6] = {0};
    hn_pose pose;
    CHECK(hn_point_jacobian(sim, (hn_body){i}, point, J) == HN_OK);
    CHECK(hn_body_pose(sim, (hn_body){i}, &pose) == HN_OK);
    for (size_t r = 0; r < 6; r++)
      for (size_t k = 0; k < n; k++) u[r] += J[r * n + k] * v[k];
    // R p by the quaternion, then v + w x R p
    const double *o = pose.orientation, *w = pose.angular_velocity;
    double t[3], arm[3], c[3];
    c[0] = o[2] * point[2] - o[3] * point[1], c[1] = o[3] * point[0] - o[1] * point[2];
    c[2] = o[1] * point[1] - o[2] * point[0];
    for (int k = 0; k < 3; k++) t[k] = 2 * c[k];
    arm[0] = point[0] + o[0] * t[0] + o[2] * t[2] - o[3] * t[1];
    arm[1] = point[1] + o[0] * t[1] + o[3] * t[0] - o[1] * t[2];
    arm[2] = point[2] + o[0] * t[2] + o[1] * t[1] - o[2] * t[0];
    const double turned[3] = {w[1] * arm[2] - w[2] * arm[1], w[2] * arm[0] - w[0] * arm[2],
                              w[0] * arm[1] - w[1] * arm[0]};
    for (int k = 0; k < 3; k++) {
      CHECK_NEAR(u[k], pose.velocity[k] + turned[k], 1e-10);
      CHECK_NEAR(u[3 + k], w[k], 1e-10);
    }
  }
  CHECK(hn_point_jacobian(sim, (hn_body){-1}, v, J) == HN_ERR_ARGUMENT);
  free(J);
}

// a state beside the constraints is pulled onto them
static void check_projection(hn_sim *sim, const hn_system *sys) {
  size_t nq = (size_t)hn_system_nq(sys), nv = (size_t)hn_system_nv(sys);
  size_t rows = (size_t)hn_system_rows(sys);
  double *q = numbers(nq), *v = numbers(nv), *phi = numbers(rows), *psi = numbers(rows);
  for (size_t i = 0; i < nq; i++) q[i] = hn_positions(sim)[i] + test_random(-1e-4, 1e-4);
  for (size_t i = 0; i < nv; i++) v[i] = hn_velocities(sim)[i] + test_random(-1e-3, 1e-3);
  CHECK(hn_project_state(sim, hn_time(sim), q, v) == HN_OK);
  hn_equations e = {.position = phi, .velocity = psi};
  CHECK(hn_evaluate(sim, hn_time(sim), q, v, &e) == HN_OK);
  for (size_t k = 0; k < rows; k++) CHECK_NEAR(phi[k], 0, 1e-8), CHECK_NEAR(psi[k], 0, 1e-6);
  q[0] = NAN;
  CHECK(hn_project_state(sim, hn_time(sim), q, v) == HN_ERR_ARGUMENT);
  CHECK(hn_evaluate(sim, hn_time(sim), q, v, &e) == HN_ERR_ARGUMENT);
  CHECK(hn_forward(sim, INFINITY, hn_positions(sim), v, NULL, NULL) == HN_ERR_ARGUMENT);
  CHECK(hn_mass_solve(sim, hn_time(sim), q, v) == HN_ERR_ARGUMENT);
  free(q), free(v), free(phi), free(psi);
}

// every number of q and v has one address, every name leads back to its handle
static void check_names(const hn_system *sys, bool parts) {
  int q = 0, v = 0, rows = 0, first;
  hn_address at;
  for (int k = 0; hn_system_address(sys, k, &at); k++) {
    q += at.nq, v += at.nv;
    CHECK(at.q >= 0 && at.q + at.nq <= hn_system_nq(sys) && at.v + at.nv <= hn_system_nv(sys));
    CHECK(strcmp(at.kind, "body") == 0 ? hn_find_body(sys, at.name).id > 0
                                       : hn_find_joint(sys, at.name).id > 0);
  }
  CHECK(!parts || (q == hn_system_nq(sys) && v == hn_system_nv(sys)));
  for (int i = 0; i < hn_system_body_count(sys); i++)
    CHECK(hn_find_body(sys, hn_body_name(sys, (hn_body){i})).id == i);
  for (int i = 1; i <= hn_system_joint_count(sys); i++) {
    const char *name = hn_joint_name(sys, (hn_joint){i});
    CHECK(name && hn_find_joint(sys, name).id == i);
    int count = hn_joint_rows(sys, (hn_joint){i}, &first);
    for (int k = 0; k < count; k++)
      CHECK(strncmp(hn_system_row_name(sys, first + k), name, strlen(name)) == 0);
    rows += count;
  }
  CHECK(!parts || rows == hn_system_rows(sys));
  CHECK(hn_find_body(sys, "nobody").id == -1 && hn_find_joint(sys, NULL).id == -1);
  CHECK(!hn_body_name(sys, (hn_body){-1}) && !hn_joint_name(sys, (hn_joint){0}));
  CHECK(!hn_joint_coordinate_name(sys, (hn_joint){1}, 99));
}

// a run that was asked everything half way ends on the same bits as one that was not
static void ask(const char *path, const char *coordinates, const char *method) {
  hn_system *sys, *same;
  hn_sim *sim = open_run(path, coordinates, method, &sys);
  hn_sim *other = open_run(path, coordinates, method, &same);
  if (sim && other) {
    CHECK(hn_advance(sim, 0.03) == HN_OK && hn_advance(other, 0.03) == HN_OK);
    check_equations(sim, sys, path);
    check_tangents(sim, sys, path);
    check_points(sim, sys);
    check_projection(sim, sys);
    check_names(sys, strcmp(coordinates, "natural") != 0);
    CHECK(hn_advance(sim, 0.06) == HN_OK && hn_advance(other, 0.06) == HN_OK);
    size_t bytes = (size_t)hn_system_nq(sys) * sizeof(double);
    if (!CHECK(memcmp(hn_positions(sim), hn_positions(other), bytes) == 0))
      printf("  %s, %s, %s\n", path, coordinates, method);
  }
  hn_sim_destroy(sim), hn_sim_destroy(other);
  hn_system_destroy(sys), hn_system_destroy(same);
}

static void test_all(void) {
  static const char *const model[] = {"models/four_bar.yaml", "models/spatial_slider_crank.yaml",
                                      "models/bricard.yaml", "models/excavator_arm.yaml"};
  for (size_t i = 0; i < sizeof model / sizeof *model; i++) {
    ask(model[i], "reference", "explicit");
    ask(model[i], "relative", "explicit");
    ask(model[i], "natural", "mass-projection");
  }
  static const char *const method[] = {"augmented-lagrangian", "index3-alpha", "penalty",
                                       "coordinate-partitioning", "baumgarte-energy"};
  for (size_t i = 0; i < sizeof method / sizeof *method; i++)
    ask("models/four_bar.yaml", "reference", method[i]);
}

// what is asked at the state of the run has its states of first order, also where the stage that
// was evaluated last had others
static void test_states(void) {
  static const char text[] = "bodies:\n  wheel: {type: planar, mass: 1, inertia: 0.1}\n"
                             "joints:\n  hinge: {type: revolute, b: wheel, at: [0, 0]}\n"
                             "forces:\n  m: {type: motor, joint: hinge, law: x}\n"
                             "states:\n  x: {rate: 10 - x, start: 1}\n"
                             "simulation: {method: standard, step: 0.1, coordinates: relative}\n";
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  char message[256];
  double a, force;
  CHECK(!hn_model_parse(model, text, strlen(text), "states") && !hn_compile(&sys, model) &&
        !hn_sim_create(&sim, sys, hn_model_options(model), message, sizeof message));
  for (int i = 0; i < 3 && sim; i++) {
    const double *q = hn_positions(sim), *v = hn_velocities(sim);
    double x = hn_states(sim)[0];
    CHECK(!hn_forward(sim, hn_time(sim), q, v, &a, NULL));
    CHECK_NEAR(a, x / 0.1, 1e-12);
    CHECK(!hn_evaluate(sim, hn_time(sim), q, v, &(hn_equations){.force = &force}));
    CHECK_NEAR(force, x, 1e-12);
    CHECK(!hn_step(sim));
  }
  hn_sim_destroy(sim), hn_system_destroy(sys), hn_model_destroy(model);
}

int main(void) {
  RUN(test_all);
  RUN(test_states);
  return test_end();
}
