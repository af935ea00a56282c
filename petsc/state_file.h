// The states of a distributed run, one file for each process: PREFIX.RANK.
//
// A file is one line of text, "loa_tao 1 RANK SIZE GNORM0" with the norm of the gradient at the start in hexadecimal,
// and the bytes of loa's state (docs/formats.md) after it. TAO measures gttol against GNORM0.
#pragma once

#include <string>

#include "loa/error.h"
#include "loa/state.h"
#include "mpi_reduction.h"

namespace loa_tao {

struct SavedRun {
  loa::State state;
  double grad_norm_start = 0.0;
};

std::string state_path(const std::string& prefix, int rank);

// Writing is atomic: an interrupted save leaves the old file.
loa::Error save_run(const std::string& prefix, const MpiReduction& processes, const loa::State& state,
                    double grad_norm_start);
loa::Error load_run(const std::string& prefix, const MpiReduction& processes, SavedRun& run);

}  // namespace loa_tao
