// Places for the files of tests. Tests run as processes of their own at the same time, so the names are new.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace loa {

// A folder of one's own that goes away with the object; a child that was forked leaves it alone.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::path(testing::TempDir()) / "loa-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no temporary folder at " << name;
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (::getpid() == process_) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string string() const { return path_.string(); }

 private:
  ::pid_t process_ = ::getpid();
  std::filesystem::path path_;
};

// A path in a folder that goes away with the process.
inline std::string temporary_path(const std::string& name) {
  static const TemporaryFolder folder;
  return folder / name;
}

}  // namespace loa
