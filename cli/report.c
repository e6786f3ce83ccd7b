// report.c: the outcome of a run, for people and as JSON.
#include "run.h"

#include <math.h>
#include <string.h>

// ---- for people ----------------------------------------------------------------------------

// preset, then its parts: a stepper that stands alone has no others
static void print_method(const hn_summary *s) {
  const char *const part[] = {s->solver, s->correction, s->integrator};
  const char *separator = ": ";
  char text[400];
  size_t used = (size_t)snprintf(text, sizeof text, "%.60s", s->method);
  for (int i = 0; i < 3; i++)
    if (part[i] && *part[i]) {
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%.60s", separator, part[i]);
      separator = " + ";
    }
  if (s->choice) snprintf(text + used, sizeof text - used, " (%.100s)", s->choice);
  printf("  method      ");
  // 14: where the second column of the summary begins
  print_wrapped(stdout, 14, text);
  printf("  coordinates %s\n", s->coordinates);
  // the usual code is not worth a line
  if (strcmp(s->code, "library") != 0) printf("  code        %s\n", s->code);
}

// what became of the description before the first step
static void print_start(const hn_check *check) {
  for (int i = 0; i < check->note_count; i++) {
    fputs("  start       ", stdout);
    print_wrapped(stdout, 14, check->note[i]);
  }
}

static void print_work(const hn_summary *s) {
  // of the run alone: what it was compared with to verify it counts apart, as a share
  printf("  simulated   %.6g s in %.3g s", s->time, s->wall);
  double ratio = s->wall > 0 ? s->time / s->wall : 0;
  // three digits, but no point where there are as many in front of it
  if (ratio > 0) printf(ratio < 100 ? ", %.3g times real time" : ", %.0f times real time", ratio);
  printf("\n  work        %ld steps, %ld rejected, %ld evaluations\n", s->steps, s->rejected,
         s->evaluations);
  if (s->events > 0)
    printf("  events      %ld instant%s located where a force switches or a gap closes or opens\n",
           s->events, plural((int)s->events));
  // only partitioning ever changes them
  if (s->switches > 0)
    printf("  switches    %ld change%s of the independent coordinates\n", s->switches,
           plural((int)s->switches));
  if (s->regularised > 0)
    printf("  singular    %ld evaluations met dependent rows and were solved through\n",
           s->regularised);
}

// how far the motion may be off; `how` names what was compared, or why nothing could be
static void print_motion(const hn_motion_error *e) {
  char text[560], share[40] = "", states[60] = "";
  if (e->share > 0) snprintf(share, sizeof share, ", %.3g %% of the work", 100 * e->share);
  if (e->relative_state > 0)
    snprintf(states, sizeof states, ", states to %.2g of their range", e->relative_state);
  // unknown errors are told by the reason alone
  if (e->known)
    snprintf(text, sizeof text,
             "positions are right to %.2g m and %.2g rad, velocities to %.2g m/s and %.2g rad/s%s "
             "(%s%s)",
             e->position, e->angle, e->velocity, e->spin, states, e->how, share);
  else
    snprintf(text, sizeof text, "%s%s", e->how, share);
  printf("  accuracy    ");
  print_wrapped(stdout, 14, text);
}

void print_beams(const hn_beam_error *e) {
  // beams were not asked about
  char text[480], share[60] = "";
  if (!e->known && !e->how[0]) return;
  if (e->share > 0) snprintf(share, sizeof share, ", %.3g times the work of the run", e->share);
  if (e->known)
    snprintf(text, sizeof text,
             "their number of elements puts positions off by %.2g m and %.2g rad, velocities by "
             "%.2g m/s and %.2g rad/s, forces by %.2g N and %.2g N m (%s%s)",
             e->position, e->angle, e->velocity, e->spin, e->force, e->torque, e->how, share);
  else
    snprintf(text, sizeof text, "%s%s", e->how, share);
  printf("  beams       ");
  print_wrapped(stdout, 14, text);
}

