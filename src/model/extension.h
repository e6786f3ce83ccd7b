// extension.h: types that come from outside (holon/extend.h).
#ifndef HN_EXTENSION_H
#define HN_EXTENSION_H

#include <holon/extend.h>

#include "model/fields.h"

enum { HN_EXTENSIONS = 32 };  // most of a kind

typedef struct hn_extension {
  const char *what;  // "joint type"
  const hn_type_info *(*at)(int index);
  bool (*is_key)(const char *word);
  int count;  // from outside so far
} hn_extension;

hn_status hn_check_extension(const hn_extension *e, const hn_type_info *info, int version,
                             char *message, size_t size);
bool hn_fields_have(const hn_field *fields, const char *key);

#endif
