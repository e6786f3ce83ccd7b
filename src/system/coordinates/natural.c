// natural.c: choosing points and unit vectors, and the constant mass matrix.
//
// Joints offer the places of their mounts as points and, hinges in space, their axes as vectors. A
// body takes what is offered as long as it stays well away from linear dependence, and completes
// the set by its centre of mass and principal axes. A joint that shares takes place and axis on
// both bodies or not at all.
#include "system/coordinates/natural.h"
#include "system/spread.h"

#include "linalg/dense.h"
#include "system/kkt.h"
#include "system/reaction.h"

#include <string.h>

static const double independent = 0.05;  // least part of a generator that the others do not have

// how many generators a body has: one for a point, two in the plane, four in space
static int wanted(const hn_sys_body *b) {
  return b->nv == 0 || hn_natural_is_point(b) ? (b->nv != 0)
         : b->kind == HN_PLANAR               ? 2
                                              : HN_GENERATORS;
}

// ---- choosing generators -------------------------------------------------------------------

typedef struct chooser {
  const hn_system *ref;
  hn_natural_body *body;
  double *size;  // per body: its extent
  int *up;       // union-find over the generators, HN_GENERATORS per body
  bool *fixed;   // per generator, valid at the root: it does not move
} chooser;

static int root_of(int *up, int i) {
  // paths are halved on the way, so that later searches are short
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

// homogeneous coordinates of unit length
static void homogeneous(const chooser *c, int body, const hn_generator *g, double h[4]) {
  double n = g->vector ? 1 : c->size[body];
  for (int i = 0; i < 3; i++) h[i] = g->s[i] / n;
  h[3] = g->vector ? 0 : 1;
  n = sqrt(v3_dot(h, h) + h[3] * h[3]);
  for (int i = 0; i < 4; i++) h[i] /= n;
}

// length of what the body's generators leave of g.
// Gram and Schmidt's process in homogeneous coordinates, where points and directions of a body are
// vectors of one space of four dimensions: four generators serve if they span it.
static double rest(const chooser *c, int body, const hn_generator *g) {
  const hn_natural_body *b = &c->body[body];
  double e[HN_GENERATORS + 1][4];
  for (int k = 0; k <= b->count; k++) {
    homogeneous(c, body, k < b->count ? &b->g[k] : g, e[k]);
    double n = 0;
    // twice is enough for full precision
    for (int pass = 0; pass < 2; pass++)
      for (int j = 0; j < k; j++) {
        double p = 0;
        for (int i = 0; i < 4; i++) p += e[j][i] * e[k][i];
        for (int i = 0; i < 4; i++) e[k][i] -= p * e[j][i];
      }
    for (int i = 0; i < 4; i++) n += e[k][i] * e[k][i];
    n = sqrt(n);
    if (k == b->count) return n;
    for (int i = 0; i < 4; i++) e[k][i] /= n;
  }
  return 0;
}

// slot of the generator on the body, taken anew where possible; -1: it cannot be one.
// 0.05 keeps the inverse of B, and with it all coefficients, of moderate size; what is refused
// stays a combination of the others.
static int take(chooser *c, int body, bool vector, const double s[3]) {
  hn_natural_body *b = &c->body[body];
  const hn_sys_body *of = &c->ref->body[body];
  // joints that meet in one place, or on one axis, have one generator
  for (int k = 0; k < b->count; k++) {
    double d[3];
    v3_sub(d, b->g[k].s, s);
    if (b->g[k].vector == vector && v3_norm(d) <= 1e-9 * (vector ? 1 : c->size[body])) return k;
  }
  hn_generator g = {.vector = vector};
  v3_copy(g.s, s);
  if (b->count == wanted(of) || rest(c, body, &g) < independent) return -1;
  // generators of a planar body lie in its plane
  if (of->kind == HN_PLANAR && (vector || fabs(s[2]) > 0)) return -1;
  b->g[b->count] = g;
  return b->count++;
}

static void unite(chooser *c, int a, int b) {
  int ra = root_of(c->up, a), rb = root_of(c->up, b);
  // what is united with something fixed does not move either
  c->fixed[rb] |= c->fixed[ra];
  c->up[ra] = rb;
}

static bool is_hinge(const hn_sys_joint *j) {
  return strcmp(j->type, "revolute") == 0;
}

// place and, hinges in space, axis as generators of one side; false when one cannot be taken
static bool take_mount(chooser *c, const hn_mount *m, bool axis, int slot[2]) {
  double z[3] = {m->R[2], m->R[5], m->R[8]};
  slot[0] = take(c, m->body, false, m->s);
  // a slot of 0 where no axis is asked for is no refusal
  slot[1] = axis && slot[0] >= 0 ? take(c, m->body, true, z) : 0;
  return slot[0] >= 0 && slot[1] >= 0;
}

// both bodies take the joint's generators, which become one; false: it keeps its rows.
// A hinge of space shares point and axis, and then has nothing left to impose; a ball, and a hinge
// of the plane, share the point.
static bool share_joint(chooser *c, const hn_sys_joint *j) {
  const hn_system *ref = c->ref;
  const hn_sys_body *a = &ref->body[j->a.body], *b = &ref->body[j->b.body];
  if (!is_hinge(j) && strcmp(j->type, "spherical") != 0) return false;
  // in the plane a generator has two numbers, in space three: such cannot become one
  if (a->nv && b->nv && hn_flat(a) != hn_flat(b)) return false;
  bool axis = is_hinge(j) && !hn_flat(a->nv ? a : b);
  const hn_mount *mount[2] = {&j->a, &j->b};
  int slot[2][2], before[2] = {c->body[j->a.body].count, c->body[j->b.body].count};
  for (int side = 0; side < 2; side++) {
    // the ground has no generators: what is shared with it is fixed
    if (ref->body[mount[side]->body].nv == 0) continue;
    if (take_mount(c, mount[side], axis, slot[side])) continue;
    // all or nothing: what was taken on either side is given back
    c->body[j->a.body].count = before[0];
    c->body[j->b.body].count = before[1];
    return false;
  }
  // k = 0: the points, k = 1: the axes
  for (int k = 0; k < (axis ? 2 : 1); k++) {
    int ga = HN_GENERATORS * j->a.body + slot[0][k], gb = HN_GENERATORS * j->b.body + slot[1][k];
    if (a->nv == 0)
      c->fixed[root_of(c->up, gb)] = true;
    else if (b->nv == 0)
      c->fixed[root_of(c->up, ga)] = true;
    else
      unite(c, ga, gb);
  }
  return true;
}

// what is still missing: the candidate the others have least of, a point first.
// At least one point, as vectors alone do not say where the body is.
static void complete(chooser *c, int body) {
  hn_natural_body *b = &c->body[body];
  const hn_sys_body *of = &c->ref->body[body];
  const double zero[3] = {0, 0, 0};
  bool has_point = false;
  for (int k = 0; k < b->count; k++) has_point |= !b->g[k].vector;
  if (!has_point) take(c, body, false, zero);
  // where a joint sits in the centre of mass already, the loop below adds the x axis
  if (of->kind == HN_PLANAR) take(c, body, false, zero);
  while (b->count < wanted(of)) {
    hn_generator best = {0};
    double most = -1;
    // candidates are the axes, then the centre of mass; in the plane x alone
    for (int k = 0; k < (of->kind == HN_PLANAR ? 1 : 4); k++) {
      hn_generator g = {.vector = k < 3};
      if (k < 3) g.s[k] = 1;
      double r = rest(c, body, &g);
      if (r > most) most = r, best = g;
    }
    b->g[b->count++] = best;
  }
}

// extent of every body: its joints and its radius of gyration
static void extents(chooser *c) {
  const hn_system *ref = c->ref;
  for (int i = 1; i < ref->bodies; i++) {
    const hn_sys_body *b = &ref->body[i];
    double most = fmax(fmax(b->inertia[0], b->inertia[1]), b->inertia[2]);
    c->size[i] = b->mass > 0 ? sqrt(most / b->mass) : 0;  // radius of gyration
  }
  for (int i = 0; i < ref->joints; i++) {
    const hn_mount *m[2] = {&ref->joint[i].a, &ref->joint[i].b};
    for (int k = 0; k < 2; k++) c->size[m[k]->body] = fmax(c->size[m[k]->body], v3_norm(m[k]->s));
  }
  // places are divided by it: no extent may be zero
  for (int i = 0; i < ref->bodies; i++)
    if (!(c->size[i] > 0)) c->size[i] = ref->length;
}

// generators of all bodies; share[] says which joints shall share, and afterwards which do
static hn_status choose(chooser *c, bool *share) {
  const hn_system *ref = c->ref;
  size_t n = (size_t)ref->bodies;
  c->body = calloc(n, sizeof *c->body);
  c->size = calloc(n, sizeof *c->size);
  c->up = malloc(HN_GENERATORS * n * sizeof(int));
  c->fixed = calloc(HN_GENERATORS * n, sizeof(bool));
  if (!c->body || !c->size || !c->up || !c->fixed) return HN_ERR_MEMORY;
  for (int i = 0; i < HN_GENERATORS * ref->bodies; i++) c->up[i] = i;
  extents(c);
  const double zero[3] = {0, 0, 0};
  // a point is its own generator, whatever joints ask for
  for (int i = 1; i < ref->bodies; i++)
    if (hn_natural_is_point(&ref->body[i])) take(c, i, false, zero);
  // joints that share come first, as they need theirs on both bodies
  for (int j = 0; j < ref->joints; j++)
    if (share[j]) share[j] = share_joint(c, &ref->joint[j]);
  for (int j = 0; j < ref->joints; j++) {
    const hn_sys_joint *joint = &ref->joint[j];
    const hn_mount *mount[2] = {&joint->a, &joint->b};
    int slot[2];
    for (int k = 0; k < 2 && !share[j]; k++) {
      const hn_sys_body *b = &ref->body[mount[k]->body];
      if (b->nv) take_mount(c, mount[k], is_hinge(joint) && !hn_flat(b), slot);
    }
  }
  for (int i = 1; i < ref->bodies; i++) complete(c, i);
  return HN_OK;
}

static void end_choice(chooser *c) {
  free(c->body), free(c->size), free(c->up), free(c->fixed);
}

hn_status hn_natural_choose(const hn_system *ref, bool *share) {
  chooser c = {.ref = ref};
  for (int j = 0; j < ref->joints; j++) share[j] &= ref->joint[j].a.body != ref->joint[j].b.body;
  hn_status status = choose(&c, share);
  end_choice(&c);
  return status;
}

// ---- coordinates ---------------------------------------------------------------------------

// places of the generators in q, and the state there.
// Generators that were united have one place in q, that of whoever comes first; they agree, since
// the state is assembled. What is fixed has none, and its value is a constant of forms.
static hn_status place(hn_system *sys, chooser *c, const hn_work *at) {
  hn_natural *n = hn_natural_own(sys);
  int total = HN_GENERATORS * sys->bodies;
  int *index = malloc((size_t)total * sizeof(int));
  double *q = calloc(3 * (size_t)total, sizeof(double)), *v = calloc(3 * (size_t)total, sizeof *v);
  if (!index || !q || !v) {
    free(index), free(q), free(v);
    return HN_ERR_MEMORY;
  }
  for (int i = 0; i < total; i++) index[i] = -1;
  sys->nq = 0;
  for (int i = 1; i < sys->bodies; i++) {
    hn_natural_body *b = &n->body[i];
    const hn_kin *k = &at->kin[i];
    for (int s = 0; s < b->count; s++) {
      hn_generator *g = &b->g[s];
      double r[3], speed[3];
      // w x r, and of points the velocity of the body as well
      m3_mulv(r, k->R, g->s);
      v3_cross(speed, k->w, r);
      v3_copy(g->at, r);
      if (!g->vector) v3_add(g->at, r, k->p), v3_add(speed, speed, k->v);
      int root = root_of(c->up, HN_GENERATORS * i + s), d = hn_flat(&sys->body[i]) ? 2 : 3;
      if (!c->fixed[root] && index[root] < 0) {
        index[root] = sys->nq;
        memcpy(q + sys->nq, g->at, (size_t)d * sizeof(double));
        memcpy(v + sys->nq, speed, (size_t)d * sizeof(double));
        sys->nq += d;
      }
      g->index = index[root];
    }
  }
  sys->nv = sys->nq;
  free(index), free(sys->q0), free(sys->v0);
  sys->q0 = q, sys->v0 = v;
  return HN_OK;
}

// B^-1, columns of B being the generators in homogeneous coordinates: a place s of the body is the
// combination B^-1 (s, 1) of them, a direction B^-1 (s, 0)
static hn_status invert(hn_natural_body *b) {
  double B[16], e[4];
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < 3; i++) B[4 * i + k] = b->g[k].s[i];
    B[12 + k] = b->g[k].vector ? 0 : 1;
  }
  for (int j = 0; j < 4; j++) {
    for (int i = 0; i < 4; i++) e[i] = i == j;
    if (!hn_dense_solve(4, B, e)) return HN_ERR_MEMORY;
    for (int i = 0; i < 4; i++) b->inverse[4 * i + j] = e[i];
  }
  return HN_OK;
}

