// GoogleTest on all processes of an MPI run: all make the same tests, the first one prints and writes the results, the
// others print what fails. The program's own arguments go to PETSc, which loads libloa_tao.so by -dll_append.
#include <gtest/gtest.h>
#include <petscsys.h>

#include <cstdio>
#include <cstring>

namespace {

class FailuresOnly final : public testing::EmptyTestEventListener {
 public:
  explicit FailuresOnly(int rank) : rank_(rank) {}
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed())
      std::printf("process %d, %s:%d: %s\n", rank_, result.file_name(), result.line_number(), result.message());
  }

 private:
  int rank_;
};

}  // namespace

int main(int argc, char** argv) {
  if (PetscInitialize(&argc, &argv, nullptr, nullptr) != 0) return 1;
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (rank != 0)
    for (int i = 1; i < argc; ++i)
      if (std::strncmp(argv[i], "--gtest_output", 14) == 0) argv[i] = const_cast<char*>("--gtest_brief=1");
  testing::InitGoogleTest(&argc, argv);
  if (rank != 0) {
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOnly(rank));
  }
  // The tests look at the codes of errors that they cause.
  PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
  int failed = RUN_ALL_TESTS(), any_failed = 0;
  MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  PetscPopErrorHandler();
  if (PetscFinalize() != 0) return 1;
  return any_failed;
}
