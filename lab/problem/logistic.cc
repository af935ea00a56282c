#include "problem/logistic.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.h"
#include "problem/data_source.h"
#include "problem/spec.h"

namespace loa {
namespace {

double loss(double z) { return std::max(-z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

// l2/2 ||x||^2; without it, an x whose square overflows still has a finite f.
double penalty(double l2, const Vector& x) { return l2 > 0.0 ? 0.5 * l2 * x.squaredNorm() : 0.0; }

struct LossAndSlope {
  double loss, slope;  // log(1 + exp(-z)) and its derivative -s(z)
};

LossAndSlope loss_and_slope(double z) {
  const double e = std::exp(-std::abs(z));
  return {std::max(-z, 0.0) + std::log1p(e), (z >= 0.0 ? -e : -1.0) / (1.0 + e)};
}

double curvature(double z) {
  const double e = std::exp(-std::abs(z));
  return e / ((1.0 + e) * (1.0 + e));
}

// The paper's two clouds: M points about mu_1 ~ N(-1, I), labelled -1, then M about mu_2 ~ N(1, I), labelled +1, in R^n
// with a one appended. Differs from the paper: it says "a row of ones"; the shape 2M x (n+1) that it gives needs a
// column.
std::shared_ptr<Dataset> two_clouds(Index points, Index n, std::uint64_t seed) {
  auto data = std::make_shared<Dataset>();
  data->source = "synthetic";
  data->features.rows = 2 * points;
  data->features.cols = n + 1;
  data->features.values.reserve(static_cast<std::size_t>(2 * points * (n + 1)));
  data->targets.resize(2 * points);
  data->targets << Vector::Constant(points, -1.0), Vector::Constant(points, 1.0);

  Random random = make_stream(seed, Stream::kData);
  Vector mean(n);
  for (const double centre : {-1.0, 1.0}) {
    for (double& entry : mean) entry = centre + random.normal();
    for (Index i = 0; i < points; ++i) {
      for (const double entry : mean) data->features.values.push_back(entry + random.normal());
      data->features.values.push_back(1.0);
    }
  }
  return data;
}

std::shared_ptr<Dataset> logistic_data(Spec& spec, std::uint64_t seed) {
  if (!spec.has("data")) {
    spec.text_value("data", "");
    const Index points = spec.integer("m", 100, 1, 100'000'000);
    const Index n = spec.integer("n", 50, 1, 100'000'000);
    return fits_in_memory(spec, 2 * points, n + 1) ? two_clouds(points, n, seed) : nullptr;
  }
  std::shared_ptr<Dataset> data = read_source(spec);
  if (data == nullptr) return nullptr;
  const Error wrong = map_labels(*data);
  if (wrong) spec.fail(wrong.message());
  return wrong ? nullptr : data;
}

}  // namespace

LogisticObjective::LogisticObjective(std::shared_ptr<const Dataset> data, LogisticWeights weights)
    : data_(std::move(data)), weights_(weights), pass_(data_->features) {}

double LogisticObjective::value_and_gradient(const Vector& x, Vector& grad) {
  grad = weights_.l2 * x;
  const auto terms = [this](Index first, auto products) {
    double total = 0.0;
    for (Index i = 0; i < products.size(); ++i) {
      const double b = data_->targets[first + i];
      const auto [loss_i, slope_i] = loss_and_slope(b * products[i]);
      total += loss_i;
      products[i] = weights_.loss * b * slope_i;
    }
    return total;
  };
  return weights_.loss * pass_.run(x, terms, grad) + penalty(weights_.l2, x);
}

double LogisticObjective::value(const Vector& x) {
  const auto terms = [this](Index first, auto products) {
    double total = 0.0;
    for (Index i = 0; i < products.size(); ++i) total += loss(data_->targets[first + i] * products[i]);
    return total;
  };
  return weights_.loss * pass_.run(x, terms) + penalty(weights_.l2, x);
}

// w s_i (1 - s_i) for each row, into curvature_.
void LogisticObjective::find_curvature(const Vector& x) {
  curvature_.resize(data_->features.rows);
  const auto terms = [this](Index first, auto products) {
    for (Index i = 0; i < products.size(); ++i) curvature_[first + i] = weights_.loss * curvature(products[i]);
    return 0.0;
  };
  pass_.run(x, terms);
}

bool LogisticObjective::hessian_vector(const Vector& x, const Vector& v, Vector& out) {
  find_curvature(x);
  out = weights_.l2 * v;
  const auto terms = [this](Index first, auto products) {
    products.array() *= curvature_.segment(first, products.size()).array();
    return 0.0;
  };
  pass_.run(v, terms, out);
  return true;
}

bool LogisticObjective::hessian(const Vector& x, Matrix& hessian) {
  find_curvature(x);
  data_->features.weighted_gram(curvature_, hessian);
  hessian.diagonal().array() += weights_.l2;
  return true;
}

Error map_labels(Dataset& data) {
  struct Convention {
    double negative, positive;
    bool possible;
  };
  Convention conventions[] = {{-1.0, 1.0, true}, {0.0, 1.0, true}, {2.0, 1.0, true}};
  for (Index i = 0; i < data.targets.size(); ++i) {
    bool any = false;
    for (Convention& c : conventions) {
      c.possible = c.possible && (data.targets[i] == c.negative || data.targets[i] == c.positive);
      any = any || c.possible;
    }
    if (any) continue;
    const std::string where =
        data.lines.empty() ? "row " + std::to_string(i + 1) : std::to_string(data.lines[static_cast<std::size_t>(i)]);
    return data.source + ":" + where + ": found the label " + real_text(data.targets[i]) +
           ", expected only -1 and 1, only 0 and 1, or only 1 and 2 in the file";
  }
  const auto chosen =
      std::find_if(std::begin(conventions), std::end(conventions), [](const auto& c) { return c.possible; });
  for (double& target : data.targets) target = target == chosen->positive ? 1.0 : -1.0;
  return {};
}

void make_logistic(Spec& spec, Problem& problem) {
  const std::uint64_t seed = seed_of(spec);
  const bool is_mean = spec.choice("reduction", {"mean", "sum"}, "mean") == "mean";
  const std::shared_ptr<const Dataset> data = logistic_data(spec, seed);
  if (data == nullptr) return;
  const DataMatrix& a = data->features;
  const LogisticWeights weights{.loss = is_mean ? 1.0 / static_cast<double>(a.rows) : 1.0,
                                .l2 = regularization(spec, a.rows, 1e-3)};
  // s (1 - s) <= 1/4. Differs from the published program, whose first step takes the cruder 1/2 ||A||_F^2 + 1/m.
  if (weights.l2 > 0.0) problem.strong_convexity = weights.l2;
  problem.lipschitz = 0.25 * weights.loss * largest_gram_eigenvalue_bound(a) + weights.l2;
  problem.start = random_start(a.cols, seed);
  problem.objective = std::make_unique<LogisticObjective>(data, weights);
}

}  // namespace loa
