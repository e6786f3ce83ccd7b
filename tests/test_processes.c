// test_processes.c: ready-made processes and the drives that bring states along, against
// references by scipy (tests/references/processes.py, whose output is copied below).
#include "run_rig.h"
#include "sim/sim.h"

enum { TIMES = 4 };
static const double when[TIMES] = {0.5, 1, 1.5, 2};
typedef struct reference {
  const char *name;
  double value[TIMES];
} reference;

static bool start(run *r, const char *text, const char *integrator, double rtol) {
  return run_start(r, text,
                   (run_by){.integrator = integrator, .coordinates = "reference", .rtol = rtol});
}

// a signal of the run as it stands; or a coordinate of the only joint
static double read_quantity(run *r, const char *name) {
  const hn_system *sys = r->system;
  double value = NAN;
  CHECK(!hn_refresh(r->sim));
  for (int i = 0; i < sys->named; i++)
    if (strcmp(sys->named_signal[i].name, name) == 0)
      return hn_run_expression(sys, &r->sim->stage.work, sys->named_signal[i].expression, NULL);
  CHECK(!hn_joint_coordinate(r->sim, hn_find_joint(sys, "hinge"), NULL, &value, NULL));
  return value;
}

// largest error of a run, relative to the largest value of each quantity
static void follow(const char *text, const char *integrator, double rtol, const reference *list,
                   int count, double tolerance) {
  run r;
  if (!CHECK(start(&r, text, integrator, rtol))) {
    run_free(&r);
    return;
  }
  double size[24] = {0}, error[24] = {0};
  for (int i = 0; i < count; i++)
    for (int k = 0; k < TIMES; k++) size[i] = fmax(size[i], fabs(list[i].value[k]));
  for (int k = 0; k < TIMES; k++) {
    if (!CHECK(hn_advance(r.sim, when[k]) == HN_OK)) printf("  %s\n", hn_sim_error(r.sim));
    for (int i = 0; i < count; i++) {
      double off = fabs(read_quantity(&r, list[i].name) - list[i].value[k]) / size[i];
      if (!(off <= error[i])) error[i] = off;
    }
  }
  for (int i = 0; i < count; i++)
    if (!CHECK(error[i] < tolerance))
      printf("  %s, %s: %.2e, steps %ld\n", integrator, list[i].name, error[i], r.sim->count.steps);
  hn_energy e;
  CHECK(hn_sim_energy(r.sim, &e) == HN_OK);
  if (!CHECK(fabs(e.balance) <= fmax(1e-8, 10 * tolerance) * e.scale))
    printf("  energy %g of %g\n", e.balance, e.scale);
  run_free(&r);
}

static const char processes_text[] =
    "bodies:\n"
    "  mass: {type: planar, mass: 1, inertia: 1}\n"
    "signals:\n"
    "  u: sin(3*t) + 0.4*t\n"
    "states:\n"
    "  lag: {type: lag, input: u, gain: 2, time: 0.3, start: 0.7}\n"
    "  transfer: {type: transfer-function, input: u, numerator: [2, 3, 5], denominator: [0.1, 1, "
    "4, "
    "8]}\n"
    "  proper: {type: transfer-function, input: u, numerator: [1, 2], denominator: [0.5, 1]}\n"
    "  space: {type: state-space, input: u, A: [[-1, 2], [-3, -0.5]], B: [1, 0.25], C: [0.3, -2], "
    "D: "
    "0.7, initial: [0.1, -0.2]}\n"
    "  pid: {type: pid, input: u, kp: 1.5, ki: 4, kd: 0.2, filter: 0.05, tracking: 0.2, low: -1, "
    "high: 1.2}\n"
    "  sat: {type: saturation, input: u, gain: 1.5, low: -0.2, high: 0.6}\n"
    "  dead: {type: dead-band, input: u, low: -0.2, high: 0.6}\n"
    "  play: {type: backlash, input: u, width: 0.3, time: 0.01}\n"
    "  relay: {type: relay, input: u - 0.7, width: 0.5, time: 0.01, low: -2, high: 3}\n"
    "  slow: {type: rate-limiter, input: u, rising: 1, falling: 0.8, time: 0.01}\n";

