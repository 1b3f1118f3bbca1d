"""The cluster runner: Ray actors, each with a MatchWorker; the only module that imports Ray.

Matches go out in batches that take 100 to 500 ms, so that Ray's cost per call does not count, with a bounded
number in flight. An actor that dies voids its batches; their matches are played again, one by one, elsewhere.
"""

from __future__ import annotations

import functools
import logging
import os
import secrets
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Thread
from time import perf_counter, sleep
from typing import Any

from arena.errors import PlatformFault
from arena.runners import UNGUARDED, Attempts, OnResult, Problem, RunnerKind, cores
from arena.runners.reaper import SOURCES, Run, owner_lives
from arena.types import Isolation, Limits, MatchPlan, MatchResult, Player

# Ray reads these when it is imported and when it starts its own processes.
SETTINGS = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # Ray's own switch for "everything on the loopback address"
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",  # workers at normal priority: a bot's clock must not depend on the desktop
    "RAY_enable_metrics_collection": "0",
    "RAY_DEDUP_LOGS": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_AUTH_MODE": "token",  # other users of this machine reach the loopback address, too
}
OBJECT_STORE_BYTES = 100 * 2**20  # batches and results are small and travel inline
BATCH_S = 0.3
MAX_BATCH = 256
IN_FLIGHT = 2  # batches per worker: one is played, one waits
WATCH_S = 1.0
SMOOTHING = 0.3

_log = logging.getLogger(__name__)


class _Actor:
    """What runs in a Ray worker process."""

    def __init__(self, name: str, owner: str, folder: Path, prepare: Callable[[], object]) -> None:
        from arena.runners.worker import MatchWorker

        Thread(target=_die_with_owner, args=(owner,), daemon=True).start()
        prepare()
        self._worker = MatchWorker(name, folder)

    def check(
        self, players: Sequence[Player], limits: Limits, isolation: Isolation
    ) -> tuple[list[Problem], list[str]]:
        """Start all bots; problems, and starts that were almost too slow."""
        return self._worker.check(players, limits, isolation), self._worker.slow_starts

    def play(self, plans: Sequence[MatchPlan]) -> tuple[list[MatchResult], float]:
        """Play a batch; results and seconds."""
        start = perf_counter()
        return self._worker.play(plans), perf_counter() - start


def _die_with_owner(owner: str) -> None:
    """Second line of defence behind Ray's own and the reaper: end when the tournament process is gone."""
    while owner_lives(owner):
        sleep(WATCH_S)
    os._exit(1)


@dataclass(frozen=True, slots=True)
class _Batch:
    """What is in flight: plans, and the actor that has them."""

    plans: tuple[MatchPlan, ...]
    worker: int
    actor: Any


class _Batches:
    """Cuts the schedule into batches of about BATCH_S seconds, by how long matches took so far."""

    def __init__(self, plans: Iterable[MatchPlan]) -> None:
        self._plans: Iterator[MatchPlan] = iter(plans)
        self._again: deque[MatchPlan] = deque()
        self._match_s = BATCH_S

    def next(self) -> tuple[MatchPlan, ...]:
        """The next batch, at least one match; () at the end. A match to be replayed is a batch of its own."""
        if self._again:
            return (self._again.popleft(),)
        size = max(1, min(MAX_BATCH, round(BATCH_S / self._match_s)))
        return tuple(islice(self._plans, size))

    def again(self, plan: MatchPlan) -> None:
        """Play a match once more."""
        self._again.append(plan)

    def took(self, matches: int, seconds: float) -> None:
        """Learn from a finished batch."""
        self._match_s += SMOOTHING * (max(1e-4, seconds / matches) - self._match_s)


