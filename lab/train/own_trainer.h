// Training `loa` on the user's own problems: the members of one family, with data that change.
//
// Members are divided once: some train, some choose among what was trained (validation), and the others are for the
// report alone (test). The cost of weights on a member is, as in evolution_trainer.h,
//
//   log(evaluations/evaluations of the default), clipped to [-2.5, 2],
//
// with what `auto` takes as the default; or log(gap/gap of the default), where gap = f - f* after a budget of
// evaluations or seconds and f* is the lowest f that the default finds in ten times the budget. Two stages, each by
// CMA-ES (evolution.h): the three constants alone from theta = 0, then all weights, from the better of those and of the
// built-in weights. What validates best is tested, once. It comes back if the interval of its gain over the default on
// the members for the test lies below 1, and theta = 0, the default method, comes back otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "loa/train.h"
#include "train/evolution.h"
#include "train/own_members.h"
#include "train/trainer.h"

namespace loa {

class OwnTrainer final : public Trainer {
 public:
  // Throws std::invalid_argument on options that cannot work and on too few members.
  explicit OwnTrainer(const TrainingOptions& options);

  std::int64_t epoch() const { return report_.epoch; }  // generations done
  bool done() const override;
  EpochReport run_epoch() override;
  Weights best() const override;
  EpochReport report() const override { return report_; }
  void finish(TrainingResult& result) override;

  // The number of generations of each stage is part of the recipe.
  void save(TensorFile& file) const override;
  Error load(const TensorFile& file) override;

 private:
  enum class Stage { kConstants, kWeights };

  // What the default does on a member.
  struct Reference {
    std::int64_t evaluations = 0;  // max_evaluations where it fails
    bool is_limited_by_precision = false;
    double f = 0.0, lowest = 0.0;  // after the budget, and f*
  };

  bool costs_loss() const { return run_.max_seconds < kNoLimit || options_.own.loss_after_evaluations > 0; }
  bool is_under_way() const { return prepared_runs_ > 0 && runs_ > prepared_runs_; }
  Stage stage() const { return epoch() < constants_generations_ ? Stage::kConstants : Stage::kWeights; }
  std::vector<OwnOutcome> run(const std::vector<OwnCandidate>& candidates, const std::vector<OwnRun>& runs);
  // The runs of all candidates on the members.
  std::vector<OwnRun> runs_of(std::size_t candidates, const std::vector<std::uint64_t>& members) const;
  void prepare();
  // The default on members; those with an unusable start leave the list.
  void add_references(std::vector<std::uint64_t>& members);
  double cost(const Reference& reference, const OwnOutcome& outcome) const;
  OwnRow row_of(const std::string& name, const std::vector<OwnOutcome>& outcomes, const std::vector<double>& costs,
                const std::vector<double>& costs_of_constants) const;
  // costs[candidate][member]
  std::vector<std::vector<double>> costs_of(const std::vector<OwnCandidate>& candidates,
                                            const std::vector<std::uint64_t>& members,
                                            std::vector<OwnOutcome>* outcomes = nullptr);
  void add_series_rows(OwnReport& own, const std::vector<double>& costs_of_constants);
  std::vector<std::uint64_t> draw_batch() const;
  Evolution evolution_of(Stage stage, const Vector& start) const;
  Vector theta_of(const Vector& trained) const;
  void begin_stage_if_due();
  void validate(const Vector& theta);
  Weights weights_with(const Vector& theta) const;
  OwnProgress progress(const std::string& stage) const;
  void show(const std::string& stage) const;
  std::int64_t runs_to_come() const;
  std::int64_t test_runs() const;
  std::string verdict(const OwnRow& trained, const OwnRow& constants, bool kept) const;

  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

  TrainingOptions options_;
  Clock clock_;
  OwnSplit split_;
  OwnRunner runner_;
  OwnRun run_;  // limits of a run
  Weights zero_, builtin_;
  std::int64_t constants_generations_;
  std::int64_t left_out_ = 0;
  bool is_prepared_ = false;
  bool is_loaded_ = false;
  std::map<std::uint64_t, Reference> references_;
  std::int64_t evaluations_ = 0, runs_ = 0;
  double run_seconds_ = 0.0;  // of all runs, also of those side by side
  // Of the preparation, in which problems are made.
  std::int64_t prepared_runs_ = 0;
  double prepared_seconds_ = 0.0;

  // What a checkpoint holds.
  std::unique_ptr<Evolution> evolution_;
  Vector mean_;  // running mean of the stage, of the entries that are trained
  Vector constants_, best_theta_;
  double constants_loss_ = kNoLimit, start_loss_ = kNoLimit;
  std::vector<double> best_costs_;  // of best_theta_ on the members for validation
  EpochReport report_;
};

}  // namespace loa
