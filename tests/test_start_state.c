// test_start_state.c: from the description to the state at the start.
//
// Frames mean place and axes wherever an end may be one; forces are relaxed as assembled; what is
// held is held or refused; given rates move b; what cannot act is refused. Expected values are
// computed from the description by the rotations of start_rig.h.
#include "start_rig.h"

static text *paper;

static text *blank(void) {
  paper->n = 0;
  return paper;
}

static vec pose_place(const hn_pose *p, rot body, vec at) {
  return vec_add(vec_of(p->position[0], p->position[1], p->position[2]), 1, rot_apply(body, at));
}

// ---- coordinates and drivers in frames -------------------------------------------------------

static double coordinate_of(const char *name, vec d, rot r) {
  if (!strcmp(name, "x")) return d.x[0];
  if (!strcmp(name, "y")) return d.x[1];
  if (!strcmp(name, "z")) return d.x[2];
  // r = Rz(yaw) Ry(pitch) Rx(roll)
  if (!strcmp(name, "roll")) return atan2(r.m[2][1], r.m[2][2]);
  if (!strcmp(name, "pitch")) return asin(fmax(-1, fmin(1, -r.m[2][0])));
  return atan2(r.m[1][0], r.m[0][0]);
}

static void coordinates_in_frames(void) {
  static const char *const names[] = {"x", "y", "z", "roll", "pitch", "yaw"};
  for (int k = 0; k < 72; k++) {
    unsigned long long seed = test_seed;
    const char *name = names[k % 6];
    bool driver = k / 6 % 2;
    rot g = random_rot(), f = random_rot(), b = random_rot();
    vec pg = random_place(1), pf = random_place(1), pb = random_place(1);
    double value = test_random(-0.7, 0.7);
    text *t = blank();
    say(t, "simulation: {duration: 1}\nground: {frames: {");
    say_frame(t, "g", pg, g);
    say(t, "}}\nbodies:\n  b: {mass: 1, inertia: [0.1, 0.15, 0.2], position: ");
    say_vec(t, pb);
    say(t, ", orientation: ");
    say_rot(t, b);
    say(t, ", frames: {");
    say_frame(t, "f", pf, f);
    say(t, "}}\njoints:\n  J: {type: %s, a: ground.g, b: b.f, coordinate: %s, %s: %.17g}\n",
        driver ? "driver" : "coordinate", name, driver ? "motion" : "value", value);
    started s = start_of(t->s, families[k % 3]);
    int ok = CHECK(s.status == HN_OK);
    if (ok) {
      hn_pose p = start_pose(&s, 1);
      rot body = rot_of(p.orientation), back = rot_back(g);
      vec d = rot_apply(back, vec_add(pose_place(&p, body, pf), -1, pg));
      ok = CHECK_NEAR(coordinate_of(name, d, rot_mul(rot_mul(back, body), f)), value, 1e-9);
    }
    if (!ok) printf("  case %d, seed %llx: %s\n%s\n", k, seed, s.message, t->s);
    start_end(&s);
  }
}

// ---- applied forces in the axes of a frame ---------------------------------------------------

static void vectors_in_frames(void) {
  for (int k = 0; k < 24; k++) {
    rot b = random_rot(), f = random_rot();
    vec F = random_place(10), I = vec_of(0.1, 0.15, 0.2);
    bool torque = k % 2, oriented = k % 4 < 2;
    text *t = blank();
    say(t, "simulation: {duration: 1}\nbodies:\n  b: {mass: 2, inertia: [0.1, 0.15, 0.2], "
           "orientation: ");
    say_rot(t, b);
    say(t, ", frames: {");
    if (oriented)
      say_frame(t, "f", vec_of(0, 0, 0), f);
    else
      say(t, "f: [0, 0, 0]");
    say(t, "}}\nforces:\n  F: {type: %s, b: b.f, axes: body, %s: ", torque ? "torque" : "force",
        torque ? "torque" : "force");
    say_vec(t, F);
    say(t, "}\n");
    started s = start_of(t->s, "reference");
    if (CHECK(s.status == HN_OK)) {
      const double *a = hn_accelerations(s.sim);
      vec body = oriented ? rot_apply(f, F) : F, world = rot_apply(b, body);
      for (int i = 0; i < 3; i++) {
        CHECK_NEAR(a[i], torque ? 0 : world.x[i] / 2, 1e-9);
        CHECK_NEAR(a[3 + i], torque ? body.x[i] / I.x[i] : 0, 1e-9);
      }
    } else {
      printf("  %s\n%s\n", s.message, t->s);
    }
    start_end(&s);
  }
}

