// discrete_null.c: null space by structure, at the midpoint and at the end of a step; Newton steps
// in it. See discrete_null.h.
#include "integrators/energy/discrete_null.h"

#include <stdlib.h>
#include <string.h>

static const double rank_tolerance = 1e-9;

// ---- twists --------------------------------------------------------------------------------

// velocity of component c of a point (or unit vector) x by the twist about o
// a row of E: how a coordinate changes with each number of the body's twist
static void twist_row(int size, int width, const double *x, bool vector, const double o[3], int c,
                      double E[6]) {
  memset(E, 0, 6 * sizeof(double));
  if (!vector) E[c] = 1;
  if (size == width) return;  // a point mass
  double a[3] = {0};
  for (int k = 0; k < width; k++) a[k] = x[k] - (vector ? 0 : o[k]);
  // in the plane a twist is (v_x, v_y, w)
  if (width == 2) {
    E[2] = c == 0 ? -a[1] : a[0];
  } else {  // (w x a)_c
    int i = (c + 1) % 3, j = (c + 2) % 3;
    E[3 + i] = a[j];
    E[3 + j] = -a[i];
  }
}

void hn_null_row(const hn_null_space *s, const hn_null_joint *joint, int size, int j,
                 const double *q, double E[6]) {
  int first = s->first[j], width = hn_natural_width(s->sys, s->node[s->owner[j]].body);
  twist_row(size, width, q + first, s->vector[j], joint->o, j - first, E);
}

// the mean of a body's points
void hn_null_origin(const hn_null_space *s, const hn_null_node *node, const double *q,
                    double o[3]) {
  const hn_natural_body *b = &hn_natural_own(s->sys)->body[node->body];
  int points = 0, width = hn_natural_width(s->sys, node->body);
  memset(o, 0, 3 * sizeof(double));
  for (int k = 0; k < b->count; k++) {
    // points of the ground have no index, but a place
    const double *x = b->g[k].index < 0 ? b->g[k].at : q + b->g[k].index;
    if (b->g[k].vector) continue;
    for (int c = 0; c < width; c++) o[c] += x[c];
    points++;
  }
  for (int c = 0; c < width && points; c++) o[c] /= points;
}

// ---- creating ------------------------------------------------------------------------------

// room for the largest node, which serves all of them in turn
static void layout(hn_null_space *s, hn_arena *arena) {
  int owns = 1, rows = 1, joined = 1;
  for (int b = 0; b < s->nodes; b++) {
    const hn_null_node *n = &s->node[b];
    int held = n->rows + 3 * n->links;
    if (n->owns > owns) owns = n->owns;
    if (n->alls > rows) rows = n->alls;
    if (held > joined) joined = held;
  }
  int longest = rows > joined ? rows : joined;
  hn_cod_layout(&s->joint, arena, 6, joined);
  hn_cod_layout(&s->body, arena, owns, rows);
  hn_cod_layout(&s->closing, arena, s->loops, s->loops);
  s->rhs = HN_TAKE(arena, double, 7 * longest + owns + s->loops);
  s->out = HN_TAKE(arena, double, longest + owns + s->loops + 6);
  s->q = HN_TAKE(arena, double, s->sys->nv);
  s->c = HN_TAKE(arena, double, s->sys->nv);
  s->x = HN_TAKE(arena, double, s->sys->nv);
  s->g = HN_TAKE(arena, double, s->sys->nv);
  s->mu = HN_TAKE(arena, double, s->loops);
}

bool hn_null_create(hn_null_space *s, const hn_energy_step *step, const double *J) {
  const hn_system *sys = step->sys;
  size_t nv = (size_t)sys->nv, bodies = (size_t)sys->bodies;
  *s = (hn_null_space){.sys = sys};
  s->node = calloc(bodies, sizeof *s->node);
  s->of_body = malloc(bodies * sizeof(int));
  s->owner = malloc((nv + 1) * sizeof(int));
  s->first = malloc((nv + 1) * sizeof(int));
  s->vector = malloc((nv + 1) * sizeof(bool));
  if (!s->node || !s->of_body || !s->owner || !s->first || !s->vector) return false;
  if (!hn_null_tree(s, J) || !hn_null_plan(s, step)) return false;
  for (int b = 0; b < s->nodes; b++) {
    hn_null_node *n = &s->node[b];
    n->E = malloc((size_t)(6 * n->owns + 1) * sizeof(double));
    n->E1 = malloc((size_t)(6 * n->owns + 1) * sizeof(double));
    if (!n->E || !n->E1) return false;
  }
  layout(s, &s->arena);
  if (!hn_arena_allocate(&s->arena)) return false;
  layout(s, &s->arena);
  return true;
}

