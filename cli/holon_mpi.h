// holon_mpi.h: what the program asks of MPI. Seen from both sides of a shared library that is
// loaded only where a study is started by mpirun: linked into the program, MPI's libraries would
// make every start of it slower, and would have to be there wherever it runs.
#ifndef HOLON_MPI_H
#define HOLON_MPI_H

#include <stdbool.h>

typedef struct holon_mpi {
  bool (*begin)(int *rank, int *size);  // false: MPI cannot be started
  // one counter for all ranks, from 0: the first of `count` numbers that are the caller's
  long (*next)(void *user, long count);
  void (*serve)(void);        // lets others reach this rank's memory while it computes
  int (*agree)(int value);    // all ranks learn what rank 0 says
  int (*largest)(int value);  // and this the largest of what all say; nobody goes on before
  void (*end)(void);
} holon_mpi;

// the only symbol of the library
#define HOLON_MPI_SYMBOL "holon_mpi_table"

#endif
