#include "linalg/box_sums.h"

#include <algorithm>
#include <array>
#include <bit>

#include "linalg/index.h"
#include "linalg/pass.h"

namespace loa {
namespace {

// Coordinates whose products stay in the caches nearest to the core, and single ones that are put side by side.
constexpr Index kChunk = 512, kGathered = 256;

// 1/H_0 in the units of the model.
double B0(const PairModel& model, Index i) {
  return model.diagonal != nullptr ? model.scale * model.diagonal[i] : model.scale;
}

bool has(const unsigned char* mask, Index i) { return mask[i / 8] >> (i % 8) & 1; }

// Calls work(i) for the coordinates of a mask, of which the first is `first`.
template <typename Work>
void for_coordinates(const unsigned char* mask, Index first, Index size, const Work& work) {
  for (Index k = 0; k < size; k += 8)
    for (unsigned left = mask[k / 8]; left != 0; left &= left - 1) work(first + k + std::countr_zero(left));
}

constexpr Index kNumMeasures = 3;  // of a projection, after the sums

}  // namespace

// Where the sums are in an array: Y_F^T H_0^{-1} Y_F, S_A^T Y_A and S_A^T H_0 S_A for two columns at a time, which are
// multiplied by others: those from the first of the two on for a symmetric matrix, all for S_A^T Y_A. Then S_A^T H_0
// c_A, Y_A^T c_A, -S_A^T g_A and Y_F^T H_0^{-1} g_F.
struct BoxSums::Places {
  Index num;

  // Calls work(j, num_v, Y_B_Y, S_Y, S_H_S) for the columns [j, j + num_v).
  template <typename Pointer, typename Work>
  void for_columns(Pointer sums, const Work& work) const {
    for (Index j = 0; j < num; j += 2) {
      const Index num_v = std::min<Index>(2, num - j), of_symmetric = num_v * (num - j);
      work(j, num_v, sums, sums + of_symmetric, sums + of_symmetric + num_v * num);
      sums += 2 * of_symmetric + num_v * num;
    }
  }

  Index S_H_c() const {
    Index result = 0;
    for (Index j = 0; j < num; j += 2) result += std::min<Index>(2, num - j) * (3 * num - 2 * j);
    return result;
  }
  Index Y_c() const { return S_H_c() + num; }
  Index S_g() const { return S_H_c() + 2 * num; }
  Index Y_B_g() const { return S_H_c() + 3 * num; }
  Index size() const { return S_H_c() + 4 * num; }
};

// Single coordinates whose share in the sums is added or taken away: their parts of the vectors are put side by side
// until there are enough of them for the kernels.
class BoxSums::Gathering {
 public:
  // Of the sums of y only where `with_y`. `parts` has room for kGathered coordinates of all vectors, `columns` for
  // pointers to them.
  Gathering(const PairModel& model, bool with_y, double* parts, const double** columns, double* sums)
      : model_(model), places_{model.num()}, with_y_(with_y), parts_(parts), d_(columns), sums_(sums) {
    for (Index j = 0; j < 2 * places_.num; ++j) columns[j] = parts + j * kGathered;
  }

  // sign times what the coordinate has in A, where p_i = c, minus what it has in F.
  void add(Index i, double sign, double c, double g) {
    const double b = B0(model_, i);
    double* part = parts_ + size_;
    for (Index j = 0; j < places_.num; ++j, part += kGathered) *part = model_.d[at(j)][i];
    for (Index j = 0; j < places_.num; ++j, part += kGathered) *part = model_.delta_g[at(j)][i];
    on_A_[at(size_)] = sign;
    H_on_A_[at(size_)] = sign / b;
    B_on_F_[at(size_)] = -sign * b;
    H_c_[at(size_)] = sign * c / b;
    c_[at(size_)] = sign * c;
    g_on_A_[at(size_)] = -sign * g;
    B_g_[at(size_)] = -sign * b * g;
    if (++size_ == kGathered) flush();
  }

  void flush() {
    if (size_ == 0) return;
    const double* const* const delta_g = d_ + places_.num;
    std::array<double, 2 * kGathered> weighted;
    const double* const v[2] = {weighted.data(), weighted.data() + kGathered};
    const auto weigh = [&](const double* const* columns, Index num_v, const Numbers& weights) {
      kernels().scale_columns(columns, num_v, weights.data(), size_, weighted.data(), kGathered);
    };
    places_.for_columns(sums_, [&](Index j, Index num_v, double* Y_B_Y, double* S_Y, double* S_H_S) {
      const Index rest = places_.num - j;
      if (with_y_) {
        weigh(delta_g + j, num_v, B_on_F_);
        kernels().products(delta_g + j, rest, v, num_v, 0, size_, Y_B_Y);
      }
      weigh(d_ + j, num_v, on_A_);
      kernels().products(delta_g, places_.num, v, num_v, 0, size_, S_Y);
      weigh(d_ + j, num_v, H_on_A_);
      kernels().products(d_ + j, rest, v, num_v, 0, size_, S_H_S);
    });
    const auto multiply = [&](const double* const* columns, const Numbers& numbers, Index place) {
      const double* const with = numbers.data();
      kernels().products(columns, places_.num, &with, 1, 0, size_, sums_ + place);
    };
    multiply(d_, H_c_, places_.S_H_c());
    multiply(d_, g_on_A_, places_.S_g());
    if (with_y_) multiply(delta_g, c_, places_.Y_c());
    if (with_y_) multiply(delta_g, B_g_, places_.Y_B_g());
    size_ = 0;
  }

