// Would catch: a kernel that differs between instruction sets, a lost tail of fewer than eight numbers, a wrong stride,
// a NaN that a maximum hides.
#include "linalg/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/instruction_set.h"
#include "linalg/dense_inverse_hessian.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::random_vector;
using test::same_bits;

constexpr double kUlp = std::numeric_limits<double>::epsilon();

// What each instruction set of this machine makes of a function that returns a vector must have the same bits.
template <typename Make>
Vector same_for_all_sets(const Make& make) {
  const Vector baseline = make(kernels(InstructionSet::kBaseline));
  for (const InstructionSet set : instruction_sets())
    EXPECT_TRUE(same_bits(make(kernels(set)), baseline)) << to_string(set);
  return baseline;
}

class KernelsOfSize : public testing::TestWithParam<Index> {};

TEST_P(KernelsOfSize, Products) {
  const Index n = GetParam();
  const Vector a = random_vector(n, 1), b = random_vector(n, 2), v = random_vector(n, 3), w = random_vector(n, 4);
  for (const Index first : {Index{0}, n / 3}) {
    const Vector sums = same_for_all_sets([&](const Kernels& k) {
      Vector out = Vector::Constant(4, 7.0);
      const double *columns[] = {a.data(), b.data()}, *others[] = {v.data(), w.data()};
      k.products(columns, 2, others, 2, first, n, out.data());
      return out;
    });
    const auto plain = [&](const Vector& p, const Vector& q) { return p.tail(n - first).dot(q.tail(n - first)); };
    const Vector expected{{plain(a, v), plain(a, w), plain(b, v), plain(b, w)}};
    EXPECT_LT((sums - expected - Vector::Constant(4, 7.0)).cwiseAbs().maxCoeff(),
              8.0 * kUlp * static_cast<double>(n + 8));
  }
}

// Eight, six, four, three, two and one sum at once, each in its own place.
TEST_P(KernelsOfSize, ProductsOfManyColumns) {
  const Index n = GetParam();
  constexpr Index kMost = 7;
  std::vector<Vector> columns;
  const double* of_columns[kMost];
  for (Index i = 0; i < kMost; ++i) {
    columns.push_back(random_vector(n, static_cast<unsigned>(10 + i)));
    of_columns[i] = columns.back().data();
  }
  const Vector v[] = {random_vector(n, 3), random_vector(n, 4)};
  const double* of_v[] = {v[0].data(), v[1].data()};
  for (Index num = 1; num <= kMost; ++num)
    for (const Index num_v : {1, 2}) {
      const Vector sums = same_for_all_sets([&](const Kernels& k) {
        Vector out = Vector::LinSpaced(num * num_v + 1, 1.0, 2.0);
        k.products(of_columns, num, of_v, num_v, 0, n, out.data());
        return out;
      });
      Vector expected = Vector::LinSpaced(num * num_v + 1, 1.0, 2.0);  // the last one is nobody's
      for (Index i = 0; i < num; ++i)
        for (Index j = 0; j < num_v; ++j) expected(i * num_v + j) += columns[static_cast<std::size_t>(i)].dot(v[j]);
      EXPECT_LT((sums - expected).cwiseAbs().maxCoeff(), 8.0 * kUlp * static_cast<double>(n + 8));
    }
}

TEST_P(KernelsOfSize, Combine) {
  const Index n = GetParam();
  const Vector a = random_vector(n, 1), b = random_vector(n, 2), v = random_vector(n, 3), w = random_vector(n, 4);
  const double of_first[] = {0.5, -1.5}, of_second[] = {2.0, 3.0}, start[] = {0.25, -4.0};
  const Vector out = same_for_all_sets([&](const Kernels& k) {
    Vector result = Vector::Constant(2 * n, 9.0);
    const double *columns[] = {a.data(), b.data()}, *coefficients[] = {of_first, of_second},
                 *vs[] = {v.data(), w.data()};
    double* to[] = {result.data(), result.data() + n};
    k.combine(columns, 2, coefficients, start, vs, 2, n / 4, n, to);
    return result;
  });
  Vector expected = Vector::Constant(2 * n, 9.0);
  for (Index i = n / 4; i < n; ++i) {
    expected[i] = 0.25 * v[i] + 0.5 * a[i] - 1.5 * b[i];
    expected[n + i] = -4.0 * w[i] + 2.0 * a[i] + 3.0 * b[i];
  }
  EXPECT_LT((out - expected).lpNorm<Eigen::Infinity>(), n == 0 ? 1.0 : 100.0 * kUlp);
}

TEST_P(KernelsOfSize, RowsOfAMatrix) {
  const Index cols = GetParam();
  for (const Index rows : {1, 4, 7}) {
    const Vector a = random_vector(rows * cols, 5), x = random_vector(cols, 6), c = random_vector(rows, 7);
    const Vector product = same_for_all_sets([&](const Kernels& k) {
      Vector out(rows);
      k.multiply_rows(a.data(), rows, cols, x.data(), out.data());
      return out;
    });
    const Vector sum = same_for_all_sets([&](const Kernels& k) {
      Vector out = x;
      k.add_rows(a.data(), rows, cols, c.data(), out.data());
      return out;
    });
    const Eigen::Map<const Matrix> transposed(a.data(), cols, rows);
    EXPECT_LT((product - transposed.transpose() * x).norm(), 8.0 * kUlp * static_cast<double>(cols + 8));
    EXPECT_LT((sum - x - transposed * c).norm(), 100.0 * kUlp * std::sqrt(static_cast<double>(cols + 1)));
  }
}

