// terminal.c: colours, how far long work is, and help screens.
#include "terminal.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

// ---- what the terminal can do --------------------------------------------------------------

static bool is_terminal(FILE *out) {
  const char *term = getenv("TERM");
  // "dumb": no colours, no lines that are drawn anew
  return isatty(fileno(out)) && !(term && strcmp(term, "dumb") == 0);
}

static bool has_colors(FILE *out) {
  // https://no-color.org: any text in it
  const char *none = getenv("NO_COLOR");
  return is_terminal(out) && !(none && *none);
}

const char *tone_on(FILE *out, tone kind) {
  static const char *const code[] = {"\033[32m", "\033[1;31m", "\033[33m", "\033[1m"};
  return has_colors(out) ? code[kind] : "";
}

const char *tone_off(FILE *out) {
  return has_colors(out) ? "\033[0m" : "";
}

int verdict_tone(const char *word) {
  if (!strcmp(word, "pass") || !strcmp(word, "stable")) return TONE_GOOD;
  // words of tables: colours follow what is said, not where
  if (!strcmp(word, "FAIL") || !strcmp(word, "fail") || !strcmp(word, "unstable")) return TONE_BAD;
  return !strcmp(word, "undecided") ? TONE_DOUBTFUL : -1;
}

static int columns_of(FILE *out) {
  struct winsize size;
  // not known, or too narrow for anything: as if it were 80
  int columns = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
  return columns >= 40 ? columns : SCREEN;
}

int terminal_width(FILE *out) {
  // what goes to a file is as wide as it likes
  return is_terminal(out) ? columns_of(out) : INT_MAX;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- how far it is -------------------------------------------------------------------------

static const double first_drawn = 0.5, between = 0.1;  // [s] before the first line, between two

// "12 s left"
static void time_left(char out[32], double seconds) {
  long left = (long)(seconds + 0.5);
  if (left < 120)
    snprintf(out, 32, "%ld s left", left);
  else if (left < 7200)
    snprintf(out, 32, "%ld min left", left / 60);
  else
    snprintf(out, 32, "%ld h left", left / 3600);
}

void bar_begin(progress_bar *b, const char *name, bool quiet) {
  *b = (progress_bar){.shown = !quiet && is_terminal(stderr), .began = now()};
  const char *slash = name ? strrchr(name, '/') : NULL;
  snprintf(b->name, sizeof b->name, "%.30s", slash ? slash + 1 : name ? name : "");
}

static void draw_line(const char *line) {
  // the cursor goes back; what the longer line before left is erased
  fprintf(stderr, "\r%.*s\033[K", columns_of(stderr) - 1, line);
  fflush(stderr);
}

void bar_draw(progress_bar *b, double part, const char *text) {
  enum { WIDTH = 20 };
  static const char full[] = "####################", empty[] = "....................";
  if (!b->shown) return;
  double time = now();
  // often enough to be seen, seldom enough to cost nothing
  if (time - b->began < first_drawn || time - b->last < between) return;
  char line[256], left[32] = "";
  if (part > 1) part = 1;
  if (part >= 0) {
    int done = (int)(part * WIDTH);
    // by the mean speed so far
    if (part > 0) time_left(left, (time - b->began) * (1 - part) / part);
    snprintf(line, sizeof line, "%s [%.*s%.*s] %3d %%%s%s, %.120s", b->name, done, full,
             WIDTH - done, empty, (int)(100 * part), *left ? ", " : "", left, text);
  } else {
    // the end is not known
    snprintf(line, sizeof line, "%s: %.120s, %.0f s", b->name, text, time - b->began);
  }
  draw_line(line);
  b->last = time;
  b->drawn = true;
}

bool bar_step(void *user, double t, double duration) {
  // works for hn_run directly
  progress_bar *b = user;
  if (b->shown) {
    char text[64];
    snprintf(text, sizeof text, "t = %.4g of %.4g s", t, duration);
    bar_draw(b, duration > 0 ? t / duration : 1, text);
  }
  return !stop_wanted();
}

void bar_end(progress_bar *b) {
  if (b->drawn) fputs("\r\033[K", stderr), fflush(stderr);
  b->shown = b->drawn = false;
}

// ---- work that does not tell ---------------------------------------------------------------

static struct {
  // one at a time: commands wait for one thing after the other
  bool running, drawn, over;
  char name[40];
  double began;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t ended;
} waiting = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

static void *draw_waiting(void *user) {
  (void)user;
  pthread_mutex_lock(&waiting.lock);
  while (!waiting.over) {
    struct timespec until;
    // waits of conditions go by this clock
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 250000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&waiting.ended, &waiting.lock, &until);
    double spent = now() - waiting.began;
    // what takes less than a second needs no line
    if (waiting.over || spent < 1) continue;
    char line[80];
    snprintf(line, sizeof line, "%s: %.0f s", waiting.name, spent);
    draw_line(line);
    waiting.drawn = true;
  }
  pthread_mutex_unlock(&waiting.lock);
  return NULL;
}

