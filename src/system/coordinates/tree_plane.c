// tree_plane.c: poses, velocities and bias accelerations along a tree in the plane, in one walk
// outwards; the planar case of tree_space.c.
#include "base/elementary.h"
#include "system/coordinates/tree.h"

#include <string.h>

// the body as 3-D primitives see it
static void show(hn_kin *k, const hn_kin2 *k2) {
  k->p[0] = k2->x, k->p[1] = k2->y;
  k->R[0] = k->R[4] = k2->c, k->R[1] = -k2->s, k->R[3] = k2->s;
  k->v[0] = k2->vx, k->v[1] = k2->vy, k->w[2] = k2->w;
}

static void move_free(hn_work *w, const hn_link *l, int i, const double *q, const double *u,
                      int level) {
  hn_kin2 *k = &w->kin2[l->body];
  double *S = w->axes + l->s0, *lever = w->lever + 3 * i;
  k->x = q[0], k->y = q[1];
  if (l->turns) hn_sincos(q[2], &k->s, &k->c);
  memcpy(w->body_q + l->body_q0, q, (size_t)l->nv * sizeof(double));
  for (int j = 0; j < 3 * l->nv; j++) S[j] = j % 4 == 0;
  lever[0] = k->x, lever[1] = k->y;
  if (level < 1) return;
  k->vx = u[0], k->vy = u[1];
  if (l->turns) k->w = u[2];
  memcpy(w->body_v + l->body_v0, u, (size_t)l->nv * sizeof(double));
  v3_set(w->bias + 3 * i, 0, 0, 0);
}

// revolute, prismatic and fixed joints.
// Angles add up along the tree, so every body's is its parent's and its joint's; bias accelerations
// have no angular part. r goes from the parent's centre to the joint, d from there to the body's.
HN_TREE_INLINE void move_joint(hn_work *w, const hn_link *l, int i, double q, double u, int level) {
  const hn_tree *t = hn_tree_own(w->sys);
  const hn_pin *h = &t->pin[i];
  const hn_kin2 *up = &w->kin2[l->parent];
  hn_kin2 *k = &w->kin2[l->body];
  double *S = w->axes + l->s0, *x = w->body_q + l->body_q0, *lever = w->lever + 3 * i;
  bool slides = l->type == HN_MOB_PRISMATIC, turns = l->type == HN_MOB_REVOLUTE;
  double angle = (l->parent_q0 >= 0 ? w->body_q[l->parent_q0 + 2] : 0) + h->angle;
  double rx = up->c * h->sa[0] - up->s * h->sa[1], ry = up->s * h->sa[0] + up->c * h->sa[1];
  double zx = 0, zy = 0;
  if (turns) angle += q;
  if (slides) {
    const hn_mobilizer *m = &t->mob[i];
    zx = up->c * m->a.R[2] - up->s * m->a.R[5];
    zy = up->s * m->a.R[2] + up->c * m->a.R[5];
    rx += (q - m->offset[0]) * zx;
    ry += (q - m->offset[0]) * zy;
  }
  double c, s;
  hn_sincos(angle, &s, &c);
  double dx = s * h->sb[1] - c * h->sb[0], dy = -(s * h->sb[0] + c * h->sb[1]);
  double lx = rx + dx, ly = ry + dy;
  k->c = c, k->s = s;
  k->x = x[0] = up->x + lx, k->y = x[1] = up->y + ly, x[2] = angle;
  lever[0] = lx, lever[1] = ly;
  double sx = turns ? -dy : zx, sy = turns ? dx : zy, sw = turns;
  if (l->nv) S[0] = sx, S[1] = sy, S[2] = sw;
  if (level < 1) return;
  double *o = w->body_v + l->body_v0, wp = up->w, rate = l->nv ? u : 0, wc = wp + rate * sw;
  k->vx = o[0] = up->vx - wp * ly + rate * sx;
  k->vy = o[1] = up->vy + wp * lx + rate * sy;
  k->w = o[2] = wc;
  if (level < 2) return;
  double ax = -wp * wp * rx - wc * wc * dx, ay = -wp * wp * ry - wc * wc * dy;
  if (l->up >= 0) ax += w->bias[3 * l->up], ay += w->bias[3 * l->up + 1];
  if (slides) ax -= 2 * wp * u * zy, ay += 2 * wp * u * zx;
  v3_set(w->bias + 3 * i, ax, ay, 0);
}

HN_TREE_INLINE void move(hn_work *w, const double *q, const double *v, int level) {
  const hn_system *sys = w->sys;
  const hn_tree *t = hn_tree_own(sys);
  for (int i = 0; i < t->count; i++) {
    const hn_link *l = &t->link[i];
    const double *own = q + l->q0, *u = level ? v + l->v0 : own;
    if (l->type == HN_MOB_FREE)
      move_free(w, l, i, own, u, level);
    else
      move_joint(w, l, i, l->nv ? own[0] : 0, l->nv ? u[0] : 0, level);
    if (l->shown) show(&w->kin[l->body], &w->kin2[l->body]);
    if (level < 2) continue;
    double *f = w->f + l->body_v0;
    f[0] = t->inertia[4 * i] * sys->gravity[0];
    f[1] = t->inertia[4 * i] * sys->gravity[1];
    if (l->turns) f[2] = 0;
  }
}

// `level` is a constant in each copy of the walk: no branch is left in the loop.
void hn_tree_move_plane(hn_work *w, const double *q, const double *v, int level) {
  switch (level) {
  case 0: move(w, q, v, 0); break;
  case 1: move(w, q, v, 1); break;
  default: move(w, q, v, 2); break;
  }
}
