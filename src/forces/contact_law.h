// contact_law.h: force of a contact from how deep the bodies are in each other. One row a law, in
// contact_law.c; docs/contact.md has sources and ranges.
#ifndef HN_CONTACT_LAW_H
#define HN_CONTACT_LAW_H

#include "code/formulas.h"
#include "system/build.h"

typedef struct hn_contact_law {
  const char *name;
  // d in F = f (1 + d rate / speed), by the restitution; NULL: the law has no such damping
  double (*factor)(double restitution);
  bool divides;  // d is infinite where nothing bounces back
  bool dashpot;  // F = f + c rate
  const char *source;
} hn_contact_law;

// the k-th of the table, NULL behind the last; by name, NULL when there is none
const hn_contact_law *hn_contact_law_at(int k);
const hn_contact_law *hn_contact_law_find(const char *name);

// a law with its numbers
typedef struct hn_pressing {
  const hn_contact_law *law;
  double stiffness, exponent;  // f = stiffness depth^exponent
  double play;  // > 0: f = stiffness depth sqrt(depth / (2 (play + depth))), a cylinder in a bore
  double damping;  // of a dashpot
  double factor;   // d
  double slowest;  // impacts slower than this count as this fast
} hn_pressing;

typedef struct hn_pressed {
  double force, elastic, energy;  // all of it; the part with a potential, and that
  double by_depth, by_rate;
  double tension;  // positive where the formula pushes
} hn_pressed;

// speed: at which the contact began
hn_pressed hn_press(const hn_pressing *p, double depth, double rate, double speed);
// the same in formulas
typedef struct hn_pressed_formulas {
  hn_node force, elastic, energy, tension;
} hn_pressed_formulas;
hn_pressed_formulas hn_press_formulas(hn_formulas *f, const hn_pressing *p, hn_node depth,
                                      hn_node rate, hn_node speed);
static inline bool hn_press_damped(const hn_pressing *p) {
  return p->factor > 0 || p->damping > 0;
}

// from the keys law, stiffness, exponent, damping, restitution, young, poisson, impact_speed.
// radius: of the ball, and of what it touches (0: plane, below zero: hollow; NAN: neither, and no
// stiffness follows from the material). length > 0: of a cylinder in a bore
bool hn_pressing_build(hn_pressing *p, hn_builder *builder, const hn_force_def *def, double radius,
                       double other, double length);

#endif
