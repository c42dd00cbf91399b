// Does one thing wrong, or nothing, depending on its first argument.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "sum";
  if (!strcmp(what, "no-init")) return 0;
  MPI_Init(&argc, &argv);
  int rank, size, sum = 0, one = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!strcmp(what, "abort") && rank == 1) MPI_Abort(MPI_COMM_WORLD, 5);
  if (!strcmp(what, "no-finalize") && rank == 1) _exit(0);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!strcmp(what, "exit")) _exit(3);
  printf("rank %d of %d sum %d\n", rank, size, sum);
  fflush(stdout);
  if (!strcmp(what, "wait") || !strcmp(what, "abort") || !strcmp(what, "no-finalize")) pause();
  if (!strcmp(what, "publish")) {
    char port[MPI_MAX_PORT_NAME] = "the port of rank 0";
    if (rank == 0) MPI_Publish_name("service", MPI_INFO_NULL, port);
    MPI_Barrier(MPI_COMM_WORLD);
    char found[MPI_MAX_PORT_NAME] = "";
    MPI_Lookup_name("service", MPI_INFO_NULL, found);
    if (strcmp(found, "the port of rank 0")) return 8;
  }
  MPI_Finalize();
  return sum == size ? 0 : 9;
}
