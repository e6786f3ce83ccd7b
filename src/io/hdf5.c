// hdf5.c: results as HDF5, for MATLAB, Python and Julia.
//
//   /            attributes generator ("holon 0.1.0"), title, notes (strings; only when there are)
//   /data        rows x columns, double; attributes names, units (one string per column)
//   /time        column 0 again, where people look for it first
//
// Chunks hold one column each, shuffled and deflated: neighbouring values are alike, and reading
// one column touches nothing else. The file is made in memory by the library's core driver and
// saved like every other file, so that a full disk is met by our code, which can tell and clean
// up, and not inside HDF5. HDF5 is seldom built for threads: use one thread at a time.
#include "io/io.h"
#include "record/result.h"

#ifndef HN_HAVE_HDF5

static hn_status missing(const char *path, char message[HN_MESSAGE]) {
  return hn_fail(message, HN_ERR_UNSUPPORTED,
                 "%s: holon was built without HDF5; install it (Debian: libhdf5-dev) and build "
                 "again, or use a .csv file",
                 path);
}

hn_status hn_hdf5_write(const hn_result *result, const char *path, char message[HN_MESSAGE]) {
  (void)result;
  return missing(path, message);
}

hn_status hn_hdf5_read(hn_result **out, const char *path, char message[HN_MESSAGE]) {
  *out = NULL;
  return missing(path, message);
}

#else

#include <errno.h>
#include <hdf5.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_ROWS = 4096, DEFLATE_LEVEL = 4, IMAGE_STEP = 1 << 20 };

// HDF5 prints its errors unless told otherwise; the host program's setting is put back afterwards
typedef struct quiet {
  H5E_auto2_t print;
  void *data;
} quiet;

static quiet quiet_begin(void) {
  quiet q = {0};
  H5Eget_auto2(H5E_DEFAULT, &q.print, &q.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return q;
}

static void quiet_end(quiet q) {
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, q.print, q.data);
}

// the innermost entry of HDF5's error stack says what really happened
static herr_t innermost(unsigned n, const H5E_error2_t *error, void *text) {
  if (n == 0 && error->desc) snprintf(text, 128, "%s", error->desc);
  return 0;
}

static hn_status failed(const char *path, const char *what, char message[HN_MESSAGE]) {
  char reason[128] = "";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, reason);
  // what fails without HDF5's knowledge is our own allocation
  if (!*reason) return hn_fail(message, HN_ERR_MEMORY, "%s: out of memory", path);
  return hn_fail(message, HN_ERR_FILE, "%s: %s: HDF5 says: %s", path, what, reason);
}

static hid_t string_type(H5T_cset_t set) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, set);
  return type;
}

// ---- writing -------------------------------------------------------------------------------

static bool put_strings(hid_t object, const char *name, const char *const *text, hid_t space) {
  hid_t type = string_type(H5T_CSET_UTF8);
  hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
  if (attribute >= 0 && H5Aclose(attribute) < 0) ok = false;
  H5Tclose(type);
  return ok;
}

static bool put_string(hid_t object, const char *name, const char *text) {
  hid_t space = H5Screate(H5S_SCALAR);
  bool ok = put_strings(object, name, &text, space);
  H5Sclose(space);
  return ok;
}

static bool put_headings(hid_t data, const hn_result *result) {
  hsize_t columns = (hsize_t)result->columns;
  const char **text = malloc((size_t)columns * sizeof *text);
  if (!text) return false;
  hid_t space = H5Screate_simple(1, &columns, NULL);
  for (int i = 0; i < result->columns; i++) text[i] = hn_result_name(result, i);
  bool ok = put_strings(data, "names", text, space);
  for (int i = 0; i < result->columns; i++) text[i] = hn_result_unit(result, i);
  ok = ok && put_strings(data, "units", text, space);
  H5Sclose(space);
  free(text);
  return ok;
}

