// Weights on disk: round trips bit for bit, the order of columns of the JSON layout, and files that must be refused.
#include "loa/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>

#include "linalg/tensor_file.h"
#include "loa/algorithm.h"
#include "loa/random.h"
#include "loa/version.h"
#include "model/architecture.h"
#include "model/pooled_network_weights.h"
#include "paths.h"
#include "support/temporary_path.h"

namespace loa {
namespace {

using nlohmann::json;

// A file that disappears with the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content, const std::string& name = "file") : path_(temporary_path(name)) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

json random_matrix(Random& random, int rows, int cols) {
  json matrix = json::array();
  for (int row = 0; row < rows; ++row) {
    json numbers = json::array();
    for (int col = 0; col < cols; ++col) numbers.push_back(random.uniform(-1.0, 1.0));
    matrix.push_back(numbers);
  }
  return matrix;
}

// Weights in the layout of the paper's authors.
json random_json_weights(std::uint64_t seed) {
  Random random(seed);
  json file;
  file["note"] = "made by a test";
  for (const auto& [rows, cols] : {std::pair(6, 3), std::pair(12, 6), std::pair(3, 12)}) {
    file["average_block"].push_back(random_matrix(random, rows, cols));
  }
  for (const auto& [rows, cols] : {std::pair(12, 6), std::pair(1, 12)}) {
    file["output_block"].push_back(random_matrix(random, rows, cols));
  }
  file["linear"] = random_matrix(random, 1, 6);
  return file;
}

TensorFile random_tensor_file(std::uint64_t seed) {
  TensorFile file;
  const Vector theta = PooledNetwork::random_start(seed);
  for (const ParameterBlock& block : PooledNetwork::layout()) {
    const double* first = theta.data() + block.offset;
    file.tensors[block.name] = {{block.rows, block.cols}, {first, first + block.rows * block.cols}};
  }
  return file;
}

// The model evaluated in the order of columns of the JSON layout: features first, averages last.
Vector evaluate_json(const json& file, const std::vector<Vector>& features) {
  const auto apply = [](const json& matrix, const std::vector<double>& in, bool relu) {
    std::vector<double> out;
    for (const json& row : matrix) {
      double sum = 0.0;
      for (std::size_t i = 0; i < in.size(); ++i) sum += row.at(i).get<double>() * in[i];
      out.push_back(relu ? std::max(sum, 0.0) : sum);
    }
    return out;
  };
  const Index n = features[0].size();
  std::vector<std::vector<double>> joined;
  std::vector<double> average(3, 0.0);
  for (Index i = 0; i < n; ++i) {
    joined.push_back({features[0][i], features[1][i], features[2][i]});
    const json& block = file["average_block"];
    const auto out = apply(block[2], apply(block[1], apply(block[0], joined.back(), true), true), false);
    for (std::size_t j = 0; j < 3; ++j) average[j] += out[j] / static_cast<double>(n);
  }
  Vector y(n);
  for (Index i = 0; i < n; ++i) {
    std::vector<double>& u = joined[static_cast<std::size_t>(i)];
    u.insert(u.end(), average.begin(), average.end());
    const json& block = file["output_block"];
    y[i] = apply(block[1], apply(block[0], u, true), false)[0] + apply(file["linear"], u, false)[0];
  }
  return y;
}

Input random_input(Index n) {
  Random random(77);
  Input input;
  input.vectors.assign(3, Vector::Zero(n));
  for (Vector& column : input.vectors) {
    for (double& value : column) value = random.normal();
  }
  return input;
}

void expect_equal_bits(const Vector& a, const Vector& b) {
  ASSERT_EQ(a.size(), b.size());
  for (Index i = 0; i < a.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << "weight " << i;
  }
}

// --- round trips -----------------------------------------------------------------------------------------------------

TEST(Weights, RoundTripIsBitForBit) {
  Vector theta = PooledNetwork::random_start(3);
  theta[0] = -0.0;
  theta[1] = std::numeric_limits<double>::denorm_min();
  theta[215] = -std::numeric_limits<double>::max();
  Weights weights = pooled_network_weights(theta);
  weights.metadata["recipe"] = "40 epochs,\nseed 3";
  const std::string path = temporary_path("round_trip");
  ASSERT_EQ(save_weights(weights, path).message(), "");
  Weights back;
  ASSERT_EQ(load_weights(path, back).message(), "");
  expect_equal_bits(back.theta, theta);
  EXPECT_EQ(back.metadata["recipe"], "40 epochs,\nseed 3");
  EXPECT_EQ(back.metadata["architecture"], "pooled-network 3-6-12-3 | 6-12-1 + 6-1");
  EXPECT_EQ(back.metadata["column_order"], "avg0, avg1, avg2, B dg, d, -gamma B g");
  EXPECT_EQ(back.metadata["loa_version"], LOA_VERSION);
  EXPECT_EQ(check_pooled_network(back).message(), "");
  std::filesystem::remove(path);
}

TEST(Weights, SavedTensorsHaveTheNamesAndShapesOfTheBlocks) {
  const Vector theta = PooledNetwork::random_start(3);
  const std::string path = temporary_path("tensors");
  ASSERT_EQ(save_weights(pooled_network_weights(theta), path).message(), "");
  TensorFile file;
  ASSERT_EQ(file.read(path).message(), "");
  ASSERT_EQ(file.tensors.size(), 6u);
  EXPECT_EQ(file.tensors["average.1"].shape, (std::vector<Index>{12, 6}));
  EXPECT_EQ(file.tensors["linear"].shape, (std::vector<Index>{1, 6}));
  EXPECT_EQ(file.tensors["average.1"].values[7], theta[18 + 7]);
  EXPECT_EQ(file.tensors["linear"].values[5], theta[215]);
  std::filesystem::remove(path);
}

TEST(Weights, JsonBecomesSafetensorsWithoutLoss) {
  const TemporaryFile in(random_json_weights(1).dump());
  Weights weights, back;
  ASSERT_EQ(load_weights(in.path(), weights).message(), "");
  EXPECT_EQ(weights.metadata["note"], "made by a test");
  const std::string out = temporary_path("converted");
  ASSERT_EQ(save_weights(weights, out).message(), "");
  ASSERT_EQ(load_weights(out, back).message(), "");
  expect_equal_bits(back.theta, weights.theta);
  EXPECT_EQ(back.metadata["note"], "made by a test");
  std::filesystem::remove(out);
}

TEST(Weights, SafetensorsWithoutMetadataIsAccepted) {
  const TemporaryFile file(random_tensor_file(4).write_bytes());
  Weights weights;
  ASSERT_EQ(load_weights(file.path(), weights).message(), "");
  expect_equal_bits(weights.theta, PooledNetwork::random_start(4));
  EXPECT_EQ(weights.metadata["column_order"], kPooledNetworkColumnOrder);
}

TEST(Weights, WhatDoesNotFitIsNotSaved) {
  const std::string path = temporary_path("unsaved");
  Weights weights = pooled_network_weights(PooledNetwork::random_start(3));
  weights.theta[20] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(save_weights(weights, path).message(), path + ": not written: average.1[0][2] is not finite");
  weights.theta.resize(215);
  EXPECT_NE(save_weights(weights, path).message().find("found 215 weights, expected 216"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_NE(save_weights(pooled_network_weights(PooledNetwork::random_start(3)), "/nonexistent/weights").message(), "");
}

// --- the order of columns
// ----------------------------------------------------------------------------------------------

TEST(Weights, JsonColumnsAreReordered) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const json file = random_json_weights(seed);
    const TemporaryFile on_disk(file.dump());
    Weights weights;
    ASSERT_EQ(load_weights(on_disk.path(), weights).message(), "");
    std::shared_ptr<const PooledNetwork> network;
    ASSERT_EQ(make_pooled_network(weights, network).message(), "");
    const Input input = random_input(21);
    Prediction prediction;
    network->predict(input, prediction);
    const Vector expected = evaluate_json(file, input.vectors);
    EXPECT_LT((prediction.y - expected).lpNorm<Eigen::Infinity>(), 1e-13 * expected.lpNorm<Eigen::Infinity>());
  }
}

TEST(Weights, ThePublishedFileLoads) {
  const std::string path = LOA_SOURCE_DIR "/../shared/reference/published-weights.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  Weights weights;
  ASSERT_EQ(load_weights(path, weights).message(), "");
  EXPECT_TRUE(weights.metadata.contains("note"));
  // The linear layer, in our order: averages first. About 0.5 r + 0.04 d, see the weights of B dg, d and -gamma B g.
  EXPECT_NEAR(weights.theta[213], -0.08134697674507091, 1e-16);
  EXPECT_NEAR(weights.theta[214], 0.12461555909481409, 1e-16);
  EXPECT_NEAR(weights.theta[215], 0.4444158188771293, 1e-16);

  std::ifstream stream(path);
  const json file = json::parse(stream);
  std::shared_ptr<const PooledNetwork> network;
  ASSERT_EQ(make_pooled_network(weights, network).message(), "");
  const Input input = random_input(100);
  Prediction prediction;
  network->predict(input, prediction);
  const Vector expected = evaluate_json(file, input.vectors);
  EXPECT_LT((prediction.y - expected).lpNorm<Eigen::Infinity>(), 1e-13 * expected.lpNorm<Eigen::Infinity>());
}

// --- names
// -------------------------------------------------------------------------------------------------------------

TEST(Weights, BuiltinWeightsAreListedAndFound) {
  ASSERT_EQ(builtin_weights().size(), 10u);
  for (const WeightsInfo& info : builtin_weights()) {
    Weights weights;
    EXPECT_EQ(find_weights(info.name, weights).message(), "") << info.name;
    EXPECT_EQ(check_weights(weights, architecture_for(info.algorithm)).message(), "") << info.name;
    EXPECT_EQ(algorithm_of(weights), info.algorithm) << info.name;
    EXPECT_FALSE(info.description.empty());
  }
  for (const AlgorithmInfo& info : algorithms()) {
    Weights weights;
    if (info.name == "loa-l-bfgs") continue;  // takes those of loa-bfgs
    EXPECT_EQ(find_weights(info.name, weights).message().empty(), info.learned)
        << "the default has the algorithm's name";
  }
  EXPECT_EQ(make_algorithm("loa-l-bfgs").model->theta(), make_algorithm("loa-bfgs").model->theta());
  Weights weights;
  ASSERT_EQ(find_weights("bfgs-like", weights).message(), "");
  expect_equal_bits(weights.theta, PooledNetwork::bfgs_like_start(0));
  ASSERT_EQ(find_weights("random", weights).message(), "");
  expect_equal_bits(weights.theta, PooledNetwork::random_start(0));
}

TEST(Weights, OfRecurrentNetworksMakeTheRoundTrip) {
  for (const char* algorithm : {"l2l-gd", "rnnprop"}) {
    const Architecture& architecture = architecture_for(algorithm);
    Weights weights = make_weights(architecture, Vector::LinSpaced(architecture.num_parameters(), -1.0, 1.0 / 3.0));
    weights.metadata["training.seed"] = "7";
    const TemporaryFile file("");
    ASSERT_EQ(save_weights(weights, file.path()).message(), "");
    Weights back;
    ASSERT_EQ(load_weights(file.path(), back).message(), "");
    expect_equal_bits(back.theta, weights.theta);
    EXPECT_EQ(algorithm_of(back), algorithm);
    EXPECT_EQ(back.metadata["training.seed"], "7");

    // Without metadata the names of the tensors tell.
    TensorFile plain;
    ASSERT_EQ(plain.read(file.path()).message(), "");
    plain.metadata.clear();
    ASSERT_EQ(plain.write(file.path()).message(), "");
    ASSERT_EQ(load_weights(file.path(), back).message(), "");
    EXPECT_EQ(algorithm_of(back), algorithm);

    plain.tensors["output"].shape = {20, 1};
    ASSERT_EQ(plain.write(file.path()).message(), "");
    EXPECT_THAT(load_weights(file.path(), back).message(),
                testing::HasSubstr("tensor \"output\" is 20 x 1, expected 1 x 20"));
  }
}

TEST(Weights, OfAnotherAlgorithmAreRefusedByName) {
  const std::pair<const char*, const char*> pairs[] = {
      {"loa-bfgs", "rnnprop"}, {"rnnprop", "l2l-gd"}, {"l2l-gd", "loa-bfgs"}};
  for (const auto& [algorithm, weights] : pairs) {
    try {
      make_algorithm(algorithm, {}, weights);
      FAIL() << algorithm << " took " << weights;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()), std::string(algorithm) + ": expected weights of " + algorithm +
                                               ", found weights of " + weights + " in '" + weights + "'");
    }
  }
}

