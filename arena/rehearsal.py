"""A referee whose game begins as a recorded one did, so that bots come to its last step with what they know.

Every bot is asked what it was asked then, so that its memory and its generator are where they were; what it
answers there changes nothing, and neither does what it does wrong.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable

from arena.record import Step
from arena.referee import Referee
from arena.seats import Question
from arena.types import FaultKind

# A bot that faults so often in a row is broken, and asked no more about what is known anyway.
MOST_FAULTS = 5


class Rehearsal(Referee):
    """Referees one game from the set-up through an opening, then on as any other.

    A seat that owes an answer beside the opening's last step, where both sides choose at once, gives its own.
    One that faults MOST_FAULTS times in a row is asked again only after the opening.
    """

    def rehearse(self, opening: Iterable[Step]) -> None:
        """Take the steps that the game begins with, before its first question."""
        self._opening = deque(opening)
        # By seat: what is played for it instead of its answer; None: nothing, as it left the game.
        self._given: dict[int, int | None] = {}
        self._faults: Counter[int] = Counter()  # by seat: in a row
        self._repeat_retirements()
        self.over = not self.state.pending_mask()

    def questions(self) -> list[Question]:
        """See Referee; in the opening, the record has the answers, and who is broken is not asked."""
        while True:
            questions = super().questions()
            if questions and self._opening:
                self._give([question.seat for question in questions])
            broken = [seat for seat in self._given if self._faults[seat] >= MOST_FAULTS]
            asked = [question for question in questions if question.seat not in broken]
            for seat in broken:
                self._play_given(seat, None)
            if asked or not broken:
                return asked

    def answer(
        self,
        seat: int,
        decision_id: int,
        action: int,
        used_s: float = 0.0,
        last_message: Callable[[], str] = str,
    ) -> None:
        """See Referee; an answer in the opening is as good as any."""
        if seat not in self._given:
            super().answer(seat, decision_id, action, used_s, last_message)
        elif self._open[seat].decision_id == decision_id:
            self._faults[seat] = 0
            self._play_given(seat, action)

    def fault(
        self,
        seat: int,
        kind: FaultKind,
        message: str = "",
        used_s: float = 0.0,
        limit_s: float = 0.0,
        *,
        output: str = "",
        last_message: str = "",
    ) -> None:
        """See Referee; no fault in the opening counts, but a bot that is gone will be missed after it."""
        if seat in self._given:
            self._faults[seat] += 1
            self._play_given(seat, None)
        elif not self._opening:
            super().fault(seat, kind, message, used_s, limit_s, output=output, last_message=last_message)

    def _give(self, seats: Iterable[int]) -> None:
        """Take from the opening what is played for the seats that are asked now."""
        self._given = {seat: self._next_action(seat) for seat in sorted(seats)}
        if not self._opening:
            self._given = {seat: what for seat, what in self._given.items() if what is not None}

    def _next_action(self, seat: int) -> int | None:
        """The seat's action, if that is the next step of the opening."""
        if self._opening:
            mover, what = self._opening[0]
            if mover == seat and not isinstance(what, str):
                self._opening.popleft()
                return what
        return None

    def _play_given(self, seat: int, action: int | None) -> None:
        """Play the opening's action; a bot that plans further moves is told when it said another."""
        given = self._given.pop(seat)
        self._open[seat].faulted = action != given
        self._hold(seat, given)

    def _settle(self) -> None:
        """See Referee; in the opening, seats leave where they left."""
        if self._opening:
            self._held = {seat: action for seat, action in self._held.items() if action is not None}
        super()._settle()
        self._repeat_retirements()
        self.over = not self.state.pending_mask()

    def _repeat_retirements(self) -> None:
        """Take out the seats that left at this point."""
        while self._opening and isinstance(mode := self._opening[0][1], str):
            seat, _ = self._opening.popleft()
            self.conduct.retired.add(seat)
            self.steps.append((seat, mode))
            self._tell(self.state.retire(seat, mode))
