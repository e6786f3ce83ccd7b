// base.c: what every part of the library uses: words for what failed, words that were probably
// meant, patterns, arrays that grow.
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// two steps: arguments of # are not expanded, those of a macro around it are
#define HN_STR2(x) #x
#define HN_STR(x)  HN_STR2(x)

const char *hn_version(void) {
  return HN_STR(HN_VERSION_MAJOR) "." HN_STR(HN_VERSION_MINOR) "." HN_STR(HN_VERSION_PATCH);
}

const char *hn_status_text(hn_status status) {
  // no default: the compiler then warns of a status that has no text
  switch (status) {
#define HN_X(name, text)                                                                           \
  case name: return text;
    HN_STATUS_LIST(HN_X)
#undef HN_X
  }
  // a caller may pass any number
  return "unknown status";
}

// what the library allocated is released by the library's own allocator, which need not be that of
// the program (another C library, Python, a page)
void hn_free(void *memory) {
  free(memory);
}

hn_status hn_fail(char message[HN_MESSAGE], hn_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  // too long a sentence is cut off, perhaps inside a character; what is left of that one becomes ?
  vsnprintf(message, HN_MESSAGE, format, args);
  va_end(args);
  // names come from files of others, and a message may end on a terminal
  hn_make_printable(message);
  return status;
}

// Levenshtein distance, case-insensitive on ASCII, of words up to 63 characters
static int edit_distance(const char *a, size_t na, const char *b, size_t nb) {
  // longer than any name of ours: such a word is near to none, and the row below has its fixed size
  if (na > 63 || nb > 63) return 1000;
  int row[64];  // of the table of distances: from the first i letters of a to each beginning of b
  for (size_t j = 0; j <= nb; j++) row[j] = (int)j;
  for (size_t i = 1; i <= na; i++) {
    int diagonal = row[0];  // what stood up and to the left, overwritten by now
    row[0] = (int)i;
    for (size_t j = 1; j <= nb; j++) {
      int up = row[j];
      char ca = a[i - 1], cb = b[j - 1];
      // no tolower(): it depends on the locale
      if (ca >= 'A' && ca <= 'Z') ca = (char)(ca + 32);
      if (cb >= 'A' && cb <= 'Z') cb = (char)(cb + 32);
      // names of files have - where keys have _; users mix them
      if (ca == '_') ca = '-';
      if (cb == '_') cb = '-';
      int best = diagonal + (ca != cb);                  // changed, or the same
      if (up + 1 < best) best = up + 1;                  // left out of a
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;  // put in
      row[j] = best;
      diagonal = up;
    }
  }
  return row[nb];
}

// next blank-separated word of a list; NULL at the end
static const char *next_word(const char **list, size_t *length) {
  const char *s = *list;
  while (*s == ' ') s++;
  // the list stays at its end, so that another call says NULL again
  if (!*s) return NULL;
  const char *end = s;
  while (*end && *end != ' ') end++;
  *length = (size_t)(end - s);
  *list = end;
  return s;
}

// closer than this many edits is "probably meant"
// Short words are near to one another by chance, so fewer of their letters may be wrong.
static int close_enough(size_t length) {
  return length <= 3 ? 1 : length <= 6 ? 2 : 3;
}

int hn_same_word(const char *a, const char *b) {
  return edit_distance(a, strlen(a), b, strlen(b)) == 0;
}

// the first of the words that another name of ours stands for and that `names` has
// Exact, not by hn_same_word(): the table of synonyms is ours and spells as we do.
static const char *meant_by(const char *word, const char *const *names) {
  const char *list = hn_synonyms(word), *w;
  size_t length;
  while (list && (w = next_word(&list, &length)))
    for (const char *const *name = names; *name; name++)
      if (strlen(*name) == length && memcmp(*name, w, length) == 0) return *name;
  return NULL;
}

const char *hn_nearest(const char *word, const char *const *names) {
  // what is known to be meant goes before what looks alike: "hinge" is nearer to "hint" than to
  // "revolute"
  const char *best = meant_by(word, names);
  if (best) return best;
  int distance = close_enough(strlen(word)) + 1;
  for (; *names; names++) {
    int d = edit_distance(word, strlen(word), *names, strlen(*names));
    if (d < distance) distance = d, best = *names;  // the first of several that are as near
  }
  return best;
}

const char *hn_nearest_in(const char *word, const char *list, char *out, size_t size) {
  const char *best = NULL, *w, *meant = hn_synonyms(word);
  // out may be shorter than the word; what is cut off is then in no list
  size_t length, best_length = 0;
  while (meant && (w = next_word(&meant, &length))) {
    snprintf(out, size, "%.*s", (int)length, w);
    if (hn_word_in(out, list)) return out;
  }
  int distance = close_enough(strlen(word)) + 1;
  while ((w = next_word(&list, &length))) {
    int d = edit_distance(word, strlen(word), w, length);
    if (d < distance) distance = d, best = w, best_length = length;
  }
  if (!best) return NULL;
  snprintf(out, size, "%.*s", (int)best_length, best);
  return out;
}

int hn_word_in(const char *word, const char *list) {
  if (!*list || !*word) return 0;
  size_t length = strlen(word);
  // a name may be part of a longer one ("x" in "max"), so each place is looked at
  for (const char *at = list; (at = strstr(at, word)); at++) {
    bool begins = at == list || at[-1] == ' ', ends = !at[length] || at[length] == ' ';
    if (begins && ends) return 1;
  }
  return 0;
}

int hn_glob(const char *pattern, const char *text) {
  // on a mismatch, let the last star swallow one more character
  // One star is remembered, the last: what an earlier one swallows may stay as it is, since the
  // last one can take anything behind it. So time is at most length times length, and nothing
  // recurs.
  const char *star = NULL, *retry = NULL;
  while (*text) {
    if (*pattern == '*') {
      star = pattern++;
      retry = text;
    } else if (*pattern == '?' || *pattern == *text) {
      pattern++, text++;
    } else if (star) {
      pattern = star + 1;
      text = ++retry;
    } else {
      return 0;
    }
  }
  // stars at the end stand for nothing as well
  while (*pattern == '*') pattern++;
  return *pattern == 0;
}

int hn_grow(void **array, int *capacity, int count, size_t size) {
  if (count < *capacity) return 1;
  // by half, so that n items cost about 3 n copies and a third at most stays unused
  int wanted = *capacity < 8 ? 8 : *capacity + *capacity / 2;
  void *grown = realloc(*array, (size_t)wanted * size);
  if (!grown) return 0;  // the old array is still there and still the caller's
  *array = grown;
  *capacity = wanted;
  return 1;
}

void hn_copy_text(char *out, size_t size, const char *text) {
  // strnlen: the text need not end within size
  size_t n = strnlen(text, size - 1);
  memcpy(out, text, n);
  out[n] = 0;
}

char *hn_strdup(const char *text) {
  if (!text) return NULL;
  size_t n = strlen(text) + 1;
  char *copy = malloc(n);
  if (copy) memcpy(copy, text, n);
  return copy;
}
