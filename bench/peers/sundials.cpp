// sundials.cpp: what a competent programmer writes by hand with SUNDIALS. Planar problems only.
//
//   ARKODE   explicit Runge-Kutta on accelerations, projection after every step
//   CVODE    BDF on accelerations with its projection, fixed-point iteration
//   IDA      BDF on the stabilised equations of index 2 (Gear, Gupta, Leimkuhler)
//              q' = v - J^T mu,  M v' = f - J^T lambda,  Phi(q) = 0,  J v = 0
//            with analytic Jacobian, dense or by KLU
//
// The setting is the relative tolerance; the absolute one is a hundredth of it.
#include "peer.hpp"
#include "planar.hpp"

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

namespace {

const long most_steps = 10000000;

void check(int flag, const char *what) {
  if (flag < 0) throw std::runtime_error(std::string(what) + " returned " + std::to_string(flag));
}
double *array(N_Vector v) {
  return N_VGetArrayPointer(v);
}

// what the three have in common
class driver : public peer {
public:
  explicit driver(double rtol) : rtol(rtol) {
    SUNContext_Create(nullptr, &context);
  }
  ~driver() override {
    if (y) N_VDestroy(y);
    SUNContext_Free(&context);
  }

  void build(const problem &p) override {
    if (!p.planar) throw std::runtime_error("planar problems only");
    system = std::make_unique<planar_system>(p);
    y = N_VNew_Serial(size(), context);
    N_VConst(0, y);
    system->initial(array(y), array(y) + system->n);
    system->project(array(y), array(y) + system->n, 1e-14);
    create();
  }

  double run(monitor *m, watch &limit, long &steps) override {
    double t = 0, end = system->p.duration;
    show(m, 0);
    while (t < end * (1 - 1e-13) && !limit.over()) {
      check(step(end, &t), "step");
      show(m, t);
    }
    steps = step_count();
    return t;
  }

  void read(std::vector<state> &bodies) override {
    const double *q = array(y), *v = q + system->n;
    for (size_t i = 0; i < bodies.size(); i++, q += 3, v += 3)
      bodies[i] = {{q[0], q[1], 0},
                   {std::cos(q[2] / 2), 0, 0, std::sin(q[2] / 2)},
                   {v[0], v[1], 0},
                   {0, 0, v[2]}};
  }

protected:
  virtual int size() const {
    return 2 * system->n;
  }
  virtual void create() = 0;
  virtual int step(double end, double *t) = 0;
  virtual long step_count() = 0;

  static int rate(double, N_Vector state, N_Vector out, void *user) {
    planar_system &s = *static_cast<driver *>(user)->system;
    const double *x = array(state);
    double *d = array(out);
    std::copy(x + s.n, x + 2 * s.n, d);
    s.accelerate(x, x + s.n, d + s.n);
    return 0;
  }

  double rtol;
  double atol() const {
    return 0.01 * rtol;
  }
  SUNContext context = nullptr;
  N_Vector y = nullptr;
  std::unique_ptr<planar_system> system;
};

// ---- explicit Runge-Kutta --------------------------------------------------------------------

class arkode : public driver {
public:
  arkode(ARKODE_ERKTableID table, double rtol) : driver(rtol), table(table) {
  }
  ~arkode() override {
    if (memory) ERKStepFree(&memory);
  }

protected:
  void create() override {
    memory = ERKStepCreate(rate, 0, y, context);
    check(ERKStepSStolerances(memory, rtol, atol()), "tolerances");
    ERKStepSetUserData(memory, this);
    check(ERKStepSetTableNum(memory, table), "table");
    ERKStepSetMaxNumSteps(memory, most_steps);
    ERKStepSetPostprocessStepFn(memory, correct);
    ERKStepSetStopTime(memory, system->p.duration);
  }
  int step(double end, double *t) override {
    return ERKStepEvolve(memory, end, y, t, ARK_ONE_STEP);
  }
  long step_count() override {
    long count = 0;
    ERKStepGetNumSteps(memory, &count);
    return count;
  }

private:
  static int correct(double, N_Vector state, void *user) {
    planar_system &s = *static_cast<arkode *>(user)->system;
    s.project(array(state), array(state) + s.n, 1e-10);
    return 0;
  }

