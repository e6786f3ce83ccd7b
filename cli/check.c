// check.c: holon check. What the joints of a model leave free, repeat, or contradict.
#include "common.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// people read angles in degrees
#define DEGREE 0.017453292519943295

static const char usage[] =
    "usage: holon check MODEL [OPTIONS]\n\n"
    "Assembles a model (- reads standard input) without running it and says what its joints do:\n"
    "degrees of freedom, redundant rows, and whether the initial state is consistent.\n\n"
    "  --set NAME=VALUE  change a parameter of the model (repeatable)\n"
    "  --json            print one JSON object; it lists every joint\n"
    "  -h, --help        this text\n\n"
    "Degrees of freedom are counted (velocities minus constraint rows) and found by rank: rows "
    "that\n"
    "repeat others take nothing away. Every row is measured against its natural size; what is "
    "less\n"
    "than the tolerance apart from the others counts as nothing, and the gap around it says how\n"
    "sure that is.\n\n"
    "Exit codes: 0 the model can be run, 2 wrong usage or model.\n\n"
    "  holon check bricard.yaml\n"
    "  holon generate n-four-bar --n 4 | holon check -\n";

typedef struct arguments {
  const char *model;
  // JSON alone goes to stdout then
  bool json;
  int set_count;
  setting *set;
} arguments;

// ---- for people ----------------------------------------------------------------------------

// joints that have something to say come first in long tables: a table of thousands helps nobody
enum { MOST_JOINTS = 40, COLUMNS = 7 };

// the first of the interesting ones, if there are more than the table holds
static void print_joints(const hn_check *check) {
  const char *cells[(MOST_JOINTS + 1) * COLUMNS] = {
      "joint", "type", "rows", "redundant", "undetermined", "gap [m]", "off [deg]"};
  // as long as the table itself: cells point here
  char text[MOST_JOINTS][5][CELL];
  int shown = 0;
  bool all = check->joint_count <= MOST_JOINTS;
  for (int i = 0; i < check->joint_count && shown < MOST_JOINTS; i++) {
    const hn_check_joint *joint = &check->joint[i];
    // 1e-9 m and rad are rounding of the description
    if (!all && !joint->redundant && !joint->undetermined && joint->gap < 1e-9 &&
        joint->gap_angle < 1e-9)
      continue;
    const char **row = &cells[(shown + 1) * COLUMNS];
    row[0] = joint->name;
    row[1] = joint->type;
    snprintf(text[shown][0], CELL, "%d", joint->rows);
    snprintf(text[shown][1], CELL, "%d", joint->redundant);
    row[2] = text[shown][0];
    row[3] = joint->redundant ? text[shown][1] : "-";
    snprintf(text[shown][2], CELL, "%d", joint->undetermined);
    row[4] = joint->undetermined ? text[shown][2] : "-";
    // short: a gap of 0.0012 m is said, not measured
    row[5] = short_text(text[shown][3], joint->gap);
    row[6] = short_text(text[shown][4], joint->gap_angle / DEGREE);
    shown++;
  }
  if (shown > 0) {
    print_table(stdout, "llrrrrr", shown + 1, cells);
    putchar('\n');
  }
  if (shown < check->joint_count)
    printf("  (%d joint%s not shown; --json lists all)\n\n", check->joint_count - shown,
           plural(check->joint_count - shown));
}

// "  rank                tolerance ...", in lines that a terminal has room for
__attribute__((format(printf, 2, 3))) static void print_fact(const char *label, const char *format,
                                                             ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  printf("  %-20s", label);
  print_wrapped(stdout, 22, text);
}

// in the order in which they are found: counts, rank, assembly
static void print_numbers(const hn_check *check) {
  char dropped[64] = "";
  print_fact("velocities", "%d", check->velocities);
  print_fact("constraint rows", "%d, of which %d are independent", check->rows, check->rank);
  print_fact("degrees of freedom", "%d, counted %d", check->dof, check->dof_counted);
  if (check->rank < check->rows)
    snprintf(dropped, sizeof dropped, ", largest dropped %.2g", check->largest_dropped);
  // without rows there is no rank to speak of
  if (check->rows)
    print_fact("rank", "tolerance %.2g, smallest kept %.2g%s", check->rank_tolerance,
               check->smallest_kept, dropped);
  print_fact("gaps", "%.2g m, %.2g deg before assembly, %.2g m, %.2g deg after",
             check->position_before, check->rotation_before / DEGREE, check->position_after,
             check->rotation_after / DEGREE);
  print_fact("velocity violation", "%.2g before assembly, %.2g after [m/s, rad/s]",
             check->velocity_before, check->velocity_after);
  print_fact("assembly moved", "bodies by %.2g m and %.2g deg at most", check->moved,
             check->turned / DEGREE);
  print_fact("coordinates", "%s", check->coordinates);
  if (check->rows) print_fact("reactions", "%s", check->reactions);
  if (*check->preload) print_fact("preload", "%s", check->preload);
  putchar('\n');
}

