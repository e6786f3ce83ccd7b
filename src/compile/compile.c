// compile.c: from the description to the equations.
#include "compile/compile.h"
#include "code/formulas.h"
#include "code/native.h"
#include "compile/assemble.h"
#include "compile/massless.h"
#include "forces/force.h"
#include "joints/joint.h"
#include "linalg/dense.h"
#include "model/options.h"
#include "record/columns.h"
#include "system/builder.h"
#include "system/coordinates/coordinates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- bodies --------------------------------------------------------------------------------

// principal axes of a symmetric 3x3 matrix by Jacobi rotations; columns of V are the axes
static void principal_axes(const double I[6], double value[3], double V[9]) {
  double A[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
  m3_identity(V);
  for (int sweep = 0; sweep < 50; sweep++) {
    double off = fabs(A[1]) + fabs(A[2]) + fabs(A[5]);
    if (off <= 1e-16 * (fabs(A[0]) + fabs(A[4]) + fabs(A[8]))) break;
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        double apq = A[3 * p + q];
        if (apq == 0) continue;
        double theta = (A[4 * q] - A[4 * p]) / (2 * apq);
        double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), s = t * c;
        double G[9], T[9];
        m3_identity(G);
        G[4 * p] = G[4 * q] = c;
        G[3 * p + q] = s, G[3 * q + p] = -s;
        m3_mul(T, A, G);
        m3_tmul(A, G, T);
        memcpy(T, V, sizeof T);
        m3_mul(V, T, G);
      }
  }
  for (int i = 0; i < 3; i++) value[i] = A[4 * i];
  // right-handed: flip one axis when the rotations left a reflection (they never do in theory)
  double x[3];
  double c0[3] = {V[0], V[3], V[6]}, c1[3] = {V[1], V[4], V[7]}, c2[3] = {V[2], V[5], V[8]};
  v3_cross(x, c0, c1);
  if (v3_dot(x, c2) < 0) V[2] = -V[2], V[5] = -V[5], V[8] = -V[8];
}

static const int sizes_q[4] = {
    [HN_SPATIAL] = 7, [HN_PLANAR] = 3, [HN_POINT] = 3, [HN_PLANAR_POINT] = 2};
static const int sizes_v[4] = {
    [HN_SPATIAL] = 6, [HN_PLANAR] = 3, [HN_POINT] = 3, [HN_PLANAR_POINT] = 2};

static hn_status add_bodies(hn_system *sys, hn_model *model) {
  sys->bodies = model->body_count;
  for (int i = 0; i < model->block_count; i++) sys->bodies += model->block[i].def.coordinate_count;
  size_t size = (size_t)sys->bodies * sizeof *sys->body;
  size += (HN_ALIGN - size % HN_ALIGN) % HN_ALIGN;
  sys->body = aligned_alloc(HN_ALIGN, size);
  sys->body_info = calloc((size_t)sys->bodies, sizeof *sys->body_info);
  if (!sys->body || !sys->body_info) return HN_ERR_MEMORY;
  memset(sys->body, 0, size);
  for (int i = 0; i < sys->bodies; i++) sys->body[i].info = &sys->body_info[i];
  for (int i = 0; i < model->body_count; i++) {
    const hn_body_def *d = &model->body[i].def;
    hn_sys_body *b = &sys->body[i];
    b->info->name = hn_strdup(i ? d->name : "ground");
    if (!b->info->name) return HN_ERR_MEMORY;
    m3_identity(b->info->axes);
    if (i == 0) {
      b->kind = HN_SPATIAL;
      continue;
    }
    b->kind = d->kind;
    b->nq = sizes_q[d->kind], b->nv = sizes_v[d->kind];
    b->q0 = sys->nq, b->v0 = sys->nv;
    b->mass = d->mass;
    v3_copy(b->info->com, d->com);
    if (d->kind == HN_SPATIAL) {
      sys->any_spatial = true;
      if (d->inertia[3] != 0 || d->inertia[4] != 0 || d->inertia[5] != 0)
        principal_axes(d->inertia, b->inertia, b->info->axes);
      else
        v3_copy(b->inertia, d->inertia);
    } else {
      b->inertia[2] = d->inertia[2];
    }
    sys->any_flat |= d->kind == HN_PLANAR || d->kind == HN_PLANAR_POINT;
    sys->nq += b->nq;
    sys->nv += b->nv;
  }
  hn_status status = hn_builder_block_bodies(sys, model);
  if (status) return status;
  sys->bq = sys->nq, sys->bv = sys->nv;
  sys->mass = calloc((size_t)sys->nv + 1, sizeof(double));
  sys->constant_force = calloc((size_t)sys->nv + 1, sizeof(double));
  if (!sys->mass || !sys->constant_force) return HN_ERR_MEMORY;
  for (int i = 1; i < model->body_count; i++) {
    const hn_sys_body *b = &sys->body[i];
    double *m = sys->mass + b->v0, *f = sys->constant_force + b->v0;
    int linear = hn_body_linear(b);
    for (int k = 0; k < linear; k++) m[k] = b->mass, f[k] = b->mass * sys->gravity[k];
    if (b->kind == HN_PLANAR) m[2] = b->inertia[2];
    if (b->kind == HN_SPATIAL) memcpy(m + 3, b->inertia, sizeof b->inertia);
  }
  hn_builder_flexible_bodies(sys, model);
  return hn_list_massless(sys, model->body_count);
}

