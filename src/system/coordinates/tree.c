// tree.c: laying out relative coordinates.
#include "system/coordinates/tree.h"
#include "base/elementary.h"
#include "system/reaction.h"

#include <stdlib.h>
#include <string.h>

// ---- coordinates of a mobilizer from body poses --------------------------------------------

// world pose of a mount
static void mount_pose(const hn_work *w, const hn_mount *m, double p[3], double R[9]) {
  const hn_kin *k = &w->kin[m->body];
  m3_mulv(p, k->R, m->s);
  v3_add(p, p, k->p);
  m3_mul(R, k->R, m->R);
}

// how mount b of a mobilizer lies to mount a, and moves against its body
typedef struct relative {
  double Ra[9], Rb[9], R[9];  // axes of both, world; R = Ra^T Rb
  double d[3];                // from a's point to b's, world
  double dv[3], dw[3];  // velocity of b's point in the frame of a, and angular velocity, world
} relative;

// dv is the velocity of b's point less that of the point of body a which is there at the moment:
// what a joint that slides on a sees.
static relative relative_motion(const hn_work *w, const hn_mobilizer *m) {
  relative o;
  double pa[3], pb[3], x[3];
  const hn_kin *ka = &w->kin[m->a.body], *kb = &w->kin[m->b.body];
  mount_pose(w, &m->a, pa, o.Ra);
  mount_pose(w, &m->b, pb, o.Rb);
  m3_tmul(o.R, o.Ra, o.Rb);
  v3_sub(o.d, pb, pa);
  v3_sub(o.dw, kb->w, ka->w);
  // velocity of b's point, v_b + w_b x (pb - p_b)
  v3_sub(o.dv, pb, kb->p);
  v3_cross(o.dv, kb->w, o.dv);
  v3_add(o.dv, o.dv, kb->v);
  // less that of the place on a
  v3_sub(x, pb, ka->p);
  v3_cross(x, ka->w, x);
  v3_sub(o.dv, o.dv, x);
  v3_sub(o.dv, o.dv, ka->v);
  return o;
}

// coordinates and rates of a mobilizer, read off the state in reference coordinates.
// The reference system is assembled: the mounts meet as the joint demands, and each coordinate is
// the one number, or the few, that are left between them. Angles are within half a turn of zero
// here; match_measure adds whole turns.
static void read_coordinates(const hn_system *ref, const hn_work *w, hn_mobilizer *m,
                             const double *ref_q, const double *ref_v, double *q, double *v) {
  const hn_sys_body *rb = &ref->body[m->body];
  // a free body has the coordinates of the reference system
  if (m->type == HN_MOB_FREE) {
    memcpy(q + m->q0, ref_q + rb->q0, (size_t)m->nq * sizeof(double));
    memcpy(v + m->v0, ref_v + rb->v0, (size_t)m->nv * sizeof(double));
    return;
  }
  relative x = relative_motion(w, m);
  const double *Ra = x.Ra, *Rb = x.Rb, *R = x.R, *d = x.d, *dv = x.dv, *dw = x.dw;
  const double z[3] = {Ra[2], Ra[5], Ra[8]};
  double angle = hn_atan2(R[3], R[0]);
  switch (m->type) {
  case HN_MOB_REVOLUTE:
    q[m->q0] = angle;
    v[m->v0] = v3_dot(z, dw);
    break;
  case HN_MOB_PRISMATIC:
    q[m->q0] = v3_dot(z, d);
    v[m->v0] = v3_dot(z, dv);
    break;
  case HN_MOB_CYLINDRICAL:
    q[m->q0] = v3_dot(z, d), q[m->q0 + 1] = angle;
    v[m->v0] = v3_dot(z, dv), v[m->v0 + 1] = v3_dot(z, dw);
    break;
  case HN_MOB_UNIVERSAL:
    // R = Rz(q0) Rx(90 deg) Rz(q1)
    q[m->q0] = hn_atan2(R[2], -R[5]), q[m->q0 + 1] = hn_atan2(R[6], R[7]);
    v[m->v0] = v3_dot(z, dw);
    v[m->v0 + 1] = v3_dot((double[]){Rb[2], Rb[5], Rb[8]}, dw);
    break;
  case HN_MOB_PLANAR:
    for (int k = 0; k < 2; k++) {
      double axis[3] = {Ra[k], Ra[3 + k], Ra[6 + k]};
      q[m->q0 + k] = v3_dot(axis, d);
      v[m->v0 + k] = v3_dot(axis, dv);
    }
    q[m->q0 + 2] = angle;
    v[m->v0 + 2] = v3_dot(z, dw);
    break;
  case HN_MOB_SCREW:
    q[m->q0] = angle;
    v[m->v0] = v3_dot(z, dw);
    // which turn of the thread it is on
    m->start = v3_dot(z, d) - m->pitch * angle;
    break;
  case HN_MOB_SPHERICAL:
    // rates of a ball joint are counted along axes of b
    q_from_matrix(q + m->q0, R);
    m3_tmulv(v + m->v0, Rb, dw);
    break;
  case HN_MOB_FIXED:
  case HN_MOB_FREE: break;
  }
}

