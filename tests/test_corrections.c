// test_corrections.c: every correction, on mechanisms of all kinds.
//
// A disturbed state must come back to the constraints by the change that the correction's equations
// say, and stay where it is when corrected again. The tables are read, so a new correction is
// tested when it is there.
#include "run_rig.h"
#include "solver_rig.h"

static const char *const coordinates[] = {"reference", "relative", "natural"};

static bool is(const char *name, const char *other) {
  return strcmp(name, other) == 0;
}

// a mechanism, disturbed
typedef struct patient {
  rig rig;
  hn_sim *sim;
  double *q, *v;    // disturbed
  double *q1, *v1;  // corrected
} patient;

static void patient_free(patient *p) {
  free(p->q), free(p->v), free(p->q1), free(p->v1);
  hn_sim_destroy(p->sim);
  rig_free(&p->rig);
}

// the same disturbance for the same case
static bool patient_load(patient *p, int which, const char *coords, const char *correction,
                         double size) {
  *p = (patient){0};
  rig_case this = rig_case_at(which);
  if (!rig_load(&p->rig, &this, coords) || p->rig.sys->nv + p->rig.sys->rows > RIG_LARGEST) {
    rig_free(&p->rig);
    return false;
  }
  const hn_system *sys = p->rig.sys;
  p->rig.options.projection_tol = 1e-14;
  p->rig.options.violation_bound = 1e-9;
  p->q = rig_numbers(sys->nq), p->q1 = rig_numbers(sys->nq);
  p->v = rig_numbers(sys->nv), p->v1 = rig_numbers(sys->nv);
  p->sim = rig_start(&p->rig, "lagrange", correction, "rk4", 1e-3);
  if (!p->sim || !rig_state(&p->rig, 0.2, p->q, p->v)) {
    patient_free(p);
    return false;
  }
  test_seed = 0x9e3779b97f4a7c15ull + (unsigned long long)which;
  for (int i = 0; i < sys->nq; i++)
    p->q[i] += size * (sys->angular_q[i] ? 1 : sys->length) * test_random(-1, 1);
  for (int i = 0; i < sys->nv; i++)
    p->v[i] += size * (sys->angular_v[i] ? 1 : sys->length) * test_random(-1, 1);
  hn_normalise(sys, p->q);
  return true;
}

// applies the correction to (q1, v1) at the time of the disturbed state
static hn_status apply(patient *p, double *moved) {
  hn_stage_left(p->sim);
  return p->sim->method.correction->apply(p->sim, 0.2, p->q1, p->v1, moved);
}

static void copy_state(patient *p) {
  memcpy(p->q1, p->q, (size_t)p->rig.sys->nq * sizeof(double));
  memcpy(p->v1, p->v, (size_t)p->rig.sys->nv * sizeof(double));
}

// largest violation of (q1, v1), positions by the length of the model
static void violations(patient *p, double *position, double *velocity) {
  const hn_system *sys = p->rig.sys;
  hn_work *w = &p->sim->stage.work;
  hn_eval_jacobian(w, 0.2, p->q1, p->v1);
  *position = *velocity = 0;
  for (int i = 0; i < sys->rows; i++) {
    if (sys->holonomic[i]) *position = fmax(*position, fabs(w->phi[i]) / sys->length);
    *velocity = fmax(*velocity, fabs(w->psi[i]) / fmax(1, sys->length));
  }
}

// ---- constraints are met, and that is the end of it ------------------------------------------

