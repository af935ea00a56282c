// Would catch: an event on one process of a distributed run (an exception, a NaN, a stop, a limit, a mistake in the
// call) that the others do not hear of, so that they wait for ever or end differently.
#include <gmock/gmock.h>

#include <stdexcept>
#include <utility>

#include "support/slices.h"

namespace loa {
namespace {

using namespace test;
using testing::HasSubstr;

// Does something to the result of another objective on this process, after its collective part. Evaluations count
// from 1.
class Tampered final : public Objective {
 public:
  using Tamper = std::function<void(int evaluation, double& f, Vector& grad)>;

  Tampered(std::unique_ptr<Objective> f, Tamper tamper) : f_(std::move(f)), tamper_(std::move(tamper)) {}

  Index dimension() const override { return f_->dimension(); }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    double f = f_->value_and_gradient(x, grad);
    tamper_(++num_evaluations_, f, grad);
    return f;
  }

 private:
  std::unique_ptr<Objective> f_;
  Tamper tamper_;
  int num_evaluations_ = 0;
};

const std::vector<Slicing> kSlicingsForEvents = {{4, 3}, {3, 1, 3}, {4, 0, 3}};

class EventOnOneProcess : public testing::TestWithParam<std::string> {
 protected:
  static Options options() {
    Options options;
    options.algorithm = GetParam();
    options.max_iterations = 60;
    options.keep_trace = true;
    return options;
  }

  // Runs with a change of the call of one process, for each process and slicing.
  static void for_each_culprit(const std::function<void(Call& call)>& change,
                               const std::function<void(const ProcessesOutcome&, int culprit)>& expect,
                               const std::string& problem_name = "rosenbrock") {
    for (const Slicing& slicing : kSlicingsForEvents)
      for (int culprit = 0; culprit < static_cast<int>(slicing.size()); ++culprit) {
        if (size_of(slicing, culprit) == 0) continue;
        SCOPED_TRACE(testing::Message() << name_of(slicing) << ", process " << culprit);
        expect(minimize_slices(problem(problem_name), slicing, options(),
                               [&](int rank, Call& call) {
                                 if (rank == culprit) change(call);
                               }),
               culprit);
      }
  }

  static void tamper(Call& call, Tampered::Tamper tamper) {
    call.f = std::make_unique<Tampered>(std::move(call.f), std::move(tamper));
  }

