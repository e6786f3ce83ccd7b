// complementarity.c: an active-set method for convex quadratic programs with x >= 0, whose
// conditions are the complementarity problem: min x^T A x / 2 + b^T x.
//
// From x = 0 the unknown with the most negative y joins the set that is solved for; unknowns that
// would become negative on the way to the set's solution leave it (C. L. Lawson, R. J. Hanson,
// Solving Least Squares Problems, 1974, chapter 23). The function falls with every round, so no set
// comes back, and the end is the exact solution of a linear system. An unknown whose column depends
// on the set's takes over from one of them: along that direction the function falls straight on,
// until one of the set meets zero; where none does, there is no solution.
#include "linalg/complementarity.h"

#include <math.h>
#include <string.h>

static const double dependent = 1e-11;  // pivots below this part of the diagonal

void hn_lcp_layout(hn_lcp *p, hn_arena *arena, int size) {
  size_t n = (size_t)size;
  p->size = size;
  p->A = HN_TAKE(arena, double, n *n);
  p->b = HN_TAKE(arena, double, n);
  p->x = HN_TAKE(arena, double, n);
  p->in = HN_TAKE(arena, bool, n);
  p->L = HN_TAKE(arena, double, n *n);
  p->z = HN_TAKE(arena, double, n);
  p->y = HN_TAKE(arena, double, n);
  p->set = HN_TAKE(arena, int, n);
}

// Cholesky factors of A over the set's first `count` members; returns how many of them are
// independent, all of them but perhaps the last.
// From the beginning each time: sets are small, and change anywhere.
static int factor(hn_lcp *p, int n, int count) {
  for (int i = 0; i < count; i++) {
    // row of A of the i-th member; columns by the members too
    const double *row = p->A + (size_t)p->set[i] * (size_t)n;
    double *L = p->L + (size_t)i * (size_t)p->size;
    for (int k = 0; k <= i; k++) {
      const double *other = p->L + (size_t)k * (size_t)p->size;
      double sum = row[p->set[k]];
      for (int j = 0; j < k; j++) sum -= L[j] * other[j];
      // below that part of its own diagonal nothing is left that the others do not have
      if (k < i)
        L[k] = sum / other[k];
      else if (!(sum > dependent * row[p->set[i]]))
        return i;
      else
        L[i] = sqrt(sum);
    }
  }
  return count;
}

// z <- (A over the first `count` of the set)^-1 z
static void solve(const hn_lcp *p, int count, double *z) {
  for (int i = 0; i < count; i++) {
    const double *L = p->L + (size_t)i * (size_t)p->size;
    // L, then L^T
    for (int k = 0; k < i; k++) z[i] -= L[k] * z[k];
    z[i] /= L[i];
  }
  for (int i = count - 1; i >= 0; i--) {
    for (int k = i + 1; k < count; k++)
      z[i] -= p->L[(size_t)k * (size_t)p->size + (size_t)i] * z[k];
    z[i] /= p->L[(size_t)i * (size_t)p->size + (size_t)i];
  }
}

// drops the members of the set that came to zero; returns how many are left
static int drop(hn_lcp *p, int count) {
  int left = 0;
  for (int i = 0; i < count; i++) {
    // what has met zero leaves the set
    if (p->x[p->set[i]] > 0)
      p->set[left++] = p->set[i];
    else
      p->x[p->set[i]] = 0, p->in[p->set[i]] = false;
  }
  return left;
}

// goes from x towards z, which belongs to the set, until a member meets zero; true when z is
// reached
static bool approach(hn_lcp *p, int count) {
  double part = 1;
  int first = -1;
  for (int i = 0; i < count; i++) {
    double x = p->x[p->set[i]];
    // goes up, or does not reach zero on the way
    if (p->z[i] > 0 || x - p->z[i] <= 0) continue;
    if (x / (x - p->z[i]) < part || first < 0) part = x / (x - p->z[i]), first = i;
  }
  for (int i = 0; i < count; i++) {
    double *x = &p->x[p->set[i]];
    *x = first < 0 ? p->z[i] : *x + part * (p->z[i] - *x);
  }
  // exactly, whatever the arithmetic says
  if (first >= 0) p->x[p->set[first]] = 0;
  return first < 0;
}

