// write.c: formulas as C source.
//
// One statement for every operation, in the order the formulas were made; what no answer needs is
// left out. Operations mean what they mean in expressions: all but the plainest are written as
// functions whose text comes from the table that runs them (expr/internal.h).
//
// Compilers need time that grows with the square of a function's length. Long ones are cut into
// parts that hand on what later parts need in an array.
#include "code/write.h"

#include "base/file.h"
#include "code/sine_text.h"

#include <stdlib.h>
#include <string.h>

// beyond some hundred statements compile time grows faster than the text
enum { PART = 800 };  // statements

// ---- operations ----------------------------------------------------------------------------

// The text between HN_X(...) is what the interpreter executes: code and interpreter cannot differ
// in what an operation means, but for the last digit of functions (text_of).
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

// Written code stands alone: it takes sines and the like from the C library of where it runs, and
// brings along what else is named hn_
static const char *text_of(hn_op op) {
  const char *text = op_text[op];
  bool brought = op == HN_OP_POW || op == HN_OP_MOD;
  return strncmp(text, "hn_", 3) == 0 && !brought ? text + 3 : text;
}

// operations that C has: compilers see through them
// NULL: none
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
// called by name, so that compilers may know them (vectors of sines, instructions for roots)
static bool is_library(hn_op op) {
  return op == HN_OP_SIN || op == HN_OP_COS || op == HN_OP_SQRT || op == HN_OP_EXP;
}

// all others go by a small function op_NAME that is written once
static bool needs_function(hn_op op) {
  return op != HN_OP_CONSTANT && op != HN_OP_INPUT && op != HN_OP_NEG && !plain_sign(op) &&
         !is_library(op);
}

// hn_power and hn_modulo are names that texts of the table use: the library has them, code of its
// own needs them
void hn_write_operations(const hn_writer *w) {
  const char *number = w->members ? "FN S" : "static double", *of = w->members ? "S" : "double";
  // members have it for vectors too, by a macro of the prelude
  if (w->used[HN_OP_POW])
    fprintf(w->out,
            "%s hn_power(%s a, %s b) {\n"
            "  return b == 3 ? a * a * a : b == 4 ? (a * a) * (a * a) : pow(a, b);\n}\n",
            number, of, of);
  if (w->used[HN_OP_MOD])
    fprintf(w->out,
            "%s hn_modulo(%s a, %s b) {\n  %s r = fmod(a, b);\n"
            "  return r == 0 ? 0 : (r < 0) != (b < 0) ? r + b : r;\n}\n",
            number, of, of, of);
  for (int op = 0; op < HN_OP_COUNT; op++) {
    // only what was used: unused functions would cost compile time
    if (!w->used[op] || !needs_function((hn_op)op)) continue;
    static const char *const arguments[] = {"", "double a", "double a, double b",
                                            "double a, double b, double c"};
    int arity = hn_op_table[op].arity;
    // members have them for whole vectors as well; the prelude has its own way with some
    if (w->members)
      fprintf(w->out, "OPERATION%d(%s, %s)\n", arity, op_name[op], text_of((hn_op)op));
    else
      fprintf(w->out, "static double %s(%s) {\n  return %s;\n}\n", op_name[op], arguments[arity],
              text_of((hn_op)op));
  }
  fputc('\n', w->out);
}

// ---- statements ----------------------------------------------------------------------------

// The shortest text that is read back as the same number. printf would write a decimal comma in the
// locales of half the world, which C takes for the end of an argument
void hn_write_number(const hn_writer *w, double value) {
  char text[HN_NUMBER_SIZE];
  hn_number_text(text, value);
  // "2" would be an integer to C
  bool whole = !strpbrk(text, ".en"), wrapped = w->numbers[0];
  fprintf(w->out, wrapped || value < 0 ? "%s(%s%s)" : "%s%s%s", w->numbers, text,
          whole ? ".0" : "");
}

