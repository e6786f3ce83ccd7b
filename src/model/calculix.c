// calculix.c: bodies as CalculiX leaves them: JOB.inp with nodes and elements, and what
// "*FREQUENCY, SOLVER=MATRIXSTORAGE" writes: JOB.sti and JOB.mas, lines "row column number" of the
// upper triangle, and JOB.dof, the freedom "node.direction" of every row.
#include "model/element_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/vec.h"

// ---- the input file ------------------------------------------------------------------------

// "*NODE, NSET=ALL": does the card have this name?
static bool is_card(const char *line, const char *name) {
  // cards are written in capitals or not; a longer name is another card
  size_t n = strlen(name);
  if (line[0] != '*' || strncasecmp(line + 1, name, n) != 0) return false;
  // also one of two words: *NODE FILE and *NODE PRINT ask for results
  const char *behind = line + 1 + n + strspn(line + 1 + n, " \t\r\n");
  return *behind == 0 || *behind == ',';
}

// the word behind "KEY=" of a card, in capitals; "" where there is none
static void parameter(const char *line, const char *key, char out[16]) {
  size_t n = strlen(key), used = 0;
  out[0] = 0;
  // parameters stand behind commas, in any order
  for (const char *s = line; (s = strchr(s, ',')); s++) {
    const char *word = s + 1 + strspn(s + 1, " \t");
    if (strncasecmp(word, key, n) != 0) continue;  // another key
    word += n + strspn(word + n, " \t");
    if (*word != '=') continue;
    word += 1 + strspn(word + 1, " \t");
    // cut off: no word that is looked for is so long
    while (used < 15 && *word && !strchr(", \t\r\n", *word)) {
      char c = *word++;
      out[used++] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    out[used] = 0;
    return;
  }
}

// solid elements: nodes they have, and their faces by corners, counter-clockwise seen from outside
// only corners of faces: nodes on edges are left out, so curved faces are drawn flat
typedef struct solid {
  const char *type;  // how the name begins
  int nodes, faces;
  int face[6][4];  // -1: a triangle
} solid;

// hexahedron, prism and tetrahedron as the manual counts them
#define BRICK                                                                                      \
  6, {                                                                                             \
    {0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {                        \
      3, 0, 4, 7                                                                                   \
    }                                                                                              \
  }
#define TETRAHEDRON                                                                                \
  4, {                                                                                             \
    {0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {                                                 \
      2, 0, 3, -1                                                                                  \
    }                                                                                              \
  }
#define WEDGE                                                                                      \
  5, {                                                                                             \
    {0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {                                    \
      2, 0, 3, 5                                                                                   \
    }                                                                                              \
  }

// longer names first
static const solid solids[] = {{"C3D20", 20, BRICK},       {"C3D15", 15, WEDGE},
                               {"C3D10", 10, TETRAHEDRON}, {"C3D8", 8, BRICK},
                               {"C3D6", 6, WEDGE},         {"C3D4", 4, TETRAHEDRON}};

static const solid *find_solid(const char *type) {
  for (size_t i = 0; i < sizeof solids / sizeof *solids; i++)
    if (strncmp(type, solids[i].type, strlen(solids[i].type)) == 0) return &solids[i];
  return NULL;
}

typedef struct side {
  // corners in the order seen from outside, and in ascending order, to find the same side again
  int corner[4], sorted[4];
} side;

typedef struct input {
  hn_finite_elements *e;
  int nodes, places;  // room
  side *side;         // of all elements, those inside twice
  int sides, room;
  // its own number and up to 20 nodes
  int number[21], read;  // of an element that goes on in the next line
} input;

static int by_number(const void *a, const void *b) {
  const int *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static bool add_sides(input *in, const solid *s) {
  // -1 in place of a fourth corner sorts first, so triangles match triangles only
  for (int f = 0; f < s->faces; f++) {
    if (!hn_grow((void **)&in->side, &in->room, in->sides, sizeof *in->side)) return false;
    side *o = &in->side[in->sides++];
    for (int k = 0; k < 4; k++) {
      int corner = s->face[f][k];
      o->corner[k] = o->sorted[k] = corner < 0 ? -1 : in->number[1 + corner];
    }
    qsort(o->sorted, 4, sizeof *o->sorted, by_number);
  }
  return true;
}

// numbers of nodes need not be in order, nor without gaps
static hn_status read_node(hn_element_file *r, input *in) {
  hn_finite_elements *e = in->e;
  double x[4];
  if (!hn_element_numbers(r->text, 4, x))
    return hn_element_broken(r, "a node is 'number, x, y, z'");
  return hn_element_node(r, e, x, &in->nodes, &in->places);
}

// numbers of an element, perhaps over several lines
static hn_status read_element(hn_element_file *r, input *in, const solid *s) {
  const char *at = r->text;
  // the line may end anywhere between two numbers
  while (in->read <= s->nodes) {
    char *stop;
    at += strspn(at, " \t,\r\n");
    if (!*at) return HN_OK;
    double x = strtod(at, &stop);
    if (stop == at || !hn_element_whole(x, 0, 1e9))  // floats are no numbers of nodes
      return hn_element_broken(r, "an element is whole numbers: its own and those of its nodes");
    in->number[in->read++] = (int)x;
    at = stop;
  }
  // the next line begins an element
  in->read = 0;
  return add_sides(in, s) ? HN_OK : hn_fail(r->message, HN_ERR_MEMORY, "out of memory");
}

// cards begin with one asterisk, comments with two; lines that follow belong to the card
static hn_status read_input(hn_element_file *r, input *in) {
  hn_status status = HN_OK;
  bool nodes = false;
  const solid *elements = NULL;
  while (!status && hn_element_line(r, "", &status)) {
    if (strncmp(r->text, "**", 2) == 0) continue;
    if (r->text[0] == '*') {
      char type[16];
      nodes = is_card(r->text, "NODE");
      elements = NULL;
      // what an unknown card is followed by is skipped
      in->read = 0;
      if (!is_card(r->text, "ELEMENT")) continue;
      parameter(r->text, "TYPE", type);
      // shells and beams are made solid by the program, with nodes of its own
      elements = find_solid(type);
      if (!elements)
        return hn_element_broken(r,
                                 "elements must be solid: C3D4, C3D6, C3D8, C3D10, C3D15 or C3D20 "
                                 "(others have nodes that are not in this file)");
    } else if (nodes) {
      status = read_node(r, in);
    } else if (elements) {
      status = read_element(r, in, elements);
    }
  }
  // not a single node: probably they are somewhere else
  if (!status && in->e->nodes == 0)
    return hn_fail(r->message, HN_ERR_SYNTAX,
                   "%s: there are no nodes (files of *INCLUDE are not read)", r->path);
  return status;
}

// ---- faces ---------------------------------------------------------------------------------

static int by_corners(const void *a, const void *b) {
  const side *x = a, *y = b;
  for (int k = 0; k < 4; k++)
    if (x->sorted[k] != y->sorted[k]) return x->sorted[k] < y->sorted[k] ? -1 : 1;
  return 0;
}

// sides that only one element has
// sorted, equal sides stand together; one that has no equal is part of the surface
static hn_status find_surface(hn_element_file *r, input *in) {
  hn_finite_elements *e = in->e;
  int room = 0;
  if (in->sides) qsort(in->side, (size_t)in->sides, sizeof *in->side, by_corners);
  for (int i = 0, next; i < in->sides; i = next) {
    for (next = i + 1; next < in->sides && by_corners(&in->side[i], &in->side[next]) == 0;) next++;
    if (next > i + 1) continue;  // inside: both elements have it
    int node[4];
    for (int k = 0; k < 4; k++) {
      int number = in->side[i].corner[k];
      node[k] = number < 0 ? -1 : hn_finite_elements_node(e, number);
      // of another file, or left out
      if (number >= 0 && node[k] < 0)
        return hn_fail(r->message, HN_ERR_MODEL, "%s: an element has node %d, which is not there",
                       r->path, number);
    }
    // a quadrangle as two triangles 0 1 2 and 0 2 3
    for (int half = 0; half < (node[3] < 0 ? 1 : 2); half++) {
      if (!hn_grow((void **)&e->face, &room, e->faces, sizeof *e->face))
        return hn_fail(r->message, HN_ERR_MEMORY, "out of memory");
      int *f = e->face[e->faces++];
      f[0] = node[0], f[1] = node[1 + half], f[2] = node[2 + half];
    }
  }
  return HN_OK;
}

// ---- freedoms ------------------------------------------------------------------------------

typedef struct freedoms {
  hn_finite_elements *e;
  int *number, *direction;  // of every row: node, 0 ... 2
  int rows, rooms[2];
  // filled by match()
  int *of;  // of every row: its number among all freedoms
} freedoms;

static hn_status read_freedoms(hn_element_file *r, freedoms *f) {
  hn_status status = HN_OK;
  while (hn_element_line(r, "", &status)) {
    int node, direction, used = 0;
    // %9d: no number of a node is longer, and none overflows
    if (sscanf(r->text, " %9d.%1d %n", &node, &direction, &used) != 2 || r->text[used])
      return hn_element_broken(r, "a freedom is 'node.direction'");
    // 4 and more would be rotations, temperatures or pressures
    if (direction < 1 || direction > 3)
      return hn_element_broken(r, "directions must be 1, 2 and 3: solid elements have no others");
    if (!hn_grow((void **)&f->number, &f->rooms[0], f->rows, sizeof *f->number) ||
        !hn_grow((void **)&f->direction, &f->rooms[1], f->rows, sizeof *f->direction))
      return hn_fail(r->message, HN_ERR_MEMORY, "out of memory");
    // directions count from 1
    f->number[f->rows] = node, f->direction[f->rows++] = direction - 1;
  }
  return status;
}

// nodes without any freedom belong to no element: they are left out
static hn_status match(hn_element_file *r, freedoms *f) {
  hn_finite_elements *e = f->e;
  int *row = malloc(3 * (size_t)e->nodes * sizeof *row), kept = 0;
  f->of = malloc(((size_t)f->rows + 1) * sizeof *f->of);
  if (!row || !f->of) {
    free(row);
    return hn_fail(r->message, HN_ERR_MEMORY, "out of memory");
  }
  hn_status status = HN_OK;
  for (int i = 0; i < 3 * e->nodes; i++) row[i] = -1;  // no row for this freedom
  for (int i = 0; i < f->rows && !status; i++) {
    int node = hn_finite_elements_node(e, f->number[i]);
    if (node < 0)
      status = hn_fail(r->message, HN_ERR_MODEL, "%s:%d: there is no node %d in the input file",
                       r->path, i + 1, f->number[i]);
    else if (row[3 * node + f->direction[i]] >= 0)
      status = hn_fail(r->message, HN_ERR_MODEL, "%s:%d: the freedom %d.%d was there before",
                       r->path, i + 1, f->number[i], f->direction[i] + 1);
    else
      row[3 * node + f->direction[i]] = i;
  }
  for (int i = 0; i < e->nodes && !status; i++) {
    const int *x = row + 3 * i;
    int there = (x[0] >= 0) + (x[1] >= 0) + (x[2] >= 0);
    if (there == 0) continue;  // not part of any element
    if (there < 3) {
      status = hn_fail(r->message, HN_ERR_MODEL,
                       "%s: node %d is held or tied along %s: the body must be free, without "
                       "*BOUNDARY, *EQUATION and *MPC",
                       r->path, e->number[i],
                       x[0] < 0   ? "x"
                       : x[1] < 0 ? "y"
                                  : "z");
      break;
    }
    // nodes are moved up over those that were left out, and numbered anew with their freedoms
    for (int k = 0; k < 3; k++) f->of[x[k]] = 3 * kept + k;
    e->number[kept] = e->number[i];
    // kept <= i, so nothing is overwritten that is still needed
    if (kept != i) v3_copy(e->place + 3 * kept, e->place + 3 * i);
    kept++;
  }
  free(row);
  // numbers above it are left: nobody looks at them
  e->nodes = kept;
  if (!status && kept == 0)
    return hn_fail(r->message, HN_ERR_MODEL, "%s: no node has a freedom", r->path);
  return status;
}

// ---- matrices ------------------------------------------------------------------------------

static hn_status read_triangle(hn_element_file *r, const freedoms *f, hn_matrix *A) {
  hn_status status = HN_OK;
  hn_element_entry *list = NULL;
  int count = 0, room = 0;
  while (!status && hn_element_line(r, "", &status)) {
    // rows are those of JOB.dof; out of range the files do not belong together
    double x[3];
    if (!hn_element_numbers(r->text, 3, x) || !hn_element_whole(x[0], 1, f->rows) ||
        !hn_element_whole(x[1], 1, f->rows)) {
      status = hn_element_broken(r, "a line 'row column number' is expected, as many rows as the "
                                    "file of freedoms has lines");
      break;
    }
    // zeros are written by the program where elements meet
    if (x[2] == 0) continue;
    int i = f->of[(int)x[0] - 1], j = f->of[(int)x[1] - 1];
    // the upper triangle is written; the other half is made
    for (int half = 0; half < (i == j ? 1 : 2) && !status; half++) {
      if (count == HN_ELEMENT_NUMBERS)
        status = hn_element_broken(r, "there are more than 5 million numbers");
      else if (!hn_grow((void **)&list, &room, count, sizeof *list))
        status = hn_fail(r->message, HN_ERR_MEMORY, "out of memory");
      else
        list[count++] = (hn_element_entry){half ? j : i, half ? i : j, x[2]};
    }
  }
  // diagonal and above are in any order; hn_element_matrix sorts
  if (!status && !hn_element_matrix(A, 3 * f->e->nodes, list, count))
    status = hn_fail(r->message, HN_ERR_MEMORY, "out of memory");
  free(list);
  return status;
}

// ---- all of it -----------------------------------------------------------------------------

static hn_status open_part(hn_element_file *r, const char *job, const char *ending, char *path,
                           size_t size, char message[HN_MESSAGE]) {
  // four files of one name
  snprintf(path, size, "%s.%s", job, ending);
  return hn_element_open(r, ending, path, message);
}

hn_status hn_calculix_read(hn_finite_elements *e, const char *job, char message[HN_MESSAGE]) {
  size_t size = strlen(job) + 8;
  char *path = malloc(size);
  if (!path) return hn_fail(message, HN_ERR_MEMORY, "out of memory");
  hn_element_file r;
  input in = {.e = e};
  freedoms f = {.e = e};
  e->freedoms = 3;  // solids have no rotations
  hn_status status = open_part(&r, job, "inp", path, size, message);
  if (!status) {
    status = read_input(&r, &in);
    fclose(r.stream);
  }
  if (!status) status = open_part(&r, job, "dof", path, size, message);
  if (!status) {
    status = read_freedoms(&r, &f);
    fclose(r.stream);
    // after it numbers of rows are known
    if (!status) status = match(&r, &f);
  }
  // nodes are numbered for good by now
  if (!status) status = find_surface(&r, &in);
  for (int k = 0; k < 2 && !status; k++) {
    status = open_part(&r, job, k ? "mas" : "sti", path, size, message);
    if (status) break;
    status = read_triangle(&r, &f, k ? &e->M : &e->K);
    fclose(r.stream);
  }
  free(path), free(in.side);
  free(f.number), free(f.direction), free(f.of);
  return status;
}