// names of the keys are part of the interface: programs read them
void put_beams(json *j, const hn_beam_error *e) {
  if (!e->known && !e->how[0]) return;
  json_open(j, "beam_error", '{');
  json_flag(j, "known", e->known);
  json_string(j, "how", e->how);
  json_number(j, "share", e->share);
  if (e->known) {
    json_number(j, "position", e->position);
    json_number(j, "angle", e->angle);
    json_number(j, "velocity", e->velocity);
    json_number(j, "spin", e->spin);
    json_number(j, "force", e->force);
    json_number(j, "torque", e->torque);
    json_number(j, "relative_position", e->relative[0]);
    json_number(j, "relative_velocity", e->relative[1]);
    json_number(j, "relative_force", e->relative[2]);
  }
  json_close(j);
}

// parameters that conditions of the model gave their values
static void print_solved(const hn_model *model) {
  const char *name;
  double value;
  for (int i = 0; hn_model_solved(model, i, &name, &value); i++)
    printf("  %-12s%s = %.12g\n", i ? "" : "solved", name, value);
}

// a source that did nothing is not worth a line
static bool counts(const outcome *o, int source, double most) {
  // 1e-12 of the largest source is rounding
  return fabs(hn_ledger_work(o->sim, source)) > 1e-12 * most;
}

// what every source of energy brought in, and what all of them together lack of the work
static double ledger_most(const outcome *o, double *sum) {
  double most = 0;
  *sum = 0;
  for (int i = 0; i < hn_ledger_count(o->sim); i++) {
    most = fmax(most, fabs(hn_ledger_work(o->sim, i)));
    *sum += hn_ledger_work(o->sim, i);
  }
  return most;
}

static void print_ledger(const outcome *o) {
  hn_energy e;
  double sum, most = ledger_most(o, &sum);
  // without the option there is no ledger
  if (!hn_ledger_count(o->sim) || hn_sim_energy(o->sim, &e)) return;
  printf("  work by     ");
  for (int i = 0, n = 0; i < hn_ledger_count(o->sim); i++)
    // sources that did nothing are left out of the lines, not of the sum
    if (counts(o, i, most))
      printf("%s%-20s %14.6g J\n", n++ ? "              " : "", hn_ledger_source(o->sim, i),
             hn_ledger_work(o->sim, i));
  // `apart` is what the books lack: rounding, or a fault
  printf("%s%-20s %14.6g J, by the sources %.3g J apart\n", most > 0 ? "              " : "", "all",
         e.work, fabs(e.work - sum));
}

// joints that came, went or broke on the way
static void print_changes(const hn_sim *sim) {
  enum { SHOWN = 8 };
  int count = hn_sim_change_count(sim);
  if (!count) return;
  printf("  joints      %d change%s on the way:\n", count, plural(count));
  hn_change c;
  // the first ones; the page and JSON have all
  for (int i = 0; i < SHOWN && hn_sim_change(sim, i, &c); i++) {
    char text[320], work[60] = "", redundant[60] = "";
    // an impulse that takes energy has negative work
    if (c.work != 0) snprintf(work, sizeof work, ", an impulse takes %.4g J", -c.work);
    if (c.redundant > 0)
      snprintf(redundant, sizeof redundant, ", %d redundant row%s in it", c.redundant,
               plural(c.redundant));
    snprintf(text, sizeof text, "t = %.6g s: '%.100s' %s%s; %d degree%s of freedom%s", c.time,
             c.joint, c.how, work, c.freedom, plural(c.freedom), redundant);
    printf("              ");
    print_wrapped(stdout, 14, text);
  }
  if (count > SHOWN) printf("              and %d more\n", count - SHOWN);
}

// drivers whose rate jumped on the way
static void print_corners(const hn_sim *sim) {
  enum { SHOWN = 3 };
  hn_corner c;
  int count = 0;
  for (; hn_sim_corner(sim, count, &c); count++) {
    char text[320];
    // counted on to the end, shown up to here
    if (count >= SHOWN) continue;
    snprintf(text, sizeof text,
             "t = %.6g s: the rate of '%.100s' jumps by %.6g %s; impulses bring in %.4g J", c.time,
             c.driver, c.jump, c.angular ? "rad/s" : "m/s", c.work);
    printf("  %-12s", count ? "" : "corners");
    print_wrapped(stdout, 14, text);
  }
  if (count > SHOWN) printf("              and %d more (--json lists them)\n", count - SHOWN);
}