// ---- mass matrix ---------------------------------------------------------------------------

typedef struct mass_entry {
  int row, column;
  double value;
} mass_entry;
typedef struct mass_list {
  int count, capacity;
  mass_entry *entry;
} mass_list;

static bool add_mass(mass_list *list, int row, int column, double value) {
  if (!hn_grow((void **)&list->entry, &list->capacity, list->count, sizeof *list->entry))
    return false;
  list->entry[list->count++] = (mass_entry){row, column, value};
  return true;
}

static int by_place(const void *a, const void *b) {
  const mass_entry *x = a, *y = b;
  return x->row != y->row ? (x->row > y->row) - (x->row < y->row)
                          : (x->column > y->column) - (x->column < y->column);
}

// what several bodies add at one place becomes one entry.
// Shared points collect mass of several bodies: entries are sorted by their place and summed. Sizes
// for scaling are the diagonal, lifted where thin bodies have next to nothing along a direction.
static hn_status merge_masses(hn_system *sys, mass_list *list) {
  qsort(list->entry, (size_t)list->count, sizeof *list->entry, by_place);
  hn_mass_entries *e = sys->mass_entries = hn_mass_entries_create(list->count);
  double *size = hn_natural_own(sys)->size = calloc((size_t)sys->nv + 1, sizeof(double)),
         largest = 0;
  if (!e || !size) return HN_ERR_MEMORY;
  e->count = 0;
  for (int k = 0; k < list->count; k++) {
    const mass_entry *m = &list->entry[k];
    int last = e->count - 1;
    if (m->row == m->column) size[m->row] += m->value;
    if (last >= 0 && e->row[last] == m->row && e->col[last] == m->column) {
      e->value[last] += m->value;
      continue;
    }
    e->row[e->count] = m->row, e->col[e->count] = m->column;
    e->value[e->count++] = m->value;
  }
  for (int i = 0; i < sys->nv; i++) largest = fmax(largest, size[i]);
  // by these rows are divided: a size of zero would make them endless
  for (int i = 0; i < sys->nv; i++) size[i] = fmax(size[i], 1e-9 * largest);
  return HN_OK;
}

