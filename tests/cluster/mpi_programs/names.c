/* Names that one rank publishes and another, on another host, looks up; and two halves of the world that meet at a port.
 * "die N": rank N ends with code 5 where the others wait for it at the port. */
#include <string.h>
#include <unistd.h>

#include "show.h"

static int rank, size;

static int class_of(int code) {
  int class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  return class;
}

static int lookup(const char* name, char* port) { return class_of(MPI_Lookup_name(name, MPI_INFO_NULL, port)); }

/* The last rank looks up as soon as it hears that the name is there. */
static void publish_and_look_up(void) {
  char port[MPI_MAX_PORT_NAME] = "", published[MPI_MAX_PORT_NAME] = "";
  const int last = size - 1;
  int class = MPI_SUCCESS;
  if (rank == 0) {
    strcpy(published, "the port of rank 0");
    MPI_Publish_name("here", MPI_INFO_NULL, published);
  }
  MPI_Bcast(published, sizeof published, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == last) class = lookup("here", port);
  show_one("lookup", class == MPI_SUCCESS);
  show_one("the same", strcmp(port, published) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == last) class = lookup("nobody has this", port);
  show_one("unknown name", class == MPI_ERR_NAME);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_Unpublish_name("here", MPI_INFO_NULL, published);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == last) class = lookup("here", port);
  show_one("after unpublish", class == MPI_ERR_NAME);
}

static void meet_at_a_port(int victim) {
  const int upper = rank >= size / 2;
  char port[MPI_MAX_PORT_NAME] = "";
  int sum = 0, class = MPI_SUCCESS;
  MPI_Comm side, other = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &side);
  if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
  MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == victim) _exit(5);
  class = class_of(upper ? MPI_Comm_connect(port, MPI_INFO_NULL, 0, side, &other)
                         : MPI_Comm_accept(port, MPI_INFO_NULL, 0, side, &other));
  show_one("accept or connect", class);
  if (class == MPI_SUCCESS) {
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, other);
    MPI_Comm_disconnect(&other);
  }
  show_one("sum of the other side", sum);
  if (rank == 0) MPI_Close_port(port);
  MPI_Comm_free(&side);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  publish_and_look_up();
  meet_at_a_port(argc > 2 && strcmp(argv[1], "die") == 0 ? atoi(argv[2]) : -1);
  MPI_Finalize();
  return 0;
}
