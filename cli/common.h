// common.h: what the commands of the program share.
//
// A command is one file that ends with one `const command`; main.c lists them. Results go to
// standard output, everything that is said about them to standard error.
#ifndef CLI_COMMON_H
#define CLI_COMMON_H

#include <getopt.h>
#include <holon/holon.h>
#include <stdio.h>

// exit codes
enum {
  CODE_DONE = 0,
  CODE_FAILED = 1,  // the run failed or was stopped, or a file could not be written
  CODE_USAGE = 2,   // wrong usage, or a model that cannot be run
  CODE_AUDIT = 3,   // finished, but the audit failed
};

typedef struct command {
  const char *name;
  const char *help;                                               // one line
  const char *usage;                                              // the whole help screen
  int (*run)(const struct command *self, int argc, char **argv);  // argv[0] is the name
  const struct option *options;                                   // its table
  const char
      *operand;  // what it takes besides, for completion: "model", "result" ...; NULL: nothing
  bool hidden;   // not listed by 'holon --help'
} command;

// the table of commands that have no options but --help
extern const struct option help_only[];
// all commands in the order in which they are listed; NULL past the end
const command *command_at(int index);

// ---- arguments -----------------------------------------------------------------------------

enum { OPTION_END = -1, OPTION_WRONG = '?', OPTION_HELP = 'h' };

// the next option by its `val`; a val that is a letter is a short option too. says itself what is
// wrong before it answers OPTION_WRONG, and prints the help screen before OPTION_HELP
int next_option(const command *self, int argc, char **argv, const struct option *options);
// the one argument that is not an option; NULL, and said so, when there is none or more
const char *single_operand(const command *self, int argc, char **argv, const char *what);
// "holon: ..." on standard error; returns CODE_USAGE
__attribute__((format(printf, 2, 3))) int usage_error(const command *self, const char *format, ...);

// something was refused for lack of memory: that is a failure, not wrong usage
bool ran_out_of_memory(void);

// the name most like the word, or NULL when none is close
const char *nearest(const char *word, int count, const char *const *names);

typedef struct setting {
  const char *name, *value;
} setting;
// "name=value"; `option` is named in the message when it is not like that
bool split_setting(const command *self, const char *option, char *text, setting *out);

// ---- models and files ----------------------------------------------------------------------

// reads a model file ("-": standard input) with some parameters set; hn_model_error() explains
hn_status load_model(hn_model *model, const char *path, const setting *set, int set_count);
// hn_compile(), with a word on the terminal where it takes long
hn_status compile_model(hn_system **system, hn_model *model, const char *path, bool quiet);
// a whole file; false: it cannot be read, and *out is empty. free() the data
typedef struct bytes {
  char *data;
  size_t length;
} bytes;
bool read_whole(const char *path, bytes *out);
// the text of a model file; of a robot file that which is made of it
hn_status read_model_text(const char *path, bytes *out, char *message, size_t size);
// a step as options take it, above zero
bool step_option(const char *text, double *step);
// does it end so, in upper or lower case?
bool text_ends(const char *text, const char *ending);
// a page to be written has the right ending and a folder that takes it; says so when not
bool check_html(const command *self, const char *path);
bool check_live(const command *self, bool live, const char *page);  // is there what --live needs?
// what is read from there (single_operand() and load_model() know) must not be written over
void note_input(const char *path);
// why a file with that path could not be written, or NULL; nothing is touched
const char *not_writable(const char *path);
// a text file that is written whole, when it is closed, or not at all; both say what is wrong
typedef struct output {
  const char *path;
  FILE *stream;
  char *text;
  size_t length;
  bool cut;  // something was not taken by the stream: memory ran out, which it does not tell itself
} output;
bool output_open(output *o, const char *path);
// a result that says it is incomplete is said to be
void say_incomplete(const char *path, const hn_result *result);
bool output_close(output *o);
// a folder to write to, made if need be; NULL is none and fine. false: it cannot be, and said so
bool make_folder(const command *self, const char *folder);
double thread_time(void);  // [s] processor time of this thread
// can a result be written there? NULL can. Says itself what is wrong: a result that cannot be
// written is refused before the work, not after it
bool check_result_path(const command *self, const char *path);

// ---- work that takes its time ---------------------------------------------------------------

// Ctrl-C and the like ask for an end, which the command comes to; who insists gets it at once
void catch_signals(void);
bool stop_wanted(void);
void forget_stop(void);

// ---- text ----------------------------------------------------------------------------------

enum { SCREEN = 80, CELL = 32 };  // columns of a help screen; characters of a number

// cells row by row; `align` has one 'l' or 'r' for each column
void print_table(FILE *out, const char *align, int rows, const char *const *cells);
// words broken into lines that start at column `indent`; the first line is there already
void print_wrapped(FILE *out, int indent, const char *text);
// the shortest text that reads back as the same number
const char *number_text(char out[CELL], double x);
// three digits, for people
const char *short_text(char out[CELL], double x);
const char *plural(int count);  // "" or "s"
// the first names, and how many more there are
void print_names(FILE *out, int count, const char *const *name, int indent);
// the same of the redundant rows
void print_redundant(FILE *out, const hn_check *check, int indent);

// ---- JSON ----------------------------------------------------------------------------------

// one value on standard output; key is NULL in lists
typedef struct json {
  int depth;
  bool started;  // the innermost list or object has something in it
  char close[8];
} json;
void json_open(json *j, const char *key, char bracket);  // '{' or '['
void json_close(json *j);
void json_string(json *j, const char *key, const char *text);
void json_number(json *j, const char *key, double x);  // null when it is not finite
void json_integer(json *j, const char *key, long x);
void json_flag(json *j, const char *key, bool x);
void json_null(json *j, const char *key);
void json_names(json *j, const char *key, int count, const char *const *name);
void json_redundant(json *j, const hn_check *check);  // "redundant_rows": names
// what assembly changed: "moved", "turned" at most, "start": sentences, "changes": by body
void json_start(json *j, const hn_check *check);

#endif
