// branches.c: see branches.h.
//
// Everything is least squares with the masses as metric: saddle-point systems whose rows yield by a
// billionth of their size have solutions where rows are dependent, and a few refinements take the
// yielding away along all rows that are independent. gamma(z) is evaluated as if z were velocities,
// so that no second derivative has to be written here.
#include "sim/branches.h"
#include "base/elementary.h"

#include <stdio.h>
#include <string.h>

enum { REFINEMENTS = 6, CLOSING = 30, SIDES = 32, JOINING = 3 };
static const double soft = 1e-9;     // relative compliance of rows that may be dependent
static const double stride = 1e-3;   // to the side: rad, or part of the model's length
static const double roughly = 3e-3;  // what is left of J a = gamma along a direction found so
static const double apart = 2e-2;    // between directions that are told apart

void hn_place_layout(hn_place *p, hn_arena *arena) {
  int nv = p->sys->nv, rows = p->sys->rows;
  p->y = HN_TAKE(arena, double, 2 * p->sim->state.n);
  p->D = HN_TAKE(arena, double, rows);
  p->a = HN_TAKE(arena, double, nv);
  p->x = HN_TAKE(arena, double, nv);
  p->m = HN_TAKE(arena, double, nv);
  for (int i = 0; i < HN_BRANCHES; i++) {
    p->z[i] = HN_TAKE(arena, double, nv);
    p->rest[i] = HN_TAKE(arena, double, rows);
  }
}

double hn_place_speed(const hn_place *p, const double *v) {
  double most = 0;
  for (int k = 0; k < p->sys->nv; k++)
    most = fmax(most, fabs(v[k]) / (p->sys->angular_v[k] ? 1 : p->sys->length));
  return most;
}

void hn_place_scale(const hn_place *p, double s, double *v) {
  for (int k = 0; k < p->sys->nv; k++) v[k] *= s;
}

double hn_place_inner(const hn_place *p, const double *a, const double *b) {
  double sum = 0;
  hn_mass_mul(&p->sim->stage.work, a, p->m);
  for (int k = 0; k < p->sys->nv; k++) sum += p->m[k] * b[k];
  return sum;
}

static bool left_out(const hn_place *p, int row) {
  return p->sim->rows.D && p->sim->rows.D[row] > 0;
}

// ---- least squares -------------------------------------------------------------------------

// rows may be dependent, so all yield: by a part of their own size, whatever their units
static void factor(const hn_place *p) {
  hn_row_sizes(&p->sim->stage.work, p->D);
  for (int i = 0; i < p->sys->rows; i++)
    p->D[i] = left_out(p, i) ? HN_LEFT_OUT : soft * (p->D[i] > 0 ? p->D[i] : 1);
  hn_kkt_factor(&p->sim->stage.kkt, &p->sim->stage.work, HN_WEIGHT_MASS, p->D);
}

// x = least change with J x = sign rhs as far as that is possible
static void least(const hn_place *p, double sign, const double *rhs, double *x) {
  double *l = p->sim->room.r2;
  memset(l, 0, (size_t)p->sys->rows * sizeof(double));
  for (int pass = 0; pass < REFINEMENTS; pass++) {
    memset(x, 0, (size_t)p->sys->nv * sizeof(double));
    // what yielding let through comes back as D l on the right-hand side of the next pass
    for (int i = 0; i < p->sys->rows; i++)
      l[i] = left_out(p, i) ? 0 : sign * rhs[i] + p->D[i] * l[i];
    hn_kkt_solve(&p->sim->stage.kkt, &p->sim->stage.work, x, l);
  }
}

static double row_unit(const hn_place *p, int row) {
  return p->sys->angular_row[row] ? 1 : p->sys->length;
}

double hn_place_remains(const hn_place *p, const double *z, double *rest) {
  hn_work *w = &p->sim->stage.work;
  hn_eval_all(w, p->t, p->q, z);
  factor(p);
  least(p, 1, w->gamma, p->x);
  hn_jacobian_mul(w, p->x, rest);
  double most = 0;
  for (int i = 0; i < p->sys->rows; i++) {
    rest[i] = left_out(p, i) ? 0 : (w->gamma[i] - rest[i]) / row_unit(p, i);
    most = fmax(most, fabs(rest[i]));
  }
  return most;
}