// where rows became dependent on the way
static void print_singular(const hn_sim *sim) {
  enum { SHOWN = 3 };
  int count = hn_sim_singular_count(sim);
  if (!count) return;
  printf("  singular    %d configuration%s on the way:\n", count, plural(count));
  for (int i = 0; i < count && i < SHOWN; i++) {
    const hn_singular_place *p = hn_sim_singular(sim, i);
    char text[320];
    snprintf(text, sizeof text, "t = %.6g s, %s: joints %s", p->time,
             p->passed ? "passed" : "THE MOTION JUMPS", p->joints);
    printf("              ");
    print_wrapped(stdout, 16, text);
  }
  if (count > SHOWN) printf("              and %d more (--json lists them)\n", count - SHOWN);
}

static void print_events(const outcome *o) {
  enum { SHOWN = 5 };
  int event;
  double t;
  // -1: of all events together
  long count = hn_sim_event_count(o->sim, -1);
  for (int i = 0; i < SHOWN && hn_sim_event(o->sim, i, &event, &t); i++)
    printf("  %-12s%s at t = %.9g s\n", i ? "" : "noted", hn_event_name(o->system, event), t);
  if (count > SHOWN) printf("              and %ld more (--json lists them)\n", count - SHOWN);
  if (hn_sim_ended(o->sim))
    printf("  ended       by event '%s', t = %.9g of %.6g s\n", hn_sim_ended(o->sim),
           o->summary.time, o->duration);
}

static void print_audit(const hn_summary *s) {
  enum { COLUMNS = 7, MOST = sizeof s->audit / sizeof *s->audit };
  const char *cells[(MOST + 1) * COLUMNS] = {"audit",  "worst", "limit", "unit",
                                             "at [s]", "where", ""};
  // texts have to live until the table is printed
  char worst[MOST][CELL], limit[MOST][CELL], time[MOST][CELL];
  for (int i = 0; i < s->audit_count; i++) {
    const hn_audit_item *item = &s->audit[i];
    const char **row = &cells[(i + 1) * COLUMNS];
    row[0] = item->name;
    // nothing is known is no number, and no failure
    row[1] = item->known ? short_text(worst[i], item->worst) : "-";
    row[2] = short_text(limit[i], item->limit);
    row[3] = item->unit;
    snprintf(time[i], CELL, "%.4g", item->time);
    row[4] = time[i];
    row[5] = item->where;
    row[6] = !item->known ? "not known" : item->pass ? "pass" : "FAIL";
  }
  putchar('\n');
  print_table(stdout, "lrrlrll", s->audit_count + 1, cells);
  putchar('\n');
}

static long rows_of(const outcome *o) {
  // rows that were let go of are in the file alone
  return o->streamed > 0 ? o->streamed : hn_result_rows(o->result);
}

static void print_result(const outcome *o) {
  if (o->written)
    printf("result: %s, %ld rows of %d columns\n", o->written, rows_of(o),
           hn_result_columns(o->result));
  // after a failure to write it has been said already
  else if (!o->unsaved && !o->report)
    printf("result: not written (add --out result.csv, or --html report.html to look at it)\n");
  if (o->report) printf("report: %s, opens in any browser\n", o->report);
}

