#include "train/recipe.h"

#include <stdexcept>

#include "base/text.h"
#include "loa/version.h"

namespace loa {

void require_for_training(bool condition, const std::string& what) {
  if (!condition) throw std::invalid_argument("train: expected " + what);
}

void check_model(const TrainingOptions& o) {
  require_for_training(o.pole_guard >= 0 && o.pole_guard < 1 && (o.pole_guard == 0 || o.algorithm == "loa-bfgs"),
                       "a pole guard in [0, 1), and one only for loa-bfgs");
  require_for_training(
      !o.own_model ||
          (o.algorithm == "loa-bfgs" && o.pole_guard == 0 && o.own_start.size() > 0 && o.own_start.allFinite()),
      "for a model of one's own the algorithm loa-bfgs, no pole guard, and finite numbers to start from");
}

void put_recipe(const Recipe& recipe, const EpochReport& report, Weights& weights) {
  for (const auto& [key, value] : recipe) weights.metadata["training." + key] = value;
  weights.metadata["training.best_epoch"] = std::to_string(report.best_epoch);
  weights.metadata["training.best_loss"] = real_text(report.best_loss);
  weights.metadata["training.trained_by"] = "loa " LOA_VERSION;
}

void put_recipe(const Recipe& recipe, const std::string& format, TensorFile& checkpoint) {
  checkpoint.metadata["format"] = format;
  for (const auto& [key, value] : recipe) checkpoint.metadata["recipe." + key] = value;
}

Error check_recipe(const Recipe& recipe, const std::string& format, const std::string& what,
                   const TensorFile& checkpoint) {
  const auto& metadata = checkpoint.metadata;
  const auto found_format = metadata.find("format");
  if (found_format == metadata.end() || found_format->second != format) return "expected a checkpoint of " + what;
  for (const auto& [key, value] : recipe) {
    const auto found = metadata.find("recipe." + key);
    if (found == metadata.end() || found->second != value)
      return "expected a checkpoint with " + key + " = " + value + ", found " +
             (found == metadata.end() ? "none" : printable(found->second));
  }
  return {};
}

void put_losses(const EpochReport& report, TensorFile& checkpoint) {
  checkpoint.put_scalar("train_loss", report.train_loss);
  checkpoint.put_scalar("test_loss", report.test_loss);
  checkpoint.put_scalar("lowest_batch", report.lowest_batch);
  checkpoint.put_scalar("highest_batch", report.highest_batch);
  checkpoint.put_scalar("best_loss", report.best_loss);
  checkpoint.put_integer("best_epoch", report.best_epoch);
}

bool get_losses(const TensorFile& checkpoint, EpochReport& report) {
  return checkpoint.get_scalar("train_loss", report.train_loss) &&
         checkpoint.get_scalar("test_loss", report.test_loss) &&
         checkpoint.get_scalar("lowest_batch", report.lowest_batch) &&
         checkpoint.get_scalar("highest_batch", report.highest_batch) &&
         checkpoint.get_scalar("best_loss", report.best_loss) && checkpoint.get_count("best_epoch", report.best_epoch);
}

}  // namespace loa
