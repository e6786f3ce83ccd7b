// write.c: formulas as C source.
//
// One statement for every operation, in the order the formulas were made; what no answer needs is
// left out. Operations mean what they mean in expressions: all but the plainest are written as
// functions whose text comes from the table that runs them (expr/internal.h).
//
// Compilers need time that grows with the square of a function's length. Long ones are cut into
// parts that hand on what later parts need in an array.
#include "code/formulas.h"

#include <stdio.h>
#include <string.h>

enum { PART = 800 };  // statements

typedef struct writer {
  const hn_formulas *f;
  FILE *out;
  bool used[HN_OP_COUNT];
  // per node
  unsigned char *mark;  // needed
  int *part;            // in which part it is computed
  int *slot;            // where it is handed on, -1: nowhere
  int *known;           // the last part that has it at hand
  int parts, slots;
} writer;

// ---- operations ----------------------------------------------------------------------------

static const char *const op_text[HN_OP_COUNT] = {
#define HN_X(op, arity, commutes, value) [HN_OP_##op] = #value,
    HN_OPERATORS(HN_X)
#undef HN_X
#define HN_X(op, name, arity, commutes, value) [HN_OP_##op] = #value,
        HN_FUNCTIONS(HN_X)
#undef HN_X
};
static const char *const op_name[HN_OP_COUNT] = {
#define HN_X(op, arity, commutes, value) [HN_OP_##op] = "op_" #op,
    HN_OPERATORS(HN_X)
#undef HN_X
#define HN_X(op, name, arity, commutes, value) [HN_OP_##op] = "op_" #op,
        HN_FUNCTIONS(HN_X)
#undef HN_X
};

static const char *plain_sign(hn_op op) {
  switch (op) {
  case HN_OP_ADD: return " + ";
  case HN_OP_SUB: return " - ";
  case HN_OP_MUL: return " * ";
  case HN_OP_DIV: return " / ";
  default: return NULL;
  }
}

// functions that are called as they are
static bool is_library(hn_op op) {
  return op == HN_OP_SIN || op == HN_OP_COS || op == HN_OP_SQRT || op == HN_OP_EXP;
}

static bool needs_function(hn_op op) {
  return op != HN_OP_CONSTANT && op != HN_OP_INPUT && op != HN_OP_NEG && !plain_sign(op) &&
         !is_library(op);
}

static void operations(const writer *w) {
  if (w->used[HN_OP_POW])
    fputs("static double hn_power(double a, double b) {\n"
          "  return b == 3 ? a * a * a : b == 4 ? (a * a) * (a * a) : pow(a, b);\n}\n",
          w->out);
  if (w->used[HN_OP_MOD])
    fputs("static double hn_modulo(double a, double b) {\n  double r = fmod(a, b);\n"
          "  return r == 0 ? 0 : (r < 0) != (b < 0) ? r + b : r;\n}\n",
          w->out);
  for (int op = 0; op < HN_OP_COUNT; op++) {
    if (!w->used[op] || !needs_function((hn_op)op)) continue;
    static const char *const arguments[] = {"", "double a", "double a, double b",
                                            "double a, double b, double c"};
    fprintf(w->out, "static double %s(%s) {\n  return %s;\n}\n", op_name[op],
            arguments[hn_op_table[op].arity], op_text[op]);
  }
  fputc('\n', w->out);
}

// ---- statements ----------------------------------------------------------------------------

static void number(const writer *w, double value) {
  char text[40];
  snprintf(text, sizeof text, "%.17g", value);
  bool whole = !strpbrk(text, ".en");
  fprintf(w->out, value < 0 ? "(%s%s)" : "%s%s", text, whole ? ".0" : "");
}

static void input(const writer *w, int k) {
  const hn_formulas *f = w->f;
  if (k >= f->in_side)
    fprintf(w->out, "side[%d]", k - f->in_side);
  else if (k >= f->in_turn)
    fprintf(w->out, "turn[%d]", k - f->in_turn);
  else if (k == f->in_t)
    fprintf(w->out, "t");
  else if (k >= f->in_q)
    fprintf(w->out, "q[%d]", k - f->in_q);
  else
    fprintf(w->out, "v[%d]", k - f->in_v);
}

static void operand(const writer *w, hn_node n) {
  const hn_graph_node *node = &w->f->g->nodes[n];
  if (node->op == HN_OP_CONSTANT)
    number(w, node->value);
  else
    fprintf(w->out, "x%d", n);
}

static void operation(const writer *w, const hn_graph_node *node) {
  const char *sign = plain_sign(node->op);
  if (sign) {
    operand(w, node->args[0]);
    fputs(sign, w->out);
    operand(w, node->args[1]);
  } else if (node->op == HN_OP_NEG) {
    fputc('-', w->out);
    operand(w, node->args[0]);
  } else {
    fprintf(w->out, "%s(", is_library(node->op) ? hn_op_table[node->op].name : op_name[node->op]);
    for (int i = 0; i < hn_op_table[node->op].arity; i++) {
      if (i) fputs(", ", w->out);
      operand(w, node->args[i]);
    }
    fputc(')', w->out);
  }
}

