// stiffen.c: geometric stiffening of bodies made of elements with two nodes, as beams are.
//
// An element that turns by its ends' displacements across it becomes shorter along itself, by
//
//   s_e = sum_kl p_k p_l q_e,kl / 2,   q_e,kl = int w_k'.w_l' dx  (cubic w between the nodes)
//
// or is stretched by as much where its ends are held. With its axial force N_e = n_e.u the energy
// has N_e s_e more, besides terms in s_e^2. Displacements inside follow, being stiff along the
// elements: with the interfaces held and the modes kept apart they are
//
//   u2 = -(K_II^-1 - sum_m phi_m phi_m^T / w_m^2) sum_e n_e s_e,
//
// quadratic in p. What then remains is the energy of p_i + sum h_i,kl p_k p_l / 2, K h_i,kl =
// r_i,kl = sum_e N_e(shape i) q_e,kl, and inertia and weight of u2. Their integrals with the fields
// f of rigid motion,
//
//   f.M u2 = -sum_e T_e(f) s_e,   T_e(f) = n_e.(K_II^-1 - ...) M f,
//
// need no u2 itself: T_e is the axial force that inertia along f makes with the interfaces held.
// (Wallrapp and Schwertassek, Representation of geometric stiffening in multibody system
// simulation, 1991, where forces take the place of the energy of the interfaces.)
//
// The elements are found from the stiffness itself: what couples two nodes is one element, and what
// it adds to either node follows from its not resisting rigid motion.
#include "model/reducer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "linalg/dense.h"

static const double other_elements = 1e-6;  // stiffness that pairs do not explain, of the largest
enum { MOST = 60, FIELDS = 12 };

typedef struct element {
  int a, b;
  double length, axis[3];
  double pull[12];  // axial force by the displacements of a and b
} element;

typedef struct maker {
  const hn_reducer *m;
  int n;  // numbers of p
  element *element;
  int elements, capacity;
  double *tension;  // fields x elements
  double *bend;     // n x 9: of one element: w_b - w_a, slopes at a and b
  double *q;        // n x n, of one element
} maker;

static hn_status refuse(const maker *s, const char *what) {
  return hn_fail(s->m->message, HN_ERR_MODEL, "%s", what);
}
static hn_status no_memory(const maker *s) {
  return hn_fail(s->m->message, HN_ERR_MEMORY, "out of memory");
}

// ---- elements ------------------------------------------------------------------------------

// rows of one node, columns of another
static void block(const hn_matrix *K, int row, int column, double B[36]) {
  memset(B, 0, 36 * sizeof *B);
  for (int c = 0; c < 6; c++)
    for (int k = K->start[6 * column + c]; k < K->start[6 * column + c + 1]; k++)
      if (K->row[k] / 6 == row) B[6 * (K->row[k] % 6) + c] += K->value[k];
}

// -B T, where T takes a rigid motion of one end to that of the other, `arm` away: what the element
// adds to the first end
static void own_block(const double B[36], const double arm[3], double out[36]) {
  // u' = u + theta x arm: columns of theta get [arm]^T
  for (int i = 0; i < 6; i++) {
    double turn[3];
    v3_cross(turn, arm, B + 6 * i);
    for (int c = 0; c < 3; c++) {
      out[6 * i + c] = -B[6 * i + c];
      out[6 * i + 3 + c] = -B[6 * i + 3 + c] - turn[c];
    }
  }
}

static bool same_piece(const hn_reducer *m, int a, int b) {
  int of[2] = {-1, -2};
  for (int i = 0; i < m->pieces; i++)
    for (int k = 0; k < m->piece[i].count; k++) {
      if (m->piece[i].node[k] == a) of[0] = i;
      if (m->piece[i].node[k] == b) of[1] = i;
    }
  return of[0] == of[1];
}

static bool add_element(maker *s, int a, int b, const double other[36], const double own[36]) {
  if (same_piece(s->m, a, b)) return true;
  if (!hn_grow((void **)&s->element, &s->capacity, s->elements, sizeof *s->element)) return false;
  element *x = &s->element[s->elements++];
  *x = (element){.a = a, .b = b};
  v3_sub(x->axis, s->m->e->place + 3 * b, s->m->e->place + 3 * a);
  x->length = v3_norm(x->axis);
  v3_scale(x->axis, 1 / x->length, x->axis);
  for (int c = 0; c < 6; c++)
    for (int r = 0; r < 3; r++) {
      x->pull[c] += x->axis[r] * other[6 * r + c];
      x->pull[6 + c] += x->axis[r] * own[6 * r + c];
    }
  return true;
}

// how far from symmetric what a pair adds to its nodes is: a real element has a stiffness of its
// own
static double skewness(const double A[36]) {
  double most = 0;
  for (int i = 0; i < 36; i++) most = fmax(most, fabs(A[i] - A[6 * (i % 6) + i / 6]));
  return most;
}

