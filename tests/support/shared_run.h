// What the expensive commands of the program printed and wrote. Fixtures of ctest run each of them once
// (tests/CMakeLists.txt); where their files are missing or older than the program, as in a test that is run by hand,
// the test runs the command itself.
#pragma once

#include <string>
#include <system_error>

#include "support/run_program.h"

namespace loa {

inline const std::filesystem::path kFixtures = LOA_BINARY_DIR "/fixtures";

// `name`: of the file that a fixture leaves when its command has succeeded.
inline bool has_fixture(const std::string& name) {
  std::error_code error;
  const auto made = std::filesystem::last_write_time(kFixtures / name, error);
  return !error && made > std::filesystem::last_write_time(LOA_PROGRAM);
}

inline ProgramResult shared_run(const std::string& name, const std::string& arguments) {
  if (has_fixture(name)) return {.status = 0, .out = read_text(kFixtures / name), .err = ""};
  return run_program(arguments);
}

inline ProgramResult shared_check() { return shared_run("check.txt", "check"); }
inline ProgramResult shared_check_json() { return shared_run("check.json", "check --json"); }

// The folder and the output of `loa reproduce --quick --jobs 2`.
class SharedReport {
 public:
  SharedReport()
      : is_fixture_(has_fixture("reproduce.txt")),
        result_(shared_run("reproduce.txt", "reproduce --quick --jobs 2 --out '" + own_ / "report" + "'")) {}

  const ProgramResult& result() const { return result_; }
  std::string operator/(const std::string& name) const {
    return is_fixture_ ? (kFixtures / "report" / name).string() : own_ / ("report/" + name);
  }

 private:
  TemporaryFolder own_;
  bool is_fixture_;
  ProgramResult result_;
};

}  // namespace loa
