// members.c: see members.h. Formulas of the step's parts are written by write.c; what carries them
// through time is text that is the same for all models (members_text.h), but for the stages of the
// Runge-Kutta method.
//
// What depends on arguments only is computed once a member, by holon_prepare, and read from a
// table.
#include "code/members_print.h"
#include "code/members_text.h"

#include <string.h>

// ---- formulas of a step's parts ---------------------------------------------------------------

// q turned by d and made a unit quaternion; d is small, and what a turn by half the tangent differs
// from one by half the angle is smaller than round-off there
static void turned(hn_graph *g, const hn_node q[4], const hn_node d[3], hn_node o[4]) {
  hn_node rate[4], norm = hn_graph_constant(g, 0);
  hn_quaternion_rate(g, rate, q, d);
  // q + q (0, d) / 2, then to unit length
  for (int i = 0; i < 4; i++) {
    o[i] = n_add(g, q[i], rate[i]);
    norm = n_add(g, norm, n_mul(g, o[i], o[i]));
  }
  hn_node inverse = n_div(g, hn_graph_constant(g, 1), n_function(g, HN_OP_SQRT, norm));
  for (int i = 0; i < 4; i++) o[i] = n_mul(g, o[i], inverse);
}

// One projection: positions by d, velocities by x, both from the state before it. Families of
// coordinates say which of their numbers are quaternions (part.nq != part.nv).
static void correct(hn_printer *p) {
  hn_formulas *f = &p->f;
  const hn_system *sys = f->sys;
  hn_coordinate_part part;
  p->moves = hn_lasting_rows(sys) > 0;
  // velocities by x alone; d is of positions
  for (int k = 0; k < sys->nv; k++) p->next_v[k] = n_add(f->g, hn_input_v(f, k), f->x[k]);
  for (int i = 0; sys->coordinates->part(sys, i, &part); i++) {
    bool turns = part.nq != part.nv;
    // a quaternion has one number more than velocities: three turns behind the lengths
    int linear = turns ? part.nv - 3 : part.nv;
    for (int k = 0; k < linear; k++)
      p->next_q[part.q0 + k] = n_add(f->g, hn_input_q(f, part.q0 + k), f->d[part.v0 + k]);
    if (!turns) continue;
    hn_node q[4];
    for (int k = 0; k < 4; k++) q[k] = hn_input_q(f, part.q0 + linear + k);
    turned(f->g, q, f->d + part.v0 + linear, p->next_q + part.q0 + linear);
    // quaternions must be normalised after every step, also without rows
    p->moves = true;
  }
}

// the value is already the one nearest to the expected turn (rows.c)
static void angles(hn_printer *p) {
  hn_formulas *f = &p->f;
  for (int i = 0; i < f->sys->turns; i++) p->turn[i] = p->turn_rate[i] = f->zero;
  for (int i = 0; i < f->sys->measures; i++) {
    // only angles in space have a memory of turns
    int turn = f->sys->measure[i].turn;
    if (turn < 0) continue;
    hn_jet m = hn_measure_jet(f, i);
    p->turn[turn] = m.value;
    p->turn_rate[turn] = m.rate;
  }
}

// twice the room: derivatives stand behind what they are of
// [0, n): the answers, [n, 2 n): along the direction
static void layout(hn_printer *p, hn_arena *arena) {
  const hn_system *sys = p->plan->sys;
  p->qdot = HN_TAKE(arena, hn_node, 2 * sys->nq);
  p->a = HN_TAKE(arena, hn_node, 2 * sys->nv);
  p->next_q = HN_TAKE(arena, hn_node, 2 * sys->nq);
  p->next_v = HN_TAKE(arena, hn_node, 2 * sys->nv);
  p->column = HN_TAKE(arena, hn_node, 2 * p->plan->arguments->columns.count);
  p->turn = HN_TAKE(arena, hn_node, sys->turns);
  p->turn_rate = HN_TAKE(arena, hn_node, sys->turns);
  p->watch = HN_TAKE(arena, hn_node, sys->switches + sys->unilaterals);
  p->watch_rate = HN_TAKE(arena, hn_node, sys->switches + sys->unilaterals);
}

