// energy_matrix.c: Newton matrix of the energy-momentum family, see energy.h.
//
//   d(DPhi)/dq1 = sum_i d_i H_i / 2 + sum_ij slope_ij grad pi_i(q_m) grad pi_j(q1)^T
//
// with the constant second derivatives H of the products. A force along a measure m with tension F
// adds F times the same and dF/dm1 Dm grad m(q1)^T; forces between two bodies have tangents of
// their own (energy_pair.c). Forces on poses at the midpoint add T^T (K / 2 + C / h) T with their
// tangents K and C on the bodies and the twists T dq; how T itself changes is left out. States of
// first order follow from the motion, and are in K and C.
#include "integrators/energy/energy.h"

#include <stdlib.h>
#include <string.h>

// ---- pattern -------------------------------------------------------------------------------

// Entries of the matrix are first listed, with whatever repeats, then sorted and made unique: who
// contributes need not know who else does.
typedef struct place {
  int row, column;
} place;
typedef struct place_list {
  int count, capacity;
  place *at;
  bool failed;
} place_list;

// memory that runs out is remembered in the list, so that the many who add need not look
static void add_place(place_list *list, int row, int column) {
  if (!list->failed && !hn_grow((void **)&list->at, &list->capacity, list->count, sizeof *list->at))
    list->failed = true;
  if (!list->failed) list->at[list->count++] = (place){row, column};
}

// the order of compressed columns: by column, within one by row
static int by_column(const void *a, const void *b) {
  const place *x = a, *y = b;
  return x->column != y->column ? (x->column > y->column) - (x->column < y->column)
                                : (x->row > y->row) - (x->row < y->row);
}

// second derivatives of a product: for every pair of entries of U and W in one component; with
// `list` NULL they are counted
static int each_second(const hn_natural *n, int product, place_list *list, hn_energy_step *s,
                       int at) {
  const hn_form *u = &n->form[n->product[product].u], *w = &n->form[n->product[product].w];
  int count = 0;
  for (int i = u->first; i < u->first + u->count; i++)
    for (int j = w->first; j < w->first + w->count; j++) {
      const hn_form_entry *a = &n->entry[i], *b = &n->entry[j];
      if (a->component != b->component) continue;
      if (list) {
        add_place(list, a->index, b->index);
        add_place(list, b->index, a->index);
      } else if (s->h_place) {
        double x = a->coefficient * b->coefficient;
        s->h_place[at + count] = hn_sparse_place(s->sparse, a->index, b->index);
        s->h_place[at + count + 1] = hn_sparse_place(s->sparse, b->index, a->index);
        s->h_value[at + count] = s->h_value[at + count + 1] = x;
      }
      count += 2;
    }
  return count;
}

