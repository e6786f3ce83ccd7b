// manifold.c: see manifold.h.
//
// Everything dense lives in units of the mass: columns of J are divided by the root of the mass of
// their velocity, rows by their length. Then the rank does not depend on units, singular values lie
// between 0 and the root of the number of rows, and the least change in the Euclidean norm is the
// one of least kinetic energy.
#include "analysis/manifold.h"

#include "linalg/dense.h"
#include "sim/contact.h"
#include "system/crowd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Singular values below this part of the largest count as none. Rows have unit length here, so it
// is a plain angle: far above round-off (1e-16 times the condition), far below what a mechanism
// near a singular place shows.
static const double rank_tolerance = 1e-8;

// what every manifold has; linear in the size of the system
static void layout(hn_manifold *m, hn_arena *arena) {
  const hn_system *sys = m->sys;
  m->root = HN_TAKE(arena, double, sys->nv);
  m->size = HN_TAKE(arena, double, sys->rows);
  m->trial = HN_TAKE(arena, double, sys->nq);
  m->x = HN_TAKE(arena, double, sys->nv);
  m->y = HN_TAKE(arena, double, sys->nv);
  m->r = HN_TAKE(arena, double, sys->rows);
  m->r2 = HN_TAKE(arena, double, sys->rows);
}

// quadratic: only where a basis is asked for, or rows have become dependent
static void layout_dense(hn_manifold *m, hn_arena *arena) {
  size_t nv = (size_t)m->sys->nv;
  hn_cod_layout(&m->cod, arena, m->sys->nv, m->sys->rows);
  m->Z = HN_TAKE(arena, double, nv *nv);
}

// False: out of memory. What is there already stays, so that callers ask for it where they need it.
static bool make_dense(hn_manifold *m) {
  if (m->dense.base) return true;
  m->dense = (hn_arena){0};
  layout_dense(m, &m->dense);
  if (!hn_arena_allocate(&m->dense)) return false;
  layout_dense(m, &m->dense);
  return true;
}

// One place for all refusals. `general`: masses may be a matrix; then Z is orthonormal by
// orthonormalise(), since the roots of the diagonal alone do not make it so.
static hn_status create(hn_manifold **out, hn_sim *sim, bool general) {
  const hn_system *sys = sim->sys;
  *out = NULL;
  if (!sys->coordinates->of_bodies)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "analyses need reference coordinates (set 'coordinates' to reference before "
                       "compiling)");
  hn_crowd crowd;
  bool over = sim->method.integrator->can & HN_STEPS_OVER;
  if (over && (sys->unilaterals || hn_crowd_of(sys, &crowd)))
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "analyses do not know which contacts hold where integrator '%s' finds them "
                       "step by step (set 'method' to default; a pile has no analyses)",
                       sim->method.integrator->info.name);
  // nothing that is free is without mass (compile/massless.c)
  general = general || (sys->singular_mass && !hn_mass_varies(sys));
  bool usual = general || (!sys->mass_entries && !sys->blocks);
  for (int i = 0; i < sys->nv; i++) usual = usual && sys->mass[i] > 0;
  if (!usual)
    return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                       "analyses need bodies whose inertia is not given by equations or finite "
                       "elements");
  hn_manifold *m = calloc(1, sizeof *m);
  if (!m) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  m->sim = sim;
  m->sys = sys;
  m->general = general;
  layout(m, &m->arena);
  if (!hn_arena_allocate(&m->arena)) {
    free(m);
    return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  }
  layout(m, &m->arena);
  for (int i = 0; i < sys->nv; i++) m->root[i] = sqrt(sys->mass[i]);
  // rows that roll are left out of positions, which takes the dense way
  m->driven = true;
  for (int i = 0; i < sys->rows; i++) m->driven = m->driven && sys->holonomic[i];
  *out = m;
  return HN_OK;
}

hn_status hn_manifold_create_driven(hn_manifold **out, hn_sim *sim) {
  return create(out, sim, false);
}

static hn_status create_dense(hn_manifold **out, hn_sim *sim, bool general) {
  hn_status status = create(out, sim, general);
  if (status) return status;
  (*out)->driven = false;
  if (make_dense(*out)) return HN_OK;
  hn_manifold_destroy(*out);
  *out = NULL;
  return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
}

hn_status hn_manifold_create(hn_manifold **out, hn_sim *sim) {
  return create_dense(out, sim, false);
}

