// test_definitions.c: definitions of programs compiled for earlier and later versions.
#include "test.h"

#include <holon/holon.h>

// a copy that ends where it must: whoever reads on is caught by the address sanitizer
static void *cut(const void *def, size_t size) {
  void *copy = malloc(size);
  if (copy) memcpy(copy, def, size);
  return copy;
}

static hn_body add_ball(hn_model *m, const char *name) {
  hn_body_def def = {.name = name, .mass = 1, .inertia = {1, 1, 1}};
  return hn_add_body(m, &def);
}

// every size from the first members on is complete with zeros
static void shorter_ones_are_complete(void) {
  const size_t ends[] = {offsetof(hn_force_def, free), offsetof(hn_force_def, law),
                         offsetof(hn_force_def, coulomb), sizeof(hn_force_def)};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    hn_model *m = hn_model_create();
    hn_body ball = add_ball(m, "ball");
    hn_force_def def = {
        .name = "spring", .type = "spring", .b = {.body = ball}, .at = {1, 0, 0}, .stiffness = 5};
    hn_force_def *given = cut(&def, ends[i]);
    if (!CHECK(hn_add_force_sized(m, given, ends[i]).id == 1)) printf("  %s\n", hn_model_error(m));
    free(given);
    hn_system *sys = NULL;
    CHECK(hn_compile(&sys, m) == HN_OK);
    hn_system_destroy(sys);
    hn_model_destroy(m);
  }
}

// what is longer is taken if nothing is said behind, and refused otherwise
static void longer_ones_say_nothing_more(void) {
  struct {
    hn_joint_def def;
    double more[3];
  } later = {.def = {.name = "hinge", .type = "revolute"}};
  for (int pass = 0; pass < 2; pass++) {
    hn_model *m = hn_model_create();
    later.def.b.body = add_ball(m, "ball");
    later.more[2] = pass ? 1e-300 : 0;
    hn_joint joint = hn_add_joint_sized(m, &later.def, sizeof later);
    hn_system *sys = NULL;
    CHECK(pass ? joint.id < 0 : joint.id == 1);
    CHECK(hn_compile(&sys, m) == (pass ? HN_ERR_UNSUPPORTED : HN_OK));
    if (pass) CHECK(strstr(hn_model_error(m), "compiled for a later version") != NULL);
    hn_system_destroy(sys);
    hn_model_destroy(m);
  }
}

#define ALL_KINDS(X)                                                                               \
  X(body) X(frame) X(joint) X(force) X(block) X(coupling) X(signal) X(controller) X(process)

static int refused_body(hn_body x) {
  return x.id < 0;
}
static int refused_frame(hn_frame x) {
  return x.id < 0;
}
static int refused_joint(hn_joint x) {
  return x.id < 0;
}
static int refused_force(hn_force x) {
  return x.id < 0;
}
static int refused_block(hn_block x) {
  return x.id < 0;
}
static int refused_coupling(hn_status x) {
  return x != HN_OK;
}
static int refused_signal(hn_status x) {
  return x != HN_OK;
}
static int refused_controller(hn_status x) {
  return x != HN_OK;
}
static int refused_process(hn_status x) {
  return x != HN_OK;
}

// every kind of definition goes the same way
static void all_kinds_are_looked_at(void) {
#define X(kind)                                                                                    \
  {                                                                                                \
    struct {                                                                                       \
      hn_##kind##_def def;                                                                         \
      long more;                                                                                   \
    } later = {.more = 1};                                                                         \
    hn_model *m = hn_model_create();                                                               \
    CHECK(refused_##kind(hn_add_##kind##_sized(m, &later.def, sizeof later)));                     \
    CHECK(strstr(hn_model_error(m), "compiled for a later version") != NULL);                      \
    CHECK(refused_##kind(hn_add_##kind##_sized(m, NULL, sizeof later.def)));                       \
    CHECK_STR(hn_model_error(m), "a definition is missing");                                       \
    hn_model_destroy(m);                                                                           \
  }
  ALL_KINDS(X)
#undef X
}

// pointers get the functions, which take what there was first
static void functions_have_addresses(void) {
  hn_joint (*add)(hn_model *, const hn_joint_def *) = hn_add_joint;
  hn_model *m = hn_model_create();
  hn_joint_def def = {.name = "hinge", .type = "revolute", .b.body = add_ball(m, "ball")};
  CHECK(add(m, &def).id == 1);
  hn_model_destroy(m);
}

int main(void) {
  RUN(shorter_ones_are_complete);
  RUN(longer_ones_say_nothing_more);
  RUN(all_kinds_are_looked_at);
  RUN(functions_have_addresses);
  return test_end();
}
