// The seam between `tools/bench` and the libraries it compares: a file that defines solvers() becomes, with main.cc, a
// program that can be timed. Programs of their own, so that no library is compiled with the flags of another.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace bench {

// f : R^n -> R as every library can be given it. The pointers are to n doubles that do not overlap.
class Function {
 public:
  virtual ~Function() = default;
  virtual std::ptrdiff_t dimension() const = 0;
  virtual double value(const double* x) = 0;
  virtual double value_and_gradient(const double* x, double* grad) = 0;
  virtual void gradient(const double* x, double* grad) { value_and_gradient(x, grad); }
};

struct Task {
  Function& f;
  const std::vector<double>& start;
  int iterations = 0;  // how many to make; no other test may end the run, but for
  double gtol = 0.0;   // ||g||_inf of a solution, where that is not 0; loa's own solvers know it
  int memory = 10;     // m, the pairs that limited-memory solvers keep
};

// What an iteration costs besides f: O(n^2), or O(m n).
enum class Kind { kDense, kLimited };

struct Solver {
  std::string name;
  Kind kind;
  // Returns the iterations made. What goes wrong inside ends the run early and is no exception.
  std::function<int(const Task&)> run;
};

// Defined by the file of each library.
std::vector<Solver> solvers();

}  // namespace bench
