#include "train/own_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/parallel.h"
#include "base/text.h"
#include "linalg/tensor_file.h"
#include "loa/random.h"
#include "model/architecture.h"
#include "train/evolution.h"
#include "train/gain.h"
#include "train/learner.h"
#include "train/recipe.h"
#include "train/training_options.h"

namespace loa {
namespace {

constexpr char kOwnFormat[] = "loa-own-1";
// Of the default, in budgets, to find f*.
constexpr std::int64_t kBudgetsToLowest = 10;
// Members that are run first, to say how long all will take.
constexpr std::size_t kProbed = 4;
// Three numbers need no more, and a wider start: their zones begin at 0.1 (model/invariant_controller.h).
constexpr std::int64_t kConstantsPopulation = 8;
constexpr double kConstantsSigma = 0.2;
constexpr char kBias[] = "bias";

const TrainingOptions& checked_for_own(const TrainingOptions& o) {
  const EvolutionTraining& e = o.evolution;
  const auto require = require_for_training;
  require(static_cast<bool>(o.problems), "problems of one's own for the preset own");
  require(o.trainer == TrainerKind::kEvolution && o.algorithm == "loa",
          "the preset own, the trainer evolution and the algorithm loa for problems of one's own; found " +
              quote(o.preset) + ", " + quote(word_of(o.trainer)) + " and " + quote(o.algorithm));
  require(!o.own_model && o.start.empty(), "no model and no start of one's own beside problems of one's own");
  require(e.families.empty(), "families or problems of one's own, not both");
  require(o.problems.count >= 0, "a number of problems of 0 or more");
  require(o.functions >= 0 && o.test_functions >= 0 && o.own.held_out >= 0,
          "functions, test_functions and held_out of 0 or more");
  require(o.epochs >= 3 && e.validate_every >= 1, "at least three generations, and one between validations");
  require(o.batch >= 1, "a batch of at least one");
  require(e.population >= 4 && e.population % 2 == 0, "a population that is even and at least 4");
  require(e.sigma > 0 && std::isfinite(e.sigma), "a positive sigma");
  require(e.gtol > 0 && std::isfinite(e.gtol) && e.max_evaluations >= 1, "a positive gtol and at least one evaluation");
  require(e.harm >= 1 && std::isfinite(e.harm), "a harm of 1 or more");
  require(o.threads >= 0, "threads of 0 or more");
  require(o.average >= 0 && o.average < 1, "an average in [0, 1)");
  require(o.own.loss_after_evaluations >= 0 && o.own.loss_after_seconds >= 0 && o.own.budget_seconds >= 0,
          "loss_after_evaluations, loss_after_seconds and budget_seconds of 0 or more");
  require(o.own.loss_after_evaluations == 0 || o.own.loss_after_seconds == 0,
          "loss_after_evaluations or loss_after_seconds, not both");
  return o;
}

Recipe recipe_of_own(const TrainingOptions& o) {
  const EvolutionTraining& e = o.evolution;
  Recipe text = {{"trainer", word_of(o.trainer)},
                 {"algorithm", o.algorithm},
                 {"preset", o.preset},
                 {"seed", std::to_string(o.seed)},
                 {"problems", o.problems.name},
                 {"count", std::to_string(o.problems.count)},
                 {"functions", std::to_string(o.functions)},
                 {"test_functions", std::to_string(o.test_functions)},
                 {"held_out", std::to_string(o.own.held_out)},
                 {"generations", std::to_string(o.epochs)},
                 {"batch", std::to_string(o.batch)},
                 {"population", std::to_string(e.population)},
                 {"sigma", real_text(e.sigma)},
                 {"covariance", e.full_covariance ? "full" : "separable"},
                 {"validate_every", std::to_string(e.validate_every)},
                 {"gtol", real_text(e.gtol)},
                 {"max_evaluations", std::to_string(e.max_evaluations)},
                 {"average", real_text(o.average)},
                 {"harm", real_text(e.harm)}};
  if (o.own.loss_after_evaluations > 0) text["loss_after_evaluations"] = std::to_string(o.own.loss_after_evaluations);
  if (o.own.loss_after_seconds > 0) text["loss_after_seconds"] = real_text(o.own.loss_after_seconds);
  return text;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

std::vector<double> differences(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i] - b[i];
  return result;
}

Weights controller_weights(const std::string& name) {
  Weights weights;
  if (name.empty()) {
    const Architecture& architecture = architecture_for("loa");
    return make_weights(architecture, architecture.starts.front().theta(0));
  }
  if (const Error error = find_weights(name, weights)) throw std::invalid_argument(error.message());
  return weights;
}

// The entries of the three constants, or of all.
std::vector<Index> entries_of(const Weights& weights, bool constants_alone) {
  std::vector<Index> entries;
  for (const ParameterBlock& block : weights.blocks)
    if (!constants_alone || block.name == kBias)
      for (Index i = 0; i < block.rows * block.cols; ++i) entries.push_back(block.offset + i);
  return entries;
}

}  // namespace

OwnTrainer::OwnTrainer(const TrainingOptions& options)
    : options_(checked_for_own(options)),
      split_(split_members(options)),
      runner_(options.own.runner ? options.own.runner : own_runner(options.problems, options.threads)),
      zero_(controller_weights("")),
      builtin_(controller_weights("loa")),
      constants_generations_(options.epochs / 3),
      constants_(zero_.theta),
      best_theta_(zero_.theta) {
  const EvolutionTraining& e = options_.evolution;
  run_ = {.gtol = e.gtol, .max_evaluations = e.max_evaluations};
  if (options_.own.loss_after_evaluations > 0) run_.max_evaluations = options_.own.loss_after_evaluations;
  if (options_.own.loss_after_seconds > 0) run_.max_seconds = options_.own.loss_after_seconds;
  if (costs_loss()) run_.gtol = 0.0;  // a run that has converged by gtol could still lower f
  report_.best_loss = report_.test_loss = kNoLimit;
  evolution_ = std::make_unique<Evolution>(evolution_of(Stage::kConstants, zero_.theta));
  mean_ = evolution_->mean();
}

Evolution OwnTrainer::evolution_of(Stage stage, const Vector& start) const {
  const EvolutionTraining& e = options_.evolution;
  const bool constants = stage == Stage::kConstants;
  return Evolution(start(entries_of(zero_, constants)),
                   {.population = constants ? std::min(e.population, kConstantsPopulation) : e.population,
                    .sigma = constants ? kConstantsSigma : e.sigma,
                    .covariance = e.full_covariance ? Covariance::kFull : Covariance::kSeparable,
                    .sampling = Sampling::kMirrored,
                    .seed = options_.seed});
}

bool OwnTrainer::done() const {
  if (epoch() >= options_.epochs) return true;
  if (options_.own.budget_seconds == 0.0 || runs_ == 0) return false;
  // The runs of the report belong to the budget.
  const double each = clock_.seconds() / static_cast<double>(runs_);
  return clock_.seconds() + each * static_cast<double>(test_runs()) >= options_.own.budget_seconds;
}

// --- runs ----------------------------------------------------------------------------------------------------------

std::vector<OwnOutcome> OwnTrainer::run(const std::vector<OwnCandidate>& candidates, const std::vector<OwnRun>& runs) {
  std::vector<OwnOutcome> outcomes = runner_(candidates, runs);
  if (outcomes.size() != runs.size())
    throw std::invalid_argument("train: expected " + std::to_string(runs.size()) + " outcomes of the runner, found " +
                                std::to_string(outcomes.size()));
  for (const OwnOutcome& outcome : outcomes) {
    evaluations_ += outcome.evaluations;
    run_seconds_ += outcome.seconds;
  }
  runs_ += static_cast<std::int64_t>(runs.size());
  return outcomes;
}

std::vector<OwnRun> OwnTrainer::runs_of(std::size_t candidates, const std::vector<std::uint64_t>& members) const {
  std::vector<OwnRun> runs;
  for (const std::uint64_t member : members) {
    OwnRun run = run_;
    run.member = member;
    // Beyond e^2 times the default the cost is the highest one, whatever follows.
    const auto found = references_.find(member);
    if (found != references_.end() && !costs_loss()) {
      const double enough = std::ceil(std::exp(kHighestCost) * static_cast<double>(found->second.evaluations));
      if (enough < static_cast<double>(run.max_evaluations)) run.max_evaluations = static_cast<std::int64_t>(enough);
    }
    for (run.candidate = 0; run.candidate < candidates; ++run.candidate) runs.push_back(run);
  }
  return runs;
}

void OwnTrainer::add_references(std::vector<std::uint64_t>& members) {
  std::vector<std::uint64_t> usable;
  const std::vector<OwnOutcome> outcomes = run({OwnCandidate{}}, runs_of(1, members));
  for (std::size_t i = 0; i < members.size(); ++i) {
    const OwnOutcome& outcome = outcomes[i];
    if (!outcome.is_usable) {
      ++left_out_;
      continue;
    }
    usable.push_back(members[i]);
    const bool solved = outcome.reached || outcome.reached_precision;
    references_[members[i]] = {
        .evaluations = solved ? std::max<std::int64_t>(outcome.evaluations, 1) : run_.max_evaluations,
        .is_limited_by_precision = outcome.reached_precision,
        .f = outcome.f,
        .lowest = outcome.f};
  }
  members = usable;
  if (!costs_loss()) return;
  std::vector<OwnRun> long_runs;
  for (const std::uint64_t member : members) {
    OwnRun longer = run_;
    longer.member = member;
    longer.max_evaluations *= options_.own.loss_after_evaluations > 0 ? kBudgetsToLowest : 1;
    longer.max_seconds *= static_cast<double>(kBudgetsToLowest);
    long_runs.push_back(longer);
  }
  const std::vector<OwnOutcome> found = run({OwnCandidate{}}, long_runs);
  for (std::size_t i = 0; i < members.size(); ++i) {
    double& lowest = references_[members[i]].lowest;
    if (found[i].f < lowest) lowest = found[i].f;
  }
}

double OwnTrainer::cost(const Reference& reference, const OwnOutcome& outcome) const {
  if (costs_loss()) {
    // Below some ulps of f a gap is round-off.
    const double floor =
        8.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(reference.f), std::abs(reference.lowest));
    const double gap = outcome.f - reference.lowest, of_reference = std::max(reference.f - reference.lowest, floor);
    if (!std::isfinite(gap)) return outcome.f < reference.lowest ? kLowestCost : kHighestCost;
    if (of_reference == 0.0) return gap > 0.0 ? kHighestCost : 0.0;
    return std::clamp(std::log(std::max(gap, floor) / of_reference), kLowestCost, kHighestCost);
  }
  const bool solved = outcome.reached || (outcome.reached_precision && reference.is_limited_by_precision);
  const std::int64_t evaluations = solved ? std::max<std::int64_t>(outcome.evaluations, 1) : run_.max_evaluations;
  const double ratio = static_cast<double>(evaluations) / static_cast<double>(reference.evaluations);
  return std::clamp(std::log(ratio), kLowestCost, kHighestCost);
}

