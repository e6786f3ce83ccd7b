// members_text.h: what code for members of a family is set in. C that is CUDA as well: R is a
// number or a vector of them, S a number.
#ifndef HN_MEMBERS_TEXT_H
#define HN_MEMBERS_TEXT_H

#include "code/sine_text.h"

// numbers, vectors, and operations on them
// S is one number; R is what a member's numbers are computed with: S itself, or a vector of LANES
// members. FN marks functions, PART those that must stay apart, N(x) makes an R of a number. The
// device has no C library: NAN and restrict are given to it.
static const char hn_members_prelude[] =
    // CUDA: one member a thread, R is S
    "#if defined(__CUDACC__) || defined(__CUDACC_RTC__)\n"
    "#define HOLON_DEVICE 1\n"
    "#if HOLON_SINGLE\ntypedef float S;\n#else\ntypedef double S;\n#endif\n"
    "typedef S R;\n"
    "#define FAR static __device__ __noinline__\n"
    "#define LANES 1\n"
    "#define N(x) ((R)(x))\n"
    "#define FN static __device__ __forceinline__\n"
    "#define PART __noinline__\n"
    "#define UNROLL _Pragma(\"unroll\")\n"
    "#define restrict __restrict__\n"
    "#ifndef NAN\n#define NAN ((S)__longlong_as_double(0x7ff8000000000000LL))\n#endif\n"
    "#else\n"
    // the processor: one member, or LANES of them in a vector
    "#include <math.h>\n"
    "#include <string.h>\n"
    "#define HOLON_DEVICE 0\n"
    "#ifndef HOLON_LANES\n#define HOLON_LANES 1\n#endif\n"
    "#define LANES HOLON_LANES\n"
    "typedef double S;\n"
    "#define FN static inline __attribute__((unused))\n"
    "#define FAR FN\n"
    "#define PART __attribute__((noinline))\n"
    "#define UNROLL\n"
    "FN double one_sin(double x) { return sin(x); }\n"
    "FN double one_cos(double x) { return cos(x); }\n"
    "FN double one_sqrt(double x) { return sqrt(x); }\n"
    "FN double one_exp(double x) { return exp(x); }\n"
    "#if LANES == 1\n"
    "typedef double R;\n"
    "#define N(x) (x)\n"
    "#else\n"
    "typedef double R __attribute__((vector_size(8 * LANES)));\n"
    // U: a vector at any address, for loads and stores
    "typedef double U __attribute__((vector_size(8 * LANES), aligned(8), may_alias));\n"
    "typedef long long I __attribute__((vector_size(8 * LANES)));\n"
    "#define N(x) ((R){0} + (x))\n"
    "#endif\n"
    "#endif\n\n"
    // one sine for numbers and devices; numbers of 32 bits have that of their device
    "#if LANES == 1 && !HOLON_SINGLE && (HOLON_DEVICE || __FLT_EVAL_METHOD__ == 0)\n"
    "typedef unsigned long long I;\n" HN_SINE_TEXT HN_SINE_OF_NUMBERS_TEXT "#endif\n\n";

