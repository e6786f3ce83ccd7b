// beam_simbody.cpp: a beam that swings (beam_problem.hpp) by Simbody: nodes are planar bodies, all
// elements one custom force, exactly holon's. Runge-Kutta-Merson, and BDF of CPODES.
//
// usage: beam_simbody [10] [40]       numbers of elements
#include "beam_problem.hpp"

#include <Simbody.h>

#include <cstdlib>
#include <ctime>
#include <memory>

using namespace SimTK;

namespace {

struct elements : Force::Custom::Implementation {
  const beam_problem &p;
  std::vector<MobilizedBody> node;
  mutable std::vector<double> q, v, f;

  explicit elements(const beam_problem &problem)
      : p(problem), q(3 * (p.n + 1)), v(q.size()), f(q.size()) {
  }

  void calcForce(const State &state, Vector_<SpatialVec> &on_bodies, Vector_<Vec3> &,
                 Vector &) const override {
    for (int k = 0; k <= p.n; k++) {
      const Transform &X = node[k].getBodyTransform(state);
      const SpatialVec &V = node[k].getBodyVelocity(state);
      q[3 * k] = X.p()[0], q[3 * k + 1] = X.p()[1];
      q[3 * k + 2] = std::atan2(X.R()[1][0], X.R()[0][0]);
      if (k > 0) q[3 * k + 2] -= 2 * Pi * std::round((q[3 * k + 2] - q[3 * k - 1]) / (2 * Pi));
      v[3 * k] = V[1][0], v[3 * k + 1] = V[1][1], v[3 * k + 2] = V[0][2];
    }
    p.forces(q.data(), v.data(), f.data());
    for (int k = 0; k <= p.n; k++)
      on_bodies[node[k].getMobilizedBodyIndex()] +=
          SpatialVec(Vec3(0, 0, f[3 * k + 2]), Vec3(f[3 * k], f[3 * k + 1], 0));
  }
  Real calcPotentialEnergy(const State &) const override {
    return 0;
  }
};

void run(const beam_problem &p, bool bdf, double accuracy) {
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  Force::Gravity gravity(forces, matter, Vec3(0, -p.gravity, 0));
  auto *law = new elements(p);
  for (int k = 0; k <= p.n; k++) {
    double Jz = p.J[k] + p.m[k] * p.c[k] * p.c[k];
    Body::Rigid body(MassProperties(p.m[k], Vec3(p.c[k], 0, 0), Inertia(Jz, Jz, Jz)));
    if (k == 0)
      law->node.push_back(MobilizedBody::Pin(matter.Ground(), body));
    else
      law->node.push_back(MobilizedBody::Planar(matter.Ground(), body));
  }
  Force::Custom all(forces, law);
  State state = system.realizeTopology();
  for (int k = 1; k <= p.n; k++) law->node[k].setOneQ(state, 1, p.length * k / p.n);
  std::unique_ptr<Integrator> integrator;
  if (bdf)
    integrator.reset(new CPodesIntegrator(system, CPodes::BDF, CPodes::Newton));
  else
    integrator.reset(new RungeKuttaMersonIntegrator(system));
  integrator->setAccuracy(accuracy);
  integrator->setFinalTime(p.duration);
  integrator->setInternalStepLimit(100000000);
  double start = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  integrator->initialize(state);
  while (integrator->getTime() < p.duration * (1 - 1e-13)) integrator->stepTo(p.duration);
  double seconds = static_cast<double>(std::clock()) / CLOCKS_PER_SEC - start;
  Vec3 end = law->node[p.n].getBodyOriginLocation(integrator->getState());
  std::printf("| %d | Simbody, %s | %.0e | %.1e | %d | %.2f |\n", p.n,
              bdf ? "CPODES BDF" : "Runge-Kutta-Merson", accuracy, p.error(end[0], end[1]),
              integrator->getNumStepsTaken(), 1e3 * seconds);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char **argv) {
  std::vector<int> all;
  for (int i = 1; i < argc; i++) all.push_back(std::atoi(argv[i]));
  if (all.empty()) all = {10, 40};
  for (int elements : all) {
    beam_problem p(elements);
    for (double accuracy : {1e-4, 1e-6, 1e-8}) run(p, false, accuracy);
    for (double accuracy : {1e-4, 1e-6, 1e-8}) run(p, true, accuracy);
  }
  return 0;
}
