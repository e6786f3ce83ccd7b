// store.c: rows of a study in an SQLite database.
//
// Table `study` holds the texts of study and model, so that a store explains itself and nothing is
// ever added to the rows of another study. Table `run` has a row for every run that is done. Rows
// go in by transactions in write-ahead mode: whatever ends the process, those that were committed
// are there. Processes do not share a database: each writes a part of its own beside the store.
#include "study/store.h"

#include "base/file.h"
#include "study/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HN_HAVE_SQLITE

#include "study/sqlite_library.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// one writer: the process that holds `lock`
struct hn_store {
  const hn_study *study;
  char path[HN_MESSAGE];  // what is written
  char main[HN_MESSAGE];  // the store it belongs to
  sqlite3 *db;
  sqlite3_stmt *insert;
  int lock;  // file that says that somebody writes; -1: none
};

enum { FIXED = 4 };  // columns before those of the study: run, status, feasible, message

// SQLite is loaded when the first store is opened (sqlite_library.h): a machine without it can run
// studies without stores
static hn_status load_library(char message[HN_MESSAGE]) {
  if (hn_sqlite_load()) return HN_OK;
  return hn_fail(message, HN_ERR_UNSUPPORTED, "SQLite, which keeps the rows, cannot be loaded: %s",
                 hn_sqlite_trouble());
}

// extended codes tell more than one kind of failure apart; their lowest byte is the plain code
// a file that is no database is the mistake people make: it is told in words
static hn_status fail_db(sqlite3 *db, const char *path, char message[HN_MESSAGE]) {
  int code = db ? sqlite3_extended_errcode(db) : SQLITE_NOMEM;
  return hn_fail(message, code == SQLITE_NOMEM ? HN_ERR_MEMORY : HN_ERR_FILE, "%.300s: %.150s%s",
                 path, db ? sqlite3_errmsg(db) : "out of memory",
                 (code & 0xff) == SQLITE_NOTADB ? " (it is no store of a study)" : "");
}

static hn_status execute(sqlite3 *db, const char *path, const char *sql, char message[HN_MESSAGE]) {
  return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? HN_OK : fail_db(db, path, message);
}

// ---- opening ---------------------------------------------------------------------------------

static bool exists(const char *path) {
  struct stat about;
  return stat(path, &about) == 0;
}

// NOMUTEX: a connection is used by one thread at a time, which the lock of work.c sees to. Readers
// wait for up to a minute while somebody else commits.
static hn_status open_db(const char *path, bool create, sqlite3 **db, char message[HN_MESSAGE]) {
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
  // so that the caller may look at *db whatever happens
  *db = NULL;
  hn_status status = load_library(message);
  if (status) return status;
  // without the flag for creating, SQLite would say no more than that it cannot open it
  if (!create && !exists(path))
    return hn_fail(message, HN_ERR_FILE, "%.300s: there is no such store", path);
  status =
      sqlite3_open_v2(path, db, flags, NULL) == SQLITE_OK ? HN_OK : fail_db(*db, path, message);
  if (!status) (void)sqlite3_busy_timeout(*db, 60000);
  // committed rows outlive the process; a loss of power may take the last of them, never more
  if (!status)
    status = execute(*db, path, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;", message);
  if (!status) return HN_OK;
  // SQLite hands out a connection also where opening fails, for its message: it must be closed
  sqlite3_close(*db);
  *db = NULL;
  return status;
}

// is this still the file of that name? Who lets go of a lock removes it first: a file that was
// opened before that and locked after it keeps nobody out
static bool is_in_place(const char *name, int file) {
  struct stat named, opened;
  return stat(name, &named) == 0 && fstat(file, &opened) == 0 && named.st_dev == opened.st_dev &&
         named.st_ino == opened.st_ino;
}

// only one process writes to a store at a time; the lock goes with the process
// flock() on a file beside the database: SQLite's own locks would let two writers in, one after the
// other, and each would compute what the other does
static hn_status lock_store(const char *path, int *lock, char message[HN_MESSAGE]) {
  // paths of stores have 300 characters at most (hn_store_open): nothing is cut off
  char name[HN_MESSAGE];
  snprintf(name, sizeof name, "%.480s.lock", path);
  for (;;) {
    // O_CLOEXEC: a compiler started by an engine must not keep the lock alive
    *lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*lock < 0)
      return hn_fail(message, HN_ERR_FILE, "%.300s: cannot be written: %s", path, strerror(errno));
    // LOCK_NB: who waits here would start when the other ends, with nothing left to do
    bool locked = flock(*lock, LOCK_EX | LOCK_NB) == 0;
    if (locked && is_in_place(name, *lock)) return HN_OK;
    close(*lock);
    *lock = -1;
    if (!locked)
      return hn_fail(message, HN_ERR_FILE, "%.300s: another process is writing to it", path);
  }
}

