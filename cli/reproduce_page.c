// reproduce_page.c: a report written as report.md and as report.html, a page for any browser.
//
// Both have the same order in every section: what was computed, the claims, the figures, remarks.
// The page lies beside its pictures and needs nothing else.
#include "reproduce_report.h"

// a section: from a heading to the next
typedef struct span {
  const item *item;
  int count;
} span;

// text with markup made harmless; `names` in backquotes are set as code
static void put_html(FILE *out, const char *text) {
  bool code = false;
  // what HTML would take for its own
  for (; *text; text++) switch (*text) {
    case '&': fputs("&amp;", out); break;
    case '<': fputs("&lt;", out); break;
    case '>': fputs("&gt;", out); break;
    case '"': fputs("&quot;", out); break;
    case '`': fputs(code ? "</code>" : "<code>", out), code = !code; break;
    default: fputc(*text, out);
    }
  // a backquote too few must not set the rest as code
  if (code) fputs("</code>", out);
}

// the bar would end the cell
// a bar in a cell of a table of Markdown
static void put_cell(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '|') fputc('\\', out);
    fputc(*text, out);
  }
}

// ---- parts of a section --------------------------------------------------------------------

static int first_claim(span s) {
  int i = 0;
  while (i < s.count && s.item[i].kind != ITEM_CLAIM) i++;
  return i;
}

static void put_texts(FILE *out, span s, int from, int to, bool html) {
  for (int i = from; i < to; i++) {
    if (s.item[i].kind != ITEM_TEXT) continue;
    if (html) {
      fputs("<p>", out), put_html(out, s.item[i].text), fputs("</p>\n", out);
    } else {
      fprintf(out, "\n%s\n", s.item[i].text);
    }
  }
}

static void put_claims_md(FILE *out, span s) {
  bool any = false;
  for (int i = 0; i < s.count; i++) {
    const item *c = &s.item[i];
    if (c->kind != ITEM_CLAIM) continue;
    // a table begins with its first claim
    if (!any) fputs("\n| quantity | published | holon | verdict |\n|---|---|---|---|\n", out);
    any = true;
    const char *const cells[] = {c->text, c->published, c->found};
    for (int k = 0; k < 3; k++) fputs("| ", out), put_cell(out, cells[k]), fputc(' ', out);
    fprintf(out, "| %s", verdict_words[c->verdict]);
    if (c->reason) fputs(": ", out), put_cell(out, c->reason);
    fputs(" |\n", out);
  }
}

static void put_claims_html(FILE *out, span s) {
  // in the order of verdict
  static const char *const kinds[] = {"agrees", "differs", "fails", "none"};
  bool any = false;
  for (int i = 0; i < s.count; i++) {
    const item *c = &s.item[i];
    if (c->kind != ITEM_CLAIM) continue;
    if (!any)
      fputs("<div class=\"wide\"><table>\n<tr><th>quantity</th><th>published</th><th>holon</th>"
            "<th>verdict</th></tr>\n",
            out);
    any = true;
    fprintf(out, "<tr class=\"%s\"><td>", kinds[c->verdict]);
    put_html(out, c->text), fputs("</td><td>", out);
    put_html(out, c->published), fputs("</td><td>", out);
    put_html(out, c->found), fputs("</td><td>", out);
    if (c->verdict != NO_CLAIM) fprintf(out, "<b>%s</b>", verdict_words[c->verdict]);
    if (c->reason) fputs("<small>", out), put_html(out, c->reason), fputs("</small>", out);
    fputs("</td></tr>\n", out);
  }
  if (any) fputs("</table></div>\n", out);
}

static void put_figures(FILE *out, span s, bool html) {
  bool any = false;
  for (int i = 0; i < s.count; i++) {
    const item *f = &s.item[i];
    if (f->kind != ITEM_FIGURE) continue;
    if (!html) {
      fprintf(out, "\n![%s](%s)\n\n%s\n", f->title, f->file, f->text);
      continue;
    }
    if (!any) fputs("<div class=\"figures\">\n", out);
    any = true;
    fprintf(out, "<figure><a href=\"%s\"><img src=\"%s\" alt=\"", f->file, f->file);
    put_html(out, f->title), fputs("\"></a><figcaption>", out);
    put_html(out, f->text), fputs("</figcaption></figure>\n", out);
  }
  if (any) fputs("</div>\n", out);
}

