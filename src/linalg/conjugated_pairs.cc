#include "linalg/conjugated_pairs.h"

namespace loa {

ConjugatedPairs::ConjugatedPairs(Index max_pairs, const ConjugationOptions& options)
    : options_(options),
      coefficients_(Matrix::Zero(max_pairs, max_pairs)),
      products_(Matrix::Zero(max_pairs, max_pairs)) {}

void ConjugatedPairs::conjugate(const Matrix& products, Index num) {
  size_ = num;
  for (Index i = num - 1; i >= 0; --i) {
    take_raw(products, i);
    const double curvature = products_(i, i);
    remove_newer(i);
    if (!(products_(i, i) >= options_.threshold * curvature)) take_raw(products, i);
  }
}

// The given pair i, with its products with the new pairs that are newer.
void ConjugatedPairs::take_raw(const Matrix& products, Index i) {
  for (Index l = 0; l < size_; ++l) coefficients_(i, l) = l == i ? 1.0 : 0.0;
  products_(i, i) = products(i, i);
  for (Index j = i + 1; j < size_; ++j) {
    double d_i_dg_j = 0.0, d_j_dg_i = 0.0;
    for (Index l = j; l < size_; ++l) {
      d_i_dg_j += coefficients_(j, l) * products(i, l);
      d_j_dg_i += coefficients_(j, l) * products(l, i);
    }
    products_(i, j) = d_i_dg_j;
    products_(j, i) = d_j_dg_i;
  }
}

void ConjugatedPairs::remove_newer(Index i) {
  const double curvature = products_(i, i);
  for (Index j = size_ - 1; j > i; --j) {
    const double A = products_(i, j), B = products_(j, i), h = products_(j, j);
    const double change = (A - B) / h * ((A - B) / curvature);
    const double c = 0.5 * (A + B) / h / (1.0 + options_.damping * change);
    products_(i, i) += c * (c * h - (A + B));
    for (Index l = i + 1; l < size_; ++l) {
      products_(i, l) -= c * products_(j, l);
      products_(l, i) -= c * products_(l, j);
      coefficients_(i, l) -= c * coefficients_(j, l);
    }
  }
}

void ConjugatedPairs::combine(std::span<const double> given, std::span<double> made) const {
  for (Index i = 0; i < size_; ++i) {
    double sum = 0.0;
    for (Index l = i; l < size_; ++l) sum += coefficients_(i, l) * given[static_cast<std::size_t>(l)];
    made[static_cast<std::size_t>(i)] = sum;
  }
}

void ConjugatedPairs::expand(std::span<const double> made, std::span<double> given) const {
  for (Index l = 0; l < size_; ++l) {
    double sum = 0.0;
    for (Index i = 0; i <= l; ++i) sum += coefficients_(i, l) * made[static_cast<std::size_t>(i)];
    given[static_cast<std::size_t>(l)] = sum;
  }
}

}  // namespace loa
