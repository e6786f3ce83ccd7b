// system.c: compiled models.
#include <stdlib.h>
#include <string.h>

#include "module.h"

PyTypeObject *py_system_type;

// ---- making one ----------------------------------------------------------------------------

// what a compilation needs, as plain C, so that it can do without the interpreter's lock
typedef struct {
  const char *path;  // of a file, or NULL and
  const char *text;  // the description itself
  size_t length;
  const char *name;               // what messages call it
  PyObject *overrides, *options;  // lists of pairs of texts
  bool trust, report, compile;
} recipe;

static void dealloc(PyObject *object) {
  py_system *self = (py_system *)object;
  hn_system_destroy(self->system);
  hn_model_destroy(self->model);
  py_free(object);
}

// the k-th pair of a list of pairs of texts; false: an exception
static bool pair_at(PyObject *list, Py_ssize_t k, const char **name, const char **value) {
  PyObject *pair = PyList_GetItem(list, k);
  return pair && py_is_pair(pair) && PyArg_ParseTuple(pair, "ss", name, value);
}

static hn_status set_overrides(py_system *self, PyObject *list) {
  const char *name, *value;
  for (Py_ssize_t k = 0; k < PyList_Size(list); k++) {
    if (!pair_at(list, k, &name, &value)) return HN_ERR_ARGUMENT;
    hn_status status = hn_model_override(self->model, name, value);
    if (status) return status;
  }
  return HN_OK;
}

static hn_status set_options(py_system *self, PyObject *list, char *message, size_t size) {
  const char *name, *value;
  for (Py_ssize_t k = 0; k < PyList_Size(list); k++) {
    if (!pair_at(list, k, &name, &value)) return HN_ERR_ARGUMENT;
    hn_status status = hn_options_set(hn_model_options(self->model), name, value, message, size);
    if (status) return status;
  }
  return HN_OK;
}

static bool make(py_system *self, const recipe *r) {
  char message[512] = "";
  self->model = hn_model_create();
  if (!self->model) return PyErr_NoMemory();
  if (r->trust) hn_model_trust(self->model);
  hn_status status = set_overrides(self, r->overrides);
  if (PyErr_Occurred()) return false;
  if (!status) {
    Py_BEGIN_ALLOW_THREADS status = r->path
                                        ? hn_model_load(self->model, r->path)
                                        : hn_model_parse(self->model, r->text, r->length, r->name);
    Py_END_ALLOW_THREADS
  }
  if (status) return py_fail(status, hn_model_error(self->model));
  status = set_options(self, r->options, message, sizeof message);
  if (status) return py_fail(status, message);
  if (r->report) hn_report_prepare(self->model);
  if (r->compile) {
    Py_BEGIN_ALLOW_THREADS status = hn_compile(&self->system, self->model);
    Py_END_ALLOW_THREADS
  }
  if (status) return py_fail(status, hn_model_error(self->model));
  self->options = *hn_model_options(self->model);
  return true;
}

// build(path, text, name, overrides, options, trust, report, compile)
PyObject *py_build(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *path, *text, *path_bytes = NULL;
  recipe r = {0};
  int trust, report, compile;
  if (!PyArg_ParseTuple(args, "OOsO!O!ppp", &path, &text, &r.name, &PyList_Type, &r.overrides,
                        &PyList_Type, &r.options, &trust, &report, &compile))
    return NULL;
  r.trust = trust, r.report = report, r.compile = compile;
  if (path != Py_None) {
    if (!PyUnicode_FSConverter(path, &path_bytes)) return NULL;
    r.path = PyBytes_AsString(path_bytes);
  } else {
    Py_ssize_t length;
    r.text = PyUnicode_AsUTF8AndSize(text, &length);
    if (!r.text) return NULL;
    r.length = (size_t)length;
  }
  py_system *self = PyObject_New(py_system, py_system_type);
  if (self) {
    self->model = NULL;
    self->system = NULL;
    if (!make(self, &r)) Py_CLEAR(self);
  }
  Py_XDECREF(path_bytes);
  return (PyObject *)self;
}

// ---- what the description says -------------------------------------------------------------

static PyObject *get_name(PyObject *self, void *unused) {
  (void)unused;
  return py_text(hn_model_name(((py_system *)self)->model));
}