TEST(Weights, FilesAreFoundByPath) {
  const TemporaryFile file(random_json_weights(1).dump());
  Weights weights;
  EXPECT_EQ(find_weights(file.path(), weights).message(), "");
  EXPECT_NE(find_weights(testing::TempDir(), weights).message(), "") << "a folder is not weights";
}

TEST(Weights, UnknownNamesAreAnsweredWithTheKnownOnes) {
  Weights weights;
  const std::string message = find_weights("bfgs_like", weights).message();
  EXPECT_EQ(message,
            "found weights \"bfgs_like\", expected a file that exists or one of "
            "loa, loa-zero, loa-bfgs, loa-bfgs-paper, bfgs-like, random, l2l-gd, l2l-gd-quadratics, rnnprop, "
            "rnnprop-quadratics");
  EXPECT_NE(find_weights("", weights).message(), "");
  EXPECT_EQ(find_weights("two\nlines", weights).message().find('\n'), std::string::npos);
  EXPECT_EQ(load_weights("/nonexistent/file", weights).message(),
            "/nonexistent/file: found no such file, expected a file of weights");
}

TEST(Weights, WhatIsNoFileOrTooLargeIsRefused) {
  Weights weights;
  EXPECT_EQ(load_weights("/dev/zero", weights).message(), "/dev/zero: found a device, expected a file of weights");
  EXPECT_EQ(find_weights("/dev/zero", weights).message(), "/dev/zero: found a device, expected a file of weights");
  const std::string path = temporary_path("hole");
  std::ofstream(path).close();
  std::filesystem::resize_file(path, (std::uintmax_t{1} << 24) + 1);
  EXPECT_EQ(load_weights(path, weights).message(),
            path + ": found 16777217 bytes, expected a file of weights of at most 16777216");
  std::filesystem::remove(path);
}

