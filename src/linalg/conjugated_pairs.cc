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
      d_i_dg_j_(depth_ > 1 ? max_pairs : 0, depth_ > 1 ? max_pairs : 0),
      d_j_dg_i_(d_i_dg_j_.rows(), d_i_dg_j_.cols()),
      d_with_next_(depth_ > 1 ? 0 : max_pairs),
      next_with_d_(d_with_next_.size()) {}

void ConjugatedPairs::conjugate(const Eigen::Ref<const Matrix>& products, Index num) {
  size_ = num;
  if (depth_ <= 1) {
    conjugate_to_next(products);
    return;
  }
  for (Index i = num - 1; i >= 0; --i) {
    take_raw(products, i);
    remove_newer(i);
    if (!(products_(i, i) >= options_.threshold * products(i, i))) take_raw(products, i);
    find_products(products, i);
  }
}

// The same with a depth of 1 at most, each number found once: of what the given pairs have in common with the new ones
// only that with the next one is needed, and what is left of the curvature is known before anything is taken out.
void ConjugatedPairs::conjugate_to_next(const Eigen::Ref<const Matrix>& products) {
  for (Index i = size_ - 1; i >= 0; --i) {
    const bool has_newer = depth_ == 1 && i + 1 < size_;
    double c = 0.0;
    products_(i, i) = products(i, i);
    if (has_newer) {
      const CommonPart common{d_with_next_(i), next_with_d_(i), products_(i + 1, i + 1), products(i, i)};
      c = common.coefficient(options_.damping);
      const double left = products(i, i) + common.change_of_curvature(c);
      if (left >= options_.threshold * products(i, i)) {
        products_(i, i) = left;
        products_.col(i).segment(i + 1, size_ - 1 - i) -= c * products_.col(i + 1).segment(i + 1, size_ - 1 - i);
      } else {
        c = 0.0;
      }
      taken_(0, i) = c;
    }
    auto d_i = d_with_next_.head(i), dg_i = next_with_d_.head(i);
    if (c != 0.0) {
      d_i = products.col(i).head(i) - c * d_i;
      dg_i = products.row(i).head(i).transpose() - c * dg_i;
    } else {
      d_i = products.col(i).head(i);
      dg_i = products.row(i).head(i).transpose();
    }
    products_.row(i).head(i) = d_i.transpose();
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
  for (Index j = i + 1; j < size_; ++j) products_(i, j) = d_j_dg_i_(i, j);
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
    for (Index l = i + 1; l < size_; ++l) products_(i, l) -= c * products_(j, l);
  }
}

// With a depth of 1 each number follows from the one before, which stays in a register: waiting for it to be stored and
// loaded takes longer than the arithmetic.
template <typename T>
void ConjugatedPairs::to_made(std::span<const T> given, std::span<T> made) const {
  if (depth_ == 1 && size_ > 0) {
    T newer = made[at(size_ - 1)] = given[at(size_ - 1)];
    for (Index i = size_ - 2; i >= 0; --i) made[at(i)] = newer = given[at(i)] - taken_(0, i) * newer;
    return;
  }
  for (Index i = size_ - 1; i >= 0; --i) {
    made[at(i)] = given[at(i)];
    for (Index j = i + 1; j < last(i); ++j) made[at(i)] -= taken_(j - i - 1, i) * made[at(j)];
  }
}

template <typename T>
void ConjugatedPairs::to_given(std::span<const T> made, std::span<T> given) const {
  if (depth_ == 1 && size_ > 0) {
    T older = given[0] = made[0];
    for (Index i = 1; i < size_; ++i) given[at(i)] = older = made[at(i)] - taken_(0, i - 1) * older;
    return;
  }
  std::copy_n(made.begin(), size_, given.begin());
  for (Index i = 0; i < size_; ++i)
    for (Index j = i + 1; j < last(i); ++j) given[at(j)] -= taken_(j - i - 1, i) * given[at(i)];
}

void ConjugatedPairs::combine(std::span<const double> given, std::span<double> made) const { to_made(given, made); }
void ConjugatedPairs::combine(std::span<const Two> given, std::span<Two> made) const { to_made(given, made); }
void ConjugatedPairs::expand(std::span<const double> made, std::span<double> given) const { to_given(made, given); }
void ConjugatedPairs::expand(std::span<const Two> made, std::span<Two> given) const { to_given(made, given); }

}  // namespace loa
