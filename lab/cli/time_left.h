// An honest guess of how long the rest of some work takes, for progress bars.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace loa::cli {

// How long work will take that is done to some fraction: from the speed of the last half of the time, so that what an
// earlier call had finished, or runs that were quicker than those now, soon do not count.
class TimeLeft {
 public:
  // `seconds` since the work began, each call with no less than the one before. " about 40 s left", or nothing as long
  // as there was no progress to judge by in two seconds or more.
  std::string after(double fraction, double seconds);

 private:
  struct Sample {
    double seconds, fraction;
  };
  std::vector<Sample> samples_ = {};  // a second or more apart
  std::size_t first_ = 0;             // the one that the speed is measured from
};

inline std::string TimeLeft::after(double fraction, double seconds) {
  constexpr double kApart = 1.0, kLeast = 2.0;
  if (samples_.empty() || seconds - samples_.back().seconds >= kApart) samples_.push_back({seconds, fraction});
  const double from = 0.5 * (samples_.front().seconds + seconds);
  while (first_ + 1 < samples_.size() && samples_[first_ + 1].seconds <= from) ++first_;
  const double time = seconds - samples_[first_].seconds, work = fraction - samples_[first_].fraction;
  if (!(time >= kLeast && work > 0.0)) return "";
  const double left = (1.0 - fraction) * time / work;
  if (left < 10) return fmt::format(" about {:.0f} s left", left);
  if (left < 100) return fmt::format(" about {:.0f} s left", 5 * std::round(left / 5));
  if (left < 6000) return fmt::format(" about {:.0f} min left", std::round(left / 60));
  return fmt::format(" about {:.1f} h left", left / 3600);
}

}  // namespace loa::cli
