// compile.c: from the description to the equations, in one pass over it.
//
//   hn_compile_rows   bodies, joints, blocks, forces build themselves: rows, measures, elements, in
//                     reference coordinates, at the described state
//   hn_assemble       the state nearest to that at which all joints are closed
//   relax_forces      springs that are relaxed as they stand look at it
//   redundancy        rank of the rows, what depends on what, which reactions are determined
//   coordinates       others than reference ones are tried where they are cheaper, or asked for
//   turns, columns    what angles count, what is recorded
//   code              machine code for the equations, where it is wanted
//
// Each looks at what those before it have left and at nothing behind. A failure leaves its sentence
// in the model and no system.
#include "compile/compile.h"
#include "code/formulas.h"
#include "code/native.h"
#include "compile/assemble.h"
#include "compile/massless.h"
#include "compile/workshop.h"
#include "forces/force.h"
#include "joints/joint.h"
#include "model/beam_make.h"
#include "model/options.h"
#include "record/columns.h"
#include "system/builder.h"
#include "system/coordinates/coordinates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- joints and forces ---------------------------------------------------------------------

static bool has_rotation(const hn_system *sys, int body) {
  const hn_sys_body *b = &sys->body[body];
  return b->nv == 0 || b->kind == HN_SPATIAL || b->kind == HN_PLANAR;
}

// marks the rows that `remove` names.
// Rows are named as `check` names them, without the joint's name; "all" means each of them.
static void keep_removed(hn_builder *b, hn_sys_joint *j, const hn_joint_def *d) {
  const hn_group *group = &b->sys->group[j->group];
  double removed[16] = {0};  // no joint has more rows
  char word[64];
  if (!d->remove || group->rows > 16) return;
  for (int k = 0; hn_word_at(d->remove, k, word, sizeof word); k++) {
    bool found = false;
    for (int r = 0; r < group->rows; r++) {
      // row names are "joint.label", and joints in parts have dots of their own
      const char *dot = strrchr(b->sys->row_name[group->row0 + r], '.');
      // "all" finds each of them, and none where the joint has no rows
      bool meant = strcmp(word, "all") == 0 || (dot && strcmp(dot + 1, word) == 0);
      if (meant) removed[r] = 1, found = true;
    }
    if (!found) {
      hn_build_fail(b, HN_ERR_MODEL, "remove: the joint has no row '%s' ('holon check' names them)",
                    word);
      return;
    }
  }
  j->removed = hn_build_keep(b, removed, group->rows);
}

// what the definition says about each row.
// Numbers per row can only be checked here, where the joint has said how many rows it has.
static void keep_rows(hn_builder *b, hn_sys_joint *j, const hn_joint_def *d) {
  int rows = b->sys->group[j->group].rows;
  if (d->preload && d->preload_count != rows) {
    hn_build_fail(b, HN_ERR_MODEL, "preload has %d numbers, but the joint has %d rows",
                  d->preload_count, rows);
    return;
  }
  bool loaded = false;
  // a list of zeros is no preload: reactions are not shared anew for it
  for (int i = 0; i < d->preload_count; i++) loaded |= d->preload[i] != 0;
  if (loaded) j->preload = hn_build_keep(b, d->preload, rows);
  hn_build_joint_stiffness(b, j, d);
  keep_removed(b, j, d);
}

// joints with several coordinates say by name which one is held, has a value or a rate
static void check_coordinate(hn_builder *b, const hn_sys_joint *j, const char *name) {
  if (j->coordinates == 0) return;
  for (int k = 0; k < j->coordinates; k++)
    if (strcmp(j->coordinate[k].name, name) == 0) return;
  hn_build_fail(b, HN_ERR_MODEL, "has no coordinate '%s' (it has '%s')", name,
                j->coordinate[0].name);
}

