// holon.cpp: this library, through its public interface.
//
// Series: every integrator with error control, in reference and in relative coordinates, with the
// correction of the method `default`; and the classical Runge-Kutta method with mass projection.
// With the argument code=native the same with machine code written for the problem, as an engine of
// its own. With recorded=yes whole runs as a user gets them: method `default`, all columns of 501 rows,
// verified and audited; with both, such runs with machine code.
#include "peer.hpp"

#include <holon/holon.h>

namespace {

class driver : public peer {
public:
  driver(std::string integrator, std::string coordinates, double setting)
      : integrator(std::move(integrator)), coordinates(std::move(coordinates)), setting(setting) {
  }
  ~driver() override {
    hn_sim_destroy(sim);
    if (!native) hn_system_destroy(system);
    hn_model_destroy(model);
  }

  void build(const problem &problem) override {
    p = &problem;
    model = hn_model_create();
    hn_model_set_gravity(model, p->gravity[0], p->gravity[1], p->gravity[2]);
    if (!recorded()) hn_add_output(model, "energy.*");
    for (const body &b : p->bodies) add(b);
    for (const joint &j : p->joints) add(j);
    for (const spring &s : p->springs) add(s);
    if (p->driven >= 0) add_torque();
    hn_options *o = hn_model_options(model);
    std::snprintf(o->coordinates, sizeof o->coordinates, "%s",
                  native ? "auto" : coordinates.c_str());
    if (native) std::snprintf(o->code, sizeof o->code, "native");
    // one system serves all settings: its code need not be compiled again
    static hn_system *compiled = nullptr;
    static std::string of;
    if (!native || !compiled || of != p->name)
      check(hn_compile(&compiled, model), hn_model_error(model));
    of = p->name;
    system = compiled;
    char message[256] = "";
    bool fixed = integrator == "rk4";
    std::snprintf(o->method, sizeof o->method, "%s", fixed ? "mass-projection" : "default");
    if (!recorded()) std::snprintf(o->integrator, sizeof o->integrator, "%s", integrator.c_str());
    o->duration = p->duration;
    (fixed ? o->step : o->rtol) = setting;
    check(hn_sim_create(&sim, system, o, message, sizeof message), message);
  }

  double run(monitor *m, watch &limit, long &steps) override {
    show(m, 0);
    if (!m && recorded()) {
      hn_result *rows = nullptr;
      hn_status status = hn_run(sim, &rows, nullptr, nullptr);
      hn_result_destroy(rows);
      check(status, hn_sim_error(sim));
    } else if (!m) {
      check(hn_advance(sim, p->duration), hn_sim_error(sim));
    }
    while (m && hn_time(sim) < p->duration && !limit.over()) {
      check(hn_step(sim), hn_sim_error(sim));
      show(m, hn_time(sim));
    }
    hn_summary summary;
    hn_sim_summary(sim, &summary);
    steps = summary.steps;
    return hn_time(sim);
  }

  void read(std::vector<state> &bodies) override {
    for (size_t i = 0; i < bodies.size(); i++) {
      hn_pose pose;
      check(hn_body_pose(sim, handle(int(i)), &pose), "no pose");
      for (int k = 0; k < 3; k++) {
        bodies[i].x[k] = pose.position[k];
        bodies[i].v[k] = pose.velocity[k];
        bodies[i].w[k] = pose.angular_velocity[k];
      }
      for (int k = 0; k < 4; k++) bodies[i].q[k] = pose.orientation[k];
    }
  }

private:
  bool recorded() const {
    return integrator == "recorded";
  }
  static void check(hn_status status, const char *message) {
    if (status) throw std::runtime_error(message);
  }
  hn_body handle(int b) const {
    return hn_body{b + 1};
  }

  void add(const body &b) {
    std::string name = "b" + std::to_string(count++);
    hn_body_def def = {};
    def.name = name.c_str();
    def.kind = p->planar ? HN_PLANAR : HN_SPATIAL;
    def.mass = b.mass;
    for (int k = 0; k < 3; k++) {
      def.inertia[k] = b.inertia[k];
      def.position[k] = b.position[k];
      def.velocity[k] = b.velocity[k];
      def.angular_velocity[k] = b.spin[k];
    }
    if (hn_add_body(model, &def).id < 0) throw std::runtime_error(hn_model_error(model));
  }

