// file.c: files read whole, and files that appear whole or not at all.
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// errno after a failed stdio call; some implementations leave it zero
static int failure(void) {
  return errno ? errno : EIO;
}

// ---- where a file goes ----------------------------------------------------------------------

// as Linux allows; more are a circle
enum { MOST_LINKS = 40 };

static char *copy_of(const char *text, size_t length) {
  char *copy = malloc(length + 1);
  if (copy) memcpy(copy, text, length), copy[length] = 0;
  return copy;
}

// what a symbolic link says, or NULL; errno tells why
static char *read_link(const char *path) {
  // what POSIX systems accept as a path
  char text[4096];
  // no zero is put at its end by readlink()
  ssize_t n = readlink(path, text, sizeof text);
  if (n < 0) return NULL;
  // a full buffer may be a part
  if ((size_t)n == sizeof text) return errno = ENAMETOOLONG, NULL;
  // a relative one starts in the folder of the link
  const char *slash = text[0] == '/' ? NULL : strrchr(path, '/');
  size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
  char *out = malloc(folder + (size_t)n + 1);
  if (!out) return errno = ENOMEM, NULL;
  memcpy(out, path, folder);
  memcpy(out + folder, text, (size_t)n);
  out[folder + (size_t)n] = 0;
  return out;
}

// the path behind all symbolic links, whether there is a file or not; NULL: errno tells why
static char *follow(const char *path) {
  char *at = copy_of(path, strlen(path));
  struct stat info;
  if (!at) errno = ENOMEM;
  // lstat() fails where nothing is: that is where the file will be
  for (int k = 0; at && lstat(at, &info) == 0 && S_ISLNK(info.st_mode); k++) {
    char *next = k < MOST_LINKS ? read_link(at) : NULL;
    if (k == MOST_LINKS) errno = ELOOP;
    free(at);
    at = next;
  }
  return at;
}

// why a file there must not be written over; NULL: there is none, or a plain one
// Renaming puts a new file where the old name was: of a device or pipe nothing would be left, and
// its readers would get nothing.
static const char *refuse_what_is_there(const char *path) {
  struct stat info;
  if (stat(path, &info)) return NULL;
  if (S_ISDIR(info.st_mode)) return strerror(EISDIR);
  if (S_ISFIFO(info.st_mode)) return "it is a pipe, not a file";
  if (S_ISSOCK(info.st_mode)) return "it is a socket, not a file";
  if (!S_ISREG(info.st_mode)) return "it is a device, not a file";
  // renaming needs the right to write in the folder only; a file that was made read-only is meant
  // to stay
  return access(path, W_OK) ? strerror(errno) : NULL;
}

// the file appears in its folder at the end, so the folder matters too
// target is cut off at its last slash, which stays only for the root
static const char *refuse_folder(char *target) {
  struct stat info;
  char *slash = strrchr(target, '/'), here[] = ".", *folder = slash ? target : here;
  if (slash) slash[slash == target ? 1 : 0] = 0;
  if (stat(folder, &info)) return strerror(errno);
  if (!S_ISDIR(info.st_mode)) return strerror(ENOTDIR);
  // to enter names; X alone is to find them
  return access(folder, W_OK | X_OK) ? strerror(errno) : NULL;
}

const char *hn_file_refusal(const char *path) {
  // the message is static or strerror()'s: valid until the next call
  const char *reason = refuse_what_is_there(path);
  if (reason) return reason;
  errno = 0;
  char *target = follow(path);
  // without memory nothing is known; who writes will see
  reason = target ? refuse_folder(target) : failure() == ENOMEM ? NULL : strerror(failure());
  free(target);
  return reason;
}

// the mode and if possible the owner of what was there before
static bool take_over(int file, const struct stat *old) {
#ifdef __wasm__
  // in a page files have neither
  (void)file, (void)old;
  return true;
#else
  // only the superuser may give files away, others are allowed to fail
  if ((old->st_uid != geteuid() || old->st_gid != getegid()) &&
      fchown(file, old->st_uid, old->st_gid) != 0) {
    // the file then belongs to whoever writes it, as any new one
  }
  // umask has nothing to say about a mode that was there before
  return !fchmod(file, old->st_mode & 0777);
#endif
}

// a new file beside the target
static FILE *create(const char *temporary, const char *target) {
  struct stat old;
  // a file that is there hands on its mode; for a new one the umask takes from 0666
  bool known = stat(target, &old) == 0;
  mode_t mode = known ? old.st_mode & 0777 : 0666;
  // what lies there was left by a killed process; O_EXCL follows no link and opens nobody else's
  if (unlink(temporary) && errno != ENOENT) return NULL;
  int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0) return NULL;
  // on any failure nothing is left behind, neither file nor descriptor
  FILE *stream = known && !take_over(file, &old) ? NULL : fdopen(file, "wb");
  if (!stream) close(file), unlink(temporary);
  return stream;
}

