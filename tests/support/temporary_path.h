// A place for a test's file. Tests run as processes of their own at the same time, so the name has the process in it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace loa {

inline std::string temporary_path(const std::string& name) {
  return testing::TempDir() + "loa-" + std::to_string(::getpid()) + "-" + name;
}

}  // namespace loa
