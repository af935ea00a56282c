// SR1+: the parts of BFGS+ (algorithm/bfgs_plus.cc) with SR1's y = r for the newest pair, wherever that update is
// positive definite by the test of Broyden's family (linalg/broyden.h), and y = d elsewhere. Older pairs, which are
// made conjugate anew in each iteration, enter by BFGS updates.
//
// The test is the one that holds for every <d, B^{-1} d>: B_{k-1} has another scale and other pairs than the B that
// made the step, so that this number is not known. SR1 is taken where <d,dg> > <dg, B_{k-1} dg>.
#include "algorithm/bfgs_plus.h"
#include "algorithm/named.h"
#include "model/classical_models.h"

namespace loa {

Algorithm sr1_plus(const HyperParameters& hyper_parameters) {
  Algorithm algorithm = bfgs_plus_with("sr1+", hyper_parameters, InitialMatrix::kScale);
  algorithm.model = std::make_shared<SafeResidualModel>();
  return algorithm;
}

}  // namespace loa
