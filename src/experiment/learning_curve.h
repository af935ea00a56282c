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
// mean over each epoch, the test loss, and log 2, the loss of BFGS.
std::string learning_curve_script(const std::string& out, const std::string& title);

}  // namespace loa
