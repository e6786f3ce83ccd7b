// test_start_frames.c: frames of joints meet the right way round, from any described orientation.
//
// A body hangs on the ground by one joint between two oriented frames. It is described somewhere
// else, turned by up to exactly half a turn. Where it must be after assembly is computed here from
// the frames alone.
#include "start_rig.h"

typedef struct posed {
  rot g, f;    // orientation of the frame on the ground, and of that on the body
  vec pg, pf;  // their places
  rot described;
} posed;

static const double half_turn = 3.14159265358979323846;

// how far the frames are apart as described, about which axis (in axes of the ground's frame)
static posed random_case(int k) {
  posed c = {random_rot(), random_rot(), random_place(1), random_place(1), {{{0}}}};
  double angle = k % 4 == 0   ? acos(-1)
                 : k % 4 == 1 ? 170 * half_turn / 180
                 : k % 4 == 2 ? 120 * half_turn / 180
                              : test_random(0, half_turn);
  vec axis = k % 8 == 0 ? vec_of(1, 0, 0) : k % 8 == 4 ? vec_of(0, 1, 0) : random_direction();
  if (k % 16 == 0) c.g = c.f = rot_about(vec_of(1, 0, 0), 0);
  // body frame = ground frame turned: D f = g turn
  c.described = rot_mul(rot_mul(c.g, rot_about(axis, angle)), rot_back(c.f));
  return c;
}

static void write_model(text *t, const posed *c, const char *type, const char *keys) {
  t->n = 0;
  say(t, "gravity: [0, 0, -9.81]\nsimulation: {duration: 1}\nground: {frames: {");
  say_frame(t, "g", c->pg, c->g);
  say(t, "}}\nbodies:\n  arm: {mass: 1.3, inertia: [0.1, 0.13, 0.2], com: [0.1, 0.2, -0.1], "
         "position: ");
  say_vec(t, vec_add(c->pg, 1, random_place(0.3)));
  say(t, ", orientation: ");
  say_rot(t, c->described);
  say(t, ", frames: {");
  say_frame(t, "f", c->pf, c->f);
  say(t, "}}\njoints:\n  J: {type: %s, a: ground.g, b: arm.f%s}\n", type, keys);
}

// what the frames must share
enum { POINT = 1, AXIS = 2, ALL = 4, ON_AXIS = 8, ON_PLANE = 16, ACROSS = 32 };
static const struct {
  const char *type, *keys;
  int share;
} cases[] = {
    {"fixed", "", POINT | ALL},       {"revolute", "", POINT | AXIS},
    {"prismatic", "", ON_AXIS | ALL}, {"cylindrical", "", ON_AXIS | AXIS},
    {"planar", "", ON_PLANE | AXIS},  {"screw", ", pitch: 0.1", ON_AXIS | AXIS},
    {"parallel", "", AXIS},           {"universal", "", POINT | ACROSS},
    {"perpendicular", "", ACROSS},    {"constant-velocity", "", POINT},
    {"spherical", "", POINT},
};

static int check_met(const posed *c, const hn_pose *p, int share, double tol) {
  rot body = rot_of(p->orientation), frame = rot_mul(body, c->f);
  vec at =
      vec_add(vec_of(p->position[0], p->position[1], p->position[2]), 1, rot_apply(body, c->pf));
  vec d = vec_add(at, -1, c->pg), z = rot_column(c->g, 2), zb = rot_column(frame, 2);
  int ok = 1;
  if (share & POINT) ok &= CHECK_NEAR(vec_size(d), 0, tol);
  if (share & ALL) ok &= CHECK_NEAR(rot_angle(c->g, frame), 0, tol);
  if (share & AXIS) ok &= CHECK_NEAR(vec_size(vec_add(zb, -1, z)), 0, tol);
  if (share & ACROSS) ok &= CHECK_NEAR(vec_dot(zb, z), 0, tol);
  if (share & ON_AXIS) ok &= CHECK_NEAR(vec_size(vec_add(d, -vec_dot(d, z), z)), 0, tol);
  if (share & ON_PLANE) ok &= CHECK_NEAR(vec_dot(d, z), 0, tol);
  return ok;
}

static void meet(void) {
  text *t = calloc(1, sizeof *t);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int k = 0; k < 32; k++) {
      unsigned long long seed = test_seed;
      posed c = random_case(k);
      write_model(t, &c, cases[i].type, cases[i].keys);
      for (int f = 0; f < 3; f++) {
        started s = start_of(t->s, families[f]);
        int ok = CHECK(s.status == HN_OK);
        if (ok) {
          hn_pose p = start_pose(&s, 1);
          ok = check_met(&c, &p, cases[i].share, 1e-9);
          // and it stays so in motion, whatever coordinates carry it there
          if (ok && k % 8 == 1 && CHECK(hn_advance(s.sim, 0.1) == HN_OK)) {
            p = start_pose(&s, 1);
            ok = check_met(&c, &p, cases[i].share, 1e-6);
          }
        }
        if (!ok)
          printf("  %s, %s, case %d, seed %llx: %s\n%s\n", cases[i].type, families[f], k, seed,
                 s.message, t->s);
        start_end(&s);
      }
    }
  free(t);
}

