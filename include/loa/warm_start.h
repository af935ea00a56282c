// What another run knew, for a run to begin from: a point and B there, the approximation of the inverse Hessian.
//
// Layer: core. B is an operator of the kind that the other run had: pairs, a matrix, a scale, a diagonal, or what there
// is of them. A value, cheap to copy: copies share what they hold, and nobody changes it.
#pragma once

#include <memory>
#include <string>

#include "loa/error.h"
#include "loa/export.h"
#include "loa/inverse_hessian.h"
#include "loa/vector.h"

LOA_EXPORT_BEGIN
namespace loa {

struct State;
struct Summary;

// For Options::warm: the run begins at x().
class WarmStart {
 public:
  // Nothing: the run is cold.
  WarmStart() = default;

  // The last iterate of a run and its B; a run of an algorithm without B has its x alone, and so has one that ended
  // before its first iteration. A summary gives the x that it returns and the B of its state.
  explicit WarmStart(const State& state);
  explicit WarmStart(const Summary& summary);
  // A symmetric positive definite matrix, of which the lower triangle is read, such as the inverse of a Hessian. Throws
  // std::invalid_argument unless it is n x n and finite, n the length of x.
  WarmStart(Vector x, const Matrix& B);
  // The same from any operator; null: x alone.
  WarmStart(Vector x, std::unique_ptr<InverseHessian> B, std::string algorithm = {});

  // The same knowledge for a run that begins at another point.
  WarmStart at(Vector x) const;

  // From a file of save_state(). On an error `warm` stays as it was.
  [[nodiscard]] static Error load(const std::string& path, WarmStart& warm);

  // Whether a run can begin from it.
  bool has_B() const { return B() != nullptr; }
  // Null where there is none.
  const InverseHessian* B() const;
  // Of this slice; empty where nothing is known.
  const Vector& x() const;
  // That of the other run; empty where a user has brought B.
  const std::string& algorithm() const;

 private:
  struct Knowledge;
  std::shared_ptr<const Knowledge> knowledge_;  // B and where it is from
  std::shared_ptr<const Vector> x_;
};

}  // namespace loa
LOA_EXPORT_END
