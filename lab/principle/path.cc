#include "principle/path.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "algorithm/stopping.h"
#include "base/numbers.h"
#include "loa/minimize.h"

namespace loa {
namespace {

// f in another arithmetic: see Calibration.
class Jittered final : public Objective {
 public:
  // `size`: of a coordinate. A rotation mixes coordinates and a translation adds to them, so that each gets the
  // rounding of the largest.
  Jittered(Objective& f, double size, std::uint64_t seed) : f_(f), size_(size), random_(seed) {}

  Index dimension() const override { return f_.dimension(); }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    const double f = f_.value_and_gradient(moved(x), grad);
    for (double& entry : grad) entry *= 1.0 + noise();
    return f * (1.0 + noise());
  }
  double value(const Vector& x) override { return f_.value(moved(x)) * (1.0 + noise()); }
  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override {
    if (!f_.hessian_vector(moved(x), v, out)) return false;
    const double largest = inf_norm(out);
    for (double& entry : out) entry += largest * noise();
    return true;
  }
  bool hessian(const Vector& x, Matrix& hessian) override {
    if (!f_.hessian(moved(x), hessian)) return false;
    const double largest = hessian.cwiseAbs().maxCoeff();
    for (Index j = 0; j < hessian.cols(); ++j)
      for (Index i = j; i < hessian.rows(); ++i) hessian(j, i) = hessian(i, j) += largest * noise();
    return true;
  }

 private:
  double noise() { return random_.uniform(-2.0 * kEpsilon, 2.0 * kEpsilon); }
  const Vector& moved(const Vector& x) {
    moved_ = x;
    const double size = std::max(size_, inf_norm(x));
    for (double& entry : moved_) entry += size * noise();
    return moved_;
  }

  Objective& f_;
  double size_;
  Random random_;
  Vector moved_;
};

class Inside final : public Objective {
 public:
  Inside(std::unique_ptr<Objective> f, Vector lower, Vector upper)
      : f_(std::move(f)), lower_(std::move(lower)), upper_(std::move(upper)) {}

  Index dimension() const override { return f_->dimension(); }
  double value_and_gradient(const Vector& x, Vector& grad) override { return f_->value_and_gradient(inside(x), grad); }
  double value(const Vector& x) override { return f_->value(inside(x)); }
  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override {
    return f_->hessian_vector(inside(x), v, out);
  }
  bool hessian(const Vector& x, Matrix& hessian) override { return f_->hessian(inside(x), hessian); }

 private:
  const Vector& inside(const Vector& x) {
    inside_ = x;
    project(Bounds(lower_, upper_), inside_);
    return inside_;
  }

  std::unique_ptr<Objective> f_;
  Vector lower_, upper_, inside_;
};

}  // namespace

std::unique_ptr<Objective> make_inside(const CheckedProblem& problem) {
  std::unique_ptr<Objective> f = problem.make();
  if (!has_bound(problem.lower, problem.upper)) return f;
  return std::make_unique<Inside>(std::move(f), problem.lower, problem.upper);
}

FirstPair make_first_pair(const CheckedProblem& problem, Objective& f) {
  Options options{.algorithm = "gradient-descent", .gtol = 0.0, .max_iterations = 0};
  if (has_bound(problem.lower, problem.upper)) {
    options.algorithm = "bfgs";
    options.lower = problem.lower;
    options.upper = problem.upper;
  }
  const Summary first = minimize(f, problem.start, options);
  if (first.state.x_prev.size() != problem.start.size())
    throw std::invalid_argument(problem.name + ": expected a start from which a first step can be made; " +
                                std::string(message(first.status)));
  return {.x_prev = first.state.x_prev, .x = first.state.x, .lower = options.lower, .upper = options.upper};
}

Input first_input(const Algorithm& algorithm, Objective& objective, const FirstPair& pair) {
  CountedObjective f(objective);
  const std::optional<Bounds> bounds = pair.bounds();
  State state = initial_state(algorithm, f, pair, bounds ? &*bounds : nullptr);
  Input input;
  algorithm.oracle->observe(f, state, input);
  return input;
}

