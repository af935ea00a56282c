// The initial metric: B_0 = scale M^{-1} for a matrix M of the user's, such as the inner product of a function space.
#pragma once

#include <petscksp.h>
#include <petsctao.h>

#include "loa/linear_operator.h"
#include "placed_array.h"
#include "settings.h"

namespace loa_tao {

// Products with M^{-1} by a KSP: that of the user, or one of its own for a Mat, with the prefix tao_loa_metric_.
class Metric {
 public:
  Metric() = default;
  ~Metric();
  Metric(const Metric&) = delete;
  Metric& operator=(const Metric&) = delete;

  // Looks for the metric that the settings ask for. Called with the solution of the Tao at the start of a run.
  PetscErrorCode set_up(Tao tao, MetricSource source);

  bool exists() const { return ksp_ != nullptr; }
  KSP ksp() const { return ksp_; }

  // out = M^{-1} v. Collective.
  PetscErrorCode apply(const loa::Vector& v, loa::Vector& out);

 private:
  PetscErrorCode make_ksp(Tao tao, Mat M, Mat preconditioner);

  KSP ksp_ = nullptr;
  Vec v_ = nullptr, out_ = nullptr;
  PlacedArray::Way way_ = PlacedArray::Way::kCopy;
};

}  // namespace loa_tao
