// test_memory.c: every command with one allocation that fails, or all from one on.
//
// Whatever allocation it is: no crash, exit code 1 and "out of memory" (or nothing happens, where
// the memory was a wish only), no file half-written, nothing left behind.
#define _GNU_SOURCE  // RTLD_NEXT
#include "program.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>

// ---- an allocator that fails when it is told to --------------------------------------------

static atomic_long heap_calls, heap_fails_at;
static atomic_bool heap_armed, heap_goes_on;

static bool heap_refuses(void) {
  if (!atomic_load(&heap_armed)) return false;
  long n = atomic_fetch_add(&heap_calls, 1) + 1, at = atomic_load(&heap_fails_at);
  return at && (atomic_load(&heap_goes_on) ? n >= at : n == at);
}

#if defined(__SANITIZE_ADDRESS__)
#define OWN_HEAP 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OWN_HEAP 0
#endif
#endif
#ifndef OWN_HEAP
#define OWN_HEAP 1
#endif

#if OWN_HEAP
// glibc's own entry points: the calls of all libraries pass through here
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
void *malloc(size_t size) {
  return heap_refuses() ? (errno = ENOMEM, NULL) : __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  return heap_refuses() ? (errno = ENOMEM, NULL) : __libc_calloc(count, size);
}
void *realloc(void *block, size_t size) {
  return heap_refuses() ? (errno = ENOMEM, NULL) : __libc_realloc(block, size);
}
#else
// sanitizers have the heap for themselves: calls of our own objects are led here by the linker
extern void *__real_malloc(size_t size);
extern void *__real_calloc(size_t count, size_t size);
extern void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size) {
  return heap_refuses() ? (errno = ENOMEM, NULL) : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size) {
  return heap_refuses() ? (errno = ENOMEM, NULL) : __real_calloc(count, size);
}
void *__wrap_realloc(void *block, size_t size) {
  return heap_refuses() ? (errno = ENOMEM, NULL) : __real_realloc(block, size);
}
#endif

// SUNDIALS makes its context without looking whether there is memory for it; the library sees to it
// before that there is, which an allocator that fails by number cannot know. This one stands before
// theirs, also for a shared library
int SUNContext_Create(void *comm, void *context);
int SUNContext_Create(void *comm, void *context) {
  bool armed = atomic_exchange(&heap_armed, false);
  void *symbol = dlsym(RTLD_NEXT, "SUNContext_Create");
  int (*theirs)(void *, void *) = NULL, flag = -1;
  memcpy(&theirs, &symbol, sizeof theirs);
  if (theirs) flag = theirs(comm, context);
  atomic_store(&heap_armed, armed);
  return flag;
}

static void arm(void) {
  atomic_store(&heap_calls, 0);
  atomic_store(&heap_armed, true);
}
static void disarm(void) {
  atomic_store(&heap_armed, false);
}

// ---- the commands --------------------------------------------------------------------------

static char folder[400];

typedef struct trial {
  const char *words;  // @ stands for the folder
  const char *file;   // what it writes there, NULL: nothing
} trial;

static const trial trials[] = {
    {"check models/four_bar.yaml", NULL},
    {"check models/bricard.yaml --json", NULL},
    {"run models/pendulum.yaml --duration 0.05 --out @/r.csv", "r.csv"},
    {"run models/four_bar.yaml --duration 0.02 --json --html @/r.html", "r.html"},
    {"run models/pendulum.yaml --duration 0.02 --out @/r.h5", "r.h5"},
    {"run models/four_bar.yaml --duration 0.001 --method index2-bdf", NULL},
    {"run models/four_bar.yaml --duration 0.001 --method index1-bdf", NULL},
    {"run models/four_bar.yaml --duration 0.001 --method tangent-space-bdf", NULL},
    {"run models/four_bar.yaml --duration 0.001 --method implicit-partitioning-bdf", NULL},
    {"run models/four_bar.yaml --duration 0.002 --step 1e-3 --method index3-alpha", NULL},
    {"run models/four_bar.yaml --duration 0.002 --step 1e-3 --option coordinates=natural", NULL},
    {"statics models/four_bar.yaml --out @/r.csv", "r.csv"},
    {"modes models/iltis_suspension.yaml", NULL},
    {"code models/four_bar.yaml --out @/r.c", "r.c"},
    {"compare models/pendulum.yaml --methods standard,baumgarte --jobs 1 --duration 0.02 --out @",
     "table.csv"},
    {"plot @/given.csv --out @/r.svg", "r.svg"},
    {"generate n-four-bar --n 3 --out @/r.yaml", "r.yaml"},
};
enum { TRIALS = sizeof trials / sizeof *trials };

