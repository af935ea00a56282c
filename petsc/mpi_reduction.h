// loa's Reduction over an MPI communicator: one MPI_Allreduce for the sums and maxima of one place in the algorithm.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <vector>

#include "loa/reduction.h"

namespace loa_tao {

class MpiReduction final : public loa::Reduction {
 public:
  explicit MpiReduction(MPI_Comm comm);
  ~MpiReduction() override;
  MpiReduction(const MpiReduction&) = delete;
  MpiReduction& operator=(const MpiReduction&) = delete;

  void reduce(std::span<double> sums, std::span<double> maxima) const override;
  bool is_distributed() const override { return num_processes_ > 1; }

  int rank() const { return rank_; }
  int num_processes() const { return num_processes_; }
  std::int64_t num_calls() const { return num_calls_; }

 private:
  MPI_Datatype type_of(std::size_t num_doubles) const;

  MPI_Comm comm_;
  MPI_Op op_ = MPI_OP_NULL;
  int rank_ = 0, num_processes_ = 1;

  // Rewritten in each call; members so that nothing is allocated.
  mutable std::map<std::size_t, MPI_Datatype> types_;  // by the number of doubles
  mutable std::vector<double> buffer_;
  mutable std::int64_t num_calls_ = 0;
};

}  // namespace loa_tao