// of a direction, or what answers are worth
// inputs behind the arguments: with directions those of v, q and p in this order; else a plain
// array
static void further_input(const hn_writer *w, int k) {
  int nv = w->f->sys->nv, nq = w->f->sys->nq;
  if (!w->directions)
    // behind those of the state itself
    fprintf(w->out, "z[%d]", k);
  else if (k < nv)
    fprintf(w->out, "v[%d]", nv + k);
  else if (k < nv + nq)
    fprintf(w->out, "q[%d]", nq + k - nv);
  else
    fprintf(w->out, "p[%d]", w->arguments + k - nv - nq);
}

// Inputs of the graph are numbered in blocks (hn_formulas.in_v ...); the highest block that begins
// at or below k is its own. Blocks may be empty, which is why the order of the tests matters.
static void input(const hn_writer *w, int k) {
  const hn_formulas *f = w->f;
  if (k >= f->in_p + w->arguments)
    further_input(w, k - f->in_p - w->arguments);
  else if (k >= f->in_p)
    fprintf(w->out, "p[%d]", k - f->in_p);
  else if (k >= f->in_u && f->open == HN_WIDE_OPEN)
    fprintf(w->out, "in[%d]", k - f->in_u);
  else if (k >= f->in_x)
    fprintf(w->out, "x[%d]", k - f->in_x);
  else if (k >= f->in_u)
    fprintf(w->out, "u[%d]", k - f->in_u);
  else if (k >= f->in_side)
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

// constants stand where they are used: compilers gather equal ones
static void operand(const hn_writer *w, hn_node n) {
  const hn_graph_node *node = &w->f->g->nodes[n];
  // graph constants, the model's own included
  if (node->op == HN_OP_CONSTANT)
    hn_write_number(w, node->value);
  else
    fprintf(w->out, "x%d", n);
}

static void operation(const hn_writer *w, const hn_graph_node *node) {
  const char *sign = plain_sign(node->op);
  if (sign) {
    operand(w, node->args[0]);
    fputs(sign, w->out);
    operand(w, node->args[1]);
  } else if (node->op == HN_OP_NEG) {
    fputc('-', w->out);
    operand(w, node->args[0]);
  } else {
    // with the words of lanes, where they are
    fprintf(w->out, "%s%s(", w->prefix,
            is_library(node->op) ? hn_op_table[node->op].name : op_name[node->op]);
    for (int i = 0; i < hn_op_table[node->op].arity; i++) {
      if (i) fputs(", ", w->out);
      operand(w, node->args[i]);
    }
    fputc(')', w->out);
  }
}

// makes a value of an earlier part, or an input, known in this one
// written before the statement that needs it, once a part
static void fetch(const hn_writer *w, hn_node n, int part) {
  const hn_graph_node *node = &w->f->g->nodes[n];
  // already said in this part
  if (node->op == HN_OP_CONSTANT || w->known[n] == part) return;
  w->known[n] = part;
  fprintf(w->out, "  const %s x%d = ", w->type, n);
  if (w->table && w->table[n] >= 0)
    fprintf(w->out, "c[%d]", w->table[n]);
  else if (node->op == HN_OP_INPUT)
    input(w, node->args[0]);
  else
    fprintf(w->out, "s[%d]", w->slot[n]);
  fputs(";\n", w->out);
}

// single assignment: xN is node N, so that code can be read beside the graph
static void statement(const hn_writer *w, hn_node n, int part) {
  const hn_graph_node *node = &w->f->g->nodes[n];
  // what it reads stands before it
  for (int i = 0; i < hn_op_table[node->op].arity; i++) fetch(w, node->args[i], part);
  w->known[n] = part;
  fprintf(w->out, "  const %s x%d = ", w->type, n);
  operation(w, node);
  fputs(";\n", w->out);
  // for parts that come later
  if (w->slot[n] >= 0) fprintf(w->out, "  s[%d] = x%d;\n", w->slot[n], n);
}

// ---- functions -----------------------------------------------------------------------------

// what is read and not computed
static bool is_leaf(const hn_writer *w, hn_node n) {
  hn_op op = w->f->g->nodes[n].op;
  return op == HN_OP_CONSTANT || op == HN_OP_INPUT || (w->table && w->table[n] >= 0);
}

// what answers need, down to what is known beforehand
// from the answers down: arguments of a node come before it in the graph, so that one pass is
// enough
void hn_write_need(hn_writer *w, const hn_answer *a, int answers) {
  const hn_graph *g = w->f->g;
  memset(w->mark, 0, (size_t)g->count);
  for (int k = 0; k < answers; k++)
    for (int i = 0; i < a[k].count; i++) w->mark[a[k].node[i]] = 1;
  for (int n = g->count - 1; n >= 0; n--) {
    if (!w->mark[n]) continue;
    // also of leaves, which costs nothing
    w->used[g->nodes[n].op] = true;
    if (is_leaf(w, n)) continue;
    for (int i = 0; i < hn_op_table[g->nodes[n].op].arity; i++) w->mark[g->nodes[n].args[i]] = 1;
  }
}

// handed on to a part that does not compute it
static void share(hn_writer *w, hn_node n, int part) {
  // once, whoever asks first
  if (!is_leaf(w, n) && w->part[n] != part && w->slot[n] < 0) w->slot[n] = w->slots++;
}

// In the order of the graph, so many statements a part. Values that another part needs get a slot
// in s[]; that the answers need, where there is more than one part.
static void divide(hn_writer *w, const hn_answer *a, int answers) {
  const hn_graph *g = w->f->g;
  int count = 0;
  for (int n = 0; n < g->count; n++) {
    w->slot[n] = w->known[n] = -1;
    if (w->mark[n] && !is_leaf(w, n)) w->part[n] = count++ / w->longest;
  }
  w->parts = (count + w->longest - 1) / w->longest;
  w->slots = 0;
  for (int n = 0; n < g->count; n++)
    if (w->mark[n] && !is_leaf(w, n))
      for (int i = 0; i < hn_op_table[g->nodes[n].op].arity; i++)
        share(w, g->nodes[n].args[i], w->part[n]);
  if (w->parts < 2) return;
  for (int k = 0; k < answers; k++)
    for (int i = 0; i < a[k].count; i++) share(w, a[k].node[i], w->parts);
}

// all statements of a part, in the order of the graph
static void body(const hn_writer *w, int part) {
  for (int n = 0; n < w->f->g->count; n++)
    if (w->mark[n] && !is_leaf(w, n) && w->part[n] == part) statement(w, n, part);
}

// how an answer leaves the function: by an array, by a reference, or as its value
static void leave(const hn_writer *w, const hn_answer *a, int last) {
  if (a->count == 0) fprintf(w->out, "  (void)%s;\n", a->name);
  for (int i = 0; i < a->count; i++) {
    fetch(w, a->node[i], last);
    fprintf(w->out, a->name ? "  %s[%d] = " : "  return ", a->name, i);
    operand(w, a->node[i]);
    fputs(";\n", w->out);
  }
}

// parts are functions of their own that compilers must not merge again (PART)
void hn_write_function(hn_writer *w, const char *name, const char *comment, const hn_answer *a,
                       int answers) {
  hn_write_need(w, a, answers);
  divide(w, a, answers);
  const hn_signature *s = w->signature;
  bool cut = w->parts > 1;
  int last = cut ? w->parts : 0;
  for (int part = 0; cut && part < w->parts; part++) {
    fprintf(w->out, "PART %s void %s_%d(%s, %s *restrict s) {\n%s", s->inner, name, part,
            s->arguments, w->type, s->unused);
    body(w, part);
    fputs("}\n\n", w->out);
  }
  fprintf(w->out, "%s%s%s %s(%s", comment, s->outer, a[answers - 1].name ? "void" : w->type, name,
          s->arguments);
  for (int k = 0; k < answers; k++)
    if (a[k].name)
      fprintf(w->out, ",%s%s *restrict %s", k % 2 ? " " : "\n    ", w->type, a[k].name);
  fprintf(w->out, ") {\n%s", s->unused);
  if (cut) {
    fprintf(w->out, "  %s s[%d];\n", w->type, w->slots);
    for (int part = 0; part < w->parts; part++)
      fprintf(w->out, "  %s_%d(%s, s);\n", name, part, s->names);
  } else {
    body(w, 0);
  }
  for (int k = 0; k < answers; k++) leave(w, &a[k], last);
  fputs("}\n", w->out);
}

// ---- what the numbers are ------------------------------------------------------------------

// "q[3]", "v[0..2]"
static void range(const hn_writer *w, char name, int first, int count) {
  if (count == 1)
    fprintf(w->out, "  %c[%d]", name, first);
  else
    fprintf(w->out, "  %c[%d..%d]", name, first, first + count - 1);
}

// a text of the model inside a line comment: nothing in it may end the line or continue it (as a
// backslash would, or the trigraph for one)
static void comment_text(const hn_writer *w, const char *text) {
  for (char before = 0; *text; before = *text++) {
    bool control = (unsigned char)*text < ' ' || *text == 0x7f;
    bool joins = *text == '\\' || (*text == '?' && before == '?');
    fputc(control || joins ? '_' : *text, w->out);
  }
}

// where the coordinates of a body or joint lie
// the reader of the code has nothing but these comments to tell q[7] by
static void coordinates(const hn_writer *w, int q0, int nq, int v0, int nv, const char *what,
                        const char *name) {
  if (nv == 0) return;
  fputs("// ", w->out);
  range(w, 'q', q0, nq);
  range(w, 'v', v0, nv);
  fprintf(w->out, "  %s ", what);
  comment_text(w, name);
  fputc('\n', w->out);
}

// what the function is told of inputs, sampled controllers, states and tables
static void outside(const hn_writer *w) {
  const hn_system *sys = w->f->sys;
  int at = 0;
  const hn_formulas *f = w->f;
  if (f->in_p == f->in_u) return;
  fprintf(w->out, "// in[%d]: what comes from outside of the motion\n", f->in_p - f->in_u);
  for (int i = 0; i < sys->inputs; i++) {
    fprintf(w->out, "//   in[%d]  input ", at++);
    comment_text(w, sys->input[i].name);
    fputc('\n', w->out);
  }
  for (int i = 0; i < sys->held; i++)
    fprintf(w->out, "//   in[%d]  held by a sampled controller\n", at++);
  for (int i = 0; i < sys->states; i++) {
    fprintf(w->out, "//   in[%d]  xdot[%d]  state ", at++, i);
    comment_text(w, sys->state[i].name);
    fputc('\n', w->out);
  }
  for (int i = 0; i < sys->tables; i++, at += 3)
    fprintf(w->out, "//   in[%d..%d]  table %d at t: value and two derivatives\n", at, at + 2, i);
}

// rows that come and go: where they are not there
static void gaps(const hn_writer *w) {
  const hn_system *sys = w->f->sys;
  if (!sys->unilaterals) return;
  fputs("//\n// Limits, stops and clearance are open: where a gap closes this code ends, and an "
        "impact\n"
        "// or a lasting contact follows that it knows nothing of (holon_switching says how wide\n"
        "// they are).\n",
        w->out);
  for (int i = 0, at = 0; i < sys->unilaterals; i++) {
    if (w->f->gap[i].value >= 0)
      fprintf(w->out, "//   gap[%d]  ", at++);
    else
      fputs("//   without a formula: ", w->out);
    comment_text(w, sys->row_name[sys->unilateral[i].row]);
    fputc('\n', w->out);
  }
}

static void introduction(const hn_writer *w) {
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
  if (sys->memories)
    fprintf(w->out, "// side[%d..%d]: speeds at which contacts began\n", sys->switches,
            sys->switches + sys->memories - 1);
  outside(w);
  gaps(w);
  fprintf(w->out,
          "// Both functions return the firmness of the constraints: 1 far from singular\n"
          "// configurations, 0 in them, where the answer means nothing.\n"
          "#include <math.h>\n\n"
          "#if defined(__GNUC__)\n#define PART __attribute__((noinline))\n#else\n#define "
          "PART\n#endif\n\n"
          "enum { holon_nq = %d, holon_nv = %d, holon_rows = %d };\n\n",
          sys->nq, sys->nv, sys->rows);
}

static void layout(hn_writer *w, hn_arena *arena) {
  int count = w->f->g->count;
  w->mark = HN_TAKE(arena, unsigned char, count);
  w->part = HN_TAKE(arena, int, count);
  w->slot = HN_TAKE(arena, int, count);
  w->known = HN_TAKE(arena, int, count);
}

// text grows in memory; files are the business of callers
bool hn_write_begin(hn_writer *w) {
  w->longest = w->longest ? w->longest : PART;
  w->out = open_memstream(&w->text, &w->length);
  layout(w, &w->arena);
  if (!w->out || !hn_arena_allocate(&w->arena)) return false;
  layout(w, &w->arena);
  return true;
}

char *hn_write_end(hn_writer *w, bool good) {
  good = good && !ferror(w->out);
  if (w->out && fclose(w->out)) good = false;
  free(w->arena.base);
  if (good) return w->text;
  free(w->text);
  return NULL;
}

// open gaps as an array of answers; those without a formula are left out
static int open_gaps(const hn_formulas *f, hn_node *gap) {
  int count = 0;
  for (int i = 0; i < f->sys->unilaterals; i++)
    if (f->gap[i].value >= 0) gap[count++] = f->gap[i].value;
  return count;
}

// nodes are -1 where memory ran out
static bool all_there(const hn_answer *answer, int count) {
  for (int i = 0; i < count; i++)
    for (int k = 0; k < answer[i].count; k++)
      if (answer[i].node[k] < 0) return false;
  return true;
}

char *hn_formulas_write(const hn_formulas *f) {
  const hn_system *sys = f->sys;
  hn_node *gap = malloc(((size_t)sys->unilaterals + 1) * sizeof *gap);
  if (!gap) return NULL;
  const hn_answer motion[] = {{"qdot", f->qdot, sys->nq},       {"a", f->a, sys->nv},
                              {"lambda", f->lambda, sys->rows}, {"power", &f->power, 1},
                              {"xdot", f->xdot, sys->states},   {NULL, &f->firmness, 1}};
  const hn_answer projection[] = {{"phi", f->phi, sys->rows},
                                  {"psi", f->psi, sys->rows},
                                  {"d", f->d, sys->nv},
                                  {"x", f->x, sys->nv},
                                  {NULL, &f->firmness, 1}};
  const hn_answer switching[] = {{"value", f->switching, sys->switches},
                                 {"gap", gap, open_gaps(f, gap)}};
  bool switches = switching[0].count + switching[1].count > 0;
  const hn_signature signature = {
      .inner = "static",
      .outer = "",
      .arguments = "double t, const double *restrict q, const double *restrict v,\n"
                   "    const double *restrict turn, const double *restrict side,\n"
                   "    const double *restrict in",
      .names = "t, q, v, turn, side, in",
      .unused = "  (void)t, (void)q, (void)v, (void)turn, (void)side, (void)in;\n"};
  hn_writer w = {.f = f, .type = "double", .numbers = "", .prefix = "", .signature = &signature};
  bool good = hn_write_begin(&w) && all_there(motion, 6) && all_there(projection, 5) &&
              all_there(switching, 2);
  if (good) {
    introduction(&w);
    hn_write_need(&w, projection, 5);
    hn_write_need(&w, motion, 6);
    if (switches) hn_write_need(&w, switching, 2);
    if (w.used[HN_OP_SIN] || w.used[HN_OP_COS]) fputs(hn_sine_of_numbers, w.out);
    hn_write_operations(&w);
    hn_write_function(
        &w, "holon_motion",
        "// rates of q, accelerations, multipliers, power of forces without potential, rates of\n"
        "// states\n",
        motion, 6);
    fputc('\n', w.out);
    hn_write_function(
        &w, "holon_projection",
        "// residuals of positions and velocities, and the smallest changes d of position and x "
        "of\n// velocity (measured by the masses) that take them away to first order\n",
        projection, 5);
    if (switches)
      hn_write_function(&w, "holon_switching",
                        "\n// switching functions, for sides where steps end; gaps\n", switching,
                        2);
  }
  free(gap);
  return hn_write_end(&w, good);
}