hn_status hn_manifold_create_general(hn_manifold **out, hn_sim *sim) {
  return create_dense(out, sim,
                      (sim->sys->flexibles || sim->sys->spreads) && !sim->sys->singular_mass);
}

void hn_manifold_destroy(hn_manifold *m) {
  if (!m) return;
  free(m->dense.base);
  free(m->arena.base);
  free(m);
}

// by the sim's own factorisation; false where rows have become dependent
static bool factor_sparse(hn_manifold *m) {
  const hn_system *sys = m->sys;
  if (!m->driven || m->skip) return false;
  m->damped = hn_factor_saddle(m->sim);
  m->count[0]++;
  // what would be free if all rows that compile found independent still are; with all driven that
  // is none or less
  m->free = sys->nv - sys->rows + sys->redundant;
  // without memory for the other way, dependent rows are solved through by this one
  m->is_sparse = m->free <= 0 && (!m->damped || !make_dense(m));
  return m->is_sparse;
}

// Z^T M Z = 1 at the state last evaluated; twice, as the first time leaves round-off
static void orthonormalise(hn_manifold *m) {
  int nv = m->sys->nv;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < m->free; k++) {
      double *z = m->Z + (size_t)k * (size_t)nv, length = 0;
      for (int j = 0; j <= k; j++) {
        // Gram and Schmidt in the mass; for j = k the product is the square of its own length
        const double *other = m->Z + (size_t)j * (size_t)nv;
        double sum = 0;
        hn_mass_mul(&m->sim->stage.work, z, m->x);
        for (int i = 0; i < nv; i++) sum += other[i] * m->x[i];
        length = sqrt(sum);
        for (int i = 0; j < k && i < nv; i++) z[i] -= sum * other[i];
      }
      for (int i = 0; i < nv; i++) z[i] /= length;
    }
}

void hn_manifold_factor(hn_manifold *m, bool holonomic_only) {
  const hn_system *sys = m->sys;
  int nv = sys->nv;
  m->is_sparse = false;
  if (factor_sparse(m)) return;
  if (!make_dense(m)) return;
  m->count[1]++;
  // J row by row is its transpose column by column
  // the decomposition is one of J^T: its rank-revealing pivots choose rows of J
  double *row = m->cod.a;
  hn_jacobian_dense(&m->sim->stage.work, row);
  for (int i = 0; i < sys->rows; i++, row += nv) {
    double n = 0;
    for (int k = 0; k < nv; k++) {
      row[k] /= m->root[k];
      n += row[k] * row[k];
    }
    // rows that take no part stay as zero rows: the rank does not see them
    bool out = !(n > 0) || (holonomic_only && !sys->holonomic[i]) || (m->skip && m->skip[i]);
    m->size[i] = out ? 0 : 1 / sqrt(n);
    for (int k = 0; k < nv; k++) row[k] *= m->size[i];
  }
  if (sys->rows)
    hn_cod_factor(&m->cod, rank_tolerance, sys->rows < nv ? sys->rows : nv);
  else
    m->cod.rank = 0;
  m->free = nv - m->cod.rank;
  for (int k = 0; k < m->free; k++) {
    double *z = m->Z + (size_t)k * (size_t)nv;
    if (sys->rows) {
      hn_cod_null(&m->cod, k, z);
    } else {
      memset(z, 0, (size_t)nv * sizeof(double));
      z[k] = 1;
    }
    for (int i = 0; i < nv; i++) z[i] /= m->root[i];
  }
  if (m->general) orthonormalise(m);
}

// The sparse factorisation knows pivots, not singular values: the ratio of the smallest to its size
// before elimination is about the square of one.
double hn_manifold_weakest(const hn_manifold *m) {
  if (m->is_sparse) return m->sys->rows ? sqrt(fmax(m->sim->stage.kkt.pivot_ratio, 0)) : 1;
  return m->sys->rows && m->cod.rank ? m->cod.smallest : 1;
}

// with full rank the last pivot is the weakest of those that count, otherwise the first beyond the
// rank
int hn_manifold_weakest_row(const hn_manifold *m) {
  if (m->is_sparse) {
    int row = hn_saddle_weakest_row(&m->sim->stage.kkt.saddle);
    return row < 0 ? 0 : row;
  }
  int last = m->cod.rank < m->sys->rows ? m->cod.rank : m->sys->rows - 1;
  return m->cod.pivot[last];
}

