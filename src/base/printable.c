// printable.c: text that others wrote, made safe to show.
//
// A terminal obeys control characters, and text can be turned round or broken into lines that look
// like the program's own. What steers is: C0 and C1 controls, delete, line and paragraph
// separators, and the overrides and isolates of writing direction.
#include "base/base.h"

// bytes of the UTF-8 character that starts here and its code; 0 bytes when it is none
// by the first byte how many there are (0xc0, 0xc1 and 0xf5 on begin nothing), the rest must
// continue it; no code may be written longer than needed, since that hides what it is
static int decode(const unsigned char *s, unsigned *code) {
  // codes below these have a shorter form
  static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  int n = s[0] < 0x80   ? 1
          : s[0] < 0xc2 ? 0
          : s[0] < 0xe0 ? 2
          : s[0] < 0xf0 ? 3
          : s[0] < 0xf5 ? 4
                        : 0;
  *code = n == 1 ? s[0] : n ? s[0] & (0xffu >> (n + 1)) : 0;
  // the terminating zero continues nothing, so nothing is read behind it
  for (int i = 1; i < n; i++) {
    if ((s[i] & 0xc0) != 0x80) return 0;
    *code = *code << 6 | (s[i] & 0x3fu);
  }
  bool surrogate = *code >= 0xd800 && *code < 0xe000;
  return n && *code >= least[n] && *code <= 0x10ffff && !surrogate ? n : 0;
}

static bool steers(unsigned code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x2028 ||
         code == 0x2029 || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

const char *hn_find_control(const char *text) {
  for (;;) {
    // most of most texts
    while (*text >= 0x20 && *text < 0x7f) text++;
    if (!*text) return NULL;
    unsigned code;
    int n = decode((const unsigned char *)text, &code);
    // bytes that are no UTF-8: a terminal of another encoding may take them for C1 controls
    // a control character in Latin-1 begins at 0x80
    if (n ? steers(code) : (unsigned char)*text < 0xa0) return text;
    // stray bytes above are odd letters, and no harm
    text += n ? n : 1;
  }
}

bool hn_is_printable(const char *text) {
  return !hn_find_control(text);
}

void hn_make_printable(char *text) {
  while (*text) {
    unsigned code;
    int n = decode((const unsigned char *)text, &code);
    bool good = n && !steers(code);
    // each byte of what is replaced becomes one ?, so the text keeps its length
    for (int i = 0; i < (n ? n : 1); i++, text++)
      if (!good) *text = '?';
  }
}