// the state the model describes, in inner coordinates
static void described_state(const hn_system *sys, const hn_model *model, double *q, double *v) {
  for (int i = 0; i < sys->blocks; i++)
    for (int k = 0; k < sys->block[i].n; k++)
      q[sys->body[sys->block[i].body + k].q0] = model->block[i].def.coordinates[k].value;
  for (int i = 1; i < model->body_count; i++) {
    const hn_body_def *d = &model->body[i].def;
    const hn_sys_body *b = &sys->body[i];
    double *x = q + b->q0, R[9], r[3], axes_q[4];
    double orientation[4] = {1, 0, 0, 0};
    if (d->kind == HN_SPATIAL) {
      memcpy(orientation, d->orientation, sizeof orientation);
      q_normalise(orientation);  // all zero becomes the identity
    } else if (d->kind == HN_PLANAR) {
      orientation[0] = cos(d->angle / 2), orientation[3] = sin(d->angle / 2);
    }
    q_matrix(R, orientation);
    m3_mulv(r, R, b->info->com);
    int linear = hn_body_linear(b);
    for (int k = 0; k < linear; k++) x[k] = d->position[k] + r[k];
    if (b->kind == HN_PLANAR) x[2] = d->angle;
    if (b->kind == HN_SPATIAL) {
      // keeps the user's own quaternion (and its sign) when no turn to principal axes is needed
      q_from_matrix(axes_q, b->info->axes);
      q_mul(x + 3, orientation, axes_q);
    }
  }
  hn_described_velocities(sys, model, q, v);
}

// poses of all bodies in the described configuration, for the builder
static hn_status describe_poses(hn_builder *b, const double *q) {
  hn_system *sys = b->sys;
  hn_work *w = &b->described;
  w->sys = sys;
  w->q = q;
  w->kin = calloc((size_t)sys->bodies, sizeof *w->kin);
  w->kin2 = calloc((size_t)sys->bodies, sizeof *w->kin2);
  if (!w->kin || !w->kin2) return HN_ERR_MEMORY;
  for (int i = 0; i < sys->bodies; i++) {
    const hn_sys_body *body = &sys->body[i];
    hn_kin *k = &w->kin[i];
    const double *x = q + body->q0;
    m3_identity(k->R);
    if (i == 0) continue;
    int linear = hn_body_linear(body);
    for (int c = 0; c < linear; c++) k->p[c] = x[c];
    if (body->kind == HN_SPATIAL) q_matrix(k->R, x + 3);
    if (body->kind == HN_PLANAR) {
      double c = cos(x[2]), s = sin(x[2]);
      k->R[0] = k->R[4] = c;
      k->R[1] = -s, k->R[3] = s;
    }
  }
  return HN_OK;
}

// ---- joints and forces ---------------------------------------------------------------------

static bool has_rotation(const hn_system *sys, int body) {
  const hn_sys_body *b = &sys->body[body];
  return b->nv == 0 || b->kind == HN_SPATIAL || b->kind == HN_PLANAR;
}

// marks the rows that `remove` names
static void keep_removed(hn_builder *b, hn_sys_joint *j, const hn_joint_def *d) {
  const hn_group *group = &b->sys->group[j->group];
  double removed[16] = {0};
  char word[64];
  if (!d->remove || group->rows > 16) return;
  for (int k = 0; hn_word_at(d->remove, k, word, sizeof word); k++) {
    bool found = false;
    for (int r = 0; r < group->rows; r++) {
      const char *dot = strrchr(b->sys->row_name[group->row0 + r], '.');
      bool meant = strcmp(word, "all") == 0 || (dot && strcmp(dot + 1, word) == 0);
      if (meant) removed[r] = 1, found = true;
    }
    if (!found) {
      hn_build_fail(b, HN_ERR_MODEL, "remove: the joint has no row '%s' ('holon check' names them)",
                    word);
      return;
    }
  }
  j->removed = hn_build_keep(b, removed, group->rows);
}

// what the definition says about each row
static void keep_rows(hn_builder *b, hn_sys_joint *j, const hn_joint_def *d) {
  int rows = b->sys->group[j->group].rows;
  if (d->preload && d->preload_count != rows) {
    hn_build_fail(b, HN_ERR_MODEL, "preload has %d numbers, but the joint has %d rows",
                  d->preload_count, rows);
    return;
  }
  bool loaded = false;
  for (int i = 0; i < d->preload_count; i++) loaded |= d->preload[i] != 0;
  if (loaded) j->preload = hn_build_keep(b, d->preload, rows);
  hn_build_joint_stiffness(b, j, d);
  keep_removed(b, j, d);
}

