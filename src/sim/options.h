// options.h: the words an option may be set to.
#ifndef HN_OPTION_WORDS_H
#define HN_OPTION_WORDS_H

#include "model/options.h"

// counted from 0; NULL past the last, and for numbers
const char *hn_option_word(const hn_option *row, int index);

#endif
