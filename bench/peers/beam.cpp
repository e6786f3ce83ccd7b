// beam.cpp: a beam that swings (beam_problem.hpp), by holon and by what a competent programmer
// writes by hand with SUNDIALS: the same equations, IDA with a banded matrix.
//
// usage: beam [ELEMENTS...]       error of the tip's place at the end [m], against holon's dop853
// at
//                                 rtol 1e-12; processor time of the run
#include "beam_problem.hpp"

#include <holon/holon.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunmatrix/sunmatrix_band.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>

namespace {

struct answer {
  double x, y, seconds;
  long steps;
};

double now() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// ---- holon -----------------------------------------------------------------------------------

void check(hn_status status, const char *message) {
  if (status) throw std::runtime_error(message);
}

answer by_holon(const beam_problem &p, const char *method, double rtol, double step) {
  char message[512] = "";
  std::string text = p.model(method, rtol, step);
  hn_model *model = hn_model_create();
  hn_system *system = nullptr;
  hn_sim *sim = nullptr;
  hn_pose pose;
  hn_summary summary;
  check(hn_model_parse(model, text.data(), text.size(), "beam"), hn_model_error(model));
  check(hn_compile(&system, model), hn_model_error(model));
  check(hn_sim_create(&sim, system, hn_model_options(model), message, sizeof message), message);
  double start = now();
  check(hn_advance(sim, p.duration), hn_sim_error(sim));
  double seconds = now() - start;
  check(hn_body_pose(sim, hn_find_body(system, "arm.end"), &pose), "pose");
  hn_sim_summary(sim, &summary);
  answer a = {pose.position[0], pose.position[1], seconds, summary.steps};
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  hn_model_destroy(model);
  return a;
}

// ---- SUNDIALS --------------------------------------------------------------------------------

// y: (x, y, theta, x', y', theta') node by node
struct by_hand {
  const beam_problem &p;
  std::vector<double> q, v, a, f;

  explicit by_hand(const beam_problem &problem)
      : p(problem), q(3 * (p.n + 1)), v(q.size()), a(q.size()), f(q.size()) {
  }

  static int residual(double, N_Vector state, N_Vector rate, N_Vector out, void *user) {
    by_hand &s = *static_cast<by_hand *>(user);
    const double *y = N_VGetArrayPointer(state), *d = N_VGetArrayPointer(rate);
    double *r = N_VGetArrayPointer(out);
    for (int k = 0; k <= s.p.n; k++)
      for (int i = 0; i < 3; i++) s.q[3 * k + i] = y[6 * k + i], s.v[3 * k + i] = y[6 * k + 3 + i];
    s.p.accelerate(s.q.data(), s.v.data(), s.a.data(), s.f.data());
    for (int k = 0; k <= s.p.n; k++)
      for (int i = 0; i < 3; i++) {
        r[6 * k + i] = d[6 * k + i] - y[6 * k + 3 + i];
        r[6 * k + 3 + i] = d[6 * k + 3 + i] - s.a[3 * k + i];
      }
    return 0;
  }
};

answer by_ida(const beam_problem &p, double rtol) {
  by_hand s(p);
  SUNContext context;
  SUNContext_Create(nullptr, &context);
  int size = 6 * (p.n + 1);
  N_Vector y = N_VNew_Serial(size, context), d = N_VNew_Serial(size, context);
  N_VConst(0, y), N_VConst(0, d);
  for (int k = 0; k <= p.n; k++) N_VGetArrayPointer(y)[6 * k] = p.length * k / p.n;
  N_Vector r = N_VNew_Serial(size, context);
  by_hand::residual(0, y, d, r, &s);
  N_VScale(-1, r, d);
  void *memory = IDACreate(context);
  IDAInit(memory, by_hand::residual, 0, y, d);
  IDASStolerances(memory, rtol, 0.01 * rtol);
  IDASetUserData(memory, &s);
  SUNMatrix A = SUNBandMatrix(size, 11, 11, context);
  SUNLinearSolver linear = SUNLinSol_Band(y, A, context);
  IDASetLinearSolver(memory, linear, A);
  IDASetMaxNumSteps(memory, 100000000);
  IDASetStopTime(memory, p.duration);
  double start = now(), t = 0;
  int flag = IDASolve(memory, p.duration, &t, y, d, IDA_NORMAL);
  double seconds = now() - start;
  if (flag < 0) throw std::runtime_error("IDA returned " + std::to_string(flag));
  long steps = 0;
  IDAGetNumSteps(memory, &steps);
  const double *end = N_VGetArrayPointer(y) + 6 * p.n;
  answer a = {end[0], end[1], seconds, steps};
  IDAFree(&memory);
  SUNLinSolFree(linear);
  SUNMatDestroy(A);
  N_VDestroy(y), N_VDestroy(d), N_VDestroy(r);
  SUNContext_Free(&context);
  return a;
}

// ---- table -----------------------------------------------------------------------------------

void row(int elements, const char *name, double setting, const answer &a, const answer &exact) {
  std::printf("| %d | %s | %.0e | %.1e | %ld | %.2f |\n", elements, name, setting,
              std::hypot(a.x - exact.x, a.y - exact.y), a.steps, 1e3 * a.seconds);
  std::fflush(stdout);
}

void compare(int elements) {
  beam_problem p(elements);
  answer exact = by_holon(p, "explicit", 1e-12, 0);
  for (double rtol : {1e-3, 1e-5, 1e-7, 1e-9})
    row(elements, "SUNDIALS IDA by hand, band", rtol, by_ida(p, rtol), exact);
  for (double rtol : {1e-3, 1e-5, 1e-7, 1e-9})
    row(elements, "holon, index2-bdf", rtol, by_holon(p, "index2-bdf", rtol, 0), exact);
  for (double step : {4e-3, 1e-3, 2.5e-4})
    row(elements, "holon, index3-alpha, steps", step, by_holon(p, "index3-alpha", 1e-8, step),
        exact);
  row(elements, "holon, explicit", 1e-6, by_holon(p, "explicit", 1e-6, 0), exact);
}

}  // namespace

int main(int argc, char **argv) {
  std::vector<int> all;
  for (int i = 1; i < argc; i++) all.push_back(std::atoi(argv[i]));
  if (all.empty()) all = {10, 40};
  std::printf("| elements | by | rtol, step | error [m] | steps | time [ms] "
              "|\n|---|---|---|---|---|---|\n");
  try {
    for (int elements : all) compare(elements);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "beam: %s\n", e.what());
    return 1;
  }
  return 0;
}
