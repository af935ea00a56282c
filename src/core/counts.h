// The counters of a run by name, in one list each. Files, JSON, CSV, the cache of runs, C and Python walk these lists:
// a new counter is a member of its struct, a row here, and a sentence in docs/statuses.md.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>

#include "loa/input.h"
#include "loa/objective.h"

namespace loa {

template <class Counts>
struct Counter {
  const char* name;
  std::int64_t Counts::*member;
  const char* words;  // to follow the number, for a person
};

inline constexpr Counter<Evaluations> kEvaluationCounters[] = {
    {"value", &Evaluations::value, "of f"},
    {"gradient", &Evaluations::gradient, "of the gradient"},
    {"hessian_vector", &Evaluations::hessian_vector, "Hessian-vector products"},
    {"hessian", &Evaluations::hessian, "Hessians"},
};

inline constexpr Counter<Fallbacks> kFallbackCounters[] = {
    {"model", &Fallbacks::model, "to y = d"},
    {"skipped", &Fallbacks::skipped, "updates skipped"},
    {"restart", &Fallbacks::restart, "restarts"},
    {"spectrum", &Fallbacks::spectrum, "updates kept in range"},
    {"search", &Fallbacks::search, "searches tried again"},
    {"warm", &Fallbacks::warm, "warm starts given up"},
    {"box", &Fallbacks::box, "steps of B_0 inside bounds"},
};

// Both structs have nothing but counters, so a member that is missing in its list shows here.
static_assert(sizeof(Evaluations) == std::size(kEvaluationCounters) * sizeof(std::int64_t));
static_assert(sizeof(Fallbacks) == std::size(kFallbackCounters) * sizeof(std::int64_t));

constexpr const auto& counters_of(const Evaluations&) { return kEvaluationCounters; }
constexpr const auto& counters_of(const Fallbacks&) { return kFallbackCounters; }

// Calls visit(name, value) for each counter of an Evaluations or a Fallbacks.
template <class Counts, class Visit>
void for_each_count(Counts&& counts, Visit visit) {
  for (const auto& counter : counters_of(counts)) visit(counter.name, counts.*counter.member);
}

// name -> number, as any type of JSON.
template <class Json, class Counts>
Json counts_json(const Counts& counts) {
  Json json = Json::object();
  for_each_count(counts, [&json](const char* name, std::int64_t count) { json[name] = count; });
  return json;
}

// The numbers with `separator` between them.
template <class Counts>
std::string counts_text(const Counts& counts, const char* separator) {
  std::string text;
  for_each_count(counts, [&](const char*, std::int64_t count) {
    text += (text.empty() ? "" : separator) + std::to_string(count);
  });
  return text;
}

}  // namespace loa
