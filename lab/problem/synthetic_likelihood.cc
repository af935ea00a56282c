// Synthetic families, negative log-likelihoods of generalized linear models and losses of classification. The linear
// predictor is t_i = <a_i, z>, the data are drawn from the model at a random z. McCullagh and Nelder, "Generalized
// Linear Models", 2nd ed. (1989).
#include "problem/synthetic.h"
#include "problem/synthetic_draw.h"

namespace loa::synthetic {
namespace {

// The predictors, their values at the z that made the data, and the weight of ||z||^2 / 2.
struct Model {
  Forms a;
  Vector t;
  double l2;
};

Model draw_model(Index m, Index n, double signal, Random& random) {
  Forms a = draw_forms(m, n, random);
  Vector t = apply(a, normals(n, random, signal));
  return {.a = std::move(a), .t = std::move(t), .l2 = power_of_ten(-4, -0.5, random)};
}

// mean_i loss(i, t_i) + l2/2 ||z||^2.
template <class Loss>
Draft mean_loss(const Model& model, Index n, double reach, Loss loss) {
  const Forms a = model.a;
  const double l2 = model.l2, weight = 1.0 / static_cast<double>(a.m);
  return draft(Vector::Zero(n), reach, [a, l2, weight, n, loss]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < a.m; ++i) f += loss(i, a.dot(i, z));
    return weight * f + ridge(z, n, l2);
  });
}

// Labels -1 and +1, drawn with the probability sigmoid(t).
Vector draw_labels(const Vector& t, Random& random) {
  Vector labels(t.size());
  for (Index i = 0; i < t.size(); ++i) labels[i] = chance(sigmoid(t[i]), random) ? 1.0 : -1.0;
  return labels;
}

// log(1 + exp(-b_i t_i)).
Draft make_logistic_loss(Index n, Random& random) {
  const Model model = draw_model(4 * n, n, 4.0, random);
  const Vector b = draw_labels(model.t, random);
  return mean_loss(model, n, 1.0, [b](Index i, const auto& t) { return softplus(-b[i] * t); });
}

// 1 - sigmoid(b_i t_i), nonconvex.
Draft make_sigmoid_loss(Index n, Random& random) {
  Model model = draw_model(4 * n, n, 6.0, random);
  const Vector b = draw_labels(model.t, random);
  return mean_loss(model, n, 1.0, [b](Index i, const auto& t) { return sigmoid(-b[i] * t); });
}

// delta softplus((1 - b_i t_i)/delta), the hinge of the support vector machine smoothed.
Draft make_smooth_hinge(Index n, Random& random) {
  const Model model = draw_model(4 * n, n, 4.0, random);
  const Vector b = draw_labels(model.t, random);
  const double delta = power_of_ten(-1.3, 0, random);
  return mean_loss(model, n, 1.0,
                   [b, delta](Index i, const auto& t) { return delta * softplus((1.0 - b[i] * t) / delta); });
}

// exp(-b_i t_i), the loss of boosting.
Draft make_exponential_loss(Index n, Random& random) {
  const Model model = draw_model(5 * n, n, 2.0, random);
  const Vector b = draw_labels(model.t, random);
  return mean_loss(model, n, 0.7, [b](Index i, const auto& t) { return exp(-b[i] * t); });
}

// exp(t_i) - y_i t_i, y_i counts.
Draft make_poisson(Index n, Random& random) {
  const Model model = draw_model(3 * n, n, 1.5, random);
  Vector y(model.t.size());
  for (Index i = 0; i < y.size(); ++i) {
    const double mean = std::exp(std::min(model.t[i], 5.0));
    y[i] = std::floor(std::max(0.0, mean + std::sqrt(mean) * random.normal()) + 0.5);
  }
  return mean_loss(model, n, 1.0, [y](Index i, const auto& t) { return exp(t) - y[i] * t; });
}

// k (t_i + y_i exp(-t_i)), y_i > 0: the gamma distribution of shape k with log link.
Draft make_gamma(Index n, Random& random) {
  const Model model = draw_model(3 * n, n, 1.5, random);
  Vector y(model.t.size());
  for (Index i = 0; i < y.size(); ++i) y[i] = std::exp(model.t[i] + 0.5 * random.normal());
  return mean_loss(model, n, 1.0, [y](Index i, const auto& t) { return t + y[i] * exp(-t); });
}

// (k + y_i) log(1 + exp(t_i)/k) - y_i t_i, k the dispersion.
Draft make_negative_binomial(Index n, Random& random) {
  const Model model = draw_model(3 * n, n, 3.0, random);
  const double k = power_of_ten(-0.5, 1, random);
  Vector y(model.t.size());
  for (Index i = 0; i < y.size(); ++i) y[i] = std::floor(std::exp(std::min(model.t[i] + random.normal(), 6.0)) + 0.5);
  return mean_loss(model, n, 1.5,
                   [y, k](Index i, const auto& t) { return (k + y[i]) * softplus(t - std::log(k)) - y[i] * t; });
}

// -log of the normal distribution function, in the logistic approximation 1.702 t, times a power: asymmetric links
// y_i softplus(-s t) + (1 - y_i) q softplus(s t).
Draft make_skewed_link(Index n, Random& random) {
  const Model model = draw_model(4 * n, n, 4.0, random);
  const Vector b = draw_labels(model.t, random);
  const double steep = power_of_ten(0, 1, random), skew = power_of_ten(0, 2, random);
  return mean_loss(model, n, 1.0,
                   [=](Index i, const auto& t) { return b[i] > 0.0 ? softplus(-steep * t) : skew * softplus(t); });
}

