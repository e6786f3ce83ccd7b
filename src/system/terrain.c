// terrain.c: see terrain.h.
//
// With z = f(x, y), tangents C_x = (1, 0, f_x), C_y = (0, 1, f_y) and the upper normal
// N = (-f_x, -f_y, 1) / W, W^2 = 1 + f_x^2 + f_y^2, in the nearest point C, and p = C + s N:
//
//   first form G = 1 + grad f grad f^T     second form B = f'' / W
//   gradient of s: N                       second derivatives: -C G^-1 B (G - s B)^-1 C^T
//
// A cell holds f as a sum over 16 products of four functions of x and four of y: those that carry
// values of the two corners, and those that carry second derivatives there, by which cubic splines
// are known. Corners keep f, f_xx, f_yy and f_xxyy.
//
// The nearest point makes h = |C - p|^2 / 2 least. Newton's steps from below the point find it, and
// where the ground bends little it is the only one: h'' = G + (f - p_z) f'' > 0 as long as
// |f - p_z| |f''| < 1, and that holds on all ways between two points not farther than d from p if
// k + k^2 / 2 < 1, k = d max |f''|. Else the cells that may be nearer are gone through.
#include "system/terrain.h"

#include "model/series.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 2, CORNER = 4, CELL = 3, FINE = 4 };
static const double alone = 0.73;  // k of the only nearest point, a little below sqrt(3) - 1

// data: nx, ny; x, y; corners; then of each cell where its heights are and how much it bends
typedef struct ground {
  int nx, ny;
  const double *x, *y, *corner, *cell;
} ground;

static ground read(const double *data) {
  ground g = {.nx = (int)data[0], .ny = (int)data[1]};
  g.x = data + HEAD, g.y = g.x + g.nx, g.corner = g.y + g.ny;
  g.cell = g.corner + (size_t)CORNER * (size_t)g.nx * (size_t)g.ny;
  return g;
}

size_t hn_terrain_size(const hn_grid *grid) {
  size_t nx = (size_t)grid->nx, ny = (size_t)grid->ny;
  if (nx > (size_t)INT_MAX / 8 / ny) return 0;
  return HEAD + nx + ny + CORNER * nx * ny + CELL * (nx - 1) * (ny - 1);
}

// ---- fitting -------------------------------------------------------------------------------

// second derivatives at the n points of a line of values, `stride` apart, into another place of the
// corners
static bool bend_line(const double *at, int n, double *line, int stride, int from, int to,
                      double *pairs) {
  for (int i = 0; i < n; i++) {
    pairs[2 * i] = at[i];
    pairs[2 * i + 1] = line[(size_t)i * (size_t)stride + (size_t)from];
  }
  hn_series *spline = hn_series_create(pairs, n, HN_CUBIC);
  if (!spline) return false;
  for (int i = 0; i < n; i++) line[(size_t)i * (size_t)stride + (size_t)to] = spline->second[i];
  hn_series_release(spline);
  return true;
}

// Between two corners a cubic is off the line between the values by h^2 / 8 of the largest second
// derivative at most, and those of the spline are largest in corners
static void enclose(const ground *g, int i, int j, double *cell) {
  double low = INFINITY, high = -INFINITY, xx = 0, yy = 0, mixed = 0;
  double hx = g->x[i + 1] - g->x[i], hy = g->y[j + 1] - g->y[j];
  for (int k = 0; k < 4; k++) {
    const double *c =
        g->corner + CORNER * ((size_t)(j + k / 2) * (size_t)g->nx + (size_t)(i + k % 2));
    low = fmin(low, c[0]), high = fmax(high, c[0]);
    xx = fmax(xx, fabs(c[1])), yy = fmax(yy, fabs(c[2])), mixed = fmax(mixed, fabs(c[3]));
  }
  double off = hx * hx / 8 * xx + hy * hy / 8 * (yy + hx * hx / 8 * mixed);
  cell[0] = low - off, cell[1] = high + off;
}

static void at(const ground *g, double x, double y, int level, double f[6]);

