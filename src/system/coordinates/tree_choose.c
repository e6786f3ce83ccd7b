// tree_choose.c: which joints become the spanning tree.
#include "system/coordinates/tree.h"
#include "system/reaction.h"

#include <stdlib.h>
#include <string.h>

int hn_mobilizer_of(const char *type) {
  static const struct {
    const char *name;
    hn_mobilizer_type type;
  } table[] = {
      {"revolute", HN_MOB_REVOLUTE},       {"prismatic", HN_MOB_PRISMATIC},
      {"cylindrical", HN_MOB_CYLINDRICAL}, {"universal", HN_MOB_UNIVERSAL},
      {"planar", HN_MOB_PLANAR},           {"screw", HN_MOB_SCREW},
      {"spherical", HN_MOB_SPHERICAL},     {"fixed", HN_MOB_FIXED},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (strcmp(table[i].name, type) == 0) return (int)table[i].type;
  return -1;
}

static bool is_switched(const hn_system *sys, const hn_sys_joint *j) {
  for (int i = 0; i < sys->gates; i++)
    if (&sys->joint[sys->gate[i].joint] == j) return true;
  return false;
}

static bool usable(const hn_system *sys, const hn_sys_joint *j) {
  int type = hn_mobilizer_of(j->type);
  if (type < 0 || j->group < 0 || sys->group[j->group].rows == 0) return false;
  // a joint of the tree has no rows, and so no multipliers that could be recorded, nor can it yield
  // or be removed
  if (j->components || j->removed || j->soft.stiffness > 0 || is_switched(sys, j)) return false;
  const hn_sys_body *a = &sys->body[j->a.body], *b = &sys->body[j->b.body];
  // a point mass has no orientation to hand on
  if ((a->nv && (a->kind == HN_POINT || a->kind == HN_PLANAR_POINT)) ||
      (b->nv && (b->kind == HN_POINT || b->kind == HN_PLANAR_POINT)))
    return false;
  bool planar = (a->nv == 0 || hn_flat(a)) && (b->nv == 0 || hn_flat(b));
  if (planar && type != HN_MOB_REVOLUTE && type != HN_MOB_PRISMATIC && type != HN_MOB_FIXED)
    return false;
  return true;
}

bool hn_tree_possible(const hn_system *sys) {
  for (int i = 2; i < sys->bodies; i++)
    if (hn_flat(&sys->body[i]) != hn_flat(&sys->body[1])) return false;
  return true;
}

// Bodies that no usable joint leads to hang on the ground freely and are roots of trees of their
// own. A joint may be in the tree whichever way round it was described.
bool hn_tree_choose(const hn_system *sys, bool *tree) {
  // breadth first from the ground: shallow trees keep loop paths short
  int n = sys->bodies, head = 0, tail = 0;
  int *queue = malloc((size_t)n * sizeof(int));
  bool *seen = calloc((size_t)n, sizeof(bool));
  int *start = calloc((size_t)n + 2, sizeof(int));
  int *link = malloc((2 * (size_t)sys->joints + 1) * sizeof(int));
  bool ok = queue && seen && start && link;
  if (ok) {
    for (int j = 0; j < sys->joints; j++) {
      tree[j] = false;
      if (!usable(sys, &sys->joint[j])) continue;
      start[sys->joint[j].a.body + 2]++;
      start[sys->joint[j].b.body + 2]++;
    }
    for (int i = 2; i < n + 2; i++) start[i] += start[i - 1];
    for (int j = 0; j < sys->joints; j++) {
      if (!usable(sys, &sys->joint[j])) continue;
      link[start[sys->joint[j].a.body + 1]++] = j;
      link[start[sys->joint[j].b.body + 1]++] = j;
    }
    // joints with more rows first within a body: they remove the most unknowns
    for (int seed = 0; seed < n; seed++) {
      if (seen[seed]) continue;
      seen[seed] = true;
      head = tail = 0;
      queue[tail++] = seed;
      while (head < tail) {
        int body = queue[head++];
        for (int rows = 6; rows > 0; rows--)
          for (int k = start[body]; k < start[body + 1]; k++) {
            const hn_sys_joint *j = &sys->joint[link[k]];
            if (sys->group[j->group].rows != rows) continue;
            int next = j->a.body == body ? j->b.body : j->a.body;
            if (seen[next] || sys->body[next].nv == 0) continue;
            seen[next] = true;
            tree[link[k]] = true;
            queue[tail++] = next;
          }
      }
    }
  }
  free(queue), free(seen), free(start), free(link);
  return ok;
}
