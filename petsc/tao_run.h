// One TaoSolve(): loa's loop on the slice of each process, with TAO's objective, monitors and convergence test.
//
// TAO's iteration 0 is the user's start; loa's iterate x_k, which follows a first step along -g, is TAO's iteration k
// + 1.
//
// An error on one process ends the run on all of them. Errors of the objective travel in loa's own all-reduces, as
// exceptions of the objective. An error of a monitor or of the metric waits for the next of those: the process goes on
// until then, so that the others do not wait for it.
#pragma once

#include <petsc/private/taoimpl.h>

#include <cstdint>
#include <string>

#include "loa/minimize.h"
#include "loa/summary.h"
#include "metric.h"
#include "mpi_reduction.h"
#include "placed_array.h"
#include "settings.h"
#include "state_file.h"

namespace loa_tao {

// What -tao_view says about the last run.
struct LastRun {
  std::string algorithm, line_search, message;
  loa::Fallbacks fallbacks;
  std::int64_t iterations = 0, evaluations = 0;
  std::int64_t num_all_reduces = 0;
  bool has_metric = false;
  loa::WarmStart warm;  // B of the run, for the next one with -tao_recycle_history
};

class TaoRun final : private loa::Objective {
 public:
  TaoRun(Tao tao, const Settings& settings);

  // Begins with the B of an earlier run, at the solution of the Tao, where its slices are those of this run. Called
  // before solve(), by all processes.
  void recycle(const loa::WarmStart& warm) { recycled_ = warm; }

  // Collective. Returns the same code on all processes, or one on those with an error and one on those that hear of it.
  PetscErrorCode solve(LastRun& last);

 private:
  loa::Index dimension() const override { return n_; }
  double value_and_gradient(const loa::Vector& x, loa::Vector& grad) override;

  loa::Options make_options();
  PetscErrorCode prepare();
  PetscErrorCode take_bounds();
  PetscErrorCode start(bool& goes_on);
  PetscErrorCode report(PetscReal f, PetscReal grad_norm, PetscReal step);
  PetscErrorCode measure_residual(PetscReal& grad_norm);
  double free_gradient_norm(const loa::Vector& x, const loa::Vector& grad) const;
  PetscErrorCode evaluate(const loa::Vector& x, double& f, loa::Vector& grad);
  PetscErrorCode run(LastRun& last);
  PetscErrorCode finish(const loa::Summary& summary);
  PetscErrorCode agree(PetscErrorCode own, const char* what);
  loa::Continue observe(const loa::Progress& progress);
  void keep(PetscErrorCode code);
  void save(const loa::State& state);

  Tao tao_;
  const Settings& settings_;
  MpiReduction processes_;
  Metric metric_;
  SavedRun saved_;
  loa::WarmStart recycled_;
  loa::Index n_ = 0;
  loa::Vector lower_, upper_;  // bounds on the variables of this slice; empty: none
  PlacedArray::Way way_ = PlacedArray::Way::kCopy;
  bool start_is_known_ = false;  // f and the gradient of the start, for the first evaluation that loa asks for
  double f_start_ = 0.0;
  double grad_norm_start_ = 0.0;
  PetscErrorCode waiting_ = 0;  // an error that the other processes do not know of yet
};

// How a run that loa itself has ended is called in TAO; docs/petsc.md has the table.
TaoConvergedReason reason_for(loa::Status status);

}  // namespace loa_tao
