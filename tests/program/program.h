// program.h: the commands of the program inside the test's own process, thousands of times a
// second.
//
// The program's main() is linked in under another name. What it prints goes to two files that are
// read back; getopt() is set to its beginning before every call.
#ifndef HN_TESTS_PROGRAM_H
#define HN_TESTS_PROGRAM_H

#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

extern int holon_main(int argc, char **argv);

enum { SAID = 1 << 18, MOST_WORDS = 24 };
static char said_out[SAID], said_err[SAID];  // what the last call printed, cut when it is longer
static int said_files[2], said_own[2];

static int program_scratch(const char *name) {
  char path[512];
  test_scratch(path, sizeof path, name);
  int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  unlink(path);
  return file;
}

// before the first call
static void program_begin(void) {
  said_files[0] = program_scratch("said_out");
  said_files[1] = program_scratch("said_err");
  said_own[0] = dup(STDOUT_FILENO);
  said_own[1] = dup(STDERR_FILENO);
  CHECK(said_files[0] >= 0 && said_files[1] >= 0);
}

static void program_redirect(const int *files) {
  fflush(stdout);
  fflush(stderr);
  dup2(files[0], STDOUT_FILENO);
  dup2(files[1], STDERR_FILENO);
}

static void program_read(int file, char *text) {
  ssize_t n = pread(file, text, SAID - 1, 0);
  text[n > 0 ? n : 0] = 0;
}

static void (*program_before)(void), (*program_after)(void);  // around the call itself

// words: blanks separate arguments
static int program(const char *words) {
  static char copy[4096];
  char *argv[MOST_WORDS + 2] = {NULL}, *rest = NULL, name[] = "holon";
  int argc = 0;
  snprintf(copy, sizeof copy, "%s", words);
  argv[argc++] = name;
  for (char *w = strtok_r(copy, " ", &rest); w && argc <= MOST_WORDS;
       w = strtok_r(NULL, " ", &rest))
    argv[argc++] = w;
  for (int i = 0; i < 2; i++)
    if (ftruncate(said_files[i], 0) == 0) lseek(said_files[i], 0, SEEK_SET);
  program_redirect(said_files);
  optind = 0;
  if (program_before) program_before();
  int code = holon_main(argc, argv);
  if (program_after) program_after();
  program_redirect(said_own);
  clearerr(stdout);
  program_read(said_files[0], said_out);
  program_read(said_files[1], said_err);
  return code;
}

// a call that hangs ends the test and says which one it was
static char program_doing[256];
static void program_hangs(int number) {
  (void)number;
  static const char words[] = "\na call does not come to an end: ";
  if (write(said_own[0], words, sizeof words - 1) < 0 ||
      write(said_own[0], program_doing, strlen(program_doing)) < 0)
    _exit(3);
  _exit(2);
}

static void program_watch(unsigned seconds, const char *what) {
  snprintf(program_doing, sizeof program_doing, "%.250s\n", what);
  signal(SIGALRM, program_hangs);
  alarm(seconds);
}

#endif
