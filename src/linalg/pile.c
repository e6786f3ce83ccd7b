// pile.c: one contact after the other is brought to rest, to slide or to part, with what the others
// do held: projected Gauss-Seidel on the velocity (M. Jean, The non-smooth contact dynamics method,
// Comput. Methods Appl. Mech. Engrg. 177, 1999).
#include "linalg/pile.h"

#include "linalg/cones.h"

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

double hn_pile_solve(hn_pile *pile, double *v, double size, double tolerance, int *sweeps) {
  double change = INFINITY;
  int most = *sweeps;
  for (int i = 0; i < pile->rows; i++) add(&pile->response, i, pile->x[i], v);
  for (*sweeps = 0; *sweeps < most && change > tolerance * size; (*sweeps)++) {
    change = 0;
    for (int i = 0; i < pile->rows; i++) {
      if (pile->rubs[i] < 0 || !(pile->own[i] > 0)) continue;
      double x = fmax(0, pile->x[i] - hn_pile_rate(pile, i, v) / pile->own[i]);
      change = fmax(change, set(pile, i, x, v));
      if (pile->rubs[i] > 0) change = fmax(change, rub(pile, i, v));
    }
  }
  return size > 0 ? change / size : 0;
}
