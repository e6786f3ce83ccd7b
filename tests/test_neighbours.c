// test_neighbours.c: uses called by their numbers, "link[k + 1].bar": joints and forces between
// neighbours of a repeated part.
//
// What is described once must be what is described one by one: the same file is written here with
// every name as it stands, by other means. Machines of any size have frequencies, forces and
// degrees of freedom that closed forms know.
#include "analysis_rig.h"

#include "io/model_reader.h"
#include "model/model.h"

#include <stdarg.h>

enum { ROOM = 1 << 16 };
static const double pi = 3.14159265358979323846;

static hn_model *parse(const char *text) {
  hn_model *m = hn_model_create();
  if (hn_model_parse(m, text, strlen(text), "test.yaml") == HN_OK) return m;
  test_check(0, hn_model_error(m), __FILE__, __LINE__);
  hn_model_destroy(m);
  return NULL;
}

static int whole(int low, int high) {
  return low + (int)floor(test_random(0, high - low + 1 - 1e-9));
}

typedef struct text {
  char at[ROOM];
  size_t used;
} text;

static void put(text *t, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = vsnprintf(t->at + t->used, sizeof t->at - t->used, format, list);
  va_end(list);
  if (CHECK(n >= 0 && t->used + (size_t)n < sizeof t->at)) t->used += (size_t)n;
}

// ---- the same as one by one --------------------------------------------------------------------

static const char part[] = "parts:\n"
                           "  link:\n"
                           "    points: {A: [0, 0], B: [0.1, 0], C: [0.05, 0.02]}\n"
                           "    bodies: {bar: {type: planar, mass: 1 + n*0, from: A, to: B}, "
                           "pad: {type: planar, mass: 0.2, inertia: 1e-4, position: C}}\n"
                           "    joints: {own: {type: revolute, a: bar, b: pad, at: C}}\n";

// every kind of place a name may stand in: ends, frames, points, joints of joints, formulas
static void put_between(text *t, const char *indent, const char *last, const char *this,
                        const char *name) {
  put(t, "%sjoints:\n", indent);
  put(t, "%s  %spin: {type: revolute, a: \"link%s.bar.B\", b: \"link%s.bar.A\"}\n", indent, name,
      last, this);
  put(t, "%s  %sgear: {type: gear, joint_a: \"link%s.own\", joint_b: \"link%s.own\", ratio: 2}\n",
      indent, name, last, this);
  put(t, "%sforces:\n", indent);
  put(t, "%s  %srope: {type: spring, a: \"link%s.pad\", b: \"link%s.pad\", stiffness: 10 + n}\n",
      indent, name, last, this);
  put(t,
      "%s  %spush: {type: force, b: \"link%s.bar\", at: \"link%s.bar.B\", "
      "force: [\"n*link%s.own.angle + link%s.bar.x\", 0]}\n",
      indent, name, this, last, last, this);
}

static void same_joints(const hn_model *a, const hn_model *b) {
  if (!CHECK(a->body_count == b->body_count && a->joint_count == b->joint_count &&
             a->force_count == b->force_count && a->frame_count == b->frame_count))
    return;
  for (int i = 0; i < a->joint_count; i++) {
    const hn_joint_def *x = &a->joint[i].def, *y = &b->joint[i].def;
    CHECK_STR(x->type, y->type);
    CHECK(x->a.body.id == y->a.body.id && x->b.body.id == y->b.body.id &&
          x->a.frame.id == y->a.frame.id && x->b.frame.id == y->b.frame.id);
    if (x->joint_a) CHECK_STR(x->joint_a, y->joint_a);
    if (x->joint_b) CHECK_STR(x->joint_b, y->joint_b);
  }
  for (int i = 0; i < a->force_count; i++) {
    const hn_force_def *x = &a->force[i].def, *y = &b->force[i].def;
    CHECK_STR(x->type, y->type);
    CHECK(x->a.body.id == y->a.body.id && x->b.body.id == y->b.body.id);
    CHECK(memcmp(x->at, y->at, sizeof x->at) == 0 && x->stiffness == y->stiffness);
    if (x->components[0]) CHECK_STR(x->components[0], y->components[0]);
  }
}

