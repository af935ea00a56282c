// Probabilities that certificates and intervals need: the incomplete beta function, and what is made from it.
#pragma once

#include <cstdint>

namespace loa {

// I_x(a, b), the distribution function of the beta distribution. By the continued fraction of DLMF 8.17.22, which
// converges fast for x < (a + 1)/(a + b + 2), and by I_x(a, b) = 1 - I_{1-x}(b, a) elsewhere. REQUIRES: a, b > 0 and
// 0 <= x <= 1.
double incomplete_beta(double a, double b, double x);

// The largest p for which `successes` or more of `trials` have at most the probability alpha: with X ~ B(trials, p),
// P(X >= successes) = I_p(successes, trials - successes + 1) = alpha. Whatever the true probability of a success is, it
// lies below this bound in at most the part alpha of all draws (Clopper and Pearson, "The use of confidence or fiducial
// limits illustrated in the case of the binomial", Biometrika 26, 1934), one-sided. 0 without a success. REQUIRES:
// 0 <= successes <= trials and 0 < alpha < 1.
double clopper_pearson_lower(std::int64_t successes, std::int64_t trials, double alpha);

// t with P(T > t) = alpha for Student's T with that many degrees of freedom. REQUIRES: degrees >= 1, 0 < alpha < 1/2.
double student_upper(double degrees, double alpha);

// P(N(0, 1) <= x).
double normal_distribution(double x);

}  // namespace loa