// joints with several coordinates say by name which one is held, has a value or a rate
static void check_coordinate(hn_builder *b, const hn_sys_joint *j, const char *name) {
  if (j->coordinates == 0) return;
  for (int k = 0; k < j->coordinates; k++)
    if (strcmp(j->coordinate[k].name, name) == 0) return;
  hn_build_fail(b, HN_ERR_MODEL, "has no coordinate '%s' (it has '%s')", name,
                j->coordinate[0].name);
}

static void build_joint(hn_builder *b, const hn_model_joint *mj) {
  const hn_joint_def *d = &mj->def;
  const hn_joint_type *type = hn_joint_type_find(d->type);
  b->place = mj->place;
  b->what = "joint";
  b->element = d->name;
  hn_location location = {
      .a = d->a,
      .b = d->b,
      .at = d->at,
      .at_b = d->at_b,
      .axis = d->axis,
      .axis_b = d->axis_b,
      .two_points = hn_word_in("at_b", type->info.keys),
      .two_axes = hn_word_in("axis_b", type->info.keys),
  };
  hn_builder_locate(b, &location);
  if (type->needs_rotation &&
      (!has_rotation(b->sys, d->a.body.id) || !has_rotation(b->sys, d->b.body.id))) {
    hn_build_fail(b, HN_ERR_MODEL,
                  "a point mass has no orientation, which '%s' needs (use 'spherical' or "
                  "'distance')",
                  d->type);
    return;
  }
  int handle = (int)(mj - b->model->joint) + 1;
  b->no_rows = b->tree_joint && b->tree_joint[b->sys->joints];
  hn_builder_begin_joint(b, d->name, type->info.name);
  if (b->status) return;
  hn_sys_joint *j = &b->sys->joint[b->sys->joints - 1];
  j->handle = handle;
  j->components = d->components;
  if (d->by) {
    b->sys->programmed = true;
    j->by = hn_strdup(d->by);
    if (!j->by) hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
  }
  if (d->stiffness > 0) j->stiffness = d->stiffness;
  j->omega = d->omega, j->mu = d->mu, j->soft = d->soft;
  hn_status status = type->build(b, d);
  if (status && !b->status) b->status = status;
  hn_builder_end_joint(b);
  if (!b->status && d->coordinate && !d->joint_a) check_coordinate(b, j, d->coordinate);
  if (!b->status && !b->no_rows) keep_rows(b, j, d);
  if (!b->status && !b->no_rows) hn_builder_gate(b, b->sys->joints - 1, d);
  b->no_rows = false;
}

static void build_force(hn_builder *b, const hn_model_force *mf) {
  const hn_force_def *d = &mf->def;
  const hn_force_type *type = hn_force_type_find(d->type);
  const double none[3] = {0, 0, 0};
  b->place = mf->place;
  b->what = "force";
  b->element = d->name;
  hn_location location = {
      .a = d->a,
      .b = d->b,
      .at = d->at,
      .at_b = d->at_b,
      .axis = d->axis,
      .axis_b = none,
      .two_points = hn_word_in("at_b", type->info.keys),
  };
  hn_builder_locate(b, &location);
  hn_mount *mount = b->sys->force_mount + 2 * (mf - b->model->force);
  mount[0] = b->a, mount[1] = b->b;
  b->acts[0] = b->a.body, b->acts[1] = b->b.body;
  b->expressions = b->sys->expressions;
  hn_status status = type->build(b, d);
  if (status && !b->status) b->status = status;
}

static void build_elements(hn_builder *b) {
  hn_model *model = b->model;
  hn_builder_block_measures(b);
  hn_builder_declare_signals(b);
  // joints that couple other joints' coordinates come after those
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < model->joint_count && !b->status; i++)
      if ((model->joint[i].def.joint_a != NULL) == (pass == 1)) build_joint(b, &model->joint[i]);
  b->sys->force_mount = calloc(2 * (size_t)model->force_count + 1, sizeof(hn_mount));
  if (!b->sys->force_mount && !b->status) hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
  for (int i = 0; i < model->block_count && !b->status; i++) hn_builder_block(b, i);
  if (!b->status) hn_builder_flexibles(b);
  if (!b->status) hn_builder_states(b);
  for (int i = 0; i < model->force_count && !b->status; i++) build_force(b, &model->force[i]);
  if (!b->status) hn_builder_gates(b);
  if (!b->status) hn_build_couplings(b);
  if (!b->status) hn_builder_controllers(b);
  if (!b->status) hn_builder_signals(b);
}

// ---- finishing -----------------------------------------------------------------------------

static int block_of(const hn_system *sys, int group, int body, int row) {
  const hn_group *g = &sys->group[group];
  for (int k = g->first; k < g->first + g->bodies; k++)
    if (sys->group_body[k] == body)
      return sys->block_offset[k] + (row - g->row0) * sys->body[body].nv;
  return -1;
}

