// yaml_scan.c: characters, spaces and scalars of a YAML document.
//
// The text is checked once, as a whole, for being UTF-8 without control characters, so that nothing
// below has to look for broken characters. Columns count characters, not bytes. Scalars that stand
// in one piece in the text are handed on as they are; others are put together in `scratch`.
#include "io/yaml_reader.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// ---- characters ----------------------------------------------------------------------------

// bytes of the line break at `at`, 0 when there is none. YAML also knows those of Unicode
// NEL, LS and PS are line breaks in YAML 1.1, which libyaml follows.
static int break_width(const char *at, const char *end) {
  const unsigned char *c = (const unsigned char *)at;
  ptrdiff_t left = end - at;  // bytes that are there
  if (left < 1) return 0;
  if (c[0] == '\n') return 1;
  if (c[0] == '\r') return left > 1 && c[1] == '\n' ? 2 : 1;
  if (c[0] == 0xc2 && left > 1 && c[1] == 0x85) return 2;
  // U+2028 and U+2029 end in a8 and a9
  return c[0] == 0xe2 && left > 2 && c[1] == 0x80 && (c[2] & 0xfe) == 0xa8 ? 3 : 0;
}

static bool at_break(const hn_yaml_reader *r) {
  return break_width(r->at, r->end) > 0;
}

static bool at_blank(const hn_yaml_reader *r) {
  unsigned char c = hn_yaml_peek(r, 0);
  return c == ' ' || c == '\t';
}

bool hn_yaml_is_blank_or_end(const hn_yaml_reader *r, size_t k) {
  unsigned char c = hn_yaml_peek(r, k);
  // most characters are neither, and told by one comparison
  if (c > ' ' && c < 0x80) return false;
  return c == 0 || c == ' ' || c == '\t' || break_width(r->at + k, r->end) > 0;
}

