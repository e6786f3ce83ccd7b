// natural_rows.c: the constraint rows in natural coordinates, and what forces measure.
//
// Rows of joints come from the reference system's primitives and keep their numbers, names and
// multipliers:
//
//   points coincide      component of P_b - P_a                         linear
//   u.w, u.(P_b - P_a)   as they are                                    quadratic
//   distance = L         (|P_b - P_a|^2 - L^2) / (2 L)                  quadratic; its multiplier
//   is
//                                                                       the force along the link
//   planar angle = c     sin(angle - c), a product of directions        quadratic
//   the rest             roots and angles of products
//
// Rigidity rows follow, once per pair of generators however many bodies have it: with the edges
// e_k = g_k - g_0 (points) or g_k (vectors)
//
//   |e|^2 = L^2 as (|e|^2 - L^2) / (2 L),   e_k . e_l = constant over the root of the lengths of
//   the edges between points
#include "base/elementary.h"
#include "system/coordinates/natural.h"

#include <stdio.h>
#include <string.h>

typedef struct rows {
  hn_system *sys;
  hn_natural *n;
  int count, capacity, term_capacity, function_capacity, product_capacity;
  bool failed;
} rows;

// ---- functions -----------------------------------------------------------------------------

static int new_product(rows *r, int u, int w) {
  hn_natural *n = r->n;
  r->failed |=
      u < 0 || w < 0 ||
      !hn_grow((void **)&n->product, &r->product_capacity, n->products, sizeof *n->product);
  if (r->failed) return -1;
  n->product[n->products] = (hn_product){u, w};
  return n->products++;
}

static int new_function(rows *r, hn_function_type type, int first, int second, int measure) {
  hn_natural *n = r->n;
  r->failed |=
      !hn_grow((void **)&n->function, &r->function_capacity, n->functions, sizeof *n->function);
  if (r->failed) return -1;
  n->function[n->functions] = (hn_function){type, {first, second}, measure};
  return n->functions++;
}

static int dot1(rows *r, int a, const double ua[3], int b, const double wb[3]) {
  int u = hn_natural_direction(r->sys, a, ua);
  return new_product(r, u, hn_natural_direction(r->sys, b, wb));
}

// the function of a measure, made when first asked for.
// *known is written through a pointer into an array that does not grow here; functions, products
// and forms do.
static int of_measure(rows *r, int measure) {
  hn_system *sys = r->sys;
  const hn_measure *m = &sys->measure[measure];
  int *known = &r->n->of_measure[measure], u;
  if (*known >= 0) return *known;
  switch (m->type) {
  case HN_M_DOT1:
    *known = new_function(r, HN_F_VALUE, dot1(r, m->a, m->ua, m->b, m->wb), -1, measure);
    break;
  case HN_M_DOT2:
    u = hn_natural_direction(sys, m->a, m->ua);
    u = new_product(r, u, hn_natural_between(sys, m->a, m->sa, m->b, m->sb));
    *known = new_function(r, HN_F_VALUE, u, -1, measure);
    break;
  case HN_M_DISTANCE:
    u = hn_natural_between(sys, m->a, m->sa, m->b, m->sb);
    *known = new_function(r, HN_F_ROOT, new_product(r, u, u), -1, measure);
    break;
  case HN_M_ASIN:
    *known = new_function(r, HN_F_ASIN, dot1(r, m->a, m->ua, m->b, m->wb), -1, measure);
    break;
  case HN_M_ANGLE:
    u = dot1(r, m->a, m->ua, m->b, m->wb);
    *known = new_function(r, HN_F_ANGLE, u, dot1(r, m->a, m->u2a, m->b, m->w2b), measure);
    break;
  case HN_M_PLANAR_ANGLE: {
    const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    u = dot1(r, m->a, x, m->b, x);
    *known = new_function(r, HN_F_ANGLE, u, dot1(r, m->a, y, m->b, x), measure);
    break;
  }
  case HN_M_COORDINATE: break;  // models with blocks have no natural coordinates
  case HN_M_SURFACE:            // nor those with rows that come and go
  case HN_M_SPIN:
  case HN_M_EDGES:
  case HN_M_SLIP: break;
  }
  return *known;
}

// ---- rows ----------------------------------------------------------------------------------

static void add_term(rows *r, int function, double coefficient) {
  hn_natural *n = r->n;
  r->failed |=
      function < 0 || !hn_grow((void **)&n->term, &r->term_capacity, n->terms, sizeof *n->term);
  if (r->failed) return;
  n->term[n->terms++] = (hn_natural_term){function, coefficient};
}

