// friction.c: friction in a joint, against the rate m' of one of its coordinates.
//
//   F = -viscous m' - N arm c
//
// N is the magnitude of the joint's reaction force, the one that is recorded: where joints share a
// load, its share; or `press`, where that is given. arm is `radius`, the radius of the surfaces
// that rub, for an angle and 1 for a translation. With u = arm m', the coefficients coulomb and
// static (mu_k, mu_s), and s = `speed`:
//
//   smooth         c = mu_k tanh(m' / s): below `speed` the joint creeps
//   brown-mcphee   c = mu_k tanh(4 u/s) + (mu_s - mu_k) (u/s) / ((u/s)^2/4 + 3/4)^2, largest at s
//                  (P. Brown, J. McPhee, A continuous velocity-based friction model for dynamics
//                  and control with physically meaningful parameters, J. Comput. Nonlinear Dyn.
//                  11, 2016)
//   lugre          c = k z + d z',  z' = u - k |u| z / g,  g = mu_k + (mu_s - mu_k) exp(-(u/s)^2),
//                  k = `stiffness` [1/m] and d = `damping` [s/m] of the bristles per normal force
//                  (C. Canudas de Wit et al., A new model for control of systems with friction,
//                  IEEE Trans. Automatic Control 40, 1995); z is a state named <force>_bristle
//   coulomb        mu_k against the slip, at rest whatever it takes up to mu_s: holding.c
//
// Dry friction that follows the reaction comes after it (`reactive`), and its tangent holds N. With
// `press` it is a force like others.
#include "forces/friction.h"
#include "base/elementary.h"
#include "code/formulas.h"
#include "forces/drive.h"
#include "forces/force.h"
#include "system/pair.h"

#include <stdio.h>
#include <string.h>

typedef struct friction {
  int measure;
  int load;                  // number of the joint's reaction
  double press;              // in place of it, 0: that
  double viscous;            // [N s/m, N m s]
  bool dry;                  // there is Coulomb friction as well
  double arm;                // radius of what rubs; 1 of a translation
  double sliding, sticking;  // coefficients
  double speed;              // s
  int coefficient;           // lugre: number of the expression, otherwise -1
  bool steep;                // brown-mcphee
  bool angular;
} friction;

// what presses the surfaces together
static double load(const friction *e, const hn_work *work) {
  if (e->press > 0) return e->press;
  return e->dry ? v3_norm(work->load + 6 * e->load) : 0;
}

// c, and its derivative by m', or where it is an expression by what that reads
static double coefficient(const hn_system *sys, const hn_work *work, const friction *e,
                          double *slope, const double **gradient) {
  double rate = work->mval[e->measure].rate;
  *slope = 0;
  if (e->coefficient >= 0) return hn_run_expression(sys, work, e->coefficient, gradient);
  if (!e->steep) {
    double s = hn_tanh(rate / e->speed);
    *slope = e->sliding * (1 - s * s) / e->speed;
    return e->sliding * s;
  }
  double u = e->arm * rate / e->speed, s = hn_tanh(4 * u), w = 0.25 * u * u + 0.75;
  double more = e->sticking - e->sliding;
  *slope = (4 * e->sliding * (1 - s * s) + more * (1 / (w * w) - u * u / (w * w * w))) * e->arm /
           e->speed;
  return e->sliding * s + more * u / (w * w);
}

static double dry(const hn_system *sys, const friction *e, const hn_work *work) {
  double slope;
  const double *gradient;
  return e->dry ? -e->arm * load(e, work) * coefficient(sys, work, e, &slope, &gradient) : 0;
}

static void eval(const hn_system *sys, hn_work *work, int count, const void *data) {
  const friction *e = data;
  for (int i = 0; i < count; i++, e++) {
    double rate = work->mval[e->measure].rate, F = -e->viscous * rate;
    if (e->press > 0) F += dry(sys, e, work);
    hn_apply_measure(sys, work, e->measure, F);
    work->power += F * rate;
  }
}

static hn_node coefficient_formula(hn_formulas *f, const friction *e, hn_node rate) {
  hn_graph *g = f->g;
  hn_graph_note(g, e->coefficient >= 0 ? 0 : e->steep ? 1 : 2);
  if (e->coefficient >= 0) return hn_expression_node(f, e->coefficient, 0);
  if (!e->steep)
    return n_scale(g, e->sliding, n_function(g, HN_OP_TANH, n_scale(g, 1 / e->speed, rate)));
  hn_node u = n_scale(g, e->arm / e->speed, rate);
  hn_node w = n_add(g, n_scale(g, 0.25, n_mul(g, u, u)), n_constant(g, 0.75));
  hn_node slides = n_scale(g, e->sliding, n_function(g, HN_OP_TANH, n_scale(g, 4, u)));
  return n_add(g, slides, n_scale(g, e->sticking - e->sliding, n_div(g, u, n_mul(g, w, w))));
}