// for the graph as it is now: nodes that are added later have no place
static void layout_nodes(hn_printer *p, hn_arena *arena) {
  p->table = HN_TAKE(arena, int, p->f.g->count);
  p->own = HN_TAKE(arena, unsigned char, p->f.g->count);
}

// ---- what is computed once --------------------------------------------------------------------

// an argument, or its derivative
// inputs of a direction are v, q, then arguments; only the last are known beforehand
static bool is_argument(const hn_printer *p, int input) {
  // arguments of the direction stand behind those of v and q
  int k = input - p->f.in_p - p->plan->arguments->count;
  return input >= p->f.in_p &&
         (k < 0 || (p->plan->tangent && k >= p->plan->sys->nq + p->plan->sys->nv));
}

// Upward through the graph: a node is a member's own number where everything in it is an argument
// or a constant, and something is an argument.
void hn_printer_own(hn_printer *p) {
  const hn_graph *g = p->f.g;
  for (int n = 0; n < g->count; n++) {
    // no arguments: constants and inputs
    const hn_graph_node *node = &g->nodes[n];
    int arity = hn_op_table[node->op].arity;
    bool own = node->op == HN_OP_INPUT && is_argument(p, node->args[0]);
    bool all = arity > 0, any = false;
    for (int i = 0; i < arity; i++) {
      bool constant = g->nodes[node->args[i]].op == HN_OP_CONSTANT;
      all = all && (constant || p->own[node->args[i]]);
      any = any || p->own[node->args[i]];
    }
    // a constant alone is no number of the member
    p->own[n] = own || (all && any);
    p->table[n] = -1;
  }
}

// only the uppermost of such nodes: what they are made of is computed in holon_prepare and read by
// nobody else
static void enter(hn_printer *p, hn_node n) {
  if (p->own[n] && p->table[n] < 0) p->table[n] = p->table_count++;
}

// what these answers need of it gets a place in the table
void hn_printer_table(hn_printer *p, const hn_answer *a, int answers) {
  // marks what the answers need
  const hn_graph *g = p->f.g;
  hn_write_need(&p->w, a, answers);
  for (int k = 0; k < answers; k++)
    for (int i = 0; i < a[k].count; i++) enter(p, a[k].node[i]);
  for (int n = 0; n < g->count; n++) {
    if (!p->w.mark[n]) continue;
    // a node that is not the member's own reads some that are: these are entered
    for (int i = 0; !p->own[n] && i < hn_op_table[g->nodes[n].op].arity; i++)
      enter(p, g->nodes[n].args[i]);
    // does anything read a counted angle? Then they must be kept
    bool turn = g->nodes[n].op == HN_OP_INPUT && g->nodes[n].args[0] >= p->f.in_turn &&
                g->nodes[n].args[0] < p->f.in_side;
    p->turns = p->turns || turn;
  }
}

// Numbers of a member are prepared on the processor, also for a GPU, in 64 bits. The writer is lent
// other words for one function and gets its own back.
bool hn_printer_prepare(hn_printer *p) {
  hn_writer *w = &p->w;
  const hn_graph *g = p->f.g;
  static const hn_signature signature = {.inner = "static",
                                         .outer = "#if !HOLON_DEVICE\n",
                                         .arguments = "const double *restrict p",
                                         .names = "p",
                                         .unused = "  (void)p;\n"};
  hn_node *node = malloc(((size_t)p->table_count + 1) * sizeof *node);
  if (!node) return false;
  // from place in the table to node
  for (int n = 0; n < g->count; n++)
    if (p->table[n] >= 0) node[p->table[n]] = n;
  // the writer's words are lent: type and signature of a function of p
  const hn_answer answer = {"c", node, p->table_count};
  const hn_signature *before = w->signature;
  const char *type = w->type, *numbers = w->numbers;
  w->table = NULL, w->type = "double", w->numbers = "", w->signature = &signature;
  int longest = w->longest;
  // cutting would need names of parts that are the lanes' own
  w->prefix = "one_", w->longest = g->count + 1;  // in one piece
  hn_write_function(w, "holon_prepare", "\n// what is computed of the arguments once a member\n",
                    &answer, 1);
  fputs("#endif\n", w->out);
  w->table = p->table, w->type = type, w->numbers = numbers, w->signature = before;
  w->prefix = "", w->longest = longest;
  free(node);
  return true;
}

