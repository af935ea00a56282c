#include "experiment/run_cache.h"

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <sstream>

#include "base/file.h"
#include "core/counts.h"
#include "files/sha256.h"

namespace loa {
namespace {

// Words with blanks between them; a double as hexadecimal text, which strtod reads back exactly.
class Writer {
 public:
  void add(std::int64_t value) { text_ += std::to_string(value) + ' '; }
  void add(double value) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%a ", value);
    text_ += buffer;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class EntryReader {
 public:
  explicit EntryReader(const std::string& text) : words_(text) {}
  void get(std::int64_t& value) {
    if (!(words_ >> value)) good_ = false;
  }
  void get(double& value) {
    std::string word;
    char* end = nullptr;
    if (words_ >> word) value = std::strtod(word.c_str(), &end);
    if (end == nullptr || *end != '\0') good_ = false;
  }
  bool good() const { return good_; }

 private:
  std::istringstream words_;
  bool good_ = true;
};

// The members in one order, for both directions.
template <typename Visitor, typename Run>
void visit(Run& run, Visitor&& visitor) {
  visitor(run.f_start);
  visitor(run.f);
  visitor(run.grad_inf_norm);
  visitor(run.iterations);
  for_each_count(run.evaluations, [&visitor](const char*, auto& count) { visitor(count); });
  for_each_count(run.fallbacks, [&visitor](const char*, auto& count) { visitor(count); });
  visitor(run.seconds);
}

template <typename Visitor, typename Row>
void visit_row(Row& row, Visitor&& visitor) {
  visitor(row.iteration);
  visitor(row.f);
  visitor(row.grad_inf_norm);
  visitor(row.step_size);
  visitor(row.evaluations);
}

}  // namespace

bool RunCache::find(const std::string& key, ComparedRun& run) const {
  std::string body;
  if (!read(key, body)) return false;
  EntryReader reader(body);
  ComparedRun found;
  std::int64_t status = 0, reached_gap = 0, rows = 0;
  reader.get(status);
  reader.get(reached_gap);
  visit(found, [&](auto& value) { reader.get(value); });
  reader.get(rows);
  for (std::int64_t i = 0; i < rows && reader.good(); ++i)
    visit_row(found.trace.emplace_back(), [&](auto& value) { reader.get(value); });
  if (!reader.good() || status < 0 || status > std::numeric_limits<int>::max()) return false;
  found.status = static_cast<Status>(status);
  if (name(found.status) == "unknown" || (reached_gap != 0 && reached_gap != 1)) return false;
  found.reached_gap = reached_gap != 0;
  found.problem = run.problem;
  found.algorithm = run.algorithm;
  found.start = run.start;
  run = std::move(found);
  return true;
}

void RunCache::keep(const std::string& key, const ComparedRun& run) const {
  if (folder_.empty()) return;
  Writer writer;
  writer.add(static_cast<std::int64_t>(run.status));
  writer.add(std::int64_t{run.reached_gap});
  visit(run, [&](const auto& value) { writer.add(value); });
  writer.add(static_cast<std::int64_t>(run.trace.size()));
  for (const TraceRow& row : run.trace) visit_row(row, [&](const auto& value) { writer.add(value); });
  write(key, writer.text());
}

bool RunCache::find(const std::string& key, Optimum& optimum) const {
  std::string body;
  if (!read(key, body)) return false;
  EntryReader reader(body);
  Optimum found;
  reader.get(found.f);
  reader.get(found.grad_inf_norm);
  if (!reader.good()) return false;
  found.source = "newton";  // the only one that is worth keeping
  optimum = found;
  return true;
}

void RunCache::keep(const std::string& key, const Optimum& optimum) const {
  Writer writer;
  writer.add(optimum.f);
  writer.add(optimum.grad_inf_norm);
  write(key, writer.text());
}

std::string RunCache::path(const std::string& key) const {
  return (std::filesystem::path(folder_) / (sha256(key).substr(0, 24) + ".run")).string();
}

bool RunCache::read(const std::string& key, std::string& body) const {
  std::string bytes;
  if (folder_.empty() || read_file(path(key), bytes)) return false;
  // A header line with the hash of the body: a file that was cut or changed is not used.
  const std::size_t end = bytes.find('\n');
  if (end == std::string::npos || bytes.substr(0, end) != sha256(key + bytes.substr(end + 1))) return false;
  body = bytes.substr(end + 1);
  return true;
}

void RunCache::write(const std::string& key, const std::string& body) const {
  if (folder_.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  (void)write_file(path(key),
                   sha256(key + body) + "\n" + body);  // a cache that cannot be written costs time, not results
}

}  // namespace loa
