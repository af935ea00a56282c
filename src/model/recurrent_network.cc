#include "model/recurrent_network.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "loa/random.h"
#include "model/lstm.h"

namespace loa {
namespace {

constexpr std::size_t kGradFeatures = 2;
using Features = std::array<Lanes, kGradFeatures>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The pieces of theta. `T` is const double or double.
template <typename T>
struct Pieces {
  T *input_layer = nullptr, *input_bias = nullptr;  // W and a of rnnprop
  struct Layer {
    T *input, *hidden, *bias;
    std::size_t num_inputs;
  } layers[2];
  T *output, *output_bias;
};

template <typename T>
Pieces<T> pieces(RecurrentKind kind, T* theta) {
  Pieces<T> p;
  const auto take = [&theta](std::size_t count) { return std::exchange(theta, theta + count); };
  std::size_t num_inputs = kGradFeatures;
  if (kind == RecurrentKind::kRnnprop) {
    p.input_layer = take(kLstmUnits * kGradFeatures);
    p.input_bias = take(kLstmUnits);
    num_inputs = kLstmUnits;
  }
  for (auto& layer : p.layers) {
    layer.num_inputs = num_inputs;
    layer.input = take(kLstmGates * num_inputs);
    layer.hidden = take(kLstmGates * kLstmUnits);
    layer.bias = take(kLstmGates);
    num_inputs = kLstmUnits;
  }
  p.output = take(kLstmUnits);
  p.output_bias = take(1);
  return p;
}

LstmWeights weights(const Pieces<const double>::Layer& layer) {
  return {.input = layer.input, .hidden = layer.hidden, .bias = layer.bias, .num_inputs = layer.num_inputs};
}

// Lanes from and to rows [first, first + count) of a column; lanes without a coordinate are 0.
Lanes load(const double* column, Index first, Index count) {
  Lanes lanes = Lanes::Zero();
  std::copy_n(column + first, count, lanes.data());
  return lanes;
}

void store(const Lanes& lanes, Index first, Index count, double* column) {
  std::copy_n(lanes.data(), count, column + first);
}

template <std::size_t Count>
void store(const std::array<Lanes, Count>& lanes, Index first, Index count, Matrix& columns) {
  for (Index col = 0; col < columns.cols(); ++col)
    store(lanes[static_cast<std::size_t>(col)], first, count, columns.col(col).data());
}

// --- features --------------------------------------------------------------------------------------------------------

constexpr double kP = 10.0;
const double kSmallest = std::exp(-kP);

Features gradient_features(const Lanes& g) {
  const Eigen::Array<bool, kLanes, 1> large = g.abs() >= kSmallest;
  return {large.select((large.select(g.abs(), 1.0)).log() / kP, -1.0), large.select(g.sign(), g / kSmallest)};
}

void gradient_features_pullback(const Lanes& g, const Features& d_z, Lanes& d_g) {
  const Eigen::Array<bool, kLanes, 1> large = g.abs() >= kSmallest;
  d_g = large.select(d_z[0] / (kP * large.select(g, 1.0)), d_z[1] / kSmallest);
}

// With c = 1 - beta^t: mhat = m/c, vhat = v/c.
struct Moments {
  Lanes g, m, v;
  double c;

