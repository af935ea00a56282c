#include "linalg/refreshed_inverse_hessian.h"

#include <cmath>
#include <limits>
#include <utility>

#include "linalg/combine.h"
#include "linalg/kernels.h"
#include "linalg/pass.h"
#include "linalg/tensor_file.h"

namespace loa {
namespace {

// A cosine below this is round-off.
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

ConjugatedOptions pairs_options(const RefreshedOptions& options) {
  return {.capacity = options.num_pairs,
          .diagonal = false,
          .geometric_scale = true,
          .conjugation = {.damping = options.damping, .depth = options.depth}};
}

}  // namespace

RefreshedInverseHessian::RefreshedInverseHessian(Index n, const RefreshedOptions& options)
    : options_(options), pairs_(n, pairs_options(options)), matrix_(n) {
  resize_vectors(n);
}

void RefreshedInverseHessian::resize_vectors(Index n) {
  for (Vector* v :
       {&d_, &delta_g_, &H_delta_g_, &H_grad_, &grad_, &next_H_grad_, &H_change_, &B_grad_, &term_.d, &term_.residual,
        &conjugate_delta_g_, &H_conjugate_delta_g_, &scratch_.d, &scratch_.delta_g, &scratch_.B_delta_g})
    v->resize(n);
}

void RefreshedInverseHessian::reset(double scale) {
  is_matrix_ = is_applied_ = false;
  pairs_.reset(scale);
}

// Eq. (6) with y = d: B v = H v + <z,v> r + (<r,v> - <dg,r> <z,v>) z, z = d/<dg,d>.
std::array<double, 2> RefreshedInverseHessian::Term::coefficients(double d_v, double residual_v) const {
  const double z_v = d_v / curvature;
  return {z_v, (residual_v - residual_curvature * z_v) / curvature};
}

// B v once B is a matrix.
void RefreshedInverseHessian::apply(const Vector& v, Vector& out) {
  matrix_.apply(v, out);
  const Vector residual = d_ - H_delta_g_;
  const Term term{d_, residual, curvature_, dot(delta_g_, residual)};
  const auto [of_residual, of_d] = term.coefficients(dot(d_, v), dot(residual, v));
  out += of_residual * residual + of_d * d_;
}

// c of linalg/conjugated_pairs.h, from <d',dg>, <d,dg'>, <d,dg>, <d,d>, <dg,dg>. 0: the pair stays as it is.
double RefreshedInverseHessian::conjugation(const std::array<double, 5>& products) const {
  const auto [A, B, h, d_squares, delta_g_squares] = products;
  if (options_.depth == 0 || !(h > kEpsilon * std::sqrt(d_squares) * std::sqrt(delta_g_squares))) return 0.0;
  const CommonPart common{A, B, h, curvature_};
  const double c = common.coefficient(options_.damping);
  const bool keeps_curvature =
      curvature_ + common.change_of_curvature(c) >= ConjugationOptions().threshold * curvature_;
  return keeps_curvature ? c : 0.0;
}

// H g_k, and the term with the pair that is not in H yet, conjugated to the new one.
void RefreshedInverseHessian::take_change(const GradientChange& change) {
  const Index n = dimension();
  if (is_applied_ && change.grad != grad_) H_grad_.swap(next_H_grad_);  // the last iteration ended without an update
  is_applied_ = true;
  matrix_.apply(change.grad, next_H_grad_);
  const auto products = summing_pass<5>(n, [&](const Block& block, std::array<double, 5>& sum) {
    loa::combine(block.size, {{1.0, block.at(change.grad)}}, block.at(grad_));
    const double *d = change.d->data(), *delta_g = change.delta_g->data(), *old_d = d_.data(), *old = delta_g_.data();
    kernels().products(&old_d, 1, &delta_g, 1, block.first, block.last(), &sum[0]);
    kernels().products(&d, 1, &old, 1, block.first, block.last(), &sum[1]);
    kernels().products(&d, 1, &delta_g, 1, block.first, block.last(), &sum[2]);
    kernels().products(&d, 1, &d, 1, block.first, block.last(), &sum[3]);
    kernels().products(&delta_g, 1, &delta_g, 1, block.first, block.last(), &sum[4]);
  });
  const double c = conjugation(products);
  pass(n, [&](const Block& block) {
    const auto subtract = [&](const Vector& a, double factor, const Vector& b, Vector& out) {
      loa::combine(block.size, {{1.0, block.at(a)}, {-factor, block.at(b)}}, block.at(out));
    };
    subtract(next_H_grad_, 1.0, H_grad_, H_change_);
    subtract(d_, c, *change.d, term_.d);
    subtract(delta_g_, c, *change.delta_g, conjugate_delta_g_);
    subtract(H_delta_g_, c, H_change_, H_conjugate_delta_g_);
    subtract(term_.d, 1.0, H_conjugate_delta_g_, term_.residual);
  });
}

std::span<double> RefreshedInverseHessian::products(const GradientChange& change) {
  return is_matrix_ ? std::span<double>() : pairs_.products(change);
}

void RefreshedInverseHessian::combine(const GradientChange& change, double ratio, const Reduction& reduction,
                                      Vector& B_grad, Vector& B_delta_g, SecantProducts&) {
  const Index n = dimension();
  if (!is_matrix_) {
    SecantProducts of_pairs;  // a matrix knows none of them: the caller measures them before and after the change
    pairs_.combine(change, ratio, reduction, B_grad, B_delta_g, of_pairs);
    if (pairs_.num_pairs() == pairs_.capacity()) B_grad_ = B_grad / change.grad_factor;
    return;
  }
  if (change.delta_g == nullptr) {
    apply(change.grad, B_grad);
    B_grad *= change.grad_factor;
    return;
  }
  take_change(change);
  // d and the residual of the term, each times dg' - c dg, g_k and dg.
  const auto sums = summing_pass<6>(n, [&](const Block& block, std::array<double, 6>& sum) {
    const double* columns[] = {term_.d.data(), term_.residual.data()};
    const double* v[] = {change.grad.data(), change.delta_g->data()};
    const double* conjugate = conjugate_delta_g_.data();
    kernels().products(columns, 2, v, 2, block.first, block.last(), sum.data());
    kernels().products(columns, 2, &conjugate, 1, block.first, block.last(), &sum[4]);
  });
  term_.curvature = sums[4];
  term_.residual_curvature = sums[5];
  const auto of_grad = term_.coefficients(sums[0], sums[2]), of_change = term_.coefficients(sums[1], sums[3]);
  B_grad.resize(n);
  B_delta_g.resize(n);
  pass(n, [&](const Block& block) {
    std::array<double, kBlockSize> term;
    const auto add_term = [&](const std::array<double, 2>& c, const Vector& v, Vector& out) {
      loa::combine(block.size, {{c[0], block.at(term_.residual)}, {c[1], block.at(term_.d)}}, term.data());
      loa::combine(block.size, {{1.0, block.at(v)}, {1.0, term.data()}}, block.at(out));
    };
    add_term(of_grad, next_H_grad_, B_grad_);
    loa::combine(block.size, {{change.grad_factor, block.at(B_grad_)}}, block.at(B_grad));
    add_term(of_change, H_change_, B_delta_g);
  });
}

void RefreshedInverseHessian::update(const SecantPair& pair, const Reduction& reduction) {
  if (!is_matrix_) {
    if (pairs_.num_pairs() < pairs_.capacity()) {
      pairs_.update(pair, reduction);
      return;
    }
    if (matrix_.dimension() != dimension()) matrix_ = DenseInverseHessian(dimension());  // after load()
    pairs_.make_matrix(matrix_, scratch_);
    pairs_.reset(1.0);
    is_matrix_ = true;
  } else {
    matrix_.update({.d = term_.d, .delta_g = conjugate_delta_g_, .B_delta_g = H_conjugate_delta_g_, .y = term_.d});
  }
  is_applied_ = false;
  H_grad_.swap(B_grad_);
  const auto sums = summing_pass<1>(dimension(), [&](const Block& block, std::array<double, 1>& sum) {
    loa::combine(block.size, {{1.0, block.at(pair.d)}}, block.at(d_));
    loa::combine(block.size, {{1.0, block.at(pair.delta_g)}}, block.at(delta_g_));
    loa::combine(block.size, {{1.0, block.at(pair.B_delta_g)}}, block.at(H_delta_g_));
    const double *d = d_.data(), *delta_g = delta_g_.data();
    kernels().products(&d, 1, &delta_g, 1, block.first, block.last(), sum.data());
  });
  curvature_ = sums[0];
}

namespace {

// The vectors that are saved with a matrix.
constexpr const char* kVectors[] = {"B.d", "B.delta_g", "B.H_delta_g", "B.H_grad", "B.grad", "B.next_H_grad"};

}  // namespace

// The pairs are saved with the matrix, though there are none then: how many and of which kind is for a restart.
void RefreshedInverseHessian::save(TensorFile& file) const {
  pairs_.save(file);
  file.metadata["B.kind"] = "refreshed";
  file.put_integer("B.is_matrix", is_matrix_ ? 1 : 0);
  if (!is_matrix_) return;
  matrix_.save(file);
  file.metadata["B.kind"] = "refreshed";
  const Vector* vectors[] = {&d_, &delta_g_, &H_delta_g_, &H_grad_, &grad_, &next_H_grad_};
  for (std::size_t i = 0; i < std::size(vectors); ++i) file.put(kVectors[i], *vectors[i]);
  file.put_scalar("B.curvature", curvature_);
  file.put_integer("B.is_applied", is_applied_ ? 1 : 0);
}

// Without a matrix in the file no memory is taken for one: the first update that needs it does that.
Error RefreshedInverseHessian::load(const TensorFile& file) {
  bool is_matrix = false, is_applied = false;
  if (!file.get_flag("B.is_matrix", is_matrix)) return "the flag B.is_matrix is missing or neither 0 nor 1";
  ConjugatedInverseHessian pairs(0, pairs_options(options_));
  if (Error error = pairs.load(file)) return error;
  if (pairs.capacity() < 1) return "expected a B.capacity of 1 or more";
  if (pairs.has_diagonal() || !pairs.has_geometric_scale() || pairs.conjugation().depth > 1)
    return "expected a B.has_diagonal of 0, a B.geometric_scale of 1 and a B.depth of 0 or 1";
  if (is_matrix && pairs.num_pairs() > 0) return "expected a B.num_pairs of 0 beside a matrix";
  RefreshedInverseHessian loaded(
      0, {.num_pairs = pairs.capacity(), .damping = pairs.conjugation().damping, .depth = pairs.conjugation().depth});
  loaded.pairs_ = std::move(pairs);
  const Index n = loaded.dimension();
  if (is_matrix) {
    if (Error error = loaded.matrix_.load(file)) return error;
    if (loaded.matrix_.dimension() != n) return "expected B.rows of the dimension B.dimension";
    Vector* vectors[] = {&loaded.d_,      &loaded.delta_g_, &loaded.H_delta_g_,
                         &loaded.H_grad_, &loaded.grad_,    &loaded.next_H_grad_};
    for (std::size_t i = 0; i < std::size(vectors); ++i)
      if (!file.get(kVectors[i], *vectors[i]) || vectors[i]->size() != n)
        return std::string("the tensor ") + kVectors[i] + " is missing or does not have the length B.dimension";
    if (!file.get_scalar("B.curvature", loaded.curvature_) || !file.get_flag("B.is_applied", is_applied))
      return "one of B.curvature and B.is_applied is missing, or B.is_applied is neither 0 nor 1";
  }
  loaded.resize_vectors(n);
  loaded.is_matrix_ = is_matrix;
  loaded.is_applied_ = is_applied;
  *this = std::move(loaded);
  return {};
}

// With J = c Q, Q orthogonal: gradients change as J/(c^2 factor), so that H g changes as g's counterpart d, with J.
std::unique_ptr<InverseHessian> RefreshedInverseHessian::congruent(const LinearMap& J, double factor) const {
  auto result = std::make_unique<RefreshedInverseHessian>(*this);
  if (!is_matrix_) {
    std::unique_ptr<InverseHessian> pairs = pairs_.congruent(J, factor);
    if (pairs == nullptr) return nullptr;
    result->pairs_ = std::move(static_cast<ConjugatedInverseHessian&>(*pairs));
    return result;
  }
  const Vector ones = Vector::Ones(dimension());
  const double square = J(ones).squaredNorm() / ones.squaredNorm();
  const double square_of_pair = J(delta_g_).squaredNorm() / delta_g_.squaredNorm();
  if (!(std::abs(square_of_pair / square - 1.0) <= kLengthTolerance)) return nullptr;
  result->matrix_ = std::move(static_cast<DenseInverseHessian&>(*matrix_.congruent(J, factor)));
  for (Vector* v : {&result->d_, &result->H_delta_g_, &result->H_grad_, &result->next_H_grad_}) *v = J(*v);
  for (Vector* v : {&result->delta_g_, &result->grad_}) *v = J(*v) / (square * factor);
  result->curvature_ /= factor;
  return result;
}

}  // namespace loa