  // Of the culprit its own, of the others one that is not empty.
  static void expect_own_exception(const ProcessesOutcome& outcome, int culprit, const std::string& what) {
    expect_exceptions(outcome);
    if (!outcome.failure.empty()) return;
    EXPECT_EQ(outcome.processes[static_cast<std::size_t>(culprit)].bytes, what);
  }
};

TEST_P(EventOnOneProcess, TimeIsUp) {
  for_each_culprit([](Call& call) { call.options.max_seconds = 0.0; },
                   [](const ProcessesOutcome& outcome, int) { expect_status(outcome, Status::kTimeLimitReached); });
}

TEST_P(EventOnOneProcess, ObserverStops) {
  for (const std::int64_t last : {0, 1, 3}) {
    for_each_culprit(
        [last](Call& call) {
          call.options.observer = [last](const Progress& progress) {
            return progress.iteration < last ? Continue::kYes : Continue::kNo;
          };
        },
        [last](const ProcessesOutcome& outcome, int) {
          const std::vector<Result> runs = results_of(outcome);
          expect_agreement(runs);
          for (const Result& run : runs) {
            EXPECT_EQ(name(run.status), name(Status::kStoppedByObserver));
            EXPECT_EQ(run.iterations, last);
          }
        });
  }
}

// An observer that only looks, on one process only, changes nothing.
TEST_P(EventOnOneProcess, ObserverLooks) {
  for (const Slicing& slicing : kSlicingsForEvents) {
    SCOPED_TRACE(name_of(slicing));
    std::vector<Result> unseen = results_of(minimize_slices(problem("rosenbrock"), slicing, options()));
    const std::vector<Result> seen =
        results_of(minimize_slices(problem("rosenbrock"), slicing, options(), [](int rank, Call& call) {
          if (rank == 1) call.options.observer = [](const Progress&) { return Continue::kYes; };
        }));
    ASSERT_EQ(unseen.size(), slicing.size());
    ASSERT_EQ(seen.size(), slicing.size());
    EXPECT_TRUE(same_bits(joined(unseen, &Result::x), joined(seen, &Result::x)));
    unseen.insert(unseen.end(), seen.begin(), seen.end());
    expect_agreement(unseen);
  }
}

TEST_P(EventOnOneProcess, ObserverThrows) {
  for (const std::int64_t last : {0, 3}) {
    for_each_culprit(
        [last](Call& call) {
          call.options.observer = [last](const Progress& progress) {
            if (progress.iteration == last) throw std::runtime_error("the observer's own");
            return Continue::kYes;
          };
        },
        [](const ProcessesOutcome& outcome, int culprit) {
          expect_own_exception(outcome, culprit, "the observer's own");
        });
  }
}

TEST_P(EventOnOneProcess, ObjectiveThrows) {
  for (const int last : {1, 2, 3, 6}) {
    SCOPED_TRACE(testing::Message() << "in evaluation " << last);
    for_each_culprit(
        [last](Call& call) {
          tamper(call, [last](int evaluation, double&, Vector&) {
            if (evaluation == last) throw std::runtime_error("the objective's own");
          });
        },
        [](const ProcessesOutcome& outcome, int culprit) {
          expect_own_exception(outcome, culprit, "the objective's own");
        });
  }
}

// f must be the same everywhere. Where it is NaN on one process it counts as NaN on all: a point outside of the domain.
TEST_P(EventOnOneProcess, ValueIsNaNOnce) {
  for_each_culprit(
      [](Call& call) { tamper(call, [](int evaluation, double& f, Vector&) { f = evaluation == 1 ? kNaN : f; }); },
      [](const ProcessesOutcome& outcome, int) { expect_status(outcome, Status::kStartIsNotFinite); });
  for (const int when : {2, 3, 6}) {
    SCOPED_TRACE(testing::Message() << "in evaluation " << when);
    for_each_culprit(
        [when](Call& call) {
          tamper(call, [when](int evaluation, double& f, Vector&) { f = evaluation == when ? kNaN : f; });
        },
        [](const ProcessesOutcome& outcome, int) { EXPECT_FALSE(expect_same_end(outcome)); });
  }
}

TEST_P(EventOnOneProcess, ValueBecomesNaN) {
  for (const int first : {2, 3, 6}) {
    SCOPED_TRACE(testing::Message() << "from evaluation " << first);
    for_each_culprit(
        [first](Call& call) {
          tamper(call, [first](int evaluation, double& f, Vector&) { f = evaluation >= first ? kNaN : f; });
        },
        [](const ProcessesOutcome& outcome, int) {
          EXPECT_FALSE(expect_same_end(outcome));
          for (const Result& run : results_of(outcome)) {
            EXPECT_FALSE(is_success(run.status)) << name(run.status);
            EXPECT_TRUE(std::isfinite(run.f));
          }
        });
  }
}

TEST_P(EventOnOneProcess, GradientHasANaNOnce) {
  for_each_culprit(
      [](Call& call) {
        tamper(call, [](int evaluation, double&, Vector& grad) {
          if (evaluation == 1) grad(0) = kNaN;
        });
      },
      [](const ProcessesOutcome& outcome, int) { expect_status(outcome, Status::kStartIsNotFinite); });
  for (const int when : {2, 3, 6}) {
    SCOPED_TRACE(testing::Message() << "in evaluation " << when);
    for_each_culprit(
        [when](Call& call) {
          tamper(call, [when](int evaluation, double&, Vector& grad) {
            if (evaluation == when) grad(grad.size() - 1) = kNaN;
          });
        },
        [](const ProcessesOutcome& outcome, int) { EXPECT_FALSE(expect_same_end(outcome)); });
  }
}

TEST_P(EventOnOneProcess, GradientBecomesNaN) {
  for (const int first : {2, 3, 6}) {
    SCOPED_TRACE(testing::Message() << "from evaluation " << first);
    for_each_culprit(
        [first](Call& call) {
          tamper(call, [first](int evaluation, double&, Vector& grad) {
            if (evaluation >= first) grad.setConstant(kNaN);
          });
        },
        [](const ProcessesOutcome& outcome, int) {
          EXPECT_FALSE(expect_same_end(outcome));
          for (const Result& run : results_of(outcome)) {
            EXPECT_FALSE(is_success(run.status)) << name(run.status);
            EXPECT_TRUE(run.grad.allFinite());
          }
        });
  }
}

// The objective hides it: f and the gradient are finite. The start itself is not.
TEST_P(EventOnOneProcess, StartIsNotFinite) {
  for (const double bad : {kNaN, kInf})
    for_each_culprit(
        [bad](Call& call) {
          call.x0(0) = bad;
          tamper(call, [](int, double& f, Vector& grad) {
            f = 1.0;
            grad.setOnes();
          });
        },
        [](const ProcessesOutcome& outcome, int) { expect_status(outcome, Status::kStartIsNotFinite); });
}

TEST_P(EventOnOneProcess, StartHasAnotherLength) {
  for_each_culprit([](Call& call) { call.x0 = Vector::Ones(call.x0.size() + 1); },
                   [](const ProcessesOutcome& outcome, int culprit) {
                     expect_exceptions(outcome);
                     if (!outcome.failure.empty()) return;
                     const ProcessOutcome& process = outcome.processes[static_cast<std::size_t>(culprit)];
                     EXPECT_EQ(process.kind, ProcessOutcome::Kind::kInvalidArgument);
                     EXPECT_THAT(process.bytes, HasSubstr("expected a start of length"));
                   });
}

TEST_P(EventOnOneProcess, OptionsAreWrong) {
  const std::vector<std::function<void(Options&)>> mistakes = {
      [](Options& options) { options.gtol = -1.0; },
      [](Options& options) { options.algorithm = "no-such-algorithm"; },
      [](Options& options) { options.line_search = "no-such-search"; },
      [](Options& options) { options.first_step = -1.0; },
      [](Options& options) { options.weights = "no-such-weights"; },
  };
  for (std::size_t i = 0; i < mistakes.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "mistake " << i);
    for_each_culprit([&](Call& call) { mistakes[i](call.options); },
                     [](const ProcessesOutcome& outcome, int culprit) {
                       expect_exceptions(outcome);
                       if (!outcome.failure.empty()) return;
                       EXPECT_EQ(outcome.processes[static_cast<std::size_t>(culprit)].kind,
                                 ProcessOutcome::Kind::kInvalidArgument);
                     });
  }
}

