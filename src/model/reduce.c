// reduce.c: Craig's and Bampton's reduction, and the inertia that goes with it.
//
// Displacements u of the finite elements are written as shapes of the interfaces' displacements b
// (each moves its nodes rigidly, u_B = R b) and of the lowest vibrations with the interfaces held:
//
//   Psi = (R; -K_II^-1 K_IB R),   K_II phi = w^2 M_II phi,  phi.M_II phi = 1
//
// Rigid motions of all interfaces are rigid motions of the body, K being that of a free one. The
// stiffness is then Psi^T K Psi for b and w^2 for the modes, without coupling.
//
// In a frame that turns with W the velocity of a material point is v + W x (x + u) + u'. Written
// with the interfaces' own velocities it is Psi (V, W) + phi eta' + sum_k p_k Y_k W: the last part
// is what W x u has beyond the shape of its values at the interfaces. With the shapes (Psi, phi, Y)
// side by side as C the kinetic energy is that of G = C^T M C: these are all the inertia shape
// integrals of the floating frame.
//
// The vibrations are found by iterating on a subspace: X <- K_II^-1 M_II X, then Ritz's method in
// it, until the lowest frequencies stand still.
#include "model/reducer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "linalg/dense.h"

// change of 1/w^2 that ends the iteration: relative to itself, and to the largest
static const double settled = 1e-12, noise = 1e-14;
static const double stands = 1e-6;       // resistance to rigid motion, relative to the stiffness
static const double weightless = 1e-12;  // 1/w^2, relative to the largest: a mode without mass
enum { MOST_SWEEPS = 300, MOST_MODES = 200, MOST_INTERFACES = 50 };

typedef hn_reducer maker;

static hn_status refuse(const maker *m, const char *what) {
  return hn_fail(m->message, HN_ERR_MODEL, "%s", what);
}
static hn_status no_memory(const maker *m) {
  return hn_fail(m->message, HN_ERR_MEMORY, "out of memory");
}

// column k of C: a displacement of all freedoms
static double *shape(const maker *m, int k) {
  return m->C + (size_t)k * (size_t)m->all;
}

// ---- rigid motion --------------------------------------------------------------------------