static PyObject *get_gravity(PyObject *self, void *unused) {
  (void)unused;
  double g[3];
  hn_model_gravity(((py_system *)self)->model, g);
  return py_tuple(g, 3);
}

static PyObject *get_parameters(PyObject *object, void *unused) {
  (void)unused;
  const hn_model *model = ((py_system *)object)->model;
  PyObject *dict = PyDict_New();
  for (int i = 0; dict && i < hn_model_parameter_count(model); i++) {
    const char *name = hn_model_parameter_name(model, i);
    double value = 0;
    hn_model_parameter(model, name, &value);
    if (!py_put(dict, name, PyFloat_FromDouble(value))) Py_CLEAR(dict);
  }
  return dict;
}

static PyObject *get_wants_native(PyObject *self, void *unused) {
  (void)unused;
  return PyBool_FromLong(hn_model_wants_native(((py_system *)self)->model));
}

static PyObject *get_duration(PyObject *self, void *unused) {
  (void)unused;
  return PyFloat_FromDouble(((py_system *)self)->options.duration);
}

// ---- sizes, names, places ------------------------------------------------------------------

static PyObject *get_size(PyObject *object, void *which) {
  const hn_system *system = ((py_system *)object)->system;
  int (*const size[])(const hn_system *) = {hn_system_nq, hn_system_nv, hn_system_rows};
  return PyLong_FromLong(size[(size_t)which](system));
}

// the names at(0), at(1) ... until the first NULL
#define NAMES(first, call)                                                                         \
  PyObject *list = PyList_New(0);                                                                  \
  const char *name;                                                                                \
  for (int i = (first); list && (name = (call)); i++) {                                            \
    PyObject *item = py_text(name);                                                                \
    if (!item || PyList_Append(list, item)) Py_CLEAR(list);                                        \
    Py_XDECREF(item);                                                                              \
  }                                                                                                \
  return list

static PyObject *get_row_names(PyObject *self, void *unused) {
  (void)unused;
  const hn_system *system = ((py_system *)self)->system;
  NAMES(0, i < hn_system_rows(system) ? hn_system_row_name(system, i) : NULL);
}

static PyObject *get_bodies(PyObject *self, void *unused) {
  (void)unused;
  const hn_system *system = ((py_system *)self)->system;
  NAMES(0, i < hn_system_body_count(system) ? hn_body_name(system, (hn_body){i}) : NULL);
}

static PyObject *get_joints(PyObject *self, void *unused) {
  (void)unused;
  const hn_system *system = ((py_system *)self)->system;
  NAMES(1, i <= hn_system_joint_count(system) ? hn_joint_name(system, (hn_joint){i}) : NULL);
}

static PyObject *get_inputs(PyObject *self, void *unused) {
  (void)unused;
  const hn_system *system = ((py_system *)self)->system;
  NAMES(0, i < hn_input_count(system) ? hn_input_name(system, i) : NULL);
}

static PyObject *get_states(PyObject *self, void *unused) {
  (void)unused;
  const hn_system *system = ((py_system *)self)->system;
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < hn_state_count(system); i++) {
    PyObject *name = py_text(hn_state_name(system, i));
    if (!name || PyList_Append(list, name)) Py_CLEAR(list);
    Py_XDECREF(name);
  }
  return list;
}

static PyObject *coordinates(PyObject *self, PyObject *args) {
  const hn_system *system = ((py_system *)self)->system;
  hn_joint joint;
  if (!PyArg_ParseTuple(args, "i", &joint.id)) return NULL;
  NAMES(0, hn_joint_coordinate_name(system, joint, i));
}

static PyObject *joint_rows(PyObject *self, PyObject *args) {
  const hn_system *system = ((py_system *)self)->system;
  hn_joint joint;
  int first = 0;
  if (!PyArg_ParseTuple(args, "i", &joint.id)) return NULL;
  int count = hn_joint_rows(system, joint, &first);
  return Py_BuildValue("(ii)", first, count);
}