// of integers, for qsort
static int ascending(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

// the columns a function depends on
static bool new_outer(hn_energy_step *s, int function) {
  const hn_natural *n = hn_natural_own(s->sys);
  if (s->outer_of[function] >= 0) return true;
  hn_energy_outer *o = &s->outer[s->outers];
  int most = 0, count = 0;
  // twice over the same entries: counted first, then written
  for (int pass = 0; pass < 2; pass++) {
    for (int p = 0; p < 2 && n->function[function].product[p] >= 0; p++) {
      const hn_product *product = &n->product[n->function[function].product[p]];
      const int side[2] = {product->u, product->w};
      for (int k = 0; k < 2; k++) {
        const hn_form *f = &n->form[side[k]];
        for (int e = f->first; e < f->first + f->count; e++)
          pass ? (void)(o->column[count++] = n->entry[e].index) : (void)most++;
      }
    }
    if (pass == 0) o->column = malloc(((size_t)most + 1) * sizeof(int));
    if (!o->column) return false;
  }
  qsort(o->column, (size_t)count, sizeof(int), ascending);
  o->count = 0;
  // entries of U and W may be of the same coordinate: each column once
  for (int k = 0; k < count; k++)
    if (k == 0 || o->column[k] != o->column[k - 1]) o->column[o->count++] = o->column[k];
  o->place = malloc(((size_t)o->count * (size_t)o->count + 1) * sizeof(int));
  if (!o->place) return false;
  o->function = function;
  s->outer_of[function] = s->outers++;
  return true;
}

// Those functions whose slopes have an outer product in the matrix: of rows all but plain values,
// which are linear in the products, and of every force along a measure.
static bool list_outers(hn_energy_step *s) {
  const hn_natural *n = hn_natural_own(s->sys);
  s->outer = calloc((size_t)n->functions + 1, sizeof *s->outer);
  s->outer_of = malloc(((size_t)n->functions + 1) * sizeof(int));
  if (!s->outer || !s->outer_of) return false;
  for (int i = 0; i < n->functions; i++) s->outer_of[i] = -1;
  bool ok = true;
  for (int i = 0; i < n->row_functions && ok; i++)
    if (n->function[i].type != HN_F_VALUE) ok = new_outer(s, i);
  for (int k = 0; k < s->forces && ok; k++) ok = new_outer(s, s->force[k].function);
  return ok;
}

// ---- forces on whole bodies ----------------------------------------------------------------

// Forces on poses know nothing of points: their tangents are of twists, and maps carry them over.

// the columns of a body that such forces may reach
static bool new_map(hn_energy_step *s, int body) {
  const hn_natural *n = hn_natural_own(s->sys);
  const hn_natural_body *b = &n->body[body];
  const int form[4] = {b->position, b->axis[0], b->axis[1], b->axis[2]};
  hn_energy_map *map = &s->map[body];
  int most = 0, count = 0;
  if (map->column || s->sys->body[body].nv == 0) return true;
  for (int i = 0; i < 4; i++) most += form[i] < 0 ? 0 : n->form[form[i]].count;
  map->column = malloc(((size_t)most + 1) * sizeof(int));
  map->twist = malloc((6 * (size_t)most + 1) * sizeof(double));
  map->frame = calloc(12 * (size_t)most + 1, sizeof(double));
  if (!map->column || !map->twist || !map->frame) return false;
  // the coordinates its origin and axes are combined from; points that two bodies share stand in
  // both
  for (int i = 0; i < 4; i++)
    for (int k = 0; form[i] >= 0 && k < n->form[form[i]].count; k++)
      map->column[count++] = n->entry[n->form[form[i]].first + k].index;
  qsort(map->column, (size_t)count, sizeof(int), ascending);
  for (int k = 0; k < count; k++)
    if (k == 0 || map->column[k] != map->column[k - 1]) map->column[map->count++] = map->column[k];
  return true;
}

// none are needed where no force looks at a pose
static bool list_maps(hn_energy_step *s) {
  const hn_system *sys = s->sys;
  if (!s->others && !s->pairs) return true;
  s->map = calloc((size_t)sys->bodies, sizeof *s->map);
  bool ok = s->map != NULL;
  for (int i = 1; i < sys->bodies && ok; i++) ok = new_map(s, i);
  return ok && hn_energy_frames(s);
}

// tangents of all that looks at poses at the midpoint: also of laws along a measure that are
// formulas, whose discrete direction differs from the one there by the square of the step
static void add_others(const hn_energy_step *s, hn_work *work, hn_tangent *tangent) {
  const hn_system *sys = s->sys;
  for (int i = 0; i < sys->batches; i++) {
    const hn_batch *b = &sys->batch[i];
    if (!b->ops->line && !b->ops->between && b->ops->tangent)
      b->ops->tangent(sys, work, b->count, b->data, tangent);
  }
  for (int k = 0; k < s->forces; k++)
    if (s->force[k].line.posed) s->force[k].ops->tangent(sys, work, 1, s->force[k].data, tangent);
}

// all coordinates of two bodies with each other, both ways
static void add_pair(const hn_energy_step *s, place_list *list, int a, int b) {
  const int body[2] = {a, b};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      const hn_energy_map *row = &s->map[body[i]], *column = &s->map[body[j]];
      for (int k = 0; k < row->count; k++)
        for (int l = 0; l < column->count; l++) add_place(list, row->column[k], column->column[l]);
    }
}

// the bodies that a block of a tangent belongs to, which never depend on the state
typedef struct pair_list {
  const hn_energy_step *step;
  place_list *list;
} pair_list;

static void list_block(hn_tangent *tangent, const hn_system *sys, int which, int i, int j, double s,
                       const double block[36]) {
  const pair_list *to = tangent->user;
  const hn_energy_map *row = &to->step->map[i], *column = &to->step->map[j];
  (void)sys, (void)which, (void)s, (void)block;
  for (int k = 0; k < row->count; k++)
    for (int l = 0; l < column->count; l++) add_place(to->list, row->column[k], column->column[l]);
}

