#include "experiment/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace loa {
namespace {

using Rgb = std::array<int, 3>;

Rgb parse(std::string_view colour) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'A' + 10; };
  Rgb out = {};
  for (std::size_t i = 0; i < 3; ++i) out[i] = 16 * digit(colour[2 * i + 1]) + digit(colour[2 * i + 2]);
  return out;
}

// `amount` of the way from the colour to black (0) or white (255).
std::string mixed(std::string_view colour, double amount, int end) {
  Rgb rgb = parse(colour);
  for (int& part : rgb) part = static_cast<int>(std::lround(part + amount * (end - part)));
  return fmt::format("#{:02X}{:02X}{:02X}", rgb[0], rgb[1], rgb[2]);
}

// The colour as it is, darker, lighter, much darker; a dark one gets lighter only. Then again from the beginning.
std::string shade(std::string_view colour, std::size_t slot) {
  const Rgb rgb = parse(colour);
  const bool dark = std::max({rgb[0], rgb[1], rgb[2]}) < 0x90;
  switch (slot % 4) {
    case 1:
      return dark ? mixed(colour, 0.4, 255) : mixed(colour, 0.45, 0);
    case 2:
      return dark ? mixed(colour, 0.2, 255) : mixed(colour, 0.4, 255);
    case 3:
      return dark ? mixed(colour, 0.65, 255) : mixed(colour, 0.7, 0);
    default:
      return std::string(colour);
  }
}

// The algorithm's own dash, then the others. Five dashes and four shades: twenty variants before one repeats.
int dash(int own, std::size_t slot) {
  constexpr int kOrder[] = {2, 1, 5, 3, 4};
  std::size_t left = slot % 5;
  if (left == 0) return own;
  for (const int candidate : kOrder)
    if (candidate != own && --left == 0) return candidate;
  return own;
}

// Filled marks have odd numbers from 5 on, and the hollow one of the same shape is the number before.
int mark(int own, std::size_t slot) {
  const bool filled = own >= 5 && own % 2 == 1, hollow = own >= 4 && own % 2 == 0;
  if (slot % 2 == 0 || !(filled || hollow)) return own;
  return filled ? own - 1 : own + 1;
}

std::optional<std::size_t> wanted_slot(std::string_view label) {
  const std::string_view algorithm = algorithm_of(label);
  if (algorithm.size() == label.size()) return 0;
  constexpr std::pair<std::string_view, std::size_t> kKnown[] = {{"paper", 1}, {"quadratics", 1}, {"published", 2}};
  for (const auto& [word, slot] : kKnown)
    if (label.substr(algorithm.size()).find(word) != std::string_view::npos) return slot;
  return {};
}

// Which variant of its family each label is. Wishes first, then whoever is left takes the first free slot.
std::vector<std::size_t> slots(const std::vector<std::string>& labels) {
  std::vector<std::optional<std::size_t>> slot(labels.size());
  std::set<std::pair<std::string_view, std::size_t>> taken;  // (family, slot)
  const auto family = [&](std::size_t i) { return curve_style(labels[i]).algorithm; };
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (const auto wish = wanted_slot(labels[i]); wish && taken.insert({family(i), *wish}).second) slot[i] = wish;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::size_t candidate = 0;
    while (!slot[i])
      if (taken.insert({family(i), candidate++}).second) slot[i] = candidate - 1;
  }
  std::vector<std::size_t> out;
  for (const auto& s : slot) out.push_back(*s);
  return out;
}

}  // namespace

std::string LineStyle::line() const { return fmt::format("lc rgb '{}' dt {} lw {:.1f}", colour, dash, 2.0 * width); }

std::string LineStyle::points() const { return fmt::format("lc rgb '{}' pt {} ps 0.7 lw 1.2", colour, mark); }

std::vector<LineStyle> curve_styles(const std::vector<std::string>& labels) {
  const std::vector<std::size_t> slot = slots(labels);
  std::vector<LineStyle> out;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const CurveStyle& own = curve_style(labels[i]);
    out.push_back({.colour = shade(own.colour, slot[i]),
                   .dash = loa::dash(own.dash, slot[i]),
                   .width = own.width,
                   .on_top = own.on_top,
                   .mark = loa::mark(own.mark, slot[i])});
  }
  return out;
}

std::vector<std::size_t> drawing_order(const std::vector<LineStyle>& styles) {
  std::vector<std::size_t> order(styles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return styles[i].on_top; });
  return order;
}

}  // namespace loa
