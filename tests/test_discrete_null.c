// test_discrete_null.c: the null space by structure: P meets every row at any state, and Newton
// steps in it are those of the whole system.
#include "integrators/energy/discrete_null.h"
#include "test.h"

#include <stdlib.h>

typedef struct rig {
  hn_model *model;
  hn_system *sys;
  hn_sim *sim;
  hn_null_space null;
} rig;

static bool rig_start(rig *r, hn_model *model, const char *points) {
  char message[512] = "";
  *r = (rig){.model = model};
  hn_status status = HN_OK;
  hn_options *o = hn_model_options(r->model);
  snprintf(o->method, sizeof o->method, "energy-momentum");
  snprintf(o->coordinates, sizeof o->coordinates, "natural");
  snprintf(o->natural_points, sizeof o->natural_points, "%s", points);
  o->step = 1e-2;
  if (!status) status = hn_compile(&r->sys, r->model);
  if (!status) status = hn_sim_create(&r->sim, r->sys, o, message, sizeof message);
  if (!CHECK(status == HN_OK)) printf("  %s%s\n", hn_model_error(r->model), message);
  if (status) return false;
  hn_eval_jacobian(&r->sim->stage.work, 0, r->sys->q0, r->sys->v0);
  return CHECK(
      hn_null_create(&r->null, r->sim->method.integrator_data, r->sim->stage.work.numbers));
}

static void rig_end(rig *r) {
  if (r->null.sys) hn_null_release(&r->null);
  hn_sim_destroy(r->sim);
  hn_system_destroy(r->sys);
  hn_model_destroy(r->model);
}

static double *numbers(int count) {
  double *x = calloc((size_t)count + 1, sizeof(double));
  if (!x) exit(1);
  return x;
}

static double row_times(const rig *r, const double *J, int row, const double *x) {
  const hn_natural *n = hn_natural_of(r->sys);
  double sum = 0;
  for (int e = n->start[row]; e < n->start[row + 1]; e++) sum += J[e] * x[n->column[e]];
  return sum;
}

// how many numbers y has, loops not counted
static int free_motions(const hn_null_space *s) {
  int count = 0;
  for (int b = 0; b < s->nodes; b++) count += s->node[b].mid.free;
  return count;
}

// velocities P y, body by body as discrete_null.h has it; missing[]: what the rows of loops lack
static void apply(const hn_null_space *s, const double *y, double *velocity, double *missing) {
  double *twist = numbers(6 * s->nodes);
  for (int b = 0; b < s->nodes; b++) {
    const hn_null_node *n = &s->node[b];
    double *t = twist + 6 * b;
    for (int i = 0; i < n->size; i++) {
      for (int k = 0; n->parent >= 0 && k < s->node[n->parent].size; k++)
        t[i] += n->mid.T[6 * i + k] * twist[6 * n->parent + k];
      for (int k = 0; k < n->mid.free; k++) t[i] += n->mid.Z[6 * i + k] * y[k];
    }
    y += n->mid.free;
    for (int k = 0; k < n->owns; k++)
      for (int i = 0; i < n->size; i++) velocity[n->own[k]] += n->E[6 * k + i] * t[i];
  }
  for (int k = 0; k < s->loops; k++) {
    const hn_null_loop *l = &s->loop[k];
    for (int i = 0; i < l->nodes; i++)
      for (int r = 0; r < s->node[l->at[i]].size; r++)
        missing[k] += l->mid[6 * i + r] * twist[6 * l->at[i] + r];
  }
  free(twist);
}

// DPhi P y = 0 for all rows of the tree, and what rows of loops lack is what is said
static void check_rows(rig *r, const char *model, double off) {
  hn_energy_step *s = r->sim->method.integrator_data;
  const hn_system *sys = r->sys;
  int count = free_motions(&r->null);
  double *y = numbers(count), *v = numbers(sys->nv), *missing = numbers(r->null.loops);
  for (int i = 0; i < count; i++) y[i] = test_random(-1, 1);
  apply(&r->null, y, v, missing);
  double size = 0, worst = 0;
  for (int i = 0; i < sys->nv; i++) size = fmax(size, fabs(v[i]));
  for (int i = 0; i < sys->rows; i++) {
    double lack = 0;
    for (int k = 0; k < r->null.loops; k++)
      if (r->null.loop[k].row == i) lack = missing[k];
    worst = fmax(worst, fabs(row_times(r, s->D, i, v) - lack));
  }
  if (!CHECK(size > 1e-3 || !count)) printf("  %.30s\n", model);
  if (!CHECK(worst < 1e-12 * fmax(1, size))) printf("  %.30s off %g: %g\n", model, off, worst);
  free(y), free(v), free(missing);
}