// room for `count` rows; those without terms are customs
static void reserve_rows(rows *r, int count) {
  hn_natural *n = r->n;
  for (; !r->failed && r->count < count; r->count++) {
    r->failed |= !hn_grow((void **)&n->row, &r->capacity, r->count, sizeof *n->row);
    if (!r->failed) n->row[r->count] = (hn_natural_row){.motion = -1};
  }
}

// starts row `row`, whose terms follow; rows are numbered, not appended
static void begin_row(rows *r, int row, double constant, int motion) {
  hn_natural *n = r->n;
  reserve_rows(r, row + 1);
  if (r->failed) return;
  n->row[row] = (hn_natural_row){.first = n->terms, .constant = constant, .motion = motion};
}

static void end_row(rows *r, int row) {
  if (!r->failed) r->n->row[row].terms = r->n->terms - r->n->row[row].first;
}

// form that is a constant
static int constant_form(rows *r, int axis) {
  double e[3] = {axis == 0, axis == 1, axis == 2};
  return hn_natural_direction(r->sys, 0, e);
}

static void point_rows(rows *r, int row, int count, int a, const double *sa, int b,
                       const double *sb) {
  double pa[3] = {sa[0], sa[1], count > 2 ? sa[2] : 0};
  double pb[3] = {sb[0], sb[1], count > 2 ? sb[2] : 0};
  int between = hn_natural_between(r->sys, a, pa, b, pb);
  for (int k = 0; k < count; k++) {
    begin_row(r, row + k, 0, -1);
    int e = constant_form(r, k);
    add_term(r, new_function(r, HN_F_VALUE, new_product(r, between, e), -1, -1), 1);
    end_row(r, row + k);
  }
}

// single measures of fixed value that are quadratic when written otherwise; false: they are not.
// Quadratic rows have constant second derivatives, and Newton's iteration on them errs by squares
// only. Their gradients are those of the row they replace where it is met, so the multiplier means
// the same.
static bool fixed_row(rows *r, const hn_row *row) {
  hn_system *sys = r->sys;
  const hn_term *t = &sys->term[row->first_term];
  const hn_measure *m = &sys->measure[t->measure];
  if (row->terms != 1 || row->motion >= 0) return false;
  double value = row->constant / t->coefficient - m->offset;
  if (m->type == HN_M_DISTANCE && value > 0) {
    int u = hn_natural_between(sys, m->a, m->sa, m->b, m->sb);
    begin_row(r, row->row, 0.5 * value * t->coefficient, -1);
    add_term(r, new_function(r, HN_F_VALUE, new_product(r, u, u), -1, -1),
             0.5 * t->coefficient / value);
  } else if (m->type == HN_M_PLANAR_ANGLE) {
    const double x[3] = {1, 0, 0}, u[3] = {-hn_sin(value), hn_cos(value), 0};
    begin_row(r, row->row, 0, -1);
    add_term(r, new_function(r, HN_F_VALUE, dot1(r, m->a, u, m->b, x), -1, -1), t->coefficient);
  } else {
    return false;
  }
  end_row(r, row->row);
  return true;
}

static void joint_rows(rows *r) {
  const hn_system *sys = r->sys;
  for (int i = 0; i < sys->points2; i++) {
    const hn_point2 *p = &sys->point2[i];
    point_rows(r, p->row, 2, p->a, p->sa, p->b, p->sb);
  }
  for (int i = 0; i < sys->points3; i++) {
    const hn_point3 *p = &sys->point3[i];
    point_rows(r, p->row, 3, p->a, p->sa, p->b, p->sb);
  }
  for (int i = 0; i < sys->rowcount && !r->failed; i++) {
    const hn_row *row = &sys->row[i];
    if (fixed_row(r, row)) continue;
    begin_row(r, row->row, row->constant, row->motion);
    for (int k = 0; k < row->terms; k++) {
      const hn_term *t = &sys->term[row->first_term + k];
      add_term(r, of_measure(r, t->measure), t->coefficient);
    }
    end_row(r, row->row);
  }
}

// ---- rigidity ------------------------------------------------------------------------------

// an edge: from g_0 (points) or the vector itself
typedef struct edge {
  int from, to;  // places in q: -1 - number where fixed or no point
  double s[3];   // inner frame
  double length;
  bool vector;
} edge;

typedef struct pair_key {
  int place[4];
} pair_key;

typedef struct pair_list {
  int count, capacity;
  pair_key *key;
} pair_list;

static bool same_edge(const int *a, const int *b) {
  return (a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]);
}

