// test_deflate.c: bytes made shorter come back as they were.
#include "test.h"

#include "inflate.h"
#include "io/deflate.h"
#include "io/zip.h"

static size_t packed_size(const unsigned char *bytes, size_t n) {
  size_t length = 0;
  unsigned char *packed = hn_deflate(bytes, n, &length);
  unsigned char *back = CHECK(packed != NULL) ? inflate(packed, length, n) : NULL;
  CHECK(back != NULL && (n == 0 || memcmp(back, bytes, n) == 0));
  free(packed), free(back);
  return length;
}

static unsigned next_random(unsigned *state) {
  *state ^= *state << 13, *state ^= *state >> 17, *state ^= *state << 5;
  return *state;
}

static void short_ones(void) {
  unsigned char bytes[600];
  CHECK(packed_size((const unsigned char *)"", 0) < 20);
  for (size_t n = 1; n < 40; n++) {
    for (size_t i = 0; i < n; i++) bytes[i] = (unsigned char)(i * i);
    packed_size(bytes, n);
    memset(bytes, 'a', n);
    packed_size(bytes, n);
  }
  // one byte, two bytes, three: repetitions that overlap themselves, of every length up to the
  // longest
  for (size_t period = 1; period < 4; period++)
    for (size_t n = 250; n < 270; n++) {
      for (size_t i = 0; i < n; i++) bytes[i] = (unsigned char)(i % period);
      CHECK(packed_size(bytes, n) < 40);
    }
}

// random bytes of few or many values, with pieces of what was before at all distances
static void random_ones(void) {
  enum { N = 200000 };
  unsigned char *bytes = malloc(N);
  unsigned state = 1;
  for (int trial = 0; trial < 8; trial++) {
    unsigned values = trial < 4 ? 2u + (unsigned)trial : 256u;
    for (size_t i = 0; i < N;) {
      size_t run = 1 + next_random(&state) % 300, far = 1 + next_random(&state) % 40000;
      bool again = trial % 2 && far <= i;
      for (size_t k = 0; k < run && i < N; k++, i++)
        bytes[i] = again ? bytes[i - far] : (unsigned char)(next_random(&state) % values);
    }
    double n = (double)packed_size(bytes, N);
    // noise of two values is no shorter than a bit each, and no longer than zlib makes it at its
    // level 4 (6: 0.159, 9: 0.153)
    if (trial == 0) CHECK(n > N / 8 && n < 0.172 * N);
    if (trial == 4 || trial == 6) CHECK(n > N && n < N * 1.01);
    if (trial == 5) CHECK(n < N * 0.75);
  }
  free(bytes);
}

// counts like Fibonacci's numbers want codes of more bits than there may be
static void deep_tree(void) {
  size_t n = 0, a = 1, b = 1, next;
  unsigned char *bytes = malloc(600000);
  for (int symbol = 0; symbol < 25; symbol++, next = a + b, a = b, b = next)
    for (size_t k = 0; k < a; k++) bytes[n++] = (unsigned char)symbol;
  // shuffled, so that nothing repeats for long
  unsigned state = 7;
  for (size_t i = n - 1; i > 0; i--) {
    size_t k = next_random(&state) % (i + 1);
    unsigned char x = bytes[i];
    bytes[i] = bytes[k], bytes[k] = x;
  }
  packed_size(bytes, n);
  packed_size(bytes, 16384);
  free(bytes);
}

// text: nearly as short as zlib makes it (35.5 %)
static void text(void) {
  char *text = NULL, message[HN_MESSAGE];
  size_t n = 0;
  if (!CHECK(hn_load_file(&text, &n, "docs/format.md", message) == HN_OK)) return;
  CHECK((double)packed_size((unsigned char *)text, n) < 0.37 * (double)n);
  free(text);
}

static void archive(void) {
  char path[600], message[HN_MESSAGE], *zip = NULL;
  unsigned char noise[100], zeros[5000] = {0};
  unsigned state = 3;
  size_t length = 0;
  hn_zip z;
  test_scratch(path, sizeof path, "packed.zip");
  for (int i = 0; i < 100; i++) noise[i] = (unsigned char)next_random(&state);
  for (int pack = 0; pack < 2; pack++) {
    CHECK(hn_zip_open(&z, path, message) == HN_OK);
    z.pack = pack;
    hn_zip_add(&z, "noise", noise, sizeof noise);
    hn_zip_add(&z, "zeros", zeros, sizeof zeros);
    CHECK(hn_zip_close(&z, message) == HN_OK);
    CHECK(hn_load_file(&zip, &length, path, message) == HN_OK);
    // noise is stored in any case: method, sizes
    CHECK(zip[8] == 0 && zip[18] == 100 && zip[22] == 100);
    CHECK(zip[30 + 5 + 100 + 8] == (pack ? 8 : 0));
    CHECK(pack ? length < 400 : length > 5000);
    free(zip);
  }
  remove(path);
}

int main(void) {
  RUN(short_ones);
  RUN(random_ones);
  RUN(deep_tree);
  RUN(text);
  RUN(archive);
  return test_end();
}
