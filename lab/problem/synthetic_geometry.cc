// Synthetic families, points in the plane and in space: distances, forces, angles. Coordinates behind the n-th variable
// are 0.
#include "problem/synthetic.h"
#include "problem/synthetic_draw.h"

namespace loa::synthetic {
namespace {

// Points of R^d from n variables, the last one filled up with zeros.
struct Cloud {
  Index n, d;

  Index count() const { return (n + d - 1) / d; }
  template <class T>
  T coordinate(Index i, Index k, const T* z) const {
    return i * d + k < n ? z[i * d + k] : T(0.0);
  }
  template <class T>
  T distance2(Index i, Index j, const T* z) const {
    T sum = square(coordinate(i, 0, z) - coordinate(j, 0, z));
    for (Index k = 1; k < d; ++k) sum += square(coordinate(i, k, z) - coordinate(j, k, z));
    return sum;
  }
  template <class T>
  T distance2_to(Index i, const double* point, const T* z) const {
    T sum = square(coordinate(i, 0, z) - point[0]);
    for (Index k = 1; k < d; ++k) sum += square(coordinate(i, k, z) - point[k]);
    return sum;
  }
};

Cloud draw_cloud(Index n, Random& random) { return {.n = n, .d = n < 6 ? 2 : integer(2, 3, random)}; }

struct Pair {
  Index i, j;
  double length;  // the distance at a random configuration, with noise
};

// All pairs of up to 10 points; of more, those with neighbouring numbers and as many at random.
std::vector<Pair> draw_pairs(const Cloud& cloud, const Vector& truth, double noise, Random& random) {
  std::vector<Pair> pairs;
  const auto add = [&](Index i, Index j) {
    const double length = std::sqrt(cloud.distance2(i, j, truth.data()));
    pairs.push_back({.i = i, .j = j, .length = length * (1.0 + noise * random.normal())});
  };
  for (Index i = 0; i < cloud.count(); ++i) {
    for (Index j = i + 1; j < cloud.count() && (cloud.count() <= 10 || j <= i + 3); ++j) add(i, j);
    if (cloud.count() <= 10) continue;
    for (int k = 0; k < 3; ++k) {
      const Index j = integer(0, cloud.count() - 1, random);
      if (j != i) add(std::min(i, j), std::max(i, j));
    }
  }
  return pairs;
}

// 1/4 sum over pairs (||p_i - p_j||^2 - l^2)^2 + anchors 1/4 (||p_i - a||^2 - l^2)^2: localization of sensors.
Draft make_localization(Index n, Random& random) {
  const Cloud cloud = draw_cloud(n, random);
  const Vector truth = normals(n, random), anchor = normals(4 * cloud.d, random, 1.5);
  const double noise = random.uniform(0.0, 0.2);
  const std::vector<Pair> pairs = draw_pairs(cloud, truth, noise, random);
  Vector reach(4 * cloud.count());
  for (Index i = 0; i < reach.size(); ++i) {
    reach[i] = cloud.distance2_to(i / 4, &anchor[(i % 4) * cloud.d], truth.data()) * (1.0 + noise * random.normal());
  }
  return draft(truth, 0.7, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (const Pair& pair : pairs) f += 0.25 * square(cloud.distance2(pair.i, pair.j, z) - square(pair.length));
    for (Index i = 0; i < reach.size(); i += 1 + i % 3) {
      f += 0.25 * square(cloud.distance2_to(i / 4, &anchor[(i % 4) * cloud.d], z) - reach[i]);
    }
    return f;
  });
}

// 1/2 sum over pairs of w (dist - l)^2, dist smoothed: multidimensional scaling, Kruskal (1964).
Draft make_scaling(Index n, Random& random) {
  const Cloud cloud = draw_cloud(n, random);
  const Vector truth = normals(n, random);
  const std::vector<Pair> pairs = draw_pairs(cloud, truth, random.uniform(0.0, 0.3), random);
  const double delta = power_of_ten(-3, -1, random);
  return draft(truth, 0.7, [=]<class T>(const T* z, T*) {
    T f = ridge(z, n, 1e-3);
    for (const Pair& pair : pairs) f += 0.5 * square(sqrt(cloud.distance2(pair.i, pair.j, z) + delta) - pair.length);
    return f;
  });
}

// Pair potential of the squared distance, and a weak trap. O(points^2).
template <class Potential>
Draft cluster(Index n, double reach, Random& random, Potential potential) {
  const Cloud cloud = draw_cloud(n, random);
  const double trap = power_of_ten(-3, -1, random);
  return draft(normals(n, random, 1.2), reach, [=]<class T>(const T* z, T*) {
    T f = ridge(z, n, trap);
    for (Index i = 0; i < cloud.count(); ++i) {
      for (Index j = i + 1; j < cloud.count(); ++j) f += potential(cloud.distance2(i, j, z));
    }
    return f;
  });
}

// s^-6 - 2 s^-3 with s = (dist^2 + delta)/(1 + delta): an inverse-power cluster with a soft core.
Draft make_soft_cluster(Index n, Random& random) {
  const double delta = random.uniform(0.2, 0.8);
  return cluster(n, 0.5, random, [delta](const auto& d2) {
    const auto s = (1.0 + delta) / (d2 + delta), s3 = s * square(s);
    return s3 * (s3 - 2.0);
  });
}

// e^{-2a(r-1)} - 2 e^{-a(r-1)}, r smoothed: after Morse (1929).
Draft make_exponential_cluster(Index n, Random& random) {
  const double a = random.uniform(1.5, 5.0);
  return cluster(n, 0.5, random, [a](const auto& d2) {
    const auto e = exp(-a * (sqrt(d2 + 0.01) - 1.0));
    return e * (e - 2.0);
  });
}

// 1/sqrt(dist^2 + delta): charges in a trap.
Draft make_charges(Index n, Random& random) {
  const double delta = power_of_ten(-2, -0.5, random);
  return cluster(n, 0.7, random, [delta](const auto& d2) { return 1.0 / sqrt(d2 + delta); });
}

// Soft discs that must not overlap: softplus(k (1 - dist^2))^2.
Draft make_packing(Index n, Random& random) {
  const double k = random.uniform(2.0, 6.0);
  return cluster(n, 0.5, random, [k](const auto& d2) { return square(softplus(k * (1.0 - d2))) / k; });
}

// 1/2 sum_i (||p_i - c|| - r)^2, c and r unknown, in R^(n-1): a sphere through points.
Draft make_sphere(Index n, Random& random) {
  const Index d = n - 1, m = 2 * n + 6;
  std::vector<double> p;
  const Vector center = normals(d, random, 2.0);
  const double radius = random.uniform(0.5, 3.0), noise = power_of_ten(-2, -0.3, random);
  const double part = random.uniform(0.1, 1.0);  // of the sphere is seen
  for (Index i = 0; i < m; ++i) {
    Vector direction = normals(d, random);
    direction[0] = std::abs(direction[0]) / part;
    direction *= (radius + noise * random.normal()) / direction.norm();
    for (Index k = 0; k < d; ++k) p.push_back(center[k] + direction[k]);
  }
  const Cloud cloud{.n = d, .d = d};
  Vector guess(n);
  guess << center, radius;
  return draft(guess, 1.0, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < m; ++i) {
      f += 0.5 * square(sqrt(cloud.distance2_to(0, &p[static_cast<std::size_t>(i * d)], z) + 1e-4) - z[d]);
    }
    return f;
  });
}

