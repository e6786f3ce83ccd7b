// discrete_null_solve.c: elimination along the tree of bodies, see discrete_null.h.
//
// Given are 6 x 6 blocks A(b, c) over the twists and loads r(b). With t = T1 t_p + Z1 y + s and the
// equations tested by the motions T y_p + Z y of the midpoint, body b, the last one left, gives
//
//   S y = -Z^T (sum_c L_c t_c + r + A_bb s),   S = Z^T A_bb Z1,   L_c = A_bc (+ A_bb T1 for c = p)
//
// and hands the rest to the nodes it is coupled with; its row and column, carried by T and T1, go
// to the parent. Nodes coupled with one another stay few when forces follow the joints.
#include "integrators/energy/discrete_null.h"

#include "linalg/dense.h"

#include <stdlib.h>
#include <string.h>

// a node has few neighbours: no search is worth it
static int near_of(const hn_null_node *n, int other) {
  for (int k = 0; k < n->nears; k++)
    if (n->near[k] == other) return k;
  return -1;
}

double *hn_null_block(hn_null_space *s, int row, int column) {
  if (row == column) return s->node[row].diagonal;
  hn_null_node *n = &s->node[row > column ? row : column];
  // a block is kept with the node that is eliminated first, the later one
  int k = near_of(n, row > column ? column : row);
  return (row > column ? n->left : n->up) + 36 * k;
}

static bool couple(hn_null_space *s, int a, int b) {
  if (a == b || a < 0 || b < 0) return true;
  hn_null_node *n = &s->node[a > b ? a : b];
  int other = a > b ? b : a;
  if (near_of(n, other) >= 0) return true;
  if (!hn_grow((void **)&n->near, &n->near_room, n->nears, sizeof *n->near)) return false;
  n->near[n->nears++] = other;
  return true;
}

bool hn_null_plan(hn_null_space *s, const hn_energy_step *step) {
  int nv = s->sys->nv;
  bool ok = true;
  for (int j = 0; j < nv; j++)
    for (int e = step->start[j]; e < step->start[j + 1]; e++)
      if (step->row[e] < nv) ok = ok && couple(s, s->owner[step->row[e]], s->owner[j]);
  for (int k = 0; k < s->loops; k++)
    for (int i = 0; i < s->loop[k].nodes; i++)
      for (int j = 0; j < i; j++) ok = ok && couple(s, s->loop[k].at[i], s->loop[k].at[j]);
  // who is eliminated couples all its neighbours with each other: known beforehand, from last to
  // first
  for (int b = s->nodes - 1; b >= 0 && ok; b--) {
    hn_null_node *n = &s->node[b];
    ok = couple(s, b, n->parent);
    for (int i = 0; i < n->nears; i++)
      for (int j = 0; j < i; j++) ok = ok && couple(s, n->near[i], n->near[j]);
    size_t blocks = 36 * (size_t)n->nears + 1, numbers = 6 * (size_t)s->columns;
    n->left = malloc(blocks * sizeof(double));
    n->up = malloc(blocks * sizeof(double));
    n->H = malloc(blocks * sizeof(double));
    n->load = malloc(numbers * sizeof(double));
    n->twist = malloc(numbers * sizeof(double));
    n->h = malloc(numbers * sizeof(double));
    ok = ok && n->left && n->up && n->H && n->load && n->twist && n->h;
  }
  return ok;
}

// ---- small matrices, rows of 6 numbers -----------------------------------------------------

// O (m x n) += f A (m x k) B (k x n)
static void add_product(double *O, double f, const double *A, const double *B, int m, int k,
                        int n) {
  for (int i = 0; i < m; i++)
    for (int l = 0; l < k; l++) {
      double x = f * A[6 * i + l];
      for (int j = 0; j < n; j++) O[6 * i + j] += x * B[6 * l + j];
    }
}

// O (m x n) += A^T (k x m) B (k x n)
static void add_transposed(double *O, const double *A, const double *B, int m, int k, int n) {
  for (int l = 0; l < k; l++)
    for (int i = 0; i < m; i++) {
      double x = A[6 * l + i];
      for (int j = 0; j < n; j++) O[6 * i + j] += x * B[6 * l + j];
    }
}

// the same for loads: O (m x columns) += f A (m x k) B (k x columns), rows one after the other
static void add_loads(double *O, double f, const double *A, const double *B, int m, int k,
                      int columns) {
  for (int i = 0; i < m; i++)
    for (int l = 0; l < k; l++) {
      double x = f * A[6 * i + l];
      for (int j = 0; x != 0 && j < columns; j++) O[i * columns + j] += x * B[l * columns + j];
    }
}

static void transpose(double *O, const double *A, int m, int n) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) O[6 * j + i] = A[6 * i + j];
}

// ---- elimination ---------------------------------------------------------------------------