// the block of a pair of generators: a 1, in the plane also b times the quarter turn
static bool add_block(mass_list *list, const hn_generator *k, const hn_generator *l, int d,
                      double a, double b) {
  bool ok = true;
  // what is fixed does not move, and has no mass among the coordinates
  if (k->index < 0 || l->index < 0) return true;
  for (int i = 0; i < d; i++) {
    // every coordinate gets its diagonal, also where that is zero
    if (a != 0 || k == l) ok &= add_mass(list, k->index + i, l->index + i, a);
    // b [0 -1; 1 0]
    if (d == 2 && b != 0) ok &= add_mass(list, k->index + i, l->index + 1 - i, i ? b : -b);
  }
  return ok;
}

// mass between bodies is constant: it is given over what the forms are
static bool add_spread(const hn_system *sys, const hn_sys_spread *x, mass_list *list) {
  const hn_natural *n = hn_natural_own(sys);
  bool ok = true;
  for (int i = 0; i < HN_SPREAD_ALL; i++)
    for (int j = 0; j < HN_SPREAD_ALL; j++) {
      hn_natural_part a = hn_natural_part_of(sys, x, i), b = hn_natural_part_of(sys, x, j);
      double G = x->G[HN_SPREAD_ALL * i + j];
      for (int k = 0; k < a.count && G != 0; k++)
        for (int l = 0; l < b.count; l++) {
          hn_form_entry e = hn_natural_entry(n, &a, k), f = hn_natural_entry(n, &b, l);
          if (e.component == f.component)
            ok &= add_mass(list, e.index, f.index, G * e.coefficient * f.coefficient);
        }
    }
  return ok;
}

