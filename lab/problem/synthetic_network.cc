// Synthetic families, small neural networks: mean loss over a few random points, plus a small ridge. Variables that do
// not fill a unit are coefficients of a linear term. Goodfellow, Bengio and Courville, "Deep Learning" (2016), ch. 6.
#include "problem/synthetic.h"
#include "problem/synthetic_draw.h"

namespace loa::synthetic {
namespace {

// One hidden layer: out(x) = sum_h v_h u(<w_h, x> + b_h) + <rest, x>, inputs x in R^d, d + 2 variables a unit.
template <class Activation>
struct Layer {
  Index n, d;
  Activation u;

  template <class T>
  T operator()(const double* x, const T* z) const {
    T out = 0.0;
    Index j = 0;
    for (; j + d + 2 <= n; j += d + 2) out += z[j + d + 1] * u(dot(x, z + j, d) + z[j + d]);
    for (Index k = 0; j < n; ++j, ++k) out += (k == 0 ? 1.0 : x[(k - 1) % d]) * z[j];
    return out;
  }
};

// The points, and what a random smooth function is there.
struct Points {
  Index m, d;
  std::vector<double> x;  // m x d
  Vector y;
  const double* at(Index i) const { return &x[static_cast<std::size_t>(i * d)]; }
};

Points draw_points(Index m, Index d, Random& random) {
  Points points{.m = m, .d = d, .x = {}, .y = Vector(m)};
  const double frequency = random.uniform(0.5, 2.5), phase = random.uniform(0.0, 6.0);
  const Vector direction = normals(d, random);
  for (Index i = 0; i < m; ++i) {
    for (Index k = 0; k < d; ++k) points.x.push_back(1.5 * random.normal());
    const double t = dot(direction.data(), points.at(i), d);
    points.y[i] = std::sin(frequency * t + phase) + 0.3 * t + 0.1 * random.normal();
  }
  return points;
}

// mean_i loss(out(x_i), y_i) + l2/2 ||z||^2.
template <class Activation, class Loss>
Draft train_layer(Index n, Random& random, Activation u, Loss loss) {
  const Index d = n < 8 ? 1 : integer(1, 3, random);
  const Layer<Activation> layer{.n = n, .d = d, .u = u};
  const Points points = draw_points(std::min<Index>(2 * n + 5, 60), d, random);
  const double l2 = power_of_ten(-4, -1.5, random), weight = 1.0 / static_cast<double>(points.m);
  return draft(Vector::Zero(n), 1.0, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < points.m; ++i) f += loss(layer(points.at(i), z), points.y[i]);
    return weight * f + ridge(z, n, l2);
  });
}

constexpr auto kSquaredError = [](const auto& out, double y) { return 0.5 * square(out - y); };
constexpr auto kClassification = [](const auto& out, double y) { return softplus(y > 0.0 ? -out : out); };

Draft make_tanh_network(Index n, Random& random) {
  return train_layer(
      n, random, [](const auto& t) { return tanh(t); }, kSquaredError);
}

Draft make_softplus_network(Index n, Random& random) {
  return train_layer(
      n, random, [](const auto& t) { return softplus(2.0 * t); }, kSquaredError);
}

Draft make_sine_network(Index n, Random& random) {
  return train_layer(
      n, random, [](const auto& t) { return sin(t); }, kSquaredError);
}

Draft make_bell_network(Index n, Random& random) {
  return train_layer(
      n, random, [](const auto& t) { return exp(-square(t)); }, kSquaredError);
}

Draft make_network_classifier(Index n, Random& random) {
  return train_layer(
      n, random, [](const auto& t) { return tanh(t); }, kClassification);
}

// A gate instead of an activation: t sigmoid(t).
Draft make_gated_network(Index n, Random& random) {
  return train_layer(
      n, random, [](const auto& t) { return t * sigmoid(t); }, kSquaredError);
}

// h_0 = x, h_{l+1} = h_l + v_l tanh(w_l h_l + b_l), three variables a layer: a residual network of width 1.
Draft make_deep_network(Index n, Random& random) {
  const Points points = draw_points(std::min<Index>(n + 10, 40), 1, random);
  const double l2 = power_of_ten(-4, -2, random), weight = 1.0 / static_cast<double>(points.m);
  return draft(Vector::Zero(n), 0.7, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < points.m; ++i) {
      T h = points.x[static_cast<std::size_t>(i)];
      Index j = 0;
      for (; j + 3 <= n; j += 3) h = h + z[j] * tanh(z[j + 1] * h + z[j + 2]);
      for (; j < n; ++j) h = h * (1.0 + 0.5 * z[j]);
      f += 0.5 * square(h - points.y[i]);
    }
    return weight * f + ridge(z, n, l2);
  });
}

