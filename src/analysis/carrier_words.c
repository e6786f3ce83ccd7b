// carrier_words.c: axes that carry bodies along, told to people: those that turn alike together.
#include "analysis/carrier.h"

#include <stdarg.h>
#include <stdio.h>

// rate: the fastest there is, so that rounding of large turns is none
static bool are_same(const double *a, const double *b, double rate) {
  double d[3];
  v3_sub(d, a, b);
  return v3_norm(d) <= 1e-9 * rate;
}

typedef struct words {
  char *text;
  size_t size, used;
} words;

// what does not fit is cut
static void add_words(words *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(w->text + w->used, w->size - w->used, format, args);
  va_end(args);
  size_t more = n > 0 ? (size_t)n : 0, room = w->size - w->used - 1;
  w->used += more < room ? more : room;
}

void hn_carrier_describe(const hn_carrier *carrier, double fastest, char *text, size_t size) {
  // more would not be read
  enum { NAMES = 4, GROUPS = 4 };
  const hn_system *sys = carrier->sys;
  const double *axes = carrier->b, none[3] = {0, 0, 0};
  words w = {text, size, 0};
  int groups = 0;
  bool all = true;
  for (int i = 1; i < sys->bodies; i++) all = all && are_same(axes + 3 * i, none, fastest);
  if (all) {
    add_words(&w, "they do not turn");
    return;
  }
  for (int i = 1; i < sys->bodies; i++) {
    const double *b = axes + 3 * i;
    double rate = v3_norm(b);
    int names = 0;
    bool seen = false;
    // groups are told in the order of their first body
    for (int k = 1; k < i && !seen; k++) seen = are_same(axes + 3 * k, b, fastest);
    if (seen || groups++ >= GROUPS) continue;
    if (groups > 1) add_words(&w, "; ");
    for (int k = i; k < sys->bodies; k++)
      if (are_same(axes + 3 * k, b, fastest) && names++ < NAMES)
        add_words(&w, "%s%.40s", names > 1 ? ", " : "those of ", sys->body[k].info->name);
    if (names > NAMES) add_words(&w, " and %d more", names - NAMES);
    if (are_same(b, none, fastest))
      add_words(&w, " do not turn");
    else
      add_words(&w, " turn with %.6g rad/s about (%.4g, %.4g, %.4g)", rate, b[0] / rate,
                b[1] / rate, b[2] / rate);
  }
}
