// sundials_library.c: the functions of SUNDIALS that are called, looked up once in a process.
#define HN_SUNDIALS_TABLE
#ifdef HN_HAVE_SUNDIALS

#include "integrators/bdf/sundials_library.h"

#ifdef HN_SUNDIALS_LOADED

#include "base/library.h"

#include <pthread.h>

hn_sundials_functions hn_sundials;

#define X(name) {#name, &hn_sundials.name},
static const hn_wanted of_cvode[] = {HN_CVODE_NAMES(X)}, of_ida[] = {HN_IDA_NAMES(X)},
                       of_vectors[] = {HN_VECTOR_NAMES(X)};
#undef X

static const struct {
  const char *name, *path;
  const hn_wanted *wanted;
  size_t count;
} libraries[] = {
    {HN_CVODE_NAME, HN_CVODE_PATH, of_cvode, sizeof of_cvode / sizeof *of_cvode},
    {HN_IDA_NAME, HN_IDA_PATH, of_ida, sizeof of_ida / sizeof *of_ida},
    {HN_VECTOR_NAME, HN_VECTOR_PATH, of_vectors, sizeof of_vectors / sizeof *of_vectors},
};

// What could not be loaded is tried again by the next run: memory may have been short
bool hn_sundials_load(const char **trouble) {
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  static bool loaded;
  static _Thread_local char text[256];
  pthread_mutex_lock(&one_at_a_time);
  *text = 0;
  for (size_t i = 0; !loaded && !*text && i < sizeof libraries / sizeof *libraries; i++)
    hn_library_load(libraries[i].name, libraries[i].path, libraries[i].wanted, libraries[i].count,
                    text);
  if (!*text) loaded = true;
  pthread_mutex_unlock(&one_at_a_time);
  *trouble = text;
  return !*text;
}

#else

bool hn_sundials_load(const char **trouble) {
  *trouble = "";
  return true;
}

#endif

#else
typedef int hn_no_sundials;  // a file must hold something
#endif
