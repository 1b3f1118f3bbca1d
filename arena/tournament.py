"""A tournament from schedule to table: format -> runner -> store -> ratings.

This process alone writes. Whole matches are committed, each exactly once; ratings follow in scheduled order,
whatever finished first. Everything is a function of the specification and the seed, so a tournament that was
stopped, in whatever way, goes on where it was and ends with the same table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from arena import runners, seeds
from arena.errors import SpecError, StoreError
from arena.formats import Format
from arena.runners import Runner
from arena.spec import TournamentSpec
from arena.store import Store
from arena.store.rows import FinishedMatch, QuarantineRow
from arena.store.tournaments import BEGIN_ANEW
from arena.types import GameResult, MatchPlan, MatchResult, Pairing, VariantSetup

FLUSH_S = 0.25
FLUSH_MATCHES = 1000  # databases take so many parameters in a statement, and not many times more


@dataclass(slots=True)
class Progress:
    """How far it is: matches of the whole tournament, and what happened since this process took it up.

    `unplayed` counts the matches that a quarantine settled, `voided` the attempts that are played again.
    """

    total: int
    done: int
    matches: int = 0
    games: int = 0
    faults: int = 0
    voided: int = 0
    unplayed: int = 0


class Listener(Protocol):
    """Who watches a tournament."""

    def progressed(self, progress: Progress) -> None:
        """Something was committed."""

    def voided(self, result: MatchResult) -> None:
        """An attempt does not count; the match is played again with the same key."""

    def quarantined(self, row: QuarantineRow) -> None:
        """A player faulted out of too many games in a row; no later match with it counts."""

    def game_finished(self, plan: MatchPlan, game: GameResult) -> None:
        """A game was committed."""


class Tournament:
    """One tournament in a store; made by `create` or `reopen`."""

    def __init__(self, store: Store, spec: TournamentSpec, identity: int) -> None:
        self.store = store
        self.spec = spec
        self.identity = identity
        self._seed = store.seed(identity)
        self.format = schedule(spec, self._seed)
        self._pairings: dict[int, Pairing] = {}
        self._finished: list[tuple[MatchPlan, FinishedMatch]] = []
        self._quarantines = {row.entry: row for row in store.quarantines(identity)}
        self._flushed_at = 0.0

    def play(self, runner: Runner, listener: Listener, interrupted: Callable[[], bool] = bool) -> bool:
        """Play what is missing; False when it was interrupted (KeyboardInterrupt).

        `interrupted` is asked after each match, since a library may have swallowed the interrupt. However it
        ends before its end, it can be resumed. StoreRefusal when another process plays it.
        """
        self._interrupted = interrupted
        with self.store.playing(self.identity):
            return self._play(runner, listener)

    def _play(self, runner: Runner, listener: Listener) -> bool:
        self.progress = Progress(self.format.total(), len(self.store.done_sequences(self.identity)))
        self._listener = listener
        self.store.set_state(self.identity, "running")
        try:
            runner.run(self._plans(), self._take)
            self.flush()
        except BaseException as error:
            self.flush()
            self.store.set_state(self.identity, "stopped")
            if isinstance(error, KeyboardInterrupt):
                return False
            raise
        self.store.set_state(self.identity, "finished")
        return True

    def _plans(self) -> Iterator[MatchPlan]:
        """The matches not yet committed, lazily, in scheduled order."""
        done = self.store.done_sequences(self.identity)
        for pairing in self.format.pairings(done.prefix):
            if pairing.sequence not in done:
                self._pairings[pairing.sequence] = pairing
                plan = plan_for(self.spec, self._seed, pairing)
                if self._is_kept_out(pairing):
                    self._take(plan, None)
                else:
                    yield plan

    def _is_kept_out(self, pairing: Pairing) -> bool:
        """Whether a player is known to be quarantined before this match; such a match is not played."""
        rows = (self._quarantines[player] for player in pairing.players if player in self._quarantines)
        return any(row.sequence < pairing.sequence for row in rows)

    def _take(self, plan: MatchPlan, result: MatchResult | None) -> None:
        """An attempt, or None for a match that is not played."""
        self._finished.append((plan, FinishedMatch(self._pairings[plan.sequence], plan.key, result)))
        if time.monotonic() - self._flushed_at > FLUSH_S or len(self._finished) >= FLUSH_MATCHES:
            self.flush()
        if self._interrupted():
            raise KeyboardInterrupt

    def flush(self) -> None:
        """Commit what finished in one transaction, then rate what that released, then tell."""
        matches = [match for _, match in self._finished]
        counts = self.store.commit_matches(self.identity, matches)
        self.store.update_ratings(self.identity)
        finished, self._finished = self._finished, []
        self._flushed_at = time.monotonic()
        for (plan, match), counted in zip(finished, counts, strict=True):
            if match.result is not None and match.result.error:
                self.progress.voided += 1
                self._listener.voided(match.result)
                continue
            del self._pairings[plan.sequence]
            self.progress.done += 1
            if counted and match.result is not None:
                self._count(plan, match.result)
            else:
                self.progress.unplayed += 1
        self._tell_quarantines()
        self._listener.progressed(self.progress)

    def _tell_quarantines(self) -> None:
        for row in self.store.quarantines(self.identity):
            if row.entry not in self._quarantines:
                self._quarantines[row.entry] = row
                self._listener.quarantined(row)

    def _count(self, plan: MatchPlan, result: MatchResult) -> None:
        self.progress.matches += 1
        self.progress.games += len(result.games)
        self.progress.faults += sum(len(game.faults) for game in result.games)
        for game in result.games:
            self._listener.game_finished(plan, game)


def check_conditions(spec: TournamentSpec) -> None:
    """SpecError for what stands against the players before any of them is built or started."""
    from arena.runners.worker import isolation_problems

    if remote := [player.name for player in spec.players if player.bot.kind == "remote"]:
        message = "dials in by itself; `arena serve --tournament FILE` plays with it"
        raise _refusal(spec, [(name, message) for name in remote])
    if problems := isolation_problems(spec.players, spec.isolation):
        raise _refusal(spec, problems)


def start_runner(spec: TournamentSpec, prepare: Callable[[], object]) -> Runner:
    """A runner for a tournament, every bot started; SpecError names those that cannot be.

    `prepare` is called first in every process that plays.
    """
    check_conditions(spec)
    rotations = max(len(setup.rotations) for setup in spec.setups)
    games = schedule(spec, bytes(seeds.SEED_BYTES)).total() * rotations
    runner = runners.start(runners.choose(spec.runner, games), spec.players, spec.workers, prepare)
    try:
        problems = runner.check(spec.limits, spec.isolation)
    except BaseException:
        runner.close()
        raise
    if problems:
        runner.close()
        raise _refusal(spec, problems)
    return runner


def _refusal(spec: TournamentSpec, problems: Sequence[runners.Problem]) -> SpecError:
    """What is wrong with players, by their places in the tournament's file."""
    places = {player.name: f"players[{index}] ({player.name})" for index, player in enumerate(spec.players)}
    return SpecError([(places.get(name, name), message) for name, message in problems], source=spec.name)


