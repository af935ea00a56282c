// A State as a safetensors file: vectors as tensors, everything else as metadata. Numbers come back bit for bit.
#include <functional>
#include <limits>
#include <new>
#include <string_view>

#include "base/strict_json.h"
#include "base/text.h"
#include "core/counts.h"
#include "linalg/index.h"
#include "linalg/inverse_hessian_kinds.h"
#include "linalg/tensor_file.h"
#include "loa/state.h"

namespace loa {
namespace {

constexpr const char* kFormat = "loa-state-2";

// Calls visit(name, member) for every member that is saved, so that saving and loading cannot disagree.
template <typename Values, typename Visit>
void for_each_member(Values& s, Visit visit) {
  visit("configuration_hash", s.configuration_hash);
  visit("iteration", s.iteration);
  visit("x", s.x);
  visit("f", s.f);
  visit("grad", s.grad);
  visit("x_prev", s.x_prev);
  visit("f_prev", s.f_prev);
  visit("grad_prev", s.grad_prev);
  visit("direction_prev", s.direction_prev);
  visit("step_size", s.step_size);
  visit("gamma", s.gamma);
  visit("next_scale", s.next_scale);
  visit("beta_power", s.beta_power);
  visit("f_start", s.f_start);
  visit("grad_inf_norm_start", s.grad_inf_norm_start);
  visit("lowest_f", s.lowest_f);
  visit("lowest_grad_inf_norm", s.lowest_grad_inf_norm);
  visit("f_at_progress", s.f_at_progress);
  visit("iterations_without_progress", s.iterations_without_progress);
  visit("ended", s.ended);
  visit("best_is_behind", s.best_is_behind);
  visit("best_f", s.best_f);
  visit("best_x", s.best_x);
  visit("best_grad", s.best_grad);
  visit("evidence.largest_curvature", s.evidence.largest_curvature);
  visit("evidence.smallest_curvature", s.evidence.smallest_curvature);
  visit("evidence.noise", s.evidence.noise);
  visit("evidence.f_without_promise", s.evidence.f_without_promise);
  visit("evidence.f_returned_to", s.evidence.f_returned_to);
  visit("evidence.iterations_since_restart", s.evidence.iterations_since_restart);
  const auto visit_count = [&visit](const std::string& name, auto& count) { visit(name.c_str(), count); };
  for_each_count(s.evaluations, [&](const char* name, auto& n) { visit_count(std::string("evaluations.") + name, n); });
  for_each_count(s.fallbacks, [&](const char* name, auto& n) {
    if (&n != &s.fallbacks.box) visit_count(std::string("fallbacks.") + name, n);
  });
  visit("guarantee.applies", s.guarantee.applies);
  visit("guarantee.smallest_eigenvalue", s.guarantee.eigenvalues.smallest);
  visit("guarantee.largest_eigenvalue", s.guarantee.eigenvalues.largest);
  visit("guarantee.gamma", s.guarantee.gamma);
  visit("guarantee.lipschitz", s.guarantee.lipschitz);
  visit("guarantee.smallest_cosine", s.guarantee.smallest_cosine);
  visit("guarantee.evaluated", s.guarantee.evaluated);
  visit("guarantee.violations", s.guarantee.violations);
  visit("guarantee.promised_decrease", s.guarantee.promised_decrease);
  visit("guarantee.smallest_slack", s.guarantee.smallest_slack);
  visit("spectrum.smallest", s.spectrum.smallest);
  visit("spectrum.largest", s.spectrum.largest);
}

// The same for the counts that are left out where they are 0, with the largest number of each.
template <typename Values, typename Visit>
void for_each_rare_count(Values& s, Visit visit) {
  visit("refined_at", s.refined_at, s.evaluations.value);
  visit("num_projected", s.num_projected, static_cast<std::int64_t>(s.x.size()));
  visit("fallbacks.box", s.fallbacks.box, kLargestCount);
}

struct Saver {
  TensorFile& file;
  void operator()(const char* name, const Vector& value) { file.put(name, value); }
  void operator()(const char* name, double value) { file.put_scalar(name, value); }
  void operator()(const char* name, std::int64_t value) { file.put_integer(name, value); }
  void operator()(const char* name, bool value) { file.put_integer(name, value ? 1 : 0); }
  void operator()(const char* name, Status value) { file.put_integer(name, static_cast<std::int64_t>(value)); }
};

struct Loader {
  const TensorFile& file;
  std::string missing;

