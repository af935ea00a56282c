// What a long run shows while it works, and how it is interrupted.
#pragma once

#include <chrono>
#include <string>

namespace loa::cli {

// A line on standard error. On a terminal it is rewritten in place, ten times a second after the first half second;
// elsewhere it is a new line every ten seconds. A short run shows nothing.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Whether it is time to show something: cheap, to be asked after each iteration.
  bool is_due() const { return std::chrono::steady_clock::now() >= next_; }
  void show(const std::string& text);

  // Takes the line off a terminal. Called before anything else is printed.
  void clear();

 private:
  const bool terminal_;
  std::chrono::steady_clock::time_point next_;
  bool visible_ = false;
};

// "[######............]", `width` characters between the brackets.
std::string bar(std::size_t done, std::size_t total, std::size_t width = 30);

// From now on the first Ctrl-C (or SIGTERM) is remembered, to end the run in good order; the second one kills.
void catch_interrupts();
bool interrupted();

}  // namespace loa::cli
