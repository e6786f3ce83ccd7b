// study.c: many runs of a model.
#include "module.h"

#include <holon/study.h>
#include <stdlib.h>
#include <string.h>

typedef struct watch {
  PyObject *call;  // told how far it is; NULL: nobody
  bool failed;     // with an exception, which is kept here
} watch;

// Ctrl-C and what the function raises end the study; rows that are there are kept
static bool on_progress(void *user, const hn_study_progress *p) {
  watch *w = user;
  PyGILState_STATE state = PyGILState_Ensure();
  if (!w->failed && PyErr_CheckSignals()) w->failed = true;
  if (!w->failed && w->call) {
    PyObject *answer = PyObject_CallFunction(w->call, "dd", (double)p->done, (double)p->runs);
    w->failed = !answer;
    Py_XDECREF(answer);
  }
  // kept for the thread that waits for the study: this is the same one
  PyGILState_Release(state);
  return !w->failed;
}

// what is asked for: a study file and a model, how its runs go, and who is told of them
typedef struct request {
  const char *text, *name, *model, *model_name, *html;
  hn_study_options options;
  PyObject *call;
  int resume;
  watch watch;
  hn_study *study;
  char message[512];
} request;

// needs no interpreter
static hn_status open_study(request *r) {
  r->watch.call = r->call == Py_None ? NULL : r->call;
  r->options.resume = r->resume;
  r->options.progress = on_progress;
  r->options.user = &r->watch;
  return hn_study_parse(&r->study, r->text, strlen(r->text), r->name, r->model, r->model_name,
                        r->message, sizeof r->message);
}

// false: with an exception
static bool succeeded(const request *r, hn_status status) {
  if (!r->watch.failed && status) py_fail(status, r->message);
  return !r->watch.failed && !status;
}