  ARKODE_ERKTableID table;
  void *memory = nullptr;
};

// ---- BDF with projection ---------------------------------------------------------------------

class cvode : public driver {
public:
  using driver::driver;
  ~cvode() override {
    if (memory) CVodeFree(&memory);
    if (iteration) SUNNonlinSolFree(iteration);
  }

protected:
  void create() override {
    memory = CVodeCreate(CV_BDF, context);
    check(CVodeInit(memory, rate, 0, y), "CVodeInit");
    check(CVodeSStolerances(memory, rtol, atol()), "tolerances");
    CVodeSetUserData(memory, this);
    iteration = SUNNonlinSol_FixedPoint(y, 0, context);
    check(CVodeSetNonlinearSolver(memory, iteration), "nonlinear solver");
    CVodeSetMaxNumSteps(memory, most_steps);
    check(CVodeSetProjFn(memory, correct), "projection");
    CVodeSetProjFrequency(memory, 1);
    CVodeSetStopTime(memory, system->p.duration);
  }
  int step(double end, double *t) override {
    return CVode(memory, end, y, t, CV_ONE_STEP);
  }
  long step_count() override {
    long count = 0;
    CVodeGetNumSteps(memory, &count);
    return count;
  }

private:
  static int correct(double, N_Vector state, N_Vector change, double, N_Vector, void *user) {
    cvode &self = *static_cast<cvode *>(user);
    planar_system &s = *self.system;
    const double *x = array(state);
    double *d = array(change);
    self.moved.assign(x, x + 2 * s.n);
    s.project(self.moved.data(), self.moved.data() + s.n, 1e-10);
    for (int i = 0; i < 2 * s.n; i++) d[i] = self.moved[i] - x[i];
    return 0;
  }

  void *memory = nullptr;
  SUNNonlinearSolver iteration = nullptr;
  std::vector<double> moved;
};

// ---- the stabilised equations ----------------------------------------------------------------

class ida : public driver {
public:
  using driver::driver;
  ~ida() override {
    if (memory) IDAFree(&memory);
    if (solver) SUNLinSolFree(solver);
    if (matrix) SUNMatDestroy(matrix);
    if (rates) N_VDestroy(rates);
  }

protected:
  int size() const override {
    return 2 * system->n + 2 * system->rows;
  }

  void create() override {
    int n = system->n, total = size();
    rates = N_VNew_Serial(total, context);
    N_VConst(0, rates);
    double *x = array(y), *d = array(rates);
    system->accelerate(x, x + n, d + n);
    std::copy(x + n, x + 2 * n, d);
    for (int i = 0; i < system->rows; i++) x[2 * n + i] = -system->lambda[i];
    memory = IDACreate(context);
    check(IDAInit(memory, residual, 0, y, rates), "IDAInit");
    N_Vector other = N_VNew_Serial(total, context);
    // multipliers follow; they do not steer the step
    for (int i = 0; i < total; i++) array(other)[i] = i < 2 * n ? atol() : 1;
    check(IDASVtolerances(memory, rtol, other), "tolerances");
    for (int i = 0; i < total; i++) array(other)[i] = i < 2 * n;
    IDASetId(memory, other);
    N_VDestroy(other);
    IDASetSuppressAlg(memory, SUNTRUE);
    IDASetInitStep(memory, 1e-5 * system->p.duration);
    IDASetUserData(memory, this);
    IDASetMaxNumSteps(memory, most_steps);
    make_solver();
    IDASetStopTime(memory, system->p.duration);
  }
  int step(double end, double *t) override {
    return IDASolve(memory, end, t, y, rates, IDA_ONE_STEP);
  }
  long step_count() override {
    long count = 0;
    IDAGetNumSteps(memory, &count);
    return count;
  }

private:
  void make_solver() {
    int total = size();
    if (total <= 150) {
      matrix = SUNDenseMatrix(total, total, context);
      solver = SUNLinSol_Dense(y, matrix, context);
    } else {
      find_pattern();
      matrix = SUNSparseMatrix(total, total, sunindextype(row_of.size()), CSC_MAT, context);
      solver = SUNLinSol_KLU(y, matrix, context);
    }
    check(IDASetLinearSolver(memory, solver, matrix), "linear solver");
    check(IDASetJacFn(memory, total <= 150 ? jacobian_dense : jacobian_sparse), "Jacobian");
  }

