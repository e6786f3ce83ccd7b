// methods.c: holon methods. Presets, the parts they are made of, and all options of a run.
#include "common.h"

#include <string.h>

// texts are wrapped, and go on where they began
enum { NAME = 21, HELP = NAME + 3 };  // width of names; where the text beside them begins
enum { SHORT = 6 };                   // indent of what would be too wide there

static void print_presets(void) {
  const hn_method_info *m;
  printf("methods (--method NAME): presets of solver + correction + integrator\n\n"
         "What a method can do beyond independent rows and regular masses: redundant and\n"
         "nonholonomic rows, singular mass matrices, stiff forces, relative and natural\n"
         "coordinates, events (steps end where a force switches).\n\n");
  for (int i = 0; (m = hn_method_at(i)); i++) {
    // a stepper that does everything itself has no other parts
    const char *const part[] = {m->solver, m->correction, m->integrator};
    const char *separator = "";
    printf("  %-*s ", NAME, m->name);
    print_wrapped(stdout, HELP, m->help);
    printf("%*s", HELP, "");
    for (int k = 0; k < 3; k++)
      if (*part[k]) {
        printf("%s%s", separator, part[k]);
        separator = " + ";
      }
    putchar('\n');
    // in the words of the library, which refuses methods that cannot
    const char *able;
    printf("%*s", SHORT, "");
    for (int k = 0; (able = hn_method_copes(i, k)); k++)
      printf("%s%s", k ? ", " : "can do: ", able);
    putchar('\n');
  }
}

// one function for all three: `at` is what lists them
static void print_parts(const char *title, const hn_type_info *(*at)(int index)) {
  const hn_type_info *part;
  printf("\n%s\n\n", title);
  for (int i = 0; (part = at(i)); i++) {
    printf("  %-*s ", NAME, part->name);
    print_wrapped(stdout, HELP, part->help);
  }
}

static const char *or_dash(const char *text) {
  return *text ? text : "-";
}

static void widen(int *width, const char *text) {
  int n = (int)strlen(text);
  if (n > *width) *width = n;
}

static void print_options(void) {
  int fallback = 7;  // the heading
  for (int i = 0; i < hn_option_count(); i++) widen(&fallback, hn_option_at(i)->fallback);
  printf("\noptions (--option NAME=VALUE, or 'simulation:' in a model file)\n\n");
  printf("  %-*s %-*s %s\n", NAME, "name", fallback, "default", "unit");
  for (int i = 0; i < hn_option_count(); i++) {
    const hn_option_info *o = hn_option_at(i);
    printf("  %-*s %-*s %s\n%*s", NAME, o->name, fallback, or_dash(o->fallback), or_dash(o->unit),
           SHORT, "");
    print_wrapped(stdout, SHORT, o->help);
  }
}

static int run(const command *self, int argc, char **argv) {
  int c;
  while ((c = next_option(self, argc, argv, self->options)) != OPTION_END)
    return c == OPTION_HELP ? CODE_DONE : CODE_USAGE;
  if (argc > optind) return usage_error(self, "'methods' takes no '%s'", argv[optind]);
  print_presets();
  print_parts("solvers (--option solver=NAME): accelerations and reactions", hn_solver_at);
  print_parts("corrections (--option correction=NAME): after each step", hn_correction_at);
  print_parts("integrators (--option integrator=NAME): steps in time", hn_integrator_at);
  print_options();
  return CODE_DONE;
}

const command command_methods = {
    .name = "methods",
    .help = "list the methods, their parts, and all options of a run",
    .usage = "usage: holon methods\n\n"
             "Lists the methods with the solver, correction and integrator they are made of, and\n"
             "every option of a run with its default.\n\n"
             "  -h, --help  this text\n\n"
             "  holon run four_bar.yaml --method baumgarte --step 1e-3\n"
             "  holon run four_bar.yaml --option integrator=rk4 --step 1e-3\n",
    .run = run,
    .options = help_only,
};
