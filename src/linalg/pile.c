// pile.c: one contact after the other is brought to rest, to slide or to part, with what the others
// do held: projected Gauss-Seidel on the velocity (M. Jean, The non-smooth contact dynamics method,
// Comput. Methods Appl. Mech. Engrg. 177, 1999). Sweeps alone take as many as the square of the
// layers of a heap; with momentum they take as many as there are layers.
#include "linalg/pile.h"

#include "linalg/cones.h"

#include <math.h>
#include <string.h>

// rows of both kinds: the gradient J_i and the response R_i
static void strips_layout(hn_strips *s, hn_arena *arena, int rows, int numbers) {
  s->most = numbers;
  s->start = HN_TAKE(arena, int, rows + 1);
  s->place = HN_TAKE(arena, int, numbers);
  s->value = HN_TAKE(arena, double, numbers);
}

void hn_pile_layout(hn_pile *pile, hn_arena *arena, int velocities, int rows, int gradients,
                    int responses) {
  pile->most = rows;
  pile->velocities = velocities;
  strips_layout(&pile->gradient, arena, rows, gradients);
  // one list after the other: they are all of `rows` numbers
  strips_layout(&pile->response, arena, rows, responses);
  double **const each[] = {&pile->b, &pile->x, &pile->own, &pile->across, &pile->coefficient};
  for (int i = 0; i < 5; i++) *each[i] = HN_TAKE(arena, double, rows);
  pile->rubs = HN_TAKE(arena, int, rows);
  double **const last[] = {&pile->from, &pile->last, &pile->best};
  for (int i = 0; i < 3; i++) *last[i] = HN_TAKE(arena, double, rows);
  pile->v_last = HN_TAKE(arena, double, velocities);
}

// the row being written begins where the last one ends
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
  // merged, as both ascend
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
  // J_i R_i: what a unit of impulse does to its own rate
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

// calls of the library's fmax cost as much as a row
static double larger(double a, double b) {
  return a > b ? a : b;
}

// returns by how much the row's own rate changed
static double set(hn_pile *pile, int i, double x, double *v) {
  double change = x - pile->x[i];
  // x and v never disagree
  if (change == 0) return 0;
  pile->x[i] = x;
  add(&pile->response, i, change, v);
  return fabs(change * pile->own[i]);
}

// The disc is the one of this normal impulse as it is now: normal first, then friction, contact by
// contact.
static double rub(hn_pile *pile, int normal, double *v) {
  int i = normal + 1, k = normal + 2;
  double r = pile->coefficient[normal] * pile->x[normal];
  bool two = pile->rubs[normal] > 1;
  // nothing presses and nothing rubs
  if (r == 0 && pile->x[i] == 0 && (!two || pile->x[k] == 0)) return 0;
  if (!two) {
    double x = pile->x[i] - (pile->own[i] > 0 ? hn_pile_rate(pile, i, v) / pile->own[i] : 0);
    return set(pile, i, fmin(fmax(x, -r), r), v);
  }
  double a = pile->own[i], d = pile->own[k], o = pile->across[i], x[2] = {0, 0};
  // rates without the friction's own part
  double u = hn_pile_rate(pile, i, v) - a * pile->x[i] - o * pile->x[k];
  double w = hn_pile_rate(pile, k, v) - o * pile->x[i] - d * pile->x[k];
  if (r > 0 && a > 0 && d > 0) hn_cone_disc(a, d, o, u, w, r, x);
  double change = set(pile, i, x[0], v);
  return larger(change, set(pile, k, x[1], v));
}

// one sweep; returns the largest change of a rate by the row's own impulse
static double sweep(hn_pile *pile, double *v) {
  double change = 0;
  for (int i = 0; i < pile->rows; i++) {
    if (pile->rubs[i] < 0 || !(pile->own[i] > 0)) continue;
    // normal first: max(0, x - rate / own)
    double x = larger(0, pile->x[i] - hn_pile_rate(pile, i, v) / pile->own[i]);
    change = larger(change, set(pile, i, x, v));
    if (pile->rubs[i] > 0) change = larger(change, rub(pile, i, v));
  }
  return change;
}

// ---- faster than sweeps alone ----------------------------------------------------------------

// what rubs at a normal row is brought into its cone
static void clamp(hn_pile *pile, int normal, double *v) {
  int i = normal + 1, rubs = pile->rubs[normal];
  double x = pile->x[i], y = rubs > 1 ? pile->x[i + 1] : 0, square = x * x + y * y;
  double r = pile->coefficient[normal] * pile->x[normal];
  // inside of the disc
  if (!(square > r * r)) return;
  double part = r / sqrt(square);
  (void)set(pile, i, x * part, v);
  if (rubs > 1) (void)set(pile, i + 1, y * part, v);
}

