// Synthetic families, nonlinear least squares: phi(z) = 1/2 sum_i (y_i - model(t_i; z))^2 with data from the model at a
// random z, noise in two thirds of the instances. Curves that take k parameters a block use the remaining variables as
// coefficients of 1, t, t^2, ... Bates and Watts, "Nonlinear Regression Analysis and Its Applications" (1988).
#include "problem/synthetic.h"
#include "problem/synthetic_draw.h"

namespace loa::synthetic {
namespace {

double draw_noise(Random& random) { return chance(1.0 / 3.0, random) ? 0.0 : power_of_ten(-2, -0.5, random); }

// 1/2 sum_i (u(<a_i, z>) - y_i)^2.
template <class UnaryFunction>
Draft fit_unary(Index n, double reach, Random& random, UnaryFunction u) {
  const Forms a = draw_forms(3 * n, n, random);
  const Vector truth = normals(n, random, 1.5);
  Vector y = normals(a.m, random, draw_noise(random));
  for (Index i = 0; i < a.m; ++i) y[i] += u(a.dot(i, truth.data()));
  return draft(truth, reach, [a, y, u]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < a.m; ++i) f += 0.5 * square(u(a.dot(i, z)) - y[i]);
    return f;
  });
}

Draft make_tanh_fit(Index n, Random& random) {
  const double steep = power_of_ten(-0.3, 0.3, random);
  return fit_unary(n, 1.0, random, [steep](const auto& t) { return tanh(steep * t); });
}

Draft make_arctan_fit(Index n, Random& random) {
  const double steep = power_of_ten(-0.3, 0.5, random);
  return fit_unary(n, 1.0, random, [steep](const auto& t) { return atan(steep * t); });
}

Draft make_exponential_fit(Index n, Random& random) {
  return fit_unary(n, 0.7, random, [](const auto& t) { return exp(t); });
}

Draft make_softplus_fit(Index n, Random& random) {
  const double steep = power_of_ten(0, 0.7, random);
  return fit_unary(n, 1.0, random, [steep](const auto& t) { return softplus(steep * t); });
}

// t + amplitude sin(t): a fit with ripples.
Draft make_rippled_fit(Index n, Random& random) {
  const double amplitude = random.uniform(0.3, 0.95), frequency = random.uniform(1.0, 4.0);
  return fit_unary(n, 1.0, random, [=](const auto& t) { return t + (amplitude / frequency) * sin(frequency * t); });
}

// A curve in t: `block` parameters for each of the blocks, polynomial coefficients for the rest.
template <Index block, class Term>
struct Curve {
  Index n;
  Term term;  // term(t, z) of `block` parameters

  template <class T>
  T operator()(double t, const T* z) const {
    T sum = 0.0;
    Index j = 0;
    for (; j + block <= n; j += block) sum += term(t, z + j);
    for (double power = 1.0; j < n; ++j, power *= t) sum += power * z[j];
    return sum;
  }
};

// The fit of a curve on [0, length]. The blocks start apart from each other, as the truth is.
template <Index block, class Term>
Draft fit_curve(Index n, double length, double reach, Random& random, Term term) {
  const Curve<block, Term> curve{.n = n, .term = term};
  const Index m = 3 * n + 5;
  const Vector truth = normals(n, random);
  Vector y = normals(m, random, 0.3 * draw_noise(random)), t(m);
  for (Index i = 0; i < m; ++i) {
    t[i] = length * (static_cast<double>(i) + random.uniform()) / static_cast<double>(m);
    y[i] += curve(t[i], truth.data());
  }
  return draft(truth, reach, [=]<class T>(const T* z, T*) {
    T f = ridge(z, n, 1e-6);
    for (Index i = 0; i < m; ++i) f += 0.5 * square(curve(t[i], z) - y[i]);
    return f;
  });
}

// z_1 exp(-t e^{z_2}).
Draft make_decays(Index n, Random& random) {
  return fit_curve<2>(n, random.uniform(1.0, 5.0), 0.5, random,
                      [](double t, const auto* z) { return z[0] * exp(-t * exp(z[1])); });
}

// z_1 t/(e^{z_2} + t), Michaelis and Menten.
Draft make_saturation(Index n, Random& random) {
  return fit_curve<2>(n, random.uniform(2.0, 10.0), 0.5, random,
                      [](double t, const auto* z) { return z[0] * t / (exp(z[1]) + t); });
}

// z_1 sigmoid(e^{z_2} (t - z_3)).
Draft make_growth(Index n, Random& random) {
  return fit_curve<3>(n, random.uniform(2.0, 6.0), 0.4, random,
                      [](double t, const auto* z) { return z[0] * sigmoid(exp(z[1]) * (t - 2.0 - z[2])); });
}

// z_1 exp(-(t - z_2)^2 e^{z_3}).
Draft make_peaks(Index n, Random& random) {
  return fit_curve<3>(n, 4.0, 0.3, random,
                      [](double t, const auto* z) { return z[0] * exp(-square(t - 2.0 - z[1]) * exp(z[2])); });
}

