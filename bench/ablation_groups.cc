#include "ablation_groups.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "linalg/conjugated_inverse_hessian.h"
#include "linalg/refreshed_inverse_hessian.h"
#include "line_search/weak_wolfe.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "storage/storages.h"

namespace loa_bench {
namespace {

// --- the dense structure ---------------------------------------------------------------------------------------------

// Hides from a matrix what self-scaling needs; pairs see it.
class WithoutSelfScaling final : public loa::InverseHessian {
 public:
  WithoutSelfScaling(loa::Index n, const loa::RefreshedOptions& options) : B_(n, options) {}

  void reset(double scale) override { B_.reset(scale); }
  std::span<double> products(const loa::GradientChange& change) override { return B_.products(change); }
  void combine(const loa::GradientChange& change, double ratio, const loa::Reduction& reduction, loa::Vector& B_grad,
               loa::Vector& B_delta_g, loa::SecantProducts& found) override {
    loa::GradientChange other = change;
    if (B_.is_matrix()) other.last_curvature = std::numeric_limits<double>::quiet_NaN();
    B_.combine(other, ratio, reduction, B_grad, B_delta_g, found);
  }
  void update(const loa::SecantPair& pair, const loa::Reduction& reduction) override { B_.update(pair, reduction); }
  std::unique_ptr<loa::InverseHessian> clone() const override { return std::make_unique<WithoutSelfScaling>(*this); }

 private:
  loa::RefreshedInverseHessian B_;
};

// What bfgs+, bfgs+d and sr1+ are made of.
struct Structure {
  loa::Algorithm algorithm;  // model, update, and first trials
  loa::SecantOptions secant = {.equation = loa::SecantEquation::kFunctionValues, .last_curvature = true};
  loa::RefreshedOptions matrix = {};
  bool self_scaling = true;
  loa::WolfeConstants wolfe = {.c2 = 0.97};
  loa::WeakWolfeOptions search = {};
};
using Change = std::function<void(Structure&)>;

template <typename Kind, typename Options>
loa::MakeInverseHessian maker(const Options& options) {
  return {.make = [options](loa::Index n) { return std::make_unique<Kind>(n, options); }, .is_matrix = true};
}

loa::Algorithm make(const std::string& base, const Change& change) {
  Structure structure{.algorithm = loa::make_algorithm(base)};
  structure.matrix.diagonal = base == "bfgs+d";
  loa::Algorithm& algorithm = structure.algorithm;
  algorithm.line_search = nullptr;
  change(structure);
  algorithm.oracle = loa::quasi_newton_oracle({}, structure.secant);
  algorithm.storage =
      loa::quasi_newton_storage({}, structure.self_scaling ? maker<loa::RefreshedInverseHessian>(structure.matrix)
                                                           : maker<WithoutSelfScaling>(structure.matrix));
  if (algorithm.line_search == nullptr)
    algorithm.line_search = std::make_shared<loa::WeakWolfe>(structure.wolfe, structure.search);
  return algorithm;
}

// A list of variants of a method.
class Variants {
 public:
  explicit Variants(std::string base) : base_(std::move(base)), list_{{base_, loa::make_algorithm(base_)}} {}

  void add(const std::string& name, const Change& change) { list_.push_back({name, make(base_, change)}); }

  // One variant for each value of a constant other than its own.
  template <typename Value>
  void add(const std::string& name, const std::vector<Value>& values, Value& (*constant)(Structure&)) {
    Structure own{.algorithm = list_.front().algorithm};
    for (const Value& value : values)
      if (value != constant(own))
        add(fmt::format("{} {:g} in place of {:g}", name, static_cast<double>(value),
                        static_cast<double>(constant(own))),
            [&](Structure& structure) { constant(structure) = value; });
  }

  std::vector<Variant> take() { return std::move(list_); }

