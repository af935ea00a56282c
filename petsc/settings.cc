#include "settings.h"

#include <array>

namespace loa_tao {
namespace {

PetscErrorCode read_text(PetscOptionItems* PetscOptionsObject, const char* name, const char* help, std::string& text) {
  PetscFunctionBegin;
  std::array<char, PETSC_MAX_PATH_LEN> buffer = {};
  PetscBool is_set = PETSC_FALSE;
  PetscCall(PetscOptionsString(name, help, "", text.c_str(), buffer.data(), buffer.size(), &is_set));
  if (is_set) text = buffer.data();
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode set_from_options(PetscOptionItems* PetscOptionsObject, bool fixed_algorithm, Settings& settings) {
  static const char* const kSafeguards[] = {"on", "off"};
  static const char* const kMetrics[] = {"composed", "hessian", "none"};
  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "loa: quasi-Newton methods with limited memory");
  if (!fixed_algorithm)
    PetscCall(read_text(PetscOptionsObject, "-tao_loa_algorithm", "A name of loa's that keeps vectors alone",
                        settings.algorithm));
  PetscCall(read_text(PetscOptionsObject, "-tao_loa_line_search", "A line search of loa's", settings.line_search));
  PetscCall(read_text(PetscOptionsObject, "-tao_loa_weights", "Weights of a learned algorithm: a name or a file",
                      settings.weights));
  PetscCall(PetscOptionsInt("-tao_loa_memory", "Pairs that are kept", "", settings.memory, &settings.memory, nullptr));
  PetscCall(PetscOptionsInt("-tao_loa_threads", "Threads of each process", "", settings.num_threads,
                            &settings.num_threads, nullptr));
  PetscInt safeguard = settings.safeguard == loa::Safeguard::kOff ? 1 : 0;
  PetscCall(PetscOptionsEList("-tao_loa_safeguard", "Replace what cannot work", "", kSafeguards, 2,
                              kSafeguards[safeguard], &safeguard, nullptr));
  settings.safeguard = safeguard == 1 ? loa::Safeguard::kOff : loa::Safeguard::kOn;
  auto metric = static_cast<PetscInt>(settings.metric);
  PetscCall(PetscOptionsEList("-tao_loa_metric", "The initial metric", "TaoLoaSetMetric", kMetrics, 3, kMetrics[metric],
                              &metric, nullptr));
  settings.metric = static_cast<MetricSource>(metric);
  PetscCall(read_text(PetscOptionsObject, "-tao_loa_save", "Save the state as PREFIX.RANK", settings.save));
  PetscCall(PetscOptionsInt("-tao_loa_save_every", "Iterations between states; 0: at the end alone", "",
                            settings.save_every, &settings.save_every, nullptr));
  PetscCall(read_text(PetscOptionsObject, "-tao_loa_resume", "Go on from the state PREFIX.RANK", settings.resume));
  PetscOptionsHeadEnd();
  PetscCheck(settings.num_threads >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-tao_loa_threads: expected 0 or more, found %" PetscInt_FMT, settings.num_threads);
  PetscFunctionReturn(0);
}

}  // namespace loa_tao