// the change of q1 by the whole system and in the null space
static void check_step(rig *r, const char *model) {
  hn_energy_step *s = r->sim->method.integrator_data;
  const hn_system *sys = r->sys;
  int nv = sys->nv;
  for (int i = 0; i < sys->rows; i++) s->l[i] = 1e-4 * test_random(-1, 1);
  hn_energy_matrix(s, r->sim);
  double *x = numbers(nv + sys->rows), worst = 0, size = 0, force = 0, wrong = 0;
  for (int i = 0; i < nv; i++) x[i] = -s->r[i];
  for (int i = 0; i < sys->rows; i++)
    x[nv + i] = r->sim->rows.D && r->sim->rows.D[i] > 0 ? 0 : -s->phi[i];
  CHECK(hn_sparse_factor(s->sparse));
  hn_sparse_solve(s->sparse, x);
  CHECK(hn_null_solve(&r->null, s));
  for (int i = 0; i < nv; i++) {
    size = fmax(size, fabs(x[i]));
    worst = fmax(worst, fabs(x[i] - r->null.x[i]));
  }
  for (int i = 0; i < sys->rows && !sys->redundant && !r->null.hidden; i++) {
    force = fmax(force, fabs(x[nv + i]));
    wrong = fmax(wrong, fabs(x[nv + i] - s->l[i]));
  }
  if (!CHECK(worst < 1e-9 * size)) printf("  %.30s: %g of %g\n", model, worst, size);
  if (!CHECK(wrong <= 1e-8 * force)) printf("  %.30s: multipliers %g of %g\n", model, wrong, force);
  free(x);
}

static void check(const char *model, const char *points, int loops) {
  rig r;
  hn_model *loaded = hn_model_create();
  CHECK(hn_model_load(loaded, model) == HN_OK);
  if (rig_start(&r, loaded, points)) {
    hn_energy_step *s = r.sim->method.integrator_data;
    CHECK(loops < 0 || r.null.loops == loops);
    for (int k = 0; k < 3; k++) {
      // on the constraints at first, then ever farther from them
      double off = k == 0 ? 0 : k == 1 ? 1e-6 : 0.1;
      hn_energy_begin(s, r.sim, 0.01);
      for (int i = 0; i < r.sys->nv; i++)
        s->w[i] = (off * test_random(-1, 1) - 0.01 * r.sim->state.y[r.sys->nq + i]) / s->kappa;
      hn_energy_evaluate(s, r.sim);
      hn_null_update(&r.null, s, r.sim->state.y);
      if (!r.null.hidden) check_rows(&r, model, off);
      hn_null_update(&r.null, s, r.sim->state.y);
      // dependent rows contradict each other off the constraints
      if (k == 0 || (k == 1 && !r.sys->redundant)) check_step(&r, model);
    }
  }
  rig_end(&r);
}

static void structures(void) {
  check("models/pendulum.yaml", "joined", 0);
  check("models/heavy_top.yaml", "joined", 0);
  check("models/torque_free.yaml", "joined", 0);
  check("models/four_bar.yaml", "joined", -1);
  check("models/four_bar.yaml", "shared", 1);
  check("models/five_bar_pendulum_spatial.yaml", "joined", 0);
  check("models/five_bar_pendulum_spatial.yaml", "shared", 0);
  check("models/spatial_slider_crank.yaml", "joined", -1);
  check("models/flyball_governor.yaml", "shared", -1);
  check("models/flyball_governor.yaml", "joined", -1);
  check("models/bricard.yaml", "joined", -1);
  check("models/bricard.yaml", "shared", -1);
  check("models/parallelogram.yaml", "shared", -1);
  check("models/four_bar_point_masses.yaml", "joined", -1);
}

// a chain of boxes: every body knows its parent and nobody else, so that a step is linear in their
// number; a spring from end to end brings few others
static void chain_is_linear(void) {
  enum { BODIES = 40 };
  for (int sprung = 0; sprung < 2; sprung++) {
    hn_model *model = hn_model_create();
    hn_body last = {0};
    for (int i = 0; i < BODIES; i++) {
      char name[16], joint[16];
      snprintf(name, sizeof name, "box%d", i);
      snprintf(joint, sizeof joint, "hinge%d", i);
      hn_body b = hn_add_body(model, &(hn_body_def){.name = name,
                                                    .mass = 1,
                                                    .inertia = {0.01, 0.1, 0.1},
                                                    .position = {i + 0.5, 0, 0}});
      hn_add_joint(model, &(hn_joint_def){.name = joint,
                                          .type = "revolute",
                                          .a = {.body = last},
                                          .b = {.body = b},
                                          .at = {i, 0, 0},
                                          .axis = {0, i % 2, 1 - i % 2}});
      last = b;
    }
    if (sprung)
      hn_add_force(model, &(hn_force_def){.name = "spring",
                                          .type = "spring",
                                          .a = {.body = {1}},
                                          .at = {0.5, 0, 0},
                                          .b = {.body = last},
                                          .at_b = {BODIES, 0, 0},
                                          .stiffness = 10});
    rig r;
    if (rig_start(&r, model, sprung ? "shared" : "joined")) {
      CHECK(r.null.nodes == BODIES && r.null.loops == 0);
      for (int b = 0; b < r.null.nodes; b++) CHECK(r.null.node[b].nears <= (sprung ? 3 : 1));
      hn_energy_step *s = r.sim->method.integrator_data;
      hn_energy_begin(s, r.sim, 0.01);
      for (int i = 0; i < r.sys->nv; i++) s->w[i] = 1e-6 * test_random(-1, 1) / s->kappa;
      hn_energy_evaluate(s, r.sim);
      hn_null_update(&r.null, s, r.sim->state.y);
      CHECK(free_motions(&r.null) == BODIES);
      check_step(&r, "chain");
    }
    rig_end(&r);
  }
}

int main(void) {
  RUN(structures);
  RUN(chain_is_linear);
  return test_end();
}
