// test_expr_random.c: random formulas against differences, and the speed of programs.
//
// Formulas made of all operations are compared, with all first and second derivatives, with
// sixth-order differences of an evaluator of the test's own in long double.
#include "test.h"

#include "expr/expr.h"
#include <stdlib.h>
#include <time.h>

enum { T, X, Y, INPUTS };

static hn_node resolve(void *user, hn_graph *graph, const char *name, size_t length) {
  (void)user;
  const char *found = length == 1 ? memchr("txy", *name, 3) : NULL;
  return found ? hn_graph_input(graph, *found == 't' ? T : *found == 'x' ? X : Y) : -1;
}

// a formula is a tree, printed as text and evaluated in long double
typedef struct tree {
  int kind;  // index into kinds, or a leaf
  struct tree *a, *b, *c;
  double number;
  int printed;  // is part of the text: forms with fewer than three arguments drop some
} tree;

enum { LEAF_NUMBER = -1, LEAF_INPUT = -2 };

static long double mod_ld(long double a, long double b) {
  return a - b * floorl(a / b);
}

static long double smooth_ld(long double u) {
  return u <= 0 ? 0 : u >= 1 ? 1 : u * u * u * (10 + u * (-15 + 6 * u));
}

// conditions that are not a number decide nothing, unless the other side does
static long double less(long double a, long double b) {
  return isnan(a) || isnan(b) ? NAN : a < b;
}
static long double both(long double a, long double b) {
  return a == 0 || b == 0 ? 0 : isnan(a) || isnan(b) ? NAN : 1;
}
static long double negated(long double a) {
  return isnan(a) ? NAN : a == 0;
}
static long double either(long double a, long double b) {
  return negated(both(negated(a), negated(b)));
}
static long double chosen(long double condition, long double a, long double b) {
  return isnan(condition) ? NAN : condition != 0 ? a : b;
}

// %1 %2 %3 stand for the arguments; some forms keep their argument inside the function's domain
#define KINDS(K)                                                                                   \
  K("(%1+%2)", a + b)                                                                              \
  K("(%1-%2)", a - b)                                                                              \
  K("(%1*%2)", (a * b))                                                                            \
  K("(%1/%2)", a / b)                                                                              \
  K("(-%1)", -a)                                                                                   \
  K("(%1^2)", (a * a))                                                                             \
  K("(%1^3)", (a * a) * a)                                                                         \
  K("(%1^5)", powl(a, 5))                                                                          \
  K("(%1^-2)", 1 / (a * a))                                                                        \
  K("((1.5+sin(%1))^%2)", powl(1.5L + sinl(a), b))                                                 \
  K("pow(abs(%1)+0.25, 1.75)", powl(fabsl(a) + 0.25L, 1.75L))                                      \
  K("sin(%1)", sinl(a))                                                                            \
  K("cos(%1)", cosl(a))                                                                            \
  K("tan(%1)", tanl(a))                                                                            \
  K("asin(0.875*sin(%1))", asinl(0.875L * sinl(a)))                                                \
  K("acos(0.875*cos(%1))", acosl(0.875L * cosl(a)))                                                \
  K("atan(%1)", atanl(a))                                                                          \
  K("atan2(%1,%2)", atan2l(a, b))                                                                  \
  K("sinh(%1)", sinhl(a))                                                                          \
  K("cosh(%1)", coshl(a))                                                                          \
  K("tanh(%1)", tanhl(a))                                                                          \
  K("exp(%1)", expl(a))                                                                            \
  K("log(abs(%1)+0.25)", logl(fabsl(a) + 0.25L))                                                   \
  K("log10(%1^2+0.25)", log10l((a * a) + 0.25L))                                                   \
  K("sqrt(%1^2+0.25)", sqrtl((a * a) + 0.25L))                                                     \
  K("abs(%1)", fabsl(a))                                                                           \
  K("sign(%1)", a > 0 ? 1 : a < 0 ? -1 : a)                                                        \
  K("min(%1,%2)", a < b || isnan(a) ? a : b)                                                       \
  K("max(%1,%2)", a > b || isnan(a) ? a : b)                                                       \
  K("hypot(%1,%2)", hypotl(a, b))                                                                  \
  K("floor(%1)", floorl(a))                                                                        \
  K("ceil(%1)", ceill(a))                                                                          \
  K("mod(%1,%2)", mod_ld(a, b))                                                                    \
  K("clamp(%1,-0.5,0.75)", isnan(a) ? a : fmaxl(fminl(a, 0.75L), -0.5L))                           \
  K("step(%1)", a < 0 ? 0 : a >= 0 ? 1 : a)                                                        \
  K("if(%1<%2,%3,%1)", chosen(less(a, b), c, a))                                                   \
  K("if(%1>=%2,%3,%2)", chosen(less(a, b), b, c))                                                  \
  K("if(%1>0&&%2>0||!(%3>0),%1,%3)",                                                               \
    chosen(either(both(less(0, a), less(0, b)), negated(less(0, c))), a, c))                       \
  K("if(%1!=%2,%3,%1)", chosen(either(less(a, b), less(b, a)), c, a))                              \
  K("(%1==%2)", negated(either(less(a, b), less(b, a))))                                           \
  K("(%1<=%2)", negated(less(b, a)))                                                               \
  K("smoothstep(%1,-0.5,%2,0.75,%3)", b + (c - b) * smooth_ld((a + 0.5L) / 1.25L))

