// Random orthogonal maps that cost O(n log n), and functions of turned variables.
//
// Q is a product of 2 log2(n) layers, each of which pairs the variables at random and turns each pair by a random
// angle. After so many layers every variable has met every other.
#pragma once

#include <memory>
#include <vector>

#include "loa/objective.h"
#include "loa/random.h"

namespace loa {

class PlaneRotations {
 public:
  // The identity.
  PlaneRotations() = default;
  PlaneRotations(Index n, Random& random);

  bool is_identity() const { return list_.empty(); }
  // z <- Q z and z <- Q^T z.
  void apply(Vector& z) const;
  void apply_transposed(Vector& z) const;

 private:
  // (z_i, z_j) <- (c z_i - s z_j, s z_i + c z_j).
  struct Rotation {
    Index i, j;
    double c, s;
  };
  static void rotate(const Rotation& r, double sine, Vector& z);

  std::vector<Rotation> list_;  // in the order of application
};

// f(x) = phi(Q x).
std::unique_ptr<Objective> rotated(std::unique_ptr<Objective> phi, PlaneRotations Q);

}  // namespace loa
