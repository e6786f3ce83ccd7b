// shapes.c: see shapes.h.
#include "analysis/shapes.h"

#include <stdio.h>

// one for every velocity of the bodies, one for every joint coordinate
int hn_shape_size(const hn_system *sys) {
  int count = sys->nv;
  for (int i = 0; i < sys->joints; i++) count += sys->joint[i].coordinates;
  return count;
}

// Shapes are velocities: what bodies and joints do with them is what they would do with a motion of
// 1 m/s, rad/s. Users see their own body frames, not the inner ones at the centre of mass.
int hn_shape_columns(hn_sim *sim, const double *v, hn_result *names, const char *suffix, int first,
                     double *row) {
  static const char *const flat_names[] = {"x", "y", "angle"};
  static const char *const space_names[] = {"x", "y", "z", "rx", "ry", "rz"};
  const hn_system *sys = sim->sys;
  hn_work *w = &sim->stage.work;
  char text[160];
  int c = first;
  hn_eval_jacobian(w, sim->state.t, sim->state.y, v);
  hn_eval_measures(w);
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    bool flat = b->kind == HN_PLANAR || b->kind == HN_PLANAR_POINT;
    hn_pose pose;
    hn_user_pose(sys, i, w->q, w->v, &pose);
    double space[6] = {pose.velocity[0],         pose.velocity[1],
                       pose.velocity[2],         pose.angular_velocity[0],
                       pose.angular_velocity[1], pose.angular_velocity[2]};
    double plane[3] = {space[0], space[1], space[5]};
    for (int k = 0; k < b->nv; k++, c++) {
      bool angle = flat ? k == 2 : k > 2;
      snprintf(text, sizeof text, "%s.%s%s", b->info->name, flat ? flat_names[k] : space_names[k],
               suffix);
      if (names && hn_result_set_column(names, c, text, angle ? "rad" : "m")) return -1;
      if (row) row[c] = flat ? plane[k] : space[k];
    }
  }
  for (int i = 0; i < sys->joints; i++)
    for (int k = 0; k < sys->joint[i].coordinates; k++, c++) {
      const hn_coordinate *coordinate = &sys->joint[i].coordinate[k];
      snprintf(text, sizeof text, "%s.%s%s", sys->joint[i].name, coordinate->name, suffix);
      if (names && hn_result_set_column(names, c, text, coordinate->angular ? "rad" : "m"))
        return -1;
      if (row) row[c] = w->mval[coordinate->measure].rate;
    }
  return c;
}
