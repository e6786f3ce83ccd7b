// module.c: the module _holon, its tables, errors and conversions.
#include "module.h"

#include <stdlib.h>
#include <string.h>

// ---- errors --------------------------------------------------------------------------------

PyObject *py_fail(hn_status status, const char *message) {
  if (PyErr_Occurred()) return NULL;
  if (status == HN_ERR_MEMORY) return PyErr_NoMemory();
  PyObject *errors = PyImport_ImportModule("holon.errors");
  PyObject *text = errors ? py_text(message && *message ? message : hn_status_text(status)) : NULL;
  PyObject *failure = text ? PyObject_CallMethod(errors, "failure", "iO", (int)status, text) : NULL;
  if (failure) PyErr_SetObject((PyObject *)Py_TYPE(failure), failure);
  Py_XDECREF(failure);
  Py_XDECREF(text);
  Py_XDECREF(errors);
  return NULL;
}

// ---- conversion ----------------------------------------------------------------------------

PyObject *py_text(const char *text) {
  if (!text) Py_RETURN_NONE;
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *py_numbers(const double *x, Py_ssize_t n) {
  return PyByteArray_FromStringAndSize((const char *)x, n * (Py_ssize_t)sizeof *x);
}

PyObject *py_tuple(const double *x, Py_ssize_t n) {
  PyObject *tuple = PyTuple_New(n);
  for (Py_ssize_t i = 0; tuple && i < n; i++) {
    PyObject *item = PyFloat_FromDouble(x[i]);
    if (!item || PyTuple_SetItem(tuple, i, item)) Py_CLEAR(tuple);
  }
  return tuple;
}

PyObject *py_texts(int count, const char *const *text) {
  PyObject *tuple = PyTuple_New(count);
  for (int i = 0; tuple && i < count; i++) {
    PyObject *item = py_text(text[i]);
    if (!item || PyTuple_SetItem(tuple, i, item)) Py_CLEAR(tuple);
  }
  return tuple;
}

static bool read_sequence(PyObject *object, const char *what, double *x, Py_ssize_t n) {
  Py_ssize_t length = PySequence_Check(object) ? PySequence_Size(object) : -1;
  if (length < 0) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s must be a sequence of %zd numbers", what, n);
    return false;
  }
  if (length != n) {
    PyErr_Format(PyExc_ValueError, "%s must have %zd numbers, not %zd", what, n, length);
    return false;
  }
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject *item = PySequence_GetItem(object, i);
    x[i] = item ? PyFloat_AsDouble(item) : 0;
    Py_XDECREF(item);
    if (PyErr_Occurred()) return false;
  }
  return true;
}

bool py_is_pair(PyObject *object) {
  bool is = PyTuple_Check(object);
  if (!is) PyErr_SetString(PyExc_TypeError, "a list of pairs holds something else");
  return is;
}

bool py_read(PyObject *object, const char *what, double *x, Py_ssize_t n) {
  Py_buffer view;
  if (PyObject_CheckBuffer(object) &&
      PyObject_GetBuffer(object, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) == 0) {
    bool fits = view.format && strcmp(view.format, "d") == 0 && view.ndim == 1 &&
                view.len == n * (Py_ssize_t)sizeof *x;
    if (fits) memcpy(x, view.buf, (size_t)view.len);
    PyBuffer_Release(&view);
    if (fits) return true;
  }
  PyErr_Clear();
  return read_sequence(object, what, x, n);
}

double *py_space(Py_ssize_t n) {
  double *x = PyMem_Calloc(n > 0 ? (size_t)n : 1, sizeof *x);
  if (!x) PyErr_NoMemory();
  return x;
}

bool py_put(PyObject *dict, const char *key, PyObject *value) {
  bool good = value && PyDict_SetItemString(dict, key, value) == 0;
  Py_XDECREF(value);
  return good;
}

static PyObject *member_value(const void *from, const py_member *m) {
  const char *at = (const char *)from + m->offset;
  switch (m->kind) {
  case 'i': return PyLong_FromLong(*(const int *)at);
  case 'l': return PyLong_FromLong(*(const long *)at);
  case 'd': return PyFloat_FromDouble(*(const double *)at);
  case 'b': return PyBool_FromLong(*(const bool *)at);
  case 's': return py_text(*(const char *const *)at);
  default: return py_text(at);
  }
}

PyObject *py_struct(const void *from, const py_member *members) {
  PyObject *dict = PyDict_New();
  for (const py_member *m = members; dict && m->name; m++)
    if (!py_put(dict, m->name, member_value(from, m))) Py_CLEAR(dict);
  return dict;
}

// ---- tables --------------------------------------------------------------------------------