// --- models from weights
// -------------------------------------------------------------------------------------------------

TEST(Weights, BlocksAreCheckedBeforeAModelIsMade) {
  const Weights good = pooled_network_weights(PooledNetwork::random_start(1));
  std::shared_ptr<const PooledNetwork> network;
  ASSERT_EQ(make_pooled_network(good, network).message(), "");
  expect_equal_bits(network->theta(), good.theta);
  network.reset();

  const auto refused = [&](auto&& change, const std::string& expected) {
    Weights weights = good;
    change(weights);
    const std::string message = make_pooled_network(weights, network).message();
    EXPECT_NE(message.find(expected), std::string::npos) << message;
    EXPECT_EQ(network, nullptr);
  };
  refused([](Weights& w) { w = Weights(); }, "found 0 blocks, expected 6");
  refused([](Weights& w) { w.blocks.pop_back(); }, "found 5 blocks");
  refused([](Weights& w) { w.blocks[2].name = "other"; }, "block 2 is \"other\"");
  refused([](Weights& w) { std::swap(w.blocks[0].rows, w.blocks[0].cols); }, "average.0 is 3 x 6, expected 6 x 3");
  refused([](Weights& w) { w.blocks[5].offset = 0; }, "linear starts at 0, expected 210");
  refused([](Weights& w) { w.theta.conservativeResize(217); }, "found 217 weights");
  refused([](Weights& w) { w.theta[215] = std::numeric_limits<double>::infinity(); }, "linear[0][5] is not finite");
  refused([](Weights& w) { w.metadata["architecture"] = "other"; }, "architecture is \"other\"");
  refused([](Weights& w) { w.metadata["column_order"] = "B dg, d"; }, "column_order is \"B dg, d\"");
}

