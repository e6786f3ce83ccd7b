// nearby.h: dependencies that stay and those of a place; joints that are out of line.
#ifndef HN_NEARBY_H
#define HN_NEARBY_H

#include "compile/dependency.h"

// joints that repeat others may miss them by so much [rad, or part of the model's length]:
// the gap is shared. More is refused, unless it is so much that it must be meant
#define HN_GAP_LIMIT 1e-6
// as a part of a row's natural size: what is more than a gap, and meant
#define HN_MEANT 1e-4

// the greatest rank found at states a little beside q0, at the time last evaluated, with tolerance
// there->tolerance; `active` says which rows hold at q0. there->rank is -1 when the mechanism
// cannot be moved; else q (nq) becomes the state it belongs to. false when out of memory
bool hn_rank_nearby(hn_work *work, hn_elimination *e, const double *q0, const bool *active,
                    hn_rank *there, double *q);

// by how much each row stays open where the joints last evaluated are closed, and for rows left
// out, by how much more it opens while the mechanism moves by one radian or its own length
bool hn_find_gaps(hn_work *work, hn_elimination *e, const bool *active, double *gap);

#endif