// what was computed is told before the claims, remarks after the figures
static void put_section(FILE *out, span s, bool html) {
  int claim = first_claim(s);
  put_texts(out, s, 0, claim, html);
  if (html)
    put_claims_html(out, s);
  else
    put_claims_md(out, s);
  put_figures(out, s, html);
  put_texts(out, s, claim, s.count, html);
}

// ---- the pages -----------------------------------------------------------------------------

static void put_body(FILE *out, span all, bool html) {
  int at = 0;
  while (at < all.count) {
    // the first section may have no heading
    int end = at + 1;
    while (end < all.count && all.item[end].kind != ITEM_HEADING) end++;
    if (all.item[at].kind == ITEM_HEADING) {
      if (html)
        fputs("<h2>", out), put_html(out, all.item[at].text), fputs("</h2>\n", out);
      else
        fprintf(out, "\n## %s\n", all.item[at].text);
    }
    put_section(out, (span){all.item + at, end - at}, html);
    at = end;
  }
}

static const char page_style[] =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:1200px;margin:0 auto;padding:1.5em;"
    "color:#222;background:#fff}\n"
    "h1{margin-bottom:0}h2{margin-top:2em;border-bottom:1px solid #ccc}\n"
    "code{background:#f2f2f2;padding:0 .25em}\n"
    ".wide{overflow-x:auto}\n"
    "table{border-collapse:collapse;width:100%;font-size:14px}\n"
    "th,td{text-align:left;vertical-align:top;padding:.3em .8em .3em 0;border-bottom:1px solid "
    "#ddd}\n"
    "td b{padding:.05em .5em;border-radius:.6em;font-weight:600;white-space:nowrap}\n"
    "td small{display:block;color:#555;max-width:34em;margin-top:.2em}\n"
    ".agrees b{background:#d8f0dc;color:#14532d}.differs b{background:#fdeec7;color:#713f12}\n"
    ".fails b{background:#fbd5d5;color:#7f1d1d}.none td{color:#666}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(420px,1fr));gap:1.2em;"
    "margin:1.2em 0}\n"
    "figure{margin:0;max-width:760px}figure img{width:100%;border:1px solid "
    "#e2e2e2;background:#fff}\n"
    "figcaption{font-size:14px;color:#444}\n"
    "@media(max-width:500px){.figures{grid-template-columns:1fr}}\n";

static void put_page(FILE *out, const paper *p, span all, const char *summary) {
  fprintf(out,
          "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s reproduced</title>\n"
          "<style>\n%s</style>\n<h1>%s</h1>\n<p>",
          p->name, page_style, p->name);
  put_html(out, p->title);
  fprintf(out,
          "</p>\n<p><b>%s.</b> A claim <i>agrees</i> by a rule that can fail, <i>differs</i> where "
          "what our reason says instead was found, or <i>FAILS</i>. Made by "
          "<code>holon reproduce %s</code>, holon %s.</p>\n",
          summary, p->name, hn_version());
  put_body(out, all, true);
  fputs("</html>\n", out);
}

bool write_pages(const paper *p, const char *folder, int count, const item *items,
                 const char *summary) {
  // both from one list: they cannot differ
  static const char *const names[2] = {"report.md", "report.html"};
  span all = {items, count};
  for (int i = 0; i < 2; i++) {
    char path[PATH_SIZE];
    output o;
    // each is written whole or not at all
    if (!join_path(path, folder, names[i]) || !output_open(&o, path)) return false;
    if (i == 0) {
      fprintf(o.stream, "# %s\n\n%s\n", p->name, p->title);
      put_body(o.stream, all, false);
      fprintf(o.stream, "\n%s.\n", summary);
    } else {
      put_page(o.stream, p, all, summary);
    }
    if (!output_close(&o)) return false;
  }
  return true;
}
