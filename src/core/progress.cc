#include "loa/progress.h"

#include <algorithm>

#include "base/clock.h"
#include "core/counts.h"

namespace loa {
namespace {

constexpr std::string_view kHeading =
    "  iteration  evaluations               f      fell by     |g|_inf        step     seconds";

}  // namespace

std::string_view ProgressLines::heading() { return kHeading; }

std::string_view ProgressLines::line(const Progress& p) {
  char fell[24] = "-";
  if (const double by = f_ - p.f; by == by) std::snprintf(fell, sizeof fell, "%.3e", by);
  int length = std::snprintf(text_.data(), text_.size(), "%11lld %12lld %15.8e %12s %11.3e %11.3e %11.3g",
                             static_cast<long long>(p.iteration), static_cast<long long>(p.evaluations.value), p.f,
                             fell, p.grad_inf_norm, p.step_size, p.seconds);
  const auto add = [&](const char* text) {
    const int left = static_cast<int>(text_.size()) - length;
    length +=
        std::clamp(std::snprintf(text_.data() + length, static_cast<std::size_t>(left), "  %s", text), 0, left - 1);
  };
  length = std::clamp(length, 0, static_cast<int>(text_.size()) - 1);
  for (const auto& counter : kFallbackCounters)
    if (p.fallbacks.*counter.member > fallbacks_.*counter.member) add(counter.name);
  f_ = p.f;
  fallbacks_ = p.fallbacks;
  return {text_.data(), static_cast<std::size_t>(length)};
}

ProgressSink print_progress(std::FILE* file, double seconds) {
  return [file, seconds, clock = Clock(), next = 0.0](std::string_view line) mutable {
    const bool is_heading = line == ProgressLines::heading();
    const double now = clock.seconds();
    if (!is_heading && now < next) return;
    if (!is_heading) next = now + seconds;
    std::fprintf(file, "%.*s\n", static_cast<int>(line.size()), line.data());
    std::fflush(file);
  };
}

}  // namespace loa