static const char *const kinds[] = {
#define K(text, formula) text,
    KINDS(K)
#undef K
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

static long double apply(int kind, long double a, long double b, long double c) {
  int i = 0;
#define K(text, formula)                                                                           \
  if (kind == i++) return formula;
  KINDS(K)
#undef K
  return NAN;
}

// a part so large that double has no digits left, or infinite, makes a point useless
static int met_huge;

static long double evaluate(const tree *n, const long double in[INPUTS]) {
  if (n->kind == LEAF_NUMBER) return n->number;
  if (n->kind == LEAF_INPUT) return in[(int)n->number];
  long double r = apply(n->kind, evaluate(n->a, in), evaluate(n->b, in), evaluate(n->c, in));
  if (fabsl(r) > 1e9L) met_huge = 1;
  return r;
}

typedef struct forest {
  tree nodes[4000];
  int count;
} forest;

static tree *grow_tree(forest *f, int depth) {
  tree *n = &f->nodes[f->count++];
  if (depth == 0 || test_random(0, 1) < 0.1) {
    n->kind = test_random(0, 1) < 0.2 ? LEAF_NUMBER : LEAF_INPUT;
    n->number = floor(n->kind == LEAF_NUMBER ? test_random(-12, 13) : test_random(0, INPUTS));
    if (n->kind == LEAF_NUMBER) n->number = n->number / 8;
    return n;
  }
  n->kind = (int)test_random(0, KIND_COUNT);
  n->a = grow_tree(f, depth - 1);
  n->b = grow_tree(f, depth - 1);
  n->c = grow_tree(f, depth - 1);
  return n;
}

static int print_tree(tree *n, char *out, int size) {
  n->printed = 1;
  if (n->kind == LEAF_NUMBER) return snprintf(out, (size_t)size, "(%.17g)", n->number);
  if (n->kind == LEAF_INPUT) return snprintf(out, (size_t)size, "%c", "txy"[(int)n->number]);
  int used = 0;
  for (const char *s = kinds[n->kind]; *s && used < size - 1; s++) {
    if (*s != '%') {
      out[used++] = *s;
      continue;
    }
    s++;
    used += print_tree(*s == '1' ? n->a : *s == '2' ? n->b : n->c, out + used, size - used);
  }
  if (used < size) out[used] = 0;
  return used;
}

// sixth-order differences of the tree's own evaluation, order 0, 1 or 2 in each direction
static long double difference(const tree *n, const double at[INPUTS], int i, int j, long double h) {
  static const long double first[7] = {-1, 9, -45, 0, 45, -9, 1};         // / 60 h
  static const long double second[7] = {2, -27, 270, -490, 270, -27, 2};  // / 180 h^2
  long double sum = 0;
  for (int k = -3; k <= 3; k++)
    for (int l = -3; l <= 3; l++) {
      if ((i == j || j < 0) && l != 0) continue;
      long double in[INPUTS] = {at[0], at[1], at[2]};
      in[i] += (long double)k * h;
      if (j >= 0 && i != j) in[j] += (long double)l * h;
      long double weight = i == j ? second[k + 3] / (180 * h * h) : first[k + 3] / (60 * h);
      if (j >= 0 && i != j) weight *= first[l + 3] / (60 * h);
      if (weight != 0) sum += weight * evaluate(n, in);
    }
  return sum;
}

// compare the value and all derivatives of the formula at one point; returns 0 when the point says
// nothing: not finite, or a kink or steep part that differences cannot see through
static int compare_at(const tree *root, const hn_program *p, double *registers, const double at[3],
                      const char *text) {
  static const int pairs[9][2] = {{0, -1}, {1, -1}, {2, -1}, {0, 0}, {0, 1},
                                  {0, 2},  {1, 1},  {1, 2},  {2, 2}};
  met_huge = 0;
  long double f = evaluate(root, (long double[]){at[0], at[1], at[2]}), d[9];
  double out[10], largest = 1 + (double)fabsl(f);
  if (!(fabsl(f) < 1e4L)) return 0;
  for (int k = 0; k < 9; k++) {
    long double h = 0x1p-10L;
    d[k] = difference(root, at, pairs[k][0], pairs[k][1], h / 2);
    long double coarse = difference(root, at, pairs[k][0], pairs[k][1], h);
    if (!(fabsl(d[k] - coarse) <= 1e-9L * (1 + fabsl(d[k]))) || fabsl(d[k]) > 1e6L) return 0;
    largest = fmax(largest, (double)fabsl(d[k]));
  }
  if (met_huge) return 0;
  hn_program_run(p, at, registers, out);
  int good = CHECK_NEAR(out[0], (double)f, 1e-12 * largest);
  for (int k = 0; k < 9; k++) good &= CHECK_NEAR(out[k + 1], (double)d[k], 1e-8 * largest);
  if (!good) printf("  %s\n  at %.17g %.17g %.17g\n", text, at[0], at[1], at[2]);
  return 1;
}

static void test_random_formulas(void) {
  static forest f;
  static char text[20000];
  int used[KIND_COUNT] = {0}, formulas = 0, tried = 0, points = 0;
  while (formulas < 250 && tried < 2500) {
    tried++;
    memset(&f, 0, sizeof f);
    tree *root = grow_tree(&f, 1 + tried % 4);
    int length = print_tree(root, text, sizeof text);
    if (length > 9000 || root->kind < 0) continue;
    hn_graph *g = hn_graph_create();
    // constant parts that are not finite are refused: that formula is of no use here
    hn_node n = hn_graph_parse(g, text, (size_t)length, resolve, NULL, NULL);
    hn_node out[10] = {n};
    for (int i = 0, k = 4; i < INPUTS && n >= 0; i++) {
      out[1 + i] = hn_graph_derivative(g, n, i);
      for (int j = i; j < INPUTS; j++) out[k++] = hn_graph_derivative(g, out[1 + i], j);
    }
    hn_program *p = n >= 0 ? hn_program_compile(g, out, 10) : NULL;
    double *registers = p ? malloc((size_t)hn_program_registers(p) * sizeof(double)) : NULL;
    int here = 0;
    for (int k = 0; k < 12 && registers; k++) {
      double at[INPUTS] = {test_random(-2, 2), test_random(-2, 2), test_random(-2, 2)};
      here += compare_at(root, p, registers, at, text);
    }
    if (here >= 3) {
      formulas++;
      for (int i = 0; i < f.count; i++)
        if (f.nodes[i].printed && f.nodes[i].a) used[f.nodes[i].kind]++;
    }
    points += here;
    free(registers);
    hn_program_destroy(p);
    hn_graph_destroy(g);
  }
  CHECK(formulas == 250);
  for (int i = 0; i < KIND_COUNT; i++)
    if (!CHECK(used[i] >= 10)) printf("  %s in %d formulas\n", kinds[i], used[i]);
  printf("random formulas: %d of %d usable, %d points\n", formulas, tried, points);
}

static void report_speed(void) {
  hn_graph *g = hn_graph_create();
  hn_node out[3] = {-1};
  const char *text = "0.5*sin(2*3.14159*t)^2 + x*exp(-t)";
  out[0] = hn_graph_parse(g, text, strlen(text), resolve, NULL, NULL);
  out[1] = hn_graph_derivative(g, out[0], T);
  out[2] = hn_graph_derivative(g, out[1], T);
  hn_program *p = hn_program_compile(g, out, 3);
  double in[INPUTS] = {0, 1.5, 0}, r[64], v[3], best = 1e9;
  volatile double sink;  // so that the work is not optimised away
  if (CHECK(hn_program_registers(p) <= 64)) {
    for (int batch = 0; batch < 20; batch++) {
      struct timespec from, to;
      clock_gettime(CLOCK_MONOTONIC, &from);
      for (int k = 0; k < 10000; k++) {
        in[T] = 1e-4 * k;
        hn_program_run(p, in, r, v);
        sink = v[2];
        (void)sink;
      }
      clock_gettime(CLOCK_MONOTONIC, &to);
      double seconds =
          (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
      best = fmin(best, seconds / 10000);
    }
    printf("f, f', f'' of %s: %.0f ns, %d registers\n", text, 1e9 * best, hn_program_registers(p));
  }
  hn_program_destroy(p);
  hn_graph_destroy(g);
}

int main(void) {
  RUN(test_random_formulas);
  RUN(report_speed);
  return test_end();
}
