// build_block.c: from the formulas of a block to its programs.
//
// With T = 1/2 v.M(q, t) v + c(q, t).v + T0(q, t), p = dT/dv, Lagrange's equations are
//   M a = F,   F = Q - dV/dq - h,   h_i = sum_j dp_i/dq_j v_j + dp_i/dt - dT/dq_i
// and the energy that belongs to them is 1/2 v.M v + V - T0 (Jacobi), whose rate is
//   Q.v + dV/dt - dT/dt.
// V may depend on measures s of other bodies, which then feel -dV/ds along s; a force Q may be
// given along such a measure as well. A holonomic constraint g(q, s, t) = 0 has the total
// derivatives
//   g' = g_t + g_x.x',  g'' = g_x.x'' + (g'_t + g'_x.x'),  x = (q, s)
// and a nonholonomic one h(q, s, v, s', t) = 0 likewise h' = h_x'.x'' + (h_t + h_x.x').
// All of it is done on the graph of formulas.
#include "model/check.h"
#include "system/builder.h"
#include "system/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct maker {
  hn_builder *b;
  const hn_block_def *def;
  hn_sys_block *block;
  hn_graph *graph;
  int capacity;   // of block->measure
  bool looked;    // a formula looked at other elements
  hn_node *list;  // outputs of the program being written
  int count, room;
} maker;

// ---- inputs --------------------------------------------------------------------------------

// Numbers of the inputs of all programs: t, then q and v of the block, then value and rate of each
// measure in turn. More measures may be met while formulas are parsed: their inputs are behind
// those there are, so that numbers handed out stay right.
static int in_q(int i) {
  return 1 + i;
}
static int in_v(const maker *m, int i) {
  return 1 + m->block->n + i;
}
// x and x', own coordinates first
static int in_x(const maker *m, int k) {
  int n = m->block->n;
  return k < n ? in_q(k) : 1 + 2 * n + 2 * (k - n);
}
static int in_rate(const maker *m, int k) {
  int n = m->block->n;
  return k < n ? in_v(m, k) : 2 + 2 * n + 2 * (k - n);
}
static hn_node input(const maker *m, int index) {
  return hn_graph_input(m->graph, index);
}

// "theta", "theta.rate", "theta_rate"; *rate tells which. -1 when it is none of the names
static int find_label(const hn_sys_block *block, const char *name, size_t length, bool *rate) {
  for (int i = 0; i < block->n; i++) {
    size_t size = strlen(block->label[i]);
    if (length < size || memcmp(block->label[i], name, size) != 0) continue;
    size_t rest = length - size;
    *rate = rest > 0;
    if (rest == 0) return i;
    if (rest == 5 && (memcmp(name + size, ".rate", 5) == 0 || memcmp(name + size, "_rate", 5) == 0))
      return i;
  }
  return -1;
}

static hn_node own_name(void *user, hn_graph *graph, const char *name, size_t length) {
  const maker *m = user;
  bool rate;
  int i = find_label(m->block, name, length, &rate);
  return i < 0 ? -1 : hn_graph_input(graph, rate ? in_v(m, i) : in_q(i));
}

// Formulas make a measure for every name they meet; one that is there already takes its place.
// Angles have a memory of their turns each, and stay apart
static bool same_measure(const hn_measure *a, const hn_measure *b) {
  return a->type == b->type && a->a == b->a && a->b == b->b && a->turn < 0 && b->turn < 0 &&
         memcmp(a->ua, b->ua, sizeof a->ua) == 0 && memcmp(a->wb, b->wb, sizeof a->wb) == 0 &&
         memcmp(a->sa, b->sa, sizeof a->sa) == 0 && memcmp(a->sb, b->sb, sizeof a->sb) == 0 &&
         a->offset == b->offset;
}

