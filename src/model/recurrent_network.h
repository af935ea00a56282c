// The models of two earlier learned optimizers: one small recurrent network that every coordinate goes through by
// itself, with its own hidden state. z are the features of a coordinate, LSTM the layers of model/lstm.h, 20 units
// each.
//
//   l2l-gd     Andrychowicz et al. (2016), "Learning to learn by gradient descent by gradient descent"
//              z = (log|g|/p, sign g)   where |g| >= exp(-p), p = 10 (their Appendix A)
//              z = (-1, exp(p) g)       elsewhere
//              y = w . LSTM(LSTM(z)) + b
//
//   rnnprop    Lv, Jiang and Li (2017), "Learning Gradient Descent: Better Generalization and Longer Horizons"
//              z = (mhat/sqrt(vhat), g/sqrt(vhat))   the moments of Adam with their bias corrected
//              y = tanh(w . LSTM(LSTM(elu(W z + a))) + b)
//
// Differs from the papers: v = 0 gives z = 0 instead of an epsilon under the fraction (as in our Adam); the step is
// + gamma y in both, which changes the sign of learned weights only.
//
// The threshold exp(-p) has the unit of a gradient and log|g| is no homogeneous function: l2l-gd breaks Principles 4
// and 5 by design. The features of rnnprop have no unit, its step gamma y has that of gamma.
#pragma once

#include <array>
#include <cstdint>

#include "core/recurrent.h"
#include "loa/model.h"

namespace loa {

enum class RecurrentKind { kL2lGd, kRnnprop };

// Indices into Input::covectors: l2l-gd has the first, rnnprop all three.
enum RecurrentCovector : std::size_t { kRecurrentGrad = 0, kMoment1 = 1, kMoment2 = 2 };

class RecurrentNetwork final : public Model {
 public:
  // Columns of Input::hidden: h and c of the first layer, then of the second, 20 each.
  static constexpr Index kNumHidden = kNumRecurrentHidden;

  // Throws std::invalid_argument unless theta has the length of layout(kind) and is finite.
  RecurrentNetwork(RecurrentKind kind, Vector theta);

  // Allocates nothing when the prediction has its size already. REQUIRES: covectors (g), or (g, m, v) and the
  // bias_correction 1 - beta^t for rnnprop; hidden n x kNumHidden. Throws std::invalid_argument when they are missing.
  void predict(const Input& input, Prediction& prediction) const override;

  // As if nothing used the predicted hidden state, and without the derivatives by I_k, which has no vectors.
  void pullback(const Input& input, const Vector& d_y, std::vector<Vector>& d_vectors, Vector& d_theta) const override;

  // Buffers of the adjoint, to use again. Each has n rows.
  struct Workspace {
    struct Layer {
      Matrix u, h_prev, d_before;
    };
    Matrix features, d_input_layer, h;
    std::array<Layer, 2> layers;
    Vector d_output;
  };

  // The adjoint of predict: one step of backpropagation through time. d_prediction holds the derivatives of a loss by y
  // and by the predicted hidden state. Fills covectors and hidden of d_input with those by I_k and adds those by theta
  // to d_theta. The values of the layers are computed again instead of stored.
  void pullback(const Input& input, const Prediction& d_prediction, Workspace& workspace, Input& d_input,
                Vector& d_theta) const;

  RecurrentKind kind() const { return kind_; }
  const Vector& theta() const override { return theta_; }
  std::vector<ParameterBlock> blocks() const override { return layout(kind_); }

  // The blocks of theta, each stored row by row, one row for one output; the rows of a layer in the order i, f, g, o.
  static std::vector<ParameterBlock> layout(RecurrentKind kind);

  // Where training starts: every weight uniform in +-1/sqrt(20), biases 0 but for the forget gates, which begin with 1
  // (Jozefowicz, Zaremba and Sutskever 2015), and the last layer a tenth of that, so that the first steps are small.
  static Vector random_start(RecurrentKind kind, std::uint64_t seed);

 private:
  RecurrentKind kind_;
  Vector theta_;
};

}  // namespace loa
