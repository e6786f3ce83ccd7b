// flexible.c: adding bodies given by finite elements. One becomes bodies, its interfaces, and a
// block, its modes; what couples them is in system/flexible.c.
//
//   interfaces  "arm.root", "arm.tip" ...: bodies without a mass of their own, in the axes of the
//               finite elements
//   modes       "arm.mode1" ..., coordinates of a block "arm" [kg^(1/2) m], vibrations of mass one
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/check.h"
#include "model/model.h"

enum { NAME = 128 };  // of an interface: two names and a dot

static hn_status no_memory(hn_model *model) {
  return hn_model_fail(model, model->now, HN_ERR_MEMORY, "out of memory");
}

static hn_status check(hn_model *model, const hn_flexible_def *def) {
  hn_status status = hn_check_fields(model, NULL, hn_flexible_fields, NULL, def);
  if (status) return status;
  // one source, not a mixture: matrices and nodes belong together
  if (def->calculix && (def->nodes || def->stiffness || def->mass))
    return hn_element_fail(model, "calculix",
                           "comes from a job of CalculiX, or from 'nodes', 'stiffness' and 'mass'");
  if (!def->calculix && !def->nodes)
    return hn_element_fail(model, "nodes", "needs 'nodes', a file");
  if (!def->calculix && !def->stiffness)
    return hn_element_fail(model, "stiffness", "needs 'stiffness', a file");
  if (!def->calculix && !def->mass) return hn_element_fail(model, "mass", "needs 'mass', a file");
  if (def->interface_count < 1 || !def->interfaces)
    return hn_element_fail(model, "interface",
                           "needs an 'interface': nodes that joints and forces act on");
  // a damping of nothing is a slip
  if (def->modes == 0 && def->damping > 0)
    return hn_element_fail(model, "damping", "damping is that of modes, and there are none");
  if (def->damping_ratios && def->damping > 0)
    return hn_element_fail(model, "damping_ratios",
                           "damping and damping_ratios exclude each other");
  if (def->damping_ratios && def->damping_ratio_count != def->modes)
    return hn_element_fail(model, "damping_ratios", "has %d numbers for %d modes: one each",
                           def->damping_ratio_count, def->modes);
  // !(>=) refuses NaN too
  for (int k = 0; def->damping_ratios && k < def->damping_ratio_count; k++)
    if (!(def->damping_ratios[k] >= 0))
      return hn_element_fail(model, "damping_ratios", "a ratio must not be negative");
  for (int i = 0; i < def->interface_count; i++) {
    char path[96];
    const char *name = def->interfaces[i].name;
    snprintf(path, sizeof path, "interface.%.60s", name ? name : "");
    if (!name || !hn_model_is_name(name))
      return hn_element_fail(model, path, "bad name (%s)", hn_name_rule);
    // "flex.mode1" is a column of the block
    if (strncmp(name, "mode", 4) == 0 && strspn(name + 4, "0123456789") == strlen(name + 4))
      return hn_element_fail(model, path, "'%s' is what a modal coordinate is called", name);
    if (def->interfaces[i].node_count < 1 || !def->interfaces[i].nodes)
      return hn_element_fail(model, path, "interface '%s' has no nodes", name);
  }
  return HN_OK;
}

// ---- finite elements -----------------------------------------------------------------------

// a path from the folder of the model file; text that stands in the model is left as it is
// texts have line breaks, so no path is taken for one
static char *place_of(const hn_model *model, const char *file) {
  return hn_is_text_of_file(file) ? hn_strdup(file) : hn_model_path(model, file);
}

static hn_status read_files(hn_model *model, const hn_flexible_def *def, hn_finite_elements *e) {
  char message[HN_MESSAGE];
  // in the order of the members of hn_finite_element_files
  const char *const given[] = {def->nodes, def->stiffness, def->mass, def->surface, def->calculix};
  char *path[5];
  bool ok = true;
  for (int k = 0; k < 5; k++) {
    path[k] = given[k] ? place_of(model, given[k]) : NULL;
    ok = ok && (path[k] || !given[k]);
  }
  // what was copied is freed below, whether all of it was or not
  hn_finite_element_files files = {path[0], path[1], path[2], path[3], path[4]};
  hn_status status = ok ? hn_finite_elements_read(e, &files, message) : HN_ERR_MEMORY;
  for (int k = 0; k < 5; k++) free(path[k]);
  if (!status && def->millimetres) hn_finite_elements_scale(e, 1e-3);
  if (status == HN_ERR_MEMORY) return no_memory(model);
  return status ? hn_element_fail_at(model, status, NULL, 0, "%.400s", message) : HN_OK;
}

