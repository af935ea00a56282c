// The gradient checker must find small errors and must not cry wolf on functions that are hard to difference.
#include "loa/check_gradient.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "problem/derivative_checks.h"

namespace loa {
namespace {

using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// --- functions with exact gradients ----------------------------------------------------------------------------------

double rosenbrock(const Vector& x, Vector& grad) {
  const double r = x[1] - x[0] * x[0], s = 1.0 - x[0];
  grad = (Vector(2) << -400.0 * x[0] * r - 2.0 * s, 200.0 * r).finished();
  return 100.0 * r * r + s * s;
}

double powell_badly_scaled(const Vector& x, Vector& grad) {
  const double r = 1e4 * x[0] * x[1] - 1.0, s = std::exp(-x[0]) + std::exp(-x[1]) - 1.0001;
  grad =
      (Vector(2) << 2e4 * r * x[1] - 2.0 * s * std::exp(-x[0]), 2e4 * r * x[0] - 2.0 * s * std::exp(-x[1])).finished();
  return r * r + s * s;
}

double brown_badly_scaled(const Vector& x, Vector& grad) {
  const double r = x[0] - 1e6, s = x[1] - 2e-6, t = x[0] * x[1] - 2.0;
  grad = (Vector(2) << 2.0 * r + 2.0 * t * x[1], 2.0 * s + 2.0 * t * x[0]).finished();
  return r * r + s * s + t * t;
}

double exponentials(const Vector& x, Vector& grad) {
  grad = (x.array() * 3.0).exp() * 3.0;
  return (x.array() * 3.0).exp().sum();
}

double logarithms(const Vector& x, Vector& grad) {
  grad = -x.cwiseInverse();
  return -x.array().log().sum();
}

Function scaled(Function f, double factor) {
  return [f, factor](const Vector& x, Vector& grad) {
    const double value = f(x, grad);
    grad *= factor;
    return factor * value;
  };
}

Function spoiled(Function f, Index coordinate, double relative) {
  return [f, coordinate, relative](const Vector& x, Vector& grad) {
    const double value = f(x, grad);
    grad[coordinate] *= 1.0 + relative;
    return value;
  };
}

Vector vec(std::initializer_list<double> values) {
  return Eigen::Map<const Vector>(values.begin(), static_cast<Index>(values.size()));
}

struct GradientCase {
  std::string name;
  Function f;
  Vector x;
  bool is_stationary = false;
};

std::vector<GradientCase> cases() {
  return {
      {"Rosenbrock", rosenbrock, vec({-1.2, 1.0})},
      {"RosenbrockAtMinimum", rosenbrock, vec({1.0, 1.0}), true},
      {"RosenbrockAtZero", rosenbrock, vec({0.0, 0.0})},
      {"RosenbrockFarAway", rosenbrock, vec({1e8, -3e5})},
      {"PowellStart", powell_badly_scaled, vec({0.0, 1.0})},
      {"PowellElsewhere", powell_badly_scaled, vec({1e-5, 9.0})},
      {"PowellFar", powell_badly_scaled, vec({2.0, 3.0})},
      {"PowellMinimum", powell_badly_scaled, vec({1.098159329699759e-5, 9.106146739867453}), true},
      {"BrownStart", brown_badly_scaled, vec({1.0, 1.0})},
      {"BrownNearMinimum", brown_badly_scaled, vec({1e6 + 1.0, 2.1e-6})},
      {"BrownMinimum", brown_badly_scaled, vec({1e6, 2e-6}), true},
      {"Exponentials", exponentials, vec({-2.0, 0.0, 3.0, 1e-9})},
      {"LogarithmsNearTheBorder", logarithms, vec({1e-12, 1.0, 1e12})},
      {"Line",
       [](const Vector& x, Vector& grad) {
         grad = Vector::Constant(2, 3.0);
         return 3.0 * x.sum();
       },
       vec({0.0, 5.0})},
      {"Constant",
       [](const Vector&, Vector& grad) {
         grad.setZero();
         return 4.0;
       },
       vec({0.0, 5.0}), true},
      {"Zero",
       [](const Vector&, Vector& grad) {
         grad.setZero();
         return 0.0;
       },
       vec({0.0, 0.0}), true},
      {"Offset",
       [](const Vector& x, Vector& grad) {
         grad = 2.0 * x;
         return 1e6 + x.squaredNorm();
       },
       vec({1.0, -2.0, 3.0})},
      {"TinyCoordinate",
       [](const Vector& x, Vector& grad) {
         grad = vec({1.0, 2.0 * x[1]});
         return x[0] + x[1] * x[1] + 1.0;
       },
       vec({1e-20, 2.0})},
      {"CancellationInside",
       [](const Vector& x, Vector& grad) {
         grad = vec({2.0 * x[0] * x[0] * x[0] * 2.0});
         const double r = (1e8 + x[0] * x[0]) - 1e8;  // noise of 1e-8 in a value of order 1
         return r * r;
       },
       vec({1.5})},
  };
}

TEST(CheckGradient, ExactGradientsPassAtEveryScale) {
  for (const GradientCase& c : cases()) {
    for (const double factor : {1.0, 1e-300, 1e-150, 1e150, -1.0, 1e250}) {
      const GradientCheck check = check_gradient(scaled(c.f, factor), c.x);
      EXPECT_TRUE(check.ok) << c.name << " times " << factor << ": " << check.message;
      EXPECT_LE(check.max_error, 1e-5) << c.name;
      EXPECT_GE(check.worst, 0) << c.name;
    }
  }
}

TEST(CheckGradient, OnePartInAThousandIsFound) {
  for (const GradientCase& c : cases()) {
    if (c.is_stationary || c.name == "CancellationInside") continue;  // nothing to spoil; too noisy to see
    for (Index i = 0; i < c.x.size(); ++i) {
      Vector grad(c.x.size());
      const double f = c.f(c.x, grad);
      // Seen only if it changes f visibly over the length of the coordinate.
      const double length = std::max(std::abs(c.x[i]), 1e-3);
      if (std::abs(grad[i]) * length * 1e-3 < 1e-9 * std::abs(f)) continue;
      for (const double relative : {1e-3, -1e-3, -2.0}) {
        const GradientCheck check = check_gradient(spoiled(c.f, i, relative), c.x);
        EXPECT_FALSE(check.ok) << c.name << " coordinate " << i << " off by " << relative << ": " << check.message;
        EXPECT_EQ(check.worst, i) << c.name;
      }
    }
  }
}

TEST(CheckGradient, FieldsAndMessage) {
  const GradientCheck check = check_gradient(spoiled(rosenbrock, 1, 0.5), vec({-1.2, 1.0}));
  EXPECT_FALSE(check.ok);
  EXPECT_EQ(check.worst, 1);
  EXPECT_NEAR(check.gradient, -132.0, 1e-10);
  EXPECT_NEAR(check.difference, -88.0, 1e-7);
  EXPECT_NEAR(check.max_error, 44.0 / 132.0, 1e-3);
  EXPECT_EQ(check.message, "the gradient is wrong: coordinate 1 is -132, finite differences say -88");
  EXPECT_EQ(check_gradient(rosenbrock, vec({-1.2, 1.0})).message,
            "the gradient agrees with finite differences to 1e-05 in all 2 coordinates");
}

TEST(CheckGradient, ForgottenCoordinateIsFound) {
  const Function zero = [](const Vector& x, Vector& grad) {
    grad = vec({2.0 * x[0], 0.0});
    return x.squaredNorm();
  };
  EXPECT_FALSE(check_gradient(zero, vec({1.0, 2.0})).ok);
  EXPECT_EQ(check_gradient(zero, vec({1.0, 2.0})).worst, 1);
  const Function unfilled = [](const Vector& x, Vector& grad) {
    grad[0] = 2.0 * x[0];
    return x.squaredNorm();
  };
  const GradientCheck check = check_gradient(unfilled, vec({1.0, 2.0}));
  EXPECT_FALSE(check.ok);
  EXPECT_EQ(check.worst, 1);
  EXPECT_THAT(check.message, HasSubstr("not filled, in coordinate 1"));
}

TEST(CheckGradient, NoiseIsMentioned) {
  // The gradient is wrong by 1 %, and f is 1e16 times larger than its changes.
  const Function buried = [](const Vector& x, Vector& grad) {
    grad = 2.02 * x;
    return 1e16 + x.squaredNorm();
  };
  const GradientCheck check = check_gradient(buried, vec({1.0}));
  EXPECT_TRUE(check.ok);
  EXPECT_THAT(check.message, HasSubstr("1 of them could not be told from the noise"));
}

TEST(CheckGradient, EvaluationsAreFourNPlusOne) {
  FunctionObjective f(5, [](const Vector& x, Vector& grad) {
    grad = 2.0 * x;
    return x.squaredNorm();
  });
  CountedObjective counted(f);
  EXPECT_TRUE(check_gradient(counted, random_vector(5, 1)).ok);
  EXPECT_EQ(counted.count().value, 21);
  EXPECT_EQ(counted.count().gradient, 1);
}

TEST(CheckGradient, NotFinite) {
  const auto with = [](double value, double slope) {
    return [value, slope](const Vector&, Vector& grad) {
      grad.setConstant(slope);
      return value;
    };
  };
  const double inf = std::numeric_limits<double>::infinity();
  for (const Function& f :
       {Function(with(kNan, 1.0)), Function(with(inf, 1.0)), Function(with(1.0, kNan)), Function(with(1.0, -inf))}) {
    const GradientCheck check = check_gradient(f, vec({1.0}));
    EXPECT_FALSE(check.ok);
    EXPECT_TRUE(std::isnan(check.max_error));
    EXPECT_THAT(check.message, HasSubstr("not finite"));
  }
  const GradientCheck at_nan = check_gradient(rosenbrock, vec({1.0, kNan}));
  EXPECT_FALSE(at_nan.ok);
  EXPECT_EQ(at_nan.worst, 1);
  EXPECT_EQ(at_nan.message, "x is not finite in coordinate 1");
  // Finite at x, not on its left.
  const Function border = [](const Vector& x, Vector& grad) {
    grad = 1.5 * x.cwiseSqrt();
    return (x[0] < 1.0 ? kNan : 0.0) + std::pow(x[0], 1.5);
  };
  const GradientCheck check = check_gradient(border, vec({1.0}));
  EXPECT_FALSE(check.ok);
  EXPECT_TRUE(std::isnan(check.max_error));
  EXPECT_THAT(check.message, HasSubstr("border of its domain"));
}

// --- bounds ----------------------------------------------------------------------------------------------------------

// Calls f, of whose points none may be outside.
struct Inside {
  Function f;
  GradientCheckOptions options;
  int num_calls = 0;

