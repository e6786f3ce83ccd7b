// plan.c: the last step of building: where Jacobian rows lie, which rows and measures belong
// together, in what order bodies and joints are eliminated.
//
// Numbers of the Jacobian lie group by group, body by body, row by row: work->J. Every primitive
// keeps where its own blocks begin (ja, jb; -1 on the ground), so that evaluation writes straight
// to its place and nothing is looked up or added together while a model runs.
#include "compile/compile.h"
#include "compile/workshop.h"
#include "system/builder.h"

#include <stdlib.h>
#include <string.h>

// where the numbers of a row on a body begin; -1: the group has no such body
static int block_of(const hn_system *sys, int group, int body, int row) {
  const hn_group *g = &sys->group[group];
  for (int k = g->first; k < g->first + g->bodies; k++)
    if (sys->group_body[k] == body)
      return sys->block_offset[k] + (row - g->row0) * sys->body[body].nv;
  return -1;
}

// every primitive learns where its Jacobian rows lie.
// block_of searches the bodies of one group, which are two or three mostly
static hn_status lay_out_jacobian(hn_system *sys) {
  // bodies of all groups, one block each
  int entries = 0;
  for (int g = 0; g < sys->groups; g++) entries += sys->group[g].bodies;
  sys->block_offset = calloc((size_t)entries + 1, sizeof(int));
  sys->group_start = calloc((size_t)sys->groups + 1, sizeof(int));
  if (!sys->block_offset || !sys->group_start) return HN_ERR_MEMORY;
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int k = group->first; k < group->first + group->bodies; k++) {
      // a group's blocks lie one behind the other, body by body, each row by row
      sys->block_offset[k] = sys->j_size;
      sys->j_size += group->rows * sys->body[sys->group_body[k]].nv;
    }
    sys->group_start[g + 1] = group->first + group->bodies;
  }
  sys->numbers = sys->j_size;
// rows know their joint, joints their group
#define BLOCK(row, body) block_of(sys, sys->joint[sys->row_joint[row]].group, body, row)
  for (int i = 0; i < sys->points2; i++) {
    hn_point2 *p = &sys->point2[i];
    p->ja = BLOCK(p->row, p->a), p->jb = BLOCK(p->row, p->b);
    // only bodies with an angle have a column for it
    p->turns_a = p->ja >= 0 && sys->body[p->a].kind == HN_PLANAR;
    p->turns_b = p->jb >= 0 && sys->body[p->b].kind == HN_PLANAR;
  }
  for (int i = 0; i < sys->points3; i++) {
    hn_point3 *p = &sys->point3[i];
    p->ja = BLOCK(p->row, p->a), p->jb = BLOCK(p->row, p->b);
  }
  for (int i = 0; i < sys->customs; i++) {
    hn_custom *c = &sys->custom[i];
    c->ja = BLOCK(c->row, c->a), c->jb = BLOCK(c->row, c->b);
  }
  for (int i = 0; i < sys->rowcount; i++)
    for (int k = 0; k < sys->row[i].terms; k++) {
      hn_term *t = &sys->term[sys->row[i].first_term + k];
      const hn_measure *m = &sys->measure[t->measure];
      t->ja = BLOCK(sys->row[i].row, m->a), t->jb = BLOCK(sys->row[i].row, m->b);
    }
  for (int i = 0; i < sys->blocks; i++) {
    hn_sys_block *b = &sys->block[i];
    for (int k = 0; b->group >= 0 && k < b->measures; k++) {
      const hn_measure *m = &sys->measure[b->measure[k]];
      int row = sys->group[b->group].row0;
      // what a block looks at may be the ground, which has no columns
      b->ja[k] = sys->body[m->a].nv ? BLOCK(row, m->a) : -1;
      b->jb[k] = sys->body[m->b].nv ? BLOCK(row, m->b) : -1;
    }
  }
#undef BLOCK
  return HN_OK;
}

static int turns_of(const hn_sys_body *b) {
  return b->nv == 0 ? 0 : b->kind == HN_SPATIAL ? 3 : b->kind == HN_PLANAR ? 1 : 0;
}

