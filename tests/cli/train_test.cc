// loa train: killed and resumed, interrupted, configured by a file, and what it writes. loa weights evaluate.
#include "loa/train.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "loa/lab.h"
#include "paths.h"
#include "support/objectives.h"
#include "support/run_program.h"
#include "support/temporary_path.h"

namespace loa {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr char kHeader[] =
    "epoch,train_loss,test_loss,lowest_batch,highest_batch,best_loss,best_epoch,not_finite,seconds";

// A training of little work; all but --epochs and --out.
constexpr char kSmall[] =
    "--dimension 12 --functions 3 --starts 2 --test-functions 2 --iterations 10 --seed 7 --learning-rate 1e-3 "
    "--linear-learning-rate 1e-2";

TrainingOptions small_options(std::int64_t epochs) {
  TrainingOptions o = training_preset("paper");
  o.unroll.dimension = 12;
  o.functions = 3;
  o.unroll.starts = 2;
  o.test_functions = 2;
  o.unroll.iterations = 10;
  o.seed = 7;
  o.unroll.learning_rate = 1e-3;
  o.unroll.linear_learning_rate = 1e-2;
  o.epochs = epochs;
  return o;
}

std::string small(int epochs, const std::string& out) {
  return std::string("train ") + kSmall + " --epochs " + std::to_string(epochs) + " --out '" + out + "' ";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> list;
  for (std::string line; std::getline(stream, line);) list.push_back(line);
  return list;
}

// The header, then the epochs 1, 2, ..., each once and in order.
void expect_log(const std::string& path, int epochs) {
  const std::vector<std::string> rows = lines_of(read_text(path));
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows[0], kHeader);
  std::vector<std::string> found, expected;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(std::count(rows[i].begin(), rows[i].end(), ','), 8) << rows[i];
    found.push_back(rows[i].substr(0, rows[i].find(',')));
  }
  for (int epoch = 1; epoch <= epochs; ++epoch) expected.push_back(std::to_string(epoch));
  EXPECT_EQ(found, expected);
}

// All columns but the last, the seconds.
std::vector<std::string> without_seconds(const std::string& path) {
  std::vector<std::string> rows = lines_of(read_text(path));
  for (std::string& row : rows) row.resize(row.rfind(','));
  return rows;
}