void print_outcome(const outcome *o) {
  const hn_summary *s = &o->summary;
  // the start, which the check describes, and the run are told as one
  const hn_check *check = hn_system_check(o->system);
  printf("%s: %d bod%s, %d joint%s, %d force%s, ", hn_model_name(o->model), check->bodies,
         check->bodies == 1 ? "y" : "ies", check->joints, plural(check->joints), check->forces,
         plural(check->forces));
  if (check->blocks) printf("%d block%s, ", check->blocks, plural(check->blocks));
  printf("%d degree%s of freedom\n\n", check->dof, plural(check->dof));
  print_method(s);
  print_start(check);
  // parameters that were solved for stand with the start: they belong to the description
  print_solved(o->model);
  print_work(s);
  // reactions are of interest where they are shared
  if (check->redundant_count) {
    printf("  redundant   ");
    print_redundant(stdout, check, 14);
    printf("  reactions   ");
    print_wrapped(stdout, 14, s->reactions);
    if (*check->preload) printf("  preload     %s\n", check->preload);
  }
  if (*check->start) {
    printf("  start       ");
    print_wrapped(stdout, 14, check->start);
  }
  if (*check->gaps) {
    printf("  gap         ");
    print_wrapped(stdout, 14, check->gaps);
  }
  if (*s->tables) {
    printf("  tables      ");
    print_wrapped(stdout, 14, s->tables);
  }
  print_changes(o->sim);
  print_corners(o->sim);
  print_singular(o->sim);
  print_events(o);
  print_ledger(o);
  print_motion(&s->motion);
  print_beams(&s->beams);
  print_audit(s);
  print_result(o);
  // the last line of a run that nobody has to look into; others have theirs on stderr
  if (o->code == CODE_DONE) printf("done: the run finished and passed its audit\n");
}

static void print_kept(const outcome *o) {
  if (o->report) fprintf(stderr, "the report shows the motion up to there: %s\n", o->report);
  if (o->written)
    fprintf(stderr, "what was computed is kept: %s, %ld row%s\n", o->written, rows_of(o),
            plural((int)rows_of(o)));
}

// on stderr, whatever was printed: scripts see it without reading the summary
void print_verdict(const outcome *o) {
  if (o->status == HN_ERR_INTERRUPTED) {
    fprintf(stderr, "STOPPED at t = %.6g of %.6g s\n", o->summary.time, o->duration);
    print_kept(o);
  } else if (o->status) {
    fprintf(stderr, "FAILED: %s\n", o->message);
    print_kept(o);
  } else if (!o->summary.audit_pass) {
    // all that failed, not the first alone
    for (int i = 0; i < o->summary.audit_count; i++) {
      const hn_audit_item *item = &o->summary.audit[i];
      // items that are not known pass
      if (item->pass) continue;
      fprintf(stderr, "AUDIT FAILED: %s %.3g, limit %.3g\n", item->name, item->worst, item->limit);
    }
    // the motion is the usual reason, and the instant helps more than the number
    const hn_motion_error *e = &o->summary.motion;
    if (e->known && e->until < o->summary.time)
      fprintf(stderr,
              "the motion is known up to t = %.4g of %.4g s; beyond, errors have grown above the "
              "limit (audit_motion)\n",
              e->until, o->summary.time);
    fputs("(a smaller --rtol or --step may help, or a method with correction", stderr);
    fputs(o->summary.beams.known ? "; more 'elements' in beams)\n" : ")\n", stderr);
  }
}

// ---- JSON ----------------------------------------------------------------------------------

// items are named in words: 'position violation'
// 0 where the audit has no such item: a model without joints
static double worst_of(const hn_summary *s, const char *name) {
  for (int i = 0; i < s->audit_count; i++)
    if (strncmp(s->audit[i].name, name, strlen(name)) == 0) return s->audit[i].worst;
  return 0;
}

static void put_method(json *j, const hn_summary *s) {
  json_string(j, "method", s->method);
  if (s->choice) json_string(j, "choice", s->choice);
  json_string(j, "solver", s->solver);
  json_string(j, "correction", s->correction);
  json_string(j, "integrator", s->integrator);
  json_string(j, "coordinates", s->coordinates);
  json_string(j, "code", s->code);
}

