// servo.h: motions that given forces bring about (program constraints).
#ifndef HN_SERVO_H
#define HN_SERVO_H

#include "analysis/actuator.h"

// Two cases look alike in a model and differ in their mathematics. Where drivers determine the
// motion by geometry, efforts follow from the accelerations (actuator.c). Where bodies are left
// free, the program determines them only through the forces that act: servo.c solves for motion and
// efforts together.
// drivers with `by`: their rows prescribe, their actuators act
typedef struct hn_servo {
  int count;
  int *row;               // of the constraints
  hn_actuator *actuator;  // which acts for each
  bool *skip;             // per row of the system: prescribed so, and carries nothing itself
} hn_servo;

hn_status hn_servo_create(hn_servo **out, hn_sim *sim);  // count 0 when there are none
void hn_servo_destroy(hn_servo *servo);

// called at every recorded instant: sim->stage.a, work.lambda (0 in the servo's rows) and efforts
// beyond the actuators' laws belong to y = [q, v, work]
typedef hn_status (*hn_servo_visit)(hn_sim *sim, void *user, double t, const double *y,
                                    const double *effort);
// motions that geometry does not determine: from rest over options.duration with `parts` steps
// between recorded rows
hn_status hn_servo_run(hn_manifold *m, const hn_servo *servo, int parts, hn_servo_visit visit,
                       void *user);

#endif