// makes a value of an earlier part, or an input, known in this one
static void fetch(const writer *w, hn_node n, int part) {
  const hn_graph_node *node = &w->f->g->nodes[n];
  if (node->op == HN_OP_CONSTANT || w->known[n] == part) return;
  w->known[n] = part;
  fprintf(w->out, "  const double x%d = ", n);
  if (node->op == HN_OP_INPUT)
    input(w, node->args[0]);
  else
    fprintf(w->out, "s[%d]", w->slot[n]);
  fputs(";\n", w->out);
}

static void statement(const writer *w, hn_node n, int part) {
  const hn_graph_node *node = &w->f->g->nodes[n];
  for (int i = 0; i < hn_op_table[node->op].arity; i++) fetch(w, node->args[i], part);
  w->known[n] = part;
  fprintf(w->out, "  const double x%d = ", n);
  operation(w, node);
  fputs(";\n", w->out);
  if (w->slot[n] >= 0) fprintf(w->out, "  s[%d] = x%d;\n", w->slot[n], n);
}

// ---- functions -----------------------------------------------------------------------------

// an array of answers
typedef struct answer {
  const char *name;
  const hn_node *node;
  int count;
} answer;
enum { ANSWERS = 4 };

static void need(writer *w, const answer *a) {
  memset(w->mark, 0, (size_t)w->f->g->count);
  w->mark[w->f->firmness] = 1;
  for (int k = 0; k < ANSWERS; k++)
    for (int i = 0; i < a[k].count; i++) w->mark[a[k].node[i]] = 1;
  hn_graph_mark(w->f->g, w->mark);
  for (int n = 0; n < w->f->g->count; n++)
    if (w->mark[n]) w->used[w->f->g->nodes[n].op] = true;
}

static bool is_leaf(const writer *w, hn_node n) {
  hn_op op = w->f->g->nodes[n].op;
  return op == HN_OP_CONSTANT || op == HN_OP_INPUT;
}

// handed on to a part that does not compute it
static void share(writer *w, hn_node n, int part) {
  if (!is_leaf(w, n) && w->part[n] != part && w->slot[n] < 0) w->slot[n] = w->slots++;
}

static void divide(writer *w, const answer *a) {
  const hn_graph *g = w->f->g;
  int count = 0;
  for (int n = 0; n < g->count; n++) {
    w->slot[n] = w->known[n] = -1;
    if (w->mark[n] && !is_leaf(w, n)) w->part[n] = count++ / PART;
  }
  w->parts = (count + PART - 1) / PART;
  w->slots = 0;
  for (int n = 0; n < g->count; n++)
    if (w->mark[n] && !is_leaf(w, n))
      for (int i = 0; i < hn_op_table[g->nodes[n].op].arity; i++)
        share(w, g->nodes[n].args[i], w->part[n]);
  if (w->parts < 2) return;
  share(w, w->f->firmness, w->parts);
  for (int k = 0; k < ANSWERS; k++)
    for (int i = 0; i < a[k].count; i++) share(w, a[k].node[i], w->parts);
}

static void body(const writer *w, int part) {
  for (int n = 0; n < w->f->g->count; n++)
    if (w->mark[n] && !is_leaf(w, n) && w->part[n] == part) statement(w, n, part);
}

static const char *const state = "double t, const double *restrict q, const double *restrict v,\n"
                                 "    const double *restrict turn, const double *restrict side";
static const char *const unused = "  (void)t, (void)q, (void)v, (void)turn, (void)side;\n";

static void function(writer *w, const char *name, const char *comment, const answer *a) {
  need(w, a);
  divide(w, a);
  bool cut = w->parts > 1;
  int last = cut ? w->parts : 0;
  for (int part = 0; cut && part < w->parts; part++) {
    fprintf(w->out, "PART static void %s_%d(%s, double *restrict s) {\n%s", name, part, state,
            unused);
    body(w, part);
    fputs("}\n\n", w->out);
  }
  fprintf(w->out, "%sdouble %s(%s", comment, name, state);
  for (int k = 0; k < ANSWERS; k++)
    fprintf(w->out, ",%sdouble *restrict %s", k % 2 ? " " : "\n    ", a[k].name);
  fprintf(w->out, ") {\n%s", unused);
  if (cut) {
    fprintf(w->out, "  double s[%d];\n", w->slots);
    for (int part = 0; part < w->parts; part++)
      fprintf(w->out, "  %s_%d(t, q, v, turn, side, s);\n", name, part);
  } else {
    body(w, 0);
  }
  for (int k = 0; k < ANSWERS; k++) {
    if (a[k].count == 0) fprintf(w->out, "  (void)%s;\n", a[k].name);
    for (int i = 0; i < a[k].count; i++) {
      fetch(w, a[k].node[i], last);
      fprintf(w->out, "  %s[%d] = ", a[k].name, i);
      operand(w, a[k].node[i]);
      fputs(";\n", w->out);
    }
  }
  fetch(w, w->f->firmness, last);
  fputs("  return ", w->out);
  operand(w, w->f->firmness);
  fputs(";\n}\n", w->out);
}

