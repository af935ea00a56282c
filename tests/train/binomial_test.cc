// The incomplete beta function and what is made from it, against sums and against tables.
//
// Would catch: a continued fraction that ends too early or is used on the wrong side, a bound that is two-sided or off
// by one success, degrees of freedom that are off by one.
#include "train/binomial.h"

#include <gtest/gtest.h>

#include <cmath>

namespace loa {
namespace {

// P(X >= k) for X ~ B(n, p), term by term.
double tail_by_sum(int k, int n, double p) {
  double sum = 0.0;
  for (int i = k; i <= n; ++i)
    sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0) + i * std::log(p) +
                    (n - i) * std::log1p(-p));
  return sum;
}

TEST(Binomial, IncompleteBetaIsTheTailOfTheBinomialDistribution) {
  for (const int n : {1, 2, 7, 40, 300})
    for (int k = 1; k <= n; k += 1 + n / 9)
      for (const double p : {1e-6, 0.03, 0.4, 0.5, 0.77, 0.999}) {
        const double tail = tail_by_sum(k, n, p);
        EXPECT_NEAR(incomplete_beta(k, n - k + 1.0, p), tail, 1e-11 * (tail + 1e-3)) << k << " of " << n << ", " << p;
      }
  EXPECT_NEAR(incomplete_beta(2, 3, 0.5), 0.6875, 1e-15);
  EXPECT_EQ(incomplete_beta(2, 3, 0), 0);
  EXPECT_EQ(incomplete_beta(2, 3, 1), 1);
  // Many trials, where a fraction of too few terms is off.
  EXPECT_NEAR(incomplete_beta(5e5, 5e5, 0.5), 0.5, 1e-9);
}

TEST(Binomial, ClopperPearsonHasTheValuesOfTables) {
  EXPECT_EQ(clopper_pearson_lower(0, 10, 0.05), 0.0);
  EXPECT_NEAR(clopper_pearson_lower(10, 10, 0.05), std::pow(0.05, 0.1), 1e-12);
  EXPECT_NEAR(clopper_pearson_lower(1, 10, 0.05), 1.0 - std::pow(0.95, 0.1), 1e-12);
  EXPECT_NEAR(clopper_pearson_lower(9, 10, 0.05), 0.6058367, 1e-6);  // R: binom.test(9, 10, alternative = "greater")
  EXPECT_NEAR(clopper_pearson_lower(95, 100, 0.025), 0.8871651, 1e-6);
  for (const int n : {5, 50, 500})
    for (int k = 1; k <= n; k += 1 + n / 7)
      EXPECT_NEAR(tail_by_sum(k, n, clopper_pearson_lower(k, n, 0.01)), 0.01, 1e-10) << k << " of " << n;
}

TEST(Binomial, StudentsQuantilesAreThoseOfTables) {
  EXPECT_NEAR(student_upper(1, 0.025), 12.7062047, 1e-6);
  EXPECT_NEAR(student_upper(4, 0.025), 2.7764451, 1e-6);
  EXPECT_NEAR(student_upper(4, 0.005), 4.6040949, 1e-6);
  EXPECT_NEAR(student_upper(30, 0.025), 2.0422725, 1e-6);
  EXPECT_NEAR(student_upper(1e6, 0.025), 1.959966, 1e-5);
  EXPECT_NEAR(normal_distribution(-1.959963985), 0.025, 1e-10);
}

}  // namespace
}  // namespace loa