bool hn_place_close(const hn_place *p, double t, double *q) {
  hn_work *w = &p->sim->stage.work;
  double last = INFINITY;
  memset(p->m, 0, (size_t)p->sys->nv * sizeof(double));
  for (int pass = 0; pass < CLOSING; pass++) {
    double open = 0;
    hn_eval_jacobian(w, t, q, p->m);
    for (int i = 0; i < p->sys->rows; i++)
      if (!left_out(p, i) && p->sys->holonomic[i])
        open = fmax(open, fabs(w->phi[i]) / row_unit(p, i));
    // closed to rounding, or to where another pass would not get nearer
    if (open < 1e-14 || (open < 1e-10 && !(open < 0.5 * last))) return true;
    last = open;
    for (int i = 0; i < p->sys->rows; i++) p->sim->room.r[i] = p->sys->holonomic[i] ? w->phi[i] : 0;
    factor(p);
    least(p, -1, p->sim->room.r, p->x);
    hn_retract(p->sys, q, p->x);
  }
  return false;
}

void hn_place_join(const hn_place *p, double t, const double *q, double *v) {
  hn_work *w = &p->sim->stage.work;
  hn_eval_jacobian(w, t, q, v);
  factor(p);
  least(p, -1, w->psi, p->x);
  for (int k = 0; k < p->sys->nv; k++) v[k] += p->x[k];
}

// ---- directions ----------------------------------------------------------------------------

// a motion that J leaves at the state last evaluated, whose factors are there. In the first half of
// them everything moves much alike up to one of the coordinates and the other way behind it: in
// chains of loops few go another way than their neighbours, and none is left almost where it is
static void general_motion(const hn_place *p, int which, double *o) {
  hn_sim *sim = p->sim;
  int turn = p->sys->nv - p->sys->nv * which / (SIDES / 2);
  for (int k = 0; k < p->sys->nv; k++) {
    unsigned h = (unsigned)k * 2654435761u + (unsigned)which * 40503u + 977u;
    h ^= h >> 13, h *= 2246822519u, h ^= h >> 16;
    bool ahead = which < SIDES / 2 ? k < turn : h & 1;
    o[k] = (ahead ? 1 : -1) * (0.8 + 0.2 * (h >> 1) / 2147483648.0) *
           (p->sys->angular_v[k] ? 1 : p->sys->length);
  }
  hn_jacobian_mul(&sim->stage.work, o, sim->room.r);
  least(p, 1, sim->room.r, p->x);
  for (int k = 0; k < p->sys->nv; k++) o[k] -= p->x[k];
}

// another motion that J leaves, at right angles to z
static void second_motion(const hn_place *p, const double *z, double *o) {
  hn_eval_all(&p->sim->stage.work, p->t, p->q, z);
  factor(p);
  general_motion(p, 0, o);
  double c = hn_place_inner(p, z, o) / hn_place_inner(p, z, z);
  for (int k = 0; k < p->sys->nv; k++) o[k] -= c * z[k];
  hn_place_scale(p, 1 / hn_place_speed(p, o), o);
}

