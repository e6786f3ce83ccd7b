// reaction.h: what a state says of bodies and joints: poses, forces and torques.
#ifndef HN_REACTION_H
#define HN_REACTION_H

#include "system/system.h"

// x and y only: a body of the plane
static inline bool hn_flat(const hn_sys_body *b) {
  return b->kind == HN_PLANAR || b->kind == HN_PLANAR_POINT;
}
// a body of the plane whose own frame lies in its centre of mass: there is nothing to compute
static inline bool hn_centred(const hn_sys_body *b) {
  const double *com = b->info->com;
  return hn_flat(b) && com[0] == 0 && com[1] == 0 && com[2] == 0;
}
// a joint whose force lies in the plane
bool hn_joint_is_flat(const hn_system *sys, const hn_sys_joint *joint);
// where a body's centre of mass is, and its rotation
void hn_body_centre(const hn_work *work, int body, double p[3]);
void hn_body_place(const hn_work *work, int body, double p[3], double R[9]);
// a wrench about the centre of mass, world axes, as a force on the body's velocities; returns nv
int hn_wrench_to_body(const hn_sys_body *body, const double R[9], const double F[3],
                      const double T[3], double *f);
// rows that couple joint coordinates (gears) act on more than two bodies, see transmission.h
static inline bool hn_joint_is_placed(const hn_sys_joint *joint) {
  return joint->a.body != joint->b.body;
}

// reaction of a joint that has rows, at the state last evaluated
void hn_reaction_of_rows(const hn_work *work, int joint, const double *lambda, hn_reaction *out);
// the same from the wrench it puts on a body (b, or a: on_a), about the body's centre of mass
void hn_reaction_of_wrench(const hn_work *work, int joint, bool on_a, const double F[3],
                           const double T[3], hn_reaction *out);
// the reactions that are reported at a state
typedef struct hn_told {
  const hn_work *work;  // where rows were evaluated: the run's own, after hn_eval_reactions, or one
                        // that has all rows of the model
  const double *lambda;  // their multipliers
  // found already, without what they are along the joints' axes: per joint, those between two
  // bodies, as long as `work` has the stamp `found_at`; NULL: none
  const hn_reaction *found;
  unsigned long found_at;
} hn_told;
// of any joint
void hn_reaction_of(const hn_told *told, int joint, hn_reaction *out);
// the same in two parts: without, and then with what it is along the joint's axes
void hn_reaction_on_body(const hn_told *told, int joint, hn_reaction *out);
void hn_reaction_along_axes(const hn_work *work, int joint, hn_reaction *reaction);

// acceleration.c, reference coordinates: of a body's own frame, world axes, and of a measure, given
// the rates a of all velocities
void hn_body_acceleration(const hn_system *sys, int body, const double *q, const double *v,
                          const double *a, double linear[3], double angular[3]);
double hn_measure_acceleration(const hn_work *work, int measure, const double *a);
// pose of a body's user frame from body coordinates
void hn_user_pose(const hn_system *sys, int body, const double *q, const double *v, hn_pose *pose);
// index of a joint handle in the compiled system, -1 when there is none
int hn_system_joint(const hn_system *sys, hn_joint joint);

#endif
