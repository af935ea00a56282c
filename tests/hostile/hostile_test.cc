// Would catch: a status that says success where f can be lowered visibly or the gradient is not small, a point that is
// not finite, not the lowest that was seen or not the one that f and the gradient belong to, an exception for a
// numerical reason, a wrong count, a call after the limit, a run that goes on after its end.
//
// More than two hundred objectives (hostile/objectives.h), all algorithms of the registry, all line searches, the
// safeguards and some settings. `make test` runs a part in which all pairs of factors occur; the environment variable
// LOA_HOSTILE asks for more:
//   LOA_HOSTILE=full        every combination (more than 400,000 runs)
//   LOA_HOSTILE=only:TEXT   every combination for the objectives with TEXT in their name
// With sanitizers, which look for other faults, one run in eight is made.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "hostile/referee.h"

namespace loa::hostile {
namespace {

// One run: numbers of the choices.
struct Case {
  const Hostile* objective;
  std::size_t algorithm, search, safeguard, setting;
};

constexpr Safeguard kSafeguards[] = {Safeguard::kOn, Safeguard::kOff, Safeguard::kSpectrum};
constexpr const char* kSafeguardNames[] = {"on", "off", "spectrum"};
constexpr std::size_t kNumSafeguards = 3;
constexpr const char* kSettingNames[] = {"default", "gtol=0", "relative", "first_step=1e4", "few evaluations"};
constexpr std::size_t kNumSettings = 5;

std::size_t num_searches() { return line_searches().size() + 1; }
std::string search_name(std::size_t i) { return i == 0 ? "" : line_searches()[i - 1].name; }

// Whether the algorithm keeps eigenvalues within bounds: asked from the library itself, on a harmless objective.
bool allows_spectrum(std::size_t algorithm) {
  static const std::vector<bool> allowed = [] {
    std::vector<bool> list;
    for (const AlgorithmInfo& info : algorithms()) {
      try {
        minimize([](const Vector& x, Vector& g) { return (g = x).squaredNorm() / 2.0; }, Vector::Ones(1),
                 {.algorithm = info.name, .safeguard = Safeguard::kSpectrum});
        list.push_back(true);
      } catch (const std::invalid_argument&) {
        list.push_back(false);
      }
    }
    return list;
  }();
  return allowed[algorithm];
}

// Why a combination cannot be run; empty when it can.
std::string obstacle(const Case& c) {
  if (kSafeguards[c.safeguard] == Safeguard::kSpectrum && !allows_spectrum(c.algorithm))
    return "algorithm without bounds";
  if (algorithms()[c.algorithm].needs_hessian && (!c.objective->twice || c.objective->n() > 100)) return "no Hessian";
  if (search_name(c.search) == "exact" && !c.objective->twice) return "no Hessian-vector product";
  return "";
}

Options options_of(const Case& c) {
  Options options;
  options.algorithm = algorithms()[c.algorithm].name;
  options.line_search = search_name(c.search);
  options.safeguard = kSafeguards[c.safeguard];
  // Every run has a limit, so that every run ends. Algorithms that converge do so within these.
  options.max_evaluations = c.objective->n() <= 100 ? 500 : c.objective->ordinary ? 60 : 30;
  const std::string setting = kSettingNames[c.setting];
  if (setting == "gtol=0") options.gtol = 0.0;
  if (setting == "relative") options.gtol = 0.0, options.gtol_relative = 1e-6;
  if (setting == "first_step=1e4") options.first_step = 1e4;
  if (setting == "few evaluations")
    options.max_evaluations =
        1 + static_cast<std::int64_t>((c.algorithm + 3 * c.search + c.objective->name.size()) % 12);
  return options;
}

std::string label(const Case& c) {
  return fmt::format("{} | {} | {} | {} | {}", c.objective->name, algorithms()[c.algorithm].name,
                     c.search == 0 ? "its own" : search_name(c.search), kSafeguardNames[c.safeguard],
                     kSettingNames[c.setting]);
}

// The combinations for one objective. In the short plan each algorithm runs as a user would run it, and once with
// each kind of safeguard (spectrum, not spectrum) with factors drawn from a generator that is seeded by the names of
// the objective and the algorithm.
std::vector<Case> plan(const Hostile& h, bool full) {
  std::vector<Case> cases;
  for (std::size_t a = 0; a < algorithms().size(); ++a) {
    if (full) {
      for (std::size_t s = 0; s < num_searches(); ++s)
        for (std::size_t g = 0; g < kNumSafeguards; ++g)
          for (std::size_t t = 0; t < kNumSettings; ++t) cases.push_back({&h, a, s, g, t});
      continue;
    }
    cases.push_back({&h, a, 0, 0, 0});
    if (h.ordinary) cases.push_back({&h, a, 0, 0, 1});
    std::uint64_t seed = 14695981039346656037ULL;
    for (const char c : h.name + algorithms()[a].name) seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    Random random(seed);
    cases.push_back({&h, a, random.below(num_searches()), random.below(2), random.below(kNumSettings)});
    // With bounds each iteration may take O(n^3).
    if (allows_spectrum(a) && h.n() <= 100)
      cases.push_back({&h, a, random.below(num_searches()), 2, random.below(kNumSettings)});
  }
  return cases;
}

// Algorithms that solve all ordinary objectives within the limit, as a user would run them. The others are too slow
// (gradient-descent, heavy-ball, nesterov), or have fixed steps (adam, l2l-gd, rnnprop).
bool is_reliable(const std::string& algorithm) {
  static const std::set<std::string> others = {"gradient-descent", "heavy-ball", "nesterov", "adam",
                                               "l2l-gd",           "rnnprop"};
  return !others.contains(algorithm);
}

// Counts, and a line for each complaint on standard output.
class Tally {
 public:
  void run(const Case& c) {
    if (const std::string why = obstacle(c); !why.empty()) {
      ++skipped_[why];
      return;
    }
    ++num_runs_;
    const Options options = options_of(c);
    Recorder record(*c.objective);
    Summary s;
    try {
      s = minimize(record, c.objective->start, options);
    } catch (const HostileError&) {
      if (record.count().value != c.objective->throw_at) complain(c, nullptr, {"throws what it had caught"});
      return;
    } catch (const std::exception& error) {
      complain(c, nullptr, {std::string("throws: ") + error.what()});
      return;
    }
    ++ends_[std::string(name(s.status))];
    Complaints complaints = judge(*c.objective, options, record, s);
    const Complaints more = judge_resumed(*c.objective, options, record, s);
    complaints.insert(complaints.end(), more.begin(), more.end());
    if (c.objective->throw_at != 0 && record.count().value >= c.objective->throw_at)
      complaints.emplace_back("swallows an exception");
    // As a user would run it; with gtol=0 the limit may come before round-off does.
    const bool as_a_user = c.search == 0 && c.safeguard == 0 && c.setting <= 1;
    const bool too_early = c.setting == 1 && s.status == Status::kEvaluationLimitReached;
    if (c.objective->ordinary && as_a_user && is_reliable(options.algorithm) && !s.success() && !too_early)
      complaints.emplace_back("fails on an ordinary objective");
    complain(c, &s, complaints);
  }

