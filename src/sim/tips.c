// tips.c: points and corners before solids with faces.
//
// The distance of a point from a solid has one gradient before a face, another beside it. A tip
// that touches is held by one face, whose plane alone counts: rows keep their normal to the last
// digit until the tip has come to the edge of the face. There steps end, and the row goes; what
// touches beyond (the edge, by a corner of the other solid or one of its edges) has gaps of its
// own.
//
// A corner of one solid rests on a face of the other only where it is its lowest point, seen from
// the face: no edge at it leads into the face's other side. That tells which of several faces it
// is on, where solids lie edge to edge.
//
// Where corners of both solids meet, edge to edge, each says the same as the other: one of them
// stands for both.
#include "sim/contact.h"
#include "system/measure.h"
#include "system/polytope.h"

#include <string.h>

// beside a face by so much a tip still stands on it, and so near a plane it may be of the face; in
// units of the model's length
static const double beside = 1e-9;
static const double below = 1e-7;  // sine by which an edge may lead through the face

void hn_tips_layout(struct hn_contacts *place, const hn_sim *sim, hn_arena *arena) {
  place->face = HN_TAKE(arena, int, sim->sys->tips);
  place->doubled = HN_TAKE(arena, int, sim->sys->unilaterals);
  hn_edges_layout(place, sim, arena);
}

void hn_tips_start(hn_sim *sim) {
  for (int i = 0; i < sim->sys->tips; i++) sim->contacts->face[i] = -1;
  for (int i = 0; i < sim->sys->edge_pairs; i++) sim->contacts->side[i] = 0;
}

// the point in the axes of the solid
static void point_of(const hn_sim *sim, const hn_tip *tip, double axis[3][3], double p[3]) {
  const hn_measure *m = &sim->sys->measure[tip->measure];
  const hn_work *w = &sim->stage.work;
  double rate[3];
  hn_surface_point(m, &w->kin[m->a], &w->kin[m->b], axis, p, rate);
}

static double margin(const hn_sim *sim, int i) {
  const hn_tip *tip = &sim->sys->tip[i];
  const hn_polytope solid = hn_polytope_of(tip->solid);
  double axis[3][3], p[3];
  if (tip->other) return hn_edges_margin(sim, i);
  point_of(sim, tip, axis, p);
  return hn_polytope_margin(&solid, sim->contacts->face[i], p) + beside * sim->sys->length;
}

static bool touches(const struct hn_contacts *c, int gap) {
  return c->on[gap] || c->idle[gap];
}

void hn_tips_values(hn_sim *sim, double *value) {
  const struct hn_contacts *c = sim->contacts;
  for (int i = 0; i < sim->sys->tips; i++) {
    bool held = c->face[i] >= 0 && touches(c, sim->sys->tip[i].gap);
    value[i] = held ? margin(sim, i) : 1;
  }
  hn_edges_values(sim, value + sim->sys->tips);
}

// the least sine at which an edge of the corner rises from a face; a point rises everywhere
static double rises(const hn_sim *sim, const hn_tip *tip, double axis[3][3], const double n[3]) {
  const hn_measure *m = &sim->sys->measure[tip->measure];
  double least = 1, normal[3] = {0, 0, 0}, inner[3];
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) normal[i] += n[k] * axis[k][i];
  m3_tmulv(inner, sim->stage.work.kin[m->b].R, normal);
  for (int i = 0; i < tip->spoke_count; i++)
    least = fmin(least, v3_dot(inner, tip->spokes + 3 * i));
  return least;
}

// the face that a tip which touches stands on; -1: none, as where two corners meet in space
static int find_face(const hn_sim *sim, const hn_tip *tip) {
  const hn_polytope solid = hn_polytope_of(tip->solid);
  double axis[3][3], p[3], near = beside * sim->sys->length, best = -below;
  int face = -1;
  point_of(sim, tip, axis, p);
  for (int f = 0; f < solid.faces; f++) {
    const double *plane = solid.plane + 4 * f;
    if (fabs(v3_dot(plane, p) - plane[3]) > near) continue;
    if (hn_polytope_margin(&solid, f, p) < -near) continue;
    double sine = rises(sim, tip, axis, plane);
    if (sine > best) best = sine, face = f;
  }
  return face;
}