// x and v go on by `part` of what they did since the last time, as far as the cones let them.
// x and v go on together, so that v stays the velocity that belongs to x; whatever leaves a cone is
// set back with its effect on v.
static void go_on(hn_pile *pile, double part, double *v) {
  for (int i = 0; i < pile->velocities; i++) {
    double step = v[i] - pile->v_last[i];
    pile->v_last[i] = v[i];
    v[i] += part * step;
  }
  for (int i = 0; i < pile->rows; i++) {
    double step = pile->x[i] - pile->last[i];
    pile->last[i] = pile->x[i];
    pile->x[i] += part * step;
  }
  for (int i = 0; part > 0 && i < pile->rows; i++) {
    if (pile->rubs[i] < 0) continue;
    // impulses do not pull
    if (pile->x[i] < 0) (void)set(pile, i, 0, v);
    if (pile->rubs[i] > 0) clamp(pile, i, v);
  }
}

// What a sweep did, squared; *along: whether it went on in the direction of the steps. Both in
// rates
static double advance(const hn_pile *pile, double *along) {
  double square = 0;
  *along = 0;
  for (int i = 0; i < pile->rows; i++) {
    // in rates: rows of different units count alike
    double own = pile->own[i] * pile->own[i], f = pile->x[i] - pile->from[i];
    square += own * f * f;
    *along += own * f * (pile->x[i] - pile->last[i]);
  }
  return square;
}

// what an impulse does to the rate of its own row
static double largest(const hn_pile *pile) {
  double most = 0;
  for (int i = 0; i < pile->rows; i++) most = larger(most, fabs(pile->own[i] * pile->x[i]));
  return most;
}

static void go_to(hn_pile *pile, const double *x, double *v) {
  for (int i = 0; i < pile->rows; i++) (void)set(pile, i, x[i], v);
}

// Sweeps creep where many contacts have to change together: each goes on with the steps of those
// before it (Yu. Nesterov, Soviet Math. Doklady 27, 1983), which makes their number its root. The
// steps start anew where sweeps turn round or have more to do than before (B. O'Donoghue,
// E. Candes, Adaptive restart for accelerated gradient schemes, Found. Comput. Math. 15, 2015)
typedef struct momentum {
  double theta, least;
  int sweeps;
} momentum;

// The largest part of a step that sweeps go on by. While contacts of a heap still come and go, more
// than 0.8 carries them past where they part or slide, and is undone, the more often the higher the
// heap. What is left after hundreds of sweeps is a tower, which needs all of it.
static double most_momentum(int sweeps) {
  return 1 - 20.0 / (100 + sweeps);
}

static void accelerate(hn_pile *pile, momentum *m, double *v) {
  static const double growth = 3;
  double along, square = advance(pile, &along);
  // a sweep that turned back, or does more than it did
  bool anew = along < 0 || square > growth * m->least;
  m->sweeps++;
  // anew: momentum starts from nothing
  m->least = anew ? square : fmin(m->least, square);
  double last = anew ? 1 : m->theta;
  m->theta = 0.5 * (1 + sqrt(1 + 4 * last * last));
  go_on(pile, anew ? 0 : fmin((last - 1) / m->theta, most_momentum(m->sweeps)), v);
}

// Momentum may make a sweep worse than one before: the best is kept and gone back to at the end.
double hn_pile_solve(hn_pile *pile, double *v, double *size, double tolerance, int *sweeps) {
  size_t numbers = (size_t)pile->rows * sizeof(double);
  double change, best = INFINITY;
  int most = *sweeps;
  momentum m = {.theta = 1, .least = INFINITY};
  // v comes without the impulses that x starts with
  for (int i = 0; i < pile->rows; i++) add(&pile->response, i, pile->x[i], v);
  memcpy(pile->last, pile->x, numbers);
  memcpy(pile->v_last, v, (size_t)pile->velocities * sizeof(double));
  for (*sweeps = 1;; (*sweeps)++) {
    memcpy(pile->from, pile->x, numbers);
    change = sweep(pile, v);
    if (change <= best) {
      best = change;
      memcpy(pile->best, pile->x, numbers);
    }
    *size = larger(*size, largest(pile));
    if (change <= tolerance * *size || *sweeps == most) break;
    accelerate(pile, &m, v);
  }
  go_to(pile, pile->best, v);
  return *size > 0 ? best / *size : 0;
}