// The program running beside the test, so that it can be sent a signal.
class Running {
 public:
  explicit Running(const std::string& arguments, const std::string& out = "/dev/null") {
    const std::string command = "exec '" LOA_PROGRAM "' " + arguments;
    process_ = fork();
    if (process_ != 0) return;
    const int file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDOUT_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  ~Running() {
    if (!ended_) send(SIGKILL), wait();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  bool ended() {
    if (!ended_ && waitpid(process_, &status_, WNOHANG) == process_) ended_ = true;
    return ended_;
  }
  // The exit status, or minus the signal that ended it.
  int wait() {
    if (!ended_) waitpid(process_, &status_, 0);
    ended_ = true;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_);
  }
  void send(int signal) {
    if (!ended_) kill(process_, signal);
  }

 private:
  pid_t process_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

void pause(long microseconds) {
  const timespec time{microseconds / 1'000'000, microseconds % 1'000'000 * 1000};
  nanosleep(&time, nullptr);
}

// Waits until the log has rows up to `epoch` or the program has ended.
void wait_for_epoch(Running& program, const std::string& log, int epoch) {
  while (!program.ended()) {
    const std::vector<std::string> rows = lines_of(read_text(log));
    if (rows.size() > 1 && std::atoi(rows.back().c_str()) >= epoch) return;
    pause(200);
  }
}

int last_epoch(const std::string& log) {
  const std::vector<std::string> rows = lines_of(read_text(log));
  return rows.size() > 1 ? std::atoi(rows.back().c_str()) : 0;
}

// --- killed and resumed ----------------------------------------------------------------------------------------------

// Where the signals fall depends on the machine; what comes out must not.
TEST(Train, KilledTenTimesAndResumedGivesTheSameBytes) {
  constexpr int kEpochs = 30;
  const TemporaryFolder folder;
  const std::string whole = folder / "whole", killed = folder / "killed", log = killed + ".csv";
  ASSERT_EQ(run_program(small(kEpochs, whole)).status, 0);

  Random random(2024);
  int num_killed = 0;
  for (int i = 0; i < 10; ++i) {
    Running program(small(kEpochs, killed) + "--resume");
    // After up to two more epochs, somewhere within the next: reading, training, writing.
    wait_for_epoch(program, log, last_epoch(log) + static_cast<int>(random.below(3)));
    pause(static_cast<long>(random.below(4000)));
    program.send(SIGKILL);
    num_killed += program.wait() == -SIGKILL;
  }
  RecordProperty("killed", num_killed);  // the others had ended before their signal
  const ProgramResult rest = run_program(small(kEpochs, killed) + "--resume");
  EXPECT_EQ(rest.status, 0) << rest.err;
  EXPECT_TRUE(read_text(killed) == read_text(whole)) << "the weights differ";
  EXPECT_TRUE(read_text(killed + ".checkpoint") == read_text(whole + ".checkpoint")) << "the checkpoints differ";
  expect_log(log, kEpochs);
  EXPECT_EQ(without_seconds(log), without_seconds(whole + ".csv"));
}

// A row of an epoch that the checkpoint does not have yet, and half a row.
TEST(Train, ALogThatIsAheadOfTheCheckpointIsMadeWhole) {
  const TemporaryFolder folder;
  const std::string whole = folder / "whole", killed = folder / "killed";
  ASSERT_EQ(run_program(small(6, whole)).status, 0);
  TrainingResult result;
  const EpochObserver stop_at_3 = [](const EpochReport& r) { return r.epoch == 3 ? Continue::kNo : Continue::kYes; };
  ASSERT_EQ(train(small_options(6), killed + ".checkpoint", false, stop_at_3, result).message(), "");
  const std::string log = read_text(whole + ".csv");
  write_text(killed + ".csv", log.substr(0, log.size() - 20));
  ASSERT_EQ(run_program(small(6, killed) + "--resume").status, 0);
  expect_log(killed + ".csv", 6);
  EXPECT_EQ(without_seconds(killed + ".csv"), without_seconds(whole + ".csv"));
}

TEST(Train, WithoutResumeItStartsAgain) {
  const TemporaryFolder folder;
  const std::string out = folder / "w";
  ASSERT_EQ(run_program(small(2, out)).status, 0);
  const std::string weights = read_text(out);
  ASSERT_EQ(run_program(small(2, out)).status, 0);
  EXPECT_TRUE(read_text(out) == weights);
  expect_log(out + ".csv", 2);
}

TEST(Train, ResumeRefusesACheckpointOfOtherOptions) {
  const TemporaryFolder folder;
  const std::string out = folder / "w";
  ASSERT_EQ(run_program(small(2, out)).status, 0);
  const std::string weights = read_text(out), log = read_text(out + ".csv");
  const ProgramResult result = run_program(small(2, out) + "--resume --clip 3");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(lines_of(result.err).size(), 1u) << result.err;
  EXPECT_THAT(result.err, HasSubstr("clip"));
  EXPECT_TRUE(read_text(out) == weights);
  EXPECT_EQ(read_text(out + ".csv"), log);
}

TEST(Train, InterruptKeepsTheBestSoFar) {
  const TemporaryFolder folder;
  const std::string out = folder / "w";
  Running program(small(1'000'000, out) + "--json", folder / "out.json");
  wait_for_epoch(program, out + ".csv", 3);
  program.send(SIGINT);
  EXPECT_EQ(program.wait(), 1);
  const json parsed = json::parse(read_text(folder / "out.json"));
  EXPECT_EQ(parsed["stopped"], true);
  const int epochs = parsed["epochs"];
  EXPECT_GE(epochs, 3);
  expect_log(out + ".csv", epochs);
  Weights weights;
  ASSERT_EQ(load_weights(out, weights).message(), "");
  EXPECT_EQ(weights.metadata.at("training.best_epoch"), std::to_string(parsed["best_epoch"].get<int>()));

  // What was kept is what the library would have kept.
  TrainingResult expected;
  const EpochObserver stop = [&](const EpochReport& r) { return r.epoch == epochs ? Continue::kNo : Continue::kYes; };
  ASSERT_EQ(train(small_options(1'000'000), "", false, stop, expected).message(), "");
  EXPECT_TRUE(test::same_bits(weights.theta, expected.weights.theta));
}

// --- what it writes --------------------------------------------------------------------------------------------------

TEST(Train, JsonHasExactlyTheDocumentedKeys) {
  const TemporaryFolder folder;
  const ProgramResult result = run_program(small(2, folder / "w") + "--json");
  EXPECT_EQ(result.status, 0) << result.err;
  const json parsed = json::parse(result.out);
  std::vector<std::string> keys;
  for (const auto& [key, value] : parsed.items()) keys.push_back(key);
  EXPECT_THAT(keys, UnorderedElementsAre("out", "preset", "epochs", "best_epoch", "best_loss", "train_loss",
                                         "test_loss", "not_finite", "stopped", "seconds"));
  EXPECT_EQ(parsed["epochs"], 2);
  EXPECT_EQ(parsed["stopped"], false);
}

TEST(Train, WritesWeightsLogCheckpointAndPicture) {
  const TemporaryFolder folder;
  const std::string out = folder / "w.safetensors";
  const ProgramResult result = run_program(small(2, out));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("trained after epoch 2 of 2"));
  for (const char* suffix : {"", ".checkpoint", ".csv"}) EXPECT_TRUE(std::filesystem::exists(out + suffix)) << suffix;
  expect_log(out + ".csv", 2);
  Weights weights;
  ASSERT_EQ(load_weights(out, weights).message(), "");
  EXPECT_EQ(weights.metadata.at("training.seed"), "7");
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not there";
  EXPECT_GT(std::filesystem::file_size(out + ".svg"), 1000u);
  EXPECT_GT(std::filesystem::file_size(out + ".png"), 1000u);
}

TEST(Train, ANameWithBlanksAndQuotesIsAName) {
  const TemporaryFolder folder;
  const std::string name = folder / "it is a (name)";
  const ProgramResult result = run_program(small(1, name));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(std::filesystem::exists(name + ".csv"));
}

TEST(Train, TheWeightsDoNotDependOnTheThreads) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program(small(2, folder / "one") + "--threads 1").status, 0);
  ASSERT_EQ(run_program(small(2, folder / "three") + "--threads 3").status, 0);
  EXPECT_TRUE(read_text(folder / "one") == read_text(folder / "three"));
}