void hn_null_release(hn_null_space *s) {
  for (int b = 0; s->node && b < s->sys->bodies; b++) {
    hn_null_node *n = &s->node[b];
    free(n->own), free(n->rigid), free(n->row), free(n->link), free(n->all), free(n->near);
    free(n->E), free(n->E1), free(n->left), free(n->up), free(n->H);
    free(n->load), free(n->twist), free(n->h);
  }
  for (int k = 0; k < s->loops; k++)
    free(s->loop[k].at), free(s->loop[k].mid), free(s->loop[k].end);
  free(s->node), free(s->loop), free(s->of_body), free(s->owner), free(s->first), free(s->vector);
  free(s->arena.base);
}

// ---- joints --------------------------------------------------------------------------------

// columns of s->joint.a: what the rows and links of a node ask of its twist; rhs, row by row: what
// they ask of the parent's
static int gather(hn_null_space *s, const hn_null_node *n, bool end, const double *J,
                  const double *q) {
  const hn_natural *of = hn_natural_own(s->sys);
  const hn_null_joint *joint = end ? &n->end : &n->mid;
  const hn_null_node *p = n->parent < 0 ? NULL : &s->node[n->parent];
  const hn_null_joint *parent = !p ? NULL : end ? &p->end : &p->mid;
  int count = 0, width = hn_natural_width(s->sys, n->body);
  double E[6];
  s->joint.m = n->size;
  // rows of joints: through the rates of every coordinate they touch, which belong to this node or
  // to its parent
  for (int i = 0; i < n->rows; i++, count++) {
    double *C = s->joint.a + count * n->size, *P = s->rhs + 6 * count;
    memset(C, 0, (size_t)n->size * sizeof(double));
    memset(P, 0, 6 * sizeof(double));
    for (int e = of->start[n->row[i]]; e < of->start[n->row[i] + 1]; e++) {
      int j = of->column[e];
      bool here = &s->node[s->owner[j]] == n;
      hn_null_row(s, here ? joint : parent, here ? n->size : p->size, j, q, E);
      for (int k = 0; k < (here ? n->size : p->size); k++) *(here ? C + k : P + k) += J[e] * E[k];
    }
  }
  // points and axes shared with the parent: both move them alike
  for (int i = 0; i < n->links; i++) {
    const hn_generator *g = &of->body[n->body].g[n->link[i]];
    const double *x = g->index < 0 ? g->at : q + g->index;
    for (int c = 0; c < width; c++, count++) {
      twist_row(n->size, width, x, g->vector, joint->o, c, E);
      memcpy(s->joint.a + count * n->size, E, (size_t)n->size * sizeof(double));
      memset(s->rhs + 6 * count, 0, 6 * sizeof(double));
      // the ground has no twist that could move them
      if (!p) continue;
      twist_row(p->size, width, x, g->vector, parent->o, c, E);
      for (int k = 0; k < p->size; k++) s->rhs[6 * count + k] = -E[k];
    }
  }
  s->joint.n = count;
  return count;
}

// T and Z of a node; `limit`: rank of the rows
static void solve_joint(hn_null_space *s, const hn_null_node *n, hn_null_joint *joint, int count,
                        double tolerance, int limit) {
  double x[6], *b = s->out;
  int parent = n->parent < 0 ? 0 : s->node[n->parent].size;
  memset(joint->T, 0, sizeof joint->T);
  memset(joint->Z, 0, sizeof joint->Z);
  joint->free = n->size;
  if (count) {
    hn_cod_factor(&s->joint, tolerance, limit);
    joint->free -= s->joint.rank;
  }
  // without rows every direction is free
  for (int k = 0; k < joint->free; k++) {
    if (count)
      hn_cod_null(&s->joint, k, x);
    else
      for (int i = 0; i < n->size; i++) x[i] = i == k;
    for (int i = 0; i < n->size; i++) joint->Z[6 * i + k] = x[i];
  }
  // T: the twist that follows from the parent's, one of its directions at a time, of least size
  for (int k = 0; k < parent && count; k++) {
    for (int i = 0; i < count; i++) b[i] = -s->rhs[6 * i + k];
    hn_cod_solve_transposed(&s->joint, b, x);
    for (int i = 0; i < n->size; i++) joint->T[6 * i + k] = x[i];
  }
}