std::vector<std::vector<double>> OwnTrainer::costs_of(const std::vector<OwnCandidate>& candidates,
                                                      const std::vector<std::uint64_t>& members,
                                                      std::vector<OwnOutcome>* outcomes) {
  const std::vector<OwnRun> runs = runs_of(candidates.size(), members);
  const std::vector<OwnOutcome> found = run(candidates, runs);
  std::vector<std::vector<double>> costs(candidates.size());
  for (std::size_t i = 0; i < runs.size(); ++i)
    costs[runs[i].candidate].push_back(cost(references_.at(runs[i].member), found[i]));
  if (outcomes != nullptr) *outcomes = found;
  return costs;
}

// --- training ------------------------------------------------------------------------------------------------------

void OwnTrainer::prepare() {
  if (is_prepared_) return;
  is_prepared_ = true;
  // A few first, to say how long it will take.
  std::vector<std::uint64_t> first(
      split_.training.begin(),
      split_.training.begin() + static_cast<std::ptrdiff_t>(std::min(kProbed, split_.training.size())));
  std::vector<std::uint64_t> rest(split_.training.begin() + static_cast<std::ptrdiff_t>(first.size()),
                                  split_.training.end());
  add_references(first);
  show("probe");
  add_references(rest);
  add_references(split_.validation);
  split_.training = first;
  split_.training.insert(split_.training.end(), rest.begin(), rest.end());
  require_for_training(split_.training.size() >= 2 && split_.validation.size() >= 2,
                       "at least 2 members with a finite f at their start for each of training and validation, found " +
                           std::to_string(split_.training.size()) + " and " + std::to_string(split_.validation.size()));
  show("default");
  prepared_runs_ = runs_;
  prepared_seconds_ = clock_.seconds();
  if (is_loaded_) {
    best_costs_ = costs_of({{"loa", best_theta_}}, split_.validation).front();
    return;
  }
  validate(zero_.theta);
  start_loss_ = constants_loss_ = report_.test_loss;
}

