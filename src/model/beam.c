// beam.c: adding beams. A beam becomes bodies, its nodes, and forces between neighbours, its
// elements; nothing else of the library knows of it.
//
//   nodes       "arm.start", "arm.node1" ..., "arm.end", or what `places` calls them; x of their
//               axes goes along the beam, y and z are those of the section
//   elements    "arm.element1" ..., of type beam-element; springs between point masses in a rod
//   loads       "arm.load0" ..., forces on the nodes
//
// Masses are lumped at the nodes by the rule of Euler and Maclaurin, which integrates products of
// shapes along a beam with nodes h apart: halves of the elements, and at both ends h^2/12 times the
// slope of the product,
//
//   int f = h (f_0/2 + f_1 + ... + f_n/2) + h^2/12 (f'_0 - f'_n) + O(h^4 f''')
//
// Of f = w^2 that is a mass h/2 whose centre lies h/6 further in. As a point it has a moment of
// inertia of its own about the node, h^3/72 w'^2; w'^2 is f''/2 where the beam ends, and that much
// is taken away by masses `bent` (-1, 2, -1) h at the last three nodes. Halves alone are of the
// second order, and far worse at free ends.
//
// Consistent masses are halves at the nodes, and the elements' own (forces/beam_mass.c).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/vec.h"
#include "linalg/dense.h"
#include "model/beam_curve.h"
#include "model/beam_make.h"
#include "model/check.h"
#include "model/model.h"
#include "model/profile.h"

enum { MOST_ELEMENTS = 100000, NAME = 128 };

// x (1/2 - x) = 1/288
static const double bent = 0.0070436710481124876;

// ---- the section ---------------------------------------------------------------------------

// `part` of the way from start to end; beyond the ends too, where a slope is taken by differences.
static hn_profile profile_at(const hn_beam_def *def, double part) {
  bool tapers = def->profile_end.kind != HN_PROFILE_NONE;
  return tapers ? hn_profile_between(&def->profile, &def->profile_end, part) : def->profile;
}

// Young's modulus and how far the section reaches: what stresses follow from, where they do from a
// material and a profile
// Without a profile, or where the stiffness is given by numbers, stresses are not known.
static void fibres_at(const hn_beam_def *def, double part, double fibres[4]) {
  hn_profile profile = profile_at(def, part);
  hn_profile_reach(&profile, fibres + 1);
  bool known = !def->stiffness6 && fmax(fibres[1], fibres[3]) > 0;
  fibres[0] = known ? def->young : 0;
}

// Stiffness (EA, GA_y, GA_z, GJ, EI_y, EI_z) and mass per length of the section, each given or from
// the profile. What is given holds along the whole beam; only profiles taper. The polar moment of
// the mass is I_y + I_z, unlike the torsion constant of the stiffness.
static void values_at(const hn_beam_def *def, double part, double K[36], double M[36]) {
  if (def->stiffness6) memcpy(K, def->stiffness6, 36 * sizeof *K);
  if (def->mass6) memcpy(M, def->mass6, 36 * sizeof *M);
  if (def->profile.kind == HN_PROFILE_NONE) return;
  hn_profile profile = profile_at(def, part);
  hn_section_values v = hn_profile_values(&profile, def->poisson);
  double E = def->young, G = def->shear > 0 ? def->shear : E / (2 * (1 + def->poisson));
  const double stiff[6] = {E * v.area,    G * v.shear_y * v.area, G * v.shear_z * v.area,
                           G * v.torsion, E * v.inertia_y,        E * v.inertia_z};
  const double mass[6] = {v.area,      v.area,     v.area, v.inertia_y + v.inertia_z,
                          v.inertia_y, v.inertia_z};
  if (!def->stiffness6) memset(K, 0, 36 * sizeof *K);
  if (!def->mass6) memset(M, 0, 36 * sizeof *M);
  for (int i = 0; i < 6; i++) {
    if (!def->stiffness6) K[7 * i] = stiff[i];
    if (!def->mass6) M[7 * i] = def->density * mass[i];
  }
}

