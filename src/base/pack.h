// Eight doubles at once, whatever the width of the machine's registers. For kernels only.
//
// A file that includes this is compiled once for each instruction set. So everything here has internal linkage, and
// such a file includes nothing else with inline functions: the linker might keep the copy that was compiled for AVX-512
// and call it from everywhere. No operation fuses a product with a sum, and sums over the lanes have a fixed order: all
// instruction sets give the same bits.
#pragma once

#include <cstddef>

#if defined(__SSE2__)
#include <immintrin.h>  // its functions are always inlined
#endif

namespace loa {
namespace {

using Size = std::ptrdiff_t;

constexpr Size kLanes = 8;
#if defined(__AVX512F__)
constexpr Size kWidth = 8;
#elif defined(__AVX2__)
constexpr Size kWidth = 4;
#else
constexpr Size kWidth = 2;
#endif
constexpr Size kParts = kLanes / kWidth;

// Loads and stores need no alignment.
typedef double Wide __attribute__((vector_size(kWidth * sizeof(double)), aligned(sizeof(double)), may_alias));

struct Pack {
  Wide part[kParts];
};

[[maybe_unused]] inline Pack load(const double* from) {
  Pack p;
  for (Size i = 0; i < kParts; ++i) p.part[i] = *reinterpret_cast<const Wide*>(from + i * kWidth);
  return p;
}

[[maybe_unused]] inline void store(const Pack& p, double* to) {
  for (Size i = 0; i < kParts; ++i) *reinterpret_cast<Wide*>(to + i * kWidth) = p.part[i];
}

[[maybe_unused]] inline Pack fill(double value) {
  Pack p;
  for (Size i = 0; i < kParts; ++i) p.part[i] = value - Wide{};
  return p;
}

[[maybe_unused]] inline Pack operator+(const Pack& a, const Pack& b) {
  Pack p;
  for (Size i = 0; i < kParts; ++i) p.part[i] = a.part[i] + b.part[i];
  return p;
}

[[maybe_unused]] inline Pack operator*(const Pack& a, const Pack& b) {
  Pack p;
  for (Size i = 0; i < kParts; ++i) p.part[i] = a.part[i] * b.part[i];
  return p;
}

[[maybe_unused]] inline Pack operator*(double a, const Pack& b) {
  Pack p;
  for (Size i = 0; i < kParts; ++i) p.part[i] = a * b.part[i];
  return p;
}

[[maybe_unused]] inline Pack operator-(const Pack& a, const Pack& b) {
  Pack p;
  for (Size i = 0; i < kParts; ++i) p.part[i] = a.part[i] - b.part[i];
  return p;
}

[[maybe_unused]] inline Pack operator/(const Pack& a, const Pack& b) {
  Pack p;
  for (Size i = 0; i < kParts; ++i) p.part[i] = a.part[i] / b.part[i];
  return p;
}

[[maybe_unused]] inline Pack abs(const Pack& a) {
  Pack p;
  for (Size i = 0; i < kParts; ++i) p.part[i] = a.part[i] < Wide{} ? -a.part[i] : a.part[i];
  return p;
}

// a > b ? a : b, lane by lane, which is one instruction: b where one of them is NaN.
[[maybe_unused]] inline Wide larger(Wide a, Wide b) {
#if defined(__AVX512F__)
  return _mm512_max_pd(a, b);
#elif defined(__AVX2__)
  return _mm256_max_pd(a, b);
#elif defined(__SSE2__)
  return _mm_max_pd(a, b);
#else
  return a > b ? a : b;
#endif
}

// The larger of the two; a where b is NaN.
[[maybe_unused]] inline Pack max(const Pack& a, const Pack& b) {
  Pack p;
  for (Size i = 0; i < kParts; ++i) p.part[i] = larger(b.part[i], a.part[i]);
  return p;
}

// max(a, 0); NaN stays NaN.
[[maybe_unused]] inline Pack relu(const Pack& a) {
  Pack p;
  for (Size i = 0; i < kParts; ++i) p.part[i] = larger(Wide{}, a.part[i]);
  return p;
}

// A lane is a bit, the first the lowest: 1 where a < b, or a <= b; 0 where one of them is NaN.
[[maybe_unused]] inline unsigned less(const Pack& a, const Pack& b) {
  unsigned lanes = 0;
  for (Size i = 0; i < kParts; ++i) {
#if defined(__AVX512F__)
    lanes |= _mm512_cmp_pd_mask(a.part[i], b.part[i], _CMP_LT_OQ);
#elif defined(__AVX2__)
    lanes |= static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a.part[i], b.part[i], _CMP_LT_OQ))) << (i * kWidth);
#elif defined(__SSE2__)
    lanes |= static_cast<unsigned>(_mm_movemask_pd(_mm_cmplt_pd(a.part[i], b.part[i]))) << (i * kWidth);
#else
    for (Size l = 0; l < kWidth; ++l) lanes |= (a.part[i][l] < b.part[i][l] ? 1u : 0u) << (i * kWidth + l);
#endif
  }
  return lanes;
}

