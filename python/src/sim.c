// sim.c: runs, views of their state, and what they can be asked.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "module.h"

PyTypeObject *py_sim_type, *py_view_type;

static hn_sim *sim_of(PyObject *self) {
  return ((py_sim *)self)->sim;
}
static const hn_system *system_of(PyObject *self) {
  return ((py_sim *)self)->system->system;
}

bool py_begin(py_sim *self) {
  if (self->busy) {
    PyErr_SetString(PyExc_RuntimeError,
                    "this run is at work already: another thread, or a function it calls, uses it");
    return false;
  }
  if (py_raise_pending(self)) return false;
  self->busy = true;
  return true;
}

void py_end(py_sim *self) {
  self->busy = false;
}

void py_moved(py_sim *self) {
  self->stamp++;
  self->busy = false;
}

static PyObject *fail(PyObject *self, hn_status status) {
  if (py_raise_pending((py_sim *)self)) return NULL;
  return py_fail(status, hn_sim_error(sim_of(self)));
}

// ---- making one ----------------------------------------------------------------------------

// Sim(system)
static PyObject *create(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  PyObject *system;
  char message[512] = "";
  if (keywords && PyDict_Size(keywords)) {
    PyErr_SetString(PyExc_TypeError, "Sim() takes no keywords");
    return NULL;
  }
  if (!PyArg_ParseTuple(args, "O!", py_system_type, &system)) return NULL;
  py_system *compiled = (py_system *)system;
  if (!compiled->system) {
    PyErr_SetString(PyExc_RuntimeError, "the model was read, not compiled");
    return NULL;
  }
  py_sim *self = (py_sim *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!self) return NULL;
  self->sim = NULL;
  self->functions = NULL;
  memset(self->pending, 0, sizeof self->pending);
  self->stamp = 0;
  self->busy = false;
  Py_INCREF(system);
  self->system = compiled;
  hn_status status =
      hn_sim_create(&self->sim, compiled->system, &compiled->options, message, sizeof message);
  if (status) {
    Py_DECREF((PyObject *)self);
    return py_fail(status, message);
  }
  return (PyObject *)self;
}

static void dealloc(PyObject *object) {
  py_sim *self = (py_sim *)object;
  hn_sim_destroy(self->sim);
  py_functions_free(self);
  Py_DECREF((PyObject *)self->system);
  py_free(object);
}

// ---- motion --------------------------------------------------------------------------------

// a step is too short to give the interpreter away for it
static PyObject *step(PyObject *object, PyObject *unused) {
  (void)unused;
  py_sim *self = (py_sim *)object;
  if (!py_begin(self)) return NULL;
  hn_status status = hn_step(self->sim);
  py_moved(self);
  if (status && PyErr_Occurred()) return NULL;
  if (status) return fail(object, status);
  return PyFloat_FromDouble(hn_time(self->sim));
}

static PyObject *advance(PyObject *object, PyObject *time) {
  py_sim *self = (py_sim *)object;
  double t = PyFloat_AsDouble(time);
  hn_status status;
  if (PyErr_Occurred() || !py_begin(self)) return NULL;
  Py_BEGIN_ALLOW_THREADS status = hn_advance(self->sim, t);
  Py_END_ALLOW_THREADS py_moved(self);
  if (status && PyErr_Occurred()) return NULL;
  if (status) return fail(object, status);
  return PyFloat_FromDouble(hn_time(self->sim));
}

// a state (t, q, v) from Python, in memory to be freed; NULL: an exception
static double *read_state(PyObject *self, PyObject *q, PyObject *v) {
  int nq = hn_system_nq(system_of(self)), nv = hn_system_nv(system_of(self));
  double *x = py_space(nq + nv);
  if (x && py_read(q, "q", x, nq) && py_read(v, "v", x + nq, nv)) return x;
  PyMem_Free(x);
  return NULL;
}

static PyObject *set_state(PyObject *object, PyObject *args) {
  py_sim *self = (py_sim *)object;
  double t;
  PyObject *q, *v;
  if (!PyArg_ParseTuple(args, "dOO", &t, &q, &v)) return NULL;
  double *x = read_state(object, q, v);
  if (!x) return NULL;
  hn_status status = HN_OK;
  bool free_to_go = py_begin(self);
  if (free_to_go) {
    status = hn_set_state(self->sim, t, x, x + hn_system_nq(system_of(object)));
    py_moved(self);
  }
  PyMem_Free(x);
  if (!free_to_go) return NULL;
  if (status) return fail(object, status);
  Py_RETURN_NONE;
}

