// A problem of one's own: f(x) = sum_i (cosh(x_i) - 1) + 1/2 sum_i (x_{i+1} - x_i - 1)^2.
#include <loa/loa.h>

#include <cmath>
#include <cstdio>

class Springs final : public loa::Objective {
 public:
  explicit Springs(loa::Index n) : n_(n) {}

  loa::Index dimension() const override { return n_; }

  double value_and_gradient(const loa::Vector& x, loa::Vector& grad) override {
    double f = 0;
    for (loa::Index i = 0; i < n_; ++i) {
      f += std::cosh(x[i]) - 1;
      grad[i] = std::sinh(x[i]);
    }
    for (loa::Index i = 0; i + 1 < n_; ++i) {
      const double residual = x[i + 1] - x[i] - 1;
      f += 0.5 * residual * residual;
      grad[i + 1] += residual;
      grad[i] -= residual;
    }
    return f;
  }

  // Optional: out = Hessian(x) v. The line search `exact` needs it.
  bool hessian_vector(const loa::Vector& x, const loa::Vector& v, loa::Vector& out) override {
    for (loa::Index i = 0; i < n_; ++i) out[i] = std::cosh(x[i]) * v[i];
    for (loa::Index i = 0; i + 1 < n_; ++i) {
      out[i + 1] += v[i + 1] - v[i];
      out[i] -= v[i + 1] - v[i];
    }
    return true;
  }

 private:
  loa::Index n_;
};

int main() {
  Springs f(50);
  const loa::Vector start = loa::Vector::LinSpaced(50, -2, 2);
  const loa::GradientCheck check = loa::check_gradient(f, start);
  std::printf("%s\n", check.message.c_str());

  bool all_solved = check.ok;
  for (const char* line_search : {"more-thuente", "exact"}) {
    const loa::Summary summary =
        loa::minimize(f, start, {.algorithm = "conjugate-gradient", .line_search = line_search});
    std::printf("%-12s  f = %.12g, %d evaluations, %d Hessian-vector products\n", line_search, summary.f,
                int(summary.evaluations.value), int(summary.evaluations.hessian_vector));
    all_solved = all_solved && summary.success();
  }
  return all_solved ? 0 : 1;
}