std::vector<std::uint64_t> OwnTrainer::draw_batch() const {
  // By the seed and the generation alone, so a checkpoint needs no generator.
  Random random(~options_.seed ^ (0xd1342543de82ef95ULL * static_cast<std::uint64_t>(epoch() + 1)));
  std::vector<std::uint64_t> members = split_.training;
  const auto batch = std::min(static_cast<std::size_t>(options_.batch), members.size());
  for (std::size_t i = 0; i < batch; ++i) std::swap(members[i], members[i + random.below(members.size() - i)]);
  members.resize(batch);
  return members;
}

Vector OwnTrainer::theta_of(const Vector& trained) const {
  Vector theta = zero_.theta;
  theta(entries_of(zero_, stage() == Stage::kConstants)) = trained;
  return theta;
}

// From the constants to all weights, which begin at the better of the constants and the built-in weights.
void OwnTrainer::begin_stage_if_due() {
  if (epoch() != constants_generations_) return;
  constants_ = best_theta_;
  constants_loss_ = report_.best_loss;
  const double of_constants = report_.test_loss;
  validate(builtin_.theta);
  report_.test_loss = of_constants;
  evolution_ = std::make_unique<Evolution>(evolution_of(Stage::kWeights, best_theta_));
  mean_ = evolution_->mean();
}

