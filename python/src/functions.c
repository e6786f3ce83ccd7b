// functions.c: functions in Python that a run calls: controllers, pushes of bodies, events.
//
// An exception in one of them stays where it is until the run has come back to its caller.
#include "module.h"

#include <math.h>
#include <string.h>

// one for each controller, then for each body, then for each event
struct py_function {
  PyObject *call;
  Py_ssize_t inputs;  // of a controller
  py_sim *sim;        // that calls it
};

static hn_system *system_of(PyObject *self) {
  return ((py_sim *)self)->system->system;
}

static PyObject *fail(PyObject *self, hn_status status) {
  return py_fail(status, hn_sim_error(((py_sim *)self)->sim));
}

typedef enum { CONTROLLER, BODY, EVENT, KINDS } kind;

static int count_of(const py_sim *self, kind what) {
  const hn_system *system = self->system->system;
  return what == CONTROLLER ? hn_controller_count(system)
         : what == BODY     ? hn_system_body_count(system)
                            : hn_event_count(system);
}

static int place(const py_sim *self, kind what, int k) {
  for (int i = 0; i < (int)what; i++) k += count_of(self, (kind)i);
  return k;
}

// keeps a function, or lets go of one (None); NULL: an exception
static struct py_function *keep(py_sim *self, kind what, int k, PyObject *call, Py_ssize_t inputs) {
  if (!self->functions) {
    size_t size = (size_t)place(self, KINDS, 0) * sizeof *self->functions;
    self->functions = PyMem_Malloc(size + 1);
    if (!self->functions) {
      PyErr_NoMemory();
      return NULL;
    }
    memset(self->functions, 0, size);
  }
  struct py_function *f = &self->functions[place(self, what, k)];
  PyObject *old = f->call;
  if (call) Py_INCREF(call);
  *f = (struct py_function){call, inputs, self};
  Py_XDECREF(old);
  return f;
}

void py_functions_free(py_sim *self) {
  int count = self->functions ? place(self, KINDS, 0) : 0;
  for (int i = 0; i < count; i++) Py_XDECREF(self->functions[i].call);
  PyMem_Free(self->functions);
  self->functions = NULL;
  for (int i = 0; i < 3; i++) {
    Py_XDECREF(self->pending[i]);
    self->pending[i] = NULL;
  }
}

bool py_raise_pending(py_sim *self) {
  PyObject **p = self->pending;
  if (!p[0]) return false;
  PyErr_Restore(p[0], p[1], p[2]);
  p[0] = p[1] = p[2] = NULL;
  return true;
}

// ---- what the library calls ----------------------------------------------------------------

static hn_status control(void *user, double t, const double *inputs, double *output) {
  const struct py_function *f = user;
  PyGILState_STATE state = PyGILState_Ensure();
  hn_status status = HN_ERR_INTERRUPTED;
  PyObject *values = py_tuple(inputs, f->inputs);
  PyObject *answer = values ? PyObject_CallFunction(f->call, "dO", t, values) : NULL;
  Py_XDECREF(values);
  double x = answer ? PyFloat_AsDouble(answer) : 0;
  Py_XDECREF(answer);
  if (!PyErr_Occurred()) {
    *output = x;
    status = HN_OK;
  }
  PyGILState_Release(state);
  return status;
}

// adds force, or (force, torque)
static void read_push(PyObject *answer, double force[3], double torque[3]) {
  double f[3] = {0}, t[3] = {0};
  Py_ssize_t n = PySequence_Check(answer) ? PySequence_Size(answer) : -1;
  if (n == 2) {
    PyObject *first = PySequence_GetItem(answer, 0), *second = PySequence_GetItem(answer, 1);
    if (first && second && py_read(first, "force", f, 3)) py_read(second, "torque", t, 3);
    Py_XDECREF(first);
    Py_XDECREF(second);
  } else {
    py_read(answer, "force", f, 3);
  }
  for (int k = 0; k < 3; k++) force[k] += f[k], torque[k] += t[k];
}

// The library cannot be told that a push has failed: numbers that are none stop the run, and the
// exception waits until it has come back
static void push(void *user, double t, const hn_pose *pose, double force[3], double torque[3]) {
  const struct py_function *f = user;
  PyObject **pending = f->sim->pending;
  PyGILState_STATE state = PyGILState_Ensure();
  if (!pending[0]) {
    PyObject *at[4] = {py_tuple(pose->position, 3), py_tuple(pose->orientation, 4),
                       py_tuple(pose->velocity, 3), py_tuple(pose->angular_velocity, 3)};
    bool made = at[0] && at[1] && at[2] && at[3];
    PyObject *answer =
        made ? PyObject_CallFunction(f->call, "d(OOOO)", t, at[0], at[1], at[2], at[3]) : NULL;
    for (int i = 0; i < 4; i++) Py_XDECREF(at[i]);
    if (answer) read_push(answer, force, torque);
    Py_XDECREF(answer);
    if (PyErr_Occurred()) PyErr_Fetch(&pending[0], &pending[1], &pending[2]);
  }
  if (pending[0]) force[0] = NAN;
  PyGILState_Release(state);
}