// every primitive learns where its Jacobian rows lie
static hn_status lay_out_jacobian(hn_system *sys) {
  int entries = 0;
  for (int g = 0; g < sys->groups; g++) entries += sys->group[g].bodies;
  sys->block_offset = calloc((size_t)entries + 1, sizeof(int));
  sys->group_start = calloc((size_t)sys->groups + 1, sizeof(int));
  if (!sys->block_offset || !sys->group_start) return HN_ERR_MEMORY;
  for (int g = 0; g < sys->groups; g++) {
    const hn_group *group = &sys->group[g];
    for (int k = group->first; k < group->first + group->bodies; k++) {
      sys->block_offset[k] = sys->j_size;
      sys->j_size += group->rows * sys->body[sys->group_body[k]].nv;
    }
    sys->group_start[g + 1] = group->first + group->bodies;
  }
  sys->numbers = sys->j_size;
#define BLOCK(row, body) block_of(sys, sys->joint[sys->row_joint[row]].group, body, row)
  for (int i = 0; i < sys->points2; i++) {
    hn_point2 *p = &sys->point2[i];
    p->ja = BLOCK(p->row, p->a), p->jb = BLOCK(p->row, p->b);
    p->turns_a = p->ja >= 0 && sys->body[p->a].kind == HN_PLANAR;
    p->turns_b = p->jb >= 0 && sys->body[p->b].kind == HN_PLANAR;
  }
  for (int i = 0; i < sys->points3; i++) {
    hn_point3 *p = &sys->point3[i];
    p->ja = BLOCK(p->row, p->a), p->jb = BLOCK(p->row, p->b);
  }
  for (int i = 0; i < sys->customs; i++) {
    hn_custom *c = &sys->custom[i];
    c->ja = BLOCK(c->row, c->a), c->jb = BLOCK(c->row, c->b);
  }
  for (int i = 0; i < sys->rowcount; i++)
    for (int k = 0; k < sys->row[i].terms; k++) {
      hn_term *t = &sys->term[sys->row[i].first_term + k];
      const hn_measure *m = &sys->measure[t->measure];
      t->ja = BLOCK(sys->row[i].row, m->a), t->jb = BLOCK(sys->row[i].row, m->b);
    }
  for (int i = 0; i < sys->blocks; i++) {
    hn_sys_block *b = &sys->block[i];
    for (int k = 0; b->group >= 0 && k < b->measures; k++) {
      const hn_measure *m = &sys->measure[b->measure[k]];
      int row = sys->group[b->group].row0;
      b->ja[k] = sys->body[m->a].nv ? BLOCK(row, m->a) : -1;
      b->jb[k] = sys->body[m->b].nv ? BLOCK(row, m->b) : -1;
    }
  }
#undef BLOCK
  return HN_OK;
}

static int turns_of(const hn_sys_body *b) {
  return b->nv == 0 ? 0 : b->kind == HN_SPATIAL ? 3 : b->kind == HN_PLANAR ? 1 : 0;
}

// rows that are one direction product are evaluated by code of their own
static hn_status list_rows(hn_system *sys) {
  sys->dot_row = calloc((size_t)sys->rowcount + 1, sizeof *sys->dot_row);
  sys->other_row = calloc((size_t)sys->rowcount + 1, sizeof *sys->other_row);
  if (!sys->dot_row || !sys->other_row) return HN_ERR_MEMORY;
  for (int i = 0; i < sys->rowcount; i++) {
    const hn_row *r = &sys->row[i];
    const hn_term *t = &sys->term[r->first_term];
    const hn_measure *m = &sys->measure[t->measure];
    if (r->terms != 1 || r->motion >= 0 || m->type != HN_M_DOT1 || m->used_by_force) {
      sys->other_row[sys->other_rows++] = i;
      continue;
    }
    hn_dot_row *o = &sys->dot_row[sys->dot_rows++];
    *o = (hn_dot_row){.row = r->row, .a = m->a, .b = m->b, .scale = t->coefficient};
    o->turns_a = turns_of(&sys->body[m->a]), o->turns_b = turns_of(&sys->body[m->b]);
    o->ja = t->ja + (o->turns_a == 3 ? 3 : 2), o->jb = t->jb + (o->turns_b == 3 ? 3 : 2);
    o->constant = r->constant - t->coefficient * m->offset;
    v3_copy(o->ua, m->ua), v3_copy(o->wb, m->wb);
  }
  return HN_OK;
}

// which measures are evaluated with the constraints, which with the forces
static hn_status list_measures(hn_system *sys) {
  hn_status status = list_rows(sys);
  if (status) return status;
  sys->constraint_measure = calloc((size_t)sys->measures + 1, sizeof(int));
  sys->force_measure = calloc((size_t)sys->measures + 1, sizeof(int));
  bool *constraint = calloc((size_t)sys->measures + 1, sizeof(bool));
  if (!sys->constraint_measure || !sys->force_measure || !constraint) {
    free(constraint);
    return HN_ERR_MEMORY;
  }
  for (int i = 0; i < sys->other_rows; i++) {
    const hn_row *r = &sys->row[sys->other_row[i]];
    for (int k = 0; k < r->terms; k++) constraint[sys->term[r->first_term + k].measure] = true;
  }
  for (int i = 0; i < sys->blocks; i++)
    for (int k = 0; k < sys->block[i].measures; k++) constraint[sys->block[i].measure[k]] = true;
  for (int i = 0; i < sys->measures; i++) {
    bool coordinate_only = !sys->measure[i].used_by_force;
    if (constraint[i])
      sys->constraint_measure[sys->constraint_measures++] = i;
    else if (!coordinate_only)
      sys->force_measure[sys->force_measures++] = i;
  }
  free(constraint);
  return HN_OK;
}

