// notes.c: what must be known to read the numbers of a CSV file, in a file beside it.
//
// FILE.csv holds a header and numbers and nothing else, so that any reader takes it; notes stand in
// FILE.csv.notes.txt, one a line behind the first, which names the file they belong to. There is
// none where nothing is to be said. While a run goes on its last line is "incomplete: TEXT".
#include "io/io.h"
#include "record/result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char mark[] = "holon: notes of ";

// free() it; NULL: out of memory
// beside the file, with its whole name in front
static char *notes_path(const char *path) {
  static const char ending[] = ".notes.txt";
  size_t n = strlen(path);
  char *out = malloc(n + sizeof ending);
  if (!out) return NULL;
  memcpy(out, path, n);
  memcpy(out + n, ending, sizeof ending);
  return out;
}

// is what lies there ours? Somebody's own file of that name is neither read nor replaced
// By its first words. Anything else of that name belongs to somebody.
static bool ours(const char *path) {
  char start[sizeof mark] = "";
  FILE *f = fopen(path, "rb");
  if (!f) return false;
  size_t n = fread(start, 1, sizeof mark - 1, f);
  fclose(f);
  // shorter than the mark: none of ours
  return n == sizeof mark - 1 && memcmp(start, mark, n) == 0;
}

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void write_line(hn_save *save, const char *a, const char *b) {
  hn_save_bytes(save, a, strlen(a));
  hn_save_bytes(save, b, strlen(b));
  hn_save_bytes(save, "\n", 1);
}

// No notes, no file: an old one of ours is taken away.
static hn_status write_notes(const hn_result *result, const char *path, const char *notes,
                             const char *incomplete, char message[HN_MESSAGE]) {
  struct stat info;
  // a link counts as what it leads to
  bool there = stat(notes, &info) == 0;
  bool regular = there && S_ISREG(info.st_mode);
  // an empty file may be taken
  if (regular && info.st_size > 0 && !ours(notes))
    return hn_fail(message, HN_ERR_FILE,
                   "%s: cannot be written: it is there and holds no notes of ours", notes);
  if (!result->notes && !incomplete) {
    if (!regular || !unlink(notes)) return HN_OK;
    return hn_fail(message, HN_ERR_FILE, "%s: cannot be removed: %s", notes, strerror(errno));
  }
  hn_save save;
  hn_status status = hn_save_open(&save, notes, message);
  if (status) return status;
  // a line of its own, whatever the name has in it
  char name[256];
  snprintf(name, sizeof name, "%.255s", file_name(path));
  hn_make_printable(name);
  write_line(&save, mark, name);
  for (int i = 0; i < result->notes; i++) write_line(&save, "", result->note[i]);
  if (incomplete) write_line(&save, "incomplete: ", incomplete);
  return hn_save_close(&save, message);
}

hn_status hn_notes_write(const hn_result *result, const char *path, const char *incomplete,
                         char message[HN_MESSAGE]) {
  char *notes = notes_path(path);
  if (!notes) return hn_fail(message, HN_ERR_MEMORY, "%s: out of memory", path);
  hn_status status = write_notes(result, path, notes, incomplete, message);
  free(notes);
  return status;
}

// a regular file only: whatever else has that name may have no end
// Line by line, without the first. Files with carriage returns are taken too.
static hn_status read_notes(hn_result *result, const char *notes, char message[HN_MESSAGE]) {
  struct stat info;
  if (stat(notes, &info) || !S_ISREG(info.st_mode) || !ours(notes)) return HN_OK;
  char *text, *rest = NULL;
  size_t length;
  hn_status status = hn_load_file(&text, &length, notes, message);
  if (status) return status;
  (void)strtok_r(text, "\r\n", &rest);  // the mark
  for (char *line; !status && (line = strtok_r(NULL, "\r\n", &rest));)
    if (hn_result_add_note(result, line))
      status = hn_fail(message, HN_ERR_MEMORY, "%s: out of memory", notes);
  free(text);
  return status;
}

hn_status hn_notes_read(hn_result *result, const char *path, char message[HN_MESSAGE]) {
  char *notes = notes_path(path);
  if (!notes) return hn_fail(message, HN_ERR_MEMORY, "%s: out of memory", path);
  hn_status status = read_notes(result, notes, message);
  free(notes);
  return status;
}
