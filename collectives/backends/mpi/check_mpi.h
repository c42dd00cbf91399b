// The one place where results of MPI calls become errors.
#pragma once

namespace ds {

// Throws kInternal "collectives: what: MPI's own text" unless `code` is MPI_SUCCESS.
void check_mpi(int code, const char* what);

}  // namespace ds