static void formulas(hn_formulas *f, int count, const void *data) {
  const friction *e = data;
  hn_graph *g = f->g;
  for (int i = 0; i < count; i++, e++) {
    hn_jet m = hn_measure_jet(f, e->measure);
    hn_node F = n_scale(g, -e->viscous, m.rate);
    hn_graph_note(g, e->press > 0);
    if (e->press > 0)
      F = n_sub(g, F, n_scale(g, e->arm * e->press, coefficient_formula(f, e, m.rate)));
    hn_formulas_apply(f, F, m.rate);
    hn_formulas_power(f, n_mul(g, F, m.rate));
  }
}

// What waits for the reactions: sim/settle.c repeats reactions and friction until both agree
static void reactive(const hn_system *sys, hn_work *work, int count, const void *data) {
  const friction *e = data;
  for (int i = 0; i < count; i++, e++) {
    double F = dry(sys, e, work);
    hn_apply_measure(sys, work, e->measure, F);
    work->power += F * work->mval[e->measure].rate;
  }
}

// with N held: its own derivative would couple all joints whose reactions it follows
static void tangent(const hn_system *sys, hn_work *work, int count, const void *data,
                    hn_tangent *out) {
  const friction *e = data;
  for (int i = 0; i < count; i++, e++) {
    double rate = work->mval[e->measure].rate, slope = 0, N = e->arm * load(e, work);
    const double *gradient = NULL;
    double c = e->dry ? coefficient(sys, work, e, &slope, &gradient) : 0;
    hn_tangent_measure(sys, work, e->measure, -e->viscous * rate - N * c, 0,
                       -e->viscous - N * slope, out);
    if (!gradient) continue;
    hn_direction along = hn_direction_measure(sys, work, e->measure);
    hn_tangent_expression(sys, work, &along, -N, e->coefficient, gradient, out);
  }
}

static const char *column(const void *data, int k, const char **unit) {
  const friction *e = data;
  if (k > 0) return NULL;
  *unit = e->angular ? "N m" : "N";
  return "force";
}

static double read(const hn_system *sys, const hn_work *work, const void *data, int k) {
  const friction *e = data;
  (void)k;
  return dry(sys, e, work) - e->viscous * work->mval[e->measure].rate;
}

// without Coulomb friction, or with a force that presses, nothing has to wait for the multipliers
static const hn_force_ops free_ops = {
    .name = "friction",
    .data_size = sizeof(friction),
    .eval = eval,
    .tangent = tangent,
    .formulas = formulas,
    .column = column,
    .read = read,
};
static const hn_force_ops waiting_ops = {
    .name = "friction",
    .data_size = sizeof(friction),
    .eval = eval,
    .tangent = tangent,
    .reactive = reactive,
    .column = column,
    .read = read,
};

// ---- building ------------------------------------------------------------------------------

typedef enum friction_law { SMOOTH, COULOMB, STEEP, BRISTLES, LAWS } friction_law;
static const char *const law_names[] = {"smooth", "coulomb", "brown-mcphee", "lugre", NULL};

static friction_law law_of(const hn_force_def *def) {
  for (int i = 0; def->law && i < LAWS; i++)
    if (strcmp(def->law, law_names[i]) == 0) return (friction_law)i;
  return def->law ? LAWS : SMOOTH;
}

static double sticking_of(const hn_force_def *def) {
  return def->sticking > 0 ? def->sticking : def->coulomb;
}

// what cannot be meant; the first of them
static hn_status check(hn_builder *builder, const hn_force_def *def) {
  friction_law law = law_of(def);
  if (law == LAWS) {
    const char *near = hn_nearest(def->law, law_names);
    return near ? hn_build_fail(builder, HN_ERR_MODEL, "no law '%s' (did you mean '%s'?)", def->law,
                                near)
                : hn_build_fail(builder, HN_ERR_MODEL,
                                "no law '%s' (there are smooth, coulomb, brown-mcphee, lugre)",
                                def->law);
  }
  if (def->viscous == 0 && def->coulomb == 0)
    return hn_build_fail(builder, HN_ERR_MODEL, "has no force: give viscous or coulomb");
  if (law != SMOOTH && def->coulomb == 0)
    return hn_build_fail(builder, HN_ERR_MODEL, "law %s needs coulomb, the coefficient in motion",
                         def->law);
  if (def->sticking > 0 && law == SMOOTH)
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "static has no effect: the law smooth creeps at rest (give law: coulomb)");
  if (def->sticking > 0 && def->sticking < def->coulomb)
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "static, %g, must not be less than coulomb, %g: what slips would start to "
                         "stick while it moves",
                         def->sticking, def->coulomb);
  if (def->press > 0 && def->coulomb == 0)
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "press has no effect without coulomb, the friction coefficient");
  if (law == COULOMB && def->speed > 0)
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "speed has no effect: the law coulomb is not smoothed");
  bool bristles = def->stiffness != 0 || def->damping != 0;
  if (law != BRISTLES && bristles)
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "stiffness and damping are those of bristles (law: lugre)");
  if (law == BRISTLES && !(def->stiffness > 0))
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "law lugre needs the stiffness of the bristles, 1/m per normal force");
  return HN_OK;
}

