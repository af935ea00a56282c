// Training on problems of one's own: fifty fits of a decay, each with other data. Prints what was gained on members
// that training has not seen, and solves a new one.
#include <loa/lab.h>

#include <cmath>
#include <cstdio>
#include <vector>

// Fit a exp(-b t) + c to 30 noisy points.
loa::OwnFunction decay(std::uint64_t seed) {
  loa::Random random(seed);
  const double a = random.uniform(1.0, 3.0), b = random.uniform(0.5, 3.0), c = random.uniform(-1.0, 1.0);
  loa::Vector t(30), y(30);
  for (loa::Index i = 0; i < 30; ++i) {
    t(i) = 0.1 * static_cast<double>(i);
    y(i) = a * std::exp(-b * t(i)) + c + 0.05 * random.normal();
  }
  const auto f = [t, y](const loa::Vector& x, loa::Vector& grad) {
    const loa::Vector e = (-x(1) * t.array()).exp();
    const loa::Vector r = (x(0) * e - y).array() + x(2);
    grad << r.dot(e), -x(0) * r.dot(t.cwiseProduct(e)), r.sum();
    return 0.5 * r.squaredNorm();
  };
  return {f, loa::Vector::Ones(3)};
}

int main() {
  std::vector<loa::OwnFunction> members;
  for (std::uint64_t seed = 0; seed < 50; ++seed) members.push_back(decay(seed));

  loa::TrainingOptions options = loa::training_preset("own");
  options.problems = loa::own_problems(members);
  loa::TrainingResult result;
  if (const loa::Error error = loa::train(options, "", false, {}, result)) {
    std::printf("%s\n", error.message().c_str());
    return 1;
  }
  std::printf("%s\n", loa::text_of(result.own).c_str());

  const loa::OwnFunction fresh = decay(1000);
  loa::FunctionObjective f(fresh.start.size(), fresh.f);
  const loa::Summary summary = loa::minimize(f, fresh.start, loa::make_algorithm("loa", {}, result.weights), {});
  std::printf("a new one: %s, %lld evaluations\n", summary.message.c_str(),
              static_cast<long long>(summary.evaluations.value));
  return summary.success() ? 0 : 1;
}
