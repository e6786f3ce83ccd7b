// npz.c: results as NumPy archives: one array for every column, by its name, and the units.
//
//   with numpy.load("run.npz") as r: r["time"], r["hinge.angle"]
//
// A file is a ZIP archive of .npy files (version 1.0): magic, a header that is a Python literal,
// and the numbers, little-endian. They are written only.
//
// Columns are arrays of their own, so that loading one reads no other; names and units stand beside
// them as two arrays of bytes. Notes of a result have no place in an archive of arrays.
#include "io/io.h"
#include "io/zip.h"
#include "record/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 128 };  // bytes of magic and header, a multiple of 64

// The format wants the data to begin at a multiple of 64 bytes: blanks fill up, a line end closes.
static void put_header(char *out, const char *type, int count) {
  char text[HEADER];
  int n = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }",
                   type, count);
  memcpy(out, "\x93NUMPY\x01\x00", 8);
  out[8] = (char)(HEADER - 10), out[9] = 0;
  memset(out + 10, ' ', HEADER - 10);
  memcpy(out + 10, text, (size_t)n);
  out[HEADER - 1] = '\n';
}

// Byte by byte, which is right on any machine.
static void add_column(hn_zip *zip, const hn_result *result, int column, char *buffer) {
  char name[300];
  put_header(buffer, "<f8", result->rows);
  for (int i = 0; i < result->rows; i++) {
    const double x = hn_result_row(result, i)[column];
    unsigned char *at = (unsigned char *)buffer + HEADER + 8 * (size_t)i;
    unsigned long long bits;
    memcpy(&bits, &x, sizeof bits);
    for (int k = 0; k < 8; k++) at[k] = (unsigned char)(bits >> (8 * k));
  }
  snprintf(name, sizeof name, "%.290s.npy", hn_result_name(result, column));
  hn_zip_add(zip, name, buffer, HEADER + 8 * (size_t)result->rows);
}

// names and units as bytes of equal length, in the order of the columns
// |S is numpy's type of byte strings of one length; shorter ones have zeros behind.
static void add_words(hn_zip *zip, const hn_result *result, const char *entry,
                      const char *(*word)(const hn_result *, int)) {
  size_t width = 1;
  char type[24];
  for (int i = 0; i < result->columns; i++) {
    size_t n = strlen(word(result, i));
    if (n > width) width = n;
  }
  char *buffer = calloc(HEADER + width * (size_t)result->columns, 1);
  if (!buffer) {
    zip->status = HN_ERR_MEMORY;
    return;
  }
  snprintf(type, sizeof type, "|S%zu", width);
  put_header(buffer, type, result->columns);
  for (int i = 0; i < result->columns; i++)
    memcpy(buffer + HEADER + width * (size_t)i, word(result, i), strlen(word(result, i)));
  hn_zip_add(zip, entry, buffer, HEADER + width * (size_t)result->columns);
  free(buffer);
}

// Stored, not packed: numpy reads such files without unpacking, and numbers pack badly.
hn_status hn_npz_write(const hn_result *result, const char *path, const char *incomplete,
                       char message[HN_MESSAGE]) {
  hn_zip zip;
  (void)incomplete;
  char *buffer = malloc(HEADER + 8 * (size_t)(result->rows + 1));
  if (!buffer) return hn_fail(message, HN_ERR_MEMORY, "%.200s: out of memory", path);
  hn_status status = hn_zip_open(&zip, path, message);
  if (!status) {
    for (int i = 0; i < result->columns; i++) add_column(&zip, result, i, buffer);
    add_words(&zip, result, "column_names.npy", hn_result_name);
    add_words(&zip, result, "column_units.npy", hn_result_unit);
    status = hn_zip_close(&zip, message);
  }
  free(buffer);
  return status;
}

hn_status hn_npz_read(hn_result **out, const char *path, char message[HN_MESSAGE]) {
  *out = NULL;
  return hn_fail(message, HN_ERR_UNSUPPORTED, "%.200s: .npz files are written, not read", path);
}
