// test_damaged.c: result files with bytes changed, cut and put in by chance, 10 000 in all (under
// sanitizers, where every child costs, a fifth of them).
//
// Reading one gives a result or a sentence, never a crash, and it comes to an end. What is changed
// is repeatable: a failure names the file format and the number of the case, which is its seed.
#include "io/io.h"
#include "record/result.h"

#include <unistd.h>

#include "test.h"

enum { CSV_CASES = 6500, HDF5_CASES = 3500, LARGEST = 1 << 16 };

static hn_result *sample(int rows) {
  static const char *const names[] = {"time", "crank.angle", "a \"b\", c", "x[1]", "slider.fx"};
  static const char *const units[] = {"s", "rad", "m", "", "N"};
  hn_result *r = hn_result_create("four-bar", 5);
  for (int i = 0; i < 5; i++) CHECK(hn_result_set_column(r, i, names[i], units[i]) == HN_OK);
  CHECK(hn_result_add_note(r, "reactions: shared by stiffness") == HN_OK);
  CHECK(hn_result_add_note(r, "undetermined: A.fz") == HN_OK);
  for (int k = 0; k < rows; k++) {
    double *row = hn_result_append(r);
    for (int i = 0; i < 5; i++) row[i] = i ? sin(0.1 * k * i) * pow(10, i) : 0.01 * k;
  }
  return r;
}

static size_t read_bytes(const char *path, unsigned char *bytes) {
  FILE *f = fopen(path, "rb");
  size_t n = f ? fread(bytes, 1, LARGEST, f) : 0;
  if (f) fclose(f);
  return n;
}

// anew: file systems wait for the disk when a file that was cut to nothing is closed
static bool write_bytes(const char *path, const unsigned char *bytes, size_t size) {
  unlink(path);
  FILE *f = fopen(path, "wb");
  bool good = f && fwrite(bytes, 1, size, f) == size;
  if (f && fclose(f)) good = false;
  return good;
}

static size_t below(size_t n) {
  return (size_t)test_random(0, (double)n);
}

// changes 1 to 8 places: single bits, odd bytes, large numbers, blocks moved or repeated, an early
// end
static size_t damage(unsigned char *bytes, size_t size) {
  static const unsigned char odd[] = {0, 1, 0x7f, 0x80, 0xff, '"', ',', '\n', '#', '-', 'e', '['};
  int places = 1 + (int)below(8);
  for (int k = 0; k < places && size > 16; k++) {
    size_t at = below(size), n = 1 + below(8), from;
    switch ((int)below(6)) {
    case 0: bytes[at] ^= (unsigned char)(1 << below(8)); break;
    case 1: bytes[at] = odd[below(sizeof odd)]; break;
    case 2:
      for (size_t i = at; i < at + n && i < size; i++) bytes[i] = 0xff;
      break;
    case 3:
      for (size_t i = at; i < at + n && i < size; i++) bytes[i] = (unsigned char)below(256);
      break;
    case 4:
      from = below(size);
      n = 1 + below(64);
      if (from + n <= size && at + n <= size) memmove(bytes + at, bytes + from, n);
      break;
    default:
      if (below(4) == 0) size = at + 1;
    }
  }
  return size;
}

static void try_all(const char *ending, int cases) {
  static unsigned char whole[LARGEST], bytes[LARGEST];
  char name[32], path[512], message[HN_MESSAGE];
  hn_result *r = sample(40);
  snprintf(name, sizeof name, "damaged%s", ending);
  test_scratch(path, sizeof path, name);
  hn_status status = hn_result_write(r, path, message, sizeof message);
  hn_result_destroy(r);
  if (status == HN_ERR_UNSUPPORTED) {
    printf("%s: not in this build\n", ending);
    return;
  }
  CHECK(status == HN_OK);
  size_t size = read_bytes(path, whole);
  CHECK(size > 100 && size < LARGEST);
  int read = 0, crashed = 0, slow = 0;
  for (int n = 0; n < cases; n++) {
    test_seed = 0x9e3779b97f4a7c15ull * (unsigned long long)(n + 1);
    (void)test_random(0, 1), (void)test_random(0, 1);
    memcpy(bytes, whole, size);
    if (!CHECK(write_bytes(path, bytes, damage(bytes, size)))) break;
    r = NULL;
    memset(message, 0, sizeof message);
    status = hn_result_read(&r, path, message, sizeof message);
    bool good = status == HN_OK ? r != NULL : r == NULL && message[0];
    good = good && hn_is_printable(message);
    for (int i = 0; i < hn_result_columns(r) && good; i++)
      good = hn_is_printable(hn_result_name(r, i)) && hn_is_printable(hn_result_unit(r, i));
    if (!CHECK(good)) printf("%s, case %d: status %d: %s\n", ending, n, (int)status, message);
    read += status == HN_OK;
    crashed += strstr(message, "fails inside it") != NULL;
    slow += strstr(message, "come to an end") != NULL;
    hn_result_destroy(r);
  }
  unlink(path);
  printf("%s: %d damaged files, %d could be read; %d ended the child, %d were given up\n", ending,
         cases, read, crashed, slow);
}

