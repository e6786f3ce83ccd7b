// vector.h: a vector given by three expressions, in world axes or in those of a body; shared by
// the applied force and the applied torque.
#ifndef HN_VECTOR_H
#define HN_VECTOR_H

#include "system/pair.h"

// Constant vectors are expressions as well, of no inputs, which cost next to nothing. Which axes
// the components are along is decided once, where it is built
typedef struct hn_vector {
  int expression[3];
  int a, b;        // acts on b, reaction on a
  bool body_axes;  // components along the axes of b: those of its frame, when that has some, else
  double axes[9];  // those the user described it in; columns in its inner frame
} hn_vector;

// compile the components, `what` names them in messages ("force x"); both bodies get a 3-D state
void hn_vector_build(hn_vector *vector, hn_builder *builder, const hn_force_def *def,
                     const char *const what[3]);
// the vector in world axes
void hn_vector_eval(const hn_vector *vector, const hn_system *sys, const hn_work *work,
                    double world[3]);
// world direction of component k
void hn_vector_axis(const hn_vector *vector, const hn_system *sys, const hn_work *work, int k,
                    double axis[3]);
// the same as formulas
void hn_vector_formulas(hn_formulas *f, const hn_vector *vector, hn_node world[3]);

#endif
