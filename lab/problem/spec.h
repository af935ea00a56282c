// SPEC, the text that names a problem: `name`, `name:variant`, `name:key=value,...` or `name:variant,key=value,...`.
//
// Values may contain anything but a comma. Each getter marks its key as known; finish() then complains about the rest,
// so a misspelt key is an error and never ignored. The first mistake is kept, later ones are dropped.
#pragma once

#include <map>
#include <set>
#include <string>

#include "loa/error.h"
#include "loa/problem.h"

namespace loa {

class Spec {
 public:
  // Returns what is wrong, if anything is.
  static Error parse(const std::string& text, Spec& spec);

  const std::string& text() const { return text_; }        // the whole SPEC
  const std::string& name() const { return name_; }        // before the colon
  const std::string& variant() const { return variant_; }  // the part without '=', may be empty

  bool has(const std::string& key) const;
  std::string text_value(const std::string& key, const std::string& otherwise);
  // An integer in [low, high].
  Index integer(const std::string& key, Index otherwise, Index low, Index high);
  // A finite real in [low, high].
  double real(const std::string& key, double otherwise, double low, double high);
  // One of the given words, the first being the default.
  std::string choice(const std::string& key, const std::set<std::string>& words, const std::string& otherwise);

  // Records a mistake found by the caller, in the words "PROBLEM: found ..., expected ...".
  void fail(const std::string& what);

  // The first mistake, or a complaint about a key that nobody asked for, or no error. The text starts with the
  // spec.
  Error finish() const;

 private:
  std::string text_, name_, variant_;
  std::map<std::string, std::string> values_;
  std::set<std::string> known_;
  std::string error_;
};

// Makers, one a family, each in its own file. A maker fills everything in `problem` but the name, and reports mistakes
// through the spec; the registry calls spec.finish() afterwards.
void make_quadratic(Spec& spec, Problem& problem);
void make_logistic(Spec& spec, Problem& problem);
void make_ridge(Spec& spec, Problem& problem);
void make_rosenbrock(Spec& spec, Problem& problem);          // extended: independent pairs
void make_chained_rosenbrock(Spec& spec, Problem& problem);  // sum over i of 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2
void make_mgh(Spec& spec, Problem& problem);                 // mgh:NAME[,n=..][,m=..]
void make_synthetic(Spec& spec, Problem& problem);           // synthetic:FAMILY[,seed=..][,n=..]
void make_grid(Spec& spec, Problem& problem);                // grid:NAME[,n=..][,start=..][,seed=..], origin.h
void make_chain(Spec& spec, Problem& problem);               // chain:NAME, likewise
void make_likelihood(Spec& spec, Problem& problem);          // likelihood:NAME[,n=..][,seed=..]
void make_regression(Spec& spec, Problem& problem);          // regression:NAME[,start=near|far][,seed=..]
void make_geometry(Spec& spec, Problem& problem);            // geometry:NAME[,n=..][,seed=..]
void make_pinn(Spec& spec, Problem& problem);                // pinn:EQUATION[,layers=..][,width=..]
void make_family(Spec& spec, Problem& problem);              // family:NAME[,seed=..][,member=..], families.h
void make_box(Spec& spec, Problem& problem);                 // box:NAME, with bounds

// For SPECs of all other families: the keys active=SHARE and bounds=SEED. An error where no bounds can be drawn.
// REQUIRES: the problem is made.
struct BoundsDraw {
  double share = 0.0;
  Index seed = 0;
};
Error draw_bounds(const BoundsDraw& draw, Problem& problem);

// The variants of the families that have variants, with one line each.
const std::vector<ProblemInfo>& mgh_problems();
const std::vector<ProblemInfo>& synthetic_problems();
const std::vector<ProblemInfo>& grid_problems();
const std::vector<ProblemInfo>& chain_problems();
const std::vector<ProblemInfo>& likelihood_problems();
const std::vector<ProblemInfo>& regression_problems();
const std::vector<ProblemInfo>& geometry_problems();
const std::vector<ProblemInfo>& pinn_problems();
const std::vector<ProblemInfo>& family_problems();
const std::vector<ProblemInfo>& box_problems();

}  // namespace loa
