// Does a model of one's own obey the principles? The same check as `loa check`, for anybody's algorithm.
#include <loa/lab.h>

#include <cstdio>

// y = d + t |d|, coordinate by coordinate: a nonlinear model, homogeneous as ReLU is.
class AbsoluteValueModel final : public loa::Model {
 public:
  explicit AbsoluteValueModel(double t) : t_(t) {}
  void predict(const loa::Input& input, loa::Prediction& prediction) const override {
    const loa::Vector& d = input.vectors[1];  // of (B dg, d, -gamma B g)
    prediction.y = d + t_ * d.cwiseAbs();
  }

 private:
  double t_;
};

// The same with a constant that has the unit of x: |d| becomes sqrt(d^2 + 1), smooth and no longer homogeneous.
class SmoothModel final : public loa::Model {
 public:
  void predict(const loa::Input& input, loa::Prediction& prediction) const override {
    const loa::Vector& d = input.vectors[1];
    prediction.y = d.array() + 0.1 * (d.array().square() + 1.0).sqrt();
  }
};

// An algorithm is given as a function of Gamma, because the checker tunes it.
loa::CheckedAlgorithm with_model(const char* name, std::shared_ptr<const loa::Model> model, loa::Claims claims) {
  return {.name = name,
          .make =
              [name, model](const loa::HyperParameters& gamma) {
                loa::Algorithm algorithm = loa::make_algorithm("bfgs", gamma);
                algorithm.name = name;
                algorithm.model = model;
                return algorithm;
              },
          .claims = claims};
}

int main() {
  using enum loa::Verdict;
  const std::vector<loa::CheckedAlgorithm> algorithms = {
      with_model("absolute", std::make_shared<AbsoluteValueModel>(0.1), {.orthogonal = kFails}),
      with_model("smooth", std::make_shared<SmoothModel>(), {.orthogonal = kFails, .geometric_scaling = kFails})};

  loa::PrincipleOptions options;
  options.dimensions = {1, 2, 10, 100};
  // The built-in problems are a start; one's own can be added, made anew for each thread.
  options.problems.push_back({.name = "springs",
                              .make =
                                  [] {
                                    return std::make_unique<loa::FunctionObjective>(
                                        5, [](const loa::Vector& x, loa::Vector& grad) {
                                          grad = x.array().sinh();
                                          return (x.array().cosh() - 1).sum();
                                        });
                                  },
                              .start = loa::Vector::LinSpaced(5, 0.5, 2.5)});

  bool as_claimed = true;
  for (const loa::PrincipleRow& row : loa::check_principles(algorithms, options)) {
    std::printf("%-8s", row.algorithm.c_str());
    for (const loa::Principle principle : loa::kPrinciples)
      std::printf("  %s %s", loa::name(principle).data(), loa::name(row.at(principle).verdict).data());
    std::printf("\n");
    as_claimed = as_claimed && row.as_claimed();
  }
  return as_claimed ? 0 : 1;
}
