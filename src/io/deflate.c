// deflate.c: the DEFLATE format of RFC 1951: repetitions become references back, and what is left
// is written by two Huffman codes that are chosen anew for every block.
//
// Repetitions are found by chains of places that begin with the same three bytes; one is put off by
// a byte where the next place has a longer one.
#include "io/deflate.h"

#include "base/base.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  WINDOW = 32768,  // how far back a reference reaches
  SHORTEST = 3,    // bytes of a repetition
  LONGEST = 258,
  HASHES = 32768,
  CHAIN = 64,      // places that are looked at
  BLOCK = 16384,   // symbols that share their codes
  LITERALS = 286,  // bytes, end of the block, lengths
  DISTANCES = 30,
  ORDERS = 19,  // symbols that tell the lengths of codes
  END = 256
};

// ---- bits ----------------------------------------------------------------------------------

typedef struct writer {
  unsigned char *data;
  size_t used, room;
  uint64_t bits;  // bits that are no whole byte yet, the lowest is the oldest
  int count;      // of them
  bool failed;
} writer;

static void put_byte(writer *w, unsigned char byte) {
  // doubled, so that bytes are moved twice on average
  if (w->used == w->room) {
    size_t room = 2 * w->room + 1024;
    unsigned char *data = realloc(w->data, room);
    if (!data) {
      w->failed = true;
      return;
    }
    w->data = data, w->room = room;
  }
  w->data[w->used++] = byte;
}

// the lowest bit first
// Huffman words are put with their first bit lowest, numbers as they are: RFC 1951, 3.1.1.
static void put_bits(writer *w, unsigned value, int count) {
  // fewer than 8 bits wait, and no symbol has more than 32
  w->bits |= (uint64_t)value << w->count;
  for (w->count += count; w->count >= 8 && !w->failed; w->count -= 8, w->bits >>= 8)
    put_byte(w, (unsigned char)(w->bits & 255));
}

// ---- Huffman codes -------------------------------------------------------------------------

typedef struct code {
  unsigned count[LITERALS];  // how often each symbol is used
  unsigned char length[LITERALS];
  unsigned short word[LITERALS];  // as they are written, the first bit lowest
  int symbols;
} code;

typedef struct leaf {
  unsigned count;
  int symbol;
} leaf;

static int by_count(const void *a, const void *b) {
  // by symbol where counts are equal: the same result everywhere
  const leaf *p = a, *q = b;
  return p->count != q->count ? (p->count < q->count ? -1 : 1) : p->symbol - q->symbol;
}

// depths of the leaves in the tree of smallest weight: the two lightest are joined, and joined ones
// come in rising order, so that two queues do. Returns the largest depth
// Leaves in rising order and joined nodes in the order of their making are both sorted: the two
// lightest of all are found at the heads of the two queues, in linear time (van Leeuwen's method).
static int tree_depths(const leaf *leaves, int n, int *depth) {
  unsigned weight[2 * LITERALS];
  int parent[2 * LITERALS] = {0}, next_leaf = 0, next_joined = n, all = n, deepest = 0;
  for (int i = 0; i < n; i++) weight[i] = leaves[i].count;
  for (; all < 2 * n - 1; all++) {
    weight[all] = 0;
    // the lighter head of both queues, twice
    for (int k = 0; k < 2; k++) {
      bool leaf_first =
          next_leaf < n && (next_joined >= all || weight[next_leaf] <= weight[next_joined]);
      int taken = leaf_first ? next_leaf++ : next_joined++;
      weight[all] += weight[taken];
      parent[taken] = all;
    }
  }
  // from the root down: parents come behind their children
  depth[all - 1] = 0;
  for (int i = all - 2; i >= 0; i--) {
    depth[i] = depth[parent[i]] + 1;
    if (depth[i] > deepest) deepest = depth[i];
  }
  return deepest;
}

// lengths of at most `limit` bits: counts are evened until they give no longer ones
// Package-merge would give the best code of limited length; evening the counts gives one nearly as
// good, in a few rounds, and only where 15 bits (7 for the lengths) do not do.
static void find_lengths(code *c, int limit) {
  leaf leaves[LITERALS];
  int depth[2 * LITERALS], n = 0;
  // a code of one symbol is none that every reader takes
  // at least two symbols, one of which may never occur
  for (int i = 0, used = 0; i < c->symbols; i++) {
    used += c->count[i] > 0;
    if (i == c->symbols - 1)
      for (int k = 0; used < 2; k++)
        if (!c->count[k]) c->count[k] = 1, used++;
  }
  for (int i = 0; i < c->symbols; i++)
    if (c->count[i]) leaves[n++] = (leaf){c->count[i], i};
  for (;;) {
    qsort(leaves, (size_t)n, sizeof *leaves, by_count);
    if (tree_depths(leaves, n, depth) <= limit) break;
    // evened: differences get smaller with each round, and so does the depth
    for (int i = 0; i < n; i++) leaves[i].count = leaves[i].count / 2 + 1;
  }
  memset(c->length, 0, sizeof c->length);
  for (int i = 0; i < n; i++) c->length[leaves[i].symbol] = (unsigned char)depth[i];
}

