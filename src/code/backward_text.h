// backward_text.h: what the code for going back is set in (backward.c).
#ifndef HN_BACKWARD_TEXT_H
#define HN_BACKWARD_TEXT_H

// a state: q, v, turns, their rates, then these
// The same steps as members take, in loops over the tableau; `kept` gets the point of every
// evaluation: stages first, then projections.
static const char hn_text_forth[] =
    // places in the state, as backward.c has them
    "enum { STATE = NQ + NV + 2 * TURNS, WORK = STATE, FIRM, FIRST, PHI, PSI, BALANCE, TURNOVER,\n"
    "       DOUBT, BEGUN, POTENTIAL };\n"
    // POINT: what one evaluation was at
    "enum { POINT = NQ + NV + TURNS, KEPT = (STAGES + CORRECTIONS) * POINT };\n\n"
    // the point in which formulas are evaluated, kept
    "FN void keep(double *kept, int k, const double *q, const double *v, const double *near) {\n"
    "  if (!kept) return;\n"
    "  double *o = kept + k * POINT;\n"
    "  for (int i = 0; i < NQ; i++) o[i] = q[i];\n"
    "  for (int i = 0; i < NV; i++) o[NQ + i] = v[i];\n"
    "  for (int i = 0; i < TURNS; i++) o[NQ + NV + i] = near[i];\n"
    "}\n\n"
    // the tableau is lower triangular, and mostly zeros
    "FN void step_forth(double t, double h, const double *c, double *y, double *kept) {\n"
    "  double kq[STAGES][NQ + 1], kv[STAGES][NV + 1], kw, near[TURNS + 1], yq[NQ + 1], yv[NV + "
    "1];\n"
    "  double *q = y, *v = y + NQ, *turn = v + NV, *rate = turn + TURNS;\n"
    "  const double side[1] = {0};\n"
    "  (void)turn, (void)rate;\n"
    "  for (int s = 0; s < STAGES; s++) {\n"
    "    for (int i = 0; i < NQ; i++) {\n"
    "      double x = 0;\n"
    "      for (int j = 0; j < s; j++) if (A[s][j] != 0) x += A[s][j] * kq[j][i];\n"
    "      yq[i] = q[i] + h * x;\n"
    "    }\n"
    "    for (int i = 0; i < NV; i++) {\n"
    "      double x = 0;\n"
    "      for (int j = 0; j < s; j++) if (A[s][j] != 0) x += A[s][j] * kv[j][i];\n"
    "      yv[i] = v[i] + h * x;\n"
    "    }\n"
    // angles are expected by their rates at the beginning
    "    for (int i = 0; i < TURNS; i++) near[i] = turn[i] + h * C[s] * rate[i];\n"
    "    keep(kept, s, yq, yv, near);\n"
    "    const double firm = motion(t + h * C[s], yq, yv, near, side, c, kq[s], kv[s], &kw);\n"
    // of the first stage, which is at the beginning of the step
    "    if (s == 0) y[FIRM] = op_least(y[FIRM], firm);\n"
    "    y[WORK] += h * B[s] * kw;\n"
    "  }\n"
    // sums by b after all stages, since q and v are read by them
    "  for (int s = 0; s < STAGES; s++) {\n"
    "    if (B[s] == 0) continue;\n"
    "    for (int i = 0; i < NQ; i++) q[i] += h * B[s] * kq[s][i];\n"
    "    for (int i = 0; i < NV; i++) v[i] += h * B[s] * kv[s][i];\n"
    "  }\n"
    "  for (int i = 0; i < TURNS; i++) near[i] = turn[i] + h * rate[i];\n"
    "#if MOVES\n"
    // every projection is kept: its derivative is of its own point
    "  for (int k = 0; k < CORRECTIONS; k++) {\n"
    "    double q1[NQ + 1], v1[NV + 1];\n"
    "    keep(kept, STAGES + k, q, v, near);\n"
    "    y[FIRM] = op_least(y[FIRM], corrected(t + h, q, v, near, side, c, q1, v1));\n"
    "    for (int i = 0; i < NQ; i++) q[i] = q1[i];\n"
    "    for (int i = 0; i < NV; i++) v[i] = v1[i];\n"
    "  }\n"
    "#endif\n"
    // where angles have got to, and how far from where they were expected
    "#if TURNED\n"
    "  double value[TURNS], speed[TURNS];\n"
    "  count_turns(t + h, q, v, near, side, c, value, speed);\n"
    "  for (int i = 0; i < TURNS; i++) {\n"
    "    const double middle = turn[i] + h * 0.5 * (rate[i] + speed[i]);\n"
    "    y[DOUBT] = op_largest(y[DOUBT], op_size(value[i] - middle));\n"
    "    turn[i] = value[i], rate[i] = speed[i];\n"
    "  }\n"
    "#endif\n"
    "}\n\n"
    // audits are struct in one text, numbers of the state in the other
    "static void note_row(double t, const double *c, double *y, double *column, int first) {\n"
    "  const double side[1] = {0};\n"
    "  audit a = {y[PHI], y[PSI], y[BALANCE], y[TURNOVER], y[BEGUN], y[POTENTIAL]};\n"
    "  note(t, y, y + NQ, y + NQ + NV, side, c, y[WORK], &a, column, first);\n"
    "  y[PHI] = a.phi, y[PSI] = a.psi, y[BALANCE] = a.balance, y[TURNOVER] = a.turnover;\n"
    "  y[BEGUN] = a.start, y[POTENTIAL] = a.potential;\n"
    "}\n\n"
    "void holon_forth(const double *c, double *y, double h, long from, long steps, long every,\n"
    "                 double *rows, double *kept) {\n"
    "  if (from == 0 && rows) note_row(0, c, y, rows, 1);\n"
    "  for (long step = from; step < from + steps; step++) {\n"
    // kept from the beginning of the piece
    "    step_forth((double)step * h, h, c, y, kept ? kept + (step - from) * KEPT : kept);\n"
    "    if (step == 0) y[FIRST] = y[FIRM];\n"
    "    if (rows && (step + 1) % every == 0)\n"
    "      note_row((double)(step + 1) * h, c, y, rows + (step + 1) / every * COLUMNS, 0);\n"
    "  }\n"
    "}\n\n";