// ---- states, copies ------------------------------------------------------------------------

static PyObject *states(PyObject *self, PyObject *unused) {
  (void)unused;
  return py_tuple(hn_states(sim_of(self)), hn_state_count(system_of(self)));
}

static PyObject *set_states(PyObject *object, PyObject *values) {
  py_sim *self = (py_sim *)object;
  Py_ssize_t n = hn_state_count(system_of(object));
  double *x = py_space(n);
  hn_status status = HN_OK;
  bool begun = x && py_read(values, "states", x, n) && py_begin(self);
  if (begun) {
    status = hn_set_states(self->sim, x);
    py_moved(self);
  }
  PyMem_Free(x);
  if (!begun) return NULL;
  if (status) return fail(object, status);
  Py_RETURN_NONE;
}

static PyObject *save(PyObject *object, PyObject *unused) {
  (void)unused;
  py_sim *self = (py_sim *)object;
  void *bytes;
  size_t length;
  char message[512];
  if (!py_begin(self)) return NULL;
  hn_status status = hn_sim_save(self->sim, &bytes, &length, message, sizeof message);
  py_end(self);
  if (status) return py_fail(status, message);
  PyObject *answer = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)length);
  hn_free(bytes);
  return answer;
}

// the run becomes another one of the same system; functions that it calls stay
static PyObject *become(py_sim *self, hn_sim *other) {
  hn_sim_destroy(self->sim);
  self->sim = other;
  py_functions_give(self);
  py_moved(self);
  Py_RETURN_NONE;
}

static PyObject *restore(PyObject *object, PyObject *bytes) {
  py_sim *self = (py_sim *)object;
  char message[512], *data;
  Py_ssize_t length;
  hn_sim *other = NULL;
  if (PyBytes_AsStringAndSize(bytes, &data, &length) || !py_begin(self)) return NULL;
  hn_status status =
      hn_sim_restore(&other, self->system->system, data, (size_t)length, message, sizeof message);
  if (!status) return become(self, other);
  py_end(self);
  return py_fail(status, message);
}

// _take(other): stands where another run of the same system does
static PyObject *take(PyObject *object, PyObject *from) {
  py_sim *self = (py_sim *)object;
  char message[512];
  hn_sim *other = NULL;
  if (!PyObject_TypeCheck(from, py_sim_type) || ((py_sim *)from)->system != self->system) {
    PyErr_SetString(PyExc_TypeError, "only a run of the same model can be copied");
    return NULL;
  }
  if (!py_begin(self)) return NULL;
  hn_status status = hn_sim_copy(&other, ((py_sim *)from)->sim, message, sizeof message);
  if (!status) return become(self, other);
  py_end(self);
  return py_fail(status, message);
}

// ---- a whole run ---------------------------------------------------------------------------

typedef struct {
  PyThreadState *state;  // of this thread, while it does without the lock
  PyObject *call;        // what is to be told, or NULL
  double due;            // [s] when to look after signals and tell
} watch;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// false stops the run: Ctrl-C, or an exception of the function that was told
static bool on_step(void *user, double t, double duration) {
  watch *w = user;
  double time = now();
  if (time < w->due) return true;
  PyEval_RestoreThread(w->state);
  bool go_on = PyErr_CheckSignals() == 0;
  if (go_on && w->call) {
    PyObject *answer = PyObject_CallFunction(w->call, "dd", t, duration);
    go_on = answer;
    Py_XDECREF(answer);
  }
  w->state = PyEval_SaveThread();
  w->due = now() + 0.05;
  return go_on;
}

static void keep_summary(py_result *result, hn_sim *sim, hn_status status) {
  hn_sim_summary(sim, &result->summary);
  result->audited = true;
  result->ledger = py_ledger(sim);
  if (!result->ledger) PyErr_Clear();  // without memory there is none
  if (!status) return;
  const char *text = hn_sim_error(sim);
  result->message = malloc(strlen(text) + 1);
  if (result->message) memcpy(result->message, text, strlen(text) + 1);
}

