// The data readers: good files with oddities, and a long list of bad ones, each with the place and the words of the
// complaint.
#include "problem/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "paths.h"

namespace loa {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Dataset parsed(std::string_view text) {
  Dataset data;
  EXPECT_EQ(parse_dataset(text, "file", data).message(), "");
  return data;
}

Matrix dense(const DataMatrix& a) {
  Matrix out(a.rows, a.cols);
  Vector column(a.rows);
  for (Index j = 0; j < a.cols; ++j) {
    a.multiply(0, a.rows, Vector::Unit(a.cols, j), column);
    out.col(j) = column;
  }
  return out;
}

// --- good LIBSVM -----------------------------------------------------------------------------------------------------

void expect_small_libsvm(const Dataset& data) {
  ASSERT_TRUE(data.features.is_sparse());
  ASSERT_EQ(data.features.rows, 3);
  ASSERT_EQ(data.features.cols, 4);
  EXPECT_THAT(data.features.values, ElementsAre(0.5, -2.0, 3.0));
  EXPECT_THAT(data.features.columns, ElementsAre(0, 3, 1));
  EXPECT_THAT(data.features.offsets, ElementsAre(0, 2, 2, 3));
  EXPECT_EQ(data.targets, (Vector(3) << 1.0, -1.0, 1.0).finished());
}

TEST(Libsvm, Plain) {
  const Dataset data = parsed("+1 1:0.5 4:-2\n-1\n1 2:3e0\n");
  expect_small_libsvm(data);
  EXPECT_THAT(data.lines, ElementsAre(1, 2, 3));
  EXPECT_EQ(data.source, "file");
}

TEST(Libsvm, Oddities) {
  expect_small_libsvm(parsed("+1 1:0.5 4:-2\r\n-1\r\n1 2:3\r\n"));               // Windows line ends
  expect_small_libsvm(parsed("+1 1:0.5 4:-2\n-1\n1 2:3"));                       // no last line end
  expect_small_libsvm(parsed("+1 1:0.5 4:-2\n-1\n1 2:3."));                      // cut in a number that still is one
  expect_small_libsvm(parsed("+1 1:0.5 4:-2 \t\n-1 \n1 2:3  "));                 // blanks at the end
  expect_small_libsvm(parsed("  +1\t1:+.5   4:-2.0\n\t-1\n1 2:3\n"));            // blanks elsewhere
  expect_small_libsvm(parsed("\xEF\xBB\xBF+1 1:0.5 4:-2\n-1\n1 2:3\n"));         // byte order mark
  expect_small_libsvm(parsed("1 1:0.5 4:-2 # a, b: c\n-1#none\n1 2:3#\n#end"));  // comments
  expect_small_libsvm(parsed("1 1:0.5 4:-2\n-1 # a,b\n1 2:3\n"));                // commas in one
  expect_small_libsvm(parsed("1 00001:0.5 4:-2\n-1.0\n1 2:300e-2\n"));           // other spellings
  expect_small_libsvm(parsed("1 1:0.5 4:-2\n-1\n1 2:3\n\n\n"));                  // empty last lines
}

TEST(Libsvm, LinesAreCountedThroughBlanksAndComments) {
  const Dataset data = parsed("# made, by hand\n\n+1 1:0.5 4:-2\n  \t \n-1\r\n\r\n   # more\n1 2:3");
  expect_small_libsvm(data);
  EXPECT_THAT(data.lines, ElementsAre(3, 5, 8));
}

TEST(Libsvm, FirstRowWithoutFeatures) {
  EXPECT_EQ(parsed("-1 \n1 2:1\n").features.cols, 2);
  EXPECT_EQ(parsed("-1 # no, nothing\n1 2:1\n").features.cols, 2);
}

TEST(Libsvm, NumberTooSmallForADoubleIsZero) {
  EXPECT_THAT(parsed("1 1:1e-999 2:-1e-400 3:4e-320\n").features.values, ElementsAre(0.0, 0.0, 4e-320));
}

TEST(Libsvm, LargestIndex) { EXPECT_EQ(parsed("1 100000000:1\n").features.cols, kMaxColumns); }

// --- good CSV --------------------------------------------------------------------------------------------------------

void expect_small_csv(const Dataset& data) {
  ASSERT_FALSE(data.features.is_sparse());
  ASSERT_EQ(data.features.rows, 2);
  ASSERT_EQ(data.features.cols, 2);
  EXPECT_THAT(data.features.values, ElementsAre(1.0, 2.5, -3.0, 0.0));
  EXPECT_EQ(data.targets, (Vector(2) << 7.0, 8.0).finished());
}

TEST(Csv, Oddities) {
  expect_small_csv(parsed("1,2.5,7\n-3,0,8\n"));
  expect_small_csv(parsed("a,b,target\n1,2.5,7\n-3,0,8\n"));        // header
  expect_small_csv(parsed("a,b,target\r\n1,2.5,7\r\n-3,0,8\r\n"));  // Windows line ends
  expect_small_csv(parsed("1,2.5,7\n-3,0,8"));                      // no last line end
  expect_small_csv(parsed("1,2.5,7\n-3,0,8\n\n"));                  // empty last line
  expect_small_csv(parsed("1,2.5,7\r\n-3,0,8\r\n\r\n"));            // the same on Windows
  expect_small_csv(
      parsed("\xEF\xBB\xBF"
             "1,2.5,7\n-3,0,8\n"));                                  // byte order mark
  expect_small_csv(parsed("\xEF\xBB\xBFx,y,z\n1,2.5,7\n-3,0,8\n"));  // before a header
  expect_small_csv(parsed(" 1 ,\t+2.5, 7 \n-3.,-0,.8e1\n"));         // blanks and spellings
  expect_small_csv(parsed("# x,y,z\n1,2.5,7\n#1,2,3\n-3,0,8\n"));    // comments
  expect_small_csv(parsed("2019,2020,price\n1,2.5,7\n-3,0,8\n"));    // a header with numbers
  expect_small_csv(parsed("time: s,per m,z\n1,2.5,7\n-3,0,8\n"));    // a header with colons
  expect_small_csv(parsed(",b,c\n1,2.5,7\n-3,0,8\n"));               // a header with an empty name
}

TEST(Csv, LinesAreCountedThroughBlanksAndComments) {
  EXPECT_THAT(parsed("# c\n\na,b\n1,2\n\n3,4\n").lines, ElementsAre(4, 6));
}

// --- bad files -------------------------------------------------------------------------------------------------------

struct Bad {
  std::string name, text;
  int line, column;  // 0: the complaint is about the file as a whole
  std::vector<std::string> words;
};

class BadLibsvm : public ::testing::TestWithParam<Bad> {};
class BadCsv : public ::testing::TestWithParam<Bad> {};

void expect_refused(const Bad& bad) {
  Dataset data;
  data.source = "untouched";
  const std::string wrong = parse_dataset(bad.text, "dir/file", data).message();
  const std::string place =
      bad.line == 0 ? "dir/file: " : "dir/file:" + std::to_string(bad.line) + ":" + std::to_string(bad.column) + ": ";
  EXPECT_THAT(wrong, StartsWith(place));
  for (const std::string& word : bad.words) EXPECT_THAT(wrong, HasSubstr(word));
  EXPECT_EQ(wrong.find('\n'), std::string::npos);
  EXPECT_EQ(data.source, "untouched");
}

TEST_P(BadLibsvm, IsRefusedWithItsPlace) { expect_refused(GetParam()); }
TEST_P(BadCsv, IsRefusedWithItsPlace) { expect_refused(GetParam()); }

std::string name_of(const ::testing::TestParamInfo<Bad>& info) { return info.param.name; }

const Bad kBadLibsvm[] = {
    {"ValueMissing", "1 1:1\n-1 2:1 3:\n", 2, 8, {"'3:'", "expected a value after the colon"}},
    {"CutAfterColon", "1 1:1\n-1 2:1 3:", 2, 8, {"'3:'", "value after the colon", "cut off"}},
    {"CutInIndex", "1 1:1\n-1 2:1 3", 2, 8, {"'3'", "expected index:value", "cut off"}},
    {"CutInExponent", "1 1:1\n-1 2:1e", 2, 6, {"'1e'", "expected a finite number", "cut off"}},
    {"CutInSign", "1 1:1\n-", 2, 1, {"'-'", "label", "cut off"}},
    {"IndexZero", "1 0:1\n", 1, 3, {"index 0", "count from 1"}},
    {"IndexNegative", "1 1:1\n1 -3:1\n", 2, 3, {"'-3'", "expected a whole number from 1"}},
    {"IndexPlus", "1 +3:1\n", 1, 3, {"'+3'", "whole number"}},
    {"IndexTwice", "1 2:1 2:3\n", 1, 7, {"index 2 after 2", "expected increasing"}},
    {"IndexOutOfOrder", "1 1:1\n1 5:1 3:1\n", 2, 7, {"index 3 after 5", "expected increasing"}},
    {"IndexHuge", "1 1:1\n\n1 99999999999999999999:1\n", 3, 3, {"'99999999999999999999'", "at most 100000000"}},
    {"IndexBeyondInt", "1 2147483648:1\n", 1, 3, {"'2147483648'", "at most 100000000"}},
    {"IndexJustTooLarge", "1 100000001:1\n", 1, 3, {"'100000001'", "at most"}},
    {"IndexReal", "1 1.5:1\n", 1, 3, {"'1.5'", "whole number"}},
    {"IndexWord", "1 a:1\n", 1, 3, {"'a'", "whole number"}},
    {"IndexEmpty", "1 :1\n", 1, 3, {"''", "whole number"}},
    {"ValueWord", "1 1:1 2:abc\n", 1, 9, {"'abc'", "expected a finite number"}},
    {"ValueNan", "1 1:nan\n", 1, 5, {"'nan'", "not finite"}},
    {"ValueInf", "1 1:1\n2 1:-inf\n", 2, 5, {"'-inf'", "not finite"}},
    {"ValueOverflow", "1 1:1\n1 1:1\n1 1:1e999\n", 3, 5, {"'1e999'", "too large"}},
    {"ValueOverflowWithoutExponent", "1 1:1" + std::string(400, '0') + "\n", 1, 5, {"'1000", "too large"}},
    {"ValueTrailingLetter", "1 1:1x\n", 1, 5, {"'1x'"}},
    {"ValueHex", "1 1:0x10\n", 1, 5, {"'0x10'"}},
    {"ValueTwoSigns", "1 1:+-1\n", 1, 5, {"'+-1'"}},
    {"ValueDecimalComma", "1 1:1,5\n", 1, 5, {"'1,5'"}},
    {"TwoColons", "1 1:2:3\n", 1, 5, {"'2:3'"}},
    {"BlankAfterColon", "1 1: 3\n", 1, 3, {"'1:'", "value after the colon"}},
    {"BlankBeforeColon", "1 1 :3\n", 1, 3, {"'1'", "expected index:value"}},
    {"QueryId", "1 qid:4 1:1\n", 1, 3, {"'qid'"}},
    {"LabelWord", "1 1:1\ncat 1:1\n", 2, 1, {"'cat'", "as the label"}},
    {"LabelNan", "nan 1:1\n", 1, 1, {"'nan'", "not finite", "label"}},
    {"LabelOverflow", "1e999 1:1\n", 1, 1, {"'1e999'", "too large", "label"}},
    {"LabelMissing", "1 1:1\n2:1 3:1\n", 2, 1, {"'2:1'", "label"}},
    {"SeveralLabels", "1,2 1:1\n", 1, 1, {"'1,2'", "label"}},
    {"TableWithoutColons", "1 2 3\n4 5 6\n", 1, 3, {"'2'", "expected index:value"}},
    {"AfterCommentsAndBlanks", "# c\n\n1 1:1\n\n2 x\n", 5, 3, {"'x'"}},
    {"WindowsLineEnd", "1 1:1\r\n1 2:\r\n", 2, 3, {"'2:'"}},
    {"LoneCarriageReturn", "1 1:1\n1\r1:1\n", 2, 1, {"'1\\x0d1:1'"}},
    {"AfterByteOrderMark",
     "\xEF\xBB\xBF"
     "1 x\n",
     1,
     3,
     {"'x'"}},
    {"LongField", "1 1:" + std::string(1000, 'z') + "\n", 1, 5, {"zzz...'"}},
    {"OnlyLabels", "1\n-1\n", 0, 0, {"no features"}},
    {"Prose", "This is no data\n", 1, 1, {"'This'", "label"}},
    {"Semicolons", "1;2;3\n", 1, 2, {"';'", "expected ','"}},
};
INSTANTIATE_TEST_SUITE_P(All, BadLibsvm, ::testing::ValuesIn(kBadLibsvm), name_of);

const Bad kBadCsv[] = {
    {"MissingValue", "a,b,c\n1,2,3\n4,,6\n", 3, 3, {"empty field in field 2", "missing values"}},
    {"MissingFirstValue", "1,2,3\n,5,6\n", 2, 1, {"empty field in field 1"}},
    {"MissingTarget", "1,2,3\n4,5,\n", 2, 5, {"empty field in field 3"}},
    {"MissingInFirstRow", "1,,3\n4,5,6\n", 1, 3, {"empty field in field 2"}},
    {"MissingBlank", "1,2,3\n4,  ,6\n", 2, 5, {"empty field in field 2"}},
    {"MissingNa", "1,2,3\n4,NA,6\n", 2, 3, {"'NA' in field 2", "missing values"}},
    {"MissingNaInFirstRow", "1,N/A,3\n4,5,6\n", 1, 3, {"'N/A' in field 2", "missing values"}},
    {"MissingMark", "1,2,3\n4,5,6\n7,?,9\n", 3, 3, {"'?' in field 2", "missing values"}},
    {"TextLabel", "a,b,c\n1,2,3\n4,5,cat\n", 3, 5, {"'cat' in field 3", "expected a finite number"}},
    {"TextLabelsEverywhere", "1,2,cat\n4,5,dog\n", 2, 5, {"'dog' in field 3"}},
    {"Nan", "a,b\n1,nan\n", 2, 3, {"'nan'", "not finite", "field 2"}},
    {"NanInFirstRow", "1,NaN\n2,3\n", 1, 3, {"'NaN'", "not finite"}},
    {"Inf", "1,2\ninf,3\n", 2, 1, {"'inf'", "not finite", "field 1"}},
    {"MinusInfinity", "1,2\n-Infinity,3\n", 2, 1, {"'-Infinity'", "not finite"}},
    {"Overflow", "1,2\n1,1e999\n", 2, 3, {"'1e999'", "too large"}},
    {"OverflowInFirstRow", "1,-1e999\n1,2\n", 1, 3, {"'-1e999'", "too large"}},
    {"TooFewFields", "a,b,c\n1,2,3\n4,5\n", 3, 4, {"2 fields", "expected 3 as in line 1"}},
    {"TooManyFields", "1,2,3\n1,2,3\n4,5,6,7\n", 3, 8, {"4 fields", "expected 3 as in line 1"}},
    {"HeaderShorterThanRows", "a,b\n1,2,3\n", 2, 6, {"3 fields", "expected 2 as in line 1"}},
    {"TrailingComma", "1,2,3\n4,5,6,\n", 2, 7, {"4 fields", "expected 3"}},
    {"CutInRow", "1,2,3\n4,5", 2, 4, {"2 fields", "cut off"}},
    {"CutAfterComma", "1,2,3\n4,5,", 2, 5, {"empty field in field 3", "cut off"}},
    {"CutInExponent", "1,2,3\n4,5,6e", 2, 5, {"'6e' in field 3", "cut off"}},
    {"OneFieldInRow", "1,2\n3\n", 2, 2, {"1 fields", "expected 2"}},
    {"Quotes", "a,b\n1,\"2\"\n", 2, 3, {"quote", "expected plain fields"}},
    {"QuotedHeader", "\"a\",\"b\"\n1,2\n", 1, 1, {"quote", "expected plain fields"}},
    {"QuotedNumbersInFirstRow", "\"1\",\"2\"\n3,4\n", 1, 1, {"quote"}},
    {"SecondHeader", "a,b\n1,2\na,b\n", 3, 1, {"'a' in field 1"}},
    {"Semicolon", "1,2\n3;4,5\n", 2, 1, {"'3;4' in field 1"}},
    {"BlankInNumber", "1,2\n3,4 5\n", 2, 3, {"'4 5' in field 2"}},
    {"Thousands", "1,2\n3,4'000\n", 2, 3, {"'4'000'"}},
    {"Hex", "1,2\n0x1F,2\n", 2, 1, {"'0x1F'"}},
    {"Unit", "1,2\n3,4kg\n", 2, 3, {"'4kg'"}},
    {"TwoPoints", "1,2\n1.2.3,4\n", 2, 1, {"'1.2.3'"}},
    {"LoneCarriageReturn", "1,2\r3,4\n5,6\n", 1, 3, {"'2\\x0d3'", "expected a finite number"}},
    {"FirstRowDamaged", "1,2O,0\n3,4,1\n", 1, 3, {"'2O'", "expected a finite number"}},
    {"WindowsLineEnd", "1,2\r\n3,x\r\n", 2, 3, {"'x' in field 2"}},
    {"AfterBlanksAndComments", "\n# c\na,b\n\n1,2\n3,x\n", 6, 3, {"'x'"}},
    {"AfterByteOrderMark",
     "\xEF\xBB\xBF"
     "1,2\n3,x\n",
     2,
     3,
     {"'x'"}},
    {"ControlBytes", "1,2\n3,\x01\x02\n", 2, 3, {"'\\x01\\x02'"}},
    {"OnlyAHeader", "a,b,c\n", 0, 0, {"a header and no rows"}},
};
INSTANTIATE_TEST_SUITE_P(All, BadCsv, ::testing::ValuesIn(kBadCsv), name_of);

TEST(ParseDataset, NeitherFormat) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "file: found an empty file, expected LIBSVM or CSV data"},
      {"\n \r\n\t\n", "file: found no rows, expected LIBSVM or CSV data"},
      {"\xEF\xBB\xBF", "file: found no rows, expected LIBSVM or CSV data"},
      {"# only a comment", "file: found no rows, expected LIBSVM or CSV data"},
      {std::string("1 1:1\n\0\n", 8), "file: found a zero byte at offset 6, expected text: a binary file?"},
      {std::string("\x1f\x8b\x08\0", 4), "file: found a gzip file, expected text: unpack it first"},
      {"BZh91AY", "file: found a bzip2 file, expected text: unpack it first"},
      {"\xFD"
       "7zXZ",
       "file: found a xz file, expected text: unpack it first"},
      {std::string("\xFF\xFE"
                   "1\0,\0",
                   6),
       "file: found a zero byte at offset 3, expected text: a binary file?"},
  };
  for (const auto& [text, expected] : cases) {
    Dataset data;
    EXPECT_EQ(parse_dataset(text, "file", data).message(), expected);
  }
}