[[maybe_unused]] inline unsigned less_equal(const Pack& a, const Pack& b) {
  unsigned lanes = 0;
  for (Size i = 0; i < kParts; ++i) {
#if defined(__AVX512F__)
    lanes |= _mm512_cmp_pd_mask(a.part[i], b.part[i], _CMP_LE_OQ);
#elif defined(__AVX2__)
    lanes |= static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a.part[i], b.part[i], _CMP_LE_OQ))) << (i * kWidth);
#elif defined(__SSE2__)
    lanes |= static_cast<unsigned>(_mm_movemask_pd(_mm_cmple_pd(a.part[i], b.part[i]))) << (i * kWidth);
#else
    for (Size l = 0; l < kWidth; ++l) lanes |= (a.part[i][l] <= b.part[i][l] ? 1u : 0u) << (i * kWidth + l);
#endif
  }
  return lanes;
}

// a where the bit of the lane is 1, b elsewhere.
[[maybe_unused]] inline Pack select(unsigned lanes, const Pack& a, const Pack& b) {
  Pack p;
  for (Size i = 0; i < kParts; ++i) {
#if defined(__AVX512F__)
    p.part[i] = _mm512_mask_blend_pd(static_cast<__mmask8>(lanes), b.part[i], a.part[i]);
#else
    typedef long long Integers __attribute__((vector_size(kWidth * sizeof(double))));
    Integers bit = {};
    for (Size l = 0; l < kWidth; ++l) bit[l] = 1ll << (i * kWidth + l);
    const Integers chosen = ((Integers{} + static_cast<long long>(lanes)) & bit) != 0;
    p.part[i] = (Wide)((chosen & (Integers)a.part[i]) | (~chosen & (Integers)b.part[i]));
#endif
  }
  return p;
}

// ((0+4) + (2+6)) + ((1+5) + (3+7)).
[[maybe_unused]] inline double lane_sum(const Pack& a) {
#if defined(__AVX512F__)
  const __m256d four = _mm512_castpd512_pd256(a.part[0]) + _mm512_extractf64x4_pd(a.part[0], 1);
#elif defined(__AVX2__)
  const __m256d four = a.part[0] + a.part[1];
#endif
#if defined(__AVX2__)
  const __m128d two = _mm256_castpd256_pd128(four) + _mm256_extractf128_pd(four, 1);
  return two[0] + two[1];
#else
  double lane[kLanes];
  store(a, lane);
  for (Size half = kLanes / 2; half > 0; half /= 2)
    for (Size i = 0; i < half; ++i) lane[i] += lane[i + half];
  return lane[0];
#endif
}

#if defined(__AVX2__) && !defined(__AVX512F__)
// All bits of the first `count` lanes of a register: none where that is not positive.
inline __m256i first_lanes(Size count) {
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_set_epi64x(3, 2, 1, 0));
}
#endif

// The `count` <= kLanes values at `from`, then zeros. Not by way of an array of kLanes: a wide load of what was just
// written one by one waits for all of it.
[[maybe_unused]] inline Pack load_some(const double* from, Size count) {
#if defined(__AVX512F__)
  return {{_mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << count) - 1u), from)}};
#else
  Pack p;
  for (Size i = 0; i < kParts; ++i) {
    const Size left = count - i * kWidth;
#if defined(__AVX2__)
    p.part[i] = _mm256_maskload_pd(from + i * kWidth, first_lanes(left));
#else
    p.part[i] = Wide{left > 0 ? from[i * kWidth] : 0.0, left > 1 ? from[i * kWidth + 1] : 0.0};
#endif
  }
  return p;
#endif
}

[[maybe_unused]] inline void store_some(const Pack& a, double* to, Size count) {
#if defined(__AVX512F__)
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1u << count) - 1u), a.part[0]);
#else
  for (Size i = 0; i < kParts; ++i) {
    const Size left = count - i * kWidth;
#if defined(__AVX2__)
    _mm256_maskstore_pd(to + i * kWidth, first_lanes(left), a.part[i]);
#else
    if (left > 0) to[i * kWidth] = a.part[i][0];
    if (left > 1) to[i * kWidth + 1] = a.part[i][1];
#endif
  }
#endif
}

}  // namespace
}  // namespace loa