  void print() const {
    std::cout << num_runs_ << " runs";
    for (const auto& [why, count] : skipped_) std::cout << ", " << count << " skipped (" << why << ")";
    std::cout << "\nends:";
    for (const auto& [status, count] : ends_) std::cout << "  " << status << " " << count;
    std::cout << "\n";
    for (const auto& [objective, count] : by_objective_) std::cout << fmt::format("{:6}  {}\n", count, objective);
    for (const auto& [kind, count] : by_kind_) std::cout << fmt::format("{:6}  {}\n", count, kind);
    std::cout.flush();
  }

  int num_complaints() const { return num_complaints_; }

 private:
  void complain(const Case& c, const Summary* s, const Complaints& complaints) {
    for (const std::string& kind : complaints) {
      ++num_complaints_;
      ++by_kind_[kind];
      ++by_objective_[c.objective->name];
      std::cout << kind << ": " << label(c);
      if (s != nullptr)
        std::cout << fmt::format(" | {} f={:.17g} f*={:.17g} |g|={:.3g}", name(s->status), s->f, c.objective->minimum,
                                 s->grad_inf_norm);
      std::cout << "\n";
    }
  }

  int num_runs_ = 0, num_complaints_ = 0;
  std::map<std::string, int> skipped_, ends_, by_objective_, by_kind_;
};

std::vector<std::string> families() {
  std::vector<std::string> list;
  for (const Hostile& h : objectives())
    if (list.empty() || list.back() != h.family) list.push_back(h.family);
  return list;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LOA_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(LOA_SANITIZED)
constexpr int kStride = 8;
#else
constexpr int kStride = 1;
#endif

class HostileFamily : public testing::TestWithParam<std::string> {};

TEST_P(HostileFamily, NoSummaryIsUntrue) {
  const char* setting = std::getenv("LOA_HOSTILE");
  const std::string wish = setting == nullptr ? "" : setting;
  const std::string only = wish.starts_with("only:") ? wish.substr(5) : "";
  Tally tally;
  int number = 0;
  for (const Hostile& h : objectives())
    if (h.family == GetParam() && h.name.find(only) != std::string::npos)
      for (const Case& c : plan(h, !wish.empty()))
        if (number++ % kStride == 0) tally.run(c);
  tally.print();
  EXPECT_EQ(tally.num_complaints(), 0);
}

INSTANTIATE_TEST_SUITE_P(Hostile, HostileFamily, testing::ValuesIn(families()),
                         [](const auto& family) { return family.param; });

// The plan itself.
TEST(HostilePlan, HasTwoHundredObjectivesWithNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Hostile& h : objectives()) EXPECT_TRUE(names.insert(h.name).second) << h.name;
  EXPECT_GE(names.size(), 200u);
}

TEST(HostilePlan, RunsEveryPairOfChoices) {
  std::set<std::vector<std::size_t>> pairs;
  std::size_t num_runs = 0;
  for (const Hostile& h : objectives())
    for (const Case& c : plan(h, false)) {
      if (!obstacle(c).empty()) continue;
      ++num_runs;
      const std::size_t choices[] = {c.algorithm, c.search, c.safeguard, c.setting};
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = i + 1; j < 4; ++j) pairs.insert({i, choices[i], j, choices[j]});
    }
  EXPECT_GE(num_runs, 5000u);
  std::size_t num_guarded = 0;
  for (std::size_t a = 0; a < algorithms().size(); ++a) num_guarded += allows_spectrum(a) ? 1u : 0u;
  const std::size_t num_algorithms = algorithms().size(), searches = num_searches();
  EXPECT_EQ(pairs.size(), num_algorithms * (searches + kNumSettings + kNumSafeguards - 1) + num_guarded +
                              searches * (kNumSafeguards + kNumSettings) + kNumSafeguards * kNumSettings);
}

// Controls: the referee sees each kind of lie in a summary that was true.
class Referee : public testing::Test {
 protected:
  Hostile objective_ = rosenbrock(2);
  Options options_ = {.algorithm = "bfgs", .max_evaluations = 500};

