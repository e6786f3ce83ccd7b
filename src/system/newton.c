// newton.c: planning and filling sparse iteration matrices.
//
// The bodies the tangents connect are found by letting them add to a target that only notes the
// pairs. Every cell then keeps the places its numbers have in the matrix: for bodies one place per
// pair and column (a block's rows lie together), for J one per number of work->J.
#include "system/newton.h"
#include "base/elementary.h"

#include <stdlib.h>
#include <string.h>

typedef struct cell_places {
  hn_cell kind;
  int *place;
} cell_places;

struct hn_newton {
  const hn_system *sys;
  int parts, start[HN_MOST_PARTS + 1];  // where each part begins among the unknowns
  bool of_rows[HN_MOST_PARTS];          // the part is as long as the rows, not the velocities
  cell_places cell[HN_MOST_PARTS * HN_MOST_PARTS];  // parts x parts, row by row
  int pairs;                                        // bodies that meet, in both orders
  int *pair_start;                                  // per body: where its neighbours begin
  int *pair_column;                                 // the neighbours, ascending
  int *row_of;                                      // per number of work->J: its row and column
  int *column_of;
  hn_sparse *matrix;
};

// columns of the twist that are velocity coordinates of each kind of body
static const int columns_of[5][6] = {
    [HN_SPATIAL] = {0, 1, 2, 3, 4, 5}, [HN_PLANAR] = {0, 1, 5}, [HN_POINT] = {0, 1, 2},
    [HN_PLANAR_POINT] = {0, 1},        [HN_SCALAR] = {0},
};

// ---- which bodies meet ---------------------------------------------------------------------

typedef struct pair_list {
  int count, capacity;
  long *pair;  // i * bodies + j
  long bodies;
  bool failed;
} pair_list;

// Noted as they come, many times over; sorting makes them unique.
static void note(pair_list *list, int i, int j) {
  if (list->count == list->capacity) {
    int capacity = 2 * list->capacity + 64;
    long *grown = realloc(list->pair, (size_t)capacity * sizeof *grown);
    if (!grown) {
      list->failed = true;
      return;
    }
    list->pair = grown;
    list->capacity = capacity;
  }
  list->pair[list->count++] = i * list->bodies + j;
}

static void note_block(hn_tangent *tangent, const hn_system *sys, int which, int i, int j, double s,
                       const double block[36]) {
  (void)sys, (void)which, (void)s, (void)block;
  note(tangent->user, i, j);
}

// everything a block looks at meets everything else
static void note_block_pairs(pair_list *list, const hn_system *sys, const hn_sys_block *block) {
  for (int k = 0; k < 2 * block->measures; k++)
    for (int j = 0; j < 2 * block->measures; j++) {
      const hn_measure *x = &sys->measure[block->measure[k / 2]];
      const hn_measure *y = &sys->measure[block->measure[j / 2]];
      int a = k % 2 ? x->b : x->a, b = j % 2 ? y->b : y->a;
      if (sys->body[a].nv && sys->body[b].nv) note(list, a, b);
    }
}