// run(progress): (status, message, result, interrupted). What was computed is there also when the
// run failed or was stopped
static PyObject *run(PyObject *object, PyObject *progress) {
  py_sim *self = (py_sim *)object;
  watch w = {.call = progress == Py_None ? NULL : progress, .due = now() + 0.05};
  hn_result *result = NULL;
  if (!py_begin(self)) return NULL;
  w.state = PyEval_SaveThread();
  hn_status status = hn_run(self->sim, &result, on_step, &w);
  PyEval_RestoreThread(w.state);
  py_moved(self);
  if (!PyErr_Occurred()) (void)py_raise_pending(self);
  bool interrupted = PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
  if (interrupted) PyErr_Clear();
  if (PyErr_Occurred() || !result) {
    hn_result_destroy(result);
    return PyErr_Occurred() ? NULL : fail(object, status ? status : HN_ERR_MEMORY);
  }
  PyObject *wrapped = py_result_wrap(result, self->system, object);
  if (!wrapped) return NULL;
  keep_summary((py_result *)wrapped, self->sim, status);
  PyObject *text = py_text(status ? hn_sim_error(self->sim) : "");
  PyObject *answer =
      text ? Py_BuildValue("(iOOO)", (int)status, text, wrapped, interrupted ? Py_True : Py_False)
           : NULL;
  Py_XDECREF(text);
  Py_DECREF(wrapped);
  return answer;
}

// ---- views of the state --------------------------------------------------------------------

typedef enum { POSITIONS, VELOCITIES, ACCELERATIONS, MULTIPLIERS } quantity;
static const char *const quantity_name[] = {"q", "v", "a", "multipliers"};

// numbers of a run at one of its states
typedef struct {
  PyObject_HEAD py_sim *sim;
  quantity what;
  unsigned long stamp;
} py_view;

static Py_ssize_t size_of(const py_sim *sim, quantity what) {
  const hn_system *system = sim->system->system;
  if (what == POSITIONS) return hn_system_nq(system);
  return what == MULTIPLIERS ? hn_system_rows(system) : hn_system_nv(system);
}

// the numbers, or NULL and an exception: the state they belong to is gone
static const double *numbers_of(py_view *view) {
  py_sim *sim = view->sim;
  if (view->stamp != sim->stamp) {
    PyObject *errors = PyImport_ImportModule("holon.errors");
    PyObject *stale = errors ? PyObject_GetAttrString(errors, "StaleError") : NULL;
    if (stale)
      PyErr_Format(stale,
                   "this view of %s is stale: the run has gone on since; take a new one, or "
                   "a copy before going on",
                   quantity_name[view->what]);
    Py_XDECREF(stale);
    Py_XDECREF(errors);
    return NULL;
  }
  if (!py_begin(sim)) return NULL;
  const double *x = view->what == POSITIONS       ? hn_positions(sim->sim)
                    : view->what == VELOCITIES    ? hn_velocities(sim->sim)
                    : view->what == ACCELERATIONS ? hn_accelerations(sim->sim)
                                                  : hn_multipliers(sim->sim);
  py_end(sim);
  if (py_raise_pending(sim)) return NULL;
  if (!x && size_of(sim, view->what) > 0) py_fail(HN_ERR_SINGULAR, hn_sim_error(sim->sim));
  static const double none;
  return x ? x : PyErr_Occurred() ? NULL : &none;
}

static PyObject *get_view(PyObject *object, void *which) {
  py_view *view = PyObject_New(py_view, py_view_type);
  if (!view) return NULL;
  Py_INCREF(object);
  view->sim = (py_sim *)object;
  view->what = (quantity)(size_t)which;
  view->stamp = view->sim->stamp;
  return (PyObject *)view;
}

static void view_dealloc(PyObject *object) {
  Py_DECREF((PyObject *)((py_view *)object)->sim);
  py_free(object);
}

static Py_ssize_t view_length(PyObject *object) {
  py_view *view = (py_view *)object;
  return size_of(view->sim, view->what);
}

static PyObject *view_item(PyObject *object, Py_ssize_t index) {
  const double *x = numbers_of((py_view *)object);
  if (!x) return NULL;
  if (index >= 0 && index < view_length(object)) return PyFloat_FromDouble(x[index]);
  PyErr_SetString(PyExc_IndexError, "index out of range");
  return NULL;
}

static PyObject *view_list(PyObject *object, PyObject *unused) {
  (void)unused;
  const double *x = numbers_of((py_view *)object);
  PyObject *tuple = x ? py_tuple(x, view_length(object)) : NULL;
  PyObject *list = tuple ? PySequence_List(tuple) : NULL;
  Py_XDECREF(tuple);
  return list;
}

