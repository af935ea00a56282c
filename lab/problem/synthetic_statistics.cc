// Synthetic families, likelihoods that are not of generalized linear models: mixtures, time series, covariances, latent
// traits, scales beside means. McCullagh and Nelder (1989); Rasmussen and Williams, "Gaussian Processes for Machine
// Learning" (2006), chapter 5; Bishop, "Pattern Recognition and Machine Learning" (2006), chapter 9.
#include <utility>

#include "problem/synthetic.h"
#include "problem/synthetic_draw.h"

namespace loa::synthetic {
namespace {

// -mean_i log sum_k softmax(a)_k N(y_i; m_k, e^{s_k}), z = (a_k, m_k, s_k) for each component; the variables left over
// have a bowl of their own.
Draft make_mixture(Index n, Random& random) {
  const Index components = std::max<Index>(1, std::min<Index>(n / 3, 6)), m = 10 * components + 10;
  Vector y(m), guess = Vector::Zero(n);
  for (Index k = 0; k < components; ++k) guess[3 * k + 1] = 3.0 * random.normal();
  for (double& value : y) value = guess[3 * integer(0, components - 1, random) + 1] + random.normal();
  const double l2 = power_of_ten(-4, -2, random), weight = 1.0 / static_cast<double>(m);
  return draft(guess, 0.7, [=]<class T>(const T* z, T*) {
    T normalizer = z[0], f = 0.0;
    for (Index k = 1; k < components; ++k) normalizer = normalizer + softplus(z[3 * k] - normalizer);
    for (Index i = 0; i < m; ++i) {
      T s = 0.0;
      for (Index k = 0; k < components; ++k) {
        const T* c = z + 3 * k;
        const T t = c[0] - c[2] - 0.5 * square((y[i] - c[1]) * exp(-c[2]));
        s = k == 0 ? t : primal(t) > primal(s) ? t + softplus(s - t) : s + softplus(t - s);
      }
      f += normalizer - s;
    }
    for (Index j = 3 * components; j < n; ++j) f += log_cosh(z[j] + z[j - 1]);
    return weight * f + ridge(z, n, l2);
  });
}

// 1/2 y^T K^{-1} y + 1/2 log det K for N = 10 points, K = e^{z_0} exp(-sum_k (x_k - x'_k)^2 e^{z_{k+2}}) + e^{z_1} I,
// by a Cholesky factorization written out.
Draft make_gaussian_process(Index n, Random& random) {
  constexpr Index kNumPoints = 10;
  const Index d = n - 2;
  const Matrix x = normals(d * kNumPoints, random).reshaped(d, kNumPoints);
  const Vector y = normals(kNumPoints, random) + 1.5 * x.row(0).transpose().array().sin().matrix();
  const double l2 = power_of_ten(-2, -1, random);
  return draft(
      Vector::Zero(n), 1.0,
      [=]<class T>(const T* z, T* work) {
        T *l = work, *v = work + kNumPoints * kNumPoints, *scale = v + kNumPoints;
        for (Index k = 0; k < d; ++k) scale[k] = exp(z[k + 2]);
        const T signal = exp(z[0]), noise = exp(z[1]) + 1e-4;
        T f = ridge(z, n, l2);
        for (Index i = 0; i < kNumPoints; ++i) {
          for (Index j = 0; j <= i; ++j) {
            T sum = 0.0;
            for (Index k = 0; k < d; ++k) sum += square(x(k, i) - x(k, j)) * scale[k];
            sum = i == j ? signal + noise : signal * exp(-sum);
            for (Index k = 0; k < j; ++k) sum -= l[i * kNumPoints + k] * l[j * kNumPoints + k];
            l[i * kNumPoints + j] = i == j ? sqrt(sum) : sum / l[j * kNumPoints + j];
          }
          const T diagonal = l[i * kNumPoints + i];
          T rest = y[i];
          for (Index k = 0; k < i; ++k) rest -= l[i * kNumPoints + k] * v[k];
          v[i] = rest / diagonal;
          f += 0.5 * square(v[i]) + log(diagonal);
        }
        return f;
      },
      kNumPoints * (kNumPoints + 1) + d);
}

// 1/2 mean_i ||L^T x_i||^2 - sum_j log L_jj, L lower triangular with the diagonal e^z: a covariance by the Cholesky
// factor of its inverse. The variables left over are means.
Draft make_precision(Index n, Random& random) {
  Index p = 1;
  while ((p + 1) * (p + 2) / 2 <= n) ++p;
  const Index used = p * (p + 1) / 2, m = p + 8;
  const Vector scale = spread(p, std::sqrt(draw_condition(random)), random);
  Matrix x(p, m);
  for (Index i = 0; i < m; ++i) {
    const double common = random.normal();
    for (Index j = 0; j < p; ++j) x(j, i) = (common + random.normal()) / scale[j];
  }
  const double l2 = power_of_ten(-4, -2, random), weight = 1.0 / static_cast<double>(m);
  return draft(
      Vector::Zero(n), 0.5,
      [=]<class T>(const T* z, T* diagonal) {
        T f = 0.0, log_det = 0.0;
        for (Index j = 0; j < p; ++j) {
          diagonal[j] = exp(z[j]);
          log_det += z[j];
        }
        for (Index i = 0; i < m; ++i) {
          Index at = p;
          for (Index j = 0; j < p; ++j) {
            const T own = used + j < n ? x(j, i) - z[used + j] : T(x(j, i));
            T sum = diagonal[j] * own;
            for (Index k = j + 1; k < p; ++k) sum += x(k, i) * z[at++];
            f += 0.5 * square(sum);
          }
        }
        return weight * f - log_det + ridge(z, n, l2);
      },
      p);
}

// 1/2 mean_t e_t^2 + ridge, e_t = y_t - sum_k a_k y_{t-k} - sum_k b_k e_{t-k}: an autoregressive moving average; the
// coefficients pass through tanh.
Draft make_time_series(Index n, Random& random) {
  const Index p = (n + 1) / 2, q = n - p, m = 2 * n + 30;
  Vector y(m);
  double level = 0.0, shock = 0.0;
  const double memory = random.uniform(0.3, 0.98);
  for (double& value : y) {
    const double fresh = random.normal();
    level = memory * level + fresh + 0.5 * shock;
    shock = fresh;
    value = level;
  }
  const Vector backwards = y.reverse();  // y_{t-1}, y_{t-2}, ... from place m - t on
  const double l2 = power_of_ten(-4, -2, random), weight = 1.0 / static_cast<double>(m);
  return draft(
      Vector::Zero(n), 0.3,
      [=]<class T>(const T* z, T* work) {
        T *b = work, *e = work + q;
        for (Index k = 0; k < q; ++k) b[k] = tanh(z[p + k]) / static_cast<double>(q);
        T f = 0.0;
        for (Index t = 0; t < m; ++t) {
          e[t] = y[t];
          if (t > 0) e[t] -= dot(&backwards[m - t], z, std::min(p, t));
          for (Index k = 1; k <= std::min(q, t); ++k) e[t] -= b[k - 1] * e[t - k];
          f += 0.5 * square(e[t]);
        }
        return weight * f + ridge(z, n, l2);
      },
      q + m);
}

// mean_i <c_i, v> + 1/2 (y_i - <a_i, u>)^2 e^{-2 <c_i, v>}, z = (u, v): a mean and a scale that both depend on data.
Draft make_two_moments(Index n, Random& random) {
  const Index p = (n + 1) / 2, m = 4 * n;
  const Forms a = draw_forms(m, p, random), c = draw_forms(m, n - p, random);
  const Vector mean = apply(a, normals(p, random, 2.0)), scale = apply(c, normals(n - p, random));
  Vector y(m);
  for (Index i = 0; i < m; ++i) y[i] = mean[i] + std::exp(scale[i]) * random.normal();
  const double l2 = power_of_ten(-2, -1, random), weight = 1.0 / static_cast<double>(m);
  return draft(Vector::Zero(n), 0.7, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < m; ++i) {
      const T s = c.dot(i, z + p);
      f += s + 0.5 * square(y[i] - a.dot(i, z)) * exp(-2.0 * s);
    }
    return weight * f + ridge(z, n, l2);
  });
}