// what row i lacks at the end once the corrections c are made
static double lack_of(const hn_null_space *s, const hn_energy_step *step, int row) {
  const hn_natural *n = hn_natural_own(s->sys);
  double sum = -step->phi[row];
  for (int e = n->start[row]; e < n->start[row + 1]; e++) sum -= step->J1[e] * s->c[n->column[e]];
  return sum;
}

// corrections of the node's own coordinates that bring its rigidity back
static void correct(hn_null_space *s, const hn_energy_step *step, const hn_null_node *n) {
  const hn_natural *of = hn_natural_own(s->sys);
  for (int k = 0; k < n->owns; k++) s->c[n->own[k]] = 0;
  if (!n->rigids) return;
  // as many columns as rigidity rows, on the coordinates that the node owns
  s->body.m = n->owns, s->body.n = n->rigids;
  for (int i = 0; i < n->rigids; i++) {
    double *a = s->body.a + i * n->owns;
    s->rhs[i] = lack_of(s, step, n->rigid[i]);
    for (int k = 0; k < n->owns; k++) s->g[n->own[k]] = 0;
    for (int e = of->start[n->rigid[i]]; e < of->start[n->rigid[i] + 1]; e++)
      s->g[of->column[e]] = step->J1[e];
    for (int k = 0; k < n->owns; k++) a[k] = s->g[n->own[k]];
  }
  hn_cod_factor(&s->body, rank_tolerance, n->rigids);
  hn_cod_solve_transposed(&s->body, s->rhs, s->out);
  for (int k = 0; k < n->owns; k++) s->c[n->own[k]] = s->out[k];
}

// gradient of a closing row, or of one component of a shared point, by the twists of all nodes it
// touches
static void update_loop(hn_null_space *s, hn_null_loop *l, bool end, const double *J,
                        const double *q) {
  const hn_natural *of = hn_natural_own(s->sys);
  double *out = end ? l->end : l->mid, E[6];
  memset(out, 0, 6 * (size_t)l->nodes * sizeof(double));
  if (l->row >= 0) {
    // each coordinate by the twist of the node that owns it
    for (int e = of->start[l->row]; e < of->start[l->row + 1]; e++) {
      int j = of->column[e], node = s->owner[j], at = 0;
      const hn_null_node *n = &s->node[node];
      while (l->at[at] != node) at++;
      hn_null_row(s, end ? &n->end : &n->mid, n->size, j, q, E);
      for (int k = 0; k < n->size; k++) out[6 * at + k] += J[e] * E[k];
    }
    return;
  }
  // of a shared point both owners must say the same: one less the other
  for (int i = 0; i < l->nodes; i++) {
    const hn_null_node *n = &s->node[l->at[i]], *holder = &s->node[l->node];
    const hn_generator *g = &of->body[holder->body].g[l->link];
    const double *x = g->index < 0 ? g->at : q + g->index;
    twist_row(n->size, hn_natural_width(s->sys, holder->body), x, g->vector,
              (end ? &n->end : &n->mid)->o, l->component, E);
    for (int k = 0; k < n->size; k++) out[6 * i + k] = l->at[i] == l->node ? E[k] : -E[k];
  }
}

void hn_null_update(hn_null_space *s, const hn_energy_step *step, const double *q0) {
  // rows have discrete gradients at the midpoint, and their own at the end
  for (int i = 0; i < s->sys->nv; i++) s->q[i] = 0.5 * (q0[i] + step->q1[i]);
  for (int b = 0; b < s->nodes; b++) {
    hn_null_node *n = &s->node[b];
    hn_null_origin(s, n, s->q, n->mid.o);
    hn_null_origin(s, n, step->q1, n->end.o);
    for (int k = 0; k < n->owns; k++) {
      hn_null_row(s, &n->mid, n->size, n->own[k], s->q, n->E + 6 * k);
      hn_null_row(s, &n->end, n->size, n->own[k], step->q1, n->E1 + 6 * k);
    }
    correct(s, step, n);
    int count = gather(s, n, false, step->D, s->q);
    solve_joint(s, n, &n->mid, count, rank_tolerance, n->size);
    gather(s, n, true, step->J1, step->q1);
    // the rank found at the midpoint holds at the end too: both spaces must have the same size
    solve_joint(s, n, &n->end, count, 1e-15, n->size - n->mid.free);
    memset(n->lack, 0, sizeof n->lack);
    if (!count) continue;
    memset(s->out, 0, (size_t)count * sizeof(double));
    for (int i = 0; i < n->rows; i++) s->out[i] = lack_of(s, step, n->row[i]);
    hn_cod_solve_transposed(&s->joint, s->out, n->lack);
  }
  for (int k = 0; k < s->loops; k++) {
    hn_null_loop *l = &s->loop[k];
    update_loop(s, l, false, step->D, s->q);
    update_loop(s, l, true, step->J1, step->q1);
    l->lack = l->row < 0 ? 0 : lack_of(s, step, l->row);
  }
}

