#include "loa/warm_start.h"

#include <stdexcept>
#include <utility>

#include "linalg/dense_inverse_hessian.h"
#include "loa/state.h"
#include "loa/summary.h"

namespace loa {

struct WarmStart::Knowledge {
  std::unique_ptr<const InverseHessian> B;
  std::string algorithm;
};

namespace {

// B of a run that has begun with its iterations; before, it is that of nobody.
std::unique_ptr<InverseHessian> B_of(const State& state) { return state.B == nullptr ? nullptr : state.B->clone(); }

std::unique_ptr<InverseHessian> dense(const Vector& x, const Matrix& B) {
  const Index n = x.size();
  if (B.rows() != n || B.cols() != n || !B.allFinite() || !x.allFinite())
    throw std::invalid_argument("WarmStart: expected a finite point and a finite matrix of " + std::to_string(n) +
                                " rows and columns, found one of " + std::to_string(B.rows()) + " and " +
                                std::to_string(B.cols()) + " or one that is not finite");
  auto made = std::make_unique<DenseInverseHessian>(n);
  made->reset(B);
  return made;
}

}  // namespace

WarmStart::WarmStart(const State& state) : WarmStart(state.x, B_of(state), state.algorithm) {}

WarmStart::WarmStart(const Summary& summary) : WarmStart(summary.x, B_of(summary.state), summary.state.algorithm) {}

WarmStart::WarmStart(Vector x, const Matrix& B) : WarmStart(x, dense(x, B)) {}

WarmStart::WarmStart(Vector x, std::unique_ptr<InverseHessian> B, std::string algorithm)
    : knowledge_(std::make_shared<const Knowledge>(Knowledge{.B = std::move(B), .algorithm = std::move(algorithm)})),
      x_(std::make_shared<const Vector>(std::move(x))) {}

WarmStart WarmStart::at(Vector x) const {
  WarmStart copy = *this;
  copy.x_ = std::make_shared<const Vector>(std::move(x));
  return copy;
}

Error WarmStart::load(const std::string& path, WarmStart& warm) {
  State state;
  if (Error error = load_state(path, state)) return error;
  warm = WarmStart(state.x, std::move(state.B), state.algorithm);
  return {};
}

const InverseHessian* WarmStart::B() const { return knowledge_ == nullptr ? nullptr : knowledge_->B.get(); }

const Vector& WarmStart::x() const {
  static const Vector none;
  return x_ == nullptr ? none : *x_;
}

const std::string& WarmStart::algorithm() const {
  static const std::string none;
  return knowledge_ == nullptr ? none : knowledge_->algorithm;
}

}  // namespace loa
