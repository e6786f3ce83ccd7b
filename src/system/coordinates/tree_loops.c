// tree_loops.c: the ways from the bodies of every loop to the ground, and the plan by which rows on
// them are eliminated.
#include "system/coordinates/tree.h"

#include "linalg/saddle.h"

#include <stdlib.h>

// the mobilizers between the bodies of a group and the ground, each once; how many. way: NULL to
// count them. mark: false for all, and so it stays.
// Ways of the bodies of a group join on their way to the ground: the first pass marks up to what is
// marked already, the second collects and clears in the same way, so that the cost is the length of
// the way and not of the tree.
static int find_way(const hn_system *sys, const hn_group *group, bool *mark, int *way) {
  const hn_tree *t = hn_tree_own(sys);
  const int *body = sys->group_body + group->first;
  int count = 0;
  for (int k = 0; k < group->bodies; k++)
    for (int m = t->of_body[body[k]]; m >= 0 && !mark[m]; m = t->mob[m].up) mark[m] = true;
  for (int k = 0; k < group->bodies; k++)
    for (int m = t->of_body[body[k]]; m >= 0 && mark[m]; m = t->mob[m].up) {
      mark[m] = false;
      if (way) way[count] = m;
      count++;
    }
  return count;
}

// children before parents: descending. Ways are short and nearly sorted
static void sort_way(int *way, int count) {
  for (int i = 1; i < count; i++) {
    int x = way[i], j = i;
    for (; j > 0 && way[j - 1] < x; j--) way[j] = way[j - 1];
    way[j] = x;
  }
}

// t->path and what goes with it for a group, from `begin` on; how many
static int fill_way(const hn_system *sys, const hn_group *group, int begin, bool *mark,
                    int *position) {
  hn_tree *t = hn_tree_own(sys);
  int *way = t->path + begin, count = find_way(sys, group, mark, way);
  sort_way(way, count);
  for (int i = 0; i < count; i++) position[way[i]] = i;
  for (int i = 0; i < count; i++) {
    const hn_mobilizer *m = &t->mob[way[i]];
    t->path_up[begin + i] = m->up >= 0 ? position[m->up] : -1;
    t->path_block[begin + i] = t->block_size;
    t->block_size += group->rows * m->nv;
  }
  if (count > t->longest) t->longest = count;
  return count;
}

static hn_status find_ways(const hn_system *sys, bool *mark, int *position) {
  hn_tree *t = hn_tree_own(sys);
  size_t total = 0;
  for (int g = 0; g < sys->groups; g++) total += (size_t)find_way(sys, &sys->group[g], mark, NULL);
  t->path_start = calloc((size_t)sys->groups + 1, sizeof(int));
  t->path = malloc((total + 1) * sizeof(int));
  t->path_up = malloc((total + 1) * sizeof(int));
  t->path_block = malloc((total + 1) * sizeof(int));
  if (!t->path_start || !t->path || !t->path_up || !t->path_block) return HN_ERR_MEMORY;
  for (int g = 0; g < sys->groups; g++) {
    int begin = t->path_start[g];
    t->path_start[g + 1] = begin + fill_way(sys, &sys->group[g], begin, mark, position);
  }
  return HN_OK;
}

// In nu every mobilizer on the way is a neighbour of the group, so a long way makes a dense clique:
// that is why shallow trees are chosen.
static hn_status plan_elimination(const hn_system *sys) {
  hn_tree *t = hn_tree_own(sys);
  int *size = malloc(((size_t)t->count + 1) * sizeof(int));
  int *rows = malloc(((size_t)sys->groups + 1) * sizeof(int));
  if (size && rows) {
    for (int k = 0; k < t->count; k++) size[k] = t->mob[k].nv;
    for (int g = 0; g < sys->groups; g++) rows[g] = sys->group[g].rows;
    hn_saddle_graph graph = {
        .nbody = t->count,
        .body_size = size,
        .ngroup = sys->groups,
        .group_size = rows,
        .group_start = t->path_start,
        .group_body = t->path,
        .block_offset = t->path_block,
    };
    t->plan = hn_saddle_plan_create(&graph);
  }
  free(size), free(rows);
  return t->plan ? HN_OK : HN_ERR_MEMORY;
}

hn_status hn_tree_plan_loops(hn_system *sys) {
  const hn_tree *t = hn_tree_own(sys);
  bool *mark = calloc((size_t)t->count + 1, sizeof(bool));
  int *position = malloc(((size_t)t->count + 1) * sizeof(int));
  hn_status status = mark && position ? find_ways(sys, mark, position) : HN_ERR_MEMORY;
  if (!status) status = plan_elimination(sys);
  free(mark), free(position);
  return status;
}
