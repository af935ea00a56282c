// Reads a state, and runs it on a small problem when it is one.
#include <algorithm>
#include <stdexcept>

#include "fuzz/target.h"
#include "loa/minimize.h"
#include "loa/state.h"

namespace loa::fuzz {
namespace {

// sum x_i^4/4 + x_i^2/2, and all derivatives.
class Quartic final : public Objective {
 public:
  explicit Quartic(Index n) : n_(n) {}
  Index dimension() const override { return n_; }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    grad = x.array().cube() + x.array();
    return 0.25 * x.array().square().square().sum() + 0.5 * x.squaredNorm();
  }
  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override {
    out = (3.0 * x.array().square() + 1.0) * v.array();
    return true;
  }
  bool hessian(const Vector& x, Matrix& hessian) override {
    hessian = (3.0 * x.array().square() + 1.0).matrix().asDiagonal();
    return true;
  }

 private:
  Index n_;
};

// An algorithm of the registry, and the hash with which its states are written.
struct Named {
  Algorithm algorithm;
  std::int64_t hash = 0;
};

const Named* find_named(const std::string& name, const Options& options) {
  static std::map<std::pair<std::string, Safeguard>, Named> made;
  const auto key = std::pair(name, options.safeguard);
  if (const auto found = made.find(key); found != made.end()) return &found->second;
  if (std::ranges::none_of(algorithms(), [&](const AlgorithmInfo& info) { return info.name == name; })) return nullptr;
  Named named;
  named.algorithm = make_algorithm(name);
  Quartic f(1);
  Options one = options;
  one.max_evaluations = 1;
  try {
    named.hash = minimize(f, Vector::Ones(1), named.algorithm, one).state.configuration_hash;
  } catch (const std::invalid_argument&) {
    return nullptr;  // no such safeguard for this algorithm
  }
  return &made.emplace(key, std::move(named)).first->second;
}

void run_from(State state) {
  constexpr Index kLargestDimension = 16;
  constexpr std::int64_t kMoreEvaluations = 6;
  Options options;
  if (state.guarantee.applies) options.safeguard = Safeguard::kSpectrum;
  const Named* named = find_named(state.algorithm, options);
  if (named == nullptr || state.dimension() > kLargestDimension) return;
  state.configuration_hash = named->hash;
  options.gtol = 0.0;
  options.max_evaluations = std::max<std::int64_t>(state.evaluations.value, 0) + kMoreEvaluations;
  options.max_iterations = state.iteration + kMoreEvaluations;
  Quartic f(state.dimension());
  try {
    const Summary summary = resume(f, state, named->algorithm, options);
    require(summary.x.size() == state.dimension() && summary.evaluations.value >= 0 && summary.iterations >= 0,
            "a summary that fits the state", summary.message);
  } catch (const std::invalid_argument&) {  // a state of something else
  }
}

}  // namespace
}  // namespace loa::fuzz

LOA_FUZZ_TARGET(state) {
  loa::State state;
  const std::string error = loa::state_from_bytes(loa::fuzz::tensor_bytes(bytes), state).message();
  loa::fuzz::require_error_line(error, "state: ");
  if (!error.empty()) return false;
  loa::State again;
  const std::string second = loa::state_from_bytes(loa::state_bytes(state), again).message();
  loa::fuzz::require(second.empty(), "a state that was read can be written and read", second);
  loa::fuzz::run_from(std::move(state));
  return true;
}
