// rank.h: which rows of a sparse matrix depend on others.
#ifndef HN_RANK_H
#define HN_RANK_H

#include <stdbool.h>

// A (rows x columns) in compressed rows; its rows should be of like length. Rows with `later` set
// (may be NULL) give way to the others. A row of which those before it leave less than `tolerance`
// times its own length is dependent: active[row] becomes false. *rank, and how near the decision
// was: the least that was left of a row that counts, the most of one that does not, relative. The
// cost is that of a sparse Cholesky factorisation of A A^T; false: out of memory
bool hn_sparse_rank(int rows, int columns, const int *start, const int *column, const double *value,
                    const bool *later, double tolerance, bool *active, int *rank,
                    double *smallest_kept, double *largest_dropped);

// The same question for a few rows of a dense matrix, without their names: how far is each from
// those before it, when the farthest always comes next? r[k], k < min(rows, columns), is what
// hn_dense_rank_qr has there. A is row by row and gets lost, `size` is work space of `rows` numbers
void hn_rank_distances(int rows, int columns, double *A, double *r, double *size);

#endif