// displacement of a node in a rigid motion about `centre`: k < 3 along an axis, else about one
static void rigid_at(const maker *m, int node, int k, const double centre[3], double *u) {
  double arm[3], axis[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
  v3_sub(arm, m->e->place + 3 * node, centre);  // arm of the node about the centre
  memset(u, 0, (size_t)m->e->freedoms * sizeof *u);
  if (k < 3)
    u[k] = 1;
  else
    v3_cross(u, axis, arm);
  // a rotation turns the nodes, too
  if (k >= 3 && m->e->freedoms == 6) u[k] = 1;
}

// a free body does not resist rigid motion
static hn_status check_free(const maker *m) {
  static const char *const way[] = {"moving along x",  "moving along y",  "moving along z",
                                    "turning about x", "turning about y", "turning about z"};
  // a vector and what the matrix makes of it, both of all freedoms
  double *u = m->work, *f = m->work + m->all, most = hn_matrix_size(&m->e->K);
  for (int k = 0; k < 6; k++) {
    char what[HN_MESSAGE];
    for (int j = 0; j < m->e->nodes; j++)
      rigid_at(m, j, k, m->piece[0].place, u + m->e->freedoms * j);
    hn_matrix_mul(&m->e->K, u, f);
    // turning moves far nodes far: resistance is compared with the stiffness times that
    double size = fmax(1, hn_largest(u, (size_t)m->all));
    double force = hn_largest(f, (size_t)m->all);
    if (force <= stands * most * size) continue;
    snprintf(what, sizeof what,
             "stiffness: %s as a whole meets a resistance of %.3g: it must be the stiffness of the "
             "free body, without supports, and about the places of its nodes",
             way[k], force);
    return refuse(m, what);
  }
  return HN_OK;
}

// ---- interfaces ----------------------------------------------------------------------------

// at: the place of a freedom among the inner ones, -1 at interfaces; of: the way back
static hn_status sort_freedoms(maker *m) {
  int per = m->e->freedoms;
  m->at = malloc(((size_t)m->all + 1) * sizeof *m->at);
  m->of = malloc(((size_t)m->all + 1) * sizeof *m->of);
  if (!m->at || !m->of) return no_memory(m);
  for (int k = 0; k < m->all; k++) m->at[k] = 0;
  for (int i = 0; i < m->pieces; i++)
    for (int j = 0; j < m->piece[i].count; j++)
      for (int c = 0; c < per; c++) {
        int k = per * m->piece[i].node[j] + c;
        if (m->at[k]) return refuse(m, "interface: a node is in two of them, or twice in one");
        m->at[k] = -1;  // taken
      }
  for (int k = 0; k < m->all; k++)
    if (m->at[k] >= 0) m->of[m->inner] = k, m->at[k] = m->inner++;
  return HN_OK;
}

// nodes without rotations say how a piece turns only where three do not lie on a line
static hn_status check_pieces(const maker *m) {
  for (int i = 0; i < m->pieces; i++) {
    const hn_piece *p = &m->piece[i];
    double spread = 0, across = 0;
    // over all pairs: the area that three nodes span is the largest there is
    for (int j = 0; j < p->count; j++)
      for (int k = 0; k < p->count; k++) {
        double a[3], b[3], n[3];
        v3_sub(a, m->e->place + 3 * p->node[j], m->e->place + 3 * p->node[0]);
        v3_sub(b, m->e->place + 3 * p->node[k], m->e->place + 3 * p->node[0]);
        v3_cross(n, a, b);
        spread = fmax(spread, v3_dot(a, a));
        across = fmax(across, v3_norm(n));
      }
    // 1e-6 of the squared size: a line but for rounding in a file
    if (m->e->freedoms == 3 && !(across > 1e-6 * spread))
      return refuse(m, "interface: nodes without rotations make a rigid piece where at least three "
                       "of them are not on a line");
  }
  return HN_OK;
}

// ---- inside --------------------------------------------------------------------------------

// the block of K over inner freedoms, by columns, numbered anew
static hn_status factor_inside(maker *m) {
  const hn_matrix *K = &m->e->K;
  int entries = 0, *start = calloc((size_t)m->inner + 1, sizeof *start);
  int *row = malloc(((size_t)K->start[K->n] + 1) * sizeof *row);
  double *value = malloc(((size_t)K->start[K->n] + 1) * sizeof *value);
  for (int j = 0; start && row && value && j < m->inner; j++) {
    for (int k = K->start[m->of[j]]; k < K->start[m->of[j] + 1]; k++) {
      int i = m->at[K->row[k]];  // rows of interfaces are left out
      if (i >= 0) row[entries] = i, value[entries++] = K->value[k];
    }
    start[j + 1] = entries;
  }
  if (start && row && value) m->K = hn_sparse_create(m->inner, start, row);
  hn_status status = m->K ? HN_OK : no_memory(m);
  if (!status) memcpy(hn_sparse_values(m->K), value, (size_t)entries * sizeof *value);
  // a matrix that is singular, or as good as: what cannot be held moves freely
  if (!status && (!hn_sparse_factor(m->K) || !(hn_sparse_rcond(m->K) > 1e-15)))
    status = refuse(m, "stiffness: with the interfaces held something still moves freely (a node "
                       "without elements, a part that hangs on nothing)");
  free(start), free(row), free(value);
  return status;
}

// what is known on the interfaces goes on inside, without load there
static void extend(const maker *m, double *u) {
  double *f = m->work, *x = m->work + m->all;
  hn_matrix_mul(&m->e->K, u, f);
  // K_IB u_B is a load inside, which K_II answers
  for (int i = 0; i < m->inner; i++) x[i] = -f[m->of[i]];
  hn_sparse_solve(m->K, x);
  for (int i = 0; i < m->inner; i++) u[m->of[i]] = x[i];
}

static void interface_shapes(const maker *m) {
  // column 6 i + k: interface i moved by one along k, or turned by one about it
  for (int i = 0; i < m->pieces; i++)
    for (int k = 0; k < 6; k++) {
      double *u = shape(m, 6 * i + k);
      for (int j = 0; j < m->piece[i].count; j++)
        rigid_at(m, m->piece[i].node[j], k, m->piece[i].place,
                 u + m->e->freedoms * m->piece[i].node[j]);
      if (m->inner) extend(m, u);  // a body of nothing but interfaces has none
    }
}

// ---- vibrations ----------------------------------------------------------------------------

// f = M_II x
// by the whole matrix, over a vector that is zero on the interfaces
static void mass_inside(const maker *m, const double *x, double *f) {
  double *u = m->work, *y = m->work + m->all;
  memset(u, 0, (size_t)m->all * sizeof *u);
  for (int i = 0; i < m->inner; i++) u[m->of[i]] = x[i];
  hn_matrix_mul(&m->e->M, u, y);
  for (int i = 0; i < m->inner; i++) f[i] = y[m->of[i]];
}

// vectors of freedoms, in one order of addition, so that results do not depend on threads
static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

typedef struct space {
  int q;           // dimension
  double *X, *F;   // q vectors each: the space, and M X
  double *Y;       // next one
  double *A, *B;   // q x q: stiffness and mass in it
  double *w, *V;   // 1/w^2 and Ritz vectors
  double *before;  // 1/w^2 of the sweep before
} space;

// Ritz vectors of Y by the eigenvalues of L^-1 B L^-T, A = L L^T; the largest first. false: A is
// not positive definite
static bool ritz(const maker *m, space *s) {
  // A and B are overwritten: by the factor, and by B between the factors
  int q = s->q, n = m->inner;
  // positive definite unless Y has lost a dimension, or K is indefinite
  if (!hn_dense_cholesky(q, s->A)) return false;
  // B <- L^-1 B L^-T, by rows and then by columns
  for (int side = 0; side < 2; side++) {
    for (int c = 0; c < q; c++)
      for (int r = 0; r < q; r++) {
        double x = s->B[r * q + c];
        for (int k = 0; k < r; k++) x -= s->A[r * q + k] * s->B[k * q + c];
        s->B[r * q + c] = x / s->A[r * q + r];
      }
    // transposed between the two, so that the second pass works on rows again
    for (int r = 0; r < q; r++)
      for (int c = 0; c < r; c++) {
        double x = s->B[r * q + c];
        s->B[r * q + c] = s->B[c * q + r], s->B[c * q + r] = x;
      }
  }
  // 1/w^2 ascending, vectors in rows
  if (!hn_dense_symmetric_eigen(q, s->B, s->w, s->V)) return false;
  for (int k = 0; k < q; k++) {
    // ascending: the largest stands last
    double *v = s->V + (size_t)(q - 1 - k) * (size_t)q, *x = s->X + (size_t)k * (size_t)n;
    // back to the basis Y: v <- L^-T v, then a sum of the q vectors
    for (int r = q - 1; r >= 0; r--) {
      for (int i = r + 1; i < q; i++) v[r] -= s->A[i * q + r] * v[i];
      v[r] /= s->A[r * q + r];
    }
    memset(x, 0, (size_t)n * sizeof *x);
    for (int r = 0; r < q; r++)
      for (int i = 0; i < n; i++) x[i] += v[r] * s->Y[(size_t)r * (size_t)n + (size_t)i];
  }
  return true;
}

// one sweep; A = Y.K Y, B = Y.M Y with Y = K^-1 M X
// with F = M X the first product needs no multiplication by K: Y.K Y = Y.F
static bool sweep(const maker *m, space *s) {
  int q = s->q, n = m->inner;
  for (int k = 0; k < q; k++) {
    double *f = s->F + (size_t)k * (size_t)n, *y = s->Y + (size_t)k * (size_t)n;
    mass_inside(m, s->X + (size_t)k * (size_t)n, f);
    memcpy(y, f, (size_t)n * sizeof *y);
    hn_sparse_solve(m->K, y);
  }
  for (int i = 0; i < q; i++)
    for (int j = 0; j < q; j++)
      s->A[i * q + j] = dot(n, s->Y + (size_t)i * (size_t)n, s->F + (size_t)j * (size_t)n);
  for (int k = 0; k < q; k++)  // F becomes M Y
    mass_inside(m, s->Y + (size_t)k * (size_t)n, s->F + (size_t)k * (size_t)n);
  for (int i = 0; i < q; i++)
    for (int j = 0; j < q; j++)
      s->B[i * q + j] = dot(n, s->Y + (size_t)i * (size_t)n, s->F + (size_t)j * (size_t)n);
  return ritz(m, s);
}

static hn_status iterate(const maker *m, space *s) {
  int q = s->q, n = m->inner;
  // any start that is not orthogonal to a vibration; always the same, for equal results
  unsigned seed = 1;
  for (size_t i = 0; i < (size_t)q * (size_t)n; i++) {
    seed = seed * 1664525u + 1013904223u;
    s->X[i] = (seed >> 8) / 8388608.0 - 1;
  }
  // each sweep shrinks what lies beyond the space by w^2 over that of the first left out
  for (int k = 0; k < MOST_SWEEPS; k++) {
    if (!sweep(m, s))
      return refuse(m, "stiffness and mass: the vibrations with the interfaces held cannot be "
                       "found (a negative stiffness, a mass that is not positive, or more modes "
                       "than move mass)");
    bool still = true;
    for (int i = 0; i < m->modes; i++) {
      double now = s->w[q - 1 - i];
      // small ones need not settle to their own digits: they are round-off of the large one
      still = still && fabs(now - s->before[i]) <= settled * now + noise * s->w[q - 1];
      s->before[i] = now;
    }
    // a space of all freedoms is exact after one sweep; the second tells that it was
    if (still || (q == n && k > 0)) return HN_OK;
  }
  return refuse(m, "the vibrations with the interfaces held do not settle (ask for fewer modes)");
}

static hn_status mode_shapes(const maker *m) {
  // twice as many as asked for, so that those wanted are far from those left out
  int q = 2 * m->modes + 8, n = m->inner;
  if (q > n) q = n;
  if (m->modes == 0) return HN_OK;
  size_t block = (size_t)q * (size_t)n, small = (size_t)q * (size_t)q;
  // one block for all, zeroed: `before` is compared in the first sweep
  double *room = calloc(3 * block + 3 * small + 2 * (size_t)q, sizeof *room);
  if (!room) return no_memory(m);
  space s = {.q = q, .X = room, .F = room + block, .Y = room + 2 * block};
  s.A = room + 3 * block, s.B = s.A + small, s.V = s.B + small, s.w = s.V + small;
  s.before = s.w + q;
  hn_status status = iterate(m, &s);
  // the least of 1/w^2 is about zero where mass is missing, below it where mass is negative
  if (!status && s.w[0] < -1e-9 * fabs(s.w[q - 1]))
    status = refuse(m, "mass: some vibration has a negative kinetic energy: it must be positive");
  for (int k = 0; k < m->modes && !status; k++) {
    double *x = s.X + (size_t)k * (size_t)n, *u = shape(m, 6 * m->pieces + k);
    double value = s.w[q - 1 - k];
    if (!(value > weightless * s.w[q - 1])) {
      status = refuse(m, "modes: fewer vibrations than that move any mass (ask for fewer)");
      break;
    }
    m->out->frequency[k] = 1 / sqrt(value);  // [rad/s]
    mass_inside(m, x, s.F);
    // to mass one, as the coordinates of the block expect
    double length = sqrt(dot(n, x, s.F));
    // the largest number is positive, so that signs do not depend on chance
    int most = 0;
    // clearly larger: of two that are equal but for rounding the first is taken
    for (int i = 1; i < n; i++)
      if (fabs(x[i]) > (1 + 1e-6) * fabs(x[most])) most = i;
    if (x[most] < 0) length = -length;
    for (int i = 0; i < n; i++) u[m->of[i]] = x[i] / length;
  }
  free(room);
  return status;
}

// ---- inertia -------------------------------------------------------------------------------

// Y_k about axis c: that axis across the shape, less the shape of its values at the interfaces
// the first interface has no shape of its own here: it is the frame
static void turning_shapes(const maker *m) {
  int n = m->out->n, per = m->e->freedoms;
  for (int k = 0; k < n - 6; k++)
    for (int c = 0; c < 3; c++) {
      const double axis[3] = {c == 0, c == 1, c == 2}, *u = shape(m, 6 + k);
      double *y = shape(m, n + 3 * k + c);
      for (int j = 0; j < m->e->nodes; j++) v3_cross(y + per * j, axis, u + per * j);
      // modes are zero at the interfaces, and turns of interfaces have no such part
      if (k >= m->out->stiff || k % 6 >= 3) continue;
      double way[3] = {k % 6 == 0, k % 6 == 1, k % 6 == 2}, across[3];
      v3_cross(across, axis, way);
      for (int a = 0; a < 3; a++) {
        const double *b = shape(m, 6 + k - k % 6 + a);
        // less the shapes of the values at the interface itself
        for (int i = 0; across[a] != 0 && i < m->all; i++) y[i] -= across[a] * b[i];
      }
    }
}

static void products(const maker *m) {
  hn_reduced *o = m->out;
  size_t size = (size_t)o->size;
  for (int j = 0; j < o->size; j++) {  // C^T M C, column by column
    hn_matrix_mul(&m->e->M, shape(m, j), m->work);
    for (int i = 0; i < o->size; i++)
      o->G[(size_t)i * size + (size_t)j] = dot(m->all, shape(m, i), m->work);
  }
  // rounding makes both halves differ: the mean
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j < i; j++)
      o->G[i * size + j] = o->G[j * size + i] = 0.5 * (o->G[i * size + j] + o->G[j * size + i]);
  // K among interfaces only: modes are without coupling to them
  for (int j = 0; j < o->stiff; j++) {
    hn_matrix_mul(&m->e->K, shape(m, 6 + j), m->work);
    for (int i = 0; i < o->stiff; i++)
      o->K[i * o->stiff + j] = dot(m->all, shape(m, 6 + i), m->work);
  }
  for (int i = 0; i < o->stiff; i++)
    for (int j = 0; j < i; j++)
      o->K[i * o->stiff + j] = o->K[j * o->stiff + i] =
          0.5 * (o->K[i * o->stiff + j] + o->K[j * o->stiff + i]);
}