void wait_begin(const char *name, bool quiet) {
  // a file does not want to be waited for
  if (quiet || !is_terminal(stderr)) return;
  const char *slash = strrchr(name, '/');
  snprintf(waiting.name, sizeof waiting.name, "%.30s", slash ? slash + 1 : name);
  waiting.over = waiting.drawn = false;
  waiting.began = now();
  // without a thread nothing is drawn: the work goes on
  waiting.running = pthread_create(&waiting.thread, NULL, draw_waiting, NULL) == 0;
}

void wait_end(void) {
  if (!waiting.running) return;
  pthread_mutex_lock(&waiting.lock);
  waiting.over = true;
  pthread_cond_signal(&waiting.ended);
  // joined before anybody prints: lines must not mix
  pthread_mutex_unlock(&waiting.lock);
  pthread_join(waiting.thread, NULL);
  waiting.running = false;
  if (waiting.drawn) fputs("\r\033[K", stderr), fflush(stderr);
}

// ---- help screens --------------------------------------------------------------------------

// where the second column of "  -o, --out FILE  write there" begins; 0: there is none
static int second_column(const char *line, int length) {
  int at = 2;
  while (at < length && line[at] != ' ') at++;
  // two blanks part the columns
  while (at + 1 < length && !(line[at] == ' ' && line[at + 1] == ' ')) at++;
  if (at + 1 >= length) return 0;
  while (at < length && line[at] == ' ') at++;
  return at;
}

static int indent_of(const char *line, int length) {
  int n = 0;
  while (n < length && line[n] == ' ') n++;
  return n;
}

// does a line go on with the text of the one before?
static bool goes_on(const char *line, int length, int indent, int before) {
  // examples stand alone; so do lines that begin a column
  if (length == 0 || before < 0 || strncmp(line + indent, "holon ", 6) == 0) return false;
  return indent == 0 ? before == 0 && strncmp(line, "usage:", 6) != 0 : indent > 2 && before >= 2;
}

// words of a line, broken at the margin; `fresh`: nothing stands before them. The column reached
// the margin is that of a usual terminal, whatever is attached
static int put_words(FILE *out, const char *s, const char *end, int column, int hang, bool fresh) {
  while (s < end) {
    const char *word = s;
    while (s < end && *s != ' ') s++;
    int n = (int)(s - word);
    if (!fresh && column + 1 + n > SCREEN) {
      fprintf(out, "\n%*s", hang, "");
      column = hang;
    } else if (!fresh) {
      fputc(' ', out);
      column++;
    }
    fwrite(word, 1, (size_t)n, out);
    column += n;
    fresh = false;
    while (s < end && *s == ' ') s++;
  }
  return column;
}

// texts in the sources are broken for the compiler: they are joined and broken anew
void print_usage(FILE *out, const char *text) {
  int before = -1, column = 0, hang = 0;
  bool open = false;
  while (*text) {
    int length = (int)strcspn(text, "\n"), indent = indent_of(text, length);
    const char *end = text + length;
    if (goes_on(text, length, indent, before)) {
      column = put_words(out, text + indent, end, column, hang, false);
    } else {
      // a paragraph ends where an empty line or another kind of line begins
      if (open) fputc('\n', out);
      if (length == 0) fputc('\n', out);
      bool usage = strncmp(text, "usage:", 6) == 0;
      int second = indent == 2 ? second_column(text, length) : 0, prefix = second ? second : indent;
      bool example = strncmp(text + indent, "holon ", 6) == 0;
      // usage lines hang under their words, examples a little to the right
      hang = second ? second : usage ? 7 : example ? indent + 4 : indent;
      // what stands before the second column is left as it is
      fwrite(text, 1, (size_t)prefix, out);
      column = put_words(out, text + prefix, end, prefix, hang, true);
      before = length == 0 || usage ? -1 : indent;
      open = length > 0;
    }
    text = end + (*end == '\n');
  }
  if (open) fputc('\n', out);
}