// joints reported with a value keep it: the mobilizer's zero is where its mounts coincide.
// Where the joint's coordinate is counted by a measure, the mobilizer counts the same, so that
// initial values, limits and columns need no translation: offset is the constant between the two.
static void match_measure(const hn_system *sys, const hn_work *w, hn_mobilizer *m, double *q) {
  m->memory = -1;
  if (m->joint < 0) return;
  const hn_sys_joint *j = &sys->joint[m->joint];
  for (int k = 0; k < m->nv && k < 2; k++) {
    m->coordinate[k] = -1;
    // x and y are those of mount a, which may be the body's: not the coordinates of the joint
    if (m->type == HN_MOB_SPHERICAL || m->type == HN_MOB_FREE || m->type == HN_MOB_PLANAR) continue;
    bool angular = m->type == HN_MOB_REVOLUTE || m->type == HN_MOB_SCREW ||
                   (m->type == HN_MOB_CYLINDRICAL && k == 1);
    for (int c = 0; c < j->coordinates; c++)
      if (j->coordinate[c].angular == angular) {
        int measure = j->coordinate[c].measure;
        // hanging the other way round turns the sign of the coordinate, which is fine inside
        double sign = m->b.body == sys->measure[measure].b ? 1 : -1;
        double value = sign * w->mval[measure].value;
        m->offset[k] = value - q[m->q0 + k];
        q[m->q0 + k] = value;
        m->coordinate[k] = measure;
        if (angular) m->memory = sys->measure[measure].turn, m->angle = k, m->sign = sign;
        break;
      }
  }
}

// plane: mounts know angles up to full turns only; the body's angle starts as the reference has it
static void match_angle(const hn_system *ref, hn_mobilizer *m, const double *q) {
  const double turn = 2 * hn_pi;
  if (m->type == HN_MOB_FREE) return;
  // the body's angle beyond its parent's, as the reference has it
  double wanted = ref->q0[ref->body[m->body].q0 + 2], found = m->plane_angle;
  if (m->parent) wanted -= ref->q0[ref->body[m->parent].q0 + 2];
  // what a hinge adds is its coordinate; the rest is constant
  if (m->type == HN_MOB_REVOLUTE) found += q[m->q0] - m->offset[0];
  m->plane_angle += turn * rint((wanted - found) / turn);
}

static const int sizes[][2] = {
    [HN_MOB_REVOLUTE] = {1, 1},  [HN_MOB_PRISMATIC] = {1, 1}, [HN_MOB_CYLINDRICAL] = {2, 2},
    [HN_MOB_SPHERICAL] = {4, 3}, [HN_MOB_FIXED] = {0, 0},     [HN_MOB_FREE] = {0, 0},
    [HN_MOB_UNIVERSAL] = {2, 2}, [HN_MOB_PLANAR] = {3, 3},    [HN_MOB_SCREW] = {1, 1},
};

