// fmu.c: holon fmu. A model as a unit that other simulators run.
#include "common.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: holon fmu MODEL --out FILE.fmu [OPTIONS]\n\n"
    "Makes a functional mock-up unit of a model, for co-simulation and model exchange in\n"
    "other tools. Inputs are the model's inputs, outputs its coordinates and signals (or\n"
    "what 'outputs:' names), parameters its parameters.\n\n"
    "  -o, --out FILE  where the unit goes\n"
    "  --fmi VERSION   version of the standard: 2 (default) or 3\n"
    "  --code          code written for this model and compiled by the C compiler, in the place "
    "of\n"
    "                  the library: small and fast, steps of one length\n"
    "  --source        the same code as sources, to be compiled where the unit is used\n"
    "  --step S        longest step of the code [s] (default: 'step' of the model)\n"
    "  --page FILE     page of documentation in it, such as one of 'holon run --html' (default: a\n"
    "                  table of the variables)\n"
    "  -q, --quiet     print nothing but errors\n"
    "  -h, --help      this text\n\n"
    "The binary inside needs nothing but the C library (Linux, x86-64).\n\n"
    "Exit codes: 0 written, 1 the file cannot be written, 2 wrong usage or model.\n\n"
    "  holon fmu four_bar.yaml --out four_bar.fmu\n";

enum { OPTION_FMI = 256, OPTION_CODE, OPTION_SOURCE, OPTION_STEP, OPTION_PAGE };
static const struct option options[] = {{"out", required_argument, NULL, 'o'},
                                        {"fmi", required_argument, NULL, OPTION_FMI},
                                        {"code", no_argument, NULL, OPTION_CODE},
                                        {"source", no_argument, NULL, OPTION_SOURCE},
                                        {"step", required_argument, NULL, OPTION_STEP},
                                        {"page", required_argument, NULL, OPTION_PAGE},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"help", no_argument, NULL, OPTION_HELP},
                                        {NULL, 0, NULL, 0}};

// the binary of all units lies beside the program, or where libraries are installed
// All units hold the same binary: the library itself, which reads the model out of the unit when it
// is begun. Where to look is counted from the program, not from where it was called.
static bool read_binary(bytes *out) {
  static const char *const place[] = {"holon_fmu.so", "../lib/holon/holon_fmu.so"};
  char self[4000], path[4100];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n <= 0) return false;
  self[n] = 0;
  char *slash = strrchr(self, '/');
  if (!slash) return false;
  slash[1] = 0;
  for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
    snprintf(path, sizeof path, "%s%s", self, place[i]);
    if (read_whole(path, out)) return true;
  }
  return false;
}

static int write_unit(const char *model, const char *page, const char *out, hn_fmu_def def,
                      bool quiet) {
  // three files at most are held whole: they go into an archive
  char message[512] = "";
  bytes text = {0}, binary = {0}, shown = {0};
  note_input(model);
  // before anything is read: an unwritable place is known at once, and not after minutes
  const char *reason = not_writable(out);
  if (reason) {
    fprintf(stderr, "holon: %s: %s\n", out, reason);
    return CODE_FAILED;
  }
  // whatever the page is, it is taken as it is
  if (page && !read_whole(page, &shown)) {
    fprintf(stderr, "holon: %s: cannot be read\n", page);
    return CODE_USAGE;
  }
  // borrowed until the unit is written
  def.page = shown.data, def.page_size = shown.length;
  // code of its own takes the place of the library
  bool own = def.coded || def.sources;
  if (!own && !read_binary(&binary)) {
    fputs("holon: holon_fmu.so is neither beside the program nor in its ../lib/holon "
          "('make build' builds it)\n",
          stderr);
    free(shown.data);
    return CODE_FAILED;
  }
  hn_status status = read_model_text(model, &text, message, sizeof message);
  bool described = !status;
  if (!status) {
    def.binary = binary.data, def.binary_size = binary.length;
    // compiling code takes seconds: something is to be seen meanwhile
    wait_begin(model, quiet);
    status = hn_fmu_write(text.data, text.length, model, &def, out, message, sizeof message);
    wait_end();
  }
  if (status) fprintf(stderr, "%s\n", message);
  if (!status && !quiet) fprintf(stderr, "%s: FMI %d.0\n", out, def.version);
  free(text.data), free(binary.data), free(shown.data);
  if (!status) return CODE_DONE;
  // a file that is not to be read is a wrong call, one that cannot be written is not
  bool failed = status == HN_ERR_MEMORY || (described && status == HN_ERR_FILE);
  return failed ? CODE_FAILED : CODE_USAGE;
}

static int run(const command *self, int argc, char **argv) {
  const char *out = NULL, *page = NULL;
  int c;
  bool quiet = false;
  hn_fmu_def def = {.version = 2};
  while ((c = next_option(self, argc, argv, options)) != OPTION_END) switch (c) {
    case 'o': out = optarg; break;
    case 'q': quiet = true; break;
    case OPTION_FMI:
      def.version = atoi(optarg);
      if (def.version != 2 && def.version != 3) return usage_error(self, "--fmi is 2 or 3");
      break;
    case OPTION_CODE: def.coded = true; break;
    case OPTION_SOURCE: def.sources = true; break;
    case OPTION_STEP:
      if (!step_option(optarg, &def.step)) return usage_error(self, "--step is a time above zero");
      break;
    case OPTION_PAGE: page = optarg; break;
    case OPTION_HELP: return CODE_DONE;
    default: return CODE_USAGE;
    }
  const char *model = single_operand(self, argc, argv, "model file");
  if (!model) return CODE_USAGE;
  if (!out) return usage_error(self, "--out FILE.fmu is missing");
  if (!text_ends(out, ".fmu")) return usage_error(self, "'%s' does not end in .fmu", out);
  return write_unit(model, page, out, def, quiet);
}

const command command_fmu = {
    .name = "fmu",
    .help = "make a unit for co-simulation in other tools",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "model",
};