// removed before it is let go of: who waits for it opens another one
static void unlock_store(const char *path, int lock) {
  char name[HN_MESSAGE];
  if (lock < 0) return;
  snprintf(name, sizeof name, "%.480s.lock", path);
  unlink(name);
  close(lock);
}

// ---- the schema ------------------------------------------------------------------------------

// SQLite knows no case in names of columns: those that would coincide get a number
static void column_name(const hn_study *study, int index, char *out, size_t size) {
  hn_study_column c, other;
  // columns that every row has come first and keep their names
  (void)hn_study_column_at(study, index, &c);
  int same = strcasecmp(c.name, "run") == 0 || strcasecmp(c.name, "status") == 0 ||
             strcasecmp(c.name, "feasible") == 0 || strcasecmp(c.name, "message") == 0;
  for (int i = 0; i < index; i++)
    same += hn_study_column_at(study, i, &other) && strcasecmp(other.name, c.name) == 0;
  if (same)
    // "_2" for the second of a name; readers take columns by their order and never ask for these
    // names
    snprintf(out, size, "%s_%d", c.name, same + 1);
  else
    snprintf(out, size, "%s", c.name);
}

static hn_status add_sql(sqlite3_str *sql, sqlite3 *db, const char *path,
                         char message[HN_MESSAGE]) {
  char *text = sqlite3_str_finish(sql);
  hn_status status =
      text ? execute(db, path, text, message) : hn_fail(message, HN_ERR_MEMORY, "out of memory");
  sqlite3_free(text);
  return status;
}

// the text of the study and of the model make check_same possible, and a store that explains itself
// %Q quotes for SQL, whatever the text holds
static void put_text(sqlite3_str *sql, const char *key, const char *value) {
  sqlite3_str_appendf(sql, "INSERT INTO study VALUES(%Q,%Q);", key, value);
}

// in one transaction: a store has both tables or none
static hn_status create_schema(const hn_store *s, char message[HN_MESSAGE]) {
  const hn_study *study = s->study;
  sqlite3_str *sql = sqlite3_str_new(s->db);
  char name[HN_MESSAGE], runs[32];
  int columns = hn_study_columns(study, NULL);
  // IMMEDIATE takes the writer's lock at once: a deferred transaction could fail in its middle
  sqlite3_str_appendall(sql, "BEGIN IMMEDIATE; CREATE TABLE run(run INTEGER PRIMARY KEY, status "
                             "TEXT, feasible INTEGER, message TEXT");
  for (int i = 0; i < columns; i++) {
    column_name(study, i, name, sizeof name);
    // %w doubles quotation marks inside: names of factors may hold any printable character
    sqlite3_str_appendf(sql, ", \"%w\"", name);
  }
  sqlite3_str_appendall(sql, "); CREATE TABLE study(key TEXT PRIMARY KEY, value TEXT);");
  snprintf(runs, sizeof runs, "%ld", study->runs);
  // the format of the tables: a number that goes up when they change
  put_text(sql, "format", "1");
  put_text(sql, "holon", hn_version());
  put_text(sql, "runs", runs);
  put_text(sql, "study_file", study->file);
  put_text(sql, "study", study->text);
  put_text(sql, "model_file", study->model_file);
  put_text(sql, "model", study->model_text);
  sqlite3_str_appendall(sql, "COMMIT;");
  return add_sql(sql, s->db, s->path, message);
}

// what the store says under a key; sqlite3_free() it, NULL: nothing
static char *stored_text(sqlite3 *db, const char *key) {
  sqlite3_stmt *query = NULL;
  char *out = NULL;
  if (sqlite3_prepare_v2(db, "SELECT value FROM study WHERE key=?", -1, &query, NULL) ==
          SQLITE_OK &&
      sqlite3_bind_text(query, 1, key, -1, SQLITE_STATIC) == SQLITE_OK &&
      sqlite3_step(query) == SQLITE_ROW)
    // a copy: the text of SQLite lives no longer than the query
    out = sqlite3_mprintf("%s", (const char *)sqlite3_column_text(query, 0));
  sqlite3_finalize(query);
  return out;
}

