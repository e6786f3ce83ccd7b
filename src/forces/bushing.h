// bushing.h: the data of a bushing, shared by its force (bushing.c) and its discrete derivative
// over a step (bushing_discrete.c).
#ifndef HN_BUSHING_H
#define HN_BUSHING_H

#include "forces/frames.h"

typedef struct hn_bushing {
  hn_frames frames;
  double K[36], C[36];  // 6 x 6, row by row, over (d, theta) and (d', w), axes of the frame on a
  double preload[6];    // force and torque on b where it is relaxed
  bool damped;
  bool place_as_assembled, turn_as_assembled;  // where it is relaxed
} hn_bushing;

// for the ops table
void hn_bushing_pair(const void *data, int body[2]);
void hn_bushing_between(const void *data, hn_between *step);

#endif
