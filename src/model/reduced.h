// reduced.h: a body of finite elements by the motion of a few interfaces and a few modes.
//
// The velocities of its material, in axes of its frame, are z combined by shapes,
//
//   z = (nu, y),  nu = (V_0, W_0, V_1, W_1 ..., modal rates),  y_k = p_k W_0
//
// V_i, W_i being velocity and angular velocity of the interfaces, the first of which is the frame;
// p are displacements and rotations of the others seen from the frame, then the modes. Its kinetic
// energy is z.G z / 2. See reduce.c for the shapes.
//
// It never changes once it is made; models and systems share it.
#ifndef HN_REDUCED_H
#define HN_REDUCED_H

#include "model/finite_elements.h"

typedef struct hn_reduced {
  int users;  // who release it; counted by atomic operations
  int interfaces, modes;
  int n;      // 6 interfaces + modes: as many as there are numbers in nu; p has 6 fewer
  int size;   // of G: n + 3 (n - 6)
  int stiff;  // 6 (interfaces - 1): p up to here has the stiffness K, modes their frequencies
  double mass, moment[3];  // first moment of the undeformed body about the frame
  double *place;           // of the interfaces, from the first, undeformed
  double *frequency;       // [rad/s] of the modes, ascending
  double *K;               // stiff x stiff
  double *S;               // 3 x (n - 6): how the first moment changes with p
  double *G;               // size x size
} hn_reduced;

// an interface: nodes that move as one rigid piece about the place
typedef struct hn_piece {
  int count, *node;  // indices
  double place[3];
} hn_piece;

// NULL and a message when it is refused
hn_reduced *hn_reduce(const hn_finite_elements *elements, const hn_piece *piece, int pieces,
                      int modes, char message[HN_MESSAGE]);
hn_reduced *hn_reduced_share(hn_reduced *reduced);
void hn_reduced_release(hn_reduced *reduced);  // NULL: nothing happens

#endif
