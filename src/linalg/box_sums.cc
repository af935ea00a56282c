#include "linalg/box_sums.h"

#include <algorithm>
#include <array>
#include <bit>

#include "linalg/index.h"
#include "linalg/large_vector.h"
#include "linalg/pass.h"

namespace loa {
namespace {

// Coordinates whose products stay in the caches nearest to the core, and single ones that are put side by side, with
// more room for each vector than a power of two, so that their parts do not compete for the same places of a cache.
constexpr Index kChunk = 512, kGathered = 256, kRoom = kGathered + 8;

bool has(const unsigned char* mask, Index i) { return mask[i / 8] >> (i % 8) & 1; }

// Calls work(i) for the coordinates of a mask, of which the first is `first`.
template <typename Work>
void for_coordinates(const unsigned char* mask, Index first, Index size, const Work& work) {
  for (Index k = 0; k < size; k += 8)
    for (unsigned left = mask[k / 8]; left != 0; left &= left - 1) work(first + k + std::countr_zero(left));
}

// One vector after the other: the processor fetches ahead in few at a time.
void gather(const double* column, std::span<const Index> rows, double* out) {
  for (const Index i : rows) *out++ = column[i];
}

constexpr Index kNumMeasures = 3;  // of a projection, after the sums

// The most coordinates near their bounds of which copies are made: as each line of memory has eight numbers, a copy of
// more would read nearly all lines of all vectors, as the pass does that it is to save.
Index most_near(Index n) { return n / 8 + 8; }

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
  Gathering(const PairModel& model, const Rows& rows, bool with_y, double* parts, const double** columns, double* sums)
      : rows_(rows),
        scale_(model.scale),
        places_{model.num()},
        with_y_(with_y),
        parts_(parts),
        d_(columns),
        sums_(sums) {
    for (Index j = 0; j < 2 * places_.num; ++j) columns[j] = parts + j * kRoom;
  }