static PyObject *view_subscript(PyObject *object, PyObject *key) {
  if (PyIndex_Check(key)) {
    Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (index == -1 && PyErr_Occurred()) return NULL;
    return view_item(object, index < 0 ? index + view_length(object) : index);
  }
  // slices are copies
  PyObject *list = view_list(object, NULL);
  PyObject *part = list ? PyObject_GetItem(list, key) : NULL;
  Py_XDECREF(list);
  return part;
}

static PyObject *view_bytes(PyObject *object, PyObject *unused) {
  (void)unused;
  const double *x = numbers_of((py_view *)object);
  return x ? py_numbers(x, view_length(object)) : NULL;
}

// numpy asks for this; it gets a copy of its own, which cannot become stale
static PyObject *view_array(PyObject *object, PyObject *args) {
  PyObject *dtype = NULL;
  if (!PyArg_ParseTuple(args, "|O", &dtype)) return NULL;
  PyObject *bytes = view_bytes(object, NULL);
  PyObject *numpy = bytes ? PyImport_ImportModule("numpy") : NULL;
  PyObject *array = numpy ? PyObject_CallMethod(numpy, "frombuffer", "Os", bytes, "d") : NULL;
  Py_XDECREF(numpy);
  Py_XDECREF(bytes);
  if (array && dtype && dtype != Py_None) {
    PyObject *other = PyObject_CallMethod(array, "astype", "O", dtype);
    Py_DECREF(array);
    array = other;
  }
  return array;
}

static PyObject *view_repr(PyObject *object) {
  py_view *view = (py_view *)object;
  const char *name = quantity_name[view->what];
  if (view->stamp != view->sim->stamp) return PyUnicode_FromFormat("<stale view of %s>", name);
  PyObject *list = view_list(object, NULL);
  PyObject *text = list ? PyUnicode_FromFormat("<%s: %R>", name, list) : NULL;
  Py_XDECREF(list);
  return text;
}

static PyObject *view_stale(PyObject *object, void *unused) {
  (void)unused;
  py_view *view = (py_view *)object;
  return PyBool_FromLong(view->stamp != view->sim->stamp);
}

