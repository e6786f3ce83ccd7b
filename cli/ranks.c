// ranks.c: finds out whether mpirun started this process among others, and joins them.
#include "ranks.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// what mpirun of Open MPI, MPICH and Slurm tell the processes they start
static int started_with(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *text = getenv(names[i]);
    if (text) return atoi(text);
  }
  return 1;
}

// Beside the program, or where libraries are installed. MPI is loaded only where it is needed: the
// program itself runs where there is none.
static void *load(void) {
  static const char *const place[] = {"holon_mpi.so", "../lib/holon/holon_mpi.so"};
  char self[4000], path[4100];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n <= 0) return NULL;
  self[n] = 0;
  char *slash = strrchr(self, '/');
  if (!slash) return NULL;
  slash[1] = 0;
  for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
    snprintf(path, sizeof path, "%s%s", self, place[i]);
    // its own symbols are to be seen by MPI's plug-ins
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (library) return library;
  }
  return NULL;
}

bool ranks_begin(ranks *r) {
  *r = (ranks){.size = 1};
  // started alone: one rank, nothing to begin and nothing to end
  if (started_with() < 2) return true;
  void *library = load();
  const holon_mpi *mpi = library ? dlsym(library, HOLON_MPI_SYMBOL) : NULL;
  // not every process for itself: all of them would do the whole study
  if (!mpi) {
    fputs("holon: started by mpirun, but holon_mpi.so is not beside the program: it was built "
          "without "
          "MPI (--shard I/N shares a study out without it)\n",
          stderr);
    return false;
  }
  if (!mpi->begin(&r->rank, &r->size)) {
    fputs("holon: MPI cannot be started\n", stderr);
    return false;
  }
  r->mpi = mpi;
  return true;
}

void ranks_end(const ranks *r) {
  if (r->mpi) r->mpi->end();
}
