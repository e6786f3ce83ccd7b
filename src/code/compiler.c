// compiler.c: see compiler.h.
//
// The compiler is `cc`, or what CC says; HOLON_CFLAGS replaces the options. By default code is
// compiled like the library: for any processor of the machine's kind and without fused
// multiply-add, so that results do not depend on the model of the processor. Files live in a
// directory of their own below TMPDIR and are gone when this returns.
#include "code/compiler.h"

#ifndef HN_NO_NATIVE

#include "base/file.h"
#include "code/cache.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// POSIX has it in no header
extern char **environ;

// no flag that trades accuracy for speed: code must give the library's numbers up to the order of
// sums
static const char *const usual_flags = "-O2 -fno-math-errno -ffp-contract=off";

enum { MOST_FLAGS = 24, PATH = 256 };

typedef struct files {
  // source, object and log have room for their own name
  char directory[PATH], source[PATH + 16], object[PATH + 16], log[PATH + 16];
} files;

// the words of a command line
typedef struct command {
  // copies: strtok_r cuts them into words
  char program[PATH], flags[4 * PATH], more[PATH];
  char *argv[3 * MOST_FLAGS + 12];
  int count;
  bool whole;  // all words have found room: half of the flags would make other code
} command;

static hn_status say(char *message, size_t size, hn_status status, const char *what,
                     const char *detail) {
  snprintf(message, size, "%s%s", what, detail);
  return status;
}

// mkdtemp(): nobody else can have put a model.c there
static bool make_directory(files *p) {
  const char *root = getenv("TMPDIR");
  if (!root || !root[0]) root = "/tmp";
  int length = snprintf(p->directory, sizeof p->directory, "%s/holon-XXXXXX", root);
  // mkdtemp replaces the X's, and makes the folder for this user alone
  if (length < 0 || length >= PATH || !mkdtemp(p->directory)) {
    p->directory[0] = 0;
    return false;
  }
  snprintf(p->source, sizeof p->source, "%s/model.c", p->directory);
  snprintf(p->object, sizeof p->object, "%s/model.so", p->directory);
  snprintf(p->log, sizeof p->log, "%s/log", p->directory);
  return true;
}

static void remove_files(const files *p) {
  // unlink of what was never made does no harm
  if (!p->directory[0]) return;
  unlink(p->source), unlink(p->object), unlink(p->log);
  rmdir(p->directory);
}

// fclose() tells of a full disk
static bool write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  if (!file) return false;
  bool good = fputs(text, file) >= 0;
  return fclose(file) == 0 && good;
}

// the first line of the compiler's complaints
static void read_log(const char *path, char *line, int size) {
  FILE *file = fopen(path, "r");
  line[0] = 0;
  if (!file) return;
  if (fgets(line, size, file)) line[strcspn(line, "\n")] = 0;
  fclose(file);
}

