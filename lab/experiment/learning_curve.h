// The picture of a training: the paper's fig::train.
//
// Layer: experiment.
#pragma once

#include <string>

namespace loa {

// The first line of the log, one row an epoch.
inline constexpr char kLearningCurveHeader[] =
    "epoch,train_loss,test_loss,lowest_batch,highest_batch,best_loss,best_epoch,not_finite,seconds\n";

// A gnuplot script that reads OUT.csv and writes OUT.svg and OUT.png beside it: the band of the stochastic loss, its
// mean over each epoch and the test loss. For losses around log 2, the loss of BFGS, that one is shown too. Against
// BFGS, for evolution: the band is of the samples, their median its middle, and BFGS is 0.
enum class CurveScale { kAroundLogTwo, kLogarithmic, kAgainstBfgs };
std::string learning_curve_script(const std::string& out, const std::string& title, CurveScale scale);

}  // namespace loa
