// The number of members of a struct, to compare with a list of them.
#pragma once

#include <cstddef>
#include <utility>

namespace loa {

// Turns into anything, to count the members of a struct by filling it with braces.
struct Anything {
  template <class T>
  operator T() const;
};

template <class Struct, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { Struct{((void)I, Anything{})...}; };
}

template <class Struct, std::size_t N = 1>
constexpr std::size_t num_members() {
  if constexpr (takes<Struct>(std::make_index_sequence<N>()) && !takes<Struct>(std::make_index_sequence<N + 1>()))
    return N;
  else
    return num_members<Struct, N + 1>();
}

}  // namespace loa