// Seeds are those of test_random, printed: counts, where they begin, and how they are written.
static void one_by_one(void) {
  for (int trial = 0; trial < 20; trial++) {
    static text described, written;
    unsigned long long seed = test_seed;
    int n = whole(1, 12), failed = test_failed;
    bool forwards = test_random(0, 1) < 0.5;
    described.used = written.used = 0;
    put(&described, "parameters: {n: %d}\n%s", n, part);
    put(&described, "use:\n  link: {part: link, repeat: n, step: [0.1, 0]}\n");
    if (forwards) {
      put(&described, "  between:\n    for: k in 0..n-2\n");
      put_between(&described, "    ", "[k]", "[k + 1]", "");
    } else {
      put(&described, "  between:\n    for: k in 1..n-1\n");
      put_between(&described, "    ", "[k-1]", "[ k ]", "");
    }
    put(&written, "parameters: {n: %d}\n%s", n, part);
    put(&written, "use:\n  link: {part: link, repeat: n, step: [0.1, 0]}\n");
    for (int k = 1; k < n; k++) {
      char last[16], this[16];
      snprintf(last, sizeof last, "%d", k - 1), snprintf(this, sizeof this, "%d", k);
      put(&written, "  between%d:\n", k);
      put_between(&written, "    ", last, this, "");
    }
    hn_model *a = parse(described.at), *b = parse(written.at);
    if (a && b) same_joints(a, b);
    hn_model_destroy(a), hn_model_destroy(b);
    if (test_failed > failed) printf("  seed 0x%llx\n", seed);
  }
}

// parts in parts, numbers by numbers, places of bodies, and numbers that are coordinates of points
static void nested_in_order(void) {
  hn_model *m = parse(
      "parts:\n"
      "  row:\n"
      "    parameters: {n: 3}\n"
      "    use:\n"
      "      link:\n"
      "        for: j in 1..n\n"
      "        step: [1, 0]\n"
      "        points: {P: [0.25, 0]}\n"
      "        bodies: {bar: {type: planar, mass: j, inertia: 1}}\n"
      "      pins: {for: k in 2..n, joints: {p: {type: revolute, a: \"link[k-1].bar\", "
      "b: \"link[k].bar\"}}}\n"
      "use:\n"
      "  row: {part: row, repeat: 3, step: [0, 2]}\n"
      "  rungs:\n"
      "    for: k in 1..2\n"
      "    joints: {r: {type: revolute, a: \"row[k-1].link[k + 1].bar\", b: \"row[k].link[2*k - "
      "1].bar\", at: \"row[k].link[1].P\"}}\n"
      "  end:\n"
      "    bodies:\n"
      "      e: {type: planar, mass: 1, inertia: 1, position: \"row[1].link[2].bar\"}\n"
      "      f: {type: planar, mass: 1, inertia: 1, position: [\"row[2].link[3].P.x + 1 m\", "
      "\"row[1].link[1].P.y\"]}\n");
  if (!m) return;
  int r = -1;
  for (int i = 0; i < m->joint_count; i++)
    if (strcmp(m->joint[i].def.name, "rungs2.r") == 0) r = i;
  if (CHECK(r >= 0 && m->joint_count == 8)) {
    const hn_joint_def *d = &m->joint[r].def;
    CHECK(d->a.body.id == hn_model_find_body(m, "row1.link3.bar"));
    CHECK(d->b.body.id == hn_model_find_body(m, "row2.link3.bar"));
    // step of the row, and P in its first link
    CHECK_NEAR(d->at[0], 0.25, 1e-15);
    CHECK_NEAR(d->at[1], 4, 1e-15);
  }
  int e = hn_model_find_body(m, "end.e");
  int f = hn_model_find_body(m, "end.f");
  if (CHECK(e > 0 && f > 0)) {
    CHECK_NEAR(m->body[f].def.position[0], 3.25, 1e-15);
    CHECK_NEAR(m->body[f].def.position[1], 2, 1e-15);
    CHECK_NEAR(m->body[e].def.position[0], 1, 1e-15);
    CHECK_NEAR(m->body[e].def.position[1], 2, 1e-15);
  }
  hn_model_destroy(m);
}

// ---- machines of any size ----------------------------------------------------------------------

