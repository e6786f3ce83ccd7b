// profile.h: what the section of a beam amounts to.
#ifndef HN_PROFILE_H
#define HN_PROFILE_H

#include "model/fields.h"

// area and second moments, x along the beam; factors are what of the area takes shear
typedef struct hn_section_values {
  double area, inertia_y, inertia_z, torsion, shear_y, shear_z;
} hn_section_values;

// of a profile with Poisson's ratio
hn_section_values hn_profile_values(const hn_profile *profile, double poisson);
// how far it reaches from its centre along y and z (or, round ones, all around: the third); zeros
// where that is not known
void hn_profile_reach(const hn_profile *profile, double reach[3]);
// between two profiles of one kind, part of the way from a to b
hn_profile hn_profile_between(const hn_profile *a, const hn_profile *b, double part);

#endif
