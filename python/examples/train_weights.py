"""Train the weights of loa-bfgs, a little, and use them. The real thing takes minutes: loa.train("best")."""

import tempfile
from pathlib import Path

import loa

training = loa.train("paper", epochs=20, functions=4, dimension=20, seed=1, learning_rate=1e-3)
print(training)
assert training.history["train_loss"][-1] < training.history["train_loss"][0]

result = loa.solve("quadratic:n=100,seed=3", "loa-bfgs", weights=training.weights)
print(f"{result.nfev} evaluations with the weights trained here")

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "mine.safetensors"
    training.save(path)
    print(loa.load_weights(path))
assert result.success
