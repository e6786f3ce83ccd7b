// man.c: holon man. The manual page, from the help screens and the library's own tables.
//
// A help screen has a fixed form that is turned into troff: lines that begin with two blanks and a
// dash are options, such lines that begin with the program's name are examples, the rest is text.
#include "common.h"

#include <string.h>

// text with what troff would take for itself made harmless
static void put_text(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    // a point or quote at the beginning of a line is a request
    if (i == 0 && (text[i] == '.' || text[i] == '\'')) fputs("\\&", stdout);
    if (text[i] == '\\')
      fputs("\\e", stdout);
    else if (text[i] == '-')
      // a hyphen that may be copied into a shell
      fputs("\\-", stdout);
    else
      putchar(text[i]);
  }
}

static void put_line(const char *macro, const char *text, size_t length) {
  fputs(macro, stdout);
  if (*macro) putchar(' ');
  put_text(text, length);
  putchar('\n');
}

static void put_words(const char *macro, const char *text) {
  put_line(macro, text, strlen(text));
}

// "  -o, --out FILE       write the result": the option, then what it does
static void put_option(const char *line, size_t length) {
  size_t end = 2;
  // two blanks part option and text
  while (end + 1 < length && !(line[end] == ' ' && line[end + 1] == ' ')) end++;
  // an option alone, whose text is on the next line
  if (end + 1 >= length) end = length;
  puts(".TP");
  put_line(".B", line + 2, end - 2);
  while (end < length && line[end] == ' ') end++;
  put_line("", line + end, length - end);
}

// what the last line was
typedef enum state { TEXT, OPTION, EXAMPLE } state;

static void put_usage(const char *usage) {
  state now = TEXT;
  const char *line = strchr(usage, '\n');  // the first one became the heading
  for (line = line ? line + 1 : ""; *line;) {
    size_t length = strcspn(line, "\n"), indent = strspn(line, " ");
    // comments between examples belong to them
    bool is_example = strncmp(line, "  holon ", 8) == 0 || strncmp(line, "  # ", 4) == 0;
    state next = is_example                      ? EXAMPLE
                 : indent == 2 && line[2] == '-' ? OPTION
                 : indent > 2 && now == OPTION   ? OPTION
                                                 : TEXT;
    if (now == EXAMPLE && next != EXAMPLE) puts(".EE");
    // a blank line ends a paragraph, unless another follows
    if (length == 0) {
      if (line[1] && line[1] != '\n') puts(".PP");
      if (now != EXAMPLE) now = TEXT;
    } else {
      if (next == EXAMPLE && now != EXAMPLE) puts(".EX");
      if (next == OPTION && indent == 2)
        put_option(line, length);
      else
        // examples keep their indentation
        put_line("", line + (next == EXAMPLE ? 0 : indent),
                 length - (next == EXAMPLE ? 0 : indent));
      now = next;
    }
    line += length + (line[length] != 0);
  }
  if (now == EXAMPLE) puts(".EE");
}

static void put_command(const command *c) {
  static const char start[] = "usage: ";
  const char *usage = c->usage;
  // the first line of the screen is the heading
  if (strncmp(usage, start, strlen(start)) == 0) usage += strlen(start);
  printf(".SS \"");
  put_text(usage, strcspn(usage, "\n"));
  puts("\"");
  put_usage(c->usage);
}

static void put_types(const char *title, const hn_type_info *(*at)(int index)) {
  printf(".SS \"%s\"\n", title);
  for (int i = 0; at(i); i++) {
    puts(".TP");
    put_words(".B", at(i)->name);
    put_words("", at(i)->help);
  }
}

static void put_methods(void) {
  const hn_method_info *m;
  puts(".SH METHODS\nNames for\n.BR \\-\\-method ,\nand the parts they are made of.");
  for (int i = 0; (m = hn_method_at(i)); i++) {
    puts(".TP");
    put_words(".B", m->name);
    put_words("", m->help);
  }
  put_types("Solvers", hn_solver_at);
  put_types("Corrections", hn_correction_at);
  put_types("Integrators", hn_integrator_at);
}

static void put_options(void) {
  puts(".SH OPTIONS OF A RUN\nSet by\n.BR \\-\\-option \" NAME=VALUE\"\nor in the\n.B simulation:\n"
       "section of a model.");
  for (int i = 0; i < hn_option_count(); i++) {
    const hn_option_info *o = hn_option_at(i);
    puts(".TP");
    put_words(".B", o->name);
    put_words("", o->help);
    printf("(default: ");
    put_text(*o->fallback ? o->fallback : "none", strlen(*o->fallback ? o->fallback : "none"));
    if (*o->unit) {
      printf("; unit: ");
      put_text(o->unit, strlen(o->unit));
    }
    puts(")");
  }
}

static int run(const command *self, int argc, char **argv) {
  int c;
  while ((c = next_option(self, argc, argv, self->options)) != OPTION_END)
    return c == OPTION_HELP ? CODE_DONE : CODE_USAGE;
  if (argc > optind) return usage_error(self, "'man' takes no '%s'", argv[optind]);
  printf(".TH HOLON 1 \"\" \"holon %s\" \"User Commands\"\n", hn_version());
  puts(".SH NAME\nholon \\- simulates mechanisms: bodies, joints, closed loops, forces");
  puts(".SH SYNOPSIS\n.B holon\n.I COMMAND\n.RI [ ARGUMENTS ]");
  puts(".SH DESCRIPTION\nA model file in YAML or JSON describes bodies, joints and forces. The "
       "commands simulate it,\ncheck it, find equilibria, modes and driver efforts, and show what "
       "came out.\nResults are printed on standard output, everything said about them on standard "
       "error.");
  puts(".SH COMMANDS");
  for (int i = 0; command_at(i); i++)
    if (!command_at(i)->hidden) put_command(command_at(i));
  put_methods();
  put_options();
  puts(".SH JOINTS AND FORCES");
  put_types("Joints", hn_joint_type_at);
  put_types("Forces", hn_force_type_at);
  puts(".SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\nit failed or was stopped\n.TP\n.B 2\nwrong "
       "usage or model\n.TP\n.B 3\na run finished but its audit failed");
  return CODE_DONE;
}

const command command_man = {
    .name = "man",
    .help = "print the manual page (troff)",
    .usage = "usage: holon man\n\n"
             "Prints the manual page as troff, from the help screens and tables of the program.\n\n"
             "  -h, --help  this text\n\n"
             "  holon man | man -l -\n",
    .run = run,
    .options = help_only,
    .hidden = true,
};