// sum_i w_i sqrt(||z - p_i||^2 + delta): the point of least total distance, Weber.
Draft make_location(Index n, Random& random) {
  const Index m = n + 4;
  const Vector scale = spread(n, std::sqrt(draw_condition(random)), random), w = uniforms(m, 0.1, 2.0, random);
  std::vector<double> p;
  for (Index i = 0; i < m * n; ++i) p.push_back(random.normal() * scale[i % n]);
  const double delta = power_of_ten(-3, 0, random);
  const Cloud cloud{.n = n, .d = n};
  return draft(Vector::Zero(n), 2.0, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < m; ++i) {
      f += w[i] * sqrt(cloud.distance2_to(0, &p[static_cast<std::size_t>(i * n)], z) + delta);
    }
    return f;
  });
}

// Joint angles of an arm of n links whose hand should be at a point: 1/2 w ||hand - target||^2 + 1/2 sum (z_i - b_i)^2
// v.
Draft make_arm(Index n, Random& random) {
  const Vector length = uniforms(n, 0.3, 1.0, random), b = normals(n, random, 0.3);
  const double w = power_of_ten(0, 3, random), v = power_of_ten(-2, 0, random);
  const double total = length.sum(), x = 0.4 * total * random.normal(), y = 0.4 * total * random.normal();
  return draft(b, 0.7, [=]<class T>(const T* z, T*) {
    T angle = 0.0, hand_x = -x, hand_y = -y, f = 0.0;
    for (Index i = 0; i < n; ++i) {
      angle += z[i];
      hand_x += length[i] * cos(angle);
      hand_y += length[i] * sin(angle);
      f += 0.5 * v * square(z[i] - b[i]);
    }
    return f + 0.5 * w * (square(hand_x) + square(hand_y));
  });
}

// sum over pairs of w (1 - cos(z_i - z_j - t_ij)) + v (1 - cos z_i): angles that should differ as measured.
Draft make_angles(Index n, Random& random) {
  const Cloud line{.n = n, .d = 1};
  const Vector truth = normals(n, random);
  const std::vector<Pair> pairs = draw_pairs(line, truth, 0.1, random);
  const Vector w = spread(static_cast<Index>(pairs.size()), std::sqrt(draw_condition(random)), random);
  const double v = power_of_ten(-2, 0, random);
  return draft(truth, 0.7, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < n; ++i) f += v * (1.0 - cos(z[i]));
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const double signed_length = truth[pairs[k].i] > truth[pairs[k].j] ? pairs[k].length : -pairs[k].length;
      f += w[static_cast<Index>(k)] * (1.0 - cos(z[pairs[k].i] - z[pairs[k].j] - signed_length));
    }
    return f;
  });
}

}  // namespace

const std::vector<Family>& geometry_families() {
  static const std::vector<Family> families = {
      {"localization", "points from squared distances to each other and to anchors", 2, 1000, make_localization},
      {"scaling", "points from distances, multidimensional scaling", 3, 1000, make_scaling},
      {"soft-cluster", "particles with an inverse-power potential and a soft core", 4, 120, make_soft_cluster},
      {"exponential-cluster", "particles with an exponential potential", 4, 120, make_exponential_cluster},
      {"charges", "charges in a trap", 4, 120, make_charges},
      {"packing", "soft discs or balls in a trap", 4, 120, make_packing},
      {"sphere", "a sphere through points, or part of one", 3, 40, make_sphere},
      {"location", "the least total distance to points", 2, 40, make_location},
      {"arm", "the joint angles of an arm that reaches for a point", 2, 1000, make_arm},
      {"angles", "angles from noisy differences", 2, 10000, make_angles},
  };
  return families;
}

}  // namespace loa::synthetic