// union-find over bodies
static int root_of(int *up, int i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

// a spanning tree over the bodies along the joints with the most rows, rooted at the ground
static hn_status spanning_tree(const hn_system *sys, int *parent, int *parent_group) {
  int n = sys->bodies, edges = 0;
  int *up = malloc((size_t)n * sizeof(int));
  int *edge = malloc(((size_t)sys->groups + 1) * sizeof(int));
  int *start = calloc((size_t)n + 2, sizeof(int));
  int *link = malloc((2 * (size_t)sys->groups + 2) * sizeof(int));
  int *queue = malloc((size_t)n * sizeof(int));
  hn_status status = up && edge && start && link && queue ? HN_OK : HN_ERR_MEMORY;
  if (status) goto done;
  for (int i = 0; i < n; i++) up[i] = i, parent[i] = -1, parent_group[i] = -1;
  int most = 0;
  for (int g = 0; g < sys->groups; g++)
    if (sys->group[g].rows > most) most = sys->group[g].rows;
  for (int rows = most; rows > 0; rows--)
    for (int g = 0; g < sys->groups; g++) {
      const hn_group *group = &sys->group[g];
      if (group->rows != rows || group->bodies < 1 || group->bodies > 2) continue;
      int a = sys->group_body[group->first];
      int b = group->bodies == 2 ? sys->group_body[group->first + 1] : 0;
      // a joint with more rows than the smaller body has velocities cannot be its tree joint
      int ra = root_of(up, a), rb = root_of(up, b);
      if (ra == rb || rows > sys->body[a].nv || (b && rows > sys->body[b].nv)) continue;
      up[ra] = rb;
      edge[edges++] = g;
    }
  // adjacency of the tree
  for (int e = 0; e < edges; e++) {
    const hn_group *group = &sys->group[edge[e]];
    start[sys->group_body[group->first] + 2]++;
    start[(group->bodies == 2 ? sys->group_body[group->first + 1] : 0) + 2]++;
  }
  for (int i = 2; i < n + 2; i++) start[i] += start[i - 1];
  for (int e = 0; e < edges; e++) {
    const hn_group *group = &sys->group[edge[e]];
    int a = sys->group_body[group->first];
    int b = group->bodies == 2 ? sys->group_body[group->first + 1] : 0;
    link[start[a + 1]++] = edge[e];
    link[start[b + 1]++] = edge[e];
  }
  // breadth first from the ground, then from every body not reached
  for (int i = 0; i < n; i++) up[i] = 0;
  for (int seed = 0; seed < n; seed++) {
    if (up[seed]) continue;
    int head = 0, tail = 0;
    queue[tail++] = seed;
    up[seed] = 1;
    while (head < tail) {
      int body = queue[head++];
      for (int k = start[body]; k < start[body + 1]; k++) {
        const hn_group *group = &sys->group[link[k]];
        int a = sys->group_body[group->first];
        int b = group->bodies == 2 ? sys->group_body[group->first + 1] : 0;
        int next = a == body ? b : a;
        if (up[next]) continue;
        up[next] = 1;
        parent[next] = body ? body : -1;
        parent_group[next] = link[k];
        queue[tail++] = next;
      }
    }
  }
done:
  free(up), free(edge), free(start), free(link), free(queue);
  return status;
}

// blocks of planar bodies in joints that are a single point
static void mark_pins(const hn_system *sys, bool *pin) {
  for (int i = 0; i < sys->points2; i++) {
    const hn_group *group = &sys->group[sys->joint[sys->row_joint[sys->point2[i].row]].group];
    for (int k = group->first; k < group->first + group->bodies; k++)
      pin[k] = group->rows == 2 && sys->body[sys->group_body[k]].kind == HN_PLANAR;
  }
}

static hn_status plan_elimination(hn_system *sys) {
  int n = sys->bodies;
  int *size = malloc((size_t)n * sizeof(int)),
      *rows = malloc(((size_t)sys->groups + 1) * sizeof(int));
  bool *grounded = malloc((size_t)sys->groups + 1);
  int *parent = malloc((size_t)n * sizeof(int)), *parent_group = malloc((size_t)n * sizeof(int));
  bool *pin = calloc((size_t)sys->group_start[sys->groups] + 1, sizeof(bool));
  hn_status status = HN_ERR_MEMORY;
  if (size && rows && grounded && parent && parent_group && pin) {
    for (int i = 0; i < n; i++) size[i] = sys->body[i].nv;
    for (int g = 0; g < sys->groups; g++)
      rows[g] = sys->group[g].rows, grounded[g] = sys->group[g].grounded;
    status = spanning_tree(sys, parent, parent_group);
    mark_pins(sys, pin);
  }
  if (!status) {
    hn_saddle_graph graph = {
        .nbody = n,
        .body_size = size,
        .ngroup = sys->groups,
        .group_size = rows,
        .group_start = sys->group_start,
        .group_body = sys->group_body,
        .block_offset = sys->block_offset,
        .grounded = grounded,
        .pin = pin,
        .parent = parent,
        .parent_group = parent_group,
    };
    sys->plan = hn_saddle_plan_create(&graph);
    if (!sys->plan) status = HN_ERR_MEMORY;
  }
  free(size), free(rows), free(grounded), free(parent), free(parent_group), free(pin);
  return status;
}

hn_status hn_builder_finish(hn_builder *b) {
  hn_system *sys = b->sys;
  if (b->status) return b->status;
  // callers may push any body that turns in space
  for (int i = 1; i < sys->bodies; i++) sys->body[i].needs_kin |= sys->body[i].kind == HN_SPATIAL;
  for (int i = 0; i < sys->signals; i++)
    if (hn_is_measured(&sys->signal[i])) sys->measure[sys->signal[i].measure].used_by_force = true;
  hn_status status = lay_out_jacobian(sys);
  if (!status) status = list_measures(sys);
  if (!status) status = plan_elimination(sys);
  return status;
}

// largest extent of the described model: makes tolerances independent of units
static double characteristic_length(const hn_builder *b) {
  const hn_system *sys = b->sys;
  double length = 0;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *body = &sys->body[i];
    double r = body->mass > 0 ? sqrt(fmax(body->inertia[0], body->inertia[2]) / body->mass) : 0;
    length = fmax(length, r);
  }
  for (int i = 0; i < sys->joints; i++) {
    const hn_sys_joint *j = &sys->joint[i];
    if (j->a.body) length = fmax(length, v3_norm(j->a.s));
    if (j->b.body) length = fmax(length, v3_norm(j->b.s));
  }
  return length > 0 ? length : 1;
}

