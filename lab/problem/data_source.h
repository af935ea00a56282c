// What the problems on data have in common: where the data come from, the weight of the regularization, and the start.
#pragma once

#include <cstdint>
#include <memory>

#include "loa/random.h"
#include "problem/dataset.h"
#include "problem/spec.h"

namespace loa {

// Streams of one seed that are independent of each other: the random numbers of stream k do not change when another
// stream draws more.
enum class Stream : std::uint64_t { kData = 0, kStart = 1 };
Random make_stream(std::uint64_t seed, Stream stream, std::uint64_t index = 0);

// The key `seed`, default 0.
std::uint64_t seed_of(Spec& spec);

// The paper's start x_{-1} = u z, u ~ U(0, 1), z ~ N(0, I) in R^n, of the stream kStart.
Vector random_start(Index n, std::uint64_t seed, std::uint64_t index = 0);

// Reads the file of the key `data`; the key `n` may give sparse features more columns than the file has. Returns
// nullptr when the file cannot be read, the mistake being in the spec. REQUIRES: spec.has("data").
std::shared_ptr<Dataset> read_source(Spec& spec);

// The key `l2`: a number >= 0, or 1/m.
double regularization(Spec& spec, Index m, double otherwise);

// Whether m x n made-up numbers are few enough to hold (2 GiB); complains to the spec when not.
bool fits_in_memory(Spec& spec, Index m, Index n);

}  // namespace loa
