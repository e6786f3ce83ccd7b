// options.h: the table behind hn_options, for the model reader and the schema.
#ifndef HN_OPTIONS_H
#define HN_OPTIONS_H

#include "base/base.h"

// what an option may be set to. Methods and their parts have tables of their own, further up: a new
// one needs no change here
typedef enum hn_words {
  HN_WORDS_NONE,    // a number
  HN_WORDS_LISTED,  // one of `list`
  HN_WORDS_METHODS,
  HN_WORDS_SOLVERS,
  HN_WORDS_CORRECTIONS,
  HN_WORDS_INTEGRATORS,
} hn_words;

enum { HN_WORD_SIZE = sizeof((hn_options *)0)->method };

typedef struct hn_option {
  hn_option_info info;
  size_t offset;  // of the field in hn_options
  hn_words words;
  const char *const *list;  // NULL after the last
  double value;             // numbers: default and allowed range
  double low, high;
  bool automatic;  // 0 (or the empty word) is allowed too: it leaves the choice to holon
} hn_option;

const hn_option *hn_option_find(const char *name);  // NULL when unknown
// writes the reason and returns HN_ERR_ARGUMENT; message may be NULL
__attribute__((format(printf, 3, 4))) hn_status hn_option_refuse(char *message, size_t size,
                                                                 const char *format, ...);
const hn_option *hn_option_row(int index);  // NULL past the end
// a number against its range; on failure `message` (size bytes) says what is wrong
hn_status hn_option_check(const hn_option *row, double number, char *message, size_t size);
// options that were written into the struct: numbers and listed words. Names of methods and their
// parts are checked where those are known
hn_status hn_options_check(const hn_options *options, char *message, size_t size);
// the same numbers and words
bool hn_options_equal(const hn_options *a, const hn_options *b);

#endif
