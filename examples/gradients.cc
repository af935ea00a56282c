// Two ways to a gradient that nobody writes down: forward differences, and numbers that carry their derivatives.
#include <loa/loa.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

// f as a template, for doubles and for Jets: a curved valley that ends at (1, ..., 1).
template <class Numbers>
auto valley(const Numbers& x) {
  auto f = x[0] - x[0];
  for (decltype(x.size()) i = 0; i + 1 < x.size(); ++i) {
    const auto a = 1.0 - x[i], b = x[i + 1] - x[i] * x[i];
    f = f + a * a + 10.0 * b * b;
  }
  return f;
}

// Costs n + 1 values of f, and has about eight correct digits.
template <class F>
loa::Function by_differences(F f) {
  return [f](const loa::Vector& x, loa::Vector& grad) {
    const double value = f(x);
    loa::Vector moved = x;
    for (loa::Index i = 0; i < x.size(); ++i) {
      const double size = x[i] == 0 ? 1 : std::abs(x[i]);  // where x is 0 its unit has to be guessed
      moved[i] = x[i] + std::sqrt(std::numeric_limits<double>::epsilon()) * size;
      grad[i] = (f(moved) - value) / (moved[i] - x[i]);
      moved[i] = x[i];
    }
    return value;
  };
}

// A value with its derivatives by all variables. A library of automatic differentiation has more functions than + - *.
struct Jet {
  double value;
  loa::Vector slopes;
  friend Jet operator+(const Jet& a, const Jet& b) { return {a.value + b.value, a.slopes + b.slopes}; }
  friend Jet operator-(const Jet& a, const Jet& b) { return {a.value - b.value, a.slopes - b.slopes}; }
  friend Jet operator*(const Jet& a, const Jet& b) {
    return {a.value * b.value, a.slopes * b.value + b.slopes * a.value};
  }
  friend Jet operator-(double a, const Jet& b) { return {a - b.value, -b.slopes}; }
  friend Jet operator*(double a, const Jet& b) { return {a * b.value, a * b.slopes}; }
};

template <class F>
loa::Function by_jets(F f) {
  return [f](const loa::Vector& x, loa::Vector& grad) {
    std::vector<Jet> jets;
    for (loa::Index i = 0; i < x.size(); ++i) jets.push_back({x[i], loa::Vector::Unit(x.size(), i)});
    const Jet result = f(jets);
    grad = result.slopes;
    return result.value;
  };
}

int main() {
  const auto f = [](const auto& x) { return valley(x); };
  const loa::Vector start = loa::Vector::Zero(4);
  const loa::Summary differences = loa::minimize(by_differences(f), start);
  const loa::Summary jets = loa::minimize(by_jets(f), start, {.gtol = 1e-10});
  std::printf("differences: %s f = %.1e\n", differences.message.c_str(), differences.f);
  std::printf("jets:        %s f = %.1e\n", jets.message.c_str(), jets.f);
  return differences.success() && jets.success() ? 0 : 1;
}
