#include "linalg/self_scaled_inverse_hessian.h"

#include <cmath>
#include <string>
#include <utility>

#include "linalg/broyden.h"
#include "linalg/combine.h"
#include "linalg/kernels.h"
#include "linalg/pass.h"
#include "linalg/tensor_file.h"

namespace loa {

SelfScaledInverseHessian::SelfScaledInverseHessian(Index n, SelfScalingRule rule) : rule_(rule), matrix_(n) {
  resize_vectors();
}

void SelfScaledInverseHessian::resize_vectors() {
  for (Vector* v : {&grad_, &B_grad_, &B_grad_prev_, &scratch_.u, &scratch_.z, &y_}) v->resize(dimension());
}

void SelfScaledInverseHessian::reset(double scale) {
  is_applied_ = was_skipped_ = false;
  matrix_.reset(scale);
}

// B_grad_ = B g_k and B_delta_g = B dg, of B as it is.
void SelfScaledInverseHessian::take_change(const GradientChange& change, Vector& B_delta_g) {
  if (is_applied_ && change.grad != grad_) {  // the last iteration ended without an update
    B_grad_prev_.swap(B_grad_);
    was_skipped_ = true;
  }
  is_applied_ = true;
  grad_ = change.grad;
  matrix_.apply(change.grad, B_grad_);
  if (!was_skipped_ && change.direction_prev == nullptr) {
    matrix_.apply(*change.delta_g, B_delta_g);
    return;
  }
  const Vector& prev = was_skipped_ ? B_grad_prev_ : *change.direction_prev;
  const double factor = was_skipped_ ? 1.0 : change.grad_factor;
  B_delta_g.resize(dimension());
  pass(dimension(), [&](const Block& block) { block.of(B_delta_g) = block.of(B_grad_) - block.of(prev) / factor; });
}

void SelfScaledInverseHessian::combine(const GradientChange& change, double, const Reduction&, Vector& B_grad,
                                       Vector& B_delta_g, SecantProducts&) {
  const Index n = dimension();
  if (change.delta_g == nullptr) {
    matrix_.apply(change.grad, B_grad);
    B_grad *= change.grad_factor;
    return;
  }
  take_change(change, B_delta_g);
  // d and u, each times g and dg.
  const auto sums = summing_pass<4>(n, [&](const Block& block, std::array<double, 4>& sum) {
    const double* columns[] = {change.d->data(), B_delta_g.data()};
    const double* v[] = {change.grad.data(), change.delta_g->data()};
    kernels().products(columns, 2, v, 2, block.first, block.last(), sum.data());
  });
  const auto [d_g, d_dg, u_g, u_dg] = sums;
  s_ = d_dg;
  b_ = u_dg;
  scaling_ = was_skipped_ ? SelfScaling{} : self_scaling(rule_, {s_, b_, change.last_curvature}, n);
  const double tau = scaling_.tau, phi = scaling_.phi;
  const double of_v = phi == 1.0 ? 0.0 : (phi - 1.0) * (b_ / tau) * (d_g / s_ - u_g / b_);
  const double of_d = phi == 1.0 ? 0.0 : of_v / s_, of_u = phi == 1.0 ? 0.0 : -of_v / b_;
  const double factor = change.grad_factor;
  B_grad.resize(n);
  pass(n, [&](const Block& block) {
    loa::combine(
        block.size,
        {{factor / tau, block.at(B_grad_)}, {factor * of_d, block.at(*change.d)}, {factor * of_u, block.at(B_delta_g)}},
        block.at(B_grad));
    if (tau != 1.0) block.of(B_delta_g) /= tau;
  });
}

// v = d/s - u/b, which is the same for B/tau.
void SelfScaledInverseHessian::make_v(const Vector& d, const Vector& u, Vector& v) const {
  v = d / s_ - u / (b_ / scaling_.tau);
}

// One term where phi has a y; otherwise that of rank one and then that of the pair, in two sweeps. phi has none where
// tau > (1 + |theta|)/(|theta| c/s), theta < 0, which takes sigma < 2^{1-n}: few variables.
void SelfScaledInverseHessian::update(const SecantPair& pair, const Reduction& reduction) {
  const auto [tau, phi] = std::exchange(is_applied_, false) ? scaling_ : SelfScaling{};
  was_skipped_ = false;
  if (tau != 1.0) matrix_.rescale(1.0 / tau);
  if (phi == 1.0) {
    matrix_.update(pair, reduction);
    return;
  }
  const double b = b_ / tau;
  const auto [of_d, of_u] = coefficients_of_y(phi, s_, b);
  if (pair.y_is_d() && pair.factor == 1.0 && std::isfinite(of_d) && std::isfinite(of_u)) {
    y_ = of_d * pair.d - of_u * pair.B_delta_g;
    matrix_.update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = pair.B_delta_g, .y = y_}, reduction);
    return;
  }
  make_v(pair.d, pair.B_delta_g, scratch_.z);
  scratch_.u = (0.5 * (phi - 1.0) * b) * scratch_.z;
  matrix_.add(scratch_);
  matrix_.update(pair, reduction);
}

