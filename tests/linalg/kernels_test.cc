// Would catch: a kernel that differs between instruction sets, a lost tail of fewer than eight numbers, a wrong stride,
// a NaN that a maximum hides; with bounds a point outside of them, a mask with a wrong bit, also for a rest of fewer
// than eight.
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

bool bit_of(const Vector& bytes, Index i) { return static_cast<int>(bytes(i / 8)) >> (i % 8) & 1; }

// x inside bounds of which some are infinite, met or equal.
struct BoxOfKernels {
  Vector x, p, lower, upper;

  explicit BoxOfKernels(Index n) : x(random_vector(n, 1)), p(random_vector(n, 2)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    lower = x - 0.5 * random_vector(n, 3).cwiseAbs();
    upper = x + 0.5 * random_vector(n, 4).cwiseAbs();
    for (Index i = 0; i < n; ++i) {
      if (i % 5 == 1) lower(i) = x(i);
      if (i % 5 == 2) upper(i) = x(i);
      if (i % 7 == 3) lower(i) = -kInfinity;
      if (i % 7 == 4) upper(i) = kInfinity;
      if (i % 13 == 6) lower(i) = upper(i) = x(i);
      if (i % 6 == 5) p(i) = 0.0;
    }
  }

  Boxed at() const { return {x.data(), lower.data(), upper.data()}; }
  bool holds(Index i, double g) const { return (g >= 0.0 && x(i) <= lower(i)) || (g <= 0.0 && x(i) >= upper(i)); }
};

// The numbers of a kernel, and its masks as numbers after them, for same_for_all_sets().
Vector joined(const Vector& numbers, const std::vector<unsigned char>& mask) {
  Vector result(numbers.size() + static_cast<Index>(mask.size()));
  result.head(numbers.size()) = numbers;
  for (std::size_t i = 0; i < mask.size(); ++i) result(numbers.size() + static_cast<Index>(i)) = mask[i];
  return result;
}

TEST_P(KernelsOfSize, Bend) {
  const Index n = GetParam();
  const BoxOfKernels box(n);
  const std::size_t num_bytes = static_cast<std::size_t>((n + 7) / 8);
  for (const double step : {0.7, 1.0, 1e-17}) {
    const Vector all = same_for_all_sets([&](const Kernels& k) {
      Vector out(n + 1);
      std::vector<unsigned char> arrived(num_bytes, 255);
      out(n) = k.bend(box.at(), box.p.data(), step, n, out.data(), arrived.data());
      return joined(out, arrived);
    });
    EXPECT_EQ(all(n), 0.0);
    const Vector mask = all.tail(static_cast<Index>(num_bytes));
    for (Index i = 0; i < n; ++i) {
      const double plain = box.x(i) + step * box.p(i);
      EXPECT_NEAR(all(i), std::min(std::max(plain, box.lower(i)), box.upper(i)), 4.0 * kUlp * std::abs(box.x(i)));
      EXPECT_TRUE(all(i) >= box.lower(i) && all(i) <= box.upper(i));
      const bool arrived = (box.p(i) < 0.0 && all(i) == box.lower(i)) || (box.p(i) > 0.0 && all(i) == box.upper(i));
      EXPECT_EQ(bit_of(mask, i), arrived) << i;
    }
  }
  if (n == 0) return;
  BoxOfKernels far(n);
  far.lower.setConstant(-std::numeric_limits<double>::infinity());
  far.x(n - 1) = -std::numeric_limits<double>::max();
  far.p(n - 1) = -std::numeric_limits<double>::max();
  Vector out(n);
  std::vector<unsigned char> arrived(num_bytes);
  EXPECT_TRUE(std::isnan(kernels().bend(far.at(), far.p.data(), 1.0, n, out.data(), arrived.data())));
}