static PyObject *column_list(const hn_study *study) {
  static const char *const kinds[] = {"factor", "metric", "constraint"};
  PyObject *list = PyList_New(0);
  hn_study_column c;
  for (int i = 0; list && hn_study_column_at(study, i, &c); i++) {
    PyObject *words = c.words ? py_texts(c.word_count, c.words) : Py_NewRef(Py_None);
    PyObject *row =
        words ? Py_BuildValue("(szzzN)", kinds[c.kind], c.name, c.unit, c.formula, words) : NULL;
    if (!row || PyList_Append(list, row)) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

static PyObject *message_dict(const hn_study_table *table) {
  PyObject *dict = PyDict_New();
  hn_study_row row;
  for (long i = 0; dict && hn_study_table_row(table, i, &row); i++) {
    if (!row.message[0]) continue;
    PyObject *key = PyLong_FromLong(row.run), *text = py_text(row.message);
    if (!key || !text || PyDict_SetItem(dict, key, text)) Py_CLEAR(dict);
    Py_XDECREF(key);
    Py_XDECREF(text);
  }
  return dict;
}

// by metric: first and total effects, factor by factor
static PyObject *effect_dict(const hn_study *study, const hn_study_table *table) {
  PyObject *dict = PyDict_New();
  int count[3];
  double first[256], total[256];
  hn_study_column c;
  hn_study_columns(study, count);
  for (int m = 0; dict && m < count[HN_METRIC]; m++) {
    (void)hn_study_column_at(study, count[HN_FACTOR] + m, &c);
    if (!hn_study_effects(study, table, m, first, total)) continue;
    PyObject *pair =
        Py_BuildValue("(NN)", py_tuple(first, count[HN_FACTOR]), py_tuple(total, count[HN_FACTOR]));
    if (!py_put(dict, c.name, pair)) Py_CLEAR(dict);
  }
  return dict;
}

static PyObject *answer(const hn_study *study, const hn_study_table *table) {
  hn_result *result = NULL;
  if (hn_study_table_result(study, table, &result)) {
    hn_result_destroy(result);
    return PyErr_NoMemory();
  }
  PyObject *rows = py_result_wrap(result, NULL, NULL);
  PyObject *columns = column_list(study), *messages = message_dict(table);
  PyObject *effects = effect_dict(study, table);
  if (rows && columns && messages && effects)
    return Py_BuildValue("(slNNNN)", hn_study_name(study), hn_study_runs(study), columns, rows,
                         messages, effects);
  Py_XDECREF(rows);
  Py_XDECREF(columns);
  Py_XDECREF(messages);
  Py_XDECREF(effects);
  return NULL;
}

// study(text, name, model, model_name, engine, jobs, store, resume, keep, html, progress)
PyObject *py_study(PyObject *module, PyObject *args) {
  (void)module;
  request r = {0};
  hn_study_options *o = &r.options;
  hn_study_table *table = NULL;
  hn_status status;
  if (!PyArg_ParseTuple(args, "sszszizpzzO", &r.text, &r.name, &r.model, &r.model_name, &o->engine,
                        &o->jobs, &o->store, &r.resume, &o->keep, &r.html, &r.call))
    return NULL;
  Py_BEGIN_ALLOW_THREADS;
  status = open_study(&r);
  if (!status) status = hn_study_run(r.study, o, &table, r.message, sizeof r.message);
  if (!status && r.html)
    status = hn_study_page(r.study, table, r.html, r.message, sizeof r.message);
  Py_END_ALLOW_THREADS;
  PyObject *out = succeeded(&r, status) ? answer(r.study, table) : NULL;
  hn_study_table_destroy(table);
  hn_study_destroy(r.study);
  return out;
}

// ---- searches ----------------------------------------------------------------------------------

// columns of a study as a dictionary
static PyObject *value_dict(const hn_study *study, int first, int count, const double *values) {
  PyObject *dict = PyDict_New();
  hn_study_column c;
  for (int i = 0; dict && i < count && hn_study_column_at(study, first + i, &c); i++)
    if (!py_put(dict, c.name, PyFloat_FromDouble(values[i]))) Py_CLEAR(dict);
  return dict;
}

static PyObject *optimum(const hn_study *study, const hn_optimum *o, hn_study_table *table) {
  int count[3], all = hn_study_columns(study, count);
  PyObject *values = value_dict(study, 0, all, o->values);
  PyObject *rows = table ? answer(study, table) : Py_NewRef(Py_None);
  if (values && rows)
    return Py_BuildValue("(lNNNsllN)", o->run, values, PyBool_FromLong(o->feasible),
                         PyBool_FromLong(o->converged), o->method, o->evaluations, o->generations,
                         rows);
  Py_XDECREF(values);
  Py_XDECREF(rows);
  return NULL;
}

// rows of a search lie in its store
static hn_status read_rows(request *r, hn_study_table **table) {
  if (!r->options.store) return HN_OK;
  hn_status status = hn_store_table(r->options.store, table, r->message, sizeof r->message);
  if (!status && r->html)
    status = hn_study_page(r->study, *table, r->html, r->message, sizeof r->message);
  return status;
}

PyObject *py_optimise(PyObject *module, PyObject *args) {
  (void)module;
  request r = {0};
  hn_study_options *o = &r.options;
  hn_study_table *table = NULL;
  hn_optimum *found = NULL;
  hn_status status;
  if (!PyArg_ParseTuple(args, "sszszizpzO", &r.text, &r.name, &r.model, &r.model_name, &o->engine,
                        &o->jobs, &o->store, &r.resume, &r.html, &r.call))
    return NULL;
  Py_BEGIN_ALLOW_THREADS;
  status = open_study(&r);
  if (!status) status = hn_study_optimise(r.study, o, &found, r.message, sizeof r.message);
  if (!status) status = read_rows(&r, &table);
  Py_END_ALLOW_THREADS;
  PyObject *out = succeeded(&r, status) ? optimum(r.study, found, table) : NULL;
  hn_study_table_destroy(table);
  hn_optimum_destroy(found);
  hn_study_destroy(r.study);
  return out;
}

static PyObject *fitted(const hn_study *study, hn_fitted *f) {
  PyObject *values = value_dict(study, 0, f->factors, f->value);
  PyObject *errors = value_dict(study, 0, f->factors, f->error);
  PyObject *covariance = PyList_New(0), *ends = PyList_New(0);
  for (int j = 0; covariance && ends && j < f->factors; j++) {
    PyObject *row = py_tuple(f->covariance + j * f->factors, f->factors);
    if (!row || PyList_Append(covariance, row)) Py_CLEAR(covariance);
    Py_XDECREF(row);
    if (ends && PyList_Append(ends, f->at_end[j] ? Py_True : Py_False)) Py_CLEAR(ends);
  }
  hn_result *kept = f->residuals;
  f->residuals = NULL;  // the wrap has it
  PyObject *residuals = py_result_wrap(kept, NULL, NULL);
  if (values && errors && covariance && ends && residuals)
    return Py_BuildValue("(NNNNdNiilN)", values, errors, covariance, ends, f->variance,
                         PyBool_FromLong(f->converged), f->points, f->iterations, f->runs,
                         residuals);
  Py_XDECREF(values);
  Py_XDECREF(errors);
  Py_XDECREF(covariance);
  Py_XDECREF(ends);
  Py_XDECREF(residuals);
  return NULL;
}

PyObject *py_fit(PyObject *module, PyObject *args) {
  (void)module;
  request r = {0};
  hn_fitted *found = NULL;
  hn_status status;
  if (!PyArg_ParseTuple(args, "sszsiO", &r.text, &r.name, &r.model, &r.model_name, &r.options.jobs,
                        &r.call))
    return NULL;
  Py_BEGIN_ALLOW_THREADS;
  status = open_study(&r);
  if (!status) status = hn_study_fit(r.study, &r.options, &found, r.message, sizeof r.message);
  Py_END_ALLOW_THREADS;
  PyObject *out = succeeded(&r, status) ? fitted(r.study, found) : NULL;
  hn_fitted_destroy(found);
  hn_study_destroy(r.study);
  return out;
}

// ---- derivatives -------------------------------------------------------------------------------

// by metric and constraint: its value, and its derivative by every factor
static PyObject *slope_dict(const hn_study *study, const double *values, const double *slopes) {
  int count[3];
  PyObject *dict = PyDict_New();
  hn_study_column c;
  hn_study_columns(study, count);
  int n = count[HN_FACTOR], all = count[HN_METRIC] + count[HN_CONSTRAINT];
  for (int i = 0; dict && i < all && hn_study_column_at(study, n + i, &c); i++) {
    PyObject *by = value_dict(study, 0, n, slopes + i * n);
    PyObject *pair = by ? Py_BuildValue("(dN)", values[i], by) : NULL;
    if (!py_put(dict, c.name, pair)) Py_CLEAR(dict);
  }
  return dict;
}

// the values of the factors, in their order
static bool take_values(PyObject *sequence, double *values, int count) {
  Py_ssize_t given = PySequence_Size(sequence);
  if (given < 0) return false;
  if (given != count) PyErr_Format(PyExc_ValueError, "there are %d factors", count);
  bool good = given == count;
  for (int i = 0; good && i < count; i++) {
    PyObject *item = PySequence_GetItem(sequence, i);
    values[i] = item ? PyFloat_AsDouble(item) : -1;
    good = item && !(values[i] == -1 && PyErr_Occurred());
    Py_XDECREF(item);
  }
  return good;
}

PyObject *py_slopes(PyObject *module, PyObject *args) {
  (void)module;
  request r = {.call = Py_None};
  PyObject *at, *out = NULL;
  int backward, count[3] = {0};
  if (!PyArg_ParseTuple(args, "sszsOp", &r.text, &r.name, &r.model, &r.model_name, &at, &backward))
    return NULL;
  hn_slopes *slopes = NULL;
  hn_status status = open_study(&r);
  if (!succeeded(&r, status)) return NULL;
  size_t all = (size_t)hn_study_columns(r.study, count), n = (size_t)count[HN_FACTOR];
  double *values = calloc(n + all + all * n + 1, sizeof *values);
  if (!values) {
    PyErr_NoMemory();
  } else if (take_values(at, values, (int)n)) {
    Py_BEGIN_ALLOW_THREADS;
    status = hn_slopes_open(r.study, &slopes, r.message, sizeof r.message);
    if (!status)
      status = hn_slopes_metrics(slopes, values, backward ? HN_BACKWARD : HN_FORWARD, values + n,
                                 values + n + all, r.message, sizeof r.message);
    hn_slopes_close(slopes);
    Py_END_ALLOW_THREADS;
    if (succeeded(&r, status)) out = slope_dict(r.study, values + n, values + n + all);
  }
  free(values);
  hn_study_destroy(r.study);
  return out;
}
