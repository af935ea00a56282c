#include "linalg/conjugated_pairs.h"

#include <algorithm>

#include "linalg/index.h"

namespace loa {
namespace {

// What two pairs have in common: <d_i,dg_j>, <d_j,dg_i>, <d_j,dg_j>, and <d_i,dg_i> of the given pair i.
struct CommonPart {
  double A, B, h, curvature;

  // c above.
  double coefficient(double damping) const {
    const double change = (A - B) / h * ((A - B) / curvature);
    return 0.5 * (A + B) / h / (1.0 + damping * change);
  }
  // What taking it out with c adds to the curvature of pair i.
  double change_of_curvature(double c) const { return c * (c * h - (A + B)); }
};

}  // namespace

ConjugatedPairs::ConjugatedPairs(Index max_pairs, const ConjugationOptions& options)
    : options_(options),
      depth_(std::min(options.depth, max_pairs)),
      taken_(depth_, max_pairs),
      products_(max_pairs, max_pairs),
      d_i_dg_j_(max_pairs, max_pairs),
      d_j_dg_i_(max_pairs, max_pairs) {}

void ConjugatedPairs::conjugate(const Eigen::Ref<const Matrix>& products, Index num) {
  size_ = num;
  for (Index i = num - 1; i >= 0; --i) {
    take_raw(products, i);
    remove_newer(i);
    if (!(products_(i, i) >= options_.threshold * products(i, i))) take_raw(products, i);
    find_products(products, i);
  }
}

// The given pairs that are older than j with the new pair j. One pair j for all i, so that the compiler can take
// several at once: the sums of one i after the other depend on each other.
void ConjugatedPairs::find_products(const Eigen::Ref<const Matrix>& products, Index j) {
  auto d_i_dg_j = d_i_dg_j_.col(j).head(j), d_j_dg_i = d_j_dg_i_.col(j).head(j);
  const auto given_d = products.col(j).head(j);
  const auto given_delta_g = products.row(j).head(j).transpose();
  if (last(j) == j + 1) {
    d_i_dg_j = given_d;
    d_j_dg_i = given_delta_g;
    return;
  }
  d_i_dg_j = given_d - taken_(0, j) * d_i_dg_j_.col(j + 1).head(j);
  d_j_dg_i = given_delta_g - taken_(0, j) * d_j_dg_i_.col(j + 1).head(j);
  for (Index l = j + 2; l < last(j); ++l) {
    d_i_dg_j -= taken_(l - j - 1, j) * d_i_dg_j_.col(l).head(j);
    d_j_dg_i -= taken_(l - j - 1, j) * d_j_dg_i_.col(l).head(j);
  }
}

void ConjugatedPairs::take_raw(const Eigen::Ref<const Matrix>& products, Index i) {
  products_(i, i) = products(i, i);
  for (Index j = i + 1; j < size_; ++j) products_(j, i) = d_i_dg_j_(i, j);
  for (Index j = i + 1; j < last_of_older(i); ++j) products_(i, j) = d_j_dg_i_(i, j);
  for (Index j = i + 1; j < last(i); ++j) taken_(j - i - 1, i) = 0.0;
}

void ConjugatedPairs::remove_newer(Index i) {
  const double curvature = products_(i, i);
  for (Index j = last(i) - 1; j > i; --j) {
    const CommonPart common{product(i, j), product(j, i), product(j, j), curvature};
    const double c = common.coefficient(options_.damping);
    taken_(j - i - 1, i) = c;
    products_(i, i) += common.change_of_curvature(c);
    for (Index l = i + 1; l < size_; ++l) products_(l, i) -= c * products_(l, j);
    if (depth_ > 1)
      for (Index l = i + 1; l < size_; ++l) products_(i, l) -= c * products_(j, l);
  }
}

// With a depth of 1 each number follows from the one before, which stays in a register: waiting for it to be stored and
// loaded takes longer than the arithmetic.
void ConjugatedPairs::combine(std::span<const double> given, std::span<double> made) const {
  if (depth_ == 1) {
    double newer = 0.0;
    for (Index i = size_ - 1; i >= 0; --i) {
      newer = i + 1 < size_ ? given[at(i)] - taken_(0, i) * newer : given[at(i)];
      made[at(i)] = newer;
    }
    return;
  }
  for (Index i = size_ - 1; i >= 0; --i) {
    made[at(i)] = given[at(i)];
    for (Index j = i + 1; j < last(i); ++j) made[at(i)] -= taken_(j - i - 1, i) * made[at(j)];
  }
}

void ConjugatedPairs::expand(std::span<const double> made, std::span<double> given) const {
  if (depth_ == 1) {
    double older = 0.0;
    for (Index i = 0; i < size_; ++i) {
      older = i > 0 ? made[at(i)] - taken_(0, i - 1) * older : made[at(i)];
      given[at(i)] = older;
    }
    return;
  }
  std::copy_n(made.begin(), size_, given.begin());
  for (Index i = 0; i < size_; ++i)
    for (Index j = i + 1; j < last(i); ++j) given[at(j)] -= taken_(j - i - 1, i) * given[at(i)];
}

}  // namespace loa
