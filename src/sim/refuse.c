// refuse.c: the parts of a method, found by their names, and what they cannot do.
//
// Solvers, corrections and integrators say as bits what they cope with (HN_CAN_...); the model says
// what there is to cope with. What is missing is told in words before anything is computed: a
// method that runs on a model it was not made for would be wrong without a sign of it.
#include "sim/sim.h"
#include "system/crowd.h"

#include <stdio.h>
#include <string.h>

// what a method must cope with to run the system, as bits
static unsigned needs_of(const hn_system *sys) {
  unsigned needed = sys->coordinates->ability;
  // of rows that come and go each is taken for redundant: contact.c chooses among them
  if (sys->redundant > sys->unilaterals) needed |= HN_CAN_REDUNDANT;
  if (sys->unilaterals) needed |= HN_CAN_UNILATERAL;
  for (int i = 0; i < sys->rows; i++)
    if (!sys->holonomic[i]) needed |= HN_CAN_NONHOLONOMIC;
  if (sys->singular_mass) needed |= HN_CAN_SINGULAR_MASS;
  return needed;
}

// Solvers and corrections are asked for every need; integrators only where they set up the
// equations themselves: others leave that to the solver.
static hn_status refuse_needs(hn_sim *sim, unsigned needed) {
  static const struct {
    unsigned what;
    const char *words;
  } reasons[] = {
      {HN_CAN_REDUNDANT, "redundant constraints, which this model has (see 'holon check')"},
      {HN_CAN_RELATIVE, "relative coordinates (set 'coordinates' to reference)"},
      {HN_CAN_NATURAL, "natural coordinates (set 'coordinates' to reference)"},
      {HN_CAN_NONHOLONOMIC, "nonholonomic joints, which this model has"},
      {HN_CAN_SINGULAR_MASS, "coordinates without inertia, which this model has"},
      {HN_CAN_UNILATERAL, "limits, ropes, stops, or joints that come and go, which this model has"},
  };
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
    unsigned missing = needed & reasons[i].what;
    if (missing & ~sim->method.solver->can)
      return hn_sim_fail(sim, HN_ERR_UNSUPPORTED, "solver '%s' cannot deal with %s",
                         sim->method.solver->info.name, reasons[i].words);
    unsigned able = sim->method.integrator->can;
    if (sim->method.integrator->without) able &= ~sim->method.integrator->without(&sim->opt);
    if (sim->method.integrator->stands_alone && (missing & ~able))
      return hn_sim_fail(sim, HN_ERR_UNSUPPORTED, "integrator '%s' cannot deal with %s",
                         sim->method.integrator->info.name, reasons[i].words);
    if (missing & ~sim->method.correction->can)
      return hn_sim_fail(sim, HN_ERR_UNSUPPORTED, "correction '%s' cannot deal with %s",
                         sim->method.correction->info.name, reasons[i].words);
  }
  return HN_OK;
}

// what the model has beyond constraints
static hn_status refuse_contents(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->unilaterals; i++)
    if (sys->unilateral[i].hold < 0)
      return hn_sim_fail(sim, HN_ERR_MODEL,
                         "joint '%s' holds nothing: no friction is at work in it (give a force of "
                         "type friction with law: coulomb, which makes its own)",
                         sys->joint[sys->row_joint[sys->unilateral[i].row]].name);
  bool over = sim->method.integrator->can & HN_STEPS_OVER;
  if (sys->unilaterals && !over &&
      (!sim->method.integrator->undo || strcmp(sim->opt.events, "off") == 0))
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "%s '%s' does not end steps where a limit, rope or stop is met, or a joint "
                       "comes or goes, which this "
                       "model has",
                       sim->method.integrator->undo ? "events" : "integrator",
                       sim->method.integrator->undo ? "off" : sim->method.integrator->info.name);
  hn_crowd crowd;
  if (!over && hn_crowd_of(sys, &crowd))
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "integrator '%s' does not step through the contacts of pile '%s' ('moreau' "
                       "does: set 'method' to moreau, and a 'step')",
                       sim->method.integrator->info.name, crowd.name);
  if (sys->tips && over)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "integrator '%s' does not end steps where a corner leaves a face, which the "
                       "contacts of this model need (a pile has solids that it steps through)",
                       sim->method.integrator->info.name);
  if (sys->memories && (!sim->method.integrator->undo || strcmp(sim->opt.events, "off") == 0))
    return hn_sim_fail(
        sim, HN_ERR_UNSUPPORTED,
        "%s '%s' does not end steps where a contact begins, and so does not know the "
        "speed its law with a restitution needs (laws without, as 'hertz' and "
        "'kelvin-voigt', do not)",
        sim->method.integrator->undo ? "events" : "integrator",
        sim->method.integrator->undo ? "off" : sim->method.integrator->info.name);
  // masses of these depend on the state
  const char *varying = sys->flexibles ? "flexible bodies"
                        : sys->blocks  ? "blocks"
                        : sys->spreads ? "beams with consistent masses"
                                       // shapes of the mass matrix that solvers with factors of a
                                       // constant diagonal do not know
                                       : NULL;
  if (sys->coordinates->flat) varying = NULL;  // masses of points are constant
  if (varying && (sim->method.solver->can & HN_NO_BLOCKS))
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "solver '%s' cannot deal with %s, which this model has",
                       sim->method.solver->info.name, varying);
  if (varying && sim->method.integrator->stands_alone &&
      !(sim->method.integrator->can & HN_CAN_BLOCKS))
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "integrator '%s' cannot deal with %s, which this model has",
                       sim->method.integrator->info.name, varying);
  if (sys->states && sim->method.integrator->stands_alone &&
      !(sim->method.integrator->can & HN_CAN_STATES))
    return hn_sim_fail(
        sim, HN_ERR_UNSUPPORTED,
        "integrator '%s' cannot integrate states, which this model has (all of holon's own can)",
        sim->method.integrator->info.name);
  if (sys->states && sys->check.singular_rows)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "a model with states cannot start from a singular configuration");
  return HN_OK;
}

