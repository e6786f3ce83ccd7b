// native.c: the C source of a system, compiled and loaded.
// Code and library compute the same in another order of operations: results agree to round-off, not
// bit by bit. Who steps with it (sim/) falls back to the library wherever the firmness is low.
#include "code/native.h"

#include "code/compiler.h"
#include "code/formulas.h"

#include <stdio.h>
#include <stdlib.h>

static hn_status say(char *message, size_t size, hn_status status, const char *what,
                     const char *detail) {
  // message and status in one line
  snprintf(message, size, "%s%s", what, detail);
  return status;
}

hn_status hn_code_write(const hn_system *sys, char **text, char *message, size_t size) {
  hn_formulas f;
  *text = NULL;
  hn_status status = hn_formulas_build(&f, sys);
  if (!status && !(*text = hn_formulas_write(&f))) status = HN_ERR_MEMORY;
  // the first reason of f
  if (status == HN_ERR_UNSUPPORTED)
    say(message, size, status, "no code can be written for ", f.missing);
  else if (status)
    say(message, size, status, "out of memory", "");
  hn_formulas_clear(&f);
  return status;
}

// kept_only: runs that are too short for a compiler still profit from what a former one left
static hn_status load(const char *text, bool kept_only, void **handle, char *message, size_t size) {
  if (!kept_only) return hn_compile_text(text, NULL, "", handle, message, size);
  *handle = hn_compiled_before(text, NULL, "");
  return *handle ? HN_OK : say(message, size, HN_ERR_FILE, "no code was kept", "");
}

hn_status hn_native_create(hn_system *sys, bool kept_only, char *message, size_t size) {
  char *text;
  hn_native *native = calloc(1, sizeof *native);
  if (!native) return say(message, size, HN_ERR_MEMORY, "out of memory", "");
  hn_status status = hn_code_write(sys, &text, message, size);
  if (!status) status = load(text, kept_only, &native->handle, message, size);
  free(text);
  // both names must be there
  if (!status && (!hn_find_function(native->handle, "holon_motion", &native->motion) ||
                  !hn_find_function(native->handle, "holon_projection", &native->projection)))
    status = say(message, size, HN_ERR_FILE, "the code cannot be loaded", "");
  if (status)
    hn_native_destroy(native);
  else
    sys->native = native;
  return status;
}

void hn_native_destroy(hn_native *native) {
  if (!native) return;
  hn_unload(native->handle);
  free(native);
}

int hn_native_ins(const hn_system *sys) {
  return sys->inputs + sys->held + sys->states + 3 * sys->tables;
}

// the order of hn_formulas.in_u, in_x, in_w
// in the order in which the code was told (write.c, outside)
void hn_native_in(const hn_work *work, double t, const double *states, double *in) {
  const hn_system *sys = work->sys;
  for (int i = 0; i < sys->inputs + sys->held; i++) *in++ = work->input[i];
  for (int i = 0; i < sys->states; i++) *in++ = states[i];
  for (int i = 0; i < sys->tables; i++, in += 3) hn_read_table(work, i, t, in);
}
