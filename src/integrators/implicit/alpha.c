// alpha.c: the members of the generalized-alpha family, for every formulation.
//
// rho_inf is the part of a vibration far above 1/h that survives a step: 1 keeps everything, 0
// wipes it out at once. The parameters that leave low frequencies alone as far as possible are
//
//   newmark       gamma = (3 - rho) / (2 (1 + rho)), alpha_m = alpha_f = 0; order 1 unless rho = 1
//   trapezoidal   gamma = 1/2, beta = 1/4; rho = 1
//   hht           alpha_f = (1 - rho) / (1 + rho) <= 1/3, alpha_m = 0
//   alpha         alpha_m = (2 rho - 1) / (rho + 1), alpha_f = rho / (rho + 1)
//
// with gamma = 1/2 + alpha_f - alpha_m and beta = (gamma + 1/2)^2 / 4.
// H. M. Hilber, T. J. R. Hughes, R. L. Taylor (1977); J. Chung, G. M. Hulbert (1993).
#include "integrators/implicit/implicit.h"

static double beta_for(double gamma) {
  return 0.25 * (gamma + 0.5) * (gamma + 0.5);
}

static hn_closure newmark(double rho) {
  double gamma = (1.5 - 0.5 * rho) / (1 + rho);
  return (hn_closure){.gamma = gamma, .beta = beta_for(gamma)};
}

static hn_closure trapezoidal(double rho) {
  (void)rho;
  return (hn_closure){.gamma = 0.5, .beta = 0.25};
}

static hn_closure alpha(double rho) {
  double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), gamma = 0.5 + af - am;
  return (hn_closure){.am = am, .af = af, .gamma = gamma, .beta = beta_for(gamma)};
}

// its vibrations fade at most with rho = 1/2
static hn_closure hht(double rho) {
  double af = fmin((1 - rho) / (1 + rho), 1.0 / 3), gamma = 0.5 + af;
  return (hn_closure){.af = af, .gamma = gamma, .beta = beta_for(gamma)};
}

#define MEMBER(scheme_name, order_, name_, help_, keys_, formulation, more)                        \
  {                                                                                                \
    .info = {.name = name_, .help = help_, .keys = keys_}, .order = order_, .adaptive = true,      \
    .layout = hn_implicit_layout, .step = hn_implicit_step, .dense = hn_dense_hermite,             \
    .undo = hn_implicit_undo, .stands_alone = true,                                                \
    .can = HN_CAN_REDUNDANT | HN_CAN_NONHOLONOMIC | HN_CAN_SINGULAR_MASS | HN_CAN_BLOCKS |         \
           HN_CAN_STIFF | HN_CAN_STATES | (more),                                                  \
    .create = hn_implicit_create, .start = hn_implicit_start, .release = hn_implicit_release,      \
    .outside = hn_implicit_outside, .reactions = hn_implicit_reactions,                            \
    .variant = &(const hn_scheme){&formulation, scheme_name},                                      \
  }

const hn_integrator_type hn_integrator_alpha[] = {
    MEMBER(newmark, 1, "index3-newmark", "Newmark, implicit, constraints on positions",
           "step rtol rho_inf newton_tol scaling undamped_projection", hn_form_index3,
           HN_CAN_UNILATERAL),
    MEMBER(trapezoidal, 2, "index3-trapezoidal", "trapezoidal rule, constraints on positions",
           "step rtol newton_tol scaling undamped_projection", hn_form_index3, HN_CAN_UNILATERAL),
    MEMBER(hht, 2, "index3-hht", "Hilber-Hughes-Taylor, order 2, constraints on positions",
           "step rtol rho_inf newton_tol scaling", hn_form_index3, HN_CAN_UNILATERAL),
    MEMBER(alpha, 2, "index3-alpha", "generalized-alpha, order 2, constraints on positions",
           "step rtol rho_inf newton_tol scaling undamped_projection", hn_form_index3,
           HN_CAN_UNILATERAL),
    MEMBER(newmark, 1, "index2-newmark",
           "Newmark, implicit, constraints on positions and velocities",
           "step rtol rho_inf newton_tol", hn_form_ggl, HN_CAN_UNILATERAL),
    MEMBER(trapezoidal, 2, "index2-trapezoidal",
           "trapezoidal rule, constraints on positions and velocities", "step rtol newton_tol",
           hn_form_ggl, HN_CAN_UNILATERAL),
    MEMBER(hht, 2, "index2-hht",
           "Hilber-Hughes-Taylor, order 2, constraints on positions and velocities",
           "step rtol rho_inf newton_tol", hn_form_ggl, HN_CAN_UNILATERAL),
    MEMBER(alpha, 2, "index2-alpha",
           "generalized-alpha, order 2, constraints on positions and velocities",
           "step rtol rho_inf newton_tol", hn_form_ggl, HN_CAN_UNILATERAL),
    MEMBER(alpha, 2, "index1-alpha", "generalized-alpha, order 2, constraints on all three levels",
           "step rtol rho_inf newton_tol", hn_form_index1, HN_CAN_UNILATERAL),
    MEMBER(alpha, 2, "tangent-space",
           "generalized-alpha, order 2, along the tangent space of the constraints",
           "step rtol rho_inf newton_tol", hn_form_tangent_space, HN_CAN_UNILATERAL),
    MEMBER(alpha, 2, "implicit-partition", "generalized-alpha, order 2, on independent coordinates",
           "step rtol rho_inf newton_tol", hn_form_partition, 0),
    MEMBER(alpha, 2, "coordinate-split",
           "generalized-alpha, order 2, multipliers eliminated by a split of the coordinates",
           "step rtol rho_inf newton_tol split_iteration", hn_form_coordinate_split, 0),
    MEMBER(alpha, 2, "maggi-perturbation",
           "generalized-alpha, order 2, Maggi's equations with perturbations onto the constraints",
           "step rtol rho_inf newton_tol split_iteration", hn_form_maggi, 0),
    MEMBER(trapezoidal, 2, "modified-state-space",
           "trapezoidal rule on independent coordinates, tangents of forces reduced to them",
           "step rtol newton_tol", hn_form_partition, 0),
};
