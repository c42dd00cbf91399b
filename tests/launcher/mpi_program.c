/* What the MPI tests run: argv[1] says how to end. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "sum";
  int rank, size, sum = 0, one = 1;
  if (!strcmp(how, "no-init")) return 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!strcmp(how, "abort") && rank == 1) MPI_Abort(MPI_COMM_WORLD, atoi(argv[2]));
  if (!strcmp(how, "no-finalize") && rank == 1) _exit(0);
  if (!strcmp(how, "abort") || !strcmp(how, "no-finalize")) pause();
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!strcmp(how, "exit")) _exit(3);
  printf("%d of %d sums to %d\n", rank, size, sum);
  MPI_Finalize();
  return sum == size ? 0 : 9;
}