// planar bodies turn about z, and their joints count about it inside, also where the axis is -z
static void set_upright(const hn_system *sys, hn_mobilizer *m) {
  bool flat = sys->body[m->body].kind == HN_PLANAR &&
              (m->parent == 0 || sys->body[m->parent].kind == HN_PLANAR);
  if (!flat || m->a.R[8] > 0) return;
  // half a turn of both mounts about their x
  for (int i = 0; i < 3; i++)
    for (int k = 1; k < 3; k++) {
      m->a.R[3 * i + k] = -m->a.R[3 * i + k];
      m->b.R[3 * i + k] = -m->b.R[3 * i + k];
    }
}

// the single row of a joint that is a sum of measures, as the reference system has it
static const hn_row *last_row(const hn_system *ref, int joint) {
  const hn_group *g = &ref->group[ref->joint[joint].group];
  for (int i = 0; i < ref->rowcount; i++)
    if (ref->row[i].row == g->row0 + g->rows - 1) return &ref->row[i];
  return NULL;
}

// a frame with the given z
static void frame_along(double R[9], const double z[3]) {
  double x[3], y[3];
  v3_perpendicular(x, z);
  v3_cross(y, z, x);
  for (int i = 0; i < 3; i++) R[3 * i] = x[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i];
}

// what a joint's rows say about its mobilizer: the arms of a cross, the pitch of a thread
static void read_rows(const hn_system *ref, hn_mobilizer *m) {
  bool turned = m->b.body != ref->joint[m->joint].b.body;
  if (m->type == HN_MOB_UNIVERSAL) {
    // the arms of the cross: u_a and w_b of its row u_a . w_b = 0
    const hn_row *row = last_row(ref, m->joint);
    const hn_measure *cross = &ref->measure[ref->term[row->first_term].measure];
    frame_along(m->a.R, turned ? cross->wb : cross->ua);
    frame_along(m->b.R, turned ? cross->ua : cross->wb);
  } else if (m->type == HN_MOB_SCREW) {
    const hn_row *row = last_row(ref, m->joint);
    m->pitch = -ref->term[row->first_term + 1].coefficient;
  }
}

