// backward.c: see backward.h. Adjoints of the functions of a step, by the graph of its formulas.
#include "code/backward.h"

#include "code/backward_text.h"
#include "code/compiler.h"
#include "code/members_print.h"
#include "code/members_text.h"

#include <stdlib.h>
#include <string.h>

// a function and its adjoint: what q, v and the table are worth, given what its answers are
// Reverse differentiation of one function: its answers are given what they are worth (inputs z),
// and what its inputs are worth comes out, at the cost of a few evaluations whatever the number of
// inputs.
typedef struct adjoint {
  // up to two arrays of answers
  const hn_node *answer[2];
  int count[2];
  // what comes out: q, v and numbers of the table
  hn_node *q, *v, *table;
} adjoint;

enum { MOTION, MOVED, LOOK, FUNCTIONS };

// Adjoints are added to the graph of the formulas, so that code for both shares their operations;
// nodes below `count` are the formulas, those above it derivatives.
typedef struct writing {
  hn_printer p;
  adjoint of[FUNCTIONS];
  int *table;           // its place in the table, -1: none
  unsigned char *leaf;  // likewise
  hn_node *bar;
  int count, valued;  // nodes of the formulas; numbers of the table that they read
  hn_node *entry;     // of the table
  hn_node *argument;  // what arguments are worth, given what the table is
  hn_arena arena;
} writing;

// ---- adjoints ---------------------------------------------------------------------------------

// numbers z are inputs behind the arguments
static hn_node worth(writing *w, int k) {
  const hn_formulas *f = &w->p.f;
  // behind all arguments of the member
  return hn_graph_input(f->g, f->in_p + w->p.plan->arguments->count + k);
}

static void begin_bars(writing *w) {
  // -1: worth nothing so far
  for (int n = 0; n < w->count; n++) w->bar[n] = -1;
}

// two answers may be the same node: what they are worth adds up
static void answer_bar(writing *w, hn_node answer, int k) {
  hn_node z = worth(w, k), *bar = &w->bar[answer];
  *bar = *bar < 0 ? z : n_add(w->p.f.g, *bar, z);
}

// what an input is worth
// an input that no formula reads has no node below `count`
static hn_node input_bar(const writing *w, int input) {
  // made only now: nothing of the formulas depends on it
  hn_node n = hn_graph_input(w->p.f.g, input);
  return n >= w->count || w->bar[n] < 0 ? w->p.f.zero : w->bar[n];
}

// numbers of the table are leaves here: what arguments are worth is found from them once at the end
static bool differentiate(writing *w, adjoint *a) {
  const hn_formulas *f = &w->p.f;
  const hn_system *sys = f->sys;
  begin_bars(w);
  // z counts through both arrays
  for (int k = 0, z = 0; k < 2; k++)
    for (int i = 0; i < a->count[k]; i++) answer_bar(w, a->answer[k][i], z++);
  if (!hn_graph_adjoint(f->g, w->count, w->leaf, w->bar)) return false;
  // in the order of the coordinates
  for (int i = 0; i < sys->nq; i++) a->q[i] = input_bar(w, f->in_q + i);
  for (int i = 0; i < sys->nv; i++) a->v[i] = input_bar(w, f->in_v + i);
  for (int k = 0; k < w->valued; k++)
    a->table[k] = w->bar[w->entry[k]] < 0 ? f->zero : w->bar[w->entry[k]];
  return true;
}

// the other half of the chain rule, from the table to the arguments
static bool differentiate_table(writing *w) {
  const hn_formulas *f = &w->p.f;
  begin_bars(w);
  memset(w->leaf, 0, (size_t)w->count);
  // what the table is worth are inputs again
  for (int k = 0; k < w->valued; k++) answer_bar(w, w->entry[k], k);
  if (!hn_graph_adjoint(f->g, w->count, w->leaf, w->bar)) return false;
  for (int k = 0; k < w->p.plan->arguments->count; k++) w->argument[k] = input_bar(w, f->in_p + k);
  return true;
}