 private:
  std::string base_;
  std::vector<Variant> list_;
};

void forget_scale(Structure& structure) {
  structure.matrix.scale_memory.gain_up = structure.matrix.scale_memory.gain_down = 0.0;
}

void never_list(Structure& structure) {  // the list becomes a matrix at its second pair
  structure.matrix.num_pairs = 1;
  structure.matrix.variables_per_pair = std::numeric_limits<loa::Index>::max();
}

// --- parts of bfgs, sr1 and their + ----------------------------------------------------------------------------------

struct Parts {
  bool values = false;
  bool weak_wolfe = false;
  bool refreshed = false;
  bool triples = false;  // 100 triples (dg, d, y) on a scale that is refreshed: every pair enters with its own y
};

std::shared_ptr<const loa::Storage> make_storage(const Parts& parts) {
  if (parts.triples)
    return loa::quasi_newton_storage({}, loa::limited_memory({.memory = 100}, loa::PairsKept::kTriple));
  if (!parts.refreshed) return loa::quasi_newton_storage({});
  return loa::quasi_newton_storage({}, maker<loa::RefreshedInverseHessian>(loa::RefreshedOptions{.depth = 0}));
}

// bfgs with another model and parts of bfgs+. The oracle tells B no last_curvature, unless it uses values of f: without
// them the scale remembers nothing, and a matrix is not self-scaled.
loa::Algorithm make(std::shared_ptr<const loa::Model> model, const Parts& parts) {
  loa::Algorithm algorithm = loa::make_algorithm("bfgs");
  algorithm.model = std::move(model);
  algorithm.oracle =
      loa::quasi_newton_oracle({}, loa::SecantOptions{.equation = parts.values ? loa::SecantEquation::kFunctionValues
                                                                               : loa::SecantEquation::kGradients});
  algorithm.storage = make_storage(parts);
  if (parts.weak_wolfe) algorithm.line_search = loa::make_line_search("weak-wolfe", {.c2 = 0.97});
  return algorithm;
}

const std::pair<const char*, Change> kWithout[] = {
    {"without values of f", [](Structure& s) { s.secant.equation = loa::SecantEquation::kGradients; }},
    {"with more-thuente", [](Structure& s) { s.algorithm.line_search = loa::make_line_search("more-thuente"); }},
    {"without a list of pairs", never_list},
    {"without conjugated pairs", [](Structure& s) { s.matrix.depth = 0; }}};

std::vector<Variant> parts() {
  std::vector<Variant> list;
  const auto bfgs = std::make_shared<loa::SecantStepModel>();
  const auto sr1 = std::make_shared<loa::ResidualModel>();
  const auto tested_sr1 = std::make_shared<loa::SafeResidualModel>();  // where it is positive definite for every c
  const std::pair<const char*, Parts> single[] = {{"values of f", {.values = true}},
                                                  {"weak-wolfe", {.weak_wolfe = true}},
                                                  {"refreshed scale", {.refreshed = true}}};
  list.push_back({"bfgs", loa::make_algorithm("bfgs")});
  for (const auto& [name, one] : single) list.push_back({std::string("bfgs, ") + name, make(bfgs, one)});
  list.push_back({"sr1", make(sr1, Parts{})});
  for (const auto& [name, one] : single) list.push_back({std::string("sr1, ") + name, make(sr1, one)});
  list.push_back({"sr1, test of phi", make(tested_sr1, Parts{})});
  for (const std::string base : {"bfgs+", "sr1+"}) {
    list.push_back({base, loa::make_algorithm(base)});
    for (const auto& [name, change] : kWithout) list.push_back({base + " " + name, make(base, change)});
  }
  list.push_back({"sr1+ without test of phi", make("sr1+", [&](Structure& s) { s.algorithm.model = sr1; })});
  list.push_back({"sr1+ y = r in all pairs", make(tested_sr1, {.values = true, .weak_wolfe = true, .triples = true})});
  return list;
}

// --- parts of bfgs+ and bfgs+d ---------------------------------------------------------------------------------------

std::vector<Variant> parts_of(const std::string& base) {
  using loa::SelfScalingRule;
  Variants list(base);
  if (base == "bfgs+d") list.add("without the diagonal: bfgs+", [](Structure& s) { s.matrix.diagonal = false; });
  list.add("without the memory of the scale", forget_scale);
  list.add("matrix not self-scaled", [](Structure& s) { s.self_scaling = false; });
  list.add("matrix self-scaled as in ss-bfgs", [](Structure& s) { s.matrix.rule = SelfScalingRule::kBfgs; });
  list.add("matrix self-scaled as in ss-broyden", [](Structure& s) { s.matrix.rule = SelfScalingRule::kBroyden; });
  list.add("without a matrix", [](Structure& s) { s.matrix.variables_per_pair = 0; });
  list.add("without short first trials",
           [](Structure& s) { s.algorithm.largest_promise = std::numeric_limits<double>::infinity(); });
  list.add("short first trials from the start", [](Structure& s) { s.algorithm.promise_from = 1; });
  list.add("neither self-scaling nor short first trials", [](Structure& s) {
    s.self_scaling = false;
    s.algorithm.largest_promise = std::numeric_limits<double>::infinity();
  });
  list.add("without the test for plateaus", [](Structure& s) { s.search.plateau.smallest_decrease = 0.0; });
  list.add("c2 the same after a rejected trial", [](Structure& s) { s.search.c2_after_rejection = s.wolfe.c2; });
  list.add("without the second search", [](Structure& s) { s.search.has_second = false; });
  for (const auto& [name, change] : kWithout) list.add(name, change);
  return list.take();
}

// --- constants of bfgs+ and bfgs+d -----------------------------------------------------------------------------------

// Takes (s/|dg|^2)^(1-e) (|d|^2/s)^e for the scale |d|/|dg|, which is e = 1/2: the quotient is cos(d, dg)^(1-2e). The
// oracle inside reads the factor from the state, where the loop puts that of a controller.
class ScaleExponent final : public loa::Oracle {
 public:
  ScaleExponent(std::shared_ptr<const loa::Oracle> inner, double exponent)
      : inner_(std::move(inner)), exponent_(exponent) {}

