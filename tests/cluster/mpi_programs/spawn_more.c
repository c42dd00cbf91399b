/* Spawns argv[1] more processes of itself, and all of them together count themselves. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Comm parent, others, all;
  int one = 1, together = 0, rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  const int child = parent != MPI_COMM_NULL;
  if (child) others = parent;
  else MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, argc > 1 ? atoi(argv[1]) : 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE);
  MPI_Intercomm_merge(others, child, &all);
  MPI_Allreduce(&one, &together, 1, MPI_INT, MPI_SUM, all);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("%s sees %d\n", child ? "spawned" : "first", together);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&others);
  MPI_Finalize();
  return 0;
}
