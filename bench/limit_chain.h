// limit_chain.h: the articulated-body recursion for a chain of five boxes, written out by hand.
//
// Hinges about y and z in turn, boxes of 1 m along x, everything in the frames of the bodies with
// their origins in the hinges. With N, F moment about the origin and force, alpha and a angular
// acceleration and acceleration of the origin (gravity enters as acceleration of the ground):
//   N = A alpha + B a + n,   F = B^T alpha + C a + f
// are the articulated equations of a body and all beyond it. A hinge axis is a unit vector of the
// body, so what the hinge cannot transmit is one row and column that vanish; the turn to the
// parent's axes touches two of three components, the shift by 1 m along x likewise.
//   acceleration along the chain: alpha_k = E alpha + w x S u + S u',
//   a_k = E (a + alpha x r + w x (w x r)),  r = (1, 0, 0)
// References: Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 7.
#ifndef HN_BENCH_LIMIT_CHAIN_H
#define HN_BENCH_LIMIT_CHAIN_H

#include <math.h>

#ifndef HAND
#define HAND static inline __attribute__((always_inline))
#endif

enum { CHAIN_LINKS = 5, CHAIN_N = 2 * CHAIN_LINKS };

static const double ch_g = 9.81, ch_c = 0.5;       // centre of mass on x
static const double ch_i1 = 0.02 / 12;             // about x
static const double ch_j = 1.01 / 12 + 0.5 * 0.5;  // about y and z through the hinge

typedef struct vec3 {
  double x, y, z;
} vec3;
// symmetric
typedef struct sym3 {
  double xx, yy, zz, xy, xz, yz;
} sym3;
typedef struct mat3 {
  double xx, xy, xz, yx, yy, yz, zx, zy, zz;
} mat3;

// what a link knows of the motion: cosine and sine, rates in its own axes, and the part of its
// acceleration that comes without any acceleration of the hinges
typedef struct chain_link {
  double c, s, u;
  vec3 w;
  vec3 sigma;  // w x S u
  vec3 beta;   // E (w x (w x r)), parent's w
} chain_link;
// an articulated body after its hinge: u' = (-n - U.alpha - V.a) / D  with the parent's motion
typedef struct chain_hinge {
  vec3 U, V;
  double inverse, n;
} chain_hinge;
typedef struct articulated {
  sym3 A, C;
  mat3 B;
  vec3 n, f;
} articulated;

// turns parent axes into the body's: about y, about z
HAND vec3 down_y(vec3 p, double c, double s) {
  return (vec3){c * p.x - s * p.z, p.y, s * p.x + c * p.z};
}
HAND vec3 down_z(vec3 p, double c, double s) {
  return (vec3){c * p.x + s * p.y, c * p.y - s * p.x, p.z};
}
HAND vec3 up_y(vec3 p, double c, double s) {
  return (vec3){c * p.x + s * p.z, p.y, c * p.z - s * p.x};
}
HAND vec3 up_z(vec3 p, double c, double s) {
  return (vec3){c * p.x - s * p.y, s * p.x + c * p.y, p.z};
}

// ---- outwards: rates -------------------------------------------------------------------------

// w x (w x r) for r along x
HAND vec3 swing(vec3 w) {
  return (vec3){-(w.y * w.y + w.z * w.z), w.x * w.y, w.x * w.z};
}

HAND chain_link move_y(vec3 w, double q, double u) {
  chain_link k;
  k.c = cos(q), k.s = sin(q), k.u = u;
  k.w = down_y(w, k.c, k.s);
  k.sigma = (vec3){-k.w.z * u, 0, k.w.x * u};
  k.beta = down_y(swing(w), k.c, k.s);
  k.w.y += u;
  return k;
}
HAND chain_link move_z(vec3 w, double q, double u) {
  chain_link k;
  k.c = cos(q), k.s = sin(q), k.u = u;
  k.w = down_z(w, k.c, k.s);
  k.sigma = (vec3){k.w.y * u, -k.w.x * u, 0};
  k.beta = down_z(swing(w), k.c, k.s);
  k.w.z += u;
  return k;
}

// ---- inwards: articulated bodies -------------------------------------------------------------

