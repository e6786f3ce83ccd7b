// completion.c: holon completion. What can follow on a command line, for shells that ask.
//
// The scripts for bash and zsh are a few lines that call `holon completion words WORD...` with the
// line up to the cursor; candidates come one on a line. A line "@files ENDING..." asks the shell
// for files with these endings (all files when there is none). Everything is read from the tables
// of the commands and of the library, so nothing has to be kept up to date here.
#include "common.h"
#include "families.h"
#include "reproduce.h"

#include <stdlib.h>
#include <string.h>

// two forms: for people who install it, and what the scripts call
static const char usage[] =
    "usage: holon completion bash|zsh\n"
    "       holon completion words WORD...\n\n"
    "Prints the completion script for a shell. Installed programs have it already.\n\n"
    "  -h, --help  this text\n\n"
    "'words' prints what can stand in place of the last WORD after 'holon'; the scripts use it.\n\n"
    "  eval \"$(holon completion bash)\"\n"
    "  holon completion zsh > ~/.zfunc/_holon\n";

// Bash breaks the words of the line at every '=': they are put together again first, and of the
// answers only what stands behind the last break is taken.
static const char bash_script[] =
    "# completion of holon for bash; made by 'holon completion bash'\n"
    "_holon() {\n"
    "  # bash breaks words at '='; the program wants them whole\n"
    "  local words=() word last= i line reply ending current=${COMP_WORDS[COMP_CWORD]}\n"
    "  for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "    word=${COMP_WORDS[i]}\n"
    "    if [ ${#words[@]} -gt 0 ] && { [ \"$word\" = = ] || [ \"$last\" = = ]; }; then\n"
    "      words[${#words[@]}-1]+=$word\n"
    "    else\n"
    "      words+=(\"$word\")\n"
    "    fi\n"
    "    last=$word\n"
    "  done\n"
    "  [ \"$current\" = = ] && current=\n"
    "  local whole=${words[${#words[@]}-1]}\n"
    "  local head=${whole%\"$current\"}\n"
    "  COMPREPLY=()\n"
    "  while IFS= read -r line; do\n"
    "    case $line in\n"
    "    @files*)\n"
    "      compopt -o filenames 2>/dev/null\n"
    "      set -- ${line#@files}\n"
    "      while IFS= read -r reply; do\n"
    "        if [ $# = 0 ] || [ -d \"$reply\" ]; then COMPREPLY+=(\"$reply\"); continue; fi\n"
    "        for ending; do\n"
    "          case $reply in *\"$ending\") COMPREPLY+=(\"$reply\") ;; esac\n"
    "        done\n"
    "      done < <(compgen -f -- \"$current\")\n"
    "      ;;\n"
    "    \"$whole\"*)\n"
    "      case $line in *=) compopt -o nospace 2>/dev/null ;; esac\n"
    "      COMPREPLY+=(\"${line#\"$head\"}\")\n"
    "      ;;\n"
    "    esac\n"
    "  done < <(\"${COMP_WORDS[0]}\" completion words -- \"${words[@]}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _holon holon\n";

// Zsh keeps words whole and finds files by itself. Candidates are of three kinds: files, words that
// are complete, and those behind which a value follows without a blank.
static const char zsh_script[] =
    "#compdef holon\n"
    "# completion of holon for zsh; made by 'holon completion zsh'\n"
    "_holon() {\n"
    "  local -a lines plain open endings\n"
    "  local line\n"
    "  lines=(\"${(@f)$(\"${words[1]}\" completion words -- \"${(@)words[2,CURRENT]}\" "
    "2>/dev/null)}\")\n"
    "  for line in $lines; do\n"
    "    case $line in\n"
    "    @files*)\n"
    "      [[ ${words[CURRENT]} == *=* ]] && compset -P '*='\n"
    "      endings=(${=line#@files})\n"
    "      if (( $#endings )); then\n"
    "        _files -g \"*(${(j:|:)endings})\"\n"
    "      else\n"
    "        _files\n"
    "      fi\n"
    "      ;;\n"
    "    *=) open+=(\"$line\") ;;\n"
    "    *) plain+=(\"$line\") ;;\n"
    "    esac\n"
    "  done\n"
    "  (( $#plain )) && compadd -- $plain\n"
    "  (( $#open )) && compadd -S '' -- $open\n"
    "}\n"
    "if [ \"${funcstack[1]}\" = _holon ]; then _holon \"$@\"; else compdef _holon holon; fi\n";

