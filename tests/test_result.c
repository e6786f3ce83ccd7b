// test_result.c: recorded columns, CSV and HDF5 files, numbers as text.
#include "comma.h"
#include "io/io.h"
#include "record/result.h"

#include <dirent.h>
#include <errno.h>
#include <float.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HN_HAVE_HDF5
#include <hdf5.h>
#endif

static const char folder[] = "files";
static char message[HN_MESSAGE];

// path of a file in the test's own folder; four can be in use at once
static const char *in(const char *name) {
  static char path[4][128];
  static int turn;
  turn = (turn + 1) % 4;
  snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
  return path[turn];
}

static void put_file(const char *path, const char *text) {
  FILE *f = fopen(path, "wb");
  if (!CHECK(f != NULL)) return;
  fwrite(text, 1, strlen(text), f);
  fclose(f);
}

static const char *get_file(const char *path) {
  static char text[4096];
  FILE *f = fopen(path, "rb");
  size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
  if (f) fclose(f);
  text[n] = 0;
  return text;
}

// entries of the folder, hidden ones too
static int files_in_folder(void) {
  DIR *d = opendir(folder);
  int n = 0;
  for (struct dirent *e; d && (e = readdir(d));)
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) n++;
  if (d) closedir(d);
  return n;
}

static void clear_folder(void) {
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d));)
    if (e->d_name[0] != '.') remove(in(e->d_name));
  if (d) closedir(d);
}

