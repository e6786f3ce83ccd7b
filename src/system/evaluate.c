// evaluate.c: the equations at one state.
//
// Order of work: poses, then constraint rows, then velocities, then forces; nothing is computed
// twice. Elements of one type lie together and are evaluated by one loop.
#include "base/pair.h"
#include "system/coordinates/coordinates.h"
#include "system/measure.h"

#include <string.h>

// the part of a pin's block that does not depend on the state
static void point2_constants(double *J, int at, const hn_sys_body *b, double sign) {
  if (at < 0) return;
  J[at] = J[at + b->nv + 1] = sign;
}
// A pin's rows are [-1 0 .; 0 -1 .] on a and [1 0 .; 0 1 .] on b: only the last column follows the
// angle. The rest is written once into every work space, and again where rows of gates were
// cleared.
static void write_constants(hn_work *work) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->points2; i++) {
    const hn_point2 *e = &sys->point2[i];
    point2_constants(work->J, e->ja, &sys->body[e->a], -1);
    point2_constants(work->J, e->jb, &sys->body[e->b], 1);
  }
}

// Called twice: with an arena that only counts, then with one that has memory, where what is not
// zero at the start is filled in as well. work->r and work->numbers are those of reference
// coordinates unless the coordinates' own layout puts others in their place.
void hn_work_layout(hn_work *work, hn_arena *arena, const hn_system *sys) {
  work->sys = sys;
  work->kin = HN_TAKE_NUMBERS(arena, hn_kin, sys->bodies);
  work->kin2 = HN_TAKE_NUMBERS(arena, hn_kin2, sys->bodies);
  work->mval = HN_TAKE_NUMBERS(arena, hn_mval, sys->measures);
  work->turn = HN_TAKE(arena, double, sys->turns);
  work->turn_rate = HN_TAKE(arena, double, sys->turns);
  work->near = HN_TAKE(arena, double, sys->turns);
  work->turn_before = HN_TAKE(arena, double, sys->turns);
  work->rate_before = HN_TAKE(arena, double, sys->turns);
  work->phi = HN_TAKE(arena, double, sys->rows);
  work->phi_t = HN_TAKE(arena, double, sys->rows);
  work->psi = HN_TAKE(arena, double, sys->rows);
  work->gamma = HN_TAKE(arena, double, sys->rows);
  work->J = HN_TAKE(arena, double, sys->j_size);
  work->f = HN_TAKE(arena, double, sys->bv);
  work->r = work->f;
  work->lambda = HN_TAKE(arena, double, sys->rows);
  work->load = HN_TAKE(arena, double, 6 * sys->loads);
  int masses = sys->mass_entries ? sys->mass_entries->count : 0;
  work->mass_values = HN_TAKE(arena, double, masses);
  work->registers = HN_TAKE(arena, double, sys->registers);
  work->inputs = HN_TAKE(arena, double, 1 + 3 * sys->signals + sys->switches);
  work->outputs = HN_TAKE(arena, double, 2 + sys->signals + sys->switches);
  work->mixed = HN_TAKE(arena, double, 2 + sys->signals);
  work->block_in = HN_TAKE(arena, double, sys->block_inputs);
  work->block_out = HN_TAKE(arena, double, sys->block_outputs);
  work->flexible = HN_TAKE(arena, double, sys->flexible_room);
  work->motion = HN_TAKE(arena, double, 3 * sys->motions);
  work->input = HN_TAKE(arena, double, sys->inputs + sys->held);
  work->cell = HN_TAKE(arena, int, sys->tables);
  work->state = HN_TAKE(arena, double, sys->states);
  work->memory = HN_TAKE(arena, double, sys->memories);
  work->wrench_set = HN_TAKE(arena, double, 6 * sys->bodies);
  work->gain = HN_TAKE(arena, double, sys->states * sys->seen);
  work->state_room = HN_TAKE(arena, double, 4 * sys->states);
  hn_lu_layout(&work->state_matrix, arena, sys->states, sys->states);
  work->numbers = work->J;
  if (sys->coordinates->layout) sys->coordinates->layout(work, arena);
  if (!arena->base) return;
  if (masses) memcpy(work->mass_values, sys->mass_entries->value, (size_t)masses * sizeof(double));
  // the ground never moves; bodies without rotation keep the identity. Those in space are written
  // by every motion: their memory is left alone until there is one
  for (int i = 0; i < sys->bodies; i++) {
    if (sys->body[i].nv && sys->body[i].kind == HN_SPATIAL) continue;
    m3_identity(work->kin[i].R);
    work->kin2[i] = (hn_kin2){.c = 1};
  }
  // what never changes in the rows of pins
  write_constants(work);
  for (int i = 0; i < sys->inputs; i++) work->input[i] = sys->input[i].value;
  for (int i = 0; i < sys->held; i++) work->input[sys->inputs + i] = sys->held_start[i];
  for (int i = 0; i < sys->states; i++) work->state[i] = sys->state[i].start;
  work->turn_doubt = -1;
  if (!sys->turn0) return;
  memcpy(work->turn, sys->turn0, (size_t)sys->turns * sizeof(double));
  memcpy(work->near, sys->turn0, (size_t)sys->turns * sizeof(double));
}

