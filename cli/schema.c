// schema.c: holon schema. The JSON Schema of model files, for editors and checkers.
#include "common.h"

#include <stdlib.h>
#include <string.h>

static int run(const command *self, int argc, char **argv) {
  int c;
  while ((c = next_option(self, argc, argv, self->options)) != OPTION_END)
    return c == OPTION_HELP ? CODE_DONE : CODE_USAGE;
  if (argc > optind) return usage_error(self, "'schema' takes no '%s'", argv[optind]);
  char *text = hn_schema_json();
  if (!text) {
    fputs("holon: out of memory\n", stderr);
    return CODE_FAILED;
  }
  size_t length = strlen(text);
  fputs(text, stdout);
  if (length == 0 || text[length - 1] != '\n') putchar('\n');
  free(text);
  return CODE_DONE;
}

const command command_schema = {
    .name = "schema",
    .help = "print the JSON Schema of model files",
    .usage =
        "usage: holon schema\n\n"
        "Prints the JSON Schema of the model format: every section, element and key with its\n"
        "meaning and unit. Editors that know it complete and check model files as you type.\n\n"
        "  -h, --help  this text\n\n"
        "  holon schema > holon.schema.json\n"
        "  # yaml-language-server: $schema=holon.schema.json     (first line of a model)\n",
    .run = run,
    .options = help_only,
};