// Options that change what is computed must be the same everywhere. No process knows which one is right, so all refuse.
TEST_P(EventOnOneProcess, OptionsDiffer) {
  const std::string other = GetParam() == "l-bfgs" ? "conjugate-gradient" : "l-bfgs";
  const std::vector<std::function<void(Options&)>> differences = {
      [&](Options& options) { options.algorithm = other; },
      [](Options& options) { options.line_search = "paper"; },
      [](Options& options) { options.safeguard = Safeguard::kOff; },
      [](Options& options) { options.hyper_parameters.step_size = 1e-5; },
      [](Options& options) { options.hyper_parameters.memory = 3; },
      [](Options& options) { options.first_step = 1e-5; },
  };
  for (std::size_t i = 0; i < differences.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "difference " << i);
    for_each_culprit([&](Call& call) { differences[i](call.options); },
                     [](const ProcessesOutcome& outcome, int) {
                       expect_exceptions(outcome);
                       for (const ProcessOutcome& process : outcome.processes) {
                         EXPECT_EQ(process.kind, ProcessOutcome::Kind::kInvalidArgument) << process.bytes;
                         EXPECT_THAT(process.bytes, HasSubstr("process"));
                       }
                     });
  }
}

// Tolerances and limits that differ are refused, or all processes end by the same one.
TEST_P(EventOnOneProcess, LimitsDiffer) {
  const std::vector<std::function<void(Options&)>> differences = {
      [](Options& options) { options.gtol = 1.0; },          [](Options& options) { options.gtol_relative = 0.5; },
      [](Options& options) { options.ftol = 0.1; },          [](Options& options) { options.max_iterations = 3; },
      [](Options& options) { options.max_evaluations = 5; },
  };
  for (std::size_t i = 0; i < differences.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "difference " << i);
    for_each_culprit([&](Call& call) { differences[i](call.options); },
                     [](const ProcessesOutcome& outcome, int) { expect_same_end(outcome); });
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, EventOnOneProcess, testing::ValuesIn(algorithm_names(false)), algorithm_test_name);

}  // namespace
}  // namespace loa