namespace {

constexpr const char* kRuleNames[] = {"bfgs", "broyden"};

}  // namespace

void SelfScaledInverseHessian::save(TensorFile& file) const {
  matrix_.save(file);
  file.metadata["B.kind"] = "self-scaled";
  file.metadata["B.rule"] = kRuleNames[static_cast<int>(rule_)];
  file.put_integer("B.is_applied", is_applied_ ? 1 : 0);
  file.put_integer("B.was_skipped", was_skipped_ ? 1 : 0);
  if (is_applied_) {
    file.put("B.grad", grad_);
    file.put("B.B_grad", B_grad_);
  }
  if (was_skipped_) file.put("B.B_grad_prev", B_grad_prev_);
}

Error SelfScaledInverseHessian::load(const TensorFile& file) {
  const auto rule = file.metadata.find("B.rule");
  const bool is_broyden = rule != file.metadata.end() && rule->second == kRuleNames[1];
  if (!is_broyden && (rule == file.metadata.end() || rule->second != kRuleNames[0]))
    return "expected a B.rule of bfgs or broyden";
  SelfScaledInverseHessian loaded(0, is_broyden ? SelfScalingRule::kBroyden : SelfScalingRule::kBfgs);
  if (Error error = loaded.matrix_.load(file)) return error;
  if (!file.get_flag("B.is_applied", loaded.is_applied_) || !file.get_flag("B.was_skipped", loaded.was_skipped_))
    return "the flag B.is_applied or B.was_skipped is missing or neither 0 nor 1";
  const std::pair<const char*, Vector*> vectors[] = {
      {"B.grad", loaded.is_applied_ ? &loaded.grad_ : nullptr},
      {"B.B_grad", loaded.is_applied_ ? &loaded.B_grad_ : nullptr},
      {"B.B_grad_prev", loaded.was_skipped_ ? &loaded.B_grad_prev_ : nullptr}};
  for (const auto& [name, vector] : vectors)
    if (vector != nullptr && (!file.get(name, *vector) || vector->size() != loaded.dimension()))
      return std::string("the tensor ") + name + " is missing or does not have the length of B.u";
  loaded.resize_vectors();
  *this = std::move(loaded);
  return {};
}

// With J = c Q, Q orthogonal, gradients change as J/(c^2 factor).
std::unique_ptr<InverseHessian> SelfScaledInverseHessian::congruent(const LinearMap& J, double factor) const {
  auto result = std::make_unique<SelfScaledInverseHessian>(*this);
  result->matrix_ = std::move(static_cast<DenseInverseHessian&>(*matrix_.congruent(J, factor)));
  if (was_skipped_) result->B_grad_prev_ = J(B_grad_prev_);
  if (!is_applied_) return result;
  const Vector ones = Vector::Ones(dimension());
  const double square = J(ones).squaredNorm() / ones.squaredNorm();
  const double square_of_grad = J(grad_).squaredNorm() / grad_.squaredNorm();
  if (!(std::abs(square_of_grad / square - 1.0) <= kLengthTolerance)) return nullptr;
  result->B_grad_ = J(B_grad_);
  result->grad_ = J(grad_) / (square * factor);
  return result;
}

}  // namespace loa
