// family:NAME, sequences of related problems: what people minimize again and again with data that change.
//
//   logistic   a regularization path of logistic regression, and its folds       family_logistic.cc
//   process    hyper-parameters of a Gaussian process on a stream of data        family_process.cc
//   control    model-predictive control of a crane, a pendulum on a cart                family_control.cc
//   inverse    the coefficient of an elliptic equation from noisy observations   family_inverse.cc
//
// A seed draws a sequence; its members are problems by themselves (`family:control,seed=3,member=7`) and know nothing
// of the solutions of each other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "loa/error.h"
#include "loa/problem.h"
#include "problem/spec.h"

namespace loa {

class Sequence {
 public:
  virtual ~Sequence() = default;

  virtual Index size() const = 0;

  // Member k with the start of a user who knows no other solution. Several threads may ask. REQUIRES: 0 <= k < size().
  virtual Problem member(Index k) const = 0;

  // How many members, from the first on, change little by little before one jumps; all where none does.
  virtual Index path() const { return size(); }

  // The start for the next member of a user who knows the solution of this one: the solution, or what has become of it.
  virtual Vector next_start(const Vector& solution) const { return solution; }
  virtual bool moves() const { return false; }  // whether it is something else than the solution
};

// Makers as those of spec.h: a mistake goes to the spec, and nullptr comes back.
std::unique_ptr<Sequence> make_logistic_sequence(Spec& spec);
std::unique_ptr<Sequence> make_process_sequence(Spec& spec);
std::unique_ptr<Sequence> make_control_sequence(Spec& spec);
std::unique_ptr<Sequence> make_inverse_sequence(Spec& spec);

// From `family:NAME,key=value,...` without the key member. Returns no error and the sequence, or what is wrong.
Error make_sequence(const std::string& text, std::unique_ptr<Sequence>& sequence);

}  // namespace loa