// words follow from lengths
// Canonical codes: the words follow from the lengths alone, so that only those are sent.
static void find_words(code *c) {
  unsigned next[17] = {0}, number[17] = {0};
  for (int i = 0; i < c->symbols; i++) number[c->length[i]]++;
  number[0] = 0;
  // words of one length follow each other, those of the next begin behind
  for (int k = 1; k < 17; k++) next[k] = (next[k - 1] + number[k - 1]) << 1;
  for (int i = 0; i < c->symbols; i++) {
    unsigned word = next[c->length[i]]++, turned = 0;
    // turned round: the first bit of a word is written first
    for (int k = 0; k < c->length[i]; k++) turned = turned << 1 | (word >> k & 1);
    c->word[i] = (unsigned short)turned;
  }
}

static void make_code(code *c, int limit) {
  find_lengths(c, limit);
  find_words(c);
}

static void put_symbol(writer *w, const code *c, int symbol) {
  put_bits(w, c->word[symbol], c->length[symbol]);
}

// ---- symbols -------------------------------------------------------------------------------

// a byte (distance 0), or a repetition
typedef struct item {
  unsigned short value, distance;
} item;

// the kind of a length or distance: 2 `per` kinds have no extra bits, and every `per` that follow
// one more than those before
typedef struct kind {
  int symbol, bits;
  unsigned extra;
} kind;

// Lengths and distances are written as a symbol and extra bits, twice as many each `per` symbols.
static kind kind_from(unsigned above, int per) {
  int bits = 0;
  // each bit more doubles the range of a symbol
  while (above >> bits >= (unsigned)(2 * per)) bits++;
  return (kind){per * bits + (int)(above >> bits), bits, above & ((1u << bits) - 1)};
}

static kind kind_of_length(unsigned length) {
  if (length == LONGEST) return (kind){285, 0, 0};
  kind k = kind_from(length - SHORTEST, 4);
  // symbols below 257 are bytes and the end
  k.symbol += 257;
  return k;
}

static kind kind_of_distance(unsigned distance) {
  return kind_from(distance - 1, 2);
}

// ---- lengths of codes ----------------------------------------------------------------------

typedef struct order {
  unsigned char symbol, bits, extra;
} order;

// lengths of both codes in short: 16 repeats the last one, 17 and 18 are zeros
// Runs of equal lengths; a run of others than zero repeats at most six times.
static int shorten(const unsigned char *length, int n, order *out) {
  int m = 0;
  for (int i = 0, run; i < n; i += run) {
    // the longest runs that one order can tell
    int most = length[i] ? 7 : 138;
    for (run = 1; i + run < n && run < most && length[i + run] == length[i];) run++;
    if (!length[i] && run >= 11) {
      out[m++] = (order){18, 7, (unsigned char)(run - 11)};
    } else if (!length[i] && run >= 3) {
      out[m++] = (order){17, 3, (unsigned char)(run - 3)};
    } else if (run >= 4) {
      out[m++] = (order){length[i], 0, 0};
      out[m++] = (order){16, 2, (unsigned char)(run - 4)};
    } else {
      for (int k = 0; k < run; k++) out[m++] = (order){length[i], 0, 0};
    }
  }
  return m;
}

// All lengths of both alphabets are sent; shorter tables would save some bits of each block.
static void put_codes(writer *w, const code *literal, const code *distance) {
  // order of the RFC: lengths rarely used stand last, and are left out
  static const unsigned char place[ORDERS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                              11, 4,  12, 3, 13, 2, 14, 1, 15};
  unsigned char length[LITERALS + DISTANCES];
  order list[LITERALS + DISTANCES];
  code c = {.symbols = ORDERS};
  memcpy(length, literal->length, LITERALS);
  memcpy(length + LITERALS, distance->length, DISTANCES);
  // trailing zeros of the order are left out below
  int n = shorten(length, LITERALS + DISTANCES, list), orders = ORDERS;
  for (int i = 0; i < n; i++) c.count[list[i].symbol]++;
  make_code(&c, 7);
  while (orders > 4 && !c.length[place[orders - 1]]) orders--;
  put_bits(w, LITERALS - 257, 5);
  put_bits(w, DISTANCES - 1, 5);
  put_bits(w, (unsigned)orders - 4, 4);
  for (int i = 0; i < orders; i++) put_bits(w, c.length[place[i]], 3);
  for (int i = 0; i < n; i++) {
    put_symbol(w, &c, list[i].symbol);
    put_bits(w, list[i].extra, list[i].bits);
  }
}

