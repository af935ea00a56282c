#include "metric.h"

#include "loa_tao.h"

namespace loa_tao {
namespace {

// B_0 has to be one symmetric matrix for the whole run, so the systems are solved to many digits: on the side of
// caution, since on the meshes of docs/petsc.md the number of iterations is the same from 1e-2 on.
constexpr PetscReal kTolerance = 1e-8;

}  // namespace

Metric::~Metric() {
  KSPDestroy(&ksp_);
  VecDestroy(&v_);
  VecDestroy(&out_);
}

PetscErrorCode Metric::set_up(Tao tao, MetricSource source) {
  PetscFunctionBegin;
  Vec solution = nullptr;
  PetscCall(TaoGetSolution(tao, &solution));
  PetscObject composed = nullptr;
  if (source == MetricSource::kComposed) PetscCall(PetscObjectQuery((PetscObject)tao, LOA_TAO_METRIC, &composed));
  if (source == MetricSource::kHessian) {
    Mat hessian = nullptr, preconditioner = nullptr;
    PetscCall(TaoGetHessian(tao, &hessian, &preconditioner, nullptr, nullptr));
    PetscCheck(hessian != nullptr, PetscObjectComm((PetscObject)tao), PETSC_ERR_ARG_WRONGSTATE,
               "-tao_loa_metric hessian: expected a Hessian of TaoSetHessian(), found none");
    PetscCall(TaoComputeHessian(tao, solution, hessian, preconditioner));
    PetscCall(make_ksp(tao, hessian, preconditioner));
  } else if (composed != nullptr) {
    PetscClassId kind = 0;
    PetscCall(PetscObjectGetClassId(composed, &kind));
    PetscCheck(kind == MAT_CLASSID || kind == KSP_CLASSID, PetscObjectComm((PetscObject)tao), PETSC_ERR_ARG_WRONG,
               "%s: expected a Mat or a KSP, found another object", LOA_TAO_METRIC);
    if (kind == MAT_CLASSID) {
      PetscCall(make_ksp(tao, (Mat)composed, (Mat)composed));
    } else {
      PetscCall(PetscObjectReference(composed));
      ksp_ = (KSP)composed;
    }
  }
  if (!exists()) PetscFunctionReturn(0);
  PetscCall(VecDuplicate(solution, &v_));
  PetscCall(VecDuplicate(solution, &out_));
  bool may_place = false;
  PetscCall(can_be_placed(v_, may_place));
  way_ = may_place ? PlacedArray::Way::kPlace : PlacedArray::Way::kCopy;
  PetscFunctionReturn(0);
}

PetscErrorCode Metric::make_ksp(Tao tao, Mat M, Mat preconditioner) {
  PetscFunctionBegin;
  const char* prefix = nullptr;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)tao), &ksp_));
  PetscCall(TaoGetOptionsPrefix(tao, &prefix));
  PetscCall(KSPSetOptionsPrefix(ksp_, prefix));
  PetscCall(KSPAppendOptionsPrefix(ksp_, "tao_loa_metric_"));
  PetscCall(KSPSetOperators(ksp_, M, preconditioner));
  PetscCall(KSPSetType(ksp_, KSPCG));
  PetscCall(KSPSetTolerances(ksp_, kTolerance, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPSetErrorIfNotConverged(ksp_, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(ksp_));
  PetscFunctionReturn(0);
}

PetscErrorCode Metric::apply(const loa::Vector& v, loa::Vector& out) {
  PetscFunctionBegin;
  PlacedArray of_v(v_, v, way_), of_out(out_, out, way_);
  PetscCall(of_v.begin());
  PetscCall(of_out.begin());
  PetscCall(KSPSolve(ksp_, v_, out_));
  PetscCall(of_out.take_back());
  PetscFunctionReturn(0);
}

}  // namespace loa_tao
