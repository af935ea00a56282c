// Watches a run from outside and says in which respects its summary is untrue. The referee believes nothing but its own
// record of what the objective was asked and answered, and what is known about the objective.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hostile/objectives.h"
#include "loa/algorithm.h"
#include "loa/minimize.h"

namespace loa::hostile {

inline std::uint64_t hash_bits(const Vector& v) {
  std::uint64_t hash = 1469598103934665603ULL;
  for (double value : v) hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 1099511628211ULL ^ (hash >> 29);
  return hash;
}

// max |v_i|, NaN when there is one.
inline double max_norm(const Vector& v) {
  double largest = 0.0;
  for (double value : v)
    if (!(std::abs(value) <= largest)) largest = std::isnan(largest) ? largest : std::abs(value);
  return largest;
}

// An objective that remembers every call.
class Recorder final : public Objective {
 public:
  struct Call {
    std::uint64_t x, grad;  // hashes of the bits
    double f;
    double grad_inf_norm;
    bool finite;  // x, f and the gradient
  };

  explicit Recorder(const Hostile& h) : hostile_(h), f_(h.make()) {}

  Index dimension() const override { return hostile_.n(); }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    ++count_.value;
    ++count_.gradient;
    if (static_cast<int>(count_.value) == hostile_.throw_at) throw HostileError(hostile_.name);
    Vector g(x.size());
    const double f = f_(x, g);
    grad = g;
    const bool finite = x.allFinite() && std::isfinite(f) && g.allFinite();
    calls_.push_back({hash_bits(x), hash_bits(g), f, max_norm(g), finite});
    if (finite) lowest_ = std::min(lowest_, f);
    if (f == -kInf && x.allFinite()) met_minus_infinity_ = true;
    return f;
  }

  // Both Hessians are differences of the gradient: right where the gradient is smooth, and as wild as the objective
  // where it is not.
  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override {
    ++count_.hessian_vector;
    if (!hostile_.twice) return false;
    difference(x, v, out);
    return true;
  }
  bool hessian(const Vector& x, Matrix& hessian) override {
    ++count_.hessian;
    if (!hostile_.twice) return false;
    hessian.resize(x.size(), x.size());
    Vector column(x.size());
    for (Index i = 0; i < x.size(); ++i) {
      difference(x, Vector::Unit(x.size(), i), column);
      hessian.col(i) = column;
    }
    hessian = (0.5 * (hessian + hessian.transpose())).eval();
    return true;
  }

  const std::vector<Call>& calls() const { return calls_; }
  const Evaluations& count() const { return count_; }
  double lowest() const { return lowest_; }  // the lowest value at a finite point; infinity when there was none
  bool met_minus_infinity() const { return met_minus_infinity_; }
  // The first call at exactly this point that was answered by exactly this gradient; otherwise the first at this point;
  // null when it was never asked for.
  const Call* find(const Vector& x, const Vector& grad) const {
    const std::uint64_t x_hash = hash_bits(x), grad_hash = hash_bits(grad);
    const Call* found = nullptr;
    for (const Call& call : calls_)
      if (call.x == x_hash && (found == nullptr || (call.grad == grad_hash && found->grad != grad_hash))) found = &call;
    return found;
  }

 private:
  void difference(const Vector& x, const Vector& v, Vector& out) {
    const double size = std::max(x.size() == 0 ? 0.0 : x.cwiseAbs().maxCoeff(), 1e-300);
    const double t = 1e-6 * size / std::max(max_norm(v), 1e-300);
    Vector below(x.size());
    out.resize(x.size());
    f_(x + t * v, out);
    f_(x - t * v, below);
    out = (out - below) / (2.0 * t);
  }

  const Hostile& hostile_;
  Function f_;
  std::vector<Call> calls_;
  Evaluations count_;
  double lowest_ = kInf;
  bool met_minus_infinity_ = false;
};

using Complaints = std::vector<std::string>;

// Whether the summary has the lowest finite point of all calls, up to `slack`: as its x, or beside it where a method
// that does not test for a decrease has succeeded.
inline void judge_lowest(const Options& options, const Recorder& record, const Summary& s, double slack,
                         Complaints& complaints) {
  const std::string search = options.line_search.empty()
                                 ? make_algorithm(algorithm_for(options, s.x.size())).line_search->name()
                                 : options.line_search;
  const bool monotone = search != "fixed" && search != "paper" && options.safeguard != Safeguard::kOff;
  const double start = record.calls().front().f;
  double best = s.f;
  if (s.lower) {
    const Recorder::Call* at_lower = record.find(s.lower->x, s.lower->grad);
    if (monotone || !s.success() || !(s.lower->f < s.f)) complaints.emplace_back("a lower point for no reason");
    if (at_lower == nullptr || !at_lower->finite || at_lower->f != s.lower->f ||
        at_lower->grad != hash_bits(s.lower->grad))
      complaints.emplace_back("the lower point is untrue");
    best = s.lower->f;
  }
  if (!(best <= record.lowest() + slack)) complaints.emplace_back("not the lowest point");
  if (!(s.f <= start + slack) && !(s.lower && s.success())) complaints.emplace_back("above the start");
}

