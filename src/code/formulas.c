// formulas.c: the equations of motion of a system, put together from formulas.
// The order is that of the library's own evaluation: bodies, rows, forces, then the saddle-point
// system; what it costs is counted in operations of the graph, which shares what is the same.
#include "code/formulas.h"

#include <stdio.h>

// straight-line code pays for small systems; beyond this it no longer fits the caches, and
// compilers take long
// measured: models at this size take compilers seconds
enum { MOST_UNKNOWNS = 1000, MOST_OPERATIONS = 100000 };

void hn_formulas_miss(hn_formulas *f, const char *what, const char *name) {
  if (f->missing[0]) return;
  snprintf(f->missing, sizeof f->missing, name[0] ? "%s '%s'" : "%s", what, name);
}

bool hn_formulas_full(hn_formulas *f) {
  // too many nodes already while building
  if (f->g->count <= MOST_OPERATIONS) return false;
  hn_formulas_miss(f, "a model of this size", "");
  return true;
}

static void layout(hn_formulas *f, hn_arena *arena) {
  const hn_system *sys = f->sys;
  f->body = HN_TAKE(arena, hn_body_formulas, sys->bodies);
  f->measure = HN_TAKE(arena, hn_jet, sys->measures);
  f->phi = HN_TAKE(arena, hn_node, sys->rows);
  f->phi_t = HN_TAKE(arena, hn_node, sys->rows);
  f->psi = HN_TAKE(arena, hn_node, sys->rows);
  f->gamma = HN_TAKE(arena, hn_node, sys->rows);
  f->J = HN_TAKE(arena, hn_node, (size_t)sys->rows * (size_t)sys->nv);
  f->gap = HN_TAKE(arena, hn_jet, sys->unilaterals);
  f->switching = HN_TAKE(arena, hn_node, sys->switches);
  f->remembered = HN_TAKE(arena, hn_node, sys->memories);
  f->begins = HN_TAKE(arena, int, sys->memories);
  f->motion = HN_TAKE(arena, hn_node, 3 * sys->motions);
  f->force = HN_TAKE(arena, hn_node, sys->nv);
  // with rows, M is needed as a matrix; without, the recursion does
  if (f->family->mass && hn_lasting_rows(sys)) {
    f->M = HN_TAKE(arena, hn_node, (size_t)sys->nv * (size_t)sys->nv);
    f->size = HN_TAKE(arena, double, sys->rows);
  }
  f->qdot = HN_TAKE(arena, hn_node, sys->nq);
  f->a = HN_TAKE(arena, hn_node, sys->nv);
  if (f->open) f->xdot = HN_TAKE(arena, hn_node, sys->states);
  f->lambda = HN_TAKE(arena, hn_node, sys->rows);
  f->d = HN_TAKE(arena, hn_node, sys->nv);
  f->x = HN_TAKE(arena, hn_node, sys->nv);
}

// Virtual power: a force F along a quantity x does F x' = (F dx'/dv) v, so that the derivative of
// the rate by v_k is its lever. No measure needs a Jacobian of its own.
// a lever that is zero costs nothing
void hn_formulas_apply(hn_formulas *f, hn_node F, hn_node rate) {
  if (hn_graph_only_asks(f->g)) {
    hn_graph_ask(f->g, HN_OP_MUL, F, rate, f->zero);
    return;
  }
  for (int k = 0; k < f->sys->nv; k++) {
    hn_node along = hn_graph_derivative(f->g, rate, f->in_v + k);
    if (along != f->zero) f->force[k] = n_add(f->g, f->force[k], n_mul(f->g, F, along));
  }
}

void hn_formulas_power(hn_formulas *f, hn_node power) {
  f->power = n_add(f->g, f->power, power);
}

void hn_formulas_potential(hn_formulas *f, hn_node potential) {
  f->potential = n_add(f->g, f->potential, potential);
}

// of the bodies: kinetic energy, and that of their weight
// for audits and columns; twice the kinetic energy is summed and halved once
static void energies(hn_formulas *f) {
  hn_graph *g = f->g;
  // sum of m v^2 and I w^2
  hn_node twice = f->zero;
  for (int i = 1; i < f->sys->bodies; i++) {
    const hn_sys_body *b = &f->sys->body[i];
    const hn_body_formulas *at = &f->body[i];
    bool turns = b->kind == HN_SPATIAL || b->kind == HN_PLANAR;
    twice = n_add(g, twice, n_scale(g, b->mass, n3_dot(g, at->v, at->v)));
    for (int k = 0; turns && k < 3; k++)
      twice = n_add(g, twice, n_scale(g, b->inertia[k], n_mul(g, at->w[k], at->w[k])));
    // weight has the potential -m g . p
    int axes = b->kind == HN_PLANAR || b->kind == HN_PLANAR_POINT ? 2 : 3;
    for (int k = 0; k < axes; k++)
      hn_formulas_potential(f, n_scale(g, -b->mass * f->sys->gravity[k], at->p[k]));
  }
  f->kinetic = n_scale(g, 0.5, twice);
}

