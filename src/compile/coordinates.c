// coordinates.c: which coordinates a model is compiled in, and compiling it in these.
//
// Every model is compiled in reference coordinates first, and assembled there. Others start from
// that state; the system in reference coordinates stays beside them for questions about all rows.
#include "compile/compile.h"

#include "code/formulas.h"
#include "system/builder.h"
#include "system/coordinates/natural.h"
#include "system/coordinates/tree.h"
#include "system/crowd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// which generalized coordinates are angles
hn_status hn_mark_angles(hn_system *sys) {
  free(sys->angular_q), free(sys->angular_v);
  sys->angular_q = calloc((size_t)sys->nq + 1, sizeof(bool));
  sys->angular_v = calloc((size_t)sys->nv + 1, sizeof(bool));
  if (!sys->angular_q || !sys->angular_v) return HN_ERR_MEMORY;
  sys->coordinates->mark_angles(sys, sys->angular_q, sys->angular_v);
  return HN_OK;
}

// the same model in other coordinates, starting from the assembled reference state; the joints that
// are `taken` bring no rows.
// Turn memories of measures are numbered alike in both systems, so those of the assembled state
// serve here as well.
static hn_status compile_in(const hn_coordinates *coordinates, hn_system **out, hn_model *model,
                            const hn_system *ref, const bool *taken) {
  *out = NULL;
  hn_system *sys;
  hn_status status = hn_compile_rows(&sys, model, &(hn_compile_extra){.tree_joint = taken});
  if (status) return status;
  // where bodies are, in their own coordinates, whatever the family's are
  sys->body_q0 = malloc(((size_t)ref->nq + 1) * sizeof(double));
  if (sys->body_q0) {
    memcpy(sys->body_q0, ref->q0, (size_t)ref->nq * sizeof(double));
    memcpy(sys->turn0, ref->turn0, (size_t)sys->turns * sizeof(double));
    status = coordinates->create(sys, ref, taken);
  } else {
    status = HN_ERR_MEMORY;
  }
  if (status)
    hn_system_destroy(sys);
  else
    *out = sys;
  return status;
}

// is some reaction of the joint recorded?
// Without a list of outputs everything is recorded.
static bool asked_for(const hn_model *model, const hn_sys_joint *j) {
  static const char *const quantity[] = {"fx",       "fy",       "fz",       "tx",
                                         "ty",       "tz",       "local_fx", "local_fy",
                                         "local_fz", "local_tx", "local_ty", "local_tz"};
  char name[160];
  // what nobody lists is not asked for
  if (model->output_count == 0 || j->components) return true;
  for (size_t k = 0; k < sizeof quantity / sizeof *quantity; k++) {
    snprintf(name, sizeof name, "%s.%s", j->name, quantity[k]);
    for (int i = 0; i < model->output_count; i++)
      if (hn_glob(model->output[i], name)) return true;
  }
  return false;
}

// `auto` shares where nobody asks for what sharing hides: reactions of those joints.
static hn_status compile_natural(hn_system **out, hn_model *model, const hn_system *ref) {
  const char *points = model->options.natural_points;
  bool *share = calloc((size_t)ref->joints + 1, sizeof(bool));
  *out = NULL;
  if (!share) return HN_ERR_MEMORY;
  for (int j = 0; j < ref->joints; j++)
    share[j] = strcmp(points, "shared") == 0 ||
               (strcmp(points, "auto") == 0 && !ref->reactive && !asked_for(model, &ref->joint[j]));
  // joints that share points have no reactions
  // friction needs these reactions
  for (int i = 0; i < ref->loads; i++) share[ref->load[i].joint] = false;
  hn_status status = hn_natural_choose(ref, share);
  if (!status) status = compile_in(&hn_natural_coordinates, out, model, ref, share);
  free(share);
  if (status) return status;
  hn_system *sys = *out;
  bool shared = sys->coordinates->hides_reactions(sys);
  sys->check.coordinates = shared ? "natural (hinges share their points)" : "natural";
  if (!shared || !ref->loads || !ref->redundant) return HN_OK;
  hn_system_destroy(sys);
  *out = NULL;
  return hn_model_fail(model, (hn_place){0}, HN_ERR_UNSUPPORTED,
                       "Coulomb friction needs reactions, which joints that share their points do "
                       "not have (set 'natural_points' to joined)");
}

