// lone_joint.c: the rows of one joint by themselves, and what they leave free on its bodies.
//
// With columns in units of S = M^-1/2 and rows of unit length the rank does not depend on units; of
// the singular vectors those beyond it are the motions N the joint allows.
#include "analysis/lone_joint.h"

#include "base/elementary.h"
#include "linalg/dense.h"

// J and its rate are stored by groups, body after body (block_offset)
bool hn_lone_joint_gather(const hn_system *sys, const hn_group *group, const double *J,
                          const double *J1, const double *root, hn_lone_joint *o) {
  o->n = 0, o->rows = group->rows;
  for (int k = group->first; k < group->first + group->bodies; k++)
    o->n += sys->body[sys->group_body[k]].nv;
  int n = o->n, at = 0;
  if (n > HN_LONE_LARGEST || o->rows > HN_LONE_LARGEST || !n) return false;
  for (int k = 0; k < group->bodies; k++) {
    const hn_sys_body *b = &sys->body[sys->group_body[group->first + k]];
    int first = sys->block_offset[group->first + k];
    o->offset[k] = at;
    for (int c = 0; c < b->nv; c++) o->root[at + c] = root[b->v0 + c];
    for (int r = 0; r < o->rows; r++)
      for (int c = 0; c < b->nv; c++) {
        o->J[r * n + at + c] = J[first + r * b->nv + c];
        o->J1[r * n + at + c] = J1[first + r * b->nv + c];
      }
    at += b->nv;
  }
  return true;
}

// 1e-10: a joint's own rows are well conditioned, whatever the mechanism does
bool hn_lone_joint_free(hn_lone_joint *o) {
  double scaled[HN_LONE_LARGEST * HN_LONE_LARGEST], sv[HN_LONE_LARGEST];
  int n = o->n;
  for (int r = 0; r < o->rows; r++) {
    double sum = 0;
    // rows of unit length: their own units do not count
    for (int c = 0; c < n; c++) {
      double part = o->J[r * n + c] / o->root[c];
      sum += part * part;
    }
    o->size[r] = sum > 0 ? 1 / sqrt(sum) : 0;
    for (int c = 0; c < n; c++) scaled[r * n + c] = o->J[r * n + c] / o->root[c] * o->size[r];
  }
  if (!hn_dense_svd(o->rows, n, scaled, sv, NULL, o->Vt)) return false;
  o->rank = 0;
  for (int k = 0; k < (o->rows < n ? o->rows : n); k++) o->rank += sv[k] > 1e-10 * sv[0];
  return true;
}

void hn_lone_joint_along(const hn_lone_joint *o, const double *X, double *out) {
  int n = o->n, left = n - o->rank;
  for (int r = 0; r < o->rows; r++)
    for (int f = 0; f < left; f++) {
      double sum = 0;
      for (int c = 0; c < n; c++) sum += X[r * n + c] / o->root[c] * o->Vt[(o->rank + f) * n + c];
      out[r * left + f] = sum * o->size[r];
    }
}
