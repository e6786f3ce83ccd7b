// unit.c: see unit.h. Formulas are written by write.c; what steps them is text that is the same for
// all models (unit_text.h).
#include "code/unit.h"

#include "code/members_print.h"
#include "code/unit_text.h"

#include <stdlib.h>
#include <string.h>

// what it takes to write one unit
// p has the formulas and what members add to them (projections, counted angles); w writes
typedef struct writing {
  const hn_unit_plan *plan;
  hn_printer p;
  hn_writer w;
  // of the plan, or none
  const hn_arguments *arguments;
  hn_node *along_y, *along_out;  // derivatives in the direction z
  hn_arena arena;
} writing;

static void layout(writing *w, hn_arena *arena) {
  const hn_system *sys = w->plan->sys;
  // states first: q, v, x
  w->along_y = HN_TAKE(arena, hn_node, sys->nq + sys->nv + sys->states);
  w->along_out = HN_TAKE(arena, hn_node, w->plan->outputs.count);
}

// ---- derivatives ---------------------------------------------------------------------------

// z has the changes of q, v, x and u, in this order
// the order in which FMI's directional derivatives and @_derivative hand them in
static hn_node direction(void *user, int input) {
  const writing *w = user;
  const hn_formulas *f = &w->p.f;
  const hn_system *sys = f->sys;
  // -1: no direction moves this input (time, turns, sides)
  int place = -1;
  if (input >= f->in_v && input < f->in_v + sys->nv) place = sys->nq + input - f->in_v;
  if (input >= f->in_q && input < f->in_q + sys->nq) place = input - f->in_q;
  if (input >= f->in_x && input < f->in_p) place = sys->nq + sys->nv + input - f->in_x;
  if (input >= f->in_u && input < f->in_x)
    place = sys->nq + sys->nv + sys->states + input - f->in_u;
  return place < 0 ? -1 : hn_graph_input(f->g, f->in_p + w->arguments->count + place);
}

static bool differentiate(writing *w) {
  hn_formulas *f = &w->p.f;
  const hn_system *sys = f->sys;
  int count = f->g->count;
  hn_node *dot = malloc(((size_t)count + 1) * sizeof *dot);
  bool good = dot && hn_graph_tangent(f->g, count, direction, w, dot);
  // in the order of y
  for (int i = 0; good && i < sys->nq; i++) w->along_y[i] = dot[w->p.qdot[i]];
  for (int i = 0; good && i < sys->nv; i++) w->along_y[sys->nq + i] = dot[w->p.a[i]];
  // states of first order
  for (int i = 0; good && i < sys->states; i++) w->along_y[sys->nq + sys->nv + i] = dot[f->xdot[i]];
  for (int i = 0; good && i < w->plan->outputs.count; i++) w->along_out[i] = dot[w->p.column[i]];
  free(dot);
  return good;
}

// ---- text ----------------------------------------------------------------------------------

// a unit's functions begin with its name, so that several can be linked together
static void put(FILE *out, const char *text, const char *name) {
  for (; *text; text++)
    if (*text == '@')
      fputs(name, out);
    else
      fputc(*text, out);
}

// a number list as a macro
static void numbers(const writing *w, const char *name, const double *const *list, const int *count,
                    int lists) {
  int n = 0;
  fprintf(w->w.out, "#define %s", name);
  for (int k = 0; k < lists; k++)
    // a list must not be empty in C: 0 stands in
    for (int i = 0; i < count[k]; i++) {
      fputs(n++ ? ", " : " ", w->w.out);
      hn_write_number(&w->w, list[k][i]);
    }
  fputs(n ? "\n" : " 0\n", w->w.out);
}

// BASE holds the arguments and the start at the given parameters, SLOPE how they change with them
static void sizes(const writing *w) {
  const hn_unit_plan *plan = w->plan;
  const hn_system *sys = plan->sys;
  // numbers of everything as macros and constants
  fprintf(w->w.out,
          "#define ROWS %d\n#define TURNS %d\n#define MOVES %d\n#define SWITCHES %d\n"
          "enum { NQ = %d, NV = %d, NX = %d, NY = NQ + NV + NX, INPUTS = %d };\n",
          sys->rows, sys->turns, w->p.moves, sys->switches, sys->nq, sys->nv, sys->states,
          sys->inputs);
  // of each memory the switching function that begins it
  fprintf(w->w.out, "enum { MEMORIES = %d };\n#define BEGINS", sys->memories);
  for (int i = 0; i < sys->memories; i++) fprintf(w->w.out, " %d,", w->p.f.begins[i]);
  fputs(" 0\n", w->w.out);
  const hn_unit_tuning *tuning = plan->tuning;
  // the start: q, v, x, turns
  const double *const y[] = {sys->q0, sys->v0, plan->state, sys->turn0};
  const int n[] = {sys->nq, sys->nv, sys->states, sys->turns};
  fprintf(w->w.out, "enum { ARGUMENTS = %d, PARAMETERS = %d };\n", w->arguments->count,
          tuning ? tuning->parameters : 0);
  if (tuning) {
    const int slopes = tuning->numbers * tuning->parameters;
    numbers(w, "BASE", &tuning->base, &tuning->numbers, 1);
    numbers(w, "SLOPE", &tuning->slope, &slopes, 1);
    numbers(w, "VALUE", &tuning->value, &tuning->parameters, 1);
  } else {
    numbers(w, "BASE", y, n, 4);
    numbers(w, "SLOPE", NULL, NULL, 0);
    numbers(w, "VALUE", NULL, NULL, 0);
  }
  numbers(w, "GIVEN", &plan->input, &sys->inputs, 1);
  // as a macro like the others, with all its digits
  numbers(w, "LONGEST", (const double *const[]){&plan->step}, (const int[]){1}, 1);
}

