/* Communicators made of others, and what two groups say to each other over an intercommunicator. */
#include "show.h"

static int rank, size;

/* Size, own rank and the sum of the world's ranks in it; nothing for ranks outside. */
static void show_group(const char* name, MPI_Comm comm) {
  int values[3] = {0, 0, 0};
  if (comm != MPI_COMM_NULL) {
    MPI_Comm_size(comm, &values[0]);
    MPI_Comm_rank(comm, &values[1]);
    MPI_Allreduce(&rank, &values[2], 1, MPI_INT, MPI_SUM, comm);
  }
  show(name, values, comm == MPI_COMM_NULL ? 0 : 3);
}

static void show_and_free(const char* name, MPI_Comm comm) {
  show_group(name, comm);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

static void copies(void) {
  MPI_Comm comm;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  show_and_free("dup", comm);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
  show_and_free("dup_with_info", comm);
  MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  show_and_free("idup", comm);
}

static void parts(void) {
  MPI_Comm comm;
  MPI_Group world, odd;
  int odd_ranks[64], count = 0;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
  show_and_free("split", comm);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : 0, rank, &comm);
  show_and_free("split without one", comm);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
  show_and_free("split by host", comm);
  for (int r = 1; r < size && count < 64; r += 2) odd_ranks[count++] = r;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, count, odd_ranks, &odd);
  MPI_Comm_create(MPI_COMM_WORLD, odd, &comm);
  show_and_free("create", comm);
  comm = MPI_COMM_NULL;
  if (rank % 2) MPI_Comm_create_group(MPI_COMM_WORLD, odd, 7, &comm); /* called by its members only */
  show_and_free("create_group", comm);
  MPI_Group_free(&odd);
  MPI_Group_free(&world);
}

/* Ranks below the middle on one side, the others on the other. */
static void two_sides(void) {
  const int middle = size / 2, low = rank < middle;
  int values[64] = {0}, mine[64], count;
  MPI_Comm side, both, merged;
  MPI_Comm_split(MPI_COMM_WORLD, low, rank, &side);
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, low ? middle : 0, 5, &both);
  MPI_Comm_remote_size(both, &count);
  show_one("remote size", count);
  for (int i = 0; i < 64; ++i) mine[i] = 100 * rank + i;
  MPI_Allreduce(&rank, values, 1, MPI_INT, MPI_SUM, both);
  show("inter Allreduce", values, 1);
  MPI_Allgather(&rank, 1, MPI_INT, values, 1, MPI_INT, both);
  show("inter Allgather", values, count);
  MPI_Alltoall(mine, 1, MPI_INT, values, 1, MPI_INT, both);
  show("inter Alltoall", values, count);
  values[0] = rank;
  MPI_Bcast(values, 1, MPI_INT, low ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, both);
  show("inter Bcast", values, 1);
  values[0] = -1;
  MPI_Reduce(&rank, values, 1, MPI_INT, MPI_SUM, low ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, both);
  show("inter Reduce", values, 1);
  MPI_Barrier(both);
  MPI_Intercomm_merge(both, low, &merged); /* the upper side comes first */
  show_and_free("merge", merged);
  MPI_Comm_free(&both);
  MPI_Comm_free(&side);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2 || size > 64) MPI_Abort(MPI_COMM_WORLD, 2);
  copies();
  parts();
  two_sides();
  MPI_Finalize();
  return 0;
}
