// simbody.cpp: Simbody, a tree of pin joints in relative coordinates; loops are closed by
// constraints on accelerations, with projection onto the constraints after steps.
//
// The series are its integrators with error control; the setting is the accuracy asked for.
#include "peer.hpp"

#include <Simbody.h>

namespace {

SimTK::Vec3 to(const vec3 &a) {
  return SimTK::Vec3(a[0], a[1], a[2]);
}
vec3 from(const SimTK::Vec3 &a) {
  return {a[0], a[1], a[2]};
}

class driver : public peer {
public:
  driver(std::string kind, double accuracy) : kind(std::move(kind)), accuracy(accuracy) {
  }

  void build(const problem &problem) override {
    p = &problem;
    if (norm(p->gravity) > 0) SimTK::Force::UniformGravity(forces, matter, to(p->gravity));
    index.resize(p->bodies.size());
    for (const joint &j : p->joints)
      if (!j.closure) pin(j);
    for (const joint &j : p->joints)
      if (j.closure) close(j);
    for (const spring &s : p->springs)
      SimTK::Force::TwoPointLinearSpring(forces, mobod(s.a), to(s.at - p->centre(s.a)),
                                         matter.updGround(), to(s.ground), s.stiffness, s.length);
    if (p->driven >= 0)
      SimTK::Force::ConstantTorque(forces, mobod(p->driven), SimTK::Vec3(0, 0, p->torque));
    start = system.realizeTopology();
    for (const joint &j : p->joints)
      if (!j.closure) mobod(j.b).setOneU(start, 0, p->rate(j));
    make_integrator();
    integrator->setAccuracy(accuracy);
    integrator->setFinalTime(p->duration);
    integrator->initialize(start);
  }

  double run(monitor *m, watch &limit, long &steps) override {
    integrator->setReturnEveryInternalStep(m);
    show(m, 0);
    while (integrator->getTime() < p->duration * (1 - 1e-12) && !limit.over()) {
      integrator->stepTo(p->duration);
      show(m, integrator->getTime());
    }
    steps = integrator->getNumStepsTaken();
    return integrator->getTime();
  }

  void read(std::vector<state> &bodies) override {
    const SimTK::State &s = integrator->getState();
    system.realize(s, SimTK::Stage::Velocity);
    for (size_t i = 0; i < bodies.size(); i++) {
      const SimTK::MobilizedBody &b = matter.getMobilizedBody(index[i]);
      SimTK::Quaternion q = b.getBodyRotation(s).convertRotationToQuaternion();
      bodies[i] = {from(b.getBodyOriginLocation(s)),
                   {q[0], q[1], q[2], q[3]},
                   from(b.getBodyOriginVelocity(s)),
                   from(b.getBodyAngularVelocity(s))};
    }
  }

private:
  SimTK::MobilizedBody &mobod(int b) {
    if (b < 0) return matter.updGround();
    return matter.updMobilizedBody(index[b]);
  }

  void pin(const joint &j) {
    const body &b = p->bodies[j.b];
    SimTK::Body::Rigid rigid(
        SimTK::MassProperties(b.mass, SimTK::Vec3(0), SimTK::Inertia(to(b.inertia))));
    // pins turn about z of their frames
    SimTK::Rotation R(SimTK::UnitVec3(to(j.axis)), SimTK::ZAxis);
    SimTK::MobilizedBody::Pin hinge(mobod(j.a), SimTK::Transform(R, to(j.at - p->centre(j.a))),
                                    rigid, SimTK::Transform(R, to(j.at - p->centre(j.b))));
    index[j.b] = hinge.getMobilizedBodyIndex();
  }

  void close(const joint &j) {
    SimTK::Vec3 a = to(j.at - p->centre(j.a)), b = to(j.at - p->centre(j.b));
    if (p->planar) {
      // two rows, none of them redundant
      SimTK::Constraint::PointInPlane(mobod(j.a), SimTK::UnitVec3(1, 0, 0), a[0], mobod(j.b), b);
      SimTK::Constraint::PointInPlane(mobod(j.a), SimTK::UnitVec3(0, 1, 0), a[1], mobod(j.b), b);
      return;
    }
    SimTK::Rotation R(SimTK::UnitVec3(to(j.axis)), SimTK::ZAxis);
    SimTK::Constraint::Ball(mobod(j.a), a, mobod(j.b), b);
    SimTK::Constraint::ConstantAngle(mobod(j.a), R.z(), mobod(j.b), R.x(), SimTK::Pi / 2);
    SimTK::Constraint::ConstantAngle(mobod(j.a), R.z(), mobod(j.b), R.y(), SimTK::Pi / 2);
  }

  void make_integrator() {
    if (kind == "Merson")
      integrator = std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system);
    else if (kind == "Feldberg")
      integrator = std::make_unique<SimTK::RungeKuttaFeldbergIntegrator>(system);
    else
      integrator = std::make_unique<SimTK::CPodesIntegrator>(system);
  }

  std::string kind;
  double accuracy;
  const problem *p = nullptr;
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  SimTK::State start;
  std::vector<SimTK::MobilizedBodyIndex> index;
  std::unique_ptr<SimTK::Integrator> integrator;
};

std::vector<series> plan_of(const problem &) {
  std::vector<series> all;
  for (const char *kind : {"Merson", "Feldberg", "CPodes"})
    all.push_back({kind, finer_tolerances(1e-2, 1e-11, 2),
                   [=](double s) { return std::make_unique<driver>(kind, s); }});
  return all;
}

}  // namespace

int main(int argc, char **argv) {
  return harness("Simbody", argc, argv).main(plan_of);
}