// has this pair of edges a row already?
// Two bodies that share a hinge have its axis as an edge in common, which needs one norm, not two.
static bool known(const pair_list *list, const pair_key *key) {
  for (int i = 0; i < list->count; i++) {
    const int *k = list->key[i].place, *l = key->place;
    if ((same_edge(k, l) && same_edge(k + 2, l + 2)) ||
        (same_edge(k, l + 2) && same_edge(k + 2, l)))
      return true;
  }
  return false;
}

// room for another row of the system with its name
static void name_row(rows *r, const char *body, bool angular, int k, int l) {
  hn_system *sys = r->sys;
  size_t more = (size_t)sys->rows + 1, length = strlen(body) + 32;
  char **name = realloc(sys->row_name, more * sizeof *name);
  if (name) sys->row_name = name;
  bool *holonomic = realloc(sys->holonomic, more * sizeof *holonomic);
  if (holonomic) sys->holonomic = holonomic;
  int *joint = realloc(sys->row_joint, more * sizeof *joint);
  if (joint) sys->row_joint = joint;
  bool *angles = realloc(sys->angular_row, more * sizeof *angles);
  if (angles) sys->angular_row = angles;
  double *stiffness = realloc(sys->stiffness, more * sizeof *stiffness);
  if (stiffness) sys->stiffness = stiffness;
  bool *given = realloc(sys->stiffness_given, more * sizeof *given);
  if (given) sys->stiffness_given = given;
  bool *coupled = realloc(sys->coupled, more * sizeof *coupled);
  if (coupled) sys->coupled = coupled;
  char *text = hn_pool_characters(&sys->names, length);
  r->failed |=
      !name || !holonomic || !joint || !angles || !stiffness || !given || !coupled || !text;
  if (r->failed) return;
  snprintf(text, length, "%s.rigid%d%d", body, k, l);
  sys->row_name[sys->rows] = text;
  sys->holonomic[sys->rows] = true;
  sys->angular_row[sys->rows] = angular;
  sys->stiffness[sys->rows] = angular ? sys->length * sys->length : 1;
  sys->stiffness_given[sys->rows] = sys->coupled[sys->rows] = false;
  sys->row_joint[sys->rows] = sys->joints;  // the rows of no joint, see hn_natural_rows
  sys->rows++;
}

// n edges give n (n + 1) / 2 rows: 6 for the 12 numbers of a body in space, 1 for the 4 of one in
// the plane. Scales make rows of lengths linear in metres and rows between vectors plain numbers.
static void rigid_body(rows *r, int body, pair_list *list) {
  hn_system *sys = r->sys;
  const hn_sys_body *of = &sys->body[body];
  const hn_natural_body *b = &r->n->body[body];
  int base = 0, edges = 0;
  edge e[HN_GENERATORS];
  while (base < b->count && b->g[base].vector) base++;
  for (int k = 0; k < b->count; k++) {
    const hn_generator *g = &b->g[k], *g0 = &b->g[base];
    if (k == base) continue;
    edge *o = &e[edges++];
    *o = (edge){.from = g->vector ? -1 : g0->index, .to = g->index, .vector = g->vector};
    // what is fixed belongs to this body's rows only
    if (o->to < 0) o->to = -2 - HN_GENERATORS * body - k;
    if (!g->vector && o->from < 0) o->from = -2 - HN_GENERATORS * body - base;
    v3_copy(o->s, g->s);
    if (!g->vector) v3_sub(o->s, g->s, g0->s);
    o->length = v3_norm(o->s);
  }
  for (int k = 0; k < edges; k++)
    for (int l = k; l < edges && !r->failed; l++) {
      pair_key key = {{e[k].from, e[k].to, e[l].from, e[l].to}};
      bool moves = e[k].to >= 0 || e[k].from >= 0 || e[l].to >= 0 || e[l].from >= 0;
      if (!moves || known(list, &key)) continue;
      r->failed |= !hn_grow((void **)&list->key, &list->capacity, list->count, sizeof key);
      if (r->failed) return;
      list->key[list->count++] = key;
      double L = (e[k].vector ? 1 : e[k].length) * (e[l].vector ? 1 : e[l].length);
      double scale = e[k].vector != e[l].vector ? 1 : 1 / sqrt(L);
      if (k == l) scale *= 0.5;
      int row = sys->rows;
      name_row(r, of->info->name, e[k].vector && e[l].vector, k + 1, l + 1);
      begin_row(r, row, scale * v3_dot(e[k].s, e[l].s), -1);
      if (!r->failed) r->n->row[row].body = body;
      add_term(r, new_function(r, HN_F_VALUE, dot1(r, body, e[k].s, body, e[l].s), -1, -1), scale);
      end_row(r, row);
    }
}