static bool same_bits(double a, double b) {
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static int same_result(const hn_result *a, const hn_result *b) {
  if (a->rows != b->rows || a->columns != b->columns) return 0;
  for (int i = 0; i < a->columns; i++)
    if (strcmp(hn_result_name(a, i), hn_result_name(b, i)) != 0 ||
        strcmp(hn_result_unit(a, i), hn_result_unit(b, i)) != 0)
      return 0;
  for (int r = 0; r < a->rows; r++)
    for (int i = 0; i < a->columns; i++)
      if (!same_bits(hn_result_row(a, r)[i], hn_result_row(b, r)[i])) return 0;
  return 1;
}

// names that need care, and every kind of double
static hn_result *awkward_result(void) {
  static const char *const heading[][2] = {
      {"time", "s"},
      {"crank.angle", "rad"},
      {"a,b", "m,s"},
      {"say \"hello\"", "\"\""},
      {"Kurbel.\xc3\x9c\x62\x65r \xe6\x9b\xb2\xe6\x9f\x84 \xf0\x9f\x9a\x80", "\xc2\xb5m"},
      {"#comment", ""},
      {" blanks around ", "m"},
      {"two\nlines", "m"},
      {"array[3]", ""},
      {"array [3]", ""},
      {"array [4]", "N m"},
      {"ratio", ""},
  };
  static const double special[] = {
      0.0,     -0.0,     NAN,   INFINITY,     -INFINITY, 5e-324, -5e-324, 2.225073858507201e-308,
      DBL_MIN, DBL_MAX,  1.0,   -DBL_MAX,     0.1,       1e22,   1e23,    0.3,
      1e-5,    123456.0, 1e300, 1.0 / 3.0,    2.0 / 3.0, 1e16,   1e17,    9007199254740993.0,
      0.001,   -1e-300,  1e21,  4503599627.5,
  };
  int columns = (int)(sizeof heading / sizeof *heading);
  int count = (int)(sizeof special / sizeof *special);
  hn_result *r = hn_result_create("Awkward \xe2\x80\x9cresult\xe2\x80\x9d", columns);
  for (int i = 0; i < columns; i++)
    CHECK(hn_result_set_column(r, i, heading[i][0], heading[i][1]) == HN_OK);
  for (int k = 0; k < 500; k++) {
    double *row = hn_result_append(r);
    for (int i = 0; i < columns; i++) {
      if (k < count) {
        row[i] = special[(k + i) % count];
      } else {
        // any pattern of bits
        uint64_t bits = (uint64_t)test_random(0, 4294967296.0) << 32;
        bits |= (uint64_t)test_random(0, 4294967296.0);
        memcpy(&row[i], &bits, sizeof bits);
      }
    }
  }
  return r;
}

// ---- in memory -----------------------------------------------------------------------------

static void test_accessors(void) {
  hn_result *r = hn_result_create("t", 2);
  CHECK(hn_result_rows(r) == 0 && hn_result_columns(r) == 2);
  CHECK(hn_result_row(r, 0) == NULL);
  CHECK_STR(hn_result_name(r, 0), "");
  CHECK_STR(hn_result_unit(r, 1), "");
  CHECK(hn_result_set_column(r, 0, "time", "s") == HN_OK);
  CHECK(hn_result_set_column(r, 1, "wrong", "wrong") == HN_OK);
  CHECK(hn_result_set_column(r, 1, "energy.total", "J") == HN_OK);
  CHECK(hn_result_set_column(r, 2, "x", "") == HN_ERR_ARGUMENT);
  CHECK_STR(hn_result_name(r, 1), "energy.total");
  CHECK_STR(hn_result_unit(r, 1), "J");
  CHECK(hn_result_name(r, 2) == NULL && hn_result_unit(r, -1) == NULL);
  CHECK(hn_result_find(r, "energy.total") == 1 && hn_result_find(r, "energy") == -1);

  CHECK(hn_result_reserve(r, 100) == HN_OK);
  const double *before = r->data;
  for (int i = 0; i < 100; i++) hn_result_append(r)[0] = i;
  CHECK(r->data == before);
  for (int i = 100; i < 5000; i++) hn_result_append(r)[0] = i;
  CHECK(hn_result_rows(r) == 5000);
  int wrong = 0;
  for (int i = 0; i < 5000; i++) wrong += hn_result_row(r, i)[0] != i;
  CHECK(wrong == 0);
  CHECK(hn_result_row(r, 5000) == NULL && hn_result_row(r, -1) == NULL);
  hn_result_destroy(r);
  hn_result_destroy(NULL);
  CHECK(hn_result_rows(NULL) == 0 && hn_result_columns(NULL) == 0);
  CHECK(hn_result_find(NULL, "time") == -1);
  CHECK(hn_result_create("none", 0) == NULL);
}

// all exponents alike; powers of two, whose neighbours are at uneven distances; short decimals;
// numbers below the smallest normal one
static double any_double(int i) {
  uint64_t bits = (uint64_t)test_random(0, 4294967296.0) << 32;
  bits |= (uint64_t)test_random(0, 4294967296.0);
  if (i % 4 == 0) bits &= 0xfff0000000000000u;
  if (i % 8 == 6) bits &= 0x800fffffffffffffu;
  if (i % 16 == 10) bits &= 0x8000000000000000u | (((uint64_t)1 << (i / 16 % 53)) - 1);
  double x;
  memcpy(&x, &bits, sizeof x);
  return i % 4 == 1 ? floor(test_random(0, 1e6)) / 1000 : x;
}

static void test_number_text(void) {
  static const struct {
    double x;
    const char *text;
  } known[] = {
      {0, "0"},
      {-0.0, "-0"},
      {1, "1"},
      {-1.5, "-1.5"},
      {0.1, "0.1"},
      {0.001, "0.001"},
      {1e-4, "0.0001"},
      {1e-5, "1e-05"},
      {100, "100"},
      {1e15, "1000000000000000"},
      {1e22, "1e+22"},
      {5e-324, "5e-324"},
      {1.0 / 3, "0.3333333333333333"},
      {-2.5e-7, "-2.5e-07"},
      {0.1 + 0.2, "0.30000000000000004"},
      {DBL_MAX, "1.7976931348623157e+308"},
      {123.456, "123.456"},
      {DBL_MIN, "2.2250738585072014e-308"},
      {INFINITY, "inf"},
      {-INFINITY, "-inf"},
      {NAN, "nan"},
      {-NAN, "nan"},
  };
  char text[HN_NUMBER_SIZE];
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    int n = hn_number_text(text, known[i].x);
    CHECK_STR(text, known[i].text);
    CHECK(n == (int)strlen(text));
  }

  // every text reads back
  int wrong = 0;
  for (int i = 0; i < 1000000; i++) {
    double x = any_double(i);
    if (!isfinite(x)) continue;
    int n = hn_number_text(text, x);
    wrong += n != (int)strlen(text) || n >= HN_NUMBER_SIZE || !same_bits(strtod(text, NULL), x);
  }
  CHECK(wrong == 0);
}

// digits before the exponent, without the zeros that only say where they stand
static int significant(const char *text, char digits[32]) {
  int n = 0;
  for (; *text && *text != 'e'; text++)
    if (*text >= '0' && *text <= '9' && (n || *text != '0')) digits[n++] = *text;
  while (n && digits[n - 1] == '0') n--;
  digits[n] = 0;
  return n;
}

