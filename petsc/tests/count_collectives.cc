// MPI's profiling interface: these functions hide MPI's own, which have a second name with P in front. PETSc's headers,
// which make macros of the same names, stay out.
#include "count_collectives.h"

#include <mpi.h>

namespace {

long count = 0;

}  // namespace

long num_collectives() { return count; }

extern "C" {

int MPI_Allreduce(const void* in, void* out, int num, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++count;
  return PMPI_Allreduce(in, out, num, type, op, comm);
}

int MPI_Iallreduce(const void* in, void* out, int num, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* done) {
  ++count;
  return PMPI_Iallreduce(in, out, num, type, op, comm, done);
}

int MPI_Reduce(const void* in, void* out, int num, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  ++count;
  return PMPI_Reduce(in, out, num, type, op, root, comm);
}

int MPI_Bcast(void* buffer, int num, MPI_Datatype type, int root, MPI_Comm comm) {
  ++count;
  return PMPI_Bcast(buffer, num, type, root, comm);
}

int MPI_Allgather(const void* in, int num_in, MPI_Datatype type_in, void* out, int num_out, MPI_Datatype type_out,
                  MPI_Comm comm) {
  ++count;
  return PMPI_Allgather(in, num_in, type_in, out, num_out, type_out, comm);
}

int MPI_Barrier(MPI_Comm comm) {
  ++count;
  return PMPI_Barrier(comm);
}

}  // extern "C"
