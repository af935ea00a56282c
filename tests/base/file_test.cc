// Would catch: a reader that waits for a FIFO, reads a device without end, takes memory before it has looked at the
// size of a file, or refuses the pipes of a shell.
#include "base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "support/run_program.h"

namespace loa {
namespace {

using testing::HasSubstr;

TEST(ReadFile, ReadsRegularFilesAndLinksToThem) {
  const TemporaryFolder folder;
  const std::string content = std::string(200'000, 'x') + '\0' + "end";
  write_text(folder / "file", content);
  std::filesystem::create_symlink(folder / "file", folder / "link");
  std::string bytes;
  ASSERT_EQ(read_file(folder / "file", bytes).message(), "");
  EXPECT_TRUE(bytes == content);
  ASSERT_EQ(read_file(folder / "link", bytes).message(), "");
  EXPECT_TRUE(bytes == content);
  write_text(folder / "empty", "");
  ASSERT_EQ(read_file(folder / "empty", bytes).message(), "");
  EXPECT_EQ(bytes, "");
}

TEST(ReadFile, RefusesWhatMayNeverEndOrBegin) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  std::filesystem::create_symlink(folder / "fifo", folder / "link");
  std::string bytes = "old";
  EXPECT_EQ(read_file(folder / "fifo", bytes).message(), folder / "fifo" + ": found a FIFO, expected a file");
  EXPECT_EQ(read_file(folder / "link", bytes).message(), folder / "link" + ": found a FIFO, expected a file");
  EXPECT_EQ(read_file(folder.string(), bytes).message(), folder.string() + ": found a directory, expected a file");
  EXPECT_EQ(read_file("/dev/zero", bytes).message(), "/dev/zero: found a device, expected a file");
  EXPECT_EQ(read_file(folder / "none", bytes).message(), folder / "none" + ": found no such file, expected a file");
  EXPECT_EQ(read_file("", bytes).message(), ": found no such file, expected a file");
  EXPECT_EQ(bytes, "old");
}

// The file is a hole: it takes no space on the disk, and would take as much memory as it says.
TEST(ReadFile, RefusesALargeFileBeforeItTakesMemory) {
  const TemporaryFolder folder;
  write_text(folder / "hole", "");
  std::filesystem::resize_file(folder / "hole", std::uintmax_t{1} << 40);
  std::string bytes = "old";
  EXPECT_THAT(read_file(folder / "hole", bytes).message(),
              HasSubstr("found 1099511627776 bytes, expected a file of at most "));
  EXPECT_EQ(read_file(folder / "hole", bytes, {.expected = "a short one", .largest = 100}).message(),
            folder / "hole" + ": found 1099511627776 bytes, expected a short one of at most 100");
  std::filesystem::resize_file(folder / "hole", 100);
  EXPECT_EQ(read_file(folder / "hole", bytes, {.largest = 100}).message(), "");
  EXPECT_EQ(bytes.size(), 100u);
  std::filesystem::resize_file(folder / "hole", 101);
  EXPECT_NE(read_file(folder / "hole", bytes, {.largest = 100}).message(), "");
}

TEST(ReadFile, StopsAtAZeroByteOfAText) {
  const TemporaryFolder folder;
  write_text(folder / "binary", std::string(1'000'000, '\0'));
  std::string bytes;
  ASSERT_EQ(read_file(folder / "binary", bytes, kDataFile).message(), "");
  EXPECT_LT(bytes.size(), 1'000'000u);
  EXPECT_NE(bytes.find('\0'), std::string::npos) << "the reader must see it to complain";
}

// A pipe as a shell makes it: without a name, but /dev/fd leads to it.
class ReadPipe : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::pipe(ends_), 0); }
  void TearDown() override {
    for (const int end : ends_) ::close(end);
  }
  std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }
  void put_and_end(const std::string& text) {
    ASSERT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(ends_[1]);
    ends_[1] = ::dup(ends_[0]);  // to be closed at the end
  }

  int ends_[2] = {-1, -1};
};

TEST_F(ReadPipe, ToItsEnd) {
  put_and_end("1,2\n");
  std::string bytes;
  ASSERT_EQ(read_file(path(), bytes).message(), "");
  EXPECT_EQ(bytes, "1,2\n");
}

TEST_F(ReadPipe, UpToALimit) {
  put_and_end(std::string(1000, 'x'));
  std::string bytes = "old";
  EXPECT_EQ(read_file(path(), bytes, {.largest = 999}).message(),
            path() + ": found more than 999 bytes, expected a file of at most 999");
  EXPECT_EQ(bytes, "old");
}

}  // namespace
}  // namespace loa
