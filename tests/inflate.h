// inflate.h: reads what hn_deflate writes, from the words of RFC 1951 and bit by bit; refuses all
// that is not right.
#ifndef HN_INFLATE_H
#define HN_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct inflater {
  const unsigned char *in;
  size_t length, bit;  // bit: the next one
  unsigned char *out;
  size_t used, room;
  bool bad;
} inflater;

static inline unsigned inflate_bits(inflater *f, int n) {
  unsigned x = 0;
  for (int i = 0; i < n; i++, f->bit++) {
    if (f->bit / 8 >= f->length) return f->bad = true, 0;
    x |= (unsigned)(f->in[f->bit / 8] >> (f->bit % 8) & 1) << i;
  }
  return x;
}

// symbols in the order of their words, and how many there are of each length
typedef struct inflate_code {
  int number[16], symbol[320];
} inflate_code;

static inline inflate_code inflate_sorted(const unsigned char *length, int n) {
  inflate_code c = {{0}, {0}};
  for (int k = 1, m = 0; k < 16; k++)
    for (int i = 0; i < n; i++)
      if (length[i] == k) c.symbol[m++] = i, c.number[k]++;
  return c;
}

// the symbol whose word comes next: words of a length follow each other
static inline int inflate_symbol(inflater *f, const inflate_code *c) {
  int word = 0, first = 0, before = 0;
  for (int k = 1; k < 16 && !f->bad; k++) {
    word = word << 1 | (int)inflate_bits(f, 1);
    if (word - first < c->number[k]) return c->symbol[before + word - first];
    before += c->number[k];
    first = (first + c->number[k]) << 1;
  }
  f->bad = true;
  return 0;
}

// no word is left over, and none is given twice
static inline bool inflate_complete(const unsigned char *length, int n) {
  long sum = 0;
  for (int i = 0; i < n; i++) sum += length[i] ? 32768L >> length[i] : 0;
  return sum == 32768;
}

static inline void inflate_put(inflater *f, unsigned char byte) {
  if (f->used < f->room)
    f->out[f->used++] = byte;
  else
    f->bad = true;
}

static inline void inflate_lengths(inflater *f, unsigned char *length, int n) {
  static const int place[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  unsigned char order[19] = {0};
  int orders = (int)inflate_bits(f, 4) + 4;
  for (int i = 0; i < orders; i++) order[place[i]] = (unsigned char)inflate_bits(f, 3);
  if (!inflate_complete(order, 19)) f->bad = true;
  inflate_code c = inflate_sorted(order, 19);
  for (int i = 0; i < n && !f->bad;) {
    int s = inflate_symbol(f, &c), run = 1;
    unsigned char value = s < 16 ? (unsigned char)s : 0;
    if (s == 16 && i == 0) f->bad = true;
    if (s == 16 && i > 0) value = length[i - 1];
    if (s == 16) run = 3 + (int)inflate_bits(f, 2);
    if (s == 17) run = 3 + (int)inflate_bits(f, 3);
    if (s == 18) run = 11 + (int)inflate_bits(f, 7);
    if (i + run > n) f->bad = true;
    for (int k = 0; k < run && i < n; k++) length[i++] = value;
  }
}

static inline unsigned inflate_value(inflater *f, int symbol, int per) {
  // base values follow from the numbers of extra bits
  unsigned base = 0;
  int bits = 0;
  for (int s = 0; s <= symbol; s++) {
    if (s > 0) base += 1u << bits;
    bits = s < 2 * per ? 0 : s / per - 1;
  }
  return base + inflate_bits(f, bits);
}

static inline void inflate_block(inflater *f) {
  unsigned char length[320] = {0};
  int literals = (int)inflate_bits(f, 5) + 257, distances = (int)inflate_bits(f, 5) + 1;
  inflate_lengths(f, length, literals + distances);
  if (!inflate_complete(length, literals) || !inflate_complete(length + literals, distances))
    f->bad = true;
  inflate_code literal = inflate_sorted(length, literals);
  inflate_code distance = inflate_sorted(length + literals, distances);
  while (!f->bad) {
    int s = inflate_symbol(f, &literal);
    if (s == 256) return;
    if (s < 256) {
      inflate_put(f, (unsigned char)s);
      continue;
    }
    size_t n = s == 285 ? 258 : 3 + inflate_value(f, s - 257, 4);
    size_t d = 1 + inflate_value(f, inflate_symbol(f, &distance), 2);
    if (d > f->used) f->bad = true;
    for (size_t i = 0; i < n && !f->bad; i++) inflate_put(f, f->out[f->used - d]);
  }
}

// exactly `size` bytes, free() them; NULL: these are none
static inline unsigned char *inflate(const void *bytes, size_t length, size_t size) {
  inflater f = {.in = bytes, .length = length, .out = malloc(size + 1), .room = size};
  bool last = false;
  while (!last && !f.bad && f.out) {
    last = inflate_bits(&f, 1);
    if (inflate_bits(&f, 2) != 2) f.bad = true;
    if (!f.bad) inflate_block(&f);
  }
  if (!f.bad && f.used == size && (f.bit + 7) / 8 == length) return f.out;
  free(f.out);
  return NULL;
}

#endif
