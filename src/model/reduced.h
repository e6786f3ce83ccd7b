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

// Triangles to look at; corner i lies at place + sum_k p_k shape_ik from the frame, in its axes.
// `shape` has three numbers for every p of every corner
typedef struct hn_drawn {
  int corners, triangles, shapes;
  double *place, *shape;
  int (*triangle)[3];
} hn_drawn;

// drawn.c; shapes of the deformation over all freedoms, and where the frame is
hn_status hn_drawn_make(hn_drawn *out, const hn_finite_elements *elements, const double *shape,
                        int shapes, const double origin[3]);
void hn_drawn_free(hn_drawn *drawn);
// the corners for a deformation p
void hn_drawn_at(const hn_drawn *drawn, const double *p, double (*corner)[3]);

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
  // with geometric stiffening (stiffen.c), else NULL; matrices over p, (n - 6) x (n - 6) each:
  double *second;  // 12: first moment (3), angular momentum (3), centrifugal (6) of what is inside
  double *fold;    // one for every p: the stiffness is that of p_i + p.fold_i p / 2
  hn_drawn drawn;
} hn_reduced;

// an interface: nodes that move as one rigid piece about the place
typedef struct hn_piece {
  int count, *node;  // indices
  double place[3];
} hn_piece;

// NULL and a message when it is refused
hn_reduced *hn_reduce(const hn_finite_elements *elements, const hn_piece *piece, int pieces,
                      int modes, bool stiffening, char message[HN_MESSAGE]);
hn_reduced *hn_reduced_share(hn_reduced *reduced);
void hn_reduced_release(hn_reduced *reduced);  // NULL: nothing happens

#endif