// names may hold anything but what ends a string
// a question mark might begin a trigraph
static void string(FILE *out, const char *text) {
  fputc('"', out);
  // quotes, backslashes and question marks become underscores
  for (; *text; text++) fputc(*text == '"' || *text == '\\' || *text == '?' ? '_' : *text, out);
  fputs("\", ", out);
}

static void names(const writing *w) {
  FILE *out = w->w.out;
  put(out, "\nconst char *const @_output_name[] = {", w->plan->name);
  for (int i = 0; i < w->plan->outputs.count; i++) string(out, w->plan->output_name[i]);
  // lists end with a zero
  put(out, "0};\nconst char *const @_input_name[] = {", w->plan->name);
  for (int i = 0; i < w->plan->sys->inputs; i++) string(out, w->plan->sys->input[i].name);
  put(out, "0};\nconst char *const @_parameter_name[] = {", w->plan->name);
  const hn_unit_tuning *tuning = w->plan->tuning;
  for (int i = 0; tuning && i < tuning->parameters; i++) string(out, tuning->name[i]);
  fputs("0};\n", out);
}

// what functions of a state are given, and those along a direction
static const hn_signature state = {
    .inner = "static",
    .outer = "static ",
    .arguments = "double t, const double *restrict q, const double *restrict v,\n"
                 "    const double *restrict turn, const double *restrict side,\n"
                 "    const double *restrict x, const double *restrict u, const double *restrict p",
    .names = "t, q, v, turn, side, x, u, p",
    .unused = "  (void)t, (void)q, (void)v, (void)turn, (void)side, (void)x, (void)u, (void)p;\n"};
static const hn_signature directed = {
    .inner = "static",
    .outer = "static ",
    .arguments =
        "double t, const double *restrict q, const double *restrict v,\n"
        "    const double *restrict turn, const double *restrict side,\n"
        "    const double *restrict x, const double *restrict u, const double *restrict p,\n"
        "    const double *restrict z",
    .names = "t, q, v, turn, side, x, u, p, z",
    .unused = "  (void)t, (void)q, (void)v, (void)turn, (void)side, (void)x, (void)u, (void)p;\n"
              "  (void)z;\n"};

// operations of all functions are gathered first: each is written once, before them
static void functions(writing *w) {
  hn_printer *p = &w->p;
  const hn_system *sys = p->f.sys;
  const hn_node *dy = w->along_y;
  int outputs = w->plan->outputs.count;
  // motion: first derivatives of y
  const hn_answer motion[] = {{"qdot", p->qdot, sys->nq},
                              {"a", p->a, sys->nv},
                              {"xdot", p->f.xdot, sys->states},
                              {NULL, &p->f.firmness, 1}};
  const hn_answer moved[] = {
      {"q1", p->next_q, sys->nq}, {"v1", p->next_v, sys->nv}, {NULL, &p->f.firmness, 1}};
  const hn_answer look[] = {{"out", p->column, outputs}};
  const hn_answer residual[] = {{"phi", p->f.phi, sys->rows}, {"psi", p->f.psi, sys->rows}};
  const hn_answer turns[] = {{"value", p->turn, sys->turns}, {"speed", p->turn_rate, sys->turns}};
  const hn_answer switching[] = {{"value", p->f.switching, sys->switches},
                                 {"speed", p->f.remembered, sys->memories}};
  // along: the same in a direction
  const hn_answer along[] = {{"qdot", dy, sys->nq},
                             {"a", dy + sys->nq, sys->nv},
                             {"xdot", dy + sys->nq + sys->nv, sys->states},
                             {"out", w->along_out, outputs}};
  // models without rows, angles or switches have no such functions
  const struct {
    const char *name, *comment;
    const hn_answer *answer;
    int count;
    bool wanted;
  } list[] = {{"motion", "\n// rates, accelerations, firmness\n", motion, 4, true},
              {"corrected", "\n// onto the constraints\n", moved, 3, p->moves},
              {"look", "\n// outputs\n", look, 1, true},
              {"residual", "\n// of positions and velocities\n", residual, 2, sys->rows > 0},
              {"count_turns", "\n// counted angles\n", turns, 2, sys->turns > 0},
              {"switching", "\n// switching functions, speeds of contacts\n", switching, 2,
               sys->switches > 0},
              {"along", "\n// rates and outputs in a direction\n", along, 4, true}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (list[i].wanted) hn_write_need(&w->w, list[i].answer, list[i].count);
  hn_write_operations(&w->w);
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    w->w.signature = list[i].answer == along ? &directed : &state;
    if (list[i].wanted)
      hn_write_function(&w->w, list[i].name, list[i].comment, list[i].answer, list[i].count);
  }
}