// ---- lists ---------------------------------------------------------------------------------

// the line after 'holon'; the last word is the one to complete
typedef struct request {
  int count;
  char **words;
  const char *value;  // the part of the last word that is the value of an option
  char prefix[96];    // what stands before it: "--method="
} request;

static const char model_files[] = "@files .yaml .yml .json";
static const char result_files[] = "@files .csv .h5 .hdf5";

static void put(const request *r, const char *word, const char *end) {
  printf("%s%s%s\n", r->prefix, word, end);
}

// one function for joints, forces, solvers ...: `at` is what lists them
static void put_types(const request *r, const hn_type_info *(*at)(int index), const char *before) {
  char word[96];
  for (int i = 0; at(i); i++) {
    snprintf(word, sizeof word, "%s%s", before, at(i)->name);
    put(r, word, "");
  }
}

static void put_methods(const request *r) {
  for (int i = 0; hn_method_at(i); i++) put(r, hn_method_at(i)->name, "");
}

// NAME= of all options of a run, or NAME=VALUE of those that are chosen from a list
static void put_run_options(const request *r) {
  static const struct {
    const char *name;
    const hn_type_info *(*at)(int index);
  } lists[] = {{"solver=", hn_solver_at},
               {"correction=", hn_correction_at},
               {"integrator=", hn_integrator_at}};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    // the sign is typed already: names of that list
    if (strncmp(r->value, lists[i].name, strlen(lists[i].name)) == 0) {
      put_types(r, lists[i].at, lists[i].name);
      return;
    }
  // a sign at the end: shells leave no blank behind it
  for (int i = 0; i < hn_option_count(); i++) put(r, hn_option_at(i)->name, "=");
}

// a word of the line with one of these endings, NULL when there is none
static const char *file_among(const request *r, const char *const *endings) {
  // the last word is being typed: it names no file yet
  for (int i = 0; i < r->count - 1; i++)
    for (int k = 0; endings[k]; k++)
      if (text_ends(r->words[i], endings[k])) return r->words[i];
  return NULL;
}

// parameters of the model on the line
static void put_parameters(const request *r) {
  static const char *const endings[] = {".yaml", ".yml", ".json", NULL};
  const char *path = file_among(r, endings);
  hn_model *model = path ? hn_model_create() : NULL;
  // what is wrong with the file is not told here: nothing is offered then
  if (model && !hn_model_load(model, path))
    for (int i = 0; i < hn_model_parameter_count(model); i++)
      put(r, hn_model_parameter_name(model, i), "=");
  hn_model_destroy(model);
}

// columns of the result on the line
static void put_columns(const request *r) {
  static const char *const endings[] = {".csv", ".h5", ".hdf5", NULL};
  const char *path = file_among(r, endings);
  hn_result *result = NULL;
  if (path && !hn_result_read(&result, path, NULL, 0))
    for (int i = 0; i < hn_result_columns(result); i++) put(r, hn_result_name(result, i), "");
  hn_result_destroy(result);
}

// ---- what can follow -----------------------------------------------------------------------

static bool is(const char *a, const char *b) {
  return strcmp(a, b) == 0;
}

// values of an option, by its name; it means the same in all commands
static void put_values(const request *r, const char *option) {
  if (is(option, "method") || is(option, "methods")) put_methods(r);
  if (is(option, "option")) put_run_options(r);
  if (is(option, "set")) put_parameters(r);
  if (is(option, "x") || is(option, "y")) put_columns(r);
  if (is(option, "model")) puts(model_files);
  if (is(option, "at")) put(r, "equilibrium", ""), put(r, "initial", "");
  if (is(option, "axes")) put(r, "alternating", ""), put(r, "y", ""), put(r, "z", "");
  if (is(option, "out") || is(option, "html") || is(option, "animate") || is(option, "motion"))
    puts("@files");
}

