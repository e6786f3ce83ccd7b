// fuzz_expr.c: any text through the whole way of a formula: parse, differentiate twice, compile,
// run. A libFuzzer target; corpus_expr/ holds the seeds.
#include "expr/expr.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static hn_node resolve(void *user, hn_graph *graph, const char *name, size_t length) {
  (void)user;
  const char *found = length == 1 ? memchr("txy", *name, 3) : NULL;
  return found ? hn_graph_input(graph, *found == 't' ? 0 : *found == 'x' ? 1 : 2) : -1;
}

// what must hold whatever the text is
static void require(int condition) {
  if (!condition) abort();
}

static void run(const hn_graph *g, const hn_node *nodes, int count) {
  hn_program *p = hn_program_compile(g, nodes, count);
  require(p != NULL);
  double in[3] = {0.3, -1.2, 2.5}, out[3];
  double *registers = malloc((size_t)hn_program_registers(p) * sizeof *registers);
  require(registers != NULL);
  hn_program_run(p, in, registers, out);
  free(registers);
  hn_program_destroy(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // an own block of exactly this size, so that reading beyond the text is seen
  char *text = malloc(size ? size : 1);
  require(text != NULL);
  if (size) memcpy(text, data, size);
  hn_graph *g = hn_graph_create();
  require(g != NULL);

  hn_expr_error error = {0};
  hn_node n = hn_graph_parse(g, text, size, resolve, NULL, &error);
  if (n < 0) {
    require(error.column >= 1 && (size_t)error.column <= size + 1);
    require(error.message[0] && memchr(error.message, 0, sizeof error.message));
  } else {
    require(hn_graph_parse(g, text, size, resolve, NULL, NULL) == n);
    hn_node first = hn_graph_derivative(g, n, 1);
    hn_node nodes[3] = {n, first, hn_graph_derivative(g, first, 0)};
    require(first >= 0 && nodes[2] >= 0);
    run(g, nodes, 3);
  }
  double value;
  hn_parse_number(text, size, resolve, NULL, &value, &error);
  hn_graph_destroy(g);
  free(text);
  return 0;
}
