// Would catch: an option of a training that has no row in the list, or no flag; a word for an enum that is not read
// back; a flag that does not prevail over the preset.
#include "train/training_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "support/num_members.h"
#include "support/run_program.h"

namespace loa {
namespace {

TEST(TrainingOptions, AreAllInTheList) {
  TrainingOptions options;
  std::set<const void*> members;
  std::set<std::string> names;
  for_each_training_option(options, [&](const char* name, auto& member, const char*) {
    EXPECT_TRUE(members.insert(&member).second) << name;
    EXPECT_TRUE(names.insert(name).second) << name;
  });
  const std::set<std::string> others = {"unroll",    "evolution",    "own",        "problems",
                                        "own_model", "own.observer", "own.runner", "own_start"};
  EXPECT_EQ(members.size() + others.size(), num_members<TrainingOptions>() + num_members<UnrollTraining>() +
                                                num_members<EvolutionTraining>() + num_members<OwnTraining>());
}

TEST(TrainingOptions, AreAllFlagsOfTrain) {
  const std::string help = run_program("train --help").out;
  TrainingOptions options;
  for_each_training_option(options, [&help](std::string name, auto&, const char*) {
    std::ranges::replace(name, '_', '-');
    EXPECT_THAT(help, testing::HasSubstr("--" + name + " "));
  });
}

TEST(TrainingOptions, HaveWordsThatAreReadBack) {
  TrainingOptions options;
  for_each_training_option(options, []<class T>(const char* name, T& member, const char*) {
    if constexpr (std::is_enum_v<T>) {
      for (const std::string& word : words_of<T>()) {
        EXPECT_TRUE(parse_word(word, member)) << name;
        EXPECT_EQ(word_of(member), word);
      }
      EXPECT_FALSE(parse_word("wurst", member)) << name;
    }
  });
}

}  // namespace
}  // namespace loa
