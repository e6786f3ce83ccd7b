// dart.cpp: DART, a tree of revolute joints in relative coordinates; loops are closed by ball joint
// constraints on velocities. First order in the step.
#include "peer.hpp"

// the header of everything asks for packages nobody else needs
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

namespace {

Eigen::Vector3d to(const vec3 &a) {
  return Eigen::Vector3d(a[0], a[1], a[2]);
}
vec3 from(const Eigen::Vector3d &a) {
  return {a[0], a[1], a[2]};
}

class driver : public peer {
public:
  explicit driver(double step) : step(step) {
  }

  void build(const problem &problem) override {
    using dart::constraint::BallJointConstraint;
    p = &problem;
    world = dart::simulation::World::create();
    world->setTimeStep(step);
    world->setGravity(to(p->gravity));
    skeleton = dart::dynamics::Skeleton::create("mechanism");
    nodes.assign(p->bodies.size(), nullptr);
    for (const joint &j : p->joints)
      if (!j.closure) hang(j);
    skeleton->disableSelfCollisionCheck();
    world->addSkeleton(skeleton);
    BallJointConstraint::setErrorReductionParameter(0.8);
    BallJointConstraint::setConstraintForceMixing(1e-9);
    for (const joint &j : p->joints)
      if (j.closure) close(j);
  }

  double run(monitor *m, watch &limit, long &steps) override {
    long count = std::lround(p->duration / step);
    show(m, 0);
    for (steps = 0; steps < count && !limit.over();) {
      if (p->driven >= 0) nodes[p->driven]->addExtTorque(Eigen::Vector3d(0, 0, p->torque), false);
      for (const spring &s : p->springs) pull(s);
      world->step();
      show(m, double(++steps) * step);
    }
    return double(steps) * step;
  }

  void read(std::vector<state> &bodies) override {
    for (size_t i = 0; i < bodies.size(); i++) {
      Eigen::Isometry3d T = nodes[i]->getWorldTransform();
      Eigen::Quaterniond q(T.linear());
      bodies[i] = {from(T.translation()),
                   {q.w(), q.x(), q.y(), q.z()},
                   from(nodes[i]->getLinearVelocity()),
                   from(nodes[i]->getAngularVelocity())};
    }
  }

private:
  void hang(const joint &j) {
    using namespace dart::dynamics;
    const body &b = p->bodies[j.b];
    RevoluteJoint::Properties joint_of;
    joint_of.mName = "j" + std::to_string(j.b);
    joint_of.mAxis = to(j.axis);
    joint_of.mT_ParentBodyToJoint.translation() = to(j.at - p->centre(j.a));
    joint_of.mT_ChildBodyToJoint.translation() = to(j.at - b.position);
    BodyNode::Properties body_of;
    body_of.mName = "b" + std::to_string(j.b);
    body_of.mInertia.setMass(b.mass);
    body_of.mInertia.setMoment(b.inertia[0], b.inertia[1], b.inertia[2], 0, 0, 0);
    auto pair = skeleton->createJointAndBodyNodePair<RevoluteJoint>(j.a < 0 ? nullptr : nodes[j.a],
                                                                    joint_of, body_of);
    pair.first->setVelocity(0, p->rate(j));
    nodes[j.b] = pair.second;
  }

  // a spatial hinge by two points on its axis
  void close(const joint &j) {
    using dart::constraint::BallJointConstraint;
    int a = j.a < 0 ? j.b : j.a, b = j.a < 0 ? j.a : j.b;
    for (double offset : {0.1, -0.1}) {
      Eigen::Vector3d at = to(p->planar ? j.at : j.at + offset * j.axis);
      world->getConstraintSolver()->addConstraint(
          b < 0 ? std::make_shared<BallJointConstraint>(nodes[a], at)
                : std::make_shared<BallJointConstraint>(nodes[a], nodes[b], at));
      if (p->planar) return;
    }
  }

  void pull(const spring &s) {
    Eigen::Vector3d local = to(s.at - p->bodies[s.a].position);
    Eigen::Vector3d d = to(s.ground) - nodes[s.a]->getWorldTransform() * local;
    nodes[s.a]->addExtForce(s.stiffness * (1 - s.length / d.norm()) * d, local, false, true);
  }

  double step;
  const problem *p = nullptr;
  dart::simulation::WorldPtr world;
  dart::dynamics::SkeletonPtr skeleton;
  std::vector<dart::dynamics::BodyNode *> nodes;
};

std::vector<series> plan_of(const problem &p) {
  return {{"World::step", finer_steps(p, 256, 14),
           [](double s) { return std::make_unique<driver>(s); }}};
}

}  // namespace

int main(int argc, char **argv) {
  return harness("DART", argc, argv).main(plan_of);
}