static void expand(char *out, size_t size, const char *words) {
  size_t used = 0;
  out[0] = 0;
  for (; *words && used + 1 < size; words++)
    used += *words == '@' ? (size_t)snprintf(out + used, size - used, "%s", folder)
                          : (size_t)snprintf(out + used, size - used, "%c", *words);
}

static void put_old(const char *path) {
  FILE *f = fopen(path, "w");
  if (f) fputs("old\n", f), fclose(f);
}

static bool is_old(const char *path) {
  char text[8] = "";
  FILE *f = fopen(path, "r");
  if (f) {
    if (!fgets(text, sizeof text, f)) text[0] = 0;
    fclose(f);
  }
  return strcmp(text, "old\n") == 0;
}

static long size_of(const char *path) {
  struct stat info;
  return stat(path, &info) ? -1 : (long)info.st_size;
}

static bool left_behind(void) {
  DIR *d = opendir(folder);
  bool found = false;
  for (struct dirent *e; d && (e = readdir(d));)
    if (strstr(e->d_name, ".tmp")) found = true;
  if (d) closedir(d);
  return found;
}

// numbers of digits differ a little where times are written; HDF5 without memory to compress writes
// more
static bool complete(const char *path, long size) {
  long n = size_of(path), differs = 64 + size / 50;
  return n >= size - differs && (n <= size + differs || strstr(path, ".h5"));
}

static void inject(const trial *t, int cases) {
  char words[1024], path[512] = "", what[1200];
  expand(words, sizeof words, t->words);
  if (t->file) snprintf(path, sizeof path, "%s/%s", folder, t->file);
  atomic_store(&heap_fails_at, 0);
  program_watch(60, words);
  int usual = program(words);
  if (strstr(said_err, "built without")) return;
  // what the child of HDF5 allocates is not seen here
  long count = atomic_load(&heap_calls) + (strstr(words, ".h5") ? 2000 : 0),
       size = t->file ? size_of(path) : 0;
  int refused = 0;
  if (!CHECK(usual == 0)) printf("%s: %s\n", words, said_err);
  for (int k = 0; k < cases; k++) {
    // the first ones one by one, the others by chance
    long n = k < cases / 4 ? k + 1 : 1 + (long)test_random(0, (double)count);
    if (n > count) continue;
    if (t->file) put_old(path);
    atomic_store(&heap_fails_at, n);
    atomic_store(&heap_goes_on, k % 2 == 1);
    snprintf(what, sizeof what, "%s, allocation %ld of %ld%s", words, n, count,
             k % 2 ? " and all others" : "");
    program_watch(60, what);
    int code = program(words);
    refused += code == 1;
    bool good = code == 1 || (code == usual && (!t->file || complete(path, size)));
    // a table of methods may say of one of them that there was no memory
    bool table = t->file && strcmp(t->file, "table.csv") == 0 && size_of(path) > 100;
    if (t->file && code == 1) good = good && (is_old(path) || complete(path, size) || table);
    if (!CHECK(good && !left_behind()))
      printf("%s: exit code %d, file %ld of %ld bytes\n%s\n", what, code,
             t->file ? size_of(path) : 0, size, said_err);
  }
  alarm(0);
  printf("%-90s %ld allocations, %d of %d refused\n", t->words, count, refused, cases);
}

int main(void) {
  char words[1024], path[512];
  program_begin();
  test_scratch(folder, sizeof folder, "memory");
  mkdir(folder, 0700);
  snprintf(words, sizeof words, "run models/pendulum.yaml --duration 0.1 --out %s/given.csv",
           folder);
  CHECK(program(words) == 0);
  program_before = arm, program_after = disarm;
  for (int i = 0; i < TRIALS; i++) inject(&trials[i], OWN_HEAP ? 160 : 24);
  program_before = program_after = NULL;
  static const char *const files[] = {"given.csv", "r.csv",     "r.html", "r.h5",
                                      "r.c",       "table.csv", "r.svg",  "r.yaml"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, files[i]);
    unlink(path);
  }
  return test_end();
}
