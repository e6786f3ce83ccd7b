// hdf5.c: results as HDF5, for MATLAB, Python and Julia.
//
//   /            attributes generator ("holon 0.1.0"), title, notes (strings; only when there are),
//                incomplete (what a run that goes on says of its file)
//   /data        rows x columns, double; attributes names, units (one string per column)
//   /time        column 0 again, where people look for it first
//
// Chunks hold one column each, shuffled and deflated: neighbouring values are alike, and reading
// one column touches nothing else. Texts have a fixed length. The file is made in memory by the
// library's core driver and saved like every other file, so that a full disk is met by our code,
// which can tell and clean up, and not inside HDF5.
//
// HDF5 trusts the files it reads and the memory it gets: damaged files make it overrun its buffers
// or run for ever, and a failed allocation can end it. So it works in a child process that has
// nothing to lose: what it reads comes back through a pipe, and when it dies that is an error like
// others.
#include "io/io.h"
#include "record/result.h"

#ifndef HN_HAVE_HDF5

static hn_status missing(const char *path, char message[HN_MESSAGE]) {
  return hn_fail(message, HN_ERR_UNSUPPORTED,
                 "%s: holon was built without HDF5; install it (Debian: libhdf5-dev) and build "
                 "again, or use a .csv file",
                 path);
}

int hn_hdf5_patience = 5;

hn_status hn_hdf5_write(const hn_result *result, const char *path, const char *incomplete,
                        char message[HN_MESSAGE]) {
  (void)result, (void)incomplete;
  return missing(path, message);
}

hn_status hn_hdf5_read(hn_result **out, const char *path, char message[HN_MESSAGE]) {
  *out = NULL;
  return missing(path, message);
}

#else

#include "io/hdf5_library.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// rows of a chunk; how hard zlib tries; steps by which the file in memory grows
enum { CHUNK_ROWS = 4096, DEFLATE_LEVEL = 4, IMAGE_STEP = 1 << 20 };

// [s] of processor time that a damaged file is given; tests make it less
int hn_hdf5_patience = 5;

// ---- the child -----------------------------------------------------------------------------

// what a child says first
// Fixed size, so that a pipe carries it whole; texts and numbers follow.
typedef struct answer {
  hn_status status;
  int rows, columns, notes;
  char message[HN_MESSAGE];
} answer;

// all bytes, or false
// Signals may interrupt a transfer; anything else that goes wrong ends it.
static bool send_bytes(int to, const void *bytes, size_t size) {
  // a pipe takes as much as it has room for
  for (const char *at = bytes; size > 0;) {
    ssize_t n = write(to, at, size);
    if (n < 0 && errno == EINTR) continue;
    // 0 would be for ever
    if (n <= 0) return false;
    at += n, size -= (size_t)n;
  }
  return true;
}

static bool receive_bytes(int from, void *bytes, size_t size) {
  for (char *at = bytes; size > 0;) {
    ssize_t n = read(from, at, size);
    if (n < 0 && errno == EINTR) continue;
    // 0: the other end is closed
    if (n <= 0) return false;
    at += n, size -= (size_t)n;
  }
  return true;
}

// nothing of the host program's may happen in the child, and nothing may go on for ever
// Handlers of the host program would run in its copy: the default ones end the child instead. The
// time is that of the processor, so that a slow disk does no harm.
static void enter_child(double seconds) {
  static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPIPE, SIGXCPU};
  // what would kill the child should kill it, whatever handlers the program has
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) signal(fatal[i], SIG_DFL);
  rlim_t most = (rlim_t)seconds + 1;
  // soft limit: SIGXCPU; hard limit a second later: SIGKILL
  setrlimit(RLIMIT_CPU, &(struct rlimit){most, most + 1});
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  // what HDF5 or the C library print on the way to their end helps nobody
  int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO), dup2(nowhere, STDOUT_FILENO);
  // errors are walked through by us, not printed
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

