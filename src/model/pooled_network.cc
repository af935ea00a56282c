// The two passes of predict() are kernels (pooled_network_kernels.h). In the passes of pullback() coordinates are taken
// kWidth at a time too: a layer then is a few loops over short arrays of fixed length, which compilers turn into vector
// instructions.
//
// Two products do not depend on the coordinate and are taken out of the loops: A2 is linear, so it is applied once to
// the sum of the hidden values; and the averages enter O0 and L through sums that are the same for all coordinates.
#include "model/pooled_network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "linalg/pass.h"
#include "loa/quasi_newton_input.h"
#include "loa/random.h"
#include "model/pooled_network_kernels.h"

namespace loa {
namespace {

using namespace pooled_network;

static_assert(kFeatures == kNumQuasiNewtonVectors);
static_assert(kLinear + kJoined == PooledNetwork::kNumParameters);

// Eight doubles are one AVX-512 register, two AVX ones, four SSE ones.
constexpr std::size_t kWidth = 8;
using Eight = std::array<double, kWidth>;
template <std::size_t Count, typename Value = double>
using Values = std::array<Value, Count>;
template <std::size_t Count>
using EightValues = std::array<Eight, Count>;

// Lets NaN through, so that a bad feature cannot hide.
void relu(Eight& lanes) {
  for (double& value : lanes) value = 0.0 > value ? 0.0 : value;
}

// sum += weight * values.
void add_scaled(double weight, const Eight& values, Eight& sum) {
  for (std::size_t l = 0; l < kWidth; ++l) sum[l] += weight * values[l];
}

// relu(W in) for kWidth coordinates at once; W is Out x In, row by row.
template <std::size_t Out, std::size_t In>
EightValues<Out> hidden_layer(const double* W, const EightValues<In>& in) {
  EightValues<Out> out{};
  for (std::size_t row = 0; row < Out; ++row) {
    for (std::size_t col = 0; col < In; ++col) add_scaled(W[row * In + col], in[col], out[row]);
    relu(out[row]);
  }
  return out;
}

// The three features of the coordinates first, first + 1, ...: at most kWidth of them, then zeros.
EightValues<kFeatures> load(const Input& input, Index first, Index count) {
  EightValues<kFeatures> z{};
  for (std::size_t feature = 0; feature < kFeatures; ++feature) {
    std::copy_n(input.vectors[feature].data() + first, count, z[feature].begin());
  }
  return z;
}

double lane_sum(const Eight& lanes) {
  double sum = 0.0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

// The three columns of features.
Values<kFeatures, const double*> columns(const Input& input) {
  return {input.vectors[0].data(), input.vectors[1].data(), input.vectors[2].data()};
}

// sum_i relu(A1 relu(A0 z_i)) over the coordinates of this slice.
Values<kAverageHidden1> hidden_sums(const double* theta, const Input& input, Index n) {
  const auto z = columns(input);
  return summing_pass<kAverageHidden1>(n, [&](const Block& block, Values<kAverageHidden1>& sums) {
    pooled_network_kernels().add_hidden(theta, z.data(), block.first, block.last(), sums.data());
  });
}

// a, the averages over all coordinates of all slices.
Values<kFeatures> average(const double* theta, const Input& input, Index n, const Values<kAverageHidden1>& sums) {
  Values<kFeatures + 1> totals{};  // A2 times the sums, and the number of coordinates
  for (std::size_t col = 0; col < kAverageHidden1; ++col) {
    for (std::size_t row = 0; row < kFeatures; ++row)
      totals[row] += theta[kA2 + row * kAverageHidden1 + col] * sums[col];
  }
  totals[kFeatures] = static_cast<double>(n);
  input.reduction->sum(totals);

  Values<kFeatures> a{};
  const double count = totals[kFeatures];
  for (std::size_t i = 0; i < kFeatures && count > 0.0; ++i) a[i] = totals[i] / count;
  return a;
}

// W (a, 0): what the averages contribute to each of the outputs of a layer that takes (a, z).
template <std::size_t Out>
Values<Out> constant_part(const double* W, const Values<kFeatures>& a) {
  Values<Out> out{};
  for (std::size_t row = 0; row < Out; ++row) {
    for (std::size_t col = 0; col < kFeatures; ++col) out[row] += W[row * kJoined + col] * a[col];
  }
  return out;
}

// W (a, z) for one row W of such a layer.
Eight joined_row(const double* W, double constant, const EightValues<kFeatures>& z) {
  Eight out;
  out.fill(constant);
  for (std::size_t col = 0; col < kFeatures; ++col) add_scaled(W[kFeatures + col], z[col], out);
  return out;
}

}  // namespace

PooledNetwork::PooledNetwork(Vector theta) : theta_(std::move(theta)) {
  if (theta_.size() != kNumParameters) {
    throw std::invalid_argument("PooledNetwork: expected " + std::to_string(kNumParameters) + " weights, got " +
                                std::to_string(theta_.size()));
  }
  if (!theta_.allFinite()) throw std::invalid_argument("PooledNetwork: expected finite weights, got NaN or infinity");
}

void PooledNetwork::predict(const Input& input, Prediction& prediction) const {
  if (input.vectors.size() < kFeatures || input.vectors[1].size() != input.vectors[0].size() ||
      input.vectors[2].size() != input.vectors[0].size()) {
    throw std::invalid_argument("PooledNetwork::predict: expected three vectors of equal length in the input");
  }
  const double* theta = theta_.data();
  const Index n = input.vectors[0].size();
  prediction.y.resize(n);

  const Values<kFeatures> a = average(theta, input, n, hidden_sums(theta, input, n));
  const auto hidden_constants = constant_part<kOutputHidden>(theta + kO0, a);
  Values<kOutputHidden + 1> constants;
  std::copy(hidden_constants.begin(), hidden_constants.end(), constants.begin());
  constants[kOutputHidden] = constant_part<1>(theta + kLinear, a)[0];
  const auto z = columns(input);
  pass(n, [&](const Block& block) {
    pooled_network_kernels().output(theta, constants.data(), z.data(), block.first, block.last(), prediction.y.data());
  });
}

namespace {

// sums += a * b, lane by lane: the derivative by a weight is a sum over coordinates, kept in lanes until the end.
void add_product(const Eight& a, const Eight& b, Eight& sums) {
  for (std::size_t l = 0; l < kWidth; ++l) sums[l] += a[l] * b[l];
}

// The derivative before relu from the one after it; `after` is relu's value.
void relu_pullback(const Eight& after, Eight& d) {
  for (std::size_t l = 0; l < kWidth; ++l) d[l] = after[l] > 0.0 ? d[l] : 0.0;
}

// The adjoint of out = relu(W in): from d_out, adds to d_W and sets the derivative by `in`.
template <std::size_t Out, std::size_t In>
EightValues<In> hidden_layer_pullback(const double* W, const EightValues<In>& in, const EightValues<Out>& out,
                                      EightValues<Out>& d_out, EightValues<Out * In>& d_W) {
  EightValues<In> d_in{};
  for (std::size_t row = 0; row < Out; ++row) {
    relu_pullback(out[row], d_out[row]);
    for (std::size_t col = 0; col < In; ++col) {
      add_product(d_out[row], in[col], d_W[row * In + col]);
      add_scaled(W[row * In + col], d_out[row], d_in[col]);
    }
  }
  return d_in;
}

// Adds the derivatives of kWidth coordinates to d_vectors.
void store(const EightValues<kFeatures>& d_z, Index first, Index count, std::vector<Vector>& d_vectors) {
  for (std::size_t feature = 0; feature < kFeatures; ++feature) {
    double* target = d_vectors[feature].data() + first;
    for (Index l = 0; l < count; ++l) target[l] += d_z[feature][static_cast<std::size_t>(l)];
  }
}

// Lane sums of derivatives by the weights of one block, added to its place in d_theta.
template <std::size_t Count>
void store(const EightValues<Count>& d_W, std::size_t offset, Vector& d_theta) {
  for (std::size_t i = 0; i < Count; ++i) d_theta[static_cast<Index>(offset + i)] += lane_sum(d_W[i]);
}

// The derivatives by a layer that takes (a, z): by its weights on z in lanes, and by its constant part W (a, 0).
template <std::size_t Out>
struct JoinedAdjoint {
  EightValues<Out * kFeatures> weights{};
  EightValues<Out> constants{};