// Transposed, last operation first: of a row, of the projections, of the stages from the last to
// the first, z_s = h (b_s bar + sum_j a_js y_j).
static const char hn_text_back[] =
    // worth of the table grows from function to function
    "FN void gather(double *worth, const double *more) {\n"
    "  for (int k = 0; k < VALUED; k++) worth[k] += more[k];\n"
    "}\n\n"
    // what columns of a row are worth goes to its state
    "static void row_back(double t, const double *at, const double *c, const double *z,\n"
    "                     double *bar, double *worth) {\n"
    "  double q[NQ + 1], v[NV + 1], more[VALUED + 1];\n"
    "  const double side[1] = {0};\n"
    // rows that nobody looks at cost nothing
    "  int any = 0;\n"
    "  for (int k = 0; k < COLUMNS; k++) any |= z[k] != 0;\n"
    "  if (!any) return;\n"
    "  look_back(t, at, at + NQ, at + NQ + NV, side, c, z, q, v, more);\n"
    "  for (int i = 0; i < NQ; i++) bar[i] += q[i];\n"
    "  for (int i = 0; i < NV; i++) bar[NQ + i] += v[i];\n"
    "  gather(worth, more);\n"
    "}\n\n"
    // y[s]: what the argument of stage s is worth
    "static void step_back(double t, double h, const double *c, const double *kept, double *bar,\n"
    "                      double *worth) {\n"
    "  double y[STAGES][NQ + NV + 1], z[NQ + NV + 1], more[VALUED + 1], start[NQ + NV + 1];\n"
    "  const double side[1] = {0};\n"
    "#if MOVES\n"
    // projections in reverse
    "  for (int k = CORRECTIONS - 1; k >= 0; k--) {\n"
    "    const double *at = kept + (STAGES + k) * POINT;\n"
    "    for (int i = 0; i < NQ + NV; i++) z[i] = bar[i];\n"
    "    corrected_back(t + h, at, at + NQ, at + NQ + NV, side, c, z, bar, bar + NQ, more);\n"
    "    gather(worth, more);\n"
    "  }\n"
    "#endif\n"
    // what the start of the step is worth begins with its end
    "  for (int i = 0; i < NQ + NV; i++) start[i] = bar[i];\n"
    // stages in reverse
    "  for (int s = STAGES - 1; s >= 0; s--) {\n"
    "    const double *at = kept + s * POINT;\n"
    "    for (int i = 0; i < NQ + NV; i++) {\n"
    "      double x = B[s] * bar[i];\n"
    "      for (int j = s + 1; j < STAGES; j++) if (A[j][s] != 0) x += A[j][s] * y[j][i];\n"
    "      z[i] = h * x;\n"
    "    }\n"
    "    motion_back(t + h * C[s], at, at + NQ, at + NQ + NV, side, c, z, y[s], y[s] + NQ, more);\n"
    "    gather(worth, more);\n"
    "    for (int i = 0; i < NQ + NV; i++) start[i] += y[s][i];\n"
    "  }\n"
    "  for (int i = 0; i < NQ + NV; i++) bar[i] = start[i];\n"
    "}\n\n"
    "void holon_back(const double *c, const double *kept, const double *last, double h, long "
    "from,\n"
    "                long steps, long every, const double *z, double *bar, double *worth) {\n"
    // rows are behind their step, so they come first on the way back
    "  for (long step = from + steps - 1; step >= from; step--) {\n"
    "    const double *now = kept + (step - from) * KEPT;\n"
    "    if ((step + 1) % every == 0)\n"
    "      row_back((double)(step + 1) * h, step + 1 == from + steps ? last : now + KEPT, c,\n"
    "               z + (step + 1) / every * COLUMNS, bar, worth);\n"
    "    step_back((double)step * h, h, c, now, bar, worth);\n"
    "  }\n"
    // the row at the start
    "  if (from == 0) row_back(0, kept, c, z, bar, worth);\n"
    "}\n";

#endif