// z_1 exp(-t e^{z_2}) sin((1 + z_3) t + z_4).
Draft make_oscillation(Index n, Random& random) {
  return fit_curve<4>(n, random.uniform(2.0, 6.0), 0.3, random, [](double t, const auto* z) {
    return z[0] * exp(-t * exp(z[1] - 1.0)) * sin((1.0 + z[2]) * t + z[3]);
  });
}

// z_1 (1 + t)^{z_2}.
Draft make_power_law(Index n, Random& random) {
  return fit_curve<2>(n, random.uniform(2.0, 8.0), 0.4, random,
                      [](double t, const auto* z) { return z[0] * exp(z[1] * std::log1p(t)); });
}

// p(t)/(1 + q(t)^2), p and q polynomials of half of the variables each.
Draft make_rational(Index n, Random& random) {
  const Index half = (n + 1) / 2, m = 3 * n + 5;
  const auto curve = [=]<class T>(double t, const T* z) {
    T p = z[half - 1], q = z[n - 1];
    for (Index j = half - 2; j >= 0; --j) p = p * t + z[j];
    for (Index j = n - 2; j >= half; --j) q = q * t + z[j];
    return p / (1.0 + square(q));
  };
  const Vector truth = normals(n, random), t = uniforms(m, -1.5, 1.5, random);
  Vector y = normals(m, random, 0.3 * draw_noise(random));
  for (Index i = 0; i < m; ++i) y[i] += curve(t[i], truth.data());
  return draft(truth, 0.5, [=]<class T>(const T* z, T*) {
    T f = ridge(z, n, 1e-5);
    for (Index i = 0; i < m; ++i) f += 0.5 * square(curve(t[i], z) - y[i]);
    return f;
  });
}

// Polynomial regression in the powers of t in [-1, 1] or [0, 1], by log cosh of the residuals.
Draft make_polynomial(Index n, Random& random) {
  const Index m = 3 * n;
  const double low = chance(0.5, random) ? -1.0 : 0.0, steep = power_of_ten(-1, 1, random);
  Forms a{.m = m, .width = n, .a = {}, .first = std::vector<Index>(static_cast<std::size_t>(m), 0)};
  for (Index i = 0; i < m; ++i) {
    const double t = random.uniform(low, 1.0);
    for (Index j = 0; j < n; ++j) a.a.push_back(std::pow(t, static_cast<double>(j)));
  }
  const Vector y = apply(a, normals(n, random)) + normals(m, random, draw_noise(random));
  return draft(Vector::Zero(n), 1.0, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < m; ++i) f += log_cosh(steep * (a.dot(i, z) - y[i]));
    return f;
  });
}

// Kernel regression: sum_i loss(r_i) + lambda/2 <z, r + y>, r = K z - y, K the Gaussian kernel of random points.
Draft make_kernel(Index n, Random& random) {
  const double width = power_of_ten(-1.5, 0, random), lambda = power_of_ten(-4, -1, random);
  const Vector t = uniforms(n, 0.0, 1.0, random);
  Forms k{.m = n, .width = n, .a = {}, .first = std::vector<Index>(static_cast<std::size_t>(n), 0)};
  Vector y(n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) k.a.push_back(std::exp(-square((t[i] - t[j]) / width)));
    y[i] = std::sin(6.0 * t[i]) + 0.2 * random.normal();
  }
  return draft(Vector::Zero(n), 1.0, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < n; ++i) {
      const T value = k.dot(i, z);
      f += hypot1(value - y[i]) + 0.5 * lambda * z[i] * value;
    }
    return f;
  });
}

}  // namespace

const std::vector<Family>& fit_families() {
  static const std::vector<Family> families = {
      {"tanh-fit", "least squares with tanh of linear forms", 2, 10000, make_tanh_fit},
      {"arctan-fit", "least squares with arctan of linear forms", 2, 10000, make_arctan_fit},
      {"exponential-fit", "least squares with exp of linear forms", 2, 10000, make_exponential_fit},
      {"softplus-fit", "least squares with softplus of linear forms", 2, 10000, make_softplus_fit},
      {"rippled-fit", "least squares with a linear form and a sine of it", 2, 10000, make_rippled_fit},
      {"decays", "a sum of decaying exponentials", 2, 12, make_decays},
      {"saturation", "a sum of Michaelis-Menten curves", 2, 12, make_saturation},
      {"growth", "a sum of logistic growth curves", 3, 15, make_growth},
      {"peaks", "a sum of bells", 3, 24, make_peaks},
      {"oscillation", "a sum of damped oscillations", 4, 16, make_oscillation},
      {"power-law", "a sum of powers with free exponents", 2, 10, make_power_law},
      {"rational", "a quotient of polynomials", 2, 12, make_rational},
      {"polynomial", "polynomial regression in powers, by log cosh", 2, 12, make_polynomial},
      {"kernel", "regression with a Gaussian kernel, by pseudo-Huber", 2, 200, make_kernel},
  };
  return families;
}

}  // namespace loa::synthetic
