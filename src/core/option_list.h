// The options of a run by name, in one list. The C interface, the flags of `loa solve` and Python walk it: a new option
// is a member of Options or HyperParameters, a row here, and a sentence in the documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/range.h"
#include "loa/options.h"

namespace loa {

// Where an option lives. Texts are names of a registry, or files.
using OptionMember =
    std::variant<double Options::*, std::optional<double> Options::*, std::int64_t Options::*, std::string Options::*,
                 Safeguard Options::*, double HyperParameters::*, std::int64_t HyperParameters::*>;

struct OptionRow {
  const char* name;
  OptionMember member;
  Range range;        // of a double
  std::int64_t low;   // of an integer
  const char* flags;  // of `loa solve`
  const char* value;  // what stands for the value in its help
  const char* help;
};

inline constexpr OptionRow kOptions[] = {
    {"algorithm",
     &Options::algorithm,
     {},
     0,
     "--algorithm",
     "NAME",
     "See loa list algorithms; default auto: bfgs+d, with many variables l-bfgs+d"},
    {"weights",
     &Options::weights,
     {},
     0,
     "--weights",
     "NAME|FILE",
     "For learned algorithms: a built-in name or a file"},
    {"line_search",
     &Options::line_search,
     {},
     0,
     "--line-search",
     "NAME",
     "See loa list line-searches; default the algorithm's own"},
    {"safeguard",
     &Options::safeguard,
     {},
     0,
     "--safeguard",
     "on|off|spectrum",
     "on (default): replace and count what cannot work; off: the algorithm to the letter; spectrum: on, with the "
     "eigenvalues of B in [c, C], for quasi-Newton algorithms"},
    {"step_size", &HyperParameters::step_size, Range::kPositive, 0, "--step-size,--gamma", "VALUE",
     "The step-size of Gamma; default the algorithm's own"},
    {"momentum", &HyperParameters::momentum, Range::kBelowOne, 0, "--momentum", "VALUE", "Of heavy-ball; default 0.9"},
    {"beta1", &HyperParameters::beta1, Range::kBelowOne, 0, "--beta1", "VALUE", "Of Adam; default 0.9"},
    {"beta2", &HyperParameters::beta2, Range::kBelowOne, 0, "--beta2", "VALUE", "Of Adam; default 0.999"},
    {"memory",
     &HyperParameters::memory,
     {},
     1,
     "--memory",
     "M",
     "Pairs that limited-memory algorithms keep; default 10"},
    {"smallest_eigenvalue", &HyperParameters::smallest_eigenvalue, Range::kPositive, 0, "--smallest-eigenvalue",
     "VALUE", "c of --safeguard spectrum; default 1e-6 times the first scale of B"},
    {"largest_eigenvalue", &HyperParameters::largest_eigenvalue, Range::kPositive, 0, "--largest-eigenvalue", "VALUE",
     "C of --safeguard spectrum; default 1e6 times the first scale of B, or 1/(gamma L) with --line-search fixed and a "
     "known L"},
    {"first_step", &Options::first_step, Range::kPositive, 0, "--first-step", "VALUE",
     "Size of the gradient step from x_{-1} to x_0: a number, or lipschitz for 1/(2L); default found by a line search"},
    {"lipschitz", &Options::lipschitz, Range::kPositive, 0, "--lipschitz", "VALUE",
     "L of --safeguard spectrum: a number, or auto for that of the problem; default auto where it is known"},
    {"gtol", &Options::gtol, Range::kNonNegative, 0, "--gtol", "EPS",
     "Stop at |g|_inf <= EPS; 0 never stops on the gradient; default 1e-5"},
    {"gtol_relative", &Options::gtol_relative, Range::kNonNegative, 0, "--gtol-relative", "EPS",
     "Stop at |g|_inf <= EPS |g(start)|_inf; default off"},
    {"ftol", &Options::ftol, Range::kNonNegative, 0, "--ftol", "EPS",
     "Stop when f changes by less than EPS |f|; default off"},
    {"max_iterations", &Options::max_iterations, {}, 0, "--iterations", "K", "At most K iterations; default 100000"},
    {"max_evaluations",
     &Options::max_evaluations,
     {},
     1,
     "--max-evaluations",
     "N",
     "At most N evaluations of f; default no limit"},
    {"max_seconds", &Options::max_seconds, Range::kNonNegative, 0, "--max-seconds", "S",
     "At most S seconds; default no limit"},
};

// The words of the option safeguard.
struct SafeguardWord {
  const char* word;
  Safeguard value;
};
inline constexpr SafeguardWord kSafeguards[] = {
    {"on", Safeguard::kOn}, {"off", Safeguard::kOff}, {"spectrum", Safeguard::kSpectrum}};
inline constexpr const char* kSafeguardWords = "on, off or spectrum";  // for a message

// Puts the value of a word into `safeguard`. False for a word that is none.
inline bool read_safeguard(std::string_view word, Safeguard& safeguard) {
  for (const auto& [known, value] : kSafeguards) {
    if (word != known) continue;
    safeguard = value;
    return true;
  }
  return false;
}

// Options and words under the names that they had before. The next version drops these names; until then a reader of
// options that meets an old name prints deprecation() on standard error.
struct Renamed {
  const char* old_name;
  const char* name;
};
inline constexpr Renamed kRenamed[] = {
    {"lower_bound", "smallest_eigenvalue"}, {"upper_bound", "largest_eigenvalue"}, {"bounded", "spectrum"}};

// The name of today of what was renamed, or the given name.
inline std::string current_name(const std::string& given) {
  for (const auto& [old_name, name] : kRenamed)
    if (given == old_name) return name;
  return given;
}

inline std::string deprecation(const std::string& old_name, const std::string& name) {
  return "'" + old_name + "' is deprecated, use '" + name + "'";
}

// The member, wherever inside `options` it is.
template <class T>
T& member_of(Options& options, T Options::*member) {
  return options.*member;
}
template <class T>
T& member_of(Options& options, T HyperParameters::*member) {
  return options.hyper_parameters.*member;
}

}  // namespace loa