// the first `columns` columns of the result as a dataset; below zero on failure. The caller closes
static hid_t put_columns(hid_t file, const char *name, const hn_result *result, int columns,
                         int rank) {
  hsize_t rows = (hsize_t)result->rows;
  hsize_t size[2] = {rows, (hsize_t)columns}, most[2] = {H5S_UNLIMITED, size[1]};
  hsize_t chunk[2] = {rows == 0 ? 1 : rows < CHUNK_ROWS ? rows : CHUNK_ROWS, 1};
  hsize_t whole[2] = {rows, (hsize_t)result->columns}, start[2] = {0, 0};

  hid_t in_file = H5Screate_simple(rank, size, most);
  hid_t in_memory = H5Screate_simple(2, whole, NULL);
  hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  bool ok = H5Pset_chunk(how, rank, chunk) >= 0 && H5Pset_shuffle(how) >= 0 &&
            H5Pset_deflate(how, DEFLATE_LEVEL) >= 0;
  hid_t set = -1;
  if (ok) set = H5Dcreate2(file, name, H5T_IEEE_F64LE, in_file, H5P_DEFAULT, how, H5P_DEFAULT);
  if (set >= 0 && rows > 0) {
    ok = H5Sselect_hyperslab(in_memory, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
         H5Dwrite(set, H5T_NATIVE_DOUBLE, in_memory, H5S_ALL, H5P_DEFAULT, result->data) >= 0;
    if (!ok) H5Dclose(set), set = -1;
  }
  H5Pclose(how);
  H5Sclose(in_memory);
  H5Sclose(in_file);
  return set;
}

static bool put_notes(hid_t file, const hn_result *result) {
  if (!result->notes) return true;
  hsize_t count = (hsize_t)result->notes;
  hid_t space = H5Screate_simple(1, &count, NULL);
  bool ok = put_strings(file, "notes", (const char *const *)result->note, space);
  H5Sclose(space);
  return ok;
}

static bool put_result(hid_t file, const hn_result *result) {
  char generator[32];
  snprintf(generator, sizeof generator, "holon %s", hn_version());
  if (!put_string(file, "generator", generator)) return false;
  if (!put_string(file, "title", result->title)) return false;

  if (!put_notes(file, result)) return false;

  hid_t data = put_columns(file, "data", result, result->columns, 2);
  if (data < 0) return false;
  bool ok = put_headings(data, result);
  H5Dclose(data);
  if (!ok) return false;

  hid_t time = put_columns(file, "time", result, 1, 1);
  return time >= 0 && H5Dclose(time) >= 0;
}

// a file that lives in memory
static hid_t create_in_memory(const char *path) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, IMAGE_STEP, 0);
  // format 1.8 on: attributes of more than 64 kB, which thousands of columns need
#if H5_VERSION_GE(1, 10, 2)
  H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
#else
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
#endif
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose(access);
  return file;
}

// the driver's handle is the address of its buffer. H5Fget_file_image() would copy it, but clears
// bytes of the wrong place in files of format 1.8 (seen in 1.10.8); it knows the size, though
static const void *image_of(hid_t file, size_t *size) {
  void *handle = NULL;
  if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) return NULL;
  ssize_t bytes = H5Fget_file_image(file, NULL, 0);
  if (bytes <= 0 || H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0) return NULL;
  *size = (size_t)bytes;
  return *(void **)handle;
}

hn_status hn_hdf5_write(const hn_result *result, const char *path, char message[HN_MESSAGE]) {
  hn_status status;
  quiet q = quiet_begin();
  hid_t file = create_in_memory(path);
  const void *image = NULL;
  size_t size = 0;
  if (file >= 0 && put_result(file, result)) image = image_of(file, &size);
  if (image) {
    hn_save save;
    status = hn_save_open(&save, path, message);
    if (!status) {
      hn_save_bytes(&save, image, size);
      status = hn_save_close(&save, message);
    }
  } else {
    status = failed(path, "cannot be written", message);
  }
  if (file >= 0) H5Fclose(file);
  quiet_end(q);
  return status;
}

// ---- reading -------------------------------------------------------------------------------

// an attribute of `count` strings, to be released with drop_strings(); NULL when it is not there
// or something else
static char **get_strings(hid_t object, const char *name, int count) {
  if (H5Aexists(object, name) <= 0) return NULL;
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0) return NULL;
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  char **text = NULL;
  if (H5Tis_variable_str(type) > 0 && H5Sget_simple_extent_npoints(space) == count) {
    hid_t memory = string_type(H5Tget_cset(type));
    text = calloc((size_t)count, sizeof *text);
    if (text && H5Aread(attribute, memory, text) < 0) free(text), text = NULL;
    H5Tclose(memory);
  }
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(attribute);
  return text;
}

