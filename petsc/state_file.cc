#include "state_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

namespace loa_tao {
namespace {

std::string process_of(int rank, int size) { return "process " + std::to_string(rank) + " of " + std::to_string(size); }

}  // namespace

std::string state_path(const std::string& prefix, int rank) { return prefix + "." + std::to_string(rank); }

loa::Error save_run(const std::string& prefix, const MpiReduction& processes, const loa::State& state,
                    double grad_norm_start) {
  const std::string path = state_path(prefix, processes.rank()), unfinished = path + ".new";
  char head[128];
  std::snprintf(head, sizeof head, "loa_tao 1 %d %d %a\n", processes.rank(), processes.num_processes(),
                grad_norm_start);
  {
    std::ofstream file(unfinished, std::ios::binary);
    file << head << loa::state_bytes(state);
    file.close();
    if (!file) return unfinished + ": found no way to write it (" + std::strerror(errno) + "), expected a file";
  }
  if (std::rename(unfinished.c_str(), path.c_str()) != 0)
    return path + ": found no way to replace it (" + std::strerror(errno) + "), expected a file";
  return {};
}

loa::Error load_run(const std::string& prefix, const MpiReduction& processes, SavedRun& run) {
  const std::string path = state_path(prefix, processes.rank());
  std::ifstream file(path, std::ios::binary);
  if (!file) return path + ": found no file that can be read, expected the state of a run";
  std::string head;
  std::getline(file, head);
  int rank = 0, size = 0;
  if (std::sscanf(head.c_str(), "loa_tao 1 %d %d %la", &rank, &size, &run.grad_norm_start) != 3)
    return path + ": found another first line, expected \"loa_tao 1 RANK SIZE GNORM0\"";
  if (rank != processes.rank() || size != processes.num_processes())
    return path + ": found the state of " + process_of(rank, size) + ", expected that of " +
           process_of(processes.rank(), processes.num_processes());
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (const loa::Error error = loa::state_from_bytes(bytes, run.state)) return path + ": " + error.message();
  return {};
}

}  // namespace loa_tao
