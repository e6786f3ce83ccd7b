// ode.cpp: Open Dynamics Engine, every body with all its coordinates, hinges, the direct solver
// (dWorldStep). First order in the step.
#include "peer.hpp"

#include <ode/ode.h>

namespace {

class driver : public peer {
public:
  explicit driver(double step) : step(step) {
  }
  ~driver() override {
    if (world) dWorldDestroy(world);
  }

  void build(const problem &problem) override {
    p = &problem;
    world = dWorldCreate();
    dWorldSetGravity(world, p->gravity[0], p->gravity[1], p->gravity[2]);
    dWorldSetERP(world, 0.8);
    dWorldSetCFM(world, 1e-10);
    dWorldSetAutoDisableFlag(world, 0);
    dWorldSetLinearDamping(world, 0);
    dWorldSetAngularDamping(world, 0);
    for (const body &b : p->bodies) add(b);
    for (const joint &j : p->joints) {
      dJointID hinge = dJointCreateHinge(world, nullptr);
      dJointAttach(hinge, handle(j.b), handle(j.a));
      dJointSetHingeAnchor(hinge, j.at[0], j.at[1], j.at[2]);
      dJointSetHingeAxis(hinge, j.axis[0], j.axis[1], j.axis[2]);
    }
  }

  double run(monitor *m, watch &limit, long &steps) override {
    long count = std::lround(p->duration / step);
    show(m, 0);
    for (steps = 0; steps < count && !limit.over();) {
      if (p->driven >= 0) dBodyAddTorque(bodies[p->driven], 0, 0, p->torque);
      for (const spring &s : p->springs) pull(s);
      dWorldStep(world, step);
      show(m, double(++steps) * step);
    }
    return double(steps) * step;
  }

  void read(std::vector<state> &out) override {
    for (size_t i = 0; i < bodies.size(); i++) {
      const dReal *x = dBodyGetPosition(bodies[i]), *q = dBodyGetQuaternion(bodies[i]);
      const dReal *v = dBodyGetLinearVel(bodies[i]), *w = dBodyGetAngularVel(bodies[i]);
      out[i] = {
          {x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}, {v[0], v[1], v[2]}, {w[0], w[1], w[2]}};
    }
  }

private:
  dBodyID handle(int b) const {
    return b < 0 ? nullptr : bodies[b];
  }

  void add(const body &b) {
    dBodyID id = dBodyCreate(world);
    dMass mass;
    dMassSetZero(&mass);
    dMassSetParameters(&mass, b.mass, 0, 0, 0, b.inertia[0], b.inertia[1], b.inertia[2], 0, 0, 0);
    dBodySetMass(id, &mass);
    dBodySetPosition(id, b.position[0], b.position[1], b.position[2]);
    dBodySetLinearVel(id, b.velocity[0], b.velocity[1], b.velocity[2]);
    dBodySetAngularVel(id, b.spin[0], b.spin[1], b.spin[2]);
    bodies.push_back(id);
  }

  void pull(const spring &s) {
    dVector3 x;
    vec3 local = s.at - p->bodies[s.a].position;
    dBodyGetRelPointPos(bodies[s.a], local[0], local[1], local[2], x);
    vec3 d = s.ground - vec3{x[0], x[1], x[2]};
    vec3 f = s.stiffness * (1 - s.length / norm(d)) * d;
    dBodyAddForceAtPos(bodies[s.a], f[0], f[1], f[2], x[0], x[1], x[2]);
  }

  double step;
  const problem *p = nullptr;
  dWorldID world = nullptr;
  std::vector<dBodyID> bodies;
};

std::vector<series> plan_of(const problem &p) {
  return {{"dWorldStep", finer_steps(p, 256, 14),
           [](double s) { return std::make_unique<driver>(s); }}};
}

}  // namespace

int main(int argc, char **argv) {
  dInitODE2(0);
  dAllocateODEDataForThread(dAllocateMaskAll);
  int status = harness("ODE", argc, argv).main(plan_of);
  dCloseODE();
  return status;
}