static void test_csv(void) {
  try_all(".csv", run_quickly() ? CSV_CASES / 5 : CSV_CASES);
}

static void test_hdf5(void) {
  hn_hdf5_patience = 0;
  try_all(".h5", run_quickly() ? HDF5_CASES / 5 : HDF5_CASES);
  hn_hdf5_patience = 5;
}

// cut anywhere behind the header, a CSV file gives whole rows and says that it is incomplete
static void test_cut(void) {
  static unsigned char whole[LARGEST];
  char path[512], message[HN_MESSAGE];
  hn_result *r = hn_result_create("cut", 2);
  hn_result_set_column(r, 0, "time", "s");
  hn_result_set_column(r, 1, "x", "m");
  for (int k = 0; k < 5; k++) {
    double *row = hn_result_append(r);
    row[0] = 0.25 * k, row[1] = 123.456 + k;
  }
  test_scratch(path, sizeof path, "cut.csv");
  CHECK(hn_result_write(r, path, message, sizeof message) == HN_OK);
  hn_result_destroy(r);
  size_t size = read_bytes(path, whole), header = strcspn((char *)whole, "\n") + 1;
  for (size_t n = header; n <= size; n++) {
    int rows = 0;
    for (size_t i = header; i < n; i++) rows += whole[i] == '\n';
    bool line_end = whole[n - 1] == '\n';
    CHECK(write_bytes(path, whole, n));
    CHECK(hn_result_read(&r, path, message, sizeof message) == HN_OK);
    CHECK(hn_result_rows(r) == rows);
    CHECK(hn_result_notes(r) == (line_end ? 0 : 1));
    if (!line_end) CHECK(strncmp(hn_result_note(r, 0), "incomplete: ", 12) == 0);
    for (int k = 0; k < rows; k++) CHECK(hn_result_row(r, k)[1] == 123.456 + k);
    hn_result_destroy(r);
  }
  unlink(path);
}

// notes stand beside the numbers, which any reader takes; they go when there are none, and somebody
// else's file of that name stays as it is
static void test_notes(void) {
  static unsigned char bytes[LARGEST];
  char path[512], beside[530], message[HN_MESSAGE];
  test_scratch(path, sizeof path, "notes.csv");
  snprintf(beside, sizeof beside, "%s.notes.txt", path);
  unlink(beside);
  hn_result *r = sample(3), *back = NULL, *plain = hn_result_create("plain", 1);
  hn_result_set_column(plain, 0, "time", "s");
  int own = hn_result_notes(r);
  CHECK(hn_result_add_note(r, "one,\ntwo # three") == HN_OK);
  CHECK(hn_result_write(r, path, message, sizeof message) == HN_OK);
  size_t size = read_bytes(path, bytes);
  CHECK(size > 0 && !memchr(bytes, '#', size));
  if (CHECK(hn_result_read(&back, path, message, sizeof message) == HN_OK)) {
    CHECK(hn_result_notes(back) == own + 1);
    CHECK(strcmp(hn_result_note(back, own), "one, two # three") == 0);
  }
  hn_result_destroy(back);
  CHECK(hn_result_write(plain, path, message, sizeof message) == HN_OK);
  CHECK(access(beside, F_OK) != 0);
  CHECK(write_bytes(beside, (const unsigned char *)"mine\n", 5));
  CHECK(hn_result_write(r, path, message, sizeof message) == HN_ERR_FILE);
  CHECK(strstr(message, "holds no notes of ours") != NULL);
  CHECK(read_bytes(beside, bytes) == 5);
  if (CHECK(hn_result_read(&back, path, message, sizeof message) == HN_OK))
    CHECK(hn_result_notes(back) == 0);
  hn_result_destroy(back);
  hn_result_destroy(plain);
  hn_result_destroy(r);
  unlink(beside), unlink(path);
}