static void check_meets(int which, const char *coords, const char *correction) {
  patient p;
  if (!patient_load(&p, which, coords, correction, 1e-5)) return;
  double position, velocity, moved = 0, speed = 1;
  for (int i = 0; i < p.rig.sys->nv; i++) speed = fmax(speed, fabs(p.v[i]));
  // wheels in natural coordinates have exact rows only where the bodies are rigid
  double enough =
      (p.rig.sys->coordinates->ability & HN_CAN_NATURAL) && p.rig.sys->customs ? 1e-11 : 1e-12;
  copy_state(&p);
  bool ok = CHECK(apply(&p, &moved) == HN_OK);
  violations(&p, &position, &velocity);
  ok &= CHECK(position < enough) & CHECK(velocity < 1e-12 * speed);
  if (!ok)
    printf("  %s, %s, %s: %g, %g: %s\n", rig_case_at(which).name, coords, correction, position,
           velocity, hn_sim_error(p.sim));
  // again: nothing happens
  double *q = rig_numbers(p.rig.sys->nq), *v = rig_numbers(p.rig.sys->nv), size = 1;
  memcpy(q, p.q1, (size_t)p.rig.sys->nq * sizeof *q);
  memcpy(v, p.v1, (size_t)p.rig.sys->nv * sizeof *v);
  CHECK(apply(&p, &moved) == HN_OK);
  CHECK(rig_difference(p.q1, q, p.rig.sys->nq, &size) < enough * size);
  CHECK(rig_difference(p.v1, v, p.rig.sys->nv, &size) < 1e-11 * size);
  free(q), free(v);
  patient_free(&p);
}

static void test_constraints_are_met(void) {
  for (int which = 0; rig_case_at(which).name; which++)
    for (int k = 0; k < 3; k++)
      for (int c = 0; hn_correction_at(c); c++)
        if (!is(hn_correction_at(c)->name, "none"))
          check_meets(which, coordinates[k], hn_correction_at(c)->name);
}

static void test_none_does_nothing(void) {
  patient p;
  if (!patient_load(&p, 0, "reference", "none", 1e-4)) return;
  double moved = 1;
  copy_state(&p);
  CHECK(apply(&p, &moved) == HN_OK && moved == 0);
  CHECK(memcmp(p.q, p.q1, (size_t)p.rig.sys->nq * sizeof(double)) == 0);
  CHECK(memcmp(p.v, p.v1, (size_t)p.rig.sys->nv * sizeof(double)) == 0);
  patient_free(&p);
}

// ---- by the change that is least -------------------------------------------------------------

// a change dv is least in the norm W if W dv is orthogonal to every motion the rows allow
static void check_least(int which, const char *coords, const char *correction, bool mass) {
  patient p;
  if (!patient_load(&p, which, coords, correction, 1e-5)) return;
  if (p.rig.sys->rows == 0) {
    patient_free(&p);
    return;
  }
  int nv = p.rig.sys->nv, rows = p.rig.sys->rows, least = rows < nv ? rows : nv;
  double moved, *dv = rig_numbers(nv), *push = rig_numbers(nv), size = 0;
  double *Vt = rig_numbers(nv * nv), *s = rig_numbers(least);
  // positions first, so that only velocities change in the second correction
  copy_state(&p);
  CHECK(apply(&p, &moved) == HN_OK);
  memcpy(p.v1, p.v, (size_t)nv * sizeof(double));
  CHECK(apply(&p, &moved) == HN_OK);
  for (int i = 0; i < nv; i++) dv[i] = p.v1[i] - p.v[i];
  hn_eval_jacobian(&p.sim->stage.work, 0.2, p.q1, p.v1);
  memcpy(push, dv, (size_t)nv * sizeof *dv);
  if (mass) hn_mass_mul(&p.sim->stage.work, dv, push);
  for (int i = 0; i < nv; i++) size = fmax(size, fabs(push[i]));
  CHECK(size > 0);
  rig_dense d;
  rig_write_out(&d, &p.sim->stage.work);
  CHECK(hn_dense_svd(rows, nv, d.J, s, NULL, Vt));
  for (int k = 0; k < nv; k++) {
    if (k < least && s[k] > 1e-9 * s[0]) continue;
    double dot = 0;
    for (int i = 0; i < nv; i++) dot += Vt[k * nv + i] * push[i];
    if (!CHECK_NEAR(dot, 0, 1e-8 * size))
      printf("  %s, %s, %s\n", rig_cases[which].name, coords, correction);
  }
  rig_dense_free(&d);
  free(dv), free(push), free(Vt), free(s);
  patient_free(&p);
}

