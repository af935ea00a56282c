// loa's own algorithms, as a user runs them.
#include <algorithm>
#include <string>

#include "loa/minimize.h"
#include "loa/threads.h"
#include "peer.h"

namespace bench {
namespace {

class Adapter final : public loa::Objective {
 public:
  explicit Adapter(Function& f) : f_(f) {}
  loa::Index dimension() const override { return f_.dimension(); }
  double value_and_gradient(const loa::Vector& x, loa::Vector& grad) override {
    return f_.value_and_gradient(x.data(), grad.data());
  }
  double value(const loa::Vector& x) override { return f_.value(x.data()); }

 private:
  Function& f_;
};

Solver solver(const std::string& algorithm, Kind kind, int threads) {
  const auto run = [=](const Task& task) {
    loa::set_num_threads(threads);
    Adapter f(task.f);
    const loa::Vector start = loa::Vector::Map(task.start.data(), f.dimension());
    loa::Options options;
    options.algorithm = algorithm;
    options.hyper_parameters.memory = task.memory;
    options.gtol = task.gtol;
    options.max_iterations = task.iterations;
    return static_cast<int>(loa::minimize(f, start, options).iterations);
  };
  return {threads == 1 ? algorithm : algorithm + "@" + std::to_string(threads), kind, run};
}

}  // namespace

std::vector<Solver> solvers() {
  std::vector<Solver> list;
  for (const int threads : {1, 2}) {
    for (const char* algorithm : {"auto", "bfgs", "bfgs+", "bfgs+d", "loa", "loa-bfgs"})
      list.push_back(solver(algorithm, Kind::kDense, threads));
    for (const char* algorithm : {"l-bfgs", "l-bfgs+d", "l-bfgs+", "loa-l-bfgs"})
      list.push_back(solver(algorithm, Kind::kLimited, threads));
  }
  return list;
}

}  // namespace bench