// Joints of a spanning tree (tree_joint) have no rows: their coordinates are those of the system.
// They are built all the same, for their names, measures and reactions.
// Its mounts are found first, then the type adds rows, measures and coordinates, then what the
// definition says of single rows is kept, when it is known how many there are.
static void build_joint(hn_builder *b, const hn_model_joint *mj) {
  const hn_joint_def *d = &mj->def;
  const hn_joint_type *type = hn_joint_type_find(d->type);
  b->place = mj->place;
  b->what = "joint";
  b->element = d->name;
  hn_location location = {
      // which keys the type reads decides which of them count
      .a = d->a,
      .b = d->b,
      .at = d->at,
      .at_b = d->at_b,
      .axis = d->axis,
      .axis_b = d->axis_b,
      .two_points = hn_word_in("at_b", type->info.keys),
      .two_axes = hn_word_in("axis_b", type->info.keys),
  };
  hn_builder_locate(b, &location);
  if (type->needs_rotation &&
      (!has_rotation(b->sys, d->a.body.id) || !has_rotation(b->sys, d->b.body.id))) {
    hn_build_fail(b, HN_ERR_MODEL,
                  "a point mass has no orientation, which '%s' needs (use 'spherical' or "
                  "'distance')",
                  d->type);
    return;
  }
  // a number of the model, counted from one
  int handle = (int)(mj - b->model->joint) + 1;
  b->no_rows = b->tree_joint && b->tree_joint[b->sys->joints];
  hn_builder_begin_joint(b, d->name, type->info.name);
  if (b->status) return;
  // built from here on: names, mounts and type are set, rows follow
  hn_sys_joint *j = &b->sys->joint[b->sys->joints - 1];
  j->handle = handle;
  j->components = d->components;
  if (d->by) {
    b->sys->programmed = true;
    j->by = hn_strdup(d->by);
    if (!j->by) hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
  }
  if (d->stiffness > 0) j->stiffness = d->stiffness;
  j->omega = d->omega, j->mu = d->mu, j->soft = d->soft;
  hn_status status = type->build(b, d);
  // a type from outside may fail without a sentence
  if (status && !b->status) b->status = status;
  hn_builder_end_joint(b);
  if (!b->status && d->coordinate && !d->joint_a) check_coordinate(b, j, d->coordinate);
  if (!b->status && !b->no_rows) keep_rows(b, j, d);
  if (!b->status && !b->no_rows) hn_builder_gate(b, b->sys->joints - 1, d);
  b->no_rows = false;
}

// Bodies and formulas that an element depends on are noted while it builds itself: acts and
// expressions say what there was before.
static void build_force(hn_builder *b, const hn_model_force *mf) {
  const hn_force_def *d = &mf->def;
  const hn_force_type *type = hn_force_type_find(d->type);
  b->place = mf->place;
  b->what = "force";
  b->element = d->name;
  // forces have one axis
  hn_location location = {
      .a = d->a,
      .b = d->b,
      .at = d->at,
      .at_b = d->at_b,
      .axis = d->axis,
      .axis_b = d->axis_b,
      .two_points = hn_word_in("at_b", type->info.keys),
      .two_axes = hn_word_in("axis_b", type->info.keys),
  };
  hn_builder_locate(b, &location);
  // where drawings and readers find the ends of forces
  hn_mount *mount = b->sys->force_mount + 2 * (mf - b->model->force);
  mount[0] = b->a, mount[1] = b->b;
  b->acts[0] = b->a.body, b->acts[1] = b->b.body;
  b->expressions = b->sys->expressions;
  hn_status status = type->build(b, d);
  if (status && !b->status) b->status = status;
}

// The order follows what formulas may read: measures of joints and blocks must be there before
// states and forces that name them, signals, which read anything, come last. Rows keep the order of
// the model (couplers behind): of two equal ones the later is called redundant.
// Spreads come behind the forces, as beams are forces and bring them; couplings behind all rows.
static void build_elements(hn_builder *b) {
  hn_model *model = b->model;
  hn_builder_block_measures(b);
  hn_builder_declare_signals(b);
  // joints that couple other joints' coordinates come after those
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < model->joint_count && !b->status; i++)
      if ((model->joint[i].def.joint_a != NULL) == (pass == 1)) build_joint(b, &model->joint[i]);
  // mounts of all forces, two each
  b->sys->force_mount = calloc(2 * (size_t)model->force_count + 1, sizeof(hn_mount));
  if (!b->sys->force_mount && !b->status) hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
  for (int i = 0; i < model->block_count && !b->status; i++) hn_builder_block(b, i);
  if (!b->status) hn_builder_flexibles(b);
  if (!b->status) hn_builder_states(b);
  for (int i = 0; i < model->force_count && !b->status; i++) build_force(b, &model->force[i]);
  if (!b->status) hn_builder_spreads(b);
  if (!b->status) hn_builder_gates(b);
  if (!b->status) hn_build_couplings(b);
  if (!b->status) hn_builder_controllers(b);
  if (!b->status) hn_builder_signals(b);
}