// ---- relaxed means: as assembled -------------------------------------------------------------

// a body whose joint is open as described, on a spring, a torsion spring or a bushing that says
// nothing of where it is relaxed: no force acts
static void relaxed_as_assembled(void) {
  static const char *const force[] = {
      "type: spring, b: b.f, at: [2, 0.3, 0.1], stiffness: 100",
      "type: spring, joint: S, stiffness: 100",
      "type: torsion-spring, joint: J, stiffness: 30, coefficients: [1, 2, 3]",
      "type: bushing, b: b.f, stiffness: [100, 200, 300, 10, 20, 30]",
      "type: bushing, b: b, at: [0.2, 0.1, 0], axis: [1, 2, 3], stiffness: [1, 2, 3, 4, 5, 6]",
  };
  for (int k = 0; k < 60; k++) {
    unsigned long long seed = test_seed;
    int which = k % 5;
    rot off = rot_about(random_direction(), test_random(0, 1.5));
    text *t = blank();
    say(t, "simulation: {duration: 1}\nground: {frames: {");
    say_frame(t, "g", random_place(0.5), random_rot());
    say(t, "}}\nbodies:\n  b: {mass: 1, inertia: [0.1, 0.15, 0.2], position: ");
    say_vec(t, random_place(0.5));
    say(t, ", orientation: ");
    say_rot(t, off);
    say(t, ", frames: {f: [1, 0.2, 0], ");
    say_frame(t, "h", random_place(0.3), random_rot());
    say(t, "}}\n  c: {mass: 1, inertia: [0.1, 0.15, 0.2], position: [0.4, 0.5, 0.6], frames: {");
    say_frame(t, "h", random_place(0.3), random_rot());
    say(t,
        "}}\njoints:\n  J: {type: revolute, a: ground.g, b: b.h}\n"
        "  S: {type: prismatic, a: b.h, b: c.h}\nforces:\n  F: {%s}\n",
        force[which]);
    started s = start_of(t->s, families[k / 5 % 3]);
    int ok = CHECK(s.status == HN_OK);
    if (ok) {
      hn_energy e;
      ok &= CHECK(hn_sim_energy(s.sim, &e) == HN_OK && fabs(e.potential) < 1e-15);
      const double *a = hn_accelerations(s.sim);
      for (int i = 0; i < hn_system_nv(s.sys); i++) ok &= CHECK_NEAR(a[i], 0, 1e-9);
    }
    if (!ok) printf("  case %d, seed %llx: %s\n%s\n", k, seed, s.message, t->s);
    start_end(&s);
  }
}

