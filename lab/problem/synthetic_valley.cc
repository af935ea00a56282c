// Synthetic families, curved valleys and wells: variables tied to functions of their neighbours.
#include "problem/synthetic.h"
#include "problem/synthetic_draw.h"

namespace loa::synthetic {
namespace {

// sum_i w_i/2 (z_i - u(z_{p(i)}; i))^2 + sum_i v_i/2 (z_i - b_i)^2, p(i) < i: a chain, or a random tree.
template <class Link>
Draft linked_valley(Index n, Random& random, Link link) {
  const double steep = power_of_ten(0.5, 3, random);
  const bool is_chain = chance(0.6, random);
  std::vector<Index> parent(static_cast<std::size_t>(n), 0);
  for (Index i = 1; i < n; ++i) parent[static_cast<std::size_t>(i)] = is_chain ? i - 1 : integer(0, i - 1, random);
  const Vector w = steep * uniforms(n, 0.5, 1.5, random), b = normals(n, random);
  Vector v = uniforms(n, 0.2, 1.0, random);
  if (chance(0.5, random)) v.tail(n - 1) *= power_of_ten(-3, 0, random);
  return draft(b, 1.0, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < n; ++i) {
      f += 0.5 * v[i] * square(z[i] - b[i]);
      if (i > 0) f += 0.5 * w[i] * square(z[i] - link(i, z[parent[static_cast<std::size_t>(i)]]));
    }
    return f;
  });
}

// u = c (t^2 + delta)^(p/2), p from 1.2 to 3.4.
Draft make_power_valley(Index n, Random& random) {
  const Vector c = normals(n, random);
  const double half_p = random.uniform(0.6, 1.7), delta = power_of_ten(-2, 0, random);
  return linked_valley(n, random, [=](Index i, const auto& t) { return c[i] * pow(square(t) + delta, half_p); });
}

Draft make_sine_valley(Index n, Random& random) {
  const Vector c = normals(n, random);
  const double frequency = random.uniform(0.5, 3.0);
  return linked_valley(n, random, [=](Index i, const auto& t) { return c[i] * sin(frequency * t); });
}

Draft make_exponential_valley(Index n, Random& random) {
  const Vector c = uniforms(n, -0.7, 0.7, random);
  return linked_valley(n, random, [=](Index i, const auto& t) { return exp(c[i] * t); });
}

Draft make_cubic_valley(Index n, Random& random) {
  const Vector c = normals(n, random, 0.5);
  return linked_valley(n, random, [=](Index i, const auto& t) { return c[i] * t * (square(t) - 1.0); });
}

// w/4 sum over i of (z_i^2 + q_i z_{i+1}^2 - r_i^2)^2 + v/2 ||z - b||^2: ellipses that hang together.
Draft make_ring_valley(Index n, Random& random) {
  const double w = power_of_ten(0, 2.5, random), v = power_of_ten(-2, 0, random);
  const Vector q = uniforms(n, 0.3, 3.0, random), r2 = uniforms(n, 0.5, 3.0, random), b = normals(n, random);
  return draft(b, 1.0, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < n; ++i) f += 0.5 * v * square(z[i] - b[i]);
    for (Index i = 0; i + 1 < n; ++i) f += 0.25 * w * square(square(z[i]) + q[i] * square(z[i + 1]) - r2[i]);
    return f;
  });
}

// w/2 sum over i of (z_i z_{i+1} - c_i)^2 + v/2 ||z - b||^2: hyperbolas.
Draft make_product_valley(Index n, Random& random) {
  const double w = power_of_ten(0, 2.5, random), v = power_of_ten(-2, 0, random);
  const Vector c = normals(n, random), b = normals(n, random, 1.5);
  return draft(b, 1.0, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < n; ++i) f += 0.5 * v * square(z[i] - b[i]);
    for (Index i = 0; i + 1 < n; ++i) f += 0.5 * w * square(z[i] * z[i + 1] - c[i]);
    return f;
  });
}

// 1/2 sum_j w_j u_j^2, the pairs (u_1, u_2) = (z_1, z_2) turned by the angle q (z_1^2 + z_2^2): a spiral.
Draft make_spiral_valley(Index n, Random& random) {
  const Vector w = spread(n, draw_condition(random), random);
  const double turn = random.uniform(0.1, 0.8);
  return draft(Vector::Zero(n), 1.5, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index j = 0; j + 1 < n; j += 2) {
      const T angle = turn * (square(z[j]) + square(z[j + 1])), c = cos(angle), s = sin(angle);
      f += 0.5 * w[j] * square(c * z[j] - s * z[j + 1]) + 0.5 * w[j + 1] * square(s * z[j] + c * z[j + 1]);
    }
    if (n % 2 == 1) f += 0.5 * w[n - 1] * square(z[n - 1] + turn * square(z[0]));
    return f;
  });
}

