// baumgarte_rule.c: Baumgarte's feedback with gains that a rule finds for step and integrator.
//
//   J a = gamma - 2 alpha psi - beta^2 Phi,  in nonholonomic rows J a = gamma - alpha psi
//
// Option baumgarte_gains:
//
//   taylor    alpha = 1/h, beta = sqrt(2)/h: Phi(t + h) = Phi + h Phi' + h^2/2 Phi'' is to vanish
//             (Weijia, Zhenkuan & Yibing 2000)
//   bae-yang  Phi'' + a Phi' + a Phi = 0, both violations being equally bad, with the largest a for
//             which the roots times h lie in the integrator's region of stability: the fast root is
//             s = -part L / h, L the region's reach along the negative axis, and
//             a = s^2 / (-s - 1) (Bae & Yang 1990)
//   digital   of the discrete equation that the integrator makes of the feedback, both eigenvalues
//             R(h s) vanish, R its stability function: h s is a pair of zeros of R, and
//             2 alpha h = -2 Re(h s), beta^2 h^2 = |h s|^2 depend on the integrator alone;
//             formulas of several steps, whose eigenvalues cannot all vanish, have them as small as
//             possible (after Lin & Hong 1998, whose numbers these need not be)
//
// Feedback of this strength acts on the stages of the integrator too and costs orders beyond two;
// see baumgarte_step.c for one that does not.
#include "solvers/solvers.h"

#include <math.h>
#include <string.h>

// reach of the region of stability along the negative real axis, and x +- i y, the zeros of the
// stability function that are nearest to the negative axis, or where the largest eigenvalue is
// smallest (found by a search of the plane; of AB 2 the arc |z| = 2/3 is equally good)
static const struct {
  const char *name;
  double reach, x, y;
} table[] = {
    {"euler", 2, -1, 0},                                // 1 + z, a double zero by two equal roots
    {"symplectic-euler", 2, -1, 0},                     // the same for the velocity; see below
    {"heun", 2, -1, 1},                                 // 1 + z + z^2/2
    {"adams-bashforth-2", 1, -2.0 / 3, 0},              // eigenvalues +-1/sqrt(3)
    {"adams-bashforth-3", 6.0 / 11, -33.0 / 92, 0},     // +-sqrt(11/23), 5/16
    {"adams-bashforth-4", 0.3, -0.214644338596291, 0},  // at most 0.807007
    {"adams-moulton-2", 2, -2.0 / 3, 0},                // 1/3 twice
    {"adams-moulton-3", 1.728784, -0.585091154, 0.406542421},           // at most 0.450824
    {"adams-moulton-4", 1.284816, -0.609799270846595, 0},               // at most 0.523131
    {"rk4", 2.785293563405282, -1.729444231067690, 0.888974376121862},  // to z^4/24
};

typedef struct gains {
  double velocity, position;  // 2 alpha h and (beta h)^2, or the same of h = 1
  double reach;
} gains;

static const double part = 0.5;  // of the reach that Bae and Yang's rule uses

static gains find(const hn_sim *sim) {
  const char *name = sim->method.integrator->info.name;
  int at = sizeof table / sizeof *table - 1;
  for (int i = 0; i < at; i++)
    if (strcmp(table[i].name, name) == 0) at = i;
  gains g = {-2 * table[at].x, table[at].x * table[at].x + table[at].y * table[at].y,
             table[at].reach};
  // v1 = v0 + h a, x1 = x0 + h v1: eigenvalues vanish for 2 alpha h = beta^2 h^2 = 1
  if (strcmp(name, "symplectic-euler") == 0) g.velocity = g.position = 1;
  // error control takes strong feedback for errors, and abm's formulas are many
  if (sim->method.integrator->adaptive) g = (gains){0.5, 0.0625, 1};
  return g;
}

static hn_status accelerate(hn_sim *sim) {
  gains g = find(sim);
  double h = hn_current_step(sim), alpha = 0, beta = 0;
  // off the constraints, where stages are, such gains make errors that a correction would not let
  // the feedback take back: where there is one, there is no feedback
  if (h > 0 && strcmp(sim->method.correction->info.name, "none") == 0) {
    switch (sim->opt.baumgarte_gains[0]) {
    case 'b': {
      double fast = fmax(part * g.reach / h, 4), a = fast * fast / (fast - 1);
      alpha = 0.5 * a, beta = sqrt(a);
      break;
    }
    case 't': alpha = 1 / h, beta = sqrt(2) / h; break;
    default: alpha = 0.5 * g.velocity / h, beta = sqrt(g.position) / h;
    }
  }
  hn_feedback(sim, alpha, beta, alpha, sim->room.rhs);
  return hn_solve_saddle(sim, sim->room.rhs);
}

const hn_solver_type hn_solver_baumgarte_rule = {
    .info = {.name = "baumgarte-rule",
             .help = "feedback with gains from the step: by Taylor's expansion, by the limit of "
                     "stability, or by digital control",
             .keys = "baumgarte_gains",
             .required = ""},
    .can = HN_FEEDBACK_CAN,
    .accelerate = accelerate,
};
