#include "collectives/backends/mpi/check_mpi.h"

#include <mpi.h>

#include <string>

#include "topology/base/error.h"

namespace ds {

void check_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  throw Error(ErrorCode::kInternal, "collectives: " + std::string(what) + ": " +
                                        (length > 0 ? std::string(text, length) : "error " + std::to_string(code)));
}

}  // namespace ds
