// Evolution of a normal distribution N(m, sigma^2 C) towards low costs, of which only the order is used: CMA-ES.
//
// A generation draws lambda samples and moves by their ranks:
//   x_i = m + sigma y_i,  y_i ~ N(0, C)
//   y_w = sum over i <= mu of w_i y_(i),  y_(1) the best;  m += sigma y_w
//   p_s = (1 - c_s) p_s + sqrt(c_s (2 - c_s) mu_w) C^(-1/2) y_w
//   p_c = (1 - c_c) p_c + h sqrt(c_c (2 - c_c) mu_w) y_w
//   C = (1 - c_1 - c_mu + (1 - h) c_1 c_c (2 - c_c)) C + c_1 p_c p_c^T + c_mu sum of w_i y_(i) y_(i)^T
//   sigma *= exp(c_s/d_s (||p_s||/E||N(0, I)|| - 1))
// with h = 0 while p_s is long and 1 otherwise. Hansen, "The CMA evolution strategy: a tutorial", arXiv:1604.00772
// (2016), with weights that are not negative. The constants are those of its Table 1.
//
// Separable: C is a diagonal, and learns (n + 2)/3 times as fast. Ros and Hansen, "A simple modification in CMA-ES
// achieving linear time and space complexity", PPSN 2008.
//
// Mirrored: samples come as pairs m +- sigma y (Brockhoff, Auger, Hansen, Arnold and Hohm, "Mirrored sampling and
// sequential selection for evolution strategies", PPSN 2010). Were both of a pair recombined they would cancel, p_s
// would be too short and sigma fall by itself; so only the better one is (pairwise selection: Auger, Brockhoff and
// Hansen, "Mirrored sampling in evolution strategies with weighted recombination", GECCO 2011).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loa/error.h"
#include "loa/vector.h"

namespace loa {

class TensorFile;

enum class Covariance { kSeparable, kFull };
enum class Sampling { kMirrored, kIndependent };

struct EvolutionOptions {
  std::int64_t population = 24;  // lambda, at least 4; even for mirrored samples
  double sigma = 0.1;            // at the start
  Covariance covariance = Covariance::kSeparable;
  Sampling sampling = Sampling::kMirrored;
  std::uint64_t seed = 0;
};

// The largest n with a full covariance: an eigenvalue decomposition of it is made in each generation.
inline constexpr Index kLargestFullCovariance = 1000;

// Where costs that are logarithms of ratios end: one problem in 128 on which a sample fails or is lucky must not decide
// its rank.
inline constexpr double kLowestCost = -2.5, kHighestCost = 2.0;

class Evolution {
 public:
  // Starts at N(mean, sigma^2 I). Throws std::invalid_argument on options that cannot work.
  Evolution(Vector mean, const EvolutionOptions& options);

  const Vector& mean() const { return mean_; }
  double sigma() const { return sigma_; }
  std::int64_t generation() const { return generation_; }  // generations told

  // The samples of the generation, the same until tell(). They depend on the seed, the generation and the
  // distribution alone. Mirrored ones are neighbours: 2j and 2j + 1.
  const std::vector<Vector>& ask();

  // Ends the generation; costs[i] belongs to sample i. Of equal costs the earlier sample is the better one. A cost that
  // is not finite ranks last, and when none is finite the distribution stays. REQUIRES: one cost a sample.
  void tell(const std::vector<double>& costs);

  // All that ask() and tell() need, under names that begin with "evolution". load() returns no error, or what is
  // wrong with the file, and then changes nothing. REQUIRES: it was saved with the same options.
  void save(TensorFile& file) const;
  Error load(const TensorFile& file);

 private:
  void draw();
  std::vector<std::size_t> selected(const std::vector<double>& costs) const;
  Vector transform(const Vector& z) const;                 // C^(1/2) z
  Vector whiten(const Vector& y) const;                    // C^(-1/2) y
  void add_to_covariance(double factor, const Vector& y);  // C += factor y y^T
  void decompose();

  EvolutionOptions options_;
  std::vector<double> weights_;  // w_i
  double mu_w_ = 0.0, c_s_ = 0.0, d_s_ = 0.0, c_c_ = 0.0, c_1_ = 0.0, c_mu_ = 0.0, expected_norm_ = 0.0;

  // The distribution, which save() writes.
  Vector mean_, path_s_, path_c_;
  double sigma_;
  Matrix C_;  // n x 1, the diagonal; or n x n, of which the lower triangle counts
  std::int64_t generation_ = 0;

  // Made from it.
  bool drawn_ = false;
  std::vector<Vector> steps_, samples_;  // y_i and x_i
  Matrix axes_;                          // eigenvectors of a full C
  Vector lengths_;                       // square roots of the eigenvalues, or of the diagonal
};

}  // namespace loa
