// Pictures of trainings: the paper's fig::train.
#pragma once

#include <string>
#include <vector>

#include "experiment/gnuplot.h"

namespace loa {

// The first line of the log of a training, which has a row for each epoch.
inline constexpr char kLearningCurveHeader[] =
    "epoch,train_loss,test_loss,lowest_batch,highest_batch,best_loss,best_epoch,not_finite,seconds\n";

// A gnuplot script that reads OUT.csv and writes OUT.svg and OUT.png beside it: the band of the stochastic loss, its
// mean over each epoch and the test loss. For losses around log 2, the loss of BFGS, that one is shown too. Against
// BFGS, for evolution: the band is of the samples, their median its middle, and BFGS is 0.
enum class CurveScale { kAroundLogTwo, kLogarithmic, kAgainstBfgs };
std::string learning_curve_script(const std::string& out, const std::string& title, CurveScale scale);

// The same of several trainings with losses around log 2, in panels beside each other. The vectors of a curve have one
// length (otherwise std::invalid_argument).
struct LearningCurve {
  std::string title = {};
  std::vector<double> epoch = {}, train = {}, test = {}, lowest = {}, highest = {};
};

Figure make_learning_figure(const std::string& name, const std::vector<LearningCurve>& curves);

}  // namespace loa
