// The transformations of the paper (Section 4, Appendix app:listoftransfo) as objects.
//
// Layer: principle. All of them are
//
//   T(x) = length P x + shift,   f^ = value f o T^{-1},   P orthogonal
//
// with only one of P, shift, length and value not trivial. By the chain rule
//
//   vector    d   -> length P d                  covector  g -> value/length P g
//   Hessian   H   -> value/length^2 P H P^T      inverse   B -> length^2/value P B P^T
//
// and a quantity with the unit x^a f^b is multiplied by length^a value^b.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "loa/claims.h"
#include "loa/export.h"
#include "loa/objective.h"
#include "loa/random.h"
#include "loa/state.h"
#include "loa/storage.h"
#include "loa/units.h"

LOA_EXPORT_BEGIN
namespace loa {

// One transformation T of R^n and f, a value.
class Transform {
 public:
  // T(x) = x + v.
  static Transform translation(Vector v);
  // T(x)_i = x_{order[i]}. Throws std::invalid_argument unless order is a permutation of 0, ..., n - 1.
  static Transform permutation(std::vector<Index> order);
  // T(x) = P x. Throws std::invalid_argument unless P^T P = I to 1e-10.
  static Transform orthogonal(Matrix P);
  // T(x) = lambda x, and f -> lambda f. Both throw std::invalid_argument unless lambda is positive and finite.
  static Transform geometric_scaling(double lambda);
  static Transform function_scaling(double lambda);

  // Uniform over all permutations (Fisher and Yates), and over all orthogonal matrices (Haar: the Q of a Gaussian
  // matrix with the signs that make the diagonal of R positive; Mezzadri 2007).
  static Transform random_permutation(Index n, Random& random);
  static Transform random_orthogonal(Index n, Random& random);

  Principle principle() const { return principle_; }
  double lambda() const { return lambda_; }  // of a scaling, otherwise 1
  std::string name() const;                  // "x -> 4 x"

  // Of a point, T and T^{-1}.
  Vector point(const Vector& x) const;
  Vector inverse_point(const Vector& x) const;
  // Of a difference of points and of a gradient.
  Vector vector(const Vector& v) const;
  Vector inverse_vector(const Vector& v) const;
  Vector covector(const Vector& g) const;
  // Of anything with units.
  Vector quantity(const Vector& v, const Units& units) const;
  double quantity(double value, const Units& units) const;

  Matrix hessian(const Matrix& H) const;
  // Null when the operator cannot be transformed, see InverseHessian::congruent.
  std::unique_ptr<InverseHessian> inverse_hessian(const InverseHessian& B) const;

 private:
  Transform(Principle principle, double lambda) : principle_(principle), lambda_(lambda) {}
  Vector rotate(const Vector& v) const;       // P v
  Vector rotate_back(const Vector& v) const;  // P^T v
  double factor(const Units& units) const;    // length^x value^f

  Principle principle_;
  double lambda_;
  Vector shift_;              // empty: none
  std::vector<Index> order_;  // empty: none
  Matrix P_;                  // empty: none
};

// f^ = value f o T^{-1}, with its derivatives. Both must outlive it.
class TransformedObjective final : public Objective {
 public:
  TransformedObjective(Objective& f, const Transform& transform) : f_(f), transform_(transform) {}

  Index dimension() const override { return f_.dimension(); }
  double value_and_gradient(const Vector& x, Vector& grad) override;
  double value(const Vector& x) override;
  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override;
  bool hessian(const Vector& x, Matrix& hessian) override;

 private:
  Objective& f_;
  const Transform& transform_;
};

// S^, the state in which the transformed run should be: every place, vector, covector and scalar by its unit, B as an
// inverse Hessian (Appendix app:proofPrinc). The storage says what memory and scalars are. Throws std::invalid_argument
// when the storage does not say enough or B cannot be transformed.
State transformed_state(const State& state, const Storage& storage, const Transform& transform);

}  // namespace loa
LOA_EXPORT_END
