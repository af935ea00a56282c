// Fits a exp(-b t) + c to measurements by least squares, with c >= 0, after a look at the gradient.
#include <loa/loa.h>

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

// An objective with data: a class, or a lambda that captures.
class Decay final : public loa::Objective {
 public:
  Decay(std::vector<double> t, std::vector<double> y) : t_(std::move(t)), y_(std::move(y)) {}

  loa::Index dimension() const override { return 3; }

  double value_and_gradient(const loa::Vector& p, loa::Vector& grad) override {
    double f = 0;
    grad.setZero();
    for (std::size_t i = 0; i < t_.size(); ++i) {
      const double e = std::exp(-p[1] * t_[i]), residual = p[0] * e + p[2] - y_[i];
      f += residual * residual;
      grad += 2 * residual * loa::Vector{{e, -p[0] * t_[i] * e, 1}};
    }
    return f;
  }

 private:
  std::vector<double> t_, y_;
};

int main() {
  Decay f({0, 1, 2, 3, 4, 5, 6, 7}, {2.05, 1.21, 0.70, 0.40, 0.17, 0.11, 0.02, -0.01});
  const loa::Vector start{{1, 1, 1}};

  const loa::GradientCheck check = loa::check_gradient(f, start);
  if (!check.ok) return std::printf("%s\n", check.message.c_str()), 1;

  loa::Options options;
  options.gtol = 1e-8;
  options.lower = loa::Vector{{0, 0, 0}};
  const loa::Summary fit = loa::minimize(f, start, options);

  std::printf("%s\n", fit.message.c_str());
  std::printf("a = %.3f, b = %.3f, c = %.3f: f = %.6f after %d evaluations\n", fit.x[0], fit.x[1], fit.x[2], fit.f,
              int(fit.evaluations.value));
  if (fit.bounds->active[2] != 0)
    std::printf("c is at its bound; f changes by %.4f if the bound moves by 1\n", fit.bounds->multipliers[2]);
  return fit.success() ? 0 : 1;
}
