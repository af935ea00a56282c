// Round trips are compared bit for bit; malformed files must be refused with one line that names the file and the
// fault.
#include "linalg/tensor_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <ostream>

#include "support/temporary_path.h"

namespace loa {
namespace {

using Limits = std::numeric_limits<double>;

void write_text(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

// The numbers that a careless format loses.
const std::vector<double>& awkward_values() {
  static const std::vector<double> values = {
      0.0,
      -0.0,
      1.0 / 3.0,
      -1e300,
      1e-300,
      Limits::denorm_min(),
      -Limits::denorm_min(),
      Limits::min() / 2,
      Limits::min(),
      Limits::max(),
      Limits::infinity(),
      -Limits::infinity(),
      Limits::quiet_NaN(),
      -Limits::quiet_NaN(),
      std::bit_cast<double>(std::uint64_t{0x7ff8'0000'dead'beef}),  // a NaN with a payload
      std::bit_cast<double>(std::uint64_t{0xfff8'1234'5678'9abc}),
  };
  return values;
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

void expect_same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(bits(a[i]), bits(b[i])) << "value " << i << ": " << a[i];
}

// The bytes of a file with this header and these data, whatever they are.
std::string file_bytes(const std::string& header, const std::string& data = "") {
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<char>(static_cast<std::uint64_t>(header.size()) >> (8 * i) & 0xff);
  }
  return bytes + header + data;
}

std::string bytes_of(std::size_t count) { return std::string(count, '\0'); }

TEST(TensorFile, RoundTripIsBitForBit) {
  TensorFile file;
  const auto n = static_cast<Index>(awkward_values().size());
  file.tensors["awkward"] = {{n}, awkward_values()};
  file.tensors["as a matrix"] = {{2, n / 2}, awkward_values()};
  file.tensors["no values"] = {{3, 0, 2}, {}};
  file.tensors["no dimensions"] = {{}, {42.0}};
  file.metadata = {{"note", "two\nlines, \"quotes\" and \xc3\xa9"}, {"", ""}};

  const std::string path = temporary_path("round_trip");
  ASSERT_EQ(file.write(path).message(), "");
  TensorFile back;
  back.put_scalar("left over", 1.0);
  ASSERT_EQ(back.read(path).message(), "");
  ASSERT_EQ(back.tensors.size(), file.tensors.size());
  for (const auto& [name, tensor] : file.tensors) {
    EXPECT_EQ(back.tensors[name].shape, tensor.shape);
    expect_same_bits(back.tensors[name].values, tensor.values);
  }
  EXPECT_EQ(back.metadata, file.metadata);
  EXPECT_EQ(back.write_bytes(), file.write_bytes());
  std::filesystem::remove(path);
}

TEST(TensorFile, VectorsAndTheirAbsence) {
  TensorFile file;
  file.put("v", Vector{{1.0, -2.0, 3.0}});
  file.put("empty", Vector());
  file.tensors["matrix"] = {{1, 2}, {1.0, 2.0}};
  Vector v;
  ASSERT_TRUE(file.get("v", v));
  EXPECT_EQ(v, (Vector{{1.0, -2.0, 3.0}}));
  EXPECT_FALSE(file.get("w", v));
  EXPECT_FALSE(file.get("matrix", v));
  EXPECT_EQ(v.size(), 3) << "a failed get must not touch its output";
  ASSERT_TRUE(file.get("empty", v));
  EXPECT_EQ(v.size(), 0);
}

TEST(TensorFile, ScalarsComeBackBitForBit) {
  TensorFile file;
  for (std::size_t i = 0; i < awkward_values().size(); ++i) {
    file.put_scalar("scalar " + std::to_string(i), awkward_values()[i]);
  }
  TensorFile back;
  ASSERT_EQ(back.read_bytes(file.write_bytes(), "memory").message(), "");
  for (std::size_t i = 0; i < awkward_values().size(); ++i) {
    double value = 7.0;
    ASSERT_TRUE(back.get_scalar("scalar " + std::to_string(i), value)) << awkward_values()[i];
    EXPECT_EQ(bits(value), bits(awkward_values()[i])) << awkward_values()[i];
  }
}

TEST(TensorFile, ScalarsAreHexadecimalText) {
  TensorFile file;
  file.put_scalar("three", 3.0);
  EXPECT_EQ(file.metadata["three"], "0x1.8p+1");
  file.put_scalar("minus infinity", -Limits::infinity());
  EXPECT_EQ(file.metadata["minus infinity"], "-inf");
}

TEST(TensorFile, BadScalarsAndIntegersAreRefused) {
  TensorFile file;
  for (const char* text :
       {"", "-", "0x", "1.5", "0x1.8p+1 ", " 0x1p0", "0x-1p0", "--0x1p0", "0x1p+99999", "0xinf", "nan", "nan:", "nan:0",
        "nan:7ff0000000000000", "nan:7ff8000000000000f", "infinity", "+0x1p0"}) {
    file.metadata["scalar"] = text;
    double value = 7.0;
    EXPECT_FALSE(file.get_scalar("scalar", value)) << text;
    EXPECT_EQ(value, 7.0) << text;
  }
  for (const char* text : {"", "-", "1.0", "0x10", "1 ", " 1", "9223372036854775808", "one"}) {
    file.metadata["integer"] = text;
    std::int64_t value = 7;
    EXPECT_FALSE(file.get_integer("integer", value)) << text;
    EXPECT_EQ(value, 7) << text;
  }
  double value;
  std::int64_t integer;
  EXPECT_FALSE(file.get_scalar("absent", value));
  EXPECT_FALSE(file.get_integer("absent", integer));
}

TEST(TensorFile, IntegersComeBack) {
  TensorFile file;
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
                                   std::numeric_limits<std::int64_t>::max()}) {
    file.put_integer("k", value);
    std::int64_t back = 5;
    ASSERT_TRUE(file.get_integer("k", back));
    EXPECT_EQ(back, value);
  }
}

// The bytes that the Python package safetensors 0.8 reads as {"a": [[1, -2]]} with metadata {"k": "v"}.
TEST(TensorFile, BytesAreThoseOfTheFormat) {
  TensorFile file;
  file.tensors["a"] = {{1, 2}, {1.0, -2.0}};
  file.metadata["k"] = "v";
  std::string header = R"({"__metadata__":{"k":"v"},"a":{"data_offsets":[0,16],"dtype":"F64","shape":[1,2]}})";
  ASSERT_EQ(header.size(), 82u);
  header += std::string(6, ' ');
  const std::string data("\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\xc0", 16);
  EXPECT_EQ(file.write_bytes(), file_bytes(header, data));
  EXPECT_EQ((8 + header.size()) % 8, 0u) << "the data should be aligned";
}

TEST(TensorFile, ReadsSinglePrecision) {
  // 1.5f, -0.0f, the smallest denormal, infinity
  const std::string data("\0\0\xc0\x3f\0\0\0\x80\x01\0\0\0\0\0\x80\x7f", 16);
  TensorFile file;
  ASSERT_EQ(
      file.read_bytes(file_bytes(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})", data), "x").message(),
      "");
  expect_same_bits(file.tensors["a"].values, {1.5, -0.0, 0x1.0p-149, Limits::infinity()});
}

TEST(TensorFile, TensorsMayComeInAnyOrderInTheHeader) {
  TensorFile file;
  ASSERT_EQ(file.read_bytes(file_bytes(R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[8,16]},)"
                                       R"("b":{"dtype":"F64","shape":[],"data_offsets":[0,8]},)"
                                       R"("c":{"dtype":"F64","shape":[0],"data_offsets":[8,8]}} )",
                                       bytes_of(8) + std::string("\0\0\0\0\0\0\xf0\x3f", 8)),
                            "x")
                .message(),
            "");
  EXPECT_EQ(file.tensors["a"].values, std::vector<double>{1.0});
  EXPECT_EQ(file.tensors["b"].values, std::vector<double>{0.0});
}

// --- malformed files -------------------------------------------------------------------------------------------------

struct Malformed {
  const char* what;
  std::string bytes;
  const char* expected;  // a part of the message
};

void PrintTo(const Malformed& malformed, std::ostream* out) { *out << malformed.what; }

std::string one_tensor(const std::string& fields, std::size_t data_bytes = 16) {
  return file_bytes("{\"a\":{" + fields + "}}", bytes_of(data_bytes));
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

class MalformedTensorFile : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedTensorFile, IsRefusedInOneLine) {
  TensorFile file;
  file.put("kept", Vector{{1.0}});
  const std::string message = file.read_bytes(GetParam().bytes, "some/file").message();
  EXPECT_TRUE(message.starts_with("some/file: ")) << message;
  EXPECT_NE(message.find(GetParam().expected), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_EQ(file.tensors.size(), 1u) << "a failed read must leave the object as it was";
  EXPECT_TRUE(file.metadata.empty());
}

INSTANTIATE_TEST_SUITE_P(
    TensorFile, MalformedTensorFile,
    testing::Values(
        Malformed{"empty file", "", "has 0 bytes"}, Malformed{"seven bytes", bytes_of(7), "has 7 bytes"},
        Malformed{"header longer than the file", file_bytes("{}").substr(0, 9), "only 1 follow"},
        Malformed{"header of 2^64-1 bytes", std::string(8, '\xff') + "{}", "larger than 100 MB"},
        Malformed{"header just over the limit", std::string("\x01\xe1\xf5\x05\0\0\0\0{}", 10), "larger than 100 MB"},
        Malformed{"empty header", file_bytes(""), "not a JSON object"},
        Malformed{"not JSON", file_bytes("{\"a\": }"), "not JSON"},
        Malformed{"cut JSON", file_bytes("{\"a\":{\"dtype\":\"F64\""), "not JSON"},
        Malformed{"text after the object", file_bytes("{} x"), "not JSON"},
        Malformed{"zero bytes as padding", file_bytes(std::string("{}\0\0", 4)), "not JSON"},
        Malformed{"not UTF-8", file_bytes("{\"\xff\":1}"), "not JSON"},
        Malformed{"space before the object", file_bytes(" {}"), "not a JSON object"},
        Malformed{"a list", file_bytes("[]"), "not a JSON object"},
        Malformed{"a number out of range", file_bytes("{\"a\":1e999}"), "number"},
        Malformed{"nested too deeply", file_bytes("{\"a\":{\"shape\":" + nested(2) + "}}"), "nested too deeply"},
        Malformed{"nested a million times", file_bytes("{\"a\":" + nested(1000000) + "}"), "nested too deeply"},
        Malformed{"tensor twice",
                  file_bytes(R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
                             R"("a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})",
                             bytes_of(8)),
                  "\"a\" twice"},
        Malformed{"shape twice", one_tensor(R"("dtype":"F64","shape":[2],"shape":[2],"data_offsets":[0,16])"),
                  "\"shape\" twice"},
        Malformed{"metadata key twice", file_bytes(R"({"__metadata__":{"k":"1","k":"2"}})"), "\"k\" twice"},
        Malformed{"metadata is a list", file_bytes(R"({"__metadata__":[]})"), "not an object"},
        Malformed{"metadata is a number", file_bytes(R"({"__metadata__":{"k":1}})"), "expected text"},
        Malformed{"tensor is a number", file_bytes("{\"a\":1}"), "tensor \"a\": expected an object"},
        Malformed{"name with a line break", file_bytes("{\"a\\nb\":1}"), "tensor \"a\\nb\""},
        Malformed{"no dtype", one_tensor(R"("shape":[2],"data_offsets":[0,16])"), "dtype"},
        Malformed{"dtype is a number", one_tensor(R"("dtype":64,"shape":[2],"data_offsets":[0,16])"), "dtype"},
        Malformed{"unknown dtype", one_tensor(R"("dtype":"I64","shape":[2],"data_offsets":[0,16])"), "\"I64\""},
        Malformed{"no shape", one_tensor(R"("dtype":"F64","data_offsets":[0,16])"), "shape"},
        Malformed{"negative shape", one_tensor(R"("dtype":"F64","shape":[-2],"data_offsets":[0,16])"), "not a size"},
        Malformed{"fractional shape", one_tensor(R"("dtype":"F64","shape":[2.0],"data_offsets":[0,16])"), "not a size"},
        Malformed{"shape beyond 2^63",
                  one_tensor(R"("dtype":"F64","shape":[9223372036854775808],"data_offsets":[0,16])"), "not a size"},
        Malformed{"product of the shape overflows to 2",
                  one_tensor(R"("dtype":"F64","shape":[4611686018427387904,4,2],"data_offsets":[0,16])"), "too large"},
        Malformed{"bytes of the shape overflow to 16",
                  one_tensor(R"("dtype":"F64","shape":[2305843009213693954],"data_offsets":[0,16])"), "too large"},
        Malformed{"no offsets", one_tensor(R"("dtype":"F64","shape":[2])"), "data_offsets"},
        Malformed{"one offset", one_tensor(R"("dtype":"F64","shape":[2],"data_offsets":[0])"), "data_offsets"},
        Malformed{"negative offset", one_tensor(R"("dtype":"F64","shape":[2],"data_offsets":[-16,0])"), "data_offsets"},
        Malformed{"offsets backwards", one_tensor(R"("dtype":"F64","shape":[2],"data_offsets":[16,0])"), "backwards"},
        Malformed{"offsets past the end", one_tensor(R"("dtype":"F64","shape":[3],"data_offsets":[0,24])"), "16 bytes"},
        Malformed{"wrong byte count", one_tensor(R"("dtype":"F64","shape":[1],"data_offsets":[0,16])"), "needs 8"},
        Malformed{"unknown key", one_tensor(R"("dtype":"F64","shape":[2],"data_offsets":[0,16],"x":1)"), "\"x\""},
        Malformed{"trailing bytes", one_tensor(R"("dtype":"F64","shape":[2],"data_offsets":[0,16])", 17),
                  "1 bytes after the last tensor"},
        Malformed{"data without tensors", file_bytes("{}", "x"), "belong to no tensor"},
        Malformed{"gap before the first tensor", one_tensor(R"("dtype":"F64","shape":[1],"data_offsets":[8,16])"),
                  "starts at byte 8"},
        Malformed{"overlap",
                  file_bytes(R"({"a":{"dtype":"F64","shape":[2],"data_offsets":[0,16]},)"
                             R"("b":{"dtype":"F64","shape":[2],"data_offsets":[8,24]}})",
                             bytes_of(24)),
                  "overlap"}));

TEST(TensorFile, EveryTruncationIsRefused) {
  TensorFile file;
  file.put("v", Vector{{1.0, 2.0}});
  file.metadata["k"] = "v";
  const std::string bytes = file.write_bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(TensorFile().read_bytes(bytes.substr(0, size), "x").message(), "") << size << " bytes";
  }
}