// bodies between which forces act or which they look at
static void list_pairs(const hn_energy_step *s, hn_work *work, place_list *list) {
  const hn_system *sys = s->sys;
  pair_list to = {s, list};
  hn_tangent tangent = {.n = sys->bv, .add = list_block, .user = &to};
  // the state does not matter: which blocks there are is the same everywhere
  hn_eval_all(work, 0, sys->q0, sys->v0);
  add_others(s, work, &tangent);
  for (int i = 1; i < sys->bodies; i++) add_pair(s, list, i, i);  // pushes
  for (int i = 0; i < sys->check.forces; i++)
    add_pair(s, list, sys->force_mount[2 * i].body, sys->force_mount[2 * i + 1].body);
  for (int i = 0; i < sys->measures; i++)
    if (sys->measure[i].used_by_force) add_pair(s, list, sys->measure[i].a, sys->measure[i].b);
}

// T of a body at the midpoint: the force of a unit wrench on the coordinates is a row of it, so
// that what carries wrenches over serves here as well. Scratch is left as zeros.
static void eval_map(const hn_energy_step *s, const hn_work *work, int body) {
  const hn_energy_map *map = &s->map[body];
  double *scratch = hn_natural_at(work)->scratch;
  const double *R = work->kin[body].R, none[3] = {0, 0, 0};
  for (int r = 0; r < 6; r++) {
    double x[3] = {r % 3 == 0, r % 3 == 1, r % 3 == 2}, world[3];
    m3_mulv(world, R, x);
    hn_natural_add_wrench(work, body, r < 3 ? x : none, r < 3 ? none : world, scratch);
    for (int k = 0; k < map->count; k++) {
      map->twist[r * map->count + k] = scratch[map->column[k]];
      scratch[map->column[k]] = 0;
    }
  }
}

// a tangent that goes into the Newton matrix
static void add_block(hn_tangent *tangent, const hn_system *sys, int which, int i, int j, double s,
                      const double block[36]) {
  const hn_energy_step *step = tangent->user;
  const hn_energy_map *a = &step->map[i], *b = &step->map[j];
  double *value = hn_sparse_values(step->sparse);
  // K counts for the place at the midpoint, C for the change over the step
  double part = which == HN_TANGENT_K ? step->place_part : step->rate_part / step->h;
  double factor = -step->factor * s * part;
  if (factor == 0) return;
  (void)sys;
  for (int k = 0; k < a->count; k++) {
    double row[6] = {0};
    for (int r = 0; r < 6; r++)
      for (int c = 0; c < 6; c++) row[c] += a->twist[r * a->count + k] * block[6 * r + c];
    for (int l = 0; l < b->count; l++) {
      double sum = 0;
      for (int c = 0; c < 6; c++) sum += row[c] * b->twist[c * b->count + l];
      // where the pattern has no place the block is zero anyway
      int at = hn_sparse_place(step->sparse, a->column[k], b->column[l]);
      if (at >= 0) value[at] += factor * sum;
    }
  }
}

// tangents at the midpoint, where the forces themselves were evaluated
static void add_tangents(hn_energy_step *s, const hn_sim *sim) {
  const hn_system *sys = s->sys;
  hn_work *work = (hn_work *)&sim->stage.work;
  hn_tangent tangent = {.n = sys->bv, .add = add_block, .user = s};
  for (int i = 1; i < sys->bodies; i++) eval_map(s, work, i);
  add_others(s, work, &tangent);
  if (work->pushed) hn_push_tangent(work, &tangent);
}

// ---- places --------------------------------------------------------------------------------

// Everything that may ever be nonzero; the diagonal always, so that small compliances find a place.
static void list_places(hn_energy_step *s, hn_work *work, place_list *list) {
  const hn_system *sys = s->sys;
  const hn_natural *n = hn_natural_own(sys);
  for (int k = 0; k < sys->mass_entries->count; k++)
    add_place(list, sys->mass_entries->row[k], sys->mass_entries->col[k]);
  for (int i = 0; i < sys->nv + sys->rows; i++) add_place(list, i, i);
  for (int i = 0; i < sys->rows; i++)
    for (int k = n->start[i]; k < n->start[i + 1]; k++) {
      add_place(list, sys->nv + i, n->column[k]);
      add_place(list, n->column[k], sys->nv + i);
    }
  for (int i = 0; i < s->products; i++) each_second(n, i, list, s, 0);
  if (s->map) list_pairs(s, work, list);
  for (int k = 0; k < s->outers; k++)
    for (int i = 0; i < s->outer[k].count; i++)
      for (int j = 0; j < s->outer[k].count; j++)
        add_place(list, s->outer[k].column[i], s->outer[k].column[j]);
}

