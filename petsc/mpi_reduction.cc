// A message is one element of MPI, the number of its sums and then sums and maxima, so that MPI cannot cut it and one
// operation serves both.
#include "mpi_reduction.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace loa_tao {
namespace {

void require(int code, const char* call) {
  if (code != MPI_SUCCESS) throw std::runtime_error(std::string(call) + " failed");
}

// inout = in + inout for sums, max(in, inout) for maxima, in which a NaN wins.
void combine(void* in, void* inout, int* num, MPI_Datatype* type) {
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  const std::size_t size = static_cast<std::size_t>(bytes) / sizeof(double);
  for (int element = 0; element < *num; ++element) {
    const double* a = static_cast<const double*>(in) + static_cast<std::size_t>(element) * size;
    double* b = static_cast<double*>(inout) + static_cast<std::size_t>(element) * size;
    const auto first_maximum = 1 + static_cast<std::size_t>(b[0]);
    for (std::size_t i = 1; i < first_maximum; ++i) b[i] += a[i];
    for (std::size_t i = first_maximum; i < size; ++i)
      if (a[i] > b[i] || std::isnan(a[i])) b[i] = a[i];
  }
}

}  // namespace

MpiReduction::MpiReduction(MPI_Comm comm) : comm_(comm) {
  require(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  require(MPI_Comm_size(comm, &num_processes_), "MPI_Comm_size");
  require(MPI_Op_create(&combine, 1, &op_), "MPI_Op_create");
}

MpiReduction::~MpiReduction() {
  for (auto& [size, type] : types_) MPI_Type_free(&type);
  MPI_Op_free(&op_);
}

MPI_Datatype MpiReduction::type_of(std::size_t num_doubles) const {
  const auto [entry, is_new] = types_.try_emplace(num_doubles, MPI_DATATYPE_NULL);
  if (is_new) {
    require(MPI_Type_contiguous(static_cast<int>(num_doubles), MPI_DOUBLE, &entry->second), "MPI_Type_contiguous");
    require(MPI_Type_commit(&entry->second), "MPI_Type_commit");
  }
  return entry->second;
}

void MpiReduction::reduce(std::span<double> sums, std::span<double> maxima) const {
  if (!is_distributed()) return;
  ++num_calls_;
  buffer_.assign(1, static_cast<double>(sums.size()));
  buffer_.insert(buffer_.end(), sums.begin(), sums.end());
  buffer_.insert(buffer_.end(), maxima.begin(), maxima.end());
  require(MPI_Allreduce(MPI_IN_PLACE, buffer_.data(), 1, type_of(buffer_.size()), op_, comm_), "MPI_Allreduce");
  const auto first_maximum = buffer_.begin() + 1 + static_cast<std::ptrdiff_t>(sums.size());
  std::copy(buffer_.begin() + 1, first_maximum, sums.begin());
  std::copy(first_maximum, buffer_.end(), maxima.begin());
}

}  // namespace loa_tao