// mobilizers in an order where parents come first.
// Breadth first from the ground along the tree joints, each list of joints of a body laid out by
// counting. Of a joint whose b is nearer to the ground the mounts change sides: a is always on the
// parent.
static hn_status order_bodies(hn_system *sys, const hn_system *ref, const bool *is_tree) {
  hn_tree *t = hn_tree_own(sys);
  int n = sys->bodies, head = 0, tail = 0;
  int *queue = malloc((size_t)n * sizeof(int)), *start = calloc((size_t)n + 2, sizeof(int));
  int *link = malloc((2 * (size_t)sys->joints + 1) * sizeof(int));
  t->mob = calloc((size_t)n, sizeof *t->mob);
  t->of_body = malloc((size_t)n * sizeof(int));
  if (!queue || !start || !link || !t->mob || !t->of_body) {
    free(queue), free(start), free(link);
    return HN_ERR_MEMORY;
  }
  // -1: not reached yet
  for (int i = 0; i < n; i++) t->of_body[i] = -1;
  // lists of joints per body by counting: starts are kept two places on, so that filling moves them
  // to where they belong
  for (int j = 0; j < sys->joints; j++)
    if (is_tree[j]) start[sys->joint[j].a.body + 2]++, start[sys->joint[j].b.body + 2]++;
  for (int i = 2; i < n + 2; i++) start[i] += start[i - 1];
  for (int j = 0; j < sys->joints; j++)
    if (is_tree[j]) {
      link[start[sys->joint[j].a.body + 1]++] = j;
      link[start[sys->joint[j].b.body + 1]++] = j;
    }
  for (int seed = 0; seed < n; seed++) {
    if (t->of_body[seed] >= 0) continue;
    if (seed) {  // not reached from the ground: a free body
      hn_mobilizer *m = &t->mob[t->count];
      *m = (hn_mobilizer){.type = HN_MOB_FREE, .body = seed, .up = -1, .joint = -1};
      m->nq = sys->body[seed].nq, m->nv = sys->body[seed].nv;
      t->of_body[seed] = t->count++;
    }
    head = tail = 0;
    queue[tail++] = seed;
    while (head < tail) {
      int body = queue[head++];
      for (int k = start[body]; k < start[body + 1]; k++) {
        const hn_sys_joint *j = &sys->joint[link[k]];
        int next = j->a.body == body ? j->b.body : j->a.body;
        // a body is reached once: there are no loops among tree joints
        if (next == 0 || t->of_body[next] >= 0) continue;
        hn_mobilizer *m = &t->mob[t->count];
        hn_mobilizer_type type = (hn_mobilizer_type)hn_mobilizer_of(j->type);
        *m = (hn_mobilizer){.type = type, .body = next, .parent = body, .joint = link[k]};
        m->up = t->of_body[body];
        // a is on the parent, whichever end the model calls so
        m->a = j->a.body == body ? j->a : j->b;
        m->b = j->a.body == body ? j->b : j->a;
        if (type == HN_MOB_REVOLUTE) set_upright(sys, m);
        m->nq = sizes[type][0], m->nv = sizes[type][1];
        read_rows(ref, m);
        int axis = type == HN_MOB_PRISMATIC ? 2 : 0;  // one that lies in the plane
        m->plane_angle =
            hn_atan2(m->a.R[3 + axis], m->a.R[axis]) - hn_atan2(m->b.R[3 + axis], m->b.R[axis]);
        t->of_body[next] = t->count++;
        queue[tail++] = next;
      }
    }
  }
  free(queue), free(start), free(link);
  return HN_OK;
}

// depth first, the heaviest branch of a body last, see hn_tree.
// Sizes of branches are summed from the last number to the first, as children have higher ones; the
// stack is a body's children with the heaviest at the bottom.
static hn_status number_depth_first(hn_tree *t) {
  int n = t->count, top = 0, count = 0;
  int *all = malloc(((size_t)n + 1) * 6 * sizeof(int));
  hn_mobilizer *mob = malloc(((size_t)n + 1) * sizeof *mob);
  if (!all || !mob) {
    free(all), free(mob);
    return HN_ERR_MEMORY;
  }
  int *size = all, *heavy = size + n, *child = heavy + n, *next = child + n, *stack = next + n;
  int *place = stack + n;  // new number of each
  for (int k = 0; k < n; k++) size[k] = 1, heavy[k] = child[k] = next[k] = -1;
  for (int k = n - 1; k >= 0; k--) {
    int up = t->mob[k].up;
    if (up < 0) continue;
    size[up] += size[k];
    next[k] = child[up], child[up] = k;  // the list begins with the smallest number
    if (heavy[up] < 0 || size[k] > size[heavy[up]]) heavy[up] = k;
  }
  for (int root = 0; root < n; root++) {
    if (t->mob[root].up >= 0) continue;
    stack[top++] = root;
    while (top > 0) {
      int k = stack[--top], first = top;
      place[k] = count;
      mob[count++] = t->mob[k];
      if (heavy[k] >= 0) stack[top++] = heavy[k], first++;
      for (int c = child[k]; c >= 0; c = next[c])
        if (c != heavy[k]) stack[top++] = c;
      // the first child on top
      for (int a = first, b = top - 1; a < b; a++, b--) {
        int x = stack[a];
        stack[a] = stack[b], stack[b] = x;
      }
    }
  }
  // from the old numbers to the new ones
  for (int k = 0; k < n; k++) {
    if (mob[k].up >= 0) mob[k].up = place[mob[k].up];
    t->of_body[mob[k].body] = k;
  }
  free(all), free(t->mob);
  t->mob = mob;
  return HN_OK;
}