// ---- what the numbers are ------------------------------------------------------------------

// "q[3]", "v[0..2]"
static void range(const writer *w, char name, int first, int count) {
  if (count == 1)
    fprintf(w->out, "  %c[%d]", name, first);
  else
    fprintf(w->out, "  %c[%d..%d]", name, first, first + count - 1);
}

// a text of the model inside a line comment: nothing in it may end the line or continue it (as a
// backslash would, or the trigraph for one)
static void comment_text(const writer *w, const char *text) {
  for (char before = 0; *text; before = *text++) {
    bool control = (unsigned char)*text < ' ' || *text == 0x7f;
    bool joins = *text == '\\' || (*text == '?' && before == '?');
    fputc(control || joins ? '_' : *text, w->out);
  }
}

// where the coordinates of a body or joint lie
static void coordinates(const writer *w, int q0, int nq, int v0, int nv, const char *what,
                        const char *name) {
  if (nv == 0) return;
  fputs("// ", w->out);
  range(w, 'q', q0, nq);
  range(w, 'v', v0, nv);
  fprintf(w->out, "  %s ", what);
  comment_text(w, name);
  fputc('\n', w->out);
}

static void introduction(const writer *w) {
  const hn_system *sys = w->f->sys;
  fputs("// ", w->out);
  comment_text(w, sys->name && sys->name[0] ? sys->name : "a mechanism");
  fprintf(w->out, ": equations of motion, written by holon %s.\n//\n", hn_version());
  fprintf(w->out, "// Coordinates, SI units and radians: %s\n", w->f->family->words);
  hn_coordinate_part part;
  for (int i = 0; sys->coordinates->part(sys, i, &part); i++)
    coordinates(w, part.q0, part.nq, part.v0, part.nv, part.what, part.name);
  for (int i = 0; i < sys->rows; i++) {
    fprintf(w->out, "//   lambda[%d]  ", i);
    comment_text(w, sys->row_name[i]);
    fputs(sys->active[i] ? "\n" : " (repeats others, left out)\n", w->out);
  }
  fputs("//\n", w->out);
  if (sys->turns)
    fprintf(w->out, "// turn[%d]: angles at the last accepted state, for continuity over turns\n",
            sys->turns);
  if (sys->switches)
    fprintf(w->out, "// side[%d]: 1 on the positive side of a switching function, 0 on the other\n",
            sys->switches);
  fprintf(w->out,
          "// Both functions return the firmness of the constraints: 1 far from singular\n"
          "// configurations, 0 in them, where the answer means nothing.\n"
          "#include <math.h>\n\n"
          "#if defined(__GNUC__)\n#define PART __attribute__((noinline))\n#else\n#define "
          "PART\n#endif\n\n"
          "enum { holon_nq = %d, holon_nv = %d, holon_rows = %d };\n\n",
          sys->nq, sys->nv, sys->rows);
}

static void layout(writer *w, hn_arena *arena) {
  int count = w->f->g->count;
  w->mark = HN_TAKE(arena, unsigned char, count);
  w->part = HN_TAKE(arena, int, count);
  w->slot = HN_TAKE(arena, int, count);
  w->known = HN_TAKE(arena, int, count);
}

char *hn_formulas_write(const hn_formulas *f) {
  const hn_system *sys = f->sys;
  const answer motion[ANSWERS] = {{"qdot", f->qdot, sys->nq},
                                  {"a", f->a, sys->nv},
                                  {"lambda", f->lambda, sys->rows},
                                  {"power", &f->power, 1}};
  const answer projection[ANSWERS] = {{"phi", f->phi, sys->rows},
                                      {"psi", f->psi, sys->rows},
                                      {"d", f->d, sys->nv},
                                      {"x", f->x, sys->nv}};
  char *text = NULL;
  size_t length = 0;
  writer w = {.f = f, .out = open_memstream(&text, &length)};
  hn_arena arena = {0};
  layout(&w, &arena);
  bool good = w.out && hn_arena_allocate(&arena);
  if (good) {
    layout(&w, &arena);
    introduction(&w);
    need(&w, projection);
    need(&w, motion);
    operations(&w);
    function(&w, "holon_motion",
             "// rates of q, accelerations, multipliers, power of forces without potential\n",
             motion);
    fputc('\n', w.out);
    function(
        &w, "holon_projection",
        "// residuals of positions and velocities, and the smallest changes d of position and x "
        "of\n// velocity (measured by the masses) that take them away to first order\n",
        projection);
    good = !ferror(w.out);
  }
  if (w.out && fclose(w.out)) good = false;
  free(arena.base);
  if (good) return text;
  free(text);
  return NULL;
}