// in the parent: a child of a program with threads must not load libraries
// dlopen between fork and exec is not allowed in a program with threads.
static hn_status load_library(const char *path, char message[HN_MESSAGE]) {
  if (hn_h5_load()) return HN_OK;
  return hn_fail(message, HN_ERR_UNSUPPORTED,
                 "%s: HDF5 cannot be loaded (%s); install it (Debian: libhdf5-dev), or use a .csv "
                 "or .npz file",
                 path, hn_h5_trouble());
}

// starts a child with a pipe from it: its id, 0 in the child, -1: cannot be done
// The child has the reader's end closed, the parent the writer's: either sees the other's end.
static pid_t start_child(int *ends, double seconds) {
  // one way: from the child
  if (pipe(ends)) return -1;
  pid_t child = fork();
  if (child < 0) close(ends[0]), close(ends[1]);
  // the child goes on here, as a copy of the caller
  if (child == 0) {
    close(ends[0]);
    enter_child(seconds);
  }
  if (child > 0) close(ends[1]);
  return child;
}

#ifdef HN_COVERAGE
int __llvm_profile_write_file(void);
#endif

// nothing of the parent's is closed or written by its copy here
// _exit: no buffers are flushed twice and no destructors run.
static void leave_child(void) {
#ifdef HN_COVERAGE
  __llvm_profile_write_file();
#endif
  _exit(0);
}

// the status its end left, 0 when all is well
static int end_of(pid_t child) {
  int state = 0;
  // a signal of the host program may end the wait, not the child
  while (waitpid(child, &state, 0) < 0)
    if (errno != EINTR) return -1;
  return state;
}

static hn_status no_child(const char *path, char message[HN_MESSAGE]) {
  return hn_fail(message, HN_ERR_MEMORY, "%s: no process for HDF5 can be started: %s", path,
                 strerror(errno));
}

// the innermost entry of HDF5's error stack says what really happened
static herr_t innermost(unsigned n, const H5E_error2_t *error, void *text) {
  // 0 is the innermost
  if (n == 0 && error->desc) snprintf(text, 128, "%s", error->desc);
  return 0;
}

// HDF5's own stack of errors, from the inside out.
static hn_status failed(const char *path, const char *what, char message[HN_MESSAGE]) {
  char reason[128] = "";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, reason);
  // what fails without HDF5's knowledge is our own allocation
  if (!*reason) return hn_fail(message, HN_ERR_MEMORY, "%s: out of memory", path);
  return hn_fail(message, HN_ERR_FILE, "%s: %s: HDF5 says: %s", path, what, reason);
}

static hid_t string_type(size_t size, H5T_cset_t set) {
  // a copy: the library's own types cannot be changed
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size);
  H5Tset_strpad(type, H5T_STR_NULLTERM);
  H5Tset_cset(type, set);
  return type;
}

// ---- writing -------------------------------------------------------------------------------

// texts of one length, as long as the longest needs
// Fixed length with zeros behind: every language reads that, while variable strings need pointers.
static bool put_strings(hid_t object, const char *name, const char *const *text, size_t count,
                        hid_t space) {
  // with the closing zero
  size_t size = 1;
  for (size_t i = 0; i < count; i++)
    if (strlen(text[i]) >= size) size = strlen(text[i]) + 1;
  char *all = calloc(count, size);
  if (!all) return false;
  for (size_t i = 0; i < count; i++) strcpy(all + i * size, text[i]);
  hid_t type = string_type(size, H5T_CSET_UTF8);
  hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = attribute >= 0 && H5Awrite(attribute, type, all) >= 0;
  // closing can fail where writing did not: the buffer is written then
  if (attribute >= 0 && H5Aclose(attribute) < 0) ok = false;
  H5Tclose(type);
  free(all);
  return ok;
}

static bool put_string(hid_t object, const char *name, const char *text) {
  hid_t space = H5Screate(H5S_SCALAR);
  bool ok = put_strings(object, name, &text, 1, space);
  H5Sclose(space);
  return ok;
}