// ---- what the walks read -----------------------------------------------------------------------

// the only coordinate that is not zero, 0 when all are; -1: there are several
static int only_coordinate(const double s[3]) {
  int only = 0, count = 0;
  for (int i = 0; i < 3; i++)
    if (s[i] != 0) only = i, count++;
  return count <= 1 ? only : -1;
}

// a turn about the common z of the mounts: A diag(Rz, 1) B^T by powers of sine and cosine.
// R = A Rz(q) B^T = T_0 + cos q T_c + sin q T_s with constant matrices: 18 products in place of two
// of matrices.
static void find_turn(const hn_mobilizer *m, double *turn) {
  const double *A = m->a.R, *B = m->b.R;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double *a = A + 3 * i, *b = B + 3 * j;
      turn[3 * i + j] = a[2] * b[2];
      turn[9 + 3 * i + j] = a[0] * b[0] + a[1] * b[1];
      turn[18 + 3 * i + j] = a[1] * b[0] - a[0] * b[1];
    }
}

// whether both mounts have their z along the same coordinate axis (the same way), but for rounding;
// then the joint turns the body by its angle and a constant about that axis.
// Most hinges of most models are such: the rotation is then that of the parent with two of its
// columns turned.
static bool along_axis(const hn_mobilizer *m, hn_hinge *h) {
  static const double noise = 1e-15;
  const double *A = m->a.R, *B = m->b.R;
  for (int axis = 0; axis < 3; axis++) {
    double along = A[3 * axis + 2];
    // both the same way; which way, sign says
    if (fabs(along - B[3 * axis + 2]) > noise || fabs(fabs(along) - 1) > noise) continue;
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    double C[9];
    m3_mult(C, A, B);
    h->axis = axis;
    h->sign = along > 0 ? 1 : -1;
    // the turn between the mounts, less what the coordinate has there
    h->angle = hn_atan2(C[3 * y + x], C[3 * x + x]) - h->sign * m->offset[0];
    return true;
  }
  return false;
}

static void set_hinge(hn_tree *t, int k, int *turn_size) {
  const hn_mobilizer *m = &t->mob[k];
  hn_hinge *h = &t->hinge[k];
  hn_link *l = &t->link[k];
  v3_copy(h->sa, m->a.s), v3_copy(h->sb, m->b.s);
  h->along_a = only_coordinate(h->sa), h->along_b = only_coordinate(h->sb);
  if (along_axis(m, h)) {
    l->shape = HN_LINK_AXIS;
    return;
  }
  l->shape = HN_LINK_TURN;
  h->sign = 1, h->angle = -m->offset[0];
  h->turn = *turn_size;
  *turn_size += 30;  // its axis (3) and three matrices (27)
}

static void set_link(hn_system *sys, int k) {
  hn_tree *t = hn_tree_own(sys);
  const hn_mobilizer *m = &t->mob[k];
  const hn_sys_body *b = &sys->body[m->body];
  bool turns = b->kind == HN_SPATIAL || b->kind == HN_PLANAR;
  double *inertia = t->inertia + 4 * k;
  t->link[k] = (hn_link){
      .v0 = m->v0,
      .q0 = m->q0,
      .s0 = m->s0,
      .l0 = m->l0,
      .body = m->body,
      .parent = m->parent,
      .body_q0 = b->q0,
      .body_v0 = b->v0,
      .parent_q0 = m->parent ? sys->body[m->parent].q0 : -1,
      .up = m->up,
      .up_slot = -1,
      .memory = t->d == 6 ? m->memory : -1,
      .angle = (signed char)m->angle,
      .sign = m->sign < 0 ? -1 : 1,
      .nv = (signed char)m->nv,
      .type = (signed char)m->type,
      .leaf = true,
      .turns = turns,
      .shown = t->d == 3 && b->needs_kin,
  };
  // a turn that is a coordinate is set with it, and never has to be guessed
  if (t->link[k].memory >= 0) sys->own_turns++;
  if (m->nq != m->nv) t->plain = false;  // some mobilizer has a quaternion
  inertia[0] = b->mass;
  for (int i = 0; i < 3; i++) inertia[1 + i] = turns ? b->inertia[i] : 0;
}

