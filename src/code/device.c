// device.c: see device.h. The few functions of CUDA's driver interface and of NVRTC that are used
// stand in two tables, with their types as NVIDIA's documentation has them.
#include "code/device.h"

#ifndef HN_NO_NATIVE

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef unsigned long long pointer;  // into the device's memory

// CUresult is an enum, CUdevice an int, contexts, modules and functions are pointers: types of C
// that need no header of NVIDIA's
// in the order of driver_names
typedef struct driver {
  int (*init)(unsigned);
  int (*version)(int *);
  int (*device_count)(int *);
  int (*device_get)(int *, int);
  int (*device_name)(char *, int, int);
  int (*device_attribute)(int *, int, int);
  int (*context_retain)(void **, int);
  int (*context_release)(int);
  int (*context_set)(void *);
  int (*stream_create)(void **, unsigned);
  int (*stream_wait)(void *);
  int (*stream_destroy)(void *);
  int (*memory_info)(size_t *, size_t *);
  int (*module_load)(void **, const void *);
  int (*module_unload)(void *);
  int (*function_get)(void **, void *, const char *);
  int (*function_attribute)(int *, int, void *);
  int (*allocate)(pointer *, size_t);
  int (*release)(pointer);
  int (*copy_there)(pointer, const void *, size_t, void *);
  int (*copy_back)(void *, pointer, size_t, void *);
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                void *, void **, void **);
  int (*error_text)(int, const char **);
} driver;

// in the order of compiler_names
typedef struct compiler {
  int (*version)(int *, int *);
  int (*create)(void **, const char *, const char *, int, const char *const *, const char *const *);
  int (*compile)(void *, int, const char *const *);
  int (*log_size)(void *, size_t *);
  int (*log)(void *, char *);
  int (*code_size)(void *, size_t *);
  int (*code)(void *, char *);
  int (*destroy)(void **);
} compiler;

// in the order of the members above, with the versions that the driver exports
static const char *const driver_names[] = {"cuInit",
                                           "cuDriverGetVersion",
                                           "cuDeviceGetCount",
                                           "cuDeviceGet",
                                           "cuDeviceGetName",
                                           "cuDeviceGetAttribute",
                                           "cuDevicePrimaryCtxRetain",
                                           "cuDevicePrimaryCtxRelease_v2",
                                           "cuCtxSetCurrent",
                                           "cuStreamCreate",
                                           "cuStreamSynchronize",
                                           "cuStreamDestroy_v2",
                                           "cuMemGetInfo_v2",
                                           "cuModuleLoadData",
                                           "cuModuleUnload",
                                           "cuModuleGetFunction",
                                           "cuFuncGetAttribute",
                                           "cuMemAlloc_v2",
                                           "cuMemFree_v2",
                                           "cuMemcpyHtoDAsync_v2",
                                           "cuMemcpyDtoHAsync_v2",
                                           "cuLaunchKernel",
                                           "cuGetErrorString"};
static const char *const compiler_names[] = {
    "nvrtcVersion",       "nvrtcCreateProgram", "nvrtcCompileProgram", "nvrtcGetProgramLogSize",
    "nvrtcGetProgramLog", "nvrtcGetCUBINSize",  "nvrtcGetCUBIN",       "nvrtcDestroyProgram"};
enum {
  // attributes of CUdevice_attribute
  CAPABILITY_MAJOR = 75,
  CAPABILITY_MINOR = 76,
  DRIVER_FUNCTIONS = sizeof driver_names / sizeof *driver_names,
  COMPILER_FUNCTIONS = sizeof compiler_names / sizeof *compiler_names,
  // [threads] a block; a multiple of the 32 that run together
  THREADS = 128
};
_Static_assert(sizeof(driver) == DRIVER_FUNCTIONS * sizeof(void *), "a name for every function");
_Static_assert(sizeof(compiler) == COMPILER_FUNCTIONS * sizeof(void *),
               "a name for every function");

// more registers leave too few threads to hide what numbers of 64 bits take; with fewer, larger
// models spill (measured on an H200, bench/RESULTS.md)
static const char *const usual_flags = "--maxrregcount=128";
static const char *const flag_of_numbers[] = {
    [HN_NUMBERS_FAST] = "--fmad=true",
    [HN_NUMBERS_EXACT] = "--fmad=false",
    [HN_NUMBERS_SINGLE] = "-DHOLON_SINGLE=1",
};