// rows that are one direction product are evaluated by code of their own.
// A measure that a force reads too is evaluated anyway, and its row goes with the others.
static hn_status list_rows(hn_system *sys) {
  sys->dot_row = calloc((size_t)sys->rowcount + 1, sizeof *sys->dot_row);
  sys->other_row = calloc((size_t)sys->rowcount + 1, sizeof *sys->other_row);
  if (!sys->dot_row || !sys->other_row) return HN_ERR_MEMORY;
  for (int i = 0; i < sys->rowcount; i++) {
    const hn_row *r = &sys->row[i];
    const hn_term *t = &sys->term[r->first_term];
    const hn_measure *m = &sys->measure[t->measure];
    if (r->terms != 1 || r->motion >= 0 || m->type != HN_M_DOT1 || m->used_by_force) {
      sys->other_row[sys->other_rows++] = i;
      continue;
    }
    // a direction sees turns alone: the columns behind the translations
    hn_dot_row *o = &sys->dot_row[sys->dot_rows++];
    *o = (hn_dot_row){.row = r->row, .a = m->a, .b = m->b, .scale = t->coefficient};
    o->turns_a = turns_of(&sys->body[m->a]), o->turns_b = turns_of(&sys->body[m->b]);
    o->ja = t->ja + (o->turns_a == 3 ? 3 : 2), o->jb = t->jb + (o->turns_b == 3 ? 3 : 2);
    // the offset moves into the constant
    o->constant = r->constant - t->coefficient * m->offset;
    v3_copy(o->ua, m->ua), v3_copy(o->wb, m->wb);
  }
  return HN_OK;
}

// which measures are evaluated with the constraints, which with the forces.
// Each measure is evaluated once: with the rows if any looks at it, with the forces otherwise, or
// only when it is recorded.
static hn_status list_measures(hn_system *sys) {
  hn_status status = list_rows(sys);
  if (status) return status;
  sys->constraint_measure = calloc((size_t)sys->measures + 1, sizeof(int));
  sys->force_measure = calloc((size_t)sys->measures + 1, sizeof(int));
  bool *constraint = calloc((size_t)sys->measures + 1, sizeof(bool));
  if (!sys->constraint_measure || !sys->force_measure || !constraint) {
    free(constraint);
    return HN_ERR_MEMORY;
  }
  for (int i = 0; i < sys->other_rows; i++) {
    const hn_row *r = &sys->row[sys->other_row[i]];
    for (int k = 0; k < r->terms; k++) constraint[sys->term[r->first_term + k].measure] = true;
  }
  for (int i = 0; i < sys->blocks; i++)
    for (int k = 0; k < sys->block[i].measures; k++) constraint[sys->block[i].measure[k]] = true;
  // what nobody evaluates with others is evaluated when it is read
  for (int i = 0; i < sys->measures; i++) {
    bool coordinate_only = !sys->measure[i].used_by_force;
    if (constraint[i])
      sys->constraint_measure[sys->constraint_measures++] = i;
    else if (!coordinate_only)
      sys->force_measure[sys->force_measures++] = i;
  }
  free(constraint);
  return HN_OK;
}