// -w x (I w), in principal axes
// in relative coordinates the recursion has it (own_inertia)
static void gyroscopic(hn_formulas *f) {
  for (int i = 1; i < f->sys->bodies; i++) {
    const hn_sys_body *b = &f->sys->body[i];
    // planar bodies turn about z, w x I w = 0
    if (b->kind != HN_SPATIAL) continue;
    for (int k = 0; k < 3; k++) {
      int l = (k + 1) % 3, m = (k + 2) % 3;
      hn_node *o = &f->force[b->v0 + 3 + k], *w = f->body[i].w;
      hn_node torque = n_scale(f->g, b->inertia[m] - b->inertia[l], n_mul(f->g, w[l], w[m]));
      *o = n_sub(f->g, *o, torque);
    }
  }
}

// a force without formulas refuses the model, by its name
static void forces(hn_formulas *f) {
  const hn_system *sys = f->sys;
  f->power = f->potential = f->zero;
  // relative coordinates have weight in the recursion
  bool of_bodies = sys->coordinates->of_bodies;  // others put them into the recursion
  for (int i = 0; i < sys->nv; i++)
    f->force[i] = of_bodies ? n_constant(f->g, sys->constant_force[i]) : f->zero;
  if (of_bodies) gyroscopic(f);
  for (int i = 0; i < sys->batches; i++) {
    const hn_batch *b = &sys->batch[i];
    // named by its first element
    if (b->ops->formulas)
      b->ops->formulas(f, b->count, b->data);
    else
      hn_formulas_miss(f, "the force", b->name[0]);
  }
}

// rates of the states of first order
static void states(hn_formulas *f) {
  for (int i = 0; f->xdot && i < f->sys->states; i++)
    f->xdot[i] = hn_expression_node(f, f->sys->state[i].expression, 0);
}

// drivers do work through the rows that depend on time
static void driver_power(hn_formulas *f) {
  for (int i = 0; i < f->sys->rows; i++)
    // of forces of constraint: lambda . (-phi_t), which driven rows have
    f->power = n_sub(f->g, f->power, n_mul(f->g, f->lambda[i], f->phi_t[i]));
}

// natural coordinates have none
static const hn_formula_family families[] = {
    {
        .of = &hn_reference_coordinates,
        .words = "centre of mass and angle, or unit quaternion (scalar\n// first) of the "
                 "principal axes; velocities in world, angular velocities in body axes.",
        .bodies = hn_formulas_bodies,
    },
    {
        .of = &hn_relative_coordinates,
        .words = "those of the joints.",
        .bodies = hn_formulas_tree,
        .mass = hn_formulas_mass,
        .accelerations = hn_formulas_accelerations,
    },
};

// where such a joint is there its rows hold for long, and code is written without them
static const char *gate_name(const hn_system *sys) {
  return sys->joint[sys->gate[0].joint].name;
}

// what is refused before anything is built; forces and joints refuse on the way
static void look(hn_formulas *f) {
  const hn_system *sys = f->sys;
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    // the family of these coordinates
    if (families[i].of == sys->coordinates) f->family = &families[i];
  if (!f->family) {
    char words[64];
    snprintf(words, sizeof words, "%s coordinates", sys->coordinates->name);
    hn_formulas_miss(f, words, "");
  }
  // also flexible bodies, and bodies without mass
  if (sys->mass_entries) hn_formulas_miss(f, "a mass matrix that depends on the state", "");
  if (sys->reactive) hn_formulas_miss(f, "friction that depends on reactions", "");
  if (sys->nv + sys->rows > MOST_UNKNOWNS) hn_formulas_miss(f, "a model of this size", "");
  if (sys->gates) hn_formulas_miss(f, "joints that come and go, as", gate_name(sys));
}

// nodes are -1 where memory ran out, and so is everything made of them
static bool complete(const hn_formulas *f) {
  const hn_system *sys = f->sys;
  // -1 goes up through everything made of it
  bool good = f->firmness >= 0 && f->power >= 0;
  for (int i = 0; i < sys->nq; i++) good = good && f->qdot[i] >= 0;
  for (int i = 0; i < sys->nv; i++) good = good && f->a[i] >= 0;
  for (int i = 0; f->xdot && i < sys->states; i++) good = good && f->xdot[i] >= 0;
  for (int i = 0; i < sys->rows; i++) good = good && f->lambda[i] >= 0;
  return good;
}

