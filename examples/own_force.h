// own_force.h: a force of our own: two points attract each other with the force k / d^2, where k is
// the key `stiffness`. Its potential is -k / d.
#ifndef OWN_FORCE_H
#define OWN_FORCE_H

#include <holon/extend.h>

typedef struct attraction {
  double k;
  int distance;  // a measure
} attraction;

static inline void own_force_eval(const hn_system *system, hn_work *work, int count,
                                  const void *data) {
  const attraction *e = (const attraction *)data;
  for (int i = 0; i < count; i++, e++) {
    double d, rate;
    hn_work_measure(work, e->distance, &d, &rate);
    hn_apply_measure(system, work, e->distance, -e->k / (d * d));
    hn_work_add(work, -e->k / d, 0);
  }
}

static inline void own_force_tangent(const hn_system *system, hn_work *work, int count,
                                     const void *data, hn_tangent *out) {
  const attraction *e = (const attraction *)data;
  for (int i = 0; i < count; i++, e++) {
    double d, rate;
    hn_work_measure(work, e->distance, &d, &rate);
    hn_tangent_measure(system, work, e->distance, -e->k / (d * d), 2 * e->k / (d * d * d), 0, out);
  }
}

static inline const char *own_force_column(const void *data, int k, const char **unit) {
  (void)data;
  *unit = "N";
  return k == 0 ? "force" : NULL;
}

static inline double own_force_read(const hn_system *system, const hn_work *work, const void *data,
                                    int k) {
  const attraction *e = (const attraction *)data;
  double d, rate;
  (void)system, (void)k;
  hn_work_measure(work, e->distance, &d, &rate);
  return e->k / (d * d);
}

// for steppers that keep the energy
static inline hn_line own_force_line(const void *data) {
  const attraction *e = (const attraction *)data;
  return (hn_line){.measure = e->distance, .sign = -1, .sees = -1};
}
static inline hn_tension own_force_tension(const hn_system *system, const hn_work *work,
                                           const void *data) {
  const attraction *e = (const attraction *)data;
  double d, rate;
  (void)system;
  hn_work_measure(work, e->distance, &d, &rate);
  return (hn_tension){
      .force = e->k / (d * d), .energy = -e->k / d, .by_value = -2 * e->k / (d * d * d)};
}

static const hn_force_ops own_force_ops = {
    .name = "attraction",
    .data_size = sizeof(attraction),
    .eval = own_force_eval,
    .tangent = own_force_tangent,
    .column = own_force_column,
    .read = own_force_read,
    .line = own_force_line,
    .tension = own_force_tension,
};

static inline hn_status own_force_build(hn_builder *builder, const hn_force_def *def) {
  attraction e = {.k = def->stiffness};
  e.distance = hn_build_distance(builder, hn_mount_a(builder), hn_mount_b(builder));
  hn_build_force(builder, &own_force_ops, &e);
  return hn_build_status(builder);
}

static const hn_force_type own_force = {
    .info = {.name = "attraction",
             .help = "the points `at` of a and `at_b` of b attract each other, `stiffness` / d^2",
             .keys = "at at_b stiffness",
             .required = "stiffness"},
    .build = own_force_build,
};

#endif
