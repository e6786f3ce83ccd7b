// methods.c: presets. A method is data: solver, correction and integrator by name.
//
// Each of the three may be named by itself as well; a preset only fills what the options leave
// open. Steppers that set up the equations themselves have `lagrange` for a solver, which serves
// the initial state and whoever asks for accelerations. The order is that of `holon methods`.
#include "sim/sim.h"

#include "compile/compile.h"

#include <stdio.h>
#include <string.h>

// name, solver, correction, integrator, help
static const hn_method_info table[] = {
    {"default", "lagrange", "mass", "dop853", "parts chosen for the model; the summary says which"},
    {"auto", "lagrange", "mass", "dop853", "another name of default"},
    {"explicit", "lagrange", "mass", "dopri5", "multipliers, mass projection, error control"},
    {"standard", "lagrange", "none", "rk4", "multipliers alone: violations grow with time"},
    {"baumgarte", "baumgarte", "none", "rk4", "multipliers with feedback of the violation"},
    {"baumgarte-step", "baumgarte-step", "none", "rk4", "feedback gains from the step"},
    {"baumgarte-adaptive", "baumgarte-adaptive", "none", "rk4", "feedback gains that adapt"},
    {"baumgarte-integral", "baumgarte-integral", "none", "rk4",
     "feedback of the violation's integral as well"},
    {"baumgarte-energy", "baumgarte-energy", "none", "rk4", "feedback of the energy error as well"},
    {"baumgarte-sliding", "baumgarte-sliding", "none", "rk4",
     "feedback of bounded strength: violations vanish in finite time"},
    {"penalty", "penalty", "none", "rk4", "constraints as stiff springs"},
    {"augmented-lagrangian", "augmented-lagrangian", "none", "rk4",
     "penalty with iterated multipliers"},
    {"index1-augmented", "augmented-lagrangian", "mass-augmented", "rk4",
     "penalty with iterated multipliers, then mass-orthogonal projection"},
    {"staggered", "lagrange", "none", "staggered",
     "motion explicit, multipliers implicit, in turns"},
    {"coordinate-partitioning", "partition", "none", "rk4",
     "independent coordinates integrated, the others solved for"},
    {"hybrid-partition", "baumgarte", "hybrid", "rk4",
     "feedback, and dependent coordinates solved for when it does not suffice"},
    {"direct-correction", "lagrange", "direct", "rk4",
     "multipliers, least Euclidean change after each step"},
    {"mass-projection", "lagrange", "mass", "rk4", "multipliers, mass projection after each step"},
    {"udwadia-kalaba", "udwadia-kalaba", "none", "rk4", "explicit equations by pseudo-inverses"},
    {"maggi", "null-space", "none", "rk4", "free motion in the null space of the constraints"},
    {"null-space", "null-space", "partition", "rk4",
     "the same, dependent coordinates solved for after each step"},
    {"pseudoinverse", "pseudoinverse", "none", "rk4", "least-norm solution of the whole system"},
    {"uk-newmark", "lagrange", "none", "uk-newmark",
     "Udwadia-Kalaba equations with Newmark's rule by minimisation"},
    {"symplectic", "lagrange", "mass", "symplectic-euler",
     "first order, good energy behaviour at large steps"},
    {"velocity-hard", "lagrange", "mass", "velocity-hard",
     "velocity-level stepping with projection"},
    {"velocity-baumgarte", "lagrange", "none", "velocity-baumgarte",
     "velocity-level stepping with feedback of position violation"},
    {"velocity-augmented", "lagrange", "none", "velocity-augmented",
     "velocity-level stepping by springs whose force multipliers take over"},
    {"velocity-soft", "lagrange", "none", "velocity-soft",
     "velocity-level stepping with compliant constraints"},
    {"moreau", "lagrange", "mass", "moreau",
     "time-stepping through contacts, for many of them: no step ends where a gap closes"},
    {"energy-momentum", "lagrange", "none", "energy-momentum",
     "implicit, natural coordinates: energy and momentum kept exactly"},
    {"energy-momentum-index2", "lagrange", "none", "energy-momentum-index2",
     "the same, velocities meet the constraints as well"},
    {"energy-decaying", "lagrange", "none", "energy-decaying",
     "implicit, natural coordinates: energy never rises, fast motion vanishes"},
    {"discrete-null-space", "lagrange", "none", "discrete-null-space",
     "energy-momentum without multipliers"},
    {"hamiltonian-augmented", "hamiltonian", "none", "rk4",
     "momenta integrated: constraints differentiated once"},
    {"embedded-projection", "embedded", "none", "rk4",
     "projections within the equations: positions and velocities exact in every stage"},
    {"augmented-combined", "lagrange", "mass-augmented", "augmented-combined",
     "augmented-index3, and steps of index1-augmented where that does not converge"},
    {"augmented-index3", "lagrange", "none", "augmented-index3",
     "implicit: penalty and multipliers on position level, then projections"},
    {"index3-newmark", "lagrange", "none", "index3-newmark",
     "implicit, order 1, damps what is too fast for the step"},
    {"index3-trapezoidal", "lagrange", "none", "index3-trapezoidal",
     "implicit, order 2, no damping: reactions oscillate"},
    {"index3-hht", "lagrange", "none", "index3-hht",
     "implicit, order 2, damps what is too fast for the step"},
    {"index3-alpha", "lagrange", "none", "index3-alpha",
     "the same with the least damping of slow motions"},
    {"index2-newmark", "lagrange", "none", "index2-newmark",
     "implicit, order 1, positions and velocities exact"},
    {"index2-trapezoidal", "lagrange", "none", "index2-trapezoidal",
     "implicit, order 2, no damping, positions and velocities exact"},
    {"index2-hht", "lagrange", "none", "index2-hht",
     "implicit, order 2, damping, positions and velocities exact"},
    {"index2-alpha", "lagrange", "none", "index2-alpha",
     "the same with the least damping of slow motions"},
    {"index1-gear", "lagrange", "none", "index1-alpha",
     "implicit, order 2, constraints exact on all three levels"},
    {"tangent-space", "lagrange", "none", "tangent-space",
     "the same, integrated along the tangent space"},
    {"implicit-partitioning", "lagrange", "none", "implicit-partition",
     "implicit on independent coordinates, the others solved for"},
    {"coordinate-split", "lagrange", "none", "coordinate-split",
     "implicit, order 2, positions and velocities exact, no multipliers solved for"},
    {"maggi-perturbation", "lagrange", "none", "maggi-perturbation",
     "implicit, order 2, Maggi's equations, all three levels exact by perturbations"},
    {"index2-ggl", "lagrange", "none", "index2-alpha", "another name of index2-alpha"},
    {"index1-bdf", "lagrange", "mass", "index1-bdf",
     "stiff: BDF of variable order and step, projected onto the constraints"},
    {"index2-bdf", "lagrange", "none", "index2-bdf",
     "stiff: BDF of variable order and step, positions and velocities constrained"},
    {"index3-bdf", "lagrange", "mass", "index3-bdf",
     "stiff: BDF of variable order and step, positions constrained"},
    {"tangent-space-bdf", "lagrange", "none", "tangent-space-bdf",
     "stiff: BDF of variable order and step along a tangent space of the constraints"},
    {"implicit-partitioning-bdf", "lagrange", "none", "implicit-partition-bdf",
     "stiff: BDF of variable order and step on independent coordinates"},
    {"baumgarte-rule", "baumgarte-rule", "none", "rk4",
     "feedback gains from the step: Taylor, limit of stability, digital control"},
    {"baumgarte-hamiltonian", "baumgarte-hamiltonian", "none", "rk4",
     "momenta integrated, feedback of positions: constraints differentiated once"},
    {"constraint-removal", "removal", "mass", "rk4",
     "multipliers after removal of redundant rows, named or chosen"},
    {"augmented-displacement", "lagrange", "none", "augmented-displacement",
     "implicit: penalty of two terms and multipliers, unknown positions"},
    {"augmented-acceleration", "lagrange", "none", "augmented-acceleration",
     "the same by a fixed-point iteration on accelerations"},
    {"modified-state-space", "lagrange", "none", "modified-state-space",
     "implicit trapezoidal rule on independent coordinates"},
};
enum { COUNT = sizeof table / sizeof table[0] };