TEST_P(KernelsOfSize, ProductOutside) {
  const Index n = GetParam();
  const Vector p = random_vector(n, 1), g = random_vector(n, 2);
  std::vector<unsigned char> mask(static_cast<std::size_t>((n + 7) / 8));
  double expected = 0.0;
  for (Index i = 0; i < n; ++i) {
    if (i % 3 == 0)
      mask[static_cast<std::size_t>(i / 8)] |= static_cast<unsigned char>(1 << (i % 8));
    else
      expected += p(i) * g(i);
  }
  const Vector found = same_for_all_sets(
      [&](const Kernels& k) { return Vector::Constant(1, k.product_outside(p.data(), g.data(), mask.data(), n)); });
  EXPECT_NEAR(found(0), expected, 8.0 * kUlp * static_cast<double>(n + 8));
}

TEST_P(KernelsOfSize, Judge) {
  const Index n = GetParam();
  const BoxOfKernels box(n);
  const std::size_t num_bytes = static_cast<std::size_t>((n + 7) / 8);
  const auto judge = [&](const Kernels& k, const Vector& g) {
    Vector result = Vector::Zero(3);
    std::vector<unsigned char> at_lower(num_bytes), at_upper(num_bytes);
    k.judge(box.at(), g.data(), n, at_lower.data(), at_upper.data(), result.data());
    return joined(joined(result, at_lower), at_upper);
  };
  const Vector all = same_for_all_sets([&](const Kernels& k) { return judge(k, box.p); });
  const Vector at_lower = all.segment(3, static_cast<Index>(num_bytes)),
               at_upper = all.tail(static_cast<Index>(num_bytes));
  double largest = 0.0, num_held = 0.0, squares = 0.0;
  for (Index i = 0; i < n; ++i) {
    const double g = box.p(i), to = std::min(std::max(box.x(i) - g, box.lower(i)), box.upper(i));
    largest = std::max(largest, std::abs(box.x(i) - to));
    num_held += box.holds(i, g);
    squares += box.holds(i, g) ? 0.0 : g * g;
    EXPECT_EQ(bit_of(at_lower, i), box.holds(i, g) && box.x(i) <= box.lower(i)) << i;
    EXPECT_EQ(bit_of(at_upper, i), box.holds(i, g) && box.x(i) > box.lower(i)) << i;
  }
  EXPECT_NEAR(all(0), largest, 4.0 * kUlp);
  EXPECT_EQ(all(1), num_held);
  EXPECT_NEAR(all(2), squares, 8.0 * kUlp * static_cast<double>(n + 8));
  for (Index i = 0; i < n; ++i) {
    Vector g = box.p;
    g(i) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(judge(kernels(), g)(0))) << i;
    g(i) = std::numeric_limits<double>::infinity();
    const double found = judge(kernels(), g)(0);
    EXPECT_EQ(std::isnan(found), !box.holds(i, g(i))) << i << ": a slope that no bound holds is no number";
    EXPECT_FALSE(box.holds(i, g(i)) && found > largest) << i;
  }
}

TEST_P(KernelsOfSize, NumLeaving) {
  const Index n = GetParam();
  const BoxOfKernels box(n);
  double expected = 0.0;
  for (Index i = 0; i < n; ++i) {
    const double to = box.x(i) + box.p(i);
    expected += to < box.lower(i) || to > box.upper(i);
  }
  const auto found = [&](const Boxed& at, const Vector& p) {
    return same_for_all_sets([&](const Kernels& k) { return Vector::Constant(1, k.num_leaving(at, p.data(), n)); })(0);
  };
  EXPECT_EQ(found(box.at(), box.p), expected);
  EXPECT_EQ(found({box.x.data(), nullptr, nullptr}, box.p), 0.0);
  EXPECT_EQ(found(box.at(), Vector::Constant(n, std::numeric_limits<double>::quiet_NaN())), static_cast<double>(n));
}

