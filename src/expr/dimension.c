// dimension.c: dimensions of formulas, by the same grammar as expr.c.
#include "expr/dimension.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "expr/internal.h"

// The text is read as it stands, without a graph: folding has lost the units there. hn_graph_parse
// has accepted it before, so whatever is not understood here is no error, only unknown.
typedef struct scan {
  const char *text;
  size_t length, at;       // characters, and the next one
  hn_name_dimension name;  // what names stand for; NULL: units alone are known
  void *user;
  char *message;  // where the first sentence goes; both may be NULL
  int *column;
  bool failed;  // a sentence has been written, or a unit is not known
  bool blanks;  // a blank between two units is a product, as tables write it
} scan;

// whatever takes part in it is not judged
static const hn_dimension wild = {0};

// ---- arithmetic ------------------------------------------------------------------------------

// of a b^power: products with 1, quotients with -1
static hn_dimension product(hn_dimension a, hn_dimension b, double power) {
  if (!a.known || !b.known) return wild;
  return (hn_dimension){true,
                        a.kg + power * b.kg,
                        a.m + power * b.m,
                        a.s + power * b.s,
                        a.K + power * b.K,
                        a.A + power * b.A};
}

static hn_dimension raised(hn_dimension a, double power) {
  if (!a.known) return wild;
  return (hn_dimension){true, power * a.kg, power * a.m, power * a.s, power * a.K, power * a.A};
}

// powers may be fractions (sqrt), so equal up to rounding
static bool same(hn_dimension a, hn_dimension b) {
  return fabs(a.kg - b.kg) + fabs(a.m - b.m) + fabs(a.s - b.s) + fabs(a.K - b.K) + fabs(a.A - b.A) <
         1e-9;
}

// one factor of "kg m^2 s^-3", with a blank before it unless it is the first
static void add_power(char *text, size_t size, const char *unit, double power) {
  size_t used = strlen(text);
  if (power == 0) return;
  if (power == 1)
    snprintf(text + used, size - used, "%s%s", used ? " " : "", unit);
  else
    snprintf(text + used, size - used, "%s%s^%g", used ? " " : "", unit, power);
}

// a word where there is one, as users think of stiffness, not of kg/s^2; otherwise powers of the
// units
typedef struct quantity {
  const char *words, *unit;
  hn_dimension is;
} quantity;

// those with a name; NULL: it has none
static const quantity *named(hn_dimension d) {
  // clang-format off
  static const quantity known[] = {
      {"an angle or a plain number", "", {.m = 0}},
      {"a length", "m", {.m = 1}},
      {"a mass", "kg", {.kg = 1}},
      {"a time", "s", {.s = 1}},
      {"an area", "m^2", {.m = 2}},
      {"a volume", "m^3", {.m = 3}},
      {"a velocity", "m/s", {.m = 1, .s = -1}},
      {"an acceleration", "m/s^2", {.m = 1, .s = -2}},
      {"a frequency or angular velocity", "1/s", {.s = -1}},
      {"a force", "N", {.kg = 1, .m = 1, .s = -2}},
      {"a torque or energy", "N m", {.kg = 1, .m = 2, .s = -2}},
      {"a power", "W", {.kg = 1, .m = 2, .s = -3}},
      {"a pressure", "Pa", {.kg = 1, .m = -1, .s = -2}},
      {"a stiffness", "N/m", {.kg = 1, .s = -2}},
      {"a damping", "N s/m", {.kg = 1, .s = -1}},
      {"a density", "kg/m^3", {.kg = 1, .m = -3}},
      {"a moment of inertia", "kg m^2", {.kg = 1, .m = 2}},
      {"a difference of temperatures", "degC", {.K = 1}},
      {"a current", "A", {.A = 1}},
      {"a charge", "A s", {.s = 1, .A = 1}},
      {"a voltage", "V", {.kg = 1, .m = 2, .s = -3, .A = -1}},
      {"a resistance", "ohm", {.kg = 1, .m = 2, .s = -3, .A = -2}},
      {"an inductance", "H", {.kg = 1, .m = 2, .s = -2, .A = -2}},
  };
  // clang-format on
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (same(d, known[i].is)) return &known[i];
  return NULL;
}

