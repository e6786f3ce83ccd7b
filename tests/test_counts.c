// test_counts.c: definitions of programs that count what is not there: lists without an address,
// counts below zero, lists with holes. All are refused with the key; none is followed.
#include <holon/holon.h>

#include "test.h"

// nothing was added, and why
static void refused(hn_model *model, bool added, const char *expected) {
  CHECK(!added);
  if (!CHECK(strstr(hn_model_error(model), expected) != NULL))
    printf("  got:      %s\n  expected: %s\n", hn_model_error(model), expected);
  hn_model_destroy(model);
}

static void block_refused(const hn_block_def *def, const char *expected) {
  hn_model *m = hn_model_create();
  bool added = hn_add_block(m, def).id >= 0;
  refused(m, added, expected);
}

static void controller_refused(const hn_controller_def *def, const char *expected) {
  hn_model *m = hn_model_create();
  bool added = hn_add_controller(m, def) == HN_OK;
  refused(m, added, expected);
}

static void beam_refused(const hn_beam_def *def, const char *expected) {
  hn_model *m = hn_model_create();
  bool added = hn_add_beam(m, def).id >= 0;
  refused(m, added, expected);
}

static void blocks(void) {
  const hn_coordinate_def x = {.name = "x"};
  const hn_block_def one = {
      .name = "b", .coordinates = &x, .coordinate_count = 1, .kinetic_energy = "0.5*x.rate^2"};
  hn_model *m = hn_model_create();
  CHECK(hn_add_block(m, &one).id >= 0);
  hn_model_destroy(m);
  hn_block_def def = one;
  def.force_count = 1;
  block_refused(&def, "block 'b': forces: there is a");
  def = one, def.constraint_count = 2;
  block_refused(&def, "block 'b': constraints: there is");
  def = one, def.velocity_constraint_count = 1;
  block_refused(&def, "velocity_constraints: there is a");
  def = one, def.force_count = -1;
  block_refused(&def, "a count is negative");
}

static void controllers(void) {
  static const char *const words[] = {"idle", "lift", NULL}, *const ways[] = {"idle -> lift"};
  static const char *const guards[] = {"t > 1"};
  const hn_controller_def machine = {.name = "c",
                                     .modes = words,
                                     .mode_count = 2,
                                     .transitions = ways,
                                     .guards = guards,
                                     .transition_count = 1};
  hn_model *m = hn_model_create();
  CHECK(hn_add_controller(m, &machine) == HN_OK);
  hn_model_destroy(m);
  hn_controller_def def = machine;
  def.modes = NULL;
  controller_refused(&def, "controller 'c': modes: there is a");
  def = machine, def.mode_count = 3;
  controller_refused(&def, "modes: number 3 is missing");
  def = machine, def.guards = NULL;
  controller_refused(&def, "transitions: there is a count");
  def = (hn_controller_def){.name = "c", .period = 0.1, .formula = "t", .memory_count = -1};
  controller_refused(&def, "memory: there is a count");
  def = (hn_controller_def){.name = "c", .period = 0.1, .input_count = 2};
  controller_refused(&def, "inputs: there is a count");
}

static void beams(void) {
  static const double ends[] = {0, 0, 0, 1, 0, 0};
  static const hn_beam_place nameless = {.at = 0.5};
  const hn_beam_def one = {.name = "b",
                           .points = ends,
                           .point_count = 2,
                           .elements = 4,
                           .profile = {.kind = HN_PROFILE_CIRCLE, .radius = 0.01},
                           .young = 2e11,
                           .density = 7850};
  hn_model *m = hn_model_create();
  CHECK(hn_add_beam(m, &one).id >= 0);
  hn_model_destroy(m);
  hn_beam_def def = one;
  def.place_count = 1;
  beam_refused(&def, "places: there is a count");
  def.place_count = -1;
  beam_refused(&def, "places: there is a count");
  def.places = &nameless, def.place_count = 1;
  beam_refused(&def, "bad name");
}

static void states(void) {
  static const double numbers[] = {-1};
  const hn_process_def one = {.name = "y",
                              .type = "state-space",
                              .input = "t",
                              .A = numbers,
                              .A_count = 1,
                              .B = numbers,
                              .B_count = 1,
                              .C = numbers,
                              .C_count = 1};
  hn_model *m = hn_model_create();
  CHECK(hn_add_process(m, &one) == HN_OK);
  hn_model_destroy(m);
  hn_process_def def = one;
  def.initial_count = 1;
  m = hn_model_create();
  bool added = hn_add_process(m, &def) == HN_OK;
  refused(m, added, "initial needs as many numbers as B has");
}

static void interfaces(void) {
  static const hn_interface nowhere = {.name = "root", .node_count = 3};
  static const hn_flexible_def def = {
      .name = "f", .calculix = "job", .interfaces = &nowhere, .interface_count = 1};
  hn_model *m = hn_model_create();
  bool added = hn_add_flexible(m, &def) == HN_OK;
  refused(m, added, "interface 'root' has no nodes");
}

// columns of the whole are called after it
static void reserved(void) {
  static const char *const names[] = {"energy", "constraints", "residual", "time", "ground"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    hn_model *m = hn_model_create();
    const hn_body_def body = {.name = names[i], .kind = HN_POINT, .mass = 1};
    bool added = hn_add_body(m, &body).id >= 0;
    refused(m, added, "the name is reserved");
  }
}

int main(void) {
  RUN(blocks);
  RUN(controllers);
  RUN(beams);
  RUN(states);
  RUN(interfaces);
  RUN(reserved);
  return test_end();
}
