#include "tao_loa.h"

#include <petsc/private/taoimpl.h>

#include <memory>

#include "loa_tao.h"
#include "settings.h"
#include "tao_run.h"

namespace loa_tao {
namespace {

struct Data {
  const char* fixed_algorithm;  // null: that of the settings
  Settings settings;
  LastRun last;
};

Data& data_of(Tao tao) { return *static_cast<Data*>(tao->data); }

PetscErrorCode refuse_what_is_not_there(Tao tao) {
  PetscFunctionBegin;
  const MPI_Comm comm = PetscObjectComm((PetscObject)tao);
  const char* type = ((PetscObject)tao)->type_name;
  PetscCheck(
      !tao->ops->computeconstraints && !tao->ops->computeequalityconstraints && !tao->ops->computeinequalityconstraints,
      comm, PETSC_ERR_SUP, "TAO type %s has no constraints: use one such as almm", type);
  const bool has_no_B = data_of(tao).settings.algorithm == "conjugate-gradient";
  PetscCheck(!tao->recycle || !has_no_B, comm, PETSC_ERR_SUP,
             "TAO type %s has no -tao_recycle_history: it keeps no inverse Hessian", type);
  PetscCheck(data_of(tao).settings.save_every <= 0 || !data_of(tao).settings.save.empty(), comm, PETSC_ERR_ARG_INCOMP,
             "-tao_loa_save_every: expected -tao_loa_save PREFIX too");
  PetscFunctionReturn(0);
}

PetscErrorCode set_up(Tao tao) {
  PetscFunctionBegin;
  if (!tao->gradient) PetscCall(VecDuplicate(tao->solution, &tao->gradient));
  PetscFunctionReturn(0);
}

PetscErrorCode solve(Tao tao) {
  PetscFunctionBegin;
  PetscCall(refuse_what_is_not_there(tao));
  Data& data = data_of(tao);
  const loa::WarmStart warm = data.last.warm;
  data.last = {};
  TaoRun run(tao, data.settings);
  if (tao->recycle) run.recycle(warm);
  PetscCall(run.solve(data.last));
  PetscFunctionReturn(0);
}

PetscErrorCode set_from_options(Tao tao, PetscOptionItems* PetscOptionsObject) {
  PetscFunctionBegin;
  Data& data = data_of(tao);
  PetscCall(loa_tao::set_from_options(PetscOptionsObject, data.fixed_algorithm != nullptr, data.settings));
  PetscFunctionReturn(0);
}

PetscErrorCode view(Tao tao, PetscViewer viewer) {
  PetscFunctionBegin;
  PetscBool is_text = PETSC_FALSE;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &is_text));
  if (!is_text) PetscFunctionReturn(0);
  const Settings& settings = data_of(tao).settings;
  const LastRun& last = data_of(tao).last;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  algorithm: %s\n",
                                   !last.algorithm.empty()      ? last.algorithm.c_str()
                                   : settings.algorithm.empty() ? "chosen by the run"
                                                                : settings.algorithm.c_str()));
  if (!last.line_search.empty())
    PetscCall(PetscViewerASCIIPrintf(viewer, "  line search: %s\n", last.line_search.c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  pairs kept: %" PetscInt_FMT ", threads a process: %" PetscInt_FMT "\n",
                                   settings.memory, settings.num_threads));
  if (last.has_metric) PetscCall(PetscViewerASCIIPrintf(viewer, "  initial metric: given\n"));
  if (last.message.empty()) PetscFunctionReturn(0);
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "  evaluations: %" PetscInt_FMT ", restarts: %" PetscInt_FMT ", skipped updates: %" PetscInt_FMT "\n",
      static_cast<PetscInt>(last.evaluations), static_cast<PetscInt>(last.fallbacks.restart),
      static_cast<PetscInt>(last.fallbacks.skipped)));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  all-reduces besides those of the objective: %" PetscInt_FMT "\n",
                                   static_cast<PetscInt>(last.num_all_reduces)));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  last run: %s\n", last.message.c_str()));
  PetscFunctionReturn(0);
}

PetscErrorCode destroy(Tao tao) {
  PetscFunctionBegin;
  delete static_cast<Data*>(tao->data);
  tao->data = nullptr;
  PetscFunctionReturn(0);
}

PetscErrorCode create(Tao tao, const char* fixed_algorithm) {
  PetscFunctionBegin;
  tao->ops->setup = set_up;
  tao->ops->solve = solve;
  tao->ops->view = view;
  tao->ops->setfromoptions = set_from_options;
  tao->ops->destroy = destroy;
  // The defaults of TAO's lmvm.
  if (!tao->max_it_changed) tao->max_it = 2000;
  if (!tao->max_funcs_changed) tao->max_funcs = 4000;
  auto data = std::make_unique<Data>();
  data->fixed_algorithm = fixed_algorithm;
  if (fixed_algorithm != nullptr) data->settings.algorithm = fixed_algorithm;
  tao->data = data.release();
  PetscFunctionReturn(0);
}

PetscErrorCode create_loa(Tao tao) { return create(tao, nullptr); }
PetscErrorCode create_lbfgs_plus(Tao tao) { return create(tao, "l-bfgs+"); }
PetscErrorCode create_lbfgs_plus_d(Tao tao) { return create(tao, "l-bfgs+d"); }
PetscErrorCode create_lbfgs(Tao tao) { return create(tao, "l-bfgs"); }
PetscErrorCode create_cg(Tao tao) { return create(tao, "conjugate-gradient"); }

}  // namespace

PetscErrorCode register_types() {
  PetscFunctionBegin;
  PetscCall(TaoRegister("loa", create_loa));
  PetscCall(TaoRegister("loa_lbfgs_plus", create_lbfgs_plus));
  PetscCall(TaoRegister("loa_lbfgs_plus_d", create_lbfgs_plus_d));
  PetscCall(TaoRegister("loa_lbfgs", create_lbfgs));
  PetscCall(TaoRegister("loa_cg", create_cg));
  PetscFunctionReturn(0);
}

}  // namespace loa_tao
