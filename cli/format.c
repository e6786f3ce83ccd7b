// format.c: holon format. Model files in their usual form, with all their comments.
#include "common.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: holon format [--check] FILE...\n\n"
    "Rewrites model files in their usual form: two columns of indentation for each level, list\n"
    "items below their key, one blank after commas and colons in brackets, no blanks at the ends\n"
    "of lines, single empty lines. Comments, order, numbers and quotes stay as they are, and so "
    "do\n"
    "blanks that align. What a file says is the same before and after. A file is replaced whole "
    "or\n"
    "not at all; '-' goes from standard input to standard output.\n\n"
    "  -c, --check     write nothing; exit code 1 and their names when files would change\n"
    "  -q, --quiet     say nothing about files that are written\n"
    "  -h, --help      this text\n\n"
    "Exit codes: 0 in the usual form, 1 a file would change (--check) or cannot be written,\n"
    "2 wrong usage, or a file that is no model file.\n\n"
    "  holon format four_bar.yaml\n"
    "  holon format --check models/*.yaml\n";

static const struct option options[] = {{"check", no_argument, NULL, 'c'},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"help", no_argument, NULL, OPTION_HELP},
                                        {NULL, 0, NULL, 0}};

enum { MOST = 64 << 20 };  // bytes of a model file

// the whole of it; NULL, and said so, when it cannot be read. free() it
static char *read_all(const char *path, size_t *length) {
  bool standard = strcmp(path, "-") == 0;
  FILE *stream = standard ? stdin : fopen(path, "rb");
  char *text = stream ? malloc(MOST + 1) : NULL;
  *length = text ? fread(text, 1, MOST, stream) : 0;
  bool whole = text && !ferror(stream) && feof(stream);
  int error = !stream || ferror(stream) ? errno : 0;
  if (stream && !standard) fclose(stream);
  if (whole) {
    text[*length] = 0;
    return text;
  }
  if (error)
    fprintf(stderr, "holon: %s: cannot be read: %s\n", path, strerror(error));
  else
    fprintf(stderr, "holon: %s is larger than %d MB\n", path, MOST >> 20);
  free(text);
  return NULL;
}

static int save(const char *path, const char *text, bool quiet) {
  output o;
  if (!output_open(&o, path)) return CODE_FAILED;
  fputs(text, o.stream);
  if (!output_close(&o)) return CODE_FAILED;
  if (!quiet) fprintf(stderr, "written: %s\n", path);
  return CODE_DONE;
}

static int format_file(const char *path, bool check, bool quiet) {
  size_t length;
  char message[512], *text = read_all(path, &length), *usual = NULL;
  bool standard = strcmp(path, "-") == 0;
  if (!text) return CODE_USAGE;
  int code = CODE_DONE;
  usual = hn_format_text(text, length, standard ? "standard input" : path, message, sizeof message);
  bool changed = usual && (strlen(usual) != length || memcmp(usual, text, length) != 0);
  if (!usual) {
    fprintf(stderr, "%s\n", message);
    code = CODE_USAGE;
  } else if (check) {
    if (changed) printf("%s\n", path);
    code = changed ? CODE_FAILED : CODE_DONE;
  } else if (standard) {
    fputs(usual, stdout);
  } else if (changed) {
    code = save(path, usual, quiet);
  }
  hn_free(usual);
  free(text);
  return code;
}

static int run(const command *self, int argc, char **argv) {
  bool check = false, quiet = false;
  int c, code = CODE_DONE;
  while ((c = next_option(self, argc, argv, options)) != OPTION_END) switch (c) {
    case 'c': check = true; break;
    case 'q': quiet = true; break;
    case OPTION_HELP: return CODE_DONE;
    default: return CODE_USAGE;
    }
  if (optind == argc) return usage_error(self, "no model file is given");
  for (int i = optind; i < argc; i++) {
    int one = format_file(argv[i], check, quiet);
    if (one > code) code = one;
  }
  return code;
}

const command command_format = {
    .name = "format",
    .help = "bring model files into their usual form",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "model",
};
