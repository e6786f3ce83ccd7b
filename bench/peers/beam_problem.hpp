// beam_problem.hpp: a beam that swings, as equations for other engines.
//
// A planar beam hangs on a hinge at its start and falls from rest, horizontal. Its nodes are
// bodies, its elements forces between neighbours: exactly holon's (docs/beams.md), written anew.
// With d = A^T (p_b - p_a) and theta = theta_b - theta_a,
//
//   u = L d,  L = (c, theta/2; -theta/2, c),  c = (theta/2) cot(theta/2),   x = (u, theta)
//   g = K (x - x0) + tau K x',  K = diag(EA, GA', EI) / h,  1/GA' = 1/GA + h^2 / (12 EI)
#ifndef BEAM_PROBLEM_HPP
#define BEAM_PROBLEM_HPP

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

struct beam_problem {
  int n;
  double length = 1, EA = 1e4, GA = 4e3, EI = 1, mass = 1, inertia = 1e-3, tau = 1e-3;
  double gravity = 9.81, duration = 1;

  // per node: mass, where its centre is along x of its axes, moment of inertia about that
  std::vector<double> m, c, J;

  explicit beam_problem(int elements) : n(elements), m(n + 1), c(n + 1), J(n + 1) {
    const double bent = 0.0070436710481124876, h = length / n;
    std::vector<double> weight(n + 1, h), moment(n + 1, 0);
    weight[0] = weight[n] = h / 2;
    moment[0] = h * h / 12, moment[n] = -h * h / 12;
    for (int end = 0; end < 2; end++) {
      int o = end ? n : 0, in = end ? -1 : 1;
      weight[o] -= bent * h, weight[o + in] += 2 * bent * h, weight[o + 2 * in] -= bent * h;
    }
    for (int k = 0; k <= n; k++) {
      m[k] = mass * weight[k];
      c[k] = moment[k] / weight[k];
      J[k] = inertia * weight[k];
    }
  }

  std::string model(const char *method, double rtol, double step) const {
    char text[1000];
    std::snprintf(text, sizeof text,
                  "gravity: [0, -%.17g]\n"
                  "beams:\n  arm: {type: planar, from: [0, 0], to: [%.17g, 0], elements: %d,"
                  " damping: %.17g, stiffness: [%.17g, %.17g, 1, 1, 1, %.17g],"
                  " mass: [%.17g, %.17g, %.17g, 1, 1, %.17g]}\n"
                  "joints:\n  hinge: {type: revolute, b: arm.start}\n"
                  "simulation: {method: %s, rtol: %g, duration: %g, verify: off%s%g}\n",
                  gravity, length, n, tau, EA, GA, EI, mass, mass, mass, inertia, method, rtol,
                  duration, step > 0 ? ", step: " : ", audit_motion: ", step > 0 ? step : 0.01);
    return text;
  }

  // of the tip's place at the end, where that is known: by dop853 at rtol 1e-12 (beam.cpp), from
  // which IDA and Simbody at 1e-9 are less than 2e-9 away
  double error(double x, double y) const {
    if (n == 10) return std::hypot(x + 0.990698276615, y - 0.0434268089257);
    if (n == 40) return std::hypot(x + 0.990676949209, y - 0.0434892725422);
    return NAN;
  }

  // forces and moments (3 each) on the nodes' points at places and velocities (x, y, theta) of
  // these
  void forces(const double *q, const double *v, double *f) const {
    double h = length / n, K[3] = {EA / h, 1 / (h / GA + h * h * h / (12 * EI)), EI / h};
    for (int i = 0; i < 3 * (n + 1); i++) f[i] = 0;
    for (int e = 0; e < n; e++) {
      const double *a = q + 3 * e, *b = a + 3, *va = v + 3 * e, *vb = va + 3;
      double C = std::cos(a[2]), S = std::sin(a[2]), X = b[0] - a[0], Y = b[1] - a[1];
      double d[2] = {C * X + S * Y, C * Y - S * X}, t = b[2] - a[2], half = t / 2;
      double U = vb[0] - va[0], V = vb[1] - va[1], w = va[2], spin = vb[2] - va[2];
      double rate[2] = {C * U + S * V + w * d[1], C * V - S * U - w * d[0]}, k, dk;
      if (std::fabs(t) < 1e-2) {
        k = 1 - t * t / 12 - t * t * t * t / 720, dk = -t / 6 - t * t * t / 180;
      } else {
        double cot = 1 / std::tan(half), sine = std::sin(half);
        k = half * cot, dk = cot / 2 - half / (2 * sine * sine);
      }
      double u[3] = {k * d[0] + half * d[1], k * d[1] - half * d[0], t};
      double by_t[2] = {dk * d[0] + d[1] / 2, dk * d[1] - d[0] / 2};
      double x[3] = {k * rate[0] + half * rate[1] + by_t[0] * spin,
                     k * rate[1] - half * rate[0] + by_t[1] * spin, spin};
      double g[3] = {K[0] * (u[0] - h + tau * x[0]), K[1] * (u[1] + tau * x[1]),
                     K[2] * (u[2] + tau * x[2])};
      double p[2] = {k * g[0] - half * g[1], half * g[0] + k * g[1]};  // L^T g
      double F[2] = {-(C * p[0] - S * p[1]), -(S * p[0] + C * p[1])};
      double M = -(g[2] + g[0] * by_t[0] + g[1] * by_t[1]);
      double *fa = f + 3 * e, *fb = fa + 3;
      fb[0] += F[0], fb[1] += F[1], fb[2] += M;
      fa[0] -= F[0], fa[1] -= F[1];
      fa[2] += -M + p[1] * d[0] - p[0] * d[1];
    }
  }

  // accelerations of the nodes' points; the first is on the hinge
  void accelerate(const double *q, const double *v, double *a, double *f) const {
    forces(q, v, f);
    for (int k = 0; k <= n; k++) {
      const double *F = f + 3 * k;
      double C = std::cos(q[3 * k + 2]), S = std::sin(q[3 * k + 2]), w = v[3 * k + 2];
      double r[2] = {c[k] * C, c[k] * S}, *o = a + 3 * k;
      double moment = F[2] - r[0] * m[k] * gravity;
      if (k == 0) {
        o[0] = o[1] = 0;
        o[2] = moment / (J[k] + m[k] * c[k] * c[k]);
        continue;
      }
      // about the centre: the force acts at the point
      o[2] = (F[2] - (r[0] * F[1] - r[1] * F[0])) / J[k];
      o[0] = F[0] / m[k] + o[2] * r[1] + w * w * r[0];
      o[1] = F[1] / m[k] - gravity - o[2] * r[0] + w * w * r[1];
    }
  }
};

#endif
