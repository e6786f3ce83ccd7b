// finite_elements.c: reading nodes and matrices.
#include "model/element_files.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/vec.h"

enum { MOST_FACES = 100000 };  // what a page can draw

static const double lopsided = 1e-9;  // of the largest number: how far halves may differ

// ---- lines ---------------------------------------------------------------------------------

typedef hn_element_file reader;

// a path has no newline; what has one is the file itself
// texts are handed over by programs and by models with their data inside
bool hn_is_text_of_file(const char *path) {
  return strchr(path, '\n') != NULL;
}

hn_status hn_element_broken(const reader *r, const char *what) {
  return hn_fail(r->message, HN_ERR_SYNTAX, "%s:%ld: %s", r->path, r->line, what);
}

hn_status hn_element_open(reader *r, const char *key, const char *path, char *message) {
  struct stat about;
  *r = (reader){.path = path, .message = message};
  if (hn_is_text_of_file(path)) {
    r->path = key;
    // fmemopen() takes what is not const, and only reads it
    r->stream = fmemopen((void *)(uintptr_t)path, strlen(path), "rb");
    return r->stream ? HN_OK : hn_fail(message, HN_ERR_MEMORY, "out of memory");
  }
  // pipes and devices never end
  // a pipe would be waited for
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
    return hn_fail(message, HN_ERR_FILE, "%s: is no file", path);
  // as bytes: ends of lines are looked at below
  r->stream = fopen(path, "rb");
  return r->stream ? HN_OK : hn_fail(message, HN_ERR_FILE, "%s: cannot be read", path);
}

bool hn_element_line(reader *r, const char *comment, hn_status *status) {
  while (fgets(r->text, sizeof r->text, r->stream)) {
    size_t n = strlen(r->text);
    r->line++;
    // the line goes on: the rest would be taken for the next one
    if (n + 1 == sizeof r->text && r->text[n - 1] != '\n') {
      *status = hn_element_broken(r, "the line is longer than 1000 characters");
      return false;
    }
    // blank lines, and those of comments, whatever the blanks before them
    char *s = r->text + strspn(r->text, " \t\r\n");
    if (*s && !strchr(comment, *s)) return true;
  }
  // the end of a file is no failure
  if (ferror(r->stream)) *status = hn_fail(r->message, HN_ERR_FILE, "%s: cannot be read", r->path);
  return false;
}

// so many numbers and nothing else; nan and infinities are none
bool hn_element_numbers(const char *s, int count, double *x) {
  for (int k = 0; k < count; k++) {
    char *stop;
    // between numbers; also before the first
    s += strspn(s, " \t,");
    x[k] = strtod(s, &stop);
    // finite: 1e999 is infinity and no place
    if (stop == s || !isfinite(x[k])) return false;
    s = stop;
  }
  // what else stands in the line is a mistake
  return s[strspn(s, " \t\r\n,")] == 0;
}

// numbers are read as double: whole and in range before they become int
bool hn_element_whole(double x, double least, double most) {
  return x >= least && x <= most && x == floor(x);
}

// ---- nodes ---------------------------------------------------------------------------------

hn_status hn_element_node(const reader *r, hn_finite_elements *e, const double x[4], int *numbers,
                          int *places) {
  // before the cast: out of range it would mean nothing
  if (!hn_element_whole(x[0], 0, 1e9))
    return hn_element_broken(r, "the number of a node must be whole");
  if (!(hn_largest(x + 1, 3) <= 1e6)) return hn_element_broken(r, "a node is farther than 1e6 m");
  // a limit that a dense set of shapes still fits in memory with
  if (e->nodes == HN_ELEMENT_NODES) return hn_element_broken(r, "there are more than 20000 nodes");
  if (!hn_grow((void **)&e->number, numbers, e->nodes, sizeof *e->number) ||
      !hn_grow((void **)&e->place, places, e->nodes, 3 * sizeof *e->place))
    return hn_fail(r->message, HN_ERR_MEMORY, "out of memory");
  // one number per node, or matrices would not match
  if (hn_finite_elements_node(e, (int)x[0]) >= 0)
    return hn_element_broken(r, "a node has this number");
  e->number[e->nodes] = (int)x[0];
  v3_copy(e->place + 3 * e->nodes++, x + 1);
  return HN_OK;
}

static hn_status read_nodes(reader *r, hn_finite_elements *e) {
  hn_status status = HN_OK;
  int numbers = 0, places = 0;
  // comments of Abaqus, Matrix Market and shells
  while (!status && hn_element_line(r, "#%*", &status)) {
    double x[4];
    if (!hn_element_numbers(r->text, 4, x))
      return hn_element_broken(r, "a node is a line 'number x y z'");
    status = hn_element_node(r, e, x, &numbers, &places);
  }
  if (!status && e->nodes == 0)
    return hn_fail(r->message, HN_ERR_SYNTAX, "%s: there are no nodes", r->path);
  return status;
}