static void powers(hn_dimension d, char *text, size_t size) {
  text[0] = 0;
  add_power(text, size, "kg", d.kg);
  add_power(text, size, "m", d.m);
  add_power(text, size, "s", d.s);
  add_power(text, size, "A", d.A);
  add_power(text, size, "degC", d.K);
}

// Units are listed with a word (units.c); powers of kg, m and s are those of SI. Torque and energy
// share theirs.
void hn_dimension_words(hn_dimension d, char *text, size_t size) {
  const quantity *q = named(d);
  if (q)
    snprintf(text, size, "%s", q->words);
  else
    powers(d, text, size);
}

void hn_dimension_unit(hn_dimension d, char *text, size_t size) {
  const quantity *q = named(d);
  if (q)
    snprintf(text, size, "%s", q->unit);
  else
    powers(d, text, size);
}

static hn_dimension of_unit(const hn_unit *unit) {
  // clang-format off
  static const struct {
    const char *word;
    hn_dimension is;
  } known[] = {
      {"angle", {true, .m = 0}},
      {"length", {true, .m = 1}},
      {"volume", {true, .m = 3}},
      {"mass", {true, .kg = 1}},
      {"time", {true, .s = 1}},
      {"force", {true, .kg = 1, .m = 1, .s = -2}},
      {"torque", {true, .kg = 1, .m = 2, .s = -2}},
      {"energy", {true, .kg = 1, .m = 2, .s = -2}},
      {"power", {true, .kg = 1, .m = 2, .s = -3}},
      {"pressure", {true, .kg = 1, .m = -1, .s = -2}},
      {"angular velocity", {true, .s = -1}},
      {"frequency", {true, .s = -1}},
      {"temperature", {true, .K = 1}},
      {"current", {true, .A = 1}},
      {"charge", {true, .s = 1, .A = 1}},
      {"voltage", {true, .kg = 1, .m = 2, .s = -3, .A = -1}},
      {"resistance", {true, .kg = 1, .m = 2, .s = -3, .A = -2}},
      {"inductance", {true, .kg = 1, .m = 2, .s = -2, .A = -2}},
  };
  // clang-format on
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(unit->dimension, known[i].word) == 0) return known[i].is;
  return wild;
}

// ---- the grammar -----------------------------------------------------------------------------

static hn_dimension binary(scan *s, int weakest);

// the character at an offset, blank beyond the end, as in expr.c
static char look(const scan *s, size_t offset) {
  return s->at + offset < s->length ? s->text[s->at + offset] : ' ';
}

static void skip_blanks(scan *s) {
  while (s->at < s->length && isspace((unsigned char)s->text[s->at])) s->at++;
}

// skips blanks, then the token if it is next
static bool take(scan *s, const char *token) {
  size_t n = strlen(token);
  skip_blanks(s);
  if (s->length - s->at < n || memcmp(s->text + s->at, token, n) != 0) return false;
  s->at += n;
  return true;
}

static bool is_letter(char c) {
  return isalpha((unsigned char)c) || c == '_';
}

// names have parts joined by dots; a dot at the end is none
static size_t word_length(const scan *s) {
  size_t n = 0;
  while (
      is_letter(look(s, n)) || isdigit((unsigned char)look(s, n)) ||
      (look(s, n) == '.' && (is_letter(look(s, n + 1)) || isdigit((unsigned char)look(s, n + 1)))))
    n++;
  return n;
}

// The first mismatch is told, with the place of the operator. b unknown: what alone is wrong is a.
static void fail(scan *s, size_t at, const char *what, hn_dimension a, hn_dimension b) {
  char left[60], right[60];
  if (s->failed) return;
  s->failed = true;
  hn_dimension_words(a, left, sizeof left);
  hn_dimension_words(b, right, sizeof right);
  if (s->message && b.known) snprintf(s->message, 160, "%s: %s and %s", what, left, right);
  if (s->message && !b.known) snprintf(s->message, 160, "%s, not %s", what, left);
  if (s->column) *s->column = (int)at + 1;
}

