// result.c: recorded columns as memory that numpy sees, and what is written of them.
#include <stdlib.h>
#include <string.h>

#include "module.h"

PyTypeObject *py_result_type;

// ---- making one ----------------------------------------------------------------------------

PyObject *py_result_wrap(hn_result *result, py_system *system, PyObject *owner) {
  py_result *self = PyObject_New(py_result, py_result_type);
  if (!self) {
    hn_result_destroy(result);
    return NULL;
  }
  Py_XINCREF(owner);
  Py_XINCREF((PyObject *)system);
  self->result = result;
  self->owner = owner;
  self->system = system;
  self->audited = false;
  self->ledger = NULL;
  self->message = NULL;
  self->shape[0] = hn_result_rows(result);
  self->shape[1] = hn_result_columns(result);
  self->strides[1] = sizeof(double);
  self->strides[0] = self->shape[1] * (Py_ssize_t)sizeof(double);
  return (PyObject *)self;
}

static void dealloc(PyObject *object) {
  py_result *self = (py_result *)object;
  hn_result_destroy(self->result);
  free(self->message);
  Py_XDECREF(self->ledger);
  Py_XDECREF(self->owner);
  Py_XDECREF((PyObject *)self->system);
  py_free(object);
}

// names and units of the columns, from two sequences of texts
static bool set_columns(hn_result *result, int columns, PyObject *names, PyObject *units) {
  for (int i = 0; i < columns; i++) {
    PyObject *name = PySequence_GetItem(names, i), *unit = PySequence_GetItem(units, i);
    const char *n = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    const char *u = unit ? PyUnicode_AsUTF8AndSize(unit, NULL) : NULL;
    hn_status status = n && u ? hn_result_set_column(result, i, n, u) : HN_OK;
    bool good = n && u && !status;
    if (status) py_fail(status, "the name or unit of a column cannot be taken");
    Py_XDECREF(name);
    Py_XDECREF(unit);
    if (!good) return false;
  }
  return true;
}

static bool set_rows(hn_result *result, const double *data, Py_ssize_t rows, Py_ssize_t columns) {
  for (Py_ssize_t i = 0; i < rows; i++) {
    double *row = hn_result_append(result);
    if (!row) {
      PyErr_NoMemory();
      return false;
    }
    memcpy(row, data + i * columns, (size_t)columns * sizeof *row);
  }
  return true;
}

PyObject *py_result_new(PyObject *module, PyObject *args) {
  (void)module;
  const char *title;
  PyObject *names, *units, *data;
  Py_buffer view;
  if (!PyArg_ParseTuple(args, "sOOO", &title, &names, &units, &data)) return NULL;
  Py_ssize_t columns = PySequence_Size(names);
  if (columns < 0 || PySequence_Size(units) != columns) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_ValueError, "there must be as many units as names");
    return NULL;
  }
  if (columns < 1 || columns > 1000000) {
    PyErr_SetString(PyExc_ValueError, "a result has between one and a million columns");
    return NULL;
  }
  if (PyObject_GetBuffer(data, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)) return NULL;
  Py_ssize_t row = columns * (Py_ssize_t)sizeof(double);
  if (!view.format || strcmp(view.format, "d") != 0 || view.len % row != 0) {
    PyBuffer_Release(&view);
    PyErr_SetString(PyExc_ValueError, "the data must be rows of doubles, one for each column");
    return NULL;
  }
  hn_result *result = hn_result_create(title, (int)columns);
  if (!result) PyErr_NoMemory();
  bool good = result && set_columns(result, (int)columns, names, units) &&
              set_rows(result, view.buf, view.len / row, columns);
  PyBuffer_Release(&view);
  if (good) return py_result_wrap(result, NULL, NULL);
  hn_result_destroy(result);
  return NULL;
}

PyObject *py_result_read(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *path;
  char message[512] = "";
  hn_result *result = NULL;
  hn_status status;
  if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) return NULL;
  const char *name = PyBytes_AsString(path);
  Py_BEGIN_ALLOW_THREADS status = hn_result_read(&result, name, message, sizeof message);
  Py_END_ALLOW_THREADS Py_DECREF(path);
  return status ? py_fail(status, message) : py_result_wrap(result, NULL, NULL);
}

