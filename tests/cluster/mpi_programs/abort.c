/* Rank argv[1] aborts with the code argv[2] while all others wait for it. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  if (rank == atoi(argv[1])) MPI_Abort(MPI_COMM_WORLD, atoi(argv[2]));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