static bool same_text(sqlite3 *db, const char *key, const char *text) {
  char *stored = stored_text(db, key);
  bool same = stored && strcmp(stored, text) == 0;
  sqlite3_free(stored);
  return same;
}

// Byte by byte: a comment that was changed in the study file makes it another one. That is strict,
// but rows are numbers without a history, and nobody could tell later which are which.
static hn_status check_same(const hn_store *s, char message[HN_MESSAGE]) {
  char *format = stored_text(s->db, "format");
  bool known = format && strcmp(format, "1") == 0;
  sqlite3_free(format);
  if (!known) return hn_fail(message, HN_ERR_FILE, "%.300s: is no store of a study", s->path);
  const char *changed = NULL;
  if (!same_text(s->db, "study", s->study->text)) changed = "the study";
  if (!changed && !same_text(s->db, "model", s->study->model_text)) changed = "the model";
  // another version may compute other bits
  if (!changed && !same_text(s->db, "holon", hn_version())) changed = "the version of holon";
  if (!changed) return HN_OK;
  return hn_fail(message, HN_ERR_ARGUMENT,
                 "%.300s: %s is not the same as when it was begun: rows would not belong together "
                 "(write to another file)",
                 s->path, changed);
}

// OR IGNORE: a run that is there already has the same row
static hn_status prepare_insert(hn_store *s, char message[HN_MESSAGE]) {
  sqlite3_str *sql = sqlite3_str_new(s->db);
  sqlite3_str_appendall(sql, "INSERT OR IGNORE INTO run VALUES(?");
  int columns = hn_study_columns(s->study, NULL);
  // FIXED columns and those of the study, one of which the text before has
  for (int i = 1; i < columns + FIXED; i++) sqlite3_str_appendall(sql, ",?");
  sqlite3_str_appendall(sql, ")");
  char *text = sqlite3_str_finish(sql);
  int code = text ? sqlite3_prepare_v2(s->db, text, -1, &s->insert, NULL) : SQLITE_NOMEM;
  sqlite3_free(text);
  return code == SQLITE_OK ? HN_OK : fail_db(s->db, s->path, message);
}

// a file that was made and killed before its tables were there holds nothing
static bool has_tables(sqlite3 *db) {
  sqlite3_stmt *query = NULL;
  bool has = sqlite3_prepare_v2(db, "SELECT 1 FROM study", -1, &query, NULL) == SQLITE_OK &&
             sqlite3_step(query) == SQLITE_ROW;
  sqlite3_finalize(query);
  return has;
}

// The lock comes first: between looking and creating another process might do the same.
static hn_status begin(hn_store *s, bool resume, char message[HN_MESSAGE]) {
  hn_status status = lock_store(s->path, &s->lock, message);
  if (!status && !resume && (exists(s->path) || exists(s->main)))
    status =
        hn_fail(message, HN_ERR_FILE,
                "%.300s: is there already (--resume goes on with it; or write to another file)",
                exists(s->path) ? s->path : s->main);
  if (!status) status = open_db(s->path, true, &s->db, message);
  // whoever opens a file anew writes the schema; whoever resumes proves that it is of this study
  if (!status) status = has_tables(s->db) ? check_same(s, message) : create_schema(s, message);
  return status ? status : prepare_insert(s, message);
}

// names of parts are derived from the store's, which keeps them together in a folder
hn_status hn_store_open(hn_store **out, const hn_study *study, const hn_study_options *options,
                        char message[HN_MESSAGE]) {
  *out = NULL;
  if (load_library(message)) return HN_ERR_UNSUPPORTED;
  hn_store *s = calloc(1, sizeof *s);
  if (!s) return hn_fail(message, HN_ERR_MEMORY, "out of memory");
  s->study = study;
  s->lock = -1;
  if (strlen(options->store) > 300) {
    free(s);
    return hn_fail(message, HN_ERR_FILE, "%.100s...: the path is too long", options->store);
  }
  snprintf(s->main, sizeof s->main, "%s", options->store);
  // a part by name (MPI: one per process), or one of several shards that are run by hand
  if (options->part)
    snprintf(s->path, sizeof s->path, "%s.part.%.100s", options->store, options->part);
  else if (options->shards > 1)
    snprintf(s->path, sizeof s->path, "%s.part.%d-of-%d", options->store, options->shard,
             options->shards);
  else
    snprintf(s->path, sizeof s->path, "%s", options->store);
  hn_status status = begin(s, options->resume, message);
  // closing also lets go of the lock, and of whatever of begin() succeeded
  if (status)
    hn_store_close(s);
  else
    *out = s;
  return status;
}