// product of two rigid motions about the frame: k < 3 along an axis, else about one
// sum over interfaces, each moved as the rigid motion moves it: shapes add up to it
static double rigid_product(const hn_reduced *o, int k, int l) {
  double sum = 0;
  for (int i = 0; i < o->interfaces; i++)
    for (int j = 0; j < o->interfaces; j++) {
      double a[6] = {0}, b[6] = {0};
      const double ka[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
      const double la[3] = {l % 3 == 0, l % 3 == 1, l % 3 == 2};
      // unit motion, its turning part in a[3 ... 5]
      a[k] = b[l] = 1;
      if (k >= 3) v3_cross(a, ka, o->place + 3 * i);
      if (l >= 3) v3_cross(b, la, o->place + 3 * j);
      for (int x = 0; x < 6; x++)
        for (int y = 0; y < 6; y++)
          sum += a[x] * o->G[(size_t)(6 * i + x) * (size_t)o->size + (size_t)(6 * j + y)] * b[y];
    }
  return sum;
}

// 1e-6: what files with seven digits may be off
static hn_status find_moments(const maker *m) {
  hn_reduced *o = m->out;
  double along[3];
  for (int k = 0; k < 3; k++) along[k] = rigid_product(o, k, k);
  o->mass = along[0];
  // the same mass each way, and none that couples two of them
  for (int k = 0; k < 3; k++)
    if (!(along[k] > 0) || fabs(along[k] - o->mass) > 1e-6 * o->mass ||
        fabs(rigid_product(o, k, (k + 1) % 3)) > 1e-6 * o->mass)
      return hn_fail(m->message, HN_ERR_MODEL,
                     "mass: moved along x, y and z the body weighs %.6g, %.6g and %.6g kg: it must "
                     "be the same positive mass in all directions",
                     along[0], along[1], along[2]);
  // first moments m c from the products of moving and turning
  v3_set(o->moment, rigid_product(o, 1, 5), -rigid_product(o, 0, 5), rigid_product(o, 0, 4));
  for (int k = 0; k < o->n - 6; k++)  // momentum by the other shapes
    for (int a = 0; a < 3; a++) {
      double sum = 0;
      for (int i = 0; i < o->interfaces; i++)
        sum += o->G[(size_t)(6 * i + a) * (size_t)o->size + (size_t)(6 + k)];
      o->S[a * (o->n - 6) + k] = sum;
    }
  // all motions must have energy
  // scaled to ones on the diagonal, so that units of motion do not matter for what is small
  double *L = malloc((size_t)o->n * (size_t)o->n * sizeof *L),
         *w = malloc((size_t)o->n * sizeof *w);
  bool ok = L && w, positive = ok;
  for (int i = 0; ok && i < o->n; i++)
    for (int j = 0; j < o->n; j++) {
      // of a positive definite matrix no diagonal is zero
      double a = o->G[(size_t)i * (size_t)o->size + (size_t)i];
      double b = o->G[(size_t)j * (size_t)o->size + (size_t)j];
      positive = positive && a > 0 && b > 0;
      L[i * o->n + j] = o->G[(size_t)i * (size_t)o->size + (size_t)j] / sqrt(fabs(a * b));
    }
  if (positive) ok = hn_dense_symmetric_eigen(o->n, L, w, NULL);
  // w ascends: the first is the least
  positive = positive && ok && w[0] > 1e-14;
  free(L), free(w);
  if (!ok) return no_memory(m);
  return positive ? HN_OK
                  : refuse(m, "mass: some motion of the body has no kinetic energy, or a negative "
                              "one: it must be positive definite");
}

// ---- the whole -----------------------------------------------------------------------------

static hn_reduced *make_room(const maker *m) {
  hn_reduced *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  o->users = 1;  // its first; more share it (hn_reduced_share)
  o->interfaces = m->pieces, o->modes = m->modes;
  o->n = 6 * m->pieces + m->modes;
  // for each shape beyond the first interface three Y
  o->size = o->n + 3 * (o->n - 6);
  o->stiff = 6 * (m->pieces - 1);
  size_t p = (size_t)o->n - 6, stiff = (size_t)o->stiff, size = (size_t)o->size;
  // one block: the other pointers go into it
  o->place = calloc(3 * (size_t)m->pieces + (size_t)m->modes + stiff * stiff + 3 * p + size * size,
                    sizeof *o->place);
  if (!o->place) {
    free(o);
    return NULL;
  }
  o->frequency = o->place + 3 * m->pieces;
  o->K = o->frequency + m->modes;
  o->S = o->K + stiff * stiff;
  o->G = o->S + 3 * p;
  // from the first interface, which is the frame's origin
  for (int i = 0; i < m->pieces; i++)
    v3_sub(o->place + 3 * i, m->piece[i].place, m->piece[0].place);
  return o;
}

static hn_status make(maker *m) {
  if (m->pieces < 1 || m->pieces > MOST_INTERFACES)
    return refuse(m, "interface: needs at least one interface (and at most 50)");
  if (m->modes < 0 || m->modes > MOST_MODES) return refuse(m, "modes: at most 200");
  m->all = m->e->freedoms * m->e->nodes;
  m->work = calloc(2 * (size_t)m->all + 1, sizeof *m->work);  // two vectors
  m->out = make_room(m);
  // one more than needed: calloc() of nothing may be NULL
  if (m->out) m->C = calloc((size_t)m->out->size * (size_t)m->all + 1, sizeof *m->C);
  if (!m->work || !m->out || !m->C) return no_memory(m);
  hn_status status = check_free(m);
  if (!status) status = sort_freedoms(m);
  if (!status) status = check_pieces(m);
  // no more vibrations than freedoms, before anything large is done
  if (!status && m->modes > m->inner)
    status = refuse(m, "modes: there are fewer freedoms inside than that");
  // what follows needs the order of freedoms and the factor
  if (!status && m->inner) status = factor_inside(m);
  if (status) return status;
  interface_shapes(m);
  status = mode_shapes(m);
  if (status) return status;
  turning_shapes(m);
  products(m);
  status = find_moments(m);
  if (!status && m->stiffening) status = hn_stiffen(m);
  // the picture: places of nodes and their shapes, without the rigid part
  if (!status && hn_drawn_make(&m->out->drawn, m->e, shape(m, 6), m->out->n - 6, m->piece[0].place))
    status = no_memory(m);
  return status;
}

hn_reduced *hn_reduce(const hn_finite_elements *e, const hn_piece *piece, int pieces, int modes,
                      bool stiffening, char message[HN_MESSAGE]) {
  maker m = {.e = e, .piece = piece, .pieces = pieces, .modes = modes, .message = message};
  m.stiffening = stiffening;
  hn_status status = make(&m);
  hn_sparse_destroy(m.K);
  // everything but the result
  free(m.at), free(m.of), free(m.C), free(m.work);
  if (!status) return m.out;
  hn_reduced_release(m.out);
  return NULL;
}

hn_reduced *hn_reduced_share(hn_reduced *reduced) {
  // models of a family share it, in threads
  __atomic_add_fetch(&reduced->users, 1, __ATOMIC_RELAXED);
  return reduced;
}

void hn_reduced_release(hn_reduced *reduced) {
  // the last one frees; acquire and release, so that he sees what others wrote
  if (!reduced || __atomic_sub_fetch(&reduced->users, 1, __ATOMIC_ACQ_REL) != 0) return;
  hn_drawn_free(&reduced->drawn);
  free(reduced->second), free(reduced->fold);
  free(reduced->place);
  free(reduced);
}
