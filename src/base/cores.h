// How many threads the process may keep busy, as the user, the system and a container say.
#pragma once

#include <functional>
#include <string>

namespace loa {

// OMP_NUM_THREADS if it is set, and otherwise the number of cores that the affinity of the calling thread and the
// limits of its control group leave. At least 1.
int default_num_threads();

// The first number of a value of OMP_NUM_THREADS, such as 4 of "4,2"; 0 where there is none or it is not positive.
int threads_of_variable(const std::string& text);

// How many cores a quota allows: "QUOTA PERIOD" as in the file cpu.max of a control group, version 2. Infinity for a
// text that limits nothing, such as "max 100000" or "-1 100000".
double cores_of_quota(const std::string& text);

// The least quota of a process's control group and those above it, of version 2 (cpu.max) or 1 (cpu.cfs_quota_us and
// cpu.cfs_period_us). `groups` is the text of /proc/self/cgroup; read(path) returns the text of a file, or "".
double cores_of_control_group(const std::string& groups,
                              const std::function<std::string(const std::string& path)>& read);

}  // namespace loa