// parts that leave each other nothing to do, or undo each other's work
static hn_status refuse_pairs(hn_sim *sim) {
  const hn_type_info *solver = &sim->method.solver->info,
                     *correction = &sim->method.correction->info;
  bool exact = sim->method.solver->can & HN_IS_EXACT;
  if (sim->method.integrator->stands_alone && strcmp(solver->name, "lagrange") != 0)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "integrator '%s' solves the equations of motion itself and leaves solver "
                       "'%s' nothing to do (set 'solver' to lagrange)",
                       sim->method.integrator->info.name, solver->name);
  if (exact && strcmp(correction->name, "none") != 0)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "solver '%s' meets the constraints at every stage and leaves correction "
                       "'%s' nothing to do (set 'correction' to none)",
                       solver->name, correction->name);
  if (sim->method.integrator->compliant && strcmp(correction->name, "none") != 0)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "integrator '%s' lets the constraints yield, which correction '%s' would "
                       "undo (set 'correction' to none)",
                       sim->method.integrator->info.name, correction->name);
  return HN_OK;
}

// needs first: their sentences say most
hn_status hn_sim_check_parts(hn_sim *sim) {
  hn_status status = refuse_needs(sim, needs_of(sim->sys));
  if (!status) status = refuse_contents(sim);
  return status ? status : refuse_pairs(sim);
}

// what the options name wins over the preset, and the preset over nothing; `default` fills what is
// open with what suits the system
hn_status hn_sim_choose_parts(hn_sim *sim) {
  hn_options *o = &sim->opt;
  sim->method.info = hn_method_find(o->method);
  if (!sim->method.info) {
    const char *names[64], *near;
    int count = 0;
    for (; hn_method_at(count) && count < 63; count++) names[count] = hn_method_at(count)->name;
    names[count] = NULL;
    near = hn_nearest(o->method, names);
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "no method '%s'%s%s%s", o->method,
                       near ? " (did you mean '" : " (see 'holon methods')", near ? near : "",
                       near ? "'?)" : "");
  }
  // fills what is open, so that saved runs and companions have the parts, not the wish
  if (hn_method_chooses(o->method))
    snprintf(sim->method.reason, sizeof sim->method.reason, "%s", hn_auto_choose(sim->sys, o));
  const char *solver = o->solver[0] ? o->solver : sim->method.info->solver;
  const char *correction = o->correction[0] ? o->correction : sim->method.info->correction;
  const char *integrator = o->integrator[0] ? o->integrator : sim->method.info->integrator;
  sim->method.solver = hn_solver_find(solver);
  sim->method.correction = hn_correction_find(correction);
  sim->method.integrator = hn_integrator_find(integrator);
  if (!sim->method.solver)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "no solver '%s' (see 'holon methods')", solver);
  if (!sim->method.correction)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "no correction '%s' (see 'holon methods')",
                       correction);
  if (!sim->method.integrator)
    return hn_sim_fail(sim, HN_ERR_ARGUMENT, "no integrator '%s' (see 'holon methods')",
                       integrator);
  if (!sim->method.integrator->adaptive && !(o->step > 0))
    return hn_sim_fail(sim, HN_ERR_ARGUMENT,
                       "integrator '%s' needs a fixed step (set 'step', for example 1e-3)",
                       integrator);
  return hn_sim_check_parts(sim);
}

hn_status hn_refuse_programs(hn_sim *sim, const char *what) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->joints && sys->programmed; i++)
    if (sys->joint[i].by)
      return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                         "driver '%s' prescribes what '%s' brings about, which %s cannot deal with "
                         "(use 'holon inverse')",
                         sys->joint[i].name, sys->joint[i].by, what);
  return HN_OK;
}

hn_status hn_refuse_states(hn_sim *sim, const char *what) {
  if (!sim->sys->states) return HN_OK;
  return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                     "%s cannot deal with states, as '%s', which only a run integrates", what,
                     sim->sys->state[0].name);
}
