// metric_unit.c: the unit of a metric, read from its formula.
//
// Columns have units, and some operations keep them: sums and differences of like quantities, abs,
// min, max, hypot, and the reducers that give a value of what they reduce. Through those the unit
// of a column reaches the metric: max(abs(hinge.angle)) is in rad, max(hypot(A.fx, A.fy)) in N.
// Times (when, crossing) are in s. Everything else, products above all, has no unit here:
// dimensions (expr/dimension.h) would tell a length from a force, but not radians from plain
// numbers, and a metric may turn one into the other. Nothing is guessed: "" where operands differ
// or are numbers.
#include "study/metric.h"

#include <ctype.h>
#include <string.h>

typedef struct text {
  const char *begin, *end;
} text;

// what is known of operands so far; NULL: nothing yet
typedef const char *unit;

static text trimmed(text t) {
  while (t.begin < t.end && isspace((unsigned char)*t.begin)) t.begin++;
  while (t.begin < t.end && isspace((unsigned char)t.end[-1])) t.end--;
  return t;
}

static bool is_word(text t, const char *word) {
  size_t length = (size_t)(t.end - t.begin);
  return strlen(word) == length && memcmp(word, t.begin, length) == 0;
}

// the first of `marks` outside of all brackets, from `from` on; t.end: none
static const char *find_outside(text t, const char *from, const char *marks) {
  int depth = 0;
  for (const char *c = from; c < t.end; c++) {
    depth += (*c == '(') - (*c == ')');
    if (depth == 0 && strchr(marks, *c)) return c;
  }
  return t.end;
}

static unit agreed(unit a, unit b) {
  if (!a) return b;
  return strcmp(a, b) == 0 ? a : "";
}

static unit unit_of(const hn_metrics *m, const hn_system *system, text t);

// parts between marks, all of which must have one unit
static unit unit_of_all(const hn_metrics *m, const hn_system *system, text t, const char *marks) {
  unit all = NULL;
  for (const char *from = t.begin; from <= t.end;) {
    const char *to = find_outside(t, from, marks);
    all = agreed(all, unit_of(m, system, (text){from, to}));
    from = to + 1;
  }
  return all;
}

static unit unit_of_name(const hn_metrics *m, const hn_system *system, text t) {
  const char *name;
  for (int i = 0; i < m->metrics; i++)
    if (is_word(t, m->metric[i].name)) return m->metric[i].unit;
  if (is_word(t, "t")) return "s";
  for (int i = 0; (name = hn_column_name(system, i)); i++)
    if (is_word(t, name)) return hn_column_unit(system, i);
  return "";
}

// name(arguments)
static unit unit_of_call(const hn_metrics *m, const hn_system *system, text name, text arguments) {
  static const char *const keeping[] = {"abs",  "min", "max",   "hypot",
                                        "mean", "rms", "first", "final"};
  if (is_word(name, "when") || is_word(name, "crossing")) return "s";
  if (is_word(name, "at"))
    return unit_of(m, system,
                   (text){arguments.begin, find_outside(arguments, arguments.begin, ",")});
  bool keeps = name.begin == name.end;  // brackets alone
  for (size_t i = 0; i < sizeof keeping / sizeof *keeping; i++)
    keeps = keeps || is_word(name, keeping[i]);
  return keeps ? unit_of_all(m, system, arguments, ",") : "";
}

static unit unit_of(const hn_metrics *m, const hn_system *system, text t) {
  t = trimmed(t);
  if (t.begin < t.end && strchr("+-", *t.begin))
    return unit_of(m, system, (text){t.begin + 1, t.end});
  if (t.begin == t.end || find_outside(t, t.begin, "*/^<>=!&|?%") < t.end) return "";
  if (find_outside(t, t.begin, "+-") < t.end) return unit_of_all(m, system, t, "+-");
  const char *open = memchr(t.begin, '(', (size_t)(t.end - t.begin));
  if (!open) return unit_of_name(m, system, t);
  if (t.end[-1] != ')') return "";
  return unit_of_call(m, system, trimmed((text){t.begin, open}), (text){open + 1, t.end - 1});
}

const char *hn_metric_unit(const hn_metrics *m, const hn_system *system, const char *formula) {
  return unit_of(m, system, (text){formula, formula + strlen(formula)});
}
