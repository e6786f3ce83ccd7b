// main.c: the program `holon`. Chooses the command; each is one file beside this one.
#include "common.h"
#include "terminal.h"

#include <string.h>

// one line per command, in the order in which they are listed
// each is declared and listed by this
#define COMMANDS(X)                                                                                \
  X(run)                                                                                           \
  X(view)                                                                                          \
  X(check)                                                                                         \
  X(statics)                                                                                       \
  X(kinematics)                                                                                    \
  X(inverse)                                                                                       \
  X(modes)                                                                                         \
  X(tolerance)                                                                                     \
  X(plot)                                                                                          \
  X(picture)                                                                                       \
  X(compare)                                                                                       \
  X(study)                                                                                         \
  X(optimise)                                                                                      \
  X(fit)                                                                                           \
  X(reproduce)                                                                                     \
  X(new)                                                                                           \
  X(format)                                                                                        \
  X(generate)                                                                                      \
  X(import)                                                                                        \
  X(code)                                                                                          \
  X(fmu)                                                                                           \
  X(models)                                                                                        \
  X(joints)                                                                                        \
  X(forces)                                                                                        \
  X(methods)                                                                                       \
  X(schema)                                                                                        \
  X(completion)                                                                                    \
  X(man)

#define DECLARE(name) extern const command command_##name;
#define ENTRY(name)   &command_##name,
COMMANDS(DECLARE)

static const command *const commands[] = {COMMANDS(ENTRY)};
enum { COUNT = sizeof commands / sizeof *commands };

const command *command_at(int index) {
  return index >= 0 && index < COUNT ? commands[index] : NULL;
}

static void print_help(FILE *out) {
  fputs("holon simulates mechanisms: bodies, joints, closed loops, forces.\n\n"
        "usage: holon COMMAND [ARGUMENTS]\n\n",
        out);
  for (int i = 0; i < COUNT; i++)
    if (!commands[i]->hidden) fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->help);
  fputs("\n"
        "  holon help COMMAND    explains a command, as does holon COMMAND --help\n"
        "  holon --version       prints the version\n\n"
        "First steps:\n"
        "  holon new crank.yaml\n"
        "  holon run crank.yaml --out crank.csv && holon plot crank.csv\n\n"
        "Exit codes: 0 done, 1 failed or stopped, 2 wrong usage or model, 3 audit failed.\n",
        out);
}

static const command *find(const char *name) {
  for (int i = 0; i < COUNT; i++)
    if (strcmp(commands[i]->name, name) == 0) return commands[i];
  return NULL;
}

// dashes in front do not count: --run is as near to run as rnu
static int unknown(const char *name) {
  const char *names[COUNT];
  for (int i = 0; i < COUNT; i++) names[i] = commands[i]->name;
  const char *near = nearest(name + strspn(name, "-"), COUNT, names);
  const char *what = *name == '-' ? "option" : "command";
  if (near) return usage_error(NULL, "unknown %s '%s' (did you mean '%s'?)", what, name, near);
  // a file in the place of the command: what is meant is clear
  if (text_ends(name, ".yaml") || text_ends(name, ".yml") || text_ends(name, ".json") ||
      text_ends(name, ".urdf") || text_ends(name, ".sdf") || text_ends(name, ".osim"))
    return usage_error(NULL, "unknown %s '%s' (did you mean 'run %s'?)", what, name, name);
  return usage_error(NULL, "unknown %s '%s'", what, name);
}

static int dispatch(int argc, char **argv) {
  const char *word = argv[1];
  // before commands: an option of the program itself
  if (!strcmp(word, "--version") || !strcmp(word, "-V") || !strcmp(word, "version")) {
    printf("holon %s\n", hn_version());
    return CODE_DONE;
  }
  bool help = !strcmp(word, "help");
  if (!strcmp(word, "--help") || !strcmp(word, "-h") || (help && argc == 2)) {
    print_help(stdout);
    return CODE_DONE;
  }
  // 'holon help COMMAND' is COMMAND --help
  const command *found = find(help ? argv[2] : word);
  if (!found) return unknown(help ? argv[2] : word);
  if (!help) return found->run(found, argc - 1, argv + 1);
  print_usage(stdout, found->usage);
  return CODE_DONE;
}

// names of files are shown; one that steers the terminal is not touched at all
static bool arguments_printable(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (hn_is_printable(argv[i])) continue;
    char shown[80];
    snprintf(shown, sizeof shown, "%s", argv[i]);
    hn_make_printable(shown);
    usage_error(NULL, "argument %d, '%s', has control characters in it (rename the file?)", i,
                shown);
    return false;
  }
  return true;
}

int main(int argc, char **argv) {
  // without words the list goes to stderr: nothing was asked for
  if (argc < 2) {
    print_help(stderr);
    return CODE_USAGE;
  }
  if (!arguments_printable(argc, argv)) return CODE_USAGE;
  int code = dispatch(argc, argv);
  // usage_error cannot know that memory was the reason
  if (code == CODE_USAGE && ran_out_of_memory()) code = CODE_FAILED;
  // a full disk behind standard output is a failure, too
  if (fflush(stdout) || ferror(stdout)) {
    fputs("holon: standard output cannot be written\n", stderr);
    if (code == CODE_DONE) code = CODE_FAILED;
  }
  return code;
}
