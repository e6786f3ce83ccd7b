// tree_kkt.c: the saddle-point system over a tree.
//
// In the variables nu = T^-1 u (tree.h) the mass matrix is the identity: what is left are the rows
// of the loops with the Jacobian J T and weights 1, in blocks of mobilizers.
#include "system/coordinates/tree.h"

static void layout(hn_kkt *kkt, hn_arena *arena, const hn_system *sys) {
  hn_tree_factor *own = HN_TAKE(arena, hn_tree_factor, 1), place = {0};
  hn_tree_factor_layout(&place, arena, sys);
  hn_saddle_layout(&kkt->saddle, arena, hn_tree_of(sys)->plan);
  kkt->lost = place.lost;
  kkt->own = own;
  if (arena->base) *own = place;
}

// what is left in nu of the rows solved for, at least, as a part of their natural size.
// The saddle factors know rows as they are in nu; one that the tree has all but taken away would be
// judged by what is left of it. Both ratios together say what reference coordinates would.
static double shrunk(const hn_tree_factor *tree, const double *D, int rows) {
  double least = 1;
  for (int i = 0; i < rows; i++)
    if (!(D && D[i] > 0) && tree->size[i] - tree->lost[i] < least * tree->size[i])
      least = (tree->size[i] - tree->lost[i]) / tree->size[i];
  return least;
}

static void factor(hn_kkt *kkt, const hn_work *work, hn_weight weight, const double *D) {
  hn_tree_factor *tree = kkt->own;
  hn_tree_factorise(tree, work, weight == HN_WEIGHT_ONE);
  kkt->pivot_ratio = 1;
  if (!work->sys->rows) return;
  hn_tree_loops(tree, work);
  hn_saddle_factor(&kkt->saddle, kkt->one, tree->JT, D);
  kkt->pivot_ratio = kkt->saddle.pivot_ratio * shrunk(tree, D, work->sys->rows);
}

// r -> nu, loops in nu, nu -> u.
static void solve(const hn_kkt *kkt, const hn_work *work, double *x, double *l) {
  const hn_tree_factor *tree = kkt->own;
  hn_tree_back(tree, work, x);
  if (work->sys->rows) hn_saddle_solve(&kkt->saddle, x, l);
  hn_tree_forward(tree, work, x);
}

static void factor_solve(hn_kkt *kkt, const hn_work *work, const double *D, double *x, double *l) {
  hn_tree_factor *tree = kkt->own;
  hn_tree_factorise_back(tree, work, x);
  kkt->pivot_ratio = 1;
  if (work->sys->rows) {
    hn_tree_loops(tree, work);
    hn_saddle_factor_solve(&kkt->saddle, kkt->one, tree->JT, D, x, l);
    kkt->pivot_ratio = kkt->saddle.pivot_ratio * shrunk(tree, D, work->sys->rows);
  }
  hn_tree_forward(tree, work, x);
}

const hn_kkt_ops hn_kkt_tree = {
    .layout = layout, .factor = factor, .solve = solve, .factor_solve = factor_solve};