static hn_node use_measure(void *user, hn_graph *graph, hn_signal_kind kind, int measure) {
  maker *m = user;
  hn_system *sys = m->b->sys;
  hn_sys_block *block = m->block;
  int k = 0;
  while (k < block->measures && block->measure[k] != measure &&
         !same_measure(&sys->measure[block->measure[k]], &sys->measure[measure]))
    k++;
  if (k == block->measures) {
    int *slot = hn_builder_room(m->b, (void **)&block->measure, &m->capacity, k, sizeof *slot);
    if (!slot) return -1;
    *slot = measure;
    block->measures++;
  } else if (block->measure[k] != measure && measure == sys->measures - 1) {
    sys->measures--;  // was made for this formula only
  }
  if (k >= block->n) m->looked = true;
  return hn_graph_input(graph, kind == HN_SIGNAL_RATE ? in_rate(m, k) : in_x(m, k));
}

static hn_node parse(maker *m, const char *what, const char *text) {
  hn_name_space names = {own_name, use_measure, m};
  return hn_builder_parse(m->b, what, text, strlen(text), 0, &names);
}

// "left = right", or what must be zero
static hn_node parse_equation(maker *m, const char *what, const char *text) {
  hn_name_space names = {own_name, use_measure, m};
  const char *sign = hn_equals_sign(text);
  if (!sign) return parse(m, what, text);
  size_t left = (size_t)(sign - text);
  hn_node a = hn_builder_parse(m->b, what, text, left, 0, &names);
  hn_node b = hn_builder_parse(m->b, what, sign + 1, strlen(sign + 1), (int)left + 1, &names);
  return hn_graph_sub(m->graph, a, b);
}

static bool depends_on_rates(const maker *m, hn_node node) {
  for (int k = 0; k < m->block->measures; k++)
    if (hn_graph_depends(m->graph, node, in_rate(m, k))) return true;
  return false;
}

// ---- programs ------------------------------------------------------------------------------

static hn_node derivative(const maker *m, hn_node node, int in) {
  return node < 0 ? -1 : hn_graph_derivative(m->graph, node, in);
}
static hn_node product(const maker *m, hn_node a, hn_node b) {
  return hn_graph_mul(m->graph, a, b);
}
static hn_node sum(const maker *m, hn_node a, hn_node b) {
  return hn_graph_add(m->graph, a, b);
}

// Graph functions answer -1 when out of memory, and pass it on: it is enough to look where nodes
// end up in a program.
static void put(maker *m, hn_node node) {
  hn_node *slot = hn_builder_room(m->b, (void **)&m->list, &m->room, m->count, sizeof *slot);
  if (!slot) return;
  *slot = node;
  m->count++;
  if (node < 0) hn_build_fail(m->b, HN_ERR_MEMORY, "a formula is too large");
}

// the outputs put so far as a program
static hn_program *finish(maker *m) {
  hn_program *p = m->b->status ? NULL : hn_builder_program(m->b, m->list, m->count);
  if (!p) hn_build_fail(m->b, HN_ERR_MEMORY, "a formula is too large");
  if (m->count > m->b->sys->block_outputs) m->b->sys->block_outputs = m->count;
  m->count = 0;
  return p;
}

// time derivative without accelerations: f_t + f_x.x'
static hn_node total(const maker *m, hn_node f) {
  hn_node d = derivative(m, f, 0);
  for (int k = 0; k < m->block->measures; k++)
    d = sum(m, d, product(m, derivative(m, f, in_x(m, k)), input(m, in_rate(m, k))));
  return d;
}

// ---- inertia -------------------------------------------------------------------------------

// T from the matrix; M[i * n + j] are its entries.
// T = v.M v / 2, written out as a formula, so that both ways to give inertia go on alike. M keeps
// the entries as they were written, for the check of symmetry.
static hn_node energy_of_matrix(maker *m, hn_node *M) {
  int n = m->block->n;
  hn_node T = hn_graph_constant(m->graph, 0), half = hn_graph_constant(m->graph, 0.5);
  for (int i = 0; i < n * n; i++) {
    char what[48];
    snprintf(what, sizeof what, "mass_matrix, row %d, column %d", i / n + 1, i % n + 1);
    M[i] = parse(m, what, m->def->mass_matrix[i]);
    if (!m->b->status && depends_on_rates(m, M[i]))
      hn_build_fail(m->b, HN_ERR_MODEL, "%s: a mass cannot depend on rates", what);
  }
  for (int i = 0; i < n * n; i++)
    T = sum(
        m, T,
        product(m, half,
                product(m, M[i], product(m, input(m, in_v(m, i / n)), input(m, in_v(m, i % n))))));
  return T;
}

