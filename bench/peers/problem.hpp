// problem.hpp: the problems, in one description shared by the drivers of all engines.
//
// Every body frame sits at the centre of mass, along the principal axes, and is aligned with the
// world at the start: all orientations start with the identity, and a point of the body is the
// world point minus the centre of mass.
#pragma once

#include <array>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

using vec3 = std::array<double, 3>;
using quat = std::array<double, 4>;  // scalar first, body to world

inline vec3 operator+(const vec3 &a, const vec3 &b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline vec3 operator-(const vec3 &a, const vec3 &b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline vec3 operator*(double s, const vec3 &a) {
  return {s * a[0], s * a[1], s * a[2]};
}
inline double dot(const vec3 &a, const vec3 &b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline vec3 cross(const vec3 &a, const vec3 &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double norm(const vec3 &a) {
  return std::sqrt(dot(a, a));
}
inline vec3 turn(const quat &q, const vec3 &v) {
  vec3 u = {q[1], q[2], q[3]}, t = 2.0 * cross(u, v);
  return v + q[0] * t + cross(u, t);
}
inline quat conjugate(const quat &q) {
  return {q[0], -q[1], -q[2], -q[3]};
}

struct body {
  double mass;
  vec3 inertia;  // principal values
  vec3 position;
  vec3 velocity{0, 0, 0};
  vec3 spin{0, 0, 0};  // angular velocity, world
};
// revolute; -1 stands for the ground. Joints that are no closure form a tree, parents first
struct joint {
  int a, b;
  vec3 at, axis;  // world, at the start
  bool closure;
};
// between a point of body a and one of the ground
struct spring {
  int a;
  vec3 at, ground;
  double stiffness, length;
};

struct problem {
  std::string name;
  std::vector<body> bodies;
  std::vector<joint> joints;
  std::vector<spring> springs;
  vec3 gravity{0, 0, 0};
  double duration = 10;
  bool planar = true;
  int driven = -1;  // body with a constant torque about z
  double torque = 0;
  // what counts: error of the bodies at the end [m], or the energy drift relative to the largest
  // kinetic energy, with the bodies within 0.1 m of where they should be
  double target = 1e-6;
  bool by_energy = false;

  vec3 centre(int b) const {
    return b < 0 ? vec3{0, 0, 0} : bodies[b].position;
  }
  vec3 spin(int b) const {
    return b < 0 ? vec3{0, 0, 0} : bodies[b].spin;
  }
  // rate of a tree joint at the start
  double rate(const joint &j) const {
    return dot(spin(j.b) - spin(j.a), j.axis);
  }
};

inline const vec3 axis_y = {0, 1, 0}, axis_z = {0, 0, 1};

// crank and rocker, released from rest with the crank at 60 degrees (Marques, Souto, Flores 2017)
inline problem four_bar() {
  problem p;
  p.name = "four_bar";
  p.gravity = {0, -9.81, 0};
  double angle = std::acos(-1.0) / 3;
  vec3 A = {0, 0, 0}, D = {2.5, 0, 0}, B = {2 * std::cos(angle), 2 * std::sin(angle), 0};
  // C lies where the circles of radius 4 about B and D meet, above
  vec3 d = D - B;
  double length = norm(d), up = std::sqrt(16 / (length * length) - 0.25);
  vec3 C = B + 0.5 * d + up * vec3{-d[1], d[0], 0};
  p.bodies = {{1.0, {0.3, 0.3, 0.3}, 0.5 * (A + B)},
              {2.25, {2, 2, 2}, 0.5 * (B + C)},
              {2.2, {1.35, 1.35, 1.35}, 0.5 * (C + D)}};
  p.joints = {{-1, 0, A, axis_z, false},
              {0, 1, B, axis_z, false},
              {-1, 2, D, axis_z, false},
              {1, 2, C, axis_z, true}};
  return p;
}

// n windows in a row (IFToMM A02): upright cranks on the ground, level couplers between their tips
inline problem ladder(int n) {
  problem p;
  p.name = "ladder_" + std::to_string(n);
  p.gravity = {0, -9.81, 0};
  p.by_energy = true;
  vec3 rod = {1.0 / 12, 1.0 / 12, 1.0 / 12};
  for (int i = 0; i <= n; i++)
    p.bodies.push_back({1, rod, {double(i), 0.5, 0}, {0.5, 0, 0}, {0, 0, -1}});
  for (int i = 0; i < n; i++) p.bodies.push_back({1, rod, {i + 0.5, 1, 0}, {1, 0, 0}, {0, 0, 0}});
  for (int i = 0; i <= n; i++) p.joints.push_back({-1, i, {double(i), 0, 0}, axis_z, false});
  for (int i = 0; i < n; i++) p.joints.push_back({i, n + 1 + i, {double(i), 1, 0}, axis_z, false});
  for (int i = 0; i < n; i++)
    p.joints.push_back({n + 1 + i, i + 1, {double(i + 1), 1, 0}, axis_z, true});
  return p;
}

// n boxes along x, hinges about y and z in turn; the z hinges start with rates of +-spin in turn
inline problem chain(int n, double duration, double spin) {
  problem p;
  p.name = "chain_" + std::to_string(n);
  p.gravity = {0, 0, -9.81};
  p.duration = duration;
  p.planar = false;
  vec3 inertia = {0.02 / 12, 1.01 / 12, 1.01 / 12}, w = {0, 0, 0}, v = {0, 0, 0};
  for (int k = 0; k < n; k++) {
    vec3 axis = k % 2 ? axis_z : axis_y;
    if (k % 2) w = w + (k % 4 == 1 ? spin : -spin) * axis;
    p.bodies.push_back({1, inertia, {k + 0.5, 0, 0}, v + cross(w, {0.5, 0, 0}), w});
    p.joints.push_back({k - 1, k, {double(k), 0, 0}, axis, false});
    v = v + cross(w, {1, 0, 0});
  }
  return p;
}

// Andrews' squeezing mechanism, data of the test set for initial value problems
inline problem andrews() {
  problem p;
  p.name = "andrews";
  p.duration = 0.03;
  p.driven = 0;
  p.torque = 0.033;
  p.target = 1e-7;
  double da = 115e-4, e = 2e-2, ea = 1421e-5, zf = 2e-2, fa = 1421e-5, rr = 7e-3;
  double ra = 92e-5, ss = 35e-3, sa = 1874e-5, sb = 1043e-5, sc = 18e-3, sd = 2e-2, ta = 2308e-5;
  double tb = 916e-5, u = 4e-2, ua = 1228e-5, ub = 449e-5, zt = 4e-2;
  double beta = -0.0617138900142764496358948458001, gamma = 0.455279819163070380255912382449;
  double phi = 0.222668390165885884674473185609, delta = 0.487364979543842550225598953530;
  double omega = -0.222668390165885884674473185609, epsilon = 1.23054744454982119249735015568;
  // in the plane: a along the direction of the angle, b to its left
  auto at = [](vec3 from, double angle, double a, double b) {
    double c = std::cos(angle), s = std::sin(angle);
    return from + vec3{a * c - b * s, a * s + b * c, 0};
  };
  vec3 O = {0, 0, 0}, A = {-6934e-5, -227e-5, 0}, B = {-3635e-5, 3273e-5, 0}, C = {14e-3, 72e-3, 0};
  vec3 F = at(O, beta, rr, 0), G = at(A, delta, zt, 0), H = at(A, epsilon, 0, -u);
  vec3 E = at(B, gamma, 0, -ss), D = at(B, gamma, sd, -sc);
  auto add = [&p](double mass, double inertia, vec3 where) {
    p.bodies.push_back({mass, {inertia, inertia, inertia}, where});
  };
  add(0.04325, 2.194e-6, at(O, beta, ra, 0));
  add(0.00365, 4.410e-7, at(F, beta, -da, 0));
  add(0.02373, 5.255e-6, at(B, gamma, sb, -sa));
  add(0.00706, 5.667e-7, at(G, phi + delta, 0, ea - e));
  add(0.07050, 1.169e-5, at(A, delta, ta, tb));
  add(0.00706, 5.667e-7, at(H, omega + epsilon, zf - fa, 0));
  add(0.05498, 1.912e-5, at(A, epsilon, -ub, -ua));
  p.joints = {{-1, 0, O, axis_z, false}, {0, 1, F, axis_z, false}, {-1, 2, B, axis_z, false},
              {-1, 4, A, axis_z, false}, {4, 3, G, axis_z, false}, {-1, 6, A, axis_z, false},
              {6, 5, H, axis_z, false},  {2, 1, E, axis_z, true},  {2, 3, E, axis_z, true},
              {2, 5, E, axis_z, true}};
  p.springs = {{2, D, C, 4530, 7785e-5}};
  return p;
}

// six hinges in one loop, overconstrained (IFToMM A04)
inline problem bricard() {
  problem p;
  p.name = "bricard";
  p.gravity = {0, -9.81, 0};
  p.planar = false;
  const vec3 corner[6] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  const vec3 axis[6] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  for (int i = 0; i < 5; i++) {
    vec3 along = corner[i + 1] - corner[i], inertia;
    for (int k = 0; k < 3; k++) inertia[k] = std::fabs(along[k]) > 0.5 ? 0.02 / 12 : 1.01 / 12;
    p.bodies.push_back({1, inertia, 0.5 * (corner[i] + corner[i + 1])});
    p.joints.push_back({i - 1, i, corner[i], axis[i], false});
  }
  p.joints.push_back({4, -1, corner[5], axis[5], true});
  return p;
}

inline std::vector<problem> all_problems() {
  return {four_bar(),       ladder(40), chain(5, 2, 1), chain(50, 1, 0),
          chain(500, 1, 0), andrews(),  bricard()};
}