// ---- the text ---------------------------------------------------------------------------------

// weights that are zero leave no trace: tableaus are half empty
static void sums(const hn_writer *w, const char *name, const char *start, const char *count,
                 const double *weight, int stages) {
  // s = sum of weight_j k_j, then y = start + h s
  fprintf(w->out, "    UNROLL for (int i = 0; i < %s; i++) {\n      R s = N(0.0);\n", count);
  for (int j = 0; j < stages; j++) {
    if (weight[j] == 0) continue;
    fputs("      s += ", w->out);
    hn_write_number(w, weight[j]);
    fprintf(w->out, " * k%s[%d][i];\n", start, j);
  }
  fprintf(w->out, "      %s%s[i] = %s[i] + h * s;\n    }\n", name, start, start);
}

// each stage needs the one before it alone, as in the classical method: its slopes are not kept
static bool is_chain(const hn_stepper *s) {
  for (int i = 1; i < s->stages; i++)
    // any weight but that of the stage before
    for (int j = 0; j + 1 < i; j++)
      if (s->a[i * s->width + j] != 0) return false;
  return true;
}

// one stage; the firmness is looked at where steps begin, and where they end (corrected)
static void call_motion(const hn_writer *w, double c, const char *y, const char *k,
                        const char *index) {
  // c = 0: the first stage begins where the step does, which is where firmness is asked
  fputs("    { const R at = h * ", w->out);
  hn_write_number(w, c);
  fprintf(w->out,
          ";\n      EXPECT(at);\n"
          "      %smotion(t + at, %sq, %sv, near, side, c, kq%s, kv%s, %s)%s; }\n",
          c == 0 ? "*firm = op_least(*firm, " : "", y, y, index, index, k, c == 0 ? ")" : "");
}

// sums grow stage by stage: three vectors in the place of one for each stage, which registers of a
// GPU have room for
static void write_chain(const hn_writer *w, const hn_stepper *s) {
  fputs("  R kq[NQ], kv[NV], kw, sq[NQ], sv[NV], sw = N(0.0), yq[NQ], yv[NV];\n"
        "  UNROLL for (int i = 0; i < NQ; i++) yq[i] = q[i], sq[i] = N(0.0);\n"
        "  UNROLL for (int i = 0; i < NV; i++) yv[i] = v[i], sv[i] = N(0.0);\n",
        w->out);
  for (int i = 0; i < s->stages; i++) {
    call_motion(w, s->c[i], "y", "&kw", "");
    // q, v and the work, each: s += b k, y = x + h a k
    for (int part = 0; part < 3; part++) {
      const char *name = part == 0 ? "q[i]" : part == 1 ? "v[i]" : "w";
      if (part < 2)
        fprintf(w->out, "    UNROLL for (int i = 0; i < %s; i++) {\n", part ? "NV" : "NQ");
      fprintf(w->out, "      s%s += ", name);
      hn_write_number(w, s->b[i]);
      fprintf(w->out, " * k%s;\n", name);
      // the next stage starts from the step's beginning
      if (part < 2 && i + 1 < s->stages) {
        fprintf(w->out, "      y%s = %s + h * ", name, name);
        hn_write_number(w, s->a[(i + 1) * s->width + i]);
        fprintf(w->out, " * k%s;\n", name);
      }
      if (part < 2) fputs("    }\n", w->out);
    }
  }
  fputs("  UNROLL for (int i = 0; i < NQ; i++) q[i] += h * sq[i];\n"
        "  UNROLL for (int i = 0; i < NV; i++) v[i] += h * sv[i];\n"
        "  *w += h * sw;\n",
        w->out);
}

