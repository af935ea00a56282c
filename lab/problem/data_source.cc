#include "problem/data_source.h"

#include <limits>
#include <string>

#include "base/text.h"

namespace loa {

Random make_stream(std::uint64_t seed, Stream stream, std::uint64_t index) {
  // One draw scatters neighbouring seeds over all 64 bits; streams and indices then differ in bits of their own.
  const std::uint64_t scattered = Random(seed).bits();
  return Random(Random(scattered ^ index).bits() ^ static_cast<std::uint64_t>(stream));
}

std::uint64_t seed_of(Spec& spec) {
  return static_cast<std::uint64_t>(spec.integer("seed", 0, 0, std::numeric_limits<Index>::max()));
}

Vector random_start(Index n, std::uint64_t seed, std::uint64_t index) {
  Random random = make_stream(seed, Stream::kStart, index);
  const double u = random.uniform();
  Vector x(n);
  for (double& entry : x) entry = u * random.normal();
  return x;
}

std::shared_ptr<Dataset> read_source(Spec& spec) {
  auto data = std::make_shared<Dataset>();
  if (const Error wrong = read_dataset(spec.text_value("data", ""), *data)) {
    spec.fail(wrong.message());
    return nullptr;
  }
  DataMatrix& features = data->features;
  features.cols = spec.integer("n", features.cols, features.cols, features.is_sparse() ? kMaxColumns : features.cols);
  return data;
}

double regularization(Spec& spec, Index m, double otherwise) {
  if (spec.text_value("l2", "") == "1/m") return 1.0 / static_cast<double>(m);
  const double largest = std::numeric_limits<double>::max();
  if (double ignored; spec.has("l2") && parse_real(spec.text_value("l2", ""), ignored) != ParsedReal::kOk) {
    spec.fail("found l2=" + quote(spec.text_value("l2", "")) + ", expected a number from 0 or 1/m");
    return otherwise;
  }
  return spec.real("l2", otherwise, 0.0, largest);
}

bool fits_in_memory(Spec& spec, Index m, Index n) {
  constexpr Index kMaxEntries = Index{1} << 28;
  if (m <= kMaxEntries / n) return true;
  spec.fail("found " + std::to_string(m) + " rows of " + std::to_string(n) + " numbers, expected at most " +
            std::to_string(kMaxEntries) + " numbers");
  return false;
}

}  // namespace loa