static void world_place(const hn_sim *sim, const hn_tip *tip, double p[3]) {
  const hn_measure *m = &sim->sys->measure[tip->measure];
  const hn_kin *b = &sim->stage.work.kin[m->b];
  m3_mulv(p, b->R, m->sb);
  v3_add(p, p, b->p);
}

// do they say the same? A corner of each solid, in one place
static bool meet(const hn_sim *sim, const hn_tip *one, const hn_tip *other) {
  const hn_measure *m = &sim->sys->measure[one->measure], *n = &sim->sys->measure[other->measure];
  double p[3], q[3];
  if (m->a != n->b || m->b != n->a || !one->spokes || !other->spokes) return false;
  world_place(sim, one, p), world_place(sim, other, q);
  v3_sub(p, p, q);
  return v3_norm(p) <= beside * sim->sys->length;
}

// of corners that meet the one that bears already stands for both, or the first
static void find_doubled(hn_sim *sim) {
  struct hn_contacts *c = sim->contacts;
  double near = beside * sim->sys->length;
  for (int i = 0; i < sim->sys->tips; i++) {
    const hn_tip *tip = &sim->sys->tip[i];
    int g = tip->gap;
    c->doubled[g] = 0;
    for (int k = 0; k < sim->sys->tips && !c->doubled[g] && c->gap[g] <= near; k++) {
      const hn_tip *other = &sim->sys->tip[k];
      int h = other->gap;
      bool first = c->on[h] != c->on[g] ? c->on[h] : k < i;
      if (k != i && first && c->gap[h] <= near && meet(sim, tip, other)) c->doubled[g] = h + 1;
    }
  }
}

static void let_go(struct hn_contacts *c, int tip, int gap) {
  c->on[gap] = c->bears[gap] = c->idle[gap] = false;
  c->face[tip] = -1;
}

void hn_tips_switch(hn_sim *sim) {
  struct hn_contacts *c = sim->contacts;
  double near = 0.1 * beside * sim->sys->length;
  bool changed = false;
  for (int i = 0; i < sim->sys->tips; i++)
    if (c->face[i] >= 0 && touches(c, sim->sys->tip[i].gap) && margin(sim, i) < 0)
      let_go(c, i, sim->sys->tip[i].gap), changed = true;
  if (changed) hn_contact_look(sim, sim->state.t, sim->state.y);
  find_doubled(sim);
  for (int i = 0; i < sim->sys->tips; i++) {
    const hn_tip *tip = &sim->sys->tip[i];
    if (c->doubled[tip->gap]) let_go(c, i, tip->gap);
    if (tip->other || c->face[i] >= 0 || c->doubled[tip->gap] || c->gap[tip->gap] > near) continue;
    c->face[i] = find_face(sim, tip);
    changed |= c->face[i] >= 0;
  }
  changed |= hn_edges_meet(sim);
  if (changed) hn_contact_look(sim, sim->state.t, sim->state.y);
}

// without its face nothing tells which way a tip slips
static void loosen(hn_sim *sim, int gap) {
  struct hn_contacts *c = sim->contacts;
  for (int h = 0; h < sim->sys->holds; h++) {
    const hn_hold *hold = &sim->sys->hold[h];
    if (hold->normal != gap) continue;
    c->grip[h] = HN_LOOSE;
    for (int i = hold->first; i < hold->first + hold->rows; i++)
      c->on[i] = c->bears[i] = false, c->slip[i] = 0;
  }
}

void hn_tips_release(hn_sim *sim) {
  struct hn_contacts *c = sim->contacts;
  for (int i = 0; i < sim->sys->tips; i++) {
    int gap = sim->sys->tip[i].gap;
    if (touches(c, gap)) continue;
    c->face[i] = -1;
    loosen(sim, gap);
  }
}