// no text with fewer digits reads back, and none with as many is nearer than that of printf. (It
// may be another one at a power of two, whose nearest short text may lie outside.)
static void test_number_shortest(void) {
  char text[HN_NUMBER_SIZE], ours[32], theirs[32], best[64];
  int longer = 0, other = 0, checked = 0;
  for (int i = 0; i < 20000; i++) {
    double x = any_double(i);
    if (!isfinite(x) || x == 0) continue;
    hn_number_text(text, x);
    int digits = 0;
    do snprintf(best, sizeof best, "%.*e", digits++, x);
    while (strtod(best, NULL) != x);
    checked++;
    significant(best, theirs);
    longer += significant(text, ours) > (int)strlen(theirs);
    other += i % 4 != 0 && strcmp(ours, theirs) != 0;
  }
  CHECK(checked > 15000 && longer == 0 && other == 0);
}

// ---- CSV -----------------------------------------------------------------------------------

static void test_csv_text(void) {
  hn_result *r = hn_result_create("Title", 4);
  hn_result_set_column(r, 0, "time", "s");
  hn_result_set_column(r, 1, "crank.angle", "rad");
  hn_result_set_column(r, 2, "a \"b\", c", "m");
  hn_result_set_column(r, 3, "x[1]", "");
  memcpy(hn_result_append(r), (double[]){0, 1.5, -0.25, 1e-9}, 4 * sizeof(double));
  memcpy(hn_result_append(r), (double[]){0.1, NAN, 1e30, 3}, 4 * sizeof(double));
  CHECK(hn_result_write(r, in("text.csv"), message, sizeof message) == HN_OK);
  CHECK_STR(message, "");
  CHECK_STR(get_file(in("text.csv")), "time [s],crank.angle [rad],\"a \"\"b\"\", c [m]\",x[1] []\n"
                                      "0,1.5,-0.25,1e-09\n"
                                      "0.1,nan,1e+30,3\n");
  hn_result_destroy(r);

  // a first name that would read as a comment, or as nothing
  static const char *const names[] = {"#x", "", " ", "#", "\xef\xbb\xbf"};
  for (int i = 0; i < 5; i++) {
    hn_result *back;
    r = hn_result_create("", 1);
    hn_result_set_column(r, 0, names[i], "");
    hn_result_append(r)[0] = 1;
    CHECK(hn_result_write(r, in("name.csv"), message, sizeof message) == HN_OK);
    CHECK(hn_result_read(&back, in("name.csv"), message, sizeof message) == HN_OK);
    CHECK(back && same_result(r, back));
    hn_result_destroy(back);
    hn_result_destroy(r);
  }
}

static void test_round_trip(const char *path, bool title) {
  hn_result *r = awkward_result(), *back;
  CHECK(hn_result_write(r, path, message, sizeof message) == HN_OK);
  CHECK(hn_result_read(&back, path, message, sizeof message) == HN_OK);
  CHECK_STR(message, "");
  CHECK(back && same_result(r, back));
  if (back && title) CHECK_STR(back->title, r->title);
  hn_result_destroy(back);

  // no rows
  r->rows = 0;
  CHECK(hn_result_write(r, path, message, sizeof message) == HN_OK);
  CHECK(hn_result_read(&back, path, message, sizeof message) == HN_OK);
  CHECK(back && same_result(r, back));
  hn_result_destroy(back);
  hn_result_destroy(r);

  // many columns and rows, one column
  for (int columns = 1; columns <= 5000; columns = columns == 1 ? 3 : columns == 3 ? 5000 : 9999) {
    r = hn_result_create("many", columns);
    char name[64];
    for (int i = 0; i < columns; i++) {
      snprintf(name, sizeof name, "body%d.position.x", i);
      hn_result_set_column(r, i, name, "m");
    }
    for (int k = 0; k < (columns == 5000 ? 20 : 10000); k++) {
      double *row = hn_result_append(r);
      for (int i = 0; i < columns; i++) row[i] = sin(0.001 * k + i);
    }
    CHECK(hn_result_write(r, path, message, sizeof message) == HN_OK);
    CHECK(hn_result_read(&back, path, message, sizeof message) == HN_OK);
    CHECK(back && same_result(r, back));
    hn_result_destroy(back);
    hn_result_destroy(r);
  }
}

static void test_csv_round_trip(void) {
  test_round_trip(in("trip.csv"), false);
  test_round_trip(in("TRIP.CSV"), false);
}