// --- evolution -------------------------------------------------------------------------------------------------------

// A training of little work; all but --epochs and --out.
constexpr char kSmallEvolution[] =
    "train --trainer evolution --families 'quadratic:n=4;quadratic:n=6;logistic:n=3,m=10' --functions 6 "
    "--test-functions 3 --batch 4 --population 4 --sigma 0.05 --validate-every 2 --max-evaluations 200 ";

TEST(Train, EvolutionWritesWeightsLogAndPicture) {
  const TemporaryFolder folder;
  const std::string out = folder / "w";
  const ProgramResult result =
      run_program(std::string(kSmallEvolution) + "--only output.1,linear --epochs 3 --out '" + out + "' --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json parsed = json::parse(result.out);
  EXPECT_EQ(parsed["preset"], "evolution");
  EXPECT_EQ(parsed["epochs"], 3);
  EXPECT_LE(parsed["best_loss"], 0.0) << "the start is BFGS";
  EXPECT_DOUBLE_EQ(parsed["best_ratio"].get<double>(), std::exp(parsed["best_loss"].get<double>()));
  expect_log(out + ".csv", 3);
  Weights weights;
  ASSERT_EQ(load_weights(out, weights).message(), "");
  EXPECT_EQ(weights.metadata.at("training.trainer"), "evolution");
  EXPECT_EQ(weights.metadata.at("training.only"), "output.1, linear");
  EXPECT_THAT(read_text(out + ".gp"), HasSubstr("mean log(evaluations/evaluations of BFGS)"));
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not there";
  EXPECT_THAT(read_text(out + ".svg"), HasSubstr("families left out"));
}

TEST(Train, EvolutionResumesBitForBitOnAnyNumberOfThreads) {
  const TemporaryFolder folder;
  const std::string whole = folder / "whole", part = folder / "part";
  ASSERT_EQ(run_program(std::string(kSmallEvolution) + "--epochs 4 --threads 2 --out '" + whole + "'").status, 0);
  ASSERT_EQ(run_program(std::string(kSmallEvolution) + "--epochs 2 --out '" + part + "'").status, 0);
  ASSERT_EQ(run_program(std::string(kSmallEvolution) + "--epochs 4 --threads 1 --resume --out '" + part + "'").status,
            0);
  EXPECT_TRUE(read_text(part) == read_text(whole)) << "the weights differ";
  EXPECT_TRUE(read_text(part + ".checkpoint") == read_text(whole + ".checkpoint")) << "the checkpoints differ";
  expect_log(part + ".csv", 4);
  EXPECT_EQ(without_seconds(part + ".csv"), without_seconds(whole + ".csv"));
}

TEST(Train, EvolutionTakesAnyLearnedAlgorithm) {
  const TemporaryFolder folder;
  const ProgramResult result =
      run_program(std::string(kSmallEvolution) + "--algorithm rnnprop --epochs 1 --out '" + folder / "w" + "'");
  ASSERT_EQ(result.status, 0) << result.err;
  Weights weights;
  ASSERT_EQ(load_weights(folder / "w", weights).message(), "");
  EXPECT_EQ(algorithm_of(weights), "rnnprop");
}

// --- the configuration file
// --------------------------------------------------------------------------------------------

// Of what the training costs, the flags keep it small even if the file is not read.
constexpr char kCheap[] = "--iterations 10 --epochs 2 --functions 2 --test-functions 1";

TEST(Train, ConfigurationEqualsFlags) {
  const TemporaryFolder folder;
  write_text(folder / "c.toml",
             "# a comment\ndimension = 12\nseed = 5\nwindow = 2\nlearning-rate = 2e-3\nclip = 0.5\nstarts = 1\n"
             "start = \"random\"\ndetach-B = false\nout = \"" +
                 folder / "file" + "\"\n");
  const ProgramResult by_file = run_program(std::string("train ") + kCheap + " --config '" + folder / "c.toml" + "'",
                                            "cd '" + folder.string() + "' && ");
  EXPECT_EQ(by_file.status, 0) << by_file.err;
  const ProgramResult by_flags =
      run_program(std::string("train ") + kCheap +
                  " --dimension 12 --seed 5 --window 2 --learning-rate 2e-3 --clip 0.5 --starts 1 --start random "
                  "--detach-B 0 --out '" +
                  folder / "flags" + "'");
  EXPECT_EQ(by_flags.status, 0) << by_flags.err;
  ASSERT_TRUE(std::filesystem::exists(folder / "file")) << "the file's `out` was not followed";
  EXPECT_TRUE(read_text(folder / "file") == read_text(folder / "flags"));
}

TEST(Train, FlagsPrevailOverTheConfiguration) {
  const TemporaryFolder folder;
  write_text(folder / "c.toml", "dimension = 12\nseed = 5\nepochs = 1\n");
  const std::string out = folder / "w";
  const ProgramResult result =
      run_program(std::string("train ") + kCheap + " --config '" + folder / "c.toml" + "' --out '" + out + "'");
  EXPECT_EQ(result.status, 0) << result.err;
  expect_log(out + ".csv", 2);
  Weights weights;
  ASSERT_EQ(load_weights(out, weights).message(), "");
  EXPECT_EQ(weights.metadata.at("training.seed"), "5");
  EXPECT_EQ(weights.metadata.at("training.dimension"), "12");
}

// A preset named in the file brings its numbers, as the flag does.
TEST(Train, ThePresetMayStandInTheConfiguration) {
  const TemporaryFolder folder;
  write_text(folder / "c.toml", "preset = \"best\"\n");
  const std::string cheap = std::string("train ") + kCheap + " --dimension 12 --starts 1 --window 5 ";
  ASSERT_EQ(run_program(cheap + "--config '" + folder / "c.toml" + "' --out '" + folder / "file" + "'").status, 0);
  ASSERT_EQ(run_program(cheap + "--preset best --out '" + folder / "flags" + "'").status, 0);
  EXPECT_TRUE(read_text(folder / "file") == read_text(folder / "flags"));
}

// --- mistakes --------------------------------------------------------------------------------------------------------

TEST(Train, AnAlgorithmAloneChoosesItsPreset) {
  const TemporaryFolder folder;
  const std::string few = " --functions 2 --test-functions 1 --iterations 4 --window 2 --epochs 1 ";
  for (const std::string algorithm : {"l2l-gd", "rnnprop"}) {
    const ProgramResult result =
        run_program("train --algorithm " + algorithm + few + "--json --out '" + folder / "w" + "'");
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(json::parse(result.out)["preset"], algorithm);
    const ProgramResult solved = run_program("solve --problem quadratic:n=5 --iterations 3 --algorithm " + algorithm +
                                             " --weights " + folder / "w");
    EXPECT_EQ(solved.status, 1) << solved.err;
    const ProgramResult other =
        run_program("solve --problem quadratic:n=5 --iterations 3 --algorithm loa-bfgs --weights " + folder / "w");
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, HasSubstr("expected weights of loa-bfgs, found weights of " + algorithm));
  }
}

