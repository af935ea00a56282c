// Weights and training.
#include "loa/weights.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "bindings.h"
#include "loa/train.h"
#include "model.h"
#include "numpy.h"
#include "own_problems.h"
#include "train/training_options.h"

namespace loa::python {
namespace {

void throw_if(const Error& error) {
  if (error) throw std::invalid_argument(error.message());
}

// Name -> rows x cols array.
nb::dict tensors_of(const Weights& weights) {
  nb::dict dict;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  for (const ParameterBlock& block : weights.blocks)
    dict[block.name.c_str()] =
        to_numpy(Matrix(Eigen::Map<const RowMajor>(weights.theta.data() + block.offset, block.rows, block.cols)));
  return dict;
}

// The same numbers with other values; names and shapes stay.
Weights with_tensors(const Weights& weights, const nb::dict& tensors) {
  Weights changed = weights;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  std::size_t used = 0;
  for (const ParameterBlock& block : weights.blocks) {
    if (!tensors.contains(block.name.c_str())) continue;
    ++used;
    Matrix values(block.rows, block.cols);
    from_numpy(nb::object(tensors[block.name.c_str()]), block.name.c_str(), values);
    Eigen::Map<RowMajor>(changed.theta.data() + block.offset, block.rows, block.cols) = values;
  }
  drop_certificate(changed);  // which is for the numbers that were
  if (used != tensors.size()) {
    std::string known;
    for (const ParameterBlock& block : weights.blocks) known += (known.empty() ? "" : ", ") + block.name;
    throw nb::value_error(("tensors: expected names among " + known).c_str());
  }
  return changed;
}

// For pickling: theta, the blocks and the metadata. Not the bytes of a file, which takes known architectures alone and
// notes its own version of loa.
nb::tuple state_of(const Weights& weights) {
  nb::list blocks;
  for (const ParameterBlock& block : weights.blocks)
    blocks.append(nb::make_tuple(block.name, block.rows, block.cols, block.offset));
  return nb::make_tuple(to_numpy(weights.theta), blocks, weights.metadata);
}

Weights weights_of(const nb::tuple& state) {
  Weights weights;
  weights.theta = vector_from(nb::object(state[0]), "theta");
  for (const nb::handle item : nb::object(state[1])) {
    const ParameterBlock block{.name = nb::cast<std::string>(item[0]),
                               .rows = nb::cast<Index>(item[1]),
                               .cols = nb::cast<Index>(item[2]),
                               .offset = nb::cast<Index>(item[3])};
    const Index size = weights.theta.size();
    const bool fits = block.rows >= 0 && block.cols >= 0 && block.offset >= 0 && block.offset <= size &&
                      (block.rows == 0 || block.cols <= (size - block.offset) / block.rows);
    if (!fits) throw nb::value_error(("weights: expected " + block.name + " inside theta").c_str());
    weights.blocks.push_back(block);
  }
  weights.metadata = nb::cast<std::map<std::string, std::string>>(state[2]);
  return weights;
}

nb::dict as_dict_of_epoch(const EpochReport& report) {
  nb::dict dict;
  dict["epoch"] = report.epoch;
  dict["train_loss"] = report.train_loss;
  dict["test_loss"] = report.test_loss;
  dict["lowest_batch"] = report.lowest_batch;
  dict["highest_batch"] = report.highest_batch;
  dict["best_loss"] = report.best_loss;
  dict["best_epoch"] = report.best_epoch;
  dict["not_finite"] = report.not_finite;
  dict["seconds"] = report.seconds;
  return dict;
}

// Trains on this thread; after each epoch the observer is asked and signals are looked for. `make_model`, where it is
// not None, makes (predict, pullback) from theta, which starts at `start`. `problems` are one's own, where there are
// some, and `own_observer` gets their progress, as text and as a dict.
nb::tuple run_train(TrainingOptions options, const std::string& checkpoint, bool resume, const nb::object& observer,
                    const nb::object& make_model, const nb::object& start, const nb::object& problems,
                    const nb::object& own_observer) {
  if (!problems.is_none()) take_own_problems(problems, options.problems, options.own.runner);
  if (!own_observer.is_none())
    options.own.observer = [show = nb::handle(own_observer)](const OwnProgress& progress) {
      const nb::gil_scoped_acquire gil;
      show(text_of(progress), as_dict(progress));
    };
  if (!make_model.is_none()) {
    options.own_start = vector_from(start, "theta");
    options.own_model = [make = make_model.ptr()](const Vector& theta) -> std::unique_ptr<const Model> {
      const nb::gil_scoped_acquire gil;
      const nb::object parts = nb::handle(make)(to_numpy(theta));
      return std::make_unique<PythonModel>(nb::object(parts[0]), nb::object(parts[1]), theta);
    };
  }
  TrainingResult result;
  Error error;
  const auto observe = [&](const EpochReport& report) {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    const nb::object stop = observer(as_dict_of_epoch(report));
    return PyObject_IsTrue(stop.ptr()) == 1 ? Continue::kNo : Continue::kYes;
  };
  {
    const nb::gil_scoped_release no_gil;
    error = train(options, checkpoint, resume, observe, result);
  }
  throw_if(error);
  const nb::object own = problems.is_none() ? nb::none() : nb::object(as_dict(result.own));
  return nb::make_tuple(nb::cast(std::move(result.weights)), as_dict_of_epoch(result.last), result.stopped, own);
}

nb::list run_evaluate(const std::vector<std::string>& weights, const EvaluationOptions& options) {
  std::vector<EvaluationRow> rows;
  Error error;
  {
    const nb::gil_scoped_release no_gil;
    error = evaluate_weights(weights, options, rows);
  }
  throw_if(error);
  nb::list list;
  for (const EvaluationRow& row : rows) {
    nb::dict dict;
    dict["name"] = row.name;
    dict["final_loss"] = row.final_loss;
    dict["mean_loss"] = row.mean_loss;
    dict["worst_ratio"] = row.worst_ratio;
    dict["better"] = row.better;
    dict["much_worse"] = row.much_worse;
    dict["not_finite"] = row.not_finite;
    list.append(dict);
  }
  return list;
}

void bind_training_options(nb::module_& m) {
  using O = TrainingOptions;
  nb::class_<O> options(m, "TrainingOptions");
  options.def(nb::init<>());
  O sample;
  for_each_training_option(sample, [&options]<class T>(const char* name, T&, const char*) {
    if constexpr (std::is_enum_v<T>)
      options.def_prop_rw(
          name, [name](O& o) { return word_of(training_option<T>(o, name)); },
          [name](O& o, const std::string& word) {
            if (!parse_word(word, training_option<T>(o, name)))
              throw nb::value_error((std::string("train: expected ") + name + " " + kWords<T>[0] + " or " +
                                     kWords<T>[1] + ", found '" + word + "'")
                                        .c_str());
          });
    else
      options.def_prop_rw(
          name, [name](O& o) -> T { return training_option<T>(o, name); },
          [name](O& o, const T& value) { training_option<T>(o, name) = value; });
  });
  using E = EvaluationOptions;
  nb::class_<E>(m, "EvaluationOptions")
      .def(nb::init<>())
      .def_rw("problems", &E::problems)
      .def_rw("dimension", &E::dimension)
      .def_rw("iterations", &E::iterations)
      .def_rw("seed", &E::seed)
      .def_rw("threads", &E::threads);
}

}  // namespace

void bind_weights(nb::module_& m) {
  nb::class_<Weights>(m, "Weights", "theta: named tensors and metadata, as in a safetensors file.")
      .def_prop_ro("algorithm", &algorithm_of, "The learned algorithm that they are for.")
      .def_rw("metadata", &Weights::metadata)
      .def_prop_rw(
          "certificate", &certificate_of, [](Weights& w, const Certificate& c) { put_certificate(c, w); },
          "What loa.certify or a training on one's own problems said; in the metadata, which a file carries.")
      .def_prop_ro(
          "theta", [](const Weights& w) { return to_numpy(w.theta); }, "All tensors, one after the other.")
      .def_prop_ro("tensors", &tensors_of, "Name to array; copies.")
      .def("with_tensors", &with_tensors, nb::arg("tensors"), "The same with other values in the tensors named.")
      .def("__getstate__", &state_of)
      .def("__setstate__", [](Weights& weights, const nb::tuple& state) { new (&weights) Weights(weights_of(state)); });
  m.def(
      "load_weights",
      [](const std::string& name_or_path) {
        Weights weights;
        throw_if(find_weights(name_or_path, weights));
        return weights;
      },
      nb::arg("name_or_path"));
  m.def(
      "save_weights", [](const Weights& weights, const std::string& path) { throw_if(save_weights(weights, path)); },
      nb::arg("weights"), nb::arg("path"));
  bind_training_options(m);
  m.def("training_preset", &training_preset, nb::arg("name"));
  m.def("training_presets", &training_presets);
  m.def("default_training_preset", &default_training_preset, nb::arg("algorithm"), nb::arg("trainer") = "");
  m.def("train", &run_train, nb::arg("options"), nb::arg("checkpoint"), nb::arg("resume"), nb::arg("observer"),
        nb::arg("make_model").none() = nb::none(), nb::arg("start").none() = nb::none(),
        nb::arg("problems").none() = nb::none(), nb::arg("own_observer").none() = nb::none());
  m.def("evaluate_weights", &run_evaluate, nb::arg("weights"), nb::arg("options"));
}

}  // namespace loa::python
