// geometry:NAME, points, forces, cameras, factors and small networks. Most have gauge freedom: turning and moving all
// points, or mixing the columns of the factors, changes nothing, so the Hessian is singular at every minimizer.
//
//   D. J. Wales and J. P. K. Doye, J. Phys. Chem. A 101 (1997), 5111-5116; J. B. Kruskal, Psychometrika 29 (1964),
//   1-27; B. Triggs et al., "Bundle Adjustment: A Modern Synthesis" (2000)
#include <array>
#include <cmath>

#include "problem/origin.h"

namespace loa::origin {
namespace {

// |p_i - p_j|^2 of points in dim coordinates.
template <class T>
T distance2(const T* p, Index i, Index j, Index dim) {
  return total(0, dim, [=](Index k) { return square(p[dim * i + k] - p[dim * j + k]); });
}

// Points of a cubic lattice of the given spacing, moved by N(0, noise^2).
Vector lattice(Index count, double spacing, double noise, Random& random) {
  const Index side = static_cast<Index>(std::ceil(std::cbrt(real(count)) - 1e-9));
  return vector_of(3 * count, [&](Index j) {
    const std::array<Index, 3> at = {j / 3 % side, j / 3 / side % side, j / 3 / side / side};
    return spacing * real(at[static_cast<std::size_t>(j % 3)]) + noise * random.normal();
  });
}

// Sum of potential(r^2) over the pairs of points in space.
template <class Potential>
Made cluster(const Vector& start, Potential potential) {
  const Index count = start.size() / 3;
  return made(start, [=](const auto* p, auto*) {
    return total(1, count,
                 [=](Index i) { return total(0, i, [=](Index j) { return potential(distance2(p, i, j, 3)); }); });
  });
}
// r^-12 - 2 r^-6.
Made make_lennard_jones(Index n, Draw& draw) {
  return cluster(lattice(n / 3, 1.1, 0.08, draw.start), []<class T>(const T& r2) {
    const T inverse = 1.0 / (r2 * square(r2));
    return inverse * (inverse - 2.0);
  });
}
// e (e - 2), e = exp(6 (1 - r)).
Made make_morse(Index n, Draw& draw) {
  return cluster(lattice(n / 3, 1.1, 0.08, draw.start), []<class T>(const T& r2) {
    const T e = exp(6.0 - 6.0 * sqrt(r2));
    return e * (e - 2.0);
  });
}
// Thomson's charges on the sphere: 1/|u_i - u_j|, u = p/|p|, with a weak pull of |p| to 1.
Made make_thomson(Index n, Draw& draw) {
  const Index count = n / 3;
  return made(
      normals(n, draw.start),
      [=]<class T>(const T* p, T* u) {
        T f = 0.0;
        for (Index i = 0; i < count; ++i) {
          const T length = sqrt(total(0, 3, [=](Index k) { return square(p[3 * i + k]); }));
          for (Index k = 0; k < 3; ++k) u[3 * i + k] = p[3 * i + k] / length;
          f += square(length - 1.0);
          for (Index j = 0; j < i; ++j) f += 1.0 / sqrt(distance2<T>(u, i, j, 3));
        }
        return f;
      },
      n);
}

// Metric scaling: sum over pairs of (|p_i - p_j| - d_ij)^2 in the plane, distances of points in space with noise.
Made make_scaling(Index n, Draw& draw) {
  const Index count = n / 2;
  const Vector points = normals(3 * count, draw.data);
  Vector d(count * (count - 1) / 2);
  for (Index i = 1, at = 0; i < count; ++i) {
    for (Index j = 0; j < i; ++j, ++at) {
      d[at] = std::sqrt(distance2(points.data(), i, j, 3)) * std::exp(0.05 * draw.data.normal());
    }
  }
  return made(normals(n, draw.start), [=](const auto* p, auto*) {
    return total(1, count, [&](Index i) {
      return total(0, i, [&](Index j) { return square(sqrt(distance2(p, i, j, 2) + 1e-12) - d[i * (i - 1) / 2 + j]); });
    });
  });
}

// 1/2 sum over seen entries of (A - U V^T)^2, U and V of rank 3; A is size x size, n = 6 size; the diagonal is seen and
// about 24 other entries of a row.
Made make_factorization(Index n, Draw& draw) {
  constexpr Index kRank = 3;
  const Index size = n / (2 * kRank);
  const Vector truth = normals(n, draw.data);
  const auto entry = [=](const auto* z, Index i, Index j) {
    return total(0, kRank, [=](Index k) { return z[kRank * i + k] * z[kRank * (size + j) + k]; });
  };
  std::vector<std::array<Index, 2>> seen;
  std::vector<double> a;
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j) {
      if (i != j && !chance(24.0 / real(size), draw.data)) continue;
      seen.push_back({i, j});
      a.push_back(entry(truth.data(), i, j) + 0.1 * draw.data.normal());
    }
  }
  return made(normals(n, draw.start, 0.5), [=](const auto* z, auto*) {
    return total(0, static_cast<Index>(a.size()), [&](Index s) {
      const auto at = static_cast<std::size_t>(s);
      return 0.5 * square(entry(z, seen[at][0], seen[at][1]) - a[at]);
    });
  });
}

