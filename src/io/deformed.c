// deformed.c: how far flexible bodies are deformed, from what was recorded of them; which bodies
// are nodes of beams, and how thick these are.
//
// The deformation p of a flexible body (model/reduced.h) is displacement and rotation of each
// interface but the first, seen from that, and the modes. Results have poses of the interfaces: the
// difference to the undeformed places, in the axes of the frame, is p.
#include "io/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/profile.h"

int hn_flexible_of(const hn_model *model, int body, bool *frame) {
  for (int i = 0; i < model->flexible_count; i++) {
    int k = body - model->flexible[i].first_body;
    *frame = k == 0;
    if (k >= 0 && k < model->flexible[i].reduced->interfaces) return i;
  }
  return -1;
}

// Linear in the beams; drawings ask once for each body.
const hn_model_beam *hn_beam_of(const hn_model *model, int body, int *node) {
  for (int i = 0; i < model->beam_count; i++) {
    const hn_model_beam *beam = &model->beam[i];
    bool turns = beam->def.kind == HN_SPATIAL || beam->def.kind == HN_PLANAR;
    *node = body - beam->first_body;
    if (turns && *node >= 0 && *node <= beam->def.elements) return beam;
  }
  return NULL;
}

double hn_beam_piece(const hn_model *model, const hn_model_beam *beam, int element) {
  const hn_model_body *a = &model->body[beam->first_body + element];
  double d[3];
  if (element < 0 || element >= beam->def.elements) return 0;
  v3_sub(d, a[1].def.position, a->def.position);
  return v3_norm(d);
}

// A tapered beam is as thick as its section at that part of its length.
void hn_beam_thickness(const hn_model_beam *beam, double part, double least, double half[2]) {
  const hn_profile *a = &beam->def.profile, *b = &beam->def.profile_end;
  hn_profile p = b->kind != HN_PROFILE_NONE ? hn_profile_between(a, b, part) : *a;
  double reach[3];
  hn_profile_reach(&p, reach);
  for (int k = 0; k < 2; k++) half[k] = fmax(fmax(reach[k], reach[2]), least);
}

// false: out of memory. Free it with hn_deformed_free() in any case.
bool hn_deformed_find(hn_deformed *d, const hn_result *result, const hn_model *model, int index) {
  const hn_model_flexible *f = &model->flexible[index];
  const hn_reduced *o = f->reduced;
  *d = (hn_deformed){.body = f->first_body, .reduced = o, .size = o->n - 6};
  d->pose = calloc((size_t)o->interfaces, sizeof *d->pose);
  d->mode = calloc((size_t)o->modes + 1, sizeof *d->mode);
  if (!d->pose || !d->mode) return false;
  for (int i = 0; i < o->interfaces; i++)
    hn_find_pose(result, model->body[f->first_body + i].def.name, &d->pose[i]);
  for (int k = 0; k < o->modes; k++) {
    char name[160];
    snprintf(name, sizeof name, "%.120s.mode%d", f->name, k + 1);
    d->mode[k] = hn_result_find(result, name);
  }
  return true;
}

void hn_deformed_free(hn_deformed *d) {
  free(d->pose), free(d->mode);
  *d = (hn_deformed){0};
}

// false where it was not recorded, or is no number.
static bool pose_at(const hn_pose_columns *c, const double *row, double x[3], double R[9]) {
  double q[4] = {1, 0, 0, 0};
  if (c->position[2] < 0 || c->quaternion[3] < 0) return false;
  for (int k = 0; k < 3; k++) x[k] = row[c->position[k]];
  for (int k = 0; k < 4; k++) q[k] = row[c->quaternion[k]];
  q_normalise(q);
  q_matrix(R, q);
  return isfinite(x[0]) && isfinite(R[0]);
}

// Small rotations: the antisymmetric part of Q = A^T R, as the reduced equations have them.
void hn_deformed_at(const hn_deformed *d, const double *row, double *p) {
  const hn_reduced *o = d->reduced;
  double x0[3], A[9];
  memset(p, 0, (size_t)d->size * sizeof *p);
  if (!pose_at(&d->pose[0], row, x0, A)) return;
  for (int i = 1; i < o->interfaces; i++) {
    double x[3], R[9], Q[9], *out = p + 6 * (i - 1);
    if (!pose_at(&d->pose[i], row, x, R)) continue;
    v3_sub(x, x, x0);
    m3_tmulv(out, A, x);
    v3_sub(out, out, o->place + 3 * i);
    m3_tmul(Q, A, R);
    v3_set(out + 3, 0.5 * (Q[7] - Q[5]), 0.5 * (Q[2] - Q[6]), 0.5 * (Q[3] - Q[1]));
  }
  for (int k = 0; k < o->modes; k++)
    if (d->mode[k] >= 0) p[o->stiff + k] = row[d->mode[k]];
}