// Quotients over many orders of magnitude, on both sides of every power of two that matters.
TEST_P(KernelsOfSize, RatioPowers) {
  const Index n = GetParam();
  const double offset = 0.125;
  Vector a(n), b(n);
  for (Index i = 0; i < n; ++i) {
    a(i) = std::exp2(0.37 * static_cast<double>(i % 61)) - offset;
    b(i) = std::exp2(0.53 * static_cast<double>(i % 47)) - offset;
  }
  for (const double exponent : {0.0, 0.125, 0.5, 0.37, 1.0, -0.7}) {
    const Vector out = same_for_all_sets([&](const Kernels& k) {
      Vector result = Vector::Constant(n, 9.0);
      k.ratio_powers(a.data(), b.data(), offset, exponent, n / 4, n, result.data());
      return result;
    });
    for (Index i = 0; i < n; ++i) {
      const double expected = i < n / 4 ? 9.0 : std::pow((a(i) + offset) / (b(i) + offset), exponent);
      EXPECT_NEAR(out(i), expected, 1e-13 * expected) << i << ' ' << exponent;
    }
  }
  if (n == 0) return;
  a(n - 1) = std::numeric_limits<double>::quiet_NaN();
  const Vector out = same_for_all_sets([&](const Kernels& k) {
    Vector result(n);
    k.ratio_powers(a.data(), b.data(), offset, 0.5, 0, n, result.data());
    EXPECT_TRUE(std::isnan(result(n - 1)));
    result(n - 1) = 0.0;
    return result;
  });
  EXPECT_TRUE(out.allFinite());
}

TEST_P(KernelsOfSize, ScaleColumns) {
  const Index n = GetParam(), stride = n + 3;
  const Vector factors = random_vector(n, 1), a = random_vector(n, 2), b = random_vector(n, 3);
  const double* columns[] = {a.data(), b.data()};
  const Vector out = same_for_all_sets([&](const Kernels& k) {
    Vector result = Vector::Constant(2 * stride, 7.0);
    k.scale_columns(columns, 2, factors.data(), n, result.data(), stride);
    return result;
  });
  EXPECT_EQ(out.head(n), factors.cwiseProduct(a));
  EXPECT_EQ(out.segment(stride, n), factors.cwiseProduct(b));
  EXPECT_EQ(out.segment(n, 3), Vector::Constant(3, 7.0)) << "beyond the end";
}

TEST_P(KernelsOfSize, MaxAbs) {
  const Index n = GetParam();
  const auto largest = [](const Vector& a) {
    return same_for_all_sets([&](const Kernels& k) { return Vector::Constant(1, k.max_abs(a.data(), a.size())); })[0];
  };
  Vector a = random_vector(n, 8);
  EXPECT_EQ(largest(a), n == 0 ? 0.0 : a.lpNorm<Eigen::Infinity>());
  for (const Index at : {Index{0}, n / 2, n - 1}) {
    if (at < 0 || n == 0) continue;
    Vector bad = a;
    bad[at] = -std::numeric_limits<double>::infinity();
    EXPECT_EQ(largest(bad), std::numeric_limits<double>::infinity());
    bad[n - 1 - at] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(largest(bad)));
  }
}

// The sweep by its definition: B + u z^T + z u^T, and its product with v.
TEST_P(KernelsOfSize, Sweep) {
  const Index num_panels = (GetParam() + kPanel - 1) / kPanel, n = num_panels * kPanel;
  const Vector u = random_vector(n, 1), z = random_vector(n, 2), v = random_vector(n, 3);
  const Matrix half = Matrix::Random(n, n);
  Matrix B = half + half.transpose();
  Vector panels(kPanel * kPanel * num_panels * (num_panels + 1) / 2);
  const auto at = [](Index i, Index j) {
    const Index p = i / kPanel;
    return kPanel * kPanel * (p * (p + 1) / 2) + (i % kPanel) * kPanel * (p + 1) + j;
  };
  const auto in_panel = [](Index i, Index j) { return j < (i / kPanel + 1) * kPanel; };
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (in_panel(i, j)) panels[at(i, j)] = B(i, j);

  const auto sweep = [&](bool add_term) {
    return same_for_all_sets([&](const Kernels& k) {
      Vector after(panels.size() + n);
      after << panels, Vector::Zero(n);
      k.sweep(after.data(), 0, num_panels, add_term ? u.data() : nullptr, z.data(), v.data(),
              after.data() + panels.size());
      return after;
    });
  };
  const double round_off = 50.0 * kUlp * static_cast<double>(n + 1);
  EXPECT_LT((sweep(false).tail(n) - B * v).norm(), round_off * (n == 0 ? 1.0 : B.norm() * v.norm()));
  const Vector after = sweep(true);
  B += u * z.transpose() + z * u.transpose();
  EXPECT_LT((after.tail(n) - B * v).norm(), round_off * (n == 0 ? 1.0 : B.norm() * v.norm()));
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      if (!in_panel(i, j)) continue;
      EXPECT_NEAR(after[at(i, j)], B(i, j), 16.0 * kUlp * (1.0 + std::abs(B(i, j)))) << i << " " << j;
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, KernelsOfSize, testing::Values(0, 1, 3, 7, 8, 9, 16, 31, 64, 101));

TEST(Kernels, ThisMachineHasABaseline) {
  ASSERT_FALSE(instruction_sets().empty());
  EXPECT_EQ(instruction_sets().front(), InstructionSet::kBaseline);
}

}  // namespace
}  // namespace loa