static void test_change_is_least(void) {
  for (int which = 0; which < RIG_CASES; which++)
    for (int k = 0; k < 3; k++) {
      check_least(which, coordinates[k], "mass", true);
      check_least(which, coordinates[k], "mass-augmented", true);
      check_least(which, coordinates[k], "direct", false);
    }
}

// positions: mass-augmented goes where mass goes
static void test_both_mass_projections_agree(void) {
  for (int which = 0; which < RIG_CASES; which++) {
    patient a, b;
    if (!patient_load(&a, which, "reference", "mass", 1e-5)) continue;
    if (patient_load(&b, which, "reference", "mass-augmented", 1e-5)) {
      double moved, size = 1;
      copy_state(&a), copy_state(&b);
      CHECK(apply(&a, &moved) == HN_OK && apply(&b, &moved) == HN_OK);
      // both are Newton steps of second order
      if (!CHECK(rig_difference(a.q1, b.q1, a.rig.sys->nq, &size) < 1e-8 * size))
        printf("  %s\n", rig_cases[which].name);
      patient_free(&b);
    }
    patient_free(&a);
  }
}

// dependent entries change, as many as there are independent rows
static void test_partition_keeps_the_rest(void) {
  for (int which = 0; which < RIG_CASES; which++)
    for (int k = 0; k < 3; k++) {
      patient p;
      if (!patient_load(&p, which, coordinates[k], "partition", 1e-5)) continue;
      const hn_system *sys = p.rig.sys;
      int kept = 0;
      double moved;
      copy_state(&p);
      CHECK(apply(&p, &moved) == HN_OK);
      for (int i = 0; i < sys->nv; i++) kept += p.v1[i] == p.v[i];
      if (!CHECK(kept >= sys->nv - sys->rows + sys->redundant))
        printf("  %s: %d of %d kept\n", rig_cases[which].name, kept, sys->nv);
      patient_free(&p);
    }
}

static void test_hybrid_waits(void) {
  for (int late = 0; late < 2; late++) {
    patient p;
    if (!patient_load(&p, 0, "reference", "hybrid", late ? 1e-3 : 1e-7)) return;
    double moved, position, velocity;
    p.sim->opt.violation_bound = 1e-5;
    copy_state(&p);
    CHECK(apply(&p, &moved) == HN_OK);
    violations(&p, &position, &velocity);
    CHECK(late ? moved > 0 && position < 1e-12 : moved == 0 && position > 1e-8);
    patient_free(&p);
  }
}

// ---- the energy row --------------------------------------------------------------------------

// coarse steps lose energy; with the row they do not, and the constraints still hold
static void check_energy(int which, const char *correction, double h, double end) {
  rig r;
  hn_energy energy[2];
  hn_residuals residuals;
  if (!rig_load(&r, &rig_cases[which], "reference")) return;
  for (int on = 0; on < 2; on++) {
    snprintf(r.options.correction_energy, sizeof r.options.correction_energy, on ? "on" : "off");
    hn_sim *sim = rig_start(&r, "lagrange", correction, "rk4", h);
    if (!sim) break;
    CHECK(hn_advance(sim, end) == HN_OK);
    CHECK(hn_sim_energy(sim, &energy[on]) == HN_OK);
    if (on && sim->method.correction->projects) {
      CHECK(hn_sim_residuals(sim, &residuals) == HN_OK);
      if (!CHECK(residuals.position < 1e-9 && residuals.velocity < 1e-9))
        printf("  %s, %s: %g, %g\n", rig_cases[which].name, correction, residuals.position,
               residuals.velocity);
    }
    hn_sim_destroy(sim);
  }
  if (!CHECK(fabs(energy[1].balance) < 1e-3 * fabs(energy[0].balance) + 1e-13 * energy[0].scale))
    printf("  %s, %s: %g without, %g with\n", rig_cases[which].name, correction, energy[0].balance,
           energy[1].balance);
  rig_free(&r);
}

static void test_energy_row(void) {
  for (int c = 0; hn_correction_at(c); c++) {
    check_energy(0, hn_correction_at(c)->name, 0.01, 1);
    check_energy(10, hn_correction_at(c)->name, 0.02, 1);  // driven: work enters
    check_energy(7, hn_correction_at(c)->name, 0.02, 1);   // nonholonomic
  }
}

