#include "base/cores.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace loa {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

int cores_of_affinity() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

int default_num_threads() {
  if (const char* variable = std::getenv("OMP_NUM_THREADS"))
    if (const int threads = threads_of_variable(variable); threads > 0) return threads;
  // Half a core is a core too: rounded up, the quota can be used to its end.
  const double quota = std::ceil(cores_of_control_group(text_of("/proc/self/cgroup"), text_of));
  const int cores = cores_of_affinity();
  return std::max(1, quota < cores ? static_cast<int>(quota) : cores);
}

int threads_of_variable(const std::string& text) {
  int threads = 0;
  std::istringstream stream(text);
  stream >> threads;
  const int next = stream.fail() ? 0 : (stream >> std::ws).peek();
  return next == std::istringstream::traits_type::eof() || next == ',' ? std::max(0, threads) : 0;
}

double cores_of_quota(const std::string& text) {
  double quota = 0.0, period = 0.0;
  std::istringstream(text) >> quota >> period;
  return quota > 0.0 && period > 0.0 ? quota / period : std::numeric_limits<double>::infinity();
}

double cores_of_control_group(const std::string& groups,
                              const std::function<std::string(const std::string& path)>& read) {
  double least = std::numeric_limits<double>::infinity();
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {  // ID:CONTROLLERS:PATH, without controllers in version 2
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && ("," + controllers + ",").find(",cpu,") == std::string::npos) continue;
    const std::string root = controllers.empty() ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controllers;
    // From the group up to the root. A container may show the root alone, so a folder that is missing limits nothing.
    std::string path = line.substr(second + 1);
    for (bool at_root = false; !at_root;) {
      path.resize(std::min(path.size(), path.find_last_not_of('/') + 1));
      at_root = path.empty();
      const std::string folder = root + path;
      least = std::min(least, cores_of_quota(controllers.empty() ? read(folder + "/cpu.max")
                                                                 : read(folder + "/cpu.cfs_quota_us") + " " +
                                                                       read(folder + "/cpu.cfs_period_us")));
      path.resize(path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
    }
  }
  return least;
}

}  // namespace loa
