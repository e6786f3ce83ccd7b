// adams_formula.c: expressions of an ADAMS dataset as formulas of a model file.
//
// Blanks mean nothing. What is the same is written again, operator by operator and in parentheses;
// STEP is the cubic that it is, and degrees become radians.
//
// A parser by recursive descent over the text without blanks; every function returns the text of
// what it read, in the pool, and "" after a failure, which `failed` tells. Everything is put in
// parentheses, so that the priorities of the two languages need not agree.
#include "base/elementary.h"
#include "robots/adams.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  DEPTH = 60,     // of parentheses and operators one inside of the other
  LENGTH = 4000,  // of the formula: every STEP has its argument twice
  ARGUMENTS = 8
};

typedef struct parser {
  hn_robot *robot;
  hn_xml *node;
  const char *argument;
  const hn_adams_scope *scope;
  const char *at;
  int depth;
  bool failed;  // and said so
} parser;

// A sign may stand in front of the whole; each nested one costs two levels of depth.
static const char *expression(parser *p);

// what has no meaning here; "" in its place
static const char *refuse(parser *p, const char *what, const char *name) {
  if (!p->failed) hn_robot_wrong(p->robot, p->node, "%s: %s '%.40s'", p->argument, what, name);
  p->failed = true;
  return "";
}

// The length is limited, because STEP writes its argument twice and nests.
__attribute__((format(printf, 2, 3))) static const char *print(parser *p, const char *format, ...) {
  va_list args, again;
  if (p->failed) return "";
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text =
      length < 0 || length > LENGTH ? NULL : hn_pool_take(&p->robot->pool, (size_t)length + 1);
  if (text) vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return text ? text : refuse(p, "too long an expression:", p->at);
}

// ---- numbers and names ---------------------------------------------------------------------

// Fortran's 1.5E-3; a D behind it means degrees, and not an exponent as in Fortran.
static const char *number(parser *p) {
  const char *s = p->at;
  char copy[64];
  double x = 0;
  while (isdigit((unsigned char)*s) || *s == '.') s++;
  if (*s == 'E' && (isdigit((unsigned char)s[1]) ||
                    ((s[1] == '+' || s[1] == '-') && isdigit((unsigned char)s[2]))))
    for (s += 2; isdigit((unsigned char)*s);) s++;
  size_t n = (size_t)(s - p->at);
  if (n >= sizeof copy) return refuse(p, "no number:", p->at);
  memcpy(copy, p->at, n), copy[n] = 0;
  if (hn_robot_parse(p->robot, p->node, p->argument, copy, &x, 1, 1) != 1) {
    p->failed = true;
    return "";
  }
  bool degrees = *s == 'D';
  p->at = s + degrees;
  if (isalnum((unsigned char)*p->at)) return refuse(p, "no number:", copy);
  return hn_robot_number_text(p->robot, degrees ? x * hn_pi / 180 : x);
}

// x x0 h0 x1 h1: h0 before x0, h1 after x1, a cubic between them
// z = clamp((x - x0)/(x1 - x0)), h0 + (h1 - h0) z^2 (3 - 2 z).
static const char *step(parser *p, const char *const x[]) {
  const char *z = print(p, "clamp((%s - %s)/(%s - %s), 0, 1)", x[0], x[1], x[3], x[1]);
  return print(p, "(%s + (%s - %s)*%s^2*(3 - 2*%s))", x[2], x[4], x[2], z, z);
}

static bool is_marker(const char *text, long id) {
  char *end;
  return *text == '(' && strtol(text + 1, &end, 10) == id && strcmp(end, ")") == 0;
}

// how two markers stand to each other, where those are the ends of the force itself
// A spring of the model file calls them length and rate; other quantities of the motion have no
// name there. VR of both orders is the rate of their distance, AZ and WZ change their sign with the
// order.
static const char *measure(parser *p, const char *name, const char *const x[], int count) {
  const hn_adams_scope *s = p->scope;
  bool own = count >= 2 && is_marker(x[0], s->i) && is_marker(x[1], s->j);
  bool back = count >= 2 && is_marker(x[0], s->j) && is_marker(x[1], s->i);
  const char *unit = hn_robot_number_text(p->robot, 1 / s->length);
  const char *rate = hn_robot_number_text(p->robot, s->time / (s->turns ? 1 : s->length));
  if (!s->turns && count == 2 && (own || back)) {
    if (strcmp(name, "DM") == 0) return print(p, "(length*%s)", unit);
    if (strcmp(name, "VR") == 0) return print(p, "(rate*%s)", rate);
  }
  if (s->turns && own) {
    if (strcmp(name, "AZ") == 0 && count == 2) return "angle";
    if (strcmp(name, "WZ") == 0 && count == 3 && (is_marker(x[2], s->i) || is_marker(x[2], s->j)))
      return print(p, "(rate*%s)", rate);
  }
  return refuse(p, "a quantity of the motion that is not read:", name);
}