void OwnTrainer::validate(const Vector& theta) {
  const std::vector<double> costs = costs_of({{"loa", theta}}, split_.validation).front();
  report_.test_loss = mean_of(costs);
  if (!(report_.test_loss < report_.best_loss)) return;
  report_.best_loss = report_.test_loss;
  report_.best_epoch = epoch();
  best_theta_ = theta;
  best_costs_ = costs;
}

EpochReport OwnTrainer::run_epoch() {
  prepare();
  begin_stage_if_due();
  const std::vector<Vector>& samples = evolution_->ask();
  std::vector<OwnCandidate> candidates;
  for (const Vector& sample : samples) candidates.push_back({"loa", theta_of(sample)});
  std::vector<double> means;
  for (std::vector<double>& costs : costs_of(candidates, draw_batch())) {
    for (double& value : costs)
      if (value > 0.0) value *= options_.evolution.harm;
    means.push_back(mean_of(costs));
  }
  evolution_->tell(means);
  mean_ = options_.average * mean_ + (1.0 - options_.average) * evolution_->mean();

  const Vector theta = theta_of(mean_);
  ++report_.epoch;
  report_.train_loss = median_of(means);
  report_.lowest_batch = *std::min_element(means.begin(), means.end());
  report_.highest_batch = *std::max_element(means.begin(), means.end());
  const bool last_of_stage = epoch() == constants_generations_ || epoch() == options_.epochs;
  if (last_of_stage || epoch() % options_.evolution.validate_every == 0) validate(theta);
  show(epoch() <= constants_generations_ ? "constants" : "weights");
  return report_;
}

// --- progress and report -------------------------------------------------------------------------------------------

// The default, the built-in weights, the constants, the trained weights; and for the certificate the last one, or
// theta = 0; and the two series, over those members too on which the numbers of evaluations are chosen.
std::int64_t OwnTrainer::test_runs() const {
  constexpr std::int64_t kCompared = 4, kSeries = 2;
  const auto test = static_cast<std::int64_t>(split_.test.size());
  const auto validation = static_cast<std::int64_t>(split_.validation.size());
  const std::int64_t long_runs = costs_loss() ? kBudgetsToLowest * test : 0;
  return (kCompared + 1) * test + validation + kSeries * (test + validation) + long_runs;
}

std::int64_t OwnTrainer::runs_to_come() const {
  const EvolutionTraining& e = options_.evolution;
  const auto training = static_cast<std::int64_t>(split_.training.size());
  const auto validation = static_cast<std::int64_t>(split_.validation.size());
  const std::int64_t batch = std::min(options_.batch, training);
  const std::int64_t constants = std::max<std::int64_t>(constants_generations_ - epoch(), 0);
  const std::int64_t all = options_.epochs - std::max(epoch(), constants_generations_);
  std::int64_t runs = batch * (constants * std::min(e.population, kConstantsPopulation) + all * e.population);
  runs += validation * ((constants + all) / e.validate_every + 1) + test_runs();
  // Before the first generation: the default on all.
  if (epoch() == 0) runs += (training + validation) * (costs_loss() ? 1 + kBudgetsToLowest : 1);
  return runs;
}