hn_status hn_save_open(hn_save *save, const char *path, char message[HN_MESSAGE]) {
  *save = (hn_save){.path = path};
  // said before anything is written: a long run should not end with this
  const char *refusal = refuse_what_is_there(path);
  if (refusal) return hn_fail(message, HN_ERR_FILE, "%s: cannot be written: %s", path, refusal);
  errno = 0;
  save->target = follow(path);
  // errno of follow(): a circle of links, or one that leads nowhere readable
  if (!save->target && failure() != ENOMEM)
    return hn_fail(message, HN_ERR_FILE, "%s: cannot be written: %s", path, strerror(failure()));
  // room for ".tmp", digits of a process id and the zero
  size_t size = save->target ? strlen(save->target) + 32 : 0;
  save->temporary = save->target ? malloc(size) : NULL;
  if (!save->temporary) {
    free(save->target);
    return hn_fail(message, HN_ERR_MEMORY, "%s: out of memory", path);
  }
  // in the same folder: rename() does not go from one file system to another; by process, so that
  // two of them do not share one
  snprintf(save->temporary, size, "%s.tmp%ld", save->target, (long)getpid());
  errno = 0;
  save->stream = create(save->temporary, save->target);
  if (save->stream) return HN_OK;
  hn_fail(message, HN_ERR_FILE, "%s: cannot be written: %s", path, strerror(failure()));
  free(save->temporary), free(save->target);
  return HN_ERR_FILE;
}

// The first failure is kept for the close, so that writers need not ask after each piece.
void hn_save_bytes(hn_save *save, const void *bytes, size_t size) {
  if (save->error || size == 0) return;
  errno = 0;
  if (fwrite(bytes, 1, size, save->stream) != size) save->error = failure();
}

hn_status hn_save_close(hn_save *save, char message[HN_MESSAGE]) {
  // also frees what is buffered: a full disk may be told here only
  hn_status status = HN_OK;
  errno = 0;
  // from here on the new file is at its place, whole; before it the old one is
  if (fclose(save->stream) != 0 && !save->error) save->error = failure();
  if (!save->error && rename(save->temporary, save->target) != 0) save->error = failure();
  if (save->error) {
    unlink(save->temporary);
    status = hn_fail(message, HN_ERR_FILE, "%s: cannot be written: %s", save->path,
                     strerror(save->error));
  }
  free(save->temporary), free(save->target);
  return status;
}

void hn_save_drop(hn_save *save) {
  fclose(save->stream);
  unlink(save->temporary);
  free(save->temporary), free(save->target);
}

hn_status hn_file_write(const char *path, const void *bytes, size_t length, char *message,
                        size_t size) {
  char text[HN_MESSAGE] = "";
  hn_save save;
  // no bytes are a file without content, if none are wanted
  hn_status status = path && (bytes || !length)
                         ? hn_save_open(&save, path, text)
                         : hn_fail(text, HN_ERR_ARGUMENT, "nothing to write, or no path");
  if (!status) {
    hn_save_bytes(&save, bytes, length);
    status = hn_save_close(&save, text);
  }
  if (message && size) snprintf(message, size, "%s", text);
  return status;
}

// *text and *length are set on success alone
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
    // room for a byte and the zero behind the last
    if (capacity - used < 2) {
      capacity = capacity ? 2 * capacity : 1 << 16;  // beginning at 64 KiB
      char *grown = realloc(buffer, capacity);
      if (!grown) {
        hn_fail(message, HN_ERR_MEMORY, "%s: out of memory", path);
        status = HN_ERR_MEMORY;
        break;
      }
      buffer = grown;
    }
    // a folder opens like a file and fails at its first byte
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

hn_status hn_load_named(char **text, size_t *length, const char *path, char message[HN_MESSAGE]) {
  struct stat about;
  // what is not there is told by opening it
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
    return hn_fail(message, HN_ERR_FILE, "%s: is no file", path);
  return hn_load_file(text, length, path, message);
}

bool hn_path_ends(const char *path, const char *ending) {
  // `ending` is written small by its callers; the locale is not asked
  size_t n = strlen(path), m = strlen(ending);
  if (n < m) return false;
  for (size_t i = 0; i < m; i++) {
    char c = path[n - m + i];
    if (c >= 'A' && c <= 'Z') c = (char)(c + 32);
    if (c != ending[i]) return false;
  }
  return true;
}