int hn_finite_elements_node(const hn_finite_elements *e, int number) {
  // usually they are counted through
  // as many files do: then no search is needed at all
  int guess = e->nodes ? number - e->number[0] : 0;
  if (guess >= 0 && guess < e->nodes && e->number[guess] == number) return guess;
  for (int i = 0; i < e->nodes; i++)
    if (e->number[i] == number) return i;
  return -1;
}

// ---- matrices ------------------------------------------------------------------------------

typedef hn_element_entry entry;

// by columns, then rows: the order of compressed columns
static int by_place(const void *a, const void *b) {
  const entry *x = a, *y = b;
  return x->column != y->column ? (x->column > y->column) - (x->column < y->column)
                                : (x->row > y->row) - (x->row < y->row);
}

// Matrix Market, exchange format of NIST: words in capitals or not
// %31s: five words are known, longer ones are none of them
static hn_status read_header(reader *r, bool *symmetric) {
  char word[5][32];
  // an empty file has no first line
  if (!fgets(r->text, sizeof r->text, r->stream)) r->text[0] = 0;
  r->line = 1;
  if (sscanf(r->text, "%31s %31s %31s %31s %31s", word[0], word[1], word[2], word[3], word[4]) !=
          5 ||
      strcasecmp(word[0], "%%MatrixMarket") != 0 || strcasecmp(word[1], "matrix") != 0)
    return hn_element_broken(r,
                             "it does not begin as Matrix Market files do: '%%MatrixMarket matrix "
                             "coordinate real symmetric'");
  if (strcasecmp(word[2], "coordinate") != 0 ||
      (strcasecmp(word[3], "real") != 0 && strcasecmp(word[3], "integer") != 0))
    return hn_element_broken(r, "the matrix must be 'coordinate real'");
  // any other symmetry (skew, hermitian) has no use here
  *symmetric = strcasecmp(word[4], "symmetric") == 0;
  if (!*symmetric && strcasecmp(word[4], "general") != 0)
    return hn_element_broken(r, "the matrix must be 'symmetric' or 'general'");
  return HN_OK;
}

static hn_status read_sizes(reader *r, int n, int *count) {
  hn_status status = HN_OK;
  double size[3];
  char what[120];
  // comment lines may stand between the header and the sizes
  if (!hn_element_line(r, "%", &status))
    return status ? status : hn_element_broken(r, "the sizes are missing");
  if (!hn_element_numbers(r->text, 3, size) || !hn_element_whole(size[2], 1, 1e9))
    return hn_element_broken(r, "a line 'rows columns numbers' is expected");
  // three or six freedoms per node, which rows_of has found from the same line
  // as doubles: a size beyond int would be cut
  if (size[0] != n || size[1] != n) {
    snprintf(what, sizeof what, "the matrix is %.0f x %.0f, where the nodes make it %d x %d",
             size[0], size[1], n, n);
    return hn_element_broken(r, what);
  }
  // two halves of it must fit in int as well
  if (size[2] > HN_ELEMENT_NUMBERS)
    return hn_element_broken(r, "there are more than 5 million numbers");
  *count = (int)size[2];
  return HN_OK;
}

static hn_status read_entries(reader *r, int n, bool symmetric, int count, entry *e, int *used) {
  hn_status status = HN_OK;
  for (int k = 0; k < count; k++) {
    double x[3];
    if (!hn_element_line(r, "%", &status))
      return status ? status
                    : hn_element_broken(r, "there are fewer numbers than its second line says");
    if (!hn_element_numbers(r->text, 3, x))
      return hn_element_broken(r, "a line 'row column number' is expected");
    if (!hn_element_whole(x[0], 1, n) || !hn_element_whole(x[1], 1, n))
      return hn_element_broken(r, "there is no such row or column");
    // twice given it would be counted twice
    if (symmetric && x[1] > x[0])
      return hn_element_broken(r, "a symmetric matrix has numbers on and below its diagonal only");
    // files count from 1; of symmetric ones the other half is made here
    // e has room for two of each
    e[(*used)++] = (entry){(int)x[0] - 1, (int)x[1] - 1, x[2]};
    if (symmetric && x[0] != x[1]) e[(*used)++] = (entry){(int)x[1] - 1, (int)x[0] - 1, x[2]};
  }
  // one line more than was announced: the file is cut or another one
  if (hn_element_line(r, "%", &status))
    return hn_element_broken(r, "there are more numbers than were announced");
  return status;
}