// ---- Jacobian rows -------------------------------------------------------------------------

// Rows are computed on whole twists (v, w), six numbers, whatever the body; what it cannot do is
// dropped here and nowhere else.
// write s * (a row on the twist) into the columns this kind of body has
static void put_row(double *o, hn_body_kind kind, double s, const double row[6]) {
  o[0] = s * row[0];
  if (kind == HN_SCALAR) return;
  o[1] = s * row[1];
  switch (kind) {
  case HN_SCALAR:
  case HN_PLANAR_POINT: break;
  case HN_PLANAR: o[2] = s * row[5]; break;
  case HN_POINT: o[2] = s * row[2]; break;
  case HN_SPATIAL:
    for (int k = 2; k < 6; k++) o[k] = s * row[k];
    break;
  }
}
void hn_add_row(double *o, hn_body_kind kind, double s, const double row[6]) {
  double x[6];
  int n = kind == HN_SPATIAL ? 6 : kind == HN_PLANAR_POINT ? 2 : kind == HN_SCALAR ? 1 : 3;
  put_row(x, kind, s, row);
  for (int k = 0; k < n; k++) o[k] += x[k];
}

// ---- constraint primitives -----------------------------------------------------------------

// from the centre of mass to a point of the body
static inline hn_pair to_point(const hn_kin2 *k, const double point[2]) {
  return k->c * hn_pair_load(point) + k->s * (hn_pair){-point[1], point[0]};
}
static inline hn_pair quarter_turned(hn_pair r) {
  return (hn_pair){-r[1], r[0]};
}

// P_b - P_a in the plane, both rows at a time
static void eval_points2(hn_work *work, int level) {
  const hn_system *sys = work->sys;
  const hn_kin2 *kin = work->kin2;
  double *phi = work->phi, *psi = work->psi, *gamma = work->gamma, *J = work->J;
  // rows that went became zero throughout
  if (sys->gates && level >= 1) write_constants(work);
  for (const hn_point2 *e = sys->point2, *end = e + sys->points2; e < end; e++) {
    const hn_kin2 *a = kin + e->a, *b = kin + e->b;
    hn_pair ra = to_point(a, e->sa), rb = to_point(b, e->sb);
    hn_pair_store(phi + e->row, hn_pair_load(&b->x) + rb - hn_pair_load(&a->x) - ra);
    if (level < 1) continue;
    hn_pair turned_a = quarter_turned(ra), turned_b = quarter_turned(rb);
    // the rest of the blocks is constant
    if (e->turns_a) J[e->ja + 2] = -turned_a[0], J[e->ja + 5] = -turned_a[1];
    if (e->turns_b) J[e->jb + 2] = turned_b[0], J[e->jb + 5] = turned_b[1];
    hn_pair rate = hn_pair_load(&b->vx) + b->w * turned_b;
    hn_pair_store(psi + e->row, rate - hn_pair_load(&a->vx) - a->w * turned_a);
    if (level < 2) continue;
    hn_pair_store(gamma + e->row, b->w * b->w * rb - a->w * a->w * ra);
  }
}

