// file.c: files read whole, and files that appear whole or not at all.
#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// errno after a failed stdio call; some implementations leave it zero
static int failure(void) {
  return errno ? errno : EIO;
}

hn_status hn_save_open(hn_save *save, const char *path, char message[HN_MESSAGE]) {
  *save = (hn_save){.path = path};
  size_t size = strlen(path) + 32;
  save->temporary = malloc(size);
  if (!save->temporary) return hn_fail(message, HN_ERR_MEMORY, "%s: out of memory", path);
  snprintf(save->temporary, size, "%s.tmp%ld", path, (long)getpid());

  // "x" follows no link and opens nobody else's file; what lies there was left by a killed process
  errno = 0;
  if (unlink(save->temporary) == 0 || errno == ENOENT) save->stream = fopen(save->temporary, "wbx");
  if (save->stream) return HN_OK;
  hn_fail(message, HN_ERR_FILE, "%s: cannot be written: %s", path, strerror(failure()));
  free(save->temporary);
  return HN_ERR_FILE;
}

void hn_save_bytes(hn_save *save, const void *bytes, size_t size) {
  if (save->error || size == 0) return;
  errno = 0;
  if (fwrite(bytes, 1, size, save->stream) != size) save->error = failure();
}

hn_status hn_save_close(hn_save *save, char message[HN_MESSAGE]) {
  hn_status status = HN_OK;
  errno = 0;
  if (fclose(save->stream) != 0 && !save->error) save->error = failure();
  if (!save->error && rename(save->temporary, save->path) != 0) save->error = failure();
  if (save->error) {
    unlink(save->temporary);
    status = hn_fail(message, HN_ERR_FILE, "%s: cannot be written: %s", save->path,
                     strerror(save->error));
  }
  free(save->temporary);
  return status;
}

void hn_save_drop(hn_save *save) {
  fclose(save->stream);
  unlink(save->temporary);
  free(save->temporary);
}

hn_status hn_load_file(char **text, size_t *length, const char *path, char message[HN_MESSAGE]) {
  FILE *stream = fopen(path, "rb");
  if (!stream)
    return hn_fail(message, HN_ERR_FILE, "%s: cannot be read: %s", path, strerror(failure()));

  // read to the end instead of asking for the size, so that pipes work too
  char *buffer = NULL;
  size_t used = 0, capacity = 0;
  hn_status status = HN_OK;
  errno = 0;
  do {
    if (capacity - used < 2) {
      capacity = capacity ? 2 * capacity : 1 << 16;
      char *grown = realloc(buffer, capacity);
      if (!grown) {
        hn_fail(message, HN_ERR_MEMORY, "%s: out of memory", path);
        status = HN_ERR_MEMORY;
        break;
      }
      buffer = grown;
    }
    used += fread(buffer + used, 1, capacity - used - 1, stream);
  } while (!feof(stream) && !ferror(stream));
  if (!status && ferror(stream))
    status = hn_fail(message, HN_ERR_FILE, "%s: cannot be read: %s", path, strerror(failure()));
  fclose(stream);

  if (status) {
    free(buffer);
    return status;
  }
  buffer[used] = 0;
  *text = buffer;
  *length = used;
  return HN_OK;
}

bool hn_path_ends(const char *path, const char *ending) {
  size_t n = strlen(path), m = strlen(ending);
  if (n < m) return false;
  for (size_t i = 0; i < m; i++) {
    char c = path[n - m + i];
    if (c >= 'A' && c <= 'Z') c = (char)(c + 32);
    if (c != ending[i]) return false;
  }
  return true;
}