static void layout(writing *w, hn_arena *arena) {
  const hn_system *sys = w->p.plan->sys;
  int count = w->p.f.g->count;
  w->table = HN_TAKE(arena, int, count);
  w->leaf = HN_TAKE(arena, unsigned char, count);
  w->bar = HN_TAKE(arena, hn_node, count);
  w->entry = HN_TAKE(arena, hn_node, count);
  // as many as there may be at most
  w->argument = HN_TAKE(arena, hn_node, w->p.plan->arguments->count);
  for (int k = 0; k < FUNCTIONS; k++) {
    w->of[k].q = HN_TAKE(arena, hn_node, sys->nq);
    w->of[k].v = HN_TAKE(arena, hn_node, sys->nv);
    w->of[k].table = HN_TAKE(arena, hn_node, count);
  }
}

// answers of the functions that go forth
typedef struct forth {
  hn_answer motion[4], moved[3], look[4], count[2];
} forth;

// the same functions as those of members.c, without directions
static forth answers_of(const hn_printer *p) {
  const hn_formulas *f = &p->f;
  const hn_system *sys = f->sys;
  return (forth){
      .motion = {{"qdot", p->qdot, sys->nq},
                 {"a", p->a, sys->nv},
                 {"power", &f->power, 1},
                 {NULL, &f->firmness, 1}},
      .moved = {{"q1", p->next_q, sys->nq}, {"v1", p->next_v, sys->nv}, {NULL, &f->firmness, 1}},
      .look = {{"phi", f->phi, sys->rows},
               {"psi", f->psi, sys->rows},
               {"energy", p->energies, 2},
               {"column", p->column, p->plan->arguments->columns.count}},
      .count = {{"value", p->turn, sys->turns}, {"speed", p->turn_rate, sys->turns}}};
}

// which numbers of the arguments formulas read; those are leaves of the adjoints
// a writer is needed to mark what functions need; its text is thrown away
static bool find_leaves(writing *w) {
  hn_printer *p = &w->p;
  const forth a = answers_of(p);
  p->w = hn_printer_writer(p);
  bool good = hn_write_begin(&p->w);
  if (good) {
    p->table = w->table, p->own = w->leaf;
    hn_printer_own(p);
    hn_printer_table(p, a.motion, 4);
    hn_printer_table(p, a.look, 4);
    if (p->moves) hn_printer_table(p, a.moved, 3);
    if (p->turns) hn_printer_table(p, a.count, 2);
    w->valued = p->table_count;
    // from place to node
    for (int n = 0; n < w->count; n++)
      if (w->table[n] >= 0) w->entry[w->table[n]] = n;
  }
  free(hn_write_end(&p->w, good));
  return good;
}

static bool build(writing *w) {
  hn_printer *p = &w->p;
  const hn_system *sys = p->f.sys;
  // answers of the functions that carry the state
  w->of[MOTION] = (adjoint){{p->qdot, p->a}, {sys->nq, sys->nv}, NULL, NULL, NULL};
  w->of[MOVED] = (adjoint){{p->next_q, p->next_v}, {sys->nq, sys->nv}, NULL, NULL, NULL};
  w->of[LOOK] =
      (adjoint){{p->column, NULL}, {p->plan->arguments->columns.count, 0}, NULL, NULL, NULL};
  w->count = p->f.g->count;
  layout(w, &w->arena);
  if (!hn_arena_allocate(&w->arena)) return false;
  layout(w, &w->arena);
  bool good = find_leaves(w);
  for (int k = 0; k < FUNCTIONS && good; k++)
    // models without rows are not corrected
    if (k != MOVED || p->moves) good = differentiate(w, &w->of[k]);
  return good && differentiate_table(w);
}

// ---- the text ---------------------------------------------------------------------------------

static const hn_signature back_signature = {
    .inner = "FN",
    .outer = "FN ",
    .arguments = "R t, const R *restrict q, const R *restrict v, const R *restrict turn,\n"
                 "    const R *restrict side, const R *restrict c, const R *restrict z",
    .names = "t, q, v, turn, side, c, z",
    .unused = "  (void)t, (void)q, (void)v, (void)turn, (void)side, (void)c, (void)z;\n"};

static void write_back(writing *w, const adjoint *a, const char *name) {
  hn_writer *to = &w->p.w;
  const hn_system *sys = w->p.f.sys;
  const hn_answer answers[] = {
      {"qbar", a->q, sys->nq}, {"vbar", a->v, sys->nv}, {"cbar", a->table, w->valued}};
  // for one function the signature has z as well
  to->signature = &back_signature;
  hn_write_function(to, name, "\n", answers, 3);
  to->signature = &hn_state_signature;
}

