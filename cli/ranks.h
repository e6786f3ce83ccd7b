// ranks.h: a study on several processes, started by mpirun.
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include "holon_mpi.h"
#include "study.h"

typedef struct ranks {
  const holon_mpi *mpi;  // NULL: this process is alone
  int rank, size;
} ranks;

// false, and said so: mpirun started several of us, but holon_mpi.so is not there
bool ranks_begin(ranks *r);
void ranks_end(const ranks *r);

#endif