// ---- asking --------------------------------------------------------------------------------

static int get_buffer(PyObject *object, Py_buffer *view, int flags) {
  py_result *self = (py_result *)object;
  static double nothing;
  view->obj = NULL;
  if (flags & PyBUF_WRITABLE) {
    PyErr_SetString(PyExc_BufferError, "results cannot be changed");
    return -1;
  }
  const double *data = hn_result_row(self->result, 0);
  view->buf = data ? (void *)(size_t)data : &nothing;
  Py_INCREF(object);
  view->obj = object;
  view->len = self->shape[0] * self->strides[0];
  view->itemsize = sizeof(double);
  view->readonly = 1;
  view->ndim = flags & PyBUF_ND ? 2 : 1;
  view->format = flags & PyBUF_FORMAT ? (char *)(size_t) "d" : NULL;
  view->shape = flags & PyBUF_ND ? self->shape : NULL;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? self->strides : NULL;
  view->suboffsets = NULL;
  view->internal = NULL;
  return 0;
}

static Py_ssize_t length(PyObject *self) {
  return ((py_result *)self)->shape[0];
}

static PyObject *get_texts(PyObject *object, void *which) {
  const hn_result *result = ((py_result *)object)->result;
  int count = hn_result_columns(result);
  PyObject *tuple = PyTuple_New(count);
  for (int i = 0; tuple && i < count; i++) {
    PyObject *text = py_text(which ? hn_result_unit(result, i) : hn_result_name(result, i));
    if (!text || PyTuple_SetItem(tuple, i, text)) Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject *get_notes(PyObject *object, void *unused) {
  (void)unused;
  const hn_result *result = ((py_result *)object)->result;
  int count = hn_result_notes(result);
  PyObject *tuple = PyTuple_New(count);
  for (int i = 0; tuple && i < count; i++) {
    PyObject *text = py_text(hn_result_note(result, i));
    if (!text || PyTuple_SetItem(tuple, i, text)) Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject *get_address(PyObject *object, void *unused) {
  (void)unused;
  return PyLong_FromVoidPtr((void *)(size_t)hn_result_row(((py_result *)object)->result, 0));
}

static PyObject *get_summary(PyObject *object, void *unused) {
  (void)unused;
  py_result *self = (py_result *)object;
  if (!self->audited) Py_RETURN_NONE;
  return py_summary(&self->summary);
}

static PyObject *get_ledger(PyObject *object, void *unused) {
  (void)unused;
  PyObject *ledger = ((py_result *)object)->ledger;
  return ledger ? PyDict_Copy(ledger) : PyDict_New();
}

static PyObject *get_message(PyObject *object, void *unused) {
  (void)unused;
  return py_text(((py_result *)object)->message);
}

// ---- writing -------------------------------------------------------------------------------

static PyObject *write_file(PyObject *self, PyObject *args) {
  PyObject *path;
  char message[512] = "";
  hn_status status;
  if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) return NULL;
  const char *name = PyBytes_AsString(path);
  Py_BEGIN_ALLOW_THREADS status =
      hn_result_write(((py_result *)self)->result, name, message, sizeof message);
  Py_END_ALLOW_THREADS Py_DECREF(path);
  if (status) return py_fail(status, message);
  Py_RETURN_NONE;
}

// plot(path, columns, x, title, log_x, log_y)
static PyObject *plot(PyObject *self, PyObject *args) {
  PyObject *path, *columns;
  hn_plot what = {0};
  int log_x, log_y;
  char message[512] = "";
  if (!PyArg_ParseTuple(args, "O&Ozzpp", PyUnicode_FSConverter, &path, &columns, &what.x,
                        &what.title, &log_x, &log_y))
    return NULL;
  Py_ssize_t count = PySequence_Size(columns);
  const char **names = count < 0 ? NULL : PyMem_Calloc((size_t)count + 1, sizeof *names);
  // the texts belong to the items, and these to the list
  PyObject *list = names ? PySequence_List(columns) : NULL;
  bool good = list;
  for (Py_ssize_t i = 0; good && i < count; i++)
    good = (names[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), NULL));
  hn_status status = HN_OK;
  if (good) {
    what.y = names;
    what.y_count = (int)count;
    what.log_x = log_x, what.log_y = log_y;
    status = hn_plot_write(((py_result *)self)->result, &what, PyBytes_AsString(path), message,
                           sizeof message);
    if (status) py_fail(status, message);
  } else if (!PyErr_Occurred()) {
    PyErr_NoMemory();
  }
  PyMem_Free(names);
  Py_XDECREF(list);
  Py_DECREF(path);
  if (!good || status) return NULL;
  Py_RETURN_NONE;
}

enum { MOST_RUNS = 64 };

// one (label, result) of a report; borrowed texts
static bool report_run(PyObject *pair, hn_report_run *run, py_result **result) {
  PyObject *object;
  if (!py_is_pair(pair) || !PyArg_ParseTuple(pair, "zO!", &run->label, py_result_type, &object))
    return false;
  *result = (py_result *)object;
  run->result = (*result)->result;
  run->summary = (*result)->audited ? &(*result)->summary : NULL;
  run->message = (*result)->message;
  return true;
}

PyObject *py_report(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *path, *runs;
  char message[512] = "";
  hn_report_run run[MOST_RUNS];
  py_result *result = NULL;
  memset(run, 0, sizeof run);
  if (!PyArg_ParseTuple(args, "O&O!", PyUnicode_FSConverter, &path, &PyTuple_Type, &runs))
    return NULL;
  Py_ssize_t count = PyTuple_Size(runs);
  hn_report report = {.run = run, .run_count = (int)count};
  hn_status status = HN_ERR_ARGUMENT;
  bool good = count > 0 && count <= MOST_RUNS;
  for (Py_ssize_t i = 0; good && i < count; i++) {
    good = report_run(PyTuple_GetItem(runs, i), &run[i], &result);
    if (!good || i || !result->system) continue;
    report.model = result->system->model;
    report.system = result->system->system;
    report.options = &result->system->options;
  }
  if (good) {
    const char *name = PyBytes_AsString(path);
    Py_BEGIN_ALLOW_THREADS status = hn_report_write(&report, name, message, sizeof message);
    Py_END_ALLOW_THREADS if (status) py_fail(status, message);
  } else if (!PyErr_Occurred()) {
    PyErr_Format(PyExc_ValueError, "a report shows between one and %d runs", MOST_RUNS);
  }
  Py_DECREF(path);
  if (status) return NULL;
  Py_RETURN_NONE;
}

// ---- the type ------------------------------------------------------------------------------

static PyMethodDef methods[] = {
    {"write", write_file, METH_VARARGS, "write(path): CSV or HDF5, by the ending."},
    {"plot", plot, METH_VARARGS, "plot(path, columns, x, title, log_x, log_y): SVG."},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef getset[] = {
    {"names", get_texts, NULL, "names of the columns", (void *)0},
    {"units", get_texts, NULL, "units of the columns", (void *)1},
    {"notes", get_notes, NULL, "what must be known to read the numbers", NULL},
    {"address", get_address, NULL, "of the first number in memory", NULL},
    {"summary", get_summary, NULL, "of the run, or None", NULL},
    {"ledger", get_ledger, NULL, "work by source [J]", NULL},
    {"message", get_message, NULL, "why the run ended early, or None", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_dealloc, (void *)dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_sq_length, (void *)length},
    {Py_bf_getbuffer, (void *)get_buffer},
    {Py_tp_doc, "Recorded columns: a buffer of rows x columns doubles."},
    {0, NULL},
};
static PyType_Spec spec = {"holon._holon.Result", sizeof(py_result), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

int py_result_ready(PyObject *module) {
  py_result_type = py_make_type(module, &spec);
  return py_result_type ? 0 : -1;
}
