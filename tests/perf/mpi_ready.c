/* Tells when MPI_Init has returned: writes the monotonic clock in nanoseconds to FOLDER/<rank>. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char** argv) {
  int rank = 0;
  struct timespec now;
  char path[512];
  MPI_Init(&argc, &argv);
  clock_gettime(CLOCK_MONOTONIC, &now);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s/%d", argc > 1 ? argv[1] : ".", rank);
  FILE* file = fopen(path, "w");
  if (file) {
    fprintf(file, "%lld\n", (long long)now.tv_sec * 1000000000LL + now.tv_nsec);
    fclose(file);
  }
  MPI_Finalize();
  return file ? 0 : 1;
}