 private:
  using Numbers = std::array<double, kGathered>;

  const PairModel& model_;
  Places places_;
  bool with_y_;
  double* parts_;
  const double** d_;
  double* sums_;
  Index size_ = 0;
  Numbers on_A_, H_on_A_, B_on_F_, H_c_, c_, g_on_A_, B_g_;
};

void BoxSums::reserve(Index n, Index num) {
  const std::size_t num_pieces = at(num_pieces_of_pass(n));
  const auto grow = [](auto& list, std::size_t size) {
    if (list.size() < size) list.resize(size);
  };
  resize(A_, n);
  grow(totals_, at(Places{num}.size() + kNumMeasures));
  grow(sums_, num_pieces * at(Places{num}.size() + kNumMeasures));
  grow(parts_, num_pieces * at(2 * num * kGathered));
  grow(columns_, num_pieces * at(4 * num));
}

// The sums of all pieces into those of the first.
void BoxSums::add_up(Index num_pieces, std::size_t num_sums) {
  for (std::size_t piece = 1; piece < at(num_pieces); ++piece)
    for (std::size_t i = 0; i < num_sums; ++i) sums_[i] += sums_[piece * num_sums + i];
}

void BoxSums::begin(const PairModel& model, const BoxPoint& point) {
  const Index num = model.num(), n = point.x.size(), num_pieces = num_pieces_of_pass(n);
  reserve(n, static_cast<Index>(model.C.rows()));
  if (point.held != nullptr) A_ = *point.held;
  const Places places{num};
  parallel_for(num_pieces, [&](Index piece) {
    double* const sums = sums_.data() + piece * places.size();
    std::fill_n(sums, places.size(), 0.0);
    const double** const columns = columns_.data() + 4 * num * piece;
    const double** const delta_g = columns + num;
    Gathering moved(model, false, parts_.data() + 2 * num * kGathered * piece, columns + 2 * num, sums);
    const Block part = piece_of_pass(piece, n);
    if (point.held == nullptr) {
      double nothing[3] = {};
      kernels().judge(point.bounds.at(point.x, part.first), part.at(point.grad), part.size,
                      &A_.at_lower[at(part.first / 8)], &A_.at_upper[at(part.first / 8)], nothing);
    }
    std::array<double, kChunk> weights, of_grad;
    std::array<double, 2 * kChunk> weighted;
    std::array<unsigned char, kChunk / 8> mixed;
    for (Index first = part.first; first < part.last(); first += kChunk) {
      const Index size = std::min(kChunk, part.last() - first);
      const unsigned char *at_lower = &A_.at_lower[at(first / 8)], *at_upper = &A_.at_upper[at(first / 8)];
      kernels().weigh_box({.grad = point.grad.data() + first,
                           .diagonal = model.diagonal != nullptr ? model.diagonal + first : nullptr,
                           .scale = model.scale,
                           .at_lower = at_lower,
                           .at_upper = at_upper,
                           .weights = weights.data(),
                           .of_grad = of_grad.data()},
                          size);
      for (Index j = 0; j < num; ++j) delta_g[j] = model.delta_g[at(j)] + first;
      const double* const v[2] = {weighted.data(), weighted.data() + kChunk};
      places.for_columns(sums, [&](Index j, Index num_v, double* Y_B_Y, double*, double*) {
        kernels().scale_columns(delta_g + j, num_v, weights.data(), size, weighted.data(), kChunk);
        kernels().products(delta_g + j, num - j, v, num_v, 0, size, Y_B_Y);
      });
      const double* const B_g = of_grad.data();
      kernels().products(delta_g, num, &B_g, 1, 0, size, sums + places.Y_B_g());
      unsigned any = 0;
      for (Index k = 0; k < (size + 7) / 8; ++k) any |= mixed[at(k)] = at_lower[k] | at_upper[k];
      if (any == 0) continue;
      std::array<unsigned char, kChunk / 8> found;
      const unsigned char* has_moved = model.moved != nullptr ? model.moved + first / 8 : found.data();
      if (model.moved == nullptr) kernels().nonzero(model.d.data(), num, first, first + size, found.data());
      for (Index k = 0; k < (size + 7) / 8; ++k) mixed[at(k)] &= has_moved[k];
      for_coordinates(mixed.data(), first, size, [&](Index i) { moved.add(i, 1.0, 0.0, point.grad(i)); });
    }
    moved.flush();
  });
  add_up(num_pieces, at(places.size()));
  const std::span<double> all = std::span(sums_).first(at(places.size()));
  point.reduction.sum(all);
  std::copy(all.begin(), all.end(), totals_.begin());
}

BoxSums::Projection BoxSums::project(const PairModel& model, const BoxPoint& point, const Vector& of_d,
                                     const Vector& of_delta_g, Vector& step) {
  const Index num = model.num(), n = point.x.size(), num_pieces = num_pieces_of_pass(n);
  if (num == 0) {
    reserve(n, 0);
    for (std::vector<unsigned char>* mask : {&A_.at_lower, &A_.at_upper}) std::ranges::fill(*mask, 0);
  }
  const Places places{num};
  const Index num_sums = places.size() + kNumMeasures;
  parallel_for(num_pieces, [&](Index piece) {
    double* const sums = sums_.data() + piece * num_sums;
    double* const measures = sums + places.size();
    std::fill_n(sums, num_sums, 0.0);
    Gathering changes(model, true, parts_.data() + 2 * num * kGathered * piece, columns_.data() + 4 * num * piece,
                      sums);
    std::array<double, kBlockSize> d_part, delta_g_part;
    std::array<unsigned char, kBlockSize / 8> next_at_lower, next_at_upper, changed;
    for_blocks(piece_of_pass(piece, n), [&](const Block& block) {
      const double start[] = {-model.unit}, nothing[] = {0.0};
      const double *coefficients[] = {of_d.data(), of_delta_g.data()}, *v[] = {point.grad.data()};
      double* out[] = {delta_g_part.data() - block.first};
      kernels().combine(model.delta_g.data(), num, &coefficients[1], start, v, 1, block.first, block.last(), out);
      out[0] = d_part.data() - block.first;
      kernels().combine(model.d.data(), num, &coefficients[0], nothing, v, 1, block.first, block.last(), out);
      unsigned char *at_lower = &A_.at_lower[at(block.first / 8)], *at_upper = &A_.at_upper[at(block.first / 8)];
      const double changes_before = measures[0];
      kernels().project_box(point.bounds.at(point.x, block.first),
                            {.of_d = d_part.data(),
                             .of_delta_g = delta_g_part.data(),
                             .diagonal = model.diagonal != nullptr ? model.diagonal + block.first : nullptr,
                             .scale = model.scale,
                             .grad = block.at(point.grad),
                             .step = block.at(step),
                             .at_lower = at_lower,
                             .at_upper = at_upper,
                             .next_at_lower = next_at_lower.data(),
                             .next_at_upper = next_at_upper.data(),
                             .changed = changed.data()},
                            block.size, measures);
      if (num == 0 || measures[0] == changes_before) return;
      for_coordinates(changed.data(), block.first, block.size, [&](Index i) {
        const Index k = i - block.first;
        const bool was_held = has(at_lower, k) || has(at_upper, k);
        const bool of_lower = was_held ? has(at_lower, k) : has(next_at_lower.data(), k);
        const double c = (of_lower ? point.bounds.lower(i) : point.bounds.upper(i)) - point.x(i);
        changes.add(i, was_held ? -1.0 : 1.0, c, point.grad(i));
      });
      std::copy_n(next_at_lower.begin(), (block.size + 7) / 8, at_lower);
      std::copy_n(next_at_upper.begin(), (block.size + 7) / 8, at_upper);
    });
    changes.flush();
  });
  add_up(num_pieces, at(num_sums));
  const std::span<double> all = std::span(sums_).first(at(num_sums));
  point.reduction.sum(all);
  for (std::size_t i = 0; i < at(places.size()); ++i) totals_[i] += sums_[i];
  const std::span<double> measures = all.last(at(kNumMeasures));
  return {measures[0], measures[1], measures[2]};
}

void BoxSums::read(const PairModel& model, Equations equations) const {
  const Places places{model.num()};
  const Index num = places.num;
  places.for_columns(totals_.data(),
                     [&](Index j, Index num_v, const double* Y_B_Y, const double* S_Y, const double* S_H_S) {
                       for (Index i = j; i < num; ++i)
                         for (Index l = 0; l < num_v; ++l) {
                           equations.Y_B_Y(i, j + l) = equations.Y_B_Y(j + l, i) = *Y_B_Y++;
                           equations.S_H_S(i, j + l) = equations.S_H_S(j + l, i) = *S_H_S++;
                         }
                       for (Index i = 0; i < num; ++i)
                         for (Index l = 0; l < num_v; ++l) equations.S_Y(j + l, i) = *S_Y++;
                     });
  const auto sums_at = [&](Index place) { return Eigen::Map<const Vector>(totals_.data() + place, num); };
  equations.g_s = Eigen::Map<const Vector>(model.d_grad.data(), num) + sums_at(places.S_g());
  equations.g_y = sums_at(places.Y_B_g());
  equations.r_s = sums_at(places.S_H_c()) - model.unit * equations.g_s;
  equations.r_y = sums_at(places.Y_c()) - model.unit * equations.g_y;
}

}  // namespace loa