// three rows s [1, -R [p]x]: rows of -R [p]x are p x (row of R)
static void point3_block(double *o, hn_body_kind kind, double s, const double R[9],
                         const double p[3]) {
  int n = kind == HN_SPATIAL ? 6 : kind == HN_PLANAR_POINT ? 2 : 3;
  for (int i = 0; i < 3; i++) {
    double row[6] = {0, 0, 0, 0, 0, 0};
    row[i] = 1;
    v3_cross(row + 3, p, R + 3 * i);
    put_row(o + n * i, kind, s, row);
  }
}

// The same in space. gamma is minus what centripetal accelerations alone make of P_b - P_a.
static void eval_points3(hn_work *work, int level) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->points3; i++) {
    const hn_point3 *e = &sys->point3[i];
    const hn_kin *a = &work->kin[e->a], *b = &work->kin[e->b];
    double ra[3], rb[3], x[3], y[3];
    m3_mulv(ra, a->R, e->sa);
    m3_mulv(rb, b->R, e->sb);
    for (int k = 0; k < 3; k++) work->phi[e->row + k] = b->p[k] + rb[k] - a->p[k] - ra[k];
    if (level < 1) continue;
    if (e->ja >= 0) point3_block(work->J + e->ja, sys->body[e->a].kind, -1, a->R, e->sa);
    if (e->jb >= 0) point3_block(work->J + e->jb, sys->body[e->b].kind, 1, b->R, e->sb);
    v3_cross(x, a->w, ra);
    v3_cross(y, b->w, rb);
    for (int k = 0; k < 3; k++) work->psi[e->row + k] = b->v[k] + y[k] - a->v[k] - x[k];
    if (level < 2) continue;
    v3_centripetal(x, a->w, ra);
    v3_centripetal(y, b->w, rb);
    for (int k = 0; k < 3; k++) work->gamma[e->row + k] = x[k] - y[k];
  }
}

// the gradient g on the turns of a body (world axes) as a row of its columns; those of the
// translations are never anything but zero
static void put_turns(double *o, int turns, double s, const double R[9], const double g[3]) {
  if (turns == 1) o[0] = s * g[2];
  if (turns != 3) return;
  for (int i = 0; i < 3; i++) o[i] = s * (R[i] * g[0] + R[3 + i] * g[1] + R[6 + i] * g[2]);
}

// u_a . w_b, see measure.c for the formulas
static void eval_dot_rows(hn_work *work, int level) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->dot_rows; i++) {
    const hn_dot_row *e = &sys->dot_row[i];
    const hn_kin *a = &work->kin[e->a], *b = &work->kin[e->b];
    double u[3], w[3], n[3], x[3], y[3], s = e->scale;
    m3_mulv(u, a->R, e->ua);
    m3_mulv(w, b->R, e->wb);
    work->phi[e->row] = s * v3_dot(u, w) - e->constant;
    if (level < 1) continue;
    v3_cross(n, u, w);
    put_turns(work->J + e->ja, e->turns_a, s, a->R, n);
    put_turns(work->J + e->jb, e->turns_b, -s, b->R, n);
    work->psi[e->row] = s * (v3_dot(n, a->w) - v3_dot(n, b->w));
    if (level < 2) continue;
    // second derivative: (wa x u') . w + 2 u' . w' + u . (wb x w')
    v3_cross(x, a->w, u);
    v3_cross(y, b->w, w);
    double bias = 2 * v3_dot(x, y);
    v3_cross(n, a->w, x);
    bias += v3_dot(n, w);
    v3_cross(n, b->w, y);
    work->gamma[e->row] = -s * (bias + v3_dot(n, u));
  }
}

