// frames_formulas.h: two frames (frames.h) in formulas, for code written per model.
//
// In the reduced quantities d, s, c of frames_discrete.c, whose rates are
//
//   d' = y_d,   s' = (tr R - R) w / 2,   c' = -s . w,   R = A^T B,   w = y_w
#ifndef HN_FRAMES_FORMULAS_H
#define HN_FRAMES_FORMULAS_H

#include "code/formulas.h"
#include "forces/frames.h"

typedef struct hn_frames_turn {
  hn_node d[3], s[3], c, R[9], rate[6];
  hn_node e[3], se[3];   // s x d, s x (s x d)
  hn_node k, m, dk, dm;  // hn_turn_factors: the first two and their derivatives by c
} hn_frames_turn;

// how the frames stand, and how fast that changes
void hn_frames_look(hn_formulas *f, const hn_frames *at, hn_frames_turn *out);
// y = M x
void hn_formulas_mul6(hn_graph *g, hn_node y[6], const double M[36], const hn_node x[6]);

#endif
