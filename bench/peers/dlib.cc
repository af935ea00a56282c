// dlib (King): find_min with bfgs_search_strategy and lbfgs_search_strategy. It asks for f and the gradient apart.
#include <dlib/optimization.h>

#include <algorithm>
#include <limits>

#include "peer.h"

namespace bench {
namespace {

using Column = dlib::matrix<double, 0, 1>;

// Asked once before each iteration.
class StopAfter {
 public:
  StopAfter(int iterations, int& made) : iterations_(iterations), made_(made) {}
  bool should_continue_search(const Column&, double, const Column&) {
    made_ = asked_;
    return asked_++ < iterations_;
  }

 private:
  int iterations_;
  int asked_ = 0;
  int& made_;
};

template <typename Strategy>
int run(const Task& task, const Strategy& strategy) {
  Column x(task.f.dimension());
  std::copy(task.start.begin(), task.start.end(), x.begin());
  int made = 0;
  const auto value = [&](const Column& at) { return task.f.value(at.begin()); };
  Column grad(task.f.dimension());
  const auto derivative = [&](const Column& at) -> const Column& {
    task.f.gradient(at.begin(), grad.begin());
    return grad;
  };
  try {
    dlib::find_min(strategy, StopAfter(task.iterations, made), value, derivative, x,
                   -std::numeric_limits<double>::max());
  } catch (const dlib::error&) {  // f was not finite
  }
  return made;
}

}  // namespace

std::vector<Solver> solvers() {
  return {{"bfgs", Kind::kDense, [](const Task& task) { return run(task, dlib::bfgs_search_strategy()); }},
          {"l-bfgs", Kind::kLimited, [](const Task& task) {
             return run(task, dlib::lbfgs_search_strategy(static_cast<unsigned long>(task.memory)));
           }}};
}

}  // namespace bench
