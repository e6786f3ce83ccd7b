// finite_elements.h: a body as finite elements give it: nodes, stiffness and mass, read from files.
#ifndef HN_FINITE_ELEMENTS_H
#define HN_FINITE_ELEMENTS_H

#include "base/base.h"

// symmetric, both halves; compressed columns, rows ascending
typedef struct hn_matrix {
  int n, *start, *row;
  double *value;
} hn_matrix;

// y = A x
void hn_matrix_mul(const hn_matrix *A, const double *x, double *y);
// a number of the size of its largest ones
double hn_matrix_size(const hn_matrix *A);

typedef struct hn_finite_elements {
  int nodes;
  int *number;    // of the nodes, as the file counts them
  double *place;  // [m] three each, axes of the body
  int freedoms;   // of a node: 3, or 6 with rotations
  hn_matrix K, M;
  int faces, (*face)[3];  // of its surface: indices of nodes, counter-clockwise seen from outside
} hn_finite_elements;

// paths, or the text of such a file itself, which has several lines
typedef struct hn_finite_element_files {
  const char *nodes, *stiffness, *mass;
  const char *surface;   // NULL: there is none
  const char *calculix;  // a job, in place of the first three; NULL: those are given
} hn_finite_element_files;
bool hn_is_text_of_file(const char *path);

// Nodes: lines "number x y z". Matrices: Matrix Market, coordinate real symmetric or general, over
// displacements x, y, z (and rotations about x, y, z) of the nodes in the order of their file.
// Surface: lines of three or four numbers of nodes. A failure says where: "file:line: ..."
hn_status hn_finite_elements_read(hn_finite_elements *out, const hn_finite_element_files *files,
                                  char message[HN_MESSAGE]);
// lengths in m from lengths in a unit of this many m, masses in kg from those that with it give
// forces in N
void hn_finite_elements_scale(hn_finite_elements *elements, double unit);
void hn_finite_elements_free(hn_finite_elements *elements);
// index of a node by its number; -1: there is none
int hn_finite_elements_node(const hn_finite_elements *elements, int number);

#endif
