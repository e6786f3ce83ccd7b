// test_tree.c: random trees with all mobilizers, in random states: the accelerations of all bodies
// are those of the constrained equations in reference coordinates. And how mobilizers are numbered.
#include "sim/sim.h"
#include "system/coordinates/tree.h"
#include "test.h"

#include <holon/holon.h>
#include <stdlib.h>

static const char *const in_space[] = {"revolute",  "revolute",    "revolute",
                                       "spherical", "cylindrical", "prismatic",
                                       "universal", "planar",      "fixed"};
static const char *const in_plane[] = {"revolute", "revolute", "prismatic", "fixed"};
enum { SPACE = sizeof in_space / sizeof *in_space, PLANE = sizeof in_plane / sizeof *in_plane };

static int random_int(int n) {
  return (int)test_random(0, n - 1e-9);
}

// a coordinate axis, or any direction
static void random_axis(double axis[3], bool along) {
  for (int i = 0; i < 3; i++) axis[i] = along ? 0 : test_random(-1, 1);
  if (along) axis[random_int(3)] = random_int(2) ? 1 : -1;
}

static hn_body random_body(hn_model *model, int i, bool planar, bool turned) {
  char name[16];
  snprintf(name, sizeof name, "b%d", i);
  hn_body_def def = {.name = name, .mass = test_random(1, 3)};
  def.kind = planar ? HN_PLANAR : HN_SPATIAL;
  for (int k = 0; k < 3; k++) {
    def.inertia[k] = test_random(1, 1.5);
    def.position[k] = planar && k == 2 ? 0 : (turned ? test_random(-2, 2) : random_int(4));
    def.com[k] = turned && !(planar && k == 2) ? test_random(-0.2, 0.2) : 0;
  }
  if (turned && planar) def.angle = test_random(-3, 3);
  for (int k = 0; k < 4 && turned && !planar; k++) def.orientation[k] = test_random(-1, 1);
  hn_body body = hn_add_body(model, &def);
  CHECK(body.id > 0);
  return body;
}

// `reach`: a body hangs on one of so many before it; 1 is a chain. Every sixth hangs on nothing
static hn_model *random_tree(int n, int reach, bool planar) {
  hn_model *model = hn_model_create();
  hn_body *body = malloc(((size_t)n + 1) * sizeof *body);
  if (!model || !body) exit(1);
  hn_model_set_gravity(model, 1, -9, planar ? 0 : 2);
  body[0] = HN_GROUND;
  for (int i = 1; i <= n; i++) {
    bool along = random_int(2);
    body[i] = random_body(model, i, planar, !along);
    if (i % 6 == 5) continue;
    hn_body parent = body[i - 1 - random_int(reach < i ? reach : i)];
    bool turned = random_int(2);
    char name[16];
    snprintf(name, sizeof name, "j%d", i);
    hn_joint_def def = {.name = name,
                        .type = planar ? in_plane[random_int(PLANE)] : in_space[random_int(SPACE)],
                        .a.body = turned ? body[i] : parent,
                        .b.body = turned ? parent : body[i]};
    for (int k = 0; k < (planar ? 2 : 3); k++)
      def.at[k] = along ? random_int(4) : test_random(0, 2);
    if (strcmp(def.type, "fixed") != 0 && strcmp(def.type, "spherical") != 0)
      random_axis(def.axis, along);
    if (planar && strcmp(def.type, "revolute") == 0) def.axis[0] = def.axis[1] = 0, def.axis[2] = 1;
    if (planar && strcmp(def.type, "prismatic") == 0) def.axis[0] += 2, def.axis[2] = 0;
    if (strcmp(def.type, "universal") == 0) v3_perpendicular(def.axis_b, def.axis);
    if (!CHECK(hn_add_joint(model, &def).id >= 0)) printf("%s\n", hn_model_error(model));
  }
  free(body);
  return model;
}

static hn_sim *start(hn_model *model, const char *coordinates, hn_system **sys) {
  char message[256] = "";
  hn_sim *sim = NULL;
  hn_options *o = hn_model_options(model);
  hn_status status = hn_options_set(o, "coordinates", coordinates, message, sizeof message);
  if (!status) status = hn_options_set(o, "method", "standard", message, sizeof message);
  o->step = 1e-3;
  if (!status) status = hn_compile(sys, model);
  if (!status) status = hn_sim_create(&sim, *sys, o, message, sizeof message);
  if (!CHECK(!status)) printf("%s %s\n", message, hn_model_error(model)), exit(1);
  return sim;
}

