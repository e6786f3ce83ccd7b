// planar.hpp: the equations of a planar mechanism as one writes them by hand for an ODE library.
//
// Coordinates x, y, angle of every body; J = rows of the pins, two each; M diagonal:
//   M v' = f + J^T lambda,  J v' = gamma   by   S lambda = gamma - J M^-1 f,  S = J M^-1 J^T
// S is factorised by Cholesky within its envelope, the pins being taken from left to right.
#pragma once

#include "problem.hpp"

#include <algorithm>
#include <map>

class planar_system {
public:
  explicit planar_system(const problem &problem) : p(problem) {
    bodies = int(p.bodies.size());
    n = 3 * bodies;
    for (const joint &j : p.joints) {
      vec3 a = j.at - p.centre(j.a), b = j.at - p.centre(j.b);
      pins.push_back({j.a, j.b, {a[0], a[1]}, {b[0], b[1]}, j.at[0], {}, {}});
    }
    std::stable_sort(pins.begin(), pins.end(), [](auto &a, auto &b) { return a.x < b.x; });
    rows = 2 * int(pins.size());
    for (const body &b : p.bodies)
      inverse.insert(inverse.end(), {1 / b.mass, 1 / b.mass, 1 / b.inertia[2]});
    angle.resize(bodies);
    lambda.resize(rows);
    force.resize(n);
    change.resize(n);
    residual.resize(rows);
    find_pairs();
  }

  struct pin {
    int a, b;
    double sa[2], sb[2];  // in the bodies
    double x;             // where it starts
    double ra[2], rb[2];  // the same in world axes
  };
  struct direction {
    double c, s;
  };

  void initial(double *q, double *v) const {
    for (int i = 0; i < bodies; i++) {
      const body &b = p.bodies[i];
      q[3 * i] = b.position[0], q[3 * i + 1] = b.position[1], q[3 * i + 2] = 0;
      v[3 * i] = b.velocity[0], v[3 * i + 1] = b.velocity[1], v[3 * i + 2] = b.spin[2];
    }
  }

  // directions of the bodies and the points of the pins, for all that follows
  void place(const double *q) {
    for (int i = 0; i < bodies; i++) angle[i] = {std::cos(q[3 * i + 2]), std::sin(q[3 * i + 2])};
    for (pin &e : pins) {
      direction a = e.a < 0 ? direction{1, 0} : angle[e.a];
      direction b = e.b < 0 ? direction{1, 0} : angle[e.b];
      e.ra[0] = a.c * e.sa[0] - a.s * e.sa[1], e.ra[1] = a.s * e.sa[0] + a.c * e.sa[1];
      e.rb[0] = b.c * e.sb[0] - b.s * e.sb[1], e.rb[1] = b.s * e.sb[0] + b.c * e.sb[1];
    }
  }

  // P_a - P_b
  void constraints(const double *q, double *phi) const {
    for (const pin &e : pins)
      for (int k = 0; k < 2; k++, phi++)
        *phi = e.ra[k] + (e.a < 0 ? 0 : q[3 * e.a + k]) - e.rb[k] - (e.b < 0 ? 0 : q[3 * e.b + k]);
  }
  // y = J v
  void times(const double *v, double *y) const {
    for (const pin &e : pins) {
      y[0] = y[1] = 0;
      if (e.a >= 0) {
        const double *u = v + 3 * e.a;
        y[0] += u[0] - e.ra[1] * u[2], y[1] += u[1] + e.ra[0] * u[2];
      }
      if (e.b >= 0) {
        const double *u = v + 3 * e.b;
        y[0] -= u[0] - e.rb[1] * u[2], y[1] -= u[1] + e.rb[0] * u[2];
      }
      y += 2;
    }
  }
  // y += s J^T l
  void transpose_times(const double *l, double s, double *y) const {
    for (const pin &e : pins) {
      double x0 = s * l[0], x1 = s * l[1];
      if (e.a >= 0) {
        double *u = y + 3 * e.a;
        u[0] += x0, u[1] += x1, u[2] += e.ra[0] * x1 - e.ra[1] * x0;
      }
      if (e.b >= 0) {
        double *u = y + 3 * e.b;
        u[0] -= x0, u[1] -= x1, u[2] -= e.rb[0] * x1 - e.rb[1] * x0;
      }
      l += 2;
    }
  }

