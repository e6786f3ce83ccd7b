// peer.hpp: what a driver of an engine gives, and the harness that measures it.
//
// A driver derives from `peer` (build a problem, run it, read the bodies) and names its series: one
// method of the engine each, with settings (a step or a tolerance) from coarse to fine. Every
// setting is run once with a monitor that looks at the energy, then against the clock: median of
// five, fewer when a run is long or misses the target. The error is that of the timed run. A series
// ends when it has met the target three times, takes too long, or fails. One line per setting goes
// to standard output, fields separated by semicolons:
//   problem;target;engine;method;setting;met;steps;wall;cpu;error;drift;closure
#pragma once

#include "../bench.h"
#include "problem.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>

struct state {
  vec3 x;  // centre of mass
  quat q;
  vec3 v, w;  // world
};

// looks at a run now and then: energy, closure of the joints, error at the end
class monitor {
public:
  explicit monitor(const problem &p) : now(p.bodies.size()), p(p) {
    // reading the bodies may cost as much as a step
    int samples = std::clamp(2000 / int(p.bodies.size()), 4, 200);
    interval = p.duration / samples;
  }

  bool due(double t) const {
    return t >= next;
  }
  // to be called with `now` filled in
  void sample(double t) {
    double kinetic = 0, energy = 0;
    for (size_t i = 0; i < now.size(); i++) {
      const body &b = p.bodies[i];
      vec3 w = turn(conjugate(now[i].q), now[i].w);
      kinetic += 0.5 * b.mass * dot(now[i].v, now[i].v);
      for (int k = 0; k < 3; k++) kinetic += 0.5 * b.inertia[k] * w[k] * w[k];
      energy -= b.mass * dot(p.gravity, now[i].x);
    }
    for (const spring &s : p.springs) {
      double stretch = norm(point(s.a, s.at) - s.ground) - s.length;
      energy += 0.5 * s.stiffness * stretch * stretch;
    }
    if (p.driven >= 0) energy -= p.torque * driven_angle();
    energy += kinetic;
    for (const joint &j : p.joints)
      closure = std::max(closure, norm(point(j.a, j.at) - point(j.b, j.at)));
    if (next == 0) first = energy;
    largest = std::max(largest, kinetic);
    if (!(std::fabs(energy - first) <= worst)) worst = std::fabs(energy - first);
    next = t + interval;
  }

  // largest distance of a centre of mass from the reference
  double error() const {
    const char *folder = std::getenv("HN_PEER_REF");
    std::string path = std::string(folder ? folder : "bench/peers/ref") + "/" + p.name + ".txt";
    FILE *file = std::fopen(path.c_str(), "r");
    if (!file) throw std::runtime_error("no reference " + path);
    double e = 0;
    for (const state &s : now) {
      vec3 r;
      if (std::fscanf(file, "%lf %lf %lf", &r[0], &r[1], &r[2]) != 3) e = NAN;
      double d = norm(s.x - r);
      if (!(d <= e)) e = d;
    }
    std::fclose(file);
    return e;
  }
  // relative to the largest kinetic energy met
  double drift() const {
    return largest > 0 ? worst / largest : worst;
  }

  std::vector<state> now;
  double closure = 0;  // [m] largest

private:
  vec3 point(int b, const vec3 &at) const {
    return b < 0 ? at : now[b].x + turn(now[b].q, at - p.bodies[b].position);
  }
  // counted over full turns
  double driven_angle() {
    const double pi = std::acos(-1.0);
    double a = 2 * std::atan2(now[p.driven].q[3], now[p.driven].q[0]), d = a - last;
    angle += d - 2 * pi * std::round(d / (2 * pi));
    last = a;
    return angle;
  }

  const problem &p;
  double next = 0, interval, first = 0, worst = 0, largest = 0, angle = 0, last = 0;
};

// stops a run that takes too long
class watch {
public:
  explicit watch(double seconds) : end(bench_clock(CLOCK_PROCESS_CPUTIME_ID) + seconds) {
  }
  // the clock itself is asked rarely
  bool over() {
    return ++calls % 16 == 0 && bench_clock(CLOCK_PROCESS_CPUTIME_ID) > end;
  }

private:
  double end;
  long calls = 0;
};

