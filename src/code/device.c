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
  int (*synchronize)(void);
  int (*memory_info)(size_t *, size_t *);
  int (*module_load)(void **, const void *);
  int (*module_unload)(void *);
  int (*function_get)(void **, void *, const char *);
  int (*function_attribute)(int *, int, void *);
  int (*allocate)(pointer *, size_t);
  int (*release)(pointer);
  int (*copy_there)(pointer, const void *, size_t);
  int (*copy_back)(void *, pointer, size_t);
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                void *, void **, void **);
  int (*error_text)(int, const char **);
} driver;

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
                                           "cuCtxSynchronize",
                                           "cuMemGetInfo_v2",
                                           "cuModuleLoadData",
                                           "cuModuleUnload",
                                           "cuModuleGetFunction",
                                           "cuFuncGetAttribute",
                                           "cuMemAlloc_v2",
                                           "cuMemFree_v2",
                                           "cuMemcpyHtoD_v2",
                                           "cuMemcpyDtoH_v2",
                                           "cuLaunchKernel",
                                           "cuGetErrorString"};
static const char *const compiler_names[] = {
    "nvrtcVersion",       "nvrtcCreateProgram", "nvrtcCompileProgram", "nvrtcGetProgramLogSize",
    "nvrtcGetProgramLog", "nvrtcGetCUBINSize",  "nvrtcGetCUBIN",       "nvrtcDestroyProgram"};
enum {
  CAPABILITY_MAJOR = 75,
  CAPABILITY_MINOR = 76,
  DRIVER_FUNCTIONS = sizeof driver_names / sizeof *driver_names,
  COMPILER_FUNCTIONS = sizeof compiler_names / sizeof *compiler_names,
  THREADS = 128
};
_Static_assert(sizeof(driver) == DRIVER_FUNCTIONS * sizeof(void *), "a name for every function");
_Static_assert(sizeof(compiler) == COMPILER_FUNCTIONS * sizeof(void *),
               "a name for every function");

// more registers leave too few threads to hide what numbers of 64 bits take; with fewer, larger
// models spill (measured on an H200, bench/RESULTS.md)
static const char *const usual_flags = "--maxrregcount=128";

