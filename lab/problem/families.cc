#include "problem/families.h"

#include <new>
#include <utility>

#include "base/text.h"

namespace loa {
namespace {

struct Kind {
  const char* name;
  std::unique_ptr<Sequence> (*make)(Spec&);
  const char* description;
};

constexpr Kind kKinds[] = {
    {"logistic", make_logistic_sequence,
     "logistic regression with falling l2 on five folds, 100 members; data=FILE or m=400, n=40; member=0, seed=0"},
    {"process", make_process_sequence,
     "hyper-parameters of a Gaussian process, 20 members; n=8 (3 to 32), points=80, member=0, seed=0"},
    {"control", make_control_sequence,
     "the forces on the cart of a crane, 30 members; n=40 (2 to 200), member=0, seed=0"},
    {"inverse", make_inverse_sequence,
     "the coefficient of an elliptic equation, 20 members; n=144 (k^2, 16 to 2500), member=0, seed=0"},
};

std::unique_ptr<Sequence> make_from(Spec& spec) {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) {
    if (spec.variant() == kind.name) return kind.make(spec);
    names.emplace_back(kind.name);
  }
  spec.fail("found the variant " + quote(spec.variant()) + ", expected one of " + join(names) +
            suggestion(spec.variant(), names));
  return nullptr;
}

}  // namespace

Error make_sequence(const std::string& text, std::unique_ptr<Sequence>& sequence) {
  Spec spec;
  if (const Error wrong = Spec::parse(text, spec)) return wrong;
  if (spec.name() != "family") return printable(text) + ": found " + quote(spec.name()) + ", expected family:NAME";
  std::unique_ptr<Sequence> made;
  try {
    made = make_from(spec);
  } catch (const std::bad_alloc&) {
    spec.fail("not enough memory for a sequence of this size");
  }
  if (Error mistake = spec.finish()) return printable(mistake.message());
  sequence = std::move(made);
  return {};
}

void make_family(Spec& spec, Problem& problem) {
  const std::unique_ptr<Sequence> sequence = make_from(spec);
  if (sequence == nullptr) return;
  problem = sequence->member(spec.integer("member", 0, 0, sequence->size() - 1));
}

const std::vector<ProblemInfo>& family_problems() {
  static const std::vector<ProblemInfo> infos = [] {
    std::vector<ProblemInfo> list;
    for (const Kind& kind : kKinds) list.push_back({std::string("family:") + kind.name, kind.description});
    return list;
  }();
  return infos;
}

}  // namespace loa