// all pairs of nodes; `rest` is what they do not explain on the diagonal, its last number the
// largest skewness
static hn_status find_elements(maker *s, double *rest) {
  const hn_finite_elements *e = s->m->e;
  const hn_matrix *K = &e->K;
  for (int a = 0; a < e->nodes; a++) {
    double B[36];
    block(K, a, a, B);
    for (int k = 0; k < 36; k++) rest[36 * a + k] += B[k];
    int last = -1;
    for (int k = K->start[6 * a]; k < K->start[6 * (a + 1)]; k++) {
      int b = K->row[k] / 6;
      bool seen = b <= a;
      for (int j = K->start[6 * a]; j < k && !seen; j++) seen = K->row[j] / 6 == b;
      if (seen || b == last) continue;
      last = b;
      double ab[36], ba[36], at_a[36], at_b[36], arm[3];
      block(K, a, b, ab);
      block(K, b, a, ba);
      v3_sub(arm, e->place + 3 * b, e->place + 3 * a);
      if (!(v3_norm(arm) > 0))
        return refuse(s, "stiffening: two coupled nodes are at one place, where no element is");
      own_block(ab, arm, at_a);
      v3_scale(arm, -1, arm);
      own_block(ba, arm, at_b);
      for (int i = 0; i < 36; i++) rest[36 * a + i] -= at_a[i], rest[36 * b + i] -= at_b[i];
      double *skew = rest + 36 * e->nodes;
      *skew = fmax(*skew, fmax(skewness(at_a), skewness(at_b)));
      if (!add_element(s, a, b, ba, at_b)) return no_memory(s);
    }
  }
  return HN_OK;
}

static hn_status split(maker *s) {
  const hn_finite_elements *e = s->m->e;
  static const char why[] =
      "stiffening needs elements of two nodes with rotations, such as beams: the stiffness couples "
      "nodes in other ways (take several flexible bodies one behind the other, or beams)";
  if (e->freedoms != 6) return refuse(s, why);
  size_t size = 36 * (size_t)e->nodes + 1;
  double *rest = calloc(size, sizeof *rest);
  if (!rest) return no_memory(s);
  hn_status status = find_elements(s, rest);
  if (!status && !(hn_largest(rest, size) <= other_elements * hn_matrix_size(&e->K)))
    status = refuse(s, why);
  free(rest);
  return status;
}

static double pull_of(const element *x, const double *u) {
  double sum = 0;
  for (int c = 0; c < 6; c++)
    sum += x->pull[c] * u[6 * x->a + c] + x->pull[6 + c] * u[6 * x->b + c];
  return sum;
}

// ---- fields --------------------------------------------------------------------------------

// along the axes, about them, and centrifugal: x - (e_a x_b + e_b x_a)/2 for (a, b) = xx, yy, zz,
// xy, xz, yz
static void field(const maker *s, int c, double *u) {
  static const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
  const hn_finite_elements *e = s->m->e;
  memset(u, 0, 6 * (size_t)e->nodes * sizeof *u);
  for (int i = 0; i < e->nodes; i++) {
    double x[3], *at = u + 6 * i;
    v3_sub(x, e->place + 3 * i, s->m->piece[0].place);
    if (c < 3) {
      at[c] = 1;
    } else if (c < 6) {
      const double axis[3] = {c == 3, c == 4, c == 5};
      v3_cross(at, axis, x);
      at[c] = 1;
    } else {
      int a = first[c - 6], b = second[c - 6];
      if (a == b) v3_copy(at, x);
      at[a] -= 0.5 * x[b];
      at[b] -= 0.5 * x[a];
    }
  }
}

static double dot(size_t n, const double *x, const double *y) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// what inertia along a field pulls in the elements, the interfaces held and the modes left out
static void find_tension(maker *s, int c, double *load, double *u) {
  const hn_reducer *m = s->m;
  size_t all = (size_t)m->all;
  field(s, c, u);
  hn_matrix_mul(&m->e->M, u, load);
  memset(u, 0, all * sizeof *u);
  for (int i = 0; i < m->inner; i++) m->work[i] = load[m->of[i]];
  if (m->inner) hn_sparse_solve(m->K, m->work);
  for (int i = 0; i < m->inner; i++) u[m->of[i]] = m->work[i];
  for (int k = 0; k < m->modes; k++) {
    const double *phi = m->C + (size_t)(6 * m->pieces + k) * all;
    double w = m->out->frequency[k], part = dot(all, phi, load) / (w * w);
    for (size_t i = 0; i < all; i++) u[i] -= part * phi[i];
  }
  for (int x = 0; x < s->elements; x++)
    s->tension[c * s->elements + x] = pull_of(&s->element[x], u);
}

