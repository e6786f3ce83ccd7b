// paper_models.h: the models of cli/papers, built into the program (cmake/embed.cmake).
#ifndef CLI_PAPER_MODELS_H
#define CLI_PAPER_MODELS_H

#include <stddef.h>

typedef struct hn_embedded_file {
  const char *name;
  const unsigned char *data;  // a zero follows
  size_t size;
} hn_embedded_file;

extern const hn_embedded_file paper_models[];  // a row of zeros ends it

#endif