// --- malformed files
// -----------------------------------------------------------------------------------------------------

struct Malformed {
  const char* what;
  std::string content;
  const char* expected;  // a part of the message
};

void PrintTo(const Malformed& malformed, std::ostream* out) { *out << malformed.what; }

class MalformedWeights : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedWeights, AreRefusedInOneLine) {
  const TemporaryFile file(GetParam().content, "malformed");
  Weights weights = pooled_network_weights(PooledNetwork::random_start(1));
  const std::string message = load_weights(file.path(), weights).message();
  EXPECT_TRUE(message.starts_with(file.path() + ": ")) << message;
  EXPECT_NE(message.find(GetParam().expected), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  expect_equal_bits(weights.theta, PooledNetwork::random_start(1));
}

// A good JSON file after one change.
template <typename Change>
std::string json_with(Change change) {
  json file = random_json_weights(1);
  change(file);
  return file.dump();
}

// A good safetensors file after one change.
template <typename Change>
std::string tensors_with(Change change) {
  TensorFile file = random_tensor_file(1);
  change(file);
  return file.write_bytes();
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

const std::string& good_json() {
  static const std::string text = random_json_weights(1).dump();
  return text;
}

const std::string& good_tensors() {
  static const std::string bytes = random_tensor_file(1).write_bytes();
  return bytes;
}

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

INSTANTIATE_TEST_SUITE_P(
    Json, MalformedWeights,
    testing::Values(
        Malformed{"empty file", "", "neither"}, Malformed{"spaces only", " \n\t", "neither"},
        Malformed{"text", "hello, world", "neither"}, Malformed{"a list", "[1, 2]", "neither"},
        Malformed{"pickle", "\x80\x02}q", "neither"}, Malformed{"open brace", "{", "is not JSON"},
        Malformed{"empty object", "{}", "average_block is missing"},
        Malformed{"cut in the middle", good_json().substr(0, good_json().size() / 2), "is not JSON"},
        Malformed{"last brace missing", good_json().substr(0, good_json().size() - 1), "is not JSON"},
        Malformed{"text after the end", good_json() + "}", "is not JSON"},
        Malformed{"zero byte after the end", good_json() + std::string("\0{", 2), "is not JSON"},
        Malformed{"NaN", replaced(good_json(), "\"linear\":[[", "\"linear\":[[NaN,"), "is not JSON"},
        Malformed{"number out of range", replaced(good_json(), "\"linear\":[[", "\"linear\":[[1e999,"), "out of range"},
        Malformed{"key twice", replaced(good_json(), "{", "{\"linear\":[[1,2,3,4,5,6]],"), "\"linear\" twice"},
        Malformed{"unknown key", json_with([](json& f) { f["bias"] = 1; }), "unknown key \"bias\""},
        Malformed{"note is a number", json_with([](json& f) { f["note"] = 1; }), "note is not text"},
        Malformed{"no output block", json_with([](json& f) { f.erase("output_block"); }), "output_block is missing"},
        Malformed{"no linear layer", json_with([](json& f) { f.erase("linear"); }), "linear is missing"},
        Malformed{"two average matrices", json_with([](json& f) { f["average_block"].erase(2); }),
                  "average_block: found 2 matrices, expected 3"},
        Malformed{"three output matrices", json_with([](json& f) { f["output_block"].push_back(json::array()); }),
                  "output_block: found 3 matrices, expected 2"},
        Malformed{"block is an object", json_with([](json& f) { f["average_block"] = json::object(); }),
                  "average_block: found no list"},
        Malformed{"row missing", json_with([](json& f) { f["average_block"][1].erase(11); }),
                  "average_block[1]: found 11 rows, expected 12"},
        Malformed{"number missing", json_with([](json& f) { f["average_block"][0][5].erase(0); }),
                  "average_block[0][5]: found 2 numbers, expected 3"},
        Malformed{"number too many", json_with([](json& f) { f["linear"][0].push_back(1.0); }),
                  "linear[0]: found 7 numbers, expected 6"},
        Malformed{"the figure's 3 x 12", json_with([](json& f) {
                    for (json& row : f["output_block"][0]) row = {1.0, 2.0, 3.0};
                  }),
                  "output_block[0][0]: found 3 numbers, expected 6"},
        Malformed{"linear layer is flat", json_with([](json& f) { f["linear"] = json(f["linear"][0]); }),
                  "linear: found 6 rows, expected 1"},
        Malformed{"row is a number", json_with([](json& f) { f["output_block"][0][3] = 1.0; }),
                  "output_block[0][3]: found no list, expected 6 numbers"},
        Malformed{"null", json_with([](json& f) { f["output_block"][1][0][11] = nullptr; }),
                  "output_block[1][0][11] is not a number"},
        Malformed{"text for a number", json_with([](json& f) { f["average_block"][2][1][0] = "1.0"; }),
                  "average_block[2][1][0] is not a number"},
        Malformed{"true", json_with([](json& f) { f["linear"][0][0] = true; }), "linear[0][0] is not a number"},
        Malformed{"one list too many", json_with([](json& f) { f["average_block"][0][0][0] = json::array({1.0}); }),
                  "nested too deeply"}));

INSTANTIATE_TEST_SUITE_P(
    Safetensors, MalformedWeights,
    testing::Values(
        Malformed{"seven zero bytes", std::string(7, '\0'), "too few"},
        Malformed{"zeros", std::string(100, '\0'), "not a JSON object"},
        Malformed{"cut header", good_tensors().substr(0, 40), "cut off"},
        Malformed{"cut data", good_tensors().substr(0, good_tensors().size() - 8), "reach past"},
        Malformed{"byte after the end", good_tensors() + "x", "belong to no tensor"},
        Malformed{"no tensors", tensors_with([](TensorFile& f) { f.tensors.clear(); }), "\"average.0\" is missing"},
        Malformed{"tensor missing", tensors_with([](TensorFile& f) { f.tensors.erase("output.1"); }),
                  "\"output.1\" is missing"},
        Malformed{"tensor too many", tensors_with([](TensorFile& f) {
                    f.tensors["bias"] = {{1}, {0.0}};
                  }),
                  "unknown tensor \"bias\""},
        Malformed{"state of a run", tensors_with([](TensorFile& f) {
                    f.tensors = {{"x", {{2}, {1.0, 2.0}}}};
                  }),
                  "unknown tensor \"x\""},
        Malformed{"transposed", tensors_with([](TensorFile& f) {
                    f.tensors["average.0"].shape = {3, 6};
                  }),
                  "\"average.0\" is 3 x 6, expected 6 x 3"},
        Malformed{"flat", tensors_with([](TensorFile& f) { f.tensors["linear"].shape = {6}; }),
                  "\"linear\" is 6, expected 1 x 6"},
        Malformed{"three dimensions", tensors_with([](TensorFile& f) {
                    f.tensors["linear"].shape = {1, 6, 1};
                  }),
                  "\"linear\" is 1 x 6 x 1, expected 1 x 6"},
        Malformed{"a single number", tensors_with([](TensorFile& f) {
                    f.tensors["linear"] = {{}, {1.0}};
                  }),
                  "\"linear\" is a single number, expected 1 x 6"},
        Malformed{"empty tensor", tensors_with([](TensorFile& f) {
                    f.tensors["output.1"] = {{1, 0}, {}};
                  }),
                  "\"output.1\" is 1 x 0, expected 1 x 12"},
        Malformed{"NaN", tensors_with([](TensorFile& f) { f.tensors["average.2"].values[35] = kNoNumber; }),
                  "average.2[2][11] is not finite"},
        Malformed{"infinity", tensors_with([](TensorFile& f) { f.tensors["output.0"].values[6] = -kInfinity; }),
                  "output.0[1][0] is not finite"},
        Malformed{"other architecture", tensors_with([](TensorFile& f) { f.metadata["architecture"] = "lstm"; }),
                  "architecture is \"lstm\""},
        Malformed{"other column order", tensors_with([](TensorFile& f) { f.metadata["column_order"] = "d first"; }),
                  "column_order is \"d first\""},
        Malformed{"metadata is a number",
                  replaced(tensors_with([](TensorFile& f) { f.metadata["seed"] = "12"; }), "\"12\"", "1234"),
                  "metadata \"seed\": expected text"},
        Malformed{"integers", replaced(good_tensors(), "F64", "I64"), "dtype is \"I64\""}));

TEST(Weights, SinglePrecisionIsAccepted) {
  // All weights 0.5f, written by hand.
  std::string header = "{", data;
  for (const ParameterBlock& block : PooledNetwork::layout()) {
    const std::size_t begin = data.size();
    for (Index i = 0; i < block.rows * block.cols; ++i) data.append("\0\0\0\x3f", 4);
    const json entry = {{"dtype", "F32"}, {"shape", {block.rows, block.cols}}, {"data_offsets", {begin, data.size()}}};
    header += (begin == 0 ? "\"" : ",\"") + block.name + "\":" + entry.dump();
  }
  header += "}";
  std::string bytes = {static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  const TemporaryFile file(bytes + std::string(6, '\0') + header + data);
  Weights weights;
  ASSERT_EQ(load_weights(file.path(), weights).message(), "");
  EXPECT_EQ(weights.theta, Vector::Constant(216, 0.5));
}

}  // namespace
}  // namespace loa