// x = S (J S)^+ r with S = M^-1/2, rows scaled alike on both sides; rows that take no part have
// size 0 and pull nowhere.
void hn_manifold_pull(hn_manifold *m, const double *r, double *x) {
  const hn_system *sys = m->sys;
  if (m->is_sparse) {
    memset(m->sim->room.v, 0, (size_t)sys->nv * sizeof(double));
    hn_solve_factored(m->sim, m->damped, m->sim->room.v, r, x, m->r2);
    return;
  }
  if (!sys->rows) {
    memset(x, 0, (size_t)sys->nv * sizeof(double));
    return;
  }
  for (int i = 0; i < sys->rows; i++) m->r2[i] = r[i] * m->size[i];
  hn_cod_solve_transposed(&m->cod, m->r2, x);
  for (int i = 0; i < sys->nv; i++) x[i] /= m->root[i];
}

double hn_displacement_size(const hn_system *sys, const double *d) {
  double most = 0;
  for (int i = 0; i < sys->nv; i++)
    most = fmax(most, fabs(d[i]) / (sys->angular_v[i] ? 1 : sys->length));
  return most;
}

// largest residual of the position rows; not a number where one of them is none, so that
// comparisons with it fail; as a length
static double violation(const hn_system *sys, const double *phi) {
  double most = 0;
  for (int i = 0; i < sys->rows; i++)
    if (sys->holonomic[i]) most = hn_worse(most, fabs(phi[i]) * hn_row_arm(sys, i));
  return most;
}

// Gauss and Newton with the least change each time, shortened where it does not help: q ends on the
// nearest point of the constraints, not on any. A step is held to half the model's length, beyond
// which the linearisation says nothing.
hn_status hn_manifold_close(hn_manifold *m, double t, double *q) {
  const hn_system *sys = m->sys;
  hn_work *w = &m->sim->stage.work;
  size_t bytes = (size_t)sys->nq * sizeof(double);
  memset(m->y, 0, (size_t)sys->nv * sizeof(double));
  hn_eval_jacobian(w, t, q, m->y);
  double now = violation(sys, w->phi), enough = 1e-15 * sys->length;
  // quadratic near the end; stops where round-off decides
  // far more than it takes: what gets no better ends by itself
  for (int i = 0; i < 50 && now > enough; i++) {
    hn_manifold_factor(m, true);
    for (int k = 0; k < sys->rows; k++) m->r[k] = sys->holonomic[k] ? -w->phi[k] : 0;
    hn_manifold_pull(m, m->r, m->x);
    double most = hn_displacement_size(sys, m->x);
    // in lengths of the model, or radians
    if (most > 0.5)
      for (int k = 0; k < sys->nv; k++) m->x[k] *= 0.5 / most;
    bool better = false, nearly = now <= 1e-7 * sys->length;
    for (int halving = 0; halving < 8 && !better; halving++) {
      memcpy(m->trial, q, bytes);
      hn_retract(sys, m->trial, m->x);
      hn_eval_jacobian(w, t, m->trial, m->y);
      double next = violation(sys, w->phi);
      better = next < now;
      if (better)
        now = next;
      else
        for (int k = 0; k < sys->nv; k++) m->x[k] *= 0.5;
    }
    if (!better) break;
    memcpy(q, m->trial, bytes);
    // quadratic: what is left now is round-off
    if (m->driven && nearly) break;
  }
  hn_eval_jacobian(w, t, q, m->y);
  if (!m->driven) hn_manifold_factor(m, true);
  if (now <= 1e-10 * sys->length) return HN_OK;
  int worst = 0;
  for (int i = 0; i < sys->rows; i++)
    if (sys->holonomic[i] &&
        fabs(w->phi[i]) * hn_row_arm(sys, i) > fabs(w->phi[worst]) * hn_row_arm(sys, worst))
      worst = i;
  return hn_sim_fail(m->sim, HN_ERR_ASSEMBLY,
                     "t=%.6g: the joints cannot be closed: '%s' stays open by %.3g", t,
                     sys->row_name[worst], fabs(w->phi[worst]));
}

// the second pass takes away what rounding, or a poorly conditioned J, left of the first
void hn_manifold_velocity(hn_manifold *m, double t, const double *q, double *v) {
  const hn_system *sys = m->sys;
  hn_eval_jacobian(&m->sim->stage.work, t, q, v);
  hn_manifold_factor(m, false);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < sys->rows; i++) m->r[i] = -m->sim->stage.work.psi[i];
    hn_manifold_pull(m, m->r, m->x);
    for (int i = 0; i < sys->nv; i++) v[i] += m->x[i];
    hn_eval_jacobian(&m->sim->stage.work, t, q, v);
  }
}

