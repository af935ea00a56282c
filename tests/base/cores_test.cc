// Would catch: a container's limit that is not seen, a limit above the own group that is missed, a variable that is
// misread.
#include "base/cores.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

namespace loa {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

using Files = std::map<std::string, std::string>;

double cores(const std::string& groups, const Files& files) {
  return cores_of_control_group(groups, [&](const std::string& path) {
    const auto file = files.find(path);
    return file == files.end() ? "" : file->second;
  });
}

TEST(Cores, AreAtLeastOne) { EXPECT_GE(default_num_threads(), 1); }

TEST(Cores, OfAQuota) {
  EXPECT_EQ(cores_of_quota("150000 100000\n"), 1.5);
  EXPECT_EQ(cores_of_quota("50000 100000"), 0.5);
  for (const char* text :
       {"max 100000\n", "-1 100000", "-1\n 100000\n", "0 100000", "100000", "100000 0", "", " ", "x y"})
    EXPECT_EQ(cores_of_quota(text), kNone) << text;
}

TEST(Cores, OfAGroupOfVersion2) {
  const Files files = {{"/sys/fs/cgroup/a/b/cpu.max", "400000 100000\n"},
                       {"/sys/fs/cgroup/a/cpu.max", "300000 100000\n"},
                       {"/sys/fs/cgroup/cpu.max", "800000 100000\n"}};
  EXPECT_EQ(cores("0::/a/b\n", files), 3.0) << "the least of all above";
  EXPECT_EQ(cores("0::/a/b/\n", files), 3.0);
  EXPECT_EQ(cores("0::/c/d\n", files), 8.0) << "folders that a container does not show";
  EXPECT_EQ(cores("0::/\n", files), 8.0);
  EXPECT_EQ(cores("0::\n", files), 8.0);
  EXPECT_EQ(cores("0::/a\n", {}), kNone);
}

TEST(Cores, OfAGroupOfVersion1) {
  const Files files = {{"/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "250000\n"},
                       {"/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n"},
                       {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"},
                       {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"},
                       {"/sys/fs/cgroup/cpuset/cpu.cfs_quota_us", "1\n"},
                       {"/sys/fs/cgroup/cpuset/cpu.cfs_period_us", "100000\n"}};
  EXPECT_EQ(cores("5:memory:/x\n4:cpu,cpuacct:/box\n3:cpuset:/\n0::/\n", files), 2.5);
  EXPECT_EQ(cores("4:cpu,cpuacct:/\n", files), kNone);
}

TEST(Cores, OfATextThatIsNoListOfGroups) {
  for (const char* text : {"", "\n", "0", "0:", "no colon\n", "0::relative\n", "::::"})
    EXPECT_EQ(cores(text, {}), kNone);
}

TEST(Cores, OfTheVariable) {
  EXPECT_EQ(threads_of_variable("4"), 4);
  EXPECT_EQ(threads_of_variable(" 4 "), 4);
  EXPECT_EQ(threads_of_variable("4,2"), 4);
  for (const char* text : {"", "0", "-2", "four", "4x", "4.5", "99999999999"})
    EXPECT_EQ(threads_of_variable(text), 0) << text;
}

}  // namespace
}  // namespace loa
