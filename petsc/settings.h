// What a user may choose for the TAO types of loa: -tao_loa_... in the options database.
#pragma once

#include <petsctao.h>

#include <string>

#include "loa/options.h"

namespace loa_tao {

// Where the initial metric comes from; see metric.h.
enum class MetricSource { kComposed, kHessian, kNone };

struct Settings {
  std::string algorithm;  // empty: l-bfgs+d, or l-bfgs+ with a metric
  std::string line_search;
  std::string weights;
  loa::Safeguard safeguard = loa::Safeguard::kOn;
  PetscInt memory = 10;
  PetscInt num_threads = 1;  // of each process
  MetricSource metric = MetricSource::kComposed;
  std::string save;         // where states go, as PREFIX.RANK; empty: nowhere
  PetscInt save_every = 0;  // iterations; 0: at the end alone
  std::string resume;       // where a state comes from
};

// Reads the options database. `fixed_algorithm`: the type itself says which algorithm it is, and no option changes
// that.
PetscErrorCode set_from_options(PetscOptionItems* PetscOptionsObject, bool fixed_algorithm, Settings& settings);

}  // namespace loa_tao