// between two frames a bushing is relaxed where they agree, or as `free` says; a preload is added
static void bushings_between_frames(void) {
  for (int k = 0; k < 40; k++) {
    unsigned long long seed = test_seed;
    rot g = random_rot(), f = random_rot();
    vec pg = random_place(1), d = random_place(0.3), axis = random_direction();
    double angle = test_random(0, 2.5);
    rot turn = rot_about(axis, angle);
    vec free = k % 2 ? random_place(0.2) : vec_of(0, 0, 0);
    double part = k % 2 ? test_random(0, 0.9) : 0;  // of the turn that is free
    vec p = k % 4 > 1 ? random_place(5) : vec_of(0, 0, 0);
    vec m = k % 4 > 1 ? random_place(5) : vec_of(0, 0, 0);
    // b's frame stands at d from g and is turned by `turn`, both in the axes of g
    rot frame = rot_mul(g, turn), body = rot_mul(frame, rot_back(f));
    text *t = blank();
    say(t, "simulation: {duration: 1}\nground: {frames: {");
    say_frame(t, "g", pg, g);
    say(t, "}}\nbodies:\n  b: {mass: 2, inertia: [0.5, 0.5, 0.5], position: ");
    say_vec(t, vec_add(pg, 1, rot_apply(g, d)));
    say(t, ", orientation: ");
    say_rot(t, body);
    say(t, ", frames: {");
    say_frame(t, "f", vec_of(0, 0, 0), f);
    say(t,
        "}}\nforces:\n  F: {type: bushing, a: ground.g, b: b.f, stiffness: [100, 200, 300, 7, 7, "
        "7]");
    if (k % 2)
      say(t, ", free: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", free.x[0], free.x[1], free.x[2],
          part * angle * axis.x[0], part * angle * axis.x[1], part * angle * axis.x[2]);
    if (k % 4 > 1)
      say(t, ", preload: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", p.x[0], p.x[1], p.x[2],
          m.x[0], m.x[1], m.x[2]);
    say(t, "}\n");
    started s = start_of(t->s, "reference");
    int ok = CHECK(s.status == HN_OK);
    if (ok) {
      const double *a = hn_accelerations(s.sim), K[3] = {100, 200, 300};
      vec F = p;
      for (int i = 0; i < 3; i++) F.x[i] -= K[i] * (d.x[i] - free.x[i]);
      F = rot_apply(g, F);
      for (int i = 0; i < 3; i++) ok &= CHECK_NEAR(a[i], F.x[i] / 2, 1e-8);
      // without preload the torque is along the turn that is left; the inertia is a sphere's
      if (k % 4 < 2) {
        vec T = rot_apply(rot_back(body), rot_apply(g, axis));
        for (int i = 0; i < 3; i++)
          ok &= CHECK_NEAR(a[3 + i], -7 * (1 - part) * angle * T.x[i] / 0.5, 1e-8);
      }
    }
    if (!ok) printf("  case %d, seed %llx: %s\n%s\n", k, seed, s.message, t->s);
    start_end(&s);
  }
}

// ---- held ------------------------------------------------------------------------------------

// two bodies on a joint, one of them held in place: the other one comes
static void held_bodies(void) {
  static const char *const joint[] = {"spherical", "revolute", "fixed", "universal"};
  for (int k = 0; k < 48; k++) {
    unsigned long long seed = test_seed;
    rot turn[2] = {random_rot(), random_rot()};
    vec at[2] = {random_place(1), random_place(1)};
    int held = k % 2;
    text *t = blank();
    say(t, "simulation: {duration: 1}\nbodies:\n");
    for (int i = 0; i < 2; i++) {
      say(t, "  b%d: {mass: %d, inertia: [0.1, 0.15, 0.2], position: ", i, 1 + i);
      say_vec(t, at[i]);
      say(t, ", orientation: ");
      say_rot(t, turn[i]);
      if (i == held) say(t, ", hold: [x, y, z, rotation]");
      say(t, ", frames: {");
      say_frame(t, "f", random_place(0.5), random_rot());
      say(t, "}}\n");
    }
    say(t, "joints:\n  J: {type: %s, a: b0.f, b: b1.f}\n", joint[k / 2 % 4]);
    started s = start_of(t->s, families[k % 3]);
    int ok = CHECK(s.status == HN_OK);
    if (ok) {
      hn_pose p = start_pose(&s, 1 + held);
      for (int i = 0; i < 3; i++) ok &= CHECK_NEAR(p.position[i], at[held].x[i], 1e-9);
      ok &= CHECK_NEAR(rot_angle(rot_of(p.orientation), turn[held]), 0, 1e-9);
      hn_residuals r;
      ok &= CHECK(hn_sim_residuals(s.sim, &r) == HN_OK && r.position < 1e-9);
    }
    if (!ok) printf("  case %d, seed %llx: %s\n%s\n", k, seed, s.message, t->s);
    start_end(&s);
  }
}