def create(store: Store, spec: TournamentSpec) -> Tournament:
    """Store a new tournament with the specification's seed, or one drawn by the operating system."""
    seed = spec.seed or seeds.new_seed()
    identity = store.create_tournament(
        name=spec.name,
        spec=spec.stored(),
        seed=seed,
        commitment=seeds.seed_commitment(seed),
        setups=spec.setups,
        players=spec.players,
        total=schedule(spec, seed).total(),
        quarantine_after=spec.quarantine_after,
    )
    return Tournament(store, spec, identity)


def reopen(store: Store, spec: TournamentSpec, identity: int) -> Tournament:
    """Take up a stored tournament; StoreError when its players or rulesets are no longer what they were."""
    for entry, player in zip(store.entries(identity), spec.players, strict=False):
        before, now = (entry.bot, entry.version), (player.bot.name, player.bot.version)
        if entry.label == player.name and before != now:
            raise StoreError(
                f"{entry.label} was {' '.join(before)} when the tournament began and is {' '.join(now)} now; "
                f"put it back, or {BEGIN_ANEW}"
            )
    store.check_resume(identity, spec.setups, spec.players)
    return Tournament(store, spec, identity)


def schedule(spec: TournamentSpec, seed: bytes) -> Format:
    """The tournament's format, ready to give pairings."""
    return spec.format(spec.setups, len(spec.players), spec.rounds, seed)


def plan_for(spec: TournamentSpec, seed: bytes, pairing: Pairing) -> MatchPlan:
    """All that a worker must know to play a pairing."""
    setup = spec.setups[pairing.setup]
    return MatchPlan(
        sequence=pairing.sequence,
        key=seeds.match_key(seed, pool_text(setup), str(pairing.sequence), pairing.round),
        setup=setup,
        players=tuple(spec.players[index] for index in pairing.players),
        limits=spec.limits,
        policy=spec.policy,
        isolation=spec.isolation,
    )


def pool_text(setup: VariantSetup) -> str:
    """What makes a pool, as one text."""
    parts = [setup.ruleset_hash, setup.seats, setup.turn_cap, setup.teams, setup.point_rule]
    if setup.entrants != setup.seats:
        parts.append(setup.entrants)
    return "|".join(map(str, parts))