// a box alone: A = diag(i1, j, j), B = c [x], C = 1 and what its rates need
HAND void add_box(articulated *b, const chain_link *k) {
  vec3 w = k->w, t = swing(w);
  b->A.xx += ch_i1, b->A.yy += ch_j, b->A.zz += ch_j;
  b->B.yz -= ch_c, b->B.zy += ch_c;
  b->C.xx += 1, b->C.yy += 1, b->C.zz += 1;
  b->n.y += (ch_i1 - ch_j) * w.z * w.x;
  b->n.z += (ch_j - ch_i1) * w.x * w.y;
  b->f.x += ch_c * t.x, b->f.y += ch_c * t.y, b->f.z += ch_c * t.z;
}

// shifts a body by r = (1, 0, 0) to the parent's hinge:
//   B' = B + [r] C,  A' = A + [r] B^T - B' [r]
HAND void shift(articulated *b) {
  sym3 C = b->C;
  mat3 B = b->B;
  b->B.yx -= C.xz, b->B.yy -= C.yz, b->B.yz -= C.zz;
  b->B.zx += C.xy, b->B.zy += C.yy, b->B.zz += C.yz;
  b->A.xy -= B.xz;
  b->A.xz += B.xy;
  b->A.yy -= B.yz + b->B.yz;
  b->A.yz += B.yy - B.zz - C.yz;
  b->A.zz += B.zy + b->B.zy;
  b->n.y -= b->f.z;
  b->n.z += b->f.y;
}

// turns a symmetric matrix and a general one, both to the parent's axes: X' = E^T X E
HAND sym3 turn_s_y(sym3 a, double c, double s) {
  double m = 2 * c * s * a.xz, cc = c * c, ss = s * s;
  return (sym3){.xx = cc * a.xx + m + ss * a.zz,
                .yy = a.yy,
                .zz = ss * a.xx - m + cc * a.zz,
                .xy = c * a.xy + s * a.yz,
                .xz = c * s * (a.zz - a.xx) + (cc - ss) * a.xz,
                .yz = c * a.yz - s * a.xy};
}
HAND sym3 turn_s_z(sym3 a, double c, double s) {
  double m = 2 * c * s * a.xy, cc = c * c, ss = s * s;
  return (sym3){.xx = cc * a.xx - m + ss * a.yy,
                .yy = ss * a.xx + m + cc * a.yy,
                .zz = a.zz,
                .xy = c * s * (a.xx - a.yy) + (cc - ss) * a.xy,
                .xz = c * a.xz - s * a.yz,
                .yz = s * a.xz + c * a.yz};
}

// what passes the hinge about y: rows y of A and B are gone
HAND void pass_y(articulated *b, chain_hinge *h, const chain_link *k) {
  vec3 U = {b->A.xy, b->A.yy, b->A.yz}, V = {b->B.yx, b->B.yy, b->B.yz};
  double i = 1 / U.y, ux = U.x * i, uz = U.z * i, vx = V.x * i, vy = V.y * i, vz = V.z * i;
  *h = (chain_hinge){U, V, i, b->n.y};
  sym3 A = {.xx = b->A.xx - ux * U.x, .zz = b->A.zz - uz * U.z, .xz = b->A.xz - ux * U.z};
  sym3 C = {.xx = b->C.xx - vx * V.x,
            .yy = b->C.yy - vy * V.y,
            .zz = b->C.zz - vz * V.z,
            .xy = b->C.xy - vx * V.y,
            .xz = b->C.xz - vx * V.z,
            .yz = b->C.yz - vy * V.z};
  double xx = b->B.xx - ux * V.x, xy = b->B.xy - ux * V.y, xz = b->B.xz - ux * V.z;
  double zx = b->B.zx - uz * V.x, zy = b->B.zy - uz * V.y, zz = b->B.zz - uz * V.z;
  // n + A sigma + B beta - U n_y / D; sigma has no component along the axis
  vec3 g = k->sigma, e = k->beta;
  vec3 n = {b->n.x - ux * b->n.y + A.xx * g.x + A.xz * g.z + xx * e.x + xy * e.y + xz * e.z, 0,
            b->n.z - uz * b->n.y + A.xz * g.x + A.zz * g.z + zx * e.x + zy * e.y + zz * e.z};
  vec3 f = {b->f.x - vx * b->n.y + xx * g.x + zx * g.z + C.xx * e.x + C.xy * e.y + C.xz * e.z,
            b->f.y - vy * b->n.y + xy * g.x + zy * g.z + C.xy * e.x + C.yy * e.y + C.yz * e.z,
            b->f.z - vz * b->n.y + xz * g.x + zz * g.z + C.xz * e.x + C.yz * e.y + C.zz * e.z};
  double c = k->c, s = k->s;
  double m = 2 * c * s * A.xz, cc = c * c, ss = s * s;
  b->A = (sym3){.xx = cc * A.xx + m + ss * A.zz,
                .zz = ss * A.xx - m + cc * A.zz,
                .xz = c * s * (A.zz - A.xx) + (cc - ss) * A.xz};
  // rows, then columns
  double px = c * xx + s * zx, py = c * xy + s * zy, pz = c * xz + s * zz;
  double rx = c * zx - s * xx, ry = c * zy - s * xy, rz = c * zz - s * xz;
  b->B = (mat3){.xx = c * px + s * pz,
                .xy = py,
                .xz = c * pz - s * px,
                .zx = c * rx + s * rz,
                .zy = ry,
                .zz = c * rz - s * rx};
  b->C = turn_s_y(C, c, s);
  b->n = up_y(n, c, s);
  b->f = up_y(f, c, s);
}

