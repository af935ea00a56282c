// More than two hundred objectives that do what objectives must not do, each with what is known about it from
// mathematics alone. Nothing here comes from the library but its types and its random numbers.
//
// An objective is made from a base function (sphere, quadratic, Rosenbrock, ...) by combinators that spoil it: an
// offset, a scale, noise, a wrong gradient, a hole in the domain. The combinators keep the facts up to date.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "loa/objective.h"
#include "loa/random.h"
#include "support/objectives.h"

namespace loa::hostile {

using test::kEps;
using test::kInf;
using test::kNaN;

// What a throwing objective throws. No part of the library knows it.
struct HostileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An objective and what is known about it.
struct Hostile {
  std::string name;
  std::string family;
  Vector start;
  std::function<Function()> make;  // a fresh callable for each run: some of them remember their last call

  double minimum = 0.0;  // the greatest lower bound of the finite values of f; -infinity when f is unbounded
  double local =
      kNaN;            // another value at which descent may end in truth: a local minimum, or all that a gradient shows
  double terms = 1.0;  // the largest magnitude of what is added up in f near its minimizer
  double noise = 0.0;  // f as returned differs from a smooth function by at most this near its minimizer
  bool ordinary = false;  // smooth, of moderate condition, right gradient: good algorithms have to succeed
  bool twice = true;      // differences of the gradient may serve as a Hessian
  int throw_at = 0;       // the call, counted from 1, at which the objective throws; 0 for never