hn_status hn_manifold_accelerate(hn_manifold *m, double t, const double *q, const double *v,
                                 bool still) {
  hn_sim *sim = m->sim;
  hn_eval_all(&sim->stage.work, t, q, v);
  for (int i = 0; i < m->sys->rows; i++) m->r[i] = still ? 0 : sim->stage.work.gamma[i];
  return hn_solve_saddle(sim, m->r);
}

// x <- L^T x (rows `stride` apart), or L x, where L L^T is their stiffness; in place, since every
// component needs only those behind (before) it
// rows of one joint may hang together elastically: their stiffness is a small dense matrix
static void by_root(const hn_coupling *c, bool transposed, double *x, int stride) {
  int n = c->rows;
  for (int k = 0; k < n; k++) {
    int i = transposed ? k : n - 1 - k;
    double sum = 0;
    for (int j = transposed ? i : 0; j < (transposed ? n : i + 1); j++)
      sum += c->root[transposed ? j * n + i : i * n + j] * x[c->row[j] * stride];
    x[c->row[i] * stride] = sum;
  }
}

// what the joint's rows carry without load, added s times
static void add_preload(const hn_system *sys, double s, double *lambda) {
  for (int g = 0; g < sys->groups; g++) {
    const double *preload = sys->joint[sys->group[g].joint].preload;
    for (int r = 0; preload && r < sys->group[g].rows; r++)
      lambda[sys->group[g].row0 + r] += s * preload[r];
  }
}

// J: rows x nv becomes L^T J, or J NULL: lambda becomes L lambda
static void weigh(const hn_system *sys, double *J, double *lambda) {
  int columns = J ? sys->nv : 1;
  double *x = J ? J : lambda;
  for (int i = 0; i < sys->couplings; i++)
    for (int k = 0; k < columns; k++) by_root(&sys->coupling[i], J, x + k, columns);
  for (int i = 0; i < sys->rows; i++) {
    double root = sys->coupled[i] ? 1 : sqrt(sys->stiffness[i]);
    for (int k = 0; k < columns; k++) x[(size_t)i * (size_t)columns + (size_t)k] *= root;
  }
}

// words for people; they go into results and notes as they are
static const char shared_by_stiffness[] = "redundant rows share by the stiffness of their joints";
static const char shared_equally[] = "redundant rows share equally (least norm)";

const char *hn_manifold_share(hn_manifold *m, double *lambda) {
  const hn_system *sys = m->sys;
  hn_work *w = &m->sim->stage.work;
  if (!sys->rows) return "there is no joint";
  if (m->driven) {
    if (!sys->redundant) return "every reaction is determined";
    hn_share_reactions(m->sim);
    return sys->weighted ? shared_by_stiffness : shared_equally;
  }
  // (L^T J)^T y = J^T (lambda - preload) of least norm; then lambda = preload + L y, all scaled
  hn_jacobian_dense(w, m->cod.a);
  weigh(sys, m->cod.a, NULL);
  for (int i = 0; i < sys->rows; i++)
    for (int k = 0; k < sys->nv; k++)
      m->cod.a[(size_t)i * (size_t)sys->nv + (size_t)k] /= m->root[k];
  hn_cod_factor(&m->cod, rank_tolerance, sys->rows < sys->nv ? sys->rows : sys->nv);
  if (m->cod.rank == sys->rows) return "every reaction is determined";
  add_preload(sys, -1, lambda);
  memset(m->y, 0, (size_t)sys->nv * sizeof(double));
  hn_jacobian_tmul_add(w, lambda, 1, m->y);
  for (int k = 0; k < sys->nv; k++) m->y[k] /= m->root[k];
  hn_cod_solve(&m->cod, m->y, lambda);
  weigh(sys, NULL, lambda);
  add_preload(sys, 1, lambda);
  return sys->weighted ? shared_by_stiffness : shared_equally;
}

const char *hn_manifold_pulling(const hn_manifold *m) {
  static const double none = 1e-9;  // part of the largest multiplier that is round-off
  const hn_system *sys = m->sys;
  const double *lambda = m->sim->stage.work.lambda;
  if (!m->sim->contacts) return NULL;
  double size = hn_largest(lambda, (size_t)sys->rows);
  for (int i = 0; i < sys->unilaterals; i++) {
    const hn_unilateral *u = &sys->unilateral[i];
    if (!u->hold && !u->gate && m->sim->contacts->on[i] && lambda[u->row] < -none * size)
      return sys->joint[sys->row_joint[u->row]].name;
  }
  return NULL;
}