TEST(WeightsEvaluate, TakesTheWeightsOfEveryLearnedAlgorithm) {
  const ProgramResult result =
      run_program("weights evaluate loa-bfgs l2l-gd rnnprop --problems 2 --dimension 5 --iterations 5 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json rows = json::parse(result.out)["rows"];
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_NE(rows[3]["final_loss"], rows[4]["final_loss"]);
  EXPECT_NE(rows[4]["final_loss"], rows[5]["final_loss"]);
}

TEST(Train, WrongArgumentsAreOneLineAndStatusTwo) {
  const TemporaryFolder folder;
  write_text(folder / "typo.toml", "epoch = 3\n");
  write_text(folder / "value.toml", "window = \"many\"\n");
  write_text(folder / "preset.toml", "preset = \"wurst\"\n");
  write_text(folder / "broken.safetensors", "nonsense");
  const std::vector<std::string> cases = {"--epochs x",
                                          "--epochs 0",
                                          "--window 7",
                                          "--iterations 0",
                                          "--dimension 1",
                                          "--preset wurst",
                                          "--start nix",
                                          "--start '" + folder / "broken.safetensors" + "'",
                                          "--out '" + folder / "none/w" + "'",
                                          "--out '" + folder.string() + "'",
                                          "--threads -3",
                                          "--seed -1",
                                          "--beta1 1",
                                          "--high-max inf",
                                          "--wurst 3",
                                          "--algorithm bfgs",
                                          "--algorithm l2l-gd --preset paper",
                                          "--algorithm l2l-gd --preset rnnprop",
                                          "--preset l2l-gd --detach-B 0",
                                          "--preset l2l-gd --start bfgs-like",
                                          "--preset rnnprop --loss wurst",
                                          "--trainer wurst",
                                          "--trainer evolution --preset paper",
                                          "--trainer unroll --preset evolution",
                                          "--trainer evolution --batch 1 --population 5",
                                          "--trainer evolution --batch 1 --sigma 0",
                                          "--trainer evolution --batch 1 --only wurst",
                                          "--trainer evolution --batch 1 --families quadratic",
                                          "--trainer evolution --batch 1 --families 'quadratic;wurst'",
                                          "--trainer evolution --batch 2",
                                          "wurst",
                                          "--config '" + folder / "none.toml" + "'",
                                          "--config '" + folder / "typo.toml" + "'",
                                          "--config '" + folder / "value.toml" + "'",
                                          "--config '" + folder / "preset.toml" + "'"};
  for (const std::string& arguments : cases) {
    // Cheap, in case a mistake is not noticed; what the case says comes last and is said once only.
    std::string command = "train --functions 1 --starts 1 --test-functions 1 ";
    if (arguments.find("--epochs") == std::string::npos) command += "--epochs 1 ";
    const ProgramResult result = run_program(command + arguments, "cd '" + folder.string() + "' && ");
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(lines_of(result.err).size(), 1u) << arguments << "\n" << result.err;
    EXPECT_EQ(result.out, "") << arguments;
  }
}

// --- loa weights evaluate
// ----------------------------------------------------------------------------------------------

TEST(WeightsEvaluate, PrintsARowForEachWithBfgsAtLogTwo) {
  const ProgramResult result = run_program("weights evaluate loa-bfgs --problems 5 --dimension 40");
  EXPECT_EQ(result.status, 0) << result.err;
  bool found = false;
  for (const std::string& line : lines_of(result.out)) {
    std::istringstream words(line);
    std::string name, at_end, mean;
    words >> name >> at_end >> mean;
    if (name != "bfgs") continue;
    found = true;
    EXPECT_EQ(at_end, "0.6931");
    EXPECT_EQ(mean, "0.6931");
  }
  EXPECT_TRUE(found) << result.out;
  for (const char* name : {"\nsr1 ", "\nconjugate-gradient ", "\nloa-bfgs "}) EXPECT_THAT(result.out, HasSubstr(name));
}

TEST(WeightsEvaluate, JsonDoesNotDependOnTheThreads) {
  const std::string command = "weights evaluate bfgs-like --problems 6 --dimension 30 --json --threads ";
  const ProgramResult one = run_program(command + "1"), three = run_program(command + "3");
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(one.out, three.out);
  const json parsed = json::parse(one.out);
  ASSERT_EQ(parsed["rows"].size(), 4u);
  std::vector<std::string> keys;
  for (const auto& [key, value] : parsed["rows"][0].items()) keys.push_back(key);
  EXPECT_THAT(keys, UnorderedElementsAre("name", "final_loss", "mean_loss", "worst_ratio", "better", "much_worse",
                                         "not_finite"));
  // bfgs-like weights are BFGS.
  EXPECT_NEAR(parsed["rows"][3]["final_loss"].get<double>(), 0.6931471805599453, 1e-9);
}

TEST(WeightsEvaluate, MistakesAreOneLineAndStatusTwo) {
  for (const char* arguments : {"nix", "--problems 0", "--dimension 1", "--iterations 0", "--seed x"}) {
    const ProgramResult result = run_program(std::string("weights evaluate ") + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(lines_of(result.err).size(), 1u) << arguments << "\n" << result.err;
  }
}

// --- problems of one's own -------------------------------------------------------------------------------------------

constexpr char kSmallOwn[] =
    " --functions 8 --test-functions 6 --held-out 8 --epochs 6 --batch 6 --population 6 --validate-every 2 ";

TEST(TrainOnOwnProblems, WritesWeightsWithACertificate) {
  const std::string out = temporary_path("own.safetensors");
  const ProgramResult result = run_program("train --problems quadratic:n=4 chained-rosenbrock:n=5" +
                                           std::string(kSmallOwn) + "--json --out " + out);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("evaluations and"));  // before it begins
  const json object = json::parse(result.out);
  EXPECT_EQ(object["preset"], "own");
  const json& own = object["own"];
  EXPECT_EQ(own["training"], 8);
  EXPECT_EQ(own["test"], 8);
  EXPECT_EQ(own["rows"].size(), 6u);
  EXPECT_EQ(own["kept"].get<bool>(), own["rows"][3]["over_default"]["high"].get<double>() < 1.0);
  const json shown = json::parse(run_program("weights show --json " + out).out);
  EXPECT_EQ(shown["certificate"]["members"], 8);
  EXPECT_EQ(shown["certificate"]["rows"], own["certificate"]["rows"]);
  EXPECT_THAT(run_program("weights show " + out).out, HasSubstr("certificate of loa on 8 members"));
  const ProgramResult solved = run_program("solve --problem quadratic:n=4,seed=5 --algorithm loa --weights " + out);
  EXPECT_EQ(solved.status, 0) << solved.err;
}

TEST(TrainOnOwnProblems, TextHasTheReport) {
  const std::string out = temporary_path("own-text.safetensors");
  const ProgramResult result = run_program("train --problems quadratic:n=4" + std::string(kSmallOwn) + "--out " + out);
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* text : {"8 members to train on, 6 to choose by, 8 never seen", "never seen", "constants", "series",
                           "members that were never seen", "P(reached within"})
    EXPECT_THAT(result.out, HasSubstr(text));
}