const hn_method_info *hn_method_at(int index) {
  return index >= 0 && index < COUNT ? &table[index] : NULL;
}

const hn_method_info *hn_method_find(const char *name) {
  for (int i = 0; i < COUNT; i++)
    if (strcmp(table[i].name, name) == 0) return &table[i];
  return NULL;
}

bool hn_method_chooses(const char *name) {
  return strcmp(name, "default") == 0 || strcmp(name, "auto") == 0;
}

// What all three parts can, so that coordinates are chosen which the method copes with. Of
// integrators those are asked that stand alone; one that needs natural coordinates says so whatever
// the others can.
unsigned hn_method_can(const hn_options *o) {
  const hn_method_info *method = hn_method_find(o->method);
  const unsigned anything = ~(unsigned)HN_NEEDS_NATURAL;
  if (!method) return anything;
  const hn_solver_type *solver = hn_solver_find(o->solver[0] ? o->solver : method->solver);
  const hn_correction_type *correction =
      hn_correction_find(o->correction[0] ? o->correction : method->correction);
  const hn_integrator_type *integrator =
      hn_integrator_find(o->integrator[0] ? o->integrator : method->integrator);
  unsigned can = solver ? solver->can : anything;
  if (correction) can &= correction->can;
  if (integrator && integrator->stands_alone)
    can = (can & integrator->can) | (integrator->can & HN_NEEDS_NATURAL);
  // an option may take an ability away: asked with the options as they are
  if (integrator && integrator->without) can &= ~integrator->without(o);
  // the integrator alone decides about stiffness and events
  unsigned own = integrator ? integrator->can & HN_CAN_STIFF : 0;
  if (integrator && integrator->undo) own |= HN_CAN_EVENTS;
  return (can & ~(unsigned)(HN_CAN_STIFF | HN_CAN_EVENTS)) | own;
}