// operations on all members of a vector
// Operations of the expression table come in two forms: one_NAME for a number, NAME for an R, lane
// by lane. Comparisons keep what is not a number, so that it reaches the audit.
static const char hn_members_operations[] =
    "#if LANES == 1\n"
    "#define OPERATION1(name, value) FN S one_##name(S a) { return (S)(value); } \\\n"
    "  FN R name(R a) { return one_##name(a); }\n"
    "#define OPERATION2(name, value) FN S one_##name(S a, S b) { return (S)(value); } \\\n"
    "  FN R name(R a, R b) { return one_##name(a, b); }\n"
    "#define OPERATION3(name, value) FN S one_##name(S a, S b, S c) { return (S)(value); } \\\n"
    "  FN R name(R a, R b, R c) { return one_##name(a, b, c); }\n"
    "FN R op_least(R a, R b) { return a < b || a != a ? a : b; }\n"
    "FN R op_largest(R a, R b) { return a > b || a != a ? a : b; }\n"
    "FN R op_size(R a) { return a < 0 ? -a : a; }\n"
    "#else\n"
    // choose by masks: both sides are computed
    "FN R choose(I m, R a, R b) { return (R)(((I)a & m) | ((I)b & ~m)); }\n"
    "FN R op_least(R a, R b) { return choose((a < b) | (a != a), a, b); }\n"
    "FN R op_largest(R a, R b) { return choose((a > b) | (a != a), a, b); }\n"
    "FN R op_size(R a) { return (R)((I)a & 0x7fffffffffffffffLL); }\n"
    // each lane for itself; where the operation is plain the compiler puts them together again
    "#define EACH_LANE(x) R o; for (int i = 0; i < LANES; i++) o[i] = x; return o;\n"
    "#define OPERATION1(name, value) FN S one_##name(S a) { return (S)(value); } \\\n"
    "  FN R name(R a) { EACH_LANE(one_##name(a[i])) }\n"
    "#define OPERATION2(name, value) FN S one_##name(S a, S b) { return (S)(value); } \\\n"
    "  FN R name(R a, R b) { EACH_LANE(one_##name(a[i], b[i])) }\n"
    "#define OPERATION3(name, value) FN S one_##name(S a, S b, S c) { return (S)(value); } \\\n"
    "  FN R name(R a, R b, R c) { EACH_LANE(one_##name(a[i], b[i], c[i])) }\n"
    "FN R lane_sqrt(R a) { EACH_LANE(one_sqrt(a[i])) }\n"
    "FN R lane_exp(R a) { EACH_LANE(one_exp(a[i])) }\n"
    // angles beyond those go to the library, lane by lane
    HN_SINE_TEXT "FN int far_away(R x, I *far) {\n"
    "  *far = op_size(x) > N(1e5);\n"
    "  long long any = 0;\n"
    "  for (int i = 0; i < LANES; i++) any |= (*far)[i];\n"
    "  return any != 0;\n"
    "}\n"
    // k: quadrant. Odd ones exchange sine and cosine, the second bit is the sign
    "FN R lane_sin(R x) {\n"
    "  I k;\n"
    "  const R r = quarter(x, &k), s = choose(-(k & 1), cosine_near(r), sine_near(r));\n"
    "  const R near = (R)((I)s ^ ((k & 2) << 62));\n"
    // beyond 1e5 the pieces of pi/2 are too short
    "  if (__builtin_expect(far_away(x, &k), 0)) { EACH_LANE(k[i] ? one_sin(x[i]) : near[i]) }\n"
    "  return near;\n"
    "}\n"
    "FN R lane_cos(R x) {\n"
    "  I k;\n"
    "  const R r = quarter(x, &k), s = choose(-(k & 1), sine_near(r), cosine_near(r));\n"
    "  const R near = (R)((I)s ^ (((k + 1) & 2) << 62));\n"
    "  if (__builtin_expect(far_away(x, &k), 0)) { EACH_LANE(k[i] ? one_cos(x[i]) : near[i]) }\n"
    "  return near;\n"
    "}\n"
    "#define sin lane_sin\n#define cos lane_cos\n#define sqrt lane_sqrt\n#define exp lane_exp\n"
    "#endif\n\n"
    // where counted angles are expected inside a step
    "#define EXPECT(after) do { UNROLL for (int i = 0; i < TURNS; i++) \\\n"
    "  near[i] = turn[i] + (after) * rate[i]; } while (0)\n\n";

// rows
// a->start and a->potential are of the first row: energies are balanced against it
static const char hn_members_rows[] =
    "\n// what was met at rows\n"
    "typedef struct audit { R phi, psi, balance, turnover, start, potential; } audit;\n\n"
    // residuals, energies and columns of a row
    "FN void note(R t, const R *q, const R *v, const R *turn, const R *side, const R *c, R w,\n"
    "             audit *a, R *column, int first) {\n"
    "  R phi[ROWS + 1], psi[ROWS + 1], energy[2];\n"
    "  look(t, q, v, turn, side, c, phi, psi, energy, column);\n"
    "  UNROLL for (int i = 0; i < ROWS; i++) {\n"
    "    a->phi = op_largest(a->phi, op_size(phi[i]));\n"
    "    a->psi = op_largest(a->psi, op_size(psi[i]));\n"
    "  }\n"
    // energies count from the first row
    "  if (first) a->start = energy[0] + energy[1], a->potential = energy[1];\n"
    // H - H0 = work, what is left is imbalance
    "  a->balance = op_largest(a->balance, op_size(energy[0] + energy[1] - a->start - w));\n"
    "  a->turnover = op_largest(op_largest(a->turnover, energy[0]),\n"
    "                           op_largest(op_size(energy[1] - a->potential), op_size(w)));\n"
    "}\n\n"
    // number k of a member is count apart from number k + 1
    "#if LANES == 1\n"
    "#define LOAD(x, k) x[(k) * count + member]\n"
    "#define STORE(x, k, y) x[(k) * count + member] = (y)\n"
    "#else\n"
    "#define LOAD(x, k) (*(const U *)(x + (k) * count + member))\n"
    "#define STORE(x, k, y) (*(U *)(x + (k) * count + member) = (y))\n"
    "#endif\n"
    "#define STORE_ROW(number) do { if (rows) UNROLL for (int k = 0; k < COLUMNS; k++) \\\n"
    "  STORE(rows, (number) * COLUMNS + k, column[k]); } while (0)\n\n";

