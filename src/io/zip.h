// zip.h: ZIP archives.
#ifndef HN_ZIP_H
#define HN_ZIP_H

#include "base/file.h"

#include <stdint.h>

typedef struct hn_zip_entry {
  char *name;
  uint32_t crc, size, packed, at;  // packed: its bytes in the archive
} hn_zip_entry;

typedef struct hn_zip {
  hn_save save;
  hn_zip_entry *entry;
  int count, capacity;
  uint64_t used;     // bytes so far
  bool pack;         // entries are deflated where that makes them shorter
  hn_status status;  // of the first failure; later calls do nothing
} hn_zip;

uint32_t hn_crc32(const void *bytes, size_t length);

hn_status hn_zip_open(hn_zip *zip, const char *path, char message[HN_MESSAGE]);
void hn_zip_add(hn_zip *zip, const char *name, const void *bytes, size_t length);
// the file appears, whole; after a failure it does not
hn_status hn_zip_close(hn_zip *zip, char message[HN_MESSAGE]);

#endif