static void judge_freedom(const hn_check *check) {
  if (check->dof > 0)
    printf("The mechanism has %d degree%s of freedom.\n", check->dof, plural(check->dof));
  else
    printf("Nothing is free to move: joints and drivers determine every body.\n");
  // counted and found differ by what repeats others
  if (check->dof != check->dof_counted)
    printf("Counting rows alone would give %d: %d of them repeat%s what others impose.\n",
           check->dof_counted, check->dof - check->dof_counted,
           check->dof - check->dof_counted == 1 ? "s" : "");
}

// one line for each joint whose rows repeat others; the rest by number
static void print_dependencies(const hn_redundancy *r) {
  enum { SHOWN = 20 };
  printf("What is imposed more than once");
  if (r->group_count > 1) printf(", in %d independent groups", r->group_count);
  puts(":");
  for (int i = 0; i < r->dependency_count && i < SHOWN; i++) {
    fputs("  ", stdout);
    print_wrapped(stdout, 4, r->dependency[i].text);
  }
  if (r->dependency_count > SHOWN)
    printf("  and %d more (--json lists all)\n", r->dependency_count - SHOWN);
}

static void judge_redundancy(const hn_check *check) {
  const hn_redundancy *r = check->redundancy;
  // a start in a singular place: ranks are those beside it
  if (*check->start) {
    printf("The start is ");
    print_wrapped(stdout, 13, check->start);
  }
  if (!check->redundant_count) {
    if (check->rows) printf("No row is redundant: every reaction is determined.\n");
  } else {
    printf("Redundant: ");
    print_redundant(stdout, check, 11);
    if (r->dependency_count) print_dependencies(r);
    printf("The motion is not affected;\nreactions of joints that share a load are not unique.\n");
    if (r->undetermined_count) {
      printf("Undetermined: ");
      print_names(stdout, r->undetermined_count, (const char *const *)r->undetermined, 14);
    } else if (r->complete) {
      printf("No force or torque of a joint is touched by that.\n");
    }
  }
  // what does not fit cannot be a matter of a close call
  if (*check->gaps) {
    printf("Out of line: ");
    print_wrapped(stdout, 13, check->gaps);
    return;
  }
  // the rank is sure when nothing lies near the tolerance
  if (check->rows && (check->smallest_kept < 1e2 * check->rank_tolerance ||
                      check->largest_dropped > 1e-2 * check->rank_tolerance))
    printf("The rank is a close call: the state is near a singular configuration, or joints that\n"
           "should repeat each other do so only roughly (positions given with too few digits?).\n");
}

static void judge_assembly(const hn_check *check) {
  // where nothing had to be moved
  if (check->joint_count && check->position_before <= 1e-9 && check->rotation_before <= 1e-9)
    printf("The described state closes.\n");
  // what was done to the described state, in the library's words
  for (int i = 0; i < check->note_count; i++) {
    fputs("Start: ", stdout);
    print_wrapped(stdout, 7, check->note[i]);
  }
}

// numbers first, then sentences
static void print_check(const hn_model *model, const hn_system *system) {
  const hn_check *check = hn_system_check(system);
  printf("%s: %d bod%s, %d joint%s, %d force%s", hn_model_name(model), check->bodies,
         check->bodies == 1 ? "y" : "ies", check->joints, plural(check->joints), check->forces,
         plural(check->forces));
  if (check->blocks) printf(", %d block%s", check->blocks, plural(check->blocks));
  printf("\n\n");
  print_joints(check);
  print_numbers(check);
  judge_freedom(check);
  judge_redundancy(check);
  judge_assembly(check);
}

// ---- JSON ----------------------------------------------------------------------------------

// every joint here, whatever tables show
static void put_joints(json *j, const hn_check *check) {
  json_open(j, "joint_list", '[');
  for (int i = 0; i < check->joint_count; i++) {
    const hn_check_joint *joint = &check->joint[i];
    json_open(j, NULL, '{');
    json_string(j, "name", joint->name);
    json_string(j, "type", joint->type);
    json_integer(j, "rows", joint->rows);
    json_integer(j, "redundant", joint->redundant);
    json_integer(j, "undetermined", joint->undetermined);
    json_number(j, "gap", joint->gap);
    json_number(j, "gap_angle", joint->gap_angle);
    json_close(j);
  }
  json_close(j);
}

static void put_dependencies(json *j, const hn_redundancy *r) {
  json_open(j, "dependencies", '[');
  for (int i = 0; i < r->dependency_count; i++) {
    const hn_dependency *d = &r->dependency[i];
    json_open(j, NULL, '{');
    json_integer(j, "group", d->group);
    json_string(j, "joint", d->joint);
    json_names(j, "rows", d->row_count, (const char *const *)d->row);
    json_names(j, "others", d->other_count, (const char *const *)d->other);
    json_string(j, "text", d->text);
    json_close(j);
  }
  json_close(j);
  json_names(j, "undetermined", r->undetermined_count, (const char *const *)r->undetermined);
}

