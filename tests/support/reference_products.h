// B v of the limited-memory operators by their definitions, with plain vectors: what the fast versions must give.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "loa/vector.h"

namespace loa::test {

struct ReferencePair {
  Vector d, delta_g, y;  // y is not used by conjugated_product()
};

// The general secant updates of linalg/limited_memory_inverse_hessian.h on scale I, oldest pair first, by two loops.
inline Vector limited_memory_product(const std::vector<ReferencePair>& pairs, double scale, const Vector& v) {
  Vector q = v;
  std::vector<double> alpha(pairs.size()), d_q(pairs.size());
  for (std::size_t i = pairs.size(); i-- > 0;) {
    alpha[i] = pairs[i].y.dot(q) / pairs[i].y.dot(pairs[i].delta_g);
    q -= alpha[i] * pairs[i].delta_g;
    d_q[i] = pairs[i].d.dot(q);
  }
  Vector p = scale * q;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double beta = (d_q[i] - pairs[i].delta_g.dot(p)) / pairs[i].y.dot(pairs[i].delta_g);
    p += alpha[i] * pairs[i].d + beta * pairs[i].y;
  }
  return p;
}

// The pairs of linalg/conjugated_pairs.h: each without what it has in common with the `depth` next newer ones.
inline std::vector<ReferencePair> conjugated_pairs(const std::vector<ReferencePair>& given, std::size_t depth,
                                                   double damping = 100.0, double threshold = 0.05) {
  std::vector<ReferencePair> made = given;
  for (std::size_t i = given.size(); i-- > 0;) {
    const double curvature = given[i].d.dot(given[i].delta_g);
    for (std::size_t j = std::min(given.size() - 1, i + depth); j > i; --j) {
      const double A = made[i].d.dot(made[j].delta_g), B = made[j].d.dot(made[i].delta_g);
      const double h = made[j].d.dot(made[j].delta_g), change = (A - B) * (A - B) / (h * curvature);
      const double c = 0.5 * (A + B) / h / (1.0 + damping * change);
      made[i].d -= c * made[j].d;
      made[i].delta_g -= c * made[j].delta_g;
    }
    if (!(made[i].d.dot(made[i].delta_g) >= threshold * curvature)) made[i] = given[i];
  }
  return made;
}

// The BFGS updates with these pairs but the newest, on the scale of the newest pair: B_{k-1} v of
// linalg/conjugated_inverse_hessian.h.
inline Vector conjugated_product(const std::vector<ReferencePair>& pairs, std::size_t depth, const Vector& v) {
  const ReferencePair& newest = pairs.back();
  std::vector<ReferencePair> made = conjugated_pairs(pairs, depth);
  made.pop_back();
  for (ReferencePair& pair : made) pair.y = pair.d;
  return limited_memory_product(made, newest.d.dot(newest.delta_g) / newest.delta_g.squaredNorm(), v);
}

}  // namespace loa::test
