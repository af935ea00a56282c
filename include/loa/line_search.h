// The step-size: how far to go along the unit step.
//
// Layer: line_search. The algorithms return a direction; a line search scales it, because it evaluates f.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "loa/export.h"
#include "loa/input.h"
#include "loa/objective.h"
#include "loa/state.h"

LOA_EXPORT_BEGIN
namespace loa {

// phi(step) = f(x + step * direction) and its slope. finite is false when x, f or the slope is not; then phi counts as
// +infinity.
struct Trial {
  double step = 0.0;
  double f = std::numeric_limits<double>::quiet_NaN();      // as the objective returned it
  double phi = std::numeric_limits<double>::quiet_NaN();    // what searches compare, relative to phi(0) = 0: see Ray
  double slope = std::numeric_limits<double>::quiet_NaN();  // phi'(step)
  bool finite = false;
};

// f along x_k + step * direction. Keeps the two most useful trial points, so that accepting a point costs no
// evaluation.
//
// Searches compare phi(step) = f(x_k + step * direction) - f(x_k). Where the two values agree to round_off |f(x_k)|,
// their difference is mostly round-off, and the trapezoidal rule step (phi'(0) + phi'(step))/2 takes its place: it is
// exact on quadratics and as accurate as the slopes. The Armijo test on it, (phi'(0) + phi'(step))/2 <= c1 phi'(0), is
// the approximate Wolfe test of Hager and Zhang (2005), so the searches (all but `paper`, which is kept as
// published) judge by slopes near round-off.
//
// In a run with bounds the ray is bent: x(step) = P(x_k + step * direction), P onto the bounds, and phi and its slope
// are those along x(step); coordinates that have arrived at a bound take no part in the slope, which is that to the
// right. The trapezoidal rule is then that along the chord from x_k to x(step).
//
// Slopes are believed only while f stays within round_off of the lowest value of the run: a gradient of the wrong sign
// would otherwise lead uphill in small steps for ever.
//
// round_off is Evidence::kRoundOff until f turns out to have fewer digits, as a likelihood has whose matrix is nearly
// singular. Where f rises although both slopes point downward, the error of the trapezoidal rule is that of the rule
// itself, which goes with step^3, that of a wrong gradient, which goes with the step, or noise, which stays. So f is
// noisy where a trial at most a fifth as long as another one keeps 0.3 of its error: the rule keeps 0.008, a wrong
// gradient 0.2. (At a cusp, |x|^0.3, errors stay as well, but slopes behind it point upward.) A jump of f by less than
// Evidence::kLargestNoise |f| cannot be told from noise, and counts as such.
class Ray {
 public:
  // Called once a search. REQUIRES: direction has the length of state.x; the budget is positive.
  // Evaluations stop when the objective has been asked `max_evaluations` times in total.
  void start(CountedObjective& f, const State& state, const Vector& direction, double slope,
             std::int64_t max_evaluations);

  // Evaluates f and the gradient at a step, with one all-reduce in a distributed run. Not to be called when
  // exhausted().
  Trial evaluate(double step);

  // For a direction whose slope is not known yet (Step::is_local): evaluates the first trial now, so that slope and
  // length of the direction travel in its all-reduce; evaluate(first_trial) returns the trial when the search asks for
  // it. Not to be called when exhausted(). REQUIRES: start() with the direction of the step.
  void begin(double first_trial, Step& step);

  // For a distributed run: called with every trial point and the gradient there, returns sums over this slice that are
  // to be summed over all slices in the all-reduce of the trial.
  using Companion = std::function<std::span<double>(const Vector& x, const Vector& grad)>;
  void set_companion(Companion companion) { companion_ = std::move(companion); }
  // Whether the accepted point is the one that the companion was called with last.
  bool companion_is_there() const { return companion_step_ == slots_[accepted_].trial.step; }

  // For a distributed run: from now on ||g||_2 of every trial point travels in the all-reduce of the trial.
  void measure_grad_norm() { measures_grad_norm_ = true; }

  // For a distributed run: whether sum_i |g_i x_i| of the trial points of this search travels with them. Called after
  // start().
  void measure_products(bool yes) { measures_products_ = yes; }

  // At most that many trials more in this search, for a limit on single searches; exhausted() afterwards. start() lifts
  // the limit.
  void limit_trials(std::int64_t trials);

  // <direction, Hessian(x_k) direction>; false when the objective has no Hessian-vector product.
  bool curvature(double& value);

  // Makes `trial` the point that x(), f() and grad() return, evaluating again only if it was not one of the two kept.
  void accept(const Trial& trial);

  // The lowest trial with finite x, f and gradient: best(), or one below it and f0() whose slope overflows, along which
  // no search can go on. Its f is not finite when there is none.
  const Trial& lowest() const { return beyond_.f < best().f || !best().finite ? beyond_ : best(); }
  // Copies it out. REQUIRES: its f is finite.
  void copy_lowest(Vector& x, Vector& grad) const;

  double f0() const { return f0_; }
  double slope0() const { return slope0_; }
  bool exhausted() const;           // the evaluation limit is reached, and no trial is left that is known already
  bool met_minus_infinity() const;  // f = -infinity at a finite point: unbounded below
  bool left_range() const;          // a trial was so long that x is not finite; f was not asked there
  // The step that would change f as much as the latest trial by the slopes at x_k: <g_k, x(step) - x_k>/phi'(0). Beyond
  // bounds a ray goes on without moving, and `step` itself promises what there is no room for. Without bounds the step.
  double reach(const Trial& latest);
  // Whether phi <= c1 reach phi'(0) there (Armijo). NaN is a no.
  bool decreases(const Trial& latest, double c1);
  const Trial& best() const { return slots_[best_].trial; }  // the lowest finite trial so far; not finite when none
  // The first kNumLogged finite trials, in the order in which they were made: what a search that fails has learned.
  std::span<const Trial> log() const { return {log_.data(), num_logged_}; }

