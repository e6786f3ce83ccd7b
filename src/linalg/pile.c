// pile.c: one contact after the other is brought to rest, to slide or to part, with what the others
// do held: projected Gauss-Seidel on the velocity (M. Jean, The non-smooth contact dynamics method,
// Comput. Methods Appl. Mech. Engrg. 177, 1999). Sweeps alone take as many as the square of the
// blocks of a tower; what the last ones did says where they lead to.
#include "linalg/pile.h"

#include "linalg/cones.h"
#include "linalg/dense.h"

#include <math.h>

static void strips_layout(hn_strips *s, hn_arena *arena, int rows, int numbers) {
  s->most = numbers;
  s->start = HN_TAKE(arena, int, rows + 1);
  s->place = HN_TAKE(arena, int, numbers);
  s->value = HN_TAKE(arena, double, numbers);
}

void hn_pile_layout(hn_pile *pile, hn_arena *arena, int rows, int gradients, int responses) {
  pile->most = rows;
  strips_layout(&pile->gradient, arena, rows, gradients);
  strips_layout(&pile->response, arena, rows, responses);
  double **const each[] = {&pile->b, &pile->x, &pile->own, &pile->across, &pile->coefficient};
  for (int i = 0; i < 5; i++) *each[i] = HN_TAKE(arena, double, rows);
  pile->rubs = HN_TAKE(arena, int, rows);
  double **const last[] = {&pile->from, &pile->from_last, &pile->f, &pile->best};
  for (int i = 0; i < 4; i++) *last[i] = HN_TAKE(arena, double, rows);
  pile->steps = HN_TAKE(arena, double, HN_PILE_DEPTH *rows);
  pile->bends = HN_TAKE(arena, double, HN_PILE_DEPTH *rows);
  pile->gram = HN_TAKE(arena, double, HN_PILE_DEPTH *HN_PILE_DEPTH);
}

void hn_pile_clear(hn_pile *pile) {
  pile->rows = 0;
  pile->gradient.start[0] = pile->gradient.start[1] = 0;
  pile->response.start[0] = pile->response.start[1] = 0;
}

bool hn_strip_add(hn_strips *s, int row, int place, double value) {
  int k = s->start[row + 1];
  if (k >= s->most) return false;
  s->place[k] = place, s->value[k] = value;
  s->start[row + 1] = k + 1;
  return true;
}

static double product(const hn_strips *s, int row, const double *v) {
  double sum = 0;
  for (int k = s->start[row]; k < s->start[row + 1]; k++) sum += s->value[k] * v[s->place[k]];
  return sum;
}

static void add(const hn_strips *s, int row, double factor, double *v) {
  for (int k = s->start[row]; k < s->start[row + 1]; k++) v[s->place[k]] += factor * s->value[k];
}

// J_i R_k; both have their numbers in the order of their places
static double between(const hn_pile *pile, int i, int k) {
  const hn_strips *J = &pile->gradient, *R = &pile->response;
  double sum = 0;
  int a = J->start[i], b = R->start[k];
  while (a < J->start[i + 1] && b < R->start[k + 1]) {
    if (J->place[a] < R->place[b])
      a++;
    else if (J->place[a] > R->place[b])
      b++;
    else
      sum += J->value[a++] * R->value[b++];
  }
  return sum;
}

void hn_pile_row(hn_pile *pile, double b, double x, int rubs, double coefficient) {
  int i = pile->rows++;
  pile->b[i] = b, pile->x[i] = x;
  pile->rubs[i] = rubs, pile->coefficient[i] = coefficient;
  pile->own[i] = between(pile, i, i);
  // the second row of a friction
  pile->across[i] = 0;
  if (i > 0 && rubs < 0 && pile->rubs[i - 1] < 0) pile->across[i - 1] = between(pile, i, i - 1);
  if (pile->rows >= pile->most) return;
  pile->gradient.start[i + 2] = pile->gradient.start[i + 1];
  pile->response.start[i + 2] = pile->response.start[i + 1];
}

double hn_pile_rate(const hn_pile *pile, int row, const double *v) {
  return pile->b[row] + product(&pile->gradient, row, v);
}

// returns by how much the row's own rate changed
static double set(hn_pile *pile, int i, double x, double *v) {
  double change = x - pile->x[i];
  if (change == 0) return 0;
  pile->x[i] = x;
  add(&pile->response, i, change, v);
  return fabs(change * pile->own[i]);
}

