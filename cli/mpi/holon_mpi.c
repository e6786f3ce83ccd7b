// holon_mpi.c: numbers of runs shared out between MPI ranks by a counter in the memory of rank 0.
//
// Ranks take numbers by one-sided operations (MPI_Fetch_and_op): nobody hands them out. Workers of
// a rank are threads, which call one at a time. Whoever waits for other ranks sleeps: MPI's own
// waiting takes a processor, of which there may be fewer than ranks.
#include "holon_mpi.h"

#include <mpi.h>
#include <pthread.h>
#include <time.h>

static MPI_Win window;
static long *counter;
static pthread_mutex_t calling = PTHREAD_MUTEX_INITIALIZER;

static void wait_for(MPI_Request *request) {
  static const struct timespec pause = {.tv_nsec = 200000};
  int done = 0;
  while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
    nanosleep(&pause, NULL);
}

static void meet(void) {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  wait_for(&request);
}

static bool begin(int *rank, int *size) {
  int given;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given) != MPI_SUCCESS) return false;
  if (given < MPI_THREAD_SERIALIZED) return false;
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  MPI_Aint bytes = *rank == 0 ? (MPI_Aint)sizeof *counter : 0;
  if (MPI_Win_allocate(bytes, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &window) !=
      MPI_SUCCESS)
    return false;
  if (*rank == 0) *counter = 0;
  meet();
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  return true;
}

static long next(void *user, long count) {
  long first = 0;
  (void)user;
  pthread_mutex_lock(&calling);
  MPI_Fetch_and_op(&count, &first, MPI_LONG, 0, 0, MPI_SUM, window);
  MPI_Win_flush(0, window);
  pthread_mutex_unlock(&calling);
  return first;
}

// networks without remote access to memory need the target to look
static void serve(void) {
  int waiting;
  pthread_mutex_lock(&calling);
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &waiting, MPI_STATUS_IGNORE);
  pthread_mutex_unlock(&calling);
}

static int agree(int value) {
  MPI_Request request;
  MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  wait_for(&request);
  return value;
}

static int largest(int value) {
  int out = value;
  MPI_Request request;
  MPI_Iallreduce(&value, &out, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
  wait_for(&request);
  return out;
}

static void end(void) {
  meet();
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
}

extern const holon_mpi holon_mpi_table;
const holon_mpi holon_mpi_table = {begin, next, serve, agree, largest, end};