// which rows of a system in other coordinates are solved for.
// With all rows of the reference system there the choice is that of the reference system.
static hn_status select_rows(hn_system *sys, const hn_system *ref, hn_model *model) {
  const hn_coordinates *c = sys->coordinates;
  bool all = c->adds_rows && !c->hides_reactions(sys);
  if (!all) return hn_select_loop_rows(sys, model, ref);
  // rows of joints come first and depend on each other as in the reference system, others on
  // nothing
  sys->active = malloc((size_t)sys->rows + 1);
  if (!sys->active) return HN_ERR_MEMORY;
  for (int i = 0; i < sys->rows; i++) sys->active[i] = i >= ref->rows || ref->active[i];
  sys->redundant = ref->redundant;
  return HN_OK;
}

// takes the place of the reference system and its report; keeps it where rows raise questions.
// The report moves to the new system, names and all; ref must not free it. Where no rows are left
// there is nothing to ask the reference system about, and it goes.
static hn_status replace(hn_system **out, hn_model *model, hn_system *ref, hn_system *sys) {
  // the text belongs to the new system, the report to the old
  const char *coordinates = sys->check.coordinates;
  sys->check = ref->check;
  memset(&ref->check, 0, sizeof ref->check);
  sys->check.coordinates = coordinates;
  sys->length = ref->length;
  sys->gap = ref->gap;
  sys->trial = ref->trial;
  // names in the report belong to the system
  hn_check_joint *joint = (hn_check_joint *)sys->check.joint;
  for (int i = 0; i < sys->joints; i++) joint[i].name = sys->joint[i].name;
  hn_check_body *body = (hn_check_body *)sys->check.body;
  for (int i = 0; i < sys->check.body_count; i++) body[i].name = sys->body[1 + i].info->name;
  *out = sys;
  hn_status status = hn_mark_angles(sys);
  if (!status) status = select_rows(sys, ref, model);
  if (!status && sys->coordinates->settle) status = sys->coordinates->settle(sys);
  // who has rows may be asked which of them repeat others
  if (sys->rows)
    sys->reference = ref;
  else
    hn_system_destroy(ref);
  return status;
}

// ---- costs ---------------------------------------------------------------------------------

// estimated nanoseconds of one evaluation, see hn_tree_cost.
// Fitted together with hn_tree_cost_of, see there.
static double reference_cost(const hn_system *sys) {
  double bodies = sys->any_spatial ? 30 : 7;
  return 40 + bodies * (sys->bodies - 1) + 24.0 * sys->rows + 75.0 * sys->constraint_measures +
         0.43 * (double)hn_saddle_plan_flops(sys->plan);
}

// code written for the model has other costs (dependent rows of relative coordinates are not known
// yet and counted in): *pays is set where both or one of them have code.
// hn_formulas_cost: -1 where no code can be written, less than that when out of memory.
static hn_status compare_code(hn_model *model, const hn_system *ref, const bool *tree, bool *pays) {
  hn_system *relative;
  hn_status status = compile_in(&hn_relative_coordinates, &relative, model, ref, tree);
  if (status) return status;
  long here = hn_formulas_cost(ref), there = hn_formulas_cost(relative);
  hn_system_destroy(relative);
  if (here < -1 || there < -1) return HN_ERR_MEMORY;
  if (here >= 0 || there >= 0) *pays = here < 0 || (there >= 0 && there <= here);
  return HN_OK;
}

static hn_status relative_pays(hn_model *model, const hn_system *ref, const bool *tree,
                               bool *pays) {
  double cost = hn_tree_cost(ref, tree);
  if (cost < 0) return HN_ERR_MEMORY;
  *pays = cost <= reference_cost(ref);
  // with `auto` coordinates do not depend on whether there is code
  bool code = hn_word_in(model->options.code, "native written");
  return code ? compare_code(model, ref, tree, pays) : HN_OK;
}

// ---- choice --------------------------------------------------------------------------------

static hn_status refuse(hn_model *model, const char *why) {
  return hn_model_fail(model, (hn_place){0}, HN_ERR_UNSUPPORTED, "%s", why);
}

// Refusals come before anything is compiled, in words that say what else would do.
static hn_status take_natural(hn_system **out, hn_model *model) {
  hn_system *ref = *out, *natural;
  // masses of each of these are no constants of points
  if (ref->blocks || ref->flexibles || ref->singular_mass)
    return refuse(
        model, "natural coordinates need bodies with mass and inertia, not given by equations or "
               "finite elements: use reference coordinates");
  hn_crowd crowd;
  if (hn_crowd_of(ref, &crowd)) return refuse(model, "a pile needs reference coordinates");
  if (ref->unilaterals)
    return refuse(model, "natural coordinates cannot deal with limits, ropes, stops, or joints "
                         "that come and go: use reference or "
                         "relative coordinates");
  hn_status status = compile_natural(&natural, model, ref);
  if (!status && (status = hn_couple_rigid_rows(natural, model))) hn_system_destroy(natural);
  return status ? status : replace(out, model, ref, natural);
}