// Do the two outputs of a program over the block's own inputs differ somewhere? Tried at a few
// places and times beside the start, where neither a coordinate nor t is zero by chance; where a
// formula has no value there it is not judged
static bool differ(const maker *m, const hn_program *p) {
  enum { TRIALS = 3 };
  int n = m->block->n, inputs = 1 + 2 * n;
  double *x = calloc((size_t)(hn_program_registers(p) + inputs), sizeof *x), out[2];
  bool found = false;
  for (int trial = 1; x && trial <= TRIALS && !found; trial++) {
    x[0] = 0.37 * trial;
    for (int k = 0; k < n; k++) x[in_q(k)] = m->def->coordinates[k].value + 0.1 * (k + 1) / trial;
    hn_program_run(p, x, x + inputs, out);
    found = fabs(out[0] - out[1]) > 1e-12 * (fabs(out[0]) + fabs(out[1]));
  }
  free(x);
  return found;
}

// two ways to write the same entry may differ in form, not in value
static void check_symmetry(maker *m, const hn_node *M) {
  int n = m->block->n;
  for (int i = 0; i < n && !m->b->status; i++)
    for (int j = 0; j < i && !m->b->status; j++) {
      if (M[i * n + j] == M[j * n + i]) continue;
      put(m, M[i * n + j]);
      put(m, M[j * n + i]);
      hn_program *p = finish(m);
      if (p && differ(m, p))
        hn_build_fail(m->b, HN_ERR_MODEL,
                      "mass_matrix must be symmetric: row %d, column %d differs from row %d, "
                      "column %d",
                      i + 1, j + 1, j + 1, i + 1);
      hn_program_destroy(p);
    }
}

// fills M and returns the kinetic energy, -1 after a failure.
// Where T is given, M = d2T/dv dv must not depend on rates: terms of first degree (gyroscopic) and
// of degree zero (centrifugal) may be there, and go their own ways, the latter into `rest`.
static hn_node build_inertia(maker *m, hn_node *M) {
  hn_sys_block *block = m->block;
  int n = block->n;
  hn_node T = m->def->mass_matrix ? energy_of_matrix(m, M)
                                  : parse(m, "kinetic_energy", m->def->kinetic_energy);
  // before anything runs a formula of it: only its own inputs have values then
  if (m->looked)
    hn_build_fail(m->b, HN_ERR_MODEL,
                  "the inertia of a block can only depend on its own coordinates");
  if (m->def->mass_matrix) check_symmetry(m, M);
  // of a matrix that was given this is the symmetric part
  for (int i = 0; i < n && !m->b->status; i++)
    for (int j = 0; j < n && !m->b->status; j++) {
      M[i * n + j] = derivative(m, derivative(m, T, in_v(m, i)), in_v(m, j));
      if (M[i * n + j] >= 0 && depends_on_rates(m, M[i * n + j]))
        hn_build_fail(m->b, HN_ERR_MODEL,
                      "kinetic_energy must be of second degree in the rates: its second derivative "
                      "by %s and %s depends on them",
                      block->label[i], block->label[j]);
    }
  if (m->b->status) return -1;
  for (int i = 0; i < n * n; i++) put(m, M[i]);
  block->mass = finish(m);
  if (!m->def->mass_matrix) {
    put(m, T);
    block->rest = finish(m);
  }
  return T;
}

// ---- forces --------------------------------------------------------------------------------

