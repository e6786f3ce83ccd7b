// import.c: holon import. Makes a model file of a robot file.
#include "common.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: holon import FILE [OPTIONS]\n\n"
    "Makes a model file of a robot file (URDF, MJCF, SDFormat, OpenSim, ADAMS) and says, line\n"
    "by line, what was approximated or ignored. What would make the motion wrong is refused.\n\n"
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

// the length of the folder in front of a file's name
static size_t folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

// meshes count from the folder of the file that names them
static void warn_of_meshes(const char *model, const char *robot, const char *out) {
  size_t n = folder_of(robot);
  if (!strstr(model, "- mesh: {file:")) return;
  if (n == folder_of(out) && strncmp(robot, out, n) == 0) return;
  fprintf(stderr, "holon: meshes are looked for from the folder of %s: keep it beside %s\n", out,
          robot);
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
  if (out && code == CODE_DONE) warn_of_meshes(model, path, out);
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