// Under the sanitizers this finds any length that is used before it is checked.
TEST(TensorFile, NoFlippedBitIsDangerous) {
  TensorFile file;
  file.put("v", Vector{{1.0, 2.0}});
  file.tensors["m"] = {{2, 1}, {3.0, 4.0}};
  file.metadata["k"] = "v";
  const std::string bytes = file.write_bytes();
  int num_refused = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    TensorFile back;
    if (back.read_bytes(changed, "x")) {
      ++num_refused;
      EXPECT_TRUE(back.tensors.empty());
    }
  }
  EXPECT_GT(num_refused, 600) << "most of the header matters";
}

TEST(TensorFile, CountsAndFlagsAreInRange) {
  TensorFile file;
  std::int64_t count = 7;
  bool flag = true;
  for (const char* text : {"-1", "9007199254740993", "9223372036854775807", "1.0", "", " 1", "+1"}) {
    file.metadata["n"] = text;
    EXPECT_FALSE(file.get_count("n", count)) << text;
    EXPECT_FALSE(file.get_flag("n", flag)) << text;
  }
  EXPECT_FALSE(file.get_count("missing", count));
  EXPECT_FALSE(file.get_flag("missing", flag));
  EXPECT_EQ(count, 7);
  EXPECT_TRUE(flag);
  file.put_integer("n", kLargestCount);
  EXPECT_TRUE(file.get_count("n", count));
  EXPECT_EQ(count, kLargestCount);
  file.put_integer("n", 2);
  EXPECT_FALSE(file.get_flag("n", flag));
  for (const bool value : {true, false}) {
    file.put_flag("n", value);
    EXPECT_TRUE(file.get_flag("n", flag));
    EXPECT_EQ(flag, value);
  }
}