// ---- close to and through singular configurations --------------------------------------------

// crank and rod of equal length: at the dead centre the mechanism could take another branch
static void test_passes_singularity(void) {
  static const char *const able[] = {"mass", "direct", "mass-augmented", "partition"};
  static const rig_case c = {"equal_slider_crank", NULL};
  double end[4];
  for (int i = 0; i < 4; i++) {
    rig r;
    if (!rig_load(&r, &c, "reference")) return;
    hn_sim *sim = rig_start(&r, "lagrange", able[i], "rk4", 1e-3);
    if (sim && CHECK(hn_advance(sim, 3) == HN_OK)) {
      hn_residuals residuals;
      CHECK(hn_sim_residuals(sim, &residuals) == HN_OK);
      CHECK(residuals.position < 1e-8);
      end[i] = hn_positions(sim)[2];
      if (!CHECK_NEAR(end[i], end[0], 1e-4)) printf("  %s\n", able[i]);
    }
    hn_sim_destroy(sim);
    rig_free(&r);
  }
}

// Three bars between the ground and a coupler, the middle one longer by g: nothing fits, and the
// least sum of squares over the six pins leaves each of the middle bar's open by g/3 and those of
// the others by g/6, the other way. So it stays, after steps that are long enough to need more than
// one iteration
static void test_gap_is_shared(void) {
  static const double g = 1e-7;
  static const char text[] =
      "simulation: {duration: 20}\n"
      "ground: {frames: {a: [0, 0], b: [1, 0], c: [2, 0]}}\n"
      "bodies:\n"
      "  one: {type: planar, mass: 1, inertia: 0.1, position: [0, 0.5], velocity: [-2.5, 0],\n"
      "        angular_velocity: 5, frames: {l: [0, -0.5], r: [0, 0.5]}}\n"
      "  two: {type: planar, mass: 1, inertia: 0.1, position: [1, 0.5], velocity: [-2.5, 0],\n"
      "        angular_velocity: 5, frames: {l: [0, -0.5], r: [0, 0.5000001]}}\n"
      "  three: {type: planar, mass: 1, inertia: 0.1, position: [2, 0.5], velocity: [-2.5, 0],\n"
      "          angular_velocity: 5, frames: {l: [0, -0.5], r: [0, 0.5]}}\n"
      "  bar: {type: planar, mass: 1, inertia: 0.1, position: [1, 1], velocity: [-5, 0],\n"
      "        frames: {a: [-1, 0], b: [0, 0], c: [1, 0]}}\n"
      "joints:\n"
      "  A: {type: revolute, a: ground.a, b: one.l}\n"
      "  B: {type: revolute, a: ground.b, b: two.l}\n"
      "  C: {type: revolute, a: ground.c, b: three.l}\n"
      "  D: {type: revolute, a: one.r, b: bar.a}\n"
      "  E: {type: revolute, a: two.r, b: bar.b}\n"
      "  F: {type: revolute, a: three.r, b: bar.c}\n";
  run r;
  if (CHECK(run_start(
          &r, text,
          (run_by){
              .integrator = "rk4", .coordinates = "reference", .step = 0.1, .correction = "mass"})))
    for (int i = 0; i < 12; i++) {
      CHECK(hn_advance(r.sim, 0.1 * (i + 1)) == HN_OK);
      const double *q = hn_positions(r.sim);
      for (int bar = 0; bar < 3; bar++)
        CHECK_NEAR(hypot(q[3 * bar] - bar, q[3 * bar + 1]) - 0.5, bar == 1 ? -g / 3 : g / 6, 1e-10);
    }
  run_free(&r);
}

int main(void) {
  RUN(test_constraints_are_met);
  RUN(test_none_does_nothing);
  RUN(test_change_is_least);
  RUN(test_both_mass_projections_agree);
  RUN(test_partition_keeps_the_rest);
  RUN(test_hybrid_waits);
  RUN(test_energy_row);
  RUN(test_passes_singularity);
  RUN(test_gap_is_shared);
  return test_end();
}