// a hinge between frames is brought to the value it is held at; so is the angle of a cylinder
static void held_joints(void) {
  for (int k = 0; k < 24; k++) {
    unsigned long long seed = test_seed;
    double value = test_random(-3, 3);
    text *t = blank();
    say(t, "simulation: {duration: 1}\nground: {frames: {");
    say_frame(t, "g", random_place(1), random_rot());
    say(t, "}}\nbodies:\n  b: {mass: 1, inertia: [0.1, 0.15, 0.2], position: ");
    say_vec(t, random_place(0.5));
    say(t, ", orientation: ");
    say_rot(t, random_rot());
    say(t, ", frames: {");
    say_frame(t, "f", random_place(0.3), random_rot());
    say(t, "}}\njoints:\n  J: {type: %s, a: ground.g, b: b.f, value: %.17g, hold: true}\n",
        k % 2 ? "cylindrical, coordinate: angle" : "revolute", value);
    started s = start_of(t->s, families[k % 3]);
    int ok = CHECK(s.status == HN_OK);
    double angle = 0, rate;
    if (ok) {
      ok = CHECK(hn_joint_coordinate(s.sim, (hn_joint){1}, "angle", &angle, &rate) == HN_OK) &&
           CHECK_NEAR(angle, value, 1e-9);
    }
    if (!ok) printf("  case %d, seed %llx: %s\n%s\n", k, seed, s.message, t->s);
    start_end(&s);
  }
}

// a driver or a value that is whole turns away from the description moves nothing, and gears behind
// it stay as they are; the coordinate is read on the turn that was asked for
static void whole_turns_away(void) {
  const double turn = 2 * acos(-1);
  for (int k = 0; k < 60; k++) {
    unsigned long long seed = test_seed;
    bool flat = k % 2, joint = k % 4 < 2, driven = joint || k % 8 < 4;
    double start = test_random(-3, 3), wanted = start + turn * floor(test_random(-3, 4));
    double value = joint ? test_random(-2, 2) : 0;
    text *t = blank();
    say(t, "simulation: {duration: 1}\nbodies:\n");
    const char *kind = flat ? "type: planar, inertia: 0.1" : "inertia: [0.1, 0.1, 0.1]";
    say(t, "  b: {mass: 1, position: [0.5, 0], %s, ", kind);
    say(t, flat ? "angle: %.17g" : "orientation: {axis: [0, 0, 1], angle: %.17g}", start);
    say(t, "}\n  c: {mass: 1, position: [1.5, 0], %s}\njoints:\n", kind);
    say(t, "  J: {type: revolute, b: b, at: [0, 0], value: %.17g}\n", value);
    say(t, "  K: {type: revolute, a: b, b: c, at: [1, 0]}\n");
    say(t, "  mesh: {type: gear, joint_a: J, joint_b: K, ratio: 0.37}\n");
    if (joint)
      say(t, "  D: {type: driver, joint_a: J, motion: %.17g + t}\n", value + wanted - start);
    else
      say(t, "  D: {type: %s, b: b, coordinate: %s, %s: %.17g}\n", driven ? "driver" : "coordinate",
          flat ? "angle" : "yaw", driven ? "motion" : "value", wanted);
    started s = start_of(t->s, families[k % 3]);
    int ok = CHECK(s.status == HN_OK);
    hn_pose b, c;
    double angle = 0, rate, small[2] = {0, 0};
    ok = ok && CHECK(hn_body_pose(s.sim, (hn_body){1}, &b) == HN_OK) &&
         CHECK(hn_body_pose(s.sim, (hn_body){2}, &c) == HN_OK) &&
         CHECK_NEAR(b.position[0], 0.5, 1e-12) && CHECK_NEAR(c.position[0], 1.5, 1e-12) &&
         CHECK_NEAR(c.position[1], 0, 1e-12) && CHECK_NEAR(fabs(c.orientation[0]), 1, 1e-12);
    for (int i = 0; ok && joint && i < 2; i++) {
      ok = CHECK(hn_joint_coordinate(s.sim, (hn_joint){i + 1}, "angle", &angle, &rate) == HN_OK);
      small[i] = angle;
    }
    if (ok && joint)
      ok = CHECK_NEAR(small[0], value + wanted - start, 1e-12) && CHECK_NEAR(small[1], 0, 1e-12);
    // and goes on from there
    ok = ok && CHECK(hn_advance(s.sim, 0.5) == HN_OK) &&
         CHECK(hn_joint_coordinate(s.sim, (hn_joint){1}, "angle", &angle, &rate) == HN_OK);
    if (ok && joint) ok = CHECK_NEAR(angle, value + wanted - start + 0.5, 1e-9);
    if (!ok) printf("  case %d, seed %llx: %s\n%s\n", k, seed, s.message, t->s);
    start_end(&s);
  }
}