// two values that must be of one kind
static hn_dimension together(scan *s, size_t at, hn_dimension a, hn_dimension b) {
  if (a.known && b.known && !same(a, b))
    // a number without unit may be anything: "3 mm + 1" is a length
    fail(s, at, "quantities of different kinds are put together", a, b);
  return a.known ? a : b;
}

// a power that is a plain number; NAN: it is a formula
static double power_of(scan *s) {
  skip_blanks(s);
  size_t start = s->at;
  char number[40], *end;
  size_t n = look(s, 0) == '-' || look(s, 0) == '+';  // a sign behind it is an operator
  while (n < sizeof number - 1 && strchr(".0123456789", look(s, n)) && look(s, n)) n++;
  snprintf(number, sizeof number, "%.*s", (int)n, s->text + s->at);
  double value = hn_plain_number(number, &end);
  // a letter behind: not a plain number
  if (n && !*end && !is_letter(look(s, n))) {
    s->at += n;
    return value;
  }
  s->at = start;
  return NAN;
}

static hn_dimension unary(scan *s);

static hn_dimension powered(scan *s, hn_dimension base) {
  if (!take(s, "^") && !take(s, "**")) return base;
  double power = power_of(s);
  if (isfinite(power)) return raised(base, power);
  unary(s);
  // a power that is a formula: the dimension would depend on its value, and is not known
  return wild;
}

static hn_dimension function(scan *s, const char *name, size_t length) {
  size_t at = s->at;
  // five, as smoothstep has; more are read over
  hn_dimension arg[5] = {wild, wild, wild, wild, wild};
  char word[16];
  int count = 0;
  snprintf(word, sizeof word, "%.*s", (int)length, name);
  s->at++;  // "("
  do {
    hn_dimension d = binary(s, 0);
    if (count < 5) arg[count++] = d;
  } while (take(s, ","));
  take(s, ")");
  // functions of a number; no other function's name is a part of one of these
  bool numbers = strstr(" sin cos tan asin acos atan sinh cosh tanh exp log log10 ", word) != NULL;
  if (numbers && arg[0].known && !same(arg[0], (hn_dimension){.known = true})) {
    char what[60];
    snprintf(what, sizeof what, "%s takes an angle or a plain number", word);
    fail(s, at, what, arg[0], wild);
  }
  // functions that keep or change a dimension; what smoothstep, clamp, mod and others give is not
  // known
  if (strcmp(word, "sqrt") == 0) return raised(arg[0], 0.5);
  if (strcmp(word, "abs") == 0) return arg[0];
  if (strcmp(word, "if") == 0) return together(s, at, arg[1], arg[2]);
  if (strcmp(word, "min") == 0 || strcmp(word, "max") == 0 || strcmp(word, "hypot") == 0)
    return together(s, at, arg[0], arg[1]);
  if (strcmp(word, "atan2") == 0) together(s, at, arg[0], arg[1]);
  return wild;
}

static hn_dimension word(scan *s) {
  size_t n = word_length(s);
  // the caller's names first, as where formulas are computed; then bare units, as behind "5 km /"
  const char *name = s->text + s->at;
  hn_dimension d = wild;
  s->at += n;
  // as expr.c reads it: "min (a, b)" is a call, and no minutes
  skip_blanks(s);
  if (look(s, 0) == '(') return function(s, name, n);
  if (s->name && s->name(s->user, name, n, &d)) return d;
  const hn_unit *unit = hn_unit_find(name, n);
  if (unit) return of_unit(unit);
  if (s->blanks) s->failed = true;  // a unit that formulas do not know
  return wild;
}

static hn_dimension primary(scan *s) {
  skip_blanks(s);
  char c = look(s, 0);
  if (take(s, "(")) {
    hn_dimension d = binary(s, 0);
    take(s, ")");
    return d;
  }
  if (is_letter(c)) return word(s);
  if (!isdigit((unsigned char)c) && c != '.') {
    // strtod takes numbers of the grammar and more; hn_graph_parse has refused the rest
    s->at = s->length;  // nothing that could be understood is left
    return wild;
  }
  const char *begin = s->text + s->at;
  char *end;
  double value = hn_plain_number(begin, &end);
  s->at += (size_t)(end - begin);
  skip_blanks(s);
  // a table's "1/s" is a unit, while a formula's "1/s" has a number of any dimension in it
  if (s->blanks && value == 1) return (hn_dimension){.known = true};  // "1/s"
  if (!is_letter(look(s, 0))) return wild;
  const char *suffix = s->text + s->at;
  size_t n = word_length(s);
  const hn_unit *unit = hn_unit_find(suffix, n);
  hn_dimension ignored;
  // a name of the caller that is also a unit: expr.c asks which of them is meant
  if (unit && !unit->gives_way && s->name && s->name(s->user, suffix, n, &ignored)) unit = NULL;
  s->at += n;
  // a power behind a unit is the unit's: "3 mm^2"
  return unit ? powered(s, of_unit(unit)) : wild;
}