static int ascending(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

static bool find_pairs(hn_newton *a, hn_work *work) {
  const hn_system *sys = a->sys;
  pair_list list = {.bodies = sys->bodies};
  hn_tangent target = {.add = note_block, .user = &list};
  // multipliers of zero will do: blocks are added whatever their numbers are
  double *lambda = calloc((size_t)sys->rows + 1, sizeof(double));
  if (!lambda) return false;
  for (int i = 1; i < sys->bodies; i++) note(&list, i, i);
  for (int i = 0; i < sys->blocks; i++) note_block_pairs(&list, sys, &sys->block[i]);
  hn_constraint_tangent(work, lambda, &target);
  hn_force_tangent(work, &target);
  free(lambda);
  a->pair_start = calloc((size_t)sys->bodies + 1, sizeof(int));
  a->pair_column = calloc((size_t)list.count + 1, sizeof(int));
  bool ok = !list.failed && a->pair_start && a->pair_column;
  if (ok && list.count) qsort(list.pair, (size_t)list.count, sizeof *list.pair, ascending);
  for (int k = 0; ok && k < list.count; k++) {
    if (k && list.pair[k] == list.pair[k - 1]) continue;
    a->pair_column[a->pairs++] = (int)(list.pair[k] % list.bodies);
    a->pair_start[list.pair[k] / list.bodies + 1] = a->pairs;
  }
  // bodies without neighbours (the ground) begin where the one before ends
  for (int i = 0; ok && i < sys->bodies; i++)
    if (a->pair_start[i + 1] < a->pair_start[i]) a->pair_start[i + 1] = a->pair_start[i];
  free(list.pair);
  return ok;
}

// index of the pair (i, j), which is there
static int pair_at(const hn_newton *a, int i, int j) {
  int low = a->pair_start[i], high = a->pair_start[i + 1] - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (a->pair_column[middle] < j)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int hn_newton_pairs(const hn_newton *a) {
  return a->pairs;
}

int hn_newton_pair(const hn_newton *a, int i, int j) {
  return pair_at(a, i, j);
}

// ---- the pattern ---------------------------------------------------------------------------

// calls put(row, column) for every number of a cell, in its order of places
typedef struct pattern {
  int *count;  // entries per column, first pass
  int *row;    // rows per column, second pass; NULL before
  int *start;
} pattern;

static void put(pattern *p, int row, int column) {
  if (p->row) p->row[p->start[column] + p->count[column]] = row;
  p->count[column]++;
}

static void put_cell(const hn_newton *a, int i, int j, pattern *p) {
  const hn_system *sys = a->sys;
  int row = a->start[i], column = a->start[j];
  switch (a->cell[i * a->parts + j].kind) {
  case HN_CELL_EMPTY: break;
  case HN_CELL_DIAGONAL:
    for (int k = 0; k < a->start[i + 1] - row; k++) put(p, row + k, column + k);
    break;
  case HN_CELL_MASS:
    for (int k = 0; k < sys->mass_entries->count; k++)
      put(p, row + sys->mass_entries->row[k], column + sys->mass_entries->col[k]);
    break;
  case HN_CELL_BODIES:
    for (int b = 1; b < sys->bodies; b++)
      for (int k = a->pair_start[b]; k < a->pair_start[b + 1]; k++) {
        const hn_sys_body *x = &sys->body[b], *y = &sys->body[a->pair_column[k]];
        // column by column, as find_places keeps them
        for (int c = 0; c < y->nv; c++)
          for (int r = 0; r < x->nv; r++) put(p, row + x->v0 + r, column + y->v0 + c);
      }
    break;
  case HN_CELL_J:
    for (int k = 0; k < sys->j_size; k++) put(p, row + a->row_of[k], column + a->column_of[k]);
    break;
  case HN_CELL_JT:
    for (int k = 0; k < sys->j_size; k++) put(p, row + a->column_of[k], column + a->row_of[k]);
    break;
  case HN_CELL_ROWS:
    // the diagonal first, then of every coupling what joins two different rows
    for (int k = 0; k < sys->rows; k++) put(p, row + k, column + k);
    for (int k = 0; k < sys->couplings; k++) {
      const hn_coupling *c = &sys->coupling[k];
      for (int x = 0; x < c->rows * c->rows; x++)
        if (x % (c->rows + 1)) put(p, row + c->row[x / c->rows], column + c->row[x % c->rows]);
    }
    break;
  }
}

int hn_newton_row_numbers(const hn_system *sys) {
  int count = sys->rows;
  for (int k = 0; k < sys->couplings; k++) count += sys->coupling[k].rows * sys->coupling[k].rows;
  return count;
}

static int by_row(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

// bodies that meet through forces but not through joints are unknown to the system's plan, as are
// couplings of rows; where they are many, another order is better.
// The plan knows one pair for every body and those of each joint. As many more as there are bodies
// may come from forces before minimum degree on the whole pattern does better.
static bool plan_serves(const hn_newton *a) {
  const hn_system *sys = a->sys;
  int joined = 0;
  // pairs that joints make, in both orders
  for (int g = 0; g < sys->groups; g++) joined += sys->group[g].bodies * (sys->group[g].bodies - 1);
  return sys->plan && a->pairs - (sys->bodies - 1) - joined <= sys->bodies && !sys->couplings;
}

// unknowns in the order in which the system's plan eliminates bodies and groups, those of all parts
// together.
// Runs of bodies and runs of rows alternate in the plan. Of each run the unknowns of all parts go
// together, part by part, so that those of a body (positions, velocities) stay near each other.
static int *find_order(const hn_newton *a) {
  const hn_system *sys = a->sys;
  int n = sys->nv + sys->rows, *plan = malloc(((size_t)n + 1) * sizeof(int));
  int *order = malloc(((size_t)a->start[a->parts] + 1) * sizeof(int));
  if (plan && order) {
    int count = 0;
    hn_saddle_plan_unknowns(sys->plan, plan);
    for (int first = 0, last; first < n; first = last) {
      bool row = plan[first] >= sys->nv;
      for (last = first + 1; last < n && (plan[last] >= sys->nv) == row;) last++;
      for (int part = 0; part < a->parts; part++)
        if (a->of_rows[part] == row)
          for (int k = first; k < last; k++)
            order[count++] = a->start[part] + plan[k] - (row ? sys->nv : 0);
    }
  }
  if (!plan) {
    free(order);
    order = NULL;
  }
  free(plan);
  return order;
}

static bool create_matrix(hn_newton *a) {
  int n = a->start[a->parts], *order = NULL;
  pattern p = {.count = calloc((size_t)n + 1, sizeof(int)),
               .start = calloc((size_t)n + 1, sizeof(int))};
  if (p.count && p.start) {
    // once to count, once to write down
    for (int k = 0; k < a->parts * a->parts; k++) put_cell(a, k / a->parts, k % a->parts, &p);
    for (int j = 0; j < n; j++) p.start[j + 1] = p.start[j] + p.count[j];
    p.row = malloc(((size_t)p.start[n] + 1) * sizeof(int));
  }
  if (p.row) {
    memset(p.count, 0, (size_t)n * sizeof(int));
    for (int k = 0; k < a->parts * a->parts; k++) put_cell(a, k / a->parts, k % a->parts, &p);
    // columns in ascending order, as sparse matrices want them
    for (int j = 0; j < n; j++) qsort(p.row + p.start[j], (size_t)p.count[j], sizeof(int), by_row);
    if (plan_serves(a)) order = find_order(a);
    a->matrix = hn_sparse_create_ordered(n, p.start, p.row, order);
  }
  free(p.count), free(p.start), free(p.row), free(order);
  return a->matrix != NULL;
}

// the places of a cell's numbers.
// Of a block over bodies the place of the first row in each column is enough: its other rows
// follow, as rows of a column are sorted and those of a body are neighbours.
static bool find_places(hn_newton *a, int i, int j) {
  const hn_system *sys = a->sys;
  cell_places *cell = &a->cell[i * a->parts + j];
  int row = a->start[i], column = a->start[j];
  int size = a->start[i + 1] - row;
  int count = cell->kind == HN_CELL_DIAGONAL ? size
              : cell->kind == HN_CELL_BODIES ? 6 * a->pairs
              : cell->kind == HN_CELL_ROWS   ? hn_newton_row_numbers(sys)
              : cell->kind == HN_CELL_EMPTY  ? 0
              : cell->kind == HN_CELL_MASS   ? 0  // looked up
                                             : sys->j_size;
  cell->place = malloc(((size_t)count + 1) * sizeof(int));
  if (!cell->place) return false;
  if (cell->kind == HN_CELL_DIAGONAL)
    for (int k = 0; k < size; k++) cell->place[k] = hn_sparse_place(a->matrix, row + k, column + k);
  if (cell->kind == HN_CELL_BODIES)
    for (int b = 1; b < sys->bodies; b++)
      for (int k = a->pair_start[b]; k < a->pair_start[b + 1]; k++) {
        const hn_sys_body *x = &sys->body[b], *y = &sys->body[a->pair_column[k]];
        for (int c = 0; c < y->nv; c++)
          cell->place[6 * k + c] = hn_sparse_place(a->matrix, row + x->v0, column + y->v0 + c);
      }
  if (cell->kind == HN_CELL_J)
    for (int k = 0; k < count; k++)
      cell->place[k] = hn_sparse_place(a->matrix, row + a->row_of[k], column + a->column_of[k]);
  if (cell->kind == HN_CELL_JT)
    for (int k = 0; k < count; k++)
      cell->place[k] = hn_sparse_place(a->matrix, row + a->column_of[k], column + a->row_of[k]);
  if (cell->kind == HN_CELL_ROWS) {
    int *place = cell->place;
    for (int k = 0; k < sys->rows; k++) *place++ = hn_sparse_place(a->matrix, row + k, column + k);
    for (int k = 0; k < sys->couplings; k++) {
      const hn_coupling *c = &sys->coupling[k];
      for (int x = 0; x < c->rows * c->rows; x++)
        *place++ =
            hn_sparse_place(a->matrix, row + c->row[x / c->rows], column + c->row[x % c->rows]);
    }
  }
  return true;
}

// rows and columns of the numbers of work->J
static bool index_jacobian(hn_newton *a) {
  const hn_system *sys = a->sys;
  a->row_of = calloc((size_t)sys->j_size + 1, sizeof(int));
  a->column_of = calloc((size_t)sys->j_size + 1, sizeof(int));
  if (!a->row_of || !a->column_of) return false;
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int k = group->first; k < group->first + group->bodies; k++) {
      const hn_sys_body *b = &sys->body[sys->group_body[k]];
      for (int x = 0; x < group->rows * b->nv; x++) {
        a->row_of[sys->block_offset[k] + x] = group->row0 + x / b->nv;
        a->column_of[sys->block_offset[k] + x] = b->v0 + x % b->nv;
      }
    }
  }
  return true;
}

hn_newton *hn_newton_create(hn_work *work, const char *parts, const hn_cell *cell) {
  hn_newton *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  a->sys = work->sys;
  a->parts = (int)strlen(parts);
  for (int i = 0; i < a->parts; i++) {
    a->of_rows[i] = parts[i] == 'r';
    a->start[i + 1] = a->start[i] + (a->of_rows[i] ? a->sys->rows : a->sys->nv);
  }
  // a cell of masses is only needed where M has more than its diagonal
  for (int k = 0; k < a->parts * a->parts; k++)
    a->cell[k].kind = cell[k] == HN_CELL_MASS && !a->sys->mass_entries ? HN_CELL_DIAGONAL : cell[k];
  bool ok = find_pairs(a, work) && index_jacobian(a) && create_matrix(a);
  for (int k = 0; ok && k < a->parts * a->parts; k++)
    ok = find_places(a, k / a->parts, k % a->parts);
  if (ok) return a;
  hn_newton_destroy(a);
  return NULL;
}

void hn_newton_destroy(hn_newton *a) {
  if (!a) return;
  for (int k = 0; k < a->parts * a->parts; k++) free(a->cell[k].place);
  hn_sparse_destroy(a->matrix);
  free(a->pair_start), free(a->pair_column), free(a->row_of), free(a->column_of);
  free(a);
}

hn_sparse *hn_newton_matrix(hn_newton *a) {
  return a->matrix;
}

int hn_newton_start(const hn_newton *a, int part) {
  return a->start[part];
}

// ---- filling -------------------------------------------------------------------------------

void hn_newton_clear(hn_newton *a) {
  int n = a->start[a->parts], entries = hn_sparse_entries(a->matrix);
  if (n) memset(hn_sparse_values(a->matrix), 0, (size_t)entries * sizeof(double));
}

// the turning columns of a block times T
static void turn_columns(double o[36], const double block[36], const double T[9]) {
  for (int r = 0; r < 6; r++)
    for (int c = 0; c < 3; c++) {
      const double *x = block + 6 * r + 3;
      o[6 * r + c] = block[6 * r + c];
      o[6 * r + 3 + c] = x[0] * T[c] + x[1] * T[3 + c] + x[2] * T[6 + c];
    }
}

void hn_newton_turn_rows(const hn_system *sys, const double *J, const double *turn, double *out) {
  memcpy(out, J, (size_t)sys->j_size * sizeof(double));
  if (!sys->any_spatial) return;
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int k = group->first; k < group->first + group->bodies; k++) {
      int body = sys->group_body[k];
      if (sys->body[body].kind != HN_SPATIAL) continue;
      const double *T = turn + 9 * body, *x = J + sys->block_offset[k] + 3;
      double *o = out + sys->block_offset[k] + 3;
      for (int r = 0; r < group->rows; r++, x += 6, o += 6)
        for (int c = 0; c < 3; c++) o[c] = x[0] * T[c] + x[1] * T[3 + c] + x[2] * T[6 + c];
    }
  }
}