// velocities: kept when held and possible, given in world axes whatever assembly turns, refused
// when the joints forbid them
static void held_velocities(void) {
  for (int k = 0; k < 24; k++) {
    unsigned long long seed = test_seed;
    vec at = random_place(1), w = random_place(3), pin = random_place(1);
    vec v = vec_cross(w, vec_add(at, -1, pin));
    bool wrong = k % 3 == 2;
    if (wrong) v = vec_add(v, 1, random_direction());
    text *t = blank();
    say(t, "simulation: {duration: 1}\nbodies:\n  b: {mass: 1, inertia: [0.1, 0.15, 0.2], "
           "hold: velocity, orientation: ");
    say_rot(t, random_rot());
    say(t, ", position: ");
    say_vec(t, at);
    say(t, ", velocity: ");
    say_vec(t, v);
    say(t, ", angular_velocity: ");
    say_vec(t, w);
    say(t, "}\njoints:\n  J: {type: spherical, b: b, at: ");
    say_vec(t, pin);
    say(t, "}\n");
    if (wrong) {
      check_refused(t->s, "velocity is held");
      continue;
    }
    started s = start_of(t->s, families[k % 3]);
    int ok = CHECK(s.status == HN_OK);
    if (ok) {
      hn_pose p = start_pose(&s, 1);
      for (int i = 0; i < 3; i++) {
        ok &= CHECK_NEAR(p.velocity[i], v.x[i], 1e-9);
        ok &= CHECK_NEAR(p.angular_velocity[i], w.x[i], 1e-9);
      }
      ok &= CHECK(hn_system_check(s.sys)->note_count == 0);
    }
    if (!ok) {
      printf("  case %d, seed %llx: %s\n%s\n", k, seed, s.message, t->s);
      if (s.sys) show_notes(&s);
    }
    start_end(&s);
  }
}

// given velocities that the joints change are told; angular velocities stay in world axes when
// assembly turns the body
static void velocities_told(void) {
  started s = start_of("simulation: {duration: 1}\nbodies:\n  pend: {mass: 1, inertia: [0.1, 0.1, "
                       "0.1], position: [1, 0, 0], velocity: [1, 0, 2]}\njoints:\n  J: {type: "
                       "revolute, b: pend, at: [0, 0, 0], axis: [0, 1, 0]}\n",
                       "reference");
  if (CHECK(s.status == HN_OK)) {
    CHECK(start_says(&s, "velocity of 'pend' changed by"));
    const hn_check_body *b = &hn_system_check(s.sys)->body[0];
    // an impulse at the hinge: along z m dv = F, I dw = r x F, v_z = -w x: w = -2 m r / (m r^2 + I)
    double w = -2 / 1.1;
    CHECK_NEAR(b->velocity_change, hypot(1, 2 + w), 1e-12);
    CHECK_NEAR(b->spin_change, -w, 1e-12);
  }
  start_end(&s);
  s = start_of("simulation: {duration: 1}\nground: {frames: {g: {position: [0, 0, 0], orientation: "
               "{axis: [1, 0, 0], angle: 90 deg}}}}\nbodies:\n  b: {mass: 1, inertia: [0.1, 0.1, "
               "0.1], angular_velocity: [0, -3, 0], frames: {f: {position: [0, 0, 0], orientation: "
               "{axis: [1, 0, 0], angle: 0}}}}\njoints:\n  J: {type: revolute, a: ground.g, b: "
               "b.f}\n",
               "relative");
  if (CHECK(s.status == HN_OK)) {
    hn_pose p = start_pose(&s, 1);
    CHECK_NEAR(p.angular_velocity[1], -3, 1e-12);  // z of the frame is -y
    CHECK(start_says(&s, "assembly moved 'b' by 90 deg"));
    CHECK(!start_says(&s, "velocity"));
  }
  start_end(&s);
}

