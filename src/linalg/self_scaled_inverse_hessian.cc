#include "linalg/self_scaled_inverse_hessian.h"

#include <algorithm>
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
  is_applied_ = was_skipped_ = knows_prev_ = false;
  matrix_.reset(scale);
}

void SelfScaledInverseHessian::continue_from(const Vector& grad, const Vector& B_grad, double grad_factor) {
  is_applied_ = true;
  was_skipped_ = knows_prev_ = holds_any_ = false;
  scaling_ = {};
  grad_ = grad;
  B_grad_ = B_grad / grad_factor;
}

// B_grad_ = B g_k and B_delta_g = B dg, of B as it is.
void SelfScaledInverseHessian::take_change(const GradientChange& change, Vector& B_delta_g) {
  if (is_applied_ && change.grad != grad_) {  // the last iteration ended without an update
    B_grad_prev_.swap(B_grad_);
    was_skipped_ = knows_prev_ = true;
  }
  is_applied_ = true;
  grad_ = change.grad;
  matrix_.apply(change.grad, B_grad_);
  if (!knows_prev_ && change.direction_prev == nullptr) {
    matrix_.apply(*change.delta_g, B_delta_g);
    return;
  }
  const Vector& prev = knows_prev_ ? B_grad_prev_ : *change.direction_prev;
  const double factor = knows_prev_ ? 1.0 : change.grad_factor;
  B_delta_g.resize(dimension());
  pass(dimension(), [&](const Block& block) { block.of(B_delta_g) = block.of(B_grad_) - block.of(prev) / factor; });
}

// Where bounds hold coordinates: B' = T B T takes the place of B/tau. With v_M and v_A the parts of a vector on the
// coordinates that moved and on the others, B' v = T (tau^{-1/2} B v_M + B v_A). dg is not taken as a difference of
// products with g, which lose the digits of dg to a large multiplier in g.
void SelfScaledInverseHessian::take_held(const GradientChange& change, Vector& B_delta_g) {
  if (is_applied_ && change.grad != grad_) was_skipped_ = true;
  is_applied_ = true;
  grad_ = change.grad;
  const auto multiply_parts = [&](const Vector& v, Vector& of_moved) {
    part_ = (change.d->array() != 0.0).select(v, 0.0);
    matrix_.apply(part_, of_moved);
    part_ = v - part_;
    matrix_.apply(part_, of_held_);
  };
  multiply_parts(*change.delta_g, B_delta_g);
  const double s = change.d->dot(*change.delta_g), b = change.delta_g->dot(B_delta_g) + change.delta_g->dot(of_held_);
  held_scaling_ = was_skipped_ ? SelfScaling{} : self_scaling(rule_, {s, b, change.last_curvature}, dimension());
  const double root = 1.0 / std::sqrt(held_scaling_.tau);
  T_ = (change.d->array() != 0.0).select(Vector::Constant(dimension(), root), 1.0);
  B_delta_g = T_.cwiseProduct(root * B_delta_g + of_held_);
  multiply_parts(grad_, B_grad_);
  B_grad_prev_ = T_.cwiseProduct(root * B_grad_ + of_held_);
  B_grad_ += of_held_;
}

void SelfScaledInverseHessian::combine(const GradientChange& change, double, const Reduction&, Vector& B_grad,
                                       Vector& B_delta_g, SecantProducts&) {
  const Index n = dimension();
  if (change.delta_g == nullptr) {
    matrix_.apply(change.grad, B_grad);
    B_grad *= change.grad_factor;
    return;
  }
  holds_any_ = change.is_of_moved && (change.d->array() == 0.0).any();
  if (holds_any_)
    take_held(change, B_delta_g);
  else
    take_change(change, B_delta_g);
  const Vector& of_grad = holds_any_ ? B_grad_prev_ : B_grad_;
  // d and u, each times g and dg.
  const auto sums = summing_pass<4>(n, [&](const Block& block, std::array<double, 4>& sum) {
    const double* columns[] = {change.d->data(), B_delta_g.data()};
    const double* v[] = {change.grad.data(), change.delta_g->data()};
    kernels().products(columns, 2, v, 2, block.first, block.last(), sum.data());
  });
  const auto [d_g, d_dg, u_g, u_dg] = sums;
  s_ = d_dg;
  b_ = u_dg;
  if (holds_any_)
    scaling_ = {.tau = 1.0, .phi = held_scaling_.phi};  // T has brought tau into the products already
  else
    scaling_ = was_skipped_ ? SelfScaling{} : self_scaling(rule_, {s_, b_, change.last_curvature}, n);
  const double tau = scaling_.tau, phi = scaling_.phi;
  const double of_v = phi == 1.0 ? 0.0 : (phi - 1.0) * (b_ / tau) * (d_g / s_ - u_g / b_);
  const double of_d = phi == 1.0 ? 0.0 : of_v / s_, of_u = phi == 1.0 ? 0.0 : -of_v / b_;
  const double factor = change.grad_factor;
  B_grad.resize(n);
  pass(n, [&](const Block& block) {
    loa::combine(
        block.size,
        {{factor / tau, block.at(of_grad)}, {factor * of_d, block.at(*change.d)}, {factor * of_u, block.at(B_delta_g)}},
        block.at(B_grad));
    if (tau != 1.0) block.of(B_delta_g) /= tau;
  });
}