  void add(const joint &j) {
    std::string name = "j" + std::to_string(count++);
    hn_joint_def def = {};
    def.name = name.c_str();
    def.type = "revolute";
    def.a.body = handle(j.a);
    def.b.body = handle(j.b);
    for (int k = 0; k < 3; k++) def.at[k] = j.at[k], def.axis[k] = j.axis[k];
    if (hn_add_joint(model, &def).id < 0) throw std::runtime_error(hn_model_error(model));
  }

  void add(const spring &s) {
    std::string name = "s" + std::to_string(count++);
    hn_force_def def = {};
    def.name = name.c_str();
    def.type = "spring";
    def.b.body = handle(s.a);
    for (int k = 0; k < 3; k++) def.at[k] = s.ground[k], def.at_b[k] = s.at[k];
    def.stiffness = s.stiffness;
    def.free = s.length;
    def.free_given = true;
    if (hn_add_force(model, &def).id < 0) throw std::runtime_error(hn_model_error(model));
  }

  void add_torque() {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", p->torque);
    hn_force_def def = {};
    def.name = "motor";
    def.type = "torque";
    def.b.body = handle(p->driven);
    def.components[2] = text;
    if (hn_add_force(model, &def).id < 0) throw std::runtime_error(hn_model_error(model));
  }

  std::string integrator, coordinates;
  double setting;
  bool native = coordinates == "native";
  const problem *p = nullptr;
  hn_model *model = nullptr;
  hn_system *system = nullptr;
  hn_sim *sim = nullptr;
  int count = 0;
};

bool exists(const char *integrator) {
  const hn_type_info *info;
  for (int i = 0; (info = hn_integrator_at(i)); i++)
    if (std::strcmp(info->name, integrator) == 0) return true;
  return false;
}

std::vector<series> native_plan(const problem &p) {
  std::vector<series> all;
  if (p.bodies.size() > 150) return all;
  for (const char *integrator : {"dopri5", "dop853", "abm"}) {
    std::string i = integrator;
    all.push_back({i + ", native", finer_tolerances(1e-2, 1e-12, 2),
                   [=](double s) { return std::make_unique<driver>(i, "native", s); }});
  }
  all.push_back({"rk4, native", finer_steps(p, 64, 12),
                 [=](double s) { return std::make_unique<driver>("rk4", "native", s); }});
  return all;
}

std::vector<series> plan_of(const problem &p) {
  std::vector<series> all;
  for (const char *coordinates : {"reference", "relative"}) {
    std::string c = coordinates;
    for (const char *integrator : {"dopri5", "dop853", "abm"}) {
      if (!exists(integrator)) continue;
      std::string i = integrator;
      all.push_back({i + ", " + c, finer_tolerances(1e-2, 1e-12, 2),
                     [=](double s) { return std::make_unique<driver>(i, c, s); }});
    }
    all.push_back({"rk4, " + c, finer_steps(p, 64, 12),
                   [=](double s) { return std::make_unique<driver>("rk4", c, s); }});
  }
  return all;
}

std::vector<series> recorded_plan(const std::string &coordinates) {
  return {{"default, 501 rows", finer_tolerances(1e-3, 1e-10, 4),
           [=](double s) { return std::make_unique<driver>("recorded", coordinates, s); }}};
}

bool given(int argc, char **argv, const char *argument) {
  for (int i = 2; i < argc; i++)
    if (std::strcmp(argv[i], argument) == 0) return true;
  return false;
}

}  // namespace

int main(int argc, char **argv) {
  bool native = given(argc, argv, "code=native");
  if (given(argc, argv, "recorded=yes"))
    return harness(native ? "holon run, native" : "holon run", argc, argv)
        .main([=](const problem &) { return recorded_plan(native ? "native" : "auto"); });
  if (native) return harness("holon, native", argc, argv).main(native_plan);
  return harness("holon", argc, argv).main(plan_of);
}
