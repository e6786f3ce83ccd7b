// module.h: what the files of the extension share.
//
// The extension is a thin layer: it owns handles of the library, checks and converts arguments, and
// answers with plain Python objects (numbers, tuples, dicts, bytearrays of doubles). Classes with
// names, units and documentation are made of these in Python (../holon).
//
// Only the limited interface of Python 3.11 is used, and of the library only its public header.
#ifndef HOLON_PYTHON_MODULE_H
#define HOLON_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <holon/holon.h>
#include <stdbool.h>

// a compiled model: description, equations and the options they were compiled for
typedef struct {
  PyObject_HEAD hn_model *model;
  hn_system *system;
  hn_options options;
} py_system;

// one run. `stamp` counts the states it has been in, so that views know whether theirs is gone;
// `busy` while the library works on it, perhaps without the interpreter's lock
typedef struct {
  PyObject_HEAD hn_sim *sim;
  py_system *system;
  unsigned long stamp;
  bool busy;
  struct py_function *functions;  // that it calls (functions.c): controllers, pushes, events
  PyObject *pending[3];           // an exception that one of them raised while the library worked
} py_sim;

// recorded columns, with what must be known to show them
typedef struct {
  PyObject_HEAD hn_result *result;
  PyObject *owner;  // of the texts in the summary: the sim, or NULL
  py_system *system;
  bool audited;  // there is a summary
  hn_summary summary;
  PyObject *ledger;                 // work by source, a dict; NULL: not counted
  char *message;                    // why the run ended early; NULL: it did not
  Py_ssize_t shape[2], strides[2];  // of the rows, as one array
} py_result;

extern PyTypeObject *py_system_type, *py_sim_type, *py_result_type, *py_view_type;

// each makes its types; -1 and an exception when that fails
int py_system_ready(PyObject *module);
int py_sim_ready(PyObject *module);
int py_result_ready(PyObject *module);
PyTypeObject *py_make_type(PyObject *module, PyType_Spec *spec);
void py_free(PyObject *self);  // memory of an instance whose own things are gone

// raises what holon/errors.py makes of a status and its sentence; returns NULL
PyObject *py_fail(hn_status status, const char *message);

// ---- conversion ----------------------------------------------------------------------------

PyObject *py_text(const char *text);  // None for NULL; bytes that are no UTF-8 are replaced
PyObject *py_numbers(const double *x, Py_ssize_t n);  // bytearray: memory for numpy
PyObject *py_tuple(const double *x, Py_ssize_t n);
PyObject *py_texts(int count, const char *const *text);  // tuple
// n finite-or-not doubles from a buffer of doubles or a sequence of numbers; false: an exception
bool py_read(PyObject *object, const char *what, double *x, Py_ssize_t n);
bool py_is_pair(PyObject *object);  // fit to be taken apart; false: with an exception
// memory for n doubles, zero; NULL: an exception
double *py_space(Py_ssize_t n);

// members of a struct, for py_struct: i int, l long, d double, b bool, s const char *, c char[]
typedef struct {
  const char *name;
  char kind;
  size_t offset;
} py_member;
#define PY_MEMBER(type, member, kind)                                                              \
  { #member, kind, offsetof(type, member) }
PyObject *py_struct(const void *from, const py_member *members);  // dict; members end with {0}
PyObject *py_ledger(const hn_sim *sim);                           // work by source, a dict
bool py_put(PyObject *dict, const char *key, PyObject *value);    // takes the value; false: failed

// ---- runs and results ----------------------------------------------------------------------

// takes the result, also when it fails. system and owner may be NULL
PyObject *py_result_wrap(hn_result *result, py_system *system, PyObject *owner);
PyObject *py_summary(const hn_summary *summary);
// begins a question to a run: false and an exception when it is at work already
bool py_begin(py_sim *self);
void py_end(py_sim *self);    // ends it
void py_moved(py_sim *self);  // ends it: the state is another one

// functions in Python that a run calls, functions.c
PyObject *py_controller(PyObject *self, PyObject *args);
PyObject *py_push(PyObject *self, PyObject *args);
PyObject *py_push_by(PyObject *self, PyObject *args);
PyObject *py_events(PyObject *self, PyObject *unused);
PyObject *py_ended(PyObject *self, PyObject *unused);
PyObject *py_listen(PyObject *self, PyObject *args);
bool py_raise_pending(py_sim *self);   // false: nothing is pending
void py_functions_give(py_sim *self);  // to the library's run, which is a new one
void py_functions_free(py_sim *self);

// analyses, methods of runs
PyObject *py_statics(PyObject *self, PyObject *args);
PyObject *py_linearise(PyObject *self, PyObject *args);
PyObject *py_kinematics(PyObject *self, PyObject *unused);
PyObject *py_inverse(PyObject *self, PyObject *unused);
PyObject *py_tolerances(PyObject *self, PyObject *unused);
PyObject *py_inverse_efforts(PyObject *self, PyObject *args);
// functions of the module
PyObject *py_build(PyObject *module, PyObject *args);
PyObject *py_result_new(PyObject *module, PyObject *args);
PyObject *py_result_read(PyObject *module, PyObject *args);
PyObject *py_report(PyObject *module, PyObject *args);
PyObject *py_study(PyObject *module, PyObject *args);
PyObject *py_optimise(PyObject *module, PyObject *args);
PyObject *py_fit(PyObject *module, PyObject *args);
PyObject *py_slopes(PyObject *module, PyObject *args);

#endif