// Adds the term to B and to B g_k.
void SelfScaledInverseHessian::add_term() {
  matrix_.add(scratch_);
  add_term_product(scratch_, grad_, B_grad_prev_);
}

// One term where phi has a y; otherwise that of rank one, with v = d/s - u/b, and then that of the pair, in two sweeps.
// phi has none where tau > (1 + |theta|)/(|theta| c/s), theta < 0, which takes sigma < 2^{1-n}: few variables.
void SelfScaledInverseHessian::update(const SecantPair& pair, const Reduction&) {
  knows_prev_ = std::exchange(is_applied_, false);
  const auto [tau, phi] = knows_prev_ ? scaling_ : SelfScaling{};
  was_skipped_ = false;
  if (knows_prev_ && holds_any_ && held_scaling_.tau != 1.0) matrix_.rescale(T_);
  if (tau != 1.0) matrix_.rescale(1.0 / tau);
  if (knows_prev_ && !holds_any_) B_grad_prev_ = B_grad_ / tau;
  const Vector* y = &pair.d;
  if (phi != 1.0) {
    const double b = b_ / tau;
    const auto [of_d, of_u] = coefficients_of_y(phi, s_, b);
    if (std::isfinite(of_d) && std::isfinite(of_u)) {
      y_ = of_d * pair.d - of_u * pair.B_delta_g;
      y = &y_;
    } else {
      scratch_.z = pair.d / s_ - pair.B_delta_g / b;
      scratch_.u = (0.5 * (phi - 1.0) * b) * scratch_.z;
      add_term();
    }
  }
  make_secant_term({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = pair.B_delta_g, .y = *y}, scratch_);
  if (knows_prev_)
    add_term();
  else
    matrix_.add(scratch_);
}

namespace {

constexpr const char* kRuleNames[] = {"bfgs", "broyden", "broyden-limit"};

}  // namespace

void SelfScaledInverseHessian::save(TensorFile& file) const {
  matrix_.save(file);
  file.metadata["B.kind"] = "self-scaled";
  file.metadata["B.rule"] = kRuleNames[static_cast<int>(rule_)];
  file.put_integer("B.is_applied", is_applied_ ? 1 : 0);
  file.put_integer("B.was_skipped", was_skipped_ ? 1 : 0);
  file.put_integer("B.knows_prev", knows_prev_ ? 1 : 0);
  if (is_applied_) {
    file.put("B.grad", grad_);
    file.put("B.B_grad", B_grad_);
  }
  if (knows_prev_) file.put("B.B_grad_prev", B_grad_prev_);
}

Error SelfScaledInverseHessian::load(const TensorFile& file) {
  const auto found = file.metadata.find("B.rule");
  const auto* const rule = std::ranges::find(kRuleNames, found == file.metadata.end() ? "" : found->second);
  if (rule == std::end(kRuleNames)) return "expected a B.rule of bfgs, broyden or broyden-limit";
  SelfScaledInverseHessian loaded(0, static_cast<SelfScalingRule>(rule - std::begin(kRuleNames)));
  if (Error error = loaded.matrix_.load(file)) return error;
  if (!file.get_flag("B.is_applied", loaded.is_applied_) || !file.get_flag("B.was_skipped", loaded.was_skipped_) ||
      !file.get_flag("B.knows_prev", loaded.knows_prev_))
    return "the flag B.is_applied, B.was_skipped or B.knows_prev is missing or neither 0 nor 1";
  const std::pair<const char*, Vector*> vectors[] = {
      {"B.grad", loaded.is_applied_ ? &loaded.grad_ : nullptr},
      {"B.B_grad", loaded.is_applied_ ? &loaded.B_grad_ : nullptr},
      {"B.B_grad_prev", loaded.knows_prev_ ? &loaded.B_grad_prev_ : nullptr}};
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
  if (knows_prev_) result->B_grad_prev_ = J(B_grad_prev_);
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
