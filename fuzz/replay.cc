// Runs targets on the files of their corpus, for builds without libFuzzer. Files whose name begins with "good" must be
// taken: otherwise a reader that refuses everything would do.
//
//   loa_fuzz_replay TARGET FOLDER
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz/target.h"

int main(int argc, char** argv) {
  using loa::fuzz::targets;
  if (argc != 3 || !targets().contains(argv[1])) {
    std::fprintf(stderr, "usage: loa_fuzz_replay TARGET FOLDER, with a target among");
    for (const auto& [name, unused] : targets()) std::fprintf(stderr, " %s", name.c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[2])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& path : files) {
    std::ifstream stream(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    std::fprintf(stderr, "%s\n", path.filename().c_str());  // the last one is the culprit
    const bool taken = targets().at(argv[1])(bytes);
    loa::fuzz::require(
        taken || !path.filename().string().starts_with("good"), "a good file is taken",
        path.filename().string() + ", refused; tools/make_fuzz_corpus writes the files that a change makes stale");
  }
  std::printf("%s: %zu files\n", argv[1], files.size());
  return files.empty() ? 1 : 0;
}