static hn_status listen(void *user, int event, double t) {
  const struct py_function *f = user;
  (void)event;
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *answer = PyObject_CallFunction(f->call, "d", t);
  Py_XDECREF(answer);
  hn_status status = PyErr_Occurred() ? HN_ERR_INTERRUPTED : HN_OK;
  PyGILState_Release(state);
  return status;
}

void py_functions_give(py_sim *self) {
  if (!self->functions) return;
  for (int k = 0; k < KINDS; k++)
    for (int i = 0; i < count_of(self, (kind)k); i++) {
      struct py_function *f = &self->functions[place(self, (kind)k, i)];
      if (!f->call) continue;
      if (k == CONTROLLER)
        (void)hn_controller_function(self->sim, i, control, f);
      else if (k == BODY)
        (void)hn_wrench_function(self->sim, (hn_body){i}, push, f);
      else
        (void)hn_event_function(self->sim, i, listen, f);
    }
}

// ---- what Python calls ---------------------------------------------------------------------

// NULL for None; false: it is neither that nor a function
static bool function_of(PyObject **call, const char *what) {
  if (*call == Py_None) *call = NULL;
  if (!*call || PyCallable_Check(*call)) return true;
  PyErr_Format(PyExc_TypeError, "%s must be a function, or None", what);
  return false;
}

static PyObject *answer(PyObject *object, hn_status status) {
  py_moved((py_sim *)object);
  if (PyErr_Occurred() || py_raise_pending((py_sim *)object)) return NULL;
  if (status) return fail(object, status);
  Py_RETURN_TRUE;
}

// _controller(name, function): false when there is none of the name
PyObject *py_controller(PyObject *object, PyObject *args) {
  py_sim *self = (py_sim *)object;
  const char *name;
  PyObject *call;
  if (!PyArg_ParseTuple(args, "sO", &name, &call)) return NULL;
  int k = hn_controller_find(system_of(object), name);
  if (k < 0) Py_RETURN_FALSE;
  Py_ssize_t inputs = hn_controller_inputs(system_of(object), k);
  if (!PyCallable_Check(call)) {
    PyErr_Format(PyExc_TypeError, "controller '%s' must be a function of time and inputs", name);
    return NULL;
  }
  if (!py_begin(self)) return NULL;
  struct py_function *f = keep(self, CONTROLLER, k, call, inputs);
  return answer(object, f ? hn_controller_function(self->sim, k, control, f) : HN_ERR_MEMORY);
}

// _push(body, force, torque): from now on
PyObject *py_push(PyObject *object, PyObject *args) {
  py_sim *self = (py_sim *)object;
  int body;
  PyObject *force, *torque;
  double f[3], t[3];
  if (!PyArg_ParseTuple(args, "iOO", &body, &force, &torque)) return NULL;
  if (!py_read(force, "force", f, 3) || !py_read(torque, "torque", t, 3)) return NULL;
  if (!py_begin(self)) return NULL;
  return answer(object, hn_wrench_set(self->sim, (hn_body){body}, f, t));
}

// _push_by(body, function): by what it says at every instant
PyObject *py_push_by(PyObject *object, PyObject *args) {
  py_sim *self = (py_sim *)object;
  int body;
  PyObject *call;
  if (!PyArg_ParseTuple(args, "iO", &body, &call) || !function_of(&call, "a push")) return NULL;
  if (body < 0 || body >= hn_system_body_count(system_of(object))) {
    PyErr_SetString(PyExc_IndexError, "there is no such body");
    return NULL;
  }
  if (!py_begin(self)) return NULL;
  // the library lets go first: what it calls must be there
  hn_status status = hn_wrench_function(self->sim, (hn_body){body}, NULL, NULL);
  struct py_function *f = status ? NULL : keep(self, BODY, body, call, 0);
  if (f && call) status = hn_wrench_function(self->sim, (hn_body){body}, push, f);
  return answer(object, status);
}

// _listen(name, function): false when there is no such event
PyObject *py_listen(PyObject *object, PyObject *args) {
  py_sim *self = (py_sim *)object;
  const char *name;
  PyObject *call;
  if (!PyArg_ParseTuple(args, "sO", &name, &call) || !function_of(&call, "a listener")) return NULL;
  int k = hn_event_find(system_of(object), name);
  if (k < 0) Py_RETURN_FALSE;
  if (!py_begin(self)) return NULL;
  hn_status status = hn_event_function(self->sim, k, NULL, NULL);
  struct py_function *f = status ? NULL : keep(self, EVENT, k, call, 0);
  if (f && call) status = hn_event_function(self->sim, k, listen, f);
  return answer(object, status);
}

PyObject *py_events(PyObject *object, PyObject *unused) {
  (void)unused;
  const py_sim *self = (py_sim *)object;
  PyObject *list = PyList_New(0);
  int event;
  double t;
  for (int i = 0; list && hn_sim_event(self->sim, i, &event, &t); i++) {
    PyObject *pair = Py_BuildValue("sd", hn_event_name(system_of(object), event), t);
    if (!pair || PyList_Append(list, pair)) {
      Py_DECREF(list);
      list = NULL;
    }
    Py_XDECREF(pair);
  }
  return list;
}

PyObject *py_ended(PyObject *object, PyObject *unused) {
  (void)unused;
  return py_text(hn_sim_ended(((py_sim *)object)->sim));
}
