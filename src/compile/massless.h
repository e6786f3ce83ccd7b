// massless.h: bodies without mass, or without inertia about some axis.
#ifndef HN_MASSLESS_H
#define HN_MASSLESS_H

#include "compile/compile.h"

// the first `bodies` bodies of a system: where some coordinate has no inertia, the mass matrix
// becomes a list (sys->mass_entries), and sys->mass the sizes of such coordinates
hn_status hn_list_massless(hn_system *sys, int bodies);
// does this velocity of a body have no inertia?
bool hn_is_massless(const hn_system *sys, int v);
// at the assembled state: refuses what would move without inertia; angular_v must be marked
hn_status hn_check_massless(hn_system *sys, hn_model *model);

#endif
