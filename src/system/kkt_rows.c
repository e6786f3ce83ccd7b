// kkt_rows.c: which of many dependent rows are left out.
//
// The factorisation tells how much of a row is left when those before it are taken away. Rows with
// less than a limit are left out, which leaves more of the later ones, until nothing changes. The
// greatest limit at which as many rows go as must go gives the best pivots.
#include "system/kkt.h"

#include <string.h>

enum { PASSES = 30 };

// how many rows go at this limit; counting ends when they are too many.
// saddle.work[i] is how many times smaller than its natural size the pivot of row i is: times the
// limit it is compared with one. A row that goes gives those it depended on a better pivot, hence
// the passes.
static int leave_out(hn_kkt *kkt, const hn_work *work, double limit, int most, double *D) {
  int rows = work->sys->rows, count = 0;
  memset(D, 0, (size_t)rows * sizeof(double));
  for (int pass = 0; pass < PASSES && count <= most; pass++) {
    int before = count;
    hn_kkt_factor(kkt, work, HN_WEIGHT_MASS, D);
    for (int i = 0; i < rows; i++) {
      if (D[i] > 0 || kkt->saddle.work[i] * limit < 1) continue;
      D[i] = HN_LEFT_OUT;
      count++;
    }
    if (count == before) break;
  }
  return count;
}

bool hn_kkt_choose_rows(hn_kkt *kkt, const hn_work *work, int redundant, double *D) {
  if (work->sys->mass_entries) return false;
  bool found = false;
  kkt->saddle.lost = kkt->lost;  // nothing but round-off is left of some
  for (double limit = 1e-3; limit > 1e-14 && !found; limit *= 1e-2)
    found = leave_out(kkt, work, limit, redundant, D) == redundant;
  kkt->saddle.lost = NULL;
  if (found) hn_kkt_factor(kkt, work, HN_WEIGHT_MASS, D);
  return found;
}