// ---- pattern -------------------------------------------------------------------------------

static int ascending(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static int form_columns(const hn_natural *n, int form, int *list, int count) {
  const hn_form *f = form < 0 ? NULL : &n->form[form];
  for (int k = 0; f && k < f->count; k++) {
    if (list) list[count] = n->entry[f->first + k].index;
    count++;
  }
  return count;
}

// columns of a row with a formula of its own: whatever moves its bodies
static int custom_columns(const hn_system *sys, int row, int *list) {
  int count = 0;
  for (int i = 0; i < sys->customs; i++) {
    const hn_custom *c = &sys->custom[i];
    if (row < c->row || row >= c->row + c->type->rows) continue;
    const int body[2] = {c->a, c->b};
    for (int side = 0; side < 2; side++) {
      const hn_natural_body *b = &hn_natural_own(sys)->body[body[side]];
      count = form_columns(hn_natural_own(sys), b->position, list, count);
      for (int k = 0; k < 3; k++)
        count = form_columns(hn_natural_own(sys), b->axis[k], list, count);
    }
  }
  return count;
}

// columns a row touches, repeated as they come; with list NULL only counted
static int row_columns(const hn_system *sys, int i, int *list) {
  const hn_natural *n = hn_natural_own(sys);
  const hn_natural_row *row = &n->row[i];
  if (row->terms == 0) return custom_columns(sys, i, list);
  int count = 0;
  for (int t = row->first; t < row->first + row->terms; t++)
    for (int p = 0; p < 2; p++) {
      int product = n->function[n->term[t].function].product[p];
      if (product < 0) continue;
      count = form_columns(n, n->product[product].u, list, count);
      count = form_columns(n, n->product[product].w, list, count);
    }
  return count;
}

static hn_status pattern(hn_system *sys) {
  hn_natural *n = hn_natural_own(sys);
  int most = 0, longest = 0;
  for (int i = 0; i < sys->rows; i++) {
    int count = row_columns(sys, i, NULL);
    most += count;
    if (count > longest) longest = count;
  }
  int *list = malloc(((size_t)longest + 1) * sizeof(int));
  n->start = calloc((size_t)sys->rows + 1, sizeof(int));
  n->column = malloc(((size_t)most + 1) * sizeof(int));
  hn_status status = list && n->start && n->column ? HN_OK : HN_ERR_MEMORY;
  for (int i = 0; i < sys->rows && !status; i++) {
    int count = row_columns(sys, i, list), end = n->start[i];
    qsort(list, (size_t)count, sizeof(int), ascending);
    for (int k = 0; k < count; k++)
      if (k == 0 || list[k] != list[k - 1]) n->column[end++] = list[k];
    n->start[i + 1] = end;
  }
  if (!status) sys->numbers = n->start[sys->rows];
  free(list);
  return status;
}

// rigidity rows belong to a joint behind the last one, which nobody lists.
// sys->joints does not count it; who goes by row_joint finds it.
static hn_status joint_of_rigidity(hn_system *sys) {
  hn_sys_joint *grown = realloc(sys->joint, ((size_t)sys->joints + 1) * sizeof *grown);
  if (!grown) return HN_ERR_MEMORY;
  sys->joint = grown;
  sys->joint[sys->joints] = (hn_sys_joint){.type = "rigidity", .group = -1, .stiffness = 1};
  return HN_OK;
}

// Forms, products and functions that rows need come first (row_forms ...), and are all that is
// evaluated with the constraints; those of measures that only forces look at follow.
hn_status hn_natural_rows(hn_system *sys) {
  hn_natural *n = hn_natural_own(sys);
  rows r = {.sys = sys, .n = n};
  pair_list list = {0};
  n->of_measure = malloc(((size_t)sys->measures + 1) * sizeof(int));
  if (!n->of_measure || joint_of_rigidity(sys)) return HN_ERR_MEMORY;
  for (int i = 0; i < sys->measures; i++) n->of_measure[i] = -1;
  reserve_rows(&r, sys->rows);
  joint_rows(&r);
  for (int i = 1; i < sys->bodies && !r.failed; i++) {
    if (hn_natural_own(sys)->body[i].count > 1) rigid_body(&r, i, &list);
  }
  free(list.key);
  n->row_forms = n->forms;
  n->row_products = n->products;
  n->row_functions = n->functions;
  for (int i = 0; i < sys->measures && !r.failed; i++) of_measure(&r, i);
  return r.failed ? HN_ERR_MEMORY : pattern(sys);
}
