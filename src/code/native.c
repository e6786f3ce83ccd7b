// native.c: the C source of a system, compiled and loaded.
//
// The compiler is `cc`, or what CC says; HOLON_CFLAGS replaces the options. By default code is
// compiled like the library: for any processor of the machine's kind and without fused
// multiply-add, so that results do not depend on the model of the processor. Files live in a
// directory of their own below TMPDIR and are gone when this returns.
#include "code/native.h"

#include "code/formulas.h"

#include <stdio.h>

static hn_status say(char *message, size_t size, hn_status status, const char *what,
                     const char *detail) {
  snprintf(message, size, "%s%s", what, detail);
  return status;
}

hn_status hn_code_write(const hn_system *sys, char **text, char *message, size_t size) {
  hn_formulas f;
  *text = NULL;
  hn_status status = hn_formulas_build(&f, sys);
  if (!status && !(*text = hn_formulas_write(&f))) status = HN_ERR_MEMORY;
  if (status == HN_ERR_UNSUPPORTED)
    say(message, size, status, "no code can be written for ", f.missing);
  else if (status)
    say(message, size, status, "out of memory", "");
  hn_formulas_clear(&f);
  return status;
}

#ifdef HN_NO_NATIVE

hn_status hn_native_create(hn_system *sys, char *message, size_t size) {
  (void)sys;
  return say(message, size, HN_ERR_UNSUPPORTED, "this build of the library loads no code", "");
}

void hn_native_destroy(hn_native *native) {
  (void)native;
}

#else

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *const usual_flags = "-O2 -fno-math-errno -ffp-contract=off";

enum { MOST_FLAGS = 24, PATH = 256 };

typedef struct files {
  char directory[PATH], source[PATH + 16], object[PATH + 16], log[PATH + 16];
} files;

static bool make_directory(files *p) {
  const char *root = getenv("TMPDIR");
  if (!root || !root[0]) root = "/tmp";
  int length = snprintf(p->directory, sizeof p->directory, "%s/holon-XXXXXX", root);
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
  if (!p->directory[0]) return;
  unlink(p->source), unlink(p->object), unlink(p->log);
  rmdir(p->directory);
}

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
static int spawn(char *const *argv, const char *log) {
  posix_spawn_file_actions_t actions;
  pid_t pid;
  int state = 0, wrong;
  if (posix_spawn_file_actions_init(&actions)) return -1;
  wrong = posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600) ||
          posix_spawn_file_actions_adddup2(&actions, 1, 2) ||
          posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (wrong) return -1;
  while (waitpid(pid, &state, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

static hn_status compile(const files *p, char *message, size_t size) {
  const char *compiler = getenv("CC"), *wish = getenv("HOLON_CFLAGS");
  char program[PATH], flags[PATH], source[sizeof p->source], object[sizeof p->object];
  char shared[] = "-shared", position[] = "-fPIC", output[] = "-o", math[] = "-lm";
  char *argv[MOST_FLAGS + 8], *rest = NULL;
  int count = 0;
  snprintf(program, sizeof program, "%s", compiler && compiler[0] ? compiler : "cc");
  snprintf(flags, sizeof flags, "%s", wish ? wish : usual_flags);
  snprintf(source, sizeof source, "%s", p->source);
  snprintf(object, sizeof object, "%s", p->object);
  // CC may hold options or a launcher in front of the compiler
  for (char *s = strtok_r(program, " ", &rest); s && count < 4; s = strtok_r(NULL, " ", &rest))
    argv[count++] = s;
  for (char *s = strtok_r(flags, " ", &rest); s && count < MOST_FLAGS;
       s = strtok_r(NULL, " ", &rest))
    argv[count++] = s;
  argv[count++] = shared, argv[count++] = position, argv[count++] = output;
  argv[count++] = object, argv[count++] = source, argv[count++] = math;
  argv[count] = NULL;
  int result = spawn(argv, p->log);
  if (result == 0) return HN_OK;
  char line[PATH];
  read_log(p->log, line, sizeof line);
  if (result < 0 || result == 127)
    return say(message, size, HN_ERR_FILE, "no C compiler to be started: ", argv[0]);
  return say(message, size, HN_ERR_FILE, "the C compiler failed: ", line);
}

// a data pointer becomes a function pointer the way POSIX wants it
static bool find(void *handle, const char *name, void *function) {
  void *symbol = dlsym(handle, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

static hn_status load(hn_system *sys, const files *p, char *message, size_t size) {
  hn_native *native = calloc(1, sizeof *native);
  if (!native) return say(message, size, HN_ERR_MEMORY, "out of memory", "");
  native->handle = dlopen(p->object, RTLD_NOW | RTLD_LOCAL);
  if (native->handle && find(native->handle, "holon_motion", &native->motion) &&
      find(native->handle, "holon_projection", &native->projection)) {
    sys->native = native;
    return HN_OK;
  }
  const char *why = dlerror();
  say(message, size, HN_ERR_FILE, "the code cannot be loaded: ", why ? why : "");
  hn_native_destroy(native);
  return HN_ERR_FILE;
}

hn_status hn_native_create(hn_system *sys, char *message, size_t size) {
  char *text;
  files p = {{0}, {0}, {0}, {0}};
  hn_status status = hn_code_write(sys, &text, message, size);
  if (status) return status;
  if (!make_directory(&p) || !write_text(p.source, text))
    status = say(message, size, HN_ERR_FILE, "no temporary file can be written below ", "TMPDIR");
  if (!status) status = compile(&p, message, size);
  if (!status) status = load(sys, &p, message, size);
  remove_files(&p);
  free(text);
  return status;
}

void hn_native_destroy(hn_native *native) {
  if (!native) return;
  if (native->handle) dlclose(native->handle);
  free(native);
}

#endif