// points have no extent: how far rods and springs put them apart, or how far they stand from each
// other; a lone one by how high it would fly. Metres are as good as anything for one at rest
static double length_of_points(const hn_builder *b) {
  const hn_system *sys = b->sys;
  const double *first = NULL;
  double length = 0, apart = 0, fast = 0, g = v3_norm(sys->gravity);
  for (int i = 0; i < sys->measures; i++)
    if (sys->measure[i].type == HN_M_DISTANCE) length = fmax(length, fabs(hn_build_value(b, i)));
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *body = &sys->body[i];
    if (body->kind == HN_SCALAR) continue;
    const double *place = sys->q0 + body->q0, *v = sys->v0 + body->v0;
    int n = hn_body_linear(body);
    double d[3] = {0}, speed[3] = {0};
    if (!first) first = place;
    for (int k = 0; k < n; k++) d[k] = place[k] - first[k], speed[k] = v[k];
    apart = fmax(apart, v3_norm(d)), fast = fmax(fast, v3_norm(speed));
  }
  if (!(length > 0)) length = apart;
  if (!(length > 0) && g > 0) length = fast * fast / g;
  return length > 0 ? length : 1;
}

// largest extent of the described model: makes tolerances independent of units. Places that should
// be a body's own and miss it by rounding are no extents.
// Radii of gyration, places of joints on their bodies, flexible bodies' interfaces. Positions in
// the world do not count: a small mechanism may stand far from the origin. The second principal
// moment is never more than twice the larger of the other two, and is left out.
// the described values may be rough: this is a size, and needs no more than a digit
static double characteristic_length(const hn_builder *b) {
  static const double rounding = 1e-13;
  const hn_system *sys = b->sys;
  // how far away the model stands, for what rounding makes of places there
  double length = 0, far = 1;
  for (int i = 1; i < sys->bodies; i++)
    if (sys->body[i].kind != HN_SCALAR)
      for (int k = 0; k < hn_body_linear(&sys->body[i]); k++)
        far = fmax(far, fabs(sys->q0[sys->body[i].q0 + k]));
  // interfaces count from the first of the body
  for (int i = 0; i < sys->flexibles; i++)
    for (int k = 1; k < sys->flexible[i].reduced->interfaces; k++)
      length = fmax(length, v3_norm(sys->flexible[i].reduced->place + 3 * k));
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *body = &sys->body[i];
    double r = body->mass > 0 ? sqrt(fmax(body->inertia[0], body->inertia[2]) / body->mass) : 0;
    length = fmax(length, r);
  }
  for (int i = 0; i < sys->joints; i++) {
    const hn_sys_joint *j = &sys->joint[i];
    if (j->a.body) length = fmax(length, v3_norm(j->a.s));
    if (j->b.body) length = fmax(length, v3_norm(j->b.s));
  }
  return length > rounding * far ? length : length_of_points(b);
}