// Compressed columns from entries in any order; what stands twice is summed, as assembled elements
// are.
bool hn_element_matrix(hn_matrix *A, int n, entry *e, int used) {
  if (used) qsort(e, (size_t)used, sizeof *e, by_place);  // qsort() of NULL is undefined
  int kept = 0;
  // the same place again: elements add up
  for (int k = 0; k < used; k++)
    if (kept && e[kept - 1].row == e[k].row && e[kept - 1].column == e[k].column)
      e[kept - 1].value += e[k].value;
    else
      e[kept++] = e[k];
  A->n = n;
  A->start = calloc((size_t)n + 1, sizeof *A->start);
  A->row = malloc(((size_t)kept + 1) * sizeof *A->row);
  A->value = malloc(((size_t)kept + 1) * sizeof *A->value);
  if (!A->start || !A->row || !A->value) return false;
  for (int k = 0; k < kept; k++) {
    A->row[k] = e[k].row;
    A->value[k] = e[k].value;
    // where the column behind it begins
    A->start[e[k].column + 1] = k + 1;
  }
  // columns without entries begin where the one before ends
  for (int j = 0; j < n; j++)
    if (A->start[j + 1] < A->start[j]) A->start[j + 1] = A->start[j];
  return true;
}

// by bisection: rows ascend within a column
static double value_at(const hn_matrix *A, int row, int column) {
  int low = A->start[column], high = A->start[column + 1];
  while (low < high) {
    int middle = (low + high) / 2;
    if (A->row[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low < A->start[column + 1] && A->row[low] == row ? A->value[low] : 0;
}

// to compare differences with
double hn_matrix_size(const hn_matrix *A) {
  return hn_largest(A->value, (size_t)A->start[A->n]);
}

// only files that say 'general' are looked at; the others are symmetric by how they are read
static hn_status check_symmetry(const reader *r, const hn_matrix *A) {
  double most = hn_matrix_size(A);
  // each pair is looked at twice, which costs less than telling them apart
  for (int j = 0; j < A->n; j++)
    for (int k = A->start[j]; k < A->start[j + 1]; k++)
      if (fabs(A->value[k] - value_at(A, j, A->row[k])) > lopsided * most)
        return hn_fail(r->message, HN_ERR_MODEL,
                       "%s: the matrix must be symmetric: row %d, column %d differs from row %d, "
                       "column %d",
                       r->path, A->row[k] + 1, j + 1, j + 1, A->row[k] + 1);
  return HN_OK;
}

static hn_status read_matrix(reader *r, hn_matrix *A, int n) {
  bool symmetric = true;
  int count = 0, used = 0;
  hn_status status = read_header(r, &symmetric);
  if (!status) status = read_sizes(r, n, &count);
  if (status) return status;
  // room for both halves
  // used is what was written, at most twice the count
  entry *e = malloc(2 * (size_t)count * sizeof *e);
  if (e) status = read_entries(r, n, symmetric, count, e, &used);
  if (!e || (!status && !hn_element_matrix(A, n, e, used)))
    status = hn_fail(r->message, HN_ERR_MEMORY, "out of memory");
  free(e);
  return status || symmetric ? status : check_symmetry(r, A);
}

void hn_matrix_mul(const hn_matrix *A, const double *x, double *y) {
  // by columns: zeros of x cost nothing
  memset(y, 0, (size_t)A->n * sizeof *y);
  for (int j = 0; j < A->n; j++)
    for (int k = A->start[j]; x[j] != 0 && k < A->start[j + 1]; k++)
      y[A->row[k]] += A->value[k] * x[j];
}

// rows a matrix file says it has; 0: it does not say
// without a word: whoever reads the file then says what is wrong with it
static int rows_of(const char *path, char *message) {
  reader r;
  bool symmetric;  // set by read_header, and not asked for here
  double size[3] = {0};
  hn_status status = hn_element_open(&r, "stiffness", path, message);
  if (status) return 0;
  bool good = !read_header(&r, &symmetric) && hn_element_line(&r, "%", &status) &&
              hn_element_numbers(r.text, 3, size) && hn_element_whole(size[0], 1, 1e9);
  fclose(r.stream);
  return good ? (int)size[0] : 0;
}

// ---- faces ---------------------------------------------------------------------------------

static bool add_face(hn_finite_elements *e, int *capacity, int a, int b, int c) {
  if (!hn_grow((void **)&e->face, capacity, e->faces, sizeof *e->face)) return false;
  e->face[e->faces][0] = a, e->face[e->faces][1] = b, e->face[e->faces++][2] = c;
  return true;
}

// triangles, and quadrangles as two of them, by the numbers of their nodes
static hn_status read_faces(reader *r, hn_finite_elements *e) {
  hn_status status = HN_OK;
  int capacity = 0;
  while (hn_element_line(r, "#%*", &status)) {
    double x[4];
    // four numbers, or else three: five are neither
    int node[4], corners = hn_element_numbers(r->text, 4, x) ? 4 : 3;
    if (corners == 3 && !hn_element_numbers(r->text, 3, x))
      return hn_element_broken(r, "a face is a line of three or four numbers of nodes");
    for (int k = 0; k < corners; k++) {
      node[k] = hn_element_whole(x[k], 0, 1e9) ? hn_finite_elements_node(e, (int)x[k]) : -1;
      if (node[k] < 0) return hn_element_broken(r, "there is no node of this number");
    }
    // a quadrangle makes two
    if (e->faces + 2 > MOST_FACES) return hn_element_broken(r, "there are more than 100000 faces");
    if (!add_face(e, &capacity, node[0], node[1], node[2]) ||
        (corners == 4 && !add_face(e, &capacity, node[0], node[2], node[3])))
      return hn_fail(r->message, HN_ERR_MEMORY, "out of memory");
  }
  if (!status && !e->faces)
    return hn_fail(r->message, HN_ERR_SYNTAX, "%s: there are no faces", r->path);
  return status;
}

// ---- all of it -----------------------------------------------------------------------------

typedef hn_status (*reading)(reader *r, hn_finite_elements *e);

static hn_status read_stiffness(reader *r, hn_finite_elements *e) {
  return read_matrix(r, &e->K, e->freedoms * e->nodes);
}
static hn_status read_mass(reader *r, hn_finite_elements *e) {
  return read_matrix(r, &e->M, e->freedoms * e->nodes);
}

// the stream is closed whatever happened
static hn_status read_file(const char *key, const char *path, char *message, hn_finite_elements *e,
                           reading read) {
  reader r;
  hn_status status = hn_element_open(&r, key, path, message);
  if (status) return status;
  status = read(&r, e);
  fclose(r.stream);
  return status;
}

// all or nothing: who reads gets a whole set, or none to release
// *out is not touched by a failure
static hn_status finish(hn_status status, hn_finite_elements *e, hn_finite_elements *out) {
  if (status)
    hn_finite_elements_free(e);
  else
    *out = *e;
  return status;
}

hn_status hn_finite_elements_read(hn_finite_elements *out, const hn_finite_element_files *files,
                                  char message[HN_MESSAGE]) {
  hn_finite_elements e = {0};
  // numbers have a point, whatever the user's language
  // for this thread only; the program's own locale stays
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t before = plain ? uselocale(plain) : (locale_t)0;
  hn_status status = HN_OK;
  if (files->calculix) {
    status = hn_calculix_read(&e, files->calculix, message);
    // faces of the elements give way to those that are drawn
    if (!status && files->surface) e.faces = 0;
    if (!status && files->surface)
      status = read_file("surface", files->surface, message, &e, read_faces);
    // also after a failure, or the thread would keep the other locale
    if (plain) uselocale(before), freelocale(plain);
    return finish(status, &e, out);
  }
  status = read_file("nodes", files->nodes, message, &e, read_nodes);
  // by the size of the matrix: files do not say whether nodes turn
  if (!status) e.freedoms = rows_of(files->stiffness, message) == 3 * e.nodes ? 3 : 6;
  if (!status) status = read_file("stiffness", files->stiffness, message, &e, read_stiffness);
  if (!status) status = read_file("mass", files->mass, message, &e, read_mass);
  if (!status && files->surface)
    status = read_file("surface", files->surface, message, &e, read_faces);
  if (plain) uselocale(before), freelocale(plain);
  return finish(status, &e, out);
}

// N per unit of length, and N s^2 per unit, are N/m and kg over the unit; every rotation takes one
// unit out again
static void scale_matrix(hn_matrix *A, int freedoms, double unit) {
  // the diagonal and above alike: both halves are there
  for (int j = 0; j < A->n; j++)
    for (int k = A->start[j]; k < A->start[j + 1]; k++) {
      int rotations = (j % freedoms >= 3) + (A->row[k] % freedoms >= 3);
      A->value[k] *= rotations == 0 ? 1 / unit : rotations == 1 ? 1 : unit;
    }
}

void hn_finite_elements_scale(hn_finite_elements *e, double unit) {
  for (int i = 0; i < 3 * e->nodes; i++) e->place[i] *= unit;
  scale_matrix(&e->K, e->freedoms, unit);
  scale_matrix(&e->M, e->freedoms, unit);
}

void hn_finite_elements_free(hn_finite_elements *e) {
  free(e->number), free(e->place), free(e->face);
  free(e->K.start), free(e->K.row), free(e->K.value);
  free(e->M.start), free(e->M.row), free(e->M.value);
  // empty again, so that it may be freed twice
  *e = (hn_finite_elements){0};
}