hn_status hn_compile_rows(hn_system **out, hn_model *model, const hn_compile_extra *extra) {
  *out = NULL;
  hn_builder b = {.model = model, .group = -1, .what = "model"};
  hn_system *sys = calloc(1, sizeof *sys);
  b.sys = sys;
  b.tree_joint = extra ? extra->tree_joint : NULL;
  b.graph = hn_graph_create();
  hn_status status = sys && b.graph ? HN_OK : HN_ERR_MEMORY;
  int rows = 0;  // without the extra ones
  if (!status) {
    sys->coordinates = &hn_reference_coordinates;
    sys->name = hn_strdup(model->name ? model->name : "model");
    v3_copy(sys->gravity, model->gravity);
    sys->options = model->options;
    status = sys->name ? add_bodies(sys, model) : HN_ERR_MEMORY;
  }
  if (!status) {
    sys->q0 = calloc((size_t)sys->nq + 1, sizeof(double));
    sys->v0 = calloc((size_t)sys->nv + 1, sizeof(double));
    status = sys->q0 && sys->v0 ? HN_OK : HN_ERR_MEMORY;
  }
  if (!status) {
    described_state(sys, model, sys->q0, sys->v0);
    status = describe_poses(&b, sys->q0);
  }
  if (!status) {
    build_elements(&b);
    rows = sys->rowcount;
    if (!b.status && extra && extra->rows) extra->rows(&b, extra->user);
    status = hn_builder_finish(&b);
  }
  if (!status) status = hn_find_parts(sys);
  if (!status) {
    status = hn_block_masses(sys);
    sys->length = characteristic_length(&b);
    sys->rank_tolerance = HN_RANK_TOLERANCE;
    status = hn_weigh_rows(sys);
    sys->turn0 = calloc((size_t)sys->turns + 1, sizeof(double));
    if (!status && !sys->turn0) status = HN_ERR_MEMORY;
    // angles start in the turn the description names
    for (int i = 0; !status && i < sys->measures; i++)
      if (sys->measure[i].turn >= 0) sys->turn0[sys->measure[i].turn] = hn_build_value(&b, i);
    if (!status) status = hn_wind_angles(&b, rows);
  }
  hn_graph_destroy(b.graph);
  free(b.described.kin), free(b.described.kin2), free(b.batch_room), free(b.met);
  free(b.sees), free(b.force_length);
  if (status == HN_ERR_MEMORY)
    hn_model_fail(model, (hn_place){0}, status, "out of memory while compiling");
  if (status)
    hn_system_destroy(sys);
  else
    *out = sys;
  return status;
}

static hn_status make_native(hn_system *sys, hn_model *model) {
  char message[HN_MESSAGE / 2];
  hn_status status = hn_native_create(sys, false, message, sizeof message);
  if (!status) return HN_OK;
  return hn_model_fail(model, (hn_place){0}, status, "code 'native': %s (leave 'code' at library)",
                       message);
}

// What an operation of the formulas takes less in machine code than in the library, and what it
// takes the C compiler [s]: both differ between models by a factor of two or three
// (docs/performance.md)
static const double saved = 1e-9, compiled = 3e-4, started = 0.1;