static const reference processes_reference[] = {
    {"lag", {1.55723317457552, 1.76946708856719, 0.102521796280555, 0.0988499931621579}},
    {"transfer", {1.51471510223711, -0.474138854480001, -0.944564264846803, 1.4110212828188}},
    {"proper", {2.39498997320811, 1.08224001611973, -0.755060235330194, 1.04116900360215}},
    {"space", {1.32927793235748, 1.31371178124207, 0.403959238346474, 0.0607533715435027}},
    {"pid", {1.2, 1.17511239298514, 0.116975520209074, 1.2}},
    {"pid_integral", {0.0959419893582072, 0.851935753648563, 0.813006824089008, 0.444377526747892}},
    {"sat", {0.9, 0.811680012089801, -0.3, 0.780876752701611}},
    {"dead", {0.597494986604055, 0, -0.177530117665097, 0}},
    {"play", {1.04047784049758, 0.71666618111021, -0.224332944032545, 0.338056542326662}},
    {"relay", {2.99999991303997, 3, -2, -2}},
    {"slow", {0.498359345193837, 0.757556721727334, 0.357556721727334, 0.222343045125904}},
};
enum { PROCESSES = sizeof processes_reference / sizeof *processes_reference };

static void processes(void) {
  follow(processes_text, "dop853", 1e-12, processes_reference, PROCESSES, 1e-8);
  follow(processes_text, "dopri5", 1e-11, processes_reference, PROCESSES, 1e-8);
  follow(processes_text, "abm", 1e-12, processes_reference, PROCESSES, 1e-8);
  follow(processes_text, "index2-alpha", 1e-5, processes_reference, PROCESSES, 2e-3);
}

static const char motor_text[] =
    "bodies:\n"
    "  rotor: {type: planar, mass: 1, inertia: 0.02}\n"
    "joints:\n"
    "  hinge: {type: revolute, b: rotor, at: [0, 0]}\n"
    "forces:\n"
    "  drive: {type: dc-motor, joint: hinge, voltage: 12*(sin(3*t) + 0.4*t), resistance: 1.2, "
    "inductance: 0.015, constant: 0.6}\n"
    "  load: {type: motor, joint: hinge, law: -0.3*rate - 2*sin(angle)}\n";

static const reference motor_reference[] = {
    {"angle", {2.32499928071312, 7.55956397457603, 6.43770618240759, 6.22929922291783}},
    {"drive_current", {7.6180453828507, 3.84726037665354, -1.43174617741876, 2.67823552377364}},
};

static void dc_motor(void) {
  follow(motor_text, "dop853", 1e-12, motor_reference, 2, 1e-8);
  follow(motor_text, "index3-alpha", 1e-6, motor_reference, 2, 1e-3);
  follow(motor_text, "index1-bdf", 1e-10, motor_reference, 2, 1e-7);
  follow(motor_text, "index2-bdf", 1e-10, motor_reference, 2, 1e-7);
}

static const char cylinder_text[] =
    "bodies:\n"
    "  load: {type: planar, mass: 200, inertia: 1}\n"
    "joints:\n"
    "  hinge: {type: prismatic, b: load, axis: [1, 0]}\n"
    "forces:\n"
    "  jack: {type: hydraulic-cylinder, joint: hinge, valve: 0.5*sin(4*t + 0.3), areas: [2e-3, "
    "1.2e-3], "
    "volumes: [4e-4, 5e-4], bulk_modulus: 1.2e9, supply: 1.4e7, tank: 1e5, flow: 2e-7, leakage: "
    "1e-13, "
    "pressures: [3e6, 5e6]}\n"
    "  rest: {type: motor, joint: hinge, law: -4e4*value - 300*rate}\n";

static const reference cylinder_reference[] = {
    {"x", {0.0667148873912742, 0.0587587290393006, 0.0113770394522628, 0.0700235590959001}},
    {"jack_pa", {3605714.56505816, 7861449.05971313, 7142091.19948249, 3675098.40839672}},
    {"jack_pb", {3828734.48905199, 11209996.4540988, 11422057.4767359, 3803545.339451}},
};

static void cylinder(void) {
  follow(cylinder_text, "dop853", 1e-12, cylinder_reference, 3, 1e-8);
  follow(cylinder_text, "dopri5", 1e-11, cylinder_reference, 3, 1e-8);
  follow(cylinder_text, "index2-alpha", 1e-6, cylinder_reference, 3, 1e-4);
  // stiff: states are in Newton's iteration
  follow(cylinder_text, "index1-bdf", 1e-10, cylinder_reference, 3, 1e-7);
  follow(cylinder_text, "index2-bdf", 1e-10, cylinder_reference, 3, 1e-7);
  follow(cylinder_text, "index3-bdf", 1e-9, cylinder_reference, 3, 1e-6);
}