static void write_prepare_back(writing *w) {
  hn_writer *to = &w->p.w;
  static const hn_signature signature = {.inner = "static",
                                         .outer = "",
                                         .arguments =
                                             "const double *restrict p, const double *restrict z",
                                         .names = "p, z",
                                         .unused = "  (void)p, (void)z;\n"};
  const hn_answer answer = {"worth", w->argument, w->p.plan->arguments->count};
  const int *table = to->table;
  // p is read as it is: there is no table yet
  to->table = NULL, to->signature = &signature;
  hn_write_function(to, "holon_prepare_back", "\n// what the table is worth, for the arguments\n",
                    &answer, 1);
  to->table = table, to->signature = &hn_state_signature;
}

static void write_list(const hn_writer *w, const double *x, int count) {
  for (int i = 0; i < count; i++) {
    hn_write_number(w, x[i]);
    fputs(", ", w->out);
  }
}

// as arrays: going back needs the tableau by columns, and loops are short beside formulas
// tableaus are lower triangular
static void write_stepper(const hn_writer *w, const hn_stepper *s) {
  fprintf(w->out, "static const double A[STAGES][STAGES] = {");
  for (int i = 0; i < s->stages; i++) {
    fputs("{", w->out);
    write_list(w, s->a + i * s->width, i);
    fputs(i ? "},\n  " : "0},\n  ", w->out);
  }
  fputs("};\nstatic const double B[STAGES] = {", w->out);
  write_list(w, s->b, s->stages);
  fputs("};\nstatic const double C[STAGES] = {", w->out);
  write_list(w, s->c, s->stages);
  fputs("};\n\n", w->out);
}

// sizes are constants of the text, so that loops over them unroll
static void head(const writing *w) {
  const hn_printer *p = &w->p;
  const hn_system *sys = p->f.sys;
  fprintf(p->w.out,
          "enum { NQ = %d, NV = %d, ROWS = %d, TURNS = %d, TABLE = %d, COLUMNS = %d };\n"
          "enum { VALUED = %d, STAGES = %d };\n"
          "#define MOVES %d\n#define TURNED %d\n#define CORRECTIONS %d\n",
          sys->nq, sys->nv, sys->rows, p->turns ? sys->turns : 0, p->table_count,
          p->plan->arguments->columns.count, w->valued, p->plan->stepper.stages, p->moves, p->turns,
          p->plan->corrections);
  fputs(hn_members_prelude, p->w.out);
  fputs(hn_members_operations, p->w.out);
}

// what arguments alone decide of the adjoints is in the table, too
// numbers that only adjoints read go behind those that are worth something
static void widen_table(writing *w) {
  hn_printer *p = &w->p;
  // all functions together: the table is for all
  for (int k = 0; k < FUNCTIONS; k++) {
    const adjoint *a = &w->of[k];
    const hn_answer answers[] = {
        {"", a->q, p->f.sys->nq}, {"", a->v, p->f.sys->nv}, {"", a->table, w->valued}};
    if (k != MOVED || p->moves) hn_printer_table(p, answers, 3);
  }
}

static bool write_text(writing *w) {
  hn_printer *p = &w->p;
  hn_writer *to = &p->w;
  const forth a = answers_of(p);
  widen_table(w);
  // places are known from here on
  to->table = p->table;
  head(w);
  // all operations: adjoints bring others than the formulas have
  memset(to->used, 1, sizeof to->used);
  hn_write_operations(to);
  if (!hn_printer_prepare(p)) return false;
  write_prepare_back(w);
  hn_write_function(to, "motion", "\n// rates, accelerations, power\n", a.motion, 4);
  if (p->moves) hn_write_function(to, "corrected", "\n// onto the constraints\n", a.moved, 3);
  hn_write_function(to, "look", "\n// residuals, energies, columns\n", a.look, 4);
  if (p->turns) hn_write_function(to, "count_turns", "\n// counted angles\n", a.count, 2);
  write_back(w, &w->of[MOTION], "motion_back");
  if (p->moves) write_back(w, &w->of[MOVED], "corrected_back");
  write_back(w, &w->of[LOOK], "look_back");
  write_stepper(to, &p->plan->stepper);
  fputs(hn_members_rows, to->out);
  fputs(hn_text_forth, to->out);
  fputs(hn_text_back, to->out);
  return true;
}