// ---- rates -----------------------------------------------------------------------------------

// rates along a chain of free bodies move each against the one before; the first stays as it is
static void rates(void) {
  for (int k = 0; k < 24; k++) {
    unsigned long long seed = test_seed;
    double rate[3];
    vec axis[3], v = random_place(1), w = random_place(1);
    text *t = blank();
    say(t, "simulation: {duration: 1}\nbodies:\n");
    for (int i = 0; i < 4; i++) {
      say(t, "  b%d: {mass: %g, inertia: [0.1, 0.15, 0.2], position: ", i, test_random(0.1, 10));
      say_vec(t, random_place(1));
      if (i == 0 && k % 2) {
        say(t, ", velocity: ");
        say_vec(t, v);
        say(t, ", angular_velocity: ");
        say_vec(t, w);
      }
      say(t, "}\n");
    }
    if (k % 2 == 0) v = w = vec_of(0, 0, 0);
    say(t, "joints:\n");
    for (int i = 2; i >= 0; i--) {
      axis[i] = random_direction(), rate[i] = test_random(-5, 5);
      say(t, "  J%d: {type: revolute, a: b%d, b: b%d, rate: %.17g, at: ", i, i, i + 1, rate[i]);
      say_vec(t, random_place(1));
      say(t, ", axis: ");
      say_vec(t, axis[i]);
      say(t, "}\n");
    }
    started s = start_of(t->s, families[k % 3]);
    int ok = CHECK(s.status == HN_OK);
    vec turn = w;
    for (int i = 0; ok && i < 4; i++) {
      hn_pose p = start_pose(&s, 1 + i);
      if (i > 0) turn = vec_add(turn, rate[i - 1], axis[i - 1]);
      for (int c = 0; c < 3; c++) {
        ok &= CHECK_NEAR(p.angular_velocity[c], turn.x[c], 1e-9);
        if (i == 0) ok &= CHECK_NEAR(p.velocity[c], v.x[c], 1e-9);
      }
    }
    if (!ok) printf("  case %d, seed %llx: %s\n%s\n", k, seed, s.message, t->s);
    start_end(&s);
  }
}

// ---- refused ---------------------------------------------------------------------------------