// What is made here is complete but for the state: q0, v0 are the described ones, and joints may be
// open. Assembly, and other coordinates, compile the same model again with variations.
hn_status hn_compile_rows(hn_system **out, hn_model *model, const hn_compile_extra *extra) {
  *out = NULL;
  hn_builder b = {.model = model, .group = -1, .what = "model"};
  hn_system *sys = calloc(1, sizeof *sys);
  b.sys = sys;
  b.tree_joint = extra ? extra->tree_joint : NULL;
  b.graph = hn_graph_create();
  hn_status status = sys && b.graph ? HN_OK : HN_ERR_MEMORY;
  int rows = 0;  // with the rows held in assembly they are more
  if (!status) {
    // until other coordinates take over
    sys->coordinates = &hn_reference_coordinates;
    sys->name = hn_strdup(model->name ? model->name : "model");
    v3_copy(sys->gravity, model->gravity);
    sys->options = model->options;
    status = sys->name ? hn_compile_bodies(sys, model) : HN_ERR_MEMORY;
  }
  if (!status) {
    sys->q0 = calloc((size_t)sys->nq + 1, sizeof(double));
    sys->v0 = calloc((size_t)sys->nv + 1, sizeof(double));
    status = sys->q0 && sys->v0 ? HN_OK : HN_ERR_MEMORY;
  }
  // q0 is the described state until assembly has moved it
  if (!status) {
    hn_described_state(sys, model, sys->q0, sys->v0);
    status = hn_describe_poses(&b, sys->q0);
  }
  if (!status) {
    // the extra rows stand behind all others, so that numbers of rows agree
    build_elements(&b);
    rows = sys->rowcount;
    if (!b.status && extra && extra->rows) extra->rows(&b, extra->user);
    status = hn_builder_finish(&b);
  }
  if (!status) status = hn_find_parts(sys);
  if (!status) {
    // sizes need the whole system, and are needed to weigh its rows
    status = hn_block_masses(sys);
    sys->length = characteristic_length(&b);
    sys->rank_tolerance = HN_RANK_TOLERANCE;
    if (!status) status = hn_weigh_rows(sys);
    if (!status) status = hn_mark_angles(sys);
    sys->turn0 = calloc((size_t)sys->turns + 1, sizeof(double));
    if (!status && !sys->turn0) status = HN_ERR_MEMORY;
    // angles start in the turn the description names
    for (int i = 0; !status && i < sys->measures; i++)
      if (sys->measure[i].turn >= 0) sys->turn0[sys->measure[i].turn] = hn_build_value(&b, i);
    if (!status) status = hn_wind_angles(&b, rows);
  }
  // what only construction needed; on failure the system goes as well
  hn_graph_destroy(b.graph);
  free(b.described.kin), free(b.described.kin2), free(b.batch_room), free(b.met);
  free(b.sees), free(b.force_length);
  if (status == HN_ERR_MEMORY)
    hn_model_fail(model, (hn_place){0}, status, "out of memory while compiling");
  if (status)
    hn_system_destroy(sys);
  else
    *out = sys;
  return status;
}

// Asked for by name: that there is no code is an error.
static hn_status make_native(hn_system *sys, hn_model *model) {
  char message[HN_MESSAGE / 2];
  hn_status status = hn_native_create(sys, false, message, sizeof message);
  if (!status) return HN_OK;
  return hn_model_fail(model, (hn_place){0}, status, "code 'native': %s (leave 'code' at library)",
                       message);
}

// What an operation of the formulas takes less in machine code than in the library, and what it
// takes the C compiler [s]: both differ between models by a factor of two or three
// (docs/performance.md)
static const double saved = 1e-9, compiled = 3e-4, started = 0.1;

// code: auto. What was kept costs nothing; it is compiled where the run is expected to spend more
// without it than the compiler takes. That there is no code is no error.
// The estimate: evaluations times operations times what each saves, against what compiling them
// takes.
static hn_status choose_code(hn_system *sys, const hn_model *model, const hn_demands *demands) {
  char message[HN_MESSAGE / 2];
  hn_status status = hn_native_create(sys, true, message, sizeof message);
  // the text of the choice is told by `check`
  sys->code_choice = "native (auto: kept from an earlier run)";
  if (!status || status == HN_ERR_MEMORY) return status;
  sys->code_choice = "library (auto: no code can be written for this model)";
  if (status == HN_ERR_UNSUPPORTED) return HN_OK;
  long operations = hn_formulas_cost(sys);
  if (operations < -1) return HN_ERR_MEMORY;
  double runs = demands->evaluations ? demands->evaluations(sys, &model->options) : NAN;
  // without a guess (NAN) the comparison fails, and the library is taken
  sys->code_choice = "library (auto: the run is too short to pay for compiling code)";
  if (!(runs * saved * (double)operations > started + compiled * (double)operations)) return HN_OK;
  status = hn_native_create(sys, false, message, sizeof message);
  sys->code_choice = status ? "library (auto: no code could be compiled)"
                            : "native (auto: compiled, since the run is long)";
  return status == HN_ERR_MEMORY ? status : HN_OK;
}

