// Wrong command lines: exit status 2, one line on standard error, nothing on standard output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include "support/run_program.h"

namespace loa {
namespace {

using testing::HasSubstr;

struct Wrong {
  std::string arguments;  // @ stands for a temporary folder
  std::string said;       // a part of the line that names what was found or expected
};

const Wrong kWrong[] = {
    {"", "expected one of list, solve, compare, reproduce, weights, train, check"},
    {"''", "expected one of"},
    {"frobnicate", "expected one of"},
    {"slove --problem mgh:wood", "did you mean 'solve'?"},
    {"solve --problem mgh:woood", "found the variant 'woood', expected one of helical-valley"},
    {"solve --problem mgh:woood", "did you mean 'wood'?"},
    {"solve --problem pinn:burger", "did you mean 'burgers'?"},
    {"solve --problem family:proces", "did you mean 'process'?"},
    {"solve --problem box:obstacel", "did you mean 'obstacle'?"},
    {"solve --problem mgh:wood --algorithm bfg", "algorithm: found 'bfg', expected one of gradient-descent"},
    {"solve --problem mgh:wood --algorithm bfg", "did you mean 'bfgs'?"},
    {"solve --problem mgh:wood --line-search weak-wolf", "did you mean 'weak-wolfe'?"},
    {"weights shw loa", "found 'shw', expected one of"},
    {"weights shw loa", "did you mean 'show'?"},
    {"train --preset lao --out @/w", "--preset: found 'lao', expected one of paper"},
    {"train --seed x --out @/w", "--seed: found 'x', expected an integer of at least 0"},
    {"train --seed=-1 --out @/w", "--seed: found '-1', expected an integer of at least 0"},
    {"solv", "did you mean 'solve'"},
    {"--frobnicate", "frobnicate"},
    {"check --algorithms frobnicate", "expected one of gradient-descent"},
    {"check --algorithms adm", "did you mean 'adam'"},
    {"check --algorithms", "--algorithms"},
    {"check --algorithms bfgs --weights loa-bfgs", "expected a learned algorithm"},
    {"check --weights @/missing", "expected a file that exists"},
    {"check --weights @/text", "text"},
    {"check --iterations 0", "--iterations"},
    {"check --iterations many", "--iterations"},
    {"check --seed -1", "--seed"},
    {"check --jobs 0", "--jobs"},
    {"check --landscape @/figure.png", "ends in .svg"},
    {"check --landscape @/missing/figure.svg", "--landscape"},
    {"check --landscape @/figure.svg --json", "--landscape"},
    {"check frobnicate", "frobnicate"},
    {"list frobnicate", "expected one of algorithms, problems, line-searches, weights"},
    {"list algorithm", "did you mean 'algorithms'"},
    {"list problems weights", "weights"},
    {"solve", "--problem"},
    {"solve --problem", "--problem"},
    {"solve --problem ''", "expected"},
    {"solve --problem frobnicate", "frobnicate"},
    {"solve --problem wood", "mgh:wood"},
    {"solve --problem mgh:frobnicate", "frobnicate"},
    {"solve --problem quadratic:n=abc", "abc"},
    {"solve --problem quadratic:frobnicate=1", "frobnicate"},
    {"solve --problem logistic:data=@/missing", "missing"},
    {"solve --problem mgh:wood --frobnicate", "--frobnicate"},
    {"solve --problem mgh:wood extra", "extra"},
    {"solve --problem mgh:wood --algoritm bfgs", "did you mean '--algorithm'?"},
    {"solve --problem mgh:wood --algorithm frobnicate", "frobnicate"},
    {"solve --problem mgh:wood --line-search frobnicate", "frobnicate"},
    {"solve --problem mgh:wood --algorithm bfgs --weights bfgs-like", "bfgs-like"},
    {"solve --problem mgh:wood --algorithm loa-bfgs --weights @/missing", "missing"},
    {"solve --problem mgh:wood --algorithm loa-bfgs --weights @/text", "text"},
    {"solve --problem mgh:wood --safeguard maybe", "expected on, off or spectrum"},
    {"solve --problem mgh:wood --smallest-eigenvalue 1", "--smallest-eigenvalue: found without --safeguard spectrum"},
    {"solve --problem mgh:wood --largest-eigenvalue 1 --safeguard on",
     "--largest-eigenvalue: found without --safeguard spectrum"},
    {"solve --problem mgh:wood --lipschitz 1", "--lipschitz: found without --safeguard spectrum"},
    {"solve --problem mgh:wood --safeguard spectrum --smallest-eigenvalue 0", "above 0"},
    {"solve --problem mgh:wood --safeguard spectrum --largest-eigenvalue inf", "finite"},
    {"solve --problem mgh:wood --safeguard spectrum --smallest-eigenvalue 2 --largest-eigenvalue 1",
     "--smallest-eigenvalue: found 2"},
    {"solve --problem mgh:wood --safeguard spectrum --lipschitz soon", "soon"},
    {"solve --problem mgh:wood --safeguard spectrum --lipschitz auto", "is not known"},
    {"solve --problem mgh:wood --safeguard spectrum --algorithm adam", "expected an algorithm with an inverse Hessian"},
    {"solve --problem mgh:wood --gtol abc", "--gtol: found 'abc'"},
    {"solve --problem mgh:wood --gtol=-1", "'-1'"},
    {"solve --problem mgh:wood --gtol -1", "--gtol"},
    {"solve --problem mgh:wood --gtol nan", "'nan'"},
    {"solve --problem mgh:wood --gtol 1e999", "'1e999'"},
    {"solve --problem mgh:wood --gtol 1 --gtol 2", "--gtol"},
    {"solve --problem mgh:wood --iterations 1.5", "expected an integer"},
    {"solve --problem mgh:wood --iterations 99999999999999999999", "expected an integer"},
    {"solve --problem mgh:wood --max-evaluations 0", "at least 1"},
    {"solve --problem mgh:wood --max-seconds forever", "forever"},
    {"solve --problem mgh:wood --step-size 0", "above 0"},
    {"solve --problem mgh:wood --algorithm heavy-ball --momentum 1", "below 1"},
    {"solve --problem mgh:wood --algorithm adam --beta2 1.5", "below 1"},
    {"solve --problem mgh:wood --first-step 0", "above 0"},
    {"solve --problem mgh:wood --first-step soon", "soon"},
    {"solve --problem mgh:wood --first-step lipschitz", "Lipschitz"},
    {"solve --problem mgh:wood --seed -1", "'-1'"},
    {"solve --problem mgh:wood --seed one", "one"},
    {"solve --problem mgh:wood --start @/missing", "missing"},
    {"solve --problem mgh:wood --start @", "@"},
    {"solve --problem mgh:wood --start @/text --seed 1", "--s"},
    {"solve --problem mgh:wood --resume @/missing", "missing"},
    {"solve --problem mgh:wood --resume @/text", "text"},
    {"solve --problem mgh:beale --resume @/state", "dimension"},
    {"solve --problem mgh:wood --algorithm sr1 --resume @/state", "sr1"},
    {"solve --problem mgh:wood --algorithm l-bfgs --memory 0", "--memory"},
    {"solve --problem mgh:wood --algorithm l-bfgs --memory 1001", "from 1 to 1000"},
    {"solve --problem mgh:wood --algorithm l-bfgs --safeguard spectrum", "bfgs, sr1, loa-bfgs"},
    {"solve --problem mgh:wood --resume @/state --seed 1", "--"},
    {"solve --problem mgh:wood --warm", "--warm"},
    {"solve --problem mgh:wood --warm @/missing", "missing: found no such file"},
    {"solve --problem mgh:wood --warm @/text", "text"},
    {"solve --problem mgh:wood --warm @/cut", "cut off"},
    {"solve --problem mgh:wood --warm @/damaged", "damaged: the header is not a JSON object"},
    {"solve --problem mgh:wood --warm @", "found a directory"},
    {"solve --problem mgh:beale --warm @/state", "--warm: found a state of dimension 4 in '@/state', expected 2"},
    {"solve --problem mgh:wood --warm @/adam", "--warm: found a state of adam without an inverse Hessian"},
    {"solve --problem mgh:wood --warm @/state --algorithm adam", "expected a warm start that adam can use"},
    {"solve --problem mgh:wood --warm @/state --safeguard spectrum", "no warm start with the safeguard spectrum"},
    {"solve --problem mgh:wood --warm @/state --resume @/state", "--warm: found with --resume"},
    {"solve --problem mgh:wood --warm @/state --checkpoint @/c --resume @/state", "--warm: found with --resume"},
    {"solve --problem mgh:wood --lower", "--lower"},
    {"solve --problem mgh:wood --lower ''", "--lower: found '', expected a number or a file"},
    {"solve --problem mgh:wood --upper ''", "--upper: found '', expected a number or a file"},
    {"solve --problem mgh:wood --lower nan", "--lower: found 'nan', expected a number or a file"},
    {"solve --problem mgh:wood --lower=-1e999", "--lower: found '-1e999'"},
    {"solve --problem mgh:wood --upper @/missing", "--upper: found '@/missing', expected a number or a file"},
    {"solve --problem mgh:wood --lower 1 --lower 2", "--lower"},
    {"solve --problem mgh:wood --lower @", "found a directory"},
    {"solve --problem mgh:wood --upper @/text", "text:1:1: found 'this is neither"},
    {"solve --problem mgh:wood --upper @/three", "three:3: found the end after 3 numbers, expected 4"},
    {"solve --problem mgh:beale --upper @/three", "three:3:1: found number 3 of the bounds, expected 2"},
    {"solve --problem mgh:wood --upper @/nan",
     "nan:2:1: found 'nan', which is not finite, expected one number, inf or -inf a line"},
    {"solve --problem mgh:wood --lower 1 --upper 0", "found the bounds 1 and 0 of variable 0"},
    {"solve --problem mgh:wood --lower inf", "found the bounds inf and inf of variable 0"},
    {"solve --problem mgh:wood --lower 0 --algorithm adam", "for bounds, found 'adam'"},
    {"solve --problem mgh:wood --lower 0 --safeguard spectrum", "expected no bounds with the safeguard spectrum"},
    {"solve --problem mgh:wood --trace @/missing/t.csv", "--trace"},
    {"solve --problem mgh:wood --trace @", "a folder"},
    {"solve --problem mgh:wood --trace /dev/null", "regular"},
    {"solve --problem mgh:wood --trace /proc/t.csv", "--trace"},
    {"solve --problem mgh:wood --state @/missing/s", "--state"},
    {"solve --problem mgh:wood --state @/both --trace @/both", "another file"},
    {"solve --problem mgh:wood --checkpoint @/missing/c", "--checkpoint"},
    {"solve --problem mgh:wood --checkpoint @", "which is a folder"},
    {"solve --problem mgh:wood --checkpoint @/c --every -1", "--every"},
    {"solve --problem mgh:wood --every 1", "--checkpoint"},
    {"solve --problem mgh:wood --checkpoint @/c --state @/c", "another file"},
    {"solve --problem mgh:wood --checkpoint @/c --resume @/missing", "missing"},
    {"solve --problem mgh:wood --checkpoint @/c --resume @/state --seed 1", "--seed: found with --resume"},
    {"compare", "--out"},
    {"compare --out @/text", "--out"},
    {"compare --out @/c --problems frobnicate", "frobnicate"},
    {"compare --out @/c --algorithms bfgs frobnicate", "frobnicate"},
    {"compare --out @/c --algorithms bfgs bfgs", "twice"},
    {"compare --out @/c --problems mgh:wood mgh:wood", "twice"},
    {"compare --out @/c --starts 0", "at least 1"},
    {"compare --out @/c --jobs 0", "at least 1"},
    {"compare --out @/c --algorithms bfgs --weights bfgs-like", "learned"},
    {"compare --out @/c --line-search frobnicate", "frobnicate"},
    {"compare --out @/c --set frobnicate", "--set: found the problem set 'frobnicate', expected one of named, large"},
    {"compare --out @/c --set nmed", "did you mean 'named'"},
    {"compare --out @/c --set", "--set"},
    {"compare --out @/c --against frobnicate", "expected one of gradient-descent, bfgs, sr1, loa-bfgs, bfgs+d"},
    {"compare --out @/c --algorithms bfgs sr1:label=own --against ow", "did you mean 'own'"},
    {"compare --out @/c --summary --json", "--json"},
    {"weights", "found no command after loa weights, expected one of show, convert"},
    {"train --epochs abc --out @/w", "--epochs: found 'abc', expected a number"},
    {"weights show", "required"},
    {"weights show @/missing", "missing"},
    {"weights show @/text", "text"},
    {"weights convert bfgs-like", "OUT"},
    {"weights convert @/missing @/out", "missing"},
    {"weights convert bfgs-like @", "folder"},
    {"weights convert bfgs-like @/missing/out", "OUT"},
    {"weights convert @/weights @/weights", "different"},
    {"weights convert @/weights @/./weights", "different"},
};

TEST(Mistakes, AreOneLineAndExitStatusTwo) {
  const TemporaryFolder folder;
  write_text(folder / "text", "this is neither a number nor weights\n");
  ASSERT_EQ(run_program("solve --problem mgh:wood --iterations 3 --state " + folder / "state").status, 1);
  ASSERT_EQ(run_program("solve --problem mgh:wood --algorithm adam --iterations 3 --state " + folder / "adam").status,
            1);
  ASSERT_EQ(run_program("weights convert bfgs-like " + folder / "weights").status, 0);
  write_text(folder / "three", "1\n2\n3\n");
  write_text(folder / "nan", "1\nnan\n3\n4\n");
  std::string damaged = read_text(folder / "state");
  write_text(folder / "cut", damaged.substr(0, damaged.size() / 2));
  damaged[damaged.find('{')] = '[';
  write_text(folder / "damaged", damaged);
  for (const Wrong& wrong : kWrong) {
    std::string arguments = wrong.arguments, said = wrong.said;
    for (std::string* text : {&arguments, &said})
      for (std::size_t at = 0; (at = text->find('@', at)) != std::string::npos;) text->replace(at, 1, folder.string());
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << arguments << "\n" << result.err;
    EXPECT_EQ(result.err.rfind("loa: ", 0), 0u) << arguments << "\n" << result.err;
    EXPECT_THAT(result.err, HasSubstr(said)) << arguments;
  }
}

// What never ends or never begins must not be waited for. A regression here is a test that does not end.
TEST(Mistakes, DevicesAndFifosAreRefusedByEveryCommandThatReadsAFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  for (const char* command :
       {"weights show FILE", "weights convert FILE @/out",
        "solve --problem mgh:wood --algorithm loa-bfgs --weights FILE", "solve --problem mgh:wood --resume FILE",
        "solve --problem mgh:wood --start FILE", "solve --problem mgh:wood --warm FILE",
        "solve --problem mgh:wood --lower FILE", "solve --problem ridge:data=FILE",
        "solve --problem logistic:data=FILE", "compare --problems ridge:data=FILE --algorithms bfgs --out @/out",
        "check --weights FILE", "train --config FILE --out @/trained", "train --start FILE --out @/trained"})
    for (const auto& [file, found] : {std::pair{std::string("/dev/zero"), "found a device"},
                                      {folder / "fifo", "found a FIFO"},
                                      {folder.string(), "found a directory"}}) {
      std::string arguments = command;
      arguments.replace(arguments.find("FILE"), 4, file);
      if (const std::size_t at = arguments.find('@'); at != std::string::npos)
        arguments.replace(at, 1, folder.string());
      const ProgramResult result = run_program(arguments);
      EXPECT_EQ(result.status, 2) << arguments;
      EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << arguments << "\n" << result.err;
      EXPECT_THAT(result.err, HasSubstr(file + ": " + found)) << arguments;
    }
}

// The pipes of a shell are files that end.
TEST(Mistakes, PipesAreRead) {
  const std::string program = "'" LOA_PROGRAM "'";
  const auto run = [](const std::string& command) { return std::system(("{ " + command + "; } >/dev/null").c_str()); };
  EXPECT_EQ(run("printf '1,2\\n3,5\\n' | " + program + " solve --problem ridge:data=/dev/stdin"), 0);
  EXPECT_EQ(run("printf '1\\n2\\n' | " + program + " solve --problem rosenbrock --start /dev/stdin"), 0);
}

// With --json as well, standard output stays empty: half an object would be worse than none.
TEST(Mistakes, LeaveStandardOutputEmptyWithJson) {
  for (const char* arguments :
       {"solve --problem frobnicate --json", "weights show frobnicate --json", "list frobnicate --json",
        "compare --json --problems frobnicate --out /dev/null", "check --json --algorithms frobnicate"}) {
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
  }
}

TEST(Mistakes, DoNotTouchTheOutputFiles) {
  const TemporaryFolder folder;
  write_text(folder / "t.csv", "old");
  EXPECT_EQ(run_program("solve --problem mgh:wood --algorithm frobnicate --trace " + folder / "t.csv").status, 2);
  EXPECT_EQ(read_text(folder / "t.csv"), "old");
  EXPECT_EQ(run_program("solve --problem mgh:wood --start /missing --state " + folder / "s").status, 2);
  EXPECT_FALSE(std::filesystem::exists(folder / "s"));
}

}  // namespace
}  // namespace loa
