"""Weights are safetensors files."""

import copy
import pickle

import numpy as np
import pytest

import loa

safetensors = pytest.importorskip("safetensors.numpy")


class Scaled:
    theta = np.zeros(2)

    def predict(self, input):
        return input.d + self.theta[0] * input.r

    def pullback(self, input, d_y):
        return [np.zeros_like(vector) for vector in input.vectors], np.zeros(2)


def test_the_safetensors_package_reads_what_loa_writes(tmp_path):
    path = tmp_path / "w.safetensors"
    weights = loa.load_weights("loa-bfgs")
    loa.save_weights(weights, path)
    tensors = safetensors.load_file(path)
    assert set(tensors) == set(weights.tensors)
    for name, values in weights.tensors.items():
        np.testing.assert_array_equal(tensors[name], values)
    assert sum(values.size for values in tensors.values()) == weights.theta.size
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        assert file.metadata()["architecture"] == weights.metadata["architecture"]


def test_loa_reads_what_the_safetensors_package_writes(tmp_path):
    weights = loa.load_weights("loa-bfgs")
    for dtype in (np.float64, np.float32):
        path = tmp_path / f"{np.dtype(dtype)}.safetensors"
        safetensors.save_file(
            {name: values.astype(dtype) for name, values in weights.tensors.items()}, path, metadata=weights.metadata
        )
        again = loa.load_weights(path)
        np.testing.assert_array_equal(again.theta, weights.theta.astype(dtype))
        assert again.metadata["architecture"] == weights.metadata["architecture"]
        assert loa.solve("rosenbrock:n=4", "loa-bfgs", weights=path).success


def test_weights_can_be_changed():
    weights = loa.load_weights("loa-bfgs")
    name, values = next(iter(weights.tensors.items()))
    changed = weights.with_tensors({name: values + 1})
    np.testing.assert_array_equal(changed.tensors[name], values + 1)
    np.testing.assert_array_equal(weights.tensors[name], values)
    with pytest.raises(ValueError, match="expected names among"):
        weights.with_tensors({"nobody": values})
    with pytest.raises(ValueError, match=f"{name}: expected shape .* found"):
        weights.with_tensors({name: values[:1, :1]})
    with pytest.raises(ValueError, match="expected weights of rnnprop, found weights of loa-bfgs"):
        loa.solve("rosenbrock:n=4", "rnnprop", weights=weights)
    assert "216 parameters" in repr(weights) and name in weights._repr_html_()


def test_files_that_are_no_weights(tmp_path):
    path = tmp_path / "other.safetensors"
    safetensors.save_file({"a": np.zeros(3)}, path)
    with pytest.raises(ValueError, match="unknown tensor"):
        loa.load_weights(path)
    with pytest.raises(ValueError, match="expected a file that exists"):
        loa.load_weights(tmp_path / "none")


def test_weights_and_trainings_copy_and_pickle(tmp_path):
    training = loa.train("paper", epochs=1, functions=1, dimension=4)
    own = loa.train("paper", model=Scaled(), epochs=1, functions=1, dimension=4)  # of no known architecture
    for weights in (loa.load_weights("loa"), training.weights, own.weights):
        for again in (copy.copy(weights), copy.deepcopy(weights), pickle.loads(pickle.dumps(weights))):
            assert again.theta.tobytes() == weights.theta.tobytes() and again.metadata == weights.metadata
            assert list(again.tensors) == list(weights.tensors)
            assert [t.tobytes() for t in again.tensors.values()] == [t.tobytes() for t in weights.tensors.values()]
            assert bool(again.certificate) == bool(weights.certificate)
    loa.save_weights(pickle.loads(pickle.dumps(training)).weights, tmp_path / "again")
    training.save(tmp_path / "first")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "first").read_bytes()
    method = pickle.loads(pickle.dumps(loa.method("loa-bfgs", weights=training.weights)))
    assert method(lambda x: (x @ x, 2 * x), np.ones(3), jac=True).success


def test_certificates_copy_and_pickle():
    members = [(lambda x, c=c: (c * (x @ x), 2 * c * x), np.ones(3)) for c in np.geomspace(0.1, 10, 30)]
    certificate = loa.certify(None, members, algorithm="bfgs", jac=True, processes=1)
    assert certificate
    for again in (copy.deepcopy(certificate), pickle.loads(pickle.dumps(certificate))):
        assert str(again) == str(certificate) and again.rows == certificate.rows and again.gtol == certificate.gtol
