// What a series knows, and what it learns from a solve.
//
// With x* the solution of the problem just solved, x1 and x2 those of the two before, the evidence is
//
//   start   log(|x0 - x*|/|x1 - x*|)                       was the last solution nearer than x0?
//   factor  <x* - x1, x1 - x2>/|x1 - x2|^2                 how far the path went on, in steps
//   path    log(|x1 - x*|/|x1 + factor (x1 - x2) - x*|)    with the factor of before: was that point nearer still?
//   cost    log(evaluations)                               of solves without B
//
// each the mean over the solves so far, and from the kWindow-th on a running mean that forgets. A logarithm counts
// kLargestGain at most, as one pair does for the diagonal (linalg/adaptive_diagonal.h).
//
// B has misled where the run gave it up (algorithm/warm_step.h), and where the run succeeded with B but took more than
// twice the evaluations of solves without it, which may have been easier ones. After the k-th time in a row the next
// 2^(k-1) - 1 solves are without B, so that a family in which B is never of use pays for it in log2 of its solves, and
// one bad member costs no more than itself. Measured on six sequences of each family of problem/families.h, evaluations
// of the cold runs: logistic 0.330 (0.337 with 2^k - 1), process 0.690 (0.726), control 0.475 (0.497), inverse 0.622
// (0.683). Everything is a ratio without unit.
#pragma once

#include <cstdint>
#include <string>

#include "linalg/tensor_file.h"
#include "loa/series.h"

namespace loa {

// A mean that becomes a running one.
struct RunningMean {
  double value = 0.0;
  std::int64_t count = 0;

  void add(double number);
};

class Series::Memory {
 public:
  void learn(const Vector& x0, bool tried_B, const Summary& summary, const Options& options);

  Index dimension() const { return last_.size(); }
  bool knows_a_point() const { return num_points_ > 0; }
  bool trusts_B() const { return B_.has_B() && report.pause == 0; }
  bool trusts_path() const { return path_gain_.count > 0 && path_gain_.value > 0.0; }
  // The last solution alone, without its B, is worth beginning from where it was at most half as far as x0.
  bool trusts_start() const;
  // x0 was at most half as far as the last solution, and nearer than the path: the user knows how solutions move, as in
  // predictive control, where the last one is moved on in time. B then begins there. Measured (loa reproduce --only
  // families): family:control 0.47 of the cold evaluations, and 0.50 with B at the last solution.
  bool trusts_given() const;

  const WarmStart& B() const { return B_; }
  const Vector& last() const { return last_; }
  Vector on_path() const { return last_ + path_factor_.value * (last_ - before_); }

  TensorFile tensors() const;
  // No error, or what is wrong with the file.
  Error take(const TensorFile& file);

  SeriesReport report;

 private:
  void learn_places(const Vector& x0, const Vector& solution, const Reduction& reduction);
  void learn_cost(bool tried_B, const Summary& summary);
  void show_evidence();
  template <typename Self, typename Visit>
  static void for_each_member(Self& self, Visit visit);

  Vector last_, before_;         // solutions
  std::int64_t num_points_ = 0;  // 2: both are there, 1: the first one, 0: none
  WarmStart B_;                  // at the last solution
  RunningMean start_gain_, path_gain_, path_factor_, log_cost_;
  std::int64_t times_misled_ = 0;  // in a row
};

}  // namespace loa
