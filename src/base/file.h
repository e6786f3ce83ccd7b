// file.h: files that appear whole or not at all, files read whole, numbers as text.
#ifndef HN_FILE_H
#define HN_FILE_H

#include "base/base.h"

#include <stdio.h>

// A file is written under a temporary name beside its place and renamed when it is complete: at
// its place there is always the old content or the new one, never a part. Symbolic links are
// followed, the mode of what was there is kept; folders, devices, pipes and sockets are refused.
typedef struct hn_save {
  const char *path;
  char *target;     // what the path stands for, links followed
  char *temporary;  // target + ".tmp" + process id
  FILE *stream;
  int error;  // errno of the first failure; later bytes are ignored
} hn_save;

hn_status hn_save_open(hn_save *save, const char *path, char message[HN_MESSAGE]);
void hn_save_bytes(hn_save *save, const void *bytes, size_t size);
// puts the file in its place; after any failure removes the temporary and says why
hn_status hn_save_close(hn_save *save, char message[HN_MESSAGE]);
// gives up: the file at its place stays as it was
void hn_save_drop(hn_save *save);

// the whole file, with a terminating zero that is not counted in *length; free() it
hn_status hn_load_file(char **text, size_t *length, const char *path, char message[HN_MESSAGE]);
// the same of a file that another file names: a pipe or a device there would be waited for or never
// end, and is refused
hn_status hn_load_named(char **text, size_t *length, const char *path, char message[HN_MESSAGE]);
bool hn_path_ends(const char *path, const char *ending);  // ASCII letters of either case

// shortest text that strtod() turns back into the same bits; `nan`, `inf` and `-inf` for the rest.
// knows no locale: the decimal sign is a point
enum { HN_NUMBER_SIZE = 40 };
int hn_number_text(char out[HN_NUMBER_SIZE], double x);  // length, terminating zero not counted

#endif