// code: auto. What was kept costs nothing; it is compiled where the run is expected to spend more
// without it than the compiler takes. That there is no code is no error
static hn_status choose_code(hn_system *sys, const hn_model *model, const hn_demands *demands) {
  char message[HN_MESSAGE / 2];
  hn_status status = hn_native_create(sys, true, message, sizeof message);
  sys->code_choice = "native (auto: kept from an earlier run)";
  if (!status || status == HN_ERR_MEMORY) return status;
  sys->code_choice = "library (auto: no code can be written for this model)";
  if (status == HN_ERR_UNSUPPORTED) return HN_OK;
  long operations = hn_formulas_cost(sys);
  if (operations < -1) return HN_ERR_MEMORY;
  double runs = demands->evaluations ? demands->evaluations(sys, &model->options) : NAN;
  sys->code_choice = "library (auto: the run is too short to pay for compiling code)";
  if (!(runs * saved * (double)operations > started + compiled * (double)operations)) return HN_OK;
  status = hn_native_create(sys, false, message, sizeof message);
  sys->code_choice = status ? "library (auto: no code could be compiled)"
                            : "native (auto: compiled, since the run is long)";
  return status == HN_ERR_MEMORY ? status : HN_OK;
}

// forces that are relaxed as they stand learn how that is
static hn_status relax_forces(hn_system *sys) {
  hn_arena arena = {0};
  hn_work work = {0};
  bool any = false;
  for (int i = 0; i < sys->batches; i++) any = any || sys->batch[i].ops->relax;
  if (!any) return HN_OK;
  hn_work_layout(&work, &arena, sys);
  if (!hn_arena_allocate(&arena)) return HN_ERR_MEMORY;
  hn_work_layout(&work, &arena, sys);
  hn_eval_all(&work, 0, sys->q0, sys->v0);
  for (int i = 0; i < sys->batches; i++) {
    const hn_batch *b = &sys->batch[i];
    if (b->ops->relax) b->ops->relax(&work, b->count, b->data);
  }
  free(arena.base);
  return HN_OK;
}

// stops that are violated at the start; the angles must be marked
static hn_status check_stops(hn_system *sys, hn_model *model) {
  hn_arena arena = {0};
  hn_work work = {0};
  bool *all = NULL;
  hn_status status = HN_OK;
  for (int pass = 0; pass < 2 && sys->unilaterals; pass++) {
    hn_work_layout(&work, &arena, sys);
    all = HN_TAKE(&arena, bool, sys->unilaterals);
    if (pass == 0 && !hn_arena_allocate(&arena)) return HN_ERR_MEMORY;
  }
  for (int i = 0; i < sys->unilaterals; i++) all[i] = true;
  work.on = all;
  if (all) hn_eval_position(&work, 0, sys->q0);
  for (int i = 0; i < sys->unilaterals && !status; i++) {
    int row = sys->unilateral[i].row;
    const char *name = sys->joint[sys->row_joint[row]].name;
    int joint = hn_model_find_joint(model, name);
    double unit = sys->angular_row[row] ? 1 : sys->length, gap = work.phi[row];
    if (sys->unilateral[i].hold || sys->unilateral[i].gate || gap >= -HN_STOP_VIOLATED * unit)
      continue;
    status = hn_model_fail(model, joint >= 0 ? model->joint[joint].place : (hn_place){0},
                           HN_ERR_ASSEMBLY,
                           "joint '%s': the model starts behind the stop, by %.3g %s (move the "
                           "bodies, or the limit; two limits of one coordinate must leave room)",
                           name, -gap, sys->angular_row[row] ? "rad" : "m");
  }
  free(arena.base);
  return status;
}

// gravity that acts on nothing is a mistake: z is not up in the plane
static hn_status check_gravity(hn_model *model) {
  const double *g = model->gravity;
  bool space = false;
  for (int i = 1; i < model->body_count; i++)
    space = space || model->body[i].def.kind == HN_SPATIAL || model->body[i].def.kind == HN_POINT;
  if (model->body_count > 1 && !space && g[2] != 0)
    return hn_model_fail(model, (hn_place){0}, HN_ERR_MODEL,
                         "gravity: %g along z has no effect, planar bodies do not move there (the "
                         "plane is x-y: give two numbers, as in [0, -9.81])",
                         g[2]);
  if (model->body_count < 2 && (g[0] != 0 || g[1] != 0 || g[2] != 0))
    return hn_model_fail(
        model, (hn_place){0}, HN_ERR_MODEL,
        "gravity acts on bodies, and the model has none (weight in a block is part "
        "of its potential)");
  return HN_OK;
}

hn_model *hn_model_create(void) {
  return hn_model_new(&hn_joint_family, &hn_force_family);
}