// of a lead byte; the text was checked, so others do not occur
static int width_of(unsigned char lead) {
  return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

void hn_yaml_skip(hn_yaml_reader *r, int characters) {
  // by characters, since columns count them
  for (; characters > 0 && r->at < r->end; characters--) {
    r->at += width_of((unsigned char)*r->at);
    r->column++;
  }
}

static void skip_break(hn_yaml_reader *r) {
  r->at += break_width(r->at, r->end);
  r->line++;
  r->column = 0;
}

bool hn_yaml_at_marker(const hn_yaml_reader *r) {
  // at the start of a line only, and followed by a blank
  if (r->column > 0 || r->end - r->at < 3) return false;
  bool dashes = memcmp(r->at, "---", 3) == 0, dots = memcmp(r->at, "...", 3) == 0;
  return (dashes || dots) && hn_yaml_is_blank_or_end(r, 3);
}

// a character of several bytes: its bytes, or 0 when it is none
// Overlong forms, surrogates and what lies beyond Unicode are no characters.
static int check_character(const unsigned char *c, ptrdiff_t left, uint32_t *code) {
  // codes that need this many bytes
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  int width = width_of(*c);
  // continuation bytes and leads of overlong forms begin no character
  if (*c < 0xc2 || *c > 0xf4 || left < width) return 0;
  *code = *c & (0xffu >> (width + 1));
  for (int i = 1; i < width; i++) {
    if ((c[i] & 0xc0) != 0x80) return 0;
    *code = *code << 6 | (c[i] & 0x3f);
  }
  bool surrogate = *code >= 0xd800 && *code < 0xe000;
  return *code < least[width] || surrogate || *code > 0x10ffff ? 0 : width;
}

static bool is_printable(uint32_t code) {
  // NEL is a line break, the rest of C1 steers terminals
  if (code < 0xa0) return code == 0x85;
  // the byte order mark inside of a text, and codes that are no characters
  return code != 0xfeff && code != 0xfffe && code != 0xffff;
}

bool hn_yaml_check_text(hn_yaml_reader *r) {
  static const char order_mark[] = "\xef\xbb\xbf";
  // at the beginning it only says that this is UTF-8
  if (r->end - r->at >= 3 && memcmp(r->at, order_mark, 3) == 0) r->at += 3;
  hn_yaml_mark mark = {0};
  // what editors of Windows call Unicode
  if (r->end - r->at >= 2 &&
      (memcmp(r->at, "\xff\xfe", 2) == 0 || memcmp(r->at, "\xfe\xff", 2) == 0))
    return hn_yaml_fail(r, mark, "this is text in UTF-16: save it as UTF-8");
  // most of most texts is printable ASCII
  for (const char *at = r->at; at < r->end; mark.column++) {
    unsigned char c = (unsigned char)*at;
    if (c >= ' ' && c < 0x7f) {
      at++;
    } else if (c == '\n') {
      at++, mark.line++, mark.column = -1;  // the loop adds one
    } else if (c < 0x80) {
      if (c != '\t' && c != '\r')
        return hn_yaml_fail(r, mark, "this is no text: control characters are not allowed");
      at++;
    } else {
      uint32_t code;
      int width = check_character((const unsigned char *)at, r->end - at, &code);
      if (!width) return hn_yaml_fail(r, mark, "this is no text: it is not written in UTF-8");
      if (!is_printable(code))
        return hn_yaml_fail(r, mark, "this is no text: control characters are not allowed");
      at += width;
    }
  }
  return true;
}

static bool fail_tab(hn_yaml_reader *r) {
  return hn_yaml_fail(r, hn_yaml_here(r), "a tab cannot be used to indent (use blanks)");
}

// Tabs may separate, but not indent: programs disagree about their width.
// fresh: only blanks since the start of the line
bool hn_yaml_skip_space(hn_yaml_reader *r) {
  for (;;) {
    // where a key may begin its column counts, and that of a tab is anybody's guess
    while (hn_yaml_peek(r, 0) == ' ' || (hn_yaml_peek(r, 0) == '\t' && (r->flow || !r->fresh)))
      hn_yaml_skip(r, 1);
    // a comment ends with its line
    if (hn_yaml_peek(r, 0) == '#')
      while (r->at < r->end && !at_break(r)) hn_yaml_skip(r, 1);
    if (!at_break(r)) break;
    skip_break(r);
    if (!r->flow) r->fresh = true;
  }
  // a tab where something must be indented
  return hn_yaml_peek(r, 0) != '\t' || fail_tab(r);
}

// ---- text that is put together -------------------------------------------------------------

static bool put(hn_yaml_reader *r, const char *bytes, size_t length) {
  // doubling, so that long texts cost little per byte
  if (r->used + length > r->size) {
    size_t size = 2 * r->size + length + 256;
    char *grown = realloc(r->scratch, size);
    if (!grown) return hn_yaml_fail_memory(r);
    r->scratch = grown, r->size = size;
  }
  memcpy(r->scratch + r->used, bytes, length);
  r->used += length;
  return true;
}

// a line break as it stands in a text: \n, but for those of Unicode that separate
static bool put_break(hn_yaml_reader *r, const char *at, int width) {
  // YAML keeps those two as they are, others become \n
  return width == 3 ? put(r, at, 3) : put(r, "\n", 1);
}

// the line breaks between two pieces of text: one is a blank, further ones stay (`joined`: the
// first has been spoken for)
// Folding: a single line break between words is a blank, each further one a line break.
static bool put_folded(hn_yaml_reader *r, const char *from, const char *to, bool joined) {
  // waiting: one break came, which is a blank unless another one follows
  bool waiting = false;
  for (const char *at = from; at < to;) {
    int width = break_width(at, to);
    if (width && !joined && width != 3)
      waiting = true;
    else if (width && !put_break(r, at, width))
      return false;
    // blanks at the ends and beginnings of lines go
    if (width) {
      if (joined) waiting = false;
      joined = true;
    }
    at += width ? width : 1;
  }
  // nothing but the first break came
  if (!waiting) return true;
  return put(r, " ", 1);
}

// blanks and line breaks; true when there was a break
static bool skip_lines(hn_yaml_reader *r) {
  int line = r->line;
  for (;;) {
    if (at_blank(r))
      hn_yaml_skip(r, 1);
    else if (at_break(r))
      skip_break(r);
    else
      return r->line != line;
  }
}

static void finish(const hn_yaml_reader *r, hn_yaml_scalar *out) {
  out->text = r->used ? r->scratch : "";
  out->length = r->used;
}

// ---- plain scalars -------------------------------------------------------------------------

static bool is_one_of(unsigned char c, const char *set) {
  return c && strchr(set, c);
}

// a character of one byte that means nothing but itself within a plain scalar: most are like that
// brackets mean something in flow only, but asking that costs more than the long way
static bool is_ordinary(unsigned char c) {
  return c > ' ' && c < 0x80 && c != ':' && c != ',' && c != '[' && c != ']' && c != '{' &&
         c != '}';
}

static void skip_ordinary(hn_yaml_reader *r) {
  const char *at = r->at;
  while (at < r->end && is_ordinary((unsigned char)*at)) at++;
  r->column += (int)(at - r->at);
  r->at = at;
}

static bool is_letter_or_digit(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// letters and digits begin most of them
bool hn_yaml_starts_plain(const hn_yaml_reader *r) {
  unsigned char c = hn_yaml_peek(r, 0);
  if (is_letter_or_digit(c)) return true;
  if (hn_yaml_is_blank_or_end(r, 0)) return false;
  if (c == '-') return !hn_yaml_is_blank_or_end(r, 1);
  // "? " and ": " are keys and values without words
  if (c == '?' || c == ':') return !r->flow && !hn_yaml_is_blank_or_end(r, 1);
  return !is_one_of(c, ",[]{}#&*!|>'\"%@`");
}

// ": " ends a plain scalar anywhere, brackets and commas only inside of brackets.
static bool plain_ends(const hn_yaml_reader *r) {
  unsigned char c = hn_yaml_peek(r, 0);
  if (c == ':' && hn_yaml_is_blank_or_end(r, 1)) return true;
  return r->flow && is_one_of(c, ",[]{}");
}

// the words of one line, and the blanks between them
static bool read_words(hn_yaml_reader *r, const char **stop) {
  for (;;) {
    // to the end of a word, then over the blanks behind it
    for (skip_ordinary(r); !hn_yaml_is_blank_or_end(r, 0) && !plain_ends(r); skip_ordinary(r)) {
      // "a:[1" could mean two things: YAML forbids it
      if (r->flow && hn_yaml_peek(r, 0) == ':' && is_one_of(hn_yaml_peek(r, 1), ",?[]{}"))
        return hn_yaml_fail(r, hn_yaml_here(r), "a blank must follow this ':'");
      hn_yaml_skip(r, 1);
    }
    // blanks at the end are not part of it
    *stop = r->at;
    if (!at_blank(r)) return true;
    while (at_blank(r)) hn_yaml_skip(r, 1);
    if (hn_yaml_is_blank_or_end(r, 0) || hn_yaml_peek(r, 0) == '#' || plain_ends(r)) return true;
  }
}

// to the next line of the text; *more: there is one
// A comment ends a plain scalar, and so does what is not indented deeper.
// in flow anything deeper than the outermost bracket would do: indent does not count there
static bool next_line(hn_yaml_reader *r, int indent, bool *more) {
  *more = false;
  if (!at_break(r)) return true;
  while (at_blank(r) || at_break(r)) {
    if (at_break(r)) skip_break(r);
    // the width of tabs is unknown
    else if (hn_yaml_peek(r, 0) == '\t' && r->column <= indent)
      return fail_tab(r);
    else
      hn_yaml_skip(r, 1);
  }
  // a plain scalar may be a key, so what follows may be one, too
  if (!r->flow) r->fresh = true;
  bool deeper = r->flow || r->column > indent;
  *more = deeper && r->at < r->end && hn_yaml_peek(r, 0) != '#' && !hn_yaml_at_marker(r) &&
          !plain_ends(r);
  return true;
}

// `verbatim` where its characters stand in one line as they are: messages can point into it.
// *out points into the text as long as the scalar is of one line
bool hn_yaml_read_plain(hn_yaml_reader *r, int indent, hn_yaml_scalar *out) {
  *out = (hn_yaml_scalar){.mark = hn_yaml_here(r)};
  const char *piece = r->at, *stop = r->at;
  r->used = 0;
  r->fresh = false;
  for (bool more = true, folded = false;;) {
    if (!read_words(r, &stop)) return false;
    // of several lines it is put together
    if (!folded) out->verbatim = true;
    const char *gap = stop;
    if (!next_line(r, indent, &more)) return false;
    // most are of one line: nothing was copied
    if (!more && !folded) break;
    if (!put(r, piece, (size_t)(stop - piece))) return false;
    out->verbatim = false;
    if (!more) {
      finish(r, out);
      return true;
    }
    if (!put_folded(r, gap, r->at, false)) return false;
    piece = r->at;
    r->fresh = false;
    folded = true;
  }
  out->text = piece, out->length = (size_t)(stop - piece);
  // columns are those of characters, which are bytes in ASCII only
  for (const char *c = piece; c < stop; c++) out->verbatim &= (unsigned char)*c < 0x80;
  return true;
}

// ---- quoted scalars ------------------------------------------------------------------------

// UTF-8: 0xf00 >> width gives the leading bits 110, 1110 or 11110.
// one to four bytes, continuation bytes from the last on
static bool put_code(hn_yaml_reader *r, uint32_t code) {
  char c[4];
  if (code < 0x80) return put(r, (c[0] = (char)code, c), 1);
  int width = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (int i = width - 1; i > 0; i--, code >>= 6) c[i] = (char)(0x80 | (code & 0x3f));
  c[0] = (char)(code | (0xf00u >> width & 0xf0));
  return put(r, c, (size_t)width);
}

static int hex_digit(unsigned char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// \x41, \u0041, \U00000041; the reader stands at the first digit
// mark: of the backslash, for messages
static bool read_code(hn_yaml_reader *r, hn_yaml_mark mark, int digits) {
  uint32_t code = 0;
  for (int i = 0; i < digits; i++) {
    int digit = hex_digit(hn_yaml_peek(r, 0));
    if (digit < 0) return hn_yaml_fail(r, mark, "this escape needs %d hexadecimal digits", digits);
    code = code << 4 | (uint32_t)digit;
    hn_yaml_skip(r, 1);
  }
  // halves of pairs of UTF-16 and what lies beyond
  if ((code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
    return hn_yaml_fail(r, mark, "this escape stands for no character");
  return put_code(r, code);
}

// after a backslash
static bool read_escape(hn_yaml_reader *r) {
  // those of YAML 1.2, with JSON's slash
  static const struct {
    char letter;
    uint32_t code;
  } known[] = {
      {'0', 0},   {'a', 7},     {'b', 8},    {'t', 9},    {'\t', 9},     {'n', 10},
      {'v', 11},  {'f', 12},    {'r', 13},   {'e', 27},   {' ', ' '},    {'"', '"'},
      {'/', '/'}, {'\\', '\\'}, {'N', 0x85}, {'_', 0xa0}, {'L', 0x2028}, {'P', 0x2029},
  };
  hn_yaml_mark mark = {r->line, r->column - 1};
  unsigned char c = hn_yaml_peek(r, 0);
  hn_yaml_skip(r, 1);
  if (c == 'x' || c == 'u' || c == 'U') return read_code(r, mark, c == 'x' ? 2 : c == 'u' ? 4 : 8);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if ((unsigned char)known[i].letter == c) return put_code(r, known[i].code);
  return hn_yaml_fail(r, mark, "there is no escape of this name (a backslash is written \\\\)");
}

// up to a blank, a line break or the closing quote; *joined: the line ended in a backslash
// A backslash before a line break joins the lines without a blank.
static bool read_quoted_word(hn_yaml_reader *r, char quote, bool *joined) {
  *joined = false;
  while (!hn_yaml_is_blank_or_end(r, 0)) {
    unsigned char c = hn_yaml_peek(r, 0);
    // doubled within single quotes: one
    if (c == '\'' && quote == '\'' && hn_yaml_peek(r, 1) == '\'') {
      if (!put(r, "'", 1)) return false;
      hn_yaml_skip(r, 2);
    } else if (c == (unsigned char)quote) {
      return true;
    } else if (c == '\\' && quote == '"') {
      hn_yaml_skip(r, 1);
      *joined = at_break(r);
      // the line goes on: neither break nor blank
      if (*joined) {
        skip_break(r);
        return true;
      }
      if (!read_escape(r)) return false;
    } else {
      if (!put(r, r->at, (size_t)width_of(c))) return false;
      hn_yaml_skip(r, 1);
    }
  }
  return true;
}

// Blanks at the ends of lines are dropped with the break, those inside of a line are kept.
bool hn_yaml_read_quoted(hn_yaml_reader *r, hn_yaml_scalar *out) {
  *out = (hn_yaml_scalar){.mark = hn_yaml_here(r), .quoted = true};
  char quote = *r->at;
  r->used = 0;
  r->fresh = false;
  hn_yaml_skip(r, 1);
  for (;;) {
    bool joined;
    // a marker inside of quotes is a forgotten quote
    if (hn_yaml_at_marker(r))
      return hn_yaml_fail(r, hn_yaml_here(r), "a document ends inside the quotes of line %d",
                          out->mark.line + 1);
    if (!read_quoted_word(r, quote, &joined)) return false;
    // not the quote that a joined line may begin with
    if (hn_yaml_peek(r, 0) == (unsigned char)quote && !joined) break;
    // between two words: kept, or folded if it has line breaks
    const char *gap = r->at;
    bool broken = skip_lines(r);
    if (r->at == r->end)
      return hn_yaml_fail(r, hn_yaml_here(r), "the file ends inside the quotes of line %d",
                          out->mark.line + 1);
    if (!(broken || joined ? put_folded(r, gap, r->at, joined)
                           : put(r, gap, (size_t)(r->at - gap))))
      return false;
  }
  hn_yaml_skip(r, 1);
  finish(r, out);
  // without escapes it is as long as what stands between its quotes
  out->verbatim =
      r->line == out->mark.line && (size_t)(r->column - out->mark.column) == out->length + 2;
  return true;
}

// ---- block scalars: | keeps the lines, > folds them ----------------------------------------

typedef struct block {
  bool literal;
  char chomp;  // '+': keep the lines at the end, '-': drop the last break, too
  int indent;  // of its lines; 0: not known yet
} block;

// Sign and digit in any order: how the end is treated, and the indentation beyond the parent's.
// b->indent from here on is that of the text, counted from the line's beginning
static bool read_header(hn_yaml_reader *r, int indent, block *b) {
  hn_yaml_mark mark = hn_yaml_here(r);
  *b = (block){.literal = hn_yaml_peek(r, 0) == '|'};
  hn_yaml_skip(r, 1);
  for (int i = 0; i < 2; i++) {
    unsigned char c = hn_yaml_peek(r, 0);
    bool sign = !b->chomp && (c == '+' || c == '-'), digit = !b->indent && c >= '0' && c <= '9';
    if (digit && c == '0')
      return hn_yaml_fail(r, mark, "lines of a text cannot be indented by nothing");
    if (sign) b->chomp = (char)c;
    // "|2": two more than the map or list it stands in
    if (digit) b->indent = (indent > 0 ? indent : 0) + c - '0';
    if (sign || digit) hn_yaml_skip(r, 1);
  }
  // a comment may follow
  while (at_blank(r)) hn_yaml_skip(r, 1);
  if (hn_yaml_peek(r, 0) == '#')
    while (r->at < r->end && !at_break(r)) hn_yaml_skip(r, 1);
  if (r->at < r->end && !at_break(r))
    return hn_yaml_fail(r, hn_yaml_here(r), "the text begins in the next line");
  return true;
}

// empty lines up to the next one with text, into the scratch; sets the indentation where it is
// open
// Leading empty lines may not be deeper than the first line of text, which sets the indentation.
static bool read_empty_lines(hn_yaml_reader *r, int indent, block *b) {
  int most = 0;
  for (;;) {
    // blanks up to the indentation, or as many as there are
    while (hn_yaml_peek(r, 0) == ' ' && (!b->indent || r->column < b->indent)) hn_yaml_skip(r, 1);
    if (r->column > most) most = r->column;
    if (hn_yaml_peek(r, 0) == '\t' && (!b->indent || r->column < b->indent)) return fail_tab(r);
    int width = break_width(r->at, r->end);
    if (!width) break;
    if (!put_break(r, r->at, width)) return false;
    skip_break(r);
  }
  // without a digit the first line of text says how deep it is
  if (!b->indent) b->indent = most > indent + 1 ? most : indent + 1;
  if (b->indent < 1) b->indent = 1;
  return true;
}

// Line by line. Behind `start` the scratch holds the breaks after the last line of text, the first
// one `first` bytes long; folding takes that away when another line follows.
static bool read_block_lines(hn_yaml_reader *r, int indent, block *b) {
  size_t first = 0, start = 0;
  bool blank_before = false;
  // a line less deep ends the text
  while (r->column == b->indent && r->at < r->end) {
    // "more indented" lines keep their breaks on both sides, also when folded
    bool blank = at_blank(r), folds = !b->literal && first == 1 && !blank_before && !blank;
    if (folds && r->used - start == 1)
      r->scratch[start] = ' ';
    else if (folds)
      memmove(r->scratch + start, r->scratch + start + 1, --r->used - start);
    const char *line = r->at;
    while (r->at < r->end && !at_break(r)) hn_yaml_skip(r, 1);
    if (!put(r, line, (size_t)(r->at - line))) return false;
    start = r->used;
    blank_before = blank;
    first = 0;
    int width = break_width(r->at, r->end);
    if (!width) break;
    if (!put_break(r, r->at, width)) return false;
    first = r->used - start;
    skip_break(r);
    if (!read_empty_lines(r, indent, b)) return false;
  }
  // strip, clip (one break stays) or keep
  if (b->chomp == '-')
    r->used = start;
  else if (b->chomp != '+')
    r->used = start + first;
  return true;
}

bool hn_yaml_read_block(hn_yaml_reader *r, int indent, hn_yaml_scalar *out) {
  block b;
  *out = (hn_yaml_scalar){.mark = hn_yaml_here(r), .quoted = true};
  // the header's line is over, then empty lines count
  r->used = 0;
  if (!read_header(r, indent, &b)) return false;
  if (at_break(r)) skip_break(r);
  if (!read_empty_lines(r, indent, &b) || !read_block_lines(r, indent, &b)) return false;
  r->fresh = true;
  finish(r, out);
  return true;
}

// ---- names ---------------------------------------------------------------------------------

// Letters, digits, _ and -, as libyaml has it.
bool hn_yaml_read_name(hn_yaml_reader *r, hn_yaml_name *out) {
  hn_yaml_mark mark = hn_yaml_here(r);
  unsigned char kind = hn_yaml_peek(r, 0), c;
  hn_yaml_skip(r, 1);
  // into the text: names have no escapes
  *out = (hn_yaml_name){.text = r->at};
  for (; (c = hn_yaml_peek(r, 0)); hn_yaml_skip(r, 1)) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '-') break;
  }
  out->length = (size_t)(r->at - out->text);
  r->fresh = false;
  if (out->length && (hn_yaml_is_blank_or_end(r, 0) || is_one_of(c, "?:,]}%@`"))) return true;
  return hn_yaml_fail(r, mark,
                      "%s needs a name of letters and digits (put it in quotes, if it is text)",
                      kind == '&' ? "an anchor" : "an alias");
}
