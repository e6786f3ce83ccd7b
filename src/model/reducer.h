// reducer.h: a reduction at work, for the files it is spread over: reduce.c, stiffen.c.
#ifndef HN_REDUCER_H
#define HN_REDUCER_H

#include "linalg/sparse.h"
#include "model/reduced.h"

typedef struct hn_reducer {
  const hn_finite_elements *e;
  const hn_piece *piece;
  int pieces, modes;
  bool stiffening;
  int all;       // freedoms of the elements
  int inner;     // those inside
  int *at;       // per freedom: its number inside, -1: it belongs to an interface
  int *of;       // per freedom inside: which it is
  hn_sparse *K;  // K_II
  double *C;     // shapes, one after the other: size x all
  double *work;  // 2 x all
  hn_reduced *out;
  char *message;
} hn_reducer;

// fills `second` and `fold` of the reduced body
hn_status hn_stiffen(const hn_reducer *reducer);

#endif