// columns as the sparse factorisation wants them, in the order that natural coordinates were given
// when the system was built
static bool make_pattern(hn_energy_step *s, hn_work *work) {
  place_list list = {0};
  int size = s->sys->nv + s->sys->rows, kept = 0;
  list_places(s, work, &list);
  s->start = calloc((size_t)size + 1, sizeof(int));
  s->row = malloc(((size_t)list.count + 1) * sizeof(int));
  bool ok = !list.failed && s->start && s->row;
  if (ok) {
    qsort(list.at, (size_t)list.count, sizeof *list.at, by_column);
    for (int k = 0; k < list.count; k++) {
      if (k && by_column(&list.at[k], &list.at[k - 1]) == 0) continue;
      s->row[kept++] = list.at[k].row;
      s->start[list.at[k].column + 1]++;
    }
    for (int i = 0; i < size; i++) s->start[i + 1] += s->start[i];
    int *order = malloc(((size_t)size + 1) * sizeof(int));
    if (order && hn_natural_order(s->sys, order))
      s->sparse = hn_sparse_create_ordered(size, s->start, s->row, order);
    // pivots stay on the planned places unless they are ten times smaller than others
    if (s->sparse) hn_sparse_prefer_large(s->sparse, 0.1);
    free(order);
  }
  free(list.at);
  return ok && s->sparse;
}

// where each contribution goes, so that no step looks for a place
static bool find_places(hn_energy_step *s) {
  const hn_system *sys = s->sys;
  const hn_natural *n = hn_natural_own(sys);
  const hn_mass_entries *m = sys->mass_entries;
  int total = 0;
  s->mass_place = malloc(((size_t)m->count + 1) * sizeof(int));
  s->j_place = malloc(((size_t)n->start[sys->rows] + 1) * sizeof(int));
  s->jt_place = malloc(((size_t)n->start[sys->rows] + 1) * sizeof(int));
  s->d_place = malloc(((size_t)sys->rows + 1) * sizeof(int));
  s->h_start = calloc((size_t)s->products + 1, sizeof(int));
  if (!s->mass_place || !s->j_place || !s->jt_place || !s->d_place || !s->h_start) return false;
  // counted first: h_place is not there yet, and nothing is written
  for (int i = 0; i < s->products; i++) {
    total += each_second(n, i, NULL, s, 0);
    s->h_start[i + 1] = total;
  }
  s->h_value = malloc(((size_t)total + 1) * sizeof(double));
  s->h_place = malloc(((size_t)total + 1) * sizeof(int));
  if (!s->h_value || !s->h_place) return false;
  for (int i = 0; i < s->products; i++) each_second(n, i, NULL, s, s->h_start[i]);
  for (int k = 0; k < m->count; k++)
    s->mass_place[k] = hn_sparse_place(s->sparse, m->row[k], m->col[k]);
  for (int i = 0; i < sys->rows; i++) {
    s->d_place[i] = hn_sparse_place(s->sparse, sys->nv + i, sys->nv + i);
    for (int k = n->start[i]; k < n->start[i + 1]; k++) {
      s->j_place[k] = hn_sparse_place(s->sparse, sys->nv + i, n->column[k]);
      s->jt_place[k] = hn_sparse_place(s->sparse, n->column[k], sys->nv + i);
    }
  }
  for (int k = 0; k < s->outers; k++) {
    hn_energy_outer *o = &s->outer[k];
    for (int i = 0; i < o->count; i++)
      for (int j = 0; j < o->count; j++)
        o->place[i * o->count + j] = hn_sparse_place(s->sparse, o->column[i], o->column[j]);
  }
  return true;
}

// ---- creating ------------------------------------------------------------------------------

