// watch.c: what members are looked at for where steps end: that no force switches and no gap
// closes.
//
// A switching function g is to stay on the side on which it was at the start, so that +g or -g
// stays positive; gaps stay open by more than round-off. A function may pass zero and return within
// a step: its rates at both ends tell how deep it can have gone, if it is convex between (the lines
// that lead on from the ends meet there, see sim/locate.c). Rates are taken of functions of places
// and time; those of velocities too would need accelerations, and are looked at in the ends alone.
#include "code/members_print.h"

// how inputs change with time, velocities aside
static hn_node changes(void *user, int input) {
  // q' = qdot, t' = 1; forces and velocities are not followed
  const hn_formulas *f = user;
  if (input >= f->in_q && input < f->in_q + f->sys->nq) return f->qdot[input - f->in_q];
  return input == f->in_t ? hn_graph_constant(f->g, 1) : -1;
}

// per node, does it read velocities? Arguments of a node stand before it
static void find_moving(const hn_formulas *f, int count, unsigned char *moving) {
  // upward, arguments first
  for (int n = 0; n < count; n++) {
    const hn_graph_node *node = &f->g->nodes[n];
    int arity = hn_op_table[node->op].arity;
    moving[n] =
        node->op == HN_OP_INPUT && node->args[0] >= f->in_v && node->args[0] < f->in_v + f->sys->nv;
    for (int i = 0; i < arity; i++) moving[n] |= moving[node->args[i]];
  }
}

static bool add_rates(hn_printer *p) {
  const hn_formulas *f = &p->f;
  // nodes behind the last one watched do not matter
  int count = 0;
  for (int i = 0; i < p->watched; i++)
    if (p->watch[i] >= count) count = p->watch[i] + 1;
  hn_node *dot = malloc(((size_t)count + 1) * sizeof *dot);
  unsigned char *moving = malloc((size_t)count + 1);
  bool good = dot && moving && hn_graph_tangent(f->g, count, changes, (void *)f, dot);
  if (good) find_moving(f, count, moving);
  for (int i = 0; good && i < p->watched; i++)
    // rates of functions of velocities are unknown: zero, and the ends alone count
    p->watch_rate[i] = moving[p->watch[i]] ? f->zero : dot[p->watch[i]];
  free(dot), free(moving);
  return good;
}

bool hn_printer_watch(hn_printer *p) {
  hn_formulas *f = &p->f;
  hn_graph *g = f->g;
  const hn_system *sys = f->sys;
  hn_node margin = hn_graph_constant(g, HN_STOP_VIOLATED * sys->length);
  hn_node one = hn_graph_constant(g, 1), two = hn_graph_constant(g, 2);
  p->watched = 0;
  for (int i = 0; i < sys->switches; i++) {
    // +1 or -1 by the side at the start
    hn_node side = n_sub(g, n_mul(g, two, hn_side_node(f, i)), one);
    p->watch[p->watched++] = n_mul(g, side, f->switching[i]);
  }
  for (int i = 0; i < sys->unilaterals; i++) {
    const char *name = sys->row_name[sys->unilateral[i].row];
    // a curve's gap has no formula: such members cannot be watched
    if (f->gap[i].value < 0) hn_formulas_miss(f, "the gap", name);
    if (sys->unilateral[i].pitch > 0) hn_formulas_miss(f, "the ratchet", name);
    p->watch[p->watched++] = n_sub(g, f->gap[i].value, margin);
  }
  return f->missing[0] || add_rates(p);
}