// the file of a run that goes on can be read at any time, and cut anywhere
static void test_stream(void) {
  static const char *const names[] = {"stream.csv", "stream.h5"};
  static unsigned char bytes[LARGEST];
  for (int f = 0; f < 2; f++) {
    char path[512], message[HN_MESSAGE];
    hn_result *r = sample(0), *back = NULL;
    test_scratch(path, sizeof path, names[f]);
    unlink(path);
    hn_stream *s = hn_stream_create(path);
    for (int k = 0; k < 12; k++) {
      for (int i = 0; i < 7; i++) {
        double *row = hn_result_append(r);
        for (int c = 0; c < 5; c++) row[c] = 100 * k + 10 * i + c + 0.125;
      }
      char text[32];
      snprintf(text, sizeof text, "t = %d of 12 s%s", k, k % 2 ? " and a bit" : "");
      hn_status status = hn_stream_update(s, r, text, message, sizeof message);
      if (status == HN_ERR_UNSUPPORTED) break;
      if (!CHECK(status == HN_OK)) printf("%s\n", message);
      if (!CHECK(hn_result_read(&back, path, message, sizeof message) == HN_OK)) break;
      CHECK(hn_result_rows(back) == 7 * (k + 1) && hn_result_notes(back) >= 1);
      const char *note = hn_result_note(back, hn_result_notes(back) - 1);
      CHECK(note && strncmp(note, "incomplete: t = ", 16) == 0 && strstr(note, text));
      for (int i = 0; i < hn_result_rows(back); i++)
        CHECK(memcmp(hn_result_row(back, i), hn_result_row(r, i), 5 * sizeof(double)) == 0);
      hn_result_destroy(back);
    }
    hn_stream_destroy(s);
    size_t size = f == 0 ? read_bytes(path, bytes) : 0, header = strcspn((char *)bytes, "\n") + 1;
    for (size_t n = header; n < size; n += 13) {
      CHECK(write_bytes(path, bytes, n));
      CHECK(hn_result_read(&back, path, message, sizeof message) == HN_OK);
      hn_result_destroy(back);
    }
    if (!hn_result_write(r, path, message, sizeof message)) {
      CHECK(hn_result_read(&back, path, message, sizeof message) == HN_OK);
      for (int i = 0; i < hn_result_notes(back); i++)
        CHECK(strncmp(hn_result_note(back, i), "incomplete", 10) != 0);
      hn_result_destroy(back);
    }
    unlink(path);
    hn_result_destroy(r);
  }
}

// rows that are in the file are let go of; it is whole all the same, and says so at its end
static void test_drained_stream(void) {
  char path[512], message[HN_MESSAGE];
  hn_result *r = sample(0), *back = NULL;
  int rows = 0;
  test_scratch(path, sizeof path, "drained.csv");
  unlink(path);
  hn_stream *s = hn_stream_create(path);
  CHECK(hn_stream_end(s, r, message, sizeof message) == 0);  // nothing is gone: write it as usual
  for (int k = 0; k < 40; k++) {
    for (int i = 0; i < (int)test_random(0, 9); i++, rows++) {
      double *row = hn_result_append(r);
      for (int c = 0; c < 5; c++) row[c] = rows + 0.125 * c;
    }
    hn_status status = k % 3 ? hn_stream_drain(s, r, "going on", message, sizeof message)
                             : hn_stream_update(s, r, "going on", message, sizeof message);
    if (!CHECK(status == HN_OK)) printf("%s\n", message);
    if (k % 3) CHECK(hn_result_rows(r) <= 1);
    // the last row stays, for those who ask when it was
    if (rows) CHECK(hn_result_row(r, hn_result_rows(r) - 1)[0] == rows - 1);
  }
  CHECK(hn_stream_end(s, r, message, sizeof message) == rows);
  hn_stream_destroy(s);
  if (CHECK(hn_result_read(&back, path, message, sizeof message) == HN_OK)) {
    CHECK(hn_result_rows(back) == rows);
    for (int i = 0; i < hn_result_rows(back); i++)
      CHECK(hn_result_row(back, i)[0] == i && hn_result_row(back, i)[4] == i + 0.5);
    for (int i = 0; i < hn_result_notes(back); i++)
      CHECK(strncmp(hn_result_note(back, i), "incomplete", 10) != 0);
  }
  hn_result_destroy(back);
  hn_result_destroy(r);
  unlink(path);
}

int main(void) {
  RUN(test_cut);
  RUN(test_notes);
  RUN(test_stream);
  RUN(test_drained_stream);
  RUN(test_csv);
  RUN(test_hdf5);
  return test_end();
}
