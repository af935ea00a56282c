#include "problem/pinn.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "base/parallel.h"
#include "base/text.h"
#include "problem/data_source.h"
#include "problem/pinn_kernels.h"
#include "problem/spec.h"

namespace loa {
namespace {

struct Place {
  double x, y;
};

// `count` numbers in [0, 1), one in each of as many equal intervals, in random order.
std::vector<double> stratified(Index count, Random& random) {
  std::vector<double> numbers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = (static_cast<double>(i) + random.uniform()) / static_cast<double>(count);
  for (std::size_t i = numbers.size(); i > 1; --i) std::swap(numbers[i - 1], numbers[random.below(i)]);
  return numbers;
}

// A Latin hypercube sample of the domain, as Raissi et al. take it.
std::vector<Place> draw_inside(const PinnEquation& equation, Index count, Random& random) {
  const std::vector<double> x = stratified(count, random), y = stratified(count, random);
  std::vector<Place> places;
  for (std::size_t i = 0; i < x.size(); ++i)
    places.push_back({-1.0 + 2.0 * x[i], equation.y_low + (1.0 - equation.y_low) * y[i]});
  return places;
}

// A quarter on each side; of an evolution a quarter at each end and the other half at its beginning.
std::vector<Place> draw_boundary(const PinnEquation& equation, Index count, Random& random) {
  std::vector<Place> places;
  for (Index side = 0; side < 4; ++side) {
    for (const double part : stratified((count + side) / 4, random)) {
      const double along_x = -1.0 + 2.0 * part, along_y = equation.y_low + (1.0 - equation.y_low) * part;
      if (side < 2)
        places.push_back({side == 0 ? -1.0 : 1.0, along_y});
      else
        places.push_back({along_x, side == 2 || equation.is_evolution ? equation.y_low : 1.0});
    }
  }
  return places;
}

// Weights N(0, 2/(inputs + outputs)) and biases 0 (Glorot and Bengio, 2010).
Vector draw_weights(const PinnNetwork& network, Random random) {
  Vector x = Vector::Zero(network.num_weights());
  for (Index l = 0; l <= network.layers; ++l) {
    const Index in = network.num_inputs(l), out = network.num_outputs(l);
    const double scale = std::sqrt(2.0 / static_cast<double>(in + out));
    for (double& weight : x.segment(network.offset(l), in * out)) weight = scale * random.normal();
  }
  return x;
}

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const PinnEquation& equation : pinn_equations()) names.emplace_back(equation.name);
  return names;
}

}  // namespace

Index PinnNetwork::offset(Index layer) const {
  Index at = 0;
  for (Index l = 0; l < layer; ++l) at += num_outputs(l) * (num_inputs(l) + 1);
  return at;
}

PinnObjective::Piece::Piece(const PinnNetwork& network)
    : share(network.num_weights()),
      z(static_cast<std::size_t>(network.layers), Matrix(4 * kBlock, network.width)),
      a(z),
      bar(4 * kBlock, network.width),
      bar_of_inputs(4 * kBlock, network.width),
      output(4 * kBlock) {}

PinnObjective::PinnObjective(const PinnEquation& equation, const PinnNetwork& network, const PinnPoints& points,
                             double weight)
    : equation_(equation), network_(network) {
  Random random = make_stream(points.seed, Stream::kData);
  const std::vector<Place> inside = draw_inside(equation, points.inside, random);
  const std::vector<Place> boundary = draw_boundary(equation, points.boundary, random);
  add_blocks(4, points.inside, 1.0,
             [&](std::size_t i) { return std::pair(inside[i], equation.source(inside[i].x, inside[i].y)); });
  add_blocks(1, points.boundary, weight,
             [&](std::size_t i) { return std::pair(boundary[i], equation.boundary(boundary[i].x, boundary[i].y)); });
  const std::size_t count = std::min<std::size_t>(kMaxPieces, blocks_.size());
  pieces_.assign(count, Piece(network));
  for (std::size_t b = 0; b < blocks_.size(); ++b) pieces_[b % count].blocks.push_back(b);
}