// parents come first, every body's children end with its heaviest branch, and no sum is written
// over while it is still needed: walking inwards with marks in place of sums
static void check_numbers(const hn_tree *t) {
  int *owner = calloc((size_t)t->slots, sizeof *owner), limit = 1;
  if (!owner) exit(1);
  for (int k = t->count - 1; k >= 0; k--) {
    const hn_link *l = &t->link[k];
    CHECK(l->up < k && l->slot >= 0 && l->slot < t->slots);
    if (!l->leaf) CHECK(owner[l->slot] == k + 1);
    if (l->up < 0) continue;
    if (!l->last) CHECK(owner[l->up_slot] == l->up + 1);
    owner[l->up_slot] = l->up + 1;
  }
  while (1 << limit <= t->count) limit++;
  CHECK(t->slots <= limit + 1);
  free(owner);
}

static void compare(int n, int reach, bool planar) {
  hn_model *model = random_tree(n, reach, planar);
  hn_system *relative = NULL, *reference = NULL;
  hn_sim *a = start(model, "relative", &relative), *b = start(model, "reference", &reference);
  CHECK(hn_tree_of(relative) && relative->rows == 0);
  check_numbers(hn_tree_of(relative));
  double *q = malloc(((size_t)relative->nq + 1) * sizeof *q);
  double *v = malloc(((size_t)relative->nv + 1) * sizeof *v);
  double *x = malloc(((size_t)relative->bv + 1) * sizeof *x);
  if (!q || !v || !x) exit(1);
  for (int i = 0; i < relative->nq; i++) q[i] = test_random(-1.5, 1.5);
  for (int i = 0; i < relative->nv; i++) v[i] = test_random(-2, 2);
  hn_normalise(relative, q);
  CHECK(!hn_set_state(a, 0, q, v));
  const double *u = hn_accelerations(a);
  CHECK(u != NULL);
  hn_eval_poses(&a->stage.work);
  hn_tree_body_forces(&a->stage.work, u, x);  // M a - f
  CHECK(!hn_set_state(b, 0, a->stage.work.q, a->stage.work.v));
  const double *expected = hn_accelerations(b);
  double largest = 1, worst = 0;
  for (int i = 0; i < reference->nv; i++) {
    double found = (x[i] + a->stage.work.f[i]) / relative->mass[i];
    largest = fmax(largest, fabs(expected[i]));
    worst = fmax(worst, fabs(found - expected[i]));
    if (!(found == found)) worst = INFINITY;
  }
  for (int i = 0; i < reference->rows; i++)
    worst = fmax(worst, fabs(b->stage.work.phi[i]) * largest);
  CHECK_NEAR(worst / largest, 0, 1e-10);
  hn_sim_destroy(a), hn_sim_destroy(b);
  hn_system_destroy(relative), hn_system_destroy(reference);
  hn_model_destroy(model);
  free(q), free(v), free(x);
}

static void test_space(void) {
  for (int i = 0; i < 12; i++) compare(3 + 2 * i, 1 + i % 5, false);
}
static void test_plane(void) {
  for (int i = 0; i < 12; i++) compare(3 + 3 * i, 1 + i % 6, true);
}

// what a tree would cost, known before it is built, is what it costs then
static void test_cost(void) {
  for (int i = 0; hn_example_name(i); i++) {
    char path[128];
    snprintf(path, sizeof path, "models/%s.yaml", hn_example_name(i));
    hn_system *sys[2] = {NULL, NULL};
    for (int k = 0; k < 2; k++) {
      hn_model *model = hn_model_create();
      CHECK(hn_model_load(model, path) == HN_OK);
      hn_options *o = hn_model_options(model);
      snprintf(o->coordinates, sizeof o->coordinates, "%s", k ? "relative" : "reference");
      hn_status status = hn_compile(&sys[k], model);
      CHECK(status == HN_OK || (k && status == HN_ERR_UNSUPPORTED));
      hn_model_destroy(model);
    }
    bool *tree = sys[0] ? calloc((size_t)sys[0]->joints + 1, sizeof(bool)) : NULL;
    if (tree && sys[1] && CHECK(hn_tree_choose(sys[0], tree)))
      CHECK_NEAR(hn_tree_cost(sys[0], tree), hn_tree_cost_of(sys[1]), 0);
    free(tree);
    hn_system_destroy(sys[0]), hn_system_destroy(sys[1]);
  }
}

int main(void) {
  RUN(test_space);
  RUN(test_plane);
  RUN(test_cost);
  return test_end();
}
