// Runs the program as a user would and returns what it said.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "paths.h"
#include "support/temporary_path.h"

namespace loa {

struct ProgramResult {
  int status = -1;  // the exit status; -1 when it was killed
  std::string out;
  std::string err;
};

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
}

// `arguments` as typed in a shell; `prefix` may set variables or change the folder ("cd /x && ").
inline ProgramResult run_program(const std::string& arguments, const std::string& prefix = "") {
  const TemporaryFolder folder;
  const std::string command =
      prefix + "'" LOA_PROGRAM "' " + arguments + " >'" + folder / "out" + "' 2>'" + folder / "err" + "' </dev/null";
  const int status = std::system(command.c_str());
  return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .out = read_text(folder / "out"),
          .err = read_text(folder / "err")};
}

// Figures are drawn by gnuplot; tests that look at them skip without it.
inline bool has_gnuplot() { return std::system("command -v gnuplot >/dev/null 2>&1") == 0; }

}  // namespace loa