// What is not in the list, or has another number of arguments, is refused by name.
static const char *function(parser *p, const char *name) {
  static const char same[] = "SIN COS TAN ASIN ACOS ATAN SINH COSH TANH EXP SQRT ABS LOG LOG10";
  const char *x[ARGUMENTS];
  int count = 0;
  p->at++;
  do {
    if (count == ARGUMENTS) return refuse(p, "too many arguments of", name);
    x[count++] = expression(p);
  } while (!p->failed && *p->at == ',' && p->at++);
  if (p->failed) return "";
  if (*p->at != ')') return refuse(p, "')' expected at", p->at);
  p->at++;
  if (hn_word_in(name, same) && count == 1) {
    char lower[8] = "";
    for (size_t i = 0; name[i]; i++) lower[i] = (char)tolower((unsigned char)name[i]);
    return print(p, "%s(%s)", lower, x[0]);
  }
  if (strcmp(name, "ATAN2") == 0 && count == 2) return print(p, "atan2(%s, %s)", x[0], x[1]);
  if (strcmp(name, "STEP") == 0 && count == 5) return step(p, x);
  if (hn_word_in(name, "DM VR AZ WZ") && p->scope->i >= 0) return measure(p, name, x, count);
  return refuse(p, "a function that is not read:", name);
}

// TIME is counted in the dataset's unit of time.
static const char *name_or_function(parser *p) {
  char name[40];
  size_t n = 0;
  while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_') n++;
  if (n == 0) return refuse(p, "a number or name expected at", p->at);
  if (n >= sizeof name) return refuse(p, "no name:", p->at);
  memcpy(name, p->at, n), name[n] = 0;
  p->at += n;
  if (*p->at == '(') return function(p, name);
  if (strcmp(name, "PI") == 0) return "pi";
  if (strcmp(name, "DTOR") == 0) return "(pi/180)";
  if (strcmp(name, "RTOD") == 0) return "(180/pi)";
  if (strcmp(name, "TIME") != 0) return refuse(p, "a quantity that is not read:", name);
  if (p->scope->time == 1) return "t";
  return print(p, "(t*%s)", hn_robot_number_text(p->robot, 1 / p->scope->time));
}

// ---- operators -----------------------------------------------------------------------------

static const char *primary(parser *p) {
  if (isdigit((unsigned char)*p->at) || *p->at == '.') return number(p);
  if (*p->at != '(') return name_or_function(p);
  p->at++;
  const char *inner = expression(p);
  if (p->failed) return "";
  if (*p->at != ')') return refuse(p, "')' expected at", p->at);
  p->at++;
  return inner;
}

// a**b**c is a**(b**c); a sign stands before the whole power, and may stand before an exponent
static const char *power(parser *p) {
  if (p->failed || ++p->depth > DEPTH) return refuse(p, "nested too deep:", p->at);
  const char *a = primary(p);
  if (!p->failed && p->at[0] == '*' && p->at[1] == '*') {
    p->at += 2;
    bool minus = *p->at == '-';
    if (minus || *p->at == '+') p->at++;
    const char *b = power(p);
    a = print(p, minus ? "(%s^(-%s))" : "(%s^%s)", a, b);
  }
  p->depth--;
  return a;
}

// what was gathered, in memory that stays
static const char *keep(parser *p, hn_text *t) {
  if (t->failed) hn_robot_fail(p->robot, NULL, HN_ERR_MEMORY, "out of memory"), p->failed = true;
  const char *text = p->failed ? "" : print(p, "%s", t->data);
  free(t->data);
  return text;
}

static bool goes_on(const parser *p, const hn_text *t) {
  return !p->failed && !t->failed && t->length <= LENGTH;
}

static const char *term(parser *p) {
  hn_text t = {0};
  hn_text_add(&t, "%s", power(p));
  while (goes_on(p, &t) && (*p->at == '/' || (*p->at == '*' && p->at[1] != '*'))) {
    char sign = *p->at++;
    hn_text_add(&t, "%c%s", sign, power(p));
  }
  return keep(p, &t);
}

static const char *expression(parser *p) {
  hn_text t = {0};
  if (p->failed || ++p->depth > DEPTH) return refuse(p, "nested too deep:", p->at);
  bool minus = *p->at == '-';
  if (minus || *p->at == '+') p->at++;
  hn_text_add(&t, minus ? "(-%s" : "(%s", term(p));
  while (goes_on(p, &t) && (*p->at == '+' || *p->at == '-')) {
    char sign = *p->at++;
    hn_text_add(&t, " %c %s", sign, term(p));
  }
  hn_text_add(&t, ")");
  p->depth--;
  return keep(p, &t);
}

// The text with blanks taken out must be used up to its end.
const char *hn_adams_formula(hn_robot *robot, hn_xml *node, const char *argument,
                             const hn_adams_scope *scope) {
  const char *text = hn_xml_get(node, argument);
  if (!text || robot->status) return NULL;
  char *dense = hn_pool_text(&robot->pool, text, strlen(text)), *end = dense;
  if (!dense) {
    hn_robot_fail(robot, NULL, HN_ERR_MEMORY, "out of memory");
    return NULL;
  }
  for (const char *s = text; *s; s++)
    if (*s != ' ') *end++ = *s;
  *end = 0;
  parser p = {.robot = robot, .node = node, .argument = argument, .scope = scope, .at = dense};
  const char *formula = expression(&p);
  if (!p.failed && *p.at) refuse(&p, "an operator expected at", p.at);
  return p.failed || robot->status ? NULL : formula;
}