// Only for natural sizes of rows (hn_tree_loops): a body that is next to nothing would make any row
// on it look long.
static void invert_inertia(hn_tree *t) {
  double most[2] = {0, 0};  // mass, moment
  for (int i = 0; i < 4 * t->count; i++) most[i % 4 > 0] = fmax(most[i % 4 > 0], t->inertia[i]);
  for (int i = 0; i < 4 * t->count; i++)
    t->inverse[i] = t->inertia[i] > 1e-11 * most[i % 4 > 0] ? 1 / t->inertia[i] : 0;
}

// packs what the walks need; all offsets are known.
// A body and its last child share a slot: walking inwards the child has been added up before
// anything else of the body is, and walking outwards the body's numbers are not needed any more
// behind it.
static hn_status pack_links(hn_system *sys) {
  hn_tree *t = hn_tree_own(sys);
  size_t n = (size_t)t->count;
  int turn_size = 0;
  hn_arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    t->link = HN_TAKE(&arena, hn_link, n);
    t->hinge = HN_TAKE(&arena, hn_hinge, t->d == 6 ? n : 0);
    t->pin = HN_TAKE(&arena, hn_pin, t->d == 3 ? n : 0);
    t->inertia = HN_TAKE(&arena, double, 4 * n);
    t->inverse = HN_TAKE(&arena, double, 4 * n);
    if (pass == 0 && !hn_arena_allocate(&arena)) return HN_ERR_MEMORY;
  }
  t->packed = arena.base;
  t->plain = true;
  t->slots = 1;
  for (int k = 0; k < t->count; k++) {
    const hn_mobilizer *m = &t->mob[k];
    set_link(sys, k);
    if (t->d == 6 && m->type == HN_MOB_REVOLUTE) set_hinge(t, k, &turn_size);
    if (t->d == 3) {
      double offset = m->type == HN_MOB_REVOLUTE ? m->offset[0] : 0;
      t->pin[k] = (hn_pin){m->plane_angle - offset, {m->a.s[0], m->a.s[1]}, {m->b.s[0], m->b.s[1]}};
    }
  }
  invert_inertia(t);
  t->turn = malloc(((size_t)turn_size + 1) * sizeof(double));
  if (!t->turn) return HN_ERR_MEMORY;
  for (int k = 0; k < t->count; k++) {
    if (t->link[k].shape != HN_LINK_TURN) continue;
    double *turn = t->turn + t->hinge[k].turn;
    for (int i = 0; i < 3; i++) turn[i] = t->mob[k].a.R[3 * i + 2];
    find_turn(&t->mob[k], turn + 3);
  }
  // the highest number among its children is the last of a body
  for (int k = t->count - 1; k >= 0; k--) {
    hn_link *l = &t->link[k];
    if (l->up < 0) continue;
    l->last = t->link[l->up].leaf;
    t->link[l->up].leaf = false;
  }
  // outwards: the last child goes on in the body's slot, the others begin the next one
  for (int k = 0; k < t->count; k++) {
    hn_link *l = &t->link[k];
    if (l->up < 0) continue;
    l->up_slot = t->link[l->up].slot;
    l->slot = l->up_slot + !l->last;
    if (l->slot >= t->slots) t->slots = l->slot + 1;
  }
  return HN_OK;
}

