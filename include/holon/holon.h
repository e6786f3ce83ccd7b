// holon.h: the whole public interface of holon, by parts.
//
// holon simulates constrained mechanical systems: bodies, joints with closed loops, forces.
// Data goes one way:
//
//   hn_model   what you describe: bodies, joints, forces, names       (model.h, options.h)
//   hn_system  the compiled equations, immutable, shared by threads   (system.h)
//   hn_sim     one run: state, step, reactions, energies, audit       (sim.h)
//   hn_result  recorded columns with names and units                  (result.h)
//   hn_report  one page that shows a run                              (report.h)
//
// Other questions than motion (equilibrium, modes, driver efforts) are in analysis.h. Many runs are
// in study.h, types added from outside in extend.h: programs that want them include them.
//
// Conventions: SI units and radians; right-handed axes; quaternions scalar first, body to world;
// matrices row by row. In every definition struct zero means "default", so a compound literal
// names only what matters. Functions that can fail return hn_status; the sentence that explains
// the failure sits in the object (hn_model_error, hn_sim_error). The library never prints, never
// exits, and allocates nothing while stepping.
//
// Threads: objects have nothing in common but what they were made from. A system may be run by any
// number of threads, each with its own sim. A sim may be asked by several threads at once, as long
// as none moves it: steps, runs, states and inputs set, analyses and the end need it for
// themselves.
#ifndef HOLON_H
#define HOLON_H

#include <holon/analysis.h>
#include <holon/model.h>
#include <holon/options.h>
#include <holon/report.h>
#include <holon/result.h>
#include <holon/sim.h>
#include <holon/status.h>
#include <holon/system.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HN_VERSION_MAJOR 0
#define HN_VERSION_MINOR 1
#define HN_VERSION_PATCH 0

HN_API const char *hn_version(void);  // "0.1.0"

#ifdef __cplusplus
}
#endif
#endif