// ---- checks --------------------------------------------------------------------------------

static bool is_rod(const hn_beam_def *def) {
  return def->kind == HN_POINT || def->kind == HN_PLANAR_POINT;
}
static bool is_flat(const hn_beam_def *def) {
  return def->kind == HN_PLANAR || def->kind == HN_PLANAR_POINT;
}

// hn_largest of a NaN is NaN, which is not <= anything.
static hn_status check_points(hn_model *model, const hn_beam_def *def) {
  const char *key = def->point_count > 2 ? "along" : "to";
  if (!def->points || def->point_count < 2)
    return hn_element_fail(model, "along", "needs 'from' and 'to', or at least two points 'along'");
  for (int k = 0; k < def->point_count; k++) {
    const double *p = def->points + 3 * k;
    if (!(hn_largest(p, 3) <= HN_LARGEST))
      return hn_element_fail(model, key, "a point is no number, or farther than %g m", HN_LARGEST);
    if (is_flat(def) && p[2] != 0)
      return hn_element_fail(model, key, "a planar beam lies in the x-y plane: z must be 0");
    if (k > 0 && p[0] == p[-3] && p[1] == p[-2] && p[2] == p[-1])
      return hn_element_fail(model, key, "two of its points are one: the beam has no length there");
  }
  if (def->arc && def->point_count != 3)
    return hn_element_fail(model, "curve", "an arc goes along three points: start, middle, end");
  return HN_OK;
}

// Positive definite by Cholesky's factorisation. Planar beams do without numbers for what they
// never do (shear along z, torsion, bending about y): ones stand there in the test.
static hn_status check_matrix(hn_model *model, const char *key, const double *A, bool flat) {
  double L[36], largest = 0, skew = 0;
  if (!A) return HN_OK;
  memcpy(L, A, sizeof L);
  for (int i = 0; i < 36; i++) {
    largest = fmax(largest, fabs(A[i]));
    skew = fmax(skew, fabs(A[i] - A[6 * (i % 6) + i / 6]));
  }
  if (!(skew <= 1e-12 * largest)) return hn_element_fail(model, key, "%s must be symmetric", key);
  // what planar nodes never do needs no numbers
  for (int k = 2; k < 5 && flat; k++)
    if (L[7 * k] == 0) L[7 * k] = 1;
  if (!hn_dense_cholesky(6, L))
    return hn_element_fail(model, key, "%s of the section must be positive definite%s", key,
                           A[0] < 0 || A[7] < 0 || A[14] < 0 || A[21] < 0 || A[28] < 0 || A[35] < 0
                               ? " (a number on its diagonal is negative)"
                               : "");
  return HN_OK;
}

static hn_status need(hn_model *model, const char *path, const char *word, double x) {
  if (x > 0 && isfinite(x)) return HN_OK;
  return hn_element_fail(model, path, "%s of the profile must be positive", word);
}

