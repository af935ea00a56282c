// A line search of one's own: backtracking to the first of the steps t, t/2, t/4, ... with phi(step) <= c1 step phi'(0)
// (Armijo 1966).
#include <loa/loa.h>

#include <cstdio>

class Armijo final : public loa::LineSearch {
 public:
  std::string name() const override { return "armijo"; }
  loa::WolfeConstants constants() const override { return constants_; }

  loa::LineSearchOutcome search(loa::Ray& ray, double first_trial, loa::Trial& accepted) const override {
    constexpr int kMaxTrials = 60;  // down to the round-off of the first trial
    double step = first_trial;
    for (int i = 0; i < kMaxTrials; ++i, step *= 0.5) {
      if (ray.exhausted()) return loa::LineSearchOutcome::kExhausted;
      accepted = ray.evaluate(step);
      if (ray.met_minus_infinity()) return loa::LineSearchOutcome::kUnbounded;
      // A trial that is not finite has phi = NaN, which fails the test.
      if (!(accepted.phi <= constants_.c1 * step * ray.slope0())) continue;
      ray.accept(accepted);
      return loa::LineSearchOutcome::kAccepted;
    }
    return loa::LineSearchOutcome::kFailed;
  }

 private:
  loa::WolfeConstants constants_;
};

// The extended Rosenbrock function: a sum over pairs of variables.
double rosenbrock(const loa::Vector& x, loa::Vector& grad) {
  double f = 0;
  for (loa::Index i = 0; i < x.size(); i += 2) {
    const double a = 1 - x[i], b = x[i + 1] - x[i] * x[i];
    f += a * a + 100 * b * b;
    grad[i] = -2 * a - 400 * x[i] * b;
    grad[i + 1] = 200 * b;
  }
  return f;
}

int main() {
  const loa::Vector start = loa::Vector{{-1.2, 1.0}}.replicate(10, 1);
  loa::FunctionObjective f(start.size(), rosenbrock);
  bool all_solved = true;
  for (const char* name : {"bfgs", "bfgs+", "loa"}) {
    loa::Algorithm algorithm = loa::make_algorithm(name);
    const loa::Summary its_own = loa::minimize(f, start, algorithm, {});
    algorithm.line_search = std::make_shared<Armijo>();
    const loa::Summary summary = loa::minimize(f, start, algorithm, {});
    std::printf("%-5s  %2d evaluations with its own search, %2d with armijo\n", name, int(its_own.evaluations.value),
                int(summary.evaluations.value));
    all_solved = all_solved && summary.success();
  }
  return all_solved ? 0 : 1;
}