  // gravity, torque, springs; after place()
  void forces(const double *q, double *f) const {
    for (int i = 0; i < bodies; i++) {
      f[3 * i] = p.bodies[i].mass * p.gravity[0];
      f[3 * i + 1] = p.bodies[i].mass * p.gravity[1];
      f[3 * i + 2] = i == p.driven ? p.torque : 0;
    }
    for (const spring &s : p.springs) {
      pull e = pull_of(s, q);
      double *u = f + 3 * s.a;
      u[0] += e.k * e.d[0], u[1] += e.k * e.d[1];
      u[2] += e.k * (e.r[0] * e.d[1] - e.r[1] * e.d[0]);
    }
  }

  // accelerations; fills lambda as well
  void accelerate(const double *q, const double *v, double *a) {
    place(q);
    forces(q, a);
    for (int i = 0; i < n; i++) a[i] *= inverse[i];
    times(a, lambda.data());
    double *l = lambda.data();
    for (const pin &e : pins) {
      double wa = e.a < 0 ? 0 : v[3 * e.a + 2], wb = e.b < 0 ? 0 : v[3 * e.b + 2];
      for (int k = 0; k < 2; k++, l++) *l = wa * wa * e.ra[k] - wb * wb * e.rb[k] - *l;
    }
    factorise();
    solve(lambda.data());
    std::fill(change.begin(), change.end(), 0.0);
    transpose_times(lambda.data(), 1, change.data());
    for (int i = 0; i < n; i++) a[i] += inverse[i] * change[i];
  }

  // positions to tolerance, then velocities, with one factorisation for each
  void project(double *q, double *v, double tolerance) {
    for (int pass = 0; pass < 10; pass++) {
      place(q);
      constraints(q, residual.data());
      double worst = 0;
      for (double x : residual) worst = std::max(worst, std::fabs(x));
      if (pass > 0 && worst < tolerance) break;
      if (pass == 0) factorise();
      pull_back(q);
    }
    place(q);
    factorise();
    times(v, residual.data());
    pull_back(v);
  }

  // Jacobian of the stabilised index-2 equations in (q, v, lambda, mu), see sundials.cpp:
  // put(row, column, value) is called in the same order every time; entries add up
  template <class F> void jacobian(const double *y, double cj, F put) {
    const double *q = y, *v = y + n, *l = y + 2 * n, *mu = l + rows;
    place(q);
    for (int i = 0; i < n; i++) {
      put(i, i, cj);
      put(i, n + i, -1);
      put(n + i, n + i, cj / inverse[i]);
    }
    for (size_t j = 0; j < pins.size(); j++) {
      const pin &e = pins[j];
      if (e.a >= 0) jacobian_of_end(e.a, e.ra, 1, int(2 * j), v, l, mu, put);
      if (e.b >= 0) jacobian_of_end(e.b, e.rb, -1, int(2 * j), v, l, mu, put);
    }
    for (const spring &s : p.springs) {
      pull e = pull_of(s, q);
      // -df/dq; the point moves by (1, 0, -ry; 0, 1, rx)
      const double P[2][3] = {{1, 0, -e.r[1]}, {0, 1, e.r[0]}};
      for (int c = 0; c < 3; c++) {
        double along = e.stiff * (e.d[0] * P[0][c] + e.d[1] * P[1][c]);
        double x = e.k * P[0][c] + along * e.d[0], z = e.k * P[1][c] + along * e.d[1];
        double t = e.r[0] * z - e.r[1] * x;
        if (c == 2) t += e.k * (e.r[0] * e.d[0] + e.r[1] * e.d[1]);
        put(n + 3 * s.a, 3 * s.a + c, x);
        put(n + 3 * s.a + 1, 3 * s.a + c, z);
        put(n + 3 * s.a + 2, 3 * s.a + c, t);
      }
    }
  }

  const problem &p;
  int bodies, n, rows;
  std::vector<double> inverse;  // of the mass matrix
  std::vector<double> lambda, force;

private:
  // tension of a spring: force k d, d from the body to the ground, and the part of the stiffness
  // that comes with the stretch
  struct pull {
    double r[2], d[2], k, stiff;
  };
  pull pull_of(const spring &s, const double *q) const {
    pull e;
    direction a = angle[s.a];
    vec3 local = s.at - p.bodies[s.a].position;
    e.r[0] = a.c * local[0] - a.s * local[1], e.r[1] = a.s * local[0] + a.c * local[1];
    for (int k = 0; k < 2; k++) e.d[k] = s.ground[k] - q[3 * s.a + k] - e.r[k];
    double length = std::hypot(e.d[0], e.d[1]);
    e.k = s.stiffness * (1 - s.length / length);
    e.stiff = s.stiffness * s.length / (length * length * length);
    return e;
  }

