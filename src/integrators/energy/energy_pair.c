// energy_pair.c: forces between two bodies in the energy-momentum family, see energy.h.
//
// Such a force gives its discrete derivative by the frames u of its bodies (hn_between). These are
// linear in q: u = U q + constant, so that the generalized force is U^T f, and f . (u1 - u0) is the
// work over the step exactly.
#include "integrators/energy/energy.h"

#include <string.h>

int hn_energy_pairs(const hn_system *sys) {
  int count = 0;
  for (int i = 0; i < sys->batches; i++)
    if (sys->batch[i].ops->between) count += sys->batch[i].count;
  return count;
}

// adds factor times one component of a form to a component of the frame
static void add_entry(const hn_natural *n, hn_energy_map *map, int form, int component, int to,
                      double factor) {
  const hn_form *f = &n->form[form];
  map->constant[to] += factor * f->constant[component];
  for (int k = f->first; k < f->first + f->count; k++) {
    if (n->entry[k].component != component) continue;
    int at = 0;
    while (map->column[at] != n->entry[k].index) at++;
    map->frame[to * map->count + at] += factor * n->entry[k].coefficient;
  }
}

bool hn_energy_frames(hn_energy_step *s) {
  const hn_system *sys = s->sys;
  const hn_natural *n = hn_natural_own(sys);
  for (int i = 0; i < sys->bodies; i++) {
    const hn_natural_body *b = &n->body[i];
    hn_energy_map *map = &s->map[i];
    hn_body_kind kind = sys->body[i].kind;
    // its axes are those of the world
    if (sys->body[i].nv == 0) {  // the ground
      for (int k = 0; k < 3; k++) map->constant[3 + 4 * k] = 1;
      continue;
    }
    for (int c = 0; c < (kind == HN_PLANAR || kind == HN_PLANAR_POINT ? 2 : 3); c++)
      add_entry(n, map, b->position, c, c, 1);
    if (kind == HN_SPATIAL)
      for (int k = 0; k < 9; k++) add_entry(n, map, b->axis[k / 3], k % 3, 3 + k, 1);
    if (kind == HN_PLANAR) {
      for (int c = 0; c < 2; c++) add_entry(n, map, b->axis[0], c, 3 + c, 1);
      // in the plane the second axis is the first, turned by a right angle
      add_entry(n, map, b->axis[0], 1, 6, -1);
      add_entry(n, map, b->axis[0], 0, 7, 1);
      map->constant[11] = 1;
    }
  }
  return true;
}

static void frame_of(const hn_energy_map *map, const double *q, double u[12]) {
  for (int r = 0; r < 12; r++) {
    u[r] = map->constant[r];
    for (int k = 0; k < map->count; k++) u[r] += map->frame[r * map->count + k] * q[map->column[k]];
  }
}

void hn_energy_pairs_begin(hn_energy_step *s, const double *q0) {
  for (int i = 0; i < s->pairs; i++)
    for (int k = 0; k < 2; k++)
      frame_of(&s->map[s->pair[i].body[k]], q0, s->pair[i].step.start + 12 * k);
}

void hn_energy_pairs_evaluate(hn_energy_step *s) {
  for (int i = 0; i < s->pairs; i++) {
    hn_energy_pair *p = &s->pair[i];
    p->step.h = s->h;
    p->step.end_part = s->view.end_part;
    p->step.whole = s->view.whole, p->step.slope = s->view.slope;
    for (int k = 0; k < 6; k++)
      p->step.before[k] = s->view.pair_before ? s->view.pair_before[i][k] : 0;
    for (int k = 0; k < 2; k++) frame_of(&s->map[p->body[k]], s->q1, p->step.end + 12 * k);
    p->ops->between(p->data, &p->step);
    s->done += p->step.work;
    for (int k = 0; k < 2; k++) {
      const hn_energy_map *map = &s->map[p->body[k]];
      for (int r = 0; r < 12; r++)
        for (int c = 0; c < map->count; c++)
          s->f[map->column[c]] += map->frame[r * map->count + c] * p->step.f[12 * k + r];
    }
  }
}

// adds factor U_a^T K U_b to the matrix, for one pair of bodies
static void add_block(hn_energy_step *s, const hn_energy_map *a, const hn_energy_map *b,
                      const double *K, double factor) {
  double *value = hn_sparse_values(s->sparse);
  for (int i = 0; i < a->count; i++) {
    double row[12] = {0};
    for (int r = 0; r < 12; r++) {
      double x = a->frame[r * a->count + i];
      if (x == 0) continue;
      for (int c = 0; c < 12; c++) row[c] += x * K[24 * r + c];
    }
    for (int j = 0; j < b->count; j++) {
      double sum = 0;
      for (int c = 0; c < 12; c++) sum += row[c] * b->frame[c * b->count + j];
      if (sum == 0) continue;
      int at = hn_sparse_place(s->sparse, a->column[i], b->column[j]);
      if (at >= 0) value[at] += factor * sum;
    }
  }
}

void hn_energy_pairs_tangent(hn_energy_step *s, bool rate) {
  for (int i = 0; i < s->pairs; i++) {
    const hn_energy_pair *p = &s->pair[i];
    for (int k = 0; k < 4; k++)
      add_block(s, &s->map[p->body[k / 2]], &s->map[p->body[k % 2]],
                (rate ? p->step.rate : p->step.K) + 288 * (k / 2) + 12 * (k % 2), -s->factor);
  }
}