// What must stay above zero, at the end of a step: the least of it there, and of what it may have
// been on the way. Lines that lead on from the ends of a step with the rates there meet below a
// convex function.
static const char hn_members_watch[] =
    "#if WATCHED\n"
    // minimum of the two tangents, where one falls and the other rises
    "FN S one_way(S g0, S r0, S g1, S r1, S h) {\n"
    "  return r0 < 0 && r1 > 0 ? g0 + r0 * ((g1 - r1 * h - g0) / (r0 - r1)) : g1;\n"
    "}\n"
    "#if LANES == 1\n"
    "#define ON_THE_WAY(g0, r0, g1, r1, h) one_way(g0, r0, g1, r1, h)\n"
    "#define SOME(least) ((least) >= 0)\n"
    "#else\n"
    "FN R ON_THE_WAY(R g0, R r0, R g1, R r1, R h) {\n"
    "  EACH_LANE(one_way(g0[i], r0[i], g1[i], r1[i], h[i]))\n"
    "}\n"
    "FN int SOME(R least) {\n"
    "  int any = 0;\n"
    "  for (int i = 0; i < LANES; i++) any |= least[i] >= 0;\n"
    "  return any;\n"
    "}\n"
    "#endif\n"
    // g and r: values and rates at the last end, renewed
    "FN R watched(R t, R h, const R *q, const R *v, const R *turn, const R *side, const R *c,\n"
    "             R *g, R *r, int first) {\n"
    "  R g1[WATCHED], r1[WATCHED], least = N(1.0);\n"
    "  watch(t, q, v, turn, side, c, g1, r1);\n"
    "  UNROLL for (int i = 0; i < WATCHED; i++) {\n"
    "    least = op_least(least, g1[i]);\n"
    "    if (!first) least = op_least(least, ON_THE_WAY(g[i], r[i], g1[i], r1[i], h));\n"
    "    g[i] = g1[i], r[i] = r1[i];\n"
    "  }\n"
    "  return least;\n"
    "}\n"
    "#endif\n\n";

