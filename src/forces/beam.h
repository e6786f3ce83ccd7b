// beam.h: the data of a beam element, shared by its force (beam.c), its stiffness
// (beam_section.c), its discrete derivative over a step (beam_discrete.c) and its formulas
// (beam_formulas.c).
#ifndef HN_BEAM_H
#define HN_BEAM_H

#include "forces/frames.h"

typedef struct hn_beam_element {
  hn_frames frames;
  double free[6];         // x where it is relaxed
  double K[36];           // over x
  double damping;         // [s] dampers are this times K
  const double *section;  // 36 numbers
  double fibres[4];       // Young's modulus, reach along y and z, radius; 0: stresses are not told
  bool flat;              // both nodes are planar
  bool as_assembled;      // relaxed so
} hn_beam_element;

// x = (L(theta) d, theta), the logarithm of a pose
void hn_beam_log(const double d[3], const double theta[3], double x[6]);
// beam_section.c: K over x of an element that is relaxed at x0, from that of its section; false:
// that is not positive definite
bool hn_beam_stiffness(const double section[36], const double x0[6], double K[36]);
// the section's wrench at the middle of an element, from its forces g along x
void hn_beam_middle(const double x[6], const double g[6], double wrench[6]);
// and how much the section is strained by it
void hn_beam_strain(const double section[36], const double wrench[6], double strain[6]);

// beam_mass.c: kinetic energy of an element with masses M of its sections at both ends beyond that
// of halves at its nodes, over inner frames of both bodies (system/spread.c)
void hn_beam_mass(const hn_frames *frames, double length, const double *const M[2], double G[64]);

// for the ops table
void hn_beam_pair(const void *data, int body[2]);
void hn_beam_between(const void *data, hn_between *step);
void hn_beam_formulas(hn_formulas *f, int count, const void *data);

#endif