// what a force acts on: number of x
static int find_target(maker *m, const char *name) {
  bool rate;
  int i = find_label(m->block, name, strlen(name), &rate);
  if (i >= 0 && !rate) return i;
  char what[96];
  snprintf(what, sizeof what, "forces, '%.60s'", name);
  hn_node node = i < 0 ? parse(m, what, name) : -1;
  // what the name has become tells its number among x
  for (int k = m->block->n; node >= 0 && k < m->block->measures; k++)
    if (node == input(m, in_x(m, k))) return k;
  hn_build_fail(m->b, HN_ERR_MODEL,
                "forces: '%s' is neither a coordinate nor a position of another element", name);
  return -1;
}

// V and the forces along x; more of x may be met on the way
static void parse_forces(maker *m, hn_node *V, hn_node *Q, int *target) {
  const hn_block_def *def = m->def;
  *V = def->potential ? parse(m, "potential", def->potential) : hn_graph_constant(m->graph, 0);
  if (*V >= 0 && depends_on_rates(m, *V))
    hn_build_fail(m->b, HN_ERR_MODEL, "potential: it cannot depend on rates (use 'forces')");
  for (int i = 0; i < def->force_count && !m->b->status; i++) {
    char what[96];
    snprintf(what, sizeof what, "force on '%.60s'", def->forces[i].name);
    target[i] = find_target(m, def->forces[i].name);
    if (!m->b->status) Q[i] = parse(m, what, def->forces[i].formula);
  }
}

// F along x for all x, potential, power; then their slopes.
// See the head of the file for h and for the power: what is lost or gained beyond Jacobi's energy.
static void build_forces(maker *m, hn_node T, hn_node V, const hn_node *Q, const int *target) {
  hn_sys_block *block = m->block;
  int n = block->n, w = block->measures;
  hn_graph *g = m->graph;
  hn_node *F = calloc((size_t)w + 1, sizeof *F);
  if (!F) {
    hn_build_fail(m->b, HN_ERR_MEMORY, "out of memory");
    return;
  }
  // dV/dt - dT/dt, and Q x' for every force that is given
  hn_node power = hn_graph_sub(g, derivative(m, V, 0), derivative(m, T, 0));
  for (int k = 0; k < w; k++)
    F[k] = hn_graph_sub(g, hn_graph_constant(g, 0), derivative(m, V, in_x(m, k)));
  // h: the kinetic energy knows own coordinates alone
  for (int i = 0; i < n; i++) {
    hn_node p = derivative(m, T, in_v(m, i)), h = derivative(m, p, 0);
    for (int j = 0; j < n; j++)
      h = sum(m, h, product(m, derivative(m, p, in_q(j)), input(m, in_v(m, j))));
    F[i] = sum(m, hn_graph_sub(g, F[i], h), derivative(m, T, in_q(i)));
  }
  for (int i = 0; i < m->def->force_count; i++) {
    int k = target[i];
    F[k] = sum(m, F[k], Q[i]);
    power = sum(m, power, product(m, Q[i], input(m, in_rate(m, k))));
  }
  // in the order in which block.c reads them
  for (int k = 0; k < w; k++) put(m, F[k]);
  put(m, V);
  put(m, power);
  block->force = finish(m);
  for (int k = 0; k < w && !m->b->status; k++) {
    for (int j = 0; j < w; j++) put(m, derivative(m, F[k], in_x(m, j)));
    for (int j = 0; j < w; j++) put(m, derivative(m, F[k], in_rate(m, j)));
  }
  block->slope = finish(m);
  free(F);
}

// d(M a)/dq
static void build_inertia_slope(maker *m, const hn_node *M) {
  int n = m->block->n, a = 1 + 2 * m->block->measures;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      hn_node d = hn_graph_constant(m->graph, 0);
      for (int k = 0; k < n; k++)
        d = sum(m, d, product(m, derivative(m, M[i * n + k], in_q(j)), input(m, a + k)));
      put(m, d);
    }
  m->block->inertia = finish(m);
}