static void test_csv_tolerant(void) {
  hn_result *r;
  put_file(in("t.csv"), "\xef\xbb\xbf# made by hand\r\n# holon: Slider crank \r\n\r\n"
                        "time [s] , crank.angle [rad],\"x, y\",plain \r\n"
                        "  \t\r\n"
                        " 0, 1.5 ,\"-2\",+3\r\n"
                        "# a pause\r\n"
                        "1,NaN,Inf,-inf\r\n"
                        "\n"
                        "2,1E3,.5,5.\r\n");
  CHECK(hn_result_read(&r, in("t.csv"), message, sizeof message) == HN_OK);
  CHECK_STR(message, "");
  if (!r) return;
  CHECK_STR(r->title, "Slider crank");
  CHECK(r->rows == 3 && r->columns == 4);
  CHECK_STR(hn_result_name(r, 0), "time");
  CHECK_STR(hn_result_unit(r, 0), "s");
  CHECK_STR(hn_result_name(r, 2), "x, y");
  CHECK_STR(hn_result_unit(r, 2), "");
  CHECK_STR(hn_result_name(r, 3), "plain");
  static const double expected[3][4] = {
      {0, 1.5, -2, 3}, {1, NAN, INFINITY, -INFINITY}, {2, 1000, 0.5, 5}};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++) CHECK(same_bits(hn_result_row(r, i)[k], expected[i][k]));
  hn_result_destroy(r);
}

static void test_csv_broken(void) {
  static const struct {
    const char *text, *message;
  } broken[] = {
      {"", ":1: the file is empty; its first line must name the columns"},
      {"\n\n# only a comment\n", ":4: the file is empty; its first line must name the columns"},
      {"0,1,2\n1,2,3\n", ":1: no header: the first line must name the columns, as in "
                         "'time [s],crank.angle [rad]'"},
      {"time,\n0,1\n", ":1: column 2 has no name"},
      {"time,x\n0,1\n1,2,3\n", ":3: 3 values, but the header names 2 columns"},
      {"time,x\n0,1\n\n1\n", ":4: 1 value, but the header names 2 columns"},
      {"time,x\n0,1\n1,two\n", ":3: column 'x': 'two' is not a number"},
      {"time,x\n0,1\n1,2x\n", ":3: column 'x': '2x' is not a number"},
      {"time,x\n0,1\n,2\n", ":3: column 'time': '' is empty (write nan where there is no value)"},
      {"time,x\n0,1\n1,\n2,3\n", ":3: column 'x': '' is empty (write nan where there is no value)"},
      {"time,x\n0,1e999\n", ":2: column 'x': '1e999' is too large for a double"},
      {"time;x\n0;1\n", ":2: column 'time;x': '0;1' is not a number"},
      {"time,\"x\n0,1\n", ":1: a quoted cell has no closing quote"},
      {"time,\"x\"y\n0,1\n",
       ":1: after a closing quote there must be a comma or the end of the line"},
      {"time,\"two\nlines\"\n0,1\nx,1\n", ":4: column 'time': 'x' is not a number"},
      {"time,x\n0,\001\002\n", ":2: column 'x': '\?\?' is not a number"},
  };
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    hn_result *r = NULL;
    char expected[HN_MESSAGE];
    put_file(in("broken.csv"), broken[i].text);
    CHECK(hn_result_read(&r, in("broken.csv"), message, sizeof message) == HN_ERR_SYNTAX);
    snprintf(expected, sizeof expected, "%s%s", in("broken.csv"), broken[i].message);
    CHECK_STR(message, expected);
    CHECK(r == NULL);
  }

  // zero bytes, and every file cut or spoilt anywhere, must not crash
  const char text[] = "# holon: T\n\"a \"\"b\"\"\" [m],c [],\"d\ne\"\n1,-2.5e-3,nan\n\n3,4,\"5\"\n";
  for (size_t i = 0; i < sizeof text - 1; i++)
    for (int spoil = 0; spoil < 4; spoil++) {
      FILE *f = fopen(in("cut.csv"), "wb");
      fwrite(text, 1, i, f);
      if (spoil) {
        fputc("\0\"\n,"[spoil], f);
        fwrite(text + i + 1, 1, sizeof text - 2 - i, f);
      }
      fclose(f);
      hn_result *r = NULL;
      hn_status status = hn_result_read(&r, in("cut.csv"), message, sizeof message);
      CHECK(status == HN_OK ? r != NULL : r == NULL && status == HN_ERR_SYNTAX && message[0]);
      hn_result_destroy(r);
    }
}

static void test_csv_locale(void) {
  // numbers have a point even where people write a comma; skipped where there is no such locale
  if (!test_comma()) return;
  char text[16];
  snprintf(text, sizeof text, "%.1f", 0.5);
  CHECK_STR(text, "0,5");
  test_csv_text();
  test_csv_tolerant();
  snprintf(text, sizeof text, "%.1f", 0.5);  // and the program's own setting is untouched
  CHECK_STR(text, "0,5");
  setlocale(LC_NUMERIC, "C");
}