static void put_work(json *j, const outcome *o) {
  const hn_summary *s = &o->summary;
  // asked for, and reached
  // they differ after a failure, a stop, and an event that ends the run
  json_number(j, "duration", o->duration);
  json_number(j, "t_end", s->time);
  json_integer(j, "steps", s->steps);
  json_integer(j, "rejected", s->rejected);
  json_integer(j, "evaluations", s->evaluations);
  json_integer(j, "factorisations", s->factorisations);
  json_integer(j, "regularised", s->regularised);
  json_integer(j, "events", s->events);
  json_integer(j, "switches", s->switches);
  json_number(j, "wall_s", s->wall);
}

static void put_singular(json *j, const hn_sim *sim) {
  // all that are kept; the count may be larger
  json_integer(j, "singular_count", hn_sim_singular_count(sim));
  json_open(j, "singular", '[');
  const hn_singular_place *p;
  for (int i = 0; (p = hn_sim_singular(sim, i)); i++) {
    json_open(j, NULL, '{');
    json_number(j, "time", p->time);
    json_number(j, "sigma", p->sigma);
    json_integer(j, "rows_lost", p->rows_lost);
    json_number(j, "jump", p->jump);
    json_number(j, "energy", p->energy);
    json_flag(j, "passed", p->passed);
    json_string(j, "joints", p->joints);
    json_close(j);
  }
  json_close(j);
}

static void put_events(json *j, const outcome *o) {
  int event;
  double t;
  json_integer(j, "occurrence_count", hn_sim_event_count(o->sim, -1));
  json_open(j, "occurrences", '[');
  for (int i = 0; hn_sim_event(o->sim, i, &event, &t); i++) {
    json_open(j, NULL, '{');
    json_string(j, "event", hn_event_name(o->system, event));
    json_number(j, "time", t);
    json_close(j);
  }
  json_close(j);
  if (hn_sim_ended(o->sim)) json_string(j, "ended_by", hn_sim_ended(o->sim));
}

// an empty object where there is nothing to solve for
static void put_solved(json *j, const hn_model *model) {
  const char *name;
  double value;
  json_open(j, "solved", '{');
  for (int i = 0; hn_model_solved(model, i, &name, &value); i++) json_number(j, name, value);
  json_close(j);
}

static void put_ledger(json *j, const outcome *o) {
  hn_energy e;
  double sum;
  if (!hn_ledger_count(o->sim) || hn_sim_energy(o->sim, &e)) return;
  (void)ledger_most(o, &sum);
  json_open(j, "ledger", '{');
  json_number(j, "work", e.work);
  json_number(j, "apart", e.work - sum);
  json_open(j, "sources", '[');
  for (int i = 0; i < hn_ledger_count(o->sim); i++) {
    // what did nothing is no source
    if (hn_ledger_work(o->sim, i) == 0) continue;
    json_open(j, NULL, '{');
    json_string(j, "source", hn_ledger_source(o->sim, i));
    json_number(j, "work", hn_ledger_work(o->sim, i));
    json_close(j);
  }
  json_close(j);
  json_close(j);
}

static void put_changes(json *j, const hn_sim *sim) {
  json_open(j, "changes", '[');
  hn_change c;
  for (int i = 0; hn_sim_change(sim, i, &c); i++) {
    json_open(j, NULL, '{');
    json_number(j, "time", c.time);
    json_string(j, "joint", c.joint);
    json_string(j, "how", c.how);
    json_integer(j, "dof", c.freedom);
    json_integer(j, "redundant", c.redundant);
    json_number(j, "work", c.work);
    json_close(j);
  }
  json_close(j);
}

static void put_corners(json *j, const hn_sim *sim) {
  json_open(j, "corners", '[');
  hn_corner c;
  for (int i = 0; hn_sim_corner(sim, i, &c); i++) {
    json_open(j, NULL, '{');
    json_number(j, "time", c.time);
    json_string(j, "driver", c.driver);
    json_number(j, "jump", c.jump);
    json_number(j, "work", c.work);
    json_close(j);
  }
  json_close(j);
}