// ---- constraints ---------------------------------------------------------------------------

static void begin_rows(maker *m) {
  hn_sys_block *block = m->block;
  hn_system *sys = m->b->sys;
  block->holonomic = m->def->constraint_count;
  block->rows = block->holonomic + m->def->velocity_constraint_count;
  block->group = -1;
  if (!block->rows) return;
  m->b->a = m->b->b = (hn_mount){.body = block->body};
  hn_builder_begin_joint(m->b, block->name, "block");
  if (m->b->status) return;
  sys->joint[sys->joints - 1].handle = -1;
  block->group = m->b->group;
  for (int i = 0; i < block->rows; i++) {
    bool holonomic = i < block->holonomic;
    const hn_equation *e = holonomic ? m->def->constraints : m->def->velocity_constraints;
    int at = holonomic ? i : i - block->holonomic;
    char label[64];
    snprintf(label, sizeof label, "%c%d", holonomic ? 'c' : 'v', at + 1);
    hn_builder_row(m->b, e && e[at].name ? e[at].name : label, holonomic);
  }
}

// the bodies of all measures; the ground is named too, as rows of a block may change when all they
// touch move together
static void end_rows(maker *m) {
  const hn_sys_block *block = m->block;
  if (block->group < 0 || m->b->status) return;
  for (int k = 0; k < block->measures; k++) {
    hn_builder_touch(m->b, m->b->sys->measure[block->measure[k]].a, false);
    hn_builder_touch(m->b, m->b->sys->measure[block->measure[k]].b, false);
  }
  hn_builder_touch(m->b, 0, true);
  hn_builder_end_joint(m->b);
}

// Rates must enter linearly: accelerations would otherwise be multiplied by something that depends
// on velocities, and J with them.
static void parse_rows(maker *m, hn_node *row) {
  const hn_sys_block *block = m->block;
  for (int i = 0; i < block->rows && !m->b->status; i++) {
    bool holonomic = i < block->holonomic;
    const hn_equation *e =
        holonomic ? &m->def->constraints[i] : &m->def->velocity_constraints[i - block->holonomic];
    char what[96];
    if (e->name)
      snprintf(what, sizeof what, "constraint '%.60s'", e->name);
    else
      snprintf(what, sizeof what, "%s %d", holonomic ? "constraint" : "velocity constraint",
               holonomic ? i + 1 : i - block->holonomic + 1);
    row[i] = parse_equation(m, what, e->formula);
    if (m->b->status) return;
    if (holonomic && depends_on_rates(m, row[i]))
      hn_build_fail(m->b, HN_ERR_MODEL, "%s depends on rates (use 'velocity_constraints')", what);
    if (!holonomic && !depends_on_rates(m, row[i]))
      hn_build_fail(m->b, HN_ERR_MODEL, "%s depends on no rate (use 'constraints')", what);
    for (int k = 0; !holonomic && !m->b->status && k < block->measures; k++)
      if (depends_on_rates(m, derivative(m, row[i], in_rate(m, k))))
        hn_build_fail(m->b, HN_ERR_MODEL, "%s must be linear in the rates", what);
    // velocity constraints may have a part without rates, which does work
    if (!holonomic || hn_graph_depends(m->graph, row[i], 0)) m->b->sys->rheonomic = true;
  }
}

