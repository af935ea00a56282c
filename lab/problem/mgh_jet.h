// Jet, a number that carries W directional derivatives: forward-mode automatic differentiation.
//
//   Jet(a, d) stands for a + sum_k d_k e_k with e_k e_l = 0, so phi(Jet(a, d)) = Jet(phi(a), phi'(a) d)
//
// The scalar may be a Jet itself: in Jet<Jet<double, 1>, W> the entry d[k].d[0] is a second derivative, exact to
// rounding. The value part does the very operations that plain doubles would do, so f has the same bits with and
// without derivatives. Griewank and Walther, "Evaluating Derivatives", 2nd ed., chapters 3.1 and 13.
//
// Only what the residuals of the test problems need is defined here.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace loa::mgh {

template <class S, std::size_t W>
struct Jet {
  S a{};                    // the value
  std::array<S, W> d = {};  // its derivatives along W directions
};

// The plain number inside, for branches.
inline double primal(double x) { return x; }
template <class S, std::size_t W>
double primal(const Jet<S, W>& x) {
  return primal(x.a);
}

// phi(x) from phi(x.a) and phi'(x.a).
template <class S, std::size_t W>
Jet<S, W> chain(const S& phi, const S& slope, const Jet<S, W>& x) {
  Jet<S, W> y{.a = phi};
  for (std::size_t k = 0; k < W; ++k) y.d[k] = slope * x.d[k];
  return y;
}

template <class S, std::size_t W>
Jet<S, W> operator+(const Jet<S, W>& x, const Jet<S, W>& y) {
  Jet<S, W> z{.a = x.a + y.a};
  for (std::size_t k = 0; k < W; ++k) z.d[k] = x.d[k] + y.d[k];
  return z;
}

template <class S, std::size_t W>
Jet<S, W> operator-(const Jet<S, W>& x, const Jet<S, W>& y) {
  Jet<S, W> z{.a = x.a - y.a};
  for (std::size_t k = 0; k < W; ++k) z.d[k] = x.d[k] - y.d[k];
  return z;
}

template <class S, std::size_t W>
Jet<S, W> operator*(const Jet<S, W>& x, const Jet<S, W>& y) {
  Jet<S, W> z{.a = x.a * y.a};
  for (std::size_t k = 0; k < W; ++k) z.d[k] = x.d[k] * y.a + x.a * y.d[k];
  return z;
}

template <class S, std::size_t W>
Jet<S, W> operator/(const Jet<S, W>& x, const Jet<S, W>& y) {
  Jet<S, W> z{.a = x.a / y.a};
  for (std::size_t k = 0; k < W; ++k) z.d[k] = (x.d[k] - z.a * y.d[k]) / y.a;
  return z;
}

template <class S, std::size_t W>
Jet<S, W>& operator+=(Jet<S, W>& x, const Jet<S, W>& y) {
  return x = x + y;
}

template <class S, std::size_t W>
Jet<S, W> operator-(const Jet<S, W>& x) {
  return x * -1.0;
}

template <class S, std::size_t W>
Jet<S, W> operator+(Jet<S, W> x, double c) {
  x.a = x.a + c;
  return x;
}

template <class S, std::size_t W>
Jet<S, W> operator+(double c, const Jet<S, W>& x) {
  return x + c;
}

template <class S, std::size_t W>
Jet<S, W> operator-(Jet<S, W> x, double c) {
  x.a = x.a - c;
  return x;
}

template <class S, std::size_t W>
Jet<S, W> operator-(double c, const Jet<S, W>& x) {
  return -x + c;
}

template <class S, std::size_t W>
Jet<S, W> operator*(Jet<S, W> x, double c) {
  x.a = x.a * c;
  for (std::size_t k = 0; k < W; ++k) x.d[k] = x.d[k] * c;
  return x;
}

template <class S, std::size_t W>
Jet<S, W> operator*(double c, const Jet<S, W>& x) {
  return x * c;
}

template <class S, std::size_t W>
Jet<S, W> operator/(Jet<S, W> x, double c) {
  x.a = x.a / c;
  for (std::size_t k = 0; k < W; ++k) x.d[k] = x.d[k] / c;
  return x;
}

// The using-declarations reach std:: for a plain scalar; a nested Jet is found by its own namespace.
template <class S, std::size_t W>
Jet<S, W> exp(const Jet<S, W>& x) {
  using std::exp;
  const S y = exp(x.a);
  return chain(y, y, x);
}

template <class S, std::size_t W>
Jet<S, W> log(const Jet<S, W>& x) {
  using std::log;
  Jet<S, W> y{.a = log(x.a)};
  for (std::size_t k = 0; k < W; ++k) y.d[k] = x.d[k] / x.a;
  return y;
}

template <class S, std::size_t W>
Jet<S, W> sqrt(const Jet<S, W>& x) {
  using std::sqrt;
  Jet<S, W> y{.a = sqrt(x.a)};
  for (std::size_t k = 0; k < W; ++k) y.d[k] = 0.5 * x.d[k] / y.a;
  return y;
}

template <class S, std::size_t W>
Jet<S, W> sin(const Jet<S, W>& x) {
  using std::cos, std::sin;
  return chain(S(sin(x.a)), S(cos(x.a)), x);
}

template <class S, std::size_t W>
Jet<S, W> cos(const Jet<S, W>& x) {
  using std::cos, std::sin;
  return chain(S(cos(x.a)), S(-sin(x.a)), x);
}

template <class S, std::size_t W>
Jet<S, W> atan(const Jet<S, W>& x) {
  using std::atan;
  const S denominator = 1.0 + x.a * x.a;
  Jet<S, W> y{.a = atan(x.a)};
  for (std::size_t k = 0; k < W; ++k) y.d[k] = x.d[k] / denominator;
  return y;
}

}  // namespace loa::mgh
