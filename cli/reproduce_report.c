// reproduce_report.c: what a reproduction found, on the screen and as DIR/report.md.
#include "reproduce_report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1024, COLUMNS = 4 };

typedef enum verdict { AGREES, DIFFERS, FAILS, NO_CLAIM } verdict;
static const char *const words[] = {"agrees", "differs", "FAILS", ""};

typedef struct claim {
  char quantity[120], published[120], ours[120];
  verdict verdict;
  int note;  // number of its reason; 0: none
} claim;

struct report {
  const char *folder;    // NULL: on the screen only
  char path[PATH_SIZE];  // of report.md
  output output;
  FILE *file;    // its stream
  bool broken;   // something could not be written or remembered
  int count[4];  // of every verdict
  int claims, capacity;
  claim *claim;
  int notes;
  const char *note[16];  // reasons given in this table
};

report *report_open(const paper *p, const char *folder) {
  report *r = calloc(1, sizeof *r);
  if (!r) {
    fputs("holon: out of memory\n", stderr);
    return NULL;
  }
  r->folder = folder;
  if (folder && join_path(r->path, folder, "report.md") && output_open(&r->output, r->path))
    r->file = r->output.stream;
  if (folder && !r->file) {
    free(r);
    return NULL;
  }
  int indent = printf("%s: ", p->name);
  print_wrapped(stdout, indent, p->title);
  if (r->file) fprintf(r->file, "# %s\n\n%s\n", p->name, p->title);
  return r;
}

// ---- text ----------------------------------------------------------------------------------

void report_heading(report *r, const char *text) {
  printf("\n%s\n", text);
  for (size_t i = strlen(text); i > 0; i--) putchar('-');
  putchar('\n');
  if (r->file) fprintf(r->file, "\n## %s\n", text);
}

void report_text(report *r, const char *format, ...) {
  char text[2 * TEXT];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  putchar('\n');
  print_wrapped(stdout, 0, text);
  if (r->file) fprintf(r->file, "\n%s\n", text);
}

int report_failure(report *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fflush(stdout);
  fputs("holon: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  r->count[FAILS]++;
  return CODE_FAILED;
}

// ---- tables --------------------------------------------------------------------------------

static claim *new_claim(report *r, const char *quantity) {
  if (r->claims == r->capacity) {
    int capacity = 2 * r->capacity + 16;
    claim *grown = realloc(r->claim, (size_t)capacity * sizeof *grown);
    if (!grown) {
      r->broken = true;
      return NULL;
    }
    r->claim = grown;
    r->capacity = capacity;
  }
  claim *c = &r->claim[r->claims++];
  memset(c, 0, sizeof *c);
  snprintf(c->quantity, sizeof c->quantity, "%s", quantity);
  return c;
}

// the same reason gets the same number
static int note_number(report *r, const char *reason) {
  int i = 0;
  while (i < r->notes && strcmp(r->note[i], reason) != 0) i++;
  if (i == (int)(sizeof r->note / sizeof *r->note)) return 0;
  if (i == r->notes) r->note[r->notes++] = reason;
  return i + 1;
}

void report_claim(report *r, const char *quantity, const char *published, bool same,
                  const char *reason, const char *format, ...) {
  claim *c = new_claim(r, quantity);
  if (!c) return;
  va_list args;
  va_start(args, format);
  vsnprintf(c->ours, sizeof c->ours, format, args);
  va_end(args);
  snprintf(c->published, sizeof c->published, "%s", published);
  c->verdict = same ? AGREES : reason ? DIFFERS : FAILS;
  if (c->verdict == DIFFERS) c->note = note_number(r, reason);
  r->count[c->verdict]++;
}

void report_value(report *r, const char *quantity, const char *format, ...) {
  claim *c = new_claim(r, quantity);
  if (!c) return;
  va_list args;
  va_start(args, format);
  vsnprintf(c->ours, sizeof c->ours, format, args);
  va_end(args);
  c->verdict = NO_CLAIM;
}

static void print_claims(const report *r) {
  const char **cells = calloc((size_t)(r->claims + 1) * COLUMNS, sizeof *cells);
  char(*last)[CELL] = calloc((size_t)r->claims + 1, sizeof *last);
  static const char *const heading[COLUMNS] = {"quantity", "published", "holon", "verdict"};
  if (cells && last) {
    memcpy(cells, heading, sizeof heading);
    for (int i = 0; i < r->claims; i++) {
      const claim *c = &r->claim[i];
      const char **row = cells + (size_t)(i + 1) * COLUMNS;
      if (c->note)
        snprintf(last[i], CELL, "%s (%d)", words[c->verdict], c->note);
      else
        snprintf(last[i], CELL, "%s", words[c->verdict]);
      row[0] = c->quantity, row[1] = c->published, row[2] = c->ours, row[3] = last[i];
    }
    putchar('\n');
    print_table(stdout, "llll", r->claims + 1, cells);
  }
  free(cells);
  free(last);
}

static void write_claims(const report *r) {
  fputs("\n| quantity | published | holon | verdict |\n|---|---|---|---|\n", r->file);
  for (int i = 0; i < r->claims; i++) {
    const claim *c = &r->claim[i];
    fprintf(r->file, "| %s | %s | %s | %s", c->quantity, c->published, c->ours, words[c->verdict]);
    if (c->note) fprintf(r->file, " (%d)", c->note);
    fputs(" |\n", r->file);
  }
  if (r->notes) fputc('\n', r->file);
  for (int i = 0; i < r->notes; i++) fprintf(r->file, "%d. %s\n", i + 1, r->note[i]);
}

void report_table(report *r) {
  print_claims(r);
  if (r->file) write_claims(r);
  for (int i = 0; i < r->notes; i++) {
    int indent = printf("%s  (%d) ", i ? "" : "\n", i + 1) - (i ? 0 : 1);
    print_wrapped(stdout, indent, r->note[i]);
  }
  r->claims = r->notes = 0;
}

// ---- pictures ------------------------------------------------------------------------------

static void show_picture(report *r, bool drawn, const char *file, const char *title) {
  if (drawn)
    fprintf(r->file, "\n![%s](%s)\n", title, file);
  else
    r->broken = true;
}

void report_chart(report *r, const char *file, const chart *c) {
  char path[PATH_SIZE];
  if (!r->file || c->count == 0) return;
  show_picture(r, join_path(path, r->folder, file) && draw_chart(c, path), file, c->title);
}

void report_bars(report *r, const char *file, const char *title, int count,
                 const char *const *names, const double *values) {
  char path[PATH_SIZE];
  if (!r->file) return;
  show_picture(r, join_path(path, r->folder, file) && draw_bars(title, count, names, values, path),
               file, title);
}

// ---- the end -------------------------------------------------------------------------------

int report_close(report *r, int code) {
  char text[200];
  snprintf(text, sizeof text, "%d claim%s agree%s, %d differ%s for the reasons given, %d fail%s",
           r->count[AGREES], plural(r->count[AGREES]), r->count[AGREES] == 1 ? "s" : "",
           r->count[DIFFERS], r->count[DIFFERS] == 1 ? "s" : "", r->count[FAILS],
           r->count[FAILS] == 1 ? "s" : "");
  printf("\n%s\n", text);
  if (r->file) {
    fprintf(r->file, "\n%s.\n", text);
    if (!output_close(&r->output)) r->broken = true;
  }
  if (r->broken) fputs("holon: the report is not complete\n", stderr);
  if (code == CODE_DONE && (r->broken || r->count[FAILS])) code = CODE_FAILED;
  free(r->claim);
  free(r);
  return code;
}