// The bound of f'' is its size on a finer grid and what it can change by between; twice that of the
// samples is more, where cells resolve the ground
static void bends(const ground *g, int i, int j, double *cell) {
  double most = 0, f[6];
  for (int k = 0; k <= FINE; k++)
    for (int l = 0; l <= FINE; l++) {
      at(g, g->x[i] + (g->x[i + 1] - g->x[i]) * k / FINE,
         g->y[j] + (g->y[j + 1] - g->y[j]) * l / FINE, 2, f);
      double middle = 0.5 * (f[3] + f[5]), half = 0.5 * (f[3] - f[5]);
      most = fmax(most, fabs(middle) + sqrt(half * half + f[4] * f[4]));
    }
  cell[2] = 1.2 * most;
}

hn_status hn_terrain_fit(const hn_grid *grid, double *data) {
  int nx = grid->nx, ny = grid->ny;
  double *pairs = malloc(2 * (size_t)(nx > ny ? nx : ny) * sizeof *pairs);
  bool ok = pairs != NULL;
  data[0] = nx, data[1] = ny;
  memcpy(data + HEAD, grid->x, (size_t)nx * sizeof *data);
  memcpy(data + HEAD + nx, grid->y, (size_t)ny * sizeof *data);
  ground g = read(data);
  double *corner = data + (g.corner - data), *cell = data + (g.cell - data);
  size_t across = (size_t)nx * CORNER;
  for (size_t i = 0; i < (size_t)nx * (size_t)ny; i++) corner[CORNER * i] = grid->height[i];
  for (int j = 0; j < ny && ok; j++)
    ok = bend_line(g.x, nx, corner + (size_t)j * across, CORNER, 0, 1, pairs);
  for (int i = 0; i < 2 * nx && ok; i++)  // of f and of f_xx
    ok =
        bend_line(g.y, ny, corner + (size_t)(i / 2) * CORNER, (int)across, i % 2, 2 + i % 2, pairs);
  free(pairs);
  for (int j = 0; j < ny - 1 && ok; j++)
    for (int i = 0; i < nx - 1; i++, cell += CELL) enclose(&g, i, j, cell), bends(&g, i, j, cell);
  return ok ? HN_OK : HN_ERR_MEMORY;
}

// ---- heights -------------------------------------------------------------------------------

// the last of n points at or before t; the cell that holds it
static int cell_of(const double *x, int n, double t) {
  int low = 0, high = n - 1;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    *(t >= x[middle] ? &low : &high) = middle;
  }
  return low;
}

// the four functions of a cell with two derivatives: of its two values, of its two second
// derivatives. Beyond the cell they go on straight
static void functions(double from, double to, double t, double o[3][4]) {
  double h = to - from, in = t < from ? from : t > to ? to : t, u = (in - from) / h, w = 1 - u;
  double beyond = t - in;
  o[0][0] = w, o[0][1] = u, o[0][2] = h * h / 6 * w * (w * w - 1),
  o[0][3] = h * h / 6 * u * (u * u - 1);
  o[1][0] = -1 / h, o[1][1] = 1 / h, o[1][2] = h / 6 * (1 - 3 * w * w),
  o[1][3] = h / 6 * (3 * u * u - 1);
  o[2][0] = o[2][1] = 0, o[2][2] = w, o[2][3] = u;
  if (beyond == 0) return;
  for (int k = 0; k < 4; k++) o[0][k] += beyond * o[1][k], o[2][k] = 0;
}

// f, f_x, f_y, f_xx, f_xy, f_yy; level 1: up to f_y
static void at(const ground *g, double x, double y, int level, double f[6]) {
  int i = cell_of(g->x, g->nx, x), j = cell_of(g->y, g->ny, y);
  double X[3][4], Y[3][4], rows[3][4];
  functions(g->x[i], g->x[i + 1], x, X);
  functions(g->y[j], g->y[j + 1], y, Y);
  // sums over x for the four functions of y: values of two rows, and their second derivatives
  for (int b = 0; b < 4; b++) {
    const double *c =
        g->corner + CORNER * ((size_t)(j + b % 2) * (size_t)g->nx + (size_t)i) + (b < 2 ? 0 : 2);
    for (int d = 0; d <= level; d++)
      rows[d][b] = X[d][0] * c[0] + X[d][1] * c[CORNER] + X[d][2] * c[1] + X[d][3] * c[CORNER + 1];
  }
  static const int dx[6] = {0, 1, 0, 2, 1, 0}, dy[6] = {0, 0, 1, 0, 1, 2};
  for (int k = 0; k < (level < 2 ? 3 : 6); k++) {
    const double *r = rows[dx[k]], *Yk = Y[dy[k]];
    f[k] = Yk[0] * r[0] + Yk[1] * r[1] + Yk[2] * r[2] + Yk[3] * r[3];
  }
}

