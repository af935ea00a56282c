// An algorithm of one's own: the parts of BFGS with another model, y = (1 - t) d + t r, between BFGS and SR1.
#include <loa/loa.h>

#include <cstdio>

// I_k of the quasi-Newton algorithms is (B dg, d, -gamma B g). Vectors go to vectors of the same scale, without any
// constant that has a unit, so Principles 4 and 5 stay true.
class MixedModel final : public loa::Model {
 public:
  explicit MixedModel(double t) : t_(t) {}

  void predict(const loa::Input& input, loa::Prediction& prediction) const override {
    const loa::Vector &B_delta_g = input.vectors[0], &d = input.vectors[1];
    prediction.y = d - t_ * B_delta_g;  // r = d - B dg
  }

 private:
  double t_;
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
  for (const double t : {0.0, 0.5, 0.9, 1.0}) {
    loa::Algorithm algorithm = loa::make_algorithm("bfgs");
    algorithm.name = "mixed";
    algorithm.model = std::make_shared<MixedModel>(t);
    const loa::Summary summary = loa::minimize(f, start, algorithm, {.gtol = 1e-6});
    std::printf("t = %.1f  %3d evaluations, %d predictions replaced, f = %.1e\n", t, int(summary.evaluations.value),
                int(summary.fallbacks.model), summary.f);
    all_solved = all_solved && summary.success();
  }
  return all_solved ? 0 : 1;
}