  // The adjoint of joined_row for one row: d is the derivative by its value.
  void add_row(const double* W, std::size_t row, const Eight& d, const EightValues<kFeatures>& z,
               EightValues<kFeatures>& d_z) {
    add_scaled(1.0, d, constants[row]);
    for (std::size_t col = 0; col < kFeatures; ++col) {
      add_product(d, z[col], weights[row * kFeatures + col]);
      add_scaled(W[kFeatures + col], d, d_z[col]);
    }
  }

  // Adds to the block of d_theta and to d_a.
  void store(const double* W, std::size_t offset, const Values<kFeatures>& a, Vector& d_theta,
             Values<kFeatures>& d_a) const {
    for (std::size_t row = 0; row < Out; ++row) {
      const double d_constant = lane_sum(constants[row]);
      for (std::size_t col = 0; col < kFeatures; ++col) {
        d_theta[static_cast<Index>(offset + row * kJoined + col)] += a[col] * d_constant;
        d_theta[static_cast<Index>(offset + row * kJoined + kFeatures + col)] +=
            lane_sum(weights[row * kFeatures + col]);
        d_a[col] += W[row * kJoined + col] * d_constant;
      }
    }
  }
};

// From d_y through the output block and the linear layer: adds to d_vectors and d_theta, returns the derivative by a.
Values<kFeatures> output_pullback(const double* theta, const Input& input, const Values<kFeatures>& a,
                                  const Vector& d_y, std::vector<Vector>& d_vectors, Vector& d_theta) {
  const auto hidden_constants = constant_part<kOutputHidden>(theta + kO0, a);
  JoinedAdjoint<kOutputHidden> d_O0;
  JoinedAdjoint<1> d_linear;
  EightValues<kOutputHidden> d_O1{};
  const Index n = d_y.size();
  for (Index first = 0; first < n; first += Index{kWidth}) {
    const Index count = std::min(n - first, Index{kWidth});
    const auto z = load(input, first, count);
    EightValues<kFeatures> d_z{};
    Eight d{};
    std::copy_n(d_y.data() + first, count, d.begin());
    for (std::size_t row = 0; row < kOutputHidden; ++row) {
      const double* W = theta + kO0 + row * kJoined;
      Eight hidden = joined_row(W, hidden_constants[row], z);
      relu(hidden);
      add_product(d, hidden, d_O1[row]);
      Eight d_hidden{};
      add_scaled(theta[kO1 + row], d, d_hidden);
      relu_pullback(hidden, d_hidden);
      d_O0.add_row(W, row, d_hidden, z, d_z);
    }
    d_linear.add_row(theta + kLinear, 0, d, z, d_z);
    store(d_z, first, count, d_vectors);
  }
  Values<kFeatures> d_a{};
  d_O0.store(theta + kO0, kO0, a, d_theta, d_a);
  d_linear.store(theta + kLinear, kLinear, a, d_theta, d_a);
  store(d_O1, kO1, d_theta);
  return d_a;
}

// From the derivative by a through the averaging block.
void average_pullback(const double* theta, const Input& input, const Values<kAverageHidden1>& sums,
                      const Values<kFeatures>& d_a, std::vector<Vector>& d_vectors, Vector& d_theta) {
  const Index n = input.vectors[0].size();
  // a = A2 sums / n.
  Values<kAverageHidden1> d_sums{};
  for (std::size_t row = 0; row < kFeatures; ++row) {
    const double d = d_a[row] / static_cast<double>(n);
    for (std::size_t col = 0; col < kAverageHidden1; ++col) {
      d_theta[static_cast<Index>(kA2 + row * kAverageHidden1 + col)] += d * sums[col];
      d_sums[col] += theta[kA2 + row * kAverageHidden1 + col] * d;
    }
  }
  EightValues<kAverageHidden0 * kFeatures> d_A0{};
  EightValues<kAverageHidden1 * kAverageHidden0> d_A1{};
  for (Index first = 0; first < n; first += Index{kWidth}) {
    const Index count = std::min(n - first, Index{kWidth});
    const auto z = load(input, first, count);
    const auto hidden = hidden_layer<kAverageHidden0>(theta + kA0, z);
    const auto deeper = hidden_layer<kAverageHidden1>(theta + kA1, hidden);
    EightValues<kAverageHidden1> d_deeper;
    for (std::size_t i = 0; i < kAverageHidden1; ++i) d_deeper[i].fill(d_sums[i]);
    auto d_hidden = hidden_layer_pullback(theta + kA1, hidden, deeper, d_deeper, d_A1);
    const auto d_z = hidden_layer_pullback(theta + kA0, z, hidden, d_hidden, d_A0);
    store(d_z, first, count, d_vectors);
  }
  store(d_A0, kA0, d_theta);
  store(d_A1, kA1, d_theta);
}

}  // namespace

void PooledNetwork::pullback(const Input& input, const Vector& d_y, std::vector<Vector>& d_vectors,
                             Vector& d_theta) const {
  const double* theta = theta_.data();
  const Index n = input.vectors[0].size();
  const Values<kAverageHidden1> sums = hidden_sums(theta, input, n);
  const Values<kFeatures> a = average(theta, input, n, sums);
  const Values<kFeatures> d_a = output_pullback(theta, input, a, d_y, d_vectors, d_theta);
  average_pullback(theta, input, sums, d_a, d_vectors, d_theta);
}

std::vector<ParameterBlock> PooledNetwork::layout() {
  return {{"average.0", kAverageHidden0, kFeatures, kA0},
          {"average.1", kAverageHidden1, kAverageHidden0, kA1},
          {"average.2", kFeatures, kAverageHidden1, kA2},
          {"output.0", kOutputHidden, kJoined, kO0},
          {"output.1", 1, kOutputHidden, kO1},
          {"linear", 1, kJoined, kLinear}};
}

Vector PooledNetwork::bfgs_like_start(std::uint64_t seed) {
  Vector theta = random_start(seed);
  theta.segment<kOutputHidden>(kO1).setZero();
  theta.segment<kJoined>(kLinear).setZero();
  theta[kLinear + kFeatures + kD] = 1.0;
  return theta;
}

Vector PooledNetwork::sr1_like_start(std::uint64_t seed) {
  Vector theta = bfgs_like_start(seed);
  theta[kLinear + kFeatures + kBDeltaG] = -1.0;
  return theta;
}

Vector PooledNetwork::random_start(std::uint64_t seed) {
  Random random(seed);
  Vector theta(kNumParameters);
  for (const ParameterBlock& block : layout()) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(block.cols));
    for (double& weight : theta.segment(block.offset, block.rows * block.cols)) weight = random.uniform(-bound, bound);
  }
  return theta;
}

}  // namespace loa
