// base.h: small things every part of the library uses.
#ifndef HN_BASE_H
#define HN_BASE_H

#include <holon/holon.h>
#include <stdarg.h>

enum { HN_MESSAGE = 512 };  // length of the error text an object keeps

// printf into a fixed message buffer, always terminated; returns `status` so that a failing
// function can write: return hn_fail(msg, HN_ERR_MODEL, "joint '%s': ...", name);
__attribute__((format(printf, 3, 4))) hn_status hn_fail(char message[HN_MESSAGE], hn_status status,
                                                        const char *format, ...);

// the name in `names` (NULL-terminated) that `word` is another word for, or else that differs least
// from it; NULL when none is close enough to be what the user meant
const char *hn_nearest(const char *word, const char *const *names);
// the same over a blank-separated list; the answer is copied to out
const char *hn_nearest_in(const char *word, const char *list, char *out, size_t size);
// equal but for case and for - and _
int hn_same_word(const char *a, const char *b);
// what is probably meant by a word of other tools, best guess first, blank-separated; or NULL
const char *hn_synonyms(const char *word);
// what a sign at the beginning of the text that is not ASCII stands for ("deg"), or NULL
const char *hn_ascii_for(const char *text, size_t length);
// is `word` one of the blank-separated words of `list`?
int hn_word_in(const char *word, const char *list);
// shell-style pattern with * and ?
int hn_glob(const char *pattern, const char *text);

// the first character that could steer a terminal (control characters, separators of lines, turned
// writing), or NULL; see hn_is_printable()
const char *hn_find_control(const char *text);

// snprintf(), vsnprintf() and strtod() for texts that are read again: the decimal sign is a point,
// whatever that of the program's locale is. Formulas that are put together need them (plain.c)
__attribute__((format(printf, 3, 4))) int hn_plain_text(char *out, size_t size, const char *format,
                                                        ...);
__attribute__((format(printf, 3, 0))) int hn_plain_text_list(char *out, size_t size,
                                                             const char *format, va_list args);
double hn_plain_number(const char *text, char **stop);

// growable array of one type: ensures room for one more, returns 0 when out of memory
int hn_grow(void **array, int *capacity, int count, size_t size);
char *hn_strdup(const char *text);  // NULL stays NULL
// as much of a text as there is room for; where snprintf would be most of the work
void hn_copy_text(char *out, size_t size, const char *text);

#endif
