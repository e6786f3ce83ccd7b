// lone_joint.h: the rows of one joint by themselves, and what they leave free on its bodies.
#ifndef HN_LONE_JOINT_H
#define HN_LONE_JOINT_H

#include "system/system.h"

enum { HN_LONE_LARGEST = 24 };  // velocities of its bodies, and rows

// Fixed sizes, for four bodies in space; groups that are larger are left out. It is some 10 KB,
// meant for the stack.
typedef struct hn_lone_joint {
  int n, rows, rank;            // velocities of its bodies in all
  int offset[HN_LONE_LARGEST];  // of each body among them
  // at the state, and along the motion; rows x n
  double J[HN_LONE_LARGEST * HN_LONE_LARGEST], J1[HN_LONE_LARGEST * HN_LONE_LARGEST];
  double root[HN_LONE_LARGEST], size[HN_LONE_LARGEST];  // of masses; what makes a row one long
  double Vt[HN_LONE_LARGEST * HN_LONE_LARGEST];         // its last n - rank rows: what is free
} hn_lone_joint;

// from J and its rate as they lie in work spaces, and roots of the masses; false: too large
bool hn_lone_joint_gather(const hn_system *sys, const hn_group *group, const double *J,
                          const double *J1, const double *root, hn_lone_joint *o);
// rank and Vt; false: out of memory
bool hn_lone_joint_free(hn_lone_joint *o);
// out = X N, rows x (n - rank), in units of the rows and the masses
void hn_lone_joint_along(const hn_lone_joint *o, const double *X, double *out);

#endif
