// mujoco.cpp: MuJoCo, a tree of hinges; loops are closed by soft equality constraints, as stiff as
// it allows. A spatial hinge is closed by two points on its axis.
//
// The series are its integrators; the setting is the step.
#include "peer.hpp"

#include <mujoco/mujoco.h>
#include <sstream>

namespace {

std::string text(const vec3 &a) {
  char buffer[128];
  std::snprintf(buffer, sizeof buffer, "%.17g %.17g %.17g", a[0], a[1], a[2]);
  return buffer;
}

// the model as MuJoCo's XML. Its reader refuses elements nested more than 100 deep, so long chains
// go on in files included from the one before
class writer {
public:
  struct file {
    std::string name, content;
  };

  writer(const problem &p, const std::string &integrator, double step) : p(p) {
    children.resize(p.bodies.size() + 1);
    for (const joint &j : p.joints)
      if (!j.closure) children[j.a + 1].push_back(&j);
    out.precision(17);
    out << "<mujoco><compiler angle='radian' boundmass='0' boundinertia='0' inertiafromgeom='false'"
        << " balanceinertia='true'/><option timestep='" << step << "' gravity='" << text(p.gravity)
        << "' integrator='" << integrator << "' solver='Newton' tolerance='1e-12'"
        << " iterations='100'><flag contact='disable'/></option><size nstack='"
        << (p.bodies.size() > 100 ? 40000000 : 4000000)
        << "' njmax='2000' nconmax='1'/><worldbody>";
    for (const joint *j : children[0]) hang(*j);
    for (const spring &s : p.springs) out << "<site name='ground' pos='" << text(s.ground) << "'/>";
    out << "</worldbody><equality>";
    for (const joint &j : p.joints)
      if (j.closure) close(j, 2 * step);
    out << "</equality>";
    for (const spring &s : p.springs)
      out << "<tendon><spatial stiffness='" << s.stiffness << "' springlength='" << s.length
          << "'><site site='end'/><site site='ground'/></spatial></tendon>";
    out << "</mujoco>";
    files.push_back({"model.xml", out.str()});
  }

  std::vector<file> files;  // the last one is the model

private:
  void hang(const joint &j) {
    if (++depth % 80 == 0) {
      std::string name = "part" + std::to_string(depth) + ".xml";
      out << "<include file='" << name << "'/>";
      std::ostringstream before;
      before.swap(out);
      out.precision(17);
      out << "<mujocoinclude>";
      hang(j);
      out << "</mujocoinclude>";
      files.push_back({name, out.str()});
      out.swap(before);
      depth--;
      return;
    }
    const body &b = p.bodies[j.b];
    out << "<body name='b" << j.b << "' pos='" << text(b.position - p.centre(j.a))
        << "'><inertial pos='0 0 0' mass='" << b.mass << "' diaginertia='" << text(b.inertia)
        << "'/><joint name='j" << j.b << "' type='hinge' pos='" << text(j.at - b.position)
        << "' axis='" << text(j.axis) << "'/>";
    for (const spring &s : p.springs)
      if (s.a == j.b) out << "<site name='end' pos='" << text(s.at - b.position) << "'/>";
    for (const joint *k : children[j.b + 1]) hang(*k);
    out << "</body>";
    depth--;
  }

  void close(const joint &j, double time_constant) {
    int a = j.a < 0 ? j.b : j.a, b = j.a < 0 ? j.a : j.b;
    for (double offset : {0.1, -0.1}) {
      vec3 at = p.planar ? j.at : j.at + offset * j.axis;
      out << "<connect body1='b" << a << "'";
      if (b >= 0) out << " body2='b" << b << "'";
      out << " anchor='" << text(at - p.bodies[a].position) << "' solref='" << time_constant
          << " 1' solimp='0.9999 0.9999 0.001'/>";
      if (p.planar) return;
    }
  }

  const problem &p;
  std::vector<std::vector<const joint *>> children;  // of the ground, then of the bodies
  std::ostringstream out;
  int depth = 0;
};

class driver : public peer {
public:
  driver(std::string integrator, double step) : integrator(std::move(integrator)), step(step) {
  }
  ~driver() override {
    if (data) mj_deleteData(data);
    if (model) mj_deleteModel(model);
  }

  void build(const problem &problem) override {
    p = &problem;
    auto files = std::make_unique<mjVFS>();  // far too large for the stack
    mj_defaultVFS(files.get());
    for (const writer::file &f : writer(*p, integrator, step).files) {
      mj_makeEmptyFileVFS(files.get(), f.name.c_str(), int(f.content.size()));
      int at = mj_findFileVFS(files.get(), f.name.c_str());
      std::memcpy(files->filedata[at], f.content.data(), f.content.size());
    }
    char message[1000] = "";
    model = mj_loadXML("model.xml", files.get(), message, sizeof message);
    mj_deleteVFS(files.get());
    if (!model) throw std::runtime_error(message);
    data = mj_makeData(model);
    for (size_t i = 0; i < p->bodies.size(); i++)
      index.push_back(mj_name2id(model, mjOBJ_BODY, ("b" + std::to_string(i)).c_str()));
    for (const joint &j : p->joints) {
      if (j.closure) continue;
      int id = mj_name2id(model, mjOBJ_JOINT, ("j" + std::to_string(j.b)).c_str());
      data->qvel[model->jnt_dofadr[id]] = p->rate(j);
    }
    if (p->driven >= 0) data->xfrc_applied[6 * index[p->driven] + 5] = p->torque;
    mj_forward(model, data);
  }

  double run(monitor *m, watch &limit, long &steps) override {
    long count = std::lround(p->duration / step);
    show(m, 0);
    for (steps = 0; steps < count && !limit.over();) {
      mj_step(model, data);
      show(m, double(++steps) * step);
    }
    return double(steps) * step;
  }

  void read(std::vector<state> &bodies) override {
    mj_kinematics(model, data);
    mj_comPos(model, data);
    mj_comVel(model, data);
    for (size_t i = 0; i < bodies.size(); i++) {
      int b = index[i];
      mjtNum velocity[6];
      mj_objectVelocity(model, data, mjOBJ_BODY, b, velocity, 0);
      for (int k = 0; k < 3; k++) {
        bodies[i].x[k] = data->xpos[3 * b + k];
        bodies[i].w[k] = velocity[k];
        bodies[i].v[k] = velocity[3 + k];
      }
      for (int k = 0; k < 4; k++) bodies[i].q[k] = data->xquat[4 * b + k];
    }
  }

private:
  std::string integrator;
  double step;
  const problem *p = nullptr;
  mjModel *model = nullptr;
  mjData *data = nullptr;
  std::vector<int> index;
};

std::vector<series> plan_of(const problem &p) {
  std::vector<series> all;
  for (const char *integrator : {"RK4", "implicit"})
    all.push_back({integrator, finer_steps(p, 64, 14),
                   [=](double s) { return std::make_unique<driver>(integrator, s); }});
  return all;
}

}  // namespace

int main(int argc, char **argv) {
  // it would print, and write a file
  mju_user_warning = [](const char *) {};
  return harness("MuJoCo", argc, argv).main(plan_of);
}