// the general tableau; all slopes are kept until the step ends
static void write_stages(const hn_writer *w, const hn_stepper *s) {
  char index[16], work[16];
  fprintf(w->out,
          "  R kq[%d][NQ], kv[%d][NV], kw[%d], yq[NQ], yv[NV], sw = N(0.0);\n"
          "  UNROLL for (int i = 0; i < NQ; i++) yq[i] = q[i];\n"
          "  UNROLL for (int i = 0; i < NV; i++) yv[i] = v[i];\n",
          s->stages, s->stages, s->stages);
  // y is q and v at the first stage
  for (int i = 0; i < s->stages; i++) {
    if (i) sums(w, "y", "q", "NQ", s->a + i * s->width, i);
    if (i) sums(w, "y", "v", "NV", s->a + i * s->width, i);
    snprintf(index, sizeof index, "[%d]", i);
    snprintf(work, sizeof work, "&kw[%d]", i);
    call_motion(w, s->c[i], "y", work, index);
  }
  // the step itself: all stages by b
  sums(w, "", "q", "NQ", s->b, s->stages);
  sums(w, "", "v", "NV", s->b, s->stages);
  for (int j = 0; j < s->stages; j++) {
    // work feeds on nothing: only its sum is needed
    if (s->b[j] == 0) continue;
    fputs("  sw += ", w->out);
    hn_write_number(w, s->b[j]);
    fprintf(w->out, " * kw[%d];\n", j);
  }
  fputs("  *w += h * sw;\n", w->out);
}

// `near`: where counted angles are expected inside the step, by their rates at its beginning
static void write_step(const hn_printer *p) {
  const hn_writer *w = &p->w;
  fputs("\n// one step of the Runge-Kutta method\n"
        "FN void advance(R t, R h, R *restrict q, R *restrict v, R *w, const R *turn,\n"
        "                const R *rate, const R *side, const R *c, R *firm) {\n"
        "  R near[TURNS + 1];\n  (void)near, (void)turn, (void)rate;\n",
        w->out);
  if (is_chain(&p->plan->stepper))
    write_chain(w, &p->plan->stepper);
  else
    write_stages(w, &p->plan->stepper);
  fputs("}\n", w->out);
}

// powers other than those that are products
static bool any_power(const hn_graph *g) {
  for (int n = 0; n < g->count; n++) {
    if (g->nodes[n].op != HN_OP_POW) continue;
    const hn_graph_node *by = &g->nodes[g->nodes[n].args[1]];
    if (by->op != HN_OP_CONSTANT || (by->value != 3 && by->value != 4)) return true;
  }
  return false;
}

// a function of the text that every C library and device rounds in its own way; NULL: there is
// none. Sums, products, quotients, roots and remainders are exact, sines the text's own
static const char *rounded_function(const hn_printer *p) {
  static const hn_op theirs[] = {HN_OP_TAN,  HN_OP_ASIN,  HN_OP_ACOS, HN_OP_ATAN, HN_OP_ATAN2,
                                 HN_OP_SINH, HN_OP_COSH,  HN_OP_TANH, HN_OP_EXP,  HN_OP_LOG,
                                 HN_OP_POW,  HN_OP_LOG10, HN_OP_HYPOT};
  for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
    if (p->w.used[theirs[i]] && (theirs[i] != HN_OP_POW || any_power(p->f.g)))
      return hn_op_table[theirs[i]].name;
  return NULL;
}