// ---- Newton steps --------------------------------------------------------------------------

// y += A x with the upper left part of the Newton matrix
static void add_matrix(const hn_energy_step *step, const double *x, double *y) {
  const double *A = hn_sparse_values(step->sparse);
  int nv = step->sys->nv;
  for (int j = 0; j < nv; j++)
    for (int e = step->start[j]; e < step->start[j + 1] && step->row[e] < nv; e++)
      y[step->row[e]] += A[e] * x[j];
}

// place of a coordinate among those of its node
static const double *row_of(const hn_null_node *n, const double *E, int j) {
  for (int k = 0; k < n->owns; k++)
    if (n->own[k] == j) return E + 6 * k;
  return E;
}

// blocks E^T A E1, loads E^T (r + A c)
static void assemble(hn_null_space *s, const hn_energy_step *step) {
  const double *A = hn_sparse_values(step->sparse);
  int nv = s->sys->nv, columns = s->columns;
  // the corrections c are part of the change: what they do to r is load as well
  memcpy(s->g, step->r, (size_t)nv * sizeof(double));
  add_matrix(step, s->c, s->g);
  for (int b = 0; b < s->nodes; b++) {
    hn_null_node *n = &s->node[b];
    memset(n->diagonal, 0, sizeof n->diagonal);
    memset(n->left, 0, 36 * (size_t)n->nears * sizeof(double));
    memset(n->up, 0, 36 * (size_t)n->nears * sizeof(double));
    memset(n->load, 0, (size_t)(n->size * columns) * sizeof(double));
    for (int k = 0; k < n->owns; k++)
      for (int i = 0; i < n->size; i++) n->load[i * columns] += n->E[6 * k + i] * s->g[n->own[k]];
  }
  for (int j = 0; j < nv; j++) {
    const hn_null_node *column = &s->node[s->owner[j]];
    const double *x = row_of(column, column->E1, j);
    for (int e = step->start[j]; e < step->start[j + 1] && step->row[e] < nv; e++) {
      int i = step->row[e];
      if (A[e] == 0) continue;
      const hn_null_node *row = &s->node[s->owner[i]];
      const double *y = row_of(row, row->E, i);
      double *block = hn_null_block(s, s->owner[i], s->owner[j]);
      for (int a = 0; a < row->size; a++)
        for (int b = 0; b < column->size; b++) block[6 * a + b] += A[e] * y[a] * x[b];
    }
  }
}

// Loops: their multipliers are loads of unit size, one column each. The rows times their weight are
// added to the matrix as well, which changes nothing in the solution, so that bodies that only the
// loops hold have something to divide by.
static void add_loops(hn_null_space *s) {
  for (int k = 0; k < s->loops; k++) {
    hn_null_loop *l = &s->loop[k];
    double inertia = 0, square = 0;
    for (int i = 0; i < l->nodes; i++) {
      const hn_null_node *n = &s->node[l->at[i]];
      for (int r = 0; r < n->size; r++) {
        inertia = fmax(inertia, fabs(n->diagonal[7 * r]));
        square = fmax(square, l->mid[6 * i + r] * l->mid[6 * i + r]);
      }
    }
    // as large as the inertia it stands beside, so that neither is lost in the other's rounding
    l->size = inertia > 0 && square > 0 ? inertia / square : 1;
  }
  for (int k = 0; k < s->loops; k++) {
    hn_null_loop *l = &s->loop[k];
    for (int i = 0; i < l->nodes; i++) {
      hn_null_node *n = &s->node[l->at[i]];
      for (int r = 0; r < n->size; r++) {
        double x = l->mid[6 * i + r];
        n->load[r * s->columns] -= l->size * x * l->lack;
        n->load[r * s->columns + 1 + k] -= x;
        for (int j = 0; j < l->nodes; j++) {
          double *block = hn_null_block(s, l->at[i], l->at[j]);
          for (int c = 0; c < s->node[l->at[j]].size; c++)
            block[6 * r + c] += l->size * x * l->end[6 * j + c];
        }
      }
    }
  }
}

