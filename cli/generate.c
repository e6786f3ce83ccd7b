// generate.c: holon generate. Writes a member of a standard family as a model file.
#include "families.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: holon generate FAMILY [OPTIONS]\n\n"
    "Writes a model of a standard family as a readable model file.\n\n"
    "  --list             print the families\n"
    "  -n, --n N          how many links, bars or loops (1 to 100000)\n"
    "  --axes AXES        chain: hinge axes, alternating (y, z, y ...), y or z\n"
    "  -o, --out FILE     write to a file instead of standard output\n"
    "  -h, --help         this text\n\n"
    "Models with more than 200 bodies record the energies, the residuals and one body only; edit\n"
    "the 'outputs:' section to change that.\n\n"
    "  holon generate --list\n"
    "  holon generate n-four-bar --n 40 --out four_bars.yaml\n"
    "  holon generate chain --n 10 --axes y | holon run - --out chain.csv\n";

// as many as fit a file that anybody reads
enum { MOST_N = 100000 };

typedef struct arguments {
  const family *family;
  const char *out;
  bool list;
  int n;  // 0: the family's own
  bool axes_given;
  hinge_axes axes;
} arguments;

static void list_families(void) {
  const family *f;
  printf("%-14s %-10s %s\n", "family", "default N", "what");
  for (int i = 0; (f = family_at(i)); i++) {
    char n[CELL] = "-";
    if (f->n) snprintf(n, sizeof n, "%d", f->n);
    printf("%-14s %-10s %s\n", f->name, n, f->help);
  }
}

static int write_file(const arguments *a) {
  output o;
  if (!output_open(&o, a->out)) return CODE_FAILED;
  a->family->write(o.stream, a->n, a->axes);
  return output_close(&o) ? CODE_DONE : CODE_FAILED;
}

static int parse_number(const command *self, const char *text, int *n) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  // strtol stops at what is no digit
  if (*end || end == text || errno || value < 1 || value > MOST_N)
    return usage_error(self, "--n must be a whole number from 1 to %d, not '%s'", MOST_N, text);
  *n = (int)value;
  return -1;
}

static int parse_axes(const command *self, const char *text, hinge_axes *out) {
  static const char *const names[] = {"alternating", "y", "z"};
  for (int i = 0; i < 3; i++)
    if (strcmp(names[i], text) == 0) {
      // in the order of hinge_axes
      *out = (hinge_axes)i;
      return -1;
    }
  return usage_error(self, "--axes can be alternating, y or z, not '%s'", text);
}

// NULL, and said so, when there is none
static const family *find_family(const command *self, const char *name) {
  enum { MOST = 32 };
  const char *names[MOST];
  int count = 0;
  for (const family *f; count < MOST && (f = family_at(count)); count++) {
    names[count] = f->name;
    if (strcmp(f->name, name) == 0) return f;
  }
  const char *near = nearest(name, count, names);
  if (near)
    usage_error(self, "no family '%s' (did you mean '%s'?)", name, near);
  else
    usage_error(self, "no family '%s' (--list prints them)", name);
  return NULL;
}

// does the family take what was given?
static int check_arguments(const command *self, arguments *a) {
  const family *f = a->family;
  // families of one size have n 0
  if (a->n && !f->n) return usage_error(self, "'%s' has only one size", f->name);
  if (!a->n) a->n = f->n;
  if (a->n < f->least) return usage_error(self, "'%s' needs --n %d or more", f->name, f->least);
  if (a->axes_given && !f->axes) return usage_error(self, "'%s' has no --axes", f->name);
  return -1;
}

enum { OPTION_LIST = 256, OPTION_AXES };
static const struct option options[] = {
    {"list", no_argument, NULL, OPTION_LIST},
    {"n", required_argument, NULL, 'n'},
    {"axes", required_argument, NULL, OPTION_AXES},
    {"out", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

// an exit code, or -1 to go on
static int parse(const command *self, int argc, char **argv, arguments *a) {
  int c, code = -1;
  while (code < 0 && (c = next_option(self, argc, argv, options)) != OPTION_END) switch (c) {
    case OPTION_LIST: a->list = true; break;
    case 'n': code = parse_number(self, optarg, &a->n); break;
    case OPTION_AXES:
      a->axes_given = true;
      code = parse_axes(self, optarg, &a->axes);
      break;
    case 'o': a->out = optarg; break;
    case OPTION_HELP: return CODE_DONE;
    default: return CODE_USAGE;
    }
  if (code >= 0 || a->list) return code;
  const char *name = single_operand(self, argc, argv, "family");
  a->family = name ? find_family(self, name) : NULL;
  return a->family ? check_arguments(self, a) : CODE_USAGE;
}

static int run(const command *self, int argc, char **argv) {
  arguments a = {0};
  int code = parse(self, argc, argv, &a);
  if (code >= 0) return code;
  if (a.list) {
    list_families();
    return CODE_DONE;
  }
  if (a.out) return write_file(&a);
  // to standard output: main sees whether it could be written
  a.family->write(stdout, a.n, a.axes);
  return CODE_DONE;
}

const command command_generate = {
    .name = "generate",
    .help = "write a model of a standard family: chains, trees, loops",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "family",
};
