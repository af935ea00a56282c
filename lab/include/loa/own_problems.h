// Problems of the user's own: a source of members of one family, what a training on them reports, and certificates.
//
// Layer: train.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "loa/error.h"
#include "loa/export.h"
#include "loa/objective.h"
#include "loa/vector.h"
#include "loa/weights.h"

LOA_EXPORT_BEGIN
namespace loa {

// An objective with its start.
struct OwnProblem {
  std::unique_ptr<Objective> objective;
  Vector start;
};

// A source of problems that are solved again and again, with other data each time: its members. They may differ in the
// number of variables.
struct OwnProblems {
  // Makes the member of that number. Called from several threads, for different numbers at the same time; a member
  // itself is used by one thread at a time. Equal numbers must give equal problems. What it throws passes through.
  std::function<OwnProblem(std::uint64_t number)> make = {};
  std::int64_t count = 0;  // the numbers are 0, ..., count - 1; 0: every number is good
  std::string name = {};   // for the recipe

  explicit operator bool() const { return static_cast<bool>(make); }
};

// A callable with its start.
struct OwnFunction {
  Function f;
  Vector start;
};

// A fixed list. Each callable is copied for each use, and used by one thread at a time.
OwnProblems own_problems(std::vector<OwnFunction> list);

// From SPECs: those that take a seed are families, whose members come in turn, without end; otherwise each SPEC is one
// member of a list. Returns what is wrong, if anything is.
Error own_problems(const std::vector<std::string>& specs, OwnProblems& problems);

// From a shared library that has the function `loa_own_problems` of loa.h. Returns what is wrong, if anything is. The
// library stays loaded.
Error own_problems_of_library(const std::string& path, OwnProblems& problems);

// --- runs ----------------------------------------------------------------------------------------------------------

// What runs: an algorithm by name ("auto" too), or where theta is not empty `loa` with these weights.
struct OwnCandidate {
  std::string algorithm = "auto";
  Vector theta = {};
};

// One run of a candidate on a member.
struct OwnRun {
  std::uint64_t member = 0;
  std::size_t candidate = 0;
  double gtol = 0.0;
  std::int64_t max_evaluations = 0;
  double max_seconds = std::numeric_limits<double>::infinity();
  // Begins from what the earlier runs of the candidate in the same call knew: all of them are one loa::Series, in the
  // order in which they are asked for. All runs of a call are, or none.
  bool in_series = false;
};

// What it gave. A start outside the domain of f is `is_usable` = false, and nothing else then counts.
struct OwnOutcome {
  std::int64_t evaluations = 0;
  double f = std::numeric_limits<double>::quiet_NaN();  // the lowest
  double seconds = 0.0;
  bool is_usable = false;
  bool reached = false;            // ||g||_inf <= gtol
  bool reached_precision = false;  // ended at working precision, above gtol
  std::int64_t dimension = 0;
};

// Carries out runs in any order and place, and returns the outcomes in theirs. The runs on a member are neighbours.
using OwnRunner = std::function<std::vector<OwnOutcome>(const std::vector<OwnCandidate>& candidates,
                                                        const std::vector<OwnRun>& runs)>;

// The one that train() and certify() use by themselves. `weights` says what theta of a candidate is for; empty: `loa`.
OwnRunner own_runner(OwnProblems problems, int threads = 0, Weights weights = {});

// --- reports -------------------------------------------------------------------------------------------------------

// exp(mean of logs of ratios) over members, with its 95 % interval: a bootstrap over members, widened for few of them
// (the expanded percentile interval). Below 1 is a gain.
struct Gain {
  double value = std::numeric_limits<double>::quiet_NaN();
  double low = std::numeric_limits<double>::quiet_NaN(), high = std::numeric_limits<double>::quiet_NaN();
  std::int64_t members = 0;
};

// While a training on one's own problems goes on.
struct OwnProgress {
  std::string stage;  // "probe", "default", "constants", "weights", "test"
  std::int64_t generation = 0, generations = 0;
  std::int64_t evaluations = 0, expected_evaluations = 0;  // of f, with its gradient, by now and in all
  double seconds = 0.0, expected_seconds = 0.0;            // likewise
  Gain over_default = {};                                  // of the best so far, on the members for validation
};
// One line of text.
std::string text_of(const OwnProgress& progress);

// P(a member is solved within `evaluations`) >= probability.
struct CertificateRow {
  std::int64_t evaluations = 0;
  std::int64_t reached = 0;  // of the members tested
  double probability = 0.0;
};

// What was seen on members that took no part in making the weights, nor in choosing the numbers of evaluations. All
// rows hold together with probability `confidence` over the draw of the members, which are taken to be drawn
// independently, as those to come are (Clopper and Pearson 1934, one-sided, Bonferroni).
struct Certificate {
  std::int64_t members = 0;
  double confidence = 0.95;
  double gtol = 0.0;
  std::string algorithm;
  std::vector<CertificateRow> rows;

  bool empty() const { return rows.empty(); }
};
// A line for each row; empty for an empty certificate.
std::string text_of(const Certificate& certificate);
// Into the metadata of weights and out of them; there is an empty certificate where there is none, or none that can be
// understood.
void put_certificate(const Certificate& certificate, Weights& weights);
void drop_certificate(Weights& weights);  // for weights that were changed
Certificate certificate_of(const Weights& weights);

// How certify() works.
struct CertifyOptions {
  std::string algorithm = "loa";  // without weights: a name, or auto
  std::int64_t members = 150;     // of a source without end; a list is used whole
  double gtol = 1e-5;
  std::int64_t max_evaluations = 2000;
  double confidence = 0.95;
  // The numbers of evaluations K are quantiles on a third of the members, and the others are tested; with `within` they
  // are given, and all members are tested.
  std::vector<double> quantiles = {0.5, 0.8, 0.95};
  std::vector<std::int64_t> within = {};
  std::uint64_t seed = 0;
  int threads = 0;
  OwnRunner runner = {};  // as in OwnTraining
};

// Tests an algorithm, or weights where there are some, on members that took no part in its training: of a source
// without end the numbers are far from those of train(), in a list that is the caller's care. Throws
// std::invalid_argument on options that cannot work and on too few members.
Certificate certify(const OwnProblems& problems, const CertifyOptions& options = {}, const Weights& weights = {});

// A row of the report: a candidate on the members for the test.
struct OwnRow {
  // "default", "loa" (the built-in weights), "constants", "trained": each member by itself. "series", "series trained":
  // the default and the trained weights in a loa::Series, which has gone through the members for validation before; so
  // the report tells what the controller is worth, what start and metric of the family are, and both.
  std::string name;
  Gain over_default = {}, over_constants = {};
  std::int64_t reached = 0;
  double median_evaluations = 0.0;
};

// What a training on one's own problems ends with.
struct OwnReport {
  bool kept = false;    // the trained weights; otherwise those that come back are theta = 0, the default method
  std::string verdict;  // one sentence
  std::int64_t training = 0, validation = 0, test = 0;  // members
  std::int64_t left_out = 0;                            // members whose start is outside the domain of f
  std::int64_t evaluations = 0;
  double seconds = 0.0;
  bool out_of_time = false;  // budget_seconds
  std::vector<OwnRow> rows;
  Certificate certificate;
};
// Some lines of text.
std::string text_of(const OwnReport& report);

}  // namespace loa
LOA_EXPORT_END