// c_k and c_l integrated over the body; in principal axes at the centre of mass the second moments
// of space are (I_y + I_z - I_x) / 2 ..., of the plane I_z as a whole.
// M_kl = integral c_k c_l dm, times the identity of three dimensions; of the plane, complex
// weights, so that an entry is a 2 x 2 rotation with scale. A flat or thin body has second moments
// of zero and its M is singular as it stands: rigidity rows make up for that.
static hn_status add_masses(hn_system *sys) {
  hn_natural *n = hn_natural_own(sys);
  mass_list list = {0};
  bool ok = true;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *of = &sys->body[i];
    const hn_natural_body *b = &n->body[i];
    const double *inertia = of->inertia;
    double trace = inertia[0] + inertia[1] + inertia[2], second[4];
    for (int k = 0; k < 3; k++) {
      second[k] = 0.5 * trace - inertia[k];
      if (fabs(second[k]) < 1e-12 * trace) second[k] = 0;  // round-off of thin bodies
    }
    second[3] = of->mass;
    double complex alpha[2] = {0}, beta[2] = {0};
    if (of->kind == HN_PLANAR) hn_natural_planar_weights(b, alpha, beta);
    for (int k = 0; k < b->count; k++)
      for (int l = 0; l < b->count; l++) {
        if (hn_natural_is_point(of)) {
          ok &= add_block(&list, &b->g[0], &b->g[0], hn_flat(of) ? 2 : 3, of->mass, 0);
        } else if (of->kind == HN_PLANAR) {
          double complex m =
              of->mass * conj(alpha[k]) * alpha[l] + inertia[2] * conj(beta[k]) * beta[l];
          ok &= add_block(&list, &b->g[k], &b->g[l], 2, creal(m), cimag(m));
        } else {
          double m = 0;
          for (int j = 0; j < 4; j++)
            m += second[j] * b->inverse[4 * k + j] * b->inverse[4 * l + j];
          ok &= add_block(&list, &b->g[k], &b->g[l], 3, m, 0);
        }
      }
  }
  for (int i = 0; i < sys->spreads && ok; i++) ok = add_spread(sys, &sys->spread[i], &list);
  hn_mass_entries_destroy(sys->mass_entries);  // those of reference coordinates
  sys->mass_entries = NULL;
  hn_status status = ok ? merge_masses(sys, &list) : HN_ERR_MEMORY;
  free(list.entry);
  return status;
}