class ClusterRunner:
    """Plays on `workers` Ray actors of this machine; nothing listens outside the loopback address."""

    kind: RunnerKind = "cluster"

    def __init__(self, players: Sequence[Player], workers: int, prepare: Callable[[], object]) -> None:
        self.workers = workers
        self._players = players
        self._prepare = prepare
        self._run = Run()
        try:
            self._ray = _start_ray(self._run, max(workers, cores()))
            self._actor_class = self._ray.remote(num_cpus=1, max_restarts=0)(_Actor)
            self._actors = [self._new_actor(number) for number in range(workers)]
        except BaseException:
            self._run.close()
            raise

    def check(self, limits: Limits, isolation: Isolation = UNGUARDED) -> list[Problem]:
        """See arena.runners.Runner; every worker starts every bot, and keeps it."""
        calls = [actor.check.remote(self._players, limits, isolation) for actor in self._actors]
        found = self._ray.get(calls)
        for actor, (_, slow_starts) in enumerate(found):
            for slow in slow_starts:
                _log.warning("worker ray-%d: %s", actor, slow)
        return list(dict.fromkeys(problem for problems, _ in found for problem in problems))

    def run(self, plans: Iterable[MatchPlan], on_result: OnResult) -> None:
        """See arena.runners.Runner; results come in the order in which batches finish."""
        batches, attempts = _Batches(plans), Attempts()
        flying: dict[Any, _Batch] = {}
        for worker in range(self.workers):
            for _ in range(IN_FLIGHT):
                self._send(worker, batches, flying)
        while flying:
            (done, *_), _rest = self._ray.wait(list(flying), num_returns=1)
            batch = flying.pop(done)
            for plan, result in zip(batch.plans, self._results(done, batch, batches), strict=True):
                on_result(plan, result)
                if result.error:
                    batches.again(attempts.again(plan, result))
            self._send(batch.worker, batches, flying)

    def close(self) -> None:
        """See arena.runners.Runner."""
        self._ray.shutdown()
        self._run.close()

    def _new_actor(self, number: int) -> Any:
        return self._actor_class.remote(f"ray-{number}", self._run.mark, self._run.folder, self._prepare)

    def _send(self, worker: int, batches: _Batches, flying: dict[Any, _Batch]) -> None:
        plans = batches.next()
        if plans:
            actor = self._actors[worker]
            flying[actor.play.remote(plans)] = _Batch(plans, worker, actor)

    def _results(self, done: Any, batch: _Batch, batches: _Batches) -> list[MatchResult]:
        """A batch's results; when its actor died, voided attempts, and a new actor takes its place."""
        try:
            results, seconds = self._ray.get(done)
        except self._ray.exceptions.RayError as error:
            if self._actors[batch.worker] is batch.actor:
                self._actors[batch.worker] = self._new_actor(batch.worker)
            name = f"ray-{batch.worker}"
            message = (
                f"worker {name} was lost: {type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
            )
            return [MatchResult(plan.sequence, (), name, 0.0, 0.0, message) for plan in batch.plans]
        batches.took(len(batch.plans), seconds)
        found: list[MatchResult] = results
        return found


def _start_ray(run: Run, cpus: int) -> Any:
    """The ray module, connected to a Ray of our own.

    Ray's processes end when they are signalled, and take us along. In a session of their own, below another
    process, no signal that a terminal or `timeout` sends to our group reaches them.
    """
    os.environ.update(SETTINGS, RAY_AUTH_TOKEN=_token())
    head = subprocess.Popen(
        [sys.executable, "-m", "arena.runners.cluster", str(cpus), str(run.folder)],
        cwd=SOURCES,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    run.include(head.pid)
    address = head.stdout.readline().strip() if head.stdout else ""
    if not address:
        raise PlatformFault("Ray did not start; its own output says why")
    import ray

    _quiet(ray)
    ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    return ray


def _quiet(ray: Any) -> None:
    """Keep Ray from writing about lost workers into our output, which tells it in its own words.

    Ray has no public way; its debugger uses this one.
    """
    ray._private.worker._worker_logs_enabled = False


def _leave_out_helpers(ray: Any) -> None:
    """Start Ray without autoscaler, log collector and dashboard server, which nobody asks: in half the time.

    Ray has no public way; with other names of these methods it just starts all of them.
    """
    for helper in ("start_monitor", "start_log_monitor", "start_api_server"):
        setattr(ray._private.node.Node, helper, lambda *_, **__: None)


@functools.cache
def _token() -> str:
    """What callers of our Ray must show: drawn once a process, since Ray remembers the first it sees."""
    return secrets.token_hex(32)


def head(cpus: int, folder: str) -> None:
    """Own a Ray on the loopback address, its files in `folder`, until our input ends; print its address."""
    import ray

    _quiet(ray)
    _leave_out_helpers(ray)
    ray.init(
        address="local",
        num_cpus=cpus,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
        object_store_memory=OBJECT_STORE_BYTES,
        _temp_dir=folder,
    )
    print(ray.get_runtime_context().gcs_address, flush=True)
    sys.stdin.read()
    ray.shutdown()


if __name__ == "__main__":
    head(int(sys.argv[1]), sys.argv[2])