// ---- failures ------------------------------------------------------------------------------

static void test_endings(void) {
  hn_result *r = awkward_result(), *back;
  CHECK(hn_result_write(r, in("x.txt"), message, sizeof message) == HN_ERR_ARGUMENT);
  CHECK(strstr(message, "x.txt: a result file ends in .csv, .h5 or .npz") != NULL);
  CHECK(hn_result_read(&back, "csv", message, sizeof message) == HN_ERR_ARGUMENT);
  CHECK_STR(message, "csv: a result file ends in .csv, .h5 or .npz");
  CHECK(back == NULL);
  CHECK(hn_result_write(NULL, "x.csv", message, sizeof message) == HN_ERR_ARGUMENT);
  CHECK(hn_result_write(r, NULL, message, sizeof message) == HN_ERR_ARGUMENT);
  // short or absent message buffers
  char small[8];
  CHECK(hn_result_write(r, "nowhere.txt", small, sizeof small) == HN_ERR_ARGUMENT);
  CHECK_STR(small, "nowhere");
  CHECK(hn_result_write(r, "nowhere.txt", NULL, 0) == HN_ERR_ARGUMENT);
  hn_result_destroy(r);
}

static void test_missing_files(const char *ending) {
  char path[160], expected[HN_MESSAGE];
  hn_result *r = awkward_result(), *back;
  snprintf(path, sizeof path, "%s/nowhere/x%s", folder, ending);
  CHECK(hn_result_write(r, path, message, sizeof message) == HN_ERR_FILE);
  snprintf(expected, sizeof expected, "%s: cannot be written: No such file or directory", path);
  CHECK_STR(message, expected);
  CHECK(hn_result_read(&back, path, message, sizeof message) == HN_ERR_FILE);
  snprintf(expected, sizeof expected, "%s: cannot be read: No such file or directory", path);
  CHECK_STR(message, expected);
  CHECK(back == NULL);

  // a folder in the place of the file
  snprintf(path, sizeof path, "%s/folder%s", folder, ending);
  mkdir(path, 0777);
  int before = files_in_folder();
  CHECK(hn_result_write(r, path, message, sizeof message) == HN_ERR_FILE);
  CHECK(strstr(message, path) && strstr(message, "s a directory"));
  CHECK(hn_result_read(&back, path, message, sizeof message) == HN_ERR_FILE);
  CHECK(back == NULL && strstr(message, path));
  CHECK(files_in_folder() == before);
  rmdir(path);

  // one that may not be written to; the superuser may do everything
  snprintf(path, sizeof path, "%s/locked", folder);
  mkdir(path, 0555);
  if (geteuid() != 0) {
    snprintf(path, sizeof path, "%s/locked/x%s", folder, ending);
    CHECK(hn_result_write(r, path, message, sizeof message) == HN_ERR_FILE);
    CHECK(strstr(message, "Permission denied") != NULL);
  }
  snprintf(path, sizeof path, "%s/locked", folder);
  rmdir(path);
  hn_result_destroy(r);
}

// a limit on the size of files stands for a full disk
static void test_full_disk(const char *path) {
  hn_result *r = awkward_result(), *back;
  put_file(path, "precious");
  int before = files_in_folder();
  struct rlimit limit, small = {4096, RLIM_INFINITY};
  getrlimit(RLIMIT_FSIZE, &limit);
  small.rlim_max = limit.rlim_max;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  hn_status status = hn_result_write(r, path, message, sizeof message);
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, handler);
  char expected[HN_MESSAGE];
  CHECK(status == HN_ERR_FILE);
  snprintf(expected, sizeof expected, "%s: cannot be written: File too large", path);
  CHECK_STR(message, expected);
  CHECK_STR(get_file(path), "precious");
  CHECK(files_in_folder() == before);

  // with room again, the old file is replaced
  CHECK(hn_result_write(r, path, message, sizeof message) == HN_OK);
  CHECK(hn_result_read(&back, path, message, sizeof message) == HN_OK);
  CHECK(back && same_result(r, back));
  CHECK(files_in_folder() == before);
  hn_result_destroy(back);
  hn_result_destroy(r);
}

static void test_csv_failures(void) {
  test_missing_files(".csv");
  test_full_disk(in("full.csv"));
}

// ---- HDF5 ----------------------------------------------------------------------------------

