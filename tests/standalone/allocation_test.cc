// Would catch: an allocation in the iteration, in a part, a line search or the loop itself. (A program of its own: it
// replaces the allocator, and nothing else may run beside it.)
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string_view>
#include <utility>

#include "loa/minimize.h"
#include "loa/threads.h"
#include "support/objectives.h"

#if defined(__has_feature)
#define LOA_HAS_FEATURE(x) __has_feature(x)
#else
#define LOA_HAS_FEATURE(x) 0
#endif

// Sanitizers bring an allocator of their own.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !LOA_HAS_FEATURE(address_sanitizer) && !LOA_HAS_FEATURE(thread_sanitizer)
#define LOA_COUNT_ALLOCATIONS 1
#else
#define LOA_COUNT_ALLOCATIONS 0
#endif

namespace {

thread_local constinit std::int64_t num_allocations = 0;

}  // namespace

#if LOA_COUNT_ALLOCATIONS
// operator new and Eigen end in these.
extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t number, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++num_allocations;
  return __libc_malloc(size);
}

void* calloc(std::size_t number, std::size_t size) {
  ++num_allocations;
  return __libc_calloc(number, size);
}

void* realloc(void* old, std::size_t size) {
  ++num_allocations;
  return __libc_realloc(old, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++num_allocations;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  ++num_allocations;
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}

}  // extern "C"
#endif

namespace loa {
namespace {

// sum_i w_i (x_i - 1)^2/2 + (x_i - x_{i+1})^4/4: coordinate by coordinate, without a temporary.
class Chain final : public Objective {
 public:
  explicit Chain(Index n) : n_(n) {}
  Index dimension() const override { return n_; }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    double f = 0.0;
    for (Index i = 0; i < n_; ++i) grad(i) = 0.0;
    for (Index i = 0; i < n_; ++i) {
      const double u = x(i) - 1.0;
      f += 0.5 * weight(i) * u * u;
      grad(i) += weight(i) * u;
      if (i + 1 == n_) break;
      const double t = x(i) - x(i + 1);
      f += 0.25 * t * t * t * t;
      grad(i) += t * t * t;
      grad(i + 1) -= t * t * t;
    }
    return f;
  }
  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override {
    for (Index i = 0; i < n_; ++i) out(i) = weight(i) * v(i);
    for (Index i = 0; i + 1 < n_; ++i) {
      const double t = x(i) - x(i + 1), c = 3.0 * t * t * (v(i) - v(i + 1));
      out(i) += c;
      out(i + 1) -= c;
    }
    return true;
  }