static char *write_source(writing *w) {
  // plain doubles; no lanes
  w->w = (hn_writer){.f = &w->p.f,
                     .type = "double",
                     .numbers = "",
                     .prefix = "",
                     .arguments = w->arguments->count};
  bool good = hn_write_begin(&w->w);
  if (good) {
    fprintf(w->w.out, "// written by holon %s\n", hn_version());
    put(w->w.out, hn_unit_prelude, w->plan->name);
    sizes(w);
    fputc('\n', w->w.out);
    functions(w);
    // around the functions
    put(w->w.out, hn_unit_steps, w->plan->name);
    put(w->w.out, hn_unit_start, w->plan->name);
    names(w);
  }
  return hn_write_end(&w->w, good);
}

// plain C that C++ reads, too
static char *write_header(const hn_unit_plan *plan) {
  const hn_system *sys = plan->sys;
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  if (!out) return NULL;
  fprintf(out, "// written by holon %s; SI units and radians\n#ifndef HOLON_UNIT_%s\n",
          hn_version(), plan->name);
  // names of everything begin with the unit's, so that two units fit into one program
  fprintf(out, "#define HOLON_UNIT_%s\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\nenum {\n",
          plan->name);
  put(out, "  @", plan->name), fprintf(out, "_states = %d,\n", sys->nq + sys->nv + sys->states);
  put(out, "  @", plan->name), fprintf(out, "_inputs = %d,\n", sys->inputs);
  put(out, "  @", plan->name);
  fprintf(out, "_parameters = %d,\n", plan->tuning ? plan->tuning->parameters : 0);
  put(out, "  @", plan->name);
  fprintf(out, "_arguments = %d,\n", plan->tuning ? plan->tuning->arguments->count : 0);
  put(out, "  @", plan->name), fprintf(out, "_outputs = %d,\n", plan->outputs.count);
  put(out, "  @", plan->name), fprintf(out, "_turns = %d,\n", sys->turns);
  // memories stand among the sides
  put(out, "  @", plan->name), fprintf(out, "_sides = %d\n};\n", sys->switches + sys->memories);
  put(out, "extern const double @_longest;  // [s] a step of @_advance\n\n", plan->name);
  put(out, hn_unit_interface, plan->name);
  fputs("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n", out);
  if (fclose(out) == 0) return text;
  free(text);
  return NULL;
}

// ---- all of it -----------------------------------------------------------------------------

// controllers have memory and a clock of their own, which a unit's struct has not
static hn_status look_for_more(writing *w) {
  hn_formulas *f = &w->p.f;
  const hn_system *sys = f->sys;
  // f->missing is the sentence
  if (sys->controllers) hn_formulas_miss(f, "sampled controllers", "");
  if (f->missing[0]) return HN_ERR_UNSUPPORTED;
  return differentiate(w) ? HN_OK : HN_ERR_MEMORY;
}

// both texts or none
hn_status hn_unit_write(const hn_unit_plan *plan, hn_unit_text *out, char *message, size_t size) {
  writing w = {.plan = plan};
  hn_arguments own = {0};
  w.arguments = plan->tuning ? plan->tuning->arguments : &own;
  const hn_members_plan members = {
      .sys = plan->sys, .arguments = w.arguments, .deciding = plan->deciding};
  *out = (hn_unit_text){0};
  layout(&w, &w.arena);
  hn_status status = hn_arena_allocate(&w.arena) ? HN_OK : HN_ERR_MEMORY;
  if (!status) {
    layout(&w, &w.arena);
    // all numbers are constants then
    if (!plan->tuning) status = hn_arguments_begin(&own, plan->sys, &plan->outputs, message, size);
    if (!status) {
      status = hn_printer_begin(&w.p, &members, message, size);
      if (!status) status = look_for_more(&w);
      // source and header from the same formulas
      if (!status) out->source = write_source(&w), out->header = write_header(plan);
      if (!status && (!out->source || !out->header)) status = HN_ERR_MEMORY;
      status = hn_printer_end(&w.p, status, message, size);
    }
  }
  if (status) {
    free(out->source), free(out->header);
    *out = (hn_unit_text){0};
  }
  hn_arguments_clear(&own);
  free(w.arena.base);
  return status;
}
