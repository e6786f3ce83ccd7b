// beam_formulas.c: a beam element in formulas, for code written per model.
//
// In the reduced quantities d, s, c of beam_discrete.c, whose rates are
//
//   d' = y_d,   s' = (tr R - R) w / 2,   c' = -s . w,   R = A^T B,   w = y_w
//
// so that forces along them become the wrench (w_d, (tr R - R)^T w_s / 2 - w_c s).
#include "forces/beam.h"

#include "forces/frames_formulas.h"

// o += f (x x y)
static void add_cross(hn_graph *g, hn_node o[3], hn_node f, const hn_node x[3],
                      const hn_node y[3]) {
  hn_node z[3];
  n3_cross(g, z, x, y);
  n3_scale(g, z, f, z);
  n3_add(g, o, o, z);
}

// (tr R - R) / 2
static void turning(hn_graph *g, const hn_frames_turn *o, hn_node M[9]) {
  hn_node trace = n_add(g, n_add(g, o->R[0], o->R[4]), o->R[8]);
  for (int i = 0; i < 9; i++)
    // i % 4 == 0: the diagonal of R
    M[i] = n_scale(g, 0.5, i % 4 == 0 ? n_sub(g, trace, o->R[i]) : n_neg(g, o->R[i]));
}

// the logarithm.
// u = d - k/2 (s x d) + m s x (s x d), theta = k s: as in beam_discrete.c, with k and m by formulas
static void strain(hn_graph *g, const hn_frames_turn *o, hn_node x[6]) {
  for (int i = 0; i < 3; i++) {
    hn_node half = n_scale(g, 0.5, n_mul(g, o->k, o->e[i]));
    x[i] = n_add(g, n_sub(g, o->d[i], half), n_mul(g, o->m, o->se[i]));
    x[3 + i] = n_mul(g, o->k, o->s[i]);
  }
}

// its rate
static void strain_rate(hn_graph *g, const hn_frames_turn *o, hn_node x[6]) {
  hn_node M[9], sr[3], er[3], ser[3], cr = n_neg(g, n3_dot(g, o->s, o->rate + 3)), y[3];
  // s', from R and w
  turning(g, o, M);
  nm_mulv(g, sr, M, o->rate + 3);
  // (s x d)' = s' x d + s x d'
  n3_cross(g, er, sr, o->d);
  n3_cross(g, y, o->s, o->rate);
  n3_add(g, er, er, y);
  // (s x e)' likewise
  n3_cross(g, ser, sr, o->e);
  n3_cross(g, y, o->s, er);
  n3_add(g, ser, ser, y);
  // k' = k_c c', m' = m_c c'
  hn_node kr = n_mul(g, o->dk, cr), mr = n_mul(g, o->dm, cr);
  for (int i = 0; i < 3; i++) {
    hn_node half = n_scale(g, 0.5, n_add(g, n_mul(g, kr, o->e[i]), n_mul(g, o->k, er[i])));
    hn_node rest = n_add(g, n_mul(g, mr, o->se[i]), n_mul(g, o->m, ser[i]));
    x[i] = n_add(g, n_sub(g, o->rate[i], half), rest);
    x[3 + i] = n_add(g, n_mul(g, kr, o->s[i]), n_mul(g, o->k, sr[i]));
  }
}

// forces g along the strain as a wrench in the axes of a
static void wrench(hn_graph *g, const hn_frames_turn *o, const hn_node force[6], hn_node w[6]) {
  const hn_node *p = force, *q = force + 3;
  hn_node t[3], ws[3], M[9], half = n_scale(g, -0.5, o->k), y[3];
  n3_cross(g, t, p, o->s);
  n3_copy(w, p);
  // forces along s by the product rule of u and theta
  n3_scale(g, y, half, t);
  n3_add(g, w, w, y);
  add_cross(g, w, o->m, t, o->s);
  n3_scale(g, ws, o->k, q);
  add_cross(g, ws, half, o->d, p);
  add_cross(g, ws, o->m, o->d, t);
  add_cross(g, ws, o->m, o->e, p);
  // along c
  hn_node wc = n_sub(g, n3_dot(g, o->s, q), n_scale(g, 0.5, n3_dot(g, p, o->e)));
  wc = n_add(g, n_mul(g, o->dk, wc), n_mul(g, o->dm, n3_dot(g, p, o->se)));
  turning(g, o, M);
  nm_tmulv(g, w + 3, M, ws);
  n3_scale(g, y, wc, o->s);
  n3_sub(g, w + 3, w + 3, y);
}

void hn_beam_formulas(hn_formulas *f, int count, const void *data) {
  const hn_beam_element *e = data;
  hn_graph *g = f->g;
  for (int i = 0; i < count; i++, e++) {
    hn_frames_turn o;
    hn_node x[6], rate[6], force[6], lossy[6], w[6];
    // places and rates of both frames from one look
    hn_frames_look(f, &e->frames, &o);
    strain(g, &o, x);
    for (int k = 0; k < 6; k++) x[k] = n_sub(g, x[k], n_constant(g, e->free[k]));
    hn_formulas_mul6(g, force, e->K, x);
    for (int k = 0; k < 6; k++) hn_formulas_potential(f, n_scale(g, 0.5, n_mul(g, force[k], x[k])));
    if (e->damping > 0) {
      hn_node power = n_constant(g, 0);
      strain_rate(g, &o, rate);
      hn_formulas_mul6(g, lossy, e->K, rate);
      for (int k = 0; k < 6; k++) {
        lossy[k] = n_scale(g, e->damping, lossy[k]);
        force[k] = n_add(g, force[k], lossy[k]);
        power = n_sub(g, power, n_mul(g, lossy[k], rate[k]));
      }
      hn_formulas_power(f, power);
    }
    wrench(g, &o, force, w);
    for (int k = 0; k < 6; k++) hn_formulas_apply(f, n_neg(g, w[k]), o.rate[k]);
  }
}