// how many strings an attribute has; 0 when it is not there
static int count_strings(hid_t object, const char *name) {
  if (H5Aexists(object, name) <= 0) return 0;
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0) return 0;
  hid_t space = H5Aget_space(attribute);
  hssize_t count = H5Sget_simple_extent_npoints(space);
  H5Sclose(space);
  H5Aclose(attribute);
  return count > 0 && count < INT_MAX ? (int)count : 0;
}

static void drop_strings(char **text, int count) {
  for (int i = 0; text && i < count; i++)
    if (text[i]) H5free_memory(text[i]);
  free(text);
}

static hn_status get_headings(hid_t data, hn_result *result, const char *path,
                              char message[HN_MESSAGE]) {
  int n = result->columns;
  char **names = get_strings(data, "names", n);
  char **units = get_strings(data, "units", n);
  hn_status status = HN_OK;
  if (!names || !units)
    status = hn_fail(message, HN_ERR_SYNTAX,
                     "%s: dataset '/data' has no attribute '%s' with one text for each of its %d "
                     "columns",
                     path, names ? "units" : "names", n);
  for (int i = 0; i < n && !status; i++) {
    status = hn_result_set_column(result, i, names[i], units[i]);
    if (status) hn_fail(message, status, "%s: out of memory", path);
  }
  drop_strings(names, n);
  drop_strings(units, n);
  return status;
}

static hn_status get_notes(hid_t file, hn_result *result) {
  int count = count_strings(file, "notes");
  char **note = count ? get_strings(file, "notes", count) : NULL;
  hn_status status = HN_OK;
  for (int i = 0; note && i < count && !status; i++) status = hn_result_add_note(result, note[i]);
  drop_strings(note, count);
  return status;
}

static hn_status get_data(hid_t file, hid_t data, hn_result **out, const char *path,
                          char message[HN_MESSAGE]) {
  hsize_t size[2] = {0, 0};
  hid_t space = H5Dget_space(data), type = H5Dget_type(data);
  bool table = H5Sget_simple_extent_ndims(space) == 2 && H5Tget_class(type) == H5T_FLOAT &&
               H5Sget_simple_extent_dims(space, size, NULL) == 2;
  H5Tclose(type);
  H5Sclose(space);
  if (!table || size[1] < 1 || size[1] > INT_MAX || size[0] > INT_MAX)
    return hn_fail(message, HN_ERR_SYNTAX, "%s: dataset '/data' is not a table of numbers", path);

  char **title = get_strings(file, "title", 1);
  hn_result *result = hn_result_create(title ? title[0] : NULL, (int)size[1]);
  drop_strings(title, 1);
  *out = result;
  if (!result || hn_result_reserve(result, (int)size[0]))
    return hn_fail(message, HN_ERR_MEMORY, "%s: out of memory", path);
  if (size[0] > 0) {
    if (H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, result->data) < 0)
      return failed(path, "cannot be read", message);
    result->rows = (int)size[0];
  }
  if (get_notes(file, result)) return hn_fail(message, HN_ERR_MEMORY, "%s: out of memory", path);
  return get_headings(data, result, path, message);
}

hn_status hn_hdf5_read(hn_result **out, const char *path, char message[HN_MESSAGE]) {
  *out = NULL;
  // the operating system knows better why a file cannot be opened
  FILE *probe = fopen(path, "rb");
  if (!probe) return hn_fail(message, HN_ERR_FILE, "%s: cannot be read: %s", path, strerror(errno));
  fclose(probe);

  hn_status status;
  quiet q = quiet_begin();
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) {
    status = failed(path, "cannot be read", message);
  } else if (H5Lexists(file, "data", H5P_DEFAULT) <= 0) {
    status = hn_fail(message, HN_ERR_SYNTAX, "%s: there is no dataset '/data'", path);
  } else {
    hid_t data = H5Dopen2(file, "data", H5P_DEFAULT);
    status = data < 0 ? failed(path, "dataset '/data' cannot be read", message)
                      : get_data(file, data, out, path, message);
    if (data >= 0) H5Dclose(data);
  }
  if (file >= 0) H5Fclose(file);
  quiet_end(q);

  if (status) {
    hn_result_destroy(*out);
    *out = NULL;
  }
  return status;
}

#endif