static bool put_headings(hid_t data, const hn_result *result) {
  hsize_t columns = (hsize_t)result->columns;
  // pointers into the result, for both attributes in turn
  const char **text = malloc((size_t)columns * sizeof *text);
  if (!text) return false;
  hid_t space = H5Screate_simple(1, &columns, NULL);
  for (int i = 0; i < result->columns; i++) text[i] = hn_result_name(result, i);
  bool ok = put_strings(data, "names", text, (size_t)columns, space);
  for (int i = 0; i < result->columns; i++) text[i] = hn_result_unit(result, i);
  ok = ok && put_strings(data, "units", text, (size_t)columns, space);
  H5Sclose(space);
  free(text);
  return ok;
}

// the first `columns` columns of the result as a dataset; below zero on failure. The caller closes
// Chunks of one column: a viewer that plots one quantity reads nothing else.
static hid_t put_columns(hid_t file, const char *name, const hn_result *result, int columns,
                         int rank) {
  hsize_t rows = (hsize_t)result->rows;
  hsize_t size[2] = {rows, (hsize_t)columns}, most[2] = {H5S_UNLIMITED, size[1]};
  // a chunk is at least one row, at most CHUNK_ROWS, of one column
  hsize_t chunk[2] = {rows == 0 ? 1 : rows < CHUNK_ROWS ? rows : CHUNK_ROWS, 1};
  hsize_t whole[2] = {rows, (hsize_t)result->columns}, start[2] = {0, 0};

  // rows may be appended by others
  hid_t in_file = H5Screate_simple(rank, size, most);
  hid_t in_memory = H5Screate_simple(2, whole, NULL);
  hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  bool ok = H5Pset_chunk(how, rank, chunk) >= 0 && H5Pset_shuffle(how) >= 0 &&
            H5Pset_deflate(how, DEFLATE_LEVEL) >= 0;
  hid_t set = -1;
  if (ok) set = H5Dcreate2(file, name, H5T_IEEE_F64LE, in_file, H5P_DEFAULT, how, H5P_DEFAULT);
  if (set >= 0 && rows > 0) {
    // the first columns of the table in memory
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
  bool ok = put_strings(file, "notes", (const char *const *)result->note, (size_t)count, space);
  H5Sclose(space);
  return ok;
}

// Attributes before data, so that a file that breaks off still says what it is.
static bool put_result(hid_t file, const hn_result *result, const char *incomplete) {
  // attributes of the file as a whole
  char generator[32];
  snprintf(generator, sizeof generator, "holon %s", hn_version());
  if (!put_string(file, "generator", generator)) return false;
  if (!put_string(file, "title", result->title)) return false;

  if (incomplete && !put_string(file, "incomplete", incomplete)) return false;
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
  // the core driver, nothing of which is written to disk
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
// The core driver's buffer, which lives as long as the file is open.
static const void *image_of(hid_t file, size_t *size) {
  void *handle = NULL;
  if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) return NULL;
  // without a buffer it only tells the size
  ssize_t bytes = H5Fget_file_image(file, NULL, 0);
  if (bytes <= 0 || H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0) return NULL;
  *size = (size_t)bytes;
  return *(void **)handle;
}

// in the child: the file into `to`, then how it went
// The image goes through the save's own descriptor; the parent closes and renames.
static void write_in_child(const hn_result *result, const char *path, const char *incomplete,
                           int to, int say) {
  answer a = {.status = HN_OK};
  hid_t file = create_in_memory(path);
  const void *image = NULL;
  size_t size = 0;
  // a short life: nothing is closed, the child ends
  if (file >= 0 && put_result(file, result, incomplete)) image = image_of(file, &size);
  if (!image)
    a.status = failed(path, "cannot be written", a.message);
  else if (!send_bytes(to, image, size))
    a.status = hn_fail(a.message, HN_ERR_FILE, "%s: cannot be written: %s", path, strerror(errno));
  // even where writing failed: the parent waits for it
  send_bytes(say, &a, sizeof a);
}

// The child is given a second for each megabyte besides twenty: compressing is slow on old
// machines.
hn_status hn_hdf5_write(const hn_result *result, const char *path, const char *incomplete,
                        char message[HN_MESSAGE]) {
  hn_save save;
  int ends[2];
  hn_status status = load_library(path, message);
  if (!status) status = hn_save_open(&save, path, message);
  if (status) return status;
  double megabytes = 8e-6 * (double)result->rows * (double)result->columns;
  // the child has a copy of the save's descriptor: it writes into the same file
  pid_t child = start_child(ends, 20 + megabytes);
  if (child == 0) {
    write_in_child(result, path, incomplete, fileno(save.stream), ends[1]);
    leave_child();
  }
  if (child < 0) {
    status = no_child(path, message);
  } else {
    answer a = {.status = HN_OK};
    bool told = receive_bytes(ends[0], &a, sizeof a);
    close(ends[0]);
    // it died, or fell silent
    if (end_of(child) != 0 || !told)
      status =
          hn_fail(message, HN_ERR_MEMORY, "%s: HDF5 failed inside, or ran out of memory", path);
    else if (a.status)
      status = hn_fail(message, a.status, "%s", a.message);
  }
  if (!status) return hn_save_close(&save, message);
  hn_save_drop(&save);
  return status;
}

// ---- reading -------------------------------------------------------------------------------

// what a file can hold: nothing is compressed to less than a thousandth
// Deflate packs at most by a factor of about a thousand: a header that promises more lies, and
// would only cost memory.
static double largest(const char *path) {
  struct stat info;
  return stat(path, &info) ? 0 : 1e5 + 1.1e3 * (double)info.st_size;
}

// an attribute of texts: how many, and how long each may be with its closing zero (0: any length)
typedef struct strings {
  hid_t attribute, type;
  hssize_t count;
  size_t size;
} strings;

// Closed again where it is something else than texts.
static bool open_strings(strings *s, hid_t object, const char *name) {
  *s = (strings){-1, -1, 0, 0};
  if (H5Aexists(object, name) <= 0) return false;
  s->attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (s->attribute < 0) return false;
  s->type = H5Aget_type(s->attribute);
  hid_t space = H5Aget_space(s->attribute);
  s->count = space >= 0 ? H5Sget_simple_extent_npoints(space) : 0;
  if (space >= 0) H5Sclose(space);
  bool good = s->type >= 0 && H5Tget_class(s->type) == H5T_STRING && s->count > 0;
  // one more: strings without a closing zero get one
  if (good && H5Tis_variable_str(s->type) == 0) s->size = H5Tget_size(s->type) + 1;
  if (!good) H5Aclose(s->attribute);
  return good;
}

static char **read_variable(const strings *s) {
  hid_t memory = string_type(H5T_VARIABLE, H5Tget_cset(s->type));
  char **text = calloc((size_t)s->count, sizeof *text);
  if (text && H5Aread(s->attribute, memory, text) < 0) free(text), text = NULL;
  H5Tclose(memory);
  return text;
}

// pointers and texts in one block
static char **read_fixed(const strings *s) {
  size_t count = (size_t)s->count, heads = count * sizeof(char *);
  char **text = calloc(1, heads + count * s->size);
  hid_t memory = string_type(s->size, H5Tget_cset(s->type));
  if (text && H5Aread(s->attribute, memory, (char *)text + heads) < 0) free(text), text = NULL;
  for (size_t i = 0; text && i < count; i++) {
    text[i] = (char *)text + heads + i * s->size;
    // a full-length string has no zero of its own
    text[i][s->size - 1] = 0;
  }
  H5Tclose(memory);
  return text;
}

// an attribute of `count` texts (0: any number), never given back: the child ends soon. NULL when
// it is not there, something else, or larger than the file can be
// Nothing is freed: the child ends soon, and its memory with it.
static char **get_strings(hid_t object, const char *name, int count, double most, int *found) {
  strings s;
  char **text = NULL;
  if (!open_strings(&s, object, name)) return NULL;
  // the count of the file is not believed before it is compared with the file's length
  bool fits = (double)s.count * (double)(s.size + sizeof(char *)) < most && s.count < INT_MAX;
  if (fits && (count == 0 || s.count == count)) text = s.size ? read_fixed(&s) : read_variable(&s);
  for (hssize_t i = 0; text && i < s.count; i++)
    if (!text[i]) text = NULL;
  if (found) *found = text ? (int)s.count : 0;
  H5Aclose(s.attribute);
  return text;
}

// a table in the child, before it is sent
typedef struct table {
  double *data;
  char **names, **units, **notes, **title, **incomplete;
} table;

// Checked in this order: shape, size against the file's, then numbers, then names.
static hn_status get_table(hid_t file, hid_t data, table *t, answer *a, const char *path) {
  double most = largest(path);
  hsize_t size[2] = {0, 0};
  hid_t space = H5Dget_space(data), type = H5Dget_type(data);
  // exactly two dimensions, floating point of any length up to ours
  bool good = space >= 0 && type >= 0 && H5Sget_simple_extent_ndims(space) == 2 &&
              H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) <= sizeof(double) &&
              H5Sget_simple_extent_dims(space, size, NULL) == 2;
  if (!good || size[1] < 1 || size[1] > INT_MAX || size[0] > INT_MAX)
    return hn_fail(a->message, HN_ERR_SYNTAX, "%s: dataset '/data' is not a table of numbers",
                   path);
  // as double: no overflow, whatever the file says
  double bytes = 8 * (double)size[0] * (double)size[1];
  if (bytes > most)
    return hn_fail(a->message, HN_ERR_SYNTAX,
                   "%s: dataset '/data' claims to have %.3g numbers, more than the file can hold",
                   path, bytes / 8);
  a->rows = (int)size[0], a->columns = (int)size[1];
  t->data = malloc((size_t)bytes + 8);
  if (!t->data) return hn_fail(a->message, HN_ERR_MEMORY, "%s: out of memory", path);
  if (a->rows > 0 && H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, t->data) < 0)
    return failed(path, "cannot be read", a->message);
  t->names = get_strings(data, "names", a->columns, most, NULL);
  t->units = get_strings(data, "units", a->columns, most, NULL);
  if (!t->names || !t->units)
    return hn_fail(a->message, HN_ERR_SYNTAX,
                   "%s: dataset '/data' has no attribute '%s' with one text for each of its %d "
                   "columns",
                   path, t->names ? "units" : "names", a->columns);
  t->title = get_strings(file, "title", 1, most, NULL);
  t->notes = get_strings(file, "notes", 0, most, &a->notes);
  t->incomplete = get_strings(file, "incomplete", 1, most, NULL);
  return HN_OK;
}