// Cutting a good file at any byte gives a complaint or fewer rows, and never anything else.
TEST(ParseDataset, EveryPrefixIsHandled) {
  for (const std::string text : {"1 1:0.5 12:-2e-3\r\n-1 3:4 # x\n", "a,b\r\n1,-2.5e1\r\n3,4\n"}) {
    for (std::size_t size = 0; size < text.size(); ++size) {
      Dataset data;
      const std::string wrong = parse_dataset(std::string_view(text).substr(0, size), "f", data).message();
      if (wrong.empty()) {
        EXPECT_LE(data.features.rows, 2);
      } else {
        EXPECT_THAT(wrong, StartsWith("f:"));
      }
    }
  }
}

// --- files -----------------------------------------------------------------------------------------------------------

class ReadDataset : public ::testing::Test {
 protected:
  // Named after the process: test programs may run side by side.
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("loa-dataset-test-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  std::filesystem::path folder_;
};

TEST_F(ReadDataset, FormatDoesNotDependOnTheName) {
  Dataset data;
  ASSERT_EQ(read_dataset(write("rows.csv", "1 1:2\n"), data).message(), "");
  EXPECT_TRUE(data.features.is_sparse());
  ASSERT_EQ(read_dataset(write("rows.libsvm", "1,2\n"), data).message(), "");
  EXPECT_FALSE(data.features.is_sparse());
}

TEST_F(ReadDataset, MissingFileDirectoryAndEmptyFile) {
  Dataset data;
  EXPECT_EQ(read_dataset("no/such/file", data).message(),
            "no/such/file: found no such file, expected a LIBSVM or CSV file");
  EXPECT_THAT(read_dataset("", data).message(), HasSubstr("no such file"));
  EXPECT_EQ(read_dataset(folder_.string(), data).message(),
            folder_.string() + ": found a directory, expected a LIBSVM or CSV file");
  const std::string empty = write("empty", "");
  EXPECT_EQ(read_dataset(empty, data).message(), empty + ": found an empty file, expected LIBSVM or CSV data");
}

TEST_F(ReadDataset, DevicesAndFifosAreRefused) {
  Dataset data;
  EXPECT_EQ(read_dataset("/dev/zero", data).message(), "/dev/zero: found a device, expected a LIBSVM or CSV file");
  const std::string fifo = (folder_ / "fifo").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(read_dataset(fifo, data).message(), fifo + ": found a FIFO, expected a LIBSVM or CSV file");
}

TEST_F(ReadDataset, MessageNamesTheFile) {
  Dataset data;
  const std::string path = write("a b.txt", "1 1:1\n1 1:x\n");
  EXPECT_THAT(read_dataset(path, data).message(), StartsWith(path + ":2:5: found 'x'"));
}

TEST_F(ReadDataset, FileOfSeveralChunks) {
  std::string text = "a,b\n";
  constexpr int kRows = 400'000;  // 3.2 MB, read in pieces of 1 MiB
  for (int i = 0; i < kRows; ++i) text += "0.25,-1\n";
  Dataset data;
  ASSERT_EQ(read_dataset(write("large.csv", text), data).message(), "");
  EXPECT_EQ(data.features.rows, kRows);
  EXPECT_EQ(data.targets.sum(), -kRows);
  EXPECT_EQ(Eigen::Map<Vector>(data.features.values.data(), kRows).sum(), 0.25 * kRows);
}

// --- products --------------------------------------------------------------------------------------------------------

TEST(DataMatrix, SparseAndDenseAgree) {
  const Dataset sparse = parsed("1 1:1 3:2\n1\n1 2:-3\n1 1:4 2:5 3:6\n");
  const Dataset full = parsed("1,0,2,1\n0,0,0,1\n0,-3,0,1\n4,5,6,1\n");
  EXPECT_EQ(dense(sparse.features), dense(full.features));
  const Vector weights = (Vector(4) << 0.25, 4.0, 1.0, 2.25).finished();  // squares, so that their roots are exact
  Matrix gram_sparse, gram_dense;
  sparse.features.weighted_gram(weights, gram_sparse);
  full.features.weighted_gram(weights, gram_dense);
  EXPECT_EQ(gram_sparse, gram_dense);
  const Matrix a = dense(full.features);
  EXPECT_LE((gram_dense - a.transpose() * weights.asDiagonal() * a).norm(), 1e-13 * gram_dense.norm());
  EXPECT_EQ(sparse.features.squared_norm(), 91.0);

  // Rows [1, 4) alone.
  Vector product(3), out_sparse = Vector::Ones(3), out_dense = Vector::Ones(3);
  const Vector x = (Vector(3) << 1.0, 2.0, 3.0).finished();
  sparse.features.multiply(1, 3, x, product);
  EXPECT_EQ(product, (Vector(3) << 0.0, -6.0, 32.0).finished());
  sparse.features.add_transposed(1, 3, product, out_sparse);
  full.features.add_transposed(1, 3, product, out_dense);
  EXPECT_EQ(out_sparse, out_dense);
  EXPECT_EQ(out_sparse, (Vector(3) << 129.0, 179.0, 193.0).finished());
}

TEST(DataMatrix, EigenvalueBoundIsCloseFromAbove) {
  // Rank one: the Frobenius norm is the answer. Then a diagonal with a small gap at the top.
  EXPECT_NEAR(largest_gram_eigenvalue_bound(parsed("1 1:3 2:4\n1 1:6 2:8\n").features), 125.0, 1e-10);
  std::string text;
  for (int i = 1; i <= 500; ++i) text += "1 " + std::to_string(i) + ":" + std::to_string(1.0 + i / 500.0) + "\n";
  const double bound = largest_gram_eigenvalue_bound(parsed(text).features);
  EXPECT_GE(bound, 4.0);
  EXPECT_LE(bound, 4.0 * 1.021);
  EXPECT_EQ(largest_gram_eigenvalue_bound(parsed("1 1:0\n").features), 0.0);
}

// --- the data sets of the paper --------------------------------------------------------------------------------------

struct Known {
  std::string file;
  Index rows, cols;
  bool is_sparse;
};

class PaperData : public ::testing::TestWithParam<Known> {};

TEST_P(PaperData, HasItsPublishedSizeAndReadsFast) {
  const std::string path = std::string(LOA_SOURCE_DIR) + "/../shared/data/" + GetParam().file;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path << ": the data sets are not here";
  Dataset data;
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(read_dataset(path, data).message(), "");
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(data.features.rows, GetParam().rows);
  EXPECT_EQ(data.features.cols, GetParam().cols);
  EXPECT_EQ(data.features.is_sparse(), GetParam().is_sparse);
  EXPECT_LT(seconds.count(), 5.0) << "0.1 s are usual in an optimized build";
  RecordProperty("seconds", std::to_string(seconds.count()));
  if (GetParam().file == "w8a") {
    EXPECT_EQ((data.targets.array() == 1.0).count(), 1479);
    EXPECT_EQ((data.targets.array() == -1.0).count(), 48270);
  }
  if (GetParam().file == "mushrooms") {
    EXPECT_EQ((data.targets.array() == 1.0).count(), 3916);
    EXPECT_EQ((data.targets.array() == 2.0).count(), 4208);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PaperData,
                         ::testing::Values(Known{"mushrooms", 8124, 112, true}, Known{"w8a", 49749, 300, true},
                                           Known{"california_housing.csv", 20640, 8, false},
                                           Known{"diabetes.csv", 442, 10, false}),
                         [](const auto& param_info) {
                           return param_info.param.file.substr(0, param_info.param.file.find_first_of("._"));
                         });

}  // namespace
}  // namespace loa