// Counts first, codes from them, then the block: two passes over 16384 symbols.
static void put_block(writer *w, const item *items, int n, bool last) {
  code literal = {.symbols = LITERALS}, distance = {.symbols = DISTANCES};
  for (int i = 0; i < n; i++) {
    if (items[i].distance) distance.count[kind_of_distance(items[i].distance).symbol]++;
    literal.count[items[i].distance ? kind_of_length(items[i].value).symbol : items[i].value]++;
  }
  // the end occurs once in every block
  literal.count[END] = 1;
  make_code(&literal, 15);
  make_code(&distance, 15);
  // last block or not, then its kind: 2 is codes of its own
  put_bits(w, last, 1);
  put_bits(w, 2, 2);
  put_codes(w, &literal, &distance);
  for (int i = 0; i < n; i++) {
    if (!items[i].distance) {
      put_symbol(w, &literal, items[i].value);
      continue;
    }
    kind l = kind_of_length(items[i].value), d = kind_of_distance(items[i].distance);
    put_symbol(w, &literal, l.symbol);
    put_bits(w, l.extra, l.bits);
    put_symbol(w, &distance, d.symbol);
    put_bits(w, d.extra, d.bits);
  }
  put_symbol(w, &literal, END);
}

// ---- repetitions ---------------------------------------------------------------------------

typedef struct finder {
  const unsigned char *data;
  size_t length, known;                 // places below it are in the chains
  size_t head[HASHES], before[WINDOW];  // place + 1; 0: none
} finder;

static unsigned hash_at(const unsigned char *p) {
  return ((unsigned)p[0] << 16 ^ (unsigned)p[1] << 8 ^ p[2]) * 2654435761u >> 17 & (HASHES - 1);
}

// the longest repetition at a place
// Chains of earlier places with the same hash, nearest first. A candidate must agree in the byte
// that would make it longer than the best so far before it is compared as a whole.
static item find(finder *f, size_t at) {
  // fewer than three bytes are no repetition
  size_t room = f->length - at, best = SHORTEST - 1, where = 0;
  if (room < SHORTEST) return (item){0, 0};
  if (room > LONGEST) room = LONGEST;
  // all places up to this one become known, in order
  for (; f->known < at; f->known++) {
    unsigned h = hash_at(f->data + f->known);
    f->before[f->known % WINDOW] = f->head[h];
    f->head[h] = f->known + 1;
  }
  const unsigned char *here = f->data + at;
  size_t next = f->head[hash_at(here)];
  // no farther than the window, and no more than CHAIN tries
  for (int k = 0; next && at - (next - 1) <= WINDOW - 1 && k < CHAIN && best < room; k++) {
    const unsigned char *there = f->data + next - 1;
    size_t n = 0;
    if (there[best] == here[best])
      while (n < room && there[n] == here[n]) n++;
    if (n > best) best = n, where = next - 1;
    next = f->before[(next - 1) % WINDOW];
  }
  // three bytes from far away cost more than they are
  if (best < SHORTEST || (best == SHORTEST && at - where > 4096)) return (item){0, 0};
  return (item){(unsigned short)best, (unsigned short)(at - where)};
}

// Lazy matching: a repetition is taken only if the next byte does not begin a longer one.
static void pack(writer *w, finder *f, item *items) {
  int n = 0;
  item now = find(f, 0);
  for (size_t at = 0; at < f->length && !w->failed;) {
    // the next place is looked at before this one is decided
    item next = {0, 0};
    if (!now.distance || now.value < LONGEST) next = find(f, at + 1 < f->length ? at + 1 : at);
    bool repeats = now.distance && now.value >= next.value;
    items[n++] = repeats ? now : (item){f->data[at], 0};
    at += repeats ? now.value : 1;
    // behind a repetition nothing is known yet
    if (at < f->length) now = repeats ? find(f, at) : next;
    if (n == BLOCK) put_block(w, items, n, false), n = 0;
  }
  put_block(w, items, n, true);
  // the last byte is filled up
  if (w->count) put_bits(w, 0, 8 - w->count);
}

// free() it; NULL: out of memory. Never longer than the input by more than some bytes a block.
unsigned char *hn_deflate(const void *bytes, size_t length, size_t *packed) {
  writer w = {.failed = false};
  finder *f = calloc(1, sizeof *f);
  item *items = malloc(BLOCK * sizeof *items);
  w.failed = !f || !items;
  if (!w.failed) {
    f->data = bytes, f->length = length;
    pack(&w, f, items);
  }
  free(f), free(items);
  *packed = w.used;
  if (!w.failed) return w.data;
  free(w.data);
  return NULL;
}