static bool send_text(int to, const char *text) {
  // a text of the library ends somewhere
  int length = (int)strnlen(text, INT_MAX / 2);
  return send_bytes(to, &length, sizeof length) && send_bytes(to, text, (size_t)length);
}

static bool send_table(int to, const table *t, const answer *a) {
  bool good = send_text(to, t->title ? t->title[0] : "") &&
              send_text(to, t->incomplete ? t->incomplete[0] : "");
  for (int i = 0; i < a->columns && good; i++)
    good = send_text(to, t->names[i]) && send_text(to, t->units[i]);
  for (int i = 0; i < a->notes && good; i++) good = send_text(to, t->notes[i]);
  return good && send_bytes(to, t->data, sizeof(double) * (size_t)a->rows * (size_t)a->columns);
}

// The answer first, so that a failure needs no table.
static void read_in_child(const char *path, int to) {
  answer a = {.status = HN_OK};
  table t = {0};
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) {
    a.status = failed(path, "cannot be read", a.message);
  } else if (H5Lexists(file, "data", H5P_DEFAULT) <= 0) {
    a.status = hn_fail(a.message, HN_ERR_SYNTAX, "%s: there is no dataset '/data'", path);
  } else {
    // /data may be a link to something else
    hid_t data = H5Dopen2(file, "data", H5P_DEFAULT);
    a.status = data < 0 ? failed(path, "dataset '/data' cannot be read", a.message)
                        : get_table(file, data, &t, &a, path);
  }
  if (send_bytes(to, &a, sizeof a) && !a.status) send_table(to, &t, &a);
}