static bool have_hdf5(void) {
  hn_result *r = hn_result_create("", 1);
  hn_status status = hn_result_write(r, in("have.h5"), message, sizeof message);
  hn_result_destroy(r);
  return status != HN_ERR_UNSUPPORTED;
}

static void test_hdf5_absent(void) {
  hn_result *r;
  CHECK(strstr(message, "libhdf5-dev") && strstr(message, ".csv"));
  CHECK(hn_result_read(&r, in("have.h5"), message, sizeof message) == HN_ERR_UNSUPPORTED);
  CHECK(r == NULL && strstr(message, "libhdf5-dev"));
}

static void test_hdf5(void) {
  test_round_trip(in("trip.h5"), true);
  test_round_trip(in("trip.hdf5"), true);
  test_missing_files(".h5");
  test_full_disk(in("full.h5"));
}

// files that are not ours give one sentence, and nothing on the standard error stream
static void test_hdf5_broken(void) {
  hn_result *r = awkward_result(), *back = NULL;
  CHECK(hn_result_write(r, in("good.h5"), message, sizeof message) == HN_OK);
  put_file(in("bad.h5"), "time,x\n0,1\n");
  put_file(in("empty.h5"), "");
  FILE *from = fopen(in("good.h5"), "rb"), *to = fopen(in("half.h5"), "wb");
  char half[1500];
  fwrite(half, 1, fread(half, 1, sizeof half, from), to);
  fclose(from);
  fclose(to);

  fflush(stderr);
  int saved = dup(2);
  FILE *capture = fopen(in("stderr.txt"), "wb");
  dup2(fileno(capture), 2);
  CHECK(hn_result_read(&back, in("bad.h5"), message, sizeof message) == HN_ERR_FILE);
  CHECK(back == NULL && strstr(message, "bad.h5: cannot be read: HDF5 says: "));
  CHECK(hn_result_read(&back, in("empty.h5"), message, sizeof message) == HN_ERR_FILE);
  CHECK(hn_result_read(&back, in("half.h5"), message, sizeof message) == HN_ERR_FILE);
  CHECK(back == NULL);
  // what failed before is not why a folder cannot be read
  CHECK(mkdir(in("folder.h5"), 0777) == 0);
  errno = ENOENT;
  CHECK(hn_result_read(&back, in("folder.h5"), message, sizeof message) == HN_ERR_FILE);
  CHECK(strstr(message, "folder.h5: cannot be read: it is no file") != NULL);
  CHECK(rmdir(in("folder.h5")) == 0);
  fflush(stderr);
  dup2(saved, 2);
  close(saved);
  fclose(capture);
  CHECK_STR(get_file(in("stderr.txt")), "");
  hn_result_destroy(r);
}

#ifdef HN_HAVE_HDF5
static herr_t own_printer(hid_t stack, void *data) {
  (void)stack;
  ++*(int *)data;
  return 0;
}

static void read_strings(hid_t object, const char *name, char **out) {
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
  hid_t space = H5Aget_space(attribute);
  size_t size = H5Tget_size(type), count = (size_t)H5Sget_simple_extent_npoints(space);
  char all[2 * 64] = "";
  CHECK(H5Tis_variable_str(type) == 0 && count * size <= sizeof all);
  CHECK(H5Aread(attribute, type, all) >= 0);
  for (size_t i = 0; i < count; i++) {
    out[i] = H5allocate_memory(size + 1, true);
    memcpy(out[i], all + i * size, size);
  }
  H5Sclose(space);
  H5Aclose(attribute);
  H5Tclose(type);
}

