#include "files/sha256.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace loa {
namespace {

constexpr std::size_t kRounds = 64, kBlock = 64;
using Words = std::array<std::uint32_t, 8>;

// The constants of the standard: the first 32 bits of the fractional parts of the square and cube roots of the first
// primes.
struct Constants {
  Words initial{};
  std::array<std::uint32_t, kRounds> round{};

  Constants() {
    std::size_t count = 0;
    for (unsigned candidate = 2; count < kRounds; ++candidate) {
      bool prime = true;
      for (unsigned divisor = 2; divisor * divisor <= candidate; ++divisor) prime = prime && candidate % divisor != 0;
      if (!prime) continue;
      if (count < initial.size()) initial[count] = fraction(sqrtl(candidate));
      round[count++] = fraction(cbrtl(candidate));
    }
  }

  static std::uint32_t fraction(long double root) {
    return static_cast<std::uint32_t>(ldexpl(root - floorl(root), 32));
  }
};

std::uint32_t big_endian(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

void add_block(const unsigned char* block, const Constants& constants, Words& hash) {
  std::array<std::uint32_t, kRounds> w;
  for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian(block + 4 * t);
  for (std::size_t t = 16; t < kRounds; ++t) {
    const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (std::size_t t = 0; t < kRounds; ++t) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + constants.round[t] + w[t];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const Words sums = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < hash.size(); ++i) hash[i] += sums[i];
}

}  // namespace

std::string sha256(std::string_view bytes) {
  static const Constants constants;
  Words hash = constants.initial;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t done = 0;
  for (; bytes.size() - done >= kBlock; done += kBlock) add_block(data + done, constants, hash);

  // The rest, a one bit, zeros, and the length in bits.
  std::string tail(bytes.substr(done));
  tail += '\x80';
  while (tail.size() % kBlock != kBlock - 8) tail += '\0';
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) tail += static_cast<char>(bits >> shift & 0xff);
  for (std::size_t i = 0; i < tail.size(); i += kBlock)
    add_block(reinterpret_cast<const unsigned char*>(tail.data()) + i, constants, hash);

  std::string text;
  for (const std::uint32_t word : hash)
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[word >> shift & 0xf];
  return text;
}

}  // namespace loa
