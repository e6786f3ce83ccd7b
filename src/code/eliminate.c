// eliminate.c: the saddle-point system, solved as formulas.
//
//   [ M  J^T ] [  a      ]   [ r     ]
//   [ J   0  ] [ -lambda ] = [ gamma ]      K = L diag(p) L^T, number by number
//
// in the order of the numeric factorisation (saddle.h); in relative coordinates, where M is no
// diagonal, from the leaves of the tree to its root, then the rows. Zeros are known beforehand and
// cost nothing. Two more right-hand sides, (0, -Phi) and (0, -psi), give the mass-orthogonal
// projections of positions and velocities. Rows that repeat others are left out, their multipliers
// are zero.
//
// The firmness is the smallest |p| of a row against its value J M^-1 J^T before any other row was
// eliminated.
#include "code/formulas.h"

enum { MOTION, POSITION, VELOCITY, SIDES };

// dense in its memory, sparse in its formulas: entries that are the node `zero` cost nothing
typedef struct elimination {
  hn_formulas *f;
  int n;         // unknowns that take part
  int *unknown;  // which they are: velocity k, or nv + row
  hn_node *K;    // n x n, lower triangle; L in place
  hn_node *inverse;
  hn_node *light;  // 1 / mass of the velocities; none with M
  hn_node *size;   // with M: that of the rows at the start
  hn_node *b[SIDES];
} elimination;

static void layout(elimination *e, hn_arena *arena, int most) {
  e->unknown = HN_TAKE(arena, int, most);
  e->K = HN_TAKE(arena, hn_node, (size_t)most * (size_t)most);
  e->inverse = HN_TAKE(arena, hn_node, most);
  e->light = HN_TAKE(arena, hn_node, e->f->sys->nv);
  e->size = HN_TAKE(arena, hn_node, e->f->sys->rows);
  for (int s = 0; s < SIDES; s++) e->b[s] = HN_TAKE(arena, hn_node, most);
}

// of the symmetric matrix, by the numbers of the unknowns
// M, J and zeros as blocks
static hn_node entry(const elimination *e, int i, int j) {
  const hn_formulas *f = e->f;
  int nv = f->sys->nv, low = i < j ? i : j, high = i < j ? j : i;
  if (f->M && high < nv) return f->M[high * nv + low];
  if (low == high) return low < nv ? n_constant(f->g, f->sys->mass[low]) : f->zero;
  return low < nv && high >= nv ? f->J[(high - nv) * nv + low] : f->zero;
}

// not asked for: which rows there are is no part of the shape
static hn_node negative(hn_formulas *f, hn_node a) {
  return hn_graph_only_asks(f->g) ? a : n_neg(f->g, a);
}

// what is noted here is part of the shape by which members of a family are known (arguments.h)
static void load(elimination *e) {
  hn_formulas *f = e->f;
  const hn_system *sys = f->sys;
  bool only = hn_graph_only_asks(f->g);
  if (f->M)
    for (int i = 0; i < sys->nv + sys->rows; i++) e->unknown[i] = i < sys->nv ? sys->nv - 1 - i : i;
  else
    hn_saddle_plan_unknowns(sys->plan, e->unknown);
  e->n = 0;
  for (int i = 0; i < sys->nv + sys->rows; i++) {
    int k = e->unknown[i];
    // members of a family may leave out one redundant row or another: what counts is how many
    hn_graph_note(f->g, k < sys->nv ? k : k + (sys->holonomic[k - sys->nv] ? 0 : sys->rows));
    if (k < sys->nv || !sys->active || sys->active[k - sys->nv]) e->unknown[e->n++] = k;
  }
  hn_graph_note(f->g, e->n);
  for (int k = 0; k < sys->nv; k++)
    e->light[k] = f->M ? f->zero : n_constant(f->g, 1 / sys->mass[k]);
  for (int i = 0; i < sys->rows; i++) {
    e->size[i] = f->M ? n_constant(f->g, f->size[i]) : f->zero;
    hn_graph_note(f->g, f->phi[i]);
    hn_graph_note(f->g, f->gamma[i]);
  }
  for (int i = 0; i < e->n; i++) {
    int k = e->unknown[i], row = k - sys->nv;
    bool body = row < 0;
    e->inverse[i] = f->zero;
    // of all entries only those of the diagonal ask for numbers
    for (int j = only ? i : 0; j <= i; j++) e->K[i * e->n + j] = entry(e, k, e->unknown[j]);
    e->b[MOTION][i] = body ? f->force[k] : f->gamma[row];
    e->b[POSITION][i] = body || !sys->holonomic[row] ? f->zero : negative(f, f->phi[row]);
    e->b[VELOCITY][i] = body ? f->zero : negative(f, f->psi[row]);
  }
}

