// analysis.c: questions about a model other than "how does it move", asked to a run.
#include <stdlib.h>
#include <string.h>

#include "module.h"

static PyObject *fail(py_sim *self, hn_status status) {
  if (py_raise_pending(self)) return NULL;
  return py_fail(status, hn_sim_error(self->sim));
}

// (dict, result, other, message): what an analysis says, and its tables so far when it failed.
// takes all of them
static PyObject *answer(py_sim *self, PyObject *dict, hn_result *result, hn_result *other,
                        hn_status status) {
  PyObject *first = result ? py_result_wrap(result, self->system, (PyObject *)self) : NULL;
  PyObject *second = other ? py_result_wrap(other, self->system, (PyObject *)self) : NULL;
  PyObject *text = py_text(status ? hn_sim_error(self->sim) : "");
  PyObject *all = NULL;
  if (dict && text && !PyErr_Occurred())
    all = Py_BuildValue("(iOOOO)", (int)status, text, dict, first ? first : Py_None,
                        second ? second : Py_None);
  Py_XDECREF(dict);
  Py_XDECREF(first);
  Py_XDECREF(second);
  Py_XDECREF(text);
  return all;
}

// ---- statics -------------------------------------------------------------------------------

PyObject *py_statics(PyObject *object, PyObject *args) {
  static const py_member members[] = {
      PY_MEMBER(hn_equilibrium, iterations, 'i'), PY_MEMBER(hn_equilibrium, residual, 'd'),
      PY_MEMBER(hn_equilibrium, moved, 'd'),      PY_MEMBER(hn_equilibrium, dof, 'i'),
      PY_MEMBER(hn_equilibrium, unstable, 'i'),   PY_MEMBER(hn_equilibrium, indifferent, 'i'),
      PY_MEMBER(hn_equilibrium, softest, 'd'),    PY_MEMBER(hn_equilibrium, circulatory, 'b'),
      PY_MEMBER(hn_equilibrium, sides, 'i'),      PY_MEMBER(hn_equilibrium, sides_differ, 'b'),
      PY_MEMBER(hn_equilibrium, jump, 'b'),       PY_MEMBER(hn_equilibrium, rows_lost, 'i'),
      PY_MEMBER(hn_equilibrium, sharing, 's'),    {0}};
  static const char *const words[] = {"stable", "indifferent", "unstable", "undecided"};
  py_sim *self = (py_sim *)object;
  int nearest;
  hn_equilibrium e;
  hn_result *result = NULL;
  hn_status status;
  memset(&e, 0, sizeof e);
  if (!PyArg_ParseTuple(args, "p", &nearest) || !py_begin(self)) return NULL;
  Py_BEGIN_ALLOW_THREADS status =
      hn_statics(self->sim, nearest ? HN_NEAREST : HN_REST, &e, &result);
  Py_END_ALLOW_THREADS py_moved(self);
  PyObject *dict = py_struct(&e, members);
  if (dict && !py_put(dict, "stability", py_text(words[e.stability]))) Py_CLEAR(dict);
  const char *driver = status ? NULL : hn_statics_holds(self->sim, NULL, NULL);
  if (dict && !py_put(dict, "held_driver", driver ? py_text(driver) : Py_NewRef(Py_None)))
    Py_CLEAR(dict);
  return answer(self, dict, result, NULL, status);
}

// ---- linearisation and modes ---------------------------------------------------------------

static PyObject *linear_dict(const hn_linear *l, int bodies) {
  static const py_member members[] = {PY_MEMBER(hn_linear, nv, 'i'),
                                      PY_MEMBER(hn_linear, n, 'i'),
                                      PY_MEMBER(hn_linear, m, 'i'),
                                      PY_MEMBER(hn_linear, states, 'i'),
                                      PY_MEMBER(hn_linear, inputs, 'i'),
                                      PY_MEMBER(hn_linear, outputs, 'i'),
                                      PY_MEMBER(hn_linear, rest, 'b'),
                                      PY_MEMBER(hn_linear, equilibrium, 'b'),
                                      PY_MEMBER(hn_linear, conservative, 'b'),
                                      PY_MEMBER(hn_linear, sides, 'i'),
                                      PY_MEMBER(hn_linear, steady, 'b'),
                                      PY_MEMBER(hn_linear, unsteady, 'd'),
                                      PY_MEMBER(hn_linear, seen_from, 'c'),
                                      {0}};
  (void)bodies;
  Py_ssize_t nv = l->nv, n = l->n, m = l->m, size = n + m + l->states;
  PyObject *dict = py_struct(l, members);
  if (!dict) return NULL;
  if (py_put(dict, "Z", py_numbers(l->Z, nv * n)) && py_put(dict, "U", py_numbers(l->U, nv * m)) &&
      py_put(dict, "A", py_numbers(l->A, size * size)) &&
      py_put(dict, "B", py_numbers(l->B, size * l->inputs)) &&
      py_put(dict, "Y", py_numbers(l->Y, l->outputs * size)) &&
      py_put(dict, "D", py_numbers(l->D, l->outputs * l->inputs)) &&
      py_put(dict, "K", py_numbers(l->K, m * n)) && py_put(dict, "C", py_numbers(l->C, m * m)))
    return dict;
  Py_DECREF(dict);
  return NULL;
}