// Ordinal regression: the last variables are the thresholds, c_0 = z and c_k = c_{k-1} + softplus(z_k); the loss is
// -log(sigmoid(c_y - t) - sigmoid(c_{y-1} - t)).
Draft make_ordinal(Index n, Random& random) {
  const Index num_thresholds = n < 5 ? 1 : integer(2, 3, random), p = n - num_thresholds, m = 4 * n;
  const Forms a = draw_forms(m, p, random);
  const Vector t_true = apply(a, normals(p, random, 3.0));
  std::vector<Index> label(static_cast<std::size_t>(m));
  for (Index i = 0; i < m; ++i) {
    const double level = t_true[i] + 0.7 * random.normal() + 0.5 * static_cast<double>(num_thresholds);
    label[static_cast<std::size_t>(i)] =
        std::clamp<Index>(static_cast<Index>(std::floor(level + 0.5)), 0, num_thresholds);
  }
  const double l2 = power_of_ten(-3, -1, random), weight = 1.0 / static_cast<double>(m);
  return draft(Vector::Zero(n), 1.0, [=]<class T>(const T* z, T*) {
    T c[3];
    c[0] = z[p];
    for (Index k = 1; k < num_thresholds; ++k) c[k] = c[k - 1] + softplus(z[p + k]);
    T f = 0.0;
    for (Index i = 0; i < m; ++i) {
      const T t = a.dot(i, z);
      const Index k = label[static_cast<std::size_t>(i)];
      if (k == 0) {
        f += softplus(t - c[0]);
      } else if (k == num_thresholds) {
        f += softplus(c[k - 1] - t);
      } else {
        // log(s(u) - s(v)) = log s(u) + log s(-v) + log(1 - e^(v - u)).
        f += softplus(t - c[k]) + softplus(c[k - 1] - t) - log(1.0 - exp(c[k - 1] - c[k]));
      }
    }
    return weight * f + ridge(z, n, l2);
  });
}

// log sum_k exp(t_ik) - t_iy over K = 3 classes; the parameters of class k are the variables from k p on, the last ones
// a linear term.
Draft make_softmax(Index n, Random& random) {
  const Index p = n / 3, m = 6 * p;
  const Forms a = draw_forms(m, p, random);
  const Vector truth = normals(3 * p, random, 3.0);
  std::vector<Index> label(static_cast<std::size_t>(m));
  for (Index i = 0; i < m; ++i) {
    Index& best = label[static_cast<std::size_t>(i)];
    double best_value = -1e300;
    for (Index k = 0; k < 3; ++k) {
      const double value = a.dot(i, truth.data() + k * p) + random.normal();
      if (value > best_value) best = k, best_value = value;
    }
  }
  const double l2 = power_of_ten(-4, -1, random), weight = 1.0 / static_cast<double>(m);
  return draft(Vector::Zero(n), 1.0, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < m; ++i) {
      const T t0 = a.dot(i, z), t1 = a.dot(i, z + p), t2 = a.dot(i, z + 2 * p);
      const Index k = label[static_cast<std::size_t>(i)];
      // log sum exp as t0 + log(1 + e^(t1 - t0) + e^(t2 - t0)) = two softplus.
      const T s = t0 + softplus(t1 - t0);
      f += s + softplus(t2 - s) - (k == 0 ? t0 : k == 1 ? t1 : t2);
    }
    for (Index j = 3 * p; j < n; ++j) f += hypot1(z[j] - 1.0);
    return weight * f + ridge(z, n, l2);
  });
}

// Cox's partial likelihood: sum over i of log sum_{k >= i} exp(t_k) - t_i, the order being that of the failures.
Draft make_partial_likelihood(Index n, Random& random) {
  Model model = draw_model(3 * n, n, 2.0, random);
  const Forms a = model.a;
  const double l2 = model.l2, weight = 1.0 / static_cast<double>(a.m);
  return draft(Vector::Zero(n), 1.0, [=]<class T>(const T* z, T*) {
    T s = a.dot(a.m - 1, z), f = 0.0;
    for (Index i = a.m - 2; i >= 0; --i) {
      const T t = a.dot(i, z);
      s = t + softplus(s - t);
      f += s - t;
    }
    return weight * f + ridge(z, n, l2);
  });
}

}  // namespace

const std::vector<Family>& likelihood_families() {
  static const std::vector<Family> families = {
      {"logistic-loss", "logistic regression with correlated features", 2, 10000, make_logistic_loss},
      {"sigmoid-loss", "classification by 1 - sigmoid, nonconvex", 2, 10000, make_sigmoid_loss},
      {"smooth-hinge", "a support vector machine with a smoothed hinge", 2, 10000, make_smooth_hinge},
      {"exponential-loss", "classification by exp(-margin)", 2, 10000, make_exponential_loss},
      {"poisson", "Poisson regression", 2, 10000, make_poisson},
      {"gamma", "gamma regression with log link", 2, 10000, make_gamma},
      {"negative-binomial", "negative binomial regression", 2, 10000, make_negative_binomial},
      {"skewed-link", "classification with unequal slopes for the two classes", 2, 10000, make_skewed_link},
      {"ordinal", "ordinal regression, thresholds among the variables", 3, 10000, make_ordinal},
      {"softmax", "softmax regression with three classes", 3, 10000, make_softmax},
      {"partial-likelihood", "Cox's partial likelihood", 2, 10000, make_partial_likelihood},
  };
  return families;
}

}  // namespace loa::synthetic