static void layout_nodes(hn_printer *p, hn_arena *arena) {
  p->table = HN_TAKE(arena, int, p->f.g->count);
  p->own = HN_TAKE(arena, unsigned char, p->f.g->count);
}

// now that the graph is whole
// tables of nodes were laid out for fewer of them: anew
static char *print(writing *w) {
  hn_printer *p = &w->p;
  hn_arena nodes = {0};
  p->w = hn_printer_writer(p);
  bool good = hn_write_begin(&p->w);
  layout_nodes(p, &nodes);
  good = hn_arena_allocate(&nodes) && good;
  if (good) {
    layout_nodes(p, &nodes);
    hn_printer_own(p);
    // places of what is worth something stay as they were found
    for (int k = 0; k < w->valued; k++) p->table[w->entry[k]] = k;
    good = write_text(w);
  }
  char *text = hn_write_end(&p->w, good);
  free(nodes.base);
  return text;
}

static hn_backward_sizes sizes_of(const writing *w) {
  const hn_printer *p = &w->p;
  const hn_members_plan *plan = p->plan;
  hn_backward_sizes s = {.nq = plan->sys->nq,
                         .nv = plan->sys->nv,
                         .turns = p->turns ? plan->sys->turns : 0,
                         .arguments = plan->arguments->count,
                         .columns = plan->arguments->columns.count,
                         .table = p->table_count,
                         .valued = w->valued};
  s.state = s.nq + s.nv + 2 * s.turns + HN_END_SWITCH + 2;
  // all points at which formulas were evaluated
  s.kept = (plan->stepper.stages + plan->corrections) * (s.nq + s.nv + s.turns);
  return s;
}

// one lane: the way back is one member's
static hn_status load(hn_backward_code *code, const char *text, char *message, size_t size) {
  hn_status status =
      hn_compile_text(text, NULL, "-std=gnu17 -w -DHOLON_LANES=1", &code->handle, message, size);
  if (!status && (!hn_find_function(code->handle, "holon_prepare", &code->prepare) ||
                  !hn_find_function(code->handle, "holon_prepare_back", &code->prepare_back) ||
                  !hn_find_function(code->handle, "holon_forth", &code->forth) ||
                  !hn_find_function(code->handle, "holon_back", &code->back))) {
    snprintf(message, size, "the code cannot be loaded");
    status = HN_ERR_FILE;
  }
  return status;
}

hn_status hn_backward_create(hn_backward_code *code, const hn_members_plan *plan, char *message,
                             size_t size) {
  writing w = {0};
  hn_members_plan own = *plan;
  char *text = NULL;
  // adjoints are taken backward; there are no directions forward
  own.tangent = false;
  *code = (hn_backward_code){0};
  hn_status status = hn_printer_begin(&w.p, &own, message, size);
  if (!status && build(&w)) text = print(&w);
  if (!status && !text) status = HN_ERR_MEMORY;
  if (!status) code->sizes = sizes_of(&w);
  free(w.arena.base);
  status = hn_printer_end(&w.p, status, message, size);
  if (!status) status = load(code, text, message, size);
  free(text);
  return status;
}

void hn_backward_unload(hn_backward_code *code) {
  hn_unload(code->handle);
  *code = (hn_backward_code){0};
}

// ---- a passage forth and back -------------------------------------------------------------------

// `state` has the state at the beginning of each piece, and at the end of the last
struct hn_backward_work {
  const hn_backward_code *code;
  long steps, every;
  long piece, pieces;  // steps of a piece whose states are all kept; how many there are
  double *table, *kept, *state, *now, *worth, *bar;
};

// what an audit wants to know, in the state
// as backward_text.h has them
enum { WORK, FIRM, FIRST, PHI, PSI, BALANCE, TURNOVER, DOUBT };

