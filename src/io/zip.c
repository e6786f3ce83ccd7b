// zip.c: ZIP archives as APPNOTE.TXT describes them, of entries that are stored or deflated.
//
// Every entry has the date 1980-01-01: the same contents give the same archive.
//
// Written from front to end in one go: an entry's size and checksum are known before its header,
// since all of it is in memory. No ZIP64: 4 GiB and 60 000 entries are refused.
#include "io/zip.h"

#include "io/deflate.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ENTRIES = 60000 };  // the directory counts them in 16 bits

// Bytewise with a table made on the spot: 256 steps are nothing beside the data.
uint32_t hn_crc32(const void *bytes, size_t length) {
  const unsigned char *b = bytes;
  uint32_t table[256], crc = 0xffffffffu;
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  for (size_t i = 0; i < length; i++) crc = table[(crc ^ b[i]) & 255] ^ (crc >> 8);
  return ~crc;
}

// ---- little-endian numbers -----------------------------------------------------------------

typedef struct header {
  unsigned char bytes[64];
  size_t used;
} header;

static void put(header *h, uint32_t value, int size) {
  for (int i = 0; i < size; i++) h->bytes[h->used++] = (unsigned char)(value >> (8 * i));
}

static void emit(hn_zip *zip, const void *bytes, size_t size) {
  hn_save_bytes(&zip->save, bytes, size);
  zip->used += size;
}

// what the header of an entry and its line in the directory have in common
// In the order of the format; both headers have it.
static void put_common(header *h, const hn_zip_entry *e) {
  put(h, 20, 2);                           // version needed
  put(h, 0x800, 2);                        // names are UTF-8
  put(h, e->packed < e->size ? 8 : 0, 2);  // deflated or stored
  put(h, 0, 2);                            // time
  put(h, 0x0021, 2);                       // 1980-01-01
  put(h, e->crc, 4);
  put(h, e->packed, 4);
  put(h, e->size, 4);
  put(h, (uint32_t)strlen(e->name), 2);
  put(h, 0, 2);  // no extra field
}

// ---- archives ------------------------------------------------------------------------------

hn_status hn_zip_open(hn_zip *zip, const char *path, char message[HN_MESSAGE]) {
  *zip = (hn_zip){0};
  return zip->status = hn_save_open(&zip->save, path, message);
}

// the bytes as they will stand in the archive: deflated ones are to be freed, others are NULL
// What does not become smaller is stored as it is.
static unsigned char *packed_bytes(hn_zip *zip, const void *bytes, hn_zip_entry *e) {
  size_t length = 0;
  unsigned char *packed = zip->pack ? hn_deflate(bytes, e->size, &length) : NULL;
  if (zip->pack && !packed) zip->status = HN_ERR_MEMORY;
  if (packed && length < e->size) {
    e->packed = (uint32_t)length;
    return packed;
  }
  free(packed);
  return NULL;
}

// After a failure nothing is written any more, and hn_zip_close says why.
void hn_zip_add(hn_zip *zip, const char *name, const void *bytes, size_t length) {
  if (zip->status) return;
  if (zip->used + length > UINT32_MAX - 65536 || zip->count == MOST_ENTRIES) {
    zip->status = HN_ERR_UNSUPPORTED;
    return;
  }
  hn_zip_entry e = {.name = hn_strdup(name), .crc = hn_crc32(bytes, length)};
  e.size = e.packed = (uint32_t)length, e.at = (uint32_t)zip->used;
  unsigned char *packed = packed_bytes(zip, bytes, &e);
  if (zip->status || !e.name ||
      !hn_grow((void **)&zip->entry, &zip->capacity, zip->count, sizeof e)) {
    free(e.name), free(packed);
    zip->status = HN_ERR_MEMORY;
    return;
  }
  zip->entry[zip->count++] = e;
  header h = {.used = 0};
  put(&h, 0x04034b50, 4);
  put_common(&h, &e);
  emit(zip, h.bytes, h.used);
  emit(zip, name, strlen(name));
  emit(zip, packed ? packed : bytes, e.packed);
  free(packed);
}

// At the end, as readers look for it there: offsets of all entries, then where the list begins.
static void put_directory(hn_zip *zip) {
  uint64_t start = zip->used;
  header h;
  for (int i = 0; i < zip->count; i++) {
    const hn_zip_entry *e = &zip->entry[i];
    h.used = 0;
    put(&h, 0x02014b50, 4);
    put(&h, 0x0314, 2);  // made on Unix
    put_common(&h, e);
    put(&h, 0, 2);  // no comment
    put(&h, 0, 2);  // disk
    put(&h, 0, 2);
    put(&h, 0100644u << 16, 4);  // a plain file
    put(&h, e->at, 4);
    emit(zip, h.bytes, h.used);
    emit(zip, e->name, strlen(e->name));
  }
  h.used = 0;
  put(&h, 0x06054b50, 4);
  put(&h, 0, 4);
  put(&h, (uint32_t)zip->count, 2);
  put(&h, (uint32_t)zip->count, 2);
  put(&h, (uint32_t)(zip->used - start), 4);
  put(&h, (uint32_t)start, 4);
  put(&h, 0, 2);
  emit(zip, h.bytes, h.used);
}

hn_status hn_zip_close(hn_zip *zip, char message[HN_MESSAGE]) {
  hn_status status = zip->status;
  if (!status) {
    put_directory(zip);
    status = hn_save_close(&zip->save, message);
  } else {
    hn_save_drop(&zip->save);
    hn_fail(message, status, "%.200s: %s", zip->save.path,
            status == HN_ERR_MEMORY      ? "out of memory"
            : zip->count == MOST_ENTRIES ? "more than 60000 entries (columns of a result)"
                                         : "larger than 4 GiB");
  }
  for (int i = 0; i < zip->count; i++) free(zip->entry[i].name);
  free(zip->entry);
  return status;
}