OwnProgress OwnTrainer::progress(const std::string& stage) const {
  OwnProgress progress{.stage = stage, .generation = epoch(), .generations = options_.epochs};
  progress.evaluations = evaluations_;
  progress.seconds = clock_.seconds();
  if (stage == "test") {
    progress.expected_evaluations = evaluations_;
    progress.expected_seconds = progress.seconds;
  } else {
    const auto more = static_cast<double>(runs_to_come()), runs = static_cast<double>(runs_);
    // Making a problem may take longer than a run on it, so what counts is the time since they were made; and before
    // the first generation that of the runs themselves, as many of them side by side as there are threads.
    const double since = static_cast<double>(runs_ - prepared_runs_);
    const double each = is_under_way() ? (progress.seconds - prepared_seconds_) / since
                                       : run_seconds_ / runs / threads_or_default(options_.threads);
    progress.expected_evaluations = evaluations_ + std::llround(more * static_cast<double>(evaluations_) / runs);
    progress.expected_seconds = progress.seconds + more * each;
  }
  if (!best_costs_.empty()) progress.over_default = gain_of(best_costs_, options_.seed);
  return progress;
}

void OwnTrainer::show(const std::string& stage) const {
  if (options_.own.observer) options_.own.observer(progress(stage));
}

std::string OwnTrainer::verdict(const OwnRow& trained, const OwnRow& constants, bool kept) const {
  const std::string what = costs_loss() ? "of what the default leaves of f - f*" : "of the evaluations of the default";
  const std::string found = fmt::format("on {} members that were never seen the trained weights take {} {}",
                                        trained.over_default.members, text_of(trained.over_default), what);
  if (!kept)
    return "not kept: " + found +
           ", which is no gain that can be told from chance, so theta = 0 comes back, the default";
  if (best_theta_ == builtin_.theta)
    return "kept: " + found + "; they are the built-in weights, which training did not improve";
  if (best_theta_ == constants_)
    return "kept: " + found + "; they are the three constants alone, no more could be learned";
  if (trained.over_constants.high < 1.0)
    return "kept: " + found + ", and " + text_of(trained.over_constants) + " of those of the three constants alone";
  return "kept: " + found + "; the three constants alone, " + text_of(constants.over_default) +
         ", are not clearly worse";
}

OwnRow OwnTrainer::row_of(const std::string& name, const std::vector<OwnOutcome>& outcomes,
                          const std::vector<double>& costs, const std::vector<double>& costs_of_constants) const {
  OwnRow row{.name = name};
  std::vector<double> counts;
  for (const OwnOutcome& outcome : outcomes) {
    row.reached += outcome.reached ? 1 : 0;
    counts.push_back(static_cast<double>(outcome.evaluations));
  }
  row.median_evaluations = median_of(counts);
  row.over_default = gain_of(costs, options_.seed);
  row.over_constants = gain_of(differences(costs, costs_of_constants), options_.seed);
  return row;
}

// The members in the order of their numbers, which for a list is that of the user: neighbours may have much in common.
void OwnTrainer::add_series_rows(OwnReport& own, const std::vector<double>& costs_of_constants) {
  std::vector<std::size_t> order(split_.test.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [this](auto a, auto b) { return split_.test[a] < split_.test[b]; });
  std::vector<std::uint64_t> before = split_.validation;
  std::sort(before.begin(), before.end());

  const std::vector<std::string> names = {"series", "series trained"};
  const std::vector<OwnCandidate> candidates = {{}, {"loa", best_theta_}};
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    std::vector<OwnRun> runs;
    OwnRun one = run_;
    one.in_series = true;
    for (const std::uint64_t member : before) {
      one.member = member;
      runs.push_back(one);
    }
    for (const std::size_t i : order) {
      one.member = split_.test[i];
      runs.push_back(one);
    }
    const std::vector<OwnOutcome> found = run({candidates[c]}, runs);
    std::vector<OwnOutcome> outcomes(order.size());
    std::vector<double> costs(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      outcomes[order[i]] = found[before.size() + i];
      costs[order[i]] = cost(references_.at(split_.test[order[i]]), outcomes[order[i]]);
    }
    own.rows.push_back(row_of(names[c], outcomes, costs, costs_of_constants));
  }
}