// Everything that is untrue in a summary, as short sentences that serve as kinds. REQUIRES: the run has not thrown.
inline Complaints judge(const Hostile& h, const Options& options, const Recorder& record, const Summary& s) {
  Complaints complaints;
  const auto demand = [&complaints](bool holds, const char* otherwise) {
    if (!holds) complaints.emplace_back(otherwise);
  };
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };

  demand(s.evaluations == record.count(), "counts of evaluations are wrong");
  demand(record.count().value <= options.max_evaluations, "calls after the limit");
  demand(s.status != Status::kRunning, "still running");
  demand(s.x.size() == h.n() && s.grad.size() == h.n(), "wrong length");
  if (s.x.size() != h.n() || s.grad.size() != h.n() || record.calls().empty()) return complaints;

  const Recorder::Call& first = record.calls().front();
  if (!first.finite) {
    demand(s.status == Status::kStartIsNotFinite, "a start that is not finite goes unnoticed");
    demand(test::same_bits(s.x, h.start), "not the start");
  } else {
    demand(s.status != Status::kStartIsNotFinite, "a finite start is refused");
    demand(s.x.allFinite(), "x is not finite");
  }
  const Recorder::Call* at_x = record.find(s.x, s.grad);
  demand(at_x != nullptr, "x was never evaluated");
  if (at_x != nullptr) {
    demand(same(s.f, at_x->f), "f is not f(x)");
    demand(hash_bits(s.grad) == at_x->grad, "grad is not that of x");
  }
  demand(same(s.grad_inf_norm, max_norm(s.grad)), "grad_inf_norm is not that of grad");
  if (!first.finite) return complaints;

  // Rounding of f at the scale of what is added up, more for longer sums; noise hides as much.
  const double ulps = 32.0 + std::sqrt(static_cast<double>(h.n()));
  const double rounding = ulps * kEps * std::max(h.terms, std::abs(s.f)) + 2.0 * h.noise;
  const double slack = s.success() ? rounding : 0.0;
  judge_lowest(options, record, s, slack, complaints);

  const double norm = at_x == nullptr ? kNaN : at_x->grad_inf_norm;
  if (s.status == Status::kGradientIsSmall) demand(norm <= options.gtol || norm == 0.0, "gradient is not small");
  if (s.status == Status::kRelativeGradientIsSmall)
    demand(norm <= options.gtol_relative * first.grad_inf_norm, "gradient is not relatively small");
  if (s.status == Status::kConvergedToWorkingPrecision) demand(h.cannot_be_lowered(s.f), "false working precision");
  if (s.status == Status::kObjectiveIsUnbounded)
    demand(h.unbounded() || record.met_minus_infinity(), "f is not unbounded");
  if (s.success()) demand(!record.met_minus_infinity(), "success though f = -infinity was met");
  demand(s.success() == is_success(s.status), "success and status disagree");
  return complaints;
}

// What a run left behind, resumed with the same options, has to end in the same way; where the end is in the state or
// in a tolerance, at once. Only for objectives that answer equal questions equally.
inline Complaints judge_resumed(const Hostile& h, const Options& options, const Recorder& record, const Summary& s) {
  Complaints complaints;
  if (h.throw_at != 0 || h.name.find("stale") != std::string::npos) return complaints;
  Recorder again(h);
  Summary r;
  try {
    r = resume(again, s.state, options);
  } catch (const std::exception& error) {
    return {std::string("resuming throws")};
  }
  const bool in_the_loop = h.n() > 0 && s.state.x_prev.size() == s.state.x.size();
  if (r.status != s.status) complaints.emplace_back("resumes with another status");
  if (!(r.f == s.f || (std::isnan(r.f) && std::isnan(s.f)))) complaints.emplace_back("resumes with another f");
  if (in_the_loop && s.status != Status::kEvaluationLimitReached && !again.calls().empty())
    complaints.emplace_back("goes on after its end");
  if (in_the_loop &&
      again.count().value + s.state.evaluations.value > std::max(options.max_evaluations, record.count().value))
    complaints.emplace_back("resumes beyond the limit");
  return complaints;
}

}  // namespace loa::hostile