// forces that are relaxed as they stand learn how that is.
// At the assembled state, not the described one. Called again where coordinates have changed, since
// forces are then others, built anew.
static hn_status relax_forces(hn_system *sys) {
  hn_arena arena = {0};
  hn_work work = {0};
  bool any = false;
  for (int i = 0; i < sys->batches; i++) any = any || sys->batch[i].ops->relax;
  // most models have none, and need no work space
  if (!any) return HN_OK;
  hn_work_layout(&work, &arena, sys);
  if (!hn_arena_allocate(&arena)) return HN_ERR_MEMORY;
  hn_work_layout(&work, &arena, sys);
  hn_eval_all(&work, 0, sys->q0, sys->v0);
  for (int i = 0; i < sys->batches; i++) {
    const hn_batch *b = &sys->batch[i];
    if (b->ops->relax) b->ops->relax(&work, b->count, b->data);
  }
  free(arena.base);
  return HN_OK;
}

// stops that are violated at the start; the angles must be marked.
// All rows that come and go are taken as there, so that their values are gaps; holds and gates have
// none to be violated.
static hn_status check_stops(hn_system *sys, hn_model *model) {
  hn_arena arena = {0};
  hn_work work = {0};
  bool *all = NULL;
  hn_status status = HN_OK;
  // one arena, laid out twice: to measure and to place
  for (int pass = 0; pass < 2 && sys->unilaterals; pass++) {
    hn_work_layout(&work, &arena, sys);
    all = HN_TAKE(&arena, bool, sys->unilaterals);
    if (pass == 0 && !hn_arena_allocate(&arena)) return HN_ERR_MEMORY;
  }
  for (int i = 0; i < sys->unilaterals; i++) all[i] = true;
  work.on = all;
  if (all) hn_eval_position(&work, 0, sys->q0);
  for (int i = 0; i < sys->unilaterals && !status; i++) {
    int row = sys->unilateral[i].row;
    const char *name = sys->joint[sys->row_joint[row]].name;
    int joint = hn_model_find_joint(model, name);
    double unit = sys->angular_row[row] ? 1 : sys->length, gap = work.phi[row];
    // an angle may be off by as much as a length in units of the model
    if (sys->unilateral[i].hold || sys->unilateral[i].gate || gap >= -HN_STOP_VIOLATED * unit)
      continue;
    status = hn_model_fail(model, joint >= 0 ? model->joint[joint].place : (hn_place){0},
                           HN_ERR_ASSEMBLY,
                           "joint '%s': the model starts behind the stop, by %.3g %s (move the "
                           "bodies, or the limit; two limits of one coordinate must leave room)",
                           name, -gap, sys->angular_row[row] ? "rad" : "m");
  }
  free(arena.base);
  return status;
}

// gravity that acts on nothing is a mistake: z is not up in the plane.
// Both are silent mistakes otherwise: the model would run, weightless.
static hn_status check_gravity(hn_model *model) {
  const double *g = model->gravity;
  bool space = false;
  for (int i = 1; i < model->body_count; i++)
    space = space || model->body[i].def.kind == HN_SPATIAL || model->body[i].def.kind == HN_POINT;
  // with bodies in space z counts, also if the model has planar ones, to which it does nothing
  if (model->body_count > 1 && !space && g[2] != 0)
    return hn_model_fail(model, model->gravity_place, HN_ERR_MODEL,
                         "gravity: %g along z has no effect, planar bodies do not move there (the "
                         "plane is x-y: give two numbers, as in [0, -9.81])",
                         g[2]);
  if (model->body_count < 2 && (g[0] != 0 || g[1] != 0 || g[2] != 0))
    return hn_model_fail(
        model, model->gravity_place, HN_ERR_MODEL,
        "gravity acts on bodies, and the model has none (weight in a block is part "
        "of its potential)");
  return HN_OK;
}