// Rotates v by the three angles about the axes, one after the other.
template <class T, class V>
std::array<T, 3> rotate(const T* angle, const std::array<V, 3>& v) {
  std::array<T, 3> w = {T(v[0]), T(v[1]), T(v[2])};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    T &a = w[(axis + 1) % 3], &b = w[(axis + 2) % 3];
    const T c = cos(angle[axis]), s = sin(angle[axis]), turned = c * a - s * b;
    b = s * a + c * b;
    a = turned;
  }
  return w;
}

// A rigid motion and a scale that bring 40 points to their images, robustly: angles, shift, log scale.
Made make_registration(Index, Draw& draw) {
  constexpr Index kPoints = 40;
  const Vector from = normals(3 * kPoints, draw.data);
  const auto image = [from]<class T>(const T* z, Index i) {
    const std::array<double, 3> p = {from[3 * i], from[3 * i + 1], from[3 * i + 2]};
    std::array<T, 3> w = rotate(z, p);
    for (std::size_t k = 0; k < 3; ++k) w[k] = exp(z[6]) * w[k] + z[3 + k];
    return w;
  };
  Vector truth = normals(7, draw.data, 0.6), to(3 * kPoints);
  for (Index i = 0; i < kPoints; ++i) {
    const std::array<double, 3> w = image(truth.data(), i);
    // One point of five belongs to another object.
    const double noise = chance(0.2, draw.data) ? 2.0 : 0.02;
    for (Index k = 0; k < 3; ++k) to[3 * i + k] = w[static_cast<std::size_t>(k)] + noise * draw.data.normal();
  }
  return made(Vector::Zero(7), [=]<class T>(const T* z, T*) {
    return total(0, kPoints, [&](Index i) {
      const std::array<T, 3> w = image(z, i);
      return log1p(100.0 * (square(w[0] - to[3 * i]) + square(w[1] - to[3 * i + 1]) + square(w[2] - to[3 * i + 2])));
    });
  });
}

