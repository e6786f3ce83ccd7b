// transmission.h: forces of gears, racks and other couplings of joint coordinates as vectors.
//
// A transmission is one row, lambda (c_a q_a + c_b q_b) over the coordinates of two joints: taken
// by itself it puts a couple (a force) between the bodies of either joint. Where both joints have
// one body in common, the carrier, and the coordinates are those of wheels (or a rack) whose pitch
// surfaces touch, the same row is a force between the teeth, and the bearings carry the rest:
//
//   parallel axes      the pitch point divides the distance of the axes by the ratio
//   axes that meet     on the common line of the pitch cones, level with the wheels
//   rack and pinion    at the radius, where pinion and rack move alike
//
// Along the axes, teeth are level with the centres of mass of the wheels. The force is tangential,
// and flanks with a pressure angle push the wheels apart by its tangent times that, across the
// line on which the pitch surfaces touch: through both axes, so that the motion does not notice.
//
// With J the rows and J' the same with those of teeth in their place, J' = T J: reactions are
// reported for J', and the motion does not notice.
#ifndef HN_TRANSMISSION_H
#define HN_TRANSMISSION_H

#include "system/build.h"
#include "system/reaction.h"

enum { HN_TEETH = 18 };  // numbers of a row of teeth: three bodies

// the row just built is over the coordinates of two joints; first_is_a as below
void hn_build_coupler(hn_builder *builder, bool first_is_a);
// the row just built couples coordinates of these joints with the coefficients c_a, c_b: finds
// where the teeth meet, if they do. first_is_a: the first term of the row is of joint_a
void hn_build_transmission(hn_builder *builder, const hn_joint_def *def, double c_a, double c_b,
                           bool first_is_a);

// How teeth slide on each other, as a sum over the coordinates of joint_a and joint_b, and what
// presses them. Where they meet in a pitch point: `radius` times the rate at which the wheels turn
// against each other, radius being how far from that point they touch on average. Otherwise a worm
// of pitch radius radius_a and its wheel of `radius`, on axes across each other: along the thread.
// false: radius_a is missing, or does not belong there
typedef struct hn_tooth_slide {
  int measure[2];
  double coefficient[2];
  double by_torque;  // [1/m] normal force per torque on the wheel of joint_b; 0: it is the force
} hn_tooth_slide;
bool hn_tooth_slip(const hn_system *sys, int joint, double radius, double radius_a,
                   hn_tooth_slide *out);

// normal force per multiplier of its row, while that pushes
double hn_tooth_force(const hn_system *sys, int joint, double by_torque);

// rows of J' for all meshes, HN_TEETH each, at the Jacobian last evaluated; lambda of J
void hn_teeth_rows(const hn_work *work, const double *lambda, double *teeth);
// exchanges them with those in work->J
void hn_teeth_swap(hn_work *work, double *teeth);
// lambda for J becomes lambda for J' (way -1: back); rows not `given` (NULL: all are) are left
// alone. teeth are those of J', and work->J is J
void hn_teeth_convert(const hn_work *work, const double *teeth, const bool *given, double way,
                      double *lambda);

// what a transmission does, as forces of one body on another
typedef struct hn_action {
  int from, on;                          // bodies
  double force[3], torque[3], point[3];  // world; the torque is about the point
} hn_action;
// how many there are: 1 between teeth, 2 where the joints are coupled otherwise
int hn_actions_of(const hn_told *told, int joint, hn_action out[2]);
// the same as the reaction of a joint: what comes to the wheel (or the bodies) of joint_b
void hn_transmitted(const hn_told *told, int joint, hn_reaction *out);

#endif
