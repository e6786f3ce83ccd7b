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
  const char *text, *name, *model, *model_name, *html;
  PyObject *call, *out = NULL;
  hn_study_options o = {0};
  int resume;
  watch w = {0};
  if (!PyArg_ParseTuple(args, "sszszizpzzO", &text, &name, &model, &model_name, &o.engine, &o.jobs,
                        &o.store, &resume, &o.keep, &html, &call))
    return NULL;
  char message[512] = "";
  hn_study *study = NULL;
  hn_study_table *table = NULL;
  w.call = call == Py_None ? NULL : call;
  o.resume = resume;
  o.progress = on_progress;
  o.user = &w;
  hn_status status;
  Py_BEGIN_ALLOW_THREADS;
  status =
      hn_study_parse(&study, text, strlen(text), name, model, model_name, message, sizeof message);
  if (!status) status = hn_study_run(study, &o, &table, message, sizeof message);
  if (!status && html) status = hn_study_page(study, table, html, message, sizeof message);
  Py_END_ALLOW_THREADS;
  if (!w.failed) out = status ? py_fail(status, message) : answer(study, table);
  hn_study_table_destroy(table);
  hn_study_destroy(study);
  return out;
}