// --- files -----------------------------------------------------------------------------------------------------------

TEST(TensorFile, MissingFilesAndFoldersAreReported) {
  TensorFile file;
  EXPECT_NE(file.read("/nonexistent/file").message().find("/nonexistent/file: found no such file"), std::string::npos);
  EXPECT_NE(file.write("/nonexistent/file").message().find("/nonexistent/file: cannot be written: No such"),
            std::string::npos);
  EXPECT_NE(file.read(testing::TempDir()).message(), "");
  EXPECT_NE(file.write(testing::TempDir()).message(), "");
  EXPECT_NE(file.write("/dev/null").message(), "") << "renaming over a device would destroy it";
}

TEST(TensorFile, WhatCannotBeWrittenLeavesTheOldFile) {
  const std::string path = temporary_path("kept");
  TensorFile file;
  file.put("v", Vector{{1.0}});
  ASSERT_EQ(file.write(path).message(), "");

  TensorFile bad = file;
  bad.tensors["v"].shape = {2};
  EXPECT_NE(bad.write(path).message().find("does not fit"), std::string::npos);
  EXPECT_EQ(bad.write_bytes(), "");
  bad.tensors["v"].shape = {-1, -1};
  EXPECT_NE(bad.write(path).message(), "");
  bad = file;
  bad.tensors["__metadata__"] = {{}, {1.0}};
  EXPECT_NE(bad.write(path).message(), "");
  bad = file;
  bad.metadata["k"] = "\xff";
  EXPECT_NE(bad.write(path).message().find("not UTF-8"), std::string::npos);

  TensorFile back;
  ASSERT_EQ(back.read(path).message(), "");
  EXPECT_EQ(back.write_bytes(), file.write_bytes());
  std::filesystem::remove(path);
}

TEST(TensorFile, WritingLeavesNoTemporaryAndKeepsPermissionsAndLinks) {
  namespace fs = std::filesystem;
  const fs::path folder = temporary_path("folder");
  fs::remove_all(folder);
  fs::create_directory(folder);
  write_text(folder / "target", "old");
  fs::permissions(folder / "target", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("target", folder / "link");

  TensorFile file;
  file.put("v", Vector{{1.0}});
  ASSERT_EQ(file.write(folder / "link").message(), "");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(TensorFile().read(folder / "target").message(), "");
  EXPECT_EQ(fs::status(folder / "target").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 2);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace loa