  GradientCheck check(const Vector& x) {
    num_calls = 0;
    const Function watched = [this](const Vector& point, Vector& grad) {
      ++num_calls;
      EXPECT_TRUE((options.lower.array() <= point.array()).all() && (point.array() <= options.upper.array()).all())
          << point.transpose();
      return f(point, grad);
    };
    return check_gradient(watched, x, options);
  }
};

GradientCheckOptions bounds_of(Vector lower, Vector upper) {
  return {.lower = std::move(lower), .upper = std::move(upper)};
}

TEST(CheckGradient, StaysInsideAndFindsErrorsAtBounds) {
  for (const GradientCase& c : cases()) {
    const Vector widths = c.x.cwiseAbs().array() + 1e-3;
    for (const double width : {0.0, 1e-9, 1e-6, 1.0}) {
      for (const bool at_lower : {true, false}) {
        const Vector other = at_lower ? Vector(c.x + widths) : Vector(c.x - widths);
        const Vector near = at_lower ? Vector(c.x - width * widths) : Vector(c.x + width * widths);
        for (const double factor : {1.0, 1e-150, 1e150}) {
          Inside inside{scaled(c.f, factor), at_lower ? bounds_of(near, other) : bounds_of(other, near)};
          if (c.name == "LogarithmsNearTheBorder" && !(inside.options.lower.array() > 0.0).all()) continue;
          const GradientCheck check = inside.check(c.x);
          EXPECT_TRUE(check.ok) << c.name << " " << width << " times " << factor << ": " << check.message;
          EXPECT_EQ(inside.num_calls, 4 * c.x.size() + 1);
        }
      }
    }
  }
}

TEST(CheckGradient, OnePartInAThousandIsFoundAtBounds) {
  const Vector x = vec({-1.2, 1.0});
  for (Index i = 0; i < 2; ++i) {
    for (const double relative : {1e-3, -1e-3, -2.0}) {
      Inside at_lower{spoiled(rosenbrock, i, relative), bounds_of(x, vec({2.0, 2.0}))};
      EXPECT_EQ(at_lower.check(x).ok, false);
      EXPECT_EQ(at_lower.check(x).worst, i);
      Inside at_upper{spoiled(rosenbrock, i, relative), bounds_of(vec({-2.0, -2.0}), x)};
      EXPECT_EQ(at_upper.check(x).ok, false);
      EXPECT_EQ(at_upper.check(x).worst, i);
      // Between bounds that are nearer than the step.
      Inside narrow{spoiled(rosenbrock, i, relative), bounds_of(x.array() - 3e-5, x.array() + 4e-5)};
      EXPECT_EQ(narrow.check(x).ok, false);
    }
  }
}

TEST(CheckGradient, BeginsInsideAndSkipsFixedVariables) {
  Inside inside{spoiled(rosenbrock, 1, 1.0), bounds_of(vec({-1.0, 2.0}), vec({1.0, 2.0}))};
  const GradientCheck check = inside.check(vec({-3.0, 5.0}));
  EXPECT_TRUE(check.ok) << check.message;
  EXPECT_EQ(check.worst, 0);
  EXPECT_EQ(inside.num_calls, 5);
  EXPECT_THAT(check.message, HasSubstr("1 of 2 coordinates, the others are fixed"));

  Inside fixed{rosenbrock, bounds_of(vec({1.0, 2.0}), vec({1.0, 2.0}))};
  EXPECT_TRUE(fixed.check(vec({0.0, 0.0})).ok);
  EXPECT_EQ(fixed.check(vec({0.0, 0.0})).worst, -1);
  EXPECT_EQ(fixed.num_calls, 1);
}

TEST(CheckGradient, BoundsWithoutRoomAreNoiseNotAnError) {
  const double tiny = std::numeric_limits<double>::denorm_min(), next = std::nextafter(1.0, 2.0);
  for (const auto& [low, high] : {std::pair{0.0, tiny}, {1.0, next}}) {
    Inside inside{[](const Vector& x, Vector& grad) {
                    grad = 2.0 * x.array() + 1.0;
                    return x.squaredNorm() + x.sum();
                  },
                  bounds_of(vec({low}), vec({high}))};
    const GradientCheck check = inside.check(vec({low}));
    EXPECT_TRUE(check.ok) << check.message;
  }
}

TEST(CheckGradient, FarBoundsChangeNothing) {
  const Vector x = vec({-1.2, 1.0}), far = Vector::Constant(2, std::numeric_limits<double>::infinity());
  const GradientCheck plain = check_gradient(spoiled(rosenbrock, 0, 1e-7), x);
  for (const GradientCheckOptions& options :
       {bounds_of(-far, far), bounds_of(vec({-1e308, -1e308}), vec({1e308, 1e308})), bounds_of({}, far)}) {
    const GradientCheck check = check_gradient(spoiled(rosenbrock, 0, 1e-7), x, options);
    EXPECT_EQ(check.max_error, plain.max_error);
    EXPECT_EQ(check.message, plain.message);
  }
}

TEST(CheckGradient, NoCoordinates) {
  int calls = 0;
  const GradientCheck check = check_gradient(
      [&calls](const Vector&, Vector&) {
        ++calls;
        return 3.0;
      },
      Vector());
  EXPECT_TRUE(check.ok);
  EXPECT_EQ(check.worst, -1);
  EXPECT_EQ(check.max_error, 0.0);
  EXPECT_EQ(calls, 1);
}

TEST(CheckGradient, ExceptionsPassThrough) {
  int calls = 0;
  const Function f = [&calls](const Vector& x, Vector& grad) {
    if (++calls == 7) throw std::domain_error("seventh call");
    grad = 2.0 * x;
    return x.squaredNorm();
  };
  EXPECT_THROW(check_gradient(f, vec({1.0, 2.0, 3.0})), std::domain_error);
}

TEST(CheckGradient, ProgrammersErrorsThrow) {
  FunctionObjective f(3, rosenbrock);
  EXPECT_THROW(check_gradient(f, vec({1.0, 2.0})), std::invalid_argument);
  EXPECT_THROW(check_gradient(rosenbrock, vec({1.0, 2.0}), 0.0), std::invalid_argument);
  EXPECT_THROW(check_gradient(rosenbrock, vec({1.0, 2.0}), kNan), std::invalid_argument);
  for (const GradientCheckOptions& mistaken :
       {bounds_of(vec({1.0, 1.0}), vec({2.0, 0.0})), bounds_of(vec({1.0, kNan}), {}), bounds_of(vec({1.0}), {})})
    EXPECT_THROW(check_gradient(rosenbrock, vec({1.0, 2.0}), mistaken), std::invalid_argument);
  const Function longer = [](const Vector&, Vector& grad) {
    grad = Vector::Zero(4);
    return 0.0;
  };
  EXPECT_THROW(check_gradient(longer, vec({1.0, 2.0})), std::invalid_argument);
}

}  // namespace
}  // namespace loa