// the loads get what the corrections `lack` bring; then b's row and column go to the parent
static void fold(hn_null_space *s, int b, double *L, double *U) {
  hn_null_node *n = &s->node[b];
  int m = n->size, p = n->parent, columns = s->columns;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) n->load[i * columns] += n->diagonal[6 * i + j] * n->lack[j];
  for (int k = 0; k < n->nears; k++) {
    hn_null_node *r = &s->node[n->near[k]];
    for (int i = 0; i < r->size; i++)
      for (int j = 0; j < m; j++) r->load[i * columns] += U[36 * k + 6 * i + j] * n->lack[j];
  }
  if (p < 0) return;
  // in the equations the parent moves b by T of the midpoint, in the unknowns by T of the end
  double Tt[36], D[36] = {0}, DT[36] = {0}, TD[36] = {0};
  int size = s->node[p].size, at = near_of(n, p);
  memcpy(D, n->diagonal, sizeof D);
  transpose(Tt, n->mid.T, m, size);
  for (int k = 0; k < n->nears; k++) {
    int c = n->near[k], other = s->node[c].size;
    add_product(hn_null_block(s, c, p), 1, U + 36 * k, n->end.T, other, m, size);
    add_product(hn_null_block(s, p, c), 1, Tt, L + 36 * k, size, m, other);
  }
  add_product(DT, 1, D, n->end.T, m, m, size);
  add_product(TD, 1, Tt, D, size, m, m);
  add_product(s->node[p].diagonal, 1, Tt, DT, size, m, size);
  add_loads(s->node[p].load, 1, Tt, n->load, size, m, columns);
  for (int i = 0; i < 36; i++) L[36 * at + i] += DT[i], U[36 * at + i] += TD[i];
}

// S^-1 Z^T over all neighbours and loads; false: singular
static bool pivot(hn_null_space *s, hn_null_node *n) {
  int m = n->size, d = n->mid.free, columns = s->columns, swap[6];
  double S[36] = {0}, DZ[36] = {0}, packed[36], row[6];
  add_product(DZ, 1, n->diagonal, n->end.Z, m, m, d);
  add_transposed(S, n->mid.Z, DZ, d, m, d);
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) packed[i * d + j] = S[6 * i + j];
  if (!hn_dense_lu(d, packed, swap)) return false;
  memset(n->H, 0, 36 * (size_t)n->nears * sizeof(double));
  for (int k = 0; k < n->nears; k++) {
    double *H = n->H + 36 * k;
    int other = s->node[n->near[k]].size;
    add_transposed(H, n->mid.Z, n->left + 36 * k, d, m, other);
    for (int j = 0; j < other; j++) {
      for (int i = 0; i < d; i++) row[i] = H[6 * i + j];
      hn_dense_lu_solve(d, packed, swap, row);
      for (int i = 0; i < d; i++) H[6 * i + j] = row[i];
    }
  }
  for (int j = 0; j < columns; j++) {
    for (int i = 0; i < d; i++) {
      row[i] = 0;
      for (int l = 0; l < m; l++) row[i] += n->mid.Z[6 * l + i] * n->load[l * columns + j];
    }
    hn_dense_lu_solve(d, packed, swap, row);
    for (int i = 0; i < d; i++) n->h[i * columns + j] = row[i];
  }
  return true;
}

// its own unknowns y go; what they did is left with the neighbours
static bool eliminate(hn_null_space *s, int b) {
  hn_null_node *n = &s->node[b];
  int d = n->mid.free;
  fold(s, b, n->left, n->up);
  // it only follows its parent: folding was all
  if (!d) return true;
  if (!pivot(s, n)) return false;
  for (int k = 0; k < n->nears; k++) {
    hn_null_node *r = &s->node[n->near[k]];
    double V[36] = {0};
    add_product(V, 1, n->up + 36 * k, n->end.Z, r->size, n->size, d);
    for (int l = 0; l < n->nears; l++)
      add_product(hn_null_block(s, n->near[k], n->near[l]), -1, V, n->H + 36 * l, r->size, d,
                  s->node[n->near[l]].size);
    add_loads(r->load, -1, V, n->h, r->size, d, s->columns);
  }
  return true;
}

bool hn_null_eliminate(hn_null_space *s) {
  int columns = s->columns;
  // from the leaves to the root, and back: y of a node needs the twists of those before it
  for (int b = s->nodes - 1; b >= 0; b--)
    if (!eliminate(s, b)) return false;
  for (int b = 0; b < s->nodes; b++) {
    hn_null_node *n = &s->node[b];
    for (int k = 0; n->mid.free && k < n->nears; k++) {
      const hn_null_node *c = &s->node[n->near[k]];
      add_loads(n->h, 1, n->H + 36 * k, c->twist, n->mid.free, c->size, columns);
    }
    memset(n->twist, 0, (size_t)(n->size * columns) * sizeof(double));
    add_loads(n->twist, -1, n->end.Z, n->h, n->size, n->mid.free, columns);
    // t = T1 t_p + Z1 y + s, see above
    if (n->parent >= 0)
      add_loads(n->twist, 1, n->end.T, s->node[n->parent].twist, n->size, s->node[n->parent].size,
                columns);
    for (int i = 0; i < n->size; i++) n->twist[i * columns] += n->lack[i];
  }
  return true;
}