// Five programs of all rows together: Phi; gradient and the part by t alone; the second derivative
// without accelerations; d(psi)/dx; d(gradient)/dx.
static void build_rows(maker *m, const hn_node *row) {
  hn_sys_block *block = m->block;
  int w = block->measures;
  if (m->b->status || !block->rows) return;
  for (int i = 0; i < block->holonomic; i++) put(m, row[i]);
  block->position = finish(m);
  for (int i = 0; i < block->rows; i++) {
    bool holonomic = i < block->holonomic;
    for (int k = 0; k < w; k++)
      put(m, derivative(m, row[i], holonomic ? in_x(m, k) : in_rate(m, k)));
    put(m, holonomic ? derivative(m, row[i], 0) : row[i]);
  }
  block->jacobian = finish(m);
  for (int i = 0; i < block->rows; i++)
    put(m, total(m, i < block->holonomic ? total(m, row[i]) : row[i]));
  block->bias = finish(m);
  for (int i = 0; i < block->rows; i++)
    for (int k = 0; k < w; k++)
      put(m, derivative(m, i < block->holonomic ? total(m, row[i]) : row[i], in_x(m, k)));
  block->drift = finish(m);
  for (int i = 0; i < block->rows; i++)
    for (int k = 0; k < w; k++)
      for (int j = 0; j < w; j++)
        put(m,
            derivative(m, derivative(m, row[i], i < block->holonomic ? in_x(m, k) : in_rate(m, k)),
                       in_x(m, j)));
  block->curve = finish(m);
}

// ---- the whole block -----------------------------------------------------------------------

// Bodies of blocks stand behind those of the model, block by block, so that q, v and masses of a
// block lie together.
hn_status hn_builder_block_bodies(hn_system *sys, const hn_model *model) {
  int body = model->body_count;
  sys->block = calloc((size_t)model->block_count + 1, sizeof *sys->block);
  if (!sys->block) return HN_ERR_MEMORY;
  for (int i = 0; i < model->block_count; i++) {
    const hn_block_def *def = &model->block[i].def;
    hn_sys_block *block = &sys->block[sys->blocks++];
    size_t n = (size_t)def->coordinate_count;
    block->handle = i + 1;
    block->body = body;
    block->group = -1;
    block->name = hn_strdup(def->name);
    block->label = calloc(n + 1, sizeof *block->label);
    block->unit = calloc(n + 1, sizeof *block->unit);
    block->rate_unit = calloc(n + 1, sizeof *block->rate_unit);
    if (!block->name || !block->label || !block->unit || !block->rate_unit) return HN_ERR_MEMORY;
    for (int k = 0; k < def->coordinate_count; k++, body++) {
      const hn_coordinate_def *c = &def->coordinates[k];
      hn_sys_body *b = &sys->body[body];
      char text[160];
      const char *unit = c->unit ? c->unit : "";
      block->n = k + 1;
      block->label[k] = hn_strdup(c->name);
      block->unit[k] = hn_strdup(unit);
      snprintf(text, sizeof text, "%s/s", *unit ? unit : "1");
      block->rate_unit[k] = hn_strdup(text);
      snprintf(text, sizeof text, "%s.%s", def->name, c->name);
      b->info->name = hn_pool_text(&sys->names, text, strlen(text));
      if (!block->label[k] || !block->unit[k] || !block->rate_unit[k] || !b->info->name)
        return HN_ERR_MEMORY;
      b->kind = HN_SCALAR;
      b->nq = b->nv = 1;
      b->q0 = sys->nq++, b->v0 = sys->nv++;
      b->angular = strcmp(unit, "m") != 0;
      b->hold = c->hold;
      m3_identity(b->info->axes);
    }
  }
  return HN_OK;
}

void hn_builder_block_measures(hn_builder *b) {
  for (int i = 0; i < b->sys->blocks; i++) {
    hn_sys_block *block = &b->sys->block[i];
    block->measure = calloc((size_t)block->n, sizeof *block->measure);
    if (!block->measure) {
      hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
      return;
    }
    for (int k = 0; k < block->n; k++)
      block->measure[block->measures++] = hn_builder_scalar(b, block->body + k);
  }
}

int hn_builder_block_measure(hn_builder *b, const char *name, hn_signal_kind *kind) {
  for (int i = 0; i < b->sys->blocks; i++) {
    const hn_sys_block *block = &b->sys->block[i];
    // names of blocks in parts have dots of their own
    size_t length = strlen(block->name);
    if (strncmp(block->name, name, length) != 0 || name[length] != '.') continue;
    bool rate;
    int k = find_label(block, name + length + 1, strlen(name + length + 1), &rate);
    if (k < 0) continue;
    *kind = rate ? HN_SIGNAL_RATE : HN_SIGNAL_VALUE;
    return block->measure[k];
  }
  return -1;
}

