// Counts the all-reduces of a program: loaded before MPI by LD_PRELOAD, it stands between the program and MPI, and
// process 0 prints `all_reduces=...` at the end. Those over one process alone are not counted.
#include <mpi.h>

#include <cstdio>

namespace {

long num_all_reduces = 0;

void count(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  if (size > 1) ++num_all_reduces;
}

}  // namespace

extern "C" {

int MPI_Allreduce(const void* in, void* out, int count_of_numbers, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  count(comm);
  return PMPI_Allreduce(in, out, count_of_numbers, type, operation, comm);
}

int MPI_Iallreduce(const void* in, void* out, int count_of_numbers, MPI_Datatype type, MPI_Op operation, MPI_Comm comm,
                   MPI_Request* request) {
  count(comm);
  return PMPI_Iallreduce(in, out, count_of_numbers, type, operation, comm, request);
}

int MPI_Finalize() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("all_reduces=%ld\n", num_all_reduces);
  return PMPI_Finalize();
}

}  // extern "C"