// the mobilizers, what coordinates they have, and the loops between them.
// sys->nq and nv become those of the joints. Axes of a mobilizer take d numbers per velocity; the
// small factor is one number where there is one velocity, otherwise rows of 6.
static hn_status plan(hn_system *sys, const hn_system *ref, const bool *taken) {
  hn_tree *t = sys->own = calloc(1, sizeof *t);
  sys->coordinates = &hn_relative_coordinates;
  if (!t) return HN_ERR_MEMORY;
  t->d = sys->any_flat ? 3 : 6;  // numbers of a twist
  hn_status status = order_bodies(sys, ref, taken);
  if (!status) status = number_depth_first(t);
  if (status) return status;
  sys->nq = sys->nv = 0;
  for (int k = 0; k < t->count; k++) {
    hn_mobilizer *m = &t->mob[k];
    m->q0 = sys->nq, m->v0 = sys->nv, m->s0 = t->s_size, m->l0 = t->l_size;
    sys->nq += m->nq, sys->nv += m->nv;
    t->s_size += t->d * m->nv;
    t->l_size += m->nv > 1 ? 6 * m->nv : 1;
  }
  return hn_tree_plan_loops(sys);
}

// Spatial states of planar bodies are filled in for all of them, not only where primitives look:
// mounts of every joint are read off them.
static hn_status create(hn_system *sys, const hn_system *ref, const bool *taken) {
  hn_status status = plan(sys, ref, taken);
  if (status) return status;
  const hn_tree *t = hn_tree_own(sys);
  // reference poses, with 3-D states for all bodies and every measure
  hn_arena arena = {0};
  hn_work w = {0};
  hn_work_layout(&w, &arena, ref);
  double *q = calloc((size_t)sys->nq + 1, sizeof(double));
  double *v = calloc((size_t)sys->nv + 1, sizeof(double));
  if (!q || !v || !hn_arena_allocate(&arena)) {
    free(q), free(v), free(arena.base);
    return HN_ERR_MEMORY;
  }
  hn_work_layout(&w, &arena, ref);
  hn_eval_jacobian(&w, 0, ref->q0, ref->v0);
  hn_eval_measures(&w);
  for (int i = 1; i < ref->bodies; i++)
    if (hn_flat(&ref->body[i])) {
      const hn_kin2 *k2 = &w.kin2[i];
      hn_kin *k = &w.kin[i];
      k->p[0] = k2->x, k->p[1] = k2->y;
      k->R[0] = k->R[4] = k2->c, k->R[1] = -k2->s, k->R[3] = k2->s;
      k->v[0] = k2->vx, k->v[1] = k2->vy, k->w[2] = k2->w;
    }
  for (int k = 0; k < t->count; k++) {
    read_coordinates(ref, &w, &t->mob[k], ref->q0, ref->v0, q, v);
    match_measure(sys, &w, &t->mob[k], q);
    if (t->d == 3) match_angle(ref, &t->mob[k], q);
  }
  free(arena.base);
  free(sys->q0), free(sys->v0);
  sys->q0 = q, sys->v0 = v;
  return pack_links(sys);
}

static void destroy(hn_system *sys) {
  hn_tree *t = sys->own;
  if (!t) return;
  free(t->mob), free(t->of_body), free(t->path_start), free(t->path), free(t->path_up);
  free(t->path_block), free(t->packed), free(t->turn);
  hn_saddle_plan_destroy(t->plan);
  free(t);
}

static void mark_angles(const hn_system *sys, bool *q, bool *v) {
  const hn_tree *t = hn_tree_own(sys);
  for (int i = 0; i < t->count; i++) {
    const hn_mobilizer *m = &t->mob[i];
    // lengths come before angles in every type
    int linear = m->type == HN_MOB_FREE     ? (t->d == 3 ? 2 : 3)
                 : m->type == HN_MOB_PLANAR ? 2
                 : m->type == HN_MOB_PRISMATIC || m->type == HN_MOB_CYLINDRICAL ? 1
                                                                                : 0;
    for (int k = linear; k < m->nq; k++) q[m->q0 + k] = true;
    for (int k = linear; k < m->nv; k++) v[m->v0 + k] = true;
  }
}

