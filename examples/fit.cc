// Fits a exp(-b t) + c to measurements by least squares, with a, b, c >= 0, after a look at the gradient.
#include <loa/loa.h>

#include <cstdio>

int main() {
  const loa::Vector t{{0, 1, 2, 3, 4, 5, 6, 7}}, y{{2.05, 1.21, 0.70, 0.40, 0.17, 0.11, 0.02, -0.01}};
  const auto misfit = [&](const loa::Vector& p, loa::Vector& grad) {
    const loa::Vector e = (-p[1] * t).array().exp();
    const loa::Vector residual = (p[0] * e - y).array() + p[2];
    grad << 2 * residual.dot(e), -2 * p[0] * residual.dot(t.cwiseProduct(e)), 2 * residual.sum();
    return residual.squaredNorm();
  };
  const loa::Vector start{{1, 1, 1}};

  const loa::GradientCheck check = loa::check_gradient(misfit, start);
  if (!check.ok) return std::printf("%s\n", check.message.c_str()), 1;

  const loa::Summary fit = loa::minimize(misfit, start, {.lower = loa::Vector{{0, 0, 0}}, .gtol = 1e-8});
  std::printf("%s\n", fit.message.c_str());
  std::printf("a = %.3f, b = %.3f, c = %.3f: f = %.6f after %d evaluations\n", fit.x[0], fit.x[1], fit.x[2], fit.f,
              int(fit.evaluations.value));
  if (fit.bounds->active[2] != 0)
    std::printf("c is at its bound; f changes by %.4f if the bound moves by 1\n", fit.bounds->multipliers[2]);
  return fit.success() ? 0 : 1;
}