// the layout as another program sees it, through HDF5 alone
static void test_hdf5_layout(void) {
  hn_result *r = hn_result_create("Slider crank", 2);
  hn_result_set_column(r, 0, "time", "s");
  hn_result_set_column(r, 1, "crank.angle", "rad");
  for (int i = 0; i < 3; i++) memcpy(hn_result_append(r), (double[]){i, 10 + i}, 16);
  CHECK(hn_result_write(r, in("layout.h5"), message, sizeof message) == HN_OK);
  hn_result_destroy(r);

  char *text[2] = {0}, generator[32];
  double time[3] = {0}, data[3][2] = {{0}};
  hid_t file = H5Fopen(in("layout.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t set = H5Dopen2(file, "/data", H5P_DEFAULT), times = H5Dopen2(file, "/time", H5P_DEFAULT);
  CHECK(file >= 0 && set >= 0 && times >= 0);
  H5Dread(times, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, time);
  H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  for (int i = 0; i < 3; i++) CHECK(time[i] == i && data[i][0] == i && data[i][1] == 10 + i);

  snprintf(generator, sizeof generator, "holon %s", hn_version());
  read_strings(file, "generator", text);
  CHECK_STR(text[0], generator);
  H5free_memory(text[0]);
  read_strings(file, "title", text);
  CHECK_STR(text[0], "Slider crank");
  H5free_memory(text[0]);
  read_strings(set, "names", text);
  CHECK_STR(text[0], "time");
  CHECK_STR(text[1], "crank.angle");
  H5free_memory(text[0]);
  H5free_memory(text[1]);
  read_strings(set, "units", text);
  CHECK_STR(text[0], "s");
  CHECK_STR(text[1], "rad");
  H5free_memory(text[0]);
  H5free_memory(text[1]);

  hid_t how = H5Dget_create_plist(set);
  unsigned flags, config, level = 0;
  size_t one = 1;
  CHECK(H5Pget_layout(how) == H5D_CHUNKED && H5Pget_nfilters(how) == 2);
  CHECK(H5Pget_filter2(how, 0, &flags, &one, &level, 0, NULL, &config) == H5Z_FILTER_SHUFFLE);
  one = 1;
  CHECK(H5Pget_filter2(how, 1, &flags, &one, &level, 0, NULL, &config) == H5Z_FILTER_DEFLATE);
  CHECK(level == 4);
  H5Pclose(how);
  H5Dclose(set);
  H5Dclose(times);
  H5Fclose(file);
}

// tables with the wrong shape or without names
static void test_hdf5_foreign(void) {
  hn_result *r;
  hsize_t size[2] = {2, 2};
  hid_t file = H5Fcreate(in("foreign.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  CHECK(hn_result_read(&r, in("foreign.h5"), message, sizeof message) == HN_ERR_SYNTAX);
  CHECK(r == NULL && strstr(message, "foreign.h5: there is no dataset '/data'"));
  for (int rank = 1; rank <= 2; rank++) {
    file = H5Fcreate(in("foreign.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(rank, size, NULL);
    H5Dclose(
        H5Dcreate2(file, "data", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Fclose(file);
    CHECK(hn_result_read(&r, in("foreign.h5"), message, sizeof message) == HN_ERR_SYNTAX);
    CHECK(r == NULL);
    CHECK(strstr(message, rank == 1 ? "'/data' is not a table of numbers"
                                    : "'/data' has no attribute 'names' with one text for each of "
                                      "its 2 columns"));
  }
}

// the host program's error handler is neither called nor replaced
static void test_hdf5_handler(void) {
  int calls = 0;
  hn_result *r;
  H5E_auto2_t before, after;
  void *data_before, *data;
  H5Eget_auto2(H5E_DEFAULT, &before, &data_before);
  H5Eset_auto2(H5E_DEFAULT, own_printer, &calls);
  CHECK(hn_result_read(&r, in("bad.h5"), message, sizeof message) == HN_ERR_FILE);
  CHECK(calls == 0);
  H5Eget_auto2(H5E_DEFAULT, &after, &data);
  CHECK(after == own_printer && data == &calls);
  H5Eset_auto2(H5E_DEFAULT, before, data_before);
  // every handle was given back
  CHECK(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) == 0);
}
#endif

// an array of a NumPy archive: its header, and where its numbers are
static const char *find_array(const char *zip, size_t length, const char *name) {
  size_t n = strlen(name);
  for (size_t i = 0; i + 30 + n < length; i++)
    if (memcmp(zip + i, "PK\3\4", 4) == 0 && memcmp(zip + i + 30, name, n) == 0)
      return zip + i + 30 + n;
  return NULL;
}

static void numpy_archives(void) {
  hn_result *result = hn_result_create("numpy", 2), *back = NULL;
  char path[300], *zip = NULL, text[HN_MESSAGE];
  size_t length = 0;
  const double value[3][2] = {{0, -1.5}, {0.25, 1e300}, {0.5, NAN}};
  test_scratch(path, sizeof path, "result.npz");
  CHECK(hn_result_set_column(result, 0, "time", "s") == HN_OK);
  CHECK(hn_result_set_column(result, 1, "hinge.angle", "rad") == HN_OK);
  for (int i = 0; i < 3; i++) memcpy(hn_result_append(result), value[i], sizeof value[i]);
  CHECK(hn_result_write(result, path, message, sizeof message) == HN_OK);
  if (CHECK(hn_load_file(&zip, &length, path, text) == HN_OK)) {
    for (int c = 0; c < 2; c++) {
      const char *array = find_array(zip, length, c ? "hinge.angle.npy" : "time.npy");
      if (!CHECK(array != NULL)) continue;
      // magic, version 1.0, length of the header; numbers begin at a multiple of 64
      CHECK(memcmp(array,
                   "\x93NUMPY\1\0\x76\0{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
                   64) == 0);
      CHECK(array[127] == '\n');
      for (int i = 0; i < 3; i++) {
        double x;
        memcpy(&x, array + 128 + 8 * i, 8);
        CHECK(x == value[i][c] || (isnan(x) && isnan(value[i][c])));
      }
    }
    const char *units = find_array(zip, length, "column_units.npy");
    CHECK(units && memcmp(units + 128, "s\0\0rad", 6) == 0);
  }
  CHECK(hn_result_read(&back, path, message, sizeof message) == HN_ERR_UNSUPPORTED);
  free(zip);
  hn_result_destroy(result);
  remove(path);
}

// archives count their entries in 16 bits: of how many there are too many is said, not how long
static void numpy_columns(void) {
  enum { MANY = 60001 };
  hn_result *result = hn_result_create("numpy", MANY);
  char path[300];
  test_scratch(path, sizeof path, "many.npz");
  for (int i = 0; i < MANY; i++) {
    char name[16];
    snprintf(name, sizeof name, "c%d", i);
    CHECK(hn_result_set_column(result, i, name, "") == HN_OK);
  }
  CHECK(hn_result_write(result, path, message, sizeof message) == HN_ERR_UNSUPPORTED);
  CHECK(strstr(message, "more than 60000 entries") != NULL);
  CHECK(access(path, F_OK) != 0);
  hn_result_destroy(result);
}

// multipliers have the units of what their rows measure: N m of an angle, N of a length
static void test_units_of_multipliers(void) {
  static const char *const text =
      "bodies:\n"
      "  disc: {type: planar, mass: 1, inertia: 1}\n"
      "  cart: {type: planar, mass: 1, inertia: 1}\n"
      "  wheel: {type: planar, mass: 1, inertia: 1}\n"
      "joints:\n"
      "  hinge: {type: revolute, b: disc, components: true}\n"
      "  rail: {type: prismatic, b: cart, axis: [1, 0], components: true}\n"
      "  axle: {type: revolute, b: wheel}\n"
      "  turn: {type: driver, joint_a: hinge, motion: 2*t}\n"
      "  rack: {type: rack-pinion, joint_a: rail, joint_b: axle, radius: 0.1}\n"
      "  rod: {type: distance, a: disc, b: cart, at: [0, 1], at_b: [0, 3], components: true}\n";
  static const char *const wanted[][2] = {
      {"hinge.lambda_x", "N"},      {"hinge.lambda_y", "N"},       {"rail.lambda_x", "N"},
      {"rail.lambda_rot_z", "N m"}, {"turn.lambda_motion", "N m"}, {"rack.lambda_mesh", "N"},
      {"rod.lambda_length", "N"}};
  hn_model *model = hn_model_create();
  hn_system *system = NULL;
  CHECK(hn_model_parse(model, text, strlen(text), "units.yaml") == HN_OK);
  if (CHECK(hn_compile(&system, model) == HN_OK))
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
      const char *unit = NULL;
      for (int i = 0; i < hn_column_count(system); i++)
        if (strcmp(hn_column_name(system, i), wanted[k][0]) == 0) unit = hn_column_unit(system, i);
      if (!CHECK(unit && strcmp(unit, wanted[k][1]) == 0))
        printf("%s: %s\n", wanted[k][0], unit ? unit : "is not there");
    }
  hn_system_destroy(system);
  hn_model_destroy(model);
}

int main(void) {
  if (!test_enter_folder("result") || mkdir(folder, 0700)) return 1;
  RUN(test_accessors);
  RUN(test_number_text);
  RUN(test_number_shortest);
  RUN(test_csv_text);
  RUN(test_csv_round_trip);
  RUN(test_csv_tolerant);
  RUN(test_csv_broken);
  RUN(test_csv_locale);
  RUN(test_endings);
  RUN(test_csv_failures);
  if (have_hdf5()) {
    RUN(test_hdf5);
    RUN(test_hdf5_broken);
#ifdef HN_HAVE_HDF5
    RUN(test_hdf5_layout);
    RUN(test_hdf5_foreign);
    RUN(test_hdf5_handler);
#endif
  } else {
    RUN(test_hdf5_absent);
  }
  clear_folder();
  CHECK(rmdir(folder) == 0);
  RUN(numpy_archives);
  RUN(numpy_columns);
  RUN(test_units_of_multipliers);
  return test_end();
}