const char *hn_method_copes(int index, int k) {
  static const struct {
    unsigned bit;
    const char *words;
  } ability[] = {
      {HN_CAN_REDUNDANT, "redundant"},
      {HN_CAN_NONHOLONOMIC, "nonholonomic"},
      {HN_CAN_SINGULAR_MASS, "singular mass"},
      {HN_CAN_STIFF, "stiff"},
      {HN_CAN_RELATIVE, "relative"},
      {HN_CAN_NATURAL, "natural"},
      {HN_CAN_EVENTS, "events"},
  };
  hn_options o = hn_options_default();
  if (!hn_method_at(index) || k < 0) return NULL;
  snprintf(o.method, sizeof o.method, "%s", hn_method_at(index)->name);
  unsigned can = hn_method_can(&o);
  for (size_t i = 0; i < sizeof ability / sizeof *ability; i++)
    if ((can & ability[i].bit) && k-- == 0) return ability[i].words;
  return NULL;
}

hn_status hn_compile(hn_system **out, hn_model *model) {
  unsigned can = hn_method_can(&model->options);
  hn_demands demands = {
      // auto.c tries steps on what is being compiled: whether the method is implicit decides about
      // coordinates
      .natural = can & HN_NEEDS_NATURAL,
      .relative = can & HN_CAN_RELATIVE,
      .reference = hn_auto_is_implicit,
      .evaluations = hn_auto_evaluations,
  };
  return hn_compile_for(out, model, &demands);
}