hn_model *hn_model_create(void) {
  return hn_model_new(&hn_joint_family, &hn_force_family);
}

// sys is owned here until the end: hn_choose_coordinates may put another one in its place, which
// then owns the first.
static hn_status compile(hn_system **out, hn_model *model, const hn_demands *demands) {
  *out = NULL;
  // a model that failed while it was built keeps its first sentence
  if (model->spoiled) {
    memcpy(model->message, model->first, sizeof model->message);
    return model->failure = model->spoiled;
  }
  model->message[0] = 0;
  if (model->body_count < 2 && model->block_count == 0)
    return hn_model_fail(model, (hn_place){0}, HN_ERR_MODEL, "the model has no bodies");
  char wrong[200];
  bool known = hn_workshop_knows(model->workshop, &model->options);
  if (!known && hn_options_check(&model->options, wrong, sizeof wrong))
    return hn_model_fail(model, (hn_place){0}, HN_ERR_ARGUMENT, "%s", wrong);
  if (!known) hn_workshop_know(model->workshop, &model->options);
  hn_system *sys;
  hn_status status = check_gravity(model);
  if (!status) status = hn_compile_rows(&sys, model, NULL);
  if (status) return status;
  status = hn_assemble(sys, model);
  if (!status) status = relax_forces(sys);
  if (!status) status = hn_check_masses(sys, model);
  if (!status) status = hn_check_massless(sys, model);
  if (!status) status = hn_analyse_redundancy(sys, model);
  if (!status) status = check_stops(sys, model);
  const hn_coordinates *first = sys->coordinates;
  if (!status) status = hn_choose_coordinates(&sys, model, demands);
  // forces were built anew, with values of the described state in them
  if (!status && sys->coordinates != first) status = relax_forces(sys);
  // angles that count turns are planned for the coordinates there are
  if (!status) status = hn_plan_turns(sys);
  if (!status && !hn_workshop_bare(model->workshop)) status = hn_columns_create(sys, model);
  if (!status && strcmp(model->options.code, "native") == 0) status = make_native(sys, model);
  if (!status && strcmp(model->options.code, "auto") == 0)
    status = choose_code(sys, model, demands);
  if (status == HN_ERR_MEMORY)
    hn_model_fail(model, (hn_place){0}, status, "out of memory while compiling");
  if (status)
    hn_system_destroy(sys);
  else
    *out = sys;
  return status;
}

// the same with every element of the beams as two
static hn_status compile_halved(hn_system **out, hn_model *model, const hn_demands *demands) {
  hn_model *halved = hn_model_halved(model);
  // either the description could not be halved, or there was no room
  if (!halved)
    return model->message[0] ? model->failure
                             : hn_model_fail(model, (hn_place){0}, HN_ERR_MEMORY, "out of memory");
  // one run of native code is enough
  snprintf(halved->options.code, sizeof halved->options.code, "library");
  hn_status status = compile(out, halved, demands);
  if (status)
    hn_model_fail(model, (hn_place){0}, status, "with halved elements (beam_check): %.400s",
                  halved->message);
  hn_model_halved_destroy(halved);
  return status;
}

// The halved system hangs on the first and is destroyed with it.
hn_status hn_compile_for(hn_system **out, hn_model *model, const hn_demands *demands) {
  hn_status status = compile(out, model, demands);
  bool checked = model->beam_count > 0 && strcmp(model->options.beam_check, "on") == 0;
  if (!status && checked) status = compile_halved(&(*out)->halved, model, demands);
  if (status) hn_system_destroy(*out), *out = NULL;
  return status;
}