// Bundle adjustment: k cameras (angles, position) and 4 k points seen by all of them, n = 18 k: 1/2 sum of squared
// differences of the pictures (x/z, y/z).
Made make_bundle(Index n, Draw& draw) {
  const Index cameras = n / 18, points = 4 * cameras;
  const auto picture = [=]<class T>(const T* z, Index c, Index p) {
    const T *camera = z + 6 * c, *point = z + 6 * cameras + 3 * p;
    const std::array<T, 3> w = rotate(camera, std::array<T, 3>{point[0], point[1], point[2]});
    const T depth = 6.0 + w[2] + camera[5];
    return std::array<T, 2>{(w[0] + camera[3]) / depth, (w[1] + camera[4]) / depth};
  };
  Vector truth = normals(n, draw.data, 0.3), seen(2 * cameras * points);
  truth.tail(3 * points) *= 3.0;
  for (Index c = 0; c < cameras; ++c) {
    for (Index p = 0; p < points; ++p) {
      const std::array<double, 2> at = picture(truth.data(), c, p);
      for (Index k = 0; k < 2; ++k) {
        seen[2 * (c * points + p) + k] = at[static_cast<std::size_t>(k)] + 0.002 * draw.data.normal();
      }
    }
  }
  return made(truth + normals(n, draw.start, 0.1), [=]<class T>(const T* z, T*) {
    return total(0, cameras * points, [&](Index s) {
      const std::array<T, 2> at = picture(z, s / points, s % points);
      return 0.5 * (square(at[0] - seen[2 * s]) + square(at[1] - seen[2 * s + 1]));
    });
  });
}

// A network of one hidden layer of tanh, two inputs, n = 4 k + 1, on 80 points. Each neuron has an outer weight, two
// inner weights and a bias; the last variable is the outer bias.
template <class Loss>
Made network(Index n, Draw& draw, Loss loss) {
  const Index width = n / 4;
  constexpr Index kPoints = 80;
  const Vector x = uniforms(2 * kPoints, -1.5, 1.5, draw.data), noise = normals(kPoints, draw.data, 0.05);
  return made(normals(n, draw.start, 0.7), [=]<class T>(const T* w, T*) {
    T f = ridge(w, n, 1e-4);
    for (Index i = 0; i < kPoints; ++i) {
      const double u = x[2 * i], v = x[2 * i + 1];
      T out = w[n - 1];
      for (Index k = 0; k < width; ++k) {
        const T* neuron = w + 4 * k;
        out += neuron[0] * tanh(u * neuron[1] + v * neuron[2] + neuron[3]);
      }
      f += loss(out, u, v, noise[i]);
    }
    return f;
  });
}
Made make_mlp_fit(Index n, Draw& draw) {
  return network(n, draw, [](const auto& out, double u, double v, double noise) {
    return 0.5 * square(out - std::sin(2.0 * u) * std::cos(v) - noise);
  });
}
Made make_mlp_classes(Index n, Draw& draw) {
  return network(n, draw, [](const auto& out, double u, double v, double noise) {
    return softplus(u * u + v * v + noise > 1.0 ? -out : 1.0 * out);
  });
}

constexpr Sizes kSpace{.low = 6, .usual = 30, .high = 600, .per = 3};
constexpr Sizes kNetwork{.low = 5, .usual = 21, .high = 1001, .per = 4, .add = 1};

}  // namespace

const std::vector<Variant>& geometry_variants() {
  static const std::vector<Variant> variants = {
      {"lennard-jones", "atoms with the Lennard-Jones potential", kSpace, make_lennard_jones},
      {"morse", "atoms with the Morse potential", kSpace, make_morse},
      {"thomson", "charges on a sphere", kSpace, make_thomson},
      {"scaling", "points of the plane from distances", {.low = 6, .usual = 20, .high = 600, .per = 2}, make_scaling},
      {"factorization",
       "a matrix of rank 3, seen in part",
       {.low = 24, .usual = 60, .high = 6000, .per = 6},
       make_factorization},
      {"registration",
       "a motion that brings points to their images",
       {.low = 7, .usual = 7, .high = 7},
       make_registration},
      {"bundle", "cameras and points from pictures", {.low = 36, .usual = 36, .high = 720, .per = 18}, make_bundle},
      {"mlp-fit", "a surface by a network of one hidden layer", kNetwork, make_mlp_fit},
      {"mlp-classes", "a disc by a network of one hidden layer", kNetwork, make_mlp_classes},
  };
  return variants;
}

}  // namespace loa::origin