// ---- in the parent

static char *receive_text(int from) {
  int length;
  // a length from the child is not trusted: it may have been overwritten
  if (!receive_bytes(from, &length, sizeof length) || length < 0) return NULL;
  char *text = malloc((size_t)length + 1);
  if (text && receive_bytes(from, text, (size_t)length)) {
    text[length] = 0;
    return text;
  }
  free(text);
  return NULL;
}

static bool receive_column(int from, hn_result *r, int column) {
  char *name = receive_text(from), *unit = name ? receive_text(from) : NULL;
  bool good = unit && hn_result_set_column(r, column, name, unit) == HN_OK;
  free(name), free(unit);
  return good;
}

static bool receive_note(int from, hn_result *r) {
  char *text = receive_text(from);
  bool good = text && hn_result_add_note(r, text) == HN_OK;
  free(text);
  return good;
}

// NULL: out of memory, or the child ended early
// A child that dies in the middle leaves a short pipe, which reads as a failure here.
static hn_result *receive_table(int from, const answer *a) {
  char *title = receive_text(from), *incomplete = title ? receive_text(from) : NULL, note[480];
  hn_result *r = incomplete ? hn_result_create(title, a->columns) : NULL;
  // as long as everything has come so far
  bool good = r != NULL;
  for (int i = 0; i < a->columns && good; i++) good = receive_column(from, r, i);
  for (int i = 0; i < a->notes && good; i++) good = receive_note(from, r);
  if (good && *incomplete) {
    snprintf(note, sizeof note, "incomplete: %s", incomplete);
    good = hn_result_add_note(r, note) == HN_OK;
  }
  good = good && hn_result_reserve(r, a->rows) == HN_OK;
  size_t bytes = sizeof(double) * (size_t)a->rows * (size_t)a->columns;
  if (good && a->rows > 0) good = receive_bytes(from, r->data, bytes);
  // set last: the table has no rows while it is not whole
  if (good) r->rows = a->rows;
  free(title), free(incomplete);
  if (!good) hn_result_destroy(r);
  return good ? r : NULL;
}