// union-find over bodies
static int root_of(int *up, int i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

// a spanning tree over the bodies along the joints with the most rows, rooted at the ground.
// Groups leave the ground out: one body means a joint with the ground.
static void ends(const hn_system *sys, const hn_group *group, int end[2]) {
  end[0] = sys->group_body[group->first];
  end[1] = group->bodies == 2 ? sys->group_body[group->first + 1] : 0;
}

// the groups that become edges, those with most rows first; how many.
// Kruskal's algorithm (1956), those with most rows first: the more rows a tree joint has, the fewer
// are left for loops.
static int choose_edges(const hn_system *sys, int *up, int *edge) {
  int edges = 0, most = 0, end[2];
  for (int i = 0; i < sys->bodies; i++) up[i] = i;
  for (int g = 0; g < sys->groups; g++)
    if (sys->group[g].rows > most) most = sys->group[g].rows;
  for (int rows = most; rows > 0; rows--)
    for (int g = 0; g < sys->groups; g++) {
      const hn_group *group = &sys->group[g];
      if (group->rows != rows || group->bodies < 1 || group->bodies > 2) continue;
      ends(sys, group, end);
      // a joint with more rows than the smaller body has velocities cannot be its tree joint
      int a = root_of(up, end[0]), b = root_of(up, end[1]);
      // both ends in one tree: it closes a loop
      if (a == b || rows > sys->body[end[0]].nv || (end[1] && rows > sys->body[end[1]].nv))
        continue;
      up[a] = b;
      edge[edges++] = g;
    }
  return edges;
}

// of every body: its edges are link[start[body]] to link[start[body + 1] - 1]
static void list_edges(const hn_system *sys, const int *edge, int edges, int *start, int *link) {
  int n = sys->bodies, end[2];
  for (int e = 0; e < edges; e++) {
    ends(sys, &sys->group[edge[e]], end);
    // one place ahead, so that filling below leaves start where it belongs
    start[end[0] + 2]++;
    start[end[1] + 2]++;
  }
  for (int i = 2; i < n + 2; i++) start[i] += start[i - 1];
  for (int e = 0; e < edges; e++) {
    ends(sys, &sys->group[edge[e]], end);
    link[start[end[0] + 1]++] = edge[e];
    link[start[end[1] + 1]++] = edge[e];
  }
}

// breadth first from a body: all that is reached hangs on it.
// The ground is no parent, as nothing is eliminated there.
static void hang_on(const hn_system *sys, int first, const int *start, const int *link, int *queue,
                    int *reached, int *parent, int *parent_group) {
  int head = 0, tail = 0, end[2];
  queue[tail++] = first;
  reached[first] = 1;
  while (head < tail) {
    int body = queue[head++];
    for (int k = start[body]; k < start[body + 1]; k++) {
      ends(sys, &sys->group[link[k]], end);
      int next = end[0] == body ? end[1] : end[0];
      if (reached[next]) continue;
      reached[next] = 1;
      parent[next] = body ? body : -1;
      parent_group[next] = link[k];
      queue[tail++] = next;
    }
  }
}

// By it the elimination knows when a joint's pivot is regular (saddle_order.c). It has nothing to
// do with relative coordinates, which choose a tree of their own.
static hn_status spanning_tree(const hn_system *sys, int *parent, int *parent_group) {
  int n = sys->bodies;
  int *up = malloc((size_t)n * sizeof(int)), *queue = malloc((size_t)n * sizeof(int));
  int *edge = malloc(((size_t)sys->groups + 1) * sizeof(int));
  int *start = calloc((size_t)n + 2, sizeof(int));
  int *link = malloc((2 * (size_t)sys->groups + 2) * sizeof(int));
  bool ok = up && edge && start && link && queue;
  if (ok) {
    list_edges(sys, edge, choose_edges(sys, up, edge), start, link);
    // from the ground first, so that it is the root of what hangs on it
    memset(up, 0, (size_t)n * sizeof(int));
    for (int i = 0; i < n; i++) parent[i] = parent_group[i] = -1;
    // from the ground, then from every body not reached
    for (int i = 0; i < n; i++)
      if (!up[i]) hang_on(sys, i, start, link, queue, up, parent, parent_group);
  }
  free(up), free(edge), free(start), free(link), free(queue);
  return ok ? HN_OK : HN_ERR_MEMORY;
}

// blocks of planar bodies in joints that are a single point
// a pin in the plane has two rows and its own fast code in the elimination
static void mark_pins(const hn_system *sys, bool *pin) {
  for (int i = 0; i < sys->points2; i++) {
    const hn_group *group = &sys->group[sys->joint[sys->row_joint[sys->point2[i].row]].group];
    for (int k = group->first; k < group->first + group->bodies; k++)
      pin[k] = group->rows == 2 && sys->body[sys->group_body[k]].kind == HN_PLANAR;
  }
}

// everything that the graph below is made from, as numbers; free() it, NULL: out of memory
static int *describe_graph(const hn_system *sys, const bool *pin, int *count) {
  int n = sys->bodies, entries = sys->group_start[sys->groups];
  int *key = malloc((size_t)(2 + n + 4 * sys->groups + 2 * entries) * sizeof *key), *at = key;
  if (!key) return NULL;
  *at++ = n, *at++ = sys->groups;
  for (int i = 0; i < n; i++) *at++ = sys->body[i].nv;
  for (int g = 0; g < sys->groups; g++) {
    *at++ = sys->group[g].rows, *at++ = sys->group[g].bodies;
    *at++ = sys->group[g].first, *at++ = sys->group[g].grounded;
  }
  for (int k = 0; k < entries; k++) *at++ = sys->group_body[k], *at++ = pin[k];
  *count = (int)(at - key);
  return key;
}

// What saddle.h wants to know, from what is known here; the plan copies all of it.
static hn_status make_plan(hn_system *sys, const bool *pin) {
  int n = sys->bodies;
  int *size = malloc((size_t)n * sizeof(int)),
      *rows = malloc(((size_t)sys->groups + 1) * sizeof(int));
  bool *grounded = malloc((size_t)sys->groups + 1);
  int *parent = malloc((size_t)n * sizeof(int)), *parent_group = malloc((size_t)n * sizeof(int));
  hn_status status = HN_ERR_MEMORY;
  // the plan is made of sizes and indices only; numbers come with every state
  if (size && rows && grounded && parent && parent_group) {
    for (int i = 0; i < n; i++) size[i] = sys->body[i].nv;
    for (int g = 0; g < sys->groups; g++)
      rows[g] = sys->group[g].rows, grounded[g] = sys->group[g].grounded;
    status = spanning_tree(sys, parent, parent_group);
  }
  if (!status) {
    hn_saddle_graph graph = {
        .nbody = n,
        .body_size = size,
        .ngroup = sys->groups,
        .group_size = rows,
        .group_start = sys->group_start,
        .group_body = sys->group_body,
        .block_offset = sys->block_offset,
        .grounded = grounded,
        .pin = pin,
        .parent = parent,
        .parent_group = parent_group,
    };
    sys->plan = hn_saddle_plan_create(&graph);
    if (!sys->plan) status = HN_ERR_MEMORY;
  }
  free(size), free(rows), free(grounded), free(parent), free(parent_group);
  return status;
}

static hn_status plan_elimination(hn_system *sys, hn_workshop *workshop) {
  bool *pin = calloc((size_t)sys->group_start[sys->groups] + 1, sizeof(bool));
  if (!pin) return HN_ERR_MEMORY;
  mark_pins(sys, pin);
  int count = 0, *key = workshop ? describe_graph(sys, pin, &count) : NULL;
  hn_status status = workshop && !key ? HN_ERR_MEMORY : HN_OK;
  if (key) sys->plan = hn_workshop_plan(workshop, key, count);
  sys->plan_lent = sys->plan != NULL;
  if (!status && !sys->plan) {
    status = make_plan(sys, pin);
    sys->plan_lent = !status && key && hn_workshop_keep_plan(workshop, key, count, sys->plan);
  }
  free(key), free(pin);
  return status;
}

// From here on no element may be added.
hn_status hn_builder_finish(hn_builder *b) {
  hn_system *sys = b->sys;
  if (b->status) return b->status;
  // callers may push any body that turns in space
  for (int i = 1; i < sys->bodies; i++) sys->body[i].needs_kin |= sys->body[i].kind == HN_SPATIAL;
  for (int i = 0; i < sys->signals; i++)
    if (hn_is_measured(&sys->signal[i])) sys->measure[sys->signal[i].measure].used_by_force = true;
  hn_status status = lay_out_jacobian(sys);
  if (!status) status = list_measures(sys);
  if (!status) status = plan_elimination(sys, b->model->workshop);
  return status;
}