// T = 1 - (1 - cos a)/a^2 [d] + (a - sin a)/a^3 [d]^2, a = |d|.
// The right Jacobian of the exponential map; below 1e-3 by its series, whose next terms are far
// below what cancellation would cost the quotients
static void turn_matrix(double T[9], const double d[3]) {
  double a2 = v3_dot(d, d), a = sqrt(a2), X[9], XX[9];
  double b = a > 1e-3 ? (1 - hn_cos(a)) / a2 : 0.5 - a2 / 24;
  double c = a > 1e-3 ? (a - hn_sin(a)) / (a2 * a) : 1.0 / 6 - a2 / 120;
  m3_skew(X, d);
  m3_mul(XX, X, X);
  for (int i = 0; i < 9; i++) T[i] = (i % 4 == 0 ? 1 : 0) - b * X[i] + c * XX[i];
}

void hn_newton_turns(const hn_system *sys, const double *d, double *turn) {
  for (int i = 0; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    if (b->nv && b->kind == HN_SPATIAL)
      turn_matrix(turn + 9 * i, d + b->v0 + 3);
    else
      m3_identity(turn + 9 * i);
  }
}

// Tangents are derivatives by small turns at the present orientation; unknowns of a step are
// increments d from its beginning, and T maps changes of these to such turns.
static void add_block(hn_tangent *tangent, const hn_system *sys, int which, int i, int j, double s,
                      const double block[36]) {
  const hn_newton_target *target = tangent->user;
  hn_newton *a = target->newton;
  const hn_sys_body *x = &sys->body[i], *y = &sys->body[j];
  const int *row = columns_of[x->kind], *column = columns_of[y->kind];
  const int *place = a->cell[target->cell].place + 6 * pair_at(a, i, j);
  double *value = hn_sparse_values(a->matrix), turned[36];
  s *= target->weight[which];
  if (s == 0) return;
  // displacements are counted from the beginning of the step, velocities as they are
  if (which == HN_TANGENT_K && target->turn && y->kind == HN_SPATIAL) {
    turn_columns(turned, block, target->turn + 9 * j);
    block = turned;
  }
  for (int c = 0; c < y->nv; c++)
    for (int r = 0; r < x->nv; r++) value[place[c] + r] += s * block[6 * row[r] + column[c]];
}

