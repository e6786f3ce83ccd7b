// test_code_signals.c: code written for models with inputs, states, tables and sampled controllers:
// rates against the library at random states, runs against runs.
#include "code/native.h"
#include "run_rig.h"
#include "sim/sim.h"

#include <stdlib.h>

// everything a formula can read that is not the motion: an input, tables of all three kinds, one of
// them a motion, states that follow each other, a sampled controller with memory and delay,
// switches
static const char plant[] =
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  cart: {type: planar, mass: 2, inertia: 1}\n"
    "  arm: {type: planar, mass: 1, inertia: 0.1, position: [0.5, -0.1]}\n"
    "  rail: {type: planar, mass: 3, inertia: 1, position: [3, 0]}\n"
    "joints:\n"
    "  guide: {type: prismatic, b: cart, axis: [1, 0]}\n"
    "  hinge: {type: revolute, a: cart, b: arm, at: [0, 0]}\n"
    "  lift: {type: prismatic, b: rail, axis: [0, 1]}\n"
    "  move: {type: driver, joint_a: lift, motion: 0.5*path}\n"
    "forces:\n"
    "  push: {type: force, b: cart, force: ['gain*u + 2*road - 3*guide.rate - "
    "5*guide.translation', 0]}\n"
    "  motor: {type: motor, joint: hinge, law: 'torque - lagging - 0.3*rate + if(lagging > 0.1, "
    "0.5, -0.5)'}\n"
    "  tie: {type: spring, a: rail, b: cart, stiffness: '40*(1 + 0.5*gear)', damping: 2, free: 2}\n"
    "signals:\n"
    "  gain: {input: 1.5}\n"
    "  u: 0.4*sin(3*t) + hinge.angle\n"
    "  road: {table: [[0, 0], [0.3, 0.4], [0.7, -0.2], [1.2, 0.3]]}\n"
    "  gear: {table: [[0, 1], [0.45, 2], [0.9, 0]], interpolation: hold}\n"
    "  path: {table: [[0, 0], [0.4, 0.1], [0.8, -0.1], [1.3, 0.2]], interpolation: cubic}\n"
    "states:\n"
    "  lagging: {rate: (hinge.rate - lagging)/0.05, start: 0.2}\n"
    "  second: {rate: 'lagging - second*(1 + road) + torque', start: -0.3}\n"
    "controllers:\n"
    "  torque:\n"
    "    period: 0.05\n"
    "    delay: 0.02\n"
    "    memory: {sum: '0.9*torque_sum + 0.1*second'}\n"
    "    formula: -3*hinge.angle - torque_sum\n";

static const char motor[] =
    "bodies:\n"
    "  arm: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
    "  ram: {type: planar, mass: 40, inertia: 1, position: [2, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, b: arm, at: [0, 0]}\n"
    "  slide: {type: prismatic, b: ram, axis: [1, 0]}\n"
    "forces:\n"
    "  drive: {type: dc-motor, joint: hinge, voltage: 12*sin(5*t), resistance: 1.2, inductance: "
    "3e-3, "
    "constant: 0.3}\n"
    "  jack: {type: hydraulic-cylinder, joint: slide, valve: 0.4*sin(3*t), areas: [2e-3, 1.2e-3], "
    "volumes: [4e-4, 6e-4], bulk_modulus: 1.4e9, supply: 14e6, tank: 1e5, flow: 3e-8, pressures: "
    "[4e6, 6e6]}\n";

static bool begin(run *r, const char *text, const char *coordinates, const char *code, double end) {
  *r = (run){.model = hn_model_create()};
  hn_options *o = hn_model_options(r->model);
  hn_status status = hn_model_parse(r->model, text, strlen(text), "test.yaml");
  snprintf(o->coordinates, sizeof o->coordinates, "%s", coordinates);
  snprintf(o->code, sizeof o->code, "%s", code);
  snprintf(o->method, sizeof o->method, "explicit");
  o->rtol = 1e-9, o->duration = end, o->output_step = end / 40;
  if (!status) status = hn_compile(&r->system, r->model);
  if (status) snprintf(r->message, sizeof r->message, "%s", hn_model_error(r->model));
  if (!status) status = hn_sim_create(&r->sim, r->system, o, r->message, sizeof r->message);
  if (!CHECK(!status)) printf("  %s\n", r->message);
  return !status;
}

static void near_all(const char *what, const double *a, const double *b, int n) {
  for (int i = 0; i < n; i++)
    if (!CHECK(fabs(a[i] - b[i]) <= 1e-9 * (1 + fabs(b[i]))))
      printf("  %s [%d]: %.17g, library %.17g\n", what, i, a[i], b[i]);
}