// the block's n x n entries of the mass matrix, behind those of the bodies
static void list_masses(hn_builder *b, hn_sys_block *block) {
  hn_system *sys = b->sys;
  hn_mass_entries *old = sys->mass_entries;
  int plain = 0, bodies = sys->block[0].body, n = block->n;
  // the first block finds none listed: those of the bodies, a diagonal, are written before its own
  for (int i = 1; i < bodies; i++) plain += sys->body[i].nv;
  int before = old ? old->count : plain;
  hn_mass_entries *e = hn_mass_entries_create(before + n * n);
  if (!e) {
    hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
    return;
  }
  for (int k = 0; k < before; k++) {
    e->row[k] = old ? old->row[k] : k;
    e->col[k] = old ? old->col[k] : k;
    e->value[k] = old ? old->value[k] : sys->mass[k];
  }
  for (int k = 0; k < n * n; k++) {
    e->row[before + k] = sys->body[block->body + k / n].v0;
    e->col[before + k] = sys->body[block->body + k % n].v0;
  }
  block->mass_first = before;
  hn_mass_entries_destroy(old);
  sys->mass_entries = e;
}

static void build_formulas(maker *m) {
  const hn_block_def *def = m->def;
  size_t n = (size_t)def->coordinate_count;
  hn_node *M = calloc(n * n + 1, sizeof *M), V = -1;
  hn_node *Q = calloc((size_t)def->force_count + 1, sizeof *Q);
  hn_node *row = calloc((size_t)m->block->rows + 1, sizeof *row);
  int *target = calloc((size_t)def->force_count + 1, sizeof *target);
  if (M && Q && row && target) {
    hn_node T = build_inertia(m, M);
    if (!m->b->status) parse_forces(m, &V, Q, target);
    parse_rows(m, row);
    // from here on it is known what x is
    if (!m->b->status) {
      build_forces(m, T, V, Q, target);
      build_inertia_slope(m, M);
      build_rows(m, row);
    }
  } else {
    hn_build_fail(m->b, HN_ERR_MEMORY, "out of memory");
  }
  free(M), free(Q), free(row), free(target);
}

// room for what a function in place of formulas fills in; see block.c
static void build_function(maker *m) {
  hn_sys_block *block = m->block;
  // n x n masses, n forces, two energies, phi, phi_t, gamma, J; then room for differences
  int n = block->n, rows = block->rows, size = n * n + 3 * n + 2 + rows * (n + 3) + rows * n;
  block->function = m->def->equations;
  block->user = m->def->user;
  if (rows) m->b->sys->rheonomic = true;  // it may be
  if (size > m->b->sys->block_outputs) m->b->sys->block_outputs = size;
}

// Masses are listed last: by then all blocks before this one have theirs
void hn_builder_block(hn_builder *b, int index) {
  hn_sys_block *block = &b->sys->block[index];
  maker m = {.b = b, .def = &b->model->block[index].def, .block = block, .graph = b->graph};
  m.capacity = block->n;
  b->place = b->model->block[index].place;
  b->what = "block";
  b->element = block->name;
  begin_rows(&m);
  if (b->status) return;
  if (m.def->equations)
    build_function(&m);
  else
    build_formulas(&m);
  end_rows(&m);
  b->group = -1;
  if (!b->status) list_masses(b, block);
  block->ja = calloc((size_t)block->measures + 1, sizeof *block->ja);
  block->jb = calloc((size_t)block->measures + 1, sizeof *block->jb);
  if (!block->ja || !block->jb) hn_build_fail(b, HN_ERR_MEMORY, "out of memory");
  int inputs = 1 + 2 * block->measures + block->n;
  if (inputs > b->sys->block_inputs) b->sys->block_inputs = inputs;
  free(m.list);
}