double hn_terrain_height(const double *data, double x, double y) {
  ground g = read(data);
  double f[6];
  at(&g, x, y, 1, f);
  return f[0];
}

double hn_terrain_beyond(const double *data, const double p[3]) {
  ground g = read(data);
  double x = fmax(g.x[0] - p[0], p[0] - g.x[g.nx - 1]);
  return fmax(x, fmax(g.y[0] - p[1], p[1] - g.y[g.ny - 1]));
}

// Principal curvatures are the roots k of |B - k G| = 0; hollows have k > 0
double hn_terrain_hollow(const double *data, double where[2]) {
  ground g = read(data);
  double most = 0, f[6];
  for (int j = 0; j < FINE * (g.ny - 1); j++)
    for (int i = 0; i < FINE * (g.nx - 1); i++) {
      int a = i / FINE, b = j / FINE;
      double x = g.x[a] + (g.x[a + 1] - g.x[a]) * (i % FINE + 0.5) / FINE;
      double y = g.y[b] + (g.y[b + 1] - g.y[b]) * (j % FINE + 0.5) / FINE;
      at(&g, x, y, 2, f);
      double W2 = 1 + f[1] * f[1] + f[2] * f[2], W = sqrt(W2);
      double gauss = (f[3] * f[5] - f[4] * f[4]) / (W2 * W2);
      double mean = 0.5 *
                    ((1 + f[2] * f[2]) * f[3] - 2 * f[1] * f[2] * f[4] + (1 + f[1] * f[1]) * f[5]) /
                    (W2 * W);
      double bend = mean + sqrt(fmax(mean * mean - gauss, 0));
      if (bend > most) most = bend, where[0] = x, where[1] = y;
    }
  return most > 0 ? 1 / most : INFINITY;
}

// ---- the nearest point ---------------------------------------------------------------------

typedef struct foot {
  double x, y, square;  // where, and the square of the distance
  double f[6];
} foot;

static void stand(const ground *g, const double p[3], double x, double y, int level, foot *o) {
  o->x = x, o->y = y;
  at(g, x, y, level, o->f);
  double d = o->f[0] - p[2];
  o->square = (x - p[0]) * (x - p[0]) + (y - p[1]) * (y - p[1]) + d * d;
}

// Newton's step of h; where h'' is not positive its first part, which is. Returns whether it was
// that of Newton
static bool stride(const foot *o, const double p[3], double step[2]) {
  const double *f = o->f;
  double d = f[0] - p[2], gx = o->x - p[0] + d * f[1], gy = o->y - p[1] + d * f[2];
  double a = 1 + f[1] * f[1], b = f[1] * f[2], c = 1 + f[2] * f[2];
  double A = a + d * f[3], B = b + d * f[4], C = c + d * f[5];
  bool full = A > 0 && A * C - B * B > 1e-3 * (a * c - b * b);
  if (!full) A = a, B = b, C = c;
  double det = A * C - B * B;
  step[0] = -(C * gx - B * gy) / det, step[1] = -(A * gy - B * gx) / det;
  return full;
}

// downhill from where it is; steps that do not lead down are halved, until they are too small to
// tell
static void descend(const ground *g, const double p[3], foot *o) {
  double size = fmax(fabs(o->x), fabs(o->y)) + g->x[1] - g->x[0] + g->y[1] - g->y[0];
  for (int i = 0; i < 60; i++) {
    double step[2];
    foot next;
    bool full = stride(o, p, step);
    double length = fmax(fabs(step[0]), fabs(step[1]));
    if (length <= 2 * DBL_EPSILON * size) return;
    for (double part = 1; part > 1e-6; part *= 0.5) {
      stand(g, p, o->x + part * step[0], o->y + part * step[1], 2, &next);
      // close to the end squares are all round-off, and Newton's steps need no watching
      if (next.square < o->square || (full && length < 1e-6 * size)) break;
    }
    bool down = next.square < o->square || (full && length < 1e-6 * size);
    if (!down) return;
    *o = next;
  }
}

static double apart(double from, double to, double t) {
  return t < from ? from - t : t > to ? t - to : 0;
}