static void rates(const char *text, const char *coordinates) {
  enum { MOST = 100 };
  run r;
  double y[MOST], ydot[MOST], in[MOST], side[MOST], value[MOST], qdot[MOST], a[MOST], lambda[MOST],
      power, xdot[MOST], turn[MOST];
  if (begin(&r, text, coordinates, "native", 1)) {
    const hn_system *sys = r.system;
    hn_sim *sim = r.sim;
    hn_work *work = &sim->stage.work;
    for (int trial = 0; trial < 20; trial++) {
      double t = test_random(0, 1.4), *v = y + sys->nq, *x = y + sim->state.x;
      memcpy(y, sys->q0, (size_t)sys->nq * sizeof(double));
      for (int i = 0; i < sys->nv; i++) turn[i] = test_random(-0.3, 0.3), v[i] = test_random(-2, 2);
      hn_retract(sys, y, turn);
      y[sim->state.w] = 0;
      for (int i = 0; i < sys->states; i++)
        x[i] = sys->state[i].start + test_random(-1, 1) * fmax(1, fabs(sys->state[i].start));
      for (int i = 0; i < sys->inputs + sys->held; i++) work->input[i] = test_random(-2, 2);
      hn_give_states(work, x);
      hn_eval_switches(work, t, y, v, value);
      for (int i = 0; i < sys->switches; i++) side[i] = value[i] > 0;
      hn_native_in(work, t, x, in);
      sys->native->motion(t, y, v, work->near, side, in, qdot, a, lambda, &power, xdot);
      CHECK(hn_derivative(sim, t, y, ydot) == HN_OK);
      near_all("rate", qdot, ydot, sys->nq);
      near_all("acceleration", a, ydot + sys->nq, sys->nv);
      near_all("multiplier", lambda, work->lambda, sys->rows);
      near_all("power", &power, ydot + sim->state.w, 1);
      near_all("rate of a state", xdot, ydot + sim->state.x, sys->states);
    }
  }
  run_free(&r);
}

static long asked;
static hn_motion_fn true_motion;
static double count(double t, const double *q, const double *v, const double *turn,
                    const double *side, const double *in, double *qdot, double *a, double *lambda,
                    double *power, double *xdot) {
  asked++;
  return true_motion(t, q, v, turn, side, in, qdot, a, lambda, power, xdot);
}

// every column of every row, and the code was what ran
static void runs(const char *text, const char *coordinates, double end) {
  run r[2];
  hn_summary s[2];
  for (int native = 0; native < 2; native++) {
    hn_summary *to = &s[native];
    if (!begin(&r[native], text, coordinates, native ? "native" : "library", end)) continue;
    if (native) {
      true_motion = r[1].system->native->motion, asked = 0;
      r[1].system->native->motion = count;
    }
    if (!CHECK(hn_run(r[native].sim, &r[native].result, NULL, NULL) == HN_OK))
      printf("  %s\n", hn_sim_error(r[native].sim));
    hn_sim_summary(r[native].sim, to);
    CHECK(to->audit_pass);
  }
  const hn_result *a = r[0].result, *b = r[1].result;
  if (a && b && CHECK(hn_result_rows(a) == hn_result_rows(b))) {
    int columns = hn_result_columns(a);
    double *size = calloc((size_t)columns, sizeof *size);
    for (int i = 0; size && i < hn_result_rows(a); i++)
      for (int k = 0; k < columns; k++) size[k] = fmax(size[k], fabs(hn_result_row(a, i)[k]));
    for (int i = 0; size && i < hn_result_rows(a); i++)
      for (int k = 0; k < columns; k++) {
        double off = fabs(hn_result_row(a, i)[k] - hn_result_row(b, i)[k]);
        if (!CHECK(off <= 1e-5 * (1e-3 + size[k])))
          printf("  %s, row %d: %.3g of %.3g\n", hn_result_name(a, k), i, off, size[k]);
      }
    free(size);
    CHECK(asked > s[1].steps);
    printf("  %ld steps, the code was asked %ld times\n", s[1].steps, asked);
  }
  run_free(&r[0]), run_free(&r[1]);
}

static void reference(void) {
  rates(plant, "reference");
  rates(motor, "reference");
  runs(plant, "reference", 1.2);
  runs(motor, "reference", 0.3);
}

static void relative(void) {
  rates(plant, "relative");
  rates(motor, "relative");
  runs(plant, "relative", 1.2);
}

// an input set on the way acts in the code, too
static void inputs(void) {
  double end[2][2];
  for (int native = 0; native < 2; native++) {
    run r;
    if (begin(&r, plant, "reference", native ? "native" : "library", 1)) {
      CHECK(hn_advance(r.sim, 0.33) == HN_OK && hn_input_set(r.sim, 0, -2) == HN_OK);
      CHECK(hn_advance(r.sim, 0.8) == HN_OK);
      end[native][0] = hn_positions(r.sim)[0], end[native][1] = hn_states(r.sim)[1];
    }
    run_free(&r);
  }
  for (int i = 0; i < 2; i++) CHECK_NEAR(end[1][i], end[0][i], 1e-7);
}

int main(void) {
  setenv("HOLON_CFLAGS", "-O0", 1);  // what is tested are the numbers
  RUN(reference);
  RUN(relative);
  RUN(inputs);
  return test_end();
}
