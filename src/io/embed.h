// embed.h: files that are part of the program, put there by cmake/embed.cmake.
#ifndef HN_EMBED_H
#define HN_EMBED_H

#include <stddef.h>

// Tables may be empty where a build leaves something out: `data` of the first entry is NULL then.
typedef struct hn_embedded_file {
  const char *name;           // NULL closes a table
  const unsigned char *data;  // a zero follows the last byte
  size_t size;
} hn_embedded_file;

extern const hn_embedded_file hn_embedded_models[];  // models/*.yaml
extern const hn_embedded_file hn_embedded_report[];  // viewer/template.html, study.html
extern const hn_embedded_file hn_embedded_live[];    // the library as WebAssembly, gzip
extern const hn_embedded_file hn_embedded_fmu[];     // src/fmu: what goes into FMUs with sources

#endif
