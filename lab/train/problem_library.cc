// Problems from a shared library with a C interface, loa_problems of loa.h.
#include <dlfcn.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

#include "base/text.h"
#include "loa.h"
#include "loa/own_problems.h"

namespace loa {
namespace {

class LibraryObjective final : public Objective {
 public:
  LibraryObjective(const loa_problems& table, std::int64_t member, Index n) : table_(table), member_(member), n_(n) {}
  Index dimension() const override { return n_; }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    return table_.value_and_gradient(member_, n_, x.data(), grad.data(), table_.user);
  }

 private:
  const loa_problems& table_;
  std::int64_t member_;
  Index n_;
};

OwnProblem member_of(const loa_problems& table, std::uint64_t number, const std::string& path) {
  const auto member = static_cast<std::int64_t>(number);
  const std::int64_t n = table.dimension(member, table.user);
  if (!(n >= 1))
    throw std::invalid_argument(printable(path) + ": expected at least one variable in member " +
                                std::to_string(member) + ", found " + std::to_string(n));
  OwnProblem problem{std::make_unique<LibraryObjective>(table, member, n), Vector::Zero(n)};
  table.start(member, n, problem.start.data(), table.user);
  return problem;
}

}  // namespace

Error own_problems_of_library(const std::string& path, OwnProblems& problems) {
  // Without a slash dlopen would look in the folders of the system.
  const std::string file = path.find('/') == path.npos ? "./" + path : path;
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return printable(path) + ": expected a shared library; " + printable(reason == nullptr ? "found none" : reason);
  }
  const auto function = reinterpret_cast<loa_problems_function>(dlsym(library, LOA_PROBLEMS_FUNCTION));
  if (function == nullptr)
    return printable(path) + ": expected the function " LOA_PROBLEMS_FUNCTION " of loa.h, found none of that name";
  const loa_problems* table = function();
  if (table == nullptr)
    return printable(path) + ": expected problems from " LOA_PROBLEMS_FUNCTION ", found a null pointer";
  if (table->struct_size < static_cast<std::int64_t>(sizeof(loa_problems)))
    return printable(path) + ": expected struct_size = sizeof(loa_problems), " + std::to_string(sizeof(loa_problems)) +
           ", found " + std::to_string(table->struct_size);
  if (table->dimension == nullptr || table->start == nullptr || table->value_and_gradient == nullptr)
    return printable(path) + ": expected dimension, start and value_and_gradient, found a null pointer among them";
  if (table->count < 0)
    return printable(path) + ": expected a count of 0 or more, found " + std::to_string(table->count);
  problems = {[table, path](std::uint64_t number) { return member_of(*table, number, path); }, table->count,
              printable(path)};
  return {};
}

}  // namespace loa
