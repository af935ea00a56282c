// What an epoch of preset paper costs, as ratios within one run: forward and backward against the plain forward runs of
// the same problems, and two threads against one.
//
// Each figure is the least of several repetitions that take turns, so that other work on the machine disturbs all
// alike.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

#include "loa/minimize.h"
#include "loa/train.h"
#include "model/pooled_network.h"
#include "train/training_problems.h"
#include "train/unroll_trainer.h"

namespace {

constexpr int kRepetitions = 15;

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The least time of each.
std::vector<double> least(const std::vector<std::function<void()>>& works) {
  std::vector<double> result(works.size(), std::numeric_limits<double>::infinity());
  for (int repetition = 0; repetition <= kRepetitions; ++repetition)
    for (std::size_t i = 0; i < works.size(); ++i) {
      const double time = seconds(works[i]);
      if (repetition > 0) result[i] = std::min(result[i], time);  // the first one warms up
    }
  return result;
}

// Alg. 2 on one of the problems as a user runs it.
void run_algorithm(const loa::TrainingProblem& problem, std::int64_t iterations) {
  loa::Options options;
  options.algorithm = "loa-bfgs";
  options.weights = "bfgs-like";
  options.line_search = "fixed";
  options.safeguard = loa::Safeguard::kOff;
  options.first_step = problem.first_step;
  options.gtol = 0.0;
  options.max_iterations = iterations;
  const loa::Summary summary = loa::minimize(*problem.objective, problem.start, options);
  if (summary.iterations != iterations) {
    fmt::print(stderr, "a run ended after {} iterations: {}\n", summary.iterations, summary.message);
    std::exit(1);
  }
}

}  // namespace

int main() {
  loa::TrainingOptions options = loa::training_preset("paper");
  const loa::UnrollOptions unroll;
  const std::vector<loa::TrainingProblem> problems = loa::training_set(options, unroll);
  const loa::PooledNetwork model(loa::PooledNetwork::bfgs_like_start(0));
  // Objectives have workspaces, so a second thread needs problems of its own.
  const std::vector<loa::TrainingProblem> problems_again = loa::training_set(options, unroll);
  loa::Unroller unroller, unroller_again;
  loa::Vector gradient = loa::Vector::Zero(model.theta().size());
  options.threads = 1;
  loa::UnrollTrainer one(options);
  options.threads = 2;
  loa::UnrollTrainer two(options);

  const auto forward = [&] {
    for (const auto& problem : problems) unroller.loss(problem, model, unroll);
  };
  const auto forward_again = [&] {
    for (const auto& problem : problems_again) unroller_again.loss(problem, model, unroll);
  };
  const std::vector<double> times = least({
      [&] {
        for (const auto& problem : problems) unroller.loss_and_gradient(problem, model, unroll, gradient);
      },
      forward,
      [&] {
        for (const auto& problem : problems) run_algorithm(problem, unroll.iterations);
      },
      [&] { one.run_epoch(); },
      [&] { two.run_epoch(); },
      [&] {
        const std::jthread other(forward_again);
        forward();
      },
  });
  fmt::print("{} problems, n = {}, K = {}; least of {} repetitions\n", problems.size(), options.unroll.dimension,
             options.unroll.iterations, kRepetitions);
  fmt::print("forward and backward, one thread     {:8.2f} ms\n", 1e3 * times[0]);
  fmt::print("forward alone (the loss)             {:8.2f} ms   ratio {:.2f}\n", 1e3 * times[1], times[0] / times[1]);
  fmt::print("forward alone (minimize)             {:8.2f} ms   ratio {:.2f}   (at most 5)\n", 1e3 * times[2],
             times[0] / times[2]);
  fmt::print("epoch with test loss, one thread     {:8.2f} ms\n", 1e3 * times[3]);
  fmt::print("epoch with test loss, two threads    {:8.2f} ms   {:.2f} times faster   (at least 1.7)\n", 1e3 * times[4],
             times[3] / times[4]);
  fmt::print("for comparison, two threads with nothing in common are {:.2f} times faster on this machine now\n",
             2.0 * times[1] / times[5]);
  fmt::print("seconds of an epoch's forward and backward on one thread: {:.6f}\n", times[0]);
}