// With z and o spanning the motions that J leaves, the remainder of cos z + sin o is a quadratic
// form in (cos, sin), known by its values at z, o and z + o. Two real roots: two branches cross;
// none: nothing leads out
int hn_two_branches(const hn_place *p) {
  double *z = p->z[0], *o = p->z[1], *both = p->z[2], c[3], size = 0;
  int nv = p->sys->nv, rows = p->sys->rows, lead = 0;
  second_motion(p, z, o);
  for (int k = 0; k < nv; k++) both[k] = z[k] + o[k];
  for (int m = 0; m < 3; m++) {
    double x = hn_place_remains(p, p->z[m], p->rest[m]);
    if (x > size) size = x, lead = m;
  }
  // the rows that are lost have one direction: all three remainders lie along it
  double norm = 0;
  for (int m = 0; m < 3; m++) c[m] = 0;
  for (int i = 0; i < rows; i++) norm += p->rest[lead][i] * p->rest[lead][i];
  for (int m = 0; m < 3 && norm > 0; m++)
    for (int i = 0; i < rows; i++) c[m] += p->rest[m][i] * p->rest[lead][i] / norm;
  double a = c[0], b = 0.5 * (c[2] - c[0] - c[1]), d = c[1], root = b * b - a * d;
  if (!(root > 1e-12)) return 0;
  // cos(t) z + sin(t) o with a cos^2 + 2 b cos sin + d sin^2 = 0
  // both roots without the difference of nearly equal numbers
  double s = sqrt(root), q = -(b + (b < 0 ? -s : s));
  double t[2] = {hn_atan2(q, d), hn_atan2(a, q)};
  memcpy(both, z, (size_t)nv * sizeof(double));
  for (int k = 0; k < nv; k++) {
    double first = both[k], second = o[k];
    z[k] = hn_cos(t[0]) * first + hn_sin(t[0]) * second;
    o[k] = hn_cos(t[1]) * first + hn_sin(t[1]) * second;
  }
  hn_place_scale(p, 1 / hn_place_speed(p, z), z);
  hn_place_scale(p, 1 / hn_place_speed(p, o), o);
  return 2;
}

// the same branch, there or back (where nothing says which way)
static bool same(const hn_place *p, const double *a, const double *b, bool driven) {
  double there = 0, back = 0;
  for (int k = 0; k < p->sys->nv; k++) {
    double unit = p->sys->angular_v[k] ? 1 : p->sys->length;
    there = fmax(there, fabs(a[k] - b[k]) / unit), back = fmax(back, fabs(a[k] + b[k]) / unit);
  }
  return there < apart || (!driven && back < apart);
}

// from a little to the side onto the rows, and along the tangent there
static bool side(const hn_place *p, int which, double h, double *z) {
  const hn_system *sys = p->sys;
  double *q = p->y, t = p->t + h;
  memset(p->m, 0, (size_t)sys->nv * sizeof(double));
  hn_eval_all(&p->sim->stage.work, p->t, p->q, p->m);
  factor(p);
  general_motion(p, which, z);
  hn_place_scale(p, stride / hn_place_speed(p, z), z);
  memcpy(q, p->q, (size_t)sys->nq * sizeof(double));
  hn_retract(sys, q, z);
  if (!hn_place_close(p, t, q)) return false;
  // rows that are almost dependent are met a little more closely each time
  for (int i = 0; i < JOINING; i++) hn_place_join(p, t, q, z);
  double size = hn_place_speed(p, z);
  // it fell back to where it came from: this side leads nowhere
  if (!(size > 0.01 * stride)) return false;
  hn_place_scale(p, 1 / size, z);
  return hn_place_remains(p, z, p->rest[0]) < roughly;
}

int hn_some_branches(const hn_place *p, double h) {
  int found = 0;
  for (int i = 0; i < SIDES && found < HN_BRANCHES; i++) {
    double *z = p->z[found];
    if (!side(p, i, h, z)) continue;
    bool known = false;
    for (int k = 0; k < found; k++) known |= same(p, p->z[k], z, h > 0);
    found += !known;
  }
  return found;
}

void hn_name_branch(const hn_place *p, const double *z, char *text, size_t size) {
  const hn_system *sys = p->sys;
  hn_work *w = &p->sim->stage.work;
  size_t used = 0;
  int said = 0;
  hn_eval_all(w, p->t, p->q, z);
  hn_eval_measures(w);
  text[0] = 0;
  for (int j = 0; j < sys->joints && said < 4; j++)
    for (int k = 0; k < sys->joint[j].coordinates && said < 4; k++) {
      double rate = w->mval[sys->joint[j].coordinate[k].measure].rate;
      int n = snprintf(text + used, size - used, "%s%.40s.%.20s %.3g", said ? ", " : "",
                       sys->joint[j].name, sys->joint[j].coordinate[k].name,
                       fabs(rate) < 1e-7 ? 0 : rate);
      if (n < 0 || used + (size_t)n >= size) return;
      used += (size_t)n;
      said++;
    }
}
