// likelihood:NAME, negative log-likelihoods of data that are drawn from the model, maximum likelihood in the parameters
// that programs of statistics use: logarithms of variances and of other positive numbers, everything else as it is.
//
//   regressions   rows a_i = (1, N(0, AR(1) with correlation 0.5)), predictor <a_i, b>, five rows for each coefficient
//                 and at least 60; with an odd seed the columns are in units that differ by factors 10^U[-1,1]
//
// P. McCullagh and J. A. Nelder, "Generalized Linear Models" (1989); C. E. Rasmussen and C. K. I. Williams, "Gaussian
// Processes for Machine Learning" (2006); J. Durbin and S. J. Koopman, "Time Series Analysis by State Space Methods"
// (2012).
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "problem/origin.h"

namespace loa::origin {
namespace {

// m rows of p columns, the coefficients that made the responses, and their predictors.
struct Data {
  Index m, p;
  std::vector<double> a;
  Vector truth, eta;

  template <class T>
  T dot(Index i, const T* b) const {
    return synthetic::dot(&a[static_cast<std::size_t>(i * p)], b, p);
  }
};

Data draw_data(Index p, Draw& draw, double strength = 1.0) {
  Data data{.m = std::max<Index>(60, 5 * p), .p = p, .a = {}, .truth = {}, .eta = {}};
  const Vector unit = vector_of(p, [&](Index) { return draw.has_units ? power_of_ten(-1.0, 1.0, draw.data) : 1.0; });
  for (Index i = 0; i < data.m; ++i) {
    double entry = draw.data.normal();
    for (Index j = 0; j < p; ++j) {
      data.a.push_back(j == 0 ? 1.0 : unit[j] * entry);
      entry = 0.5 * entry + std::sqrt(0.75) * draw.data.normal();
    }
  }
  data.truth = normals(p, draw.data, strength / std::sqrt(real(p))).cwiseQuotient(unit);
  data.truth[0] = 0.5 * strength;
  data.eta = vector_of(data.m, [&](Index i) { return data.dot(i, data.truth.data()); });
  return data;
}

// The logarithm of the normal distribution function. Below -20, where erfc comes near its smallest numbers, by its
// asymptotic series, of which the first term left out is 105/20^8 = 4e-9.
double log_normal_cdf(double t) {
  if (!(t < -20.0)) return std::log(0.5 * std::erfc(-t * 0.7071067811865476));
  const double u = 1.0 / (t * t);
  return -0.5 * t * t - 0.9189385332046727 - std::log(-t) + std::log1p(-u * (1.0 - 3.0 * u * (1.0 - 5.0 * u)));
}
// The slope is the density over the distribution function.
Var log_normal_cdf(const Var& t) {
  const double value = log_normal_cdf(t.a);
  return synthetic::chain(t, value, std::exp(-0.5 * t.a * t.a - 0.9189385332046727 - value));
}

Index draw_poisson(double mean, Random& random) {
  Index count = 0;
  for (double log_product = std::log(1.0 - random.uniform()); log_product > -mean; ++count) {
    log_product += std::log(1.0 - random.uniform());
  }
  return count;
}

// A regression, the sum of loss(i, eta_i, rest) over the rows, rest being the parameters after the coefficients.
template <class Loss>
Made regression(const Data& data, Index num_others, Loss loss) {
  return made(Vector::Zero(data.p + num_others), [=](const auto* b, auto*) {
    return total(0, data.m, [&](Index i) { return loss(i, data.dot(i, b), b + data.p); });
  });
}

Made make_poisson(Index n, Draw& draw) {
  const Data data = draw_data(n, draw);
  const Vector y = vector_of(data.m, [&](Index i) { return real(draw_poisson(std::exp(data.eta[i]), draw.data)); });
  return regression(data, 0, [y](Index i, const auto& eta, const auto*) { return exp(eta) - y[i] * eta; });
}

// Counts of mean mu and variance mu + mu^2/r; the last parameter is log r. log Gamma(y + r) - log Gamma(r) is the sum
// of log(r + k) over k < y, and above_k counts the y > k.
Made make_negative_binomial(Index n, Draw& draw) {
  const Data data = draw_data(n - 1, draw);
  std::vector<double> above;
  const Vector y = vector_of(data.m, [&](Index i) {
    const double gamma = -0.5 * (std::log(1.0 - draw.data.uniform()) + std::log(1.0 - draw.data.uniform()));  // r = 2
    const Index count = draw_poisson(gamma * std::exp(data.eta[i]), draw.data);
    if (static_cast<std::size_t>(count) > above.size()) above.resize(static_cast<std::size_t>(count), 0.0);
    for (Index k = 0; k < count; ++k) above[static_cast<std::size_t>(k)] += 1.0;
    return real(count);
  });
  return made(Vector::Zero(n), [=]<class T>(const T* b, T*) {
    const T rho = b[n - 1], r = exp(rho);
    T f = total(0, data.m, [&](Index i) {
      const T eta = data.dot(i, b);
      return (r + y[i]) * softplus(eta - rho) - y[i] * (eta - rho);
    });
    for (std::size_t k = 0; k < above.size(); ++k) f -= above[k] * log(r + real(static_cast<Index>(k)));
    return f;
  });
}

Made make_probit(Index n, Draw& draw) {
  const Data data = draw_data(n, draw);
  const Vector sign = vector_of(data.m, [&](Index i) { return data.eta[i] + draw.data.normal() > 0.0 ? 1.0 : -1.0; });
  return regression(data, 0, [sign](Index i, const auto& eta, const auto*) { return -log_normal_cdf(sign[i] * eta); });
}

// Four ordered answers, cumulative logits; the last parameters are log gaps between the thresholds 0, e^c, e^c + e^d.
Made make_ordinal(Index n, Draw& draw) {
  const Data data = draw_data(n - 2, draw, 1.5);
  const Vector y = vector_of(data.m, [&](Index i) {
    const double u = draw.data.uniform(), latent = data.eta[i] + std::log(u / (1.0 - u));
    return latent < 0.0 ? 0.0 : latent < 1.0 ? 1.0 : latent < 2.5 ? 2.0 : 3.0;
  });
  return regression(data, 2, [y]<class T>(Index i, const T& eta, const T* gaps) {
    if (y[i] == 0.0) return softplus(eta);
    const T second = exp(gaps[0]), third = second + exp(gaps[1]);
    if (y[i] == 3.0) return softplus(third - eta);
    // sigmoid(u) - sigmoid(l) = (1 - e^{l-u}) sigmoid(u) sigmoid(-l).
    const T low = (y[i] == 1.0 ? T(0.0) : second) - eta, high = (y[i] == 1.0 ? second : third) - eta;
    return softplus(-high) + softplus(low) - log(1.0 - exp(low - high));
  });
}

// Three classes, n = 2 p coefficients, the first class being the reference.
Made make_multinomial(Index n, Draw& draw) {
  const Data data = draw_data(n / 2, draw, 1.5);
  const Vector other = normals(data.p, draw.data, 1.5 / std::sqrt(real(data.p))).cwiseProduct(data.truth.cwiseAbs());
  const Vector y = vector_of(data.m, [&](Index i) {
    const double one = std::exp(data.eta[i]), two = std::exp(data.dot(i, other.data()));
    const double u = draw.data.uniform() * (1.0 + one + two);
    return u < 1.0 ? 0.0 : u < 1.0 + one ? 1.0 : 2.0;
  });
  return made(Vector::Zero(n), [=]<class T>(const T* b, T*) {
    return total(0, data.m, [&](Index i) {
      const T one = data.dot(i, b), two = data.dot(i, b + data.p);
      const T all = one + softplus(two - one);  // log(e^one + e^two)
      return y[i] == 0.0 ? softplus(all) : softplus(all) - (y[i] == 1.0 ? one : two);
    });
  });
}

// Student's t with four degrees of freedom; the last parameter is log sigma.
Made make_student(Index n, Draw& draw) {
  const Data data = draw_data(n - 1, draw, 3.0);
  const Vector y = vector_of(data.m, [&](Index i) {
    const double chi2 = normals(4, draw.data).squaredNorm();
    return data.eta[i] + 0.5 * draw.data.normal() / std::sqrt(chi2 / 4.0);
  });
  return regression(data, 1, [y](Index i, const auto& eta, const auto* rest) {
    return rest[0] + 2.5 * log1p(0.25 * square((y[i] - eta) * exp(-rest[0])));
  });
}

// Weibull times, some censored; the last parameter is the log shape: w = k (log t - eta), events k e^{w - e^w}.
Made make_weibull(Index n, Draw& draw) {
  const Data data = draw_data(n - 1, draw);
  Vector log_time(data.m), is_event(data.m);
  for (Index i = 0; i < data.m; ++i) {
    const double event = data.eta[i] + std::log(-std::log(1.0 - draw.data.uniform())) / 1.6;
    const double censored = std::log(4.0 * (1.0 - draw.data.uniform()));
    log_time[i] = std::min(event, censored);
    is_event[i] = event <= censored ? 1.0 : 0.0;
  }
  return regression(data, 1, [=]<class T>(Index i, const T& eta, const T* rest) {
    const T w = exp(rest[0]) * (log_time[i] - eta);
    return exp(w) - is_event[i] * (rest[0] + w);
  });
}

// Cox's partial likelihood: sum over events of log(sum of e^eta over those still at risk) - eta.
Made make_cox(Index n, Draw& draw) {
  const Data data = draw_data(n, draw);
  std::vector<Index> order(static_cast<std::size_t>(data.m));
  std::iota(order.begin(), order.end(), 0);
  const Vector time =
      vector_of(data.m, [&](Index i) { return -std::log(1.0 - draw.data.uniform()) * std::exp(-data.eta[i]); });
  std::ranges::sort(order, [&](Index i, Index j) { return time[i] > time[j]; });
  const Vector is_event = vector_of(data.m, [&](Index) { return chance(0.7, draw.data) ? 1.0 : 0.0; });
  return made(Vector::Zero(n), [=]<class T>(const T* b, T*) {
    T at_risk = 0.0, f = 0.0;
    for (const Index i : order) {
      const T eta = data.dot(i, b);
      at_risk += exp(eta);
      if (is_event[i] == 1.0) f += log(at_risk) - eta;
    }
    return f;
  });
}

// -log sum_k w_k N(y; mu_k, s_k^2), n = 3 k - 1: logits of the weights but the first, means, log deviations.
Made make_mixture(Index n, Draw& draw) {
  const Index count = (n + 1) / 3, m = 60 * count;
  const Vector y = vector_of(m, [&](Index) {
    const double k = real(integer(0, count - 1, draw.data));
    return 4.0 * k + (0.5 + 0.3 * k) * draw.data.normal();
  });
  Vector start = normals(n, draw.start, 0.3);
  for (Index k = 0; k < count; ++k) start[count - 1 + k] += 4.0 * real(count - 1) * draw.start.uniform();
  return made(
      start,
      [=]<class T>(const T* z, T* logs) {
        const T *mean = z + count - 1, *deviation = mean + count;
        T norm = 1.0;
        for (Index k = 1; k < count; ++k) norm += exp(z[k - 1]);
        T f = real(m) * log(norm);
        for (Index i = 0; i < m; ++i) {
          Index top = 0;
          for (Index k = 0; k < count; ++k) {
            const T prior = k > 0 ? z[k - 1] - deviation[k] : -deviation[k];
            logs[k] = prior - 0.5 * square((y[i] - mean[k]) * exp(-deviation[k]));
            if (primal(logs[k]) > primal(logs[top])) top = k;
          }
          T sum = 0.0;
          for (Index k = 0; k < count; ++k) sum += exp(logs[k] - logs[top]);
          f -= logs[top] + log(sum);
        }
        return f;
      },
      count);
}

// GARCH(1,1): h_t = omega + alpha r_{t-1}^2 + beta h_{t-1}, r = y - mu; log omega, logits of alpha + beta and of the
// share of alpha.
Made make_garch(Index, Draw& draw) {
  constexpr Index kLength = 400;
  Vector y(kLength);
  double h = 1.0, r = 0.0;
  for (double& entry : y) {
    h = 0.05 + 0.1 * r * r + 0.85 * h;
    r = std::sqrt(h) * draw.data.normal();
    entry = 0.1 + r;
  }
  const Vector start = Vector{{0.0, -1.0, 1.0, 0.0}} + normals(4, draw.start, 0.3);
  return made(start, [y]<class T>(const T* z, T*) {
    const T omega = exp(z[1]), persistence = sigmoid(z[2]), alpha = persistence * sigmoid(z[3]);
    const T beta = persistence - alpha;
    T variance = omega + persistence, f = 0.0;
    for (const double entry : y) {
      const T residual2 = square(entry - z[0]);
      f += 0.5 * (log(variance) + residual2 / variance);
      variance = omega + alpha * residual2 + beta * variance;
    }
    return f;
  });
}

// ARMA(p, 1) by conditional likelihood, n = p + 3: coefficients, moving average, mean, log deviation.
Made make_arma(Index n, Draw& draw) {
  const Index p = n - 3, length = 60 + 20 * p;
  Vector y = Vector::Zero(length);
  double before = 0.0;
  for (Index t = p; t < length; ++t) {
    const double noise = draw.data.normal();
    y[t] = 1.0 + 0.6 * y[t - 1] - (p > 1 ? 0.3 * y[t - p] : 0.0) + noise + 0.5 * before;
    before = noise;
  }
  return made(Vector::Zero(n), [=]<class T>(const T* z, T*) {
    T residual = 0.0, sum = 0.0;
    for (Index t = p; t < length; ++t) {
      T prediction = z[p + 1] + z[p] * residual;
      for (Index j = 0; j < p; ++j) prediction += y[t - 1 - j] * z[j];
      residual = y[t] - prediction;
      sum += square(residual);
    }
    return real(length - p) * z[p + 2] + 0.5 * sum * exp(-2.0 * z[p + 2]);
  });
}

// Kalman filter of a local linear trend: log variances of the observation, the level and the slope.
Made make_local_trend(Index, Draw& draw) {
  constexpr Index kLength = 120;
  Vector y(kLength);
  double level = 0.0, slope = 0.1;
  for (double& entry : y) {
    entry = level + draw.data.normal();
    level += slope + 0.5 * draw.data.normal();
    slope += 0.1 * draw.data.normal();
  }
  return made(normals(3, draw.start, 1.0), [y]<class T>(const T* z, T*) {
    const T noise = exp(z[0]), q = exp(z[1]), r = exp(z[2]);
    T a = 0.0, b = 0.0, p = 100.0, c = 0.0, d = 100.0, f = 0.0;  // state (a, b), covariance ((p, c), (c, d))
    for (const double entry : y) {
      const T variance = p + noise, innovation = entry - a, gain = p / variance, gain_b = c / variance;
      f += 0.5 * (log(variance) + square(innovation) / variance);
      const T a_new = a + gain * innovation, b_new = b + gain_b * innovation;
      const T p_new = p * (1.0 - gain), c_new = c * (1.0 - gain), d_new = d - gain_b * c;
      a = a_new + b_new;
      b = b_new;
      p = p_new + 2.0 * c_new + d_new + q;
      c = c_new + d_new;
      d = d_new + r;
    }
    return f;
  });
}

// Marginal likelihood of a Gaussian process on 30 points of a cube, a length for each side:
// 1/2 y^T K^{-1} y + 1/2 log det K, K = s^2 kernel(r^2) + noise I; n = lengths + log s + log noise (+ others).
template <class Kernel>
Made gaussian_process(Index n, Index num_others, Draw& draw, Kernel kernel) {
  constexpr Index kPoints = 30;
  const Index d = n - 2 - num_others;
  const Vector x = uniforms(kPoints * d, 0.0, 1.0, draw.data), white = normals(kPoints, draw.data);
  // The lower triangle of L in K = L L^T, row by row, for parameters z.
  const auto factor = [=]<class T>(const T* z, T* l) {
    const T scale = exp(2.0 * z[d]), noise = exp(2.0 * z[d + 1]);
    for (Index i = 0; i < kPoints; ++i) {
      T* row = l + i * (i + 1) / 2;
      for (Index j = 0; j <= i; ++j) {
        const T* other = l + j * (j + 1) / 2;
        T entry = scale + noise;
        if (j < i) {
          const T r2 = total(0, d, [&](Index k) { return square((x[i * d + k] - x[j * d + k]) * exp(-z[k])); });
          entry = scale * kernel(r2, z + d + 2);
        }
        for (Index k = 0; k < j; ++k) entry -= row[k] * other[k];
        row[j] = j < i ? entry / other[j] : sqrt(entry);
      }
    }
  };
  Vector truth = Vector::Zero(n), l(kPoints * (kPoints + 1) / 2), y = Vector::Zero(kPoints);
  for (Index k = 0; k < d; ++k) truth[k] = std::log(0.2 + 0.4 * real(k));
  truth[d + 1] = std::log(0.1);
  factor(truth.data(), l.data());
  for (Index i = 0; i < kPoints; ++i) y[i] = l.segment(i * (i + 1) / 2, i + 1).dot(white.head(i + 1));
  return made(
      normals(n, draw.start, 0.5),
      [=]<class T>(const T* z, T* work) {
        factor(z, work);
        T f = 0.0, *solved = work + l.size();
        for (Index i = 0; i < kPoints; ++i) {
          const T* row = work + i * (i + 1) / 2;
          solved[i] = y[i];
          for (Index k = 0; k < i; ++k) solved[i] -= row[k] * solved[k];
          solved[i] = solved[i] / row[i];
          f += 0.5 * square(solved[i]) + log(row[i]);
        }
        return f;
      },
      l.size() + kPoints);
}
Made make_gp_rbf(Index n, Draw& draw) {
  return gaussian_process(n, 0, draw, [](const auto& r2, const auto*) { return exp(-0.5 * r2); });
}
Made make_gp_matern(Index n, Draw& draw) {
  return gaussian_process(n, 0, draw, []<class T>(const T& r2, const T*) {
    const T r = sqrt(3.0 * r2);
    return (1.0 + r) * exp(-r);
  });
}
// (1 + r^2/(2 alpha))^{-alpha}; the last parameter is log alpha.
Made make_gp_rational(Index n, Draw& draw) {
  return gaussian_process(n, 1, draw, []<class T>(const T& r2, const T* rest) {
    const T alpha = exp(rest[0]);
    return exp(-alpha * log1p(0.5 * r2 / alpha));
  });
}

constexpr Sizes kRegression{.low = 3, .usual = 10, .high = 1000};

}  // namespace

const std::vector<Variant>& likelihood_variants() {
  static const std::vector<Variant> variants = {
      {"poisson", "counts, Poisson regression", kRegression, make_poisson},
      {"negative-binomial", "counts with a free dispersion", kRegression, make_negative_binomial},
      {"probit", "two answers, probit regression", kRegression, make_probit},
      {"ordinal", "four ordered answers, cumulative logits", {.low = 4, .usual = 10, .high = 1000}, make_ordinal},
      {"multinomial",
       "three classes, multinomial logits",
       {.low = 4, .usual = 10, .high = 1000, .per = 2},
       make_multinomial},
      {"student", "regression with Student's t and a free scale", kRegression, make_student},
      {"weibull", "survival with censoring and a free shape", kRegression, make_weibull},
      {"cox", "Cox's partial likelihood of survival", kRegression, make_cox},
      {"mixture",
       "a mixture of normal distributions",
       {.low = 5, .usual = 8, .high = 17, .per = 3, .add = -1},
       make_mixture},
      {"garch", "a variance that follows its past, GARCH(1,1)", {.low = 4, .usual = 4, .high = 4}, make_garch},
      {"arma", "an autoregression with a moving average", {.low = 4, .usual = 6, .high = 63}, make_arma},
      {"local-trend",
       "variances of a state-space model by the Kalman filter",
       {.low = 3, .usual = 3, .high = 3},
       make_local_trend},
      {"gp-rbf",
       "hyper-parameters of a Gaussian process, Gaussian kernel",
       {.low = 3, .usual = 4, .high = 6},
       make_gp_rbf},
      {"gp-matern",
       "hyper-parameters of a Gaussian process, Matern 3/2",
       {.low = 3, .usual = 4, .high = 6},
       make_gp_matern},
      {"gp-rational",
       "hyper-parameters of a Gaussian process, rational quadratic",
       {.low = 4, .usual = 5, .high = 7},
       make_gp_rational},
  };
  return variants;
}

}  // namespace loa::origin
