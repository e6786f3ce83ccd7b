// order.h: in which order a symmetric pattern is eliminated so that little fills in.
#ifndef HN_ORDER_H
#define HN_ORDER_H

#include <stdbool.h>

// the neighbours of i are other[start[i]] ... other[start[i + 1] - 1], both directions, i itself
// may be among them; order lists who goes first. false: out of memory
bool hn_order_least_fill(int n, const int *start, const int *other, int *order);

#endif