// the same about z
HAND void pass_z(articulated *b, chain_hinge *h, const chain_link *k) {
  vec3 U = {b->A.xz, b->A.yz, b->A.zz}, V = {b->B.zx, b->B.zy, b->B.zz};
  double i = 1 / U.z, ux = U.x * i, uy = U.y * i, vx = V.x * i, vy = V.y * i, vz = V.z * i;
  *h = (chain_hinge){U, V, i, b->n.z};
  sym3 A = {.xx = b->A.xx - ux * U.x, .yy = b->A.yy - uy * U.y, .xy = b->A.xy - ux * U.y};
  sym3 C = {.xx = b->C.xx - vx * V.x,
            .yy = b->C.yy - vy * V.y,
            .zz = b->C.zz - vz * V.z,
            .xy = b->C.xy - vx * V.y,
            .xz = b->C.xz - vx * V.z,
            .yz = b->C.yz - vy * V.z};
  double xx = b->B.xx - ux * V.x, xy = b->B.xy - ux * V.y, xz = b->B.xz - ux * V.z;
  double yx = b->B.yx - uy * V.x, yy = b->B.yy - uy * V.y, yz = b->B.yz - uy * V.z;
  vec3 g = k->sigma, e = k->beta;
  vec3 n = {b->n.x - ux * b->n.z + A.xx * g.x + A.xy * g.y + xx * e.x + xy * e.y + xz * e.z,
            b->n.y - uy * b->n.z + A.xy * g.x + A.yy * g.y + yx * e.x + yy * e.y + yz * e.z, 0};
  vec3 f = {b->f.x - vx * b->n.z + xx * g.x + yx * g.y + C.xx * e.x + C.xy * e.y + C.xz * e.z,
            b->f.y - vy * b->n.z + xy * g.x + yy * g.y + C.xy * e.x + C.yy * e.y + C.yz * e.z,
            b->f.z - vz * b->n.z + xz * g.x + yz * g.y + C.xz * e.x + C.yz * e.y + C.zz * e.z};
  double c = k->c, s = k->s;
  double m = 2 * c * s * A.xy, cc = c * c, ss = s * s;
  b->A = (sym3){.xx = cc * A.xx - m + ss * A.yy,
                .yy = ss * A.xx + m + cc * A.yy,
                .xy = c * s * (A.xx - A.yy) + (cc - ss) * A.xy};
  double px = c * xx - s * yx, py = c * xy - s * yy, pz = c * xz - s * yz;
  double rx = s * xx + c * yx, ry = s * xy + c * yy, rz = s * xz + c * yz;
  b->B = (mat3){.xx = c * px - s * py,
                .xy = s * px + c * py,
                .xz = pz,
                .yx = c * rx - s * ry,
                .yy = s * rx + c * ry,
                .yz = rz};
  b->C = turn_s_z(C, c, s);
  b->n = up_z(n, c, s);
  b->f = up_z(f, c, s);
}