// nodes of an interface by their numbers; it lies in their middle
// with the same weight for each node, whatever area it stands for
static hn_status find_piece(hn_model *model, const hn_finite_elements *e, const hn_interface *i,
                            hn_piece *piece) {
  piece->node = malloc((size_t)i->node_count * sizeof *piece->node);
  if (!piece->node) return no_memory(model);
  piece->count = i->node_count;
  for (int k = 0; k < i->node_count; k++) {
    int node = piece->node[k] = hn_finite_elements_node(e, i->nodes[k]);
    // put together before it is needed, as interfaces are few
    char path[96];
    snprintf(path, sizeof path, "interface.%.60s", i->name);
    if (node < 0) return hn_element_fail(model, path, "there is no node number %d", i->nodes[k]);
    v3_addto(piece->place, 1.0 / i->node_count, e->place + 3 * node);
  }
  return HN_OK;
}

// where the trouble lies, by the first word of what was said of it
// messages begin with the key they are about
static hn_status blame(hn_model *model, const char *message) {
  static const char *const key[] = {"stiffness", "mass", "interface", "modes", "stiffening"};
  for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
    size_t n = strlen(key[i]);
    if (strncmp(message, key[i], n) == 0 && (message[n] == ':' || message[n] == ' '))
      return hn_element_fail(model, key[i], "%s", message);
  }
  return hn_element_fail(model, NULL, "%s", message);
}

// elements are needed no longer than this: shapes and products are kept
static hn_status reduce(hn_model *model, const hn_flexible_def *def, hn_piece *piece,
                        hn_reduced **out) {
  hn_finite_elements e = {0};
  char message[HN_MESSAGE] = "";
  hn_status status = read_files(model, def, &e);
  for (int i = 0; i < def->interface_count && !status; i++)
    status = find_piece(model, &e, &def->interfaces[i], &piece[i]);
  if (!status) {
    *out = hn_reduce(&e, piece, def->interface_count, def->modes, def->stiffening, message);
    // NULL and a message
    if (!*out)
      status = strcmp(message, "out of memory") == 0 ? no_memory(model) : blame(model, message);
  }
  hn_finite_elements_free(&e);
  return status;
}

// ---- what becomes of it --------------------------------------------------------------------

static hn_status add_interface(hn_model *model, const hn_flexible_def *def, int i,
                               const double place[3]) {
  char name[NAME];
  hn_body_def body = {.name = name, .mass_given = true};  // mass 0 was meant
  double R[9], q[4], arm[3], spin[3];
  snprintf(name, sizeof name, "%s.%s", def->name, def->interfaces[i].name);
  memcpy(q, def->orientation, sizeof q);  // all zeros: not turned
  q_normalise(q);
  q_matrix(R, q);
  m3_mulv(arm, R, place);
  // velocity of a point of a rigid body: v + w x r
  v3_cross(spin, def->angular_velocity, arm);
  v3_add(body.position, def->position, arm);
  v3_add(body.velocity, def->velocity, spin);
  v3_copy(body.angular_velocity, def->angular_velocity);
  memcpy(body.orientation, q, sizeof q);
  return hn_add_body(model, &body).id < 0 ? model->failure : HN_OK;
}

// a formula that is put together; size is enough for all its terms
typedef struct text {
  char *at;
  size_t used, size;
} text;

// one more term of a sum
static void add_term(text *t, const char *format, int mode, double factor) {
  if (t->used) t->used += (size_t)snprintf(t->at + t->used, t->size - t->used, " + ");
  t->used += (size_t)hn_plain_text(t->at + t->used, t->size - t->used, format, factor, mode);
}

typedef struct modes {
  hn_coordinate_def *coordinate;
  // names and laws are arrays of fixed texts, so that pointers to them stay
  hn_equation *force;
  char (*name)[16], (*law)[80];
  text kinetic, potential;
} modes;

static double ratio_of(const hn_flexible_def *def, int mode) {
  return def->damping_ratios ? def->damping_ratios[mode] : def->damping;
}