// What has not moved is not within reach, at a bound or not; nor is anything of an infinite bound.
TEST_P(KernelsOfSize, WithinReach) {
  const Index n = GetParam();
  const BoxOfKernels box(n);
  const Vector x_prev = box.x - 0.3 * box.p;
  const auto found = [&](const Boxed& at) {
    return same_for_all_sets([&](const Kernels& k) {
      std::vector<unsigned char> bytes(static_cast<std::size_t>((n + 7) / 8), 255);
      k.within_reach(at, x_prev.data(), 2.0, n, bytes.data());
      return joined(Vector(0), bytes);
    });
  };
  const Vector mask = found(box.at()), of_lower = found({box.x.data(), box.lower.data(), nullptr}),
               of_upper = found({box.x.data(), nullptr, box.upper.data()});
  for (Index i = 0; i < n; ++i) {
    const double way = 2.0 * std::abs(box.x(i) - x_prev(i));
    const bool lower = box.x(i) - box.lower(i) < way, upper = box.upper(i) - box.x(i) < way;
    EXPECT_EQ(bit_of(of_lower, i), lower) << i;
    EXPECT_EQ(bit_of(of_upper, i), upper) << i;
    EXPECT_EQ(bit_of(mask, i), lower || upper) << i;
    if (i % 6 == 5) {
      EXPECT_FALSE(bit_of(mask, i)) << i;
    }
  }
  if (n % 8 != 0) {
    EXPECT_EQ(static_cast<int>(mask(mask.size() - 1)) >> (n % 8), 0);
  }
}

TEST_P(KernelsOfSize, Nonzero) {
  const Index n = GetParam();
  Vector a = Vector::Zero(n), b = Vector::Constant(n, -0.0);
  for (Index i = 0; i < n; i += 5) a(i) = 1.0;
  for (Index i = 1; i < n; i += 5) b(i) = std::numeric_limits<double>::denorm_min();
  for (const Index first : {Index{0}, n / 16 * 8}) {
    const Vector mask = same_for_all_sets([&](const Kernels& k) {
      const double* columns[] = {a.data(), b.data()};
      std::vector<unsigned char> bytes(static_cast<std::size_t>((n - first + 7) / 8));
      k.nonzero(columns, 2, first, n, bytes.data());
      return joined(Vector(0), bytes);
    });
    for (Index i = first; i < n; ++i) EXPECT_EQ(bit_of(mask, i - first), i % 5 < 2) << i;
  }
}

// The box step's own kernels are compared with plain loops in box_sums_test.cc.
TEST_P(KernelsOfSize, BoxStepIsTheSameForAllSets) {
  const Index n = GetParam();
  const BoxOfKernels box(n);
  const Vector grad = random_vector(n, 7), of_delta_g = random_vector(n, 8), diagonal = random_vector(n, 9);
  const std::vector<unsigned char> at_lower(static_cast<std::size_t>((n + 7) / 8), 0x11),
      at_upper(at_lower.size(), 0x82);
  for (const double* of_diagonal : {diagonal.data(), static_cast<const double*>(nullptr)}) {
    same_for_all_sets([&](const Kernels& k) {
      Vector weights(2 * n);
      k.weigh_box({grad.data(), of_diagonal, 0.3, at_lower.data(), at_upper.data(), weights.data(), weights.data() + n},
                  n);
      return weights;
    });
    same_for_all_sets([&](const Kernels& k) {
      Vector out = Vector::Zero(n + 3);
      std::vector<unsigned char> next_at_lower(at_lower.size()), next_at_upper = next_at_lower, changed = next_at_lower;
      k.project_box(box.at(),
                    {box.p.data(), of_delta_g.data(), of_diagonal, 0.3, grad.data(), out.data(), at_lower.data(),
                     at_upper.data(), next_at_lower.data(), next_at_upper.data(), changed.data()},
                    n, out.data() + n);
      return joined(joined(joined(out, next_at_lower), next_at_upper), changed);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, KernelsOfSize, testing::Values(0, 1, 3, 7, 8, 9, 16, 31, 64, 101));

TEST(Kernels, ThisMachineHasABaseline) {
  ASSERT_FALSE(instruction_sets().empty());
  EXPECT_EQ(instruction_sets().front(), InstructionSet::kBaseline);
}

}  // namespace
}  // namespace loa