// what rows are measured against in relative coordinates, where they may vanish altogether
// numbers of one state as constants: firmness is relative to the start there
static bool start_sizes(hn_formulas *f) {
  hn_work work = {0};
  hn_arena arena = {0};
  // at the start only
  hn_work_layout(&work, &arena, f->sys);
  if (!hn_arena_allocate(&arena)) return false;
  hn_work_layout(&work, &arena, f->sys);
  hn_eval_jacobian(&work, 0, f->sys->q0, f->sys->v0);
  hn_row_sizes(&work, f->size);
  free(arena.base);
  return true;
}

hn_status hn_formulas_build(hn_formulas *f, const hn_system *sys) {
  return hn_formulas_build_on(f, sys, NULL, HN_WIDE_OPEN);
}

hn_status hn_formulas_build_on(hn_formulas *f, const hn_system *sys, hn_tape *tape,
                               hn_openness open) {
  bool wide = open == HN_WIDE_OPEN;
  *f = (hn_formulas){.sys = sys, .open = open};
  look(f);
  if (f->missing[0]) return HN_ERR_UNSUPPORTED;
  f->g = hn_graph_create();
  layout(f, &f->arena);
  // graph and arrays; hn_formulas_clear frees both
  if (!f->g || !hn_arena_allocate(&f->arena)) return HN_ERR_MEMORY;
  f->g->tape = tape;
  layout(f, &f->arena);
  // blocks of inputs, one behind the other; those that are closed are empty
  // v first, then the others
  f->in_q = f->in_v + sys->nv;
  f->in_t = f->in_q + sys->nq;
  f->in_turn = f->in_t + 1;
  f->in_side = f->in_turn + sys->turns;
  f->in_m = f->in_side + sys->switches;
  f->in_u = f->in_m + sys->memories;
  f->in_x = f->in_u + (open ? sys->inputs : 0) + (wide ? sys->held : 0);
  f->in_w = f->in_x + (open ? sys->states : 0);
  f->in_p = f->in_w + (wide ? 3 * sys->tables : 0);
  f->zero = n_constant(f->g, 0);
  f->firmness = n_constant(f->g, 1);
  // -1: not asked for yet
  for (int i = 0; i < sys->measures; i++) f->measure[i].value = -1;
  for (int i = 0; i < sys->switches; i++) f->switching[i] = -1;
  for (int i = 0; i < sys->rows; i++) f->lambda[i] = f->zero;
  f->family->bodies(f);
  // rows before forces: joints' measures are asked for by both
  hn_formulas_rows(f);
  forces(f);
  hn_formulas_decisions(f);
  // a switching function that nobody told of could not be looked at
  for (int i = 0; i < sys->switches; i++)
    if (f->switching[i] < 0) hn_formulas_miss(f, "a force that does not say where it switches", "");
  states(f);
  energies(f);
  if (f->M) {
    f->family->mass(f);
    if (!start_sizes(f)) return HN_ERR_MEMORY;
  }
  // trees without rows solve themselves
  if (f->family->accelerations && !f->M)
    f->family->accelerations(f);
  else
    hn_formulas_eliminate(f);
  hn_formulas_full(f);
  if (f->missing[0]) return HN_ERR_UNSUPPORTED;
  driver_power(f);
  return complete(f) ? HN_OK : HN_ERR_MEMORY;
}

void hn_formulas_clear(hn_formulas *f) {
  if (f->g) hn_graph_destroy(f->g);
  free(f->arena.base);
  free(f->links);
  f->g = NULL;
  f->links = NULL;
  f->arena.base = NULL;
}

// for the choice between library and code (`code: auto`)
long hn_formulas_cost(const hn_system *sys) {
  hn_formulas f;
  hn_status status = hn_formulas_build(&f, sys);
  long cost = status && status != HN_ERR_MEMORY ? -1 : -2;
  unsigned char *mark = status ? NULL : calloc((size_t)f.g->count, 1);
  // what marks say
  if (mark) {
    cost = 0;
    mark[f.firmness] = mark[f.power] = 1;
    for (int i = 0; i < sys->nv; i++) mark[f.a[i]] = 1;
    for (int i = 0; i < sys->states; i++) mark[f.xdot[i]] = 1;
    for (int i = 0; i < sys->nq; i++) mark[f.qdot[i]] = 1;
    hn_graph_mark(f.g, mark);
    for (int n = 0; n < f.g->count; n++) cost += mark[n] && hn_op_table[f.g->nodes[n].op].arity > 0;
  }
  free(mark);
  hn_formulas_clear(&f);
  return cost;
}