// Rows that are sums of measures, or driven: Phi = sum c m(q) - constant - f(t), psi its rate, and
// gamma = f'' - sum c (second derivative of m without accelerations). Nonholonomic rows are sums of
// rates: they have no position, and Phi is zero.
static void eval_rows(hn_work *work, int level) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->other_rows; i++) {
    const hn_row *r = &sys->row[sys->other_row[i]];
    double phi = -r->constant, psi = 0, gamma = 0;
    if (r->motion >= 0) {
      const double *f = work->motion + 3 * r->motion;
      phi -= f[0], psi -= f[1], gamma += f[2];
      work->phi_t[r->row] = -f[1];
    }
    for (int k = 0; k < r->terms; k++) {
      const hn_term *term = &sys->term[r->first_term + k];
      const hn_mval *m = &work->mval[term->measure];
      phi += term->coefficient * m->value;
      if (level < 1) continue;
      psi += term->coefficient * m->rate;
      gamma -= term->coefficient * m->bias;
      const hn_measure *def = &sys->measure[term->measure];
      // several terms may meet in one block, so blocks of sums are cleared first (k == 0)
      if (r->terms == 1) {
        if (term->ja >= 0)
          put_row(work->J + term->ja, sys->body[def->a].kind, term->coefficient, m->ja);
        if (term->jb >= 0)
          put_row(work->J + term->jb, sys->body[def->b].kind, term->coefficient, m->jb);
      }
    }
    work->phi[r->row] = sys->holonomic[r->row] ? phi : 0;
    if (level < 1) continue;
    work->psi[r->row] = psi;
    if (level >= 2) work->gamma[r->row] = gamma;
    if (r->terms == 1) continue;
    for (int pass = 0; pass < 2; pass++)
      for (int k = 0; k < r->terms; k++) {
        const hn_term *term = &sys->term[r->first_term + k];
        const hn_mval *m = &work->mval[term->measure];
        const hn_measure *def = &sys->measure[term->measure];
        const hn_sys_body *a = &sys->body[def->a], *b = &sys->body[def->b];
        if (pass == 0) {
          if (term->ja >= 0) memset(work->J + term->ja, 0, (size_t)a->nv * sizeof(double));
          if (term->jb >= 0) memset(work->J + term->jb, 0, (size_t)b->nv * sizeof(double));
        } else {
          if (term->ja >= 0) hn_add_row(work->J + term->ja, a->kind, term->coefficient, m->ja);
          if (term->jb >= 0) hn_add_row(work->J + term->jb, b->kind, term->coefficient, m->jb);
        }
      }
  }
}

// Rows with a formula of their own say Phi, dPhi/dt, the gradients on both twists, and gamma; the
// rate follows from these and is not asked for.
static void eval_customs(hn_work *work, int level) {
  const hn_system *sys = work->sys;
  enum { MAX = HN_CUSTOM_ROWS };
  double ja[MAX * 6], jb[MAX * 6];
  for (int i = 0; i < sys->customs; i++) {
    const hn_custom *e = &sys->custom[i];
    hn_custom_out out = {
        .phi = work->phi + e->row,
        .phi_t = work->phi_t + e->row,
        .ja = level >= 1 ? ja : NULL,
        .jb = level >= 1 ? jb : NULL,
        .gamma = level >= 2 ? work->gamma + e->row : NULL,
    };
    e->type->eval(sys->custom_data + e->data, work->t, &work->kin[e->a], &work->kin[e->b], &out);
    if (level < 1) continue;
    const hn_sys_body *a = &sys->body[e->a], *b = &sys->body[e->b];
    for (int k = 0; k < e->type->rows; k++) {
      double psi = work->phi_t[e->row + k];
      if (e->ja >= 0) {
        double *o = work->J + e->ja + k * a->nv;
        put_row(o, a->kind, 1, ja + 6 * k);
        for (int c = 0; c < a->nv; c++) psi += o[c] * work->v[a->v0 + c];
      }
      if (e->jb >= 0) {
        double *o = work->J + e->jb + k * b->nv;
        put_row(o, b->kind, 1, jb + 6 * k);
        for (int c = 0; c < b->nv; c++) psi += o[c] * work->v[b->v0 + c];
      }
      work->psi[e->row + k] = psi;
    }
  }
}

// Measures first, since sums read them; rows that are not there are cleared last, since everything
// before writes to its place without asking.
void hn_bodies_rows(hn_work *work, int level) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->constraint_measures; i++) {
    int m = sys->constraint_measure[i];
    hn_eval_measure(&sys->measure[m], work, &work->mval[m], level);
  }
  if (sys->points2) eval_points2(work, level);
  if (sys->points3) eval_points3(work, level);
  if (sys->dot_rows) eval_dot_rows(work, level);
  if (sys->other_rows) eval_rows(work, level);
  if (sys->customs) eval_customs(work, level);
  if (sys->unilaterals) hn_clear_absent(work, level);
}

