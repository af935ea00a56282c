// What the figures of merit say about the neighbourhood of SR1.
#include <gtest/gtest.h>

#include "loa/quasi_newton_input.h"
#include "loa/train.h"
#include "model/pooled_network_weights.h"
#include "support/temporary_path.h"

namespace loa {
namespace {

// On a quadratic each earlier secant equation B dg_j = d_j survives an update with y = r. With y = r + c d they are
// lost, for either sign of c: the loss at k = 40 has a cusp at c = 0.
TEST(Evaluation, Sr1IsACusp) {
  std::vector<std::string> paths;
  for (const double c : {-0.003, 0.0, 0.003}) {
    Vector theta = PooledNetwork::sr1_like_start(0);
    theta[theta.size() - static_cast<Index>(kNumQuasiNewtonVectors) + static_cast<Index>(kD)] += c;
    Weights weights = pooled_network_weights(theta);
    weights.metadata[kPoleGuard] = "0.05";
    paths.push_back(temporary_path("cusp" + std::to_string(paths.size())));
    ASSERT_EQ(save_weights(weights, paths.back()).message(), "");
  }
  std::vector<EvaluationRow> rows;
  ASSERT_EQ(evaluate_weights(paths, {.problems = 100}, rows).message(), "");
  const std::size_t first = rows.size() - 3;
  EXPECT_GT(rows[first].final_loss, 1.02 * rows[first + 1].final_loss);
  EXPECT_GT(rows[first + 2].final_loss, 1.02 * rows[first + 1].final_loss);
}

// The two aims of preset best on fresh quadratics, on a set of its own.
TEST(Evaluation, TheShippedWeightsAreNowhereMuchWorseThanBfgs) {
  std::vector<EvaluationRow> rows;
  ASSERT_EQ(evaluate_weights({"loa-bfgs"}, {.problems = 200, .seed = 3000000}, rows).message(), "");
  const EvaluationRow &sr1 = rows[1], &conjugate_gradient = rows[2], &own = rows[3];
  EXPECT_EQ(own.much_worse, 0);
  EXPECT_EQ(own.not_finite, 0);
  EXPECT_LT(own.mean_loss, sr1.mean_loss);
  EXPECT_LT(own.mean_loss, conjugate_gradient.mean_loss);
  EXPECT_LT(own.final_loss, 1.02 * conjugate_gradient.final_loss);
}

}  // namespace
}  // namespace loa