  void note(bool found, const char* name) {
    if (!found && missing.empty()) missing = name;
  }
  void operator()(const char* name, Vector& value) { note(file.get(name, value), name); }
  void operator()(const char* name, double& value) { note(file.get_scalar(name, value), name); }
  void operator()(const char* name, std::int64_t& value) { note(file.get_integer(name, value), name); }
  void operator()(const char* name, bool& value) { note(file.get_flag(name, value), name); }
  void operator()(const char* name, Status& value) {
    std::int64_t number = 0;
    note(file.get_count(name, number) && number <= std::numeric_limits<int>::max(), name);
    value = static_cast<Status>(number);
  }
};

// Finds an integer that is neither a count nor the hash.
struct CountCheck {
  std::string wrong;

  void operator()(const char* name, const std::int64_t& value) {
    const bool is_hash = std::string_view(name) == "configuration_hash";
    if (is_hash || (value >= 0 && value <= kLargestCount) || !wrong.empty()) return;
    wrong = std::string("found ") + name + " = " + std::to_string(value) + ", expected a count from 0 to " +
            std::to_string(kLargestCount);
  }
  template <typename Other>
  void operator()(const char*, const Other&) {}
};

// Whether a run stores this status in `ended`: for a reason in f that another attempt would meet again. Tolerances and
// limits are asked anew by a resumed run. Without a default, so that the compiler asks about each new status.
bool is_stored(Status status) {
  switch (status) {
    case Status::kRunning:
    case Status::kConvergedToWorkingPrecision:
    case Status::kLineSearchFailed:
    case Status::kObjectiveIsUnbounded:
    case Status::kObjectiveBecameNotFinite:
    case Status::kStalled:
      return true;
    case Status::kGradientIsSmall:
    case Status::kRelativeGradientIsSmall:
    case Status::kObjectiveIsFlat:
    case Status::kIterationLimitReached:
    case Status::kEvaluationLimitReached:
    case Status::kTimeLimitReached:
    case Status::kStoppedByObserver:
    case Status::kStartIsNotFinite:
      return false;
  }
  return false;  // a number that is no status
}

// The hidden state is a tensor with a row for each unit, left out where there is none.
void put_hidden(const Matrix& hidden, TensorFile& file) {
  file.tensors["hidden"] = {{hidden.cols(), hidden.rows()}, {hidden.data(), hidden.data() + hidden.size()}};
}

// Returns false when there is a tensor of that name which is no matrix.
bool get_hidden(const TensorFile& file, Matrix& hidden) {
  const auto found = file.tensors.find("hidden");
  if (found == file.tensors.end()) return true;
  const Tensor& tensor = found->second;
  if (tensor.shape.size() != 2) return false;
  hidden = Eigen::Map<const Matrix>(tensor.values.data(), tensor.shape[1], tensor.shape[0]);
  return true;
}

Error load_B(const TensorFile& file, State& state) {
  // Before an operator takes memory for the dimension that the file names.
  if (const auto found = file.metadata.find("B.dimension"); found != file.metadata.end())
    if (found->second != std::to_string(state.dimension()))
      return "found B.dimension = " + in_quotes(found->second) + ", expected " + std::to_string(state.dimension()) +
             ", the length of x";
  if (Error error = load(file, state.B)) return error;
  if (dimension(*state.B) != state.dimension()) return "expected an inverse Hessian of the dimension of x";
  return {};
}

// What a state must fulfil to be run from. No error or what is wrong.
Error inconsistency(const State& state) {
  const Index n = state.dimension();
  CountCheck counts;
  for_each_member(static_cast<const StateValues&>(state), std::ref(counts));
  if (!counts.wrong.empty()) return counts.wrong;
  if (!is_stored(state.ended))
    return "found ended = " + std::to_string(static_cast<int>(state.ended)) +
           ", expected 0 or the number of a status with which a run ends for good";
  if (!state.x.allFinite()) return "expected finite numbers in x";
  if (state.grad.size() != n) return "expected a gradient as long as x";
  const bool started = state.x_prev.size() != 0 || n == 0;
  if (started && (state.x_prev.size() != n || state.grad_prev.size() != n || state.direction_prev.size() != n))
    return "expected x_prev, grad_prev and direction_prev as long as x";
  for (const Vector& vector : state.memory)
    if (vector.size() != n) return "expected memory vectors as long as x";
  if (state.hidden.size() > 0 && state.hidden.rows() != n) return "expected hidden states as long as x";
  if (state.best_is_behind && (state.best_x.size() != n || state.best_grad.size() != n))
    return "expected best_x and best_grad as long as x";
  return {};
}

TensorFile tensors_of(const State& state) {
  TensorFile file;
  file.metadata["format"] = kFormat;
  file.metadata["algorithm"] = state.algorithm;
  for_each_member(static_cast<const StateValues&>(state), Saver{file});
  // A run in progress has room for a point that is not there yet.
  if (!state.best_is_behind)
    for (const char* name : {"best_x", "best_grad"}) file.put(name, Vector());
  file.put_integer("num_memory", static_cast<std::int64_t>(state.memory.size()));
  for (std::size_t i = 0; i < state.memory.size(); ++i) file.put(numbered("memory", i), state.memory[i]);
  if (state.hidden.size() > 0) put_hidden(state.hidden, file);
  for_each_rare_count(state, [&](const char* name, std::int64_t count, std::int64_t) {
    if (count > 0) file.put_integer(name, count);
  });
  if (state.evidence.round_off > Evidence::kRoundOff) file.put_scalar("evidence.round_off", state.evidence.round_off);
  if (state.B) save(*state.B, file);
  return file;
}

// What the file has that is not written for the state which was read from it: a flag of 2, a number in another
// spelling, an entry that nobody asked for. No error when there is nothing.
Error difference(const TensorFile& file, const TensorFile& written) {
  for (const auto& [key, value] : file.metadata) {
    const auto found = written.metadata.find(key);
    if (found == written.metadata.end()) return "found the metadata " + in_quotes(key) + ", expected what loa writes";
    if (found->second != value)
      return "found " + in_quotes(key) + " = " + in_quotes(value) + ", expected " + in_quotes(found->second);
  }
  for (const auto& [name, tensor] : file.tensors) {
    const auto found = written.tensors.find(name);
    if (found == written.tensors.end() || found->second.shape != tensor.shape)
      return "found a tensor " + in_quotes(name) + ", expected what loa writes";
  }
  for (const auto& [key, unused] : written.metadata)
    if (!file.metadata.contains(key)) return "found no metadata " + in_quotes(key) + ", expected it in a state";
  for (const auto& [name, unused] : written.tensors)
    if (!file.tensors.contains(name)) return "found no tensor " + in_quotes(name) + ", expected it in a state";
  return {};
}

// `path` stands in front of what is wrong.
Error state_of(const TensorFile& file, const std::string& path, State& state) {
  const auto format = file.metadata.find("format");
  if (format == file.metadata.end() || format->second != kFormat)
    return path + ": expected a state written by loa (format " + kFormat + "), found " +
           (format == file.metadata.end() ? "no format" : "format " + in_quotes(format->second));

  State loaded;
  if (const auto algorithm = file.metadata.find("algorithm"); algorithm != file.metadata.end())
    loaded.algorithm = algorithm->second;
  Loader loader{file, ""};
  for_each_member(static_cast<StateValues&>(loaded), std::ref(loader));
  for_each_rare_count(loaded, [&](const char* name, std::int64_t& count, std::int64_t largest) {
    if (std::int64_t found = 0; file.get_count(name, found) && found <= largest) count = found;
  });
  if (double found = 0.0; file.get_scalar("evidence.round_off", found) && found > Evidence::kRoundOff &&
                          found <= Evidence::kNoiseMargin * Evidence::kLargestNoise)
    loaded.evidence.round_off = found;
  std::int64_t num_memory = 0;
  loader.note(file.get_count("num_memory", num_memory), "num_memory");
  for (std::int64_t i = 0; i < num_memory && loader.missing.empty(); ++i)
    loader(numbered("memory", static_cast<std::size_t>(i)).c_str(), loaded.memory.emplace_back());
  if (!loader.missing.empty())
    return path + ": expected '" + loader.missing + "' in the state, found none or one out of range";
  if (!get_hidden(file, loaded.hidden)) return path + ": expected a matrix in 'hidden'";
  if (Error error = inconsistency(loaded)) return path + ": " + error.message();

  if (file.metadata.contains("B.kind"))
    if (Error error = load_B(file, loaded)) return path + ": " + error.message();
  if (Error error = difference(file, tensors_of(loaded))) return path + ": " + error.message();
  state = std::move(loaded);
  return {};
}

}  // namespace

Error save_state(const State& state, const std::string& path) {
  return printable(tensors_of(state).write(path).message());
}

namespace {

Error state_or_too_large(const TensorFile& file, const std::string& name, State& state) {
  try {
    return state_of(file, name, state);
  } catch (const std::bad_alloc&) {
    return name + ": found a state that is too large for the memory of this machine, expected a smaller one";
  }
}

}  // namespace

Error load_state(const std::string& path, State& state) {
  TensorFile file;
  if (Error error = file.read(path)) return printable(error.message());
  return printable(state_or_too_large(file, path, state).message());
}

std::string state_bytes(const State& state) { return tensors_of(state).write_bytes(); }

Error state_from_bytes(const std::string& bytes, State& state) {
  const std::string name = "state";
  TensorFile file;
  if (Error error = file.read_bytes(bytes, name)) return error;
  return state_or_too_large(file, name, state);
}

}  // namespace loa