  Complaints judge_after(const std::function<void(Summary&)>& doctor) {
    Recorder record(objective_);
    Summary s = minimize(record, objective_.start, options_);
    doctor(s);
    return judge(objective_, options_, record, s);
  }
  void expect_seen(const std::string& complaint, const std::function<void(Summary&)>& doctor) {
    const Complaints complaints = judge_after(doctor);
    EXPECT_NE(std::find(complaints.begin(), complaints.end(), complaint), complaints.end()) << complaint;
  }
  // The summary tells of the start instead.
  void go_back(Summary& s) const {
    s.x = objective_.start;
    s.f = objective_.make()(s.x, s.grad);
    s.grad_inf_norm = s.grad.cwiseAbs().maxCoeff();
  }
};

TEST_F(Referee, AcceptsTheTruth) {
  EXPECT_TRUE(judge_after([](Summary& s) { EXPECT_TRUE(s.success()); }).empty());
}

TEST_F(Referee, SeesWrongNumbers) {
  expect_seen("f is not f(x)", [](Summary& s) { s.f = std::nextafter(s.f, 1.0); });
  expect_seen("grad is not that of x", [](Summary& s) { s.grad(1) = std::nextafter(s.grad(1), 1.0); });
  expect_seen("grad_inf_norm is not that of grad", [](Summary& s) { s.grad_inf_norm *= 0.5; });
  expect_seen("x was never evaluated", [](Summary& s) { s.x(0) = std::nextafter(s.x(0), 2.0); });
  expect_seen("x is not finite", [](Summary& s) { s.x(0) = kInf; });
  expect_seen("wrong length", [](Summary& s) { s.x.conservativeResize(1); });
  expect_seen("counts of evaluations are wrong", [](Summary& s) { ++s.evaluations.gradient; });
}

TEST_F(Referee, SeesLostPoints) {
  expect_seen("not the lowest point", [this](Summary& s) { go_back(s); });
  options_.first_step = 1e4;
  options_.max_evaluations = 2;
  expect_seen("above the start", [this](Summary& s) {
    objective_.start = s.state.x;
    go_back(s);
  });
}

TEST_F(Referee, SeesUntrueLowerPoints) {
  const auto offer = [](double f) {
    return [f](Summary& s) { s.lower = EvaluatedPoint{.x = s.x, .f = f, .grad = s.grad}; };
  };
  expect_seen("a lower point for no reason", offer(-1.0));  // bfgs tests for a decrease
  options_.line_search = "fixed";
  expect_seen("the lower point is untrue", offer(-1.0));
  expect_seen("a lower point for no reason", offer(kInf));
}

TEST_F(Referee, SeesUntrueStatuses) {
  const auto claim = [this](Status status) {
    return [this, status](Summary& s) {
      go_back(s);
      s.status = status;
    };
  };
  expect_seen("gradient is not small", claim(Status::kGradientIsSmall));
  expect_seen("gradient is not relatively small", claim(Status::kRelativeGradientIsSmall));
  expect_seen("false working precision", claim(Status::kConvergedToWorkingPrecision));
  expect_seen("f is not unbounded", claim(Status::kObjectiveIsUnbounded));
  expect_seen("a finite start is refused", claim(Status::kStartIsNotFinite));
  expect_seen("still running", claim(Status::kRunning));
  objective_ = offset(sphere(1), 1e10);  // 2 above the minimum: a part of 2e-10
  expect_seen("false working precision", claim(Status::kConvergedToWorkingPrecision));
}

TEST_F(Referee, SeesCallsAfterTheLimit) {
  Recorder record(objective_);
  const Summary s = minimize(record, objective_.start, options_);
  options_.max_evaluations = s.evaluations.value - 1;
  EXPECT_EQ(judge(objective_, options_, record, s), Complaints{"calls after the limit"});
}

TEST_F(Referee, SeesAnEndThatIsNotInTheState) {
  Recorder record(objective_);
  options_.max_evaluations = 10;
  Summary s = minimize(record, objective_.start, options_);
  ASSERT_EQ(s.status, Status::kEvaluationLimitReached);
  EXPECT_TRUE(judge_resumed(objective_, options_, record, s).empty());
  s.status = Status::kLineSearchFailed;
  EXPECT_FALSE(judge_resumed(objective_, options_, record, s).empty());
}

}  // namespace
}  // namespace loa::hostile