// 1/2 sum_i (prod_l z_l x_i - y_i)^2 over groups of 2 to 4 factors, summed: a deep linear network.
Draft make_linear_network(Index n, Random& random) {
  const Index depth = std::min(n, integer(2, 4, random)), units = n / depth, m = 2 * units + 2;
  const Forms a = draw_forms(m, units, random);
  const Vector truth = normals(units, random);
  const Vector y = apply(a, truth) + normals(m, random, 0.1);
  const double l2 = power_of_ten(-3, -1, random);
  return draft(
      Vector::Constant(n, 0.7), 0.5,
      [=]<class T>(const T* z, T* product) {
        for (Index k = 0; k < units; ++k) {
          product[k] = z[k];
          for (Index l = 1; l < depth; ++l) product[k] *= z[l * units + k];
        }
        T f = ridge(z, n, l2);
        for (Index i = 0; i < m; ++i) {
          T r = -y[i];
          const Index first = a.first[static_cast<std::size_t>(i)];
          for (Index k = 0; k < a.width; ++k) r += a.row(i)[k] * product[first + k];
          f += 0.5 * square(r);
        }
        for (Index j = depth * units; j < n; ++j) f += log_cosh(z[j] - z[0]);
        return f;
      },
      units);
}

// 1/2 mean_i ||W^T tanh(W x_i) - x_i||^2, W h x d: an autoencoder; the variables left over shift the hidden units.
Draft make_autoencoder(Index n, Random& random) {
  const Index d = n < 8 ? 2 : integer(3, 5, random), h = n / d, m = d + 8;
  std::vector<double> x;
  const Vector direction = normals(d, random, 1.5);
  for (Index i = 0; i < m; ++i) {
    const double t = random.normal();
    for (Index k = 0; k < d; ++k) x.push_back(t * direction[k] + 0.5 * random.normal());
  }
  const double l2 = power_of_ten(-4, -2, random), weight = 1.0 / static_cast<double>(m);
  return draft(
      Vector::Zero(n), 0.5,
      [=]<class T>(const T* z, T* hidden) {
        T f = 0.0;
        for (Index i = 0; i < m; ++i) {
          const double* point = &x[static_cast<std::size_t>(i * d)];
          for (Index k = 0; k < h; ++k) {
            const T t = dot(point, z + k * d, d);
            hidden[k] = tanh(h * d + k < n ? t + z[h * d + k] : t);
          }
          for (Index j = 0; j < d; ++j) {
            T r = -point[j];
            for (Index k = 0; k < h; ++k) r += hidden[k] * z[k * d + j];
            f += 0.5 * square(r);
          }
        }
        return weight * f + ridge(z, n, l2);
      },
      h);
}

// Two linear experts and a gate: s(<g, x>) <u, x> + (1 - s(<g, x>)) <v, x>, x in R^p with p = n/3.
Draft make_experts(Index n, Random& random) {
  const Index p = n / 3, m = 3 * n;
  const Forms a = draw_forms(m, p, random);
  const Vector gate = apply(a, normals(p, random, 4.0)), u = apply(a, normals(p, random, 2.0)),
               v = apply(a, normals(p, random, 2.0));
  Vector y = normals(m, random, 0.1);
  for (Index i = 0; i < m; ++i) y[i] += gate[i] > 0.0 ? u[i] : v[i];
  const double l2 = power_of_ten(-3, -1, random);
  return draft(Vector::Zero(n), 1.0, [=]<class T>(const T* z, T*) {
    T f = ridge(z, n, l2);
    for (Index i = 0; i < m; ++i) {
      const T s = sigmoid(a.dot(i, z)), left = a.dot(i, z + p), right = a.dot(i, z + 2 * p);
      f += 0.5 * square(right + s * (left - right) - y[i]);
    }
    for (Index j = 3 * p; j < n; ++j) f += hypot1(z[j] - z[0]);
    return f;
  });
}

}  // namespace

const std::vector<Family>& network_families() {
  static const std::vector<Family> families = {
      {"tanh-network", "one hidden layer of tanh", 3, 1000, make_tanh_network},
      {"softplus-network", "one hidden layer of softplus", 3, 1000, make_softplus_network},
      {"sine-network", "one hidden layer of sines", 3, 1000, make_sine_network},
      {"bell-network", "one hidden layer of bells", 3, 1000, make_bell_network},
      {"gated-network", "one hidden layer of t sigmoid(t)", 3, 1000, make_gated_network},
      {"network-classifier", "one hidden layer of tanh, logistic loss", 3, 1000, make_network_classifier},
      {"deep-network", "a residual network of width one", 3, 60, make_deep_network},
      {"linear-network", "products of weights against data", 4, 1000, make_linear_network},
      {"autoencoder", "an autoencoder with tied weights", 4, 1000, make_autoencoder},
      {"experts", "two linear experts and a gate", 3, 10000, make_experts},
  };
  return families;
}

}  // namespace loa::synthetic