void hn_store_close(hn_store *store) {
  if (!store) return;
  // statements before their connection: SQLite would keep it open as a zombie otherwise
  sqlite3_finalize(store->insert);
  // NULL is allowed in both, for a store that failed to open
  sqlite3_close(store->db);
  unlock_store(store->path, store->lock);
  free(store);
}

// ---- rows ------------------------------------------------------------------------------------

// a part that is being written is read as far as it is committed
static hn_status each_found(const char *path, void (*found)(void *user, long run), void *user,
                            char message[HN_MESSAGE]) {
  sqlite3 *db;
  sqlite3_stmt *query = NULL;
  hn_status status = open_db(path, false, &db, message);
  if (status) return status;
  // a part without tables was made and killed: no rows, and no failure
  int code = SQLITE_DONE;
  if (has_tables(db) &&
      (code = sqlite3_prepare_v2(db, "SELECT run FROM run", -1, &query, NULL)) == SQLITE_OK)
    while ((code = sqlite3_step(query)) == SQLITE_ROW)
      found(user, (long)sqlite3_column_int64(query, 0));
  if (code != SQLITE_DONE) status = fail_db(db, path, message);
  sqlite3_finalize(query);
  sqlite3_close(db);
  return status;
}

// parts that lie beside a store; globfree() them
static void find_parts(const char *store, glob_t *parts) {
  char pattern[2 * HN_MESSAGE + 8];
  size_t used = 0;
  // characters of the path mean themselves
  for (const char *c = store; *c && used < sizeof pattern - 16; c++) {
    if (strchr("*?[\\", *c)) pattern[used++] = '\\';
    // room for the ending and the zero is kept back
    pattern[used++] = *c;
  }
  strcpy(pattern + used, ".part.*");
  memset(parts, 0, sizeof *parts);
  // no match is a failure of glob(), and here nothing but an empty list
  if (glob(pattern, 0, NULL, parts)) parts->gl_pathc = 0;
}

// files that belong to a database, but are none
// SQLite keeps its journal beside the database, under the same name and an ending
static bool is_part(const char *path) {
  return !hn_path_ends(path, "-wal") && !hn_path_ends(path, "-shm") &&
         !hn_path_ends(path, ".lock") && !hn_path_ends(path, "-journal");
}

hn_status hn_store_found(hn_store *store, void (*found)(void *user, long run), void *user,
                         char message[HN_MESSAGE]) {
  glob_t parts;
  hn_status status = HN_OK;
  if (exists(store->main)) status = each_found(store->main, found, user, message);
  find_parts(store->main, &parts);
  for (size_t i = 0; i < parts.gl_pathc && !status; i++)
    // each part is opened by itself; a writer may be committing to it meanwhile (busy_timeout)
    if (is_part(parts.gl_pathv[i])) status = each_found(parts.gl_pathv[i], found, user, message);
  globfree(&parts);
  return status;
}

// what is not a number is NULL in SQL; words are stored as words, for those who look with other
// tools
static int bind_value(sqlite3_stmt *insert, int at, const hn_study_column *c, double value) {
  if (isnan(value)) return sqlite3_bind_null(insert, at);
  // static: words live in the study, which outlives the statement
  if (c->words) return sqlite3_bind_text(insert, at, c->words[(int)value], -1, SQLITE_STATIC);
  return sqlite3_bind_double(insert, at, value);
}

