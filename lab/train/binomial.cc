#include "train/binomial.h"

#include <cmath>
#include <limits>

namespace loa {
namespace {

// The continued fraction 1/(1 + d_1/(1 + d_2/(1 + ...))) by Lentz's method (Thompson and Barnett, J. Comput. Phys. 64,
// 1986), with d_{2m+1} = -(a+m)(a+b+m) x/((a+2m)(a+2m+1)) and d_{2m} = m (b-m) x/((a+2m-1)(a+2m)).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
  constexpr int kTerms = 100000;  // O(sqrt(max(a, b))) are needed
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double numerator = 1.0, denominator = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)), value = denominator;
  for (int term = 1; term <= kTerms; ++term) {
    const double m = term;
    const auto step = [&](double d) {
      denominator = 1.0 / away_from_zero(1.0 + d * denominator);
      numerator = away_from_zero(1.0 + d / numerator);
      value *= numerator * denominator;
      return numerator * denominator;
    };
    step(m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)));
    const double factor = step(-(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)));
    if (std::abs(factor - 1.0) <= 4.0 * std::numeric_limits<double>::epsilon()) break;
  }
  return value;
}

// The x in [low, high] with f(x) = 0 for an f that rises. Halves until no number is left between.
template <class F>
double root_of(const F& f, double low, double high) {
  while (true) {
    const double middle = low + 0.5 * (high - low);
    if (!(low < middle && middle < high)) return low;
    (f(middle) < 0.0 ? low : high) = middle;
  }
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(a, b, x) / a;
  return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

double clopper_pearson_lower(std::int64_t successes, std::int64_t trials, double alpha) {
  if (successes == 0) return 0.0;
  const double k = static_cast<double>(successes), n = static_cast<double>(trials);
  return root_of([&](double p) { return incomplete_beta(k, n - k + 1.0, p) - alpha; }, 0.0, 1.0);
}

double student_upper(double degrees, double alpha) {
  // P(T > t) = I_x(degrees/2, 1/2)/2 with x = degrees/(degrees + t^2).
  const double x =
      root_of([&](double value) { return 0.5 * incomplete_beta(0.5 * degrees, 0.5, value) - alpha; }, 0.0, 1.0);
  return std::sqrt(degrees * (1.0 - x) / x);
}

double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

}  // namespace loa
