// fake_cuda.c: CUDA's driver and NVRTC as far as the library calls them, on the processor: text is
// compiled by the C compiler with CUDA's words as macros, threads run one after the other. Built by
// tests (fake_cuda.h), so that the way to the GPU and the text that goes it are tested where there
// is none.
#include "test.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct program {
  char *text, *code;
  char log[256];
} program;

static const char words[] =
    "#include <math.h>\n"
    "#define __CUDACC__ 1\n#define __device__\n#define __global__\n#define __forceinline__ inline\n"
    "#define __noinline__\n"
    "typedef struct place { unsigned x; } place;\n"
    "place blockIdx, blockDim, threadIdx;\n";

// ---- NVRTC ---------------------------------------------------------------------------------

int nvrtcVersion(int *major, int *minor) {
  return *major = 0, *minor = 1, 0;
}
int nvrtcCreateProgram(void **out, const char *text, const char *name, int headers,
                       const char *const *header, const char *const *include) {
  (void)name, (void)headers, (void)header, (void)include;
  program *p = calloc(1, sizeof *p);
  p->text = strdup(text);
  return *out = p, 0;
}
int nvrtcCompileProgram(void *handle, int count, const char *const *option) {
  program *p = handle;
  static int number;
  char name[64], source[512], object[512], command[2048], real[64] = "";
  for (int i = 0; i < count; i++)
    if (strncmp(option[i], "-D", 2) == 0) snprintf(real, sizeof real, "%s", option[i]);
  snprintf(name, sizeof name, "fake%d_%d.c", (int)getpid(), ++number);
  test_scratch(source, sizeof source, name);
  snprintf(name, sizeof name, "fake%d_%d.so", (int)getpid(), number);
  test_scratch(object, sizeof object, name);
  FILE *file = fopen(source, "w");
  if (!file) return 1;
  fputs(words, file), fputs(p->text, file);
  fclose(file);
  snprintf(command, sizeof command, "cc -w -O1 %s -shared -fPIC -o %s %s -lm 2>%s.log", real,
           object, source, source);
  int result = system(command);
  snprintf(command, sizeof command, "%s.log", source);
  file = fopen(command, "r");
  if (file) {
    if (!fgets(p->log, sizeof p->log, file)) p->log[0] = 0;
    fclose(file);
  }
  unlink(command), unlink(source);
  p->code = strdup(object);
  return result != 0;
}
int nvrtcGetProgramLogSize(void *p, size_t *size) {
  (void)p;
  return *size = sizeof((program *)0)->log, 0;
}
int nvrtcGetProgramLog(void *p, char *log) {
  return strcpy(log, ((program *)p)->log), 0;
}
int nvrtcGetCUBINSize(void *p, size_t *size) {
  return *size = strlen(((program *)p)->code) + 1, 0;
}
int nvrtcGetCUBIN(void *p, char *code) {
  return strcpy(code, ((program *)p)->code), 0;
}
int nvrtcDestroyProgram(void **handle) {
  program *p = *handle;
  free(p->text), free(p->code), free(p);
  return 0;
}

// ---- driver --------------------------------------------------------------------------------

int cuInit(unsigned flags) {
  (void)flags;
  return 0;
}
int cuDriverGetVersion(int *version) {
  return *version = 10, 0;
}
int cuDeviceGetCount(int *count) {
  return *count = getenv("FAKE_CUDA_NONE") ? 0 : 1, 0;
}
int cuDeviceGet(int *device, int number) {
  return *device = number, 0;
}
int cuDeviceGetName(char *name, int size, int device) {
  (void)device;
  return snprintf(name, (size_t)size, "a processor in disguise"), 0;
}
int cuDeviceGetAttribute(int *value, int which, int device) {
  (void)device;
  return *value = which == 75 ? 9 : 0, 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  (void)device;
  return *context = NULL, 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  (void)device;
  return 0;
}
int cuCtxSetCurrent(void *context) {
  (void)context;
  return 0;
}
int cuStreamCreate(void **stream, unsigned flags) {
  return *stream = calloc(1, 1), flags != 1;
}
// a kernel's failure shows when its end is waited for
int cuStreamSynchronize(void *stream) {
  char ran = *(char *)stream;
  *(char *)stream = 0;
  return ran && getenv("FAKE_CUDA_FAILS") ? 700 : 0;
}
int cuStreamDestroy_v2(void *stream) {
  return free(stream), 0;
}
int cuMemGetInfo_v2(size_t *left, size_t *all) {
  return *left = *all = (size_t)1 << 24, 0;
}
int cuModuleLoadData(void **module, const void *code) {
  *module = dlopen(code, RTLD_NOW | RTLD_LOCAL);
  unlink(code);
  return *module ? 0 : 1;
}
int cuModuleUnload(void *module) {
  return dlclose(module);
}
static unsigned *block, *blocks, *thread;
int cuModuleGetFunction(void **function, void *module, const char *name) {
  block = dlsym(module, "blockIdx"), blocks = dlsym(module, "blockDim");
  thread = dlsym(module, "threadIdx");
  return *function = dlsym(module, name), !*function;
}
int cuFuncGetAttribute(int *value, int which, void *function) {
  (void)which, (void)function;
  return *value = 0, 0;
}
int cuMemAlloc_v2(unsigned long long *at, size_t size) {
  void *memory = malloc(size);
  return *at = (unsigned long long)(size_t)memory, memory ? 0 : 2;
}
int cuMemFree_v2(unsigned long long at) {
  return free((void *)(size_t)at), 0;
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t size, void *stream) {
  (void)stream;
  return memcpy((void *)(size_t)to, from, size), 0;
}
int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t size, void *stream) {
  (void)stream;
  return memcpy(to, (void *)(size_t)from, size), 0;
}
typedef void (*double_kernel)(long long, void *, void *, double, double, long long, long long,
                              void *, void *);
typedef void (*single_kernel)(long long, void *, void *, float, float, long long, long long, void *,
                              void *);
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **a, void **extra) {
  (void)y, (void)z, (void)by, (void)bz, (void)shared, (void)extra;
  *(char *)stream = 1;
  // where a thread of the device stands is the same variable for all threads that start some
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&one_at_a_time);
  *blocks = bx;
  for (*block = 0; *block < x; ++*block)
    for (*thread = 0; *thread < bx; ++*thread)
      if (getenv("FAKE_CUDA_SINGLE"))
        ((single_kernel)function)(*(long long *)a[0], *(void **)a[1], *(void **)a[2],
                                  *(float *)a[3], *(float *)a[4], *(long long *)a[5],
                                  *(long long *)a[6], *(void **)a[7], *(void **)a[8]);
      else
        ((double_kernel)function)(*(long long *)a[0], *(void **)a[1], *(void **)a[2],
                                  *(double *)a[3], *(double *)a[4], *(long long *)a[5],
                                  *(long long *)a[6], *(void **)a[7], *(void **)a[8]);
  pthread_mutex_unlock(&one_at_a_time);
  return 0;
}
int cuGetErrorString(int error, const char **text) {
  return *text = error == 700 ? "an illegal memory access" : "something", 0;
}