  // Evidence::round_off, with what this search has found.
  double round_off() const { return round_off_; }
  static constexpr std::size_t kNumLogged = 64;  // no search of the library makes more trials

  // The accepted point, for the loop to take over by swapping.
  Vector& x() { return x_; }
  Vector& grad() { return slots_[accepted_].grad; }
  double f() const { return slots_[accepted_].trial.f; }
  double grad_inf_norm();
  double sum_of_products() const { return slots_[accepted_].products; }  // NaN: not measured
  // In a run with bounds what StateValues has under these names, after grad_inf_norm().
  double num_held() const { return slots_[accepted_].num_held; }
  HeldMask& held() { return slots_[accepted_].held; }
  double free_squares() const { return slots_[accepted_].free_squares; }
  // Of the chord from x_k to the accepted trial, for a direction of this length.
  struct Chord {
    double curvature;    // <d,dg>/<d,d>; in a run with bounds NaN where the slope has not risen
    double num_arrived;  // StateValues::num_arrived
  };
  Chord accepted_chord(const Trial& trial, double length) const;
  // ||g||_2, with an all-reduce only without measure_grad_norm() and where squares are out of range.
  double grad_norm() const;

 private:
  struct Slot {
    Trial trial;
    Vector grad;
    double grad_inf_norm = std::numeric_limits<double>::quiet_NaN();  // NaN: not measured
    double grad_squares = std::numeric_limits<double>::quiet_NaN();   // <g,g>, likewise
    double products = std::numeric_limits<double>::quiet_NaN();       // sum_i |g_i x_i|, likewise
    double num_held = std::numeric_limits<double>::quiet_NaN();
    double free_squares = std::numeric_limits<double>::quiet_NaN();
    HeldMask held;
  };
  double go_to(double step);                                                             // 0 where the point is finite
  double make_point(double step, Vector& x, std::vector<unsigned char>& arrived) const;  // likewise, with bounds
  double slope(const Vector& grad) const;               // along the ray at x_, over this slice
  double slope_of_infinite(const Vector& grad) const;   // likewise, where g is not finite
  double chord(double step, const Vector& grad) const;  // the slopes along the chord at both of its ends, added
  void note_rise(double step, double error);
  void judge_point(Slot& slot) const;
  Trial evaluate(double step, Step* local);
  double ask_together(double zero, Slot& slot, Step* local);

  CountedObjective* objective_ = nullptr;
  const State* state_ = nullptr;
  const Vector* direction_ = nullptr;
  double f0_ = 0.0, slope0_ = 0.0, round_off_ = Evidence::kRoundOff;
  std::int64_t max_evaluations_ = 0;                                     // of the run
  std::int64_t trial_limit_ = std::numeric_limits<std::int64_t>::max();  // the same for this search
  bool met_minus_infinity_ = false;
  bool left_range_ = false;
  bool measures_grad_norm_ = false, measures_products_ = false;
  struct Rise {
    double step, error;  // of a trial at which f rose though slopes promised a fall: what the rule missed
  };
  std::array<Rise, kNumLogged> rises_;
  std::size_t num_rises_ = 0;
  std::array<Trial, kNumLogged> log_;
  std::size_t num_logged_ = 0;
  Slot slots_[2];  // one holds the best trial, the other the latest
  int best_ = 0, accepted_ = 0;
  Trial beyond_;  // see lowest()
  Vector beyond_grad_;
  Vector x_;  // x_k + x_step_ direction: of the latest trial or the accepted one, and made again if that is another
  double x_step_ = 0.0;
  std::vector<unsigned char> arrived_;  // the coordinates of x_ that have arrived at a bound, eight a byte
  Vector hessian_direction_;
  Trial first_;  // of begin(), until the search asks for it
  Companion companion_;
  double companion_step_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> sums_;  // of the all-reduce
};

// How a search ended.
enum class LineSearchOutcome {
  kAccepted,
  kFailed,     // no acceptable point: ray.best() may still be lower than f0
  kExhausted,  // the evaluation limit came first
  kUnbounded,  // f = -infinity
};

// c1: sufficient decrease (Armijo). c2: curvature (Wolfe). REQUIRES: 0 < c1 < 1/2, c1 <= c2 < 1.
struct WolfeConstants {
  double c1 = 1e-4;
  double c2 = 0.9;
};

// Chooses the step along a ray. Const and without state: one object serves any number of runs.
class LineSearch {
 public:
  virtual ~LineSearch() = default;

  // Called once an iteration. On kAccepted the ray has accepted a trial, and its step is in `accepted`.
  // `first_trial` > 0 is where to start.
  virtual LineSearchOutcome search(Ray& ray, double first_trial, Trial& accepted) const = 0;

  // True when the search makes no sense along a direction of ascent.
  virtual bool needs_descent() const { return true; }

  // Whether the search evaluates `first_trial` before anything else. A distributed run saves an all-reduce then.
  virtual bool begins_at_first_trial() const { return true; }

  // The constants that the search tests. Another search that a user names in its place takes these constants over.
  virtual WolfeConstants constants() const { return {}; }

  // The name in line_searches(), or any other name for a search of one's own.
  virtual std::string name() const = 0;
};

// A row of line_searches().
struct LineSearchInfo {
  std::string name;
  std::string description;
};

// All named line searches.
const std::vector<LineSearchInfo>& line_searches();

// Capital letters in a name are as small ones. Throws std::invalid_argument when there is no such line search.
std::shared_ptr<const LineSearch> make_line_search(const std::string& name, const WolfeConstants& constants = {});

}  // namespace loa
LOA_EXPORT_END
