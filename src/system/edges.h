// edges.h: HN_M_EDGES, how far two edges that cross are apart, one of a solid on a, one of a solid
// on b; and how what touches there slips. Which two of them these are is held in m->pair.
#ifndef HN_EDGES_H
#define HN_EDGES_H

#include "system/measure.h"

// pair = 2 (edge of a * edges of b + edge of b), and one more where the normal is -u x w
typedef struct hn_crossing {
  double u[3], w[3], n[3];     // along the edges of a and b, and from a to b; world, of length one
  double ra[3], rb[3];         // from the centres of mass to where they are nearest to each other
  double gap, cosine;          // cosine = u.w
  double along[2], length[2];  // of that place on either edge, from its first corner; of the edges
} hn_crossing;

// false: no pair is held
bool hn_crossing_find(const hn_measure *m, const hn_kin *a, const hn_kin *b, hn_crossing *o);

void hn_eval_edges(hn_mval *o, const hn_measure *m, const hn_kin *a, const hn_kin *b, int level);
void hn_hessian_edges(const hn_measure *m, const hn_kin *a, const hn_kin *b, double block[4][36]);
// HN_M_SLIP of such a gap: along u, or along n x u
void hn_eval_edge_slip(hn_mval *o, const hn_measure *m, const hn_kin *a, const hn_kin *b,
                       int level);
void hn_hessian_edge_slip(const hn_measure *m, const hn_kin *a, const hn_kin *b,
                          double block[4][36]);
// Where two edges rub on each other is a point of either body, as long as they hold: its places in
// both; how far these have come apart along the tangent
void hn_edge_place(const hn_measure *m, const hn_kin *a, const hn_kin *b, double place[6]);
double hn_edge_slip_since(const hn_measure *m, const hn_kin *a, const hn_kin *b,
                          const double place[6]);

#endif