// ---- the whole -----------------------------------------------------------------------------

static hn_status frames(hn_system *sys) {
  hn_natural *n = hn_natural_own(sys);
  const double zero[3] = {0, 0, 0};
  for (int i = 0; i < sys->bodies; i++) {
    const hn_sys_body *of = &sys->body[i];
    hn_natural_body *b = &n->body[i];
    b->turn = -1;
    b->position = b->axis[0] = b->axis[1] = b->axis[2] = -1;
    if (of->nv == 0) continue;
    if (of->kind == HN_SPATIAL && invert(b)) return HN_ERR_MEMORY;
    b->position = hn_natural_point(sys, i, zero);
    if (b->position < 0) return HN_ERR_MEMORY;
    // the angle is read off a direction: its turns are counted apart
    if (of->kind == HN_PLANAR) b->turn = sys->turns++;
    int axes = of->kind == HN_SPATIAL ? 3 : of->kind == HN_PLANAR ? 1 : 0;
    for (int k = 0; k < axes; k++) {
      double e[3] = {k == 0, k == 1, k == 2};
      b->axis[k] = hn_natural_direction(sys, i, e);
      if (b->axis[k] < 0) return HN_ERR_MEMORY;
    }
  }
  return HN_OK;
}

// turns of the angles of planar bodies go behind those of the measures
static hn_status remember_turns(hn_system *sys, const hn_system *ref) {
  double *turn = calloc((size_t)sys->turns + 1, sizeof(double));
  if (!turn) return HN_ERR_MEMORY;
  memcpy(turn, ref->turn0, (size_t)ref->turns * sizeof(double));
  for (int i = 1; i < sys->bodies; i++)
    if (hn_natural_own(sys)->body[i].turn >= 0)
      turn[hn_natural_own(sys)->body[i].turn] = ref->q0[ref->body[i].q0 + 2];
  free(sys->turn0);
  sys->turn0 = turn;
  return HN_OK;
}