class peer {
public:
  virtual ~peer() = default;
  // at the initial state, not timed
  virtual void build(const problem &p) = 0;
  // to p.duration; returns the time reached, which is less when `limit` said so. `m` may be null;
  // show() is called with it at the start and after steps
  virtual double run(monitor *m, watch &limit, long &steps) = 0;
  virtual void read(std::vector<state> &bodies) = 0;

protected:
  void show(monitor *m, double t) {
    if (!m || !m->due(t)) return;
    read(m->now);
    m->sample(t);
  }
};

struct series {
  std::string method;
  std::vector<double> settings;  // coarse to fine
  std::function<std::unique_ptr<peer>(double setting)> make;
};
using plan = std::function<std::vector<series>(const problem &p)>;

// from `first` down to `last`, `per_decade` of them in each power of ten
inline std::vector<double> finer_tolerances(double first, double last, int per_decade) {
  std::vector<double> x;
  for (int i = 0;; i++) {
    double value = first * std::pow(10.0, -double(i) / per_decade);
    if (value < last * 0.999) return x;
    x.push_back(value);
  }
}
// steps: two settings for each halving, a whole number of steps in the duration
inline std::vector<double> finer_steps(const problem &p, int first, int halvings) {
  std::vector<double> x;
  for (int i = 0; i <= 2 * halvings; i++)
    x.push_back(p.duration / double(std::lround(first * std::pow(2.0, 0.5 * i))));
  return x;
}

class harness {
public:
  harness(const char *engine, int argc, char **argv) : engine(engine), argc(argc), argv(argv) {
    cap = bench_argument(argc, argv, "cap", 5);
    reps = int(bench_argument(argc, argv, "reps", 5));
  }

  // all problems, or those named in the arguments
  int main(const plan &plan) {
    for (const problem &p : all_problems()) {
      if (!wanted(p.name)) continue;
      for (const series &s : plan(p)) sweep(p, s);
    }
    return 0;
  }

private:
  bool wanted(const std::string &name) const {
    bool any = false;
    for (int i = 1; i < argc; i++) {
      if (std::strchr(argv[i], '=')) continue;
      any = true;
      if (name == argv[i]) return true;
    }
    return !any;
  }

  void sweep(const problem &p, const series &s) {
    int met = 0;
    for (double setting : s.settings) {
      std::printf("%s;%g;%s;%s;%.3g;", p.name.c_str(), p.target, engine, s.method.c_str(), setting);
      bool good = false, last = true;
      try {
        last = measure(p, s, setting, good);
      } catch (const std::exception &e) {
        std::string what = e.what();
        std::replace(what.begin(), what.end(), '\n', ' ');
        std::printf("failed: %s\n", what.c_str());
        // coarse settings may fail where finer ones do not
        last = met > 0;
      }
      std::fflush(stdout);
      met = good ? met + 1 : 0;
      if (last || met == 3) return;
    }
  }

  // returns whether finer settings would take too long
  bool measure(const problem &p, const series &s, double setting, bool &good) {
    monitor whole(p), end(p);
    std::unique_ptr<peer> one = s.make(setting);
    long steps = 0;
    one->build(p);
    watch patience(4 * cap);
    double reached = one->run(&whole, patience, steps);
    if (reached < p.duration * (1 - 1e-9)) {
      std::printf("failed: only %.3g s simulated in %.3g s\n", reached, 4 * cap);
      return true;
    }

    // `reps` runs, more when they are short, one when it misses the target and is long
    std::vector<double> wall, cpu;
    double error = NAN, drift = whole.drift(), sum = 0;
    for (int r = 0; r < reps || (sum < 0.1 && r < 10 * reps); r++) {
      one = s.make(setting);
      one->build(p);
      watch none(1e9);
      bench_time start = bench_now();
      one->run(nullptr, none, steps);
      bench_time spent = bench_since(start);
      wall.push_back(spent.wall);
      cpu.push_back(spent.cpu);
      sum += spent.cpu;
      if (r == 0) {
        one->read(end.now);
        error = end.error();
        good = p.by_energy ? drift <= p.target && error <= 0.1 : error <= p.target;
      }
      if (sum + spent.cpu > 2 * cap || (!good && sum > 0.05)) break;
    }
    double median = bench_median(cpu.data(), int(cpu.size()));
    std::printf("%d;%ld;%.6g;%.6g;%.3g;%.3g;%.3g\n", good, steps,
                bench_median(wall.data(), int(wall.size())), median, error, drift, whole.closure);
    return median > cap;
  }

  const char *engine;
  int argc;
  char **argv;
  double cap;  // [s] a series ends when a run takes longer
  int reps;
};
