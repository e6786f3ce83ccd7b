// plain.c: numbers in texts that are read again by ours, whatever the program around has for a
// decimal sign. What people are told (messages) is theirs, and needs none of this.
#include "base/base.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The locale is that of the thread alone, and only as long as this takes. Without memory for it the
// program's own has to do, which is right in most.
typedef struct borrowed {
  locale_t plain, before;
} borrowed;

static borrowed begin(void) {
  borrowed b = {0};
  // as in most programs: files of large models have millions of numbers
  if (strcmp(nl_langinfo(RADIXCHAR), ".") == 0) return b;
  b.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (b.plain) b.before = uselocale(b.plain);
  return b;
}

static void end(borrowed b) {
  if (b.plain) uselocale(b.before), freelocale(b.plain);
}

int hn_plain_text_list(char *out, size_t size, const char *format, va_list args) {
  borrowed b = begin();
  int n = vsnprintf(out, size, format, args);
  end(b);
  return n;
}

int hn_plain_text(char *out, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = hn_plain_text_list(out, size, format, args);
  va_end(args);
  return n;
}

double hn_plain_number(const char *text, char **stop) {
  borrowed b = begin();
  double x = strtod(text, stop);
  end(b);
  return x;
}