static PyObject *type_table(const hn_type_info *(*at)(int index)) {
  PyObject *list = PyList_New(0);
  const hn_type_info *t;
  for (int i = 0; list && (t = at(i)); i++) {
    PyObject *row = Py_BuildValue("(zzzz)", t->name, t->help, t->keys, t->required);
    if (!row || PyList_Append(list, row)) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

static PyObject *method_table(void) {
  PyObject *list = PyList_New(0);
  const hn_method_info *m;
  for (int i = 0; list && (m = hn_method_at(i)); i++) {
    PyObject *row =
        Py_BuildValue("(zzzzz)", m->name, m->help, m->solver, m->correction, m->integrator);
    if (!row || PyList_Append(list, row)) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

static PyObject *option_table(void) {
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < hn_option_count(); i++) {
    const hn_option_info *o = hn_option_at(i);
    PyObject *row = Py_BuildValue("(zzzz)", o->name, o->unit, o->fallback, o->help);
    if (!row || PyList_Append(list, row)) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

static PyObject *example_table(void) {
  PyObject *dict = PyDict_New();
  for (int i = 0; dict && hn_example_name(i); i++)
    if (!py_put(dict, hn_example_name(i), py_text(hn_example_text(i)))) Py_CLEAR(dict);
  return dict;
}

// what exists, by the library's own tables: a dict of lists
static PyObject *tables(PyObject *module, PyObject *unused) {
  (void)module, (void)unused;
  PyObject *dict = PyDict_New();
  if (!dict) return NULL;
  if (py_put(dict, "joints", type_table(hn_joint_type_at)) &&
      py_put(dict, "forces", type_table(hn_force_type_at)) &&
      py_put(dict, "solvers", type_table(hn_solver_at)) &&
      py_put(dict, "corrections", type_table(hn_correction_at)) &&
      py_put(dict, "integrators", type_table(hn_integrator_at)) &&
      py_put(dict, "methods", method_table()) && py_put(dict, "options", option_table()) &&
      py_put(dict, "examples", example_table()))
    return dict;
  Py_DECREF(dict);
  return NULL;
}

static PyObject *schema(PyObject *module, PyObject *unused) {
  (void)module, (void)unused;
  char *text = hn_schema_json();
  PyObject *answer = text ? py_text(text) : PyErr_NoMemory();
  free(text);
  return answer;
}

// option(name, value): checks one option as hn_options_set does
static PyObject *option(PyObject *module, PyObject *args) {
  (void)module;
  const char *name, *value;
  char message[256] = "";
  if (!PyArg_ParseTuple(args, "ss", &name, &value)) return NULL;
  hn_options scratch = hn_options_default();
  hn_status status = hn_options_set(&scratch, name, value, message, sizeof message);
  if (status) return py_fail(status, message);
  Py_RETURN_NONE;
}

// ---- the module ----------------------------------------------------------------------------

PyTypeObject *py_make_type(PyObject *module, PyType_Spec *spec) {
  PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
  const char *dot = strrchr(spec->name, '.');
  if (type && PyModule_AddObjectRef(module, dot ? dot + 1 : spec->name, type) < 0) Py_CLEAR(type);
  return (PyTypeObject *)type;
}

void py_free(PyObject *self) {
  // a class made of one of these in Python brings its own way to be freed
  PyTypeObject *type = Py_TYPE(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *status_names(void) {
  static const char *const names[] = {
#define HN_X(name, text) #name,
      HN_STATUS_LIST(HN_X)
#undef HN_X
  };
  return py_texts((int)(sizeof names / sizeof *names), names);
}

static PyMethodDef methods[] = {
    {"tables", tables, METH_NOARGS, "What exists: joints, forces, methods, options, examples."},
    {"schema", schema, METH_NOARGS, "JSON Schema of the model format."},
    {"option", option, METH_VARARGS, "option(name, value): raises when it cannot be set so."},
    {"build", py_build, METH_VARARGS,
     "build(path, text, name, overrides, options, trust, report, compile): a System."},
    {"result_new", py_result_new, METH_VARARGS, "result_new(title, names, units, data): a Result."},
    {"result_read", py_result_read, METH_VARARGS, "result_read(path): a Result from CSV or HDF5."},
    {"report", py_report, METH_VARARGS, "report(path, [(label, result), ...]): writes the page."},
    {"study", py_study, METH_VARARGS,
     "study(text, name, model, model_name, engine, jobs, store, resume, keep, html, progress)."},
    {"optimise", py_optimise, METH_VARARGS,
     "optimise(text, name, model, model_name, engine, jobs, store, resume, html, progress)."},
    {"fit", py_fit, METH_VARARGS, "fit(text, name, model, model_name, jobs, progress)."},
    {"slopes", py_slopes, METH_VARARGS, "slopes(text, name, model, model_name, at, backward)."},
    {NULL, NULL, 0, NULL},
};

static int execute(PyObject *module) {
  if (PyModule_AddStringConstant(module, "version", hn_version())) return -1;
  PyObject *names = status_names();
  int failed = names ? PyModule_AddObjectRef(module, "statuses", names) : -1;
  Py_XDECREF(names);
  if (failed) return -1;
  return py_system_ready(module) || py_sim_ready(module) || py_result_ready(module) ? -1 : 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)execute}, {0, NULL}};
static PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "holon._holon",
    .m_doc = "The library holon, as close to its C interface as Python allows.",
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__holon(void) {
  return PyModuleDef_Init(&definition);
}
