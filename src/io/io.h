// io.h: what the readers and writers of result files share.
#ifndef HN_IO_H
#define HN_IO_H

#include "base/file.h"

// Readers and writers of one format stand in one file each; result_file.c chooses among them.
// Messages begin with the path, and with the line where a format has lines.
// `incomplete` is what a file says of itself while the run goes on; NULL: it is complete
hn_status hn_csv_write(const hn_result *result, const char *path, const char *incomplete,
                       char message[HN_MESSAGE]);
hn_status hn_csv_read(hn_result **out, const char *path, char message[HN_MESSAGE]);
// the text of some rows; free() it, NULL: out of memory
char *hn_csv_rows(const hn_result *result, int from, int count, size_t *length);

// notes.c: the notes of the CSV file at `path`, in a file beside it; reading adds them to the
// result
hn_status hn_notes_write(const hn_result *result, const char *path, const char *incomplete,
                         char message[HN_MESSAGE]);
hn_status hn_notes_read(hn_result *result, const char *path, char message[HN_MESSAGE]);

// HN_ERR_UNSUPPORTED when built without HDF5
hn_status hn_hdf5_write(const hn_result *result, const char *path, const char *incomplete,
                        char message[HN_MESSAGE]);
hn_status hn_hdf5_read(hn_result **out, const char *path, char message[HN_MESSAGE]);
extern int hn_hdf5_patience;  // [s] processor time for a small file before it is given up

// npz.c: NumPy archives, which are written only
hn_status hn_npz_write(const hn_result *result, const char *path, const char *incomplete,
                       char message[HN_MESSAGE]);
hn_status hn_npz_read(hn_result **out, const char *path, char message[HN_MESSAGE]);

#endif