static void write_modes(modes *m, const hn_flexible_def *def, const hn_reduced *reduced) {
  for (int k = 0; k < reduced->modes; k++) {
    double w = reduced->frequency[k];  // [rad/s]
    snprintf(m->name[k], sizeof m->name[k], "mode%d", k + 1);
    // generalized force -2 zeta w eta', of modes of mass one
    hn_plain_text(m->law[k], sizeof m->law[k], "%.17g*mode%d.rate", -2 * ratio_of(def, k) * w,
                  k + 1);
    m->coordinate[k] = (hn_coordinate_def){.name = m->name[k], .unit = "kg^(1/2) m"};
    m->force[k] = (hn_equation){m->name[k], m->law[k]};
    add_term(&m->kinetic, "%.17g*mode%d.rate^2", k + 1, 0.5);
    add_term(&m->potential, "%.17g*mode%d^2", k + 1, 0.5 * w * w);
  }
}

static bool is_damped(const hn_flexible_def *def) {
  for (int k = 0; k < def->modes; k++)
    if (ratio_of(def, k) > 0) return true;
  return false;
}

static hn_status add_modes(hn_model *model, const hn_flexible_def *def, const hn_reduced *reduced) {
  size_t n = (size_t)reduced->modes, room = 80 * n + 8;
  // freed together whatever is missing: free(NULL) does nothing
  modes m = {.coordinate = calloc(n, sizeof *m.coordinate), .force = calloc(n, sizeof *m.force)};
  m.name = calloc(n, sizeof *m.name), m.law = calloc(n, sizeof *m.law);
  m.kinetic = (text){.at = malloc(room), .size = room};
  m.potential = (text){.at = malloc(room), .size = room};
  hn_status status = HN_OK;
  if (!m.coordinate || !m.force || !m.name || !m.law || !m.kinetic.at || !m.potential.at) {
    status = no_memory(model);
  } else {
    write_modes(&m, def, reduced);
    hn_block_def block = {.name = def->name,
                          .coordinates = m.coordinate,
                          .coordinate_count = reduced->modes,
                          .kinetic_energy = m.kinetic.at,
                          .potential = m.potential.at,
                          .forces = m.force,
                          // forces of nothing but zeros are left out
                          .force_count = is_damped(def) ? reduced->modes : 0};
    if (hn_add_block(model, &block).id < 0) status = model->failure;
  }
  free(m.coordinate), free(m.force), free(m.name), free(m.law);
  free(m.kinetic.at), free(m.potential.at);
  return status;
}

// the share is taken last: nothing fails behind it
static hn_status keep(hn_model *model, const hn_flexible_def *def, int first_body, int block,
                      hn_reduced *reduced) {
  int index = model->flexible_count;
  if (!hn_grow((void **)&model->flexible, &model->flexible_capacity, index,
               sizeof *model->flexible))
    return no_memory(model);
  char *name = hn_strdup(def->name);
  if (!name) return no_memory(model);
  model->flexible[index] = (hn_model_flexible){.name = name,
                                               .first_body = first_body,
                                               .block = block,
                                               .damping = def->stiffness_damping,
                                               .reduced = hn_reduced_share(reduced),
                                               .place = model->now};
  model->flexible_count++;
  return HN_OK;
}

static hn_status add_flexible(hn_model *model, const hn_flexible_def *def) {
  hn_model_subject(model, "flexible body", def->name, NULL);
  hn_status status = hn_model_check_name(model, def->name);
  if (!status) status = check(model, def);
  if (status) return status;
  hn_reduced *reduced = NULL;
  // handles of what is about to be added
  int first = model->body_count, block = def->modes ? model->block_count : -1;
  hn_piece *piece = calloc((size_t)def->interface_count, sizeof *piece);
  if (!piece) return no_memory(model);
  status = reduce(model, def, piece, &reduced);
  // bodies of interfaces come first and in a row; flexible elements count on that
  for (int i = 0; i < def->interface_count && !status; i++)
    status = add_interface(model, def, i, piece[i].place);
  if (!status && def->modes) status = add_modes(model, def, reduced);
  if (!status) status = keep(model, def, first, block, reduced);
  // of those not reached the pointer is NULL
  for (int i = 0; i < def->interface_count; i++) free(piece[i].node);
  free(piece);
  // the model has a share of its own by now, if it was kept
  hn_reduced_release(reduced);
  return status;
}

hn_status hn_add_flexible_sized(hn_model *model, const hn_flexible_def *def, size_t size) {
  hn_flexible_def own;
  hn_status status = hn_take_definition(model, &own, sizeof own, def, size);
  if (!status) status = add_flexible(model, &own);
  if (status) hn_model_spoil(model);
  return status;
}
