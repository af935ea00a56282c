// Would catch: bounds that change iterates although they are not reached, a first scale or a restart outside them, a
// replacement that is not counted, a state that forgets what is certain about B, an absolute constant in the tests, a
// mistake in the options that is accepted.
#include "algorithm/spectrum_guard.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "loa/lab.h"
#include "loa/quasi_newton_input.h"
#include "model/pooled_network.h"
#include "problem/decompositions.h"
#include "support/objectives.h"
#include "support/spy_storage.h"

namespace loa {
namespace {

using test::ChainedRosenbrock;
using test::kInf;
using test::kNaN;
using test::Quadratic;
using test::same_bits;

constexpr const char* kAlgorithms[] = {"bfgs", "sr1", "loa-bfgs"};
constexpr const char* kSearches[] = {"fixed", "paper", "more-thuente", "hager-zhang", "weak-wolfe", "exact"};

// Bounds tight enough to be reached on ChainedRosenbrock, whose eigenvalues near the minimum are about 0.5 to 2000.
Options tight(const std::string& algorithm = "bfgs", const std::string& line_search = "") {
  Options o;
  o.algorithm = algorithm;
  o.line_search = line_search;
  o.safeguard = Safeguard::kSpectrum;
  o.gtol = 0.0;
  o.max_iterations = 40;
  o.hyper_parameters.smallest_eigenvalue = 2e-3;
  o.hyper_parameters.largest_eigenvalue = 3e-2;
  if (line_search == "fixed") o.hyper_parameters.step_size = 0.01;
  return o;
}

void expect_same_run(const Summary& a, const Summary& b) {
  EXPECT_TRUE(same_bits(a.x, b.x)) << (a.x - b.x).norm();
  EXPECT_TRUE(same_bits(a.f, b.f));
  EXPECT_TRUE(same_bits(a.grad, b.grad));
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_EQ(a.evaluations, b.evaluations);
  EXPECT_EQ(a.fallbacks, b.fallbacks);
}

// --- bounds that are not reached -------------------------------------------------------------------------------------

Vector eigenvalues_of_B(const State& state) { return loa::eigenvalues(test::full_matrix(*state.B, state.dimension())); }

// Wide bounds intervene where B is not positive definite, which SR1 and LOA-BFGS may make it, and nowhere else.
TEST(SpectrumGuard, WithWideBoundsIsOnBitForBit) {
  int num_equal = 0;
  for (const char* algorithm : kAlgorithms)
    for (const char* line_search : kSearches)
      for (const bool banana : {true, false}) {
        SCOPED_TRACE(std::string(algorithm) + " " + line_search + (banana ? " rosenbrock" : " quadratic"));
        ChainedRosenbrock rosenbrock(6);
        Quadratic quadratic(test::random_spd(9, 100.0, 3), test::random_vector(9, 4));
        Objective& f = banana ? static_cast<Objective&>(rosenbrock) : quadratic;
        const Vector start = banana ? ChainedRosenbrock::start(6) : Vector(Vector::Ones(9));
        Options o;
        o.line_search = line_search;
        o.gtol = 1e-9;
        o.max_iterations = 100;
        double smallest = kInf;
        const Algorithm watched = test::watched(make_algorithm(algorithm), [&](const Step&, const State& state) {
          smallest = std::min(smallest, eigenvalues_of_B(state).minCoeff());
        });
        const Summary on = minimize(f, start, watched, o);
        o.safeguard = Safeguard::kSpectrum;
        o.hyper_parameters.smallest_eigenvalue = 1e-12;
        o.hyper_parameters.largest_eigenvalue = 1e12;
        const Summary guarded = minimize(f, start, make_algorithm(algorithm), o);
        EXPECT_EQ(guarded.fallbacks.spectrum > 0, smallest < 1e-12) << smallest;
        if (guarded.fallbacks.spectrum > 0) continue;
        expect_same_run(on, guarded);
        EXPECT_GT(on.iterations, 5);
        ++num_equal;
      }
  EXPECT_GE(num_equal, 20);
}

TEST(SpectrumGuard, DefaultBoundsAreNotReachedByBfgsOnRosenbrock) {
  ChainedRosenbrock f(20), g(20);
  Options o{.algorithm = "bfgs"};
  const Summary on = minimize(f, ChainedRosenbrock::start(20), o);
  o.safeguard = Safeguard::kSpectrum;
  const Summary guarded = minimize(g, ChainedRosenbrock::start(20), o);
  expect_same_run(on, guarded);
  EXPECT_TRUE(on.success());
  ASSERT_TRUE(guarded.guarantee.has_value());
  EXPECT_NEAR(guarded.guarantee->eigenvalues.largest / guarded.guarantee->eigenvalues.smallest, 1e12, 1.0);
  EXPECT_FALSE(on.guarantee.has_value());
}

// --- bounds that are -------------------------------------------------------------------------------------------------

struct Seen {
  std::int64_t num_damped = 0, num_skipped = 0, num_restarts = 0, num_outside = 0, num_inconsistent = 0;
};

test::Look count_into(Seen& seen, const EigenvalueRange& bounds) {
  return [&seen, bounds](const Step& step, const State& state) {
    const bool updated = step.kind == UpdateKind::kModel || step.kind == UpdateKind::kSecantStep;
    seen.num_damped += updated && step.factor < 1.0;
    seen.num_skipped += step.kind == UpdateKind::kSkipped;
    seen.num_restarts += step.kind == UpdateKind::kRestart;
    const Vector lambda = eigenvalues_of_B(state);
    seen.num_outside += !(lambda.minCoeff() >= bounds.smallest && lambda.maxCoeff() <= bounds.largest);
    seen.num_outside += !(lambda.minCoeff() >= state.spectrum.smallest * (1.0 - 1e-12));
    seen.num_outside += !(lambda.maxCoeff() <= state.spectrum.largest * (1.0 + 1e-12));
    // The direction is -gamma B_k g_k of this very matrix.
    const Matrix B = test::full_matrix(*state.B, state.dimension());
    const double gamma = state.guarantee.gamma;
    seen.num_inconsistent +=
        !((step.direction + gamma * B * state.grad).norm() <= 1e-8 * gamma * bounds.largest * state.grad.norm());
  };
}

TEST(SpectrumGuard, UpdatesAreDampedReplacedAndCounted) {
  Seen all;
  for (const char* algorithm : kAlgorithms)
    for (const char* line_search : kSearches) {
      SCOPED_TRACE(std::string(algorithm) + " " + line_search);
      ChainedRosenbrock f(8);
      const Options o = tight(algorithm, line_search);
      Seen seen;
      const Algorithm watched = test::watched(
          make_algorithm(algorithm, o.hyper_parameters),
          count_into(seen, {o.hyper_parameters.smallest_eigenvalue, o.hyper_parameters.largest_eigenvalue}));
      const Summary s = minimize(f, ChainedRosenbrock::start(8), watched, o);
      EXPECT_EQ(seen.num_outside, 0);
      EXPECT_EQ(seen.num_inconsistent, 0);
      EXPECT_GT(s.iterations, 10);
      EXPECT_GT(s.fallbacks.spectrum, 0);
      EXPECT_LE(s.fallbacks.spectrum, s.iterations);
      EXPECT_GE(s.fallbacks.spectrum, seen.num_damped);
      EXPECT_EQ(s.fallbacks.skipped, seen.num_skipped);
      all.num_damped += seen.num_damped;
      all.num_skipped += seen.num_skipped;
    }
  EXPECT_GT(all.num_damped, 0);
  EXPECT_GT(all.num_skipped, 0);
}

class ModelOutOfRange final : public Model {
 public:
  explicit ModelOutOfRange(int kind) : kind_(kind) {}
  void predict(const Input& input, Prediction& prediction) const override {
    const Vector &d = input.vectors[kD], &delta_g = input.covectors[kDeltaG];
    prediction.trial_step = 1e3;  // must not lengthen a fixed step
    switch (kind_) {
      case 0:
        prediction.y = Vector::Constant(d.size(), kNaN);
        break;
      case 1:
        prediction.y = Vector::Constant(d.size(), kInf);
        break;
      case 2:
        prediction.y = 1e308 / inf_norm(d) * d;
        break;
      case 3:  // almost orthogonal to dg: the term is huge
        prediction.y = d - (1.0 - 1e-7) * delta_g.dot(d) / delta_g.squaredNorm() * delta_g;
        break;
      case 4:
        prediction.y = -input.covectors[kGrad];
        break;
      default:
        prediction.y = Vector::Zero(d.size());
    }
  }