// log(1 + exp(-+ e^{s_j} (t_i - b_j))): persons with ability t_i, questions with difficulty b_j and sharpness s_j.
Draft make_item_response(Index n, Random& random) {
  const Index items = std::max<Index>(1, n / 4), persons = n - 2 * items;
  struct Answer {
    Index person, item;
    bool is_right;
  };
  std::vector<Answer> answers;
  const Vector ability = normals(persons, random, 1.5), difficulty = normals(items, random);
  for (Index i = 0; i < persons; ++i) {
    for (Index k = 0; k < std::min<Index>(items, 8); ++k) {
      const Index item = items <= 8 ? k : integer(0, items - 1, random);
      answers.push_back(
          {.person = i, .item = item, .is_right = chance(sigmoid(ability[i] - difficulty[item]), random)});
    }
  }
  const double l2 = power_of_ten(-2, -0.5, random);
  return draft(
      Vector::Zero(n), 1.0,
      [=]<class T>(const T* z, T* sharpness) {
        T f = ridge(z, n, l2);
        for (Index j = 0; j < items; ++j) sharpness[j] = exp(z[persons + items + j]);
        for (const Answer& answer : answers) {
          const T t = sharpness[answer.item] * (z[answer.person] - z[persons + answer.item]);
          f += softplus(answer.is_right ? -t : t);
        }
        return f;
      },
      items);
}