  static int residual(double, N_Vector state, N_Vector rate, N_Vector out, void *user) {
    planar_system &s = *static_cast<ida *>(user)->system;
    const double *x = array(state), *d = array(rate);
    double *r = array(out);
    int n = s.n;
    s.place(x);
    s.forces(x, s.force.data());
    for (int i = 0; i < n; i++) {
      r[i] = d[i] - x[n + i];
      r[n + i] = d[n + i] / s.inverse[i] - s.force[i];
    }
    s.transpose_times(x + 2 * n, 1, r + n);
    s.transpose_times(x + 2 * n + s.rows, 1, r);
    s.constraints(x, r + 2 * n);
    s.times(x + n, r + 2 * n + s.rows);
    return 0;
  }

  static int jacobian_dense(double, double cj, N_Vector state, N_Vector, N_Vector, SUNMatrix J,
                            void *user, N_Vector, N_Vector, N_Vector) {
    double **column = SUNDenseMatrix_Cols(J);
    static_cast<ida *>(user)->system->jacobian(
        array(state), cj, [column](int r, int c, double x) { column[c][r] += x; });
    return 0;
  }

  // entries always come in the same order, so each finds its place once and for all
  void find_pattern() {
    std::vector<std::pair<int, int>> entries;  // column, row
    system->jacobian(array(y), 1, [&](int r, int c, double) { entries.push_back({c, r}); });
    std::map<std::pair<int, int>, size_t> slots;
    for (auto &e : entries) slots[e] = 0;
    column_start.assign(size_t(size()) + 1, 0);
    for (auto &s : slots) {
      s.second = row_of.size();
      row_of.push_back(s.first.second);
      column_start[size_t(s.first.first) + 1]++;
    }
    for (size_t c = 1; c < column_start.size(); c++) column_start[c] += column_start[c - 1];
    for (auto &e : entries) slot.push_back(slots[e]);
  }

  static int jacobian_sparse(double, double cj, N_Vector state, N_Vector, N_Vector, SUNMatrix J,
                             void *user, N_Vector, N_Vector, N_Vector) {
    ida &self = *static_cast<ida *>(user);
    double *data = SM_DATA_S(J);
    std::copy(self.column_start.begin(), self.column_start.end(), SM_INDEXPTRS_S(J));
    std::copy(self.row_of.begin(), self.row_of.end(), SM_INDEXVALS_S(J));
    std::fill(data, data + self.row_of.size(), 0.0);
    const size_t *slot = self.slot.data();
    self.system->jacobian(array(state), cj, [&](int, int, double x) { data[*slot++] += x; });
    return 0;
  }

  void *memory = nullptr;
  N_Vector rates = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver solver = nullptr;
  std::vector<sunindextype> column_start, row_of;
  std::vector<size_t> slot;
};

std::vector<series> plan_of(const problem &p) {
  if (!p.planar) return {};
  std::vector<double> tolerances = finer_tolerances(1e-3, 1e-12, 2);
  return {
      {"ARKODE, order 5", tolerances,
       [](double s) { return std::make_unique<arkode>(ARKODE_DORMAND_PRINCE_7_4_5, s); }},
      {"ARKODE, order 8", tolerances,
       [](double s) { return std::make_unique<arkode>(ARKODE_FEHLBERG_13_7_8, s); }},
      {"CVODE", tolerances, [](double s) { return std::make_unique<cvode>(s); }},
      {"IDA", tolerances, [](double s) { return std::make_unique<ida>(s); }},
  };
}

}  // namespace

int main(int argc, char **argv) {
  return harness("SUNDIALS by hand", argc, argv).main(plan_of);
}