// 1/2 sum_j w_j u_j^2 with u_j = z_j - c_j + q tanh(<a_j, (z_{j-3}, ..., z_{j-1})>): a sheared quadratic.
Draft make_sheared_quadratic(Index n, Random& random) {
  const Vector w = spread(n, draw_condition(random), random), c = normals(n, random);
  const Vector a = normals(3 * n, random);
  const double q = random.uniform(0.5, 2.0);
  return draft(Vector::Zero(n), 1.0, [=]<class T>(const T* z, T*) {
    T f = 0.5 * w[0] * square(z[0] - c[0]);
    for (Index j = 1; j < n; ++j) {
      const Index count = std::min<Index>(3, j);
      f += 0.5 * w[j] * square(z[j] - c[j] + q * tanh(dot(&a[3 * j], z + j - count, count)));
    }
    return f;
  });
}

// sum_i (z_i^2 - 1)^2/4 - h_i z_i + k/2 sum_i (z_{i+1} - z_i)^2: a chain of double wells.
Draft make_double_wells(Index n, Random& random) {
  const double k = power_of_ten(-1.5, 1.5, random);
  const Vector h = normals(n, random, 0.2);
  return draft(Vector::Zero(n), 1.5, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < n; ++i) f += 0.25 * square(square(z[i]) - 1.0) - h[i] * z[i];
    for (Index i = 0; i + 1 < n; ++i) f += 0.5 * k * square(z[i + 1] - z[i]);
    return f;
  });
}

// (1 + 1/2 sum_j w_j (z_j - b_j)^2)^p with p from 0.15 to 3, or its logarithm: a quadratic seen through a curve.
Draft make_warped_quadratic(Index n, Random& random) {
  const Vector w = spread(n, draw_condition(random), random), b = normals(n, random);
  const double p = chance(0.25, random) ? 0.0 : random.uniform(0.15, 3.0);
  return draft(b, 1.0, [=]<class T>(const T* z, T*) {
    T q = 1.0;
    for (Index j = 0; j < n; ++j) q += 0.5 * w[j] * square(z[j] - b[j]);
    return p == 0.0 ? log(q) : pow(q, p);
  });
}

// sum_i 1/2 (z_i - b_i)^2 + a_i (1 - cos(k <c_i, z>)): a bowl with waves, one to a few minima.
Draft make_wavy_bowl(Index n, Random& random) {
  const Forms c = draw_forms(n, n, random);
  const Vector b = normals(n, random), a = uniforms(n, 0.0, 1.0, random);
  const double k = random.uniform(1.0, 4.0), amplitude = random.uniform(0.5, 2.0) / (k * k);
  return draft(b, 2.0, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < n; ++i) {
      f += 0.5 * square(z[i] - b[i]) + amplitude * a[i] * (1.0 - cos(k * c.dot(i, z)));
    }
    return f;
  });
}

}  // namespace

const std::vector<Family>& valley_families() {
  static const std::vector<Family> families = {
      {"power-valley", "variables tied to smoothed powers of others", 2, 100000, make_power_valley},
      {"sine-valley", "variables tied to sines of others", 2, 100000, make_sine_valley},
      {"exponential-valley", "variables tied to exponentials of others", 2, 100000, make_exponential_valley},
      {"cubic-valley", "variables tied to cubic polynomials of others", 2, 100000, make_cubic_valley},
      {"ring-valley", "neighbours on ellipses", 2, 100000, make_ring_valley},
      {"product-valley", "neighbours on hyperbolas", 2, 100000, make_product_valley},
      {"spiral-valley", "pairs turned by an angle that grows with their length", 2, 100000, make_spiral_valley},
      {"sheared-quadratic", "a quadratic of variables shifted by tanh of their predecessors", 2, 100000,
       make_sheared_quadratic},
      {"double-wells", "a chain of double wells", 2, 100000, make_double_wells},
      {"warped-quadratic", "a power or the logarithm of a quadratic", 2, 100000, make_warped_quadratic},
      {"wavy-bowl", "a quadratic with cosines of linear forms", 2, 10000, make_wavy_bowl},
  };
  return families;
}

}  // namespace loa::synthetic
