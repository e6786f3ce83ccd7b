// impacts.c: what velocities become where gaps close with a rate below zero.
//
// An impact takes no time: positions stay, velocities change by impulses p >= 0 along the gaps that
// touch, and by what the lasting rows answer (A of contact.c says both). How much comes back is
// said by the restitution e of every gap and by one of three laws, the option impact_law:
//
//   newton     A p + r + e min(r, 0) >= 0, p >= 0, one of them zero in every gap: rates after are
//              -e times those before where an impulse acts
//   poisson    impulses of an expansion follow those of the compression, e times as large
//   sequence   one gap after the other, as if it were alone, the most violent first: so touching
//              balls behave as if there were air between them
//
// Sources stand in contact.c. The three agree where one gap closes by itself. Friction on stops has
// its own problem, over cones (stick.c), where Newton's law may bring energy, which is refused.
// What comes after, which rows stay and which part, is contact.c's.
#include "sim/contact.h"

#include <string.h>

enum { STRIKES = 200 };

// The work is that of the impulses on what moves: l times the mean of the rates before and after,
// less the rows' own motion Phi_t. Multipliers of lasting rows (c->l, as hn_contact_respond leaves
// them) do work as well where drivers push back.
double hn_contact_strike(hn_sim *sim, int n, bool damped, const double *impulse) {
  const hn_system *sys = sim->sys;
  struct hn_contacts *c = sim->contacts;
  const hn_work *w = &sim->stage.work;
  double *v = sim->state.y + sys->nq, work = 0, driven = 0;
  memset(c->l, 0, (size_t)sys->rows * sizeof(double));
  for (int i = 0; i < n; i++) c->l[hn_contact_row(sim, c->pick[i])] = impulse[i];
  hn_contact_respond(sim, damped, c->x, c->l);
  for (int i = 0; i < n; i++) {
    c->l[hn_contact_row(sim, c->pick[i])] = impulse[i];
    c->impulse[c->pick[i]] += impulse[i];
  }
  hn_jacobian_mul(w, c->x, sim->room.r);
  for (int i = 0; i < sys->rows; i++) {
    work += c->l[i] * (w->psi[i] + 0.5 * sim->room.r[i]);
    driven -= c->l[i] * w->phi_t[i];
  }
  for (int i = 0; i < sys->rows; i++) w->psi[i] += sim->room.r[i];
  for (int i = 0; i < sys->nv; i++) v[i] += c->x[i];
  sim->state.y[sim->state.w] += work + driven;
  for (int i = 0; i < c->count; i++) c->rate[i] = w->psi[hn_contact_row(sim, i)];
  return work;
}

static double restitution(const hn_sim *sim, int i) {
  return sim->sys->unilateral[i].restitution;
}

// all gaps that touch at once: no rate after is less than -e times the one before. The sum goes
// where contact.c keeps accelerations, which are not known yet
static hn_status newton(hn_sim *sim, int n, bool damped) {
  struct hn_contacts *c = sim->contacts;
  for (int i = 0; i < n; i++) {
    int k = c->pick[i];
    c->acceleration[k] = c->rate[k] + restitution(sim, k) * fmin(c->rate[k], 0);
  }
  hn_contact_pose(sim, n, NULL, c->acceleration);
  if (!hn_lcp_solve(&c->lcp, n, HN_CONTACT_CLEAN)) return hn_contact_contradict(sim);
  hn_contact_strike(sim, n, damped, c->lcp.x);
  return HN_OK;
}

// Compression until nothing approaches; then e times each of its impulses; then again what that has
// driven together, as an expansion here may close a gap there
static hn_status poisson(hn_sim *sim, int n, bool damped) {
  struct hn_contacts *c = sim->contacts;
  hn_contact_pose(sim, n, NULL, c->rate);
  if (!hn_lcp_solve(&c->lcp, n, HN_CONTACT_CLEAN)) return hn_contact_contradict(sim);
  hn_contact_strike(sim, n, damped, c->lcp.x);
  for (int i = 0; i < n; i++) c->lcp.x[i] *= restitution(sim, c->pick[i]);
  hn_contact_strike(sim, n, damped, c->lcp.x);
  hn_contact_pose(sim, n, NULL, c->rate);
  if (!hn_lcp_solve(&c->lcp, n, HN_CONTACT_CLEAN)) return hn_contact_contradict(sim);
  hn_contact_strike(sim, n, damped, c->lcp.x);
  return HN_OK;
}

// the most violent of the n approaches, by the energy it takes to stop it; -1: there is none
static int fastest(const hn_sim *sim, int n) {
  const struct hn_contacts *c = sim->contacts;
  double most = 0;
  int best = -1;
  for (int i = 0; i < n; i++) {
    double r = c->rate[c->pick[i]], own = c->A[i * n + i];
    if (r < -hn_contact_slow(sim, c->pick[i]) && own > 0 && r * r / own > most)
      most = r * r / own, best = i;
  }
  return best;
}

// Every strike stops one gap and may close its neighbours. With restitutions of one this need not
// end: what is left after many strikes is stopped all at once
static hn_status sequence(hn_sim *sim, int n, bool damped) {
  struct hn_contacts *c = sim->contacts;
  for (int strikes = 0; strikes < STRIKES; strikes++) {
    int i = fastest(sim, n);
    if (i < 0) return HN_OK;
    memset(c->lcp.x, 0, (size_t)n * sizeof(double));
    c->lcp.x[i] = -(1 + restitution(sim, c->pick[i])) * c->rate[c->pick[i]] / c->A[i * n + i];
    hn_contact_strike(sim, n, damped, c->lcp.x);
  }
  return newton(sim, n, damped);
}

hn_status hn_impact_all(hn_sim *sim, int n) {
  if (hn_stick_impacts(sim)) return hn_stick_strike(sim, n);
  bool damped = hn_contact_couple(sim, n);
  if (strcmp(sim->opt.impact_law, "poisson") == 0) return poisson(sim, n, damped);
  if (strcmp(sim->opt.impact_law, "sequence") == 0) return sequence(sim, n, damped);
  return newton(sim, n, damped);
}

// ---- what is told of them -------------------------------------------------------------------

// more than there is room for are counted only
void hn_contact_log(hn_sim *sim, int i, double time, double after) {
  struct hn_contacts *c = sim->contacts;
  if (c->impacts < HN_MOST_IMPACTS)
    c->log[c->impacts] = (hn_impact){.row = hn_contact_row(sim, i),
                                     .time = time,
                                     .before = c->before[i],
                                     .after = after,
                                     .impulse = c->impulse[i],
                                     .until = c->until[i]};
  c->impacts++;
}

// of rows that touched without being struck nothing is told
void hn_impact_note(hn_sim *sim, int n) {
  struct hn_contacts *c = sim->contacts;
  for (int i = 0; i < n; i++) {
    int k = c->pick[i];
    if (!(c->impulse[k] > 0) && !(c->before[k] < -hn_contact_slow(sim, k))) continue;
    hn_contact_log(sim, k, sim->state.t, c->rate[k]);
  }
}

int hn_sim_impact_count(const hn_sim *sim) {
  return sim->contacts ? (int)sim->contacts->impacts : 0;
}

bool hn_sim_impact(const hn_sim *sim, int index, hn_impact *impact) {
  const struct hn_contacts *c = sim->contacts;
  if (!c || index < 0 || index >= c->impacts || index >= HN_MOST_IMPACTS) return false;
  *impact = c->log[index];
  return true;
}