void OwnTrainer::finish(TrainingResult& result) {
  prepare();
  if (epoch() < constants_generations_) constants_ = best_theta_;  // out of time, or stopped
  OwnReport& own = result.own;
  own.training = static_cast<std::int64_t>(split_.training.size());
  own.validation = static_cast<std::int64_t>(split_.validation.size());
  own.out_of_time = epoch() < options_.epochs && !result.stopped;
  const std::vector<std::uint64_t> all_for_test = split_.test;
  add_references(split_.test);
  own.test = static_cast<std::int64_t>(split_.test.size());
  require_for_training(own.test >= 2, "at least 2 members for the test with a finite f at their start, found " +
                                          std::to_string(own.test));

  const std::vector<std::string> names = {"default", "loa", "constants", "trained"};
  const std::vector<OwnCandidate> candidates = {{}, {"loa", builtin_.theta}, {"loa", constants_}, {"loa", best_theta_}};
  std::vector<OwnOutcome> outcomes;
  const std::vector<std::vector<double>> costs = costs_of(candidates, split_.test, &outcomes);
  for (std::size_t c = 0; c < names.size(); ++c) {
    std::vector<OwnOutcome> of_candidate;
    for (std::size_t i = c; i < outcomes.size(); i += names.size()) of_candidate.push_back(outcomes[i]);
    own.rows.push_back(row_of(names[c], of_candidate, costs[c], costs[2]));
  }
  add_series_rows(own, costs[2]);
  const OwnRow& trained = own.rows[3];
  own.kept = trained.over_default.high < 1.0;
  own.verdict = verdict(trained, own.rows[2], own.kept);

  // Two candidates can come back, and the members for the test choose between them.
  const CertifyOptions certify{.gtol = options_.evolution.gtol, .max_evaluations = options_.evolution.max_evaluations};
  const Vector& theta = own.kept ? best_theta_ : zero_.theta;
  const OwnRunner counted = [this](const std::vector<OwnCandidate>& of, const std::vector<OwnRun>& runs) {
    return run(of, runs);
  };
  own.certificate = certificate_for(counted, {"loa", theta}, split_.validation, all_for_test, certify, 2);
  own.left_out = left_out_;
  own.evaluations = evaluations_;
  own.seconds = clock_.seconds();
  result.weights = weights_with(theta);
  put_certificate(own.certificate, result.weights);
  result.weights.metadata["training.verdict"] = own.verdict;
  result.last = report_;
  show("test");
}

Weights OwnTrainer::weights_with(const Vector& theta) const {
  Weights weights = zero_;
  weights.theta = theta;
  put_recipe(recipe_of_own(options_), report_, weights);
  weights.metadata["training.start_loss"] = real_text(start_loss_);
  return weights;
}

Weights OwnTrainer::best() const { return weights_with(best_theta_); }

// --- checkpoints ---------------------------------------------------------------------------------------------------

void OwnTrainer::save(TensorFile& file) const {
  put_recipe(recipe_of_own(options_), kOwnFormat, file);
  evolution_->save(file);
  file.put("mean", mean_);
  file.put("constants", constants_);
  file.put("best_theta", best_theta_);
  file.put_scalar("start_loss", start_loss_);
  file.put_scalar("constants_loss", constants_loss_);
  file.put_integer("generation", report_.epoch);
  file.put_integer("evaluations", evaluations_);
  put_losses(report_, file);
}

Error OwnTrainer::load(const TensorFile& file) {
  if (Error error = check_recipe(recipe_of_own(options_), kOwnFormat, "a training on one's own problems", file))
    return error;
  Vector mean, constants, best_theta;
  double start_loss = 0.0, constants_loss = 0.0;
  std::int64_t evaluations = 0;
  EpochReport report;
  const bool complete = file.get("mean", mean) && file.get("constants", constants) &&
                        file.get("best_theta", best_theta) && file.get_scalar("start_loss", start_loss) &&
                        file.get_scalar("constants_loss", constants_loss) && get_losses(file, report) &&
                        file.get_count("generation", report.epoch) && file.get_count("evaluations", evaluations);
  if (!complete || report.epoch > options_.epochs || report.best_epoch > report.epoch)
    return "expected a whole checkpoint";
  const Stage of_file = report.epoch <= constants_generations_ ? Stage::kConstants : Stage::kWeights;
  auto evolution = std::make_unique<Evolution>(evolution_of(of_file, zero_.theta));
  if (Error error = evolution->load(file)) return error;
  for (const Vector* theta : {&constants, &best_theta})
    if (theta->size() != zero_.theta.size() || !theta->allFinite()) return "expected a whole checkpoint";
  if (mean.size() != evolution->mean().size() || !mean.allFinite()) return "expected a whole checkpoint";
  evolution_ = std::move(evolution);
  mean_ = mean;
  constants_ = constants;
  best_theta_ = best_theta;
  start_loss_ = start_loss;
  constants_loss_ = constants_loss;
  report_ = report;
  evaluations_ = evaluations;
  is_loaded_ = true;
  return {};
}

}  // namespace loa