hn_status hn_compile_for(hn_system **out, hn_model *model, const hn_demands *demands) {
  *out = NULL;
  if (model->spoiled) {
    memcpy(model->message, model->first, sizeof model->message);
    return model->failure = model->spoiled;
  }
  model->message[0] = 0;
  if (model->body_count < 2 && model->block_count == 0)
    return hn_model_fail(model, (hn_place){0}, HN_ERR_MODEL, "the model has no bodies");
  char wrong[200];
  if (hn_options_check(&model->options, wrong, sizeof wrong))
    return hn_model_fail(model, (hn_place){0}, HN_ERR_ARGUMENT, "%s", wrong);
  hn_system *sys;
  hn_status status = check_gravity(model);
  if (!status) status = hn_compile_rows(&sys, model, NULL);
  if (status) return status;
  status = hn_assemble(sys, model);
  if (!status) status = relax_forces(sys);
  if (!status) status = hn_check_masses(sys, model);
  if (!status) status = hn_mark_angles(sys);
  if (!status) status = hn_check_massless(sys, model);
  if (!status) status = hn_analyse_redundancy(sys, model);
  if (!status) status = check_stops(sys, model);
  const hn_coordinates *first = sys->coordinates;
  if (!status) status = hn_choose_coordinates(&sys, model, demands);
  if (!status && sys->coordinates != first) status = relax_forces(sys);
  if (!status) status = hn_plan_turns(sys);
  if (!status) status = hn_columns_create(sys, model);
  if (!status && strcmp(model->options.code, "native") == 0) status = make_native(sys, model);
  if (!status && strcmp(model->options.code, "auto") == 0)
    status = choose_code(sys, model, demands);
  if (status == HN_ERR_MEMORY)
    hn_model_fail(model, (hn_place){0}, status, "out of memory while compiling");
  if (status)
    hn_system_destroy(sys);
  else
    *out = sys;
  return status;
}

void hn_system_destroy(hn_system *sys) {
  if (!sys) return;
  for (int i = 0; sys->body_info && i < sys->bodies; i++) free(sys->body_info[i].name);
  hn_native_destroy(sys->native);
  for (int i = 0; i < sys->joints; i++) free(sys->joint[i].name), free(sys->joint[i].by);
  for (int i = 0; i < sys->rows; i++) free(sys->row_name[i]);
  for (int i = 0; i < sys->batches; i++) {
    for (int k = 0; k < sys->batch[i].count; k++) free(sys->batch[i].name[k]);
    free(sys->batch[i].name), free(sys->batch[i].data), free(sys->batch[i].ends);
  }
  for (int i = 0; i < sys->expressions; i++) {
    hn_program_destroy(sys->expression[i].program);
    hn_program_destroy(sys->expression[i].held);
    hn_program_destroy(sys->expression[i].functions);
  }
  for (int i = 0; i < sys->blocks; i++) hn_block_destroy(&sys->block[i]);
  free(sys->block);
  for (int i = 0; i < sys->flexibles; i++) {
    hn_reduced_release(sys->flexible[i].reduced);
    free(sys->flexible[i].place);
  }
  free(sys->flexible);
  for (int i = 0; i < sys->motions; i++) hn_program_destroy(sys->motion[i].program);
  for (int i = 0; i < sys->kept_count; i++) free(sys->kept[i]);
  for (int i = 0; i < sys->named; i++)
    free(sys->named_signal[i].name), free(sys->named_signal[i].unit);
  for (int i = 0; i < sys->inputs; i++) free(sys->input[i].name);
  for (int i = 0; i < sys->tables; i++) hn_series_release(sys->table[i]);
  for (int i = 0; i < sys->states; i++) free(sys->state[i].name);
  free(sys->named_signal), free(sys->input), free(sys->table);
  free(sys->state), free(sys->state_sees), free(sys->held_start);
  hn_controllers_destroy(sys);
  free(sys->name), free(sys->body), free(sys->body_info), free(sys->joint), free(sys->group),
      free(sys->group_start);
  free(sys->group_body), free(sys->block_offset), free(sys->measure), free(sys->constraint_measure);
  free(sys->force_measure), free(sys->point2), free(sys->point3), free(sys->row), free(sys->term);
  free(sys->dot_row), free(sys->other_row);
  free(sys->alignment), free(sys->custom), free(sys->custom_data), free(sys->holonomic),
      free(sys->row_name);
  free(sys->angular_row), free(sys->stiffness), free(sys->stiffness_given), free(sys->coupled);
  hn_couplings_destroy(sys);
  hn_system_destroy(sys->reference);
  free(sys->part), free(sys->load_joint), free(sys->mesh), free(sys->unilateral), free(sys->hold);
  free(sys->gate);
  free(sys->row_joint), free(sys->batch), free(sys->expression), free(sys->signal);
  free(sys->motion), free(sys->kept), free(sys->force_mount), free(sys->mass),
      free(sys->constant_force);
  hn_mass_entries_destroy(sys->mass_entries);
  free(sys->angular_q), free(sys->angular_v), free(sys->body_q0);
  if (sys->coordinates && sys->coordinates->destroy) sys->coordinates->destroy(sys);
  free(sys->active), free(sys->q0), free(sys->v0), free(sys->turn0);
  free(sys->turn), free(sys->follower);
  hn_saddle_plan_destroy(sys->plan);
  hn_columns_destroy(sys);
  hn_check_destroy(&sys->check);
  free(sys);
}

int hn_system_nq(const hn_system *sys) {
  return sys->nq;
}
int hn_system_nv(const hn_system *sys) {
  return sys->nv;
}
int hn_system_rows(const hn_system *sys) {
  return sys->rows;
}
const char *hn_system_row_name(const hn_system *sys, int row) {
  return row >= 0 && row < sys->rows ? sys->row_name[row] : "";
}
const hn_check *hn_system_check(const hn_system *sys) {
  return &sys->check;
}
