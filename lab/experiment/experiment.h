// One figure or table of `loa reproduce`, as described by a file in experiments/.
//
// The keys are the members below and the flags of loa compare. In problems and algorithms {data} stands for the folder
// of the data sets and {published} for the file of the published weights; what needs one that is not there is left out
// and said so.
#pragma once

#include <string>
#include <vector>

#include "experiment/comparison.h"
#include "experiment/statistics.h"
#include "loa/error.h"

namespace loa {

struct Experiment {
  std::string id;  // the name of the file
  std::string title, claim;
  std::int64_t order = 0;
  enum class Kind {
    kComparison,
    kTraining,
    kPrincipleCheck,
    kWallClock,
    kNetworks,
    kEvaluations,
    kFamilies
  } kind = Kind::kComparison;
  bool is_of_paper() const {  // whose claim it is
    return kind != Kind::kNetworks && kind != Kind::kEvaluations && kind != Kind::kFamilies;
  }

  // kComparison, kWallClock, kEvaluations, kNetworks, kFamilies; of the last two problems, max_evaluations, and the
  // seeds as starts, of kNetworks also the algorithms, of kFamilies gtol.
  ComparisonPlan plan;
  std::vector<std::string> panels;  // titles, one for each problem; a single title: all problems in one panel
  const std::string& panel_of(std::size_t problem) const {
    return panels.empty() ? plan.problems[problem] : panels[problem];
  }
  Abscissa abscissa = Abscissa::kIterations;
  std::vector<std::int64_t> pairs;  // iterations at which the gaps of each problem are set against each other

  // The verdict: `subject` against `rival`.
  std::string subject, rival;
  double gap = 1e-6;  // relative: fewer iterations or evaluations to this gap; not used with pairs
  double factor = 1;  // the claim: subject <= factor * rival

  // kTraining.
  std::string preset = "paper";
  std::vector<std::string> starts;  // of theta
  std::int64_t epochs = 0;          // 0: the preset's
  std::uint64_t seed = 0;

  // kPrincipleCheck.
  std::vector<std::string> algorithms;

  // kNetworks.
  std::int64_t switch_after = 0;  // evaluations of the first of two algorithms

  // kNetworks: labels, the subject is compared with the best of them; kEvaluations: with each of them.
  std::vector<std::string> rivals;

  // kFamilies.
  std::int64_t members = 0;            // of a sequence, the first ones; 0: all
  std::int64_t generations = 0;        // of the training on each family; 0: none
  std::int64_t training_members = 60;  // half as many for validation, and as many again for the report
};

struct ExperimentFolders {
  std::string data;       // empty: none
  std::string published;  // a file; empty: none
  bool quick = false;     // take the values of the table [quick]
};

// Reads the text of a file. `missing` is filled with the data sets that it needs and that are not there. Returns no
// error or one line "ID.toml:LINE: found ..., expected ...".
Error parse_experiment(const std::string& id, const std::string& text, const ExperimentFolders& folders,
                       Experiment& experiment, std::vector<std::string>& missing);

// All that are compiled in, by order. With quick, those that say so are left out.
Error builtin_experiments(const ExperimentFolders& folders, std::vector<Experiment>& experiments,
                          std::vector<std::vector<std::string>>& missing);

}  // namespace loa