  Lanes root() const { return (v == 0.0).select(1.0, v.sqrt()); }
  Features features() const {
    return {(v == 0.0).select(0.0, m / root() / std::sqrt(c)), (v == 0.0).select(0.0, g / root() * std::sqrt(c))};
  }
  void pullback(const Features& d_z, Moments& d) const {
    const Features z = features();
    d.g = (v == 0.0).select(0.0, d_z[1] * std::sqrt(c) / root());
    d.m = (v == 0.0).select(0.0, d_z[0] / std::sqrt(c) / root());
    d.v = (v == 0.0).select(0.0, -0.5 * (d_z[0] * z[0] + d_z[1] * z[1]) / root().square());
  }
};

Moments load_moments(const Input& input, Index first, Index count) {
  return {.g = load(input.covectors[kRecurrentGrad].data(), first, count),
          .m = load(input.covectors[kMoment1].data(), first, count),
          .v = load(input.covectors[kMoment2].data(), first, count),
          .c = input.bias_correction};
}

// --- the network on kLanes coordinates -------------------------------------------------------------------------------

struct PassValues {
  Features z;
  LaneUnits elu;  // of rnnprop
  LstmValues layers[2];
  Lanes y;
};

Lanes elu(const Lanes& t) { return (t <= 0.0).select(t.min(0.0).exp() - 1.0, t); }

void load_hidden(const Matrix& hidden, Index first, Index count, LaneUnits& h, LaneUnits& c, Index layer) {
  constexpr auto kUnits = Index{kLstmUnits};
  for (Index unit = 0; unit < kUnits; ++unit) {
    h[static_cast<std::size_t>(unit)] = load(hidden.col(2 * layer * kUnits + unit).data(), first, count);
    c[static_cast<std::size_t>(unit)] = load(hidden.col((2 * layer + 1) * kUnits + unit).data(), first, count);
  }
}

void store_hidden(const LaneUnits& h, const LaneUnits& c, Index first, Index count, Index layer, Matrix& hidden) {
  constexpr auto kUnits = Index{kLstmUnits};
  for (Index unit = 0; unit < kUnits; ++unit) {
    store(h[static_cast<std::size_t>(unit)], first, count, hidden.col(2 * layer * kUnits + unit).data());
    store(c[static_cast<std::size_t>(unit)], first, count, hidden.col((2 * layer + 1) * kUnits + unit).data());
  }
}

// From I_k to y for the coordinates [first, first + count).
void forward(RecurrentKind kind, const Pieces<const double>& p, const Input& input, Index first, Index count,
             PassValues& v) {
  if (kind == RecurrentKind::kRnnprop) {
    v.z = load_moments(input, first, count).features();
    for (std::size_t row = 0; row < kLstmUnits; ++row) {
      const double* W = p.input_layer + row * kGradFeatures;
      v.elu[row] = elu(p.input_bias[row] + W[0] * v.z[0] + W[1] * v.z[1]);
    }
    v.layers[0].u = v.elu;
  } else {
    v.z = gradient_features(load(input.covectors[kRecurrentGrad].data(), first, count));
    std::copy(v.z.begin(), v.z.end(), v.layers[0].u.begin());
  }
  for (Index layer = 0; layer < 2; ++layer) {
    LstmValues& values = v.layers[layer];
    if (layer == 1) values.u = v.layers[0].h;
    load_hidden(input.hidden, first, count, values.h_prev, values.c_prev, layer);
    lstm_forward(weights(p.layers[layer]), values);
  }
  v.y = Lanes::Constant(*p.output_bias);
  for (std::size_t unit = 0; unit < kLstmUnits; ++unit) v.y += p.output[unit] * v.layers[1].h[unit];
  if (kind == RecurrentKind::kRnnprop) v.y = lane_tanh(v.y);
}

void require(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(std::string("RecurrentNetwork::predict: expected ") + what);
}

void check(RecurrentKind kind, const Input& input) {
  const std::size_t num_covectors = kind == RecurrentKind::kRnnprop ? 3 : 1;
  require(input.covectors.size() >= num_covectors, "the gradient, and for rnnprop the two moments");
  const Index n = input.covectors[0].size();
  for (std::size_t i = 1; i < num_covectors; ++i)
    require(input.covectors[i].size() == n, "moments as long as the gradient");
  // A slice without coordinates has a hidden state without numbers, which a file does not keep.
  require(input.hidden.rows() == n && (n == 0 || input.hidden.cols() == RecurrentNetwork::kNumHidden),
          "a hidden state of n x 80 numbers");
}

}  // namespace

RecurrentNetwork::RecurrentNetwork(RecurrentKind kind, Vector theta) : kind_(kind), theta_(std::move(theta)) {
  const ParameterBlock last = layout(kind).back();
  const Index expected = last.offset + last.rows * last.cols;
  if (theta_.size() != expected) {
    throw std::invalid_argument("RecurrentNetwork: expected " + std::to_string(expected) + " weights, got " +
                                std::to_string(theta_.size()));
  }
  if (!theta_.allFinite())
    throw std::invalid_argument("RecurrentNetwork: expected finite weights, got NaN or infinity");
}

void RecurrentNetwork::predict(const Input& input, Prediction& prediction) const {
  check(kind_, input);
  const Pieces<const double> p = pieces(kind_, theta_.data());
  const Index n = input.dimension();
  prediction.y.resize(n);
  prediction.hidden.resize(n, kNumHidden);
  PassValues v;
  for (Index first = 0; first < n; first += kLanes) {
    const Index count = std::min(n - first, kLanes);
    forward(kind_, p, input, first, count, v);
    store(v.y, first, count, prediction.y.data());
    for (Index layer = 0; layer < 2; ++layer)
      store_hidden(v.layers[layer].h, v.layers[layer].c, first, count, layer, prediction.hidden);
  }
}

namespace {

// From the derivative by the output of the ELU layer, `d`, to those by z; d becomes that by its argument.
void input_layer_pullback(const Pieces<const double>& p, const LaneUnits& values, LaneUnits& d, Features& d_z) {
  d_z[0].setZero();
  d_z[1].setZero();
  for (std::size_t row = 0; row < kLstmUnits; ++row) {
    // elu'(t) = exp(t) = elu(t) + 1 for t <= 0.
    d[row] *= (values[row] <= 0.0).select(values[row] + 1.0, 1.0);
    for (std::size_t col = 0; col < kGradFeatures; ++col) d_z[col] += p.input_layer[row * kGradFeatures + col] * d[row];
  }
}

void features_pullback(RecurrentKind kind, const Input& input, Index first, Index count, const Features& d_z,
                       Input& d_input) {
  if (kind == RecurrentKind::kL2lGd) {
    Lanes d_g;
    gradient_features_pullback(load(input.covectors[kRecurrentGrad].data(), first, count), d_z, d_g);
    store(d_g, first, count, d_input.covectors[kRecurrentGrad].data());
    return;
  }
  Moments d;
  load_moments(input, first, count).pullback(d_z, d);
  store(d.g, first, count, d_input.covectors[kRecurrentGrad].data());
  store(d.m, first, count, d_input.covectors[kMoment1].data());
  store(d.v, first, count, d_input.covectors[kMoment2].data());
}

// Adds outputs^T inputs, the derivative by a matrix that maps inputs to outputs in each coordinate.
void add_product(const Matrix& outputs, const Matrix& inputs, double* d_weights) {
  Eigen::Map<RowMajor>(d_weights, outputs.cols(), inputs.cols()).noalias() += outputs.transpose() * inputs;
}

void add_sums(const Matrix& outputs, double* d_bias) {
  Eigen::Map<Vector>(d_bias, outputs.cols()) += outputs.colwise().sum().transpose();
}

void resize(RecurrentKind kind, Index n, RecurrentNetwork::Workspace& w, Input& d_input) {
  constexpr auto kUnits = Index{kLstmUnits};
  w.features.resize(n, Index{kGradFeatures});
  w.d_input_layer.resize(n, kUnits);
  w.h.resize(n, kUnits);
  w.d_output.resize(n);
  for (std::size_t layer = 0; layer < 2; ++layer) {
    w.layers[layer].u.resize(n, kind == RecurrentKind::kL2lGd && layer == 0 ? Index{kGradFeatures} : kUnits);
    w.layers[layer].h_prev.resize(n, kUnits);
    w.layers[layer].d_before.resize(n, Index{kLstmGates});
  }
  d_input.covectors.resize(kind == RecurrentKind::kRnnprop ? 3 : 1);
  for (Vector& d : d_input.covectors) d.resize(n);
  d_input.hidden.resize(n, RecurrentNetwork::kNumHidden);
}

}  // namespace

void RecurrentNetwork::pullback(const Input& input, const Prediction& d_prediction, Workspace& w, Input& d_input,
                                Vector& d_theta) const {
  const Pieces<const double> p = pieces(kind_, theta_.data());
  const Index n = input.dimension();
  resize(kind_, n, w, d_input);
  PassValues v;
  LstmAdjoint d[2];
  for (Index first = 0; first < n; first += kLanes) {
    const Index count = std::min(n - first, kLanes);
    forward(kind_, p, input, first, count, v);
    Lanes d_y = load(d_prediction.y.data(), first, count);
    if (kind_ == RecurrentKind::kRnnprop) d_y *= 1.0 - v.y.square();
    store(d_y, first, count, w.d_output.data());
    store(v.layers[1].h, first, count, w.h);

    for (Index layer = 1; layer >= 0; --layer) {
      load_hidden(d_prediction.hidden, first, count, d[layer].h, d[layer].c, layer);
      for (std::size_t unit = 0; unit < kLstmUnits; ++unit)
        d[layer].h[unit] += layer == 1 ? Lanes(p.output[unit] * d_y) : d[1].u[unit];
      lstm_pullback(weights(p.layers[layer]), v.layers[layer], d[layer]);
      store_hidden(d[layer].h_prev, d[layer].c_prev, first, count, layer, d_input.hidden);
      Workspace::Layer& buffers = w.layers[static_cast<std::size_t>(layer)];
      store(v.layers[layer].u, first, count, buffers.u);
      store(v.layers[layer].h_prev, first, count, buffers.h_prev);
      store(d[layer].before, first, count, buffers.d_before);
    }

    Features d_z = {d[0].u[0], d[0].u[1]};
    if (kind_ == RecurrentKind::kRnnprop) {
      input_layer_pullback(p, v.elu, d[0].u, d_z);
      store(d[0].u, first, count, w.d_input_layer);
      store(v.z, first, count, w.features);
    }
    features_pullback(kind_, input, first, count, d_z, d_input);
  }

  // The derivatives by theta are sums over the coordinates.
  const Pieces<double> d_p = pieces(kind_, d_theta.data());
  Eigen::Map<Vector>(d_p.output, Index{kLstmUnits}).noalias() += w.h.transpose() * w.d_output;
  *d_p.output_bias += w.d_output.sum();
  for (std::size_t layer = 0; layer < 2; ++layer) {
    add_product(w.layers[layer].d_before, w.layers[layer].u, d_p.layers[layer].input);
    add_product(w.layers[layer].d_before, w.layers[layer].h_prev, d_p.layers[layer].hidden);
    add_sums(w.layers[layer].d_before, d_p.layers[layer].bias);
  }
  if (kind_ != RecurrentKind::kRnnprop) return;
  add_product(w.d_input_layer, w.features, d_p.input_layer);
  add_sums(w.d_input_layer, d_p.input_bias);
}

void RecurrentNetwork::pullback(const Input& input, const Vector& d_y, std::vector<Vector>&, Vector& d_theta) const {
  Workspace workspace;
  Input d_input;
  pullback(input, {.y = d_y, .hidden = Matrix::Zero(d_y.size(), kNumHidden)}, workspace, d_input, d_theta);
}

std::vector<ParameterBlock> RecurrentNetwork::layout(RecurrentKind kind) {
  constexpr auto kUnits = Index{kLstmUnits}, kGates = Index{kLstmGates};
  std::vector<ParameterBlock> blocks;
  const auto add = [&blocks](const std::string& name, Index rows, Index cols) {
    const Index offset = blocks.empty() ? 0 : blocks.back().offset + blocks.back().rows * blocks.back().cols;
    blocks.push_back({name, rows, cols, offset});
  };
  const bool has_input_layer = kind == RecurrentKind::kRnnprop;
  if (has_input_layer) {
    add("input", kUnits, Index{kGradFeatures});
    add("input.bias", kUnits, 1);
  }
  for (const std::string layer : {"lstm.0", "lstm.1"}) {
    add(layer + ".input", kGates, layer == "lstm.0" && !has_input_layer ? Index{kGradFeatures} : kUnits);
    add(layer + ".hidden", kGates, kUnits);
    add(layer + ".bias", kGates, 1);
  }
  add("output", 1, kUnits);
  add("output.bias", 1, 1);
  return blocks;
}

Vector RecurrentNetwork::random_start(RecurrentKind kind, std::uint64_t seed) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(kLstmUnits));
  constexpr double kLastLayer = 0.1;
  Random random(seed);
  const ParameterBlock last = layout(kind).back();
  Vector theta = Vector::Zero(last.offset + last.rows * last.cols);
  for (const ParameterBlock& block : layout(kind)) {
    if (block.name.ends_with("bias")) continue;
    for (double& weight : theta.segment(block.offset, block.rows * block.cols))
      weight = random.uniform(-bound, bound) * (block.name == "output" ? kLastLayer : 1.0);
  }
  const Pieces<double> p = pieces(kind, theta.data());
  for (const auto& layer : p.layers) std::fill_n(layer.bias + kLstmUnits, kLstmUnits, 1.0);
  return theta;
}

}  // namespace loa
