// The options of a training by name, in one list, which the flags of `loa train` and Python walk.
#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "loa/train.h"

namespace loa {

// The words for enums, in the order of their values.
template <class Enum>
inline constexpr const char* kWords[] = {nullptr};
template <>
inline constexpr const char* kWords<TrainerKind>[] = {"unroll", "evolution"};
template <>
inline constexpr const char* kWords<TrainingFunctions>[] = {"quadratics", "gaussian"};
template <>
inline constexpr const char* kWords<TrainingLoss>[] = {"bfgs", "objective"};

template <class Enum>
std::string word_of(Enum value) {
  return kWords<Enum>[static_cast<std::size_t>(value)];
}

template <class Enum>
std::vector<std::string> words_of() {
  return {std::begin(kWords<Enum>), std::end(kWords<Enum>)};
}

// Returns false on a word that there is not.
template <class Enum>
bool parse_word(std::string_view word, Enum& value) {
  for (std::size_t i = 0; i < std::size(kWords<Enum>); ++i) {
    if (word != kWords<Enum>[i]) continue;
    value = static_cast<Enum>(i);
    return true;
  }
  return false;
}

// Calls visit(name, member, help) for each option but a model of one's own. A new option is a member, a row here, and
// what its trainer writes into the recipe.
template <class Options, class Visit>
void for_each_training_option(Options& o, Visit visit) {
  visit("preset", o.preset, "Where the defaults below come from");
  visit("algorithm", o.algorithm, "What to train; alone it chooses the preset of that name, or paper");
  visit("trainer", o.trainer, "unroll, or evolution, whose options are the last ones");
  visit("seed", o.seed, "Of the problems, the batches and the start");
  visit("epochs", o.epochs, "Passes over the training set, or generations");
  visit("start", o.start, "random, other weights by name or file; loa-bfgs: bfgs-like, sr1-like; empty: its first");
  visit("pole_guard", o.pole_guard, "Width of the guard that takes y = d near a pole of the update; 0: none");
  visit("functions", o.functions, "Problems to train on");
  visit("test_functions", o.test_functions, "Problems for the test loss");
  visit("batch", o.batch, "Problems in a mini-batch, or a generation");
  visit("average", o.average, "Memory of a running mean of theta, which is kept instead of it; 0: off");
  visit("threads", o.threads, "0: all cores; the result does not depend on it");

  auto& u = o.unroll;
  visit("problems", u.problems, "quadratics, or gaussian: ||Wx - y||^2");
  visit("rescale", u.rescale, "Take f(c x), each c_i = exp(t), |t| at most this");
  visit("loss", u.loss, "bfgs: log(1 + gap/gap of BFGS), or objective: f");
  visit("starts", u.starts, "Starts for each of the problems");
  visit("dimension", u.dimension, "Of the quadratics");
  visit("low_min", u.low_min, "Least lambda_min");
  visit("low_max", u.low_max, "Largest lambda_min");
  visit("high_min", u.high_min, "Least lambda_max");
  visit("high_max", u.high_max, "Largest lambda_max");
  visit("iterations", u.iterations, "K, how far to unroll");
  visit("window", u.window, "Iterations between two losses, and between detaching");
  visit("detach_B", u.detach_B, "At the end of a window: 1 or 0");
  visit("detach_x", u.detach_x, "Likewise");
  visit("detach_gradient", u.detach_gradient, "Likewise, the stored one");
  visit("through_gradient", u.through_gradient, "Differentiate grad f: 1 or 0");
  visit("learning_rate", u.learning_rate, "Of the fully connected layers");
  visit("linear_learning_rate", u.linear_learning_rate, "Of the linear layer");
  visit("final_rate", u.final_rate, "Fraction of the rates at the last epoch, along a cosine");
  visit("clip", u.clip, "Largest norm of a gradient; 0: no clipping");
  visit("beta1", u.beta1, "Of Adam");
  visit("beta2", u.beta2, "Of Adam");
  visit("best_by_test", u.best_by_test, "Choose the best epoch by the test loss: 1 or 0");

  auto& e = o.evolution;
  visit("families", e.families, "SPECs that take a seed, separated by ';'; empty: the synthetic ones");
  visit("smallest_n", e.smallest_n, "Of the synthetic problems; 0: as they draw it");
  visit("largest_n", e.largest_n, "Likewise");
  visit("origins", e.origins, "Train on problems of another origin too, and validate on the kind left out: 1 or 0");
  visit("harm", e.harm, "What a loss against the reference counts, where a gain counts 1");
  visit("reference", e.reference, "The classical algorithm whose evaluations are 1");
  visit("only", e.only, "Blocks of theta to train, separated by ','; empty: all");
  visit("population", e.population, "Samples in a generation");
  visit("sigma", e.sigma, "Deviation of the weights at the start");
  visit("full_covariance", e.full_covariance, "Instead of a diagonal: 1 or 0");
  visit("validate_every", e.validate_every, "Generations");
  visit("gtol", e.gtol, "The tolerance to which problems are solved");
  visit("max_evaluations", e.max_evaluations, "A failure counts as so many");

  auto& own = o.own;
  visit("held_out", own.held_out, "Of one's own problems, members for the report alone; 0: by shares");
  visit("loss_after_evaluations", own.loss_after_evaluations, "Own problems: cost is f - f* after so many; 0: off");
  visit("loss_after_seconds", own.loss_after_seconds, "Likewise after a time");
  visit("budget_seconds", own.budget_seconds, "Own problems: end training after about this time; 0: no limit");
}

// The member of that name. REQUIRES: there is one, of type T.
template <class T>
T& training_option(TrainingOptions& options, std::string_view name) {
  T* found = nullptr;
  for_each_training_option(options, [&](const char* other, auto& member, const char*) {
    if constexpr (std::is_same_v<decltype(member), T&>)
      if (name == other) found = &member;
  });
  return *found;
}

}  // namespace loa
