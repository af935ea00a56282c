#include "cli/own_problems.h"

#include "cli/commands.h"

namespace loa::cli {

OwnProblems own_problems_of(const std::vector<std::string>& specs, const std::string& library) {
  if (!specs.empty() && !library.empty())
    throw Mistake("--problems-library: found --problems beside it, expected one of them");
  OwnProblems problems;
  refuse_if(library.empty() ? own_problems(specs, problems) : own_problems_of_library(library, problems));
  return problems;
}

Json certificate_json(const Certificate& certificate) {
  Json rows = Json::array();
  for (const CertificateRow& row : certificate.rows)
    rows.push_back({{"evaluations", row.evaluations}, {"reached", row.reached}, {"probability", row.probability}});
  return {{"algorithm", certificate.algorithm},
          {"members", certificate.members},
          {"confidence", certificate.confidence},
          {"gtol", certificate.gtol},
          {"rows", rows}};
}

}  // namespace loa::cli