TEST(TrainOnOwnProblems, MistakesAreOneLine) {
  const auto complaint = [](const std::string& arguments) {
    const ProgramResult result = run_program("train --out " + temporary_path("no.safetensors") + " " + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  };
  EXPECT_THAT(complaint("--problems nix"), HasSubstr("nix"));
  EXPECT_THAT(complaint("--problems mgh:wood"), HasSubstr("expected at least 12 problems, found 1"));
  EXPECT_THAT(complaint("--problems mgh:wood quadratic"), HasSubstr("takes a seed"));
  EXPECT_THAT(complaint("--problems-library no-such.so"), HasSubstr("expected a shared library"));
  EXPECT_THAT(complaint("--problems quadratic --problems-library x.so"), HasSubstr("expected one of them"));
  EXPECT_THAT(complaint("--problems quadratic --preset paper"), HasSubstr("preset own"));
  EXPECT_THAT(complaint("--preset own"), HasSubstr("problems of one's own"));
}

TEST(TrainOnOwnProblems, WeightsAreCertifiedOnOthers) {
  const std::string out = temporary_path("certified.safetensors");
  const ProgramResult result = run_program("weights certify loa --problems quadratic:n=4 --members 30 --out " + out);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("certificate of loa on 20 members"));
  EXPECT_THAT(run_program("weights show " + out).out, HasSubstr(result.out));
  const json within =
      json::parse(run_program("weights certify loa --problems quadratic:n=4 --members 30 --within 1,100 --json").out);
  EXPECT_EQ(within["members"], 30);
  EXPECT_EQ(within["rows"][0]["reached"], 0);
  EXPECT_EQ(within["rows"][1]["reached"], 30);
  EXPECT_EQ(run_program("weights certify loa --problems quadratic:n=4 --members 2").status, 2);
  EXPECT_EQ(run_program("weights certify loa").status, 2);
}

}  // namespace
}  // namespace loa
