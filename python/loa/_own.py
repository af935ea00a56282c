"""Problems of one's own: members of a family, run on several processes, and certificates."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import pickle
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Iterable
from multiprocessing import connection
from typing import Any

from loa import _loa
from loa._minimize import make_objective, start_array
from loa._options import set_all
from loa._problem import NamedObjective

# Of a generator, which may have no end.
_MOST_MEMBERS = 200


class _RemoteTraceback(Exception):
    """Where an exception came from in another process; its cause there."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def _member(item: Any, number: int, jac: Any, args: Any) -> tuple[Any, Any]:
    """(objective in the form that C++ takes, start) from what problems= may hold."""
    where = f"problems[{number}]"
    if isinstance(item, NamedObjective):
        return item.objective(), item.start()
    if isinstance(item, _loa.Problem):
        return item, item.start
    if not isinstance(item, (tuple, list)) or len(item) != 2:
        raise TypeError(f"{where}: expected a pair (f, x0), found {type(item).__name__}")
    fun, x0 = item
    try:
        start = start_array(x0)
        objective = fun if isinstance(fun, _loa.Problem) else make_objective(fun, jac, args)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{where}: {error}") from None
    if isinstance(fun, _loa.Problem) and start.shape != (fun.n,):
        raise ValueError(f"{where}: x0: expected shape ({fun.n},), found {start.shape}")
    return objective, start


def specs_of(problems: Any) -> list[str] | None:
    """SPECs of built-in problems; None for anything else."""
    if isinstance(problems, str):
        return [problems]
    if isinstance(problems, (list, tuple)) and problems and all(isinstance(item, str) for item in problems):
        return list(problems)
    return None


def _default_processes() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _send(pipe: Any, message: Any) -> None:
    try:
        pipe.send(message)
    except (OSError, BrokenPipeError):
        os._exit(1)  # the parent is gone


def _portable(error: BaseException) -> BaseException:
    """The exception, or what is left of it where it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")


def _work(pipe: Any, runs: _loa.OwnRuns) -> None:
    """A worker: candidates, and then runs on members, until there is nothing left to read."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    candidates: list[Any] = []
    while True:
        try:
            kind, places, payload = pipe.recv()
        except (EOFError, OSError):
            return
        if kind == "candidates":
            candidates = payload
            continue
        try:
            _send(pipe, (places, runs.run(candidates, payload), None, ""))
        except BaseException as error:
            _send(pipe, (places, None, _portable(error), traceback.format_exc()))


class Members:
    """The user's members, in the form that C++ asks: `count` and run(candidates, runs)."""

    def __init__(
        self, problems: Iterable[Any], jac: Any, args: Any, weights: Any, processes: int | None, most: int | None
    ):
        if isinstance(problems, tuple) and len(problems) == 2 and callable(problems[0]):
            raise TypeError("problems: expected a list of pairs (f, x0), found a single pair")
        if callable(problems) or not isinstance(problems, Iterable):
            raise TypeError(f"problems: expected a list or a generator of pairs (f, x0), found {problems!r}")
        if processes is not None and processes < 1:
            raise ValueError(f"processes: expected at least 1, found {processes}")
        if not hasattr(problems, "__len__"):
            problems = itertools.islice(problems, most or _MOST_MEMBERS)
        members = [_member(item, number, jac, args) for number, item in enumerate(problems)]
        if most:
            members = members[:most]
        self.count = len(members)
        if self.count == 0:
            raise ValueError("problems: expected some pairs (f, x0), found none")
        self._runs = _loa.OwnRuns([objective for objective, _ in members], [start for _, start in members], weights)
        wanted = min(_default_processes() if processes is None else processes, self.count)
        self._workers: list[tuple[Any, Any]] = []  # (process, pipe)
        self.why_one = ""
        if wanted > 1 and "fork" not in multiprocessing.get_all_start_methods():
            self.why_one = "in one process, because this system cannot fork"
        elif wanted > 1 and multiprocessing.current_process().daemon:
            self.why_one = "in one process, because this one is a daemon of multiprocessing and may not have children"
        elif wanted > 1:
            self._fork(wanted)

    def _fork(self, number: int) -> None:
        # The callables need not be pickled: a child has them by being forked.
        context = multiprocessing.get_context("fork")
        for _ in range(number):
            ours, theirs = context.Pipe()
            process = context.Process(target=_child, args=(theirs, [p for _, p in self._workers] + [ours], self._runs))
            process.daemon = True
            with warnings.catch_warnings():
                # Python 3.12 warns of threads that are lost by a fork. Those of loa know it.
                warnings.simplefilter("ignore", DeprecationWarning)
                process.start()
            theirs.close()
            self._workers.append((process, ours))

    @property
    def processes(self) -> int:
        return max(1, len(self._workers))

    def __enter__(self) -> Members:
        return self

    def __exit__(self, *_: Any) -> None:
        for process, pipe in self._workers:
            pipe.close()
            process.terminate()
        for process, _ in self._workers:
            process.join()
        self._workers = []

    def run(self, candidates: list[Any], runs: list[Any]) -> list[Any]:
        """The outcomes in the order of the runs, whoever has run them."""
        if not self._workers or (runs and runs[0][5]):  # those of a series come one after the other
            return self._runs.run(candidates, runs)
        pieces: dict[int, list[int]] = {}  # member: places in runs
        for place, run in enumerate(runs):
            pieces.setdefault(run[0], []).append(place)
        waiting = list(reversed(pieces.values()))
        outcomes: list[Any] = [None] * len(runs)
        failures: list[tuple[int, BaseException, str]] = []
        busy: dict[Any, list[int]] = {}

        def give(pipe: Any) -> None:
            if waiting and not failures:
                busy[pipe] = waiting.pop()
                _tell(pipe, ("runs", busy[pipe], [runs[place] for place in busy[pipe]]))

        for _, pipe in self._workers:
            _tell(pipe, ("candidates", [], candidates))
            give(pipe)
        while busy:
            ready: list[Any] = connection.wait(list(busy))
            for pipe in ready:
                member = runs[busy.pop(pipe)[0]][0]
                try:
                    places, results, error, text = pipe.recv()
                except (EOFError, OSError):
                    raise RuntimeError(f"a worker process ended while it ran problems[{member}]") from None
                if error is not None:
                    failures.append((places[0], error, text))
                    continue
                for place, result in zip(places, results):
                    outcomes[place] = result
                give(pipe)
        if failures:
            _, error, text = min(failures, key=lambda failure: failure[0])
            raise error from _RemoteTraceback(text)
        return outcomes