// the keys are part of the interface: programs read them
static void print_check_json(const char *path, const hn_model *model, const hn_system *system) {
  const hn_check *check = hn_system_check(system);
  json j = {0};
  json_open(&j, NULL, '{');
  json_string(&j, "model", hn_model_name(model));
  json_string(&j, "file", path);
  json_string(&j, "status", "done");
  json_string(&j, "message", "");
  json_integer(&j, "bodies", check->bodies);
  json_integer(&j, "joints", check->joints);
  json_integer(&j, "forces", check->forces);
  json_integer(&j, "blocks", check->blocks);
  json_integer(&j, "velocities", check->velocities);
  json_integer(&j, "rows", check->rows);
  json_integer(&j, "rank", check->rank);
  json_integer(&j, "dof", check->dof);
  json_integer(&j, "dof_counted", check->dof_counted);
  json_redundant(&j, check);
  put_dependencies(&j, check->redundancy);
  json_number(&j, "rank_tolerance", check->rank_tolerance);
  json_number(&j, "smallest_kept", check->smallest_kept);
  json_number(&j, "largest_dropped", check->largest_dropped);
  json_number(&j, "position_before", check->position_before);
  json_number(&j, "position_after", check->position_after);
  json_number(&j, "rotation_before", check->rotation_before);
  json_number(&j, "rotation_after", check->rotation_after);
  json_number(&j, "velocity_before", check->velocity_before);
  json_number(&j, "velocity_after", check->velocity_after);
  json_start(&j, check);
  json_string(&j, "coordinates", check->coordinates);
  json_string(&j, "reactions", check->reactions);
  json_string(&j, "preload", check->preload);
  json_integer(&j, "singular_rows", check->singular_rows);
  json_string(&j, "start", check->start);
  json_number(&j, "gap", check->gap);
  json_string(&j, "gaps", check->gaps);
  put_joints(&j, check);
  json_close(&j);
}

// the sentence on stderr in any case; JSON for programs that read stdout
// a program that asked for JSON gets an object in any case
static void print_refusal(const arguments *a, const char *message) {
  fprintf(stderr, "%s\n", message);
  if (!a->json) return;
  json j = {0};
  json_open(&j, NULL, '{');
  json_string(&j, "file", a->model);
  json_string(&j, "status", "refused");
  json_string(&j, "message", message);
  json_close(&j);
}

// ---- the command ---------------------------------------------------------------------------

// exit codes: 1 for what may go well another time, 2 for what is wrong
static int check_model(const arguments *a) {
  hn_model *model = hn_model_create();
  hn_system *system = NULL;
  hn_status status = model ? load_model(model, a->model, a->set, a->set_count) : HN_ERR_MEMORY;
  if (!status) hn_model_unread(model);
  if (!status) status = compile_model(&system, model, a->model, a->json);
  if (status)
    print_refusal(a, model ? hn_model_error(model) : "out of memory");
  else if (a->json)
    print_check_json(a->model, model, system);
  else
    print_check(model, system);
  hn_system_destroy(system);
  hn_model_destroy(model);
  return status == HN_ERR_MEMORY ? CODE_FAILED : status ? CODE_USAGE : CODE_DONE;
}

enum { OPTION_SET = 256, OPTION_JSON };
static const struct option options[] = {
    {"set", required_argument, NULL, OPTION_SET},
    {"json", no_argument, NULL, OPTION_JSON},
    {"help", no_argument, NULL, 'h'},
    {0},
};

// an exit code, or -1 to go on
static int parse(const command *self, int argc, char **argv, arguments *a) {
  int c;
  while ((c = next_option(self, argc, argv, options)) != OPTION_END) switch (c) {
    case OPTION_JSON: a->json = true; break;
    case OPTION_SET:
      if (!split_setting(self, "set", optarg, &a->set[a->set_count++])) return CODE_USAGE;
      break;
    case OPTION_HELP: return CODE_DONE;
    default: return CODE_USAGE;
    }
  a->model = single_operand(self, argc, argv, "model file");
  return a->model ? -1 : CODE_USAGE;
}

static int run(const command *self, int argc, char **argv) {
  // no more settings than words
  arguments a = {.set = calloc((size_t)argc, sizeof *a.set)};
  if (!a.set) {
    fputs("holon: out of memory\n", stderr);
    return CODE_FAILED;
  }
  int code = parse(self, argc, argv, &a);
  if (code < 0) code = check_model(&a);
  free(a.set);
  return code;
}

const command command_check = {
    .name = "check",
    .help = "degrees of freedom, redundant joints, consistency of the start",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "model",
};