// sum over games of log(1 + exp(z_loser - z_winner)) + ridge: strengths from comparisons, Bradley and Terry (1952).
Draft make_tournament(Index n, Random& random) {
  const Vector strength = normals(n, random, 2.0);
  std::vector<std::pair<Index, Index>> games;
  for (Index k = 0; k < 5 * n; ++k) {
    const Index i = integer(0, n - 1, random), j = (i + integer(1, std::min<Index>(n - 1, 4), random)) % n;
    const bool first_wins = chance(sigmoid(strength[i] - strength[j]), random);
    games.emplace_back(first_wins ? i : j, first_wins ? j : i);
  }
  const double l2 = power_of_ten(-4, -1, random);
  return draft(Vector::Zero(n), 1.5, [=]<class T>(const T* z, T*) {
    T f = ridge(z, n, l2);
    for (const auto& game : games) f += softplus(z[game.second] - z[game.first]);
    return f;
  });
}

// -mean_i log density of a Weibull time with shape e^{z_n} and scale e^{<a_i, z>}: z_n + w - e^w, w = e^{z_n} (log y_i
// - <a_i, z>).
Draft make_survival(Index n, Random& random) {
  const Index p = n - 1;
  const Forms a = draw_forms(4 * n, p, random);
  const Vector mean = apply(a, normals(p, random, 1.5));
  Vector log_y(a.m);
  const double shape = random.uniform(0.7, 4.0);
  for (Index i = 0; i < a.m; ++i) log_y[i] = mean[i] + std::log(-std::log(1.0 - random.uniform())) / shape;
  const double l2 = power_of_ten(-3, -1, random), weight = 1.0 / static_cast<double>(a.m);
  return draft(Vector::Zero(n), 0.5, [=]<class T>(const T* z, T*) {
    const T k = exp(z[p]);
    T f = 0.0;
    for (Index i = 0; i < a.m; ++i) {
      const T w = k * (log_y[i] - a.dot(i, z));
      f += exp(w) - w - z[p];
    }
    return weight * f + ridge(z, n, l2);
  });
}

// The state s_{t+1} = e^{z_1} + sigmoid(z_2) s_t + e^{z_3} y_t^2 is the variance of y_t - z_4, mean over t of
// 1/2 log s_t + (y_t - z_4)^2/(2 s_t): volatility that clusters, Bollerslev (1986). Further variables are coefficients
// of lagged values in the mean.
Draft make_volatility(Index n, Random& random) {
  const Index m = 40 + 2 * n;
  Vector y(m);
  double variance = 1.0;
  for (double& value : y) {
    value = std::sqrt(variance) * random.normal();
    variance = 0.1 + 0.7 * variance + 0.2 * value * value;
  }
  const double l2 = power_of_ten(-3, -1.5, random), weight = 1.0 / static_cast<double>(m);
  return draft(Vector::Zero(n), 0.7, [=]<class T>(const T* z, T*) {
    const T base = exp(z[0]), persistence = sigmoid(z[1]), reaction = n > 2 ? exp(z[2]) : T(0.2);
    T s = base, f = 0.0;
    for (Index t = 0; t < m; ++t) {
      T residual = n > 3 ? y[t] - z[3] : T(y[t]);
      for (Index k = 4; k < n && t >= k - 3; ++k) residual -= y[t - k + 3] * z[k];
      const T r2 = square(residual);
      f += 0.5 * log(s) + 0.5 * r2 / s;
      s = base + persistence * s + reaction * r2;
    }
    return weight * f + ridge(z, n, l2);
  });
}

}  // namespace

const std::vector<Family>& statistics_families() {
  static const std::vector<Family> families = {
      {"mixture", "a mixture of normal distributions", 3, 24, make_mixture},
      {"gaussian-process", "the hyper-parameters of a Gaussian process", 3, 12, make_gaussian_process},
      {"precision", "a covariance by the Cholesky factor of its inverse", 2, 200, make_precision},
      {"time-series", "an autoregressive moving average", 2, 30, make_time_series},
      {"two-moments", "a mean and a scale that depend on data", 2, 10000, make_two_moments},
      {"item-response", "abilities, difficulties and sharpness from answers", 4, 10000, make_item_response},
      {"tournament", "strengths from comparisons", 2, 100000, make_tournament},
      {"survival", "Weibull times with a free shape", 2, 10000, make_survival},
      {"volatility", "a variance that follows its past", 2, 20, make_volatility},
  };
  return families;
}

}  // namespace loa::synthetic
