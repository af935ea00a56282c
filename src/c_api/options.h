// Options by name, for languages that cannot see the struct.
#pragma once

#include <string>
#include <vector>

#include "loa/error.h"
#include "loa/options.h"

namespace loa {

// The names that set_option understands, those of the members of Options and HyperParameters.
const std::vector<std::string>& option_names();

// Both return no error, or one line that says what was found and what was expected; then nothing has changed.
Error set_option(Options& options, const std::string& name, const std::string& value);
Error set_option(Options& options, const std::string& name, double value);

}  // namespace loa