// what is in the way of relative coordinates: in words, and as an answer to who asked for them
typedef struct obstacle {
  const char *reason, *refusal;
} obstacle;

static obstacle relative_obstacle(const hn_system *ref) {
  hn_crowd crowd;
  if (hn_crowd_of(ref, &crowd))
    return (obstacle){"reference (bodies of a pile)", "a pile needs reference coordinates"};
  if (ref->mass_entries)
    return (obstacle){hn_mass_varies(ref) ? "reference (the mass matrix is not diagonal)"
                                          : "reference (bodies without mass or inertia)",
                      "relative coordinates need bodies with mass and inertia, not given by "
                      "equations or finite elements: use reference coordinates"};
  if (!hn_tree_possible(ref))
    return (obstacle){"reference (planar and spatial bodies are mixed)",
                      "relative coordinates need all bodies in space or all in the plane"};
  return (obstacle){0};
}

// the tree is known: `auto` takes it where it is cheaper.
// The estimate is made before anything is compiled; what is asked for by name is not estimated.
static hn_status take_tree(hn_system **out, hn_model *model, const bool *tree, bool wanted) {
  hn_system *ref = *out, *relative;
  bool pays = wanted;
  hn_status status = wanted ? HN_OK : relative_pays(model, ref, tree, &pays);
  if (status) return status;
  if (!pays) {
    ref->check.coordinates = "reference (cheaper than relative here)";
    return HN_OK;
  }
  status = compile_in(&hn_relative_coordinates, &relative, model, ref, tree);
  if (status) return status;
  relative->check.coordinates = wanted ? "relative" : "relative (cheaper than reference here)";
  return replace(out, model, ref, relative);
}

static hn_status take_relative(hn_system **out, hn_model *model, bool wanted) {
  hn_system *ref = *out;
  obstacle o = relative_obstacle(ref);
  if (o.reason && wanted) return refuse(model, o.refusal);
  if (o.reason) {
    ref->check.coordinates = o.reason;
    return HN_OK;
  }
  bool *tree = calloc((size_t)ref->joints + 1, sizeof(bool));
  hn_status status = tree && hn_tree_choose(ref, tree) ? HN_OK : HN_ERR_MEMORY;
  if (!status) status = take_tree(out, model, tree, wanted);
  free(tree);
  return status;
}

// what the method of the run says against others than reference coordinates, NULL: nothing
static const char *method_needs(hn_system *ref, const hn_demands *demands) {
  if (demands->reference(ref)) return "reference (stiff: the implicit method needs them)";
  return demands->relative ? NULL : "reference (the method needs them)";
}

// a coupling with rows of rigidity; NULL: there is none
static const hn_model_coupling *rigid_coupling(const hn_model *model) {
  for (int i = 0; i < model->coupling_count; i++)
    if (hn_coupling_is_rigid(model, &model->coupling[i].def)) return &model->coupling[i];
  return NULL;
}

// A wish wins over costs, what the method can do over wishes: methods refuse on their own what they
// cannot run.
hn_status hn_choose_coordinates(hn_system **out, hn_model *model, const hn_demands *demands) {
  const char *wish = model->options.coordinates;
  const hn_model_coupling *rigid = rigid_coupling(model);
  bool open = strcmp(wish, "auto") == 0;
  // natural coordinates are the only way where rigidity has a stiffness
  if (strcmp(wish, "natural") == 0 || (open && (demands->natural || rigid)))
    return take_natural(out, model);
  if (rigid)
    return hn_model_fail(model, rigid->place, HN_ERR_UNSUPPORTED,
                         "coupling '%s': only in natural coordinates bodies have rows that keep "
                         "them rigid (set 'coordinates' to natural)",
                         rigid->def.name);
  if (strcmp(wish, "relative") == 0) return take_relative(out, model, true);
  const char *reason = open ? method_needs(*out, demands) : "reference";
  if (!reason) return take_relative(out, model, false);
  (*out)->check.coordinates = reason;
  return HN_OK;
}