  void observe(loa::Objective& f, loa::State& state, loa::Input& input) const override {
    const double cosine = loa::cosine(state.x - state.x_prev, state.grad - state.grad_prev, *state.reduction);
    state.next_scale = cosine > 0.0 ? std::pow(cosine, 1.0 - 2.0 * exponent_) : 1.0;
    inner_->observe(f, state, input);
  }

 private:
  std::shared_ptr<const loa::Oracle> inner_;
  double exponent_;
};

std::vector<Variant> pair_constants(const std::string& base) {
  Variants list(base);
  list.add<loa::Index>("pairs before the matrix", {20, 50, 100, 200},
                       [](Structure& s) -> loa::Index& { return s.matrix.num_pairs; });
  list.add<double>("damping of the conjugation", {3.0, 10.0, 30.0, 100.0},
                   [](Structure& s) -> double& { return s.matrix.damping; });
  list.add<loa::Index>("depth of the conjugation", {0, 1}, [](Structure& s) -> loa::Index& { return s.matrix.depth; });
  list.add<double>("tau within a factor of", {2.0, 3.0, 5.0, 1000.0},
                   [](Structure& s) -> double& { return s.secant.largest_ratio; });
  list.add<double>("c2 of", {0.9, 0.95, 0.97, 0.99}, [](Structure& s) -> double& { return s.wolfe.c2; });
  std::vector<Variant> result = list.take();
  for (const double exponent : {0.0, 0.25, 0.75, 1.0}) {
    result.push_back({fmt::format("exponent of the scale {:g} in place of 0.5", exponent), loa::make_algorithm(base)});
    loa::Algorithm& algorithm = result.back().algorithm;
    algorithm.oracle = std::make_shared<ScaleExponent>(algorithm.oracle, exponent);
  }
  return result;
}

std::vector<Variant> memory_constants(const std::string& base) {
  Variants list(base);
  list.add("without the memory of the scale", forget_scale);
  list.add<double>("decay of the memory", {0.7, 0.8, 0.9, 0.95},
                   [](Structure& s) -> double& { return s.matrix.scale_memory.decay; });
  const loa::ScaleMemoryOptions own;
  using Gains = std::pair<double, double>;  // up and down
  for (const Gains& gains :
       {Gains{0.1, 0.1}, {0.2, 0.2}, {0.3, 0.3}, {0.4, 0.4}, {0.1, 0.3}, {0.3, 0.1}, {0.2, 0.0}, {0.0, 0.2}})
    if (gains != Gains{own.gain_up, own.gain_down})
      list.add(fmt::format("gains of the memory {:g} up, {:g} down in place of {:g} and {:g}", gains.first,
                           gains.second, own.gain_up, own.gain_down),
               [&](Structure& s) {
                 s.matrix.scale_memory.gain_up = gains.first;
                 s.matrix.scale_memory.gain_down = gains.second;
               });
  list.add<double>("largest logarithm of the memory", {1.0, 2.0, 3.0, 6.0},
                   [](Structure& s) -> double& { return s.matrix.scale_memory.largest; });
  return list.take();
}

std::vector<Variant> diagonal_constants(const std::string& base) {
  Variants list(base);
  list.add<double>("floor of the diagonal", {1e-2, 1e-3, 1e-4, 1e-6},
                   [](Structure& s) -> double& { return s.matrix.adaptive.floor; });
  list.add<double>("slope of the diagonal", {1.0, 2.0, 4.0, 8.0},
                   [](Structure& s) -> double& { return s.matrix.adaptive.slope; });
  list.add<loa::Index>("pairs from judge to judge", {1, 2, 4},
                       [](Structure& s) -> loa::Index& { return s.matrix.adaptive.every; });
  list.add<double>("exponent of the trial", {0.125, 0.25, 0.5},
                   [](Structure& s) -> double& { return s.matrix.adaptive.trial; });
  list.add<double>("memory of the judgement", {0.5, 0.75, 0.9},
                   [](Structure& s) -> double& { return s.matrix.adaptive.memory; });
  list.add<double>("largest judgement", {1.0, 5.0, 20.0},
                   [](Structure& s) -> double& { return s.matrix.adaptive.largest; });
  list.add<double>("decay of the squares", {0.8, 0.9, 0.95},
                   [](Structure& s) -> double& { return s.matrix.adaptive.decay; });
  return list.take();
}

std::vector<Variant> trial_constants(const std::string& base) {
  Variants list(base);
  const loa::Algorithm own = loa::make_algorithm(base);
  for (const double promise : {1.01, 1.5, 2.0, 4.0})
    if (promise != own.largest_promise)
      list.add(fmt::format("first trials promise {:g} in place of {:g}", promise, own.largest_promise),
               [&](Structure& s) { s.algorithm.largest_promise = promise; });
  for (const std::int64_t from : {1, 20, 50, 100, 200})
    if (from != own.promise_from)
      list.add(fmt::format("short first trials from iteration {} in place of {}", from, own.promise_from),
               [&](Structure& s) { s.algorithm.promise_from = from; });
  return list.take();
}

std::vector<Variant> matrix_constants(const std::string& base) {
  Variants list(base);
  list.add<loa::Index>("pairs that are kept", {20, 50, 100, 200},
                       [](Structure& s) -> loa::Index& { return s.matrix.num_pairs; });
  list.add<loa::Index>("matrix after n over", {2, 5, 10, 20, 1000},
                       [](Structure& s) -> loa::Index& { return s.matrix.variables_per_pair; });
  list.add("without a matrix", [](Structure& s) { s.matrix.variables_per_pair = 0; });
  return list.take();
}

std::vector<Variant> search_constants(const std::string& base) {
  Variants list(base);
  list.add("without the test for plateaus", [](Structure& s) { s.search.plateau.smallest_decrease = 0.0; });
  list.add<double>("decrease on a plateau below", {0.02, 0.05, 0.1, 0.2, 0.3},
                   [](Structure& s) -> double& { return s.search.plateau.smallest_decrease; });
  list.add<double>("slope on a plateau below", {0.01, 0.1, 1.0},
                   [](Structure& s) -> double& { return s.search.plateau.largest_slope; });
  list.add<double>("c2 after a rejected trial", {0.97, 0.9, 0.8, 0.7, 0.5},
                   [](Structure& s) -> double& { return s.search.c2_after_rejection; });
  list.add("without the second search", [](Structure& s) { s.search.has_second = false; });
  return list.take();
}

// --- constants of l-bfgs+ and l-bfgs+d -------------------------------------------------------------------------------

loa::ConjugatedOptions limited_options(const std::string& base) {
  constexpr loa::Index kMemory = 10;
  return {.capacity = kMemory - 1, .diagonal = base == "l-bfgs+d", .conjugation = {.depth = 3}};
}

loa::Algorithm make_limited(const std::string& base, const loa::ConjugatedOptions& options) {
  loa::Algorithm algorithm = loa::make_algorithm(base);
  loa::MakeInverseHessian make_B = maker<loa::ConjugatedInverseHessian>(options);
  make_B.is_matrix = false;
  algorithm.storage = loa::quasi_newton_storage({}, std::move(make_B));
  return algorithm;
}

template <typename Value>
void add_limited(const std::string& name, const std::vector<Value>& values, Value& (*constant)(loa::ConjugatedOptions&),
                 std::vector<Variant>& list) {
  constexpr auto kAll = static_cast<double>(std::numeric_limits<loa::Index>::max());
  const std::string base = list.front().name;
  loa::ConjugatedOptions own = limited_options(base);
  for (const Value& value : values) {
    if (value == constant(own)) continue;
    loa::ConjugatedOptions options = own;
    constant(options) = value;
    const auto number = static_cast<double>(value);
    list.push_back({fmt::format("{} {} in place of {:g}", name, number == kAll ? "all" : fmt::format("{:g}", number),
                                static_cast<double>(constant(own))),
                    make_limited(base, options)});
  }
}

std::vector<Variant> limited_constants(const std::string& base) {
  using Options = loa::ConjugatedOptions;
  std::vector<Variant> list = {{base, loa::make_algorithm(base)}};
  add_limited<loa::Index>(
      "depth of the conjugation", {1, 2, 3, 5, std::numeric_limits<loa::Index>::max()},
      [](Options& options) -> loa::Index& { return options.conjugation.depth; }, list);
  add_limited<double>(
      "damping of the conjugation", {30.0, 100.0, 300.0},
      [](Options& options) -> double& { return options.conjugation.damping; }, list);
  if (!limited_options(base).diagonal) return list;
  add_limited<double>(
      "floor of the diagonal", {1e-2, 1e-3, 1e-4, 1e-6},
      [](Options& options) -> double& { return options.adaptive.floor; }, list);
  add_limited<double>(
      "slope of the diagonal", {1.0, 2.0, 4.0, 8.0}, [](Options& options) -> double& { return options.adaptive.slope; },
      list);
  add_limited<loa::Index>(
      "pairs from judge to judge", {1, 2, 4, 8}, [](Options& options) -> loa::Index& { return options.adaptive.every; },
      list);
  return list;
}

}  // namespace

const std::vector<Group>& groups() {
  using Make = std::vector<Variant> (*)(const std::string&);
  static const std::vector<Group> list = [] {
    std::vector<Group> result = {{"parts", "", {"named", "synthetic", "expressions"}, parts}};
    const auto add = [&](const std::string& name, const std::string& family, const std::vector<std::string>& sets,
                         Make make) {
      result.push_back({name + "+", family.empty() ? "" : family + "+", sets, [make] { return make("bfgs+"); }});
      result.push_back({name + "+d", family.empty() ? "" : family + "+d", sets, [make] { return make("bfgs+d"); }});
    };
    const std::vector<std::string> most = {"named=10", "origin-small=3", "origin-middle=3", "middle"};
    add("parts", "", {"named=25", "origin-small=3", "origin-middle=3", "middle=3"}, parts_of);
    add("pairs", "constants", most, pair_constants);
    add("memory", "constants", most, memory_constants);
    add("diagonal", "constants", most, diagonal_constants);
    result.erase(result.end() - 2);  // bfgs+ has no diagonal
    add("trials", "constants", most, trial_constants);
    add("search", "constants", {"named=10", "origin-small=3", "fits", "walls"}, search_constants);
    add("matrix", "", {"origin-large"}, matrix_constants);
    result.push_back({"limited+", "", {"larger"}, [] { return limited_constants("l-bfgs+"); }});
    result.push_back(
        {"limited+d", "", {"origin-middle", "large", "origin-large"}, [] { return limited_constants("l-bfgs+d"); }});
    return result;
  }();
  return list;
}

std::vector<Twins> twins() {
  std::vector<Twins> list;
  for (const char* name : {"bfgs+", "bfgs+d", "sr1+"})
    list.push_back({name, loa::make_algorithm(name), make(name, [](Structure&) {})});
  for (const char* name : {"l-bfgs+", "l-bfgs+d"})
    list.push_back({name, loa::make_algorithm(name), make_limited(name, limited_options(name))});
  return list;
}

}  // namespace loa_bench
