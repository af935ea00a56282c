#include "train/evolution_trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/numbers.h"
#include "base/parallel.h"
#include "base/text.h"
#include "linalg/tensor_file.h"
#include "loa/minimize.h"
#include "loa/random.h"
#include "model/pooled_network_weights.h"
#include "train/evolution.h"
#include "train/evolution_problems.h"
#include "train/learner.h"
#include "train/recipe.h"
#include "train/training_options.h"

namespace loa {
namespace {

constexpr char kEvolutionFormat[] = "loa-evolution-1";

const TrainingOptions& checked_for_evolution(const TrainingOptions& o) {
  const EvolutionTraining& e = o.evolution;
  const auto require = require_for_training;
  require(o.epochs >= 1 && e.validate_every >= 1, "at least one generation, and one between validations");
  require(o.functions >= 1 && o.test_functions >= 1, "at least one function and one test function");
  require(o.batch >= 1 && o.batch <= o.functions, "a batch of at least one and at most all functions");
  require(e.population >= 4 && e.population % 2 == 0, "a population that is even and at least 4");
  require(e.sigma > 0 && std::isfinite(e.sigma), "a positive sigma");
  require(e.gtol > 0 && std::isfinite(e.gtol) && e.max_evaluations >= 1, "a positive gtol and at least one evaluation");
  require(e.harm >= 1 && std::isfinite(e.harm), "a harm of 1 or more");
  require(o.threads >= 0, "threads of 0 or more");
  require(o.average >= 0 && o.average < 1, "an average in [0, 1)");
  require(std::ranges::any_of(algorithms(),
                              [&e](const AlgorithmInfo& info) {
                                return info.name == e.reference && !info.learned && !info.needs_hessian;
                              }),
          "a classical algorithm without Hessians as the reference; found " + quote(e.reference));
  check_model(o);
  return o;
}

// Where theta starts, with what else the file says about the model. Metadata of an earlier training is dropped.
Weights start_of(const TrainingOptions& o) {
  if (o.own_model) return {o.own_start, {{"theta", 1, o.own_start.size(), 0}}, {}};
  Weights weights = start_weights(o);
  std::erase_if(weights.metadata, [](const auto& entry) {
    return entry.first.starts_with("training.") || entry.first == "seed" || entry.first == "loa_version";
  });
  drop_certificate(weights);
  if (o.pole_guard > 0) weights.metadata[kPoleGuard] = real_text(o.pole_guard);
  return weights;
}

// The entries of theta in the blocks that are named.
std::vector<Index> entries_of(const Weights& weights, const std::vector<std::string>& only) {
  std::vector<std::string> known;
  for (const ParameterBlock& block : weights.blocks) known.push_back(block.name);
  for (const std::string& name : only)
    require_for_training(std::find(known.begin(), known.end(), name) != known.end(),
                         "only: blocks among " + join(known) + "; found " + quote(name));
  std::vector<Index> entries;
  for (const ParameterBlock& block : weights.blocks)
    if (only.empty() || std::find(only.begin(), only.end(), block.name) != only.end())
      for (Index i = 0; i < block.rows * block.cols; ++i) entries.push_back(block.offset + i);
  return entries;
}

EvolutionOptions evolution_options(const TrainingOptions& o) {
  const EvolutionTraining& e = o.evolution;
  return {.population = e.population,
          .sigma = e.sigma,
          .covariance = e.full_covariance ? Covariance::kFull : Covariance::kSeparable,
          .sampling = Sampling::kMirrored,
          .seed = o.seed};
}

Recipe recipe_of_evolution(const TrainingOptions& o) {
  const EvolutionTraining& e = o.evolution;
  Recipe text = {{"trainer", word_of(o.trainer)},
                 {"algorithm", o.algorithm},
                 {"preset", o.preset},
                 {"start", o.start},
                 {"seed", std::to_string(o.seed)},
                 {"families", families_text(o)},
                 {"functions", std::to_string(o.functions)},
                 {"test_functions", std::to_string(o.test_functions)},
                 {"batch", std::to_string(o.batch)},
                 {"population", std::to_string(e.population)},
                 {"sigma", real_text(e.sigma)},
                 {"covariance", e.full_covariance ? "full" : "separable"},
                 {"validate_every", std::to_string(e.validate_every)},
                 {"gtol", real_text(e.gtol)},
                 {"max_evaluations", std::to_string(e.max_evaluations)}};
  // What was not always an option is named where it differs from what was.
  if (e.harm != 1.0) text["harm"] = real_text(e.harm);
  if (e.reference != "bfgs") text["reference"] = e.reference;
  if (e.smallest_n > 0) text["n"] = std::to_string(e.smallest_n) + " to " + std::to_string(e.largest_n);
  if (o.average > 0) text["average"] = real_text(o.average);
  if (!e.only.empty()) text["only"] = join(e.only);
  if (o.pole_guard > 0) text["pole_guard"] = real_text(o.pole_guard);
  return text;
}

double with_harm(double cost, double harm) { return cost > 0.0 ? harm * cost : cost; }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

EvolutionTrainer::EvolutionTrainer(const TrainingOptions& options)
    : options_(checked_for_evolution(options)),
      start_(start_of(options)),
      trained_(entries_of(start_, options.evolution.only)),
      reference_(make_algorithm(options.evolution.reference)),
      threads_(threads_or_default(options.threads)),
      training_(make_instances(training_specs(options, ProblemSet::kTraining))),
      validation_(make_instances(training_specs(options, ProblemSet::kTest))),
      evolution_(start_.theta(trained_), evolution_options(options)),
      mean_(evolution_.mean()),
      best_theta_(start_.theta),
      start_loss_(kInfinity) {
  run_.gtol = options_.evolution.gtol;
  run_.max_evaluations = options_.evolution.max_evaluations;
  report_.best_loss = report_.test_loss = kInfinity;
  algorithm_with(start_.theta);  // throws here rather than in a sample
}

std::vector<EvolutionTrainer::Instance> EvolutionTrainer::make_instances(const std::vector<std::string>& specs) {
  std::vector<Instance> instances(specs.size());
  parallel_for(static_cast<Index>(specs.size()), threads_, [&](Index index, int) {
    const auto i = static_cast<std::size_t>(index);
    if (const Error error = make_problem(specs[i], instances[i].problem))
      throw std::invalid_argument("train: " + error.message());
  });
  return instances;
}

std::vector<std::size_t> EvolutionTrainer::draw_batch() const {
  // By the seed and the generation alone, so a checkpoint needs no generator.
  Random random(~options_.seed ^ (0xd1342543de82ef95ULL * static_cast<std::uint64_t>(epoch() + 1)));
  std::vector<std::size_t> order(training_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto batch = static_cast<std::size_t>(options_.batch);
  for (std::size_t i = 0; i < batch; ++i) std::swap(order[i], order[i + random.below(order.size() - i)]);
  order.resize(batch);
  return order;
}

Vector EvolutionTrainer::whole_theta(const Vector& trained) const {
  Vector theta = start_.theta;
  theta(trained_) = trained;
  return theta;
}

Weights EvolutionTrainer::weights_with(const Vector& theta) const {
  Weights weights = start_;
  weights.theta = theta;
  return weights;
}

Algorithm EvolutionTrainer::algorithm_with(const Vector& theta) const {
  if (!options_.own_model) return make_algorithm(options_.algorithm, run_.hyper_parameters, weights_with(theta));
  Algorithm algorithm = make_algorithm(options_.algorithm, run_.hyper_parameters);
  algorithm.model = options_.own_model(theta);
  return algorithm;
}

double EvolutionTrainer::cost(Instance& instance, const Algorithm& algorithm) const {
  Objective& f = *instance.problem.objective;
  if (instance.reference == 0) {
    const Summary run = minimize(f, instance.problem.start, reference_, run_);
    instance.is_limited_by_precision = run.status == Status::kConvergedToWorkingPrecision;
    instance.reference = run.success() ? run.evaluations.value : options_.evolution.max_evaluations;
  }
  // Beyond e^2 times the reference the cost is the highest one, whatever follows.
  const double enough = std::ceil(std::exp(kHighestCost) * static_cast<double>(instance.reference));
  Options limited = run_;
  if (enough < static_cast<double>(run_.max_evaluations)) limited.max_evaluations = static_cast<std::int64_t>(enough);
  const Summary run = minimize(f, instance.problem.start, algorithm, limited);
  const bool converged = run.success() && (run.status != Status::kConvergedToWorkingPrecision ||
                                           run.grad_inf_norm <= run_.gtol || instance.is_limited_by_precision);
  const std::int64_t evaluations = converged ? run.evaluations.value : options_.evolution.max_evaluations;
  const double ratio = static_cast<double>(evaluations) / static_cast<double>(instance.reference);
  return std::clamp(std::log(ratio), kLowestCost, kHighestCost);
}

EpochReport EvolutionTrainer::run_epoch() {
  if (epoch() == 0) {
    start_loss_ = report_.test_loss = validate();
    keep_if_best(start_loss_);
  }
  const std::vector<Vector>& samples = evolution_.ask();
  std::vector<Algorithm> algorithms;
  for (const Vector& sample : samples) algorithms.push_back(algorithm_with(whole_theta(sample)));

  // A task is a problem with all samples: an objective belongs to one thread at a time.
  const std::vector<std::size_t> batch = draw_batch();
  std::vector<std::vector<double>> costs(samples.size(), std::vector<double>(batch.size()));
  parallel_for(static_cast<Index>(batch.size()), threads_, [&](Index index, int) {
    const auto i = static_cast<std::size_t>(index);
    for (std::size_t sample = 0; sample < samples.size(); ++sample)
      costs[sample][i] = with_harm(cost(training_[batch[i]], algorithms[sample]), options_.evolution.harm);
  });
  std::vector<double> means;
  for (const std::vector<double>& of_sample : costs) means.push_back(mean(of_sample));
  evolution_.tell(means);
  mean_ = options_.average * mean_ + (1.0 - options_.average) * evolution_.mean();

  ++report_.epoch;
  report_.train_loss = median(means);
  report_.lowest_batch = *std::min_element(means.begin(), means.end());
  report_.highest_batch = *std::max_element(means.begin(), means.end());
  if (epoch() % options_.evolution.validate_every == 0 || done()) {
    report_.test_loss = validate();
    keep_if_best(report_.test_loss);
  }
  return report_;
}

double EvolutionTrainer::validate() {
  const Algorithm algorithm = algorithm_with(whole_theta(mean_));
  std::vector<double> costs(validation_.size());
  parallel_for(static_cast<Index>(costs.size()), threads_, [&](Index index, int) {
    const auto i = static_cast<std::size_t>(index);
    costs[i] = cost(validation_[i], algorithm);
  });
  return mean(costs);
}

void EvolutionTrainer::keep_if_best(double validation) {
  if (!(validation < report_.best_loss)) return;
  report_.best_loss = validation;
  report_.best_epoch = epoch();
  best_theta_ = whole_theta(mean_);
}

Weights EvolutionTrainer::best() const {
  Weights weights = weights_with(best_theta_);
  put_recipe(recipe_of_evolution(options_), report_, weights);
  weights.metadata["training.epochs"] = std::to_string(options_.epochs);
  weights.metadata["training.start_loss"] = real_text(start_loss_);
  return weights;
}

void EvolutionTrainer::save(TensorFile& file) const {
  put_recipe(recipe_of_evolution(options_), kEvolutionFormat, file);
  evolution_.save(file);
  file.put("mean", mean_);
  file.put("best_theta", best_theta_);
  file.put_scalar("start_loss", start_loss_);
  put_losses(report_, file);
}

Error EvolutionTrainer::load(const TensorFile& file) {
  if (Error error = check_recipe(recipe_of_evolution(options_), kEvolutionFormat, "a training by evolution", file))
    return error;
  Vector mean, best_theta;
  double start_loss = 0.0;
  EpochReport report;
  const bool complete = file.get("mean", mean) && file.get("best_theta", best_theta) &&
                        file.get_scalar("start_loss", start_loss) && get_losses(file, report) &&
                        file.get_count("evolution.generation", report.epoch);
  if (!complete || best_theta.size() != start_.theta.size() || !best_theta.allFinite() || mean.size() != mean_.size() ||
      !mean.allFinite())
    return "expected a whole checkpoint";
  if (report.epoch > options_.epochs)
    return "expected at most " + std::to_string(options_.epochs) + " generations, found " +
           std::to_string(report.epoch);
  if (report.best_epoch > report.epoch) return "expected counts that fit together";
  if (Error error = evolution_.load(file)) return error;
  mean_ = mean;
  best_theta_ = best_theta;
  start_loss_ = start_loss;
  report_ = report;
  return {};
}

}  // namespace loa