static PyObject *mode_list(const hn_modes *modes) {
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < modes->count; i++) {
    const hn_mode *m = &modes->mode[i];
    PyObject *row = Py_BuildValue("(dddddNN)", m->re, m->im, m->frequency, m->natural, m->damping,
                                  py_numbers(m->real, modes->nv), py_numbers(m->imag, modes->nv));
    if (!row || PyList_Append(list, row)) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

// _linearise(how, side, modes): how "equilibrium", "side" or "frozen"
PyObject *py_linearise(PyObject *object, PyObject *args) {
  py_sim *self = (py_sim *)object;
  const char *how;
  int side, wanted;
  hn_linear *linear = NULL;
  hn_modes *modes = NULL;
  hn_result *table = NULL;
  hn_status status;
  if (!PyArg_ParseTuple(args, "sip", &how, &side, &wanted) || !py_begin(self)) return NULL;
  Py_BEGIN_ALLOW_THREADS status =
      strcmp(how, "frozen") == 0 ? hn_linearise_frozen(self->sim, &linear)
      : strcmp(how, "side") == 0 ? hn_linearise_side(self->sim, side, &linear)
                                 : hn_linearise(self->sim, &linear);
  if (!status && wanted) status = hn_modes_create(&modes, linear);
  if (!status && wanted) status = hn_modes_table(self->sim, modes, &table);
  Py_END_ALLOW_THREADS py_moved(self);
  PyObject *dict = NULL;
  if (status)
    fail(self, status);
  else
    dict = linear_dict(linear, hn_system_body_count(self->system->system));
  if (dict && modes && !py_put(dict, "modes", mode_list(modes))) Py_CLEAR(dict);
  hn_modes_destroy(modes);
  hn_linear_destroy(linear);
  if (dict) return answer(self, dict, table, NULL, status);
  hn_result_destroy(table);
  return NULL;
}

// ---- kinematics and inverse dynamics -------------------------------------------------------

static PyObject *kink_list(const hn_kinks *kinks) {
  PyObject *list = PyList_New(0);
  int most = (int)(sizeof kinks->kink / sizeof *kinks->kink);
  for (int i = 0; list && i < kinks->count && i < most; i++) {
    const hn_kink *k = &kinks->kink[i];
    PyObject *row = Py_BuildValue("(dzid)", k->time, k->driver, k->order, k->jump);
    if (!row || PyList_Append(list, row)) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

static PyObject *singular_list(const hn_kinematics_info *info) {
  PyObject *list = PyList_New(0);
  int most = (int)(sizeof info->singular / sizeof *info->singular);
  for (int i = 0; list && i < info->singular_count && i < most; i++) {
    PyObject *row = Py_BuildValue("(dz)", info->singular[i].time, info->singular[i].joint);
    if (!row || PyList_Append(list, row)) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

PyObject *py_kinematics(PyObject *object, PyObject *unused) {
  (void)unused;
  static const py_member members[] = {PY_MEMBER(hn_kinematics_info, rows, 'i'),
                                      PY_MEMBER(hn_kinematics_info, steps, 'l'),
                                      PY_MEMBER(hn_kinematics_info, position, 'd'),
                                      PY_MEMBER(hn_kinematics_info, velocity, 'd'),
                                      PY_MEMBER(hn_kinematics_info, weakest, 'd'),
                                      PY_MEMBER(hn_kinematics_info, weakest_time, 'd'),
                                      PY_MEMBER(hn_kinematics_info, sharing, 's'),
                                      PY_MEMBER(hn_kinematics_info, looked, 'i'),
                                      PY_MEMBER(hn_kinematics_info, seen_through, 'b'),
                                      PY_MEMBER(hn_kinematics_info, fastest, 'd'),
                                      PY_MEMBER(hn_kinematics_info, fastest_time, 'd'),
                                      PY_MEMBER(hn_kinematics_info, fastest_driver, 's'),
                                      {0}};
  py_sim *self = (py_sim *)object;
  hn_kinematics_info info;
  hn_result *result = NULL;
  hn_status status;
  memset(&info, 0, sizeof info);
  if (!py_begin(self)) return NULL;
  Py_BEGIN_ALLOW_THREADS status = hn_kinematics(self->sim, &info, &result);
  Py_END_ALLOW_THREADS py_moved(self);
  PyObject *dict = py_struct(&info, members);
  if (dict && !(py_put(dict, "kinks", kink_list(&info.kinks)) &&
                py_put(dict, "singular", singular_list(&info))))
    Py_CLEAR(dict);
  return answer(self, dict, result, NULL, status);
}

static PyObject *row_names(const hn_result *table, const hn_system *system) {
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < hn_result_rows(table); i++) {
    PyObject *name = py_text(hn_system_row_name(system, (int)hn_result_row(table, i)[0]));
    if (!name || PyList_Append(list, name)) Py_CLEAR(list);
    Py_XDECREF(name);
  }
  return list;
}

PyObject *py_tolerances(PyObject *object, PyObject *unused) {
  (void)unused;
  py_sim *self = (py_sim *)object;
  hn_result *table = NULL;
  hn_status status;
  if (!py_begin(self)) return NULL;
  Py_BEGIN_ALLOW_THREADS status = hn_tolerances(self->sim, &table);
  Py_END_ALLOW_THREADS py_end(self);
  PyObject *dict = PyDict_New();
  if (dict && !py_put(dict, "rows", row_names(table, self->system->system))) Py_CLEAR(dict);
  return answer(self, dict, table, NULL, status);
}

static PyObject *effort_list(const hn_inverse_info *info) {
  static const py_member members[] = {
      PY_MEMBER(hn_effort, name, 's'),       PY_MEMBER(hn_effort, peak, 'd'),
      PY_MEMBER(hn_effort, peak_time, 'd'),  PY_MEMBER(hn_effort, rms, 'd'),
      PY_MEMBER(hn_effort, peak_power, 'd'), PY_MEMBER(hn_effort, work, 'd'),
      PY_MEMBER(hn_effort, infinite, 'b'),   {0}};
  PyObject *list = PyList_New(0);
  int most = (int)(sizeof info->effort / sizeof *info->effort);
  for (int i = 0; list && i < info->efforts && i < most; i++) {
    PyObject *row = py_struct(&info->effort[i], members);
    if (!row || PyList_Append(list, row)) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

PyObject *py_inverse(PyObject *object, PyObject *unused) {
  (void)unused;
  static const py_member members[] = {
      PY_MEMBER(hn_inverse_info, looked, 'i'),  PY_MEMBER(hn_inverse_info, seen_through, 'b'),
      PY_MEMBER(hn_inverse_info, program, 'b'), PY_MEMBER(hn_inverse_info, step, 'd'),
      PY_MEMBER(hn_inverse_info, error, 'd'),   {0}};
  py_sim *self = (py_sim *)object;
  hn_inverse_info info;
  hn_result *efforts = NULL, *motion = NULL;
  hn_status status;
  memset(&info, 0, sizeof info);
  if (!py_begin(self)) return NULL;
  Py_BEGIN_ALLOW_THREADS status = hn_inverse(self->sim, &info, &efforts, &motion);
  Py_END_ALLOW_THREADS py_moved(self);
  PyObject *dict = py_struct(&info, members);
  if (dict && !(py_put(dict, "kinks", kink_list(&info.kinks)) &&
                py_put(dict, "efforts", effort_list(&info))))
    Py_CLEAR(dict);
  return answer(self, dict, efforts, motion, status);
}

// _inverse_efforts(a, forces): what each force must do for these accelerations
PyObject *py_inverse_efforts(PyObject *object, PyObject *args) {
  py_sim *self = (py_sim *)object;
  PyObject *wanted, *forces, *efforts = NULL;
  if (!PyArg_ParseTuple(args, "OO!", &wanted, &PyList_Type, &forces)) return NULL;
  Py_ssize_t nv = hn_system_nv(self->system->system), count = PyList_Size(forces);
  double *a = py_space(nv + count);
  const char **name = PyMem_Calloc((size_t)count + 1, sizeof *name);
  bool good = a && name && py_read(wanted, "a", a, nv);
  for (Py_ssize_t i = 0; good && i < count; i++)
    good = (name[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(forces, i), NULL));
  if (good && py_begin(self)) {
    hn_status status = hn_inverse_efforts(self->sim, a, (int)count, name, a + nv);
    py_end(self);
    efforts = status ? fail(self, status) : py_numbers(a + nv, count);
  } else if (!PyErr_Occurred()) {
    PyErr_NoMemory();
  }
  PyMem_Free(name);
  PyMem_Free(a);
  return efforts;
}
