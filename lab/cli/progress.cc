#include "cli/progress.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace loa::cli {
namespace {

using namespace std::chrono_literals;

volatile std::sig_atomic_t caught = 0;

void remember(int) { caught = 1; }

std::size_t terminal_width() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - 1u : 79u;
}

}  // namespace

ProgressLine::ProgressLine()
    : terminal_(isatty(STDERR_FILENO) == 1), next_(std::chrono::steady_clock::now() + (terminal_ ? 500ms : 10000ms)) {}

void ProgressLine::show(const std::string& text) {
  if (terminal_) {
    fmt::print(stderr, "\r{}\x1b[K", text.substr(0, terminal_width()));
    std::fflush(stderr);
    visible_ = true;
  } else {
    fmt::print(stderr, "{}\n", text);
  }
  next_ = std::chrono::steady_clock::now() + (terminal_ ? 100ms : 10000ms);
}

void ProgressLine::clear() {
  if (visible_) fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  visible_ = false;
}

std::string bar(std::size_t done, std::size_t total, std::size_t width) {
  const std::size_t full = total > 0 ? std::min(width, done * width / total) : width;
  return fmt::format("[{:#<{}}{:.<{}}]", "", full, "", width - full);
}

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = remember;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return caught != 0; }

}  // namespace loa::cli