static double rub(hn_pile *pile, int normal, double *v) {
  int i = normal + 1, k = normal + 2;
  double r = pile->coefficient[normal] * pile->x[normal];
  if (pile->rubs[normal] == 1) {
    double x = pile->x[i] - (pile->own[i] > 0 ? hn_pile_rate(pile, i, v) / pile->own[i] : 0);
    return set(pile, i, fmin(fmax(x, -r), r), v);
  }
  double a = pile->own[i], d = pile->own[k], o = pile->across[i], x[2] = {0, 0};
  double u = hn_pile_rate(pile, i, v) - a * pile->x[i] - o * pile->x[k];
  double w = hn_pile_rate(pile, k, v) - o * pile->x[i] - d * pile->x[k];
  if (r > 0 && a > 0 && d > 0) hn_cone_disc(a, d, o, u, w, r, x);
  double change = set(pile, i, x[0], v);
  return fmax(change, set(pile, k, x[1], v));
}

// one sweep; returns the largest change of a rate by the row's own impulse
static double sweep(hn_pile *pile, double *v) {
  double change = 0;
  for (int i = 0; i < pile->rows; i++) {
    if (pile->rubs[i] < 0 || !(pile->own[i] > 0)) continue;
    double x = fmax(0, pile->x[i] - hn_pile_rate(pile, i, v) / pile->own[i]);
    change = fmax(change, set(pile, i, x, v));
    if (pile->rubs[i] > 0) change = fmax(change, rub(pile, i, v));
  }
  return change;
}

// ---- faster than sweeps alone ----------------------------------------------------------------

// impulses and what they did, weighed by rates
static double weighed(const hn_pile *pile, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < pile->rows; i++) sum += pile->own[i] * pile->own[i] * a[i] * b[i];
  return sum;
}

// a sweep led from `from` by f: `from` and f less those of the sweep before are kept
static void keep(hn_pile *pile, int kept) {
  int n = pile->rows, at = kept - 1;
  double *step = pile->steps + at * pile->most, *bend = pile->bends + at * pile->most;
  for (int i = 0; i < n; i++) {
    double f = pile->x[i] - pile->from[i];
    if (kept > 0) step[i] = pile->from[i] - pile->from_last[i], bend[i] = f - pile->f[i];
    pile->from_last[i] = pile->from[i];
    pile->f[i] = f;
  }
  for (int k = 0; k < kept; k++)
    pile->gram[at * HN_PILE_DEPTH + k] = pile->gram[k * HN_PILE_DEPTH + at] =
        weighed(pile, bend, pile->bends + k * pile->most);
}

// If a sweep were linear, the impulses that it leaves as they are would be those it led to, less a
// combination of what is kept (D. G. Anderson, Iterative procedures for nonlinear integral
// equations, J. ACM 12, 1965)
static void foresee(hn_pile *pile, double *v, int kept) {
  double G[HN_PILE_DEPTH * HN_PILE_DEPTH], c[HN_PILE_DEPTH];
  for (int a = 0; a < kept; a++) {
    c[a] = weighed(pile, pile->bends + a * pile->most, pile->f);
    for (int b = 0; b < kept; b++) G[a * kept + b] = pile->gram[a * HN_PILE_DEPTH + b];
    G[a * kept + a] *= 1 + 1e-11;
  }
  if (!hn_dense_cholesky(kept, G)) return;
  hn_dense_cholesky_solve(kept, G, c);
  for (int i = 0; i < pile->rows; i++) {
    double x = pile->x[i];
    if (x == 0 && pile->f[i] == 0) continue;  // it does not take part
    for (int a = 0; a < kept; a++)
      x -= c[a] * (pile->steps[a * pile->most + i] + pile->bends[a * pile->most + i]);
    (void)set(pile, i, pile->rubs[i] < 0 ? x : fmax(0, x), v);
  }
}

static void go_to(hn_pile *pile, const double *x, double *v) {
  for (int i = 0; i < pile->rows; i++) (void)set(pile, i, x[i], v);
}

double hn_pile_solve(hn_pile *pile, double *v, double size, double tolerance, int *sweeps) {
  double change = INFINITY, last = INFINITY, best = INFINITY;
  int most = *sweeps, kept = 0;
  for (int i = 0; i < pile->rows; i++) add(&pile->response, i, pile->x[i], v);
  for (*sweeps = 1;; (*sweeps)++) {
    memcpy(pile->from, pile->x, (size_t)pile->rows * sizeof(double));
    change = sweep(pile, v);
    if (change <= best) {
      best = change;
      memcpy(pile->best, pile->x, (size_t)pile->rows * sizeof(double));
    }
    if (change <= tolerance * size || *sweeps == most) break;
    // what was kept is of no use where it was not linear at all
    if (change > 4 * last || kept == HN_PILE_DEPTH) kept = 0;
    keep(pile, kept);
    if (kept > 0) foresee(pile, v, kept);
    kept++;
    last = change;
  }
  go_to(pile, pile->best, v);
  return size > 0 ? best / size : 0;
}