// square of the distance from the box about a cell
static double from_cell(const ground *g, const double p[3], int i, int j, const double *cell) {
  double x = apart(g->x[i], g->x[i + 1], p[0]), y = apart(g->y[j], g->y[j + 1], p[1]);
  double z = apart(cell[0], cell[1], p[2]);
  return x * x + y * y + z * z;
}

// looks for a nearer one in a cell: from its best sample downhill
static void search(const ground *g, const double p[3], int i, int j, foot *best) {
  foot here = {.square = INFINITY}, o;
  bool known =
      best->x >= g->x[i] && best->x < g->x[i + 1] && best->y >= g->y[j] && best->y < g->y[j + 1];
  if (known) return;
  for (int k = 0; k <= FINE; k++)
    for (int l = 0; l <= FINE; l++) {
      stand(g, p, g->x[i] + (g->x[i + 1] - g->x[i]) * k / FINE,
            g->y[j] + (g->y[j + 1] - g->y[j]) * l / FINE, 1, &o);
      if (o.square < here.square) here = o;
    }
  stand(g, p, here.x, here.y, 2, &o);
  descend(g, p, &o);
  if (o.square < best->square) *best = o;
}

static void nearest(const ground *g, const double p[3], foot *best) {
  stand(g, p, p[0], p[1], 2, best);
  descend(g, p, best);
  double reach = sqrt(best->square), bend = 0;
  int i0 = cell_of(g->x, g->nx, p[0] - reach), i1 = cell_of(g->x, g->nx, p[0] + reach);
  int j0 = cell_of(g->y, g->ny, p[1] - reach), j1 = cell_of(g->y, g->ny, p[1] + reach);
  for (int j = j0; j <= j1; j++)
    for (int i = i0; i <= i1; i++)
      bend = fmax(bend, g->cell[CELL * ((size_t)j * (size_t)(g->nx - 1) + (size_t)i) + 2]);
  if (bend * reach < alone) return;
  for (int j = j0; j <= j1; j++)
    for (int i = i0; i <= i1; i++) {
      const double *cell = g->cell + CELL * ((size_t)j * (size_t)(g->nx - 1) + (size_t)i);
      if (from_cell(g, p, i, j, cell) < best->square) search(g, p, i, j, best);
    }
}

// H = -T M T^T with M = G^-1 B (G - s B)^-1 and T the tangents as columns
static void curvature(const double f[6], double W, double s, double *H) {
  double G[3] = {1 + f[1] * f[1], f[1] * f[2], 1 + f[2] * f[2]};
  double B[3] = {f[3] / W, f[4] / W, f[5] / W}, D[3], det, M[4];
  for (int k = 0; k < 3; k++) D[k] = G[k] - s * B[k];
  det = (G[0] * G[2] - G[1] * G[1]) * (D[0] * D[2] - D[1] * D[1]);
  // inverses of symmetric 2 x 2: the adjugates, over one determinant
  double P[4] = {G[2] * B[0] - G[1] * B[1], G[2] * B[1] - G[1] * B[2], G[0] * B[1] - G[1] * B[0],
                 G[0] * B[2] - G[1] * B[1]};
  M[0] = (P[0] * D[2] - P[1] * D[1]) / det, M[1] = (P[1] * D[0] - P[0] * D[1]) / det;
  M[2] = (P[2] * D[2] - P[3] * D[1]) / det, M[3] = (P[3] * D[0] - P[2] * D[1]) / det;
  double off = 0.5 * (M[1] + M[2]);
  double T[2][3] = {{1, 0, f[1]}, {0, 1, f[2]}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      H[3 * i + j] = -(M[0] * T[0][i] * T[0][j] + M[3] * T[1][i] * T[1][j] +
                       off * (T[0][i] * T[1][j] + T[1][i] * T[0][j]));
}

static void terrain(const double *data, const double p[3], int level, hn_surface_at *o) {
  ground g = read(data);
  foot best;
  nearest(&g, p, &best);
  const double *f = best.f;
  double W = sqrt(1 + f[1] * f[1] + f[2] * f[2]), N[3] = {-f[1] / W, -f[2] / W, 1 / W};
  o->value = (p[0] - best.x) * N[0] + (p[1] - best.y) * N[1] + (p[2] - f[0]) * N[2];
  memcpy(o->gradient, N, sizeof N);
  if (level >= 2) curvature(f, W, o->value, o->hessian);
}

const hn_surface hn_surface_terrain = {"terrain", terrain};