// a - b c
static hn_node less(const elimination *e, hn_node a, hn_node b, hn_node c) {
  return n_sub(e->f->g, a, n_mul(e->f->g, b, c));
}

// Without interchanges: the order is known to work from the numeric factorisation, and a pivot that
// fails shows itself in the firmness. Fill appears where less() makes a zero entry something else.
static void factorise(elimination *e) {
  int n = e->n;
  hn_node zero = e->f->zero, *K = e->K, one = hn_graph_constant(e->f->g, 1);
  if (hn_graph_only_asks(e->f->g)) return;
  for (int k = 0; k < n && !hn_formulas_full(e->f); k++) {
    e->inverse[k] = n_div(e->f->g, one, K[k * n + k]);
    for (int i = n - 1; i > k; i--) {
      hn_node column = K[i * n + k];
      if (column == zero) continue;
      hn_node L = n_mul(e->f->g, column, e->inverse[k]);
      for (int j = k + 1; j < i; j++)
        if (K[j * n + k] != zero) K[i * n + j] = less(e, K[i * n + j], L, K[j * n + k]);
      K[i * n + i] = less(e, K[i * n + i], L, column);
      K[i * n + k] = L;
    }
  }
}

// forward, divide, backward
static void solve(elimination *e, hn_node *b) {
  int n = e->n;
  hn_node zero = e->f->zero;
  if (hn_graph_only_asks(e->f->g)) return;
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++)
      if (e->K[i * n + k] != zero) b[i] = less(e, b[i], e->K[i * n + k], b[k]);
  for (int k = n - 1; k >= 0; k--) {
    b[k] = n_mul(e->f->g, b[k], e->inverse[k]);
    for (int i = k + 1; i < n; i++)
      if (e->K[i * n + k] != zero) b[k] = less(e, b[k], e->K[i * n + k], b[i]);
  }
}

// pivots of rows are negative; 1 / max is the smallest ratio
static hn_node firmness(const elimination *e) {
  const hn_formulas *f = e->f;
  hn_graph *g = f->g;
  hn_node most = hn_graph_constant(g, 1);
  if (hn_graph_only_asks(g)) return most;
  for (int i = 0; i < e->n; i++) {
    int row = e->unknown[i] - f->sys->nv;
    if (row < 0) continue;
    hn_node size = e->size[row];
    for (int k = 0; k < f->sys->nv && !f->M; k++) {
      hn_node J = f->J[row * f->sys->nv + k];
      if (J != f->zero) size = n_add(g, size, n_mul(g, e->light[k], n_mul(g, J, J)));
    }
    most = hn_graph_apply(g, HN_OP_MAX, most, n_neg(g, n_mul(g, size, e->inverse[i])), -1);
  }
  return n_div(g, hn_graph_constant(g, 1), most);
}

// one factorisation, three right-hand sides
void hn_formulas_eliminate(hn_formulas *f) {
  const hn_system *sys = f->sys;
  int most = sys->nv + sys->rows;
  elimination e = {.f = f};
  hn_arena arena = {0};
  layout(&e, &arena, most);
  f->firmness = -1;
  if (!hn_arena_allocate(&arena)) return;
  layout(&e, &arena, most);
  load(&e);
  factorise(&e);
  if (hn_formulas_full(f)) {
    free(arena.base);
    return;
  }
  f->firmness = firmness(&e);
  for (int s = 0; s < SIDES; s++) solve(&e, e.b[s]);
  for (int i = 0; i < sys->rows; i++) f->lambda[i] = f->zero;
  for (int i = 0; i < e.n; i++) {
    int k = e.unknown[i];
    if (k >= sys->nv && hn_graph_only_asks(f->g)) continue;
    if (k >= sys->nv) {
      f->lambda[k - sys->nv] = n_neg(f->g, e.b[MOTION][i]);
      continue;
    }
    f->a[k] = e.b[MOTION][i];
    f->d[k] = e.b[POSITION][i];
    f->x[k] = e.b[VELOCITY][i];
  }
  free(arena.base);
}
