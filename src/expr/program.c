// expr_program.c: nodes compiled to a straight-line program over registers.
//
// Registers are laid out as constants, used inputs, then results; the register of a result is
// taken again once nothing needs it. Only nodes that an output needs are computed, each once.
#include "base/arena.h"
#include "expr/internal.h"

#include <limits.h>

// scratch of the compiler, one entry for each node
typedef struct scratch {
  unsigned char *mark;  // needed at all
  int *last_use;        // by which node, INT_MAX for an output
  int *reg;             // where its value lies
  int *free_regs;       // stack of registers to take again
} scratch;

// run twice, to measure and to place
static hn_program *layout_program(hn_arena *arena, const hn_program *sizes) {
  // the program and its arrays are one block, freed at once
  hn_program *p = HN_TAKE(arena, hn_program, 1);
  hn_program at = *sizes;
  at.constants = HN_TAKE(arena, double, sizes->constant_count);
  at.inputs = HN_TAKE(arena, int, sizes->input_count);
  at.code = HN_TAKE(arena, hn_instruction, sizes->code_count);
  at.outputs = HN_TAKE(arena, int, sizes->output_count);
  if (p) *p = at;
  return p;
}

static void layout_scratch(hn_arena *arena, scratch *s, int nodes) {
  s->mark = HN_TAKE(arena, unsigned char, nodes);
  s->last_use = HN_TAKE(arena, int, nodes);
  s->reg = HN_TAKE(arena, int, nodes);
  s->free_regs = HN_TAKE(arena, int, nodes);
}

// mark what the outputs need, count it, and find where each value is used last
static hn_program measure(const hn_graph *g, const hn_node *outputs, int output_count, scratch *s) {
  hn_program sizes = {.output_count = output_count};
  for (int i = 0; i < output_count; i++) s->mark[outputs[i]] = 1;
  hn_graph_mark(g, s->mark);
  for (int n = 0; n < g->count; n++) {
    if (!s->mark[n]) continue;
    const hn_graph_node *node = &g->nodes[n];
    if (node->op == HN_OP_CONSTANT)
      sizes.constant_count++;
    else if (node->op == HN_OP_INPUT)
      sizes.input_count++;
    else
      sizes.code_count++;
    // nodes come after their arguments: the last to write here is the last user
    for (int i = 0; i < hn_op_table[node->op].arity; i++) s->last_use[node->args[i]] = n;
  }
  // outputs live until the end
  for (int i = 0; i < output_count; i++) s->last_use[outputs[i]] = INT_MAX;
  return sizes;
}

// constants and inputs keep their registers for good: they are written once, before the code runs
static void load_leaves(const hn_graph *g, scratch *s, hn_program *p) {
  int constants = 0, inputs = 0;
  for (int n = 0; n < g->count; n++) {
    const hn_graph_node *node = &g->nodes[n];
    if (!s->mark[n]) continue;
    if (node->op == HN_OP_CONSTANT) {
      s->reg[n] = constants;
      p->constants[constants++] = node->value;
    } else if (node->op == HN_OP_INPUT) {
      s->reg[n] = p->constant_count + inputs;
      p->inputs[inputs++] = node->args[0];
    }
  }
}

// Registers of results are taken from a stack, those freed last first, while they are still in the
// cache.
static void emit_code(const hn_graph *g, scratch *s, hn_program *p) {
  int first = p->constant_count + p->input_count, next = first, free_count = 0, count = 0;
  for (int n = 0; n < g->count; n++) {
    const hn_graph_node *node = &g->nodes[n];
    int arity = hn_op_table[node->op].arity, regs[3] = {0};
    if (!s->mark[n] || arity == 0) continue;
    for (int i = 0; i < arity; i++) {
      int argument = node->args[i];
      regs[i] = s->reg[argument];
      // used here for the last time: the result may go there, since it is written after reading
      if (s->last_use[argument] == n && regs[i] >= first) {
        s->free_regs[free_count++] = regs[i];
        s->last_use[argument] = -1;  // the same argument twice is freed once
      }
    }
    s->reg[n] = free_count ? s->free_regs[--free_count] : next++;
    p->code[count++] = (hn_instruction){node->op, s->reg[n], regs[0], regs[1], regs[2]};
  }
  p->register_count = next > 0 ? next : 1;
}

// Linear in the nodes of the graph, also in those that are not needed: graphs are shared by all
// formulas of a model.
hn_program *hn_program_compile(const hn_graph *g, const hn_node *outputs, int output_count) {
  for (int i = 0; i < output_count; i++)
    if (outputs[i] < 0 || outputs[i] >= g->count) return NULL;
  scratch s;
  hn_arena work = {0}, block = {0};
  layout_scratch(&work, &s, g->count);
  if (!hn_arena_allocate(&work)) return NULL;
  layout_scratch(&work, &s, g->count);

  hn_program sizes = measure(g, outputs, output_count > 0 ? output_count : 0, &s);
  hn_program *p = NULL;
  layout_program(&block, &sizes);
  if (hn_arena_allocate(&block)) {
    p = layout_program(&block, &sizes);
    load_leaves(g, &s, p);
    emit_code(g, &s, p);
    for (int i = 0; i < p->output_count; i++) p->outputs[i] = s.reg[outputs[i]];
  }
  free(work.base);
  return p;
}