// Pieces are as long as memory allows, at the price of running each once more. With one level of
// them a run of n steps needs room for about the root of n states where memory is short.
hn_backward_work *hn_backward_open(const hn_backward_code *code, long steps, long every,
                                   size_t most) {
  const hn_backward_sizes *s = &code->sizes;
  hn_backward_work *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  // [bytes] of a step
  size_t of_step = (size_t)s->kept * sizeof(double) + 1;
  // 256 MiB unless told
  size_t fits = (most ? most : (size_t)256 << 20) / of_step;
  *w = (hn_backward_work){.code = code, .steps = steps, .every = every};
  w->piece = fits < 1 ? 1 : fits > (size_t)steps ? steps : (long)fits;
  // rounded up; the last one may be shorter
  w->pieces = (steps + w->piece - 1) / w->piece;
  w->table = calloc((size_t)s->table + 1, sizeof(double));
  w->kept = calloc((size_t)w->piece * (size_t)s->kept + 1, sizeof(double));
  w->state = calloc((size_t)(w->pieces + 1) * (size_t)s->state, sizeof(double));
  w->now = calloc((size_t)s->state, sizeof(double));
  w->worth = calloc((size_t)s->valued + 1, sizeof(double));
  w->bar = calloc((size_t)(s->nq + s->nv) + 1, sizeof(double));
  if (w->table && w->kept && w->state && w->now && w->worth && w->bar) return w;
  hn_backward_close(w);
  return NULL;
}

void hn_backward_close(hn_backward_work *w) {
  if (!w) return;
  free(w->table), free(w->kept), free(w->state), free(w->now), free(w->worth), free(w->bar);
  free(w);
}

static long steps_of(const hn_backward_work *w, long piece) {
  return piece + 1 < w->pieces ? w->piece : w->steps - piece * w->piece;
}

// only the last piece keeps its stages: it is the first on the way back
void hn_backward_forth(hn_backward_work *w, hn_passage *x) {
  const hn_backward_code *code = w->code;
  const hn_backward_sizes *s = &code->sizes;
  size_t size = (size_t)s->state;
  // behind coordinates, velocities, turns and their rates
  int audit = s->nq + s->nv + 2 * s->turns;
  double *y = w->state;
  code->prepare(x->p, w->table);
  memset(y, 0, size * sizeof *y);
  memcpy(y, x->start, (size_t)(s->nq + s->nv + s->turns) * sizeof *y);
  // least of all to come
  y[audit + FIRM] = y[audit + FIRST] = 1;
  for (long k = 0; k < w->pieces; k++, y += size) {
    memcpy(y + size, y, size * sizeof *y);
    // the last piece is still there when the way back begins
    code->forth(w->table, y + size, x->h, k * w->piece, steps_of(w, k), w->every, x->rows,
                k + 1 == w->pieces ? w->kept : NULL);
  }
  const double *e = y + audit;
  x->end[HN_END_WORK] = e[WORK], x->end[HN_END_FIRMNESS] = e[FIRM], x->end[HN_END_FIRM] = e[FIRST];
  x->end[HN_END_POSITION] = e[PHI], x->end[HN_END_VELOCITY] = e[PSI];
  x->end[HN_END_BALANCE] = e[BALANCE], x->end[HN_END_TURNOVER] = e[TURNOVER];
  x->end[HN_END_DOUBT] = e[DOUBT];
  x->end[HN_END_SWITCH] = 1;  // nothing switches here
}

// may be called again with another z: what was kept of a single piece is still there
void hn_backward_back(hn_backward_work *w, const hn_passage *x, const double *z, double *start,
                      double *arguments) {
  const hn_backward_code *code = w->code;
  const hn_backward_sizes *s = &code->sizes;
  size_t size = (size_t)s->state;
  memset(w->bar, 0, (size_t)(s->nq + s->nv) * sizeof *w->bar);
  memset(w->worth, 0, (size_t)s->valued * sizeof *w->worth);
  for (long k = w->pieces - 1; k >= 0; k--) {
    const double *from = w->state + (size_t)k * size;
    // run once more, now keeping its steps
    if (w->pieces > 1) {
      memcpy(w->now, from, size * sizeof *w->now);
      code->forth(w->table, w->now, x->h, k * w->piece, steps_of(w, k), w->every, NULL, w->kept);
    }
    code->back(w->table, w->kept, from + size, x->h, k * w->piece, steps_of(w, k), w->every, z,
               w->bar, w->worth);
  }
  // q and v; turns are worth nothing
  memcpy(start, w->bar, (size_t)(s->nq + s->nv) * sizeof *start);
  code->prepare_back(x->p, w->worth, arguments);
}
