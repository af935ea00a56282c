// Problems of one's own from the command line, and certificates as JSON.
#pragma once

#include <string>
#include <vector>

#include "cli/json.h"
#include "loa/own_problems.h"

namespace loa::cli {

// From --problems or --problems-library, of which one is given. Throws Mistake.
OwnProblems own_problems_of(const std::vector<std::string>& specs, const std::string& library);

Json certificate_json(const Certificate& certificate);

}  // namespace loa::cli