// Masses that depend on the state come with the Jacobian (level 1): whoever factorises at a state
// has evaluated that much.
static void eval_constraints(hn_work *work, int level) {
  const hn_system *sys = work->sys;
  double t = work->t;
  for (int i = 0; i < sys->motions; i++) hn_run_motion(work, i, t, work->motion + 3 * i);
  if (sys->coordinates->constraints) {
    sys->coordinates->constraints(work, level);
    return;
  }
  hn_bodies_rows(work, level);
  if (sys->blocks) hn_block_constraints(work, level);
  if (sys->flexibles && level >= 1) hn_flexible_masses(work);
  if (sys->spreads && level >= 1) hn_spread_masses(work);
}

// ---- forces --------------------------------------------------------------------------------

// Those that rows look at as well are up to date already, with their gradients.
static void eval_force_measures(hn_work *work) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->force_measures; i++) {
    int m = sys->force_measure[i];
    hn_eval_measure(&sys->measure[m], work, &work->mval[m], 1);
  }
  // where coordinates write the rows anew, nobody has looked at their measures
  if (!sys->coordinates->constraints) return;
  for (int i = 0; i < sys->constraint_measures; i++) {
    int m = sys->constraint_measure[i];
    if (sys->measure[m].used_by_force) hn_eval_measure(&sys->measure[m], work, &work->mval[m], 1);
  }
}

// work->f has already what bodies bring themselves
static void eval_forces(hn_work *work) {
  const hn_system *sys = work->sys;
  work->power = 0;
  work->potential = 0;
  eval_force_measures(work);
  if (work->rule) (void)hn_follow_states(work);  // others see numbers that are none
  if (sys->blocks) hn_block_forces(work);
  for (int i = 0; i < sys->flexibles; i++) hn_flexible_force(work, i);
  for (int i = 0; i < sys->spreads; i++) hn_spread_force(work, i);
  for (int i = 0; i < sys->batches; i++) {
    const hn_batch *b = &sys->batch[i];
    b->ops->eval(sys, work, b->count, b->data);
  }
  if (work->pushed) hn_eval_pushes(work);
}

// Force and torque about the centre of mass, world axes. What the kind of body has no velocity for
// is borne by nobody: points feel no torque, bodies of the plane nothing across it.
void hn_apply_wrench(const hn_system *sys, hn_work *work, int body, const double F[3],
                     const double T[3]) {
  const hn_sys_body *b = &sys->body[body];
  double *f = work->f + b->v0;
  if (b->nv == 0) return;
  if (b->kind == HN_SCALAR) return;
  f[0] += F[0], f[1] += F[1];
  switch (b->kind) {
  case HN_SCALAR:
  case HN_PLANAR_POINT: break;
  case HN_PLANAR: f[2] += T[2]; break;
  case HN_POINT: f[2] += F[2]; break;
  case HN_SPATIAL: {
    double local[3];
    m3_tmulv(local, work->kin[body].R, T);
    f[2] += F[2];
    for (int k = 0; k < 3; k++) f[3 + k] += local[k];
    break;
  }
  }
}

// Virtual work: a force F along a measure m is the generalized force F grad m on both bodies.
void hn_apply_measure(const hn_system *sys, hn_work *work, int measure, double F) {
  const hn_measure *m = &sys->measure[measure];
  const hn_mval *x = &work->mval[measure];
  const hn_sys_body *a = &sys->body[m->a], *b = &sys->body[m->b];
  if (a->nv) hn_add_row(work->f + a->v0, a->kind, F, x->ja);
  if (b->nv) hn_add_row(work->f + b->v0, b->kind, F, x->jb);
}

void hn_read_table(const hn_work *work, int table, double t, double out[3]) {
  const hn_series *s = work->sys->table[table];
  if (!work->cells_held) work->cell[table] = hn_series_cell(s, t, work->cell[table]);
  hn_series_at(s, work->cell[table], t, out);
}