static PyMethodDef view_methods[] = {
    {"tolist", view_list, METH_NOARGS, "The numbers as a list, which stays as it is."},
    {"tobytes", view_bytes, METH_NOARGS, "A copy of the numbers as memory."},
    {"__array__", view_array, METH_VARARGS, "A numpy array of its own."},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef view_getset[] = {
    {"stale", view_stale, NULL, "has the run gone on since?", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot view_slots[] = {
    {Py_tp_dealloc, (void *)view_dealloc},
    {Py_tp_methods, view_methods},
    {Py_tp_getset, view_getset},
    {Py_tp_repr, (void *)view_repr},
    {Py_sq_length, (void *)view_length},
    {Py_sq_item, (void *)view_item},
    {Py_mp_length, (void *)view_length},
    {Py_mp_subscript, (void *)view_subscript},
    {Py_tp_doc, "Numbers of a run at one state; raises StaleError after it has gone on."},
    {0, NULL},
};
static PyType_Spec view_spec = {"holon._holon.View", sizeof(py_view), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, view_slots};

// ---- bodies and joints ---------------------------------------------------------------------

static PyObject *pose(PyObject *self, PyObject *args) {
  hn_body body;
  hn_pose p;
  if (!PyArg_ParseTuple(args, "i", &body.id) || !py_begin((py_sim *)self)) return NULL;
  hn_status status = hn_body_pose(sim_of(self), body, &p);
  py_end((py_sim *)self);
  if (status) return py_fail(status, "there is no such body");
  return Py_BuildValue("((ddd)(dddd)(ddd)(ddd))", p.position[0], p.position[1], p.position[2],
                       p.orientation[0], p.orientation[1], p.orientation[2], p.orientation[3],
                       p.velocity[0], p.velocity[1], p.velocity[2], p.angular_velocity[0],
                       p.angular_velocity[1], p.angular_velocity[2]);
}

static PyObject *reaction(PyObject *self, PyObject *args) {
  hn_joint joint;
  hn_reaction r;
  if (!PyArg_ParseTuple(args, "i", &joint.id) || !py_begin((py_sim *)self)) return NULL;
  hn_status status = hn_joint_reaction(sim_of(self), joint, &r);
  py_end((py_sim *)self);
  if (status) return fail(self, status);
  return Py_BuildValue("((ddd)(ddd)(ddd)(ddd)(ddd))", r.point[0], r.point[1], r.point[2],
                       r.force[0], r.force[1], r.force[2], r.torque[0], r.torque[1], r.torque[2],
                       r.local_force[0], r.local_force[1], r.local_force[2], r.local_torque[0],
                       r.local_torque[1], r.local_torque[2]);
}

static PyObject *coordinate(PyObject *self, PyObject *args) {
  hn_joint joint;
  const char *name;
  double value, rate;
  if (!PyArg_ParseTuple(args, "iz", &joint.id, &name) || !py_begin((py_sim *)self)) return NULL;
  hn_status status = hn_joint_coordinate(sim_of(self), joint, name, &value, &rate);
  py_end((py_sim *)self);
  if (status) return py_fail(status, "the joint has no such coordinate");
  return Py_BuildValue("(dd)", value, rate);
}

static PyObject *find(PyObject *self, PyObject *args) {
  const char *kind, *name;
  if (!PyArg_ParseTuple(args, "ss", &kind, &name)) return NULL;
  int id = strcmp(kind, "body") == 0 ? hn_find_body(system_of(self), name).id
                                     : hn_find_joint(system_of(self), name).id;
  return PyLong_FromLong(id);
}

// ---- inputs --------------------------------------------------------------------------------

// _input_set(name, value): false when there is no such input
static PyObject *input_set(PyObject *self, PyObject *args) {
  const char *name;
  double value;
  if (!PyArg_ParseTuple(args, "sd", &name, &value)) return NULL;
  int input = hn_input_find(system_of(self), name);
  if (input < 0) Py_RETURN_FALSE;
  if (!py_begin((py_sim *)self)) return NULL;
  hn_status status = hn_input_set(sim_of(self), input, value);
  // accelerations and multipliers are those of another input now
  py_moved((py_sim *)self);
  if (status) return fail(self, status);
  Py_RETURN_TRUE;
}

// _input_value(name): None when there is no such input
static PyObject *input_value(PyObject *self, PyObject *args) {
  const char *name;
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
  int input = hn_input_find(system_of(self), name);
  if (input < 0) Py_RETURN_NONE;
  if (!py_begin((py_sim *)self)) return NULL;
  double value = hn_input_value(sim_of(self), input);
  py_end((py_sim *)self);
  return PyFloat_FromDouble(value);
}

// ---- the equations of motion ---------------------------------------------------------------

// evaluate(t, q, v): dict of bytearrays
static PyObject *evaluate(PyObject *self, PyObject *args) {
  double t;
  PyObject *q, *v;
  if (!PyArg_ParseTuple(args, "dOO", &t, &q, &v)) return NULL;
  Py_ssize_t nv = hn_system_nv(system_of(self)), m = hn_system_rows(system_of(self));
  double *x = read_state(self, q, v);
  double *y = x ? py_space(nv * nv + m * nv + nv + 3 * m) : NULL;
  PyObject *dict = NULL;
  if (y && py_begin((py_sim *)self)) {
    hn_equations e = {.mass = y};
    e.jacobian = e.mass + nv * nv;
    e.force = e.jacobian + m * nv;
    e.gamma = e.force + nv;
    e.position = e.gamma + m;
    e.velocity = e.position + m;
    hn_status status = hn_evaluate(sim_of(self), t, x, x + hn_system_nq(system_of(self)), &e);
    py_end((py_sim *)self);
    if (status)
      fail(self, status);
    else if ((dict = PyDict_New()) && !(py_put(dict, "mass", py_numbers(e.mass, nv * nv)) &&
                                        py_put(dict, "jacobian", py_numbers(e.jacobian, m * nv)) &&
                                        py_put(dict, "force", py_numbers(e.force, nv)) &&
                                        py_put(dict, "gamma", py_numbers(e.gamma, m)) &&
                                        py_put(dict, "position", py_numbers(e.position, m)) &&
                                        py_put(dict, "velocity", py_numbers(e.velocity, m))))
      Py_CLEAR(dict);
  }
  PyMem_Free(y);
  PyMem_Free(x);
  return dict;
}

// forward(t, q, v): accelerations and multipliers
static PyObject *forward(PyObject *self, PyObject *args) {
  double t;
  PyObject *q, *v, *answer = NULL;
  if (!PyArg_ParseTuple(args, "dOO", &t, &q, &v)) return NULL;
  Py_ssize_t nv = hn_system_nv(system_of(self)), m = hn_system_rows(system_of(self));
  double *x = read_state(self, q, v);
  double *a = x ? py_space(nv + m) : NULL;
  if (a && py_begin((py_sim *)self)) {
    hn_status status = hn_forward(sim_of(self), t, x, x + hn_system_nq(system_of(self)), a, a + nv);
    py_end((py_sim *)self);
    answer = status ? fail(self, status)
                    : Py_BuildValue("(NN)", py_numbers(a, nv), py_numbers(a + nv, m));
  }
  PyMem_Free(a);
  PyMem_Free(x);
  return answer;
}

// mass_solve(t, q, x)
static PyObject *mass_solve(PyObject *self, PyObject *args) {
  double t;
  PyObject *q, *x, *answer = NULL;
  if (!PyArg_ParseTuple(args, "dOO", &t, &q, &x)) return NULL;
  // x has the size of v
  double *y = read_state(self, q, x);
  if (y && py_begin((py_sim *)self)) {
    double *of_x = y + hn_system_nq(system_of(self));
    hn_status status = hn_mass_solve(sim_of(self), t, y, of_x);
    py_end((py_sim *)self);
    answer = status ? fail(self, status) : py_numbers(of_x, hn_system_nv(system_of(self)));
  }
  PyMem_Free(y);
  return answer;
}

// project(t, q, v): the state nearby that meets the constraints
static PyObject *project(PyObject *self, PyObject *args) {
  double t;
  PyObject *q, *v, *answer = NULL;
  if (!PyArg_ParseTuple(args, "dOO", &t, &q, &v)) return NULL;
  Py_ssize_t nq = hn_system_nq(system_of(self));
  double *x = read_state(self, q, v);
  if (x && py_begin((py_sim *)self)) {
    hn_status status = hn_project_state(sim_of(self), t, x, x + nq);
    py_end((py_sim *)self);
    answer = status ? fail(self, status)
                    : Py_BuildValue("(NN)", py_numbers(x, nq),
                                    py_numbers(x + nq, hn_system_nv(system_of(self))));
  }
  PyMem_Free(x);
  return answer;
}

// point_jacobian(body, point): 6 x nv
static PyObject *point_jacobian(PyObject *self, PyObject *args) {
  hn_body body;
  PyObject *point, *answer = NULL;
  double p[3];
  if (!PyArg_ParseTuple(args, "iO", &body.id, &point) || !py_read(point, "point", p, 3))
    return NULL;
  Py_ssize_t size = 6 * (Py_ssize_t)hn_system_nv(system_of(self));
  double *J = py_space(size);
  if (J && py_begin((py_sim *)self)) {
    hn_status status = hn_point_jacobian(sim_of(self), body, p, J);
    py_end((py_sim *)self);
    answer = status ? fail(self, status) : py_numbers(J, size);
  }
  PyMem_Free(J);
  return answer;
}

// ---- energies, audit -----------------------------------------------------------------------

static PyObject *energy(PyObject *self, PyObject *unused) {
  (void)unused;
  static const py_member members[] = {
      PY_MEMBER(hn_energy, kinetic, 'd'), PY_MEMBER(hn_energy, potential, 'd'),
      PY_MEMBER(hn_energy, work, 'd'),    PY_MEMBER(hn_energy, balance, 'd'),
      PY_MEMBER(hn_energy, scale, 'd'),   {0}};
  hn_energy e;
  if (!py_begin((py_sim *)self)) return NULL;
  hn_status status = hn_sim_energy(sim_of(self), &e);
  py_end((py_sim *)self);
  return status ? fail(self, status) : py_struct(&e, members);
}

// several sources may have one name; those that did nothing are left out
PyObject *py_ledger(const hn_sim *sim) {
  PyObject *dict = PyDict_New();
  for (int i = 0; dict && i < hn_ledger_count(sim); i++) {
    const char *name = hn_ledger_source(sim, i);
    double work = hn_ledger_work(sim, i);
    PyObject *before = PyDict_GetItemString(dict, name);  // borrowed
    if (before) work += PyFloat_AsDouble(before);
    if (work != 0 && !py_put(dict, name, PyFloat_FromDouble(work))) Py_CLEAR(dict);
  }
  return dict;
}

static PyObject *ledger(PyObject *self, PyObject *unused) {
  (void)unused;
  if (!py_begin((py_sim *)self)) return NULL;
  PyObject *dict = py_ledger(sim_of(self));
  py_end((py_sim *)self);
  return dict;
}

static PyObject *residuals(PyObject *self, PyObject *unused) {
  (void)unused;
  static const py_member members[] = {PY_MEMBER(hn_residuals, position, 'd'),
                                      PY_MEMBER(hn_residuals, velocity, 'd'),
                                      PY_MEMBER(hn_residuals, acceleration, 'd'),
                                      PY_MEMBER(hn_residuals, position_row, 'i'),
                                      PY_MEMBER(hn_residuals, velocity_row, 'i'),
                                      PY_MEMBER(hn_residuals, acceleration_row, 'i'),
                                      {0}};
  hn_residuals r;
  if (!py_begin((py_sim *)self)) return NULL;
  hn_status status = hn_sim_residuals(sim_of(self), &r);
  py_end((py_sim *)self);
  return status ? fail(self, status) : py_struct(&r, members);
}

static const py_member motion_members[] = {PY_MEMBER(hn_motion_error, known, 'b'),
                                           PY_MEMBER(hn_motion_error, position, 'd'),
                                           PY_MEMBER(hn_motion_error, angle, 'd'),
                                           PY_MEMBER(hn_motion_error, velocity, 'd'),
                                           PY_MEMBER(hn_motion_error, spin, 'd'),
                                           PY_MEMBER(hn_motion_error, relative_position, 'd'),
                                           PY_MEMBER(hn_motion_error, relative_velocity, 'd'),
                                           PY_MEMBER(hn_motion_error, relative_state, 'd'),
                                           PY_MEMBER(hn_motion_error, until, 'd'),
                                           PY_MEMBER(hn_motion_error, share, 'd'),
                                           PY_MEMBER(hn_motion_error, how, 'c'),
                                           {0}};

static PyObject *audit(const hn_summary *summary) {
  static const py_member members[] = {PY_MEMBER(hn_audit_item, name, 's'),
                                      PY_MEMBER(hn_audit_item, unit, 's'),
                                      PY_MEMBER(hn_audit_item, worst, 'd'),
                                      PY_MEMBER(hn_audit_item, limit, 'd'),
                                      PY_MEMBER(hn_audit_item, time, 'd'),
                                      PY_MEMBER(hn_audit_item, where, 's'),
                                      PY_MEMBER(hn_audit_item, pass, 'b'),
                                      PY_MEMBER(hn_audit_item, known, 'b'),
                                      {0}};
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < summary->audit_count; i++) {
    PyObject *row = py_struct(&summary->audit[i], members);
    if (!row || PyList_Append(list, row)) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

PyObject *py_summary(const hn_summary *summary) {
  static const py_member members[] = {
      PY_MEMBER(hn_summary, method, 's'),         PY_MEMBER(hn_summary, solver, 's'),
      PY_MEMBER(hn_summary, correction, 's'),     PY_MEMBER(hn_summary, integrator, 's'),
      PY_MEMBER(hn_summary, coordinates, 's'),    PY_MEMBER(hn_summary, code, 's'),
      PY_MEMBER(hn_summary, choice, 's'),         PY_MEMBER(hn_summary, time, 'd'),
      PY_MEMBER(hn_summary, wall, 'd'),           PY_MEMBER(hn_summary, steps, 'l'),
      PY_MEMBER(hn_summary, rejected, 'l'),       PY_MEMBER(hn_summary, evaluations, 'l'),
      PY_MEMBER(hn_summary, factorisations, 'l'), PY_MEMBER(hn_summary, regularised, 'l'),
      PY_MEMBER(hn_summary, singular, 'l'),       PY_MEMBER(hn_summary, events, 'l'),
      PY_MEMBER(hn_summary, switches, 'l'),       PY_MEMBER(hn_summary, reactions, 's'),
      PY_MEMBER(hn_summary, tables, 'c'),         PY_MEMBER(hn_summary, energy_drift, 'd'),
      PY_MEMBER(hn_summary, audit_pass, 'b'),     {0}};
  PyObject *dict = py_struct(summary, members);
  if (!dict) return NULL;
  if (py_put(dict, "audited", PyBool_FromLong(summary->verdict != HN_NOT_AUDITED)) &&
      py_put(dict, "audit", audit(summary)) &&
      py_put(dict, "motion", py_struct(&summary->motion, motion_members)))
    return dict;
  Py_DECREF(dict);
  return NULL;
}

static PyObject *summary(PyObject *self, PyObject *unused) {
  (void)unused;
  hn_summary s;
  if (!py_begin((py_sim *)self)) return NULL;
  hn_sim_summary(sim_of(self), &s);
  py_end((py_sim *)self);
  return py_summary(&s);
}

static PyObject *verify(PyObject *self, PyObject *unused) {
  (void)unused;
  hn_motion_error error;
  hn_status status;
  if (!py_begin((py_sim *)self)) return NULL;
  Py_BEGIN_ALLOW_THREADS status = hn_verify(sim_of(self), &error);
  Py_END_ALLOW_THREADS py_end((py_sim *)self);
  return status ? fail(self, status) : py_struct(&error, motion_members);
}

// ---- the type ------------------------------------------------------------------------------

static PyObject *get_time(PyObject *self, void *unused) {
  (void)unused;
  return PyFloat_FromDouble(hn_time(sim_of(self)));
}

static PyObject *get_system(PyObject *self, void *unused) {
  (void)unused;
  PyObject *system = (PyObject *)((py_sim *)self)->system;
  Py_INCREF(system);
  return system;
}

static PyMethodDef methods[] = {
    {"step", step, METH_NOARGS, "One step of the integrator, of its own size; the time reached."},
    {"advance", advance, METH_O, "advance(t): steps until t is reached exactly; the time reached."},
    {"_set_state", set_state, METH_VARARGS, "_set_state(t, q, v): starts anew from there."},
    {"_run", run, METH_O, "_run(progress): (status, message, result, interrupted)."},
    {"_pose", pose, METH_VARARGS, NULL},
    {"_reaction", reaction, METH_VARARGS, NULL},
    {"_coordinate", coordinate, METH_VARARGS, NULL},
    {"_find", find, METH_VARARGS, NULL},
    {"_input_set", input_set, METH_VARARGS, NULL},
    {"_input_value", input_value, METH_VARARGS, NULL},
    {"_controller", py_controller, METH_VARARGS, NULL},
    {"_push", py_push, METH_VARARGS, NULL},
    {"_push_by", py_push_by, METH_VARARGS, NULL},
    {"_events", py_events, METH_NOARGS, NULL},
    {"_ended", py_ended, METH_NOARGS, NULL},
    {"_listen", py_listen, METH_VARARGS, NULL},
    {"_states", states, METH_NOARGS, NULL},
    {"_set_states", set_states, METH_O, NULL},
    {"_save", save, METH_NOARGS, NULL},
    {"_restore", restore, METH_O, NULL},
    {"_take", take, METH_O, NULL},
    {"_evaluate", evaluate, METH_VARARGS, NULL},
    {"_forward", forward, METH_VARARGS, NULL},
    {"_mass_solve", mass_solve, METH_VARARGS, NULL},
    {"_project", project, METH_VARARGS, NULL},
    {"_point_jacobian", point_jacobian, METH_VARARGS, NULL},
    {"_energy", energy, METH_NOARGS, NULL},
    {"_ledger", ledger, METH_NOARGS, NULL},
    {"_residuals", residuals, METH_NOARGS, NULL},
    {"_summary", summary, METH_NOARGS, NULL},
    {"_verify", verify, METH_NOARGS, NULL},
    {"_statics", py_statics, METH_VARARGS, NULL},
    {"_linearise", py_linearise, METH_VARARGS, NULL},
    {"_kinematics", py_kinematics, METH_NOARGS, NULL},
    {"_tolerances", py_tolerances, METH_NOARGS, NULL},
    {"_inverse", py_inverse, METH_NOARGS, NULL},
    {"_inverse_efforts", py_inverse_efforts, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef getset[] = {
    {"time", get_time, NULL, "time of the state [s]", NULL},
    {"q", get_view, NULL, "view of the configuration", (void *)POSITIONS},
    {"v", get_view, NULL, "view of the velocities", (void *)VELOCITIES},
    {"a", get_view, NULL, "view of the accelerations", (void *)ACCELERATIONS},
    {"multipliers", get_view, NULL, "view of the multipliers, one for each row",
     (void *)MULTIPLIERS},
    {"_system", get_system, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_new, (void *)create},
    {Py_tp_dealloc, (void *)dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_tp_doc, "One run of a compiled model."},
    {0, NULL},
};
static PyType_Spec spec = {"holon._holon.Sim", sizeof(py_sim), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

int py_sim_ready(PyObject *module) {
  py_view_type = py_make_type(module, &view_spec);
  py_sim_type = py_view_type ? py_make_type(module, &spec) : NULL;
  return py_sim_type ? 0 : -1;
}
