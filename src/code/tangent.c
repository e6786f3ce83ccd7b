// tangent.c: derivatives of all formulas of a member along a direction, from the same graph.
//
// The direction says how arguments, coordinates and velocities change. Time does not, and neither
// do whole turns of counted angles.
// The graph is doubled: a node n gets dot[n], its derivative along the direction, by the rules of
// forward differentiation. What is written from it computes both at once and shares what they have
// in common.
#include "code/members_print.h"

#include <string.h>

// inputs of a direction come behind the arguments: of v, of q, of the arguments (hn_writer)
static hn_node direction(void *user, int input) {
  const hn_printer *p = user;
  const hn_formulas *f = &p->f;
  int nv = f->sys->nv, nq = f->sys->nq, first = f->in_p + p->plan->arguments->count;
  if (input >= f->in_v && input < f->in_v + nv)
    return hn_graph_input(f->g, first + input - f->in_v);
  if (input >= f->in_q && input < f->in_q + nq)
    return hn_graph_input(f->g, first + nv + input - f->in_q);
  if (input >= f->in_p && input < first)
    return hn_graph_input(f->g, first + nv + nq + input - f->in_p);
  return -1;
}

// dot of a node that is reached by no direction is the constant zero, and costs nothing
bool hn_printer_differentiate(hn_printer *p) {
  hn_graph *g = p->f.g;
  const hn_system *sys = p->f.sys;
  int count = g->count, columns = p->plan->arguments->columns.count;
  hn_node *dot = malloc(((size_t)count + 1) * sizeof *dot);
  bool good = dot && hn_graph_tangent(g, count, direction, p, dot);
  const struct {
    hn_node *node;
    int count;
  } list[] = {{p->qdot, sys->nq},
              {p->a, sys->nv},
              {p->next_q, sys->nq},
              {p->next_v, sys->nv},
              {p->column, columns}};
  for (size_t k = 0; good && k < sizeof list / sizeof *list; k++)
    for (int i = 0; i < list[k].count; i++) list[k].node[list[k].count + i] = dot[list[k].node[i]];
  free(dot);
  return good;
}