// spatial states of all bodies of the reference system at its initial state
static void reference_poses(const hn_system *ref, hn_work *w) {
  hn_eval_jacobian(w, 0, ref->q0, ref->v0);
  // of planar bodies all is in kin2; mounts are read off the spatial form
  for (int i = 1; i < ref->bodies; i++) {
    const hn_kin2 *k2 = &w->kin2[i];
    hn_kin *k = &w->kin[i];
    if (!hn_flat(&ref->body[i])) continue;
    v3_set(k->p, k2->x, k2->y, 0);
    v3_set(k->v, k2->vx, k2->vy, 0);
    k->R[0] = k->R[4] = k2->c, k->R[1] = -k2->s, k->R[3] = k2->s;
    v3_set(k->w, 0, 0, k2->w);
  }
}

// rows are written anew and look at no measures: those that forces share with them come with the
// forces
static void list_force_measures(hn_system *sys) {
  sys->force_measures = 0;
  for (int i = 0; i < sys->measures; i++)
    if (sys->measure[i].used_by_force) sys->force_measure[sys->force_measures++] = i;
}

// The choice is made again with the joints that share, as compile_in has compiled without their
// rows: it must come out the same, and does, as it depends on the reference system and on these
// joints alone.
static hn_status create(hn_system *sys, const hn_system *ref, const bool *share) {
  hn_natural *n = sys->own = calloc(1, sizeof *n);
  sys->coordinates = &hn_natural_coordinates;
  bool *wish = malloc((size_t)ref->joints + 1);
  chooser c = {.ref = ref};
  hn_arena arena = {0};
  hn_work w = {0};
  hn_work_layout(&w, &arena, ref);
  hn_status status = n && wish && hn_arena_allocate(&arena) ? HN_OK : HN_ERR_MEMORY;
  if (!status) {
    hn_work_layout(&w, &arena, ref);
    reference_poses(ref, &w);
    memcpy(wish, share, (size_t)ref->joints);
    // joints that share have no rows, hence no multipliers to be told
    for (int j = 0; j < ref->joints; j++) n->shared |= share[j];
    status = choose(&c, wish);
  }
  if (!status) {
    // the generators belong to the system from here on
    n->body = c.body;
    c.body = NULL;
    status = place(sys, &c, &w);
  }
  if (!status) status = frames(sys);
  if (!status) status = remember_turns(sys, ref);
  if (!status) status = add_masses(sys);
  if (!status) status = hn_natural_rows(sys);
  if (!status) list_force_measures(sys);
  free(arena.base), free(wish);
  end_choice(&c);
  return status;
}