// z' = u - k |u| z / g(u): in steady sliding z = g sign(u) / k, so that k z is the friction
// coefficient of the Stribeck curve
static void bristle_rate(const hn_force_def *def, const char *u, const char *z, char *text,
                         size_t size) {
  double speed = def->speed > 0 ? def->speed : 1e-3;
  hn_plain_text(text, size, "(%s - %.17g*abs(%s)*%s/(%.17g + %.17g*exp(-(%s/%.17g)^2)))", u,
                def->stiffness, u, z, def->coulomb, sticking_of(def) - def->coulomb, u, speed);
}

// c of lugre as an expression of the state and the rate
static int bristle_expression(hn_builder *builder, const hn_force_def *def, const friction *e) {
  char u[HN_DRIVE_NAME], z[HN_DRIVE_NAME], rate[HN_DRIVE_TEXT / 2], text[HN_DRIVE_TEXT];
  hn_local_name local[] = {{"rate", HN_SIGNAL_RATE, e->measure, NULL}};
  hn_drive_name(def, "bristle", z);
  hn_plain_text(u, sizeof u, "(%.17g*rate)", e->arm);
  bristle_rate(def, u, z, rate, sizeof rate);
  hn_plain_text(text, sizeof text, "%.17g*%s + %.17g*%s", def->stiffness, z, def->damping, rate);
  return hn_build_expression(builder, "law", text, local, 1);
}

// blocks have coordinates but no reactions: there is nothing that presses
static int joint_of(hn_builder *builder, const hn_force_def *def) {
  const hn_system *sys = hn_build_system(builder);
  for (int i = 0; i < sys->joints; i++)
    if (strcmp(sys->joint[i].name, def->joint) == 0) return i;
  hn_build_fail(builder, HN_ERR_MODEL,
                "needs a joint, whose reaction it follows: '%s' is a block (give viscous only)",
                def->joint);
  return -1;
}

static hn_status build(hn_builder *builder, const hn_force_def *def) {
  friction_law law = law_of(def);
  if (check(builder, def)) return hn_build_status(builder);
  if (law == COULOMB) return hn_build_holding(builder, def, sticking_of(def));
  friction e = {.viscous = def->viscous,
                .speed = def->speed > 0 ? def->speed : 1e-3,
                .dry = def->coulomb > 0,
                .press = def->press,
                .sliding = def->coulomb,
                .sticking = sticking_of(def),
                .steep = law == STEEP,
                .coefficient = -1};
  e.measure = hn_build_joint_coordinate(builder, def->joint, def->coordinate, &e.angular);
  if (e.measure < 0) return hn_build_status(builder);
  if (e.angular && e.dry && !(def->radius > 0))
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "needs the radius of the surfaces that rub, as '%s' turns", def->joint);
  if (!e.angular && def->radius > 0)
    return hn_build_fail(builder, HN_ERR_MODEL,
                         "radius has no effect: '%s' does not turn (leave it out)", def->joint);
  e.arm = e.angular ? def->radius : 1;
  if (e.dry) {
    int joint = joint_of(builder, def);
    if (joint < 0) return hn_build_status(builder);
    if (!(e.press > 0)) e.load = hn_build_load(builder, joint);
  }
  if (law == BRISTLES) e.coefficient = bristle_expression(builder, def, &e);
  hn_build_force(builder, e.dry && !(e.press > 0) ? &waiting_ops : &free_ops, &e);
  return hn_build_status(builder);
}

// the bristles' state, or the rows that hold
static hn_status states(hn_model *model, const hn_force_def *def) {
  friction_law law = law_of(def);
  if (law == COULOMB) {
    char name[HN_DRIVE_NAME];
    snprintf(name, sizeof name, "%.180s.hold", def->name);
    hn_joint_def hold = {.name = name,
                         .type = "grip",
                         .joint_a = def->joint,
                         .coordinate = def->coordinate,
                         .radius = def->radius,
                         .radius_a = def->radius_a};
    return hn_add_joint(model, &hold).id < 0 ? HN_ERR_MODEL : HN_OK;
  }
  if (law != BRISTLES) return HN_OK;
  char name[HN_DRIVE_NAME], speed[HN_DRIVE_NAME], u[HN_DRIVE_TEXT / 8], rate[HN_DRIVE_TEXT];
  hn_drive_name(def, "bristle", name);
  hn_drive_quantity(def, true, speed);
  // a translation has no radius, which `build` sees to
  hn_plain_text(u, sizeof u, "(%.17g*%s)", def->radius > 0 ? def->radius : 1, speed);
  bristle_rate(def, u, name, rate, sizeof rate);
  return hn_add_signal(model, &(hn_signal_def){.name = name, .unit = "m", .rate = rate});
}

const hn_force_type hn_force_friction = {
    .info = {.name = "friction",
             .help = "Coulomb and viscous friction against the rate of a joint coordinate",
             .keys = "joint coordinate law coulomb static press viscous speed radius radius_a "
                     "stiffness damping",
             .required = "joint"},
    .build = build,
    .states = states,
};
