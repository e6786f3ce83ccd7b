// code.c: holon code. The equations of motion of a model as C source.
#include "common.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: holon code MODEL [OPTIONS]\n\n"
    "Writes the equations of motion of a model (- reads standard input) as C source that needs "
    "nothing\n"
    "but libm: accelerations and multipliers from a state, and the projection onto the "
    "constraints.\n"
    "All numbers of the model are constants in it; sums and products with zero are gone.\n\n"
    "  -o, --out FILE      write it there (default: standard output)\n"
    "  --coordinates NAME  reference or relative (default: what suits the model)\n"
    "  --set NAME=VALUE    change a parameter of the model (repeatable)\n"
    "  --unit              with inputs, outputs and steps, for controllers: NAME.c of --out and\n"
    "                      NAME.h beside it, functions NAME_init, NAME_step ...\n"
    "  --step S            longest step of the unit [s] (default: 'step' of the model)\n"
    "  -h, --help          this text\n\n"
    "To run a model with such code: holon run MODEL --option code=native\n\n"
    "Exit codes: 0 written, 1 the file cannot be written, 2 wrong usage or model, or a model "
    "that\n"
    "has something in it for which no code can be written.\n\n"
    "  holon code four_bar.yaml --out four_bar.c\n"
    "  holon code arm.yaml --unit --step 1ms --out arm.c\n";

enum { OPTION_COORDINATES = 256, OPTION_SET, OPTION_UNIT, OPTION_STEP };
static const struct option options[] = {
    {"out", required_argument, NULL, 'o'},
    {"coordinates", required_argument, NULL, OPTION_COORDINATES},
    {"set", required_argument, NULL, OPTION_SET},
    {"unit", no_argument, NULL, OPTION_UNIT},
    {"step", required_argument, NULL, OPTION_STEP},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0}};

// the settings are as many as words of the line at most: one allocation is enough
typedef struct arguments {
  const char *model, *out, *coordinates;  // out is NULL for standard output
  int set_count;
  setting *set;
  bool unit;
  double step;  // of the unit [s], 0: what the model says
} arguments;

static int parse(const command *self, int argc, char **argv, arguments *a) {
  int c;
  while ((c = next_option(self, argc, argv, options)) != OPTION_END) switch (c) {
    case 'o': a->out = optarg; break;
    case OPTION_COORDINATES: a->coordinates = optarg; break;
    case OPTION_SET:
      if (!split_setting(self, "set", optarg, &a->set[a->set_count++])) return CODE_USAGE;
      break;
    case OPTION_UNIT: a->unit = true; break;
    case OPTION_STEP:
      if (!step_option(optarg, &a->step)) return usage_error(self, "--step is a time above zero");
      break;
    case OPTION_HELP: return OPTION_HELP;
    default: return CODE_USAGE;
    }
  a->model = single_operand(self, argc, argv, "model file");
  if (!a->model) return CODE_USAGE;
  // what would be passed over in silence is refused
  if (a->step > 0 && !a->unit) return usage_error(self, "--step is of --unit");
  if (!a->unit) return CODE_DONE;
  // two files: neither has a place on standard output
  if (!a->out || !text_ends(a->out, ".c")) return usage_error(self, "--unit needs --out NAME.c");
  // a unit keeps its parameters as they are in the text, which is not changed
  if (a->set_count || a->coordinates)
    return usage_error(self, "--unit takes the model as it is, without --set and --coordinates");
  return CODE_DONE;
}

// all of it or nothing
static int save(const char *text, const char *path) {
  if (path) {
    output o;
    if (!output_open(&o, path)) return CODE_FAILED;
    o.cut = fputs(text, o.stream) < 0;
    return output_close(&o) ? CODE_DONE : CODE_FAILED;
  }
  // a full disk shows when the buffer is written, not before
  bool good = fputs(text, stdout) >= 0 && fflush(stdout) == 0;
  if (!good) fputs("holon: standard output cannot be written\n", stderr);
  return good ? CODE_DONE : CODE_FAILED;
}

static int write_code(const arguments *a, hn_model *model) {
  char message[256] = "", *text = NULL;
  hn_options *o = hn_model_options(model);
  hn_system *system = NULL;
  if (load_model(model, a->model, a->set, a->set_count)) {
    fprintf(stderr, "%s\n", hn_model_error(model));
    return CODE_USAGE;
  }
  // as a run would have it: coordinates are chosen for the code
  hn_status status = hn_options_set(o, "code", "written", message, sizeof message);
  if (!status && a->coordinates)
    status = hn_options_set(o, "coordinates", a->coordinates, message, sizeof message);
  if (!status && (status = compile_model(&system, model, a->model, false))) {
    fprintf(stderr, "%s\n", hn_model_error(model));
    return status == HN_ERR_MEMORY ? CODE_FAILED : CODE_USAGE;
  }
  // the model may hold what has no form as code: the message names it
  if (!status) status = hn_code_write(system, &text, message, sizeof message);
  if (status) fprintf(stderr, "holon: %s: %s\n", a->model, message);
  int code = !status ? save(text, a->out) : status == HN_ERR_MEMORY ? CODE_FAILED : CODE_USAGE;
  free(text);
  hn_system_destroy(system);
  return code;
}

// the file's own name, as an identifier of C
static void unit_name(char out[64], const char *path) {
  const char *slash = strrchr(path, '/');
  size_t n = 0;
  path = slash ? slash + 1 : path;
  // identifiers do not begin with digits
  if (isdigit((unsigned char)*path)) out[n++] = '_';
  for (; *path && strcmp(path, ".c") != 0 && n < 60; path++)
    // letters of a locale would not be letters to the compiler
    out[n++] = isalnum((unsigned char)*path) && (unsigned char)*path < 128 ? *path : '_';
  out[n] = 0;
}

static int write_unit(const arguments *a) {
  char message[512] = "", name[64], path[4100], *header = NULL, *source = NULL;
  bytes text = {0};
  unit_name(name, a->out);
  hn_status status = read_model_text(a->model, &text, message, sizeof message);
  if (!status)
    status = hn_unit_code(text.data, text.length, a->model, name, a->step, &header, &source,
                          message, sizeof message);
  if (status) fprintf(stderr, "%s\n", message);
  // of the same place and name, .h for .c
  snprintf(path, sizeof path, "%.*sh", (int)strlen(a->out) - 1, a->out);
  // the source first: a header without it would promise what is not there
  int code = status ? CODE_USAGE : save(source, a->out);
  if (code == CODE_DONE) code = save(header, path);
  // the library's texts by its own function, what was read by free()
  free(text.data), hn_free(header), hn_free(source);
  return status == HN_ERR_MEMORY ? CODE_FAILED : code;
}

static int run(const command *self, int argc, char **argv) {
  arguments a = {.set = calloc((size_t)argc, sizeof(setting))};
  hn_model *model = hn_model_create();
  int code = CODE_FAILED;
  if (!a.set || !model)
    fputs("holon: out of memory\n", stderr);
  else
    code = parse(self, argc, argv, &a);
  if (code == OPTION_HELP)
    code = CODE_DONE;
  else if (code == CODE_DONE)
    code = a.unit ? write_unit(&a) : write_code(&a, model);
  hn_model_destroy(model);
  free(a.set);
  return code;
}

const command command_code = {
    .name = "code",
    .help = "write the equations of motion of a model as C source",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "model",
};