void hn_newton_tangent(hn_newton *a, int i, int j, double by_q, double by_v, const double *turn,
                       hn_newton_target *target) {
  *target = (hn_newton_target){.tangent = {.add = add_block, .user = target},
                               .newton = a,
                               .cell = i * a->parts + j,
                               .weight = {by_q, by_v},
                               .turn = turn};
}

void hn_newton_diagonal(hn_newton *a, int i, int j, const double *x, double s) {
  const hn_system *sys = a->sys;
  const cell_places *cell = &a->cell[i * a->parts + j];
  double *value = hn_sparse_values(a->matrix);
  if (cell->kind == HN_CELL_DIAGONAL)
    for (int k = 0; k < a->start[i + 1] - a->start[i]; k++)
      value[cell->place[k]] += x ? s * x[k] : s;
  // the diagonal lies in the blocks of a body with itself
  if (cell->kind == HN_CELL_BODIES)
    for (int b = 1; b < sys->bodies; b++) {
      const int *place = cell->place + 6 * pair_at(a, b, b);
      for (int k = 0; k < sys->body[b].nv; k++)
        value[place[k] + k] += x ? s * x[sys->body[b].v0 + k] : s;
    }
}

// Masses between bodies (flexible ones, beams) have places as well: their tangents connect the same
// pairs.
void hn_newton_mass(hn_newton *a, int i, int j, const hn_work *work, double s) {
  const hn_mass_entries *m = a->sys->mass_entries;
  double *value = hn_sparse_values(a->matrix);
  if (!m) hn_newton_diagonal(a, i, j, a->sys->mass, s);
  // the coordinates of a block are all connected, so that every entry has its place also in a cell
  // of bodies
  for (int k = 0; m && k < m->count; k++)
    value[hn_sparse_place(a->matrix, a->start[i] + m->row[k], a->start[j] + m->col[k])] +=
        s * work->mass_values[k];
}

void hn_newton_jacobian(hn_newton *a, int i, int j, const double *J, double s,
                        const double *factor) {
  const int *place = a->cell[i * a->parts + j].place;
  double *value = hn_sparse_values(a->matrix);
  for (int k = 0; k < a->sys->j_size; k++)
    value[place[k]] += factor ? s * factor[a->row_of[k]] * J[k] : s * J[k];
}

void hn_newton_rows(hn_newton *a, int i, int j, const double *numbers) {
  const hn_system *sys = a->sys;
  const int *place = a->cell[i * a->parts + j].place;
  double *value = hn_sparse_values(a->matrix);
  for (int k = 0; k < sys->rows; k++) value[*place++] += *numbers++;
  for (int k = 0; k < sys->couplings; k++) {
    int n = sys->coupling[k].rows;
    for (int x = 0; x < n * n; x++, place++, numbers++)
      // the diagonal came with the rows
      if (x % (n + 1)) value[*place] += *numbers;
  }
}