// what the step has to look at
static void take_stock(hn_energy_step *s, hn_sim *sim) {
  const hn_system *sys = s->sys;
  const hn_natural *n = hn_natural_own(sys);
  hn_work *work = &sim->stage.work;
  s->forces = s->pairs = 0;
  s->others = s->posed = false;
  for (int i = 0; i < sys->batches; i++) {
    const hn_batch *b = &sys->batch[i];
    s->others |= !b->ops->line && !b->ops->between;
    for (int k = 0; k < b->count; k++) {
      const void *data = b->data + (size_t)k * b->ops->data_size;
      if (b->ops->line) {
        hn_line line = b->ops->line(data);
        s->force[s->forces++] = (hn_energy_force){b->ops, data, line, n->of_measure[line.measure]};
        s->others |= line.posed;
      } else if (b->ops->between) {
        hn_energy_pair *pair = &s->pair[s->pairs++];
        *pair = (hn_energy_pair){.ops = b->ops, .data = data};
        b->ops->pair(data, pair->body);
      }
    }
  }
  for (int i = 0; i < n->row_functions; i++) s->posed |= n->function[i].type != HN_F_VALUE;
  s->others |= sys->states > 0;
  s->posed |= s->others || s->forces || sys->motions;
  s->forms = s->forces ? n->forms : n->row_forms;
  s->products = s->forces ? n->products : n->row_products;
  // gravity is the same everywhere
  hn_eval_jacobian(work, 0, sys->q0, sys->v0);
  memcpy(work->f, sys->constant_force, (size_t)sys->bv * sizeof(double));
  hn_reduce_forces(work);
  memcpy(s->gravity, work->r, (size_t)sys->nv * sizeof(double));
  hn_natural_spread_weights(sys, s->gravity);
}

hn_status hn_energy_create(hn_energy_step *s, hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const char *name = sim->method.integrator->info.name;
  if (!hn_natural_of(sys))
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "integrator '%s' works in natural coordinates, where constraints are "
                       "quadratic (set 'coordinates' to natural)",
                       name);
  if (sys->customs)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "integrator '%s' cannot deal with row '%s', which is no function of "
                       "lengths and angles",
                       name, sys->row_name[sys->custom[0].row]);
  if (sys->reactive)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "integrator '%s' cannot deal with Coulomb friction, which this model has",
                       name);
  take_stock(s, sim);
  if (!list_outers(s) || !list_maps(s) || !make_pattern(s, &sim->stage.work) || !find_places(s))
    return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  return HN_OK;
}

void hn_energy_release(hn_energy_step *s) {
  hn_sparse_destroy(s->sparse);
  for (int k = 0; s->outer && k < hn_natural_own(s->sys)->functions; k++)
    free(s->outer[k].column), free(s->outer[k].place);
  for (int i = 0; s->map && i < s->sys->bodies; i++) {
    free(s->map[i].column), free(s->map[i].twist), free(s->map[i].frame);
  }
  free(s->map), free(s->outer), free(s->outer_of), free(s->start), free(s->row);
  free(s->mass_place), free(s->j_place), free(s->jt_place), free(s->d_place);
  free(s->h_start), free(s->h_place), free(s->h_value);
}

// ---- numbers -------------------------------------------------------------------------------

// out = sum of weight_i grad pi_i over the columns of an outer product
static void gradient(const hn_energy_step *s, const hn_energy_outer *o, const double weight[2],
                     const double *u, double *scratch, double *out) {
  const hn_natural *n = hn_natural_own(s->sys);
  const int *product = n->function[o->function].product;
  for (int p = 0; p < 2 && product[p] >= 0; p++)
    if (weight[p] != 0)
      hn_product_gradient(n, product[p], u + 3 * n->product[product[p]].u,
                          u + 3 * n->product[product[p]].w, weight[p], scratch);
  for (int k = 0; k < o->count; k++) {
    out[k] = scratch[o->column[k]];
    scratch[o->column[k]] = 0;
  }
}

static void add_outer(const hn_energy_step *s, const hn_energy_outer *o, double factor,
                      double *value) {
  for (int i = 0; i < o->count; i++)
    for (int j = 0; j < o->count; j++)
      value[o->place[i * o->count + j]] += factor * s->ga[i] * s->gb[j];
}

