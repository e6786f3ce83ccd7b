#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HN_STR2(x) #x
#define HN_STR(x)  HN_STR2(x)

const char *hn_version(void) {
  return HN_STR(HN_VERSION_MAJOR) "." HN_STR(HN_VERSION_MINOR) "." HN_STR(HN_VERSION_PATCH);
}

const char *hn_status_text(hn_status status) {
  switch (status) {
#define HN_X(name, text)                                                                           \
  case name: return text;
    HN_STATUS_LIST(HN_X)
#undef HN_X
  }
  return "unknown status";
}

void hn_free(void *memory) {
  free(memory);
}

hn_status hn_fail(char message[HN_MESSAGE], hn_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(message, HN_MESSAGE, format, args);
  va_end(args);
  hn_make_printable(message);
  return status;
}

// Levenshtein distance, case-insensitive on ASCII, of words up to 63 characters
static int edit_distance(const char *a, size_t na, const char *b, size_t nb) {
  if (na > 63 || nb > 63) return 1000;
  int row[64];
  for (size_t j = 0; j <= nb; j++) row[j] = (int)j;
  for (size_t i = 1; i <= na; i++) {
    int diagonal = row[0];
    row[0] = (int)i;
    for (size_t j = 1; j <= nb; j++) {
      int up = row[j];
      char ca = a[i - 1], cb = b[j - 1];
      if (ca >= 'A' && ca <= 'Z') ca = (char)(ca + 32);
      if (cb >= 'A' && cb <= 'Z') cb = (char)(cb + 32);
      if (ca == '_') ca = '-';
      if (cb == '_') cb = '-';
      int best = diagonal + (ca != cb);
      if (up + 1 < best) best = up + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
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
  if (!*s) return NULL;
  const char *end = s;
  while (*end && *end != ' ') end++;
  *length = (size_t)(end - s);
  *list = end;
  return s;
}

// closer than this many edits is "probably meant"
static int close_enough(size_t length) {
  return length <= 3 ? 1 : length <= 6 ? 2 : 3;
}

int hn_same_word(const char *a, const char *b) {
  return edit_distance(a, strlen(a), b, strlen(b)) == 0;
}

// the first of the words that another name of ours stands for and that `names` has
static const char *meant_by(const char *word, const char *const *names) {
  const char *list = hn_synonyms(word), *w;
  size_t length;
  while (list && (w = next_word(&list, &length)))
    for (const char *const *name = names; *name; name++)
      if (strlen(*name) == length && memcmp(*name, w, length) == 0) return *name;
  return NULL;
}

const char *hn_nearest(const char *word, const char *const *names) {
  const char *best = meant_by(word, names);
  if (best) return best;
  int distance = close_enough(strlen(word)) + 1;
  for (; *names; names++) {
    int d = edit_distance(word, strlen(word), *names, strlen(*names));
    if (d < distance) distance = d, best = *names;
  }
  return best;
}

const char *hn_nearest_in(const char *word, const char *list, char *out, size_t size) {
  const char *best = NULL, *w, *meant = hn_synonyms(word);
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
  for (const char *at = list; (at = strstr(at, word)); at++) {
    bool begins = at == list || at[-1] == ' ', ends = !at[length] || at[length] == ' ';
    if (begins && ends) return 1;
  }
  return 0;
}

int hn_glob(const char *pattern, const char *text) {
  // on a mismatch, let the last star swallow one more character
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
  while (*pattern == '*') pattern++;
  return *pattern == 0;
}

int hn_grow(void **array, int *capacity, int count, size_t size) {
  if (count < *capacity) return 1;
  int wanted = *capacity < 8 ? 8 : *capacity + *capacity / 2;
  void *grown = realloc(*array, (size_t)wanted * size);
  if (!grown) return 0;
  *array = grown;
  *capacity = wanted;
  return 1;
}

void hn_copy_text(char *out, size_t size, const char *text) {
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
