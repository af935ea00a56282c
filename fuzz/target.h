// What every fuzz target needs.
//
// A target is a function of bytes that nobody vouches for. It calls one reader and ends the process unless the reader
// keeps its promises: no exception, and an error that is one line of text. Memory errors and undefined behaviour are
// for the sanitizers. LOA_FUZZ_TARGET(name) opens the function: with libFuzzer it is the entry point of a program of
// its own, otherwise fuzz/replay.cc calls all targets by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

namespace loa::fuzz {

// Returns whether the bytes were taken for what they should be.
using Function = bool (*)(std::string_view bytes);

// All targets of this program.
inline std::map<std::string, Function>& targets() {
  static std::map<std::string, Function> all;
  return all;
}

inline bool add_target(const char* name, Function function) { return targets().emplace(name, function).second; }

// Ends the process unless a promise is kept.
inline void require(bool kept, const char* promise, const std::string& found) {
  if (kept) return;
  std::fprintf(stderr, "promised: %s\nfound: %s\n", promise, found.c_str());
  std::abort();
}

// Checks an error text, which is empty or one line that starts with the name of the file.
inline void require_error_line(const std::string& error, std::string_view name) {
  if (error.empty()) return;
  require(error.starts_with(name), "an error that starts with the name of the file", error);
  require(error.find_first_of("\n\r") == std::string::npos, "an error of one line", error);
}

// The bytes of a safetensors file. What begins with a brace is the header alone: its length is put before it, and after
// it as many bytes as it asks for, so that the search is not spent on finding these numbers. Defined in
// tensor_bytes.cc.
std::string tensor_bytes(std::string_view bytes);

}  // namespace loa::fuzz

#ifdef LOA_LIBFUZZER
#define LOA_FUZZ_TARGET(name)                                                         \
  static bool run_target(std::string_view bytes);                                     \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    run_target(std::string_view(reinterpret_cast<const char*>(data), size));          \
    return 0;                                                                         \
  }                                                                                   \
  static bool run_target(std::string_view bytes)
#else
#define LOA_FUZZ_TARGET(name)                                                             \
  static bool run_target(std::string_view bytes);                                         \
  [[maybe_unused]] static const bool is_added = loa::fuzz::add_target(#name, run_target); \
  static bool run_target(std::string_view bytes)
#endif