// Points [0, count), of which draw(i) returns the place and the target. The last block is filled up with its last
// point.
template <class Draw>
void PinnObjective::add_blocks(Index channels, Index count, double weight, const Draw& draw) {
  for (Index first = 0; first < count; first += kBlock) {
    Block& block = blocks_.emplace_back();
    block.channels = channels;
    block.input = Matrix::Zero(channels * kBlock, 2);
    block.target.resize(kBlock);
    block.weight.resize(kBlock);
    for (Index k = 0; k < kBlock; ++k) {
      const auto [place, target] = draw(static_cast<std::size_t>(std::min(first + k, count - 1)));
      block.input(k, 0) = place.x;
      block.input(k, 1) = place.y;
      if (channels == 4) block.input(kBlock + k, 0) = block.input(2 * kBlock + k, 1) = 1.0;
      block.target[k] = target;
      block.weight[k] = first + k < count ? weight / static_cast<double>(count) : 0.0;
    }
  }
}

// Fills z, a and output of the piece.
void PinnObjective::forward(const Vector& x, const Block& block, Piece& piece) const {
  const PinnKernels& kernels = pinn_kernels();
  const double* in = block.input.data();
  for (Index l = 0; l <= network_.layers; ++l) {
    const bool is_last = l == network_.layers;
    const auto at = static_cast<std::size_t>(l);
    const Index inputs = network_.num_inputs(l), outputs = network_.num_outputs(l);
    const double* weights = x.data() + network_.offset(l);
    kernels.multiply({.rows = block.channels * kBlock,
                      .in = in,
                      .num_in = inputs,
                      .weights = weights,
                      .step_in = 1,
                      .step_out = inputs,
                      .bias = weights + inputs * outputs,
                      .num_biased = kBlock,
                      .out = is_last ? piece.output.data() : piece.z[at].data(),
                      .num_out = outputs});
    if (is_last) return;
    kernels.activate({.points = kBlock,
                      .channels = block.channels,
                      .num_units = outputs,
                      .kappa = equation_.kappa,
                      .z = piece.z[at].data(),
                      .a = piece.a[at].data(),
                      .bar = nullptr});
    in = piece.a[at].data();
  }
}

// Returns the block's part of f, and replaces the output by the derivatives of f by it.
double PinnObjective::add_loss(const Block& block, Vector& output) const {
  double total = 0.0;
  for (Index k = 0; k < kBlock; ++k) {
    if (block.channels == 1) {
      const double r = output[k] - block.target[k];
      total += block.weight[k] * r * r;
      output[k] = 2.0 * block.weight[k] * r;
      continue;
    }
    double *u = &output[k], *u_x = u + kBlock, *u_y = u + 2 * kBlock, *d_u = u + 3 * kBlock;
    const auto [r, slope] = equation_.residual({.u = *u, .x = *u_x, .y = *u_y, .d = *d_u}, block.target[k]);
    total += block.weight[k] * r * r;
    const double factor = 2.0 * block.weight[k] * r;
    *u = factor * slope.u;
    *u_x = factor * slope.x;
    *u_y = factor * slope.y;
    *d_u = factor * slope.d;
  }
  return total;
}

// Adds to the share of the piece what the derivatives in its output give. REQUIRES: forward() and add_loss().
void PinnObjective::backward(const Vector& x, const Block& block, Piece& piece) const {
  const PinnKernels& kernels = pinn_kernels();
  double* bar = piece.output.data();
  for (Index l = network_.layers; l >= 0; --l) {
    const Index inputs = network_.num_inputs(l), outputs = network_.num_outputs(l), rows = block.channels * kBlock;
    const double* in = l == 0 ? block.input.data() : piece.a[static_cast<std::size_t>(l - 1)].data();
    double* grad = piece.share.data() + network_.offset(l);
    PinnProduct product{.rows = rows,
                        .in = in,
                        .num_in = inputs,
                        .weights = x.data() + network_.offset(l),
                        .step_in = inputs,
                        .step_out = 1,
                        .bias = nullptr,
                        .num_biased = kBlock,
                        .out = bar,
                        .num_out = outputs};
    kernels.add_gradient(product, grad, grad + inputs * outputs);
    if (l == 0) return;
    product.in = bar;
    product.num_in = outputs;
    product.num_biased = 0;
    product.out = piece.bar_of_inputs.data();
    product.num_out = inputs;
    kernels.multiply(product);
    kernels.activate_back({.points = kBlock,
                           .channels = block.channels,
                           .num_units = inputs,
                           .kappa = equation_.kappa,
                           .z = piece.z[static_cast<std::size_t>(l - 1)].data(),
                           .a = piece.a[static_cast<std::size_t>(l - 1)].data(),
                           .bar = piece.bar_of_inputs.data()});
    piece.bar.swap(piece.bar_of_inputs);
    bar = piece.bar.data();
  }
}