// without inductance the current follows at once: k u / R - k^2 w / R against the rotor
static void no_inductance(void) {
  static const char text[] = "bodies:\n"
                             "  rotor: {type: planar, mass: 1, inertia: 0.02}\n"
                             "joints:\n"
                             "  hinge: {type: revolute, b: rotor, at: [0, 0]}\n"
                             "forces:\n"
                             "  drive: {type: dc-motor, joint: hinge, voltage: 6, resistance: 1.2, "
                             "constant: 0.6}\n";
  run r;
  double w, decay = 0.36 / 1.2 / 0.02;
  if (CHECK(start(&r, text, "dop853", 1e-12)) && CHECK(hn_advance(r.sim, 0.2) == HN_OK) &&
      CHECK(!hn_joint_coordinate(r.sim, hn_find_joint(r.system, "hinge"), NULL, NULL, &w)))
    CHECK_NEAR(w, 10 * (1 - exp(-decay * 0.2)), 1e-10);
  run_free(&r);
}

// what enters a part gets its name
static void in_parts(void) {
  static const char text[] =
      "parts:\n"
      "  drive:\n"
      "    bodies:\n"
      "      rotor: {type: planar, mass: 1, inertia: 0.02}\n"
      "    joints:\n"
      "      hinge: {type: revolute, b: rotor, at: [0, 0]}\n"
      "    forces:\n"
      "      feed: {type: dc-motor, joint: hinge, voltage: 6, resistance: 1.2, inductance: 0.01, "
      "constant: 0.6}\n"
      "use:\n"
      "  left: {part: drive}\n"
      "  right: {part: drive}\n";
  run r;
  if (CHECK(start(&r, text, "dop853", 1e-8))) {
    CHECK(hn_state_find(r.system, "left_feed_current") >= 0);
    CHECK(hn_state_find(r.system, "right_feed_current") >= 0);
  }
  run_free(&r);
}

static void refused(void) {
  static const char plain[] = "bodies:\n"
                              "  a: {type: planar, mass: 1, inertia: 1}\n"
                              "joints:\n"
                              "  g: {type: prismatic, b: a, axis: [1, 0]}\n"
                              "  far: {type: prismatic, b: a, axis: [1, 0], value: 2}\n";
  static const refusal cases[] = {
      {"states:\n  x: {type: lagg, input: t, time: 1}\n",
       "no state type 'lagg' (did you mean 'lag'?)"},
      {"states:\n  x: {type: lag, input: t}\n", "lag needs 'time'"},
      {"states:\n  x: {type: lag, input: t, time: -1}\n", "time must be positive"},
      {"states:\n  x: {type: lag, input: t, time: 1, gain: 0}\n", "gain must not be zero"},
      {"states:\n  x: {type: lag, input: t, time: 1, kp: 2}\n", "lag has no 'kp'"},
      {"states:\n  x: {type: lag, input: y, time: 1}\n", "state 'x': rate, column"},
      {"states:\n  x: {type: pid, input: t, kd: 2}\n", "kd needs a filter"},
      {"states:\n  x: {type: pid, input: t, kp: 2, low: 2, high: 1}\n", "low must be below high"},
      {"states:\n  x: {type: saturation, input: t, low: 2}\n", "saturation needs 'high'"},
      {"states:\n  x: {type: transfer-function, input: t, numerator: [1, 2, 3], denominator: [1, "
       "1]}\n",
       "degree of the numerator"},
      {"states:\n  x: {type: state-space, input: t, A: [[1, 2], [3, 4]], B: [1], C: [1]}\n",
       "A needs the square"},
      {"forces:\n  m: {type: dc-motor, joint: g, voltage: 1, resistance: 0, constant: 1}\n",
       "resistance must be positive"},
      {"forces:\n  m: {type: dc-motor, joint: g, resistance: 1, constant: 1}\n", "voltage"},
      {"forces:\n  m: {type: hydraulic-cylinder, joint: g, valve: 1, areas: [1, 0], volumes: [1, "
       "1], "
       "bulk_modulus: 1e9, supply: 1e7, flow: 1}\n",
       "must be positive, two numbers each"},
      {"forces:\n  m: {type: hydraulic-cylinder, joint: far, valve: 1, areas: [1, 0.5], volumes: "
       "[1, "
       "1], bulk_modulus: 1e9, supply: 1e7, flow: 1}\n",
       "chamber b has no volume"},
  };
  run_refused(plain, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  RUN(processes);
  RUN(dc_motor);
  RUN(cylinder);
  RUN(no_inductance);
  RUN(in_parts);
  RUN(refused);
  return test_end();
}