  // sign times what the coordinate has in A, where p_i = c, minus what it has in F.
  void add(Index i, double sign, double c, double g) {
    const double b = rows_.diagonal != nullptr ? scale_ * rows_.diagonal[i] : scale_;  // 1/H_0
    places_of_rows_[at(size_)] = i;
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
    double* part = parts_;
    for (const double* const* columns : {rows_.d, rows_.delta_g})
      for (Index j = 0; j < places_.num; ++j, part += kRoom)
        gather(columns[j], std::span(places_of_rows_).first(at(size_)), part);
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

  const Rows& rows_;
  double scale_;
  Places places_;
  bool with_y_;
  double* parts_;
  const double** d_;
  double* sums_;
  Index size_ = 0;
  std::array<Index, kGathered> places_of_rows_;
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
  grow(parts_, num_pieces * at(2 * num * kRoom));
  grow(columns_, num_pieces * at(4 * num));
}

// Their number in this slice. What is left of eight coordinates at the end of a piece is filled with coordinates that
// have no part in anything.
Index BoxSums::gather_near(const PairModel& model, const BoxPoint& point) {
  near_size_ = 0;
  if (point.near == nullptr) return 0;
  const Index num = model.num(), n = point.x.size(), num_pieces = num_pieces_of_pass(n);
  // All room at once, of which nothing is touched that holds no copy.
  constexpr Index kNumOthers = 6;  // x, l, u, g, D', the step
  const Index most = 2 * static_cast<Index>(model.C.rows()) + kNumOthers;
  near_capacity_ = most_near(n) + 8 * num_pieces;
  resize_large(near_rows_, most * near_capacity_);
  near_columns_.resize(at(most));
  resize(near_A_, near_capacity_);
  near_.resize(at((n + 7) / 8));
  Index count = near_first_[0] = 0;
  for (Index piece = 0; piece < num_pieces; ++piece) {
    const Block part = piece_of_pass(piece, n);
    Index of_piece = 0;
    for (Index k = part.first / 8; k < (part.last() + 7) / 8; ++k) {
      near_[at(k)] = static_cast<unsigned char>(point.near[k] & ~(A_.at_lower[at(k)] | A_.at_upper[at(k)]));
      of_piece += std::popcount(near_[at(k)]);
    }
    count += of_piece;
    near_first_[at(piece) + 1] = near_first_[at(piece)] + (of_piece + 7) / 8 * 8;
  }
  if (count == 0 || count > most_near(n)) return 0;

  const Index size = near_first_[at(num_pieces)];
  for (std::size_t j = 0; j < near_columns_.size(); ++j)
    near_columns_[j] = near_rows_.data() + static_cast<Index>(j) * near_capacity_;
  for (std::vector<unsigned char>* mask : {&near_A_.at_lower, &near_A_.at_upper})
    std::fill_n(mask->begin(), size / 8, static_cast<unsigned char>(0));
  parallel_for(num_pieces, [&](Index piece) {
    const Block part = piece_of_pass(piece, n);
    std::array<Index, kGathered> rows;
    std::size_t num_rows = 0;
    Index first = near_first_[at(piece)];
    const auto column = [&](Index j) { return near_rows_.data() + j * near_capacity_ + first; };
    const auto put = [&] {
      const auto now = std::span(rows).first(num_rows);
      for (Index j = 0; j < num; ++j) gather(model.d[at(j)], now, column(j));
      for (Index j = 0; j < num; ++j) gather(model.delta_g[at(j)], now, column(num + j));
      gather(point.x.data(), now, column(2 * num));
      gather(point.grad.data(), now, column(2 * num + 3));
      if (model.diagonal != nullptr) gather(model.diagonal, now, column(2 * num + 4));
      for (std::size_t k = 0; k < num_rows; ++k) {
        column(2 * num + 1)[k] = point.bounds.lower(rows[k]);
        column(2 * num + 2)[k] = point.bounds.upper(rows[k]);
      }
      first += static_cast<Index>(num_rows);
      num_rows = 0;
    };
    for_coordinates(near_.data() + part.first / 8, part.first, part.size, [&](Index i) {
      rows[num_rows++] = i;
      if (num_rows == rows.size()) put();
    });
    put();
    for (; first < near_first_[at(piece) + 1]; ++first) {
      for (Index j = 0; j < 2 * num + kNumOthers; ++j) *column(j) = 0.0;
      *column(2 * num + 1) = -1.0;
      *column(2 * num + 2) = *column(2 * num + 4) = 1.0;
    }
  });
  near_size_ = size;
  return count;
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
  const Rows rows{.d = model.d.data(), .delta_g = model.delta_g.data(), .diagonal = model.diagonal};
  parallel_for(num_pieces, [&](Index piece) {
    double* const sums = sums_.data() + piece * places.size();
    std::fill_n(sums, places.size(), 0.0);
    const double** const columns = columns_.data() + 4 * num * piece;
    const double** const delta_g = columns + num;
    Gathering moved(model, rows, false, parts_.data() + 2 * num * kRoom * piece, columns + 2 * num, sums);
    const Block part = piece_of_pass(piece, n);
    if (point.held == nullptr) {
      double nothing[3] = {};
      kernels().judge(point.bounds.at(point.x, part.first), part.at(point.grad), part.size,
                      A_.at_lower.data() + part.first / 8, A_.at_upper.data() + part.first / 8, nothing);
    }
    std::array<double, kChunk> weights, of_grad;
    std::array<double, 2 * kChunk> weighted;
    std::array<unsigned char, kChunk / 8> mixed;
    for (Index first = part.first; first < part.last(); first += kChunk) {
      const Index size = std::min(kChunk, part.last() - first);
      const unsigned char *at_lower = A_.at_lower.data() + first / 8, *at_upper = A_.at_upper.data() + first / 8;
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
  sums_[at(places.size())] = static_cast<double>(gather_near(model, point));
  const std::span<double> all = std::span(sums_).first(at(places.size()) + 1);
  point.reduction.sum(all);
  num_near_ = all.back();
  std::copy_n(all.begin(), at(places.size()), totals_.begin());
}

BoxSums::Projection BoxSums::project(const PairModel& model, const BoxPoint& point, const Vector& of_d,
                                     const Vector& of_delta_g, Vector& step) {
  const Index n = point.x.size();
  if (model.num() == 0) {
    reserve(n, 0);
    for (std::vector<unsigned char>* mask : {&A_.at_lower, &A_.at_upper}) std::ranges::fill(*mask, 0);
  }
  const Rows rows{.d = model.d.data(),
                  .delta_g = model.delta_g.data(),
                  .diagonal = model.diagonal,
                  .at = point.bounds.at(point.x, 0),
                  .grad = point.grad.data(),
                  .step = step.data(),
                  .at_lower = A_.at_lower.data(),
                  .at_upper = A_.at_upper.data(),
                  .size = n};
  return project_rows(model, rows, point.reduction, {of_d.data(), of_delta_g.data()});
}

BoxSums::Projection BoxSums::project_near(const PairModel& model, const BoxPoint& point, const Vector& of_d,
                                          const Vector& of_delta_g) {
  const Index num = model.num();
  const double* const* const others = near_columns_.data() + 2 * num;
  Rows rows;
  if (near_size_ > 0)
    rows = {.d = near_columns_.data(),
            .delta_g = near_columns_.data() + num,
            .diagonal = model.diagonal != nullptr ? others[4] : nullptr,
            .at = {others[0], others[1], others[2]},
            .grad = others[3],
            .step = near_rows_.data() + (2 * num + 5) * near_capacity_,
            .at_lower = near_A_.at_lower.data(),
            .at_upper = near_A_.at_upper.data(),
            .size = near_size_};
  return project_rows(model, rows, point.reduction, {of_d.data(), of_delta_g.data()});
}

void BoxSums::keep_near(Index n) {
  if (near_size_ == 0) return;
  parallel_for(num_pieces_of_pass(n), [&](Index piece) {
    const Block part = piece_of_pass(piece, n);
    Index k = near_first_[at(piece)];
    for_coordinates(near_.data() + part.first / 8, part.first, part.size, [&](Index i) {
      const auto bit = static_cast<unsigned char>(1 << (i % 8));
      if (has(near_A_.at_lower.data(), k)) A_.at_lower[at(i / 8)] |= bit;
      if (has(near_A_.at_upper.data(), k)) A_.at_upper[at(i / 8)] |= bit;
      ++k;
    });
  });
}

BoxSums::Projection BoxSums::project_rows(const PairModel& model, const Rows& rows, const Reduction& reduction,
                                          const std::array<const double*, 2>& coefficients) {
  const Index num = model.num(), num_pieces = num_pieces_of_pass(rows.size);
  const Places places{num};
  const Index num_sums = places.size() + kNumMeasures;
  parallel_for(num_pieces, [&](Index piece) {
    double* const sums = sums_.data() + piece * num_sums;
    double* const measures = sums + places.size();
    std::fill_n(sums, num_sums, 0.0);
    Gathering changes(model, rows, true, parts_.data() + 2 * num * kRoom * piece, columns_.data() + 4 * num * piece,
                      sums);
    std::array<double, kBlockSize> d_part, delta_g_part;
    std::array<unsigned char, kBlockSize / 8> next_at_lower, next_at_upper, changed;
    for_blocks(piece_of_pass(piece, rows.size), [&](const Block& block) {
      const Index first = block.first;
      const double start[] = {-model.unit}, nothing[] = {0.0};
      const double* v[] = {rows.grad};
      double* out[] = {delta_g_part.data() - first};
      kernels().combine(rows.delta_g, num, &coefficients[1], start, v, 1, first, block.last(), out);
      out[0] = d_part.data() - first;
      kernels().combine(rows.d, num, &coefficients[0], nothing, v, 1, first, block.last(), out);
      unsigned char *at_lower = rows.at_lower + first / 8, *at_upper = rows.at_upper + first / 8;
      const double changes_before = measures[0];
      const double *lower = rows.at.lower, *upper = rows.at.upper;
      kernels().project_box(
          {rows.at.x + first, lower != nullptr ? lower + first : nullptr, upper != nullptr ? upper + first : nullptr},
          {.of_d = d_part.data(),
           .of_delta_g = delta_g_part.data(),
           .diagonal = rows.diagonal != nullptr ? rows.diagonal + first : nullptr,
           .scale = model.scale,
           .grad = rows.grad + first,
           .step = rows.step + first,
           .at_lower = at_lower,
           .at_upper = at_upper,
           .next_at_lower = next_at_lower.data(),
           .next_at_upper = next_at_upper.data(),
           .changed = changed.data()},
          block.size, measures);
      if (num == 0 || measures[0] == changes_before) return;
      for_coordinates(changed.data(), first, block.size, [&](Index i) {
        const Index k = i - first;
        const bool was_held = has(at_lower, k) || has(at_upper, k);
        const bool of_lower = was_held ? has(at_lower, k) : has(next_at_lower.data(), k);
        const double c = (of_lower ? lower[i] : upper[i]) - rows.at.x[i];
        changes.add(i, was_held ? -1.0 : 1.0, c, rows.grad[i]);
      });
      std::copy_n(next_at_lower.begin(), (block.size + 7) / 8, at_lower);
      std::copy_n(next_at_upper.begin(), (block.size + 7) / 8, at_upper);
    });
    changes.flush();
  });
  add_up(num_pieces, at(num_sums));
  const std::span<double> all = std::span(sums_).first(at(num_sums));
  reduction.sum(all);
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