// the last of the set depends on the others: it grows at their expense until one of them is gone;
// false: nothing stops it
static bool exchange(hn_lcp *p, int n, int count) {
  int last = p->set[count - 1], first = -1;
  double most = INFINITY;
  // the last column by the others: z says how they give way
  for (int i = 0; i < count - 1; i++) p->z[i] = p->A[(size_t)p->set[i] * (size_t)n + (size_t)last];
  solve(p, count - 1, p->z);
  for (int i = 0; i < count - 1; i++) {
    double x = p->x[p->set[i]];
    // the first that meets zero
    if (p->z[i] > 1e-12 && x / p->z[i] < most) most = x / p->z[i], first = i;
  }
  if (first < 0) return false;
  for (int i = 0; i < count - 1; i++) p->x[p->set[i]] -= most * p->z[i];
  p->x[p->set[first]] = 0;
  p->x[last] = most;
  return true;
}

// y = A x + b; returns the size of what it is made of.
// The size of the terms, not of their sum, says what rounding is.
static double residual(hn_lcp *p, int n) {
  double size = 0;
  for (int i = 0; i < n; i++) {
    const double *row = p->A + (size_t)i * (size_t)n;
    double sum = p->b[i], terms = fabs(p->b[i]);
    for (int k = 0; k < n; k++) sum += row[k] * p->x[k], terms += fabs(row[k] * p->x[k]);
    p->y[i] = sum;
    size = fmax(size, terms);
  }
  return size;
}

// By y^2 / A_ii, how far the function falls along the unknown alone: independent of its unit.
static int most_negative(const hn_lcp *p, int n, double limit) {
  int best = -1;
  double most = 0;
  for (int i = 0; i < n; i++) {
    double own = p->A[(size_t)i * (size_t)n + (size_t)i];
    // own: a zero diagonal has nothing to fall by
    if (p->in[i] || !(p->y[i] < -limit) || !(own > 0)) continue;
    double size = p->y[i] * p->y[i] / own;
    if (size > most) most = size, best = i;
  }
  return best;
}

bool hn_lcp_solve(hn_lcp *p, int n, double tolerance) {
  int count = 0;
  memset(p->x, 0, (size_t)n * sizeof(double));
  memset(p->in, 0, (size_t)n * sizeof(bool));
  // each round adds one, and drops some
  for (int round = 0; round < 20 * n + 20; round++) {
    double limit = tolerance * residual(p, n);
    // y is negative nowhere: done
    int j = most_negative(p, n, limit);
    if (j < 0) return true;
    p->set[count++] = j;
    p->in[j] = true;
    for (;;) {
      if (factor(p, n, count) < count) {
        // dependent: exchange, then go on with a set that is regular
        if (!exchange(p, n, count)) return false;
        count = drop(p, count);
        if (factor(p, n, count) < count) return false;
      }
      for (int i = 0; i < count; i++) p->z[i] = -p->b[p->set[i]];
      solve(p, count, p->z);
      if (approach(p, count)) break;
      count = drop(p, count);
      if (!count) break;
    }
  }
  // round-off may let an unknown come and go for ever
  return most_negative(p, n, 1e3 * tolerance * residual(p, n)) < 0;
}

void hn_lcp_balance(hn_lcp *p, int n) {
  int count = 0;
  memset(p->x, 0, (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++) {
    p->set[count++] = i;
    // in their order: each that is independent of those before
    if (factor(p, n, count) < count) count--;
  }
  for (int i = 0; i < count; i++) p->z[i] = -p->b[p->set[i]];
  solve(p, count, p->z);
  for (int i = 0; i < count; i++) p->x[p->set[i]] = p->z[i];
}

bool hn_lcp_join(hn_lcp *p, int n, int count, int j) {
  p->set[count] = j;
  return p->A[(size_t)j * (size_t)n + (size_t)j] > 0 && factor(p, n, count + 1) > count;
}

void hn_lcp_express(hn_lcp *p, int n, int count, int j, double *z) {
  (void)factor(p, n, count);
  for (int i = 0; i < count; i++) z[i] = p->A[(size_t)p->set[i] * (size_t)n + (size_t)j];
  solve(p, count, z);
}