// with known: false the numbers are left out, not zero: zero would be a claim
static void put_motion(json *j, const hn_motion_error *e) {
  json_open(j, "motion_error", '{');
  json_flag(j, "known", e->known);
  json_string(j, "how", e->how);
  json_number(j, "share", e->share);
  if (e->known) {
    json_number(j, "position", e->position);
    json_number(j, "angle", e->angle);
    json_number(j, "velocity", e->velocity);
    json_number(j, "spin", e->spin);
    json_number(j, "relative_position", e->relative_position);
    json_number(j, "relative_velocity", e->relative_velocity);
    json_number(j, "relative_state", e->relative_state);
    json_number(j, "until", e->until);
  }
  json_close(j);
}

static void put_audit(json *j, const hn_summary *s) {
  // the three that programs look for first, under names of their own
  json_number(j, "max_position_violation", worst_of(s, "position"));
  json_number(j, "max_velocity_violation", worst_of(s, "velocity"));
  json_number(j, "max_acceleration_residual", worst_of(s, "acceleration"));
  json_number(j, "energy_drift", s->energy_drift);
  json_string(j, "audit", s->audit_pass ? "pass" : "fail");
  json_open(j, "audit_items", '[');
  for (int i = 0; i < s->audit_count; i++) {
    const hn_audit_item *item = &s->audit[i];
    json_open(j, NULL, '{');
    json_string(j, "name", item->name);
    json_string(j, "unit", item->unit);
    json_number(j, "worst", item->worst);
    json_number(j, "limit", item->limit);
    json_number(j, "time", item->time);
    json_string(j, "where", item->where);
    json_flag(j, "known", item->known);
    json_flag(j, "pass", item->pass);
    json_close(j);
  }
  json_close(j);
  put_motion(j, &s->motion);
  put_beams(j, &s->beams);
}

static void put_result(json *j, const outcome *o) {
  // null and not "": a file that was not written has no name
  if (o->written)
    json_string(j, "result", o->written);
  else
    json_null(j, "result");
  if (o->report)
    json_string(j, "report", o->report);
  else
    json_null(j, "report");
  // counted also where no file was written
  json_integer(j, "rows", rows_of(o));
  json_integer(j, "columns", hn_result_columns(o->result));
}

void print_outcome_json(const outcome *o) {
  const hn_check *check = hn_system_check(o->system);
  // a result that cannot be saved is a failure, though the run was none
  bool failed = o->status || o->unsaved;
  json j = {0};
  json_open(&j, NULL, '{');
  json_string(&j, "model", hn_model_name(o->model));
  json_string(&j, "file", o->path);
  json_string(&j, "status",
              o->status == HN_ERR_INTERRUPTED ? "stopped"
              : failed                        ? "failed"
                                              : "done");
  json_string(&j, "message", failed ? o->message : "");
  json_integer(&j, "bodies", check->bodies);
  json_integer(&j, "joints", check->joints);
  json_integer(&j, "forces", check->forces);
  json_integer(&j, "blocks", check->blocks);
  json_integer(&j, "dof", check->dof);
  json_redundant(&j, check);
  json_names(&j, "undetermined", check->redundancy->undetermined_count,
             (const char *const *)check->redundancy->undetermined);
  json_start(&j, check);
  json_string(&j, "reactions", o->summary.reactions);
  json_string(&j, "preload", check->preload);
  json_integer(&j, "singular_rows", check->singular_rows);
  json_string(&j, "start", check->start);
  json_number(&j, "gap", check->gap);
  json_string(&j, "gaps", check->gaps);
  put_method(&j, &o->summary);
  put_work(&j, o);
  put_changes(&j, o->sim);
  put_corners(&j, o->sim);
  put_solved(&j, o->model);
  put_ledger(&j, o);
  put_singular(&j, o->sim);
  put_events(&j, o);
  json_string(&j, "tables", o->summary.tables);
  put_audit(&j, &o->summary);
  put_result(&j, o);
  json_close(&j);
}

// a model that could not be made has no name and no numbers
void print_refusal_json(const outcome *o) {
  json j = {0};
  json_open(&j, NULL, '{');
  json_string(&j, "file", o->path);
  json_string(&j, "status", "refused");
  json_string(&j, "message", o->message);
  json_close(&j);
}