static void contradictions(void) {
  check_refused("bodies: {b: {type: planar, mass: 1, inertia: 1, position: [0.5, 0]}}\njoints:\n"
                "  J: {type: revolute, b: b, at: [0, 0], hold: true}\n"
                "  M: {type: driver, joint_a: J, motion: 0.5 + t}\n",
                "joint 'J': it is held at 0, but the other joints and drivers need it at 0.5");
  check_refused("bodies: {b: {type: planar, mass: 1, inertia: 1, position: [0.5, 0], hold: rotation"
                "}}\njoints:\n  J: {type: revolute, b: b, at: [0, 0]}\n"
                "  M: {type: driver, joint_a: J, motion: 0.5 + t}\n",
                "body 'b': its rotation is held");
  check_refused("ground: {frames: {g: [0, 0]}}\nbodies: {b: {type: planar, mass: 1, inertia: 1, "
                "position: [0.5, 0], hold: x, frames: {f: [0, 0]}}}\njoints:\n"
                "  J: {type: revolute, a: ground.g, b: b.f}\n",
                "body 'b': x is held at 0.5 m");
  check_refused("bodies: {b: {type: planar, mass: 1, inertia: 1, position: [0.5, 0], "
                "angular_velocity: 2, hold: velocity}}\njoints:\n"
                "  J: {type: revolute, b: b, at: [0, 0]}\n"
                "  M: {type: driver, joint_a: J, motion: 5*t}\n",
                "body 'b': its velocity is held");
  check_refused("bodies: {b: {type: planar, mass: 1, inertia: 1}}\nground: {frames: {g: [0, 0]}}\n"
                "joints: {}\nforces: {F: {type: force, b: b, force: [0, 0, 100]}}\n",
                "force z has no effect");
  check_refused("bodies: {b: {type: planar, mass: 1, inertia: 1}}\n"
                "forces: {F: {type: torque, b: b, torque: [100*t, 0, 1]}}\n",
                "torque x has no effect");
  check_refused("gravity: [0, 0, -9.81]\nbodies: {b: {type: planar, mass: 1, inertia: 1}}\n",
                "gravity: -9.81 along z has no effect");
  check_refused("parameters: {g: 9.81}\nbodies: {b: {type: planar-point, mass: 1}}\n"
                "forces: {F: {type: force, b: b, force: [0, -1 g]}}\n",
                "'g' is a unit and also a parameter here");
  check_refused("parameters: {m: 3}\nbodies: {b: {type: planar, mass: 1, inertia: 1}}\n"
                "forces: {F: {type: torque, b: b, torque: 15 N*m}}\n",
                "'m' after a unit is a unit and also a parameter here");
  check_refused("parameters: {length: 3}\nbodies: {b: {type: planar-point, mass: 1, position: [1, "
                "0]}}\nforces: {F: {type: spring, b: b, law: 10*(length - 1)}}\n",
                "'length' is a parameter and also a quantity");
  check_refused("parameters: {value: 3}\nbodies: {b: {type: planar, mass: 1, inertia: 1}}\n"
                "joints: {J: {type: revolute, b: b}}\n"
                "forces: {F: {type: motor, joint: J, law: -value}}\n",
                "'value' is a parameter and also a quantity");
  check_refused(
      "ground: {frames: {g: [0, 0]}}\nbodies: {b: {type: planar, mass: 1, inertia: 1, "
      "frames: {f: {position: [0, 0], orientation: {axis: [1, 0, 0], angle: 180 deg}}}}}\n"
      "joints: {J: {type: fixed, a: ground.g, b: b.f}}\n",
      "planar bodies turn about z");
}

// ---- stuck -----------------------------------------------------------------------------------

// triangles of given sides, described anywhere: they close, and what cannot is told
static void triangles(void) {
  int other = 0;
  for (int k = 0; k < 60; k++) {
    unsigned long long seed = test_seed;
    double a = test_random(0.3, 2), b = test_random(0.3, 2);
    double c = k % 6 ? test_random(fabs(a - b) + 0.01, a + b - 0.01) : a + b + 0.2;
    text *t = blank();
    say(t, "simulation: {duration: 1}\nground: {frames: {p: [0, 0], q: [%.17g, 0]}}\nbodies:\n", c);
    say(t,
        "  u: {type: planar, mass: 1, inertia: 1, position: [%g, %g], angle: %g, frames: {f: [0, "
        "0], t: [%.17g, 0]}}\n",
        test_random(-1, 1), test_random(-1, 1), test_random(-3, 3), a);
    say(t,
        "  v: {type: planar, mass: 1, inertia: 1, position: [%g, %g], angle: %g, frames: {f: [0, "
        "0], t: [%.17g, 0]}}\n",
        test_random(-1, 1), test_random(-1, 1), test_random(-3, 3), b);
    say(t, "joints:\n  A: {type: revolute, a: ground.p, b: u.f}\n  B: {type: revolute, a: u.t, b: "
           "v.t}\n  C: {type: revolute, a: ground.q, b: v.f}\n");
    if (k % 6 == 0) {
      check_refused(t->s, "got stuck");
      continue;
    }
    started s = start_of(t->s, families[k % 3]);
    int ok = CHECK(s.status == HN_OK);
    if (ok) other += start_says(&s, "got stuck");
    if (!ok) printf("  case %d, seed %llx: %s\n%s\n", k, seed, s.message, t->s);
    start_end(&s);
  }
  printf("%d of 50 triangles closed from another start\n", other);
  started s = start_of("simulation: {duration: 1}\nbodies: {p: {type: point, mass: 1}}\n"
                       "joints: {D: {type: distance, b: p, length: 1}}\n",
                       NULL);
  if (CHECK(s.status == HN_OK)) {
    hn_pose p = start_pose(&s, 1);
    CHECK_NEAR(vec_size(vec_of(p.position[0], p.position[1], p.position[2])), 1, 1e-12);
    CHECK(start_says(&s, "assembly moved 'p' by 1 m") && start_says(&s, "got stuck"));
  }
  start_end(&s);
}