// the table is filled before anything is written: holon_prepare comes first in the text, and must
// know what all functions read
static bool write_text(hn_printer *p, hn_members_text *out) {
  hn_members_sizes *sizes = &out->sizes;
  hn_formulas *f = &p->f;
  const hn_system *sys = f->sys;
  hn_writer *w = &p->w;
  // with a direction everything is twice as long
  int times = p->plan->tangent ? 2 : 1;
  const hn_answer motion[] = {{"qdot", p->qdot, times * sys->nq},
                              {"a", p->a, times * sys->nv},
                              {"power", &f->power, 1},
                              {NULL, &f->firmness, 1}};
  const hn_answer moved[] = {{"q1", p->next_q, times * sys->nq},
                             {"v1", p->next_v, times * sys->nv},
                             {NULL, &f->firmness, 1}};
  const hn_answer look[] = {{"phi", f->phi, sys->rows},
                            {"psi", f->psi, sys->rows},
                            {"energy", p->energies, 2},
                            {"column", p->column, times * p->plan->arguments->columns.count}};
  const hn_answer count[] = {{"value", p->turn, sys->turns}, {"speed", p->turn_rate, sys->turns}};
  const hn_answer watch[] = {{"g", p->watch, p->watched}, {"r", p->watch_rate, p->watched}};
  // first of all functions: what they read of the table
  hn_printer_table(p, motion, 4);
  hn_printer_table(p, look, 4);
  if (p->moves) hn_printer_table(p, moved, 3);
  hn_printer_table(p, watch, 2);
  if (p->turns) hn_printer_table(p, count, 2);
  w->table = p->table;
  *sizes = (hn_members_sizes){.nq = times * sys->nq,
                              .nv = times * sys->nv,
                              .turns = p->turns ? sys->turns : 0,
                              .sides = sys->switches + sys->memories,
                              .table = p->table_count,
                              .columns = times * p->plan->arguments->columns.count};
  // lengths that callers need to lay out memory
  sizes->start = sizes->nq + sizes->nv + 2 * sizes->turns + sizes->sides;
  sizes->end = sizes->nq + sizes->nv + HN_END_COUNT;
  // sizes as constants of the text, so that loops unroll
  fprintf(w->out, "enum { NQ = %d, NV = %d, ROWS = %d, TURNS = %d, TABLE = %d, COLUMNS = %d };\n",
          sizes->nq, sizes->nv, sys->rows, sizes->turns, sizes->table, sizes->columns);
  fprintf(w->out, "enum { SIDES = %d };\n#define WATCHED %d\n", sizes->sides, p->watched);
  fprintf(w->out, "#define MOVES %d\n#define TURNED %d\n#define CORRECTIONS %d\n", p->moves,
          p->turns, p->plan->corrections);
  fputs(hn_members_prelude, w->out);
  fputs(hn_members_operations, w->out);
  // operations of all functions together, written once
  memset(w->used, 0, sizeof w->used);
  hn_write_need(w, motion, 4);
  hn_write_need(w, look, 4);
  hn_write_need(w, moved, 3);
  hn_write_need(w, count, 2);
  hn_write_need(w, watch, 2);
  hn_write_operations(w);
  out->rounded = rounded_function(p);
  // before all that reads the table
  if (!hn_printer_prepare(p)) return false;
  hn_write_function(w, "motion", "\n// rates, accelerations, power\n", motion, 4);
  if (p->moves) hn_write_function(w, "corrected", "\n// onto the constraints\n", moved, 3);
  hn_write_function(w, "look", "\n// residuals, energies, columns\n", look, 4);
  if (p->turns) hn_write_function(w, "count_turns", "\n// counted angles\n", count, 2);
  if (p->watched) hn_write_function(w, "watch", "\n// what must stay above zero\n", watch, 2);
  // around the functions: a step, rows, watching, the loop over steps
  write_step(p);
  fputs(hn_members_rows, w->out);
  fputs(hn_members_watch, w->out);
  fputs(hn_members_loop, w->out);
  return true;
}

