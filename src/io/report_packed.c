// report_packed.c: what makes a page that computes small: its numbers and its script, compressed.
//
// Such a page needs a browser that unpacks gzip anyway, since the library comes so. Numbers of
// machines repeat no bytes, but they change little from row to row: of floats the differences of
// their bits are kept, quantity by quantity, and of all numbers first all lowest bytes, then the
// next ones, so that bytes that hardly change stand together. Nothing is lost by it
// (viewer/src/packed.js turns it round).
#include "io/deflate.h"
#include "io/report.h"
#include "io/zip.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// ---- gzip in base64 ------------------------------------------------------------------------

static void put_low(unsigned char *to, uint32_t x) {
  for (int i = 0; i < 4; i++) to[i] = (unsigned char)(x >> 8 * i);
}

// RFC 1952: no name, no time, so that the same page has the same bytes.
static bool put_gzip(hn_save *save, const void *bytes, size_t length) {
  static const unsigned char head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255};
  unsigned char tail[8];
  size_t size = 0;
  unsigned char *packed = hn_deflate(bytes, length, &size);
  if (!packed) return false;
  put_low(tail, hn_crc32(bytes, length));
  put_low(tail + 4, (uint32_t)length);
  hn_blob blob = {.save = save};
  hn_blob_bytes(&blob, head, sizeof head);
  hn_blob_bytes(&blob, packed, size);
  hn_blob_bytes(&blob, tail, sizeof tail);
  hn_blob_end(&blob);
  free(packed);
  return true;
}

// ---- numbers -------------------------------------------------------------------------------

static uint32_t word_at(const unsigned char *bytes) {
  uint32_t x = 0;
  for (int i = 4; i-- > 0;) x = x << 8 | bytes[i];
  return x;
}

// `rows` of numbers that stand row by row; those that stand one after the other are one row each
static void split(const unsigned char *from, const hn_blob_range *range, size_t rows,
                  unsigned char *to) {
  size_t n = range->count, size = range->wide ? 8 : 4, width = rows ? n / rows : 0, k = 0;
  uint32_t before = 0;
  from += range->at, to += range->at;
  for (size_t c = 0; c < width; c++)
    for (size_t row = 0; row < rows; row++, k++) {
      const unsigned char *x = from + size * (row * width + c);
      unsigned char change[4];
      if (!range->wide) {
        // unsigned: what goes below zero comes round
        put_low(change, word_at(x) - before);
        before = word_at(x);
        x = change;
      }
      for (size_t i = 0; i < size; i++) to[i * n + k] = x[i];
    }
}

bool hn_report_numbers(hn_save *save, const hn_text *numbers, const hn_packed_run *run, int count) {
  static const char start[] = "<script type=\"text/plain\" id=\"holon-blob\" data-packed=\"gzip\">";
  unsigned char *to = calloc(numbers->used + 1, 1);
  if (!to) return false;
  const unsigned char *from = (const unsigned char *)numbers->text;
  for (int i = 0; i < count; i++) {
    const hn_packed_run *r = &run[i];
    size_t frames = r->frame_time.count;
    split(from, &r->frame_time, frames, to);
    split(from, &r->frame_pose, frames, to);
    split(from, &r->frame_track, frames, to);
    split(from, &r->frame_deformed, frames, to);
    // columns stand one after the other
    split(from, &r->time, r->time.count, to);
    split(from, &r->columns, r->columns.count, to);
  }
  hn_save_bytes(save, start, sizeof start - 1);
  bool good = put_gzip(save, to, numbers->used);
  free(to);
  return good;
}

// ---- the script ----------------------------------------------------------------------------

// Run as if it stood there; a browser that cannot unpack it says so in the page.
static const char loader[] =
    "</script>\n<script>(async () => {\n"
    "  const text = document.getElementById(\"holon-script\").textContent;\n"
    "  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));\n"
    "  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(\"gzip\"));\n"
    "  const script = document.createElement(\"script\");\n"
    "  script.textContent = await new Response(plain).text();\n"
    "  document.body.append(script);\n"
    "})().catch((error) => document.body.append(`This page needs a newer browser: ${error}`));";

// `rest`: what of the template stands behind the data
bool hn_report_script(hn_save *save, const char *rest) {
  static const char open[] = "<script>", close[] = "</script>";
  static const char start[] = "<script type=\"text/plain\" id=\"holon-script\">";
  const char *from = strstr(rest, open), *to = from ? strstr(from, close) : NULL;
  if (!to) {
    hn_save_bytes(save, rest, strlen(rest));
    return true;
  }
  hn_save_bytes(save, rest, (size_t)(from - rest));
  from += sizeof open - 1;
  hn_save_bytes(save, start, sizeof start - 1);
  if (!put_gzip(save, from, (size_t)(to - from))) return false;
  hn_save_bytes(save, loader, sizeof loader - 1);
  hn_save_bytes(save, to, strlen(to));
  return true;
}