// the last box, whose articulated body is the box itself: nearly everything is zero or constant
HAND void leaf_y(articulated *b, chain_hinge *h, const chain_link *k) {
  vec3 w = k->w, t = swing(w), g = k->sigma, e = k->beta;
  const double last = 1 - ch_c * ch_c / ch_j;
  double ny = (ch_i1 - ch_j) * w.z * w.x, nz = (ch_j - ch_i1) * w.x * w.y;
  *h = (chain_hinge){{0, ch_j, 0}, {0, 0, -ch_c}, 1 / ch_j, ny};
  vec3 n = {ch_i1 * g.x, 0, nz + ch_j * g.z + ch_c * e.y};
  vec3 f = {ch_c * t.x + e.x, ch_c * t.y + ch_c * g.z + e.y,
            ch_c * t.z + (ch_c / ch_j) * ny + last * e.z};
  double c = k->c, s = k->s, cc = c * c, ss = s * s;
  b->A = (sym3){
      .xx = cc * ch_i1 + ss * ch_j, .zz = ss * ch_i1 + cc * ch_j, .xz = c * s * (ch_j - ch_i1)};
  b->B = (mat3){.xy = s * ch_c, .zy = c * ch_c};
  b->C = (sym3){.xx = cc + ss * last, .yy = 1, .zz = ss + cc * last, .xz = c * s * (last - 1)};
  b->n = up_y(n, c, s);
  b->f = up_y(f, c, s);
}

// ---- outwards again: accelerations -----------------------------------------------------------

HAND double turn_y(vec3 *alpha, vec3 *a, const chain_link *k, const chain_hinge *h) {
  vec3 p = down_y(*alpha, k->c, k->s), q = down_y(*a, k->c, k->s);
  p = (vec3){p.x + k->sigma.x, p.y, p.z + k->sigma.z};
  q = (vec3){q.x + k->beta.x, q.y + k->beta.y, q.z + k->beta.z};
  double sum = h->n + h->U.x * p.x + h->U.y * p.y + h->U.z * p.z;
  double rate = -(sum + h->V.x * q.x + h->V.y * q.y + h->V.z * q.z) * h->inverse;
  p.y += rate;
  // acceleration of the next hinge without the part from w, which is in its beta
  *alpha = p;
  *a = (vec3){q.x, q.y + p.z, q.z - p.y};
  return rate;
}
HAND double turn_z(vec3 *alpha, vec3 *a, const chain_link *k, const chain_hinge *h) {
  vec3 p = down_z(*alpha, k->c, k->s), q = down_z(*a, k->c, k->s);
  p = (vec3){p.x + k->sigma.x, p.y + k->sigma.y, p.z};
  q = (vec3){q.x + k->beta.x, q.y + k->beta.y, q.z + k->beta.z};
  double sum = h->n + h->U.x * p.x + h->U.y * p.y + h->U.z * p.z;
  double rate = -(sum + h->V.x * q.x + h->V.y * q.y + h->V.z * q.z) * h->inverse;
  p.z += rate;
  *alpha = p;
  *a = (vec3){q.x, q.y + p.z, q.z - p.y};
  return rate;
}

// y = (five angles, five rates)
HAND void chain_rate(const double *restrict y, double *restrict d) {
  chain_link k0, k1, k2, k3, k4;
  chain_hinge h0, h1, h2, h3, h4;
  articulated b;
  // the first hinge is on the ground: nothing swings it
  k0 = move_y((vec3){0, 0, 0}, y[0], y[5]);
  k1 = move_z(k0.w, y[1], y[6]);
  k2 = move_y(k1.w, y[2], y[7]);
  k3 = move_z(k2.w, y[3], y[8]);
  k4 = move_y(k3.w, y[4], y[9]);
  leaf_y(&b, &h4, &k4), shift(&b);
  add_box(&b, &k3), pass_z(&b, &h3, &k3), shift(&b);
  add_box(&b, &k2), pass_y(&b, &h2, &k2), shift(&b);
  add_box(&b, &k1), pass_z(&b, &h1, &k1), shift(&b);
  add_box(&b, &k0);
  h0 = (chain_hinge){{b.A.xy, b.A.yy, b.A.yz}, {b.B.yx, b.B.yy, b.B.yz}, 1 / b.A.yy, b.n.y};
  vec3 alpha = {0, 0, 0}, a = {0, 0, ch_g};
  for (int i = 0; i < CHAIN_LINKS; i++) d[i] = y[CHAIN_LINKS + i];
  d[5] = turn_y(&alpha, &a, &k0, &h0);
  d[6] = turn_z(&alpha, &a, &k1, &h1);
  d[7] = turn_y(&alpha, &a, &k2, &h2);
  d[8] = turn_z(&alpha, &a, &k3, &h3);
  d[9] = turn_y(&alpha, &a, &k4, &h4);
}

#endif
