// follow.h: a mechanism whose drivers leave nothing free, moved through time.
#ifndef HN_FOLLOW_H
#define HN_FOLLOW_H

#include "analysis/manifold.h"

// Kinematics and inverse dynamics differ in what they do with an instant, not in how it is reached:
// both hand a function to hn_follow.
// called at every instant looked at, which is a row to be recorded or not; y = [q, v, work],
// sim->stage.a and work.lambda belong to it
typedef hn_status (*hn_visit_fn)(hn_manifold *m, void *user, double t, double *y, bool row);

// from the time of the sim over options.duration, every output_step, of which each is looked at in
// so many `parts`; the sim is at the end then. info may be NULL
hn_status hn_follow(hn_sim *sim, int parts, hn_kinematics_info *info, hn_visit_fn visit,
                    void *user);

// acceleration.c: a result with the columns of a run and the accelerations of bodies and joint
// coordinates (NULL when out of memory), and a row of it from the state last evaluated
hn_result *hn_accelerated_result(const hn_sim *sim, int rows);
hn_status hn_accelerated_row(hn_sim *sim, hn_result *result, double t, const double *y);

// seconds between recorded rows, and how many follow the first
double hn_output_interval(const hn_options *options, int *rows);

#endif