// adds factor * d(Dg)/dq1 of a function
static void add_function(const hn_energy_step *s, int function, double factor, double *scratch,
                         double *value) {
  const int *product = hn_natural_own(s->sys)->function[function].product;
  const hn_discrete *d = &s->discrete[function];
  for (int p = 0; p < 2 && product[p] >= 0; p++) {
    // q_m moves by half of what q1 does
    double x = 0.5 * factor * d->d[p];
    for (int k = s->h_start[product[p]]; k < s->h_start[product[p] + 1]; k++)
      value[s->h_place[k]] += x * s->h_value[k];
  }
  if (s->outer_of[function] < 0) return;
  const hn_energy_outer *o = &s->outer[s->outer_of[function]];
  for (int i = 0; i < 2 && product[i] >= 0; i++) {
    double unit[2] = {i == 0, i == 1};
    if (d->slope[i][0] == 0 && d->slope[i][1] == 0) continue;
    gradient(s, o, unit, s->um, scratch, s->ga);
    gradient(s, o, d->slope[i], s->u1, scratch, s->gb);
    add_outer(s, o, factor, value);
  }
}

void hn_energy_tangent(hn_energy_step *s, const hn_sim *sim) {
  const hn_system *sys = s->sys;
  const hn_natural *n = hn_natural_own(sys);
  double *value = hn_sparse_values(s->sparse), *scratch = hn_natural_at(&sim->stage.work)->scratch;
  for (int i = 0; i < sys->rows; i++)
    for (int t = n->row[i].first; t < n->row[i].first + n->row[i].terms; t++)
      add_function(s, n->term[t].function, -s->l[i] * n->term[t].coefficient, scratch, value);
  for (int k = 0; k < s->forces; k++) {
    int function = s->force[k].function;
    if (s->force[k].line.posed) continue;  // in add_others
    double factor = -s->factor * s->force[k].line.sign;
    const hn_energy_outer *o = &s->outer[s->outer_of[function]];
    add_function(s, function, factor * s->pull[k].force, scratch, value);
    gradient(s, o, s->discrete[function].d, s->um, scratch, s->ga);
    gradient(s, o, s->discrete[function].g, s->u1, scratch, s->gb);
    add_outer(s, o, factor * s->pull[k].slope, value);
  }
  s->place_part = s->view.place, s->rate_part = s->view.slope;
  if (s->others) add_tangents(s, sim);
  if (s->pairs) hn_energy_pairs_tangent(s, false);
}

void hn_energy_rate_tangent(hn_energy_step *s, const hn_sim *sim, const double (*g)[2],
                            const double *u) {
  double *value = hn_sparse_values(s->sparse), *scratch = hn_natural_at(&sim->stage.work)->scratch;
  for (int k = 0; k < s->forces; k++) {
    int function = s->force[k].function;
    if (s->pull[k].by_rate == 0) continue;
    double factor = -s->factor * s->force[k].line.sign * s->pull[k].by_rate / s->h;
    const hn_energy_outer *o = &s->outer[s->outer_of[function]];
    gradient(s, o, s->discrete[function].d, s->um, scratch, s->ga);
    gradient(s, o, g[function], u, scratch, s->gb);
    add_outer(s, o, factor, value);
  }
  s->place_part = 0, s->rate_part = 1;
  if (s->others) add_tangents(s, sim);
  if (s->pairs) hn_energy_pairs_tangent(s, true);
}

void hn_energy_matrix(hn_energy_step *s, const hn_sim *sim) {
  const hn_system *sys = s->sys;
  const hn_natural *n = hn_natural_own(sys);
  const hn_mass_entries *m = sys->mass_entries;
  double *value = hn_sparse_values(s->sparse);
  memset(value, 0, (size_t)s->start[sys->nv + sys->rows] * sizeof(double));
  for (int k = 0; k < m->count; k++) value[s->mass_place[k]] += m->value[k];
  hn_energy_tangent(s, sim);
  // rows that are left out: a one on the diagonal makes the multiplier zero
  for (int i = 0; i < sys->rows; i++) {
    bool out = sim->rows.D && sim->rows.D[i] > 0;
    value[s->d_place[i]] = out;
    for (int k = n->start[i]; k < n->start[i + 1]; k++) {
      value[s->j_place[k]] = out ? 0 : s->J1[k];
      value[s->jt_place[k]] = out ? 0 : -s->D[k];
    }
  }
}
