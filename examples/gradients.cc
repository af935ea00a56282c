// Two ways to a gradient that nobody writes down: differences, and numbers that carry their derivatives.
#include <loa/loa.h>

#include <cstdio>
#include <vector>

// f for doubles and for Jets: a curved valley that ends at (1, ..., 1).
template <class Numbers>
auto valley(const Numbers& x) {
  auto f = x[0] - x[0];
  for (decltype(x.size()) i = 0; i + 1 < x.size(); ++i) {
    const auto a = 1.0 - x[i], b = x[i + 1] - x[i] * x[i];
    f = f + a * a + 10.0 * b * b;
  }
  return f;
}

// A value with its derivatives by all variables.
struct Jet {
  double f;
  loa::Vector grad;
  friend Jet operator+(const Jet& a, const Jet& b) { return {a.f + b.f, a.grad + b.grad}; }
  friend Jet operator-(const Jet& a, const Jet& b) { return {a.f - b.f, a.grad - b.grad}; }
  friend Jet operator-(double a, const Jet& b) { return {a - b.f, -b.grad}; }
  friend Jet operator*(const Jet& a, const Jet& b) { return {a.f * b.f, a.grad * b.f + b.grad * a.f}; }
  friend Jet operator*(double a, const Jet& b) { return {a * b.f, a * b.grad}; }
};

double by_jets(const loa::Vector& x, loa::Vector& grad) {
  std::vector<Jet> jets;
  for (loa::Index i = 0; i < x.size(); ++i) jets.push_back({x[i], loa::Vector::Unit(x.size(), i)});
  const Jet result = valley(jets);
  grad = result.grad;
  return result.f;
}

int main() {
  const loa::Vector start = loa::Vector::Zero(4);
  // An f of x alone: loa takes differences.
  const loa::Summary differences = loa::minimize([](const loa::Vector& x) { return valley(x); }, start);
  const loa::Summary jets = loa::minimize(by_jets, start, {.gtol = 1e-10});
  std::printf("differences: %s f = %.1e\n", differences.message.c_str(), differences.f);
  std::printf("jets:        %s f = %.1e\n", jets.message.c_str(), jets.f);
  return differences.success() && jets.success() ? 0 : 1;
}
