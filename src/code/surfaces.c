// surfaces.c: distances from surfaces (system/surface.h) as formulas, with rate and bias.
//
// With e the direction away from the nearest point, r' = e . x' and without accelerations
// r'' = e . x'' + (|x'|^2 - r'^2) / r, over the axes that count.
#include "code/formulas.h"
#include "system/surface.h"

// short names for the lines below
static hn_node choose(hn_graph *g, hn_node which, hn_node yes, hn_node no) {
  return hn_graph_apply(g, HN_OP_IF, which, yes, no);
}

static hn_node less(hn_graph *g, hn_node a, hn_node b) {
  return hn_graph_apply(g, HN_OP_LT, a, b, -1);
}

// distance of x from zero; `counts` is 1 for the axes that do and 0 for the others. At zero there
// is no direction
static hn_surface_jet from_zero(hn_formulas *f, const hn_jet x[3], const hn_node counts[3]) {
  hn_graph *g = f->g;
  hn_node square = f->zero, one = n_constant(g, 1), speed = square;
  hn_jet r = {f->zero, f->zero, f->zero};
  hn_surface_jet o;
  for (int i = 0; i < 3; i++)
    square = n_add(g, square, n_mul(g, counts[i], n_mul(g, x[i].value, x[i].value)));
  // |x| over the axes that count
  r.value = n_function(g, HN_OP_SQRT, square);
  hn_node apart = less(g, f->zero, r.value);
  // apart is 1 or 0: inverse is zero where there is no direction
  hn_node inverse = n_div(g, apart, choose(g, apart, r.value, one));
  for (int i = 0; i < 3; i++) {
    o.gradient[i] = n_mul(g, inverse, n_mul(g, counts[i], x[i].value));
    r.rate = n_add(g, r.rate, n_mul(g, o.gradient[i], x[i].rate));
    r.bias = n_add(g, r.bias, n_mul(g, o.gradient[i], x[i].bias));
    speed = n_add(g, speed, n_mul(g, counts[i], n_mul(g, x[i].rate, x[i].rate)));
  }
  // the part of the speed across the direction
  r.bias = n_add(g, r.bias, n_mul(g, inverse, n_sub(g, speed, n_mul(g, r.rate, r.rate))));
  o.distance = r;
  return o;
}

// Beyond an end all three axes count, beside it the two across.
static hn_surface_jet segment(hn_formulas *f, double length, const hn_jet x[3]) {
  hn_graph *g = f->g;
  hn_node end = n_constant(g, length), one = n_constant(g, 1);
  hn_node before = less(g, x[0].value, f->zero), behind = less(g, end, x[0].value);
  hn_jet from[3] = {x[0], x[1], x[2]};
  // at the far end places count from there
  from[0].value = choose(g, behind, n_sub(g, x[0].value, end), x[0].value);
  const hn_node counts[3] = {n_add(g, before, behind), one, one};
  return from_zero(f, from, counts);
}

// Outside, the axes in which the point is beyond the box count; inside, the nearest face. A box of
// the plane has no end along z
static hn_surface_jet box(hn_formulas *f, const double half[3], const hn_jet x[3]) {
  hn_graph *g = f->g;
  hn_node one = n_constant(g, 1), any = f->zero, nearest = any, counts[3], side[3], in[3];
  hn_jet from[3] = {x[0], x[1], x[2]}, within = {f->zero, f->zero, f->zero};
  for (int i = 0; i < 3; i++) {
    // INFINITY: no face on this axis
    bool ends = isfinite(half[i]);
    hn_graph_note(g, ends);
    counts[i] = side[i] = in[i] = f->zero;
    if (!ends) continue;
    side[i] = choose(g, less(g, x[i].value, f->zero), n_constant(g, -1), one);
    // beyond the face: positive
    hn_node depth = n_sub(g, n_mul(g, side[i], x[i].value), n_constant(g, half[i]));
    counts[i] = less(g, f->zero, depth);
    from[i].value = n_mul(g, side[i], depth);
    any = n_add(g, any, counts[i]);
    // the first of the faces that are equally near
    in[i] = i ? less(g, nearest, depth) : one;
    for (int k = 0; k < i; k++) in[k] = n_mul(g, in[k], n_sub(g, one, in[i]));
    nearest = i ? choose(g, in[i], depth, nearest) : depth;
  }
  // outside; within has no use for it where any axis is beyond
  hn_surface_jet o = from_zero(f, from, counts);
  within.value = nearest;
  // the normal of the nearest face
  for (int i = 0; i < 3; i++) {
    hn_node normal = n_mul(g, in[i], side[i]);
    within.rate = n_add(g, within.rate, n_mul(g, normal, x[i].rate));
    within.bias = n_add(g, within.bias, n_mul(g, normal, x[i].bias));
    o.gradient[i] = choose(g, any, o.gradient[i], normal);
  }
  o.distance.value = choose(g, any, o.distance.value, within.value);
  o.distance.rate = choose(g, any, o.distance.rate, within.rate);
  o.distance.bias = choose(g, any, o.distance.bias, within.bias);
  return o;
}

// The nearest points of curves and terrains are looked for from place to place, which formulas,
// that have no loops, cannot
hn_surface_jet hn_surface_formulas(hn_formulas *f, const hn_surface *surface, const double *size,
                                   const hn_jet x[3]) {
  hn_node one = n_constant(f->g, 1);
  const hn_node all[3] = {one, one, one}, across[3] = {one, one, f->zero};
  if (surface == &hn_surface_centre) return from_zero(f, x, all);
  if (surface == &hn_surface_axis) return from_zero(f, x, across);
  if (surface == &hn_surface_segment) return segment(f, size[0], x);
  if (surface == &hn_surface_box) return box(f, size, x);
  if (surface != &hn_surface_plane) hn_formulas_miss(f, "distances from a", surface->name);
  return (hn_surface_jet){.distance = x[2], .gradient = {f->zero, f->zero, one}};
}