// By how the child ended: out of time, or by a signal.
static hn_status damaged(const char *path, int state, char message[HN_MESSAGE]) {
  // the limits of enter_child()
  bool slow = WIFSIGNALED(state) && (WTERMSIG(state) == SIGXCPU || WTERMSIG(state) == SIGKILL);
  return hn_fail(message, HN_ERR_FILE, "%s: cannot be read: the file is damaged (HDF5 %s)", path,
                 slow ? "does not come to an end with it" : "fails inside it");
}

// Processor time of a damaged file is limited by its length; whole ones take far less.
hn_status hn_hdf5_read(hn_result **out, const char *path, char message[HN_MESSAGE]) {
  *out = NULL;
  // the operating system knows better why a file cannot be opened
  struct stat info;
  errno = 0;  // a folder leaves it alone
  FILE *probe = stat(path, &info) == 0 && !S_ISREG(info.st_mode) ? NULL : fopen(path, "rb");
  if (!probe)
    return hn_fail(message, HN_ERR_FILE, "%s: cannot be read: %s", path,
                   errno ? strerror(errno) : "it is no file");
  fclose(probe);
  hn_status status = load_library(path, message);
  if (status) return status;

  int ends[2];
  // a tenth of a microsecond for each byte of the file
  pid_t child = start_child(ends, hn_hdf5_patience + 1e-7 * (double)info.st_size);
  if (child == 0) {
    read_in_child(path, ends[1]);
    leave_child();
  }
  if (child < 0) return no_child(path, message);
  answer a = {.status = HN_OK};
  bool told = receive_bytes(ends[0], &a, sizeof a) && a.rows >= 0 && a.notes >= 0;
  // a message that was overwritten ends all the same
  a.message[HN_MESSAGE - 1] = 0;
  if (told && !a.status) *out = receive_table(ends[0], &a);
  close(ends[0]);
  int state = end_of(child);
  if (told && a.status)
    status = hn_fail(message, a.status, "%s", a.message);
  else if (!*out && state == 0 && told)
    status = hn_fail(message, HN_ERR_MEMORY, "%s: out of memory", path);
  else if (!*out)
    status = damaged(path, state, message);
  return status;
}

#endif