double hn_read_signal(const hn_work *work, const hn_signal *s, double *rate) {
  double x[3] = {0, 0, 0};
  switch (s->kind) {
  case HN_SIGNAL_VALUE:
    x[0] = work->mval[s->measure].value, x[1] = work->mval[s->measure].rate;
    break;
  case HN_SIGNAL_RATE: x[0] = work->mval[s->measure].rate, x[1] = NAN; break;
  case HN_SIGNAL_INPUT: x[0] = work->input[s->index]; break;
  case HN_SIGNAL_TABLE: hn_read_table(work, s->index, work->t, x); break;
  case HN_SIGNAL_STATE: x[0] = work->state[s->index], x[1] = NAN; break;
  }
  if (rate) *rate = x[1];
  return x[0];
}

void hn_run_motion(const hn_work *work, int motion, double t, double out[3]) {
  const hn_motion *m = &work->sys->motion[motion];
  double *in = work->inputs;
  in[0] = t;
  for (int k = 0; k < m->signals; k++)
    hn_read_table(work, work->sys->signal[m->first_signal + k].index, t, in + 1 + 3 * k);
  hn_program_run(m->program, in, work->registers, out);
}

// The inputs of a program lie in scratch of the work space: nothing may be evaluated between
// loading and running that runs another one.
static void load_inputs(const hn_system *sys, const hn_work *work, const hn_expression *e) {
  work->inputs[0] = work->t;
  for (int k = 0; k < e->signals; k++) {
    const hn_signal *s = &sys->signal[e->first_signal + k];
    if (hn_is_measured(s)) {
      const hn_mval *m = &work->mval[s->measure];
      work->inputs[1 + k] = s->kind == HN_SIGNAL_VALUE ? m->value : m->rate;
    } else {
      work->inputs[1 + k] = hn_read_signal(work, s, NULL);
    }
  }
}

// states follow from the motion: what they contribute to the gradient by it.
// dF/dm + dF/dx dx/dm: the gain dx/dm is that of state.c, and all m that x depends on are signals
// of the formula (hn_expression.follows).
static void add_gains(const hn_system *sys, const hn_work *work, const hn_expression *e) {
  const hn_signal *signal = &sys->signal[e->first_signal];
  double *slope = work->outputs + 2;
  for (int k = 0; k < e->signals; k++) {
    if (signal[k].kind != HN_SIGNAL_STATE) continue;
    const double *gain = work->gain + (size_t)signal[k].index * (size_t)sys->seen;
    for (int j = 0; j < e->signals; j++)
      if (signal[j].seen) slope[j] += slope[k] * gain[signal[j].seen - 1];
  }
}

// a formula held to its sides
static void run_held(const hn_work *work, const hn_expression *e, const bool *side) {
  for (int k = 0; k < e->switches; k++)
    work->inputs[1 + e->signals + k] = side[e->first_switch + k];
  hn_program_run(e->held, work->inputs, work->registers, work->outputs);
}

// one that slides along a switching point is between both sides of it
static void mix_sides(const hn_work *work, const hn_expression *e, double w) {
  size_t n = 2 + (size_t)e->signals;
  memcpy(work->mixed, work->outputs, n * sizeof(double));
  run_held(work, e, work->across);
  for (size_t i = 0; i < n; i++) work->outputs[i] = (1 - w) * work->mixed[i] + w * work->outputs[i];
}

// The gradient is by t and by every signal. Tables are functions of t: their slopes are added to
// that by t, and their own numbers in the gradient are left as they are.
double hn_run_expression(const hn_system *sys, const hn_work *work, int expression,
                         const double **gradient) {
  const hn_expression *e = &sys->expression[expression];
  load_inputs(sys, work, e);
  if (work->side && e->held)
    run_held(work, e, work->side);
  else
    hn_program_run(e->program, work->inputs, work->registers, work->outputs);
  if (work->between && !isnan(work->between[expression]))
    mix_sides(work, e, work->between[expression]);
  if (!gradient) return work->outputs[0];
  *gradient = work->outputs + 1;
  // what tables do is part of how the formula changes with time
  for (int k = 0; sys->tables && k < e->signals; k++) {
    const hn_signal *s = &sys->signal[e->first_signal + k];
    double table[3];
    if (s->kind != HN_SIGNAL_TABLE) continue;
    hn_read_table(work, s->index, work->t, table);
    work->outputs[1] += work->outputs[2 + k] * table[1];
  }
  if (work->rule && e->follows) add_gains(sys, work, e);
  return work->outputs[0];
}