// one context, one kernel; what changes while members run is a queue's
struct hn_device {
  void *driver_library, *compiler_library;
  driver d;
  compiler c;
  // first device of the driver; compute capability, for the compiler
  int number, major, minor;
  bool held;  // the context
  void *context, *module, *kernel;
  // numbers of 32 bits
  bool single;
  // of the code that is loaded
  hn_members_sizes sizes;
  char name[160];
};

// CLOCK_MONOTONIC: setting the clock does not disturb it
// What lies in the device's memory for one thread. It is taken once: giving memory back waits for
// everything that runs on the device, members of other threads too.
enum { TABLE, START, ROWS, END, BLOCKS };
struct hn_device_queue {
  hn_device *device;
  void *stream;
  pointer at[BLOCKS];
  long members, rows;  // that fit
  hn_device_times times;
};

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- reaching it -------------------------------------------------------------------------------

// the first that is there
static void *open_first(const char *const *names) {
  void *library = NULL;
  // RTLD_LOCAL: names of NVIDIA's libraries stay their own
  for (int i = 0; names[i] && !library; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  return library;
}

// tables are arrays of pointers of one size (asserted above); the name that is missing, or NULL
static const char *fill(void *library, const char *const *names, int count, void *table) {
  for (int i = 0; i < count; i++) {
    void *symbol = dlsym(library, names[i]);
    if (!symbol) return names[i];
    // memcpy: pointers to functions have no cast from void * in standard C
    memcpy((char *)table + (size_t)i * sizeof symbol, &symbol, sizeof symbol);
  }
  return NULL;
}

static hn_status refuse(char *message, size_t size, const char *what, const char *detail) {
  snprintf(message, size, "no GPU can be used: %s%s", what, detail);
  return HN_ERR_UNSUPPORTED;
}

// names of several versions, the newest first; HOLON_CUDA and HOLON_NVRTC are for other places and
// for tests
static hn_status load_libraries(hn_device *o, char *message, size_t size) {
  // a name of one's own is the only one that is tried first
  const char *own = getenv("HOLON_NVRTC"), *own_driver = getenv("HOLON_CUDA");
  const char *const drivers[] = {own_driver ? own_driver : "libcuda.so.1", NULL};
  const char *const compilers[] = {own ? own : "libnvrtc.so.13",
                                   own ? NULL : "libnvrtc.so.12",
                                   "libnvrtc.so.11.2",
                                   "libnvrtc.so",
                                   "/usr/local/cuda/lib64/libnvrtc.so",
                                   NULL};
  if (!(o->driver_library = open_first(drivers)))
    // what is not there is said by name: users can install it
    return refuse(message, size, "NVIDIA's driver library is not installed: ", drivers[0]);
  if (!(o->compiler_library = open_first(compilers)))
    return refuse(message, size,
                  "NVIDIA's run-time compiler (libnvrtc of the CUDA toolkit) is not found: ",
                  "HOLON_NVRTC may name its file");
  const char *missing = fill(o->driver_library, driver_names, DRIVER_FUNCTIONS, &o->d);
  if (!missing) missing = fill(o->compiler_library, compiler_names, COMPILER_FUNCTIONS, &o->c);
  return missing ? refuse(message, size, "a function is missing, CUDA is too old: ", missing)
                 : HN_OK;
}

// what the driver says of its own failure; true: there is one
// 0 is success in both interfaces
static bool failed(const hn_device *o, int result, const char *what, char *message, size_t size) {
  const char *text = NULL;
  if (result == 0) return false;
  if (o->d.error_text) o->d.error_text(result, &text);
  snprintf(message, size, "the GPU failed: %s: %s", what, text ? text : "unknown error");
  return true;
}

// the primary context is shared with whoever else in the process uses the device
static hn_status take_device(hn_device *o, char *message, size_t size) {
  int count = 0, version = 0, major = 0, minor = 0;
  char name[96] = "";
  // the first device
  if (o->d.init(0) || o->d.device_count(&count) || count < 1 || o->d.device_get(&o->number, 0))
    return refuse(message, size, "the driver shows no device", "");
  o->d.device_name(name, sizeof name, o->number);
  o->d.version(&version);
  o->c.version(&major, &minor);
  o->d.device_attribute(&o->major, CAPABILITY_MAJOR, o->number);
  o->d.device_attribute(&o->minor, CAPABILITY_MINOR, o->number);
  // versions as 1000 major + 10 minor
  snprintf(o->name, sizeof o->name, "%s, driver %d.%d, NVRTC %d.%d", name, version / 1000,
           version % 1000 / 10, major, minor);
  if (failed(o, o->d.context_retain(&o->context, o->number), "context", message, size))
    return HN_ERR_UNSUPPORTED;
  o->held = true;
  return HN_OK;
}

hn_status hn_device_open(hn_device **out, char *message, size_t size) {
  hn_device *o = calloc(1, sizeof *o);
  *out = NULL;
  if (!o) {
    snprintf(message, size, "out of memory");
    return HN_ERR_MEMORY;
  }
  hn_status status = load_libraries(o, message, size);
  if (!status) status = take_device(o, message, size);
  if (status)
    hn_device_close(o);
  else
    *out = o;
  // what was opened before the failure is closed
  return status;
}

void hn_device_close(hn_device *o) {
  if (!o) return;
  if (o->held) {
    // modules belong to a context that must be current
    o->d.context_set(o->context);
    if (o->module) o->d.module_unload(o->module);
    o->d.context_release(o->number);
  }
  if (o->compiler_library) dlclose(o->compiler_library);
  if (o->driver_library) dlclose(o->driver_library);
  free(o);
}

const char *hn_device_name(const hn_device *o) {
  return o->name;
}

// ---- code --------------------------------------------------------------------------------------

// the compiler's first line says which place; the rest are consequences
static void first_error(hn_device *o, void *program, char *message, size_t size) {
  size_t length = 0;
  // with the terminating zero
  o->c.log_size(program, &length);
  char *log = calloc(length + 1, 1);
  if (log) o->c.log(program, log);
  if (log) log[strcspn(log, "\n")] = 0;
  snprintf(message, size, "NVRTC refused the code: %s", log ? log : "");
  free(log);
}

// machine code of the text, free() it
// for this very device (sm_XY): machine code, which the driver need not translate
static char *compile(hn_device *o, const char *text, hn_members_numbers numbers, char *message,
                     size_t size) {
  enum { OWN = 2, MOST = 16 };
  char target[64], own[256], *rest = NULL;
  const char *wish = getenv("HOLON_NVRTC_FLAGS");
  const char *options[MOST] = {target, flag_of_numbers[numbers]};
  int count = OWN;
  void *program = NULL;
  // length of the machine code
  size_t length = 0;
  char *code = NULL;
  snprintf(target, sizeof target, "--gpu-architecture=sm_%d%d", o->major, o->minor);
  snprintf(own, sizeof own, "%s", wish ? wish : usual_flags);
  // words by blanks; too many are dropped
  for (char *s = strtok_r(own, " ", &rest); s && count < MOST; s = strtok_r(NULL, " ", &rest))
    options[count++] = s;
  // no headers: the text includes none on a device
  if (o->c.create(&program, text, "members.cu", 0, NULL, NULL)) {
    snprintf(message, size, "NVRTC cannot be used");
    return NULL;
  }
  if (o->c.compile(program, count, options))
    first_error(o, program, message, size);
  else if (o->c.code_size(program, &length) == 0 && (code = malloc(length + 1)))
    o->c.code(program, code);
  else
    snprintf(message, size, "out of memory");
  o->c.destroy(&program);
  return code;
}

// replaces what was loaded before: a device has one kernel at a time
hn_status hn_device_load(hn_device *o, const hn_members_text *text, hn_members_numbers numbers,
                         char *message, size_t size) {
  char *code = compile(o, text->text, numbers, message, size);
  if (!code) return HN_ERR_UNSUPPORTED;
  o->d.context_set(o->context);
  if (o->module) o->d.module_unload(o->module);
  // NULL until the new one stands: closing must not unload twice
  o->module = NULL;
  o->sizes = text->sizes;
  o->single = numbers == HN_NUMBERS_SINGLE;
  bool wrong =
      failed(o, o->d.module_load(&o->module, code), "loading code", message, size) ||
      failed(o, o->d.function_get(&o->kernel, o->module, "holon_members"), "code", message, size);
  free(code);
  return wrong ? HN_ERR_UNSUPPORTED : HN_OK;
}

// ---- members -----------------------------------------------------------------------------------

// of one number on the device, in bytes
static size_t number_size(const hn_device *o) {
  return o->single ? sizeof(float) : sizeof(double);
}

// numbers of one member with its rows
// Queues are opened one after the other by threads that do not know how many there will be: each
// takes a part of what is left.
long hn_device_room(const hn_device *o, long rows) {
  enum { PART = 16 };
  size_t free_bytes = 0, all = 0;
  o->d.context_set(o->context);
  if (o->d.memory_info(&free_bytes, &all)) return 0;
  double each = (double)(o->sizes.table + o->sizes.start + o->sizes.end) +
                (double)rows * (double)o->sizes.columns;
  return (long)((double)free_bytes / PART / (each * (double)number_size(o) + 1));
}

hn_status hn_device_queue_open(hn_device_queue **out, hn_device *o, long members, long rows,
                               char *message, size_t size) {
  // streams of this kind do not wait for each other
  enum { BY_ITSELF = 1 };
  const hn_members_sizes *s = &o->sizes;
  size_t n = (size_t)members;
  const size_t count[BLOCKS] = {n * (size_t)s->table, n * (size_t)s->start,
                                n * (size_t)s->columns * (size_t)rows, n * (size_t)s->end};
  hn_device_queue *q = calloc(1, sizeof *q);
  *out = q;
  if (!q) {
    snprintf(message, size, "out of memory");
    return HN_ERR_MEMORY;
  }
  *q = (hn_device_queue){.device = o, .members = members, .rows = rows};
  o->d.context_set(o->context);
  bool good = !failed(o, o->d.stream_create(&q->stream, BY_ITSELF), "queue", message, size);
  for (int i = 0; i < BLOCKS && good; i++)
    good = !count[i] ||
           !failed(o, o->d.allocate(&q->at[i], count[i] * number_size(o)), "memory", message, size);
  if (good) return HN_OK;
  hn_device_queue_close(q);
  *out = NULL;
  return HN_ERR_UNSUPPORTED;
}

void hn_device_queue_close(hn_device_queue *q) {
  if (!q) return;
  const driver *d = &q->device->d;
  d->context_set(q->device->context);
  for (int i = 0; i < BLOCKS; i++)
    if (q->at[i]) d->release(q->at[i]);
  if (q->stream) d->stream_destroy(q->stream);
  free(q);
}

// the queue has done everything it was told
static bool done(hn_device_queue *q, const char *what, char *message, size_t size) {
  const hn_device *o = q->device;
  return !failed(o, o->d.stream_wait(q->stream), what, message, size);
}

// numbers of 64 bits on this side, of either size on the other; the caller's array may change when
// this has returned
static bool send(hn_device_queue *q, int to, const double *from, size_t count, char *message,
                 size_t size) {
  // the same width: as they are
  const hn_device *o = q->device;
  if (!count) return true;
  float *narrow = o->single ? malloc(count * sizeof *narrow) : NULL;
  if (o->single && !narrow) return snprintf(message, size, "out of memory"), false;
  for (size_t i = 0; narrow && i < count; i++) narrow[i] = (float)from[i];
  // converted here: half of the bytes travel
  const void *text = narrow ? (const void *)narrow : from;
  bool good = !failed(o, o->d.copy_there(q->at[to], text, count * number_size(o), q->stream),
                      "copy", message, size) &&
              done(q, "copy", message, size);
  free(narrow);
  return good;
}

// the other way; see send
static bool fetch(hn_device_queue *q, double *to, int from, size_t count, char *message,
                  size_t size) {
  const hn_device *o = q->device;
  if (!count) return true;
  float *narrow = o->single ? malloc(count * sizeof *narrow) : NULL;
  if (o->single && !narrow) return snprintf(message, size, "out of memory"), false;
  void *text = narrow ? (void *)narrow : to;
  bool good = !failed(o, o->d.copy_back(text, q->at[from], count * number_size(o), q->stream),
                      "copy", message, size) &&
              done(q, "copy", message, size);
  for (size_t i = 0; narrow && good && i < count; i++) to[i] = narrow[i];
  free(narrow);
  return good;
}

// sizes of zero are not asked for: the driver refuses them
// arguments are pointers to the kernel's parameters, in its order and types (members_text.h)
static bool launch(hn_device_queue *q, long count, double t0, double h, long steps, long every,
                   bool rows, char *message, size_t size) {
  const hn_device *o = q->device;
  // the kernel's integers have 64 bits on every platform
  long long members = count, all = steps, rhythm = every;
  float t0_single = (float)t0, h_single = (float)h;
  // the kernel reads t0 and h in its own width
  pointer none = 0;
  void *const t_at = o->single ? (void *)&t0_single : (void *)&t0;
  void *const h_at = o->single ? (void *)&h_single : (void *)&h;
  // the last block may be partly idle; the kernel looks at `count`
  void *arguments[] = {&members,   &q->at[TABLE], &q->at[START], t_at,
                       h_at,       &all,          &rhythm,       rows ? &q->at[ROWS] : &none,
                       &q->at[END]};
  unsigned blocks = (unsigned)((count + THREADS - 1) / THREADS);
  return !failed(o,
                 o->d.launch(o->kernel, blocks, 1, 1, THREADS, 1, 1, 0, q->stream, arguments, NULL),
                 "start", message, size) &&
         done(q, "steps", message, size);
}

hn_status hn_device_run(hn_device_queue *q, long count, const double *table, const double *start,
                        double t0, double h, long steps, long every, double *rows, double *end,
                        char *message, size_t size) {
  hn_device *o = q->device;
  const hn_members_sizes *s = &o->sizes;
  size_t n = (size_t)count;
  long recorded = rows ? steps / every + 1 : 0;
  if (count > q->members || recorded > q->rows) {
    snprintf(message, size, "the queue was opened for %ld members with %ld rows", q->members,
             q->rows);
    return HN_ERR_ARGUMENT;
  }
  o->d.context_set(o->context);
  // times of copying there, of the steps, of copying back
  double at[4] = {seconds()};
  // everything up to the first failure; memory goes back in any case
  bool good = send(q, TABLE, table, n * (size_t)s->table, message, size) &&
              send(q, START, start, n * (size_t)s->start, message, size);
  at[1] = seconds();
  good = good && launch(q, count, t0, h, steps, every, rows != NULL, message, size);
  at[2] = seconds();
  good = good && fetch(q, rows, ROWS, n * (size_t)s->columns * (size_t)recorded, message, size) &&
         fetch(q, end, END, n * (size_t)s->end, message, size);
  at[3] = seconds();
  q->times = (hn_device_times){at[1] - at[0], at[2] - at[1], at[3] - at[2]};
  return good ? HN_OK : HN_ERR_UNSUPPORTED;
}

hn_device_times hn_device_last(const hn_device_queue *q) {
  return q->times;
}

#else

#include <stdio.h>

// Without code that can be loaded there is no device: everything refuses, so that callers need not
// know.
hn_status hn_device_open(hn_device **out, char *message, size_t size) {
  *out = NULL;
  snprintf(message, size, "no GPU can be used: this build of the library loads no code");
  return HN_ERR_UNSUPPORTED;
}
void hn_device_close(hn_device *device) {
  (void)device;
}
const char *hn_device_name(const hn_device *device) {
  (void)device;
  return "";
}
hn_status hn_device_load(hn_device *device, const hn_members_text *text, hn_members_numbers numbers,
                         char *message, size_t size) {
  (void)device, (void)text, (void)numbers, (void)message, (void)size;
  return HN_ERR_UNSUPPORTED;
}
hn_status hn_device_queue_open(hn_device_queue **out, hn_device *device, long members, long rows,
                               char *message, size_t size) {
  (void)device, (void)members, (void)rows, (void)message, (void)size;
  *out = NULL;
  return HN_ERR_UNSUPPORTED;
}
void hn_device_queue_close(hn_device_queue *queue) {
  (void)queue;
}
hn_status hn_device_run(hn_device_queue *queue, long count, const double *table,
                        const double *start, double t0, double h, long steps, long every,
                        double *rows, double *end, char *message, size_t size) {
  (void)queue, (void)count, (void)table, (void)start, (void)t0, (void)h, (void)steps;
  (void)every, (void)rows, (void)end, (void)message, (void)size;
  return HN_ERR_UNSUPPORTED;
}
long hn_device_room(const hn_device *device, long rows) {
  (void)device, (void)rows;
  return 0;
}
hn_device_times hn_device_last(const hn_device_queue *queue) {
  (void)queue;
  return (hn_device_times){0, 0, 0};
}

#endif