 private:
  int kind_;
};

TEST(SpectrumGuard, HostileModelsCannotBreakIt) {
  for (int kind = 0; kind < 6; ++kind)
    for (const char* line_search : {"fixed", "more-thuente"}) {
      SCOPED_TRACE(std::to_string(kind) + " " + line_search);
      constexpr double kL = 50.0;
      Quadratic f(test::random_spd(10, kL, 3), test::random_vector(10, 4));
      Options o;
      o.safeguard = Safeguard::kSpectrum;
      o.line_search = line_search;
      o.lipschitz = kL;
      o.first_step = 0.5 / kL;
      o.gtol = 1e-7;
      o.max_iterations = 20000;
      o.hyper_parameters.smallest_eigenvalue = 0.1 / kL;
      o.hyper_parameters.largest_eigenvalue = 1.9 / kL;
      Algorithm algorithm = make_algorithm("bfgs");
      algorithm.model = std::make_shared<ModelOutOfRange>(kind);
      Seen seen;
      double f_prev = kInf;
      std::int64_t num_increases = 0;
      o.observer = [&](const Progress& p) {
        num_increases += p.f > f_prev;
        f_prev = p.f;
        return Continue::kYes;
      };
      const Summary s = minimize(f, Vector::Ones(10),
                                 test::watched(algorithm, count_into(seen, {o.hyper_parameters.smallest_eigenvalue,
                                                                            o.hyper_parameters.largest_eigenvalue})),
                                 o);
      EXPECT_EQ(s.status, Status::kGradientIsSmall) << s.grad_inf_norm;
      EXPECT_EQ(seen.num_outside, 0);
      EXPECT_EQ(seen.num_inconsistent, 0);
      EXPECT_EQ(num_increases, 0);
      EXPECT_EQ(s.guarantee->violations, 0);
      EXPECT_GE(s.guarantee->smallest_cosine, s.guarantee->promised_cosine());
    }
}

// The direction comes from a formula. One that no matrix inside the bounds could have made is refused.
TEST(SpectrumGuard, TestsTheDirectionItself) {
  Input input;
  input.gamma = 0.5;
  input.covectors = {Vector{{3.0, 4.0, 0.0}}};
  State state;
  state.guarantee.eigenvalues = {1.0, 4.0};
  const auto admits = [&](const Vector& direction) {
    Step step;
    step.direction = direction;
    step.slope = direction.dot(input.covectors[kGrad]);
    step.length = direction.norm();
    step.grad_norm = input.covectors[kGrad].norm();
    return SpectrumGuard::admits_direction(input, state, step);
  };
  const Vector grad = input.covectors[kGrad];
  for (const double scale : {1.0, 2.0, 4.0}) EXPECT_TRUE(admits(-0.5 * scale * grad)) << scale;
  for (const double scale : {0.999, 4.001, 0.0, -1.0, kNaN, kInf}) EXPECT_FALSE(admits(-0.5 * scale * grad)) << scale;
  // <g,p> is that of B = 2 I, but p is too long.
  EXPECT_TRUE(admits(-0.5 * (2.0 * grad + Vector{{0.0, 0.0, 9.0}})));
  EXPECT_FALSE(admits(-0.5 * (2.0 * grad + Vector{{0.0, 0.0, 11.0}})));
}

TEST(SpectrumGuard, FirstScaleIsMovedInside) {
  Quadratic f(4.0 * Matrix::Identity(3, 3), Vector::Zero(3));  // 0.8 gamma_BB = 0.2
  for (const auto& [lower, upper] :
       {EigenvalueRange{0.5, 1.0}, EigenvalueRange{0.01, 0.1}, EigenvalueRange{0.1, 0.5}}) {
    Options o;
    o.safeguard = Safeguard::kSpectrum;
    o.hyper_parameters = {.step_size = 0.5, .smallest_eigenvalue = lower, .largest_eigenvalue = upper};
    o.max_iterations = 0;
    State state = minimize(f, Vector::Ones(3), o).state;
    const double scale = std::clamp(0.2, lower, upper);
    const Matrix B = test::full_matrix(*state.B, 3);
    EXPECT_LT((B - scale * Matrix::Identity(3, 3)).norm(), 1e-12);
    EXPECT_GE(B(0, 0), lower);
    EXPECT_LE(B(0, 0), upper);
    EXPECT_EQ(state.spectrum.smallest, B(0, 0));
    EXPECT_EQ(state.spectrum.largest, B(0, 0));
    // The oracle reads B_{-1} g_{-1} from here.
    EXPECT_LT((state.direction_prev + 0.5 * B * state.grad_prev).norm(), 1e-12);
  }
}

TEST(SpectrumGuard, RestartsStayInside) {
  Quadratic f(4.0 * Matrix::Identity(3, 3), Vector::Zero(3));  // 0.8 gamma_BB = 0.2
  Options o;
  o.safeguard = Safeguard::kSpectrum;
  o.max_iterations = 1;
  o.gtol = 0.0;
  o.first_step = 0.01;
  o.hyper_parameters = {.step_size = 0.3, .smallest_eigenvalue = 1.0};
  const Algorithm bfgs = make_algorithm("bfgs", o.hyper_parameters);
  State state = minimize(f, Vector::Ones(3), bfgs, o).state;
  ASSERT_TRUE(state.B != nullptr);
  Step step;
  step.kind = UpdateKind::kRestart;
  step.scale = bfgs.storage->restart_scale(state);
  EXPECT_NEAR(step.scale, 0.3, 1e-12);
  bfgs.storage->store({}, step, state);
  const Matrix B = test::full_matrix(*state.B, 3);
  EXPECT_GE(B(0, 0), 1.0);
  EXPECT_LT(B(0, 0), 1.0 + 1e-12);
  EXPECT_EQ(state.spectrum.smallest, B(0, 0));
}

// Searches that fail end in a restart, also in the loop.
TEST(SpectrumGuard, RestartsOfTheLoopStayInside) {
  Seen seen;
  std::int64_t calls = 0;
  ChainedRosenbrock rosenbrock(4);
  // Shows a wall to a whole search now and then.
  FunctionObjective f(4, [&](const Vector& x, Vector& grad) {
    const double value = rosenbrock.value_and_gradient(x, grad);
    ++calls;
    return calls % 100 > 50 && calls % 100 < 92 ? kInf : value;
  });
  Options o = tight();
  o.max_iterations = 60;
  const Summary s = minimize(f, ChainedRosenbrock::start(4),
                             test::watched(make_algorithm("bfgs"), count_into(seen, {2e-3, 3e-2})), o);
  EXPECT_GT(s.fallbacks.restart, 0);
  EXPECT_EQ(seen.num_outside, 0);
  EXPECT_EQ(seen.num_inconsistent, 0);
}

// --- resuming --------------------------------------------------------------------------------------------------------

TEST(SpectrumGuard, ResumesBitForBit) {
  for (const char* algorithm : kAlgorithms)
    for (const char* line_search : {"fixed", "more-thuente"}) {
      SCOPED_TRACE(std::string(algorithm) + " " + line_search);
      const std::string path =
          (std::filesystem::temp_directory_path() / (std::string("loa_spectrum_") + algorithm + line_search)).string();
      ChainedRosenbrock f(6), g(6);
      Options o = tight(algorithm, line_search);
      o.lipschitz = 1e4;
      const Summary whole = minimize(f, ChainedRosenbrock::start(6), o);
      ASSERT_GT(whole.fallbacks.spectrum, 0);
      o.max_iterations = 9;
      const Summary part = minimize(g, ChainedRosenbrock::start(6), o);
      ASSERT_EQ(save_state(part.state, path).message(), "");
      State state;
      ASSERT_EQ(load_state(path, state).message(), "");
      std::remove(path.c_str());
      o.max_iterations = 40;
      const Summary resumed = resume(g, state, o);
      expect_same_run(whole, resumed);
      EXPECT_EQ(whole.guarantee->evaluated, resumed.guarantee->evaluated);
      EXPECT_EQ(whole.guarantee->violations, resumed.guarantee->violations);
      EXPECT_TRUE(same_bits(whole.guarantee->promised_decrease, resumed.guarantee->promised_decrease));
      EXPECT_TRUE(same_bits(whole.guarantee->smallest_cosine, resumed.guarantee->smallest_cosine));
      EXPECT_TRUE(same_bits(whole.guarantee->smallest_slack, resumed.guarantee->smallest_slack));
      EXPECT_TRUE(same_bits(whole.guarantee->eigenvalues.largest, resumed.guarantee->eigenvalues.largest));
      EXPECT_TRUE(same_bits(whole.state.spectrum.smallest, resumed.state.spectrum.smallest));
      EXPECT_TRUE(same_bits(whole.state.spectrum.largest, resumed.state.spectrum.largest));
    }
}

TEST(SpectrumGuard, ResumesWithTheSameBoundsOnly) {
  ChainedRosenbrock f(6);
  const Options o = tight();
  const State guarded = minimize(f, ChainedRosenbrock::start(6), o).state;
  Options other = o;
  other.hyper_parameters.largest_eigenvalue = 1.0;
  EXPECT_THROW(resume(f, guarded, other), std::invalid_argument);
  other = {};
  EXPECT_THROW(resume(f, guarded, other), std::invalid_argument);
  other.max_iterations = 5;
  const State on = minimize(f, ChainedRosenbrock::start(6), other).state;
  EXPECT_THROW(resume(f, on, o), std::invalid_argument);
  CountedObjective counted(f);
  EXPECT_THROW(run(make_algorithm("bfgs"), counted, on, o), std::invalid_argument);
}

// --- scaling ---------------------------------------------------------------------------------------------------------

struct Exponents {
  int x, f;
};

// B scales by x^2/f: odd powers of two are among them.
constexpr Exponents kExponents[] = {{0, 1}, {0, -39}, {3, 0}, {-20, 33}};

TEST(SpectrumGuard, ScalesBitForBit) {
  for (const char* algorithm : kAlgorithms)
    for (const char* line_search : {"fixed", "more-thuente"})
      for (const bool given : {true, false})
        for (const auto& [x, f] : kExponents) {
          SCOPED_TRACE(std::string(algorithm) + " " + line_search + " x 2^" + std::to_string(x) + " f 2^" +
                       std::to_string(f));
          ChainedRosenbrock plain(6), inner(6);
          test::Scaled scaled(inner, std::exp2(x), std::exp2(f));
          Options o = tight(algorithm, line_search);
          o.lipschitz = 2000.0;
          if (!given) o.hyper_parameters.smallest_eigenvalue = o.hyper_parameters.largest_eigenvalue = kNaN;
          const Summary a = minimize(plain, ChainedRosenbrock::start(6), o);
          o.lipschitz = std::exp2(f - 2 * x) * 2000.0;
          o.hyper_parameters.smallest_eigenvalue *= std::exp2(2 * x - f);
          o.hyper_parameters.largest_eigenvalue *= std::exp2(2 * x - f);
          const Summary b = minimize(scaled, std::exp2(x) * ChainedRosenbrock::start(6), o);
          EXPECT_TRUE(same_bits(std::exp2(x) * a.x, b.x));
          EXPECT_TRUE(same_bits(std::exp2(f) * a.f, b.f));
          EXPECT_EQ(a.iterations, b.iterations);
          EXPECT_EQ(a.fallbacks, b.fallbacks);
          EXPECT_TRUE(
              same_bits(std::exp2(2 * x - f) * a.guarantee->eigenvalues.largest, b.guarantee->eigenvalues.largest));
          EXPECT_TRUE(same_bits(a.guarantee->smallest_cosine, b.guarantee->smallest_cosine));
          EXPECT_EQ(a.guarantee->violations, b.guarantee->violations);
          if (given) {
            EXPECT_GT(a.fallbacks.spectrum, 0);
          }
        }
}

// --- the report ------------------------------------------------------------------------------------------------------

TEST(Guarantee, ALipschitzConstantThatIsTooSmallIsFoundOut) {
  constexpr double kL = 30.0;
  Options o;
  o.safeguard = Safeguard::kSpectrum;
  o.line_search = "fixed";
  o.first_step = 0.01;
  o.max_iterations = 20;
  o.gtol = 0.0;
  o.hyper_parameters.largest_eigenvalue = 1.9 / kL;
  o.hyper_parameters.smallest_eigenvalue = 1.0 / kL;
  for (const double factor : {1.0, 0.3}) {
    Quadratic f(test::random_spd(6, kL, 3), test::random_vector(6, 4));
    o.lipschitz = factor * kL;
    const Summary s = minimize(f, Vector::Ones(6), o);
    EXPECT_EQ(s.guarantee->evaluated, 20);
    EXPECT_EQ(s.guarantee->violations > 0, factor < 1.0) << s.guarantee->violations;
    EXPECT_EQ(s.guarantee->smallest_slack < 0.0, factor < 1.0) << s.guarantee->smallest_slack;
    EXPECT_TRUE(s.guarantee->step_size_is_small_enough());
    EXPECT_GT(s.guarantee->promised_decrease, 0.0);
  }
}

TEST(Guarantee, SaysNothingAboutDescentWithoutALipschitzConstant) {
  ChainedRosenbrock f(6);
  const Summary s = minimize(f, ChainedRosenbrock::start(6), tight());
  EXPECT_EQ(s.guarantee->evaluated, 0);
  EXPECT_FALSE(s.guarantee->step_size_is_small_enough());
  EXPECT_NEAR(s.guarantee->promised_cosine(), 2.0 * std::sqrt(2e-3 * 3e-2) / (2e-3 + 3e-2), 1e-15);
  EXPECT_GE(s.guarantee->smallest_cosine, s.guarantee->promised_cosine());
  EXPECT_LE(s.guarantee->smallest_cosine, 1.0 + 1e-15);
}

TEST(Guarantee, AFixedStepWithAKnownConstantChoosesTheUpperBound) {
  Quadratic f(test::random_spd(6, 30.0, 3), test::random_vector(6, 4));
  Options o;
  o.safeguard = Safeguard::kSpectrum;
  o.line_search = "fixed";
  o.first_step = 0.01;
  o.lipschitz = 30.0;
  o.hyper_parameters.step_size = 0.25;
  const Summary s = minimize(f, Vector::Ones(6), o);
  EXPECT_EQ(s.guarantee->eigenvalues.largest, 1.0 / (0.25 * 30.0));
  EXPECT_TRUE(s.guarantee->step_size_is_small_enough());
  EXPECT_EQ(s.guarantee->violations, 0);
  EXPECT_TRUE(s.success()) << s.message;
}

// --- mistakes --------------------------------------------------------------------------------------------------------

TEST(SpectrumGuard, RefusesMistakes) {
  ChainedRosenbrock f(4);
  const Vector start = ChainedRosenbrock::start(4);
  const auto refuses = [&](double lower, double upper) {
    Options o;
    o.safeguard = Safeguard::kSpectrum;
    o.hyper_parameters.smallest_eigenvalue = lower;
    o.hyper_parameters.largest_eigenvalue = upper;
    EXPECT_THROW(minimize(f, start, o), std::invalid_argument) << lower << ' ' << upper;
  };
  refuses(0.0, 1.0);
  refuses(-1.0, 1.0);
  refuses(2.0, 1.0);
  refuses(1.0, kInf);
  refuses(kInf, kNaN);
  refuses(kNaN, 0.0);

  for (const AlgorithmInfo& info : algorithms()) {
    Options o;
    o.algorithm = info.name;
    o.safeguard = Safeguard::kSpectrum;
    o.max_iterations = 2;
    if (info.name == "bfgs" || info.name == "sr1" || info.name == "loa-bfgs")
      EXPECT_NO_THROW(minimize(f, start, o)) << info.name;
    else
      EXPECT_THROW(minimize(f, start, o), std::invalid_argument) << info.name;
  }
  Options o;
  o.lipschitz = 1.0;
  EXPECT_THROW(minimize(f, start, o), std::invalid_argument);
  o.safeguard = Safeguard::kSpectrum;
  o.lipschitz = -1.0;
  EXPECT_THROW(minimize(f, start, o), std::invalid_argument);
  o = {};
  o.hyper_parameters.largest_eigenvalue = 1.0;
  EXPECT_THROW(minimize(f, start, o), std::invalid_argument);
}

// The name of before, which the next version drops.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TEST(SpectrumGuard, HasItsOldName) { EXPECT_EQ(Safeguard::kBounded, Safeguard::kSpectrum); }
#pragma GCC diagnostic pop

}  // namespace
}  // namespace loa
