// The text that names a problem: what is accepted, and that every mistake is one line that starts with the spec.
#include "problem/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loa {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Spec parsed(const std::string& text) {
  Spec spec;
  EXPECT_EQ(Spec::parse(text, spec).message(), "");
  return spec;
}

TEST(Spec, NameAlone) {
  Spec spec = parsed("quadratic");
  EXPECT_EQ(spec.text(), "quadratic");
  EXPECT_EQ(spec.name(), "quadratic");
  EXPECT_EQ(spec.variant(), "");
  EXPECT_EQ(spec.integer("n", 7, 1, 10), 7);
  EXPECT_EQ(spec.finish().message(), "");
}

TEST(Spec, VariantAndKeys) {
  Spec spec = parsed("mgh:brown-badly-scaled,n=4,m=-2");
  EXPECT_EQ(spec.name(), "mgh");
  EXPECT_EQ(spec.variant(), "brown-badly-scaled");
  EXPECT_TRUE(spec.has("n"));
  EXPECT_FALSE(spec.has("x"));
  EXPECT_EQ(spec.integer("n", 0, 1, 10), 4);
  EXPECT_EQ(spec.integer("m", 0, -5, 10), -2);
  EXPECT_EQ(spec.finish().message(), "");
}

TEST(Spec, ValuesMayHoldColonsAndEqualSigns) {
  Spec spec = parsed("logistic:data=C:/a=b file.csv, l2=1/m");
  EXPECT_EQ(spec.text_value("data", ""), "C:/a=b file.csv");
  EXPECT_EQ(spec.text_value("l2", ""), "1/m");
  EXPECT_EQ(spec.finish().message(), "");
}

TEST(Spec, Reals) {
  Spec spec = parsed("p:a=1e-3,b=-.5,c=+2,d=7.,e=1E+2,f=1e-999");
  EXPECT_EQ(spec.real("a", 0, 0, 1), 1e-3);
  EXPECT_EQ(spec.real("b", 0, -1, 1), -0.5);
  EXPECT_EQ(spec.real("c", 0, 0, 2), 2.0);
  EXPECT_EQ(spec.real("d", 0, 0, 10), 7.0);
  EXPECT_EQ(spec.real("e", 0, 0, 100), 100.0);
  EXPECT_EQ(spec.real("f", 1, 0, 1), 0.0);
  EXPECT_EQ(spec.real("absent", 0.25, 0, 1), 0.25);
  EXPECT_EQ(spec.finish().message(), "");
}

TEST(Spec, BadRealsAreRefused) {
  for (const std::string value :
       {"nan", "inf", "-inf", "1e999", "1e-3x", "0x10", "abc", "--1", "+-1", "+", " 1", "1 "}) {
    Spec spec = parsed("p:a=" + value);
    EXPECT_EQ(spec.real("a", 0.5, -2, 2), 0.5) << value;
    EXPECT_EQ(spec.finish().message(), "p:a=" + value + ": found a='" + value + "', expected a number from -2 to 2");
  }
}

TEST(Spec, BadIntegersAreRefused) {
  for (const std::string value : {"0", "11", "1.0", "1e1", "abc", "99999999999999999999", "-", "5x"}) {
    Spec spec = parsed("p:n=" + value);
    EXPECT_EQ(spec.integer("n", 3, 1, 10), 3) << value;
    EXPECT_EQ(spec.finish().message(), "p:n=" + value + ": found n='" + value + "', expected an integer from 1 to 10");
  }
}

TEST(Spec, Choice) {
  Spec spec = parsed("p:a=sum,b=summ");
  EXPECT_EQ(spec.choice("a", {"mean", "sum"}, "mean"), "sum");
  EXPECT_EQ(spec.choice("c", {"mean", "sum"}, "mean"), "mean");
  EXPECT_EQ(spec.choice("b", {"mean", "sum"}, "mean"), "mean");
  EXPECT_EQ(spec.finish().message(), "p:a=sum,b=summ: found b='summ', expected one of mean, sum");
}

TEST(Spec, UnknownKeyIsAnErrorWithASuggestion) {
  Spec spec = parsed("quadratic:sed=3");
  spec.integer("n", 1, 1, 10);
  spec.integer("seed", 1, 1, 10);
  EXPECT_EQ(spec.finish().message(),
            "quadratic:sed=3: found the key 'sed', expected one of n, seed, did you mean 'seed'?");
}

TEST(Spec, UnknownKeyWhereNoneIsUnderstood) {
  EXPECT_EQ(parsed("p:q=3").finish().message(), "p:q=3: found the key 'q', expected no keys");
}

TEST(Spec, FirstMistakeIsKept) {
  Spec spec = parsed("p:n=0,zzz=1");
  spec.integer("n", 1, 1, 10);
  spec.fail("a later one");
  EXPECT_THAT(spec.finish().message(), HasSubstr("found n='0'"));
}

TEST(Spec, MalformedTexts) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "the empty spec: found no name"},
      {":n=3", ":n=3: found no name"},
      {"p:", "p:: found nothing after ':'"},
      {"p:n=3,", "p:n=3,: found an empty part"},
      {"p:,n=3", "p:,n=3: found an empty part"},
      {"p:n=3,,m=2", "p:n=3,,m=2: found an empty part"},
      {"p:n=3,word", "p:n=3,word: found 'word', expected key=value"},
      {"p:a,b", "p:a,b: found 'b', expected key=value"},
      {"p:=3", "p:=3: found '=3' without a key"},
      {"p:n=", "p:n=: found 'n=' without a value"},
      {"p:n=1,n=2", "p:n=1,n=2: found the key 'n' twice"},
      {"p:a=\n", ""},
  };
  for (const auto& [text, expected] : cases) {
    Spec spec;
    const std::string wrong = Spec::parse(text, spec).message();
    EXPECT_THAT(wrong, StartsWith(expected));
    EXPECT_EQ(wrong.empty(), expected.empty());
    if (!wrong.empty()) {
      EXPECT_EQ(spec.name(), "") << "a failed parse leaves the spec alone";
    }
  }
}

TEST(Spec, MessagesAreOneLine) {
  Spec spec = parsed("p:n=a\nb\x01");
  spec.integer("n", 1, 1, 2);
  EXPECT_EQ(spec.finish().message(), "p:n=a\\x0ab\\x01: found n='a\\x0ab\\x01', expected an integer from 1 to 2");
}

}  // namespace
}  // namespace loa