static PyObject *get_addresses(PyObject *self, void *unused) {
  (void)unused;
  PyObject *list = PyList_New(0);
  hn_address a;
  for (int k = 0; list && hn_system_address(((py_system *)self)->system, k, &a); k++) {
    PyObject *row = Py_BuildValue("(zziiii)", a.kind, a.name, a.q, a.nq, a.v, a.nv);
    if (!row || PyList_Append(list, row)) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

// ---- what compiling found ------------------------------------------------------------------

static PyObject *check_joints(const hn_check *check) {
  static const py_member members[] = {
      PY_MEMBER(hn_check_joint, name, 's'),         PY_MEMBER(hn_check_joint, type, 's'),
      PY_MEMBER(hn_check_joint, rows, 'i'),         PY_MEMBER(hn_check_joint, redundant, 'i'),
      PY_MEMBER(hn_check_joint, undetermined, 'i'), PY_MEMBER(hn_check_joint, gap, 'd'),
      PY_MEMBER(hn_check_joint, gap_angle, 'd'),    {0}};
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < check->joint_count; i++) {
    PyObject *row = py_struct(&check->joint[i], members);
    if (!row || PyList_Append(list, row)) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

static PyObject *check_bodies(const hn_check *check) {
  static const py_member members[] = {PY_MEMBER(hn_check_body, name, 's'),
                                      PY_MEMBER(hn_check_body, moved, 'd'),
                                      PY_MEMBER(hn_check_body, turned, 'd'),
                                      PY_MEMBER(hn_check_body, velocity_change, 'd'),
                                      PY_MEMBER(hn_check_body, spin_change, 'd'),
                                      PY_MEMBER(hn_check_body, velocity_given, 'b'),
                                      {0}};
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < check->body_count; i++) {
    PyObject *row = py_struct(&check->body[i], members);
    if (!row || PyList_Append(list, row)) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

static PyObject *dependencies(const hn_redundancy *r) {
  PyObject *list = PyList_New(0);
  for (int i = 0; list && r && i < r->dependency_count; i++) {
    PyObject *text = py_text(r->dependency[i].text);
    if (!text || PyList_Append(list, text)) Py_CLEAR(list);
    Py_XDECREF(text);
  }
  return list;
}

static PyObject *solved(const hn_model *model) {
  PyObject *dict = PyDict_New();
  const char *name;
  double value;
  for (int i = 0; dict && hn_model_solved(model, i, &name, &value); i++)
    if (!py_put(dict, name, PyFloat_FromDouble(value))) Py_CLEAR(dict);
  return dict;
}

static PyObject *check(PyObject *self, PyObject *unused) {
  (void)unused;
  static const py_member members[] = {PY_MEMBER(hn_check, bodies, 'i'),
                                      PY_MEMBER(hn_check, joints, 'i'),
                                      PY_MEMBER(hn_check, forces, 'i'),
                                      PY_MEMBER(hn_check, blocks, 'i'),
                                      PY_MEMBER(hn_check, velocities, 'i'),
                                      PY_MEMBER(hn_check, rows, 'i'),
                                      PY_MEMBER(hn_check, rank, 'i'),
                                      PY_MEMBER(hn_check, dof_counted, 'i'),
                                      PY_MEMBER(hn_check, dof, 'i'),
                                      PY_MEMBER(hn_check, rank_tolerance, 'd'),
                                      PY_MEMBER(hn_check, smallest_kept, 'd'),
                                      PY_MEMBER(hn_check, largest_dropped, 'd'),
                                      PY_MEMBER(hn_check, reactions, 'c'),
                                      PY_MEMBER(hn_check, preload, 'c'),
                                      PY_MEMBER(hn_check, position_before, 'd'),
                                      PY_MEMBER(hn_check, position_after, 'd'),
                                      PY_MEMBER(hn_check, rotation_before, 'd'),
                                      PY_MEMBER(hn_check, rotation_after, 'd'),
                                      PY_MEMBER(hn_check, velocity_before, 'd'),
                                      PY_MEMBER(hn_check, velocity_after, 'd'),
                                      PY_MEMBER(hn_check, moved, 'd'),
                                      PY_MEMBER(hn_check, turned, 'd'),
                                      PY_MEMBER(hn_check, coordinates, 's'),
                                      PY_MEMBER(hn_check, singular_rows, 'i'),
                                      PY_MEMBER(hn_check, start, 'c'),
                                      PY_MEMBER(hn_check, gap, 'd'),
                                      PY_MEMBER(hn_check, gaps, 'c'),
                                      {0}};
  const hn_check *c = hn_system_check(((py_system *)self)->system);
  PyObject *dict = py_struct(c, members);
  if (!dict) return NULL;
  if (py_put(dict, "redundant", py_texts(c->redundant_count, c->redundant)) &&
      py_put(dict, "notes", py_texts(c->note_count, c->note)) &&
      py_put(dict, "solved", solved(((py_system *)self)->model)) &&
      py_put(dict, "dependencies", dependencies(c->redundancy)) &&
      py_put(dict, "each_joint", check_joints(c)) && py_put(dict, "each_body", check_bodies(c)))
    return dict;
  Py_DECREF(dict);
  return NULL;
}

static PyObject *code(PyObject *self, PyObject *unused) {
  (void)unused;
  char message[512] = "", *text = NULL;
  hn_status status;
  Py_BEGIN_ALLOW_THREADS status =
      hn_code_write(((py_system *)self)->system, &text, message, sizeof message);
  Py_END_ALLOW_THREADS if (status) return py_fail(status, message);
  PyObject *answer = py_text(text);
  free(text);
  return answer;
}

// ---- the type ------------------------------------------------------------------------------

// without a system only the description is there
static bool compiled(PyObject *self) {
  if (((py_system *)self)->system) return true;
  PyErr_SetString(PyExc_RuntimeError, "the model was read, not compiled");
  return false;
}

#define GUARDED_GET(name)                                                                          \
  static PyObject *guarded_##name(PyObject *self, void *which) {                                   \
    return compiled(self) ? get_##name(self, which) : NULL;                                        \
  }
GUARDED_GET(size)
GUARDED_GET(row_names)
GUARDED_GET(bodies)
GUARDED_GET(joints)
GUARDED_GET(inputs)
GUARDED_GET(states)
GUARDED_GET(addresses)
#define GUARDED_CALL(name)                                                                         \
  static PyObject *guarded_##name(PyObject *self, PyObject *args) {                                \
    return compiled(self) ? name(self, args) : NULL;                                               \
  }
GUARDED_CALL(check)
GUARDED_CALL(code)
GUARDED_CALL(coordinates)
GUARDED_CALL(joint_rows)

static PyMethodDef methods[] = {
    {"check", guarded_check, METH_NOARGS, "What compiling found, as a dict."},
    {"code", guarded_code, METH_NOARGS, "The equations of motion as C source."},
    {"coordinates", guarded_coordinates, METH_VARARGS, "Names of the coordinates of a joint (id)."},
    {"joint_rows", guarded_joint_rows, METH_VARARGS, "First row and number of rows of a joint."},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef getset[] = {
    {"name", get_name, NULL, "name of the model", NULL},
    {"gravity", get_gravity, NULL, "acceleration of gravity", NULL},
    {"parameters", get_parameters, NULL, "named constants", NULL},
    {"wants_native", get_wants_native, NULL, "the file asks for machine code", NULL},
    {"duration", get_duration, NULL, "simulated time [s]", NULL},
    {"nq", guarded_size, NULL, "configuration variables", (void *)0},
    {"nv", guarded_size, NULL, "velocity variables", (void *)1},
    {"rows", guarded_size, NULL, "constraint rows", (void *)2},
    {"row_names", guarded_row_names, NULL, "names of the rows", NULL},
    {"bodies", guarded_bodies, NULL, "names of the bodies, the ground first", NULL},
    {"joints", guarded_joints, NULL, "names of the joints", NULL},
    {"inputs", guarded_inputs, NULL, "names of the inputs", NULL},
    {"states", guarded_states, NULL, "names of the states", NULL},
    {"addresses", guarded_addresses, NULL, "(kind, name, q, nq, v, nv) of every part", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_dealloc, (void *)dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_tp_doc, "A compiled model."},
    {0, NULL},
};
static PyType_Spec spec = {"holon._holon.System", sizeof(py_system), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

int py_system_ready(PyObject *module) {
  py_system_type = py_make_type(module, &spec);
  return py_system_type ? 0 : -1;
}
