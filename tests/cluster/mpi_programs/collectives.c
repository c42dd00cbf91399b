/* Every collective of MPI-3 over all ranks, each blocking and not; forms with counts of their own, in place, with
 * operations of the user, and long enough for every way to send. */
#include "show.h"

enum { kMaxRanks = 16, kRoom = kMaxRanks * kMaxRanks, kLong = 100000 };
static const MPI_Comm kWorld = MPI_COMM_WORLD;
static int rank, size;
static int in[kRoom], out[kRoom];
static int counts[kMaxRanks], places[kMaxRanks], byte_places[kMaxRanks]; /* rank r has r + 1 values */
static int equal[kMaxRanks], equal_places[kMaxRanks], equal_byte_places[kMaxRanks];
static MPI_Datatype types[kMaxRanks];

static void prepare(void) {
  for (int i = 0; i < kRoom; ++i) {
    in[i] = 1000 * (rank + 1) + i;
    out[i] = -1;
  }
}

static void describe_counts(void) {
  for (int r = 0, place = 0; r < size; ++r) {
    counts[r] = r + 1;
    places[r] = place;
    byte_places[r] = place * (int)sizeof(int);
    place += counts[r];
    equal[r] = rank + 1;
    equal_places[r] = r * (rank + 1);
    equal_byte_places[r] = equal_places[r] * (int)sizeof(int);
    types[r] = MPI_INT;
  }
}