  template <class F>
  void jacobian_of_end(int body, const double *r, double sign, int row, const double *v,
                       const double *l, const double *mu, F put) {
    int turn = 3 * body + 2;
    const double g[2] = {-sign * r[1], sign * r[0]};
    double bend_l = 0, bend_mu = 0;
    for (int k = 0; k < 2; k++) {
      int phi = 2 * n + row + k, psi = phi + rows, x = 3 * body + k;
      put(phi, x, sign), put(phi, turn, g[k]);
      put(psi, n + x, sign), put(psi, n + turn, g[k]), put(psi, turn, -sign * r[k] * v[turn]);
      // columns of mu, lambda have the same numbers as the rows of psi, phi
      put(x, psi, sign), put(turn, psi, g[k]);
      put(n + x, phi, sign), put(n + turn, phi, g[k]);
      bend_l -= sign * r[k] * l[row + k];
      bend_mu -= sign * r[k] * mu[row + k];
    }
    put(turn, turn, bend_mu);
    put(n + turn, turn, bend_l);
  }

  // ---- S within its envelope ----

  // a body that two pins (or one) have in common
  struct pair {
    int i, j, body;
    bool end_i, end_j;
  };

  void find_pairs() {
    first.resize(rows);
    for (int i = 0; i < int(pins.size()); i++) {
      int lowest = i;
      for (int j = 0; j <= i; j++)
        for (bool ei : {false, true})
          for (bool ej : {false, true}) {
            int body = ei ? pins[i].b : pins[i].a;
            if (body < 0 || body != (ej ? pins[j].b : pins[j].a)) continue;
            pairs.push_back({i, j, body, ei, ej});
            lowest = std::min(lowest, j);
          }
      first[2 * i] = first[2 * i + 1] = 2 * lowest;
    }
    size_t size = 0;
    for (int i = 0; i < rows; i++) {
      start.push_back(size - size_t(first[i]));
      size += size_t(i - first[i] + 1);
    }
    S.resize(size);
  }
  // row i; element j stands at [j]
  double *row(int i) {
    return S.data() + start[i];
  }

  void factorise() {
    std::fill(S.begin(), S.end(), 0.0);
    for (const pair &e : pairs) {
      const double *ri = e.end_i ? pins[e.i].rb : pins[e.i].ra;
      const double *rj = e.end_j ? pins[e.j].rb : pins[e.j].ra;
      double sign = e.end_i == e.end_j ? 1 : -1;
      double m = sign * inverse[3 * e.body], w = sign * inverse[3 * e.body + 2];
      double *s0 = row(2 * e.i) + 2 * e.j, *s1 = row(2 * e.i + 1) + 2 * e.j;
      s0[0] += m + w * ri[1] * rj[1];
      if (e.i != e.j) s0[1] -= w * ri[1] * rj[0];
      s1[0] -= w * ri[0] * rj[1];
      s1[1] += m + w * ri[0] * rj[0];
    }
    for (int i = 0; i < rows; i++) {
      double *Si = row(i);
      for (int j = first[i]; j <= i; j++) {
        const double *Sj = row(j);
        double x = Si[j];
        for (int k = std::max(first[i], first[j]); k < j; k++) x -= Si[k] * Sj[k];
        // singular configurations: the row is left out
        Si[j] = j < i ? x * Sj[j] : x > 0 ? 1 / std::sqrt(x) : 0;
      }
    }
  }

  void solve(double *b) {
    for (int i = 0; i < rows; i++) {
      const double *Si = row(i);
      double x = b[i];
      for (int k = first[i]; k < i; k++) x -= Si[k] * b[k];
      b[i] = x * Si[i];
    }
    for (int i = rows - 1; i >= 0; i--) {
      const double *Si = row(i);
      b[i] *= Si[i];
      for (int k = first[i]; k < i; k++) b[k] -= Si[k] * b[i];
    }
  }

  // x -= M^-1 J^T S^-1 residual
  void pull_back(double *x) {
    solve(residual.data());
    std::fill(change.begin(), change.end(), 0.0);
    transpose_times(residual.data(), -1, change.data());
    for (int i = 0; i < n; i++) x[i] += inverse[i] * change[i];
  }

  std::vector<pin> pins;
  std::vector<direction> angle;
  std::vector<pair> pairs;
  std::vector<int> first;
  std::vector<size_t> start;  // may wrap around; only sums with a column are used
  std::vector<double> S, residual, change;
};
