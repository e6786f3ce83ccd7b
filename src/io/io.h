// io.h: what the readers and writers of result files share.
#ifndef HN_IO_H
#define HN_IO_H

#include "base/file.h"

hn_status hn_csv_write(const hn_result *result, const char *path, char message[HN_MESSAGE]);
hn_status hn_csv_read(hn_result **out, const char *path, char message[HN_MESSAGE]);

// HN_ERR_UNSUPPORTED when built without HDF5
hn_status hn_hdf5_write(const hn_result *result, const char *path, char message[HN_MESSAGE]);
hn_status hn_hdf5_read(hn_result **out, const char *path, char message[HN_MESSAGE]);

#endif
