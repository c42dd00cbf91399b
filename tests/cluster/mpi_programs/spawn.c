/* Every rank asks for another process of its own and says whether that was refused. argv[1] = "fatal": all ask together,
 * and an error ends the job. */
#include <string.h>

#include "show.h"

int main(int argc, char** argv) {
  MPI_Comm children = MPI_COMM_NULL;
  int class = MPI_SUCCESS;
  MPI_Init(&argc, &argv);
  const int together = argc > 1 && strcmp(argv[1], "fatal") == 0;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const int code = MPI_Comm_spawn("/bin/true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0,
                                  together ? MPI_COMM_WORLD : MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  show_one("spawn refused", class == MPI_ERR_SPAWN);
  MPI_Finalize();
  return 0;
}
