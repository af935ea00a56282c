#include <stdexcept>

#include "base/text.h"
#include "line_search/hager_zhang.h"
#include "line_search/more_thuente.h"
#include "line_search/simple_searches.h"
#include "line_search/weak_wolfe.h"

namespace loa {

const std::vector<LineSearchInfo>& line_searches() {
  static const std::vector<LineSearchInfo> infos = {
      {"fixed", "the unit step as the algorithm made it"},
      {"paper", "backtracking of the program published with the paper: Armijo 1e-2, factor 0.1, 5 trials"},
      {"more-thuente", "strong Wolfe conditions by safeguarded cubic interpolation"},
      {"hager-zhang", "weak Wolfe conditions by double secant steps"},
      {"weak-wolfe", "weak Wolfe conditions by cubic steps in a bracket, with few trials"},
      {"exact", "the minimizer along the direction for quadratics, by a Hessian-vector product"},
  };
  return infos;
}

std::shared_ptr<const LineSearch> make_line_search(const std::string& name, const WolfeConstants& constants) {
  if (!(constants.c1 > 0.0 && constants.c1 < 0.5 && constants.c2 >= constants.c1 && constants.c2 < 1.0))
    throw std::invalid_argument("line search: expected 0 < c1 < 1/2 and c1 <= c2 < 1; found c1 = " +
                                std::to_string(constants.c1) + ", c2 = " + std::to_string(constants.c2));
  const std::string wanted = lower_case(name);
  if (wanted == "fixed") return std::make_shared<FixedStep>();
  if (wanted == "paper") return std::make_shared<PaperSearch>();
  if (wanted == "more-thuente") return std::make_shared<MoreThuente>(constants);
  if (wanted == "hager-zhang") return std::make_shared<HagerZhang>(constants);
  if (wanted == "weak-wolfe") return std::make_shared<WeakWolfe>(constants);
  if (wanted == "exact") return std::make_shared<ExactSearch>();
  std::vector<std::string> known;
  for (const LineSearchInfo& info : line_searches()) known.push_back(info.name);
  throw std::invalid_argument("line search: found " + quote(name) + ", expected one of " + join(known) +
                              suggestion(wanted, known));
}

}  // namespace loa
