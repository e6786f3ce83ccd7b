// stream.c: the file of a run that goes on.
//
// A long run is not to be lost when the program or the machine is stopped: every now and then its
// file gets the rows recorded since. It says that it is incomplete until hn_result_write() replaces
// it.
//
// Rows that are in the file need not be kept: hn_stream_drain() lets go of them, so that a run of
// any length stays as small as it is. Such a file is completed by hn_stream_end(), for nobody could
// write it anew.
//
// CSV files grow, and the notes beside them say so. A kill while they do leaves a line without an
// end, which the reader leaves out. HDF5 files cannot be left half-written; they are made anew and
// put in place of the old.
#include "io/io.h"
#include "record/result.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Device and inode are what tells the file begun from another one that was put in its place.
struct hn_stream {
  char *path;
  bool csv;
  long rows;  // in the file already; 0: it is not begun
  off_t end;  // of the last row
  dev_t device;
  ino_t inode;  // of the file begun: whoever puts another one there keeps it
};

// Nothing is opened yet: the first update does, so that a run that fails at once leaves no file.
hn_stream *hn_stream_create(const char *path) {
  // archives are written once, at the end
  if (hn_path_ends(path, ".npz")) return NULL;
  hn_stream *s = calloc(1, sizeof *s);
  if (s) s->path = hn_strdup(path);
  if (!s || !s->path) {
    free(s);
    return NULL;
  }
  s->csv = hn_path_ends(path, ".csv");
  return s;
}

void hn_stream_destroy(hn_stream *stream) {
  if (!stream) return;
  free(stream->path);
  free(stream);
}

static hn_status failed(const hn_stream *s, char message[HN_MESSAGE]) {
  return hn_fail(message, HN_ERR_FILE, "%s: cannot be written: %s", s->path,
                 strerror(errno ? errno : EIO));
}

// By the same writer as complete files; rows are appended behind its end from then on.
static hn_status begin(hn_stream *s, const hn_result *result, const char *text,
                       char message[HN_MESSAGE]) {
  struct stat info;
  hn_status status = hn_csv_write(result, s->path, text, message);
  if (status) return status;
  if (stat(s->path, &info)) return failed(s, message);
  s->device = info.st_dev, s->inode = info.st_ino;
  s->end = info.st_size;
  s->rows = result->gone + result->rows;
  return HN_OK;
}

// At a place, not at the end: a write that failed half-way is written over the next time.
static bool write_at(int file, const char *text, size_t length, off_t at) {
  while (length > 0) {
    ssize_t n = pwrite(file, text, length, at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text += n, length -= (size_t)n, at += n;
  }
  return true;
}

// The file is opened and closed each time, so that others may look at it, and network drives see
// it.
static hn_status go_on(hn_stream *s, const hn_result *result, const char *text,
                       char message[HN_MESSAGE]) {
  size_t length;
  int first = (int)(s->rows - result->gone);
  char *rows = hn_csv_rows(result, first, result->rows - first, &length);
  if (!rows) return hn_fail(message, HN_ERR_MEMORY, "%s: out of memory", s->path);
  struct stat info;
  errno = 0;
  int file = open(s->path, O_WRONLY | O_CLOEXEC);
  bool good = file >= 0 && fstat(file, &info) == 0;
  bool ours = good && info.st_dev == s->device && info.st_ino == s->inode;
  if (ours) good = write_at(file, rows, length, s->end);
  if (file >= 0 && close(file)) good = false;
  free(rows);
  if (!good) return failed(s, message);
  if (!ours) return hn_fail(message, HN_ERR_FILE, "%s: somebody else has replaced it", s->path);
  s->end += (off_t)length;
  s->rows = result->gone + result->rows;
  return hn_notes_write(result, s->path, text, message);
}

// Only CSV can be continued without the rows; others keep theirs in memory.
hn_status hn_stream_drain(hn_stream *stream, hn_result *result, const char *text, char *message,
                          size_t size) {
  hn_status status = hn_stream_update(stream, result, text, message, size);
  if (!status && stream->csv) hn_result_let_go(result);
  return status;
}

// Rows in the file, 0: nothing was let go of and the caller writes it whole, -1: it failed.
long hn_stream_end(hn_stream *stream, const hn_result *result, char *message, size_t size) {
  char words[HN_MESSAGE] = "";
  if (!stream || !result || !result->gone) return 0;
  hn_status status = go_on(stream, result, NULL, words);
  if (message && size) snprintf(message, size, "%s", words);
  return status ? -1 : stream->rows;
}

hn_status hn_stream_update(hn_stream *stream, const hn_result *result, const char *text,
                           char *message, size_t size) {
  char words[HN_MESSAGE] = "", state[HN_MESSAGE];
  hn_status status = HN_OK;
  snprintf(state, sizeof state, "%.400s", text ? text : "");
  hn_make_printable(state);
  if (!stream || !result)
    status = hn_fail(words, HN_ERR_ARGUMENT, "no stream, or no result to write");
  else if (!stream->csv)
    status = hn_hdf5_write(result, stream->path, state, words);
  else
    status =
        stream->rows ? go_on(stream, result, state, words) : begin(stream, result, state, words);
  if (message && size) snprintf(message, size, "%s", words);
  return status;
}