// Also of systems that were never completed: everything that is not there yet is NULL or counted as
// zero.
void hn_system_destroy(hn_system *sys) {
  if (!sys) return;
  hn_native_destroy(sys->native);
  for (int i = 0; i < sys->joints; i++) free(sys->joint[i].by);
  hn_pool_free(&sys->names);
  for (int i = 0; i < sys->batches; i++) {
    for (int k = 0; k < sys->batch[i].count; k++) free(sys->batch[i].name[k]);
    free(sys->batch[i].name), free(sys->batch[i].data), free(sys->batch[i].ends);
  }
  for (int i = 0; i < sys->expressions; i++) {
    hn_program_destroy(sys->expression[i].program);
    hn_program_destroy(sys->expression[i].held);
    hn_program_destroy(sys->expression[i].functions);
  }
  for (int i = 0; i < sys->blocks; i++) hn_block_destroy(&sys->block[i]);
  free(sys->block);
  for (int i = 0; i < sys->flexibles; i++) {
    hn_reduced_release(sys->flexible[i].reduced);
    free(sys->flexible[i].place);
  }
  free(sys->flexible), free(sys->spread);
  for (int i = 0; i < sys->motions; i++) hn_program_destroy(sys->motion[i].program);
  for (int i = 0; i < sys->kept_count; i++) free(sys->kept[i]);
  for (int i = 0; i < sys->named; i++)
    free(sys->named_signal[i].name), free(sys->named_signal[i].unit);
  for (int i = 0; i < sys->inputs; i++) free(sys->input[i].name);
  for (int i = 0; i < sys->tables; i++) hn_series_release(sys->table[i]);
  for (int i = 0; i < sys->states; i++) free(sys->state[i].name);
  free(sys->named_signal), free(sys->input), free(sys->table);
  free(sys->state), free(sys->state_sees), free(sys->held_start);
  hn_controllers_destroy(sys);
  free(sys->name), free(sys->body), free(sys->body_info), free(sys->joint), free(sys->group),
      free(sys->group_start);
  free(sys->group_body), free(sys->block_offset), free(sys->measure), free(sys->constraint_measure);
  free(sys->force_measure), free(sys->point2), free(sys->point3), free(sys->row), free(sys->term);
  free(sys->dot_row), free(sys->other_row), free(sys->ground);
  free(sys->alignment), free(sys->custom), free(sys->custom_data), free(sys->holonomic),
      free(sys->row_name);
  free(sys->angular_row), free(sys->stiffness), free(sys->stiffness_given), free(sys->coupled);
  hn_couplings_destroy(sys);
  hn_system_destroy(sys->reference);
  hn_system_destroy(sys->halved);
  // the reference system of other coordinates, and the one with halved beams, are owned
  free(sys->part), free(sys->load), free(sys->mesh), free(sys->unilateral), free(sys->hold);
  free(sys->tip), free(sys->meeting);
  free(sys->gate);
  free(sys->row_joint), free(sys->batch), free(sys->expression), free(sys->signal);
  free(sys->motion), free(sys->kept), free(sys->force_mount), free(sys->mass),
      free(sys->constant_force);
  hn_mass_entries_destroy(sys->mass_entries);
  free(sys->angular_q), free(sys->angular_v), free(sys->body_q0);
  // last but one: what coordinates own may be looked at by the others until here
  if (sys->coordinates && sys->coordinates->destroy) sys->coordinates->destroy(sys);
  free(sys->active), free(sys->q0), free(sys->v0), free(sys->turn0);
  free(sys->turn), free(sys->follower);
  if (!sys->plan_lent) hn_saddle_plan_destroy(sys->plan);
  hn_columns_destroy(sys);
  hn_check_destroy(&sys->check);
  free(sys);
}

int hn_system_nq(const hn_system *sys) {
  return sys->nq;
}
int hn_system_nv(const hn_system *sys) {
  return sys->nv;
}
int hn_system_rows(const hn_system *sys) {
  return sys->rows;
}
const char *hn_system_row_name(const hn_system *sys, int row) {
  return row >= 0 && row < sys->rows ? sys->row_name[row] : "";
}
const hn_check *hn_system_check(const hn_system *sys) {
  return &sys->check;
}
