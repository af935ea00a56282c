// Would catch: a temporary file that stays after a kill, one of a living writer that is removed, a lock that a killed
// run leaves, one that two runs get, one whose file stays.
#include "files/file_lock.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>

#include "base/file.h"
#include "support/run_program.h"

namespace loa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::set<std::string> names(const TemporaryFolder& folder) {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder.string()))
    found.insert(entry.path().filename().string());
  return found;
}

// As a writer that lives holds its temporary file.
class Held {
 public:
  explicit Held(const std::string& path) : fd_(open(path.c_str(), O_WRONLY | O_CREAT, 0600)) {
    EXPECT_EQ(flock(fd_, LOCK_EX | LOCK_NB), 0);
  }
  ~Held() { close(fd_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  int fd_;
};

TEST(WriteFile, RemovesWhatAKilledWriterOfTheSameFileLeft) {
  const TemporaryFolder folder;
  for (const char* name : {"a.tmp-17-0", "a.tmp-4-11", "b.tmp-17-1", "a.tmp-17", "a.tmp-x-1", "ab.tmp-1-1"})
    write_text(folder / name, "half");
  std::filesystem::create_directory(folder / "a.tmp-5-5");
  const Held held(folder / "a.tmp-18-0");
  EXPECT_EQ(write_file(folder / "a", "whole").message(), "");
  EXPECT_EQ(read_text(folder / "a"), "whole");
  EXPECT_THAT(names(folder),
              ElementsAre("a", "a.tmp-17", "a.tmp-18-0", "a.tmp-5-5", "a.tmp-x-1", "ab.tmp-1-1", "b.tmp-17-1"));
}

TEST(WriteFile, SweepsAWholeFolderButWhatIsHeld) {
  const TemporaryFolder folder;
  for (const char* name : {"a.tmp-17-0", "b.tmp-17-1", ".tmp-1-1", "kept"}) write_text(folder / name, "half");
  const Held held(folder / "c.tmp-18-0");
  sweep_folder(folder.string());
  EXPECT_THAT(names(folder), ElementsAre(".tmp-1-1", "c.tmp-18-0", "kept"));
  sweep_folder(folder / "missing");
  EXPECT_EQ(write_file(folder / "a", "1").message(), "");
  EXPECT_THAT(names(folder), ElementsAre(".tmp-1-1", "a", "c.tmp-18-0", "kept"));
}

TEST(WriteFile, LeavesNothingWhenItFails) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a");
  EXPECT_THAT(write_file(folder / "a", "1").message(), HasSubstr("not a regular file"));
  EXPECT_THAT(write_file(folder / "no/b", "1").message(), HasSubstr("cannot be written"));
  EXPECT_THAT(names(folder), ElementsAre("a"));
}

TEST(FileLock, IsHeldByOneAtATimeAndLeavesNoFile) {
  const TemporaryFolder folder;
  const std::string path = folder / "w.lock";
  FileLock first, second;
  ASSERT_EQ(first.acquire(path, "--out 'w'").message(), "");
  EXPECT_EQ(second.acquire(path, "--out 'w'").message(),
            "--out 'w': found another run that writes there, expected none (it holds " + path + ")");
  first.release();
  EXPECT_THAT(names(folder), ElementsAre());
  EXPECT_EQ(second.acquire(path, "--out 'w'").message(), "");
  first.release();  // again, which must not take away what is another's now
  EXPECT_THAT(names(folder), ElementsAre("w.lock"));
}

TEST(FileLock, GoesWithAKilledProcess) {
  const TemporaryFolder folder;
  const std::string path = folder / "w.lock";
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    FileLock lock;
    const bool got = lock.acquire(path, "w").message().empty();
    if (write(ready[1], got ? "y" : "n", 1) != 1) _exit(1);
    while (true) pause();
  }
  char answer = 'n';
  ASSERT_EQ(read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  FileLock lock;
  EXPECT_THAT(lock.acquire(path, "w").message(), HasSubstr("another run"));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(path)) << "the file stays, the lock does not";
  EXPECT_EQ(lock.acquire(path, "w").message(), "");
  for (const int end : ready) close(end);
}

TEST(FileLock, SaysWhyItsFileCannotBeMade) {
  const TemporaryFolder folder;
  FileLock lock;
  EXPECT_THAT(lock.acquire(folder / "no/w.lock", "w").message(), HasSubstr("no/w.lock: cannot be locked: "));
}

}  // namespace
}  // namespace loa