// what functions of a state are given
const hn_signature hn_state_signature = {
    .inner = "FN",
    .outer = "FN ",
    .arguments = "R t, const R *restrict q, const R *restrict v, const R *restrict turn,\n"
                 "    const R *restrict side, const R *restrict c",
    .names = "t, q, v, turn, side, c",
    .unused = "  (void)t, (void)q, (void)v, (void)turn, (void)side, (void)c;\n"};

hn_writer hn_printer_writer(hn_printer *p) {
  return (hn_writer){.f = &p->f,
                     .type = "R",
                     .numbers = "N",
                     .prefix = "",
                     .members = true,
                     .longest = 4000,
                     .arguments = p->plan->arguments->count,
                     .signature = &hn_state_signature};
}

static hn_status print(hn_printer *p, hn_members_text *out) {
  hn_arena nodes = {0};
  p->w = hn_printer_writer(p);
  p->w.directions = p->plan->tangent;
  bool good = hn_write_begin(&p->w);
  layout_nodes(p, &nodes);
  good = hn_arena_allocate(&nodes) && good;
  if (good) {
    layout_nodes(p, &nodes);
    hn_printer_own(p);
    good = write_text(p, out);
  }
  out->text = hn_write_end(&p->w, good);
  free(nodes.base);
  return out->text ? HN_OK : HN_ERR_MEMORY;
}

hn_status hn_printer_begin(hn_printer *p, const hn_members_plan *plan, char *message, size_t size) {
  const hn_arguments *a = plan->arguments;
  const hn_system *sys = plan->sys;
  // numbers that are arguments become inputs while the formulas are built
  hn_tape tape = {.input = a->input, .known = a->numbers};
  *p = (hn_printer){.plan = plan};
  layout(p, &p->arena);
  if (!hn_arena_allocate(&p->arena)) {
    snprintf(message, size, "out of memory");
    return HN_ERR_MEMORY;
  }
  layout(p, &p->arena);
  hn_status status = hn_arguments_formulas(&a->columns, &p->f, sys, &tape, p->column);
  // without a watch switching is refused
  if (!status && !plan->leaving) {
    if (sys->switches && !plan->deciding) hn_formulas_miss(&p->f, "forces that switch", "");
    if (sys->unilaterals) hn_formulas_miss(&p->f, "limits, ropes, stops and clearance", "");
  } else if (!status && !hn_printer_watch(p)) {
    status = HN_ERR_MEMORY;
  }
  if (!status && p->f.missing[0]) status = HN_ERR_UNSUPPORTED;
  if (!status) {
    memcpy(p->qdot, p->f.qdot, (size_t)sys->nq * sizeof *p->qdot);
    memcpy(p->a, p->f.a, (size_t)sys->nv * sizeof *p->a);
    correct(p);
    angles(p);
    p->energies[0] = p->f.kinetic, p->energies[1] = p->f.potential;
    if (plan->tangent && !hn_printer_differentiate(p)) status = HN_ERR_MEMORY;
  }
  // nodes made later are constants again
  if (p->f.g) p->f.g->tape = NULL;  // all numbers of the model are there
  free(tape.value);
  return status;
}

hn_status hn_printer_end(hn_printer *p, hn_status status, char *message, size_t size) {
  if (status == HN_ERR_UNSUPPORTED)
    snprintf(message, size, "no code can be written for %s", p->f.missing);
  else if (status)
    snprintf(message, size, "out of memory");
  hn_formulas_clear(&p->f);
  free(p->arena.base);
  return status;
}

hn_status hn_members_write(const hn_members_plan *plan, hn_members_text *out, char *message,
                           size_t size) {
  hn_printer p;
  *out = (hn_members_text){0};
  hn_status status = hn_printer_begin(&p, plan, message, size);
  if (!status) status = print(&p, out);
  return hn_printer_end(&p, status, message, size);
}