void hn_program_destroy(hn_program *program) {
  free(program);  // the program lies at the start of its block
}

int hn_program_registers(const hn_program *program) {
  return program->register_count;
}

// before every run: results may not lie there, but scratch is shared between programs
static void load(const hn_program *p, const double *inputs, double *r) {
  for (int i = 0; i < p->constant_count; i++) r[i] = p->constants[i];
  for (int i = 0; i < p->input_count; i++) r[p->constant_count + i] = inputs[p->inputs[i]];
}

int hn_program_run_finite(const hn_program *p, const double *inputs, double *registers,
                          double *outputs) {
  double *r = registers;
  load(p, inputs, r);
  for (int i = 0; i < p->code_count; i++) {
    const hn_instruction *x = &p->code[i];
    // stops at the first, as what follows would only spread it
    r[x->to] = hn_op_value(x->op, r[x->a], r[x->b], r[x->c]);
    if (!isfinite(r[x->to])) return 0;
  }
  for (int i = 0; i < p->output_count; i++) outputs[i] = r[p->outputs[i]];
  return 1;
}

void hn_program_run(const hn_program *p, const double *inputs, double *registers, double *outputs) {
  double *r = registers;
  load(p, inputs, r);
  const hn_instruction *end = p->code + p->code_count;
  for (const hn_instruction *i = p->code; i < end; i++)
    r[i->to] = hn_op_value(i->op, r[i->a], r[i->b], r[i->c]);
  for (int i = 0; i < p->output_count; i++) outputs[i] = r[p->outputs[i]];
}

const int *hn_program_inputs(const hn_program *program, int *count) {
  *count = program->input_count;
  return program->inputs;
}

// inputs, registers, outputs of the replay, and the gradient
static void layout_gradient(hn_arena *arena, const hn_program *p, int most, hn_node **nodes) {
  nodes[0] = HN_TAKE(arena, hn_node, most);
  nodes[1] = HN_TAKE(arena, hn_node, p->register_count);
  nodes[2] = HN_TAKE(arena, hn_node, p->output_count);
  nodes[3] = HN_TAKE(arena, hn_node, p->input_count);
}

// the outputs as nodes of a graph, then what they make of its inputs
hn_program *hn_program_gradient(const hn_program *p, int output) {
  int most = 1;
  // numbers of inputs may have gaps: room for the largest
  for (int i = 0; i < p->input_count; i++)
    if (p->inputs[i] >= most) most = p->inputs[i] + 1;
  hn_graph *g = hn_graph_create();
  hn_node *nodes[4], *bar = NULL;
  unsigned char *leaf = NULL;
  hn_program *result = NULL;
  hn_arena arena = {0};
  layout_gradient(&arena, p, most, nodes);
  if (g && hn_arena_allocate(&arena)) {
    layout_gradient(&arena, p, most, nodes);
    for (int i = 0; i < p->input_count; i++)
      nodes[0][p->inputs[i]] = hn_graph_input(g, p->inputs[i]);
    // The program becomes nodes again, and these are differentiated backwards: one pass for all
    // inputs.
    hn_program_replay(p, g, nodes[0], nodes[1], nodes[2]);
    int count = g->count;
    bar = malloc(((size_t)count + 1) * sizeof *bar);
    leaf = calloc((size_t)count + 1, 1);
    for (int n = 0; bar && n < count; n++) bar[n] = -1;
    if (bar && leaf && nodes[2][output] >= 0) {
      bar[nodes[2][output]] = hn_graph_constant(g, 1);
      bool good = hn_graph_adjoint(g, count, leaf, bar);
      // what a change of each input is worth
      for (int i = 0; good && i < p->input_count; i++) nodes[3][i] = bar[nodes[0][p->inputs[i]]];
      if (good) result = hn_program_compile(g, nodes[3], p->input_count);
    }
  }
  free(bar), free(leaf), free(arena.base);
  hn_graph_destroy(g);
  return result;
}

int hn_program_outputs(const hn_program *program) {
  return program->output_count;
}

void hn_program_replay(const hn_program *p, hn_graph *graph, const hn_node *inputs,
                       hn_node *registers, hn_node *outputs) {
  hn_node *r = registers;
  // constants as numbers of the model, which members of a family may have as inputs (hn_tape)
  for (int i = 0; i < p->constant_count; i++) r[i] = hn_graph_number(graph, p->constants[i]);
  for (int i = 0; i < p->input_count; i++) r[p->constant_count + i] = inputs[p->inputs[i]];
  for (int i = 0; i < p->code_count; i++) {
    const hn_instruction *x = &p->code[i];
    // results overwrite registers as numbers do, so the replay needs no more room than a run
    r[x->to] = hn_graph_apply(graph, x->op, r[x->a], r[x->b], r[x->c]);
  }
  for (int i = 0; i < p->output_count; i++) outputs[i] = r[p->outputs[i]];
}
