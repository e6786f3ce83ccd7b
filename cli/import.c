// import.c: holon import. Makes a model file of a robot file.
#include "common.h"

#include <stdlib.h>

static const char usage[] =
    "usage: holon import FILE [OPTIONS]\n\n"
    "Makes a model file of a robot file (URDF, MJCF) and says, line by line, what was approximated "
    "or\n"
    "ignored. What would make the motion wrong is refused.\n\n"
    "  -o, --out FILE  write the model there (default: standard output)\n"
    "  --lenient       leave out what cannot be read instead of refusing the file\n"
    "  -q, --quiet     say nothing about what was approximated or ignored\n"
    "  -h, --help      this text\n\n"
    "The other commands read robot files directly: holon run robot.urdf\n\n"
    "Exit codes: 0 written, 1 the file cannot be written, 2 wrong usage or robot file.\n\n"
    "  holon import robot.urdf --out robot.yaml\n";

enum { OPTION_LENIENT = 256 };
static const struct option options[] = {{"out", required_argument, NULL, 'o'},
                                        {"lenient", no_argument, NULL, OPTION_LENIENT},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"help", no_argument, NULL, OPTION_HELP},
                                        {NULL, 0, NULL, 0}};

static int save(const char *text, const char *path) {
  if (!path) return fputs(text, stdout) < 0 ? CODE_FAILED : CODE_DONE;
  output o;
  if (!output_open(&o, path)) return CODE_FAILED;
  fputs(text, o.stream);
  return output_close(&o) ? CODE_DONE : CODE_FAILED;
}

static int run(const command *self, int argc, char **argv) {
  const char *out = NULL;
  bool lenient = false, quiet = false;
  int c;
  while ((c = next_option(self, argc, argv, options)) != OPTION_END) switch (c) {
    case 'o': out = optarg; break;
    case 'q': quiet = true; break;
    case OPTION_LENIENT: lenient = true; break;
    case OPTION_HELP: return CODE_DONE;
    default: return CODE_USAGE;
    }
  const char *path = single_operand(self, argc, argv, "robot file");
  if (!path) return CODE_USAGE;
  char *model, *report, message[512];
  hn_status status = hn_import(path, lenient, &model, &report, message, sizeof message);
  if (status) {
    fprintf(stderr, "%s\n", message);
    return status == HN_ERR_MEMORY ? CODE_FAILED : CODE_USAGE;
  }
  if (!quiet) fputs(report, stderr);
  int code = save(model, out);
  hn_free(model), hn_free(report);
  return code;
}

const command command_import = {
    .name = "import",
    .help = "make a model file of a robot file",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "model",
};