// one context, one kernel; one thread at a time, which crowd.c sees to
struct hn_device {
  void *driver_library, *compiler_library;
  driver d;
  compiler c;
  int number, major, minor;
  bool held;  // the context
  void *context, *module, *kernel;
  bool single;
  hn_members_sizes sizes;
  hn_device_times times;
  char name[160];
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
  for (int i = 0; names[i] && !library; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  return library;
}

// tables are arrays of pointers of one size (asserted above); the name that is missing, or NULL
static const char *fill(void *library, const char *const *names, int count, void *table) {
  for (int i = 0; i < count; i++) {
    void *symbol = dlsym(library, names[i]);
    if (!symbol) return names[i];
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
  const char *own = getenv("HOLON_NVRTC"), *own_driver = getenv("HOLON_CUDA");
  const char *const drivers[] = {own_driver ? own_driver : "libcuda.so.1", NULL};
  const char *const compilers[] = {own ? own : "libnvrtc.so.13",
                                   own ? NULL : "libnvrtc.so.12",
                                   "libnvrtc.so.11.2",
                                   "libnvrtc.so",
                                   "/usr/local/cuda/lib64/libnvrtc.so",
                                   NULL};
  if (!(o->driver_library = open_first(drivers)))
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
  if (o->d.init(0) || o->d.device_count(&count) || count < 1 || o->d.device_get(&o->number, 0))
    return refuse(message, size, "the driver shows no device", "");
  o->d.device_name(name, sizeof name, o->number);
  o->d.version(&version);
  o->c.version(&major, &minor);
  o->d.device_attribute(&o->major, CAPABILITY_MAJOR, o->number);
  o->d.device_attribute(&o->minor, CAPABILITY_MINOR, o->number);
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
  return status;
}

void hn_device_close(hn_device *o) {
  if (!o) return;
  if (o->held) {
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
  o->c.log_size(program, &length);
  char *log = calloc(length + 1, 1);
  if (log) o->c.log(program, log);
  if (log) log[strcspn(log, "\n")] = 0;
  snprintf(message, size, "NVRTC refused the code: %s", log ? log : "");
  free(log);
}

// machine code of the text, free() it
// for this very device (sm_XY): machine code, which the driver need not translate
static char *compile(hn_device *o, const char *text, bool single, char *message, size_t size) {
  enum { OWN = 2, MOST = 16 };
  char target[64], own[256], *rest = NULL;
  const char *wish = getenv("HOLON_NVRTC_FLAGS");
  const char *options[MOST] = {target, single ? "-DHOLON_REAL=float" : "-DHOLON_REAL=double"};
  int count = OWN;
  void *program = NULL;
  size_t length = 0;
  char *code = NULL;
  snprintf(target, sizeof target, "--gpu-architecture=sm_%d%d", o->major, o->minor);
  snprintf(own, sizeof own, "%s", wish ? wish : usual_flags);
  for (char *s = strtok_r(own, " ", &rest); s && count < MOST; s = strtok_r(NULL, " ", &rest))
    options[count++] = s;
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

hn_status hn_device_load(hn_device *o, const hn_members_text *text, bool single, char *message,
                         size_t size) {
  char *code = compile(o, text->text, single, message, size);
  if (!code) return HN_ERR_UNSUPPORTED;
  o->d.context_set(o->context);
  if (o->module) o->d.module_unload(o->module);
  o->module = NULL;
  o->sizes = text->sizes;
  o->single = single;
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

// four fifths of what is free: the driver wants some for itself
long hn_device_room(const hn_device *o, long rows) {
  size_t free_bytes = 0, all = 0;
  o->d.context_set(o->context);
  if (o->d.memory_info(&free_bytes, &all)) return 0;
  double each = (double)(o->sizes.table + o->sizes.start + o->sizes.end) +
                (double)rows * (double)o->sizes.columns;
  return (long)(0.8 * (double)free_bytes / (each * (double)number_size(o) + 1));
}

// numbers of 64 bits on this side, of either size on the other
static bool send(hn_device *o, pointer to, const double *from, size_t count, char *message,
                 size_t size) {
  if (!o->single)
    return !failed(o, o->d.copy_there(to, from, count * sizeof *from), "copy", message, size);
  float *narrow = malloc((count + 1) * sizeof *narrow);
  if (!narrow) snprintf(message, size, "out of memory");
  for (size_t i = 0; narrow && i < count; i++) narrow[i] = (float)from[i];
  bool good = narrow && !failed(o, o->d.copy_there(to, narrow, count * sizeof *narrow), "copy",
                                message, size);
  free(narrow);
  return good;
}

// the other way; see send
static bool fetch(hn_device *o, double *to, pointer from, size_t count, char *message,
                  size_t size) {
  if (!o->single)
    return !failed(o, o->d.copy_back(to, from, count * sizeof *to), "copy", message, size);
  float *narrow = malloc((count + 1) * sizeof *narrow);
  if (!narrow) snprintf(message, size, "out of memory");
  bool good = narrow && !failed(o, o->d.copy_back(narrow, from, count * sizeof *narrow), "copy",
                                message, size);
  for (size_t i = 0; good && i < count; i++) to[i] = narrow[i];
  free(narrow);
  return good;
}

typedef struct memory {
  pointer at[4];  // table, start, rows, end
  size_t count[4];
} memory;

// those taken before one failed are released by give
static bool take(hn_device *o, memory *m, char *message, size_t size) {
  for (int i = 0; i < 4; i++)
    if (m->count[i] &&
        failed(o, o->d.allocate(&m->at[i], m->count[i] * number_size(o)), "memory", message, size))
      return false;
  return true;
}

static void give(hn_device *o, memory *m) {
  for (int i = 0; i < 4; i++)
    if (m->at[i]) o->d.release(m->at[i]);
}

// arguments are pointers to the kernel's parameters, in its order and types (members_text.h)
static bool launch(hn_device *o, memory *m, long count, double t0, double h, long steps, long every,
                   char *message, size_t size) {
  // the kernel's integers have 64 bits on every platform
  long long members = count, all = steps, rhythm = every;
  float t0_single = (float)t0, h_single = (float)h;
  void *const t_at = o->single ? (void *)&t0_single : (void *)&t0;
  void *const h_at = o->single ? (void *)&h_single : (void *)&h;
  void *arguments[] = {&members, &m->at[0], &m->at[1], t_at,     h_at,
                       &all,     &rhythm,   &m->at[2], &m->at[3]};
  unsigned blocks = (unsigned)((count + THREADS - 1) / THREADS);
  return !failed(o, o->d.launch(o->kernel, blocks, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL),
                 "start", message, size) &&
         !failed(o, o->d.synchronize(), "steps", message, size);
}

// memory of the device is taken for one run: batches differ in size, and this costs microseconds
hn_status hn_device_run(hn_device *o, long count, const double *table, const double *start,
                        double t0, double h, long steps, long every, double *rows, double *end,
                        char *message, size_t size) {
  const hn_members_sizes *s = &o->sizes;
  size_t n = (size_t)count;
  memory m = {.count = {n * (size_t)s->table, n * (size_t)s->start,
                        rows ? n * (size_t)s->columns * (size_t)(steps / every + 1) : 0,
                        n * (size_t)s->end}};
  o->d.context_set(o->context);
  // times of copying there, of the steps, of copying back
  double at[4] = {seconds()};
  bool good = take(o, &m, message, size);
  good = good && (!m.count[0] || send(o, m.at[0], table, m.count[0], message, size));
  good = good && send(o, m.at[1], start, m.count[1], message, size);
  at[1] = seconds();
  good = good && launch(o, &m, count, t0, h, steps, every, message, size);
  at[2] = seconds();
  good = good && (!rows || fetch(o, rows, m.at[2], m.count[2], message, size));
  good = good && fetch(o, end, m.at[3], m.count[3], message, size);
  at[3] = seconds();
  give(o, &m);
  o->times = (hn_device_times){at[1] - at[0], at[2] - at[1], at[3] - at[2]};
  return good ? HN_OK : HN_ERR_UNSUPPORTED;
}

hn_device_times hn_device_last(const hn_device *o) {
  return o->times;
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
hn_status hn_device_load(hn_device *device, const hn_members_text *text, bool single, char *message,
                         size_t size) {
  (void)device, (void)text, (void)single, (void)message, (void)size;
  return HN_ERR_UNSUPPORTED;
}
hn_status hn_device_run(hn_device *device, long count, const double *table, const double *start,
                        double t0, double h, long steps, long every, double *rows, double *end,
                        char *message, size_t size) {
  (void)device, (void)count, (void)table, (void)start, (void)t0, (void)h, (void)steps;
  (void)every, (void)rows, (void)end, (void)message, (void)size;
  return HN_ERR_UNSUPPORTED;
}
long hn_device_room(const hn_device *device, long rows) {
  (void)device, (void)rows;
  return 0;
}
hn_device_times hn_device_last(const hn_device *device) {
  (void)device;
  return (hn_device_times){0, 0, 0};
}

#endif