State initial_state(const Algorithm& algorithm, CountedObjective& f, const FirstPair& pair, const Bounds* bounds) {
  State state;
  state.bounds = bounds;
  state.algorithm = algorithm.name;
  state.x_prev = pair.x_prev;
  state.x = pair.x;
  state.grad_prev.setConstant(pair.x.size(), std::numeric_limits<double>::quiet_NaN());
  state.grad = state.grad_prev;
  state.f_prev = f.value_and_gradient(state.x_prev, state.grad_prev);
  state.f = f.value_and_gradient(state.x, state.grad);
  state.direction_prev = state.x - state.x_prev;
  state.f_start = state.lowest_f = state.f_at_progress = state.f_prev;
  state.grad_inf_norm_start = state.lowest_grad_inf_norm = projected_inf_norm(bounds, state.x_prev, state.grad_prev);
  note_progress(state, projected_inf_norm(bounds, state.x, state.grad));
  algorithm.storage->initialize(state);
  return state;
}

Path record_path(const Algorithm& algorithm, Objective& objective, const FirstPair& pair, const CheckedMode& mode,
                 std::int64_t iterations) {
  Path path;
  Options options{.line_search = mode.line_search, .safeguard = mode.safeguard};
  options.gtol = 0.0;
  options.max_iterations = iterations;
  options.observer = [&path](const Progress& progress) {
    path.push_back(progress.x);
    return Continue::kYes;
  };
  CountedObjective f(objective);
  const std::optional<Bounds> bounds = pair.bounds();
  run(algorithm, f, initial_state(algorithm, f, pair, bounds ? &*bounds : nullptr), options);
  return path;
}

void cut_where_diverged(Path& path, const Vector& x_prev) {
  constexpr double kFar = 1e6;  // times the first step
  const double first = distance(path.front(), x_prev);
  const auto end = std::ranges::find_if(path, [&](const Vector& x) { return !(distance(x, x_prev) <= kFar * first); });
  path.erase(end, path.end());
}

std::vector<double> deviations(const Path& path, const Vector& x_prev, const Path& other, const Transform* transform) {
  std::vector<double> result;
  double travelled = 0.0;
  for (std::size_t k = 0; k < path.size(); ++k) {
    travelled = std::max(travelled, distance(path[k], x_prev));
    const Vector& x = other[std::min(k, other.size() - 1)];
    const double deviation = distance(transform ? transform->inverse_point(x) : x, path[k]) / travelled;
    result.push_back(std::isfinite(deviation) ? deviation : std::numeric_limits<double>::infinity());
  }
  return result;
}

Calibration::Calibration(const Algorithm& algorithm, Objective& f, const FirstPair& pair, const CheckedMode& mode,
                         const Path& path, std::uint64_t seed)
    : tolerances_(path.size(), kEpsilon) {
  for (int i = 0; i < kNumJitters; ++i) {
    Jittered jittered(f, pair.size(), seed + static_cast<std::uint64_t>(i));
    const Path other = record_path(algorithm, jittered, pair, mode, static_cast<std::int64_t>(path.size()) - 1);
    const std::vector<double> difference = deviations(path, pair.x_prev, other, nullptr);
    for (std::size_t k = 0; k < path.size(); ++k) tolerances_[k] = std::max(tolerances_[k], difference[k]);
  }
  double largest = 0.0;
  for (double& tolerance : tolerances_) tolerance = kSafety * (largest = std::max(largest, tolerance));
  double travelled = distance(path.front(), pair.x_prev);
  while (horizon_ + 1 < path.size() && tolerances_[horizon_ + 1] <= kCoarsest) {
    ++horizon_;
    travelled = std::max(travelled, distance(path[horizon_], pair.x_prev));
    if (!(distance(path[horizon_], path[horizon_ - 1]) > tolerances_[horizon_] * travelled)) {
      converged_ = true;
      break;
    }
  }
}

bool Calibration::is_informative() const {
  constexpr std::size_t kEnough = 3;
  const bool whole_run = converged_ || horizon_ + 1 == tolerances_.size();
  return horizon_ >= 1 && (whole_run || horizon_ >= kEnough);
}

}  // namespace loa
