// assemble.h: the parts of assembly; private to src/compile.
#ifndef HN_ASSEMBLE_H
#define HN_ASSEMBLE_H

#include "model/model.h"
#include "system/build.h"

// ---- align.c: rows of directions as angles --------------------------------------------------

int hn_alignment_rows(const hn_alignment *alignment);
// [rad] by which its axes are off at the positions last evaluated
double hn_alignment_angle(const hn_alignment *alignment, const hn_work *work);
// puts the angles in the place of all rows of directions: phi, and with `jacobian` their J
void hn_align_rows(hn_work *work, bool jacobian);
// the largest of these angles and the first row it belongs to; `only_sided`: of axes that can
// meet the wrong way round
double hn_align_widest(const hn_work *work, bool only_sided, int *row);

// ---- holds: what must stay as described ------------------------------------------------------

// an extra row of the system that is assembled: a coordinate of a body or of a joint
typedef struct hn_hold_row {
  bool position, velocity;  // where it takes part
  double value, rate;
  int body, axis;  // of the body, or
  int joint;       // of the joint (the other is -1)
  int group;       // rows of that joint
  int start;       // number of a condition of the start, from 1; 0: it is none
} hn_hold_row;
typedef struct hn_holds {
  int count, capacity;
  hn_hold_row *row;
} hn_holds;
// does the model hold, or give rates of, anything that needs rows?
bool hn_holds_wanted(const hn_model *model);
// adds them to the system being built; user is the hn_holds to fill
void hn_hold_rows(hn_builder *builder, void *user);

// ---- closing.c: Newton's iteration -----------------------------------------------------------

typedef struct hn_closer {
  const hn_system *sys;  // with the held rows
  hn_work work;
  hn_saddle saddle;
  double *weight, *heavy, *D, *step, *l, *trial, *scale;
  double *begin, *closed;  // q before and after the iteration
  double gap;              // by which joints that repeat others miss them, relative; 0: they fit
  bool *fixed;             // per velocity: it must not change
  bool *out;               // per row: it takes no part
  bool *spare;             // per row
  bool turning;
} hn_closer;
void hn_closer_layout(hn_closer *closer, hn_arena *arena, const hn_system *sys);
// J x = rhs in the sense of least weighted change, x in closer->step
void hn_closer_solve(hn_closer *closer, const double *rhs, double damping);
// largest entry of x over the rows that take part, as a length or a speed, and its row
double hn_closer_worst(const hn_closer *closer, const double *x, int *row);
// moves q until all rows that take part are met. On failure *left is what stays, as a length, in
// row *worst
hn_status hn_close_positions(hn_closer *closer, double *q, const double *v, double *left,
                             int *worst);

// ---- velocities.c ----------------------------------------------------------------------------

// v of the assembled state q: as described, rates as given, what the joints demand
hn_status hn_start_velocities(hn_closer *closer, hn_system *sys, hn_model *model,
                              const hn_holds *holds, const double *q, double *v);
// velocities as described, for bodies that stand as q says
void hn_described_velocities(const hn_system *sys, const hn_model *model, const double *q,
                             double *v);

// ---- report.c: what assembly found and changed ----------------------------------------------

// gaps of all joints at the positions last evaluated
void hn_report_gaps(hn_system *sys, const hn_work *work);
// what was moved, from the described q to sys->q0, and what velocities were changed from v
hn_status hn_report_changes(hn_system *sys, const hn_model *model, const double *q,
                            const double *v);
// sentences about all that; `starts` is the number of the start that led there
hn_status hn_report_sentences(hn_system *sys, const hn_model *model, int starts);
// adds one sentence to sys->check; false when out of memory
__attribute__((format(printf, 2, 3))) bool hn_report_note(hn_system *sys, const char *format, ...);

#endif