// ---- names of what is free -----------------------------------------------------------------

typedef struct candidate {
  const char *element, *quantity;
  double *rate;  // in every free direction
} candidate;

// takes the part along `c` out of all others; what is left measures independence
// the direction of candidate `chosen` in the space of free motions; what is left of the others
static void remove_direction(candidate *list, int count, int free, int chosen) {
  double n = 0;
  for (int k = 0; k < free; k++) n += list[chosen].rate[k] * list[chosen].rate[k];
  if (!(n > 0)) return;
  for (int i = 0; i < count; i++) {
    if (i == chosen) continue;
    double s = 0;
    for (int k = 0; k < free; k++) s += list[i].rate[k] * list[chosen].rate[k];
    for (int k = 0; k < free; k++) list[i].rate[k] -= s / n * list[chosen].rate[k];
  }
  for (int k = 0; k < free; k++) list[chosen].rate[k] = 0;
}

// the first whose motion is not small against the largest; -1 when nothing moves
static int most_mobile(const candidate *list, int from, int to, int free) {
  double largest = 1e-16;
  for (int pass = 0; pass < 2; pass++)
    for (int i = from; i < to; i++) {
      double n = 0;
      for (int k = 0; k < free; k++) n += list[i].rate[k] * list[i].rate[k];
      if (pass && n >= 0.01 * largest && n > 1e-16) return i;
      largest = fmax(largest, n);
    }
  return -1;
}

// Greedy: the first coordinate that moves in the free directions is named, its motion taken out of
// all the others, and so on, as often as there are free directions. Names are thus independent of
// each other, and joints, which people know, come before bodies.
void hn_manifold_free_names(hn_manifold *m, char *text, size_t size) {
  static const char *const names[2][6] = {
      {"x", "y", "z", "rotation about x", "rotation about y", "rotation about z"},
      {"x", "y", "angle", "", "", ""},
  };
  const hn_system *sys = m->sys;
  hn_work *w = &m->sim->stage.work;
  int count = 0, joints = 0, used = 0;
  text[0] = 0;
  for (int i = 0; i < sys->joints; i++) joints += sys->joint[i].coordinates;
  int most = joints + sys->nv;
  candidate *list = calloc((size_t)most + 1, sizeof *list);
  double *rates = calloc((size_t)most * (size_t)m->free + 1, sizeof(double));
  if (!list || !rates || !m->free) goto done;
  for (int i = 0; i < sys->joints; i++)
    for (int k = 0; k < sys->joint[i].coordinates; k++)
      list[count++] = (candidate){sys->joint[i].name, sys->joint[i].coordinate[k].name, NULL};
  for (int i = 1; i < sys->bodies; i++)
    for (int k = 0; k < sys->body[i].nv; k++)
      list[count++] =
          (candidate){sys->body[i].info->name, names[sys->body[i].kind == HN_PLANAR][k], NULL};
  for (int i = 0; i < count; i++) list[i].rate = rates + (size_t)i * (size_t)m->free;
  // rates of all coordinates in a motion along each free direction
  for (int z = 0; z < m->free; z++) {
    const double *v = m->Z + (size_t)z * (size_t)sys->nv;
    hn_eval_jacobian(w, w->t, w->q, v);
    hn_eval_measures(w);
    int c = 0;
    for (int i = 0; i < sys->joints; i++)
      for (int k = 0; k < sys->joint[i].coordinates; k++)
        list[c++].rate[z] = w->mval[sys->joint[i].coordinate[k].measure].rate;
    for (int i = 0; i < sys->nv; i++) list[c++].rate[z] = v[i];
  }
  // joint coordinates first, bodies where no joint shows the motion
  for (int round = 0; round < m->free && used < (int)size - 1; round++) {
    int best = most_mobile(list, 0, joints, m->free);
    if (best < 0) best = most_mobile(list, joints, count, m->free);
    if (best < 0) break;
    used += snprintf(text + used, size - (size_t)used, "%s%s.%s", round ? ", " : "",
                     list[best].element, list[best].quantity);
    remove_direction(list, count, m->free, best);
  }
done:
  free(list), free(rates);
}