/* The operation with the arguments and the communicator, then its nonblocking form; shows `count` of `result`. */
#define BOTH(result, count, blocking, nonblocking, ...)      \
  do {                                                       \
    MPI_Request request;                                     \
    prepare();                                               \
    MPI_##blocking(__VA_ARGS__, kWorld);                     \
    show(#blocking, result, count);                          \
    prepare();                                               \
    MPI_##nonblocking(__VA_ARGS__, kWorld, &request);        \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                   \
    show(#nonblocking, result, count);                       \
  } while (0)

static void data_from_or_to_one(void) {
  const int last = size - 1, total = size * (size + 1) / 2;
  BOTH(in, 5, Bcast, Ibcast, in, 5, MPI_INT, 1 % size);
  BOTH(out, rank == last ? 2 * size : 0, Gather, Igather, in, 2, MPI_INT, out, 2, MPI_INT, last);
  BOTH(out, rank == 0 ? total : 0, Gatherv, Igatherv, in, rank + 1, MPI_INT, out, counts, places, MPI_INT, 0);
  BOTH(out, 2, Scatter, Iscatter, in, 2, MPI_INT, out, 2, MPI_INT, last);
  BOTH(out, rank + 1, Scatterv, Iscatterv, in, counts, places, MPI_INT, out, rank + 1, MPI_INT, 0);
}

static void data_among_all(void) {
  const int total = size * (size + 1) / 2;
  MPI_Request request;
  MPI_Barrier(kWorld);
  MPI_Ibarrier(kWorld, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  BOTH(out, 2 * size, Allgather, Iallgather, in, 2, MPI_INT, out, 2, MPI_INT);
  BOTH(out, total, Allgatherv, Iallgatherv, in, rank + 1, MPI_INT, out, counts, places, MPI_INT);
  BOTH(out, 2 * size, Alltoall, Ialltoall, in, 2, MPI_INT, out, 2, MPI_INT);
  BOTH(out, size * (rank + 1), Alltoallv, Ialltoallv, in, counts, places, MPI_INT, out, equal, equal_places, MPI_INT);
  BOTH(out, size * (rank + 1), Alltoallw, Ialltoallw, in, counts, byte_places, types, out, equal, equal_byte_places, types);
  BOTH(in, 2 * size, Alltoall, Ialltoall, MPI_IN_PLACE, 0, MPI_INT, in, 2, MPI_INT);
  BOTH(in, size, Allgather, Iallgather, MPI_IN_PLACE, 0, MPI_INT, in, 1, MPI_INT);
}

/* Not commutative: f(g(x)) of two linear functions modulo a prime, (a, b) standing for a x + b. */
static void compose(void* first, void* second, int* length, MPI_Datatype* type) {
  const int* f = first;
  int* g = second;
  (void)type;
  for (int i = 0; i < *length; ++i) {
    const int a = f[2 * i] * g[2 * i] % 10007, b = (f[2 * i] * g[2 * i + 1] + f[2 * i + 1]) % 10007;
    g[2 * i] = a;
    g[2 * i + 1] = b;
  }
}

static void sums(void) {
  const int last = size - 1;
  MPI_Datatype pair;
  MPI_Op composition;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(compose, 0, &composition);
  BOTH(out, rank == last ? 3 : 0, Reduce, Ireduce, in, out, 3, MPI_INT, MPI_MAX, last);
  BOTH(out, rank == 0 ? 4 : 0, Reduce, Ireduce, in, out, 2, pair, composition, 0);
  BOTH(out, 3, Allreduce, Iallreduce, in, out, 3, MPI_INT, MPI_SUM);
  BOTH(in, 3, Allreduce, Iallreduce, MPI_IN_PLACE, in, 3, MPI_INT, MPI_BXOR);
  BOTH(out, 2, Allreduce, Iallreduce, in, out, 1, MPI_2INT, MPI_MINLOC);
  BOTH(out, 4, Allreduce, Iallreduce, in, out, 2, pair, composition);
  BOTH(out, rank + 1, Reduce_scatter, Ireduce_scatter, in, out, counts, MPI_INT, MPI_SUM);
  BOTH(out, 2, Reduce_scatter_block, Ireduce_scatter_block, in, out, 2, MPI_INT, MPI_SUM);
  BOTH(out, 2, Scan, Iscan, in, out, 1, pair, composition);
  BOTH(out, rank == 0 ? 0 : 3, Exscan, Iexscan, in, out, 3, MPI_INT, MPI_SUM);
  MPI_Op_free(&composition);
  MPI_Type_free(&pair);
}

/* The bits of a sum of doubles depend on the order: the same tree as under mpirun gives the same. */
static void long_ones(void) {
  double* mine = malloc(sizeof(double) * kLong * (size_t)size);
  double* all = malloc(sizeof(double) * kLong * (size_t)size);
  for (int i = 0; i < kLong * size; ++i) mine[i] = 1.0 / (3.0 + rank + i);
  MPI_Allreduce(mine, all, kLong, MPI_DOUBLE, MPI_SUM, kWorld);
  show_one("long Allreduce", checksum(all, sizeof(double) * kLong));
  MPI_Allreduce(mine, all, 10, MPI_DOUBLE, MPI_SUM, kWorld);
  show_one("short Allreduce", checksum(all, sizeof(double) * 10));
  MPI_Alltoall(mine, kLong, MPI_DOUBLE, all, kLong, MPI_DOUBLE, kWorld);
  show_one("long Alltoall", checksum(all, sizeof(double) * kLong * (size_t)size));
  MPI_Allgather(mine, kLong, MPI_DOUBLE, all, kLong, MPI_DOUBLE, kWorld);
  show_one("long Allgather", checksum(all, sizeof(double) * kLong * (size_t)size));
  MPI_Reduce_scatter_block(mine, all, kLong, MPI_DOUBLE, MPI_SUM, kWorld);
  show_one("long Reduce_scatter_block", checksum(all, sizeof(double) * kLong));
  MPI_Bcast(mine, kLong * size, MPI_DOUBLE, size - 1, kWorld);
  show_one("long Bcast", checksum(mine, sizeof(double) * kLong * (size_t)size));
  free(mine);
  free(all);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(kWorld, &rank);
  MPI_Comm_size(kWorld, &size);
  if (size > kMaxRanks) MPI_Abort(kWorld, 2);
  describe_counts();
  data_from_or_to_one();
  data_among_all();
  sums();
  long_ones();
  MPI_Finalize();
  return 0;
}