// NEED names the key that is missing or wrong, so that the message stands there.
static hn_status check_profile(hn_model *model, const char *key, const hn_profile *p) {
  char path[64];
  hn_status status = HN_OK;
#define NEED(x)                                                                                    \
  if (!status) snprintf(path, sizeof path, "%s.*." #x, key), status = need(model, path, #x, p->x)
  switch (p->kind) {
  case HN_PROFILE_NONE: return HN_OK;
  case HN_PROFILE_RECTANGLE:
    NEED(width);
    NEED(height);
    return status;
  case HN_PROFILE_CIRCLE: NEED(radius); return status;
  case HN_PROFILE_TUBE:
    NEED(radius);
    NEED(thickness);
    if (!status && !(p->thickness < p->radius))
      return hn_element_fail(model, path, "the wall of a tube must be thinner than its radius");
    return status;
  case HN_PROFILE_I:
    NEED(width);
    NEED(height);
    NEED(flange);
    NEED(web);
    if (!status && !(2 * p->flange < p->height && p->web < p->width))
      return hn_element_fail(model, key,
                             "two flanges must be lower than the height, and the web "
                             "thinner than the width");
    return status;
  case HN_PROFILE_NUMBERS:
    NEED(area);
    NEED(inertia_y);
    NEED(inertia_z);
    NEED(torsion);
    return status;
  }
#undef NEED
  return hn_element_fail(model, key, "there is no profile number %d", (int)p->kind);
}

// Poisson's ratio between -1 and 1/2: outside an isotropic material would gain energy.
static hn_status check_material(hn_model *model, const hn_beam_def *def) {
  bool profile = def->profile.kind != HN_PROFILE_NONE;
  if (!profile && !def->stiffness6)
    return hn_element_fail(model, NULL, "needs a profile with 'young', or a stiffness");
  if (!profile && !def->mass6)
    return hn_element_fail(model, NULL, "needs a profile with 'density', or a mass");
  if (profile && !def->stiffness6 && !(def->young > 0))
    return hn_element_fail(model, "young", "needs 'young', the modulus of the material");
  if (profile && !def->mass6 && !(def->density > 0))
    return hn_element_fail(model, "density", "needs 'density' of the material");
  if (!(def->poisson > -1 && def->poisson <= 0.5))
    return hn_element_fail(model, "poisson", "poisson must be between -1 and 0.5");
  if (def->profile_end.kind != HN_PROFILE_NONE && def->profile_end.kind != def->profile.kind)
    return hn_element_fail(model, "profile_end", "both ends must have the same kind of profile");
  hn_status status = check_profile(model, "profile", &def->profile);
  if (!status) status = check_profile(model, "profile_end", &def->profile_end);
  if (!status) status = check_matrix(model, "stiffness", def->stiffness6, is_flat(def));
  if (!status) status = check_matrix(model, "mass", def->mass6, is_flat(def));
  return status;
}

// Keys by themselves, then what they mean together.
static hn_status check_beam(hn_model *model, const hn_beam_def *def) {
  if (def->kind > HN_PLANAR_POINT)
    return hn_element_fail(model, "type", "there is no kind of beam number %d", (int)def->kind);
  if (def->elements < 1 || def->elements > MOST_ELEMENTS)
    return hn_element_fail(model, "elements", "elements must be a whole number from 1 to %d",
                           MOST_ELEMENTS);
  if (def->place_count < 0 || (def->place_count > 0 && !def->places))
    return hn_element_fail(model, "places", "places: there is a count, and no list");
  hn_status status = hn_check_fields(model, NULL, hn_beam_fields, NULL, def);
  if (!status && def->consistent && is_rod(def))
    status = hn_element_fail(model, "masses", "rods have lumped masses: their nodes are points");
  if (!status) status = check_points(model, def);
  if (!status) status = check_material(model, def);
  if (!status) status = hn_rayleigh_check(model, def);
  if (!status && is_flat(def) && (def->twist != 0 || v3_norm(def->up) > 0))
    return hn_element_fail(model, def->twist != 0 ? "twist" : "up",
                           "a planar beam stays upright: z of its sections is the world's");
  return status;
}

// ---- nodes ---------------------------------------------------------------------------------

// s runs along the curve; weight and moment are those of the rule at the top of this file, in
// lengths of beam, to be multiplied by the mass per length.
typedef struct node {
  double s;       // arc length
  double weight;  // [m] of the beam that it carries,
  double moment;  // [m^2] and where: this over the weight along x
  double p[3], R[9];
  bool placed;  // an end, or a place: spacing may change here
  char name[NAME];
} node;

// One beam on its way; `def` is the caller's.
typedef struct maker {
  hn_model *model;
  const hn_beam_def *def;
  hn_curve curve;
  bool halved;
  int elements;
  node *node;  // elements + 1
  hn_rayleigh rayleigh;
} maker;

static int compare_places(const void *a, const void *b) {
  const hn_beam_place *x = a, *y = b;
  return (x->at > y->at) - (x->at < y->at);
}

// every piece between places, where the nodes are even
// The rule holds for evenly spaced nodes, hence from place to place; at a place the two pieces
// meet, and both give it their ends. With a single element there are no three nodes to take the
// rest from.
static void weigh(maker *m, int first, int last) {
  int n = last - first;
  double h = (m->node[last].s - m->node[first].s) / n;
  for (int k = 0; k <= n; k++) m->node[first + k].weight += (k == 0 || k == n ? 0.5 : 1) * h;
  for (int end = 0; end < 2; end++) {
    node *o = &m->node[end ? last : first];
    int in = end ? -1 : 1;
    o->moment += in * h * h / 12;
    if (n < 2) continue;
    o[0].weight -= bent * h, o[in].weight += 2 * bent * h, o[2 * in].weight -= bent * h;
  }
}

static void weigh_pieces(maker *m) {
  for (int first = 0, k = 1; k <= m->elements; k++)
    if (m->node[k].placed) weigh(m, first, k), first = k;
}

// evenly spread; the nodes nearest to the places move there and take their names
// Nodes are even where nothing is said. A place takes the nearest free node, in the order along the
// beam, and those between it and the last one are spread anew: elements stay of similar length.
static hn_status spread(maker *m) {
  const hn_beam_def *def = m->def;
  int n = def->elements, last = 0;
  double step = m->curve.length / n;
  for (int k = 0; k <= n; k++) {
    m->node[k].s = m->curve.length * k / n;
    m->node[k].placed = k == 0 || k == n;
    if (k == 0 || k == n)
      snprintf(m->node[k].name, NAME, "%s.%s", def->name, k ? "end" : "start");
    else
      snprintf(m->node[k].name, NAME, "%s.node%d", def->name, k);
  }
  hn_beam_place *place = calloc((size_t)def->place_count + 1, sizeof *place);
  if (!place) return hn_model_fail(m->model, m->model->now, HN_ERR_MEMORY, "out of memory");
  if (def->place_count) memcpy(place, def->places, (size_t)def->place_count * sizeof *place);
  qsort(place, (size_t)def->place_count, sizeof *place, compare_places);
  hn_status status = HN_OK;
  for (int i = 0; i < def->place_count && !status; i++) {
    char path[96];
    int k = (int)lround(place[i].at / step);
    if (k <= last) k = last + 1;
    snprintf(path, sizeof path, "places.%.60s", place[i].name ? place[i].name : "");
    if (!place[i].name || !hn_model_is_name(place[i].name))
      status = hn_element_fail(m->model, path, "bad name (%s)", hn_name_rule);
    else if (!(place[i].at > 0 && place[i].at < m->curve.length))
      status = hn_element_fail(m->model, path, "a place must be between 0 and the length, %.6g m",
                               m->curve.length);
    else if (k >= n || place[i].at <= m->node[last].s)
      status = hn_element_fail(m->model, path, "there are too few elements for its places");
    if (status) break;
    m->node[k].s = place[i].at;
    snprintf(m->node[k].name, NAME, "%s.%s", def->name, place[i].name);
    // nodes between two places are spread anew
    for (int j = last + 1; j < k; j++)
      m->node[j].s = m->node[last].s + (place[i].at - m->node[last].s) * (j - last) / (k - last);
    m->node[k].placed = true;
    last = k;
  }
  for (int j = last + 1; j < n && last > 0; j++)
    m->node[j].s = m->node[last].s + (m->curve.length - m->node[last].s) * (j - last) / (n - last);
  free(place);
  return status;
}

// a node more in the middle of every element
// From the end backwards, since nodes move to twice their index.
static void halve(maker *m) {
  for (int k = m->elements; k > 0; k--) {
    node *middle = &m->node[2 * k - 1];
    m->node[2 * k] = m->node[k];
    *middle = (node){.s = 0.5 * (m->node[k - 1].s + m->node[k].s)};
    snprintf(middle->name, NAME, "%s.node%d__half", m->def->name, k);
  }
  m->elements *= 2;
}

// x along the beam, z as near to `up` as can be, turned by the twist
// z as near to `up` as the tangent allows: y = up x t, z = t x y, then both turn by the twist.
// Where the tangent comes within 1e-3 of `up` the frame would spin about it, and another direction
// is asked for; a beam that begins along z takes x instead, when nothing was given.
static hn_status orient(maker *m) {
  const hn_beam_def *def = m->def;
  double up[3] = {0, 0, 1};
  for (int k = 0; k <= m->elements; k++) {
    node *o = &m->node[k];
    double x[3], y[3], z[3], turn = def->twist * o->s / m->curve.length;
    hn_curve_at(&m->curve, o->s, o->p, x);
    if (v3_norm(def->up) > 0) v3_scale(up, 1 / v3_norm(def->up), def->up);
    if (k == 0 && v3_norm(def->up) == 0 && fabs(x[2]) > 0.99) v3_set(up, 1, 0, 0);
    v3_cross(y, up, x);
    if (v3_norm(y) < 1e-3)
      return hn_element_fail(m->model, "up",
                             "the beam goes along 'up' at %.3g m: give another direction that it "
                             "nowhere follows",
                             o->s);
    v3_scale(y, 1 / v3_norm(y), y);
    v3_cross(z, x, y);
    double c = hn_cos(turn), s = hn_sin(turn);
    for (int i = 0; i < 3; i++) {
      o->R[3 * i] = x[i];
      o->R[3 * i + 1] = c * y[i] + s * z[i];
      o->R[3 * i + 2] = c * z[i] - s * y[i];
    }
  }
  return HN_OK;
}

// per length at both ends of the element behind node k, linear in between: with its mass and centre
// of mass by Simpson's rule
// Linear from start to end such that its integral is Simpson's: the mass of the taper is kept, and
// its centre as well.
static void element_mass(const maker *m, int k, double start[36], double end[36]) {
  double K[36], section[3][36];
  for (int i = 0; i < 3; i++) {
    double s = m->node[k].s + 0.5 * i * (m->node[k + 1].s - m->node[k].s);
    values_at(m->def, s / m->curve.length, K, section[i]);
  }
  for (int j = 0; j < 36; j++) {
    double mean = (section[0][j] + 4 * section[1][j] + section[2][j]) / 6;
    double rise = (section[2][j] - section[0][j]) / 2;
    start[j] = mean - rise, end[j] = mean + rise;
  }
}

// halves of the elements on both sides
static void node_halves(const maker *m, int k, double M[36]) {
  memset(M, 0, 36 * sizeof *M);
  for (int e = k - 1; e <= k; e++) {
    double start[36], end[36];
    if (e < 0 || e == m->elements) continue;
    element_mass(m, e, start, end);
    for (int j = 0; j < 36; j++)
      M[j] += 0.5 * (m->node[e + 1].s - m->node[e].s) * (e < k ? end[j] : start[j]);
  }
}

// what a node weighs, about itself and in its axes
// 6 x 6 inertia about the node: (m 1, -m [c]; m [c], J). The product of two shapes has a slope by
// the section too, (w^2 rho A)' = w^2 (rho A)' + ..., which enters at the ends of pieces.
static void node_mass(const maker *m, int k, double M[36]) {
  const node *o = &m->node[k];
  if (m->def->consistent) {
    node_halves(m, k, M);
    return;
  }
  double K[36], section[36];
  // the slope of the product has one by the section as well, where that tapers
  const double part = o->s / m->curve.length, near = 1e-3;
  double before[36], after[36];
  values_at(m->def, part, K, section);
  values_at(m->def, part - near, K, before);
  values_at(m->def, part + near, K, after);
  for (int i = 0; i < 36; i++)
    M[i] =
        o->weight * section[i] + o->moment * (after[i] - before[i]) / (2 * near * m->curve.length);
  // at (c, 0, 0), with its moment of inertia m c^2 across
  double S = section[0] * o->moment, c = S / M[0];
  if (is_rod(m->def)) return;
  M[6 * 1 + 5] += S, M[6 * 5 + 1] += S, M[6 * 2 + 4] -= S, M[6 * 4 + 2] -= S;
  M[6 * 4 + 4] += S * c, M[6 * 5 + 5] += S * c;
}

// The lumped inertia may have any centre: the body's frame stays in the node, along the beam.
// Velocities are those of the rigid beam about its start.
static hn_status add_node(maker *m, int k) {
  const hn_beam_def *def = m->def;
  const node *o = &m->node[k];
  double M[36], lever[3], spin[3];
  hn_body_def body = {.name = o->name, .kind = def->kind};
  node_mass(m, k, M);
  body.mass = M[0];
  v3_copy(body.position, o->p);
  if (!is_rod(def)) {
    // M = (m 1, -m [c]; m [c], J): J about the node, the body wants it about its centre of mass
    double c[3] = {M[6 * 5 + 1] / M[0], M[6 * 3 + 2] / M[0], M[6 * 4 + 0] / M[0]};
    double cc = v3_dot(c, c);
    static const int at[6] = {0, 1, 2, 0, 0, 1}, to[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; i++)
      body.inertia[i] =
          M[6 * (3 + at[i]) + 3 + to[i]] - M[0] * ((at[i] == to[i]) * cc - c[at[i]] * c[to[i]]);
    if (is_flat(def)) c[2] = 0, body.inertia[0] = body.inertia[1] = 0;
    if (is_flat(def)) memset(body.inertia + 3, 0, 3 * sizeof(double));
    v3_copy(body.com, c);
  }
  if (def->kind == HN_SPATIAL) q_from_matrix(body.orientation, o->R);
  if (def->kind == HN_PLANAR) body.angle = hn_atan2(o->R[3], o->R[0]);
  v3_sub(lever, o->p, m->node[0].p);
  v3_cross(spin, def->angular_velocity, lever);
  v3_add(body.velocity, def->velocity, spin);
  if (!is_rod(def)) v3_copy(body.angular_velocity, def->angular_velocity);
  hn_body added = hn_add_body(m->model, &body);
  if (added.id < 0) return m->model->failure;
  if (is_rod(def)) return HN_OK;
  // axes for the elements, and for whoever joins something to them
  hn_frame_def frame = {.name = "section", .body = added, .orientation = {1, 0, 0, 0}};
  return hn_add_frame(m->model, &frame).id < 0 ? m->model->failure : HN_OK;
}

// ---- elements and loads --------------------------------------------------------------------

// of halves the first has the name of the whole
// So that joints, loads and columns of the original find the same element in the halved beam.
static void name_part(const maker *m, const char *what, int number, int k, char name[NAME]) {
  const char *kind = !m->halved || k % 2 == 0 ? "" : "__half";
  if (m->halved) number = k / 2 + number - k;
  snprintf(name, NAME, "%s.%s%d%s", m->def->name, what, number, kind);
}

// Relaxed as it is described: straight or curved, `free` is the pose of b's frame in a's axes. Dust
// of rounding below 1e-15 of the length is cut, since it would bend a straight beam.
static hn_status add_element(maker *m, int k, int first_body, int first_frame) {
  const hn_beam_def *def = m->def;
  const node *a = &m->node[k], *b = a + 1;
  double K[36], M[36], end[36], length = b->s - a->s, d[3], R[9], rest[6];
  char name[NAME];
  name_part(m, "element", k + 1, k, name);
  values_at(def, 0.5 * (a->s + b->s) / m->curve.length, K, M);
  hn_force_def force = {.name = name, .damping = m->rayleigh.stiffness};
  force.a.body.id = first_body + k, force.b.body.id = first_body + k + 1;
  if (is_rod(def)) {
    force.type = "spring";
    v3_copy(force.at, a->p), v3_copy(force.at_b, b->p);
    v3_sub(d, b->p, a->p);
    force.stiffness = K[0] / v3_norm(d);
    force.damping *= force.stiffness;
    force.free = v3_norm(d), force.free_given = true;
  } else {
    force.type = "beam-element";
    force.a.frame.id = first_frame + k, force.b.frame.id = first_frame + k + 1;
    force.stiffness6 = K;
    if (def->consistent) {
      element_mass(m, k, M, end);
      force.mass6 = M, force.mass_end6 = end;
    }
    fibres_at(def, 0.5 * (a->s + b->s) / m->curve.length, force.fibres);
    v3_sub(d, b->p, a->p);
    m3_tmulv(rest, a->R, d);
    m3_tmul(R, a->R, b->R);
    m3_rotation_vector(rest + 3, R);
    // exactly straight elements stay so whatever rounding left of their axes
    for (int i = 1; i < 6; i++)
      if (fabs(rest[i]) < 1e-15 * (i < 3 ? length : 1)) rest[i] = 0;
    force.free6 = rest, force.free6_count = 6;
  }
  return hn_add_force(m->model, &force).id < 0 ? m->model->failure : HN_OK;
}

// the part of a load per length that a node carries
// A load per length times what the node carries, acting where that has its centre.
static hn_status add_load(maker *m, int k, int first_body) {
  const hn_beam_def *def = m->def;
  double length = m->node[k].weight;
  char name[NAME], *text[3] = {NULL, NULL, NULL};
  name_part(m, "load", k, k, name);
  hn_force_def force = {.name = name, .type = "force", .body_axes = def->load_follows};
  force.b.body.id = first_body + k;
  double across = m->node[k].moment / length;
  for (int i = 0; i < 3; i++)
    force.at[i] = m->node[k].p[i] + (is_rod(def) ? 0 : across * m->node[k].R[3 * i]);
  hn_status status = HN_OK;
  for (int i = 0; i < 3 && !status; i++) {
    const char *formula = def->load[i] ? def->load[i] : "0";
    size_t size = strlen(formula) + 64;
    text[i] = malloc(size);
    if (!text[i])
      status = hn_model_fail(m->model, m->model->now, HN_ERR_MEMORY, "out of memory");
    else if (strcmp(formula, "0") == 0)
      snprintf(text[i], size, "0");
    else
      hn_plain_text(text[i], size, "%.17g*(%s)", length, formula);
    force.components[i] = text[i];
  }
  if (!status && hn_add_force(m->model, &force).id < 0) status = m->model->failure;
  for (int i = 0; i < 3; i++) free(text[i]);
  return status;
}

// damping in proportion to the mass brakes every node
// Viscous, in the centre of mass, so that it brakes translation alone; rotary inertia is small.
static hn_status add_drag(maker *m, int k, int first_body) {
  const hn_body_def *body = &m->model->body[first_body + k].def;
  char name[NAME];
  name_part(m, "drag", k, k, name);
  hn_force_def force = {.name = name, .type = "drag", .viscous = m->rayleigh.mass * body->mass};
  force.b.body.id = first_body + k;
  for (int i = 0; i < 3; i++)
    force.at[i] = m->node[k].p[i] + v3_dot(m->node[k].R + 3 * i, body->com);
  return hn_add_force(m->model, &force).id < 0 ? m->model->failure : HN_OK;
}

// Bodies, then elements, then loads and dampers; handles of frames follow those of the model.
static hn_status make(maker *m, int *first_body) {
  const hn_beam_def *def = m->def;
  *first_body = m->model->body_count;
  int first_frame = m->model->frame_count + 1;
  hn_status status = spread(m);
  if (!status && m->halved) halve(m);
  if (!status) weigh_pieces(m);
  int n = m->elements;
  if (!status) status = orient(m);
  for (int k = 0; k <= n && !status; k++) status = add_node(m, k);
  for (int k = 0; k < n && !status; k++) status = add_element(m, k, *first_body, first_frame);
  bool loaded = def->load[0] || def->load[1] || def->load[2];
  for (int k = 0; k <= n && !status && loaded; k++) status = add_load(m, k, *first_body);
  for (int k = 0; k <= n && !status && m->rayleigh.mass > 0; k++)
    status = add_drag(m, k, *first_body);
  return status;
}

// Also for halved.c, which makes beams in a model of their own.
hn_status hn_beam_make(hn_model *model, const hn_beam_def *def, bool halved, int *first_body) {
  maker m = {.model = model, .def = def, .halved = halved, .elements = def->elements};
  m.rayleigh = hn_rayleigh_of(def);
  hn_curve_fault fault = hn_curve_open(&m.curve, def->points, def->point_count, def->arc);
  m.node = calloc((size_t)def->elements * (halved ? 2 : 1) + 1, sizeof *m.node);
  hn_status status = HN_OK;
  if (fault == HN_CURVE_NO_ARC)
    status = hn_element_fail(model, "along", "the three points of the arc lie on a line");
  else if (fault || !m.node)
    status = hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
  if (!status) status = make(&m, first_body);
  hn_curve_close(&m.curve), free(m.node);
  return status;
}

// The definition is copied for halving, pictures and reports.
static bool keep(hn_model *model, const hn_beam_def *def, int first_body) {
  int index = model->beam_count;
  hn_model_beam *beam;
  if (!hn_grow((void **)&model->beam, &model->beam_capacity, index, sizeof *model->beam))
    return false;
  beam = &model->beam[index];
  *beam = (hn_model_beam){.first_body = first_body, .place = model->now};
  if (!hn_beam_copy(&beam->def, def)) return false;
  model->beam_count++;
  return true;
}

static hn_beam add_beam(hn_model *model, const hn_beam_def *def) {
  const hn_beam refused = {-1};
  int first_body = 0;
  hn_model_subject(model, "beam", def->name, NULL);
  if (hn_model_check_name(model, def->name) || check_beam(model, def)) return refused;
  if (hn_model_find_beam(model, def->name) >= 0) {
    hn_element_fail(model, NULL, "there is already a beam of this name");
    return refused;
  }
  hn_status status = hn_beam_make(model, def, false, &first_body);
  if (!status && !keep(model, def, first_body))
    status = hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
  return status ? refused : (hn_beam){model->beam_count};
}

hn_beam hn_add_beam_sized(hn_model *model, const hn_beam_def *def, size_t size) {
  hn_beam_def own;
  hn_beam added = {-1};
  if (!hn_take_definition(model, &own, sizeof own, def, size)) added = add_beam(model, &own);
  if (added.id < 0) hn_model_spoil(model);
  return added;
}

// Negative numbers count from the end, -1 being the last node.
hn_body hn_beam_node(const hn_model *model, hn_beam beam, int node_number) {
  if (!model || beam.id < 1 || beam.id > model->beam_count) return (hn_body){-1};
  const hn_model_beam *b = &model->beam[beam.id - 1];
  int k = node_number < 0 ? b->def.elements + 1 + node_number : node_number;
  bool there = k >= 0 && k <= b->def.elements;
  return (hn_body){there ? b->first_body + k : -1};
}

int hn_model_find_beam(const hn_model *model, const char *name) {
  for (int i = 0; i < model->beam_count; i++)
    if (strcmp(model->beam[i].def.name, name) == 0) return i;
  return -1;
}
