// library.c: controllers whose function lies in a shared library.
//
// The library is opened once for every run that uses it, and closed with it. Functions have the
// type hn_controller_fn and are given no user: what they remember they keep themselves, so that
// such runs are not verified by a companion, as with functions of the caller.
#include "sim/control.h"

#include <stdlib.h>

#ifdef HN_NO_NATIVE

hn_status hn_library_load(hn_sim *sim) {
  for (int i = 0; i < sim->sys->controllers; i++)
    if (sim->sys->controller[i].library)
      return hn_sim_fail(sim, HN_ERR_UNSUPPORTED,
                         "controller '%s': this build of the library loads no others",
                         sim->sys->controller[i].name);
  return HN_OK;
}

void hn_library_close(hn_sim *sim) {
  (void)sim;
}

#else

#include <dlfcn.h>
#include <string.h>

static hn_status load(hn_sim *sim, int number) {
  const hn_controller *c = &sim->sys->controller[number];
  void *handle = dlopen(c->library, RTLD_NOW | RTLD_LOCAL), *symbol;
  if (!handle) {
    const char *why = dlerror();
    return hn_sim_fail(sim, HN_ERR_FILE, "controller '%s': %.300s", c->name,
                       why ? why : "the library cannot be opened");
  }
  sim->libraries[number] = handle;
  symbol = dlsym(handle, c->function);
  if (!symbol)
    return hn_sim_fail(sim, HN_ERR_FILE, "controller '%s': there is no function '%.80s' in %.200s",
                       c->name, c->function, c->library);
  hn_controller_fn function;
  memcpy(&function, &symbol, sizeof function);  // C knows no cast between the two
  return hn_controller_function(sim, number, function, NULL);
}

hn_status hn_library_load(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  hn_status status = HN_OK;
  for (int i = 0; i < sys->controllers && !status; i++) {
    if (!sys->controller[i].library) continue;
    if (!sim->libraries) sim->libraries = calloc((size_t)sys->controllers, sizeof(void *));
    if (!sim->libraries) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
    status = load(sim, i);
  }
  return status;
}

void hn_library_close(hn_sim *sim) {
  for (int i = 0; sim->libraries && i < sim->sys->controllers; i++)
    if (sim->libraries[i]) dlclose(sim->libraries[i]);
  free(sim->libraries);
}

#endif