// what a command takes besides options; `kind` is the word it has as `operand`
static void put_operands(const request *r, const char *kind) {
  if (is(kind, "model")) puts(model_files);
  if (is(kind, "result")) puts(result_files);
  if (is(kind, "study")) puts("@files .yaml .db");
  if (is(kind, "model or result")) puts("@files .yaml .yml .json .csv .h5 .hdf5");
  if (is(kind, "joint")) put_types(r, hn_joint_type_at, "");
  if (is(kind, "force")) put_types(r, hn_force_type_at, "");
  if (is(kind, "shell")) puts("bash\nzsh");
  for (int i = 0; is(kind, "example") && hn_example_name(i); i++) puts(hn_example_name(i));
  for (int i = 0; is(kind, "family") && family_at(i); i++) puts(family_at(i)->name);
  for (int i = 0; is(kind, "paper") && paper_name(i); i++) puts(paper_name(i));
}

static void put_commands(void) {
  for (int i = 0; command_at(i); i++)
    if (!command_at(i)->hidden) puts(command_at(i)->name);
  puts("help\n--help\n--version");
}

// the option that takes a value and is named by a word of this length; NULL when there is none
static const struct option *option_of(const command *c, const char *word, size_t length) {
  for (const struct option *o = c->options; o && o->name; o++) {
    bool named = length > 2 && strncmp(word, "--", 2) == 0 && strlen(o->name) == length - 2 &&
                 strncmp(word + 2, o->name, length - 2) == 0;
    // letters are their own numbers in tables of options
    bool letter = length == 2 && word[0] == '-' && word[1] == o->val;
    if (o->has_arg && (named || letter)) return o;
  }
  return NULL;
}

static int put_candidates(int count, char **words) {
  const command *c = NULL;
  for (int i = 0; command_at(i) && count > 1; i++)
    if (is(command_at(i)->name, words[0])) c = command_at(i);
  // behind 'help' a command stands
  if (count <= 1 || (is(words[0], "help") && count == 2)) put_commands();
  if (!c) return CODE_DONE;
  const char *current = words[count - 1], *sign = strchr(current, '=');
  request r = {.count = count, .words = words, .value = current};
  // a value stands behind its option, or behind the sign in --name=value
  const struct option *option = option_of(c, words[count - 2], strlen(words[count - 2]));
  if (!option && sign && (option = option_of(c, current, (size_t)(sign - current)))) {
    r.value = sign + 1;
    snprintf(r.prefix, sizeof r.prefix, "%.*s", (int)(sign + 1 - current), current);
  }
  if (option)
    put_values(&r, option->name);
  else if (current[0] == '-')
    for (const struct option *o = c->options; o && o->name; o++) printf("--%s\n", o->name);
  else
    put_operands(&r, c->operand ? c->operand : "");
  return CODE_DONE;
}

static int run(const command *self, int argc, char **argv) {
  // the words may begin with a dash
  if (argc > 1 && strcmp(argv[1], "words") == 0) {
    int first = argc > 2 && strcmp(argv[2], "--") == 0 ? 3 : 2;
    return put_candidates(argc - first, argv + first);
  }
  int c;
  while ((c = next_option(self, argc, argv, self->options)) != OPTION_END)
    return c == OPTION_HELP ? CODE_DONE : CODE_USAGE;
  const char *shell = single_operand(self, argc, argv, "shell");
  if (!shell) return CODE_USAGE;
  if (strcmp(shell, "bash") == 0) return fputs(bash_script, stdout), CODE_DONE;
  if (strcmp(shell, "zsh") == 0) return fputs(zsh_script, stdout), CODE_DONE;
  return usage_error(self, "there is completion for bash and zsh, not for '%s'", shell);
}

const command command_completion = {
    .name = "completion",
    .help = "print the completion script for bash or zsh",
    .usage = usage,
    .run = run,
    .options = help_only,
    .operand = "shell",
};
