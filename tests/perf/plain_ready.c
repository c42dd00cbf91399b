// A program that knows nothing of MPI: writes when it has begun into FOLDER/<rank>, and stays for a second, because
// mpirun may never end when some of many programs end while it still starts others.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  char path[4096];
  struct timespec now;
  if (argc < 2 || !rank) return 2;
  clock_gettime(CLOCK_MONOTONIC, &now);
  snprintf(path, sizeof path, "%s/%s", argv[1], rank);
  FILE* file = fopen(path, "w");
  if (!file) return 1;
  fprintf(file, "%lld\n", (long long)now.tv_sec * 1000000000LL + now.tv_nsec);
  fclose(file);
  sleep(1);
  return 0;
}
