// examples.c: the models of models/, as part of the library.
#include "io/embed.h"

#include <holon/holon.h>

static const hn_embedded_file *example_at(int index) {
  if (index < 0) return NULL;
  for (const hn_embedded_file *file = hn_embedded_models; file->name; file++)
    if (index-- == 0) return file;
  return NULL;
}

const char *hn_example_name(int index) {
  const hn_embedded_file *file = example_at(index);
  return file ? file->name : NULL;
}

const char *hn_example_text(int index) {
  const hn_embedded_file *file = example_at(index);
  return file ? (const char *)file->data : NULL;
}