static int upwards(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// n masses between two walls: 2 sqrt(c/m) sin(j pi/(2 (n + 1)))
static void springs_between_masses(void) {
  for (int trial = 0; trial < 4; trial++) {
    unsigned long long seed = test_seed;
    int n = whole(1, 15), failed = test_failed, found = 0;
    double c = test_random(50, 500), m = test_random(0.5, 2), w[40];
    rig r;
    hn_linear *linear = NULL;
    hn_modes *modes = NULL;
    if (!rig_open_format(
            &r,
            "parameters: {n: %d, c: %.17g, m: %.17g}\n"
            "use:\n"
            "  cart:\n"
            "    repeat: n\n"
            "    step: [1, 0]\n"
            "    bodies: {p: {type: planar-point, mass: m, position: [1, 0]}}\n"
            "    joints: {rail: {type: point-on-line, b: p, axis: [1, 0]}}\n"
            "  between:\n"
            "    for: k in 1..n-1\n"
            "    forces: {s: {type: spring, a: \"cart[k-1].p\", b: \"cart[k].p\", stiffness: c, "
            "free: 0.5}}\n"
            "forces:\n"
            "  left: {type: spring, b: \"cart[0].p\", at: [0, 0], at_b: [1, 0], stiffness: c, "
            "free: 0.5}\n"
            "  right: {type: spring, b: \"cart[n-1].p\", at: [n + 1, 0], at_b: [n, 0], "
            "stiffness: c, free: 0.5}\n",
            n, c, m))
      continue;
    bool ok = CHECK(!hn_linearise(r.sim, &linear)) && CHECK(!hn_modes_create(&modes, linear));
    for (int i = 0; ok && i < modes->count && found < 40; i++)
      if (modes->mode[i].im > 0) w[found++] = modes->mode[i].im;
    if (ok && CHECK(found == n)) {
      qsort(w, (size_t)n, sizeof *w, upwards);
      for (int j = 1; j <= n; j++)
        CHECK_REL(w[j - 1], 2 * sqrt(c / m) * sin(j * pi / (2 * (n + 1))), 1, 1e-9);
    }
    hn_modes_destroy(modes);
    hn_linear_destroy(linear);
    rig_close(&r);
    if (test_failed > failed) printf("  seed 0x%llx, n %d\n", seed, n);
  }
}

// a closed chain: 3 n velocities, 2 n rows, none of which repeats others
static void rings(void) {
  for (int n = 3; n <= 24; n += 7) {
    static text t;
    t.used = 0;
    put(&t,
        "parameters: {n: %d, R: 0.2/(2*sin(pi/n))}\n"
        "parts:\n"
        "  link:\n"
        "    points: {A: [R, 0], B: [\"R*cos(2*pi/n)\", \"R*sin(2*pi/n)\"]}\n"
        "    bodies: {bar: {type: planar, mass: 1, from: A, to: B}}\n"
        "use:\n"
        "  link: {part: link, repeat: n, about: z}\n"
        "  pins:\n"
        "    for: k in 0..n-1\n"
        "    joints: {pin: {type: revolute, a: \"link[k].bar.B\", b: \"link[mod(k + 1, "
        "n)].bar.A\"}}\n",
        n);
    hn_model *m = parse(t.at);
    hn_system *s = NULL;
    if (!m || !CHECK(!hn_compile(&s, m))) {
      if (m) printf("  %s\n", hn_model_error(m));
      hn_model_destroy(m);
      continue;
    }
    const hn_check *c = hn_system_check(s);
    CHECK(c->joints == n && c->dof == n && c->redundant_count == 0);
    // the links meet: nothing had to be moved
    CHECK(c->moved < 1e-12);
    hn_system_destroy(s);
    hn_model_destroy(m);
  }
}

// ---- what is wrong -----------------------------------------------------------------------------

static void wrong(void) {
  static const struct {
    const char *end, *words;
  } all[] = {
      {"\"link[k].bar\"", "test.yaml:5:57: joint 'to3.pin': 'link' has the numbers 0 to 2, and "
                          "not 3"},
      {"\"link[k - 2].bar\"", "test.yaml:5:57: joint 'to1.pin': the number of 'link', 'k - 2', "
                              "must not be negative: it is -1"},
      {"\"link[k/2].bar\"", "the number of 'link': 'k/2' must be a whole number"},
      {"\"link[kk].bar\"", "test.yaml:5:63: joint 'to1.pin': the number of 'link': unknown name "
                           "'kk'"},
      {"\"link[1 m].bar\"", "the number of 'link' must be a number without unit"},
      {"\"link[].bar\"", "the number of 'link' is missing"},
      {"\"link[k.bar\"", "']' is missing"},
      {"\"link[link[0]].bar\"", "cannot have brackets in brackets"},
      {"\"link[1e9].bar\"", "must be a whole number"},
      {"\"link[k-1].beam\"", "no body named 'link0.beam' (did you mean 'link0.bar'?)"},
      {"\"lnk[k-1].bar\"", "no body named 'lnk0.bar' (did you mean 'link0.bar'?)"},
      {"link[k-1].bar", "test.yaml:5:61: a name with brackets stands in quotes between { and }"},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    static text t;
    t.used = 0;
    put(&t,
        "use:\n"
        "  link: {repeat: 3, step: [1, 0], bodies: {bar: {type: planar, mass: 1, inertia: 1}}}\n"
        "  to:\n"
        "    for: k in 1..3\n"
        "    joints: {pin: {type: revolute, b: \"link[0].bar\", a: %s}}\n",
        all[i].end);
    hn_model *m = hn_model_create();
    hn_status status = hn_model_parse(m, t.at, t.used, "test.yaml");
    if (!CHECK(status && strstr(hn_model_error(m), all[i].words)))
      printf("  %s: %s\n", all[i].end, hn_model_error(m));
    hn_model_destroy(m);
  }
}

// no neighbours where there is one; a series that is written so is a mistake
static void none_between(void) {
  static const char *const series[] = {"1..n-1", "0..n-2", "n..0", "1..0", "1..n-2"};
  for (int i = 0; i < 5; i++) {
    static text t;
    t.used = 0;
    put(&t,
        "parameters: {n: 1}\n"
        "use:\n"
        "  link: {repeat: n, bodies: {bar: {type: planar, mass: 1, inertia: 1}}}\n"
        "  to: {for: k in %s, joints: {pin: {type: revolute, a: \"link[k-1].bar\", b: "
        "\"link[k].bar\"}}}\n",
        series[i]);
    hn_model *m = hn_model_create();
    hn_status status = hn_model_parse(m, t.at, t.used, "test.yaml");
    if (i < 3)
      CHECK(!status && m->joint_count == 0);
    else
      CHECK(status && strstr(hn_model_error(m), "must go upwards"));
    hn_model_destroy(m);
  }
}

// what a lift weighs at its foot: by virtual work F dw = dh times what rises with it, with
// w = L cos(phi), and h = L sin(phi) for every stage
static void scissor_lifts(void) {
  for (int n = 1; n <= 6; n++) {
    hn_model *m = hn_model_create();
    hn_system *s = NULL;
    hn_sim *sim = NULL;
    char number[8], why[256] = "";
    snprintf(number, sizeof number, "%d", n);
    hn_status status = hn_model_override(m, "stages", number);
    if (!status) status = hn_model_load(m, "models/scissor_lift.yaml");
    if (!status) status = hn_compile(&s, m);
    if (!status) status = hn_sim_create(&sim, s, hn_model_options(m), why, sizeof why);
    if (CHECK(!status)) {
      hn_reaction pull = {.force = {NAN}};
      double phi = 15 * pi / 180, bars = 2 * 18.0 * n * n / 2;
      CHECK(m->body_count == 2 * n + 2);
      hn_joint driver = hn_find_joint(s, "cylinder");
      CHECK(!hn_joint_reaction(sim, driver, &pull));
      CHECK_REL(fabs(pull.force[0]), 9.81 * (400 * n + bars) / tan(phi), 1, 1e-9);
    } else {
      printf("  %d stages: %s %s\n", n, hn_model_error(m), why);
    }
    hn_sim_destroy(sim), hn_system_destroy(s), hn_model_destroy(m);
  }
}

// thousands of brackets are no deep recursion
static void many_brackets(void) {
  static text t;
  t.used = 0;
  put(&t, "bodies: {p: {type: point, mass: 1}}\njoints: {j: {type: spherical, b: \"p");
  for (int i = 0; i < 20000; i++) put(&t, "[0");
  put(&t, "\"}}\n");
  hn_model *m = hn_model_create();
  CHECK(hn_model_parse(m, t.at, t.used, "test.yaml") != HN_OK);
  hn_model_destroy(m);
}

int main(void) {
  RUN(one_by_one);
  RUN(nested_in_order);
  RUN(springs_between_masses);
  RUN(rings);
  RUN(none_between);
  RUN(scissor_lifts);
  RUN(wrong);
  RUN(many_brackets);
  return test_end();
}