// The weights of this and hn_reference_cost were fitted to times measured on all examples, chains
// and ladders of 5 to 500 bodies; what counts is the ratio of the two, and where it errs both cost
// about the same.
double hn_tree_cost_of(const hn_system *sys) {
  const hn_tree *t = hn_tree_own(sys);
  double path = 0, flat = t->d == 3 ? 85.0 * t->count : 55.0 * t->count + 80.0 * sys->nv;
  for (int g = 0; g < sys->groups; g++)
    path += (t->path_start[g + 1] - t->path_start[g]) * (double)(t->d * sys->group[g].rows);
  return 35 + flat + 5 * path + 45.0 * sys->rows + 120.0 * sys->constraint_measures +
         0.55 * (double)hn_saddle_plan_flops(t->plan);
}

// how many measures the rows of the other joints look at
static int measures_left(const hn_system *ref, const bool *taken, bool *seen) {
  int count = 0;
  for (int i = 0; i < ref->other_rows; i++) {
    const hn_row *r = &ref->row[ref->other_row[i]];
    for (int k = 0; k < r->terms && !taken[ref->row_joint[r->row]]; k++) {
      int m = ref->term[r->first_term + k].measure;
      count += !seen[m];
      seen[m] = true;
    }
  }
  return count;
}

// A shallow copy of the reference system with the groups that would be left: plan() needs no more,
// and destroys what it made through the copy.
double hn_tree_cost(const hn_system *ref, const bool *taken) {
  // a system that has no more than the plan asks for
  hn_system sys = *ref;
  bool *seen = calloc((size_t)ref->measures + 1, sizeof(bool));
  sys.group = malloc(((size_t)ref->groups + 1) * sizeof *sys.group);
  sys.groups = sys.rows = 0;
  double ns = -1;
  if (seen && sys.group) {
    for (int g = 0; g < ref->groups; g++)
      if (!taken[ref->group[g].joint]) {
        sys.group[sys.groups++] = ref->group[g];
        sys.rows += ref->group[g].rows;
      }
    sys.constraint_measures = measures_left(ref, taken, seen);
    if (!plan(&sys, ref, taken)) ns = hn_tree_cost_of(&sys);
    destroy(&sys);
  }
  free(seen), free(sys.group);
  return ns;
}

static bool part(const hn_system *sys, int k, hn_coordinate_part *out) {
  const hn_tree *t = hn_tree_own(sys);
  if (k >= t->count) return false;
  const hn_mobilizer *m = &t->mob[k];
  bool joint = m->joint >= 0;
  *out = (hn_coordinate_part){joint ? "joint" : "body",
                              joint ? sys->joint[m->joint].name : sys->body_info[m->body].name,
                              m->q0,
                              m->nq,
                              m->v0,
                              m->nv};
  return true;
}

const hn_coordinates hn_relative_coordinates = {
    .name = "relative",
    .ability = HN_IN_RELATIVE,
    .kkt = &hn_kkt_tree,
    .create = create,
    .destroy = destroy,
    .mark_angles = mark_angles,
    .part = part,
    .layout = hn_tree_layout,
    .move = hn_tree_move,
    .reduce = hn_tree_reduce,
    .reduce_forces = hn_tree_reduce_forces,
    .quaternions = hn_bodies_quaternions,
    .know_turns = hn_tree_know_turns,
    .read_turns = hn_tree_read_turns,
    .qdot = hn_tree_qdot,
    .retract = hn_tree_retract,
    .normalise = hn_tree_normalise,
    .jacobian_mul = hn_tree_jacobian_mul,
    .jacobian_tmul_add = hn_tree_jacobian_tmul_add,
    .jacobian_dense = hn_tree_jacobian_dense,
    .row_sizes = hn_bodies_row_sizes,
    .row_lengths = hn_tree_row_lengths,
    .mass_mul = hn_tree_mass_mul,
    .reactions = hn_tree_reactions,
    .wrench = hn_tree_wrench,
    .idle = hn_tree_idle,
    .accelerations = hn_tree_accelerations,
    .body_forces = hn_tree_body_forces,
};