// moves are told in metres and angles: a weld described half a turn off is turned by half a turn
static void told(void) {
  text *t = calloc(1, sizeof *t);
  for (int k = 0; k < 16; k++) {
    posed c = random_case(k);
    double off = rot_angle(c.g, rot_mul(c.described, c.f));
    write_model(t, &c, "fixed", "");
    started s = start_of(t->s, "reference");
    if (CHECK(s.status == HN_OK)) {
      const hn_check *check = hn_system_check(s.sys);
      CHECK_NEAR(check->joint[0].gap_angle, off, 1e-7);
      CHECK_NEAR(check->body[0].turned, off, 1e-7);
      CHECK(check->turned == check->body[0].turned);
      CHECK(off < 1e-3 || start_says(&s, "assembly moved 'arm'"));
    }
    start_end(&s);
  }
  free(t);
}

// a four-bar loop in a random plane whose bodies are described turned at random, one of them by
// nearly half a turn: all its axes must end up parallel to the ground's
static void loop(void) {
  text *t = calloc(1, sizeof *t);
  for (int k = 0; k < 24; k++) {
    unsigned long long seed = test_seed;
    rot tilt = random_rot(), own[3];
    double L = test_random(0.5, 1.5), W = test_random(0.5, 1.5), a = test_random(0.5, 2.5);
    vec corner[4] = {vec_of(0, 0, 0), vec_of(L * cos(a), L * sin(a), 0),
                     vec_of(W + L * cos(a), L * sin(a), 0), vec_of(W, 0, 0)};
    for (int i = 0; i < 4; i++) corner[i] = rot_apply(tilt, corner[i]);
    t->n = 0;
    say(t, "simulation: {duration: 1}\nground: {frames: {");
    say_frame(t, "p", corner[0], tilt);
    say(t, ", ");
    say_frame(t, "q", corner[3], tilt);
    say(t, "}}\nbodies:\n");
    for (int i = 0; i < 3; i++) {
      own[i] = random_rot();
      rot off = rot_about(random_direction(), i == k % 3 ? test_random(2, 3.1) : 0.3);
      vec middle = vec_add(corner[i], 0.5, vec_add(corner[i + 1], -1, corner[i]));
      rot back = rot_back(own[i]);
      say(t, "  b%d: {mass: 1, inertia: [0.1, 0.12, 0.2], position: ", i);
      say_vec(t, vec_add(middle, 0.05, random_direction()));
      say(t, ", orientation: ");
      say_rot(t, rot_mul(own[i], off));
      say(t, ", frames: {");
      say_frame(t, "l", rot_apply(back, vec_add(corner[i], -1, middle)), rot_mul(back, tilt));
      say(t, ", ");
      say_frame(t, "r", rot_apply(back, vec_add(corner[i + 1], -1, middle)), rot_mul(back, tilt));
      say(t, "}}\n");
    }
    say(t, "joints:\n  A: {type: revolute, a: ground.p, b: b0.l}\n"
           "  B: {type: spherical, a: b0.r, b: b1.l}\n"
           "  C: {type: cylindrical, a: b1.r, b: b2.l}\n"
           "  D: {type: revolute, a: ground.q, b: b2.r}\n");
    started s = start_of(t->s, k % 2 ? "reference" : "relative");
    int ok = CHECK(s.status == HN_OK);
    for (int i = 0; ok && i < 3; i++) {
      hn_pose p = start_pose(&s, 1 + i);
      vec z = rot_apply(rot_mul(rot_of(p.orientation), rot_back(own[i])), rot_column(tilt, 2));
      ok &= CHECK_NEAR(vec_size(vec_add(z, -1, rot_column(tilt, 2))), 0, 1e-8);
    }
    if (!ok) printf("  loop %d, seed %llx: %s\n%s\n", k, seed, s.message, t->s);
    start_end(&s);
  }
  free(t);
}

// an axis given in the world is meant to be there, also on a frame that has an orientation: where
// it is far from perpendicular to the frame of b nothing is turned to make it so
static void given_axis(void) {
  text *t = calloc(1, sizeof *t);
  static const char *const type[] = {"universal", "perpendicular"};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 16; k++) {
      posed c = random_case(3);
      vec z = rot_column(rot_mul(c.described, c.f), 2);
      vec axis = k % 2 ? z : vec_add(z, -vec_dot(z, rot_column(c.g, 2)), rot_column(c.g, 2));
      char keys[200];
      snprintf(keys, sizeof keys, ", axis: [%.17g, %.17g, %.17g]", axis.x[0], axis.x[1], axis.x[2]);
      write_model(t, &c, type[i], keys);
      started s = start_of(t->s, "reference");
      bool across = fabs(vec_dot(axis, z)) < 0.08 * vec_size(axis);
      bool along = fabs(vec_dot(axis, z)) > 0.96 * vec_size(axis);
      if (along && !CHECK(s.status == HN_ERR_MODEL && strstr(s.message, "perpendicular")))
        printf("  %s: '%s'\n%s\n", type[i], s.message, t->s);
      if (across) CHECK(s.status == HN_OK);
      start_end(&s);
    }
  free(t);
}

int main(void) {
  RUN(meet);
  RUN(told);
  RUN(given_axis);
  RUN(loop);
  return test_end();
}
