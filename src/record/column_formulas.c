// column_formulas.c: what hn_columns_read reads, in formulas.
#include "record/column_formulas.h"

// bodies of the equations have their origin in the centre of mass and axes along the principal ones
// (ARCHITECTURE.md), columns are about the frame that the user gave
// a point of a body, given in the user's frame of it, as it moves
static hn_node point(hn_formulas *f, const hn_column *c, const double place[3], int axis,
                     bool rate) {
  const hn_body_info *info = f->sys->body[c->element].info;
  double arm[3], inner[3];
  v3_sub(arm, place, info->com);
  m3_tmulv(inner, info->axes, arm);
  hn_jet3 at = hn_point_jet(f, c->element, inner);
  // rates come with values: a jet is a quantity and its derivative by time
  return rate ? at.rate[axis] : at.value[axis];
}

// body axes to world axes, as the column has them
static hn_node spin(hn_formulas *f, const hn_column *c) {
  const hn_body_formulas *b = &f->body[c->element];
  hn_node w[3];
  nm_mulv(f->g, w, b->R, b->w);
  return w[c->sub];
}

static hn_node coordinate(hn_formulas *f, const hn_column *c) {
  const hn_sys_joint *joint = &f->sys->joint[c->element];
  hn_jet m = hn_measure_jet(f, joint->coordinate[c->sub].measure);
  return c->kind == HN_COL_RATE ? m.rate : m.value;
}

hn_node hn_column_formula(hn_formulas *f, const hn_column *c) {
  // of the body's frame: where its position is measured
  static const double origin[3] = {0, 0, 0};
  // kinds make different formulas: to whoever compares graphs this is a difference
  hn_graph_note(f->g, (long)c->kind);
  switch (c->kind) {
  case HN_COL_TIME: return hn_graph_input(f->g, f->in_t);
  case HN_COL_POSITION: return point(f, c, origin, c->sub, false);
  case HN_COL_VELOCITY: return point(f, c, origin, c->sub, true);
  case HN_COL_FRAME:
    // three numbers of the place, then three of the velocity
    return point(f, c, f->sys->column_frame[c->batch].position, c->sub % 3, c->sub >= 3);
  case HN_COL_ANGLE: return f->body[c->element].angle;
  case HN_COL_SPIN: return spin(f, c);
  case HN_COL_COORDINATE:
  case HN_COL_RATE: return coordinate(f, c);
  case HN_COL_SIGNAL: return hn_expression_node(f, f->sys->named_signal[c->element].expression, 0);
  case HN_COL_KINETIC: return f->kinetic;
  case HN_COL_POTENTIAL: return f->potential;
  case HN_COL_TOTAL: return n_add(f->g, f->kinetic, f->potential);
  // reactions, accelerations, work and the like take a solution, which formulas have not
  default: break;
  }
  // the caller refuses the model with this sentence, so the value is never used
  hn_formulas_miss(f, "the column", c->name);
  return f->zero;
}