// runs it with its output in the log; its exit status, -1 when it cannot be started
// no shell: nothing in a path or flag means anything but itself
// argv[0] is looked for in PATH
static int spawn(char *const *argv, const char *log) {
  posix_spawn_file_actions_t actions;
  pid_t pid;
  int state = 0, wrong;
  if (posix_spawn_file_actions_init(&actions)) return -1;
  // both outputs of the compiler into the log
  wrong = posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600) ||
          posix_spawn_file_actions_adddup2(&actions, 1, 2) ||
          posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (wrong) return -1;
  // signals interrupt waiting, not compiling
  while (waitpid(pid, &state, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

static void add_words(command *c, char *text, int most) {
  char *rest = NULL;
  for (char *s = strtok_r(text, " ", &rest); s; s = strtok_r(NULL, " ", &rest)) {
    // from the first word too many on nothing counts
    c->whole = c->whole && most-- > 0;
    if (c->whole) c->argv[c->count++] = s;
  }
}

static void copy_words(command *c, char *to, size_t size, const char *text) {
  int length = snprintf(to, size, "%s", text);
  c->whole = c->whole && length >= 0 && (size_t)length < size;
}

// CC may hold options or a launcher in front of the compiler
static void begin_command(command *c, const char *usual, const char *more) {
  const char *compiler = getenv("CC"), *wish = getenv("HOLON_CFLAGS");
  c->count = 0;
  c->whole = true;
  copy_words(c, c->program, sizeof c->program, compiler && compiler[0] ? compiler : "cc");
  // HOLON_CFLAGS wins over what the caller likes
  copy_words(c, c->flags, sizeof c->flags, wish ? wish : usual ? usual : usual_flags);
  copy_words(c, c->more, sizeof c->more, more);
  add_words(c, c->program, 4);
  add_words(c, c->flags, MOST_FLAGS);
  add_words(c, c->more, MOST_FLAGS);
}

// exit status 127: the program of the command was not found
static hn_status compile(command *c, const files *p, char *message, size_t size) {
  char source[sizeof p->source], object[sizeof p->object];
  char shared[] = "-shared", position[] = "-fPIC", output[] = "-o", math[] = "-lm";
  if (!c->whole)
    return say(message, size, HN_ERR_ARGUMENT, "CC or HOLON_CFLAGS is longer than expected",
               " (4 words, 24 words, 1000 characters)");
  snprintf(source, sizeof source, "%s", p->source);
  snprintf(object, sizeof object, "%s", p->object);
  // a shared object of position-independent code, with libm
  c->argv[c->count++] = shared, c->argv[c->count++] = position, c->argv[c->count++] = output;
  c->argv[c->count++] = object, c->argv[c->count++] = source, c->argv[c->count++] = math;
  c->argv[c->count] = NULL;
  int result = spawn(c->argv, p->log);
  if (result == 0) return HN_OK;
  char line[PATH];
  // the first line says most
  read_log(p->log, line, sizeof line);
  if (result < 0 || result == 127)
    return say(message, size, HN_ERR_FILE, "no C compiler to be started: ", c->argv[0]);
  return say(message, size, HN_ERR_FILE, "the C compiler failed: ", line);
}

// a file that PATH leads to, and what changes when another one takes its place
// A compiler that was updated is another one: its file has another size, date or number.
static void describe_program(FILE *out, const char *name) {
  const char *path = getenv("PATH");
  char file[2 * PATH];
  struct stat s;
  // a name with a slash is no matter of PATH
  bool found = strchr(name, '/') && snprintf(file, sizeof file, "%s", name) > 0 && !stat(file, &s);
  while (!found && !strchr(name, '/') && path && *path) {
    int length = (int)strcspn(path, ":");
    snprintf(file, sizeof file, "%.*s/%s", length, path, name);
    found = access(file, X_OK) == 0 && stat(file, &s) == 0;
    // an empty entry of PATH is the current folder, and leads to "/name": not found
    path += length + (path[length] == ':');
  }
  if (found)
    fprintf(out, "%s %ld %ld %ld\n", file, (long)s.st_ino, (long)s.st_size, (long)s.st_mtime);
}

// everything the object depends on; free() it, NULL when out of memory
// also what CC launches is described, word by word
static char *key_of(const command *c, const char *text) {
  char *key = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&key, &length);
  if (!out) return NULL;
  for (int i = 0; i < c->count; i++) {
    // words that are no options may be programs
    fprintf(out, "%s\n", c->argv[i]);
    if (c->argv[i][0] != '-') describe_program(out, c->argv[i]);
  }
  fputs(text, out);
  if (fclose(out) == 0) return key;
  free(key);
  return NULL;
}

// an object that is loaded stays loaded when its file is gone
static hn_status make(command *c, const char *text, const char *key, void **handle, char *message,
                      size_t size) {
  files p = {{0}, {0}, {0}, {0}};
  hn_status status = HN_OK;
  if (!make_directory(&p) || !write_text(p.source, text))
    status = say(message, size, HN_ERR_FILE, "no temporary file can be written below ", "TMPDIR");
  if (!status) status = compile(c, &p, message, size);
  if (!status && !(*handle = dlopen(p.object, RTLD_NOW | RTLD_LOCAL))) {
    const char *why = dlerror();
    // RTLD_NOW: what is missing is found out here
    status = say(message, size, HN_ERR_FILE, "the code cannot be loaded: ", why ? why : "");
  }
  // kept only after it has proved to load
  if (!status && key) hn_cache_keep(key, p.object);
  remove_files(&p);
  return status;
}

hn_status hn_compile_object(const char *text, const char *more, char **bytes, size_t *length,
                            char *message, size_t size) {
  files p = {{0}, {0}, {0}, {0}};
  command c;
  char reason[HN_MESSAGE];
  hn_status status = HN_OK;
  *bytes = NULL;
  begin_command(&c, NULL, more);
  if (!make_directory(&p) || !write_text(p.source, text))
    status = say(message, size, HN_ERR_FILE, "no temporary file can be written below ", "TMPDIR");
  if (!status) status = compile(&c, &p, message, size);
  if (!status && (status = hn_load_file(bytes, length, p.object, reason)))
    say(message, size, status, reason, "");
  remove_files(&p);
  return status;
}

void *hn_compiled_before(const char *text, const char *usual, const char *more) {
  command c;
  begin_command(&c, usual, more);
  char *key = c.whole ? key_of(&c, text) : NULL;
  void *handle = key ? hn_cache_load(key) : NULL;
  free(key);
  return handle;
}

hn_status hn_compile_text(const char *text, const char *usual, const char *more, void **handle,
                          char *message, size_t size) {
  command c;
  begin_command(&c, usual, more);
  // a command that is cut has no key, and is refused by `compile`
  char *key = c.whole ? key_of(&c, text) : NULL;
  *handle = key ? hn_cache_load(key) : NULL;
  hn_status status = *handle ? HN_OK : make(&c, text, key, handle, message, size);
  free(key);
  return status;
}

void hn_unload(void *handle) {
  if (handle) dlclose(handle);
}

// a data pointer becomes a function pointer the way POSIX wants it
bool hn_find_function(void *handle, const char *name, void *function) {
  void *symbol = dlsym(handle, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

#else

#include <stdio.h>

hn_status hn_compile_text(const char *text, const char *usual, const char *more, void **handle,
                          char *message, size_t size) {
  (void)text, (void)usual, (void)more;
  *handle = NULL;
  snprintf(message, size, "this build of the library loads no code");
  return HN_ERR_UNSUPPORTED;
}

hn_status hn_compile_object(const char *text, const char *more, char **bytes, size_t *length,
                            char *message, size_t size) {
  (void)text, (void)more;
  *bytes = NULL, *length = 0;
  snprintf(message, size, "this build of the library compiles no code");
  return HN_ERR_UNSUPPORTED;
}

void *hn_compiled_before(const char *text, const char *usual, const char *more) {
  (void)text, (void)usual, (void)more;
  return NULL;
}

void hn_unload(void *handle) {
  (void)handle;
}

bool hn_find_function(void *handle, const char *name, void *function) {
  (void)handle, (void)name, (void)function;
  return false;
}

#endif