// what pivots are compared with: those at the initial state, without the rows left out
static hn_status measure_pivots(hn_system *sys) {
  hn_kkt kkt = {0};
  hn_work work = {0};
  hn_arena arena = {0};
  double *D = NULL;
  for (int pass = 0; pass < 2; pass++) {
    hn_work_layout(&work, &arena, sys);
    hn_kkt_layout(&kkt, &arena, sys);
    D = HN_TAKE(&arena, double, sys->rows);
    if (pass == 0 && !hn_arena_allocate(&arena)) return HN_ERR_MEMORY;
  }
  hn_status status = hn_kkt_create(&kkt, sys) ? HN_OK : HN_ERR_MEMORY;
  if (!status) {
    // rows left out have no pivot that could be compared
    for (int i = 0; i < sys->rows; i++) D[i] = sys->active[i] ? 0 : HN_LEFT_OUT;
    hn_eval_jacobian(&work, 0, sys->q0, sys->v0);
    hn_kkt_factor(&kkt, &work, HN_WEIGHT_MASS, D);
    hn_natural_own(sys)->rcond = kkt.pivot_ratio;
  }
  hn_kkt_release(&kkt);
  free(arena.base);
  return status;
}

static void destroy(hn_system *sys) {
  hn_natural *n = sys->own;
  if (!n) return;
  free(n->body), free(n->form), free(n->entry), free(n->product), free(n->function), free(n->term);
  free(n->row), free(n->of_measure), free(n->start), free(n->column);
  free(n->size);
  free(n);
}

// ---- the table -----------------------------------------------------------------------------

static void mark_angles(const hn_system *sys, bool *q, bool *v) {
  for (int i = 1; i < sys->bodies; i++) {
    const hn_natural_body *b = &hn_natural_own(sys)->body[i];
    int d = sys->body[i].kind == HN_SPATIAL ? 3 : 2;  // only bodies that turn have vectors
    for (int k = 0; k < b->count; k++)
      for (int c = 0; b->g[k].vector && b->g[k].index >= 0 && c < d; c++)
        q[b->g[k].index + c] = v[b->g[k].index + c] = true;
  }
}

static bool hides_reactions(const hn_system *sys) {
  return hn_natural_own(sys)->shared;
}

static void qdot(const hn_system *sys, const double *q, const double *v, double *o) {
  (void)q;
  // what all of this is for: q' = v
  memcpy(o, v, (size_t)sys->nv * sizeof(double));
}

static void retract(const hn_system *sys, double *q, const double *d) {
  for (int i = 0; i < sys->nv; i++) q[i] += d[i];
}

static void pattern(const hn_system *sys, int *row, int *column) {
  const hn_natural *n = hn_natural_own(sys);
  for (int i = 0; i < sys->rows; i++)
    for (int k = n->start[i]; k < n->start[i + 1]; k++) row[k] = i, column[k] = n->column[k];
}

static const double *mass_sizes(const hn_system *sys) {
  return hn_natural_own(sys)->size;
}

static double firmness(const hn_system *sys) {
  return hn_natural_own(sys)->rcond;
}

static void reactions(hn_work *work, const double *a) {
  (void)a;
  hn_natural_blocks(work);
}

const hn_coordinates hn_natural_coordinates = {
    .name = "natural",
    .ability = HN_IN_NATURAL,
    .flat = true,
    .adds_rows = true,
    .create = create,
    .destroy = destroy,
    .settle = measure_pivots,
    .mark_angles = mark_angles,
    .hides_reactions = hides_reactions,
    .layout = hn_natural_layout,
    .move = hn_natural_move,
    .constraints = hn_natural_constraints,
    .reduce = hn_natural_reduce_forces,
    .reduce_forces = hn_natural_reduce_forces,
    .quaternions = hn_bodies_quaternions,
    .accept_turns = hn_natural_accept_turns,
    .qdot = qdot,
    .retract = retract,
    .jacobian_mul = hn_natural_jacobian_mul,
    .jacobian_tmul_add = hn_natural_jacobian_tmul_add,
    .jacobian_dense = hn_natural_jacobian_dense,
    .row_sizes = hn_natural_row_sizes,
    .pattern = pattern,
    .mass_sizes = mass_sizes,
    .order = hn_natural_order,
    .firmness = firmness,
    .tangent = hn_natural_tangent,
    .reactions = reactions,
    .accelerations = hn_natural_accelerations,
    .inertia = hn_natural_inertia,
};