double PinnObjective::evaluate(const Vector& x, Vector* grad) {
  parallel_for(static_cast<Index>(pieces_.size()), [&](Index i) {
    Piece& piece = pieces_[static_cast<std::size_t>(i)];
    piece.total = 0.0;
    if (grad != nullptr) piece.share.setZero();
    for (const std::size_t b : piece.blocks) {
      forward(x, blocks_[b], piece);
      piece.total += add_loss(blocks_[b], piece.output);
      if (grad != nullptr) backward(x, blocks_[b], piece);
    }
  });
  double total = 0.0;
  if (grad != nullptr) grad->setZero();
  for (const Piece& piece : pieces_) {
    total += piece.total;
    if (grad != nullptr) *grad += piece.share;
  }
  return total;
}

double PinnObjective::value_and_gradient(const Vector& x, Vector& grad) { return evaluate(x, &grad); }

double PinnObjective::value(const Vector& x) { return evaluate(x, nullptr); }

PinnJet PinnObjective::jet(const Vector& x, double at_x, double at_y) const {
  Piece piece(network_);
  Block block{.channels = 4, .input = Matrix::Zero(4 * kBlock, 2), .target = {}, .weight = {}};
  block.input.col(0).head(kBlock).setConstant(at_x);
  block.input.col(1).head(kBlock).setConstant(at_y);
  block.input.col(0).segment(kBlock, kBlock).setOnes();
  block.input.col(1).segment(2 * kBlock, kBlock).setOnes();
  forward(x, block, piece);
  return {
      .u = piece.output[0], .x = piece.output[kBlock], .y = piece.output[2 * kBlock], .d = piece.output[3 * kBlock]};
}

double PinnObjective::error(const Vector& x) const {
  const Matrix& solution = equation_.solution();
  Piece piece(network_);
  Block block{.channels = 1, .input = Matrix::Zero(kBlock, 2), .target = {}, .weight = {}};
  double above = 0.0;
  for (Index first = 0; first < solution.size(); first += kBlock) {
    const Index count = std::min(kBlock, solution.size() - first);
    for (Index k = 0; k < count; ++k) {
      block.input(k, 0) = pinn_grid_point(-1.0, (first + k) % kPinnGrid);
      block.input(k, 1) = pinn_grid_point(equation_.y_low, (first + k) / kPinnGrid);
    }
    forward(x, block, piece);
    for (Index k = 0; k < count; ++k) {
      const double difference = piece.output[k] - solution.data()[first + k];
      above += difference * difference;
    }
  }
  return std::sqrt(above) / solution.norm();
}

double pinn_error(const Objective& objective, const Vector& x) {
  const auto* network = dynamic_cast<const PinnObjective*>(&objective);
  if (network == nullptr) throw std::invalid_argument("pinn_error: expected the objective of a problem pinn:NAME");
  if (x.size() != network->dimension())
    throw std::invalid_argument("pinn_error: expected " + std::to_string(network->dimension()) + " weights, found " +
                                std::to_string(x.size()));
  return network->error(x);
}

void make_pinn(Spec& spec, Problem& problem) {
  const PinnEquation* equation = find_pinn_equation(spec.variant());
  if (equation == nullptr) {
    const std::vector<std::string> known = known_names();
    return spec.fail("found the variant " + quote(spec.variant()) + ", expected one of " + join(known) +
                     suggestion(spec.variant(), known));
  }
  // The bounds keep the buffers of all pieces below 150 MB, and the points below 100 MB.
  const PinnNetwork network{.layers = spec.integer("layers", 3, 1, 10), .width = spec.integer("width", 20, 1, 500)};
  const Index points = spec.integer("points", 1200, 24, 1'000'000);
  const double weight = spec.real("weight", equation->weight, 0.0, 1e12);
  const std::uint64_t seed = seed_of(spec);
  const Index boundary = points / 6;
  problem.objective = std::make_unique<PinnObjective>(
      *equation, network, PinnPoints{.inside = points - boundary, .boundary = boundary, .seed = seed}, weight);
  problem.start = draw_weights(network, make_stream(seed, Stream::kStart));
}

const std::vector<ProblemInfo>& pinn_problems() {
  static const std::vector<ProblemInfo> infos = [] {
    std::vector<ProblemInfo> list;
    for (const PinnEquation& equation : pinn_equations())
      list.push_back({std::string("pinn:") + equation.name,
                      std::string(equation.description) +
                          "; layers=3, width=20, points=1200, weight=" + real_text(equation.weight) + ", seed=0"});
    return list;
  }();
  return infos;
}

}  // namespace loa