// ---- shortening ----------------------------------------------------------------------------

static void across(const element *x, const double *u, double out[3]) {
  v3_copy(out, u);
  v3_addto(out, -v3_dot(u, x->axis), x->axis);
}

// q of one element
static void shorten(maker *s, const element *x) {
  const hn_reducer *m = s->m;
  double l = x->length;
  for (int k = 0; k < s->n; k++) {
    const double *u = m->C + (size_t)(6 + k) * (size_t)m->all;
    double wa[3], *o = s->bend + 9 * k;
    across(x, u + 6 * x->b, o);
    across(x, u + 6 * x->a, wa);
    v3_sub(o, o, wa);
    v3_cross(o + 3, u + 6 * x->a + 3, x->axis);
    v3_cross(o + 6, u + 6 * x->b + 3, x->axis);
  }
  for (int k = 0; k < s->n; k++)
    for (int j = 0; j <= k; j++) {
      const double *d = s->bend + 9 * k, *f = s->bend + 9 * j;
      double slopes = v3_dot(d, f + 3) + v3_dot(d, f + 6) + v3_dot(f, d + 3) + v3_dot(f, d + 6);
      double turns = 4 * v3_dot(d + 3, f + 3) - v3_dot(d + 3, f + 6) - v3_dot(d + 6, f + 3) +
                     4 * v3_dot(d + 6, f + 6);
      double q = (36 * v3_dot(d, f) - 3 * l * slopes + l * l * turns) / (30 * l);
      s->q[k * s->n + j] = s->q[j * s->n + k] = q;
    }
}

static void add_all(maker *s) {
  hn_reduced *o = s->m->out;
  size_t n = (size_t)s->n, square = n * n;
  for (int x = 0; x < s->elements; x++) {
    shorten(s, &s->element[x]);
    for (size_t c = 0; c < FIELDS; c++) {
      double T = s->tension[c * (size_t)s->elements + (size_t)x];
      for (size_t i = 0; i < square; i++) o->second[c * square + i] -= T * s->q[i];
    }
    for (size_t k = 0; k < n; k++) {
      double N = pull_of(&s->element[x], s->m->C + (6 + k) * (size_t)s->m->all);
      for (size_t i = 0; i < square; i++) o->fold[k * square + i] += N * s->q[i];
    }
  }
}

// h from r: through the stiffness of the interfaces, and of the modes
static hn_status unfold(maker *s) {
  hn_reduced *o = s->m->out;
  size_t n = (size_t)s->n, square = n * n, stiff = (size_t)o->stiff;
  double *L = malloc((stiff * stiff + 1) * sizeof *L);
  if (!L) return no_memory(s);
  memcpy(L, o->K, stiff * stiff * sizeof *L);
  bool ok = !stiff || hn_dense_cholesky(o->stiff, L);
  for (size_t i = 0; ok && i < square; i++) {
    double *h = o->fold + i;
    for (size_t k = 0; k < stiff; k++) {
      for (size_t j = 0; j < k; j++) h[k * square] -= L[k * stiff + j] * h[j * square];
      h[k * square] /= L[k * stiff + k];
    }
    for (size_t k = stiff; k-- > 0;) {
      for (size_t j = k + 1; j < stiff; j++) h[k * square] -= L[j * stiff + k] * h[j * square];
      h[k * square] /= L[k * stiff + k];
    }
    for (size_t k = stiff; k < n; k++) {
      double w = o->frequency[k - stiff];
      h[k * square] /= w * w;
    }
  }
  free(L);
  return ok ? HN_OK
            : refuse(s,
                     "stiffening: the stiffness between the interfaces is not positive definite");
}

hn_status hn_stiffen(const hn_reducer *m) {
  maker s = {.m = m, .n = m->out->n - 6};
  if (s.n > MOST) return refuse(&s, "stiffening: at most 60 displacements, rotations and modes");
  hn_status status = split(&s);
  size_t n = (size_t)s.n, square = n * n;
  double *room = calloc(2 * (size_t)m->all + 1, sizeof *room);
  s.tension = calloc(FIELDS * (size_t)s.elements + 1, sizeof *s.tension);
  s.bend = calloc(9 * n + 1, sizeof *s.bend);
  s.q = calloc(square + 1, sizeof *s.q);
  m->out->second = calloc(FIELDS * square + 1, sizeof(double));
  m->out->fold = calloc(n * square + 1, sizeof(double));
  bool ok = room && s.tension && s.bend && s.q && m->out->second && m->out->fold;
  if (!status && !ok) status = no_memory(&s);
  for (int c = 0; c < FIELDS && !status; c++) find_tension(&s, c, room, room + m->all);
  if (!status) add_all(&s);
  if (!status) status = unfold(&s);
  free(room), free(s.tension), free(s.bend), free(s.q), free(s.element);
  return status;
}
