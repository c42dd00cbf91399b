/* One line per operation, printed by rank 0: what every rank got, rank by rank. Results of a program can so be compared
 * as text. The values travel in plain messages on a communicator of their own, apart from what is shown. */
#ifndef DS_TESTS_MPI_PROGRAMS_SHOW_H
#define DS_TESTS_MPI_PROGRAMS_SHOW_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static MPI_Comm show_comm = MPI_COMM_NULL;

/* Collective: `count` values of each rank, which may differ; 0 = "-". */
static void show(const char* name, const int* values, int count) {
  int rank, size;
  if (show_comm == MPI_COMM_NULL) MPI_Comm_dup(MPI_COMM_WORLD, &show_comm);
  MPI_Comm_rank(show_comm, &rank);
  MPI_Comm_size(show_comm, &size);
  if (rank != 0) {
    MPI_Send(values, count, MPI_INT, 0, 1, show_comm);
    return;
  }
  printf("%s:", name);
  for (int from = 0; from < size; ++from) {
    int* received = NULL;
    if (from > 0) {
      MPI_Status status;
      MPI_Probe(from, 1, show_comm, &status);
      MPI_Get_count(&status, MPI_INT, &count);
      received = malloc(sizeof(int) * (size_t)(count + 1));
      MPI_Recv(received, count, MPI_INT, from, 1, show_comm, MPI_STATUS_IGNORE);
      values = received;
    }
    printf(" [");
    if (count == 0) printf("-");
    for (int i = 0; i < count; ++i) printf(i ? " %d" : "%d", values[i]);
    printf("]");
    free(received);
  }
  printf("\n");
  fflush(stdout);
}

static inline void show_one(const char* name, int value) { show(name, &value, 1); }

/* For results too long to be shown. */
static inline int checksum(const void* data, size_t bytes) {
  unsigned hash = 2166136261u;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ ((const unsigned char*)data)[i]) * 16777619u;
  return (int)(hash & 0x7fffffff);
}

#endif