  Index n() const { return start.size(); }
  bool unbounded() const { return minimum == -kInf; }
  // Whether f cannot be lowered visibly from a point with this value. Values are told apart by 64 units in the last
  // place of the largest term, and above underflow. Noise hides more: a method that has met the large curvatures of a
  // valley alone sees |g|^2/(2 kappa), a part of what is left to gain that is as small as the condition is large.
  bool cannot_be_lowered(double f) const {
    const double blur = 1000.0 * noise + std::numeric_limits<double>::min();
    const auto at = [&](double value) { return f - value <= 64.0 * kEps * std::max(terms, std::abs(value)) + blur; };
    return (!unbounded() && at(minimum)) ||
           (std::abs(f - local) <= 64.0 * kEps * std::max(terms, std::abs(local)) + blur);
  }
};

// A number in [-1, 1) that is a function of the bits of x.
inline double hash_noise(const Vector& x) {
  std::uint64_t hash = 1469598103934665603ULL;
  for (double value : x) hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 1099511628211ULL;
  return Random(hash).uniform(-1.0, 1.0);
}

// --- Base functions: smooth, with right gradients. Minimum 0 unless said.

inline Hostile base(std::string name, Vector start, Function f) {
  Hostile h;
  h.name = std::move(name);
  h.start = std::move(start);
  h.make = [f = std::move(f)] { return f; };
  return h;
}

inline Vector alternating(Index n, double odd, double even) {
  Vector x(n);
  for (Index i = 0; i < n; ++i) x(i) = i % 2 == 0 ? odd : even;
  return x;
}

// 1/2 sum l_i (x_i - 1)^2 with l_i spaced logarithmically in [1, condition].
inline Hostile quadratic(Index n, double condition) {
  Vector l(n);
  for (Index i = 0; i < n; ++i)
    l(i) = n == 1 ? condition : std::pow(condition, static_cast<double>(i) / static_cast<double>(n - 1));
  return base(fmt::format("quadratic{}(cond {:g})", n, condition), alternating(n, 3.0, -2.0),
              [l](const Vector& x, Vector& g) {
                const Vector r = x.array() - 1.0;
                g = l.cwiseProduct(r);
                return 0.5 * g.dot(r);
              });
}

inline Hostile sphere(Index n) {
  Hostile h = quadratic(n, 1.0);
  h.name = fmt::format("sphere{}", n);
  return h;
}

// The same in a basis that a reflection Q = I - 2 v v^T turns: 1/2 sum l_i z_i^2, z = Q (x - 1). Rounding of the
// gradient, eps times the condition, hides directions of small curvature; hence the terms.
inline Hostile rotated(Index n, double condition) {
  const Vector v = test::random_vector(n, 7).normalized();
  const auto reflect = [v](const Vector& z) -> Vector { return z - 2.0 * v.dot(z) * v; };
  const Function straight = quadratic(n, condition).make();
  Hostile h = base(fmt::format("rotated{}(cond {:g})", n, condition), alternating(n, 3.0, -2.0),
                   [straight, reflect](const Vector& x, Vector& g) {
                     Vector turned(x.size());
                     const double f = straight(reflect(x.array() - 1.0).array() + 1.0, turned);
                     g = reflect(turned);
                     return f;
                   });
  h.terms = condition;
  return h;
}

inline Hostile rosenbrock(Index n) {
  return base(fmt::format("rosenbrock{}", n), alternating(n, -1.2, 1.0), [](const Vector& x, Vector& g) {
    double f = 0.0;
    for (Index i = 0; i + 1 < x.size(); i += 2) {
      const double a = 1.0 - x(i), b = x(i + 1) - x(i) * x(i);
      g(i) = -2.0 * a - 400.0 * x(i) * b;
      g(i + 1) = 200.0 * b;
      f += a * a + 100.0 * b * b;
    }
    return f;
  });
}

// sum phi(x_i - center), phi with its derivative.
using Scalar = std::function<std::pair<double, double>(double)>;
inline Hostile separable(std::string name, Vector start, const Scalar& phi, double center = 0.0) {
  return base(std::move(name), std::move(start), [phi, center](const Vector& x, Vector& g) {
    double f = 0.0;
    for (Index i = 0; i < x.size(); ++i) {
      const auto [value, slope] = phi(x(i) - center);
      f += value;
      g(i) = slope;
    }
    return f;
  });
}

inline Hostile quartic(Index n) {
  return separable(
      fmt::format("quartic{}", n), alternating(n, 3.0, -2.0),
      [](double t) { return std::pair(t * t * t * t, 4.0 * t * t * t); }, 1.0);
}

// sum e^t - t, minimum n.
inline Hostile exponential(Index n) {
  Hostile h = separable(fmt::format("exponential{}", n), alternating(n, 2.0, -3.0),
                        [](double t) { return std::pair(std::exp(t) - t, std::expm1(t)); });
  h.minimum = h.terms = static_cast<double>(n);
  return h;
}

inline Hostile log_cosh(Index n) {
  return separable(
      fmt::format("log-cosh{}", n), alternating(n, 4.0, -3.0),
      [](double t) {
        const double a = std::abs(t);
        return std::pair(a + std::log1p(std::exp(-2.0 * a)) - std::log(2.0), std::tanh(t));
      },
      1.0);
}

inline Hostile powell_singular() {
  return base("powell-singular", Vector{{3.0, -1.0, 0.0, 1.0}}, [](const Vector& x, Vector& g) {
    const double a = x(0) + 10.0 * x(1), b = x(2) - x(3), c = x(1) - 2.0 * x(2), d = x(0) - x(3);
    g(0) = 2.0 * a + 40.0 * d * d * d;
    g(1) = 20.0 * a + 4.0 * c * c * c;
    g(2) = 10.0 * b - 8.0 * c * c * c;
    g(3) = -10.0 * b - 40.0 * d * d * d;
    return a * a + 5.0 * b * b + c * c * c * c + 10.0 * d * d * d * d;
  });
}

inline Hostile beale() {
  return base("beale", Vector{{1.0, 1.0}}, [](const Vector& x, Vector& g) {
    double f = 0.0, power = 1.0;
    g.setZero();
    for (const double target : {1.5, 2.25, 2.625}) {
      const double order = target == 1.5 ? 1.0 : target == 2.25 ? 2.0 : 3.0;
      const double slope = order * power;
      power *= x(1);
      const double r = target - x(0) * (1.0 - power);
      f += r * r;
      g(0) -= 2.0 * r * (1.0 - power);
      g(1) += 2.0 * r * x(0) * slope;
    }
    return f;
  });
}

// --- Combinators.

// Exchanges the callable: `wrap` turns a Function into another one.
inline Hostile wrapped(Hostile h, const std::string& suffix, const std::function<Function(Function)>& wrap) {
  h.name += suffix;
  h.ordinary = false;
  h.make = [make = h.make, wrap] { return wrap(make()); };
  return h;
}

inline Hostile offset(const Hostile& h, double c) {
  Hostile out = wrapped(h, fmt::format(" + {:g}", c), [c](Function f) -> Function {
    return [f, c](const Vector& x, Vector& g) { return f(x, g) + c; };
  });
  out.minimum += c;
  out.local += c;
  out.terms += std::abs(c);
  return out;
}

// outer f(inner x).
inline Hostile scaled(const Hostile& h, double outer, double inner) {
  Hostile out = wrapped(h, fmt::format(" f*{:g} x*{:g}", outer, inner), [outer, inner](Function f) -> Function {
    return [f, outer, inner](const Vector& x, Vector& g) {
      const double value = outer * f(inner * x, g);
      g *= outer;
      g *= inner;
      return value;
    };
  });
  out.start /= inner;
  out.minimum *= outer;
  out.local *= outer;
  out.terms *= outer;
  return out;
}

// (f + 1)(1 + level * hash of x), with the gradient of f: right up to noise.
inline Hostile noisy(const Hostile& h, double level) {
  Hostile out = wrapped(h, fmt::format(" noise {:g}", level), [level](Function f) -> Function {
    return [f, level](const Vector& x, Vector& g) { return (f(x, g) + 1.0) * (1.0 + level * hash_noise(x)); };
  });
  out.minimum += 1.0;
  out.terms += 1.0;
  out.noise = level * out.minimum;
  out.twice = false;
  return out;
}

// The gradient goes through `change`; f stays.
inline Hostile wrong_gradient(const Hostile& h, const std::string& how, const std::function<void(Vector&)>& change) {
  return wrapped(h, " gradient " + how, [change](Function f) -> Function {
    return [f, change](const Vector& x, Vector& g) {
      const double value = f(x, g);
      change(g);
      return value;
    };
  });
}

// The gradient of the call before, as from a buffer that is filled too late.
inline Hostile stale_gradient(const Hostile& h) {
  Hostile out = wrapped(h, " gradient stale", [](Function f) -> Function {
    return [f, last = Vector()](const Vector& x, Vector& g) mutable {
      const double value = f(x, g);
      if (last.size() != g.size()) last = g;
      last.swap(g);
      return value;
    };
  });
  out.twice = false;
  return out;
}

// One more variable of this size at the start. With a weight w > 0 it adds w (z/size - 1/2)^2.
inline Hostile huge_variable(const Hostile& h, double size, double weight) {
  Hostile out =
      wrapped(h, fmt::format(" variable {:g} weight {:g}", size, weight), [size, weight](Function f) -> Function {
        return [f, size, weight](const Vector& x, Vector& g) {
          const Index n = x.size() - 1;
          Vector part(n);
          const double t = x(n) / size - 0.5, value = f(x.head(n), part) + weight * t * t;
          g << part, 2.0 * weight * t / size;
          return value;
        };
      });
  out.start.conservativeResize(h.n() + 1);
  out.start(h.n()) = size;
  return out;
}

// Where `bad` holds, f is `value` and the gradient `slope` in each coordinate.
inline Hostile spoiled(const Hostile& h, const std::string& how, const std::function<bool(const Vector&)>& bad,
                       double value, double slope) {
  return wrapped(h, " " + how, [bad, value, slope](Function f) -> Function {
    return [f, bad, value, slope](const Vector& x, Vector& g) {
      if (!bad(x)) return f(x, g);
      g.setConstant(slope);
      return value;
    };
  });
}

// Facts that a combinator could not know.
inline Hostile with(Hostile h, double minimum, double terms = 1.0, double local = kNaN) {
  h.minimum = minimum;
  h.terms = terms;
  h.local = local;
  return h;
}

inline Hostile from(Hostile h, Vector start, const std::string& suffix) {
  h.start = std::move(start);
  h.name += suffix;
  return h;
}

// --- The families.

using List = std::vector<Hostile>;

inline List ordinary() {
  List list = {
      sphere(1),          sphere(2),      sphere(10),       sphere(1000),      quadratic(2, 1e4), quadratic(10, 1e2),
      rosenbrock(2),      rosenbrock(10), exponential(1),   exponential(2),    exponential(10),   log_cosh(1),
      log_cosh(10),       beale(),        rotated(10, 1e3), exponential(1000), quadratic(1, 3),   rotated(2, 1e2),
      quadratic(100, 10), log_cosh(2)};
  for (Hostile& h : list) h.ordinary = true;
  return list;
}

inline List not_finite() {
  List list;
  const auto far = [](double limit) { return [limit](const Vector& x) { return x(0) > limit || x(0) < -limit; }; };
  for (const Hostile& h : {sphere(1), rosenbrock(2), exponential(10)})
    for (const double limit : {3.01, 1e3}) {
      list.push_back(spoiled(h, fmt::format("NaN beyond {:g}", limit), far(limit), kNaN, kNaN));
      list.push_back(spoiled(h, fmt::format("Inf beyond {:g}", limit), far(limit), kInf, 0.0));
      list.push_back(spoiled(h, fmt::format("NaN gradient beyond {:g}", limit), far(limit), 1.0, kNaN));
      list.push_back(
          with(spoiled(h, fmt::format("-Inf beyond {:g}", limit), far(limit), -kInf, 0.0), -kInf, h.terms, h.minimum));
    }
  const auto near = [](const Vector& x) { return (x.array() - 1.0).matrix().norm() < 0.1; };
  for (const Hostile& h : {sphere(1), sphere(2), rosenbrock(2)}) {
    // What is left of f has its infimum on the rim of the hole, about 0.005 or less; the rim is a cliff of NaN.
    list.push_back(with(spoiled(h, "NaN at the minimizer", near, kNaN, kNaN), h.name[0] == 's' ? 0.005 : 0.0));
    list.push_back(
        with(spoiled(h, "lower and NaN gradient at the minimizer", near, -1.0, kNaN), h.name[0] == 's' ? 0.005 : 0.0));
  }
  const auto everywhere = [](const Vector& x) { return x(0) != 3.0; };
  for (const double value : {kNaN, kInf, -kInf})
    list.push_back(with(spoiled(sphere(2), fmt::format("{} except at the start", value), everywhere, value, 1.0),
                        value == -kInf ? -kInf : 2.0));
  list.push_back(spoiled(sphere(2), "zero gradient beyond 3.5", far(3.5), 50.0, 0.0));
  for (const double value : {kNaN, kInf, -kInf}) {
    list.push_back(from(sphere(2), Vector{{1.0, value}}, fmt::format(" from {}", value)));
    list.push_back(with(
        spoiled(
            sphere(1), fmt::format("{} at the start", value), [](const Vector& x) { return x(0) == 3.0; }, value, 1.0),
        value == -kInf ? -kInf : 0.0));
  }
  list.push_back(spoiled(
      sphere(10), "NaN gradient at the start", [](const Vector& x) { return x(0) == 3.0; }, 1.0, kNaN));
  return list;
}

inline List throwing() {
  List list;
  for (const int call : {1, 2, 3, 4, 7, 15, 40})
    for (Hostile h : {rosenbrock(2), quadratic(10, 1e4)}) {
      h.name += fmt::format(" throws at call {}", call);
      h.throw_at = call;
      list.push_back(std::move(h));
    }
  return list;
}

inline double sign(double t) { return t > 0.0 ? 1.0 : t < 0.0 ? -1.0 : 1.0; }  // never 0: the kink looks steep

inline List kinked() {
  const Scalar absolute = [](double t) { return std::pair(std::abs(t), sign(t)); };
  const Scalar root = [](double t) {
    const double r = std::sqrt(std::abs(t));
    return std::pair(r, sign(t) * 0.5 / r);
  };
  const Scalar power = [](double t) {
    const double a = std::abs(t);
    return std::pair(a * std::sqrt(a), 1.5 * sign(t) * std::sqrt(a));
  };
  const Scalar ramp = [](double t) {
    return std::pair(std::max(t, 0.0) + 0.1 * std::max(-t, 0.0), t > 0.0 ? 1.0 : -0.1);
  };
  const Scalar huber_kink = [](double t) { return std::pair(std::abs(t) + 0.5 * t * t, sign(t) + t); };
  List list;
  for (const Index n : {1, 2, 10}) {
    const Vector start = alternating(n, 3.0, -2.0);
    list.push_back(separable(fmt::format("sum|x|{}", n), start, absolute));
    list.push_back(separable(fmt::format("sum|x-0.3|{}", n), start, absolute, 0.3));
    list.push_back(separable(fmt::format("sum sqrt|x|{}", n), start, root));
    list.push_back(separable(fmt::format("sum sqrt|x-0.3|{}", n), start, root, 0.3));
    list.back().noise = 1e-8 * static_cast<double>(n);  // f one spacing of x beside the minimizer
    list.push_back(separable(fmt::format("sum|x-0.3|^1.5 {}", n), start, power, 0.3));
    list.push_back(separable(fmt::format("ramp{}", n), start, ramp, 0.3));
    list.push_back(separable(fmt::format("|t|+t^2/2 {}", n), start, huber_kink, 0.3));
  }
  for (const Index n : {2, 10}) {
    list.push_back(base(fmt::format("max|x|{}", n), alternating(n, 3.0, -2.0), [](const Vector& x, Vector& g) {
      Index i = 0;
      const double value = x.cwiseAbs().maxCoeff(&i);
      g.setZero();
      g(i) = sign(x(i));
      return value;
    }));
  }
  // Nesterov's nonsmooth Rosenbrock, minimum 0 at (1, 1): its valley is a kink.
  list.push_back(base("nonsmooth rosenbrock", Vector{{-1.2, 1.0}}, [](const Vector& x, Vector& g) {
    const double b = x(1) - 2.0 * x(0) * x(0) + 1.0;
    g(0) = 0.5 * (x(0) - 1.0) - 4.0 * x(0) * sign(b);
    g(1) = sign(b);
    return 0.25 * (x(0) - 1.0) * (x(0) - 1.0) + std::abs(b);
  }));
  Hostile crease = base("|x-2| + (y-3)^2", Vector{{0.3, 0.4}}, [](const Vector& x, Vector& g) {
    g << sign(x(0) - 2.0), 2.0 * (x(1) - 3.0);
    return std::abs(x(0) - 2.0) + (x(1) - 3.0) * (x(1) - 3.0);
  });
  list.push_back(crease);
  for (const double size : {1e8, 1e13, 1e100}) list.push_back(huge_variable(crease, size, 0.0));
  for (const double c : {1e4, 1e10, 1e16}) list.push_back(offset(list[1], c));
  return list;
}

inline List discontinuous() {
  List list;
  const auto jump = [](const std::string& how, double height, double where) {
    return [=](const Hostile& h) {
      return wrapped(h, how, [=](Function f) -> Function {
        return [=](const Vector& x, Vector& g) { return f(x, g) + (x(0) < where ? height : 0.0); };
      });
    };
  };
  for (const Hostile& h : {sphere(1), sphere(2), rosenbrock(2)}) {
    const double beyond = h.name[0] == 's' ? 0.125 : 0.25;  // the lowest value with x_0 = 1.5
    list.push_back(with(jump(" cliff of 10 at 1.5", 10.0, 1.5)(h), beyond, 10.0, 10.0));
    list.push_back(with(jump(" drop of 10 at 1.5", -10.0, 1.5)(h), -10.0, 10.0));
    list.push_back(with(jump(" cliff of 1e-9 at 1.5", 1e-9, 1.5)(h), 1e-9, 1.0));
    list.push_back(with(jump(" cliff of 1e100 at 1", 1e100, 1.0)(h), 0.0, 1.0, 1e100));
  }
  for (const double step : {1e-1, 1e-4, 1e-8}) {
    Hostile h = wrapped(sphere(2), fmt::format(" stairs of {:g}", step), [step](Function f) -> Function {
      return [f, step](const Vector& x, Vector& g) { return step * std::floor(f(x, g) / step); };
    });
    h.noise = step;  // on a stair nobody sees the slope
    list.push_back(h);
  }
  Hostile rounded = wrapped(rosenbrock(2), " in single precision", [](Function f) -> Function {
    return [f](const Vector& x, Vector& g) { return static_cast<double>(static_cast<float>(1.0 + f(x, g))); };
  });
  rounded.noise = 1.2e-7;
  list.push_back(with(rounded, 1.0));
  list.push_back(separable("sign(x) with gradient 1", Vector{{3.0}}, [](double t) { return std::pair(sign(t), 1.0); }));
  list.back().minimum = -1.0;
  return list;
}

inline List unbounded() {
  const auto scalar = [](const std::string& name, double start, const Scalar& phi) {
    return separable(name, Vector{{start}}, phi);
  };
  List list = {
      scalar("-x", 0.0, [](double t) { return std::pair(-t, -1.0); }),
      scalar("1e20 - x", 0.0, [](double t) { return std::pair(1e20 - t, -1.0); }),
      scalar("1e10 - x", 0.0, [](double t) { return std::pair(1e10 - t, -1.0); }),
      scalar("-exp(x)", 0.0, [](double t) { return std::pair(-std::exp(t), -std::exp(t)); }),
      scalar("x^3", 2.0, [](double t) { return std::pair(t * t * t, 3.0 * t * t); }),
      scalar("-x^2", 1e-3, [](double t) { return std::pair(-t * t, -2.0 * t); }),
      scalar("-x^2 from 0", 0.0, [](double t) { return std::pair(-t * t, -2.0 * t); }),
      scalar("log(x)", 2.0, [](double t) { return std::pair(std::log(t), 1.0 / t); }),
      scalar("-log(x)", 2.0, [](double t) { return std::pair(-std::log(t), -1.0 / t); }),
      scalar("-sqrt(x)", 2.0, [](double t) { return std::pair(-std::sqrt(t), -0.5 / std::sqrt(t)); }),
      scalar("-1/x^2", 2.0, [](double t) { return std::pair(-1.0 / (t * t), 2.0 / (t * t * t)); }),
      scalar("-x^4 + x^2", 0.9, [](double t) { return std::pair(t * t - t * t * t * t, 2.0 * t - 4.0 * t * t * t); }),
      scalar("-log(1+x^2)", 1.0, [](double t) { return std::pair(-std::log1p(t * t), -2.0 * t / (1.0 + t * t)); }),
  };
  for (const Index n : {2, 10, 1000})
    list.push_back(base(fmt::format("linear{}", n), Vector::Ones(n), [](const Vector& x, Vector& g) {
      g = Vector::LinSpaced(x.size(), 1.0, 3.0);
      return g.dot(x);
    }));
  list.push_back(base("saddle", Vector{{1.0, 1e-8}}, [](const Vector& x, Vector& g) {
    g << 2.0 * x(0), -2.0 * x(1);
    return x(0) * x(0) - x(1) * x(1);
  }));
  list.push_back(base("parabola with a linear escape", Vector{{1.0, 1.0}}, [](const Vector& x, Vector& g) {
    g << 2e6 * x(0), -1e-3;
    return 1e6 * x(0) * x(0) - 1e-3 * x(1);
  }));
  list.push_back(base("x^3 + y^2", Vector{{2.0, 5.0}}, [](const Vector& x, Vector& g) {
    g << 3.0 * x(0) * x(0), 2.0 * x(1);
    return x(0) * x(0) * x(0) + x(1) * x(1);
  }));
  for (Hostile& h : list) {
    h.minimum = -kInf;
    for (const char* stationary : {"x^3", "-x^2", "-x^4", "saddle"})
      if (h.name.starts_with(stationary)) h.local = 0.0;
  }
  for (const double outer : {1e-200, 1e200}) list.push_back(scaled(list[5], outer, 1.0));
  return list;
}

// Infima that no point attains, and code that saturates.
inline List escaping() {
  const auto scalar = [](const std::string& name, double start, double infimum, const Scalar& phi) {
    return with(separable(name, Vector{{start}}, phi), infimum, std::abs(infimum));
  };
  List list = {
      scalar("1/x", 1.0, 0.0,
             [](double t) { return t > 0.0 ? std::pair(1.0 / t, -1.0 / (t * t)) : std::pair(kInf, kNaN); }),
      scalar("exp(-x)", 1.0, 0.0, [](double t) { return std::pair(std::exp(-t), -std::exp(-t)); }),
      scalar("-atan(x)", 1.0, -std::acos(0.0), [](double t) { return std::pair(-std::atan(t), -1.0 / (1.0 + t * t)); }),
      scalar("-tanh(x)", 0.5, -1.0,
             [](double t) { return std::pair(-std::tanh(t), -1.0 / (std::cosh(t) * std::cosh(t))); }),
      scalar("1 + 1/x", 1.0, 1.0,
             [](double t) { return t > 0.0 ? std::pair(1.0 + 1.0 / t, -1.0 / (t * t)) : std::pair(kInf, kNaN); }),
      scalar("1e6 + exp(-x)", -1.0, 1e6, [](double t) { return std::pair(1e6 + std::exp(-t), -std::exp(-t)); }),
      scalar("1/log(x)", 3.0, 0.0,
             [](double t) {
               return t > 1.0 ? std::pair(1.0 / std::log(t), -1.0 / (t * std::log(t) * std::log(t)))
                              : std::pair(kInf, kNaN);
             }),
      scalar("x exp(-x) from beyond the hill", 2.0, 0.0,
             [](double t) { return std::pair(t < 0.0 ? kInf : t * std::exp(-t), (1.0 - t) * std::exp(-t)); }),
      scalar("-min(x,1) gradient -1", 0.0, -1.0, [](double t) { return std::pair(-std::min(t, 1.0), -1.0); }),
      scalar("max(-x,-1e6) gradient -1", 0.0, -1e6, [](double t) { return std::pair(std::max(-t, -1e6), -1.0); }),
      scalar("constant gradient 1", 1.0, 7.0, [](double) { return std::pair(7.0, 1.0); }),
      scalar("constant gradient 1e-3", 1.0, 7.0, [](double) { return std::pair(7.0, 1e-3); }),
      scalar("zero gradient 1", 1.0, 0.0, [](double) { return std::pair(0.0, 1.0); }),
      scalar("constant gradient 0", 1.0, 7.0, [](double) { return std::pair(7.0, 0.0); }),
      scalar("sigmoid far out", -30.0, -1.0,
             [](double t) {
               return std::pair(-1.0 / (1.0 + std::exp(-t)), -std::exp(-t) / std::pow(1.0 + std::exp(-t), 2));
             }),
  };
  list.push_back(base("valley (xy-1)^2 + x^2 towards infinity", Vector{{1.0, 1.0}}, [](const Vector& x, Vector& g) {
    const double r = x(0) * x(1) - 1.0;
    g << 2.0 * r * x(1) + 2.0 * x(0), 2.0 * r * x(0);
    return r * r + x(0) * x(0);
  }));
  list.push_back(base("log-sum-exp without minimizer", Vector{{0.0, 0.0}}, [](const Vector& x, Vector& g) {
    const double a = std::exp(-x(0) - x(1)), b = std::exp(-x(0) + x(1)), s = 1.0 / (1.0 + a + b);
    g << -(a + b) * s, (b - a) * s;
    return std::log1p(a + b);
  }));
  list.push_back(with(
      separable("constant gradient 1, n = 1000", Vector::Ones(1000), [](double) { return std::pair(0.0, 1.0); }), 0.0));
  return list;
}

inline List wrong() {
  List list;
  const auto times = [](double factor) { return [factor](Vector& g) { g *= factor; }; };
  const auto first_times = [](double factor) { return [factor](Vector& g) { g(0) *= factor; }; };
  for (const Hostile& h : {sphere(2), rosenbrock(2), offset(sphere(1), 1e10), offset(rosenbrock(2), 1e4),
                           exponential(10), huge_variable(sphere(2), 1e13, 0.0)}) {
    for (const double factor : {-1.0, 2.0, 0.5, 1000.0, -1e-6})
      list.push_back(wrong_gradient(h, fmt::format("*{:g}", factor), times(factor)));
    for (const double factor : {-1.0, 1000.0})
      list.push_back(wrong_gradient(h, fmt::format("first *{:g}", factor), first_times(factor)));
    // Nothing moves the first variable, so the lowest value with that of the start is all that a run can find.
    list.push_back(wrong_gradient(h, "first *0", first_times(0.0)));
    list.back().local = h.minimum + (h.name[0] == 'r' ? 4.84 : h.name[0] == 's' ? 2.0 : std::exp(2.0) - 3.0);
    list.push_back(wrong_gradient(h, "0", times(0.0)));
    list.push_back(wrong_gradient(h, "+ 0.1", [](Vector& g) { g.array() += 0.1; }));
    // The gradient vanishes where f is 0.005 higher; beside 1e10 no trial of a small step tells that from a minimizer.
    if (h.terms >= 1e10) list.back().local = h.minimum + 0.005;
    list.push_back(stale_gradient(h));
  }
  list.push_back(wrong_gradient(from(offset(sphere(1), 1e4), Vector{{1.0005}}, " from 1.0005"), "*-1", times(-1.0)));
  list.push_back(wrong_gradient(quadratic(2, 1e4), "swapped", [](Vector& g) { std::swap(g(0), g(1)); }));
  return list;
}

inline List noisy_family() {
  List list;
  for (const double level : {1e-14, 1e-12, 1e-9, 1e-6, 1e-3})
    for (const Hostile& h : {sphere(2), rosenbrock(2), quadratic(10, 1e4), exponential(10)}) {
      list.push_back(noisy(h, level));
      list.back().ordinary = level <= 1e-12;
    }
  return list;
}

inline List scaled_family() {
  List list;
  for (const double c : {1e4, 1e8, 1e12, 1e16, 1e20, -1e10})
    for (const Hostile& h : {sphere(2), rosenbrock(2), exponential(10)}) {
      list.push_back(offset(h, c));
      list.back().ordinary = true;
    }
  for (const double outer : {1e-300, 1e-100, 1e-20, 1e20, 1e100, 1e290})
    list.push_back(scaled(rosenbrock(2), outer, 1.0));
  for (const double inner : {1e-150, 1e-50, 1e50, 1e150}) list.push_back(scaled(rosenbrock(2), 1.0, inner));
  for (const auto& [outer, inner] :
       {std::pair(1e-300, 1e-300), {1e300, 1e-300}, {1e-300, 1e300}, {1e200, 1e-100}, {1e-310, 1.0}})
    list.push_back(scaled(sphere(2), outer, inner));
  for (const double size : {1e8, 1e13, 1e100, 1e300})
    for (const double weight : {0.0, 1.0}) list.push_back(huge_variable(rosenbrock(2), size, weight));
  list.push_back(scaled(offset(sphere(2), 1e8), 1e100, 1e-50));
  return list;
}

inline List difficult() {
  List list = {sphere(0),         quartic(1),         quartic(2),          quartic(10),        powell_singular(),
               quadratic(2, 1e8), quadratic(2, 1e16), quadratic(10, 1e16), rotated(2, 1e16),   rotated(10, 1e10),
               rotated(10, 1e16), rosenbrock(1000),   quartic(100),        quadratic(100, 1e8)};
  list.push_back(from(sphere(2), Vector::Ones(2), " from the minimizer"));
  list.push_back(from(rosenbrock(2), Vector::Ones(2), " from the minimizer"));
  list.push_back(from(offset(rosenbrock(2), 1e6), Vector{{1.0 + 1e-9, 1.0}}, " from next to the minimizer"));
  list.push_back(from(rosenbrock(2), Vector{{1e4, -1e4}}, " from far away"));
  list.push_back(from(sphere(10), Vector::Constant(10, 1e200), " from 1e200"));
  list.push_back(with(base("empty", Vector(0), [](const Vector&, Vector&) { return 3.0; }), 3.0));
  list.push_back(with(base("x - log x", Vector{{5.0}},
                           [](const Vector& x, Vector& g) {
                             g(0) = 1.0 - 1.0 / x(0);
                             return x(0) - std::log(x(0));
                           }),
                      1.0));
  for (const double mu : {1e-2, 1e-8}) {
    // x - mu log x has its minimum mu - mu log mu at mu; the domain ends just beside it.
    list.push_back(with(base(fmt::format("x - {:g} log x", mu), Vector{{5.0}},
                             [mu](const Vector& x, Vector& g) {
                               g(0) = 1.0 - mu / x(0);
                               return x(0) - mu * std::log(x(0));
                             }),
                        mu - mu * std::log(mu), mu * std::abs(std::log(mu))));
  }
  list.push_back(with(base("two wells", Vector{{0.01}},
                           [](const Vector& x, Vector& g) {
                             const double t = x(0) * x(0) - 1.0;
                             g(0) = 4.0 * x(0) * t;
                             return t * t;
                           }),
                      0.0));
  list.push_back(separable("x^20", Vector{{2.0, -1.5}},
                           [](double t) { return std::pair(std::pow(t, 20), 20.0 * std::pow(t, 19)); }));
  return list;
}

// All of them, with their families. Deterministic.
inline const List& objectives() {
  static const List all = [] {
    List list;
    const auto add = [&list](const std::string& family, const List& members) {
      for (Hostile h : members) {
        h.family = family;
        list.push_back(std::move(h));
      }
    };
    add("ordinary", ordinary());
    add("not_finite", not_finite());
    add("throwing", throwing());
    add("kinked", kinked());
    add("discontinuous", discontinuous());
    add("unbounded", unbounded());
    add("escaping", escaping());
    add("wrong_gradient", wrong());
    add("noisy", noisy_family());
    add("scaled", scaled_family());
    add("difficult", difficult());
    return list;
  }();
  return all;
}

}  // namespace loa::hostile