static hn_dimension unary(scan *s) {
  if (take(s, "-") || take(s, "+")) return unary(s);
  skip_blanks(s);
  // truth has no dimension
  if (look(s, 0) == '!' && look(s, 1) != '=') {
    s->at++;
    unary(s);
    return wild;
  }
  return powered(s, primary(s));
}

// Precedence climbing: operators that bind more strongly than `weakest` are taken here, each with
// what binds still more strongly at its right.
static hn_dimension binary(scan *s, int weakest) {
  static const struct {
    const char *token;
    int level;
  } operators[] = {{"||", 1}, {"&&", 2}, {"<=", 3}, {">=", 3}, {"==", 3}, {"!=", 3},
                   {"<", 3},  {">", 3},  {"+", 4},  {"-", 4},  {"*", 5},  {"/", 5}};
  hn_dimension left = unary(s);
  for (;;) {
    // a blank as product binds most of all: "N m/rad" is (N m)/rad, "kg m^2/s" alike
    size_t k = 0, count = sizeof operators / sizeof *operators;
    skip_blanks(s);
    size_t at = s->at;
    while (k < count && !take(s, operators[k].token)) k++;
    bool blank = k == count && s->blanks && is_letter(look(s, 0));
    if (k == count && !blank) return left;
    int level = blank ? 6 : operators[k].level;
    if (level <= weakest) {
      s->at = at;
      return left;
    }
    hn_dimension right = binary(s, level);
    // sums and comparisons need two of a kind; what a comparison gives is a truth value
    if (level == 4 || level == 3) left = together(s, at, left, right);
    if (level <= 3) left = wild;
    if (level >= 5) left = product(left, right, !blank && operators[k].token[0] == '/' ? -1 : 1);
    if (s->at >= s->length) return left;
  }
}

// a number as it is, which nearly all values of large models are: neither names nor units
static bool is_plain(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    bool exponent = (text[i] == 'e' || text[i] == 'E') && i > 0 && i + 1 < length &&
                    isdigit((unsigned char)text[i - 1]) && strchr("+-0123456789", text[i + 1]);
    if (!exponent && !isdigit((unsigned char)text[i]) && !strchr("+-.", text[i])) return false;
  }
  return true;
}

bool hn_formula_dimension(const char *text, size_t length, hn_name_dimension name, void *user,
                          hn_dimension *dimension, char message[160], int *column) {
  scan s = {.text = text,
            .length = length,
            .name = name,
            .user = user,
            .message = message,
            .column = column};
  *dimension = is_plain(text, length) ? wild : binary(&s, 0);
  return !s.failed;
}

bool hn_unit_allows(const char *unit, hn_dimension d) {
  // alternatives are joined by commas or "or": one that fits is enough
  if (!d.known || !unit || strstr(unit, "...")) return true;
  if (!*unit) return same(d, (hn_dimension){.known = true});
  for (const char *s = unit; *s;) {
    const char *comma = strchr(s, ','), * or = strstr(s, " or ");
    const char *end = comma && (! or || comma < or) ? comma : or ;
    size_t n = end ? (size_t)(end - s) : strlen(s);
    scan one = {.text = s, .length = n, .blanks = true};
    hn_dimension allowed = binary(&one, 0);
    if (one.failed || !allowed.known || same(allowed, d)) return true;
    if (!end) return false;
    s = end + (end == or ? 4 : 1);  // behind " or ", or behind the comma
    while (*s == ' ') s++;
  }
  return false;
}
