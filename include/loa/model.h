// M_theta, the model of Algorithm 1: I_k -> y_k.
//
// Layer: model. A model sees I_k and nothing else, which is what makes the principles provable.
#pragma once

#include <string>
#include <vector>

#include "loa/export.h"
#include "loa/input.h"

LOA_EXPORT_BEGIN
namespace loa {

// A named piece of theta: a rows x cols matrix stored row by row from `offset`.
struct ParameterBlock {
  std::string name;
  Index rows = 0;
  Index cols = 0;
  Index offset = 0;
};

// A map from I_k to y_k, learned or not. Const and without state: what a recurrent model remembers comes in the input.
class Model {
 public:
  virtual ~Model() = default;

  // Called once an iteration. REQUIRES: input has the columns that the model was made for.
  virtual void predict(const Input& input, Prediction& prediction) const = 0;

  // The adjoint of predict, for training. Given d_y, the derivative of a loss by y_k, adds the loss's derivatives by
  // the vectors of I_k to d_vectors and by theta to d_theta. REQUIRES: the sizes fit; the input is the one predicted
  // from. The default is that of a y that depends on nothing.
  virtual void pullback(const Input& input, const Vector& d_y, std::vector<Vector>& d_vectors, Vector& d_theta) const;

  // theta as one flat vector, and its blocks. Empty for a model that is not learned.
  virtual const Vector& theta() const;
  virtual std::vector<ParameterBlock> blocks() const;
};

}  // namespace loa
LOA_EXPORT_END
