// reproduce.c: holon reproduce. Computes the examples of a paper anew and compares.
#include <string.h>

#include "reproduce_report.h"
#include "terminal.h"

static const paper *const papers[] = {
    &paper_marques2017, &paper_castro2025, &paper_uk2018, &paper_gonzalez2013, &paper_bauchau2008,
};
enum { COUNT = sizeof papers / sizeof *papers };

static const char usage[] =
    "usage: holon reproduce [PAPER] [OPTIONS]\n\n"
    "Computes the examples of a paper anew and sets what comes out beside what the paper states.\n"
    "Without a name the papers are listed.\n\n"
    "  -o, --out DIR        write report.html, report.md and their pictures into this folder\n"
    "  --quick              less work for a first look: runs are shorter, or not repeated for "
    "their times\n"
    "  --option NAME=VALUE  change an option of all runs, to see what a verdict depends on "
    "(repeatable)\n"
    "  --model NAME         print a model that reports name\n"
    "  -h, --help           this text\n\n"
    "A claim agrees, differs for a reason the report gives and checks, or fails.\n\n"
    "Exit codes: 0 no claim fails, 1 one does or something went wrong, 2 wrong usage.\n\n"
    "  holon reproduce marques2017 --out marques2017\n"
    "  holon reproduce marques2017 --option correction=none      breaks the methods that "
    "correct\n";

const char *paper_name(int index) {
  return index >= 0 && index < COUNT ? papers[index]->name : NULL;
}

static int list(void) {
  const char *cells[2 * COUNT];
  for (int i = 0; i < COUNT; i++) {
    cells[2 * i] = papers[i]->name;
    cells[2 * i + 1] = papers[i]->summary;
  }
  print_table(stdout, "ll", COUNT, cells);
  return CODE_DONE;
}

// said, with the nearest, when there is none
static const paper *find(const command *self, const char *name) {
  const char *names[COUNT];
  for (int i = 0; i < COUNT; i++) {
    if (strcmp(papers[i]->name, name) == 0) return papers[i];
    names[i] = papers[i]->name;
  }
  const char *near = nearest(name, COUNT, names);
  if (near)
    usage_error(self, "no paper '%s' (did you mean '%s'?)", name, near);
  else
    usage_error(self, "no paper '%s' (see 'holon reproduce')", name);
  return NULL;
}

enum { OPTION_QUICK = 256, OPTION_OPTION, OPTION_MODEL };
static const struct option options[] = {
    {"out", required_argument, NULL, 'o'},
    {"quick", no_argument, NULL, OPTION_QUICK},
    {"option", required_argument, NULL, OPTION_OPTION},
    {"model", required_argument, NULL, OPTION_MODEL},
    {"help", no_argument, NULL, 'h'},
    {0},
};

// "name=value" that the library knows; says what is wrong
// the library looks at name and value; nothing is run yet
static bool take_option(const command *self, char *text, setting *out) {
  hn_options scratch = hn_options_default();
  char message[256];
  if (!split_setting(self, "option", text, out)) return false;
  if (hn_options_set(&scratch, out->name, out->value, message, sizeof message) == HN_OK)
    return true;
  usage_error(self, "%s", message);
  return false;
}

static int print_model(const command *self, const char *name) {
  const char *text = paper_model(name);
  if (!text) return usage_error(self, "no model '%s'; reports name those they use", name);
  fputs(text, stdout);
  return CODE_DONE;
}

static int run(const command *self, int argc, char **argv) {
  // as many as anybody would change
  enum { MOST = 16 };
  static setting changed[MOST + 1];
  const char *folder = NULL;
  paper_request request = {0};
  int c, count = 0;
  while ((c = next_option(self, argc, argv, options)) != OPTION_END) switch (c) {
    case 'o': folder = optarg; break;
    case OPTION_QUICK: request.quick = true; break;
    case OPTION_OPTION:
      if (count == MOST) return usage_error(self, "at most %d options", MOST);
      if (!take_option(self, optarg, &changed[count++])) return CODE_USAGE;
      break;
    // models of papers are no examples: they are in the program alone
    case OPTION_MODEL: return print_model(self, optarg);
    case OPTION_HELP: return CODE_DONE;
    default: return CODE_USAGE;
    }
  if (argc == optind) return list();
  const char *name = single_operand(self, argc, argv, "paper");
  const paper *p = name ? find(self, name) : NULL;
  if (!p || !make_folder(self, folder)) return CODE_USAGE;
  request.report = report_open(p, folder);
  if (!request.report) return CODE_FAILED;
  // wins over what the papers ask for
  experiment_override(changed);
  // said in front: claims may not hold any more
  for (int i = 0; i < count; i++)
    report_text(request.report, "All runs with `%s=%s`, which the paper does not ask for.",
                changed[i].name, changed[i].value);
  // without a folder the report itself comes line by line
  wait_begin(name, !folder);
  int code = p->run(&request);
  wait_end();
  return report_close(request.report, code);
}

const command command_reproduce = {
    .name = "reproduce",
    .help = "compute the examples of a paper anew and compare",
    .usage = usage,
    .run = run,
    .options = options,
    .operand = "paper",
};
