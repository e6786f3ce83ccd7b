// scan.h: what the prescribed motions do between recorded rows.
//
// A motion is a formula of t. Bounds of its second derivative over ranges of time (interval
// arithmetic, expr.h) tell where something happens that rows would miss, however narrow it is; a
// range is halved until it is smooth and nothing changes much inside. Where a decision of the
// formula stays open down to round-off there is a break: the values on either side say whether the
// motion jumps, its rate (a kink: the acceleration is infinite for an instant), or neither.
#ifndef HN_SCAN_H
#define HN_SCAN_H

#include "sim/sim.h"

typedef struct hn_scan {
  double *time;  // instants to look at beside the rows, ascending
  int count, capacity;
  bool complete;  // false: a formula is too ragged to be looked through
  hn_kink *kink;  // all of them, in order of time, known
  double width;   // to within some of these
  int kinks, kink_capacity;
  double *bend;  // where the acceleration jumps and the rate does not, in order of time
  int bends, bend_capacity;
} hn_scan;

// all motions of the system from t0 over `rows` intervals up to t1. False: out of memory
bool hn_scan_motions(hn_scan *scan, const hn_system *sys, double t0, double t1, double interval,
                     int rows);
// the same for kinks alone, which takes far less: `time` tells nothing of what lies between them
bool hn_scan_breaks(hn_scan *scan, const hn_system *sys, double t0, double t1);
// how many kinks there are, and the first of them
hn_kinks hn_scan_kinks(const hn_scan *scan);
void hn_scan_release(hn_scan *scan);
// fails with the words that this jump cannot be followed
hn_status hn_scan_refuse(hn_sim *sim, const hn_kink *kink);

#endif
