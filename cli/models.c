// models.c: holon models. The example models that come with the program.
#include <stdlib.h>
#include <string.h>

#include "common.h"

static int list(void) {
  enum { MOST = 256 };
  const char *cells[2 * MOST];
  hn_model *model[MOST];
  int count = 0;
  for (const char *name; count < MOST && (name = hn_example_name(count)); count++) {
    const char *text = hn_example_text(count);
    model[count] = hn_model_create();
    cells[2 * count] = name;
    cells[2 * count + 1] = model[count] && !hn_model_parse(model[count], text, strlen(text), name)
                               ? hn_model_name(model[count])
                               : "";
  }
  print_table(stdout, "ll", count, cells);
  for (int i = 0; i < count; i++) hn_model_destroy(model[i]);
  return CODE_DONE;
}

static int show(const command *self, const char *wanted) {
  const char *names[256];
  int count = 0;
  for (const char *name; count < 256 && (name = hn_example_name(count)); count++) {
    if (strcmp(name, wanted) == 0) return fputs(hn_example_text(count), stdout), CODE_DONE;
    names[count] = name;
  }
  const char *close = nearest(wanted, count, names);
  return close ? usage_error(self, "there is no example '%s'; did you mean '%s'?", wanted, close)
               : usage_error(self, "there is no example '%s'", wanted);
}

static int run(const command *self, int argc, char **argv) {
  int c;
  while ((c = next_option(self, argc, argv, self->options)) != OPTION_END)
    return c == OPTION_HELP ? CODE_DONE : CODE_USAGE;
  if (argc > optind + 1) return usage_error(self, "'models' takes one name at most");
  return argc > optind ? show(self, argv[optind]) : list();
}

const command command_models = {
    .name = "models",
    .help = "list the example models, or print one",
    .usage =
        "usage: holon models [NAME]\n\n"
        "Lists the example models that come with the program, or prints the model file NAME.\n\n"
        "  -h, --help  this text\n\n"
        "  holon models four_bar > four_bar.yaml\n"
        "  holon models bricard | holon check -\n",
    .run = run,
    .options = help_only,
    .operand = "example",
};