 private:
  double weight(Index i) const { return 1.0 + static_cast<double>(i % 7); }
  Index n_;
};

struct Case {
  std::string algorithm, line_search;
  Safeguard safeguard;
};

void PrintTo(const Case& c, std::ostream* os) { *os << c.algorithm << ' ' << c.line_search; }

class Iteration : public testing::TestWithParam<Case> {};

TEST_P(Iteration, AllocatesNothingOnceItsBuffersExist) {
  if (!LOA_COUNT_ALLOCATIONS) GTEST_SKIP() << "allocations cannot be counted in this build";
  constexpr Index n = 200;
  Chain f(n);
  Options o;
  o.algorithm = GetParam().algorithm;
  o.line_search = GetParam().line_search;
  o.safeguard = GetParam().safeguard;
  o.gtol = 0.0;
  o.max_iterations = 40;
  // Two buffers for y take turns, so the second one is made in the second iteration.
  std::int64_t after_second = -1, last = -1, observed = 0;
  o.observer = [&](const Progress& p) {
    if (p.iteration == 2) after_second = num_allocations;
    last = num_allocations;
    observed = p.iteration;
    return Continue::kYes;
  };
  o.progress = [](std::string_view line) { EXPECT_NE(line.size(), 0u); };  // neither do lines of text
  const Summary s = minimize(f, Vector::Constant(n, 3.0) + 0.5 * test::random_vector(n, 1), o);
  if (observed < 3 && o.safeguard == Safeguard::kOff) GTEST_SKIP() << "without the safeguard: " << s.message;
  ASSERT_GE(observed, 3) << "too short a run to say anything";
  // A method that leaves its best point behind makes room for it (x and the gradient) when that happens first.
  const std::int64_t allowed = s.state.best_x.size() > 0 ? 2 : 0;
  EXPECT_LE(last - after_second, allowed) << "in " << observed - 2 << " iterations";
}

// A run in a box, with variables at their bounds and others that come and go, from the first iterations on, where the
// number of pairs grows.
class IterationWithBounds : public testing::TestWithParam<const char*> {};

TEST_P(IterationWithBounds, AllocatesNothingOnceItsBuffersExist) {
  if (!LOA_COUNT_ALLOCATIONS) GTEST_SKIP() << "allocations cannot be counted in this build";
  constexpr Index n = 200;
  Chain f(n);
  Options o;
  o.algorithm = GetParam();
  o.gtol = 0.0;
  o.max_iterations = 40;
  o.lower = Vector::Constant(n, -1.0);
  o.upper = Vector::LinSpaced(n, 0.5, 4.0);
  std::int64_t after_second = -1, last = -1, observed = 0;
  o.observer = [&](const Progress& p) {
    if (p.iteration == 2) after_second = num_allocations;
    last = num_allocations;
    observed = p.iteration;
    return Continue::kYes;
  };
  const Summary s = minimize(f, Vector::Constant(n, 3.0) + 0.5 * test::random_vector(n, 1), o);
  ASSERT_GE(observed, 20) << "too short a run to say anything";
  ASSERT_GT(s.bounds->num_active, 0);
  const std::int64_t allowed = s.state.best_x.size() > 0 ? 2 : 0;  // as above
  EXPECT_LE(last - after_second, allowed) << "in " << observed - 2 << " iterations";
}

INSTANTIATE_TEST_SUITE_P(Algorithms, IterationWithBounds,
                         testing::Values("l-bfgs+d", "l-bfgs+", "l-bfgs", "bfgs", "bfgs+d"));

// Long enough for pieces that several threads share; the allocations of this thread are counted.
TEST(LongIteration, AllocatesNothingOnSeveralThreads) {
  if (!LOA_COUNT_ALLOCATIONS) GTEST_SKIP() << "allocations cannot be counted in this build";
  set_num_threads(3);
  for (const auto& [algorithm, n] : {std::pair<const char*, Index>{"l-bfgs", 40000}, {"bfgs", 600}}) {
    Chain f(n);
    Options o;
    o.algorithm = algorithm;
    o.gtol = 0.0;
    o.max_iterations = 12;
    std::int64_t after_second = -1, last = -1;
    o.observer = [&](const Progress& p) {
      if (p.iteration == 2) after_second = num_allocations;
      last = num_allocations;
      return Continue::kYes;
    };
    const Summary s = minimize(f, Vector::Constant(n, 3.0) + 0.5 * test::random_vector(n, 1), o);
    EXPECT_EQ(s.iterations, 12) << algorithm;
    EXPECT_EQ(last, after_second) << algorithm;
  }
  set_num_threads(0);
}

// Compilers may leave out an allocation whose address nobody sees.
const void* volatile seen;

TEST(Counter, SeesAllocations) {
  if (!LOA_COUNT_ALLOCATIONS) GTEST_SKIP() << "allocations cannot be counted in this build";
  const std::int64_t before = num_allocations;
  const Vector vector(100);
  const auto object = std::make_unique<int[]>(100);
  seen = vector.data();
  seen = object.get();
  EXPECT_EQ(num_allocations - before, 2) << vector.size() << object[0];
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const AlgorithmInfo& info : algorithms()) {
    if (info.needs_hessian) continue;  // Newton: Eigen's blocked Cholesky takes a workspace in each factorization
    for (const LineSearchInfo& search : line_searches())
      for (const Safeguard safeguard : {Safeguard::kOff, Safeguard::kOn})
        list.push_back({info.name, search.name, safeguard});
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(Cases, Iteration, testing::ValuesIn(cases()), [](const auto& param_info) {
  const Case& c = param_info.param;
  return test::test_name(c.algorithm + "_" + c.line_search + (c.safeguard == Safeguard::kOn ? "_on" : "_off"));
});

}  // namespace
}  // namespace loa
