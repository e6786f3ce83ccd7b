// columns.h: the quantities that are recorded.
#ifndef HN_COLUMNS_H
#define HN_COLUMNS_H

#include "model/model.h"
#include "system/reaction.h"

typedef enum hn_column_kind {
  HN_COL_TIME,
  HN_COL_POSITION,      // body, axis
  HN_COL_ANGLE,         // planar body
  HN_COL_QUATERNION,    // body, component
  HN_COL_VELOCITY,      // body, axis
  HN_COL_SPIN,          // body, axis (world)
  HN_COL_SCALAR,        // coordinate of a block
  HN_COL_SCALAR_RATE,   // its rate
  HN_COL_COORDINATE,    // joint, coordinate
  HN_COL_RATE,          // joint, coordinate
  HN_COL_FORCE,         // joint, axis (world)
  HN_COL_TORQUE,        // joint, axis (world)
  HN_COL_LOCAL_FORCE,   // joint, joint axis
  HN_COL_LOCAL_TORQUE,  // joint, joint axis
  HN_COL_ACTION,        // transmission: 9 numbers each of up to two actions
  HN_COL_MULTIPLIER,    // row
  HN_COL_ELEMENT,       // force element: batch, element; sub = k-th value
  HN_COL_SIGNAL,        // signal of the model
  HN_COL_KINETIC,
  HN_COL_POTENTIAL,
  HN_COL_WORK,
  HN_COL_TOTAL,
  HN_COL_BALANCE,
  HN_COL_JOINT_POWER,  // of all constraint forces
  HN_COL_JOINT_WORK,
  HN_COL_PHI,  // largest violation
  HN_COL_PSI,
  // only when asked for by name
  HN_COL_ACCELERATION,        // body: of its origin (3), angular (3), world
  HN_COL_EULER,               // body: roll, pitch, yaw
  HN_COL_LOCAL_SPIN,          // body, axis (its own)
  HN_COL_FRAME,               // point of a body: place (3), velocity (3), world
  HN_COL_FRAME_ACCELERATION,  // point of a body, axis (world)
  HN_COL_FRAME_SPIN,          // frame of a body, axis (its own)
  HN_COL_JOINT_ACCELERATION,  // joint, coordinate
  HN_COL_POWER_OF_JOINT,      // joint: of its reactions
  HN_COL_DISSIPATION,         // force element: what it takes out of the motion and does not store
  HN_COL_POWER,               // force element: what it brings into the motion
  HN_COL_PHI_SQUARED,         // sum of squares over all rows
  HN_COL_PSI_SQUARED,
  HN_COL_COMPUTED,  // formula of the columns before it (computed.h)
} hn_column_kind;

// Most columns are numbers that an evaluation leaves somewhere: where it is, told by the array or
// struct, and the place in it in bytes. Of others something is computed
typedef enum hn_column_stands {
  HN_STANDS_NOWHERE,
  HN_STANDS_IN_Q,          // of the bodies
  HN_STANDS_IN_V,          // of the bodies
  HN_STANDS_IN_MEASURES,   // hn_mval
  HN_STANDS_IN_REACTIONS,  // hn_reaction, if they were found before
  HN_STANDS_IN_WORK,       // hn_work itself
  HN_STANDS_IN_ENERGY,     // hn_energy
  HN_STANDS_IN_INSTANT,    // hn_instant
  HN_STANDS
} hn_column_stands;

typedef struct hn_column {
  char *name;
  const char *unit;
  hn_column_kind kind;
  // element: index of the body, joint, row, signal, ... that the kind is about; sub: which number
  // of it
  int element;
  short sub;
  unsigned char stands;  // hn_column_stands
  int batch;             // place where it stands; of forces; which one of sys->column_frame
} hn_column;

// stands.c: fills `stands` and its place, where there is one
void hn_column_find(const hn_system *sys, hn_column *column);
// all columns of the system that match the model's output patterns (none given: all)
hn_status hn_columns_create(hn_system *sys, hn_model *model);
void hn_columns_destroy(hn_system *sys);
// all there is to say about one instant
typedef struct hn_instant {
  hn_work *work;  // evaluated, measures too
  const hn_told *told;
  const hn_energy *energy;
  double joint_power, joint_work;  // of all constraint forces
  const double *a;                 // accelerations of the body velocities
  double *forces;                  // scratch, bv
  const double *integrals;         // per computed column; NULL: there are none
} hn_instant;
void hn_columns_read(const hn_instant *now, double *row);

#endif