def _child(pipe: Any, others: list[Any], runs: _loa.OwnRuns) -> None:
    for other in others:  # so that each pipe ends with the process at its other end
        other.close()
    _work(pipe, runs)


def _tell(pipe: Any, message: Any) -> None:
    try:
        pipe.send(message)
    except OSError:
        raise RuntimeError("a worker process has ended") from None


class ProgressLine:
    """A line on standard error: rewritten on a terminal, elsewhere a new one every ten seconds."""

    def __init__(self, wanted: bool):
        self._wanted = wanted
        self._terminal = wanted and sys.stderr.isatty()
        self._next = time.monotonic() + (0.5 if self._terminal else 10.0)

    def say(self, text: str) -> None:
        if self._wanted:
            self.clear()
            print(f"loa: {text}", file=sys.stderr, flush=True)

    def show(self, text: str, report: dict[str, Any]) -> None:
        if report["stage"] == "probe":
            self.say(text)
        elif self._wanted and time.monotonic() >= self._next and report["stage"] != "test":
            self._next = time.monotonic() + (0.1 if self._terminal else 10.0)
            if self._terminal:
                print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
            else:
                print(text, file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def certify(
    weights: Any,
    problems: Any,
    *,
    algorithm: str | None = None,
    jac: Any = None,
    args: Any = (),
    processes: int | None = None,
    **options: Any,
) -> _loa.Certificate:
    """P(a member is solved within K evaluations) >= p, for some K, from members that the weights have not seen.

    weights    a name, a file, loa.Weights, or what loa.train returned; None with an algorithm that has none.
    problems   as for train. Those that the weights were trained on would make the certificate worthless.
    algorithm  without weights: its name, or "auto".
    options    gtol, max_evaluations, confidence (of all rows together), quantiles: the K are these quantiles on a third
               of the members, and the others are tested; or within: the K themselves, and all members are tested;
               seed; members (of SPECs).
    """
    chosen = _loa.CertifyOptions()
    if algorithm is not None:
        options["algorithm"] = algorithm
    set_all(chosen, options, "certify")
    weights = getattr(weights, "weights", weights)  # of a Training
    if weights is not None and algorithm is not None:
        raise TypeError("certify: expected weights or an algorithm, found both")
    if weights is None and algorithm is None:
        raise TypeError("certify: expected weights or an algorithm, found neither")
    if isinstance(weights, (str, os.PathLike)):
        weights = _loa.load_weights(os.fspath(weights))
    specs = specs_of(problems)
    if specs is not None:
        return _loa.certify(specs, chosen, weights)
    with Members(problems, jac, args, weights, processes, None) as members:
        return _loa.certify(members, chosen, weights)