// multipliers of the loops, from what their rows still lack
static void close_loops(hn_null_space *s) {
  int m = s->loops, columns = s->columns;
  if (!m) return;
  for (int k = 0; k < m; k++) {
    const hn_null_loop *l = &s->loop[k];
    for (int c = 0; c < columns; c++) {
      double sum = 0;
      for (int i = 0; i < l->nodes; i++) {
        const hn_null_node *n = &s->node[l->at[i]];
        for (int r = 0; r < n->size; r++) sum += l->end[6 * i + r] * n->twist[r * columns + c];
      }
      // column 0 is the load itself, the others are what unit multipliers do
      if (c == 0)
        s->rhs[k] = l->lack - sum;
      else
        s->closing.a[(size_t)(c - 1) * (size_t)m + (size_t)k] = sum;
    }
  }
  // rows that repeat others: of all multipliers that will do the smallest
  hn_cod_factor(&s->closing, rank_tolerance, m);
  hn_cod_solve(&s->closing, s->rhs, s->mu);
  for (int b = 0; b < s->nodes; b++) {
    hn_null_node *n = &s->node[b];
    for (int r = 0; r < n->size; r++)
      for (int k = 0; k < m; k++) n->twist[r * columns] += s->mu[k] * n->twist[r * columns + 1 + k];
  }
}

// multipliers from the forces they must have, D^T l = g: every body's own coordinates know those of
// the rows that end there, the others get what is left
static void find_multipliers(hn_null_space *s, hn_energy_step *step) {
  const hn_natural *of = hn_natural_own(s->sys);
  memcpy(s->g, step->r, (size_t)s->sys->nv * sizeof(double));
  add_matrix(step, s->x, s->g);
  for (int k = 0; k < s->loops; k++) {
    int row = s->loop[k].row;
    step->l[row] = s->mu[k];
    for (int e = of->start[row]; e < of->start[row + 1]; e++)
      s->g[of->column[e]] -= step->D[e] * s->mu[k];
  }
  // from the leaves: what a body's rows cannot bear is handed to those nearer to the ground
  for (int b = s->nodes - 1; b >= 0; b--) {
    const hn_null_node *n = &s->node[b];
    if (!n->alls) continue;
    s->body.m = n->owns, s->body.n = n->alls;
    for (int i = 0; i < n->alls; i++) {
      double *a = s->body.a + i * n->owns;
      memset(a, 0, (size_t)n->owns * sizeof(double));
      for (int e = of->start[n->all[i]]; e < of->start[n->all[i] + 1]; e++)
        for (int k = 0; k < n->owns; k++)
          if (n->own[k] == of->column[e]) a[k] = step->D[e];
    }
    for (int k = 0; k < n->owns; k++) s->rhs[k] = s->g[n->own[k]];
    hn_cod_factor(&s->body, rank_tolerance, n->alls);
    hn_cod_solve(&s->body, s->rhs, s->out);
    for (int i = 0; i < n->alls; i++) {
      step->l[n->all[i]] = s->out[i];
      for (int e = of->start[n->all[i]]; e < of->start[n->all[i] + 1]; e++)
        s->g[of->column[e]] -= step->D[e] * s->out[i];
    }
  }
}

// corrections that bring rigidity back, and twists that nothing hinders; E1 makes the rates at the
// end of them
bool hn_null_solve(hn_null_space *s, hn_energy_step *step) {
  assemble(s, step);
  add_loops(s);
  if (!hn_null_eliminate(s)) return false;
  close_loops(s);
  memcpy(s->x, s->c, (size_t)s->sys->nv * sizeof(double));
  for (int b = 0; b < s->nodes; b++) {
    const hn_null_node *n = &s->node[b];
    for (int k = 0; k < n->owns; k++)
      for (int i = 0; i < n->size; i++)
        s->x[n->own[k]] += n->E1[6 * k + i] * n->twist[i * s->columns];
  }
  if (!s->hidden) find_multipliers(s, step);
  return true;
}