// a member, and all of them
// The loop over steps stands around everything, so that a member's numbers stay in registers; rows
// are the only thing that leaves it on the way.
static const char hn_members_loop[] =
    // everything of a member in local arrays
    "FN void carry(long long member, long long count, const S *table, const S *start, S t0, S h0,\n"
    "              long long steps, long long every, S *rows, S *end) {\n"
    "  R c[TABLE + 1], q[NQ], v[NV], turn[TURNS + 1], rate[TURNS + 1], column[COLUMNS + 1];\n"
    "  R side[SIDES + 1];\n"
    "  const R h = N(h0);\n"
    "  R w = N(0.0), firm = N(1.0), first = N(1.0), doubt = N(0.0), least = N(1.0);\n"
    "  audit a = {N(0.0), N(0.0), N(0.0), N(0.0), N(0.0), N(0.0)};\n"
    // read once, at the start
    "  UNROLL for (int k = 0; k < TABLE; k++) c[k] = LOAD(table, k);\n"
    "  UNROLL for (int k = 0; k < NQ; k++) q[k] = LOAD(start, k);\n"
    "  UNROLL for (int k = 0; k < NV; k++) v[k] = LOAD(start, NQ + k);\n"
    "  UNROLL for (int k = 0; k < TURNS; k++) {\n"
    "    turn[k] = LOAD(start, NQ + NV + k);\n"
    "    rate[k] = LOAD(start, NQ + NV + TURNS + k);\n"
    "  }\n"
    "  UNROLL for (int k = 0; k < SIDES; k++) side[k] = LOAD(start, NQ + NV + 2 * TURNS + k);\n"
    // what must stay above zero, also before the first step
    "#if WATCHED\n"
    "  R before[WATCHED], slope[WATCHED];\n"
    "  least = watched(N(t0), h, q, v, turn, side, c, before, slope, 1);\n"
    "#endif\n"
    "  note(N(t0), q, v, turn, side, c, w, &a, column, 1);\n"
    "  STORE_ROW(0);\n"
    // rows: at the start, then every `every` steps
    "  long long until = every, row = 1;\n"
    "  for (long long step = 0; step < steps; step++) {\n"
    "    const R t = N(t0 + (S)step * h0), t1 = N(t0 + (S)(step + 1) * h0);\n"
    "    advance(t, h, q, v, &w, turn, rate, side, c, &firm);\n"
    "    if (step == 0) first = firm;\n"
    // where angles are expected at the end of the step
    "#if MOVES || TURNED\n"
    "    R near[TURNS + 1];\n"
    "    EXPECT(h);\n"
    "#endif\n"
    "#if MOVES\n"
    "    for (int k = 0; k < CORRECTIONS; k++) {\n"
    "      R q1[NQ], v1[NV];\n"
    "      firm = op_least(firm, corrected(t1, q, v, near, side, c, q1, v1));\n"
    "      UNROLL for (int i = 0; i < NQ; i++) q[i] = q1[i];\n"
    "      UNROLL for (int i = 0; i < NV; i++) v[i] = v1[i];\n"
    "    }\n"
    "#endif\n"
    "#if TURNED\n"
    // the mean rate over the step says where the angle must be
    "    R value[TURNS], speed[TURNS];\n"
    "    count_turns(t1, q, v, near, side, c, value, speed);\n"
    "    UNROLL for (int i = 0; i < TURNS; i++) {\n"
    "      const R middle = turn[i] + h * 0.5 * (rate[i] + speed[i]);\n"
    "      doubt = op_largest(doubt, op_size(value[i] - middle));\n"
    "      turn[i] = value[i], rate[i] = speed[i];\n"
    "    }\n"
    "#endif\n"
    "#if WATCHED\n"
    "    least = op_least(least, watched(t1, h, q, v, turn, side, c, before, slope, 0));\n"
    // nobody is left
    "    if (!SOME(least)) break;\n"
    "#endif\n"
    // the last step is looked at, whether it has a row or not
    "    if (--until == 0 || step + 1 == steps) {\n"
    "      note(t1, q, v, turn, side, c, w, &a, column, 0);\n"
    "      if (until == 0) { STORE_ROW(row); row++; until = every; }\n"
    "    }\n"
    "  }\n"
    // the state, then HN_END_ in order
    "  UNROLL for (int k = 0; k < NQ; k++) STORE(end, k, q[k]);\n"
    "  UNROLL for (int k = 0; k < NV; k++) STORE(end, NQ + k, v[k]);\n"
    "  STORE(end, NQ + NV, w);\n"
    "  STORE(end, NQ + NV + 1, firm);\n"
    "  STORE(end, NQ + NV + 2, first);\n"
    "  STORE(end, NQ + NV + 3, a.phi);\n"
    "  STORE(end, NQ + NV + 4, a.psi);\n"
    "  STORE(end, NQ + NV + 5, a.balance);\n"
    "  STORE(end, NQ + NV + 6, a.turnover);\n"
    "  STORE(end, NQ + NV + 7, doubt);\n"
    "  STORE(end, NQ + NV + 8, least);\n"
    "}\n\n"
    "#if HOLON_DEVICE\n"
    "#ifdef __cplusplus\nextern \"C\"\n#endif\n__global__ void\n"
    "#ifdef HOLON_BOUNDS\n__launch_bounds__ HOLON_BOUNDS\n#endif\n"
    "holon_members(long long count, const S *table, const S *start, S t0, S h, long long steps,\n"
    "              long long every, S *rows, S *end) {\n"
    "  const long long member = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (member < count) carry(member, count, table, start, t0, h, steps, every, rows, end);\n"
    "}\n"
    "#else\n"
    "void holon_members(long count, const S *table, const S *start, double t0, double h, long "
    "steps,\n"
    "                   long every, S *rows, S *end) {\n"
    "  for (long member = 0; member < count; member += LANES)\n"
    "    carry(member, count, table, start, t0, h, steps, every, rows, end);\n"
    "}\n"
    "#endif\n";

#endif
