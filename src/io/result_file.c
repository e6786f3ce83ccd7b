// result_file.c: the format of a result file by the ending of its path.
//
// A new format is a row here and two functions in io.h. Endings are compared without regard to
// case.
#include "io/io.h"

#include <stdio.h>

// a format: how its files end, and what handles them
typedef struct format {
  const char *ending;
  hn_status (*write)(const hn_result *result, const char *path, const char *incomplete,
                     char message[HN_MESSAGE]);
  hn_status (*read)(hn_result **out, const char *path, char message[HN_MESSAGE]);
} format;

static const format formats[] = {
    {".csv", hn_csv_write, hn_csv_read},
    {".h5", hn_hdf5_write, hn_hdf5_read},
    {".hdf5", hn_hdf5_write, hn_hdf5_read},
    {".npz", hn_npz_write, hn_npz_read},
};

static const format *format_of(const char *path) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (hn_path_ends(path, formats[i].ending)) return &formats[i];
  return NULL;
}

// the caller's buffer may be absent or smaller than a message
static hn_status answer(hn_status status, const char *text, char *message, size_t size) {
  if (message && size) snprintf(message, size, "%s", status ? text : "");
  return status;
}

// Complete files: those of a run that goes on are written by stream.c.
hn_status hn_result_write(const hn_result *result, const char *path, char *message, size_t size) {
  char text[HN_MESSAGE] = "";
  hn_status status;
  const format *f = path ? format_of(path) : NULL;
  if (!result || !path)
    status = hn_fail(text, HN_ERR_ARGUMENT, "%s to write", path ? "no result" : "no path");
  else if (!f)
    status = hn_fail(text, HN_ERR_ARGUMENT, "%s: a result file ends in .csv, .h5 or .npz", path);
  else
    status = f->write(result, path, NULL, text);
  return answer(status, text, message, size);
}

hn_status hn_result_read(hn_result **out, const char *path, char *message, size_t size) {
  char text[HN_MESSAGE] = "";
  hn_status status;
  *out = NULL;
  const format *f = path ? format_of(path) : NULL;
  if (!path)
    status = hn_fail(text, HN_ERR_ARGUMENT, "no path to read");
  else if (!f)
    status = hn_fail(text, HN_ERR_ARGUMENT, "%s: a result file ends in .csv, .h5 or .npz", path);
  else
    status = f->read(out, path, text);
  return answer(status, text, message, size);
}