// ---- what forces from outside see ------------------------------------------------------------

const hn_kin *hn_work_body(const hn_work *work, int body) {
  return &work->kin[body];
}

void hn_work_measure(const hn_work *work, int measure, double *value, double *rate) {
  *value = work->mval[measure].value;
  *rate = work->mval[measure].rate;
}

bool hn_work_side(const hn_work *work, int number, bool positive) {
  return hn_side(work, number, positive);
}

void hn_work_add(hn_work *work, double potential, double power) {
  work->potential += potential;
  work->power += power;
}

// ---- entry points --------------------------------------------------------------------------

// Every evaluation passes here and gets a stamp of its own; what is derived from one keeps its
// stamp, and is known to be stale by that. Angles are expected before poses are found, as natural
// coordinates read theirs off directions; those that follow from others are expected again behind.
static void move(hn_work *work, double t, const double *q, const double *v, int level) {
  work->stamp++;
  work->t = t;
  if (work->sys->turns) hn_expect_turns(work, t);
  work->sys->coordinates->move(work, q, v, level);
  if (work->sys->followers) hn_follow_turns(work, t);
}

void hn_eval_motion(hn_work *work, double t, const double *q, const double *v) {
  move(work, t, q, v, v ? 1 : 0);
}

void hn_eval_position(hn_work *work, double t, const double *q) {
  move(work, t, q, NULL, 0);
  eval_constraints(work, 0);
}

void hn_eval_jacobian(hn_work *work, double t, const double *q, const double *v) {
  move(work, t, q, v, 1);
  eval_constraints(work, 1);
}

void hn_eval_all(hn_work *work, double t, const double *q, const double *v) {
  move(work, t, q, v, 2);
  eval_constraints(work, 2);
  eval_forces(work);
  if (work->sys->coordinates->reduce) work->sys->coordinates->reduce(work);
}

void hn_eval_poses(hn_work *work) {
  if (work->sys->coordinates->quaternions) work->sys->coordinates->quaternions(work);
}

void hn_eval_reactions(hn_work *work, const double *a) {
  if (work->sys->coordinates->reactions) work->sys->coordinates->reactions(work, a);
}

void hn_eval_signals(hn_work *work, double t, const double *q, const double *v) {
  hn_eval_jacobian(work, t, q, v);
  eval_force_measures(work);
}

// Where sides are not held, a function may depend on decisions inside itself (`if` within `if`):
// the sides found are put in until all are settled, one more of them with every pass.
void hn_eval_switches(hn_work *work, double t, const double *q, const double *v, double *value) {
  const hn_system *sys = work->sys;
  hn_eval_signals(work, t, q, v);
  for (int i = 0; i < sys->batches; i++) {
    const hn_batch *b = &sys->batch[i];
    if (b->ops->switches) b->ops->switches(sys, work, b->count, b->data, value);
  }
  for (int i = 0; i < sys->expressions; i++) {
    const hn_expression *e = &sys->expression[i];
    if (!e->functions) continue;
    load_inputs(sys, work, e);
    // a function may depend on the sides of those before it
    double *own = value + e->first_switch, *side = work->inputs + 1 + e->signals;
    for (int pass = 0; pass <= e->switches; pass++) {
      for (int k = 0; k < e->switches; k++)
        side[k] = hn_side(work, e->first_switch + k, pass > 0 && own[k] > 0);
      hn_program_run(e->functions, work->inputs, work->registers, own);
      if (work->side) break;
    }
  }
}

void hn_remember(hn_work *work, const bool *was, const bool *is) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->batches && sys->memories; i++) {
    const hn_batch *b = &sys->batch[i];
    if (b->ops->remember) b->ops->remember(sys, work, b->count, b->data, was, is);
  }
}

void hn_reduce_forces(hn_work *work) {
  if (work->sys->coordinates->reduce_forces) work->sys->coordinates->reduce_forces(work);
}

void hn_eval_measures(hn_work *work) {
  const hn_system *sys = work->sys;
  for (int m = 0; m < sys->measures; m++)
    hn_eval_measure(&sys->measure[m], work, &work->mval[m], 1);
}
