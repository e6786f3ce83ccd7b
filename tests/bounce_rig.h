// bounce_rig.h: a mass that falls on a one-sided spring and damper, as a model and in closed form
// piece by piece.
#ifndef HN_BOUNCE_RIG_H
#define HN_BOUNCE_RIG_H

#include "sim/sim.h"
#include "test.h"

static const double g = 9.81;

// ---- the bouncing mass in closed form ------------------------------------------------------

// depth u behind the stop; in contact u'' = g - k u - c u', otherwise u'' = g
typedef struct bounce {
  double k, c;
  double t, u, v;  // start of the present piece
  bool contact;
  int events;  // changes of sign of u and of the force, while the mass is behind the stop
} bounce;

static void piece(const bounce *b, double dt, double *u, double *v) {
  if (!b->contact) {
    *u = b->u + dt * (b->v + 0.5 * g * dt);
    *v = b->v + g * dt;
    return;
  }
  double a = 0.5 * b->c, w = sqrt(b->k - a * a), rest = g / b->k, decay = exp(-a * dt);
  double A = b->u - rest, B = (b->v + a * A) / w, cs = cos(w * dt), sn = sin(w * dt);
  *u = rest + decay * (A * cs + B * sn);
  *v = decay * ((w * B - a * A) * cs - (w * A + a * B) * sn);
}

static double push(const bounce *b, double dt) {
  double u, v;
  piece(b, dt, &u, &v);
  return b->k * u + b->c * v;
}

// length of the present piece
static double piece_length(const bounce *b) {
  // a free piece ends where the mass comes down on the stop
  if (!b->contact) return (-b->v + sqrt(b->v * b->v - 2 * g * b->u)) / g;
  // contact ends where the force vanishes; a mass that has lost its energy stays
  double low = 1e-6, high = low;
  while (push(b, high) > 0) {
    low = high, high += 1e-3;
    if (high > 0.5) return INFINITY;
  }
  for (int i = 0; i < 200; i++) {
    double middle = 0.5 * (low + high);
    if (push(b, middle) > 0)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// goes to the piece that holds time t; instants (may be NULL) receives the switching times
static void bounce_to(bounce *b, double t, double *instants) {
  for (;;) {
    double length = piece_length(b), u, v;
    if (b->t + length > t) return;
    piece(b, length, &u, &v);
    bool was_contact = b->contact, damped = b->c > 0;
    b->t += length, b->u = was_contact ? u : 0, b->v = v;
    b->contact = !was_contact;
    if (instants) instants[b->events] = b->t;
    b->events++;
    // a damped stop lets go before the mass has left it
    if (was_contact && damped) {
      double leave = (-v - sqrt(v * v - 2 * g * u)) / g;
      if (b->t + leave > t) return;
      if (instants) instants[b->events] = b->t + leave;
      b->events++;
    }
  }
}

static void exact(double k, double c, double t, double *u, double *v, int *events) {
  bounce b = {.k = k, .c = c, .u = -0.5};
  bounce_to(&b, t, NULL);
  piece(&b, t - b.t, u, v);
  if (events) *events = b.events;
}

// ---- the same as a model -------------------------------------------------------------------

typedef struct rig {
  hn_model *model;
  hn_system *system;
  hn_sim *sim;
  hn_options options;
} rig;

static rig rig_create(const char *integrator) {
  rig r = {.model = hn_model_create(), .options = hn_options_default()};
  hn_model_set_gravity(r.model, 0, -g, 0);
  snprintf(r.options.integrator, sizeof r.options.integrator, "%s", integrator);
  return r;
}

static hn_body add_mass(rig *r, const char *name, double x, double y) {
  return hn_add_body(
      r->model,
      &(hn_body_def){.name = name, .kind = HN_PLANAR_POINT, .mass = 1, .position = {x, y, 0}});
}

static void add_force(rig *r, hn_force_def def) {
  if (!CHECK(hn_add_force(r->model, &def).id > 0)) printf("  %s\n", hn_model_error(r->model));
}

static bool rig_start(rig *r) {
  char message[300] = "";
  if (CHECK(hn_compile(&r->system, r->model) == HN_OK) &&
      CHECK(hn_sim_create(&r->sim, r->system, &r->options, message, sizeof message) == HN_OK))
    return true;
  printf("  %s%s\n", hn_model_error(r->model), message);
  return false;
}

static void rig_destroy(rig *r) {
  hn_sim_destroy(r->sim);
  hn_system_destroy(r->system);
  hn_model_destroy(r->model);
}

static long rig_events(const rig *r) {
  hn_summary s;
  hn_sim_summary(r->sim, &s);
  return s.events;
}

// falls half a metre, then meets the stop
static rig bouncer(const char *integrator, double k, double c) {
  rig r = rig_create(integrator);
  hn_body b = add_mass(&r, "mass", 0, 0);
  add_force(&r, (hn_force_def){.name = "stop",
                               .type = "bump-stop",
                               .b = {.body = b},
                               .axis = {0, -1, 0},
                               .gap = 0.5,
                               .stiffness = k,
                               .damping = c});
  return r;
}

static double bouncer_error(const hn_sim *sim, double k, double c) {
  double u, v;
  exact(k, c, sim->state.t, &u, &v, NULL);
  return hypot(-sim->state.y[1] - 0.5 - u, (-sim->state.y[3] - v) / 20);
}

#endif