// ---- formulas that are no number -------------------------------------------------------------

static void not_a_number(void) {
  static const char *const events[] = {"on", "off"};
  for (int k = 0; k < 2; k++) {
    text *t = blank();
    say(t,
        "simulation: {duration: 1, events: %s}\nbodies: {b: {type: planar-point, mass: 1, "
        "velocity: [1, 0]}}\nforces: {F: {type: force, b: b, force: [\"if(sqrt(0.5 - b.x) > 0.1, "
        "1, 2)\", 0]}}\n",
        events[k]);
    started s = start_of(t->s, "reference");
    if (CHECK(s.status == HN_OK)) CHECK(hn_advance(s.sim, 1) != HN_OK);
    start_end(&s);
  }
}

// tables go on straight beyond their ends, and the run says so
static void tables(void) {
  for (int k = 0; k < 2; k++) {
    text *t = blank();
    say(t,
        "simulation: {duration: 1}\nbodies: {b: {type: planar-point, mass: 1, position: [1, 0], "
        "velocity: [%g, 0]}}\nforces: {S: {type: spring, b: b, table: [[-0.2, -1], [0, 0], [0.2, "
        "1]]}}\n",
        k ? 2.0 : 0.1);
    started s = start_of(t->s, "reference");
    hn_result *result = NULL;
    hn_summary summary = {0};
    if (CHECK(s.status == HN_OK) && CHECK(hn_run(s.sim, &result, NULL, NULL) == HN_OK)) {
      hn_sim_summary(s.sim, &summary);
      CHECK((summary.tables[0] != 0) == (k == 1));
      CHECK(k == 0 || strstr(summary.tables, "force 'S': its table ends at 0.2"));
    }
    hn_result_destroy(result);
    start_end(&s);
  }
}

// every multiplier asked for is recorded, in all coordinates
static void components(void) {
  for (int f = 0; f < 3; f++) {
    started s = start_of("gravity: [0, 0, -9.81]\nbodies: {b: {mass: 1, inertia: [0.1, 0.1, 0.1], "
                         "position: [1, 0, 0]}}\njoints: {J: {type: revolute, b: b, at: [0, 0, 0], "
                         "axis: [0, 1, 0], components: true}}\noutputs: [J.lambda_x, J.lambda_z]\n",
                         families[f]);
    if (!CHECK(s.status == HN_OK)) printf("  %s: %s\n", families[f], s.message);
    start_end(&s);
  }
}

int main(void) {
  paper = calloc(1, sizeof *paper);
  RUN(coordinates_in_frames);
  RUN(vectors_in_frames);
  RUN(relaxed_as_assembled);
  RUN(bushings_between_frames);
  RUN(held_bodies);
  RUN(held_joints);
  RUN(whole_turns_away);
  RUN(held_velocities);
  RUN(velocities_told);
  RUN(rates);
  RUN(contradictions);
  RUN(triangles);
  RUN(not_a_number);
  RUN(tables);
  RUN(components);
  free(paper);
  return test_end();
}
