/* Collectives among neighbours: on a torus, and on a directed graph whose ranks have different numbers of neighbours. */
#include "show.h"

enum { kMaxNeighbours = 16, kRoom = 64 };
static int rank, size, sources, targets;
static int in[kRoom], out[kRoom];
static int counts[kMaxNeighbours], places[kMaxNeighbours];
static MPI_Aint byte_places[kMaxNeighbours];
static MPI_Datatype types[kMaxNeighbours];

static void prepare(void) {
  for (int i = 0; i < kRoom; ++i) {
    in[i] = 100 * (rank + 1) + i;
    out[i] = -1;
  }
  for (int i = 0; i < kMaxNeighbours; ++i) {
    counts[i] = 2;
    places[i] = 3 * i;
    byte_places[i] = places[i] * (MPI_Aint)sizeof(int);
    types[i] = MPI_INT;
  }
}

#define BOTH(count, blocking, nonblocking, ...)           \
  do {                                                    \
    MPI_Request request;                                  \
    prepare();                                            \
    MPI_##blocking(__VA_ARGS__, comm);                    \
    show(#blocking, out, count);                          \
    prepare();                                            \
    MPI_##nonblocking(__VA_ARGS__, comm, &request);       \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                \
    show(#nonblocking, out, count);                       \
  } while (0)

static void exchange(MPI_Comm comm) {
  BOTH(2 * sources, Neighbor_allgather, Ineighbor_allgather, in, 2, MPI_INT, out, 2, MPI_INT);
  BOTH(3 * sources, Neighbor_allgatherv, Ineighbor_allgatherv, in, 2, MPI_INT, out, counts, places, MPI_INT);
  BOTH(2 * sources, Neighbor_alltoall, Ineighbor_alltoall, in, 2, MPI_INT, out, 2, MPI_INT);
  BOTH(3 * sources, Neighbor_alltoallv, Ineighbor_alltoallv, in, counts, places, MPI_INT, out, counts, places, MPI_INT);
  BOTH(3 * sources, Neighbor_alltoallw, Ineighbor_alltoallw, in, counts, byte_places, types, out, counts, byte_places,
       types);
}

static void on_a_torus(void) {
  int extents[2] = {0, 0}, coordinates[2], periodic[2] = {1, 1}, neighbours[2], keep_rows[2] = {0, 1};
  MPI_Comm torus, row;
  MPI_Dims_create(size, 2, extents);
  MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periodic, 0, &torus);
  MPI_Cart_coords(torus, rank, 2, coordinates);
  show("Cart_coords", coordinates, 2);
  MPI_Cart_shift(torus, 0, 1, &neighbours[0], &neighbours[1]);
  show("Cart_shift", neighbours, 2);
  sources = targets = 4;
  exchange(torus);
  MPI_Cart_sub(torus, keep_rows, &row);
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, row);
  show_one("Cart_sub", sum);
  MPI_Comm_free(&row);
  MPI_Comm_free(&torus);
}

/* From every rank to the next, and from rank 0 to all others. */
static void on_a_graph(void) {
  int from[kMaxNeighbours], to[kMaxNeighbours], weights[kMaxNeighbours] = {0}, weighted;
  MPI_Comm graph;
  sources = targets = 0;
  from[sources++] = (rank + size - 1) % size;
  to[targets++] = (rank + 1) % size;
  if (rank > 0) from[sources++] = 0;
  for (int r = 1; rank == 0 && r < size; ++r) to[targets++] = r;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, sources, from, weights, targets, to, weights, MPI_INFO_NULL, 0, &graph);
  MPI_Dist_graph_neighbors_count(graph, &sources, &targets, &weighted);
  show("Dist_graph_neighbors", (int[]){sources, targets}, 2);
  exchange(graph);
  MPI_Comm_free(&graph);
  const int edges = targets;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &edges, to, weights, MPI_INFO_NULL, 0, &graph);
  MPI_Dist_graph_neighbors_count(graph, &sources, &targets, &weighted);
  show("Dist_graph_create", (int[]){sources, targets}, 2);
  MPI_Comm_free(&graph);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > kMaxNeighbours) MPI_Abort(MPI_COMM_WORLD, 2);
  on_a_torus();
  on_a_graph();
  MPI_Finalize();
  return 0;
}
