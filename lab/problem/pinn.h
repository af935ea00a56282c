// Physics-informed networks (Raissi, Perdikaris and Karniadakis, J. Comput. Phys. 378, 2019): the weights of a network
// u(x, y) are chosen such that an equation holds at N points inside a domain, and what is prescribed at M points of its
// boundary.
//
//   f(weights) = 1/N sum_i r(u, u_x, u_y, D u)(p_i)^2 + weight/M sum_i (u(q_i) - g(q_i))^2,   D = d_xx + kappa d_yy
//
// The network has `layers` hidden layers of `width` units with tanh, two inputs and one output. A layer is a_out =
// tanh(W a + b); with z = W a + b and s' and s'' the derivatives of tanh at z, its derivatives by the inputs follow by
//
//   a_x = s' z_x,   a_y = s' z_y,   Da = s' Dz + s'' (z_x^2 + kappa z_y^2)
//
// (Taylor mode, with D as one quantity), and the gradient of f by a backward pass through these lines.
#pragma once

#include <cstdint>
#include <vector>

#include "loa/objective.h"
#include "problem/pinn_equation.h"

namespace loa {

struct PinnNetwork {
  Index layers = 3;
  Index width = 20;

  Index num_inputs(Index layer) const { return layer == 0 ? 2 : width; }
  Index num_outputs(Index layer) const { return layer == layers ? 1 : width; }
  // Where a layer's weights begin among all: W, with the weights of one unit beside each other, then b.
  Index offset(Index layer) const;
  Index num_weights() const { return offset(layers + 1); }
};

struct PinnPoints {
  Index inside = 1000;
  Index boundary = 200;
  std::uint64_t seed = 0;
};

// f with its gradient. Points go through the network in blocks, and blocks belong to pieces whose number does not
// depend on the threads: each piece has its own sum, and these are added up in order. No call allocates after the
// first.
class PinnObjective final : public Objective {
 public:
  // REQUIRES: points.inside and points.boundary are positive.
  PinnObjective(const PinnEquation& equation, const PinnNetwork& network, const PinnPoints& points, double weight);

  Index dimension() const override { return network_.num_weights(); }
  double value_and_gradient(const Vector& x, Vector& grad) override;
  double value(const Vector& x) override;

  const PinnEquation& equation() const { return equation_; }
  const PinnNetwork& network() const { return network_; }

  // u, u_x, u_y and D u of the network with the weights x at a point.
  PinnJet jet(const Vector& x, double at_x, double at_y) const;

  // ||u - u*|| / ||u*|| over the grid of the solution.
  double error(const Vector& x) const;

 private:
  static constexpr Index kBlock = 32;  // points; their rows of a layer of 20 units are 20 kB
  // A piece keeps a gradient of its own, which is added up by one thread: few enough to be cheap, as many as cores of
  // an ordinary machine.
  static constexpr Index kMaxPieces = 16;

  struct Block {
    Index channels;  // 4 inside, 1 on the boundary
    Matrix input;    // channels * kBlock x 2
    Vector target;   // the source inside, u on the boundary
    Vector weight;   // of the squared residual; 0 for points that only fill the block
  };

  struct Piece {
    explicit Piece(const PinnNetwork& network);
    std::vector<std::size_t> blocks;
    double total = 0.0;
    Vector share;               // of the gradient
    std::vector<Matrix> z, a;   // of each hidden layer
    Matrix bar, bar_of_inputs;  // of the layer at hand, and of the one before it
    Vector output;              // u and its derivatives, then what the loss has as derivative by them
  };

  template <class Draw>
  void add_blocks(Index channels, Index count, double weight, const Draw& draw);
  double evaluate(const Vector& x, Vector* grad);
  void forward(const Vector& x, const Block& block, Piece& piece) const;
  void backward(const Vector& x, const Block& block, Piece& piece) const;
  double add_loss(const Block& block, Vector& output) const;

  const PinnEquation& equation_;
  PinnNetwork network_;
  std::vector<Block> blocks_;
  std::vector<Piece> pieces_;
};

// The relative error of the network with the weights x: ||u - u*|| / ||u*|| over a grid of 101 x 101 points, u* being
// the exact solution (helmholtz, poisson), Cole and Hopf's formula (burgers) or differences of fourth order
// (allen-cahn). REQUIRES: the objective is that of a problem pinn:NAME, and x has its length; throws
// std::invalid_argument otherwise.
double pinn_error(const Objective& objective, const Vector& x);

}  // namespace loa