static bool insert_row(const hn_store *s, const hn_run_row *row) {
  sqlite3_stmt *insert = s->insert;
  hn_study_column c;
  // bindings stay over a reset: all of them are set anew below
  sqlite3_reset(insert);
  bool ok = sqlite3_bind_int64(insert, 1, row->k) == SQLITE_OK &&
            sqlite3_bind_text(insert, 2, hn_row_status_text(row->status), -1, SQLITE_STATIC) ==
                SQLITE_OK &&
            sqlite3_bind_int(insert, 3, row->feasible) == SQLITE_OK &&
            (row->message[0] ? sqlite3_bind_text(insert, 4, row->message, -1, SQLITE_STATIC)
                             : sqlite3_bind_null(insert, 4)) == SQLITE_OK;
  // parameters of SQL are counted from 1, columns of the study from 0
  for (int i = 0; ok && hn_study_column_at(s->study, i, &c); i++)
    ok = bind_value(insert, FIXED + 1 + i, &c, row->values[i]) == SQLITE_OK;
  return ok && sqlite3_step(insert) == SQLITE_DONE;
}

// a batch is there as a whole, or not at all
hn_status hn_store_add(hn_store *s, const hn_run_row *rows, int count, char message[HN_MESSAGE]) {
  // IMMEDIATE: a lock that cannot be had is known before anything is written
  hn_status status = execute(s->db, s->path, "BEGIN IMMEDIATE", message);
  for (int i = 0; i < count && !status; i++)
    if (!insert_row(s, &rows[i])) status = fail_db(s->db, s->path, message);
  // a statement that is not reset would keep the transaction from ending
  sqlite3_reset(s->insert);
  if (!status) return execute(s->db, s->path, "COMMIT", message);
  // the message is that of the first failure, which a rollback would overwrite
  (void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
  return status;
}

// a word of another version counts as the worst of all
static hn_row_status status_of(const char *text) {
  int i = 0;
  // HN_ROW_REFUSED is the last one: the search ends there
  while (i < HN_ROW_REFUSED && strcmp(text, hn_row_status_text((hn_row_status)i)) != 0) i++;
  return (hn_row_status)i;
}

static double value_of(sqlite3_stmt *query, int at, const hn_study_column *c) {
  if (sqlite3_column_type(query, at) == SQLITE_NULL) return NAN;
  if (!c->words) return sqlite3_column_double(query, at);
  const char *word = (const char *)sqlite3_column_text(query, at);
  // a word that the study no longer has cannot be: its text is that of the store
  for (int i = 0; i < c->word_count; i++)
    if (strcmp(c->words[i], word) == 0) return i;
  return NAN;
}

static void read_row(const hn_study *study, sqlite3_stmt *query, hn_run_row *row) {
  hn_study_column c;
  const char *message = (const char *)sqlite3_column_text(query, 3);
  row->k = (long)sqlite3_column_int64(query, 0);
  row->status = status_of((const char *)sqlite3_column_text(query, 1));
  row->feasible = sqlite3_column_int(query, 2);
  // messages are cut to what a row has room for
  snprintf(row->message, sizeof row->message, "%s", message ? message : "");
  for (int i = 0; hn_study_column_at(study, i, &c); i++)
    row->values[i] = value_of(query, FIXED + i, &c);
}

// columns are taken by their order, which the study's text fixes
static hn_status read_rows(sqlite3 *db, const char *path, const hn_study *study,
                           hn_study_table **out, char message[HN_MESSAGE]) {
  // a failure before the query must not read as one that went through
  int columns = hn_study_columns(study, NULL), code = SQLITE_NOMEM;
  hn_study_table *table = hn_table_create(columns);
  hn_run_row row = {.values = calloc((size_t)columns + 1, sizeof(double))};
  sqlite3_stmt *query = NULL;
  hn_status status = table && row.values ? HN_OK : HN_ERR_MEMORY;
  if (!status) code = sqlite3_prepare_v2(db, "SELECT * FROM run ORDER BY run", -1, &query, NULL);
  // SELECT * is safe: columns are counted, and their names may have been changed by column_name()
  if (!status && code == SQLITE_OK && sqlite3_column_count(query) != columns + FIXED)
    status = hn_fail(message, HN_ERR_FILE, "%.300s: has other columns than its study", path);
  while (!status && (code = sqlite3_step(query)) == SQLITE_ROW) {
    read_row(study, query, &row);
    status = hn_table_add(table, &row);
  }
  // a file that ends early, or a locked one, leaves status at OK and code at the reason
  if (status == HN_ERR_MEMORY)
    hn_fail(message, status, "out of memory");
  else if (!status && code != SQLITE_DONE)
    status = fail_db(db, path, message);
  sqlite3_finalize(query);
  free(row.values);
  if (status)
    hn_study_table_destroy(table);
  else
    *out = table;
  return status;
}

hn_status hn_store_rows(hn_store *store, hn_study_table **out, char *message) {
  char text[HN_MESSAGE];
  hn_status status = read_rows(store->db, store->path, store->study, out, text);
  // callers that only want to know whether it works give no room for words
  if (status && message) snprintf(message, HN_MESSAGE, "%s", text);
  return status;
}

// ---- stores from outside ---------------------------------------------------------------------

// the model is given as text: its file may have changed, or be gone
static hn_status load_study(sqlite3 *db, const char *path, hn_study **out,
                            char message[HN_MESSAGE]) {
  char *text = stored_text(db, "study"), *file = stored_text(db, "study_file");
  char *model = stored_text(db, "model"), *model_file = stored_text(db, "model_file");
  hn_status status;
  if (text && file && model && model_file)
    status = hn_study_parse(out, text, strlen(text), file, model, model_file, message, HN_MESSAGE);
  else
    // what is not there under its key is NULL: not one of ours, or of a later format
    status = hn_fail(message, HN_ERR_FILE, "%.300s: is no store of a study", path);
  sqlite3_free(text), sqlite3_free(file), sqlite3_free(model), sqlite3_free(model_file);
  return status;
}

// a store whose parts alone are there is known by any of them; one whose process ended before it
// wrote anything says nothing
static void store_or_part(const char *store, char path[HN_MESSAGE]) {
  glob_t parts;
  char ignored[HN_MESSAGE];
  bool found = false;
  // 500 leaves room for the endings that are put behind
  snprintf(path, HN_MESSAGE, "%.500s", store);
  if (exists(store)) return;
  find_parts(store, &parts);
  for (size_t i = 0; i < parts.gl_pathc && !found; i++) {
    sqlite3 *db = NULL;
    if (!is_part(parts.gl_pathv[i])) continue;
    // without any that has a study the last of them tells what is wrong
    snprintf(path, HN_MESSAGE, "%.500s", parts.gl_pathv[i]);
    found = open_db(path, false, &db, ignored) == HN_OK && has_tables(db);
    sqlite3_close(db);
  }
  globfree(&parts);
}

hn_status hn_store_study(const char *store, hn_study **out, char *message, size_t size) {
  char text[HN_MESSAGE], path[HN_MESSAGE];
  sqlite3 *db;
  *out = NULL;
  // opened for writing too: write-ahead journals of killed processes are taken in while reading
  store_or_part(store, path);
  hn_status status = open_db(path, false, &db, text);
  if (!status) {
    status = load_study(db, path, out, text);
    sqlite3_close(db);
  }
  if (status) snprintf(message, size, "%s", text);
  return status;
}

hn_status hn_store_table(const char *store, hn_study_table **out, char *message, size_t size) {
  char text[HN_MESSAGE];
  sqlite3 *db;
  hn_study *study = NULL;
  *out = NULL;
  hn_status status = open_db(store, false, &db, text);
  if (!status) {
    status = load_study(db, store, &study, text);
    if (!status) status = read_rows(db, store, study, out, text);
    sqlite3_close(db);
  }
  hn_study_destroy(study);
  if (status) snprintf(message, size, "%s", text);
  return status;
}

// by one query: a store may have millions of rows
static hn_status count_rows(const char *path, hn_store_info *info, char message[HN_MESSAGE]) {
  sqlite3 *db;
  sqlite3_stmt *query = NULL;
  hn_status status = open_db(path, false, &db, message);
  if (status) return status;
  // the number of runs of the whole study stands in every part
  char *runs = stored_text(db, "runs");
  if (!runs && has_tables(db))
    status = hn_fail(message, HN_ERR_FILE, "%.300s: is no store of a study", path);
  if (runs) info->runs = atol(runs);
  sqlite3_free(runs);
  int code = SQLITE_DONE;
  if (has_tables(db) &&
      (code = sqlite3_prepare_v2(db, "SELECT status, count(*), total(feasible) FROM run GROUP BY 1",
                                 -1, &query, NULL)) == SQLITE_OK)
    while ((code = sqlite3_step(query)) == SQLITE_ROW) {
      long rows = (long)sqlite3_column_int64(query, 1);
      info->count[status_of((const char *)sqlite3_column_text(query, 0))] += rows;
      info->rows += rows;
      info->feasible += (long)sqlite3_column_double(query, 2);
    }
  // total() is a floating-point number, also of integers
  if (!status && code != SQLITE_DONE) status = fail_db(db, path, message);
  sqlite3_finalize(query);
  sqlite3_close(db);
  return status;
  // a store that is not there, and has no parts, is told by count_rows
}

hn_status hn_store_status(const char *store, hn_store_info *info, char *message, size_t size) {
  char text[HN_MESSAGE];
  glob_t parts;
  *info = (hn_store_info){0};
  find_parts(store, &parts);
  // rows in two parts count twice here: exact are merged stores
  hn_status status = exists(store) || parts.gl_pathc == 0 ? count_rows(store, info, text) : HN_OK;
  for (size_t i = 0; i < parts.gl_pathc && !status; i++) {
    if (!is_part(parts.gl_pathv[i])) continue;
    info->parts++;
    status = count_rows(parts.gl_pathv[i], info, text);
  }
  globfree(&parts);
  if (status) snprintf(message, size, "%s", text);
  return status;
}

// ---- merging ---------------------------------------------------------------------------------

// The part is deleted only after its rows are committed; where the process ends in between, the
// next merge finds them there and ignores them.
static hn_status take_in(hn_store *s, const char *part, char message[HN_MESSAGE]) {
  int lock = -1;
  hn_status status = lock_store(part, &lock, message);
  if (status) return status;
  // a store with nothing but what check_same reads; it is never closed by hn_store_close
  hn_store other = {.study = s->study};
  snprintf(other.path, sizeof other.path, "%.500s", part);
  // a part is read and closed before it is attached: two connections to one file would wait for
  // each other
  status = open_db(part, false, &other.db, message);
  bool filled = !status && has_tables(other.db);
  if (filled) status = check_same(&other, message);
  sqlite3_close(other.db);
  if (!status && filled) {
    sqlite3_str *sql = sqlite3_str_new(s->db);
    sqlite3_str_appendf(sql,
                        // ORDER BY: rows go in by ascending keys, which is how the table is kept
                        "ATTACH %Q AS part; BEGIN IMMEDIATE; INSERT OR IGNORE INTO run SELECT * "
                        "FROM part.run ORDER BY run; COMMIT; DETACH part;",
                        part);
    status = add_sql(sql, s->db, s->path, message);
  }
  // the database first: a journal without it is harmless, the other way round rows could get lost
  static const char *const tails[] = {"", "-wal", "-shm"};
  for (int i = 0; i < 3 && !status; i++) {
    char name[HN_MESSAGE];
    snprintf(name, sizeof name, "%.500s%s", part, tails[i]);
    if (exists(name)) unlink(name);
  }
  unlock_store(part, lock);
  return status;
}

static hn_status take_in_all(hn_store *s, char message[HN_MESSAGE]) {
  glob_t parts;
  hn_status status = HN_OK;
  // under the lock of the store, which hn_store_open took
  find_parts(s->path, &parts);
  for (size_t i = 0; i < parts.gl_pathc && !status; i++)
    if (is_part(parts.gl_pathv[i])) status = take_in(s, parts.gl_pathv[i], message);
  globfree(&parts);
  return status;
}

// rows of parts that a former attempt left are taken in, so that nobody computes them again
hn_status hn_store_prepare(const hn_study *study, const char *store, bool resume, char *message,
                           size_t size) {
  char text[HN_MESSAGE];
  hn_store *s = NULL;
  hn_study_options options = {.store = store, .resume = resume};
  hn_status status = hn_store_open(&s, study, &options, text);
  if (!status) status = take_in_all(s, text);
  // the part that this process writes is the store itself here: no shards, no part
  hn_store_close(s);
  if (status) snprintf(message, size, "%s", text);
  return status;
}

hn_status hn_store_merge(const char *store, char *message, size_t size) {
  hn_study *study = NULL;
  hn_status status = hn_store_study(store, &study, message, size);
  // resumed: it is there, and what it is of was read from it
  if (!status) status = hn_store_prepare(study, store, true, message, size);
  hn_study_destroy(study);
  return status;
}

#endif
